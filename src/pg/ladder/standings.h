/*
 * standings.h
 *		How the seasons of a ladder have ended.
 *
 * Table standing has the players of each season that has ended, with their ratings at its end
 * and the numbers of their matches in it, for season_table() and its like.  It is made of the
 * events, which it must follow: whoever writes events of an operation, or writes or moves any
 * that come before the end of a season, has it renewed in the same transaction.  Those who rate
 * write events behind all ends of seasons, and need not.
 */
#ifndef PG_LADDER_STANDINGS_H
#define PG_LADDER_STANDINGS_H

#include "pg/ladder/ladder.h"

/*
 * Bring the standings up to date after events from a place in the order on were written, or
 * moved; PG_INT64_MAX if none were.  It is this transaction's turn to maintain the ladder.
 */
extern void renew_standings(Ladder *ladder, int64 from);

#endif							/* PG_LADDER_STANDINGS_H */
