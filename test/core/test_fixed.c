/*
 * test_fixed.c
 *		Players who are fixed, in matches of every model and in histories.
 */
#include <stdlib.h>

#include "random_match.h"

#include "core/rating/history.h"
#include "core/rating/operation.h"

#define ROUNDS 300

/* ---- Matches ---- */

/* Who is fixed goes out as before, bit for bit; everybody else as if nobody were. */
static void
check_players(const Fixture *fixed, const Fixture *unfixed)
{
	int			nstate = fixed->model->nstate;
	int			i;

	for (i = 0; i < fixed->match.nplayers; i++)
	{
		const MatchPlayer *player = &fixed->player[i];
		const double *expected = player->fixed == 1 ? player->before :
			unfixed->player[i].after;

		assert_memory_equal(player->after, expected, nstate * sizeof(double));
	}
	for (i = 0; i < fixed->match.nteams; i++)
		assert_same(fixed->team[i].win, unfixed->team[i].win);
}

/* Components of players who are fixed stay, and all others learn. */
static void
check_components(const Fixture *fixed, const Fixture *unfixed)
{
	int			i;

	for (i = 0; i < fixed->match.ncomponents; i++)
	{
		const MatchComponent *component = &fixed->component[i];
		bool		stays = component->player >= 0 &&
			fixed->player[component->player].fixed == 1;

		assert_memory_equal(component->after, stays ? component->before :
							unfixed->component[i].after,
							component->spec->nstate * sizeof(double));
	}
}

static void
test_matches(void **state)
{
	static Fixture f;
	static Fixture unfixed;
	Random		random = {2026};
	int			nfixed = 0;
	int			nmoved = 0;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < ROUNDS; round++)
		{
			fixture_init(&f, model_registry[m]->name);
			random_params(&random, &f, ORDINARY);
			random_match(&random, &f, ORDINARY);
			memcpy(&unfixed, &f, sizeof(Fixture));
			unfixed.match.team = unfixed.team;
			unfixed.match.player = unfixed.player;
			unfixed.match.entry = unfixed.entry;
			unfixed.match.component = unfixed.component;
			unfixed.match.share = unfixed.share;
			for (i = 0; i < f.n; i++)
			{
				unfixed.player[i].before = unfixed.before[i];
				unfixed.player[i].after = unfixed.after[i];
				if (random_below(&random, 2))
					f.row[i].fixed = random_below(&random, 2);
			}
			if (fixture_build(&f) != MATCH_OK)
				continue;
			assert_status(fixture_build(&unfixed), MATCH_OK);
			f.match.period = unfixed.match.period = (Period)
			{
				1, 0
			};
			if (model_rate(unfixed.model, unfixed.params, &unfixed.match) != MATCH_OK)
				continue;
			assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
			check_players(&f, &unfixed);
			check_components(&f, &unfixed);
			for (i = 0; i < f.match.nplayers; i++)
				if (f.player[i].fixed == 1)
				{
					nfixed++;
					nmoved += memcmp(unfixed.player[i].after, f.player[i].after,
									 f.model->nstate * sizeof(double)) != 0;
				}
		}

	/* The test would be empty otherwise. */
	assert_true(nfixed > 1000 && nmoved > nfixed / 2);
}

/* ---- Histories ---- */

#define MATCHES 400
#define PLAYERS 6
#define FIXED (PARTICIPANT_NUMBERS - 1)

typedef struct Box
{
	HistoryMatch match[MATCHES];
	int32_t		player[2 * MATCHES];
	int32_t		team[2 * MATCHES];
	double		rank[2 * MATCHES];
	double		fixed[2 * MATCHES];
} Box;

/* Duels with idle time between them, in which marks come and go. */
static void
random_history(Box *box, History *history, Random *random)
{
	int			m,
				i;

	memset(history, 0, sizeof(*history));
	history->match = box->match;
	history->player = box->player;
	history->team = box->team;
	history->number[0] = box->rank;
	history->number[FIXED] = box->fixed;
	history->nplayers = PLAYERS;
	history->npools = 1;
	history->max_participants = 2;
	for (m = 0; m < MATCHES; m++)
	{
		int			first = random_below(random, PLAYERS);
		int			second = (first + 1 + random_below(random, PLAYERS - 1)) % PLAYERS;
		int			winner = random_below(random, 2);

		box->match[m] = (HistoryMatch)
		{
			.played_at = m * MICROSECONDS_PER_DAY * 9,.first = 2 * m,.n = 2
		};
		for (i = 0; i < 2; i++)
		{
			box->player[2 * m + i] = i == 0 ? first : second;
			box->team[2 * m + i] = i;
			box->rank[2 * m + i] = i == winner ? 1 : 2;

			/* The first player always is, and the second now and then. */
			box->fixed[2 * m + i] = box->player[2 * m + i] == 0 ? 1 :
				box->player[2 * m + i] == 1 && random_below(random, 4) == 0 ?
				random_below(random, 2) : NAN;
		}
	}
	history->nmatches = MATCHES;
	history->nparticipants = 2 * MATCHES;
}

/* The same by hand: the states at the end. */
static void
rate_by_hand(const Box *box, const Model *model, const ParamValue *params,
			 double state[PLAYERS][MODEL_MAX_STATE])
{
	static const Period no_period = {0, 0};
	int64_t		last[PLAYERS];
	bool		mark[PLAYERS] = {false};
	int			games[PLAYERS] = {0};
	int			m,
				i;

	for (i = 0; i < PLAYERS; i++)
	{
		model->init(params, state[i]);
		last[i] = NEVER_PLAYED;
	}
	for (m = 0; m < MATCHES; m++)
	{
		Fixture		f;
		int64_t		at = box->match[m].played_at;

		fixture_init(&f, model->name);
		for (i = 0; i < 2; i++)
			fixture_add(&f, i, i, box->rank[2 * m + i]);
		assert_status(fixture_build(&f), MATCH_OK);
		for (i = 0; i < 2; i++)
		{
			int			who = box->player[2 * m + i];
			double		says = box->fixed[2 * m + i];

			/* Idle time counts but for who is fixed, or was until now. */
			model_state_before(model, params, state[who],
							   mark[who] || says == 1 ? 0 : idle_seconds(last[who], at),
							   no_period, NULL, 0, f.before[i]);
			f.player[i].games = games[who]++;
			last[who] = at;
			if (!isnan(says))
				mark[who] = says == 1;
		}
		assert_status(model_rate(model, params, &f.match), MATCH_OK);
		for (i = 0; i < 2; i++)
			if (!mark[box->player[2 * m + i]])
				memcpy(state[box->player[2 * m + i]], f.after[i],
					   model->nstate * sizeof(double));
			else
				memcpy(state[box->player[2 * m + i]], f.before[i],
					   model->nstate * sizeof(double));
	}
}

static void
test_histories(void **test_state)
{
	static const char *const names[] = {"elo", "glicko", "glicko2", "trueskill", "weng_lin",
	"elo_mmr"};
	static Box	box;
	Random		random = {1234};
	int			n;

	(void) test_state;
	for (n = 0; n < (int) (sizeof(names) / sizeof(names[0])); n++)
	{
		static const size_t bound[2] = {0, MATCHES};
		double		state[PLAYERS][MODEL_MAX_STATE];
		double		initial[MODEL_MAX_STATE];
		History		history;
		HistoryWork work;
		HistoryScore score;
		Fixture		f;
		size_t		number;
		void	   *block;
		int			offender;
		int			i;

		fixture_init(&f, names[n]);
		random_history(&box, &history, &random);
		rate_by_hand(&box, f.model, f.params, state);
		block = malloc(history_work_size(&history, f.model->nstate));
		history_work_init(&work, block, &history, f.model->nstate);
		assert_status(history_replay(&history, f.model, f.params, &work, bound, 1, &score,
									 NULL, &number, &offender), MATCH_OK);
		for (i = 0; i < PLAYERS; i++)
			assert_memory_equal(work.state + i * f.model->nstate, state[i],
								f.model->nstate * sizeof(double));
		f.model->init(f.params, initial);
		assert_memory_equal(state[0], initial, f.model->nstate * sizeof(double));
		assert_memory_not_equal(state[1], initial, f.model->nstate * sizeof(double));
		free(block);
	}
}

/* ---- Operations ---- */

/* Only what names a player is about one who is fixed; a mark changes no state. */
static void
test_operations(void **test_state)
{
	Fixture		f;
	double		state[MODEL_MAX_STATE];
	Operation	fix = {.kind = OPERATION_FIX,.fixed = true};
	int			kind;

	(void) test_state;
	for (kind = OPERATION_SEASON; kind <= OPERATION_FIX; kind++)
		assert_int_equal(operation_leaves_fixed(kind), kind != OPERATION_SET &&
						 kind != OPERATION_RESET && kind != OPERATION_FIX);
	fixture_init(&f, "elo");
	f.model->init(f.params, state);
	state[0] = 1234.5;
	assert_status(operation_apply(&fix, f.model, f.params, 100, state), MATCH_OK);
	assert_same(state[0], 1234.5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_operations)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
