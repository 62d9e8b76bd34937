/*
 * split.c
 *		Players split into two teams and a bench as evenly as can be: groups, their
 *		options, and the choice of a method.
 */
#include "core/split/split.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/split/split_internal.h"
#include "core/util/block.h"
#include "core/util/extremes.h"
#include "core/util/union_find.h"

/* More options of one group than these are not enumerated. */
#define MAX_OPTIONS 20000

/* Multiples of a quantum may miss it by so much of themselves. */
#define QUANTUM_NOISE 1e-9

/* Exchanges go on as long as they take this share off the difference. */
#define MIN_GAIN 1e-6

/* Groups are exchanged so often even if there is no work left for it. */
#define MIN_PASSES 16

/* Units beyond this would not be told apart in a double for long. */
#define MAX_UNITS 0x1p40

static const double quanta[] = {1000, 100, 10, 1, 0.5, 0.1, 0.01, 0.001};

/*
 * ---- Groups ----
 */

static int
party_of(const SplitProblem *problem, int player)
{
	return problem->party != NULL ? problem->party[player] : 0;
}

static int
divided_with(const SplitProblem *problem, int player)
{
	return problem->evenly != NULL ? problem->evenly[player] : 0;
}

/* Whether a player may do this, as far as it alone is concerned. */
static bool
may_be(const SplitProblem *problem, int player, int team)
{
	if (problem->home != NULL && team != SPLIT_BENCH && team != problem->home[player])
		return false;
	return problem->allowed_teams == NULL ||
		(problem->allowed_teams[player] &
		 SPLIT_MAY(split_final_team(problem, player, team))) != 0;
}

static bool
may_command(const SplitProblem *problem, int player)
{
	return problem->commander == NULL || problem->commander[player];
}

/* What the members of a group do, in the making. */
typedef struct Doings
{
	SplitProblem *problem;
	SplitGroup *group;
	bool		store;
	int			first_place;	/* 1 if nobody is left for the bench */
	int			team[SPLIT_MAX_GROUP];
} Doings;

static int
final_team(const Doings *doings, int m)
{
	const SplitProblem *problem = doings->problem;

	return split_final_team(problem, problem->member[doings->group->first_member + m],
							doings->team[m]);
}

/* What a player on a team or the bench adds to the lead of the first team. */
static double
lead_by(const double *const *value, int player, int team)
{
	return team == SPLIT_BENCH ? 0 : team == 1 ? value[0][player] : -value[1][player];
}

double
split_home_lead(const SplitProblem *problem)
{
	double		lead = 0;
	int			i;

	for (i = 0; i < problem->n && problem->home != NULL; i++)
		lead += lead_by(problem->value, i, problem->home[i]);
	return lead;
}

/*
 * What a member adds to the value of an option.  With homes it is what the lead loses: nothing
 * for one who stays and does not command.
 */
static double
member_value(const Doings *doings, int m, bool commands)
{
	const SplitProblem *problem = doings->problem;
	int			player = problem->member[doings->group->first_member + m];
	double		value = lead_by(commands ? problem->command_value : problem->value, player,
								final_team(doings, m));

	if (problem->home != NULL)
		value = lead_by(problem->value, player, problem->home[player]) - value;
	return value;
}

/* Another option: as the teams say, with these members commanding (-1: nobody). */
static void
add_option(Doings *doings, const int *commander)
{
	SplitProblem *problem = doings->problem;
	SplitGroup *group = doings->group;
	SplitOption *option;
	int			moves = 0;
	int			m;

	for (m = 0; m < group->nmembers && problem->current != NULL; m++)
	{
		int			current = problem->current[problem->member[group->first_member + m]];

		moves += current != SPLIT_NOWHERE && current != doings->team[m];
	}
	if (moves > problem->max_moves)
		return;
	group->noptions++;
	if (!doings->store)
		return;
	option = &problem->option[group->first_option + group->noptions - 1];
	memset(option, 0, sizeof(SplitOption));
	option->moves = moves;
	for (m = group->nmembers - 1; m >= 0; m--)
	{
		int			team = doings->team[m];
		int			final = final_team(doings, m);
		bool		commands = final != SPLIT_BENCH && commander[final - 1] == m;

		option->code = split_code_with(option->code, team, commands);
		if (team != SPLIT_BENCH)
			option->count[team - 1]++;
		if (commands)
			option->command |= SPLIT_COMMANDS(final);
		option->value += member_value(doings, m, commands);
	}
}

/* All options with these teams: nobody of the group commands, or anybody who may. */
static void
add_options(Doings *doings)
{
	SplitProblem *problem = doings->problem;
	const SplitGroup *group = doings->group;
	int			commander[2];

	for (commander[0] = -1; commander[0] < group->nmembers; commander[0]++)
		for (commander[1] = -1; commander[1] < group->nmembers; commander[1]++)
		{
			bool		fits = true;
			int			i;

			for (i = 0; i < 2; i++)
				if (commander[i] >= 0 &&
					(problem->command_value[0] == NULL ||
					 final_team(doings, commander[i]) != i + 1 ||
					 !may_command(problem,
								  problem->member[group->first_member + commander[i]])))
					fits = false;
			if (fits)
				add_option(doings, commander);
		}
}

/* Whether a pair that is to be apart is together, of which m is the last member. */
static bool
meets(const Doings *doings, int m)
{
	const SplitProblem *problem = doings->problem;
	const int  *member = problem->member + doings->group->first_member;
	int			i,
				j;

	if (final_team(doings, m) == SPLIT_BENCH)
		return false;
	for (i = 0; i < problem->napart; i++)
	{
		const SplitPair *pair = &problem->apart[i];

		if (pair->a != member[m] && pair->b != member[m])
			continue;
		for (j = 0; j < m; j++)
			if ((pair->a == member[j] || pair->b == member[j]) &&
				final_team(doings, j) == final_team(doings, m))
				return true;
	}
	return false;
}

/*
 * Whether those who are to be divided evenly can be, if the teams of the first n members
 * are as they are.
 */
static bool
is_divisible(const Doings *doings, int n)
{
	const SplitProblem *problem = doings->problem;
	const int  *member = problem->member + doings->group->first_member;
	int			i,
				j;

	for (i = 0; i < n && problem->evenly != NULL; i++)
	{
		int			lead = 0;
		int			left = 0;

		if (divided_with(problem, member[i]) == 0)
			continue;
		for (j = 0; j < doings->group->nmembers; j++)
		{
			int			team = j < n ? final_team(doings, j) : SPLIT_BENCH;

			if (divided_with(problem, member[j]) != divided_with(problem, member[i]))
				continue;
			left += j >= n;
			lead += team == 1 ? 1 : team == 2 ? -1 : 0;
		}
		if (lead > 1 + left || lead < -1 - left)
			return false;
	}
	return true;
}

/* Whether every size has all players on a team. */
static bool
everybody_plays(const SplitProblem *problem)
{
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		if (problem->size[i].count[0] + problem->size[i].count[1] < problem->n)
			return false;
	return true;
}

/* Whether there are at most MAX_OPTIONS, from the member m on. */
static bool
go_through(Doings *doings, int m)
{
	SplitProblem *problem = doings->problem;
	SplitGroup *group = doings->group;
	const int  *member = problem->member + group->first_member;
	int			team;

	if (problem->interrupt != NULL)
		problem->interrupt();
	if (group->noptions > MAX_OPTIONS)
		return false;
	if (m == group->nmembers)
	{
		add_options(doings);
		return true;
	}
	for (team = doings->first_place; team <= 2; team++)
	{
		bool		fits = true;
		int			end = m;

		/* All of a party do the same. */
		do
		{
			doings->team[end] = team;
			fits = fits && may_be(problem, member[end], team) && !meets(doings, end);
			end++;
		} while (end < group->nmembers && party_of(problem, member[end]) != 0 &&
				 party_of(problem, member[end]) == party_of(problem, member[m]));
		if (fits && is_divisible(doings, end) && !go_through(doings, end))
			return false;
	}
	return true;
}

/* Go through what a group can do, and count or store its options. */
static bool
list_options(SplitProblem *problem, SplitGroup *group, bool store)
{
	Doings		doings = {
		.problem = problem,.group = group,.store = store,
		.first_place = everybody_plays(problem) ? 1 : SPLIT_BENCH
	};

	group->noptions = 0;
	return go_through(&doings, 0);
}

/* Members by group, and those of a party together; in the order of players otherwise. */
static void
list_members(SplitProblem *problem)
{
	int			n = 0;
	int			leader,
				first,
				i;

	problem->ngroups = 0;
	for (leader = 0; leader < problem->n; leader++)
	{
		int			root = union_find(problem->root, leader);
		bool		seen = false;

		for (i = 0; i < leader && !seen; i++)
			seen = union_find(problem->root, i) == root;
		if (seen)
			continue;
		problem->group[problem->ngroups++].first_member = n;
		for (first = leader; first < problem->n; first++)
		{
			bool		listed = union_find(problem->root, first) != root;

			/* With the first of a party come all others. */
			for (i = leader; i < first && !listed; i++)
				listed = party_of(problem, first) != 0 &&
					party_of(problem, i) == party_of(problem, first);
			if (listed)
				continue;
			problem->member[n++] = first;
			for (i = first + 1; i < problem->n && party_of(problem, first) != 0; i++)
				if (party_of(problem, i) == party_of(problem, first))
					problem->member[n++] = i;
		}
		problem->group[problem->ngroups - 1].nmembers = n -
			problem->group[problem->ngroups - 1].first_member;
	}
}

SplitStatus
split_group(SplitProblem *problem)
{
	int			i,
				j;

	problem->max_count[0] = problem->max_count[1] = problem->max_moves = 0;
	for (i = 0; i < problem->nsizes; i++)
	{
		const SplitSize *size = &problem->size[i];

		for (j = 0; j < 2; j++)
			if (size->count[j] > problem->max_count[j])
				problem->max_count[j] = size->count[j];
		if (size->moves > problem->max_moves)
			problem->max_moves = size->moves;
	}
	for (i = 0; i < problem->n; i++)
		problem->root[i] = i;
	for (i = 0; i < problem->n; i++)
		for (j = 0; j < i && party_of(problem, i) != 0; j++)
			if (party_of(problem, i) == party_of(problem, j))
				union_join(problem->root, i, j);
	for (i = 0; i < problem->n; i++)
		for (j = 0; j < i && divided_with(problem, i) != 0; j++)
			if (divided_with(problem, i) == divided_with(problem, j))
				union_join(problem->root, i, j);
	for (i = 0; i < problem->napart; i++)
		union_join(problem->root, problem->apart[i].a, problem->apart[i].b);
	list_members(problem);
	problem->noptions = 0;
	for (i = 0; i < problem->ngroups; i++)
	{
		SplitGroup *group = &problem->group[i];

		problem->at_fault = i;
		group->first_option = (int) problem->noptions;
		if (group->nmembers > SPLIT_MAX_GROUP || !list_options(problem, group, false))
			return SPLIT_GROUP_TOO_LARGE;
		if (group->noptions == 0)
			return SPLIT_NO_OPTION;
		problem->noptions += (size_t) group->noptions;
	}
	return SPLIT_OK;
}

void
split_make_options(SplitProblem *problem)
{
	int			i;

	for (i = 0; i < problem->ngroups; i++)
		(void) list_options(problem, &problem->group[i], true);
}

/*
 * ---- The method ----
 */

/* The largest value of a group's options, whichever its sign. */
static double
largest_value(const SplitProblem *problem, const SplitGroup *group)
{
	double		largest = 0;
	int			i;

	for (i = 0; i < group->noptions; i++)
		largest = larger(largest, fabs(problem->option[group->first_option + i].value));
	return largest;
}

/*
 * Take a number off the value of everybody: with given numbers of players that
 * moves all differences alike, and sums in the middle of the ratings reach less far.
 * Only where the same number is worth the same in both teams.
 */
static double
middle_value(const SplitProblem *problem)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < problem->n; i++)
		sum += problem->value[0][i] + problem->value[1][i];

	/* A player who moves is missed on the one team and counts for the other. */
	if (problem->home != NULL)
		sum *= 2;
	return problem->n > 0 ? sum / (2 * problem->n) : 0;
}

static void
set_units(SplitProblem *problem, double quantum)
{
	double		middle = round(middle_value(problem) / quantum);
	size_t		i;

	problem->quantum = quantum;
	problem->middle = (int64_t) middle;
	problem->exact = true;
	for (i = 0; i < problem->noptions; i++)
	{
		SplitOption *option = &problem->option[i];
		double		units = option->value / quantum;

		option->quanta = llround(units) -
			(int64_t) middle * (option->count[0] - option->count[1]);
		if (fabs(units - round(units)) > QUANTUM_NOISE * larger(1, fabs(units)))
			problem->exact = false;
	}
	for (i = 0; i < (size_t) problem->nsizes; i++)
	{
		double		units = problem->target[i] / quantum;

		if (fabs(units - round(units)) > QUANTUM_NOISE * larger(1, fabs(units)))
			problem->exact = false;
	}
}

/* The bytes of a choice for each size. */
static size_t
choice_room(const SplitProblem *problem)
{
	return ((size_t) problem->nsizes * (size_t) problem->ngroups * sizeof(int) + 15) /
		16 * 16;
}

/* Whether what a method takes for the units as they are may be taken. */
static bool
reach_fits(const SplitProblem *problem)
{
	return choice_room(problem) + split_reach_room(problem) <= problem->max_room &&
		split_reach_work(problem) <= problem->max_work;
}

static bool
halves_fit(const SplitProblem *problem, double max_work)
{
	return choice_room(problem) + split_halves_room(problem) <= problem->max_room &&
		split_halves_work(problem) <= max_work;
}

void
split_choose(SplitProblem *problem)
{
	double		largest = 0;
	double		farthest = 0;
	double		quantum;
	bool		reach;
	size_t		q;
	int			i,
				j;

	/* Large ones first: what is still to come reaches less and less far. */
	for (i = 0; i < problem->ngroups; i++)
	{
		double		value = largest_value(problem, &problem->group[i]);

		problem->group[i].largest = value;
		largest = larger(largest, value);
		for (j = i; j > 0 && problem->group[problem->order[j - 1]].largest < value; j--)
			problem->order[j] = problem->order[j - 1];
		problem->order[j] = i;
	}

	/* What units count: values, what is taken off them, and targets. */
	farthest = larger(largest, problem->n * fabs(middle_value(problem)));
	for (i = 0; i < problem->nsizes; i++)
		farthest = larger(farthest, fabs(problem->target[i]));

	problem->method = SPLIT_BY_REACH;
	problem->exact = false;
	for (q = 0; q < sizeof(quanta) / sizeof(quanta[0]) && !problem->exact; q++)
		if (farthest < MAX_UNITS * quanta[q])
			set_units(problem, quanta[q]);
	reach = problem->exact && reach_fits(problem);
	if (halves_fit(problem, reach ? split_reach_work(problem) : problem->max_work))
		problem->method = SPLIT_BY_HALVES;
	else if (!reach)
	{
		/* As fine as it may be. */
		quantum = larger(farthest / MAX_UNITS, DBL_MIN);
		do
			set_units(problem, quantum *= 2);
		while (!reach_fits(problem) && quantum < 4 * farthest);
	}
	problem->work = problem->method == SPLIT_BY_HALVES ?
		split_halves_work(problem) :
		split_reach_work(problem) + split_reach_overhead(problem);
	problem->spent = 0;
	problem->room = choice_room(problem) + (problem->method == SPLIT_BY_HALVES ?
											split_halves_room(problem) :
											split_reach_room(problem));
}

double
split_work(const SplitProblem *problem)
{
	return problem->method == SPLIT_BY_HALVES ? split_halves_work(problem) :
		split_reach_work(problem);
}

/*
 * ---- Answers ----
 */

/* An exchange of the options of two groups. */
typedef struct Exchange
{
	double		difference;		/* after it */
	int			group[2];
	int			option[2];
} Exchange;

/* Look for a better exchange of two groups, whose teams' numbers it must not change. */
static void
try_exchanges(const SplitProblem *problem, const int *choice, int g, int h,
			  double difference, Exchange *best)
{
	const SplitGroup *first = &problem->group[g];
	const SplitGroup *second = &problem->group[h];
	const SplitOption *a = &problem->option[choice[g]];
	const SplitOption *b = &problem->option[choice[h]];
	int			i,
				j;

	for (i = first->first_option; i < first->first_option + first->noptions; i++)
	{
		const SplitOption *c = &problem->option[i];

		for (j = second->first_option; j < second->first_option + second->noptions; j++)
		{
			const SplitOption *d = &problem->option[j];
			double		after = difference - a->value - b->value + c->value + d->value;

			if (c->count[0] + d->count[0] != a->count[0] + b->count[0] ||
				c->count[1] + d->count[1] != a->count[1] + b->count[1] ||
				c->moves + d->moves != a->moves + b->moves ||
				(c->command | d->command) != (a->command | b->command) ||
				(c->command & d->command) != 0 ||
				fabs(after) >= fabs(best->difference))
				continue;
			*best = (Exchange)
			{
				after,
				{
					g, h
				},
				{
					i, j
				}
			};
		}
	}
}

/*
 * Where units are too coarse to tell, two groups may still be exchanged for the
 * better, the best two first, until there are none or, after some passes, the work is spent.
 * Returns the steps it took.
 */
static double
exchange(const SplitProblem *problem, int size, int *choice)
{
	double		options = (double) problem->noptions;
	double		steps = 0;
	double		difference = -problem->target[size];
	double		before;
	int			passes = 0;
	int			g,
				h;

	for (g = 0; g < problem->ngroups; g++)
		difference += problem->option[choice[g]].value;
	do
	{
		Exchange	best = {.difference = difference,.group = {-1, -1}};

		before = fabs(difference);
		steps += 2 * options * options;
		for (g = 0; g < problem->ngroups; g++)
		{
			if (problem->interrupt != NULL)
				problem->interrupt();
			for (h = 0; h < g; h++)
				try_exchanges(problem, choice, g, h, difference, &best);
		}
		if (best.group[0] >= 0)
		{
			choice[best.group[0]] = best.option[0];
			choice[best.group[1]] = best.option[1];
			difference = best.difference;
		}
	} while (fabs(difference) < before * (1 - MIN_GAIN) &&
			 (++passes < MIN_PASSES || steps <= problem->max_work));
	return steps;
}

void
split_solve(SplitProblem *problem, void *room, SplitAnswer *answer)
{
	char	   *block = room;
	size_t		total = 0;
	int		   *choice = block_take(&block, &total, sizeof(int),
									(size_t) problem->nsizes * (size_t) problem->ngroups);
	double		steps = 0;
	int			i;

	if (problem->method == SPLIT_BY_HALVES)
		split_halves(problem, block, choice, answer);
	else
		split_reach(problem, block, choice, answer);
	for (i = 0; i < problem->nsizes; i++)
	{
		int		   *chosen = choice + (size_t) i * (size_t) problem->ngroups;

		if (!answer[i].found)
			continue;

		/*
		 * Of many sizes the first are improved, as long as there is work for
		 * it.
		 */
		if (problem->method == SPLIT_BY_REACH && !problem->exact && steps <= problem->max_work)
			steps += exchange(problem, i, chosen);
		split_take_answer(problem, i, chosen, &answer[i]);
	}
	problem->spent = problem->work + steps;
}
