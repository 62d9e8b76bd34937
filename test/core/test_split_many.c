/*
 * test_split_many.c
 *		More than two teams: every combination of ties against all splits there are.
 */
#include <stdlib.h>

#include "test.h"

#include "../constraints.h"

#define MAX_PLAYERS 128

/* A problem with room for its players and ties. */
typedef struct Box
{
	SplitManyProblem problem;
	double		value[MAX_PLAYERS];
	int			party[MAX_PLAYERS];
	int			allowed_teams[MAX_PLAYERS];
	SplitPair	apart[MAX_PLAYERS];
	int			team[MAX_PLAYERS];
	double		objective;
	SplitProof	proof;
} Box;

/* What can tie players, as bits. */
enum
{
	PARTIES = 1,
	LOCKS = 2,
	APART = 4,
	BENCH = 8,
	SUMS = 16,					/* and not means */
	REAL = 32,					/* ratings that are no integers */
	RANGE = 64,
	ALL_TIES = 128
};

/* Teams of n players in all, as even in number as can be, or all of a size. */
static void
box_teams(Box *box, int n, int nteams, int playing, int ties)
{
	SplitManyProblem *p = &box->problem;
	int			i;

	memset(box, 0, sizeof(Box));
	p->n = n;
	p->value = box->value;
	p->apart = box->apart;
	p->nteams = nteams;
	for (i = 0; i < nteams; i++)
	{
		p->size[i] = playing / nteams + (i < playing % nteams);
		p->factor[i] = ties & SUMS ? 1 : 1.0 / p->size[i];
	}
	p->share = ties & SUMS ? 1.0 / nteams : 1.0 / playing;
	p->objective = ties & RANGE ? SPLIT_RANGE : SPLIT_SQUARES;
	p->max_work = 2e8;
}

static void
random_box(Box *box, Random *random, int ties)
{
	int			nteams = (int) random_between(random, 2, 4.999);
	int			n = (int) random_between(random, nteams, nteams > 2 ? 8.999 : 10);
	int			playing = ties & BENCH ? n / nteams * nteams : n;
	int			i;

	if (ties & BENCH && playing == n && n >= 2 * nteams)
		playing -= nteams;
	box_teams(box, n, nteams, playing, ties);
	for (i = 0; i < n; i++)
	{
		box->value[i] = random_between(random, 500, 2500);
		if (!(ties & REAL))
			box->value[i] = round(box->value[i]);
		box->party[i] = (int) random_between(random, -2, 3.999);
		if (box->party[i] < 0)
			box->party[i] = 0;
		box->allowed_teams[i] = SPLIT_MAY(nteams + 1) - 1;
		if (random_between(random, 0, 1) < 0.3)
			box->allowed_teams[i] = SPLIT_MAY((int) random_between(random, playing < n ? 0 : 1, nteams + 1));
		else if (random_between(random, 0, 1) < 0.3)
			box->allowed_teams[i] = (int) random_between(random, 1, SPLIT_MAY(nteams + 1));
	}
	if (ties & PARTIES)
		box->problem.party = box->party;
	if (ties & LOCKS)
		box->problem.allowed_teams = box->allowed_teams;
	if (ties & APART)
		for (i = 0; i < n / 3; i++)
		{
			SplitPair  *pair = &box->apart[box->problem.napart];

			pair->a = (int) random_between(random, 0, n);
			pair->b = (int) random_between(random, 0, n);
			box->problem.napart += pair->a != pair->b;
		}
}

static void
box_solve(Box *box)
{
	void	   *room = malloc(split_many_room(&box->problem));

	box->proof = split_many(&box->problem, room, box->team, &box->objective);
	free(room);
}

/* What squares of sums or ranges may be off by rounding. */
static double
tolerance(const Box *box)
{
	return box->problem.objective == SPLIT_RANGE ? 1e-8 : 1e-6;
}

static void
test_against_all_splits(void **state)
{
	Random		random = {1};
	int			ties,
				again,
				solved = 0;

	(void) state;
	for (ties = 0; ties < ALL_TIES; ties++)
		for (again = 0; again < 16; again++)
		{
			Box			box;
			double		least;
			int			team[MAX_PLAYERS];

			random_box(&box, &random, ties);
			least = least_objective(&box.problem, team);
			box_solve(&box);
			if (least == INFINITY)
			{
				assert_int_equal(box.proof, SPLIT_IMPOSSIBLE);
				continue;
			}
			solved++;
			assert_int_equal(box.proof, SPLIT_PROVEN);
			assert_true(keeps_many_constraints(&box.problem, box.team));
			assert_near(box.objective, many_objective(&box.problem, box.team), tolerance(&box));
			assert_near(box.objective, least, tolerance(&box) + 1e-9 * least);
		}
	assert_true(solved > ALL_TIES * 8);
}

/* What is found without going through all splits is a split, and no better than it. */
static void
test_without_proof(void **state)
{
	Random		random = {2};
	int			ties,
				again,
				far = 0;

	(void) state;
	for (ties = 0; ties < ALL_TIES; ties++)
		for (again = 0; again < 8; again++)
		{
			Box			box;
			double		least;
			int			team[MAX_PLAYERS];

			random_box(&box, &random, ties);
			box.problem.max_work = 3000;
			least = least_objective(&box.problem, team);
			box_solve(&box);
			if (box.proof < SPLIT_FOUND)
				continue;
			assert_true(keeps_many_constraints(&box.problem, box.team));
			assert_near(box.objective, many_objective(&box.problem, box.team), tolerance(&box));
			assert_true(box.objective >= least - tolerance(&box));
			if (box.proof == SPLIT_PROVEN)
				assert_near(box.objective, least, tolerance(&box) + 1e-9 * least);
			far += box.objective > least + tolerance(&box);
		}
	assert_true(far > 0);
}

/* Larger lobbies are split into teams nearer than splits at random, and proven to 24 (20 with a bench). */
static void
test_larger(void **state)
{
	static const int shapes[][3] = {
		{12, 4, 0}, {16, 4, 0}, {20, 5, 0}, {20, 10, 0}, {18, 4, 2}, {24, 6, 0},
		{24, 4, 0}, {23, 3, 2}, {60, 6, 0}, {100, 10, 0}, {64, 3, 4}, {127, 10, 7}
	};
	Random		random = {3};
	size_t		shape;

	(void) state;
	for (shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++)
	{
		int			n = shapes[shape][0];
		int			benched = shapes[shape][2];
		int			found[2][MAX_PLAYERS];
		double		value[MAX_PLAYERS];
		int			range;
		int			i;

		for (i = 0; i < n; i++)
			value[i] = random_between(&random, 500, 2500);
		for (range = 0; range <= RANGE; range += RANGE)
		{
			Box			box;
			int			team[MAX_PLAYERS];
			double		least = INFINITY;
			int			again;

			box_teams(&box, n, shapes[shape][1], n - benched, range);
			memcpy(box.value, value, sizeof(value));
			for (i = 0; i < n; i++)
				team[i] = i < benched ? SPLIT_BENCH : (i - benched) % shapes[shape][1] + 1;
			box_solve(&box);
			assert_true(keeps_many_constraints(&box.problem, box.team) && keeps_many_constraints(&box.problem, team));
			if (n <= (benched > 0 ? 20 : 24))
				assert_int_equal(box.proof, SPLIT_PROVEN);
			else
				assert_true(box.proof >= SPLIT_FOUND);
			memcpy(found[range / RANGE], box.team, sizeof(team));

			/*
			 * Neither objective is better served by the split for the other
			 * one.
			 */
			if (range && n <= 24 && benched == 0)
			{
				assert_true(box.objective <= many_objective(&box.problem, found[0]) + tolerance(&box));
				box.problem.objective = SPLIT_SQUARES;
				assert_true(many_objective(&box.problem, found[0]) <= many_objective(&box.problem, found[1]) + tolerance(&box));
				box.problem.objective = SPLIT_RANGE;
			}
			for (again = 0; again < 20000; again++)
			{
				for (i = n - 1; i > 0; i--)
				{
					int			j = (int) random_between(&random, 0, i + 1);
					int			other = team[i];

					team[i] = team[j];
					team[j] = other;
				}
				least = fmin(least, many_objective(&box.problem, team));
			}
			assert_true(box.objective <= least);
		}
	}
}

/* One player who is worth more than all others leaves no even split, and still a best. */
static void
test_uneven(void **state)
{
	int			range;

	(void) state;
	for (range = 0; range <= RANGE; range += RANGE)
	{
		Box			box;
		int			i;

		box_teams(&box, 12, 3, 12, range);
		for (i = 0; i < 12; i++)
			box.value[i] = i == 5 ? 1e4 : 100 * i;
		box_solve(&box);
		assert_int_equal(box.proof, SPLIT_PROVEN);

		/*
		 * The star has the weakest three: 0, 100, 200; the others 2900 and
		 * 2900.
		 */
		assert_near(box.objective,
					range ? (10300 - 2900) / 4.0 :
					pow((10300 - 16100 / 3.0) / 4, 2) + 2 * pow((2900 - 16100 / 3.0) / 4, 2),
					1e-6);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all_splits),
		cmocka_unit_test(test_without_proof),
		cmocka_unit_test(test_larger),
		cmocka_unit_test(test_uneven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
