/*
 * minimize.h
 *		The minimum of a function within bounds, without derivatives.
 *
 * The method is Powell's (The BOBYQA algorithm for bound constrained optimization
 * without derivatives, report NA2009/06, University of Cambridge, 2009) with three
 * changes that few variables allow: the trust region is a box, interpolation
 * points are added until they determine all of the quadratic model, and the equations of
 * the model are solved afresh for each step instead of updated.
 *
 * The search uses nothing but the four operations and square roots, and is therefore the
 * same on every machine for the same values of the function.
 */
#ifndef CORE_EVALUATE_MINIMIZE_H
#define CORE_EVALUATE_MINIMIZE_H

#include <stdbool.h>

#define MINIMIZE_MAX_VARIABLES 16

/* The points that determine a quadratic function, and the unknowns of its equations. */
#define MINIMIZE_MAX_POINTS \
	((MINIMIZE_MAX_VARIABLES + 1) * (MINIMIZE_MAX_VARIABLES + 2) / 2)
#define MINIMIZE_MAX_UNKNOWNS (MINIMIZE_MAX_POINTS + MINIMIZE_MAX_VARIABLES + 1)

/* The value at a point; what is not finite counts as larger than anything. */
typedef double (*MinimizeFunction) (const double *variable, void *argument);

typedef struct MinimizeProblem
{
	int			n;				/* variables, 1 to MINIMIZE_MAX_VARIABLES */
	const double *low;			/* bounds of each, finite, */
	const double *high;
	const double *step;			/* the first step, at most a quarter of the
								 * distance between the bounds, */
	const double *tolerance;	/* and the largest last step */
	int			max_evaluations;
	MinimizeFunction function;
	void	   *argument;		/* of the function */
} MinimizeProblem;

typedef enum MinimizeStatus
{
	MINIMIZE_CONVERGED,			/* steps are within tolerance */
	MINIMIZE_ROUNDING,			/* the values no longer tell points apart */
	MINIMIZE_MAX_EVALUATIONS
} MinimizeStatus;

/* A quadratic function around a point: value, gradient and matrix of second derivatives. */
typedef struct MinimizeModel
{
	double		value;
	double		gradient[MINIMIZE_MAX_VARIABLES];
	double		hessian[MINIMIZE_MAX_VARIABLES][MINIMIZE_MAX_VARIABLES];
} MinimizeModel;

/*
 * The memory of a search, which the caller provides, about 260 kB; it need not be
 * initialized, and holds nothing that would have to be released.  Points are in units of
 * the first step, from the start.
 */
typedef struct MinimizeWork
{
	double		origin[MINIMIZE_MAX_VARIABLES]; /* the start itself */
	double		low[MINIMIZE_MAX_VARIABLES];
	double		high[MINIMIZE_MAX_VARIABLES];
	double		point[MINIMIZE_MAX_POINTS][MINIMIZE_MAX_VARIABLES];
	double		value[MINIMIZE_MAX_POINTS];
	int			npoints;
	int			max_points;
	int			best;			/* index of the lowest of them */
	int			evaluations;
	double		radius;			/* of the trust region */
	double		resolution;		/* the least that the radius may be for now */
	double		last_resolution;
	MinimizeModel model;		/* around the best point */
	double		matrix[MINIMIZE_MAX_UNKNOWNS][MINIMIZE_MAX_UNKNOWNS];
	double		unknown[MINIMIZE_MAX_UNKNOWNS];
} MinimizeWork;

/*
 * Move variable[], the start, to a minimum and set *minimum to the value there, which is
 * the least of all values that were seen.  The function may leave by longjmp().
 */
extern MinimizeStatus minimize(const MinimizeProblem *problem, MinimizeWork *work,
							   double *variable, double *minimum);

#endif							/* CORE_EVALUATE_MINIMIZE_H */
