/*
 * match_reader.h
 *		Matches as they come from a ladder's source.
 */
#ifndef MATCH_READER_H
#define MATCH_READER_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "pg/ladder/ladder.h"
#include "pg/ladder/row_reader.h"

/*
 * Reads matches, one after another: those of QUERY_READ_RATED as the query runs,
 * others, which may be read twice, from a tuplestore.
 */
typedef struct MatchReader
{
	Ladder	   *ladder;
	struct Filters *filters;	/* who is excluded or merged, or NULL */
	Tuplestorestate *store;		/* or NULL */
	RowReader	stream;			/* of QUERY_READ_RATED */
	TupleTableSlot *slot;
	bool		have_row;
	bool		rated;			/* with the columns of QUERY_READ_RATED */
	bool		anonymous;		/* one match without an identifier */
	MemoryContext context;		/* of the current match's ids and texts */
	SourceMatch match;
} MatchReader;

/*
 * Run QUERY_READ, QUERY_READ_ARRAYS or QUERY_READ_RATED, and set a reader to its
 * beginning; reader_rewind() does so again, but not for the last one.
 *
 * The participants of a match come in a total order, so that sums round alike
 * whenever it is read: by team and player, then by all that stints can say.
 */
extern MatchReader *reader_open(Ladder *ladder, LadderQuery query,
								const Datum *values, const bool *nulls);
extern bool reader_next(MatchReader *reader);
extern void reader_rewind(MatchReader *reader);
extern void reader_close(MatchReader *reader);

#endif							/* MATCH_READER_H */
