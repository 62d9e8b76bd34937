/*
 * elo_mmr.c
 *		Elo-MMR, for contests of any number of participants.
 *
 * A. Ebtekar and P. Liu, "Elo-MMR: A Rating System for Massive Multiplayer
 * Competitions" (The Web Conference 2021).  A result says of each participant who
 * was better, who was worse and who was equal.  The performance at which that is
 * most likely is the zero of a sum with a term for each participant; it is then
 * taken as observed, and moves the skill as an observation with noise does.  Of
 * the paper's variants these are the two whose state is a mean and a deviation:
 * normal performances (Elo-MM-chi) and logistic ones (Elo-MMR with rho = infinity).
 *
 * A team performs as the mean of its members, each with the weight of play; the
 * noise of a performance averages out over play.  For a team of one that played
 * throughout this is the paper's model.
 *
 * With n participants the sums have n terms, and there are as many zeros to be
 * found.  The sums of two that follow each other in the result differ by few
 * terms, and all are smooth: so the first zero is found by Newton's method, and
 * those below it from a table of the sum, which is corrected from one participant
 * to the next.  That takes time proportional to n, for a spread of skills that is
 * given in deviations of a performance.
 */
#include "core/models/elo_mmr.h"

#include <math.h>
#include <stdlib.h>

#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/math/quadrature.h"
#include "core/math/square.h"
#include "core/math/sum.h"
#include "core/math/truncated.h"
#include "core/models/deviation.h"
#include "core/util/extremes.h"

static const char *const form_choices[] = {"normal", "logistic", NULL};

static const ParamSpec elo_mmr_params[] = {
	{.name = "form",.type = PARAM_CHOICE,.default_value = ELO_MMR_NORMAL,
		.choices = form_choices,
	.description = "distribution of a performance around the skill"},
	{.name = "initial_mu",.type = PARAM_NUMBER,.default_value = 1500,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "mean skill of a player who has not played"},
	{.name = "initial_sigma",.type = PARAM_NUMBER,.default_value = 350,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "deviation of the skill of a player who has not played"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 200,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
	.description = "deviation of one performance from the skill"},
	{.name = "tau",.type = PARAM_NUMBER,.default_value = 35,
		.min = 0,.max = 1e9,.unit = "rating points per square root of a match",
		.searched = true,
	.description = "drift of a skill from match to match"},
	{.name = "drift",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "rating points per square root of a day",
		.search = {0.1, 1000},
		.of_time = true,
	.description = "drift of a skill in idle time; sigma grows by it up to initial_sigma"},
	{.name = "split_ties",.type = PARAM_FLAG,.default_value = 0,
	.description = "a tie is half a win and half a loss, and not an equal performance"},
	{.name = "display_deviations",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "deviations",
		.search = {0.1, 10},
	.description = "the displayed rating is mu minus so many sigma"},
};

static const ModelPart elo_mmr_parts[] = {
	{.name = "drift",.description = "skills drift in idle time",
		.needs_times = true,.nparams = 1,
	.param = {{ELO_MMR_DRIFT, 0, 10}}},
	{.name = "logistic",.description = "performances are logistic",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{ELO_MMR_FORM, ELO_MMR_NORMAL, ELO_MMR_LOGISTIC}}},
	MODEL_COMMON_PARTS
};

static const StateSpec elo_mmr_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean of the skill"},
	{.name = "sigma",.min = MIN_DEVIATION,.role = ROLE_DEVIATION,
	.description = "deviation of the skill"},
};

/* What is known of a team, in MatchTeam.work. */
enum
{
	TEAM_MEAN,					/* of its performance, with the context */
	TEAM_DEVIATION,				/* of its performance */
	TEAM_VARIANCE,				/* of its skill */
	TEAM_WEIGHT,				/* play of all members */
	TEAM_PERFORMANCE			/* as the result has it */
};

static void
elo_mmr_init(const ParamValue *params, double *state)
{
	state[ELO_MMR_MU] = params[ELO_MMR_INITIAL_MU].number;
	state[ELO_MMR_SIGMA] = larger(params[ELO_MMR_INITIAL_SIGMA].number,
								  MIN_DEVIATION);
}

static void
elo_mmr_age(const ParamValue *params, double *state, double seconds)
{
	state[ELO_MMR_SIGMA] =
		deviation_drifted(state[ELO_MMR_SIGMA], params[ELO_MMR_DRIFT].number,
						  seconds, params[ELO_MMR_INITIAL_SIGMA].number);
}

/* The variance of a player's skill in a match, after the drift since the last one. */
static double
skill_variance(const ParamValue *params, const MatchPlayer *player)
{
	return square(player->before[ELO_MMR_SIGMA]) +
		square(params[ELO_MMR_TAU].number);
}

/* The variance of a team's performance that is no skill. */
static double
noise_variance(const ParamValue *params, const MatchTeam *team)
{
	return square(params[ELO_MMR_BETA].number) / team->work[TEAM_WEIGHT];
}

/* Move the means by log-odds in advance, of two teams half for the one and against the other. */
static void
add_advantages(Match *match)
{
	double		variance = 0;
	double		unit;
	int			i;

	for (i = 0; i < match->nteams; i++)
		variance += square(match->team[i].work[TEAM_DEVIATION]);
	unit = sqrt(M_PI / 8) * sqrt(2 * variance / match->nteams);
	for (i = 0; i < match->nteams; i++)
	{
		double		advantage = match->nteams == 2 ? match_log_odds_for(match, i) / 2 :
			match->team[i].advantage;

		match->team[i].work[TEAM_MEAN] += advantage != 0 ? unit * advantage : 0;
	}
}

/* Fill in what is known of the teams before the match. */
static void
gather_teams(const ParamValue *params, Match *match)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
	{
		double	   *work = match->team[i].work;

		work[TEAM_MEAN] = work[TEAM_VARIANCE] = work[TEAM_WEIGHT] = 0;
	}
	for (i = 0; i < match->nentries; i++)
		match->team[match->entry[i].team].work[TEAM_WEIGHT] += match->entry[i].weight;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const MatchPlayer *player = &match->player[e->player];
		double	   *work = match->team[e->team].work;
		double		share = e->weight / work[TEAM_WEIGHT];

		work[TEAM_MEAN] += share * player->before[ELO_MMR_MU];
		work[TEAM_VARIANCE] += square(share) * skill_variance(params, player);
	}
	for (i = 0; i < match->nteams; i++)
	{
		double	   *work = match->team[i].work;

		work[TEAM_DEVIATION] = sqrt(work[TEAM_VARIANCE] +
									noise_variance(params, &match->team[i]));
	}
	add_advantages(match);
}

/*
 * ---- The zero of a falling function ----
 */

/* Returns the value at x, and its slope, which is negative, in *slope. */
typedef double (*FallingFunction) (const void *argument, double x, double *slope);

/*
 * The zero of a falling function between low and high, both of which may be
 * infinite, from start on: Newton's method, within bounds that close in.  A step
 * that leaves them, or that is not half the one before, gives way to bisection;
 * until there are bounds on both sides, steps grow from reach on.  Newton's method
 * ends with a step below tolerance, as the error is then about the square of that.
 * Returns NaN where the function does, and if it takes too long.
 */
static double
falling_zero(FallingFunction function, const void *argument, double start,
			 double low, double high, double reach, double tolerance)
{
	const int	max_steps = 2000;
	double		x = start;
	double		limit = reach;
	int			i;

	for (i = 0; i < max_steps; i++)
	{
		double		slope;
		double		value = function(argument, x, &slope);
		double		step = -value / slope;
		double		next = x + step;

		if (isnan(value))
			return NAN;
		if (value == 0)
			return x;
		if (value > 0)
			low = x;
		else
			high = x;
		if (fabs(step) <= limit && next > low && next < high)
		{
			if (fabs(step) <= tolerance)
				return next;
		}
		else if (isfinite(low) && isfinite(high))
			next = low + (high - low) / 2;
		else
			next = value > 0 ? x + limit : x - limit;

		/* Neighbours among the doubles are as near as it gets. */
		if (next == x || next == low || next == high)
			return next;
		if (isfinite(low) && isfinite(high))
			limit = fabs(next - x) / 2;
		else
			limit *= 2;
		x = next;
	}
	return NAN;
}

/*
 * ---- Performances ----
 */

/* A match whose teams are in the order of the result. */
typedef struct Contest
{
	const MatchTeam *team;
	int			n;
	bool		logistic;
	bool		split_ties;
	double		least;			/* of the teams' deviations */
	double		most;
	InterruptCheck interrupt;
} Contest;

/* How a team did against the one whose performance is sought. */
typedef enum Comparison
{
	BETTER,
	EQUAL,
	WORSE
} Comparison;

/* The deviation of a logistic variable for each unit of its scale. */
#define LOGISTIC_DEVIATION	(M_PI / 1.73205080756887729353)

/*
 * The derivative, by x, of the log likelihood that a team performed better than
 * x, exactly there, or worse; it falls with x.  Its slope goes to *slope, unless
 * that is NULL.
 */
static double
normal_term(const MatchTeam *team, Comparison comparison, double x, double *slope)
{
	double		deviation = team->work[TEAM_DEVIATION];
	double		z = (x - team->work[TEAM_MEAN]) / deviation;
	Truncation	truncation;

	if (comparison == EQUAL)
	{
		if (slope != NULL)
			*slope = -1 / deviation / deviation;
		return -z / deviation;
	}
	if (comparison == BETTER)
		z = -z;
	if (slope != NULL)
	{
		truncation = truncated_win(z);
		*slope = -truncation.w / deviation / deviation;
	}
	else
		truncation.v = normal_hazard(z);
	return (comparison == BETTER ? -truncation.v : truncation.v) / deviation;
}

static double
logistic_term(const MatchTeam *team, Comparison comparison, double x, double *slope)
{
	double		scale = team->work[TEAM_DEVIATION] / LOGISTIC_DEVIATION;
	double		z = (x - team->work[TEAM_MEAN]) / scale;
	double		below = logistic(z);
	double		above = logistic(-z);

	if (slope != NULL)
		*slope = (comparison == EQUAL ? -2 : -1) * (below * above) / scale / scale;
	if (comparison == BETTER)
		return -below / scale;
	if (comparison == WORSE)
		return above / scale;
	return (above - below) / scale;
}

static double
term(const Contest *contest, const MatchTeam *team, Comparison comparison,
	 double x, double *slope)
{
	if (comparison == EQUAL && contest->split_ties)
	{
		double		other = 0;
		double		sum = term(contest, team, BETTER, x, slope);

		sum += term(contest, team, WORSE, x, slope != NULL ? &other : NULL);
		if (slope != NULL)
			*slope = (*slope + other) / 2;
		return sum / 2;
	}
	return contest->logistic ? logistic_term(team, comparison, x, slope) :
		normal_term(team, comparison, x, slope);
}

/* The teams that share a place: first .. behind - 1 of the contest. */
typedef struct Place
{
	const Contest *contest;
	int			first;
	int			behind;
} Place;

static Place
place_from(const Contest *contest, int first)
{
	Place		place = {contest, first, first + 1};

	while (place.behind < contest->n &&
		   contest->team[place.behind].rank == contest->team[first].rank)
		place.behind++;
	return place;
}

static Comparison
compare_with(const Place *place, int team)
{
	return team < place->first ? BETTER : team < place->behind ? EQUAL : WORSE;
}

/*
 * The paper's Q, whose zero is the performance of those who share a place.  They
 * themselves are among those who are equal.
 */
static double
place_sum(const void *argument, double x, double *slope)
{
	const Place *place = argument;
	const Contest *contest = place->contest;
	Sum			sum = {0, 0};
	int			i;

	/* There can be as many sums as terms in each. */
	if (contest->interrupt != NULL)
		contest->interrupt();
	*slope = 0;
	for (i = 0; i < contest->n; i++)
	{
		double		of_term;

		sum_add(&sum, term(contest, &contest->team[i], compare_with(place, i), x,
						   &of_term));
		*slope += of_term;
	}
	return sum_value(&sum);
}

/*
 * A table of that sum over an interval: its values at Gauss and Legendre's nodes,
 * of which it is a polynomial to the last digits.
 */
#define NODES (2 * GAUSS_LEGENDRE_HALF)

typedef struct Table
{
	double		middle;
	double		half;			/* of the interval's width */
	Sum			sum[NODES];
	double		value[NODES];	/* of the sums, for one place */
	double		node[NODES];	/* from -1 to 1 */
	double		weight[NODES];	/* of barycentric interpolation */
} Table;

/*
 * Half the width of a table, in the least deviation of a performance.  The terms
 * are analytic up to the zeros of the distribution functions, which are 2.8
 * deviations off the real axis for normal ones, and 1.7 for logistic ones; with
 * 32 nodes a polynomial is then off by a few units of 1e-16 of the largest value.
 */
#define NORMAL_HALF_TABLE	2.0
#define LOGISTIC_HALF_TABLE 1.25

/* From so many places in a table on, it is worth its price. */
#define PLACES_FOR_TABLE	8

static void
table_add(Table *table, const Place *place, int team, Comparison comparison, int sign)
{
	int			k;

	for (k = 0; k < NODES; k++)
		sum_add(&table->sum[k],
				sign * term(place->contest, &place->contest->team[team], comparison,
							table->middle + table->half * table->node[k], NULL));
}

/* Begin a table of the interval below x, with the sums of a place. */
static void
table_begin(Table *table, const Place *place, double x, double half)
{
	int			i,
				k;

	table->middle = x - half;
	table->half = half;
	for (k = 0; k < NODES; k++)
	{
		const QuadratureNode *node =
			&gauss_legendre[k < GAUSS_LEGENDRE_HALF ? k : NODES - 1 - k];
		double		sign = k < GAUSS_LEGENDRE_HALF ? -1 : 1;

		table->node[k] = sign * node->x;
		table->weight[k] = (k % 2 ? -1 : 1) *
			sqrt((1 - square(node->x)) * node->weight);
		table->sum[k].high = table->sum[k].low = 0;
	}
	for (i = 0; i < place->contest->n; i++)
		table_add(table, place, i, compare_with(place, i), 1);
}

/* From the sums of one place to those of the next. */
static void
table_next(Table *table, const Place *from, const Place *to)
{
	int			i;

	for (i = from->first; i < from->behind; i++)
	{
		table_add(table, from, i, EQUAL, -1);
		table_add(table, from, i, BETTER, 1);
	}
	for (i = to->first; i < to->behind; i++)
	{
		table_add(table, from, i, WORSE, -1);
		table_add(table, from, i, EQUAL, 1);
	}
}

/*
 * The sum by the second barycentric formula and its derivative (Berrut and
 * Trefethen, "Barycentric Lagrange Interpolation", 2004, sections 3 and 9).
 */
static double
table_sum(const void *argument, double x, double *slope)
{
	const Table *table = argument;
	double		t = (x - table->middle) / table->half;
	double		above = 0;
	double		below = 0;
	double		value;
	double		sum = 0;
	int			at = -1;
	int			k;

	for (k = 0; k < NODES; k++)
	{
		double		part = table->weight[k] / (t - table->node[k]);

		if (t == table->node[k])
			at = k;
		above += part * table->value[k];
		below += part;
	}
	value = at < 0 ? above / below : table->value[at];
	for (k = 0; k < NODES; k++)
		if (k != at)
			sum += table->weight[k] / (t - table->node[k]) *
				((value - table->value[k]) / (t - table->node[k]));
	*slope = sum / (at < 0 ? below : -table->weight[at]) / table->half;
	return value;
}

/* To all teams of a place; rounding makes the sole first no worse, and the last no better. */
static void
set_performance(MatchTeam *team, const Place *place, double performance)
{
	double		mean = team[place->first].work[TEAM_MEAN];
	int			i;

	if (place->behind - place->first == 1 &&
		((place->first == 0 && performance < mean) ||
		 (place->behind == place->contest->n && performance > mean)))
		performance = mean;
	for (i = place->first; i < place->behind; i++)
		team[i].work[TEAM_PERFORMANCE] = performance;
}

/*
 * Find performances from a table, of the places behind one whose performance is
 * known, as far as the table reaches.  Returns the last place of a known one.
 */
static Place
places_from_table(const Contest *contest, MatchTeam *team, Place place)
{
	double		high = team[place.first].work[TEAM_PERFORMANCE];
	double		half = contest->least *
		(contest->logistic ? LOGISTIC_HALF_TABLE : NORMAL_HALF_TABLE);
	double		low = high - 2 * half;
	Place		next = place;
	Table		table;
	double		slope;
	double		zero;
	int			k;

	for (k = 0; k < PLACES_FOR_TABLE; k++)
	{
		if (next.behind >= contest->n)
			return place;
		next = place_from(contest, next.behind);
	}
	if (!(low < high) || !(place_sum(&next, low, &slope) > 0))
		return place;

	table_begin(&table, &place, high, half);
	while (place.behind < contest->n)
	{
		if (contest->interrupt != NULL)
			contest->interrupt();
		next = place_from(contest, place.behind);
		table_next(&table, &place, &next);
		for (k = 0; k < NODES; k++)
			table.value[k] = sum_value(&table.sum[k]);
		if (!(table_sum(&table, low, &slope) > 0))
			break;

		/*
		 * By the paper's theorem performances fall; rounding cannot reverse
		 * that.  Not smaller(), which would hide a NaN.
		 */
		zero = falling_zero(table_sum, &table, high, low, INFINITY, half,
							1e-9 * contest->least);
		if (!(zero > high))
			high = zero;
		set_performance(team, &next, high);
		place = next;
	}
	return place;
}

/* The performances of all teams of a contest. */
static void
find_performances(const Contest *contest, MatchTeam *team)
{
	Place		place = {contest, 0, 0};
	double		performance = team[0].work[TEAM_MEAN];

	while (place.behind < contest->n)
	{
		double		high = place.behind > 0 ? performance : INFINITY;

		place = place_from(contest, place.behind);
		performance = falling_zero(place_sum, &place, performance, -INFINITY,
								   INFINITY, contest->most, 1e-9 * contest->least);

		/* Not smaller(), which would hide a NaN. */
		if (performance > high)
			performance = high;
		set_performance(team, &place, performance);
		place = places_from_table(contest, team, place);
		performance = team[place.first].work[TEAM_PERFORMANCE];
	}
}

static int
compare_doubles(double a, double b)
{
	return (a > b) - (a < b);
}

/* Of equal rank, by what is known of them, so that their numbers have no part. */
static int
compare_results(const void *a, const void *b)
{
	const MatchTeam *x = a;
	const MatchTeam *y = b;
	int			result = compare_doubles(x->rank, y->rank);

	if (result == 0)
		result = compare_doubles(x->work[TEAM_MEAN], y->work[TEAM_MEAN]);
	return result != 0 ? result :
		compare_doubles(x->work[TEAM_DEVIATION], y->work[TEAM_DEVIATION]);
}

/* The same without the result, which a prediction does not know. */
static int
compare_strengths(const void *a, const void *b)
{
	const MatchTeam *x = a;
	const MatchTeam *y = b;
	int			result = compare_doubles(x->work[TEAM_MEAN], y->work[TEAM_MEAN]);

	return result != 0 ? result :
		compare_doubles(x->work[TEAM_DEVIATION], y->work[TEAM_DEVIATION]);
}

/* Back in the order in which a match has its teams. */
static int
compare_team_numbers(const void *a, const void *b)
{
	const MatchTeam *x = a;
	const MatchTeam *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static Contest
contest_of_match(const ParamValue *params, const Match *match)
{
	Contest		contest;
	int			i;

	contest.team = match->team;
	contest.n = match->nteams;
	contest.interrupt = match->interrupt;
	contest.logistic = params[ELO_MMR_FORM].choice == ELO_MMR_LOGISTIC;
	contest.split_ties = params[ELO_MMR_SPLIT_TIES].flag;
	contest.least = INFINITY;
	contest.most = 0;
	for (i = 0; i < match->nteams; i++)
	{
		contest.least = smaller(contest.least, match->team[i].work[TEAM_DEVIATION]);
		contest.most = larger(contest.most, match->team[i].work[TEAM_DEVIATION]);
	}
	return contest;
}

double
elo_mmr_performance(const Match *match, int team)
{
	return match->team[team].work[TEAM_PERFORMANCE];
}

/*
 * ---- What follows for the players ----
 */

/* A logistic performance as an observation of a team's skill. */
typedef struct Observation
{
	double		variance;		/* of the skill */
	double		scale;			/* of the performance around it */
	double		surprise;		/* the performance less the mean of the skill */
} Observation;

/*
 * The slope of the log posterior at a skill that is x times its variance above
 * its mean, the zero of the paper's L'.
 */
static double
posterior_slope(const void *argument, double x, double *slope)
{
	const Observation *o = argument;
	double		z = (o->surprise - x * o->variance) / o->scale;
	double		below = logistic(z);
	double		above = logistic(-z);

	*slope = -1 - 2 * (below * above) * o->variance / o->scale / o->scale;
	return (below - above) / o->scale - x;
}

/*
 * What the performance of a team says of its skill: how far the mean moves, for
 * each unit of its variance.
 */
static double
pull_on_skill(const Contest *contest, const MatchTeam *team, double noise)
{
	Observation o;
	double		most;

	o.variance = team->work[TEAM_VARIANCE];
	o.scale = sqrt(noise) / LOGISTIC_DEVIATION;
	o.surprise = team->work[TEAM_PERFORMANCE] - team->work[TEAM_MEAN];
	if (!contest->logistic)
		return o.surprise / (o.variance + noise);
	most = 1 / o.scale;
	return falling_zero(posterior_slope, &o, 0, -most, most, most, 1e-9 * most);
}

/*
 * The derivative of the log likelihood of a team's result by its mean.  Two teams
 * have it in closed form, as the prediction has; of more it is that at the most
 * likely performance, to which the paper's posterior shrinks.
 */
static double
team_gradient(const Contest *contest, const MatchTeam *team)
{
	const MatchTeam *other = &contest->team[team == contest->team];
	double		c,
				lead;

	if (contest->n > 2)
		return -(contest->logistic ? logistic_term : normal_term)
			(team, EQUAL, team->work[TEAM_PERFORMANCE], NULL);
	c = sqrt(square(team->work[TEAM_DEVIATION]) +
			 square(other->work[TEAM_DEVIATION]));
	lead = (team->work[TEAM_MEAN] - other->work[TEAM_MEAN]) / c;
	if (team->rank == other->rank)
		return -lead / c;
	return (team->rank < other->rank ? normal_hazard(lead) : -normal_hazard(-lead)) / c;
}

/* A member takes the part of the team's change that its part of the variance is. */
static void
update_member(const ParamValue *params, const Contest *contest, Match *match,
			  const MatchEntry *e)
{
	const MatchTeam *team = &match->team[e->team];
	MatchPlayer *player = &match->player[e->player];
	double		gain = player->gain;
	double		share = e->weight / team->work[TEAM_WEIGHT];
	double		noise = noise_variance(params, team);
	double		total = team->work[TEAM_VARIANCE] + noise;
	double		variance = skill_variance(params, player);
	double		rest;

	if (e->weight == 0)
		return;

	/*
	 * Others contribute no less than nothing to the variance, whatever
	 * rounds.
	 */
	rest = larger(total - square(share) * variance, noise) / total;
	player->after[ELO_MMR_MU] += gain * (share * variance *
										 pull_on_skill(contest, team, noise));
	player->after[ELO_MMR_SIGMA] = deviation_updated(player->after[ELO_MMR_SIGMA],
													 sqrt(rest), gain, MIN_DEVIATION);
	player->gradient += share * team_gradient(contest, team);
}

void
elo_mmr_update(const ParamValue *params, Match *match)
{
	Contest		contest;
	int			i;

	gather_teams(params, match);
	contest = contest_of_match(params, match);
	qsort(match->team, match->nteams, sizeof(MatchTeam), compare_results);
	find_performances(&contest, match->team);
	qsort(match->team, match->nteams, sizeof(MatchTeam), compare_team_numbers);

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		player->gradient = 0;
		player->after[ELO_MMR_MU] = player->before[ELO_MMR_MU];
		player->after[ELO_MMR_SIGMA] = player->before[ELO_MMR_SIGMA];
	}
	for (i = 0; i < match->nentries; i++)
		if (match->entry[i].weight > 0)
		{
			MatchPlayer *player = &match->player[match->entry[i].player];

			/*
			 * The drift comes gain times, as the update does; to others it is
			 * the ordinary one.
			 */
			player->after[ELO_MMR_SIGMA] =
				deviation_grown(player->before[ELO_MMR_SIGMA],
								player->gain * square(params[ELO_MMR_TAU].number),
								INFINITY);
		}
	for (i = 0; i < match->nentries; i++)
		update_member(params, &contest, match, &match->entry[i]);
}

/*
 * The probabilities of the best performance.  More teams than there is room for on
 * the stack find theirs in the match.
 */
static void
many_teams_win(Match *match)
{
	double		mean[MATCH_MAX_TEAMS];
	double		deviation[MATCH_MAX_TEAMS];
	double		win[MATCH_MAX_TEAMS];
	double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];
	int			i;

	if (match->nteams > MATCH_MAX_TEAMS)
	{
		normal_best_of_strided(&match->team->work[TEAM_MEAN],
							   &match->team->work[TEAM_DEVIATION], match->nteams,
							   sizeof(MatchTeam) / sizeof(double), &match->team->win,
							   &match->team->work[TEAM_VARIANCE], match->interrupt);
		return;
	}
	for (i = 0; i < match->nteams; i++)
	{
		mean[i] = match->team[i].work[TEAM_MEAN];
		deviation[i] = match->team[i].work[TEAM_DEVIATION];
	}
	normal_best_of(mean, deviation, match->nteams, win, work, match->interrupt);
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = win[i];
}

/* Of performances as normal variables, in either form. */
static MatchStatus
elo_mmr_predict(const ParamValue *params, Match *match)
{
	int			i;

	gather_teams(params, match);
	if (match->nteams == 2)
	{
		int			first = match_first_side(match);
		const double *work = match->team[first].work;
		const double *other = match->team[1 - first].work;

		match->team[first].win = normal_cdf((work[TEAM_MEAN] - other[TEAM_MEAN]) /
											sqrt(square(work[TEAM_DEVIATION]) +
												 square(other[TEAM_DEVIATION])));
		match->team[1 - first].win = 1 - match->team[first].win;
	}
	else
	{
		qsort(match->team, match->nteams, sizeof(MatchTeam), compare_strengths);
		many_teams_win(match);

		/* Equals are exchangeable, and rounding has no part in it. */
		for (i = 1; i < match->nteams; i++)
			if (compare_strengths(&match->team[i - 1], &match->team[i]) == 0)
				match->team[i].win = match->team[i - 1].win;
		qsort(match->team, match->nteams, sizeof(MatchTeam), compare_team_numbers);
	}
	return match_check_predictions(match);
}

static MatchStatus
elo_mmr_rate(const ParamValue *params, Match *match)
{
	MatchStatus status = elo_mmr_predict(params, match);

	if (status == MATCH_OK)
		elo_mmr_update(params, match);
	return status;
}

static void
elo_mmr_display(const ParamValue *params, double *coefficient)
{
	coefficient[ELO_MMR_MU] = 1;
	coefficient[ELO_MMR_SIGMA] = -params[ELO_MMR_DISPLAY_DEVIATIONS].number;
	coefficient[ELO_MMR_NSTATE] = 0;
}

extern const Model elo_mmr_model;
const Model elo_mmr_model = {
	.name = "elo_mmr",
	.summary = "Elo-MMR, for contests of up to thousands of participants",
	.source = "A. Ebtekar and P. Liu, Elo-MMR: A Rating System for Massive Multiplayer Competitions (2021)",
	.params = MODEL_PARAMS("elo_mmr", elo_mmr_params, ELO_MMR_NPARAMS),
	.state = elo_mmr_state,
	.nstate = ELO_MMR_NSTATE,
	.rules.component = model_common_components,
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS,
	.part = elo_mmr_parts,
	.nparts = sizeof(elo_mmr_parts) / sizeof(elo_mmr_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN,
	.rules.max_teams = MATCH_MAX_PARTICIPANTS,
	.init = elo_mmr_init,
	.age = elo_mmr_age,
	.predict = elo_mmr_predict,
	.rate = elo_mmr_rate,
	.display = elo_mmr_display,
};
