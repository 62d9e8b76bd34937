/*
 * progress.h
 *		What other sessions can see of long work.
 *
 * PostgreSQL gives each server process a place in shared memory where its commands report
 * their progress, which all sessions can read at once, whatever is committed.  The views
 * pg_stat_progress_* show what the server's own commands put there.  We report under a
 * number of our own, which none of these views shows, and progress() does.
 *
 * Whoever begins work ends it in the same (sub)transaction; an error ends it as well.
 * Work within work reports its phases as those of the outer one.  Reports outside of
 * any work do nothing.
 *
 * Commands of the server take the same place, as CREATE INDEX does, and each report takes it
 * back.  While indexes are made there is no report of ours, but the server's in
 * pg_stat_progress_create_index.
 */
#ifndef PG_SQL_PROGRESS_H
#define PG_SQL_PROGRESS_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

/* Work that reports, named like its function. */
typedef enum LongWork
{
	WORK_NONE,
	WORK_BACKFILL,
	WORK_CATCH_UP,
	WORK_SHADOW_LADDER,
	WORK_SOLVE_LADDER,
	WORK_SUGGEST_MODEL,
	WORK_TUNE,
	WORK_VERIFY
} LongWork;

/* What it is doing, and what is counted meanwhile. */
typedef enum WorkPhase
{
	PHASE_BEGINNING,			/* nothing */
	PHASE_SEARCHING,			/* nothing: matches of the source are looked
								 * for */
	PHASE_RATING,				/* matches */
	PHASE_ORDERING,				/* nothing: matches get their places by time */
	PHASE_REPLAYING,			/* places in the order */
	PHASE_WRITING,				/* rows of large batches */
	PHASE_READING,				/* matches */
	PHASE_SOLVING,				/* nothing */
	PHASE_FITTING				/* evaluations of the objective */
} WorkPhase;

/* Of a count that is not known. */
#define PROGRESS_UNKNOWN (-1)

/*
 * Begin work on the ladder in a schema, InvalidOid for none, which belongs to owner,
 * whose members see the report.  False within other work, whose report goes on; the
 * result is for progress_end().
 */
extern bool progress_begin(LongWork work, Oid schema, Oid owner);

/* The work has begun at a time, in a transaction before this one. */
extern void progress_since(TimestampTz started_at);

/* A phase begins, in which total rows are to be done, or PROGRESS_UNKNOWN. */
extern void progress_phase(WorkPhase phase, int64 total);

/* So many rows of the phase are done; cheap enough to be called for each. */
extern void progress_done(int64 done);

/* What progress_begin() has begun is done; nothing if it has begun nothing. */
extern void progress_end(bool begun);

#endif							/* PG_SQL_PROGRESS_H */
