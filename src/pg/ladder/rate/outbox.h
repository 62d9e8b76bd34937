/*
 * outbox.h
 *		Rows on their way into the tables of a ladder, many at once.
 */
#ifndef PG_LADDER_RATE_OUTBOX_H
#define PG_LADDER_RATE_OUTBOX_H

#include "pg/sql/glue.h"

#include "utils/tuplestore.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/ranks/hook.h"
#include "pg/matches/batch.h"

/* The statement that writes the rows of an outbox. */
typedef enum OutboxAction
{
	OUTBOX_INSERT,
	OUTBOX_UPDATE,
	OUTBOX_DELETE
} OutboxAction;

#define OUTBOX_NACTIONS (OUTBOX_DELETE + 1)

/* The table of the rows: those of a horizon are inserted only, and the ladder must have it. */
typedef enum OutboxKind
{
	OUTBOX_EVENTS,
	OUTBOX_MATCHES,				/* of rated_match, which take the place of
								 * existing ones */
	OUTBOX_RATINGS,
	OUTBOX_COMPONENTS,			/* to be inserted or updated alike */
	OUTBOX_COMPONENT_EVENTS,
	OUTBOX_HORIZON,
	OUTBOX_COMPONENT_HORIZON,
	OUTBOX_CORRECTIONS,			/* to be inserted, */
	OUTBOX_DIGESTS				/* or only to update digests of rated_match */
} OutboxKind;

#define OUTBOX_NKINDS (OUTBOX_DIGESTS + 1)

/*
 * Rows that a query will see as an ephemeral relation.  Most work leaves most outboxes empty: what
 * they need is made for the first row.
 */
typedef struct Outbox
{
	Ladder	   *ladder;
	const struct OutboxTable *table;
	TupleDesc	desc;			/* of its columns */
	MemoryContext parent;		/* of the next two, which are NULL without
								 * rows */
	Tuplestorestate *rows;
	MemoryContext context;		/* of a row in the making */
	uint64		nrows;
	uint64		nplaced;		/* of these, for rows of rating that are locked */
} Outbox;

/*
 * An outbox for a table, in the current context, which ends with outbox_send() or
 * outbox_discard().
 */
extern Outbox *outbox_create(Ladder *ladder, OutboxKind kind);

/* One for each action on the same table, and sending them all. */
extern void outboxes_create(Ladder *ladder, OutboxKind kind, Outbox **outbox);
extern void outboxes_send(Outbox **outbox);

/* An event of the step that a batch has just made, or all of one table. */
extern void put_event(Outbox *outbox, const BatchStep *step,
					  const EventRow *row);
extern void put_events(Outbox *outbox, const BatchStep *step, RowsOf of);

/*
 * A match with its status and why it does not count (nothing if it does); has_seq tells
 * whether it has a place in the order.
 */
extern void put_match(Outbox *outbox, const SourceMatch *source,
					  const char *status, const Unrated *why, bool has_seq,
					  int64 seq);

/* A place from which history is out of date; see corrections.h. */
typedef struct Correction
{
	int64		seq;			/* none yet if the kind is late */
	bool		has_match;
	Datum		match_id;
	const char *kind;
	TimestampTz played_at;
	int64		digest;			/* of what the source has of the match now */
} Correction;

extern void put_correction(Outbox *outbox, const Correction *correction);

/* The row of a player; its key is enough to delete it. */
extern void put_rating(Outbox *outbox, const BatchPlayer *player);

/*
 * Rows of rating with all that is to know of them: the ladder's log of changes and its counts, if
 * it has these.  What they were lies beside the players (states.h).  Send the rows, and end the
 * counts.
 */
typedef struct RatingWriter
{
	Ladder	   *ladder;
	CountWriter *counts;
	Outbox	   *rows[OUTBOX_NACTIONS];
} RatingWriter;

/* Whether somebody asks what rows were: then these are to lie beside the players. */
extern bool ratings_are_compared(const Ladder *ladder);
extern void ratings_begin(RatingWriter *writer, Ladder *ladder);
extern void ratings_put(RatingWriter *writer, const BatchPlayer *player, OutboxAction action);

/* The row of a component; its key is enough to delete it. */
extern void put_component(Outbox *outbox, const BatchComponent *component);

/* The key of a row of event, component or component_event, to delete it, as it was read. */
extern void put_key(Outbox *outbox, const Datum *values, const bool *nulls);

/*
 * Write all rows, and end the outbox; an error unless every one of them was
 * processed.
 */
extern void outbox_send(Outbox *outbox, OutboxAction action);

/* End the outbox without writing anything. */
extern void outbox_discard(Outbox *outbox);

#endif							/* PG_LADDER_RATE_OUTBOX_H */
