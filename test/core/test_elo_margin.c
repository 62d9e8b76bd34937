/*
 * test_elo_margin.c
 *		What a lead in scores is worth under Elo's system.
 */
#include <float.h>

#include "elo_matches.h"

#include "core/math/logistic.h"
#include "core/models/elo.h"

/* A duel that ended a:b, between equals. */
static double
change_by_score(Fixture *f, double a, double b)
{
	duel(f, 1500, 1500, NAN, NAN);
	f->row[0].score = a;
	f->row[1].score = b;
	fixture_rate(f);
	assert_true(change(f, 0) + change(f, 1) == 0);
	return change(f, 0);
}

static void
test_margin(void **state)
{
	static const double index[] = {0, 1, 1.5, 1.75, 1.875, 2, 2.125};
	Fixture		f;
	int			goals;

	(void) state;
	fixture_init(&f, "elo");
	assert_near(change_by_score(&f, 5, 1), 16, 1e-12);
	fixture_param(&f, "margin")->choice = 1;
	for (goals = 1; goals <= 6; goals++)
	{
		assert_near(change_by_score(&f, goals, 0), 16 * index[goals], 1e-12);
		assert_near(change_by_score(&f, 3, 3 + goals), -16 * index[goals], 1e-12);
	}
	assert_same(change_by_score(&f, 2, 2), 0);
	assert_near(change_by_score(&f, 2.5, 1), 16 * 1.25, 1e-12);
	assert_near(change_by_score(&f, 3.5, 1), 16 * 1.625, 1e-12);

	fixture_param(&f, "margin")->choice = 2;
	assert_near(change_by_score(&f, 1, 0), 16, 1e-12);
	assert_near(change_by_score(&f, 0.5, 0), 16, 1e-12);
	assert_near(change_by_score(&f, 7, 0), 16 * 3, 1e-12);
	fixture_param(&f, "margin_unit")->number = 10;
	assert_near(change_by_score(&f, 100, 70), 16 * 2, 1e-12);

	/* Without scores there is no margin. */
	duel(&f, 1500, 1500, 1, 2);
	fixture_rate(&f);
	assert_near(change(&f, 0), 16, 1e-12);
}

/* The more, the more: also far out, and for each of several teams. */
static void
test_margin_is_monotone(void **state)
{
	Fixture		f;
	int			form,
				i;

	(void) state;
	fixture_init(&f, "elo");
	for (form = 1; form <= 3; form++)
	{
		double		last = 0;
		double		margin;

		fixture_param(&f, "margin")->choice = form;
		for (margin = 0.5; margin < 1e6; margin *= 1.1)
		{
			static const double rating[3] = {1500, 1400, 1600};
			static const double unknown[3] = {NAN, NAN, NAN};
			double		gained;

			free_for_all(&f, 3, rating, unknown);
			for (i = 0; i < 3; i++)
				f.row[i].score = -i * margin;
			fixture_rate(&f);
			gained = change(&f, 0);
			assert_true(gained >= last);
			assert_near(gained + change(&f, 1) + change(&f, 2), 0,
						1e-12 * (1 + gained));
			last = gained;
		}
		assert_true(last > 100);
	}
}

/* A duel with scores, and log-odds for the first; the change of the first. */
static double
change_of_lead(Fixture *f, double a, double b, double score_a, double score_b,
			   double log_odds)
{
	duel(f, a, b, NAN, NAN);
	f->row[0].score = score_a;
	f->row[1].score = score_b;
	f->match.log_odds = log_odds;
	fixture_rate(f);
	assert_near(change(f, 0) + change(f, 1), 0, 1e-12);
	return change(f, 0);
}

/*
 * FiveThirtyEight's NFL ratings, by their published formula: K 20, 65 points for the home
 * team, times ln(|points| + 1) * 2.2 / (2.2 + 0.001 * lead of the winner).
 */
static void
test_margin_of_nfl_ratings(void **state)
{
	static const double game[][4] = {
		{1600, 1500, 27, 20}, {1600, 1500, 20, 27}, {1350, 1700, 31, 3},
		{1350, 1700, 10, 45}, {1505, 1505, 21, 20}, {1300, 1301, 0, 59}
	};
	double		home = 65 * log(10) / 400;
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "k")->number = 20;
	fixture_param(&f, "margin")->choice = 3;
	fixture_param(&f, "margin_autocorrelation")->number = 0.001 / 2.2;
	for (i = 0; i < 6; i++)
	{
		const double *g = game[i];
		double		lead = g[0] + 65 - g[1];
		double		won = g[2] > g[3];
		double		multiplier = log(fabs(g[2] - g[3]) + 1) * 2.2 /
			(2.2 + 0.001 * (won ? lead : -lead));

		assert_near(change_of_lead(&f, g[0], g[1], g[2], g[3], home),
					20 * multiplier * (won - 1 / (1 + pow(10, -lead / 400))), 1e-11);
	}

	/*
	 * By hand: a lead of 165 is expected to score .7210782, the multiplier is
	 * ln 8 * 2.2 / 2.365 = 1.9343642.
	 */
	assert_near(change_of_lead(&f, 1600, 1500, 27, 20, home), 10.790725, 1e-6);

	/* A draw has no winner, and counts as much as one says. */
	assert_near(change_of_lead(&f, 1600, 1500, 20, 20, home),
				20 * (0.5 - 1 / (1 + pow(10, -165.0 / 400))), 1e-12);
	fixture_param(&f, "margin_draw")->number = 2.2 * log(2);
	assert_near(change_of_lead(&f, 1600, 1500, 20, 20, home),
				20 * 2.2 * log(2) * (0.5 - 1 / (1 + pow(10, -165.0 / 400))), 1e-11);
	fixture_param(&f, "margin_draw")->number = 0;
	assert_near(change_of_lead(&f, 1600, 1500, 20, 20, home), 0, 0);
}

/* What the context is worth in points belongs to the lead, in either form. */
static void
test_margin_autocorrelation(void **state)
{
	Fixture		f;
	double		plain,
				small,
				slope;

	(void) state;
	fixture_init(&f, "elo");
	fixture_param(&f, "form")->choice = NORMAL;
	fixture_param(&f, "margin")->choice = 1;
	plain = change_of_lead(&f, 1500, 1500, 1, 0, 0.1);
	fixture_param(&f, "margin_autocorrelation")->number = 0.01;

	/* Rating points of so small log-odds, by the curve itself. */
	small = 1e-3;
	slope = (elo_normal(small, 200, 0) - elo_normal(-small, 200, 0)) / (2 * small) * 4;
	assert_relative(change_of_lead(&f, 1500, 1500, 1, 0, 0.1),
					plain / (1 + 0.01 * 0.1 / slope), 1e-9);
	assert_relative(change_of_lead(&f, 1500, 1500, 0, 1, -0.1),
					-plain / (1 + 0.01 * 0.1 / slope), 1e-9);

	/* Nothing without a margin, or without scores. */
	fixture_param(&f, "form")->choice = LOGISTIC;
	fixture_param(&f, "margin")->choice = 0;
	assert_near(change_of_lead(&f, 1900, 1500, 3, 0, 0), 32.0 / 11, 1e-12);
	fixture_param(&f, "margin")->choice = 3;
	duel(&f, 1900, 1500, 1, 2);
	fixture_rate(&f);
	assert_near(change(&f, 0), 32.0 / 11, 1e-12);

	/* An upset multiplies by ten at most. */
	fixture_param(&f, "margin")->choice = 1;
	assert_near(change_of_lead(&f, 1500, 1900, 1, 0, 0), 10 * 320.0 / 11, 1e-11);
	assert_near(change_of_lead(&f, 1500, 1590, 1, 0, 0),
				10 * 32 * (1 - elo_logistic(-90, 400, 0)), 1e-11);
	assert_near(change_of_lead(&f, 1900, 1500, 1, 0, 0), 32.0 / 11 / 5, 1e-12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_margin),
		cmocka_unit_test(test_margin_is_monotone),
		cmocka_unit_test(test_margin_of_nfl_ratings),
		cmocka_unit_test(test_margin_autocorrelation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
