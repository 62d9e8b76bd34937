/*
 * trueskill.c
 *		TrueSkill, for any number of teams of any size.
 *
 * R. Herbrich, T. Minka and T. Graepel, "TrueSkill: A Bayesian Skill Rating
 * System" (NIPS 2006).  A player performs with a normal distribution around the
 * skill, a team performs as the weighted sum of its members (which counts from the
 * mean of the match unless asked otherwise, as the sum of the source depends on where
 * skills begin if teams are unequal), and of two teams that follow each other in the
 * result the better one is ahead by more than the draw margin, or neither is.  Two teams have a closed form.  More make a chain
 * of such pairs, solved by expectation propagation on the performances of the
 * teams, whose priors are independent: a sweep costs one step a team.
 *
 * TrueSkill is a trademark of Microsoft Corporation; this is an independent
 * implementation.
 */
#include "core/models/trueskill.h"

#include <math.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/normal_order.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	MARGIN_BY_PLAYERS,
	MARGIN_BY_WEIGHTS
};

enum
{
	STRENGTH_CENTERED,
	STRENGTH_SUM
};

static const char *const margin_choices[] = {"players", "weights", NULL};
static const char *const ties_choices[] = TIES_CHOICES;
static const char *const strength_choices[] = {"centered", "sum", NULL};

static const ParamSpec trueskill_params[] = {
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 25,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean skill of a player who has not played"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = 25.0 / 3,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
		.searched = true,
	.description = "deviation of the skill of a player who has not played"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 25.0 / 6,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "deviation of one performance from the skill"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 25.0 / 300,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
		.searched = true,
	.description = "drift of a skill from match to match"},
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.001, 10},
		.of_time = true,
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"},
	{.name = "draw_probability",.type = PARAM_NUMBER,.default_value = 0.1,
		.min = 0,.max = 0.999,.unit = "probability",
		.searched = true,
	.description = "of a draw between equals; gives the draw margin"},
	{.name = "draw_margin",.type = PARAM_CHOICE,
		.default_value = MARGIN_BY_PLAYERS,.choices = margin_choices,
	.description = "whether the draw margin grows with the number of players or with their squared weights"},
	{.name = "ties",.type = PARAM_CHOICE,.default_value = TIES_ALIKE,
		.choices = ties_choices,
	.description = TIES_DESCRIPTION},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STRENGTH_CENTERED,
		.choices = strength_choices,
	.description = "strength of a team: the sum of its members above the mean of the match, or above 0"},
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 3,
		.min = 0,.max = 1e9,.unit = "deviations",
	.description = "the displayed rating is mu minus so many sigma"},
};

static const ModelPart trueskill_parts[] = {
	{.name = "drift",.description = "skills drift in idle time",
		.needs_times = true,.nparams = 1,
	.param = {{TRUESKILL_DRIFT, 0, 0.1}}},
	{.name = "sum",.description = "a team is worth the sum of its members",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{TRUESKILL_STRENGTH, STRENGTH_CENTERED, STRENGTH_SUM}}},
	MODEL_COMMON_PARTS
};

static const StateSpec trueskill_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean of the skill"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation of the skill"},
};

static void
trueskill_init(const ParamValue *params, double *state)
{
	state[TRUESKILL_MU] = params[TRUESKILL_INITIAL_MU].number;
	state[TRUESKILL_SIGMA] = larger(params[TRUESKILL_INITIAL_SIGMA].number,
									MIN_DEVIATION);
}

static void
trueskill_age(const ParamValue *params, double *state, double seconds)
{
	state[TRUESKILL_SIGMA] =
		deviation_drifted(state[TRUESKILL_SIGMA], params[TRUESKILL_DRIFT].number,
						  seconds, params[TRUESKILL_INITIAL_SIGMA].number);
}

double
trueskill_margin(const TrueSkill *ts)
{
	return normal_quantile((ts->draw_probability + 1) / 2) * ts->beta;
}

/* What a unit of weight counts of each team. */
static void
weight_factors(const TrueSkill *ts, const Match *match, double *factor)
{
	double		weight[MATCH_MAX_TEAMS];
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		weight[i] = 0;
		factor[i] = 1;
	}
	if (!ts->centered)
		return;
	for (i = 0; i < match->nentries; i++)
		weight[match->entry[i].team] += match->entry[i].weight;
	match_center(weight, match->nteams, factor);
}

/* What an entry adds to the square of the draw margin, in units of beta. */
static double
entry_size(const TrueSkill *ts, const MatchEntry *e, const double *factor)
{
	return square(ts->margin_by_weight ? factor[e->team] * e->weight : factor[e->team]);
}

void
trueskill_teams(const TrueSkill *ts, const Match *match, double drift,
				TrueSkillTeams *teams)
{
	int			i;

	weight_factors(ts, match, teams->factor);
	for (i = 0; i < match->nteams; i++)
		teams->mean[i] = teams->variance[i] = teams->size[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;
		double		part = teams->factor[e->team] * e->weight;

		teams->mean[e->team] += part * state[TRUESKILL_MU];
		teams->variance[e->team] += square(part) *
			(square(state[TRUESKILL_SIGMA]) + drift + square(ts->beta));
		teams->size[e->team] += entry_size(ts, e, teams->factor);
	}
	match_add_advantages(match, teams->variance, teams->mean);
}

Difference
trueskill_difference(const TrueSkill *ts, Match *match, double drift)
{
	Difference	difference = {0, 0, 0};
	int			first = match_first_side(match);
	double		factor[MATCH_MAX_TEAMS];
	double		variance = 0;
	double		size = 0;
	int			i;

	weight_factors(ts, match, factor);
	for (i = 0; i < match->nplayers; i++)
		match->player[i].gradient = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		double		part = factor[e->team] * e->weight;

		/*
		 * The gradient serves as the coefficient of the player in the
		 * difference; entries on both teams cancel.
		 */
		match->player[e->player].gradient += e->team == first ? part : -part;
		size += entry_size(ts, e, factor);
	}
	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];

		if (player->gradient == 0)
			continue;
		difference.mean += player->gradient * player->before[TRUESKILL_MU];
		variance += square(player->gradient) *
			(square(player->before[TRUESKILL_SIGMA]) + drift + square(ts->beta));
	}
	difference.deviation = sqrt(variance);
	difference.mean += difference.deviation * sqrt(M_PI / 8) * match->log_odds;
	difference.margin = trueskill_margin(ts) * sqrt(size);
	return difference;
}

/* Sigma at the start of the match: that of everybody who played has drifted. */
static void
start_states(Match *match, double drift)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		player->after[TRUESKILL_MU] = player->before[TRUESKILL_MU];
		player->after[TRUESKILL_SIGMA] = player->before[TRUESKILL_SIGMA];
	}
	for (i = 0; drift > 0 && i < match->nentries; i++)
	{
		MatchPlayer *player = &match->player[match->entry[i].player];

		if (match->entry[i].weight == 0)
			continue;
		player->after[TRUESKILL_SIGMA] =
			sqrt(square(player->before[TRUESKILL_SIGMA]) + drift);
	}
}

/*
 * The sigma from which a player's own update starts.  The drift comes gain times, as
 * the update does; to all others the player is one of the ordinary drift.
 */
static double
own_start(const MatchPlayer *player, double drift)
{
	if (!(player->weight > 0))
		return player->before[TRUESKILL_SIGMA];
	return deviation_grown(player->before[TRUESKILL_SIGMA], player->gain * drift,
						   INFINITY);
}

/* The difference is that of the states before, with the gradients that come with it. */
static void
update_two_teams(const TrueSkill *ts, Match *match, double drift,
				 const Difference *difference)
{
	double		c = difference->deviation;
	int			first = match_first_side(match);
	double		lead = match->team[1 - first].rank - match->team[first].rank;
	Truncation	truncation;
	int			i;

	if (lead == 0)
		truncation = truncated_draw(difference->mean / c, difference->margin / c);
	else if (lead > 0)
		truncation = truncated_win((difference->mean - difference->margin) / c);
	else
	{
		truncation = truncated_win((-difference->mean - difference->margin) / c);
		truncation.v = -truncation.v;
	}

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		double		x = player->gradient;
		double		variance = square(player->after[TRUESKILL_SIGMA]);
		double		ratio;

		player->after[TRUESKILL_SIGMA] = own_start(player, drift);
		if (x == 0)
			continue;
		player->gradient = x * truncation.v / c;

		/*
		 * As a ratio and not as 1 - w x^2 / c^2, which cancels where a match
		 * leaves little of a variance.
		 */
		ratio = variance_ratio(square(x) * variance, square(x * ts->beta),
							   square(c), truncation.rest);
		player->after[TRUESKILL_MU] += player->gain * variance * player->gradient;
		player->after[TRUESKILL_SIGMA] =
			deviation_updated(player->after[TRUESKILL_SIGMA], sqrt(ratio),
							  player->gain, MIN_DEVIATION);
	}
}

/*
 * Update a member by the evidence of the team's performance.  On entry the player's sigma
 * after is that of the entries before this one, and mu after the change of mu so far.
 */
static void
learn_from_team(const TrueSkill *ts, const Match *match, const MatchEntry *e,
				const ChainTeam *team, double factor, double drift)
{
	MatchPlayer *player = &match->player[e->player];
	double		prior = square(player->before[TRUESKILL_SIGMA]) + drift;
	double		variance = square(player->after[TRUESKILL_SIGMA]);
	double		part = factor * e->weight;
	double		gradient = part * team->gradient;
	double		ratio = variance_ratio(square(part) * prior,
									   square(part * ts->beta),
									   team->variance, team->rest);
	double		posterior;

	posterior = variance / (1 + (1 / ratio - 1) * (variance / prior));
	player->after[TRUESKILL_MU] = posterior *
		(player->after[TRUESKILL_MU] / variance +
		 gradient / ratio);
	player->after[TRUESKILL_SIGMA] =
		deviation_updated(sqrt(posterior), 1, 1, MIN_DEVIATION);
	player->gradient += gradient;
}

/*
 * Take a player's gain into the update of gain 1.  On entry mu after is the change of mu.
 */
static void
finish_player(MatchPlayer *player, double drift)
{
	double		change = player->after[TRUESKILL_MU];
	double		start;

	player->after[TRUESKILL_MU] = player->before[TRUESKILL_MU] + player->gain * change;
	if (player->gain == 1 || !(player->weight > 0))
		return;
	start = deviation_grown(player->before[TRUESKILL_SIGMA], drift, INFINITY);
	player->after[TRUESKILL_SIGMA] =
		deviation_updated(own_start(player, drift),
						  player->after[TRUESKILL_SIGMA] / start, player->gain,
						  MIN_DEVIATION);
}

static void
update_many_teams(const TrueSkill *ts, Match *match, double drift)
{
	TrueSkillTeams teams;
	TeamChain	chain;
	int			place[MATCH_MAX_TEAMS];
	int			i;

	trueskill_teams(ts, match, drift, &teams);
	team_chain_solve(&chain, match, teams.mean, teams.variance, teams.size,
					 trueskill_margin(ts), ts->ties);
	for (i = 0; i < match->nteams; i++)
		place[chain.team[i].number] = i;

	/*
	 * The evidence of a player's entries on several teams adds up as
	 * precisions do.
	 */
	start_states(match, drift);
	for (i = 0; i < match->nplayers; i++)
		match->player[i].gradient = match->player[i].after[TRUESKILL_MU] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		int			team = match->entry[i].team;

		learn_from_team(ts, match, &match->entry[i], &chain.team[place[team]],
						teams.factor[team], drift);
	}
	for (i = 0; i < match->nplayers; i++)
		finish_player(&match->player[i], drift);
}

void
trueskill_update(const TrueSkill *ts, Match *match)
{
	double		drift = square(ts->tau);

	if (match->nteams == 2)
	{
		Difference	difference = trueskill_difference(ts, match, drift);

		start_states(match, drift);
		update_two_teams(ts, match, drift, &difference);
	}
	else
		update_many_teams(ts, match, drift);
}

/* A draw counts as half a win. */
static double
trueskill_expected_score(const Difference *d)
{
	return (normal_cdf((d->mean - d->margin) / d->deviation) +
			normal_cdf((d->mean + d->margin) / d->deviation)) / 2;
}

static TrueSkill
trueskill_from_params(const ParamValue *params)
{
	TrueSkill	ts;

	ts.beta = params[TRUESKILL_BETA].number;
	ts.tau = params[TRUESKILL_TAU].number;
	ts.draw_probability = params[TRUESKILL_DRAW_PROBABILITY].number;
	ts.margin_by_weight =
		params[TRUESKILL_DRAW_MARGIN].choice == MARGIN_BY_WEIGHTS;
	ts.ties = (Ties) params[TRUESKILL_TIES].choice;
	ts.centered = params[TRUESKILL_STRENGTH].choice == STRENGTH_CENTERED;
	return ts;
}

/* The forecasts of two teams, of which a draw is half of each. */
static void
predict_two_teams(Match *match, const Difference *difference)
{
	int			first = match_first_side(match);

	match->team[first].win = trueskill_expected_score(difference);
	match->team[1 - first].win = 1 - match->team[first].win;
}

/*
 * Of two teams each gets half of the probability of a draw; of more, each the
 * probability of the best performance, margins aside.
 */
static MatchStatus
trueskill_predict(const ParamValue *params, Match *match)
{
	TrueSkill	ts = trueskill_from_params(params);
	double		drift = square(ts.tau);
	int			i;

	if (match->nteams == 2)
	{
		Difference	difference = trueskill_difference(&ts, match, drift);

		for (i = 0; i < match->nplayers; i++)
			match->player[i].gradient = 0;
		predict_two_teams(match, &difference);
	}
	else
	{
		TrueSkillTeams teams;
		double		win[MATCH_MAX_TEAMS];
		double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];

		trueskill_teams(&ts, match, drift, &teams);
		for (i = 0; i < match->nteams; i++)
			teams.variance[i] = sqrt(teams.variance[i]);
		normal_best_of(teams.mean, teams.variance, match->nteams, win, work,
					   match->interrupt);
		for (i = 0; i < match->nteams; i++)
			match->team[i].win = win[i];
	}
	return match_check_predictions(match);
}

static double
trueskill_draw(const ParamValue *params, Match *match)
{
	TrueSkill	ts = trueskill_from_params(params);
	Difference	difference = trueskill_difference(&ts, match, square(ts.tau));
	int			i;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].gradient = 0;
	return normal_band(difference.mean / difference.deviation,
					   difference.margin / difference.deviation);
}

static MatchStatus
trueskill_rate(const ParamValue *params, Match *match)
{
	TrueSkill	ts = trueskill_from_params(params);
	double		drift = square(ts.tau);
	MatchStatus status;

	/* What two teams are forecast by is what they are updated by. */
	if (match->nteams == 2)
	{
		Difference	difference = trueskill_difference(&ts, match, drift);

		predict_two_teams(match, &difference);
		status = match_check_predictions(match);
		if (status != MATCH_OK)
			return status;
		start_states(match, drift);
		update_two_teams(&ts, match, drift, &difference);
		return MATCH_OK;
	}
	status = trueskill_predict(params, match);
	if (status == MATCH_OK)
		trueskill_update(&ts, match);
	return status;
}

void
trueskill_places(const TrueSkill *ts, const TrueSkillTeams *teams, int nteams,
				 int team, double *win, double *draw, double *place,
				 double *work, InterruptCheck check)
{
	double		deviation[MATCH_MAX_TEAMS];
	double		margin[MATCH_MAX_TEAMS];
	double		per_size = trueskill_margin(ts);
	int			i;

	if (nteams == 2)
	{
		double		c = sqrt(teams->variance[0] + teams->variance[1]);
		double		lead = (teams->mean[team] - teams->mean[1 - team]) / c;
		double		e = per_size * sqrt(teams->size[0] + teams->size[1]) / c;

		*win = normal_cdf(lead - e);
		*draw = normal_band(lead, e);
		place[0] = *win + *draw;
		place[1] = normal_cdf(-lead - e);
		return;
	}

	for (i = 0; i < nteams; i++)
	{
		deviation[i] = sqrt(teams->variance[i]);
		margin[i] = per_size * sqrt(teams->size[i] + teams->size[team]);
	}

	*win = normal_places(teams->mean, deviation, margin, nteams, team,
						 place, work, check);

	/* The integral may be off in its last digits; NaN stays. */
	if (*win > 1)
		*win = 1;
	*draw = larger(place[0] - *win, 0);
}

/*
 * The matrices of the adjacent differences are tridiagonal, so their Cholesky
 * factors, in the form L D L', cost one step a team.
 */
double
trueskill_quality(const TrueSkill *ts, const Match *match)
{
	TrueSkillTeams teams;
	double		noise[MATCH_MAX_TEAMS];
	double		log_quality = 0;
	double		pivot = 1;
	double		noise_pivot = 1;
	double		residual = 0;
	int			i;

	trueskill_teams(ts, match, 0, &teams);
	for (i = 0; i < match->nteams; i++)
		noise[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		noise[e->team] += square(teams.factor[e->team] * e->weight * ts->beta);
	}

	for (i = 0; i < match->nteams - 1; i++)
	{
		double		factor = i > 0 ? -teams.variance[i] / pivot : 0;
		double		noise_factor = i > 0 ? -noise[i] / noise_pivot : 0;

		residual = teams.mean[i] - teams.mean[i + 1] - factor * residual;
		pivot = teams.variance[i] + teams.variance[i + 1] - square(factor) * pivot;
		noise_pivot = noise[i] + noise[i + 1] - square(noise_factor) * noise_pivot;
		log_quality += 0.5 * portable_log(noise_pivot / pivot) -
			0.5 * square(residual) / pivot;
	}
	return portable_exp(log_quality);
}

/* Mu less so many sigma. */
static void
trueskill_display(const ParamValue *params, double *coefficient)
{
	coefficient[TRUESKILL_MU] = 1;
	coefficient[TRUESKILL_SIGMA] = -params[TRUESKILL_DISPLAY_DEVIATIONS].number;
	coefficient[TRUESKILL_NSTATE] = 0;
}

static TeamStrength
trueskill_team_strength(const ParamValue *params)
{
	return params[TRUESKILL_STRENGTH].choice == STRENGTH_SUM ? TEAM_STRENGTH_SUM : TEAM_STRENGTH_MEAN;
}

extern const Model trueskill_model;
const Model trueskill_model = {
	.name = "trueskill",
	.summary = "Bayesian skill with uncertainty, for any number of teams of any size",
	.source = "R. Herbrich, T. Minka and T. Graepel, TrueSkill: A Bayesian Skill Rating System (2006)",
	.params = MODEL_PARAMS("trueskill", trueskill_params, TRUESKILL_NPARAMS),
	.state = trueskill_state,
	.nstate = TRUESKILL_NSTATE,
	.rules.component = model_common_components,
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS,
	.part = trueskill_parts,
	.nparts = sizeof(trueskill_parts) / sizeof(trueskill_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN,
	.init = trueskill_init,
	.age = trueskill_age,
	.team_strength = trueskill_team_strength,
	.predict = trueskill_predict,
	.draw = trueskill_draw,
	.rate = trueskill_rate,
	.display = trueskill_display,
};
