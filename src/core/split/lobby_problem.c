/*
 * lobby_problem.c
 *		A lobby of two teams as a problem of the core.
 */
#include "core/split/lobby_problem.h"

#include <math.h>
#include <string.h>

#include "core/util/extremes.h"

/*
 * Steps that a search takes besides its method: to find the groups, for each two players
 * and for each player and pair to keep apart; then for each two options, which are
 * exchanged several times.
 */
#define STEPS_OF_PLAYER 10
#define STEPS_OF_AVOIDING 4
#define STEPS_OF_PAIR 12
#define STEPS_OF_LARGE_GROUP 2e7

/* Begin a problem with the lobby's constraints, without sizes, targets and values. */
static void
begin_problem(const Lobby *lobby, SplitProblem *problem)
{
	size_t		n = (size_t) lobby->n;

	/* The problem borrows the arrays of the lobby, which must outlive it. */
	*problem = (SplitProblem)
	{
		.n = lobby->n,.party = lobby->party,.evenly = lobby->evenly,
			.allowed_teams = lobby->allowed_teams,.commander = lobby->commander,
			.apart = lobby->apart,.napart = lobby->napart,.home = lobby->home,
			.max_room = lobby->room->most,
			.max_work = lobby->max_work,.interrupt = lobby->interrupt,
			.member = room_array(lobby->room, sizeof(int), n),
			.root = room_array(lobby->room, sizeof(int), n),
			.order = room_array(lobby->room, sizeof(int), n),
			.group = room_array(lobby->room, sizeof(SplitGroup), n)
	};
}

SplitStatus
prepare_problem(const Lobby *lobby, SplitProblem *problem)
{
	SplitStatus status = split_group(problem);

	if (status != SPLIT_OK)
		return status;

	/*
	 * The number of options is known only after the groups are made, and it
	 * can be exponential in the size of a group.
	 */
	problem->option = room_array(lobby->room, sizeof(SplitOption), problem->noptions);
	split_make_options(problem);
	split_choose(problem);
	return SPLIT_OK;
}

/* The steps that are taken besides those of the method, by players, pairs and options. */
static double
steps_around_search(double n, double napart, double noptions)
{
	return n * (STEPS_OF_PLAYER * n + STEPS_OF_AVOIDING * napart) +
		STEPS_OF_PAIR * noptions * noptions;
}

/*
 * Prepare a problem, and solve it unless that takes more steps, all in all, than most_work
 * even in the coarsest way.
 */
static SplitStatus
solve_within(const Lobby *lobby, SplitProblem *problem, double most_work,
			 SplitAnswer *answer)
{
	SplitStatus status = prepare_problem(lobby, problem);
	double		least;
	void	   *block;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (status != SPLIT_OK)
		return status;

	/*
	 * Without enough work left the search is not begun: its answers stay "not
	 * found", which is no error for a caller that tries variants.
	 */
	least = steps_around_search(problem->n, problem->napart, (double) problem->noptions);
	if (problem->work + least <= most_work)
	{
		block = lobby->room->take(problem->room);
		split_solve(problem, block, answer);
		lobby->room->give_back(block);
	}
	problem->spent += steps_around_search(problem->n, problem->napart, 0);
	lobby->room->give_back(problem->option);
	return SPLIT_OK;
}

/* The products of numbers and a factor. */
static double *
multiplied(const Lobby *lobby, const double *number, double factor)
{
	double	   *product = lobby_numbers(lobby);
	int			i;

	for (i = 0; i < lobby->n; i++)
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
		problem->value[i] = multiplied(lobby, lobby->mu[i], factors.player[i]);
		if (lobby->command[0] != NULL)
			problem->command_value[i] =
				multiplied(lobby, lobby->command[i],
						   lobby->command_weight * factors.difference);
	}
	if (lobby->counts_moves)
		problem->current = lobby->current;
	return factors;
}

/* A size as the core has it: with homes, the numbers of those who leave either team. */
static SplitSize
size_of_problem(const Lobby *lobby, SplitSize size)
{
	int			leave = size.moves - size.count[0];
	int			i;

	if (lobby->home == NULL)
		return size;
	for (i = 0; i < lobby->n; i++)
		leave += lobby->home[i] == 1;
	leave /= 2;
	return (SplitSize)
	{
		.count =
		{
			leave, size.moves - leave
		}
	};
}

void
split_sizes_within(const Lobby *lobby, const SplitSize *size, int n, double most_work,
				   Split *split)
{
	SplitProblem problem;
	SplitSize  *sought = room_array(lobby->room, sizeof(SplitSize), (size_t) n);
	double	   *target = room_array(lobby->room, sizeof(double), (size_t) n);
	SplitAnswer *answer = room_zeros(lobby->room, sizeof(SplitAnswer), (size_t) n);
	SplitStatus status;
	double		steps;
	int			i;

	(void) begin_two_teams(lobby, size[0], &problem);
	for (i = 0; i < n; i++)
	{
		LobbyFactors factors = lobby_factors(lobby, size[i]);

		sought[i] = size_of_problem(lobby, size[i]);
		target[i] = lobby_target(lobby, &factors);
		if (lobby->home != NULL)
			target[i] = split_home_lead(&problem) - target[i];
		answer[i].team = lobby_integers(lobby);
	}
	problem.size = sought;
	problem.nsizes = n;
	problem.target = target;
	status = solve_within(lobby, &problem, most_work, answer);

	/* Options are made and compared whatever the method takes. */
	steps = status == SPLIT_GROUP_TOO_LARGE ? STEPS_OF_LARGE_GROUP :
		larger(problem.spent,
			   steps_around_search(problem.n, problem.napart, (double) problem.noptions));

	/* The problem is kept for its groups; these are gone by then. */
	problem.size = NULL;
	problem.target = NULL;
	for (i = 0; i < n; i++)
	{
		LobbyFactors factors = lobby_factors(lobby, size[i]);

		split[i] = (Split)
		{
			.answer = answer[i],.moves = size[i].moves,.steps = steps,.status = status,.problem = problem
		};
		if (answer[i].found)
			describe_split(lobby, &factors, lobby_target(lobby, &factors), &split[i]);
	}
	lobby->room->give_back(sought);
	lobby->room->give_back(target);
	lobby->room->give_back(answer);
}

void
split_sizes(const Lobby *lobby, const SplitSize *size, int n, Split *split)
{
	split_sizes_within(lobby, size, n, INFINITY, split);
}

void
split_one_size(const Lobby *lobby, SplitSize size, Split *split)
{
	split_sizes(lobby, &size, 1, split);
}
