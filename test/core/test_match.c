/*
 * test_match.c
 *		From participants to a match: what is accepted, what is not, and what
 *		becomes of it.
 */
#include <float.h>


#include "test.h"

/*
 * Weights have a limit, so that no report moves a rating without one; contributions have any size,
 * as they are rescaled.
 */
static void
test_weights_have_a_limit(void **state)
{
	static const struct
	{
		const char *model;
		double		weight;
		MatchStatus status;
	}			cases[] = {
		{"elo", 1, MATCH_OK},
		{"elo", 0.1 + 0.2 + 0.7 + 1e-12, MATCH_OK},
		{"elo", 5, MATCH_OK}, {"elo", 1e6, MATCH_OK}, {"elo", 1.000001e6, MATCH_BAD_WEIGHT},
		{"elo", 1e300, MATCH_BAD_WEIGHT},
		{"weng_lin", 1.000001e6, MATCH_BAD_WEIGHT},
	};
	Fixture		f;
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(cases); i++)
	{
		fixture_init(&f, cases[i].model);
		fixture_add(&f, 0, 1, 1)->weight = cases[i].weight;
		fixture_add(&f, 1, 2, 2)->weight = cases[i].weight;
		assert_status(fixture_build(&f), cases[i].status);
	}
	fixture_init(&f, "weng_lin");
	fixture_param(&f, "weights")->choice = 1;
	fixture_add(&f, 0, 1, 1)->weight = 1e300;
	fixture_add(&f, 1, 1, 1)->weight = 5;
	fixture_add(&f, 2, 2, 2)->weight = 7;
	fixture_rate(&f);
	assert_true(fabs(f.after[0][0] - f.before[0][0]) < 10);
}

/* The gain of a player is the mean of the stints, weighted by play. */
static void
test_gain_of_stints(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	fixture_add(&f, 0, 1, 1)->weight = 0.25;
	fixture_add(&f, 0, 1, 1)->weight = 0;
	fixture_add(&f, 1, 1, 1)->weight = 0;
	fixture_add(&f, 0, 2, 2)->weight = 0.75;
	fixture_add(&f, 2, 2, 2);
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].gain, 1);
	assert_same(match_mean_gain(&f.match), 1);

	f.row[0].gain = 2;
	f.row[1].gain = 1000;
	f.row[2].gain = 7;
	f.row[3].gain = 4;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].weight, 1);
	assert_same(f.player[0].gain, 3.5);
	assert_same(f.player[1].gain, 7);
	assert_same(f.player[2].gain, 1);
	assert_near(match_mean_gain(&f.match), (3.5 + 1) / 2, 1e-15);

	/* One that is not given is 1, and 0 is one as any other. */
	f.row[3].gain = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].gain, 1.25);
	f.row[0].gain = 0;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].gain, 0.75);
	f.row[3].gain = 0;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].gain, 0);

	/* The largest do not overflow. */
	f.row[0].gain = f.row[3].gain = DBL_MAX;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].gain, DBL_MAX);
	assert_near(match_mean_gain(&f.match), DBL_MAX / 2, DBL_MAX * 1e-15);
}

/* A share of the stint needs no stint, seconds do. */
static void
test_commanding_without_a_stint(void **state)
{
	Fixture		f;

	(void) state;
	fixture_full(&f, "hive");
	f.row[1].joined = f.row[1].left = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	f.row[1].commanding = 600;
	assert_status(fixture_build(&f), MATCH_BAD_COMMANDING);
	assert_int_equal(f.offender, 1);
}

/* What a player has once is taken, and counts add up, over all stints. */
static void
test_numbers_of_a_player(void **state)
{
	Fixture		f;

	(void) state;
	fixture_full(&f, "glicko");
	f.row[1].player = 0;		/* two stints of one player */
	f.row[0].squad = f.row[0].experience = f.row[0].quit = NAN;
	f.row[1].quit = 1;
	f.row[0].fixed = 1;
	f.row[1].fixed = 0;
	f.row[2].fixed = 0;
	f.row[1].deaths = NAN;
	f.row[3].kills = f.row[3].deaths = f.row[3].quit = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.player[0].kills, 10);
	assert_same(f.player[0].deaths, 3);
	assert_same(f.player[0].squad, 0);
	assert_same(f.player[0].experience, 10);
	assert_same(f.player[0].quit, 1);
	assert_same(f.player[0].fixed, 1);
	assert_same(f.player[2].fixed, 0);
	assert_true(isnan(f.player[3].fixed));
	assert_same(f.player[2].kills, 5);
	assert_same(f.player[2].quit, 0);
	assert_true(isnan(f.player[3].kills) && isnan(f.player[3].deaths));
	assert_true(isnan(f.player[3].quit));
	assert_same(f.match.length, 1200);
	assert_same(f.team[0].score, 2);
	assert_same(f.team[1].score, 1);

	/* A score that differs within a team is that of nobody. */
	f.row[2].score = 5;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].score, 2);
	assert_true(isnan(f.team[1].score));
}

/* A model may take fewer players than there can be; the match is kept then. */
static void
test_too_many_players_for_model(void **state)
{
	const Model *elo = model_find("elo");
	Model		small = *elo;
	Fixture		f;

	(void) state;
	fixture_full(&f, "elo");
	small.rules.max_players = 3;
	f.model = &small;
	assert_status(fixture_build(&f), MATCH_TOO_MANY_PLAYERS_FOR_MODEL);
	small.rules.max_players = 4;
	assert_status(fixture_build(&f), MATCH_OK);
}

/* Of teams that drew, the order of their numbers. */
static void
test_teams_by_rank(void **state)
{
	static const double rank[6] = {3, 1, 3, 7, 1, 2};
	static const int expected[6] = {1, 4, 5, 0, 2, 3};
	Fixture		f;
	int			order[6];
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	for (i = 0; i < 6; i++)
		fixture_add(&f, i, 10 * i, rank[i]);
	assert_status(fixture_build(&f), MATCH_OK);
	match_teams_by_rank(&f.match, order);
	assert_memory_equal(order, expected, sizeof(expected));
}

/* As many players as can be, on teams of the size given. */
static MatchStatus
build_large(int n, int team_size, int *offender)
{
	static Participant row[MATCH_MAX_PARTICIPANTS + 1];
	static MatchTeam team[MATCH_MAX_PARTICIPANTS + 1];
	static MatchPlayer player[MATCH_MAX_PARTICIPANTS + 1];
	static MatchEntry entry[MATCH_MAX_PARTICIPANTS + 1];
	const Model *model = model_find("elo");
	ParamValue	params[TEST_MAX_PARAMS];
	Match		match = {.nplayers = n,.team = team,.player = player,
	.entry = entry,.log_odds = 0};
	MatchStatus status;
	int			i;

	param_defaults(&model->params, params);
	for (i = 0; i < n; i++)
	{
		row[i] = participant_default;
		row[i].player = i;
		row[i].team = i / team_size;
		row[i].rank = 1 + i / team_size;
	}
	status = match_build(&model->rules, params, row, n, &match, offender);
	if (status == MATCH_OK)
	{
		assert_int_equal(match.nteams, (n + team_size - 1) / team_size);
		assert_int_equal(match.nentries, n);
	}
	return status;
}

static void
test_most_participants(void **state)
{
	int			n = MATCH_MAX_PARTICIPANTS;
	int			offender;

	(void) state;
	assert_status(build_large(n, n / 2, &offender), MATCH_OK);
	assert_status(build_large(n + 1, n / 2, &offender),
				  MATCH_TOO_MANY_PARTICIPANTS);
	assert_int_equal(offender, -1);
}

static void
test_too_many_teams(void **state)
{
	int			n = MATCH_MAX_TEAMS;
	int			offender;

	(void) state;
	assert_status(build_large(n, 1, &offender), MATCH_OK);
	assert_status(build_large(10 * n, 10, &offender), MATCH_OK);
	/* The first participant of the first team too many. */
	assert_status(build_large(n + 1, 1, &offender), MATCH_TOO_MANY_TEAMS);
	assert_int_equal(offender, n);
	assert_status(build_large(2 * n + 5, 2, &offender), MATCH_TOO_MANY_TEAMS);
	assert_int_equal(offender, 2 * n);
}

static void
test_ranks_as_given(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "elo");
	/* Teams by number, any numbers, and ranks with gaps or halves. */
	fixture_add(&f, 0, -7, 5);
	fixture_add(&f, 1, 0, 1.5);
	fixture_add(&f, 2, 1000000, 5);
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(f.match.nteams, 3);
	assert_int_equal(f.team[0].number, -7);
	assert_int_equal(f.team[1].number, 0);
	assert_int_equal(f.team[2].number, 1000000);
	assert_same(f.team[0].rank, 5);
	assert_same(f.team[1].rank, 1.5);
	assert_same(f.team[2].rank, 5);
}

static void
test_ranks_from_scores(void **state)
{
	static const double score[] = {3, 7, -1e300, 7, 3, 0};
	static const double rank[] = {3, 1, 6, 1, 3, 5};
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	for (i = 0; i < LENGTH(score); i++)
		fixture_add(&f, i, i, NAN)->score = score[i];
	assert_status(fixture_build(&f), MATCH_OK);
	for (i = 0; i < LENGTH(score); i++)
		assert_same(f.team[i].rank, rank[i]);
}

static void
test_ranks_from_won(void **state)
{
	static const struct
	{
		double		won[3];
		double		rank[3];
	}			cases[] = {
		{{1, 0, 0}, {1, 2, 2}},
		{{0, 1, 1}, {3, 1, 1}},
		{{0, 0, 0}, {1, 1, 1}},
		{{1, 1, 1}, {1, 1, 1}},
	};
	Fixture		f;
	int			i,
				j;

	(void) state;
	for (i = 0; i < LENGTH(cases); i++)
	{
		fixture_init(&f, "elo");
		for (j = 0; j < 3; j++)
			fixture_add(&f, j, j, NAN)->won = cases[i].won[j];
		assert_status(fixture_build(&f), MATCH_OK);
		for (j = 0; j < 3; j++)
			assert_same(f.team[j].rank, cases[i].rank[j]);
	}
}

/* A rank for all goes before a score for all, and that before who won. */
static void
test_forms_of_results_in_order(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	for (i = 0; i < 2; i++)
	{
		Participant *row = fixture_add(&f, i, i, 1 + i);

		row->score = i;
		row->won = i;
	}
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].rank, 1);
	assert_same(f.team[1].rank, 2);

	f.row[0].rank = NAN;
	f.row[0].won = 1;
	f.row[1].won = 0;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].rank, 2);
	assert_same(f.team[1].rank, 1);

	f.row[1].score = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].rank, 1);
	assert_same(f.team[1].rank, 2);
}

static void
test_outcomes(void **state)
{
	static const struct
	{
		double		rank[3];
		MatchOutcome outcome[3];
	}			cases[] = {
		{{1, 2, 3}, {MATCH_WON, MATCH_LOST, MATCH_LOST}},
		{{3, 3, 2}, {MATCH_LOST, MATCH_LOST, MATCH_WON}},
		{{1, 2, 1}, {MATCH_DREW, MATCH_LOST, MATCH_DREW}},
		{{4, 4, 4}, {MATCH_DREW, MATCH_DREW, MATCH_DREW}},
	};
	Fixture		f;
	int			i,
				j;

	(void) state;
	for (i = 0; i < LENGTH(cases); i++)
	{
		fixture_init(&f, "elo");
		for (j = 0; j < 3; j++)
			fixture_add(&f, j, j, cases[i].rank[j]);
		assert_status(fixture_build(&f), MATCH_OK);
		for (j = 0; j < 3; j++)
			assert_int_equal(match_outcome(&f.match, j), cases[i].outcome[j]);
	}
}

static void
test_first_side(void **state)
{
	Fixture		f;

	(void) state;
	fixture_full(&f, "hive");
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(f.team[0].side, 1);
	assert_int_equal(f.team[1].side, 2);
	assert_int_equal(match_first_side(&f.match), 0);
	f.row[0].side = f.row[1].side = 2;
	f.row[2].side = f.row[3].side = 1;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(match_first_side(&f.match), 1);
	f.row[0].side = f.row[1].side = f.row[2].side = f.row[3].side = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(f.team[0].side, 0);
	assert_int_equal(match_first_side(&f.match), 0);
}

/* A share of the match: its length is that of whoever left last. */
static void
test_stints_as_shares(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	assert_null(f.model->rules.stint_weight);
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 1, 1);
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 2, 2, 2);
	for (i = 0; i < 4; i++)
	{
		static const double joined[] = {0, 250, 750, 0};
		static const double left[] = {500, 500, 1000, 750};

		f.row[i].joined = joined[i];
		f.row[i].left = left[i];
	}
	assert_status(fixture_build(&f), MATCH_OK);
	/* In the participants' order; who came back has one entry. */
	assert_int_equal(f.match.nentries, 3);
	assert_int_equal(f.entry[0].player, 0);
	assert_same(f.entry[0].weight, 0.75);
	assert_int_equal(f.entry[1].player, 1);
	assert_same(f.entry[1].weight, 0.25);
	assert_int_equal(f.entry[2].player, 2);
	assert_int_equal(f.entry[2].team, 1);
	assert_same(f.entry[2].weight, 0.75);

	/* A weight goes before the times. */
	f.row[1].weight = 0.125;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.entry[1].weight, 0.125);

	/* Whoever has neither played all of it. */
	f.row[3].joined = f.row[3].left = NAN;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.entry[2].weight, 1);
}

/* A model may weigh a stint otherwise: the first half of a round has a half. */
static void
test_stints_as_the_model_weighs_them(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "hive");
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	for (i = 0; i < 3; i++)
	{
		static const double joined[] = {0, 1200, 600};
		static const double left[] = {600, 1800, 1200};

		f.row[i].joined = joined[i];
		f.row[i].left = left[i];
	}
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(f.match.nentries, 2);
	assert_near(f.entry[0].weight, 0.5 + 0.125, 1e-15);
	assert_near(f.entry[1].weight, 0.25, 1e-15);
}

static void
test_commanding_is_taken_from_play(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	fixture_add(&f, 0, 1, 1)->weight = 0.5;
	fixture_add(&f, 0, 1, 1)->weight = 0.25;
	fixture_add(&f, 1, 2, 2);
	f.row[0].commanding = 0.75;
	/* 300 of 1200 s; the weight stands. */
	f.row[2].joined = 1000;
	f.row[2].left = 2200;
	f.row[2].weight = 1;
	f.row[2].commanding = 300;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.entry[0].weight, 0.125 + 0.25);
	assert_same(f.entry[0].command_weight, 0.375);
	assert_same(f.entry[1].weight, 0.75);
	assert_same(f.entry[1].command_weight, 0.25);

	/* For a model without commanders they played. */
	f.model = model_find("elo");
	param_defaults(&f.model->params, f.params);
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.entry[0].weight, 0.75);
	assert_same(f.entry[0].command_weight, 0);
	assert_same(f.entry[1].weight, 1);
	assert_same(f.entry[1].command_weight, 0);
}

/* A player on several teams belongs to the one with the most play. */
static void
test_team_of_a_player(void **state)
{
	Fixture		f;

	(void) state;
	fixture_init(&f, "hive");
	fixture_add(&f, 0, 1, 1)->weight = 0.25;
	fixture_add(&f, 1, 1, 1)->weight = 0.5;
	fixture_add(&f, 2, 1, 1)->weight = 0.25;
	fixture_add(&f, 3, 1, 1)->weight = 0;
	fixture_add(&f, 0, 2, 2)->weight = 0.125;
	fixture_add(&f, 1, 2, 2)->weight = 0.5;
	fixture_add(&f, 0, 2, 2)->weight = 0.25;
	fixture_add(&f, 2, 2, 2)->weight = 0.75;
	f.row[7].commanding = 1;
	/* One more that the match knows but that has no part in it. */
	f.match.nplayers = 5;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_int_equal(f.match.nentries, 7);
	/* The stints of a team count together. */
	assert_int_equal(f.player[0].team, 1);
	/* As much on both: the first. */
	assert_int_equal(f.player[1].team, 0);
	/* Commanding counts, too. */
	assert_int_equal(f.player[2].team, 1);
	/* No play at all is still a place. */
	assert_int_equal(f.player[3].team, 0);
	assert_int_equal(f.player[4].team, -1);
	assert_same(f.player[0].gradient, 0);
}

/* The rows of a player on two teams: are they a change of sides? */
static void
test_change_of_sides(void **state)
{
	static const struct
	{
		double		weight[2];
		double		joined[2];
		double		left[2];
		MatchStatus status;
	}			cases[] = {
		/* Nothing is known. */
		{{NAN, NAN}, {NAN, NAN}, {NAN, NAN}, MATCH_SELF_MATCH},
		/* Stints that touch, are apart, overlap, or lie within one another. */
		{{NAN, NAN}, {0, 600}, {600, 1200}, MATCH_OK},
		{{NAN, NAN}, {700, 0}, {1200, 600}, MATCH_OK},
		{{NAN, NAN}, {0, 599}, {600, 1200}, MATCH_SELF_MATCH},
		{{NAN, NAN}, {0, 0}, {1200, 1200}, MATCH_SELF_MATCH},
		{{NAN, NAN}, {0, 300}, {1200, 400}, MATCH_SELF_MATCH},
		/* Who was there for no time at all did not play. */
		{{NAN, NAN}, {0, 300}, {1200, 300}, MATCH_OK},
		/* The times decide, whatever the weights are. */
		{{1, 1}, {0, 600}, {600, 1200}, MATCH_OK},
		{{0.1, 0.1}, {0, 599}, {600, 1200}, MATCH_SELF_MATCH},
		/* Shares of the match. */
		{{0.5, 0.5}, {NAN, NAN}, {NAN, NAN}, MATCH_OK},
		{{0.7, 0.1 + 0.2}, {NAN, NAN}, {NAN, NAN}, MATCH_OK},
		{{0.5, 0.6}, {NAN, NAN}, {NAN, NAN}, MATCH_SELF_MATCH},
		{{NAN, 0}, {NAN, NAN}, {NAN, NAN}, MATCH_OK},
		{{NAN, 0.5}, {NAN, NAN}, {NAN, NAN}, MATCH_SELF_MATCH},
		/* A share and a stint: half of 1200 seconds. */
		{{0.5, NAN}, {NAN, 0}, {NAN, 600}, MATCH_OK},
		{{0.6, NAN}, {NAN, 0}, {NAN, 600}, MATCH_SELF_MATCH},
	};
	Fixture		f;
	int			i,
				j;

	(void) state;
	for (i = 0; i < LENGTH(cases); i++)
		for (j = 0; j < 2; j++)
		{
			int			row;

			fixture_init(&f, j == 0 ? "elo" : "trueskill");
			fixture_add(&f, 0, 1, 1);
			fixture_add(&f, 1, 1, 1)->joined = 0;
			fixture_add(&f, 0, 2, 2);
			fixture_add(&f, 2, 2, 2)->joined = 0;
			f.row[1].left = f.row[3].left = 1200;
			for (row = 0; row < 2; row++)
			{
				f.row[2 * row].weight = cases[i].weight[row];
				f.row[2 * row].joined = cases[i].joined[row];
				f.row[2 * row].left = cases[i].left[row];
			}
			if (fixture_build(&f) != cases[i].status)
				print_error("case %d:\n", i);
			assert_status(fixture_build(&f), cases[i].status);
			assert_int_equal(f.offender, cases[i].status == MATCH_OK ? -1 : 2);

			/* On one team any stints will do, but whole matches of one player are a mistake. */
			f.row[2].team = 1;
			f.row[2].rank = 1;
			assert_status(fixture_build(&f), MATCH_OK);
			for (row = 0; row < f.n; row++)
				f.row[row].weight = f.row[row].joined = f.row[row].left = NAN;
			assert_status(fixture_build(&f), MATCH_LISTED_TWICE);
			assert_int_equal(f.offender, 2);
		}
}

/*
 * Anything at all: what is not refused is sound, and what is refused names a
 * participant there is.
 */
static void
test_random_participants(void **state)
{
	static const double strange[] = {
		NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 5e-324, -5e-324, 1e300,
		0, -0.0, -1, 0.5, 1, 2, 3, 600, 1200
	};
	Random		random = {30};
	Fixture		f;
	int			accepted = 0;
	int			round,
				i,
				j;

	(void) state;
	for (round = 0; round < 100000; round++)
	{
		int			n = 1 + random_below(&random, 8);
		int			team = 0;
		int			oddities = random_below(&random, 4);
		MatchStatus status;

		fixture_init(&f, random_below(&random, 2) ? "elo" : "hive");
		for (i = 0; i < n; i++)
		{
			team += random_below(&random, 4) == 0;
			fixture_add(&f, random_below(&random, 8), team, 1 + team);
		}
		while (oddities-- > 0)
		{
			Participant *row = &f.row[random_below(&random, n)];
			double	   *number[] = {
				&row->rank, &row->score, &row->won, &row->weight, &row->joined,
				&row->left, &row->commanding, &row->side, &f.match.log_odds,
				&row->gain, &row->player_score
			};

			*number[random_below(&random, LENGTH(number))] =
				strange[random_below(&random, LENGTH(strange))];
		}

		status = fixture_build(&f);
		assert_true(status >= MATCH_OK && status < MATCH_BAD_STATE);
		assert_true(f.offender >= -1 && f.offender < n);
		if (status <= MATCH_LAST_UNRATED)
			assert_int_equal(f.offender, -1);
		assert_true(strlen(match_status_code(status)) > 3);
		assert_string_not_equal(match_status_code(status), "unknown_status");
		if (status != MATCH_OK)
			continue;

		/* Nobody of whom no more is known is on two teams. */
		for (i = 0; i < n; i++)
			for (j = 0; j < i; j++)
				assert_false(f.row[i].player == f.row[j].player &&
							 f.row[i].team != f.row[j].team &&
							 isnan(f.row[i].joined) && isnan(f.row[i].weight) &&
							 isnan(f.row[j].joined) && isnan(f.row[j].weight));
		accepted++;
		assert_true(f.match.nteams >= 2 && f.match.nentries <= n);
		for (i = 0; i < f.match.nentries; i++)
		{
			const MatchEntry *e = &f.entry[i];

			/* Sums may overflow, but are numbers. */
			assert_true(e->weight >= 0 && e->command_weight >= 0);
			assert_true(e->team >= 0 && e->team <= f.match.nteams - 1);
			assert_true(f.player[e->player].team >= 0 && f.player[e->player].team <= f.match.nteams - 1);
		}
		for (i = 0; i < f.match.nteams; i++)
		{
			assert_true(isfinite(f.team[i].rank) && f.team[i].rank >= 1);
			assert_true(f.team[i].side >= 0 && f.team[i].side <= 2);
			if (i > 0)
				assert_true(f.team[i].number > f.team[i - 1].number);
		}
	}
	assert_true(accepted > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_have_a_limit),
		cmocka_unit_test(test_gain_of_stints),
		cmocka_unit_test(test_commanding_without_a_stint),
		cmocka_unit_test(test_numbers_of_a_player),
		cmocka_unit_test(test_too_many_players_for_model),
		cmocka_unit_test(test_teams_by_rank),
		cmocka_unit_test(test_most_participants),
		cmocka_unit_test(test_too_many_teams),
		cmocka_unit_test(test_ranks_as_given),
		cmocka_unit_test(test_ranks_from_scores),
		cmocka_unit_test(test_ranks_from_won),
		cmocka_unit_test(test_forms_of_results_in_order),
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_first_side),
		cmocka_unit_test(test_stints_as_shares),
		cmocka_unit_test(test_stints_as_the_model_weighs_them),
		cmocka_unit_test(test_commanding_is_taken_from_play),
		cmocka_unit_test(test_team_of_a_player),
		cmocka_unit_test(test_change_of_sides),
		cmocka_unit_test(test_random_participants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
