/*
 * unrated.h
 *		Why matches do not count: codes for programs, and details for people.
 */
#ifndef PG_MATCHES_UNRATED_H
#define PG_MATCHES_UNRATED_H

#include "pg/sql/glue.h"

/*
 * A reason is a MatchStatus of the core, or one of these, which continue its numbers.
 * The numbers are internal: what is stored and returned is the code.
 */
typedef enum UnratedReason
{
	UNRATED_BY_SOURCE = MATCH_NSTATUSES,

	/* Rows that make no match. */
	UNRATED_NULL_VALUE,
	UNRATED_NAN_VALUE,
	UNRATED_INFINITE_TIME,
	UNRATED_COLUMN_DIFFERS,
	UNRATED_LONG_NAME,
	UNRATED_RESERVED_POOL,
	UNRATED_SEASON_ORDER,
	UNRATED_ARRAY_LENGTH,
	UNRATED_SOURCE_ERROR,

	/* Decisions about a ladder. */
	UNRATED_EXCLUDED_PLAYER,
	UNRATED_MERGED_ACCOUNTS,
	UNRATED_VOID,
	UNRATED_BEFORE_HORIZON,
	UNRATED_FUTURE_TIME,

	/* What can still be rated. */
	UNRATED_LATE,
	UNRATED_WAITING,
	UNRATED_FAILED,
	UNRATED_NOT_REPORTED,
	UNRATED_NO_MATCH,
	UNRATED_NREASONS
} UnratedReason;

/* Why a match does not count; all zero where nothing is against it. */
typedef struct Unrated
{
	int			reason;			/* a MatchStatus or an UnratedReason */
	const char *detail;			/* a phrase with the value that is wrong; it
								 * names nobody unless the code says so */
} Unrated;

/* Nothing against a match. */
extern const Unrated unrated_nothing;

static inline Unrated
unrated(int reason, const char *detail)
{
	Unrated		why = {reason, detail};

	return why;
}

/*
 * The name of a reason, in snake_case, a phrase that says what it means, and a sentence that says
 * what can be done about it.
 */
extern const char *unrated_code(int reason);
extern const char *unrated_description(int reason);
extern const char *unrated_remedy(int reason);

/*
 * Whether the reason may surprise whoever brings the match, and so raises a notice.  No news is what
 * somebody has decided about this ladder: the source, an operation or a rule of eligibility; and
 * what is rated later, by itself or after a warning.
 */
extern bool unrated_is_news(int reason);

/* Matches that do not count, by their reason. */
typedef struct UnratedCounts
{
	int64		total;
	int64		by_reason[UNRATED_NREASONS];
} UnratedCounts;

extern void unrated_count(UnratedCounts *counts, int reason);

/* An object with the number of matches for each code that occurs, as a jsonb. */
extern Datum unrated_counts_jsonb(const UnratedCounts *counts);

/*
 * The codes that occur with their numbers of matches, such as "bad_side 581, null_value 2",
 * for a message; of mistakes alone if so asked.  Empty where there are none.
 */
extern const char *unrated_counts_text(const UnratedCounts *counts, bool mistakes);

#endif							/* PG_MATCHES_UNRATED_H */
