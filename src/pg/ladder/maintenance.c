/*
 * maintenance.c
 *		Changing the history of a ladder beside those who rate it.
 */
#include "pg/ladder/maintenance.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

#include "pg/ladder/door.h"
#include "pg/ladder/match_reader.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/replay.h"
#include "pg/ladder/standings.h"
#include "pg/ladder/waiting.h"
#include "pg/sql/huge.h"
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
 * Write the events of the part.  If matches are out of the order of time there, catch_up() has
 * to see to that.
 */
static void
end_part(Maintenance *work)
{
	const Rewrite *rewrite = &work->rewrite;
	Corrections corrections;

	work->ladder->read_only = false;
	PopActiveSnapshot();
	rewrite_send_events(&work->rewrite);
	if (rewrite->misplaced_seq == 0)
		return;
	corrections = corrections_make();
	corrections_add(&corrections, rewrite->misplaced_seq, "reorder", rewrite->misplaced_at);
	corrections_send(work->ladder, &corrections);
	work->misplaced = Min(work->misplaced, rewrite->misplaced_seq);
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
	if (!ladder->reorders)
		corrections_read(ladder, next, false, &work->done);
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
	work->replay = replay_begin(work->ladder, PG_INT64_MAX, REPLAY_KNOWN_PLAYERS, true);
}

/*
 * ---- Looking at matches again ----
 */

/* What rated_match has of matches now. */
static LadderQuery digests_query = {
	.text = "SELECT m.match_id, m.digest FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

enum
{
	DIGEST_MATCH_ID = 1,
	DIGEST_DIGEST
};

typedef struct SeenMatch
{
	ComparedMatch compared;
	bool		recorded;		/* it has a row in rated_match */
} SeenMatch;

/* Look at matches whose identifiers the table has, with a SeenMatch for each. */
static void
look_at_matches(Ladder *ladder, IdTable *seen)
{
	Datum		values[1];
	SPITupleTable *rows;
	uint64		nrows;
	uint64		i;

	values[0] = id_array(ladder->match_type, id_table_ids(seen), id_table_count(seen));
	nrows = ladder_execute(ladder, &digests_query, values, NULL, NULL);
	rows = SPI_tuptable;
	for (i = 0; i < nrows; i++)
	{
		bool		isnull;
		SeenMatch  *match =
			id_table_find(seen, SPI_getbinval(rows->vals[i], rows->tupdesc, DIGEST_MATCH_ID,
											  &isnull), "");

		match->recorded = true;
		match->compared.digest = DatumGetInt64(SPI_getbinval(rows->vals[i], rows->tupdesc,
															 DIGEST_DIGEST, &isnull));
	}
	SPI_freetuptable(rows);
	reader_compare(ladder, seen);
}

int
find_differing(Ladder *ladder, const Datum *ids, int n, Datum *differ)
{
	IdTable    *seen = id_table_create(ladder->match_type);
	int			ndiffer = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		bool		found;

		*id_table_enter(seen, ids[i], "", &found) = palloc0_object(SeenMatch);
	}
	if (n > 0)
		look_at_matches(ladder, seen);
	for (i = 0; i < n; i++)
	{
		const SeenMatch *match = id_table_find(seen, ids[i], "");

		if (match->recorded != match->compared.met ||
			(match->compared.met && !match->compared.same))
			differ[ndiffer++] = ids[i];
	}
	return ndiffer;
}

/*
 * Whoever has looked at a match since it was replayed has compared it with what was rated
 * before, and may have found nothing new.  So those that differ from what is rated now, and
 * those that are gone and have come back, are to be looked at again: they are corrected, or
 * rated at the end.
 */
static void
look_again(Maintenance *work)
{
	Ladder	   *ladder = work->ladder;
	IdTable    *looked_at = work->rewrite.looked_at;
	int			n = id_table_count(looked_at);
	Datum	   *differ = huge_array(Datum, Max(n, 1));

	n = find_differing(ladder, id_table_ids(looked_at), n, differ);
	keep_waiting(ladder, differ, n);
}

/*
 * ---- The protocol ----
 */

/* Hold the ladder for good, replay the rest, and have what waits rated before. */
static void
hold_and_finish(Maintenance *work)
{
	Ladder	   *ladder = work->ladder;

	ladder_release_states(ladder);
	ladder_hold(ladder);
	work->end = read_order_end(ladder);
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
	bool		more = true;
	int			round;

	rewrite_begin(&work->rewrite, ladder);
	work->misplaced = PG_INT64_MAX;

	/* Replay the first part.  Seasons end there, because it is this transaction's turn. */
	ladder_take_states(ladder);
	if (work->held)
		begin_part(work);
	else
		begin_part_beside(work);
	work->first(work);
	end_part(work);
	renew_standings(ladder, work->replay->from);

	/* Replay what others have rated meanwhile, and the rest once nobody rates. */
	for (round = 0; round < MAINTENANCE_ROUNDS && more && !work->held; round++)
	{
		begin_part_beside(work);
		more = replay_more(work);
		end_part(work);
	}
	if (!work->held)
		hold_and_finish(work);

	/* Write what others would have waited for. */
	progress_phase(PHASE_WRITING, PROGRESS_UNKNOWN);
	rewrite_send_matches(&work->rewrite);
	rewrite_states(work->replay);
	corrections_delete(ladder, &work->done);
	rewrite_end(&work->rewrite);
	ladder_release_states(ladder);
}
