/*
 * player_rows.h
 *		Rows of rating, found and locked without a query; see direct.h.
 */
#ifndef PG_LADDER_PLAYER_ROWS_H
#define PG_LADDER_PLAYER_ROWS_H

#include "pg/ladder/ladder.h"

#include "pg/matches/batch.h"

/* Access to the rows of a ladder, by the index of its primary key. */
typedef struct PlayerRows PlayerRows;

/* NULL if the ladder is not plain, or has no such index: then queries are the way. */
extern PlayerRows *player_rows_open(Ladder *ladder);
extern void player_rows_close(PlayerRows *rows);

/*
 * Note where the rows of n players are (place), of those who have one; returns how many
 * have.  They are the rows that a query would see now.
 */
extern int	player_rows_find(PlayerRows *rows, BatchPlayer **player, int n);

/*
 * The same of all players of a batch who have no place, in whichever way costs least: by the
 * index, or by reading the table from one end to the other.
 */
extern void player_rows_find_all(PlayerRows *rows, Batch *batch);

/*
 * Lock the rows that were found, FOR NO KEY UPDATE, and read them: in the order given,
 * which is the same for everybody.  Returns how many were, which is less if one has gone
 * meanwhile.  Error 40001 if one was updated since the snapshot of a transaction above READ
 * COMMITTED.
 */
extern int	player_rows_lock(PlayerRows *rows, BatchPlayer **player, int n);

/*
 * Takes the columns of columns.h of the row of a player, or found = false, all of them null,
 * for a player without one.
 */
typedef void (*TakeRow) (Batch *batch, BatchPlayer *player, bool found, const Datum *values,
						 const bool *nulls);

/*
 * Read the rows of n players as the active snapshot has them, and note where they are.  A row
 * that was seen somewhere in this transaction is followed from there, version by version; an
 * index would lead to all versions since the transaction began, which nobody can remove yet.
 * What take gets is gone with the next row.
 */
extern void player_rows_refresh(PlayerRows *rows, BatchPlayer **player, int n, TakeRow take,
								Batch *batch);

/*
 * Take over a row of rating, with the columns of columns.h, as what a player has.  Error
 * 22004 if a column is null that must not be.
 */
extern void take_rating(const Model *model, BatchPlayer *player, const Datum *values,
						const bool *nulls);

/* Error 22004: a column of rating is null that must not be. */
pg_noreturn extern void null_in_rating(const char *column);

#endif							/* PG_LADDER_PLAYER_ROWS_H */
