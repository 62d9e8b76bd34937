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

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("aggregate state must not be null")));
	array = float8_state_arg(fcinfo, 0, WIN_SIZE);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		PG_RETURN_ARRAYTYPE_P(array);
	state = float8_state(array, WIN_SIZE);

	check_finite("skill", PG_GETARG_FLOAT8(2));
	sums = win_sums(state);
	hive_sums_add(&sums, check_side(PG_GETARG_INT32(1)) == 1 ? 1 : -1,
				  check_not_negative("weight", PG_GETARG_FLOAT8(3)),
				  PG_GETARG_FLOAT8(2),
				  optional_number(fcinfo, 4, "side_offset"),
				  check_not_negative("command_weight",
									 optional_number(fcinfo, 6, "command_weight")),
				  optional_number(fcinfo, 5, "command_skill"));
	win_set_log_odds(state, optional_number(fcinfo, 7, "log_odds"));

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
	Oid			player_type = get_fn_expr_argtype(fcinfo->flinfo, 1);
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
	UpdateRow  *row;
	float8		log_odds;

	if (PG_ARGISNULL(0))
		state = update_begin(fcinfo, context);
	else
		state = (UpdateState *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
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
	row = &state->row[state->nrows];
	memset(row, 0, sizeof(UpdateRow));
	row->player = OutputFunctionCall(&state->player_out, PG_GETARG_DATUM(1));
	row->side = check_side(PG_GETARG_INT32(2));
	row->score = required_number(fcinfo, 3, "score");
	check_probability("score", row->score);
	row->state[HIVE_SKILL] = required_number(fcinfo, 4, "skill");
	row->state[HIVE_SKILL_SQUARES] = required_number(fcinfo, 5, "skill_squares");
	row->weight = check_not_negative("weight", required_number(fcinfo, 6, "weight"));
	row->state[HIVE_SIDE_OFFSET] = optional_number(fcinfo, 7, "side_offset");
	row->state[HIVE_COMMAND_SKILL] = optional_number(fcinfo, 8, "command_skill");
	row->state[HIVE_COMMAND_SQUARES] = optional_number(fcinfo, 9, "command_squares");
	row->command_weight =
		check_not_negative("command_weight",
						   optional_number(fcinfo, 10, "command_weight"));
	row->arrival = state->nrows;

	log_odds = optional_number(fcinfo, 11, "log_odds");
	if (state->nrows > 0 && log_odds != state->log_odds)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("log_odds must be the same in all rows of a match")));
	state->log_odds = log_odds;
	if (state->nrows == 0 && PG_NARGS() > 12 && !PG_ARGISNULL(12))
		state->params = PG_GETARG_JSONB_P_COPY(12);
	state->nrows++;
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

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

/* The index of a player in the sorted list of n names. */
static int
find_name(char **names, int n, char *name)
{
	return (char **) bsearch(&name, names, n, sizeof(char *),
							 compare_names) - names;
}

Datum
skillrating_hive_update_final(PG_FUNCTION_ARGS)
{
	const Model *model = get_model("hive");
	UpdateState *state = aggregate_state(fcinfo, "hive_update");
	ParamValue *params;
	UpdateRow **row;
	char	  **name;
	Participant *participant;
	Match		match = {0};
	MatchStatus status;
	float8	   *after;
	RowArray	rows;
	int			offender;
	int			n,
				i,
				j;

	if (state == NULL)
		PG_RETURN_NULL();
	params = get_params(model, state->params);

	row = palloc_array(UpdateRow *, state->nrows);
	name = palloc_array(char *, state->nrows);
	for (i = 0; i < state->nrows; i++)
	{
		row[i] = &state->row[i];
		name[i] = row[i]->player;
	}
	qsort(row, state->nrows, sizeof(UpdateRow *), compare_update_rows);
	qsort(name, state->nrows, sizeof(char *), compare_names);
	for (i = 0; i < state->nrows; i++)
		if (match.nplayers == 0 ||
			strcmp(name[match.nplayers - 1], name[i]) != 0)
			name[match.nplayers++] = name[i];

	match.team = palloc_array(MatchTeam, 2);
	match.player = palloc0_array(MatchPlayer, match.nplayers);
	match.entry = palloc_array(MatchEntry, 2 * state->nrows);
	match.log_odds = state->log_odds;
	match.gain = 1;
	after = palloc_array(float8, match.nplayers * HIVE_NSTATE);

	/* Play and commanding are two participants, so that neither is rounded. */
	participant = palloc_array(Participant, 2 * state->nrows);
	n = 0;
	for (i = 0; i < state->nrows; i++)
	{
		int			player = find_name(name, match.nplayers, row[i]->player);
		MatchPlayer *mp = &match.player[player];

		if (mp->before == NULL)
			mp->before = row[i]->state;
		else if (memcmp(mp->before, row[i]->state, sizeof(row[i]->state)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s has different states in one match",
							row[i]->player)));
		mp->after = after + player * HIVE_NSTATE;

		for (j = 0; j < 2; j++)
		{
			Participant *p = &participant[n];

			if (j == 1 && row[i]->command_weight == 0)
				break;
			*p = participant_default;
			p->player = player;
			p->team = row[i]->side;
			p->side = row[i]->side;
			p->score = row[i]->score;
			p->weight = j == 0 ? row[i]->weight : row[i]->command_weight;
			p->commanding = j;
			n++;
		}
	}

	status = match_build(model, params, participant, n, &match, &offender);
	if (status == MATCH_OK)
		status = model_rate(model, params, &match);
	if (status > MATCH_LAST_UNRATED)
		report_match_status(status, NAN, offender >= 0 ?
							name[participant[offender].player] : NULL);
	if (status != MATCH_OK)
		PG_RETURN_NULL();

	rows = row_array_make(fcinfo, match.nplayers);
	for (i = 0; i < match.nplayers; i++)
	{
		MatchPlayer *mp = &match.player[i];
		Datum		values[HIVE_NSTATE + 3];
		bool		nulls[HIVE_NSTATE + 3] = {false};

		values[0] = CStringGetTextDatum(name[i]);
		for (j = 0; j < HIVE_NSTATE; j++)
			values[1 + j] = Float8GetDatum(mp->after[j]);
		values[HIVE_NSTATE + 1] = Float8GetDatum(mp->gradient);
		values[HIVE_NSTATE + 2] = Float8GetDatum(match.team[mp->team].win);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
