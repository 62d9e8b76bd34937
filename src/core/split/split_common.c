/*
 * split_common.c
 *		Shared by the ways to split into two teams: codes of options, halves of the
 *		groups, and answers.
 */
#include "core/split/split_internal.h"
#include "core/util/extremes.h"

#include <math.h>

/*
 * The roles of a player: on the bench, on a team, or commanding from a team or the bench.
 * As many as SPLIT_MAX_GROUP of them fit into a code.
 */
#define NDOINGS 6
#define COMMANDING 3			/* more than the number of the team */

uint64_t
split_code_with(uint64_t code, int team, bool commands)
{
	return code * NDOINGS + (uint64_t) (team + (commands ? COMMANDING : 0));
}

int
split_player_does(const SplitOption *option, int member, bool *commands)
{
	uint64_t	code = option->code;
	int			does;

	while (member-- > 0)
		code /= NDOINGS;
	does = (int) (code % NDOINGS);
	*commands = does >= COMMANDING;
	return *commands ? does - COMMANDING : does;
}

int
split_middle(const SplitProblem *problem, double *sums)
{
	double		left = 1;
	double		right = 1;
	int			n = 0;
	int			i;

	for (i = 0; i < problem->ngroups; i++)
		right *= problem->group[problem->order[i]].noptions;
	while (n < problem->ngroups && left < right)
	{
		double		options = problem->group[problem->order[n]].noptions;

		/* The half with the group in is not to be larger than that without. */
		if (left * options > right)
			break;
		left *= options;
		right /= options;
		n++;
	}
	*sums = larger(left, right);
	return n;
}

void
split_take_answer(const SplitProblem *problem, int size, const int *choice,
				  SplitAnswer *answer)
{
	int			g,
				m;

	answer->commander[0] = answer->commander[1] = -1;
	answer->difference = -problem->target[size];
	for (g = 0; g < problem->ngroups; g++)
	{
		const SplitGroup *group = &problem->group[g];
		const SplitOption *option = &problem->option[choice[g]];

		answer->difference += option->value;
		for (m = 0; m < group->nmembers; m++)
		{
			int			player = problem->member[group->first_member + m];
			bool		commands;

			answer->team[player] =
				split_final_team(problem, player, split_player_does(option, m, &commands));
			if (commands)
				answer->commander[answer->team[player] - 1] = player;
		}
	}

	/* With homes options are what is taken off the lead. */
	if (problem->home != NULL)
		answer->difference = -answer->difference;

	/* Rounding moves each group and the target, here and in the best split. */
	answer->bound = 0;
	if (problem->method == SPLIT_BY_REACH && !problem->exact)
		answer->bound = smaller(fabs(answer->difference), (problem->ngroups + 1) * problem->quantum);
}
