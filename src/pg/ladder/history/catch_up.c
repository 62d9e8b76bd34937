/*
 * catch_up.c
 *		Replaying the history of a ladder from where it is out of date.
 *
 * The replay is the first part of concurrent work (maintenance.h).  What only the holder of
 * the ladder can do comes at its end: rating what waits, and giving matches the places that
 * their times give them.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/arrive/pending.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/waiting.h"
#include "pg/ladder/history/maintenance.h"
#include "pg/ladder/history/recorded.h"
#include "pg/ladder/history/replay.h"
#include "pg/ladder/history/rewrite.h"
#include "pg/ladder/ranks/hook.h"
#include "pg/ladder/rate/change_log.h"
#include "pg/ladder/rate/corrections.h"
#include "pg/sql/progress.h"
#include "pg/sql/subtransaction.h"

/* A call of catch_up(), or the end of one with the ladder held. */
typedef struct CatchUp
{
	Maintenance work;			/* first: the protocol has this */
	bool		search;
	bool		rebuild;
	bool		ordered;		/* everything has the place that its time
								 * gives it */
	int64		from;			/* corrections from there on are dealt with */
	int64		left;			/* from there on the order by time is to be
								 * made anew with the ladder held, or
								 * PG_INT64_MAX */
	bool		waited;			/* matches waited in pending */
} CatchUp;

/*
 * ---- The order by time ----
 */

/* A row if matches wait for the place that their time gives them. */
static LadderQuery late_query = {
	.text = "SELECT FROM {correction} AS c WHERE c.seq IS NULL LIMIT 1"
};

static bool
matches_are_late(Ladder *ladder)
{
	return ladder_execute(ladder, &late_query, NULL, NULL, NULL) > 0;
}

/* The first place that the order by time may give to something else, or null. */
static LadderQuery order_query = {
	.text = "SELECT skillrating_internal.order_changes_from({this})"
};

/* The place of the last match, so that what lies behind a place can be told from its number. */
static LadderQuery last_match_query = {
	.text = "SELECT pg_catalog.max(seq) FROM {rated_match}"
};

/* Leave all corrections until the ladder is held. */
static void
leave_all(CatchUp *catch_up)
{
	catch_up->left = REPLAY_START;
	catch_up->work.done_before = catch_up->from;
}

/*
 * Leave corrections that the order by time has something to do with until the ladder is held:
 * those from the place on where it changes.  They are replayed twice, so that this is worth
 * while only if that is the lesser part; otherwise all of them are left.
 */
static void
leave_unordered(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->work.ladder;
	int64		from;
	int64		first;
	int64		last = 0;

	if (!ladder->reorders && !matches_are_late(ladder))
		return;
	progress_phase(PHASE_ORDERING, PROGRESS_UNKNOWN);

	/* PG_INT64_MAX if only something new comes behind the end. */
	if (!ladder_read_number(ladder, &order_query, NULL, &from))
		return;
	catch_up->work.done_before = from;
	first = corrections_first(ladder, catch_up->from, from);
	(void) ladder_read_number(ladder, &last_match_query, NULL, &last);
	catch_up->left = Min(from, last + 1);
	if (first != PG_INT64_MAX && (from > last || last - from < from - first))
		return;
	leave_all(catch_up);
}

/* Put everything in the order of time, of the ladder of that name. */
static LadderQuery resequence_query = {
	.text = "SELECT skillrating_internal.resequence({this}, $1)",
	.param = {VALUE_BOOL}
};

/*
 * ---- Replaying what is out of date ----
 */

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

/*
 * The first part: from the first correction on, or from the start, unless a rated match is
 * missing from the source behind it.  What lies before that stays as it is, and its corrections
 * wait.
 */
static void
replay_corrections(Maintenance *work)
{
	CatchUp    *catch_up = (CatchUp *) work;
	Ladder	   *ladder = work->ladder;
	Rewrite    *rewrite = &work->rewrite;
	IdTable    *removed = read_removed(ladder);
	ReplayPlayers load = corrections_are_carried(ladder) ?
		REPLAY_ALL_PLAYERS : REPLAY_KNOWN_PLAYERS;
	int64		from;

	work->done_from = catch_up->from;
	work->done_before = PG_INT64_MAX;
	work->late_done = catch_up->ordered;
	if (!catch_up->ordered && ladder->reorders &&
		(catch_up->rebuild || !ladder->concurrent))
		leave_all(catch_up);
	else if (!catch_up->ordered)
		leave_unordered(catch_up);
	from = catch_up->rebuild && catch_up->left != REPLAY_START ? REPLAY_START :
		corrections_first(ladder, work->done_from, work->done_before);
	while (from != PG_INT64_MAX)
	{
		rewrite_begin_part(rewrite, removed);
		work->replay = replay_begin(ladder, from, load);
		replay_on(work->replay, &rewrite->sink);
		if (rewrite->missing == NULL)
			return;
		report_missing(catch_up->rebuild ? ERROR : WARNING, ladder, rewrite->missing);
		rewrite_discard_part(rewrite);
		work->done_from = rewrite->missing_seq + 1;
		work->late_done = false;
		from = corrections_first(ladder, work->done_from, work->done_before);
	}
	replay_nothing(work);
}

/*
 * With the ladder held, put matches in the order of time, where that is to be, and replay what
 * is out of date from a place on.
 */
static void
put_right(const CatchUp *catch_up, int64 from)
{
	Ladder	   *ladder = catch_up->work.ladder;
	CatchUp		rest = {
		.work = {.ladder = ladder,.first = replay_corrections},
		.rebuild = catch_up->rebuild && from == REPLAY_START,
		.ordered = true,
		.from = from,
		.left = PG_INT64_MAX
	};

	/* Where late matches are appended, only a backfill has some wait. */
	if (ladder->reorders || matches_are_late(ladder))
	{
		progress_phase(PHASE_ORDERING, PROGRESS_UNKNOWN);
		(void) ladder_execute(ladder, &resequence_query,
							  DATUMS(BoolGetDatum(rest.rebuild && ladder->reorders)), NULL, NULL);
	}
	maintain(&rest.work);
}

/*
 * ---- What waits, and what a search finds ----
 */

/* Matches that have no place in the order, of the source or unrated. */
static LadderQuery unplaced_query = {
	.text = "SELECT u.match_id, " RECORDED_COLUMNS " FROM ("
	"SELECT s.match_id FROM {source} AS s WHERE NOT EXISTS (SELECT FROM {rated_match} AS m "
	"WHERE m.match_id {match =} s.match_id AND m.seq IS NOT NULL) "
	"UNION SELECT m.match_id FROM {rated_match} AS m WHERE m.seq IS NULL) AS u "
	"LEFT JOIN {rated_match} AS m ON m.match_id {match =} u.match_id"
};

/* Of a match that has a place behind the horizon, and that may have changed. */
#define PLACED_MATCHES \
	"SELECT m.match_id, " RECORDED_COLUMNS " FROM {rated_match} AS m WHERE m.seq IS NOT NULL " \
	"AND NOT EXISTS (SELECT FROM {ladder} AS w WHERE m.seq OPERATOR(pg_catalog.<=) w.horizon) "

/* Those that wait in pending, and those that have failed before. */
#define WAITING(failed) \
	PLACED_MATCHES "AND EXISTS (SELECT FROM {pending} AS p WHERE p.match_id {match =} m.match_id AND p.sqlstate IS " failed ")"

static LadderQuery pending_query = {.text = WAITING("NULL")};
static LadderQuery failed_query = {.text = WAITING("NOT NULL")};

/* Those that the source no longer has. */
static LadderQuery vanished_query = {
	.text = PLACED_MATCHES
	"AND NOT EXISTS (SELECT FROM {source} AS s WHERE s.match_id {match =} m.match_id) "
	"AND NOT EXISTS (SELECT FROM {correction} AS c WHERE c.match_id {match =} m.match_id "
	"AND c.kind OPERATOR(pg_catalog.=) 'removed')"
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

/* Note corrections of those that have changed or gone; returns how many have gone. */
static int
note_corrections(Ladder *ladder, LadderQuery *query)
{
	IdTable    *placed = compare_recorded(ladder, query, NULL);
	int			n = id_table_count(placed);
	Datum	   *ids = id_table_ids(placed);
	Corrections corrections = {.ladder = ladder};
	int			ngone = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		const RecordedMatch *match = id_table_find(placed, ids[i], "");
		TimestampTz at = match->compared.played_at;

		if (!match->compared.met)
		{
			corrections_add_match(&corrections, ids[i], DIGEST_OF_NOTHING, match->seq, "removed",
								  match->played_at);
			ngone++;
		}
		else if (!match->compared.same)
			corrections_add_match(&corrections, ids[i], match->compared.digest, match->seq,
								  "changed", TIMESTAMP_NOT_FINITE(at) ? match->played_at :
								  Min(at, match->played_at));
	}
	corrections_send(&corrections);
	return ngone;
}

/* The same for those that have failed before, as work in a subtransaction. */
static bool
note_failed(void *arg)
{
	(void) note_corrections((Ladder *) arg, &failed_query);
	return true;
}

/*
 * While others rate, note what is known to have changed, and with a search what no trigger has
 * reported.  A match that somebody brings, or brings back, meanwhile is looked at again when it
 * is rated, or replayed.  Matches in pending come first, because what is known of them is no
 * news.  If one of those that have failed fails again, they are tried match by match when they are
 * rated, and what has changed of them waits for the next call.
 */
static void
look_for_changes(const CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->work.ladder;

	progress_phase(PHASE_SEARCHING, PROGRESS_UNKNOWN);
	if (catch_up->search)
		forget_truncations(ladder);
	(void) note_corrections(ladder, &pending_query);
	(void) in_subtransaction(note_failed, ladder, error_is_bearable);
	if (!catch_up->search)
		return;

	/* New ones wait in memory for the ladder to be held. */
	keep_differing_waiting(ladder, &unplaced_query, NULL);
	report_vanished(ladder, note_corrections(ladder, &vanished_query));
}

/* Rate what waits, with the ladder held. */
static void
rate_waiting(Maintenance *work)
{
	CatchUp    *catch_up = (CatchUp *) work;

	progress_phase(PHASE_RATING, PROGRESS_UNKNOWN);
	catch_up->waited = apply_pending(work->ladder, true);
}

/* A restored dump sets sequences back to where they were, before places that were drawn since. */
static LadderQuery restore_sequences_query = {
	.text = "SELECT FROM skillrating_internal.restore_sequences({this})"
};

/* What shows that a dump of data was restored into the ladder. */
static LadderQuery restored_query = {
	.text = "SELECT skillrating_internal.restored_data({this})"
};

/* All places are there twice, or are to be drawn once more: nothing but a replay of all helps. */
static void
refuse_restored(Ladder *ladder)
{
	const char *sign = ladder_read_text(ladder, &restored_query, NULL);

	if (sign != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a dump of data was restored into ladder \"%s\"", ladder->name),
				 errdetail("%s.", sign),
				 errhint("SELECT skillrating.catch_up(%s, rebuild => true) repairs it.",
						 quote_literal_cstr(ladder->name))));
}

/* Do it all; what becomes of the ratings is logged in ladder->changes. */
static void
do_catch_up(CatchUp *catch_up)
{
	Maintenance *work = &catch_up->work;
	Ladder	   *ladder = work->ladder;

	if (catch_up->rebuild)
		(void) ladder_execute(ladder, &restore_sequences_query, NULL, NULL, NULL);
	else
		refuse_restored(ladder);
	look_for_changes(catch_up);
	maintain(work);
	catch_up->left = Min(catch_up->left, work->misplaced);

	/* New matches that waited, or that a search has found, may be late. */
	if (catch_up->left != PG_INT64_MAX)
		put_right(catch_up, catch_up->left);
	else if (ladder->reorders && (catch_up->search || catch_up->waited))
		put_right(catch_up, work->end);
	counts_catch_up(ladder, catch_up->rebuild);
}

/*
 * ---- Dry runs ----
 */

/* Do it all, and say that it is to be taken back. */
static bool
try_catch_up(void *arg)
{
	CatchUp    *catch_up = (CatchUp *) arg;
	Ladder	   *ladder = catch_up->work.ladder;

	do_catch_up(catch_up);
	change_log_read_places(ladder->changes, false);
	return false;
}

/*
 * Do everything in a subtransaction that is rolled back, so that nothing but the log, which
 * is in memory from before, remains of it.
 */
static void
dry_run_catch_up(CatchUp *catch_up)
{
	Ladder	   *ladder = catch_up->work.ladder;
	Waiting    *waiting = copy_all_waiting();

	(void) in_subtransaction(try_catch_up, catch_up, NULL);

	/* What triggers have touched meanwhile, of any ladder, was taken back as well. */
	restore_all_waiting(waiting);
	change_log_read_places(ladder->changes, true);
}

/* Ratings that have come to another pool may have left a mirror. */
static LadderQuery tell_mirrors_query = {
	.text = "SELECT skillrating_internal.tell_mirrors({this}, NULL, skillrating_internal.known_pools({this})) "
	"WHERE EXISTS (SELECT FROM skillrating_internal.mirrors({this}))"
};

/* catch_up(ladder, search, rebuild, dry_run) */
SQL_FUNCTION(skillrating_catch_up)
{
	bool		search = PG_GETARG_BOOL(1);
	bool		rebuild = PG_GETARG_BOOL(2);
	bool		dry_run = PG_GETARG_BOOL(3);
	CatchUp		catch_up = {
		.work = {.first = replay_corrections,.when_held = rate_waiting},
		.search = search,
		.rebuild = rebuild,
		.from = REPLAY_START,
		.left = PG_INT64_MAX
	};
	Ladder	   *ladder;
	const char *unread;

	InitMaterializedSRF(fcinfo, 0);
	ladder = catch_up.work.ladder = ladder_open_inside(fcinfo);
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
	if (rebuild && !dry_run)
		(void) ladder_execute(ladder, &tell_mirrors_query, NULL, NULL, NULL);
	change_log_return(ladder->changes, fcinfo);
	ladder_close(ladder);
	return (Datum) 0;
}
