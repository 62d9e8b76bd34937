/*
 * past_meetings.h
 *		The matches of a ladder in which players have met, from its events.
 */
#ifndef PG_LADDER_PAST_MEETINGS_H
#define PG_LADDER_PAST_MEETINGS_H

#include "pg/ladder/ladder.h"
#include "pg/matches/meetings.h"

/*
 * Load what the players of the match that was built, or all who are wanted, remember of
 * matches before a seq and not before a time, as far as that was not done; for those who are
 * wanted the batch keeps meetings.  A reset begins a player's memory anew.
 */
extern void load_meetings_of_match(Batch *batch, Ladder *ladder, int64 before,
								   TimestampTz since);
extern void load_meetings_of_wanted(Batch *batch, Ladder *ladder, TimestampTz since);

/* The time so many seconds before another, or -infinity where there is none. */
extern TimestampTz seconds_before(TimestampTz at, double seconds);

/*
 * What a replay may forget: for each slice of the order, the earliest time of a match in
 * it or behind it, as rated_match and the corrections that wait know it.
 */
typedef struct MeetingHorizon
{
	double		window;			/* seconds; 0: no rule looks back */
	int			nslices;
	int			next;			/* the slice that a replay has got to */
	int64	   *last_seq;		/* of each slice, ascending */
	TimestampTz *earliest;
} MeetingHorizon;

/* That of a replay from a seq on, with so many seconds to look back. */
extern MeetingHorizon meeting_horizon(Ladder *ladder, int64 from, double window);

/*
 * Advance to the match with a seq, which never goes back, and return the time before which no match
 * from there on asks for any.
 */
extern TimestampTz meeting_horizon_at(MeetingHorizon *horizon, int64 seq);

#endif							/* PG_LADDER_PAST_MEETINGS_H */
