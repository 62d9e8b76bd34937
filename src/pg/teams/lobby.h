/*
 * lobby.h
 *		Who the players of a lobby (core/split/lobby.h) are, and what a rating model says of them.
 *
 * All memory is palloc'ed in the caller's context, and nobody frees it but between begin() and
 * end() of lobby_room.
 */
#ifndef PG_TEAMS_LOBBY_H
#define PG_TEAMS_LOBBY_H

#include "pg/sql/glue.h"

#include "core/split/lobby.h"
#include "pg/matches/team_match.h"
#include "pg/sql/ids.h"

/* Commanders of both teams count by their mean, if nothing else is said. */
#define DEFAULT_COMMAND_WEIGHT 0.5

/* What lobby->people is: arrays in the order of the lobby, which is that of the seed. */
typedef struct People
{
	IdType		type;
	Datum	   *player;
	int		   *order;			/* the player's place among the arguments, */
	int		   *input_index;	/* and the other way round */
	TeamMatch  *team_match;		/* the model's match, by player, or NULL */
	TeamMatch  *forecast_match; /* the same in all that a ladder knows, for
								 * the forecast of an answer, or NULL */
	const double *component;	/* its components, in the order of the arrays, */
	int		   *context;		/* and groups as party, or NULL */
	int		   *club;
} People;

static inline People *
people_of(const Lobby *lobby)
{
	return (People *) lobby->people;
}

/* The memory of searches: error 54000 for a block of more than 64 MB. */
extern const Room lobby_room;

/* A player's identifier, and those of n players as a list, as texts. */
extern char *player_text(const Lobby *lobby, int player);
extern char *player_list(const Lobby *lobby, const int *player, int n);

/*
 * Take a model for a lobby whose estimates and commanders are known, and matches of so many seats.
 * Everybody gets a state: that of state, an array with all columns for each player in the order of
 * the arguments, or of a new player, with mu and the like in place of its columns, and deviation
 * in the order of the lobby.  Either may be NULL.  Then what a team is to the model is how the
 * lobby is split.  Errors (22023) for more teams than the model knows, for what it has no column
 * for, and for states that are not sound.
 */
extern void take_model(Lobby *lobby, const Model *model, ParamValue *params, int seats,
					   const double *deviation, const double *state);

/*
 * The match with which answers are forecast, where a ladder has states of players, all columns for
 * each in the order of the arrays, and of components: it knows of contexts and clubs, and of no
 * caution.  Errors (22023) for states that are not sound.
 */
extern void take_forecast(Lobby *lobby, const double *state, int seats);

/* Make the model's match, with as many states, that of some of the players. */
extern void seat_states(const Lobby *all, const int *player, Lobby *lobby);

/*
 * The forecast of teams that are an answer: to the bit what a match of these players is rated
 * with, of a ladder with contexts and clubs, and without caution, which count in no search.
 */
extern void forecast_answer(const Lobby *lobby, const int *team, const int *commander,
							Split *split);

#endif							/* PG_TEAMS_LOBBY_H */
