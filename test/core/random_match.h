/*
 * random_match.h
 *		Random matches of whatever a model takes into account, for tests of all models.
 */
#ifndef TEST_CORE_RANDOM_MATCH_H
#define TEST_CORE_RANDOM_MATCH_H

#include <float.h>

#include "test.h"

/* The most teams of a random match. */
#define MAX_TEAMS	5

/* How large the numbers of a random match are. */
typedef enum Size
{
	ORDINARY,
	EXTREME,					/* but so that their products are finite */
	LIMITLESS					/* any finite double */
} Size;

static inline int
number_of_choices(const ParamSpec *spec)
{
	int			n = 0;

	while (spec->choices[n] != NULL)
		n++;
	return n;
}

/* A finite number, with less than a third of the decades a double has. */
static inline double
extreme_number(Random *random)
{
	static const double special[] = {0, 1, 1e-100, 1e100};
	double		x = random_below(random, 4) == 0 ?
		special[random_below(random, 4)] : random_magnitude(random, 100);

	return random_below(random, 2) ? x : -x;
}

static inline double
limitless_number(Random *random)
{
	double		x = random_below(random, 4) == 0 ? DBL_MAX :
		random_magnitude(random, 308);

	return random_below(random, 2) ? x : -x;
}

static inline double
random_number(Random *random, Size size)
{
	if (size == LIMITLESS && random_below(random, 4) == 0)
		return limitless_number(random);
	return extreme_number(random);
}

/* Switch a part of the model on or off. */
static inline void
random_part(Random *random, Fixture *f, const ModelPart *part)
{
	bool		on = random_below(random, 2);
	int			i;

	for (i = 0; i < part->nparams; i++)
	{
		const PartParam *param = &part->param[i];
		ParamValue *value = &f->params[param->param];
		double		number = on ? param->on : param->off;

		if (param_spec(&f->model->params, param->param)->type == PARAM_NUMBER)
			value->number = number;
		else if (param_spec(&f->model->params, param->param)->type == PARAM_FLAG)
			value->flag = number != 0;
		else
			value->choice = (int) number;
	}
}

/* Parameters within their ranges: parts and choices at random, numbers now and then. */
static inline void
random_params(Random *random, Fixture *f, Size size)
{
	int			i,
				j;

	param_defaults(&f->model->params, f->params);
	/* Extreme numbers switch parts on by themselves. */
	for (i = 0; size == ORDINARY && i < f->model->nparts; i++)
		random_part(random, f, &f->model->part[i]);
	for (i = 0; i < f->model->params.count; i++)
	{
		const ParamSpec *spec = param_spec(&f->model->params, i);
		ParamSteps *steps = &f->params[i].steps;

		/* Of another variant of the model, but for those that look back. */
		if (spec->of_state && strcmp(spec->name, "strict") != 0)
			continue;
		if (spec->type == PARAM_CHOICE)
			f->params[i].choice = random_below(random, number_of_choices(spec));
		else if (spec->type == PARAM_FLAG)
			f->params[i].flag = random_below(random, 2);
		else if (size == ORDINARY || random_below(random, 4) != 0)
			continue;
		else if (spec->type == PARAM_NUMBER)
		{
			double		value = random_number(random, size);

			if (param_in_range(spec, value))
				f->params[i].number = value;
		}
		else
		{
			steps->n = random_below(random, PARAM_MAX_STEPS + 1);
			for (j = 0; j < steps->n; j++)
			{
				steps->bound[j] = (j == 0 ? 0 : steps->bound[j - 1]) +
					random_between(random, 1, 1000);
				steps->value[j] = spec->min +
					random_between(random, 0, 100);
			}
		}
	}
	f->model = model_variant(f->model, f->params);
}

/* Sound states: not far from that of a new player, or anywhere. */
static inline void
random_states(Random *random, Fixture *f, int nplayers, Size size)
{
	int			i,
				j;

	for (i = 0; i < nplayers; i++)
	{
		f->model->init(f->params, f->before[i]);
		for (j = 0; j < f->model->nstate; j++)
		{
			double		min = f->model->state[j].min;
			double	   *value = &f->before[i][j];

			if (size == ORDINARY)
				*value = fmax(min, *value * random_between(random, 0.5, 1.5) +
							  random_between(random, -1, 1));
			else if (random_below(random, 2))
				*value = fmin(fmax(fmax(min, -STATE_LIMIT), random_number(random, size)), STATE_LIMIT);
		}
		assert_true(model_state_valid(f->model, f->before[i]));
		f->player[i].games = random_below(random, 100);
	}
}

/* The ranks of teams in a random order, some of them drawn if draws is not 0. */
static inline void
random_ranks(Random *random, int nteams, int draws, double *rank)
{
	int			i;

	for (i = 0; i < nteams; i++)
	{
		/* A random order, drawing with a team before it now and then. */
		int			other = random_below(random, i + 1);

		rank[i] = i + 1;
		if (draws)
			rank[i] = rank[other];
		else
		{
			double		swap = rank[i];

			rank[i] = rank[other];
			rank[other] = swap;
		}
	}
}

/* What else of a participant the model takes into account. */
static inline void
random_participant(Random *random, unsigned supports, Size size, Participant *row)
{
	double		weight;

	if (supports & MODEL_WEIGHT)
		switch (random_below(random, 3))
		{
			case 0:
				weight = size == ORDINARY ? random_between(random, 0.1, 1) :
					fabs(random_number(random, size));
				row->weight = weight > 1 ? 1 / weight : weight;
				break;
			case 1:
				row->joined = random_between(random, 0, 1000);
				row->left = row->joined + random_between(random, 1, 1000);
				break;
		}
	if ((supports & MODEL_COMMANDING) && random_below(random, 2))
		row->commanding = random_between(random, 0, 1);
	if ((supports & MODEL_SQUAD) && random_below(random, 2))
		row->squad = random_below(random, 3);
	if ((supports & MODEL_COUNTS) && random_below(random, 2))
		row->kills = random_below(random, 10);
	if ((supports & MODEL_COUNTS) && random_below(random, 2))
		row->deaths = size == ORDINARY ? random_below(random, 10) :
			fabs(random_number(random, size));
	if ((supports & MODEL_QUIT) && random_below(random, 2))
		row->quit = random_below(random, 2);
	if ((supports & MODEL_CONTEXT) && random_below(random, 2))
		row->context = random_below(random, 3);
	if ((supports & MODEL_CLUB) && random_below(random, 2))
		row->club = random_below(random, 2);
	if ((supports & MODEL_EXPERIENCE) && random_below(random, 2))
		row->experience = size == ORDINARY ? random_below(random, 300) :
			fabs(random_number(random, size));
}

/*
 * A random match of what the model takes into account.  A player may have
 * several stints, also for different teams.
 */
static inline void
random_match(Random *random, Fixture *f, Size size)
{
	unsigned	supports = f->model->rules.supports;
	int			nteams = supports & MODEL_MANY_TEAMS ?
		2 + random_below(random, MAX_TEAMS - 1) : 2;
	int			sided = (supports & MODEL_SIDE) && nteams == 2 && random_below(random, 2);
	int			draws = (supports & MODEL_DRAWS) && random_below(random, 2);
	int			nplayers = 0;
	double		rank[MAX_TEAMS];
	double		score[MAX_TEAMS];
	int			i,
				j;

	fixture_clear(f);
	random_ranks(random, nteams, draws, rank);

	/* Scores that go with the ranks, of matches and of teams on their own. */
	for (i = 0; i < nteams; i++)
		score[i] = NAN;
	if ((supports & MODEL_SCORE) && random_below(random, 2))
		for (i = 0; i < nteams; i++)
			score[i] = 10 * (MAX_TEAMS - rank[i]) - 5 * MAX_TEAMS;
	if ((supports & MODEL_ONE_TEAM) && random_below(random, 8) == 0)
	{
		nteams = 1;
		score[0] = size == ORDINARY ? random_between(random, -10, 10) :
			random_number(random, size);
	}
	for (i = 0; i < nteams; i++)
	{
		int			rows = 1 + random_below(random, 5);

		for (j = 0; j < rows; j++)
		{
			int			again = j > 0 && random_below(random, 4) == 0;
			int			player = again ? random_below(random, nplayers) :
				nplayers++;
			Participant *row = fixture_add(f, player, i + 1, rank[i]);

			if (sided)
				row->side = i + 1;
			row->score = score[i];
			random_participant(random, supports, size, row);
		}
	}
	fixture_share_out(f->row, f->n);
	if ((supports & MODEL_LOG_ODDS) && nteams == 2 && random_below(random, 2))
		f->match.log_odds = size == ORDINARY ? random_between(random, -2, 2) :
			random_number(random, size);
	if ((supports & MODEL_GAIN) && random_below(random, 2))
		fixture_gain(f, size == ORDINARY ? random_between(random, 0, 2) :
					 fabs(random_number(random, size)));
	if ((supports & MODEL_GAIN) && random_below(random, 2))
		for (i = 0; i < f->n; i++)
			if (random_below(random, 2))
				f->row[i].gain = size == ORDINARY ? random_between(random, 0, 2) :
					fabs(random_number(random, size));
	random_states(random, f, nplayers, size);
	if (f->model->rules.ncomponents == 0)
		return;

	/* Contexts are numbered below the number of participants. */
	for (i = 0; i < f->n; i++)
		if (f->row[i].context >= f->n)
			f->row[i].context = f->n - 1;
	f->component_seed = 1 + random_bits(random) % 1000000;
	f->component_decades = size == ORDINARY ? 0 : size == EXTREME ? 100 : 150;
}

#endif							/* TEST_CORE_RANDOM_MATCH_H */
