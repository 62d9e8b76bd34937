/*
 * lobby_match.h
 *		Teams of a lobby as a match of a rating model, which says who wins.
 */
#ifndef CORE_SPLIT_LOBBY_MATCH_H
#define CORE_SPLIT_LOBBY_MATCH_H

#include "core/split/lobby.h"

/* Commanders of both teams count by their mean, if nothing else is said. */
#define DEFAULT_COMMAND_WEIGHT 0.5

typedef struct LobbyMatch
{
	const Model *model;
	const ParamValue *params;
	double	   *state;			/* by player, with all columns */

	/* Set by the caller, if a match is to know of components: */
	const double *component;	/* by player, of all kinds in use one after
								 * another, or NULL: of those in no match */
	const int  *context;		/* the same number, from 1 to n, for players of
								 * one; 0: none; or NULL */
	const int  *club;

	/* One match after another: */
	Match		match;
	Participant *participant;
	int		   *player;			/* in the lobby, by participant */
	double	   *before;			/* worth, by player, while more is added to it */
	int		   *seat;			/* in the match, by player */
	int		   *named;			/* by context: the first seat that has it */
	double	   *initial;		/* components of those in no match, by kind */
} LobbyMatch;

/* The state of a player. */
static inline double *
lobby_match_state(const LobbyMatch *match, int player)
{
	return match->state + (size_t) player * (size_t) match->model->nstate;
}

/* The number of state columns of all kinds of components in use, or of the first kinds. */
extern int	component_columns(const Model *model, const ParamValue *params, int kinds);

/*
 * Begin matches of up to so many players of a lobby, who are in the state of somebody new.
 * MATCH_TOO_MANY_TEAMS_FOR_MODEL if the model knows only two teams.
 */
extern MatchStatus lobby_match_begin(const Lobby *lobby, const Model *model,
									 const ParamValue *params, int seats, LobbyMatch *match);

/*
 * Put what is known of players into their states: estimates, commanders and, unless it is NULL,
 * deviations.  A side offset that a state has stays, unless both sides have estimates.
 */
extern void lobby_match_estimates(const Lobby *lobby, LobbyMatch *match, bool has_states,
								  const double *deviation);

/*
 * The first player whose state, or one of whose components, is not sound, or -1; for that of a
 * component *value is its first column, else that of the state.
 */
extern int	lobby_match_unsound(const Lobby *lobby, const LobbyMatch *match,
								const double **value);

/*
 * Begin the same match of some of the players: of a lobby of seat_players(), which shares all
 * but states with that of all players.
 */
extern void lobby_match_seat(const Lobby *lobby, const LobbyMatch *all, const int *player,
							 LobbyMatch *match);

/* Let the model say what teams of a lobby are, and when they are even. */
extern void take_strength(Lobby *lobby, const LobbyMatch *match);

/*
 * Predict teams, as LobbyModel has it: to the bit what a match of these states is rated with, with
 * squads, weights, sides, commanders, handicap and components.
 */
extern MatchStatus lobby_match_predict(const Lobby *lobby, LobbyMatch *match, const int *team,
									   const int *commander, double ahead, double *win);

#endif							/* CORE_SPLIT_LOBBY_MATCH_H */
