/*
 * size_advantage.h
 *		The advantage of the larger team, learned from the matches of uneven teams.
 *
 * A team whose strength is counted from the mean of all who play has no advantage by a
 * player more.  Any model can therefore add, where the log-odds of a context enter,
 *
 *		ratio * (n1 - n2) / (n1 + n2) + difference * (n1 - n2)
 *
 * in favour of a team of size n1 against one of size n2: the first term fits games that are
 * decided by the ratio of numbers, the second those in which each player counts the same.  Of
 * several teams each has ratio * n / (2 m) + difference * n, with m their mean size.  Both
 * coefficients are refitted after each match (online_logistic.h), given the model's own
 * forecast.
 *
 * They are a component of the match: one for each pool.  Matches of equal teams have none.
 */
#ifndef CORE_RATING_SIZE_ADVANTAGE_H
#define CORE_RATING_SIZE_ADVANTAGE_H

#include "core/rating/match.h"
#include "core/rating/recalibration.h"

/* The parameters, which all models have: behind those of recalibration.h. */
enum
{
	SIZE_ADVANTAGE = RECALIBRATION_NPARAMS,
	SIZE_ADVANTAGE_PARAM_RATIO,
	SIZE_ADVANTAGE_PARAM_DIFFERENCE,
	SIZE_ADVANTAGE_END
};

/* The choices of the first. */
enum
{
	SIZE_ADVANTAGE_AUTO,		/* as the model has it by default */
	SIZE_ADVANTAGE_NONE,
	SIZE_ADVANTAGE_LEARNED,
	SIZE_ADVANTAGE_FIXED
};

extern const char *const size_advantage_choices[];

#define SIZE_ADVANTAGE_PARAMS \
	{.name = "size_advantage",.type = PARAM_CHOICE,.default_value = SIZE_ADVANTAGE_AUTO, \
		.choices = size_advantage_choices, \
	.description = "advantage of the larger team: none, learned from matches, or fixed; auto: learned, unless the formula favours the larger team itself"}, \
	{.name = "size_advantage_ratio",.type = PARAM_NUMBER,.default_value = 0, \
		.min = -1000,.max = 1000,.unit = "log-odds", \
		.search = {-10, 10}, \
		.only_with = "size_advantage",.only_values = ~PARAM_VALUE(SIZE_ADVANTAGE_NONE), \
	.description = "that advantage for a team of n1 players against n2, by (n1 - n2) / (n1 + n2); learned: its prior mean"}, \
	{.name = "size_advantage_difference",.type = PARAM_NUMBER,.default_value = 0, \
		.min = -1000,.max = 1000,.unit = "log-odds per player", \
		.search = {-3, 3}, \
		.only_with = "size_advantage",.only_values = ~PARAM_VALUE(SIZE_ADVANTAGE_NONE), \
	.description = "the same by n1 - n2"}

/* The state of the component: what online_logistic.h keeps of two coefficients. */
enum
{
	SIZE_ADVANTAGE_RATIO,
	SIZE_ADVANTAGE_DIFFERENCE,
	SIZE_ADVANTAGE_INFORMATION, /* of the ratio, of both, of the difference */
	SIZE_ADVANTAGE_NSTATE = SIZE_ADVANTAGE_INFORMATION + 3
};

extern const StateSpec size_advantage_state[SIZE_ADVANTAGE_NSTATE];

/* Whether it is learned by a model that has it on by default, and by one that has not. */
extern bool size_advantage_learned(const ParamValue *params);
extern bool size_advantage_learned_if_asked(const ParamValue *params);

extern void size_advantage_init(const ParamValue *params, double *state);

/* The kind of component, given which of the functions above says whether it is used. */
#define SIZE_ADVANTAGE_COMPONENT(is_used) \
	{.name = "size_advantage", \
	.description = "advantage of the larger team", \
	.scope = COMPONENT_OF_UNEVEN,.key = COMPONENT_BY_NOTHING, \
	.state = size_advantage_state,.nstate = SIZE_ADVANTAGE_NSTATE, \
	.used = (is_used),.init = size_advantage_init}

/*
 * The coefficients under these parameters, given the state before of the component, or NULL:
 * in the state or the parameters, or false if nobody has an advantage.
 */
extern bool size_advantage_coefficients(const ParamValue *params, const double *before,
										double *coefficient);

/*
 * Add the advantage to the log-odds of a match of two teams, or as that of each to more, if
 * they are uneven.
 */
extern void size_advantage_give(const double *coefficient, Match *match);

/*
 * The state after a match from the one before, given the forecast of the model with the
 * advantage that these coefficients gave, in match->team[].win.  MATCH_OVERFLOW if the
 * numbers are too large to compute with.
 */
extern MatchStatus size_advantage_learn(const ParamValue *params, const double *before,
										const Match *match, double *after);

#endif							/* CORE_RATING_SIZE_ADVANTAGE_H */
