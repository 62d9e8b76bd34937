/*
 * past.h
 *		The earlier states and meetings of a ladder's players that a model looks back on.
 */
#ifndef PG_LADDER_RATE_PAST_H
#define PG_LADDER_RATE_PAST_H

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/batch.h"

/*
 * Load what matches look back on, as far as that was not done: of the players of the match that
 * was built, whose states are loaded, from events before a seq, for any number of matches to
 * come; or, under a model that looks back, of all who are wanted, for so many.
 */
extern void load_past_of_match(Batch *batch, Ladder *ladder, int64 before);
extern void load_past_of_wanted(Batch *batch, Ladder *ladder, int matches);

/*
 * Load what the players of the match that was built remember of matches before a seq, or all who
 * are wanted of matches not before a time, as far as that was not done; for those who are wanted
 * the batch keeps meetings.  A reset begins a player's memory anew.
 */
extern void load_meetings_of_match(Batch *batch, Ladder *ladder, int64 before);
extern void load_meetings_of_wanted(Batch *batch, Ladder *ladder, TimestampTz since);

/* The time so many seconds before another, or -infinity where there is none. */
extern TimestampTz seconds_before(TimestampTz at, double seconds);

#endif							/* PG_LADDER_RATE_PAST_H */
