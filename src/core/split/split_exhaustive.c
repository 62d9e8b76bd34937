/*
 * split_exhaustive.c
 *		All splits into more than two teams that can be better than the best so far: by
 *		dynamic programming over sets of parties, or by going through them.
 */
#include "core/split/split_search.h"
#include "core/util/extremes.h"

#include <math.h>
#include <string.h>

/* Teams in an order in which those most of whom are alike come together. */
static void
order_teams(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	int			count[SPLIT_MAX_TEAMS] = {0};
	int			most = 0;
	int			of = 0;
	int			n[2] = {0, 0};
	int			first[2];
	int			t,
				u;

	for (t = 0; t < problem->nteams; t++)
		if (++count[search->alike[t]] > most)
		{
			of = search->alike[t];
			most = count[of];
		}

	/* With a bench they are the first, else the last. */
	search->alike_first = search->benches ? 0 : problem->nteams - most;
	search->alike_end = search->alike_first + most;
	search->must_play = 0;
	for (u = 0; u < search->nparties; u++)
		if ((search->party[u].allowed_teams & SPLIT_MAY(SPLIT_BENCH)) == 0)
			search->must_play |= UINT64_C(1) << u;
	first[0] = search->benches ? most : 0;
	first[1] = search->alike_first;
	for (t = 0; t < problem->nteams; t++)
	{
		int			alike = search->alike[t] == of;
		int			place = first[alike] + n[alike]++;

		search->order[place] = t;
		search->may[place] = search->must[place] = 0;
		for (u = 0; u < search->nparties; u++)
		{
			uint64_t	bit = UINT64_C(1) << u;

			if ((search->party[u].allowed_teams & SPLIT_MAY(t + 1)) != 0)
				search->may[place] |= bit;
			if ((search->party[u].allowed_teams &
				 ((SPLIT_MAY(problem->nteams + 1) - 1))) == SPLIT_MAY(t + 1))
				search->must[place] |= bit;
		}
	}
}

static void take_team(SplitSearch *search, uint64_t team, double sum);

/* Add parties to the next team until it is full, and take it. */
static void
fill_team(SplitSearch *search, uint64_t rest, int available, int left, double sum,
		  uint64_t team)
{
	if (left == 0)
	{
		take_team(search, team, sum);
		return;
	}
	while (rest != 0 && available >= left && split_search_step(search))
	{
		int			u = __builtin_ctzll(rest);
		const SplitParty *party = &search->party[u];

		rest &= rest - 1;
		available -= party->size;

		/* Parties are taken in ascending order, so that each set is met once. */
		if (party->size <= left)
			fill_team(search, rest & ~search->apart[u], available, left - party->size,
					  sum + party->value, team | UINT64_C(1) << u);
	}
}

/* Go through all teams that can come next. */
static void
next_teams(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	uint64_t	all = (UINT64_C(1) << search->nparties) - 1;
	uint64_t	rest = all & ~search->used;
	uint64_t	must = search->must[search->level] & rest;
	uint64_t	team;
	int			left = problem->size[search->order[search->level]];
	int			available = 0;
	double		sum = 0;

	/* Of teams that are alike the next one has the first who is left. */
	if (!search->benches && search->level >= search->alike_first)
		must |= rest & -rest;
	rest &= search->may[search->level];

	/* A party that must be in this team may not be: no team can come next. */
	if ((must & ~rest) != 0)
		return;
	rest &= ~must;
	for (team = must; team != 0; team &= team - 1)
	{
		int			u = __builtin_ctzll(team);

		if ((search->apart[u] & must) != 0)
			return;
		rest &= ~search->apart[u];
		left -= search->party[u].size;
		sum += search->party[u].value;
	}
	for (team = rest; team != 0; team &= team - 1)
		available += search->party[__builtin_ctzll(team)].size;
	if (left >= 0)
		fill_team(search, rest, available, left, sum, must);
}

/* The least that squares of the teams to come can be. */
static double
squares_to_come(const SplitSearch *search, int level, double sum)
{
	const SplitManyProblem *problem = search->problem;
	double		wanted = 0;
	double		weight = 0;
	double		off;
	int			i;

	/* Whatever is off in all is best spread over them (Cauchy and Schwarz). */
	for (i = level; i < problem->nteams; i++)
	{
		double		by = problem->factor[search->order[i]];

		wanted += search->center / by;
		weight += 1 / (by * by);
	}
	off = search->total - sum - wanted;
	return weight > 0 ? off * off / weight : 0;
}

/* What squares about the center are less about the mean of so many teams. */
static double
squares_of_mean(const SplitSearch *search, int level, double sum)
{
	double		off = sum * search->problem->factor[0] / level - search->center;

	return level * off * off;
}

/* Whether squares so far, with another team of this sum, can end in a better split. */
static bool
squares_may_do(const SplitSearch *search, double sum, double squares)
{
	int			level = search->level + 1;
	double		least = search->benches ?
		squares - squares_of_mean(search, level, search->sum + sum) :
		squares + squares_to_come(search, level, search->sum + sum);

	return least < search->best * (1 - SPLIT_MIN_GAIN);
}

/* The same of strengths: teams to come must be near enough to these, too. */
static bool
range_may_do(const SplitSearch *search, double sum, double low, double high)
{
	const SplitManyProblem *problem = search->problem;
	double		best = search->best * (1 - SPLIT_MIN_GAIN);
	double		rest = search->total - search->sum - sum;
	double		weight = 0;
	int			i;

	if (search->benches || search->level + 1 == problem->nteams)
		return high - low < best;
	for (i = search->level + 1; i < problem->nteams; i++)
		weight += 1 / problem->factor[search->order[i]];
	return high - low < best && rest < (low + best) * weight &&
		rest > (high - best) * weight;
}

/* All teams are full, each of parties given by its place: that is the best split. */
static void
take_split(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	int			i;

	memset(search->team, 0, sizeof(int) * (size_t) search->nparties);
	for (i = 0; i < problem->nteams; i++)
	{
		uint64_t	parties;

		for (parties = search->path[i]; parties != 0; parties &= parties - 1)
			search->team[__builtin_ctzll(parties)] = search->order[i] + 1;
	}
	split_search_keep_best(search);
}

/* Another team, which ends a set of parties in the table. */
static void
take_in_table(SplitSearch *search, uint64_t team, double sum)
{
	uint64_t	set = search->used | team;
	double		off = sum * search->problem->factor[search->order[search->level]] -
		search->center;
	double		squares = search->least[search->used] + off * off;
	int			i;

	/*
	 * Bellman's principle: of two ways to fill the teams so far with the same
	 * parties only the better one can end as the best.
	 */
	if (squares >= search->least[set] || !squares_may_do(search, sum, squares))
		return;
	search->least[set] = squares;
	search->last[set] = (uint32_t) team;
	if (search->level + 1 < search->problem->nteams)
		return;
	for (i = search->level; i >= 0; i--)
	{
		/*
		 * From the last team back to the first, each by the team that ended
		 * its set.
		 */
		search->path[i] = search->last[set];
		set &= ~search->path[i];
	}
	take_split(search);
}

/* Another team on the way through all splits. */
static void
take_on_path(SplitSearch *search, uint64_t team, double sum)
{
	const SplitManyProblem *problem = search->problem;
	int			level = search->level;
	double		strength = sum * problem->factor[search->order[level]];
	double		off = strength - search->center;
	double		low = smaller(search->low[level], strength);
	double		high = larger(search->high[level], strength);
	double		squares = search->squares[level] + off * off;

	if (!(problem->objective == SPLIT_RANGE ? range_may_do(search, sum, low, high) :
		  squares_may_do(search, sum, squares)))
		return;
	search->path[level] = team;
	if (level + 1 == problem->nteams)
	{
		take_split(search);
		return;
	}
	search->low[level + 1] = low;
	search->high[level + 1] = high;
	search->squares[level + 1] = squares;
	search->used |= team;
	search->sum += sum;
	search->level++;
	next_teams(search);
	search->level--;
	search->sum -= sum;
	search->used &= ~team;
}

static void
take_team(SplitSearch *search, uint64_t team, double sum)
{
	/*
	 * Of teams that are alike the one with the party behind all others is the
	 * last.
	 */
	if (search->benches && search->level < search->alike_end && team < search->used)
		return;
	if (search->level + 1 == search->problem->nteams &&
		(search->must_play & ~(search->used | team)) != 0)
		return;
	if (split_search_has_table(search))
		take_in_table(search, team, sum);
	else
		take_on_path(search, team, sum);
}

bool
split_exhaustive(SplitSearch *search)
{
	const SplitManyProblem *problem = search->problem;
	uint64_t	sets = UINT64_C(1) << search->nparties;
	uint64_t	set;
	int			members[SPLIT_MAX_TEAMS + 1] = {0};
	int			i;

	order_teams(search);
	search->steps = 0;
	search->low[0] = INFINITY;
	search->high[0] = -INFINITY;
	search->squares[0] = 0;
	search->used = 0;
	search->level = 0;
	search->sum = 0;
	if (!split_search_has_table(search))
	{
		next_teams(search);
		return split_search_step(search);
	}
	for (i = 0; i < problem->nteams; i++)
		members[i + 1] = members[i] + problem->size[search->order[i]];
	for (set = 1; set < sets; set++)
		search->least[set] = INFINITY;
	search->steps = sets;
	search->least[0] = 0;
	for (set = 0; set < sets && split_search_step(search); set++)
	{
		uint64_t	parties;
		int			size = 0;

		if (search->least[set] == INFINITY)
			continue;
		search->used = set;
		search->sum = 0;
		for (parties = set; parties != 0; parties &= parties - 1)
		{
			size += search->party[__builtin_ctzll(parties)].size;
			search->sum += search->party[__builtin_ctzll(parties)].value;
		}
		for (search->level = 0; members[search->level] < size; search->level++)
			;
		if (search->level < problem->nteams)
			next_teams(search);
	}
	return split_search_step(search);
}
