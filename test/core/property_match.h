/*
 * property_match.h
 *		Matches of every shape, with skills far apart and deviations of every size, for
 *		tests of what a match may do to a rating.
 */
#ifndef TEST_CORE_PROPERTY_MATCH_H
#define TEST_CORE_PROPERTY_MATCH_H

#include "random_match.h"

/* The most opponents of a player, and how far apart display ratings are at most. */
#define MOST_OPPONENTS	40
#define LARGEST_GAP		10000.0

/* The largest deviation, that of a parameter. */
#define LARGEST_DEVIATION 1e9

/* The sizes of the teams of a match. */
typedef struct Shape
{
	int			nteams;
	int			members[MOST_OPPONENTS + 1];
} Shape;

static inline Shape
random_shape(Random *random, unsigned supports)
{
	Shape		shape = {2, {1, 1}};
	int			kind = random_below(random, 10);
	int			size = 1 + random_below(random, 12);
	int			i;

	if (kind < 3)
		return shape;

	/* Large fields are dear, so that most are small. */
	if ((supports & MODEL_MANY_TEAMS) && kind < 8)
		shape.nteams = 2 + random_below(random, random_below(random, 10) == 0 ?
										MOST_OPPONENTS : 5);
	if (kind == 9 && (supports & MODEL_ONE_TEAM))
		shape.nteams = 1;
	if (kind < 6 && shape.nteams > 2)
		size = 1;
	if (size * shape.nteams > TEST_MAX_ROWS)
		size = TEST_MAX_ROWS / shape.nteams;
	for (i = 0; i < shape.nteams; i++)
		shape.members[i] = kind < 7 ? size : 1 + random_below(random, size);
	return shape;
}

/* The first order that a result can have, the reverse, any, ties, or a draw of all. */
static inline void
random_result(Random *random, unsigned supports, int nteams, double *rank)
{
	int			kind = random_below(random, supports & MODEL_DRAWS ? 6 : 3);
	int			i;

	if (kind == 5)
		for (i = 0; i < nteams; i++)
			rank[i] = 1;
	else if (kind < 2)
		for (i = 0; i < nteams; i++)
			rank[i] = kind == 0 ? i + 1 : nteams - i;
	else
		random_ranks(random, nteams, kind > 2, rank);
}

/* A distance: none, any size, or the largest. */
static inline double
random_gap(Random *random)
{
	switch (random_below(random, 5))
	{
		case 0:
			return 0;
		case 1:
			return LARGEST_GAP;
		case 2:
			return random_between(random, 0, LARGEST_GAP);
		default:
			return random_magnitude(random, 4);
	}
}

static inline double
random_deviation(Random *random, int kind, double min, double initial)
{
	double		low = min > 0 ? min : 1e-12;
	double		unit = initial > 0 ? initial : 1;

	switch (kind)
	{
		case 0:
			return min;
		case 1:
			return LARGEST_DEVIATION;
		case 2:
			return low * pow(LARGEST_DEVIATION / low, random_between(random, 0, 1));
		case 3:
			return unit * random_magnitude(random, 1.5);
		default:
			return initial;
	}
}

/*
 * A state with the given main column.  A column that is a level, as that one is, goes with
 * it; one that cannot be negative is of any size.
 */
static inline void
property_state(Random *random, const Fixture *f, double level, int deviations, double *state)
{
	double		init[MODEL_MAX_STATE];
	int			j;

	f->model->init(f->params, init);
	memcpy(state, init, sizeof(init));
	state[0] = level;
	for (j = 1; j < f->model->nstate; j++)
	{
		const StateSpec *spec = &f->model->state[j];

		if (spec->role == ROLE_DEVIATION)
			state[j] = random_deviation(random, deviations, spec->min, init[j]);
		else if (random_below(random, 3) == 0)
			state[j] = init[j];
		else if (isfinite(spec->min))
			state[j] = fmax(spec->min, (init[j] > 0 ? init[j] : 1) *
							random_magnitude(random, 1.5));
		else
			state[j] = random_between(random, -1, 1) *
				(init[j] != 0 ? random_magnitude(random, 2) : 1) +
				(init[j] != 0 ? level : 0);
	}
}

/*
 * Every state of the match: teams apart by gaps of either sign, or players.  In one of four
 * all are the same, so that those with the same result are treated alike.
 */
static inline void
property_states(Random *random, Fixture *f)
{
	double		centre = f->before[0][0];
	double		gap = random_gap(random);
	double		offset[TEST_MAX_ROWS];
	int			deviations = random_below(random, 8);
	bool		equal = random_below(random, 4) == 0;
	int			i;

	f->model->init(f->params, f->before[0]);
	centre = f->before[0][0];
	for (i = 0; i < TEST_MAX_ROWS; i++)
		offset[i] = random_below(random, 2) ? random_between(random, -gap, gap) / 2 :
			random_below(random, 2) ? gap / 2 : -gap / 2;
	for (i = 0; i < f->match.nplayers; i++)
	{
		int			team = 0;
		int			row;

		if (equal && i > 0)
		{
			memcpy(f->before[i], f->before[0], sizeof(f->before[0]));
			f->player[i].games = f->player[0].games;
			continue;
		}
		for (row = 0; row < f->n; row++)
			if (f->row[row].player == i)
				team = f->row[row].team;
		if (random_below(random, 8) == 0)
		{
			/* Somebody who has not played. */
			f->model->init(f->params, f->before[i]);
			f->player[i].games = 0;
			continue;
		}
		property_state(random, f, centre + (gap > 100 && i % 3 == 0 ? offset[i] :
											offset[team]), deviations, f->before[i]);
		f->player[i].games = random_below(random, 100);
	}
}

/* Scores that say the same as the ranks, close or far apart, and also below zero. */
static inline void
property_scores(Random *random, const Shape *shape, const double *rank, double *score)
{
	double		step = random_magnitude(random, 2);
	double		level = random_between(random, -1, 2) * step * shape->nteams;
	int			i;

	for (i = 0; i < shape->nteams; i++)
		score[i] = level + step * (shape->nteams - rank[i]);
	if (shape->nteams == 1)
		score[0] = level;
}

/* What all rows of the match have in common, or their teams. */
static inline void
property_match(Random *random, Fixture *f)
{
	unsigned	supports = f->model->rules.supports;
	Shape		shape = random_shape(random, supports);
	bool		plain = random_below(random, 2);
	bool		sided = (supports & MODEL_SIDE) && shape.nteams == 2 && random_below(random, 2);
	bool		scored = shape.nteams == 1 ||
		((supports & MODEL_SCORE) && random_below(random, 2));
	double		rank[TEST_MAX_ROWS];
	double		score[TEST_MAX_ROWS];
	int			nplayers = 0;
	int			i,
				j;

	fixture_clear(f);
	random_result(random, supports, shape.nteams, rank);
	property_scores(random, &shape, rank, score);
	for (i = 0; i < shape.nteams; i++)
		for (j = 0; j < shape.members[i]; j++)
		{
			bool		again = !plain && j > 0 && random_below(random, 8) == 0;
			Participant *row = fixture_add(f, again ? random_below(random, nplayers) :
										   nplayers++, i + 1, rank[i]);

			if (sided)
				row->side = i + 1;
			if (scored)
				row->score = score[i];
			if (!plain)
				random_participant(random, supports, ORDINARY, row);
		}
	fixture_share_out(f->row, f->n);
	for (i = 0; i < f->n; i++)
		if (f->row[i].context >= f->n)
			f->row[i].context = f->n - 1;
	if ((supports & MODEL_LOG_ODDS) && shape.nteams == 2 && random_below(random, 4) == 0)
		f->match.log_odds = random_between(random, -5, 5);
	if ((supports & MODEL_GAIN) && random_below(random, 4) == 0)
		for (i = 0; i < f->n; i++)
			f->row[i].gain = random_below(random, 4) == 0 ? 0 : random_between(random, 0, 3);
	f->component_seed = random_below(random, 2) ? 1 + random_bits(random) % 1000000 : 0;
	property_states(random, f);
}

/* The defaults, or choices and parts at random; and what neither switches on. */
static inline void
property_params(Random *random, Fixture *f)
{
	int			display = param_find(&f->model->params, "display_deviations");
	int			experience = param_find(&f->model->params, "experience_offset");

	if (random_below(random, 3) == 0)
	{
		param_defaults(&f->model->params, f->params);
		f->model = model_variant(f->model, f->params);
		return;
	}
	random_params(random, f, ORDINARY);
	if (f->params[SIZE_ADVANTAGE].choice == SIZE_ADVANTAGE_FIXED)
	{
		f->params[SIZE_ADVANTAGE_PARAM_RATIO].number = random_between(random, -3, 3);
		f->params[SIZE_ADVANTAGE_PARAM_DIFFERENCE].number = random_between(random, -1, 1);
	}
	if (display >= 0 && random_below(random, 2))
		f->params[display].number = 3;
	if (experience >= 0 && random_below(random, 4) == 0)
	{
		f->params[experience].steps.n = 1;
		f->params[experience].steps.bound[0] = 0;
		f->params[experience].steps.value[0] = random_between(random, -1, 1);
	}
}

#endif							/* TEST_CORE_PROPERTY_MATCH_H */
