/*
 * split_problem.h
 *		Players to be split into two teams and a bench: what is given and sought.
 *
 * Who has to stay together or apart forms a group, and a group has options: what
 * its players can do together, each with how many come to either team and what they
 * are worth there.  A split picks an option for every group.  However players are
 * tied, that is the same problem: sums of options that come near to a target, with
 * given numbers on the teams.
 */
#ifndef SPLIT_PROBLEM_H
#define SPLIT_PROBLEM_H

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

#endif							/* SPLIT_PROBLEM_H */
