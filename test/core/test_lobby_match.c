/*
 * test_lobby_match.c
 *		Teams of a lobby predicted as matches that are built by hand, for all models.
 */
#include "lobby_box.h"

#include "core/split/lobby_match.h"

#define PLAYERS 8

/*
 * The groups of a player, by number; the first of a group is not always there.  Any match has more
 * rows than that, so that the match by hand has the same numbers.
 */
static const int context[PLAYERS] = {1, 2, 1, 2, 2, 0, 1, 1};
static const int club[PLAYERS] = {1, 1, 3, 4, 3, 0, 4, 4};

/* What a lobby has, as bits. */
enum
{
	WEIGHTS = 1,
	SQUADS = 2,
	LOG_ODDS = 4,
	SIDES = 8,
	COMMANDERS = 16,
	COMPONENTS = 32,
	ALL = 64
};

/* The components of each player, kind after kind; of each the state that the fixture gives it. */
static double *
make_components(Fixture *f)
{
	const MatchRules *rules = &f->model->rules;
	size_t		columns = (size_t) component_columns(f->model, f->params, rules->ncomponents);
	double	   *component = box_take(sizeof(double) * PLAYERS * columns);
	double	   *state = component;
	int			i,
				kind;

	for (i = 0; i < PLAYERS; i++)
		for (kind = 0; kind < rules->ncomponents; kind++)
		{
			const ComponentSpec *spec = &rules->component[kind];

			if (!spec->used(f->params))
				continue;
			f->component[0] = (MatchComponent)
			{
				.spec = spec,.number = kind,
				.player = spec->scope == COMPONENT_OF_PLAYER ? i : -1,
				.key = spec->key == COMPONENT_BY_CONTEXT ? context[i] :
				spec->key == COMPONENT_BY_CLUB ? club[i] : 0
			};
			fixture_component_state(f, 0);
			memcpy(state, f->component_before[0], sizeof(double) * (size_t) spec->nstate);
			state += spec->nstate;
		}
	return component;
}

/* The same teams by hand. */
static void
predict_by_hand(Fixture *f, const Lobby *lobby, const LobbyMatch *match, const int *team,
				const int *commander, double ahead, bool components)
{
	int			player[PLAYERS];
	int			n = 0;
	int			t,
				i;

	fixture_clear(f);
	for (i = 0; i < PLAYERS; i++)
		if (team[i] != SPLIT_BENCH)
		{
			memcpy(f->before[n], lobby_match_state(match, i),
				   sizeof(double) * (size_t) f->model->nstate);
			if (team[i] == 1)
				f->before[n][0] += ahead;
			f->name[n] = i;
			player[i] = n++;
		}
	for (t = 1; t <= lobby->nteams; t++)
		for (i = 0; i < PLAYERS; i++)
			if (team[i] == t)
			{
				Participant *row = fixture_add(f, player[i], t, 1);

				if (lobby->weight != NULL)
					row->weight = lobby->weight[i];
				if (lobby->squad != NULL && lobby->squad[i] > 0)
					row->squad = 100 + lobby->squad[i];
				if (lobby->estimate[0] != lobby->estimate[1])
					row->side = t;
				if (lobby->command[0] != NULL && commander[t - 1] == i)
					row->commanding = 1;
				if (components)
				{
					row->context = context[i] > 0 ? context[i] : -1;
					row->club = club[i] > 0 ? club[i] : -1;
				}
			}
	f->match.log_odds = lobby->log_odds;
	assert_status(fixture_build(f), MATCH_OK);
	assert_status(model_predict(f->model, f->params, &f->match), MATCH_OK);
}

static void
compare(const Model *model, int has, Random *random)
{
	static Fixture f;
	void	   *began = box_begin();
	LobbyBox	box;
	Lobby	   *lobby = &box.lobby;
	LobbyMatch	match;
	const double *value;
	int			commander[2] = {2, 7};
	int			again;
	int			i;

	fixture_init(&f, model->name);
	box_begin_lobby(&box, random, PLAYERS,
					(model->rules.supports & MODEL_MANY_TEAMS) != 0 && (has & (LOG_ODDS | SIDES | COMMANDERS)) == 0 ? 3 : 2);
	for (i = 0; i < PLAYERS; i++)
	{
		box.estimate[0][i] = f.before[0][0] + (i - 3) * 0.1 * (1 + fabs(f.before[0][0]));
		box.estimate[1][i] = box.estimate[0][i] + 0.25;
		box.weight[i] = 0.25 + 0.0625 * i;
		box.command[i] = 0.125 * i;
		box.squad[i] = i < 3 ? 1 : i > 5 ? 7 : 0;
	}
	if (has & SIDES && model_state_column(model, ROLE_SIDE) >= 0)
		lobby->estimate[1] = box.estimate[1];
	if (has & WEIGHTS && (model->rules.supports & MODEL_WEIGHT) != 0)
		lobby->weight = box.weight;
	if (has & SQUADS)
		lobby->squad = box.squad;
	if (has & LOG_ODDS && (model->rules.supports & MODEL_LOG_ODDS) != 0)
		lobby->log_odds = 0.4;
	if (has & COMMANDERS && model_state_column(model, ROLE_COMMAND) >= 0)
		lobby->command[0] = lobby->command[1] = box.command;
	assert_status(lobby_match_begin(lobby, model, f.params, PLAYERS, &match), MATCH_OK);
	lobby_match_estimates(lobby, &match, false, NULL);
	if (has & COMPONENTS)
	{
		f.component_seed = 7;
		match.component = make_components(&f);
		match.context = context;
		match.club = club;
	}
	else
		f.component_seed = 0;
	assert_int_equal(lobby_match_unsound(lobby, &match, &value), -1);
	for (again = 0; again < 6; again++)
	{
		double		ahead = again % 2 == 0 ? 0 : 0.5 * (again - 2);
		double		win[SPLIT_MAX_TEAMS];
		int			team[PLAYERS];

		for (i = 0; i < PLAYERS; i++)
			team[i] = (i + again) % (again % 3 == 0 ? lobby->nteams : lobby->nteams + 1) +
				(again % 3 == 0);
		for (i = 0; i < 2; i++)
			for (commander[i] = PLAYERS - 1; team[commander[i]] != i + 1; commander[i]--)
				;
		assert_status(lobby_match_predict(lobby, &match, team, commander, ahead, win), MATCH_OK);
		predict_by_hand(&f, lobby, &match, team, commander, ahead, has & COMPONENTS);
		for (i = 0; i < lobby->nteams; i++)
			assert_same(win[i], f.match.team[i].win);
	}
	box_end(began);
}

static void
test_predictions(void **state)
{
	Random		random = {1};
	int			m,
				has;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (has = 0; has < ALL; has++)
			compare(model_registry[m], has, &random);
}

/* Components matter: the states of a club are those of its first who plays. */
static void
test_components_matter(void **state)
{
	Random		random = {2};
	static Fixture f;
	void	   *began = box_begin();
	LobbyBox	box;
	LobbyMatch	match;
	double		win[2][SPLIT_MAX_TEAMS];
	const int	team[PLAYERS] = {1, 1, 2, 2, 0, 0, 0, 0};
	int			commander[2] = {-1, -1};

	(void) state;
	fixture_init(&f, "state_space");
	box_begin_lobby(&box, &random, PLAYERS, 2);
	assert_status(lobby_match_begin(&box.lobby, f.model, f.params, PLAYERS, &match), MATCH_OK);
	assert_status(lobby_match_predict(&box.lobby, &match, team, commander, 0, win[0]), MATCH_OK);
	assert_near(win[0][0], 0.5, 1e-12);
	f.component_seed = 7;
	match.component = make_components(&f);
	match.context = context;
	match.club = club;
	assert_status(lobby_match_predict(&box.lobby, &match, team, commander, 0, win[1]), MATCH_OK);
	assert_true(fabs(win[1][0] - 0.5) > 0.001);
	box_end(began);
}

/* A state or a component that is not sound is found, and two teams are all that some models know. */
static void
test_refused(void **state)
{
	Random		random = {3};
	static Fixture f;
	void	   *began = box_begin();
	LobbyBox	box;
	LobbyMatch	match;
	const double *value;
	double	   *component;

	(void) state;
	fixture_init(&f, "state_space");
	box_begin_lobby(&box, &random, PLAYERS, 2);
	assert_status(lobby_match_begin(&box.lobby, f.model, f.params, PLAYERS, &match), MATCH_OK);
	assert_int_equal(lobby_match_unsound(&box.lobby, &match, &value), -1);
	lobby_match_state(&match, 5)[0] = NAN;
	assert_int_equal(lobby_match_unsound(&box.lobby, &match, &value), 5);
	assert_true(value == lobby_match_state(&match, 5));
	lobby_match_state(&match, 5)[0] = 0;
	component = make_components(&f);
	match.component = component;
	assert_int_equal(lobby_match_unsound(&box.lobby, &match, &value), -1);
	component += 3 * component_columns(f.model, f.params, f.model->rules.ncomponents);
	*component = INFINITY;
	assert_int_equal(lobby_match_unsound(&box.lobby, &match, &value), 3);
	assert_true(value == component);

	fixture_init(&f, "hive");
	box_begin_lobby(&box, &random, PLAYERS, 3);
	assert_status(lobby_match_begin(&box.lobby, f.model, f.params, PLAYERS, &match),
				  MATCH_TOO_MANY_TEAMS_FOR_MODEL);
	box_end(began);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_predictions),
		cmocka_unit_test(test_components_matter),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
