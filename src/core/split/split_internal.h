/*
 * split_internal.h
 *		The interface between the files that split players into two teams.
 *
 * split.c is on top: it makes options, chooses a method and improves its answer.
 * split_reach.c and split_halves.c are the methods, split_second.c a search of its own,
 * and split_common.c is below all of them.  None allocates; blocks are the caller's.
 */
#ifndef CORE_SPLIT_SPLIT_INTERNAL_H
#define CORE_SPLIT_SPLIT_INTERNAL_H

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

/* The state of a single option. */
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

/* A state less another one, or -1 if that is not part of it. */
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

/*
 * The team in which a player is then.  With homes, the team of an option is the one that a
 * player leaves, and the bench is to stay.
 */
static inline int
split_final_team(const SplitProblem *problem, int player, int team)
{
	if (problem->home == NULL)
		return team;
	return team == SPLIT_BENCH ? problem->home[player] : 3 - problem->home[player];
}

/* Sums of options are told apart by class: by both counts and the state. */
static inline int
split_classes(const SplitProblem *problem)
{
	return (problem->max_count[0] + 1) * (problem->max_count[1] + 1) *
		split_states(problem, problem->max_moves);
}

/* The class of sums with a and b players on the teams, from 0 to split_classes() - 1. */
static inline int
split_class(const SplitProblem *problem, int a, int b, int state)
{
	return (a * (problem->max_count[1] + 1) + b) *
		split_states(problem, problem->max_moves) + state;
}

/*
 * ---- Shared by the methods: split_common.c ----
 */

/*
 * The code of a group's assignment, extended at the front by a member who is on the bench
 * (team 0) or on a team, as options have it.  Either may command the team in which it is
 * then.  Codes are made from the last member on.
 */
extern uint64_t split_code_with(uint64_t code, int team, bool commands);

/* What a member of a group does under an option: its team there, and whether it commands. */
extern int	split_player_does(const SplitOption *option, int member,
							  bool *commands);

/*
 * Turn a choice, the index of an option by group, into the answer for a size: teams,
 * commanders, difference and bound.  answer->found is the caller's to set.
 */
extern void split_take_answer(const SplitProblem *problem, int size, const int *choice,
							  SplitAnswer *answer);

/*
 * The number of groups, in the order of problem->order, in the first of two halves, of
 * which the larger has as few sums as can be; *sums is their number.
 */
extern int	split_middle(const SplitProblem *problem, double *sums);

/*
 * ---- The methods: split_reach.c and split_halves.c ----
 */

/*
 * The bytes that a method takes for the options as they are; the steps, of about a
 * nanosecond; and the method itself, which works in a block of that room.  It sets
 * answer[].found for each size and, where that is true, the choice of an option by
 * group: choice[] has ngroups elements for each size.
 */
extern size_t split_reach_room(const SplitProblem *problem);
extern double split_reach_work(const SplitProblem *problem);

/* The steps that it takes however few bits a row has, which the work above leaves out. */
extern double split_reach_overhead(const SplitProblem *problem);
extern void split_reach(const SplitProblem *problem, void *room, int *choice,
						SplitAnswer *answer);
extern size_t split_halves_room(const SplitProblem *problem);
extern double split_halves_work(const SplitProblem *problem);
extern void split_halves(const SplitProblem *problem, void *room, int *choice,
						 SplitAnswer *answer);

#endif							/* CORE_SPLIT_SPLIT_INTERNAL_H */
