/*
 * test_component.c
 *		The components of a match: which there are, how much of each is where, in what order,
 *		and what holds for those of every model.
 */
#include "random_match.h"

#include "core/rating/match_order.h"

/* The kinds of a model that has everything, each used if its parameter is above 0. */
enum
{
	OF_MATCH,
	OF_SIDE,
	OF_TEAM,
	OF_PLAYER,
	NKINDS
};

static const ParamSpec rule_params[NKINDS] = {
	{.name = "match",.type = PARAM_NUMBER,.default_value = 1,.max = 1},
	{.name = "side",.type = PARAM_NUMBER,.default_value = 1,.max = 1},
	{.name = "team",.type = PARAM_NUMBER,.default_value = 1,.max = 1},
	{.name = "player",.type = PARAM_NUMBER,.default_value = 1,.max = 1},
};

static const StateSpec rule_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "mean"},
	{.name = "sigma",.min = 0.5,.role = ROLE_DEVIATION,.description = "deviation"},
};

#define USED(kind, param) \
static bool \
kind##_used(const ParamValue *params) \
{ \
	return params[param].number > 0; \
}

USED(match, OF_MATCH)
USED(side, OF_SIDE)
USED(team, OF_TEAM)
USED(player, OF_PLAYER)

static void
rule_init(const ParamValue *params, double *state)
{
	(void) params;
	state[0] = 0;
	state[1] = 1;
}

#define KIND(kind_name, kind_scope, kind_key) \
	{.name = #kind_name,.description = #kind_name,.scope = (kind_scope), \
	.key = (kind_key),.state = rule_state,.nstate = 2,.used = kind_name##_used, \
	.init = rule_init}

static const ComponentSpec kinds[NKINDS] = {
	[OF_MATCH] = KIND(match, COMPONENT_OF_MATCH, COMPONENT_BY_CONTEXT),
	[OF_SIDE] = KIND(side, COMPONENT_OF_SIDE, COMPONENT_BY_NOTHING),
	[OF_TEAM] = KIND(team, COMPONENT_OF_TEAM, COMPONENT_BY_CLUB),
	[OF_PLAYER] = KIND(player, COMPONENT_OF_PLAYER, COMPONENT_BY_CONTEXT),
};

static const MatchRules rules = {
	.supports = MODEL_MANY_TEAMS | MODEL_WEIGHT | MODEL_SIDE | MODEL_COMMANDING,
	.component = kinds,.ncomponents = NKINDS
};

/* A match in the making, under the rules above. */
typedef struct Box
{
	ParamValue	params[NKINDS];
	Participant row[8];
	int			n;
	MatchTeam	team[8];
	MatchPlayer player[8];
	MatchEntry	entry[8];
	MatchComponent component[8 * NKINDS];
	MatchShare	share[8 * NKINDS];
	double		before[8 * NKINDS][2];
	double		player_before[8];
	Match		match;
} Box;

static void
box_init(Box *box)
{
	const ParamSet set = PARAM_SET("model", "test", rule_params, NKINDS);

	memset(box, 0, sizeof(*box));
	param_defaults(&set, box->params);
	box->match.team = box->team;
	box->match.player = box->player;
	box->match.entry = box->entry;
	box->match.component = box->component;
	box->match.share = box->share;
}

static Participant *
box_add(Box *box, int player, int team, double weight, int context, int club)
{
	Participant *row = &box->row[box->n++];

	*row = participant_default;
	row->player = player;
	row->team = row->rank = team;
	row->weight = weight;
	row->context = context;
	row->club = club;
	if (player >= box->match.nplayers)
		box->match.nplayers = player + 1;
	return row;
}

/* All components new, and all players alike. */
static void
box_build(Box *box)
{
	int			offender;
	int			i;

	assert_status(match_build(&rules, box->params, box->row, box->n, &box->match,
							  &offender), MATCH_OK);
	for (i = 0; i < box->match.nplayers; i++)
		box->player[i].before = &box->player_before[i];
	for (i = 0; i < box->match.ncomponents; i++)
	{
		rule_init(box->params, box->before[i]);
		box->component[i].before = box->before[i];
	}
}

/* The weight of a component in a team (-1: in the match), NAN if it has no share there. */
static double
weight_of(const Box *box, int kind, int player, int key, int team)
{
	int			i;

	for (i = 0; i < box->match.nshares; i++)
	{
		const MatchShare *share = &box->match.share[i];
		const MatchComponent *c = &box->match.component[share->component];

		if (c->number == kind && c->player == player && c->key == key &&
			share->team == team)
			return share->weight;
	}
	return NAN;
}

/* Shares and components are in the chains that say so, once each. */
static void
check_chains(const Match *match)
{
	int			shares = 0;
	int			components = 0;
	int			i,
				j;

	for (i = 0; i < match->ncomponents; i++)
		for (j = match->component[i].last_share; j >= 0; j = match->share[j].previous)
		{
			assert_int_equal(match->share[j].component, i);
			shares++;
		}
	assert_int_equal(shares, match->nshares);
	for (i = 0; i < match->nplayers; i++)
		for (j = match->player[i].last_component; j >= 0; j = match->component[j].previous)
		{
			assert_int_equal(match->component[j].player, i);
			components++;
		}
	for (i = 0; i < match->ncomponents; i++)
		components += match->component[i].player < 0;
	assert_int_equal(components, match->ncomponents);
}

/* Two teams: 0 and 1 for club 0, who play .25 and .75, against 2 (club 1) and 3 (none). */
static void
two_teams(Box *box, bool sided)
{
	int			i;

	box_init(box);
	box_add(box, 0, 1, 0.25, 2, 0);
	box_add(box, 1, 1, 0.75, 2, 0)->commanding = 0.5;
	box_add(box, 2, 2, 0.5, 0, 1);
	box_add(box, 3, 2, 0.5, -1, -1);
	for (i = 0; sided && i < box->n; i++)
		box->row[i].side = box->row[i].team;
	box_build(box);
}

static void
test_shares(void **state)
{
	Box			box;

	(void) state;
	two_teams(&box, true);

	/*
	 * Commanding is part of a share of all play, and no part of a player's
	 * own.
	 */
	assert_same(weight_of(&box, OF_MATCH, -1, 2, -1), 0.5);
	assert_same(weight_of(&box, OF_MATCH, -1, 0, -1), 0.25);
	assert_same(weight_of(&box, OF_SIDE, -1, 0, -1), 1);
	assert_same(weight_of(&box, OF_TEAM, -1, 0, 0), 1);
	assert_same(weight_of(&box, OF_TEAM, -1, 1, 1), 0.5);
	assert_same(weight_of(&box, OF_PLAYER, 0, 2, 0), 0.25);
	assert_same(weight_of(&box, OF_PLAYER, 1, 2, 0), 0.375);
	assert_same(weight_of(&box, OF_PLAYER, 2, 0, 1), 0.5);
	assert_int_equal(box.match.ncomponents, 2 + 1 + 2 + 3);
	assert_int_equal(box.match.nshares, 8);
	check_chains(&box.match);

	/* Where sides do not differ, none is favoured. */
	two_teams(&box, false);
	assert_true(isnan(weight_of(&box, OF_SIDE, -1, 0, -1)));
	assert_int_equal(box.match.ncomponents, 7);
}

/* A club that has players on two teams, and a player on two in two contexts. */
static void
test_shares_of_several_teams(void **state)
{
	Box			box;

	(void) state;
	box_init(&box);
	box_add(&box, 0, 1, 0.25, 1, 3);
	box_add(&box, 0, 1, 0.25, 0, 3);
	box_add(&box, 1, 1, 1, 1, 2);
	box_add(&box, 0, 2, 0.5, 1, 3);
	box_add(&box, 2, 2, 0.5, 1, 3);
	box_add(&box, 3, 3, 1, 1, 2);
	box_build(&box);
	assert_same(weight_of(&box, OF_TEAM, -1, 3, 0), 0.5 / 1.5);
	assert_same(weight_of(&box, OF_TEAM, -1, 2, 0), 1 / 1.5);
	assert_same(weight_of(&box, OF_TEAM, -1, 3, 1), 1);
	assert_same(weight_of(&box, OF_TEAM, -1, 2, 2), 1);
	assert_same(weight_of(&box, OF_PLAYER, 0, 1, 0), 0.25);
	assert_same(weight_of(&box, OF_PLAYER, 0, 0, 0), 0.25);
	assert_same(weight_of(&box, OF_PLAYER, 0, 1, 1), 0.5);
	assert_same(weight_of(&box, OF_MATCH, -1, 1, -1), 3.25 / 3.5);
	check_chains(&box.match);

	/*
	 * Two contexts, two clubs, and a component each of four players but one,
	 * who has two.
	 */
	assert_int_equal(box.match.ncomponents, 2 + 2 + 5);
}

/* Kinds that are off, and callers who want none. */
static void
test_kinds_in_use(void **state)
{
	Box			box;
	int			i;

	(void) state;
	two_teams(&box, true);
	box.params[OF_TEAM].number = 0;
	box.params[OF_MATCH].number = 0;
	assert_int_equal(match_components_used(&rules, box.params), 2);
	box_build(&box);
	assert_int_equal(box.match.ncomponents, 1 + 3);
	for (i = 0; i < box.match.ncomponents; i++)
	{
		assert_true(box.component[i].number == OF_SIDE || box.component[i].number == OF_PLAYER);
		assert_ptr_equal(box.component[i].spec, &kinds[box.component[i].number]);
		assert_true(box.component[i].games == 0);
	}
	check_chains(&box.match);

	/* All off, or nobody to hold them. */
	for (i = 0; i < NKINDS; i++)
		box.params[i].number = 0;
	box_build(&box);
	assert_int_equal(box.match.ncomponents, 0);
	assert_int_equal(box.match.nshares, 0);
	two_teams(&box, true);
	box.match.component = NULL;
	box_build(&box);
	assert_int_equal(box.match.ncomponents, 0);
	assert_int_equal(box.match.nshares, 0);
}

/* Shares are sums that do not show in which order players came. */
static void
test_shares_do_not_depend_on_order(void **state)
{
	Random		random = {60};
	int			round,
				i;

	(void) state;
	for (round = 0; round < 2000; round++)
	{
		Box			box;
		double		weight[6];
		double		club;
		double		context;

		box_init(&box);
		for (i = 0; i < 6; i++)
			weight[i] = random_between(&random, 0, 1);
		for (i = 0; i < 6; i++)
			box_add(&box, i, 1, weight[i], i < 4 ? 1 : 0, i < 3 ? 1 : 0);
		box_add(&box, 6, 2, 1, 1, 1);
		box_build(&box);
		club = weight_of(&box, OF_TEAM, -1, 1, 0);
		context = weight_of(&box, OF_MATCH, -1, 1, -1);

		/* The same backwards. */
		box_init(&box);
		for (i = 5; i >= 0; i--)
			box_add(&box, i, 1, weight[i], i < 4 ? 1 : 0, i < 3 ? 1 : 0);
		box_add(&box, 6, 2, 1, 1, 1);
		box_build(&box);
		assert_same(weight_of(&box, OF_TEAM, -1, 1, 0), club);
		assert_same(weight_of(&box, OF_MATCH, -1, 1, -1), context);
	}
}

/* By kind, then state: and back to where they were. */
static void
test_order_and_back(void **state)
{
	Box			box;
	Match		saved;
	MatchComponent component[8 * NKINDS];
	int			i;

	(void) state;
	two_teams(&box, true);
	for (i = 0; i < box.match.nplayers; i++)
		box.player_before[i] = -i;
	for (i = 0; i < box.match.ncomponents; i++)
		box.before[i][0] = (i * 5) % 7;
	saved = box.match;
	memcpy(component, box.component, sizeof(component));
	match_order(&box.match, 1);
	check_chains(&box.match);
	for (i = 1; i < box.match.ncomponents; i++)
	{
		const MatchComponent *a = &box.component[i - 1];
		const MatchComponent *b = &box.component[i];

		assert_true(a->number < b->number ||
					(a->number == b->number && a->before[0] <= b->before[0]));
	}
	for (i = 0; i < box.match.ncomponents; i++)
		assert_ptr_equal(box.component[i].before, component[box.component[i].place].before);
	match_restore_order(&box.match);
	check_chains(&box.match);
	assert_int_equal(box.match.ncomponents, saved.ncomponents);
	for (i = 0; i < box.match.ncomponents; i++)
	{
		assert_ptr_equal(box.component[i].before, component[i].before);
		assert_int_equal(box.component[i].player, component[i].player);
		assert_int_equal(box.component[i].key, component[i].key);
	}
	assert_same(weight_of(&box, OF_PLAYER, 1, 2, 0), 0.375);
	assert_same(weight_of(&box, OF_TEAM, -1, 1, 1), 0.5);
}

/* NaN, what is too far from 0 and less than the minimum are no state. */
static void
test_sound_states(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY, 1.001 * STATE_LIMIT, -1e300};
	double		sound[2] = {-STATE_LIMIT, 0.5};
	int			i,
				j;

	(void) state;
	assert_true(component_state_valid(&kinds[OF_TEAM], sound));
	for (i = 0; i < 2; i++)
		for (j = 0; j < LENGTH(bad); j++)
		{
			double		unsound[2] = {0, 1};

			unsound[i] = bad[j];
			assert_false(component_state_valid(&kinds[OF_TEAM], unsound));
		}
	sound[1] = nextafter(0.5, 0);
	assert_false(component_state_valid(&kinds[OF_TEAM], sound));
}

/* What the registry's models say of their kinds is whole, and can be told apart. */
static void
test_kinds_of_models(void **state)
{
	int			with = 0;
	int			m,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		const MatchRules *r = &model_registry[m]->rules;
		ParamValue	params[TEST_MAX_PARAMS];

		param_defaults(&model_registry[m]->params, params);
		assert_true(r->ncomponents >= 0 && r->ncomponents <= COMPONENT_MAX_KINDS);
		for (i = 0; i < r->ncomponents; i++)
		{
			const ComponentSpec *spec = &r->component[i];
			double		first[COMPONENT_MAX_STATE];

			with++;
			assert_true(spec->name[0] != '\0' && spec->description[0] != '\0');
			for (j = 0; j < i; j++)
				assert_string_not_equal(r->component[j].name, spec->name);
			assert_true(spec->nstate >= 1 && spec->nstate <= COMPONENT_MAX_STATE);
			assert_true(spec->key != COMPONENT_BY_CONTEXT || (r->supports & MODEL_CONTEXT));
			assert_true(spec->key != COMPONENT_BY_CLUB || (r->supports & MODEL_CLUB));
			assert_true(spec->scope != COMPONENT_OF_SIDE || (r->supports & MODEL_SIDE));
			spec->init(params, first);
			assert_true(component_state_valid(spec, first));
			(void) spec->used(params);
		}
	}
	assert_true(with > 0);
}

/* Idle time adds up for components as it does for players. */
static void
test_idle_time_adds_up(void **state)
{
	Random		random = {61};
	int			aged = 0;
	int			m,
				k,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (k = 0; k < model_registry[m]->rules.ncomponents; k++)
			for (round = 0; round < 1000; round++)
			{
				const ComponentSpec *spec = &model_registry[m]->rules.component[k];
				double		first = round % 4 == 0 ? 0 : random_between(&random, 0, 3e7);
				double		second = random_between(&random, 0, 3e7);
				double		start[COMPONENT_MAX_STATE];
				double		step[COMPONENT_MAX_STATE];
				double		twice[COMPONENT_MAX_STATE];
				double		once[COMPONENT_MAX_STATE];
				Fixture		f;

				fixture_init(&f, model_registry[m]->name);
				for (i = 0; i < f.model->params.count; i++)
					if (strstr(param_spec(&f.model->params, i)->name, "drift") != NULL)
						f.params[i].number = random_between(&random, 0, 0.02);
				spec->init(f.params, start);
				for (i = 0; i < spec->nstate; i++)
					start[i] *= random_between(&random, 0.05, 1.5);
				component_state_before(spec, f.params, start, first, step);
				component_state_before(spec, f.params, step, second, twice);
				component_state_before(spec, f.params, start, first + second, once);
				if (first == 0)
					assert_memory_equal(step, start, spec->nstate * sizeof(double));
				for (i = 0; i < spec->nstate; i++)
				{
					assert_near(twice[i], once[i], 1e-9 * (1 + fabs(once[i])));
					aged += once[i] != start[i];
				}
			}
	assert_true(aged > 500);
}

/* An unsound state of a component is refused as that of a player is. */
static void
test_unsound_states_are_refused(void **state)
{
	Random		random = {62};
	Fixture		f;
	int			refused = 0;
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; model_registry[m]->rules.ncomponents > 0 && round < 500; round++)
		{
			fixture_init(&f, model_registry[m]->name);
			random_match(&random, &f, ORDINARY);
			assert_status(fixture_build(&f), MATCH_OK);
			if (f.match.ncomponents == 0)
				continue;
			f.component_before[random_below(&random, f.match.ncomponents)][0] = NAN;
			assert_status(model_rate(f.model, f.params, &f.match), MATCH_BAD_STATE);
			refused++;
		}
	assert_true(refused > 100);
}

/* A match of no gain teaches components nothing. */
static void
test_no_gain_leaves_components_unchanged(void **state)
{
	Random		random = {63};
	Fixture		f;
	int			same = 0;
	int			moved = 0;
	int			m,
				round,
				i,
				j;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; model_registry[m]->rules.ncomponents > 0 && round < 1000; round++)
		{
			fixture_init(&f, model_registry[m]->name);
			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			fixture_gain(&f, round % 2);
			fixture_rate(&f);
			for (i = 0; i < f.match.ncomponents; i++)
				for (j = 0; j < f.component[i].spec->nstate; j++)
				{
					if (round % 2 == 0)
						assert_same(f.component_after[i][j], f.component_before[i][j]);
					else
						moved += f.component_after[i][j] != f.component_before[i][j];
					same++;
				}
		}
	assert_true(same > 1000 && moved > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_shares_of_several_teams),
		cmocka_unit_test(test_kinds_in_use),
		cmocka_unit_test(test_shares_do_not_depend_on_order),
		cmocka_unit_test(test_order_and_back),
		cmocka_unit_test(test_sound_states),
		cmocka_unit_test(test_kinds_of_models),
		cmocka_unit_test(test_idle_time_adds_up),
		cmocka_unit_test(test_unsound_states_are_refused),
		cmocka_unit_test(test_no_gain_leaves_components_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
