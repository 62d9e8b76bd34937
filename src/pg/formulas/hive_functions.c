/*
 * hive_functions.c
 *		The Hive model over the players of one match, as aggregates.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "core/math/logistic.h"
#include "core/models/hive.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_hive_weight);
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

Datum
skillrating_hive_weight(PG_FUNCTION_ARGS)
{
	float8		joined = PG_GETARG_FLOAT8(0);
	float8		left = PG_GETARG_FLOAT8(1);
	float8		median_round = PG_GETARG_FLOAT8(2);

	check_not_negative("joined", joined);
	check_finite("left", left);
	if (left < joined)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("left (%g) must not be before joined (%g)",
						left, joined),
				 errhint("Both are seconds from the start of the match.")));
	check_positive("median_round", median_round);
	PG_RETURN_FLOAT8(hive_weight(joined, left, median_round));
}

/* The arguments of the transition function of hive_win_probability(). */
enum
{
	WIN_ARG_STATE,
	WIN_ARG_SIDE,
	WIN_ARG_SKILL,
	WIN_ARG_WEIGHT,
	WIN_ARG_SIDE_OFFSET,		/* may be absent from here on */
	WIN_ARG_COMMAND_SKILL,
	WIN_ARG_COMMAND_WEIGHT,
	WIN_ARG_LOG_ODDS
};

/*
 * The state of hive_win_probability: HiveSums, the number of rows, and the
 * log-odds of the context, which are the same in all rows.
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

/* An optional number; absent or null it is zero, and its term drops out. */
static float8
optional_number(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_NARGS() <= arg || PG_ARGISNULL(arg))
		return 0;
	check_finite(name, PG_GETARG_FLOAT8(arg));
	return PG_GETARG_FLOAT8(arg);
}

/* A row without side, skill or weight is not a player and does not count. */
Datum
skillrating_hive_win_probability_transition(PG_FUNCTION_ARGS)
{
	ArrayType  *array;
	float8	   *state;
	HiveSums	sums;

	if (PG_ARGISNULL(WIN_ARG_STATE))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("aggregate state must not be null")));
	array = float8_state_arg(fcinfo, WIN_ARG_STATE, WIN_SIZE);
	if (PG_ARGISNULL(WIN_ARG_SIDE) || PG_ARGISNULL(WIN_ARG_SKILL) ||
		PG_ARGISNULL(WIN_ARG_WEIGHT))
		PG_RETURN_ARRAYTYPE_P(array);
	state = float8_state(array, WIN_SIZE);

	check_finite("skill", PG_GETARG_FLOAT8(WIN_ARG_SKILL));
	sums = win_sums(state);
	hive_sums_add(&sums, check_side(PG_GETARG_INT32(WIN_ARG_SIDE)) == 1 ? 1 : -1,
				  check_not_negative("weight", PG_GETARG_FLOAT8(WIN_ARG_WEIGHT)),
				  PG_GETARG_FLOAT8(WIN_ARG_SKILL),
				  optional_number(fcinfo, WIN_ARG_SIDE_OFFSET, "side_offset"),
				  check_not_negative("command_weight",
									 optional_number(fcinfo,
													 WIN_ARG_COMMAND_WEIGHT,
													 "command_weight")),
				  optional_number(fcinfo, WIN_ARG_COMMAND_SKILL, "command_skill"));
	win_set_log_odds(state, optional_number(fcinfo, WIN_ARG_LOG_ODDS, "log_odds"));

	state[WIN_WEIGHT] = sums.weight;
	state[WIN_SKILL] = sums.skill;
	state[WIN_SIDE_OFFSET] = sums.side_offset;
	state[WIN_COMMAND_WEIGHT] = sums.command_weight;
	state[WIN_COMMAND_SKILL] = sums.command_skill;
	state[WIN_ROWS] += 1;
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

/* The arguments of the transition function of hive_update(), and its own state. */
enum
{
	UPDATE_ARG_STATE,
	UPDATE_ARG_PLAYER,
	UPDATE_ARG_SIDE,
	UPDATE_ARG_SCORE,
	UPDATE_ARG_SKILL,
	UPDATE_ARG_SKILL_SQUARES,
	UPDATE_ARG_WEIGHT,
	UPDATE_ARG_SIDE_OFFSET,		/* may be absent from here on */
	UPDATE_ARG_COMMAND_SKILL,
	UPDATE_ARG_COMMAND_SQUARES,
	UPDATE_ARG_COMMAND_WEIGHT,
	UPDATE_ARG_LOG_ODDS,
	UPDATE_ARG_PARAMS
};

/* The columns of the type hive_rating; the state is as long as the model's. */
enum
{
	RATING_PLAYER,
	RATING_STATE,
	RATING_GRADIENT = RATING_STATE + HIVE_NSTATE,
	RATING_WIN_PROBABILITY,
	RATING_NCOLUMNS
};

/* One row of hive_update: a player's part on one side, and its state. */
typedef struct UpdateRow
{
	char	   *player;			/* text form of the identifier */
	int			side;
	float8		score;
	float8		weight;
	float8		command_weight;
	float8		state[HIVE_NSTATE];
	int			arrival;
} UpdateRow;

typedef struct UpdateState
{
	int			nrows;
	int			maxrows;
	UpdateRow  *row;
	float8		log_odds;
	Jsonb	   *params;			/* of the first row, or NULL */
	FmgrInfo	player_out;
} UpdateState;

static UpdateState *
update_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	UpdateState *state = palloc0_object(UpdateState);
	Oid			player_type = get_fn_expr_argtype(fcinfo->flinfo,
												  UPDATE_ARG_PLAYER);
	Oid			out_function;
	bool		is_varlena;

	if (!OidIsValid(player_type))
		elog(ERROR, "could not determine the type of player");
	getTypeOutputInfo(player_type, &out_function, &is_varlena);
	fmgr_info_cxt(out_function, &state->player_out, context);
	state->maxrows = 16;
	state->row = palloc_array(UpdateRow, state->maxrows);
	MemoryContextSwitchTo(old);
	return state;
}

static float8
required_number(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	check_finite(name, PG_GETARG_FLOAT8(arg));
	return PG_GETARG_FLOAT8(arg);
}

/* Read the arguments of a row, whose copies go to the current memory context. */
static void
read_update_row(UpdateState *state, UpdateRow *row, FunctionCallInfo fcinfo)
{
	memset(row, 0, sizeof(UpdateRow));
	row->player = OutputFunctionCall(&state->player_out,
									 PG_GETARG_DATUM(UPDATE_ARG_PLAYER));
	row->side = check_side(PG_GETARG_INT32(UPDATE_ARG_SIDE));
	row->score = required_number(fcinfo, UPDATE_ARG_SCORE, "score");
	check_probability("score", row->score);
	row->state[HIVE_SKILL] = required_number(fcinfo, UPDATE_ARG_SKILL, "skill");
	row->state[HIVE_SKILL_SQUARES] =
		required_number(fcinfo, UPDATE_ARG_SKILL_SQUARES, "skill_squares");
	row->weight = check_not_negative("weight",
									 required_number(fcinfo, UPDATE_ARG_WEIGHT,
													 "weight"));
	row->state[HIVE_SIDE_OFFSET] =
		optional_number(fcinfo, UPDATE_ARG_SIDE_OFFSET, "side_offset");
	row->state[HIVE_COMMAND_SKILL] =
		optional_number(fcinfo, UPDATE_ARG_COMMAND_SKILL, "command_skill");
	row->state[HIVE_COMMAND_SQUARES] =
		optional_number(fcinfo, UPDATE_ARG_COMMAND_SQUARES, "command_squares");
	row->command_weight =
		check_not_negative("command_weight",
						   optional_number(fcinfo, UPDATE_ARG_COMMAND_WEIGHT,
										   "command_weight"));
	row->arrival = state->nrows;
}

/*
 * hive_update(player, side, score, skill, skill_squares, weight
 *			   [, side_offset, command_skill, command_squares, command_weight,
 *			   log_odds [, params]])
 */
Datum
skillrating_hive_update_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "hive_update");
	MemoryContext old;
	UpdateState *state;
	float8		log_odds;

	if (PG_ARGISNULL(UPDATE_ARG_STATE))
		state = update_begin(fcinfo, context);
	else
		state = (UpdateState *) PG_GETARG_POINTER(UPDATE_ARG_STATE);

	if (PG_ARGISNULL(UPDATE_ARG_PLAYER) || PG_ARGISNULL(UPDATE_ARG_SIDE))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("player and side must not be null"),
				 errhint("Leave rows that are no players out with FILTER (WHERE ...).")));
	if (state->nrows == MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, state->nrows + 1, NULL);

	old = MemoryContextSwitchTo(context);
	if (state->nrows == state->maxrows)
	{
		state->maxrows *= 2;
		state->row = repalloc_array(state->row, UpdateRow, state->maxrows);
	}
	read_update_row(state, &state->row[state->nrows], fcinfo);

	log_odds = optional_number(fcinfo, UPDATE_ARG_LOG_ODDS, "log_odds");
	if (state->nrows > 0 && log_odds != state->log_odds)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("log_odds must be the same in all rows of a match")));
	state->log_odds = log_odds;
	if (state->nrows == 0 && PG_NARGS() > UPDATE_ARG_PARAMS &&
		!PG_ARGISNULL(UPDATE_ARG_PARAMS))
		state->params = PG_GETARG_JSONB_P_COPY(UPDATE_ARG_PARAMS);
	state->nrows++;
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- The result of hive_update() ----
 */

/* By side, player and arrival: the order of the sums must not be chance. */
static int
compare_update_rows(const void *a, const void *b)
{
	const UpdateRow *ra = *(UpdateRow *const *) a;
	const UpdateRow *rb = *(UpdateRow *const *) b;
	int			order;

	if (ra->side != rb->side)
		return ra->side - rb->side;
	order = strcmp(ra->player, rb->player);
	return order != 0 ? order : ra->arrival - rb->arrival;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The match that the rows make, and who its players are. */
typedef struct UpdateMatch
{
	Match		match;
	char	  **name;			/* of its players, sorted: by player */
	Participant *participant;
	int			n;				/* participants */
} UpdateMatch;

/* The index of a player among the sorted names. */
static int
find_player(const UpdateMatch *update, char *name)
{
	return (char **) bsearch(&name, update->name, update->match.nplayers,
							 sizeof(char *), compare_names) - update->name;
}

/* Number the players in the order of their names, and make room for the match. */
static void
number_players(const UpdateState *state, UpdateMatch *update)
{
	Match	   *match = &update->match;
	float8	   *after;
	int			i;

	update->name = palloc_array(char *, state->nrows);
	for (i = 0; i < state->nrows; i++)
		update->name[i] = state->row[i].player;
	qsort(update->name, state->nrows, sizeof(char *), compare_names);
	for (i = 0; i < state->nrows; i++)
		if (match->nplayers == 0 ||
			strcmp(update->name[match->nplayers - 1], update->name[i]) != 0)
			update->name[match->nplayers++] = update->name[i];

	match->team = palloc_array(MatchTeam, 2);
	match->player = palloc0_array(MatchPlayer, match->nplayers);
	match->entry = palloc_array(MatchEntry, 2 * state->nrows);
	match->log_odds = state->log_odds;
	match->gain = 1;
	after = palloc_array(float8, match->nplayers * HIVE_NSTATE);
	for (i = 0; i < match->nplayers; i++)
		match->player[i].after = after + i * HIVE_NSTATE;
}

/* Add a participant: what a row says of playing, or of commanding. */
static void
add_participant(UpdateMatch *update, const UpdateRow *row, int player,
				bool commanding)
{
	Participant *p = &update->participant[update->n++];

	*p = participant_default;
	p->player = player;
	p->team = row->side;
	p->side = row->side;
	p->score = row->score;
	p->weight = commanding ? row->command_weight : row->weight;
	p->commanding = commanding;
}

/* Turn the rows into participants, and their states into those of the players. */
static void
add_participants(const UpdateState *state, UpdateMatch *update)
{
	const UpdateRow **sorted = palloc_array(const UpdateRow *, state->nrows);
	int			i;

	for (i = 0; i < state->nrows; i++)
		sorted[i] = &state->row[i];
	qsort(sorted, state->nrows, sizeof(UpdateRow *), compare_update_rows);

	/* Play and commanding are two participants, so that neither is rounded. */
	update->participant = palloc_array(Participant, 2 * state->nrows);
	for (i = 0; i < state->nrows; i++)
	{
		const UpdateRow *row = sorted[i];
		int			player = find_player(update, row->player);
		MatchPlayer *mp = &update->match.player[player];

		if (mp->before == NULL)
			mp->before = row->state;
		else if (memcmp(mp->before, row->state, sizeof(row->state)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s has different states in one match",
							row->player)));
		add_participant(update, row, player, false);
		if (row->command_weight != 0)
			add_participant(update, row, player, true);
	}
	pfree(sorted);
}

/* The players after the match, each where its first row came. */
static Datum
update_results(FunctionCallInfo fcinfo, const UpdateState *state,
			   const UpdateMatch *update)
{
	const Match *match = &update->match;
	RowArray	rows = row_array_make(fcinfo, match->nplayers);
	bool	   *returned = palloc0_array(bool, match->nplayers);
	int			i,
				j;

	for (i = 0; i < state->nrows; i++)
	{
		int			player = find_player(update, state->row[i].player);
		const MatchPlayer *mp = &match->player[player];
		Datum		values[RATING_NCOLUMNS];
		bool		nulls[RATING_NCOLUMNS] = {false};

		if (returned[player])
			continue;
		returned[player] = true;
		values[RATING_PLAYER] = CStringGetTextDatum(update->name[player]);
		for (j = 0; j < HIVE_NSTATE; j++)
			values[RATING_STATE + j] = Float8GetDatum(mp->after[j]);
		values[RATING_GRADIENT] = Float8GetDatum(mp->gradient);
		values[RATING_WIN_PROBABILITY] = Float8GetDatum(match->team[mp->team].win);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

Datum
skillrating_hive_update_final(PG_FUNCTION_ARGS)
{
	const UpdateState *state = aggregate_state(fcinfo, "hive_update");
	const Model *model = get_model("hive");
	UpdateMatch update;
	ParamValue *params;
	MatchStatus status;
	int			offender;

	if (state == NULL)
		PG_RETURN_NULL();
	memset(&update, 0, sizeof(UpdateMatch));
	params = get_params(&model->params, state->params);
	number_players(state, &update);
	add_participants(state, &update);

	status = match_build(&model->rules, params, update.participant, update.n,
						 &update.match, &offender);
	if (status == MATCH_OK)
		status = model_rate(model, params, &update.match);
	if (status > MATCH_LAST_UNRATED)
		report_match_status(status, NAN, offender >= 0 ?
							update.name[update.participant[offender].player] : NULL);
	if (status != MATCH_OK)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(update_results(fcinfo, state, &update));
}
