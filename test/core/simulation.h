/*
 * simulation.h
 *		Histories that a model itself has drawn, for tests of what is fitted to them.
 *
 * Each outcome is drawn with the probability that the model predicts, so that its
 * parameters are the true ones.
 */
#ifndef TEST_CORE_SIMULATION_H
#define TEST_CORE_SIMULATION_H

#include <stdlib.h>

#include "test.h"

#include "core/math/score.h"
#include "core/rating/history.h"

#define DAY INT64_C(86400000000)

/* Which of a participant's numbers the side is. */
#define SIDE_NUMBER \
	((offsetof(Participant, side) - offsetof(Participant, number)) / sizeof(double))

typedef struct Simulation
{
	const Model *model;
	ParamValue	params[TEST_MAX_PARAMS];
	History		history;
	HistoryWork work;
	void	   *block;
	double		log_loss;		/* of all predictions, as they were made */
	double		side_log_odds;	/* what side 1, which is team 1, is worth: set
								 * before; unless 0 the history has sides */
} Simulation;

static inline void
set_param(Simulation *s, const char *name, double value)
{
	int			i = param_find(&s->model->params, name);

	assert_true(i >= 0);
	s->params[i].number = value;
}

static inline double
get_param(Simulation *s, const char *name)
{
	return s->params[param_find(&s->model->params, name)].number;
}

static inline void
simulation_init(Simulation *s, const char *model)
{
	memset(s, 0, sizeof(*s));
	s->model = model_find(model);
	param_defaults(&s->model->params, s->params);
}

static inline void
simulation_free(Simulation *s)
{
	free(s->history.match);
	free(s->history.player);
	free(s->history.team);
	free(s->history.number[0]);
	free(s->history.number[SIDE_NUMBER]);
	free(s->history.shared);
	free(s->block);
}

/* So many duels among players, each some days after the one before. */
static inline void
simulate(Simulation *s, uint64_t seed, int matches, int players, double days)
{
	Random		random = {seed};
	Fixture		f;
	double	   *state = malloc(players * s->model->nstate * sizeof(double));
	int64_t    *last_played = malloc(players * sizeof(int64_t));
	int64_t    *games = calloc(players, sizeof(int64_t));
	History    *h = &s->history;
	Sum			loss = {0, 0};
	int			m,
				i;

	fixture_init(&f, s->model->name);
	memcpy(f.params, s->params, sizeof(f.params));
	for (i = 0; i < players; i++)
	{
		s->model->init(s->params, state + i * s->model->nstate);
		last_played[i] = NEVER_PLAYED;
	}
	h->nmatches = matches;
	h->nparticipants = 2 * (size_t) matches;
	h->match = calloc(matches, sizeof(HistoryMatch));
	h->player = calloc(h->nparticipants, sizeof(int32_t));
	h->team = calloc(h->nparticipants, sizeof(int32_t));
	h->number[0] = calloc(h->nparticipants, sizeof(double));
	if (s->side_log_odds != 0)
		h->number[SIDE_NUMBER] = calloc(h->nparticipants, sizeof(double));
	h->nplayers = players;
	h->max_participants = 2;

	for (m = 0; m < matches; m++)
	{
		int			who[2];
		int64_t		at = (int64_t) (m * days * DAY);
		bool		first_wins;

		who[0] = (int) random_between(&random, 0, players);
		who[1] = (who[0] + 1 + (int) random_between(&random, 0, players - 1)) % players;
		for (i = 0; i < 2; i++)
			model_state_before(s->model, s->params,
							   state + who[i] * s->model->nstate,
							   idle_seconds(last_played[who[i]], at), f.match.period, NULL, 0,
							   f.before[i]);

		/* Predict, draw the outcome, and rate it. */
		fixture_clear(&f);
		fixture_add(&f, 0, 1, 1);
		fixture_add(&f, 1, 2, 2);
		f.match.log_odds = s->side_log_odds;
		f.player[0].games = games[who[0]];
		f.player[1].games = games[who[1]];
		assert_status(fixture_build(&f), MATCH_OK);
		assert_status(model_predict(s->model, f.params, &f.match), MATCH_OK);
		first_wins = random_between(&random, 0, 1) < f.team[0].win;
		f.row[0].rank = first_wins ? 1 : 2;
		f.row[1].rank = first_wins ? 2 : 1;
		fixture_rate(&f);
		sum_add(&loss, log_loss(f.team[0].win, first_wins ? 1 : 0));

		h->match[m].played_at = at;
		h->match[m].first = 2 * (size_t) m;
		h->match[m].n = 2;
		for (i = 0; i < 2; i++)
		{
			memcpy(state + who[i] * s->model->nstate, f.after[i],
				   s->model->nstate * sizeof(double));
			last_played[who[i]] = at;
			games[who[i]]++;
			h->player[2 * m + i] = who[i];
			h->team[2 * m + i] = i + 1;
			h->number[0][2 * m + i] = f.row[i].rank;
			if (h->number[SIDE_NUMBER] != NULL)
				h->number[SIDE_NUMBER][2 * m + i] = i + 1;
		}
	}
	s->log_loss = sum_value(&loss);
	s->block = malloc(history_work_size(h, s->model->nstate));
	history_work_init(&s->work, s->block, h, s->model->nstate);
	free(state);
	free(last_played);
	free(games);
}

#endif							/* TEST_CORE_SIMULATION_H */
