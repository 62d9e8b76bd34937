/*
 * trueskill2_evidence.c
 *		What a match tells of the performances in it, under TrueSkill 2.
 *
 * All performances of a match have one joint normal distribution.  Counts that
 * are not zero are linear observations of it and exact; the order, counts of zero
 * and quits are functions of one combination each, and are fitted in turn by
 * expectation propagation.
 */
#include "core/models/trueskill2.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/math/joint_normal.h"
#include "core/math/normal.h"
#include "core/math/convergence.h"
#include "core/math/square.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/models/team_chain.h"
#include "core/util/extremes.h"

void
trueskill2_difference(const Match *match, const double *weight_factor, int upper, int lower,
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

double
trueskill2_context_shift(const Match *match, int upper, int lower, double deviation)
{
	return deviation * sqrt(M_PI / 8) * match_log_odds_between(match, upper, lower);
}

/* What is known of one combination of performances, as a function of it. */
typedef enum FactorKind
{
	FACTOR_WIN,					/* it is above the margin */
	FACTOR_DRAW,				/* it is within the margin */
	FACTOR_NONE,				/* a count of none: it was below 0, noise
								 * added */
	FACTOR_QUIT,				/* the player quit at this lead */
	FACTOR_COUNT				/* a count: an observation, which is exact and
								 * stays as it is */
} FactorKind;

typedef struct Factor
{
	FactorKind	kind;
	int			a;				/* teams, or a: the player */
	int			b;
	double		self;			/* counts: coefficients, noise and time */
	double		opponent;
	double		noise;
	double		start;			/* mean of the combination before the match */
	double		precision;		/* what it says so far of the rest: precision, */
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
		trueskill2_difference(match, weight_factor, factor->a, factor->b, x);
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
			return truncated_win((mean - margin) / deviation);
		case FACTOR_DRAW:
			return truncated_draw(mean / deviation, margin / deviation);
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
		case FACTOR_COUNT:
			break;
	}
	return quit_moments(params, mean, variance);
}

/*
 * The performances of a match, of which the joint distribution has how far they are from
 * their means before it, so that no digits are lost if those are large.
 */
typedef struct Performances
{
	const ParamValue *params;
	const Match *match;
	const double *factor;		/* what a unit of weight counts of each team */
	const double *start;		/* means before the match */
	const TrueSkill2Movement *movement; /* and variances */
	JointNormal joint;
} Performances;

/* As it is before anything is known of the match. */
static void
begin_joint(Performances *p)
{
	int			n = p->joint.n;
	int			i;

	memset(p->joint.root, 0, sizeof(double) * n * n);
	for (i = 0; i < n; i++)
	{
		p->joint.mean[i] = 0;
		p->joint.root[i * n + i] = sqrt(p->movement[i].variance);
	}
}

/* Each observation is of as many numbers as there are in the root. */
static void
observe(Performances *p, const Projection *projection, double precision, double shift)
{
	if (p->match->interrupt != NULL)
		p->match->interrupt();
	joint_normal_observe(&p->joint, projection, precision, shift);
}

/* The mean of a combination before the match. */
static double
start_of(const Performances *p, const double *x)
{
	double		start[2] = {0, 0};
	int			i;

	/* Either side on its own, so that the difference of equals is exactly 0. */
	for (i = 0; i < p->match->nplayers; i++)
		start[x[i] < 0] += x[i] * p->start[i];
	return start[0] + start[1];
}

/*
 * Have in p->joint what all factors but one (or -1) say, from the beginning.  Quits, which
 * may take precision away, come last; where they would take all of it, the result is false.
 */
static bool
rebuild(Performances *p, const Factor *factor, int nfactors, int without)
{
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		slope[TRUESKILL2_MAX_PLAYERS];
	double		by_column[TRUESKILL2_MAX_PLAYERS];
	Projection	projection = {.factor = by_column,.slope = slope};
	int			i;

	begin_joint(p);
	for (i = 0; i < 2 * nfactors; i++)
	{
		const Factor *other = &factor[i % nfactors];

		if (i % nfactors == without || other->precision == 0 ||
			(other->precision < 0) != (i >= nfactors))
			continue;
		factor_combination(p->match, p->factor, other, x);
		joint_normal_project(&p->joint, x, &projection);
		if (!(1 + other->precision * projection.variance > 0))
			return false;
		observe(p, &projection, other->precision, other->precision_mean);
	}
	return true;
}

/*
 * Let one factor speak again, given all others, by that share of a step.  Returns how much what it says
 * has changed, in deviations of its combination.
 */
static double
factor_step(Performances *p, Factor *factor, int nfactors, int which, double step)
{
	/* A share of the variance that can still be told from 1 by some digits. */
	const double least_share = 1e-4;
	Factor	   *own = &factor[which];
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		slope[TRUESKILL2_MAX_PLAYERS];
	double		by_column[TRUESKILL2_MAX_PLAYERS];
	Projection	now = {.factor = by_column,.slope = slope};
	double		said = own->precision;
	double		said_mean = own->precision_mean;
	double		mean,
				variance,
				remaining,
				change,
				change_mean;
	Truncation	moments;

	factor_combination(p->match, p->factor, own, x);
	joint_normal_project(&p->joint, x, &now);

	/*
	 * What the others say is what remains without this one.  Where that is
	 * next to nothing, it is not to be had by a difference.
	 */
	remaining = 1 - said * now.variance;
	if (remaining < least_share)
	{
		if (!rebuild(p, factor, nfactors, which))
		{
			(void) rebuild(p, factor, nfactors, -1);
			return 0;
		}
		joint_normal_project(&p->joint, x, &now);
		said = said_mean = 0;
		remaining = 1;
	}
	variance = now.variance / remaining;
	mean = (now.mean - said_mean * now.variance) / remaining;
	if (!(variance > 0))
		return 0;

	moments = factor_moments(p->params, own, own->start + mean, variance);
	change = -own->precision;
	change_mean = -own->precision_mean;
	own->precision += step * (moments.w / (variance * moments.rest) - own->precision);
	own->precision_mean += step * ((mean * moments.w + sqrt(variance) * moments.v) /
								   (variance * moments.rest) - own->precision_mean);
	observe(p, &now, own->precision - said, own->precision_mean - said_mean);

	/* By the mean and variance that the combination has come to. */
	change += own->precision;
	change_mean += own->precision_mean;
	mean += sqrt(variance) * moments.v;
	variance *= moments.rest;
	return larger(fabs(change) * variance, fabs(change_mean - change * mean) * sqrt(variance));
}

/* A factor that has not spoken yet, with the mean of its combination. */
static Factor *
add_factor(const Performances *p, Factor new, Factor *factor, int *nfactors)
{
	double		x[TRUESKILL2_MAX_PLAYERS];
	double		variance = 0;
	int			i;

	factor_combination(p->match, p->factor, &new, x);
	new.start = start_of(p, x);
	if (new.kind == FACTOR_WIN || new.kind == FACTOR_DRAW)
	{
		for (i = 0; i < p->match->nplayers; i++)
			variance += square(x[i]) * p->movement[i].variance;
		new.start += trueskill2_context_shift(p->match, new.a, new.b, sqrt(variance));
	}
	factor[*nfactors] = new;
	return &factor[(*nfactors)++];
}

/* A count: it has said all at once unless it is none. */
static void
add_count(const Performances *p, int player, double count, double self,
		  double opponent, double variance, double time, Factor *factor, int *nfactors)
{
	double		noise = variance * time;
	Factor		new = {.kind = count == 0 ? FACTOR_NONE : FACTOR_COUNT,.a = player,
	.self = self * time,.opponent = opponent * time,.noise = noise};
	Factor	   *added;

	if (isnan(count) || noise == 0)
		return;
	added = add_factor(p, new, factor, nfactors);
	if (new.kind == FACTOR_COUNT)
	{
		added->precision = 1 / noise;
		added->precision_mean = (count - added->start) / noise;
	}
}

/* What counts and quits of a player who took part say. */
static void
add_player(const Performances *p, int i, double play, Factor *factor, int *nfactors)
{
	const ParamValue *params = p->params;
	const MatchPlayer *player = &p->match->player[i];
	double		unit = isnan(p->match->length) ? 1 :
		p->match->length / params[TRUESKILL2_COUNT_LENGTH].number;

	add_count(p, i, player->kills, params[TRUESKILL2_KILL_SELF].number,
			  params[TRUESKILL2_KILL_OPPONENT].number,
			  params[TRUESKILL2_KILL_VARIANCE].number, play * unit, factor, nfactors);
	add_count(p, i, player->deaths, params[TRUESKILL2_DEATH_SELF].number,
			  params[TRUESKILL2_DEATH_OPPONENT].number,
			  params[TRUESKILL2_DEATH_VARIANCE].number, play * unit, factor, nfactors);
	if (player->quit == 1 && params[TRUESKILL2_QUIT_RELATED].number > 0)
	{
		Factor		quit = {.kind = FACTOR_QUIT,.a = i,.self = 1,
		.opponent = -1};

		add_factor(p, quit, factor, nfactors);
	}
}

/* The order of the teams, each with the next. */
static void
add_order(const Performances *p, Factor *factor, int *nfactors)
{
	const Match *match = p->match;
	int			order[MATCH_MAX_TEAMS];
	int			i;

	match_teams_by_rank(match, order);
	for (i = 0; i < match->nteams - 1; i++)
	{
		Factor		outcome = {.kind = match->team[order[i]].rank ==
			match->team[order[i + 1]].rank ? FACTOR_DRAW : FACTOR_WIN,
		.a = order[i],.b = order[i + 1]};

		add_factor(p, outcome, factor, nfactors);
	}
}

/*
 * Let all factors speak until nothing changes.  Factors that contradict each other may go
 * round in circles, which half steps end; the fixed point is the same.
 */
static void
converge(Performances *p, Factor *factor, int nfactors)
{
	const double tolerance = 1e-10;
	const int	max_sweeps = 2000;
	const int	whole_sweeps = 100;
	Convergence	convergence = {0};
	int			sweep,
				spoken,
				i;

	for (sweep = 0; sweep < max_sweeps; sweep++)
	{
		double		change = 0;

		spoken = 0;
		for (i = 0; i < nfactors; i++)
			if (factor[i].kind != FACTOR_COUNT)
			{
				change = larger(change, factor_step(p, factor, nfactors, i,
														  sweep < whole_sweeps ? 1 : 0.5));
				spoken++;
			}

		/* One factor alone is exact. */
		if (change < tolerance || spoken == 1 || convergence_ended(&convergence, change))
			return;
	}

	/* What has not converged is no result. */
	for (i = 0; i < p->match->nplayers; i++)
		p->joint.mean[i] = NAN;
}

/* Not inlined, so that the stack never holds both a chain of teams and a root. */
#define OWN_FRAME __attribute__((noinline))

/*
 * Of more than two teams of which only the order is known, and that share nobody: their
 * performances are independent, and a chain of teams has their posterior at any distance.
 */
static OWN_FRAME void
learn_from_chain(const Performances *p, TrueSkill2Movement *movement)
{
	const Match *match = p->match;
	double		mean[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	double		size[MATCH_MAX_TEAMS];
	int			place[MATCH_MAX_TEAMS];
	TeamChain	chain;
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		mean[i] = variance[i] = 0;
		size[i] = 0.5;
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		double		part = p->factor[e->team] * e->weight;

		mean[e->team] += part * p->start[e->player];
		variance[e->team] += square(part) * movement[e->player].variance;
	}
	match_add_advantages(match, variance, mean);
	team_chain_solve(&chain, match, mean, variance, size,
					 p->params[TRUESKILL2_DRAW_MARGIN].number, TIES_CHAIN);
	for (i = 0; i < match->nteams; i++)
		place[chain.team[i].number] = i;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const ChainTeam *team = &chain.team[place[e->team]];
		double		part = p->factor[e->team] * e->weight;
		TrueSkill2Movement *m = &movement[e->player];

		m->shift += part * m->variance * team->gradient;
		if (part > 0)
			m->rest = variance_ratio(square(part) * m->variance, 0, team->variance, team->rest);
	}
}

/* Of all others: by the joint distribution. */
static OWN_FRAME void
learn_jointly(Performances *p, Factor *factor, int nfactors, TrueSkill2Movement *movement)
{
	double		mean[TRUESKILL2_MAX_PLAYERS];
	double		root[TRUESKILL2_MAX_PLAYERS * TRUESKILL2_MAX_PLAYERS];
	int			i;

	p->joint = (JointNormal) {p->match->nplayers, mean, root};
	(void) rebuild(p, factor, nfactors, -1);
	converge(p, factor, nfactors);
	for (i = 0; i < p->match->nplayers; i++)
	{
		movement[i].shift = p->joint.mean[i];
		movement[i].rest = joint_normal_variance(&p->joint, i) / movement[i].variance;
	}
}

void
trueskill2_learn(const ParamValue *params, const Match *match, const double *weight_factor,
				 const double *start, TrueSkill2Movement *movement)
{
	Factor		factor[MAX_FACTORS];
	int			n = match->nplayers;
	Performances p = {.params = params,.match = match,.factor = weight_factor,
	.start = start,.movement = movement};
	int			nfactors = 0;
	bool		crosses = false;
	int			i;

	for (i = 0; i < n; i++)
	{
		movement[i].play = movement[i].shift = 0;
		movement[i].rest = 1;
	}
	for (i = 0; i < match->nentries; i++)
	{
		movement[match->entry[i].player].play += match->entry[i].weight;
		crosses = crosses || match->entry[i].previous >= 0;
	}

	add_order(&p, factor, &nfactors);
	for (i = 0; i < n; i++)
		if (movement[i].play > 0)
			add_player(&p, i, movement[i].play, factor, &nfactors);
	if (match->nteams > 2 && !crosses && nfactors == match->nteams - 1)
		learn_from_chain(&p, movement);
	else
		learn_jointly(&p, factor, nfactors, movement);
}
