/*
 * rate_match_functions.c
 *		Rating whole histories of one row a match: the window function rate_match().
 *
 * Three lifetimes of memory: the call (RateCall) has the rules, which partitions share; the
 * partition has the rater with all its players, and goes with the partition; and the current
 * context, that of a row, has the elements of its arrays and the result.  The rater copies what it
 * keeps of a row.
 *
 * A row reads rows before it in one way only, to see that the order is strict (check_order()), so
 * that the window may forget them.
 */
#include "pg/history/rate_window.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/sql/arrays.h"

/* An argument that differs among rows, and its elements where it is an array. */
typedef struct MatchArgument
{
	int			arg;
	const char *name;
	Oid			element_type;	/* InvalidOid: it is no array */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	bool		given;			/* in the current row, with these elements: */
	Datum	   *value;
	bool	   *null;
} MatchArgument;

static const RateFunction function = {
	"rate_match", OPTION_STRICT | OPTION_SEASON, true,
	"A row is a match, and matches are rated in the order in which they were played."
};

/* A partition: memory of the window. */
typedef struct MatchPartition
{
	RatePartition base;
	MatchArgument argument[RATE_NARGS];
	int			narguments;
	int			n;				/* elements of players */
	Unrated		fault;			/* of the arrays, or nothing */
} MatchPartition;

/* The name of an argument about participants, or NULL for one that is about the match. */
static const char *
array_name(int arg)
{
	if (arg == ARG_PLAYER)
		return "players";
	if (arg == ARG_TEAM)
		return "team";
	if (arg == ARG_RANK)
		return "rank";
	return input_name_of_participant(arg - ARG_INPUTS);
}

/* Note an argument, unless it is null in all rows, as those are that were left out. */
static void
begin_argument(FunctionCallInfo fcinfo, WindowObject window, MatchPartition *partition,
			   int arg)
{
	MatchArgument *argument = &partition->argument[partition->narguments];
	bool		isnull;

	/*
	 * A constant is the same in all rows; a column can still have values in
	 * later ones.
	 */
	if (arg != ARG_PLAYER && get_fn_expr_arg_stable(fcinfo->flinfo, arg))
	{
		(void) WinGetFuncArgCurrent(window, arg, &isnull);
		if (isnull)
			return;
	}
	argument->arg = arg;
	argument->name = array_name(arg);
	argument->element_type = InvalidOid;
	if (argument->name != NULL)
	{
		argument->element_type =
			get_base_element_type(get_fn_expr_argtype(fcinfo->flinfo, arg));
		get_typlenbyvalalign(argument->element_type, &argument->typlen,
							 &argument->typbyval, &argument->typalign);
	}
	partition->narguments++;
}

static void
begin_partition(FunctionCallInfo fcinfo, MatchPartition *partition)
{
	int			i;

	rate_begin(fcinfo, &partition->base, &function,
			   get_base_element_type(get_fn_expr_argtype(fcinfo->flinfo, ARG_PLAYER)));
	for (i = ARG_PLAYER; i < ARG_OPTIONS; i++)
		begin_argument(fcinfo, PG_WINDOW_OBJECT(), partition, i);
}

/* The elements of an array, all of one dimension. */
static int
read_array(MatchArgument *argument, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			found;

	/*
	 * Elements stay in the array, or its copy without TOAST, for as long as
	 * the row.
	 */
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must be an array of one dimension", argument->name)));
	deconstruct_array(array, argument->element_type, argument->typlen, argument->typbyval,
					  argument->typalign, &argument->value, &argument->null, &found);
	return found;
}

/*
 * Check the number of elements of an array against that of the players.  As a mistake in a row
 * of rate(), another number keeps the match from being rated, or is an error where strict.
 */
static void
check_length(MatchPartition *partition, const MatchArgument *argument, int n)
{
	if (n == partition->n || partition->fault.detail != NULL)
		return;

	/* The first fault is the one that is told. */
	if (!partition->base.rater->match.tolerant)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must have as many elements as players, %d, not %d",
						argument->name, partition->n, n)));
	partition->fault = unrated(UNRATED_ARRAY_LENGTH,
							   psprintf("%s has length %d, players has length %d",
										argument->name, n, partition->n));
}

/* Read the arguments of the current row: those of the match into the row, arrays as they are. */
static void
read_arguments(WindowObject window, MatchPartition *partition)
{
	RatePartition *base = &partition->base;
	int			i;

	partition->n = 0;
	partition->fault = unrated_nothing;
	source_row_untime(&base->times, base->nulls);
	for (i = 0; i < partition->narguments; i++)
	{
		MatchArgument *argument = &partition->argument[i];
		bool		isnull;
		Datum		value = WinGetFuncArgCurrent(window, argument->arg, &isnull);

		argument->given = argument->name != NULL && !isnull;
		if (!argument->given)
			rate_set_argument(base, argument->arg, value, isnull);

		/* The first one is that of the players, without whom there is nobody. */
		else if (i == 0)
			partition->n = read_array(argument, value);
		else
			check_length(partition, argument, read_array(argument, value));
	}
	source_row_time(&base->times, base->values, base->nulls);
}

/* The order of matches must be whole: their ratings follow from one another. */
static void
check_order(WindowObject window, int64 row)
{
	if (row > 0 && WinRowsArePeers(window, row - 1, row))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("match is equal to the previous one under ORDER BY"),
				 errdetail("Each row of rate_match() is a match, and one comes after another."),
				 errhint("Add what differs, as in OVER (ORDER BY played_at, match_id).")));

	/* The row before stays, which the next call compares with. */
	if (row % MARK_EVERY == 0 && row > 0)
		WinSetMarkPosition(window, row - 1);
}

/* Rate the match in the arguments that have been read. */
static void
rate_match(MatchPartition *partition)
{
	RatePartition *base = &partition->base;
	int			i,
				j;

	rater_begin(base->rater, base->values, base->nulls);

	/* Arrays of different lengths make no participants. */
	if (partition->fault.detail != NULL)
	{
		rater_refuse(base->rater, partition->fault);
		return;
	}
	for (i = 0; i < partition->n; i++)
	{
		for (j = 0; j < partition->narguments; j++)
		{
			const MatchArgument *argument = &partition->argument[j];

			if (argument->given)
				rate_set_argument(base, argument->arg, argument->value[i], argument->null[i]);
		}
		(void) rater_add(base->rater, base->values, base->nulls);
	}
	rate_rate(base, partition->n);
}

/*
 * ---- Results ----
 */

/*
 * Begin the arrays of the columns that are not null, which are the same for all elements of a
 * match: where their elements are, of eight bytes each, or NULL for a column without.
 */
static void
begin_arrays(const MatchPartition *partition, const Rated *rated, Datum *values, bool *nulls,
			 int64 **data)
{
	int			nstate = partition->base.rater->batch->model->nstate;
	int			column;

	for (column = 0; column <= RATED_STATE_AFTER; column++)
	{
		bool		state = column >= RATED_STATE_BEFORE;
		ArrayType  *array;

		nulls[column] = !state && rated->nulls[column];
		data[column] = NULL;
		values[column] = rated->values[column];
		if (nulls[column] || column == RATED_DRAW_PROBABILITY)
			continue;
		array = number_array_make(column == RATED_GAMES_BEFORE ? INT8OID : FLOAT8OID,
								  partition->n, state ? nstate : 0);
		values[column] = PointerGetDatum(array);
		data[column] = (int64 *) ARR_DATA_PTR(array);
	}
}

/* Put what an element has into the arrays; a float8 has the bits of an int8, too. */
static void
put_element(const Rated *rated, int nstate, int i, int64 **data)
{
	int			column;

	for (column = 0; column < RATED_STATE_BEFORE; column++)
		if (data[column] != NULL)
			data[column][i] = DatumGetInt64(rated->values[column]);
	memcpy(data[RATED_STATE_BEFORE] + (Size) i * nstate, rated->before,
		   nstate * sizeof(float8));
	memcpy(data[RATED_STATE_AFTER] + (Size) i * nstate, rated->after, nstate * sizeof(float8));
}

/*
 * The columns of a result.  If an element of players is nobody, which keeps the match from being
 * rated, nothing is said of any.
 */
static void
put_result(const MatchPartition *partition, Datum *values, bool *nulls)
{
	const Rater *rater = partition->base.rater;
	const MatchArgument *players = &partition->argument[0];
	int64	   *data[RATED_NCOLUMNS];
	Rated		rated;
	int			i;

	memset(nulls, true, RATED_NCOLUMNS * sizeof(bool));
	for (i = 0; i < partition->n; i++)
	{
		if (!rate_participant(&partition->base, i, players->value[i], players->null[i],
							  rater->match.pool, &rated))
		{
			memset(nulls, true, RATED_NCOLUMNS * sizeof(bool));
			break;
		}
		if (i == 0)
			begin_arrays(partition, &rated, values, nulls, data);
		put_element(&rated, rater->batch->model->nstate, i, data);
	}
	rated_reason(rater, values, nulls);
}

/*
 * rate_match(model, players, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
SQL_FUNCTION(skillrating_rate_match)
{
	WindowObject window = PG_WINDOW_OBJECT();
	MatchPartition *partition;
	ErrorContextCallback callback;
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS];

	if (!WindowObjectIsValid(window))
		elog(ERROR, "rate_match() is a window function");
	partition = WinGetPartitionLocalMemory(window, sizeof(MatchPartition));
	if (partition->base.function == NULL)
		begin_partition(fcinfo, partition);
	partition->base.row = WinGetCurrentPosition(window);

	/* Whoever catches an error puts error_context_stack back. */
	rate_push_context(&partition->base, &callback);
	check_order(window, partition->base.row);
	read_arguments(window, partition);
	rate_match(partition);
	error_context_stack = callback.previous;

	/*
	 * From here on there is nothing wrong with the match, and nothing changes
	 * any more.
	 */
	put_result(partition, values, nulls);
	return HeapTupleGetDatum(heap_form_tuple(partition->base.call->desc, values, nulls));
}
