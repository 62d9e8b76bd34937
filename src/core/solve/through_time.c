/*
 * through_time.c
 *		TrueSkill Through Time.
 *
 * The skills of a player are a chain, from appearance to appearance, and each
 * match is a factor between those of its players.  Expectation propagation
 * replaces what a match says of a player by a normal message, its site.  A pass
 * goes through the matches in order, or back, and updates the sites by the messages
 * along the chains; the update of a match is that of TrueSkill.
 */
#include "core/solve/through_time.h"

#include <math.h>
#include <string.h>

#include "core/models/registry.h"
#include "core/solve/solver.h"
#include "core/util/extremes.h"
#include "core/util/union_find.h"

/* After how many matches there may be an interrupt. */
#define MATCHES_BETWEEN_CHECKS 1000

enum
{
	THROUGH_TIME_MAX_ITERATIONS,
	THROUGH_TIME_TOLERANCE,
	THROUGH_TIME_MEMORY,
	THROUGH_TIME_MU,
	THROUGH_TIME_SIGMA,
	THROUGH_TIME_BETA,
	THROUGH_TIME_TAU,
	THROUGH_TIME_DRIFT,
	THROUGH_TIME_DRAW_PROBABILITY,
	THROUGH_TIME_NPARAMS
};

static const ParamSpec through_time_params[] = {
	{.name = "max_iterations",.type = PARAM_NUMBER,.default_value = 200,
		.min = 1,.max = 1e9,.unit = "passes",
	.description = "after which the search gives up"},
	{.name = "tolerance",.type = PARAM_NUMBER,.default_value = 1e-4,
		.min = 0,.above_min = true,.max = 1,.unit = "deviations",
	.description = "change of every skill, in its deviations, below which it is done"},
	{.name = "memory",.type = PARAM_NUMBER,.default_value = 4096,
		.min = 1,.max = 1e9,.unit = "MB",
	.description = "most that the problem may take, which is known before it is made"},
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 25,
		.min = -1e9,.max = 1e9,.unit = "skill",
	.description = "mean of a skill before the first match"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = 25.0 / 3,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "its standard deviation"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 25.0 / 6,
		.min = 0,.above_min = true,.max = 1e9,.unit = "skill",
	.description = "standard deviation of one performance"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 25.0 / 300,
		.min = 0,.max = 1e9,.unit = "skill per square root of a match",
	.description = "drift of a skill from match to match"},
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "skill per square root of a day",
	.description = "drift of a skill in idle time"},
	{.name = "draw_probability",.type = PARAM_NUMBER,.default_value = 0.1,
		.min = 0,.max = 0.99,
	.description = "of two equal teams of two players"},
};

const Solver through_time_solver = {
	.name = "through_time",
	.summary = "TrueSkill Through Time: a skill at each appearance, from all matches before and after",
	.source = "Dangauthier, Herbrich, Minka and Graepel (2007)",
	.params = PARAM_SET("solver", "through_time", through_time_params, THROUGH_TIME_NPARAMS),

	/* Those of TrueSkill, by whose rules its matches are built. */
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN,
};

static void
set_number(const ParamSet *set, ParamValue *params, const char *name, double number)
{
	params[param_find(set, name)].number = number;
}

void
through_time_configure(ThroughTime *tt, const ParamValue *params,
					   ParamValue *model_params)
{
	tt->model = model_find("trueskill");
	param_defaults(&tt->model->params, model_params);
	tt->mu = params[THROUGH_TIME_MU].number;
	tt->sigma = params[THROUGH_TIME_SIGMA].number;
	tt->tau = params[THROUGH_TIME_TAU].number;
	tt->drift = params[THROUGH_TIME_DRIFT].number;
	tt->trueskill.beta = params[THROUGH_TIME_BETA].number;
	tt->trueskill.tau = 0;
	tt->trueskill.draw_probability = params[THROUGH_TIME_DRAW_PROBABILITY].number;
	tt->trueskill.margin_by_weight = false;
	tt->trueskill.centered = true;

	/* The messages have the drift; predictions must not add it again. */
	set_number(&tt->model->params, model_params, "tau", 0);
	set_number(&tt->model->params, model_params, "beta", tt->trueskill.beta);
	set_number(&tt->model->params, model_params, "draw_probability",
			   tt->trueskill.draw_probability);
	tt->params = model_params;
}

double
through_time_tolerance(const ParamValue *params)
{
	return params[THROUGH_TIME_TOLERANCE].number;
}

int
through_time_max_passes(const ParamValue *params)
{
	return (int) params[THROUGH_TIME_MAX_ITERATIONS].number;
}

/* A message that says nothing. */
static const Message nothing = {0, 0};

static Message
normal(double mean, double deviation)
{
	double		precision = 1 / (deviation * deviation);
	Message		result = {precision, precision * mean};

	return result;
}

static inline Message
product(Message a, Message b)
{
	Message		result = {a.precision + b.precision, a.weighted + b.weighted};

	return result;
}

static inline Message
ratio(Message a, Message b)
{
	Message		result = {a.precision - b.precision, a.weighted - b.weighted};

	return result;
}

/* A message about a skill, as one about the skill some time before or after. */
static inline Message
drifted(Message m, double variance)
{
	double		share = 1 / (1 + variance * m.precision);
	Message		result = {m.precision * share, m.weighted * share};

	return variance == 0 || m.precision == 0 ? m : result;
}

/*
 * The variance by which a skill changes between two matches.  At one time a player has
 * one skill: matches of the same time are simultaneous, those without a time are not.
 */
static double
variance_between(const ThroughTime *tt, size_t earlier, size_t later)
{
	int64_t		from = tt->history->match[earlier].played_at;
	int64_t		to = tt->history->match[later].played_at;
	double		days = 0;

	if (from == to && from != NEVER_PLAYED)
		return 0;
	if (tt->drift > 0 && from != NEVER_PLAYED && to > from)
		days = (double) (to - from) / MICROSECONDS_PER_DAY;
	return tt->tau * tt->tau + tt->drift * tt->drift * days;
}

static MatchStatus
build(const ThroughTime *tt, size_t m, Match *match, int *offender)
{
	return history_build_match(tt->history, m, &tt->model->rules, tt->params,
							   tt->work, match, offender);
}

MatchStatus
through_time_count(ThroughTime *tt, size_t *number, int *offender)
{
	size_t		m;

	tt->appearances = 0;
	for (m = 0; m < tt->history->nmatches; m++)
	{
		Match		match;
		MatchStatus status = build(tt, m, &match, offender);

		if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
			tt->interrupt();
		*number = m;
		if (status > MATCH_LAST_UNRATED)
			return status;
		tt->first[m] = tt->appearances;
		if (status == MATCH_OK)
			tt->appearances += (size_t) match.nplayers;
	}
	tt->first[m] = tt->appearances;
	return MATCH_OK;
}

void
through_time_link(ThroughTime *tt)
{
	size_t		m;
	int32_t		p;

	for (p = 0; p < tt->history->nplayers; p++)
	{
		tt->last[p] = NO_APPEARANCE;
		tt->games[p] = 0;
		tt->component[p] = p;
	}
	for (m = 0; m < tt->history->nmatches; m++)
	{
		Match		match;
		int			offender;
		size_t		a;

		if (tt->first[m] == tt->first[m + 1])
			continue;
		(void) build(tt, m, &match, &offender);
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
		{
			int32_t		player = tt->work->player[a - tt->first[m]];

			union_join(tt->component, player, tt->work->player[0]);
			tt->match[a] = (uint32_t) m;
			tt->previous[a] = tt->last[player];
			tt->next[a] = NO_APPEARANCE;
			if (tt->last[player] != NO_APPEARANCE)
				tt->next[tt->last[player]] = (uint32_t) a;
			tt->last[player] = (uint32_t) a;
			tt->games[player]++;
			tt->site[a] = tt->forward[a] = tt->backward[a] = nothing;
		}
	}
	for (p = 0; p < tt->history->nplayers; p++)
		tt->component[p] = union_find(tt->component, p);
}

/* The message to an appearance from the one before, or from the beginning. */
static Message
from_before(const ThroughTime *tt, size_t a, size_t m)
{
	uint32_t	p = tt->previous[a];

	if (p == NO_APPEARANCE)
		return normal(tt->mu, tt->sigma);
	return drifted(product(tt->forward[p], tt->site[p]),
				   variance_between(tt, tt->match[p], m));
}

static Message
from_behind(const ThroughTime *tt, size_t a, size_t m)
{
	uint32_t	n = tt->next[a];

	if (n == NO_APPEARANCE)
		return nothing;
	return drifted(product(tt->backward[n], tt->site[n]),
				   variance_between(tt, m, tt->match[n]));
}

/* The larger of two changes, of which one that is no number is the largest. */
static inline double
worse(double change, double another)
{
	return isnan(change) || change > another ? change : another;
}

/*
 * Update the sites of a match from what the chains say of its players; returns the
 * largest change of a skill, in deviations, NaN if numbers overflow.  Into *evidence goes
 * the logarithm of the probability of the result by the same, where it is asked for; a
 * match of gain g counts g times.
 */
static double
update_match(ThroughTime *tt, size_t m, double *evidence)
{
	HistoryWork *work = tt->work;
	Match		match;
	int			offender;
	double		change = 0;
	double		gain;
	size_t		a;
	int			i;

	(void) build(tt, m, &match, &offender);

	/*
	 * What a match says of its players it says of all of them with one
	 * weight.
	 */
	gain = match_mean_gain(&match);
	for (i = 0; i < match.nplayers; i++)
	{
		Message		cavity;
		double	   *before = work->before + 2 * i;

		a = tt->first[m] + (size_t) i;
		cavity = product(tt->forward[a], tt->backward[a]);
		before[TRUESKILL_SIGMA] = 1 / sqrt(cavity.precision);
		before[TRUESKILL_MU] = cavity.weighted / cavity.precision;
		match.player[i].before = before;
		match.player[i].after = work->after + 2 * i;
		match.player[i].gain = gain;
	}
	if (evidence != NULL)
		*evidence = gain == 0 ? 0 : gain *
			trueskill_log_evidence(&tt->trueskill, &match, tt->interrupt);
	trueskill_update(&tt->trueskill, &match);
	for (i = 0; i < match.nplayers; i++)
	{
		const double *before = work->before + 2 * i;
		const double *after = work->after + 2 * i;
		Message		cavity = normal(before[TRUESKILL_MU], before[TRUESKILL_SIGMA]);
		Message		was,
					now = normal(after[TRUESKILL_MU], after[TRUESKILL_SIGMA]);

		a = tt->first[m] + (size_t) i;
		was = product(cavity, tt->site[a]);
		tt->site[a] = ratio(now, cavity);

		/* A match never makes a skill less certain; rounding might. */
		if (!(tt->site[a].precision >= 0))
			tt->site[a] = nothing;
		change = worse(change, fabs(was.weighted / was.precision -
									after[TRUESKILL_MU]) / after[TRUESKILL_SIGMA]);
		change = worse(change, fabs(sqrt(now.precision / was.precision) - 1));
	}
	return isfinite(change) ? change : NAN;
}

ThroughTimeResult
through_time_solve(ThroughTime *tt, bool warm, double tolerance, int max_passes)
{
	ThroughTimeResult result = {.status = SOLVE_MAX_ITERATIONS};
	Sum			evidence = {0, 0};
	size_t		n = tt->history->nmatches;

	tt->trueskill.tau = 0;
	for (;;)
	{
		bool		first = result.passes == 0;
		double		change = 0;
		size_t		m;
		size_t		a;

		/*
		 * Forward: what is before is new, what is behind that of the last
		 * pass.
		 */
		for (m = 0; m < n; m++)
		{
			double		match_evidence;

			if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
				tt->interrupt();
			if (tt->first[m] == tt->first[m + 1])
				continue;
			for (a = tt->first[m]; a < tt->first[m + 1]; a++)
				tt->forward[a] = from_before(tt, a, m);
			change = worse(change, update_match(tt, m, first ? &match_evidence : NULL));
			if (first)
			{
				sum_add(&evidence, match_evidence);
				result.matches++;
			}
		}
		result.passes++;

		for (m = n; m-- > 0;)
		{
			if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
				tt->interrupt();
			if (tt->first[m] == tt->first[m + 1])
				continue;
			for (a = tt->first[m]; a < tt->first[m + 1]; a++)
				tt->backward[a] = from_behind(tt, a, m);
			if (result.passes < max_passes)
				change = worse(change, update_match(tt, m, NULL));
		}
		if (result.passes < max_passes)
			result.passes++;
		result.change = change;
		if (isnan(change))
		{
			result.status = SOLVE_NOT_FINITE;
			break;
		}
		if (change < tolerance)
		{
			result.status = SOLVE_CONVERGED;
			break;
		}
		if (result.passes >= max_passes)
			break;
	}

	/* What is before, by the sites as they are now. */
	{
		size_t		m;
		size_t		a;

		for (m = 0; m < n; m++)
			for (a = tt->first[m]; a < tt->first[m + 1]; a++)
				tt->forward[a] = from_before(tt, a, m);
	}
	result.log_evidence = warm ? NAN : sum_value(&evidence);
	return result;
}

void
through_time_skill(const ThroughTime *tt, size_t a, double *mu, double *sigma)
{
	Message		m = product(product(tt->forward[a], tt->backward[a]), tt->site[a]);

	*mu = m.weighted / m.precision;
	*sigma = 1 / sqrt(m.precision);
}
