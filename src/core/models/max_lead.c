/*
 * max_lead.c
 *		A limit of the lead that counts.
 */
#include "core/models/max_lead.h"

#include "core/util/extremes.h"

void
ratings_within(const double *rating, int n, double most, double *counts)
{
	double		best = rating[0];
	int			i;

	for (i = 1; i < n; i++)
		best = larger(best, rating[i]);
	for (i = 0; i < n; i++)
		counts[i] = best - rating[i] > most ? best - most : rating[i];
}
