/*
 * test.h
 *		What the unit tests of the core share: comparisons of doubles, random
 *		numbers that are the same in every run, and a match to fill in.
 *
 * cmocka compares floats but no doubles, so the comparisons are here.
 */
#ifndef TEST_CORE_TEST_H
#define TEST_CORE_TEST_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/models/registry.h"
#include "core/rating/recalibration.h"
#include "core/rating/size_advantage.h"

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* The most participants, players and teams of a Fixture. */
#define TEST_MAX_ROWS	64

/* The most parameters of any model. */
#define TEST_MAX_PARAMS 48

/* Fails unless |actual - expected| <= tolerance; NaN always fails. */
#define assert_near(actual, expected, tolerance) \
	check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/* The same, with the tolerance as a share of the expected value. */
#define assert_relative(actual, expected, tolerance) \
	check_relative((actual), (expected), (tolerance), #actual, \
				   __FILE__, __LINE__)

/* Fails unless both are the same double, to the last bit. */
#define assert_same(actual, expected) \
	check_same((actual), (expected), #actual, __FILE__, __LINE__)

#define assert_status(actual, expected) \
	check_status((actual), (expected), #actual, __FILE__, __LINE__)

static inline void
check_near(double actual, double expected, double tolerance,
		   const char *expression, const char *file, int line)
{
	if (fabs(actual - expected) <= tolerance || actual == expected)
		return;
	print_error("%s = %.17g, not %.17g within %.3g\n",
				expression, actual, expected, tolerance);
	_fail(file, line);
}

static inline void
check_relative(double actual, double expected, double tolerance,
			   const char *expression, const char *file, int line)
{
	check_near(actual, expected, tolerance * fabs(expected), expression,
			   file, line);
}

static inline void
check_same(double actual, double expected,
		   const char *expression, const char *file, int line)
{
	if (memcmp(&actual, &expected, sizeof(actual)) == 0)
		return;
	print_error("%s = %.17g, not exactly %.17g\n",
				expression, actual, expected);
	_fail(file, line);
}

static inline void
check_status(MatchStatus actual, MatchStatus expected,
			 const char *expression, const char *file, int line)
{
	if (actual == expected)
		return;
	print_error("%s is \"%s\", not \"%s\"\n", expression,
				match_status_message(actual), match_status_message(expected));
	_fail(file, line);
}

/*
 * SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014): small, and the same on every platform.
 */
typedef struct Random
{
	uint64_t	state;
} Random;

static inline uint64_t
random_bits(Random *random)
{
	uint64_t	z = (random->state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* Uniform from low to high. */
static inline double
random_between(Random *random, double low, double high)
{
	return low + (high - low) * ldexp((double) (random_bits(random) >> 11), -53);
}

/* Uniform among 0 .. n - 1. */
static inline int
random_below(Random *random, int n)
{
	return (int) (random_bits(random) % (uint64_t) n);
}

/* A size that is as likely to be tiny as huge: 10^-decades .. 10^decades. */
static inline double
random_magnitude(Random *random, double decades)
{
	return pow(10, random_between(random, -decades, decades));
}

/* Arguments of every size and both signs, ascending. */
static inline int
ascending_arguments(double *x)
{
	int			n = 0;
	int			exponent;

	x[n++] = -INFINITY;
	x[n++] = -DBL_MAX;
	for (exponent = 307; exponent >= -20; exponent--)
		x[n++] = -1.1 * pow(10, exponent);
	x[n++] = 0;
	for (exponent = -20; exponent <= 307; exponent++)
		x[n++] = 1.1 * pow(10, exponent);
	x[n++] = DBL_MAX;
	x[n++] = INFINITY;
	return n;
}

/* The most components and shares of a match, of all kinds together. */
#define TEST_MAX_COMPONENTS (TEST_MAX_ROWS * COMPONENT_MAX_KINDS)

/* A match in the making, with all the memory that it needs. */
typedef struct Fixture
{
	const Model *model;
	ParamValue	params[TEST_MAX_PARAMS];
	int			n;
	Participant row[TEST_MAX_ROWS];
	double		before[TEST_MAX_ROWS][MODEL_MAX_STATE];
	double		after[TEST_MAX_ROWS][MODEL_MAX_STATE];
	MatchTeam	team[TEST_MAX_ROWS];
	MatchPlayer player[TEST_MAX_ROWS];
	MatchEntry	entry[TEST_MAX_ROWS];
	MatchComponent component[TEST_MAX_COMPONENTS];
	MatchShare	share[TEST_MAX_COMPONENTS];
	double		component_before[TEST_MAX_COMPONENTS][COMPONENT_MAX_STATE];
	double		component_after[TEST_MAX_COMPONENTS][COMPONENT_MAX_STATE];
	uint64_t	component_seed; /* of states before; 0: those of new ones */
	double		component_decades;	/* how extreme those are, 0: not at all */
	int			name[TEST_MAX_ROWS];	/* by which states of components know
										 * their players */
	Match		match;
	int			offender;
} Fixture;

static inline ParamValue *
fixture_param(Fixture *f, const char *name)
{
	int			i = param_find(&f->model->params, name);

	assert_true(i >= 0);
	return &f->params[i];
}

/* Start over with a match of nobody; the players keep their states. */
static inline void
fixture_clear(Fixture *f)
{
	int			i;

	for (i = 0; i < TEST_MAX_ROWS; i++)
		f->name[i] = i;
	f->n = 0;
	f->match.nplayers = 0;
	f->match.team = f->team;
	f->match.player = f->player;
	f->match.entry = f->entry;
	f->match.component = f->component;
	f->match.share = f->share;
	f->match.log_odds = 0;
}

/* Default parameters, new players, and a match of nobody. */
static inline void
fixture_init(Fixture *f, const char *model)
{
	int			i;

	memset(f, 0, sizeof(*f));
	f->model = model_find(model);
	assert_non_null(f->model);
	assert_true(f->model->params.count <= TEST_MAX_PARAMS);
	param_defaults(&f->model->params, f->params);
	for (i = 0; i < TEST_MAX_ROWS; i++)
	{
		f->model->init(f->params, f->before[i]);
		f->player[i].before = f->before[i];
		f->player[i].after = f->after[i];
	}
	fixture_clear(f);
}

/* A participant of whom nothing else is known; call in order of the teams. */
static inline Participant *
fixture_add(Fixture *f, int player, int team, double rank)
{
	Participant *row = &f->row[f->n++];

	assert_true(f->n <= TEST_MAX_ROWS);
	*row = participant_default;
	row->player = player;
	row->team = team;
	row->rank = rank;
	if (player >= f->match.nplayers)
		f->match.nplayers = player + 1;
	return row;
}

/* Two against two with every number that a source may have. */
static inline void
fixture_full(Fixture *f, const char *model)
{
	int			i;

	fixture_init(f, model);
	for (i = 0; i < 4; i++)
	{
		Participant *row = fixture_add(f, i, 1 + i / 2, 1 + i / 2);

		row->score = 2 - i / 2;
		row->won = 1 - i / 2;
		row->weight = 1;
		row->joined = 0;
		row->left = 1200;
		row->commanding = 0.25;
		row->side = 1 + i / 2;
		row->squad = i / 2;
		row->kills = 5;
		row->deaths = 3;
		row->quit = 0;
		row->experience = 10;
	}
}

/* The gain of the match: that of each participant so far. */
static inline void
fixture_gain(Fixture *f, double gain)
{
	int			i;

	for (i = 0; i < f->n; i++)
		f->row[i].gain = gain;
}

/*
 * Let players who are on several teams share the match out among their rows, as nobody is
 * on two teams at once.  Several rows on one team are shares as well, and somebody has to have one.
 */
static inline void
fixture_share_out(Participant *row, int n)
{
	bool		has_shares = false;
	bool		repeats = false;
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		int			rows = 0;
		int			before = 0;
		bool		crosses = false;

		for (j = 0; j < n; j++)
			if (row[j].player == row[i].player)
			{
				rows++;
				before += j < i;
				crosses = crosses || row[j].team != row[i].team;
			}
		repeats = repeats || rows > 1;
		if (crosses)
		{
			row[i].joined = row[i].left = NAN;
			row[i].weight = (before + 1) / (rows * (rows + 1) / 2.0);
		}
		has_shares = has_shares || !isnan(row[i].weight) || !isnan(row[i].joined);
	}
	if (repeats && !has_shares)
		row[0].weight = 1;
}

/* The state of a component: by its kind, player and key, wherever it is in the match. */
static inline void
fixture_component_state(Fixture *f, int number)
{
	MatchComponent *component = &f->component[number];
	const ComponentSpec *spec = component->spec;
	int			player = component->player < 0 ? -1 : f->name[component->player];
	Random		random = {f->component_seed + 1000003u * (uint64_t) component->number +
	10007u * (uint64_t) component->key + 101u * (uint64_t) (player + 1)};
	int			i;

	component->before = f->component_before[number];
	component->after = f->component_after[number];
	spec->init(f->params, f->component_before[number]);
	if (f->component_seed == 0)
		return;
	component->games = random_below(&random, 100);
	for (i = 0; i < spec->nstate; i++)
	{
		double	   *value = &f->component_before[number][i];

		if (f->component_decades > 0 && random_below(&random, 2))
			*value = (random_below(&random, 2) ? 1 : -1) *
				random_magnitude(&random, f->component_decades);
		else
			*value = *value * random_between(&random, 0.5, 1.5) +
				(spec->state[i].role == ROLE_DEVIATION ? 0 :
				 random_between(&random, -0.5, 0.5));
		*value = fmax(spec->state[i].min, *value);
	}

	/* Two coefficients have an information that there can be. */
	if (spec->init == recalibration_init || spec->init == size_advantage_init)
	{
		double	   *information = &f->component_before[number][RECALIBRATION_INFORMATION];
		double		most = sqrt(information[0]) * sqrt(information[2]);

		information[1] = fmin(fmax(information[1], -most), most);
	}
}

static inline MatchStatus
fixture_build(Fixture *f)
{
	MatchStatus status = match_build(&f->model->rules, f->params, f->row, f->n,
									 &f->match, &f->offender);
	int			i;

	for (i = 0; i < f->match.ncomponents; i++)
		fixture_component_state(f, i);
	return status;
}

/* Rates a match that must be sound, onto memory that holds no old result. */
static inline void
fixture_rate(Fixture *f)
{
	int			i,
				j;

	for (i = 0; i < TEST_MAX_ROWS; i++)
		for (j = 0; j < MODEL_MAX_STATE; j++)
			f->after[i][j] = NAN;
	for (i = 0; i < TEST_MAX_COMPONENTS; i++)
		for (j = 0; j < COMPONENT_MAX_STATE; j++)
			f->component_after[i][j] = NAN;
	assert_status(fixture_build(f), MATCH_OK);
	for (i = 0; i < f->match.nplayers; i++)
		f->player[i].gradient = NAN;
	assert_status(model_rate(f->model, f->params, &f->match), MATCH_OK);
}

/* Compare the two numbers of each state with published ones; NaN for one that was not. */
static inline void
assert_published(const Fixture *f, const char *name, double expected[][2], const double *tolerance)
{
	int			i;

	for (i = 0; i < f->n; i++)
	{
		if (fabs(f->after[i][0] - expected[i][0]) > tolerance[i] ||
			fabs(f->after[i][1] - expected[i][1]) > tolerance[i])
			print_error("%s, player %d:\n", name, i);
		if (!isnan(expected[i][0]))
			assert_near(f->after[i][0], expected[i][0], tolerance[i]);
		if (!isnan(expected[i][1]))
			assert_near(f->after[i][1], expected[i][1], tolerance[i]);
	}
}

/* The players go into the next match as they came out of this one. */
static inline void
fixture_advance(Fixture *f)
{
	int			i;

	for (i = 0; i < f->match.nplayers; i++)
		memcpy(f->before[i], f->after[i], sizeof(f->before[i]));
}

#endif							/* TEST_CORE_TEST_H */
