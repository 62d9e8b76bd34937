/*
 * test_no_peeking.c
 *		Forecasts know nothing of what they forecast, nor of what comes after it.
 *
 * Results after a random cut are changed or removed, and the forecasts up to and
 * including the match at the cut must stay equal to the last bit.  Results are all
 * that is only known once a match is over: ranks, scores, kills, deaths and who
 * quit.  Shares and stints say for how long somebody took part, and models are
 * told of them before they predict.
 *
 * Every model of the registry goes through it, with random parameters, so that a
 * new one is tried on the day it is registered.
 */
#include <stdlib.h>

#include "random_match.h"

#include "core/evaluate/tune.h"
#include "core/rating/history_components.h"

/* Accounts, each of which is a player in both pools, and one for both together. */
#define ACCOUNTS	30
#define MATCHES		50
#define NAMES		4			/* contexts, and clubs */
#define MAX_ROWS	(MATCHES * TEST_MAX_ROWS)
#define HOUR		INT64_C(3600000000)

/* A random history, with everything that a model takes into account. */
typedef struct Life
{
	Fixture		f;
	History		history;
	HistoryMatch match[MATCHES];
	int32_t		player[MAX_ROWS];
	int32_t		team[MAX_ROWS];
	double		number[PARTICIPANT_NUMBERS][MAX_ROWS];
	int32_t		shared[3 * ACCOUNTS];
	int32_t		context[MAX_ROWS];
	int32_t		context_name[MAX_ROWS];
	int32_t		club[MAX_ROWS];
	int32_t		club_name[MAX_ROWS];
	HistoryWork work;
	HistoryComponents components;
	void	   *block[4];
} Life;

/* Numbers that are not the defaults, so that no part of a model is left at 0. */
static void
random_numbers(Random *random, Fixture *f)
{
	int			i;

	for (i = 0; i < f->model->params.count; i++)
	{
		const ParamSpec *spec = param_spec(&f->model->params, i);
		double		value = spec->default_value > 0 ?
			spec->default_value * random_between(random, 0.2, 2) :
			random_between(random, 0, 1);

		if (spec->type == PARAM_NUMBER && random_below(random, 3) == 0 &&
			param_in_range(spec, value))
			f->params[i].number = value;
	}
}

/* Give the players of a match accounts at random. */
static void
random_accounts(Random *random, int nplayers, int pool, int32_t *account)
{
	int			i,
				j;

	for (i = 0; i < nplayers; i++)
	{
		account[i] = pool * ACCOUNTS + random_below(random, ACCOUNTS);
		for (j = 0; j < i; j++)
			if (account[j] == account[i])
			{
				i--;
				break;
			}
	}
}

/* Add a match to the history, at a time. */
static void
add_match(Life *life, Random *random, int64_t played_at)
{
	History    *h = &life->history;
	HistoryMatch *match = &life->match[h->nmatches++];
	int32_t		account[TEST_MAX_ROWS];
	int			first_name = random_below(random, NAMES);
	int			i,
				j;

	random_match(random, &life->f, ORDINARY);
	match->played_at = played_at;
	match->pool = random_below(random, 2);
	random_accounts(random, life->f.match.nplayers, match->pool, account);
	match->log_odds = life->f.match.log_odds;
	match->first = match->first_context = match->first_club = h->nparticipants;
	match->n = life->f.n;
	for (i = 0; i < life->f.n; i++)
	{
		size_t		row = h->nparticipants++;

		life->player[row] = account[life->f.row[i].player];
		life->team[row] = life->f.row[i].team;
		life->context[row] = life->f.row[i].context < NAMES ? life->f.row[i].context : -1;
		life->club[row] = life->f.row[i].club < NAMES ? life->f.row[i].club : -1;
		/* The names of a match differ from each other. */
		life->context_name[row] = life->club_name[row] = (first_name + i) % NAMES;
		for (j = 0; j < PARTICIPANT_NUMBERS; j++)
			life->number[j][row] = life->f.row[i].number[j];
	}
	if (life->f.n > h->max_participants)
		h->max_participants = life->f.n;
}

static void
life_init(Life *life, Random *random, const char *model)
{
	History    *h = &life->history;
	const MatchRules *rules;
	void	   *room;
	int64_t		now = 0;
	int			m,
				i,
				j;

	memset(life, 0, sizeof(*life));
	fixture_init(&life->f, model);
	random_params(random, &life->f, ORDINARY);
	random_numbers(random, &life->f);
	rules = &life->f.model->rules;
	h->match = life->match;
	h->player = life->player;
	h->team = life->team;
	for (j = 0; j < PARTICIPANT_NUMBERS; j++)
		h->number[j] = life->number[j];
	h->nplayers = 3 * ACCOUNTS;
	h->shared = life->shared;
	for (i = 0; i < 3 * ACCOUNTS; i++)
		life->shared[i] = 2 * ACCOUNTS + i % ACCOUNTS;
	h->npools = 2;
	/* Several matches may be at the same time. */
	for (m = 0; m < MATCHES; m++)
	{
		if (random_below(random, 3) != 0)
			now += random_below(random, 2) ? HOUR : 24 * random_below(random, 60) * HOUR;
		add_match(life, random, now);
	}
	h->contexts.number = life->context;
	h->contexts.name = life->context_name;
	h->clubs.number = life->club;
	h->clubs.name = life->club_name;
	h->contexts.nnames = h->clubs.nnames = h->nparticipants;
	h->contexts.n = h->clubs.n = NAMES;

	life->block[0] = malloc(history_work_size(h, life->f.model->nstate));
	history_work_init(&life->work, life->block[0], h, life->f.model->nstate);
	if (life->f.model->look_back != NULL)
	{
		life->block[1] = malloc(history_past_size(h, life->f.model->nstate));
		history_past_init(&life->work, life->block[1], h, life->f.model->nstate);
	}
	life->block[2] = malloc(history_components_size(h, rules));
	room = malloc(history_components_room(h));
	history_components_find(&life->components, life->block[2], room, h, rules);
	free(room);
	life->block[3] = malloc(history_component_states_size(h, &life->components));
	history_component_states_init(&life->work, life->block[3], h, &life->components);
}

static void
life_free(Life *life)
{
	int			i;

	for (i = 0; i < 4; i++)
		free(life->block[i]);
}

/*
 * Another result for the rows of a match: ranks of teams in another order or drawn, with
 * scores that go with them, and other counts.  Ranks are of teams 1 to MAX_TEAMS.
 */
static void
change_rows(Random *random, unsigned supports, Participant *row, int n)
{
	double		rank[MAX_TEAMS];
	int			nteams = 0;
	int			i;

	for (i = 0; i < n; i++)
		if (row[i].team > nteams)
			nteams = row[i].team;
	random_ranks(random, nteams, (supports & MODEL_DRAWS) && random_below(random, 2), rank);
	for (i = 0; i < n; i++)
	{
		Participant *p = &row[i];

		p->rank = rank[p->team - 1];
		if (!isnan(p->score))
			p->score = 7 * (MAX_TEAMS - p->rank) - 3 * MAX_TEAMS;
		if (!isnan(p->kills))
			p->kills = random_below(random, 10);
		if (!isnan(p->deaths))
			p->deaths = random_below(random, 10);
		if (!isnan(p->quit))
			p->quit = random_below(random, 2);
	}
}

/* Change the results of all matches from there on, or remove them. */
static void
change_results(Life *life, Random *random, size_t from, bool removed)
{
	Participant row[TEST_MAX_ROWS];
	size_t		m;
	int			i,
				j;

	for (m = from; m < life->history.nmatches; m++)
	{
		const HistoryMatch *match = &life->match[m];

		for (i = 0; i < match->n; i++)
		{
			row[i].team = life->team[match->first + i];
			for (j = 0; j < PARTICIPANT_NUMBERS; j++)
				row[i].number[j] = life->number[j][match->first + i];
		}
		change_rows(random, life->f.model->rules.supports, row, match->n);
		for (i = 0; i < match->n; i++)
		{
			if (removed)
				row[i].rank = row[i].score = row[i].kills = row[i].deaths = row[i].quit = NAN;
			for (j = 0; j < PARTICIPANT_NUMBERS; j++)
				life->number[j][match->first + i] = row[i].number[j];
		}
	}
}

/* What each match before the end costs: a function of its forecast, as its result is the same. */
static MatchStatus
score_each_match(Life *life, size_t end, HistoryScore *score)
{
	size_t		bound[MATCHES + 1];
	size_t		match;
	int			offender;
	size_t		i;

	for (i = 0; i <= end; i++)
		bound[i] = i;
	return history_replay(&life->history, life->f.model, life->f.params, &life->work,
						  bound, (int) end, score, NULL, &match, &offender);
}

static void
assert_scores_same(const HistoryScore *actual, const HistoryScore *expected, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		assert_int_equal(actual[i].matches, expected[i].matches);
		assert_same(sum_value(&actual[i].log_loss), sum_value(&expected[i].log_loss));
	}
}

/* The forecast of a match is that of the same match with another result. */
static void
test_own_result(void **state)
{
	Random		random = {1601};
	Fixture		f;
	int			compared = 0;
	int			m,
				round,
				i;

	(void) state;
	for (m = 0; m < model_count; m++)
	{
		fixture_init(&f, model_registry[m]->name);
		for (round = 0; round < 3000; round++)
		{
			double		predicted[MAX_TEAMS];
			double		rated[MAX_TEAMS];
			double		draw;

			random_params(&random, &f, ORDINARY);
			random_numbers(&random, &f);
			random_match(&random, &f, ORDINARY);

			/*
			 * Among equal players, such as newcomers, nothing else says who
			 * comes first.
			 */
			if (random_below(&random, 2))
				for (i = 0; i < f.match.nplayers; i++)
				{
					f.model->init(f.params, f.before[i]);
					f.player[i].games = 0;
				}
			if (fixture_build(&f) != MATCH_OK ||
				model_predict(f.model, f.params, &f.match) != MATCH_OK)
				continue;
			for (i = 0; i < f.match.nteams; i++)
				predicted[i] = f.team[i].win;
			draw = model_draw(f.model, f.params, &f.match);
			if (model_rate(f.model, f.params, &f.match) != MATCH_OK)
				continue;
			for (i = 0; i < f.match.nteams; i++)
				rated[i] = f.team[i].win;

			change_rows(&random, f.model->rules.supports, f.row, f.n);
			if (fixture_build(&f) != MATCH_OK)
				continue;
			assert_status(model_predict(f.model, f.params, &f.match), MATCH_OK);
			for (i = 0; i < f.match.nteams; i++)
				assert_same(f.team[i].win, predicted[i]);
			assert_same(model_draw(f.model, f.params, &f.match), draw);
			if (model_rate(f.model, f.params, &f.match) != MATCH_OK)
				continue;
			for (i = 0; i < f.match.nteams; i++)
				assert_same(f.team[i].win, rated[i]);
			compared++;
		}
	}
	assert_true(compared > 2000 * model_count);
}

/* Neither do results of later matches, changed or removed, reach a forecast. */
static void
test_later_results(void **state)
{
	Random		random = {1602};
	Life	   *life = malloc(sizeof(Life));
	HistoryScore before[MATCHES];
	HistoryScore after[MATCHES];
	int			compared = 0;
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < 100; round++)
		{
			size_t		cut = 1 + random_below(&random, MATCHES);
			size_t		last;
			bool		told;

			life_init(life, &random, model_registry[m]->name);
			if (score_each_match(life, MATCHES, before) == MATCH_OK)
			{
				change_results(life, &random, cut, round % 2 == 1);
				/* What is behind the cut may overflow, what is before it not. */
				assert_status(score_each_match(life, cut, after), MATCH_OK);
				assert_scores_same(after, before, cut);
				if (score_each_match(life, MATCHES, after) == MATCH_OK)
					assert_scores_same(after, before, cut);
				told = false;
				for (last = cut; last < MATCHES; last++)
					told = told || sum_value(&after[last].log_loss) != sum_value(&before[last].log_loss);
				compared += cut == MATCHES || told;
			}
			life_free(life);
		}
	free(life);
	/* Changes do something, or nothing would be shown. */
	assert_true(compared > 90 * model_count);
}

/* What tune() makes small does not depend on what is held out. */
static void
test_held_out_results(void **state)
{
	Random		random = {1603};
	Life	   *life = malloc(sizeof(Life));
	int			m,
				round;

	(void) state;
	for (m = 0; m < model_count; m++)
		for (round = 0; round < 20; round++)
		{
			const ParamSet *set = &model_registry[m]->params;
			TuneProblem problem;
			double		before;
			double		variable = 0;
			int			i = random_below(&random, set->count);
			const ParamSpec *spec = param_spec(set, i);

			life_init(life, &random, model_registry[m]->name);
			memset(&problem, 0, sizeof(problem));
			problem.model = life->f.model;
			problem.params = life->f.params;
			problem.history = &life->history;
			problem.work = &life->work;
			problem.bound[0] = MATCHES / 10;
			problem.bound[1] = MATCHES / 10 + random_below(&random, MATCHES * 8 / 10);
			if (spec->type == PARAM_NUMBER)
			{
				problem.n = 1;
				problem.param[0].index = i;
				problem.param[0].low = spec->default_value;
				problem.param[0].high = spec->default_value + 1;
				variable = random_between(&random, problem.param[0].low, problem.param[0].high);
			}
			before = tune_objective(&problem, &variable);
			change_results(life, &random, problem.bound[1], round % 2 == 1);
			assert_same(tune_objective(&problem, &variable), before);
			life_free(life);
		}
	free(life);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_result),
		cmocka_unit_test(test_later_results),
		cmocka_unit_test(test_held_out_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
