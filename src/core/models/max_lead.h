/*
 * max_lead.h
 *		A limit of the lead that counts, which models with a scale of points have in common.
 *
 * FIDE's rules count a difference of more than 400 points as one of 400.  Who is far ahead
 * then gains something by every win, and who is far behind can always lose.
 */
#ifndef CORE_MODELS_MAX_LEAD_H
#define CORE_MODELS_MAX_LEAD_H

#include <math.h>

#include "core/rating/params.h"

#define MAX_LEAD_PARAM \
	{.name = "max_lead",.type = PARAM_NUMBER,.default_value = INFINITY, \
		.min = 0,.above_min = true,.max = INFINITY,.unit = "rating points", \
		.search = {50, 5000}, \
	.description = "a larger lead of one team over another counts as this one"}

/* A lead, or a deficit, that counts for no more than most.  NaN stays NaN. */
static inline double
capped_lead(double lead, double most)
{
	if (lead > most)
		return most;
	return lead < -most ? -most : lead;
}

/* What n ratings count as: none is further behind the best one than most. */
extern void ratings_within(const double *rating, int n, double most, double *counts);

#endif							/* CORE_MODELS_MAX_LEAD_H */
