/*
 * crossings.h
 *		Rows that put a player on two teams at once.
 *
 * A player may change sides in time: with stints that do not overlap, or, where the times
 * of one row are unknown, with shares that fit into one match.
 */
#ifndef CORE_RATING_CROSSINGS_H
#define CORE_RATING_CROSSINGS_H

#include "core/rating/match.h"

/*
 * The first of n participants (at most MATCH_MAX_PARTICIPANTS, ordered by team) that clashes
 * with one before it: both are of one player, who cannot have been in both.  -1 if there is
 * none.  The match has the entries of all of them; last_left is when its last stint ended, in
 * seconds, or 0 if none is known.  Takes time in proportion to n log n, and a bit more for
 * sorting, however often a player changes sides.
 */
extern int	first_crossing(const Match *match, const Participant *participant, int n,
						   double last_left);

#endif							/* CORE_RATING_CROSSINGS_H */
