/*
 * trueskill2.c
 *		TrueSkill 2: TrueSkill with what else a match tells of a player.
 *
 * T. Minka, R. Cleven and Y. Zaykov, "TrueSkill 2: An improved Bayesian skill
 * rating system" (2018).  To the order of the teams it adds the squads that
 * players queued in, their experience, their kills and deaths, and quitting; a
 * skill may be the sum of a base that the player has in all modes and an offset
 * in the mode.  What a source does not give, or a parameter turns off, is left
 * out.
 *
 * What a match tells of performances is in trueskill2_evidence.c.
 *
 * TrueSkill is a trademark of Microsoft Corporation; this is an independent
 * implementation.
 */
#include "core/models/trueskill2.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/models/deviation.h"
#include "core/util/extremes.h"

enum
{
	STRENGTH_CENTERED,
	STRENGTH_SUM
};

static const char *const strength_choices[] = {"centered", "sum", NULL};

static const ParamSpec trueskill2_params[] = {
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 3,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean skill of a player who has not played the mode"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,
		.default_value = 1.2649110640673518,	/* the square root of 1.6 */
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
		.searched = true,
	.description = "deviation of the skill of a player who has not played the mode"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "deviation of one performance from the skill"},
	{.name = "tau",.type = PARAM_NUMBER,
		.default_value = 0.03162277660168379,	/* the square root of 0.001 */
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
		.searched = true,
	.description = "drift of a skill after each match"},
	{.name = "drift",.type = PARAM_NUMBER,
		.default_value = 0.0037947331922020553, /* 0.0001 in a minute */
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.of_time = true,
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"},
	{.name = "draw_margin",.type = PARAM_NUMBER,.default_value = 1e-3,
		.min = 0,.max = 1e9,.unit = "skill",
		.searched = true,
	.description = "difference of team performances within which teams draw"},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STRENGTH_CENTERED,
		.choices = strength_choices,
	.description = "strength of a team: the sum of its members above the mean of the match, or above 0"},
	{.name = "squad_offset",.type = PARAM_STEPS,
		.min = -1e9,.max = 1e9,.unit = "players, skill",
	.description = "pairs [size, offset]: what performing in a squad of that size or more adds"},
	{.name = "experience_offset",.type = PARAM_STEPS,
		.min = -1e9,.max = 1e9,.unit = "matches, skill per match",
	.description = "pairs [matches, offset]: how skill grows with a match, from that experience on"},
	{.name = "count_length",.type = PARAM_NUMBER,.default_value = 600,
		.min = 0,.above_min = true,.max = 1e9,.unit = "seconds",
	.description = "play time that kills and deaths are counted in; a match of unknown length is one"},
	{.name = "kill_self",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "kills per skill",
		.search = {-100, 100},
		.only_with = "kill_variance",.only_values = PARAM_VALUE(1),
	.description = "kills gained by the own performance, positive"},
	{.name = "kill_opponent",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "kills per skill",
		.search = {-100, 100},
		.only_with = "kill_variance",.only_values = PARAM_VALUE(1),
	.description = "kills gained by the mean performance of the opponents, negative"},
	{.name = "kill_variance",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "squared kills",
		.search = {0.01, 10000},.zero_is_other = true,
	.description = "variance of the kills of a match; 0 leaves kills out"},
	{.name = "death_self",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "deaths per skill",
		.search = {-100, 100},
		.only_with = "death_variance",.only_values = PARAM_VALUE(1),
	.description = "deaths gained by the own performance, negative"},
	{.name = "death_opponent",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "deaths per skill",
		.search = {-100, 100},
		.only_with = "death_variance",.only_values = PARAM_VALUE(1),
	.description = "deaths gained by the mean performance of the opponents, positive"},
	{.name = "death_variance",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "squared deaths",
		.search = {0.01, 10000},.zero_is_other = true,
	.description = "variance of the deaths of a match; 0 leaves deaths out"},
	{.name = "quit_margin",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 0,.unit = "skill",
		.search = {-10, 0},
	.description = "lead over the opponents below which a player is tempted to quit"},
	{.name = "quit_variance",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "squared skill",
	.description = "variance of that lead as the player feels it"},
	{.name = "quit_unrelated",.type = PARAM_NUMBER,.default_value = 0.01,
		.min = 0,.max = 1,.unit = "probability",
	.description = "of quitting for reasons outside the match"},
	{.name = "quit_related",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1,.unit = "probability",
		.search = {0.001, 1},
	.description = "of quitting when tempted to; 0 leaves quits out"},
	{.name = "base_weight",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e9,.unit = "skill per base skill",
	.description = "how much of the base skill counts"},
	{.name = "initial_base_sigma",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill",
		.search = {0.01, 100},
	.description = "deviation of the base skill, whose mean is 0, of a new player; 0 leaves the base out"},
	{.name = "base_tau",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
		.search = {0.0003, 3},
	.description = "drift of the base skill after each match"},
	{.name = "base_drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.00003, 0.3},
		.of_time = true,
	.description = "drift of the base skill in idle time, up to initial_base_sigma"},
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "deviations",
		.search = {0.1, 10},
	.description = "the displayed rating is the skill minus so many sigma"},
};

static const ModelPart trueskill2_parts[] = {
	{.name = "kills",.description = "kills tell of skill",
		.needs = MODEL_COUNTS,.nparams = 3,
		.param = {{TRUESKILL2_KILL_VARIANCE, 0, 10},
		{TRUESKILL2_KILL_SELF, 0, 1},
	{TRUESKILL2_KILL_OPPONENT, 0, -1}}},
	{.name = "deaths",.description = "deaths tell of skill",
		.needs = MODEL_COUNTS,.nparams = 3,
		.param = {{TRUESKILL2_DEATH_VARIANCE, 0, 10},
		{TRUESKILL2_DEATH_SELF, 0, -1},
	{TRUESKILL2_DEATH_OPPONENT, 0, 1}}},
	{.name = "quits",.description = "a player who quits counts as beaten",
		.needs = MODEL_QUIT,.nparams = 2,
	.param = {{TRUESKILL2_QUIT_RELATED, 0, 0.3}, {TRUESKILL2_QUIT_MARGIN, 0, -1}}},
	{.name = "sum",.description = "a team is worth the sum of its members",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{TRUESKILL2_STRENGTH, STRENGTH_CENTERED, STRENGTH_SUM}}},
	MODEL_COMMON_PARTS
};

static const StateSpec trueskill2_state[] = {
	{.name = "mu",.min = -INFINITY,
	.description = "mean of the skill in the mode, above the base"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation of the skill in the mode"},
	{.name = "base_mu",.min = -INFINITY,.shared = true,
	.description = "mean of the base skill"},
	{.name = "base_sigma",.min = 0,.shared = true,.role = ROLE_DEVIATION,
	.description = "deviation of the base skill"},
};

static void
trueskill2_init(const ParamValue *params, double *state)
{
	state[TRUESKILL2_MU] = params[TRUESKILL2_INITIAL_MU].number;
	state[TRUESKILL2_SIGMA] = larger(params[TRUESKILL2_INITIAL_SIGMA].number,
									 MIN_DEVIATION);
	state[TRUESKILL2_BASE_MU] = 0;
	state[TRUESKILL2_BASE_SIGMA] = params[TRUESKILL2_INITIAL_BASE_SIGMA].number;
}

static void
trueskill2_age(const ParamValue *params, double *state, double seconds)
{
	state[TRUESKILL2_SIGMA] =
		deviation_drifted(state[TRUESKILL2_SIGMA], params[TRUESKILL2_DRIFT].number,
						  seconds, params[TRUESKILL2_INITIAL_SIGMA].number);
}

static void
trueskill2_age_shared(const ParamValue *params, double *state, double seconds)
{
	state[TRUESKILL2_BASE_SIGMA] =
		deviation_drifted(state[TRUESKILL2_BASE_SIGMA],
						  params[TRUESKILL2_BASE_DRIFT].number, seconds,
						  params[TRUESKILL2_INITIAL_BASE_SIGMA].number);
}

static bool
trueskill2_shares(const ParamValue *params)
{
	return params[TRUESKILL2_INITIAL_BASE_SIGMA].number > 0;
}

/* The value of the last step whose bound is reached; 0 before the first. */
static double
step_value(const ParamSteps *steps, double x)
{
	int			i;

	for (i = steps->n - 1; i >= 0; i--)
		if (x >= steps->bound[i])
			return steps->value[i];
	return 0;
}

/* How many queued together, the player included. */
static int
squad_size(const Match *match, int player)
{
	const MatchPlayer *p = &match->player[player];
	int			size = 1;
	int			i;

	for (i = 0; i < match->nplayers; i++)
		if (i != player && match->player[i].team == p->team &&
			match->player[i].squad == p->squad)
			size++;
	return size;
}

/* The mean of a performance in a squad of so many. */
static double
trueskill2_worth(const ParamValue *params, const double *state, int squad)
{
	double		mean = state[TRUESKILL2_MU] +
		params[TRUESKILL2_BASE_WEIGHT].number * state[TRUESKILL2_BASE_MU];

	if (params[TRUESKILL2_SQUAD_OFFSET].steps.n > 0)
		mean += step_value(&params[TRUESKILL2_SQUAD_OFFSET].steps, squad);
	return mean;
}

/* A performance before the match. */
static double
performance_mean(const ParamValue *params, const Match *match, int player)
{
	/* To count a squad takes all players, and is in vain without offsets. */
	return trueskill2_worth(params, match->player[player].before,
							params[TRUESKILL2_SQUAD_OFFSET].steps.n > 0 ?
							squad_size(match, player) : 1);
}

static double
performance_variance(const ParamValue *params, const double *state)
{
	return square(state[TRUESKILL2_SIGMA]) +
		square(params[TRUESKILL2_BASE_WEIGHT].number *
			   state[TRUESKILL2_BASE_SIGMA]) +
		square(params[TRUESKILL2_BETA].number);
}

/* What a unit of weight counts of each team. */
static void
weight_factors(const ParamValue *params, const Match *match, double *factor)
{
	double		weight[MATCH_MAX_TEAMS];
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		weight[i] = 0;
		factor[i] = 1;
	}
	if (params[TRUESKILL2_STRENGTH].choice == STRENGTH_SUM)
		return;
	for (i = 0; i < match->nentries; i++)
		weight[match->entry[i].team] += match->entry[i].weight;
	match_center(weight, match->nteams, factor);
}

/* How far the first team is ahead of the other one, as a normal variable. */
static void
trueskill2_lead(const ParamValue *params, const Match *match, double *lead,
				double *deviation)
{
	int			first = match_first_side(match);
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		weight_factor[MATCH_MAX_TEAMS];
	int			i;

	weight_factors(params, match, weight_factor);
	trueskill2_difference(match, weight_factor, first, 1 - first, x);
	*lead = *deviation = 0;
	for (i = 0; i < match->nplayers; i++)
	{
		*lead += x[i] * performance_mean(params, match, i);
		*deviation += square(x[i]) * performance_variance(params, match->player[i].before);
	}
	*deviation = sqrt(*deviation);
	*lead += trueskill2_context_shift(match, first, 1 - first, *deviation);
}

static double
trueskill2_draw(const ParamValue *params, Match *match)
{
	double		lead;
	double		deviation;

	trueskill2_lead(params, match, &lead, &deviation);
	return normal_band(lead / deviation,
					   params[TRUESKILL2_DRAW_MARGIN].number / deviation);
}

static MatchStatus
trueskill2_predict(const ParamValue *params, Match *match)
{
	double		mean[TRUESKILL2_MAX_PLAYERS];
	double		variance[TRUESKILL2_MAX_PLAYERS];
	double		weight_factor[MATCH_MAX_TEAMS];
	int			i;

	if (match->nteams == 2)
	{
		int			first = match_first_side(match);
		double		margin = params[TRUESKILL2_DRAW_MARGIN].number;
		double		lead;
		double		deviation;

		trueskill2_lead(params, match, &lead, &deviation);

		/* A draw counts as half a win. */
		match->team[first].win = (normal_cdf((lead - margin) / deviation) +
								  normal_cdf((lead + margin) / deviation)) / 2;
		match->team[1 - first].win = 1 - match->team[first].win;
	}
	else
	{
		double		team_mean[MATCH_MAX_TEAMS];
		double		team_deviation[MATCH_MAX_TEAMS];
		double		win[MATCH_MAX_TEAMS];
		double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];

		weight_factors(params, match, weight_factor);
		for (i = 0; i < match->nplayers; i++)
		{
			mean[i] = performance_mean(params, match, i);
			variance[i] = performance_variance(params, match->player[i].before);
		}
		for (i = 0; i < match->nteams; i++)
			team_mean[i] = team_deviation[i] = 0;
		for (i = 0; i < match->nentries; i++)
		{
			const MatchEntry *e = &match->entry[i];
			double		part = weight_factor[e->team] * e->weight;

			team_mean[e->team] += part * mean[e->player];
			team_deviation[e->team] += square(part) * variance[e->player];
		}
		match_add_advantages(match, team_deviation, team_mean);
		for (i = 0; i < match->nteams; i++)
			team_deviation[i] = sqrt(team_deviation[i]);
		normal_best_of(team_mean, team_deviation, match->nteams, win, work, match->interrupt);
		for (i = 0; i < match->nteams; i++)
			match->team[i].win = win[i];
	}
	return match_check_predictions(match);
}

/*
 * A state column after the match, which counts that often in the performance; least is the
 * smallest sigma.
 */
static void
update_column(double gain, double coefficient, const TrueSkill2Movement *movement,
			  double least, double *mu, double *sigma)
{
	double		covariance = coefficient * square(*sigma);
	double		ratio;

	if (covariance == 0)
		return;
	ratio = variance_ratio(coefficient * covariance, movement->noise, movement->variance,
						   movement->rest);
	*mu += gain * (covariance / movement->variance) * movement->shift;
	*sigma = deviation_updated(*sigma, sqrt(ratio), gain, least);
}

/* The state of a player who took part, and the way to the next match. */
static void
update_player(const ParamValue *params, MatchPlayer *player, const TrueSkill2Movement *movement)
{
	double	   *after = player->after;
	double		experience = isnan(player->experience) ? player->games :
		player->experience;

	update_column(player->gain, 1, movement, MIN_DEVIATION,
				  &after[TRUESKILL2_MU], &after[TRUESKILL2_SIGMA]);
	update_column(player->gain, params[TRUESKILL2_BASE_WEIGHT].number, movement, 0,
				  &after[TRUESKILL2_BASE_MU], &after[TRUESKILL2_BASE_SIGMA]);
	after[TRUESKILL2_MU] += player->gain *
		step_value(&params[TRUESKILL2_EXPERIENCE_OFFSET].steps, experience);
	after[TRUESKILL2_SIGMA] =
		deviation_grown(after[TRUESKILL2_SIGMA], player->gain *
						square(params[TRUESKILL2_TAU].number), INFINITY);
	after[TRUESKILL2_BASE_SIGMA] =
		deviation_grown(after[TRUESKILL2_BASE_SIGMA], player->gain *
						square(params[TRUESKILL2_BASE_TAU].number), INFINITY);
}

static void
trueskill2_update(const ParamValue *params, Match *match)
{
	double		start[TRUESKILL2_MAX_PLAYERS];
	double		weight_factor[MATCH_MAX_TEAMS];
	TrueSkill2Movement movement[TRUESKILL2_MAX_PLAYERS];
	int			i;

	weight_factors(params, match, weight_factor);
	for (i = 0; i < match->nplayers; i++)
	{
		const double *before = match->player[i].before;

		start[i] = performance_mean(params, match, i);
		movement[i].variance = performance_variance(params, before);
		movement[i].noise = square(params[TRUESKILL2_BETA].number);
		memcpy(match->player[i].after, before, sizeof(double) * TRUESKILL2_NSTATE);
	}
	trueskill2_learn(params, match, weight_factor, start, movement);
	for (i = 0; i < match->nplayers; i++)
	{
		match->player[i].gradient = movement[i].shift / movement[i].variance;
		if (movement[i].play > 0)
			update_player(params, &match->player[i], &movement[i]);
	}
}

static MatchStatus
trueskill2_rate(const ParamValue *params, Match *match)
{
	MatchStatus status = trueskill2_predict(params, match);

	if (status == MATCH_OK)
		trueskill2_update(params, match);
	return status;
}

static void
trueskill2_display(const ParamValue *params, double *coefficient)
{
	coefficient[TRUESKILL2_MU] = 1;
	coefficient[TRUESKILL2_SIGMA] = -params[TRUESKILL2_DISPLAY_DEVIATIONS].number;
	coefficient[TRUESKILL2_BASE_MU] = params[TRUESKILL2_BASE_WEIGHT].number;
	coefficient[TRUESKILL2_BASE_SIGMA] = 0;
	coefficient[TRUESKILL2_NSTATE] = 0;
}

static TeamStrength
trueskill2_team_strength(const ParamValue *params)
{
	return params[TRUESKILL2_STRENGTH].choice == STRENGTH_SUM ? TEAM_STRENGTH_SUM : TEAM_STRENGTH_MEAN;
}

extern const Model trueskill2_model;
const Model trueskill2_model = {
	.name = "trueskill2",
	.summary = "TrueSkill with squads, experience, kills, deaths, quits and modes",
	.source = "T. Minka, R. Cleven and Y. Zaykov, TrueSkill 2: An improved Bayesian skill rating system (2018)",
	.params = MODEL_PARAMS("trueskill2", trueskill2_params, TRUESKILL2_NPARAMS),
	.state = trueskill2_state,
	.nstate = TRUESKILL2_NSTATE,
	.rules.component = model_common_components,
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS,
	.part = trueskill2_parts,
	.nparts = sizeof(trueskill2_parts) / sizeof(trueskill2_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN | MODEL_SQUAD | MODEL_COUNTS | MODEL_QUIT | MODEL_EXPERIENCE,
	.rules.max_players = TRUESKILL2_MAX_PLAYERS,
	/* A player on several teams cannot make more of them than there is room for factors. */
	.rules.max_teams = TRUESKILL2_MAX_PLAYERS,
	.init = trueskill2_init,
	.age = trueskill2_age,
	.shares = trueskill2_shares,
	.age_shared = trueskill2_age_shared,
	.team_strength = trueskill2_team_strength,
	.worth = trueskill2_worth,
	.predict = trueskill2_predict,
	.draw = trueskill2_draw,
	.rate = trueskill2_rate,
	.display = trueskill2_display,
};
