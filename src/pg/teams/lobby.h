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

#include "lib/stringinfo.h"

#include "core/split/constraints.h"
#include "core/split/lobby.h"
#include "core/split/lobby_match.h"
#include "core/split/wishes.h"
#include "pg/sql/ids.h"

/* What lobby->people is: arrays in the order of the lobby, which is that of the seed. */
typedef struct People
{
	IdType		type;
	Datum	   *player;
	int		   *order;			/* the player's place among the arguments, */
	int		   *input_index;	/* and the other way round */
	int		   *pair;			/* the place among the arguments of pairs who
								 * are apart */
	LobbyMatch *match;			/* the model's, or NULL */
	LobbyMatch *forecast;		/* the same in all that a ladder knows, for
								 * the forecast of an answer, or NULL */
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
extern void take_model(Lobby *lobby, const Model *model, const ParamValue *params, int seats,
					   const double *deviation, const double *state);

/*
 * The match with which answers are forecast, where a ladder has states of players, all columns for
 * each in the order of the arguments, and of components, see LobbyMatch: it knows of contexts and
 * clubs, and of no caution.  Errors (22023) for states that are not sound.
 */
extern void take_forecast(Lobby *lobby, const double *state, int seats,
						  const double *component, const int *context, const int *club);

/* Say of a lobby of seat_players() who they are. */
extern void seat_people(const Lobby *all, const int *player, Lobby *lobby);

/*
 * The forecast of teams that are an answer, of a ladder with contexts and clubs, and without
 * caution, which count in no search.
 */
extern void forecast_answer(const Lobby *lobby, const int *team, const int *commander,
							Split *split);

/* What the rows of teams have besides player, team, difference, probability and commanders. */
typedef struct TeamRows
{
	bool		numbered;		/* each begins with this number */
	int			number;
	bool		by_team;		/* all of a team, and nobody of the bench */
	Datum		quality[2];		/* two columns behind the probability */
	bool		no_quality[2];
	bool		with_broken;	/* there is a column of broken wishes behind
								 * the commanders, */
	Datum		broken;			/* or 0: null */
	Datum		why;			/* in the first row, or 0: null */
} TeamRows;

/* Return a row for each player of a split, in the order of the arguments. */
extern void put_teams(FunctionCallInfo fcinfo, const Lobby *lobby, const Split *split,
					  const TeamRows *rows);

/* Report that a model has no state column for what an argument says. */
pg_noreturn extern void report_no_column(const Model *model, const char *argument);

/*
 * ---- explain.c: why a split is as it is, in json, and why there is none, in errors ----
 */

/*
 * Append a key with a number, a comma before it unless the object begins there.  JSON has
 * no infinities and no NaN: these are null.
 */
extern void explain_number(StringInfo json, const char *key, double number);

/*
 * Append what a split of a lobby consists of, the most even other one, and the constraint that
 * costs most, as "terms", "alternative" and "constraint" of an object that has begun.  Without
 * work for the latter two there are only terms.
 */
extern void explain_split(StringInfo json, const Lobby *lobby, const SplitRequest *request,
						  const Split *split);

/* The same as a whole object. */
extern Datum why_split(const Lobby *lobby, const SplitRequest *request, const Split *split);

/* What a split breaks, in words, as an array of texts, or 0 for nothing. */
extern Datum broken_wishes(const Lobby *lobby, const BrokenWishes *broken);

/*
 * Report (54000) that the constraints tie too many players to one another for a split
 * whose status is SPLIT_GROUP_TOO_LARGE.
 */
pg_noreturn extern void report_large_group(const Lobby *lobby, const SplitProblem *problem);

/*
 * Report that there is no such split, naming the constraints in the way: 22023, or
 * 54000 if the search was too large to tell.
 */
pg_noreturn extern void report_no_split(const Lobby *lobby, const SplitRequest *request,
										const Split *split);

#endif							/* PG_TEAMS_LOBBY_H */
