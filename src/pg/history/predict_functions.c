/*
 * predict_functions.c
 *		Forecasts of a match between players of given states: predict().
 *
 * The match is built and rated as every other one, by a batch, so that the forecast is that
 * of preview() and of ladders to the bit.
 */
#include "pg/matches/batch.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/matches/inputs.h"
#include "pg/matches/rater.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/* The arguments, by their place. */
enum
{
	ARG_MODEL,
	ARG_STATE,
	ARG_TEAM,
	ARG_ARRAYS,					/* see optional_arrays[] */
	ARG_LOG_ODDS = ARG_ARRAYS + 7,
	ARG_PARAMS,
	ARG_CONTEXT,
	ARG_CLUB,
	ARG_PLAYER,
	ARG_POOL,
	ARG_COMPONENTS,
	ARG_PLAYED_AT,
	ARG_TOURNAMENT
};

/* The arrays besides those of the team and of identifiers. */
static const struct
{
	int			arg;
	SourceColumn column;
	bool		nulls;			/* an element may be unknown */
}			optional_arrays[] = {
	{ARG_ARRAYS, SOURCE_WEIGHT, false},
	{ARG_ARRAYS + 1, SOURCE_JOINED, false},
	{ARG_ARRAYS + 2, SOURCE_LEFT_AT, false},
	{ARG_ARRAYS + 3, SOURCE_COMMANDING, false},
	{ARG_ARRAYS + 4, SOURCE_SIDE, false},
	{ARG_ARRAYS + 5, SOURCE_SQUAD, true},
	{ARG_ARRAYS + 6, SOURCE_EXPERIENCE, true},
	{ARG_CONTEXT, SOURCE_CONTEXT, true},
	{ARG_CLUB, SOURCE_CLUB, true}
};

/* What is about the match. */
static const struct
{
	int			arg;
	SourceColumn column;
}			match_columns[] = {
	{ARG_LOG_ODDS, SOURCE_LOG_ODDS},
	{ARG_POOL, SOURCE_POOL},
	{ARG_PLAYED_AT, SOURCE_PLAYED_AT},
	{ARG_TOURNAMENT, SOURCE_TOURNAMENT}
};

/* The identifiers of the players: those that are given, or the integers from 1 on. */
static Datum *
read_players(FunctionCallInfo fcinfo, int n)
{
	Datum	   *player;
	int			i;

	if (!PG_ARGISNULL(ARG_PLAYER))
	{
		deconstruct_array(array_argument(fcinfo, ARG_PLAYER, "player_id", n), TEXTOID, -1,
						  false, TYPALIGN_INT, &player, NULL, &n);
		return player;
	}
	player = palloc_array(Datum, n);
	for (i = 0; i < n; i++)
		player[i] = Int32GetDatum(i + 1);
	return player;
}

/* Make a match of the arguments.  Any result will do. */
static void
read_match(FunctionCallInfo fcinfo, int n, SourceMatch *match)
{
	ColumnArray arrays[lengthof(optional_arrays) + 2];
	int			narrays = 0;
	Datum		shared[INPUT_NSLOTS];
	bool		null[INPUT_NSLOTS];
	int			i;

	arrays[narrays++] = column_array(SOURCE_TEAM, array_argument(fcinfo, ARG_TEAM, "team", n));
	arrays[narrays].column = SOURCE_PLAYER_ID;
	arrays[narrays].value = read_players(fcinfo, n);
	arrays[narrays++].null = NULL;
	for (i = 0; i < (int) lengthof(optional_arrays); i++)
	{
		SourceColumn column = optional_arrays[i].column;
		ArrayType  *array;

		if (PG_ARGISNULL(optional_arrays[i].arg))
			continue;
		array = PG_GETARG_ARRAYTYPE_P(optional_arrays[i].arg);
		check_array(array, source_column_name(column), n, optional_arrays[i].nulls);
		arrays[narrays++] = column_array(column, array);
	}
	source_row_clear(shared, null);
	shared[SOURCE_RANK] = Float8GetDatum(1);
	null[SOURCE_RANK] = false;
	for (i = 0; i < (int) lengthof(match_columns); i++)
	{
		shared[match_columns[i].column] = PG_GETARG_DATUM(match_columns[i].arg);
		null[match_columns[i].column] = PG_ARGISNULL(match_columns[i].arg);
	}
	source_match_read(match, n, arrays, narrays, shared, null);
	source_match_sort(match);
}

/* The states, of so many columns, of all players; their number is *n. */
static const float8 *
read_states(FunctionCallInfo fcinfo, const Model *model, int *n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(ARG_STATE);
	int			size = array_size(array);

	if (ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array state must not contain nulls")));
	if (ARR_NDIM(array) > 2 ||
		(ARR_NDIM(array) == 2 && ARR_DIMS(array)[1] != model->nstate) ||
		size % model->nstate != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array state does not have %d numbers for each player", model->nstate),
				 errhint("They are the state columns of model \"%s\", see models().",
						 model->name)));
	*n = size / model->nstate;
	return (const float8 *) ARR_DATA_PTR(array);
}

/*
 * Put the players of the match that was built of the source into their states.  Idle time is in
 * them, and in those of components, already: nothing of them is as of a time.
 */
static void
take_states(Batch *batch, const SourceMatch *source, const float8 *state)
{
	Size		nstate = batch->model->nstate;
	int			i,
				j;

	if (batch->match.nplayers < source->n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("array player_id has a player twice")));
	for (i = 0; i < source->n; i++)
	{
		BatchPlayer *player = batch->player[source->participant[i].player];
		const float8 *given = state + source->order[i] * nstate;

		for (j = 0; j < batch->model->nstate; j++)
			if (!state_value_valid(&batch->model->state[j], given[j]))
				report_match_status(MATCH_BAD_STATE, given[j],
									id_text(batch->player_type, player->id));
		memcpy(player->state, given, nstate * sizeof(double));
		if (player->shared != NULL)
			memcpy(player->shared->state, given, nstate * sizeof(double));
	}
	for (i = 0; i < batch->match.ncomponents; i++)
		batch->component[i]->record.as_of = DT_NOBEGIN;
}

/* Return a row for each team of the match that was rated. */
static void
put_teams(FunctionCallInfo fcinfo, Batch *batch)
{
	Match	   *match = &batch->match;
	double		draw = model_draw(batch->model, batch->params, match);
	int			t;

	for (t = 0; t < match->nteams; t++)
	{
		ResultRow	row = {0};

		put_int32(&row, match->team[t].number);
		put_number(&row, match->team[t].win);
		put_number(&row, draw);
		add_result_row(fcinfo, &row);
	}
}

/*
 * predict(model, state, team, weight, joined, left, commanding, side, squad, experience,
 *		   log_odds, params, context, club, player_id, pool, components, played_at,
 *		   tournament)
 */
SQL_FUNCTION(skillrating_predict)
{
	const Model *model;
	ParamValue *params;
	const float8 *state;
	IdType		player_type;
	SourceMatch match;
	Batch	   *batch;
	MatchStatus status;
	int			offender = -1;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(ARG_MODEL) || PG_ARGISNULL(ARG_LOG_ODDS) || PG_ARGISNULL(ARG_PARAMS))
		report_null("model, log_odds and params");
	model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL)));
	if (PG_ARGISNULL(ARG_STATE) || PG_ARGISNULL(ARG_TEAM))
		return (Datum) 0;
	params = get_model_params(&model, PG_GETARG_JSONB_P(ARG_PARAMS));
	state = read_states(fcinfo, model, &n);
	if (n == 0)
		return (Datum) 0;
	check_finite("log_odds", PG_GETARG_FLOAT8(ARG_LOG_ODDS));
	id_type_init(&player_type, PG_ARGISNULL(ARG_PLAYER) ? INT4OID : TEXTOID, "player_id");
	source_match_init(&match, NULL, &player_type);
	match.times = TIMES_OPTIONAL;
	match.unused = source_unused(model, params);
	read_match(fcinfo, n, &match);
	batch = batch_create(model, params, &player_type);
	if (!PG_ARGISNULL(ARG_COMPONENTS))
		batch_start_components(batch, PG_GETARG_DATUM(ARG_COMPONENTS), "components");
	status = batch_build(batch, &match, &offender);
	if (status == MATCH_OK)
	{
		offender = -1;
		take_states(batch, &match, state);
		status = batch_predict(batch, &match);
	}
	if (status != MATCH_OK)
		batch_report(batch, &match, status, offender);
	put_teams(fcinfo, batch);
	return (Datum) 0;
}
