/*
 * test_weng_lin.c
 *		Weng and Lin's models against published values and their mathematics.
 */
#include "csv.h"
#include "test.h"

#include "core/math/normal.h"
#include "core/math/square.h"
#include "core/models/weng_lin.h"

#define NVARIANTS 5

static void
init(Fixture *f, int variant)
{
	fixture_init(f, "weng_lin");
	f->params[WENG_LIN_VARIANT].choice = variant;
}

/* Teams of one to three with random skills, and an order with draws or not. */
static void
random_teams(Random *random, Fixture *f, int nteams, bool draws)
{
	int			player = 0;
	int			i,
				j;

	fixture_clear(f);
	for (i = 0; i < nteams; i++)
	{
		int			size = 1 + random_below(random, 3);
		double		rank = draws ? 1 + random_below(random, nteams) : 1 + i;

		for (j = 0; j < size; j++)
		{
			f->before[player][WENG_LIN_MU] = random_between(random, 10, 40);
			f->before[player][WENG_LIN_SIGMA] = random_between(random, 0.5, 9);
			fixture_add(f, player++, i, rank);
		}
	}
}

static void
test_known_values(void **state)
{
	static const double before[4][2] = {
		{25, 8.333}, {32.444, 5.123}, {43.381, 2.421}, {25.188, 6.211}
	};
	static const double after[4][2] = {
		{28.66964844, 8.07152079}, {33.83086971, 5.06277300},
		{43.07127481, 2.41669005}, {23.14950331, 6.13786037}
	};
	Fixture		f;
	int			i;

	(void) state;
	init(&f, WENG_LIN_PLACKETT_LUCE);
	f.params[WENG_LIN_TAU].number = 0;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_near(f.after[0][WENG_LIN_MU], 27.63523138, 1e-8);
	assert_near(f.after[0][WENG_LIN_SIGMA], 8.06550632, 1e-8);
	assert_near(f.after[1][WENG_LIN_MU], 22.36476862, 1e-8);

	init(&f, WENG_LIN_PLACKETT_LUCE);
	f.params[WENG_LIN_TAU].number = 0;
	for (i = 0; i < 4; i++)
	{
		f.before[i][WENG_LIN_MU] = before[i][0];
		f.before[i][WENG_LIN_SIGMA] = before[i][1];
		fixture_add(&f, i, i / 2, 1 + i / 2);
	}
	f.before[0][WENG_LIN_SIGMA] = 25.0 / 3;
	fixture_rate(&f);
	for (i = 0; i < 4; i++)
	{
		assert_near(f.after[i][WENG_LIN_MU], after[i][0], 1e-6);
		assert_near(f.after[i][WENG_LIN_SIGMA], after[i][1], 1e-6);
	}
}

/*
 * All published cases: Python's and JavaScript's OpenSkill and a port to Rust.
 * The library for JavaScript compares neighbours, and that for Python a window of
 * four on either side; where they agree either will do.
 */
static void
test_published_matches(void **state)
{
	enum
	{
		CASE, MODEL, FLAVOUR, TEAM, PLAYER, RANK, SCORE, WEIGHT, MU, SIGMA, BETA,
		KAPPA, TAU, EPSILON, GAMMA, LIMIT, BALANCE, MARGIN, BOUNDS, EXP_MU,
		EXP_SIGMA, TOL, NOTE, SOURCE, NCOLUMNS
	};
	static const char *const names[NVARIANTS] = {"PL", "BTF", "BTP", "TMF", "TMP"};
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("weng_lin_rate.csv", line, sizeof(line));
	bool		more = fgets(line, sizeof(line), file) != NULL;
	Fixture		f;
	int			cases = 0;

	(void) state;
	fixture_init(&f, "weng_lin");
	if (more)
		assert_int_equal(csv_split(line, field), NCOLUMNS);
	while (more)
	{
		char		name[16];
		double		expected[TEST_MAX_ROWS][2];
		double		tolerance[TEST_MAX_ROWS];
		int			variant = 0;

		snprintf(name, sizeof(name), "%.15s", field[CASE]);
		while (strcmp(field[MODEL], names[variant]) != 0)
			assert_true(++variant < NVARIANTS);
		fixture_clear(&f);
		param_defaults(&f.model->params, f.params);
		f.params[WENG_LIN_VARIANT].choice = variant;
		f.params[WENG_LIN_BETA].number = csv_number(field[BETA]);
		f.params[WENG_LIN_KAPPA].number = csv_number(field[KAPPA]);
		f.params[WENG_LIN_TAU].number = csv_number(field[TAU]);
		if (*field[EPSILON] != '\0')
			f.params[WENG_LIN_EPSILON].number = csv_number(field[EPSILON]);
		f.params[WENG_LIN_SPAN].number = strcmp(field[FLAVOUR], "js") == 0 ? 1 : 4;
		f.params[WENG_LIN_GAMMA].choice = strcmp(field[GAMMA], "1/k") == 0;
		f.params[WENG_LIN_PREVENT_SIGMA_INCREASE].flag = csv_number(field[LIMIT]) == 1;
		f.params[WENG_LIN_BALANCE].flag = csv_number(field[BALANCE]) == 1;
		f.params[WENG_LIN_MARGIN].number = csv_number(field[MARGIN]);
		f.params[WENG_LIN_MARGIN_FORM].choice = 1;
		f.params[WENG_LIN_STRENGTH].choice = WENG_LIN_SUM;
		f.params[WENG_LIN_WEIGHTS].choice = *field[BOUNDS] != '\0';
		do
		{
			Participant *row;

			f.before[f.n][WENG_LIN_MU] = csv_number(field[MU]);
			f.before[f.n][WENG_LIN_SIGMA] = csv_number(field[SIGMA]);
			expected[f.n][0] = csv_number(field[EXP_MU]);
			expected[f.n][1] = csv_number(field[EXP_SIGMA]);
			tolerance[f.n] = csv_number(field[TOL]);
			row = fixture_add(&f, f.n, (int) csv_number(field[TEAM]), NAN);
			row->rank = csv_number(field[RANK]);
			row->score = csv_number(field[SCORE]);
			row->weight = csv_number(field[WEIGHT]);
			more = fgets(line, sizeof(line), file) != NULL;
			if (more)
				assert_int_equal(csv_split(line, field), NCOLUMNS);
		} while (more && strcmp(field[CASE], name) == 0);

		fixture_rate(&f);
		assert_published(&f, name, expected, tolerance);
		cases++;
	}
	fclose(file);
	assert_int_equal(cases, 84);
}

/* The libraries' predictions, of their tests. */
static void
test_published_predictions(void **state)
{
	enum
	{
		CASE, KIND, FLAVOUR, TEAM, PLAYER, MU, SIGMA, BETA, EXPECTED, TOLERANCE, NCOLUMNS = 12
	};
	char		line[CSV_MAX_LINE];
	char	   *field[NCOLUMNS];
	FILE	   *file = csv_open("weng_lin_predict.csv", line, sizeof(line));
	Fixture		f;
	int			more = fgets(line, sizeof(line), file) != NULL;
	int			cases = 0;

	(void) state;
	assert_int_equal(csv_split(line, field), NCOLUMNS);
	fixture_init(&f, "weng_lin");
	while (more)
	{
		char		name[16];
		double		expected[TEST_MAX_ROWS];
		double		win[MATCH_MAX_TEAMS];
		double		tolerance = csv_number(field[TOLERANCE]);
		double		beta = csv_number(field[BETA]);
		bool		is_draw = strcmp(field[KIND], "draw") == 0;
		bool		is_rust = strcmp(field[FLAVOUR], "rust") == 0;
		int			i;

		snprintf(name, sizeof(name), "%s", field[CASE]);
		fixture_clear(&f);
		do
		{
			f.before[f.n][WENG_LIN_MU] = csv_number(field[MU]);
			f.before[f.n][WENG_LIN_SIGMA] = csv_number(field[SIGMA]);
			expected[f.n] = csv_number(field[EXPECTED]);
			fixture_add(&f, f.n, (int) csv_number(field[TEAM]), 1);
			more = fgets(line, sizeof(line), file) != NULL;
			if (more)
				assert_int_equal(csv_split(line, field), NCOLUMNS);
		} while (more && strcmp(field[CASE], name) == 0);

		assert_status(fixture_build(&f), MATCH_OK);
		weng_lin_pairwise_win(&f.match, beta, is_rust, win);
		for (i = 0; i < f.match.nentries; i++)
			assert_near(is_draw ? weng_lin_pairwise_draw(&f.match, beta) :
						win[f.entry[i].team], expected[i], tolerance);
		cases++;
	}
	fclose(file);
	assert_int_equal(cases, 7);
}

/*
 * A lop-sided draw: the mean of a performance difference within the margin, by summing
 * over it, where the libraries have the edge of the margin.
 */
static void
test_lopsided_draw(void **state)
{
	const int	steps = 20000;
	Fixture		f;
	double		tau = 25 / 300.0;
	double		s2 = 25 * 25 / 9.0 + tau * tau;
	double		c = sqrt(2 * s2 + 2 * 25 * 25 / 36.0);
	double		e = 0.1 / c;
	double		d = 60 / c;
	double		sum = 0;
	double		moment = 0;
	int			i;

	(void) state;
	init(&f, WENG_LIN_THURSTONE_MOSTELLER_FULL);
	f.before[0][WENG_LIN_MU] = 85;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 1);
	fixture_rate(&f);
	for (i = 0; i < steps; i++)
	{
		double		x = -e - d + (i + 0.5) * 2 * e / steps;

		sum += exp(-x * x / 2);
		moment += x * exp(-x * x / 2);
	}
	assert_near(f.after[0][WENG_LIN_MU] - 85, s2 / c * (moment / sum), 1e-7);

	/* The probability of such a draw is less than 1e-5; they have e - d. */
	assert_true(normal_cdf(e - d) - normal_cdf(-e - d) < 1e-5);
	assert_true(fabs(f.after[0][WENG_LIN_MU] - 85 - s2 / c * (e - d)) > 0.01);
}

/* Win, draw and loss, each by its probability, leave the mean where it was. */
static void
test_expected_change_is_zero(void **state)
{
	Random		random = {80};
	Fixture		f;
	int			variant,
				round,
				i,
				k;

	(void) state;
	for (variant = 0; variant < NVARIANTS; variant++)
	{
		init(&f, variant);
		for (round = 0; round < 300; round++)
		{
			double		expected[TEST_MAX_ROWS] = {0};
			double		probability[3];
			bool		mosteller = variant >= WENG_LIN_THURSTONE_MOSTELLER_FULL;

			random_teams(&random, &f, 2, false);
			f.match.log_odds = random_between(&random, -1, 1);
			f.params[WENG_LIN_STRENGTH].choice = mosteller ? WENG_LIN_SUM :
				random_below(&random, 2);
			fixture_rate(&f);
			probability[0] = f.team[0].win;
			probability[1] = 0;
			if (mosteller)
			{
				/* The share of a draw, from what the model says of it. */
				double		c = 0;
				double		d = 0;
				double		e;

				for (i = 0; i < f.match.nplayers; i++)
				{
					double		sigma = f.before[i][WENG_LIN_SIGMA];
					double		tau = f.params[WENG_LIN_TAU].number;

					c += sigma * sigma + tau * tau;
					d += f.row[i].team == 0 ? f.before[i][0] : -f.before[i][0];
				}
				c = sqrt(c + 2 * 25.0 * 25 / 36);
				if (variant == WENG_LIN_THURSTONE_MOSTELLER_PART)
					c *= 2;
				e = 0.1 / c;
				d = d / c + sqrt(M_PI / 8) * f.match.log_odds;
				probability[0] = normal_cdf(d - e);
				probability[1] = normal_cdf(e - d) - normal_cdf(-e - d);
				assert_near(f.team[0].win, probability[0] + probability[1] / 2, 1e-13);
			}
			probability[2] = 1 - probability[0] - probability[1];
			for (k = 0; k < 3; k++)
			{
				for (i = 0; i < f.n; i++)
					f.row[i].rank = k == 1 ? 1 : 1 + (f.row[i].team != k / 2);
				fixture_rate(&f);
				for (i = 0; i < f.match.nplayers; i++)
					expected[i] += probability[k] *
						(f.after[i][WENG_LIN_MU] - f.before[i][WENG_LIN_MU]);
			}
			for (i = 0; i < f.match.nplayers; i++)
				assert_near(expected[i], 0, 1e-11);
		}
	}
}

/* The gradient is that of the log likelihood of two teams. */
static void
test_gradient_by_differences(void **state)
{
	const double h = 1e-5;
	Random		random = {81};
	Fixture		f;
	int			variant,
				round,
				i;

	(void) state;
	for (variant = 0; variant < WENG_LIN_THURSTONE_MOSTELLER_FULL; variant++)
	{
		init(&f, variant);
		for (round = 0; round < 200; round++)
		{
			random_teams(&random, &f, 2, false);
			for (i = 0; i < f.n; i++)
				f.row[i].weight = random_between(&random, 0.1, 1);
			fixture_rate(&f);
			for (i = 0; i < f.match.nplayers; i++)
			{
				double		gradient = f.player[i].gradient;
				double		up,
							down;

				f.before[i][WENG_LIN_MU] += h;
				fixture_rate(&f);
				up = log(f.team[0].win);
				f.before[i][WENG_LIN_MU] -= 2 * h;
				fixture_rate(&f);
				down = log(f.team[0].win);
				f.before[i][WENG_LIN_MU] += h;
				assert_near(gradient, (up - down) / (2 * h), 1e-7);
			}
		}
	}
}

/* Neither the names of the teams nor those who drew with each other matter. */
static void
test_order_of_teams_does_not_matter(void **state)
{
	Random		random = {82};
	Fixture		f;
	int			variant,
				round,
				i;

	(void) state;
	for (variant = 0; variant < NVARIANTS; variant++)
	{
		bool		part = variant == WENG_LIN_BRADLEY_TERRY_PART ||
			variant == WENG_LIN_THURSTONE_MOSTELLER_PART;

		init(&f, variant);
		for (round = 0; round < 300; round++)
		{
			double		after[TEST_MAX_ROWS][2];
			Participant row[TEST_MAX_ROWS];
			int			n = 0;

			/* Neighbours are by name where teams drew. */
			random_teams(&random, &f, 2 + random_below(&random, 5), !part);
			fixture_rate(&f);
			for (i = 0; i < f.match.nplayers; i++)
				memcpy(after[i], f.after[i], sizeof(after[i]));
			for (i = f.n - 1; i >= 0; i--)
			{
				row[n] = f.row[i];
				row[n++].team = -f.row[i].team;
			}
			memcpy(f.row, row, n * sizeof(Participant));
			fixture_rate(&f);
			for (i = 0; i < f.match.nplayers; i++)
			{
				assert_near(f.after[i][WENG_LIN_MU], after[i][0], 1e-11);
				assert_near(f.after[i][WENG_LIN_SIGMA], after[i][1], 1e-11);
			}
		}
	}
}

/* The larger the margin, the more both sides move; sigma does not care. */
static void
test_margin(void **state)
{
	Fixture		f;
	int			variant;

	(void) state;
	for (variant = 0; variant < NVARIANTS; variant++)
	{
		double		plain;
		double		sigma;
		double		last;
		int			difference;

		init(&f, variant);
		f.before[0][WENG_LIN_MU] = 28;
		fixture_add(&f, 0, 1, 1);
		fixture_add(&f, 1, 2, 2);
		fixture_rate(&f);
		last = plain = f.after[0][WENG_LIN_MU] - 28;
		sigma = f.after[0][WENG_LIN_SIGMA];
		f.params[WENG_LIN_MARGIN].number = 2;
		for (difference = 1; difference < 20; difference++)
		{
			double		change;

			f.row[0].score = difference;
			f.row[1].score = 0;
			fixture_rate(&f);
			change = f.after[0][WENG_LIN_MU] - 28;
			if (difference <= 2)
				assert_same(change, plain);
			else
				assert_true(change > last);
			assert_near(change, plain * (1 + log1p(fmax(0, difference - 2))), 1e-12);
			assert_near(25 - f.after[1][WENG_LIN_MU], change, 1e-12);
			assert_same(f.after[0][WENG_LIN_SIGMA], sigma);
			last = change;
		}

		/* Without scores there is no margin. */
		f.row[0].score = f.row[1].score = NAN;
		fixture_rate(&f);
		assert_same(f.after[0][WENG_LIN_MU] - 28, plain);

		/* The other form shrinks the lead: the favourite is less of one. */
		f.params[WENG_LIN_MARGIN_FORM].choice = 1;
		f.row[0].score = 12;
		f.row[1].score = 0;
		fixture_rate(&f);
		assert_true(f.after[0][WENG_LIN_MU] - 28 > plain);
	}
}

/* Partial play: none is none, and twice the weight is twice the gradient. */
static void
test_partial_play(void **state)
{
	Fixture		f;
	int			variant;

	(void) state;
	for (variant = 0; variant < NVARIANTS; variant++)
	{
		init(&f, variant);
		f.params[WENG_LIN_TAU].number = 0;
		fixture_add(&f, 0, 1, 1)->weight = 0.4;
		fixture_add(&f, 1, 1, 1)->weight = 0.8;
		fixture_add(&f, 2, 2, 2);
		fixture_add(&f, 3, 2, 2)->weight = 0;
		fixture_rate(&f);
		assert_same(f.after[3][WENG_LIN_MU], 25);
		assert_same(f.after[3][WENG_LIN_SIGMA], 25.0 / 3);
		assert_near(2 * (f.after[0][WENG_LIN_MU] - 25), f.after[1][WENG_LIN_MU] - 25, 1e-12);
		assert_true(f.after[1][WENG_LIN_SIGMA] < f.after[0][WENG_LIN_SIGMA]);
		assert_true(f.after[0][WENG_LIN_SIGMA] < 25.0 / 3);
	}
}

static void
test_sigma_increase(void **state)
{
	Fixture		f;

	(void) state;
	init(&f, WENG_LIN_PLACKETT_LUCE);
	f.params[WENG_LIN_TAU].number = 2;
	f.before[0][WENG_LIN_SIGMA] = f.before[1][WENG_LIN_SIGMA] = 1;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	assert_true(f.after[0][WENG_LIN_SIGMA] > 1);
	f.params[WENG_LIN_PREVENT_SIGMA_INCREASE].flag = true;
	fixture_rate(&f);
	assert_same(f.after[0][WENG_LIN_SIGMA], 1);
	f.before[0][WENG_LIN_SIGMA] = 9;
	fixture_rate(&f);
	assert_true(f.after[0][WENG_LIN_SIGMA] < 9);
}

static void
test_gain_and_time(void **state)
{
	Fixture		f;
	double		player[2] = {25, 2};
	double		mu,
				sigma;

	(void) state;
	init(&f, WENG_LIN_BRADLEY_TERRY_FULL);
	f.params[WENG_LIN_TAU].number = 0;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	fixture_rate(&f);
	mu = f.after[0][WENG_LIN_MU] - 25;
	sigma = f.after[0][WENG_LIN_SIGMA] * 3 / 25;
	fixture_gain(&f, 2);
	fixture_rate(&f);
	assert_near(f.after[0][WENG_LIN_MU] - 25, 2 * mu, 1e-12);
	assert_near(f.after[0][WENG_LIN_SIGMA], 25.0 / 3 * sigma * sigma, 1e-12);

	/* tau^2 comes gain times to the own sigma, and once to everything else. */
	f.params[WENG_LIN_TAU].number = 3;
	fixture_gain(&f, 1);
	fixture_rate(&f);
	mu = f.after[0][WENG_LIN_MU] - 25;
	sigma = f.after[0][WENG_LIN_SIGMA] / sqrt(square(25.0 / 3) + 9);
	f.row[0].gain = 2;
	fixture_rate(&f);
	assert_near(f.after[0][WENG_LIN_MU] - 25, 2 * mu, 1e-12);
	assert_near(f.after[0][WENG_LIN_SIGMA], sqrt(square(25.0 / 3) + 2 * 9) * sigma * sigma,
				1e-12);
	assert_near(f.after[1][WENG_LIN_MU] - 25, -mu, 1e-12);
	fixture_gain(&f, 0);
	fixture_rate(&f);
	assert_same(f.after[0][WENG_LIN_MU], 25);
	assert_same(f.after[0][WENG_LIN_SIGMA], 25.0 / 3);

	f.params[WENG_LIN_DRIFT].number = 0.5;
	f.model->age(f.params, player, 86400.0 * 16);
	assert_near(player[1], sqrt(4 + 4), 1e-14);
}

/* For two teams all pairs are the only pair, and Luce's rule is that of pairs. */
static void
test_variants_agree_on_two_teams(void **state)
{
	Random		random = {83};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 200; round++)
	{
		Fixture		a;
		Fixture		b;

		init(&a, WENG_LIN_PLACKETT_LUCE);
		random_teams(&random, &a, 2, true);
		memcpy(&b, &a, sizeof(a));
		for (i = 0; i < TEST_MAX_ROWS; i++)
		{
			b.player[i].before = b.before[i];
			b.player[i].after = b.after[i];
		}
		b.match.team = b.team;
		b.match.player = b.player;
		b.match.entry = b.entry;
		b.match.component = b.component;
		b.match.share = b.share;
		fixture_rate(&a);
		for (i = WENG_LIN_BRADLEY_TERRY_FULL; i <= WENG_LIN_BRADLEY_TERRY_PART; i++)
		{
			int			k;

			b.params[WENG_LIN_VARIANT].choice = i;
			fixture_rate(&b);
			assert_near(a.team[0].win, b.team[0].win, 1e-14);
			for (k = 0; k < a.match.nplayers; k++)
				assert_near(a.after[k][WENG_LIN_MU], b.after[k][WENG_LIN_MU], 1e-12);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_published_matches),
		cmocka_unit_test(test_published_predictions),
		cmocka_unit_test(test_lopsided_draw),
		cmocka_unit_test(test_expected_change_is_zero),
		cmocka_unit_test(test_gradient_by_differences),
		cmocka_unit_test(test_order_of_teams_does_not_matter),
		cmocka_unit_test(test_margin),
		cmocka_unit_test(test_partial_play),
		cmocka_unit_test(test_sigma_increase),
		cmocka_unit_test(test_gain_and_time),
		cmocka_unit_test(test_variants_agree_on_two_teams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
