/*
 * test_trueskill_published.c
 *		TrueSkill against published values.
 */
#include "csv.h"
#include "test.h"

#include "core/models/trueskill.h"

static const TrueSkill standard = {25.0 / 6, 25.0 / 300, 0.1, false, TIES_CHAIN, false};

/* The cases of a file whose rows are players, and cases follow each other. */
typedef struct Golden
{
	FILE	   *file;
	char		line[CSV_MAX_LINE];
	char	   *field[CSV_MAX_FIELDS];
	bool		more;
} Golden;

static void
golden_open(Golden *g, const char *name, int ncolumns)
{
	g->file = csv_open(name, g->line, sizeof(g->line));
	g->more = fgets(g->line, sizeof(g->line), g->file) != NULL;
	if (g->more)
		assert_int_equal(csv_split(g->line, g->field), ncolumns);
}

static void
test_published_matches(void **state)
{
	enum
	{
		CASE, TEAM, PLAYER, RANK, WEIGHT, MU, SIGMA, BETA, TAU, DRAW, EXP_MU,
		EXP_SIGMA, TOL, NOTE, SOURCE, NCOLUMNS
	};
	Golden		g;
	Fixture		f;
	int			cases = 0;

	(void) state;
	fixture_init(&f, "trueskill");
	golden_open(&g, "trueskill_rate.csv", NCOLUMNS);
	while (g.more)
	{
		char		name[16];
		double		expected[TEST_MAX_ROWS][2];
		double		tolerance[TEST_MAX_ROWS];

		snprintf(name, sizeof(name), "%s", g.field[CASE]);
		fixture_clear(&f);
		do
		{
			f.before[f.n][TRUESKILL_MU] = csv_number(g.field[MU]);
			f.before[f.n][TRUESKILL_SIGMA] = csv_number(g.field[SIGMA]);
			expected[f.n][0] = csv_number(g.field[EXP_MU]);
			expected[f.n][1] = csv_number(g.field[EXP_SIGMA]);
			tolerance[f.n] = csv_number(g.field[TOL]);
			fixture_param(&f, "beta")->number = csv_number(g.field[BETA]);
			fixture_param(&f, "tau")->number = csv_number(g.field[TAU]);
			fixture_param(&f, "draw_probability")->number =
				csv_number(g.field[DRAW]);
			fixture_add(&f, f.n, (int) csv_number(g.field[TEAM]),
						1 + csv_number(g.field[RANK]))->weight =
				csv_number(g.field[WEIGHT]);
			g.more = fgets(g.line, sizeof(g.line), g.file) != NULL;
			if (g.more)
				assert_int_equal(csv_split(g.line, g.field), NCOLUMNS);
		} while (g.more && strcmp(g.field[CASE], name) == 0);

		/* The published rule adds skills up, and chains teams that tied. */
		fixture_param(&f, "strength")->choice = 1;
		fixture_param(&f, "ties")->choice = TIES_CHAIN;

		/*
		 * Opponents without play time are no match to a ladder, but have a
		 * result.
		 */
		if (fixture_build(&f) == MATCH_NO_PLAY_TIME)
		{
			TrueSkill	ts = {fixture_param(&f, "beta")->number,
				fixture_param(&f, "tau")->number,
			fixture_param(&f, "draw_probability")->number, false, TIES_CHAIN, false};

			trueskill_update(&ts, &f.match);
		}
		else
			fixture_rate(&f);
		assert_published(&f, name, expected, tolerance);
		cases++;
	}
	fclose(g.file);
	assert_int_equal(cases, 90);
}

static void
test_published_quality(void **state)
{
	enum
	{
		CASE, TEAM, PLAYER, WEIGHT, MU, SIGMA, BETA, QUALITY, TOL, NOTE, SOURCE,
		NCOLUMNS
	};
	Golden		g;
	Fixture		f;
	int			cases = 0;

	(void) state;
	fixture_init(&f, "trueskill");
	golden_open(&g, "trueskill_quality.csv", NCOLUMNS);
	while (g.more)
	{
		char		name[16];
		TrueSkill	ts = standard;
		double		quality,
					tolerance;

		snprintf(name, sizeof(name), "%s", g.field[CASE]);
		fixture_clear(&f);
		do
		{
			f.before[f.n][TRUESKILL_MU] = csv_number(g.field[MU]);
			f.before[f.n][TRUESKILL_SIGMA] = csv_number(g.field[SIGMA]);
			ts.beta = csv_number(g.field[BETA]);
			quality = csv_number(g.field[QUALITY]);
			tolerance = csv_number(g.field[TOL]);
			fixture_add(&f, f.n, (int) csv_number(g.field[TEAM]), 1)->weight =
				csv_number(g.field[WEIGHT]);
			g.more = fgets(g.line, sizeof(g.line), g.file) != NULL;
			if (g.more)
				assert_int_equal(csv_split(g.line, g.field), NCOLUMNS);
		} while (g.more && strcmp(g.field[CASE], name) == 0);

		assert_status(fixture_build(&f), MATCH_OK);
		assert_near(trueskill_quality(&ts, &f.match), quality, tolerance);
		cases++;
	}
	fclose(g.file);
	assert_int_equal(cases, 28);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_matches),
		cmocka_unit_test(test_published_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
