/*
 * constraints.c
 *		The constraints of a lobby, one by one, and which are in the way of a split.
 */
#include "core/split/constraints.h"

#include "core/split/chooser.h"

/* Whether a player of that number is the first of a group of several. */
static bool
leads_group(const Lobby *lobby, const int *group, int player)
{
	int			i;

	if (group == NULL || group[player] != player + 1)
		return false;
	for (i = player + 1; i < lobby->n; i++)
		if (group[i] == player + 1)
			return true;
	return false;
}

/* Whether a lobby has the constraint of a kind with that number. */
static bool
has_constraint(const Lobby *lobby, ConstraintKind kind, int number)
{
	switch (kind)
	{
		case CONSTRAINT_LOCK:
			return number < lobby->n && lobby->locked_teams != NULL &&
				lobby->locked_teams[number] != SPLIT_ANYWHERE(lobby->nteams);
		case CONSTRAINT_PARTY:
			return number < lobby->n && leads_group(lobby, lobby->party, number);
		case CONSTRAINT_EVENLY:
			return number < lobby->n && leads_group(lobby, lobby->evenly, number);
		case CONSTRAINT_APART:
			return number < lobby->napart;
		case CONSTRAINT_COMMAND:
			/* Unless some are named, all may. */
			return number == 0 && lobby->command[0] != NULL && lobby->commander != NULL;
		case CONSTRAINT_PRIORITY:
			break;
	}
	return number == 0 && lobby->priority != NULL &&
		lobby->allowed_teams != lobby->locked_teams;
}

int
list_constraints(const Lobby *lobby, TeamConstraint **constraints)
{
	int			most = lobby->n > lobby->napart ? lobby->n : lobby->napart;
	TeamConstraint *constraint = room_array(lobby->room, sizeof(TeamConstraint),
											3 * (size_t) lobby->n + (size_t) lobby->napart + 2);
	int			n = 0;
	int			kind;
	int			i;

	*constraints = constraint;
	for (kind = CONSTRAINT_LOCK; kind <= CONSTRAINT_PRIORITY; kind++)
		for (i = 0; i < most; i++)
			if (has_constraint(lobby, (ConstraintKind) kind, i))
				constraint[n++] = (TeamConstraint)
			{
				(ConstraintKind) kind, i
			};
	return n;
}

/* Lobby without one more constraint: what it has is its own by then, its pairs being empty. */
static void
drop_constraint(Lobby *without, const Lobby *lobby, const TeamConstraint *constraint)
{
	int		   *group = constraint->kind == CONSTRAINT_PARTY ? without->party : without->evenly;
	int			i;

	switch (constraint->kind)
	{
		case CONSTRAINT_LOCK:
			without->allowed_teams[constraint->number] = SPLIT_ANYWHERE(lobby->nteams);
			break;
		case CONSTRAINT_PARTY:
		case CONSTRAINT_EVENLY:
			for (i = 0; i < lobby->n; i++)
				if (group[i] == constraint->number + 1)
					group[i] = 0;
			break;
		case CONSTRAINT_PRIORITY:
			for (i = 0; i < lobby->n; i++)
				without->allowed_teams[i] = allowed_teams_of(lobby, lobby->locked_teams, i);
			break;
		case CONSTRAINT_COMMAND:
			without->commander = NULL;
			break;
		case CONSTRAINT_APART:
			break;
	}
}

/* A copy of an array with an element for each player, or NULL. */
static int *
copy_integers(const Lobby *lobby, const int *number)
{
	return number == NULL ? NULL :
		memcpy(lobby_integers(lobby), number, sizeof(int) * (size_t) lobby->n);
}

Lobby
drop_constraints(const Lobby *lobby, const TeamConstraint *constraint,
				 const bool *dropped, int n)
{
	Lobby		without = *lobby;
	int			i;

	without.allowed_teams = copy_integers(lobby, lobby->allowed_teams);
	without.party = copy_integers(lobby, lobby->party);
	without.evenly = copy_integers(lobby, lobby->evenly);
	without.apart = room_array(lobby->room, sizeof(SplitPair), (size_t) lobby->napart);
	without.napart = 0;

	/* Priority is last among constraints, but would bring locks back. */
	for (i = n - 1; i >= 0; i--)
		if (dropped[i])
			drop_constraint(&without, lobby, &constraint[i]);
	for (i = 0; i < n; i++)
		if (constraint[i].kind == CONSTRAINT_APART && !dropped[i])
			without.apart[without.napart++] = lobby->apart[constraint[i].number];
	return without;
}

bool
is_feasible_without(const Lobby *lobby, const SplitRequest *request,
					const TeamConstraint *constraint, const bool *dropped, int n,
					SplitStatus *status)
{
	void	   *began = lobby->room->begin();
	Lobby		flat = drop_constraints(lobby, constraint, dropped, n);
	SplitRequest anything = *request;
	double	   *zero = room_zeros(lobby->room, sizeof(double), (size_t) lobby->n);
	Split		split;

	flat.mu[0] = flat.mu[1] = zero;
	if (lobby->command[0] != NULL)
		flat.command[0] = flat.command[1] = zero;
	flat.even_difference = 0;
	flat.current = NULL;
	anything.secondary = SECONDARY_NONE;
	split_lobby(&flat, &anything, &split);
	*status = split.status;
	lobby->room->end(began);
	return split.answer.found;
}

int
find_conflict(const Lobby *lobby, const SplitRequest *request,
			  const TeamConstraint *constraint, int n, bool *kept)
{
	bool	   *dropped = room_zeros(lobby->room, sizeof(bool), (size_t) n);
	SplitStatus status;
	int			i;

	memset(kept, 0, sizeof(bool) * (size_t) n);
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		if (is_feasible_without(lobby, request, constraint, dropped, n, &status))
			return i;
		dropped[i] = false;
	}

	/*
	 * With constraints dropped for good as long as there is no split, those
	 * left conflict.
	 */
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		kept[i] = is_feasible_without(lobby, request, constraint, dropped, n, &status);
		dropped[i] = !kept[i];
	}
	return -1;
}
