/*
 * outbox.h
 *		Rows on their way into the tables of a ladder, many at once.
 */
#ifndef PG_LADDER_OUTBOX_H
#define PG_LADDER_OUTBOX_H

#include "pg/sql/glue.h"

#include "utils/tuplestore.h"

#include "pg/ladder/ladder.h"
#include "pg/matches/batch.h"

/* The statement that writes the rows of an outbox. */
typedef enum OutboxAction
{
	OUTBOX_INSERT,
	OUTBOX_UPDATE,
	OUTBOX_DELETE
} OutboxAction;

#define OUTBOX_NACTIONS (OUTBOX_DELETE + 1)

/*
 * Rows that a query will see as an ephemeral relation.
 */
typedef struct Outbox
{
	Ladder	   *ladder;
	const struct OutboxTable *table;
	TupleDesc	desc;			/* of its columns */
	Tuplestorestate *rows;
	uint64		nrows;
	uint64		nowned;			/* of these, of components of players, */
	uint64		nplaced;		/* or for rows of rating that are locked */
	int64		last_seq;		/* of rows of events: the greatest place */
	MemoryContext context;		/* of a row in the making */
} Outbox;

/*
 * Outboxes for event, rated_match, rating, component and component_event; all end with
 * outbox_send() or outbox_discard().  Rows of rated_match take the place of those that are there.
 */
extern Outbox *event_outbox(Ladder *ladder);
extern Outbox *match_outbox(Ladder *ladder);
extern Outbox *rating_outbox(Ladder *ladder);
extern Outbox *component_outbox(Ladder *ladder);
extern Outbox *component_event_outbox(Ladder *ladder);

/* For rows, to be inserted, of horizon and component_horizon, which the ladder must have. */
extern Outbox *horizon_outbox(Ladder *ladder);
extern Outbox *component_horizon_outbox(Ladder *ladder);

/* An event of the step that a batch has just made. */
extern void put_event(Outbox *outbox, const BatchStep *step,
					  const EventRow *row);

/*
 * A match with its status and why it does not count (nothing if it does); has_seq tells
 * whether it has a place in the order.
 */
extern void put_match(Outbox *outbox, const SourceMatch *source,
					  const char *status, const Unrated *why, bool has_seq,
					  int64 seq);

/* The row of a player; its key is enough to delete it. */
extern void put_rating(Outbox *outbox, const BatchPlayer *player);

/* The row of a component; its key is enough to delete it. */
extern void put_component(Outbox *outbox, const BatchComponent *component);

/* What the step that a batch has just made did to a component. */
extern void put_component_event(Outbox *outbox, const BatchStep *step,
								const ComponentRow *row);

/* The key of a row of event, component or component_event, to delete it, as it was read. */
extern void put_key(Outbox *outbox, const Datum *values, const bool *nulls);

/*
 * Write all rows, and end the outbox; an error unless every one of them was
 * processed.
 */
extern void outbox_send(Outbox *outbox, OutboxAction action);

/* End the outbox without writing anything. */
extern void outbox_discard(Outbox *outbox);

#endif							/* PG_LADDER_OUTBOX_H */
