/*
 * display.h
 *		From ratings to what players see, and where newcomers start.
 */
#ifndef CORE_RATING_DISPLAY_H
#define CORE_RATING_DISPLAY_H

/* The division of a rating among n ascending cuts: 0 to n. */
extern int	division_number(double rating, const double *cut, int n);

/*
 * The same for a player who is in division current: up only at promotion_margin
 * above a cut, and down only at more than margin below one.
 */
extern int	division_next(double rating, const double *cut, int n, int current,
						  double margin, double promotion_margin);

/*
 * A step of a binary search for a rank between low and high, after a match at
 * their middle with score 0 to 1: the end on the wrong side moves towards the
 * middle by the share shrink, 0 to 1, or both do by their parts of a score in
 * between.
 */
extern void placement_step(double *low, double *high, double score,
						   double shrink);

/* The gain of a newcomer, falling from boost to 1 over the first matches. */
extern double placement_gain(double games, double boost, double over);

/* A rating and a deviation in a new season that keeps a share of the last. */
extern double season_rating(double rating, double mean, double keep);
extern double season_deviation(double deviation, double initial, double keep);

/* A rating after idle days: rate a day beyond grace days, down to a floor. */
extern double inactivity_decay(double rating, double idle_days,
							   double grace_days, double rate, double floor);

/* The same, halving the distance to a mean every half_life days. */
extern double inactivity_regression(double rating, double idle_days,
									double grace_days, double mean,
									double half_life_days);

#endif							/* CORE_RATING_DISPLAY_H */
