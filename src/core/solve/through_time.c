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

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/models/registry.h"
#include "core/solve/joint_results.h"
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

static bool
are_simultaneous(const ThroughTime *tt, size_t a, size_t b)
{
	int64_t		at = tt->history->match[tt->match[a]].played_at;

	return at != NEVER_PLAYED && at == tt->history->match[tt->match[b]].played_at;
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
 * Make a match as it is before its result is known: the state of each player is what the
 * rest of the history says, before and behind.  Returns the gain, which is the mean of
 * the players', because a match says what it says of all of them with one weight.
 */
static double
build_given_rest(ThroughTime *tt, size_t m, Match *match)
{
	HistoryWork *work = tt->work;
	double		gain;
	int			offender;
	int			i;

	(void) build(tt, m, match, &offender);
	gain = match_mean_gain(match);
	for (i = 0; i < match->nplayers; i++)
	{
		size_t		a = tt->first[m] + (size_t) i;
		Message		cavity = product(tt->forward[a], tt->backward[a]);
		double	   *before = work->before + 2 * i;

		before[TRUESKILL_SIGMA] = 1 / sqrt(cavity.precision);
		before[TRUESKILL_MU] = cavity.weighted / cavity.precision;
		match->player[i].before = before;
		match->player[i].after = work->after + 2 * i;
		match->player[i].gain = gain;
	}
	return gain;
}

/*
 * Update the sites of a match from what the chains say of its players; returns the
 * largest change of a skill, in deviations, NaN if numbers overflow.
 */
static double
update_match(ThroughTime *tt, size_t m)
{
	HistoryWork *work = tt->work;
	Match		match;
	double		change = 0;
	size_t		a;
	int			i;

	(void) build_given_rest(tt, m, &match);
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

/* Matches from one on up to another, which does not belong to them. */
typedef struct Span
{
	size_t		from;
	size_t		to;
} Span;

/* Forward: what is before is new, what is behind that of the last pass. */
static double
pass_forward(ThroughTime *tt, Span span)
{
	double		change = 0;
	size_t		m;
	size_t		a;

	for (m = span.from; m < span.to; m++)
	{
		if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
			tt->interrupt();
		if (tt->first[m] == tt->first[m + 1])
			continue;
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
			tt->forward[a] = from_before(tt, a, m);
		change = worse(change, update_match(tt, m));
	}
	return change;
}

/* Backward, with the sites updated or left as they are. */
static double
pass_backward(ThroughTime *tt, Span span, bool update)
{
	double		change = 0;
	size_t		m;
	size_t		a;

	for (m = span.to; m-- > span.from;)
	{
		if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
			tt->interrupt();
		if (tt->first[m] == tt->first[m + 1])
			continue;
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
			tt->backward[a] = from_behind(tt, a, m);
		if (update)
			change = worse(change, update_match(tt, m));
	}
	return change;
}

/*
 * To and fro through the matches until no skill changes by more than the tolerance, or
 * for so many passes.  *result may have the passes of filter() and the change in it,
 * which is the first pass forward then.
 */
static void
settle(ThroughTime *tt, Span span, ThroughTimeResult *result, double tolerance,
	   int max_passes)
{
	bool		filtered = result->passes > 0;

	result->status = SOLVE_MAX_ITERATIONS;
	do
	{
		double		change = result->change;
		bool		back;

		if (!filtered)
		{
			change = pass_forward(tt, span);
			result->passes++;
		}
		filtered = false;
		back = result->passes < max_passes;
		change = worse(change, pass_backward(tt, span, back));
		result->passes += back;
		result->change = change;
		if (isnan(change))
			result->status = SOLVE_NOT_FINITE;
		else if (change < tolerance)
			result->status = SOLVE_CONVERGED;
	} while (result->status == SOLVE_MAX_ITERATIONS && result->passes < max_passes);
}

/*
 * The logarithm of the integral of a normal density times a site, which is
 * exp(weighted x - precision x^2 / 2).
 */
static double
log_overlap(Message density, Message site)
{
	double		both = density.precision + site.precision;
	double		mean = density.weighted / density.precision;

	/* Written so that a mean far from 0 does not cancel. */
	return (mean * (2 * site.weighted - site.precision * mean) +
			square(site.weighted - site.precision * mean) / both -
			portable_log(both / density.precision)) / 2;
}

/*
 * The logarithm of the probability of the result of a match among simultaneous ones, given
 * all before, as far as it adds to that of the others: the free energy of the messages
 * (T. Minka, "Expectation Propagation for approximate Bayesian inference", 2001).  The
 * match has its probability given the others, out of which what its site adds there is
 * taken, and put in again as what the site adds to those before it.  At the end of
 * settle() the sum does not depend on the order of the matches; of a single one it is the
 * probability of its result.
 */
static double
evidence_of_match(ThroughTime *tt, size_t m)
{
	Sum			evidence = {0, 0};
	Match		match;
	double		gain;
	size_t		a;

	for (a = tt->first[m]; a < tt->first[m + 1]; a++)
		if (tt->backward[a].precision > 0)
			sum_add(&evidence, log_overlap(tt->forward[a], tt->site[a]) -
					log_overlap(product(tt->forward[a], tt->backward[a]),
								tt->site[a]));
	gain = build_given_rest(tt, m, &match);
	if (gain > 0)
		sum_add(&evidence, gain *
				trueskill_log_evidence(&tt->trueskill, &match, tt->interrupt));
	return sum_value(&evidence);
}

/* A player's part in the difference of a match's teams. */
typedef struct JointPart
{
	int			result;
	int32_t		player;
	double		part;
	double		variance;		/* of the skill */
} JointPart;

#define MAX_JOINT_PARTS 512

/* The skill at an appearance given all before its time alone. */
static Message
given_before(const ThroughTime *tt, size_t a)
{
	while (tt->previous[a] != NO_APPEARANCE && are_simultaneous(tt, tt->previous[a], a))
		a = tt->previous[a];
	return tt->forward[a];
}

/*
 * Add a match to results that depend on one another, from skills as they are given all
 * before its time.  False if it has to be told apart: of more teams than two, or with
 * a gain, or if there is no room.
 */
static bool
add_result(ThroughTime *tt, size_t m, JointResults *results, JointPart *part,
		   int *nparts)
{
	Match		match;
	Difference	difference;
	int			n = results->n;
	int			offender;
	int			first;
	int			i,
				j;

	if (n == MAX_JOINT_RESULTS)
		return false;
	(void) build(tt, m, &match, &offender);
	if (match_mean_gain(&match) != 1 || match.nteams != 2 ||
		*nparts + match.nplayers > MAX_JOINT_PARTS)
		return false;
	for (i = 0; i < match.nplayers; i++)
	{
		Message		skill = given_before(tt, tt->first[m] + (size_t) i);
		double	   *before = tt->work->before + 2 * i;

		before[TRUESKILL_SIGMA] = 1 / sqrt(skill.precision);
		before[TRUESKILL_MU] = skill.weighted / skill.precision;
		match.player[i].before = before;
	}
	difference = trueskill_difference(&tt->trueskill, &match, 0);
	first = match_first_side(&match);
	results->mean[n] = difference.mean;
	results->margin[n] = difference.margin;
	results->outcome[n] = match.team[first].rank < match.team[1 - first].rank ? 1 :
		match.team[first].rank > match.team[1 - first].rank ? -1 : 0;
	for (i = 0; i < n; i++)
		results->covariance[i][n] = 0;
	for (i = 0; i < match.nplayers; i++)
	{
		JointPart	now = {n, tt->work->player[i], match.player[i].gradient,
		square(match.player[i].before[TRUESKILL_SIGMA])};

		for (j = 0; j < *nparts; j++)
			if (part[j].player == now.player && part[j].result < n)
				results->covariance[part[j].result][n] +=
					part[j].part * now.part * now.variance;
		part[(*nparts)++] = now;
	}
	for (i = 0; i < n; i++)
		results->covariance[n][i] = results->covariance[i][n];
	results->covariance[n][n] = square(difference.deviation);
	results->n++;
	return true;
}

/*
 * The same of a set of simultaneous matches that players connect, linked from one on:
 * with all that they say of one another, if they are few and of two teams each.
 */
static double
evidence_of_set(ThroughTime *tt, size_t m)
{
	JointResults results;
	JointPart	part[MAX_JOINT_PARTS];
	Sum			evidence = {0, 0};
	int			nparts = 0;
	uint32_t	i;

	if (tt->follower[m] == NO_MATCH)
		return evidence_of_match(tt, m);
	results.n = 0;
	for (i = (uint32_t) m; i != NO_MATCH; i = tt->follower[i])
		if (!add_result(tt, i, &results, part, &nparts))
			break;
	if (i == NO_MATCH)
		return joint_log_probability(&results, tt->interrupt);
	for (i = (uint32_t) m; i != NO_MATCH; i = tt->follower[i])
		sum_add(&evidence, evidence_of_match(tt, i));
	return sum_value(&evidence);
}

/* Link the matches of one time that players connect; those that stand for a set come first. */
static void
link_sets(ThroughTime *tt, Span span)
{
	int32_t    *set = tt->set + span.from;
	size_t		m;
	size_t		a;

	for (m = span.from; m < span.to; m++)
	{
		set[m - span.from] = (int32_t) (m - span.from);
		tt->follower[m] = NO_MATCH;
	}
	for (m = span.from; m < span.to; m++)
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
			if (tt->previous[a] != NO_APPEARANCE && tt->match[tt->previous[a]] >= span.from)
				union_join(set, (int32_t) (tt->match[tt->previous[a]] - span.from),
						   (int32_t) (m - span.from));
	for (m = span.from; m < span.to; m++)
	{
		size_t		root = span.from + (size_t) union_find(set, (int32_t) (m - span.from));

		if (root == m)
			continue;
		tt->follower[m] = tt->follower[root];
		tt->follower[root] = (uint32_t) m;
	}
}

/* The logarithm of the probability of all results of one time, given all before. */
static double
log_evidence(ThroughTime *tt, Span span)
{
	Sum			evidence = {0, 0};
	size_t		m;
	size_t		a;

	link_sets(tt, span);
	for (m = span.from; m < span.to; m++)
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
			tt->forward[a] = from_before(tt, a, m);
	for (m = span.from; m < span.to; m++)
	{
		if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
			tt->interrupt();
		if (tt->first[m] < tt->first[m + 1] &&
			union_find(tt->set + span.from, (int32_t) (m - span.from)) ==
			(int32_t) (m - span.from))
			sum_add(&evidence, evidence_of_set(tt, m));
	}
	return sum_value(&evidence);
}

/* The matches that are simultaneous with one, from that on. */
static Span
simultaneous(const ThroughTime *tt, size_t from)
{
	const HistoryMatch *match = tt->history->match;
	Span		span = {from, from + 1};

	while (span.to < tt->history->nmatches &&
		   match[from].played_at != NEVER_PLAYED &&
		   match[span.to].played_at == match[from].played_at)
		span.to++;
	return span;
}

/*
 * The first pass forward, which sees each time given those before alone.  Matches of one
 * time are gone through to and fro until they have settled; result->passes is how
 * many passes the slowest of them took.  Returns the largest change in the last ones.
 */
static double
filter(ThroughTime *tt, ThroughTimeResult *result, double tolerance, int max_passes)
{
	Sum			evidence = {0, 0};
	double		change = 0;
	Span		span;

	for (span.from = 0; span.from < tt->history->nmatches; span.from = span.to)
	{
		ThroughTimeResult one = {.passes = 1};

		span = simultaneous(tt, span.from);
		one.change = pass_forward(tt, span);
		if (span.to - span.from > 1)
			settle(tt, span, &one, tolerance, max_passes);
		change = worse(change, one.change);
		if (one.passes > result->passes)
			result->passes = one.passes;
		sum_add(&evidence, log_evidence(tt, span));
	}
	result->log_evidence = sum_value(&evidence);
	return change;
}

ThroughTimeResult
through_time_solve(ThroughTime *tt, bool warm, double tolerance, int max_passes)
{
	Span		all = {0, tt->history->nmatches};
	ThroughTimeResult result = {.log_evidence = NAN};
	size_t		m;
	size_t		a;

	tt->trueskill.tau = 0;
	if (!warm)
		result.change = filter(tt, &result, tolerance, max_passes);
	settle(tt, all, &result, tolerance, max_passes);

	/* What is before, by the sites as they are now. */
	for (m = 0; m < tt->history->nmatches; m++)
	{
		for (a = tt->first[m]; a < tt->first[m + 1]; a++)
			tt->forward[a] = from_before(tt, a, m);
		result.matches += tt->first[m] < tt->first[m + 1];
	}
	return result;
}

void
through_time_skill(const ThroughTime *tt, size_t a, double *mu, double *sigma)
{
	Message		m = product(product(tt->forward[a], tt->backward[a]), tt->site[a]);

	*mu = m.weighted / m.precision;
	*sigma = 1 / sqrt(m.precision);
}
