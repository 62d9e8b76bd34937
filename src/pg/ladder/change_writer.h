/*
 * change_writer.h
 *		Telling readers of changes, and who counts players, what work does to table rating.
 *
 * Whatever writes rows of rating in C tells a writer, which passes it on to the ladder's hook
 * for ranks (ranks/hook.h), if it has one, and to table change.
 *
 * A ladder that keeps its changes (keep_changes()) has a table change, to which every
 * piece of work appends what it did to rows of rating: one row for up to
 * MAX_ROW_CHANGES of them.  changes() reads it.  All calls happen between taking the
 * locks on the rows of rating and the end of the transaction, so that the numbers that
 * rows of change draw are, for each row of rating, in the order in which it changed.
 */
#ifndef PG_LADDER_CHANGE_WRITER_H
#define PG_LADDER_CHANGE_WRITER_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"
#include "pg/matches/batch.h"

/*
 * The parts that arrays of change have for each row of rating.  SQL that writes such
 * rows (put_changes()) has the same.
 */
enum
{
	CHANGE_GAMES_BEFORE,		/* -1: there was no row */
	CHANGE_GAMES,				/* -1: there is none any more */
	CHANGE_WINS,
	CHANGE_DRAWS,
	CHANGE_LOSSES,
	CHANGE_NCOUNTS
};

enum
{
	CHANGE_LAST_PLAYED,			/* -infinity: null in rating */
	CHANGE_AS_OF,
	CHANGE_NTIMES
};

enum
{
	CHANGE_RATING_BEFORE,		/* displayed */
	CHANGE_RATING,
	CHANGE_FIRST_STATE			/* from here on the state columns */
};

/* What a row of rating was before a batch, and why it changes. */
typedef struct ChangeNote
{
	bool		exists;
	double		rating;			/* displayed */
	int64		games;
	TimestampTz last_played;
	bool		has_match;
	Datum		match_id;		/* the last match of the batch that changed it */
} ChangeNote;

typedef struct ChangeWriter ChangeWriter;

/*
 * A writer for one piece of work, in the current context; NULL if the ladder keeps neither
 * changes nor counts, which all functions below take for nothing to do.  kind is the word for what
 * the work is, operation its number in table operation or NULL.
 */
extern ChangeWriter *change_writer_begin(Ladder *ladder, const char *kind,
										 const int64 *operation);

/* Before a batch rates: note what the players that it has loaded are. */
extern void change_writer_note(ChangeWriter *writer, Batch *batch);

/* After batch_commit(): note the match for its players. */
extern void change_writer_note_match(ChangeWriter *writer, Batch *batch);

/* A player that was noted now has the state and record that the batch has. */
extern void change_writer_put(ChangeWriter *writer, const BatchPlayer *player);

/*
 * The same without a note: before it had this, or record and state NULL if there was no
 * row.  player->exists says whether there is one now.
 */
extern void change_writer_put_row(ChangeWriter *writer, const BatchPlayer *player,
								  const PlayerRecord *record, const double *state);

/*
 * Write what was put so far: its identifiers need not stay in place after that.  Runs a
 * query, so that SPI_tuptable changes.
 */
extern void change_writer_flush(ChangeWriter *writer);

/* Write the rest, and free the writer. */
extern void change_writer_end(ChangeWriter *writer);

/*
 * What rows of a table change begin with that this server wrote in this table.  Those
 * that a dump has brought, or logical replication, have another: their transactions
 * mean nothing here.
 */
extern int64 change_origin(Oid relid);

#endif							/* PG_LADDER_CHANGE_WRITER_H */
