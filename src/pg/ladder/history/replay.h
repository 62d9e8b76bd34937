/*
 * replay.h
 *		Rating the history of a ladder again, from some place in its order on,
 *		beside the events that are there.
 */
#ifndef PG_LADDER_HISTORY_REPLAY_H
#define PG_LADDER_HISTORY_REPLAY_H

#include "pg/sql/glue.h"

#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/past.h"
#include "pg/ladder/rate/states.h"

/*
 * The place of the first match that there can be.  Where the ladder has a horizon, a replay from
 * the start begins behind it, with everybody as they were there.
 */
#define REPLAY_START PG_INT64_MIN

/* How a stored event compares with what the replay gives. */
typedef enum EventVerdict
{
	EVENT_SAME,
	EVENT_DIFFERS,
	EVENT_MISSING,				/* not stored */
	EVENT_SURPLUS				/* stored, and nothing gives it */
} EventVerdict;

/* A row of event, of a player, or of component_event, of a component. */
typedef struct ReplayedEvent
{
	EventVerdict verdict;
	RowsOf		of;
	const EventRow *row;		/* what comes out, or NULL if surplus */
	RowReader  *stored;			/* has the row that is stored, or NULL */
} ReplayedEvent;

typedef struct Replay Replay;

/* What is done with what comes out. */
typedef struct ReplaySink
{
	void		(*event) (struct ReplaySink *sink, Replay *replay, const ReplayedEvent *event);

	/* A match that has a place in the order; the source may have it no more. */
	void		(*match) (struct ReplaySink *sink, Replay *replay,
						  const SourceMatch *source, Verdict verdict,
						  const Unrated *why);
} ReplaySink;

/*
 * Which players start from where they were, with their rows of rating in stored.
 */
typedef enum ReplayPlayers
{
	REPLAY_KNOWN_PLAYERS,		/* whoever, and whichever component, has
								 * stored events in what is replayed or is met
								 * there; operations on everybody must have
								 * theirs */
	REPLAY_ALL_PLAYERS			/* everybody, also those whom an operation is
								 * to change for the first time */
} ReplayPlayers;

struct Replay
{
	Ladder	   *ladder;
	Batch	   *batch;
	int64		from;			/* the place where it begins, */
	int64		next;			/* and the one where it goes on */
	bool		whole;			/* from the start, or from the horizon */
	ReplayPlayers loads;
};

/*
 * Replay a ladder from a seq on, at once or in parts between which others may rate.
 * replay_begin() loads the players, who are then in replay->batch, and each replay_on() goes on
 * to the end of what its queries see, which must be complete: no place before the last that it
 * has met may come to be taken later.  What is replayed is not looked at again.  Errors: 55000
 * for a place before the horizon, and if events before the place are gone.
 *
 * replay_refresh() comes before each part but the first: it reads the rows again of those
 * who have stored events in it, which others have written, and loads those of them who were
 * not there before.
 */
extern Replay *replay_begin(Ladder *ladder, int64 from, ReplayPlayers load);
extern void replay_on(Replay *replay, ReplaySink *sink);
extern void replay_refresh(Replay *replay);

/*
 * In place of replay_begin(): replay a new operation, the last one in the order, on n players or
 * on all, from where the tables have them.  It goes on behind the operation.
 */
extern Replay *replay_new_operation(Ladder *ladder, const LadderOperation *operation, int n,
									ReplaySink *sink);

/*
 * For replay.c: load all who have stored events in what is replayed, which is most of those who will
 * be met, or everybody, as replay->loads says; and those of n players who are not loaded, with what
 * pools share of them.  Error 55000 if events before the replay are gone.
 */
extern void players_load_replayed(Replay *replay);
extern void players_load_some(Replay *replay, BatchPlayer **player, int n);

/* The last place that something in the order has taken. */
extern int64 last_place(Ladder *ladder);

#endif							/* PG_LADDER_HISTORY_REPLAY_H */
