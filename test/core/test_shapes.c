/*
 * test_shapes.c
 *		What a match may do under every model, whatever its shape: many teams,
 *		and teams of unequal size.
 */
#include "test.h"

/*
 * The most that one match may change a skill, in changes by the worst of its duels.  It is the
 * more, the less a duel says: under the defaults of state_space, of whose deviations noise is
 * the larger part, a contest of 39 tells as much as five.
 */
#define MOST_DUELS 5.5

/* Skills within so many deviations, or tenths of a unit, of a newcomer's. */
#define SPREAD 2.0

/* The change of skills that a ladder takes for sure, for a model without deviations. */
static double
spread_of(const Fixture *f)
{
	int			deviation = model_state_column(f->model, ROLE_DEVIATION);

	return deviation < 0 ? 2 * model_log_odds_unit(f->model, f->params) :
		SPREAD * f->before[0][deviation];
}

/* A sound state around that of a newcomer, with any share of the deviation. */
static void
random_state(Random *random, Fixture *f, int player, double spread)
{
	int			deviation = model_state_column(f->model, ROLE_DEVIATION);

	f->model->init(f->params, f->before[player]);
	f->before[player][0] = fmax(f->model->state[0].min, f->before[player][0] +
								random_between(random, -spread, spread));
	if (deviation >= 0)
		f->before[player][deviation] *= random_between(random, 0.1, 1);
	f->player[player].games = random_below(random, 100);
}

/*
 * By how much a duel with another moves a player's skill: with the result of their
 * teams, or in the worst case.
 */
static double
change_in_duel(const Fixture *f, int player, int other, int worst)
{
	static Fixture duel;
	int			pair[2] = {player, other};
	double		change;
	int			i;

	fixture_init(&duel, f->model->name);
	memcpy(duel.params, f->params, sizeof(duel.params));
	for (i = 0; i < 2; i++)
	{
		memcpy(duel.before[i], f->before[pair[i]], sizeof(duel.before[i]));
		duel.player[i].games = f->player[pair[i]].games;
		fixture_add(&duel, i, i + 1, f->row[pair[i]].rank);
	}
	fixture_rate(&duel);
	change = fabs(duel.after[0][0] - duel.before[0][0]);
	for (i = 1; i <= 2 && worst; i++)
	{
		duel.row[0].rank = i;
		duel.row[1].rank = 3 - i;
		fixture_rate(&duel);
		change = fmax(change, fabs(duel.after[0][0] - duel.before[0][0]));
	}
	return change;
}

/*
 * How many duels a match was worth to whom it changed most; row i is of player i.  A
 * team may lose by its others, so that only the worst case says something of it.
 */
static double
duels_in_match(Fixture *f, int teams)
{
	double		most = 0;
	int			i,
				j;

	fixture_rate(f);
	for (i = 0; i < f->n; i++)
	{
		double		change = fabs(f->after[i][0] - f->before[i][0]);
		double		worst = 0;

		for (j = 0; j < f->n; j++)
			if (f->row[j].team != f->row[i].team)
				worst = fmax(worst, change_in_duel(f, i, j, teams));
		assert_true(isfinite(change));

		/* Nothing is below rounding. */
		if (change > 1e-9 * (1 + fabs(f->before[i][0])))
			most = fmax(most, change / worst);
	}
	return most;
}

/* Ranks of n teams in any order, with draws now and then. */
static void
random_order(Random *random, int n, unsigned supports, double *rank)
{
	int			draws = (supports & MODEL_DRAWS) && random_below(random, 2);
	int			i;

	for (i = 0; i < n; i++)
	{
		int			other = random_below(random, i + 1);

		rank[i] = rank[other];
		rank[other] = i + 1;
	}
	for (i = 0; i < n && draws; i++)
		rank[i] = 1 + floor(rank[i] / 3);
}

static void
test_free_for_alls(void **state)
{
	Random		random = {170};
	static Fixture f;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		double		most = 0;
		double		spread;

		if (!(model_registry[m]->rules.supports & MODEL_MANY_TEAMS))
			continue;
		fixture_init(&f, model_registry[m]->name);
		spread = spread_of(&f);
		for (round = 0; round < 60; round++)
		{
			int			n = 2 + random_below(&random, 39);
			double		rank[40];

			fixture_clear(&f);
			random_order(&random, n, f.model->rules.supports, rank);
			for (i = 0; i < n; i++)
			{
				random_state(&random, &f, i, spread);
				fixture_add(&f, i, i + 1, rank[i]);
			}
			most = fmax(most, duels_in_match(&f, 0));
		}
		print_message("%s: %.2f\n", f.model->name, most);
		assert_true(most > 0.5);
		assert_true(most <= MOST_DUELS);
	}
}

/* Teams of random sizes, whose players may have played a part only. */
static void
random_teams(Random *random, Fixture *f, double spread)
{
	unsigned	supports = f->model->rules.supports;
	int			nteams = supports & MODEL_MANY_TEAMS ? 2 + random_below(random, 3) : 2;
	double		rank[4];
	int			players = 0;
	int			i,
				j;

	fixture_clear(f);
	random_order(random, nteams, supports, rank);
	for (i = 0; i < nteams; i++)
	{
		int			size = 1 + random_below(random, 12);

		for (j = 0; j < size; j++)
		{
			Participant *row;

			random_state(random, f, players, spread);
			row = fixture_add(f, players++, i + 1, rank[i]);
			if ((supports & MODEL_WEIGHT) && random_below(random, 4) == 0)
				row->weight = random_between(random, 0.1, 1);
		}
	}
}

static void
test_unequal_teams(void **state)
{
	Random		random = {171};
	static Fixture f;
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		double		most = 0;
		double		spread;

		fixture_init(&f, model_registry[m]->name);
		spread = spread_of(&f);
		for (round = 0; round < 60; round++)
		{
			random_teams(&random, &f, spread);
			most = fmax(most, duels_in_match(&f, 1));
		}
		print_message("%s: %.2f\n", f.model->name, most);
		assert_true(most > 0.1);
		assert_true(most <= MOST_DUELS);
	}
}

/*
 * Models whose skills begin at a zero that means something: by that of Hive, which
 * keeps skills positive, an additional player is worth what he can.
 */
static bool
has_absolute_scale(const Model *model)
{
	return strcmp(model->name, "hive") == 0;
}

/* Where skills begin has no part in a prediction, for teams of any size. */
static void
test_origin_does_not_matter(void **state)
{
	Random		random = {172};
	static Fixture f;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		int			initial = param_find(&model->params, "initial_rating");
		double		spread;

		if (has_absolute_scale(model))
			continue;
		fixture_init(&f, model->name);
		spread = spread_of(&f);
		if (initial < 0)
			initial = param_find(&model->params, "initial_mu");
		assert_true(initial >= 0);
		for (round = 0; round < 500; round++)
		{
			double		shift = random_between(&random, -5, 5) * spread;
			double		win[4];
			int			nteams;

			random_teams(&random, &f, spread);
			fixture_rate(&f);
			nteams = f.match.nteams;
			for (i = 0; i < nteams; i++)
				win[i] = f.team[i].win;
			f.params[initial].number += shift;
			fixture_rate(&f);
			for (i = 0; i < nteams; i++)
				assert_near(f.team[i].win, win[i], 1e-12);
			for (i = 0; i < f.n; i++)
				f.before[i][0] += shift;
			fixture_rate(&f);
			f.params[initial].number -= shift;
			for (i = 0; i < nteams; i++)
				assert_near(f.team[i].win, win[i], 1e-10);
		}
	}
}

/* Equals are even, however many of them play for which team. */
static void
test_number_of_equals_does_not_matter(void **state)
{
	static Fixture f;
	int			m,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		if (has_absolute_scale(model_registry[m]))
			continue;
		fixture_init(&f, model_registry[m]->name);
		for (i = 0; i < 45; i++)
			fixture_add(&f, i, 1 + i / 23, 1 + i / 23);
		fixture_rate(&f);
		assert_near(f.team[0].win, 0.5, 1e-14);
		assert_near(f.team[1].win, 0.5, 1e-14);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_for_alls),
		cmocka_unit_test(test_unequal_teams),
		cmocka_unit_test(test_origin_does_not_matter),
		cmocka_unit_test(test_number_of_equals_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
