/*
 * solve_parts.c
 *		The parts of a relation, by a column, which solve_distributed() reads by one query.
 */
#include "pg/history/solve_parts.h"

#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "pg/sql/huge.h"

/*
 * Lasting rows under this number, of which there are none, say that all parts have been
 * read: without them an attempt has failed in between.
 */
#define ALL_PARTS 0

/* Takes the rows of the query, (part as text, survey), as they come. */
typedef struct PartReceiver
{
	DestReceiver receiver;		/* first */
	Distributed *d;
	int32		room;			/* of solver_layout_reserve() */
} PartReceiver;

/* A new leaf for a part, whose value is NULL if it is unknown or null. */
static Leaf *
add_leaf(Distributed *d, const char *value)
{
	MemoryContext old = MemoryContextSwitchTo(d->memory);
	MatchPartition *partition = palloc0_object(MatchPartition);
	Leaf	   *leaf;

	if (d->nleaves >= MATCH_MAX_PARTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many parts: more than %d", MATCH_MAX_PARTS),
				 errdetail("They are the values of column %s of %s.", d->matches.part,
						   d->matches.name)));
	if (value != NULL)
		partition->name = psprintf("part %s of %s", value, d->matches.name);
	else
		partition->name = psprintf("a part of %s", d->matches.name);

	/* The array doubles whenever it is full, at powers of two. */
	if ((d->nleaves & (d->nleaves - 1)) == 0)
		huge_array_grow(d->leaf, Leaf, Max(2 * d->nleaves, 1));
	leaf = &d->leaf[d->nleaves++];
	memset(leaf, 0, sizeof(Leaf));
	leaf->partition = partition;
	MemoryContextSwitchTo(old);
	return leaf;
}

/* Take over what was read in a part, whose rows are kept under a key, or packed if NULL. */
static void
take_part(Distributed *d, const char *value, const char *key, Datum survey, int32 *room)
{
	Leaf	   *leaf = add_leaf(d, value);

	if (key != NULL)
		memcpy(leaf->key, key, KEPT_KEY_SIZE);
	else
		kept_rows_new_key(d->token, leaf->key);
	if (!leaf_take_survey(d, leaf, survey, room))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many matches in %s", leaf->partition->name),
				 errdetail("Another process can hand over at most %zu bytes of a part.",
						   KEPT_MAX_PACKED_AS_TEXT),
				 errhint("Divide the matches into more and smaller parts.")));
}

static bool
receive_part(TupleTableSlot *slot, DestReceiver *self)
{
	PartReceiver *receiver = (PartReceiver *) self;
	Distributed *d = receiver->d;
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	Datum		values[SURVEY_NCOLUMNS];
	bool		nulls[SURVEY_NCOLUMNS];
	char		key[KEPT_KEY_SIZE];
	char	   *value = NULL;

	slot_getallattrs(slot);
	if (!slot->tts_isnull[0])
		value = TextDatumGetCString(slot->tts_values[0]);
	if (!slot->tts_isnull[1])
	{
		survey_deform(slot->tts_values[1], values, nulls, NULL);
		if (!nulls[SURVEY_KEPT])
			kept_key_make(d->token, (uint32) DatumGetInt32(values[SURVEY_KEPT]), key);
		take_part(d, value, nulls[SURVEY_KEPT] ? NULL : key, slot->tts_values[1],
				  &receiver->room);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
	return true;
}

static void
begin_parts(DestReceiver *self, int operation, TupleDesc desc)
{
	(void) self;
	(void) operation;
	(void) desc;
}

static void
end_parts(DestReceiver *self)
{
	(void) self;
}

/*
 * Read all parts.  The query has constants and no parameters, because an extension that
 * distributes it has to make a query of it again.
 */
static void
read_parts(Distributed *d)
{
	PartReceiver receiver = {
		.receiver = {
			.receiveSlot = receive_part,.rStartup = begin_parts,.rShutdown = end_parts,
			.rDestroy = end_parts,.mydest = DestTuplestore
		},
		.d = d
	};
	SPIExecuteOptions options = {
		.read_only = true,.must_return_tuples = true,.dest = &receiver.receiver
	};
	Datum		plan = leaves_make_plan(d, d->token, KEPT_TOKEN_SIZE);
	char	   *text = DatumGetCString(DirectFunctionCall1(jsonb_out, plan));
	char	   *query = psprintf("SELECT CAST(%s AS pg_catalog.text), skillrating_internal.solve_survey(skillrating_internal.solve_near(CAST(%s AS pg_catalog.jsonb)), %s) FROM %s GROUP BY %s",
								 d->matches.part, quote_literal_cstr(text),
								 d->matches.arguments, d->matches.name, d->matches.part);
	int			code = SPI_execute_extended(query, &options);

	if (code != SPI_OK_SELECT)
		elog(ERROR, "could not read parts: %s", SPI_result_code_string(code));
}

/* Take over the parts that this process keeps. */
static void
take_kept_parts(Distributed *d)
{
	KeptRows  **kept;
	int			n = kept_rows_of_token(d->token, &kept);
	int32		room = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(d->scratch);

		if (kept_key_number(kept_rows_key(kept[i])) != ALL_PARTS)
			take_part(d, NULL, kept_rows_key(kept[i]), kept_rows_survey(kept[i]), &room);
		MemoryContextSwitchTo(old);
		MemoryContextReset(d->scratch);
	}
}

void
parts_survey(Distributed *d)
{
	MemoryContext old = CurrentMemoryContext;
	char		all[KEPT_KEY_SIZE];

	kept_key_make(d->token, ALL_PARTS, all);
	d->state.task.history = &d->state.builder.history;
	if (kept_rows_find(all) != NULL)
	{
		take_kept_parts(d);
		return;
	}
	parts_tell(d, PASS_RELEASE);
	read_parts(d);

	/* SPI leaves its own context behind. */
	MemoryContextSwitchTo(old);
	if (d->lasting)
		kept_rows_end(kept_rows_begin(all, true), d->state.task.solver, d->state.params,
					  0, 0, (Datum) 0);
}

void
parts_tell(const Distributed *d, PassKind kind)
{
	KeptRows  **kept;
	int			n = kept_rows_of_token(d->token, &kept);
	int			i;

	for (i = 0; i < n; i++)
		if (kind == PASS_RELEASE)
			kept_rows_release(kept[i]);
		else
			kept_rows_hold(kept[i]);
	pfree(kept);
}
