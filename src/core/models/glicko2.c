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
#include "core/models/deviation.h"
#include "core/models/glicko.h"
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
	PERIOD_PARAMS(7, "length of the rating period that volatilities refer to, unless the calendar says it"),
	{.name = "opponents",.type = PARAM_CHOICE,.default_value = GLICKO_RANKING,
		.choices = glicko_opponents,
	.description = "weight of the games against all other teams together: that of the order of teams, one game, or one game each"},
};

static const StateSpec glicko2_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	{.name = "deviation",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "standard deviation of the rating in points"},
	{.name = "volatility",.min = MIN_DEVIATION,
	.description = "how far the rating drifts in a period, in log-odds"},
	GLICKO_PERIOD_COLUMNS,
	PERIOD_TOURNAMENT_COLUMNS
};

static const Model *glicko2_variant(const ParamValue *params);

/*
 * Glickman's f, with its numerator and denominator divided by v^2 = 1 /
 * information^2, so that games which tell hardly anything do no harm.
 */
typedef struct Volatility
{
	const GlickoGames *games;
	double		variance;		/* of the rating before */
	double		a;				/* logarithm of the squared volatility */
	double		tau;
} Volatility;

static double
volatility_slope(const Volatility *v, double x)
{
	double		k = v->games->information;
	double		surprise = v->games->surprise;
	double		e = portable_exp(x);
	double		d = 1 + k * (v->variance + e);

	return e * (surprise * surprise - k * d) / (2 * d * d) -
		(x - v->a) / (v->tau * v->tau);
}

double
glicko2_volatility(const GlickoGames *games, double deviation,
				   double volatility, double tau)
{
	const double farthest = 20;
	const int	max_iterations = 100;
	Volatility	v = {games, deviation * deviation, 2 * portable_log(volatility), tau};
	double		a = v.a;
	double		b;
	double		fa;
	double		fb;
	double		excess;
	double		step;
	int			i;

	if (tau == 0 || games->information == 0)
		return volatility;

	/*
	 * Glickman's bracket: up to where the games alone would put it, or down
	 * in steps that begin with tau.  It matters after great surprises, when f
	 * has several roots.
	 */
	excess = games->surprise * games->surprise - games->information *
		(1 + games->information * v.variance);
	fa = volatility_slope(&v, a);
	if (excess > 0)
		b = larger(smaller(portable_log(excess) - 2 * portable_log(games->information),
						   a + farthest), a - farthest);
	else
	{
		for (step = tau; step < farthest; step *= 2)
			if (volatility_slope(&v, a - step) >= 0)
				break;
		b = a - smaller(step, farthest);
	}
	fb = volatility_slope(&v, b);
	if (!(fa * fb <= 0))
		return isnan(fa * fb) ? NAN : portable_exp(b / 2);

	for (i = 0; i < max_iterations && fabs(b - a) > 1e-14 * larger(1, fabs(a)); i++)
	{
		double		c = a + (a - b) * fa / (fb - fa);
		double		fc = volatility_slope(&v, c);

		if (fc * fb <= 0)
		{
			a = b;
			fa = fb;
		}
		else
			fa /= 2;
		b = c;
		fb = fc;
		if (fb == 0)
			break;
	}
	return portable_exp(b / 2);
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
glicko2_rate(const ParamValue *params, Match *match)
{
	const Model *model = glicko2_variant(params);
	MatchStatus status = glicko_play(match, params[GLICKO2_OPPONENTS].choice);
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
#define GLICKO2_MODEL(columns) \
	.name = "glicko2", \
	.summary = "rating, deviation, and how volatile the rating is", \
	.source = "M. E. Glickman, Example of the Glicko-2 system (2013)", \
	.params = MODEL_PARAMS("glicko2", glicko2_params, GLICKO2_NPARAMS), \
	.state = glicko2_state, \
	.nstate = GLICKO2_NSTATE + (columns), \
	.variant = glicko2_variant, \
	MODEL_COMMON, \
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS | \
	MODEL_GAIN, \
	.init = glicko2_init, \
	.predict = glicko_predict, \
	.rate = glicko2_rate, \
	.display = glicko2_display

extern const Model glicko2_model;
const Model glicko2_model = {GLICKO2_MODEL(0),.age = glicko2_age};

/* Time passes in whole periods. */
#define GLICKO2_PERIOD_MODEL(columns) \
	{GLICKO2_MODEL(columns),.period = GLICKO2_NSTATE,.period_param = GLICKO2_PERIOD, \
	.close = glicko2_close}

static const Model glicko2_calendar = GLICKO2_PERIOD_MODEL(PERIOD_NCOLUMNS);
static const Model glicko2_tournaments = GLICKO2_PERIOD_MODEL(PERIOD_NTOURNAMENT_COLUMNS);

static const Model *
glicko2_variant(const ParamValue *params)
{
	return period_variant(&params[GLICKO2_PERIOD], &glicko2_model, &glicko2_calendar,
						  &glicko2_tournaments);
}
