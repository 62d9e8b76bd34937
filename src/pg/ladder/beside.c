/*
 * beside.c
 *		Changing the history of a ladder beside those who rate it.
 */
#include "pg/ladder/beside.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "pg/ladder/attempts.h"
#include "pg/ladder/corrections.h"
#include "pg/ladder/door.h"
#include "pg/ladder/match_reader.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/replay.h"
#include "pg/ladder/rewrite.h"
#include "pg/ladder/standings.h"
#include "pg/ladder/waiting.h"
#include "pg/sql/huge.h"
#include "pg/sql/progress.h"
#include "pg/sql/subtransaction.h"

/*
 * What others have rated meanwhile is replayed while that takes longer than so many
 * milliseconds, and so many times at most.
 */
#define SMALL_PART 20
#define MAX_PARTS 20

/* What table change has of changes by catch_up(). */
static const char CORRECTION[] = "correction";

/* A row of correction. */
typedef struct CorrectionRow
{
	int64		seq;
	ItemPointerData tid;
} CorrectionRow;

/* Rows of correction as a snapshot has them. */
typedef struct CorrectionRows
{
	CorrectionRow *row;
	int64		n;
} CorrectionRows;

/* Work beside rating. */
struct Beside
{
	Ladder	   *ladder;
	bool		rebuild;
	void		(*report_missing) (int level, Ladder *ladder, const char *match);
	Replay	   *replay;
	Rewrite		rewrite;
	CorrectionRows done[MAX_PARTS + 2]; /* with which the parts are done */
	int			nparts;
	BesideResult result;
	int64		left;			/* corrections from there on are left */
	OrderEnd   *held;			/* the last place when the ladder was held, or
								 * NULL */
	const char *kind;			/* of changes of ratings, */
	int64		operation;		/* and the place of the operation, or 0 */
};

/*
 * ---- Snapshots ----
 */

/* Have queries see what they see now, until unfreeze(). */
static void
freeze(Ladder *ladder)
{
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	ladder->read_only = true;
}

static void
unfreeze(Ladder *ladder)
{
	ladder->read_only = false;
	PopActiveSnapshot();
}

/* The same at a moment when nobody is rating. */
static void
freeze_beside(Ladder *ladder)
{
	ladder_hold(ladder);
	freeze(ladder);
	ladder_let_go(ladder);
}

/*
 * ---- Corrections ----
 */

/* Those from a place on. */
static LadderQuery corrections_query = {
	.text = "SELECT c.seq, c.ctid FROM {correction} AS c WHERE c.seq OPERATOR(pg_catalog.>=) $1",
	.param = {VALUE_INT8}
};

enum
{
	CORRECTION_SEQ = 1,
	CORRECTION_TID
};

static CorrectionRows
read_corrections(Ladder *ladder, int64 from)
{
	Datum		values[1];
	CorrectionRows rows;
	SPITupleTable *tuples;
	int64		i;

	values[0] = Int64GetDatum(from);
	rows.n = (int64) ladder_execute(ladder, &corrections_query, values, NULL, NULL);
	tuples = SPI_tuptable;
	rows.row = huge_array(CorrectionRow, Max(rows.n, 1));
	for (i = 0; i < rows.n; i++)
	{
		HeapTuple	tuple = tuples->vals[i];
		bool		isnull;

		rows.row[i].seq = DatumGetInt64(SPI_getbinval(tuple, tuples->tupdesc,
													  CORRECTION_SEQ, &isnull));
		rows.row[i].tid = *(ItemPointer) DatumGetPointer(SPI_getbinval(tuple, tuples->tupdesc,
																	   CORRECTION_TID, &isnull));
	}
	SPI_freetuptable(tuples);
	return rows;
}

/* Keep those behind a place only; the first place of them, or none (false). */
static bool
drop_corrections(CorrectionRows *rows, int64 behind, int64 *first)
{
	int64		n = 0;
	int64		i;

	*first = PG_INT64_MAX;
	for (i = 0; i < rows->n; i++)
		if (rows->row[i].seq > behind)
		{
			*first = Min(*first, rows->row[i].seq);
			rows->row[n++] = rows->row[i];
		}
	rows->n = n;
	return n > 0;
}

/* Nobody else writes a row of correction that is there, so that it stays where it is. */
static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} AS c "
	"WHERE c.ctid OPERATOR(pg_catalog.=) ANY (CAST($1 AS pg_catalog.tid[]))",
	.param = {ARRAY_OF(VALUE_TEXT)}
};

/* Delete so many at once. */
#define MAX_DELETED 10000

static void
delete_corrections(Ladder *ladder, const CorrectionRows *rows)
{
	int64		i;

	for (i = 0; i < rows->n; i += MAX_DELETED)
	{
		int			n = (int) Min(rows->n - i, MAX_DELETED);
		Datum	   *tid = palloc_array(Datum, n);
		Datum		values[1];
		int			j;

		for (j = 0; j < n; j++)
		{
			const ItemPointerData *t = &rows->row[i + j].tid;

			tid[j] = CStringGetTextDatum(psprintf("(%u,%u)", ItemPointerGetBlockNumber(t),
												  ItemPointerGetOffsetNumber(t)));
		}
		values[0] = PointerGetDatum(construct_array(tid, n, TEXTOID, -1, false, TYPALIGN_INT));
		(void) ladder_execute(ladder, &delete_corrections_query, values, NULL, NULL);
		pfree(tid);
	}
}

/*
 * ---- The order by time ----
 */

/* A row if matches wait for the place that their time gives them. */
static LadderQuery late_matches_query = {
	.text = "SELECT FROM {correction} AS c WHERE c.seq IS NULL LIMIT 1"
};

/* The first place that the order by time may give to something else, or null. */
static LadderQuery order_query = {
	.text = "SELECT skillrating_internal.order_changes_from($1)",
	.param = {VALUE_TEXT}
};

/* PG_INT64_MAX if it stays as it is, or only something new comes behind its end. */
static int64
order_changes_from(Ladder *ladder, bool *changes)
{
	Datum		values[1];
	bool		isnull;
	int64		from;

	progress_phase(PHASE_ORDERING, PROGRESS_UNKNOWN);
	values[0] = CStringGetTextDatum(ladder->name);
	(void) ladder_execute(ladder, &order_query, values, NULL, NULL);
	from = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
									   ONLY_COLUMN, &isnull));
	SPI_freetuptable(SPI_tuptable);
	*changes = !isnull;
	return isnull ? PG_INT64_MAX : from;
}

/* The place of the last match, so that what lies behind a place can be told from its number. */
static LadderQuery last_match_query = {
	.text = "SELECT pg_catalog.max(seq) FROM {rated_match}"
};

/*
 * Leave corrections to the last step that the order by time has something to do with: those from
 * the place on where it changes.  They are replayed twice, so that this is worth while only if
 * that is the lesser part; false if not.
 */
static bool
leave_unordered(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	CorrectionRows *corrections = &beside->done[0];
	bool		changes;
	int64		from;
	int64		first;
	int64		last;
	int64		n = 0;
	int64		i;
	bool		isnull;

	if (!ladder->reorders && ladder_execute(ladder, &late_matches_query, NULL, NULL, NULL) == 0)
		return true;
	from = order_changes_from(ladder, &changes);
	if (!changes)
		return true;
	first = PG_INT64_MAX;
	for (i = 0; i < corrections->n; i++)
		if (corrections->row[i].seq < from)
		{
			first = Min(first, corrections->row[i].seq);
			corrections->row[n++] = corrections->row[i];
		}
	corrections->n = n;
	if (n == 0)
		return false;
	(void) ladder_execute(ladder, &last_match_query, NULL, NULL, NULL);
	last = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
									   ONLY_COLUMN, &isnull));
	SPI_freetuptable(SPI_tuptable);
	beside->result = BESIDE_MISPLACED;
	beside->left = Min(from, last + 1);
	return from > last || last - from < (from - first);
}

/*
 * ---- Parts ----
 */

/* Nothing of what there is to be replayed, so that the last step only rates what waits. */
static void
replay_nothing(Beside *beside)
{
	rewrite_begin_part(&beside->rewrite, NULL);
	beside->replay = replay_begin(beside->ladder, PG_INT64_MAX, REPLAY_KNOWN_PLAYERS, true);
}

/*
 * The first part, under a snapshot: from the first correction, or from the start, unless a
 * rated match is missing from the source behind it.  False to give up.
 */
static bool
replay_first_part(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	Rewrite    *rewrite = &beside->rewrite;
	CorrectionRows *corrections = &beside->done[0];
	IdTable    *removed = read_removed(ladder);
	ReplayPlayers load = corrections_are_carried(ladder) ?
		REPLAY_ALL_PLAYERS : REPLAY_KNOWN_PLAYERS;
	int64		from;

	*corrections = read_corrections(ladder, REPLAY_START);
	beside->nparts = 1;
	if (!leave_unordered(beside))
		return false;
	if (!drop_corrections(corrections, REPLAY_START, &from) && !beside->rebuild)
	{
		replay_nothing(beside);
		return true;
	}
	if (beside->rebuild)
		from = REPLAY_START;
	for (;;)
	{
		rewrite_begin_part(rewrite, removed);
		beside->replay = replay_begin(ladder, from, load, true);
		replay_on(beside->replay, &rewrite->sink);
		if (rewrite->missing == NULL)
			return true;
		beside->report_missing(beside->rebuild ? ERROR : WARNING, ladder, rewrite->missing);
		rewrite_discard_part(rewrite);
		if (!drop_corrections(corrections, rewrite->missing_seq, &from))
		{
			replay_nothing(beside);
			return true;
		}
	}
}

/* Another part, under a snapshot too; false if a rated match is missing from the source. */
static bool
replay_next_part(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	Rewrite    *rewrite = &beside->rewrite;

	rewrite_begin_part(rewrite, read_removed(ladder));

	/* Where time makes the order, these may be about times, and are left. */
	beside->done[beside->nparts++] =
		read_corrections(ladder, ladder->reorders ? PG_INT64_MAX : beside->replay->next);
	replay_refresh(beside->replay);
	replay_on(beside->replay, &rewrite->sink);
	if (rewrite->missing == NULL)
		return true;
	rewrite_discard_part(rewrite);
	return false;
}

/* The correction from where on matches are out of the order of time, in the next parts. */
static void
correct_order(Beside *beside)
{
	const Rewrite *rewrite = &beside->rewrite;
	Corrections corrections;

	if (rewrite->misplaced_seq == 0)
		return;
	corrections = corrections_make();
	corrections_add(&corrections, rewrite->misplaced_seq, "reorder", rewrite->misplaced_at);
	corrections_send(beside->ladder, &corrections);
	beside->result = BESIDE_MISPLACED;
	beside->left = Min(beside->left, rewrite->misplaced_seq);
}

/*
 * Replay what is rated meanwhile, but the last of it; false if a rated match is missing from
 * the source.
 */
static bool
replay_middle_parts(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	bool		good = true;

	while (beside->nparts <= MAX_PARTS)
	{
		TimestampTz begun;

		freeze_beside(ladder);
		begun = GetCurrentTimestamp();
		good = replay_next_part(beside);
		unfreeze(ladder);
		if (!good)
			break;
		rewrite_send_events(&beside->rewrite);
		correct_order(beside);
		if (!TimestampDifferenceExceeds(begun, GetCurrentTimestamp(), SMALL_PART))
			break;
	}
	return good;
}

/* Replay all parts but the last; false to give up. */
static bool
replay_parts(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	bool		good;

	ladder_take_states(ladder);
	freeze_beside(ladder);
	good = replay_first_part(beside);
	unfreeze(ladder);
	if (good)
	{
		rewrite_send_events(&beside->rewrite);

		/*
		 * Seasons end in the first part, because it is this transaction's
		 * turn.
		 */
		renew_standings(ladder, beside->replay->from);
		good = replay_middle_parts(beside);
	}
	ladder_release_states(ladder);
	return good;
}

/*
 * ---- The last step ----
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
look_again(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	IdTable    *looked_at = beside->rewrite.looked_at;
	int			n = id_table_count(looked_at);
	Datum	   *differ = huge_array(Datum, Max(n, 1));

	n = find_differing(ladder, id_table_ids(looked_at), n, differ);
	keep_waiting(ladder, differ, n);
}

/* False to give up. */
static bool
finish_parts(Beside *beside)
{
	Ladder	   *ladder = beside->ladder;
	Rewrite    *rewrite = &beside->rewrite;
	bool		good;
	int			i;

	ladder_hold(ladder);
	if (beside->held != NULL)
		*beside->held = read_order_end(ladder);
	rewrite_send_matches(rewrite);
	look_again(beside);
	if (beside->kind == CORRECTION)
		apply_pending(ladder, true);

	ladder_take_states(ladder);
	freeze(ladder);
	good = replay_next_part(beside);
	unfreeze(ladder);
	if (good)
	{
		rewrite_send_events(rewrite);
		correct_order(beside);
		rewrite_send_matches(rewrite);
		rewrite_states(beside->replay, beside->kind,
					   beside->operation == 0 ? NULL : &beside->operation);
		for (i = 0; i < beside->nparts; i++)
			delete_corrections(ladder, &beside->done[i]);
	}
	ladder_release_states(ladder);
	return good;
}

/* Work that can be taken back. */
static bool
work_beside(void *arg)
{
	Beside	   *beside = (Beside *) arg;
	bool		good;

	rewrite_begin(&beside->rewrite, beside->ladder);
	beside->result = BESIDE_DONE;
	beside->left = PG_INT64_MAX;
	good = replay_parts(beside) && finish_parts(beside);
	rewrite_end(&beside->rewrite);
	return good;
}

/*
 * ---- catch_up ----
 */

/*
 * Whether anything waits that is for a ladder that is held only: matches that no one has
 * looked at, among which there may be corrections.
 */
static LadderQuery obstacle_query = {
	.text = "SELECT FROM {pending} LIMIT 1"
};

/* Rows of correction are known by where they are, which takes one plain table. */
static bool
has_plain_corrections(const Ladder *ladder)
{
	Oid			relid = ladder->relation[LADDER_CORRECTION];

	return get_rel_relkind(relid) == RELKIND_RELATION && !has_subclass(relid);
}

bool
can_catch_up_beside(Ladder *ladder, bool rebuild)
{
	return has_plain_corrections(ladder) &&
		ladder_execute(ladder, &obstacle_query, NULL, NULL, NULL) == 0 &&
		!(ladder->reorders && rebuild);
}

BesideResult
catch_up_beside(Ladder *ladder, bool rebuild,
				void (*report_missing) (int level, Ladder *ladder, const char *match),
				OrderEnd *held, int64 *left)
{
	Beside	   *beside;
	Waiting    *waiting;

	if (!can_catch_up_beside(ladder, rebuild))
		return BESIDE_IMPOSSIBLE;
	if (!rebuild && !corrections_wait(ladder))
		return BESIDE_IDLE;
	beside = palloc0_object(Beside);
	beside->ladder = ladder;
	beside->rebuild = rebuild;
	beside->report_missing = report_missing;
	beside->held = held;
	beside->kind = CORRECTION;
	waiting = copy_all_waiting();
	if (in_subtransaction(work_beside, beside))
	{
		*left = beside->left;
		return beside->result;
	}
	ladder->read_only = false;
	restore_all_waiting(waiting);
	return BESIDE_IMPOSSIBLE;
}

/*
 * ---- Operations ----
 */

pg_noreturn static void
report_missing_behind(const Beside *beside)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("match %s of ladder \"%s\" was rated meanwhile and is no longer in the source",
					beside->rewrite.missing, beside->ladder->name),
			 errhint("Restore its rows, or remove all such matches from the ratings with catch_up(search => true).")));
}

Beside *
operate_beside(Ladder *ladder, const char *kind, int64 seq, int *nchanged)
{
	Beside	   *beside = palloc0_object(Beside);
	Rewrite    *rewrite = &beside->rewrite;

	beside->ladder = ladder;
	beside->kind = kind;
	beside->operation = seq;
	rewrite_begin(rewrite, ladder);
	ladder_take_states(ladder);
	freeze(ladder);
	ladder_let_go(ladder);
	rewrite_begin_part(rewrite, read_removed(ladder));
	beside->replay = replay_begin(ladder, seq, REPLAY_CURRENT_PLAYERS, true);
	replay_on(beside->replay, &rewrite->sink);
	*nchanged = beside->replay->batch->step.n;
	unfreeze(ladder);
	rewrite_send_events(rewrite);
	renew_standings(ladder, seq);
	beside->nparts = 1;
	return beside;
}

void
finish_operation(Beside *beside)
{
	if (!replay_middle_parts(beside))
		report_missing_behind(beside);
	ladder_release_states(beside->ladder);
	if (!finish_parts(beside))
		report_missing_behind(beside);
	rewrite_end(&beside->rewrite);
}
