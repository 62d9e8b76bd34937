/*
 * split_many.c
 *		Players split into more than two teams, and a bench, as evenly as can be.
 */
#include "core/split/split_many.h"

#include <math.h>
#include <string.h>

#include "core/util/block.h"

/* Sets of more units are not gone through one after another, */
#define MAX_TABLE_UNITS 22

/* and with more than these there are too many splits to go through. */
#define MAX_UNITS 32

/* What splitting two teams again may take. */
#define PAIR_ROOM ((size_t) 4 << 20)
#define PAIR_OPTIONS 8192
#define PAIR_WORK 1e7
#define MIN_PAIR_WORK 5e3

/* Drafts from which teams are made more even, and steps to find each. */
#define MAX_DRAFTS 4
#define DRAFT_STEPS 1000000

/* What is no better by more than this share is rounding. */
#define MIN_GAIN 1e-9
#define SUM_NOISE 1e-24

/* How often to look for an interrupt. */
#define STEPS_BETWEEN_INTERRUPTS 4096

/* Players who are in the same place, whichever it is. */
typedef struct Unit
{
	int			first_member;	/* of member[] */
	int			size;
	int			allowed_teams;
	double		value;
} Unit;

typedef struct Search
{
	const SplitManyProblem *problem;
	Unit	   *unit;			/* large ones first, then of much value */
	int			nunits;
	int		   *member;			/* players by unit */
	int		   *unit_of;		/* by player */
	uint64_t   *apart;			/* by unit, who must not be with it: only for
								 * few */
	bool		benches;		/* somebody sits out who might play */
	int			alike[SPLIT_MAX_TEAMS]; /* the first team like each */
	double		center;			/* mean strength, as far as it is known before */
	int		   *team;			/* by unit, as it is now, */
	int		   *best_team;		/* and in the best split so far, */
	double		best;			/* which has this objective */
	double		work;
	uint64_t	steps;			/* of the search that goes on */

	/* Two teams split again. */
	SplitProblem pair;
	SplitSize	pair_size;
	double		pair_target;
	double	   *pair_value;
	int		   *pair_party;
	int		   *pair_places;
	int		   *pair_player;
	int		   *pair_place;		/* by player, or -1 */
	SplitPair  *pair_apart;
	int		   *pair_team;
	void	   *pair_room;
	bool		pair_exact;		/* the last pair was split as well as it can
								 * be */

	/* Sets of units gone through: teams in an order in which some are alike. */
	int			order[SPLIT_MAX_TEAMS];
	int			alike_first;	/* of which these may be exchanged */
	int			alike_end;
	uint64_t	may[SPLIT_MAX_TEAMS];	/* units, by place in the order */
	uint64_t	must[SPLIT_MAX_TEAMS];
	uint64_t	must_play;		/* units that may not sit out */
	uint64_t	used;			/* units of the teams before */
	int			level;			/* teams before */
	double		sum;			/* of the units used */
	double		total;			/* of all units */
	uint64_t	path[SPLIT_MAX_TEAMS];
	double		low[SPLIT_MAX_TEAMS + 1];	/* strengths before each team, */
	double		high[SPLIT_MAX_TEAMS + 1];
	double		squares[SPLIT_MAX_TEAMS + 1];	/* and squares about the
												 * center */
	double	   *least;			/* by set of units: squares, of which the last */
	uint32_t   *last;			/* team is these */
} Search;

/* Whether sets of units are gone through; to begin with takes a step for each. */
static bool
has_table(const Search *search)
{
	return search->problem->objective == SPLIT_SQUARES &&
		search->nunits <= MAX_TABLE_UNITS &&
		(double) (UINT64_C(1) << search->nunits) <= search->problem->max_work;
}

static size_t
lay_out(const SplitManyProblem *problem, char *block, Search *search)
{
	size_t		total = 0;
	size_t		n = (size_t) problem->n;
	size_t		sets = has_table(search) ? (size_t) 1 << search->nunits : 0;

	search->unit = block_take(&block, &total, sizeof(Unit), n);
	search->member = block_take(&block, &total, sizeof(int), n);
	search->unit_of = block_take(&block, &total, sizeof(int), n);
	search->apart = block_take(&block, &total, sizeof(uint64_t), MAX_UNITS);
	search->team = block_take(&block, &total, sizeof(int), n);
	search->best_team = block_take(&block, &total, sizeof(int), n);
	search->pair_value = block_take(&block, &total, sizeof(double), n);
	search->pair_party = block_take(&block, &total, sizeof(int), n);
	search->pair_places = block_take(&block, &total, sizeof(int), n);
	search->pair_player = block_take(&block, &total, sizeof(int), n);
	search->pair_place = block_take(&block, &total, sizeof(int), n);
	search->pair_team = block_take(&block, &total, sizeof(int), n);
	search->pair_apart = block_take(&block, &total, sizeof(SplitPair),
									(size_t) problem->napart);
	search->pair.member = block_take(&block, &total, sizeof(int), n);
	search->pair.root = block_take(&block, &total, sizeof(int), n);
	search->pair.order = block_take(&block, &total, sizeof(int), n);
	search->pair.group = block_take(&block, &total, sizeof(SplitGroup), n);
	search->pair.option = block_take(&block, &total, sizeof(SplitOption), PAIR_OPTIONS);
	search->pair_room = block_take(&block, &total, 1, PAIR_ROOM);
	search->least = block_take(&block, &total, sizeof(double), sets);
	search->last = block_take(&block, &total, sizeof(uint32_t), sets);
	return total;
}

/* How many units there are: parties, and players who are in none. */
static int
count_units(const SplitManyProblem *problem)
{
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < problem->n; i++)
	{
		for (j = 0; j < i; j++)
			if (problem->party != NULL && problem->party[i] != 0 &&
				problem->party[j] == problem->party[i])
				break;
		n += j == i;
	}
	return n;
}

size_t
split_many_room(const SplitManyProblem *problem)
{
	Search		search = {.problem = problem,.nunits = count_units(problem)};

	return lay_out(problem, NULL, &search);
}

/* Count a step, and look for an interrupt now and then; false if there were enough. */
static bool
step(Search *search)
{
	const SplitManyProblem *problem = search->problem;

	search->steps++;
	if (problem->interrupt != NULL &&
		search->steps % STEPS_BETWEEN_INTERRUPTS == 0)
		problem->interrupt();
	return search->work + (double) search->steps <= problem->max_work;
}

/*
 * ---- Units ----
 */

static bool
comes_before(const Unit *a, const Unit *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	return a->value > b->value;
}

static void
make_units(Search *search)
{
	const SplitManyProblem *problem = search->problem;
	int			n = 0;
	int			i,
				j,
				u;

	search->nunits = 0;
	for (i = 0; i < problem->n; i++)
	{
		int			party = problem->party != NULL ? problem->party[i] : 0;
		Unit		unit = {.first_member = n,.allowed_teams = ~0};

		for (j = 0; j < i && party != 0; j++)
			if (problem->party[j] == party)
				break;
		if (party != 0 && j < i)
			continue;
		for (j = i; j < problem->n; j++)
		{
			if (j > i && (party == 0 || problem->party[j] != party))
				continue;
			search->member[n++] = j;
			unit.size++;
			unit.value += problem->value[j];
			if (problem->allowed_teams != NULL)
				unit.allowed_teams &= problem->allowed_teams[j];
		}
		for (u = search->nunits++; u > 0 && comes_before(&unit, &search->unit[u - 1]); u--)
			search->unit[u] = search->unit[u - 1];
		search->unit[u] = unit;
	}
	for (u = 0; u < search->nunits; u++)
		for (i = 0; i < search->unit[u].size; i++)
			search->unit_of[search->member[search->unit[u].first_member + i]] = u;
	for (u = 0; u < search->nunits && u < MAX_UNITS; u++)
		search->apart[u] = 0;
	for (i = 0; i < problem->napart; i++)
	{
		int			a = search->unit_of[problem->apart[i].a];
		int			b = search->unit_of[problem->apart[i].b];

		/* Who is to be apart and in one party can only sit out. */
		if (a == b)
			search->unit[a].allowed_teams &= SPLIT_MAY(SPLIT_BENCH);
		else if (search->nunits <= MAX_UNITS)
		{
			search->apart[a] |= UINT64_C(1) << b;
			search->apart[b] |= UINT64_C(1) << a;
		}
	}
}

/* Whether two teams cannot be told apart by who may be on them. */
static bool
are_alike(const Search *search, int s, int t)
{
	const SplitManyProblem *problem = search->problem;
	int			u;

	if (problem->size[s] != problem->size[t])
		return false;
	for (u = 0; u < search->nunits; u++)
		if ((search->unit[u].allowed_teams >> (s + 1) & 1) !=
			(search->unit[u].allowed_teams >> (t + 1) & 1))
			return false;
	return true;
}

/* Which teams are like one another. */
static void
find_alike(Search *search)
{
	int			s,
				t;

	for (t = 0; t < search->problem->nteams; t++)
	{
		for (s = 0; !are_alike(search, s, t); s++)
			;
		search->alike[t] = s;
	}
}

/* Whether a unit is apart from all of a team, of the units before it. */
static bool
is_apart(const Search *search, int unit, int team)
{
	const SplitManyProblem *problem = search->problem;
	int			i;

	if (search->nunits <= MAX_UNITS)
	{
		uint64_t	others = search->apart[unit] & ((UINT64_C(1) << unit) - 1);

		for (; others != 0; others &= others - 1)
			if (search->team[__builtin_ctzll(others)] == team)
				return false;
		return true;
	}
	for (i = 0; i < problem->napart; i++)
	{
		int			a = search->unit_of[problem->apart[i].a];
		int			b = search->unit_of[problem->apart[i].b];

		if ((a == unit && b < unit && search->team[b] == team) ||
			(b == unit && a < unit && search->team[a] == team))
			return false;
	}
	return true;
}

/* The strengths of the teams of the split as it is. */
static void
team_sums(const Search *search, double *sum)
{
	int			u;

	memset(sum, 0, sizeof(double) * (SPLIT_MAX_TEAMS + 1));
	for (u = 0; u < search->nunits; u++)
		sum[search->team[u]] += search->unit[u].value;
}

static double
objective(const Search *search, const double *sum)
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
		double		strength = sum[t + 1] * problem->factor[t];
		double		off = strength - playing * problem->share;

		squares += off * off;
		low = fmin(low, strength);
		high = fmax(high, strength);
	}
	return problem->objective == SPLIT_RANGE ? high - low : squares;
}

/* The split as it is becomes the best one, if it is. */
static void
keep_best(Search *search)
{
	double		sum[SPLIT_MAX_TEAMS + 1];
	double		now;

	team_sums(search, sum);
	now = objective(search, sum);
	if (now >= search->best)
		return;
	search->best = now;
	memcpy(search->best_team, search->team, sizeof(int) * (size_t) search->nunits);
}

/* Whether there is nothing left to gain; squares of rounding errors are nothing. */
static bool
is_even(const Search *search)
{
	double		magnitude = fabs(search->total * search->problem->share);

	return search->best <=
		(search->problem->objective == SPLIT_RANGE ? sqrt(SUM_NOISE) * magnitude :
		 SUM_NOISE * magnitude * magnitude);
}

/*
 * ---- Drafts ----
 */

/* Numbers at random, the same ones always (Knuth's MMIX generator). */
static uint32_t
next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (*state >> 33);
}

/*
 * Find a place for a unit and all behind it, in the order of a snake draft: the first
 * team to the last and back again; or in any order, where that has been.  False if
 * there is none or steps run out.
 */
static bool
draft(Search *search, int u, int *left, int spare, uint64_t *random)
{
	const SplitManyProblem *problem = search->problem;
	const Unit *unit = &search->unit[u];
	int			tried = 0;
	int			first,
				i;

	if (u == search->nunits)
		return true;
	if (!step(search) || search->steps > DRAFT_STEPS)
		return false;
	first = random != NULL ? (int) (next_random(random) % (uint32_t) problem->nteams) :
		u % problem->nteams;
	for (i = 0; i < problem->nteams; i++)
	{
		int			team = (first + i) % problem->nteams + 1;

		if (random == NULL && u / problem->nteams % 2 == 1)
			team = problem->nteams + 1 - team;
		if (left[team - 1] < unit->size || (unit->allowed_teams & SPLIT_MAY(team)) == 0 ||
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
		left[team - 1] -= unit->size;
		if (draft(search, u + 1, left, spare, random))
			return true;
		left[team - 1] += unit->size;
	}
	if (spare < unit->size || (unit->allowed_teams & SPLIT_MAY(SPLIT_BENCH)) == 0)
		return false;
	search->team[u] = SPLIT_BENCH;
	return draft(search, u + 1, left, spare - unit->size, random);
}

/* The players of two teams, or of a team and the bench (0), with their constraints. */
static void
gather_pair(Search *search, int s, int t)
{
	const SplitManyProblem *problem = search->problem;
	SplitProblem *pair = &search->pair;
	int			i;

	pair->n = 0;
	for (i = 0; i < problem->n; i++)
	{
		int			unit = search->unit_of[i];
		int			team = search->team[unit];
		int			places = search->unit[unit].allowed_teams;

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
	pair->max_room = PAIR_ROOM;
	pair->max_work = PAIR_WORK;
	pair->interrupt = problem->interrupt;
}

/*
 * By how much the sum of a team is to be ahead of that of another, or what it is to be
 * if that is the bench.
 */
static double
find_target(const Search *search, int s, int t, const double *sum)
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
split_pair(Search *search, int s, int t, const double *sum)
{
	const SplitManyProblem *problem = search->problem;
	SplitProblem *pair = &search->pair;
	SplitAnswer answer = {.team = search->pair_team};
	double		target = find_target(search, s, t, sum);
	double		before = fabs(sum[s] - (t != SPLIT_BENCH ? sum[t] : 0) - target);
	double		noise = MIN_GAIN * fmax(before, fabs(search->total) / problem->n);
	int			i;

	search->pair_exact = false;
	gather_pair(search, s, t);
	search->pair_size.count[0] = problem->size[s - 1];
	search->pair_size.count[1] = t != SPLIT_BENCH ? problem->size[t - 1] : 0;
	search->pair_target = target;
	pair->size = &search->pair_size;
	pair->target = &search->pair_target;
	pair->nsizes = 1;
	if (before == 0 || split_group(pair) != SPLIT_OK || pair->noptions > PAIR_OPTIONS)
		return false;
	split_make_options(pair);
	split_choose(pair);
	if (pair->room > PAIR_ROOM)
		return false;
	search->work += MIN_PAIR_WORK + (pair->method == SPLIT_BY_HALVES ?
									 split_halves_work(pair) : split_reach_work(pair));
	split_solve(pair, search->pair_room, &answer);
	search->pair_exact = pair->method == SPLIT_BY_HALVES || pair->exact;
	if (!answer.found || fabs(answer.difference) >= before - noise)
		return false;
	for (i = 0; i < pair->n; i++)
	{
		int			place = answer.team[i];

		search->team[search->unit_of[search->pair_player[i]]] =
			place == 1 ? s : place == 2 ? t : SPLIT_BENCH;
	}
	return true;
}

/* Split pairs of teams again until no pair can be made more even. */
static void
improve(Search *search)
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
				team_sums(search, sum);
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

/*
 * ---- All splits ----
 */

/* Teams in an order in which those most of whom are alike come together. */
static void
order_teams(Search *search)
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
	for (u = 0; u < search->nunits; u++)
		if ((search->unit[u].allowed_teams & SPLIT_MAY(SPLIT_BENCH)) == 0)
			search->must_play |= UINT64_C(1) << u;
	first[0] = search->benches ? most : 0;
	first[1] = search->alike_first;
	for (t = 0; t < problem->nteams; t++)
	{
		int			alike = search->alike[t] == of;
		int			place = first[alike] + n[alike]++;

		search->order[place] = t;
		search->may[place] = search->must[place] = 0;
		for (u = 0; u < search->nunits; u++)
		{
			uint64_t	bit = UINT64_C(1) << u;

			if ((search->unit[u].allowed_teams & SPLIT_MAY(t + 1)) != 0)
				search->may[place] |= bit;
			if ((search->unit[u].allowed_teams &
				 ((SPLIT_MAY(problem->nteams + 1) - 1))) == SPLIT_MAY(t + 1))
				search->must[place] |= bit;
		}
	}
}

static void take_team(Search *search, uint64_t team, double sum);

/* Add units to the next team until it is full, and take it. */
static void
fill_team(Search *search, uint64_t rest, int available, int left, double sum,
		  uint64_t team)
{
	if (left == 0)
	{
		take_team(search, team, sum);
		return;
	}
	while (rest != 0 && available >= left && step(search))
	{
		int			u = __builtin_ctzll(rest);
		const Unit *unit = &search->unit[u];

		rest &= rest - 1;
		available -= unit->size;
		if (unit->size <= left)
			fill_team(search, rest & ~search->apart[u], available, left - unit->size,
					  sum + unit->value, team | UINT64_C(1) << u);
	}
}

/* Go through all teams that can come next. */
static void
next_teams(Search *search)
{
	const SplitManyProblem *problem = search->problem;
	uint64_t	all = (UINT64_C(1) << search->nunits) - 1;
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
	if ((must & ~rest) != 0)
		return;
	rest &= ~must;
	for (team = must; team != 0; team &= team - 1)
	{
		int			u = __builtin_ctzll(team);

		if ((search->apart[u] & must) != 0)
			return;
		rest &= ~search->apart[u];
		left -= search->unit[u].size;
		sum += search->unit[u].value;
	}
	for (team = rest; team != 0; team &= team - 1)
		available += search->unit[__builtin_ctzll(team)].size;
	if (left >= 0)
		fill_team(search, rest, available, left, sum, must);
}

/* The least that squares of the teams to come can be. */
static double
squares_to_come(const Search *search, int level, double sum)
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
squares_of_mean(const Search *search, int level, double sum)
{
	double		off = sum * search->problem->factor[0] / level - search->center;

	return level * off * off;
}

/* Whether squares so far, with another team of this sum, can end in a better split. */
static bool
squares_may_do(const Search *search, double sum, double squares)
{
	int			level = search->level + 1;
	double		least = search->benches ?
		squares - squares_of_mean(search, level, search->sum + sum) :
		squares + squares_to_come(search, level, search->sum + sum);

	return least < search->best * (1 - MIN_GAIN);
}

/* The same of strengths: teams to come must be near enough to these, too. */
static bool
range_may_do(const Search *search, double sum, double low, double high)
{
	const SplitManyProblem *problem = search->problem;
	double		best = search->best * (1 - MIN_GAIN);
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

/* All teams are full, each of units given by its place: that is the best split. */
static void
take_split(Search *search)
{
	const SplitManyProblem *problem = search->problem;
	int			i;

	memset(search->team, 0, sizeof(int) * (size_t) search->nunits);
	for (i = 0; i < problem->nteams; i++)
	{
		uint64_t	units;

		for (units = search->path[i]; units != 0; units &= units - 1)
			search->team[__builtin_ctzll(units)] = search->order[i] + 1;
	}
	keep_best(search);
}

/* Another team, which ends a set of units in the table. */
static void
take_in_table(Search *search, uint64_t team, double sum)
{
	uint64_t	set = search->used | team;
	double		off = sum * search->problem->factor[search->order[search->level]] -
		search->center;
	double		squares = search->least[search->used] + off * off;
	int			i;

	if (squares >= search->least[set] || !squares_may_do(search, sum, squares))
		return;
	search->least[set] = squares;
	search->last[set] = (uint32_t) team;
	if (search->level + 1 < search->problem->nteams)
		return;
	for (i = search->level; i >= 0; i--)
	{
		search->path[i] = search->last[set];
		set &= ~search->path[i];
	}
	take_split(search);
}

/* Another team on the way through all splits. */
static void
take_on_path(Search *search, uint64_t team, double sum)
{
	const SplitManyProblem *problem = search->problem;
	int			level = search->level;
	double		strength = sum * problem->factor[search->order[level]];
	double		off = strength - search->center;
	double		low = fmin(search->low[level], strength);
	double		high = fmax(search->high[level], strength);
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
take_team(Search *search, uint64_t team, double sum)
{
	/*
	 * Of teams that are alike the one with the unit behind all others is the
	 * last.
	 */
	if (search->benches && search->level < search->alike_end && team < search->used)
		return;
	if (search->level + 1 == search->problem->nteams &&
		(search->must_play & ~(search->used | team)) != 0)
		return;
	if (has_table(search))
		take_in_table(search, team, sum);
	else
		take_on_path(search, team, sum);
}

/* Go through all splits that can be better; whether steps sufficed for that. */
static bool
go_through(Search *search)
{
	const SplitManyProblem *problem = search->problem;
	uint64_t	sets = UINT64_C(1) << search->nunits;
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
	if (!has_table(search))
	{
		next_teams(search);
		return step(search);
	}
	for (i = 0; i < problem->nteams; i++)
		members[i + 1] = members[i] + problem->size[search->order[i]];
	for (set = 1; set < sets; set++)
		search->least[set] = INFINITY;
	search->steps = sets;
	search->least[0] = 0;
	for (set = 0; set < sets && step(search); set++)
	{
		uint64_t	units;
		int			size = 0;

		if (search->least[set] == INFINITY)
			continue;
		search->used = set;
		search->sum = 0;
		for (units = set; units != 0; units &= units - 1)
		{
			size += search->unit[__builtin_ctzll(units)].size;
			search->sum += search->unit[__builtin_ctzll(units)].value;
		}
		for (search->level = 0; members[search->level] < size; search->level++)
			;
		if (search->level < problem->nteams)
			next_teams(search);
	}
	return step(search);
}

SplitProof
split_many(const SplitManyProblem *problem, void *room, int *team, double *left)
{
	Search		search = {
		.problem = problem,.nunits = count_units(problem),.best = INFINITY
	};
	uint64_t	random = 1;
	int			playing = 0;
	bool		proven = false;
	int			n,
				i;

	(void) lay_out(problem, room, &search);
	make_units(&search);
	find_alike(&search);
	for (i = 0; i < problem->nteams; i++)
		playing += problem->size[i];
	search.benches = playing < problem->n;
	for (i = 0; i < problem->n; i++)
		search.total += problem->value[i];
	search.center = search.benches ?
		search.total * problem->share * playing / problem->n :
		search.total * problem->share;
	for (n = 0; n < MAX_DRAFTS && !is_even(&search); n++)
	{
		int			seats[SPLIT_MAX_TEAMS];

		memcpy(seats, problem->size, sizeof(seats));
		search.steps = 0;
		if (!draft(&search, 0, seats, problem->n - playing, n == 0 ? NULL : &random))
		{
			if (n == 0)
				return search.steps > DRAFT_STEPS || !step(&search) ?
					SPLIT_NONE_FOUND : SPLIT_IMPOSSIBLE;
			continue;
		}
		search.work += (double) search.steps;
		improve(&search);
		keep_best(&search);

		/* Two teams alone are the pair that was split. */
		proven = problem->nteams == 2 && !search.benches && search.pair_exact;
		if (proven || search.work > problem->max_work / 2)
			break;
	}
	if (proven || is_even(&search))
		proven = true;
	else if (search.nunits <= MAX_UNITS)
		proven = go_through(&search);
	for (i = 0; i < problem->n; i++)
		team[i] = search.best_team[search.unit_of[i]];
	*left = search.best;
	return proven ? SPLIT_PROVEN : SPLIT_FOUND;
}
