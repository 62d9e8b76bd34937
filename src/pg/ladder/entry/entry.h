/*
 * entry.h
 *		Entering a ladder: rights, locks and settings of all work on it.
 *
 * Whatever touches a ladder does so between ladder_begin() and ladder_end().  In this order,
 * ladder_begin()
 *
 * 1. checks the privileges of the caller, and that no row security applies to the
 *	  caller: from then on all runs as the owner;
 * 2. locks the schema, whose OID stays the same when it is renamed and when tables
 *	  are swapped, and looks everything up after that; work on history takes the maintenance lock
 *	  before (hold.h);
 * 3. becomes the owner of the ladder, in a security-restricted operation unless the
 *	  caller is the owner, so that no code of the owner ever runs with the rights of
 *	  the caller, neither now nor deferred to commit;
 * 4. pins the settings that results could depend on;
 * 5. puts the ladder on the stack of those entered, so that code of the user that comes
 *	  back to it, or to another, is noticed.
 *
 * Entries nest.  An error that leaves one undoes all of it: PostgreSQL puts user and
 * settings back, and callbacks at the end of a (sub)transaction take the ladder from
 * the stack.
 */
#ifndef PG_LADDER_ENTRY_ENTRY_H
#define PG_LADDER_ENTRY_ENTRY_H

#include "pg/sql/glue.h"

#include "nodes/parsenodes.h"
#include "storage/lockdefs.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/sql/progress.h"

#define MAX_ENTRY_PRIVILEGES 8

/* What a caller needs to have on a relation of the ladder. */
typedef struct LadderPrivilege
{
	const char *relation;		/* NULL ends a list */
	AclMode		mode;			/* one alone */
} LadderPrivilege;

/* Who may pass. */
typedef enum LadderRights
{
	RIGHTS_BY_GRANT,			/* USAGE on the schema, and the privileges */
	RIGHTS_OF_OWNER,			/* who has the rights of the ladder's owner */
	RIGHTS_OF_TRIGGER,			/* anybody: the trigger's table was checked */
	RIGHTS_TO_CREATE			/* there is no ladder yet */
} LadderRights;

/* What an argument named pool is for. */
typedef enum PoolUse
{
	POOL_AS_GIVEN,				/* what the body says, or there is none */
	POOL_OF_BOARD,				/* to read what is there, */
	POOL_MAY_BE_NEW			/* or for what may be the first in it; see
								 * ladder_pool() */
} PoolUse;

/* A way in: a function, or a trigger, that works on a ladder. */
typedef struct LadderEntry
{
	const char *function;
	LOCKMODE	lockmode;		/* AccessShareLock to read or to note down,
								 * RowShareLock to rate, ExclusiveLock to
								 * change history, AccessExclusiveLock to move
								 * tables */
	LadderRights rights;
	LadderPrivilege privilege[MAX_ENTRY_PRIVILEGES + 1];
	int			nladders;		/* how many of its first arguments are
								 * ladders; 0 if it makes one */
	bool		maintains;		/* takes the maintenance lock first, see hold.h */
	bool		concurrent;		/* likewise, while others rate where it can,
								 * and takes the lock for its last step: see
								 * Ladder.concurrent */
	bool		takes_nobody;	/* null players are none, or without a rating */
	bool		takes_nulls;	/* judges them, or has a use for them, also where no default is null */
	bool		reenters;		/* may be called on a ladder that is at work */
	bool		pins_late;		/* sets the settings for its work only when it
								 * runs a query, see settings.h */
	bool		bears_owners;	/* opens although relations are another role's:
								 * see ladder_check_owners() */
	bool		drops;			/* leaves no ladder behind */
	bool		renames;		/* gives the ladder another name */
	bool		incomplete;		/* relations may be missing, or not as they
								 * should */
	LongWork	work;			/* what others see of it, or WORK_NONE, */
	WorkPhase	phase;			/* and the phase that it begins with */
	PoolUse		pool;			/* as the first of the ladders has it */
	const char *body;			/* where it is not that of the same name in
								 * skillrating_internal: it has null for
								 * arguments that this one lacks, and the
								 * name of this one as its last */
	const char *as_caller;		/* a function of skillrating_internal to call
								 * with the first arguments once the ladder is
								 * left, as the caller, or NULL */
} LadderEntry;

/* The schema of the ladder of that name; an error if there is none. */
extern Oid	ladder_schema(const char *name);

/*
 * The schema of the ladder of that name, locked for an entry, whose rights are checked
 * before, or with its maintenance lock taken, which comes first of all ladders that are entered.
 * It is the one that has the name when the lock is granted.
 */
extern Oid	ladder_lock(const char *name, const LadderEntry *entry, bool maintenance);

/*
 * Enter the ladder in a schema.  The lock lasts to the end of the
 * transaction.  Errors: no ladder, tables that are not in order, 42501 for a lack of
 * rights, 55006 if this session is at work on the ladder already and the entry cannot
 * be used then.
 */
extern Ladder *ladder_begin(Oid schema, const LadderEntry *entry);

/*
 * In a ladder that was entered to read: take a stronger lock on the ladder, to write from
 * now on.  Errors above READ COMMITTED: 0A000 for a lock that keeps others from rating, and
 * 40001 if the snapshot of the transaction is too old, see config.h.
 */
extern void ladder_strengthen(Ladder *ladder, LOCKMODE lockmode);

/*
 * Leave the ladder that ladder_begin() entered last.  The outermost one first has whatever
 * matches are waiting rated, those of other ladders too, and those that come meanwhile;
 * error 54001 if there is no end to these.
 */
extern void ladder_end(Ladder *ladder);

/*
 * The last step of that.  Error 40001 if the schema was renamed
 * meanwhile by anything else than its entry, because names may have led elsewhere.
 */
extern void ladder_leave(Ladder *ladder);

/*
 * The ladder that the first argument of a function names, in the innermost frame that has entered
 * it; an error if there is none.
 */
extern Ladder *ladder_inside(FunctionCallInfo fcinfo);

/*
 * Begin work in C in a ladder that was entered, or in that of ladder_inside(): connect to SPI, read
 * the row of the ladder, and plan for few rows.  ladder_close() ends it, and its memory.
 */
extern Ladder *ladder_open(const Ladder *inside);
extern Ladder *ladder_open_inside(FunctionCallInfo fcinfo);
extern void ladder_close(Ladder *ladder);

/* From here to ladder_close(), plan each query for many rows, by their number. */
extern void ladder_expect_many(Ladder *ladder);

/* Again as after ladder_open(): for few rows, by plans that are kept. */
extern void ladder_expect_few(Ladder *ladder);

/* The same, with the memory of a maintenance command. */
extern void ladder_maintain(Ladder *ladder);

/* Whether a frame further out has entered the same ladder to write. */
extern bool ladder_is_at_work(const Ladder *ladder);

/*
 * Keep others from rating while the work of this frame goes on, which is schema_hold() of hold.h, and
 * let them again, where they may.
 */
extern void ladder_hold(const Ladder *ladder);
extern void ladder_let_go(const Ladder *ladder);

/*
 * From here until states_taken is false, states of the ladder are in memory, to be written back
 * changed: error 55006 if they are already.  An error that ends the work releases them as well.
 */
extern void ladder_take_states(Ladder *ladder);

/* Whether work of a frame further out hides rows of rating from mirrors. */
extern bool ladder_is_hidden_from_mirrors(const Ladder *ladder);

/* A hint for error 42501 of work that runs as the owner of a ladder. */
extern char *owner_lacks_hint(Oid owner);

/*
 * Throw the current error again, in the memory context that is current, with this hint if it is
 * 42501 without one; hint may be NULL.
 */
pg_noreturn extern void rethrow_with_hint(char *hint);

/* Error 42501 unless whoever has entered the ladder has a privilege on a relation. */
extern void ladder_check_privilege(const Ladder *ladder, const char *relation,
								   AclMode mode);

/*
 * As the owner still, leave the restricted operation for a moment, in which no code of
 * the user may run: for a row in pending, whose trigger is deferred.
 */
extern void ladder_lift_restriction(const Ladder *ladder);
extern void ladder_restore_restriction(const Ladder *ladder);

/* Whether an operation further out, not ours, forbids deferred triggers. */
extern bool ladder_is_restricted_outside(const Ladder *ladder);

#endif							/* PG_LADDER_ENTRY_ENTRY_H */
