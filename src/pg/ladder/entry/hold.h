/*
 * hold.h
 *		Who may change the history of a ladder, and keeping others from rating it.
 *
 * Maintenance of a ladder takes the maintenance lock, which nobody else asks for; it comes
 * before all others and lasts to the end of the transaction.  So whoever waits for another
 * piece of maintenance waits there, and not in front of those who rate.
 *
 * A transaction that has rated holds its own lock to its end, and whoever asks for the exclusive
 * lock while it is open makes all others queue behind.  So whoever is to hold a ladder first
 * waits for those who have it, which blocks nobody, and then queues for HOLD_TIMEOUT only; if
 * it cannot have the lock by then, because others have begun meanwhile, it begins again, and
 * gives up after HOLD_PATIENCE.
 */
#ifndef PG_LADDER_ENTRY_HOLD_H
#define PG_LADDER_ENTRY_HOLD_H

#include "pg/sql/glue.h"

#include "catalog/objectaddress.h"
#include "storage/lockdefs.h"

/* Others wait at most this long behind an attempt to hold a ladder, in milliseconds; */
#define HOLD_TIMEOUT 50

/* and so long does whoever is to hold it try, unless lock_timeout is shorter. */
#define HOLD_PATIENCE 30000

/*
 * Take the maintenance lock of the ladder in a schema; it lasts to the end of the transaction.
 * Error 40P01 if another transaction has it and this one has rated matches of the ladder, or
 * maintained it otherwise: that one will have to wait for this one.
 */
extern void schema_lock_maintenance(Oid schema);

/* Let others have it again, before anything was done. */
extern void schema_unlock_maintenance(Oid schema);

/*
 * Keep all others from rating the ladder in a schema, with ACCESS EXCLUSIVE also from reading it:
 * who has rated has committed, and queries from here on see it.  A weaker lock is taken as any
 * other.  It lasts to the end of the (sub)transaction, or until schema_let_go().  Error 55P03, which names who is in the way, if it
 * cannot be had.
 */
extern void schema_hold(Oid schema, LOCKMODE mode);
extern void schema_let_go(Oid schema, LOCKMODE mode);

/*
 * The same for several schemas and relations of a ladder, whose name an error has: all locks are had, in
 * this order, or none.  The first nshared, which are to get triggers, are kept from those who write
 * to them: schemas by EXCLUSIVE and relations by SHARE ROW EXCLUSIVE.  All others are kept from
 * readers, too.
 */
extern void objects_hold(const ObjectAddress *object, int nobjects, int nshared,
						 const char *ladder);

/* Whether this transaction keeps all others from rating. */
extern bool schema_is_held(Oid schema);

#endif							/* PG_LADDER_ENTRY_HOLD_H */
