/*
 * ladder.h
 *		Ladders: their tables, and the queries on them.
 *
 * A ladder is a schema of ordinary tables with fixed names, owned by whoever
 * created it (docs/architecture.md).  Whatever touches one opens it first.
 */
#ifndef LADDER_H
#define LADDER_H

#include "pg/sql/glue.h"

#include "executor/spi.h"
#include "storage/lockdefs.h"

#include "pg/matches/source.h"
#include "pg/sql/ids.h"

/* The relations of a ladder, by their fixed names. */
typedef enum LadderRelation
{
	LADDER_CONFIG,
	LADDER_RATING,
	LADDER_EVENT,
	LADDER_RATED_MATCH,
	LADDER_PENDING,
	LADDER_CORRECTION,
	LADDER_OPERATION,
	LADDER_SOURCE,
	LADDER_ATTACHED,
	LADDER_EVENT_SEQ,
	LADDER_NRELATIONS
} LadderRelation;

/* The queries on a ladder; ladder.c has their texts. */
typedef enum LadderQuery
{
	QUERY_CONFIG,				/* the ladder's row */
	QUERY_ATTACHED,				/* where an attached table has match ids */
	QUERY_COLLECT,				/* ids into pending */
	QUERY_DRAIN,				/* this transaction's ids out of pending */
	QUERY_DRAIN_ALL,			/* all ids out of pending */
	QUERY_FILTERS,				/* players who are excluded or merged */
	QUERY_READ_OPERATIONS,		/* what is done to states, in order */
	QUERY_CORRECT,				/* what is out of date, from where */
	QUERY_LAST_OPERATION,		/* when the latest operation was */
	QUERY_PLAYED_AT_LEAST,		/* a row if a match was played then or later */
	QUERY_TIED,					/* a row if a match at the same time goes
								 * behind */
	QUERY_RESEQUENCE,			/* put everything in the order of time */
	QUERY_TAKE_CORRECTIONS,		/* the same, out of the table */
	QUERY_READ,					/* participants of matches, from the source */
	QUERY_READ_ARRAYS,			/* the same columns, from arrays */
	QUERY_READ_RATED,			/* participants in rated order, from a seq on */
	QUERY_NEW_PLAYERS,			/* rows for players who have none */
	QUERY_LOCK_PLAYERS,			/* states of players, locked */
	QUERY_PEEK_PLAYERS,			/* states of players, not locked */
	QUERY_ALL_PLAYERS,			/* states of all players */
	QUERY_PLAYED,				/* states of all players who have events */
	QUERY_PLAYERS_AT,			/* players with events from a seq on, before
								 * it */
	QUERY_SOME_PLAYERS_AT,		/* the same of players given */
	QUERY_SHARED_AT,			/* the same of what pools share */
	QUERY_RATED,				/* what is known of matches */
	QUERY_UNPLACED,				/* matches of the source not in the order */
	QUERY_DELETE_UNPLAYED,		/* ratings of players without events */
	QUERY_FORGET_UNRATED,		/* unrated matches that vanished */
	QUERY_FORGET_MATCHES,		/* matches that are gone for good */
	QUERY_INSERT_EVENTS,
	QUERY_UPDATE_EVENTS,
	QUERY_DELETE_EVENTS,
	QUERY_INSERT_RATED,
	QUERY_UPDATE_RATED,
	QUERY_INSERT_RATINGS,
	QUERY_UPDATE_RATINGS,
	QUERY_DELETE_RATINGS,
	QUERY_READ_EVENTS,			/* events in rated order, from a seq on */
	QUERY_MATCH_EVENTS,			/* events of one match */
	QUERY_COUNTS,				/* matches not looked at, looked at,
								 * corrections */
	QUERY_INSERT_MATCH,
	QUERY_UPDATE_MATCH,
	QUERY_DELETE_PARTICIPANTS,
	QUERY_INSERT_PARTICIPANTS,
	LADDER_NQUERIES
} LadderQuery;

/*
 * The ephemeral relations through which batches are written, see apply.c: what
 * is in a row, apart from the state columns.
 */
#define BATCH_EVENT			"batch_event"
#define BATCH_MATCH			"batch_match"
#define BATCH_RATING		"batch_rating"

/* When the matches that a statement touched are rated. */
typedef enum ApplyAt
{
	APPLY_AT_COMMIT,
	APPLY_AT_STATEMENT,
	APPLY_AT_CATCH_UP			/* "manual" */
} ApplyAt;

typedef struct LadderCache LadderCache;

typedef struct Ladder
{
	char	   *name;			/* schema */
	Oid			schema;
	Oid			owner;
	Oid			relation[LADDER_NRELATIONS];
	IdType	   *player_type;
	IdType	   *match_type;
	const Model *model;
	ParamValue *params;
	ApplyAt		apply_at;
	bool		reorders;		/* late = 'reorder' */
	bool		filters;		/* some players are excluded or merged */
	bool		read_only;		/* one snapshot for all queries */
	bool		large;			/* plan for many rows */
	LadderCache *cache;
} Ladder;

/*
 * Open the ladder in a schema, with a lock on it that lasts to the end of the
 * transaction: AccessShareLock to read or to note down, RowShareLock to rate,
 * ExclusiveLock to change history.  SPI must be connected.  Errors if there is
 * no ladder or its tables are not in order.
 */
extern Ladder *ladder_open(Oid schema, LOCKMODE lockmode);

/* The schema of the ladder of that name; an error if there is none. */
extern Oid	ladder_schema(const char *name);

/* Whose rights work on a ladder takes. */
typedef enum LadderRights
{
	RIGHTS_OF_OWNER,			/* triggers, as foreign keys do */
	RIGHTS_OF_CALLER,
	RIGHTS_OF_MEMBER			/* the owner's if the caller has them anyway */
} LadderRights;

/*
 * The rights and settings, which the caller cannot bend, of a ladder's work.
 * leave() undoes enter(); an error in between undoes it too.
 */
typedef struct LadderScope
{
	Oid			user;
	int			security_context;
	int			guc_level;
} LadderScope;

extern void ladder_enter(Ladder *ladder, LadderRights rights,
						 LadderScope *scope);
extern void ladder_leave(const LadderScope *scope);

/* From here to leave(), plan each query for many rows, by their number. */
extern void ladder_expect_many(Ladder *ladder);

/* The same, with the memory of a maintenance command. */
extern void ladder_maintain(Ladder *ladder);

/* The most parameters of a query. */
#define LADDER_MAX_ARGS 20

/*
 * Run a query with the values of its parameters (nulls may be NULL).  Its rows
 * go to dest, or to SPI_tuptable if dest is NULL.
 * Returns how many were processed.
 */
extern uint64 ladder_execute(Ladder *ladder, LadderQuery query,
							 const Datum *values, const bool *nulls,
							 DestReceiver *dest);

/* Open a cursor on a query that returns rows. */
extern Portal ladder_cursor(Ladder *ladder, LadderQuery query,
							const Datum *values);

/*
 * What report_match and preview take as optional arrays, in the order of the
 * parameters of QUERY_READ_ARRAYS and QUERY_INSERT_PARTICIPANTS.
 */
typedef enum LadderArray
{
	ARRAY_RANK,
	ARRAY_WEIGHT,
	ARRAY_JOINED,
	ARRAY_LEFT,
	ARRAY_COMMANDING,
	ARRAY_SIDE,
	ARRAY_SCORE,
	ARRAY_SQUAD,				/* from here on an element may be null */
	ARRAY_KILLS,
	ARRAY_DEATHS,
	ARRAY_QUIT,
	ARRAY_EXPERIENCE,
	LADDER_NARRAYS
} LadderArray;

/* What such an array is called. */
extern const char *ladder_array_name(LadderArray array);

/*
 * The columns of an event in queries, from 1; behind them each state column
 * before and after the match.
 */
typedef enum EventColumn
{
	EVENT_SEQ = 1,
	EVENT_MATCH_ID,
	EVENT_PLAYER_ID,
	EVENT_POOL,
	EVENT_KIND,
	EVENT_TEAM,
	EVENT_GAMES,				/* before */
	EVENT_PLAYED_AT,
	EVENT_LAST_PLAYED,			/* before */
	EVENT_SCORE,
	EVENT_WIN_PROBABILITY,
	EVENT_REASON,
	EVENT_NCOLUMNS = EVENT_REASON
} EventColumn;

#define EVENT_BEFORE(state) (EVENT_NCOLUMNS + 1 + 2 * (state))
#define EVENT_AFTER(state) (EVENT_NCOLUMNS + 2 + 2 * (state))

/* Descriptors of the ephemeral relations, in the current context. */
extern TupleDesc ladder_event_desc(const Ladder *ladder);
extern TupleDesc ladder_match_desc(const Ladder *ladder);
extern TupleDesc ladder_rating_desc(const Ladder *ladder);

#endif							/* LADDER_H */
