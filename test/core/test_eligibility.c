/*
 * test_eligibility.c
 *		Rules of eligibility: each by itself at its limit, and opponents against all pairs.
 */
#include "test.h"

#include "core/models/registry.h"
#include "core/rating/eligibility.h"

#define MAX_ROWS 12

/* A match with room of its own. */
typedef struct Box
{
	Participant participant[MAX_ROWS];
	MatchTeam	team[MAX_ROWS];
	MatchPlayer player[MAX_ROWS];
	MatchEntry	entry[MAX_ROWS];
	Match		match;
	MatchFacts	facts;
	int			n;
} Box;

/* Players 0, 1, ..., one row each: so many on team 1, and so many on team 2, which wins. */
static void
fill_box(Box *box, int first, int second)
{
	int			i;

	box->n = first + second;
	box->facts.duration = box->facts.surrendered = NAN;
	for (i = 0; i < box->n; i++)
	{
		box->participant[i] = participant_default;
		box->participant[i].player = i;
		box->participant[i].team = i < first ? 1 : 2;
		box->participant[i].rank = i < first ? 2 : 1;
	}
}

static MatchStatus
build_box(Box *box)
{
	const Model *model = model_find("elo");
	ParamValue	params[64];
	int			offender;

	param_defaults(&model->params, params);
	box->match.team = box->team;
	box->match.player = box->player;
	box->match.entry = box->entry;
	box->match.component = NULL;
	box->match.log_odds = 0;
	box->match.nplayers = box->n;
	return match_build(&model->rules, params, box->participant, box->n, &box->match,
					   &offender);
}

/* The status of a match under one rule. */
static MatchStatus
judge(Box *box, EligibilityRule rule, double value)
{
	Eligibility rules;
	double		number;

	eligibility_defaults(&rules);
	rules.value[rule] = value;
	assert_true(eligibility_in_force(&rules, rule));
	assert_int_equal(build_box(box), MATCH_OK);
	return eligibility_judge(&rules, &box->facts, box->participant, box->n, &box->match,
							 &number);
}

static void
test_duration(void **state)
{
	Box			box;

	(void) state;
	fill_box(&box, 1, 1);
	/* What is not known breaks no rule. */
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_DURATION, 60), MATCH_OK);
	box.facts.duration = 60;
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_DURATION, 60), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_DURATION, 60.5), MATCH_TOO_SHORT);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_SURRENDER_TIME, 60.5), MATCH_OK);
	box.facts.surrendered = 1;
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_SURRENDER_TIME, 60.5),
					 MATCH_EARLY_SURRENDER);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_SURRENDER_TIME, 60), MATCH_OK);

	/* Without a duration it ends when the last one leaves. */
	box.facts.duration = NAN;
	box.participant[0].joined = 0;
	box.participant[0].left = 30;
	box.participant[1].joined = 5;
	box.participant[1].left = 45;
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_DURATION, 45), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_DURATION, 46), MATCH_TOO_SHORT);
}

static void
test_sizes(void **state)
{
	Box			box;

	(void) state;
	fill_box(&box, 2, 4);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_TEAM_SIZE, 2), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_TEAM_SIZE, 3), MATCH_TEAM_TOO_SMALL);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_TEAM_SIZE, 4), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_TEAM_SIZE, 3), MATCH_TEAM_TOO_LARGE);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_SIZE_DIFFERENCE, 2), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_SIZE_DIFFERENCE, 1), MATCH_UNEVEN_TEAMS);

	/* Two rows of one player are one player. */
	box.participant[1].player = 0;
	box.participant[0].weight = box.participant[1].weight = 0.5;
	box.participant[5].player = 1;
	assert_int_equal(judge(&box, ELIGIBILITY_MIN_TEAM_SIZE, 2), MATCH_TEAM_TOO_SMALL);
}

static void
test_bots(void **state)
{
	Box			box;

	(void) state;
	fill_box(&box, 2, 2);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_BOT_SHARE, 0), MATCH_OK);
	box.participant[3].bot = 1;
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_BOT_SHARE, 0), MATCH_TOO_MANY_BOTS);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_BOT_SHARE, 0.25), MATCH_OK);
	assert_int_equal(judge(&box, ELIGIBILITY_MAX_BOT_SHARE, 0.24), MATCH_TOO_MANY_BOTS);
	box.participant[3].bot = 2;
	assert_int_equal(build_box(&box), MATCH_BAD_BOT);
}

/* How many rows a rule leaves out. */
static int
leave_out(Box *box, EligibilityRule rule, double value, MatchStatus *left_out,
		  MatchStatus *status)
{
	Eligibility rules;
	int			account[MAX_ROWS];
	int			i;

	eligibility_defaults(&rules);
	rules.value[rule] = value;
	assert_int_equal(eligibility_leaves_out(&rules), true);
	for (i = 0; i < box->n; i++)
		account[i] = box->participant[i].player;
	return eligibility_leave_out(&rules, &box->facts, box->participant, box->n, account,
								 box->n, left_out, status);
}

static void
test_play(void **state)
{
	Box			box;
	MatchStatus out[MAX_ROWS];
	MatchStatus status;
	int			i;

	(void) state;
	fill_box(&box, 2, 2);
	box.facts.duration = 100;
	assert_int_equal(leave_out(&box, ELIGIBILITY_MIN_PLAY_TIME, 100, out, &status), 0);
	assert_int_equal(status, MATCH_OK);
	box.participant[1].weight = 0.3;
	box.participant[2].joined = 10;
	box.participant[2].left = 50;
	box.participant[3].weight = 0;

	/* 100, 30, 40 and no seconds. */
	assert_int_equal(leave_out(&box, ELIGIBILITY_MIN_PLAY_TIME, 40, out, &status), 2);
	assert_int_equal(status, MATCH_TOO_LITTLE_PLAY);
	assert_true(!out[0] && out[1] && !out[2] && out[3]);
	assert_int_equal(leave_out(&box, ELIGIBILITY_MIN_PLAY_SHARE, 0.41, out, &status), 3);
	assert_int_equal(leave_out(&box, ELIGIBILITY_NO_SHOW, NO_SHOW_LEFT_OUT, out, &status), 1);
	assert_int_equal(status, MATCH_NO_SHOW);
	assert_true(out[3]);
	assert_int_equal(judge(&box, ELIGIBILITY_NO_SHOW, NO_SHOW_UNRATED), MATCH_NO_SHOW);

	/* The rows of an account add up. */
	box.participant[2].player = 3;
	assert_int_equal(leave_out(&box, ELIGIBILITY_MIN_PLAY_TIME, 40, out, &status), 1);
	assert_true(out[1]);

	/*
	 * In whatever order of stints: some of these sums are below 1 by
	 * rounding.
	 */
	for (i = 0; i < 6; i++)
	{
		static const double share[6][3] = {{0.7, 0.2, 0.1}, {0.7, 0.1, 0.2}, {0.2, 0.7, 0.1},
		{0.2, 0.1, 0.7}, {0.1, 0.7, 0.2}, {0.1, 0.2, 0.7}};
		Box			whole;
		int			row;

		fill_box(&whole, 3, 1);
		for (row = 0; row < 3; row++)
		{
			whole.participant[row].player = 0;
			whole.participant[row].weight = share[i][row];
		}
		assert_int_equal(leave_out(&whole, ELIGIBILITY_MIN_PLAY_SHARE, 1, out, &status), 0);
	}

	/* Seconds of a match whose length nobody knows. */
	box.facts.duration = NAN;
	box.participant[2].joined = box.participant[2].left = NAN;
	assert_int_equal(leave_out(&box, ELIGIBILITY_MIN_PLAY_TIME, 40, out, &status), 0);
}

static void
test_newcomers(void **state)
{
	static const double games[4] = {0, 9, 10, 20};
	Eligibility rules;
	double		value;
	Box			box;

	(void) state;
	fill_box(&box, 2, 2);
	eligibility_defaults(&rules);
	assert_int_equal(eligibility_needs_players(&rules), false);
	rules.value[ELIGIBILITY_MAX_NEWCOMER_SHARE] = 0.5;
	assert_int_equal(eligibility_needs_players(&rules), true);
	assert_int_equal(build_box(&box), MATCH_OK);
	assert_int_equal(eligibility_judge_newcomers(&rules, &box.match, games, &value), MATCH_OK);
	assert_true(value == 0.5);
	rules.value[ELIGIBILITY_NEWCOMER_GAMES] = 11;
	assert_int_equal(eligibility_judge_newcomers(&rules, &box.match, games, &value),
					 MATCH_TOO_MANY_NEWCOMERS);
	assert_true(value == 0.75);
	box.participant[0].experience = 11;
	assert_int_equal(build_box(&box), MATCH_OK);
	assert_int_equal(eligibility_judge_newcomers(&rules, &box.match, games, &value), MATCH_OK);
}

/* Whether no pair of opponents was on one team. */
static bool
opponents_by_pairs(const TeamsOfPlayer *player, int n)
{
	int			i,
				j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (player[i].now != player[j].now && player[i].before == player[j].before)
				return false;
	return true;
}

static void
test_opponents(void **state)
{
	unsigned	seed = 7;
	int			met = 0;
	int			round;

	(void) state;
	for (round = 0; round < 20000; round++)
	{
		TeamsOfPlayer player[6];
		int			n = 1 + round % 6;
		bool		expected;
		int			i;

		for (i = 0; i < n; i++)
		{
			seed = seed * 1664525 + 1013904223;
			player[i].before = (int) (seed >> 16) % 4;
			player[i].now = (int) (seed >> 24) % 3;
		}
		expected = opponents_by_pairs(player, n);
		met += expected;
		assert_int_equal(eligibility_same_opponents(player, n), expected);
	}
	assert_true(met > 2000 && met < 18000);
}

static void
test_facts(void **state)
{
	MatchFacts	facts = {NAN, NAN};
	double		value;

	(void) state;
	assert_int_equal(match_facts_check(&facts, &value), MATCH_OK);
	facts.duration = -1;
	assert_int_equal(match_facts_check(&facts, &value), MATCH_BAD_DURATION);
	assert_true(value == -1);
	facts.duration = INFINITY;
	assert_int_equal(match_facts_check(&facts, &value), MATCH_BAD_DURATION);
	facts.duration = 0;
	facts.surrendered = 0.5;
	assert_int_equal(match_facts_check(&facts, &value), MATCH_BAD_SURRENDERED);
	facts.surrendered = 1;
	assert_int_equal(match_facts_check(&facts, &value), MATCH_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_bots),
		cmocka_unit_test(test_play),
		cmocka_unit_test(test_newcomers),
		cmocka_unit_test(test_opponents),
		cmocka_unit_test(test_facts)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
