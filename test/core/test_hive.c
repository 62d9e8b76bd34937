/*
 * test_hive.c
 *		The Hive model against its mathematics.
 *
 * Notation as in "A Skill Ranking System for Natural Selection 2": a match has
 * the log-odds m, the probability p = 1 / (1 + e^-m) that side 1 wins, and the
 * outcome G; x, z and c are the derivatives of m by a player's skill, side
 * offset and command skill, and every gradient is one of these times G - p.
 */
#include <float.h>

#include "hive_matches.h"

#include "core/math/logistic.h"
#include "core/models/hive.h"

static void
assert_state(const Fixture *f, int player, double skill, double skill_squares,
			 double side_offset, double command_skill, double command_squares)
{
	const double *after = f->after[player];

	assert_near(after[HIVE_SKILL], skill, 1e-12);
	assert_near(after[HIVE_SKILL_SQUARES], skill_squares, 1e-12);
	assert_near(after[HIVE_SIDE_OFFSET], side_offset, 1e-12);
	assert_near(after[HIVE_COMMAND_SKILL], command_skill, 1e-12);
	assert_near(after[HIVE_COMMAND_SQUARES], command_squares, 1e-12);
}

/*
 * The first of three matches, which are worked out in front of
 * test_three_matches_by_hand(): stints, a share and seconds of command, log-odds.
 */
static void
first_match_by_hand(Fixture *f)
{
	stint(fixture_add(f, 0, 1, 1), 0, 1800);
	stint(fixture_add(f, 1, 1, 1), 0, 600);
	stint(fixture_add(f, 1, 1, 1), 1200, 1800);
	stint(fixture_add(f, 2, 2, 2), 0, 1200);
	stint(fixture_add(f, 3, 2, 2), 600, 1800);
	f->row[0].commanding = 900;
	f->row[3].commanding = 0.25;
	f->match.log_odds = 0.2;
	set_side(f);
	fixture_rate(f);
	assert_near(f->team[0].win, 0.89390361663568557, 1e-15);
	assert_near(f->team[1].win, 0.10609638336431443, 1e-15);
	assert_near(f->player[0].gradient, 0.023208583860943781, 1e-15);
	assert_near(f->player[1].gradient, 0.033155119801348258, 1e-15);
	assert_near(f->player[2].gradient, -0.029839607821213433, 1e-15);
	assert_near(f->player[3].gradient, -0.019893071880808955, 1e-15);
	assert_state(f, 0, 4.0962329478502081, 0.00053863836483046013,
				 0.0058021459652359452,
				 4.2570587091989747, 0.0055156568558639118);
	assert_state(f, 1, 3.1341707531588286, 0.0010992619690417554,
				 0.0082887799503370646, 4, 0);
	assert_state(f, 2, 4.8781650886466963, 0.00089040219492382185,
				 0.0074599019553033581,
				 2.8707241594437255, 0.0010130798306688818);
	assert_state(f, 3, 1.9169836777510523, 0.00039573430885503193,
				 0.0049732679702022388, 4, 0);
}

/* The second: a player on both sides, and one who commands. */
static void
second_match_by_hand(Fixture *f)
{
	stint(fixture_add(f, 0, 1, 1), 0, 600);
	stint(fixture_add(f, 1, 1, 1), 0, 1200);
	stint(fixture_add(f, 0, 2, 1), 600, 1200);
	stint(fixture_add(f, 2, 2, 1), 0, 1200);
	stint(fixture_add(f, 3, 2, 1), 0, 1200);
	f->row[4].commanding = 1;
	set_side(f);
	fixture_rate(f);
	assert_near(f->team[0].win, 0.016000414594330304, 1e-15);
	assert_near(f->player[0].gradient, 0.053777731711741077, 1e-15);
	assert_near(f->player[1].gradient, 0.16133319513522323, 1e-15);
	assert_near(f->player[2].gradient, -0.16133319513522323, 1e-15);
	assert_near(f->player[3].gradient, 0, 0);
	assert_state(f, 0, 4.2952925328504459, 0.003430682792890462,
				 0.046135444749041753,
				 4.2570587091989747, 0.0055156568558639118);
	assert_state(f, 1, 3.5094193044865409, 0.027127661821581773,
				 0.048622078734142873, 4, 0);
	assert_state(f, 2, 4.5019705197487581, 0.026918802047463839,
				 0.047793200739109166,
				 2.8707241594437255, 0.0010130798306688818);
	assert_state(f, 3, 1.9169836777510523, 0.00039573430885503193,
				 0.0049732679702022388,
				 3.4872738154724175, 0.23425559867286015);
}

/* The third: weights in place of stints, the sides the other way round, a gain. */
static void
third_match_by_hand(Fixture *f)
{
	fixture_add(f, 2, 1, 1)->weight = 1;
	fixture_add(f, 3, 1, 1)->weight = 0.5;
	fixture_add(f, 0, 2, 2)->weight = 1;
	fixture_add(f, 1, 2, 2)->weight = 0.5;
	f->row[0].side = f->row[1].side = 2;
	f->row[2].side = f->row[3].side = 1;
	f->match.log_odds = -0.1;
	fixture_gain(f, 0.5);
	fixture_rate(f);
	assert_near(f->team[1].win, 0.53413566149132147, 1e-15);
	assert_near(f->team[0].win, 1 - 0.53413566149132147, 1e-15);
	assert_state(f, 0, 4.1054176354719968, 0.035130783334753969,
				 0.023879792186903359,
				 4.2570587091989747, 0.0055156568558639118);
	assert_state(f, 1, 3.4144092475426741, 0.035052686957047649,
				 0.037494252453073675, 4, 0);
	assert_state(f, 2, 4.6601634071209522, 0.058618902589327346,
				 0.025537548176970771,
				 2.8707241594437255, 0.0010130798306688818);
	assert_state(f, 3, 2.0596517300183311, 0.0083207594443209086,
				 -0.0061545583108669586,
				 3.4872738154724175, 0.23425559867286015);
}

/*
 * Three matches, worked out by hand with exact fractions and 40 digits.
 *
 * Parameters: a = 0.4, c = 0.25, epsilon = 0.01, a median round of 1200 s.
 * Players A to D start with the skills 4, 3, 5, 2 and the command skills
 * 4, 4, 3, 4; offsets and sums of squares are 0.
 *
 * The weight of a stint is 2^(-joined / 600) - 2^(-left / 600).
 *
 * MATCH 1.  A and B play side 1, C and D side 2; the context says 0.2 in favour
 * of side 1, which wins: G = 1.
 *
 *	   A	0 .. 1800, 900 s commanding	  7/8, a half of it:	  play 7/16, command 7/16
 *	   B	0 .. 600 and 1200 .. 1800	  1/2 + 1/8:			  play 5/8
 *	   C	0 .. 1200, a quarter command  3/4, a quarter of it:	  play 9/16, command 3/16
 *	   D	600 .. 1800					  3/8:					  play 3/8
 *
 * All play is 2, all commanding 5/8.  Then
 *
 *	   m = (4 * 7/16 + 3 * 5/8 - 5 * 9/16 - 2 * 3/8) / 2	= 0.03125	skills
 *		   + (4 * 7/16 - 3 * 3/16) / (5/8)					= 1.9		commanders
 *		   + 0.2											= 2.13125
 *	   p = 0.89390361663568557, G - p = 0.10609638336431443
 *
 *	   x = 7/32, 5/16, -9/32, -3/16	  z = |x|	c = 7/10, 0, -3/10, 0
 *
 * For A the gradient of skill is 7/32 * 0.106... = 0.023208583860943781, whose
 * square 0.00053863836483046013 is the new sum; the rate is 0.25 + 0.4 /
 * sqrt(0.0005386... + 0.01) = 4.1464377329868999, and the skill becomes
 * 4 + 4.146... * 0.0232... = 4.0962329478502081.  The offset follows at the
 * constant rate alone: 0.25 * 0.0232... = 0.0058021459652359452.  As a
 * commander A has the gradient 0.7 * 0.106... = 0.074267468355020099, the rate
 * 3.4612558485252159 and the new skill 4.2570587091989747.
 *
 * MATCH 2.  A changes sides after 600 s.  D only commands, and nobody does on
 * side 1.  It is a draw: G = 1/2.
 *
 *	   A	0 .. 600 on side 1	  1/2	  A	   600 .. 1200 on side 2   1/4
 *	   B	0 .. 1200 on side 1	  3/4	  C	   0 .. 1200 on side 2	   3/4
 *	   D	0 .. 1200 on side 2, all of it commanding: 3/4
 *
 * All play is 9/4, all commanding 3/4.
 *
 *	   x = 1/9, 1/3, -1/3, 0	z = 1/3, 1/3, 1/3, 0	c = 0, 0, 0, -1
 *
 *	   m = -0.12619445095704387 (skills) + 0.0071836092902921226 (offsets)
 *		   - 4 (D commands for side 2)	= -4.1190108416667517
 *	   p = 0.016000414594330304, G - p = 0.4839995854056697
 *
 * C loses 0.25 + 0.4 / sqrt(0.00089... + 0.1613...^2 + 0.01) = 2.33178651537042
 * times 0.16133319513522323 although side 2 was the favourite by far; D, whose
 * gradient as a skill is 0, keeps that, its sum and the offset.
 *
 * MATCH 3.  The teams are called the other way round, but play the same sides:
 * team 1, with C and D, is side 2, and wins: G = 0.  Weights are given as such, 1
 * for A and C, 1/2 for B and D; nobody commands; the context says -0.1; and the
 * match has a gain of 1/2.
 *
 *	   x = 1/3, 1/6, -1/3, -1/6	  z = |x|
 *
 *	   m = 0.19651327548981071 + 0.040242106280107825 - 0.1 = 0.13675538176991853
 *	   p = 0.53413566149132147, G - p = -p
 *
 * The gain halves the steps and leaves the sums of squares alone.
 */
static void
test_three_matches_by_hand(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "a")->number = 0.4;
	fixture_param(&f, "epsilon")->number = 0.01;
	fixture_param(&f, "c")->number = 0.25;
	f.before[0][HIVE_SKILL] = 4;
	f.before[1][HIVE_SKILL] = 3;
	f.before[2][HIVE_SKILL] = 5;
	f.before[3][HIVE_SKILL] = 2;
	f.before[2][HIVE_COMMAND_SKILL] = 3;

	first_match_by_hand(&f);
	fixture_advance(&f);
	fixture_clear(&f);
	second_match_by_hand(&f);
	fixture_advance(&f);
	fixture_clear(&f);
	third_match_by_hand(&f);
}

/* G m - ln(1 + e^m), with m from the probability that predict() gives. */
static double
log_likelihood(Fixture *f, int first)
{
	double		g = match_outcome(&f->match, first) / 2.0;
	double		m;

	assert_status(f->model->predict(f->params, &f->match), MATCH_OK);
	m = log(f->team[first].win) - log(f->team[1 - first].win);
	return g * m - softplus(m);
}

static double
central_difference(Fixture *f, int player, int column, int first)
{
	const double h = 1e-4;
	double	   *value = &f->before[player][column];
	double		saved = *value;
	double		above,
				below;

	*value = saved + h;
	above = log_likelihood(f, first);
	*value = saved - h;
	below = log_likelihood(f, first);
	*value = saved;
	return (above - below) / (2 * h);
}

/*
 * Every step is its learning rate times the slope of the log likelihood, which
 * here comes from predictions alone.
 */
static void
test_gradients_against_finite_differences(void **state)
{
	enum
	{
		NPLAYERS = 6
	};
	Random		random = {20};
	Fixture		f;
	double		a,
				c,
				epsilon;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "min_skill")->number = -INFINITY;
	c = fixture_param(&f, "c")->number = 0.3;
	a = fixture_param(&f, "a")->number;
	epsilon = fixture_param(&f, "epsilon")->number;
	for (round = 0; round < 2000; round++)
	{
		int			sided = random_below(&random, 2);
		int			first = 0;

		random_states(&random, &f, NPLAYERS);
		random_match(&random, &f, NPLAYERS, sided);
		fixture_gain(&f, random_between(&random, 0.1, 3));
		if (sided && random_below(&random, 2))
		{
			/* Side 1 may be either team. */
			for (i = 0; i < f.n; i++)
				f.row[i].side = 3 - f.row[i].team;
			first = 1;
		}
		fixture_rate(&f);
		for (i = 0; i < NPLAYERS; i++)
		{
			const double *before = f.before[i];
			const double *after = f.after[i];
			double		gain = f.row[0].gain;
			double		skill = central_difference(&f, i, HIVE_SKILL, first);
			double		offset = central_difference(&f, i, HIVE_SIDE_OFFSET,
													first);
			double		command = central_difference(&f, i, HIVE_COMMAND_SKILL,
													 first);
			double		rate;

			assert_near(f.player[i].gradient, skill, 1e-8);
			assert_near(after[HIVE_SKILL_SQUARES],
						before[HIVE_SKILL_SQUARES] + skill * skill, 1e-8);
			rate = c + a / sqrt(after[HIVE_SKILL_SQUARES] + epsilon);
			assert_near((after[HIVE_SKILL] - before[HIVE_SKILL]) / gain / rate,
						skill, 1e-8);

			assert_near((after[HIVE_SIDE_OFFSET] - before[HIVE_SIDE_OFFSET]) /
						gain / c, offset, 1e-8);
			if (!sided)
				assert_near(offset, 0, 0);

			assert_near(after[HIVE_COMMAND_SQUARES],
						before[HIVE_COMMAND_SQUARES] + command * command, 1e-8);
			rate = c + a / sqrt(after[HIVE_COMMAND_SQUARES] + epsilon);
			assert_near((after[HIVE_COMMAND_SKILL] - before[HIVE_COMMAND_SKILL]) /
						gain / rate, command, 1e-8);
		}
	}
}

/* P * (gradient after a win) + (1 - P) * (gradient after a loss) = 0. */
static void
test_expected_gradient_is_zero(void **state)
{
	enum
	{
		NPLAYERS = 6
	};
	Random		random = {21};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "hive");
	for (round = 0; round < 2000; round++)
	{
		double		won[NPLAYERS];
		double		offset[NPLAYERS];
		double		p;

		random_states(&random, &f, NPLAYERS);
		random_match(&random, &f, NPLAYERS, 1);
		for (i = 0; i < f.n; i++)
			f.row[i].rank = f.row[i].team;
		fixture_rate(&f);
		p = f.team[0].win;
		for (i = 0; i < NPLAYERS; i++)
		{
			won[i] = f.player[i].gradient;
			offset[i] = f.after[i][HIVE_SIDE_OFFSET] -
				f.before[i][HIVE_SIDE_OFFSET];
		}
		for (i = 0; i < f.n; i++)
			f.row[i].rank = 3 - f.row[i].team;
		fixture_rate(&f);
		for (i = 0; i < NPLAYERS; i++)
		{
			assert_near(p * won[i] + (1 - p) * f.player[i].gradient, 0, 1e-15);
			/* At a constant rate the same holds for the step itself. */
			assert_near(p * offset[i] + (1 - p) *
						(f.after[i][HIVE_SIDE_OFFSET] -
						 f.before[i][HIVE_SIDE_OFFSET]), 0, 1e-15);
		}
	}
}

static void
test_weight_of_halves(void **state)
{
	double		r;

	(void) state;
	for (r = 1e-3; r < 1e8; r *= 7)
	{
		assert_relative(hive_weight(0, r / 2, r), 0.5, 1e-15);
		assert_relative(hive_weight(r / 2, r, r), 0.25, 1e-15);
		assert_relative(hive_weight(r, 1e300, r), 0.25, 1e-15);
		assert_relative(hive_weight(0, 1e9 * r, r), 1, 1e-15);
		assert_same(hive_weight(r, r, r), 0);
		assert_same(hive_weight(0, 0, r), 0);
	}
}

/* Parts of a stint add up to the whole. */
static void
test_weight_is_additive(void **state)
{
	Random		random = {22};
	int			i;

	(void) state;
	for (i = 0; i < 100000; i++)
	{
		double		from = random_between(&random, 0, 3000);
		double		middle = from + random_between(&random, 0, 3000);
		double		to = middle + random_between(&random, 0, 3000);
		double		whole = hive_weight(from, to, 1200);

		assert_relative(hive_weight(from, middle, 1200) +
						hive_weight(middle, to, 1200), whole, 2e-14);
		assert_true(whole >= 0 && whole <= 1);
		assert_true(hive_weight(from, middle, 1200) <= whole);
	}
}

/*
 * A millisecond after ten median rounds: the difference of the two powers
 * would have lost eleven digits.  The rounding of the exponent, 14 here, costs
 * a few units in the last place.
 */
static void
test_weight_of_short_late_stints(void **state)
{
	Random		random = {23};
	int			i;

	(void) state;
	for (i = 0; i < 10000; i++)
	{
		double		joined = i == 0 ? 12000 : random_between(&random, 0, 12000);
		double		left = joined + (i == 0 ? 0.001 :
									 random_magnitude(&random, 4));
		long double rate = 2 * logl(2) / 1200;
		long double expected = expl(-rate * joined) *
			-expm1l(-rate * ((long double) left - joined));

		assert_relative(hive_weight(joined, left, 1200), (double) expected, 5e-15);
	}
}

/* Stints of any size have a weight. */
static void
test_weight_of_extremes(void **state)
{
	static const double time[] = {0, 5e-324, 1e-300, 1, 1e9, 1e300, DBL_MAX};
	static const double round[] = {1e-300, 1, 1e9};
	int			i,
				j,
				k;

	(void) state;
	for (i = 0; i < 7; i++)
		for (j = i; j < 7; j++)
			for (k = 0; k < 3; k++)
			{
				double		weight = hive_weight(time[i], time[j], round[k]);

				assert_true(weight >= 0 && weight <= 1);
			}
}

/*
 * The smallest median round that the parameter allows: 2 ln 2 / r overflows,
 * and a stint from the very start has all the weight there is.
 */
static void
test_weight_with_the_smallest_median_round(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	assert_same(hive_weight(0, 1, 5e-324), 1);
	fixture_init(&f, "hive");
	fixture_param(&f, "median_round")->number = 5e-324;
	for (i = 0; i < 6; i++)
		stint(fixture_add(&f, i, 1 + i / 3, 1 + i / 3), 0, 1200);
	assert_status(fixture_build(&f), MATCH_OK);
	for (i = 0; i < 6; i++)
		assert_int_equal(f.player[i].team, i / 3);
}

/* The term of the commanders would be 0 / 0; it is absent. */
static void
test_nobody_commands(void **state)
{
	Random		random = {27};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "hive");
	for (round = 0; round < 1000; round++)
	{
		double		p;

		random_states(&random, &f, 4);
		random_match(&random, &f, 4, 1);
		for (i = 0; i < f.n; i++)
			f.row[i].commanding = random_below(&random, 2) ? 0 : NAN;
		fixture_rate(&f);
		p = f.team[0].win;
		for (i = 0; i < 4; i++)
		{
			assert_same(f.after[i][HIVE_COMMAND_SQUARES],
						f.before[i][HIVE_COMMAND_SQUARES]);
			assert_same(f.after[i][HIVE_COMMAND_SKILL],
						f.before[i][HIVE_COMMAND_SKILL]);
			f.before[i][HIVE_COMMAND_SKILL] = 1000 * i;
		}
		fixture_rate(&f);
		assert_same(f.team[0].win, p);
	}
}

/* Then there is no play to be skilled at, and that term is absent. */
static void
test_everybody_commands(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "hive");
	f.before[0][HIVE_SKILL] = 100;
	f.before[0][HIVE_COMMAND_SKILL] = 3;
	f.before[1][HIVE_COMMAND_SKILL] = 2;
	fixture_add(&f, 0, 1, 1)->commanding = 1;
	fixture_add(&f, 1, 2, 2)->commanding = 1;
	set_side(&f);
	fixture_rate(&f);
	/* (3 - 2) / 2 */
	assert_near(f.team[0].win, logistic(0.5), 1e-15);
	for (i = 0; i < 2; i++)
	{
		assert_same(f.after[i][HIVE_SKILL], f.before[i][HIVE_SKILL]);
		assert_same(f.after[i][HIVE_SKILL_SQUARES], 0);
		assert_same(f.after[i][HIVE_SIDE_OFFSET], 0);
		assert_same(f.player[i].gradient, 0);
		assert_true(f.after[i][HIVE_COMMAND_SQUARES] > 0);
	}
	assert_true(f.after[0][HIVE_COMMAND_SKILL] > 3);
	assert_true(f.after[1][HIVE_COMMAND_SKILL] < 2);
}

/* With one commander that skill counts in full, with two as half the lead. */
static void
test_one_commander_and_two(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	f.before[2][HIVE_COMMAND_SKILL] = 3;
	f.before[3][HIVE_COMMAND_SKILL] = 1;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 2, 1, 1)->commanding = 1;
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_near(f.team[0].win, logistic(3), 1e-15);
	fixture_add(&f, 3, 2, 2)->commanding = 1;
	fixture_rate(&f);
	assert_near(f.team[0].win, logistic((3 - 1) / 2.0), 1e-15);
}

/* With positive skills the larger team is ahead: 6 times 4 against 5, by 11. */
static void
test_larger_team_is_favoured(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "hive");
	for (i = 0; i < 11; i++)
		fixture_add(&f, i, i < 6 ? 1 : 2, i < 6 ? 1 : 2);
	fixture_rate(&f);
	assert_near(f.team[0].win, logistic(4.0 / 11), 1e-15);
}

static void
test_min_skill(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "min_skill")->number = 0.5;
	f.before[0][HIVE_SKILL] = f.before[0][HIVE_COMMAND_SKILL] = 0.51;
	f.before[1][HIVE_SKILL] = f.before[1][HIVE_COMMAND_SKILL] = 0.51;

	/* A loss between equals is a step of more than 1. */
	fixture_add(&f, 0, 1, 1)->commanding = 0.5;
	fixture_add(&f, 1, 2, 2)->commanding = 0.5;
	fixture_rate(&f);
	assert_same(f.after[1][HIVE_SKILL], 0.5);
	assert_same(f.after[1][HIVE_COMMAND_SKILL], 0.5);
	assert_true(f.after[0][HIVE_SKILL] > 0.51);
	assert_true(f.after[0][HIVE_COMMAND_SKILL] > 0.51);

	/* Who is below stays there after a loss and rises after a win. */
	f.before[1][HIVE_SKILL] = f.before[1][HIVE_COMMAND_SKILL] = -3;
	fixture_rate(&f);
	assert_same(f.after[1][HIVE_SKILL], -3);
	assert_same(f.after[1][HIVE_COMMAND_SKILL], -3);
	f.row[0].rank = 2;
	f.row[1].rank = 1;
	fixture_rate(&f);
	assert_true(f.after[1][HIVE_SKILL] > -3);
	assert_true(f.after[1][HIVE_COMMAND_SKILL] > -3);

	/* Offsets have no minimum. */
	set_side(&f);
	fixture_rate(&f);
	assert_true(f.after[0][HIVE_SIDE_OFFSET] < 0);
}

/*
 * A number that overflowed on the way is not hidden by the minimum: the step of
 * an even draw is infinity times zero here.
 */
static void
test_min_skill_does_not_hide_an_overflow(void **state)
{
	Fixture		f;
	MatchStatus status;

	(void) state;
	fixture_init(&f, "hive");
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 1);
	fixture_gain(&f, DBL_MAX);
	assert_status(fixture_build(&f), MATCH_OK);
	status = model_rate(f.model, f.params, &f.match);
	if (status == MATCH_OK)
	{
		assert_same(f.after[0][HIVE_SKILL], 4);
		assert_same(f.after[0][HIVE_COMMAND_SKILL], 4);
	}
	else
		assert_status(status, MATCH_OVERFLOW);
}

/*
 * The sum of squares only grows, so that its root is always a number, and the
 * more a player has learned the smaller the steps, down to the constant rate.
 */
static void
test_adagrad_accumulates_squares(void **state)
{
	enum
	{
		NPLAYERS = 30
	};
	Random		random = {28};
	Fixture		f;
	double		pool[NPLAYERS][HIVE_NSTATE];
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "hive");
	for (i = 0; i < NPLAYERS; i++)
		f.model->init(f.params, pool[i]);
	for (round = 0; round < 100000; round++)
	{
		int			who[4];

		for (i = 0; i < 4; i++)
		{
			/* Four different ones: each from a quarter of its own. */
			who[i] = 4 * random_below(&random, NPLAYERS / 4) + i;
			memcpy(f.before[i], pool[who[i]], sizeof(pool[0]));
		}
		fixture_clear(&f);
		for (i = 0; i < 4; i++)
			if (random_below(&random, 2))
				fixture_add(&f, i, 1 + i / 2, 1)->commanding =
					random_between(&random, 0, 1);
			else
				fixture_add(&f, i, 1 + i / 2, 1);
		j = random_below(&random, 3);
		for (i = 0; i < 4; i++)
			f.row[i].rank = j == f.row[i].team ? 2 : 1;
		set_side(&f);
		fixture_rate(&f);
		for (i = 0; i < 4; i++)
		{
			assert_true(f.after[i][HIVE_SKILL_SQUARES] >=
						f.before[i][HIVE_SKILL_SQUARES]);
			assert_true(f.after[i][HIVE_COMMAND_SQUARES] >=
						f.before[i][HIVE_COMMAND_SQUARES]);
			assert_near(f.after[i][HIVE_SKILL_SQUARES],
						f.before[i][HIVE_SKILL_SQUARES] +
						f.player[i].gradient * f.player[i].gradient, 1e-12);
			for (j = 0; j < HIVE_NSTATE; j++)
				assert_true(isfinite(f.after[i][j]));
			memcpy(pool[who[i]], f.after[i], sizeof(pool[0]));
		}
	}
	for (i = 0; i < 4 * (NPLAYERS / 4); i++)
	{
		assert_true(pool[i][HIVE_SKILL_SQUARES] > 10);
		assert_true(pool[i][HIVE_COMMAND_SQUARES] > 10);
	}
}

/* A new player's first step is a * sign where epsilon is next to nothing. */
static void
test_first_step(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "epsilon")->number = 1e-20;
	fixture_param(&f, "c")->number = 0;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_near(f.after[0][HIVE_SKILL], 4.5, 1e-12);
	assert_near(f.after[1][HIVE_SKILL], 3.5, 1e-12);
	/* No constant rate, no offsets. */
	set_side(&f);
	fixture_rate(&f);
	assert_same(f.after[0][HIVE_SIDE_OFFSET], 0);
}

/* The formulas for callers who have the parts but no match. */
static void
test_sums(void **state)
{
	HiveSums	sums = {0, 0, 0, 0, 0};

	(void) state;
	/* Of nobody: the context alone. */
	assert_same(hive_sums_log_odds(&sums, 0.25), 0.25);
	hive_sums_add(&sums, 1, 0.5, 6, 1, 0, 1000);
	hive_sums_add(&sums, -1, 1.5, 4, 2, 0, 1000);
	/* (0.5 * 6 - 1.5 * 4 + 0.5 * 1 + 1.5 * 2) / 2 */
	assert_near(hive_sums_log_odds(&sums, 0.25), 0.25 + 0.25, 1e-16);
	hive_sums_add(&sums, 1, 0, 1000, 1000, 0.25, 3);
	hive_sums_add(&sums, -1, 0, 1000, 1000, 0.75, 2);
	/* 0.25 * 3 - 0.75 * 2 */
	assert_near(hive_sums_log_odds(&sums, 0.25), 0.5 - 0.75, 1e-16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_matches_by_hand),
		cmocka_unit_test(test_gradients_against_finite_differences),
		cmocka_unit_test(test_expected_gradient_is_zero),
		cmocka_unit_test(test_weight_of_halves),
		cmocka_unit_test(test_weight_is_additive),
		cmocka_unit_test(test_weight_of_short_late_stints),
		cmocka_unit_test(test_weight_of_extremes),
		cmocka_unit_test(test_weight_with_the_smallest_median_round),
		cmocka_unit_test(test_nobody_commands),
		cmocka_unit_test(test_everybody_commands),
		cmocka_unit_test(test_one_commander_and_two),
		cmocka_unit_test(test_larger_team_is_favoured),
		cmocka_unit_test(test_min_skill),
		cmocka_unit_test(test_min_skill_does_not_hide_an_overflow),
		cmocka_unit_test(test_adagrad_accumulates_squares),
		cmocka_unit_test(test_first_step),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
