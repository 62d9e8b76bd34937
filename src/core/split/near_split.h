/*
 * near_split.h
 *		The choice among splits into two teams that are about as even as the best one.
 */
#ifndef CORE_SPLIT_NEAR_SPLIT_H
#define CORE_SPLIT_NEAR_SPLIT_H

#include "core/split/lobby.h"

/*
 * Replace the most even split by the one within the tolerance that moves the fewest
 * players, and has the best secondary objective, where either is asked for.
 */
extern void choose_near_split(const Lobby *lobby, const SplitRequest *request,
							  Split *split);

#endif							/* CORE_SPLIT_NEAR_SPLIT_H */
