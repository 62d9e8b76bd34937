/*
 * params.h
 *		Parameters by name, of models and of solvers.
 *
 * A ParamSet describes the parameters; their values are an array of ParamValue in
 * the same order, which belongs to the caller.  Models and solvers know the index of
 * each of theirs from an enum; all others look it up by name.
 */
#ifndef CORE_RATING_PARAMS_H
#define CORE_RATING_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

/* The most steps that a table parameter can have. */
#define PARAM_MAX_STEPS 8

typedef enum ParamType
{
	PARAM_NUMBER,				/* a number between min and max */
	PARAM_CHOICE,				/* one of a few words */
	PARAM_FLAG,					/* true or false */
	PARAM_STEPS					/* a table of [bound, value] pairs */
} ParamType;

/*
 * The name, type, range and meaning of a parameter.  For a table, min, max and
 * above_min are those of the values; the bounds ascend strictly.  Flags and choices
 * have no range.
 *
 * A search for the best value of a number looks from search[0] to search[1], unless it is
 * told otherwise: on a log scale where both are above 0, and at 0 as well where the range
 * has it.  Both may be left out of a parameter whose default is above 0, and are a hundredth
 * of it and a hundred times it then.  Where 0 is not the limit of small values but stands
 * for something else, such as "none", zero_is_other says so.
 *
 * A parameter that has an effect only together with another one says under which of that
 * one's values, so that nobody sets it in vain: see param_idle().
 */
typedef struct ParamSpec
{
	const char *name;
	ParamType	type;
	double		default_value;	/* choice: index; flag: 0 or 1; table: ignored */
	double		min;
	double		max;
	bool		above_min;		/* min itself is excluded */
	double		search[2];		/* ends of a search, in which the default lies
								 * unless that is infinite */
	bool		zero_is_other;	/* 0 is no limit of small values */
	bool		searched;		/* by a search that names no parameters */
	bool		of_state;		/* of a model: decides on state columns, see
								 * Model.variant; never searched */
	bool		of_time;		/* has an effect in idle time alone */
	const char *unit;
	const char *description;
	const char *const *choices; /* PARAM_CHOICE: NULL-terminated */
	const char *only_with;		/* that other parameter, or NULL */
	unsigned	only_values;	/* and its values, of PARAM_VALUE() */
} ParamSpec;

/*
 * A set of values of a parameter: that choice; of all other types, 0 stands for 0, false or an
 * empty table, and 1 for any other value.
 */
#define PARAM_VALUE(value) (1U << (value))

/* A step table: pairs (bound, value), ascending by bound. */
typedef struct ParamSteps
{
	int			n;
	double		bound[PARAM_MAX_STEPS];
	double		value[PARAM_MAX_STEPS];
} ParamSteps;

/* A parameter's value, in the member that its type names. */
typedef union ParamValue
{
	double		number;
	int			choice;
	bool		flag;
	ParamSteps	steps;
} ParamValue;

/*
 * All parameters of a model or a solver.  Kind and name are those under which SQL
 * knows the owner: skillrating.<kind>_parameters('<name>') lists the parameters.
 */
typedef struct ParamSet
{
	const char *kind;			/* "model" or "solver" */
	const char *name;
	const ParamSpec *common;	/* those of all of the kind come first, */
	int			ncommon;
	const ParamSpec *own;		/* and its own, at least 1, behind them */
	int			count;			/* of both */
} ParamSet;

/*
 * The initializer of a ParamSet from arrays of specs, n of them together.  An array of
 * another length than the enum of its indexes has does not compile, as no array has -1
 * elements.
 */
#define PARAM_SET(set_kind, set_name, specs, n) \
	PARAM_SET_BEHIND(set_kind, set_name, NULL, 0, specs, n)
#define PARAM_SET_BEHIND(set_kind, set_name, common_specs, common_n, specs, n) \
	{.kind = (set_kind),.name = (set_name),.common = (common_specs), \
	.ncommon = (common_n),.own = (specs), \
	.count = (n) * (int) sizeof(char[sizeof(specs) == ((n) - (common_n)) * \
									 sizeof((specs)[0]) ? 1 : -1])}

/* The description of the parameter of that index. */
extern const ParamSpec *param_spec(const ParamSet *set, int index);

/*
 * The index of the parameter that comes at a place, from 0 on, where they are listed: a
 * set's own before those that others have too.
 */
extern int	param_listed(const ParamSet *set, int place);

/* The index of the parameter of that name, or -1. */
extern int	param_find(const ParamSet *set, const char *name);

/*
 * Fill in every default; params has room for set->count values.  Their unused
 * bytes are zero, so that equal parameters are equal bytes.
 */
extern void param_defaults(const ParamSet *set, ParamValue *params);

/*
 * The index of the first parameter that differs from its default in vain, because of the
 * one named in only_with; -1 if all have an effect.
 */
extern int	param_idle(const ParamSet *set, const ParamValue *params);

/* The value of a parameter as a number, the index of a choice, or 0 and 1; NaN for a table. */
extern double param_number(const ParamSpec *spec, const ParamValue *value);

/* Give a parameter its default. */
extern void param_default(const ParamSpec *spec, ParamValue *value);

/* Whether a number lies within the range of a parameter (never for NaN). */
extern bool param_in_range(const ParamSpec *spec, double value);

#endif							/* CORE_RATING_PARAMS_H */
