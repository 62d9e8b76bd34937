/*
 * constraints.c
 *		The constraints of a lobby in words, and errors that name them.
 */
#include "pg/teams/constraints.h"

#include "lib/stringinfo.h"

/* In larger lobbies a conflict is not explained, as every constraint is tried for that. */
#define MAX_TO_EXPLAIN 100

char *
describe_without(const Lobby *lobby, const TeamConstraint *constraint)
{
	const SplitPair *pair;

	switch (constraint->kind)
	{
		case CONSTRAINT_LOCK:
			return psprintf("player %s is not locked", player_text(lobby, constraint->number));
		case CONSTRAINT_PARTY:
			return psprintf("the party of player %s is separated",
							player_text(lobby, constraint->number));
		case CONSTRAINT_EVENLY:
			return psprintf("the group of player %s is not split evenly",
							player_text(lobby, constraint->number));
		case CONSTRAINT_APART:
			pair = &lobby->apart[constraint->number];
			return psprintf("players %s and %s do not avoid each other",
							player_text(lobby, pair->a), player_text(lobby, pair->b));
		case CONSTRAINT_PRIORITY:
			break;
	}
	return pstrdup("priority does not decide who plays");
}

/*
 * What is in the way of a split, in words, or NULL: a constraint without which there is one,
 * or constraints that cannot be kept together, of which none can be spared for that.
 */
static char *
describe_conflict(const Lobby *lobby, const SplitRequest *request)
{
	TeamConstraint *constraint;
	StringInfoData conflict;
	bool	   *kept;
	int			n;
	int			alone;
	int			i;

	if (lobby->n > MAX_TO_EXPLAIN)
		return NULL;
	n = list_constraints(lobby, &constraint);
	kept = palloc_array(bool, n + 1);
	alone = find_conflict(lobby, request, constraint, n, kept);
	if (alone >= 0)
		return psprintf("There is one if %s.", describe_without(lobby, &constraint[alone]));
	initStringInfo(&conflict);
	for (i = 0; i < n; i++)
		if (kept[i])
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

/* The members of the group in the way of a problem as a list. */
static char *
group_at_fault(const Lobby *lobby, const SplitProblem *problem)
{
	const SplitGroup *group = &problem->group[problem->at_fault];

	return player_list(lobby, problem->member + group->first_member, group->nmembers);
}

void
report_large_group(const Lobby *lobby, const SplitProblem *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many players are connected by constraints: %d",
					problem->group[problem->at_fault].nmembers),
			 errdetail("They are %s.", group_at_fault(lobby, problem)),
			 errhint("Fewer pairs to avoid, and fewer players to split evenly, make smaller groups.")));
}

void
report_no_split(const Lobby *lobby, const SplitRequest *request, const Split *split)
{
	char	   *sizes = size_list(lobby, request);
	char	   *conflict;

	if (split->status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(lobby, &split->problem);
	if (lobby->nteams > 2 && split->proof == SPLIT_NONE_FOUND)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no split into teams of %s was found that keeps all constraints", sizes),
				 errhint("There may be one, which fewer constraints make easier to find.")));
	conflict = describe_conflict(lobby, request);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 split->status == SPLIT_NO_OPTION ?
			 errmsg("the constraints of %s contradict one another",
					group_at_fault(lobby, &split->problem)) :
			 lobby->command[0] == NULL ?
			 errmsg("there is no split into teams of %s that keeps all constraints", sizes) :
			 errmsg("there is no split into teams of %s that keeps all constraints and has a commander on either side",
					sizes),
			 conflict != NULL ? errdetail("%s", conflict) : 0));
}
