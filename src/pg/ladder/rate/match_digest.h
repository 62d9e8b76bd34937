/*
 * match_digest.h
 *		What a match is known by: a digest of all that is in it.
 */
#ifndef PG_LADDER_RATE_MATCH_DIGEST_H
#define PG_LADDER_RATE_MATCH_DIGEST_H

#include "pg/matches/source.h"
#include "pg/sql/ids.h"
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
 * The digests of a match, while its rows are read and after: at first all zero, then sums of
 * those of the rows, so that they do not depend on their order.
 */
typedef struct MatchDigests
{
	uint64		as_read;
	uint64		old_names;		/* these two only with a renaming */
	uint64		new_names;
} MatchDigests;

/* Add a participant, as the match has one; renaming may be NULL. */
extern void match_digests_add(MatchDigests *digests, const SourceMatch *match,
							  const Renaming *renaming, Participant *p, Datum player);

/*
 * When all participants were added: add what they share, and set the digest of the
 * match.  Where something is wrong with a match, that is what it is known by: NaN would
 * pass for a number that is absent, and rows that were left out must not be missed when
 * they are mended.
 */
extern void match_digests_finish(MatchDigests *digests, const Renaming *renaming,
								 SourceMatch *match);

/* The digest of a text, for a match that has no other. */
extern int64 digest_text(const char *text);

#endif							/* PG_LADDER_RATE_MATCH_DIGEST_H */
