/*
 * entries.h
 *		The functions of SQL that work on ladders, and are in C themselves.
 */
#ifndef PG_LADDER_ARRIVE_ENTRIES_H
#define PG_LADDER_ARRIVE_ENTRIES_H

#include "pg/sql/glue.h"

#include "fmgr.h"

/* Enter the ladder as the list of entries says of the function that is called, with this body. */
extern Datum enter_ladder(FunctionCallInfo fcinfo, PGFunction body);

#endif							/* PG_LADDER_ARRIVE_ENTRIES_H */
