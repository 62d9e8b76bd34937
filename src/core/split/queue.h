/*
 * queue.h
 *		Tickets in a queue put together to matches of a given shape.
 *
 * Who has waited longest comes first, and is put together with those nearest in
 * rating, of whom none may be farther than a window that widens as the ticket waits.
 * Then the teams of the match are made as even as can be.
 */
#ifndef CORE_SPLIT_QUEUE_H
#define CORE_SPLIT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/interrupt.h"

/* Most tickets in a match. */
#define QUEUE_MAX_SEATS 128

/* A match that was found; tickets by team. */
typedef struct QueueMatch
{
	int			nseats;
	int			ticket[QUEUE_MAX_SEATS];
	int			team[QUEUE_MAX_SEATS];	/* from 1 on */
	int			region;			/* the bit that all have */
	double		waited;			/* of the first ticket, for whom it was found */
} QueueMatch;

/* Whether a match is to be; if not, its tickets stay in the queue. */
typedef bool (*QueueAccept) (void *arg, const QueueMatch *match);

typedef struct QueueProblem
{
	int			n;
	const double *rating;
	const double *waited;		/* seconds, not negative */
	const int  *party;			/* the same for those who stay together; 0:
								 * none */
	const int  *pool;			/* only the same meet */
	const uint64_t *region;		/* bits of which all of a match have one in
								 * common */
	int			nteams;
	int			team_size;
	double		window;			/* rating points at first, */
	double		widening;		/* more for each second waited, */
	double		max_window;		/* and at most */
	QueueAccept accept;
	void	   *accept_arg;
	InterruptCheck interrupt;
} QueueProblem;

/* The bytes that queue_pair() takes. */
extern size_t queue_room(const QueueProblem *problem);

/*
 * Find matches and pass each to accept().  A party that is larger than a team, is of
 * several pools or has no region in common stays in the queue.
 */
extern void queue_pair(const QueueProblem *problem, void *room);

/* The window of a ticket that has waited so long. */
extern double queue_window(const QueueProblem *problem, double waited);

#endif							/* CORE_SPLIT_QUEUE_H */
