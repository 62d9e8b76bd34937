/*
 * backfill.c
 *		Rating existing matches that nobody has looked at, a batch at a time.
 *
 * The procedure backfill() finds these matches in the order of time, cuts them into
 * batches, and has each of them rated here in a transaction of its own.  Nothing says
 * how far it has got but the ladder itself: a match that was looked at has a row in
 * rated_match.  So it can end at any point and be called again, and of two that are at work
 * at once each leaves alone what the other one has done.
 */
#include "pg/sql/glue.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/arrive/entries.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/sql/progress.h"

/* The arguments of backfill_batch(). */
enum
{
	BATCH_LADDER,
	BATCH_MATCHES,
	BATCH_LATE,
	BATCH_DONE,
	BATCH_TOTAL,
	BATCH_STARTED_AT
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

/* A table of the matches that an array of texts names. */
static IdTable *
read_batch(Ladder *ladder, ArrayType *texts)
{
	IdType	   *type = ladder->match_type;
	IdTable    *ids = id_table_create(type);
	Datum	   *name;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(texts, TEXTOID, -1, false, TYPALIGN_INT, &name, &null, &n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (null[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("match must not be null")));
		id_table_add(ids, id_from_text(type, TextDatumGetCString(name[i]), "match_id"));
	}
	return ids;
}

/*
 * What becomes of matches that are older than others of their players: they get their
 * place by time, or the next one, which only a ladder allows that appends late ones.
 */
static bool
late_reorders(const Ladder *ladder, const char *late)
{
	if (strcmp(late, "reorder") == 0)
		return true;
	if (strcmp(late, "append") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("late must be \"append\" or \"reorder\", not \"%s\"", late)));
	if (ladder->reorders)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ladder \"%s\" cannot append late matches", ladder->name),
				 errhint("It was made with late => 'reorder', which puts them into the order of time.")));
	return false;
}

/* backfill_batch(ladder, matches, late, done, total, started_at) */
static Datum
backfill_batch(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder;
	IdTable    *ids;
	Applied		applied;
	ResultRow	row = {0};

	ladder = ladder_open_inside(fcinfo);
	ladder_require_triggers(ladder);
	ladder->reorders = late_reorders(ladder,
									 text_to_cstring(PG_GETARG_TEXT_PP(BATCH_LATE)));

	if (!PG_ARGISNULL(BATCH_STARTED_AT))
		progress_since(PG_GETARG_TIMESTAMPTZ(BATCH_STARTED_AT));
	progress_phase(PHASE_RATING, PG_ARGISNULL(BATCH_TOTAL) ? PROGRESS_UNKNOWN :
				   PG_GETARG_INT64(BATCH_TOTAL));
	if (!PG_ARGISNULL(BATCH_DONE))
		progress_done(PG_GETARG_INT64(BATCH_DONE));

	ids = read_batch(ladder, PG_GETARG_ARRAYTYPE_P(BATCH_MATCHES));
	ladder_maintain(ladder);
	(void) ladder_execute(ladder, &drain_batch_query,
						  DATUMS(id_array(ladder->match_type, id_table_ids(ids), id_table_count(ids))),
						  NULL, NULL);
	applied = apply_matches(ladder, id_table_ids(ids), id_table_count(ids), true,
							MATCHES_BACKFILLED);
	ladder_close(ladder);
	put_int64(&row, applied.looked_at);
	put_int64(&row, applied.late);
	put_int64(&row, applied.unrated);
	return return_result_row(fcinfo, &row);
}

/*
 * As a part of backfill(): error 2D000 in a transaction block, where its first COMMIT would fail with
 * the same code and no word on why.  Within a function, or a procedure that such a block has called,
 * it is that COMMIT which fails.
 */
SQL_FUNCTION(skillrating_backfill_batch)
{
	if (!PG_ARGISNULL(BATCH_STARTED_AT) && IsTransactionBlock())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
				 errmsg("backfill() cannot run inside a transaction block"),
				 errhint("Each of its batches is a transaction. Call it outside of a block: "
						 "in a driver that begins one by itself, with autocommit on.")));
	return enter_ladder(fcinfo, backfill_batch);
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
