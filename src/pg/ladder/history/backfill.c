/*
 * backfill.c
 *		Rating existing matches that nobody has looked at, a batch at a time.
 *
 * The procedure backfill() finds these matches in the order of time, and rates batches of them,
 * each in a transaction of its own.  Nothing says how far it has got but the ladder itself: a match
 * that was looked at has a row in rated_match.  So it can end at any point and be called again, and
 * of two that are at work at once each leaves alone what the other one has done.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "nodes/parsenodes.h"
#include "tcop/pquery.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/sql/progress.h"

/* The arguments of backfill() that go in. */
enum
{
	BACKFILL_LADDER,
	BACKFILL_BATCH_SIZE,
	BACKFILL_LATE,
	BACKFILL_CATCH_UP
};

static const char *const arguments[] = {"ladder", "batch_size", "late", "catch_up"};
static const char *const orders[] = {"reorder", "append", NULL};

#define MS_BETWEEN_NOTICES 10000

/* What outlives the transactions of a backfill, in the memory of its procedure. */
typedef struct Backfill
{
	char	   *name;			/* of the ladder */
	Ladder	   *entered;
	bool		appends;		/* late => 'append' */
	TimestampTz started_at;
	TimestampTz told_at;
	Tuplestorestate *waiting;	/* the matches, as texts: another ladder may
								 * have the name meanwhile */
	TupleTableSlot *slot;
	int64		total;			/* of them, or PROGRESS_UNKNOWN */
	int64		done;
	int64		looked_at;
	int64		late;
	int64		unrated;
	bool		reports;		/* progress */
	char	   *hint;			/* for an error of the owner's rights, while
								 * the ladder is entered */
} Backfill;

static const LadderEntry search_entry = {
	"backfill", AccessShareLock, RIGHTS_OF_OWNER,.nladders = 1
};
static const LadderEntry batch_entry = {
	"backfill", RowShareLock, RIGHTS_OF_OWNER,.nladders = 1
};

/*
 * What nobody has looked at, and what waits.  Matches are fewer than their rows, so that each is
 * looked up once.
 */
static LadderQuery waiting_query = {
	.text = "SELECT pg_catalog.format('%s', u.match_id) FROM ("
	"SELECT g.match_id, g.at FROM ("
	"SELECT s.match_id, pg_catalog.min(CAST(s.played_at AS pg_catalog.timestamptz)) AS at "
	"FROM {source} AS s WHERE s.match_id IS NOT NULL GROUP BY s.match_id) AS g "
	"WHERE NOT EXISTS (SELECT FROM {rated_match} AS m WHERE m.match_id {match =} g.match_id) "
	"UNION ALL SELECT p.match_id, CAST(s.played_at AS pg_catalog.timestamptz) "
	"FROM {pending} AS p LEFT JOIN {source} AS s ON s.match_id {match =} p.match_id) AS u "
	"GROUP BY u.match_id ORDER BY pg_catalog.min(u.at), u.match_id{match order}"
};

/*
 * These matches need not wait any more; rows of those that have failed go when they are tried
 * again.  They are read after that, so that whatever somebody noted down in pending before is seen.
 * Pending has no index on matches that have not failed: a join hashes them, which = ANY of a
 * parameter does not.
 */
static LadderQuery drain_batch_query = {
	.text = "DELETE FROM {pending} AS p USING pg_catalog.unnest($1) AS i(id) "
	"WHERE p.match_id {match =} i.id AND p.sqlstate IS NULL",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* Enter the ladder for a part of the work, in a transaction that has just begun. */
static Ladder *
begin_part(Backfill *work, const LadderEntry *entry, WorkPhase phase)
{
	Oid			schema = ladder_lock(work->name, entry, false);
	Ladder	   *ladder;

	EnsurePortalSnapshotExists();
	work->hint = owner_lacks_hint(ladder_owner(schema));
	work->entered = ladder_begin(schema, entry);
	work->reports = progress_begin(WORK_BACKFILL, schema, work->entered->owner);
	progress_since(work->started_at);
	progress_phase(phase, work->total);
	ladder = ladder_open(work->entered);
	ladder_require_triggers(ladder);
	if (work->appends && ladder->reorders)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ladder \"%s\" cannot append late matches", ladder->name),
				 errhint("It was made with late => 'reorder', which puts them into the order of time.")));
	ladder->reorders = !work->appends;
	ladder_maintain(ladder);
	return ladder;
}

static void
end_part(Backfill *work, Ladder *ladder)
{
	ladder_close(ladder);
	progress_end(work->reports);
	ladder_end(work->entered);
	pfree(work->hint);
	work->hint = NULL;
	SPI_commit();
}

/* The matches to look at, which are kept for the transactions to come. */
static void
find_waiting(Backfill *work)
{
	DestReceiver *dest = CreateDestReceiver(DestTuplestore);
	TupleDesc	desc = CreateTemplateTupleDesc(1);
	Ladder	   *ladder;

	TupleDescInitEntry(desc, 1, "match_id", TEXTOID, -1, 0);
	work->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	work->waiting = tuplestore_begin_heap(false, true, work_mem);
	SetTuplestoreDestReceiverParams(dest, work->waiting, CurrentMemoryContext, false, NULL, NULL);
	ladder = begin_part(work, &search_entry, PHASE_SEARCHING);
	work->total = (int64) ladder_execute(ladder, &waiting_query, NULL, NULL, dest);
	end_part(work, ladder);
}

/* Rate the next of them. */
static void
rate_batch(Backfill *work, int batch_size)
{
	Ladder	   *ladder = begin_part(work, &batch_entry, PHASE_RATING);
	IdType	   *type = ladder->match_type;
	IdTable    *ids = id_table_create(type);
	Applied		applied;

	progress_done(work->done);
	while (id_table_count(ids) < batch_size &&
		   tuplestore_gettupleslot(work->waiting, true, false, work->slot))
	{
		bool		isnull;
		Datum		match_id = slot_getattr(work->slot, 1, &isnull);

		CHECK_FOR_INTERRUPTS();
		id_table_add(ids, id_from_text(type, TextDatumGetCString(match_id), "match_id"));
		work->done++;
	}
	(void) ladder_execute(ladder, &drain_batch_query,
						  DATUMS(id_array(type, id_table_ids(ids), id_table_count(ids))), NULL, NULL);
	applied = apply_matches(ladder, id_table_ids(ids), id_table_count(ids), true, MATCHES_BACKFILLED);
	work->looked_at += applied.looked_at;
	work->late += applied.late;
	work->unrated += applied.unrated;
	end_part(work, ladder);
}

static void
tell_progress(Backfill *work)
{
	TimestampTz now = GetCurrentTimestamp();

	if (work->done == work->total ||
		!TimestampDifferenceExceeds(work->told_at, now, MS_BETWEEN_NOTICES))
		return;
	work->told_at = now;
	ereport(NOTICE,
			(errmsg("rated %lld of %lld matches of ladder \"%s\"",
					(long long) work->done, (long long) work->total, work->name)));
}

/* Run a statement as the caller, with the name of the ladder and two counts. */
static void
run_as_caller(const Backfill *work, const char *statement)
{
	Oid			type[] = {TEXTOID, INT8OID, INT8OID};
	Datum		value[] = {CStringGetTextDatum(work->name), Int64GetDatum(work->unrated),
	Int64GetDatum(work->looked_at)};

	if (SPI_execute_with_args(statement, lengthof(type), type, value, NULL, false, 0) < 0)
		elog(ERROR, "SPI_execute_with_args failed");
}

/*
 * All of the work.  Rights and the like are checked before the transaction of the caller is
 * committed, whose snapshot may be older than the locks that are to come.
 */
static void
run_backfill(Backfill *work, int batch_size, bool catch_up)
{
	work->total = PROGRESS_UNKNOWN;
	end_part(work, begin_part(work, &search_entry, PHASE_SEARCHING));
	find_waiting(work);
	while (work->done < work->total)
	{
		rate_batch(work, batch_size);
		tell_progress(work);
	}
	EnsurePortalSnapshotExists();
	if (catch_up)
		run_as_caller(work, "SELECT pg_catalog.count(*) FROM skillrating.catch_up($1)");
	if (work->unrated > 0)
		run_as_caller(work, "SELECT skillrating_internal.tell_unrated(s.unrated, s.examples, "
					  "pg_catalog.format('%s of %s matches do not count', $2, $3), "
					  "$2 OPERATOR(pg_catalog.>) ($3 OPERATOR(pg_catalog./) 2)) "
					  "FROM skillrating.ladder_status($1) AS s");
}

/* The procedure backfill(ladder, batch_size, late, catch_up): counts of matches, late and unrated ones. */
SQL_FUNCTION(skillrating_backfill)
{
	Backfill   *work;
	ResultRow	row = {0};
	MemoryContext context;
	bool		appends;
	int			i;

	for (i = 0; i < (int) lengthof(arguments); i++)
		if (PG_ARGISNULL(i))
			report_null(arguments[i]);
	if (PG_GETARG_INT32(BACKFILL_BATCH_SIZE) < 1)
		report_number("batch_size", "be at least 1", PG_GETARG_INT32(BACKFILL_BATCH_SIZE));
	appends = word_index("late", PG_GETARG_DATUM(BACKFILL_LATE), orders) == 1;
	if (castNode(CallContext, fcinfo->context)->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("backfill() cannot run inside a transaction block"),
				 errhint("Each of its batches is a transaction. Call it outside of a block: "
						 "in a driver that begins one by itself, with autocommit on.")));

	SPI_connect_ext(SPI_OPT_NONATOMIC);
	context = CurrentMemoryContext;
	work = palloc0_object(Backfill);
	work->name = text_to_cstring(PG_GETARG_TEXT_PP(BACKFILL_LADDER));
	work->appends = appends;
	work->started_at = work->told_at = GetCurrentTimestamp();

	/* A file of the list belongs to no transaction, so that nobody else closes it. */
	PG_TRY();
	{
		run_backfill(work, PG_GETARG_INT32(BACKFILL_BATCH_SIZE), PG_GETARG_BOOL(BACKFILL_CATCH_UP));
	}
	PG_CATCH();
	{
		if (work->waiting != NULL)
			tuplestore_end(work->waiting);
		MemoryContextSwitchTo(context);
		rethrow_with_hint(work->hint);
	}
	PG_END_TRY();
	tuplestore_end(work->waiting);
	put_int64(&row, work->looked_at);
	put_int64(&row, work->late);
	put_int64(&row, work->unrated);
	SPI_finish();
	return return_result_row(fcinfo, &row);
}

static const LadderEntry rate_failed_entry = {
	"rate_failed", RowShareLock, RIGHTS_OF_OWNER,.nladders = 1,.reenters = true
};

/* rate_failed(ladder), at the end of work that may have removed the cause of errors. */
SQL_FUNCTION(skillrating_rate_failed)
{
	Ladder	   *inside = ladder_inside(fcinfo);
	Ladder	   *entered = ladder_begin(inside->schema, &rate_failed_entry);
	Ladder	   *ladder = ladder_open(entered);

	apply_failed(ladder);
	ladder_close(ladder);
	ladder_end(entered);
	PG_RETURN_VOID();
}
