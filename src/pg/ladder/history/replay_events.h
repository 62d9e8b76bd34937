/*
 * replay_events.h
 *		What a replay makes of each step beside the events that are stored.
 */
#ifndef PG_LADDER_HISTORY_REPLAY_EVENTS_H
#define PG_LADDER_HISTORY_REPLAY_EVENTS_H

#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/history/replay.h"

/* The rows of event, or of component_event, in their order, as they come beside the steps. */
typedef struct StoredEvents
{
	RowReader	rows;
	RowsOf		of;
} StoredEvents;

/* They are read from the place on where the replay goes on. */
extern void stored_events_open(StoredEvents *events, Replay *replay, RowsOf of);

/*
 * Tell the sink of the rows of the step just made, and of the stored ones up to there, of which
 * those that the step does not give belong to nothing.
 */
extern void compare_events(Replay *replay, ReplaySink *sink, StoredEvents *events);

/* All stored rows that are left belong to nothing. */
extern void surplus_events(Replay *replay, ReplaySink *sink, StoredEvents *events);

/* Tell the sink of the rows of the step just made, where none are stored. */
extern void missing_events(Replay *replay, ReplaySink *sink, RowsOf of);

#endif							/* PG_LADDER_HISTORY_REPLAY_EVENTS_H */
