/*
 * test_peers.c
 *		Glicko-2, TrueSkill and Weng and Lin's models against their papers, in long double,
 *		and against libraries.
 *
 * Without an argument it rates random matches; with the name of a file, those of
 * test/peers/cases.mjs, of which it also knows what libraries of npm make.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/models/glicko.h"
#include "peer_oracles.h"
#include "core/math/normal.h"
#include "test.h"

/* Numbers of a case, from its line. */
typedef struct Reader
{
	char	   *at;
} Reader;

static double
read_number(Reader *reader)
{
	return strtod(reader->at, &reader->at);
}

/* To what is printed behind the bar, if anything is. */
static bool
read_bar(Reader *reader)
{
	reader->at = strchr(reader->at, '|');
	if (reader->at == NULL)
		return false;
	reader->at++;
	return true;
}

/* A case as we, the oracle and the library have it, and in which units they differ. */
typedef struct Comparison
{
	int			n;
	double		ours[2 * PEER_MAX];
	Wide		oracle[2 * PEER_MAX];
	double		peer[2 * PEER_MAX];
	double		unit[2 * PEER_MAX];
	bool		settled;		/* of the oracle */
} Comparison;

typedef struct Tally
{
	const char *name;
	double		precision;		/* of the library, in units */
	int			cases;
	int			as_peer;		/* as the library has it too */
	int			failed;			/* of the library: no number */
	int			apart;			/* the library is elsewhere */
	int			unsettled;		/* the oracle did not settle, and the library
								 * agrees */
	int			wrong;			/* ours */
	double		worst;			/* difference from the oracle */
} Tally;

static Tally tallies[] = {
	/* It divides by 173.7178, and finds the volatility to 1e-7 in its logarithm. */
	{.name = "glicko2",.precision = 1e-5},
	/* Its distribution function has seven digits. */
	{.name = "trueskill",.precision = 1e-5},
	{.name = "weng_lin",.precision = 1e-8},
};

static Tally *
tally_of(const char *name)
{
	size_t		i;

	for (i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++)
		if (strcmp(tallies[i].name, name) == 0)
			return &tallies[i];
	return NULL;
}

/* The most that ours may be off the oracle, in units. */
#define PRECISION 1e-9

static void
judge(Tally *tally, const Comparison *c, bool has_peer, const char *line)
{
	double		off = 0;
	double		peer_off = 0;
	bool		failed = false;
	int			i;

	tally->cases++;
	for (i = 0; i < c->n; i++)
	{
		double		difference = fabs((double) (c->ours[i] - c->oracle[i])) / c->unit[i];

		off = isnan(difference) ? INFINITY : fmax(off, difference);
		if (!has_peer)
			continue;
		failed = failed || !isfinite(c->peer[i]);
		peer_off = fmax(peer_off, fabs(c->ours[i] - c->peer[i]) / c->unit[i]);
	}
	if (!c->settled && has_peer && !failed && peer_off <= tally->precision)
		tally->unsettled++;
	else if (off > PRECISION)
	{
		if (tally->wrong++ < 3)
		{
			printf("# off by %g: %.2000s", off, line);
			for (i = 0; i < c->n; i++)
				printf("#  ours %.17g oracle %.17Lg library %.17g\n", c->ours[i], c->oracle[i],
					   has_peer ? c->peer[i] : NAN);
		}
	}
	else
		tally->worst = fmax(tally->worst, off);
	if (!has_peer)
		return;
	if (failed)
		tally->failed++;
	else if (peer_off > tally->precision)
		tally->apart++;
	else
		tally->as_peer++;
}

static void
compare_glicko2(Reader *reader, Comparison *c)
{
	double		tau = read_number(reader);
	double		player[3];
	PeerGame	game[PEER_MAX];
	GlickoGames games = {0, 0};
	double		deviation;
	int			n;
	int			i;

	for (i = 0; i < 3; i++)
		player[i] = read_number(reader);
	n = (int) read_number(reader);
	assert_true(n <= PEER_MAX);
	for (i = 0; i < n; i++)
	{
		game[i].rating = read_number(reader);
		game[i].deviation = read_number(reader);
		game[i].score = read_number(reader);
		glicko_add_game(&games, (player[0] - game[i].rating) * GLICKO_LOG_ODDS,
						game[i].deviation * GLICKO_LOG_ODDS, game[i].score, 0, 1);
	}
	c->n = 3;
	c->settled = true;
	deviation = player[1] * GLICKO_LOG_ODDS;
	c->ours[2] = glicko2_volatility(&games, deviation, player[2], tau);
	deviation = sqrt(deviation * deviation + c->ours[2] * c->ours[2]);
	c->ours[0] = player[0] + glicko_change(&games, deviation) / GLICKO_LOG_ODDS;
	c->ours[1] = glicko_deviation(&games, deviation) / GLICKO_LOG_ODDS;
	glickman_update(tau, player, game, n, c->oracle);
	for (i = 0; i < 3; i++)
		c->unit[i] = fabs((double) c->oracle[i]);
	c->unit[0] = fmax(fabs((double) c->oracle[0] - player[0]), 1e-3 * c->unit[0]);
}

static void
read_match(Reader *reader, PeerMatch *match)
{
	int			i,
				j;

	match->n = (int) read_number(reader);
	assert_true(match->n >= 2 && match->n <= PEER_MAX);
	for (i = 0; i < match->n; i++)
	{
		match->team[i].rank = read_number(reader);
		match->team[i].members = (int) read_number(reader);
		assert_true(match->team[i].members <= PEER_MAX);
		for (j = 0; j < match->team[i].members; j++)
		{
			match->team[i].mu[j] = read_number(reader);
			match->team[i].sigma[j] = read_number(reader);
		}
	}
}

/* Rate the match by a model, whose parameters the caller has set. */
static void
rate_match(Fixture *f, const PeerMatch *match, Comparison *c)
{
	double		range = 0;
	int			i,
				j;

	fixture_clear(f);
	for (i = 0; i < match->n; i++)
		for (j = 0; j < match->team[i].members; j++)
		{
			f->before[f->n][0] = match->team[i].mu[j];
			f->before[f->n][1] = match->team[i].sigma[j];
			range = fmax(range, fabs(match->team[i].mu[j]));
			fixture_add(f, f->n, i + 1, match->team[i].rank);
		}
	fixture_rate(f);
	c->n = 2 * f->n;
	for (i = 0; i < f->n; i++)
	{
		c->ours[2 * i] = f->after[i][0];
		c->ours[2 * i + 1] = f->after[i][1];

		/* A mean is known to the last digits of the largest, and of what it moved. */
		c->unit[2 * i + 1] = sqrt(f->before[i][1] * f->before[i][1] + match->tau * match->tau);
		c->unit[2 * i] = fmax(fmax(c->unit[2 * i + 1], fabs(f->after[i][0] - f->before[i][0])),
							  1e-4 * range);
	}
}

static void
compare_trueskill(Reader *reader, Comparison *c)
{
	static Fixture f;
	static PeerMatch match;
	double		draw;
	int			ties;

	fixture_init(&f, "trueskill");
	match.beta = fixture_param(&f, "beta")->number = read_number(reader);
	match.tau = fixture_param(&f, "tau")->number = read_number(reader);
	draw = fixture_param(&f, "draw_probability")->number = read_number(reader);
	fixture_param(&f, "strength")->choice = 1;
	/* As libraries treat those who tied in a field. */
	ties = param_find(&f.model->params, "ties");
	if (ties >= 0)
		f.params[ties].choice = 1;
	read_match(reader, &match);
	match.draw_margin = normal_quantile((draw + 1) / 2) * match.beta;
	rate_match(&f, &match, c);
	c->settled = peer_trueskill(&match, c->oracle);
}

static void
compare_weng_lin(Reader *reader, Comparison *c)
{
	static Fixture f;
	static PeerMatch match;

	fixture_init(&f, "weng_lin");
	match.variant = fixture_param(&f, "variant")->choice = (int) read_number(reader);
	match.beta = fixture_param(&f, "beta")->number = read_number(reader);
	match.tau = fixture_param(&f, "tau")->number = read_number(reader);
	fixture_param(&f, "strength")->choice = 1;
	fixture_param(&f, "span")->number = 1;
	read_match(reader, &match);
	rate_match(&f, &match, c);
	peer_weng_lin(&match, c->oracle);
	c->settled = true;
}

static void
compare_line(char *line)
{
	static Comparison c;
	char	   *space = strchr(line, ' ');
	Reader		reader = {space};
	Tally	   *tally;
	bool		has_peer;
	int			i;

	assert_non_null(space);
	*space = '\0';
	tally = tally_of(line);
	*space = ' ';
	assert_non_null(tally);
	if (tally == &tallies[0])
		compare_glicko2(&reader, &c);
	else if (tally == &tallies[1])
		compare_trueskill(&reader, &c);
	else
		compare_weng_lin(&reader, &c);
	has_peer = read_bar(&reader);
	for (i = 0; has_peer && i < c.n; i++)
		c.peer[i] = read_number(&reader);
	judge(tally, &c, has_peer, line);
}

/* Say ok or not ok of each library: ours is as computed from the paper, in every case. */
static int
compare_file(const char *name)
{
	static char line[100000];
	FILE	   *file = fopen(name, "r");
	int			status = 0;
	size_t		i;

	if (file == NULL)
		return 2;
	while (fgets(line, sizeof(line), file) != NULL)
		compare_line(line);
	fclose(file);
	for (i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++)
	{
		const Tally *t = &tallies[i];
		/* A library that is off in most of them would be one of something else. */
		bool		good = t->wrong == 0 && t->cases > 0 && 4 * t->as_peer >= 3 * t->cases;

		printf("%s peers: %s: %d wrong of %d cases (largest difference from the paper's formulas %.1e); the library agrees in %d, fails in %d, is off in %d; by the library alone %d\n",
			   good ? "ok" : "not ok", t->name, t->wrong, t->cases, t->worst, t->as_peer,
			   t->failed, t->apart, t->unsettled);
		status = status || !good;
	}
	return status;
}

/* The same of matches of our own, without a library. */
static void
test_glicko2_after_the_paper(void **state)
{
	Random		random = {2013};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 10000; round++)
	{
		static char line[10000];
		int			n = random_below(&random, 2) ? 1 : 1 + random_below(&random, 40);
		double		gap = random_below(&random, 2) ? 800 : 10000;
		int			at = sprintf(line, "glicko2 %.17g 1500 %.17g %.17g %d",
								 random_below(&random, 2) ? 0.5 : random_magnitude(&random, 0.7),
								 random_below(&random, 2) ? 350 : 30 * random_magnitude(&random, 3),
								 random_below(&random, 2) ? 0.06 : 0.06 * random_magnitude(&random, 1.5),
								 n);

		for (i = 0; i < n; i++)
			at += sprintf(line + at, " %.17g %.17g %g", 1500 + random_between(&random, -gap, gap),
						  random_below(&random, 2) ? 350 : 30 * random_magnitude(&random, 3),
						  random_below(&random, 3) / 2.0);
		strcat(line, "\n");
		compare_line(line);
	}
	assert_int_equal(tallies[0].cases, 10000);
	assert_int_equal(tallies[0].wrong, 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glicko2_after_the_paper),
	};

	if (argc == 2)
		return compare_file(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
