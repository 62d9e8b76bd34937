/*
 * tune.h
 *		Parameters of a model as the variables of a likelihood.
 *
 * What is minimised is the negative log likelihood, in nats, of the outcomes of a
 * part of a history, each predicted from the matches before it (the prequential
 * likelihood: Dawid, Journal of the Royal Statistical Society A 147 (1984)), and with
 * weak priors of the parameters, unless they are switched off, which keep a few matches
 * from driving a parameter to the end of its range.
 */
#ifndef CORE_EVALUATE_TUNE_H
#define CORE_EVALUATE_TUNE_H

#include "core/rating/history.h"

/* The most parameters that are fitted at once. */
#define TUNE_MAX_PARAMS 16

/*
 * The index of the log-odds of side 1, which are no parameter of the model but fitted like
 * one: HistoryWork.side_log_odds.
 */
#define TUNE_LOG_ODDS (-1)

/* The variable of a parameter. */
typedef enum TuneScale
{
	TUNE_LINEAR,				/* the number itself */
	TUNE_LOG,					/* its logarithm */
	TUNE_LOG_FROM_ZERO			/* the logarithm of the number plus smallest:
								 * a log scale that ends at 0 */
} TuneScale;

/* As much as any forecast can cost, and a bit more. */
#define TUNE_UNRATED_NATS 40.0

/* A parameter as a variable. */
typedef struct TuneParam
{
	int			index;			/* of the model's parameters, or TUNE_LOG_ODDS */
	TuneScale	scale;
	double		low;			/* bounds of the parameter itself */
	double		high;
	double		smallest;		/* TUNE_LOG_FROM_ZERO: what is hardly more
								 * than 0 */
	double		center;			/* of the prior of the variable, */
	double		width;			/* and its deviation */
} TuneParam;

/* The variable of a parameter's value, and the value, within its bounds, of a variable. */
extern double tune_variable(const TuneParam *param, double value);
extern double tune_value(const TuneParam *param, double variable);

/* How fast the value changes with the variable. */
extern double tune_slope(const TuneParam *param, double value);

/*
 * A number as a variable with the range that its spec describes, widened where that does not
 * contain the start, if that is finite; and with given bounds, which must ascend and be in
 * the range of the spec.  The index is that of the spec.
 *
 * The prior of the variable is normal around the start, or the middle of the range if that is
 * infinite, and so wide that the farther end of the range is TUNE_PRIOR_DEVIATIONS away; a
 * start of 0 is the end of its scale.  Bounds that are given do not make it narrower.
 */
extern TuneParam tune_param(const ParamSpec *spec, int index, double start);
extern TuneParam tune_bounded_param(const ParamSpec *spec, int index, double low,
									double high, double start);

#define TUNE_PRIOR_DEVIATIONS 4.0

/* Give a parameter another prior, around this value. */
extern void tune_set_prior(TuneParam *param, double center);

/* The log-odds of side 1 as a variable, whose prior is around 0. */
extern TuneParam tune_log_odds_param(void);

/* The value of a parameter in use: number, or log-odds; and another one. */
typedef struct TuneProblem TuneProblem;
extern double tune_get(const TuneProblem *problem, int index);
extern void tune_set(TuneProblem *problem, int index, double value);

struct TuneProblem
{
	const Model *model;
	ParamValue *params;			/* those that are fitted change */
	const History *history;
	HistoryWork *work;
	size_t		bound[2];		/* the matches that are scored */
	TuneParam	param[TUNE_MAX_PARAMS];
	int			n;
	bool		priors;			/* weigh the values by their priors */
	InterruptCheck interrupt;
	int64_t		evaluations;
	int64_t		unrated;		/* matches that cannot be rated, which cost
								 * nothing: those at the start */

	/* Called with each negative log likelihood, NULL for nothing. */
	void		(*on_evaluation) (const TuneProblem *problem, double nats,
								  void *argument);
	void	   *argument;
};

/*
 * The negative log likelihood at a point, and that of the priors where the problem has them,
 * up to a constant; params are those of the point then.  A match that cannot be rated under
 * them is passed over, but costs TUNE_UNRATED_NATS unless it is one of as many as the problem
 * has anyway.
 */
extern double tune_objective(TuneProblem *problem, const double *variable);

/*
 * How many matches before the end of the problem's bounds cannot be rated under the values in
 * use, though they are sound and count.
 */
extern int64_t tune_count_unrated(TuneProblem *problem);

/*
 * The standard errors of the variables at a minimum, from its curvature by finite
 * differences; NaN for a variable at a bound (at_bound says so), where the
 * likelihood does not curve upwards, and for errors of half the range or more.  With priors
 * they are the deviations of the posterior, and NaN where the matches tell less than the
 * prior.
 */
extern void tune_errors(TuneProblem *problem, const double *minimum,
						double *error, bool *at_bound);

#endif							/* CORE_EVALUATE_TUNE_H */
