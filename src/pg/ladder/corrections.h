/*
 * corrections.h
 *		The places from which the history of a ladder is out of date, on their
 *		way into its table correction.
 */
#ifndef PG_LADDER_CORRECTIONS_H
#define PG_LADDER_CORRECTIONS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "pg/ladder/ladder.h"

/* Corrections in parallel arrays, with room for max of them. */
typedef struct Corrections
{
	Datum	   *seq;
	Datum	   *match_id;
	bool	   *no_match;
	Datum	   *digest;			/* of what the source has of the match now */
	Datum	   *kind;
	Datum	   *played_at;
	int			n;
	int			max;
	MemoryContext context;		/* of the arrays */
} Corrections;

/* No corrections yet; their arrays are in the current context, also when they grow. */
extern Corrections corrections_make(void);

/* The digest of a match that the source no longer has. */
#define DIGEST_OF_NOTHING 0

/*
 * History is out of date from a place on, or, in a ladder whose order is that of
 * time, from then on.
 */
extern void corrections_add(Corrections *corrections, int64 seq, const char *kind,
							TimestampTz played_at);

/*
 * The same because of a match, which must live until the corrections are sent; one that
 * comes "late" has no place yet.
 */
extern void corrections_add_match(Corrections *corrections, Datum match_id, int64 digest,
								  int64 seq, const char *kind, TimestampTz played_at);

/*
 * Insert them all, but for matches before the ladder's horizon, which stay as they were rated: a
 * warning names them, and their digests in rated_match become those of what the source has, for
 * other ladders of the same source.  Error 55000 for an operation before it.
 */
extern void corrections_send(Ladder *ladder, Corrections *corrections);

/*
 * The first correction from a place on and before another one, or PG_INT64_MAX; and delete those
 * there, as the active snapshot has them, with late also those that wait for a place.  Nobody but
 * maintenance writes a row that is there.
 */
extern int64 corrections_first(Ladder *ladder, int64 from, int64 before);
extern void corrections_delete(Ladder *ladder, int64 from, int64 before, bool late);

/*
 * Whether operations may have come from another ladder, which have not touched anybody here
 * yet.
 */
extern bool corrections_are_carried(Ladder *ladder);

#endif							/* PG_LADDER_CORRECTIONS_H */
