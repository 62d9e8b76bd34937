/*
 * chooser.h
 *		The split of a lobby that a request asks for, however many teams it has.
 */
#ifndef CORE_SPLIT_CHOOSER_H
#define CORE_SPLIT_CHOOSER_H

#include "core/split/lobby.h"

/* Split a lobby into the teams of a request; answer.found says whether that is possible. */
extern void split_lobby(const Lobby *lobby, const SplitRequest *request,
						Split *split);

/*
 * The same where many splits are tried: answer.team alone is left, and there is no
 * problem.
 */
extern void try_split(const Lobby *lobby, const SplitRequest *request, Split *split);

#endif							/* CORE_SPLIT_CHOOSER_H */
