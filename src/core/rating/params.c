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
param_defaults(const ParamSet *set, ParamValue *params)
{
	int			i;

	for (i = 0; i < set->count; i++)
	{
		const ParamSpec *spec = param_spec(set, i);

		memset(&params[i], 0, sizeof(params[i]));
		if (spec->type == PARAM_NUMBER)
			params[i].number = spec->default_value;
		else if (spec->type == PARAM_CHOICE)
			params[i].choice = (int) spec->default_value;
		else if (spec->type == PARAM_FLAG)
			params[i].flag = spec->default_value != 0;
	}
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
