/*
 * logit_solver.h
 *		The maximum of a logistic likelihood with sparse rows and priors.
 *
 * Every row is a result whose log-odds are a sum of a few unknowns times numbers.
 * That is Bradley-Terry, the Hive model and Whole-History Rating; what differs is
 * which unknowns there are and what is believed of them beforehand.  The negative
 * log posterior is convex, and its minimum is found by Newton's method, each step
 * by preconditioned conjugate gradients, as the matrix of second derivatives is
 * only ever multiplied with.
 *
 * Whoever fills in a problem owns its arrays; nothing here allocates.
 */
#ifndef CORE_SOLVE_LOGIT_SOLVER_H
#define CORE_SOLVE_LOGIT_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/solve/logit_rows.h"
#include "core/solve/solve_status.h"

/*
 * What is believed of the unknowns.  Those of some ranges are positive, with a
 * Gamma prior of a shape > 1 and a rate, whose mean is shape / rate; the others have a
 * Gaussian one of a mean and a precision (0 for none).  Unknowns u and u + 1 differ by a Gaussian of mean 0
 * and precision link[u] (0 for none): chains, such as a skill from day to day.
 */
typedef struct LogitGamma
{
	uint32_t	first;
	uint32_t	n;
	double		shape;
	double		rate;
} LogitGamma;

#define LOGIT_MAX_GAMMAS 2

typedef struct LogitPrior
{
	LogitGamma	gamma[LOGIT_MAX_GAMMAS];
	int			ngammas;
	double	   *mean;			/* by unknown; NULL for 0 */
	double	   *precision;		/* by unknown; not used where gamma holds */
	double	   *link;			/* by unknown, or NULL for none */
} LogitPrior;

/* How the minimum is sought. */
typedef struct LogitOptions
{
	bool		gradient;		/* plain ascent, to watch; else Newton */
	int			max_iterations;
	double		tolerance;		/* of twice the distance to the minimum, nats */
	double		draw;			/* Davidson's parameter; 0: draws are halves */
	InterruptCheck interrupt;
} LogitOptions;

/* Steps that are still so long when nothing is gained any more lead on for ever. */
#define LOGIT_DIVERGING_STEP 0.1

/*
 * What came of it.  Both methods have one criterion: they have converged where twice the
 * distance to the minimum, as Newton's step sees it, is below the tolerance.
 */
typedef struct LogitResult
{
	SolveStatus status;			/* SOLVE_NO_MAXIMUM: work.step leads on for
								 * ever */
	int			iterations;
	int64_t		products;		/* of the matrix with a vector */
	double		objective;		/* negative log posterior, without constants */
	double		gradient;		/* its largest derivative */
	double		decrement;		/* g' H^-1 g at the last step */
} LogitResult;

/* Room for n unknowns and for rows; see logit_work_size(). */
typedef struct LogitWork
{
	double	   *curvature;		/* of each row */
	double	   *gradient;		/* by unknown: */
	double	   *diagonal;
	double	   *step;
	double	   *residual;
	double	   *direction;
	double	   *product;
	double	   *trial;
	double	   *pivot;			/* of the preconditioner */
} LogitWork;

typedef struct LogitProblem
{
	LogitRows	rows;
	LogitPrior	prior;
	LogitOptions options;
	uint32_t	n;				/* unknowns */
	LogitWork	work;
	LogitSums	sums;			/* of the last evaluation */
} LogitProblem;

/* The bytes of the work for a problem, and how it lies in a block of so many. */
extern size_t logit_work_size(size_t nrows, uint32_t n);
extern void logit_work_init(LogitProblem *problem, void *block);

/* Where to begin: the prior's mean. */
extern void logit_start(const LogitProblem *problem, double *x);

/* Whether the prior of an unknown is finite at x. */
extern bool logit_allows(const LogitProblem *problem, uint32_t u, double x);

/*
 * Move x, which must lie where the prior is finite, to the minimum, and say why the
 * search ended.  Unless that is SOLVE_NOT_FINITE, the work then has the curvature
 * there, and in step the last step of Newton's method.
 */
extern LogitResult logit_solve(LogitProblem *problem, double *x);

/*
 * The negative log posterior at x and, into work.gradient, its derivatives; with
 * curvature also work.curvature and work.diagonal.
 */
extern double logit_evaluate(LogitProblem *problem, const double *x,
							 bool curvature);

/* The matrix of second derivatives at x (evaluated with curvature) times v. */
extern void logit_multiply(LogitProblem *problem, const double *x,
						   const double *v, double *product);

/*
 * Solve H u = b for the matrix at x, to a relative residual; false if that was not
 * reached.  b is changed.
 */
extern bool logit_apply_inverse(LogitProblem *problem, const double *x,
								double *b, double *u, double tolerance);

#endif							/* CORE_SOLVE_LOGIT_SOLVER_H */
