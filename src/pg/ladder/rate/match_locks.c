/*
 * match_locks.c
 *		Locks on matches: their rows in rated_match.
 *
 * The statement comes before the source is read, so that the snapshot of that query sees all that
 * whoever had the lock before has committed.  It relies on the primary key of rated_match, and on
 * row locks lasting to the end of the (sub)transaction: no other lock is taken.
 */
#include "pg/ladder/rate/match_locks.h"

#include "utils/builtins.h"
#include "pg/ladder/entry/hold.h"
#include "pg/ladder/entry/plans.h"

#define RECORDED "m.reason, m.match_id, m.digest, m.seq, m.void_reason, m.played_at, m.arrived_at"

/*
 * An existing row is updated to what it is, and not only locked: a lock alone would give a
 * transaction with an older snapshot, which gets the row next, no 40001.  No match has the reason of
 * a row without content: the source has none of them.
 */
#define LOCK(matches) \
	"INSERT INTO {rated_match} AS m (match_id, status, reason, detail, digest, played_at) " \
	"SELECT " matches ", 'unrated', 'no_match', 'not in the source', 0, pg_catalog.now() " \
	"ON CONFLICT (match_id) DO UPDATE SET rated_at = m.rated_at RETURNING " RECORDED

static LadderQuery lock_match_query = {.text = LOCK("$1"),.param = {VALUE_MATCH}};

static LadderQuery lock_matches_query = {
	.text = LOCK("pg_catalog.unnest($1)"),
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static LadderQuery known_matches_query = {
	.text = "SELECT " RECORDED " FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* By their reason, so that a row that somebody has given content meanwhile is none of these. */
static LadderQuery forget_locked_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1) "
	"AND m.reason OPERATOR(pg_catalog.=) 'no_match'",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* Rows of matches that were locked. */
typedef struct LockedMatches
{
	const IdType *type;
	LockedMatch *match;
	int			n;
	int			max;
} LockedMatches;

/* Take a row unless it was inserted just now. */
static void
take_locked(void *arg, QueryRow row)
{
	LockedMatches *recorded = (LockedMatches *) arg;
	const char *reason = next_text(&row);
	LockedMatch *record;

	if (reason != NULL && strcmp(reason, "no_match") == 0)
		return;
	huge_array_grow_for_next(recorded->match, LockedMatch, recorded->n, recorded->max);
	record = &recorded->match[recorded->n++];
	record->id = next_id(&row, recorded->type);
	record->digest = next_int64(&row);
	record->placed = !next_is_null(&row);
	record->seq = next_int64(&row);
	record->void_reason = next_text(&row);
	record->played_at = next_time(&row);
	record->arrived_at = next_time(&row);
}

static int
compare_matches(const void *a, const void *b, void *arg)
{
	return id_compare((const IdType *) arg, *(const Datum *) a, *(const Datum *) b);
}

LockedMatch *
lock_matches(Ladder *ladder, const Datum *ids, int n, int *nrecorded, bool *inserted)
{
	Datum	   *sorted = huge_array(Datum, n);
	LockedMatches recorded = {ladder->match_type, NULL, 0, 0};
	LadderQuery *query;
	Datum		array;
	uint64		nrows;

	/*
	 * Everybody locks in this order, so that nobody waits for who waits: an INSERT ... SELECT
	 * from an array takes its elements as they come.
	 */
	memcpy(sorted, ids, n * sizeof(Datum));
	if (n > 1)
		qsort_arg(sorted, n, sizeof(Datum), compare_matches, ladder->match_type);

	/* Whoever holds the ladder is alone, and only reads what is recorded. */
	*inserted = !schema_is_held(ladder->schema);
	array = id_array(ladder->match_type, sorted, n);
	query = !*inserted ? &known_matches_query : n == 1 ? &lock_match_query : &lock_matches_query;
	nrows = ladder_execute_each(ladder, query, query == &lock_match_query ? sorted : &array, NULL,
								take_locked, &recorded);

	/* A match whose row a trigger of the owner's has kept out would be rated without a lock. */
	if (*inserted)
		ladder_check_taken(ladder, nrows, n);
	pfree(DatumGetPointer(array));
	pfree(sorted);
	*nrecorded = recorded.n;
	return recorded.match;
}

void
forget_locked_matches(Ladder *ladder, Datum *ids, int n)
{
	Datum		array = id_array(ladder->match_type, ids, n);

	ladder_check_taken(ladder, ladder_execute(ladder, &forget_locked_query, &array, NULL, NULL), n);
}
