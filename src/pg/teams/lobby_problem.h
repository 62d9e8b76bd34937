/*
 * lobby_problem.h
 *		A lobby of two teams as a problem of the core (core/split/split.h).
 *
 * The protocol is begin_problem() or begin_two_teams(), then the caller sets sizes,
 * targets and what else differs, then solve_problem().  Sizes and targets belong to the
 * caller and must live until that returns.
 */
#ifndef PG_TEAMS_LOBBY_PROBLEM_H
#define PG_TEAMS_LOBBY_PROBLEM_H

#include "pg/teams/lobby.h"

/* Bytes that a search among players may take, besides the players themselves. */
#define MAX_ROOM (64 * 1024 * 1024)

/* Begin a problem with the lobby's constraints, without sizes, targets and values. */
extern void begin_problem(const Lobby *lobby, SplitProblem *problem);

/* The same for two teams of a size, with what players are worth; returns the factors. */
extern LobbyFactors begin_two_teams(const Lobby *lobby, SplitSize size,
									SplitProblem *problem);

/* Errors (54000) if something takes more memory than a split may. */
extern void check_room(Size room);

/*
 * Make the options of a problem, and choose the method; options are the caller's to
 * free.  Errors (54000) if they take too much memory.
 */
extern SplitStatus prepare_problem(SplitProblem *problem);

/*
 * Prepare a problem, and solve it unless that takes more steps, all in all, than most_work
 * even in the coarsest way: then no answer is found.  Otherwise as solve_problem().  What was
 * spent on it is in problem->spent.
 */
extern SplitStatus solve_problem_within(SplitProblem *problem, double most_work,
										SplitAnswer *answer);

/* The steps that are taken besides those of the method, by players, pairs and options. */
extern double steps_around_search(double n, double napart, double noptions);

/*
 * Prepare and solve a problem.  Each answer has room for its teams.  Unless the status
 * is SPLIT_OK, none is found and problem->at_fault is the group in the way.
 */
extern SplitStatus solve_problem(SplitProblem *problem, SplitAnswer *answer);

/* Split a lobby into teams of one size; answer.found says whether that is possible. */
extern void split_one_size(const Lobby *lobby, SplitSize size, Split *split);

/*
 * Report (54000) that the constraints tie too many players to one another for a split
 * whose status is SPLIT_GROUP_TOO_LARGE.
 */
pg_noreturn extern void report_large_group(const Lobby *lobby,
										   const SplitProblem *problem);

/* The members of a group as a list. */
extern char *member_names(const Lobby *lobby, const SplitProblem *problem,
						  const SplitGroup *group);

#endif							/* PG_TEAMS_LOBBY_PROBLEM_H */
