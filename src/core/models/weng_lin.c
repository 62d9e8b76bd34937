/*
 * weng_lin.c
 *		The five models of Weng and Lin, which OpenSkill made known.
 *
 * R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online
 * Ranking" (JMLR 12, 2011): one step of gradient and curvature of the log
 * likelihood of the result, under the rule of Plackett and Luce, or of pairs of
 * teams under that of Bradley and Terry or of Thurstone and Mosteller, either
 * all pairs (full) or neighbours in the result (part).
 *
 * Where libraries differ from the paper and from each other, parameters have
 * their behaviours, so that who moves here keeps the numbers
 * (docs/models/weng_lin.md).
 */
#include "core/models/weng_lin.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/util/extremes.h"

static const char *const variant_choices[] = {
	"plackett_luce", "bradley_terry_full", "bradley_terry_part",
	"thurstone_mosteller_full", "thurstone_mosteller_part", NULL
};
static const char *const strength_choices[] = {"centered", "sum", NULL};
static const char *const gamma_choices[] = {"deviation", "teams", NULL};
static const char *const margin_choices[] = {"amplify", "divide", NULL};
static const char *const weights_choices[] = {"partial", "openskill", NULL};

enum
{
	GAMMA_DEVIATION,
	GAMMA_TEAMS
};

enum
{
	MARGIN_AMPLIFY,
	MARGIN_DIVIDE
};

enum
{
	WEIGHTS_PARTIAL,
	WEIGHTS_OPENSKILL
};

static const ParamSpec weng_lin_params[] = {
	{.name = "variant",.type = PARAM_CHOICE,
		.default_value = WENG_LIN_PLACKETT_LUCE,.choices = variant_choices,
	.description = "likelihood of the result, and which teams are compared"},
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 25,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean skill of a player who has not played"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = 25.0 / 3,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
		.searched = true,
	.description = "deviation of the skill of a player who has not played"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 25.0 / 6,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "deviation of one performance of a team from its skill"},
	{.name = "kappa",.type = PARAM_NUMBER,.default_value = 1e-4,
		.min = 0,.above_min = true,.max = 1,.unit = "share of a variance",
	.description = "no match takes a variance below this share of it"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 25.0 / 300,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
		.searched = true,
	.description = "drift of a skill from match to match"},
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.001, 10},
		.of_time = true,
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"},
	{.name = "epsilon",.type = PARAM_NUMBER,.default_value = 0.1,
		.min = 0,.max = 1e9,.unit = "skill",
	.description = "thurstone_mosteller: difference of performances that is a draw"},
	{.name = "span",.type = PARAM_NUMBER,.default_value = 4,
		.min = 1,.max = MATCH_MAX_TEAMS,.unit = "teams",
	.description = "part: neighbours on either side; 1 adds them up, more take the mean"},
	{.name = "gamma",.type = PARAM_CHOICE,.default_value = GAMMA_DEVIATION,
		.choices = gamma_choices,
	.description = "damping of sigma: by the team's deviation or by the number of teams"},
	{.name = "prevent_sigma_increase",.type = PARAM_FLAG,
	.description = "whether no sigma comes out larger than it went in"},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = WENG_LIN_CENTERED,
		.choices = strength_choices,
	.description = "strength of a team: the sum of its members above the mean of the match, or above 0"},
	{.name = "balance",.type = PARAM_FLAG,
	.description = "whether weaker members weigh more in a team's skill"},
	{.name = "margin",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "score",
		.search = {0.1, 1000},.zero_is_other = true,
	.description = "difference of scores beyond which it counts; 0 leaves scores out"},
	{.name = "margin_form",.type = PARAM_CHOICE,
		.default_value = MARGIN_AMPLIFY,.choices = margin_choices,
		.only_with = "margin",.only_values = PARAM_VALUE(1),
	.description = "whether a margin amplifies the change or divides the difference of skills"},
	{.name = "weights",.type = PARAM_CHOICE,.default_value = WEIGHTS_PARTIAL,
		.choices = weights_choices,
	.description = "whether weights are shares of the match, or contributions as in OpenSkill"},
	{.name = "weight_low",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "weight",
		.only_with = "weights",.only_values = PARAM_VALUE(WEIGHTS_OPENSKILL),
	.description = "openskill weights: what the least of a team becomes"},
	{.name = "weight_high",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.above_min = true,.max = 1e9,.unit = "weight",
		.only_with = "weights",.only_values = PARAM_VALUE(WEIGHTS_OPENSKILL),
	.description = "openskill weights: what the largest of a team becomes"},
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 3,
		.min = 0,.max = 1e9,.unit = "deviations",
	.description = "the displayed rating is mu minus so many sigma"},
};

static const ModelPart weng_lin_parts[] = {
	{.name = "drift",.description = "skills drift in idle time",
		.needs_times = true,.nparams = 1,
	.param = {{WENG_LIN_DRIFT, 0, 0.1}}},
	{.name = "margin",.description = "large margins of victory count for more",
		.needs = MODEL_SCORE,.nparams = 2,
		.param = {{WENG_LIN_MARGIN, 0, 1},
	{WENG_LIN_MARGIN_FORM, MARGIN_AMPLIFY, MARGIN_AMPLIFY}}},
	{.name = "variant",.description = "another likelihood of the result",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{WENG_LIN_VARIANT, WENG_LIN_PLACKETT_LUCE, WENG_LIN_THURSTONE_MOSTELLER_FULL}}},
	{.name = "balance",.description = "weaker members weigh more in a team",
		.nparams = 1,
	.param = {{WENG_LIN_BALANCE, 0, 1}}},
	{.name = "sum",.description = "a team is worth the sum of its members",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{WENG_LIN_STRENGTH, WENG_LIN_CENTERED, WENG_LIN_SUM}}},
	MODEL_COMMON_PARTS
};

static const StateSpec weng_lin_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean of the skill"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation of the skill"},
};

/* A team, in the order of the result. */
typedef struct Team
{
	int			team;			/* index into match->team */
	double		mu;
	double		variance;
	double		rank;
	double		score;
	double		advantage;		/* log-odds in advance */
	double		omega;			/* gradient by mu */
	double		delta;			/* damped curvature by mu */
	double		amplify;		/* of omega, by the margins */
	double		weight_min;		/* openskill weights: range in the team */
	double		weight_max;
	double		ordinal;		/* balance: largest mu - 3 sigma */
	double		factor;			/* what a member's share counts */
	int			members;
} Team;

typedef struct WengLin
{
	const ParamValue *params;
	const Match *match;
	double		drift;			/* variance that a match adds to each skill */
	Team		team[MATCH_MAX_TEAMS];	/* best first */
	int			place[MATCH_MAX_TEAMS]; /* of match->team in that order */
} WengLin;

static void
weng_lin_init(const ParamValue *params, double *state)
{
	state[WENG_LIN_MU] = params[WENG_LIN_INITIAL_MU].number;
	state[WENG_LIN_SIGMA] = larger(params[WENG_LIN_INITIAL_SIGMA].number,
								   MIN_DEVIATION);
}

static void
weng_lin_age(const ParamValue *params, double *state, double seconds)
{
	state[WENG_LIN_SIGMA] =
		deviation_drifted(state[WENG_LIN_SIGMA], params[WENG_LIN_DRIFT].number,
						  seconds, params[WENG_LIN_INITIAL_SIGMA].number);
}

static bool
is_partial_play(const ParamValue *params)
{
	return params[WENG_LIN_WEIGHTS].choice == WEIGHTS_PARTIAL;
}

/* Weights of OpenSkill are contributions. */
static bool
weng_lin_counts_members(const ParamValue *params)
{
	return !is_partial_play(params);
}

/* How much a member counts, as in match_center() if asked for. */
static double
member_part(const WengLin *wl, const MatchEntry *e)
{
	return wl->team[wl->place[e->team]].factor *
		(is_partial_play(wl->params) ? e->weight : 1);
}

/* How much a member counts in the sums of its team. */
static double
member_share(const WengLin *wl, const MatchEntry *e)
{
	const double *state = wl->match->player[e->player].before;
	double		share = member_part(wl, e);

	if (wl->params[WENG_LIN_BALANCE].flag)
	{
		double		best = wl->team[wl->place[e->team]].ordinal;
		double		sigma = sqrt(square(state[WENG_LIN_SIGMA]) + wl->drift);

		/* As OpenSkill has it; kappa keeps the divisor from 0. */
		share *= 1 + (best - (state[WENG_LIN_MU] - 3 * sigma)) /
			(best + wl->params[WENG_LIN_KAPPA].number);
	}
	return share;
}

/* What a unit of weight, or a member, counts of each team. */
static void
set_factors(WengLin *wl)
{
	const Match *match = wl->match;
	double		weight[MATCH_MAX_TEAMS];
	double		factor[MATCH_MAX_TEAMS];
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		weight[i] = 0;
		factor[i] = 1;
	}
	for (i = 0; i < match->nentries; i++)
		weight[match->entry[i].team] +=
			is_partial_play(wl->params) ? match->entry[i].weight : 1;
	if (wl->params[WENG_LIN_STRENGTH].choice == WENG_LIN_CENTERED)
		match_center(weight, match->nteams, factor);
	for (i = 0; i < match->nteams; i++)
		wl->team[wl->place[i]].factor = factor[i];
}

/* The log-odds in advance, of two teams half for the one and against the other. */
static double
team_advantage(const Match *match, int team)
{
	return match->nteams == 2 ? match_log_odds_for(match, team) / 2 :
		match->team[team].advantage;
}

static void
gather_teams(WengLin *wl, const ParamValue *params, const Match *match)
{
	int			order[MATCH_MAX_TEAMS];
	int			i;

	wl->params = params;
	wl->match = match;
	wl->drift = square(params[WENG_LIN_TAU].number);

	match_teams_by_rank(match, order);
	for (i = 0; i < match->nteams; i++)
	{
		Team		empty = {.team = order[i],.rank = match->team[order[i]].rank,
			.score = match->team[order[i]].score,
			.advantage = team_advantage(match, order[i]),.amplify = 1,
			.weight_min = INFINITY,.weight_max = -INFINITY,
		.ordinal = -INFINITY};

		wl->team[i] = empty;
		wl->place[order[i]] = i;
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;
		Team	   *team = &wl->team[wl->place[e->team]];

		team->weight_min = smaller(team->weight_min, e->weight);
		team->weight_max = larger(team->weight_max, e->weight);
		team->ordinal = larger(team->ordinal, state[WENG_LIN_MU] -
							   3 * sqrt(square(state[WENG_LIN_SIGMA]) + wl->drift));
		team->members++;
	}
	set_factors(wl);
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;
		Team	   *team = &wl->team[wl->place[e->team]];
		double		share = member_share(wl, e);

		team->mu += share * state[WENG_LIN_MU];
		team->variance += square(share) *
			(square(state[WENG_LIN_SIGMA]) + wl->drift);
	}
}

/*
 * The unit in which a difference of two teams counts, the paper's c.  The part variant of
 * Thurstone and Mosteller's model has it doubled in the paper's code and all that follow it.
 */
static double
pair_unit(const WengLin *wl, const Team *a, const Team *b)
{
	double		c = sqrt(a->variance + b->variance +
						 2 * square(wl->params[WENG_LIN_BETA].number));

	return wl->params[WENG_LIN_VARIANT].choice ==
		WENG_LIN_THURSTONE_MOSTELLER_PART ? 2 * c : c;
}

/* A margin of victory as OpenSkill for Python has it: less than 1 for no reason. */
static double
margin_divisor(const WengLin *wl, const Team *a, const Team *b)
{
	double		margin = wl->params[WENG_LIN_MARGIN].number;
	double		difference = fabs(a->score - b->score);

	if (margin == 0 || wl->params[WENG_LIN_MARGIN_FORM].choice != MARGIN_DIVIDE ||
		!(difference > margin))
		return 1;
	return portable_log1p(difference / margin);
}

static double
gamma_for(const WengLin *wl, const Team *team, double c)
{
	return wl->params[WENG_LIN_GAMMA].choice == GAMMA_TEAMS ?
		1.0 / wl->match->nteams : sqrt(team->variance) / c;
}

/* What the game against another team adds to omega and delta. */
static void
compare(const WengLin *wl, const Team *team, const Team *other,
		double *omega, double *delta)
{
	double		c = pair_unit(wl, team, other);
	double		d = (team->mu - other->mu) / (c * margin_divisor(wl, team, other));
	double		slope;
	double		curvature;

	if (wl->params[WENG_LIN_VARIANT].choice < WENG_LIN_THURSTONE_MOSTELLER_FULL)
	{
		double		p = logistic(d + (team->advantage - other->advantage));
		double		score = 0.5;

		if (team->rank != other->rank)
			score = team->rank < other->rank;
		slope = score - p;
		curvature = p * (1 - p);
	}
	else
	{
		double		e = wl->params[WENG_LIN_EPSILON].number / c;
		Truncation	truncation;

		d += sqrt(M_PI / 8) * (team->advantage - other->advantage);
		if (team->rank == other->rank)
			truncation = truncated_draw(d, e);
		else
			truncation = truncated_win(team->rank < other->rank ? d - e : -d - e);
		slope = team->rank <= other->rank ? truncation.v : -truncation.v;
		curvature = truncation.w;
	}
	*omega += slope / c;
	*delta += gamma_for(wl, team, c) * curvature / c / c;
}

/* All pairs, or neighbours in the result within the span. */
static void
compare_pairs(WengLin *wl)
{
	int			variant = wl->params[WENG_LIN_VARIANT].choice;
	int			n = wl->match->nteams;
	bool		full = variant == WENG_LIN_BRADLEY_TERRY_FULL ||
		variant == WENG_LIN_THURSTONE_MOSTELLER_FULL;
	int			span = full ? n : (int) wl->params[WENG_LIN_SPAN].number;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		Team	   *team = &wl->team[i];
		int			first = i > span ? i - span : 0;
		int			last = i + span < n ? i + span : n - 1;

		for (j = first; j <= last; j++)
			if (j != i)
				compare(wl, team, &wl->team[j], &team->omega, &team->delta);
		if (!full && span > 1)
		{
			/* The mean over the neighbours that there are, fewer at the ends. */
			team->omega /= last - first;
			team->delta /= last - first;
		}
	}
}

/*
 * Plackett and Luce: places are given out from the first to the last, each to
 * one of those that are left with odds e^(mu / c); of teams that drew, each
 * takes its share of their places.
 */
static void
compare_choices(WengLin *wl)
{
	int			n = wl->match->nteams;
	double		odds[MATCH_MAX_TEAMS];
	double		left[MATCH_MAX_TEAMS];
	double		c = 0;
	int			i,
				q,
				s;

	for (i = 0; i < n; i++)
		c += wl->team[i].variance + square(wl->params[WENG_LIN_BETA].number);
	c = sqrt(c);

	for (i = 0; i < n; i++)
	{
		Team	   *team = &wl->team[i];
		double		sum = 0;
		double		slope = 0;
		double		curvature = 0;

		/* Odds against team i, and the sums of those left at each place. */
		for (s = 0; s < n; s++)
		{
			const Team *other = &wl->team[s];

			/*
			 * Relative to team i, so that its own odds do not overflow;
			 * others may be infinite, and p is 0 then.
			 */
			odds[s] = s == i ? 1 :
				portable_exp((other->mu - team->mu) /
							 (c * margin_divisor(wl, team, other)) -
							 (team->advantage - other->advantage));
		}
		for (s = n - 1; s >= 0; s--)
		{
			sum += odds[s];
			left[s] = sum;
		}
		for (q = 0; q < n && wl->team[q].rank <= team->rank; q = s)
		{
			int			drew;
			double		p = 1 / left[q];

			for (s = q; s < n && wl->team[s].rank == wl->team[q].rank; s++)
				;
			drew = s - q;

			/* drew places, each with a share of 1 / drew. */
			slope -= p;
			curvature += p * (1 - p);
			if (wl->team[q].rank == team->rank)
				slope += 1.0 / drew;
		}
		team->omega = slope / c;
		team->delta = gamma_for(wl, team, c) * curvature / c / c;
	}
}

/* A margin of victory as OpenSkill for JavaScript has it, a mean over teams. */
static void
amplify_by_margins(WengLin *wl)
{
	double		margin = wl->params[WENG_LIN_MARGIN].number;
	int			n = wl->match->nteams;
	int			i,
				j;

	if (margin == 0 || wl->params[WENG_LIN_MARGIN_FORM].choice != MARGIN_AMPLIFY)
		return;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
		{
			double		difference = fabs(wl->team[i].score - wl->team[j].score);

			if (difference > margin)
				wl->team[i].amplify += portable_log1p(difference - margin) / (n - 1);
		}
}

/* A contribution as OpenSkill scales it: more of a win, less of a loss. */
static double
openskill_weight(const WengLin *wl, const Team *team, double weight)
{
	double		low = wl->params[WENG_LIN_WEIGHT_LOW].number;
	double		high = wl->params[WENG_LIN_WEIGHT_HIGH].number;

	if (team->members == 1)
		weight = high;
	else if (team->weight_max == team->weight_min)
		weight = low;
	else
		weight = low + (high - low) * (weight - team->weight_min) /
			(team->weight_max - team->weight_min);
	return team->omega >= 0 ? weight : 1 / weight;
}

/* Each member takes the part of the team's change that its variance is. */
static void
update_members(WengLin *wl, Match *match)
{
	bool		partial = is_partial_play(wl->params);
	double		kappa = wl->params[WENG_LIN_KAPPA].number;
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		player->gradient = 0;
		player->after[WENG_LIN_MU] = player->before[WENG_LIN_MU];
		player->after[WENG_LIN_SIGMA] = player->before[WENG_LIN_SIGMA];
	}
	for (i = 0; wl->drift > 0 && i < match->nentries; i++)
	{
		MatchPlayer *player = &match->player[match->entry[i].player];

		if (!partial || match->entry[i].weight > 0)
			player->after[WENG_LIN_SIGMA] =
				deviation_grown(player->before[WENG_LIN_SIGMA],
								player->gain * wl->drift, INFINITY);
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const Team *team = &wl->team[wl->place[e->team]];
		MatchPlayer *player = &match->player[e->player];
		double		variance = square(player->before[WENG_LIN_SIGMA]) + wl->drift;
		double		mu_weight,
					variance_weight;

		if (partial)
		{
			mu_weight = member_part(wl, e);
			variance_weight = square(mu_weight);
		}
		else
		{
			double		weight = openskill_weight(wl, team, e->weight);

			mu_weight = team->factor * weight;
			variance_weight = square(team->factor) * weight;
		}
		if (mu_weight == 0)
			continue;

		/*
		 * Without the gain and the margin, which are factors of the update
		 * and no evidence.
		 */
		player->gradient += mu_weight * team->omega;
		player->after[WENG_LIN_MU] += player->gain * variance * mu_weight *
			(team->amplify * team->omega);
		player->after[WENG_LIN_SIGMA] =
			deviation_updated(player->after[WENG_LIN_SIGMA],
							  sqrt(larger(1 - variance * variance_weight * team->delta,
										  kappa)),
							  player->gain, MIN_DEVIATION);
	}
	if (wl->params[WENG_LIN_PREVENT_SIGMA_INCREASE].flag)
		for (i = 0; i < match->nplayers; i++)
		{
			MatchPlayer *player = &match->player[i];

			if (player->after[WENG_LIN_SIGMA] > player->before[WENG_LIN_SIGMA])
				player->after[WENG_LIN_SIGMA] = player->before[WENG_LIN_SIGMA];
		}
}

void
weng_lin_update(const ParamValue *params, Match *match)
{
	WengLin		wl;

	gather_teams(&wl, params, match);
	if (params[WENG_LIN_VARIANT].choice == WENG_LIN_PLACKETT_LUCE)
		compare_choices(&wl);
	else
		compare_pairs(&wl);
	amplify_by_margins(&wl);
	update_members(&wl, match);
}

/*
 * How far one of two teams is ahead, as a normal variable of deviation 1, and the margin of
 * a draw, under Thurstone and Mosteller's model.
 */
static double
normal_lead(const WengLin *wl, const Team *a, const Team *b, double *margin)
{
	double		c = pair_unit(wl, a, b);

	*margin = wl->params[WENG_LIN_EPSILON].number / c;
	return (a->mu - b->mu) / c + sqrt(M_PI / 8) * (a->advantage - b->advantage);
}

/* A draw of two counts as half a win. */
static double
two_teams_win(const WengLin *wl, const Team *a, const Team *b)
{
	double		d;
	double		e;

	if (wl->params[WENG_LIN_VARIANT].choice < WENG_LIN_THURSTONE_MOSTELLER_FULL)
		return logistic((a->mu - b->mu) / pair_unit(wl, a, b) +
						(a->advantage - b->advantage));
	d = normal_lead(wl, a, b, &e);
	return (normal_cdf(d - e) + normal_cdf(d + e)) / 2;
}

/*
 * Of more than two teams, Luce's rule: that of the model itself, or for Bradley
 * and Terry's one with the mean unit of all pairs; or the best of normal
 * performances, whose pairs are those of Thurstone and Mosteller's model.
 */
static void
many_teams_win(const WengLin *wl, double *win)
{
	int			variant = wl->params[WENG_LIN_VARIANT].choice;
	int			n = wl->match->nteams;
	double		beta2 = square(wl->params[WENG_LIN_BETA].number);
	double		mu[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	double		c = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		mu[i] = wl->team[i].mu;
		variance[i] = wl->team[i].variance + beta2;
		c += variance[i];
	}
	if (variant >= WENG_LIN_THURSTONE_MOSTELLER_FULL)
	{
		double		deviation[MATCH_MAX_TEAMS];
		double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];
		double		unit = variant == WENG_LIN_THURSTONE_MOSTELLER_PART ? 2 : 1;

		for (i = 0; i < n; i++)
		{
			deviation[i] = unit * sqrt(variance[i]);
			variance[i] *= square(unit);
		}
		match_add_advantages(wl->match, variance, mu);
		normal_best_of(mu, deviation, n, win, work, wl->match->interrupt);
		return;
	}
	c = sqrt(variant == WENG_LIN_PLACKETT_LUCE ? c : 2 * c / n);
	for (i = 0; i < n; i++)
		if (wl->team[i].advantage != 0)
			mu[i] += c * wl->team[i].advantage;
	luce_choice(mu, c, n, win);
}

static MatchStatus
weng_lin_predict(const ParamValue *params, Match *match)
{
	WengLin		wl;
	double		win[MATCH_MAX_TEAMS];
	int			i;

	gather_teams(&wl, params, match);
	if (match->nteams == 2)
	{
		int			first = match_first_side(match);

		match->team[first].win = two_teams_win(&wl, &wl.team[wl.place[first]],
											   &wl.team[1 - wl.place[first]]);
		match->team[1 - first].win = 1 - match->team[first].win;
	}
	else
	{
		/* In the order of the match, so that the result has no say in it. */
		for (i = 0; i < match->nteams; i++)
			while (wl.team[i].team != i)
			{
				Team		swap = wl.team[i];

				wl.team[i] = wl.team[swap.team];
				wl.team[swap.team] = swap;
			}
		many_teams_win(&wl, win);
		for (i = 0; i < match->nteams; i++)
			match->team[i].win = win[i];
	}
	return match_check_predictions(match);
}

/* The other variants know no draws. */
static double
weng_lin_draw(const ParamValue *params, Match *match)
{
	WengLin		wl;
	double		lead;
	double		margin;

	gather_teams(&wl, params, match);
	if (params[WENG_LIN_VARIANT].choice < WENG_LIN_THURSTONE_MOSTELLER_FULL)
		return NAN;
	lead = normal_lead(&wl, &wl.team[0], &wl.team[1], &margin);
	return normal_band(lead, margin);
}

/* Means and variances of the teams' skills, as sums of their members'. */
static void
sum_teams(const Match *match, double *mean, double *variance)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		mean[i] = variance[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;

		mean[e->team] += state[WENG_LIN_MU];
		variance[e->team] += square(state[WENG_LIN_SIGMA]);
	}
}

void
weng_lin_pairwise_win(const Match *match, double beta, bool is_logistic, double *win)
{
	double		mean[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	int			n = match->nteams;
	int			i,
				j;

	sum_teams(match, mean, variance);
	for (i = 0; i < n; i++)
	{
		win[i] = 0;
		for (j = 0; j < n; j++)
		{
			double		d = (mean[i] - mean[j]) /
				sqrt(variance[i] + variance[j] + 2 * square(beta));

			if (j != i)
				win[i] += is_logistic ? logistic(d) : normal_cdf(d);
		}
		win[i] /= n * (n - 1) / 2.0;
	}
}

double
weng_lin_pairwise_draw(const Match *match, double beta)
{
	double		mean[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	int			n = match->nteams;

	/*
	 * As OpenSkill computes it, where the margin depends on the number of
	 * players alone.
	 */
	double		players = match->nentries;
	double		margin = sqrt(players) * beta * normal_quantile((1 + 1 / players) / 2);
	double		sum = 0;
	int			i,
				j;

	sum_teams(match, mean, variance);
	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
		{
			double		c = sqrt(variance[i] + variance[j] + 2 * square(beta));
			double		d = fabs(mean[i] - mean[j]);

			/*
			 * From the side of the tails, where the difference keeps its
			 * digits.
			 */
			sum += normal_cdf((margin - d) / c) - normal_cdf((-margin - d) / c);
		}
	return sum / (n * (n - 1) / 2.0);
}

static MatchStatus
weng_lin_rate(const ParamValue *params, Match *match)
{
	MatchStatus status = weng_lin_predict(params, match);

	if (status == MATCH_OK)
		weng_lin_update(params, match);
	return status;
}

static void
weng_lin_display(const ParamValue *params, double *coefficient)
{
	coefficient[WENG_LIN_MU] = 1;
	coefficient[WENG_LIN_SIGMA] = -params[WENG_LIN_DISPLAY_DEVIATIONS].number;
	coefficient[WENG_LIN_NSTATE] = 0;
}

static TeamStrength
weng_lin_team_strength(const ParamValue *params)
{
	return params[WENG_LIN_STRENGTH].choice == WENG_LIN_SUM ? TEAM_STRENGTH_SUM : TEAM_STRENGTH_MEAN;
}

extern const Model weng_lin_model;
const Model weng_lin_model = {
	.name = "weng_lin",
	.summary = "Weng and Lin's models, known from OpenSkill, for any number of teams",
	.source = "R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for Online Ranking (2011)",
	.params = MODEL_PARAMS("weng_lin", weng_lin_params, WENG_LIN_NPARAMS),
	.state = weng_lin_state,
	.nstate = WENG_LIN_NSTATE,
	.rules.component = model_common_components,
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS,
	.part = weng_lin_parts,
	.nparts = sizeof(weng_lin_parts) / sizeof(weng_lin_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN | MODEL_SCORE,
	.rules.counts_members = weng_lin_counts_members,
	.init = weng_lin_init,
	.age = weng_lin_age,
	.team_strength = weng_lin_team_strength,
	.predict = weng_lin_predict,
	.draw = weng_lin_draw,
	.rate = weng_lin_rate,
	.display = weng_lin_display,
};
