/*
 * counts.c
 *		Keeping the numbers of players by their ratings.
 */
#include "pg/ladder/ranks/hook.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/util/number_order.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/sql/memory_limit.h"

/* A row of rating_count_delta has so many changes at most. */
#define MAX_ROW_CHANGES 500

/*
 * Work with n changes folds with a probability of n in so many: so all of them together do it
 * once for that many changes, which readers go through in a fraction of a millisecond, and
 * nobody has to count what waits.
 */
#define CHANGES_BETWEEN_FOLDS 32768

/* To read a row takes as long as so many changes. */
#define ROW_CHANGES 16

/* Those who rate fold no more rows than this at a time. */
#define MAX_FOLDED_ROWS 8192

/* So many ranges next to each other are a row of rating_count. */
#define ROW_RANGES 64

/* The fourth field of the tag of the lock on folding; hold.c has others. */
#define TAG_FOLD 5

/* rating_range(rating) */
SQL_FUNCTION(skillrating_rating_range)
{
	PG_RETURN_INT32(number_range(PG_GETARG_FLOAT8(0)));
}

/*
 * ---- Writing ----
 */

/* A player comes into a range of a pool, or leaves it. */
typedef struct CountChange
{
	const char *pool;
	int32		range;
	int32		net;
} CountChange;

struct CountWriter
{
	Ladder	   *ladder;
	CountChange *change;
	int64		n;
	int64		max;
};

CountWriter *
counts_begin(Ladder *ladder)
{
	CountWriter *writer = palloc0_object(CountWriter);

	writer->ladder = ladder;
	return writer;
}

void
counts_put(CountWriter *writer, int32 net, const char *pool, const PlayerRecord *record,
		   const double *state)
{
	CountChange *change;

	if (record->games <= 0)
		return;
	huge_array_grow_for_next(writer->change, CountChange, writer->n, writer->max);
	change = &writer->change[writer->n++];
	change->pool = pool;
	change->range = number_range(model_display(writer->ladder->model, writer->ladder->params,
											   state));
	change->net = net;
}

static LadderQuery insert_delta_query = {
	.text = "INSERT INTO {rating_count_delta} (pool, ranges, nets) VALUES ($1, $2, $3)",
	.param = {VALUE_TEXT, ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_INT4)}
};

/* Append a row with changes of one pool. */
static void
insert_delta(Ladder *ladder, const CountChange *change, int n)
{
	Datum		values[3];
	Datum		ranges[MAX_ROW_CHANGES];
	Datum		nets[MAX_ROW_CHANGES];
	int			i;

	for (i = 0; i < n; i++)
	{
		ranges[i] = Int32GetDatum(change[i].range);
		nets[i] = Int32GetDatum(change[i].net);
	}
	values[0] = CStringGetTextDatum(change[0].pool);
	values[1] = PointerGetDatum(construct_array(ranges, n, INT4OID, sizeof(int32), true,
												TYPALIGN_INT));
	values[2] = PointerGetDatum(construct_array(nets, n, INT4OID, sizeof(int32), true,
												TYPALIGN_INT));
	ladder_check_taken(ladder, ladder_execute(ladder, &insert_delta_query, values, NULL, NULL), 1);
	for (i = 0; i < 3; i++)
		pfree(DatumGetPointer(values[i]));
}

/*
 * ---- Arrays ----
 */

pg_noreturn static void
report_foreign_counts(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("counts of ratings were changed by hand"),
			 errhint("set_ranks(ladder, 'counted') recounts them.")));
}

/* The elements of an array, which the owner of a ladder can have written, and their number. */
static const int32 *
count_elements(Datum array, bool isnull, int *n)
{
	ArrayType  *values;

	if (isnull)
		report_foreign_counts();
	values = DatumGetArrayTypeP(array);
	if (ARR_HASNULL(values))
		report_foreign_counts();
	*n = ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
	return (const int32 *) ARR_DATA_PTR(values);
}

/* add_ranges(counts, places, nets) */
SQL_FUNCTION(skillrating_add_ranges)
{
	Datum		count[ROW_RANGES] = {0};
	const int32 *old;
	const int32 *place = NULL;
	const int32 *net;
	int			nold = ROW_RANGES;
	int			nplaces = ROW_RANGES;
	int			nnets;
	int			i;

	if (!PG_ARGISNULL(0))
	{
		old = count_elements(PG_GETARG_DATUM(0), false, &nold);
		for (i = 0; i < Min(nold, ROW_RANGES); i++)
			count[i] = Int32GetDatum(old[i]);
	}
	if (!PG_ARGISNULL(1))
		place = count_elements(PG_GETARG_DATUM(1), false, &nplaces);
	net = count_elements(PG_GETARG_DATUM(2), PG_ARGISNULL(2), &nnets);
	if (nold != ROW_RANGES || nplaces != nnets)
		report_foreign_counts();
	for (i = 0; i < nnets; i++)
	{
		int			to = place != NULL ? place[i] : i;

		if (to < 0 || to >= ROW_RANGES)
			report_foreign_counts();
		count[to] = Int32GetDatum(DatumGetInt32(count[to]) + net[i]);
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(count, ROW_RANGES, INT4OID, sizeof(int32), true,
										  TYPALIGN_INT));
}

/*
 * ---- Folding ----
 */

/* Take at most so many rows of rating_count_delta out, and add their changes to rating_count. */
static LadderQuery fold_query = {
	.text = "WITH taken AS (DELETE FROM {rating_count_delta} AS d "
	"WHERE d.ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT f.ctid FROM {rating_count_delta} AS f LIMIT $1)) "
	"RETURNING d.pool, d.ranges, d.nets) "
	"INSERT INTO {rating_count} AS c (pool, level, place, total, ranges) "
	"SELECT t.pool, l.level, u.range OPERATOR(pg_catalog./) l.width, pg_catalog.sum(u.net), "
	"CASE WHEN l.level OPERATOR(pg_catalog.=) 0 THEN skillrating_internal.add_ranges(NULL, "
	"pg_catalog.array_agg(u.range OPERATOR(pg_catalog.%) 64), pg_catalog.array_agg(u.net)) END "
	"FROM taken AS t CROSS JOIN LATERAL "
	"ROWS FROM (pg_catalog.unnest(t.ranges), pg_catalog.unnest(t.nets)) AS u(range, net) "
	"CROSS JOIN (VALUES (0, 64), (1, 4096)) AS l(level, width) GROUP BY 1, 2, 3 "
	"ON CONFLICT (pool, level, place) DO UPDATE SET "
	"total = c.total OPERATOR(pg_catalog.+) excluded.total, "
	"ranges = CASE WHEN c.level OPERATOR(pg_catalog.=) 0 "
	"THEN skillrating_internal.add_ranges(c.ranges, NULL, excluded.ranges) END",
	.param = {VALUE_INT8}
};

/*
 * Fold what this transaction sees of rating_count_delta, at most so many rows; returns how many
 * counts that changed.  Does nothing if another transaction that is still open has done so: nobody
 * waits.
 */
static uint64
fold_counts(Ladder *ladder, int64 max)
{
	LOCKTAG		tag;

	/*
	 * To the end of the transaction: only then do others see what was folded.
	 * Who gets the lock afterwards sees it, because each query has a snapshot
	 * of its own.
	 */
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, ladder->relation[LADDER_CONFIG], 0, TAG_FOLD);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return 0;
	return ladder_execute(ladder, &fold_query, DATUMS(Int64GetDatum(max)), NULL, NULL);
}

static int
compare_pools(const void *a, const void *b)
{
	return strcmp(((const CountChange *) a)->pool, ((const CountChange *) b)->pool);
}

void
counts_end(CountWriter *writer)
{
	Ladder	   *ladder = writer->ladder;
	CountChange *change = writer->change;
	bool		large = ladder->large;
	int64		i;
	int64		end;

	/* Plans that are kept serve any number of rows. */
	ladder->large = false;
	qsort(change, writer->n, sizeof(CountChange), compare_pools);
	for (i = 0; i < writer->n; i = end)
	{
		CHECK_FOR_INTERRUPTS();
		for (end = i + 1; end < writer->n && end - i < MAX_ROW_CHANGES; end++)
			if (compare_pools(&change[i], &change[end]) != 0)
				break;
		insert_delta(ladder, &change[i], (int) (end - i));
	}

	/*
	 * Above READ COMMITTED, rows that others have folded since the snapshot
	 * would make it fail: somebody else will fold.
	 */
	if (writer->n > 0 && !IsolationUsesXactSnapshot() &&
		(int64) (pg_prng_uint64(&pg_global_prng_state) % CHANGES_BETWEEN_FOLDS) <
		writer->n + ROW_CHANGES)
		(void) fold_counts(ladder, MAX_FOLDED_ROWS);
	ladder->large = large;
	if (change != NULL)
		pfree(change);
	pfree(writer);
}

/* fold_rating_counts(ladder) */
SQL_FUNCTION(skillrating_fold_rating_counts)
{
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	uint64		n = fold_counts(ladder, PG_INT64_MAX);

	ladder_close(ladder);
	PG_RETURN_INT64((int64) n);
}

/*
 * ---- Reading ----
 */

/*
 * Ranges of a pool and what is in each, as arrays, as a range sees them that is in a row, $2, of 64
 * rows, $3: the sums of others of these and of the other rows, by the first range of each, then
 * the ranges of the row, and what has changed since.
 */
#define COUNTS(level, width) \
	"SELECT c.place OPERATOR(pg_catalog.*) " width ", CAST(c.total AS pg_catalog.int4) " \
	"FROM {rating_count} AS c WHERE c.pool OPERATOR(pg_catalog.=) $1 " \
	"AND c.level OPERATOR(pg_catalog.=) " level " AND c.place OPERATOR(pg_catalog.<>) "

static LadderQuery counts_query = {
	.text = "SELECT pg_catalog.array_agg(s.range), pg_catalog.array_agg(s.total) FROM ("
	COUNTS("1", "4096") "$3 UNION ALL " COUNTS("0", "64") "$2 "
	"AND c.place OPERATOR(pg_catalog.>=) ($3 OPERATOR(pg_catalog.*) 64) "
	"AND c.place OPERATOR(pg_catalog.<) ($3 OPERATOR(pg_catalog.*) 64 OPERATOR(pg_catalog.+) 64)) "
	"AS s(range, total) "
	"UNION ALL SELECT ARRAY(SELECT $2 OPERATOR(pg_catalog.*) 64 OPERATOR(pg_catalog.+) g.i "
	"FROM pg_catalog.generate_series(0, 63) AS g(i)), c.ranges FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 0 "
	"AND c.place OPERATOR(pg_catalog.=) $2 "
	"UNION ALL SELECT d.ranges, d.nets FROM {rating_count_delta} AS d WHERE d.pool OPERATOR(pg_catalog.=) $1",
	.param = {VALUE_TEXT, VALUE_INT4, VALUE_INT4}
};

/* How many players of a pool there are, and in ranges above and below that of a rating. */
typedef struct RangeCounts
{
	int32		range;
	int64		above;
	int64		below;
	int64		total;
} RangeCounts;

static void
take_counts(void *arg, QueryRow row)
{
	RangeCounts *counts = (RangeCounts *) arg;
	const int32 *range;
	const int32 *net;
	int			n;
	int			nnets;
	int			i;

	/* Nothing is folded. */
	if (row.null[0])
		return;
	range = count_elements(row.value[0], false, &n);
	net = count_elements(row.value[1], row.null[1], &nnets);
	if (n != nnets)
		report_foreign_counts();
	for (i = 0; i < n; i++)
	{
		counts->total += net[i];
		if (range[i] > counts->range)
			counts->above += net[i];
		else if (range[i] < counts->range)
			counts->below += net[i];
	}
}

/* range_counts(ladder, pool, rating) */
SQL_FUNCTION(skillrating_range_counts)
{
	RangeCounts counts = {.range = number_range(PG_GETARG_FLOAT8(2))};
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	ResultRow	row = {0};

	(void) ladder_execute_each(ladder, &counts_query,
							   DATUMS(PG_GETARG_DATUM(1), Int32GetDatum(counts.range / ROW_RANGES),
									  Int32GetDatum(counts.range / ROW_RANGES / ROW_RANGES)),
							   NULL, take_counts, &counts);
	ladder_close(ladder);
	put_int64(&row, counts.above);
	put_int64(&row, counts.below);
	put_int64(&row, counts.total);
	put_number(&row, number_range_bottom(counts.range));
	put_number(&row, number_range_top(counts.range));
	return return_result_row(fcinfo, &row);
}

static LadderQuery rebuild_query = {
	.text = "SELECT skillrating_internal.rebuild_rating_counts({this})"
};

void
counts_catch_up(Ladder *ladder, bool rebuild)
{
	if (!OidIsValid(ladder->relation[LADDER_RATING_COUNT]))
		return;
	if (rebuild)
		(void) ladder_execute(ladder, &rebuild_query, NULL, NULL, NULL);
	else if (!IsolationUsesXactSnapshot())
		(void) fold_counts(ladder, PG_INT64_MAX);
}
