/*
 * params.c
 *		The registry and its parameters, as SQL sees them.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/json.h"

#include "pg/sql/arrays.h"
#include "pg/sql/json.h"

SKILLRATING_FUNCTION(skillrating_models);
SKILLRATING_FUNCTION(skillrating_model_parameters);
SKILLRATING_FUNCTION(skillrating_complete_parameters);
SKILLRATING_FUNCTION(skillrating_initial_state);
SKILLRATING_FUNCTION(skillrating_state_rating);
SKILLRATING_FUNCTION(skillrating_log_odds_unit);
SKILLRATING_FUNCTION(skillrating_display_expression);

/* The words for what a model supports, by bit. */
static const char *const support_names[] = {
	"many_teams", "draws", "weight", "side", "commanding", "log_odds", "gain",
	"score", "one_team", "squad", "counts", "quit", "experience"
};

/* What the parameters belong to, and what lists them. */
static const char *
kind_of(const Model *model)
{
	return model->solver ? "solver" : "model";
}

const Model *
get_model(const char *name)
{
	const Model *model = model_find(name);
	StringInfoData names;
	int			i;

	if (model != NULL)
		return model;

	initStringInfo(&names);
	for (i = 0; i < model_count; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 model_registry[i]->name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown rating model \"%s\"", name),
			 errhint("The models are %s; see skillrating.models().",
					 names.data)));
}

int
get_param(const Model *model, const char *name)
{
	int			param = model_param_find(model, name);
	StringInfoData names;
	int			i;

	if (param >= 0)
		return param;
	initStringInfo(&names);
	for (i = 0; i < model->nparams; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 model->params[i].name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s \"%s\" has no parameter \"%s\"", kind_of(model), model->name, name),
			 errhint("Its parameters are %s; see skillrating.%s_parameters('%s').",
					 names.data, kind_of(model), model->name)));
}

void
check_memory(const char *function, const Model *model, const ParamValue *params,
			 Size size, const char *detail, const char *otherwise)
{
	double		megabytes = ceil(size / (1024.0 * 1024.0));

	if (size <= params[get_param(model, "memory")].number * 1024 * 1024)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s() would take %.0f MB, more than parameter \"memory\" allows",
					function, megabytes),
			 errdetail_internal("%s", detail),
			 errhint("Raise it, as in '{\"memory\": %.0f}'%s.", megabytes,
					 otherwise)));
}

static void
wrong_param_type(const Model *model, const ParamSpec *spec,
				 const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parameter \"%s\" of %s \"%s\" must be %s",
					spec->name, kind_of(model), model->name, expected)));
}

/* The ends of a parameter's range in words, "above 0 and at most 1e+09". */
static char *
param_range(const ParamSpec *spec)
{
	StringInfoData range;

	initStringInfo(&range);
	if (isinf(spec->min) == 0)
		appendStringInfo(&range, "%s %g and ",
						 spec->above_min ? "above" : "at least", spec->min);
	appendStringInfo(&range, "at most %g", spec->max);
	return range.data;
}

static double
number_param(const Model *model, const ParamSpec *spec, const JsonbValue *value)
{
	double		number;

	/* A bound that may be absent is null then, as json has no infinity. */
	if (value->type == jbvNull && spec->type == PARAM_NUMBER &&
		isinf(spec->min))
		return -get_float8_infinity();
	if (!json_value_number(value, &number))
		wrong_param_type(model, spec, spec->type == PARAM_STEPS ?
						 "an array of pairs of numbers" : "a number");
	if (spec->type == PARAM_NUMBER && !param_in_range(spec, number))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("parameter \"%s\" of %s \"%s\" is out of range: %g",
						spec->name, kind_of(model), model->name, number),
				 errhint("It must be %s.", param_range(spec))));
	return number;
}

static int
choice_param(const Model *model, const ParamSpec *spec, const JsonbValue *value)
{
	int			choice = json_value_choice(value, spec->choices);
	StringInfoData words;
	int			i;

	if (choice >= 0)
		return choice;
	initStringInfo(&words);
	for (i = 0; spec->choices[i] != NULL; i++)
		appendStringInfo(&words, "%s\"%s\"", i > 0 ? " or " : "",
						 spec->choices[i]);
	wrong_param_type(model, spec, words.data);
	pg_unreachable();
}

/* A table as an array of [bound, value] arrays, ascending by bound. */
static void
steps_param(const Model *model, const ParamSpec *spec, const JsonbValue *value,
			ParamSteps *steps)
{
	const char *expected = "an array of pairs of numbers";
	int			i;

	steps->n = json_value_size(value);
	if (steps->n < 0)
		wrong_param_type(model, spec, expected);
	if (steps->n > PARAM_MAX_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("parameter \"%s\" of model \"%s\" has more than %d steps",
						spec->name, model->name, PARAM_MAX_STEPS)));

	for (i = 0; i < steps->n; i++)
	{
		JsonbValue *pair = json_value_element(value, i);

		if (json_value_size(pair) != 2)
			wrong_param_type(model, spec, expected);
		steps->bound[i] = number_param(model, spec, json_value_element(pair, 0));
		steps->value[i] = number_param(model, spec, json_value_element(pair, 1));
		if (!param_in_range(spec, steps->value[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("parameter \"%s\" of model \"%s\" is out of range: %g",
							spec->name, model->name, steps->value[i]),
					 errhint("The values must be %s.", param_range(spec))));
		if (isinf(steps->bound[i]) ||
			(i > 0 && steps->bound[i] <= steps->bound[i - 1]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bounds of parameter \"%s\" of model \"%s\" do not ascend: %g",
							spec->name, model->name, steps->bound[i])));
	}
}

ParamValue *
get_params(const Model *model, Jsonb *json)
{
	ParamValue *params = palloc0_array(ParamValue, model->nparams);
	JsonReader	reader;

	model_param_defaults(model, params);
	if (json == NULL)
		return params;
	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of %s \"%s\" must be a jsonb object",
						kind_of(model), model->name),
				 errhint("For example '{\"%s\": ...}'; see skillrating.%s_parameters('%s').",
						 model->params[0].name, kind_of(model), model->name)));

	json_reader_begin(&reader, json, "params", NULL);
	while (json_reader_next(&reader))
	{
		int			i = get_param(model, reader.key);
		const ParamSpec *spec = &model->params[i];
		const JsonbValue *value = &reader.value;

		switch (spec->type)
		{
			case PARAM_NUMBER:
				params[i].number = number_param(model, spec, value);
				break;
			case PARAM_CHOICE:
				params[i].choice = choice_param(model, spec, value);
				break;
			case PARAM_FLAG:
				if (!json_value_boolean(value, &params[i].flag))
					wrong_param_type(model, spec, "true or false");
				break;
			case PARAM_STEPS:
				steps_param(model, spec, value, &params[i].steps);
				break;
		}
	}
	return params;
}

/* An array of texts from n C strings. */
static Datum
text_array(const char **strings, int n)
{
	Datum	   *elements = palloc_array(Datum, n);
	int			i;

	for (i = 0; i < n; i++)
		elements[i] = CStringGetTextDatum(strings[i]);
	return PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

Datum
skillrating_models(PG_FUNCTION_ARGS)
{
	static const StateRole roles[] = {ROLE_DEVIATION, ROLE_SIDE, ROLE_COMMAND};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			m;

	InitMaterializedSRF(fcinfo, 0);
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		const char *states[MODEL_MAX_STATE];
		const char *supports[lengthof(support_names)];
		int			nsupports = 0;
		int			i;
		Datum		values[8];
		bool		nulls[8] = {false};

		for (i = 0; i < model->nstate; i++)
			states[i] = model->state[i].name;
		for (i = 0; i < (int) lengthof(support_names); i++)
			if (model->supports & (1 << i))
				supports[nsupports++] = support_names[i];

		values[0] = CStringGetTextDatum(model->name);
		values[1] = CStringGetTextDatum(model->summary);
		values[2] = text_array(states, model->nstate);
		values[3] = text_array(supports, nsupports);
		values[4] = CStringGetTextDatum(model->source);
		for (i = 0; i < (int) lengthof(roles); i++)
		{
			int			column = model_state_column(model, roles[i]);

			nulls[5 + i] = column < 0;
			if (column >= 0)
				values[5 + i] = CStringGetTextDatum(model->state[column].name);
		}
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * A parameter's value as json; a bound that is absent is null.  Numbers are
 * written exactly, whatever extra_float_digits says: ladders keep them.
 */
static char *
param_json(const ParamSpec *spec, const ParamValue *value)
{
	StringInfoData json;
	int			i;

	initStringInfo(&json);
	switch (spec->type)
	{
		case PARAM_NUMBER:
			appendStringInfoString(&json, isinf(value->number) ? "null" :
								   double_to_shortest_decimal(value->number));
			break;
		case PARAM_CHOICE:
			escape_json(&json, spec->choices[value->choice]);
			break;
		case PARAM_FLAG:
			appendStringInfoString(&json, value->flag ? "true" : "false");
			break;
		case PARAM_STEPS:
			appendStringInfoChar(&json, '[');
			for (i = 0; i < value->steps.n; i++)
				appendStringInfo(&json, "%s[%s, %s]", i > 0 ? ", " : "",
								 double_to_shortest_decimal(value->steps.bound[i]),
								 double_to_shortest_decimal(value->steps.value[i]));
			appendStringInfoChar(&json, ']');
			break;
	}
	return json.data;
}

void
return_parameters(FunctionCallInfo fcinfo, const Model *model)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ParamValue *params = get_params(model, NULL);
	static const char *const types[] = {
		[PARAM_NUMBER] = "number",
		[PARAM_CHOICE] = "choice",
		[PARAM_FLAG] = "flag",
		[PARAM_STEPS] = "table"
	};
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < model->nparams; i++)
	{
		const ParamSpec *spec = &model->params[i];
		char	   *json = param_json(spec, &params[i]);
		Datum		values[8];
		bool		nulls[8] = {false};
		bool		ranged = spec->type == PARAM_NUMBER ||
			spec->type == PARAM_STEPS;
		int			nchoices = 0;

		values[0] = CStringGetTextDatum(spec->name);
		values[1] = CStringGetTextDatum(types[spec->type]);
		values[2] = DirectFunctionCall1(jsonb_in, CStringGetDatum(json));
		values[3] = Float8GetDatum(spec->min);
		values[4] = Float8GetDatum(spec->max);
		nulls[3] = !ranged || isinf(spec->min);
		nulls[4] = !ranged || isinf(spec->max);
		if (spec->type == PARAM_CHOICE)
		{
			while (spec->choices[nchoices] != NULL)
				nchoices++;
			values[5] = text_array((const char **) spec->choices, nchoices);
		}
		else
			nulls[5] = true;
		if (spec->unit != NULL)
			values[6] = CStringGetTextDatum(spec->unit);
		else
			nulls[6] = true;
		values[7] = CStringGetTextDatum(spec->description);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

Datum
skillrating_model_parameters(PG_FUNCTION_ARGS)
{
	return_parameters(fcinfo, get_model(text_to_cstring(PG_GETARG_TEXT_PP(0))));
	return (Datum) 0;
}

Datum
params_jsonb(const Model *model, const ParamValue *params)
{
	StringInfoData json;
	int			i;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (i = 0; i < model->nparams; i++)
	{
		if (i > 0)
			appendStringInfoString(&json, ", ");
		escape_json(&json, model->params[i].name);
		appendStringInfo(&json, ": %s",
						 param_json(&model->params[i], &params[i]));
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

Datum
skillrating_complete_parameters(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	PG_RETURN_DATUM(params_jsonb(model, get_params(model,
												   PG_GETARG_JSONB_P(1))));
}

Datum
skillrating_initial_state(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_params(model, PG_GETARG_JSONB_P(1));
	double		state[MODEL_MAX_STATE];
	Datum		elements[MODEL_MAX_STATE];
	int			i;

	model->init(params, state);
	for (i = 0; i < model->nstate; i++)
		elements[i] = Float8GetDatum(state[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, model->nstate, FLOAT8OID,
										  sizeof(float8), FLOAT8PASSBYVAL,
										  TYPALIGN_DOUBLE));
}

/* state_rating(model, state, params) */
Datum
skillrating_state_rating(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	const float8 *state = float8_array_argument(fcinfo, 1, "state", model->nstate);
	ParamValue *params = get_params(model, PG_GETARG_JSONB_P(2));

	PG_RETURN_FLOAT8(check_result(model_display(model, params,
												state)));
}

Datum
skillrating_log_odds_unit(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_params(model, PG_GETARG_JSONB_P(1));

	PG_RETURN_FLOAT8(check_result(model_log_odds_unit(model, params)));
}

/*
 * The displayed rating as an SQL expression over the state columns, for a
 * generated column.
 */
Datum
skillrating_display_expression(PG_FUNCTION_ARGS)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ParamValue *params = get_params(model, PG_GETARG_JSONB_P(1));
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
		appendStringInfoString(&sql, quote_identifier(model->state[i].name));
	}
	PG_RETURN_TEXT_P(cstring_to_text(sql.data));
}
