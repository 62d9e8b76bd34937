/*
 * outbox.c
 *		Rows on their way into the tables of a ladder, many at once.
 */
#include "outbox.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

static Outbox *
outbox_create(Ladder *ladder, const char *name, TupleDesc desc)
{
	Outbox	   *outbox = palloc0_object(Outbox);

	outbox->ladder = ladder;
	outbox->name = name;
	outbox->desc = desc;
	outbox->rows = tuplestore_begin_heap(true, false, work_mem);
	outbox->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating row",
											ALLOCSET_SMALL_SIZES);
	return outbox;
}

Outbox *
event_outbox(Ladder *ladder)
{
	return outbox_create(ladder, BATCH_EVENT, ladder_event_desc(ladder));
}

Outbox *
match_outbox(Ladder *ladder)
{
	return outbox_create(ladder, BATCH_MATCH, ladder_match_desc(ladder));
}

Outbox *
rating_outbox(Ladder *ladder)
{
	return outbox_create(ladder, BATCH_RATING, ladder_rating_desc(ladder));
}

static void
outbox_put(Outbox *outbox, Datum *values, bool *nulls)
{
	tuplestore_putvalues(outbox->rows, outbox->desc, values, nulls);
	outbox->nrows++;
}

/* A text column that may be null. */
static void
text_column(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = (text == NULL);
	if (text != NULL)
		values[column] = CStringGetTextDatum(text);
}

void
put_event(Outbox *outbox, const BatchStep *step, const EventRow *row)
{
	int			nstate = outbox->ladder->model->nstate;
	Datum		values[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE];
	bool		nulls[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE] = {false};
	MemoryContext old = MemoryContextSwitchTo(outbox->context);
	int			i;

	values[EVENT_SEQ - 1] = Int64GetDatum(step->seq);
	values[EVENT_MATCH_ID - 1] = step->match_id;
	values[EVENT_PLAYER_ID - 1] = row->player->id;
	values[EVENT_POOL - 1] = CStringGetTextDatum(row->player->pool);
	values[EVENT_KIND - 1] = CStringGetTextDatum(step->kind);
	values[EVENT_TEAM - 1] = Int32GetDatum(row->team);
	values[EVENT_GAMES - 1] = Int32GetDatum((int32) Min(row->games, PG_INT32_MAX));
	values[EVENT_PLAYED_AT - 1] = TimestampTzGetDatum(step->at);
	values[EVENT_LAST_PLAYED - 1] = TimestampTzGetDatum(row->last_played);
	nulls[EVENT_LAST_PLAYED - 1] = TIMESTAMP_IS_NOBEGIN(row->last_played);
	values[EVENT_SCORE - 1] = Float8GetDatum(row->score);
	values[EVENT_WIN_PROBABILITY - 1] = Float8GetDatum(row->win_probability);
	text_column(values, nulls, EVENT_REASON - 1, step->reason);
	for (i = 0; i < nstate; i++)
	{
		values[EVENT_BEFORE(i) - 1] = Float8GetDatum(row->before[i]);
		values[EVENT_AFTER(i) - 1] = Float8GetDatum(row->after[i]);
	}
	nulls[EVENT_MATCH_ID - 1] = nulls[EVENT_TEAM - 1] =
		nulls[EVENT_SCORE - 1] = nulls[EVENT_WIN_PROBABILITY - 1] =
		!step->is_match;
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
put_event_key(Outbox *outbox, int64 seq, Datum player_id, Datum pool)
{
	Datum		values[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE] = {0};
	bool		nulls[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE];

	memset(nulls, true, sizeof(nulls));
	values[EVENT_SEQ - 1] = Int64GetDatum(seq);
	values[EVENT_PLAYER_ID - 1] = player_id;
	values[EVENT_POOL - 1] = pool;
	nulls[EVENT_SEQ - 1] = nulls[EVENT_PLAYER_ID - 1] =
		nulls[EVENT_POOL - 1] = false;
	outbox_put(outbox, values, nulls);
}

void
put_match(Outbox *outbox, const SourceMatch *source, const char *status,
		  const char *reason, bool has_seq, int64 seq)
{
	Datum		values[6] = {0};
	bool		nulls[6] = {false};
	MemoryContext old = MemoryContextSwitchTo(outbox->context);

	values[0] = source->id;
	values[1] = CStringGetTextDatum(status);
	text_column(values, nulls, 2, reason);
	values[3] = Int64GetDatum(source->digest);
	values[4] = Int64GetDatum(seq);
	nulls[4] = !has_seq;
	values[5] = TimestampTzGetDatum(source->played_at);
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
put_rating(Outbox *outbox, const BatchPlayer *player)
{
	const Model *model = outbox->ladder->model;
	Datum		values[7 + MODEL_MAX_STATE];
	bool		nulls[7 + MODEL_MAX_STATE] = {false};
	MemoryContext old = MemoryContextSwitchTo(outbox->context);
	int			n = 0;
	int			i;

	values[n++] = player->id;
	values[n++] = CStringGetTextDatum(player->pool);
	for (i = 0; i < model->nstate; i++)
		values[n++] = Float8GetDatum(player->state[i]);
	values[n++] = Int64GetDatum(player->games);
	values[n++] = Int64GetDatum(player->wins);
	values[n++] = Int64GetDatum(player->draws);
	values[n++] = Int64GetDatum(player->losses);
	nulls[n] = TIMESTAMP_IS_NOBEGIN(player->last_played);
	values[n++] = TimestampTzGetDatum(player->last_played);
	outbox_put(outbox, values, nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

void
outbox_send(Outbox *outbox, LadderQuery query)
{
	EphemeralNamedRelation enr;
	uint64		nrows;

	if (outbox->nrows > 0)
	{
		enr = palloc0_object(EphemeralNamedRelationData);
		enr->md.name = unconstify(char *, outbox->name);
		enr->md.reliddesc = InvalidOid;
		enr->md.tupdesc = outbox->desc;
		enr->md.enrtype = ENR_NAMED_TUPLESTORE;
		enr->md.enrtuples = outbox->nrows;
		enr->reldata = outbox->rows;
		if (SPI_register_relation(enr) != SPI_OK_REL_REGISTER)
			elog(ERROR, "could not register \"%s\"", outbox->name);
		nrows = ladder_execute(outbox->ladder, query, NULL, NULL, NULL);
		if (SPI_unregister_relation(outbox->name) != SPI_OK_REL_UNREGISTER)
			elog(ERROR, "could not unregister \"%s\"", outbox->name);

		/* Exactly once means that no row gets lost on the way either. */
		if (nrows != outbox->nrows)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("ladder \"%s\" took " UINT64_FORMAT " of " UINT64_FORMAT " rows",
							outbox->ladder->name, nrows, outbox->nrows),
					 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
	}
	tuplestore_end(outbox->rows);
	MemoryContextDelete(outbox->context);
}
