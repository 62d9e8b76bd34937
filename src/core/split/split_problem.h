/*
 * split_problem.h
 *		The problem of splitting players into two teams and a bench.
 *
 * Players with constraints between them form a group.  A group has options: each is an
 * assignment of all its players that keeps the constraints, with the number of players
 * on either team and their value there.  A split picks an option for every group.
 * Whatever the constraints, the problem is the same: choose options whose values sum to
 * nearly a target, with given numbers of players on the teams.
 */
#ifndef CORE_SPLIT_SPLIT_PROBLEM_H
#define CORE_SPLIT_SPLIT_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/interrupt.h"

/* The places of players, and the same as bits of a set of allowed ones. */
#define SPLIT_NOWHERE (-1)		/* not there yet */
#define SPLIT_BENCH 0			/* then the first and the second team */
#define SPLIT_MAY(place) (1 << (place))
#define SPLIT_ANYWHERE(nteams) (SPLIT_MAY((nteams) + 1) - 1)

/* Teams that an option gives a commander, as bits, and how many. */
#define SPLIT_COMMANDS(team) (1 << ((team) - 1))
#define SPLIT_COMMAND_BITS 2

/* The most players in a group, whose assignment has to fit into a code. */
#define SPLIT_MAX_GROUP 24

typedef struct SplitPair
{
	int			a;
	int			b;
} SplitPair;

typedef struct SplitOption
{
	int			count[2];		/* players on either team */
	int			command;		/* teams that get a commander */
	int			moves;			/* players who leave where they are */
	double		value;			/* of the first team less that of the second */
	int64_t		quanta;			/* the same in quanta */
	uint64_t	code;			/* of the assignment, see split_player_does() */
} SplitOption;

typedef struct SplitGroup
{
	int			first_member;
	int			nmembers;
	int			first_option;
	int			noptions;
	double		largest;		/* value of an option, whichever its sign */
} SplitGroup;

/* The number of players on each team, and of those who move, if moves count. */
typedef struct SplitSize
{
	int			count[2];
	int			moves;
} SplitSize;

typedef enum SplitStatus
{
	SPLIT_OK,
	SPLIT_GROUP_TOO_LARGE,		/* group at fault: more than can be enumerated */
	SPLIT_NO_OPTION				/* group at fault: its constraints contradict
								 * one another */
} SplitStatus;

typedef enum SplitMethod
{
	SPLIT_BY_REACH,				/* which sums can be reached, see
								 * split_reach.c */
	SPLIT_BY_HALVES				/* all sums of each half, see split_halves.c */
} SplitMethod;

typedef struct SplitProblem
{
	/* Given: players, */
	int			n;
	const double *value[2];		/* of each on either team */
	const double *command_value[2]; /* as its commander, or NULL: there are
									 * none */
	const int  *party;			/* the same for those who stay together, or
								 * NULL; 0: none */
	const int  *evenly;			/* the same for those of whom neither team may
								 * have two more than the other, or NULL; 0:
								 * none */
	const int  *allowed_teams;	/* where each may be, or NULL for anywhere */
	const bool *commander;		/* who may command, or NULL for all */
	const int  *current;		/* where each is now, or NULL, as with homes: moves do not
								 * count */
	const SplitPair *apart;		/* not in the same team */
	int			napart;
	const int  *home;			/* the team that each is in, if everybody
								 * stays on a team and sizes are the numbers
								 * of those who leave either of them; or NULL */

	/* the answers sought, */
	const SplitSize *size;		/* each of these has an answer of its own */
	int			nsizes;
	const double *target;		/* by size: the lead of the first team, sums
								 * of values; with homes, what moves are to
								 * take off it, see split_home_lead() */
	size_t		max_room;		/* bytes that it may take, */
	double		max_work;		/* and steps of about a nanosecond */
	InterruptCheck interrupt;

	/* and room for n each. */
	int		   *member;			/* players by group, those of a party together */
	int		   *root;
	SplitGroup *group;
	int		   *order;			/* groups, as they are gone through */

	/* Found by split_group() and split_make_options(): */
	int			ngroups;
	int			at_fault;		/* a group, if there is an error */
	SplitOption *option;		/* noptions */
	size_t		noptions;
	int			max_count[2];	/* over all sizes */
	int			max_moves;

	/* And by split_choose(): */
	SplitMethod method;
	double		quantum;		/* of units, and the number of them that is
								 * taken off each player's value */
	int64_t		middle;
	bool		exact;			/* values are multiples of it */
	size_t		room;
	double		work;			/* steps of the method, as an estimate */
	double		spent;			/* by split_solve(): these, and those that
								 * improved its answers */
} SplitProblem;

/* The answer for a size; team[] has room for n. */
typedef struct SplitAnswer
{
	bool		found;
	double		difference;		/* of the teams, less the target */
	double		bound;			/* no split is nearer to the target by more */
	int		   *team;			/* by player */
	int			commander[2];	/* players, or -1 */
} SplitAnswer;

#endif							/* CORE_SPLIT_SPLIT_PROBLEM_H */
