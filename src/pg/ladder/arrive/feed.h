/*
 * feed.h
 *		What feeds a ladder: the triggers that report matches to it.
 *
 * A trigger on a table of the user names its ladder in its WHEN condition, as in
 * "'arena.source'::regclass IS NOT NULL".  PostgreSQL records that the trigger depends
 * on that view: it goes when the view is dropped, and the view keeps its identity
 * through a rename of the schema, a dump and a restore.
 */
#ifndef PG_LADDER_ARRIVE_FEED_H
#define PG_LADDER_ARRIVE_FEED_H

#include "pg/sql/glue.h"

#include "utils/reltrigger.h"

#include "pg/ladder/entry/plans.h"

/*
 * The relation that the WHEN condition of a trigger names, or InvalidOid where it has
 * no condition or names none.  The relation may have been dropped since.
 */
extern Oid	trigger_condition_relation(const Trigger *trigger);

/*
 * Whether all relations of the ladder in a schema exist; if not, and missing is not
 * NULL, it is the name of one that does not.  Nothing is locked, so that the answer
 * serves messages only, and to stay away from what is broken.
 */
extern bool ladder_is_whole(Oid schema, const char **missing);

/*
 * What a column of type text has about a table in a list of the ladder in a schema, its table attached
 * or mirror, or about one that the table is a partition of; NULL if neither is listed.  No query is
 * run, and no lock outlives the call: anybody can name a ladder in a trigger, who must not keep others
 * from swapping it.
 */
extern char *ladder_listed(Oid schema, const char *list, const char *column, Oid relid);

/*
 * Error 55000, with a hint that names restore_triggers(), unless the triggers of the
 * ladder's own tables exist: that of pending, and those of match and match_player
 * where it has these.  Triggers go when the extension is dropped, and do not come back
 * with it.  The ladder is open, and its relations are locked.
 */
extern void ladder_require_own_triggers(Ladder *ladder);

/*
 * The same of all triggers: also those of attached tables and, where there are
 * mirrors, of rating and of the mirrored tables of the ladder's owner.  Runs a query: SPI is connected.
 */
extern void ladder_require_triggers(Ladder *ladder);

/*
 * The names of the columns that the user's source has got since the ladder was made,
 * which it does not read; NULL if there are none.  Runs a query: SPI is connected, and
 * the result lives in its memory.
 */
extern char *unread_source_columns(Ladder *ladder);

#endif							/* PG_LADDER_ARRIVE_FEED_H */
