/*
 * split_draft.c
 *		First splits into more than two teams, by a snake draft or at random, and pairs
 *		of their teams split again to make them more even.
 */
#include "core/split/split_search.h"

#include <math.h>
#include <string.h>

#include "core/split/split.h"
#include "core/util/extremes.h"

/* Limits of splitting two teams again, in steps. */
#define PAIR_WORK 1e7
#define MIN_PAIR_WORK 5e3

/* Steps to find a split. */
#define DRAFT_STEPS 1000000

/* Whether a party is apart from all of a team, of the parties before it. */
static bool
is_apart(const SplitSearch *search, int party, int team)
{
	const SplitManyProblem *problem = search->problem;
	int			i;

	if (search->nparties <= SPLIT_MAX_PARTIES)
	{
		uint64_t	others = search->apart[party] & ((UINT64_C(1) << party) - 1);

		for (; others != 0; others &= others - 1)
			if (search->team[__builtin_ctzll(others)] == team)
				return false;
		return true;
	}
	for (i = 0; i < problem->napart; i++)
	{
		int			a = search->party_of[problem->apart[i].a];
		int			b = search->party_of[problem->apart[i].b];

		if ((a == party && b < party && search->team[b] == team) ||
			(b == party && a < party && search->team[a] == team))
			return false;
	}
	return true;
}

/* Numbers at random, the same ones always (Knuth's MMIX generator). */
static uint32_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (*state >> 33);
}

bool
split_draft(SplitSearch *search, int u, int *left, int spare, uint64_t *random)
{
	const SplitManyProblem *problem = search->problem;
	const SplitParty *party = &search->party[u];
	int			tried = 0;
	int			first,
				i;

	if (u == search->nparties)
		return true;
	if (!split_search_step(search) || search->steps > DRAFT_STEPS)
		return false;
	first = random != NULL ? (int) (next_random(random) % (uint32_t) problem->nteams) :
		u % problem->nteams;
	for (i = 0; i < problem->nteams; i++)
	{
		int			team = (first + i) % problem->nteams + 1;

		if (random == NULL && u / problem->nteams % 2 == 1)
			team = problem->nteams + 1 - team;
		if (left[team - 1] < party->size || (party->allowed_teams & SPLIT_MAY(team)) == 0 ||
			!is_apart(search, u, team))
			continue;

		/* Of empty teams that are alike one is enough. */
		if (left[team - 1] == problem->size[team - 1])
		{
			if ((tried & 1 << search->alike[team - 1]) != 0)
				continue;
			tried |= 1 << search->alike[team - 1];
		}
		search->team[u] = team;
		left[team - 1] -= party->size;
		if (split_draft(search, u + 1, left, spare, random))
			return true;
		left[team - 1] += party->size;
	}
	if (spare < party->size || (party->allowed_teams & SPLIT_MAY(SPLIT_BENCH)) == 0)
		return false;
	search->team[u] = SPLIT_BENCH;
	return split_draft(search, u + 1, left, spare - party->size, random);
}

bool
split_draft_gave_up(SplitSearch *search)
{
	return search->steps > DRAFT_STEPS || !split_search_step(search);
}

/* The players of two teams, or of a team and the bench (0), with their constraints. */
static void
gather_pair(SplitSearch *search, int s, int t)
{
	const SplitManyProblem *problem = search->problem;
	SplitProblem *pair = &search->pair;
	int			i;

	pair->n = 0;
	for (i = 0; i < problem->n; i++)
	{
		int			party = search->party_of[i];
		int			team = search->team[party];
		int			places = search->party[party].allowed_teams;

		search->pair_place[i] = -1;
		if (team != s && team != t)
			continue;
		search->pair_place[i] = pair->n;
		search->pair_player[pair->n] = i;
		search->pair_value[pair->n] = problem->value[i];
		search->pair_party[pair->n] = problem->party != NULL ? problem->party[i] : 0;
		search->pair_places[pair->n++] =
			((places & SPLIT_MAY(s)) != 0 ? SPLIT_MAY(1) : 0) |
			((places & SPLIT_MAY(t)) != 0 ? SPLIT_MAY(t == SPLIT_BENCH ? SPLIT_BENCH : 2) : 0);
	}
	pair->napart = 0;
	for (i = 0; i < problem->napart; i++)
	{
		SplitPair	apart = {search->pair_place[problem->apart[i].a],
		search->pair_place[problem->apart[i].b]};

		if (apart.a >= 0 && apart.b >= 0)
			search->pair_apart[pair->napart++] = apart;
	}
	pair->value[0] = pair->value[1] = search->pair_value;
	pair->party = search->pair_party;
	pair->allowed_teams = search->pair_places;
	pair->apart = search->pair_apart;
	pair->max_room = SPLIT_PAIR_ROOM;
	pair->max_work = PAIR_WORK;
	pair->interrupt = problem->interrupt;
}

/*
 * By how much the sum of a team is to be ahead of that of another, or what it is to be
 * if that is the bench.
 */
static double
find_target(const SplitSearch *search, int s, int t, const double *sum)
{
	const SplitManyProblem *problem = search->problem;
	double		others = 0;
	int			i;

	if (t != SPLIT_BENCH)
	{
		/*
		 * Where the squares of both are least: a parabola in the sum of the
		 * first.
		 */
		double		a = problem->factor[s - 1];
		double		b = problem->factor[t - 1];

		return (a - b) * (2 * search->center - (a + b) * (sum[s] + sum[t])) /
			(a * a + b * b);
	}

	/* As strong as the others are on average. */
	for (i = 1; i <= problem->nteams; i++)
		others += i == s ? 0 : sum[i];
	return others / (problem->nteams - 1);
}

/*
 * Split two teams again, or a team and the bench, so that the sum of the first comes as
 * near as it can to what is best for it.  Whether that helped.
 */
static bool
split_pair(SplitSearch *search, int s, int t, const double *sum)
{
	const SplitManyProblem *problem = search->problem;
	SplitProblem *pair = &search->pair;
	SplitAnswer answer = {.team = search->pair_team};
	double		target = find_target(search, s, t, sum);
	double		before = fabs(sum[s] - (t != SPLIT_BENCH ? sum[t] : 0) - target);
	double		noise = SPLIT_MIN_GAIN * larger(before, fabs(search->total) / problem->n);
	int			i;

	search->pair_exact = false;
	gather_pair(search, s, t);
	search->pair_size.count[0] = problem->size[s - 1];
	search->pair_size.count[1] = t != SPLIT_BENCH ? problem->size[t - 1] : 0;
	search->pair_target = target;
	pair->size = &search->pair_size;
	pair->target = &search->pair_target;
	pair->nsizes = 1;
	if (before == 0 || split_group(pair) != SPLIT_OK || pair->noptions > SPLIT_PAIR_OPTIONS)
		return false;
	split_make_options(pair);
	split_choose(pair);
	if (pair->room > SPLIT_PAIR_ROOM)
		return false;
	search->work += MIN_PAIR_WORK + split_work(pair);
	split_solve(pair, search->pair_room, &answer);
	search->pair_exact = pair->method == SPLIT_BY_HALVES || pair->exact;
	if (!answer.found || fabs(answer.difference) >= before - noise)
		return false;
	for (i = 0; i < pair->n; i++)
	{
		int			place = answer.team[i];

		search->team[search->party_of[search->pair_player[i]]] =
			place == 1 ? s : place == 2 ? t : SPLIT_BENCH;
	}
	return true;
}

void
split_draft_improve(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	int			changes[SPLIT_MAX_TEAMS + 1] = {0};
	int			tried[SPLIT_MAX_TEAMS + 1][SPLIT_MAX_TEAMS + 1];
	bool		again = true;

	memset(tried, -1, sizeof(tried));
	while (again)
	{
		int			s,
					t;

		again = false;
		for (s = 1; s <= problem->nteams; s++)
			for (t = search->benches ? 0 : 1; t < s; t++)
			{
				double		sum[SPLIT_MAX_TEAMS + 1];

				/* As it was when it did not help. */
				if (tried[s][t] == changes[s] + changes[t])
					continue;
				if (search->work > problem->max_work)
					return;
				split_search_team_sums(search, sum);
				if (split_pair(search, s, t, sum))
				{
					changes[s]++;
					changes[t]++;
					again = true;
				}
				tried[s][t] = changes[s] + changes[t];
			}
	}
}
