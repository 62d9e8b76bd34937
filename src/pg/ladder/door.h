/*
 * door.h
 *		Opening a ladder, and the rights and settings of work on it.
 */
#ifndef PG_LADDER_DOOR_H
#define PG_LADDER_DOOR_H

#include "pg/sql/glue.h"

#include "storage/lockdefs.h"

#include "pg/ladder/ladder.h"

/*
 * Open the ladder in a schema, with a lock on it that lasts to the end of the
 * transaction: AccessShareLock to read or to note down, RowShareLock to rate,
 * ExclusiveLock to change history.  SPI must be connected.  Errors if there is
 * no ladder or its tables are not in order.
 */
extern Ladder *ladder_open(Oid schema, LOCKMODE lockmode);

/* The schema of the ladder of that name; an error if there is none. */
extern Oid	ladder_schema(const char *name);

/* The role that work on a ladder runs as. */
typedef enum LadderRights
{
	RIGHTS_OF_OWNER,			/* triggers, as foreign keys do */
	RIGHTS_OF_CALLER,
	RIGHTS_OF_MEMBER			/* the owner's if the caller has them anyway */
} LadderRights;

/*
 * The rights and settings, which the caller cannot bend, of a ladder's work.
 * leave() undoes enter(); an error in between undoes it too.
 */
typedef struct LadderScope
{
	Oid			user;
	int			security_context;
	int			guc_level;
} LadderScope;

/* Take on the rights and settings, and read the ladder's row. */
extern void ladder_enter(Ladder *ladder, LadderRights rights,
						 LadderScope *scope);
extern void ladder_leave(const LadderScope *scope);

/* From here to leave(), plan each query for many rows, by their number. */
extern void ladder_expect_many(Ladder *ladder);

/* The same, with the memory of a maintenance command. */
extern void ladder_maintain(Ladder *ladder);

#endif							/* PG_LADDER_DOOR_H */
