/*
 * chooser.h
 *		The split of a lobby that a request asks for, however many teams it has.
 */
#ifndef PG_TEAMS_CHOOSER_H
#define PG_TEAMS_CHOOSER_H

#include "pg/teams/lobby.h"

/* Split a lobby into the teams of a request; answer.found says whether that is possible. */
extern void split_lobby(const Lobby *lobby, const SplitRequest *request,
						Split *split);

/*
 * The same where many splits are tried: answer.team alone is left, in the caller's
 * context, and there is no problem.
 */
extern void try_split(const Lobby *lobby, const SplitRequest *request, Split *split);

#endif							/* PG_TEAMS_CHOOSER_H */
