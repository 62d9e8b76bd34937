/*
 * batch.h
 *		Matches as they come from a ladder's source, and the players in them.
 */
#ifndef BATCH_H
#define BATCH_H

#include "glue.h"

#include "datatype/timestamp.h"
#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "ids.h"
#include "ladder.h"

/*
 * Where a model shares state columns among pools, the pool of the row that has
 * them; it is in no match.
 */
#define SHARED_POOL "*"

/* A player while a batch is rated. */
typedef struct BatchPlayer
{
	Datum		id;
	const char *pool;
	struct BatchPlayer *shared; /* the player's row in SHARED_POOL, or NULL */
	double	   *state;			/* model->nstate numbers */
	int64		games;
	int64		wins;
	int64		draws;
	int64		losses;
	TimestampTz last_played;	/* DT_NOBEGIN if never */
	bool		wanted;			/* batch_load() is to load it */
	bool		known;			/* has a row in rating */
	bool		played;			/* in a match of this batch */
	uint64		match;			/* number of the last match seen in, */
	int			slot;			/* and the index there */
} BatchPlayer;

/* One match of a source. */
typedef struct SourceMatch
{
	uint64		number;			/* 1, 2, ... as read, also after a rewind */
	Datum		id;
	TimestampTz played_at;
	char	   *pool;
	double		log_odds;
	double		gain;
	char	   *unrated_reason; /* or NULL */
	int64		digest;			/* of all that is in it */
	int64		seq;			/* QUERY_READ_RATED only, */
	int64		rated_digest;	/* with the digest when it was rated */
	int			n;
	Participant *participant;
	Datum	   *player_id;
	int			max;			/* room in both arrays */
} SourceMatch;

/*
 * Reads matches, one after another, from a tuplestore with the columns of
 * QUERY_READ or QUERY_READ_RATED.
 */
typedef struct MatchReader
{
	Ladder	   *ladder;
	Tuplestorestate *rows;
	TupleTableSlot *slot;
	bool		have_row;
	bool		anonymous;		/* one match without an identifier */
	MemoryContext context;		/* of the current match's ids and texts */
	SourceMatch match;
} MatchReader;

/*
 * Run QUERY_READ, QUERY_READ_ARRAYS or QUERY_READ_RATED into a tuplestore, and
 * set a reader to its beginning; reader_rewind() does so again.
 */
extern MatchReader *reader_open(Ladder *ladder, LadderQuery query,
								const Datum *values, const bool *nulls);
extern bool reader_next(MatchReader *reader);
extern void reader_rewind(MatchReader *reader);
extern void reader_close(MatchReader *reader);

/* The players of a batch, and the match that is being rated. */
typedef struct Batch
{
	Ladder	   *ladder;
	MemoryContext context;
	IdTable    *players;
	bool		shares;			/* see Model.shares */
	double		initial[MODEL_MAX_STATE];

	/* The current match: room for max of each. */
	Match		match;
	BatchPlayer **player;		/* by index into match.player */
	double	   *before;
	double	   *after;
	int			max;
} Batch;

extern Batch *batch_create(Ladder *ladder);

/* A player of the batch; a new one starts from the initial state. */
extern BatchPlayer *batch_player(Batch *batch, Datum id, const char *pool);

/*
 * Build batch->match from a source match; *offender is the participant that a
 * mistake shows in.  The source's unrated_reason is the caller's to look at.
 */
extern MatchStatus batch_build(Batch *batch, SourceMatch *source,
							   int *offender);

/* Report the status of a match, as batch_build() gave it, as an error. */
pg_noreturn extern void batch_report(Batch *batch, SourceMatch *source,
									 MatchStatus status, int offender);

/* Rate batch->match, which was built, from the states of its players. */
extern MatchStatus batch_rate(Batch *batch, SourceMatch *source);

/* Make the states after those of the players, and count the match. */
extern void batch_commit(Batch *batch, SourceMatch *source);

/* The players of the match that was built are wanted. */
extern void batch_want(Batch *batch);

/*
 * Load the states of the players that are wanted.  To lock them also makes
 * rows for those who have none: first these, then the locks, each in the order
 * of the identifiers, so that batches that overlap never deadlock.
 */
extern void batch_load(Batch *batch, bool lock);

/* A player's result in the current match: 1 won, 0.5 drew, 0 lost. */
extern double batch_score(Batch *batch, int player);

#endif							/* BATCH_H */
