/*
 * logit_solver.c
 *		The maximum of a logistic likelihood with sparse rows and priors.
 */
#include "core/solve/logit_solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/math/conjugate_gradients.h"
#include "core/math/dot.h"
#include "core/math/elementary.h"
#include "core/math/sum.h"
#include "core/util/block.h"
#include "core/util/extremes.h"

/* A step goes at most this share of the way to where a Gamma prior ends. */
#define BOUNDARY_SHARE 0.95

/* What a step must gain, of what the gradient promises (Armijo). */
#define SUFFICIENT_DECREASE 1e-4

/* Relative differences of the objective that may be rounding. */
#define OBJECTIVE_NOISE 1e-12

/* Twice the distance to the minimum, in nats, that the last step may miss. */
#define LAST_DISTANCE 1e-21

/* Long chains without a prior need thousands; what is still missing then is no step. */
#define MAX_PRODUCTS 10000

/* After so many steps in a row that only rounding lets pass, none will help. */
#define MAX_IDLE_STEPS 10

#define MAX_HALVINGS 40

/*
 * ---- Memory ----
 */

static size_t
lay_out_work(LogitWork *work, char *block, size_t nrows, size_t n)
{
	size_t		total = 0;

	work->curvature = block_take(&block, &total, sizeof(double), nrows);
	work->gradient = block_take(&block, &total, sizeof(double), n);
	work->diagonal = block_take(&block, &total, sizeof(double), n);
	work->step = block_take(&block, &total, sizeof(double), n);
	work->residual = block_take(&block, &total, sizeof(double), n);
	work->direction = block_take(&block, &total, sizeof(double), n);
	work->product = block_take(&block, &total, sizeof(double), n);
	work->trial = block_take(&block, &total, sizeof(double), n);
	work->pivot = block_take(&block, &total, sizeof(double), n);
	return total;
}

size_t
logit_work_size(size_t nrows, uint32_t n)
{
	LogitWork	work;

	return lay_out_work(&work, NULL, nrows, n);
}

void
logit_work_init(LogitProblem *problem, void *block)
{
	(void) lay_out_work(&problem->work, block, problem->rows.nrows, problem->n);
}

/*
 * ---- The objective ----
 */

static const LogitGamma *
gamma_of(const LogitPrior *prior, uint32_t u)
{
	int			i;

	for (i = 0; i < prior->ngammas; i++)
		if (u - prior->gamma[i].first < prior->gamma[i].n)
			return &prior->gamma[i];
	return NULL;
}

bool
logit_allows(const LogitProblem *problem, uint32_t u, double x)
{
	return isfinite(x) && (gamma_of(&problem->prior, u) == NULL || x > 0);
}

static double
prior_mean(const LogitPrior *prior, uint32_t u)
{
	return prior->mean != NULL ? prior->mean[u] : 0;
}

void
logit_start(const LogitProblem *problem, double *x)
{
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
	{
		const LogitGamma *gamma = gamma_of(&problem->prior, u);

		x[u] = gamma != NULL ? gamma->shape / gamma->rate :
			prior_mean(&problem->prior, u);
	}
}

static void
evaluate_prior(const LogitProblem *problem, const double *x, Sum *objective,
			   double *gradient, double *diagonal)
{
	const LogitPrior *prior = &problem->prior;
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
	{
		const LogitGamma *gamma = gamma_of(prior, u);

		if (gamma != NULL)
		{
			sum_add(objective, x[u] * gamma->rate -
					(gamma->shape - 1) * portable_log(x[u]));
			gradient[u] += gamma->rate - (gamma->shape - 1) / x[u];
			if (diagonal != NULL)
				diagonal[u] += (gamma->shape - 1) / (x[u] * x[u]);
		}
		else if (prior->precision[u] > 0)
		{
			double		distance = x[u] - prior_mean(prior, u);

			sum_add(objective, 0.5 * prior->precision[u] * distance * distance);
			gradient[u] += prior->precision[u] * distance;
			if (diagonal != NULL)
				diagonal[u] += prior->precision[u];
		}
		if (prior->link != NULL && prior->link[u] > 0)
		{
			double		pull = prior->link[u] * (x[u + 1] - x[u]);

			sum_add(objective, 0.5 * pull * (x[u + 1] - x[u]));
			gradient[u] -= pull;
			gradient[u + 1] += pull;
			if (diagonal != NULL)
			{
				diagonal[u] += prior->link[u];
				diagonal[u + 1] += prior->link[u];
			}
		}
	}
}

double
logit_evaluate(LogitProblem *problem, const double *x, bool curvature)
{
	LogitWork  *work = &problem->work;
	double	   *diagonal = curvature ? work->diagonal : NULL;
	Sum			objective;

	memset(work->gradient, 0, problem->n * sizeof(double));
	if (curvature)
		memset(diagonal, 0, problem->n * sizeof(double));
	problem->sums = (LogitSums)
	{
		0, 0, 0
	};
	logit_rows_evaluate(&problem->rows, problem->options.draw, x, &problem->sums,
						work->gradient, diagonal, work->curvature,
						problem->options.interrupt);
	objective = (Sum)
	{
		problem->sums.objective, 0
	};
	evaluate_prior(problem, x, &objective, work->gradient, diagonal);
	return sum_value(&objective);
}

void
logit_multiply(LogitProblem *problem, const double *x, const double *v,
			   double *product)
{
	const LogitPrior *prior = &problem->prior;
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
	{
		const LogitGamma *gamma = gamma_of(prior, u);

		product[u] = v[u] * (gamma != NULL ?
							 (gamma->shape - 1) / (x[u] * x[u]) :
							 prior->precision[u]);
	}
	if (prior->link != NULL)
		for (u = 0; u + 1 < problem->n; u++)
		{
			double		pull = prior->link[u] * (v[u + 1] - v[u]);

			product[u] -= pull;
			product[u + 1] += pull;
		}
	logit_rows_multiply(&problem->rows, problem->work.curvature, v, product,
						problem->options.interrupt);
}

/*
 * ---- Linear systems ----
 */

/*
 * The preconditioner: the diagonal and the links of chains, factored.
 */
static void
factor_preconditioner(LogitProblem *problem)
{
	const double *diagonal = problem->work.diagonal;
	const double *link = problem->prior.link;
	double	   *pivot = problem->work.pivot;
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
	{
		pivot[u] = diagonal[u];
		if (link != NULL && u > 0 && link[u - 1] > 0)
			pivot[u] -= link[u - 1] * link[u - 1] / pivot[u - 1];

		/* Of an unknown that nothing is known of nothing changes. */
		if (!(pivot[u] > DBL_MIN))
			pivot[u] = 1;
	}
}

static void
precondition(const LogitProblem *problem, const double *residual, double *z)
{
	const double *link = problem->prior.link;
	const double *pivot = problem->work.pivot;
	uint32_t	u;

	if (link == NULL)
	{
		for (u = 0; u < problem->n; u++)
			z[u] = residual[u] / pivot[u];
		return;
	}
	for (u = 0; u < problem->n; u++)
	{
		z[u] = residual[u];
		if (u > 0 && link[u - 1] > 0)
			z[u] += link[u - 1] / pivot[u - 1] * z[u - 1];
	}
	for (u = problem->n; u-- > 0;)
	{
		if (link[u] > 0)
			z[u] += link[u] * z[u + 1];
		z[u] /= pivot[u];
	}
}

/* The Hessian at a place, as a linear system has it. */
typedef struct HessianAt
{
	LogitProblem *problem;
	const double *x;
} HessianAt;

static void
multiply_hessian(void *arg, const double *v, double *product)
{
	const HessianAt *at = (const HessianAt *) arg;

	logit_multiply(at->problem, at->x, v, product);
}

static void
precondition_hessian(void *arg, const double *residual, double *z)
{
	precondition(((const HessianAt *) arg)->problem, residual, z);
}

/* Solve H u = b; work.pivot is factored, and b becomes the residual. */
static int
solve_hessian(LogitProblem *problem, const double *x, double *b, double *u,
			  double tolerance, bool *converged)
{
	HessianAt	at = {problem, x};
	LinearSystem system = {
		problem->n, &at, multiply_hessian, precondition_hessian,
		problem->work.diagonal, problem->work.direction, problem->work.product
	};

	return conjugate_gradients(&system, b, u, tolerance, MAX_PRODUCTS, converged);
}

bool
logit_apply_inverse(LogitProblem *problem, const double *x, double *b, double *u,
					double tolerance)
{
	bool		converged;

	factor_preconditioner(problem);
	(void) solve_hessian(problem, x, b, u, tolerance, &converged);
	return converged;
}

/*
 * ---- The search ----
 */

/* How far along the step the positive unknowns stay positive. */
static double
longest_step(const LogitProblem *problem, const double *x, const double *step)
{
	double		longest = 1;
	int			g;

	for (g = 0; g < problem->prior.ngammas; g++)
	{
		const LogitGamma *gamma = &problem->prior.gamma[g];
		uint32_t	u;

		for (u = gamma->first; u < gamma->first + gamma->n; u++)
			if (step[u] < 0)
				longest = smaller(longest, BOUNDARY_SHARE * x[u] / -step[u]);
	}
	return longest;
}

/*
 * Go along work.step as far as it helps, evaluate there, and return the share of the
 * step that was taken, 0 if none helps or moves anything.  Once the objective changes by no more than
 * its rounding, any step that does not raise it by more is as good (the rounding
 * trap: differences of sums over all rows say nothing then, but the gradient still
 * does).
 */
static double
line_search(LogitProblem *problem, double *x, double slope, double *objective)
{
	LogitWork  *work = &problem->work;
	double		share = longest_step(problem, x, work->step);
	int			halving;

	for (halving = 0; halving < MAX_HALVINGS; halving++)
	{
		bool		moves = false;
		double		next;
		uint32_t	u;

		for (u = 0; u < problem->n; u++)
		{
			work->trial[u] = x[u] + share * work->step[u];
			moves = moves || work->trial[u] != x[u];
		}
		if (!moves)
			break;
		next = logit_evaluate(problem, work->trial, true);
		if (next <= *objective + SUFFICIENT_DECREASE * share * slope ||
			(halving == 0 && next <= *objective + OBJECTIVE_NOISE * fabs(*objective)))
		{
			memcpy(x, work->trial, problem->n * sizeof(double));
			*objective = next;
			return share;
		}
		share /= 2;
	}

	/* The gradient and the curvature are those of x again. */
	*objective = logit_evaluate(problem, x, true);
	return 0;
}

static double
largest(const double *v, uint32_t n)
{
	double		most = 0;
	uint32_t	u;

	for (u = 0; u < n; u++)
		most = larger(most, fabs(v[u]));
	return most;
}

/*
 * A step of Newton's method into work.step, and its decrement; left is the gradient
 * as a share of what it was at first.  Every product sees all rows, so that there are
 * only as many as the step is worth: far away it need not be precise, but the last one,
 * as which one about as short as the tolerance may be taken, is.  A step that is not
 * *exact enough sees less of the distance than there is.
 */
static double
newton_step(LogitProblem *problem, const double *x, double left,
			LogitResult *result, bool *exact)
{
	LogitWork  *work = &problem->work;
	double		tolerance = smaller(0.1, sqrt(left));
	double		distance = 0;
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
		if (work->diagonal[u] > 0)
			distance += work->gradient[u] * work->gradient[u] / work->diagonal[u];
	if (distance < 10 * problem->options.tolerance)
		tolerance = smaller(tolerance, sqrt(LAST_DISTANCE / distance));
	for (u = 0; u < problem->n; u++)
		work->residual[u] = -work->gradient[u];
	factor_preconditioner(problem);
	result->products += solve_hessian(problem, x, work->residual,
									  work->step, larger(tolerance, 1e-9), exact);
	return -dot(work->gradient, work->step, problem->n);
}

/* Whether all numbers of an evaluation and of the step from there are in range. */
static bool
is_finite(const LogitProblem *problem, const LogitResult *result)
{
	const double *gradient = problem->work.gradient;

	return isfinite(result->objective) && isfinite(result->decrement) &&
		isfinite(dot(gradient, gradient, problem->n));
}

/*
 * Take the measure of x: the step of Newton's method from there and its decrement.  Whether
 * the search is over; if so the status says why.
 */
static bool
arrived(LogitProblem *problem, const double *x, double first, LogitResult *result)
{
	LogitWork  *work = &problem->work;
	bool		exact;

	result->gradient = largest(work->gradient, problem->n);
	result->decrement = newton_step(problem, x, first > 0 ?
									result->gradient / first : 0, result, &exact);
	if (!is_finite(problem, result))
		result->status = SOLVE_NOT_FINITE;
	else if (result->decrement >= problem->options.tolerance || !exact)
		return false;
	else if (largest(work->step, problem->n) > LOGIT_DIVERGING_STEP)
		result->status = SOLVE_NO_MAXIMUM;
	else
		result->status = SOLVE_CONVERGED;
	return true;
}

/* How low the objective and the gradient have come, and for how many steps no lower. */
typedef struct Progress
{
	double		objective;
	double		gradient;
	int			idle_steps;
} Progress;

static Progress
progress_begin(void)
{
	return (Progress)
	{
		INFINITY, INFINITY, 0
	};
}

/*
 * Whether the search still comes to new ground, having taken a share of a step or,
 * if that is 0, none.  Steps that change the objective by rounding only may still make
 * the gradient smaller, but not for ever.
 */
static bool
progress_made(Progress *progress, const LogitProblem *problem, double share,
			  const LogitResult *result)
{
	double		gradient = largest(problem->work.gradient, problem->n);

	if (result->objective < progress->objective || gradient < progress->gradient)
		progress->idle_steps = 0;
	else
		progress->idle_steps++;
	progress->objective = smaller(progress->objective, result->objective);
	progress->gradient = smaller(progress->gradient, gradient);
	return share > 0 && progress->idle_steps < MAX_IDLE_STEPS;
}

/*
 * The ascent by the gradient that documents describe, with as much of it as is
 * safe: a whole gradient, as they have it, leaves the positive numbers or swings.
 *
 * The gradient in terms of the diagonal is a cheap estimate of the distance.  Where
 * it is short, Newton's step decides; if the distance proves to be longer, it is asked
 * again once the estimate is a tenth.
 */
static void
climb(LogitProblem *problem, double *x, double first, LogitResult *result)
{
	LogitWork  *work = &problem->work;
	double		rate = 1;
	double		near = problem->options.tolerance;
	Progress	progress = progress_begin();

	for (;;)
	{
		double		squares = dot(work->gradient, work->gradient, problem->n);
		double		scaled = 0;
		double		share;
		uint32_t	u;

		for (u = 0; u < problem->n; u++)
			if (work->diagonal[u] > 0)
				scaled += work->gradient[u] * work->gradient[u] / work->diagonal[u];
		if (!(scaled >= near) || !isfinite(scaled))
		{
			if (arrived(problem, x, first, result))
				return;
			near = scaled / 10;
		}
		if (result->iterations >= problem->options.max_iterations)
		{
			result->status = SOLVE_MAX_ITERATIONS;
			break;
		}
		for (u = 0; u < problem->n; u++)
			work->step[u] = -rate * work->gradient[u];
		share = line_search(problem, x, -rate * squares, &result->objective);
		if (!progress_made(&progress, problem, share, result))
		{
			result->status = SOLVE_NO_PROGRESS;
			break;
		}
		result->iterations++;

		/* Twice of what went may go next time. */
		rate = smaller(1, 2 * rate * share);
	}

	/* It may have arrived with its last step. */
	(void) arrived(problem, x, first, result);
}

/* Newton's method.  The last step squares what is still missing, and is taken whole. */
static void
iterate(LogitProblem *problem, double *x, double first, LogitResult *result)
{
	Progress	progress = progress_begin();

	for (;;)
	{
		bool		last = arrived(problem, x, first, result);
		double		share;

		if (last && result->status != SOLVE_CONVERGED)
			break;
		if (result->iterations >= problem->options.max_iterations)
		{
			result->status = SOLVE_MAX_ITERATIONS;
			break;
		}
		share = line_search(problem, x, -result->decrement, &result->objective);
		if (!last && !progress_made(&progress, problem, share, result))
		{
			result->status = SOLVE_NO_PROGRESS;
			break;
		}
		result->iterations++;
		if (last)
			break;
	}
	result->gradient = largest(problem->work.gradient, problem->n);
}

LogitResult
logit_solve(LogitProblem *problem, double *x)
{
	LogitResult result = {0};
	double		first;

	result.objective = logit_evaluate(problem, x, true);
	first = largest(problem->work.gradient, problem->n);
	if (problem->options.gradient)
		climb(problem, x, first, &result);
	else
		iterate(problem, x, first, &result);
	return result;
}
