/*
 * many_teams.c
 *		A lobby split into more than two teams.
 */
#include "core/split/many_teams.h"

#include "core/util/extremes.h"

/* Players who are split: all but those who may only sit out. */
typedef struct Candidates
{
	int		   *player;			/* by candidate */
	int		   *candidate;		/* by player; -1: none */
	double	   *value;			/* by candidate, as the others */
	int		   *party;
	int		   *allowed_teams;
	SplitPair  *apart;
} Candidates;

/* List those who may play; whose party has a member who may not sits out, too. */
static void
list_candidates(const Lobby *lobby, SplitManyProblem *problem, Candidates *list)
{
	int			i,
				c;

	list->player = lobby_integers(lobby);
	list->candidate = lobby_integers(lobby);
	list->value = lobby_numbers(lobby);
	list->party = lobby_integers(lobby);
	list->allowed_teams = lobby_integers(lobby);
	for (i = 0; i < lobby->n; i++)
	{
		int			allowed = allowed_teams_of(lobby, lobby->allowed_teams, i);

		list->candidate[i] = -1;
		if (allowed == SPLIT_MAY(SPLIT_BENCH))
			continue;
		c = problem->n++;
		list->candidate[i] = c;
		list->player[c] = i;
		list->value[c] = lobby->mu[0][i];
		list->party[c] = lobby->party != NULL ? lobby->party[i] : 0;
		list->allowed_teams[c] = allowed;
	}
	for (i = 0; i < lobby->n && lobby->party != NULL; i++)
		if (list->candidate[i] < 0 && lobby->party[i] != 0)
			for (c = 0; c < problem->n; c++)
				if (list->party[c] == lobby->party[i])
					list->allowed_teams[c] &= SPLIT_MAY(SPLIT_BENCH);
	problem->value = list->value;
	problem->party = list->party;
	problem->allowed_teams = list->allowed_teams;
}

/* The pairs to keep apart, both of whom may play. */
static void
list_pairs(const Lobby *lobby, SplitManyProblem *problem, Candidates *list)
{
	int			i;

	list->apart = room_array(lobby->room, sizeof(SplitPair), (size_t) lobby->napart);
	for (i = 0; i < lobby->napart; i++)
	{
		SplitPair	pair = {
			list->candidate[lobby->apart[i].a], list->candidate[lobby->apart[i].b]
		};

		if (pair.a >= 0 && pair.b >= 0)
			list->apart[problem->napart++] = pair;
	}
	problem->apart = list->apart;
}

/* The sizes of teams, and what a sum is worth in a team of such a size. */
static void
set_sizes(const Lobby *lobby, const SplitRequest *request, SplitManyProblem *problem)
{
	int			playing = 0;
	int			i;

	for (i = 0; i < lobby->nteams; i++)
		playing += request->size[i];
	for (i = 0; i < lobby->nteams; i++)
	{
		problem->size[i] = request->size[i];
		problem->factor[i] = strength_factor(lobby, request->size[i], playing);
	}
	problem->share = lobby->strength == TEAM_STRENGTH_MEAN ? 1.0 / playing :
		problem->factor[0] / lobby->nteams;
}

/* Fill in what the split is worth, whose objective this is. */
static void
describe_many(const Lobby *lobby, const SplitRequest *request, double objective,
			  Split *split)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		low = INFINITY;
	double		high = -INFINITY;
	int			i;

	team_strengths(lobby, split->answer.team, split->answer.commander, strength);
	for (i = 0; i < lobby->nteams; i++)
	{
		low = smaller(low, strength[i]);
		high = larger(high, strength[i]);
	}
	split->difference = high - low;
	if (request->objective == SPLIT_SQUARES)
		objective = sqrt(objective / lobby->nteams);
	split->imbalance_logit = objective / lobby->log_odds_unit;
	split->bound = split->proof == SPLIT_PROVEN ? 0 : objective;

	/* By their own weights other splits may be more even, but for sums. */
	split->unproven = lobby->weight != NULL && lobby->strength != TEAM_STRENGTH_SUM &&
		objective != 0;
}

void
split_into_many(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitManyProblem problem = {
		.nteams = lobby->nteams,.objective = request->objective,
		.max_work = lobby->max_work,.interrupt = lobby->interrupt
	};
	Candidates	list;
	int		   *team = lobby_integers(lobby);
	double		objective;
	void	   *block;
	int			c;

	memset(split, 0, sizeof(Split));
	split->answer.team = room_zeros(lobby->room, sizeof(int), (size_t) lobby->n);
	split->answer.commander[0] = split->answer.commander[1] = -1;
	list_candidates(lobby, &problem, &list);
	list_pairs(lobby, &problem, &list);
	set_sizes(lobby, request, &problem);
	block = lobby->room->take(split_many_room(&problem));
	split->proof = split_many(&problem, block, team, &objective);
	lobby->room->give_back(block);
	split->answer.found = split->proof >= SPLIT_FOUND;
	if (!split->answer.found)
		return;
	for (c = 0; c < problem.n; c++)
		split->answer.team[list.player[c]] = team[c];
	describe_many(lobby, request, objective, split);
}
