/*
 * counts.c
 *		Keeping the numbers of players by their ratings.
 */
#include "pg/ladder/ranks/hook.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "core/util/number_order.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_rating_range);
SKILLRATING_FUNCTION(skillrating_range_bottom);
SKILLRATING_FUNCTION(skillrating_sum_nets);
SKILLRATING_FUNCTION(skillrating_fold_rating_counts);

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

/* The fourth field of the tag of the lock on folding; match_locks.c has others. */
#define TAG_FOLD 5

/* rating_range(rating) */
Datum
skillrating_rating_range(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(number_range(PG_GETARG_FLOAT8(0)));
}

/* range_bottom(range) */
Datum
skillrating_range_bottom(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(number_range_bottom(PG_GETARG_INT32(0)));
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
	CountWriter *writer;

	if (!OidIsValid(ladder->relation[LADDER_RATING_COUNT]))
		return NULL;
	writer = palloc_object(CountWriter);
	writer->ladder = ladder;
	writer->n = 0;
	writer->max = 64;
	writer->change = huge_array(CountChange, writer->max);
	return writer;
}

void
counts_put(CountWriter *writer, int32 net, const char *pool, const PlayerRecord *record,
		   const double *state)
{
	CountChange *change;

	if (writer == NULL || record->games <= 0)
		return;
	if (writer->n == writer->max)
	{
		writer->max *= 2;
		huge_array_grow(writer->change, CountChange, writer->max);
	}
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
	if (ladder_execute(ladder, &insert_delta_query, values, NULL, NULL) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table rating_count_delta of ladder \"%s\" takes no row",
						ladder->name),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
	for (i = 0; i < 3; i++)
		pfree(DatumGetPointer(values[i]));
}

/*
 * ---- Folding ----
 */

/* Take at most so many rows of rating_count_delta out, and add their changes to rating_count. */
static LadderQuery fold_query = {
	.text = "WITH taken AS (DELETE FROM {rating_count_delta} AS d "
	"WHERE d.ctid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT f.ctid FROM {rating_count_delta} AS f LIMIT $1)) "
	"RETURNING d.pool, d.ranges, d.nets) "
	"INSERT INTO {rating_count} AS c (pool, level, place, total) "
	"SELECT t.pool, l.level, u.range OPERATOR(pg_catalog.>>) (6 OPERATOR(pg_catalog.*) l.level), "
	"pg_catalog.sum(u.net) FROM taken AS t CROSS JOIN LATERAL "
	"ROWS FROM (pg_catalog.unnest(t.ranges), pg_catalog.unnest(t.nets)) AS u(range, net) "
	"CROSS JOIN (VALUES (0), (1)) AS l(level) GROUP BY 1, 2, 3 "
	"HAVING pg_catalog.sum(u.net) OPERATOR(pg_catalog.<>) 0 "
	"ON CONFLICT (pool, level, place) DO UPDATE SET "
	"total = c.total OPERATOR(pg_catalog.+) excluded.total",
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
	Datum		values[1];
	LOCKTAG		tag;

	/*
	 * To the end of the transaction: only then do others see what was folded.
	 * Who gets the lock afterwards sees it, because each query has a snapshot
	 * of its own.
	 */
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, ladder->relation[LADDER_CONFIG], 0, TAG_FOLD);
	if (LockAcquire(&tag, ExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return 0;
	values[0] = Int64GetDatum(max);
	return ladder_execute(ladder, &fold_query, values, NULL, NULL);
}

static int
compare_pools(const void *a, const void *b)
{
	return strcmp(((const CountChange *) a)->pool, ((const CountChange *) b)->pool);
}

void
counts_end(CountWriter *writer)
{
	Ladder	   *ladder;
	CountChange *change;
	bool		large;
	int64		i;
	int64		end;

	if (writer == NULL)
		return;
	ladder = writer->ladder;
	change = writer->change;

	/* Plans that are kept serve any number of rows. */
	large = ladder->large;
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
	pfree(change);
	pfree(writer);
}

/* fold_rating_counts(ladder) */
Datum
skillrating_fold_rating_counts(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
												   "fold_rating_counts"));
	uint64		n = fold_counts(ladder, PG_INT64_MAX);

	ladder_close(ladder);
	PG_RETURN_INT64((int64) n);
}

/*
 * ---- Reading ----
 */

/* sum_nets(ranges, nets, first, last); the owner of a ladder can write such arrays. */
Datum
skillrating_sum_nets(PG_FUNCTION_ARGS)
{
	ArrayType  *ranges = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType  *nets = PG_GETARG_ARRAYTYPE_P(1);
	const int32 *range = (const int32 *) ARR_DATA_PTR(ranges);
	const int32 *net = (const int32 *) ARR_DATA_PTR(nets);
	int32		first = PG_GETARG_INT32(2);
	int32		last = PG_GETARG_INT32(3);
	int			n = ArrayGetNItems(ARR_NDIM(ranges), ARR_DIMS(ranges));
	int64		sum = 0;
	int			i;

	if (ArrayGetNItems(ARR_NDIM(nets), ARR_DIMS(nets)) != n || ARR_HASNULL(ranges) ||
		ARR_HASNULL(nets))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("counts of ratings were changed by hand"),
				 errhint("set_ranks(ladder, 'counted') recounts them.")));
	for (i = 0; i < n; i++)
		if (range[i] >= first && range[i] <= last)
			sum += net[i];
	PG_RETURN_INT64(sum);
}

static LadderQuery rebuild_query = {
	.text = "SELECT skillrating_internal.rebuild_rating_counts($1)",
	.param = {VALUE_TEXT}
};

static LadderQuery wrong_counts_query = {
	.text = "SELECT skillrating_internal.wrong_rating_counts($1)",
	.param = {VALUE_TEXT}
};

/* The number that one of these queries returns, 0 where the ladder does not count. */
static int64
read_for_ladder(Ladder *ladder, LadderQuery *query)
{
	Datum		values[1];
	int64		number = 0;

	values[0] = CStringGetTextDatum(ladder->name);
	if (OidIsValid(ladder->relation[LADDER_RATING_COUNT]))
		(void) ladder_read_number(ladder, query, values, &number);
	return number;
}

void
counts_catch_up(Ladder *ladder, bool rebuild)
{
	if (rebuild)
		(void) read_for_ladder(ladder, &rebuild_query);
	else if (OidIsValid(ladder->relation[LADDER_RATING_COUNT]) && !IsolationUsesXactSnapshot())
		(void) fold_counts(ladder, PG_INT64_MAX);
}

int64
counts_verify(Ladder *ladder)
{
	return read_for_ladder(ladder, &wrong_counts_query);
}
