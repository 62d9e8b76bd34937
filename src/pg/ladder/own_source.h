/*
 * own_source.h
 *		The rows of one match of a ladder's own tables, read without a query.
 *
 * Where the view source is what create_ladder() made of tables match and match_player, or
 * another inner join of nothing but these two by match_id, its rows are those of two indexes.
 * What it computes of them, and which it leaves out, is taken from the view as it stands.
 */
#ifndef PG_LADDER_OWN_SOURCE_H
#define PG_LADDER_OWN_SOURCE_H

#include "pg/ladder/ladder.h"

#include "utils/tuplestore.h"

/* What a session keeps of such a source, in the cache of the ladder. */
typedef struct OwnSource OwnSource;

/* The columns of a source in their order, as the reader has them; kept in the cache. */
extern TupleDesc own_source_desc(Ladder *ladder, TupleDesc (*make) (const Ladder *));

/*
 * Append the rows of a match, in the columns of own_source_desc(), which was called before,
 * as a query would see them now.  False, with nothing done, if the source is another one, or has
 * row-level security, partitions, or expressions that call what is not a part of the server.
 * Errors of the expressions.
 */
extern bool own_source_read(Ladder *ladder, Datum match_id, Tuplestorestate *store);

#endif							/* PG_LADDER_OWN_SOURCE_H */
