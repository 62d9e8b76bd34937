/*
 * tune.h
 *		Parameters of a model as the variables of a likelihood.
 *
 * What is minimised is the negative log likelihood, in nats, of the outcomes of a
 * part of a history, each predicted from the matches before it (the prequential
 * likelihood: Dawid, Journal of the Royal Statistical Society A 147 (1984)).
 */
#ifndef CORE_EVALUATE_TUNE_H
#define CORE_EVALUATE_TUNE_H

#include "core/rating/history.h"

/* The most parameters that are fitted at once. */
#define TUNE_MAX_PARAMS 8

/*
 * A parameter as a variable: its logarithm where it is a positive number, else the
 * number itself.
 */
typedef struct TuneParam
{
	int			index;			/* of the model's parameters */
	bool		log_scale;
	double		low;			/* bounds of the parameter itself */
	double		high;
} TuneParam;

/* The variable of a parameter's value, and the value, within its bounds, of a variable. */
extern double tune_variable(const TuneParam *param, double value);
extern double tune_value(const TuneParam *param, double variable);

typedef struct TuneProblem
{
	const Model *model;
	ParamValue *params;			/* those that are fitted change */
	const History *history;
	HistoryWork *work;
	size_t		bound[2];		/* the matches that are scored */
	TuneParam	param[TUNE_MAX_PARAMS];
	int			n;
	InterruptCheck interrupt;
	int64_t		evaluations;
	double		worst;			/* what values cost that cannot be rated with */
} TuneProblem;

/*
 * The negative log likelihood at a point; params are those of the point then.
 */
extern double tune_objective(TuneProblem *problem, const double *variable);

/*
 * The standard errors of the variables at a minimum, from its curvature by finite
 * differences; NaN for a variable at a bound (at_bound says so) and where the
 * likelihood does not curve upwards.
 */
extern void tune_errors(TuneProblem *problem, const double *minimum,
						double *error, bool *at_bound);

#endif							/* CORE_EVALUATE_TUNE_H */
