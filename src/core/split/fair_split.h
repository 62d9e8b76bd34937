/*
 * fair_split.h
 *		A split that a rating model, or without one the strength of teams, finds fair: who wins,
 *		and when it is even.
 */
#ifndef CORE_SPLIT_FAIR_SPLIT_H
#define CORE_SPLIT_FAIR_SPLIT_H

#include <math.h>

#include "core/split/lobby.h"

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
 * Draw which team is called 1, and so on, where numbers mean nothing: teams are in the order of the
 * lowest lot of their players.  The split has been forecast, and is forecast again.
 */
extern void draw_numbers(const Lobby *lobby, Split *split);

/*
 * Call a split unproven if the model finds its teams even at another difference than the one that
 * was sought: others may be more even then.
 */
extern void check_aim(const Lobby *lobby, Split *split);

/*
 * Split the lobby as is asked, and forecast the split, if one is found: with a model, of
 * two teams whichever is the larger one unless they are in order, as near to even odds as can
 * be found.
 */
extern void split_fairly(Lobby *lobby, const SplitRequest *request, Split *split);

/*
 * The same for teams of each of so many sizes, from the least on, in the work of one split, into
 * split[].  All sizes are one search; with a model, to which another difference may be even for
 * each size, or with commanders, who count by the number of players, each is one of its own.
 */
extern void split_every_size(const Lobby *lobby, int least, int nsizes, Split *split);

#endif							/* CORE_SPLIT_FAIR_SPLIT_H */
