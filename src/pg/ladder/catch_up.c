/*
 * catch_up.c
 *		Replaying the history of a ladder from where it is out of date.
 *
 * Reading goes on meanwhile.  Where it can, the work is done beside rating (beside.h);
 * otherwise the ladder is held, which makes rating wait.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/timestamp.h"

#include "pg/ladder/attempts.h"
#include "pg/ladder/beside.h"
#include "pg/ladder/change_log.h"
#include "pg/ladder/corrections.h"
#include "pg/ladder/door.h"
#include "pg/ladder/feed.h"
#include "pg/ladder/filters.h"
#include "pg/ladder/order_end.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/rating_counts.h"
#include "pg/ladder/replay.h"
#include "pg/ladder/rewrite.h"
#include "pg/ladder/standings.h"
#include "pg/ladder/waiting.h"
#include "pg/sql/huge.h"
#include "pg/sql/progress.h"
#include "pg/sql/subtransaction.h"

SKILLRATING_FUNCTION(skillrating_catch_up);

/*
 * ---- catch_up ----
 */

/*
 * Replay history from a place on, and write and log what comes out otherwise; but
 * nothing if a rated match is missing from the source there.  Returns the last place of
 * one, and in *missing which it is; 0 if all was replayed.
 */
static int64
replay_and_write(Ladder *ladder, int64 from, ReplayPlayers load,
				 IdTable *removed, char **missing)
{
	Rewrite		rewrite;
	Replay	   *replay;

	ladder_take_states(ladder);
	rewrite_begin(&rewrite, ladder);
	rewrite_begin_part(&rewrite, removed);
	replay = replay_run(ladder, from, load, false, &rewrite.sink);
	if (replay->horizon.stale)
	{
		rewrite_discard_part(&rewrite);
		rewrite_begin_part(&rewrite, removed);
		replay = replay_run(ladder, from, load, true, &rewrite.sink);
	}
	*missing = rewrite.missing;
	if (rewrite.missing != NULL)
		rewrite_discard_part(&rewrite);
	else
	{
		rewrite_send_events(&rewrite);
		renew_standings(ladder, from);
		rewrite_send_matches(&rewrite);
		rewrite_states(replay, "correction", NULL);
	}
	rewrite_end(&rewrite);
	ladder_release_states(ladder);
	return rewrite.missing_seq;
}

/* The first place behind another from which history is out of date, or null. */
static LadderQuery first_correction_query = {
	.text = "SELECT pg_catalog.min(seq) FROM {correction} WHERE seq OPERATOR(pg_catalog.>) $1",
	.param = {VALUE_INT8}
};

/* False if there is none. */
static bool
first_correction(Ladder *ladder, int64 behind, int64 *seq)
{
	Datum		values[1];
	bool		isnull;

	values[0] = Int64GetDatum(behind);
	(void) ladder_execute(ladder, &first_correction_query, values, NULL, NULL);
	*seq = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
									   SPI_tuptable->tupdesc, ONLY_COLUMN,
									   &isnull));
	SPI_freetuptable(SPI_tuptable);
	return !isnull;
}

static void
report_missing(int level, Ladder *ladder, const char *match)
{
	ereport(level,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("match %s of ladder \"%s\" is rated and no longer in the source",
					match, ladder->name),
			 errdetail("Corrections of what was before it wait, because history cannot be replayed without it; no trigger has reported its removal."),
			 errhint("Restore its rows, or remove all such matches from the ratings with catch_up(search => true).")));
}

/* Corrections are done with behind a place, and late matches, unless one is missing. */
static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} WHERE seq OPERATOR(pg_catalog.>) $1 "
	"OR (seq IS NULL AND $2)",
	.param = {VALUE_INT8, VALUE_BOOL}
};

/*
 * Replay what is out of date behind a place, or everything.  What lies before a rated match
 * that is missing stays as it is, and its corrections wait.
 */
static void
correct_history(Ladder *ladder, bool rebuild, int64 behind, IdTable *removed)
{
	int64		missing_seq = behind;
	int64		from = REPLAY_START;
	ReplayPlayers load = corrections_are_carried(ladder) ?
		REPLAY_ALL_PLAYERS : REPLAY_KNOWN_PLAYERS;
	char	   *missing;
	Datum		values[2];

	while (rebuild || first_correction(ladder, missing_seq, &from))
	{
		int64		seq = replay_and_write(ladder, from, load, removed, &missing);

		if (seq == 0)
			break;
		report_missing(rebuild ? ERROR : WARNING, ladder, missing);
		missing_seq = seq;
	}
	values[0] = Int64GetDatum(missing_seq);
	values[1] = BoolGetDatum(missing_seq == behind);
	(void) ladder_execute(ladder, &delete_corrections_query, values, NULL, NULL);
}

/* Matches that have no place in the order, of the source or unrated. */
static LadderQuery unplaced_query = {
	.text = "SELECT s.match_id FROM {source} AS s WHERE NOT EXISTS (SELECT FROM {rated_match} AS m "
	"WHERE m.match_id {match =} s.match_id AND m.seq IS NOT NULL) "
	"UNION SELECT m.match_id FROM {rated_match} AS m WHERE m.seq IS NULL"
};

/*
 * Put into pending what has changed in the ladder that this one, of that name, was
 * made of: triggers report to the other one only.
 */
static LadderQuery note_changed_query = {
	.text = "SELECT skillrating_internal.note_changed_matches($1)",
	.param = {VALUE_TEXT}
};

/* Matches that have a place behind the horizon, and that the source no longer has. */
static LadderQuery vanished_query = {
	.text = "SELECT m.match_id, m.seq, m.played_at FROM {rated_match} AS m WHERE m.seq IS NOT NULL "
	"AND NOT EXISTS (SELECT FROM {source} AS s WHERE s.match_id {match =} m.match_id) "
	"AND NOT EXISTS (SELECT FROM {ladder} AS w WHERE m.seq OPERATOR(pg_catalog.<=) w.horizon) "
	"AND NOT EXISTS (SELECT FROM {correction} AS c WHERE c.match_id {match =} m.match_id "
	"AND c.kind OPERATOR(pg_catalog.=) 'removed')"
};

enum
{
	VANISHED_MATCH_ID = 1,
	VANISHED_SEQ,
	VANISHED_PLAYED_AT
};

static void
report_vanished(const Ladder *ladder, int n)
{
	if (n > 0)
		ereport(WARNING,
				(errmsg_plural("%d match that ladder \"%s\" has rated is no longer in the source and does not count any more",
							   "%d matches that ladder \"%s\" has rated are no longer in the source and do not count any more",
							   n, n, ladder->name)));
}

/*
 * Look in the source for what no trigger has reported: matches that came, and, which
 * may be more than the user knows of, those that went.
 */
static void
search_source(Ladder *ladder)
{
	progress_phase(PHASE_SEARCHING, PROGRESS_UNKNOWN);
	(void) apply_query(ladder, &unplaced_query);
	report_vanished(ladder, apply_query(ladder, &vanished_query));
}

static void
note_changed(Ladder *ladder)
{
	Datum		values[1];

	values[0] = CStringGetTextDatum(ladder->name);
	(void) ladder_execute(ladder, &note_changed_query, values, NULL, NULL);
}

/* Have new matches wait in memory for the ladder to be held, which is when they are rated. */
static void
find_new_matches(Ladder *ladder)
{
	const IdType *type = ladder->match_type;
	int			nrows = (int) ladder_execute(ladder, &unplaced_query, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	Datum	   *ids = huge_array(Datum, Max(nrows, 1));
	Datum	   *found = huge_array(Datum, Max(nrows, 1));
	int			n = 0;
	int			i;

	for (i = 0; i < nrows; i++)
	{
		bool		isnull;
		Datum		id = SPI_getbinval(rows->vals[i], rows->tupdesc, ONLY_COLUMN, &isnull);

		if (!isnull)
			ids[n++] = datumCopy(id, type->typbyval, type->typlen);
	}
	SPI_freetuptable(rows);
	keep_waiting(ladder, found, find_differing(ladder, ids, n, found));
	pfree(found);
	pfree(ids);
}

/* Note corrections of matches that have gone. */
static void
find_vanished_matches(Ladder *ladder)
{
	int			n = (int) ladder_execute(ladder, &vanished_query, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	Corrections corrections = corrections_make();
	int			i;

	for (i = 0; i < n; i++)
	{
		HeapTuple	row = rows->vals[i];
		bool		isnull;
		Datum		id = SPI_getbinval(row, rows->tupdesc, VANISHED_MATCH_ID, &isnull);
		int64		seq = DatumGetInt64(SPI_getbinval(row, rows->tupdesc, VANISHED_SEQ, &isnull));
		Datum		at = SPI_getbinval(row, rows->tupdesc, VANISHED_PLAYED_AT, &isnull);

		corrections_add_match(&corrections, id, DIGEST_OF_NOTHING, seq, "removed",
							  isnull ? DT_NOBEGIN : DatumGetTimestampTz(at));
	}
	corrections_send(ladder, &corrections);
	SPI_freetuptable(rows);
	report_vanished(ladder, n);
}

/* Put everything in the order of time, of the ladder of that name. */
static LadderQuery resequence_query = {
	.text = "SELECT skillrating_internal.resequence($1, $2)",
	.param = {VALUE_TEXT, VALUE_BOOL}
};

/* A row if matches wait that are to get the place that their time gives them. */
static LadderQuery late_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('late') LIMIT 1"
};

/* What a call of catch_up() is to do. */
typedef struct CatchUp
{
	Ladder	   *ladder;
	bool		search;
	bool		noted;			/* what has changed in the origin is noted */
	bool		searched;		/* and the source was searched */
	bool		rebuild;
	int64		left;			/* where what is left by work beside rating
								 * begins */
	OrderEnd	before;			/* where the order had got to when the ladder
								 * was held, */
	OrderEnd	after;			/* and in a dry run at the end */
} CatchUp;

/* Rate what waits, and what a search finds. */
static void
rate_new_matches(const CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->ladder;

	if (catch_up->search && !catch_up->noted)
		note_changed(ladder);
	progress_phase(PHASE_RATING, PROGRESS_UNKNOWN);
	apply_pending(ladder, true);
	if (catch_up->search && !catch_up->searched)
		search_source(ladder);
}

/*
 * Put matches in the order of time, where that is to be, and replay what is out of date, from a
 * place on.
 */
static void
put_right(Ladder *ladder, bool rebuild, int64 from)
{
	IdTable    *removed = read_removed(ladder);

	/* Where late matches are appended, only a backfill has some wait. */
	if (ladder->reorders ||
		ladder_execute(ladder, &late_query, NULL, NULL, NULL) > 0)
	{
		Datum		values[2];

		progress_phase(PHASE_ORDERING, PROGRESS_UNKNOWN);
		values[0] = CStringGetTextDatum(ladder->name);
		values[1] = BoolGetDatum(rebuild && ladder->reorders);
		(void) ladder_execute(ladder, &resequence_query, values, NULL, NULL);
	}
	correct_history(ladder, rebuild, Max(from, 1) - 1, removed);
}

/*
 * Search while others rate: what is found is only noted.  A match that somebody brings, or
 * brings back, meanwhile is looked at again when it is rated, or replayed.  Matches in pending
 * come first, because what is known of them is no news.
 */
static void
search_beside(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->ladder;

	note_changed(ladder);
	catch_up->noted = true;
	if (!can_catch_up_beside(ladder, catch_up->rebuild))
		return;
	progress_phase(PHASE_SEARCHING, PROGRESS_UNKNOWN);
	find_new_matches(ladder);
	find_vanished_matches(ladder);
	catch_up->searched = true;
}

/*
 * Do beside rating what can be done so, and hold the ladder.  If nothing waits, that may have
 * changed by the time when the ladder is held.
 */
static BesideResult
work_beside_and_hold(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->ladder;
	BesideResult result;

	if (catch_up->search)
		search_beside(catch_up);
	for (;;)
	{
		result = catch_up_beside(ladder, catch_up->rebuild, report_missing, &catch_up->before,
								 &catch_up->left);
		if (result == BESIDE_DONE || result == BESIDE_MISPLACED)
			return result;
		ladder_hold(ladder);
		if (result == BESIDE_IMPOSSIBLE || !corrections_wait(ladder))
			return result;
		ladder_let_go(ladder);
	}
}

/*
 * Do it all; what becomes of the ratings is logged in ladder->changes.  The ladder is held in
 * the end, and from the beginning where that cannot be done beside rating.
 */
static void
do_catch_up(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->ladder;
	BesideResult result = BESIDE_IMPOSSIBLE;

	if (ladder_works_beside(ladder))
		result = work_beside_and_hold(catch_up);
	switch (result)
	{
		case BESIDE_DONE:

			/* New matches that a search has found may be late. */
			if (catch_up->search && ladder->reorders)
				put_right(ladder, false, catch_up->before.place);
			break;
		case BESIDE_MISPLACED:
			put_right(ladder, false, catch_up->left);
			break;
		case BESIDE_IDLE:
		case BESIDE_IMPOSSIBLE:
			catch_up->before = read_order_end(ladder);
			rate_new_matches(catch_up);
			put_right(ladder, catch_up->rebuild, REPLAY_START);
			break;
	}
	if (catch_up->rebuild)
		rating_counts_rebuild(ladder);
}

/*
 * ---- Dry runs ----
 */

/* Do it all, and say that it is to be taken back. */
static bool
try_catch_up(void *arg)
{
	CatchUp    *catch_up = (CatchUp *) arg;

	do_catch_up(catch_up);
	change_log_read_places(catch_up->ladder->changes, false);
	catch_up->after = read_order_end(catch_up->ladder);
	return false;
}

/*
 * Do everything in a subtransaction that is rolled back, so that nothing but the log, which
 * is in memory from before, remains of it.
 */
static void
dry_run_catch_up(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->ladder;
	Waiting    *waiting = copy_all_waiting();

	(void) in_subtransaction(try_catch_up, catch_up);
	if (ladder_works_beside(ladder))
		ladder_hold(ladder);
	restore_order_end(ladder, &catch_up->before, &catch_up->after);
	if (ladder_works_beside(ladder))
		ladder_let_go(ladder);

	/*
	 * What triggers have touched meanwhile, of any ladder, was taken back as
	 * well.
	 */
	restore_all_waiting(waiting);
	change_log_read_places(ladder->changes, true);
}

/* catch_up(ladder, search, rebuild, dry_run) */
Datum
skillrating_catch_up(PG_FUNCTION_ARGS)
{
	bool		search = PG_GETARG_BOOL(1);
	bool		rebuild = PG_GETARG_BOOL(2);
	bool		dry_run = PG_GETARG_BOOL(3);
	CatchUp		catch_up = {.search = search,.rebuild = rebuild};
	Ladder	   *ladder;
	const char *unread;

	InitMaterializedSRF(fcinfo, 0);
	ladder = catch_up.ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
														 "catch_up"));
	ladder_require_triggers(ladder);
	unread = unread_source_columns(ladder);
	if (unread != NULL)
		ereport(WARNING,
				(errmsg("ladder \"%s\" does not read new columns of its source: %s",
						ladder->name, unread),
				 errhint("SELECT skillrating.refresh_source(%s) takes them up.",
						 quote_literal_cstr(ladder->name))));
	ladder_maintain(ladder);

	ladder->changes = change_log_create(ladder);
	if (dry_run)
		dry_run_catch_up(&catch_up);
	else
		do_catch_up(&catch_up);
	change_log_return(ladder->changes, fcinfo);
	ladder_close(ladder);
	return (Datum) 0;
}
