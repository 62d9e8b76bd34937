/*
 * model.h
 *		The interface that every rating model implements, and the functions common to
 *		all of them.
 *
 * A model is one C file in core/models, which fills in one Model, and one line in
 * core/models/registry.c; docs/architecture.md lists the tests and pages.  Every surface (functions, ladders, replay, tuning)
 * reaches it through this interface, so nothing outside the file knows a model's
 * mathematics.
 */
#ifndef CORE_RATING_MODEL_H
#define CORE_RATING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rating/match.h"
#include "core/rating/params.h"
#include "core/rating/period.h"
#include "core/rating/recalibration.h"
#include "core/rating/size_advantage.h"

/* What the first state columns of a team's players are together. */
typedef enum TeamStrength
{
	TEAM_STRENGTH_MEAN,
	TEAM_STRENGTH_SUM,
	TEAM_STRENGTH_SHARE			/* the sum by the number of all who play */
} TeamStrength;

/* The most state columns of any model, for arrays on the stack. */
#define MODEL_MAX_STATE 16

/* The most parameters of a part, and parts of a model. */
#define MODEL_PART_MAX_PARAMS 4
#define MODEL_MAX_PARTS 20

/* A parameter of a part: an index, and a number, the index of a choice, or 0 and 1. */
typedef struct PartParam
{
	int			param;
	double		off;			/* under which it has no effect, */
	double		on;				/* and where a search for a value begins */
} PartParam;

/* What a part is, and so when it is judged. */
typedef enum PartKind
{
	PART_OF_MODEL,
	PART_CHOICE,				/* another view of the same: neither on nor
								 * off is the simpler one; before all others */
	PART_CORRECTION				/* of what others leave, behind all others */
} PartKind;

/*
 * What of a model can be switched on: home advantage, margins, idle time.  It is off while
 * its first parameter is, whatever the others are.  Its numbers are to be fitted with it.
 */
typedef struct ModelPart
{
	const char *name;			/* "home" */
	const char *description;
	const char *beside;			/* a part without which it has no effect, or
								 * NULL */
	unsigned	needs;			/* a set of ModelSupport: what matches must
								 * have, or it has no effect */
	bool		needs_times;	/* played_at, too */
	PartKind	kind;
	PartParam	param[MODEL_PART_MAX_PARAMS];
	int			nparams;
	bool		only_on;		/* of a choice no value but on is tried */
} ModelPart;

/*
 * What all models have: first parameters, last kinds of components, and parts.  The enum
 * of a model's parameters begins with MODEL_COMMON_PARAMS.  A model without components or
 * parts of its own has MODEL_COMMON in its initializer, or one of its two lines; others end
 * their arrays with MODEL_COMMON_COMPONENTS and MODEL_COMMON_PARTS.  A model whose formula
 * favours the larger team says so by the function that it passes to the former, and by
 * what is off and on in MODEL_COMMON_PARTS_WITH.
 */
#define MODEL_COMMON_PARAMS SIZE_ADVANTAGE_END
#define MODEL_PARAMS(model_name, specs, n) \
	PARAM_SET_BEHIND("model", model_name, model_common_params, MODEL_COMMON_PARAMS, specs, n)
#define MODEL_COMMON_COMPONENTS(size_advantage_used) \
	SIZE_ADVANTAGE_COMPONENT(size_advantage_used), \
	RECALIBRATION_COMPONENT
#define MODEL_NCOMMON_COMPONENTS 2
#define MODEL_COMMON_PARTS MODEL_COMMON_PARTS_WITH(SIZE_ADVANTAGE_NONE, SIZE_ADVANTAGE_AUTO)
#define MODEL_COMMON_PARTS_WITH(size_advantage_off, size_advantage_on) \
	{.name = "size_advantage", \
	.description = "advantage of the larger team, learned from matches", \
	.needs = MODEL_UNEVEN, \
	.param = {{SIZE_ADVANTAGE, size_advantage_off, size_advantage_on}},.nparams = 1, \
	.only_on = true}, \
	{.name = "recalibration", \
	.description = "forecasts corrected by how earlier ones came out", \
	.kind = PART_CORRECTION, \
	.param = {{RECALIBRATION_DEVIATION, 0, 0.5}},.nparams = 1}, \
	{.name = "recalibration_side", \
	.description = "the same, of the log-odds of side 1", \
	.kind = PART_CORRECTION, \
	.needs = MODEL_SIDE, \
	.param = {{RECALIBRATION_SIDE_DEVIATION, 0, 0.5}},.nparams = 1}
#define MODEL_NCOMMON_PARTS 3
#define MODEL_COMMON \
	.rules.component = model_common_components,.rules.ncomponents = MODEL_NCOMMON_COMPONENTS, \
	.part = model_common_parts,.nparts = MODEL_NCOMMON_PARTS

extern const ParamSpec model_common_params[MODEL_COMMON_PARAMS];
extern const ComponentSpec model_common_components[MODEL_NCOMMON_COMPONENTS];
extern const ModelPart model_common_parts[MODEL_NCOMMON_PARTS];

typedef struct Model
{
	const char *name;			/* "elo" */
	const char *summary;		/* one line */
	const char *source;			/* the paper or document */
	ParamSet	params;			/* of kind "model" and the same name */
	MatchRules	rules;			/* for match_build() */
	const StateSpec *state;
	int			nstate;			/* at most MODEL_MAX_STATE */

	/*
	 * The same model with more state columns, which only some parameters
	 * need, behind these, or with others; NULL for a model whose columns are
	 * always these.
	 * All variants have this function, and the same parameters.  Those that
	 * it asks for are of_state.  See model_variant().
	 */
	const struct Model *(*variant) (const ParamValue *params);

	/*
	 * Of a variant with rating periods (period.h): its first PeriodColumn,
	 * and the first of its parameters of periods; 0 of any other.  close()
	 * makes the states at the end of the open period of the sums, and lets so
	 * many whole periods pass from its start; 0 to close it early, without
	 * growth of a deviation.
	 */
	int			period;
	int			period_param;
	void		(*close) (const ParamValue *params, double *state, double elapsed);

	const ModelPart *part;		/* nparts, at most MODEL_MAX_PARTS */
	int			nparts;

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
	 * Which earlier states of a player rate() looks back on, from the one
	 * before a match: the last ones after so many rounds since the state was
	 * set, by the first column with ROLE_ROUNDS.  The numbers ascend, each of
	 * the MATCH_MAX_PAST never falls from match to match, and 0 asks for
	 * nothing.  NULL for a model that never does.  Whoever rates keeps these
	 * states, a ladder in its events; see model_look_back().
	 */
	void		(*look_back) (const ParamValue *params, const double *state,
							  double *number);

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
	 * before; model_predict() corrects them afterwards, where parameters say
	 * so.  A draw counts as half a win, so two teams add up to 1.
	 */
	MatchStatus (*predict) (const ParamValue *params, Match *match);

	/*
	 * The probability of a draw of two teams, from the states before, or NaN
	 * under parameters without one; NULL for a model that does not say.
	 */
	double		(*draw) (const ParamValue *params, Match *match);

	/*
	 * predict(), and the states after from the states before and the ranks.
	 * The expected gradient under the prediction is zero.  So do components:
	 * a model with kinds of them in its rules takes those of the match into
	 * account in both, and makes the states after of all of them.
	 */
	MatchStatus (*rate) (const ParamValue *params, Match *match);

	/*
	 * What a leaderboard sorts by, as a linear form of the state: one
	 * coefficient for each state column and a constant behind them.
	 */
	void		(*display) (const ParamValue *params, double *coefficient);
} Model;

/*
 * The variant of a model that these parameters need.  Whoever reads parameters takes it in
 * place of the model, once.
 */
extern const Model *model_variant(const Model *model, const ParamValue *params);

/*
 * param_idle() of a model: where its advantage of the larger team is off by default, the
 * coefficients of that have no effect under "auto" either.
 */
extern int	model_idle_param(const Model *model, const ParamValue *params);

/* Give all such parameters their defaults, which changes no result. */
extern void model_reset_idle_params(const Model *model, ParamValue *params);

/* Whether a part of a model is on in params. */
extern bool model_part_is_on(const Model *model, const ParamValue *params,
							 const ModelPart *part);

/*
 * What of a match has an effect on results under these parameters: a set of ModelSupport.  It lacks
 * what only parts need that are off.
 */
extern unsigned model_uses(const Model *model, const ParamValue *params);

/* What a team is to a model, whose zero of differences is an even match. */
extern TeamStrength model_team_strength(const Model *model, const ParamValue *params);

/* Begin the rounds anew that a model looks back on, in a state that was set. */
extern void model_begin_rounds(const Model *model, const ParamValue *params, double *state);

/*
 * Let a player look back, from p->before, on those of n states after earlier matches that the
 * model asks for; they are in the order of their rounds.  Nothing for a model that never does.
 */
extern void model_look_back(const Model *model, const ParamValue *params,
							const double *states, int n, MatchPlayer *p);

/*
 * Add the state after a match to n such states, which have room for it, in place of those that
 * it makes void: a state that was set has begun anew.  Returns how many there are then.
 */
extern int	model_remember(const Model *model, const double *after, double *states, int n);

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
 * The state with which a player goes into a match of a period, all zero where there
 * are none, after idle seconds.  The columns that pools share come from a state of their
 * own, which was idle for shared_idle; NULL where none are shared.  A sound state stays sound
 * however long it was idle.
 */
extern void model_state_before(const Model *model, const ParamValue *params,
							   const double *state, double idle, Period period,
							   const double *shared, double shared_idle,
							   double *before);

/* Whether a state is sound, in all of its columns. */
extern bool model_state_valid(const Model *model, const double *state);

/*
 * The state with which a component goes into a match, after idle seconds; as
 * model_state_before().
 */
extern void component_state_before(const ComponentSpec *spec, const ParamValue *params,
								   const double *state, double idle, double *before);

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
 * all models: the states before must be sound, those of components too, the states after
 * and gradients finite.  Players who are fixed, and components of theirs, have the states after
 * that they had before, bit for bit; all others learn from them as from anybody.  The result has the same bits in whichever order the players are, so that
 * their identifiers have no part in it.
 */
extern MatchStatus model_rate(const Model *model, const ParamValue *params,
							  Match *match);

#endif							/* CORE_RATING_MODEL_H */
