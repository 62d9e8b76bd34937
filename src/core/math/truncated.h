/*
 * truncated.h
 *		Moments of normal variables that are cut off, safe for any argument.
 *
 * These are what a result says about a difference of performances: it lies
 * above a margin (a win), or within it (a draw).
 */
#ifndef CORE_MATH_TRUNCATED_H
#define CORE_MATH_TRUNCATED_H

/*
 * What cutting off does to a variable of mean m and standard deviation c: its
 * mean becomes m + c * v and its variance c^2 * rest, where rest = 1 - w.  Both
 * are kept because w rounds to 1 long before rest rounds to 0.
 */
typedef struct Truncation
{
	double		v;
	double		w;				/* from 0 to 1 */
	double		rest;			/* from 1 to 0, never 0 itself */
} Truncation;

/*
 * phi(x) / Phi(x), the standard normal density over its distribution function:
 * the inverse of Mills' ratio at -x.  About -x far below zero.
 */
extern double normal_hazard(double x);

/*
 * A variable that lies above 0, with x = mean / standard deviation: v(x) =
 * phi(x) / Phi(x), w = v (v + x), relative error below 1e-12.
 */
extern Truncation truncated_win(double x);

/*
 * A variable that lies between -e and e, with t its mean and everything in
 * units of its standard deviation; e >= 0, and one that is too small to leave
 * any variance stands for the smallest that does.  Absolute error of v and w
 * below 1e-11 (v: relative where |t| > 1).
 */
extern Truncation truncated_draw(double t, double e);

#endif							/* CORE_MATH_TRUNCATED_H */
