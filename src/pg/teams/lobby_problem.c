/*
 * lobby_problem.c
 *		A lobby of two teams as a problem of the core.
 */
#include "pg/teams/lobby_problem.h"

#include "lib/stringinfo.h"

/*
 * Steps that a search takes besides its method: to find the groups, for each two players
 * and for each player and pair to keep apart; then for each two options, which are
 * exchanged several times.
 */
#define STEPS_OF_PLAYER 10
#define STEPS_OF_AVOIDING 4
#define STEPS_OF_PAIR 12
#define STEPS_OF_LARGE_GROUP 2e7

void
begin_problem(const Lobby *lobby, SplitProblem *problem)
{
	int			n = lobby->n + 1;

	/*
	 * The problem borrows the arrays of the lobby, which must outlive it.
	 * Arrays of its own have room for one element more, because palloc() of a
	 * lobby of nobody would be a zero-sized array.
	 */
	memset(problem, 0, sizeof(SplitProblem));
	problem->n = lobby->n;
	problem->party = lobby->party;
	problem->evenly = lobby->evenly;
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

	/*
	 * The number of options is known only after the groups are made, and it
	 * can be exponential in the size of a group.
	 */
	check_room(mul_size(sizeof(SplitOption), problem->noptions + 1));
	problem->option = palloc_array(SplitOption, problem->noptions + 1);
	split_make_options(problem);
	split_choose(problem);
	return SPLIT_OK;
}

double
steps_around_search(double n, double napart, double noptions)
{
	return n * (STEPS_OF_PLAYER * n + STEPS_OF_AVOIDING * napart) +
		STEPS_OF_PAIR * noptions * noptions;
}

SplitStatus
solve_problem_within(SplitProblem *problem, double most_work, SplitAnswer *answer)
{
	SplitStatus status = prepare_problem(problem);
	double		least;
	void	   *room;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (status != SPLIT_OK)
		return status;

	/*
	 * Without enough work left the search is not begun: its answers stay "not
	 * found", which is no error for a caller that tries variants.
	 */
	least = steps_around_search(problem->n, problem->napart, problem->noptions);
	if (problem->work + least <= most_work)
	{
		check_room(problem->room);

		/*
		 * The core allocates nothing: it says how much room the search takes,
		 * and gets it here. An interrupt in the search leaves by longjmp(),
		 * and the memory context takes the room back.
		 */
		room = palloc_array(char, problem->room);
		split_solve(problem, room, answer);
		pfree(room);
	}
	problem->spent += steps_around_search(problem->n, problem->napart, 0);
	pfree(problem->option);
	return SPLIT_OK;
}

SplitStatus
solve_problem(SplitProblem *problem, SplitAnswer *answer)
{
	return solve_problem_within(problem, INFINITY, answer);
}

/* The products of n numbers and a factor. */
static double *
multiplied(const double *number, double factor, int n)
{
	double	   *product = palloc_array(double, n + 1);
	int			i;

	for (i = 0; i < n; i++)
		product[i] = number[i] * factor;
	return product;
}

LobbyFactors
begin_two_teams(const Lobby *lobby, SplitSize size, SplitProblem *problem)
{
	LobbyFactors factors = lobby_factors(lobby, size);
	int			i;

	begin_problem(lobby, problem);
	for (i = 0; i < 2; i++)
	{
		problem->value[i] = multiplied(lobby->mu[i], factors.player[i], lobby->n);
		if (lobby->command[0] != NULL)
			problem->command_value[i] =
				multiplied(lobby->command[i],
						   lobby->command_weight * factors.difference, lobby->n);
	}
	if (lobby->counts_moves)
		problem->current = lobby->current;
	return factors;
}

void
split_one_size(const Lobby *lobby, SplitSize size, Split *split)
{
	SplitProblem *problem = &split->problem;
	LobbyFactors factors;
	double		target;

	memset(split, 0, sizeof(Split));
	factors = begin_two_teams(lobby, size, problem);

	/*
	 * The two locals below are lent to the problem for the time of the
	 * search.
	 */
	target = lobby_target(lobby, &factors);
	problem->size = &size;
	problem->nsizes = 1;
	problem->target = &target;
	split->answer.team = palloc_array(int, lobby->n + 1);
	split->status = solve_problem(problem, &split->answer);
	if (split->answer.found)
		describe_split(lobby, &factors, target, split);

	/* Options are made and compared whatever the method takes. */
	split->steps = split->status == SPLIT_GROUP_TOO_LARGE ? STEPS_OF_LARGE_GROUP :
		Max(problem->spent,
			steps_around_search(problem->n, problem->napart, problem->noptions));

	/* The problem is kept for its groups; these are gone by then. */
	problem->size = NULL;
	problem->target = NULL;
}

char *
member_names(const Lobby *lobby, const SplitProblem *problem,
			 const SplitGroup *group)
{
	IdType		type = lobby->type;
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < group->nmembers; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 id_text(&type,
								 lobby->player[problem->member[group->first_member + i]]));
	return names.data;
}

void
report_large_group(const Lobby *lobby, const SplitProblem *problem)
{
	const SplitGroup *group = &problem->group[problem->at_fault];

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many players are connected by constraints: %d",
					group->nmembers),
			 errdetail("They are %s.", member_names(lobby, problem, group)),
			 errhint("Fewer pairs to avoid, and fewer players to split evenly, make smaller groups.")));
}
