/*
 * split_internal.h
 *		What the files that split into two teams know of one another.
 */
#ifndef SPLIT_INTERNAL_H
#define SPLIT_INTERNAL_H

#include "core/split/split_problem.h"

/*
 * Besides counts, options add up to a state: how many players move and, in the lowest
 * bits, which teams have a commander, if there are any.
 */
static inline int
split_command_bits(const SplitProblem *problem)
{
	return problem->command_value[0] != NULL ? SPLIT_COMMAND_BITS : 0;
}

/* The number of states of at most so many moves: the first ones. */
static inline int
split_states(const SplitProblem *problem, int moves)
{
	return (moves + 1) << split_command_bits(problem);
}

static inline int
split_option_state(const SplitProblem *problem, const SplitOption *option)
{
	return option->moves << split_command_bits(problem) | option->command;
}

/* The state that a whole split of a size has: either team has a commander. */
static inline int
split_size_state(const SplitProblem *problem, const SplitSize *size)
{
	return split_states(problem, size->moves) - 1;
}

/* What is left of a state without another, or -1 if that is not part of it. */
static inline int
split_state_less(const SplitProblem *problem, int state, int other)
{
	int			bits = split_command_bits(problem);
	int			command = (1 << bits) - 1;
	int			moves = (state >> bits) - (other >> bits);

	if (moves < 0 || (other & command & ~state) != 0)
		return -1;
	return moves << bits | (state & ~other & command);
}

/* Sums of options are told apart by class: by both counts and the state. */
static inline int
split_classes(const SplitProblem *problem)
{
	return (problem->max_count[0] + 1) * (problem->max_count[1] + 1) *
		split_states(problem, problem->max_moves);
}

static inline int
split_class(const SplitProblem *problem, int a, int b, int state)
{
	return (a * (problem->max_count[1] + 1) + b) *
		split_states(problem, problem->max_moves) + state;
}

/*
 * ---- What the methods share: split_common.c ----
 */

/*
 * A code of what the members of a group do with that of one more in front: the bench
 * or a team, and whether it commands that team.
 */
extern uint64_t split_code_with(uint64_t code, int team, bool commands);

/* What a member of a group does under an option: the team, and whether it commands. */
extern int	split_player_does(const SplitOption *option, int member,
							  bool *commands);

/* Take options, by group, as an answer for a size. */
extern void split_take_answer(const SplitProblem *problem, int size, const int *choice,
							  SplitAnswer *answer);

/* How many groups the first half has, so that neither has more sums than these. */
extern int	split_middle(const SplitProblem *problem, double *sums);

/*
 * ---- The methods: split_reach.c and split_halves.c ----
 */

/*
 * The methods: what room they take for the options as they are, how many steps; and
 * for each size, whether there is an answer and which option it has, by group.
 */
extern size_t split_reach_room(const SplitProblem *problem);
extern double split_reach_work(const SplitProblem *problem);
extern void split_reach(const SplitProblem *problem, void *room, int *choice,
						SplitAnswer *answer);
extern size_t split_halves_room(const SplitProblem *problem);
extern double split_halves_work(const SplitProblem *problem);
extern void split_halves(const SplitProblem *problem, void *room, int *choice,
						 SplitAnswer *answer);

#endif							/* SPLIT_INTERNAL_H */
