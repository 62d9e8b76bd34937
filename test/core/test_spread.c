/*
 * test_spread.c
 *		Labels beside the places that they name.
 */
#include "test.h"

#include "core/util/spread.h"

#define MOST 40

static double
squared_moves(const double *wanted, const double *place, int n)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += (place[i] - wanted[i]) * (place[i] - wanted[i]);
	return sum;
}

static void
check_allowed(const double *place, int n, double gap, double low, double high)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		assert_true(place[i] >= low - 1e-9 && place[i] <= high + 1e-9);
		if (i > 0)
			assert_true(place[i] - place[i - 1] >= gap - 1e-9);
	}
}

/* Sorted random places, of which several are equal at times. */
static void
random_places(Random *random, double *place, int n)
{
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		double		x = floor(random_between(random, 0, 1) * 100) - 10;

		for (j = i; j > 0 && place[j - 1] > x; j--)
			place[j] = place[j - 1];
		place[j] = x;
	}
}

/* Spread sorted places that come the other way round. */
static void
spread(double *place, int n, double gap, double low, double high)
{
	SpreadPlace spread[MOST];
	int			i;

	for (i = 0; i < n; i++)
	{
		spread[i].place = place[n - 1 - i];
		spread[i].number = n - 1 - i;
	}
	spread_places(spread, n, gap, low, high);
	for (i = 1; i < n; i++)
		assert_true(place[spread[i - 1].number] < place[spread[i].number] ||
					(place[spread[i - 1].number] == place[spread[i].number] &&
					 spread[i - 1].number > spread[i].number));
	for (i = 0; i < n; i++)
		place[i] = spread[i].place;
}

static void
test_by_hand(void **state)
{
	double		alone[] = {7};
	double		apart[] = {0, 20, 40};
	double		together[] = {10, 10, 10};
	double		top[] = {1, 2};
	double		full[] = {5, 5, 5, 5};

	(void) state;
	spread(alone, 1, 14, 0, 100);
	assert_same(alone[0], 7);
	spread(apart, 3, 14, 0, 100);
	assert_same(apart[0], 0);
	assert_same(apart[1], 20);
	assert_same(apart[2], 40);

	/* Up as far as down. */
	spread(together, 3, 4, 0, 100);
	assert_near(together[0], 6, 1e-12);
	assert_near(together[1], 10, 1e-12);
	assert_near(together[2], 14, 1e-12);

	/* The middle of the two would put the first above 0. */
	spread(top, 2, 10, 0, 100);
	assert_near(top[0], 0, 1e-12);
	assert_near(top[1], 10, 1e-12);

	/* Without room they begin at the lower bound. */
	spread(full, 4, 10, 3, 20);
	assert_near(full[0], 3, 1e-12);
	assert_near(full[3], 33, 1e-12);
}

/*
 * The objective is convex and so is what is allowed: no allowed point on the way to another
 * one may be better.  Tried are other random allowed places.
 */
static void
test_least_moves(void **state)
{
	Random		random = {11};
	int			round;

	(void) state;
	for (round = 0; round < 2000; round++)
	{
		int			n = 1 + random_below(&random, MOST);
		double		gap = 2;
		double		wanted[MOST];
		double		place[MOST];
		double		other[MOST];
		int			try;
		int			i;

		random_places(&random, wanted, n);
		memcpy(place, wanted, sizeof(place));
		spread(place, n, gap, 0, 80);
		check_allowed(place, n, gap, 0, 80);
		for (try = 0; try < 20; try++)
		{
			double		share = random_between(&random, 0, 1) * 0.01;

			random_places(&random, other, n);
			for (i = 0; i < n; i++)
				other[i] = (other[i] + 10) * (80 - (n - 1) * gap) / 100 + i * gap;
			check_allowed(other, n, gap, 0, 80);
			for (i = 0; i < n; i++)
				other[i] = place[i] + share * (other[i] - place[i]);
			assert_true(squared_moves(wanted, other, n) >=
						squared_moves(wanted, place, n) - 1e-9);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_least_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
