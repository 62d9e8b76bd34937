/*
 * lobby_reader.h
 *		A value of the type lobby, or two arrays, as players who are to be split into teams.
 *
 * Anybody can write such a value by hand, so that nothing in it is taken for granted.
 */
#ifndef PG_TEAMS_LOBBY_READER_H
#define PG_TEAMS_LOBBY_READER_H

#include "pg/teams/lobby.h"

/* The limit of the worth of a player and of a handicap, in points. */
#define MAX_POINTS 1e12

/* The columns of the type, in their order. */
typedef enum LobbyColumn
{
	LOBBY_PLAYERS,
	LOBBY_MU,
	LOBBY_MU_2,
	LOBBY_SIGMA,
	LOBBY_WEIGHT,
	LOBBY_PARTY,
	LOBBY_LOCKED,
	LOBBY_AVOID,
	LOBBY_SPLIT_EVENLY,
	LOBBY_PRIORITY,
	LOBBY_CURRENT,
	LOBBY_COMMAND_MU,
	LOBBY_COMMAND_MU_2,
	LOBBY_COMMANDERS,
	LOBBY_LOG_ODDS,
	LOBBY_STRENGTH,
	LOBBY_LOG_ODDS_UNIT,
	LOBBY_COMMAND_WEIGHT,
	LOBBY_MODEL,
	LOBBY_PARAMS,
	LOBBY_WISHES,
	LOBBY_STRICT,
	LOBBY_COUNTS_AS,			/* from here on a ladder's constructor alone */
	LOBBY_EXCLUDED,
	LOBBY_CONTEXT,
	LOBBY_CLUB,
	LOBBY_STATE,
	LOBBY_COMPONENT,
	LOBBY_GAMES,
	LOBBY_NCOLUMNS
} LobbyColumn;

/* A set of columns. */
#define LOBBY_SET(column) (UINT64CONST(1) << (column))

/* What a team maker does with a lobby. */
typedef struct LobbyUse
{
	const char *maker;
	bool		two_arrays;		/* players and estimates in place of a lobby */
	const char *model;			/* if it has none, or NULL */
	int			max_players;
	uint64		refused;		/* columns that it cannot keep to: an error */
	uint64		unused;			/* and those that it has no use for */
	int			nteams;
	int			seats;			/* of a match; 0: as many as there are players */
	bool		options;		/* budget and seed stand before explain, the
								 * last argument */
} LobbyUse;

/* The most players whom a maker divides, and whom pair_queue() takes. */
#define MAX_LOBBY_PLAYERS 1000
#define MAX_QUEUED 100000

/* Error 54000 for more players than that. */
extern void check_player_count(int n, int most);

/* Whether a function has an argument, which is not the first, and it is not null. */
static inline bool
has_argument(FunctionCallInfo fcinfo, int arg)
{
	return arg > 0 && !PG_ARGISNULL(arg);
}

/* Whether the last argument asks for an explanation. */
static inline bool
wants_why(FunctionCallInfo fcinfo)
{
	return has_argument(fcinfo, PG_NARGS() - 1) && PG_GETARG_BOOL(PG_NARGS() - 1);
}

/*
 * Read the lobby in the first argument; false if it has no players or estimates.  With a model its match is made, and
 * what a team is to the model is how the lobby is split.  Errors for arrays that do not fit
 * (2202E, 22004), for values out of range (22003, 22023), for what the model has no column
 * for (22023), for states that are not sound, and for what the maker has no answer to (22023).
 *
 * A lobby of more players than can be split at once is for a queue: it has no constraints but
 * parties, and players are not valued.
 */
extern bool read_lobby(FunctionCallInfo fcinfo, const LobbyUse *use, Lobby *lobby);

/* The upper limit of a number that must only not be negative. */
#define NO_LIMIT PG_INT32_MAX

/*
 * The number in an argument, or what stands for null; errors (22023) unless it lies
 * between these.  If what stands for null is below them, null is an error (22004).
 */
extern int	count_argument(FunctionCallInfo fcinfo, int arg, const char *name, int least,
						   int most, int otherwise);

/* Errors (22003) unless the n numbers of an array are finite, no less, and not too large. */
extern void check_points(const char *name, const float8 *element, int n, double least);

/*
 * Players with the same text in an array get the same number, the place of the first of them
 * plus one, and those with null get 0.  The players are in an order of places in the array.
 */
extern int *text_groups(ArrayType *array, const char *name, const int *order, int n);

#endif							/* PG_TEAMS_LOBBY_READER_H */
