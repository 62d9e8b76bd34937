/*
 * queue.c
 *		Tickets in a queue put together to matches of a given shape.
 */
#include "core/split/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/split/split_many.h"
#include "core/util/block.h"
#include "core/util/extremes.h"

/* Parties near a ticket that are considered, and steps to fill the teams with them. */
#define MAX_CANDIDATES 256
#define MAX_STEPS 4000

/* What making teams even may take, in steps of about a nanosecond. */
#define MATCH_WORK 1e5

/* A ticket by its party. */
typedef struct Member
{
	int			party;
	int			ticket;
} Member;

/* Those of a party; somebody alone is a party of one. */
typedef struct Party
{
	int			first;			/* of member[] */
	int			size;
	double		rating;			/* the mean */
	double		waited;			/* the longest */
	int			pool;
	uint64_t	region;
	bool		taken;
	int			first_place;	/* of place[], one for each region */
} Party;

/* Where a party stands in a pool and a region, among those who are still there. */
typedef struct Place
{
	int			pool;
	int			region;
	double		rating;
	int			party;
	int			before;			/* places, or -1 */
	int			behind;
} Place;

typedef struct Queue
{
	const QueueProblem *problem;
	int			nparties;
	Party	   *party;			/* who has waited longest first */
	Member	   *member;
	Place	   *place;			/* by pool, region and rating */
	int		   *place_of;		/* by party and region */
	int			candidate[MAX_CANDIDATES];	/* the nearest first, behind the
											 * ticket */
	int			ncandidates;
	bool		chosen[MAX_CANDIDATES];
	int			steps;
	double	   *value;			/* of a match */
	int		   *seat_party;
	int		   *allowed_teams;
	void	   *split_room;
} Queue;

double
queue_window(const QueueProblem *problem, double waited)
{
	return smaller(problem->window + problem->widening * waited, problem->max_window);
}

static int
seats(const QueueProblem *problem)
{
	return problem->nteams * problem->team_size;
}

/* The split of a match, but for what players are worth. */
static SplitManyProblem
match_problem(const QueueProblem *problem)
{
	SplitManyProblem split = {
		.n = seats(problem),.nteams = problem->nteams,
		.share = 1.0 / seats(problem),.objective = SPLIT_SQUARES,
		.max_work = MATCH_WORK,.interrupt = problem->interrupt
	};
	int			t;

	for (t = 0; t < problem->nteams; t++)
	{
		split.size[t] = problem->team_size;
		split.factor[t] = 1.0 / problem->team_size;
	}
	return split;
}

static size_t
lay_out(const QueueProblem *problem, char *block, Queue *queue)
{
	SplitManyProblem split = match_problem(problem);
	size_t		total = 0;
	size_t		n = (size_t) problem->n;
	size_t		places = 0;
	int			i;

	for (i = 0; i < problem->n; i++)
		places += (size_t) __builtin_popcountll(problem->region[i]);
	queue->party = block_take(&block, &total, sizeof(Party), n);
	queue->member = block_take(&block, &total, sizeof(Member), n);
	queue->place = block_take(&block, &total, sizeof(Place), places);
	queue->place_of = block_take(&block, &total, sizeof(int), places);
	queue->value = block_take(&block, &total, sizeof(double), (size_t) split.n);
	queue->seat_party = block_take(&block, &total, sizeof(int), (size_t) split.n);
	queue->allowed_teams = block_take(&block, &total, sizeof(int), (size_t) split.n);
	queue->split_room = block_take(&block, &total, 1, split_many_room(&split));
	return total;
}

size_t
queue_room(const QueueProblem *problem)
{
	Queue		queue;

	return lay_out(problem, NULL, &queue);
}

/*
 * ---- Parties ----
 */

static int
compare_members(const void *a, const void *b)
{
	const Member *x = (const Member *) a;
	const Member *y = (const Member *) b;

	if (x->party != y->party)
		return x->party > y->party ? 1 : -1;
	return (x->ticket > y->ticket) - (x->ticket < y->ticket);
}

static int
compare_waited(const void *a, const void *b)
{
	const Party *x = (const Party *) a;
	const Party *y = (const Party *) b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int
compare_places(const void *a, const void *b)
{
	const Place *x = (const Place *) a;
	const Place *y = (const Place *) b;

	if (x->pool != y->pool)
		return x->pool > y->pool ? 1 : -1;
	if (x->region != y->region)
		return x->region > y->region ? 1 : -1;
	if (x->rating != y->rating)
		return x->rating > y->rating ? 1 : -1;
	return (x->party > y->party) - (x->party < y->party);
}

/* The parties that can play at all, by how long they have waited. */
static void
make_parties(Queue *queue)
{
	const QueueProblem *problem = queue->problem;
	int			n = 0;
	int			i;

	for (i = 0; i < problem->n; i++)
		queue->member[i] = (Member)
	{
		problem->party[i], i
	};
	qsort(queue->member, (size_t) problem->n, sizeof(Member), compare_members);
	queue->nparties = 0;
	while (n < problem->n)
	{
		const Member *first = &queue->member[n];
		Party		party = {
			.first = n,.pool = problem->pool[first->ticket],.region = ~UINT64_C(0)
		};

		do
		{
			int			ticket = queue->member[n++].ticket;

			party.size++;
			party.rating += problem->rating[ticket];
			party.waited = larger(party.waited, problem->waited[ticket]);
			party.region &= problem->pool[ticket] == party.pool ? problem->region[ticket] : 0;
		} while (n < problem->n && first->party != 0 &&
				 queue->member[n].party == first->party);
		party.rating /= party.size;
		if (party.size <= problem->team_size && party.region != 0)
			queue->party[queue->nparties++] = party;
	}
	qsort(queue->party, (size_t) queue->nparties, sizeof(Party), compare_waited);
}

/* The places of all parties, those of a pool and a region linked by rating. */
static void
make_places(Queue *queue)
{
	int			n = 0;
	int			u,
				i;

	for (u = 0; u < queue->nparties; u++)
	{
		Party	   *party = &queue->party[u];
		uint64_t	region;

		party->first_place = n;
		for (region = party->region; region != 0; region &= region - 1)
			queue->place[n++] = (Place)
		{
			party->pool, __builtin_ctzll(region),
				party->rating, u, -1, -1
		};
	}
	qsort(queue->place, (size_t) n, sizeof(Place), compare_places);
	for (i = 0; i < n; i++)
	{
		Place	   *place = &queue->place[i];
		const Party *party = &queue->party[place->party];
		uint64_t	below = (UINT64_C(1) << place->region) - 1;

		if (i > 0 && place[-1].pool == place->pool && place[-1].region == place->region)
		{
			place->before = i - 1;
			place[-1].behind = i;
		}
		queue->place_of[party->first_place + __builtin_popcountll(party->region & below)] = i;
	}
}

/* A party is in a match: nobody finds it any more. */
static void
take_party(Queue *queue, Party *party)
{
	int			i;

	party->taken = true;
	for (i = 0; i < __builtin_popcountll(party->region); i++)
	{
		const Place *place = &queue->place[queue->place_of[party->first_place + i]];

		if (place->before >= 0)
			queue->place[place->before].behind = place->behind;
		if (place->behind >= 0)
			queue->place[place->behind].before = place->before;
	}
}

/*
 * ---- Matches ----
 */

/*
 * The parties nearest to that of a place, the nearest first and it before all others:
 * so many that as many tickets, or as many parties, are reached.
 */
static void
find_candidates(Queue *queue, int from, int most_parties)
{
	const Place *place = &queue->place[from];
	double		window = queue_window(queue->problem, queue->party[place->party].waited);
	int			before = place->before;
	int			behind = place->behind;

	queue->candidate[0] = place->party;
	queue->ncandidates = 1;
	while (queue->ncandidates < most_parties)
	{
		double		left = before >= 0 ? place->rating - queue->place[before].rating : INFINITY;
		double		right = behind >= 0 ? queue->place[behind].rating - place->rating : INFINITY;

		if (smaller(left, right) > window || (before < 0 && behind < 0))
			return;

		/* Of two as near the one who has waited longer. */
		if (left < right || (left == right &&
							 queue->place[before].party < queue->place[behind].party))
		{
			queue->candidate[queue->ncandidates++] = queue->place[before].party;
			before = queue->place[before].before;
		}
		else
		{
			queue->candidate[queue->ncandidates++] = queue->place[behind].party;
			behind = queue->place[behind].behind;
		}
	}
}

/*
 * Fill teams with candidates from c on, the nearest if that goes, so that parties fit;
 * false if it does not go or takes too long.
 */
static bool
fill_teams(Queue *queue, int c, int *left, int missing)
{
	const QueueProblem *problem = queue->problem;
	int			t,
				s;

	if (missing == 0)
		return true;
	if (c == queue->ncandidates || ++queue->steps > MAX_STEPS)
		return false;
	for (t = 0; t < problem->nteams; t++)
	{
		int			size = queue->party[queue->candidate[c]].size;

		/* Teams that have as many seats left are alike. */
		for (s = 0; s < t && left[s] != left[t]; s++)
			;
		if (s < t || left[t] < size)
			continue;
		left[t] -= size;
		queue->chosen[c] = true;
		if (fill_teams(queue, c + 1, left, missing - size))
			return true;
		queue->chosen[c] = false;
		left[t] += size;
	}

	/* Who has waited is in it; anybody else may be left out. */
	return c > 0 && fill_teams(queue, c + 1, left, missing);
}

/* Choose those with whom a place's party has a match; false if there are none. */
static bool
choose(Queue *queue, int from)
{
	const QueueProblem *problem = queue->problem;
	int			most;

	/* Parties may not fit with those who are nearest. */
	for (most = seats(problem);; most = MAX_CANDIDATES)
	{
		int			left[SPLIT_MAX_TEAMS];
		int			found = 0;
		int			i;

		find_candidates(queue, from, most);
		for (i = 0; i < queue->ncandidates; i++)
			found += queue->party[queue->candidate[i]].size;
		memset(queue->chosen, 0, sizeof(queue->chosen));
		for (i = 0; i < problem->nteams; i++)
			left[i] = problem->team_size;
		queue->steps = 0;
		if (found >= seats(problem) && fill_teams(queue, 0, left, seats(problem)))
			return true;
		if (queue->ncandidates < most || most == MAX_CANDIDATES)
			return false;
	}
}

/* The largest distance of those chosen from the first. */
static double
spread(const Queue *queue)
{
	double		farthest = 0;
	int			i;

	for (i = 1; i < queue->ncandidates; i++)
		if (queue->chosen[i])
			farthest = larger(farthest, fabs(queue->party[queue->candidate[i]].rating -
											 queue->party[queue->candidate[0]].rating));
	return farthest;
}

/* The match of those chosen, in teams that are as even as they can be. */
static void
make_match(Queue *queue, int region, QueueMatch *match)
{
	const QueueProblem *problem = queue->problem;
	SplitManyProblem split = match_problem(problem);
	double		left;
	int			i,
				j;

	match->nseats = 0;
	match->region = region;
	match->waited = queue->party[queue->candidate[0]].waited;
	for (i = 0; i < queue->ncandidates; i++)
	{
		const Party *party = &queue->party[queue->candidate[i]];

		for (j = 0; j < party->size && queue->chosen[i]; j++)
		{
			int			ticket = queue->member[party->first + j].ticket;

			queue->value[match->nseats] = problem->rating[ticket];
			queue->seat_party[match->nseats] = i + 1;

			/* Of two teams it does not matter in which one the first party is. */
			queue->allowed_teams[match->nseats] = i == 0 && problem->nteams == 2 ?
				SPLIT_MAY(1) : SPLIT_ANYWHERE(problem->nteams);
			match->ticket[match->nseats++] = ticket;
		}
	}

	/* Of one each there is nothing to be made even. */
	for (i = 0; i < match->nseats; i++)
		match->team[i] = i + 1;
	if (problem->team_size == 1)
		return;
	split.value = queue->value;
	split.party = queue->seat_party;
	split.allowed_teams = queue->allowed_teams;
	(void) split_many(&split, queue->split_room, match->team, &left);
}

/* Find a match for a party, in the region where those with it are nearest. */
static void
serve(Queue *queue, Party *party)
{
	const QueueProblem *problem = queue->problem;
	int			regions = __builtin_popcountll(party->region);
	double		nearest = INFINITY;
	int			best = -1;
	QueueMatch	match;
	int			i;

	for (i = 0; i < regions; i++)
	{
		int			place = queue->place_of[party->first_place + i];

		if (choose(queue, place) && spread(queue) < nearest)
		{
			nearest = spread(queue);
			best = place;
		}
	}
	if (best < 0)
		return;
	if (regions > 1)
		(void) choose(queue, best);
	make_match(queue, queue->place[best].region, &match);
	if (!problem->accept(problem->accept_arg, &match))
		return;
	for (i = 0; i < queue->ncandidates; i++)
		if (queue->chosen[i])
			take_party(queue, &queue->party[queue->candidate[i]]);
}

void
queue_pair(const QueueProblem *problem, void *room)
{
	Queue		queue = {.problem = problem};
	int			u;

	(void) lay_out(problem, room, &queue);
	make_parties(&queue);
	make_places(&queue);
	for (u = 0; u < queue.nparties; u++)
	{
		if (problem->interrupt != NULL)
			problem->interrupt();
		if (!queue.party[u].taken)
			serve(&queue, &queue.party[u]);
	}
}
