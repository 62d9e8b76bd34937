/*
 * entry.h
 *		The functions of SQL that work on ladders, and what each of them needs.
 */
#ifndef PG_LADDER_ENTRY_H
#define PG_LADDER_ENTRY_H

#include "pg/ladder/door.h"

/* What a function of the schema skillrating needs; an error if it is not listed. */
extern const LadderEntry *ladder_entry(const char *function);

#endif							/* PG_LADDER_ENTRY_H */
