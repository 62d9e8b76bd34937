/*
 * count_functions.c
 *		The body of the function that reads the counts of ratings.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/util/number_order.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/ranks/counts.h"
#include "pg/ladder/row_reader.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_range_counts);

/* The changes of a pool that are not folded. */
static LadderQuery read_deltas_query = {
	.text = "SELECT d.ranges, d.nets FROM {rating_count_delta} AS d "
	"WHERE d.pool OPERATOR(pg_catalog.=) $1",
	.param = {VALUE_TEXT}
};

enum
{
	DELTA_RANGES = 1,
	DELTA_NETS
};

/* What takes the rows of that query as they come, without a copy of each. */
typedef struct DeltaReceiver
{
	DestReceiver pub;
	const Ladder *ladder;
	void		(*take) (void *arg, const int32 *range, const int32 *net, int n);
	void	   *arg;
} DeltaReceiver;

static bool
receive_delta(TupleTableSlot *slot, DestReceiver *self)
{
	DeltaReceiver *receiver = (DeltaReceiver *) self;
	bool		isnull[2];
	Datum		ranges = slot_getattr(slot, DELTA_RANGES, &isnull[0]);
	Datum		nets = slot_getattr(slot, DELTA_NETS, &isnull[1]);
	const int32 *range;
	const int32 *net;
	int			n;

	if (isnull[0] || isnull[1])
		return true;
	n = count_delta_row(receiver->ladder, ranges, nets, &range, &net);
	receiver->take(receiver->arg, range, net, n);
	return true;
}

static void
begin_deltas(DestReceiver *self, int operation, TupleDesc desc)
{
	(void) self;
	(void) operation;
	(void) desc;
}

static void
end_deltas(DestReceiver *self)
{
	(void) self;
}

/* Hand the changes of a pool to a function, row by row. */
static void
read_deltas(Ladder *ladder, const char *pool,
			void (*take) (void *arg, const int32 *range, const int32 *net, int n), void *arg)
{
	DeltaReceiver receiver = {
		.pub = {receive_delta, begin_deltas, end_deltas, end_deltas, DestNone},
		.ladder = ladder,.take = take,.arg = arg
	};
	Datum		values[1];

	values[0] = CStringGetTextDatum(pool);
	(void) ladder_execute(ladder, &read_deltas_query, values, NULL, &receiver.pub);
}

/*
 * ---- Ranks ----
 */

/*
 * The sums of a pool, and within one of them the rows; of the row of a rating its ranges, too.
 */
static LadderQuery read_sums_query = {
	.text = "SELECT c.level, c.place, c.total, NULL FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 1 "
	"UNION ALL SELECT c.level, c.place, c.total, "
	"CASE WHEN c.place OPERATOR(pg_catalog.=) $2 THEN c.ranges END FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 0 "
	"AND c.place OPERATOR(pg_catalog.>=) $3 AND c.place OPERATOR(pg_catalog.<=) $4",
	.param = {VALUE_TEXT, VALUE_INT4, VALUE_INT4, VALUE_INT4}
};

enum
{
	SUM_LEVEL = 1,
	SUM_PLACE,
	SUM_TOTAL,
	SUM_RANGES
};

/* How many players of a pool there are, and in ranges above and below that of a rating. */
typedef struct RangeCounts
{
	int64		above;
	int64		below;
	int64		total;
} RangeCounts;

/* Add so many players whose part of the order compares so with that of the rating. */
static void
add_counts(RangeCounts *counts, int order, int64 n)
{
	if (order > 0)
		counts->above += n;
	else if (order < 0)
		counts->below += n;
}

/* Add the counts of the ranges in the row of a range. */
static void
add_ranges(const Ladder *ladder, RangeCounts *counts, Datum ranges, int32 range)
{
	int			n;
	const int32 *count = count_elements(ladder, ranges, false, &n);
	int			place = range & (COUNT_RANGES - 1);
	int			i;

	if (n != COUNT_RANGES)
		report_foreign_counts(ladder);
	for (i = 0; i < n; i++)
		add_counts(counts, i - place, count[i]);
}

/* What table rating_count has. */
static void
count_folded(Ladder *ladder, const char *pool, int32 range, RangeCounts *counts)
{
	int32		row = range >> COUNT_RANGE_BITS;
	int32		group = row >> COUNT_RANGE_BITS;
	Datum		values[4];
	uint64		nrows;
	uint64		i;

	values[0] = CStringGetTextDatum(pool);
	values[1] = Int32GetDatum(row);
	values[2] = Int32GetDatum(group << COUNT_RANGE_BITS);
	values[3] = Int32GetDatum((group << COUNT_RANGE_BITS) + COUNT_RANGES - 1);
	nrows = ladder_execute(ladder, &read_sums_query, values, NULL, NULL);
	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		bool		is_row = DatumGetInt32(SPI_getbinval(tuple, desc, SUM_LEVEL, &isnull)) == 0;
		int32		place = DatumGetInt32(SPI_getbinval(tuple, desc, SUM_PLACE, &isnull));
		int64		total = DatumGetInt64(SPI_getbinval(tuple, desc, SUM_TOTAL, &isnull));
		Datum		ranges = SPI_getbinval(tuple, desc, SUM_RANGES, &isnull);

		if (is_row)
			add_counts(counts, place - row, total);
		else
		{
			counts->total += total;
			add_counts(counts, place - group, total);
		}
		if (!isnull)
			add_ranges(ladder, counts, ranges, range);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* What has changed since, as seen from a range. */
typedef struct UnfoldedCounts
{
	RangeCounts *counts;
	int32		range;
} UnfoldedCounts;

static void
count_unfolded(void *arg, const int32 *range, const int32 *net, int n)
{
	const UnfoldedCounts *unfolded = (const UnfoldedCounts *) arg;

	while (n-- > 0)
	{
		add_counts(unfolded->counts, range[n] - unfolded->range, net[n]);
		unfolded->counts->total += net[n];
	}
}

/* The columns that range_counts() returns, from 0. */
enum
{
	RANGE_ABOVE,
	RANGE_BELOW,
	RANGE_TOTAL,
	RANGE_BOTTOM,
	RANGE_TOP,
	RANGE_NCOLUMNS
};

/* range_counts(ladder, pool, rating) */
Datum
skillrating_range_counts(PG_FUNCTION_ARGS)
{
	char	   *pool = text_to_cstring(PG_GETARG_TEXT_PP(1));
	int32		range = number_range(PG_GETARG_FLOAT8(2));
	RangeCounts counts = {0, 0, 0};
	UnfoldedCounts unfolded = {&counts, range};
	MemoryContext context = CurrentMemoryContext;
	Ladder	   *ladder;
	TupleDesc	desc;
	Datum		values[RANGE_NCOLUMNS];
	bool		nulls[RANGE_NCOLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), "range_counts"));
	count_folded(ladder, pool, range, &counts);
	read_deltas(ladder, pool, count_unfolded, &unfolded);
	ladder_close(ladder);
	MemoryContextSwitchTo(context);
	values[RANGE_ABOVE] = Int64GetDatum(counts.above);
	values[RANGE_BELOW] = Int64GetDatum(counts.below);
	values[RANGE_TOTAL] = Int64GetDatum(counts.total);
	values[RANGE_BOTTOM] = Float8GetDatum(number_range_bottom(range));
	values[RANGE_TOP] = Float8GetDatum(number_range_top(range));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
