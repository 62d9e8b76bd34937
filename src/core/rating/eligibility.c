/*
 * eligibility.c
 *		Which matches a ladder wants to rate.
 */
#include "core/rating/eligibility.h"

#include <math.h>
#include <stdlib.h>

#include "core/util/extremes.h"

/* More seconds than any memory of opponents lasts: 31 years. */
#define MAX_SECONDS 1e9

static const ParamSpec eligibility_specs[] = {
	[ELIGIBILITY_MAX_NEWCOMER_SHARE] = {
		.name = "max_newcomer_share",.type = PARAM_NUMBER,.default_value = 1,.min = 0,.max = 1,
		.unit = "share of the players",
		.description = "matches with more newcomers are not rated"
	},
	[ELIGIBILITY_NEWCOMER_GAMES] = {
		.name = "newcomer_games",.type = PARAM_NUMBER,.default_value = 10,.min = 1,.max = 1e6,
		.unit = "matches",
		.description = "a newcomer is who has played fewer matches before, those of the column experience included"
	},
	[ELIGIBILITY_MAX_REPEATS] = {
		.name = "max_repeats",.type = PARAM_NUMBER,.default_value = 0,.min = 0,.max = 1e6,
		.unit = "matches",
		.description = "a match is not rated if so many were in which all of its opponents met, in the same pool; 0 for no limit"
	},
	[ELIGIBILITY_REPEAT_WINDOW] = {
		.name = "repeat_window",.type = PARAM_NUMBER,.default_value = 86400,.min = 0,
		.max = MAX_SECONDS,.above_min = true,.unit = "seconds",
		.description = "how far apart in time matches may be that count for max_repeats"
	}
};

const ParamSet eligibility_params =
PARAM_SET("rules", "eligibility", eligibility_specs, ELIGIBILITY_NRULES);

bool
eligibility_limits_newcomers(const ParamValue *rules)
{
	return rules[ELIGIBILITY_MAX_NEWCOMER_SHARE].number < 1;
}

bool
eligibility_limits_repeats(const ParamValue *rules)
{
	return rules[ELIGIBILITY_MAX_REPEATS].number > 0;
}

MatchStatus
eligibility_judge_newcomers(const ParamValue *rules, const Match *match,
							const double *games, double *value)
{
	int			newcomers = 0;
	int			i;

	*value = NAN;
	if (!eligibility_limits_newcomers(rules))
		return MATCH_OK;
	for (i = 0; i < match->nplayers; i++)
	{
		double		experience = match->player[i].experience;
		double		played = isnan(experience) ? games[i] :
			larger(games[i], experience);

		newcomers += played < rules[ELIGIBILITY_NEWCOMER_GAMES].number;
	}
	*value = (double) newcomers / match->nplayers;
	return *value > rules[ELIGIBILITY_MAX_NEWCOMER_SHARE].number ?
		MATCH_TOO_MANY_NEWCOMERS : MATCH_OK;
}

static int
compare_teams_before(const void *a, const void *b)
{
	const TeamsOfPlayer *p = (const TeamsOfPlayer *) a;
	const TeamsOfPlayer *q = (const TeamsOfPlayer *) b;

	return (p->before > q->before) - (p->before < q->before);
}

/* Who were on one team must be on one now. */
bool
eligibility_same_opponents(TeamsOfPlayer *player, int n)
{
	int			i;

	qsort(player, (size_t) n, sizeof(TeamsOfPlayer), compare_teams_before);
	for (i = 1; i < n; i++)
		if (player[i].before == player[i - 1].before &&
			player[i].now != player[i - 1].now)
			return false;
	return true;
}
