/*
 * rate_functions.c
 *		Rating whole histories in a query: the window function rate().
 */
#include "pg/history/rate_arguments.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/history/rated.h"
#include "pg/history/refits.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_rate);
SKILLRATING_FUNCTION(skillrating_rate_through_time);

/* The arguments of rate_through_time(), which are those of rate() up to options. */
#define THROUGH_TIME_NARGS (ARG_OPTIONS + 1)

/* A result that others differ from in numbers only, see make_pattern(). */
typedef struct RatedPattern
{
	HeapTuple	tuple;			/* NULL: there is none yet */
	bool		nulls[RATED_NCOLUMNS];
	int			offset[RATED_NCOLUMNS]; /* of its columns */
} RatedPattern;

/* A partition: memory of the window. */
typedef struct RatePartition
{
	const char *function;		/* which of the two, in messages */
	Rater	   *rater;
	int			varying[RATE_NARGS];	/* arguments to be read for each row */
	int			nvarying;
	bool		typbyval[RATE_NARGS];
	int16		typlen[RATE_NARGS];
	int64		marked;			/* rows before this one are forgotten */
	int64		first;			/* row of the match that was rated last, */
	int64		behind;			/* and the first one behind it */
	int		   *place;			/* of its rows among the sorted participants */
	int			max_places;
	double		draw;			/* the probability that it is one, or NaN */
	RatedPattern pattern[2];	/* of matches of two teams, and of others */
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the row being read */
	bool		nulls[INPUT_NSLOTS];
} RatePartition;

static void
begin_partition(FunctionCallInfo fcinfo, WindowObject window,
				RatePartition *partition, bool through_time)
{
	const char *function = through_time ? "rate_through_time" : "rate";
	RateCall   *call = rate_call(fcinfo, RATED_NCOLUMNS);
	MemoryContext old;
	int			i;

	rate_check_window(window, function, "Rows that are equal under ORDER BY are one match.");
	partition->function = function;
	if (PG_NARGS() != (through_time ? THROUGH_TIME_NARGS : RATE_NARGS))
		elog(ERROR, "%s() has %d arguments", function, PG_NARGS());
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->rater = rate_begin(window, call, function, through_time ?
								  OPTION_STRICT | OPTION_REFITS : OPTION_STRICT | OPTION_SEASON,
								  get_fn_expr_argtype(fcinfo->flinfo, ARG_PLAYER),
								  CurrentMemoryContext);
	if (through_time)
		refits_begin(partition->rater, &call->options.refits);
	else
		rate_read_start(window, partition->rater);
	partition->max_places = 32;
	partition->place = palloc_array(int, partition->max_places);
	MemoryContextSwitchTo(old);

	/* Arguments that cannot change are read once: most are left out. */
	source_row_clear(partition->values, partition->nulls);
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
		rate_set_argument(partition->values, partition->nulls, i, value, isnull);
	}
}

/*
 * Read an argument of a row, by its distance from the current one; false if the
 * partition has no such row.
 */
static bool
read_argument(WindowObject window, RatePartition *partition, int distance,
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
			MemoryContext old = MemoryContextSwitchTo(partition->rater->context);

			value = datumCopy(value, false, partition->typlen[arg]);
			MemoryContextSwitchTo(old);
		}
	}
	rate_set_argument(partition->values, partition->nulls, arg, value, isnull);
	return true;
}

/*
 * Read a row; false if it is not there or belongs to the next match.
 */
static bool
read_row(WindowObject window, RatePartition *partition, int64 first,
		 int distance)
{
	int			i;

	source_row_untime(&partition->times, partition->nulls);
	for (i = 0; i < partition->nvarying; i++)
	{
		if (!read_argument(window, partition, distance, partition->varying[i]))
			return false;

		/* Only of a row that is there can this be asked. */
		if (i == 0 && distance > 0 &&
			!WinRowsArePeers(window, first + distance - 1, first + distance))
			return false;
	}
	source_row_time(&partition->times, partition->values, partition->nulls);
	return true;
}

typedef struct RateError
{
	const char *function;
	int64		row;
} RateError;

static void
rate_error_context(void *arg)
{
	const RateError *error = (const RateError *) arg;

	errcontext("match that begins in row " INT64_FORMAT " of a window of %s()",
			   error->row + 1, error->function);
}

/*
 * Read and rate the match that begins with the current row.
 */
static void
rate_match(WindowObject window, RatePartition *partition, int64 row)
{
	Rater	   *rater = partition->rater;
	RateError	error = {partition->function, row};
	ErrorContextCallback callback;
	int			n = 0;
	int			i;

	callback.callback = rate_error_context;
	callback.arg = &error;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	/* Rows before can be forgotten; now and then is enough. */
	if (row >= partition->marked + MARK_EVERY)
	{
		WinSetMarkPosition(window, row);
		partition->marked = row;
	}
	while (read_row(window, partition, row, n))
	{
		if (n == 0)
			rater_begin(rater, partition->values, partition->nulls);
		n++;
		(void) rater_add(rater, partition->values, partition->nulls);
	}
	rater_rate(rater);
	if (n > partition->max_places)
	{
		partition->max_places = Max(n, 2 * partition->max_places);
		partition->place = repalloc_array(partition->place, int,
										  partition->max_places);
	}
	if (is_rated(rater))
	{
		for (i = 0; i < n; i++)
			partition->place[rater->match.order[i]] = i;
		partition->draw = model_draw(rater->batch->model, rater->batch->params,
									 &rater->batch->match);
	}
	partition->first = row;
	partition->behind = row + n;
	error_context_stack = callback.previous;
}

/*
 * Results of rated matches differ in numbers only: the first one of a partition,
 * made as any row is, is the pattern of all others, which takes half of the time.
 */
static void
make_pattern(RateCall *call, RatePartition *partition, RatedPattern *pattern,
			 Datum *values, bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	HeapTuple	tuple = heap_form_tuple(call->desc, values, nulls);
	char	   *data = (char *) tuple->t_data + tuple->t_data->t_hoff;
	int			offset = 0;
	int			i;

	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		Form_pg_attribute att = TupleDescAttr(call->desc, i);

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
current_row(WindowObject window, RatePartition *partition, int64 row, Rated *rated)
{
	const Rater *rater = partition->rater;
	bool		isnull;
	bool		no_pool;
	Datum		id;
	Datum		pool;

	if (is_rated(rater))
	{
		rated_participant(rater, partition->draw, partition->place[row - partition->first],
						  rated);
		return true;
	}
	id = WinGetFuncArgCurrent(window, ARG_PLAYER, &isnull);
	if (isnull)
		return false;
	pool = WinGetFuncArgCurrent(window, ARG_INPUTS + source_input(SOURCE_POOL), &no_pool);
	rated_bystander(rater, id, no_pool ? "" : TextDatumGetCString(pool), rated);
	return true;
}

/* The row of a result.  A row without a player has a reason alone. */
static Datum
make_row(RateCall *call, RatePartition *partition, Rated *rated, bool known)
{
	const Rater *rater = partition->rater;
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
			make_pattern(call, partition, pattern, rated->values, rated->nulls);

		/* What a model says of draws may differ among matches. */
		if (memcmp(rated->nulls, pattern->nulls, sizeof(pattern->nulls)) == 0)
			return fill_pattern(pattern, rated->values);
	}
	return HeapTupleGetDatum(heap_form_tuple(call->desc, rated->values, rated->nulls));
}

/* The result for the current row, of either function. */
static Datum
rate_row(FunctionCallInfo fcinfo, bool through_time)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition;
	Rated		rated;
	bool		known;
	int64		row;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "%s() is a window function", through_time ? "rate_through_time" : "rate");
	partition = WinGetPartitionLocalMemory(window, sizeof(RatePartition));
	row = WinGetCurrentPosition(window);
	if (partition->rater == NULL)
		begin_partition(fcinfo, window, partition, through_time);
	if (row >= partition->behind)
		rate_match(window, partition, row);
	known = current_row(window, partition, row, &rated);
	if (!known)
		memset(rated.nulls, true, sizeof(rated.nulls));
	return make_row(rate_call(fcinfo, RATED_NCOLUMNS), partition, &rated, known);
}

/*
 * rate(model, player_id, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
Datum
skillrating_rate(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(rate_row(fcinfo, false));
}

/* rate_through_time(model, player_id, team, rank, ..., fixed, options), over a window */
Datum
skillrating_rate_through_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(rate_row(fcinfo, true));
}
