/*
 * corrections.h
 *		The places from which the history of a ladder is out of date, on their
 *		way into its table correction.
 */
#ifndef PG_LADDER_RATE_CORRECTIONS_H
#define PG_LADDER_RATE_CORRECTIONS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "pg/ladder/rate/outbox.h"

/*
 * Corrections that wait to be sent: at first none, but for the ladder.  What they need comes into the
 * context that is current when the first is added.
 */
typedef struct Corrections
{
	Ladder	   *ladder;
	Outbox	   *rows;			/* NULL if there are none */
	Outbox	   *digests;		/* likewise of matches before the horizon, */
	const char *first_dropped;	/* and the first of them */
} Corrections;

/* The digest of a match that the source no longer has. */
#define DIGEST_OF_NOTHING 0

/*
 * History is out of date from a place on, or, in a ladder whose order is that of time, from then
 * on.  Error 55000 for a place before the ladder's horizon.
 */
extern void corrections_add(Corrections *corrections, int64 seq, const char *kind,
							TimestampTz played_at);

/*
 * The same because of a match; one that comes "late" has no place yet, and one before the horizon
 * is not corrected.
 */
extern void corrections_add_match(Corrections *corrections, Datum match_id, int64 digest,
								  int64 seq, const char *kind, TimestampTz played_at);

/*
 * Insert them all, but for matches before the horizon, which stay as they were rated: a warning
 * names them, and their digests in rated_match become those of what the source has.
 */
extern void corrections_send(const Corrections *corrections);

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

#endif							/* PG_LADDER_RATE_CORRECTIONS_H */
