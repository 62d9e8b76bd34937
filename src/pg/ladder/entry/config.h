/*
 * config.h
 *		The row of a ladder: its model and parameters, when and how it rates, and what a
 *		transaction at a higher isolation level does not see of it.
 *
 * At REPEATABLE READ and SERIALIZABLE all queries of a transaction read under its first
 * snapshot, which may be older than the lock on a ladder.  Work that decides by what is
 * there, such as from which match on history is out of date, would pass over whatever
 * others have committed between the two, and nobody would look at that again.  So
 * maintenance needs READ COMMITTED.
 *
 * Whoever rates must know who counts as whom, who is excluded, by which rules matches are
 * judged, where history begins, and which tables mirror ratings.  Whatever changes one of these
 * writes a new version of the one row of table ladder, see note_change() in SQL.  Whoever rates
 * compares the version that the snapshot sees with the latest one, and fails with 40001 if they
 * differ.
 */
#ifndef PG_LADDER_ENTRY_CONFIG_H
#define PG_LADDER_ENTRY_CONFIG_H

#include "pg/ladder/entry/ladder.h"

#include "utils/snapshot.h"

/*
 * Fill in what the row of a ladder says, of a copy that ladder_open() is making: its
 * relations are locked.  Errors: 55000 unless there is exactly one row, 0A000 for a format
 * that this library does not know, 22023 for a model or parameters that are none, and those of shape.h.
 *
 * What was read is kept in the ladder's cache, and taken from there as long as that version
 * of the row is the one that a query would see.  So an UPDATE of the row takes effect at
 * once, although it tells the cache nothing.
 */
extern void read_ladder_config(Ladder *ladder);

/* Whether a table was as it is in the catalogs when a snapshot was taken. */
extern bool snapshot_knows(Snapshot snapshot, Oid relid);

/*
 * Error 0A000 at the higher isolation levels: the function is one that needs READ COMMITTED,
 * unless this transaction has made the ladder in the schema.
 */
extern void require_read_committed(Oid schema, const char *function);

/*
 * In a transaction at one of the higher isolation levels: error 40001 if its snapshot is older
 * than the ladder's tables, and for those who write (writes) if it is older than what they have to
 * know.
 */
extern void check_snapshot_age(Ladder *ladder, bool writes);

#endif							/* PG_LADDER_ENTRY_CONFIG_H */
