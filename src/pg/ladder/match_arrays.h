/*
 * match_arrays.h
 *		A match as arguments of a function: arrays with one element for each
 *		participant.
 */
#ifndef PG_LADDER_MATCH_ARRAYS_H
#define PG_LADDER_MATCH_ARRAYS_H

#include "pg/sql/glue.h"

#include "pg/ladder/ladder.h"
#include "pg/ladder/match_reader.h"

/*
 * What report_match and preview take as optional arrays, in the order of their
 * arguments and of the parameters of the queries that read them.
 */
typedef enum LadderArray
{
	ARRAY_RANK,
	ARRAY_SCORE,
	ARRAY_WEIGHT,				/* from here on an element may be null */
	ARRAY_JOINED,
	ARRAY_LEFT,
	ARRAY_COMMANDING,
	ARRAY_SIDE,
	ARRAY_SQUAD,
	ARRAY_KILLS,
	ARRAY_DEATHS,
	ARRAY_QUIT,
	ARRAY_EXPERIENCE,
	ARRAY_GAIN,
	ARRAY_BOT,
	ARRAY_FIXED,
	ARRAY_CONTEXT,				/* one element is that of all */
	ARRAY_CLUB,
	LADDER_NARRAYS
} LadderArray;

/* A match as arrays.  The identifiers are of the ladder's types. */
typedef struct MatchArrays
{
	Datum		match_id;		/* absent for a preview */
	bool		has_match_id;
	Datum		played_at;		/* now where the caller gave none */
	bool		has_played_at;	/* the caller did */
	Datum		pool;
	Datum		log_odds;
	Datum		gain;
	Datum		duration;
	bool		has_duration;
	Datum		surrendered;
	bool		has_surrendered;
	Datum		tournament;
	bool		has_tournament;
	Datum		players;		/* an array, */
	Datum	   *player;			/* its elements, */
	int			n;				/* and their number */
	Datum	   *counted;		/* for whom each of them counts, after merges;
								 * set when the match was read */
	const MatchStatus *left_out;	/* the rule that leaves each of them out of
									 * the match, or NULL */
	int64		digest;			/* of the content, likewise */
	Datum		team;
	Datum		array[LADDER_NARRAYS];
	bool		has_array[LADDER_NARRAYS];
} MatchArrays;

/* Errors if the argument is null; name is that of the argument. */
extern void required_argument(FunctionCallInfo fcinfo, int arg, const char *name);

/* The argument match_id, of any type that reads as one of the ladder's. */
extern void match_id_argument(FunctionCallInfo fcinfo, int arg,
							  IdType *id_type, MatchArrays *arrays);

/* Any argument that reads as an identifier of a type. */
extern Datum id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type, const char *name);

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

/* The arguments pool, log_odds and gain, which follow one another. */
extern void match_arguments(FunctionCallInfo fcinfo, int arg,
							MatchArrays *arrays);

/* The arguments duration and surrendered likewise; both may be null. */
extern void fact_arguments(FunctionCallInfo fcinfo, int arg, MatchArrays *arrays);

/* The tournament of the match, or null. */
extern void tournament_argument(FunctionCallInfo fcinfo, int arg, MatchArrays *arrays);

/* Read the match, as the source of the ladder would have it. */
extern MatchReader *match_arrays_open(Ladder *ladder, const MatchArrays *arrays);

/*
 * Insert the match into the ladder's own tables; false, and nothing is done, if
 * match has a row with its identifier.
 */
extern bool match_arrays_insert(Ladder *ladder, const MatchArrays *arrays);

/* Put it in the place of the match with its identifier. */
extern void match_arrays_replace(Ladder *ladder, const MatchArrays *arrays);

#endif							/* PG_LADDER_MATCH_ARRAYS_H */
