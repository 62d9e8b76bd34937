/*
 * chooser.c
 *		The split of a lobby that a request asks for: on top of what splits two teams,
 *		what splits more, and what chooses among the splits of two.
 */
#include "pg/teams/chooser.h"

#include "utils/memutils.h"

#include "pg/teams/lobby_problem.h"
#include "pg/teams/many_teams.h"
#include "pg/teams/near_split.h"

/* Split into two teams of these numbers, whichever is the larger one. */
static void
split_either_way(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitSize	size = {.count = {request->size[0], request->size[1]}};
	SplitSize	other = {.count = {request->size[1], request->size[0]}};
	Split		mirror;
	double		steps;

	split_one_size(lobby, size, split);
	if (request->size[0] == request->size[1] || request->in_order ||
		are_teams_alike(lobby))
		return;
	split_one_size(lobby, other, &mirror);
	steps = split->steps + mirror.steps;
	if (mirror.answer.found &&
		(!split->answer.found || fabs(mirror.imbalance_logit) < fabs(split->imbalance_logit)))
		*split = mirror;
	split->steps = steps;
}

void
split_lobby(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	if (lobby->nteams > 2)
		split_into_many(lobby, request, split);
	else
	{
		split_either_way(lobby, request, split);
		if (split->answer.found)
			choose_near_split(lobby, request, split);
	}
}

void
try_split(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	MemoryContext trial = AllocSetContextCreate(CurrentMemoryContext, "split on trial",
												ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(trial);
	const int  *team;

	split_lobby(lobby, request, split);
	MemoryContextSwitchTo(before);
	team = split->answer.team;
	split->answer.team = palloc_array(int, lobby->n + 1);
	memcpy(split->answer.team, team, sizeof(int) * lobby->n);
	memset(&split->problem, 0, sizeof(SplitProblem));
	MemoryContextDelete(trial);
}
