/*
 * past_meetings.h
 *		The matches of a ladder in which players have met, from its events.
 */
#ifndef PG_LADDER_PAST_MEETINGS_H
#define PG_LADDER_PAST_MEETINGS_H

#include "pg/ladder/ladder.h"
#include "pg/matches/meetings.h"

/*
 * Load what the players of the match that was built remember of matches before a seq, or all who
 * are wanted of matches not before a time, as far as that was not done; for those who are wanted
 * the batch keeps meetings.  A reset begins a player's memory anew.
 */
extern void load_meetings_of_match(Batch *batch, Ladder *ladder, int64 before);
extern void load_meetings_of_wanted(Batch *batch, Ladder *ladder, TimestampTz since);

/* The time so many seconds before another, or -infinity where there is none. */
extern TimestampTz seconds_before(TimestampTz at, double seconds);

#endif							/* PG_LADDER_PAST_MEETINGS_H */
