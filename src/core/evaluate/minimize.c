/*
 * minimize.c
 *		The minimum of a function within bounds, without derivatives.
 *
 * A quadratic model that agrees with the function at the interpolation points is
 * minimized within a trust region around the best of them.  A step that does not bring
 * what the model promised shrinks the region, or is followed by a step that is chosen
 * for the sake of the model.
 */
#include "core/evaluate/minimize.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/math/cholesky.h"
#include "core/util/extremes.h"

#define MAX_VARIABLES MINIMIZE_MAX_VARIABLES

/* A step that brings less than this share of what was promised is a bad one. */
#define BAD_RATIO 0.1

/* One that brings more than this is so good that a longer one is tried next. */
#define GOOD_RATIO 0.7

/* Points farther from the best one than so many radii say little about the model. */
#define FAR_POINTS 2.0

/* Passes over the variables in a search for the minimum of the model. */
#define MAX_PASSES 100

/* Pivots that are smaller than this share of the largest element are zero. */
#define SINGULAR 1e-13

/* Differences between values that are below this share of them are rounding error. */
#define ROUNDING (64 * DBL_EPSILON)

/* A value that is not finite counts as this one, which keeps the model finite. */
#define WORST_VALUE 1e150

/*
 * ---- Points ----
 */

/* Evaluate the function at a point, which is in units of the first step from the origin. */
static double
evaluate(const MinimizeProblem *problem, MinimizeWork *work, const double *point)
{
	double		variable[MAX_VARIABLES];
	double		value;
	int			i;

	for (i = 0; i < problem->n; i++)
		variable[i] = smaller(larger(work->origin[i] + problem->step[i] * point[i],
									 problem->low[i]), problem->high[i]);
	work->evaluations++;
	value = problem->function(variable, problem->argument);
	return value < WORST_VALUE ? value : WORST_VALUE;
}

/* The distance of a point from the best one, as the trust region measures it. */
static double
distance(const MinimizeWork *work, int n, const double *point)
{
	double		largest = 0;
	int			i;

	for (i = 0; i < n; i++)
		largest = larger(largest, fabs(point[i] - work->point[work->best][i]));
	return largest;
}

/* The point that is farthest from the best one. */
static int
farthest(const MinimizeWork *work, int n)
{
	int			result = work->best;
	double		largest = 0;
	int			i;

	for (i = 0; i < work->npoints; i++)
	{
		double		d = distance(work, n, work->point[i]);

		if (d > largest)
		{
			largest = d;
			result = i;
		}
	}
	return result;
}

static void
store_point(MinimizeWork *work, int n, int index, const double *point, double value)
{
	memcpy(work->point[index], point, n * sizeof(double));
	work->value[index] = value;
	if (value < work->value[work->best])
		work->best = index;
}

/*
 * Begin with a point, whose value is known, and two more for each variable at that
 * distance: one on either side or, next to a bound, both on the same side.  False if there
 * are no evaluations left.
 */
static bool
spread_points(const MinimizeProblem *problem, MinimizeWork *work, double away)
{
	int			n = problem->n;
	double		center[MAX_VARIABLES];
	double		point[MAX_VARIABLES];
	int			i,
				side;

	memcpy(center, work->point[work->best], n * sizeof(double));
	work->value[0] = work->value[work->best];
	memcpy(work->point[0], center, n * sizeof(double));
	work->best = 0;
	work->npoints = 1;
	for (i = 0; i < n; i++)
		for (side = 0; side < 2; side++)
		{
			double		step = side == 0 ? away : -away;

			if (work->evaluations >= problem->max_evaluations)
				return false;
			if (work->high[i] - center[i] < away)
				step = side == 0 ? -away : -2 * away;
			else if (work->low[i] - center[i] > -away)
				step = side == 0 ? away : 2 * away;
			memcpy(point, center, n * sizeof(double));
			point[i] += step;
			store_point(work, n, work->npoints, point,
						evaluate(problem, work, point));
			work->npoints++;
		}
	return true;
}

/*
 * ---- The model ----
 */

static double
dot_product(const double *a, const double *b, int n)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The value of a model at a step from its point. */
static double
model_value(const MinimizeModel *model, int n, const double *step)
{
	double		sum = model->value;
	int			i;

	for (i = 0; i < n; i++)
		sum += step[i] * (model->gradient[i] +
						  0.5 * dot_product(model->hessian[i], step, n));
	return sum;
}

/* The gradient of a model there. */
static void
model_gradient(const MinimizeModel *model, int n, const double *step, double *gradient)
{
	int			i;

	for (i = 0; i < n; i++)
		gradient[i] = model->gradient[i] + dot_product(model->hessian[i], step, n);
}

/* The step from the best point to another one, in units of the radius. */
static void
scaled_step(const MinimizeWork *work, int n, const double *point, double *step)
{
	int			i;

	for (i = 0; i < n; i++)
		step[i] = (point[i] - work->point[work->best][i]) / work->radius;
}

/*
 * Solve the equations of an interpolation around the best point for right-hand sides in
 * work->unknown, which the solution replaces.  Theirs is the matrix [A X; X' 0] where A has
 * half the squared scalar products of the points' steps, and X rows of 1 and the step
 * (Powell, equation 2.7 of the above).  False if the points do not determine a model.
 */
static bool
solve_equations(MinimizeWork *work, int n)
{
	int			m = work->npoints;
	int			size = m + n + 1;
	double		(*a)[MINIMIZE_MAX_UNKNOWNS] = work->matrix;
	double		step[MINIMIZE_MAX_POINTS][MAX_VARIABLES];
	double		largest = 0;
	int			i,
				j,
				k;

	for (i = 0; i < m; i++)
		scaled_step(work, n, work->point[i], step[i]);
	for (i = 0; i < size; i++)
		for (j = 0; j <= i; j++)
		{
			double		product;

			if (i < m)
			{
				product = dot_product(step[i], step[j], n);
				product *= 0.5 * product;
			}
			else if (j < m)
				product = i == m ? 1 : step[j][i - m - 1];
			else
				product = 0;
			a[i][j] = a[j][i] = product;
			largest = larger(largest, fabs(product));
		}

	/* Gaussian elimination with partial pivoting, then substitution. */
	for (k = 0; k < size; k++)
	{
		int			pivot = k;

		for (i = k + 1; i < size; i++)
			if (fabs(a[i][k]) > fabs(a[pivot][k]))
				pivot = i;
		if (!(fabs(a[pivot][k]) > SINGULAR * largest))
			return false;
		for (j = k; j < size && pivot != k; j++)
		{
			double		swap = a[k][j];

			a[k][j] = a[pivot][j];
			a[pivot][j] = swap;
		}
		if (pivot != k)
		{
			double		swap = work->unknown[k];

			work->unknown[k] = work->unknown[pivot];
			work->unknown[pivot] = swap;
		}
		for (i = k + 1; i < size; i++)
		{
			double		factor = a[i][k] / a[k][k];

			for (j = k + 1; j < size && factor != 0; j++)
				a[i][j] -= factor * a[k][j];
			work->unknown[i] -= factor * work->unknown[k];
		}
	}
	for (i = size - 1; i >= 0; i--)
	{
		work->unknown[i] -= dot_product(&a[i][i + 1], &work->unknown[i + 1],
										size - 1 - i);
		work->unknown[i] /= a[i][i];
	}
	return true;
}

/*
 * Add to a model, whose value and gradient are replaced, the quadratic function that a
 * solution of the equations describes.
 */
static void
take_solution(const MinimizeWork *work, int n, MinimizeModel *model)
{
	int			m = work->npoints;
	double		scale = 1 / (work->radius * work->radius);
	int			i,
				j,
				k;

	model->value = work->unknown[m];
	for (i = 0; i < n; i++)
		model->gradient[i] = work->unknown[m + 1 + i] / work->radius;
	for (k = 0; k < m; k++)
	{
		double		step[MAX_VARIABLES];

		scaled_step(work, n, work->point[k], step);
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				model->hessian[i][j] += scale * work->unknown[k] * step[i] * step[j];
	}
}

/*
 * Make the model agree with the values at all points, with the least change of its second
 * derivatives, by the sum of their squares.  False if the points do not determine it.
 */
static bool
update_model(MinimizeWork *work, int n)
{
	MinimizeModel curvature = work->model;
	double		best = work->value[work->best];
	int			i;

	/* What the second derivatives explain already is left out. */
	curvature.value = 0;
	memset(curvature.gradient, 0, sizeof(curvature.gradient));
	memset(work->unknown, 0, sizeof(work->unknown));
	for (i = 0; i < work->npoints; i++)
	{
		double		step[MAX_VARIABLES];
		int			j;

		for (j = 0; j < n; j++)
			step[j] = work->point[i][j] - work->point[work->best][j];
		work->unknown[i] = work->value[i] - best - model_value(&curvature, n, step);
	}
	if (!solve_equations(work, n))
		return false;
	take_solution(work, n, &work->model);
	work->model.value = 0;
	return true;
}

/*
 * The Lagrange functions at a point, in work->unknown: the one of interpolation point i
 * is 1 there and 0 at all others, and small values of it at the new point mean that the
 * new point tells nothing that could replace i.
 */
static bool
lagrange_values(MinimizeWork *work, int n, const double *point)
{
	double		to[MAX_VARIABLES];
	double		step[MAX_VARIABLES];
	int			m = work->npoints;
	int			i;

	scaled_step(work, n, point, to);
	for (i = 0; i < m; i++)
	{
		double		product;

		scaled_step(work, n, work->point[i], step);
		product = dot_product(step, to, n);
		work->unknown[i] = 0.5 * product * product;
	}
	work->unknown[m] = 1;
	memcpy(&work->unknown[m + 1], to, n * sizeof(double));
	return solve_equations(work, n);
}

/* The Lagrange function of one point, as a model around the best one. */
static bool
lagrange_function(MinimizeWork *work, int n, int index, MinimizeModel *model)
{
	memset(model, 0, sizeof(*model));
	memset(work->unknown, 0, sizeof(work->unknown));
	work->unknown[index] = 1;
	if (!solve_equations(work, n))
		return false;
	take_solution(work, n, model);
	return true;
}

/*
 * ---- Minima of the model ----
 */

/* The step along one variable, from where the others are, to the lowest point. */
static double
best_along(double slope, double curvature, double at, double low, double high)
{
	double		down = low - at;
	double		up = high - at;

	if (curvature > 0)
		return smaller(larger(-slope / curvature, down), up);
	return slope * down + 0.5 * curvature * down * down <
		slope * up + 0.5 * curvature * up * up ? down : up;
}

/* Move the variables that are at no bound by a step of Newton's method, if that helps. */
static void
newton_step(const MinimizeModel *model, int n, const double *low, const double *high,
			double *step)
{
	double		gradient[MAX_VARIABLES];
	double		matrix[MAX_VARIABLES * MAX_VARIABLES];
	double		next[MAX_VARIABLES];
	double		move[MAX_VARIABLES];
	int			inner[MAX_VARIABLES];
	int			count = 0;
	int			i,
				j;

	model_gradient(model, n, step, gradient);
	for (i = 0; i < n; i++)
		if (step[i] > low[i] && step[i] < high[i])
			inner[count++] = i;
	for (i = 0; i < count; i++)
	{
		move[i] = -gradient[inner[i]];
		for (j = 0; j < count; j++)
			matrix[i * count + j] = model->hessian[inner[i]][inner[j]];
	}
	if (count < 2 || cholesky_factor(matrix, count, 1e-14) >= 0)
		return;
	cholesky_solve(matrix, count, move);
	memcpy(next, step, n * sizeof(double));
	for (i = 0; i < count; i++)
		next[inner[i]] = smaller(larger(step[inner[i]] + move[i], low[inner[i]]),
								 high[inner[i]]);
	if (model_value(model, n, next) < model_value(model, n, step))
		memcpy(step, next, n * sizeof(double));
}

/*
 * Minimize a model within a box around the best point, from there on: variable after
 * variable, each followed by a step with all of them.  Returns the change of the value.
 */
static double
minimize_model(const MinimizeWork *work, const MinimizeModel *model, int n,
			   double radius, double *step)
{
	const double *best = work->point[work->best];
	double		low[MAX_VARIABLES];
	double		high[MAX_VARIABLES];
	double		change = 0;
	int			pass,
				i;

	memset(step, 0, n * sizeof(double));
	for (i = 0; i < n; i++)
	{
		low[i] = smaller(larger(-radius, work->low[i] - best[i]), 0);
		high[i] = larger(smaller(radius, work->high[i] - best[i]), 0);
	}
	for (pass = 0; pass < MAX_PASSES; pass++)
	{
		double		before = change;

		for (i = 0; i < n; i++)
		{
			double		slope = model->gradient[i] +
				dot_product(model->hessian[i], step, n);

			step[i] = smaller(larger(step[i] + best_along(slope, model->hessian[i][i],
														  step[i], low[i], high[i]),
									 low[i]), high[i]);
		}
		newton_step(model, n, low, high, step);
		change = model_value(model, n, step) - model->value;
		if (!(change < before - 1e-10 * fabs(before)))
			break;
	}
	return change;
}

/*
 * ---- Steps ----
 */

/* The best point moved by a step, with rounding kept within the bounds. */
static void
moved_point(const MinimizeWork *work, int n, const double *step, double *point)
{
	int			i;

	for (i = 0; i < n; i++)
		point[i] = smaller(larger(work->point[work->best][i] + step[i], work->low[i]),
						   work->high[i]);
}

/*
 * Take a point among those of the interpolation: beside them while there is room, then in
 * the place of one that is far away and without which the equations remain solvable.  The
 * best one stays unless the new one is better.
 */
static void
add_point(MinimizeWork *work, int n, const double *point, double value)
{
	bool		better = value < work->value[work->best];
	int			leaves = -1;
	double		largest = 0;
	int			i;

	if (!lagrange_values(work, n, point))
	{
		leaves = farthest(work, n);
		store_point(work, n, leaves, point, value);
		return;
	}
	if (work->npoints < work->max_points)
	{
		store_point(work, n, work->npoints, point, value);
		work->npoints++;
		return;
	}
	for (i = 0; i < work->npoints; i++)
	{
		double		d = distance(work, n, work->point[i]) / work->radius;
		double		weight = fabs(work->unknown[i]) * larger(1, d * d * d * d);

		if ((i != work->best || better) && weight > largest)
		{
			largest = weight;
			leaves = i;
		}
	}
	if (leaves >= 0)
		store_point(work, n, leaves, point, value);
}

/*
 * Replace the point that is farthest away by one nearby, where its Lagrange function is
 * large, so that the model gets better.  False if the points do not determine that function.
 */
static bool
improve_geometry(const MinimizeProblem *problem, MinimizeWork *work, int index)
{
	int			n = problem->n;
	MinimizeModel model;
	double		step[2][MAX_VARIABLES];
	double		size[2];
	double		radius = larger(smaller(0.1 * distance(work, n, work->point[index]),
										work->radius), work->resolution);
	double		point[MAX_VARIABLES];
	int			sign,
				i,
				j;

	if (!lagrange_function(work, n, index, &model))
		return false;
	for (sign = 0; sign < 2; sign++)
	{
		size[sign] = fabs(minimize_model(work, &model, n, radius, step[sign]));
		model.value = -model.value;
		for (i = 0; i < n; i++)
		{
			model.gradient[i] = -model.gradient[i];
			for (j = 0; j < n; j++)
				model.hessian[i][j] = -model.hessian[i][j];
		}
	}
	moved_point(work, n, step[size[1] > size[0] ? 1 : 0], point);
	store_point(work, n, index, point, evaluate(problem, work, point));
	return true;
}

/* The next resolution, after the present one has brought what it can. */
static void
refine(MinimizeWork *work)
{
	double		ratio = work->resolution / work->last_resolution;

	if (ratio <= 16)
		work->resolution = work->last_resolution;
	else if (ratio <= 250)
		work->resolution = sqrt(work->resolution * work->last_resolution);
	else
		work->resolution *= 0.1;
	work->radius = larger(0.5 * work->radius, work->resolution);
}

/* The radius after a step of that length that brought such a share of the promise. */
static void
adapt_radius(MinimizeWork *work, double length, double ratio)
{
	if (ratio <= BAD_RATIO)
		work->radius = smaller(0.5 * work->radius, length);
	else if (ratio <= GOOD_RATIO)
		work->radius = larger(0.5 * work->radius, length);
	else
		work->radius = larger(0.5 * work->radius, 2 * length);
	if (work->radius <= 1.5 * work->resolution)
		work->radius = work->resolution;
}

/* Whether a promised change of the value would be lost in rounding. */
static bool
is_rounding(const MinimizeWork *work, double change)
{
	return !(-change > ROUNDING * fabs(work->value[work->best]));
}

/* The search, after the first points; work->best is where it ends. */
static MinimizeStatus
search(const MinimizeProblem *problem, MinimizeWork *work)
{
	int			n = problem->n;

	while (work->evaluations < problem->max_evaluations)
	{
		double		step[MAX_VARIABLES];
		double		point[MAX_VARIABLES];
		double		length = 0;
		double		ratio = 0;
		double		change;
		int			far;
		int			i;

		if (!update_model(work, n))
		{
			(void) spread_points(problem, work, work->radius);
			continue;
		}
		change = minimize_model(work, &work->model, n, work->radius, step);
		for (i = 0; i < n; i++)
			length = larger(length, fabs(step[i]));

		/* Steps far below the resolution are for later. */
		if (length >= 0.5 * work->resolution && !is_rounding(work, change))
		{
			double		before = work->value[work->best];
			double		value;

			moved_point(work, n, step, point);
			value = evaluate(problem, work, point);
			ratio = (value - before) / change;
			adapt_radius(work, length, ratio);
			add_point(work, n, point, value);
			if (ratio > BAD_RATIO)
				continue;
		}

		/* A bad or a short step: is it the model, or the resolution? */
		far = farthest(work, n);
		if (distance(work, n, work->point[far]) > FAR_POINTS * work->radius)
		{
			if (work->evaluations < problem->max_evaluations &&
				!improve_geometry(problem, work, far))
				(void) spread_points(problem, work, work->radius);
			continue;
		}
		if (length >= 0.5 * work->resolution && work->radius > work->resolution &&
			!is_rounding(work, change))
			continue;
		if (work->resolution <= work->last_resolution)
			return change < 0 && is_rounding(work, change) && length >= work->resolution ?
				MINIMIZE_ROUNDING : MINIMIZE_CONVERGED;
		refine(work);
	}
	return MINIMIZE_MAX_EVALUATIONS;
}

MinimizeStatus
minimize(const MinimizeProblem *problem, MinimizeWork *work, double *variable,
		 double *minimum)
{
	int			n = problem->n;
	MinimizeStatus status = MINIMIZE_MAX_EVALUATIONS;
	int			i;

	memset(work, 0, sizeof(*work));
	work->max_points = (n + 1) * (n + 2) / 2;
	work->radius = work->resolution = work->last_resolution = 1;
	for (i = 0; i < n; i++)
	{
		work->origin[i] = smaller(larger(variable[i], problem->low[i]), problem->high[i]);
		work->low[i] = (problem->low[i] - work->origin[i]) / problem->step[i];
		work->high[i] = (problem->high[i] - work->origin[i]) / problem->step[i];
		work->last_resolution = smaller(work->last_resolution,
										problem->tolerance[i] / problem->step[i]);
	}
	work->value[0] = evaluate(problem, work, work->point[0]);
	if (spread_points(problem, work, 1))
		status = search(problem, work);
	for (i = 0; i < n; i++)
		variable[i] = smaller(larger(work->origin[i] + problem->step[i] * work->point[work->best][i],
									 problem->low[i]), problem->high[i]);
	*minimum = work->value[work->best];
	return status;
}
