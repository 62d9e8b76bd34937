/*
 * state_space_params.h
 *		The parameters of the state-space model, which its solver has, too.
 */
#ifndef CORE_MODELS_STATE_SPACE_PARAMS_H
#define CORE_MODELS_STATE_SPACE_PARAMS_H

#include "core/rating/params.h"

/* Their indexes. */
enum
{
	PARAM_INITIAL_MU,
	PARAM_INITIAL_SIGMA,
	PARAM_BETA,
	PARAM_NOISE,
	PARAM_TAU,
	PARAM_DRIFT,
	PARAM_REVERSION,
	PARAM_DRAW_PROBABILITY,
	PARAM_STRENGTH,
	PARAM_MARGIN,
	PARAM_MARGIN_EXPONENT,
	PARAM_HOME_SIGMA,
	PARAM_HOME_DRIFT,
	PARAM_HOME_CONTEXT_SIGMA,
	PARAM_PLAYER_CONTEXT_SIGMA,
	PARAM_CLUB_SIGMA,
	PARAM_CLUB_TAU,
	PARAM_CLUB_DRIFT,
	PARAM_INITIAL_SIDE_SIGMA,
	PARAM_INITIAL_COMMAND_MU,
	PARAM_INITIAL_COMMAND_SIGMA,
	PARAM_NEWCOMER_OFFSET,
	PARAM_NEWCOMER_COMPANY,
	PARAM_DISPLAY_DEVIATIONS,
	STATE_SPACE_NPARAMS
};

enum
{
	STATE_SPACE_NOISE_OF_PLAYERS,
	STATE_SPACE_NOISE_OF_TEAMS
};

/* The words of the choices. */
extern const char *const state_space_noises[];
extern const char *const state_space_strengths[];

/*
 * Their specs, with these defaults of the mean and deviation of skills, the deviation of a
 * performance and the drift from match to match.
 */
#define STATE_SPACE_PARAMS(mu, sigma, deviation, step) \
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = (mu), \
		.min = -1e9,.max = 1e9,.unit = "skill", \
	.description = "mean skill of a player who has not played"}, \
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = (sigma), \
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill", \
	.description = "deviation of the skill of a player who has not played"}, \
	{.name = "beta",.type = PARAM_NUMBER,.default_value = (deviation), \
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill", \
	.description = "deviation of one performance from the skill"}, \
	{.name = "noise",.type = PARAM_CHOICE,.default_value = STATE_SPACE_NOISE_OF_PLAYERS, \
		.choices = state_space_noises, \
	.description = "whether beta is that of each player, so that noise grows with the team, or that of a team"}, \
	{.name = "tau",.type = PARAM_NUMBER,.default_value = (step), \
		.min = 0,.max = 1e9,.unit = "skill per square root of a match", \
	.description = "drift of a skill from match to match"}, \
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill per square root of a day", \
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"}, \
	{.name = "reversion",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "per day", \
	.description = "rate at which a skill reverts to initial_mu, and sigma grows to initial_sigma, in idle time"}, \
	{.name = "draw_probability",.type = PARAM_NUMBER,.default_value = 0.1, \
		.min = 0,.max = 0.999,.unit = "probability", \
	.description = "of a draw between equals whose skills are known; gives the draw margin"}, \
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STATE_SPACE_CENTERED, \
		.choices = state_space_strengths, \
	.description = "strength of a team: the sum of its members above the mean of the match, their sum, their mean, or their share of all who play"}, \
	{.name = "margin",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill per score to the power of margin_exponent", \
	.description = "what a difference of scores says about skills, in a match of two players; 0: only the order counts"}, \
	{.name = "margin_exponent",.type = PARAM_NUMBER,.default_value = 0.7, \
		.min = 0,.above_min = true,.max = 10,.unit = "exponent", \
	.description = "how the difference of skills grows with that of scores; 1: in proportion"}, \
	{.name = "home_sigma",.type = PARAM_NUMBER,.default_value = 0.3 * (deviation), \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of what side 1 is worth before the first match, in a match of two players; 0: nothing"}, \
	{.name = "home_drift",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill per square root of a day", \
	.description = "drift of what side 1 is worth; its deviation grows by it up to home_sigma"}, \
	{.name = "home_context_sigma",.type = PARAM_NUMBER,.default_value = 0.1 * (deviation), \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of what side 1 is worth in a context besides; 0: nothing"}, \
	{.name = "player_context_sigma",.type = PARAM_NUMBER,.default_value = 0.2 * (deviation), \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of a player's skill in a context from the skill; 0: none"}, \
	{.name = "club_sigma",.type = PARAM_NUMBER,.default_value = 0.3 * (deviation), \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of what a club is worth to its team, in a match of two players; 0: nothing"}, \
	{.name = "club_tau",.type = PARAM_NUMBER,.default_value = 0.02 * (deviation), \
		.min = 0,.max = 1e9,.unit = "skill per square root of a match", \
	.description = "drift of a club from match to match"}, \
	{.name = "club_drift",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill per square root of a day", \
	.description = "drift of a club in idle time; its deviation grows by it up to club_sigma"}, \
	{.name = "initial_side_sigma",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of side_offset of a player who has not played; 0: players are the same on both sides"}, \
	{.name = "initial_command_mu",.type = PARAM_NUMBER,.default_value = (mu), \
		.min = -1e9,.max = 1e9,.unit = "skill", \
	.description = "mean skill as a commander of a player who has not played"}, \
	{.name = "initial_command_sigma",.type = PARAM_NUMBER,.default_value = 0, \
		.min = 0,.max = 1e9,.unit = "skill", \
	.description = "deviation of the skill as a commander of a player who has not played; 0: commanders count as players"}, \
	{.name = "newcomer_offset",.type = PARAM_NUMBER,.default_value = 0, \
		.min = -1e9,.max = 1e9,.unit = "skill", \
	.description = "what a player of whom nothing is known is better than initial_mu"}, \
	{.name = "newcomer_company",.type = PARAM_NUMBER,.default_value = 0, \
		.min = -10,.max = 10,.unit = "share", \
	.description = "how much of the lead of all known players of the match over initial_mu such a player has"}, \
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 3, \
		.min = 0,.max = 1e9,.unit = "deviations", \
	.description = "the displayed rating is mu minus so many sigma"}

#endif							/* CORE_MODELS_STATE_SPACE_PARAMS_H */
