/*
 * elo_matches.h
 *		Matches for the unit tests of Elo's system.
 */
#ifndef TEST_CORE_ELO_MATCHES_H
#define TEST_CORE_ELO_MATCHES_H

#include "test.h"

enum
{
	LOGISTIC,
	NORMAL
};

enum
{
	MEAN,
	SUM
};

/* What a player's rating changed by in the match just rated. */
static inline double
change(const Fixture *f, int player)
{
	return f->after[player][0] - f->before[player][0];
}

/* One player each, with the ranks given. */
static inline void
free_for_all(Fixture *f, int n, const double *rating, const double *rank)
{
	int			i;

	fixture_clear(f);
	for (i = 0; i < n; i++)
	{
		f->before[i][0] = rating[i];
		fixture_add(f, i, i, rank[i]);
	}
}

static inline void
duel(Fixture *f, double a, double b, double rank_a, double rank_b)
{
	const double rating[2] = {a, b};
	const double rank[2] = {rank_a, rank_b};

	free_for_all(f, 2, rating, rank);
}

/* Teams of 1 to 3 players, random ratings, weights and ranks. */
static inline void
random_teams(Random *random, Fixture *f, int nteams, double spread)
{
	int			player = 0;
	int			i,
				j;

	fixture_clear(f);
	for (i = 0; i < nteams; i++)
	{
		int			size = 1 + random_below(random, 3);
		double		rank = 1 + random_below(random, nteams);

		for (j = 0; j < size; j++)
		{
			f->before[player][0] = random_between(random, 1500 - spread,
												  1500 + spread);
			fixture_add(f, player++, i, rank)->weight =
				random_between(random, 0.1, 1);
		}
	}
}

#endif							/* TEST_CORE_ELO_MATCHES_H */
