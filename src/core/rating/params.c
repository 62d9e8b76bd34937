/*
 * params.c
 *		Parameters by name, of models and of solvers.
 */
#include "core/rating/params.h"

#include <math.h>
#include <string.h>

const ParamSpec *
param_spec(const ParamSet *set, int index)
{
	return index < set->ncommon ? &set->common[index] : &set->own[index - set->ncommon];
}

int
param_listed(const ParamSet *set, int place)
{
	/* Own parameters first, then the common ones. */
	return (place + set->ncommon) % set->count;
}

int
param_find(const ParamSet *set, const char *name)
{
	int			i;

	for (i = 0; i < set->count; i++)
		if (strcmp(param_spec(set, i)->name, name) == 0)
			return i;
	return -1;
}

void
param_default(const ParamSpec *spec, ParamValue *value)
{
	memset(value, 0, sizeof(*value));
	if (spec->type == PARAM_NUMBER)
		value->number = spec->default_value;
	else if (spec->type == PARAM_CHOICE)
		value->choice = (int) spec->default_value;
	else if (spec->type == PARAM_FLAG)
		value->flag = spec->default_value != 0;
}

void
param_defaults(const ParamSet *set, ParamValue *params)
{
	int			i;

	for (i = 0; i < set->count; i++)
		param_default(param_spec(set, i), &params[i]);
}

/* The set of values, of PARAM_VALUE(), that a value is in. */
static unsigned
value_bit(const ParamSpec *spec, const ParamValue *value)
{
	switch (spec->type)
	{
		case PARAM_CHOICE:
			return PARAM_VALUE(value->choice);
		case PARAM_FLAG:
			return PARAM_VALUE(value->flag ? 1 : 0);
		case PARAM_STEPS:
			return PARAM_VALUE(value->steps.n > 0 ? 1 : 0);
		case PARAM_NUMBER:
			break;
	}
	return PARAM_VALUE(value->number != 0 ? 1 : 0);
}

static bool
at_default(const ParamSpec *spec, const ParamValue *value)
{
	ParamValue	standard;

	param_default(spec, &standard);
	if (spec->type == PARAM_NUMBER)
		return value->number == standard.number;
	return value_bit(spec, value) == value_bit(spec, &standard);
}

int
param_idle(const ParamSet *set, const ParamValue *params)
{
	int			i;

	for (i = 0; i < set->count; i++)
	{
		const ParamSpec *spec = param_spec(set, i);
		int			other;

		if (spec->only_with == NULL || at_default(spec, &params[i]))
			continue;
		other = param_find(set, spec->only_with);
		if ((spec->only_values & value_bit(param_spec(set, other), &params[other])) == 0)
			return i;
	}
	return -1;
}

double
param_number(const ParamSpec *spec, const ParamValue *value)
{
	switch (spec->type)
	{
		case PARAM_NUMBER:
			return value->number;
		case PARAM_CHOICE:
			return value->choice;
		case PARAM_FLAG:
			return value->flag;
		case PARAM_STEPS:
			break;
	}
	return NAN;
}

bool
param_in_range(const ParamSpec *spec, double value)
{
	/*
	 * A range may be open to either side; NaN would pass both comparisons of
	 * one that is.
	 */
	if (isnan(value))
		return false;
	if (spec->above_min ? value <= spec->min : value < spec->min)
		return false;
	return value <= spec->max;
}
