/*
 * test_match_status.c
 *		Numbers and results that a match is refused for, or kept without being rated:
 *		the status, whom it names, and its texts.
 */
#include <float.h>

#include "test.h"

/* A number of a participant, and what becomes of its match. */
static const struct
{
	size_t		member;
	double		value;
	MatchStatus status;
}			numbers[] = {
#define NUMBER(member, value, status) {offsetof(Participant, member), value, status}
	NUMBER(rank, 2, MATCH_OK),
	NUMBER(rank, 0, MATCH_BAD_RANK),
	NUMBER(rank, 0.99999999999999989, MATCH_BAD_RANK),
	NUMBER(rank, -1, MATCH_BAD_RANK),
	NUMBER(rank, INFINITY, MATCH_BAD_RANK),
	NUMBER(rank, -INFINITY, MATCH_BAD_RANK),
	NUMBER(rank, 1, MATCH_RESULT_DIFFERS),
	NUMBER(rank, 3, MATCH_RESULT_DIFFERS),
	/* Without a rank for all, the scores are the result. */
	NUMBER(rank, NAN, MATCH_OK),

	/* Ranks go before scores, whose differences do not matter then. */
	NUMBER(score, -1e300, MATCH_OK),
	NUMBER(score, NAN, MATCH_OK),
	NUMBER(score, INFINITY, MATCH_BAD_SCORE),
	NUMBER(score, -INFINITY, MATCH_BAD_SCORE),
	NUMBER(player_score, NAN, MATCH_OK),
	NUMBER(player_score, INFINITY, MATCH_BAD_SCORE),
	NUMBER(player_score, -1.00001e300, MATCH_BAD_SCORE),
	NUMBER(won, NAN, MATCH_OK),
	NUMBER(won, 0.5, MATCH_BAD_WON),
	NUMBER(won, -1, MATCH_BAD_WON),
	NUMBER(won, INFINITY, MATCH_BAD_WON),

	NUMBER(weight, 0, MATCH_OK),
	NUMBER(weight, -0.0, MATCH_OK),
	NUMBER(weight, 1, MATCH_OK),
	NUMBER(weight, 1e300, MATCH_BAD_WEIGHT),
	NUMBER(weight, NAN, MATCH_OK),
	NUMBER(weight, -5e-324, MATCH_BAD_WEIGHT),
	NUMBER(weight, INFINITY, MATCH_BAD_WEIGHT),
	NUMBER(weight, -INFINITY, MATCH_BAD_WEIGHT),

	NUMBER(joined, 1200, MATCH_OK),
	NUMBER(joined, 1200.5, MATCH_BAD_STINT),
	NUMBER(joined, -1, MATCH_BAD_STINT),
	NUMBER(joined, INFINITY, MATCH_BAD_STINT),
	NUMBER(joined, -INFINITY, MATCH_BAD_STINT),
	NUMBER(joined, NAN, MATCH_HALF_STINT),
	NUMBER(left, 0, MATCH_OK),
	NUMBER(left, 1e300, MATCH_OK),
	NUMBER(left, -1, MATCH_BAD_STINT),
	NUMBER(left, INFINITY, MATCH_BAD_STINT),
	NUMBER(left, -INFINITY, MATCH_BAD_STINT),
	NUMBER(left, NAN, MATCH_UNFINISHED),

	NUMBER(commanding, 0, MATCH_OK),
	NUMBER(commanding, 1, MATCH_OK),
	NUMBER(commanding, 1200, MATCH_OK),
	NUMBER(commanding, NAN, MATCH_OK),
	NUMBER(commanding, 1200.5, MATCH_BAD_COMMANDING),
	NUMBER(commanding, -0.5, MATCH_BAD_COMMANDING),
	NUMBER(commanding, INFINITY, MATCH_BAD_COMMANDING),
	NUMBER(commanding, -INFINITY, MATCH_BAD_COMMANDING),

	NUMBER(side, 0, MATCH_BAD_SIDE),
	NUMBER(side, 1.5, MATCH_BAD_SIDE),
	NUMBER(side, 3, MATCH_BAD_SIDE),
	NUMBER(side, -1, MATCH_BAD_SIDE),
	NUMBER(side, 1e300, MATCH_BAD_SIDE),
	NUMBER(side, INFINITY, MATCH_BAD_SIDE),
	NUMBER(side, -INFINITY, MATCH_BAD_SIDE),

	NUMBER(squad, NAN, MATCH_OK),
	NUMBER(squad, -7, MATCH_OK),
	NUMBER(squad, INFINITY, MATCH_BAD_SQUAD),
	NUMBER(kills, NAN, MATCH_OK),
	NUMBER(kills, 0, MATCH_OK),
	NUMBER(kills, -1, MATCH_BAD_KILLS),
	NUMBER(kills, INFINITY, MATCH_BAD_KILLS),
	NUMBER(deaths, NAN, MATCH_OK),
	NUMBER(deaths, -5e-324, MATCH_BAD_DEATHS),
	NUMBER(deaths, INFINITY, MATCH_BAD_DEATHS),
	NUMBER(quit, NAN, MATCH_OK),
	NUMBER(quit, 1, MATCH_OK),
	NUMBER(quit, 0.5, MATCH_BAD_QUIT),
	NUMBER(experience, NAN, MATCH_OK),
	NUMBER(experience, 0, MATCH_OK),
	NUMBER(experience, -1, MATCH_BAD_EXPERIENCE),
	NUMBER(experience, INFINITY, MATCH_BAD_EXPERIENCE),
	NUMBER(fixed, NAN, MATCH_OK),
	NUMBER(fixed, 0, MATCH_OK),
	NUMBER(fixed, 1, MATCH_OK),
	NUMBER(fixed, -1, MATCH_BAD_FIXED),
	NUMBER(fixed, 0.5, MATCH_BAD_FIXED),
	NUMBER(fixed, INFINITY, MATCH_BAD_FIXED),
#undef NUMBER
};

/*
 * One number of the third participant at a time, all others being as above.  A
 * match that is kept and not rated names nobody.
 */
static void
test_every_number(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(numbers); i++)
	{
		double		value = numbers[i].value;
		MatchStatus status = numbers[i].status;

		fixture_full(&f, "hive");
		*(double *) ((char *) &f.row[2] + numbers[i].member) = value;
		if (fixture_build(&f) != status)
			print_error("with %g at offset %zu:\n", value, numbers[i].member);
		assert_status(fixture_build(&f), status);
		if (status == MATCH_RESULT_DIFFERS)
			assert_true(f.offender >= 2 && f.offender <= 3);
		else
			assert_int_equal(f.offender, status <= MATCH_LAST_UNRATED ? -1 : 2);
	}
}

static void
test_numbers_of_the_match(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	Fixture		f;
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(bad); i++)
	{
		fixture_full(&f, "hive");
		f.match.log_odds = bad[i];
		assert_status(fixture_build(&f), MATCH_BAD_LOG_ODDS);
		assert_int_equal(f.offender, -1);
		fixture_full(&f, "hive");
		f.row[2].gain = bad[i];
		assert_status(fixture_build(&f), isnan(bad[i]) ? MATCH_OK : MATCH_BAD_GAIN);
		assert_int_equal(f.offender, isnan(bad[i]) ? -1 : 2);
	}
	fixture_full(&f, "hive");
	f.row[3].gain = -5e-324;
	assert_status(fixture_build(&f), MATCH_BAD_GAIN);
	assert_int_equal(f.offender, 3);
	f.row[3].gain = 0;
	assert_status(fixture_build(&f), MATCH_OK);
	fixture_gain(&f, DBL_MAX);
	f.match.log_odds = -DBL_MAX;
	assert_status(fixture_build(&f), MATCH_OK);
}

/*
 * Matches that come out with a status each; together with those of
 * model_rate() and of the sizes, that is every status.
 */
static void
no_edit(Fixture *f)
{
	(void) f;
}

static void
nobody(Fixture *f)
{
	fixture_clear(f);
}

static void
one_player(Fixture *f)
{
	f->n = 1;
}

static void
one_team(Fixture *f)
{
	f->n = 2;
}

static void
one_team_twice(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
	{
		f->row[i].team = 1;
		f->row[i].side = f->row[i].rank = 1;
	}
}

static void
no_result(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
		f->row[i].rank = f->row[i].score = f->row[i].won = NAN;
}

static void
mixed_result(Fixture *f)
{
	f->row[0].rank = f->row[1].score = f->row[2].won = NAN;
}

static void
a_team_without_play(Fixture *f)
{
	f->row[2].weight = f->row[3].weight = 0;
}

static void
a_team_without_time(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
		f->row[i].weight = NAN;
	f->row[0].left = f->row[1].left = 0;
}

static void
a_match_without_time(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
	{
		f->row[i].weight = NAN;
		f->row[i].left = 0;
	}
}

static void
third_team(Fixture *f)
{
	int			i;

	fixture_add(f, 4, 3, 3);
	for (i = 0; i < 5; i++)
		f->row[i].side = NAN;
}

static void
third_team_on_side_1(Fixture *f)
{
	fixture_add(f, 4, 3, 3)->side = 1;
}

static void
third_team_with_log_odds(Fixture *f)
{
	third_team(f);
	f->match.log_odds = 0.5;
}

static void
scores_differ(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
		f->row[i].rank = NAN;
	f->row[1].score = 3;
}

static void
bad_won(Fixture *f)
{
	f->row[3].won = 2;
}

static void
wins_differ(Fixture *f)
{
	int			i;

	for (i = 0; i < 4; i++)
		f->row[i].rank = f->row[i].score = NAN;
	f->row[3].won = 1;
}

static void
two_sides_in_a_team(Fixture *f)
{
	f->row[1].side = 2;
}

static void
no_side_in_a_team(Fixture *f)
{
	f->row[3].side = NAN;
}

static void
no_side_of_a_team(Fixture *f)
{
	f->row[0].side = f->row[1].side = NAN;
}

static void
both_on_side_2(Fixture *f)
{
	f->row[0].side = f->row[1].side = 2;
}

static void
bad_rank(Fixture *f)
{
	f->row[3].rank = -1;
}

static void
bad_score(Fixture *f)
{
	f->row[3].score = INFINITY;
}

static void
bad_player_score(Fixture *f)
{
	f->row[3].score = NAN;
	f->row[3].player_score = -INFINITY;
}

static void
two_scores(Fixture *f)
{
	f->row[3].score = NAN;
	f->row[3].player_score = 0;
}

static void
bad_weight(Fixture *f)
{
	f->row[3].weight = -1;
}

static void
weight_too_large(Fixture *f)
{
	f->row[3].weight = 1.00001e6;
}

static void
bad_stint(Fixture *f)
{
	f->row[3].joined = 1300;
}

static void
half_stint(Fixture *f)
{
	f->row[3].joined = NAN;
}

static void
bad_commanding(Fixture *f)
{
	f->row[3].commanding = -1;
}

static void
bad_side(Fixture *f)
{
	f->row[3].side = 3;
}

static void
bad_log_odds(Fixture *f)
{
	f->match.log_odds = NAN;
}

static void
bad_gain(Fixture *f)
{
	f->row[1].gain = -1;
}

/* Nobody's state: an infinite skill. */
static void
bad_state(Fixture *f)
{
	f->before[3][0] = INFINITY;
}

/* A step beyond the largest number. */
static void
overflow(Fixture *f)
{
	fixture_gain(f, DBL_MAX);
}

/* More participants than there may be; the array need not hold them. */
static void
too_many_participants(Fixture *f)
{
	f->n = MATCH_MAX_PARTICIPANTS + 1;
}

static void
bad_squad(Fixture *f)
{
	f->row[3].squad = INFINITY;
}

static void
bad_kills(Fixture *f)
{
	f->row[3].kills = -1;
}

static void
bad_deaths(Fixture *f)
{
	f->row[3].deaths = -1;
}

static void
still_playing(Fixture *f)
{
	f->row[3].left = NAN;
}

static void
bad_stint_of_a_player(Fixture *f)
{
	still_playing(f);
	f->row[1].joined = -1;
}

static void
bad_quit(Fixture *f)
{
	f->row[3].quit = 2;
}

static void
bad_experience(Fixture *f)
{
	f->row[3].experience = -1;
}

static void
bad_fixed(Fixture *f)
{
	f->row[3].fixed = 2;
}

/* Player 0 has two whole matches on the first team. */
static void
listed_twice(Fixture *f)
{
	int			i;

	fixture_clear(f);
	for (i = 0; i < 3; i++)
		fixture_add(f, i / 2, 1 + i / 2, 1 + i / 2);
}

/* Player 0 is on both teams. */
static void
self_match(Fixture *f)
{
	f->row[2].player = 0;
}

static void
alone_on_both_teams(Fixture *f)
{
	int			i;

	fixture_clear(f);
	for (i = 0; i < 2; i++)
	{
		Participant *row = fixture_add(f, 0, i, 1 + i);

		row->joined = 600 * i;
		row->left = 600 * (i + 1);
	}
}

/* Every status was seen, but for those that have tests of their own. */
static void
assert_every_status(const int *seen)
{
	const bool	elsewhere[MATCH_NSTATUSES] = {[MATCH_TOO_MANY_TEAMS] = true,
		[MATCH_TOO_MANY_PLAYERS_FOR_MODEL] = true,
		[MATCH_NO_PERIOD] = true,
		[MATCH_TOO_MANY_NEWCOMERS] = true,
	[MATCH_REPEATED_OPPONENTS] = true};
	int			i;

	for (i = MATCH_OK; i < MATCH_NSTATUSES; i++)
		if (!seen[i] && !elsewhere[i])
			fail_msg("no case for \"%s\"", match_status_code(i));
}

static void
test_every_status(void **state)
{
	static const struct
	{
		const char *model;
		void		(*edit) (Fixture *f);
		MatchStatus status;
		int			offender;
	}			cases[] = {
		{"elo", no_edit, MATCH_OK, -1},
		{"hive", no_edit, MATCH_OK, -1},
		{"elo", third_team, MATCH_OK, -1},
		{"elo", nobody, MATCH_ONE_TEAM, -1},
		{"elo", one_player, MATCH_ONE_TEAM, -1},
		{"elo", one_team, MATCH_ONE_TEAM, -1},
		{"glicko", one_team_twice, MATCH_ONE_TEAM, -1},
		{"elo", no_result, MATCH_NO_RESULT, -1},
		{"glicko", mixed_result, MATCH_NO_RESULT, -1},
		{"elo", a_team_without_play, MATCH_NO_PLAY_TIME, -1},
		{"elo", a_team_without_time, MATCH_NO_PLAY_TIME, -1},
		{"hive", a_team_without_time, MATCH_NO_PLAY_TIME, -1},
		{"elo", a_match_without_time, MATCH_NO_PLAY_TIME, -1},
		{"hive", third_team, MATCH_TOO_MANY_TEAMS_FOR_MODEL, -1},
		{"elo", too_many_participants, MATCH_TOO_MANY_PARTICIPANTS, -1},
		{"elo", bad_rank, MATCH_BAD_RANK, 3},
		{"elo", bad_score, MATCH_BAD_SCORE, 3},
		{"elo", bad_player_score, MATCH_BAD_SCORE, 3},
		{"elo", two_scores, MATCH_TWO_SCORES, -1},
		{"elo", bad_won, MATCH_BAD_WON, 3},
		{"elo", scores_differ, MATCH_RESULT_DIFFERS, 1},
		{"elo", wins_differ, MATCH_RESULT_DIFFERS, 3},
		{"elo", bad_weight, MATCH_BAD_WEIGHT, 3},
		{"elo", weight_too_large, MATCH_BAD_WEIGHT, 3},
		{"elo", bad_stint, MATCH_BAD_STINT, 3},
		{"elo", half_stint, MATCH_HALF_STINT, 3},
		{"elo", still_playing, MATCH_UNFINISHED, -1},
		{"hive", still_playing, MATCH_UNFINISHED, -1},
		{"elo", bad_stint_of_a_player, MATCH_BAD_STINT, 1},
		{"elo", bad_commanding, MATCH_BAD_COMMANDING, 3},
		{"elo", bad_side, MATCH_BAD_SIDE, 3},
		{"elo", two_sides_in_a_team, MATCH_SIDE_DIFFERS, 1},
		{"elo", no_side_in_a_team, MATCH_SIDE_DIFFERS, 3},
		{"elo", no_side_of_a_team, MATCH_SIDE_DIFFERS, -1},
		{"elo", both_on_side_2, MATCH_SIDE_TAKEN, -1},
		{"elo", third_team_on_side_1, MATCH_SIDE_TAKEN, -1},
		{"elo", bad_log_odds, MATCH_BAD_LOG_ODDS, -1},
		{"elo", third_team_with_log_odds, MATCH_LOG_ODDS_NEED_TWO_TEAMS, -1},
		{"elo", bad_gain, MATCH_BAD_GAIN, 1},
		{"elo", bad_squad, MATCH_BAD_SQUAD, 3},
		{"elo", bad_kills, MATCH_BAD_KILLS, 3},
		{"elo", bad_deaths, MATCH_BAD_DEATHS, 3},
		{"elo", bad_quit, MATCH_BAD_QUIT, 3},
		{"elo", bad_experience, MATCH_BAD_EXPERIENCE, 3},
		{"elo", bad_fixed, MATCH_BAD_FIXED, 3},
		{"elo", listed_twice, MATCH_LISTED_TWICE, 1},
		{"elo", self_match, MATCH_SELF_MATCH, 2},
		{"glicko", alone_on_both_teams, MATCH_SELF_MATCH, 0},
		{"hive", bad_state, MATCH_BAD_STATE, -1},
		{"elo", bad_state, MATCH_BAD_STATE, -1},
		{"hive", overflow, MATCH_OVERFLOW, -1},
		{"elo", overflow, MATCH_OVERFLOW, -1},
	};

	int			seen[MATCH_NSTATUSES] = {0};
	Fixture		f;
	int			i;

	(void) state;
	for (i = 0; i < LENGTH(cases); i++)
	{
		MatchStatus status;

		fixture_full(&f, cases[i].model);
		cases[i].edit(&f);
		status = fixture_build(&f);
		if (status == MATCH_OK)
			status = model_rate(f.model, f.params, &f.match);
		assert_status(status, cases[i].status);
		assert_int_equal(f.offender, cases[i].offender);
		seen[status]++;
	}
	assert_every_status(seen);
}

/* Codes are for programs: words of lower case, none of them twice. */
static void
test_codes(void **state)
{
	int			i,
				j;

	(void) state;
	for (i = MATCH_OK; i < MATCH_NSTATUSES; i++)
	{
		const char *code = match_status_code(i);

		assert_non_null(code);
		assert_true(strlen(code) > 3);
		assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz_"), strlen(code));
		for (j = MATCH_OK; j < i; j++)
			assert_string_not_equal(match_status_code(j), code);
	}
	assert_string_equal(match_status_code(MATCH_SELF_MATCH), "self_match");
	assert_string_equal(match_status_code(MATCH_NSTATUSES), "unknown_status");
}

static void
test_messages_and_hints(void **state)
{
	int			i,
				j;

	(void) state;
	for (i = MATCH_OK; i <= MATCH_OVERFLOW; i++)
	{
		const char *message = match_status_message(i);
		const char *hint = match_status_hint(i);

		assert_true(message[0] >= 'a' && message[0] <= 'z');
		assert_true(message[strlen(message) - 1] != '.');
		for (j = MATCH_OK; j < i; j++)
			assert_string_not_equal(match_status_message(j), message);

		/* Mistakes have a hint, and only they. */
		assert_int_equal(hint != NULL, i > MATCH_LAST_UNRATED);
		if (hint != NULL)
		{
			assert_true(hint[0] >= 'A' && hint[0] <= 'Z');
			assert_int_equal(hint[strlen(hint) - 1], '.');
		}
	}
}

/* Scores of players add up to that of their team, whose order they make without a rank. */
static void
test_player_scores(void **state)
{
	static const double score[] = {0.5, 2, 1e300, -1e300};
	Fixture		f;
	int			i;

	(void) state;
	fixture_full(&f, "glicko");
	for (i = 0; i < LENGTH(score); i++)
	{
		f.row[i].rank = f.row[i].score = f.row[i].won = NAN;
		f.row[i].player_score = score[i];
	}
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].score, 2.5);
	assert_same(f.team[1].score, 0);
	assert_same(f.team[0].rank, 1);
	assert_same(f.team[1].rank, 2);
	f.row[3].player_score = 1e300;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[1].score, 2e300);
	assert_same(f.team[1].rank, 1);

	/* With one of them unknown there is no sum, and with a rank that is no matter. */
	f.row[2].player_score = NAN;
	assert_status(fixture_build(&f), MATCH_NO_RESULT);
	assert_true(isnan(f.team[1].score));
	for (i = 0; i < LENGTH(score); i++)
		f.row[i].rank = 2 - f.row[i].team % 2;
	assert_status(fixture_build(&f), MATCH_OK);
	assert_same(f.team[0].score, 2.5);
	assert_true(isnan(f.team[1].score));

	/* A model that knows margins refuses half a sum. */
	fixture_full(&f, "elo");
	f.row[0].player_score = 1;
	for (i = 0; i < LENGTH(score); i++)
		f.row[i].score = NAN;
	assert_status(fixture_build(&f), MATCH_RESULT_DIFFERS);
	assert_int_equal(f.offender, 1);
}

static void
test_value_of_a_status(void **state)
{
	Fixture		f;
	Participant *row = &f.row[0];

	(void) state;
	fixture_full(&f, "hive");
	row->rank = 11;
	row->score = 12;
	row->weight = 13;
	row->left = 14;
	row->commanding = 15;
	row->side = 16;
	f.match.log_odds = 17;
	row->gain = 18;
	assert_same(match_status_value(MATCH_BAD_RANK, row, &f.match), 11);
	assert_same(match_status_value(MATCH_BAD_SCORE, row, &f.match), 12);
	assert_same(match_status_value(MATCH_BAD_WEIGHT, row, &f.match), 13);
	assert_same(match_status_value(MATCH_BAD_STINT, row, &f.match), 14);
	row->joined = -5;
	assert_same(match_status_value(MATCH_BAD_STINT, row, &f.match), -5);
	row->won = 19;
	assert_same(match_status_value(MATCH_BAD_WON, row, &f.match), 19);
	assert_same(match_status_value(MATCH_BAD_COMMANDING, row, &f.match), 15);
	assert_same(match_status_value(MATCH_BAD_SIDE, row, &f.match), 16);
	assert_same(match_status_value(MATCH_BAD_LOG_ODDS, NULL, &f.match), 17);
	assert_same(match_status_value(MATCH_LOG_ODDS_NEED_TWO_TEAMS, NULL,
								   &f.match), 17);
	assert_same(match_status_value(MATCH_BAD_GAIN, row, &f.match), 18);
	assert_true(isnan(match_status_value(MATCH_BAD_RANK, NULL, &f.match)));
	assert_true(isnan(match_status_value(MATCH_ONE_TEAM, row, &f.match)));
	assert_true(isnan(match_status_value(MATCH_SIDE_TAKEN, row, &f.match)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_number),
		cmocka_unit_test(test_numbers_of_the_match),
		cmocka_unit_test(test_every_status),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_messages_and_hints),
		cmocka_unit_test(test_value_of_a_status),
		cmocka_unit_test(test_player_scores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
