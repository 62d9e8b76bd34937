/*
 * test_queue.c
 *		Matches out of a queue: what every match keeps, and that nobody starves.
 */
#include <stdlib.h>

#include "test.h"

#include "core/split/queue.h"

#define MAX_TICKETS 600

typedef struct Box
{
	QueueProblem problem;
	double		rating[MAX_TICKETS];
	double		waited[MAX_TICKETS];
	int			party[MAX_TICKETS];
	int			pool[MAX_TICKETS];
	uint64_t	region[MAX_TICKETS];
	int			match_of[MAX_TICKETS];	/* or 0 */
	int			team_of[MAX_TICKETS];
	int			nmatches;
	double		least_waited;	/* of who was served last */
	int			refuse;			/* every so manieth match, if not 0 */
	int			refused;
	bool		parties;
} Box;

static int
seats(const Box *box)
{
	return box->problem.nteams * box->problem.team_size;
}

/* Take a match, and check it. */
static bool
accept_match(void *arg, const QueueMatch *match)
{
	Box		   *box = arg;
	int			size[11] = {0};
	double		waited = 0;
	double		center = NAN;
	int			i,
				j;

	assert_int_equal(match->nseats, seats(box));
	for (i = 0; i < match->nseats; i++)
	{
		int			ticket = match->ticket[i];

		assert_true(ticket >= 0 && ticket < box->problem.n);
		assert_int_equal(box->match_of[ticket], 0);
		assert_true(box->region[ticket] >> match->region & 1);
		assert_int_equal(box->pool[ticket], box->pool[match->ticket[0]]);
		assert_true(match->team[i] >= 1 && match->team[i] <= box->problem.nteams);
		size[match->team[i]]++;
		waited = fmax(waited, box->waited[ticket]);
		for (j = 0; j < i; j++)
			if (box->party[ticket] != 0 && box->party[ticket] == box->party[match->ticket[j]])
				assert_int_equal(match->team[i], match->team[j]);
		for (j = 0; j < box->problem.n; j++)
			if (box->party[ticket] != 0 && box->party[j] == box->party[ticket])
			{
				int			k;

				for (k = 0; k < match->nseats && match->ticket[k] != j; k++)
					;
				assert_true(k < match->nseats);
			}
	}
	for (i = 1; i <= box->problem.nteams; i++)
		assert_int_equal(size[i], box->problem.team_size);

	/*
	 * Of two the one who has waited longer is the first, unless a match was
	 * refused; of more somebody may be near who has too few others near.
	 */
	if (box->refuse == 0 && !box->parties && seats(box) == 2)
		assert_near(match->waited, waited, 0);
	assert_true(match->waited <= box->least_waited);
	for (i = 0; i < match->nseats && box->problem.party[match->ticket[0]] == 0; i++)
	{
		int			ticket = match->ticket[i];

		if (i == 0)
			center = box->rating[ticket];
		if (box->party[ticket] == 0)
			assert_true(fabs(box->rating[ticket] - center) <=
						queue_window(&box->problem, match->waited) + 1e-9);
	}
	if (box->refuse != 0 && ++box->refused % box->refuse == 0)
		return false;
	box->least_waited = match->waited;
	box->nmatches++;
	for (i = 0; i < match->nseats; i++)
	{
		box->match_of[match->ticket[i]] = box->nmatches;
		box->team_of[match->ticket[i]] = match->team[i];
	}
	return true;
}

static Box *
box_make(Random *random, int n, int nteams, int team_size, bool parties)
{
	Box		   *box = calloc(1, sizeof(Box));
	int			i;

	box->problem = (QueueProblem)
	{
		.n = n,.rating = box->rating,.waited = box->waited,.party = box->party,
			.pool = box->pool,.region = box->region,.nteams = nteams,.team_size = team_size,
			.window = 50,.widening = 5,.max_window = INFINITY,.accept = accept_match,
			.accept_arg = box
	};
	box->least_waited = INFINITY;
	box->parties = parties;
	for (i = 0; i < n; i++)
	{
		box->rating[i] = random_between(random, 500, 2500);
		box->waited[i] = floor(random_between(random, 0, 100));
		box->pool[i] = random_between(random, 0, 1) < 0.8;
		box->region[i] = (uint64_t) random_between(random, 1, 15.999) << 30;
		if (parties && i % 3 == 0)
			box->party[i] = i / 3 % 40 + 1;
	}
	return box;
}

static void
box_pair(Box *box)
{
	void	   *room = malloc(queue_room(&box->problem));

	queue_pair(&box->problem, room);
	free(room);
}

static void
test_matches(void **state)
{
	Random		random = {1};
	int			again;

	(void) state;
	for (again = 0; again < 400; again++)
	{
		Box		   *box = box_make(&random, (int) random_between(&random, 0, 200),
								   (int) random_between(&random, 2, 5),
								   (int) random_between(&random, 1, 5), again % 2);

		box->refuse = again % 4 == 3 ? 3 : 0;
		box_pair(box);
		free(box);
	}
}

/*
 * Who has waited until the window is as wide as the ratings range is in a match, or
 * too few are left that could be: here of tickets without parties.
 */
static void
test_nobody_starves(void **state)
{
	Random		random = {2};
	int			again;
	int			waiting = 0;

	(void) state;
	for (again = 0; again < 300; again++)
	{
		Box		   *box = box_make(&random, (int) random_between(&random, 0, 200),
								   (int) random_between(&random, 2, 5),
								   (int) random_between(&random, 1, 5), false);
		int			i,
					j,
					r;

		box->problem.widening = 40;
		box_pair(box);
		for (i = 0; i < box->problem.n; i++)
		{
			if (box->match_of[i] != 0 || queue_window(&box->problem, box->waited[i]) < 2000)
				continue;
			waiting++;
			for (r = 30; r < 34; r++)
			{
				int			left = 0;

				for (j = 0; j < box->problem.n; j++)
					left += box->match_of[j] == 0 && box->pool[j] == box->pool[i] &&
						(box->region[i] & box->region[j]) >> r & 1;
				assert_true(left < seats(box));
			}
		}
		free(box);
	}
	assert_true(waiting > 100);
}

/* Two against two: the most even of the three splits; and the nearest are together. */
static void
test_even_and_near(void **state)
{
	Random		random = {3};
	int			again;

	(void) state;
	for (again = 0; again < 300; again++)
	{
		Box		   *box = box_make(&random, 4, 2, 2, false);
		double		r[4];
		double		sum = 0;
		double		least = INFINITY;
		int			i;

		box->problem.window = 1e6;
		for (i = 0; i < 4; i++)
		{
			box->pool[i] = 0;
			box->region[i] = 1;
			r[i] = box->rating[i];
		}
		box_pair(box);
		assert_int_equal(box->nmatches, 1);
		for (i = 0; i < 4; i++)
			sum += box->team_of[i] == 1 ? r[i] : -r[i];
		for (i = 1; i < 4; i++)
			least = fmin(least, fabs(r[0] + r[1] + r[2] + r[3] - 2 * r[0] - 2 * r[i]));
		assert_near(fabs(sum), least, 1e-9);
		free(box);
	}
	for (again = 0; again < 100; again++)
	{
		Box		   *box = box_make(&random, 50, 2, 1, false);
		int			nearest = -1;
		int			i;

		for (i = 0; i < 50; i++)
		{
			box->pool[i] = 0;
			box->region[i] = 1;
			if (i > 0 && (nearest < 0 || fabs(box->rating[i] - box->rating[0]) <
						  fabs(box->rating[nearest] - box->rating[0])))
				nearest = i;
		}
		box->waited[0] = 1000;
		box_pair(box);
		assert_true(box->match_of[0] == 1 && box->match_of[nearest] == 1);
		free(box);
	}
}

/* Parties that fit only in one way, and those that fit in none. */
static void
test_parties(void **state)
{
	Random		random = {4};
	Box		   *box = box_make(&random, 9, 2, 3, false);
	int			i;

	(void) state;
	box->problem.window = 1e6;
	for (i = 0; i < 9; i++)
	{
		box->pool[i] = 0;
		box->region[i] = 1;
		box->waited[i] = i == 0;
		box->rating[i] = 100 * i;
	}

	/* One alone, then parties of two; the last one makes it six. */
	box->party[1] = box->party[2] = 1;
	box->party[3] = box->party[4] = 2;
	box->party[5] = box->party[6] = 3;
	box_pair(box);
	assert_int_equal(box->nmatches, 1);
	assert_true(box->match_of[0] == 1 && box->match_of[1] == 1 && box->match_of[3] == 1 &&
				box->match_of[7] == 1 && box->match_of[5] == 0 && box->match_of[8] == 0);

	/* More than a team, in two pools, or in no region together. */
	box->nmatches = 0;
	box->least_waited = INFINITY;
	memset(box->match_of, 0, sizeof(box->match_of));
	memset(box->party, 0, sizeof(box->party));
	for (i = 0; i < 4; i++)
		box->party[i] = 1;
	box->party[4] = box->party[5] = 2;
	box->pool[5] = 1;
	box->party[6] = box->party[7] = 3;
	box->region[6] = 2;
	box->problem.team_size = 1;
	box_pair(box);
	assert_int_equal(box->nmatches, 0);
	free(box);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_nobody_starves),
		cmocka_unit_test(test_even_and_near),
		cmocka_unit_test(test_parties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
