/*
 * maintenance.c
 *		Changing the history of a ladder while others rate it.
 *
 * Relies on the maintenance lock, which the caller has, for nobody else changing events, and on places
 * that others draw being behind all that a part has seen.
 */
#include "pg/ladder/history/maintenance.h"

#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/hold.h"
#include "pg/ladder/history/recorded.h"
#include "pg/ladder/history/replay.h"
#include "pg/ladder/rate/corrections.h"
#include "pg/sql/progress.h"

/*
 * ---- Parts ----
 */

/* Have queries see what they see now, until end_part(). */
static void
begin_part(Maintenance *work)
{
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	work->ladder->read_only = true;
}

/* The same at a moment when nobody is rating. */
static void
begin_part_beside(Maintenance *work)
{
	if (!work->begun)
		ladder_hold(work->ladder);
	work->begun = false;
	begin_part(work);
	ladder_let_go(work->ladder);
}

/*
 * Write the events of the part, and delete the corrections that it deals with.  If matches are out
 * of the order of time there, catch_up() has to see to that.
 */
static void
end_part(Maintenance *work)
{
	const Rewrite *rewrite = &work->rewrite;
	Corrections corrections = {.ladder = work->ladder};

	work->ladder->read_only = false;
	corrections_delete(work->ladder, work->done_from, work->done_before, work->late_done);
	PopActiveSnapshot();
	rewrite_send_events(&work->rewrite);
	if (rewrite->misplaced_seq == 0)
		return;
	corrections_add(&corrections, rewrite->misplaced_seq, "reorder", rewrite->misplaced_at);
	corrections_send(&corrections);
	work->misplaced = Min(work->misplaced, rewrite->misplaced_seq);
}

static LadderQuery renew_standings_query = {
	.text = "SELECT skillrating_internal.renew_standings({this}, $1)",
	.param = {VALUE_INT8}
};

/*
 * Table standing has the players of each season that has ended, with their ratings at its end and
 * the numbers of their matches in it, for season_table() and its like.  It is made of the events
 * and must follow them: renew it once some from a place on were written or moved.  Those who rate
 * write events behind all ends of seasons, and need not.
 */
static void
renew_standings(Ladder *ladder, int64 from)
{
	if (from == PG_INT64_MAX)
		return;
	(void) ladder_execute(ladder, &renew_standings_query, DATUMS(Int64GetDatum(from)), NULL, NULL);
	SPI_freetuptable(SPI_tuptable);
}

pg_noreturn static void
report_missing_behind(const Maintenance *work)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("match %s of ladder \"%s\" was rated meanwhile and is no longer in the source",
					work->rewrite.missing, work->ladder->name),
			 errhint("Restore its rows, or remove all such matches from the ratings with catch_up(search => true).")));
}

/* Replay what others have rated since the last part; false if that was nothing. */
static bool
replay_more(Maintenance *work)
{
	Ladder	   *ladder = work->ladder;
	Rewrite    *rewrite = &work->rewrite;
	int64		next = work->replay->next;

	rewrite_begin_part(rewrite, read_removed(ladder));

	/* Where time makes the order, these may be about times, and are left. */
	work->done_from = next;
	work->done_before = ladder->reorders ? next : PG_INT64_MAX;
	work->late_done = false;
	replay_refresh(work->replay);
	replay_on(work->replay, &rewrite->sink);
	if (rewrite->missing != NULL)
		report_missing_behind(work);
	return work->replay->next > next;
}

void
replay_nothing(Maintenance *work)
{
	rewrite_begin_part(&work->rewrite, NULL);
	work->replay = replay_begin(work->ladder, PG_INT64_MAX, REPLAY_KNOWN_PLAYERS);
}

/* What rated_match has of matches now. */
static LadderQuery looked_at_query = {
	.text = "SELECT k.id, " RECORDED_COLUMNS " FROM pg_catalog.unnest($1) AS k(id) "
	"LEFT JOIN {rated_match} AS m ON m.match_id {match =} k.id",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/*
 * Whoever has looked at a match since it was replayed has compared it with what was rated
 * before, and may have found nothing new.  So those that differ from what is rated now, and
 * those that are gone and have come back, are to be looked at again: they are corrected, or
 * rated at the end.
 */
static void
look_again(Maintenance *work)
{
	IdTable    *looked_at = work->rewrite.looked_at;

	if (id_table_count(looked_at) == 0)
		return;
	keep_differing_waiting(work->ladder, &looked_at_query,
						   DATUMS(id_array(work->ladder->match_type, id_table_ids(looked_at), id_table_count(looked_at))));
}

/*
 * ---- The protocol ----
 */

/* Hold the ladder for good, replay the rest, and have what waits rated before. */
static void
hold_and_finish(Maintenance *work)
{
	Ladder	   *ladder = work->ladder;

	ladder->state->states_taken = false;
	ladder_hold(ladder);
	work->end = last_place(ladder);
	rewrite_send_matches(&work->rewrite);
	look_again(work);
	if (work->when_held != NULL)
		work->when_held(work);
	ladder_take_states(ladder);
	begin_part(work);
	(void) replay_more(work);
	end_part(work);
}

void
maintain(Maintenance *work)
{
	Ladder	   *ladder = work->ladder;
	bool		held = schema_is_held(ladder->schema) && !work->begun;
	bool		more = !held;
	int			round;

	rewrite_begin(&work->rewrite, ladder);
	work->misplaced = PG_INT64_MAX;

	/* Replay the first part.  Seasons end there, because this transaction has the maintenance lock. */
	ladder_take_states(ladder);
	if (held)
		begin_part(work);
	else
		begin_part_beside(work);
	work->first(work);
	end_part(work);
	renew_standings(ladder, work->replay->from);

	/* Replay what others have rated meanwhile, and the rest once nobody rates. */
	for (round = 0; round < MAINTENANCE_ROUNDS && more; round++)
	{
		TimestampTz begun;

		begin_part_beside(work);
		begun = GetCurrentTimestamp();
		more = replay_more(work) &&
			TimestampDifferenceExceeds(begun, GetCurrentTimestamp(), SMALL_ROUND);
		end_part(work);
	}
	if (!held || work->when_held != NULL)
		hold_and_finish(work);

	/* Write what others would have waited for. */
	progress_phase(PHASE_WRITING, PROGRESS_UNKNOWN);
	rewrite_send_matches(&work->rewrite);
	rewrite_states(work->replay);
	rewrite_end(&work->rewrite);
	ladder->state->states_taken = false;
}
