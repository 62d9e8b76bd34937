/*
 * corrections.h
 *		The places from which the history of a ladder is out of date, on their
 *		way into its table correction.
 */
#ifndef PG_LADDER_CORRECTIONS_H
#define PG_LADDER_CORRECTIONS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"
#include "storage/itemptr.h"

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

/* A row of correction, which nobody else writes once it is there. */
typedef struct CorrectionRow
{
	int64		seq;			/* PG_INT64_MIN: a match that waits for a
								 * place */
	Oid			table;
	ItemPointerData tid;
} CorrectionRow;

/* Rows of correction, as a snapshot has them. */
typedef struct CorrectionRows
{
	CorrectionRow *row;
	int64		n;
} CorrectionRows;

/* Add those from a place on, and with late those that wait for a place. */
extern void corrections_read(Ladder *ladder, int64 from, bool late, CorrectionRows *rows);

/* Keep those behind a place only, or before one. */
extern void corrections_keep(CorrectionRows *rows, int64 behind, int64 before);

/* The first place that one of them has, or PG_INT64_MAX. */
extern int64 corrections_first(const CorrectionRows *rows);

/* Delete them from the table. */
extern void corrections_delete(Ladder *ladder, const CorrectionRows *rows);

/*
 * Whether operations may have come from another ladder, which have not touched anybody here
 * yet.
 */
extern bool corrections_are_carried(Ladder *ladder);

#endif							/* PG_LADDER_CORRECTIONS_H */
