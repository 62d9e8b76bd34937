/*
 * lobby_problem.h
 *		A lobby of two teams as a problem of split.h.
 *
 * Most callers need split_sizes() and its like only.  Whoever solves a problem otherwise begins
 * it by begin_two_teams(), sets sizes, targets and what else differs, and calls
 * prepare_problem().  Sizes and targets belong to the caller and must outlive the problem.
 */
#ifndef CORE_SPLIT_LOBBY_PROBLEM_H
#define CORE_SPLIT_LOBBY_PROBLEM_H

#include "core/split/lobby.h"

/*
 * Begin a problem of two teams of a size with the lobby's constraints and what players are worth,
 * without sizes and targets; returns the factors.
 */
extern LobbyFactors begin_two_teams(const Lobby *lobby, SplitSize size,
									SplitProblem *problem);

/* Make the options of a problem, which are the caller's to give back, and choose the method. */
extern SplitStatus prepare_problem(const Lobby *lobby, SplitProblem *problem);

/*
 * Split a lobby into teams of each of n sizes, in which a player is worth the same: a split for
 * each, of which answer.found says whether that is possible.  They share one search.
 */
extern void split_sizes(const Lobby *lobby, const SplitSize *size, int n, Split *split);

/*
 * The same, unless that takes more steps, all in all, than most_work even in the coarsest way:
 * then none is found.  What was spent on it is in problem.spent of each.
 */
extern void split_sizes_within(const Lobby *lobby, const SplitSize *size, int n,
							   double most_work, Split *split);

/* The same for one size, whatever it takes. */
extern void split_one_size(const Lobby *lobby, SplitSize size, Split *split);

#endif							/* CORE_SPLIT_LOBBY_PROBLEM_H */
