/*
 * ending.h
 *		The end of work on a ladder.
 */
#ifndef PG_LADDER_ENDING_H
#define PG_LADDER_ENDING_H

#include "pg/ladder/ladder.h"

/*
 * Close the door that ladder_begin() opened last.  The outermost one first has whatever
 * matches are waiting rated, those of other ladders too, and those that come meanwhile;
 * error 54001 if there is no end to these.
 */
extern void ladder_end(Ladder *ladder);

#endif							/* PG_LADDER_ENDING_H */
