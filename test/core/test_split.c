/*
 * test_split.c
 *		Two teams and a bench: every combination of ties against all splits there are.
 */
#include <stdlib.h>

#include "test.h"

#include "core/split/split.h"
#include "core/split/split_internal.h"
#include "core/split/split_second.h"

#include "../constraints.h"

#define MAX_PLAYERS 128
#define MAX_SIZES 64

/* A problem with room for everything. */
typedef struct Box
{
	SplitProblem problem;
	double		value[2][MAX_PLAYERS];
	double		command_value[2][MAX_PLAYERS];
	int			party[MAX_PLAYERS];
	int			evenly[MAX_PLAYERS];
	int			allowed_teams[MAX_PLAYERS];
	bool		commander[MAX_PLAYERS];
	int			current[MAX_PLAYERS];
	int			home[MAX_PLAYERS];
	SplitPair	apart[MAX_PLAYERS];
	SplitSize	size[MAX_SIZES];
	double		target[MAX_SIZES];
	int			member[MAX_PLAYERS];
	int			root[MAX_PLAYERS];
	int			order[MAX_PLAYERS];
	SplitGroup	group[MAX_PLAYERS];
	SplitAnswer answer[MAX_SIZES];
	int			team[MAX_SIZES][MAX_PLAYERS];
} Box;

static Box *
box_make(int n)
{
	Box		   *box = calloc(1, sizeof(Box));
	SplitProblem *p = &box->problem;
	int			i;

	p->n = n;
	for (i = 0; i < 2; i++)
		p->value[i] = box->value[i];
	p->size = box->size;
	p->target = box->target;
	p->apart = box->apart;
	p->max_room = 64 << 20;
	p->max_work = 1e9;
	p->member = box->member;
	p->root = box->root;
	p->order = box->order;
	p->group = box->group;
	for (i = 0; i < MAX_SIZES; i++)
		box->answer[i].team = box->team[i];
	return box;
}

static void
box_free(Box *box)
{
	free(box->problem.option);
	free(box);
}

static void
box_size(Box *box, int first, int second)
{
	SplitSize  *size = &box->size[box->problem.nsizes++];

	size->count[0] = first;
	size->count[1] = second;
}

static SplitStatus
box_prepare(Box *box)
{
	SplitProblem *p = &box->problem;
	SplitStatus status = split_group(p);

	if (status != SPLIT_OK)
		return status;
	free(p->option);
	p->option = malloc((p->noptions + 1) * sizeof(SplitOption));
	split_make_options(p);
	split_choose(p);
	return SPLIT_OK;
}

static void
box_solve(Box *box)
{
	void	   *room = malloc(box->problem.room);

	split_solve(&box->problem, room, box->answer);
	free(room);
}

/* Whether a split of a size keeps all ties; commanders are given apart. */
static bool
fits(const Box *box, int size, const int *team)
{
	const SplitProblem *p = &box->problem;
	int			count[3] = {0, 0, 0};
	int			does[MAX_PLAYERS];
	int			moves = 0;
	int			i;

	for (i = 0; i < p->n; i++)
	{
		/* With homes sizes are of those who leave, and parties leave together or not. */
		if (p->home != NULL && team[i] == SPLIT_BENCH)
			return false;
		does[i] = p->home == NULL ? team[i] : team[i] == p->home[i] ? SPLIT_BENCH : p->home[i];
		count[does[i]]++;
		moves += p->current != NULL && p->current[i] != SPLIT_NOWHERE &&
			p->current[i] != team[i];
	}
	return count[1] == p->size[size].count[0] && count[2] == p->size[size].count[1] &&
		moves == p->size[size].moves && divides_evenly(p->n, p->evenly, team) &&
		keeps_constraints(p->n, p->party, NULL, NULL, 0, does) &&
		keeps_constraints(p->n, NULL, p->allowed_teams, p->apart, p->napart, team);
}

static double
difference(const Box *box, int size, const int *team, int c1, int c2)
{
	const SplitProblem *p = &box->problem;
	double		d = p->home != NULL ? p->target[size] : -p->target[size];
	int			i;

	for (i = 0; i < p->n; i++)
	{
		if (team[i] != SPLIT_BENCH)
			d += (team[i] == 1 ? 1 : -1) *
				(i == c1 || i == c2 ? p->command_value : p->value)[team[i] - 1][i];

		/* The target of moves is what they take off the lead. */
		if (p->home != NULL)
			d -= (p->home[i] == 1 ? 1 : -1) * p->value[p->home[i] - 1][i];
	}
	return d;
}

/* The smallest difference there is, of all splits; infinite if there is none. */
static double
best(const Box *box, int size)
{
	const SplitProblem *p = &box->problem;
	bool		commands = p->command_value[0] != NULL;
	double		least = INFINITY;
	int			team[MAX_PLAYERS];
	long		code,
				ncodes = 1;
	int			i,
				c1,
				c2;

	for (i = 0; i < p->n; i++)
		ncodes *= 3;
	for (code = 0; code < ncodes; code++)
	{
		long		rest = code;

		for (i = 0; i < p->n; i++, rest /= 3)
			team[i] = (int) (rest % 3);
		if (!fits(box, size, team))
			continue;
		for (c1 = commands ? 0 : p->n; c1 < p->n + !commands; c1++)
			for (c2 = commands ? 0 : p->n; c2 < p->n + !commands; c2++)
				if (!commands ||
					(team[c1] == 1 && team[c2] == 2 &&
					 (p->commander == NULL || (p->commander[c1] && p->commander[c2]))))
					least = fmin(least, fabs(difference(box, size, team, c1, c2)));
	}
	return least;
}

static void
check_answers(const Box *box, double tolerance)
{
	int			i;

	for (i = 0; i < box->problem.nsizes; i++)
	{
		const SplitAnswer *answer = &box->answer[i];
		double		least = best(box, i);

		assert_int_equal(answer->found, least < INFINITY);
		if (!answer->found)
			continue;
		assert_true(fits(box, i, answer->team));
		assert_near(answer->difference,
					difference(box, i, answer->team, answer->commander[0],
							   answer->commander[1]), 1e-9);
		assert_true(fabs(answer->difference) <= least + answer->bound + tolerance);
		assert_true(answer->bound <= fabs(answer->difference) + tolerance);
		if (box->problem.command_value[0] != NULL)
		{
			assert_true(answer->commander[0] >= 0 && answer->commander[1] >= 0);
			assert_int_equal(answer->team[answer->commander[0]], 1);
			assert_int_equal(answer->team[answer->commander[1]], 2);
		}
	}
}

/* What can tie players, as bits. */
enum
{
	PARTIES = 1,
	LOCKS = 2,
	APART = 4,
	SIDES = 8,					/* ratings for either side */
	COMMANDERS = 16,
	TARGET = 32,
	REAL = 64,					/* ratings that are no integers */
	EVERYBODY = 128,
	MOVES = 256,				/* of which there are to be so many */
	EVENLY = 512,				/* groups that are divided between the teams */
	ALL_TIES = 1024
};

static Box *
random_box(Random *random, int ties)
{
	int			n = (int) random_between(random, 2, ties & COMMANDERS ? 7 : 8.999);
	Box		   *box = box_make(n);
	SplitProblem *p = &box->problem;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		for (j = 0; j < 2; j++)
		{
			box->value[j][i] = random_between(random, 500, 2500);
			box->command_value[j][i] = random_between(random, -100, 500);
			if (!(ties & REAL))
			{
				box->value[j][i] = round(box->value[j][i]);
				box->command_value[j][i] = round(box->command_value[j][i]);
			}
		}
		if (!(ties & SIDES))
			box->value[1][i] = box->value[0][i];
		box->party[i] = (int) random_between(random, -2, 3.999);
		if (box->party[i] < 0)
			box->party[i] = 0;
		box->allowed_teams[i] = random_between(random, 0, 1) < 0.6 ? SPLIT_ANYWHERE(2) :
			(int) random_between(random, 1, SPLIT_ANYWHERE(2) + 0.999);
		box->commander[i] = random_between(random, 0, 1) < 0.7;
		box->current[i] = (int) random_between(random, 0, 3.999) + SPLIT_NOWHERE;
	}
	if (ties & PARTIES)
		p->party = box->party;
	if (ties & LOCKS)
		p->allowed_teams = box->allowed_teams;
	if (ties & EVENLY)
	{
		for (i = 0; i < n; i++)
			box->evenly[i] = (int) random_between(random, 0, 2.999);
		p->evenly = box->evenly;
	}
	if (ties & APART)
		for (i = 0; i < n / 3; i++)
		{
			SplitPair  *pair = &box->apart[p->napart];

			pair->a = (int) random_between(random, 0, n);
			pair->b = (int) random_between(random, 0, n);
			p->napart += pair->a != pair->b;
		}
	if (ties & COMMANDERS)
	{
		p->command_value[0] = box->command_value[0];
		p->command_value[1] = box->command_value[ties & SIDES ? 1 : 0];
		if (random_between(random, 0, 1) < 0.5)
			p->commander = box->commander;
	}
	if (ties & EVERYBODY)
		box_size(box, (n + 1) / 2, n / 2);
	else
		for (i = 1; i <= n / 2; i++)
			box_size(box, i, i == 2 && n > 4 ? 3 : i);
	if (ties & MOVES)
	{
		p->current = box->current;
		for (i = 1; i < n; i++)
			if (ties & EVERYBODY)
				box_size(box, (n + 1) / 2, n / 2);
		for (i = 0; i < p->nsizes; i++)
			box->size[i].moves = i;
	}
	for (i = 0; i < p->nsizes && ties & TARGET; i++)
		box->target[i] = ties & REAL ? random_between(random, -500, 500) :
			(int) random_between(random, -500, 500);
	return box;
}

/* Every combination of ties, by either method. */
static void
test_against_all_splits(void **state)
{
	Random		random = {1};
	int			ties,
				again,
				solved = 0;

	(void) state;
	for (ties = 0; ties < ALL_TIES; ties++)
		for (again = 0; again < 8; again++)
		{
			Box		   *box = random_box(&random, ties);
			SplitStatus status = box_prepare(box);

			if (status == SPLIT_OK)
			{
				solved++;
				box_solve(box);
				check_answers(box, 1e-6);
				box->problem.method = SPLIT_BY_HALVES;
				box->problem.room = split_halves_room(&box->problem) + 4096;
				box_solve(box);
				check_answers(box, 1e-6);
			}
			else
			{
				int			size;

				assert_int_equal(status, SPLIT_NO_OPTION);
				for (size = 0; size < box->problem.nsizes; size++)
					assert_true(best(box, size) == INFINITY);
			}
			box_free(box);
		}
	assert_true(solved > ALL_TIES * 4);
}

/*
 * Players who leave their home or stay: pairs are apart where they are then, and that is
 * the team that somebody commands.
 */
static void
test_homes(void **state)
{
	Random		random = {2};
	int			again,
				solved = 0,
				commanded = 0;

	(void) state;
	for (again = 0; again < 900; again++)
	{
		Box		   *box = random_box(&random, APART | TARGET | (again % 2 ? PARTIES : 0) |
									 (again % 3 == 0 ? COMMANDERS | SIDES : 0) |
									 (again % 7 == 0 ? REAL : 0));
		SplitProblem *p = &box->problem;
		int			i;

		for (i = 0; i < p->n; i++)
		{
			box->home[i] = 1 + (int) random_between(&random, 0, 1.999);
			box->allowed_teams[i] |= SPLIT_MAY(box->home[i]);
		}
		p->home = box->home;
		if (again % 5 == 0)
			p->allowed_teams = box->allowed_teams;
		if (box_prepare(box) == SPLIT_OK)
		{
			box_solve(box);
			check_answers(box, 1e-6);
			for (i = 0; i < p->nsizes; i++)
			{
				solved += box->answer[i].found && p->napart > 0;
				commanded += box->answer[i].found && p->command_value[0] != NULL;
			}
			p->method = SPLIT_BY_HALVES;
			p->room = split_halves_room(p) + 4096;
			box_solve(box);
			check_answers(box, 1e-6);
			p->method = SPLIT_BY_REACH;
			p->room = split_reach_room(p) + 4096;
			box_solve(box);
			check_answers(box, 1e-6);
		}
		box_free(box);
	}
	assert_true(solved > 300 && commanded > 100);
}

/* The second difference of a split, of one number by player on either team. */
static double
second_of(const Box *box, const double *const *second, const int *team)
{
	double		d = 0;
	int			i;

	for (i = 0; i < box->problem.n; i++)
		if (team[i] != SPLIT_BENCH)
			d += (team[i] == 1 ? 1 : -1) * second[team[i] - 1][i];
	return fabs(d);
}

/* Of the splits that are even enough the best in something else, against all of them. */
static void
test_second(void **state)
{
	Random		random = {6};
	int			ties,
				solved = 0;

	(void) state;
	for (ties = 0; ties < 3 * ALL_TIES; ties++)
	{
		Box		   *box = random_box(&random, ties % ALL_TIES & ~COMMANDERS);
		SplitProblem *p = &box->problem;
		double		numbers[2][MAX_PLAYERS];
		const double *second[2] = {numbers[0], numbers[ties & SIDES ? 1 : 0]};
		double		allowed = random_between(&random, 0, 600);
		double		least = INFINITY;
		double		found;
		bool		proven;
		int			team[MAX_PLAYERS];
		long		code,
					ncodes = 1;
		void	   *room;
		int			i;

		p->nsizes = 1;
		for (i = 0; i < p->n; i++)
		{
			numbers[0][i] = random_between(&random, 0, 100);
			numbers[1][i] = random_between(&random, 0, 100);
			ncodes *= 3;
		}
		for (code = 0; code < ncodes; code++)
		{
			long		rest = code;

			for (i = 0; i < p->n; i++, rest /= 3)
				team[i] = (int) (rest % 3);
			if (fits(box, 0, team) && fabs(difference(box, 0, team, -1, -1)) <= allowed)
				least = fmin(least, second_of(box, second, team));
		}
		if (box_prepare(box) == SPLIT_OK)
		{
			room = malloc(split_second_room(p));
			split_second(p, second, allowed, room, &box->answer[0], &found, &proven);
			free(room);
			assert_true(proven);
			assert_int_equal(box->answer[0].found, least < INFINITY);
			if (box->answer[0].found)
			{
				solved++;
				assert_true(fits(box, 0, box->answer[0].team));
				assert_true(fabs(box->answer[0].difference) <= allowed + 1e-9);
				assert_near(found, second_of(box, second, box->answer[0].team), 1e-9);
				assert_near(found, least, 1e-9);
			}
		}
		else
			assert_true(least == INFINITY);
		box_free(box);
	}
	assert_true(solved > ALL_TIES / 2);
}

/* Real ratings that only fit when they are rounded, with the bound that is reported. */
static void
test_bound_of_rounding(void **state)
{
	Random		random = {2};
	int			again;

	(void) state;
	for (again = 0; again < 400; again++)
	{
		Box		   *box = random_box(&random, REAL | SIDES | TARGET |
									 (again % 2 == 0 ? 0 : COMMANDERS | APART));

		box->problem.max_room = 100000;
		box->problem.max_work = pow(10, random_between(&random, 2, 5));
		if (box_prepare(box) == SPLIT_OK)
		{
			box_solve(box);
			check_answers(box, 1e-6);
		}
		box_free(box);
	}
}

/*
 * When groups are exchanged after a coarse search, each team keeps one commander.
 * All groups are pairs who avoid each other, so that either team has one of each.
 */
static void
test_commanders_stay_apart(void **state)
{
	Random		random = {5};
	int			again;

	(void) state;
	for (again = 0; again < 400; again++)
	{
		Box		   *box = box_make(6);
		int			i;

		for (i = 0; i < 6; i++)
		{
			box->value[0][i] = box->value[1][i] = random_between(&random, 0, 1);
			box->command_value[0][i] = box->command_value[1][i] =
				random_between(&random, -5, 5);
		}
		box->problem.command_value[0] = box->command_value[0];
		box->problem.command_value[1] = box->command_value[1];
		box->apart[0] = (SplitPair)
		{
			0, 1
		};
		box->apart[1] = (SplitPair)
		{
			2, 3
		};
		box->apart[2] = (SplitPair)
		{
			4, 5
		};
		box->problem.napart = 3;
		box_size(box, 3, 3);
		box->problem.max_room = 1000;
		box->problem.max_work = 1;
		assert_int_equal(box_prepare(box), SPLIT_OK);
		assert_int_equal(box->problem.method, SPLIT_BY_REACH);
		box_solve(box);
		check_answers(box, 1e-6);
		box_free(box);
	}
}

/* Against a great many splits at random, where there are too many for all. */
static void
test_against_random_splits(void **state)
{
	Random		random = {3};
	int			real;

	(void) state;
	for (real = 0; real <= 1; real++)
	{
		Box		   *box = box_make(24);
		double		least = INFINITY;
		int			team[24];
		int			i,
					again;

		for (i = 0; i < 24; i++)
		{
			box->value[0][i] = box->value[1][i] = real ?
				random_between(&random, 500, 2500) : (int) random_between(&random, 500, 2500);
			team[i] = i % 3;
		}
		box_size(box, 8, 8);
		assert_int_equal(box_prepare(box), SPLIT_OK);
		assert_int_equal(box->problem.method, real ? SPLIT_BY_HALVES : SPLIT_BY_REACH);
		box_solve(box);
		assert_true(box->answer[0].found && fits(box, 0, box->answer[0].team));
		for (again = 0; again < 1000000; again++)
		{
			for (i = 23; i > 0; i--)
			{
				int			j = (int) random_between(&random, 0, i + 1);
				int			other = team[i];

				team[i] = team[j];
				team[j] = other;
			}
			least = fmin(least, fabs(difference(box, 0, team, -1, -1)));
		}
		assert_true(fabs(box->answer[0].difference) <= least);
		box_free(box);
	}
}

/* The next number with as many bits (Gosper's hack). */
static uint32_t
next_subset(uint32_t x)
{
	uint32_t	lowest = x & -x;
	uint32_t	carried = x + lowest;

	return ((carried ^ x) / lowest >> 2) | carried;
}

/*
 * Gosper partition enumeration (SynElo F9) without the slips of the document: teams of
 * k have k bits each, every k has its best split, and mirrors are left out by the first
 * player who plays, not by the first of all.
 */
static double
gosper_best(const double *value, int n, int k)
{
	double		least = INFINITY;
	uint32_t	active;

	for (active = (UINT32_C(1) << 2 * k) - 1; active < UINT32_C(1) << n;
		 active = next_subset(active))
	{
		int			player[32];
		int			m = 0;
		uint32_t	team;
		int			i;

		for (i = 0; i < n; i++)
			if (active >> i & 1)
				player[m++] = i;

		/* The first of them is in the other team. */
		for (team = (UINT32_C(1) << k) - 1; team < UINT32_C(1) << (2 * k - 1);
			 team = next_subset(team))
		{
			double		d = value[player[0]];

			for (i = 1; i < m; i++)
				d += team >> (i - 1) & 1 ? -value[player[i]] : value[player[i]];
			least = fmin(least, fabs(d));
		}
	}
	return least;
}

static void
test_against_gosper(void **state)
{
	Random		random = {4};
	int			n;

	(void) state;
	for (n = 4; n <= 16; n++)
	{
		Box		   *box = box_make(n);
		int			i;

		for (i = 0; i < n; i++)
			box->value[0][i] = box->value[1][i] = round(random_between(&random, 0, 1e6));
		for (i = 2; i <= n / 2; i++)
			box_size(box, i, i);
		assert_int_equal(box_prepare(box), SPLIT_OK);
		box_solve(box);
		for (i = 0; i < box->problem.nsizes; i++)
			assert_near(fabs(box->answer[i].difference),
						gosper_best(box->value[0], n, i + 2), 1e-6);
		box_free(box);
	}
}

/* What contradicts itself, and what is too much. */
static void
test_faults(void **state)
{
	Box		   *box = box_make(40);
	int			i;

	(void) state;
	box_size(box, 2, 2);
	box->party[3] = box->party[5] = 7;
	for (i = 0; i < 40; i++)
		box->allowed_teams[i] = SPLIT_ANYWHERE(2);
	box->allowed_teams[3] = SPLIT_MAY(1);
	box->allowed_teams[5] = SPLIT_MAY(SPLIT_BENCH) | SPLIT_MAY(2);
	box->apart[0] = (SplitPair)
	{
		5, 6
	};
	box->problem.napart = 1;
	box->allowed_teams[6] = SPLIT_MAY(2);
	box->problem.party = box->party;
	box->problem.allowed_teams = box->allowed_teams;
	assert_int_equal(box_prepare(box), SPLIT_NO_OPTION);
	assert_int_equal(box->problem.member[box->problem.group[box->problem.at_fault].first_member], 3);
	box->allowed_teams[5] = SPLIT_ANYWHERE(2);
	assert_int_equal(box_prepare(box), SPLIT_OK);

	/* A chain of pairs apart: more than can be enumerated. */
	for (i = 0; i < 20; i++)
		box->apart[i] = (SplitPair)
	{
		i, i + 1
	};
	box->problem.napart = 20;
	assert_int_equal(box_prepare(box), SPLIT_GROUP_TOO_LARGE);
	box_free(box);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all_splits),
		cmocka_unit_test(test_homes),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_bound_of_rounding),
		cmocka_unit_test(test_commanders_stay_apart),
		cmocka_unit_test(test_against_random_splits),
		cmocka_unit_test(test_against_gosper),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
