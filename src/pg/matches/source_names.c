/*
 * source_names.c
 *		Names that the rows of a match have, such as contexts, as numbers.
 */
#include "pg/matches/source_names.h"

#include "common/hashfn.h"

#define FIRST_MAX 16

void
source_names_clear(SourceNames *names)
{
	int			i;

	/* One by one, as a match before may have left much room. */
	for (i = 0; i < names->n; i++)
		names->bucket[names->place[i]] = 0;
	names->n = 0;
}

/* The bucket that has a name, or the empty one where it would be. */
static int
find_bucket(const SourceNames *names, const char *name)
{
	uint32		mask = 2 * (uint32) names->max - 1;
	uint32		place = hash_bytes((const unsigned char *) name, (int) strlen(name)) & mask;

	while (names->bucket[place] != 0 &&
		   strcmp(names->name[names->bucket[place] - 1], name) != 0)
		place = (place + 1) & mask;
	return (int) place;
}

/* A name that is not there yet, as the one of this number. */
static void
put_name(SourceNames *names, const char *name, int number)
{
	int			place = find_bucket(names, name);

	names->name[number] = name;
	names->place[number] = place;
	names->bucket[place] = number + 1;
}

/* The first room, or twice as much. */
static void
grow(SourceNames *names)
{
	MemoryContext old = MemoryContextSwitchTo(names->context);
	int			i;

	names->max = Max(FIRST_MAX, 2 * names->max);
	names->name = repalloc_array(names->name, const char *, names->max);
	names->place = repalloc_array(names->place, int, names->max);
	names->bucket = repalloc_array(names->bucket, int, 2 * names->max);
	memset(names->bucket, 0, sizeof(int) * 2 * names->max);
	for (i = 0; i < names->n; i++)
		put_name(names, names->name[i], i);
	MemoryContextSwitchTo(old);
}

int
source_names_enter(SourceNames *names, const char *name)
{
	int			number = names->n == 0 ? -1 : names->bucket[find_bucket(names, name)] - 1;

	if (number >= 0)
		return number;

	/* At most half of the buckets are taken. */
	if (names->n == names->max)
		grow(names);
	put_name(names, name, names->n);
	return names->n++;
}
