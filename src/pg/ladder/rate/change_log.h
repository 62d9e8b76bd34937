/*
 * change_log.h
 *		What a piece of work changes in table rating, for the caller who asked for it.
 *
 * Work in several steps, as that of catch_up(), may write a row more than once.  The log
 * keeps the row as it was before the first step and as it is after the last one.
 */
#ifndef PG_LADDER_RATE_CHANGE_LOG_H
#define PG_LADDER_RATE_CHANGE_LOG_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/batch.h"

typedef struct ChangeLog ChangeLog;

/* An empty log, with its memory from the current context. */
extern ChangeLog *change_log_create(Ladder *ladder);

/* How much is logged; whoever takes work back goes back there. */
extern int64 change_log_length(const ChangeLog *log);
extern void change_log_truncate(ChangeLog *log, int64 length);

/*
 * The row of a player comes from what lies beside the player (states.h) to what the player has, or
 * goes.  Of several changes of a row, the first says what it was.
 */
extern void change_log_add(ChangeLog *log, const BatchPlayer *player, bool exists);

/*
 * Read the places of all rows that have changed from table rating as it is now: among
 * all who have played in the pool, as leaderboard() has them.  before: they are those
 * from before the work, which the caller has rolled back.  Runs a query: SPI is
 * connected.
 */
extern void change_log_read_places(ChangeLog *log, bool before);

/* Return the rows that have changed, as catch_up() does; places as far as read. */
extern void change_log_return(ChangeLog *log, FunctionCallInfo fcinfo);

#endif							/* PG_LADDER_RATE_CHANGE_LOG_H */
