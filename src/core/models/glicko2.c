/*
 * glicko2.c
 *		Glicko-2: Glicko with a volatility, how fast the rating itself moves.
 *
 * M. E. Glickman, "Example of the Glicko-2 system" (2013 revision) and "Dynamic
 * paired comparison models with stochastic variances" (2001).  Here too a match
 * of a ladder is a rating period of its own, in which the deviation does not
 * grow; it grows with the time between matches.
 */
#include <math.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/models/deviation.h"
#include "core/models/glicko.h"
#include "core/models/max_lead.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	GLICKO2_RATING,
	GLICKO2_DEVIATION,
	GLICKO2_VOLATILITY,
	GLICKO2_NSTATE
};

enum
{
	GLICKO2_INITIAL_RATING = MODEL_COMMON_PARAMS,
	GLICKO2_INITIAL_DEVIATION,
	GLICKO2_INITIAL_VOLATILITY,
	GLICKO2_DEVIATION_MIN,
	GLICKO2_DEVIATION_LIMIT,
	GLICKO2_TAU,
	GLICKO2_PERIOD,
	GLICKO2_OPPONENTS = GLICKO2_PERIOD + PERIOD_NPARAMS,
	GLICKO2_MAX_LEAD,
	GLICKO2_NPARAMS
};

static const ParamSpec glicko2_params[] = {
	{.name = "initial_rating",.type = PARAM_NUMBER,.default_value = 1500,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "rating of a player who has not played"},
	{.name = "initial_deviation",.type = PARAM_NUMBER,
		.default_value = GLICKO_DEVIATION_MAX,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "deviation of a player who has not played"},
	{.name = "initial_volatility",.type = PARAM_NUMBER,.default_value = 0.06,
		.min = 0,.above_min = true,.max = 1e3,
		.unit = "log-odds per square root of a period",
		.searched = true,
	.description = "volatility of a player who has not played"},
	{.name = "deviation_min",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "rating points",
		.search = {1, 350},
	.description = "no match takes a deviation below this, so that ratings keep moving"},
	{.name = "deviation_max",.type = PARAM_NUMBER,
		.default_value = GLICKO_DEVIATION_MAX,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
	.description = "idle time takes no deviation beyond this"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 0.5,
		.min = 0,.max = 1e3,.unit = "log of volatility",
	.description = "how fast volatilities change; 0 keeps them"},
	PERIOD_PARAMS(7, PERIOD_UNIT, "length of the rating period that volatilities refer to, unless the calendar says it"),
	{.name = "opponents",.type = PARAM_CHOICE,.default_value = GLICKO_RANKING,
		.choices = glicko_opponents,
	.description = "weight of the games against all other teams together: that of the order of teams, one game, or one game each"},
	MAX_LEAD_PARAM
};

#define OTHER_COLUMNS \
	{.name = "deviation",.min = MIN_DEVIATION,.role = ROLE_DEVIATION, \
	.description = "standard deviation of the rating in points"}, \
	{.name = "volatility",.min = MIN_DEVIATION, \
	.description = "how far the rating drifts in a period, in log-odds"}

static const StateSpec glicko2_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	OTHER_COLUMNS
};
static const StateSpec glicko2_period_state[] =
{PERIOD_START_RATING, OTHER_COLUMNS, GLICKO_PERIOD_COLUMNS};

static const Model *glicko2_variant(const ParamValue *params);

/*
 * Glickman's f, times tau^2, as a function of y = x - ln sigma^2.  With phi and v as in
 * the paper, w = e^x / (phi^2 + v + e^x) and r = Delta^2 / (phi^2 + v) - 1, his first
 * term is w (r (1 - w) - w) / 2, in which nothing overflows.
 */
typedef struct Volatility
{
	double		excess;			/* r, not below -1 */
	double		start;			/* logit of w at the start, y = 0 */
	double		tau2;
} Volatility;

static double
volatility_f(const Volatility *v, double y)
{
	double		w = logistic(v->start + y);
	double		rest = logistic(-v->start - y);

	return v->tau2 * (w * (v->excess * rest - w) / 2) - y;
}

static double
volatility_slope(const Volatility *v, double y)
{
	double		w = logistic(v->start + y);
	double		rest = logistic(-v->start - y);

	return v->tau2 * (w * rest * (v->excess * (rest - w) - 2 * w) / 2) - 1;
}

/*
 * The first point after the start at which f has a minimum, or limit if there is none,
 * for f above 0 at the start.
 *
 * As a function of w the second derivative of f is a quadratic, so f bends upward, then
 * downward, then upward again until it ends with a slope below 0 at Glickman's upper
 * bound, which limit does not exceed.  A minimum can only be where it bends upward first, with a slope that
 * grows through 0 on the way to the inflection.
 */
static double
volatility_minimum(const Volatility *v, double limit)
{
	double		q = 1 / (1 + v->excess);
	double		w = v->excess * q / (3 - q + sqrt(3 + q * q));
	double		inflection = smaller(portable_log(w / (1 - w)) - v->start, limit);
	double		low = 0;
	double		high = inflection;

	if (!(inflection > 0 && volatility_slope(v, 0) < 0 &&
		  volatility_slope(v, inflection) > 0))
		return limit;
	for (;;)
	{
		double		middle = low + (high - low) / 2;

		if (!(low < middle && middle < high))
			return high;
		if (volatility_slope(v, middle) < 0)
			low = middle;
		else
			high = middle;
	}
}

/*
 * The root between low and high, where f passes once from above 0 to below it: by the
 * Illinois method, and by bisection if that takes too long.
 */
static double
volatility_root(const Volatility *v, double low, double high)
{
	const int	max_illinois = 100;
	const double tolerance = 1e-15;
	double		f_low = volatility_f(v, low);
	double		f_high = volatility_f(v, high);
	int			last = 0;		/* the end that moved: -1 low, 1 high */
	int			i;

	if (isnan(f_low) || isnan(f_high))
		return NAN;

	/* Only rounding takes the sign from an end, which is then the root. */
	if (f_low <= 0)
		return low;
	if (f_high >= 0)
		return high;
	for (i = 0; high - low > tolerance * larger(1, fabs(low)); i++)
	{
		double		y = low + (high - low) / 2;
		double		f;

		if (i < max_illinois)
			y = low + (high - low) * (f_low / (f_low - f_high));
		if (!(low < y && y < high))
			y = low + (high - low) / 2;
		if (!(low < y && y < high))
			break;
		f = volatility_f(v, y);
		if (f == 0)
			return y;
		if (f > 0)
		{
			low = y;
			f_low = f;
			if (last == -1)
				f_high /= 2;
			last = -1;
		}
		else
		{
			high = y;
			f_high = f;
			if (last == 1)
				f_low /= 2;
			last = 1;
		}
	}
	return low + (high - low) / 2;
}

/*
 * The most by which ln sigma^2 rises in one period.  The root near the start is below it
 * as long as sigma tau |surprise| <= sqrt(2 / e), and where it vanishes it is at 1 or
 * above.  The root that is left then can be at a volatility of thousands.
 */
#define MAX_RISE 1

/*
 * f is the slope of the logarithm of a density of ln sigma^2, which can have two modes
 * after a great surprise.  The root wanted is the mode that one reaches from the start
 * uphill: the first on the side to which f points there.  Roots are on that side only.
 */
double
glicko2_volatility(const GlickoGames *games, double deviation,
				   double volatility, double tau)
{
	/* A game that nobody can lose; below, numbers would overflow. */
	double		information = larger(games->information, 1e-100);
	double		surprise = games->surprise;
	double		known = 1 + information * deviation * deviation;
	Volatility	v;
	double		bound;
	double		low;
	double		high;

	if (tau == 0 || (games->information == 0 && surprise == 0))
		return volatility;
	v.excess = surprise * surprise / (information * known) - 1;
	v.start = 2 * portable_log(volatility) +
		portable_log(information) - portable_log(known);
	v.tau2 = tau * tau;

	/* Glickman's bound ln(Delta^2 - phi^2 - v), where his first term is 0. */
	bound = v.excess > 0 ? portable_log(v.excess) - v.start : -INFINITY;
	if (volatility_f(&v, 0) > 0)
	{
		double		minimum;

		low = 0;
		high = smaller(larger(bound, 0), MAX_RISE);
		minimum = volatility_minimum(&v, high);
		if (volatility_f(&v, minimum) > 0)
			low = minimum;
		else
			high = minimum;
	}
	else
	{
		/*
		 * Otherwise he goes down in steps of tau until f is not below 0.  As his
		 * first term is not below -1/2, half of tau^2 is always far enough, and f
		 * falls all the way from there to the start.
		 */
		low = larger(smaller(bound, 0), -v.tau2 / 2);
		high = 0;
	}
	return volatility * portable_exp(volatility_root(&v, low, high) / 2);
}

static void
glicko2_init(const ParamValue *params, double *state)
{
	int			i;

	state[GLICKO2_RATING] = params[GLICKO2_INITIAL_RATING].number;
	state[GLICKO2_DEVIATION] = larger(params[GLICKO2_INITIAL_DEVIATION].number,
									  MIN_DEVIATION);
	state[GLICKO2_VOLATILITY] = larger(params[GLICKO2_INITIAL_VOLATILITY].number,
									   MIN_DEVIATION);
	for (i = GLICKO2_NSTATE; i < glicko2_variant(params)->nstate; i++)
		state[i] = 0;
}

static void
glicko2_age(const ParamValue *params, double *state, double seconds)
{
	double		points = state[GLICKO2_VOLATILITY] / GLICKO_LOG_ODDS;
	double		periods = seconds /
		(SECONDS_PER_DAY * params[GLICKO2_PERIOD + 1].number);

	state[GLICKO2_DEVIATION] =
		deviation_grown(state[GLICKO2_DEVIATION], points * points * periods,
						params[GLICKO2_DEVIATION_LIMIT].number);
}

static MatchStatus
glicko2_predict(const ParamValue *params, Match *match)
{
	return glicko_predict_teams(match, params[GLICKO2_MAX_LEAD].number);
}

static MatchStatus
glicko2_rate(const ParamValue *params, Match *match)
{
	const Model *model = glicko2_variant(params);
	MatchStatus status = glicko_play(match, params[GLICKO2_OPPONENTS].choice,
									 params[GLICKO2_MAX_LEAD].number);
	int			i;

	if (model->period != 0)
	{
		glicko_add_to_periods(model, params, match);
		return status;
	}
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		GlickoGames games = glicko_games_of(player);
		double		volatility = player->before[GLICKO2_VOLATILITY];
		double		ratio =
			glicko2_volatility(&games,
							   GLICKO_LOG_ODDS * player->before[GLICKO2_DEVIATION],
							   volatility, params[GLICKO2_TAU].number) / volatility;

		player->after[GLICKO2_VOLATILITY] =
			deviation_updated(volatility, ratio, player->gain, MIN_DEVIATION);
		glicko_update_player(player, params[GLICKO2_DEVIATION_MIN].number);
	}
	return status;
}

static void
glicko2_display(const ParamValue *params, double *coefficient)
{
	const Model *model = glicko2_variant(params);
	int			i;

	for (i = 0; i <= model->nstate; i++)
		coefficient[i] = (i == GLICKO2_RATING);
	if (model->period != 0)
		coefficient[model->period + PERIOD_CHANGE] = period_shown(&params[GLICKO2_PERIOD]);
}

/*
 * The paper's steps 5 to 8.  The deviation grows by the new volatility before the games
 * count, and then in each period of rest.
 */
static void
glicko2_close(const ParamValue *params, double *state, double elapsed)
{
	GlickoGames games = glicko_period_games(state + GLICKO2_NSTATE);
	double		limit = params[GLICKO2_DEVIATION_LIMIT].number;
	double		before = state[GLICKO2_DEVIATION];
	double		volatility = glicko2_volatility(&games, GLICKO_LOG_ODDS * before,
												state[GLICKO2_VOLATILITY],
												params[GLICKO2_TAU].number);
	double		points = volatility / GLICKO_LOG_ODDS;
	double		played = smaller(elapsed, 1);

	state[GLICKO2_VOLATILITY] = volatility < MIN_DEVIATION ? MIN_DEVIATION : volatility;
	glicko_end_period(&games, deviation_grown(before, points * points * played, INFINITY),
					  params[GLICKO2_DEVIATION_MIN].number, state);
	if (state[GLICKO2_DEVIATION] > larger(before, limit))
		state[GLICKO2_DEVIATION] = larger(before, limit);
	state[GLICKO2_DEVIATION] =
		deviation_grown(state[GLICKO2_DEVIATION], points * points * (elapsed - played), limit);
}

/* What all variants have. */
#define GLICKO2_MODEL(states, columns) \
	.name = "glicko2", \
	.summary = "rating, deviation, and how volatile the rating is", \
	.source = "M. E. Glickman, Example of the Glicko-2 system (2013)", \
	.params = MODEL_PARAMS("glicko2", glicko2_params, GLICKO2_NPARAMS), \
	.state = (states), \
	.nstate = GLICKO2_NSTATE + (columns), \
	.variant = glicko2_variant, \
	MODEL_COMMON, \
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS | \
	MODEL_GAIN, \
	.init = glicko2_init, \
	.predict = glicko2_predict, \
	.rate = glicko2_rate, \
	.display = glicko2_display

extern const Model glicko2_model;
const Model glicko2_model = {GLICKO2_MODEL(glicko2_state, 0),.age = glicko2_age};

/* Time passes in whole periods. */
#define GLICKO2_PERIOD_MODEL(columns) \
	{GLICKO2_MODEL(glicko2_period_state, columns),.period = GLICKO2_NSTATE,.period_param = GLICKO2_PERIOD, \
	.close = glicko2_close}

static const Model glicko2_calendar = GLICKO2_PERIOD_MODEL(PERIOD_NCOLUMNS);
static const Model glicko2_tournaments = GLICKO2_PERIOD_MODEL(PERIOD_NTOURNAMENT_COLUMNS);

static const Model *
glicko2_variant(const ParamValue *params)
{
	return period_variant(&params[GLICKO2_PERIOD], &glicko2_model, &glicko2_calendar,
						  &glicko2_tournaments);
}
