/*
 * counts.c
 *		Keeping the numbers of players by their ratings.
 */
#include "pg/ladder/ranks/counts.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/util/number_order.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/ranks/hook.h"
#include "pg/sql/subtransaction.h"

SKILLRATING_FUNCTION(skillrating_rating_range);
SKILLRATING_FUNCTION(skillrating_fold_rating_counts);

/* A row of rating_count_delta has so many ranges at most. */
#define MAX_ROW_RANGES 500

/*
 * Work that changes n ranges folds with a probability of n in so many: so all of them
 * together do it once for that many changes, which readers go through in a fraction of a
 * millisecond, and nobody has to count what waits.
 */
#define RANGES_BETWEEN_FOLDS 32768

/* To read a row takes as long as so many ranges. */
#define ROW_RANGES 16

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

/*
 * ---- Changes ----
 */

void
count_changes_init(CountChanges *changes)
{
	memset(changes, 0, sizeof(*changes));
	changes->context = CurrentMemoryContext;
}

/* The copy of the name of a pool, of which there are few. */
static const char *
changes_pool(CountChanges *changes, const char *pool)
{
	int			i;

	if (changes->n > 0 && strcmp(changes->change[changes->n - 1].pool, pool) == 0)
		return changes->change[changes->n - 1].pool;
	for (i = 0; i < changes->npools; i++)
		if (strcmp(changes->pool[i], pool) == 0)
			return changes->pool[i];
	if ((changes->npools & (changes->npools - 1)) == 0)
	{
		MemoryContext old = MemoryContextSwitchTo(changes->context);

		huge_array_grow(changes->pool, const char *, Max(1, 2 * changes->npools));
		MemoryContextSwitchTo(old);
	}
	return changes->pool[changes->npools++] = MemoryContextStrdup(changes->context, pool);
}

/* Room for another change: many may go back and forth between few ranges. */
static void
make_room(CountChanges *changes)
{
	MemoryContext old;

	if (changes->n >= RANGES_BETWEEN_FOLDS)
		count_changes_sum(changes);
	if (2 * changes->n < changes->max)
		return;
	old = MemoryContextSwitchTo(changes->context);
	changes->max = Max(64, 2 * changes->max);
	huge_array_grow(changes->change, CountChange, changes->max);
	MemoryContextSwitchTo(old);
}

void
count_changes_add(CountChanges *changes, const char *pool, int32 range, int32 net)
{
	CountChange *change;

	if (changes->n == changes->max)
		make_room(changes);
	pool = changes_pool(changes, pool);
	change = &changes->change[changes->n++];
	change->pool = pool;
	change->range = range;
	change->net = net;
}

static int
compare_changes(const void *a, const void *b)
{
	const CountChange *x = (const CountChange *) a;
	const CountChange *y = (const CountChange *) b;
	int			order = x->pool == y->pool ? 0 : strcmp(x->pool, y->pool);

	return order != 0 ? order : (x->range > y->range) - (x->range < y->range);
}

void
count_changes_sum(CountChanges *changes)
{
	int64		n = 0;
	int64		i;

	if (changes->n == 0)
		return;
	qsort(changes->change, changes->n, sizeof(CountChange), compare_changes);
	for (i = 0; i < changes->n; i++)
	{
		const CountChange *change = &changes->change[i];

		if (n > 0 && compare_changes(&changes->change[n - 1], change) == 0)
			changes->change[n - 1].net += change->net;
		else
		{
			if (n > 0 && changes->change[n - 1].net == 0)
				n--;
			changes->change[n++] = *change;
		}
	}
	if (changes->change[n - 1].net == 0)
		n--;
	changes->n = n;
}

void
report_foreign_counts(const Ladder *ladder)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("counts of ratings of ladder \"%s\" were changed by hand",
					ladder->name),
			 errhint("SELECT skillrating.set_ranks(%s, 'counted') recounts them.",
					 quote_literal_cstr(ladder->name))));
}

const void *
count_elements(const Ladder *ladder, Datum array, bool isnull, int *n)
{
	ArrayType  *values;

	if (isnull)
		report_foreign_counts(ladder);
	values = DatumGetArrayTypeP(array);
	*n = ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
	if (ARR_HASNULL(values) || ARR_NDIM(values) > 1)
		report_foreign_counts(ladder);
	return ARR_DATA_PTR(values);
}

int
count_delta_row(const Ladder *ladder, Datum ranges, Datum nets, const int32 **range,
				const int32 **net)
{
	int			nranges;
	int			nnets;
	int			i;

	*range = count_elements(ladder, ranges, false, &nranges);
	*net = count_elements(ladder, nets, false, &nnets);
	if (nranges != nnets)
		report_foreign_counts(ladder);
	for (i = 0; i < nranges; i++)
		if ((*range)[i] < 0)
			report_foreign_counts(ladder);
	return nranges;
}

/*
 * ---- Writing ----
 */

struct CountWriter
{
	Ladder	   *ladder;
	CountChanges changes;
};

static CountWriter *
count_writer_begin(Ladder *ladder)
{
	CountWriter *writer = palloc_object(CountWriter);

	writer->ladder = ladder;
	count_changes_init(&writer->changes);
	return writer;
}

static void
count_writer_put(CountWriter *writer, int32 net, const char *pool,
				 const PlayerRecord *record, const double *state)
{
	const Ladder *ladder = writer->ladder;

	if (record->games > 0)
		count_changes_add(&writer->changes, pool,
						  number_range(model_display(ladder->model, ladder->params, state)), net);
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
	Datum		ranges[MAX_ROW_RANGES];
	Datum		nets[MAX_ROW_RANGES];
	bool		large = ladder->large;
	int			i;

	for (i = 0; i < n; i++)
	{
		ranges[i] = Int32GetDatum(change[i].range);
		nets[i] = Int32GetDatum(change[i].net);
	}
	values[0] = CStringGetTextDatum(change[0].pool);
	values[1] = PointerGetDatum(construct_array(ranges, n, INT4OID, sizeof(int32),
												true, TYPALIGN_INT));
	values[2] = PointerGetDatum(construct_array(nets, n, INT4OID, sizeof(int32),
												true, TYPALIGN_INT));

	/* A plan that is kept serves any number of rows. */
	ladder->large = false;
	if (ladder_execute(ladder, &insert_delta_query, values, NULL, NULL) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table rating_count_delta of ladder \"%s\" takes no row",
						ladder->name),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
	ladder->large = large;
	for (i = 0; i < 3; i++)
		pfree(DatumGetPointer(values[i]));
}

/*
 * ---- Folding ----
 */

static LadderQuery take_deltas_query = {
	.text = "DELETE FROM {rating_count_delta} AS d WHERE d.ctid OPERATOR(pg_catalog.=) "
	"ANY (ARRAY(SELECT f.ctid FROM {rating_count_delta} AS f LIMIT $1)) "
	"RETURNING d.pool, d.ranges, d.nets",
	.param = {VALUE_INT8}
};

enum
{
	DELTA_POOL = 1,
	DELTA_RANGES,
	DELTA_NETS
};

static LadderQuery read_counts_query = {
	.text = "SELECT c.place, c.total, c.ranges FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 0 "
	"AND c.place OPERATOR(pg_catalog.=) ANY ($2) ORDER BY c.place",
	.param = {VALUE_TEXT, ARRAY_OF(VALUE_INT4)}
};

enum
{
	COUNT_PLACE = 1,
	COUNT_TOTAL,
	COUNT_OF_RANGES
};

static LadderQuery write_counts_query = {
	.text = "INSERT INTO {rating_count} AS c (pool, level, place, total, ranges) "
	"VALUES ($1, 0, $2, $3, $4) ON CONFLICT (pool, level, place) DO UPDATE SET "
	"total = excluded.total, ranges = excluded.ranges",
	.param = {VALUE_TEXT, VALUE_INT4, VALUE_INT8, ARRAY_OF(VALUE_INT4)}
};

static LadderQuery add_sum_query = {
	.text = "INSERT INTO {rating_count} AS c (pool, level, place, total) VALUES ($1, 1, $2, $3) "
	"ON CONFLICT (pool, level, place) DO UPDATE SET "
	"total = c.total OPERATOR(pg_catalog.+) excluded.total",
	.param = {VALUE_TEXT, VALUE_INT4, VALUE_INT8}
};

/* A row of rating_count of level 0. */
typedef struct CountRow
{
	int32		place;			/* the upper bits of its ranges */
	int64		total;
	int32		range[COUNT_RANGES];
} CountRow;

/* Make a row of what the table has, which is nothing where tuple is NULL. */
static void
read_count_row(const Ladder *ladder, CountRow *row, HeapTuple tuple, TupleDesc desc)
{
	Datum		ranges;
	bool		isnull;
	const int32 *values;
	int			n;

	row->total = 0;
	memset(row->range, 0, sizeof(row->range));
	if (tuple == NULL)
		return;
	row->total = DatumGetInt64(SPI_getbinval(tuple, desc, COUNT_TOTAL, &isnull));
	ranges = SPI_getbinval(tuple, desc, COUNT_OF_RANGES, &isnull);
	values = count_elements(ladder, ranges, isnull, &n);
	if (n != COUNT_RANGES)
		report_foreign_counts(ladder);
	memcpy(row->range, values, sizeof(row->range));
}

static Datum
int4_array(const int32 *value, int n)
{
	Datum	   *element = palloc_array(Datum, Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
		element[i] = Int32GetDatum(value[i]);
	return PointerGetDatum(construct_array(element, n, INT4OID, sizeof(int32), true,
										   TYPALIGN_INT));
}

static void
write_count_row(Ladder *ladder, const char *pool, const CountRow *row)
{
	Datum		values[4];

	values[0] = CStringGetTextDatum(pool);
	values[1] = Int32GetDatum(row->place);
	values[2] = Int64GetDatum(row->total);
	values[3] = int4_array(row->range, COUNT_RANGES);
	(void) ladder_execute(ladder, &write_counts_query, values, NULL, NULL);
}

/* Bring a row up to date by the first of n changes, as far as they are about it; returns how many. */
static int64
change_count_row(CountRow *row, const CountChange *change, int64 n)
{
	int64		i;

	for (i = 0; i < n; i++)
	{
		int32		range = change[i].range;

		if (range >> COUNT_RANGE_BITS != row->place)
			break;
		row->total += change[i].net;
		row->range[range & (COUNT_RANGES - 1)] += change[i].net;
	}
	return i;
}

/* Add to a sum, unless nothing changes. */
static void
add_sum(Ladder *ladder, const char *pool, int32 place, int64 net)
{
	Datum		values[3];

	if (net == 0)
		return;
	values[0] = CStringGetTextDatum(pool);
	values[1] = Int32GetDatum(place);
	values[2] = Int64GetDatum(net);
	(void) ladder_execute(ladder, &add_sum_query, values, NULL, NULL);
}

/* The places of the rows that n changes are about, as a query takes them. */
static Datum
changed_places(const CountChange *change, int64 n)
{
	int32	   *place = huge_array(int32, n);
	int			nplaces = 0;
	int64		i;

	for (i = 0; i < n; i++)
	{
		int32		next = change[i].range >> COUNT_RANGE_BITS;

		if (nplaces == 0 || place[nplaces - 1] != next)
			place[nplaces++] = next;
	}
	return int4_array(place, nplaces);
}

/* Fold n changes of one pool, sorted by range. */
static void
fold_pool(Ladder *ladder, const CountChange *change, int64 n)
{
	const char *pool = change[0].pool;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "skillrating counts",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	SPITupleTable *rows;
	Datum		values[2];
	uint64		row = 0;
	int32		group = -1;
	int64		sum = 0;
	int64		i = 0;

	values[0] = CStringGetTextDatum(pool);
	values[1] = changed_places(change, n);
	(void) ladder_execute(ladder, &read_counts_query, values, NULL, NULL);
	rows = SPI_tuptable;
	old = MemoryContextSwitchTo(context);
	while (i < n)
	{
		CountRow	counts = {.place = change[i].range >> COUNT_RANGE_BITS};
		HeapTuple	tuple = NULL;
		int64		total;
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		if (row < rows->numvals &&
			DatumGetInt32(SPI_getbinval(rows->vals[row], rows->tupdesc, COUNT_PLACE,
										&isnull)) == counts.place)
			tuple = rows->vals[row++];
		read_count_row(ladder, &counts, tuple, rows->tupdesc);
		total = counts.total;
		i += change_count_row(&counts, &change[i], n - i);
		write_count_row(ladder, pool, &counts);
		if (counts.place >> COUNT_RANGE_BITS != group)
		{
			add_sum(ladder, pool, group, sum);
			group = counts.place >> COUNT_RANGE_BITS;
			sum = 0;
		}
		sum += counts.total - total;
		MemoryContextReset(context);
	}
	add_sum(ladder, pool, group, sum);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	SPI_freetuptable(rows);
}

/* Take rows of rating_count_delta out, at most so many, and fold them; returns how many. */
static uint64
fold_some(Ladder *ladder, int64 max)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "skillrating changes of counts",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Datum		values[1];
	CountChanges changes;
	SPITupleTable *rows;
	uint64		nrows;
	uint64		row;
	int64		i;
	int64		end;

	count_changes_init(&changes);
	values[0] = Int64GetDatum(max);
	nrows = ladder_execute(ladder, &take_deltas_query, values, NULL, NULL);
	rows = SPI_tuptable;
	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = rows->vals[row];
		bool		isnull[3];
		char	   *pool = SPI_getvalue(tuple, rows->tupdesc, DELTA_POOL);
		Datum		ranges = SPI_getbinval(tuple, rows->tupdesc, DELTA_RANGES, &isnull[1]);
		Datum		nets = SPI_getbinval(tuple, rows->tupdesc, DELTA_NETS, &isnull[2]);
		const int32 *range;
		const int32 *net;
		int			n;

		CHECK_FOR_INTERRUPTS();
		if (pool == NULL || isnull[1] || isnull[2])
			report_foreign_counts(ladder);
		n = count_delta_row(ladder, ranges, nets, &range, &net);
		while (n-- > 0)
			count_changes_add(&changes, pool, range[n], net[n]);
	}
	SPI_freetuptable(rows);
	count_changes_sum(&changes);
	for (i = 0; i < changes.n; i = end)
	{
		for (end = i + 1; end < changes.n; end++)
			if (changes.change[end].pool != changes.change[i].pool)
				break;
		fold_pool(ladder, &changes.change[i], end - i);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return nrows;
}

/*
 * Fold rows of rating_count_delta into rating_count: all of them that this transaction sees,
 * or some thousand at most; returns how many.  Does nothing if another transaction that is
 * still open has done so: nobody waits, unless wait is set.
 */
static uint64
fold_counts(Ladder *ladder, bool all, bool wait)
{
	bool		large = ladder->large;
	uint64		total = 0;
	uint64		n;
	LOCKTAG		tag;

	/*
	 * To the end of the transaction: only then do others see what was folded.
	 * Who gets the lock afterwards sees it, because each query has a snapshot
	 * of its own.
	 */
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, ladder->relation[LADDER_CONFIG], 0, TAG_FOLD);
	if (LockAcquire(&tag, ExclusiveLock, false, !wait) == LOCKACQUIRE_NOT_AVAIL)
		return 0;
	ladder->large = false;
	do
	{
		n = fold_some(ladder, MAX_FOLDED_ROWS);
		total += n;
	} while (n == MAX_FOLDED_ROWS && all);
	ladder->large = large;
	return total;
}

/* What is to be folded in a subtransaction. */
typedef struct FoldArguments
{
	Ladder	   *ladder;
	bool		all;
} FoldArguments;

static bool
fold_inside(void *arg)
{
	const FoldArguments *arguments = (const FoldArguments *) arg;

	(void) fold_counts(arguments->ladder, arguments->all, false);
	return true;
}

/*
 * Fold, as far as the isolation level allows.  At REPEATABLE READ rows that others have folded
 * since the snapshot make it fail, in a subtransaction of its own: then somebody else will
 * fold.  At SERIALIZABLE reading all that waits would bring others to fail.
 */
static void
fold_now(Ladder *ladder, bool all)
{
	FoldArguments arguments = {ladder, all};
	bool		large = ladder->large;
	ErrorData  *error;
	bool		done;

	if (IsolationIsSerializable())
		return;
	if (!IsolationUsesXactSnapshot())
	{
		(void) fold_inside(&arguments);
		return;
	}
	error = try_in_subtransaction(fold_inside, &arguments, &done);
	if (error == NULL)
		return;
	ladder->large = large;
	if (error->sqlerrcode != ERRCODE_T_R_SERIALIZATION_FAILURE)
		ReThrowError(error);
	FreeErrorData(error);
}

/* Whether it is time to fold, after work that has changed n ranges. */
static bool
is_time_to_fold(int64 n)
{
	return n > 0 &&
		(int64) (pg_prng_uint64(&pg_global_prng_state) % RANGES_BETWEEN_FOLDS) < n + ROW_RANGES;
}

static void
count_writer_end(CountWriter *writer)
{
	const CountChanges *changes = &writer->changes;
	int64		i;
	int64		end;

	count_changes_sum(&writer->changes);
	for (i = 0; i < changes->n; i = end)
	{
		CHECK_FOR_INTERRUPTS();
		for (end = i + 1; end < changes->n && end - i < MAX_ROW_RANGES; end++)
			if (changes->change[end].pool != changes->change[i].pool)
				break;
		insert_delta(writer->ladder, &changes->change[i], (int) (end - i));
	}

	if (is_time_to_fold(changes->n))
		fold_now(writer->ladder, false);
	if (changes->change != NULL)
		pfree(changes->change);
	pfree(writer);
}

/*
 * ---- The hook ----
 */

static LadderQuery rebuild_query = {
	.text = "SELECT skillrating_internal.rebuild_rating_counts($1)",
	.param = {VALUE_TEXT}
};

static LadderQuery wrong_counts_query = {
	.text = "SELECT skillrating_internal.wrong_rating_counts($1)",
	.param = {VALUE_TEXT}
};

/* The number that one of these queries returns. */
static int64
execute_for_ladder(Ladder *ladder, LadderQuery *query)
{
	Datum		values[1];
	int64		result;
	bool		isnull;

	values[0] = CStringGetTextDatum(ladder->name);
	(void) ladder_execute(ladder, query, values, NULL, NULL);
	result = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_freetuptable(SPI_tuptable);
	return result;
}

static void
catch_up_counts(Ladder *ladder, bool rebuild)
{
	if (rebuild)
		(void) execute_for_ladder(ladder, &rebuild_query);
	else
		fold_now(ladder, true);
}

static int64
verify_counts(Ladder *ladder)
{
	return execute_for_ladder(ladder, &wrong_counts_query);
}

const RankHook *
rank_hook(const Ladder *ladder)
{
	static const RankHook counted = {
		.begin = count_writer_begin,
		.put = count_writer_put,
		.end = count_writer_end,
		.catch_up = catch_up_counts,
		.verify = verify_counts
	};

	return OidIsValid(ladder->relation[LADDER_RATING_COUNT]) ? &counted : NULL;
}

/* fold_rating_counts(ladder) */
Datum
skillrating_fold_rating_counts(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
												   "fold_rating_counts"));
	uint64		n = fold_counts(ladder, true, true);

	ladder_close(ladder);
	PG_RETURN_INT64((int64) n);
}
