/*
 * waiting.c
 *		Matches that wait in memory for the end of the work that touched them.
 */
#include "pg/ladder/waiting.h"

#include "utils/memutils.h"

#include "pg/ladder/cache.h"

/* The matches of a ladder that wait. */
typedef struct Waiting
{
	struct Waiting *next;
	Oid			schema;
	IdTable    *ids;
	MemoryContext context;
} Waiting;

static Waiting *waiting = NULL;

void
keep_waiting(const Ladder *ladder, const Datum *ids, int n)
{
	Waiting    *entry = waiting;
	MemoryContext old;
	int			i;

	while (entry != NULL && entry->schema != ladder->schema)
		entry = entry->next;
	if (entry == NULL)
	{
		MemoryContext context = AllocSetContextCreate(TopTransactionContext,
													  "skillrating waiting matches",
													  ALLOCSET_SMALL_SIZES);

		old = MemoryContextSwitchTo(context);
		entry = palloc0_object(Waiting);
		entry->schema = ladder->schema;
		entry->context = context;
		/* Their type stays in place as long as they do. */
		entry->ids = id_table_create(ladder_cache_open(ladder->schema)->match_type);
		entry->next = waiting;
		MemoryContextSwitchTo(old);
		waiting = entry;
	}
	old = MemoryContextSwitchTo(entry->context);
	for (i = 0; i < n; i++)
	{
		bool		found;

		(void) id_table_enter(entry->ids, ids[i], "", &found);
	}
	MemoryContextSwitchTo(old);
}

/* Take the matches of a ladder from the list, or NULL. */
static Waiting *
unlink_waiting(Oid schema)
{
	Waiting   **place = &waiting;
	Waiting    *entry;

	while (*place != NULL && (*place)->schema != schema)
		place = &(*place)->next;
	entry = *place;
	if (entry != NULL)
		*place = entry->next;
	return entry;
}

void
take_waiting(const Ladder *ladder, IdTable *ids)
{
	Waiting    *entry = unlink_waiting(ladder->schema);
	Datum	   *waiting_ids;
	int			i;

	if (entry == NULL)
		return;
	waiting_ids = id_table_ids(entry->ids);
	for (i = 0; i < id_table_count(entry->ids); i++)
	{
		bool		found;

		(void) id_table_enter(ids, waiting_ids[i], "", &found);
	}
	MemoryContextDelete(entry->context);
}

Oid
next_waiting(void)
{
	return waiting != NULL ? waiting->schema : InvalidOid;
}

void
forget_waiting(Oid schema)
{
	Waiting    *entry = unlink_waiting(schema);

	if (entry != NULL)
		MemoryContextDelete(entry->context);
}

void
forget_all_waiting(void)
{
	waiting = NULL;
}
