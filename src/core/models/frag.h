/*
 * frag.h
 *		Becker's dynamic frag ranking, as the functions in SQL and the model
 *		share it.
 */
#ifndef CORE_MODELS_FRAG_H
#define CORE_MODELS_FRAG_H

/* What the formulas take besides ratings and scores. */
typedef struct FragRules
{
	double		k;				/* points for a duel that was thought lost */
	double		scale;			/* difference at which the odds are 10 to 1 */
	double		points;			/* score that is one duel; 0: any score is */
	double		floor;			/* or -INFINITY */
} FragRules;

/*
 * A negative score counts for the opponent: both scores after that.  6 : -2 is
 * 8 : 0, and -3 : -5 is 5 : 3.
 */
extern void frag_scores(double *score_a, double *score_b);

/* The share of a in the frags of a duel, 0.5 for 0 : 0; between 0 and 1. */
extern double frag_share(double score_a, double score_b);

/* The share that is expected at a difference of ratings. */
extern double frag_win_share(double difference, double scale, double log_odds);

/*
 * What a gains in a duel of that score, and b loses, before any floor.  difference
 * is the rating of a less that of b.
 */
extern double frag_duel(const FragRules *rules, double difference,
						double score_a, double score_b);

/*
 * What a player gains who is alone in a score: a suicide (negative) is a duel
 * lost against an equal, a point (positive) one that is won.
 */
extern double frag_alone(const FragRules *rules, double score);

/* The rating after a change, which no floor lifts and none lets fall through. */
extern double frag_apply(const FragRules *rules, double rating,
						  double change);

/* A rating after days without a match, which loses rate a day down to a floor. */
extern double frag_decayed(double rating, double days, double rate,
						   double decay_floor);

#endif							/* CORE_MODELS_FRAG_H */
