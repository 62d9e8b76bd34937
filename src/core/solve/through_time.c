/*
 * through_time.c
 *		TrueSkill Through Time.
 *
 * An unknown is a chain, from appearance to appearance, and each match is a factor between
 * those that take part.  Expectation propagation replaces what a match says of an unknown
 * by a normal message, its site.  A pass goes through the matches in order, or back, and
 * updates the sites by the messages along the chains; the update of a match is that of
 * the model state_space.
 */
#include "core/solve/through_time.h"

#include <math.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/models/deviation.h"
#include "core/util/extremes.h"
#include "core/util/union_find.h"

/* The numbers of a component's state: mean and deviation. */
#define COMPONENT_STATE 2

/* After how many matches there may be an interrupt. */
#define MATCHES_BETWEEN_CHECKS 1000

/* A message that says nothing. */
static const Belief nothing = {0, 0};

static Belief
normal(double mean, double deviation)
{
	double		precision = 1 / (deviation * deviation);
	Belief		result = {precision, precision * mean};

	return result;
}

static inline Belief
product(Belief a, Belief b)
{
	Belief		result = {a.precision + b.precision, a.weighted + b.weighted};

	return result;
}

static inline Belief
ratio(Belief a, Belief b)
{
	Belief		result = {a.precision - b.precision, a.weighted - b.weighted};

	return result;
}

static void
check(const ThroughTime *tt, size_t m)
{
	if (tt->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
		tt->interrupt();
}

/*
 * ---- Appearances ----
 */

MatchStatus
through_time_build(const ThroughTime *tt, size_t m, Match *match, int *offender)
{
	MatchStatus status = history_build_match(tt->history, m, &tt->model->rules, tt->params,
											 tt->work, match, offender);

	match->interrupt = tt->interrupt;
	return status;
}

/* Whether a player plays on a side that differs from the other, or commands. */
static void
find_parts(const Match *match, const MatchPlayer *player, bool *side, bool *command)
{
	int			i;

	*side = *command = false;
	for (i = player->last_entry; i >= 0; i = match->entry[i].previous)
	{
		const MatchEntry *e = &match->entry[i];

		*side = *side || (match->team[e->team].side != 0 && e->weight > 0);
		*command = *command || e->command_weight > 0;
	}
}

int
through_time_appearances(const ThroughTime *tt, size_t m, const Match *match)
{
	Appearance *a = tt->appearance;
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		bool		part[PLAYER_UNKNOWNS] = {[UNKNOWN_SKILL] = true};

		if (tt->space.sides || tt->space.commands)
			find_parts(match, &match->player[i], &part[UNKNOWN_SIDE],
					   &part[UNKNOWN_COMMAND]);
		part[UNKNOWN_SIDE] = part[UNKNOWN_SIDE] && tt->space.sides;
		part[UNKNOWN_COMMAND] = part[UNKNOWN_COMMAND] && tt->space.commands;
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
			if (part[j])
				a[n++] = (Appearance)
			{
				.player = i,.kind = j,
					.chain = PLAYER_UNKNOWNS * (uint32_t) tt->work->player[i] + (uint32_t) j
			};
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];

		a[n++] = (Appearance)
		{
			.player = -1,.component = i,.kind = PLAYER_UNKNOWNS + component->number,
				.chain = chain_of_component(component->number,
											history_component(tt->work,
															  &tt->history->match[m],
															  component))
		};
	}
	return n;
}

Transition
through_time_transition(const ThroughTime *tt, int kind, size_t from, size_t to)
{
	const ChainPrior *prior = &tt->prior[kind];
	int64_t		start = tt->history->match[from].played_at;
	int64_t		end = tt->history->match[to].played_at;
	Transition	transition = {1, prior->step};
	double		days;
	double		decay;
	double		lost;

	/* Matches of one time are simultaneous, those without a time are not. */
	if (start == end && start != NEVER_PLAYED)
		transition.variance = 0;
	if (start == NEVER_PLAYED || end <= start)
		return transition;
	days = (double) (end - start) / MICROSECONDS_PER_DAY;
	decay = prior->reversion * days;
	if (decay == 0)
	{
		transition.variance += prior->drift * days;
		return transition;
	}

	/* The variance that came by drift has itself decayed meanwhile. */
	lost = -portable_expm1(-2 * decay);
	transition.share = portable_exp(-decay);
	transition.variance += prior->variance * lost + prior->drift * days * (lost / (2 * decay));
	return transition;
}

void
through_time_begin(ThroughTime *tt)
{
	tt->counted = tt->linked = tt->appearances = 0;
}

void
through_time_begin_players(ThroughTime *tt, int32_t from, int32_t to)
{
	int32_t		p;
	int			j;

	for (p = from; p < to; p++)
	{
		for (j = 0; j < PLAYER_UNKNOWNS; j++)
			tt->last[PLAYER_UNKNOWNS * (size_t) p + (size_t) j] = NO_APPEARANCE;
		tt->games[p] = 0;
		tt->component[p] = p;
		tt->start[p] = 0;
	}
}

void
through_time_begin_components(ThroughTime *tt, int kind, int32_t from, int32_t to)
{
	int32_t		c;

	for (c = from; c < to; c++)
	{
		tt->last_of_component[kind][c] = NO_APPEARANCE;
		tt->component_games[kind][c] = 0;
	}
}

MatchStatus
through_time_count(ThroughTime *tt, size_t *number, int *offender)
{
	for (; tt->counted < tt->history->nmatches; tt->counted++)
	{
		Match		match;
		MatchStatus status = through_time_build(tt, tt->counted, &match, offender);

		check(tt, tt->counted);
		*number = tt->counted;
		if (status > MATCH_LAST_UNRATED)
			return status;
		tt->first[tt->counted] = tt->appearances;
		if (status == MATCH_OK)
			tt->appearances += (size_t) through_time_appearances(tt, tt->counted, &match);
	}
	tt->first[tt->counted] = tt->appearances;
	return MATCH_OK;
}

/* Where the last appearance of an unknown is noted. */
static uint32_t *
last_of(ThroughTime *tt, uint32_t chain)
{
	int			kind = (int) (chain >> CHAIN_KIND_SHIFT & 7);

	return chain & CHAIN_OF_COMPONENT ?
		&tt->last_of_component[kind][chain_number(chain)] : &tt->last[chain];
}

/* Link the appearances of a match that was built and listed. */
static void
link_match(ThroughTime *tt, size_t m, const Match *match)
{
	size_t		a;
	int			i;

	for (a = tt->first[m]; a < tt->first[m + 1]; a++)
	{
		uint32_t	chain = tt->appearance[a - tt->first[m]].chain;
		uint32_t   *last = last_of(tt, chain);

		tt->match[a] = (uint32_t) m;
		tt->chain[a] = chain;
		tt->previous[a] = *last;
		tt->next[a] = NO_APPEARANCE;
		if (*last != NO_APPEARANCE)
			tt->next[*last] = (uint32_t) a;
		*last = (uint32_t) a;
		tt->site[a] = tt->forward[a] = tt->backward[a] = nothing;
	}
	for (i = 0; i < match->nplayers; i++)
	{
		union_join(tt->component, tt->work->player[i], tt->work->player[0]);
		tt->games[tt->work->player[i]]++;
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		const MatchComponent *component = &match->component[i];

		tt->component_games[component->number]
			[history_component(tt->work, &tt->history->match[m], component)]++;
	}
}

void
through_time_link(ThroughTime *tt)
{
	int32_t		p;

	for (; tt->linked < tt->counted; tt->linked++)
	{
		Match		match;
		int			offender;

		check(tt, tt->linked);
		if (tt->first[tt->linked] == tt->first[tt->linked + 1])
			continue;
		(void) through_time_build(tt, tt->linked, &match, &offender);
		(void) through_time_appearances(tt, tt->linked, &match);
		link_match(tt, tt->linked, &match);
	}
	for (p = 0; p < tt->history->nplayers; p++)
		tt->component[p] = union_find(tt->component, p);
}

/*
 * ---- Messages ----
 */

/* A message about an unknown, as one about it some time later. */
static Belief
carried_on(Belief m, double mean, Transition t)
{
	double		share = 1 / (square(t.share) + t.variance * m.precision);
	Belief		result = {m.precision * share,
	share * (m.precision * mean * (1 - t.share) + t.share * m.weighted)};

	return t.variance == 0 && t.share == 1 ? m : result;
}

/* And as one about it some time before. */
static Belief
carried_back(Belief m, double mean, Transition t)
{
	double		share = t.share / (1 + t.variance * m.precision);
	Belief		result = {m.precision * share * t.share,
	share * (m.weighted - m.precision * mean * (1 - t.share))};

	return t.variance == 0 && t.share == 1 ? m : result;
}

/* The message to an appearance from the one before, or from the beginning. */
static Belief
from_before(const ThroughTime *tt, size_t a, size_t m)
{
	int			kind = through_time_kind(tt, a);
	const ChainPrior *prior = &tt->prior[kind];
	uint32_t	p = tt->previous[a];

	if (p == NO_APPEARANCE)
		return normal(prior->mean + (kind == UNKNOWN_SKILL ?
									 tt->start[tt->chain[a] / PLAYER_UNKNOWNS] : 0),
					  sqrt(prior->variance));
	return carried_on(product(tt->forward[p], tt->site[p]), prior->mean,
					  through_time_transition(tt, kind, tt->match[p], m));
}

static Belief
from_behind(const ThroughTime *tt, size_t a, size_t m)
{
	int			kind = through_time_kind(tt, a);
	uint32_t	n = tt->next[a];

	if (n == NO_APPEARANCE)
		return nothing;
	return carried_back(product(tt->backward[n], tt->site[n]), tt->prior[kind].mean,
						through_time_transition(tt, kind, m, tt->match[n]));
}

/* The messages to all appearances of a match from before. */
static void
hear_from_before(ThroughTime *tt, size_t m)
{
	size_t		a;

	for (a = tt->first[m]; a < tt->first[m + 1]; a++)
		tt->forward[a] = from_before(tt, a, m);
}

/* The larger of two changes, of which one that is no number is the largest. */
static inline double
worse(double change, double another)
{
	return isnan(change) || change > another ? change : another;
}

/* The state before and after of an unknown of a match: mean and deviation. */
static double *
state_of(const ThroughTime *tt, const Appearance *a, bool after)
{
	const HistoryWork *work = tt->work;

	if (a->player >= 0)
		return (after ? work->after : work->before) +
			STATE_SPACE_NSTATE * a->player + 2 * a->kind;
	return (after ? work->component_after : work->component_before) +
		COMPONENT_STATE * a->component;
}

double
through_time_given_rest(ThroughTime *tt, size_t m, Match *match)
{
	HistoryWork *work = tt->work;
	double		gain;
	int			offender;
	int			n;
	int			i;

	(void) through_time_build(tt, m, match, &offender);
	n = through_time_appearances(tt, m, match);
	gain = match_mean_gain(match);
	memset(work->before, 0, sizeof(double) * STATE_SPACE_NSTATE * (size_t) match->nplayers);
	for (i = 0; i < match->nplayers; i++)
	{
		match->player[i].before = work->before + STATE_SPACE_NSTATE * i;
		match->player[i].after = work->after + STATE_SPACE_NSTATE * i;
		match->player[i].gain = gain;
	}
	for (i = 0; i < match->ncomponents; i++)
	{
		match->component[i].before = work->component_before + COMPONENT_STATE * i;
		match->component[i].after = work->component_after + COMPONENT_STATE * i;
	}
	for (i = 0; i < n; i++)
	{
		size_t		a = tt->first[m] + (size_t) i;
		Belief		cavity = product(tt->forward[a], tt->backward[a]);
		double	   *before = state_of(tt, &tt->appearance[i], false);

		before[0] = cavity.weighted / cavity.precision;
		before[1] = 1 / sqrt(cavity.precision);
	}
	return gain;
}

/*
 * Update the sites of a match from what the chains say of its unknowns; returns the
 * largest change of one, in deviations, NaN if numbers overflow.
 */
static double
update_match(ThroughTime *tt, size_t m)
{
	Match		match;
	double		change = 0;
	size_t		a;

	(void) through_time_given_rest(tt, m, &match);
	state_space_update(&tt->space, &match);
	for (a = tt->first[m]; a < tt->first[m + 1]; a++)
	{
		const Appearance *appearance = &tt->appearance[a - tt->first[m]];
		const double *before = state_of(tt, appearance, false);
		const double *after = state_of(tt, appearance, true);
		Belief		cavity = normal(before[0], before[1]);
		Belief		now = normal(after[0], after[1]);
		Belief		was = product(cavity, tt->site[a]);

		tt->site[a] = ratio(now, cavity);

		/* A match never makes an unknown less certain; rounding might. */
		if (!(tt->site[a].precision >= 0))
			tt->site[a] = nothing;
		change = worse(change, fabs(was.weighted / was.precision - after[0]) / after[1]);
		change = worse(change, fabs(sqrt(now.precision / was.precision) - 1));
	}
	return isfinite(change) ? change : NAN;
}

/*
 * What newcomers of a match are better than the prior, by the company that they keep: by
 * what all before says of those who are known.
 */
static void
welcome_newcomers(ThroughTime *tt, size_t m)
{
	double		sum = 0;
	double		weight = 0;
	Match		match;
	int			offender;
	int			n;
	int			i;

	if (tt->newcomer_offset == 0 && tt->newcomer_company == 0)
		return;
	(void) through_time_build(tt, m, &match, &offender);
	n = through_time_appearances(tt, m, &match);
	for (i = 0; i < n; i++)
	{
		size_t		a = tt->first[m] + (size_t) i;
		double		w;

		if (tt->appearance[i].kind != UNKNOWN_SKILL || tt->previous[a] == NO_APPEARANCE)
			continue;
		w = match.player[tt->appearance[i].player].weight;
		weight += w;
		sum += w * (tt->forward[a].weighted / tt->forward[a].precision -
					tt->prior[UNKNOWN_SKILL].mean);
	}
	for (i = 0; i < n; i++)
	{
		size_t		a = tt->first[m] + (size_t) i;

		if (tt->appearance[i].kind != UNKNOWN_SKILL || tt->previous[a] != NO_APPEARANCE)
			continue;
		tt->start[tt->chain[a] / PLAYER_UNKNOWNS] = tt->newcomer_offset +
			(weight > 0 ? tt->newcomer_company * (sum / weight) : 0);
		tt->forward[a] = from_before(tt, a, m);
	}
}

/*
 * ---- Passes ----
 */

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

	for (m = span.from; m < span.to; m++)
	{
		check(tt, m);
		if (tt->first[m] == tt->first[m + 1])
			continue;
		hear_from_before(tt, m);
		welcome_newcomers(tt, m);
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
		check(tt, m);
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
 * To and fro through the matches until no unknown changes by more than the tolerance, or
 * for so many passes.  *result may have the passes of filter() and the change in it,
 * which is the first pass forward then.
 */
static void
converge(ThroughTime *tt, Span span, ThroughTimeResult *result, double tolerance,
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

/* The matches that are simultaneous with one, from that on. */
static Span
simultaneous(const ThroughTime *tt, size_t from)
{
	const HistoryMatch *match = tt->history->match;
	Span		span = {from, from + 1};

	while (span.to < tt->linked && match[from].played_at != NEVER_PLAYED &&
		   match[span.to].played_at == match[from].played_at)
		span.to++;
	return span;
}

/*
 * The first pass forward, which sees each time given those before alone.  Matches of one
 * time are gone through to and fro until they have converged; result->passes is how
 * many passes the slowest of them took.  Returns the largest change in the last ones.
 */
static double
filter(ThroughTime *tt, ThroughTimeResult *result, double tolerance, int max_passes)
{
	double		change = 0;
	Span		span;

	for (span.from = 0; span.from < tt->linked; span.from = span.to)
	{
		ThroughTimeResult one = {.passes = 1};

		span = simultaneous(tt, span.from);
		one.change = pass_forward(tt, span);
		if (span.to - span.from > 1)
			converge(tt, span, &one, tolerance, max_passes);
		change = worse(change, one.change);
		if (one.passes > result->passes)
			result->passes = one.passes;
	}
	return change;
}

ThroughTimeResult
through_time_solve(ThroughTime *tt, bool warm, double tolerance, int max_passes)
{
	Span		all = {0, tt->linked};
	ThroughTimeResult result = {.passes = 0};
	size_t		m;

	if (!warm)
		result.change = filter(tt, &result, tolerance, max_passes);
	converge(tt, all, &result, tolerance, max_passes);

	/* What is before, by the sites as they are now. */
	for (m = 0; m < tt->linked; m++)
	{
		hear_from_before(tt, m);
		result.matches += tt->first[m] < tt->first[m + 1];
	}
	return result;
}

void
through_time_skill(const ThroughTime *tt, size_t a, double *mu, double *sigma)
{
	Belief		m = product(product(tt->forward[a], tt->backward[a]), tt->site[a]);

	*mu = m.weighted / m.precision;
	*sigma = 1 / sqrt(m.precision);
}

bool
through_time_end(const ThroughTime *tt, int32_t player, int unknown, double *state)
{
	uint32_t	a = tt->last[PLAYER_UNKNOWNS * (size_t) player + (size_t) unknown];
	uint32_t	skill = tt->last[PLAYER_UNKNOWNS * (size_t) player];
	Transition	t;
	Belief		m;

	if (a == NO_APPEARANCE)
		return false;
	m = product(product(tt->forward[a], tt->backward[a]), tt->site[a]);
	if (tt->match[a] != tt->match[skill])
	{
		/* Time passes, but an unknown that takes no part makes no steps. */
		t = through_time_transition(tt, unknown, tt->match[a], tt->match[skill]);
		t.variance = larger(t.variance - tt->prior[unknown].step, 0);
		m = carried_on(m, tt->prior[unknown].mean, t);
	}
	state[0] = m.weighted / m.precision;
	state[1] = 1 / sqrt(m.precision);
	return true;
}

bool
through_time_component_end(const ThroughTime *tt, int kind, int32_t number, double *state)
{
	uint32_t	a = tt->last_of_component[kind][number];

	if (a == NO_APPEARANCE)
		return false;
	through_time_skill(tt, a, &state[0], &state[1]);
	return true;
}

/*
 * ---- The evidence ----
 */

/*
 * The logarithm of the integral of a normal density times a site, which is
 * exp(weighted x - precision x^2 / 2).
 */
static double
log_overlap(Belief density, Belief site)
{
	double		both = density.precision + site.precision;
	double		mean = density.weighted / density.precision;

	/* Written so that a mean far from 0 does not cancel. */
	return (mean * (2 * site.weighted - site.precision * mean) +
			square(site.weighted - site.precision * mean) / both -
			portable_log(both / density.precision)) / 2;
}

/* The part of a match. */
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
	gain = through_time_given_rest(tt, m, &match);
	if (gain > 0)
		sum_add(&evidence, gain * state_space_log_evidence(&tt->space, &match));
	return sum_value(&evidence);
}

double
through_time_log_evidence(ThroughTime *tt)
{
	Sum			evidence = {0, 0};
	size_t		m;

	for (m = 0; m < tt->linked; m++)
	{
		check(tt, m);
		if (tt->first[m] < tt->first[m + 1])
			sum_add(&evidence, evidence_of_match(tt, m));
	}
	return sum_value(&evidence);
}
