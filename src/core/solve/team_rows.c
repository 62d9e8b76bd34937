/*
 * team_rows.c
 *		What solvers share that know teams by their strengths, compared in pairs or
 *		ranked.
 */
#include "core/solve/team_rows.h"

#include <stddef.h>

#include "core/math/square.h"

const char *const team_rows_strengths[] = {"mean", "sum", NULL};

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

/*
 * Add the strength of a team to a row.  Commanding counts as play: these solvers have no unknown
 * of its own for it.
 */
static void
add_strength(const SolverTask *task, const Match *match, int team, bool against,
			 struct SolverRows *rows)
{
	double		divide = task->params[TEAM_ROWS_STRENGTH].choice == TEAM_ROWS_MEAN ?
		team_weight(match, team) : 1;
	int			i;

	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		if (e->team == team)
			solver_entry(rows, SOLVER_SKILL, e->player,
						 (e->weight + e->command_weight) / divide, against);
	}
}

/* Add the advantages of the first of two sides to a row. */
static void
add_advantages(const SolverTask *task, const Match *match, bool against,
			   struct SolverRows *rows)
{
	if (match->nteams != 2)
		return;
	if (match->team[0].side != 0 && team_rows_sides(task->params))
		solver_entry(rows, SOLVER_SIDE, 0, 1, against);
	if (task->context_of != NULL && task->context_of[task->match] >= 0)
		solver_entry(rows, SOLVER_CONTEXT, 0, 1, against);
}

bool
team_rows_sides(const ParamValue *params)
{
	return params[TEAM_ROWS_SIDE_DEVIATION].number > 0;
}

void
team_rows_pairs(SolverTask *task, const Match *match, struct SolverRows *rows)
{
	int			first = match_first_side(match);
	double		gain = match_mean_gain(match);
	int			a,
				b;

	for (a = 0; a < match->nteams; a++)
		for (b = a + 1; b < match->nteams; b++)
		{
			double		rank_a = match->team[a].rank;
			double		rank_b = match->team[b].rank;

			/* A draw is half a win and half a loss, in one row. */
			solver_row(rows, rank_a < rank_b ? 1 : rank_a == rank_b ? 0.5 : 0,
					   gain,
					   first == a ? match->log_odds : -match->log_odds);
			add_strength(task, match, a, false, rows);
			add_strength(task, match, b, true, rows);
			add_advantages(task, match, first != a, rows);
		}
}

void
team_rows_ranking(SolverTask *task, const Match *match, struct SolverRows *rows)
{
	int			first = match_first_side(match);
	double		gain = match_mean_gain(match);
	int			order[MATCH_MAX_TEAMS];
	uint32_t	place = 1;
	int			i;

	match_teams_by_rank(match, order);
	for (i = 0; i < match->nteams; i++)
	{
		int			team = order[i];

		/* Teams that drew share a place, that of the first of them. */
		if (i > 0 && match->team[team].rank > match->team[order[i - 1]].rank)
			place = (uint32_t) i + 1;
		solver_ranked_row(rows, place, (uint32_t) (match->nteams - 1 - i), gain,
						  team == first ? match->log_odds : 0);
		add_strength(task, match, team, false, rows);
		if (team == first)
			add_advantages(task, match, false, rows);
	}
}

void
team_rows_virtual(SolverTask *task, double games, bool ranked,
				  struct SolverRows *rows)
{
	int32_t		i;
	int			outcome;

	/*
	 * A win and a loss against somebody of skill 0, each of that weight, are
	 * a prior that stays symmetric.
	 */
	for (i = 0; i < task->history->nplayers && games > 0; i++)
		if (task->layout.games[i] > 0)
			for (outcome = 0; outcome <= 1; outcome++)
			{
				/* Somebody of skill 0 is a row without entries. */
				if (ranked && outcome == 0)
					solver_ranked_row(rows, 1, 1, games, 0);
				if (ranked)
					solver_ranked_row(rows, 2 - outcome, outcome, games, 0);
				else
					solver_row(rows, outcome, games, 0);
				solver_entry(rows, SOLVER_SKILL, i, 1, false);
				if (ranked && outcome == 1)
					solver_ranked_row(rows, 2, 0, games, 0);
			}
}

void
team_rows_priors(SolverTask *task)
{
	const SolverLayout *layout = &task->layout;
	double	   *precision = task->problem.prior.precision;
	uint32_t	i;

	for (i = 0; i < layout->nsides; i++)
		precision[layout->side + i] =
			1 / square(task->params[TEAM_ROWS_SIDE_DEVIATION].number);
	for (i = 0; i < layout->ncontexts; i++)
		precision[layout->context + i] =
			1 / square(task->params[TEAM_ROWS_CONTEXT_DEVIATION].number);
}
