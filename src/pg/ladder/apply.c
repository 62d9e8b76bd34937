/*
 * apply.c
 *		Rating the matches of a ladder, in batches.
 *
 * The matches of a batch are locked, so that of two sessions that touched the
 * same one the second sees all that the first has written.  They are read from
 * the source in order, the players are locked, and states are loaded once and
 * written once.
 */
#include "pg/ladder/apply.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/match_reader.h"
#include "pg/ladder/outbox.h"
#include "pg/ladder/states.h"

/* From this many matches on, statistics beat the habit of using the keys. */
#define MANY_MATCHES 1000

/* Up to so many are locked one by one: the server has locks for that. */
#define LOCKED_MATCHES 64

/* What is known of a match of the batch. */
typedef struct KnownMatch
{
	bool		seen;			/* the source has it */
	bool		recorded;		/* it has a row in rated_match, */
	bool		placed;			/* with a place in the order */
	int64		seq;
	int64		digest;
	TimestampTz played_at;
	char	   *void_reason;	/* or NULL */
} KnownMatch;

/* What has to be done again, from where. */
typedef struct Corrections
{
	Datum	   *seq;
	Datum	   *id;
	Datum	   *kind;
	Datum	   *played_at;
	int			n;
} Corrections;

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

/* What the fourth field of the tags of our advisory locks says. */
enum
{
	TAG_MATCH = 3,				/* SQL functions use 1 and 2 */
	TAG_ALL_MATCHES
};

static int
compare_keys(const void *a, const void *b)
{
	uint32		i = *(const uint32 *) a;
	uint32		j = *(const uint32 *) b;

	return (i > j) - (i < j);
}

/*
 * Lock matches to the end of the transaction, whether they are there or not, in
 * one order.  Of very many at once there are not enough locks, so they are
 * locked as a whole.
 */
static void
lock_matches(Ladder *ladder, Datum *ids, int n)
{
	Oid			relid = ladder->relation[LADDER_RATED_MATCH];
	bool		many = (n > LOCKED_MATCHES);
	uint32	   *key;
	LOCKTAG		tag;
	int			i;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, relid, 0, TAG_ALL_MATCHES);
	(void) LockAcquire(&tag, many ? ExclusiveLock : ShareLock, false, false);
	if (many)
		return;
	key = palloc_array(uint32, n);
	for (i = 0; i < n; i++)
		key[i] = (uint32) id_hash(ladder->match_type, ids[i]);
	qsort(key, n, sizeof(uint32), compare_keys);
	for (i = 0; i < n; i++)
		if (i == 0 || key[i] != key[i - 1])
		{
			SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, relid, key[i], TAG_MATCH);
			(void) LockAcquire(&tag, ExclusiveLock, false, false);
		}
	pfree(key);
}

/*
 * History is out of date from the place of a match on, or from when it was
 * played in a ladder that goes by that.
 */
static void
add_correction(Corrections *corrections, Datum id, int64 seq, const char *kind,
			   TimestampTz played_at)
{
	corrections->seq[corrections->n] = Int64GetDatum(seq);
	corrections->id[corrections->n] = id;
	corrections->kind[corrections->n] = CStringGetTextDatum(kind);
	corrections->played_at[corrections->n] = TimestampTzGetDatum(played_at);
	corrections->n++;
}

static void
send_corrections(Ladder *ladder, const Corrections *corrections)
{
	Datum		values[4];
	int			n = corrections->n;

	if (n == 0)
		return;
	values[0] = PointerGetDatum(construct_array(corrections->seq, n, INT8OID,
												sizeof(int64), FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));
	values[1] = id_array(ladder->match_type, corrections->id, n);
	values[2] = PointerGetDatum(construct_array(corrections->kind, n, TEXTOID,
												-1, false, TYPALIGN_INT));
	values[3] = PointerGetDatum(construct_array(corrections->played_at, n,
												TIMESTAMPTZOID,
												sizeof(TimestampTz),
												FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));
	ladder_execute(ladder, QUERY_CORRECT, values, NULL, NULL);
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
		match->digest = DatumGetInt64(SPI_getbinval(tuple, desc, 3, &isnull));
		match->seq = DatumGetInt64(SPI_getbinval(tuple, desc, 4, &isnull));
		match->placed = !isnull;
		match->void_reason = SPI_getvalue(tuple, desc, 5);
		match->played_at = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 6,
															 &isnull));
	}
	SPI_freetuptable(SPI_tuptable);
}

/* The matches that the source no longer has. */
static void
check_vanished(Ladder *ladder, IdTable *known, Datum *ids, int n,
			   Corrections *corrections)
{
	Datum	   *vanished = palloc_array(Datum, n);
	int			nvanished = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		KnownMatch *match = id_table_find(known, ids[i], "");

		if (match->seen || !match->recorded)
			continue;
		if (match->placed)
			add_correction(corrections, ids[i], match->seq, "removed",
						   match->played_at);
		else
			vanished[nvanished++] = ids[i];
	}
	if (nvanished > 0)
	{
		Datum		values[1];

		values[0] = id_array(ladder->match_type, vanished, nvanished);
		ladder_execute(ladder, QUERY_FORGET_UNRATED, values, NULL, NULL);
	}
}

/* When the latest operation of a ladder was, which no later match precedes. */
static TimestampTz
last_operation(Ladder *ladder)
{
	bool		isnull;
	Datum		at;

	(void) ladder_execute(ladder, QUERY_LAST_OPERATION, NULL, NULL, NULL);
	at = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	SPI_freetuptable(SPI_tuptable);
	return isnull ? DT_NOBEGIN : DatumGetTimestampTz(at);
}

/*
 * Whether the match that was built comes too late to be rated in its turn: one of
 * its players has a later one.  Matches of the same time go by match_id, as
 * they come in a batch; those from before are looked up.
 */
static bool
is_late(Ladder *ladder, Batch *batch, const SourceMatch *source,
		TimestampTz operated)
{
	Datum	   *tied = palloc_array(Datum, batch->match.nplayers);
	Datum		values[4];
	int			ntied = 0;
	int			i;

	if (source->played_at < operated)
		return true;
	for (i = 0; i < batch->match.nplayers; i++)
	{
		const BatchPlayer *player = batch->player[i];

		if (player->last_played > source->played_at ||
			(player->shared != NULL &&
			 player->shared->last_played > source->played_at))
			return true;
		if (player->last_played == source->played_at && !player->touched)
			tied[ntied++] = player->id;
	}
	if (ntied == 0)
		return false;
	values[0] = id_array(ladder->player_type, tied, ntied);
	values[1] = CStringGetTextDatum(source->pool);
	values[2] = TimestampTzGetDatum(source->played_at);
	values[3] = source->id;
	return ladder_execute(ladder, QUERY_TIED, values, NULL, NULL) > 0;
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
	Corrections corrections;
	MatchContext context;
	ErrorContextCallback callback;
	MemoryContext row_context;
	const char *reason;
	TimestampTz operated = DT_NOBEGIN;
	Datum		values[1];
	int			i;

	if (n == 0)
		return;
	if (n >= MANY_MATCHES)
		ladder_expect_many(ladder);

	lock_matches(ladder, ids, n);
	known = id_table_create(ladder->match_type);
	known_match = palloc0_array(KnownMatch, n);
	for (i = 0; i < n; i++)
	{
		bool		found;

		*id_table_enter(known, ids[i], "", &found) = &known_match[i];
	}

	values[0] = id_array(ladder->match_type, ids, n);
	batch = ladder_batch(ladder);
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
		if (batch_judge(batch, source, true, &reason) == VERDICT_RATE)
			batch_request_states(batch);
	}
	reader->match.n = 0;

	corrections.seq = palloc_array(Datum, n);
	corrections.id = palloc_array(Datum, n);
	corrections.kind = palloc_array(Datum, n);
	corrections.played_at = palloc_array(Datum, n);
	corrections.n = 0;
	batch_load(batch, ladder, true);
	load_known(ladder, known, values);
	check_vanished(ladder, known, ids, n, &corrections);
	if (ladder->reorders)
		operated = last_operation(ladder);

	events = new_event_outbox(ladder);
	matches = match_outbox(ladder);
	ratings = rating_outbox(ladder);

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
		Verdict		verdict;
		int64		seq = 0;

		if (match->recorded && match->digest == source->digest)
			continue;
		if (match->placed)
		{
			add_correction(&corrections,
						   datumCopy(source->id, ladder->match_type->typbyval,
									 ladder->match_type->typlen),
						   match->seq, "changed",
						   Min(match->played_at, source->played_at));
			continue;
		}

		old = MemoryContextSwitchTo(row_context);
		source->void_reason = match->void_reason;
		verdict = batch_judge(batch, source, true, &reason);

		if (verdict == VERDICT_RATE && ladder->reorders &&
			is_late(ladder, batch, source, operated))
		{
			put_match(matches, source, "unrated", "late, waits for catch_up()",
					  false, 0);
			MemoryContextSwitchTo(old);
			add_correction(&corrections,
						   datumCopy(source->id, ladder->match_type->typbyval,
									 ladder->match_type->typlen),
						   0, "late", source->played_at);
			continue;
		}

		/* Drawn under the locks, so that order in a player's history is. */
		if (verdict != VERDICT_UNRATED)
			seq = nextval_internal(ladder->relation[LADDER_EVENT_SEQ], true);
		if (verdict == VERDICT_RATE)
		{
			MatchStatus rated = batch_rate(batch, source);

			if (rated != MATCH_OK)
				batch_report(batch, source, rated, -1);
			batch_commit(batch, source, seq);
			for (i = 0; i < batch->step.n; i++)
				put_event(events, &batch->step, &batch->step.row[i]);
		}
		put_match(matches, source, verdict_status(source, verdict), reason,
				  verdict != VERDICT_UNRATED, seq);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
	reader->match.n = 0;
	error_context_stack = callback.previous;

	players = (BatchPlayer **) id_table_values(batch->players);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (players[i]->touched)
			put_rating(ratings, players[i]);

	reader_close(reader);
	outbox_send(events, QUERY_INSERT_EVENTS);
	outbox_send(matches, QUERY_INSERT_RATED);
	outbox_send(ratings, QUERY_UPDATE_RATINGS);
	send_corrections(ladder, &corrections);
	MemoryContextDelete(row_context);
}

void
apply_pending(Ladder *ladder, bool of_all)
{
	uint64		nrows = ladder_execute(ladder, of_all ? QUERY_DRAIN_ALL :
									   QUERY_DRAIN, NULL, NULL, NULL);
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
	Datum		values[2];

	if (n == 0)
		return;
	values[0] = id_array(ladder->match_type, ids, n);
	values[1] = BoolGetDatum(ladder->apply_at == APPLY_AT_COMMIT);
	ladder_execute(ladder, QUERY_COLLECT, values, NULL, NULL);
}
