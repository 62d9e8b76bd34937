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
#include "pg/sql/composite.h"

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
 * Rows that queries will see as ephemeral relations.  Most work leaves most outboxes empty: what
 * they need is made for the first row.
 */
typedef struct Outbox
{
	Ladder	   *ladder;
	const struct OutboxTable *table;
	MemoryContext parent;		/* of what follows */
	TupleDesc	desc;			/* of the columns of the rows; NULL before the first */
	MemoryContext context;		/* of a row in the making */
	Tuplestorestate *rows[OUTBOX_NACTIONS]; /* NULL without any */
	uint64		nrows[OUTBOX_NACTIONS];
	uint64		nplaced;		/* of those to be updated, for rows of rating
								 * that are locked */
} Outbox;

/* An outbox for a table, in the current context. */
extern Outbox *outbox_create(Ladder *ladder, OutboxKind kind);

/* An event of the step that a batch has just made; and all of one table, to be inserted. */
extern void put_event(Outbox *outbox, OutboxAction action, const BatchStep *step,
					  const EventRow *row);
extern void put_events(Outbox *outbox, const BatchStep *step, RowsOf of);

/*
 * A match with its status and why it does not count (nothing if it does); has_seq tells
 * whether it has a place in the order.
 */
extern void put_match(Outbox *outbox, OutboxAction action, const SourceMatch *source,
					  const char *status, const Unrated *why, bool has_seq, int64 seq);

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

extern void put_correction(Outbox *outbox, OutboxAction action, const Correction *correction);

/* The row of a player, and of a component; the key is enough to delete it. */
extern void put_rating(Outbox *outbox, OutboxAction action, const BatchPlayer *player);
extern void put_component(Outbox *outbox, OutboxAction action, const BatchComponent *component);

/* The key of a row of event, component or component_event, to delete it, as it was read. */
extern void put_key(Outbox *outbox, QueryRow row);

/*
 * Rows of rating with all that is to know of them: the ladder's log of changes and its counts, if
 * it has these.  What they were lies beside the players (states.h).
 */
typedef struct RatingWriter
{
	CountWriter *counts;		/* or NULL */
	Outbox	   *rows;
} RatingWriter;

/* Whether somebody asks what rows were: then these are to lie beside the players. */
static inline bool
ratings_are_compared(const Ladder *ladder)
{
	return ladder->changes != NULL || OidIsValid(ladder->relation[LADDER_RATING_COUNT]);
}

extern void ratings_begin(RatingWriter *writer, Ladder *ladder);
extern void ratings_put(RatingWriter *writer, const BatchPlayer *player, OutboxAction action);
extern void ratings_end(RatingWriter *writer);

/*
 * Write the rows for an action, or all, deletions first, so that a row that takes the key of another
 * does not collide with it; an error unless every one of them was processed.  The outbox is empty
 * then.
 */
extern void outbox_send_rows(Outbox *outbox, OutboxAction action);
extern void outbox_send(Outbox *outbox);

/* Empty the outbox without writing anything. */
extern void outbox_discard(Outbox *outbox);

#endif							/* PG_LADDER_RATE_OUTBOX_H */
