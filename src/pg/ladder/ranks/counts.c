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
#include "pg/sql/huge.h"
#include "pg/sql/subtransaction.h"

SKILLRATING_FUNCTION(skillrating_rating_cell);
SKILLRATING_FUNCTION(skillrating_fold_rating_counts);

/* A row of rating_count_delta has so many cells at most. */
#define MAX_ROW_CELLS 500

/*
 * Work that changes n cells folds with a probability of n in so many: so all of them
 * together do it once for that many changes, which readers go through in a fraction of a
 * millisecond, and nobody has to count what waits.
 */
#define CELLS_BETWEEN_FOLDS 32768

/* To read a row takes as long as so many cells. */
#define ROW_CELLS 16

/* Those who rate fold no more rows than this at a time. */
#define MAX_FOLDED_ROWS 8192

/* The fourth field of the tag of the lock on folding; match_locks.c has others. */
#define TAG_FOLD 5

/*
 * ---- Cells ----
 */

int32
count_period(TimestampTz at)
{
	/*
	 * Towards minus infinity, whatever the compiler makes of a negative
	 * shift.
	 */
	int64		width = INT64CONST(1) << COUNT_PERIOD_BITS;
	int64		period = at / width;

	return (int32) (period - (at % width < 0));
}

static CountCell
count_cell(double rating, TimestampTz last_played)
{
	return ((CountCell) number_range(rating) << 32) | (uint32) count_period(last_played);
}

/* rating_cell(rating, last_played) */
Datum
skillrating_rating_cell(PG_FUNCTION_ARGS)
{
	TimestampTz last_played = PG_ARGISNULL(1) ? DT_NOBEGIN : PG_GETARG_TIMESTAMPTZ(1);

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_INT64(count_cell(PG_GETARG_FLOAT8(0), last_played));
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

/* Room for another change: many may go back and forth between few cells. */
static void
make_room(CountChanges *changes)
{
	MemoryContext old;

	if (changes->n >= CELLS_BETWEEN_FOLDS)
		count_changes_sum(changes);
	if (2 * changes->n < changes->max)
		return;
	old = MemoryContextSwitchTo(changes->context);
	changes->max = Max(64, 2 * changes->max);
	huge_array_grow(changes->change, CountChange, changes->max);
	MemoryContextSwitchTo(old);
}

void
count_changes_add(CountChanges *changes, const char *pool, CountCell cell, int32 net)
{
	CountChange *change;

	if (changes->n == changes->max)
		make_room(changes);
	pool = changes_pool(changes, pool);
	change = &changes->change[changes->n++];
	change->pool = pool;
	change->cell = cell;
	change->net = net;
}

static int
compare_changes(const void *a, const void *b)
{
	const CountChange *x = (const CountChange *) a;
	const CountChange *y = (const CountChange *) b;
	int			order = x->pool == y->pool ? 0 : strcmp(x->pool, y->pool);

	return order != 0 ? order : (x->cell > y->cell) - (x->cell < y->cell);
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
count_delta_row(const Ladder *ladder, Datum cells, Datum nets, const CountCell **cell,
				const int32 **net)
{
	int			ncells;
	int			nnets;
	int			i;

	*cell = count_elements(ladder, cells, false, &ncells);
	*net = count_elements(ladder, nets, false, &nnets);
	if (ncells != nnets)
		report_foreign_counts(ladder);
	for (i = 0; i < ncells; i++)
		if ((*cell)[i] < 0)
			report_foreign_counts(ladder);
	return ncells;
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
						  count_cell(model_display(ladder->model, ladder->params, state),
									 record->last_played), net);
}

static LadderQuery insert_delta_query = {
	.text = "INSERT INTO {rating_count_delta} (pool, cells, nets) VALUES ($1, $2, $3)",
	.param = {VALUE_TEXT, ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_INT4)}
};

/* Append a row with changes of one pool. */
static void
insert_delta(Ladder *ladder, const CountChange *change, int n)
{
	Datum		values[3];
	Datum		cells[MAX_ROW_CELLS];
	Datum		nets[MAX_ROW_CELLS];
	bool		large = ladder->large;
	int			i;

	for (i = 0; i < n; i++)
	{
		cells[i] = Int64GetDatum(change[i].cell);
		nets[i] = Int32GetDatum(change[i].net);
	}
	values[0] = CStringGetTextDatum(change[0].pool);
	values[1] = PointerGetDatum(construct_array(cells, n, INT8OID, sizeof(int64),
												FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
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
	"RETURNING d.pool, d.cells, d.nets",
	.param = {VALUE_INT8}
};

enum
{
	DELTA_POOL = 1,
	DELTA_CELLS,
	DELTA_NETS
};

static LadderQuery read_counts_query = {
	.text = "SELECT c.place, c.total, c.ranges, c.active, c.active_counts FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 0 "
	"AND c.place OPERATOR(pg_catalog.=) ANY ($2) ORDER BY c.place",
	.param = {VALUE_TEXT, ARRAY_OF(VALUE_INT4)}
};

enum
{
	COUNT_PLACE = 1,
	COUNT_TOTAL,
	COUNT_OF_RANGES,
	COUNT_ACTIVE,
	COUNT_ACTIVE_COUNTS
};

static LadderQuery write_counts_query = {
	.text = "INSERT INTO {rating_count} AS c (pool, level, place, total, ranges, active, active_counts) "
	"VALUES ($1, 0, $2, $3, $4, $5, $6) ON CONFLICT (pool, level, place) DO UPDATE SET "
	"total = excluded.total, ranges = excluded.ranges, active = excluded.active, "
	"active_counts = excluded.active_counts",
	.param = {VALUE_TEXT, VALUE_INT4, VALUE_INT8, ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_INT4),
	ARRAY_OF(VALUE_INT4)}
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
	int32	   *active;			/* period * COUNT_QUARTERS + quarter, sorted */
	int32	   *active_count;	/* of them */
	int			nactive;
	int			max_active;
} CountRow;

/* Count in a quarter and period. */
static void
count_active(CountRow *row, int32 quarter, int32 period, int32 net)
{
	int32		key = period * COUNT_QUARTERS + quarter;
	int			low = 0;
	int			high = row->nactive;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (row->active[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < row->nactive && row->active[low] == key)
	{
		row->active_count[low] += net;
		return;
	}
	if (row->nactive == row->max_active)
	{
		row->max_active = 2 * row->max_active;
		huge_array_grow(row->active, int32, row->max_active);
		huge_array_grow(row->active_count, int32, row->max_active);
	}
	memmove(&row->active[low + 1], &row->active[low], (row->nactive - low) * sizeof(int32));
	memmove(&row->active_count[low + 1], &row->active_count[low],
			(row->nactive - low) * sizeof(int32));
	row->active[low] = key;
	row->active_count[low] = net;
	row->nactive++;
}

/* Make a row of what the table has, which is nothing where tuple is NULL. */
static void
read_count_row(const Ladder *ladder, CountRow *row, HeapTuple tuple, TupleDesc desc)
{
	Datum		array;
	bool		isnull;
	const int32 *values;
	int			n;
	int			ncounts;

	row->total = 0;
	row->nactive = 0;
	row->max_active = 64;
	memset(row->range, 0, sizeof(row->range));
	if (tuple != NULL)
	{
		row->total = DatumGetInt64(SPI_getbinval(tuple, desc, COUNT_TOTAL, &isnull));
		array = SPI_getbinval(tuple, desc, COUNT_OF_RANGES, &isnull);
		values = count_elements(ladder, array, isnull, &n);
		if (n != COUNT_RANGES)
			report_foreign_counts(ladder);
		memcpy(row->range, values, sizeof(row->range));
		array = SPI_getbinval(tuple, desc, COUNT_ACTIVE, &isnull);
		values = count_elements(ladder, array, isnull, &n);
		row->max_active = 2 * n + 64;
	}
	row->active = palloc_array(int32, row->max_active);
	row->active_count = palloc_array(int32, row->max_active);
	if (tuple != NULL)
	{
		memcpy(row->active, values, n * sizeof(int32));
		array = SPI_getbinval(tuple, desc, COUNT_ACTIVE_COUNTS, &isnull);
		values = count_elements(ladder, array, isnull, &ncounts);
		if (ncounts != n)
			report_foreign_counts(ladder);
		memcpy(row->active_count, values, n * sizeof(int32));
		row->nactive = n;
	}
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

/* Write a row, but for periods in which nobody is counted any more. */
static void
write_count_row(Ladder *ladder, const char *pool, CountRow *row)
{
	Datum		values[6];
	int			n = 0;
	int			i;

	for (i = 0; i < row->nactive; i++)
		if (row->active_count[i] != 0)
		{
			row->active[n] = row->active[i];
			row->active_count[n++] = row->active_count[i];
		}
	values[0] = CStringGetTextDatum(pool);
	values[1] = Int32GetDatum(row->place);
	values[2] = Int64GetDatum(row->total);
	values[3] = int4_array(row->range, COUNT_RANGES);
	values[4] = int4_array(row->active, n);
	values[5] = int4_array(row->active_count, n);
	(void) ladder_execute(ladder, &write_counts_query, values, NULL, NULL);
}

/* Bring a row up to date by the first of n changes, as far as they are about it; returns how many. */
static int64
change_count_row(CountRow *row, const CountChange *change, int64 n)
{
	int64		i;

	for (i = 0; i < n; i++)
	{
		int32		range = cell_range(change[i].cell);

		if (range >> COUNT_RANGE_BITS != row->place)
			break;
		row->total += change[i].net;
		row->range[range & (COUNT_RANGES - 1)] += change[i].net;
		count_active(row, QUARTER_OF_RANGE(range) & (COUNT_QUARTERS - 1),
					 cell_period(change[i].cell), change[i].net);
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
		int32		next = cell_range(change[i].cell) >> COUNT_RANGE_BITS;

		if (nplaces == 0 || place[nplaces - 1] != next)
			place[nplaces++] = next;
	}
	return int4_array(place, nplaces);
}

/* Fold n changes of one pool, sorted by cell. */
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
		CountRow	counts = {.place = cell_range(change[i].cell) >> COUNT_RANGE_BITS};
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
		Datum		cells = SPI_getbinval(tuple, rows->tupdesc, DELTA_CELLS, &isnull[1]);
		Datum		nets = SPI_getbinval(tuple, rows->tupdesc, DELTA_NETS, &isnull[2]);
		const CountCell *cell;
		const int32 *net;
		int			n;

		CHECK_FOR_INTERRUPTS();
		if (pool == NULL || isnull[1] || isnull[2])
			report_foreign_counts(ladder);
		n = count_delta_row(ladder, cells, nets, &cell, &net);
		while (n-- > 0)
			count_changes_add(&changes, pool, cell[n], net[n]);
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

/* Whether it is time to fold, after work that has changed n cells. */
static bool
is_time_to_fold(int64 n)
{
	return n > 0 &&
		(int64) (pg_prng_uint64(&pg_global_prng_state) % CELLS_BETWEEN_FOLDS) < n + ROW_CELLS;
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
		for (end = i + 1; end < changes->n && end - i < MAX_ROW_CELLS; end++)
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
