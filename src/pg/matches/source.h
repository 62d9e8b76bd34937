/*
 * source.h
 *		What matches are rated from: the columns of a source, and one match of it.
 */
#ifndef PG_MATCHES_SOURCE_H
#define PG_MATCHES_SOURCE_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"

#include "core/rating/eligibility.h"
#include "core/rating/model.h"
#include "pg/matches/unrated.h"
#include "pg/sql/ids.h"

/* The columns of a source, in their order wherever all are listed. */
typedef enum SourceColumn
{
	SOURCE_MATCH_ID,
	SOURCE_PLAYED_AT,
	SOURCE_TEAM,
	SOURCE_PLAYER_ID,
	SOURCE_POOL,
	SOURCE_LOG_ODDS,
	SOURCE_UNRATED_REASON,
	SOURCE_CONTEXT,
	SOURCE_CLUB,
	SOURCE_TOURNAMENT,
	SOURCE_RANK,				/* from here on as Participant.number */
	SOURCE_TEAM_SCORE,
	SOURCE_PLAYER_SCORE,
	SOURCE_WON,
	SOURCE_WEIGHT,
	SOURCE_JOINED,
	SOURCE_LEFT_AT,
	SOURCE_COMMANDING,
	SOURCE_SIDE,
	SOURCE_SQUAD,
	SOURCE_KILLS,
	SOURCE_DEATHS,
	SOURCE_QUIT,
	SOURCE_EXPERIENCE,
	SOURCE_PLAYER_GAIN,
	SOURCE_FIXED,
	SOURCE_NCOLUMNS
} SourceColumn;

/* The columns of a source, and what is said of them in SQL. */
typedef struct SourceColumnSpec
{
	const char *name;
	const char *type;			/* as they are read; NULL: that of the
								 * identifier */
	const char *takes;			/* what they may be */
	const char *needed;			/* yes, no, or one: at least one of these */
	const char *description;
} SourceColumnSpec;

extern const SourceColumnSpec source_columns[SOURCE_NCOLUMNS];

extern const char *source_column_name(SourceColumn column);

/*
 * A set of columns by bits, of those without which a model makes the same of each match.  Results
 * are never in it, as a match without ranks goes by scores; nor is what rules of eligibility use.
 */
typedef uint32 SourceColumns;

#define SOURCE_COLUMNS(column) ((SourceColumns) 1 << (column))

/* Those of no use to what takes account of a set of ModelSupport, and to a model. */
extern SourceColumns source_columns_without(unsigned supports);
extern SourceColumns source_unused(const Model *model, const ParamValue *params);

/* Those that need not be read from a relation: where it has log-odds a side says whose they are. */
extern SourceColumns source_unread(Oid source, SourceColumns unused);

/*
 * Most bytes of a pool, context or club.  An entry of a btree has 2704 bytes at most, for all of
 * them and a player.
 */
#define MAX_NAME_BYTES 1000

/* What makes a match unreadable that was not played at one time. */
#define PLAYED_AT_DIFFERS "played_at differs among its participants"

/*
 * The different names in a match: 0 .. n - 1 in the order of their first rows.  The array is used
 * again for the next match; names are the caller's.  All zero but for the context there are none.
 */
typedef struct SourceNames
{
	MemoryContext context;		/* of the array */
	int			n;
	const char **name;
	int			max;			/* room for so many */
} SourceNames;

/* What a null time means. */
typedef enum SourceTimes
{
	TIMES_REQUIRED,				/* a mistake */
	TIMES_LIKE_BEFORE,			/* a mistake, once a match has had a time */
	TIMES_OPTIONAL				/* that the time is unknown */
} SourceTimes;

/*
 * One match of a source.
 *
 * A mistake in its rows is an error, unless the match is tolerant: then it is
 * kept in unreadable or fault, which say what is wrong, and the match does not
 * count.  Rows may come in any order, so of several mistakes the one whose text
 * comes first in the order of bytes is kept.
 */
typedef struct SourceMatch
{
	IdType	   *match_type;		/* NULL: matches have no identifiers */
	IdType	   *player_type;
	bool		tolerant;
	SourceTimes times;
	SourceColumns unused;		/* what these have, mistakes too, is not there */
	bool		timed;			/* a match before has had a time */
	uint64		number;			/* 1, 2, ... as read, also after a rewind */
	Datum		id;
	TimestampTz played_at;		/* DT_NOBEGIN if it is no time */
	bool		no_played_at;	/* it is null, or what it is: */
	TimestampTz given_played_at;
	TimestampTz arrived_at;		/* in a ladder, if the match was played more
								 * than a day later; else DT_NOBEGIN */
	char	   *pool;
	double		log_odds;
	double		tournament;		/* period_tournament_key(), or 0 */
	const ParamValue *eligibility;	/* the rules by which it is judged, or
									 * NULL */
	const char *unrated_reason; /* of any of its rows, or NULL */
	Unrated		unreadable;		/* why its rows make no match at all, */
	Unrated		fault;			/* what is wrong in one of them, */
	Unrated		set_aside;		/* why the ladder does not count it, by who
								 * takes part; the detail is NULL for nothing */
	int64		digest;			/* of all that is in it */
	SourceNames contexts;		/* of its participants, by Participant.context */
	SourceNames clubs;			/* and club */
	int			n;
	Participant *participant;
	Datum	   *player_id;
	Datum	   *account_id;		/* before merging */
	int			max;			/* room in these arrays */
	int		   *order;			/* by source_match_sort() */
	Participant *sorted_participant;	/* room for sorting */
	Datum	   *sorted_id;

	/* Of a match in rated order: what rated_match has. */
	int64		seq;
	int64		rated_digest;
	TimestampTz rated_played_at;
	TimestampTz rated_arrived_at;
	char	   *status;
	char	   *reason;			/* the code, and */
	char	   *detail;			/* what is said besides; both can be NULL */
	char	   *void_reason;	/* or NULL */
	bool		vanished;		/* the source has it no more */

	/*
	 * Of a match that does not learn the advantage of the larger team: the
	 * coefficients that it takes.
	 */
	bool		advantage_given;
	double		advantage[2];
} SourceMatch;

/*
 * A match to be filled from rows, each given as the values of all columns and
 * whether they are null; match_type is NULL where matches have no identifiers.
 * What lives longer than a match comes from the current context.
 */
extern void source_match_init(SourceMatch *match, IdType *match_type,
							  IdType *player_type);

/*
 * Begin the next match with what its first row says of it.  Identifiers and texts
 * are copied into the current context.
 */
extern void source_match_begin(SourceMatch *match, const Datum *values,
							   const bool *nulls);

/*
 * Add the participant of a row, the first one's too; what the row says of the
 * match must be as in that.  NULL if there are too many to be rated anyway, or,
 * in a tolerant match, if the row has no player or team.
 */
extern Participant *source_match_add(SourceMatch *match, const Datum *values,
									 const bool *nulls);

/*
 * Put the participants in a total order, so that sums round alike whenever and
 * however a match is read: by team and account, then by all that stints can say.
 * order[] has where each one was.  player_id is account_id then, which a ladder may change.
 */
extern void source_match_sort(SourceMatch *match);

/*
 * Set arrived_at of a match whose rows have all been read: as it was for the same time, DT_NOBEGIN
 * for none, or by the clock for another time.  So a match that was too early once is so whenever
 * it is looked at again.
 */
extern void source_match_arrive(SourceMatch *match, TimestampTz known_played_at,
								TimestampTz known_arrived_at);

/*
 * Something that all rows of a match share, of this name, differs among them: an error,
 * or a fault of a tolerant match.
 */
extern void source_match_differs(SourceMatch *match, const char *name);

/* Why a match whose rows have all been read is not even built, or nothing. */
extern Unrated source_match_reason(const SourceMatch *match);

/* Error: a column of a row is null that must not be. */
pg_noreturn extern void source_match_lacks(const SourceMatch *match, SourceColumn column);

#endif							/* PG_MATCHES_SOURCE_H */
