/*
 * params.c
 *		Parameters from jsonb and to jsonb, and models by name.
 *
 * Sets of parameters are constants of the core, in which a parameter has an index: those that all
 * of a kind share come first, but are listed last (param_listed()).  Values are arrays by that
 * index, allocated in the current context with all defaults filled in.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/json.h"

#include "core/models/registry.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/json.h"

const Model *
get_model(const char *name)
{
	const Model *model = model_find(name);
	StringInfoData names;
	int			i;

	if (model != NULL)
		return model;

	/*
	 * The registry is short and constant, so that a mistake gets all its
	 * names.
	 */
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
get_param(const ParamSet *set, const char *name)
{
	int			param = param_find(set, name);
	StringInfoData names;
	int			i;

	if (param >= 0)
		return param;

	/* In the order of skillrating.parameters(). */
	initStringInfo(&names);
	for (i = 0; i < set->count; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 param_spec(set, param_listed(set, i))->name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s \"%s\" has no parameter \"%s\"", set->kind, set->name, name),
			 errhint("Its parameters are %s; see skillrating.parameters('%s').",
					 names.data, set->name)));
}

/* The ends of a parameter's range in words, "above 0 and at most 1e+09". */
static char *
param_range(const ParamSpec *spec)
{
	StringInfoData range;

	initStringInfo(&range);
	if (isinf(spec->min) == 0)
		appendStringInfo(&range, "%s %g%s",
						 spec->above_min ? "above" : "at least", spec->min,
						 isinf(spec->max) ? "" : " and ");
	if (isinf(spec->max) == 0)
		appendStringInfo(&range, "at most %g", spec->max);
	return range.data;
}

void
number_argument(const Model *model, ParamValue *params, int index, double value)
{
	const ParamSpec *spec = param_spec(&model->params, index);

	if (!param_in_range(spec, value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s is out of range: %g", spec->name, value),
				 errhint("It must be %s.", param_range(spec))));
	params[index].number = value;
}

int
word_index(const char *what, Datum value, const char *const *words)
{
	StringInfoData list;
	int			i;

	for (i = 0; words[i] != NULL; i++)
		if (same_text(value, words[i]))
			return i;
	initStringInfo(&list);
	for (i = 0; words[i] != NULL; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", words[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown %s \"%s\"", what, TextDatumGetCString(value)),
			 errhint("It must be one of %s.", list.data)));
}

bool
is_logistic(Datum curve)
{
	static const char *const curves[] = {"logistic", "normal", NULL};

	return word_index("curve", curve, curves) == 0;
}

void
check_memory(const char *function, const ParamSet *set, const ParamValue *params,
			 Size size, const char *detail, const char *otherwise)
{
	double		megabytes = ceil(size / (1024.0 * 1024.0));

	/* Both sides are exact as doubles: sizes stay below 2^53 bytes. */
	if (size <= params[get_param(set, "memory")].number * 1024 * 1024)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s() would take %.0f MB, more than parameter \"memory\" allows",
					function, megabytes),
			 errdetail_internal("%s", detail),
			 errhint("Raise it, as in '{\"memory\": %.0f}'%s.", megabytes,
					 otherwise)));
}

/* expected is a phrase such as "a number"; it ends the sentence. */
static void
wrong_param_type(const ParamSet *set, const ParamSpec *spec,
				 const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parameter \"%s\" of %s \"%s\" must be %s",
					spec->name, set->kind, set->name, expected)));
}

/*
 * A number that a parameter, or one of the two numbers of a step, has.  Bounds are those of a
 * number; steps_param() checks its values itself.
 */
static double
number_param(const ParamSet *set, const ParamSpec *spec, const JsonbValue *value)
{
	double		number;

	/* A bound that may be absent is null then, as json has no infinity. */
	if (value->type == jbvNull && spec->type == PARAM_NUMBER &&
		isinf(spec->min))
		return -get_float8_infinity();
	if (value->type == jbvNull && spec->type == PARAM_NUMBER &&
		isinf(spec->max))
		return get_float8_infinity();
	if (!json_value_number(value, &number))
		wrong_param_type(set, spec, spec->type == PARAM_STEPS ?
						 "an array of pairs of numbers" : "a number");
	if (spec->type == PARAM_NUMBER && !param_in_range(spec, number))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("parameter \"%s\" of %s \"%s\" is out of range: %g",
						spec->name, set->kind, set->name, number),
				 errhint("It must be %s.", param_range(spec))));
	return number;
}

static int
choice_param(const ParamSet *set, const ParamSpec *spec, const JsonbValue *value)
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
	wrong_param_type(set, spec, words.data);
	pg_unreachable();
}

/*
 * A table as an array of [bound, value] arrays, ascending by bound.  Bounds ascend strictly, so
 * that a number has one step, the last whose bound is not above it.
 */
static void
steps_param(const ParamSet *set, const ParamSpec *spec, const JsonbValue *value,
			ParamSteps *steps)
{
	const char *expected = "an array of pairs of numbers";
	int			i;

	steps->n = json_value_size(value);
	if (steps->n < 0)
		wrong_param_type(set, spec, expected);
	if (steps->n > PARAM_MAX_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("parameter \"%s\" of %s \"%s\" has more than %d steps",
						spec->name, set->kind, set->name, PARAM_MAX_STEPS)));

	for (i = 0; i < steps->n; i++)
	{
		JsonbValue *pair = json_value_element(value, i);

		if (json_value_size(pair) != 2)
			wrong_param_type(set, spec, expected);

		/*
		 * A bound is any number, while a value has the range of the
		 * parameter.
		 */
		steps->bound[i] = number_param(set, spec, json_value_element(pair, 0));
		steps->value[i] = number_param(set, spec, json_value_element(pair, 1));
		if (!param_in_range(spec, steps->value[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("parameter \"%s\" of %s \"%s\" is out of range: %g",
							spec->name, set->kind, set->name, steps->value[i]),
					 errhint("The values must be %s.", param_range(spec))));
		if (isinf(steps->bound[i]) ||
			(i > 0 && steps->bound[i] <= steps->bound[i - 1]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bounds of parameter \"%s\" of %s \"%s\" do not ascend: %g",
							spec->name, set->kind, set->name, steps->bound[i])));
	}
}

ParamValue *
get_params(const ParamSet *set, Jsonb *json)
{
	ParamValue *params = palloc0_array(ParamValue, set->count);
	JsonReader	reader;

	/* Defaults first, so that keys that are left out have them. */
	param_defaults(set, params);
	if (json == NULL)
		return params;

	/*
	 * The hint is made before there is an error, since the reader may raise
	 * one for each value. A set has at least one parameter of its own, which
	 * serves as the example.
	 */
	/* Keys of a jsonb are unique, so that none is set twice. */
	json_reader_begin(&reader, json,
					  psprintf("parameters of %s \"%s\"", set->kind, set->name),
					  psprintf("For example '{\"%s\": ...}'; see skillrating.parameters('%s').",
							   set->own[0].name, set->name));
	while (json_reader_next(&reader))
	{
		int			i = get_param(set, reader.key);
		const ParamSpec *spec = param_spec(set, i);
		const JsonbValue *value = &reader.value;

		switch (spec->type)
		{
			case PARAM_NUMBER:
				params[i].number = number_param(set, spec, value);
				break;
			case PARAM_CHOICE:
				params[i].choice = choice_param(set, spec, value);
				break;
			case PARAM_FLAG:
				if (!json_value_boolean(value, &params[i].flag))
					wrong_param_type(set, spec, "true or false");
				break;
			case PARAM_STEPS:
				steps_param(set, spec, value, &params[i].steps);
				break;
		}
	}
	return params;
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

/* Error 22023 if a parameter would have no effect because of another. */
static void
check_idle_param(const Model *model, const ParamValue *params)
{
	int			idle = model_idle_param(model, params);
	const ParamSpec *spec;
	int			other;

	if (idle < 0)
		return;
	spec = param_spec(&model->params, idle);
	other = get_param(&model->params, spec->only_with);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("parameter \"%s\" of model \"%s\" has no effect while \"%s\" is %s",
					spec->name, model->name, spec->only_with,
					param_json(param_spec(&model->params, other), &params[other])),
			 errhint("Leave it out, or change \"%s\".", spec->only_with)));
}

ParamValue *
get_model_params(const Model **model, Jsonb *json)
{
	ParamValue *params = get_params(&(*model)->params, json);

	*model = model_variant(*model, params);
	check_idle_param(*model, params);
	return params;
}

void
put_parameters(FunctionCallInfo fcinfo, const ParamSet *set)
{
	static const char *const types[] = {
		[PARAM_NUMBER] = "number",
		[PARAM_CHOICE] = "choice",
		[PARAM_FLAG] = "flag",
		[PARAM_STEPS] = "table"
	};
	ParamValue *params = get_params(set, NULL);
	int			i;

	for (i = 0; i < set->count; i++)
	{
		int			index = param_listed(set, i);
		const ParamSpec *spec = param_spec(set, index);
		bool		ranged = spec->type == PARAM_NUMBER || spec->type == PARAM_STEPS;
		int			nchoices = 0;
		ResultRow	row = {0};

		while (spec->type == PARAM_CHOICE && spec->choices[nchoices] != NULL)
			nchoices++;
		put_text(&row, set->kind);
		put_text(&row, spec->name);
		put_text(&row, types[spec->type]);
		put_datum(&row, DirectFunctionCall1(jsonb_in, CStringGetDatum(param_json(spec, &params[index]))), false);
		put_datum(&row, Float8GetDatum(spec->min), !ranged || isinf(spec->min));
		put_datum(&row, Float8GetDatum(spec->max), !ranged || isinf(spec->max));
		put_datum(&row, text_array(spec->choices, nchoices), nchoices == 0);
		put_text(&row, spec->unit);
		put_text(&row, spec->description);
		add_result_row(fcinfo, &row);
	}
}

Datum
params_jsonb(const ParamSet *set, const ParamValue *params)
{
	StringInfoData json;
	int			i;

	/*
	 * In the order of the set and not in that of a caller's object:
	 * parameters that are equal give texts that are equal.
	 */
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (i = 0; i < set->count; i++)
	{
		if (i > 0)
			appendStringInfoString(&json, ", ");
		escape_json(&json, param_spec(set, i)->name);
		appendStringInfo(&json, ": %s",
						 param_json(param_spec(set, i), &params[i]));
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
