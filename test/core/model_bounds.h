/*
 * model_bounds.h
 *		By how much one match may change a rating, as the page of each model says.
 *
 * The functions are written from the pages (docs/models, "What one match can do") and not
 * from the models; where a page speaks of a team's strength and deviation, those are the
 * model's own.
 */
#ifndef TEST_CORE_MODEL_BOUNDS_H
#define TEST_CORE_MODEL_BOUNDS_H

#include "core/models/elo_mmr.h"
#include "core/models/glicko.h"
#include "core/models/state_space.h"
#include "core/models/trueskill.h"
#include "core/models/weng_lin.h"

#include <stdio.h>

#include "core/rating/match_order.h"
#include "test.h"

/*
 * A match as its model sees it while it rates: in order, without the components that all
 * models have, and with the advantage of larger teams among what is known in advance.
 * Returns where that player is in it.
 */
static inline int
match_as_rated(const Fixture *f, int player, Fixture *rated)
{
	Match	   *match = &rated->match;
	double		coefficient[2];
	const double *size_advantage = NULL;
	int			i;

	*rated = *f;
	match->team = rated->team;
	match->player = rated->player;
	match->entry = rated->entry;
	match->component = rated->component;
	match->share = rated->share;
	match_order(match, f->model->nstate);
	for (i = 0; i < match->nplayers; i++)
		memcpy(rated->before[i], match->player[i].before, sizeof(rated->before[i]));
	while (match->ncomponents > 0)
	{
		const MatchComponent *last = &match->component[match->ncomponents - 1];

		if (last->spec->init == size_advantage_init)
			size_advantage = last->before;
		else if (last->spec->init != recalibration_init)
			break;
		match->ncomponents--;
		match->nshares--;
	}
	if (size_advantage_coefficients(f->params, size_advantage, coefficient))
		size_advantage_give(coefficient, match);
	return match->player[player].moved_to;
}

/* Where the hazard of a normal variable begins: sqrt(2 / pi). */
#define HAZARD_AT_0 0.79788456080286541

#define MAX_ROWS TEST_MAX_ROWS

static inline double
number_of(const Fixture *f, const char *name)
{
	int			i = param_find(&f->model->params, name);

	assert_true(i >= 0);
	return f->params[i].number;
}

static inline bool
choice_is(const Fixture *f, const char *name, const char *choice)
{
	int			i = param_find(&f->model->params, name);

	assert_true(i >= 0);
	return strcmp(param_spec(&f->model->params, i)->choices[f->params[i].choice], choice) == 0;
}

static inline bool
flag_of(const Fixture *f, const char *name)
{
	int			i = param_find(&f->model->params, name);

	assert_true(i >= 0);
	return f->params[i].flag;
}

static inline double
squared(double x)
{
	return x * x;
}

/* The play of each team, commanding excluded, or the number of its entries. */
static inline void
team_play(const Fixture *f, bool heads, double *play)
{
	int			i;

	for (i = 0; i < f->match.nteams; i++)
		play[i] = 0;
	for (i = 0; i < f->match.nentries; i++)
		play[f->entry[i].team] += heads ? 1 : f->entry[i].weight;
}

/* What a unit of play counts in sums of members above the mean of the match. */
static inline void
team_factors(const Fixture *f, bool heads, double *factor)
{
	double		play[MAX_ROWS];
	double		inverse = 0;
	int			i;

	team_play(f, heads, play);
	for (i = 0; i < f->match.nteams; i++)
	{
		inverse += 1 / play[i];
		factor[i] = 1;
	}
	if (choice_is(f, "strength", "centered"))
		for (i = 0; i < f->match.nteams; i++)
			factor[i] = f->match.nteams / inverse / play[i];
}

/* The largest distance of another value from one of n. */
static inline double
farthest(const double *value, int n, int from)
{
	double		most = 0;
	int			i;

	for (i = 0; i < n; i++)
		most = fmax(most, fabs(value[i] - value[from]));
	return most;
}

/* The number of times that a margin multiplies elo's change, at most, for team i. */
static inline double
elo_margin_bound(const Fixture *f, int i)
{
	double		most = 0;
	int			j;

	if (choice_is(f, "margin", "none"))
		return 1;
	for (j = 0; j < f->match.nteams; j++)
	{
		double		d = fabs(f->team[i].score - f->team[j].score) /
			number_of(f, "margin_unit");
		double		index = choice_is(f, "margin", "goals") ? fmax(1, (11 + d) / 8) :
			choice_is(f, "margin", "log") ? fmax(1, log1p(d) / M_LN2) : log1p(d);

		if (j == i)
			continue;
		if (isnan(d))
			return 1;
		most = fmax(most, d == 0 ? number_of(f, "margin_draw") : index);
	}
	return most * (number_of(f, "margin_autocorrelation") > 0 ? 10 : 1);
}

static inline double
elo_bound(const Fixture *f, int player)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < f->match.nentries; i++)
		if (f->entry[i].player == player)
			sum += f->entry[i].weight * elo_margin_bound(f, f->entry[i].team);
	return f->player[player].gain * number_of(f, "k") * sum;
}

/* How many games a field counts. */
static inline double
glicko_games(const Fixture *f)
{
	int			n = f->match.nteams;
	double		harmonic = 0;
	int			i;

	for (i = 1; i <= n; i++)
		harmonic += 1.0 / i;
	return n == 2 || choice_is(f, "opponents", "mean") ? 1 :
		choice_is(f, "opponents", "each") ? n - 1 : 4 * (1 - harmonic / n);
}

static inline double
glicko_bound(const Fixture *f, int player)
{
	return f->player[player].gain * f->player[player].weight * glicko_games(f) *
		squared(f->before[player][1]) * M_LN10 / 400;
}

static inline double
elo_mmr_bound(const Fixture *f, int player)
{
	double		beta = number_of(f, "beta");
	double		variance = squared(f->before[player][1]) + squared(number_of(f, "tau"));
	bool		logistic_form = choice_is(f, "form", "logistic");
	double		play[MAX_ROWS];
	double		mean[MAX_ROWS] = {0};
	double		skill[MAX_ROWS] = {0};
	double		total[MAX_ROWS];
	double		precision = 0;
	double		sum = 0;
	int			n = f->match.nteams;
	int			i;

	team_play(f, false, play);
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		double		share = e->weight / play[e->team];

		mean[e->team] += share * f->before[e->player][0];
		skill[e->team] += squared(share) *
			(squared(f->before[e->player][1]) + squared(number_of(f, "tau")));
	}
	for (i = 0; i < n; i++)
	{
		total[i] = skill[i] + squared(beta) / play[i];
		precision += 1 / sqrt(total[i]);
	}
	if (n > 2)
		match_add_advantages(&f->match, total, mean);
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		double		noise = squared(beta) / play[e->team];
		double		d2 = total[e->team];
		double		lead = farthest(mean, n, e->team);

		if (e->player != player)
			continue;
		/* The context moves the teams apart. */
		if (n == 2)
			lead += sqrt(M_PI / 8 * (total[0] + total[1])) * fabs(f->match.log_odds);
		sum += variance * e->weight / play[e->team] *
			(logistic_form ? M_PI / sqrt(3 * noise) :
			 (lead + (flag_of(f, "split_ties") ? 2 : 1) * HAZARD_AT_0 * d2 * precision) / d2);
	}
	return f->player[player].gain * sum;
}

static inline double
frag_bound(const Fixture *f, int player)
{
	double		points = number_of(f, "points");
	double		duels = 1;
	int			i,
				j;

	for (i = 0; points > 0 && i < f->match.nteams; i++)
		for (j = f->match.nteams > 1 ? i + 1 : i; j < f->match.nteams; j++)
		{
			double		pair = (fabs(f->team[i].score) +
								(j > i ? fabs(f->team[j].score) : 0)) / points;

			/* Without scores a win is 1 : 0, and a draw nothing. */
			if (isnan(pair))
				pair = 1 / points;
			duels = fmax(i + j <= 1 ? 0 : duels, pair);
		}
	return f->player[player].gain * number_of(f, "k") * f->player[player].weight * duels;
}

static inline double
hive_bound(const Fixture *f, int player)
{
	double		total = 0;
	double		own = 0;
	int			i;

	for (i = 0; i < f->match.nentries; i++)
	{
		total += f->entry[i].weight;
		own += f->entry[i].player == player ? f->entry[i].weight : 0;
	}
	return f->player[player].gain * (number_of(f, "a") + number_of(f, "c") *
									 (total > 0 ? own / total : 0));
}

static inline double
synelo_bound(const Fixture *f, int player)
{
	double		k = fmax(number_of(f, "k_low"), number_of(f, "k_high"));
	double		before = f->before[player][0];
	bool		strict = flag_of(f, "strict");
	double		bound = f->player[player].gain * k *
		(strict ? f->player[player].weight > 0 : f->player[player].weight);
	double		cap = number_of(f, "graduation_cap");

	if (strict || flag_of(f, "round"))
		bound += 0.5;
	if (strict && cap == 0)
		cap = 2200;
	if (cap > 0 && f->player[player].games + 1 == number_of(f, "shadow_games"))
		bound += fmax(0, before - cap);
	return strict ? fmax(bound, number_of(f, "floor") - before) : bound;
}

/*
 * Of normal skills: a player with that coefficient and variance in a performance of that
 * deviation, or a difference of two, which the result moves by at most so many points.
 */
static inline double
normal_bound(double coefficient, double variance, double deviation, double points)
{
	return fabs(coefficient) * variance / squared(deviation) * points;
}

/* By how much an order can move the performance of one of n teams. */
static inline double
order_points(const double *mean, int n, int team, double margin, double deviation)
{
	return farthest(mean, n, team) + (n - 1) * margin + sqrt(n) * deviation;
}

static inline TrueSkill
trueskill_of(const Fixture *f)
{
	return (TrueSkill)
	{
		.beta = number_of(f, "beta"),.tau = number_of(f, "tau"),
			.draw_probability = number_of(f, "draw_probability"),
			.margin_by_weight = choice_is(f, "draw_margin", "weights"),
			.centered = choice_is(f, "strength", "centered"),
	};
}

static inline double
trueskill_bound(const Fixture *f, int player)
{
	static TrueSkillTeams teams;
	TrueSkill	ts = trueskill_of(f);
	double		variance = squared(f->before[player][1]) + squared(ts.tau);
	double		coefficient = 0;
	double		sum = 0;
	double		size = 0;
	Difference	d;
	Match		match = f->match;
	MatchPlayer scratch[MAX_ROWS];
	int			i;

	/* The difference leaves coefficients in players. */
	memcpy(scratch, f->player, sizeof(scratch));
	match.player = scratch;
	if (match.nteams == 2)
	{
		d = trueskill_difference(&ts, &match, squared(ts.tau));
		coefficient = scratch[player].gradient;
		return f->player[player].gain *
			normal_bound(coefficient, variance, d.deviation,
						 fabs(d.mean) + d.margin + HAZARD_AT_0 * d.deviation);
	}
	trueskill_teams(&ts, &match, squared(ts.tau), &teams);
	for (i = 0; i < match.nteams; i++)
		size = fmax(size, teams.size[i]);
	for (i = 0; i < match.nentries; i++)
	{
		const MatchEntry *e = &match.entry[i];
		double		deviation = sqrt(teams.variance[e->team]);

		if (e->player == player)
			sum += normal_bound(teams.factor[e->team] * e->weight, variance, deviation,
								order_points(teams.mean, match.nteams, e->team,
											 trueskill_margin(&ts) * sqrt(2 * size),
											 deviation));
	}
	return f->player[player].gain * sum;
}

static inline double
state_space_bound(const Fixture *f, int player)
{
	static StateSpaceTeams teams;
	static StateSpaceMatch m;
	StateSpace	model = state_space_from_params(f->params);
	Match		match = f->match;
	double		variance = squared(f->before[player][0 + 1]) + model.drift;
	double		gain = f->player[player].gain;
	double		performance[MAX_ROWS];
	double		coefficient[PLAYER_UNKNOWNS];
	double		sum = 0;
	double		size = 0;
	bool		scored = model.unit > 0 && !isnan(f->team[0].score);
	int			i;
	state_space_begin(&model, &match, &m);
	if (match.nteams == 2)
	{
		StateSpaceDifference d = state_space_difference(&m);
		double		points = fabs(d.mean) + d.margin + HAZARD_AT_0 * d.deviation;

		state_space_player_coefficients(&m, &match.player[player], coefficient);
		if (scored)
			points = fmax(points, fabs(d.mean) + d.size *
						  fabs(state_space_score(&model, f->team[0].score - f->team[1].score)));
		sum = normal_bound(coefficient[UNKNOWN_SKILL], variance, d.deviation, points);
	}
	else
	{
		state_space_teams(&m, &teams);
		for (i = 0; i < match.nteams; i++)
			size = fmax(size, teams.noise[i]);
		if (scored)
			state_space_scores(&model, &match, teams.size, performance);
		for (i = 0; i < match.nteams; i++)
			performance[i] = scored ? performance[i] - teams.mean[i] : 0;
		for (i = 0; i < match.nentries; i++)
		{
			const MatchEntry *e = &match.entry[i];
			double		deviation = sqrt(teams.variance[e->team]);
			double		points = order_points(teams.mean, match.nteams, e->team,
											  m.margin * sqrt(2 * size), deviation);

			if (e->player != player)
				continue;
			state_space_entry(&m, e, coefficient);
			sum += normal_bound(coefficient[UNKNOWN_SKILL], variance, deviation,
								fmax(points, farthest(performance, match.nteams, e->team)));
		}
	}
	return fmin(gain, 1) * fabs(state_space_shift(&m, &match.player[player])) + gain * sum;
}

/* The performance of a player under trueskill2 before the match, without squads. */
static inline double
trueskill2_mean(const Fixture *f, int player)
{
	return f->before[player][0] + number_of(f, "base_weight") * f->before[player][2];
}

static inline double
trueskill2_variance(const Fixture *f, int player)
{
	return squared(f->before[player][1]) +
		squared(number_of(f, "base_weight") * f->before[player][3]) +
		squared(number_of(f, "beta"));
}

/* Whether kills, deaths or quits have a say in the match. */
static inline bool
trueskill2_counts(const Fixture *f)
{
	int			i;

	for (i = 0; i < f->match.nplayers; i++)
		if ((number_of(f, "kill_variance") > 0 && !isnan(f->player[i].kills)) ||
			(number_of(f, "death_variance") > 0 && !isnan(f->player[i].deaths)) ||
			(number_of(f, "quit_related") > 0 && f->player[i].quit == 1))
			return true;
	return false;
}

/* What kind of count it is, by the names of its parameters. */
static inline double
count_surprise(const Fixture *f, const double *play, const double *performance, int player,
			   const char *kind, double count)
{
	char		name[3][40];
	double		unit = isnan(f->match.length) ? 1 : f->match.length / number_of(f, "count_length");
	double		time = play[player] * unit;
	double		opponents = 0;
	double		total = 0;
	double		variance;
	double		expected;
	int			i;

	snprintf(name[0], sizeof(name[0]), "%s_self", kind);
	snprintf(name[1], sizeof(name[1]), "%s_opponent", kind);
	snprintf(name[2], sizeof(name[2]), "%s_variance", kind);
	variance = number_of(f, name[2]) * time;
	if (isnan(count) || variance == 0)
		return 0;
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];

		if (e->team == f->player[player].team || e->player == player)
			continue;
		opponents += e->weight * performance[e->player];
		total += e->weight;
	}
	expected = time * (number_of(f, name[0]) * performance[player] +
					   (total > 0 ? number_of(f, name[1]) * opponents / total : 0));

	/* None is what any number below 0 becomes. */
	return count == 0 ? squared(fmax(0, expected) / sqrt(variance) + 1.2) :
		squared(count - expected) / variance;
}

/* The same of a quit, by the leads that tempt to it. */
static inline double
quit_surprise(const Fixture *f, const double *performance, int player)
{
	double		unrelated = number_of(f, "quit_unrelated");
	double		opponents = 0;
	double		total = 0;
	double		lead;
	int			i;

	if (f->player[player].quit != 1 || number_of(f, "quit_related") == 0)
		return 0;
	for (i = 0; i < f->match.nentries; i++)
		if (f->entry[i].team != f->player[player].team && f->entry[i].player != player)
		{
			opponents += f->entry[i].weight * performance[f->entry[i].player];
			total += f->entry[i].weight;
		}
	lead = performance[player] - (total > 0 ? opponents / total : 0);
	lead = squared(fmax(0, lead - number_of(f, "quit_margin")) /
				   sqrt(number_of(f, "quit_variance")) + 1.2);
	return unrelated > 0 ? fmin(lead, -2 * log(unrelated)) : lead;
}

/*
 * The sum of squares, in deviations, by which the match surprised: those by which members
 * of one team alone had to perform differently for all teams to be on one level, in the
 * order of the result, and then those of counts and quits.
 */
static inline double
trueskill2_surprise(const Fixture *f, const double *factor, double context)
{
	double		mean[MAX_ROWS] = {0};
	double		variance[MAX_ROWS] = {0};
	double		all[MAX_ROWS] = {0};
	double		play[MAX_ROWS] = {0};
	double		performance[MAX_ROWS];
	double		level = 0;
	double		sum = 0;
	int			n = f->match.nteams;
	int			i,
				j;

	for (i = 0; i < f->match.nplayers; i++)
		performance[i] = trueskill2_mean(f, i);
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		double		part = factor[e->team] * e->weight;

		mean[e->team] += part * performance[e->player];
		all[e->team] += squared(part) * trueskill2_variance(f, e->player);
		if (part < factor[e->team] * f->player[e->player].weight)
			continue;
		variance[e->team] += squared(part) * trueskill2_variance(f, e->player);
	}
	if (f->match.log_odds != 0)
		mean[match_first_side(&f->match)] += copysign(context, f->match.log_odds);
	if (n > 2)
		match_add_advantages(&f->match, all, mean);
	for (i = 0; i < n; i++)
		level += mean[i] / n;
	for (i = 0; i < n; i++)
	{
		int			below = 0;

		for (j = 0; j < n; j++)
			below += f->team[j].rank > f->team[i].rank;
		if (variance[i] == 0)
			return INFINITY;
		mean[i] = level + below * number_of(f, "draw_margin") - mean[i];
		sum += squared(mean[i]) / variance[i];
	}
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];

		play[e->player] += e->weight;
		if (e->weight == f->player[e->player].weight)
			performance[e->player] += mean[e->team] * factor[e->team] * e->weight *
				trueskill2_variance(f, e->player) / variance[e->team];
	}
	for (i = 0; i < f->match.nplayers; i++)
		sum += count_surprise(f, play, performance, i, "kill", f->player[i].kills) +
			count_surprise(f, play, performance, i, "death", f->player[i].deaths) +
			quit_surprise(f, performance, i);
	return sum;
}

/* Whether quits count. */
static inline bool
has_quits(const Fixture *f, int player)
{
	int			i;

	(void) player;
	for (i = 0; i < f->match.nplayers; i++)
		if (f->player[i].quit == 1 && number_of(f, "quit_related") > 0)
			return true;
	return false;
}

static inline double
trueskill2_bound(const Fixture *f, int player)
{
	double		variance = squared(f->before[player][1]);
	double		margin = number_of(f, "draw_margin");
	const ParamSteps *steps = &f->params[param_find(&f->model->params, "experience_offset")].steps;
	double		offset = steps->n > 0 ? fabs(steps->value[0]) : 0;
	double		factor[MAX_ROWS];
	double		mean[MAX_ROWS] = {0};
	double		team_variance[MAX_ROWS] = {0};
	double		coefficient[MAX_ROWS] = {0};
	bool		crosses = false;
	double		context;
	double		c2 = 0;
	double		sum = 0;
	int			n = f->match.nteams;
	int			i;

	if (f->player[player].gain == 0)
		return 0;
	team_factors(f, false, factor);
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		double		part = factor[e->team] * e->weight;

		mean[e->team] += part * trueskill2_mean(f, e->player);
		team_variance[e->team] += squared(part) * trueskill2_variance(f, e->player);
		coefficient[e->player] += e->team == 0 ? part : -part;
		crosses = crosses || e->previous >= 0;
	}
	for (i = 0; i < f->match.nplayers; i++)
		c2 += squared(coefficient[i]) * trueskill2_variance(f, i);
	context = sqrt(c2 * M_PI / 8) * fabs(f->match.log_odds);
	if (n > 2)
		match_add_advantages(&f->match, team_variance, mean);
	if (trueskill2_counts(f) || (n > 2 && crosses))
		sum = variance / sqrt(trueskill2_variance(f, player)) * (has_quits(f, player) ? 2 : 1) *
			(sqrt(trueskill2_surprise(f, factor, context)) + sqrt(f->match.nplayers));
	else if (n == 2)
		sum = normal_bound(coefficient[player], variance, sqrt(c2),
						   fabs(mean[0] - mean[1]) + context + margin +
						   HAZARD_AT_0 * sqrt(c2));
	else
		for (i = 0; i < f->match.nentries; i++)
		{
			const MatchEntry *e = &f->entry[i];
			double		deviation = sqrt(team_variance[e->team]);

			if (e->player == player)
				sum += normal_bound(factor[e->team] * e->weight, variance, deviation,
									order_points(mean, n, e->team, margin, deviation));
		}
	return f->player[player].gain * (sum + offset);
}

/* Strength and variance of teams under weng_lin, as its page has them. */
static inline void
weng_lin_teams(const Fixture *f, const double *factor, double *mean, double *variance)
{
	bool		partial = choice_is(f, "weights", "partial");
	double		tau = number_of(f, "tau");
	double		best[MAX_ROWS];
	int			i;

	for (i = 0; i < f->match.nteams; i++)
	{
		mean[i] = variance[i] = 0;
		best[i] = -INFINITY;
	}
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		const double *state = f->before[e->player];

		best[e->team] = fmax(best[e->team], state[0] -
							 3 * sqrt(squared(state[1]) + squared(tau)));
	}
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		const double *state = f->before[e->player];
		double		share = factor[e->team] * (partial ? e->weight : 1);
		double		ordinal = state[0] - 3 * sqrt(squared(state[1]) + squared(tau));

		if (flag_of(f, "balance"))
			share *= 1 + (best[e->team] - ordinal) / (best[e->team] + number_of(f, "kappa"));
		mean[e->team] += share * state[0];
		variance[e->team] += squared(share) * (squared(state[1]) + squared(tau));
	}
}

static inline double
weng_lin_bound(const Fixture *f, int player)
{
	bool		partial = choice_is(f, "weights", "partial");
	bool		normal = choice_is(f, "variant", "thurstone_mosteller_full") ||
		choice_is(f, "variant", "thurstone_mosteller_part");
	double		margin = number_of(f, "margin");
	double		beta2 = squared(number_of(f, "beta"));
	double		weight = fmax(fmax(number_of(f, "weight_low"), number_of(f, "weight_high")),
							  1 / fmin(number_of(f, "weight_low"), number_of(f, "weight_high")));
	double		factor[MAX_ROWS];
	double		mean[MAX_ROWS];
	double		variance[MAX_ROWS];
	double		all = 0;
	double		sum = 0;
	int			n = f->match.nteams;
	int			i,
				j;

	team_factors(f, !partial, factor);
	weng_lin_teams(f, factor, mean, variance);
	for (i = 0; i < n; i++)
		all += variance[i] + beta2;
	for (i = 0; i < f->match.nentries; i++)
	{
		const MatchEntry *e = &f->entry[i];
		int			team = e->team;
		double		amplify = 1;
		double		omega = 0;

		if (e->player != player)
			continue;
		for (j = 0; j < n; j++)
		{
			double		difference = fabs(f->team[team].score - f->team[j].score);
			double		c = sqrt(variance[team] + variance[j] + 2 * beta2);
			double		points = 1;

			if (j == team)
				continue;
			if (margin > 0 && choice_is(f, "margin_form", "amplify") && difference > margin)
				amplify += log1p(difference - margin) / (n - 1);
			if (choice_is(f, "variant", "thurstone_mosteller_part"))
				c *= 2;
			if (normal)
				points = fabs(mean[team] - mean[j]) / c *
					(margin > 0 && choice_is(f, "margin_form", "divide") ? 1 / M_LN2 : 1) +
					sqrt(M_PI / 8) * fabs(match_log_odds_between(&f->match, team, j)) +
					number_of(f, "epsilon") / c + HAZARD_AT_0;
			omega += points / (choice_is(f, "variant", "plackett_luce") ? sqrt(all) : c);
		}
		sum += factor[team] * (partial ? e->weight : weight) * amplify * omega;
	}
	return f->player[player].gain * (squared(f->before[player][1]) + squared(number_of(f, "tau"))) *
		sum;
}

/*
 * The variance that a match adds to a deviation column before or after its update; a
 * deviation grows by no more.
 */
static inline double
deviation_drift(const Fixture *f, int column)
{
	const char *name = f->model->state[column].name;
	const char *tau = strncmp(name, "base", 4) == 0 ? "base_tau" : "tau";

	if (strcmp(name, "deviation") == 0 || strcmp(name, "side_sigma") == 0)
		return 0;
	return squared(number_of(f, tau));
}

/*
 * Whether a volatility, under glicko2, moved within the page's bounds: down by a quarter of
 * tau^2 in the logarithm, and up by a half.
 */
static inline bool
volatility_in_bounds(const Fixture *f, int player, double before, double after)
{
	double		tau = number_of(f, "tau");
	double		gain = f->player[player].gain;
	double		moved = log(after / before);

	return moved >= -gain * tau * tau / 4 - 1e-12 && moved <= gain / 2 + 1e-12;
}

typedef struct ModelBound
{
	const char *model;
	double		(*main) (const Fixture *f, int player);
} ModelBound;

static const ModelBound model_bounds[] = {
	{"elo", elo_bound},
	{"elo_mmr", elo_mmr_bound},
	{"frag", frag_bound},
	{"glicko", glicko_bound},
	{"glicko2", glicko_bound},
	{"hive", hive_bound},
	{"state_space", state_space_bound},
	{"synelo", synelo_bound},
	{"trueskill", trueskill_bound},
	{"trueskill2", trueskill2_bound},
	{"weng_lin", weng_lin_bound},
};

static inline const ModelBound *
bound_of_model(const Model *model)
{
	size_t		i;

	for (i = 0; i < sizeof(model_bounds) / sizeof(model_bounds[0]); i++)
		if (strcmp(model_bounds[i].model, model->name) == 0)
			return &model_bounds[i];
	print_error("%s has no bound here and in docs/models/%s.md\n", model->name, model->name);
	return NULL;
}

#endif							/* TEST_CORE_MODEL_BOUNDS_H */
