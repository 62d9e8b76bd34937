/*
 * constraints.c
 *		The constraints of a lobby, one by one, and which are in the way of a split.
 */
#include "pg/teams/constraints.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "pg/teams/chooser.h"
#include "pg/teams/lobby_problem.h"

/* In larger lobbies a conflict is not explained. */
#define MAX_TO_EXPLAIN 100

/* Whether there is any split of a lobby, however uneven. */
static bool
is_feasible(const Lobby *lobby, const SplitRequest *request)
{
	Lobby		flat = *lobby;
	SplitRequest anything = *request;
	double	   *zero = palloc0_array(double, lobby->n + 1);
	Split		split;

	flat.mu[0] = flat.mu[1] = zero;
	if (lobby->command[0] != NULL)
		flat.command[0] = flat.command[1] = zero;
	flat.even_difference = 0;
	flat.current = NULL;
	anything.secondary = SECONDARY_NONE;
	try_split(&flat, &anything, &split);
	pfree(split.answer.team);
	pfree(zero);
	return split.answer.found;
}

/* Whether a player is locked anywhere. */
static bool
is_locked(const Lobby *lobby, int player)
{
	return lobby->locked_teams != NULL &&
		lobby->locked_teams[player] != SPLIT_ANYWHERE(lobby->nteams);
}

/* Whether this player is the first of a party or group of several, by whom it is known. */
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

int
list_constraints(const Lobby *lobby, TeamConstraint **constraints)
{
	TeamConstraint *constraint = palloc_array(TeamConstraint, 3 * lobby->n + lobby->napart + 1);
	int			n = 0;
	int			i;

	*constraints = constraint;
	for (i = 0; i < lobby->n; i++)
		if (is_locked(lobby, i))
			constraint[n++] = (TeamConstraint)
		{
			CONSTRAINT_LOCK, i
		};
	for (i = 0; i < lobby->n; i++)
		if (leads_group(lobby, lobby->party, i))
			constraint[n++] = (TeamConstraint)
		{
			CONSTRAINT_PARTY, i
		};
	for (i = 0; i < lobby->n; i++)
		if (leads_group(lobby, lobby->evenly, i))
			constraint[n++] = (TeamConstraint)
		{
			CONSTRAINT_EVENLY, i
		};
	for (i = 0; i < lobby->napart; i++)
		constraint[n++] = (TeamConstraint)
	{
		CONSTRAINT_APART, i
	};
	if (lobby->priority != NULL && lobby->allowed_teams != lobby->locked_teams)
		constraint[n++] = (TeamConstraint)
	{
		CONSTRAINT_PRIORITY, 0
	};
	return n;
}

/* Lobby without one more constraint: what it has is its own by then, its pairs being empty. */
static void
drop_constraint(Lobby *without, const Lobby *lobby, const TeamConstraint *constraint)
{
	int			i;

	switch (constraint->kind)
	{
		case CONSTRAINT_LOCK:
			without->allowed_teams[constraint->number] = SPLIT_ANYWHERE(lobby->nteams);
			break;
		case CONSTRAINT_PARTY:
			for (i = 0; i < lobby->n; i++)
				if (lobby->party[i] == constraint->number + 1)
					without->party[i] = 0;
			break;
		case CONSTRAINT_EVENLY:
			for (i = 0; i < lobby->n; i++)
				if (lobby->evenly[i] == constraint->number + 1)
					without->evenly[i] = 0;
			break;
		case CONSTRAINT_PRIORITY:
			for (i = 0; i < lobby->n; i++)
				without->allowed_teams[i] = allowed_teams_of(lobby, lobby->locked_teams, i);
			break;
		case CONSTRAINT_APART:
			break;
	}
}

Lobby
drop_constraints(const Lobby *lobby, const TeamConstraint *constraint,
				 const bool *dropped, int n)
{
	Lobby		without = *lobby;
	int			i;

	if (lobby->allowed_teams != NULL)
	{
		without.allowed_teams = palloc_array(int, lobby->n);
		memcpy(without.allowed_teams, lobby->allowed_teams, sizeof(int) * lobby->n);
	}
	if (lobby->party != NULL)
	{
		without.party = palloc_array(int, lobby->n);
		memcpy(without.party, lobby->party, sizeof(int) * lobby->n);
	}
	if (lobby->evenly != NULL)
	{
		without.evenly = palloc_array(int, lobby->n);
		memcpy(without.evenly, lobby->evenly, sizeof(int) * lobby->n);
	}
	without.apart = palloc_array(SplitPair, lobby->napart + 1);
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

char *
describe_without(Lobby *lobby, const TeamConstraint *constraint)
{
	const SplitPair *pair;

	switch (constraint->kind)
	{
		case CONSTRAINT_LOCK:
			return psprintf("player %s is not locked",
							id_text(&lobby->type, lobby->player[constraint->number]));
		case CONSTRAINT_PARTY:
			return psprintf("the party of player %s is separated",
							id_text(&lobby->type, lobby->player[constraint->number]));
		case CONSTRAINT_EVENLY:
			return psprintf("the group of player %s is not split evenly",
							id_text(&lobby->type, lobby->player[constraint->number]));
		case CONSTRAINT_APART:
			pair = &lobby->apart[constraint->number];
			return psprintf("players %s and %s do not avoid each other",
							id_text(&lobby->type, lobby->player[pair->a]),
							id_text(&lobby->type, lobby->player[pair->b]));
		case CONSTRAINT_PRIORITY:
			break;
	}
	return pstrdup("priority does not decide who plays");
}

/*
 * Whether there is any split without the constraints that are dropped.  What that takes
 * is gone afterwards: the context is reset.
 */
static bool
is_feasible_without(const Lobby *lobby, const SplitRequest *request,
					const TeamConstraint *constraint, const bool *dropped, int n,
					MemoryContext trial)
{
	MemoryContext before = MemoryContextSwitchTo(trial);
	Lobby		without = drop_constraints(lobby, constraint, dropped, n);
	bool		feasible = is_feasible(&without, request);

	MemoryContextSwitchTo(before);
	MemoryContextReset(trial);
	return feasible;
}

/*
 * What is in the way of a split, in words, or NULL: a constraint without which there is one,
 * or constraints that cannot be kept together, of which none can be spared for that.
 */
static char *
find_conflict(Lobby *lobby, const SplitRequest *request)
{
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	bool	   *dropped = palloc0_array(bool, n + 1);
	MemoryContext trial;
	StringInfoData conflict;
	int			i;

	/*
	 * Every constraint is tried, which should not take longer than it is
	 * worth.
	 */
	if (lobby->n > MAX_TO_EXPLAIN)
		return NULL;

	/* An error is reported next, which frees the rest. */
	trial = AllocSetContextCreate(CurrentMemoryContext, "constraint on trial",
								  ALLOCSET_DEFAULT_SIZES);
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		if (is_feasible_without(lobby, request, constraint, dropped, n, trial))
			return psprintf("There is one if %s.", describe_without(lobby, &constraint[i]));
		dropped[i] = false;
	}

	/*
	 * With constraints dropped for good as long as there is no split, those
	 * left conflict.
	 */
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		dropped[i] = !is_feasible_without(lobby, request, constraint, dropped, n, trial);
	}
	initStringInfo(&conflict);
	for (i = 0; i < n; i++)
		if (!dropped[i])
			appendStringInfo(&conflict, "%s%s", conflict.len > 0 ? ", or " :
							 "More than one thing is in the way.  One of them is gone if ",
							 describe_without(lobby, &constraint[i]));
	if (conflict.len == 0)
		return NULL;
	appendStringInfoChar(&conflict, '.');
	return conflict.data;
}

/* Sizes as a list. */
static char *
size_list(const Lobby *lobby, const SplitRequest *request)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < lobby->nteams; i++)
		appendStringInfo(&list, "%s%d", i == 0 ? "" : i == lobby->nteams - 1 ? " and " : ", ",
						 request->size[i]);
	return list.data;
}

void
report_no_split(Lobby *lobby, const SplitRequest *request, const Split *split)
{
	const SplitProblem *problem = &split->problem;
	const SplitGroup *group = split->status == SPLIT_OK ? NULL :
		&problem->group[problem->at_fault];
	const char *kept;
	const char *kept_with_commanders;
	char	   *conflict;

	if (split->status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(lobby, problem);
	if (lobby->nteams > 2 && split->proof == SPLIT_NONE_FOUND)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no split into teams of %s was found that keeps party, locked and avoid",
						size_list(lobby, request)),
				 errhint("There may be one, which fewer constraints make easier to find.")));
	conflict = find_conflict(lobby, request);
	kept = lobby->evenly == NULL ?
		"there is no split into teams of %s that keeps party, locked and avoid" :
		"there is no split into teams of %s that keeps party, locked, avoid and split_evenly";
	kept_with_commanders = lobby->evenly == NULL ?
		"there is no split into teams of %s that keeps party, locked and avoid and has a commander on either side" :
		"there is no split into teams of %s that keeps party, locked, avoid and split_evenly and has a commander on either side";
	if (split->status == SPLIT_NO_OPTION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 lobby->evenly == NULL ?
				 errmsg("party, locked and avoid of %s contradict one another",
						member_names(lobby, problem, group)) :
				 errmsg("party, locked, avoid and split_evenly of %s contradict one another",
						member_names(lobby, problem, group)),
				 conflict != NULL ? errdetail("%s", conflict) : 0));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 lobby->command[0] == NULL ?
			 errmsg(kept, size_list(lobby, request)) :
			 errmsg(kept_with_commanders, size_list(lobby, request)),
			 conflict != NULL ? errdetail("%s", conflict) : 0));
}
