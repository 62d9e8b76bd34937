/*
 * test_history_components.c
 *		The components of matches and of whole histories, against a list that is searched
 *		from end to end, by a model that only adds up what it is given.
 */
#include <stdlib.h>

#include "test.h"

#include "core/rating/history.h"
#include "core/rating/history_components.h"
#include "core/rating/match_order.h"
#include "core/rating/operation.h"

#define MATCHES 200
#define ACCOUNTS 7
#define POOLS 2
#define CONTEXTS 5
#define CLUBS 4
#define MAX_ROWS 12
#define MAX_KNOWN 1000

/* ---- A model of sums ---- */

static const StateSpec player_state[] = {
	{.name = "mu",.min = -INFINITY,.description = "stays"}
};

static const StateSpec component_state[] = {
	{.name = "sum",.min = -INFINITY,.description = "of signed shares"},
	{.name = "deviation",.min = 0,.role = ROLE_DEVIATION,.description = "of seconds"}
};

static bool off_hero;

static bool
always(const ParamValue *params)
{
	(void) params;
	return true;
}

static bool
hero_used(const ParamValue *params)
{
	(void) params;
	return !off_hero;
}

static void
init_component(const ParamValue *params, double *state)
{
	(void) params;
	state[0] = 10;
	state[1] = 4;
}

static void
age_component(const ParamValue *params, double *state, double seconds)
{
	(void) params;
	state[1] += seconds;
}

#define KIND(kind, where, by, use, ages) \
	{.name = kind,.description = kind,.scope = where,.key = by, \
		.state = component_state,.nstate = 2,.used = use, \
	.init = init_component,.age = ages}

enum
{
	SIDE, MAP, CLUB, HERO, FORM, NKINDS
};

static const ComponentSpec kinds[NKINDS] = {
	KIND("side", COMPONENT_OF_SIDE, COMPONENT_BY_NOTHING, always, NULL),
	KIND("map", COMPONENT_OF_MATCH, COMPONENT_BY_CONTEXT, always, NULL),
	KIND("club", COMPONENT_OF_TEAM, COMPONENT_BY_CLUB, always, age_component),
	KIND("hero", COMPONENT_OF_PLAYER, COMPONENT_BY_CONTEXT, hero_used, NULL),
	KIND("form", COMPONENT_OF_PLAYER, COMPONENT_BY_NOTHING, always, age_component)
};

static void
init_player(const ParamValue *params, double *state)
{
	(void) params;
	state[0] = 0;
}

static MatchStatus
predict(const ParamValue *params, Match *match)
{
	int			i;

	(void) params;
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = 1.0 / match->nteams;
	return MATCH_OK;
}

/* The winner adds its shares, all others take theirs off; the match as a whole adds. */
static double
signed_share(const Match *match, const MatchShare *share)
{
	return share->team >= 0 && match->team[share->team].rank > 1 ? -share->weight :
		share->weight;
}

static MatchStatus
rate(const ParamValue *params, Match *match)
{
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].after[0] = match->player[i].before[0];
	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *c = &match->component[i];

		c->after[0] = c->before[0];
		c->after[1] = c->before[1];
		for (j = c->last_share; j >= 0; j = match->share[j].previous)
		{
			assert_int_equal(match->share[j].component, i);
			c->after[0] += signed_share(match, &match->share[j]);
		}
	}
	return predict(params, match);
}

static void
display(const ParamValue *params, double *coefficient)
{
	(void) params;
	coefficient[0] = 1;
	coefficient[1] = 0;
}

static const Model model = {
	.name = "sums",
	.rules = {.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_SIDE |
	MODEL_CONTEXT | MODEL_CLUB,.component = kinds,.ncomponents = NKINDS},
	.state = player_state,.nstate = 1,.init = init_player,.predict = predict,
	.rate = rate,.display = display
};

/* The model has no parameters but those that all models have. */
static const ParamValue common_params[MODEL_COMMON_PARAMS] = {
	[SIZE_ADVANTAGE] = {.choice = SIZE_ADVANTAGE_NONE}
};

/* ---- Random histories ---- */

typedef struct Box
{
	History		history;
	HistoryMatch match[MATCHES];
	int32_t		player[MATCHES * MAX_ROWS];
	int32_t		team[MATCHES * MAX_ROWS];
	double		number[PARTICIPANT_NUMBERS][MATCHES * MAX_ROWS];
	int32_t		context[MATCHES * MAX_ROWS];
	int32_t		club[MATCHES * MAX_ROWS];
	int32_t		context_name[MATCHES * MAX_ROWS];
	int32_t		club_name[MATCHES * MAX_ROWS];
} Box;

/* The number within a match of a name, which is new to it or not. */
static int32_t
name_in_match(HistoryNames *names, size_t first, int32_t name)
{
	size_t		i;

	if (name < 0)
		return -1;
	for (i = first; i < names->nnames; i++)
		if (names->name[i] == name)
			return (int32_t) (i - first);
	names->name[names->nnames++] = name;
	return (int32_t) (i - first);
}

/* Of the numbers of a participant, those that rows have. */
enum
{
	RANK = 0,
	WEIGHT = 4,
	SIDE_OF = 8
};

static void
add_row(Box *box, HistoryMatch *match, const Participant *p, int32_t context, int32_t club)
{
	History    *h = &box->history;
	size_t		place = h->nparticipants++;
	int			i;

	h->player[place] = p->player;
	h->team[place] = p->team;
	h->contexts.number[place] = name_in_match(&h->contexts, match->first_context, context);
	h->clubs.number[place] = name_in_match(&h->clubs, match->first_club, club);
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		box->number[i][place] = p->number[i];
	match->n++;
}

/* Participants are ordered by team; one may have two stints. */
static void
random_team(Box *box, Random *random, HistoryMatch *match, int team, int teams, bool sided)
{
	int			i;

	for (i = team; i < ACCOUNTS; i += teams)
	{
		int			rows = 1 + random_below(random, 2);

		if (i >= teams && random_below(random, 3) == 0)
			continue;
		for (; rows > 0 && match->n < MAX_ROWS; rows--)
		{
			Participant p = participant_default;

			p.player = i + ACCOUNTS * match->pool;
			p.team = team;
			p.rank = 1 + team;
			p.weight = 0.25 * (1 + random_below(random, 4));
			if (sided)
				p.side = 1 + team;
			add_row(box, match, &p, random_below(random, CONTEXTS + 1) - 1,
					random_below(random, CLUBS + 1) - 1);
		}
	}
}

static void
random_history(Box *box, Random *random)
{
	History    *h = &box->history;
	Participant some;
	int			m,
				team;

	memset(box, 0, sizeof(*box));
	h->match = box->match;
	h->player = box->player;
	h->team = box->team;
	h->contexts = (HistoryNames)
	{
		box->context, box->context_name, 0, CONTEXTS
	};
	h->clubs = (HistoryNames)
	{
		box->club, box->club_name, 0, CLUBS
	};
	h->nplayers = ACCOUNTS * POOLS;
	h->npools = POOLS;
	h->max_participants = MAX_ROWS;
	assert_ptr_equal(&some.number[RANK], &some.rank);
	assert_ptr_equal(&some.number[WEIGHT], &some.weight);
	assert_ptr_equal(&some.number[SIDE_OF], &some.side);
	h->number[RANK] = box->number[RANK];
	h->number[WEIGHT] = box->number[WEIGHT];
	h->number[SIDE_OF] = box->number[SIDE_OF];
	for (m = 0; m < MATCHES; m++)
	{
		HistoryMatch *match = &box->match[h->nmatches++];
		int			pool = random_below(random, POOLS);
		int			teams = 2 + random_below(random, 2);
		bool		sided = teams == 2 && random_below(random, 2);

		match->played_at = m < 5 ? NEVER_PLAYED : INT64_C(1000000) * m * m;
		match->first = h->nparticipants;
		match->pool = pool;
		match->first_context = h->contexts.nnames;
		match->first_club = h->clubs.nnames;
		for (team = 0; team < teams; team++)
			random_team(box, random, match, team, teams, sided);
	}
}

/* ---- The same by a list ---- */

typedef struct Known
{
	int			kind;
	int32_t		owner;
	int32_t		key;
	double		sum;
	double		seconds;
	int64_t		games;
	int64_t		last_played;
} Known;

typedef struct KnownList
{
	int			n;
	Known		known[MAX_KNOWN];
} KnownList;

static Known *
find_known(KnownList *list, int kind, int32_t owner, int32_t key)
{
	int			i;

	for (i = 0; i < list->n; i++)
		if (list->known[i].kind == kind && list->known[i].owner == owner &&
			list->known[i].key == key)
			return &list->known[i];
	assert_true(list->n < MAX_KNOWN);
	list->known[list->n] = (Known)
	{
		kind, owner, key, 10, 4, 0, NEVER_PLAYED
	};
	return &list->known[list->n++];
}

/* Whose component of a kind a row has, and by which key; -1 for none. */
static int32_t
row_key(const Box *box, const HistoryMatch *match, size_t row, int kind, int32_t *owner)
{
	const History *h = &box->history;

	*owner = kind == HERO || kind == FORM ? h->player[row] : match->pool;
	if (kind == SIDE)
		return h->number[SIDE_OF][row] > 0 ? 0 : -1;
	if (kind == MAP || kind == HERO)
		return h->contexts.number[row] < 0 ? -1 :
			box->context_name[match->first_context + (size_t) h->contexts.number[row]];
	if (kind == CLUB)
		return h->clubs.number[row] < 0 ? -1 :
			box->club_name[match->first_club + (size_t) h->clubs.number[row]];
	return 0;
}

/* What a row adds to a component of its kind: a part of its weight. */
static double
row_share(const Box *box, const HistoryMatch *match, size_t row, int kind)
{
	const History *h = &box->history;
	double		whole = 0;
	size_t		i;

	for (i = match->first; i < match->first + (size_t) match->n; i++)
		if (kind != CLUB || h->team[i] == h->team[row])
			whole += h->number[WEIGHT][i];
	if (kind == HERO || kind == FORM)
		whole = 1;
	return h->number[WEIGHT][row] / whole *
		(kind != SIDE && kind != MAP && h->number[RANK][row] > 1 ? -1 : 1);
}

/* A match: first all components age, then each row adds its share. */
static void
list_match(const Box *box, KnownList *list, const HistoryMatch *match)
{
	size_t		end = match->first + (size_t) match->n;
	size_t		row;
	int			kind;
	int32_t		owner;

	for (kind = 0; kind < NKINDS; kind++)
		for (row = match->first; row < end; row++)
		{
			int32_t		key = row_key(box, match, row, kind, &owner);
			Known	   *known;
			bool		first = true;
			size_t		i;

			if (key < 0)
				continue;
			known = find_known(list, kind, owner, key);
			for (i = match->first; i < row; i++)
			{
				int32_t		other;

				if (row_key(box, match, i, kind, &other) == key && other == owner)
					first = false;
			}
			if (first)
			{
				if (kinds[kind].age != NULL)
					known->seconds += idle_seconds(known->last_played, match->played_at);
				known->games++;
				if (match->played_at > known->last_played)
					known->last_played = match->played_at;
			}
			known->sum += row_share(box, match, row, kind);
		}
}

/* ---- Tests ---- */

/* A history with its components, and room to rate it. */
typedef struct Replay
{
	Box			box;
	HistoryWork work;
	HistoryComponents components;
	void	   *block[4];
} Replay;

static void
replay_begin(Replay *replay, Random *random)
{
	const History *h = &replay->box.history;

	random_history(&replay->box, random);
	replay->block[0] = malloc(history_work_size(h, 1));
	history_work_init(&replay->work, replay->block[0], h, 1);
	assert_null(replay->work.components);
	replay->block[1] = malloc(history_components_size(h, &model.rules));
	replay->block[2] = malloc(history_components_room(h));
	history_components_find(&replay->components, replay->block[1], replay->block[2], h,
							&model.rules);
	replay->block[3] = malloc(history_component_states_size(h, &replay->components));
	history_component_states_init(&replay->work, replay->block[3], h, &replay->components);
}

static void
replay_run(Replay *replay)
{
	size_t		bound[2] = {0, MATCHES};
	HistoryScore score;
	size_t		match;
	int			offender;

	assert_status(history_replay(&replay->box.history, &model, common_params, &replay->work, bound, 1,
								 &score, NULL, &match, &offender), MATCH_OK);
	assert_int_equal(score.matches, MATCHES);
}

static void
replay_end(Replay *replay)
{
	int			i;

	for (i = 0; i < 4; i++)
		free(replay->block[i]);
}

/* All components of a history end as they do in the list. */
static void
check_against_list(const Replay *replay, KnownList *list)
{
	const Box  *box = &replay->box;
	const HistoryWork *work = &replay->work;
	int			seen = 0;
	int			kind,
				m;

	for (kind = 0; kind < NKINDS; kind++)
		for (m = 0; m < MATCHES && kinds[kind].used(NULL); m++)
		{
			const HistoryMatch *match = &box->match[m];
			size_t		row;

			for (row = match->first; row < match->first + (size_t) match->n; row++)
			{
				int32_t		owner;
				int32_t		key = row_key(box, match, row, kind, &owner);
				const Known *known;
				int32_t		which = replay->components.of[kind][row];

				if (key < 0)
				{
					assert_true(kind == SIDE || which < 0);
					continue;
				}
				known = find_known(list, kind, owner, key);
				assert_true(which >= 0 && which < replay->components.count[kind]);
				assert_int_equal(work->component_games[kind][which], known->games);
				if (known->games == 0)
					continue;
				assert_near(work->component_state[kind][2 * which], known->sum, 1e-12);
				assert_near(work->component_state[kind][2 * which + 1], known->seconds, 1e-9);
				assert_true(work->component_last_played[kind][which] ==
							known->last_played);
				seen++;
			}
		}
	assert_true(seen > MATCHES * (NKINDS - 1));
}

static void
test_history(void **state)
{
	Random		random = {1};
	static Replay replay;
	static KnownList list;
	int			m,
				round;

	(void) state;
	for (round = 0; round < 5; round++)
	{
		replay_begin(&replay, &random);
		memset(&list, 0, sizeof(list));
		for (m = 0; m < MATCHES; m++)
			list_match(&replay.box, &list, &replay.box.match[m]);

		/* The second time it begins afresh. */
		replay_run(&replay);
		check_against_list(&replay, &list);
		replay_run(&replay);
		check_against_list(&replay, &list);
		replay_end(&replay);
	}
}

/* A kind that is not in use has no components, and leaves the others as they are. */
static void
test_unused(void **state)
{
	Random		random = {2};
	static Replay replay;
	static KnownList list;
	int			m,
				i;

	(void) state;
	off_hero = true;
	assert_int_equal(match_components_used(&model.rules, NULL), NKINDS - 1);
	replay_begin(&replay, &random);
	memset(&list, 0, sizeof(list));
	for (m = 0; m < MATCHES; m++)
		list_match(&replay.box, &list, &replay.box.match[m]);
	for (i = 0; i < replay.components.count[HERO]; i++)
		replay.work.component_games[HERO][i] = -1;
	replay_run(&replay);
	for (i = 0; i < replay.components.count[HERO]; i++)
		assert_int_equal(replay.work.component_games[HERO][i], -1);
	check_against_list(&replay, &list);
	off_hero = false;
	assert_int_equal(match_components_used(&model.rules, NULL), NKINDS);
	replay_end(&replay);
}

static void
test_kinds(void **state)
{
	(void) state;
	assert_int_equal(match_component_kind(&model.rules, "hero"), HERO);
	assert_int_equal(match_component_kind(&model.rules, "heroes"), -1);
}

/* What operations do to components; a season by hand: 10 + 1/4 * 8, 1/16 * 64 + 15/16 * 16. */
static void
test_operations(void **state)
{
	static const OperationKind without[] = {
		OPERATION_DECAY, OPERATION_REGRESSION, OPERATION_SET, OPERATION_SETTLE,
		OPERATION_REFUND
	};
	Operation	operation = {.kind = OPERATION_SEASON,.keep = 0.25};
	double		component[2] = {18, 8};
	size_t		i;

	(void) state;
	assert_status(operation_apply_to_component(&operation, &kinds[CLUB], NULL, component),
				  MATCH_OK);
	assert_near(component[0], 12, 1e-15);
	assert_near(component[1], sqrt(19), 1e-14);
	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++)
	{
		double		same[2] = {18, 8};

		operation = (Operation)
		{
			.kind = without[i],.rate = 1,.mean = 5,
				.half_life_days = 1,.amount = 3,.peak = INFINITY
		};
		assert_status(operation_apply_to_component(&operation, &kinds[CLUB], NULL, same),
					  MATCH_OK);
		assert_same(same[0], 18);
		assert_same(same[1], 8);
	}
	operation.kind = OPERATION_RESET;
	assert_status(operation_apply_to_component(&operation, &kinds[CLUB], NULL, component),
				  MATCH_OK);
	assert_same(component[0], 10);
	assert_same(component[1], 4);
	component[1] = NAN;
	operation.kind = OPERATION_SETTLE;
	assert_status(operation_apply_to_component(&operation, &kinds[CLUB], NULL, component),
				  MATCH_OVERFLOW);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_unused),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
