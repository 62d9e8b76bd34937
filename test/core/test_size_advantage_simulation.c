/*
 * test_size_advantage_simulation.c
 *		The advantage of the larger team in simulations, learned beside the skills of the
 *		players: against the same forecasts without it, and with the true advantage given.
 *
 * Losses are those above the truth's, as expected given the true probabilities, in the
 * second half of the matches and as the mean of all seeds.
 */
#include "test.h"

#include "core/math/logistic.h"
#include "core/math/score.h"

#define PLAYERS 60
#define MATCHES 4000
#define SEEDS 10

/* How teams are made, and what decides. */
typedef enum Game
{
	FOUR_AGAINST_THREE,			/* or four; each player counts the same */
	MIXED_SAME,					/* 2 against 1 to 12 against 11; the same */
	MIXED_RATIO					/* as many, and the ratio of numbers decides */
} Game;

/* Log-odds of one player more, and of all players against none; deviation of skills. */
#define WORTH 1.0
#define RATIO 3.0
#define DEVIATION 0.8

/* Uneven matches are no worse than even ones by more than this, or than with the truth known. */
#define MOST_ABOVE_EVEN 0.01
#define MOST_ABOVE_KNOWN 0.005

/*
 * Even matches lose no more by the advantage of uneven ones; where sizes are mixed, models
 * that learn fast at first (glicko) lose by what is not yet known of it then.
 */
#define MOST_OF_EVEN 0.0005
#define MOST_OF_MIXED_EVEN 0.0015

typedef struct Losses
{
	double		even;
	double		uneven;
} Losses;

static Fixture f;
static double states[PLAYERS][MODEL_MAX_STATE];
static double games[PLAYERS];
static double skills[PLAYERS];
static double learned[COMPONENT_MAX_STATE];
static double past[PLAYERS][MATCHES * MODEL_MAX_STATE];

static double
random_normal(Random *random)
{
	double		sum = -6;
	int			i;

	for (i = 0; i < 12; i++)
		sum += random_between(random, 0, 1);
	return sum;
}

/* Choose teams of players who are all different. */
static int
choose_players(Random *random, Game game, int *who, int *size)
{
	bool		chosen[PLAYERS] = {false};
	int			larger_team = game == FOUR_AGAINST_THREE ? 4 : 2 + random_below(random, 11);
	bool		uneven = random_between(random, 0, 1) < 0.3;
	bool		first = random_below(random, 2);
	int			i;

	size[0] = larger_team - (uneven && !first);
	size[1] = larger_team - (uneven && first);
	for (i = 0; i < size[0] + size[1]; i++)
	{
		do
			who[i] = random_below(random, PLAYERS);
		while (chosen[who[i]]);
		chosen[who[i]] = true;
	}
	return size[0] + size[1];
}

/* The true probability that the first team wins. */
static double
true_probability(Game game, const int *who, const int *size)
{
	double		sum[2] = {0, 0};
	int			i;

	for (i = 0; i < size[0] + size[1]; i++)
		sum[i >= size[0]] += skills[who[i]];
	if (game == MIXED_RATIO)
		return logistic(2 * (sum[0] / size[0] - sum[1] / size[1]) +
						RATIO * (size[0] - size[1]) / (size[0] + size[1]));
	return logistic(sum[0] - sum[1] + WORTH * (size[0] - size[1]));
}

/* Rate a match, and let everything go on from there. */
static void
play(const int *who, const int *size, bool first_wins)
{
	int			n = size[0] + size[1];
	int			i;

	fixture_clear(&f);
	for (i = 0; i < n; i++)
	{
		fixture_add(&f, i, i < size[0] ? 1 : 2, (i < size[0]) == first_wins ? 1 : 2);
		memcpy(f.before[i], states[who[i]], sizeof(f.before[i]));
		f.player[i].games = games[who[i]];
	}
	assert_status(fixture_build(&f), MATCH_OK);
	if (f.model->look_back != NULL)
		for (i = 0; i < n; i++)
			model_look_back(f.model, f.params, past[who[i]], (int) games[who[i]],
							&f.player[i]);
	for (i = 0; i < f.match.ncomponents; i++)
		if (f.component[i].spec->init == size_advantage_init)
			memcpy(f.component_before[i], learned, sizeof(learned));
	assert_status(model_rate(f.model, f.params, &f.match), MATCH_OK);
	for (i = 0; i < f.match.ncomponents; i++)
		if (f.component[i].spec->init == size_advantage_init)
			memcpy(learned, f.component_after[i], sizeof(learned));
	for (i = 0; i < n; i++)
	{
		memcpy(states[who[i]], f.after[i], sizeof(f.after[i]));
		if (f.model->look_back != NULL)
			(void) model_remember(f.model, f.after[i], past[who[i]], (int) games[who[i]]);
		games[who[i]]++;
	}
}

/* The losses of one seed, of the model and parameters of the fixture. */
static Losses
simulate_seed(Game game, uint64_t seed)
{
	Random		random = {seed * 7919 + 1};
	Losses		sum = {0, 0};
	int			uneven = 0;
	int			m,
				i;

	for (i = 0; i < PLAYERS; i++)
	{
		f.model->init(f.params, states[i]);
		games[i] = 0;
		skills[i] = (game == FOUR_AGAINST_THREE ? 1 : 0.5) * DEVIATION * random_normal(&random);
	}
	size_advantage_init(f.params, learned);
	for (m = 0; m < MATCHES; m++)
	{
		int			who[TEST_MAX_ROWS];
		int			size[2];
		double		p;
		double		loss;

		(void) choose_players(&random, game, who, size);
		p = true_probability(game, who, size);
		play(who, size, random_between(&random, 0, 1) < p);
		if (m < MATCHES / 2)
			continue;
		loss = log_loss(fmin(fmax(f.team[0].win, 1e-15), 1 - 1e-15), p) - log_loss(p, p);
		*(size[0] == size[1] ? &sum.even : &sum.uneven) += loss;
		uneven += size[0] != size[1];
	}
	sum.even /= MATCHES - MATCHES / 2 - uneven;
	sum.uneven /= uneven;
	return sum;
}

static Losses
simulate(Game game, const Model *model, bool strict, int choice)
{
	Losses		mean = {0, 0};
	int			seed;

	fixture_init(&f, model->name);
	if (strict)
		fixture_param(&f, "strict")->flag = true;
	f.model = model_variant(f.model, f.params);
	f.params[SIZE_ADVANTAGE].choice = choice;
	if (choice == SIZE_ADVANTAGE_FIXED && game == MIXED_RATIO)
		f.params[SIZE_ADVANTAGE_PARAM_RATIO].number = RATIO;
	else if (choice == SIZE_ADVANTAGE_FIXED)
		f.params[SIZE_ADVANTAGE_PARAM_DIFFERENCE].number = WORTH;
	for (seed = 1; seed <= SEEDS; seed++)
	{
		Losses		loss = simulate_seed(game, seed);

		mean.even += loss.even / SEEDS;
		mean.uneven += loss.uneven / SEEDS;
	}
	return mean;
}

/* Models whose formula favours the larger team are only shown. */
static void
check_game(Game game)
{
	double		most_of_even = game == FOUR_AGAINST_THREE ? MOST_OF_EVEN : MOST_OF_MIXED_EVEN;
	int			m;

	print_message("%-14s %9s %9s, without %9s %9s, known %9s %9s\n", "", "even", "uneven", "even",
				  "uneven", "even", "uneven");
	for (m = 0; m <= model_count; m++)
	{
		bool		strict = m == model_count;
		const Model *model = strict ? model_find("synelo") : model_registry[m];
		const char *name = strict ? "strict synelo" : model->name;
		Losses		on = simulate(game, model, strict, SIZE_ADVANTAGE_AUTO);
		Losses		off;
		Losses		known;

		if (strict || strcmp(model->name, "hive") == 0)
		{
			print_message("%-14s %9.4f %9.4f\n", name, on.even, on.uneven);
			continue;
		}
		off = simulate(game, model, strict, SIZE_ADVANTAGE_NONE);
		known = simulate(game, model, strict, SIZE_ADVANTAGE_FIXED);
		print_message("%-14s %9.4f %9.4f, without %9.4f %9.4f, known %9.4f %9.4f\n", name,
					  on.even, on.uneven, off.even, off.uneven, known.even, known.uneven);
		assert_true(on.uneven <= known.uneven + MOST_ABOVE_KNOWN);
		if (game == FOUR_AGAINST_THREE)
			assert_true(on.uneven <= on.even + MOST_ABOVE_EVEN);

		/*
		 * A model that is too sure of itself (trueskill and weng_lin by
		 * default) loses by skills that are farther apart, and so by knowing
		 * the advantage, which nobody can do better than.
		 */
		assert_true(on.even <= fmax(off.even, known.even) + most_of_even);
	}
}

static void
test_four_against_three(void **state)
{
	(void) state;
	check_game(FOUR_AGAINST_THREE);
}

static void
test_mixed_sizes_same(void **state)
{
	(void) state;
	check_game(MIXED_SAME);
}

static void
test_mixed_sizes_ratio(void **state)
{
	(void) state;
	check_game(MIXED_RATIO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four_against_three),
		cmocka_unit_test(test_mixed_sizes_same),
		cmocka_unit_test(test_mixed_sizes_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
