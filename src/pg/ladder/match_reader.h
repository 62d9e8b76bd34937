/*
 * match_reader.h
 *		Matches as they come from a ladder's source.
 */
#ifndef PG_LADDER_MATCH_READER_H
#define PG_LADDER_MATCH_READER_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "pg/ladder/ladder.h"
#include "pg/ladder/row_reader.h"
#include "pg/sql/words.h"

/*
 * Players who get other names, for the digests that a match has under the old ones and
 * under the new ones, whichever it is read with.
 */
typedef struct Renaming
{
	IdTable    *old_id;			/* by the new one, to Datum */
	IdTable    *new_id;			/* by the old one, to Datum */
	const Words *words;			/* to be forgotten in unrated_reason, or NULL */
} Renaming;

/* What stands in a text in the place of a forgotten word. */
#define FORGOTTEN_WORD "[forgotten]"

/*
 * Reads matches, one after another: those in rated order as the query runs,
 * others, which may be read twice, from a tuplestore.
 */
typedef struct MatchReader
{
	Ladder	   *ladder;
	struct Filters *filters;	/* who is excluded or merged, or NULL */
	Tuplestorestate *store;		/* or NULL */
	RowReader	stream;			/* in rated order */
	TupleTableSlot *slot;
	bool		have_row;
	bool		rated;			/* with what rated_match has */
	bool		anonymous;		/* one match without an identifier */
	MemoryContext context;		/* of the current match's ids and texts */
	SourceMatch match;

	/* Set by the caller between opening and the first match, or NULL: */
	const Renaming *renaming;
	int64		old_digest;		/* of the match under old names */
	int64		new_digest;		/* and under new ones */
} MatchReader;

/*
 * Read the matches with these identifiers, an array, as far as the source has
 * them, in the order of played_at and match_id.
 *
 * The participants of a match come in a total order, so that sums round alike
 * whenever it is read: by team and player, then by all that stints can say.
 */
extern MatchReader *reader_open_matches(Ladder *ladder, Datum ids);

/*
 * Read all matches that have a place in the order, from a seq on, with what
 * rated_match has of them; such a reader cannot be rewound.
 */
extern MatchReader *reader_open_rated(Ladder *ladder, int64 from);

/*
 * Read the rows of a query whose columns are those of SourceColumn; anonymous: they
 * are one match, which has no identifier.
 */
extern MatchReader *reader_open_query(Ladder *ladder, LadderQuery *query,
									  const Datum *values, const bool *nulls,
									  bool anonymous);

/* Read the next match into reader->match; false if there is none. */
extern bool reader_next(MatchReader *reader);

/* Begin again, but not in rated order. */
extern void reader_rewind(MatchReader *reader);
extern void reader_close(MatchReader *reader);

#endif							/* PG_LADDER_MATCH_READER_H */
