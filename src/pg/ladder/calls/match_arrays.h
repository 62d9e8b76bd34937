/*
 * match_arrays.h
 *		A match as arguments of a function: arrays with one element for each
 *		participant.
 */
#ifndef PG_LADDER_CALLS_MATCH_ARRAYS_H
#define PG_LADDER_CALLS_MATCH_ARRAYS_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/source.h"

/* What report_match() and preview() are told of the match, as parameters of queries. */
typedef enum MatchValue
{
	VALUE_OF_MATCH_ID,
	VALUE_OF_PLAYED_AT,			/* null where the caller gave none */
	VALUE_OF_POOL,
	VALUE_OF_LOG_ODDS,
	VALUE_OF_GAIN,
	VALUE_OF_DURATION,
	VALUE_OF_SURRENDERED,
	VALUE_OF_TOURNAMENT,
	MATCH_NVALUES
} MatchValue;

/*
 * What they take as optional arrays, in the order of their arguments and of the parameters of
 * queries.
 */
typedef enum LadderArray
{
	ARRAY_RANK,
	ARRAY_WON,
	ARRAY_TEAM_SCORE,
	ARRAY_PLAYER_SCORE,
	ARRAY_WEIGHT,				/* from here on an element may be null */
	ARRAY_JOINED,
	ARRAY_LEFT_AT,
	ARRAY_COMMANDING,
	ARRAY_SIDE,
	ARRAY_SQUAD,
	ARRAY_KILLS,
	ARRAY_DEATHS,
	ARRAY_QUIT,
	ARRAY_EXPERIENCE,
	ARRAY_PLAYER_GAIN,
	ARRAY_BOT,
	ARRAY_FIXED,
	ARRAY_CONTEXT,				/* one element is that of all */
	ARRAY_CLUB,
	LADDER_NARRAYS
} LadderArray;

/* A match as arrays.  The identifiers are of the ladder's types. */
typedef struct MatchArrays
{
	Datum		value[MATCH_NVALUES];
	bool		null[MATCH_NVALUES];
	Datum		players;		/* an array, */
	Datum	   *player;			/* its elements, */
	int			n;				/* and their number */
	Datum		team;
	Datum		array[LADDER_NARRAYS];
	bool		has_array[LADDER_NARRAYS];
} MatchArrays;

/* Errors if the argument is null; name is that of the argument. */
extern void required_argument(FunctionCallInfo fcinfo, int arg, const char *name);

/* The argument match_id, of any type that reads as one of the ladder's. */
extern Datum match_id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type);

/*
 * The argument players likewise, of any number, as elements only; and those of a match: errors if
 * there are none or too many.
 */
extern void players_in_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type,
								MatchArrays *arrays);
extern void players_argument(FunctionCallInfo fcinfo, int arg,
							 IdType *id_type, MatchArrays *arrays);

/* The arrays first to last, from argument arg on, as far as they are given. */
extern void optional_arrays(FunctionCallInfo fcinfo, int arg, LadderArray first,
							LadderArray last, MatchArrays *arrays);

/* The values first to last likewise, with defaults where those have one. */
extern void match_values(FunctionCallInfo fcinfo, int arg, MatchValue first, MatchValue last,
						 MatchArrays *arrays);

/* Read the match as of a source that has these rows; any result will do. */
extern void match_arrays_read(const MatchArrays *arrays, SourceMatch *match);

/*
 * Insert the match into the ladder's own tables; false, and nothing is done, if
 * match has a row with its identifier.
 */
extern bool match_arrays_insert(Ladder *ladder, const MatchArrays *arrays);

/* Whether the tables have the match as it is here.  Error 55000 if it is not finished there. */
extern bool match_arrays_are_stored(Ladder *ladder, const MatchArrays *arrays);

/* Put it in the place of the match with its identifier. */
extern void match_arrays_replace(Ladder *ladder, const MatchArrays *arrays);

#endif							/* PG_LADDER_CALLS_MATCH_ARRAYS_H */
