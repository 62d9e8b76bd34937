/*
 * split_search.c
 *		A split into more than two teams in the making: parties, and how even it is.
 */
#include "core/split/split_search.h"

#include <math.h>
#include <string.h>

#include "core/util/extremes.h"

/* Squared differences below this share of the squared strength are rounding error. */
#define SUM_NOISE 1e-24

/*
 * Large parties first, and of one size the stronger: they are the hardest to place, so that a
 * draft and the search meet conflicts early.
 */
static bool
comes_before(const SplitParty *a, const SplitParty *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	return a->value > b->value;
}

void
split_search_make_parties(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	int			n = 0;
	int			i,
				j,
				u;

	search->nparties = 0;
	for (i = 0; i < problem->n; i++)
	{
		int			given = problem->party != NULL ? problem->party[i] : 0;
		SplitParty	party = {.first_member = n,.allowed_teams = ~0};

		for (j = 0; j < i && given != 0; j++)
			if (problem->party[j] == given)
				break;
		if (given != 0 && j < i)
			continue;

		/* A party goes where each of its members may go. */
		for (j = i; j < problem->n; j++)
		{
			if (j > i && (given == 0 || problem->party[j] != given))
				continue;
			search->member[n++] = j;
			party.size++;
			party.value += problem->value[j];
			if (problem->allowed_teams != NULL)
				party.allowed_teams &= problem->allowed_teams[j];
		}
		for (u = search->nparties++; u > 0 && comes_before(&party, &search->party[u - 1]); u--)
			search->party[u] = search->party[u - 1];
		search->party[u] = party;
	}
	for (u = 0; u < search->nparties; u++)
		for (i = 0; i < search->party[u].size; i++)
			search->party_of[search->member[search->party[u].first_member + i]] = u;

	/*
	 * Sets of parties are bits of one word, so that only a search of few parties
	 * has them; larger ones compare pairs.
	 */
	for (u = 0; u < search->nparties && u < SPLIT_MAX_PARTIES; u++)
		search->apart[u] = 0;
	for (i = 0; i < problem->napart; i++)
	{
		int			a = search->party_of[problem->apart[i].a];
		int			b = search->party_of[problem->apart[i].b];

		/* Who is to be apart and in one party can only sit out. */
		if (a == b)
			search->party[a].allowed_teams &= SPLIT_MAY(SPLIT_BENCH);
		else if (search->nparties <= SPLIT_MAX_PARTIES)
		{
			search->apart[a] |= UINT64_C(1) << b;
			search->apart[b] |= UINT64_C(1) << a;
		}
	}
}

/* Whether two teams cannot be told apart by who may be on them. */
static bool
are_alike(const SplitSearch *search, int s, int t)
{
	const SplitManyProblem *problem = search->problem;
	int			u;

	if (problem->size[s] != problem->size[t])
		return false;
	for (u = 0; u < search->nparties; u++)
		if ((search->party[u].allowed_teams >> (s + 1) & 1) !=
			(search->party[u].allowed_teams >> (t + 1) & 1))
			return false;
	return true;
}

void
split_search_find_alike(SplitSearch *search)
{
	int			s,
				t;

	for (t = 0; t < search->problem->nteams; t++)
	{
		/* The first team that is like t, which may be t itself. */
		for (s = 0; !are_alike(search, s, t); s++)
			;
		search->alike[t] = s;
	}
}

void
split_search_team_sums(const SplitSearch *search, double *sum)
{
	int			u;

	memset(sum, 0, sizeof(double) * (SPLIT_MAX_TEAMS + 1));
	for (u = 0; u < search->nparties; u++)
		sum[search->team[u]] += search->party[u].value;
}

static double
objective(const SplitSearch *search, const double *sum)
{
	const SplitManyProblem *problem = search->problem;
	double		playing = 0;
	double		squares = 0;
	double		low = INFINITY;
	double		high = -INFINITY;
	int			t;

	for (t = 0; t < problem->nteams; t++)
		playing += sum[t + 1];
	for (t = 0; t < problem->nteams; t++)
	{
		/*
		 * What a team is worth by its size, and its distance from the mean of
		 * all who play.
		 */
		double		strength = sum[t + 1] * problem->factor[t];
		double		off = strength - playing * problem->share;

		squares += off * off;
		low = smaller(low, strength);
		high = larger(high, strength);
	}
	return problem->objective == SPLIT_RANGE ? high - low : squares;
}

void
split_search_keep_best(SplitSearch *search)
{
	double		sum[SPLIT_MAX_TEAMS + 1];
	double		now;

	split_search_team_sums(search, sum);
	now = objective(search, sum);

	/*
	 * Equal is not better, so that the result does not depend on how many
	 * equal splits are met later.
	 */
	if (now >= search->best)
		return;
	search->best = now;
	memcpy(search->best_team, search->team, sizeof(int) * (size_t) search->nparties);
}

bool
split_search_is_even(const SplitSearch *search)
{
	double		magnitude = fabs(search->total * search->problem->share);

	return search->best <=
		(search->problem->objective == SPLIT_RANGE ? sqrt(SUM_NOISE) * magnitude :
		 SUM_NOISE * magnitude * magnitude);
}
