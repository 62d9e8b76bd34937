/*
 * model.h
 *		The interface that every rating model implements, and the functions common to
 *		all of them.
 *
 * A model is one C file in core/models, which fills in one Model, and one line in
 * core/models/registry.c.  Every surface (functions, ladders, replay, tuning)
 * reaches it through this interface, so nothing outside the file knows a model's
 * mathematics.
 */
#ifndef CORE_RATING_MODEL_H
#define CORE_RATING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rating/match.h"
#include "core/rating/params.h"

/* What a state column is to others than its model. */
typedef enum StateRole
{
	ROLE_NONE,
	ROLE_DEVIATION,				/* a standard deviation */
	ROLE_SIDE,					/* what the skill is more on side 1, less on
								 * side 2 */
	ROLE_COMMAND				/* what the skill of a commander is instead */
} StateRole;

/* A column of a player's state; all are double precision. */
typedef struct StateSpec
{
	const char *name;			/* SQL column name */
	double		min;			/* smallest sound value (may be -INFINITY) */
	bool		shared;			/* the same in all pools, see Model.shares */
	StateRole	role;
	const char *description;
} StateSpec;

/* What the first state columns of a team's players are together. */
typedef enum TeamStrength
{
	TEAM_STRENGTH_MEAN,
	TEAM_STRENGTH_SUM,
	TEAM_STRENGTH_SHARE			/* the sum by the number of all who play */
} TeamStrength;

/* The most state columns of any model, for arrays on the stack. */
#define MODEL_MAX_STATE 16

typedef struct Model
{
	const char *name;			/* "elo" */
	const char *summary;		/* one line */
	const char *source;			/* the paper or document */
	ParamSet	params;			/* of kind "model" and the same name */
	MatchRules	rules;			/* for match_build() */
	const StateSpec *state;
	int			nstate;			/* at most MODEL_MAX_STATE */

	/* The state of a player who has not played. */
	void		(*init) (const ParamValue *params, double *state);

	/*
	 * Let idle time pass, in seconds; NULL where it changes nothing.  Called
	 * before a match for each of its players, and by operations.  To age by
	 * t1 and then by t2 is to age by t1 + t2, but for rounding: how often a
	 * ladder is settled has no influence on its ratings.
	 */
	void		(*age) (const ParamValue *params, double *state,
						double seconds);

	/*
	 * Whether a player's shared state columns are in use; NULL if there are
	 * none.  They then live in a row of their own, beside one for each pool,
	 * and are aged by age_shared() and the time since a match in any pool.
	 */
	bool		(*shares) (const ParamValue *params);
	void		(*age_shared) (const ParamValue *params, double *state,
							   double seconds);

	/*
	 * How many of a player's last matches rate() looks back on, 0 for none;
	 * NULL for a model that never does.  They are no part of the state:
	 * whoever rates keeps them, a ladder in its events.  An operation that
	 * sets states, or a season, begins them anew.
	 */
	int			(*window) (const ParamValue *params);

	/* What a team is to the model; NULL for the mean. */
	TeamStrength (*team_strength) (const ParamValue *params);

	/*
	 * What a player in this state is worth to the team, in units of the first
	 * state column, in a squad of so many (1: alone); NULL for the first
	 * state column. Predictions depend on squads, and on state columns
	 * without a role other than the first, through this alone.
	 */
	double		(*worth) (const ParamValue *params, const double *state, int squad);

	/*
	 * Win probabilities of all teams, into match->team[].win, from the states
	 * before.  A draw counts as half a win, so two teams add up to 1.
	 */
	MatchStatus (*predict) (const ParamValue *params, Match *match);

	/*
	 * The probability of a draw of two teams, from the states before, or NaN
	 * under parameters without one; NULL for a model that does not say.
	 */
	double		(*draw) (const ParamValue *params, Match *match);

	/*
	 * predict(), and the states after from the states before and the ranks.
	 * The expected gradient under the prediction is zero.
	 */
	MatchStatus (*rate) (const ParamValue *params, Match *match);

	/*
	 * What a leaderboard sorts by, as a linear form of the state: one
	 * coefficient for each state column and a constant behind them.
	 */
	void		(*display) (const ParamValue *params, double *coefficient);
} Model;

/* What a team is to a model, whose zero of differences is an even match. */
extern TeamStrength model_team_strength(const Model *model, const ParamValue *params);

/* How many of a player's last matches a model looks back on. */
extern int	model_window(const Model *model, const ParamValue *params);

/*
 * What a player in a state is worth to the team in a squad of so many, of at least the
 * player alone, in units of the first state column.
 */
extern double model_worth(const Model *model, const ParamValue *params,
						  const double *state, int squad);

/* The first state column with a role, or -1. */
extern int	model_state_column(const Model *model, StateRole role);

/* The displayed rating of a state, by the model's linear form. */
extern double model_display(const Model *model, const ParamValue *params,
							const double *state);

/*
 * How far the first state column of one of two players has to be ahead for the
 * prediction to be odds of e : 1, if everybody's deviation is next to nothing: in
 * the limit of small differences.
 */
extern double model_log_odds_unit(const Model *model, const ParamValue *params);

/* The time of the last match of somebody who has never played, in microseconds. */
#define NEVER_PLAYED INT64_MIN

/*
 * Seconds from the time as of which a state is, to another; both in microseconds.
 * 0 from never, and backwards.
 */
extern double idle_seconds(int64_t as_of, int64_t at);

/*
 * The state with which a player goes into a match, after idle seconds.  The
 * columns that pools share come from a state of their own, which was idle for
 * shared_idle; NULL where none are shared.
 */
extern void model_state_before(const Model *model, const ParamValue *params,
							   const double *state, double idle,
							   const double *shared, double shared_idle,
							   double *before);

/*
 * Whether a state is sound: finite, and no column below its minimum.
 */
extern bool model_state_valid(const Model *model, const double *state);

/*
 * Predict a match that match_build() made.  The bits are those that model_rate()
 * finds, in whichever order the players are.
 */
extern MatchStatus model_predict(const Model *model, const ParamValue *params,
								 Match *match);

/*
 * The probability of a draw in a match that match_build() made, in the same bits whatever the
 * order of the players; NaN unless there are two teams and the model says.
 */
extern double model_draw(const Model *model, const ParamValue *params, Match *match);

/*
 * Rate a match that match_build() made, with the checks that are the same for
 * all models: the states before must be sound, the states after and gradients
 * finite.  The result has the same bits in whichever order the players are, so that
 * their identifiers have no part in it.
 */
extern MatchStatus model_rate(const Model *model, const ParamValue *params,
							  Match *match);

#endif							/* CORE_RATING_MODEL_H */
