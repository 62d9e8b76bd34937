/*
 * regression.h
 *		Linear regression on several features from sums that can be merged.
 */
#ifndef CORE_EVALUATE_REGRESSION_H
#define CORE_EVALUATE_REGRESSION_H

#include <stdbool.h>

/* The most features, which bounds a state to about 80 kB. */
#define REGRESSION_MAX_FEATURES 100

/*
 * A state is an array of numbers: these, then the mean of y and of each feature,
 * then the lower half, row by row, of the sums of products of their deviations
 * from the means (y first).
 */
enum
{
	REGRESSION_FEATURES,
	REGRESSION_COUNT,
	REGRESSION_WEIGHT,
	REGRESSION_RIDGE,
	REGRESSION_MEANS
};

#define REGRESSION_STATE_SIZE(features) \
	(REGRESSION_MEANS + ((features) + 1) + \
	 ((features) + 1) * ((features) + 2) / 2)

/* Whether an array of n > 0 numbers has the shape of a state: anybody may have made it. */
extern bool regression_is_state(const double *state, int n);

/* Begin with no rows. */
extern void regression_begin(double *state, int features, double ridge);

/* Add a row of weight > 0. */
extern void regression_add(double *state, double y, const double *x,
						   double weight);

/* Add the rows of another state with as many features. */
extern void regression_merge(double *state, const double *other);

/* What regression_solve() returns if there is a fit, or if sums or it are not finite. */
#define REGRESSION_SOLVED (-1)
#define REGRESSION_OVERFLOW (-2)

typedef struct Regression
{
	double		intercept;
	double		r_squared;		/* NaN if y does not vary */
	double		residual_deviation; /* NaN without degrees of freedom */
} Regression;

/*
 * The least squares fit; coefficient has room for all features and work for
 * their number squared.  The ridge is added to the diagonal of the features'
 * correlation matrix.  Returns one of the above, or the feature that is constant or
 * depends on those before it.
 */
extern int	regression_solve(const double *state, double *coefficient,
							 Regression *fit, double *work);

#endif							/* CORE_EVALUATE_REGRESSION_H */
