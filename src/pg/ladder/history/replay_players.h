/*
 * replay_players.h
 *		The players in a replay: as they were where it begins, with their rows of rating
 *		beside that.
 */
#ifndef PG_LADDER_HISTORY_REPLAY_PLAYERS_H
#define PG_LADDER_HISTORY_REPLAY_PLAYERS_H

#include "pg/ladder/history/replay.h"

/*
 * Load all who have stored events in what is replayed, which is most of those who will be
 * met; or everybody, as replay->loads says.  Error 55000 if events before the replay are gone.
 */
extern void players_load_replayed(Replay *replay);

/* Load those of n players who are not, and what pools share of them.  Errors: as above. */
extern void players_load_some(Replay *replay, BatchPlayer **player, int n);


#endif							/* PG_LADDER_HISTORY_REPLAY_PLAYERS_H */
