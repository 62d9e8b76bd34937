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

/*
 * What report_match() and its like are told of a match, in the order of the parameters of
 * queries.
 */
typedef enum GivenPart
{
	GIVEN_MATCH_ID,
	GIVEN_PLAYED_AT,			/* null where the caller gave none */
	GIVEN_POOL,
	GIVEN_LOG_ODDS,
	GIVEN_GAIN,
	GIVEN_DURATION,
	GIVEN_SURRENDERED,
	GIVEN_TOURNAMENT,
	GIVEN_PLAYERS,				/* from here on arrays */
	GIVEN_TEAM,
	GIVEN_RANK,					/* from here on null where there is none */
	GIVEN_WON,
	GIVEN_TEAM_SCORE,
	GIVEN_PLAYER_SCORE,
	GIVEN_WEIGHT,				/* from here on an element may be null */
	GIVEN_JOINED,
	GIVEN_LEFT_AT,
	GIVEN_COMMANDING,
	GIVEN_SIDE,
	GIVEN_SQUAD,
	GIVEN_KILLS,
	GIVEN_DEATHS,
	GIVEN_QUIT,
	GIVEN_EXPERIENCE,
	GIVEN_PLAYER_GAIN,
	GIVEN_BOT,
	GIVEN_FIXED,
	GIVEN_CONTEXT,				/* one element is that of all */
	GIVEN_CLUB,
	GIVEN_NPARTS
} GivenPart;

/* A match as arrays.  The identifiers are of the ladder's types. */
typedef struct MatchArrays
{
	Datum		value[GIVEN_NPARTS];
	bool		null[GIVEN_NPARTS];
	Datum	   *player;			/* the elements of players, */
	int			n;				/* and their number */
} MatchArrays;

/* The argument match_id, of any type that reads as one of the ladder's. */
extern Datum match_id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type);

/* The argument players likewise, of any number, as elements only; all else is null. */
extern void players_in_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type,
								MatchArrays *arrays);

/* The array of that part in an argument, one element for each player, unless it is null. */
extern void array_in_argument(FunctionCallInfo fcinfo, int arg, GivenPart part,
							  MatchArrays *arrays);

/*
 * The arguments from the second one on, by what each of them is.  What was not given has its
 * default, or is null.  Errors if match_id, players or team is null, and if there are no players or
 * too many.
 */
extern void match_arguments(FunctionCallInfo fcinfo, const Ladder *ladder, const GivenPart *part,
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
