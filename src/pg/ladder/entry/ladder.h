/*
 * ladder.h
 *		Ladders, as all rooms of this folder know them.
 *
 * A ladder is a schema of ordinary tables with fixed names, owned by whoever
 * created it (docs/architecture.md).  Whatever touches one enters it first, see
 * entry.h.
 */
#ifndef PG_LADDER_ENTRY_LADDER_H
#define PG_LADDER_ENTRY_LADDER_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "pg/matches/source.h"

/* In place of a horizon, where all of a ladder's history can be replayed. */
#define NO_HORIZON PG_INT64_MIN

/* The relations of a ladder, by their fixed names. */
typedef enum LadderRelation
{
	LADDER_CONFIG,
	LADDER_RATING,
	LADDER_EVENT,
	LADDER_COMPONENT,
	LADDER_COMPONENT_EVENT,
	LADDER_RATED_MATCH,
	LADDER_PENDING,
	LADDER_CORRECTION,
	LADDER_OPERATION,
	LADDER_SOURCE,
	LADDER_ATTACHED,
	LADDER_EVENT_SEQ,
	LADDER_MATCH,				/* from here on where matches are its own */
	LADDER_MATCH_PLAYER,
	LADDER_HORIZON,				/* where its history begins at a horizon: what */
	LADDER_COMPONENT_HORIZON,	/* players and components were there */
	LADDER_STANDING,			/* how its seasons have ended, once one has */
	LADDER_RATING_COUNT,		/* where the ladder counts players by their */
	LADDER_RATING_COUNT_DELTA,	/* ratings, see ranks/hook.h */
	LADDER_NRELATIONS
} LadderRelation;

/* Relations that every ladder has come first. */
#define LADDER_NREQUIRED LADDER_MATCH

/* When the matches that a statement touched are rated. */
typedef enum ApplyAt
{
	APPLY_AT_COMMIT,
	APPLY_AT_STATEMENT,
	APPLY_AT_CATCH_UP			/* "manual" */
} ApplyAt;

/* How far work has got on a ladder that was entered; all copies of it, and callers further in, see that. */
typedef struct LadderState
{
	bool		pinned;			/* the settings are those for its work */
	bool		ending;			/* its own work is done */
	bool		states_taken;	/* see ladder_take_states() */
	bool		hidden_from_mirrors;	/* rows come into table rating and leave
										 * it that are room for players who
										 * have not been rated, and that no
										 * mirror is to know of; an error that
										 * ends the work ends this as well */
} LadderState;

/*
 * A ladder that is open.  What ladder_begin() returns is on the stack of ladders entered;
 * work on it in C has a copy, with the row of the ladder, from ladder_open().
 */
typedef struct Ladder
{
	char	   *name;			/* schema */
	Oid			schema;
	Oid			owner;
	Oid			relation[LADDER_NRELATIONS];	/* invalid where there is none */
	IdType	   *player_type;
	IdType	   *match_type;
	struct EntryFrame *frame;
	bool		bears_owners;	/* does not look whose its relations are */
	LadderState *state;			/* in the frame */
	Oid			caller;			/* who has entered it, and gets what the work
								 * returns */
	bool		nested;			/* some ladder had been entered before */
	bool		concurrent;		/* others may rate while the work goes on, until
								 * ladder_hold(); not a ladder that the
								 * transaction has made */
	MemoryContext context;		/* of its work: that of the frame, or the
								 * copy's */

	/* Of a copy only. */
	const Model *model;
	ParamValue *params;
	SourceColumns unused;		/* of no use to the model */
	ApplyAt		apply_at;
	bool		reorders;		/* late = 'reorder' */
	bool		strict;			/* a mistake in a match is an error */
	bool		raises;			/* errors that are not about data, too */
	bool		filters_known;	/* ladder_has_filters() was asked, */
	bool		filters;		/* and said so */
	int64		horizon;		/* the last place that is no history any more,
								 * or NO_HORIZON */
	TimestampTz horizon_at;		/* matches from that time on are behind it */
	bool		read_only;		/* one snapshot for all queries */
	bool		large;			/* plan for many rows */
	int			guc_level;		/* of the settings for its work */
	struct ChangeLog *changes;	/* where work that writes ratings logs them,
								 * or NULL */
	struct LadderCache *cache;	/* what the session keeps of it */
} Ladder;

/* Rows of table operation that change which matches and players count, for the reader. */
#define OPERATION_FILTERS "kind IN ('exclude', 'merge', 'eligibility') AND undone_at IS NULL"

/* Those that change states, and so have a place among the matches. */
#define OPERATION_CHANGES_STATES \
	"kind IN ('season', 'decay', 'set', 'seed', 'settle', 'reset', 'refund', 'fix', 'unfix') AND undone_at IS NULL"

/*
 * A row r of rating whose player has events in its pool, or had some before the horizon; in any pool if the row is
 * that of what pools share, which events in all of them change.  $1 is the pool of
 * such rows, null under a model without; see batch_shared_pool().
 */
#define RATING_HAS_EVENTS \
	"EXISTS (SELECT FROM {event} AS e WHERE e.player_id {player =} r.player_id " \
	"AND (e.pool OPERATOR(pg_catalog.=) r.pool OR r.pool OPERATOR(pg_catalog.=) $1)) " \
	"OR EXISTS (SELECT FROM {horizon} AS h WHERE h.player_id {player =} r.player_id " \
	"AND h.pool OPERATOR(pg_catalog.=) r.pool)"

#endif							/* PG_LADDER_ENTRY_LADDER_H */
