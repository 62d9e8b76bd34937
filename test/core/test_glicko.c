/*
 * test_glicko.c
 *		Glicko and Glicko-2 against their papers, published values, and another
 *		way to compute them.
 */
#include "csv.h"
#include "test.h"

#include "core/models/deviation.h"
#include "core/models/glicko.h"

enum
{
	RATING,
	DEVIATION,
	VOLATILITY
};

#define POINTS 173.71779276130071	/* 400 / ln 10 */

/* One opponent in points, of a player with that rating. */
static void
add_opponent(GlickoGames *games, double rating, double opponent,
			 double deviation, double score)
{
	glicko_add_game(games, (rating - opponent) / POINTS, deviation / POINTS,
					score, 0, 1);
}

static void
test_the_papers(void **state)
{
	GlickoGames games = {0, 0};
	double		phi = 200 / POINTS;
	double		volatility;

	(void) state;
	assert_near(glicko_g(30 / POINTS), 0.9955, 5e-5);
	assert_near(glicko_g(100 / POINTS), 0.9531, 5e-5);
	assert_near(glicko_g(300 / POINTS), 0.7242, 5e-5);
	add_opponent(&games, 1500, 1400, 30, 1);
	add_opponent(&games, 1500, 1550, 100, 0);
	add_opponent(&games, 1500, 1700, 300, 0);
	/* Glicko. */
	assert_near(1500 + POINTS * glicko_change(&games, phi), 1464.1, 0.05);
	assert_near(POINTS * glicko_deviation(&games, phi), 151.4, 0.05);
	/* Glicko-2. */
	assert_near(1 / games.information, 1.7785, 5e-4);
	assert_near(games.surprise / games.information, -0.4834, 1e-3);
	volatility = glicko2_volatility(&games, phi, 0.06, 0.5);
	assert_near(volatility, 0.05999, 1e-5);
	phi = hypot(phi, volatility);
	assert_near(phi, 1.152862, 1e-5);
	assert_near(1500 + POINTS * glicko_change(&games, phi), 1464.0507, 1e-4);
	assert_near(POINTS * glicko_deviation(&games, phi), 151.5165, 1e-4);
}

/* Glickman's f as the paper has it, in extended precision. */
typedef struct PaperF
{
	long double delta2;
	long double phi2;
	long double v;
	long double a;
	long double tau;
} PaperF;

static PaperF
paper_of(const GlickoGames *games, double phi, double volatility, double tau)
{
	PaperF		f = {.phi2 = (long double) phi * phi,.v = 1 / (long double) games->information,
	.a = 2 * logl(volatility),.tau = tau};

	f.delta2 = f.v * games->surprise * f.v * games->surprise;
	return f;
}

static long double
paper_f(const PaperF *f, long double x)
{
	long double e = expl(x);
	long double total = f->phi2 + f->v + e;

	return e / total * ((f->delta2 - total) / total) / 2 -
		(x - f->a) / f->tau / f->tau;
}

/* The root between a place where f is above 0 and a higher one where it is not. */
static double
bisected(const PaperF *f, long double low, long double high)
{
	int			i;

	for (i = 0; i < 100; i++)
	{
		long double middle = (low + high) / 2;

		if (paper_f(f, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return expl(low / 2);
}

/* The page's bound on the rise of a volatility in one period. */
static double
bounded(double root, double before)
{
	return fmin(root, before * exp(0.5));
}

/*
 * The root next to the start, on the side to which f points there: the first change of
 * sign on a grid that is finest at the start.  Counts the changes as far as Glickman's
 * bracket goes.
 */
static double
scanned_volatility(const PaperF *f, int steps, int *roots)
{
	bool		up = paper_f(f, f->a) > 0;
	long double end = f->a;
	long double last = f->a;
	double		root = NAN;
	int			i;

	*roots = 0;
	if (up)
		end = logl(f->delta2 - f->phi2 - f->v);
	else
		do
			end -= f->tau;
		while (paper_f(f, end) < 0);
	for (i = 1; i <= steps; i++)
	{
		long double share = (long double) i / steps;
		long double x = f->a + (end - f->a) * share * share;
		bool		above = i == steps ? !up : paper_f(f, x) > 0;

		if (above == (up == (*roots % 2 == 1)))
		{
			if ((*roots)++ == 0)
				root = up ? bisected(f, last, x) : bisected(f, x, last);
		}
		last = x;
	}
	return root;
}

static GlickoGames
random_games(Random *random, double gap, double deviation)
{
	GlickoGames games = {0, 0};
	int			n = random_below(random, 2) ? 1 : 1 + random_below(random, 40);
	int			result = random_below(random, 4);
	int			i;

	for (i = 0; i < n; i++)
		add_opponent(&games, 1500, 1500 + gap * (n == 1 ? 1 : random_between(random, 0.5, 1)),
					 deviation, (result == 3 ? random_below(random, 3) : result) / 2.0);
	return games;
}

/* From the smallest to the largest, far beyond what is played. */
static void
test_volatility_against_scan(void **state)
{
	Random		random = {70};
	int			round;
	int			several = 0;
	int			up = 0;
	int			beyond = 0;

	(void) state;
	for (round = 0; round < 6000; round++)
	{
		double		gap = random_between(&random, -1, 1);
		double		phi = exp(random_between(&random, log(1e-3), log(1e3))) / POINTS;
		double		volatility = exp(random_between(&random, log(1e-6), log(10)));
		double		tau = exp(random_between(&random, log(0.01), log(10)));
		GlickoGames games;
		PaperF		f;
		double		after,
					expected;
		int			roots;

		if (round % 2)
		{
			volatility = random_between(&random, 0.01, 0.2);
			tau = random_between(&random, 0.1, 2);
		}
		games = random_games(&random, 10000 * gap * fabs(gap),
							 exp(random_between(&random, log(1e-3), log(1e3))));

		/* Two of three roots are about to meet where sigma tau |surprise| = sqrt(2 / e). */
		if (round % 3 == 0 && games.surprise != 0)
			tau = fmin(sqrt(2 / M_E) / volatility / fabs(games.surprise) *
					   (1 - random_magnitude(&random, 3) / 1e5), 10);
		after = glicko2_volatility(&games, phi, volatility, tau);
		f = paper_of(&games, phi, volatility, tau);
		expected = scanned_volatility(&f, 500, &roots);

		/* A dip below 0 between two points of the grid. */
		if (!(fabs(after / bounded(expected, volatility) - 1) < 1e-9))
			expected = scanned_volatility(&f, 100000, &roots);

		/* Where roots are about to meet, the slope of f is so small that rounding counts. */
		assert_relative(after, bounded(expected, volatility), round % 3 == 0 ? 1e-10 : 1e-11);
		up += after > volatility;
		several += roots > 1;

		/* Only a surprise this large can lead beyond the bound. */
		if (expected > bounded(expected, volatility) * (1 + 1e-9))
		{
			assert_true(volatility * tau * fabs(games.surprise) >= sqrt(2 / M_E));
			beyond++;
		}
	}
	assert_true(several > 2000 && up > 1000 && up < 5000 && beyond > 100);
}

/*
 * The loser of one game against ever weaker opponents: the volatility grows with the
 * gap, without a leap, and stays below the bound of the page.
 */
static void
test_volatility_after_upsets(void **state)
{
	static const double taus[] = {0.3, 0.5, 0.75, 1, 1.2, 10};
	static const double deviations[] = {0.001, 30, 45, 110, 200, 350, 1000};
	int			t,
				d,
				gap;

	(void) state;
	for (t = 0; t < 6; t++)
		for (d = 0; d < 7; d++)
		{
			double		before = 0;

			for (gap = 0; gap <= 10000; gap += 5)
			{
				GlickoGames games = {0, 0};
				double		after;

				add_opponent(&games, 1500 + gap, 1500, deviations[d], 0);
				after = glicko2_volatility(&games, deviations[d] / POINTS, 0.06, taus[t]);
				assert_true(after >= before * (1 - 1e-14));
				assert_true(gap == 0 || after < before * (1 + 0.001 * taus[t]));
				assert_true(after <= 0.06 * exp(0.5));
				before = after;
			}
		}
}

/*
 * Many upsets in one period: from the 29th on f has no root near the start, and its only
 * one belongs to a volatility of thousands.  The volatility stops at the bound, which the
 * near root reaches as it vanishes.
 */
static void
test_volatility_after_many_upsets(void **state)
{
	double		phi = 50 / POINTS;
	double		before = 0.06;
	int			n;

	(void) state;
	for (n = 1; n <= 200; n++)
	{
		GlickoGames games = {0, 0};
		PaperF		f;
		double		after,
					root;
		int			roots,
					i;

		for (i = 0; i < n; i++)
			add_opponent(&games, 1500, 3500, 30, 1);
		after = glicko2_volatility(&games, phi, 0.06, 0.5);
		f = paper_of(&games, phi, 0.06, 0.5);
		root = scanned_volatility(&f, 100000, &roots);
		assert_int_equal(roots, n < 29 ? 3 : 1);
		assert_true(n < 29 ? root < 0.1 : root > 1000);
		assert_relative(after, bounded(root, 0.06), 1e-11);
		assert_true(after >= before && after <= 0.06 * exp(0.5));
		before = after;
	}
}

/* Whatever it is given, the search ends, and at a root or the bound. */
static void
test_volatility_of_any_games(void **state)
{
	Random		random = {71};
	int			round;
	int			checked = 0;

	(void) state;
	for (round = 0; round < 100000; round++)
	{
		GlickoGames games = {random_magnitude(&random, 60),
		random_magnitude(&random, 60)};
		double		volatility = random_magnitude(&random, 8);
		double		phi = random_magnitude(&random, 40);
		double		tau = random_magnitude(&random, round % 2 ? 20 : 2);
		double		after;
		PaperF		f;
		long double x,
					near;

		if (random_below(&random, 10) == 0)
			games.information = 0;
		after = glicko2_volatility(&games, phi, volatility, tau);
		assert_true(isfinite(after) && after >= 0);
		f = paper_of(&games, phi, volatility, tau);

		/* Of numbers that the logarithm of the result and long double can hold. */
		if (after < 1e-300 || !isnormal(f.v) || !isnormal(f.delta2) || !isnormal(f.phi2))
			continue;
		x = f.a + 2 * logl((long double) after / volatility);
		near = 1e-12L * fmaxl(1, fabsl(x));
		assert_true(paper_f(&f, x - near) >= 0);
		assert_true(after <= volatility * exp(0.5) * (1 + 1e-15));
		assert_true(after >= volatility * exp(0.5) * (1 - 1e-15) || paper_f(&f, x + near) <= 0);
		checked++;
	}
	assert_true(checked > 50000);
}

/* Other implementations of the paper, after which one game leaves these. */
static void
test_published_upsets(void **state)
{
	static const struct
	{
		double		gap;
		double		deviation;
		double		rating_after;
		double		deviation_after;
		double		volatility_after;
	}			upset[] = {
		{2000, 30, 2794.2197, 31.7599, 0.0600134},
		{2000, 45, 2787.841, 46.1918, 0.0600132},
	};
	int			i;

	(void) state;
	for (i = 0; i < 2; i++)
	{
		GlickoGames games = {0, 0};
		double		phi = upset[i].deviation / POINTS;
		double		volatility;

		add_opponent(&games, 2800, 2800 - upset[i].gap, upset[i].deviation, 0);
		volatility = glicko2_volatility(&games, phi, 0.06, 0.5);
		phi = hypot(phi, volatility);
		assert_near(volatility, upset[i].volatility_after, 6e-8);
		assert_near(POINTS * glicko_deviation(&games, phi), upset[i].deviation_after, 6e-5);
		assert_near(2800 + POINTS * glicko_change(&games, phi), upset[i].rating_after, 6e-4);
	}
}

static void
test_volatility_follows_surprise(void **state)
{
	GlickoGames games = {0, 0};
	GlickoGames dull = {0, 0};
	int			i;

	(void) state;
	for (i = 0; i < 10; i++)
	{
		add_opponent(&games, 1500, 1900, 50, 1);
		add_opponent(&dull, 1500, 1500, 50, i % 2);
	}
	assert_true(glicko2_volatility(&games, 0.3, 0.06, 0.5) > 0.06);
	assert_true(glicko2_volatility(&dull, 0.3, 0.06, 0.5) < 0.06);
	assert_same(glicko2_volatility(&games, 0.3, 0.06, 0), 0.06);
}

static void
test_win_probability(void **state)
{
	(void) state;
	assert_same(glicko_win_probability(0, 1, 2, 0), 0.5);
	assert_near(glicko_win_probability(1, 0, 0, 0), 1 / (1 + exp(-1)), 1e-15);
	assert_near(glicko_win_probability(1, 0.3, 0.4, 0.2),
				1 / (1 + exp(-glicko_g(0.5) - 0.2)), 1e-15);
	assert_near(glicko_win_probability(2, 1, 1, 0) +
				glicko_win_probability(-2, 1, 1, 0), 1, 1e-15);
	assert_true(glicko_win_probability(2, 1, 1, 0) <
				glicko_win_probability(2, 1, 0.5, 0));
}

/* Two players on a ladder: what the functions give for one game and no time. */
static void
test_duel_on_a_ladder(void **state)
{
	static const char *const names[] = {"glicko", "glicko2"};
	int			m;

	(void) state;
	for (m = 0; m < 2; m++)
	{
		GlickoGames games = {0, 0};
		Fixture		f;
		double		phi = 120 / POINTS;

		fixture_init(&f, names[m]);
		fixture_add(&f, 0, 1, 1);
		fixture_add(&f, 1, 2, 2);
		f.before[0][RATING] = 1600;
		f.before[0][DEVIATION] = 120;
		f.before[1][RATING] = 1700;
		f.before[1][DEVIATION] = 80;
		fixture_rate(&f);
		add_opponent(&games, 1600, 1700, 80, 1);
		assert_near(f.after[0][RATING], 1600 + POINTS * glicko_change(&games, phi), 1e-9);
		assert_near(f.after[0][DEVIATION], POINTS * glicko_deviation(&games, phi), 1e-9);
		assert_near(f.player[0].gradient, games.surprise, 1e-14);
		if (m == 1)
			assert_near(f.after[0][VOLATILITY],
						glicko2_volatility(&games, phi, 0.06, 0.5), 1e-15);
		assert_near(f.team[0].win,
					glicko_win_probability(-100 / POINTS, phi, 80 / POINTS, 0), 1e-15);
		assert_true(f.after[1][RATING] < 1700);

		/* The context is part of what is expected. */
		f.match.log_odds = 0.5;
		fixture_rate(&f);
		assert_near(f.team[0].win,
					glicko_win_probability(-100 / POINTS, phi, 80 / POINTS, 0.5), 1e-15);
		assert_true(f.after[0][RATING] < 1600 + POINTS * glicko_change(&games, phi));
	}
}

/* Under the expected score of the update, no change is expected. */
static void
test_expected_change_is_zero(void **state)
{
	Random		random = {72};
	int			round;

	(void) state;
	for (round = 0; round < 1000; round++)
	{
		double		difference = random_between(&random, -3, 3);
		double		deviation = random_between(&random, 0.1, 2);
		double		expected = 1 / (1 + exp(-glicko_g(deviation) * difference));
		GlickoGames won = {0, 0};
		GlickoGames lost = {0, 0};

		glicko_add_game(&won, difference, deviation, 1, 0, 1);
		glicko_add_game(&lost, difference, deviation, 0, 0, 1);
		assert_near(expected * glicko_change(&won, 1) +
					(1 - expected) * glicko_change(&lost, 1), 0, 1e-15);
	}
}

/* All members move as the team's mean against the other's, by own deviations. */
static void
test_teams(void **state)
{
	GlickoGames games = {0, 0};
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "glicko");
	for (i = 0; i < 5; i++)
	{
		f.before[i][RATING] = 1400 + 100 * i;
		f.before[i][DEVIATION] = 50 + 40 * i;
		fixture_add(&f, i, i < 3 ? 1 : 2, i < 3 ? 1 : 2);
	}
	fixture_rate(&f);
	/* 1500 against 1750, opponents of 170 and 210. */
	glicko_add_game(&games, -250 / POINTS,
					sqrt((170 * 170 + 210 * 210) / 2.0) / POINTS, 1, 0, 1);
	for (i = 0; i < 3; i++)
		assert_near(f.after[i][RATING] - f.before[i][RATING],
					POINTS * glicko_change(&games, f.before[i][DEVIATION] / POINTS),
					1e-9);

	/* Half the play is half a game. */
	f.row[0].weight = f.row[1].weight = f.row[2].weight = 0.5;
	fixture_rate(&f);
	games.information /= 2;
	games.surprise /= 2;
	for (i = 0; i < 3; i++)
		assert_near(f.after[i][RATING] - f.before[i][RATING],
					POINTS * glicko_change(&games, f.before[i][DEVIATION] / POINTS),
					1e-9);
}

/* A free-for-all is a rating period with a game against each, or one in all. */
static void
test_free_for_all(void **state)
{
	static const double rating[4] = {1500, 1400, 1550, 1700};
	static const double deviation[4] = {200, 30, 100, 300};
	static const double rank[4] = {2, 3, 1, 1};
	GlickoGames games = {0, 0};
	Fixture		f;
	double		total = 0;
	int			i;

	(void) state;
	fixture_init(&f, "glicko");
	fixture_param(&f, "opponents")->choice = GLICKO_EACH;
	for (i = 0; i < 4; i++)
	{
		f.before[i][RATING] = rating[i];
		f.before[i][DEVIATION] = deviation[i];
		fixture_add(&f, i, i, rank[i]);
	}
	fixture_rate(&f);
	/* That is the paper's example. */
	assert_near(f.after[0][RATING], 1464.1, 0.05);
	assert_near(f.after[0][DEVIATION], 151.4, 0.05);
	for (i = 0; i < 4; i++)
		total += f.team[i].win;
	assert_near(total, 1, 1e-14);
	/* Deviation apart, the better one is more likely to win. */
	assert_true(f.team[3].win > f.team[2].win && f.team[2].win > f.team[0].win);

	fixture_param(&f, "opponents")->choice = GLICKO_MEAN;
	fixture_rate(&f);
	for (i = 1; i < 4; i++)
		add_opponent(&games, 1500, rating[i], deviation[i], i == 1);
	games.information /= 3;
	games.surprise /= 3;
	assert_near(f.after[0][RATING], 1500 + POINTS * glicko_change(&games, 200 / POINTS), 1e-9);
	assert_near(f.after[0][DEVIATION], POINTS * glicko_deviation(&games, 200 / POINTS), 1e-9);
}

/* The log likelihood of an order under Luce's choice rule. */
static double
log_likelihood(const int *order, int n, const double *skill)
{
	double		sum = 0;
	double		result = 0;
	int			i;

	for (i = n - 1; i >= 0; i--)
	{
		sum += exp(skill[order[i]]);
		result += skill[order[i]] - log(sum);
	}
	return result;
}

/*
 * What the orders of n equals tell of player 0, as the mean over all of them of the
 * curvature by the player's skill.  On entry the first at places are taken.
 */
static double
information(int *order, int at, int n)
{
	const double h = 1e-3;
	double		result = 0;
	int			i;

	if (at == n)
	{
		double		skill[8] = {0};
		double		middle = log_likelihood(order, n, skill);

		skill[0] = h;
		result = log_likelihood(order, n, skill) - 2 * middle;
		skill[0] = -h;
		return -(result + log_likelihood(order, n, skill)) / (h * h);
	}
	for (i = at; i < n; i++)
	{
		int			swap = order[at];

		order[at] = order[i];
		order[i] = swap;
		result += information(order, at + 1, n) / (n - at);
		order[i] = order[at];
		order[at] = swap;
	}
	return result;
}

/* By default the games of a match count together what the order of equals tells. */
static void
test_ranking(void **state)
{
	static const char *const names[] = {"glicko", "glicko2"};
	Fixture		f;
	int			m,
				n,
				i;

	(void) state;
	for (m = 0; m < 2; m++)
		for (n = 2; n <= 7; n++)
		{
			int			order[8];
			double		before = 200 / POINTS;
			double		after;

			fixture_init(&f, names[m]);
			for (i = 0; i < n; i++)
			{
				order[i] = i;
				f.before[i][DEVIATION] = i == 0 ? 200 : 1e-6;
				fixture_add(&f, i, i, i + 1);
			}
			fixture_rate(&f);
			after = f.after[0][DEVIATION] / POINTS;
			assert_relative(1 / (after * after) - 1 / (before * before),
							information(order, 0, n), 1e-6);

			/* The winner beat all, each of them an equal. */
			assert_relative((f.after[0][RATING] - 1500) / POINTS,
							after * after * 4 * information(order, 0, n) / 2, 1e-6);
		}
}

static void
test_gain_and_floor(void **state)
{
	static const char *const names[] = {"glicko", "glicko2"};
	int			m,
				j;

	(void) state;
	for (m = 0; m < 2; m++)
	{
		Fixture		f;
		double		after[3];

		fixture_init(&f, names[m]);
		f.before[0][DEVIATION] = f.before[1][DEVIATION] = 100;
		fixture_add(&f, 0, 1, 1);
		fixture_add(&f, 1, 2, 2);
		fixture_rate(&f);
		for (j = 0; j < 3; j++)
			after[j] = f.after[0][j];
		fixture_gain(&f, 3);
		fixture_rate(&f);
		assert_near(f.after[0][RATING] - 1500, 3 * (after[RATING] - 1500), 1e-10);
		assert_near(f.after[0][DEVIATION], 100 * pow(after[DEVIATION] / 100, 3), 1e-10);
		fixture_gain(&f, 0);
		fixture_rate(&f);
		for (j = 0; j < f.model->nstate; j++)
			assert_same(f.after[0][j], f.before[0][j]);

		fixture_gain(&f, 1);
		fixture_param(&f, "deviation_min")->number = 99;
		fixture_rate(&f);
		assert_same(f.after[0][DEVIATION], 99);
		/* One that is lower is not lifted. */
		f.before[0][DEVIATION] = 50;
		fixture_rate(&f);
		assert_same(f.after[0][DEVIATION], 50);
	}
}

/* Time is continuous: two stretches are as long as both together. */
static void
test_idle_time(void **state)
{
	static const char *const names[] = {"glicko", "glicko2"};
	int			m;

	(void) state;
	for (m = 0; m < 2; m++)
	{
		Fixture		f;
		double		once[3] = {1500, 60, 0.06};
		double		twice[3] = {1500, 60, 0.06};
		double		growth = m == 0 ? 63.2 * 63.2 / 30 :
			0.06 * 0.06 * POINTS * POINTS / 7;

		fixture_init(&f, names[m]);
		f.model->age(f.params, once, 10 * SECONDS_PER_DAY);
		f.model->age(f.params, twice, 3 * SECONDS_PER_DAY);
		f.model->age(f.params, twice, 7 * SECONDS_PER_DAY);
		assert_near(once[DEVIATION], twice[DEVIATION], 1e-12);
		assert_near(once[DEVIATION], sqrt(3600 + 10 * growth), 1e-10);
		assert_same(once[RATING], 1500);
		f.model->age(f.params, once, 1e12);
		assert_same(once[DEVIATION], 350);
		once[DEVIATION] = 500;
		f.model->age(f.params, once, 1e12);
		assert_same(once[DEVIATION], 500);
	}
}

/* A shift of everybody changes nothing else. */
static void
test_shift(void **state)
{
	Random		random = {73};
	int			round;

	(void) state;
	for (round = 0; round < 500; round++)
	{
		Fixture		f;
		double		after[6][3];
		int			i;

		fixture_init(&f, round % 2 ? "glicko" : "glicko2");
		for (i = 0; i < 6; i++)
		{
			f.before[i][RATING] = random_between(&random, 1000, 2000);
			f.before[i][DEVIATION] = random_between(&random, 30, 350);
			fixture_add(&f, i, i / 2, 1 + (i / 2 + round) % 3);
		}
		fixture_rate(&f);
		for (i = 0; i < 6; i++)
		{
			after[i][0] = f.after[i][0];
			after[i][1] = f.after[i][1];
			f.before[i][RATING] += 5000;
		}
		fixture_rate(&f);
		for (i = 0; i < 6; i++)
		{
			assert_near(f.after[i][RATING] - 5000, after[i][0], 1e-8);
			assert_near(f.after[i][DEVIATION], after[i][1], 1e-9);
		}
	}
}

/*
 * Published rating periods.  Glicko-2 of the chess server skips the growth of
 * the deviation before a game.
 */
static void
test_published_periods(void **state)
{
	enum
	{
		CASE, MODEL, TAU, C, RATING_, RD, VOL, OPP, OPP_RATING, OPP_RD, OPP_VOL,
		SCORE, EXP_RATING, EXP_RD, EXP_VOL, TOL_RATING, TOL_RD, TOL_VOL, NOTE,
		SOURCE, NCOLUMNS
	};
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("glicko.csv", line, sizeof(line));
	bool		more = fgets(line, sizeof(line), file) != NULL;
	int			cases = 0;

	(void) state;
	if (more)
		assert_int_equal(csv_split(line, field), NCOLUMNS);
	while (more)
	{
		GlickoGames games = {0, 0};
		char		name[16];
		bool		second = strcmp(field[MODEL], "glicko2") == 0;
		bool		instant = strstr(field[NOTE], "phi* = phi") != NULL;
		double		rating = csv_number(field[RATING_]);
		double		deviation = csv_number(field[RD]);
		double		volatility = csv_number(field[VOL]);
		double		tau = csv_number(field[TAU]);
		double		c = csv_number(field[C]);
		double		limit;
		double		expected[3] = {csv_number(field[EXP_RATING]),
		csv_number(field[EXP_RD]), csv_number(field[EXP_VOL])};
		double		tolerance[3] = {csv_number(field[TOL_RATING]),
		csv_number(field[TOL_RD]), csv_number(field[TOL_VOL])};

		snprintf(name, sizeof(name), "%.15s", field[CASE]);
		do
		{
			if (csv_number(field[OPP]) > 0)
				add_opponent(&games, rating, csv_number(field[OPP_RATING]),
							 csv_number(field[OPP_RD]), csv_number(field[SCORE]));
			more = fgets(line, sizeof(line), file) != NULL;
			if (more)
				assert_int_equal(csv_split(line, field), NCOLUMNS);
		} while (more && strcmp(field[CASE], name) == 0);

		if (second)
		{
			volatility = glicko2_volatility(&games, deviation / POINTS,
											volatility, tau);
			if (!isnan(expected[2]))
				assert_near(volatility, expected[2], tolerance[2]);
			c = instant ? 0 : volatility * POINTS;
		}
		/* Glicko-2 takes the limit on what comes out, if it was not above. */
		limit = fmax(deviation, GLICKO_DEVIATION_MAX);
		deviation = deviation_grown(deviation, isnan(c) ? 0 : c * c,
									second ? INFINITY : GLICKO_DEVIATION_MAX) / POINTS;
		assert_near(rating + POINTS * glicko_change(&games, deviation),
					expected[0], tolerance[0]);
		if (!isnan(expected[1]))
			assert_near(fmin(POINTS * glicko_deviation(&games, deviation),
							 limit), expected[1], tolerance[1]);
		cases++;
	}
	fclose(file);
	assert_int_equal(cases, 36);
}

static void
test_published_predictions(void **state)
{
	enum
	{
		CASE, MODEL, RATING_A, RD_A, RATING_B, RD_B, EXPECTED, TOL, NOTE, SOURCE,
		NCOLUMNS
	};
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	FILE	   *file = csv_open("glicko_predict.csv", line, sizeof(line));
	int			cases = 0;

	(void) state;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		assert_int_equal(csv_split(line, field), NCOLUMNS);
		assert_near(glicko_win_probability((csv_number(field[RATING_A]) -
											csv_number(field[RATING_B])) / POINTS,
										   csv_number(field[RD_A]) / POINTS,
										   csv_number(field[RD_B]) / POINTS, 0),
					csv_number(field[EXPECTED]), csv_number(field[TOL]));
		cases++;
	}
	fclose(file);
	assert_int_equal(cases, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_papers),
		cmocka_unit_test(test_volatility_against_scan),
		cmocka_unit_test(test_volatility_after_upsets),
		cmocka_unit_test(test_published_upsets),
		cmocka_unit_test(test_volatility_after_many_upsets),
		cmocka_unit_test(test_volatility_of_any_games),
		cmocka_unit_test(test_volatility_follows_surprise),
		cmocka_unit_test(test_win_probability),
		cmocka_unit_test(test_duel_on_a_ladder),
		cmocka_unit_test(test_expected_change_is_zero),
		cmocka_unit_test(test_teams),
		cmocka_unit_test(test_free_for_all),
		cmocka_unit_test(test_ranking),
		cmocka_unit_test(test_gain_and_floor),
		cmocka_unit_test(test_idle_time),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_published_periods),
		cmocka_unit_test(test_published_predictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
