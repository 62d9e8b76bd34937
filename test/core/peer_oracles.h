/*
 * peer_oracles.h
 *		Glicko-2, TrueSkill and Weng and Lin's models from their papers, in long double.
 *
 * Nothing here is shared with the core: the functions are plain and slow, and say what is
 * right where libraries fail.
 */
#ifndef TEST_CORE_PEER_ORACLES_H
#define TEST_CORE_PEER_ORACLES_H

#include <math.h>
#include <stdbool.h>

typedef long double Wide;

#define WIDE_PI 3.14159265358979323846264338327950288L

/* The most teams, players of all teams, and games of a case. */
#define PEER_MAX 64

/* ---- Glicko-2: M. E. Glickman, "Example of the Glicko-2 system" (2013) ---- */

typedef struct PeerGame
{
	double		rating;
	double		deviation;
	double		score;
} PeerGame;

/* f of step 5 in the paper, of x = a + y. */
static inline Wide
glickman_f(Wide delta2, Wide phi2, Wide v, Wide a, Wide tau, Wide y)
{
	Wide		e = expl(a + y);
	Wide		d = phi2 + v + e;

	return e / d * ((delta2 - phi2 - v - e) / (2 * d)) - y / (tau * tau);
}

/*
 * The first root that one comes to from y = 0 on the side to which f points: by steps that
 * are small against the width of the logistic curve of which f consists, then bisection;
 * not beyond 1, the bound on the page of glicko2.
 */
static inline Wide
glickman_root(Wide delta2, Wide phi2, Wide v, Wide a, Wide tau)
{
	Wide		sign = glickman_f(delta2, phi2, v, a, tau, 0) < 0 ? -1 : 1;
	Wide		step = fminl(tau * tau / 100, 0.01L);
	Wide		low = 0;
	Wide		high;
	int			i;

	for (high = step; sign * glickman_f(delta2, phi2, v, a, tau, sign * high) > 0; high += step)
		low = high;
	for (i = 0; i < 100; i++)
	{
		Wide		middle = (low + high) / 2;

		if (sign * glickman_f(delta2, phi2, v, a, tau, sign * middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return fminl(sign * low, 1);
}

/* The steps of the paper; result has rating, deviation and volatility. */
static inline void
glickman_update(double tau, const double *player, const PeerGame *game, int n, Wide *result)
{
	Wide		scale = 400 / logl(10);
	Wide		mu = (player[0] - 1500.0L) / scale;
	Wide		phi = player[1] / scale;
	Wide		information = 0;
	Wide		surprise = 0;
	Wide		v,
				a = 2 * logl(player[2]);
	Wide		sigma,
				star,
				after;
	int			i;

	for (i = 0; i < n; i++)
	{
		Wide		phi_j = game[i].deviation / scale;
		Wide		g = 1 / sqrtl(1 + 3 * phi_j * phi_j / (WIDE_PI * WIDE_PI));
		Wide		x = g * (mu - (game[i].rating - 1500.0L) / scale);
		Wide		won = 1 / (1 + expl(-x));
		Wide		lost = 1 / (1 + expl(x));

		information += g * g * won * lost;
		surprise += g * (game[i].score * lost - (1 - game[i].score) * won);
	}
	v = 1 / information;
	sigma = player[2] * expl(glickman_root(v * surprise * (v * surprise), phi * phi, v, a, tau) / 2);
	star = sqrtl(phi * phi + sigma * sigma);
	after = 1 / sqrtl(1 / (star * star) + information);
	result[0] = player[0] + scale * after * after * surprise;
	result[1] = scale * after;
	result[2] = sigma;
}

/* ---- Truncated normal variables ---- */

typedef struct PeerMoments
{
	Wide		v;				/* shift of the mean, in deviations */
	Wide		rest;			/* share of the variance that is left */
} PeerMoments;

/* A standard normal variable, shifted by x, of which one knows that it is above 0. */
static inline PeerMoments
peer_above(Wide x)
{
	PeerMoments m;
	Wide		t2 = x * x;

	if (x > -40)
	{
		m.v = expl(-t2 / 2) / sqrtl(2 * WIDE_PI) / (erfcl(-x / sqrtl(2)) / 2);
		m.rest = 1 - m.v * (m.v + x);
		return m;
	}
	/* The asymptotic series of the mean beyond -x, and its derivative. */
	m.v = -x * (1 + (1 + (-2 + (10 + (-74 + (706 + (-8162 + 110410 / t2) / t2) / t2) / t2) / t2) /
						 t2) / t2);
	m.rest = (1 + (-6 + (50 + (-518 + (6354 - 89782 / t2) / t2) / t2) / t2) / t2) / t2;
	return m;
}

/* Nodes from 0 to 1, and their weights. */
typedef struct PeerNode
{
	Wide		at;
	Wide		weight;
} PeerNode;

#define PEER_NODES 141

static inline const PeerNode *
peer_nodes(void)
{
	static PeerNode node[PEER_NODES];
	int			i;

	if (node[0].weight > 0)
		return node;
	for (i = 0; i < PEER_NODES; i++)
	{
		Wide		t = (i - PEER_NODES / 2) / 20.0L;
		Wide		u = WIDE_PI / 2 * sinhl(t);

		node[i].at = 1 / (1 + expl(-2 * u));
		node[i].weight = coshl(t) / (coshl(u) * coshl(u));
	}
	return node;
}

/*
 * Of which one knows that it is within e of 0: by the quadrature of H. Takahasi and M. Mori
 * ("Double exponential formulas for numerical integration", 1974), from the end where the
 * density is largest to where it is next to nothing.
 */
static inline PeerMoments
peer_within(Wide x, Wide e)
{
	const PeerNode *node = peer_nodes();
	Wide		near = fabsl(x) - e;
	Wide		length = fminl(2 * e, near > 1 ? 60 / near : 12 - fminl(near, 0));
	Wide		density[PEER_NODES];
	Wide		mass = 0;
	Wide		mean = 0;
	Wide		square = 0;
	PeerMoments m;
	int			i;

	for (i = 0; i < PEER_NODES; i++)
	{
		Wide		y = length * node[i].at;

		/* Over that at the near end, or at 0. */
		density[i] = node[i].weight * expl(near > 0 ? -(near + y / 2) * y :
										   -(near + y) * (near + y) / 2);
		mass += density[i];
		mean += density[i] * y;
	}
	mean /= mass;
	for (i = 0; i < PEER_NODES; i++)
		square += density[i] * (length * node[i].at - mean) * (length * node[i].at - mean);
	m.rest = square / mass;
	m.v = -near - mean;
	if (x < 0)
		m.v = -m.v;
	return m;
}

/* ---- Matches of teams ---- */

typedef struct PeerTeam
{
	double		rank;
	int			members;
	double		mu[PEER_MAX];
	double		sigma[PEER_MAX];
} PeerTeam;

typedef struct PeerMatch
{
	double		beta;
	double		tau;
	double		draw_margin;	/* per square root of a player */
	int			variant;
	int			n;
	PeerTeam	team[PEER_MAX];
	int			order[PEER_MAX];	/* by rank, then number */
	Wide		mean[PEER_MAX]; /* of teams, from that of the first */
	Wide		variance[PEER_MAX]; /* of their skills */
} PeerMatch;

static inline void
peer_prepare(PeerMatch *match)
{
	int			i,
				j;

	for (i = 0; i < match->n; i++)
	{
		const PeerTeam *team = &match->team[i];

		match->mean[i] = match->variance[i] = 0;
		for (j = 0; j < team->members; j++)
		{
			match->mean[i] += team->mu[j];
			match->variance[i] += (Wide) team->sigma[j] * team->sigma[j] +
				(Wide) match->tau * match->tau;
		}
		for (j = i; j > 0 && match->team[match->order[j - 1]].rank > team->rank; j--)
			match->order[j] = match->order[j - 1];
		match->order[j] = i;
	}
}

/* What a team's gradient and rest of variance mean for its members. */
static inline void
peer_members(const PeerMatch *match, int team, Wide gradient, Wide curvature, Wide kappa,
			 Wide *result)
{
	int			j;

	for (j = 0; j < match->team[team].members; j++)
	{
		Wide		variance = (Wide) match->team[team].sigma[j] * match->team[team].sigma[j] +
			(Wide) match->tau * match->tau;

		result[2 * j] = match->team[team].mu[j] + variance * gradient;
		result[2 * j + 1] = sqrtl(variance * fmaxl(1 - variance * curvature, kappa));
	}
}

/* ---- TrueSkill: R. Herbrich, T. Minka and T. Graepel (2006) ---- */

/* Messages of pair i to the team above it and to that below. */
typedef struct PeerPair
{
	Wide		precision[2];
	Wide		shift[2];
} PeerPair;

static inline Wide
peer_pair_step(const PeerMatch *match, PeerPair *pair, int i)
{
	Wide		mean[2];
	Wide		variance[2];
	Wide		c,
				margin,
				precision,
				shift,
				change = 0;
	PeerMoments m;
	int			side;

	for (side = 0; side < 2; side++)
	{
		int			team = match->order[i + side];
		int			other = side == 0 ? i - 1 : i + 1;
		bool		has = other >= 0 && other < match->n - 1;
		Wide		v = match->variance[team] + match->team[team].members *
			(Wide) match->beta * match->beta;
		Wide		p = 1 / v + (has ? pair[other].precision[1 - side] : 0);

		mean[side] = ((match->mean[team] - match->mean[0]) / v +
					  (has ? pair[other].shift[1 - side] : 0)) / p;
		variance[side] = 1 / p;
	}
	c = sqrtl(variance[0] + variance[1]);
	margin = match->draw_margin * sqrtl(match->team[match->order[i]].members +
										match->team[match->order[i + 1]].members) / c;
	m = match->team[match->order[i]].rank == match->team[match->order[i + 1]].rank ?
		peer_within((mean[0] - mean[1]) / c, margin) :
		peer_above((mean[0] - mean[1]) / c - margin);

	/* The difference, as one that would be seen with that precision. */
	precision = (1 / m.rest - 1) / (c * c);
	shift = (m.v / c + (mean[0] - mean[1]) / (c * c) * (1 - m.rest)) / m.rest;
	for (side = 0; side < 2; side++)
	{
		Wide		sign = side == 0 ? 1 : -1;
		Wide		rest = 1 + precision * variance[1 - side];
		Wide		p = precision / rest;
		Wide		s = (sign * shift + precision * mean[1 - side]) / rest;

		change = fmaxl(change, fmaxl(fabsl(p - pair[i].precision[side]) * variance[side],
									 fabsl(s - pair[i].shift[side]) * sqrtl(variance[side])));
		pair[i].precision[side] = p;
		pair[i].shift[side] = s;
	}
	return change;
}

/* Returns whether the messages settled. */
static inline bool
peer_trueskill(PeerMatch *match, Wide *result)
{
	PeerPair	pair[PEER_MAX] = {0};
	Wide		change = 1;
	int			sweep,
				i;

	peer_prepare(match);
	for (sweep = 0; sweep < 3000 && change > 1e-13L; sweep++)
	{
		change = 0;
		for (i = 0; i < match->n - 1; i++)
			change = fmaxl(change, peer_pair_step(match, pair, i));
		for (i = match->n - 2; i-- > 0;)
			change = fmaxl(change, peer_pair_step(match, pair, i));
		if (match->n == 2)
			change = 0;
	}
	for (i = 0; i < match->n; i++)
	{
		int			place;
		Wide		v = match->variance[i] + match->team[i].members * (Wide) match->beta * match->beta;
		Wide		mean = match->mean[i] - match->mean[0];
		Wide		p = 0;
		Wide		s = 0;

		for (place = 0; match->order[place] != i; place++)
			;
		if (place > 0)
		{
			p += pair[place - 1].precision[1];
			s += pair[place - 1].shift[1];
		}
		if (place < match->n - 1)
		{
			p += pair[place].precision[0];
			s += pair[place].shift[0];
		}
		peer_members(match, i, (s - p * mean) / (1 + p * v), p / (1 + p * v), 0, result);
		result += 2 * match->team[i].members;
	}
	return change <= 1e-13L;
}

/* ---- R. C. Weng and C.-J. Lin (2011), as OpenSkill's defaults have them ---- */

#define PEER_EPSILON 0.1L
#define PEER_KAPPA 1e-4L

/* What the comparison with team j says of team i. */
static inline void
peer_compare(const PeerMatch *match, int i, int j, Wide *omega, Wide *delta)
{
	Wide		c = sqrtl(match->variance[i] + match->variance[j] +
						  2 * (Wide) match->beta * match->beta) * (match->variant == 4 ? 2 : 1);
	Wide		x = (match->mean[i] - match->mean[j]) / c;
	double		lead = match->team[j].rank - match->team[i].rank;
	Wide		gamma = sqrtl(match->variance[i]) / c;
	PeerMoments m;

	if (match->variant < 3)
	{
		Wide		won = 1 / (1 + expl(-x));
		Wide		lost = 1 / (1 + expl(x));

		*omega += (lead > 0 ? lost : lead < 0 ? -won : (lost - won) / 2) / c;
		*delta += gamma * won * lost / (c * c);
		return;
	}
	if (lead == 0)
		m = peer_within(x, PEER_EPSILON / c);
	else
		m = peer_above((lead > 0 ? x : -x) - PEER_EPSILON / c);
	*omega += (lead < 0 ? -m.v : m.v) / c;
	*delta += gamma * (1 - m.rest) / (c * c);
}

/* Plackett and Luce's rule: each place goes to one of those who are left. */
static inline void
peer_choices(const PeerMatch *match, int i, Wide *omega, Wide *delta)
{
	Wide		c = 0;
	int			j,
				k;

	for (j = 0; j < match->n; j++)
		c += match->variance[j] + (Wide) match->beta * match->beta;
	c = sqrtl(c);
	for (j = 0; j < match->n; j++)
	{
		Wide		against = 0;
		Wide		p;
		int			tied = 0;

		if (match->team[j].rank > match->team[i].rank)
			continue;
		for (k = 0; k < match->n; k++)
		{
			tied += match->team[k].rank == match->team[j].rank;
			if (k != i && match->team[k].rank >= match->team[j].rank)
				against += expl((match->mean[k] - match->mean[i]) / c);
		}
		p = 1 / (1 + against);
		*omega += (j == i ? (isinf(against) ? 1 : against / (1 + against)) : -p) / tied / c;
		*delta += (isinf(against) ? 0 : p * (against / (1 + against))) / tied *
			sqrtl(match->variance[i]) / c / (c * c);
	}
}

static inline void
peer_weng_lin(PeerMatch *match, Wide *result)
{
	int			place[PEER_MAX];
	int			i,
				j;

	peer_prepare(match);
	for (i = 0; i < match->n; i++)
		place[match->order[i]] = i;
	for (i = 0; i < match->n; i++)
	{
		Wide		omega = 0;
		Wide		delta = 0;
		bool		part = match->variant == 2 || match->variant == 4;

		if (match->variant == 0)
			peer_choices(match, i, &omega, &delta);
		else
			for (j = 0; j < match->n; j++)
				if (j != i && (!part || abs(place[i] - place[j]) == 1))
					peer_compare(match, i, j, &omega, &delta);
		peer_members(match, i, omega, delta, PEER_KAPPA, result);
		result += 2 * match->team[i].members;
	}
}

#endif							/* TEST_CORE_PEER_ORACLES_H */
