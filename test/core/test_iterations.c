/*
 * test_iterations.c
 *		Whatever iterates, where it is hardest: huge and tiny numbers, systems that
 *		determine nothing, and limits that are reached.
 *
 * The tests of each part are elsewhere; docs/architecture.md lists them.
 */
#include "test.h"

/*
 * A field of n newcomers to each other.  Whatever the order says, it says of differences
 * alone, so that the gradients of all add up to nothing.  Returns how far they are from
 * that, as a share of the largest.
 */
static double
rate_field(Fixture *f, int n)
{
	double		sum = 0;
	double		largest = 0;
	int			i;

	fixture_rate(f);
	for (i = 0; i < n; i++)
	{
		assert_true(isfinite(f->after[i][0]) && f->after[i][1] > 0);
		sum += f->player[i].gradient;
		largest = fmax(largest, fabs(f->player[i].gradient));
	}
	return largest > 0 ? fabs(sum) / largest : 0;
}

/* Deviations from 1e-10 to 1e10 in one field settle, in a fraction of the sweeps allowed. */
static void
test_fields(void **state)
{
	Random		random = {90};
	double		worst = 0;
	int			round;

	(void) state;
	for (round = 0; round < 400; round++)
	{
		bool		wild = round % 2 == 1;
		double		decades = wild ? 10 : 3;
		double		spread = random_magnitude(&random, wild ? 8 : 3);
		int			n = 3 + random_below(&random, 38);
		Fixture		f;
		int			i;

		fixture_init(&f, "trueskill");
		fixture_param(&f, "draw_probability")->number = round % 4 < 2 ? 0 : 0.2;
		for (i = 0; i < n; i++)
		{
			f.before[i][0] = random_between(&random, -spread, spread);
			f.before[i][1] = random_magnitude(&random, decades);
			fixture_add(&f, i, i, 1 + i);
		}
		worst = fmax(worst, rate_field(&f, n));
	}
	assert_true(worst < 1e-10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
