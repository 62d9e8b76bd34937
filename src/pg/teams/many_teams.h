/*
 * many_teams.h
 *		A lobby split into more than two teams by the core (core/split/split_many.h).
 */
#ifndef PG_TEAMS_MANY_TEAMS_H
#define PG_TEAMS_MANY_TEAMS_H

#include "pg/teams/lobby.h"

/* Split a lobby into the teams of a request; answer.found says whether that is possible. */
extern void split_into_many(const Lobby *lobby, const SplitRequest *request,
							Split *split);

#endif							/* PG_TEAMS_MANY_TEAMS_H */
