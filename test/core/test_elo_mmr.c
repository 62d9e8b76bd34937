/*
 * test_elo_mmr.c
 *		Elo-MMR against the paper's algorithm, computed in another way.
 */
#include <stdlib.h>

#include "test.h"

#include "core/models/elo_mmr.h"

/*
 * ---- The paper's algorithm, word by word, with the C library's functions ----
 */

typedef struct Entrant
{
	double		mu;
	double		sigma;
	int			rank;
} Entrant;

typedef struct Settings
{
	int			form;
	int			split_ties;
	double		beta;
	double		gamma;
} Settings;

/* The loss, draw and victory functions of a performance of that mean and deviation. */
static double
loss(int form, double mean, double delta, double p)
{
	if (form == ELO_MMR_NORMAL)
	{
		double		z = (p - mean) / delta;

		return -exp(-z * z / 2) / sqrt(2 * M_PI) / delta / (erfc(z / sqrt(2)) / 2);
	}
	return (-tanh((p - mean) / (2 * sqrt(3) / M_PI * delta)) - 1) / 2 * M_PI / sqrt(3) / delta;
}

static double
victory(int form, double mean, double delta, double p)
{
	return -loss(form, -mean, delta, -p);
}

static double
draw(int form, double mean, double delta, double p)
{
	if (form == ELO_MMR_NORMAL)
		return -(p - mean) / delta / delta;
	return -tanh((p - mean) / (2 * sqrt(3) / M_PI * delta)) * M_PI / sqrt(3) / delta;
}

/* The paper's Q of entrant i. */
static double
paper_sum(const Settings *s, const Entrant *entrant, int n, int i, double p)
{
	double		sum = 0;
	int			j;

	for (j = 0; j < n; j++)
	{
		double		mean = entrant[j].mu;
		double		delta = sqrt(entrant[j].sigma * entrant[j].sigma +
								 s->gamma * s->gamma + s->beta * s->beta);

		if (entrant[j].rank < entrant[i].rank)
			sum += loss(s->form, mean, delta, p);
		else if (entrant[j].rank > entrant[i].rank)
			sum += victory(s->form, mean, delta, p);
		else if (s->split_ties)
			sum += (loss(s->form, mean, delta, p) + victory(s->form, mean, delta, p)) / 2;
		else
			sum += draw(s->form, mean, delta, p);
	}
	return sum;
}

static double
paper_performance(const Settings *s, const Entrant *entrant, int n, int i)
{
	double		low = -5000;
	double		high = 8000;

	while (high - low > 1e-11)
	{
		double		middle = (low + high) / 2;

		if (middle <= low || middle >= high)
			break;
		if (paper_sum(s, entrant, n, i, middle) > 0)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The paper's update of one entrant from a performance, also by bisection. */
static void
paper_update(const Settings *s, const Entrant *before, double performance, double *mu,
			 double *sigma)
{
	double		w0 = 1 / (before->sigma * before->sigma + s->gamma * s->gamma);
	double		w = 1 / (s->beta * s->beta);
	double		low = -5000;
	double		high = 8000;

	*sigma = sqrt(1 / (w0 + w));
	if (s->form == ELO_MMR_NORMAL)
	{
		*mu = (w0 * before->mu + w * performance) / (w0 + w);
		return;
	}
	while (high - low > 1e-11)
	{
		double		x = (low + high) / 2;

		if (x <= low || x >= high)
			break;
		if (w0 * (x - before->mu) + M_PI / (s->beta * sqrt(3)) *
			tanh((x - performance) * M_PI / (s->beta * sqrt(12))) < 0)
			low = x;
		else
			high = x;
	}
	*mu = (low + high) / 2;
}

/*
 * ---- Contests of any size ----
 */

typedef struct Contest
{
	const Model *model;
	ParamValue	params[TEST_MAX_PARAMS];
	int			n;
	Entrant    *entrant;
	int		   *number;			/* of the team of each entrant */
	double		(*before)[ELO_MMR_NSTATE];
	double		(*after)[ELO_MMR_NSTATE];
	Participant *row;
	Match		match;
	InterruptCheck interrupt;
} Contest;

static void
contest_init(Contest *c, int n, const Settings *s)
{
	int			i;

	c->model = model_find("elo_mmr");
	assert_non_null(c->model);
	param_defaults(&c->model->params, c->params);
	c->params[ELO_MMR_FORM].choice = s->form;
	c->params[ELO_MMR_SPLIT_TIES].flag = s->split_ties;
	c->params[ELO_MMR_BETA].number = s->beta;
	c->params[ELO_MMR_TAU].number = s->gamma;
	c->n = n;
	c->interrupt = NULL;
	c->entrant = calloc(n, sizeof(Entrant));
	c->number = calloc(n, sizeof(int));
	c->before = calloc(n, sizeof(*c->before));
	c->after = calloc(n, sizeof(*c->after));
	c->row = calloc(n, sizeof(Participant));
	c->match.team = calloc(n, sizeof(MatchTeam));
	c->match.player = calloc(n, sizeof(MatchPlayer));
	c->match.entry = calloc(n, sizeof(MatchEntry));
	for (i = 0; i < n; i++)
		c->number[i] = i;
}

static void
contest_free(Contest *c)
{
	free(c->entrant);
	free(c->number);
	free(c->before);
	free(c->after);
	free(c->row);
	free(c->match.team);
	free(c->match.player);
	free(c->match.entry);
}

static void
set_entrant(Contest *c, int i, double mu, double sigma, int rank)
{
	c->entrant[i].mu = mu;
	c->entrant[i].sigma = sigma;
	c->entrant[i].rank = rank;
}

/* Entrant i is player i, alone on the team of its number: a permutation of 0 .. n - 1. */
static MatchStatus
contest_rate(Contest *c)
{
	int			offender;
	int			i;
	MatchStatus status;

	for (i = 0; i < c->n; i++)
	{
		Participant *row = &c->row[c->number[i]];

		*row = participant_default;
		row->player = i;
		row->team = c->number[i];
		row->rank = c->entrant[i].rank;
		c->before[i][ELO_MMR_MU] = c->entrant[i].mu;
		c->before[i][ELO_MMR_SIGMA] = c->entrant[i].sigma;
		c->match.player[i].before = c->before[i];
		c->match.player[i].after = c->after[i];
		c->match.player[i].games = 0;
	}
	c->match.nplayers = c->n;
	c->match.log_odds = 0;
	status = match_build(&c->model->rules, c->params, c->row, c->n, &c->match,
						 &offender);
	assert_null(c->match.interrupt);
	c->match.interrupt = c->interrupt;
	return status == MATCH_OK ? model_rate(c->model, c->params, &c->match) : status;
}

static double
contest_performance(const Contest *c, int i)
{
	return elo_mmr_performance(&c->match, c->number[i]);
}

/* Skills of a community, and a result that goes by them or, now and then, by chance. */
static void
random_contest(Random *random, Contest *c, int ranks)
{
	int			i;

	for (i = 0; i < c->n; i++)
	{
		c->entrant[i].mu = random_between(random, 800, 1800) + random_between(random, 0, 900);
		c->entrant[i].sigma = random_between(random, 60, 350);
		c->entrant[i].rank = random_below(random, 4) == 0 ? 1 + random_below(random, ranks) :
			1 + (int) ((2700 - c->entrant[i].mu) / 1900 * (ranks - 1));
	}
}

static void
assert_as_in_the_paper(const Settings *s, const Contest *c, int i)
{
	double		performance = paper_performance(s, c->entrant, c->n, i);
	double		mu;
	double		sigma;

	paper_update(s, &c->entrant[i], performance, &mu, &sigma);
	assert_near(contest_performance(c, i), performance, 1e-8);
	assert_near(c->after[i][ELO_MMR_MU], mu, 1e-8);
	assert_near(c->after[i][ELO_MMR_SIGMA], sigma, 1e-10);
}

static void
test_random_contests(void **state)
{
	static const int size[] = {2, 3, 5, 9, 16, 40, 100};
	Random		random = {17};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 24 * LENGTH(size); round++)
	{
		Settings	s = {random_below(&random, 2), random_below(&random, 2),
		random_between(&random, 100, 400), random_between(&random, 0, 60)};
		Contest		c;
		int			n = size[round % LENGTH(size)];

		contest_init(&c, n, &s);
		random_contest(&random, &c, random_below(&random, 2) ? n : 1 + n / 3);
		assert_status(contest_rate(&c), MATCH_OK);
		for (i = 0; i < n; i++)
			assert_as_in_the_paper(&s, &c, i);
		contest_free(&c);
	}
}

/* The larger, the more of it comes from tables; some of each are compared. */
static void
test_large_contests(void **state)
{
	static const int size[] = {1000, 3000, 10000};
	Random		random = {18};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 2 * LENGTH(size); round++)
	{
		int			n = size[round / 2];
		Settings	s = {round % 2, 0, 200, 35};
		Contest		c;

		contest_init(&c, n, &s);
		random_contest(&random, &c, round % 2 ? n : n / 20);
		assert_status(contest_rate(&c), MATCH_OK);
		for (i = 0; i < 20; i++)
			assert_as_in_the_paper(&s, &c, random_below(&random, n));
		contest_free(&c);
	}
}

static int	checks;
static int	checks_until_cancelled;
static jmp_buf cancelled;

static void
count_check(void)
{
	if (++checks == checks_until_cancelled)
		longjmp(cancelled, 1);
}

static bool
is_cancelled(Contest *c, int at)
{
	checks = 0;
	checks_until_cancelled = at;
	if (setjmp(cancelled) != 0)
		return true;
	(void) contest_rate(c);
	return false;
}

/*
 * Skills far apart, of which no table holds two, take the square of their number, and a
 * contest from tables many steps.  Either can be cancelled after a few of n terms each,
 * which leaves nothing behind.
 */
static void
test_interrupts(void **state)
{
	static const int size[] = {200, 2000};
	Random		random = {18};
	int			far;

	(void) state;
	for (far = 0; far < 2; far++)
	{
		Settings	s = {0, 0, far ? 1e-3 : 200, far ? 0 : 35};
		int			n = size[!far];
		double		performance;
		Contest		c;
		int			i;

		contest_init(&c, n, &s);
		random_contest(&random, &c, n);
		for (i = 0; far && i < n; i++)
			set_entrant(&c, i, 1e5 * i, 1e-3, 1 + i);
		assert_status(contest_rate(&c), MATCH_OK);
		performance = contest_performance(&c, n / 2);

		c.interrupt = count_check;
		checks = checks_until_cancelled = 0;
		assert_status(contest_rate(&c), MATCH_OK);
		print_message("%d checks of a contest of %d\n", checks, n);
		assert_true(checks > (far ? 5 * n : n / 2));
		assert_true(is_cancelled(&c, checks - 10));
		assert_status(contest_rate(&c), MATCH_OK);
		assert_true(contest_performance(&c, n / 2) == performance);
		contest_free(&c);
	}
}

/*
 * What the authors' program gives for three contests, with its defaults: the limit of
 * sigma is 80 and the weight of a contest 0.2, from which beta and gamma follow.
 * Normal performances, the same with ties split, logistic ones, and those.
 */
static void
test_values_of_the_authors(void **state)
{
	static const int size[] = {2, 4, 6};
	static const Entrant entrant[] = {
		{1500, 350, 1}, {1500, 350, 2},
		{1500, 350, 1}, {1800, 120, 2}, {1650, 90, 3}, {1400, 200, 4},
		{1500, 350, 1}, {1800, 120, 2}, {1650, 90, 2}, {1400, 200, 4},
		{2100, 75, 4}, {1900, 80, 6}
	};
	static const double mu[4][LENGTH(entrant)] = {
		{1655.5425070937, 1344.4574929063, 1847.0129518679, 1793.5200806121,
			1633.1532591687, 1330.2787112269, 2018.7571310652, 1829.3936852339,
		1699.3496799560, 1570.7868951054, 2043.5557096929, 1834.1698890519},
		{1707.3133095021, 1292.6866904979, 1894.8469728210, 1792.0788223407,
			1628.8488165814, 1308.4412880161, 2074.9232163923, 1842.4398991283,
		1708.1831595904, 1556.8157438473, 2039.4455435306, 1817.7769602235},
		{1629.3914269816, 1370.6085730184, 1847.8419843043, 1789.7025373995,
			1630.4005928804, 1338.8483604998, 2063.9671781960, 1831.4238337598,
		1707.3667363710, 1582.0503144871, 2041.0381500299, 1833.5090899671},
		{1704.8667194452, 1295.1332805548, 1922.8991578524, 1785.3114119943,
			1621.5094721685, 1302.4467089237, 2141.1593537263, 1863.0019496153,
		1720.2782724070, 1562.4469457560, 2039.7964422976, 1829.9907461762}
	};
	static const double sigma[LENGTH(entrant)] = {
		171.1954442536, 171.1954442536, 171.1954442536, 105.5164812276,
		86.8248334019, 141.0460063370, 171.1954442536, 105.5164812276,
		86.8248334019, 141.0460063370, 76.5022813443, 80.0000000000
	};
	int			k,
				j,
				i;

	(void) state;
	for (k = 0; k < 4; k++)
	{
		Settings	s = {k / 2, k % 2, 80 * sqrt(1 + 1 / 0.2), 80 * sqrt(0.2)};
		int			first = 0;

		for (j = 0; j < LENGTH(size); j++)
		{
			Contest		c;

			contest_init(&c, size[j], &s);
			memcpy(c.entrant, &entrant[first], size[j] * sizeof(Entrant));
			assert_status(contest_rate(&c), MATCH_OK);
			for (i = 0; i < size[j]; i++)
			{
				assert_near(c.after[i][ELO_MMR_MU], mu[k][first + i], 1e-8);
				assert_near(c.after[i][ELO_MMR_SIGMA], sigma[first + i], 1e-9);
			}
			contest_free(&c);
			first += size[j];
		}
	}
}

/* A better place is a higher performance, and equal ones are the same to the bit. */
static void
test_performances_fall_with_the_place(void **state)
{
	Random		random = {19};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 60; round++)
	{
		Settings	s = {round % 2, 0, 200, 35};
		Contest		c;
		int			n = 150;

		contest_init(&c, n, &s);
		random_contest(&random, &c, round % 3 == 0 ? 10 : 4 * n);
		assert_status(contest_rate(&c), MATCH_OK);
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
			{
				double		p = contest_performance(&c, i);
				double		q = contest_performance(&c, j);

				if (c.entrant[i].rank < c.entrant[j].rank)
					assert_true(p > q);
				else if (c.entrant[i].rank == c.entrant[j].rank)
					assert_same(p, q);
			}
		contest_free(&c);
	}
}

/* Incentive compatibility: a better place, all else equal, is a higher rating. */
static void
test_a_better_place_is_a_higher_rating(void **state)
{
	Random		random = {20};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 20; round++)
	{
		Settings	s = {round % 2, 0, 200, 35};
		Contest		c;
		int			n = 30;
		double		last = -INFINITY;

		contest_init(&c, n, &s);
		random_contest(&random, &c, n);

		/*
		 * All others in order, and the first from the last place to the
		 * first.
		 */
		for (i = 1; i < n; i++)
			c.entrant[i].rank = 2 * i + 1;
		for (j = 2 * n; j >= 2; j--)
		{
			c.entrant[0].rank = j;
			assert_status(contest_rate(&c), MATCH_OK);

			/* Sharing a place is between that behind it and that before it. */
			assert_true(c.after[0][ELO_MMR_MU] > last);
			last = c.after[0][ELO_MMR_MU];
		}
		contest_free(&c);
	}
}

/* The numbers of teams and players have no part in a single bit. */
static void
test_numbers_do_not_matter(void **state)
{
	Random		random = {21};
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 20; round++)
	{
		Settings	s = {round % 2, round % 4 == 3, 200, 35};
		int			n = round < 10 ? 12 : 300;
		Contest		c;
		double		(*after)[ELO_MMR_NSTATE] = calloc(n, sizeof(*after));
		double	   *win = calloc(n, sizeof(double));

		contest_init(&c, n, &s);
		random_contest(&random, &c, round % 3 == 0 ? n : n / 2);

		/* Some who are the same in everything. */
		c.entrant[1] = c.entrant[0];
		c.entrant[n - 1] = c.entrant[0];
		assert_status(contest_rate(&c), MATCH_OK);
		memcpy(after, c.after, n * sizeof(*after));
		for (i = 0; i < n; i++)
			win[i] = c.match.team[i].win;
		for (i = n - 1; i > 0; i--)
		{
			int			swap = c.number[i];

			j = random_below(&random, i + 1);
			c.number[i] = c.number[j];
			c.number[j] = swap;
		}
		assert_status(contest_rate(&c), MATCH_OK);
		for (i = 0; i < n; i++)
		{
			assert_memory_equal(c.after[i], after[i], sizeof(after[i]));
			assert_same(c.match.team[c.number[i]].win, win[i]);
			assert_int_equal(c.match.team[i].number, i);
		}
		contest_free(&c);
		free(after);
		free(win);
	}
}

/* Moving all skills, or changing the unit, does the same to the result. */
static void
test_shift_and_scale(void **state)
{
	Random		random = {22};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 20; round++)
	{
		Settings	s = {round % 2, 0, 200, 35};
		Settings	other = {round % 2, 0, 200 / 8.0, 35 / 8.0};
		Contest		a;
		Contest		b;
		int			n = round < 10 ? 7 : 120;

		contest_init(&a, n, &s);
		contest_init(&b, n, &other);
		random_contest(&random, &a, n);
		for (i = 0; i < n; i++)
		{
			b.entrant[i].mu = (a.entrant[i].mu - 1500) / 8;
			b.entrant[i].sigma = a.entrant[i].sigma / 8;
			b.entrant[i].rank = a.entrant[i].rank;
		}
		assert_status(contest_rate(&a), MATCH_OK);
		assert_status(contest_rate(&b), MATCH_OK);
		for (i = 0; i < n; i++)
		{
			assert_near(8 * b.after[i][ELO_MMR_MU] + 1500, a.after[i][ELO_MMR_MU], 1e-9);
			assert_near(8 * b.after[i][ELO_MMR_SIGMA], a.after[i][ELO_MMR_SIGMA], 1e-9);
			assert_near(b.match.team[i].win, a.match.team[i].win, 1e-11);
		}
		contest_free(&a);
		contest_free(&b);
	}
}

/*
 * The paper's bound on what one result may do, of logistic performances with a
 * single prior: pi / (sqrt(3) beta) times the variance.  Normal ones have none.
 */
static void
test_robust_response(void **state)
{
	static const double above[] = {0, 1000, 4000, 40000};
	double		last = 0;
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(above); i++)
	{
		Settings	s = {ELO_MMR_LOGISTIC, 0, 200, 0};
		double		bound = M_PI / (sqrt(3) * 200) * 100 * 100;
		Contest		c;
		double		logistic;

		contest_init(&c, 2, &s);
		set_entrant(&c, 0, 1500, 100, 1);
		set_entrant(&c, 1, 1500 + above[i], 100, 2);
		assert_status(contest_rate(&c), MATCH_OK);
		logistic = c.after[0][ELO_MMR_MU] - 1500;
		assert_true(logistic > 0 && logistic > last - 1e-9 && logistic < bound + 1e-9);
		if (above[i] >= 4000)
			assert_near(logistic, bound, 0.01);
		last = logistic;

		c.params[ELO_MMR_FORM].choice = ELO_MMR_NORMAL;
		assert_status(contest_rate(&c), MATCH_OK);
		if (above[i] >= 4000)
			assert_true(c.after[0][ELO_MMR_MU] - 1500 > 2 * bound);
		contest_free(&c);
	}
}

/* Upsets by thousands of deviations, where terms are as large as the table is narrow. */
static void
test_far_and_narrow(void **state)
{
	Contest		c;
	Settings	s = {ELO_MMR_NORMAL, 0, 1, 0};
	int			n = 400;
	int			i;

	(void) state;

	/*
	 * Skills that are all but certain, seven deviations apart, in reverse
	 * order.
	 */
	contest_init(&c, n, &s);
	for (i = 0; i < n; i++)
		set_entrant(&c, i, 1000 + 7 * i, 1e-3, i + 1);
	assert_status(contest_rate(&c), MATCH_OK);
	for (i = 1; i < n; i++)
		assert_true(contest_performance(&c, i) < contest_performance(&c, i - 1));

	/* Symmetry: from first to last, the other way round. */
	for (i = 0; i < n; i++)
		assert_near(contest_performance(&c, i) + contest_performance(&c, n - 1 - i),
					2000 + 7 * (n - 1), 1e-9);
	contest_free(&c);
}

/* Whatever the numbers, a result is sound or refused, and in the order of the places. */
static void
test_extreme_contests(void **state)
{
	Random		random = {26};
	int			rated = 0;
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 400; round++)
	{
		double		decades = round % 4 == 0 ? 100 : round % 4;
		Settings	s = {random_below(&random, 2), random_below(&random, 2),
		random_magnitude(&random, round % 4), random_magnitude(&random, round % 4)};
		Contest		c;
		MatchStatus status;

		contest_init(&c, 10 + random_below(&random, 40), &s);
		for (i = 0; i < c.n; i++)
			set_entrant(&c, i, random_between(&random, -1, 1) * random_magnitude(&random, decades),
						random_magnitude(&random, decades) + 1e-12,
						1 + random_below(&random, c.n));
		status = contest_rate(&c);
		if (status != MATCH_OK)
			assert_status(status, MATCH_OVERFLOW);
		else
		{
			rated++;
			for (i = 0; i < c.n; i++)
				for (j = 0; j < c.n; j++)
					assert_true(c.entrant[i].rank > c.entrant[j].rank ||
								contest_performance(&c, i) >= contest_performance(&c, j));
		}
		contest_free(&c);
	}
	assert_true(rated > 250);
}

/* As many teams as participants, which is more than other models take. */
static void
test_most_teams(void **state)
{
	Settings	s = {ELO_MMR_NORMAL, 0, 200, 35};
	int			n;

	(void) state;
	for (n = MATCH_MAX_PARTICIPANTS; n <= MATCH_MAX_PARTICIPANTS + 1; n++)
	{
		Contest		c;
		int			i;

		contest_init(&c, n, &s);
		for (i = 0; i < n; i++)
			set_entrant(&c, i, 1500, 350, 1 + i);
		assert_status(contest_rate(&c), n > MATCH_MAX_PARTICIPANTS ?
					  MATCH_TOO_MANY_PARTICIPANTS : MATCH_OK);
		contest_free(&c);
	}
}

/*
 * ---- Predictions ----
 */

/* Of two, the closed form; of more, integrals by a plain rule; together 1. */
static void
test_predictions(void **state)
{
	static const int size[] = {2, 3, 6, 30, 1200};
	Random		random = {23};
	int			k,
				i,
				j,
				step;

	(void) state;
	for (k = 0; k < LENGTH(size); k++)
	{
		Settings	s = {k % 2, 0, 200, 35};
		int			n = size[k];
		double		total = 0;
		double	   *best = calloc(n, sizeof(double));
		Contest		c;

		contest_init(&c, n, &s);
		random_contest(&random, &c, n);
		assert_status(contest_rate(&c), MATCH_OK);
		for (step = 0; step <= 3500; step++)
		{
			double		x = -3000 + 3 * step;
			double		log_product = 0;

			for (j = 0; j < n; j++)
				log_product += log(erfc((c.entrant[j].mu - x) /
										sqrt(2 * (c.entrant[j].sigma * c.entrant[j].sigma +
												  35 * 35 + 200 * 200))) / 2);
			for (i = 0; i < n; i++)
			{
				double		delta = sqrt(c.entrant[i].sigma * c.entrant[i].sigma +
										 35 * 35 + 200 * 200);

				best[i] += 3 * victory(ELO_MMR_NORMAL, c.entrant[i].mu, delta, x) *
					exp(log_product);
			}
		}
		for (i = 0; i < n; i++)
		{
			assert_near(c.match.team[i].win, best[i], 1e-10);
			total += c.match.team[i].win;
		}
		assert_near(total, 1, 1e-12);
		contest_free(&c);
		free(best);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_of_the_authors),
		cmocka_unit_test(test_random_contests),
		cmocka_unit_test(test_large_contests),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_performances_fall_with_the_place),
		cmocka_unit_test(test_a_better_place_is_a_higher_rating),
		cmocka_unit_test(test_numbers_do_not_matter),
		cmocka_unit_test(test_shift_and_scale),
		cmocka_unit_test(test_robust_response),
		cmocka_unit_test(test_far_and_narrow),
		cmocka_unit_test(test_extreme_contests),
		cmocka_unit_test(test_most_teams),
		cmocka_unit_test(test_predictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
