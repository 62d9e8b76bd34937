/*
 * lobby_arguments.h
 *		Players who are to be split into teams, as arguments of a function.
 */
#ifndef PG_TEAMS_LOBBY_ARGUMENTS_H
#define PG_TEAMS_LOBBY_ARGUMENTS_H

#include "pg/teams/lobby_rules.h"

/* The limit of the worth of a player and of a handicap, in points. */
#define MAX_POINTS 1e12

/*
 * The positions of a function's arguments, in their canonical order.  Players come
 * first, so that 0 stands for an argument that the function does not have.
 */
typedef struct LobbyArguments
{
	int			mu;
	int			team;			/* not read by read_lobby() */
	int			mu_2;
	int			deviation;
	int			weight;
	int			party;
	int			locked;
	int			avoid;
	int			split_evenly;
	int			priority;
	int			current;
	int			command_mu;
	int			command_mu_2;
	int			commander;
	int			teams;
	int			log_odds;
	int			strength;
	int			log_odds_unit;
	int			command_weight;
	int			model;
	int			params;
	int			budget;
	int			seed;
	int			explain;
	int			state;			/* of split_states() and pair_queue() */
} LobbyArguments;

/* Whether a function has an argument, which is not the first, and it is not null. */
static inline bool
has_argument(FunctionCallInfo fcinfo, int arg)
{
	return arg > 0 && !PG_ARGISNULL(arg);
}

/* Whether an argument asks for an explanation. */
static inline bool
wants_why(FunctionCallInfo fcinfo, int arg)
{
	return has_argument(fcinfo, arg) && PG_GETARG_BOOL(arg);
}

/*
 * Read the arguments; false if players or mu are null.  With a model its match is made,
 * and what a team is to the model is how the lobby is split.  Errors for arrays that do
 * not fit (2202E, 22004), for values out of range (22003, 22023), for what the model has
 * no column for (22023), and for states that are not sound.
 */
extern bool read_lobby(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
					   Lobby *lobby);

/*
 * The parts of read_lobby() that read one thing, for players who are no lobby yet: their
 * number and order must be known.  First how many teams there are to be, two where a function
 * does not ask; what players are worth, as players and as commanders, who may command, and
 * priority; then what a team is worth, and the model's states of all for matches of so many
 * players.
 */
extern void read_number_of_teams(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
								 Lobby *lobby);
extern void read_estimates(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
						   Lobby *lobby);
extern void read_rules(FunctionCallInfo fcinfo, const LobbyArguments *arguments, int seats,
					   Lobby *lobby);

/*
 * The index of a text argument among n names; what stands for null.  An unknown name is
 * an error (22023) with a hint.
 */
extern int	name_argument(FunctionCallInfo fcinfo, int arg, const char *what,
						  const char *const *names, int n, int otherwise,
						  const char *hint);

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

/* Enter an identifier into a table; an error (22023) that names it if it was there. */
extern void **enter_once(IdTable *table, IdType *type, Datum id, const char *what);

/* Numbers of players in an array argument, in the order of the lobby. */
extern double *lobby_numbers(FunctionCallInfo fcinfo, int arg, const char *name,
							 const Lobby *lobby);

/* Integers of players in an array argument, in the order of the lobby, and the nulls. */
extern int32 *lobby_integers(FunctionCallInfo fcinfo, int arg, const char *name,
							 const Lobby *lobby, bool **nulls);

#endif							/* PG_TEAMS_LOBBY_ARGUMENTS_H */
