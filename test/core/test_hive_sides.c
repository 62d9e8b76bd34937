/*
 * test_hive_sides.c
 *		What sides and contexts are worth under Hive's model.
 */
#include "hive_matches.h"

#include "core/math/logistic.h"
#include "core/models/hive.h"

/* Nothing is learned about sides, nor from them, where sides do not differ. */
static void
test_no_side_leaves_offsets_alone(void **state)
{
	Random		random = {24};
	Fixture		f;
	int			round,
				i;

	(void) state;
	fixture_init(&f, "hive");
	for (round = 0; round < 1000; round++)
	{
		double		p;

		random_states(&random, &f, 4);
		random_match(&random, &f, 4, 0);
		fixture_rate(&f);
		p = f.team[0].win;
		for (i = 0; i < 4; i++)
		{
			assert_same(f.after[i][HIVE_SIDE_OFFSET],
						f.before[i][HIVE_SIDE_OFFSET]);
			f.before[i][HIVE_SIDE_OFFSET] = 0;
		}
		fixture_rate(&f);
		assert_same(f.team[0].win, p);
	}
}

/* The offset is added on side 1 and subtracted on side 2. */
static void
test_offset_goes_by_side(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "hive");
	f.before[0][HIVE_SKILL] = f.before[1][HIVE_SKILL] = 3;
	f.before[0][HIVE_SIDE_OFFSET] = 1;
	fixture_add(&f, 0, 1, 1);
	fixture_add(&f, 1, 2, 2);
	for (i = 0; i < 2; i++)
	{
		f.row[0].side = 1 + i;
		f.row[1].side = 2 - i;
		fixture_rate(&f);
		/* (3 + 1 - 3) / 2 on side 1, (3 - 1 - 3) / 2 on side 2. */
		assert_near(f.team[0].win, logistic(i == 0 ? 0.5 : -0.5), 1e-15);
		/* And who wins on side 2 is worse on side 1 than thought. */
		assert_near(f.after[0][HIVE_SIDE_OFFSET],
					1 + 0.5 * 0.5 * (1 - f.team[0].win) * (i == 0 ? 1 : -1),
					1e-15);
		/* The loser's offset moves alike: on the other side, and lost. */
		assert_near(f.after[1][HIVE_SIDE_OFFSET],
					f.after[0][HIVE_SIDE_OFFSET] - 1, 1e-15);
	}
}

/*
 * Without the part of AdaGrad a match moves the skill on the side that was played, by
 * twice the constant rate, and leaves the one on the other side alone.
 */
static void
test_other_side_stays(void **state)
{
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "a")->number = 0;
	fixture_param(&f, "c")->number = 0.25;
	fixture_add(&f, 0, 1, 1)->side = 1;
	fixture_add(&f, 1, 2, 2)->side = 2;
	f.before[0][HIVE_SKILL] = 3;
	f.before[0][HIVE_SIDE_OFFSET] = 0.5;
	f.before[1][HIVE_SKILL] = 4;
	fixture_rate(&f);
	for (i = 0; i < 2; i++)
	{
		double		sign = i == 0 ? 1 : -1;
		double		change = f.after[i][HIVE_SKILL] - f.before[i][HIVE_SKILL];
		double		offset = f.after[i][HIVE_SIDE_OFFSET] - f.before[i][HIVE_SIDE_OFFSET];

		assert_near(change + sign * offset, sign * 2 * 0.25 * 0.5 * (1 - f.team[0].win), 1e-15);
		assert_near(change - sign * offset, 0, 1e-15);
	}
}

/* Which team is called 1 and which 2 matters only where there are no sides. */
static void
test_numbers_of_teams_do_not_matter(void **state)
{
	Random		random = {25};
	Fixture		f;
	Fixture		swapped;
	int			round,
				team,
				i,
				j;

	(void) state;
	fixture_init(&f, "hive");
	fixture_init(&swapped, "hive");
	for (round = 0; round < 2000; round++)
	{
		random_states(&random, &f, 5);
		random_match(&random, &f, 5, 1);
		fixture_rate(&f);

		memcpy(swapped.before, f.before, sizeof(f.before));
		fixture_clear(&swapped);
		for (team = 2; team >= 1; team--)
			for (i = 0; i < f.n; i++)
				if (f.row[i].team == team)
				{
					Participant *row = fixture_add(&swapped, f.row[i].player,
												   3 - team, f.row[i].rank);

					*row = f.row[i];
					row->team = 3 - team;
				}
		swapped.match.nplayers = f.match.nplayers;
		swapped.match.log_odds = f.match.log_odds;
		fixture_rate(&swapped);

		assert_near(swapped.team[1].win, f.team[0].win, 1e-14);
		assert_near(swapped.team[0].win, f.team[1].win, 1e-14);
		for (i = 0; i < 5; i++)
			for (j = 0; j < HIVE_NSTATE; j++)
				assert_near(swapped.after[i][j], f.after[i][j], 1e-13);
	}
}

/* Without sides, the same match seen from the other team. */
static void
test_teams_without_sides_are_symmetric(void **state)
{
	Random		random = {26};
	Fixture		f;
	int			round,
				i,
				j;

	(void) state;
	fixture_init(&f, "hive");
	for (round = 0; round < 1000; round++)
	{
		double		after[2][HIVE_NSTATE];
		double		p;

		random_states(&random, &f, 2);
		fixture_clear(&f);
		fixture_add(&f, 0, 1, 1)->commanding = 0.25;
		fixture_add(&f, 1, 2, 2)->commanding = 0.125;
		f.match.log_odds = 0.5;
		fixture_rate(&f);
		p = f.team[0].win;
		memcpy(after[0], f.after[0], sizeof(after[0]));
		memcpy(after[1], f.after[1], sizeof(after[1]));

		fixture_clear(&f);
		fixture_add(&f, 1, 1, 2)->commanding = 0.125;
		fixture_add(&f, 0, 2, 1)->commanding = 0.25;
		f.match.log_odds = -0.5;
		fixture_rate(&f);
		assert_near(f.team[1].win, p, 1e-15);
		for (i = 0; i < 2; i++)
			for (j = 0; j < HIVE_NSTATE; j++)
				assert_near(f.after[i][j], after[i][j], 1e-14);
	}
}

/* A match of four, of which one plays elsewhere, with contexts 0 and 1, on sides or not. */
static void
match_in_contexts(Fixture *f, double outcome, bool sided, bool turned)
{
	int			i;

	fixture_clear(f);
	for (i = 0; i < 4; i++)
	{
		int			player = turned ? (i + 2) % 4 : i;
		int			side = 1 + player / 2;
		double		rank = outcome == 0.5 ? 1 : 1 + ((side == 1) != (outcome == 1));
		Participant *row = fixture_add(f, player, 1 + i / 2, rank);

		if (sided)
			row->side = side;
		row->context = player == 3;
		f->before[player][HIVE_SKILL] = 4 + 0.25 * player;
	}
}

/* The log posterior of a context's log-odds, of a share of the match; the others stay. */
static double
log_posterior(double log_odds, double prior, double deviation, double share, double offset,
			  double outcome)
{
	double		x = offset + share * log_odds;
	double		z = (log_odds - prior) / deviation;

	return -z * z / 2 + outcome * log(1 / (1 + exp(-x))) +
		(1 - outcome) * log(1 / (1 + exp(x)));
}

/* Each context takes Newton's step to the maximum of its posterior, given all else. */
static void
test_context_takes_a_step_of_newton(void **state)
{
	static const double outcomes[] = {0, 0.5, 1};
	static const double share[] = {0.75, 0.25};
	const double h = 1e-4;
	Fixture		f;
	int			i,
				j;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "context_deviation")->number = 0.8;
	f.component_seed = 7;
	for (i = 0; i < 3; i++)
	{
		match_in_contexts(&f, outcomes[i], true, false);
		fixture_rate(&f);
		assert_int_equal(f.match.ncomponents, 2);
		for (j = 0; j < 2; j++)
		{
			const MatchComponent *component = &f.match.component[j];
			double		m = component->before[0];
			double		d = component->before[1];
			double		w = share[component->key];
			double		offset = log(f.team[0].win / f.team[1].win) - w * m;
			double		below = log_posterior(m - h, m, d, w, offset, outcomes[i]);
			double		at = log_posterior(m, m, d, w, offset, outcomes[i]);
			double		above = log_posterior(m + h, m, d, w, offset, outcomes[i]);
			double		slope = (above - below) / (2 * h);
			double		curvature = (above - 2 * at + below) / (h * h);

			assert_near(component->after[0], m - slope / curvature, 1e-6);
			assert_near(component->after[1], 1 / sqrt(-curvature), 1e-6);
			assert_true(component->after[1] < d);
		}
	}
}

/*
 * By a gain, the log-odds take that part of the step, and the factor on the deviation is raised
 * to its power.  That of a match is the mean of its players', by all of their play.
 */
static void
test_context_by_gain(void **state)
{
	static const double gain[] = {2, 0.5, 0, 1};
	static const double weight[] = {1, 0.5, 0.25, 1};
	Fixture		f;
	double		full[2][2];
	double		mean = (2 * 1 + 0.5 * 0.5 + 0 * 0.25 + 1 * 1) / (1 + 0.5 + 0.25 + 1);
	int			i,
				j;

	(void) state;
	fixture_init(&f, "hive");
	fixture_add(&f, 0, 1, 1)->side = 1;
	fixture_add(&f, 1, 2, 2)->side = 2;
	f.row[0].context = f.row[1].context = 0;
	fixture_gain(&f, 0.5);
	fixture_rate(&f);
	assert_near(f.match.component[0].after[1], 0.5 * pow(1 + 0.25 * 0.25, -0.25), 1e-14);
	assert_near(f.match.component[0].after[0], 0.5 * 0.5 / (4 + 0.25), 1e-14);

	f.component_seed = 7;
	match_in_contexts(&f, 1, true, false);
	for (i = 0; i < 4; i++)
	{
		f.row[i].weight = weight[i];
		if (i == 2)
			f.row[i].commanding = 0.5;
	}
	fixture_rate(&f);
	for (j = 0; j < 2; j++)
		memcpy(full[j], f.match.component[j].after, sizeof(full[j]));
	for (i = 0; i < 4; i++)
		f.row[i].gain = gain[i];
	fixture_rate(&f);
	for (j = 0; j < 2; j++)
	{
		const MatchComponent *component = &f.match.component[j];
		double		m = component->before[0];
		double		d = component->before[1];

		assert_near(component->after[0], m + mean * (full[j][0] - m), 1e-13);
		assert_near(component->after[1], d * pow(full[j][1] / d, mean), 1e-13);
	}
}

/* A context is worth something to a side, whatever the number of its team, and to no other. */
static void
test_context_favours_a_side(void **state)
{
	Fixture		f;
	double		win;

	(void) state;
	fixture_init(&f, "hive");
	fixture_param(&f, "context_deviation")->number = 0;
	match_in_contexts(&f, 1, true, false);
	fixture_rate(&f);
	assert_int_equal(f.match.ncomponents, 0);
	win = f.team[0].win;

	fixture_param(&f, "context_deviation")->number = 0.8;
	f.component_seed = 7;
	match_in_contexts(&f, 1, true, false);
	fixture_rate(&f);
	assert_true(f.team[0].win != win);
	win = f.team[0].win;
	match_in_contexts(&f, 1, true, true);
	fixture_rate(&f);
	assert_same(f.team[1].win, win);
	match_in_contexts(&f, 1, false, false);
	fixture_rate(&f);
	assert_int_equal(f.match.ncomponents, 0);

	/* A match of no gain teaches nothing. */
	match_in_contexts(&f, 1, true, false);
	fixture_gain(&f, 0);
	fixture_rate(&f);
	assert_same(f.match.component[0].after[0], f.match.component[0].before[0]);
	assert_same(f.match.component[0].after[1], f.match.component[0].before[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_side_leaves_offsets_alone),
		cmocka_unit_test(test_offset_goes_by_side),
		cmocka_unit_test(test_other_side_stays),
		cmocka_unit_test(test_numbers_of_teams_do_not_matter),
		cmocka_unit_test(test_teams_without_sides_are_symmetric),
		cmocka_unit_test(test_context_takes_a_step_of_newton),
		cmocka_unit_test(test_context_by_gain),
		cmocka_unit_test(test_context_favours_a_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
