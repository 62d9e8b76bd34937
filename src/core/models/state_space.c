/*
 * state_space.c
 *		A state-space model: players, clubs, sides and contexts that vary with time.
 *
 * Everything unknown is a normal variable, independent of all others: the skill of a
 * player, how the skill differs by side and context, the player as a commander, the club,
 * and what a side is worth.  Their sum, each with a coefficient, and noise are the
 * difference of two teams' performances, of which a match shows the sign (with a margin
 * for draws, as in TrueSkill) or, by the scores, the value.  Either moves the mean of each
 * unknown, and takes its share of the variance away; other moments are forgotten, so that
 * the work is one step for each part that somebody had in the match.  docs/models/
 * state_space.md has the formulas.
 *
 * The filter is that of R. E. Kalman, "A New Approach to Linear Filtering and Prediction
 * Problems" (1960), with the moments of a truncated normal distribution, as in R.
 * Herbrich, T. Minka and T. Graepel, "TrueSkill" (2006), where the sign is all that is
 * seen.
 */
#include "core/models/state_space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	PARAM_INITIAL_MU = MODEL_COMMON_PARAMS,
	PARAM_INITIAL_SIGMA,
	PARAM_BETA,
	PARAM_NOISE,
	PARAM_TAU,
	PARAM_DRIFT,
	PARAM_REVERSION,
	PARAM_DRAW_PROBABILITY,
	PARAM_DRAW_SIGMA,
	PARAM_TIES,
	PARAM_STRENGTH,
	PARAM_MARGIN,
	PARAM_MARGIN_EXPONENT,
	PARAM_HOME_SIGMA,
	PARAM_HOME_DRIFT,
	PARAM_HOME_CONTEXT_SIGMA,
	PARAM_PLAYER_CONTEXT_SIGMA,
	PARAM_CLUB_SIGMA,
	PARAM_CLUB_TAU,
	PARAM_CLUB_DRIFT,
	PARAM_INITIAL_SIDE_SIGMA,
	PARAM_INITIAL_COMMAND_MU,
	PARAM_INITIAL_COMMAND_SIGMA,
	PARAM_NEWCOMER_OFFSET,
	PARAM_NEWCOMER_COMPANY,
	PARAM_DISPLAY_DEVIATIONS,
	STATE_SPACE_NPARAMS
};

enum
{
	NOISE_OF_PLAYERS,
	NOISE_OF_TEAMS
};

static const char *const noise_choices[] = {"players", "teams", NULL};
static const char *const ties_choices[] = TIES_CHOICES;
static const char *const strength_choices[] = {"centered", "sum", "mean", "share", NULL};

const ParamSpec state_space_params[STATE_SPACE_OWN_PARAMS] = {
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 2.25,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean skill of a player who has not played"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = 0.75,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
		.searched = true,
	.description = "deviation of the skill of a player who has not played"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "deviation of one performance from the skill"},
	{.name = "noise",.type = PARAM_CHOICE,.default_value = NOISE_OF_PLAYERS,
		.choices = noise_choices,
	.description = "whether beta is that of each player, so that noise grows with the team, or that of a team"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 0.03,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
		.searched = true,
	.description = "drift of a skill from match to match"},
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0.01,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.0001, 1},
		.of_time = true,
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"},
	{.name = "reversion",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "per day",
		.search = {1e-6, 0.1},
		.of_time = true,
	.description = "rate at which a skill reverts to initial_mu, and sigma grows to initial_sigma, in idle time"},
	{.name = "draw_probability",.type = PARAM_NUMBER,.default_value = 0.1,
		.min = 0,.max = 0.999,.unit = "probability",
	.description = "of a draw between equals whose skills are known; gives the draw margin"},
	{.name = "draw_sigma",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 10,.unit = "logarithm of the margin",
		.search = {0.05, 5},
	.description = "deviation of the logarithm of the draw margin before the first match; 0: it stays that of draw_probability"},
	{.name = "ties",.type = PARAM_CHOICE,.default_value = TIES_ALIKE,
		.choices = ties_choices,
	.description = TIES_DESCRIPTION},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STATE_SPACE_CENTERED,
		.choices = strength_choices,
	.description = "strength of a team: the sum of its members above the mean of the match, their sum, their mean, or their share of all who play"},
	{.name = "margin",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per score to the power of margin_exponent",
		.search = {0.001, 100},.zero_is_other = true,
	.description = "effect of a difference of scores on skills, in a match of two players; 0: only the order counts"},
	{.name = "margin_exponent",.type = PARAM_NUMBER,.default_value = 0.7,
		.min = 0,.above_min = true,.max = 10,.unit = "exponent",
		.search = {0.1, 2},
		.only_with = "margin",.only_values = PARAM_VALUE(1),
	.description = "how the difference of skills grows with that of scores; 1: in proportion"},
	{.name = "home_sigma",.type = PARAM_NUMBER,.default_value = 0.3,
		.min = 0,.max = 1e9,.unit = "skill",
	.description = "deviation of advantage of side 1 before the first match, in a match of two players; 0: nothing"},
	{.name = "home_drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.0001, 1},
		.of_time = true,
	.description = "drift of advantage of side 1; its deviation grows by it up to home_sigma"},
	{.name = "home_context_sigma",.type = PARAM_NUMBER,.default_value = 0.1,
		.min = 0,.max = 1e9,.unit = "skill",
	.description = "deviation of advantage of side 1 in a context besides; 0: nothing"},
	{.name = "player_context_sigma",.type = PARAM_NUMBER,.default_value = 0.2,
		.min = 0,.max = 1e9,.unit = "skill",
	.description = "deviation of a player's skill in a context from the skill; 0: none"},
	{.name = "club_sigma",.type = PARAM_NUMBER,.default_value = 0.5,
		.min = 0,.max = 1e9,.unit = "skill",
	.description = "deviation of contribution of a club to its team, in a match of two players; 0: nothing"},
	{.name = "club_tau",.type = PARAM_NUMBER,.default_value = 0.05,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
	.description = "drift of a club from match to match"},
	{.name = "club_drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
		.search = {0.0001, 1},
		.of_time = true,
	.description = "drift of a club in idle time; its deviation grows by it up to club_sigma"},
	{.name = "initial_side_sigma",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill",
		.search = {0.01, 10},
	.description = "deviation of side_offset of a player who has not played; 0: players are the same on both sides"},
	{.name = "initial_command_mu",.type = PARAM_NUMBER,.default_value = 2.25,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean skill as a commander of a player who has not played"},
	{.name = "initial_command_sigma",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill",
		.search = {0.01, 10},.zero_is_other = true,
	.description = "deviation of the skill as a commander of a player who has not played; 0: commanders count as players"},
	{.name = "newcomer_offset",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "skill",
		.search = {-3, 3},
	.description = "advantage over initial_mu of a player without a history"},
	{.name = "newcomer_company",.type = PARAM_NUMBER,.default_value = 0,
		.min = -10,.max = 10,.unit = "share",
		.search = {-2, 2},
	.description = "how much of the lead of all known players of the match over initial_mu such a player has"},
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 3,
		.min = 0,.max = 1e9,.unit = "deviations",
	.description = "the displayed rating is mu minus so many sigma"},
};

static const StateSpec state_space_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean of the skill"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation of the skill"},
	{.name = "side_offset",.min = -INFINITY,.role = ROLE_SIDE,
	.description = "mean of the skill on side 1 above mu, and below it on side 2"},
	{.name = "side_sigma",.min = 0,.role = ROLE_DEVIATION,
	.description = "deviation of side_offset"},
	{.name = "command_mu",.min = -INFINITY,.role = ROLE_COMMAND,
	.description = "mean of the skill as a commander"},
	{.name = "command_sigma",.min = 0,.role = ROLE_DEVIATION,
	.description = "deviation of the skill as a commander"},
};

/*
 * ---- Parameters, and states that no match has changed ----
 */

/* The draw margin in deviations of the noise, before anything is learnt of draws. */
static double
prior_margin(const ParamValue *params)
{
	return normal_quantile((params[PARAM_DRAW_PROBABILITY].number + 1) / 2);
}

StateSpace
state_space_from_params(const ParamValue *params)
{
	return (StateSpace)
	{
		.initial_mu = params[PARAM_INITIAL_MU].number,
			.initial_sigma = larger(params[PARAM_INITIAL_SIGMA].number, MIN_DEVIATION),
			.beta = params[PARAM_BETA].number,
			.drift = square(params[PARAM_TAU].number),
			.club_drift = square(params[PARAM_CLUB_TAU].number),
			.margin = prior_margin(params),
			.ties = (Ties) params[PARAM_TIES].choice,
			.team_noise = params[PARAM_NOISE].choice == NOISE_OF_TEAMS,
			.sides = params[PARAM_INITIAL_SIDE_SIGMA].number > 0,
			.commands = params[PARAM_INITIAL_COMMAND_SIGMA].number > 0,
			.strength = (StateSpaceStrength) params[PARAM_STRENGTH].choice,
			.unit = params[PARAM_MARGIN].number,
			.exponent = params[PARAM_MARGIN_EXPONENT].number,
			.newcomer_offset = params[PARAM_NEWCOMER_OFFSET].number,
			.newcomer_company = params[PARAM_NEWCOMER_COMPANY].number,
	};
}

static void
state_space_init(const ParamValue *params, double *state)
{
	state[STATE_SPACE_MU] = params[PARAM_INITIAL_MU].number;
	state[STATE_SPACE_SIGMA] = larger(params[PARAM_INITIAL_SIGMA].number, MIN_DEVIATION);
	state[STATE_SPACE_SIDE_OFFSET] = 0;
	state[STATE_SPACE_SIDE_SIGMA] = params[PARAM_INITIAL_SIDE_SIGMA].number;
	state[STATE_SPACE_COMMAND_MU] = params[PARAM_INITIAL_COMMAND_MU].number;
	state[STATE_SPACE_COMMAND_SIGMA] = params[PARAM_INITIAL_COMMAND_SIGMA].number;
}

/*
 * Let time pass for a skill that reverts to a mean and drifts besides: the process of
 * Ornstein and Uhlenbeck, whose deviation grows up to that of the prior, and stays where
 * it is already more.
 */
static void
age_skill(const ParamValue *params, double mean, double limit, double seconds,
		  double *state)
{
	double		days = seconds / SECONDS_PER_DAY;
	double		decay = params[PARAM_REVERSION].number * days;
	double		drift = params[PARAM_DRIFT].number;
	double		lost;
	double		variance;

	if (decay == 0)
	{
		state[1] = deviation_drifted(state[1], drift, seconds, limit);
		return;
	}
	state[0] = mean + portable_exp(-decay) * (state[0] - mean);
	if (state[1] >= limit)
		return;

	/* The variance that came by drift has itself decayed meanwhile. */
	lost = -portable_expm1(-2 * decay);
	variance = square(state[1]) * (1 - lost) + square(limit) * lost +
		square(drift) * days * (lost / (2 * decay));
	state[1] = larger(state[1], smaller(sqrt(variance), limit));
}

static void
state_space_age(const ParamValue *params, double *state, double seconds)
{
	age_skill(params, params[PARAM_INITIAL_MU].number,
			  larger(params[PARAM_INITIAL_SIGMA].number, MIN_DEVIATION), seconds,
			  &state[STATE_SPACE_MU]);
	age_skill(params, params[PARAM_INITIAL_COMMAND_MU].number,
			  params[PARAM_INITIAL_COMMAND_SIGMA].number, seconds,
			  &state[STATE_SPACE_COMMAND_MU]);
}

/*
 * ---- Components ----
 */

static const StateSpec component_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation"},
};

/* The functions of a kind of components whose prior deviation is a parameter. */
#define COMPONENT_PRIOR(kind, param) \
static bool \
kind##_used(const ParamValue *params) \
{ \
	return params[param].number > 0; \
} \
\
static void \
kind##_init(const ParamValue *params, double *state) \
{ \
	state[0] = 0; \
	state[1] = larger(params[param].number, MIN_DEVIATION); \
}

COMPONENT_PRIOR(home, PARAM_HOME_SIGMA)
COMPONENT_PRIOR(home_context, PARAM_HOME_CONTEXT_SIGMA)
COMPONENT_PRIOR(player_context, PARAM_PLAYER_CONTEXT_SIGMA)
COMPONENT_PRIOR(club, PARAM_CLUB_SIGMA)

/* Where no draws are expected, none are waited for. */
static bool
draw_used(const ParamValue *params)
{
	return params[PARAM_DRAW_SIGMA].number > 0 && prior_margin(params) > 0;
}

static void
draw_init(const ParamValue *params, double *state)
{
	state[0] = portable_log(larger(prior_margin(params), MIN_DEVIATION));
	state[1] = larger(params[PARAM_DRAW_SIGMA].number, MIN_DEVIATION);
}

static void
home_age(const ParamValue *params, double *state, double seconds)
{
	state[1] = deviation_drifted(state[1], params[PARAM_HOME_DRIFT].number, seconds,
								 params[PARAM_HOME_SIGMA].number);
}

static void
club_age(const ParamValue *params, double *state, double seconds)
{
	state[1] = deviation_drifted(state[1], params[PARAM_CLUB_DRIFT].number, seconds,
								 params[PARAM_CLUB_SIGMA].number);
}

static const ComponentSpec state_space_components[] = {
	[STATE_SPACE_HOME] = {.name = "home",
		.description = "advantage of side 1",
		.scope = COMPONENT_OF_SIDE,.key = COMPONENT_BY_NOTHING,
		.state = component_state,.nstate = 2,
	.used = home_used,.init = home_init,.age = home_age},
	[STATE_SPACE_HOME_CONTEXT] = {.name = "home_context",
		.description = "advantage of side 1 in a context, above home",
		.scope = COMPONENT_OF_SIDE,.key = COMPONENT_BY_CONTEXT,
		.state = component_state,.nstate = 2,
	.used = home_context_used,.init = home_context_init},
	[STATE_SPACE_PLAYER_CONTEXT] = {.name = "player_context",
		.description = "skill of a player in a context, above mu",
		.scope = COMPONENT_OF_PLAYER,.key = COMPONENT_BY_CONTEXT,
		.state = component_state,.nstate = 2,
	.used = player_context_used,.init = player_context_init},
	[STATE_SPACE_CLUB] = {.name = "club",
		.description = "contribution of a club to its team",
		.scope = COMPONENT_OF_TEAM,.key = COMPONENT_BY_CLUB,
		.state = component_state,.nstate = 2,
	.used = club_used,.init = club_init,.age = club_age},
	[STATE_SPACE_DRAW] = {.name = "draw",
		.description = "logarithm of the draw margin, in deviations of the noise",
		.scope = COMPONENT_OF_MATCH,.key = COMPONENT_BY_NOTHING,
		.state = component_state,.nstate = 2,
	.used = draw_used,.init = draw_init},
	MODEL_COMMON_COMPONENTS(size_advantage_learned)
};

/*
 * ---- Matches of two teams ----
 */

/* What a player's unknowns count in the difference: entries on both teams cancel. */
typedef struct Coefficients
{
	double		unknown[PLAYER_UNKNOWNS];
	bool		takes_part[PLAYER_UNKNOWNS];	/* even if they cancel */
} Coefficients;

static void
player_coefficients(const StateSpaceMatch *m, const MatchPlayer *player,
					Coefficients *coefficients)
{
	int			i,
				j;

	for (j = 0; j < PLAYER_UNKNOWNS; j++)
	{
		coefficients->unknown[j] = 0;
		coefficients->takes_part[j] = false;
	}
	for (i = player->last_entry; i >= 0; i = m->match->entry[i].previous)
	{
		const MatchEntry *e = &m->match->entry[i];
		double		part[PLAYER_UNKNOWNS];

		state_space_entry(m, e, part);
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
		{
			coefficients->unknown[j] += e->team == m->first ? part[j] : -part[j];
			coefficients->takes_part[j] = coefficients->takes_part[j] || part[j] != 0;
		}
	}
}

void
state_space_player_coefficients(const StateSpaceMatch *m, const MatchPlayer *player,
								double *coefficient)
{
	Coefficients coefficients;

	player_coefficients(m, player, &coefficients);
	memcpy(coefficient, coefficients.unknown, sizeof(coefficients.unknown));
}

/* The same of a component, in a match of that size. */
double
state_space_component_coefficient(const StateSpaceMatch *m,
								  const MatchComponent *component, double size)
{
	double		coefficient = 0;
	int			i;

	if (component->number == STATE_SPACE_DRAW)
		return 0;
	for (i = component->last_share; i >= 0; i = m->match->share[i].previous)
	{
		const MatchShare *share = &m->match->share[i];

		if (share->team < 0)
			return size * share->weight;
		coefficient += (share->team == m->first ? 1 : -1) * share->weight *
			(component->player >= 0 ? m->factor[share->team] : size);
	}
	return coefficient;
}

StateSpaceDifference
state_space_difference(const StateSpaceMatch *m)
{
	const StateSpace *model = m->model;
	const Match *match = m->match;
	StateSpaceDifference difference = {0, 0, 0, 0, 0};
	double		variance = 0;
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		const MatchPlayer *player = &match->player[i];
		Coefficients coefficients;

		player_coefficients(m, player, &coefficients);
		difference.mean += coefficients.unknown[UNKNOWN_SKILL] *
			state_space_shift(m, player);
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
		{
			double		coefficient = coefficients.unknown[j];

			if (coefficient == 0)
				continue;
			difference.mean += coefficient * player->before[2 * j];
			variance += square(coefficient) *
				(square(player->before[2 * j + 1]) + state_space_drift(model, j));

			/*
			 * An unknown of the same player that varies by side has no noise
			 * of its own.
			 */
			if (j != UNKNOWN_SIDE)
				difference.noise += square(coefficient * model->beta);
		}
	}
	if (model->team_noise)
		difference.noise = 2 * square(model->beta);
	difference.size = sqrt(difference.noise / 2) / model->beta;
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];
		double		coefficient = state_space_component_coefficient(m, component,
																	difference.size);

		difference.mean += coefficient * component->before[0];
		variance += square(coefficient) *
			(square(component->before[1]) + state_space_component_drift(model, component));
	}
	difference.deviation = sqrt(variance + difference.noise);

	/*
	 * Log-odds as a lead of the normal distribution: sqrt(pi / 8) is where
	 * the logistic and the normal curve have the same slope.
	 */
	difference.mean += difference.deviation * sqrt(M_PI / 8) * match->log_odds;
	difference.margin = m->margin * sqrt(difference.noise);
	return difference;
}

/*
 * Whether the scores count, and say the same as the ranks: ranks may be those of a golf
 * course, or of a shoot-out after a draw.
 */
static bool
scores_count(const StateSpace *model, double lead, double difference)
{
	return model->unit > 0 && !isnan(difference) &&
		(lead > 0) == (difference > 0) && (lead < 0) == (difference < 0);
}

/* What the result says about the difference. */
static StateSpaceEvidence
observe(const StateSpace *model, const Match *match, const StateSpaceDifference *d)
{
	const MatchTeam *first = &match->team[match_first_side(match)];
	const MatchTeam *second = &match->team[1 - match_first_side(match)];
	double		lead = second->rank - first->rank;
	double		c = d->deviation;
	Truncation	truncation;

	if (scores_count(model, lead, first->score - second->score))
	{
		/*
		 * The value itself is seen, as by a Kalman filter: nothing of the
		 * difference stays unknown.
		 */
		truncation.v = (d->size * state_space_score(model, first->score - second->score) -
						d->mean) / c;
		truncation.rest = 0;
	}
	else if (lead == 0)
		truncation = truncated_draw(d->mean / c, d->margin / c);
	else if (lead > 0)
		truncation = truncated_win((d->mean - d->margin) / c);
	else
	{
		truncation = truncated_win((-d->mean - d->margin) / c);
		truncation.v = -truncation.v;
	}
	return (StateSpaceEvidence)
	{
		.variance = square(c),.noise = d->noise,
			.gradient = truncation.v / c,.rest = truncation.rest
	};
}

/*
 * The mean and deviation of an unknown after the match, from those before.  The drift
 * comes gain times, as the update does; to all others it is the ordinary one.
 */
static void
learn(const StateSpaceEvidence *evidence, double coefficient, double drift, double shift,
	  double gain, const double *before, double *after)
{
	double		variance = square(before[1]) + drift;
	double		ratio;

	after[0] = before[0];
	after[1] = deviation_grown(before[1], gain * drift, INFINITY);
	if (coefficient == 0 || variance == 0)
		return;
	after[0] += smaller(gain, 1) * shift +
		gain * variance * (coefficient * evidence->gradient);
	ratio = variance_ratio(square(coefficient) * variance, evidence->noise,
						   evidence->variance, evidence->rest);
	after[1] = deviation_updated(after[1], sqrt(ratio), gain,
								 smaller(after[1], MIN_DEVIATION));
}

/*
 * The logarithm of the draw margin after the match: a step of Fisher's scoring, given the
 * forecast of the difference.
 */
static void
learn_draws(const Match *match, const StateSpaceDifference *d, double gain,
			const MatchComponent *component)
{
	double		t = d->mean / d->deviation;
	double		e = d->margin / d->deviation;
	double		p = normal_band(t, e);
	double		slope = e * (normal_density(e - t) + normal_density(e + t));
	double		variance = square(component->before[1]);
	double		information;
	double		gradient;

	component->after[0] = component->before[0];
	component->after[1] = component->before[1];

	/*
	 * A draw that is impossible or certain within rounding tells nothing of
	 * the margin.
	 */
	if (!(p > 0 && p < 1))
		return;
	information = square(slope) / (p * (1 - p));
	gradient = match->team[0].rank == match->team[1].rank ? slope / p : -slope / (1 - p);
	component->after[0] += gain * variance / (1 + variance * information) * gradient;
	component->after[1] = deviation_updated(component->before[1],
											1 / sqrt(1 + variance * information), gain,
											MIN_DEVIATION);
}

static void
update_two_teams(const StateSpaceMatch *m, const StateSpaceDifference *difference)
{
	const StateSpace *model = m->model;
	Match	   *match = m->match;
	StateSpaceEvidence evidence = observe(model, match, difference);
	double		gain = match_mean_gain(match);
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		Coefficients coefficients;

		player_coefficients(m, player, &coefficients);
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
			learn(&evidence, coefficients.unknown[j],
				  coefficients.takes_part[j] ? state_space_drift(model, j) : 0,
				  j == UNKNOWN_SKILL ? state_space_shift(m, player) : 0,
				  player->gain, &player->before[2 * j], &player->after[2 * j]);
		player->gradient = coefficients.unknown[UNKNOWN_SKILL] * evidence.gradient;
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];

		if (component->number == STATE_SPACE_DRAW)
		{
			learn_draws(match, difference, gain, component);
			continue;
		}
		learn(&evidence, state_space_component_coefficient(m, component, difference->size),
			  state_space_component_drift(model, component), 0, gain,
			  component->before, component->after);
	}
}

void
state_space_update(const StateSpace *model, Match *match)
{
	StateSpaceMatch m;
	StateSpaceDifference difference;

	if (match->nteams > 2)
	{
		state_space_update_many(model, match);
		return;
	}
	state_space_begin(model, match, &m);
	difference = state_space_difference(&m);
	update_two_teams(&m, &difference);
}

/*
 * ---- The model ----
 */

/* A draw counts as half a win. */
static void
set_win_probabilities(Match *match, const StateSpaceDifference *d)
{
	int			first = match_first_side(match);

	match->team[first].win = (normal_cdf((d->mean - d->margin) / d->deviation) +
							  normal_cdf((d->mean + d->margin) / d->deviation)) / 2;
	match->team[1 - first].win = 1 - match->team[first].win;
}

static MatchStatus
state_space_predict(const ParamValue *params, Match *match)
{
	StateSpace	model = state_space_from_params(params);
	StateSpaceMatch m;
	StateSpaceDifference difference;

	if (match->nteams > 2)
		return state_space_predict_many(&model, match);
	state_space_begin(&model, match, &m);
	difference = state_space_difference(&m);
	set_win_probabilities(match, &difference);
	return match_check_predictions(match);
}

static double
state_space_draw(const ParamValue *params, Match *match)
{
	StateSpace	model = state_space_from_params(params);
	StateSpaceMatch m;
	StateSpaceDifference d;

	state_space_begin(&model, match, &m);
	d = state_space_difference(&m);
	return normal_band(d.mean / d.deviation, d.margin / d.deviation);
}

static MatchStatus
state_space_rate(const ParamValue *params, Match *match)
{
	StateSpace	model = state_space_from_params(params);
	StateSpaceMatch m;
	StateSpaceDifference difference;
	MatchStatus status;

	if (match->nteams > 2)
	{
		status = state_space_predict_many(&model, match);
		if (status == MATCH_OK)
			state_space_update_many(&model, match);
		return status;
	}
	state_space_begin(&model, match, &m);
	difference = state_space_difference(&m);
	set_win_probabilities(match, &difference);
	status = match_check_predictions(match);
	if (status == MATCH_OK)
		update_two_teams(&m, &difference);
	return status;
}

/* Mu less so many sigma. */
static void
state_space_display(const ParamValue *params, double *coefficient)
{
	int			i;

	for (i = 0; i <= STATE_SPACE_NSTATE; i++)
		coefficient[i] = 0;
	coefficient[STATE_SPACE_MU] = 1;
	coefficient[STATE_SPACE_SIGMA] = -params[PARAM_DISPLAY_DEVIATIONS].number;
}

static TeamStrength
state_space_team_strength(const ParamValue *params)
{
	switch ((StateSpaceStrength) params[PARAM_STRENGTH].choice)
	{
		case STATE_SPACE_SUM:
			return TEAM_STRENGTH_SUM;
		case STATE_SPACE_SHARE:
			return TEAM_STRENGTH_SHARE;
		case STATE_SPACE_CENTERED:
		case STATE_SPACE_MEAN:
			break;
	}
	return TEAM_STRENGTH_MEAN;
}

static const ModelPart state_space_parts[] = {
	{.name = "drift",.description = "skills that drift with time",.needs_times = true,
	.param = {{PARAM_DRIFT, 0, 0.01}},.nparams = 1},
	{.name = "draw",.description = "how often teams draw",.needs = MODEL_DRAWS,
	.param = {{PARAM_DRAW_SIGMA, 0, 0.5}, {PARAM_DRAW_PROBABILITY, 0, 0.1}},.nparams = 2},
	{.name = "reversion",.description = "skills that revert to the mean with time",
	.needs_times = true,.param = {{PARAM_REVERSION, 0, 0.0003}},.nparams = 1},
	{.name = "noise",.description = "noise that does not grow with the team",.kind = PART_CHOICE,
	.param = {{PARAM_NOISE, NOISE_OF_PLAYERS, NOISE_OF_TEAMS}},.nparams = 1},
	{.name = "strength",.description = "another strength of a team than the sum above the mean of the match",
		.kind = PART_CHOICE,
		.param = {{PARAM_STRENGTH, STATE_SPACE_CENTERED, STATE_SPACE_SHARE},
		{PARAM_NOISE, NOISE_OF_PLAYERS, NOISE_OF_TEAMS},
	{PARAM_INITIAL_MU, 2.25, 2.25}},.nparams = 3},
	{.name = "margin",.description = "scores, and not only who won",.needs = MODEL_SCORE,
		.kind = PART_CHOICE,
	.param = {{PARAM_MARGIN, 0, 0.5}},.nparams = 1},
	{.name = "margin_exponent",.description = "how the margin grows with scores",
		.beside = "margin",.needs = MODEL_SCORE,
	.param = {{PARAM_MARGIN_EXPONENT, 0.7, 0.7}},.nparams = 1},
	{.name = "home",.description = "advantage of side 1",.needs = MODEL_SIDE,
	.param = {{PARAM_HOME_SIGMA, 0, 0.3}},.nparams = 1},
	{.name = "home_context",.description = "advantage of side 1 in a context",
		.needs = MODEL_SIDE | MODEL_CONTEXT,
	.param = {{PARAM_HOME_CONTEXT_SIGMA, 0, 0.1}},.nparams = 1},
	{.name = "player_context",.description = "players who differ by context",
	.needs = MODEL_CONTEXT,.param = {{PARAM_PLAYER_CONTEXT_SIGMA, 0, 0.2}},.nparams = 1},
	{.name = "club",.description = "contribution of a club to its team",.needs = MODEL_CLUB,
	.param = {{PARAM_CLUB_SIGMA, 0, 0.5}, {PARAM_CLUB_TAU, 0.05, 0.05}},.nparams = 2},
	{.name = "side",.description = "players who differ by side",.needs = MODEL_SIDE,
	.param = {{PARAM_INITIAL_SIDE_SIGMA, 0, 0.3}},.nparams = 1},
	{.name = "command",.description = "skills as a commander",.needs = MODEL_COMMANDING,
	.param = {{PARAM_INITIAL_COMMAND_SIGMA, 0, 0.5}},.nparams = 1},
	{.name = "newcomer_offset",.description = "newcomers who are not as good as others",
	.param = {{PARAM_NEWCOMER_OFFSET, 0, -0.2}},.nparams = 1},
	{.name = "newcomer_company",.description = "newcomers who are as good as their company",
	.param = {{PARAM_NEWCOMER_COMPANY, 0, 0.5}},.nparams = 1},
	MODEL_COMMON_PARTS
};

extern const Model state_space_model;
const Model state_space_model = {
	.name = "state_space",
	.summary = "skills, clubs, sides and contexts that vary with time, learnt from orders or scores",
	.source = "R. E. Kalman, A New Approach to Linear Filtering and Prediction Problems (1960); R. Herbrich, T. Minka and T. Graepel, TrueSkill: A Bayesian Skill Rating System (2006)",
	.params = MODEL_PARAMS("state_space", state_space_params, STATE_SPACE_NPARAMS),
	.state = state_space_state,
	.nstate = STATE_SPACE_NSTATE,
	.part = state_space_parts,
	.nparts = sizeof(state_space_parts) / sizeof(state_space_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE |
	MODEL_COMMANDING | MODEL_LOG_ODDS | MODEL_GAIN | MODEL_SCORE | MODEL_CONTEXT | MODEL_CLUB,
	.rules.component = state_space_components,
	.rules.ncomponents = STATE_SPACE_NCOMPONENTS + MODEL_NCOMMON_COMPONENTS,
	.init = state_space_init,
	.age = state_space_age,
	.team_strength = state_space_team_strength,
	.predict = state_space_predict,
	.draw = state_space_draw,
	.rate = state_space_rate,
	.display = state_space_display,
};
