/*
 * config.h
 *		The row of a ladder: its model and parameters, and when and how it rates.
 */
#ifndef PG_LADDER_ENTRY_CONFIG_H
#define PG_LADDER_ENTRY_CONFIG_H

#include "pg/ladder/entry/ladder.h"

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

#endif							/* PG_LADDER_ENTRY_CONFIG_H */
