/*
 * model_teams.h
 *		A lobby split into teams of which a rating model says that they are even.
 */
#ifndef PG_TEAMS_MODEL_TEAMS_H
#define PG_TEAMS_MODEL_TEAMS_H

#include "pg/matches/team_match.h"
#include "pg/teams/lobby_arguments.h"

/*
 * Read the model that an argument names, with everybody's state under it: ratings are
 * the first column, and deviations, side offsets and commanders those that have such
 * a role.  What a team is to the model is how the lobby is split.  Errors for what
 * the model has no column for, and for states that are not sound.
 */
extern void read_lobby_model(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
							 Lobby *lobby, TeamMatch *team_match);

/*
 * Split the lobby as the model has it, with the win probability of each team; of two
 * whichever is the larger one, as near to even odds as can be found.
 */
extern void split_by_model(Lobby *lobby, TeamMatch *team_match,
						   const SplitRequest *request, Split *split,
						   double *probability);

#endif							/* PG_TEAMS_MODEL_TEAMS_H */
