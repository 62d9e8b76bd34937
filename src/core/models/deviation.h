/*
 * deviation.h
 *		What models with a deviation beside the rating have in common.
 */
#ifndef CORE_MODELS_DEVIATION_H
#define CORE_MODELS_DEVIATION_H

#include <math.h>

#include "core/math/elementary.h"
#include "core/util/extremes.h"

#define SECONDS_PER_DAY 86400.0

/* The smallest sound deviation: one of 0 would never move again. */
#define MIN_DEVIATION 1e-12

/*
 * A deviation to which a variance is added, for time that passes; it does not
 * grow beyond limit, nor shrink if it is there already.
 */
static inline double
deviation_grown(double deviation, double variance, double limit)
{
	double		grown;

	if (variance == 0 || deviation >= limit)
		return deviation;
	grown = sqrt(deviation * deviation + variance);
	return grown > limit ? limit : grown;
}

/* The same for a drift per square root of a day and so many seconds of idle time. */
static inline double
deviation_drifted(double deviation, double drift, double seconds, double limit)
{
	return deviation_grown(deviation, drift * drift * (seconds / SECONDS_PER_DAY),
						   limit);
}

/*
 * What is left of a deviation after an update of the given gain, if one of gain
 * 1 multiplies it by ratio: as if the update had come gain times.  It does not
 * fall below least.
 */
static inline double
deviation_updated(double deviation, double ratio, double gain, double least)
{
	deviation *= gain == 1 ? ratio : portable_pow(ratio, gain);

	/* Not larger(), which would hide a NaN. */
	return deviation < least ? least : deviation;
}

/*
 * The variance of a skill after a match over that before.  Of the variance
 * total of an observed performance the skill contributed part and noise that is no
 * skill's at least noise; rest is what the observation left of total, as a share.
 */
static inline double
variance_ratio(double part, double noise, double total, double rest)
{
	/* What others contribute cannot be less than nothing, whatever rounds. */
	return larger(total - part, noise) / total + part / total * rest;
}

#endif							/* CORE_MODELS_DEVIATION_H */
