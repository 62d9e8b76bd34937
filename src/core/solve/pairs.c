/*
 * pairs.c
 *		What solvers share whose results are comparisons of teams in pairs.
 */
#include "core/solve/pairs.h"

#include <math.h>
#include <stddef.h>

const char *const pairs_strengths[] = {"mean", "sum", NULL};

static double
team_weight(const Match *match, int team)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < match->nentries; i++)
		if (match->entry[i].team == team)
			sum += match->entry[i].weight + match->entry[i].command_weight;
	return sum;
}

void
pairs_rows(const Match *match, enum PairsStrength strength,
		   struct SolverRows *rows)
{
	int			first = match_first_side(match);
	double		gain = match_mean_gain(match);
	int			a,
				b,
				i;

	for (a = 0; a < match->nteams; a++)
	{
		double		divide_a = strength == PAIRS_MEAN ? team_weight(match, a) : 1;

		for (b = a + 1; b < match->nteams; b++)
		{
			double		rank_a = match->team[a].rank;
			double		rank_b = match->team[b].rank;
			double		divide_b = strength == PAIRS_MEAN ? team_weight(match, b) : 1;

			solver_row(rows, rank_a < rank_b ? 1 : rank_a == rank_b ? 0.5 : 0,
					   gain,
					   first == a ? match->log_odds : -match->log_odds);
			for (i = 0; i < match->nentries; i++)
			{
				const MatchEntry *e = &match->entry[i];
				double		weight = e->weight + e->command_weight;

				if (e->team == a)
					solver_entry(rows, SOLVER_SKILL, e->player, weight / divide_a, false);
				else if (e->team == b)
					solver_entry(rows, SOLVER_SKILL, e->player, weight / divide_b, true);
			}
		}
	}
}

void
pairs_virtual_rows(SolverTask *task, double games, struct SolverRows *rows)
{
	int32_t		i;
	int			outcome;

	for (i = 0; i < task->history->nplayers && games > 0; i++)
		if (task->layout.games[i] > 0)
			for (outcome = 0; outcome <= 1; outcome++)
			{
				solver_row(rows, outcome, games, 0);
				solver_entry(rows, SOLVER_SKILL, i, 1, false);
			}
}
