/*
 * size_advantage.c
 *		The advantage of the larger team, learned from the matches of uneven teams.
 */
#include "core/rating/size_advantage.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/math/logistic.h"
#include "core/math/online_logistic.h"
#include "core/util/extremes.h"

/*
 * The coefficients of the ratio and the difference, and one that is fixed at 1, of the
 * forecast without the advantage.
 */
#define NCOEFFICIENTS 3
#define OWN_FORECAST 2
#define NINFORMATION (SIZE_ADVANTAGE_NSTATE - SIZE_ADVANTAGE_INFORMATION)

/* Of the ratio, in log-odds, and of the difference, in log-odds for each player. */
static const double prior_deviation[NCOEFFICIENTS] = {3, 1, 0};

/*
 * No team has a larger advantage, in log-odds: what was learned of 4 against 3 says little
 * of 4 against 4000, and a model with normal performances moves skills in proportion to it.
 */
#define MAX_ADVANTAGE 10.0

const char *const size_advantage_choices[] = {"auto", "none", "learned", "fixed", NULL};

const StateSpec size_advantage_state[SIZE_ADVANTAGE_NSTATE] = {
	{.name = "ratio",.min = -INFINITY,
	.description = "log-odds of the larger team, by (n1 - n2) / (n1 + n2)"},
	{.name = "difference",.min = -INFINITY,
	.description = "log-odds of the larger team, by n1 - n2"},
	{.name = "ratio_information",.min = 0,
	.description = "information of the matches about the ratio"},
	{.name = "joint_information",.min = -INFINITY,
	.description = "information of the matches about ratio and difference"},
	{.name = "difference_information",.min = 0,
	.description = "information of the matches about the difference"},
};

bool
size_advantage_learned_if_asked(const ParamValue *params)
{
	return params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_LEARNED;
}

bool
size_advantage_learned(const ParamValue *params)
{
	return params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_AUTO ||
		size_advantage_learned_if_asked(params);
}

static void
prior_mean(const ParamValue *params, double *mean)
{
	mean[SIZE_ADVANTAGE_RATIO] = params[SIZE_ADVANTAGE_PARAM_RATIO].number;
	mean[SIZE_ADVANTAGE_DIFFERENCE] = params[SIZE_ADVANTAGE_PARAM_DIFFERENCE].number;
}

void
size_advantage_init(const ParamValue *params, double *state)
{
	memset(state, 0, SIZE_ADVANTAGE_NSTATE * sizeof(double));
	prior_mean(params, state);
}

bool
size_advantage_coefficients(const ParamValue *params, const double *before, double *coefficient)
{
	if (params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_FIXED)
		prior_mean(params, coefficient);
	else if (before != NULL)
		memcpy(coefficient, before, 2 * sizeof(double));
	else
		return false;
	return true;
}

static double
between(double low, double x, double high)
{
	return smaller(larger(x, low), high);
}

/* A difference of sizes is at most that of the largest match of players who play all of it. */
static double
bounded_difference(double difference)
{
	return between(-MATCH_MAX_PARTICIPANTS, difference, MATCH_MAX_PARTICIPANTS);
}

/* The features of two teams, in favour of the first. */
static void
features_of_two(const Match *match, double *x)
{
	int			first = match_first_side(match);
	double		size = match->team[first].size;
	double		other = match->team[1 - first].size;

	x[SIZE_ADVANTAGE_RATIO] = (size - other) / (size + other);
	x[SIZE_ADVANTAGE_DIFFERENCE] = bounded_difference(size - other);
}

/* The features of one of several, above the mean, as differences alone count. */
static void
features_of_team(double size, double mean, double *x)
{
	x[SIZE_ADVANTAGE_RATIO] = (size - mean) / (2 * mean);
	x[SIZE_ADVANTAGE_DIFFERENCE] = bounded_difference(size - mean);
}

static double
advantage(const double *coefficient, const double *x, double most)
{
	return between(-most, coefficient[SIZE_ADVANTAGE_RATIO] * x[SIZE_ADVANTAGE_RATIO] +
				   coefficient[SIZE_ADVANTAGE_DIFFERENCE] * x[SIZE_ADVANTAGE_DIFFERENCE],
				   most);
}

void
size_advantage_give(const double *coefficient, Match *match)
{
	double		x[2];
	double		mean;
	int			i;

	if (!match_is_uneven(match))
		return;
	if (match->nteams == 2)
	{
		features_of_two(match, x);
		match->log_odds += advantage(coefficient, x, MAX_ADVANTAGE);
		return;
	}
	mean = match_mean_size(match);
	for (i = 0; i < match->nteams; i++)
	{
		features_of_team(match->team[i].size, mean, x);
		match->team[i].advantage = advantage(coefficient, x, MAX_ADVANTAGE / 2);
	}
}

/*
 * Learn from an outcome.  Of the coefficient that is fixed nothing is known, nor kept: its
 * information plays no part.
 */
static MatchStatus
learn(const ParamValue *params, const LogisticOutcome *outcome, InterruptCheck interrupt,
	  double *state)
{
	double		mean[NCOEFFICIENTS] = {0, 0, 1};
	double		whole[ONLINE_LOGISTIC_SIZE(NCOEFFICIENTS)] = {0};
	LogisticPrior prior = {NCOEFFICIENTS, mean, prior_deviation};

	prior_mean(params, mean);
	memcpy(whole, state, 2 * sizeof(double));
	whole[OWN_FORECAST] = 1;
	memcpy(whole + NCOEFFICIENTS, state + SIZE_ADVANTAGE_INFORMATION,
		   NINFORMATION * sizeof(double));
	if (!online_logistic_learn(&prior, outcome, 1, whole, interrupt))
		return MATCH_OVERFLOW;
	memcpy(state, whole, 2 * sizeof(double));
	memcpy(state + SIZE_ADVANTAGE_INFORMATION, whole + NCOEFFICIENTS,
		   NINFORMATION * sizeof(double));
	return MATCH_OK;
}

static MatchStatus
learn_from_two(const ParamValue *params, const Match *match, double weight, double *state)
{
	int			first = match_first_side(match);
	double		x[NCOEFFICIENTS];
	double		y = match_outcome(match, first) / 2.0;
	LogisticOutcome outcome = {.alternatives = 1,.x = x,.y = &y,.weight = weight};

	features_of_two(match, x);
	x[OWN_FORECAST] = bounded_log_odds(match->team[first].win) -
		advantage(state, x, MAX_ADVANTAGE);
	return learn(params, &outcome, match->interrupt, state);
}

static MatchStatus
learn_from_many(const ParamValue *params, const Match *match, double weight, double *state)
{
	double		x[NCOEFFICIENTS * MATCH_MAX_PARTICIPANTS];
	double		y[MATCH_MAX_PARTICIPANTS];
	LogisticOutcome outcome = {.alternatives = match->nteams,.x = x,.y = y,.weight = weight};
	double		mean = match_mean_size(match);
	int			i;

	match_first_places(match, y);
	for (i = 0; i < match->nteams; i++)
	{
		double	   *row = x + NCOEFFICIENTS * i;

		features_of_team(match->team[i].size, mean, row);
		row[OWN_FORECAST] = bounded_log(match->team[i].win) - match->team[i].advantage;
	}
	return learn(params, &outcome, match->interrupt, state);
}

MatchStatus
size_advantage_learn(const ParamValue *params, const double *before, const Match *match,
					 double *after)
{
	double		weight = match_mean_gain(match);

	memcpy(after, before, SIZE_ADVANTAGE_NSTATE * sizeof(double));
	if (weight == 0)
		return MATCH_OK;
	return match->nteams == 2 ? learn_from_two(params, match, weight, after) :
		learn_from_many(params, match, weight, after);
}
