/*
 * fuzz_queue.c
 *		Pairs queues made of arbitrary bytes.
 *
 * Whatever the bytes, a match has as many tickets as seats, each once and for the first
 * time, of one pool and with a region in common, and parties are in one team.
 */
#include "bytes.h"
#include "core/split/queue.h"
#include "targets.h"

#define MAX_TICKETS	60

typedef struct Tickets
{
	QueueProblem problem;
	double		rating[MAX_TICKETS];
	double		waited[MAX_TICKETS];
	int			party[MAX_TICKETS];
	int			pool[MAX_TICKETS];
	uint64_t	region[MAX_TICKETS];
	bool		taken[MAX_TICKETS];
	bool		picky;
} Tickets;

static double
next_between(Bytes *bytes, double low, double high)
{
	double		number = next_number(bytes);

	return number >= low && number <= high ? number : (low + high) / 2;
}

static bool
accept_match(void *arg, const QueueMatch *match)
{
	Tickets    *tickets = arg;
	const QueueProblem *p = &tickets->problem;
	int			size[11] = {0};
	int			i,
				j;

	CHECK(match->nseats == p->nteams * p->team_size);
	for (i = 0; i < match->nseats; i++)
	{
		int			ticket = match->ticket[i];

		CHECK(ticket >= 0 && ticket < p->n && !tickets->taken[ticket]);
		CHECK(tickets->pool[ticket] == tickets->pool[match->ticket[0]]);
		CHECK(tickets->region[ticket] >> match->region & 1);
		CHECK(match->team[i] >= 1 && match->team[i] <= p->nteams);
		size[match->team[i]]++;
		for (j = 0; j < i; j++)
			CHECK(match->ticket[j] != ticket &&
				  (tickets->party[ticket] == 0 ||
				   tickets->party[match->ticket[j]] != tickets->party[ticket] ||
				   match->team[j] == match->team[i]));
	}
	for (i = 1; i <= p->nteams; i++)
		CHECK(size[i] == p->team_size);
	if (tickets->picky && match->ticket[0] % 2 == 0)
		return false;
	for (i = 0; i < match->nseats; i++)
		tickets->taken[match->ticket[i]] = true;

	/* A party plays together or not at all. */
	for (i = 0; i < match->nseats; i++)
		for (j = 0; j < p->n; j++)
			CHECK(tickets->party[match->ticket[i]] == 0 ||
				  tickets->party[j] != tickets->party[match->ticket[i]] || tickets->taken[j]);
	return true;
}

void
fuzz_queue(const uint8_t *data, size_t size)
{
	Bytes		bytes = {data, size};
	Tickets    *tickets = calloc(1, sizeof(Tickets));
	QueueProblem *p = &tickets->problem;
	void	   *room;
	int			i;

	p->n = next_below(&bytes, MAX_TICKETS + 1);
	p->nteams = 2 + next_below(&bytes, 9);
	p->team_size = 1 + next_below(&bytes, 6);
	p->window = next_between(&bytes, 0, MAX_POINTS);
	p->widening = next_between(&bytes, 0, MAX_POINTS);
	p->max_window = next_below(&bytes, 2) ? INFINITY : next_between(&bytes, 0, MAX_POINTS);
	tickets->picky = next_below(&bytes, 2);
	for (i = 0; i < p->n; i++)
	{
		tickets->rating[i] = next_between(&bytes, -MAX_POINTS, MAX_POINTS);
		tickets->waited[i] = next_between(&bytes, 0, MAX_POINTS);
		tickets->party[i] = next_below(&bytes, 2) * next_below(&bytes, 20);
		tickets->pool[i] = next_below(&bytes, 2);
		tickets->region[i] = 1 + (uint64_t) next_below(&bytes, 7);
		if (next_below(&bytes, 4) == 0)
			tickets->region[i] <<= 61;
	}
	p->rating = tickets->rating;
	p->waited = tickets->waited;
	p->party = tickets->party;
	p->pool = tickets->pool;
	p->region = tickets->region;
	p->accept = accept_match;
	p->accept_arg = tickets;
	room = malloc(queue_room(p));
	queue_pair(p, room);
	free(room);
	free(tickets);
}
