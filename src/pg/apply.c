/*
 * apply.c
 *		Rating the matches of a ladder, in batches.
 *
 * A batch is read from the source in order, its players are locked, and only
 * then is it looked up which matches are rated already: two sessions with the
 * same match share its players, so the second one waits and then sees what the
 * first has done.  States are loaded once and written once.
 */
#include "apply.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "batch.h"

/* From this many matches on, statistics beat the habit of using the keys. */
#define MANY_MATCHES 1000

/* What is known of a match of the batch. */
typedef struct KnownMatch
{
	bool		seen;			/* the source has it */
	bool		recorded;		/* it has a row in rated_match */
	bool		rated;
	int64		digest;
} KnownMatch;

/* Rows on their way into a table, as an ephemeral relation. */
typedef struct Outbox
{
	Ladder	   *ladder;
	const char *name;
	TupleDesc	desc;
	Tuplestorestate *rows;
	uint64		nrows;
} Outbox;

static Outbox *
outbox_create(Ladder *ladder, const char *name, TupleDesc desc)
{
	Outbox	   *outbox = palloc0_object(Outbox);

	outbox->ladder = ladder;
	outbox->name = name;
	outbox->desc = desc;
	outbox->rows = tuplestore_begin_heap(true, false, work_mem);
	return outbox;
}

static void
outbox_put(Outbox *outbox, Datum *values, bool *nulls)
{
	tuplestore_putvalues(outbox->rows, outbox->desc, values, nulls);
	outbox->nrows++;
}

/* Write all rows at once by a query that reads the ephemeral relation. */
static void
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
}

typedef struct MatchContext
{
	Ladder	   *ladder;
	MatchReader *reader;
} MatchContext;

static void
match_error_context(void *arg)
{
	MatchContext *context = (MatchContext *) arg;

	if (context->reader->match.n > 0)
		errcontext("match %s of ladder \"%s\"",
				   id_text(context->ladder->match_type,
						   context->reader->match.id),
				   context->ladder->name);
}

/*
 * Build the current match; whether it is to be rated.  A mistake in it is an
 * error, unless the source excludes the match anyway.
 */
static MatchStatus
build_match(Batch *batch, SourceMatch *source)
{
	int			offender;
	MatchStatus status = batch_build(batch, source, &offender);

	if (source->unrated_reason != NULL)
		return MATCH_NO_RESULT;
	if (status > MATCH_LAST_UNRATED)
		batch_report(batch, source, status, offender);
	return status;
}

static void
refuse_change(Ladder *ladder, Datum id, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("match %s of ladder \"%s\" is rated and cannot be %s",
					id_text(ladder->match_type, id), ladder->name, what),
			 errhint("Insert a match with all its participants in one transaction, or set finished when it is complete.")));
}

/* What rated_match has on the matches of the batch. */
static void
load_known(Ladder *ladder, IdTable *known, Datum *values)
{
	uint64		nrows = ladder_execute(ladder, QUERY_RATED, values, NULL, NULL);
	uint64		i;

	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Datum		id = SPI_getbinval(tuple, desc, 1, &isnull);
		KnownMatch *match = id_table_find(known, id, "");

		if (match == NULL)
			continue;
		match->recorded = true;
		match->rated = DatumGetBool(SPI_getbinval(tuple, desc, 2, &isnull));
		match->digest = DatumGetInt64(SPI_getbinval(tuple, desc, 3, &isnull));
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
put_event(Outbox *events, Batch *batch, SourceMatch *source, int64 seq,
		  int player)
{
	const Model *model = batch->ladder->model;
	MatchPlayer *p = &batch->match.player[player];
	BatchPlayer *bp = batch->player[player];
	Datum		values[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE];
	bool		nulls[EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE] = {false};
	int			n = 0;
	int			i;

	values[n++] = Int64GetDatum(seq);
	values[n++] = source->id;
	values[n++] = bp->id;
	values[n++] = CStringGetTextDatum(bp->pool);
	values[n++] = Int32GetDatum(batch->match.team[p->team].number);
	values[n++] = TimestampTzGetDatum(source->played_at);
	values[n++] = Float8GetDatum(batch_score(batch, player));
	values[n++] = Float8GetDatum(batch->match.team[p->team].win);
	for (i = 0; i < model->nstate; i++)
	{
		values[n++] = Float8GetDatum(p->before[i]);
		values[n++] = Float8GetDatum(p->after[i]);
	}
	outbox_put(events, values, nulls);
}

static void
put_match(Outbox *matches, SourceMatch *source, MatchStatus status, int64 seq)
{
	Datum		values[5] = {0};
	bool		nulls[5] = {false};
	bool		rated = (status == MATCH_OK);

	values[0] = source->id;
	values[1] = CStringGetTextDatum(rated ? "rated" : "unrated");
	nulls[2] = nulls[4] = true;
	values[3] = Int64GetDatum(source->digest);
	if (rated)
	{
		values[4] = Int64GetDatum(seq);
		nulls[4] = false;
	}
	else
	{
		values[2] = CStringGetTextDatum(source->unrated_reason ?
										source->unrated_reason :
										match_status_message(status));
		nulls[2] = false;
	}
	outbox_put(matches, values, nulls);
}

static void
put_rating(Outbox *ratings, const Model *model, BatchPlayer *player)
{
	Datum		values[7 + MODEL_MAX_STATE];
	bool		nulls[7 + MODEL_MAX_STATE] = {false};
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
	values[n++] = TimestampTzGetDatum(player->last_played);
	outbox_put(ratings, values, nulls);
}

/* The matches that the source no longer has. */
static void
check_vanished(Ladder *ladder, IdTable *known, Datum *ids, int n)
{
	Datum	   *vanished = palloc_array(Datum, n);
	int			nvanished = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		KnownMatch *match = id_table_find(known, ids[i], "");

		if (match->seen || !match->recorded)
			continue;
		if (match->rated)
			refuse_change(ladder, ids[i], "removed");
		vanished[nvanished++] = ids[i];
	}
	if (nvanished > 0)
	{
		Datum		values[1];

		values[0] = id_array(ladder->match_type, vanished, nvanished);
		ladder_execute(ladder, QUERY_FORGET_UNRATED, values, NULL, NULL);
	}
}

void
apply_matches(Ladder *ladder, Datum *ids, int n)
{
	IdTable    *known;
	KnownMatch *known_match;
	Batch	   *batch;
	MatchReader *reader;
	BatchPlayer **players;
	Outbox	   *events;
	Outbox	   *matches;
	Outbox	   *ratings;
	MatchContext context;
	ErrorContextCallback callback;
	MemoryContext row_context;
	Datum		values[1];
	int			i;

	if (n == 0)
		return;
	if (n >= MANY_MATCHES)
		ladder_expect_many(ladder);

	known = id_table_create(ladder->match_type);
	known_match = palloc0_array(KnownMatch, n);
	for (i = 0; i < n; i++)
	{
		bool		found;

		*id_table_enter(known, ids[i], "", &found) = &known_match[i];
	}

	values[0] = id_array(ladder->match_type, ids, n);
	batch = batch_create(ladder);
	reader = reader_open(ladder, QUERY_READ, values, NULL);

	context.ladder = ladder;
	context.reader = reader;
	callback.callback = match_error_context;
	callback.arg = &context;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	/* First pass: whose states will be needed. */
	while (reader_next(reader))
	{
		SourceMatch *source = &reader->match;
		KnownMatch *match = id_table_find(known, source->id, "");

		if (match == NULL)
			elog(ERROR, "source returned a match that was not asked for");
		if (match->seen)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("played_at of match %s differs among its participants",
							id_text(ladder->match_type, source->id))));
		match->seen = true;
		if (build_match(batch, source) == MATCH_OK)
			batch_want(batch);
	}
	reader->match.n = 0;

	batch_load(batch, true);
	load_known(ladder, known, values);
	check_vanished(ladder, known, ids, n);

	events = outbox_create(ladder, BATCH_EVENT, ladder_event_desc(ladder));
	matches = outbox_create(ladder, BATCH_MATCH, ladder_match_desc(ladder));
	ratings = outbox_create(ladder, BATCH_RATING, ladder_rating_desc(ladder));

	/* Second pass: rate what is not rated. */
	row_context = AllocSetContextCreate(CurrentMemoryContext,
										"skillrating rows",
										ALLOCSET_SMALL_SIZES);
	reader_rewind(reader);
	while (reader_next(reader))
	{
		SourceMatch *source = &reader->match;
		KnownMatch *match = id_table_find(known, source->id, "");
		MemoryContext old;
		MatchStatus status;
		int64		seq = 0;

		if (match->recorded && match->digest == source->digest)
			continue;
		if (match->rated)
			refuse_change(ladder, source->id, "changed");

		old = MemoryContextSwitchTo(row_context);
		status = build_match(batch, source);
		if (status == MATCH_OK)
		{
			MatchStatus rated = batch_rate(batch, source);

			if (rated != MATCH_OK)
				batch_report(batch, source, rated, -1);

			/* Drawn under the locks, so that order in a player's history is. */
			seq = nextval_internal(ladder->relation[LADDER_EVENT_SEQ], true);
			for (i = 0; i < batch->match.nplayers; i++)
				put_event(events, batch, source, seq, i);
			batch_commit(batch, source);
		}
		put_match(matches, source, status, seq);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
	reader->match.n = 0;
	error_context_stack = callback.previous;

	players = (BatchPlayer **) id_table_values(batch->players);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (players[i]->played)
		{
			MemoryContext old = MemoryContextSwitchTo(row_context);

			put_rating(ratings, ladder->model, players[i]);
			MemoryContextSwitchTo(old);
			MemoryContextReset(row_context);
		}

	reader_close(reader);
	outbox_send(events, QUERY_INSERT_EVENTS);
	outbox_send(matches, QUERY_INSERT_RATED);
	outbox_send(ratings, QUERY_UPDATE_RATINGS);
	MemoryContextDelete(row_context);
}

void
apply_pending(Ladder *ladder)
{
	uint64		nrows = ladder_execute(ladder, QUERY_DRAIN, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	IdTable    *ids = id_table_create(ladder->match_type);
	uint64		i;

	for (i = 0; i < nrows; i++)
	{
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull);

		(void) id_table_enter(ids, id, "", &found);
	}
	SPI_freetuptable(rows);
	apply_matches(ladder, id_table_ids(ids), id_table_count(ids));
}

void
collect_matches(Ladder *ladder, Datum *ids, int n)
{
	Datum		values[1];

	if (n == 0)
		return;
	values[0] = id_array(ladder->match_type, ids, n);
	ladder_execute(ladder, QUERY_COLLECT, values, NULL, NULL);
}
