/*
 * snapshot_age.h
 *		What a transaction at a higher isolation level does not see of a ladder.
 *
 * At REPEATABLE READ and SERIALIZABLE all queries of a transaction read under its first
 * snapshot, which may be older than the lock on a ladder.  Work that decides by what is
 * there, such as from which match on history is out of date, would pass over whatever
 * others have committed between the two, and nobody would look at that again.
 */
#ifndef PG_LADDER_SNAPSHOT_AGE_H
#define PG_LADDER_SNAPSHOT_AGE_H

#include "pg/ladder/ladder.h"

#include "executor/tuptable.h"
#include "storage/lockdefs.h"
#include "utils/snapshot.h"

/* Whether a table was as it is in the catalogs when a snapshot was taken. */
extern bool snapshot_knows(Snapshot snapshot, Oid relid);

/*
 * Whether a transaction that has committed too late for a snapshot has made or ended the
 * version of a row in a slot of a scan; false for table access methods that are not heap.
 */
extern bool row_changed_unseen(TupleTableSlot *slot, Snapshot snapshot);

/*
 * At the higher isolation levels, error 40001 if the snapshot of the transaction is older
 * than the ladder's tables; under a lock to write, than its configuration or an operation;
 * under one that keeps others from rating, than a row of those that say what was rated; and
 * with ACCESS EXCLUSIVE also of those that wait.  At READ COMMITTED it does nothing.  Unless
 * the snapshot is the newest it reads all pages of these tables that are not visible to all.
 */
extern void check_snapshot_age(const Ladder *ladder, LOCKMODE lockmode);

/* The same of one more table of the ladder, which the caller is about to read. */
extern void check_table_age(const Ladder *ladder, Oid relid);

#endif							/* PG_LADDER_SNAPSHOT_AGE_H */
