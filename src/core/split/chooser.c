/*
 * chooser.c
 *		The split of a lobby that a request asks for: on top of what splits two teams,
 *		what splits more, and what chooses among the splits of two.
 */
#include "core/split/chooser.h"

#include <math.h>
#include <string.h>

#include "core/split/lobby_problem.h"
#include "core/split/many_teams.h"
#include "core/split/near_split.h"

/* Split into two teams of these numbers, whichever is the larger one. */
static void
split_either_way(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitSize	size = {.count = {request->size[0], request->size[1]},.moves = request->moves};
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
	int		   *team = lobby_integers(lobby);
	void	   *began = lobby->room->begin();

	split_lobby(lobby, request, split);
	memcpy(team, split->answer.team, sizeof(int) * (size_t) lobby->n);
	split->answer.team = team;
	memset(&split->problem, 0, sizeof(SplitProblem));
	lobby->room->end(began);
}
