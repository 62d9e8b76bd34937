/*
 * test_match_order.c
 *		Results do not depend on who the players are.
 */
#include "random_match.h"

#include "core/rating/match_order.h"

/* Counts and quits count, which by default they do not. */
static void
count_everything(Fixture *f)
{
	static const struct
	{
		const char *name;
		double		value;
	}			param[] = {
		{"kill_self", 1}, {"kill_opponent", -1}, {"kill_variance", 4},
		{"death_self", -1}, {"death_opponent", 1}, {"death_variance", 4},
		{"quit_related", 0.5}, {"initial_base_sigma", 1}
	};
	int			i;

	for (i = 0; i < 8; i++)
		fixture_param(f, param[i].name)->number = param[i].value;
}

/* Make players, now and then, the equals of team mates, in their rows and states. */
static void
add_twins(Random *random, Fixture *f)
{
	int			i;

	for (i = 1; i < f->n; i++)
	{
		Participant *row = &f->row[i];
		const Participant *other = &f->row[random_below(random, i)];
		int			player = row->player;

		if (row->team != other->team || random_below(random, 2))
			continue;
		*row = *other;
		row->player = player;
		memcpy(f->before[player], f->before[other->player], sizeof(f->before[0]));
		f->player[player].games = f->player[other->player].games;

		/* Twins may differ in their components, or not. */
		if (random_below(random, 2))
			f->name[player] = f->name[other->player];
	}
}

/* The players in another order: *to is *from, with player i as to[i]. */
static void
rename_players(Random *random, const Fixture *from, Fixture *to, int *name)
{
	int			i,
				j;

	memcpy(to, from, sizeof(Fixture));
	to->match.team = to->team;
	to->match.player = to->player;
	to->match.entry = to->entry;
	to->match.component = to->component;
	to->match.share = to->share;
	for (i = 0; i < from->match.nplayers; i++)
	{
		j = random_below(random, i + 1);
		name[i] = name[j];
		name[j] = i;
	}
	for (i = 0; i < from->match.nplayers; i++)
	{
		memcpy(to->before[name[i]], from->before[i], sizeof(from->before[0]));
		to->player[name[i]].games = from->player[i].games;
		to->name[name[i]] = from->name[i];
		to->player[i].before = to->before[i];
		to->player[i].after = to->after[i];
	}

	/* By team and new name; the stints of one player stay in their order. */
	for (i = 0; i < from->n; i++)
	{
		Participant row = from->row[i];

		row.player = name[row.player];
		for (j = i; j > 0 && (to->row[j - 1].team > row.team ||
							  (to->row[j - 1].team == row.team &&
							   to->row[j - 1].player > row.player)); j--)
			to->row[j] = to->row[j - 1];
		to->row[j] = row;
	}
}

/* The component of a match with that kind, player and key, which must exist. */
static int
find_component(const Fixture *f, int number, int player, int key)
{
	int			i;

	for (i = 0; i < f->match.ncomponents; i++)
		if (f->component[i].number == number && f->component[i].player == player &&
			f->component[i].key == key)
			return i;
	fail_msg("no component %d of player %d and key %d", number, player, key);
	return -1;
}

/* Each component learns the same to the last bit, wherever it is in the match. */
static void
check_components(const Fixture *f, const Fixture *renamed, const int *name)
{
	int			i,
				j;

	assert_int_equal(renamed->match.ncomponents, f->match.ncomponents);
	for (i = 0; i < f->match.ncomponents; i++)
	{
		const MatchComponent *c = &f->component[i];
		int			other = find_component(renamed, c->number,
										   c->player < 0 ? -1 : name[c->player], c->key);

		for (j = 0; j < c->spec->nstate; j++)
		{
			assert_same(renamed->component[other].before[j], c->before[j]);
			assert_same(renamed->component[other].after[j], c->after[j]);
		}
	}
}

/* Who a player is changes nothing, not even the last bit. */
static void
test_identifiers_do_not_matter(void **state)
{
	static Fixture f;
	static Fixture renamed;
	Random		random = {48};
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 5000; round++)
		{
			int			name[TEST_MAX_ROWS];

			random_params(&random, &f, ORDINARY);
			if (f.model->rules.supports & MODEL_COUNTS)
				count_everything(&f);
			random_match(&random, &f, ORDINARY);
			add_twins(&random, &f);
			fixture_share_out(f.row, f.n);
			rename_players(&random, &f, &renamed, name);
			fixture_rate(&f);
			fixture_rate(&renamed);
			for (i = 0; i < f.match.nteams; i++)
				assert_same(renamed.team[i].win, f.team[i].win);
			for (i = 0; i < f.match.nplayers; i++)
			{
				for (j = 0; j < f.model->nstate; j++)
					assert_same(renamed.after[name[i]][j], f.after[i][j]);
				assert_same(renamed.player[name[i]].gradient, f.player[i].gradient);
				assert_int_equal(renamed.player[name[i]].team, f.player[i].team);
			}
			check_components(&f, &renamed, name);
		}
	}
}

/* The order is that of the states, and players and entries come back from it. */
static void
test_order_and_back(void **state)
{
	static const double rating[] = {3, -1, NAN, 2, -0.0, 0.0, 2};
	Fixture		f;
	int			i;

	(void) state;
	fixture_init(&f, "elo");
	for (i = 0; i < 7; i++)
	{
		fixture_add(&f, i, 1 + i / 2, 1 + i / 2);
		f.before[i][0] = rating[i];
	}
	f.row[2].team = f.row[3].team = 1;
	f.row[2].rank = f.row[3].rank = 1;
	f.row[2].weight = 0.5;
	fixture_add(&f, 2, 4, 4)->weight = 0.5;
	assert_status(fixture_build(&f), MATCH_OK);
	match_order(&f.match, 1);
	for (i = 0; i < 7; i++)
	{
		static const int order[] = {1, 3, 0, 2, 4, 5, 6};

		assert_int_equal(f.player[i].place, order[i]);
		assert_ptr_equal(f.player[i].before, f.before[order[i]]);
	}
	for (i = 1; i < f.match.nentries; i++)
		assert_true(f.entry[i - 1].team < f.entry[i].team ||
					(f.entry[i - 1].team == f.entry[i].team &&
					 f.entry[i - 1].player < f.entry[i].player));

	/* The player with two parts. */
	assert_int_equal(f.entry[f.player[3].last_entry].team, 2);
	assert_int_equal(f.entry[f.entry[f.player[3].last_entry].previous].team, 0);
	match_restore_order(&f.match);
	for (i = 0; i < 7; i++)
		assert_ptr_equal(f.player[i].before, f.before[i]);
	for (i = 0; i < f.match.nentries; i++)
		assert_true(f.entry[f.player[f.entry[i].player].last_entry].player ==
					f.entry[i].player);
}

/* Thousands of players are in order as well. */
static void
test_order_of_many(void **state)
{
	enum
	{
		n = MATCH_MAX_PARTICIPANTS
	};
	static Participant row[n];
	static MatchTeam team[n];
	static MatchPlayer player[n];
	static MatchEntry entry[n];
	static double before[n];
	const Model *model = model_find("elo");
	ParamValue	params[TEST_MAX_PARAMS];
	Match		match = {.team = team,.player = player,.entry = entry,.nplayers = n};
	Random		random = {49};
	int			offender;
	int			i;

	(void) state;
	param_defaults(&model->params, params);
	for (i = 0; i < n; i++)
	{
		row[i] = participant_default;
		row[i].player = i;
		row[i].team = row[i].rank = i < n / 2 ? 1 : 2;
		before[i] = random_below(&random, n);
		player[i].before = &before[i];
		player[i].games = 0;
	}
	assert_status(match_build(&model->rules, params, row, n, &match, &offender), MATCH_OK);
	match_order(&match, 1);
	for (i = 1; i < n; i++)
	{
		assert_true(player[i - 1].team < player[i].team ||
					(player[i - 1].team == player[i].team &&
					 player[i - 1].before[0] <= player[i].before[0]));
		assert_int_equal(entry[i].player, i);
	}
	match_restore_order(&match);
	for (i = 0; i < n; i++)
		assert_ptr_equal(player[i].before, &before[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identifiers_do_not_matter),
		cmocka_unit_test(test_order_and_back),
		cmocka_unit_test(test_order_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
