/*
 * model_teams.h
 *		What a rating model, or without one the strength of teams, says of a split: who
 *		wins, and when it is even.
 */
#ifndef PG_TEAMS_MODEL_TEAMS_H
#define PG_TEAMS_MODEL_TEAMS_H

#include "pg/teams/lobby.h"

/* A split is found again for another even difference at most so often. */
#define MAX_AIMS 8

/*
 * The probability of each of these teams (by player) to win, as split->win: by the model,
 * with squads, weights, sides, commanders and handicap, to the bit what a match of these
 * states is rated with; without a model by the strengths of teams.  With weights the
 * difference is restated.
 */
extern void forecast_split(const Lobby *lobby, const int *team, const int *commander,
						   Split *split);

/*
 * The same of teams that are an answer, for players of a ladder: with contexts and clubs, and
 * without caution, which count in no search.
 */
extern void forecast_answer(const Lobby *lobby, const int *team, const int *commander,
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

/*
 * Split the lobby as is asked, and forecast the split, if one is found: with a model, of
 * two teams whichever is the larger one, as near to even odds as can be found.
 */
extern void split_fairly(Lobby *lobby, const SplitRequest *request, Split *split);

#endif							/* PG_TEAMS_MODEL_TEAMS_H */
