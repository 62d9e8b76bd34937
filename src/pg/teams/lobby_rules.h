/*
 * lobby_rules.h
 *		From what is known of the players of a lobby to what searches go by: groups, what
 *		players and teams are to a model, and the sizes of teams.
 *
 * Nothing here reads arguments of SQL, so that a lobby may come from elsewhere as well.
 */
#ifndef PG_TEAMS_LOBBY_RULES_H
#define PG_TEAMS_LOBBY_RULES_H

#include "pg/teams/lobby.h"

/* Commanders of both teams count by their mean, if nothing else is said. */
#define DEFAULT_COMMAND_WEIGHT 0.5

/*
 * How many of each player's squad there are, at least the player alone: in the lobby, or of
 * those who are in the player's team if there are teams.
 */
extern int *squad_sizes(const Lobby *lobby, const int *team);

/*
 * Begin the match of a model for a lobby of which players and number of teams are known, and
 * matches of so many seats.  Errors (22023) if the model knows only two teams.
 */
extern void begin_model(Lobby *lobby, const Model *model, ParamValue *params, int seats);

/*
 * Give everybody a state of the model, once estimates and commanders are known: that of
 * state, an array with all columns for each player in the order of the arguments, or of a
 * new player, with mu and the like in place of its columns, and deviation in the order of the
 * lobby.  Either may be NULL.  Then what a team is to the model is how the lobby is split.
 * Errors for what the model has no column for (22023), and for states that are not sound
 * (22023).
 */
extern void take_states(Lobby *lobby, const double *deviation, const double *state);

/*
 * The match with which answers are forecast, where a ladder has states of players, all columns for
 * each in the order of the arrays, and of components: it knows of contexts and clubs, and of no
 * caution.  Errors (22023) for states that are not sound.
 */
extern void take_forecast(Lobby *lobby, const double *state, int seats);

/*
 * Finish a lobby of which everything else is known: parties are squads, searches get their
 * values, and as many steps as by default.
 */
extern void finish_lobby(Lobby *lobby);

/*
 * Ask for teams of one size; errors (22023) if there are too few players who are not locked to
 * the bench.
 */
extern void request_size(const Lobby *lobby, int team_size, SplitRequest *request);

/*
 * Ask for teams of all who are not locked to the bench, whoever has priority; false if there
 * are no players, and an error (22023) if they are fewer than teams.
 */
extern bool request_all(Lobby *lobby, SplitRequest *request);

#endif							/* PG_TEAMS_LOBBY_RULES_H */
