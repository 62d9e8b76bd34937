/*
 * recorded.h
 *		Matches as they were looked at, beside what the source has of them now.
 */
#ifndef PG_LADDER_HISTORY_RECORDED_H
#define PG_LADDER_HISTORY_RECORDED_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/match_reader.h"

typedef struct RecordedMatch
{
	ComparedMatch compared;
	bool		recorded;		/* it was looked at, */
	int64		seq;			/* and then has this place, or 0, */
	TimestampTz played_at;		/* and this time, or DT_NOBEGIN */
} RecordedMatch;

/* What a query has of a row m of rated_match, all nulls for a match without. */
#define RECORDED_COLUMNS "m.digest, m.seq, m.played_at"

/*
 * The matches that a query finds, whose columns are match_id and RECORDED_COLUMNS, compared with
 * the source: a table of RecordedMatch.  Errors as of reader_compare().
 */
extern IdTable *compare_recorded(Ladder *ladder, LadderQuery *query, const Datum *values);

/*
 * Of these, have those wait that the source has with another content than they were looked at
 * with, or that only one of the source and rated_match has.
 */
extern void keep_differing_waiting(Ladder *ladder, LadderQuery *query, const Datum *values);

#endif							/* PG_LADDER_HISTORY_RECORDED_H */
