/*
 * model_functions.c
 *		States of players under any model: the first one, and what time and seasons do to it.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/models/registry.h"
#include "core/rating/operation.h"
#include "pg/sql/arrays.h"

SQL_FUNCTION(skillrating_initial_state)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(1));
	double		state[MODEL_MAX_STATE];

	/*
	 * The initial state is that of a newcomer, by the parameters and not by
	 * the model alone.
	 */
	model->init(params, state);
	return float8_array(state, model->nstate);
}

/* state_rating(model, state, params) */
SQL_FUNCTION(skillrating_state_rating)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(2));
	const float8 *state = float8_array_argument(fcinfo, 1, "state", model->nstate);

	PG_RETURN_FLOAT8(check_result(model_display(model, params, state)));
}

/*
 * Idle seconds, a month having 30 days; not negative.  The same double as
 * idle_seconds() gives where the interval is the difference of two times.
 */
static double
idle_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	const Interval *idle = PG_GETARG_INTERVAL_P(arg);
	double		days = idle->month * 30.0 + idle->day;
	double		seconds;

	/*
	 * Whole microseconds are exact up to 1e8 days, and are divided once, as
	 * idle_seconds() divides the difference of two times.
	 */
	if (fabs(days) < 1e8)
		seconds = ((int64) days * USECS_PER_DAY + idle->time) / 1e6;
	else
		seconds = days * SECS_PER_DAY + idle->time / 1e6;
	return check_not_negative(name, seconds);
}

static Datum
state_datum(const Model *model, const double *state)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		check_result(state[i]);
	return float8_array(state, model->nstate);
}

/* state_in_period(model, state, at, params) */
SQL_FUNCTION(skillrating_state_in_period)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(3));
	double		state[MODEL_MAX_STATE];

	memcpy(state, float8_array_argument(fcinfo, 1, "state", model->nstate),
		   model->nstate * sizeof(double));
	period_turn(model, params, period_of(model, params, PG_GETARG_TIMESTAMPTZ(2), 0), state);
	return state_datum(model, state);
}

/* idle_state(model, state, idle, params, shared_state, shared_idle) */
SQL_FUNCTION(skillrating_idle_state)
{
	static const Period no_period = {0, 0};
	const Model *model;
	ParamValue *params;
	const float8 *state;
	const float8 *shared = NULL;
	double		shared_idle = 0;
	double		after[MODEL_MAX_STATE];
	int			i;

	/* The function is not STRICT, because what pools share may be null. */
	for (i = 0; i <= 3; i++)
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	params = get_model_params(&model, PG_GETARG_JSONB_P(3));
	if (model->period != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("states of model \"%s\" with rating periods do not age by idle time",
						model->name),
				 errhint("rate() and predict() bring them to the period of a match.")));
	state = float8_array_argument(fcinfo, 1, "state", model->nstate);
	if (!PG_ARGISNULL(4))
		shared = float8_array_argument(fcinfo, 4, "shared_state", model->nstate);
	if (!PG_ARGISNULL(5))
		shared_idle = idle_argument(fcinfo, 5, "shared_idle");

	/*
	 * Callers pass the row of the shared pool wherever there is one, and a
	 * model that shares nothing ignores it.
	 */
	if (model->shares == NULL || !model->shares(params))
		shared = NULL;

	model_state_before(model, params, state,
					   idle_argument(fcinfo, 2, "idle"), no_period,
					   shared, shared_idle, after);
	return state_datum(model, after);
}

/* season_state(model, state, keep, params, mean, keep_deviations) */
SQL_FUNCTION(skillrating_season_state)
{
	const Model *model;
	ParamValue *params;
	double		state[MODEL_MAX_STATE];
	Operation	season = {.kind = OPERATION_SEASON};

	/* The function is not STRICT, because the mean may be null. */
	if (argument_is_null(fcinfo, 4))
		PG_RETURN_NULL();
	model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	params = get_model_params(&model, PG_GETARG_JSONB_P(3));
	memcpy(state, float8_array_argument(fcinfo, 1, "state", model->nstate),
		   model->nstate * sizeof(double));
	season.keep = PG_GETARG_FLOAT8(2);
	check_probability("keep", season.keep);
	season.has_mean = !PG_ARGISNULL(4);
	if (season.has_mean)
	{
		season.mean = PG_GETARG_FLOAT8(4);
		check_finite("mean", season.mean);
	}
	season.keep_deviations = PG_GETARG_BOOL(5);
	operation_apply(&season, model, params, 0, state);
	return state_datum(model, state);
}

/*
 * The displayed rating as an SQL expression over the state columns, for a
 * generated column.
 */
SQL_FUNCTION(skillrating_display_expression)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_model_params(&model, PG_GETARG_JSONB_P(1));
	const char *prefix = text_to_cstring(PG_GETARG_TEXT_PP(2));
	const char *suffix = text_to_cstring(PG_GETARG_TEXT_PP(3));
	double		coefficient[MODEL_MAX_STATE + 1];
	StringInfoData sql;
	int			i;

	model->display(params, coefficient);
	initStringInfo(&sql);

	/* In the order in which model_display() adds, so that the bits agree. */
	if (coefficient[model->nstate] != 0)
		appendStringInfo(&sql, "'%s'::float8",
						 double_to_shortest_decimal(coefficient[model->nstate]));
	for (i = 0; i < model->nstate; i++)
	{
		if (coefficient[i] == 0)
			continue;
		if (sql.len > 0)
			appendStringInfoString(&sql, " + ");
		if (coefficient[i] != 1)
			appendStringInfo(&sql, "'%s'::float8 * ",
							 double_to_shortest_decimal(coefficient[i]));
		appendStringInfo(&sql, "%s%s", prefix,
						 quote_identifier(psprintf("%s%s", model->state[i].name, suffix)));
	}
	PG_RETURN_TEXT_P(cstring_to_text(sql.data));
}
