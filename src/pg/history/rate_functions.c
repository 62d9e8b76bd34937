/*
 * rate_functions.c
 *		Rating whole histories in a query: the window functions rate(), rate_match() and
 *		rate_through_time().
 *
 * They have the same arguments in the same order, rate_through_time() up to the options; of
 * rate_match() those about participants are arrays.
 *
 * The memory of a partition has the rater with all its players.  The current context, that of a
 * row, has the elements of its arrays and the result; the rater copies what it keeps of a row.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/history/through_time_state.h"
#include "pg/matches/inputs.h"
#include "pg/sql/arrays.h"

/* The arguments of rate(): those of inputs() stand before the options. */
enum
{
	ARG_MODEL,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS = ARG_INPUTS + INPUTS_COUNT,
	ARG_START,
	ARG_START_COMPONENTS,
	RATE_NARGS
};

/*
 * Some columns of the type rated, and of rated_participants, where all but the draw probability and
 * the reasons are arrays (sql/history/40-rate.sql).
 */
enum
{
	RATED_GAMES_BEFORE = 6,
	RATED_DRAW_PROBABILITY = 10,
	RATED_STATE_BEFORE = 13,
	RATED_STATE_AFTER,
	RATED_UNRATED_REASON
};

/* What a participant has of a match; NaN where nothing is known. */
typedef struct Rated
{
	const double *before;		/* states */
	const double *after;
	double		state[MODEL_MAX_STATE]; /* which are this one where the match
										 * does not count */
	int64		games;			/* before */
	double		score;
	double		win;
	double		sole_win;
	double		draw;
	double		loss;
	double		first;
} Rated;

/* An argument that differs among rows, and its elements where it is an array. */
typedef struct RateArgument
{
	int			arg;
	const char *name;			/* of an array; NULL: it is none */
	Oid			type;			/* of a value, or of an element */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	bool		given;			/* in the current row, with these elements: */
	Datum	   *value;
	bool	   *null;
} RateArgument;

/* A partition, in memory of the window. */
typedef struct RatePartition
{
	const char *function;		/* NULL before the first row */
	Rater	   *rater;
	RateArgument argument[ARG_OPTIONS];
	int			narguments;
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the participant being read */
	bool		nulls[INPUT_NSLOTS];
	int64		row;			/* where the match that was rated last begins, */
	int64		behind;			/* and of rate() the first row behind it */
	int			n;				/* of rate_match(), elements of players, */
	Unrated		fault;			/* and what is wrong with arrays, or nothing */
	int		   *place;			/* of participants, as they were read, among
								 * the sorted ones */
	double		draw;			/* the probability that the match is one, or
								 * NaN */
} RatePartition;

/* Whether a rater's match was rated or predicted, so that participants have probabilities. */
static bool
is_rated(const Rater *rater)
{
	return rater->verdict == VERDICT_RATE || rater->forecast;
}

/*
 * ---- Partitions ----
 */

/* A rater of nobody, by the model and the options of a partition. */
static Rater *
begin_rater(WindowObject window, const char *function, unsigned valid, Oid player_type)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_MODEL, &isnull);
	char	   *model;
	HistoryOptions options;
	Rater	   *rater;

	if (isnull)
		report_null("model");
	model = TextDatumGetCString(value);
	value = WinGetFuncArgCurrent(window, ARG_OPTIONS, &isnull);
	options = history_options(function, &get_model(model)->params, valid,
							  isnull ? NULL : DatumGetJsonbPCopy(value));
	rater = rater_create(model, options.params, player_type, NULL, options.strict);
	rater->season_rules = options.season;
	if (valid & OPTION_REFITS)
		refits_begin(rater, &options.refits);
	return rater;
}

/* Where players and components start. */
static void
read_start(WindowObject window, Rater *rater)
{
	bool		no_start;
	Datum		start = WinGetFuncArgCurrent(window, ARG_START, &no_start);
	bool		no_components;
	Datum		components = WinGetFuncArgCurrent(window, ARG_START_COMPONENTS,
												  &no_components);

	if (!no_start)
		rater_start(rater, start);
	if (!no_components)
		batch_start_components(rater->batch, components, "start_components");
}

/* Put the value of an argument between the model and the options in its place in a row. */
static void
set_argument(RatePartition *partition, int arg, Datum value, bool isnull)
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

/*
 * Note the arguments that can differ among rows, and put those that cannot into the row: most are
 * left out.
 */
static void
begin_arguments(FunctionCallInfo fcinfo, RatePartition *partition, bool arrays)
{
	int			i;

	for (i = ARG_PLAYER; i < ARG_OPTIONS; i++)
	{
		RateArgument *argument = &partition->argument[partition->narguments];
		bool		isnull;
		Datum		value;

		argument->arg = i;
		argument->name = arrays ? array_name(i) : NULL;
		argument->type = get_fn_expr_argtype(fcinfo->flinfo, i);
		if (argument->name != NULL)
			argument->type = get_base_element_type(argument->type);
		get_typlenbyvalalign(argument->type, &argument->typlen, &argument->typbyval,
							 &argument->typalign);

		/* Players are read for each row, to see whether there is one. */
		if (i != ARG_PLAYER && get_fn_expr_arg_stable(fcinfo->flinfo, i))
		{
			value = WinGetFuncArgCurrent(PG_WINDOW_OBJECT(), i, &isnull);
			if (isnull || argument->name == NULL)
			{
				set_argument(partition, i, value, isnull);
				continue;
			}
		}
		partition->narguments++;
	}
}

/*
 * The partition of the current row, which begins with its first one.  Error 42P20 unless the window
 * has an order and no frame, and those of rater_create(), history_options() and of where players and
 * components start.
 */
static RatePartition *
current_partition(FunctionCallInfo fcinfo, const char *function, unsigned valid, bool arrays)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition;
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, ARG_PLAYER);
	MemoryContext old;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "%s() is a window function", function);
	partition = WinGetPartitionLocalMemory(window, sizeof(RatePartition));
	if (partition->function != NULL)
		return partition;
	check_window(window, function);
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->rater = begin_rater(window, function, valid,
								   arrays ? get_base_element_type(type) : type);
	if (PG_NARGS() > ARG_START)
		read_start(window, partition->rater);
	MemoryContextSwitchTo(old);
	source_row_clear(partition->values, partition->nulls);
	begin_arguments(fcinfo, partition, arrays);
	partition->function = function;
	return partition;
}

static void
rate_error_context(void *arg)
{
	const RatePartition *partition = (const RatePartition *) arg;

	errcontext("match that begins in row " INT64_FORMAT " of a window of %s()",
			   partition->row + 1, partition->function);
}

/* Errors name the row of the partition from here on, until whoever calls this pops the callback. */
static void
push_context(RatePartition *partition, ErrorContextCallback *callback)
{
	callback->callback = rate_error_context;
	callback->arg = partition;
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

/* Rate the match, whose n participants have been added to the rater. */
static void
rate(RatePartition *partition, int n)
{
	Rater	   *rater = partition->rater;
	int			i;

	rater_rate(rater);
	if (!is_rated(rater))
		return;

	/* The rater has sorted participants; results come as these were read. */
	partition->place = huge_array_in(rater->context, int, n);
	for (i = 0; i < n; i++)
		partition->place[rater->match.order[i]] = i;
	partition->draw = model_draw(rater->batch->model, rater->batch->params,
								 &rater->batch->match);
}

/*
 * ---- What a participant has ----
 */

/* The index of the team of a participant's row: a player may have stints on several. */
static int
team_of(const Match *match, const Participant *p)
{
	int			team = 0;

	while (match->team[team].number != p->team)
		team++;
	return team;
}

/* What a participant of a match that was rated or predicted has, by the place among the sorted. */
static void
take_participant(const Rater *rater, double draw, int place, Rated *rated)
{
	const Batch *batch = rater->batch;
	const Match *match = &batch->match;
	const Participant *p = &rater->match.participant[place];
	int			team = team_of(match, p);

	if (rater->forecast)
	{
		rated->before = rated->after = match->player[p->player].before;
		rated->games = batch->player[p->player]->record.games;
	}
	else
	{
		const EventRow *event = &batch->step.rows[OF_PLAYERS].row[p->player];

		rated->before = event->before;
		rated->after = event->after;
		rated->games = event->games;
		rated->score = match_outcome(match, team) / 2.0;
	}
	rated->win = match->team[team].win;
	if (match->nteams > 2)
		rated->first = rated->win;
	if (isnan(draw))
		return;

	/*
	 * A draw is half of the win probability.  Rounding must not leave less
	 * than nothing.
	 */
	rated->sole_win = Max(rated->win - draw / 2, 0);
	rated->draw = draw;
	rated->loss = Max(1 - rated->win - draw / 2, 0);
}

/* What a player of a match that does not count has: the state stays as it is. */
static void
take_bystander(const Batch *batch, Datum id, const char *pool, Rated *rated)
{
	static const Period no_period = {0, 0};
	const BatchPlayer *player = id_table_find(batch->players, id, pool);

	/* What pools share is in a row of its own, for all pools of the player. */
	const BatchPlayer *shared =
		batch->shares ? id_table_find(batch->players, id, SHARED_POOL) : NULL;

	model_state_before(batch->model, batch->params,
					   player != NULL ? player->state : batch->initial, 0, no_period,
					   shared != NULL ? shared->state : NULL, 0, rated->state);
	rated->before = rated->after = rated->state;
	rated->games = player != NULL ? player->record.games : 0;
}

/*
 * What that participant has of the match, as they were read; of one that does not count, the player
 * with an identifier and a pool.  False for nobody.
 */
static bool
rate_participant(const RatePartition *partition, int participant, Datum id, bool nobody,
				 const char *pool, Rated *rated)
{
	rated->score = rated->win = rated->sole_win = rated->draw = rated->loss = rated->first = NAN;
	if (is_rated(partition->rater))
		take_participant(partition->rater, partition->draw, partition->place[participant], rated);
	else if (nobody)
		return false;
	else
		take_bystander(partition->rater->batch, id, pool, rated);
	return true;
}

/* The columns before those of states. */
static void
put_numbers(ResultRow *row, const Batch *batch, const Rated *rated)
{
	int			deviation = model_state_column(batch->model, ROLE_DEVIATION);

	put_number(row, model_display(batch->model, batch->params, rated->before));
	put_number(row, model_display(batch->model, batch->params, rated->after));
	put_number(row, rated->before[0]);
	put_number(row, rated->after[0]);
	put_number(row, deviation >= 0 ? rated->before[deviation] : NAN);
	put_number(row, deviation >= 0 ? rated->after[deviation] : NAN);
	put_int64(row, rated->games);
	put_number(row, rated->score);
	put_number(row, rated->win);
	put_number(row, rated->sole_win);
	put_number(row, rated->draw);
	put_number(row, rated->loss);
	put_number(row, rated->first);
}

/* The last columns, behind nulls where nothing is said of participants; null if it is rated. */
static void
put_reason(ResultRow *row, const Rater *rater)
{
	bool		rated = rater->verdict == VERDICT_RATE;

	while (row->n < RATED_UNRATED_REASON)
		put_null(row);
	put_text(row, rated ? NULL : unrated_code(rater->why.reason));
	put_text(row, rated ? NULL : rater->why.detail);
}

/*
 * ---- A row for each participant: rate() and rate_through_time() ----
 */

/* Read an argument of a row, by its distance from the current one; false if that is not there. */
static bool
read_argument(WindowObject window, RatePartition *partition, int distance,
			  const RateArgument *argument)
{
	bool		isnull;
	bool		isout = false;
	Datum		value;

	if (distance == 0)
		value = WinGetFuncArgCurrent(window, argument->arg, &isnull);
	else
		value = WinGetFuncArgInPartition(window, argument->arg, distance, WINDOW_SEEK_CURRENT,
										 false, &isnull, &isout);
	if (isout)
		return false;

	/* The server's slot holds one row only until the next is read. */
	if (distance > 0 && !isnull && !argument->typbyval)
	{
		MemoryContext old = MemoryContextSwitchTo(partition->rater->context);

		value = datumCopy(value, false, argument->typlen);
		MemoryContextSwitchTo(old);
	}
	set_argument(partition, argument->arg, value, isnull);
	return true;
}

/* Read a row; false if it is not there or belongs to the next match. */
static bool
read_row(WindowObject window, RatePartition *partition, int distance)
{
	int64		row = partition->row + distance;
	int			i;

	source_row_untime(&partition->times, partition->nulls);
	for (i = 0; i < partition->narguments; i++)
	{
		if (!read_argument(window, partition, distance, &partition->argument[i]))
			return false;

		/* Only of a row that is there can this be asked. */
		if (i == 0 && distance > 0 && !WinRowsArePeers(window, row - 1, row))
			return false;
	}
	source_row_time(&partition->times, partition->values, partition->nulls);
	return true;
}

/* Read and rate the match that begins with the current row; rows before it can be forgotten. */
static void
rate_rows(WindowObject window, RatePartition *partition, int64 row)
{
	ErrorContextCallback callback;
	int			n = 0;

	partition->row = row;
	push_context(partition, &callback);
	WinSetMarkPosition(window, row);
	while (read_row(window, partition, n))
	{
		if (n == 0)
			rater_begin(partition->rater, partition->values, partition->nulls);
		n++;
		(void) rater_add(partition->rater, partition->values, partition->nulls);
	}
	rate(partition, n);
	partition->behind = row + n;
	error_context_stack = callback.previous;
}

/* What the player of the current row has of its match; false without a player. */
static bool
current_participant(WindowObject window, RatePartition *partition, int64 row, Rated *rated)
{
	bool		nobody = false;
	bool		no_pool = true;
	Datum		id = (Datum) 0;
	Datum		pool = (Datum) 0;

	if (!is_rated(partition->rater))
	{
		id = WinGetFuncArgCurrent(window, ARG_PLAYER, &nobody);
		pool = WinGetFuncArgCurrent(window, ARG_INPUTS + source_input(SOURCE_POOL), &no_pool);
	}
	return rate_participant(partition, (int) (row - partition->row), id, nobody,
							no_pool ? "" : TextDatumGetCString(pool), rated);
}

/* The result for the current row, of either function. */
static Datum
rate_row(FunctionCallInfo fcinfo, const char *function, unsigned options)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition = current_partition(fcinfo, function, options, false);
	int64		row = WinGetCurrentPosition(window);
	const Batch *batch = partition->rater->batch;
	Rated		rated;
	ResultRow	result = {0};

	if (row >= partition->behind)
		rate_rows(window, partition, row);

	/* A row without a player has a reason alone. */
	if (current_participant(window, partition, row, &rated))
	{
		put_numbers(&result, batch, &rated);
		put_datum(&result, float8_array(rated.before, batch->model->nstate), false);
		put_datum(&result, float8_array(rated.after, batch->model->nstate), false);
	}
	put_reason(&result, partition->rater);
	return return_result_row(fcinfo, &result);
}

/*
 * rate(model, player_id, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
SQL_FUNCTION(skillrating_rate)
{
	return rate_row(fcinfo, "rate", OPTION_STRICT | OPTION_SEASON);
}

/* rate_through_time(model, player_id, team, rank, ..., fixed, options), over a window */
SQL_FUNCTION(skillrating_rate_through_time)
{
	return rate_row(fcinfo, "rate_through_time", OPTION_STRICT | OPTION_REFITS);
}

/*
 * ---- A row for each match: rate_match() ----
 */

/* The elements of an array, all of one dimension. */
static int
read_array(RateArgument *argument, Datum value)
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
	deconstruct_array(array, argument->type, argument->typlen, argument->typbyval,
					  argument->typalign, &argument->value, &argument->null, &found);
	return found;
}

/*
 * Check the number of elements of an array against that of the players.  As a mistake in a row
 * of rate(), another number keeps the match from being rated, or is an error where strict.
 */
static void
check_length(RatePartition *partition, const RateArgument *argument, int n)
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
read_arguments(WindowObject window, RatePartition *partition)
{
	int			i;

	partition->n = 0;
	partition->fault = unrated_nothing;
	source_row_untime(&partition->times, partition->nulls);
	for (i = 0; i < partition->narguments; i++)
	{
		RateArgument *argument = &partition->argument[i];
		bool		isnull;
		Datum		value = WinGetFuncArgCurrent(window, argument->arg, &isnull);

		argument->given = argument->name != NULL && !isnull;
		if (!argument->given)
			set_argument(partition, argument->arg, value, isnull);

		/* The first one is that of the players, without whom there is nobody. */
		else if (i == 0)
			partition->n = read_array(argument, value);
		else
			check_length(partition, argument, read_array(argument, value));
	}
	source_row_time(&partition->times, partition->values, partition->nulls);
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

	/* The next call compares with this row. */
	WinSetMarkPosition(window, row);
}

/* Rate the match in the arguments that have been read. */
static void
rate_arrays(RatePartition *partition)
{
	int			i,
				j;

	rater_begin(partition->rater, partition->values, partition->nulls);

	/* Arrays of different lengths make no participants. */
	if (partition->fault.detail != NULL)
	{
		rater_refuse(partition->rater, partition->fault);
		return;
	}
	for (i = 0; i < partition->n; i++)
	{
		for (j = 0; j < partition->narguments; j++)
		{
			const RateArgument *argument = &partition->argument[j];

			if (argument->given)
				set_argument(partition, argument->arg, argument->value[i], argument->null[i]);
		}
		(void) rater_add(partition->rater, partition->values, partition->nulls);
	}
	rate(partition, partition->n);
}

/*
 * Put arrays of n elements of eight bytes each, or of states, for the columns that have them, which
 * are the same for all participants of a match; data leads to their elements, or is NULL for a
 * column without.
 */
static void
put_arrays(ResultRow *result, const ResultRow *first, int n, int nstate, int64 **data)
{
	while (result->n <= RATED_STATE_AFTER)
	{
		int			column = result->n;
		bool		state = column >= RATED_STATE_BEFORE;
		ArrayType  *array;

		data[column] = NULL;
		if (!state && (first->nulls[column] || column == RATED_DRAW_PROBABILITY))
		{
			put_datum(result, first->values[column], first->nulls[column]);
			continue;
		}
		array = number_array_make(column == RATED_GAMES_BEFORE ? INT8OID : FLOAT8OID, n,
								  state ? nstate : 0);
		put_datum(result, PointerGetDatum(array), false);
		data[column] = (int64 *) ARR_DATA_PTR(array);
	}
}

/*
 * Put what participants have into arrays.  If an element of players is nobody, which keeps the
 * match from being rated, nothing is said of any.
 */
static void
put_participants(ResultRow *result, const RatePartition *partition)
{
	const Rater *rater = partition->rater;
	const RateArgument *players = &partition->argument[0];
	int			nstate = rater->batch->model->nstate;
	int64	   *data[RATED_UNRATED_REASON];
	int			i,
				column;

	for (i = 0; i < partition->n; i++)
	{
		Rated		rated;
		ResultRow	row = {0};

		if (!rate_participant(partition, i, players->value[i], players->null[i],
							  rater->match.pool, &rated))
		{
			result->n = 0;
			return;
		}
		put_numbers(&row, rater->batch, &rated);
		if (i == 0)
			put_arrays(result, &row, partition->n, nstate, data);

		/* A float8 has the bits of an int8, too. */
		for (column = 0; column < row.n; column++)
			if (data[column] != NULL)
				data[column][i] = DatumGetInt64(row.values[column]);
		memcpy(data[RATED_STATE_BEFORE] + (Size) i * nstate, rated.before,
			   nstate * sizeof(float8));
		memcpy(data[RATED_STATE_AFTER] + (Size) i * nstate, rated.after,
			   nstate * sizeof(float8));
	}
}

/*
 * rate_match(model, players, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
SQL_FUNCTION(skillrating_rate_match)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition = current_partition(fcinfo, "rate_match",
												 OPTION_STRICT | OPTION_SEASON, true);
	ErrorContextCallback callback;
	ResultRow	result = {0};

	partition->row = WinGetCurrentPosition(window);

	/* Whoever catches an error puts error_context_stack back. */
	push_context(partition, &callback);
	check_order(window, partition->row);
	read_arguments(window, partition);
	rate_arrays(partition);
	error_context_stack = callback.previous;

	put_participants(&result, partition);
	put_reason(&result, partition->rater);
	return return_result_row(fcinfo, &result);
}
