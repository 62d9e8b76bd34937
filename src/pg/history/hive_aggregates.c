/*
 * hive_aggregates.c
 *		The Hive model over the players of one match: the aggregates
 *		hive_win_probability() and hive_update().
 */
#include "pg/sql/aggregate.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "core/math/logistic.h"
#include "core/models/hive.h"
#include "pg/history/options.h"
#include "pg/matches/inputs.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_hive_win_probability_transition);
SKILLRATING_FUNCTION(skillrating_hive_win_probability_combine);
SKILLRATING_FUNCTION(skillrating_hive_win_probability_final);
SKILLRATING_FUNCTION(skillrating_hive_update_transition);
SKILLRATING_FUNCTION(skillrating_hive_update_final);

static int
check_side(int32 side)
{
	if (side != 1 && side != 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("side must be 1 or 2, not %d", side)));
	return side;
}

/*
 * The numbers of a composite hive_state, all of them finite; false if they are not, unless
 * that is an error.
 */
static bool
read_state(const Model *model, Datum composite, TupleDesc *desc,
		   MemoryContext memory, double *state, bool tolerant)
{
	Datum		values[HIVE_NSTATE];
	bool		nulls[HIVE_NSTATE];
	int			i;

	composite_columns(composite, desc, memory, HIVE_NSTATE, values, nulls);
	for (i = 0; i < HIVE_NSTATE; i++)
	{
		const char *name = model->state[i].name;

		state[i] = nulls[i] ? 0 : DatumGetFloat8(values[i]);
		if (tolerant && (nulls[i] || !isfinite(state[i])))
			return false;
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s in a hive_state must not be null", name),
					 errhint("The function hive_state() fills in missing columns.")));
		check_finite(name, state[i]);
	}
	return true;
}

/*
 * ---- hive_win_probability() ----
 */

/*
 * The state of the aggregate: HiveSums, the number of rows, and the log-odds of
 * the context, which are the same in all rows.
 */
enum
{
	WIN_WEIGHT,
	WIN_SKILL,
	WIN_SIDE_OFFSET,
	WIN_COMMAND_WEIGHT,
	WIN_COMMAND_SKILL,
	WIN_ROWS,
	WIN_LOG_ODDS,
	WIN_SIZE
};

/* What calls keep from row to row. */
typedef struct WinCall
{
	const Model *model;
	ParamValue *params;			/* defaults */
	TupleDesc	state_desc;		/* of hive_state, or NULL */
	TupleDesc	inputs_desc;	/* of inputs, or NULL */
} WinCall;

static ArrayType *
win_state_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("aggregate state must not be null")));
	return float8_state_arg(fcinfo, 0, WIN_SIZE);
}

static HiveSums
win_sums(const float8 *state)
{
	HiveSums	sums = {state[WIN_WEIGHT], state[WIN_SKILL],
		state[WIN_SIDE_OFFSET], state[WIN_COMMAND_WEIGHT],
	state[WIN_COMMAND_SKILL]};

	return sums;
}

static void
win_set_log_odds(float8 *state, float8 log_odds)
{
	if (state[WIN_ROWS] > 0 && state[WIN_LOG_ODDS] != log_odds)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("log_odds must be the same in all rows of a match")));
	state[WIN_LOG_ODDS] = log_odds;
}

/* Count a player's part on a side, given as checked weights and a checked state. */
static void
win_add(float8 *state, int side, double play, double command,
		const double *player, double log_odds)
{
	HiveSums	sums = win_sums(state);

	hive_sums_add(&sums, side == 1 ? 1 : -1, play, player[HIVE_SKILL],
				  player[HIVE_SIDE_OFFSET], command,
				  player[HIVE_COMMAND_SKILL]);
	win_set_log_odds(state, log_odds);
	state[WIN_WEIGHT] = sums.weight;
	state[WIN_SKILL] = sums.skill;
	state[WIN_SIDE_OFFSET] = sums.side_offset;
	state[WIN_COMMAND_WEIGHT] = sums.command_weight;
	state[WIN_COMMAND_SKILL] = sums.command_skill;
	state[WIN_ROWS] += 1;
}

static WinCall *
win_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		WinCall    *call = palloc0_object(WinCall);

		call->model = get_model("hive");
		call->params = get_params(&call->model->params, NULL);
		flinfo->fn_extra = call;
		MemoryContextSwitchTo(old);
	}
	return flinfo->fn_extra;
}

/* An input that is a number; NaN, which cannot come from outside, if it is null. */
static double
input_number(const Datum *values, const bool *nulls, SourceColumn column)
{
	if (nulls[column])
		return NAN;
	check_finite(source_column_name(column), DatumGetFloat8(values[column]));
	return DatumGetFloat8(values[column]);
}

/*
 * How much of a row was play and how much commanding, exactly as match_build()
 * has it in a match that is rated: a duel with another player is built.
 */
static void
row_weights(const WinCall *call, const Datum *values, const bool *nulls,
			double *play, double *command)
{
	Participant duel[2] = {participant_default, participant_default};
	MatchTeam	team[2];
	MatchPlayer player[2] = {0};
	MatchEntry	entry[2];
	Match		match = {.team = team,.player = player,.entry = entry,
	.nplayers = 2};
	MatchStatus status;
	int			offender;

	duel[0].team = 1;
	duel[0].weight = input_number(values, nulls, SOURCE_WEIGHT);
	duel[0].joined = input_number(values, nulls, SOURCE_JOINED);
	duel[0].left = input_number(values, nulls, SOURCE_LEFT);
	duel[0].commanding = input_number(values, nulls, SOURCE_COMMANDING);
	if (!isnan(duel[0].joined) && isnan(duel[0].left))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("left must not be null where joined is given"),
				 errhint("For a player who is still playing, give the time that is expected.")));
	duel[1].player = 1;
	duel[1].team = 2;
	duel[1].weight = 1;
	duel[0].rank = duel[1].rank = 1;
	status = match_build(&call->model->rules, call->params, duel, 2, &match, &offender);
	if (status != MATCH_OK && status != MATCH_NO_PLAY_TIME)
		report_match_status(status,
							match_status_value(status, &duel[0], &match), NULL);
	*play = status == MATCH_OK ? entry[0].weight : 0;
	*command = status == MATCH_OK ? entry[0].command_weight : 0;
}

/*
 * hive_win_probability(state, side, inputs)
 *
 * A row without state or side is not a player and does not count.
 */
Datum
skillrating_hive_win_probability_transition(PG_FUNCTION_ARGS)
{
	ArrayType  *array = win_state_argument(fcinfo);
	WinCall    *call = win_call(fcinfo);
	Datum		values[INPUT_NSLOTS];
	bool		nulls[INPUT_NSLOTS];
	double		player[HIVE_NSTATE];
	double		play,
				command,
				log_odds;
	int			side;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_ARRAYTYPE_P(array);
	side = check_side(PG_GETARG_INT32(2));
	(void) read_state(call->model, PG_GETARG_DATUM(1), &call->state_desc,
					  fcinfo->flinfo->fn_mcxt, player, false);
	source_row_clear(values, nulls);
	if (!PG_ARGISNULL(3))
		source_row_set_all(values, nulls, &call->inputs_desc,
						   fcinfo->flinfo->fn_mcxt, PG_GETARG_DATUM(3));
	row_weights(call, values, nulls, &play, &command);
	log_odds = input_number(values, nulls, SOURCE_LOG_ODDS);
	win_add(float8_state(array, WIN_SIZE), side, play, command, player,
			isnan(log_odds) ? 0 : log_odds);
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_hive_win_probability_combine(PG_FUNCTION_ARGS)
{
	ArrayType  *array = float8_state_arg(fcinfo, 0, WIN_SIZE);
	float8	   *state = float8_state(array, WIN_SIZE);
	float8	   *other = float8_state(PG_GETARG_ARRAYTYPE_P(1), WIN_SIZE);
	int			i;

	if (other[WIN_ROWS] > 0)
		win_set_log_odds(state, other[WIN_LOG_ODDS]);
	for (i = 0; i <= WIN_ROWS; i++)
		state[i] += other[i];
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_hive_win_probability_final(PG_FUNCTION_ARGS)
{
	float8	   *state = float8_state(PG_GETARG_ARRAYTYPE_P(0), WIN_SIZE);
	HiveSums	sums = win_sums(state);
	double		probability;

	/* Without play time there is no match to predict. */
	if (state[WIN_WEIGHT] + state[WIN_COMMAND_WEIGHT] == 0)
		PG_RETURN_NULL();
	probability = logistic(hive_sums_log_odds(&sums, state[WIN_LOG_ODDS]));
	PG_RETURN_FLOAT8(check_result(probability));
}

/*
 * ---- hive_update() ----
 */

/* The arguments of the transition function, behind the state. */
enum
{
	UPDATE_ARG_PLAYER = 1,
	UPDATE_ARG_STATE,
	UPDATE_ARG_SIDE,
	UPDATE_ARG_SCORE,
	UPDATE_ARG_INPUTS,
	UPDATE_ARG_OPTIONS
};

/* The columns of the type hive_rating. */
enum
{
	HIVE_RATING_PLAYER_ID,
	HIVE_RATING_STATE,
	HIVE_RATING_GRADIENT = HIVE_RATING_STATE + HIVE_NSTATE,
	HIVE_RATING_WIN_PROBABILITY,
	HIVE_RATING_NCOLUMNS
};

typedef struct UpdatePlayer
{
	char	   *name;			/* text form of the identifier */
	double		state[HIVE_NSTATE]; /* before the match */
} UpdatePlayer;

/* The state of the aggregate; all of it lives in the aggregate's context. */
typedef struct UpdateState
{
	const Model *model;
	IdType		player_type;
	IdTable    *numbers;		/* of players, plus one */
	UpdatePlayer *player;		/* by number: in the order of the rows */
	int			nplayers;
	int			max_players;
	SourceMatch match;			/* its participants are the rows */
	HistoryOptions options;		/* of the first row */
	bool		strict;			/* a mistake is an error, else: */
	bool		mistaken;		/* a row makes no sense */
	TupleDesc	state_desc;
	TupleDesc	inputs_desc;
} UpdateState;

static UpdateState *
update_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	UpdateState *state = palloc0_object(UpdateState);

	state->model = get_model("hive");
	id_type_init(&state->player_type,
				 get_fn_expr_argtype(fcinfo->flinfo, UPDATE_ARG_PLAYER),
				 "player_id");
	state->numbers = id_table_create(&state->player_type);
	state->max_players = 16;
	state->player = palloc_array(UpdatePlayer, state->max_players);
	source_match_init(&state->match, NULL, &state->player_type);
	state->options = history_options("hive_update", &state->model->params, OPTION_STRICT,
									 options_argument(fcinfo, UPDATE_ARG_OPTIONS));
	state->strict = state->options.strict;
	state->match.tolerant = !state->strict;
	state->match.times = TIMES_OPTIONAL;
	MemoryContextSwitchTo(old);
	return state;
}

/* Whether the arguments of a row make sense; errors where strict if they do not. */
static bool
check_update_arguments(FunctionCallInfo fcinfo, bool strict)
{
	static const char *const name[] = {
		[UPDATE_ARG_PLAYER] = "player_id",
		[UPDATE_ARG_STATE] = "state",
		[UPDATE_ARG_SIDE] = "side",
		[UPDATE_ARG_SCORE] = "score"
	};
	int			i;

	if (!strict)
	{
		for (i = UPDATE_ARG_PLAYER; i <= UPDATE_ARG_SCORE; i++)
			if (PG_ARGISNULL(i))
				return false;
		return (PG_GETARG_INT32(UPDATE_ARG_SIDE) == 1 ||
				PG_GETARG_INT32(UPDATE_ARG_SIDE) == 2) &&
			PG_GETARG_FLOAT8(UPDATE_ARG_SCORE) >= 0 &&
			PG_GETARG_FLOAT8(UPDATE_ARG_SCORE) <= 1;
	}
	for (i = UPDATE_ARG_PLAYER; i <= UPDATE_ARG_SCORE; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not be null", name[i]),
					 errhint("Leave rows that are no players out with FILTER (WHERE ...).")));
	check_side(PG_GETARG_INT32(UPDATE_ARG_SIDE));
	check_probability("score", PG_GETARG_FLOAT8(UPDATE_ARG_SCORE));
	return true;
}

/*
 * The number of a player, a new one's with the state given; a known one must
 * have the same, else -1 is returned, or an error raised where strict.
 */
static int
update_player(UpdateState *state, Datum id, const double *before)
{
	bool		found;
	void	  **number = id_table_enter(state->numbers, id, "", &found);
	UpdatePlayer *player;

	if (found)
	{
		player = &state->player[(intptr_t) *number - 1];
		if (memcmp(player->state, before, sizeof(player->state)) != 0)
		{
			if (!state->strict)
				return -1;
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s has different states in one match",
							player->name)));
		}
		return (intptr_t) *number - 1;
	}
	if (state->nplayers == state->max_players)
	{
		state->max_players *= 2;
		state->player = repalloc_array(state->player, UpdatePlayer,
									   state->max_players);
	}
	player = &state->player[state->nplayers++];
	*number = (void *) (intptr_t) state->nplayers;
	player->name = id_text(&state->player_type, id);
	memcpy(player->state, before, sizeof(player->state));
	return state->nplayers - 1;
}

/*
 * Fill a row of a source with the arguments, which take the place of side, score
 * and won among the inputs.
 */
static void
set_update_row(FunctionCallInfo fcinfo, UpdateState *state,
			   MemoryContext memory, Datum *values, bool *nulls)
{
	float8		side = PG_GETARG_INT32(UPDATE_ARG_SIDE);

	source_row_clear(values, nulls);
	if (PG_NARGS() > UPDATE_ARG_INPUTS && !PG_ARGISNULL(UPDATE_ARG_INPUTS))
		source_row_set_all(values, nulls, &state->inputs_desc, memory,
						   PG_GETARG_DATUM(UPDATE_ARG_INPUTS));
	values[SOURCE_PLAYER_ID] = PG_GETARG_DATUM(UPDATE_ARG_PLAYER);
	values[SOURCE_TEAM] = PG_GETARG_DATUM(UPDATE_ARG_SIDE);
	values[SOURCE_SIDE] = Float8GetDatum(side);
	values[SOURCE_SCORE] = PG_GETARG_DATUM(UPDATE_ARG_SCORE);
	nulls[SOURCE_PLAYER_ID] = nulls[SOURCE_TEAM] = false;
	nulls[SOURCE_SIDE] = nulls[SOURCE_SCORE] = false;
	nulls[SOURCE_WON] = true;
}

/*
 * Take a row over; false if it makes no sense.  What is kept of it is copied into the
 * context.
 */
static bool
add_update_row(FunctionCallInfo fcinfo, UpdateState *state, MemoryContext context)
{
	MemoryContext old;
	Datum		values[INPUT_NSLOTS];
	bool		nulls[INPUT_NSLOTS];
	double		before[HIVE_NSTATE];
	Participant *row;

	if (!check_update_arguments(fcinfo, state->strict) ||
		!read_state(state->model, PG_GETARG_DATUM(UPDATE_ARG_STATE),
					&state->state_desc, context, before, !state->strict))
		return false;
	if (state->match.n == MATCH_MAX_PARTICIPANTS)
	{
		if (!state->strict)
			return false;
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS,
							MATCH_MAX_PARTICIPANTS + 1, NULL);
	}
	set_update_row(fcinfo, state, context, values, nulls);

	old = MemoryContextSwitchTo(context);
	if (state->match.n == 0)
		source_match_begin(&state->match, values, nulls);
	row = source_match_add(&state->match, values, nulls);
	row->player = update_player(state, values[SOURCE_PLAYER_ID], before);
	MemoryContextSwitchTo(old);
	return row->player >= 0;
}

/* hive_update(player_id, state, side, score [, inputs, options]) */
Datum
skillrating_hive_update_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "hive_update");
	UpdateState *state = aggregate_state(fcinfo, "hive_update");

	if (state == NULL)
		state = update_begin(fcinfo, context);
	check_options_stay(fcinfo, UPDATE_ARG_OPTIONS, state->options.given, "hive_update");

	/* One row is enough; what else there is does not matter. */
	if (!state->mistaken && !add_update_row(fcinfo, state, context))
		state->mistaken = true;
	PG_RETURN_POINTER(state);
}

/* By side, player and arrival: the order of the sums must not be chance. */
static int
compare_update_rows(const void *a, const void *b, void *arg)
{
	const UpdateState *state = (const UpdateState *) arg;
	int			i = *(const int *) a;
	int			j = *(const int *) b;
	const Participant *p = &state->match.participant[i];
	const Participant *q = &state->match.participant[j];
	int			order;

	if (p->team != q->team)
		return p->team - q->team;
	order = strcmp(state->player[p->player].name, state->player[q->player].name);
	return order != 0 ? order : i - j;
}

/* The rows in that order. */
static Participant *
sorted_update_rows(UpdateState *state)
{
	int			n = state->match.n;
	int		   *order = palloc_array(int, n);
	Participant *sorted = palloc_array(Participant, n);
	int			i;

	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_arg(order, n, sizeof(int), compare_update_rows, state);
	for (i = 0; i < n; i++)
		sorted[i] = state->match.participant[order[i]];
	return sorted;
}

/* Build the match and rate it; false if it does not count. */
static bool
update_rate(UpdateState *state, Match *match)
{
	ParamValue *params = get_params(&state->model->params, state->options.params);
	Participant *row;
	double	   *after;
	MatchStatus status;
	int			offender = -1;
	int			i;

	/* Where strict the source's reason does not hide a mistake. */
	if (state->mistaken ||
		(!state->strict && source_match_reason(&state->match).detail != NULL))
		return false;
	row = sorted_update_rows(state);
	after = palloc_array(double, state->nplayers * HIVE_NSTATE);
	memset(match, 0, sizeof(Match));
	match->team = palloc_array(MatchTeam, 2);
	match->player = palloc0_array(MatchPlayer, state->nplayers);
	match->entry = palloc_array(MatchEntry, state->match.n);
	match->nplayers = state->nplayers;
	match->log_odds = state->match.log_odds;
	for (i = 0; i < state->nplayers; i++)
	{
		match->player[i].before = state->player[i].state;
		match->player[i].after = after + i * HIVE_NSTATE;
	}
	status = match_build(&state->model->rules, params, row, state->match.n, match,
						 &offender);
	if (status == MATCH_OK)
		status = model_rate(state->model, params, match);
	if (status > MATCH_LAST_UNRATED && state->strict)
	{
		const Participant *p = offender >= 0 ? &row[offender] : NULL;

		report_match_status(status, match_status_value(status, p, match),
							p ? state->player[p->player].name : NULL);
	}
	return status == MATCH_OK && state->match.unrated_reason == NULL;
}

Datum
skillrating_hive_update_final(PG_FUNCTION_ARGS)
{
	UpdateState *state = aggregate_state(fcinfo, "hive_update");
	Match		match;
	RowArray	rows;
	int			i,
				j;

	if (state == NULL || !update_rate(state, &match))
		PG_RETURN_NULL();

	rows = row_array_make(fcinfo, match.nplayers);
	for (i = 0; i < match.nplayers; i++)
	{
		MatchPlayer *player = &match.player[i];
		Datum		values[HIVE_RATING_NCOLUMNS];
		bool		nulls[HIVE_RATING_NCOLUMNS] = {false};

		values[HIVE_RATING_PLAYER_ID] =
			CStringGetTextDatum(state->player[i].name);
		for (j = 0; j < HIVE_NSTATE; j++)
			values[HIVE_RATING_STATE + j] = Float8GetDatum(player->after[j]);
		values[HIVE_RATING_GRADIENT] = Float8GetDatum(player->gradient);
		values[HIVE_RATING_WIN_PROBABILITY] =
			Float8GetDatum(match.team[player->team].win);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
