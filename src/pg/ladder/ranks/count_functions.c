/*
 * count_functions.c
 *		Bodies of functions that read the counts of ratings: ranks, and active players.
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
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_range_counts);
SKILLRATING_FUNCTION(skillrating_active_players);

/* The changes of a pool that are not folded. */
static LadderQuery read_deltas_query = {
	.text = "SELECT d.cells, d.nets FROM {rating_count_delta} AS d "
	"WHERE d.pool OPERATOR(pg_catalog.=) $1",
	.param = {VALUE_TEXT}
};

enum
{
	DELTA_CELLS = 1,
	DELTA_NETS
};

/* What takes the rows of that query as they come, without a copy of each. */
typedef struct DeltaReceiver
{
	DestReceiver pub;
	const Ladder *ladder;
	void		(*take) (void *arg, const CountCell *cell, const int32 *net, int n);
	void	   *arg;
} DeltaReceiver;

static bool
receive_delta(TupleTableSlot *slot, DestReceiver *self)
{
	DeltaReceiver *receiver = (DeltaReceiver *) self;
	bool		isnull[2];
	Datum		cells = slot_getattr(slot, DELTA_CELLS, &isnull[0]);
	Datum		nets = slot_getattr(slot, DELTA_NETS, &isnull[1]);
	const CountCell *cell;
	const int32 *net;
	int			n;

	if (isnull[0] || isnull[1])
		return true;
	n = count_delta_row(receiver->ladder, cells, nets, &cell, &net);
	receiver->take(receiver->arg, cell, net, n);
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
			void (*take) (void *arg, const CountCell *cell, const int32 *net, int n), void *arg)
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
count_unfolded(void *arg, const CountCell *cell, const int32 *net, int n)
{
	const UnfoldedCounts *unfolded = (const UnfoldedCounts *) arg;

	while (n-- > 0)
	{
		add_counts(unfolded->counts, cell_range(cell[n]) - unfolded->range, net[n]);
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

/*
 * ---- Active players ----
 */

/* Activity by rating, from the top. */
static LadderQuery read_activity_query = {
	.text = "SELECT c.place, c.active, c.active_counts FROM {rating_count} AS c "
	"WHERE c.pool OPERATOR(pg_catalog.=) $1 AND c.level OPERATOR(pg_catalog.=) 0 "
	"AND c.place OPERATOR(pg_catalog.<=) $2 ORDER BY c.place DESC",
	.param = {VALUE_TEXT, VALUE_INT4}
};

enum
{
	ACTIVITY_PLACE = 1,
	ACTIVITY_ACTIVE,
	ACTIVITY_COUNTS
};

/* Players of a span of ratings, in the order of a board; the index on the rating serves. */
static LadderQuery find_active_query = {
	.text = "SELECT r.player_id, r.rating FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.=) $1 "
	"AND r.rating OPERATOR(pg_catalog.>=) $2 AND r.rating OPERATOR(pg_catalog.<=) $3 "
	"AND r.last_played OPERATOR(pg_catalog.>=) $4 AND r.games OPERATOR(pg_catalog.>=) $5 "
	"ORDER BY r.rating DESC, r.player_id LIMIT $6",
	.param = {VALUE_TEXT, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_TIME, VALUE_INT8, VALUE_INT8}
};

enum
{
	FOUND_PLAYER_ID = 1,
	FOUND_RATING
};

/* The same of so many players at most, whom the index passes over. */
static LadderQuery pass_over_query = {
	.text = "SELECT r.player_id, r.rating FROM (SELECT r.player_id, r.rating, r.last_played, r.games "
	"FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.=) $1 "
	"AND r.rating OPERATOR(pg_catalog.<=) $2 ORDER BY r.rating DESC, r.player_id LIMIT 1000) AS r "
	"WHERE r.last_played OPERATOR(pg_catalog.>=) $3 AND r.games OPERATOR(pg_catalog.>=) $4 "
	"ORDER BY r.rating DESC, r.player_id LIMIT $5",
	.param = {VALUE_TEXT, VALUE_FLOAT8, VALUE_TIME, VALUE_INT8, VALUE_INT8}
};

/* The search for active players from the top of a board. */
typedef struct ActiveSearch
{
	Ladder	   *ladder;
	char	   *pool;
	TimestampTz since;
	int64		min_games;
	uint64		top;			/* number_place() of the highest rating that
								 * is looked for */
	const char **found;			/* identifiers as text */
	int			nfound;
	int			max_found;		/* room for so many */
	int			n;				/* so many are wanted */
	int32		from_quarter;	/* quarters that have some, and were not
								 * searched; */
	int32		to_quarter;		/* none if this is less */
	int64		nactive;		/* so many players are in them, roughly */
	int			nsearches;		/* so far */
} ActiveSearch;

/*
 * A search costs as much as passing over some hundred players.  Where few of those whom a
 * quarter counts have played since, because the time is late in its period, searches find next
 * to nothing: each is to be for twice as many as the one before, and to pass over a wider gap.
 */
#define MAX_DOUBLINGS 20

/* So many players are worth a search. */
static int64
worth_a_search(const ActiveSearch *search)
{
	return (int64) (search->n - search->nfound) << Min(search->nsearches, MAX_DOUBLINGS);
}

/* So many quarters without any are passed over within a search. */
static int32
worth_passing(const ActiveSearch *search)
{
	return ((int32) 1 << Min(search->nsearches, MAX_DOUBLINGS)) - 1;
}

/* Keep the players whom a query has found. */
static void
keep_found(ActiveSearch *search, uint64 nrows)
{
	uint64		i;

	if ((uint64) search->nfound + nrows > (uint64) search->max_found)
	{
		search->max_found = 2 * (search->nfound + (int) nrows);
		huge_array_grow(search->found, const char *, search->max_found);
	}
	for (i = 0; i < nrows; i++)
	{
		bool		isnull;

		search->found[search->nfound++] =
			id_text(search->ladder->player_type,
					SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc,
								  FOUND_PLAYER_ID, &isnull));
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Where many are active, they are among the first, and to look at some hundred costs less than
 * to read the counts.  False if there are not enough of them, and none are kept.
 */
static bool
pass_over_players(ActiveSearch *search)
{
	Datum		values[5];
	uint64		nrows;

	values[0] = CStringGetTextDatum(search->pool);
	values[1] = Float8GetDatum(number_at(search->top));
	values[2] = TimestampTzGetDatum(search->since);
	values[3] = Int64GetDatum(search->min_games);
	values[4] = Int64GetDatum(search->n);
	nrows = ladder_execute(search->ladder, &pass_over_query, values, NULL, NULL);
	if (nrows < (uint64) search->n)
	{
		SPI_freetuptable(SPI_tuptable);
		return false;
	}
	keep_found(search, nrows);
	return true;
}

/* Find the players in the quarters that are known to have some. */
static void
search_quarters(ActiveSearch *search)
{
	int			shift = COUNT_RANGE_BITS - COUNT_QUARTER_BITS;
	double		top = number_range_top(((search->to_quarter + 1) << shift) - 1);
	Datum		values[6];

	if (search->to_quarter >= search->from_quarter && search->nfound < search->n)
	{
		values[0] = CStringGetTextDatum(search->pool);
		values[1] = Float8GetDatum(number_range_bottom(search->from_quarter << shift));
		values[2] = Float8GetDatum(number_place(top) > search->top ? number_at(search->top) : top);
		values[3] = TimestampTzGetDatum(search->since);
		values[4] = Int64GetDatum(search->min_games);
		values[5] = Int64GetDatum(search->n - search->nfound);
		keep_found(search, ladder_execute(search->ladder, &find_active_query, values, NULL, NULL));
		search->nsearches++;
	}
	search->to_quarter = -1;
	search->from_quarter = 0;
	search->nactive = 0;
}

/* The counts by quarter of a row of the table, of periods that reach into the time. */
static void
add_activity(const Ladder *ladder, RowReader *reader, int32 first_period, int64 *active)
{
	const Datum *values = row_values(reader);
	const bool *nulls = row_nulls(reader);
	int			n;
	int			ncounts;
	const int32 *key = count_elements(ladder, values[ACTIVITY_ACTIVE - 1],
									  nulls[ACTIVITY_ACTIVE - 1], &n);
	const int32 *count = count_elements(ladder, values[ACTIVITY_COUNTS - 1],
										nulls[ACTIVITY_COUNTS - 1], &ncounts);

	if (n != ncounts)
		report_foreign_counts(ladder);

	/* They are sorted by period, and what is asked for are the last. */
	for (; n > 0 && key[n - 1] >= first_period * COUNT_QUARTERS; n--)
		active[key[n - 1] & (COUNT_QUARTERS - 1)] += count[n - 1];
}

/* Take note of the quarters of a row, from above; they are searched when enough are known. */
static void
note_quarters(ActiveSearch *search, int32 row, const int64 *active)
{
	int			i;

	for (i = COUNT_QUARTERS - 1; i >= 0; i--)
	{
		int32		quarter = row * COUNT_QUARTERS + i;

		if (active[i] <= 0)
			continue;
		if (search->to_quarter >= 0 &&
			search->from_quarter - quarter - 1 > worth_passing(search))
			search_quarters(search);
		if (search->to_quarter < 0)
			search->to_quarter = quarter;
		search->from_quarter = quarter;
		search->nactive += active[i];
		if (search->nactive >= worth_a_search(search))
			search_quarters(search);
	}
}

/* The changes of active players, with their quarter in the place of the cell. */
typedef struct ActiveChanges
{
	CountChanges changes;
	const char *pool;
	int32		first_period;
	int32		last_quarter;
} ActiveChanges;

static void
take_active(void *arg, const CountCell *cell, const int32 *net, int n)
{
	ActiveChanges *active = (ActiveChanges *) arg;

	while (n-- > 0)
	{
		int32		quarter = QUARTER_OF_RANGE(cell_range(cell[n]));

		if (cell_period(cell[n]) >= active->first_period && quarter <= active->last_quarter)
			count_changes_add(&active->changes, active->pool, quarter, net[n]);
	}
}

/* Go through the table and the changes from the top, until enough are found. */
static void
search_active(ActiveSearch *search)
{
	int32		last_range = (int32) (search->top >> NUMBER_RANGE_SHIFT);
	ActiveChanges changed = {
		.pool = search->pool,
		.first_period = count_period(search->since),
		.last_quarter = QUARTER_OF_RANGE(last_range)
	};
	const CountChange *change;
	RowReader	reader;
	Datum		values[2];
	int64		i;

	count_changes_init(&changed.changes);
	read_deltas(search->ladder, search->pool, take_active, &changed);
	count_changes_sum(&changed.changes);
	change = changed.changes.change;
	i = changed.changes.n - 1;
	values[0] = CStringGetTextDatum(search->pool);
	values[1] = Int32GetDatum(last_range >> COUNT_RANGE_BITS);
	row_reader_open(&reader, search->ladder, &read_activity_query, values);
	while (search->nfound < search->n && (reader.have_row || i >= 0))
	{
		int64		active[COUNT_QUARTERS] = {0};
		int32		row = -1;

		CHECK_FOR_INTERRUPTS();
		if (reader.have_row)
			row = DatumGetInt32(row_values(&reader)[ACTIVITY_PLACE - 1]);
		if (i >= 0)
			row = Max(row, (int32) (change[i].cell / COUNT_QUARTERS));
		if (reader.have_row && row == DatumGetInt32(row_values(&reader)[ACTIVITY_PLACE - 1]))
		{
			add_activity(search->ladder, &reader, changed.first_period, active);
			row_reader_next(&reader);
		}
		for (; i >= 0 && change[i].cell / COUNT_QUARTERS == row; i--)
			active[change[i].cell % COUNT_QUARTERS] += change[i].net;
		note_quarters(search, row, active);
	}
	search_quarters(search);
	row_reader_close(&reader);
}

/* active_players(ladder, pool, since, min_games, below, n) */
Datum
skillrating_active_players(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	ActiveSearch search = {.to_quarter = -1};
	Datum		result;

	if (argument_is_null(fcinfo, 4))
		PG_RETURN_NULL();
	search.pool = text_to_cstring(PG_GETARG_TEXT_PP(1));
	search.since = PG_GETARG_TIMESTAMPTZ(2);
	search.min_games = PG_GETARG_INT64(3);
	search.top = number_place(PG_ARGISNULL(4) ? HUGE_VAL : PG_GETARG_FLOAT8(4));
	if (!PG_ARGISNULL(4))
		search.top--;
	search.n = PG_GETARG_INT32(5);
	search.ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
											  "active_players"));
	search.max_found = Min(search.n, 64);
	search.found = palloc_array(const char *, search.max_found);
	if (!pass_over_players(&search))
		search_active(&search);
	MemoryContextSwitchTo(context);
	result = text_array(search.found, search.nfound);
	ladder_close(search.ladder);
	PG_RETURN_DATUM(result);
}
