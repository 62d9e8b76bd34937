/*
 * recalibration.c
 *		Forecasts of matches corrected by what earlier ones have taught.
 */
#include "core/rating/recalibration.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/online_logistic.h"
#include "core/util/extremes.h"

#define NCOEFFICIENTS 2
#define SECONDS_PER_DAY 86400.0

const StateSpec recalibration_state[RECALIBRATION_NSTATE] = {
	{.name = "intercept",.min = -INFINITY,
	.description = "added to the log-odds of side 1"},
	{.name = "slope",.min = -INFINITY,
	.description = "multiplies the log-odds, or the logarithms of probabilities"},
	{.name = "intercept_information",.min = 0,
	.description = "information of the matches about the intercept"},
	{.name = "joint_information",.min = -INFINITY,
	.description = "information of the matches about intercept and slope"},
	{.name = "slope_information",.min = 0,
	.description = "information of the matches about the slope"},
};

static const double prior_mean[NCOEFFICIENTS] = {0, 1};

/* The priors of the coefficients; deviation has room for both. */
static LogisticPrior
prior_of(const ParamValue *params, double *deviation)
{
	LogisticPrior prior = {NCOEFFICIENTS, prior_mean, deviation};

	/*
	 * A deviation of 0 fixes the coefficient at its prior mean, the
	 * uncorrected forecast.
	 */
	deviation[RECALIBRATION_INTERCEPT] = params[RECALIBRATION_SIDE_DEVIATION].number;
	deviation[RECALIBRATION_SLOPE] = params[RECALIBRATION_DEVIATION].number;
	return prior;
}

bool
recalibration_used(const ParamValue *params)
{
	return params[RECALIBRATION_DEVIATION].number > 0 ||
		params[RECALIBRATION_SIDE_DEVIATION].number > 0;
}

void
recalibration_init(const ParamValue *params, double *state)
{
	double		deviation[NCOEFFICIENTS];
	LogisticPrior prior = prior_of(params, deviation);

	online_logistic_init(&prior, state);
}

void
recalibration_age(const ParamValue *params, double *state, double seconds)
{
	double		half_life = params[RECALIBRATION_HALF_LIFE_DAYS].number;
	double		deviation[NCOEFFICIENTS];
	LogisticPrior prior = prior_of(params, deviation);

	/*
	 * A state that is too large to compute with stays, and the next match
	 * says so.
	 */
	if (half_life > 0)
		(void) online_logistic_forget(&prior,
									  half_life_share(seconds / SECONDS_PER_DAY, half_life),
									  state);
}

/* The features of the first of two teams: an intercept only where the sides differ. */
static void
features_of_two(const Match *match, double *x)
{
	const MatchTeam *first = &match->team[match_first_side(match)];

	x[RECALIBRATION_INTERCEPT] = first->side == 1;
	x[RECALIBRATION_SLOPE] = bounded_log_odds(first->win);
}

/* The features of each of several teams, one row a team. */
static void
features_of_many(const Match *match, double *x)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		x[NCOEFFICIENTS * i + RECALIBRATION_INTERCEPT] = 0;
		x[NCOEFFICIENTS * i + RECALIBRATION_SLOPE] = bounded_log(match->team[i].win);
	}
}

static void
correct_many(const double *before, Match *match)
{
	double		x[NCOEFFICIENTS * MATCH_MAX_PARTICIPANTS];
	double		win[MATCH_MAX_PARTICIPANTS];
	LogisticOutcome outcome = {.alternatives = match->nteams,.x = x};
	int			i;

	features_of_many(match, x);
	online_logistic_predict(NCOEFFICIENTS, before, &outcome, win);
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = win[i];
}

MatchStatus
recalibration_correct(const double *before, Match *match)
{
	bool		as_it_is = before[RECALIBRATION_SLOPE] == 1;

	if (match->nteams == 2)
	{
		int			first = match_first_side(match);
		double		x[NCOEFFICIENTS];

		features_of_two(match, x);
		if (as_it_is && x[RECALIBRATION_INTERCEPT] * before[RECALIBRATION_INTERCEPT] == 0)
			return MATCH_OK;
		match->team[first].win = logistic(online_logistic_value(NCOEFFICIENTS, before, x));
		match->team[1 - first].win = 1 - match->team[first].win;
	}
	else if (match->nteams > 2 && !as_it_is)
		correct_many(before, match);
	return match_check_predictions(match);
}

/*
 * The odds of a win to a draw and of a draw to a loss change by the same factor u, so that a
 * win and half of a draw add up to the corrected forecast.
 */
double
recalibration_draw(double win, double corrected, double draw)
{
	double		lost = 1 - corrected;
	double		a = larger(win - draw / 2, 0) * lost;
	double		b = draw * (lost - corrected) / 2;
	double		c = larger(1 - win - draw / 2, 0) * corrected;
	double		root = sqrt(b * b + 4 * a * c);
	double		u;

	if (corrected == win || draw == 0)
		return draw;

	/* The positive root of a u^2 + b u - c, by the form that does not cancel. */
	u = b > 0 ? 2 * c / (b + root) : (root - b) / (2 * a);
	draw = draw * u / (larger(win - draw / 2, 0) * u * u + draw * u +
					   larger(1 - win - draw / 2, 0));

	/* Where one of them is certain, and against rounding. */
	return smaller(isnan(draw) ? 1 : draw, 2 * smaller(corrected, lost));
}

/* Forget as much as the weight of the outcome says, and learn from it. */
static MatchStatus
learn(const ParamValue *params, const LogisticOutcome *outcome, double *state,
	  InterruptCheck interrupt)
{
	double		half_life = params[RECALIBRATION_HALF_LIFE_MATCHES].number;
	double		deviation[NCOEFFICIENTS];
	LogisticPrior prior = prior_of(params, deviation);

	if (half_life > 0 &&
		!online_logistic_forget(&prior, half_life_share(outcome->weight, half_life), state))
		return MATCH_OVERFLOW;
	return online_logistic_learn(&prior, outcome, 1, state, interrupt) ? MATCH_OK :
		MATCH_OVERFLOW;
}

static MatchStatus
learn_from_two(const ParamValue *params, const Match *match, double weight, double *state)
{
	double		x[NCOEFFICIENTS];
	double		y = match_outcome(match, match_first_side(match)) / 2.0;
	LogisticOutcome outcome = {.alternatives = 1,.x = x,.y = &y,.weight = weight};

	features_of_two(match, x);
	return learn(params, &outcome, state, match->interrupt);
}

/* A first place that several share is shared out among them. */
static MatchStatus
learn_from_many(const ParamValue *params, const Match *match, double weight, double *state)
{
	double		x[NCOEFFICIENTS * MATCH_MAX_PARTICIPANTS];
	double		y[MATCH_MAX_PARTICIPANTS];
	LogisticOutcome outcome = {.alternatives = match->nteams,.x = x,.y = y,.weight = weight};

	features_of_many(match, x);
	match_first_places(match, y);
	return learn(params, &outcome, state, match->interrupt);
}

MatchStatus
recalibration_learn(const ParamValue *params, const double *before, const Match *match,
					double *after)
{
	double		weight = match_mean_gain(match);

	memcpy(after, before, RECALIBRATION_NSTATE * sizeof(double));
	if (match->nteams < 2 || weight == 0)
		return MATCH_OK;
	return match->nteams == 2 ? learn_from_two(params, match, weight, after) :
		learn_from_many(params, match, weight, after);
}
