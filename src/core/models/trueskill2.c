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
 * All performances of a match have one joint normal distribution.  Counts that
 * are not zero are linear observations of it and exact; the order, counts of zero
 * and quits are functions of one combination each, and are fitted in turn by
 * expectation propagation.
 *
 * TrueSkill is a trademark of Microsoft Corporation; this is an independent
 * implementation.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/math/joint_normal.h"
#include "core/math/normal.h"
#include "core/math/settling.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

/* The covariances of so many performances are kept on the stack. */
#define TRUESKILL2_MAX_PLAYERS 200

/* The state columns. */
enum
{
	TRUESKILL2_MU,
	TRUESKILL2_SIGMA,
	TRUESKILL2_BASE_MU,
	TRUESKILL2_BASE_SIGMA,
	TRUESKILL2_NSTATE
};

enum
{
	TRUESKILL2_INITIAL_MU = MODEL_COMMON_PARAMS,
	TRUESKILL2_INITIAL_SIGMA,
	TRUESKILL2_BETA,
	TRUESKILL2_TAU,
	TRUESKILL2_DRIFT,
	TRUESKILL2_DRAW_MARGIN,
	TRUESKILL2_STRENGTH,
	TRUESKILL2_SQUAD_OFFSET,
	TRUESKILL2_EXPERIENCE_OFFSET,
	TRUESKILL2_COUNT_LENGTH,
	TRUESKILL2_KILL_SELF,
	TRUESKILL2_KILL_OPPONENT,
	TRUESKILL2_KILL_VARIANCE,
	TRUESKILL2_DEATH_SELF,
	TRUESKILL2_DEATH_OPPONENT,
	TRUESKILL2_DEATH_VARIANCE,
	TRUESKILL2_QUIT_MARGIN,
	TRUESKILL2_QUIT_VARIANCE,
	TRUESKILL2_QUIT_UNRELATED,
	TRUESKILL2_QUIT_RELATED,
	TRUESKILL2_BASE_WEIGHT,
	TRUESKILL2_INITIAL_BASE_SIGMA,
	TRUESKILL2_BASE_TAU,
	TRUESKILL2_BASE_DRIFT,
	TRUESKILL2_DISPLAY_DEVIATIONS,
	TRUESKILL2_NPARAMS
};

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
	.description = "kills gained by the own performance, positive"},
	{.name = "kill_opponent",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "kills per skill",
		.search = {-100, 100},
	.description = "kills gained by the mean performance of the opponents, negative"},
	{.name = "kill_variance",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "squared kills",
		.search = {0.01, 10000},.zero_is_other = true,
	.description = "variance of the kills of a match; 0 leaves kills out"},
	{.name = "death_self",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "deaths per skill",
		.search = {-100, 100},
	.description = "deaths gained by the own performance, negative"},
	{.name = "death_opponent",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "deaths per skill",
		.search = {-100, 100},
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

/* The difference of two teams' performances, in coefficients of the players'. */
static void
team_difference(const Match *match, const double *weight_factor, int upper, int lower,
				double *x)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
		x[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		if (e->team == upper)
			x[e->player] += weight_factor[upper] * e->weight;
		else if (e->team == lower)
			x[e->player] -= weight_factor[lower] * e->weight;
	}
}

/* What log-odds in advance add to a difference of that deviation. */
static double
context_shift(const Match *match, int upper, int lower, double deviation)
{
	return deviation * sqrt(M_PI / 8) * match_log_odds_between(match, upper, lower);
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
	team_difference(match, weight_factor, first, 1 - first, x);
	*lead = *deviation = 0;
	for (i = 0; i < match->nplayers; i++)
	{
		*lead += x[i] * performance_mean(params, match, i);
		*deviation += square(x[i]) * performance_variance(params, match->player[i].before);
	}
	*deviation = sqrt(*deviation);
	*lead += context_shift(match, first, 1 - first, *deviation);
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

/* What is known of one combination of performances, as a function of it. */
typedef enum FactorKind
{
	FACTOR_WIN,					/* it is above the margin */
	FACTOR_DRAW,				/* it is within the margin */
	FACTOR_NONE,				/* a count of none: it was below 0, noise
								 * added */
	FACTOR_QUIT					/* the player quit at this lead */
} FactorKind;

typedef struct Factor
{
	FactorKind	kind;
	int			a;				/* teams, or a: the player */
	int			b;
	double		self;			/* counts: coefficients, noise and time */
	double		opponent;
	double		noise;
	double		shift;			/* added to the combination */
	double		precision;		/* what it says so far: precision, */
	double		precision_mean; /* and that times the mean */
} Factor;

/* Orders, and a count of kills, one of deaths and a quit for each player. */
#define MAX_FACTORS (4 * TRUESKILL2_MAX_PLAYERS)

/* The combination: self times the own performance, opponent times the mean. */
static void
against_opponents(const Match *match, int player, double self,
				  double opponent, double *x)
{
	int			team = match->player[player].team;
	double		total = 0;
	int			i;

	for (i = 0; i < match->nplayers; i++)
		x[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		if (e->team != team && e->player != player)
			total += e->weight;
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		if (e->team != team && e->player != player && e->weight > 0)
			x[e->player] += opponent * e->weight / total;
	}
	x[player] += self;
}

static void
factor_combination(const Match *match, const double *weight_factor,
				   const Factor *factor, double *x)
{
	if (factor->kind == FACTOR_WIN || factor->kind == FACTOR_DRAW)
		team_difference(match, weight_factor, factor->a, factor->b, x);
	else
		against_opponents(match, factor->a, factor->self, factor->opponent, x);
}

/*
 * A quit at lead d has probability p_u + (1 - p_u) p_r Phi((m - d) / sqrt(v));
 * how that moves the mean of d, in deviations, and its variance.
 */
static Truncation
quit_moments(const ParamValue *params, double mean, double variance)
{
	double		unrelated = params[TRUESKILL2_QUIT_UNRELATED].number;
	double		k = (1 - unrelated) * params[TRUESKILL2_QUIT_RELATED].number;
	double		c = sqrt(params[TRUESKILL2_QUIT_VARIANCE].number + variance);
	double		u = (params[TRUESKILL2_QUIT_MARGIN].number - mean) / c;
	double		z = unrelated + k * normal_cdf(u);
	double		deviation = sqrt(variance);
	double		slope;
	double		curvature;
	Truncation	result;

	/* Without other reasons the ratio is one that holds far out, too. */
	slope = unrelated == 0 ? -normal_hazard(u) / c : -k * normal_density(u) / (c * z);
	curvature = u * slope / c;
	result.v = deviation * slope;
	result.w = variance * (square(slope) - curvature);
	result.rest = 1 - result.w;
	return result;
}

static Truncation
factor_moments(const ParamValue *params, const Factor *factor, double mean,
			   double variance)
{
	double		margin = params[TRUESKILL2_DRAW_MARGIN].number;
	double		deviation = sqrt(variance);
	double		c,
				share;
	Truncation	result;

	switch (factor->kind)
	{
		case FACTOR_WIN:
			return truncated_win((mean + factor->shift - margin) / deviation);
		case FACTOR_DRAW:
			return truncated_draw((mean + factor->shift) / deviation,
								  margin / deviation);
		case FACTOR_NONE:
			/* The noise takes its share of the surprise. */
			c = sqrt(variance + factor->noise);
			share = deviation / c;
			result = truncated_win(-mean / c);
			result.v *= -share;
			result.w *= share * share;
			result.rest = factor->noise / (variance + factor->noise) +
				share * share * result.rest;
			return result;
		case FACTOR_QUIT:
			break;
	}
	return quit_moments(params, mean, variance);
}

/*
 * Let one factor speak again, given all others.  Returns how much what it says
 * has changed, in deviations of its combination.
 */
static double
factor_step(const ParamValue *params, const Match *match,
			const double *weight_factor, Factor *factor, JointNormal *joint)
{
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		slope[TRUESKILL2_MAX_PLAYERS];
	double		mean,
				variance,
				cavity_mean,
				cavity_variance,
				remaining,
				precision,
				precision_mean;
	Truncation	moments;

	factor_combination(match, weight_factor, factor, x);
	joint_normal_project(joint, x, slope, &mean, &variance);

	/* What the others say.  Quits may take precision away, but not all. */
	remaining = 1 - factor->precision * variance;
	if (!(remaining > 0))
		return 0;
	cavity_variance = variance / remaining;
	cavity_mean = (mean - factor->precision_mean * variance) / remaining;

	moments = factor_moments(params, factor, cavity_mean, cavity_variance);
	precision = moments.w / (cavity_variance * moments.rest);
	precision_mean = (cavity_mean * moments.w + sqrt(cavity_variance) * moments.v) /
		(cavity_variance * moments.rest);

	joint_normal_observe(joint, slope, mean, variance,
						 precision - factor->precision,
						 precision_mean - factor->precision_mean);
	remaining = larger(fabs(precision - factor->precision) * variance,
					   fabs(precision_mean - factor->precision_mean -
							(precision - factor->precision) * mean) *
					   sqrt(variance));
	factor->precision = precision;
	factor->precision_mean = precision_mean;
	return remaining;
}

/* A count: observed at once unless it is none, which becomes a factor. */
static void
add_count(const Match *match, int player, double count, double self,
		  double opponent, double variance, double time,
		  JointNormal *joint, Factor *factor, int *nfactors)
{
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		slope[TRUESKILL2_MAX_PLAYERS];
	double		noise = variance * time;
	double		mean,
				spread;

	if (isnan(count) || noise == 0)
		return;
	if (count == 0)
	{
		Factor		none = {.kind = FACTOR_NONE,.a = player,
		.self = self * time,.opponent = opponent * time,.noise = noise};

		factor[(*nfactors)++] = none;
		return;
	}
	against_opponents(match, player, self * time, opponent * time, x);
	joint_normal_project(joint, x, slope, &mean, &spread);
	joint_normal_observe(joint, slope, mean, spread, 1 / noise, count / noise);
}

/* Let all factors speak until nothing changes but by rounding; else no mean is a number. */
static void
settle_factors(const ParamValue *params, const Match *match, const double *weight_factor,
			   Factor *factor, int nfactors, JointNormal *joint)
{
	const double tolerance = 1e-10;
	const int	max_sweeps = 200;
	Settling	settling = {0};
	int			sweep,
				i;

	for (sweep = 0; sweep < max_sweeps; sweep++)
	{
		double		change = 0;

		for (i = 0; i < nfactors; i++)
			change = larger(change, factor_step(params, match, weight_factor,
												&factor[i], joint));

		/* One factor alone is exact. */
		if (change < tolerance || nfactors == 1 || settling_ended(&settling, change))
			return;
	}
	for (i = 0; i < match->nplayers; i++)
		joint->mean[i] = NAN;
}

/* What the match tells of all performances, in joint. */
static void
trueskill2_posterior(const ParamValue *params, const Match *match,
					 JointNormal *joint)
{
	Factor		factor[MAX_FACTORS];
	double		weight_factor[MATCH_MAX_TEAMS];
	int			order[MATCH_MAX_TEAMS];
	double		play[TRUESKILL2_MAX_PLAYERS];
	double		unit = isnan(match->length) ? 1 :
		match->length / params[TRUESKILL2_COUNT_LENGTH].number;
	int			nfactors = 0;
	int			i;

	for (i = 0; i < match->nplayers; i++)
		play[i] = 0;
	for (i = 0; i < match->nentries; i++)
		play[match->entry[i].player] += match->entry[i].weight;

	weight_factors(params, match, weight_factor);
	match_teams_by_rank(match, order);
	for (i = 0; i < match->nteams - 1; i++)
	{
		const MatchTeam *upper = &match->team[order[i]];
		const MatchTeam *lower = &match->team[order[i + 1]];
		Factor		outcome = {.kind = upper->rank == lower->rank ?
		FACTOR_DRAW : FACTOR_WIN,.a = order[i],.b = order[i + 1]};

		if (match_log_odds_between(match, outcome.a, outcome.b) != 0)
		{
			double		x[TRUESKILL2_MAX_PLAYERS];
			double		slope[TRUESKILL2_MAX_PLAYERS];
			double		mean,
						variance;

			team_difference(match, weight_factor, outcome.a, outcome.b, x);
			joint_normal_project(joint, x, slope, &mean, &variance);
			outcome.shift = context_shift(match, outcome.a, outcome.b, sqrt(variance));
		}
		factor[nfactors++] = outcome;
	}
	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];

		if (play[i] == 0)
			continue;
		add_count(match, i, player->kills,
				  params[TRUESKILL2_KILL_SELF].number,
				  params[TRUESKILL2_KILL_OPPONENT].number,
				  params[TRUESKILL2_KILL_VARIANCE].number,
				  play[i] * unit, joint, factor, &nfactors);
		add_count(match, i, player->deaths,
				  params[TRUESKILL2_DEATH_SELF].number,
				  params[TRUESKILL2_DEATH_OPPONENT].number,
				  params[TRUESKILL2_DEATH_VARIANCE].number,
				  play[i] * unit, joint, factor, &nfactors);
		if (player->quit == 1 && params[TRUESKILL2_QUIT_RELATED].number > 0)
		{
			Factor		quit = {.kind = FACTOR_QUIT,.a = i,.self = 1,
			.opponent = -1};

			factor[nfactors++] = quit;
		}
	}

	settle_factors(params, match, weight_factor, factor, nfactors, joint);
}

/*
 * A state column after the match, of which the performance had covariance with
 * it and the given variance, and moved by shift in mean and to the share rest
 * in variance; least is the smallest sigma.
 */
static void
update_column(double gain, double covariance, double variance, double shift,
			  double rest, double least, double *mu, double *sigma)
{
	double		share;

	if (covariance == 0)
		return;
	share = covariance / variance;
	*mu += gain * share * shift;
	share = share / square(*sigma) * covariance;
	*sigma = deviation_updated(*sigma, sqrt((1 - share) + share * rest), gain,
							   least);
}

static void
trueskill2_update(const ParamValue *params, Match *match)
{
	double		mean[TRUESKILL2_MAX_PLAYERS];
	double		covariance[TRUESKILL2_MAX_PLAYERS * TRUESKILL2_MAX_PLAYERS];
	bool		played[TRUESKILL2_MAX_PLAYERS];
	JointNormal joint = {match->nplayers, mean, covariance};
	int			n = match->nplayers;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		for (j = 0; j < n; j++)
			covariance[i * n + j] = 0;
		mean[i] = performance_mean(params, match, i);
		covariance[i * n + i] = performance_variance(params,
													 match->player[i].before);
		played[i] = false;
	}
	for (i = 0; i < match->nentries; i++)
		if (match->entry[i].weight > 0)
			played[match->entry[i].player] = true;

	trueskill2_posterior(params, match, &joint);

	for (i = 0; i < n; i++)
	{
		MatchPlayer *player = &match->player[i];
		const double *before = player->before;
		double	   *after = player->after;
		double		base_weight = params[TRUESKILL2_BASE_WEIGHT].number;
		double		variance = performance_variance(params, before);
		double		shift = mean[i] - performance_mean(params, match, i);
		double		rest = covariance[i * n + i] / variance;
		double		experience = isnan(player->experience) ? player->games :
			player->experience;

		/* Less than nothing by rounding is nothing; by more it is a failure. */
		if (rest < 0 && rest > -1e-9)
			rest = 0;
		for (j = 0; j < TRUESKILL2_NSTATE; j++)
			after[j] = before[j];
		player->gradient = shift / variance;
		if (!played[i])
			continue;
		update_column(player->gain, square(before[TRUESKILL2_SIGMA]), variance,
					  shift, rest, MIN_DEVIATION, &after[TRUESKILL2_MU],
					  &after[TRUESKILL2_SIGMA]);
		update_column(player->gain,
					  base_weight * square(before[TRUESKILL2_BASE_SIGMA]),
					  variance, shift, rest, 0, &after[TRUESKILL2_BASE_MU],
					  &after[TRUESKILL2_BASE_SIGMA]);

		/* The way to the next match. */
		after[TRUESKILL2_MU] += player->gain *
			step_value(&params[TRUESKILL2_EXPERIENCE_OFFSET].steps, experience);
		after[TRUESKILL2_SIGMA] =
			deviation_grown(after[TRUESKILL2_SIGMA], player->gain *
							square(params[TRUESKILL2_TAU].number), INFINITY);
		after[TRUESKILL2_BASE_SIGMA] =
			deviation_grown(after[TRUESKILL2_BASE_SIGMA], player->gain *
							square(params[TRUESKILL2_BASE_TAU].number),
							INFINITY);
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
