/*
 * lobby_problem.c
 *		A lobby split into teams by the core, and what is in the way if it cannot be.
 */
#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

/* What a split may take, besides the lobby itself. */
#define MAX_ROOM (64 * 1024 * 1024)

/* In larger lobbies a conflict is not explained. */
#define MAX_TO_EXPLAIN 100

void
begin_problem(const Lobby *lobby, SplitProblem *problem)
{
	int			n = lobby->n + 1;

	memset(problem, 0, sizeof(SplitProblem));
	problem->n = lobby->n;
	problem->party = lobby->party;
	problem->allowed_teams = lobby->allowed_teams;
	problem->commander = lobby->commander;
	problem->apart = lobby->apart;
	problem->napart = lobby->napart;
	problem->max_room = MAX_ROOM;
	problem->max_work = lobby->max_work;
	problem->interrupt = check_interrupts;
	problem->member = palloc_array(int, n);
	problem->root = palloc_array(int, n);
	problem->order = palloc_array(int, n);
	problem->group = palloc_array(SplitGroup, n);
}

void
check_room(Size room)
{
	if (room > MAX_ROOM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("splitting these players would take %zu MB, more than %d",
						room >> 20, MAX_ROOM >> 20),
				 errhint("Fewer players, or with fewer pairs to avoid, can be split.")));
}

SplitStatus
prepare_problem(SplitProblem *problem)
{
	SplitStatus status = split_group(problem);

	if (status != SPLIT_OK)
		return status;
	check_room(mul_size(sizeof(SplitOption), problem->noptions + 1));
	problem->option = palloc_array(SplitOption, problem->noptions + 1);
	split_make_options(problem);
	split_choose(problem);
	return SPLIT_OK;
}

SplitStatus
solve_problem(SplitProblem *problem, SplitAnswer *answer)
{
	SplitStatus status = prepare_problem(problem);
	void	   *room;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (status != SPLIT_OK)
		return status;
	check_room(problem->room);
	room = palloc(Max(problem->room, 1));
	split_solve(problem, room, answer);
	pfree(room);
	pfree(problem->option);
	return SPLIT_OK;
}

static int
greatest_common_divisor(int a, int b)
{
	while (b != 0)
	{
		int			rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Times so much, or as they are. */
static double *
scaled(const double *number, double by, int n)
{
	double	   *product = palloc_array(double, n + 1);
	int			i;

	for (i = 0; i < n; i++)
		product[i] = number[i] * by;
	return product;
}

LobbyScale
lobby_scale(const Lobby *lobby, SplitSize size)
{
	LobbyScale	scale = {{1, 1}, 1};
	int			n[2];
	int			divisor;
	int			i;

	/* Commanders do not count as players. */
	for (i = 0; i < 2; i++)
		n[i] = Max(size.count[i] - (lobby->command[0] != NULL ? 1 : 0), 1);
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			/* Ratings count by the number of the other team's players. */
			divisor = greatest_common_divisor(n[0], n[1]);
			scale.scale[0] = n[1] / divisor;
			scale.scale[1] = n[0] / divisor;
			scale.factor = n[0] * scale.scale[0];
			break;
		case TEAM_STRENGTH_SHARE:
			scale.factor = n[0] + n[1];
			break;
		case TEAM_STRENGTH_SUM:
			break;
	}
	return scale;
}

void
describe_split(const Lobby *lobby, const LobbyScale *scale, double target,
			   Split *split)
{
	/* Adding 0 makes 0 of -0. */
	split->difference = (split->answer.difference + target) / scale->factor + 0.0;
	split->imbalance_logit = split->answer.difference / scale->factor / lobby->scale + 0.0;
	split->bound = split->answer.bound / scale->factor;
}

LobbyScale
begin_two_teams(const Lobby *lobby, SplitSize size, SplitProblem *problem)
{
	LobbyScale	scale = lobby_scale(lobby, size);
	int			i;

	begin_problem(lobby, problem);
	for (i = 0; i < 2; i++)
	{
		problem->value[i] = scaled(lobby->rating[i], scale.scale[i], lobby->n);
		if (lobby->command[0] != NULL)
			problem->command_value[i] = scaled(lobby->command[i],
											   lobby->command_weight * scale.factor,
											   lobby->n);
	}
	if (lobby->counts_moves)
		problem->current = lobby->current;
	return scale;
}

double
lobby_target(const Lobby *lobby, const LobbyScale *scale)
{
	return lobby->even_difference * scale->factor;
}

void
split_one_size(const Lobby *lobby, SplitSize size, Split *split)
{
	SplitProblem *problem = &split->problem;
	LobbyScale	scale;
	double		target;

	memset(split, 0, sizeof(Split));
	scale = begin_two_teams(lobby, size, problem);
	target = lobby_target(lobby, &scale);
	problem->size = &size;
	problem->nsizes = 1;
	problem->target = &target;
	split->answer.team = palloc_array(int, lobby->n + 1);
	split->status = solve_problem(problem, &split->answer);
	if (split->answer.found)
		describe_split(lobby, &scale, target, split);

	/* The problem is kept for its groups; these are gone by then. */
	problem->size = NULL;
	problem->target = NULL;
}

bool
are_teams_alike(const Lobby *lobby)
{
	int			i;

	for (i = 0; i < lobby->n && lobby->allowed_teams != NULL; i++)
		if (((lobby->allowed_teams[i] & SPLIT_MAY(1)) != 0) !=
			((lobby->allowed_teams[i] & SPLIT_MAY(2)) != 0))
			return false;
	return lobby->rating[0] == lobby->rating[1] && lobby->even_difference == 0 &&
		lobby->command[0] == lobby->command[1];
}

double
lobby_mean(const Lobby *lobby)
{
	double		mean = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
		mean += mean_rating(lobby, i) / lobby->n;
	return mean;
}

/* Split into two teams of these numbers, whichever is the larger one. */
static void
split_either_way(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitSize	size = {.count = {request->size[0], request->size[1]}};
	SplitSize	other = {.count = {request->size[1], request->size[0]}};
	Split		mirror;

	split_one_size(lobby, size, split);
	if (request->size[0] == request->size[1] || request->in_order ||
		are_teams_alike(lobby))
		return;
	split_one_size(lobby, other, &mirror);
	if (mirror.answer.found &&
		(!split->answer.found || fabs(mirror.imbalance_logit) < fabs(split->imbalance_logit)))
		*split = mirror;
}

/* By how much a team's sum is its strength, if so many play in the team and in all. */
static double
strength_by(const Lobby *lobby, int size, int playing)
{
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			return 1.0 / size;
		case TEAM_STRENGTH_SHARE:
			return 1.0 / playing;
		case TEAM_STRENGTH_SUM:
			break;
	}
	return 1;
}

void
team_strengths(const Lobby *lobby, const SplitAnswer *answer, double *strength)
{
	int			size[SPLIT_MAX_TEAMS + 1] = {0};
	double		sum[SPLIT_MAX_TEAMS + 1] = {0};
	double		command[SPLIT_MAX_TEAMS + 1] = {0};
	int			playing = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		int			team = answer->team[i];
		int			column = team == 2 ? 1 : 0;

		/* Commanders do not count as players. */
		if (lobby->command[0] != NULL && team != SPLIT_BENCH &&
			answer->commander[team - 1] == i)
		{
			command[team] = lobby->command[column][i] * lobby->command_weight;
			continue;
		}
		size[team]++;
		playing += team != SPLIT_BENCH;
		sum[team] += lobby->rating[column][i];
	}
	for (i = 1; i <= lobby->nteams; i++)
		strength[i - 1] = command[i] +
			sum[i] * strength_by(lobby, Max(size[i], 1), Max(playing, 1));
}

/* Split into more than two teams. */
static void
split_into_many(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitManyProblem problem = {
		.napart = 0,.nteams = lobby->nteams,.objective = request->objective,
		.max_work = lobby->max_work,.interrupt = check_interrupts
	};
	int		   *player = palloc_array(int, lobby->n + 1);
	int		   *place = palloc_array(int, lobby->n + 1);
	double	   *value = palloc_array(double, lobby->n + 1);
	int		   *party = palloc_array(int, lobby->n + 1);
	int		   *places = palloc_array(int, lobby->n + 1);
	SplitPair  *apart = palloc_array(SplitPair, lobby->napart + 1);
	int		   *team = palloc_array(int, lobby->n + 1);
	double		strength[SPLIT_MAX_TEAMS];
	double		low = INFINITY;
	double		high = -INFINITY;
	double		objective;
	int			playing = 0;
	Size		room;
	void	   *block;
	int			i,
				p;

	memset(split, 0, sizeof(Split));
	split->answer.team = palloc0_array(int, lobby->n + 1);
	split->answer.commander[0] = split->answer.commander[1] = -1;

	/* Those who may only sit out, and who comes with them, are left out. */
	for (i = 0; i < lobby->n; i++)
	{
		place[i] = -1;
		if (lobby->allowed_teams != NULL && lobby->allowed_teams[i] == SPLIT_MAY(SPLIT_BENCH))
			continue;
		place[i] = problem.n;
		player[problem.n] = i;
		value[problem.n] = lobby->rating[0][i];
		party[problem.n] = lobby->party != NULL ? lobby->party[i] : 0;
		places[problem.n++] = allowed_teams_of(lobby, lobby->allowed_teams, i);
	}
	for (i = 0; i < lobby->n && lobby->party != NULL; i++)
		if (place[i] < 0 && lobby->party[i] != 0)
			for (p = 0; p < problem.n; p++)
				if (party[p] == lobby->party[i])
					places[p] &= SPLIT_MAY(SPLIT_BENCH);
	for (i = 0; i < lobby->napart; i++)
		if (place[lobby->apart[i].a] >= 0 && place[lobby->apart[i].b] >= 0)
			apart[problem.napart++] = (SplitPair)
		{
			place[lobby->apart[i].a],
				place[lobby->apart[i].b]
		};
	for (i = 0; i < lobby->nteams; i++)
		playing += request->size[i];
	for (i = 0; i < lobby->nteams; i++)
	{
		problem.size[i] = request->size[i];
		problem.factor[i] = strength_by(lobby, request->size[i], playing);
	}
	problem.share = lobby->strength == TEAM_STRENGTH_MEAN ? 1.0 / playing :
		problem.factor[0] / lobby->nteams;
	problem.value = value;
	problem.party = party;
	problem.allowed_teams = places;
	problem.apart = apart;
	room = split_many_room(&problem);
	check_room(room);
	block = palloc(room);
	split->proof = split_many(&problem, block, team, &objective);
	pfree(block);
	split->answer.found = split->proof >= SPLIT_FOUND;
	if (!split->answer.found)
		return;
	for (i = 0; i < problem.n; i++)
		split->answer.team[player[i]] = team[i];
	team_strengths(lobby, &split->answer, strength);
	for (i = 0; i < lobby->nteams; i++)
	{
		low = Min(low, strength[i]);
		high = Max(high, strength[i]);
	}
	split->difference = high - low;
	if (request->objective == SPLIT_SQUARES)
		objective = sqrt(objective / lobby->nteams);
	split->imbalance_logit = objective / lobby->scale;
	split->bound = split->proof == SPLIT_PROVEN ? 0 : objective;
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

/*
 * ---- Ties ----
 */

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

/* Whether there is any split of a lobby, however uneven. */
static bool
is_feasible(const Lobby *lobby, const SplitRequest *request)
{
	Lobby		flat = *lobby;
	SplitRequest anything = *request;
	double	   *zero = palloc0_array(double, lobby->n + 1);
	Split		split;

	flat.rating[0] = flat.rating[1] = zero;
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

/* Whether this player is the first of a party of several, by whom it is known. */
static bool
leads_party(const Lobby *lobby, int player)
{
	int			i;

	if (lobby->party == NULL || lobby->party[player] != player + 1)
		return false;
	for (i = player + 1; i < lobby->n; i++)
		if (lobby->party[i] == player + 1)
			return true;
	return false;
}

int
list_constraints(const Lobby *lobby, TeamConstraint **constraints)
{
	TeamConstraint *constraint = palloc_array(TeamConstraint, 2 * lobby->n + lobby->napart + 1);
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
		if (leads_party(lobby, i))
			constraint[n++] = (TeamConstraint)
		{
			CONSTRAINT_PARTY, i
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
		case CONSTRAINT_PRIORITY:
			for (i = 0; i < lobby->n; i++)
				without->allowed_teams[i] = allowed_teams_of(lobby, lobby->locked_teams, i);
			break;
		case CONSTRAINT_APART:
			break;
	}
}

Lobby
drop_constraints(const Lobby *lobby, const TeamConstraint *constraint, const bool *dropped, int n)
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
 * What is in the way of a split, in words, or NULL: a constraint without which there is one,
 * or constraints that cannot be kept together, of which none can be spared for that.
 */
static char *
find_conflict(Lobby *lobby, const SplitRequest *request)
{
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	bool	   *dropped = palloc0_array(bool, n + 1);
	StringInfoData conflict;
	Lobby		without;
	int			i;

	/*
	 * Every constraint is tried, which should not take longer than it is
	 * worth.
	 */
	if (lobby->n > MAX_TO_EXPLAIN)
		return NULL;
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		without = drop_constraints(lobby, constraint, dropped, n);
		if (is_feasible(&without, request))
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
		without = drop_constraints(lobby, constraint, dropped, n);
		dropped[i] = !is_feasible(&without, request);
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

/* The members of a group as a list. */
static char *
member_names(Lobby *lobby, const SplitProblem *problem, const SplitGroup *group)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < group->nmembers; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 id_text(&lobby->type,
								 lobby->player[problem->member[group->first_member + i]]));
	return names.data;
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
	char	   *conflict;

	if (split->status == SPLIT_GROUP_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many players are tied to one another: %d",
						group->nmembers),
				 errdetail("They are %s.", member_names(lobby, problem, group)),
				 errhint("Fewer pairs to avoid make smaller groups.")));
	if (lobby->nteams > 2 && split->proof == SPLIT_NONE_FOUND)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no split into teams of %s was found that keeps party, locked and avoid",
						size_list(lobby, request)),
				 errhint("There may be one.  Fewer constraints make it easier to find.")));
	conflict = find_conflict(lobby, request);
	if (split->status == SPLIT_NO_OPTION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("party, locked and avoid of %s contradict one another",
						member_names(lobby, problem, group)),
				 conflict != NULL ? errdetail("%s", conflict) : 0));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no split into teams of %s that keeps party, locked and avoid%s",
					size_list(lobby, request),
					lobby->command[0] != NULL ? " and has a commander on either side" : ""),
			 conflict != NULL ? errdetail("%s", conflict) : 0));
}
