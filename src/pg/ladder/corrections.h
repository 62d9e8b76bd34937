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
	Datum	   *kind;
	Datum	   *played_at;
	int			n;
	int			max;
} Corrections;

/* Room for up to so many corrections, in the current context. */
extern Corrections corrections_make(int max);

/*
 * History is out of date from a place on, or, in a ladder whose order is that of
 * time, from then on; a match that comes "late" has no place yet.  The match is
 * NULL for an operation; otherwise it must live until the corrections are sent.
 */
extern void corrections_add(Corrections *corrections, const Datum *match_id,
							int64 seq, const char *kind, TimestampTz played_at);

/*
 * Insert them all, but for matches before the ladder's horizon, which stay as they were rated: a
 * warning names them.  Error 55000 for an operation before it.
 */
extern void corrections_send(Ladder *ladder, Corrections *corrections);

/*
 * Whether operations may have come from another ladder, which have not touched anybody here
 * yet.
 */
extern bool corrections_are_carried(Ladder *ladder);

/* Whether there are any. */
extern bool corrections_wait(Ladder *ladder);

#endif							/* PG_LADDER_CORRECTIONS_H */
