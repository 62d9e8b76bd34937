/*
 * event_index.h
 *		The events of a player from the last one back, by the primary key of event.
 *
 * A query for the last events of a player is the planner's to plan: where few players have most
 * of the events, it reads the index on seq, which has those of all others as well, and a
 * partitioned table has it plan for each partition.  This reads the index on (player_id, pool,
 * seq), of one partition after the other, and so no other player's events.
 */
#ifndef PG_LADDER_EVENT_INDEX_H
#define PG_LADDER_EVENT_INDEX_H

#include "pg/sql/glue.h"

#include "utils/snapshot.h"

#include "pg/ladder/ladder.h"

typedef struct EventIndex EventIndex;

/*
 * Open event for reading under a snapshot, which is the caller's.  The columns to be read are n
 * names of those of the table, which have to last.
 */
extern EventIndex *event_index_open(Ladder *ladder, Snapshot snapshot,
									const char *const *column, int n);
extern void event_index_close(EventIndex *events);

/*
 * False once a table has turned out to lack the index, or event to be partitioned in another way
 * than by partition_history(): nothing more is found, and what was found may not be all.
 */
extern bool event_index_usable(const EventIndex *events);

/*
 * Go to the last event of a player in a pool before a seq, and then back from one to the one
 * before; false if there is none.
 */
extern bool event_index_last(EventIndex *events, Datum player, Datum pool, int64 before);
extern bool event_index_back(EventIndex *events);

/* The value of a column, by its number among the names, which lasts until the next step. */
extern Datum event_index_value(EventIndex *events, int column, bool *isnull);

#endif							/* PG_LADDER_EVENT_INDEX_H */
