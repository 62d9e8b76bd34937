/*
 * match_reader.h
 *		Matches as they come from a ladder's source.
 */
#ifndef PG_LADDER_RATE_MATCH_READER_H
#define PG_LADDER_RATE_MATCH_READER_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "utils/tuplestore.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/rate/match_digest.h"

/*
 * Reads matches, one after another: those in rated order as the query runs,
 * others, which may be read twice, from a tuplestore.
 *
 * Where the source raises an error about its data, the matches that cause it are found
 * and come without participants, with the error as what makes them unreadable.  In
 * rated order the reader becomes careful then: it goes on with a tuplestore for
 * some matches at a time, in a context of its own.
 */
typedef struct MatchReader
{
	Ladder	   *ladder;
	struct Filters *filters;	/* who is excluded or merged, and rules, or
								 * NULL */
	Tuplestorestate *store;		/* or NULL */
	RowReader	stream;			/* in rated order */
	TupleTableSlot *slot;		/* for rows of the store */
	bool		have_row;
	QueryRow	row;			/* while there is one */
	bool		rated;			/* with what rated_match has */
	bool		failed;			/* the stream has raised an error */
	bool		careful;
	int			nread;			/* matches since the beginning */
	bool		stays;			/* the next match is the current one */
	int64		next_seq;		/* where the stream begins or, if careful, the
								 * next chunk */
	MemoryContext chunk;		/* of what is about one, or NULL */
	struct SourceError *errors; /* of the batch, or of the chunk */
	int			nerrors;
	int			next_error;		/* of a batch: behind all others */
	MemoryContext context;		/* of the current match's ids and texts */
	SourceMatch match;

	const Renaming *renaming;	/* set by the caller before the first match,
								 * or NULL */
	MatchDigests digests;		/* of the current match */
} MatchReader;

/*
 * Read the matches with these identifiers, an array, as far as the source has
 * them, in the order of played_at and match_id.  Where strict a mistake in their rows is an
 * error.  Where careful, matches for which the source raises an error about data are found, and
 * come as unreadable; otherwise it is an error.
 *
 * The participants of a match come in a total order, so that sums round alike
 * whenever it is read: by team and player, then by all that stints can say.
 */
extern MatchReader *reader_open_matches(Ladder *ladder, Datum ids, bool strict, bool careful);

/*
 * Find out of n matches those for which the source raises an error that is taken over, as
 * careful_find() does.
 */
extern int	reader_find_errors(Ladder *ladder, Datum *ids, int n, bool (*takes) (int),
							   struct SourceError *errors);

/*
 * Read all matches that have a place in the order, from a seq on, with what
 * rated_match has of them; such a reader cannot be rewound.
 */
extern MatchReader *reader_open_rated(Ladder *ladder, int64 from);

/* Read the next match into reader->match; false if there is none. */
extern bool reader_next(MatchReader *reader);

/*
 * The match just read makes no sense, for a reason, with its detail, that does not come
 * from its rows alone; its digest becomes that of a text.
 */
extern void reader_set_unreadable(MatchReader *reader, int reason,
								  const char *detail, const char *digested);

/* A match by the digest that it had, and how the source has it now. */
typedef struct ComparedMatch
{
	int64		digest;
	bool		met;			/* the source has it, */
	bool		same;			/* with that digest, */
	TimestampTz played_at;		/* and at that time */
} ComparedMatch;

/*
 * Compare the matches of a table with the source.  Its values are ComparedMatch, or begin with
 * one, whose digests the caller has set and the rest to zero.  Errors as of
 * reader_open_matches(), not strict.
 */
extern void reader_compare(Ladder *ladder, IdTable *matches);

/* Begin again, but not in rated order. */
extern void reader_rewind(MatchReader *reader);
extern void reader_close(MatchReader *reader);

#endif							/* PG_LADDER_RATE_MATCH_READER_H */
