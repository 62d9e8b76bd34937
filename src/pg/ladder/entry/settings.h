/*
 * settings.h
 *		The settings for work on a ladder, whatever those of the session are.
 */
#ifndef PG_LADDER_ENTRY_SETTINGS_H
#define PG_LADDER_ENTRY_SETTINGS_H

#include "pg/ladder/entry/ladder.h"

/* Set a setting to the end of the current nest level of settings. */
extern void settings_set(const char *name, const char *value);
extern void settings_set_number(const char *name, int value);

/* Set all that the work on a ladder must not depend on. */
extern void settings_pin(void);

/*
 * Set what plans that are kept are made under.  They serve few rows of tables that may grow a
 * thousandfold before the plans are made again: they must use the keys, whatever the statistics
 * of the moment say.  Where there is no key, the price put on that would have the plan compiled
 * each time it runs.
 */
extern void settings_for_plans(void);

/*
 * Do both, unless that was done when the ladder was entered.  Before anything runs
 * there that may look at settings: a query, or code that is not a part of the server.
 */
extern void ladder_settle(const Ladder *ladder);

#endif							/* PG_LADDER_ENTRY_SETTINGS_H */
