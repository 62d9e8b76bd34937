/*
 * waiting.c
 *		Matches that wait in memory for the end of the work that touched them.
 *
 * The list is static, because triggers add to it at any depth of calls, and lies in
 * TopTransactionContext.  The callback of entry.c at the end of a transaction empties it before that
 * context goes.  An entry is linked only when it is complete: an error in between leaves no more
 * than memory.
 */
#include "pg/ladder/entry/waiting.h"

#include "utils/memutils.h"

#include "pg/ladder/entry/shape.h"

/* The matches of a ladder that wait. */
struct Waiting
{
	Waiting    *next;
	Oid			schema;
	IdTable    *ids;
	MemoryContext context;
};

static Waiting *waiting = NULL;

/* An entry in front of others, which has no matches yet, with a context of its own. */
static Waiting *
make_entry(Oid schema, Waiting *next)
{
	MemoryContext context = AllocSetContextCreate(TopTransactionContext,
												  "skillrating waiting matches",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Waiting    *entry = palloc0_object(Waiting);

	entry->schema = schema;
	entry->context = context;
	/* Their type stays in place as long as they do. */
	entry->ids = id_table_create(ladder_cache_open(schema)->match_type);
	entry->next = next;
	MemoryContextSwitchTo(old);
	return entry;
}

static void
add_ids(Waiting *entry, const Datum *ids, int n)
{
	MemoryContext old = MemoryContextSwitchTo(entry->context);
	int			i;

	for (i = 0; i < n; i++)
		id_table_add(entry->ids, ids[i]);
	MemoryContextSwitchTo(old);
}

void
keep_waiting(const Ladder *ladder, const Datum *ids, int n)
{
	Waiting    *entry = waiting;

	while (entry != NULL && entry->schema != ladder->schema)
		entry = entry->next;
	if (entry == NULL)
		entry = waiting = make_entry(ladder->schema, waiting);
	add_ids(entry, ids, n);
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
		id_table_add(ids, waiting_ids[i]);
	MemoryContextDelete(entry->context);
}

Waiting *
copy_all_waiting(void)
{
	Waiting    *copy = NULL;
	Waiting    *entry;

	for (entry = waiting; entry != NULL; entry = entry->next)
	{
		copy = make_entry(entry->schema, copy);
		add_ids(copy, id_table_ids(entry->ids), id_table_count(entry->ids));
	}
	return copy;
}

void
restore_all_waiting(Waiting *copy)
{
	while (waiting != NULL)
		forget_waiting(waiting->schema);
	waiting = copy;
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
