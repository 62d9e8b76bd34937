/*
 * replay_components.h
 *		The components in a replay: as they were where it begins, and what it makes of
 *		them beside what is stored.
 */
#ifndef PG_LADDER_REPLAY_COMPONENTS_H
#define PG_LADDER_REPLAY_COMPONENTS_H

#include "pg/ladder/component_states.h"
#include "pg/ladder/replay.h"

/*
 * Load components as they were where the replay begins: all that have stored events in what
 * is replayed, and with REPLAY_ALL_PLAYERS all others too; at REPLAY_START, where there are
 * none yet, only their rows of today.
 */
extern void components_load_replayed(Replay *replay);

/* The part of replay_refresh() for components. */
extern void components_refresh(Replay *replay);

/* Load those of the current match that are not. */
extern void components_load_match(Replay *replay);

#endif							/* PG_LADDER_REPLAY_COMPONENTS_H */
