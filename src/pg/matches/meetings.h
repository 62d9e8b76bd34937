/*
 * meetings.h
 *		The matches in which players have met, for rules about the same opponents.
 */
#ifndef PG_MATCHES_MEETINGS_H
#define PG_MATCHES_MEETINGS_H

#include "pg/matches/batch.h"

/*
 * Add a rated match to those that a player of it remembers, for the team with that
 * number; a player's matches come in the order of seq.
 */
extern void batch_add_meeting(Batch *batch, BatchPlayer *player, int64 seq,
							  TimestampTz played_at, int team);

/*
 * In how many rated matches, at most so many seconds before or after that time, all
 * opponents of the match that was built were opponents; counted up to a limit.  0 if
 * nobody has opponents in it.
 */
extern int64 batch_count_meetings(const Batch *batch, TimestampTz played_at,
								  double window, double limit);

#endif							/* PG_MATCHES_MEETINGS_H */
