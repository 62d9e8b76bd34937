/*
 * recalibration.h
 *		Forecasts of matches corrected by what earlier ones have taught.
 *
 * A model whose favourites win less often than it says is too sure of itself, whatever its
 * parameters are.  Any model can therefore have its forecasts pass through
 *
 *		log-odds' = intercept + slope * log-odds
 *
 * with an intercept for the first of two sides, whose coefficients are refitted after each
 * match (online_logistic.h).  Of more than two teams the slope multiplies the logarithms of
 * their probabilities, which then add up to 1 again.  Ratings do not take part in this.
 *
 * What was learned is a component of the match: one for each pool.
 */
#ifndef CORE_RATING_RECALIBRATION_H
#define CORE_RATING_RECALIBRATION_H

#include "core/rating/match.h"

/* The parameters, which all models have: the first ones of each. */
enum
{
	RECALIBRATION_DEVIATION,
	RECALIBRATION_SIDE_DEVIATION,
	RECALIBRATION_HALF_LIFE_MATCHES,
	RECALIBRATION_HALF_LIFE_DAYS,
	RECALIBRATION_NPARAMS
};

#define RECALIBRATION_PARAMS \
	{.name = "recalibration_deviation",.type = PARAM_NUMBER, \
		.min = 0,.max = 100,.unit = "slope", \
		.search = {0.01, 10}, \
	.description = "prior deviation of the slope that corrects forecasts, which is 1 before any match; 0: no correction"}, \
	{.name = "recalibration_side_deviation",.type = PARAM_NUMBER, \
		.min = 0,.max = 100,.unit = "log-odds", \
		.search = {0.01, 10}, \
	.description = "prior deviation of what the correction adds to the log-odds of side 1; 0: nothing"}, \
	{.name = "recalibration_half_life_matches",.type = PARAM_NUMBER, \
		.min = 0,.max = 1e9,.unit = "matches", \
		.search = {10, 1e6},.zero_is_other = true, \
	.description = "matches after which the correction has forgotten half of what it learned; 0: never"}, \
	{.name = "recalibration_half_life_days",.type = PARAM_NUMBER, \
		.min = 0,.max = 1e9,.unit = "days", \
		.search = {1, 1e5},.zero_is_other = true, \
	.description = "the same in days; 0: never"}

/* The state of the component: what online_logistic.h keeps of two coefficients. */
enum
{
	RECALIBRATION_INTERCEPT,
	RECALIBRATION_SLOPE,
	RECALIBRATION_INFORMATION,	/* of the intercept, of both, of the slope */
	RECALIBRATION_NSTATE = RECALIBRATION_INFORMATION + 3
};

extern const StateSpec recalibration_state[RECALIBRATION_NSTATE];

extern bool recalibration_used(const ParamValue *params);
extern void recalibration_init(const ParamValue *params, double *state);
extern void recalibration_age(const ParamValue *params, double *state, double seconds);

/* The kind of component, as the last one in the rules of a model. */
#define RECALIBRATION_COMPONENT \
	{.name = "recalibration", \
	.description = "how forecasts are corrected", \
	.scope = COMPONENT_OF_MATCH,.key = COMPONENT_BY_NOTHING, \
	.state = recalibration_state,.nstate = RECALIBRATION_NSTATE, \
	.used = recalibration_used,.init = recalibration_init, \
	.age = recalibration_age}

/*
 * Correct the forecast of a match, in match->team[].win, by the state before.  Nothing
 * learned changes no bit, and a team on its own is left alone.  MATCH_OVERFLOW if the state
 * is too large to compute with.
 */
extern MatchStatus recalibration_correct(const double *before, Match *match);

/*
 * The probability of a draw of two teams, given that of their forecast: those of a win, a
 * draw and a loss are tilted exponentially (multiplied by u, 1 and 1 / u) until they imply
 * the corrected probability of winning, where a draw counts half.
 */
extern double recalibration_draw(double win, double corrected, double draw);

/*
 * The state after a match from the one before, given the forecast of the model itself, in
 * match->team[].win.  MATCH_OVERFLOW if the numbers are too large to compute with.
 */
extern MatchStatus recalibration_learn(const ParamValue *params, const double *before,
									   const Match *match, double *after);

#endif							/* CORE_RATING_RECALIBRATION_H */
