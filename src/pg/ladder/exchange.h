/*
 * exchange.h
 *		Exchanging what is stored below two tables that stay where they are.
 */
#ifndef PG_LADDER_EXCHANGE_H
#define PG_LADDER_EXCHANGE_H

#include "pg/sql/glue.h"

#include "nodes/pg_list.h"
#include "utils/rel.h"

/*
 * Exchange the files of two relations of one kind, both locked in ACCESS EXCLUSIVE mode:
 * of two tables with all that belongs to their rows (TOAST tables, indexes, which are
 * paired by their definitions, and statistics), or of two sequences.  Errors, before
 * anything changes: 55000 if the columns, the persistence or the access methods of the
 * two are not the same, or if an index of one has no counterpart in the other; 55006 if
 * this session uses one of them.  Works on the catalogs alone, so that a rollback undoes
 * it.
 */
extern void exchange_storage(Relation a, Relation b);

/*
 * The OIDs of the indexes of a table that have no counterpart in another one, both locked:
 * one of the same definition, each for one only.  The indexes get a lock that keeps them
 * from being dropped.  Error 55000 for an index that is not valid.
 */
extern List *unpaired_indexes(Relation table, Relation other);

#endif							/* PG_LADDER_EXCHANGE_H */
