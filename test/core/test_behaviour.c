/*
 * test_behaviour.c
 *		Invariants of the score of a player's conduct, and values computed by hand.
 */
#include "test.h"

#include "core/rating/behaviour.h"

/* The score after n equal games, a day each, with these parameters. */
static double
score_after(const ParamValue *params, int n, double reports, double commends, double quits)
{
	Behaviour	behaviour = {0};
	int			i;

	for (i = 0; i < n; i++)
	{
		if (i > 0)
			behaviour_age(params, &behaviour, 86400);
		behaviour_add_game(params, &behaviour, reports, commends, quits);
	}
	return behaviour_score(params, &behaviour);
}

static void
test_values(void **state)
{
	ParamValue	params[16];

	(void) state;
	param_defaults(&behaviour_params, params);
	assert_near(score_after(params, 0, 0, 0, 0), 0.9, 1e-15);
	assert_near(score_after(params, 1, 0, 0, 0), 10.0 / 11, 1e-15);
	assert_near(score_after(params, 1, 1, 0, 0), 10.0 / 12, 1e-15);
	assert_near(score_after(params, 1, 100, 0, 0), 10.0 / 14, 1e-15);
	assert_near(score_after(params, 1, 0, 2, 0), 10.5 / 11.5, 1e-15);
	assert_near(score_after(params, 1, 0, 0, 1), 10.0 / 13, 1e-15);
}

/* Reports and quits lower the score, commends raise it, and it stays between 0 and 1. */
static void
test_monotone(void **state)
{
	ParamValue	params[16];
	int			n;

	(void) state;
	param_defaults(&behaviour_params, params);
	for (n = 1; n < 300; n += 7)
	{
		double		clean = score_after(params, n, 0, 0, 0);

		assert_true(score_after(params, n, 0.5, 0, 0) < clean);
		assert_true(score_after(params, n, 1, 0, 0) < score_after(params, n, 0.5, 0, 0));
		assert_true(score_after(params, n, 0, 0, 1) < clean);
		assert_true(score_after(params, n, 0, 1, 0) > clean);
		assert_true(score_after(params, n, 1e6, 0, 1e6) > 0);
		assert_true(score_after(params, n, 0, 1e6, 0) < 1);
	}
}

/* Without games the score goes on towards the prior. */
static void
test_forgiveness(void **state)
{
	ParamValue	params[16];
	Behaviour	behaviour = {0};
	double		before = 0;
	int			i;

	(void) state;
	param_defaults(&behaviour_params, params);
	behaviour_add_game(params, &behaviour, 3, 0, 1);
	for (i = 0; i < 50; i++)
	{
		double		score = behaviour_score(params, &behaviour);

		assert_true(score > before && score < 0.9);
		before = score;
		behaviour_age(params, &behaviour, 30 * 86400.0);
	}
	assert_near(before, 0.9, 1e-4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_monotone),
		cmocka_unit_test(test_forgiveness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
