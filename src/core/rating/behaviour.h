/*
 * behaviour.h
 *		How well a player behaves, from reports, commends and quits.
 *
 * A game is evidence of good conduct, and so is a commend; a report and a quit are
 * evidence of bad conduct.  The score is the mean of a Beta distribution: the share of
 * good evidence, the prior included.  Evidence halves in a number of days and of games, so
 * that a player who behaves is forgiven.
 */
#ifndef CORE_RATING_BEHAVIOUR_H
#define CORE_RATING_BEHAVIOUR_H

#include "core/rating/params.h"

/* The evidence about a player, without the prior; all 0 to begin with. */
typedef struct Behaviour
{
	double		good;
	double		bad;
} Behaviour;

/* Its parameters. */
extern const ParamSet behaviour_params;

/* Let time pass, in seconds, at least 0: evidence loses weight. */
extern void behaviour_age(const ParamValue *params, Behaviour *behaviour, double seconds);

/*
 * Add a game.  Reports and commends are sums of the weights of those who made them, quits
 * is 1 for a player who left, or any weight in between; all finite and not negative.
 */
extern void behaviour_add_game(const ParamValue *params, Behaviour *behaviour,
							   double reports, double commends, double quits);

/* The score, above 0 and below 1; 1 is the best. */
extern double behaviour_score(const ParamValue *params, const Behaviour *behaviour);

#endif							/* CORE_RATING_BEHAVIOUR_H */
