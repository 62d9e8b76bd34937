/*
 * priority.h
 *		A lobby split so that the players with the highest priority play.
 */
#ifndef CORE_SPLIT_PRIORITY_H
#define CORE_SPLIT_PRIORITY_H

#include "core/split/lobby.h"

/*
 * Split a lobby into the teams of a request; where the lobby has priorities, those with
 * the highest play.  Changes lobby->allowed_teams; locked_teams stays.
 */
extern void split_with_priority(Lobby *lobby, const SplitRequest *request,
								Split *split);

#endif							/* CORE_SPLIT_PRIORITY_H */
