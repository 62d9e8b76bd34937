/*
 * behaviour.c
 *		How well a player behaves, from reports, commends and quits.
 */
#include "core/rating/behaviour.h"

#include "core/math/elementary.h"
#include "core/util/extremes.h"

#define SECONDS_PER_DAY 86400.0
#define LN2 0.69314718055994531

enum
{
	BEHAVIOUR_HALF_LIFE_DAYS,
	BEHAVIOUR_HALF_LIFE_GAMES,
	BEHAVIOUR_PRIOR_SCORE,
	BEHAVIOUR_PRIOR_GAMES,
	BEHAVIOUR_REPORT_WEIGHT,
	BEHAVIOUR_MAX_REPORTS,
	BEHAVIOUR_COMMEND_WEIGHT,
	BEHAVIOUR_QUIT_WEIGHT,
	BEHAVIOUR_NPARAMS
};

static const ParamSpec behaviour_specs[] = {
	{.name = "half_life_days",.type = PARAM_NUMBER,.default_value = 90,
		.min = 0,.max = 1e6,.unit = "days",
	.description = "time after which evidence counts half; 0: time forgives nothing"},
	{.name = "half_life_games",.type = PARAM_NUMBER,.default_value = 50,
		.min = 0,.max = 1e6,.unit = "games",
	.description = "games after which evidence counts half; 0: games forgive nothing"},
	{.name = "prior_score",.type = PARAM_NUMBER,.default_value = 0.9,
		.min = 0.001,.max = 0.999,.unit = "score",
	.description = "score of a player of whom nothing is known"},
	{.name = "prior_games",.type = PARAM_NUMBER,.default_value = 10,
		.min = 1e-3,.max = 1e6,.unit = "games",
	.description = "games that the prior score counts as"},
	{.name = "report_weight",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e6,.unit = "games per report",
	.description = "games that a report counts as"},
	{.name = "max_reports",.type = PARAM_NUMBER,.default_value = 3,
		.min = 0,.max = 1e6,.unit = "reports",
	.description = "reports of one game that count at most"},
	{.name = "commend_weight",.type = PARAM_NUMBER,.default_value = 0.25,
		.min = 0,.max = 1e6,.unit = "games per commend",
	.description = "games that a commend counts as"},
	{.name = "quit_weight",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.max = 1e6,.unit = "games per quit",
	.description = "games that a quit counts as"},
};

const ParamSet behaviour_params =
PARAM_SET("aggregate", "behaviour_score", behaviour_specs, BEHAVIOUR_NPARAMS);

/* Evidence loses half of its weight in a half-life, of days or games; 0: none. */
static void
fade(Behaviour *behaviour, double passed, double half_life)
{
	double		left = half_life > 0 ? portable_exp(-LN2 * passed / half_life) : 1;

	behaviour->good *= left;
	behaviour->bad *= left;
}

void
behaviour_age(const ParamValue *params, Behaviour *behaviour, double seconds)
{
	fade(behaviour, seconds / SECONDS_PER_DAY, params[BEHAVIOUR_HALF_LIFE_DAYS].number);
}

void
behaviour_add_game(const ParamValue *params, Behaviour *behaviour, double reports,
				   double commends, double quits)
{
	/* What was there fades before the game is added, which counts in full. */
	fade(behaviour, 1, params[BEHAVIOUR_HALF_LIFE_GAMES].number);
	behaviour->good += 1 + params[BEHAVIOUR_COMMEND_WEIGHT].number * commends;

	/* A game that a whole team reports is one bad game and not five. */
	behaviour->bad += params[BEHAVIOUR_QUIT_WEIGHT].number * quits +
		params[BEHAVIOUR_REPORT_WEIGHT].number *
		smaller(reports, params[BEHAVIOUR_MAX_REPORTS].number);
}

double
behaviour_score(const ParamValue *params, const Behaviour *behaviour)
{
	double		prior = params[BEHAVIOUR_PRIOR_GAMES].number;

	/* The mean of a beta distribution whose prior counts as so many games. */
	return (params[BEHAVIOUR_PRIOR_SCORE].number * prior + behaviour->good) /
		(prior + behaviour->good + behaviour->bad);
}
