/*
 * many_teams.h
 *		A lobby split into more than two teams, see split_many.h.
 */
#ifndef CORE_SPLIT_MANY_TEAMS_H
#define CORE_SPLIT_MANY_TEAMS_H

#include "core/split/lobby.h"

/* Split a lobby into the teams of a request; answer.found says whether that is possible. */
extern void split_into_many(const Lobby *lobby, const SplitRequest *request,
							Split *split);

#endif							/* CORE_SPLIT_MANY_TEAMS_H */
