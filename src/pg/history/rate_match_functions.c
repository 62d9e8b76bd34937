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
#include "pg/history/rate_arguments.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/sql/window.h"

SKILLRATING_FUNCTION(skillrating_rate_match);

/* The columns of the type rated_participants: arrays, but for the last three. */
enum
{
	MATCH_RATING_BEFORE,
	MATCH_RATING_AFTER,
	MATCH_MU_BEFORE,
	MATCH_MU_AFTER,
	MATCH_DEVIATION_BEFORE,
	MATCH_DEVIATION_AFTER,
	MATCH_GAMES_BEFORE,
	MATCH_SCORE,
	MATCH_WIN_PROBABILITY,
	MATCH_SOLE_WIN_PROBABILITY,
	MATCH_LOSS_PROBABILITY,
	MATCH_FIRST_PROBABILITY,
	MATCH_STATE_BEFORE,
	MATCH_STATE_AFTER,
	MATCH_DRAW_PROBABILITY,
	MATCH_UNRATED_REASON,
	MATCH_UNRATED_DETAIL,
	MATCH_NCOLUMNS
};

#define MATCH_NARRAYS MATCH_DRAW_PROBABILITY

/* After how many rows those before are forgotten, at the earliest. */
#define MARK_EVERY 100

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

/* A partition: memory of the window. */
typedef struct MatchPartition
{
	Rater	   *rater;
	int			deviation;		/* the column, or -1 */
	MatchArgument argument[RATE_NARGS];
	int			narguments;
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the participant being read */
	bool		nulls[INPUT_NSLOTS];
	int		   *place;			/* of elements among the sorted participants */
	int			max_places;
	Datum	   *player;			/* of the match, of the current row's memory; */
	bool	   *no_player;
	int			n;				/* its elements */
	Unrated		fault;			/* of its arrays, or nothing */
} MatchPartition;

static const WindowMessages window_messages = {
	.function = "rate_match",
	.order_detail = "A row is a match, and matches are rated in the order in which they were played.",
	.order_hint = "For example OVER (ORDER BY played_at, match_id).",
	.frame_detail = "Ratings follow from all matches before.",
	.frame_hint = "Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery."
};

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
begin_partition(FunctionCallInfo fcinfo, WindowObject window, MatchPartition *partition)
{
	RateCall   *call = rate_call(fcinfo, MATCH_NCOLUMNS);
	MemoryContext old;
	int			i;

	check_window(window, &window_messages);
	if (PG_NARGS() != RATE_NARGS)
		elog(ERROR, "rate_match() has %d arguments", PG_NARGS());
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->rater = rate_begin(window, call, "rate_match", OPTION_STRICT | OPTION_SEASON,
								  get_base_element_type(get_fn_expr_argtype(fcinfo->flinfo,
																			ARG_PLAYER)),
								  CurrentMemoryContext);
	rate_read_start(window, partition->rater);
	MemoryContextSwitchTo(old);
	partition->deviation = model_state_column(call->rules->model, ROLE_DEVIATION);
	source_row_clear(partition->values, partition->nulls);
	for (i = ARG_PLAYER; i < ARG_OPTIONS; i++)
		begin_argument(fcinfo, window, partition, i);
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

/* Put what an argument says of the match, or of one of its participants, into the row. */
static void
set_argument(MatchPartition *partition, int arg, Datum value, bool isnull)
{
	static const SourceColumn columns[] = {
		[ARG_PLAYER] = SOURCE_PLAYER_ID,
		[ARG_TEAM] = SOURCE_TEAM,
		[ARG_RANK] = SOURCE_RANK
	};

	if (arg >= ARG_INPUTS)
	{
		source_row_set(partition->values, partition->nulls, arg - ARG_INPUTS, value, isnull);
		return;
	}
	partition->values[columns[arg]] = value;
	partition->nulls[columns[arg]] = isnull;
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
	if (!partition->rater->match.tolerant)
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
	int			i;

	partition->n = 0;
	partition->fault = unrated_nothing;
	source_row_untime(&partition->times, partition->nulls);
	for (i = 0; i < partition->narguments; i++)
	{
		MatchArgument *argument = &partition->argument[i];
		bool		isnull;
		Datum		value = WinGetFuncArgCurrent(window, argument->arg, &isnull);

		if (argument->name == NULL)
		{
			set_argument(partition, argument->arg, value, isnull);
			continue;
		}

		/*
		 * The first one is that of the players, without whom there is nobody.
		 */
		argument->given = !isnull;
		if (isnull)
			set_argument(partition, argument->arg, (Datum) 0, true);
		else if (i == 0)
			partition->n = read_array(argument, value);
		else
			check_length(partition, argument, read_array(argument, value));
	}
	source_row_time(&partition->times, partition->values, partition->nulls);
	partition->player = partition->argument[0].value;
	partition->no_player = partition->argument[0].null;
}

typedef struct MatchError
{
	int64		row;
} MatchError;

static void
match_error_context(void *arg)
{
	errcontext("match in row " INT64_FORMAT " of a window of rate_match()",
			   ((MatchError *) arg)->row + 1);
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

/* Room for the places of the elements of a match. */
static void
reserve_places(MatchPartition *partition)
{
	if (partition->n <= partition->max_places)
		return;
	partition->max_places = Max(partition->n, Max(32, 2 * partition->max_places));
	if (partition->place != NULL)
		pfree(partition->place);
	partition->place = MemoryContextAlloc(GetMemoryChunkContext(partition),
										  partition->max_places * sizeof(int));
}

/* Rate the match in the arguments that have been read. */
static void
rate_match(MatchPartition *partition)
{
	Rater	   *rater = partition->rater;
	int			i,
				j;

	rater_begin(rater, partition->values, partition->nulls);

	/* Arrays of different lengths make no participants. */
	if (partition->fault.detail != NULL)
	{
		rater_refuse(rater, partition->fault);
		return;
	}
	for (i = 0; i < partition->n; i++)
	{
		for (j = 0; j < partition->narguments; j++)
		{
			const MatchArgument *argument = &partition->argument[j];

			if (argument->name != NULL && argument->given)
				set_argument(partition, argument->arg, argument->value[i],
							 argument->null[i]);
		}
		(void) rater_add(rater, partition->values, partition->nulls);
	}
	rater_rate(rater);

	/*
	 * The rater has sorted participants; results come in the order of the
	 * arrays.
	 */
	reserve_places(partition);
	if (rater->verdict == VERDICT_RATE || rater->forecast)
		for (i = 0; i < partition->n; i++)
			partition->place[rater->match.order[i]] = i;
}

/*
 * ---- Results ----
 */

/* The arrays of a result, in the current context. */
typedef struct MatchResult
{
	Datum		values[MATCH_NCOLUMNS];
	bool		nulls[MATCH_NCOLUMNS];
	double	   *number[MATCH_NARRAYS];	/* their elements, or NULL */
	int64	   *games;
} MatchResult;

/* An array of n elements of eight bytes, or n times so many columns where there are any. */
static void *
make_array(MatchResult *result, int column, Oid type, int n, int columns)
{
	int			ndim = n == 0 ? 0 : columns > 0 ? 2 : 1;
	Size		size = ARR_OVERHEAD_NONULLS(ndim) +
		(Size) n * Max(columns, 1) * sizeof(float8);
	ArrayType  *array = palloc(size);

	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->dataoffset = 0;
	array->elemtype = type;
	if (ndim > 0)
	{
		ARR_DIMS(array)[0] = n;
		ARR_LBOUND(array)[0] = 1;
	}
	if (ndim > 1)
	{
		ARR_DIMS(array)[1] = columns;
		ARR_LBOUND(array)[1] = 1;
	}
	result->values[column] = PointerGetDatum(array);
	result->nulls[column] = false;
	return ARR_DATA_PTR(array);
}

/* Begin a result of n elements, with the arrays that say of players how they are. */
static void
begin_result(MatchResult *result, const MatchPartition *partition)
{
	int			nstate = partition->rater->batch->model->nstate;
	int			column;

	/* Each array that is made says that its column is not null. */
	memset(result->nulls, true, sizeof(result->nulls));
	memset(result->number, 0, sizeof(result->number));
	for (column = MATCH_RATING_BEFORE; column <= MATCH_MU_AFTER; column++)
		result->number[column] = make_array(result, column, FLOAT8OID, partition->n, 0);
	for (; column <= MATCH_DEVIATION_AFTER && partition->deviation >= 0; column++)
		result->number[column] = make_array(result, column, FLOAT8OID, partition->n, 0);
	result->games = make_array(result, MATCH_GAMES_BEFORE, INT8OID, partition->n, 0);
	for (column = MATCH_STATE_BEFORE; column <= MATCH_STATE_AFTER; column++)
		result->number[column] = make_array(result, column, FLOAT8OID, partition->n, nstate);
}

/* The states of a player before and after the match. */
static void
put_states(MatchResult *result, const MatchPartition *partition, int i,
		   const double *before, const double *after, int64 games)
{
	const Batch *batch = partition->rater->batch;
	const Model *model = batch->model;
	int			deviation = partition->deviation;

	result->number[MATCH_RATING_BEFORE][i] = model_display(model, batch->params, before);
	result->number[MATCH_RATING_AFTER][i] = model_display(model, batch->params, after);
	result->number[MATCH_MU_BEFORE][i] = before[0];
	result->number[MATCH_MU_AFTER][i] = after[0];
	if (deviation >= 0)
	{
		result->number[MATCH_DEVIATION_BEFORE][i] = before[deviation];
		result->number[MATCH_DEVIATION_AFTER][i] = after[deviation];
	}
	result->games[i] = games;
	memcpy(result->number[MATCH_STATE_BEFORE] + (Size) i * model->nstate, before,
		   model->nstate * sizeof(double));
	memcpy(result->number[MATCH_STATE_AFTER] + (Size) i * model->nstate, after,
		   model->nstate * sizeof(double));
}

/* What was predicted for the teams of the participants. */
static void
put_probabilities(MatchResult *result, const MatchPartition *partition)
{
	Rater	   *rater = partition->rater;
	Batch	   *batch = rater->batch;
	Match	   *match = &batch->match;
	double		draw = model_draw(batch->model, batch->params, match);
	double	   *win = make_array(result, MATCH_WIN_PROBABILITY, FLOAT8OID, partition->n, 0);
	double	   *first = NULL;
	double	   *sole = NULL;
	double	   *loss = NULL;
	int			i;

	if (match->nteams > 2)
		first = make_array(result, MATCH_FIRST_PROBABILITY, FLOAT8OID, partition->n, 0);
	if (!isnan(draw))
	{
		sole = make_array(result, MATCH_SOLE_WIN_PROBABILITY, FLOAT8OID, partition->n, 0);
		loss = make_array(result, MATCH_LOSS_PROBABILITY, FLOAT8OID, partition->n, 0);
		result->values[MATCH_DRAW_PROBABILITY] = Float8GetDatum(draw);
		result->nulls[MATCH_DRAW_PROBABILITY] = false;
	}
	for (i = 0; i < partition->n; i++)
	{
		const Participant *p = &rater->match.participant[partition->place[i]];

		win[i] = match->team[rated_team(match, p)].win;
		if (first != NULL)
			first[i] = win[i];
		if (sole != NULL)
		{
			sole[i] = sole_win_probability(win[i], draw);
			loss[i] = loss_probability(win[i], draw);
		}
	}
}

/* The result for a match that was rated, or predicted. */
static void
put_match(MatchResult *result, const MatchPartition *partition)
{
	Rater	   *rater = partition->rater;
	Batch	   *batch = rater->batch;
	const Match *match = &batch->match;
	double	   *score = NULL;
	int			i;

	if (!rater->forecast)
		score = make_array(result, MATCH_SCORE, FLOAT8OID, partition->n, 0);
	for (i = 0; i < partition->n; i++)
	{
		const Participant *p = &rater->match.participant[partition->place[i]];

		if (rater->forecast)
		{
			const double *before = match->player[p->player].before;

			put_states(result, partition, i, before, before,
					   batch->player[p->player]->record.games);
		}
		else
		{
			const EventRow *event = &batch->step.row[p->player];

			put_states(result, partition, i, event->before, event->after, event->games);
			score[i] = match_outcome(match, rated_team(match, p)) / 2.0;
		}
	}
	put_probabilities(result, partition);
}

/*
 * The result for a match that is not rated: its players stay as they are.  If one of its
 * elements is no player, nothing is said of any.
 */
static void
put_unrated(MatchResult *result, const MatchPartition *partition)
{
	Batch	   *batch = partition->rater->batch;
	int			column;
	int			i;

	for (i = 0; i < partition->n; i++)
	{
		double		state[MODEL_MAX_STATE];
		int64		games;

		if (partition->no_player[i])
			break;
		rate_current_state(batch, partition->player[i], partition->rater->match.pool,
						   state, &games);
		put_states(result, partition, i, state, state, games);
	}
	if (i < partition->n || partition->n == 0)
		for (column = 0; column < MATCH_NARRAYS; column++)
			result->nulls[column] = true;
}

/*
 * rate_match(model, players, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
Datum
skillrating_rate_match(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	MatchPartition *partition;
	MatchError	error;
	ErrorContextCallback callback;
	MatchResult result;
	Rater	   *rater;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "rate_match() is a window function");
	partition = WinGetPartitionLocalMemory(window, sizeof(MatchPartition));
	if (partition->rater == NULL)
		begin_partition(fcinfo, window, partition);
	rater = partition->rater;
	error.row = WinGetCurrentPosition(window);

	/* Whoever catches an error puts error_context_stack back. */
	callback.callback = match_error_context;
	callback.arg = &error;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	check_order(window, error.row);
	read_arguments(window, partition);
	rate_match(partition);
	error_context_stack = callback.previous;

	/*
	 * From here on there is nothing wrong with the match, and nothing changes
	 * any more.
	 */
	begin_result(&result, partition);
	if (rater->verdict == VERDICT_RATE || rater->forecast)
		put_match(&result, partition);
	else
		put_unrated(&result, partition);
	if (rater->verdict != VERDICT_RATE)
	{
		result.values[MATCH_UNRATED_REASON] =
			CStringGetTextDatum(unrated_code(rater->why.reason));
		result.values[MATCH_UNRATED_DETAIL] = CStringGetTextDatum(rater->why.detail);
		result.nulls[MATCH_UNRATED_REASON] = result.nulls[MATCH_UNRATED_DETAIL] = false;
	}
	return HeapTupleGetDatum(heap_form_tuple(rate_call(fcinfo, MATCH_NCOLUMNS)->desc,
											 result.values, result.nulls));
}
