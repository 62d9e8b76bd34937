/*
 * replay.h
 *		Rating the history of a ladder again, from some place in its order on,
 *		beside the events that are there.
 */
#ifndef PG_LADDER_REPLAY_H
#define PG_LADDER_REPLAY_H

#include "pg/sql/glue.h"

#include "pg/ladder/match_reader.h"
#include "pg/ladder/past_meetings.h"
#include "pg/ladder/states.h"

/* The place of the first match that there can be. */
#define REPLAY_START PG_INT64_MIN

/* A row of rating as it was found, for players who are loaded. */
typedef struct PlayerRow
{
	bool		found;
	PlayerRecord record;
	double		state[FLEXIBLE_ARRAY_MEMBER];
} PlayerRow;

/* How a stored event compares with what the replay gives. */
typedef enum EventVerdict
{
	EVENT_SAME,
	EVENT_DIFFERS,
	EVENT_MISSING,				/* not stored */
	EVENT_SURPLUS				/* stored, and nothing gives it */
} EventVerdict;

typedef struct Replay Replay;

/* What is done with what comes out. */
typedef struct ReplaySink
{
	/*
	 * An event; row is NULL for a surplus one, and the stored row is in
	 * stored->slot unless it is missing.
	 */
	void		(*event) (struct ReplaySink *sink, Replay *replay,
						  EventVerdict verdict, const EventRow *row,
						  RowReader *stored);

	/* The same of a component. */
	void		(*component) (struct ReplaySink *sink, Replay *replay,
							  EventVerdict verdict, const ComponentRow *row,
							  RowReader *stored);

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
	REPLAY_NEW_PLAYERS,			/* nobody, in a replay from REPLAY_START */
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
	int64		from;
	ReplayPlayers loads;
	bool		remembers;		/* forgets no meetings */
	MeetingHorizon horizon;		/* stale at the end: see replay_run() */
};

/*
 * Replay a ladder from a seq on.  The players are then in replay->batch.
 *
 * Where rules look back on matches with the same opponents, players forget those that no
 * match to come asks for by the times that the ladder knows.  If the source has other
 * times, and no trigger has said so, the horizon is stale at the end; with remember the
 * replay forgets nothing.
 */
extern Replay *replay_run(Ladder *ladder, int64 from, ReplayPlayers load,
						  bool remember, ReplaySink *sink);

#endif							/* PG_LADDER_REPLAY_H */
