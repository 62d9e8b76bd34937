/*
 * fair_split.h
 *		A split that a rating model, or without one the strength of teams, finds fair: who wins,
 *		and when it is even.
 */
#ifndef CORE_SPLIT_FAIR_SPLIT_H
#define CORE_SPLIT_FAIR_SPLIT_H

#include <math.h>

#include "core/split/lobby.h"

/* A split is found again for another even difference at most so often. */
#define MAX_AIMS 8

/*
 * The probability of each of these teams (by player) to win, as split->win: by the model, or
 * without one by the strengths of teams.  With weights the difference is restated.
 */
extern void forecast_split(const Lobby *lobby, const int *team, const int *commander,
						   Split *split);

/* How far the first of two teams is from an even chance. */
static inline double
split_unfairness(const Split *split)
{
	return fabs(split->win[0] - 0.5);
}

/*
 * Aim at the difference, as searches have it, at which the model finds these two teams
 * even, if that is another one than lobby->even_difference; false if it is not.  The
 * split has the difference of these teams, and their forecast.
 */
extern bool aim_by_model(Lobby *lobby, const int *team, const int *commander,
						 const Split *split);

/* Finds a split into two teams for lobby->even_difference, unless there is none. */
typedef void (*SplitFinder) (Lobby *lobby, const void *argument, Split *split);

/*
 * Find a split, and its forecast.  What the model takes for even may be another difference in
 * another split, so that is aimed at until the split is the same; what was aimed at for the
 * best one stays in lobby->even_difference.
 */
extern void aim_at_even(Lobby *lobby, SplitFinder find, const void *argument, Split *split);

/*
 * Split the lobby as is asked, and forecast the split, if one is found: with a model, of
 * two teams whichever is the larger one, as near to even odds as can be found.
 */
extern void split_fairly(Lobby *lobby, const SplitRequest *request, Split *split);

/*
 * The same for teams of each of so many sizes, from the least on, in the work of one split, into
 * split[].  All sizes are one search; with a model, to which another difference may be even for
 * each size, or with commanders, who count by the number of players, each is one of its own.
 */
extern void split_every_size(const Lobby *lobby, int least, int nsizes, Split *split);

#endif							/* CORE_SPLIT_FAIR_SPLIT_H */
