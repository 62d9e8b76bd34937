/*
 * paired.h
 *		The difference of two forecasters who forecast the same matches.
 */
#ifndef CORE_EVALUATE_PAIRED_H
#define CORE_EVALUATE_PAIRED_H

#include <stddef.h>
#include <stdint.h>

typedef struct PairedDifference
{
	int64_t		matches;		/* that both have forecast */
	double		mean;			/* NaN without any */
	double		error;			/* standard error; NaN for fewer than
								 * PAIRED_MIN_MATCHES */
} PairedDifference;

/* With fewer matches nothing is said about the error. */
#define PAIRED_MIN_MATCHES 20

/*
 * The mean of a[i] - b[i] over the matches from begin to below end, in the order of time;
 * NaN in either leaves a match out.  Matches that are close in time share their players
 * and their season, so the standard error takes blocks of matches for independent, and
 * not matches: up to 40 blocks of equal size, of 10 matches or more (a cluster-robust
 * error: Cameron and Miller, Journal of Human Resources 50 (2015), equation 8).
 */
extern PairedDifference paired_difference(const double *a, const double *b,
										  size_t begin, size_t end);

#endif							/* CORE_EVALUATE_PAIRED_H */
