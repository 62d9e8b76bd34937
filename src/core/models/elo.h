/*
 * elo.h
 *		Elo's formulas for two players, as functions of their own.
 */
#ifndef CORE_MODELS_ELO_H
#define CORE_MODELS_ELO_H

/*
 * Expected score of a rating that leads by difference, with log_odds more in
 * its favour.  Logistic: odds of 10 to 1 at a lead of scale.  Normal: each
 * performance has the standard deviation beta.  Both are exact 0 or 1 only
 * where double precision ends, and never NaN for finite arguments.
 */
extern double elo_logistic(double difference, double scale, double log_odds);
extern double elo_normal(double difference, double beta, double log_odds);

/*
 * One contest of n players, 2 or more, each against all others.  rank: 1 is best, equal
 * ranks are a tie; any numbers that compare.  k, scale: of each of the n - 1 games of a
 * player.  score_base: 1 for scores that fall by the same number from place to place,
 * more for (score_base^(n - place) - 1); all scores add up to 1, and ties share those of
 * their places.
 *
 * Out: the expected share of each, the mean of the logistic curve over the pairs, whose
 * sum is 1, and the rating after, by k (n - 1) (score - share).
 *
 * The scheme of the library multielo; linear scores are Elo for every pair.
 */
extern void elo_contest(const double *rating, const double *rank, int n, double k,
						double scale, double score_base, double *share, double *after);

#endif							/* CORE_MODELS_ELO_H */
