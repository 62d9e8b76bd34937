/*
 * split.h
 *		Players split into two teams and a bench as evenly as can be.
 *
 * Who has to stay together or apart forms a group, and a group has options: what
 * its players can do together, each with how many come to either team and what they
 * are worth there.  A split picks an option for every group.  However players are
 * tied, that is the same problem: sums of options that come near to a target, with
 * given numbers on the teams.
 *
 * The caller provides all memory, and fills in a problem in this order:
 * split_group(), which finds the groups; split_make_options(); split_choose(), which
 * chooses the method and says what room it takes; then split_solve().
 */
#ifndef SPLIT_H
#define SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/interrupt.h"

/* Where players end up, and as bits, where they may. */
#define SPLIT_NOWHERE (-1)		/* not there yet */
#define SPLIT_BENCH 0			/* then the first and the second team */
#define SPLIT_MAY(place) (1 << (place))
#define SPLIT_ANYWHERE(nteams) (SPLIT_MAY((nteams) + 1) - 1)

/* Teams that an option gives a commander, as bits, and how many. */
#define SPLIT_COMMANDS(team) (1 << ((team) - 1))
#define SPLIT_COMMAND_BITS 2

/* Most players in a group, so that what they do fits into a code. */
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
	uint64_t	code;			/* of what each player does, see
								 * split_player_does() */
} SplitOption;

typedef struct SplitGroup
{
	int			first_member;
	int			nmembers;
	int			first_option;
	int			noptions;
	double		largest;		/* value of an option, whichever its sign */
} SplitGroup;

/* How many players each team has, and how many move for it, if that is counted. */
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
	const int  *allowed_teams;	/* where each may be, or NULL for anywhere */
	const bool *commander;		/* who may command, or NULL for all */
	const int  *current;		/* where each is now, or NULL: moves do not
								 * count */
	const SplitPair *apart;		/* not in the same team */
	int			napart;
	const int  *home;			/* or NULL: the team that a player on the
								 * bench stays in, and one on a team leaves,
								 * which decides who is in the same team */

	/* what is sought, */
	const SplitSize *size;		/* each of these has an answer of its own */
	int			nsizes;
	const double *target;		/* by size: what the first team should be
								 * ahead by */
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
	double		quantum;		/* of units, and what is taken off each
								 * player's */
	int64_t		middle;
	bool		exact;			/* values are multiples of it */
	size_t		room;
	double		work;			/* steps of the method, as an estimate */
} SplitProblem;

/* The answer for a size; assignment[] has room for n. */
typedef struct SplitAnswer
{
	bool		found;
	double		difference;		/* of the teams, less the target */
	double		bound;			/* no split is nearer by more: 0 but for
								 * rounding? */
	int		   *team;			/* by player */
	int			commander[2];	/* players, or -1 */
} SplitAnswer;

/*
 * Find groups, and how many options each has, for which option[] needs room.  With an
 * error at_fault is the group that has it.
 */
extern SplitStatus split_group(SplitProblem *problem);

/* Fill in the options: those that no constraint forbids. */
extern void split_make_options(SplitProblem *problem);

/* Choose the method and find the room that it takes. */
extern void split_choose(SplitProblem *problem);

/* Solve it in a block of that room: an answer for each size, or none found. */
extern void split_solve(SplitProblem *problem, void *room, SplitAnswer *answer);

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

/* What a member of a group does under an option: the team, and whether it commands. */
extern int	split_player_does(const SplitOption *option, int member,
							  bool *commands);

/*
 * Of all splits of the first size that differ from its target by at most so much, the
 * one whose teams are nearest in something else: the sums of second[] by player, on
 * either team.  All options are to be made, and the method chosen.  The answer is
 * as that of split_solve(); what is left of the second difference comes besides,
 * and *proven says that no split has less.
 */
extern size_t split_second_room(const SplitProblem *problem);
extern void split_second(const SplitProblem *problem, const double *const *second,
						 double allowed, void *room, SplitAnswer *answer,
						 double *second_difference, bool *proven);

/* Take options, by group, as an answer for a size. */
extern void split_take_answer(const SplitProblem *problem, int size, const int *choice,
							  SplitAnswer *answer);

/* How many groups the first half has, so that neither has more sums than these. */
extern int	split_middle(const SplitProblem *problem, double *sums);

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

#endif							/* SPLIT_H */
