/*
 * match_locks.c
 *		Locks on matches: their rows in rated_match.
 */
#include "pg/ladder/match_locks.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/timestamp.h"

#include "pg/ladder/hold.h"
#include "pg/ladder/plans.h"
#include "pg/sql/huge.h"

/* So many are locked at once, which bounds the memory of what a query returns. */
#define LOCKED_AT_ONCE 10000

#define RECORDED "m.match_id, m.digest, m.seq, m.void_reason, m.played_at, m.arrived_at, m.reason"

/* No match has the reason of a row without content: the source has none of them. */
static LadderQuery lock_matches_query = {
	.text = "INSERT INTO {rated_match} AS m (match_id, status, reason, detail, digest, played_at) "
	"SELECT i.id, 'unrated', 'no_match', 'not in the source', 0, pg_catalog.now() "
	"FROM pg_catalog.unnest($1) AS i(id) "
	"ON CONFLICT (match_id) DO UPDATE SET rated_at = m.rated_at RETURNING " RECORDED,
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static LadderQuery recorded_matches_query = {
	.text = "SELECT " RECORDED " FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

enum
{
	RECORDED_MATCH_ID = 1,
	RECORDED_DIGEST,
	RECORDED_SEQ,
	RECORDED_VOID_REASON,
	RECORDED_PLAYED_AT,
	RECORDED_ARRIVED_AT,
	RECORDED_REASON
};

static LadderQuery forget_locked_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1) "
	"AND m.reason OPERATOR(pg_catalog.=) 'no_match'",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* Error unless a table has taken as many rows as it was given. */
static void
check_taken(const Ladder *ladder, uint64 taken, int n)
{
	if (taken != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" took " UINT64_FORMAT " of %d rows",
						ladder->name, taken, n),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
}

/* Read a row; false if it was inserted just now. */
static bool
read_recorded(const IdType *type, HeapTuple tuple, TupleDesc desc, RecordedMatch *record)
{
	char	   *reason = SPI_getvalue(tuple, desc, RECORDED_REASON);
	bool		isnull;

	if (reason != NULL && strcmp(reason, "no_match") == 0)
		return false;
	record->id = datumCopy(SPI_getbinval(tuple, desc, RECORDED_MATCH_ID, &isnull),
						   type->typbyval, type->typlen);
	record->digest = DatumGetInt64(SPI_getbinval(tuple, desc, RECORDED_DIGEST, &isnull));
	record->seq = DatumGetInt64(SPI_getbinval(tuple, desc, RECORDED_SEQ, &isnull));
	record->placed = !isnull;
	record->void_reason = SPI_getvalue(tuple, desc, RECORDED_VOID_REASON);
	record->played_at = DatumGetTimestampTz(SPI_getbinval(tuple, desc, RECORDED_PLAYED_AT,
														  &isnull));
	if (isnull)
		record->played_at = DT_NOBEGIN;
	record->arrived_at = DatumGetTimestampTz(SPI_getbinval(tuple, desc, RECORDED_ARRIVED_AT,
														   &isnull));
	if (isnull)
		record->arrived_at = DT_NOBEGIN;
	return true;
}

static int
compare_matches(const void *a, const void *b, void *arg)
{
	return id_compare((const IdType *) arg, *(const Datum *) a, *(const Datum *) b);
}

RecordedMatch *
lock_matches(Ladder *ladder, const Datum *ids, int n, int *nrecorded, bool *inserted)
{
	Datum	   *sorted = huge_array(Datum, n);
	RecordedMatch *recorded = NULL;
	int			max = 0;
	int			begin;

	/* Everybody locks in this order, so that nobody waits for who waits. */
	memcpy(sorted, ids, n * sizeof(Datum));
	if (n > 1)
		qsort_arg(sorted, n, sizeof(Datum), compare_matches, ladder->match_type);
	*inserted = !schema_is_held(ladder->schema);
	*nrecorded = 0;
	for (begin = 0; begin < n; begin += LOCKED_AT_ONCE)
	{
		int			part = Min(n - begin, LOCKED_AT_ONCE);
		Datum		array = id_array(ladder->match_type, sorted + begin, part);
		uint64		nrows = ladder_execute(ladder, *inserted ? &lock_matches_query :
										   &recorded_matches_query, &array, NULL, NULL);
		uint64		i;

		CHECK_FOR_INTERRUPTS();
		if (*inserted)
			check_taken(ladder, nrows, part);
		for (i = 0; i < nrows; i++)
		{
			RecordedMatch record;

			if (!read_recorded(ladder->match_type, SPI_tuptable->vals[i],
							   SPI_tuptable->tupdesc, &record))
				continue;
			if (*nrecorded == max)
			{
				max = Max(2 * max, 16);
				huge_array_grow(recorded, RecordedMatch, max);
			}
			recorded[(*nrecorded)++] = record;
		}
		SPI_freetuptable(SPI_tuptable);
		pfree(DatumGetPointer(array));
	}
	pfree(sorted);
	return recorded;
}

void
forget_locked_matches(Ladder *ladder, Datum *ids, int n)
{
	Datum		array;

	if (n == 0)
		return;
	array = id_array(ladder->match_type, ids, n);
	check_taken(ladder, ladder_execute(ladder, &forget_locked_query, &array, NULL, NULL), n);
}
