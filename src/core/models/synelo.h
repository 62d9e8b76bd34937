/*
 * synelo.h
 *		SynElo's formulas, as the functions in SQL and the model share them.
 *
 * F1 to F6 are their numbers in the source, "SynElo: yazoo.tf's Arena Rating &
 * Balancing System".
 */
#ifndef CORE_MODELS_SYNELO_H
#define CORE_MODELS_SYNELO_H

#include <stdbool.h>

#include "core/util/interrupt.h"

/* F1: theta for teams of up to that many players, 400 floor(median). */
extern double synelo_theta(double team_size_max);

/* F1: the win probability at a difference of team ratings, in base e. */
extern double synelo_win_probability(double difference, double theta);

/* What goes into the convergence score, F3: three signals, 0 and up. */
typedef struct SynEloSignals
{
	double		velocity;		/* |mean of newer half - of older| / k_high */
	double		surprise;		/* |mean outcome - mean expected| / 0.10 */
	double		volatility;		/* standard deviation / k_high */
} SynEloSignals;

typedef struct SynEloWeights
{
	double		velocity;
	double		surprise;
	double		volatility;
	bool		saturate;		/* no signal counts for more than 1 */
} SynEloWeights;

/*
 * The signals of a window of n rounds, oldest first: the ratings after them, and outcome less
 * expected score.  Fewer than two rounds have no velocity, and none at all no signal.
 * Calls interrupt now and then, unless it is NULL.
 */
extern SynEloSignals synelo_signals(const double *rating, const double *surprise, int n,
									double k_high, InterruptCheck interrupt);

/* F3: between 0, an established rating, and 1. */
extern double synelo_convergence(const SynEloSignals *signals,
								 const SynEloWeights *weights);

/* F4 and F5: the K factor. */
extern double synelo_k(double rating, double convergence, double k_low,
					   double k_high, double initial_rating,
					   double compression_width);

/* Half-even ("banker's") rounding to an integer, whatever the rounding mode. */
extern double round_half_even(double x);

#endif							/* CORE_MODELS_SYNELO_H */
