/*
 * test_eligibility.c
 *		Rules of eligibility: newcomers at their limit, and opponents against all pairs.
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
	int			n;
} Box;

/* Players 0, 1, ..., one row each: so many on team 1, and so many on team 2, which wins. */
static void
fill_box(Box *box, int first, int second)
{
	int			i;

	box->n = first + second;
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

static void
test_newcomers(void **state)
{
	static const double games[4] = {0, 9, 10, 20};
	ParamValue	rules[ELIGIBILITY_NRULES];
	double		value;
	Box			box;

	(void) state;
	fill_box(&box, 2, 2);
	param_defaults(&eligibility_params, rules);
	assert_int_equal(build_box(&box), MATCH_OK);
	assert_false(eligibility_limits_newcomers(rules) || eligibility_limits_repeats(rules));
	assert_int_equal(eligibility_judge_newcomers(rules, &box.match, games, &value), MATCH_OK);
	assert_true(isnan(value));
	rules[ELIGIBILITY_MAX_NEWCOMER_SHARE].number = 0.5;
	assert_true(eligibility_limits_newcomers(rules));
	assert_int_equal(eligibility_judge_newcomers(rules, &box.match, games, &value), MATCH_OK);
	assert_true(value == 0.5);
	rules[ELIGIBILITY_NEWCOMER_GAMES].number = 11;
	assert_int_equal(eligibility_judge_newcomers(rules, &box.match, games, &value),
					 MATCH_TOO_MANY_NEWCOMERS);
	assert_true(value == 0.75);
	box.participant[0].experience = 11;
	assert_int_equal(build_box(&box), MATCH_OK);
	assert_int_equal(eligibility_judge_newcomers(rules, &box.match, games, &value), MATCH_OK);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newcomers),
		cmocka_unit_test(test_opponents)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
