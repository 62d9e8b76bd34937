/*
 * mirrors.h
 *		Tables of the user that mirror ratings.
 *
 * The triggers on rating and on mirrored tables write what has changed by one UPDATE for each row
 * of table mirror.  mirror_statement() in SQL spells it out when a session first needs it; its plan
 * is kept with what the session knows of the ladder.  It names the table as that is called now, so
 * that another name means another plan.
 */
#ifndef PG_LADDER_ARRIVE_MIRRORS_H
#define PG_LADDER_ARRIVE_MIRRORS_H

#include "pg/sql/glue.h"

#include "commands/trigger.h"

#include "pg/ladder/entry/ladder.h"

/*
 * Write what a trigger has to tell to mirrors of the ladder: on rating to all of them, on a
 * mirrored table to this one.  Error 42501 if one belongs to another role than the ladder; whatever
 * else goes wrong names the table.
 */
extern void write_mirrors(Ladder *ladder, TriggerData *trigdata);

#endif							/* PG_LADDER_ARRIVE_MIRRORS_H */
