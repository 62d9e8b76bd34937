/*
 * rate_functions.c
 *		Rating whole histories in a query: the window function rate().
 */
#include "pg/history/rate_window.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/sql/arrays.h"

static const RateFunction rate = {
	"rate", OPTION_STRICT | OPTION_SEASON, true,
	"Rows that are equal under ORDER BY are one match."
};

static const RateFunction rate_through_time = {
	"rate_through_time", OPTION_STRICT | OPTION_REFITS, false,
	"Rows that are equal under ORDER BY are one match."
};

/* A result that others differ from in numbers only, see make_pattern(). */
typedef struct RatedPattern
{
	HeapTuple	tuple;			/* NULL: there is none yet */
	bool		nulls[RATED_NCOLUMNS];
	int			offset[RATED_NCOLUMNS]; /* of its columns */
} RatedPattern;

/* A partition: memory of the window. */
typedef struct RowPartition
{
	RatePartition base;
	int			varying[RATE_NARGS];	/* arguments to be read for each row */
	int			nvarying;
	bool		typbyval[RATE_NARGS];
	int16		typlen[RATE_NARGS];
	int64		marked;			/* rows before this one are forgotten */
	int64		behind;			/* the first row behind the match that was
								 * rated last */
	RatedPattern pattern[2];	/* of matches of two teams, and of others */
} RowPartition;

static void
begin_partition(FunctionCallInfo fcinfo, RowPartition *partition, const RateFunction *function)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *base = &partition->base;
	MemoryContext old;
	int			i;

	rate_begin(fcinfo, base, function, get_fn_expr_argtype(fcinfo->flinfo, ARG_PLAYER));
	if (function->options & OPTION_REFITS)
	{
		old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
		refits_begin(base->rater, &base->call->options.refits);
		MemoryContextSwitchTo(old);
	}

	/* Arguments that cannot change are read once: most are left out. */
	for (i = ARG_PLAYER; i < ARG_OPTIONS; i++)
	{
		bool		isnull;
		Datum		value;

		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, i),
						&partition->typlen[i], &partition->typbyval[i]);

		/* At least one is read, to see whether there is a row. */
		if (i == ARG_PLAYER || !get_fn_expr_arg_stable(fcinfo->flinfo, i))
		{
			partition->varying[partition->nvarying++] = i;
			continue;
		}
		value = WinGetFuncArgCurrent(window, i, &isnull);
		rate_set_argument(base, i, value, isnull);
	}
}

/*
 * Read an argument of a row, by its distance from the current one; false if the
 * partition has no such row.
 */
static bool
read_argument(WindowObject window, RowPartition *partition, int distance,
			  int arg)
{
	bool		isnull;
	bool		isout;
	Datum		value;

	if (distance == 0)
		value = WinGetFuncArgCurrent(window, arg, &isnull);
	else
	{
		value = WinGetFuncArgInPartition(window, arg, distance,
										 WINDOW_SEEK_CURRENT, false,
										 &isnull, &isout);
		if (isout)
			return false;

		/* The server's slot holds one row only until the next is read. */
		if (!isnull && !partition->typbyval[arg])
		{
			MemoryContext old = MemoryContextSwitchTo(partition->base.rater->context);

			value = datumCopy(value, false, partition->typlen[arg]);
			MemoryContextSwitchTo(old);
		}
	}
	rate_set_argument(&partition->base, arg, value, isnull);
	return true;
}

/*
 * Read a row; false if it is not there or belongs to the next match.
 */
static bool
read_row(WindowObject window, RowPartition *partition, int distance)
{
	RatePartition *base = &partition->base;
	int64		row = base->row + distance;
	int			i;

	source_row_untime(&base->times, base->nulls);
	for (i = 0; i < partition->nvarying; i++)
	{
		if (!read_argument(window, partition, distance, partition->varying[i]))
			return false;

		/* Only of a row that is there can this be asked. */
		if (i == 0 && distance > 0 && !WinRowsArePeers(window, row - 1, row))
			return false;
	}
	source_row_time(&base->times, base->values, base->nulls);
	return true;
}

/*
 * Read and rate the match that begins with the current row.
 */
static void
rate_match(WindowObject window, RowPartition *partition, int64 row)
{
	RatePartition *base = &partition->base;
	ErrorContextCallback callback;
	int			n = 0;

	base->row = row;
	rate_push_context(base, &callback);

	/* Rows before can be forgotten; now and then is enough. */
	if (row >= partition->marked + MARK_EVERY)
	{
		WinSetMarkPosition(window, row);
		partition->marked = row;
	}
	while (read_row(window, partition, n))
	{
		if (n == 0)
			rater_begin(base->rater, base->values, base->nulls);
		n++;
		(void) rater_add(base->rater, base->values, base->nulls);
	}
	rate_rate(base, n);
	partition->behind = row + n;
	error_context_stack = callback.previous;
}

/*
 * Results of rated matches differ in numbers only: the first one of a partition,
 * made as any row is, is the pattern of all others, which takes half of the time.
 */
static void
make_pattern(RowPartition *partition, RatedPattern *pattern, Datum *values, bool *nulls)
{
	TupleDesc	desc = partition->base.call->desc;
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	HeapTuple	tuple = heap_form_tuple(desc, values, nulls);
	char	   *data = (char *) tuple->t_data + tuple->t_data->t_hoff;
	int			offset = 0;
	int			i;

	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (nulls[i])
			continue;
		offset = att_align_pointer(offset, att->attalign, att->attlen,
								   data + offset);
		pattern->offset[i] = offset + tuple->t_data->t_hoff;
		offset = att_addlength_pointer(offset, att->attlen, data + offset);
	}
	memcpy(pattern->nulls, nulls, sizeof(pattern->nulls));
	pattern->tuple = tuple;
	MemoryContextSwitchTo(old);
}

static Datum
fill_pattern(const RatedPattern *pattern, const Datum *values)
{
	HeapTuple	tuple = pattern->tuple;
	char	   *row = palloc(tuple->t_len);
	int			i;

	memcpy(row, tuple->t_data, tuple->t_len);
	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		char	   *place = row + pattern->offset[i];

		if (pattern->nulls[i])
			continue;
		if (i == RATED_STATE_BEFORE || i == RATED_STATE_AFTER)
			memcpy(VARDATA_ANY(place), VARDATA(DatumGetPointer(values[i])),
				   VARSIZE(DatumGetPointer(values[i])) - VARHDRSZ);
		else
			memcpy(place, &values[i], sizeof(float8));
	}
	return HeapTupleHeaderGetDatum((HeapTupleHeader) row);
}

/* What the player of the current row has of its match; false without a player. */
static bool
current_row(WindowObject window, RowPartition *partition, int64 row, Rated *rated)
{
	RatePartition *base = &partition->base;
	bool		nobody = false;
	bool		no_pool = true;
	Datum		id = (Datum) 0;
	Datum		pool = (Datum) 0;

	if (!is_rated(base->rater))
	{
		id = WinGetFuncArgCurrent(window, ARG_PLAYER, &nobody);
		pool = WinGetFuncArgCurrent(window, ARG_INPUTS + source_input(SOURCE_POOL), &no_pool);
	}
	return rate_participant(base, (int) (row - base->row), id, nobody,
							no_pool ? "" : TextDatumGetCString(pool), rated);
}

/* The row of a result.  A row without a player has a reason alone. */
static Datum
make_row(RowPartition *partition, Rated *rated, bool known)
{
	const Rater *rater = partition->base.rater;
	const Batch *batch = rater->batch;
	RatedPattern *pattern = &partition->pattern[batch->match.nteams != 2];

	if (known)
	{
		rated->values[RATED_STATE_BEFORE] = float8_array(rated->before, batch->model->nstate);
		rated->values[RATED_STATE_AFTER] = float8_array(rated->after, batch->model->nstate);
	}
	rated->nulls[RATED_STATE_BEFORE] = rated->nulls[RATED_STATE_AFTER] = !known;
	rated_reason(rater, rated->values, rated->nulls);
	if (FLOAT8PASSBYVAL && rater->verdict == VERDICT_RATE)
	{
		if (pattern->tuple == NULL)
			make_pattern(partition, pattern, rated->values, rated->nulls);

		/* What a model says of draws may differ among matches. */
		if (memcmp(rated->nulls, pattern->nulls, sizeof(pattern->nulls)) == 0)
			return fill_pattern(pattern, rated->values);
	}
	return HeapTupleGetDatum(heap_form_tuple(partition->base.call->desc, rated->values,
											 rated->nulls));
}

/* The result for the current row, of either function. */
static Datum
rate_row(FunctionCallInfo fcinfo, const RateFunction *function)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RowPartition *partition;
	Rated		rated;
	bool		known;
	int64		row;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "%s() is a window function", function->name);
	partition = WinGetPartitionLocalMemory(window, sizeof(RowPartition));
	row = WinGetCurrentPosition(window);
	if (partition->base.function == NULL)
		begin_partition(fcinfo, partition, function);
	if (row >= partition->behind)
		rate_match(window, partition, row);
	known = current_row(window, partition, row, &rated);
	if (!known)
		memset(rated.nulls, true, sizeof(rated.nulls));
	return make_row(partition, &rated, known);
}

/*
 * rate(model, player_id, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
SQL_FUNCTION(skillrating_rate)
{
	PG_RETURN_DATUM(rate_row(fcinfo, &rate));
}

/* rate_through_time(model, player_id, team, rank, ..., fixed, options), over a window */
SQL_FUNCTION(skillrating_rate_through_time)
{
	PG_RETURN_DATUM(rate_row(fcinfo, &rate_through_time));
}
