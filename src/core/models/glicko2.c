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
	GLICKO2_OPPONENTS,
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
	{.name = "period",.type = PARAM_NUMBER,.default_value = 7,
		.min = 0,.above_min = true,.max = 1e9,.unit = "days",
	.description = "rating period that volatilities refer to"},
	{.name = "opponents",.type = PARAM_CHOICE,.default_value = GLICKO_RANKING,
		.choices = glicko_opponents,
	.description = "weight of the games against all other teams together: that of the order of teams, one game, or one game each"},
	MAX_LEAD_PARAM
};

static const StateSpec glicko2_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	{.name = "deviation",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "standard deviation of the rating in points"},
	{.name = "volatility",.min = MIN_DEVIATION,
	.description = "how far the rating drifts in a period, in log-odds"},
};

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
	state[GLICKO2_RATING] = params[GLICKO2_INITIAL_RATING].number;
	state[GLICKO2_DEVIATION] = larger(params[GLICKO2_INITIAL_DEVIATION].number,
									  MIN_DEVIATION);
	state[GLICKO2_VOLATILITY] = larger(params[GLICKO2_INITIAL_VOLATILITY].number,
									   MIN_DEVIATION);
}

static void
glicko2_age(const ParamValue *params, double *state, double seconds)
{
	double		points = state[GLICKO2_VOLATILITY] / GLICKO_LOG_ODDS;
	double		periods = seconds /
		(SECONDS_PER_DAY * params[GLICKO2_PERIOD].number);

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
	MatchStatus status = glicko_play(match, params[GLICKO2_OPPONENTS].choice,
									 params[GLICKO2_MAX_LEAD].number);
	int			i;

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
	int			i;

	(void) params;
	for (i = 0; i <= GLICKO2_NSTATE; i++)
		coefficient[i] = (i == GLICKO2_RATING);
}

extern const Model glicko2_model;
const Model glicko2_model = {
	.name = "glicko2",
	.summary = "rating, deviation, and how volatile the rating is",
	.source = "M. E. Glickman, Example of the Glicko-2 system (2013)",
	.params = MODEL_PARAMS("glicko2", glicko2_params, GLICKO2_NPARAMS),
	.state = glicko2_state,
	.nstate = GLICKO2_NSTATE,
	MODEL_COMMON,
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN,
	.init = glicko2_init,
	.age = glicko2_age,
	.predict = glicko2_predict,
	.rate = glicko2_rate,
	.display = glicko2_display,
};
