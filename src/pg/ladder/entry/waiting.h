/*
 * waiting.h
 *		Matches that wait in memory for the end of the work that touched them.
 *
 * In a security-restricted operation no trigger can be deferred, and a batch that is
 * being rated must not be overtaken: matches that code of the user touches in a
 * ladder are kept here, for each ladder, and rated before the outermost ladder is left, see
 * attempts.c.
 *
 * All of it lives in TopTransactionContext.  A match that a subtransaction touched
 * stays here if that aborts: the source does not have it then, and nothing comes of it.
 */
#ifndef PG_LADDER_ENTRY_WAITING_H
#define PG_LADDER_ENTRY_WAITING_H

#include "pg/ladder/entry/ladder.h"

/* Keep n matches of a ladder. */
extern void keep_waiting(const Ladder *ladder, const Datum *ids, int n);

/* Take the matches of a ladder that wait, and add them to a table. */
extern void take_waiting(const Ladder *ladder, IdTable *ids);

/* The schema of a ladder of which matches wait, or InvalidOid. */
extern Oid	next_waiting(void);

/*
 * All that wait, of all ladders, as they are now; and put that in the place of what waits
 * by then, which whoever takes work back does at the end.  The copy lives as long as the
 * transaction, and can be put back once.
 */
typedef struct Waiting Waiting;
extern Waiting *copy_all_waiting(void);
extern void restore_all_waiting(Waiting *copy);

/* Forget those of a ladder that is gone, or all: the memory goes by itself. */
extern void forget_waiting(Oid schema);
extern void forget_all_waiting(void);

#endif							/* PG_LADDER_ENTRY_WAITING_H */
