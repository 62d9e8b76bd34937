/*
 * source.h
 *		What matches are rated from: the columns of a source, and one match of it.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include "glue.h"

#include "datatype/timestamp.h"

#include "ids.h"

/* The columns of a source, in their order wherever all are listed. */
typedef enum SourceColumn
{
	SOURCE_MATCH_ID,
	SOURCE_PLAYED_AT,
	SOURCE_TEAM,
	SOURCE_PLAYER_ID,
	SOURCE_POOL,
	SOURCE_LOG_ODDS,
	SOURCE_GAIN,
	SOURCE_UNRATED_REASON,
	SOURCE_RANK,				/* from here on numbers of a Participant */
	SOURCE_SCORE,
	SOURCE_WON,
	SOURCE_WEIGHT,
	SOURCE_JOINED,
	SOURCE_LEFT,
	SOURCE_COMMANDING,
	SOURCE_SIDE,
	SOURCE_SQUAD,
	SOURCE_KILLS,
	SOURCE_DEATHS,
	SOURCE_QUIT,
	SOURCE_EXPERIENCE,
	SOURCE_NCOLUMNS
} SourceColumn;

/* How source columns are read: their type in SQL, and where numbers go. */
typedef struct SourceColumnSpec
{
	const char *name;
	const char *type;			/* NULL: that of the identifier */
	const char *needed;			/* yes, no, or one: at least one of these */
	size_t		offset;			/* in Participant, for numbers */
	const char *description;
} SourceColumnSpec;

extern const SourceColumnSpec source_columns[SOURCE_NCOLUMNS];

/*
 * What a column of a source is called, what is said of it in SQL, and where a
 * number goes in a Participant.
 */
extern const char *source_column_name(SourceColumn column);
extern void source_column_text(SourceColumn column, const char **type,
							   const char **needed, const char **description);
extern double *source_number(Participant *participant, SourceColumn column);

/* One match of a source. */
typedef struct SourceMatch
{
	uint64		number;			/* 1, 2, ... as read, also after a rewind */
	Datum		id;
	TimestampTz played_at;
	char	   *pool;
	double		log_odds;
	double		gain;
	char	   *unrated_reason; /* or NULL */
	const char *set_aside;		/* why the ladder does not count it, or NULL */
	int64		digest;			/* of all that is in it */
	int			n;
	Participant *participant;
	Datum	   *player_id;
	Datum	   *account_id;		/* before merging */
	int			max;			/* room in these arrays */
	int		   *order;			/* room for sorting */
	Participant *sorted_participant;
	Datum	   *sorted_id;

	/* QUERY_READ_RATED only: what rated_match has. */
	int64		seq;
	int64		rated_digest;
	char	   *status;
	char	   *reason;
	char	   *void_reason;	/* or NULL */
	bool		vanished;		/* the source has it no more */
} SourceMatch;

/* Room for so many participants: at first from the current context. */
extern void source_match_reserve(SourceMatch *match, int n);

/*
 * Another participant of a match that has room for some, of whom nothing else is
 * known yet; the identifier is not copied.
 */
extern Participant *source_match_add(SourceMatch *match, Datum player_id);

/*
 * Put the participants in a total order, so that sums round alike whenever and
 * however a match is read: by team and account, then by all that stints can say.
 */
extern void source_match_sort(SourceMatch *match, const IdType *player_type);

#endif							/* SOURCE_H */
