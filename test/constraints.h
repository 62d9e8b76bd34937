/*
 * constraints.h
 *		What tests of splits share: whether a split keeps the constraints of its players, and
 *		how good one into more than two teams is.
 */
#ifndef TEST_CONSTRAINTS_H
#define TEST_CONSTRAINTS_H

#include <math.h>

#include "core/split/split_many.h"

/* Whether a split keeps parties, places and pairs apart; each may be NULL. */
static inline bool
keeps_constraints(int n, const int *party, const int *places, const SplitPair *apart,
				  int napart, const int *team)
{
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		if (places != NULL && (places[i] & SPLIT_MAY(team[i])) == 0)
			return false;
		for (j = 0; j < i && party != NULL; j++)
			if (party[i] != 0 && party[i] == party[j] && team[i] != team[j])
				return false;
	}
	for (i = 0; i < napart; i++)
		if (team[apart[i].a] != SPLIT_BENCH && team[apart[i].a] == team[apart[i].b])
			return false;
	return true;
}

/*
 * Whether neither team has two more of any who are to be divided evenly than the other; NULL for
 * nobody.
 */
static inline bool
divides_evenly(int n, const int *evenly, const int *team)
{
	int			i,
				j;

	for (i = 0; i < n && evenly != NULL; i++)
	{
		int			lead = 0;

		for (j = 0; j < n && evenly[i] != 0; j++)
			if (evenly[j] == evenly[i])
				lead += team[j] == 1 ? 1 : team[j] == 2 ? -1 : 0;
		if (lead > 1 || lead < -1)
			return false;
	}
	return true;
}

/* The constraints of more than two teams, with the sizes of all. */
static inline bool
keeps_many_constraints(const SplitManyProblem *p, const int *team)
{
	int			count[SPLIT_MAX_TEAMS + 1] = {0};
	int			i;

	for (i = 0; i < p->n; i++)
		count[team[i]]++;
	for (i = 0; i < p->nteams; i++)
		if (count[i + 1] != p->size[i])
			return false;
	return keeps_constraints(p->n, p->party, p->allowed_teams, p->apart, p->napart, team);
}

/* The objective of a split, as its definition has it. */
static inline double
many_objective(const SplitManyProblem *p, const int *team)
{
	double		sum[SPLIT_MAX_TEAMS + 1] = {0};
	double		all = 0;
	double		squares = 0;
	double		low = INFINITY;
	double		high = -INFINITY;
	int			i;

	for (i = 0; i < p->n; i++)
	{
		sum[team[i]] += p->value[i];
		if (team[i] != SPLIT_BENCH)
			all += p->value[i];
	}
	for (i = 0; i < p->nteams; i++)
	{
		double		strength = sum[i + 1] * p->factor[i];

		low = fmin(low, strength);
		high = fmax(high, strength);
		squares += (strength - all * p->share) * (strength - all * p->share);
	}
	return p->objective == SPLIT_RANGE ? high - low : squares;
}

/* The least objective that any split has, infinite if there is none. */
static inline double
least_objective(const SplitManyProblem *p, int *team)
{
	double		least = INFINITY;
	long		code,
				ncodes = 1;
	int			i;

	for (i = 0; i < p->n; i++)
		ncodes *= p->nteams + 1;
	for (code = 0; code < ncodes; code++)
	{
		long		rest = code;

		for (i = 0; i < p->n; i++, rest /= p->nteams + 1)
			team[i] = (int) (rest % (p->nteams + 1));
		if (keeps_many_constraints(p, team))
			least = fmin(least, many_objective(p, team));
	}
	return least;
}

#endif							/* TEST_CONSTRAINTS_H */
