/*
 * test_periods.c
 *		Rating periods of elo, glicko and glicko2 against the papers' examples, and against
 *		batches of whole periods that are computed here from lists of games.
 */
#include "test.h"

#include <stdlib.h>
#include <time.h>

#include "core/models/deviation.h"
#include "core/models/glicko.h"
#include "core/models/registry.h"

#define MAX_PLAYERS 40
#define MAX_GAMES 1400
#define PERIODS 12

#define MICROSECONDS INT64_C(1000000)
#define DAY (86400 * MICROSECONDS)

/* From the epoch of Unix to that of the server's times, in seconds. */
#define SECONDS_TO_2000 INT64_C(946684800)

/* A model with players, whose matches are rated one by one. */
typedef struct World
{
	Fixture		f;
	int			n;
	double		state[MAX_PLAYERS][MODEL_MAX_STATE];
	double		games[MAX_PLAYERS];
} World;

/* Players who have not played, under parameters of the fixture that are set before. */
static void
begin(World *world, int n)
{
	int			i;

	world->f.model = model_variant(world->f.model, world->f.params);
	world->n = n;
	for (i = 0; i < n; i++)
	{
		world->f.model->init(world->f.params, world->state[i]);
		world->games[i] = 0;
	}
}

static void
set_period(World *world, const char *model, PeriodKind kind)
{
	fixture_init(&world->f, model);
	fixture_param(&world->f, "period")->choice = kind;
}

/* The state of a player in a period. */
static void
state_at(const World *world, int player, Period period, double *state)
{
	model_state_before(world->f.model, world->f.params, world->state[player], 0, period,
					   NULL, 0, state);
}

/* Enter the match of the fixture, whose player i is player[i] of the world. */
static void
enter(World *world, const int *player, int n, Period period)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		state_at(world, player[i], period, world->f.before[i]);
		world->f.player[i].games = world->games[player[i]];
	}
}

static MatchStatus
rate(World *world, const int *player, int n, Period period)
{
	MatchStatus status;
	int			i;

	enter(world, player, n, period);
	status = fixture_build(&world->f);
	world->f.match.period = period;
	if (status == MATCH_OK)
		status = model_rate(world->f.model, world->f.params, &world->f.match);
	for (i = 0; i < n && status == MATCH_OK; i++)
	{
		memcpy(world->state[player[i]], world->f.after[i], sizeof(world->f.after[i]));
		world->games[player[i]]++;
	}
	return status;
}

/* A game of two, of which a scores 1, 1/2 or 0. */
typedef struct Game
{
	int			a;
	int			b;
	double		score;
} Game;

static void
play(World *world, const Game *game, Period period)
{
	int			player[2] = {game->a, game->b};

	fixture_clear(&world->f);
	fixture_add(&world->f, 0, 1, game->score == 0 ? 2 : 1);
	fixture_add(&world->f, 1, 2, game->score == 1 ? 2 : 1);
	assert_status(rate(world, player, 2, period), MATCH_OK);
}

static Period
period_at(const World *world, int64_t at)
{
	return period_of(world->f.model, world->f.params, at, 0);
}

static Period
tournament(const World *world, const char *name, int64_t at)
{
	return period_of(world->f.model, world->f.params, at,
					 period_tournament_key(name, strlen(name)));
}

/*
 * ---- The papers ----
 */

static void
play_the_example(World *world)
{
	static const double rating[] = {1500, 1400, 1550, 1700};
	static const double deviation[] = {200, 30, 100, 300};
	static const Game game[] = {{0, 1, 1}, {2, 0, 1}, {0, 3, 0}};
	int			i;

	begin(world, 4);
	for (i = 0; i < 4; i++)
	{
		world->state[i][0] = rating[i];
		world->state[i][1] = deviation[i];
	}

	/* Three days of a month, in any order. */
	for (i = 0; i < 3; i++)
		play(world, &game[(i + 1) % 3], period_at(world, (10 - 3 * i) * DAY));
}

static void
test_the_papers(void **unused)
{
	World		world;
	double		state[MODEL_MAX_STATE];

	(void) unused;
	set_period(&world, "glicko", PERIOD_MONTH);
	fixture_param(&world.f, "c")->number = 0;
	play_the_example(&world);
	assert_same(world.state[0][0], 1500);
	state_at(&world, 0, period_at(&world, 31 * DAY), state);
	assert_near(state[0], 1464.1, 0.05);
	assert_near(state[1], 151.4, 0.05);

	set_period(&world, "glicko2", PERIOD_MONTH);
	play_the_example(&world);
	state_at(&world, 0, period_at(&world, 31 * DAY), state);
	assert_near(state[0], 1464.0507, 5e-5);
	assert_near(state[1], 151.5165, 5e-5);
	assert_near(state[2], 0.059996, 5e-7);
}

/*
 * ---- Batches ----
 */

/* What a player has at the start of a period. */
typedef struct Standing
{
	long double rating;
	long double deviation;
	long double volatility;
	int			games;
	int			last;			/* the period before in which the player
								 * played, or -1 */
} Standing;

#define POINTS (400 / logl(10))

static long double
attenuation(long double deviation)
{
	return 1 / sqrtl(1 + 3 * deviation * deviation / (POINTS * POINTS * acosl(-1) * acosl(-1)));
}

/* Sums over the games of a player, in log-odds; how many they are. */
static int
sum_games(const Standing *standing, const Game *game, int n, int player, bool glicko,
		  long double *information, long double *surprise)
{
	int			games = 0;
	int			i;

	*information = *surprise = 0;
	for (i = 0; i < n; i++)
	{
		bool		first = game[i].a == player;
		const Standing *opponent = &standing[first ? game[i].b : game[i].a];
		long double score = first ? game[i].score : 1 - game[i].score;
		long double g = glicko ? attenuation(opponent->deviation) : 1;
		long double expected;

		if (!first && game[i].b != player)
			continue;
		expected = 1 / (1 + powl(10, -g * (standing[player].rating - opponent->rating) / 400));
		*information += g * g * expected * (1 - expected);
		*surprise += g * (score - expected);
		games++;
	}
	return games;
}

/* Step 5 of the paper on Glicko-2, by bisection, up to the bound of the page. */
static long double
volatility_after(long double phi, long double sigma, long double information,
				 long double surprise, long double tau)
{
	long double a = logl(sigma * sigma);
	long double low = a - 30;
	long double high = a + 1;
	int			i;

	if (information == 0)
		return sigma;
	for (i = 0; i < 200; i++)
	{
		long double v = 1 / information;
		long double delta = v * surprise;
		long double x = (low + high) / 2;
		long double d = phi * phi + v + expl(x);
		long double f = expl(x) * (delta * delta - d) / (2 * d * d) - (x - a) / (tau * tau);

		if (f > 0)
			low = x;
		else
			high = x;
	}
	return expl(low / 2);
}

/* A whole period of one player; the standings are those at its start. */
static Standing
end_of_period(const World *world, const Standing *standing, const Game *game, int n, int player)
{
	const char *model = world->f.model->name;
	Standing	end = standing[player];
	long double information;
	long double surprise;
	int			games = sum_games(standing, game, n, player, strcmp(model, "elo") != 0,
								  &information, &surprise);

	end.games += games;
	if (strcmp(model, "elo") == 0)
	{
		long double k = standing[player].games < 30 ? 40 : standing[player].rating >= 1700 ? 10 : 20;

		end.rating += k * surprise;
		if (end.rating < 1350 && end.rating < standing[player].rating)
			end.rating = fminl(1350, standing[player].rating);
		return end;
	}
	if (strcmp(model, "glicko") == 0)
	{
		long double q = 1 / POINTS;
		long double c = 63.2L;

		/* The paper's first step, for those who have played before. */
		end.deviation = sqrtl(1 / (1 / (end.deviation * end.deviation) + q * q * information));
		end.rating += q * end.deviation * end.deviation * surprise;
		end.deviation = fmaxl(end.deviation, 30);
		if (end.games > 0)
			end.deviation = fminl(sqrtl(end.deviation * end.deviation + c * c), 350);
		return end;
	}
	end.volatility = volatility_after(end.deviation / POINTS, end.volatility, information,
									  surprise, 0.5L);
	if (end.games > 0)
	{
		long double phi = hypotl(end.deviation / POINTS, end.volatility);

		phi = 1 / sqrtl(1 / (phi * phi) + information);
		end.rating += POINTS * phi * phi * surprise;
		end.deviation = fminl(phi * POINTS, 350);
	}
	return end;
}

/* Games of a period: from 0 to 200 of a player, some of whom rest. */
static int
draw_games(Random *random, int players, Game *game)
{
	int			active = 2 + random_below(random, players - 1);
	int			n = random_below(random, 4) == 0 ? 0 : random_below(random, 115 * active);
	int			shift = random_below(random, players);
	int			count[MAX_PLAYERS] = {0};
	int			total = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		int			a = random_below(random, active);
		int			b = (a + 1 + random_below(random, active - 1)) % active;
		double		chance;

		if (count[a] == 200 || count[b] == 200)
			continue;
		count[a]++;
		count[b]++;
		game[total].a = (a + shift) % players;
		game[total].b = (b + shift) % players;

		/* A number more is worth forty points. */
		chance = 1 / (1 + pow(10, (game[total].b - game[total].a) / 10.0));
		game[total].score = random_between(random, 0, 1) < chance;
		if (random_below(random, 4) == 0)
			game[total].score = 0.5;
		total++;
	}
	return total;
}

static void
set_chess(World *world)
{
	ParamSteps *by_games = &fixture_param(&world->f, "k_by_games")->steps;
	ParamSteps *by_rating = &fixture_param(&world->f, "k_by_rating")->steps;

	fixture_param(&world->f, "k")->number = 20;
	by_games->n = by_rating->n = 1;
	by_games->bound[0] = 30;
	by_games->value[0] = 40;
	by_rating->bound[0] = 1700;
	by_rating->value[0] = 10;
	fixture_param(&world->f, "floor")->number = 1350;
}

/*
 * Twelve months of twelve players, against their batches; the most games that one of them
 * had in a month.
 */
static int
check_batches(const char *model, uint64_t seed)
{
	static Game game[MAX_GAMES];
	const int	players = 12;
	Random		random = {seed};
	Standing	standing[MAX_PLAYERS];
	World		world;
	int			most = 0;
	int			p,
				i;

	set_period(&world, model, PERIOD_MONTH);
	if (strcmp(model, "elo") == 0)
		set_chess(&world);
	begin(&world, players);
	for (i = 0; i < players; i++)
	{
		/* Some start as newcomers, others from another list. */
		standing[i] = (Standing) {1500, 350, 0.06L, 0, -1};
		if (i % 3 == 0)
			standing[i].rating = world.state[i][0] = 1720 - 40 * i + random_between(&random, -100, 100);
	}
	for (p = 0; p < PERIODS; p++)
	{
		Period		period = period_at(&world, (15 + 30 * (int64_t) p) * DAY);
		int			n = draw_games(&random, players, game);
		Standing	end[MAX_PLAYERS];

		assert_true(n <= MAX_GAMES);
		for (i = 0; i < n; i++)
			play(&world, &game[i], period);
		for (i = 0; i < players; i++)
		{
			double		state[MODEL_MAX_STATE];

			end[i] = end_of_period(&world, standing, game, n, i);
			if (end[i].games - standing[i].games > most)
				most = end[i].games - standing[i].games;

			/* Where the next period begins. */
			period.key++;
			state_at(&world, i, period, state);
			period.key--;
			assert_relative(state[0], (double) end[i].rating, 1e-9);
			if (strcmp(model, "elo") != 0)
				assert_relative(state[1], (double) end[i].deviation, 1e-9);
			if (strcmp(model, "glicko2") == 0)
				assert_relative(state[2], (double) end[i].volatility, 1e-9);
			assert_true(world.games[i] == end[i].games);
		}
		memcpy(standing, end, sizeof(standing));
	}
	return most;
}

static void
test_batches(void **unused)
{
	static const char *const models[] = {"elo", "glicko", "glicko2"};
	int			m,
				i;

	(void) unused;
	for (m = 0; m < 3; m++)
	{
		int			most = 0;

		for (i = 1; i <= 5; i++)
		{
			int			games = check_batches(models[m], 100 * m + i);

			most = games > most ? games : most;
		}
		assert_int_equal(most, 200);
	}
}

/* The games of a period in any order give the same list. */
static void
test_permutations(void **unused)
{
	static const char *const models[] = {"elo", "glicko", "glicko2"};
	static Game game[MAX_GAMES];
	static World world[2];
	Random		random = {17};
	int			m,
				repeat,
				i,
				j;

	(void) unused;
	for (m = 0; m < 3; m++)
		for (repeat = 0; repeat < 20; repeat++)
		{
			for (i = 0; i < 2; i++)
			{
				set_period(&world[i], models[m], PERIOD_WEEK);
				if (m == 0)
					set_chess(&world[i]);
				begin(&world[i], 12);
			}
			for (j = 0; j < 3; j++)
			{
				Period		period = period_at(&world[0], (3 + 7 * (int64_t) j) * DAY);
				int			n = draw_games(&random, 12, game);

				for (i = 0; i < n; i++)
					play(&world[0], &game[i], period);
				for (i = n; i > 1; i--)
				{
					int			other = random_below(&random, i);
					Game		last = game[i - 1];

					game[i - 1] = game[other];
					game[other] = last;
				}
				for (i = 0; i < n; i++)
					play(&world[1], &game[i], period);
			}
			for (i = 0; i < 12; i++)
			{
				Period		next = period_at(&world[0], 24 * DAY);
				double		state[2][MODEL_MAX_STATE];

				for (j = 0; j < 2; j++)
					state_at(&world[j], i, next, state[j]);
				for (j = 0; j < world[0].f.model->nstate; j++)
					assert_near(state[0][j], state[1][j], 1e-9 * (1 + fabs(state[1][j])));
			}
		}
}

/* A Swiss tournament of 200 games by the arithmetic of FIDE: all from the ratings before. */
static void
test_swiss_tournament(void **unused)
{
	static Game game[200];
	Random		random = {5};
	World		world;
	double		before[MAX_PLAYERS];
	double		games[MAX_PLAYERS];
	Period		open;
	int			n = 0;
	int			i,
				j;

	(void) unused;
	set_period(&world, "elo", PERIOD_TOURNAMENT);
	set_chess(&world);
	begin(&world, 40);
	open = tournament(&world, "Open 2026", 100 * DAY);
	for (i = 0; i < 40; i++)
	{
		before[i] = world.state[i][0] = 1400 + 20 * i;
		games[i] = world.games[i] = i % 4 == 0 ? 25 : 100;
	}

	/* Ten rounds, each of twenty games. */
	for (i = 0; i < 10; i++)
		for (j = 0; j < 20; j++)
		{
			int			a = (j + 7 * i) % 40;

			game[n].a = a;
			game[n].b = (39 - j + 7 * i) % 40;
			game[n].score = random_below(&random, 3) / 2.0;
			play(&world, &game[n++], open);
		}
	for (i = 0; i < 40; i++)
	{
		double		k = games[i] < 30 ? 40 : before[i] >= 1700 ? 10 : 20;
		double		sum = 0;
		double		state[MODEL_MAX_STATE];
		int			played = 0;

		for (j = 0; j < n; j++)
		{
			int			opponent = game[j].a == i ? game[j].b : game[j].a;

			if (game[j].a != i && game[j].b != i)
				continue;
			sum += k * ((game[j].a == i ? game[j].score : 1 - game[j].score) -
						1 / (1 + pow(10, (before[opponent] - before[i]) / 400)));
			played++;
		}
		assert_int_equal(played, 10);
		assert_same(world.state[i][0], before[i]);
		state_at(&world, i, tournament(&world, "another", 120 * DAY), state);
		assert_near(state[0], before[i] + sum, 1e-9);
	}
}

/*
 * ---- Tournaments ----
 */

/* A game that is late counts in the tournament that is open. */
static void
test_overlapping_tournaments(void **unused)
{
	static const Game win = {0, 1, 1};
	World		world;
	Period		a,
				b,
				c;
	double		state[MODEL_MAX_STATE];
	double		first;
	double		second;

	(void) unused;
	set_period(&world, "elo", PERIOD_TOURNAMENT);
	begin(&world, 2);
	a = tournament(&world, "a", NEVER_PLAYED);
	b = tournament(&world, "b", NEVER_PLAYED);
	c = tournament(&world, "c", NEVER_PLAYED);
	play(&world, &win, a);
	play(&world, &win, a);
	play(&world, &win, b);

	/* Two wins of 16 points; then all is from 1532 against 1468. */
	assert_near(world.state[0][0], 1532, 1e-12);
	play(&world, &win, a);
	play(&world, &win, b);
	assert_near(world.state[0][0], 1532, 1e-12);
	first = 32 * (1 - 1 / (1 + pow(10, -64 / 400.0)));
	state_at(&world, 0, c, state);
	assert_near(state[0], 1532 + 3 * first, 1e-12);

	/* Others who were not in b are still in a. */
	state_at(&world, 0, a, state);
	assert_near(state[0], 1532, 1e-12);
	play(&world, &win, c);
	second = 32 * (1 - 1 / (1 + pow(10, -(64 + 6 * first) / 400)));
	state_at(&world, 0, a, state);
	assert_near(state[0], 1532 + 3 * first + second, 1e-12);
}

/* Tournaments are a period each, and whole periods between their first games are rest. */
static void
test_rest_between_tournaments(void **unused)
{
	static const Game draw = {0, 1, 0.5};
	static const struct
	{
		int64_t		at;
		double		periods;
	}			next[] = {{NEVER_PLAYED, 1}, {5 * DAY, 1}, {59 * DAY, 1}, {60 * DAY, 2}, {100 * DAY, 3}};
	World		world;
	size_t		i;

	(void) unused;
	for (i = 0; i < sizeof(next) / sizeof(next[0]); i++)
	{
		GlickoGames games = {0, 0};
		double		state[MODEL_MAX_STATE];
		double		after;

		set_period(&world, "glicko", PERIOD_TOURNAMENT);
		begin(&world, 2);
		world.state[0][1] = world.state[1][1] = 50;
		play(&world, &draw, tournament(&world, "a", DAY / 2));
		glicko_add_game(&games, 0, 50 * GLICKO_LOG_ODDS, 0.5, 0, 1);
		after = glicko_deviation(&games, 50 * GLICKO_LOG_ODDS) / GLICKO_LOG_ODDS;
		state_at(&world, 0, tournament(&world, "b", next[i].at), state);
		assert_near(state[1], sqrt(after * after + next[i].periods * 63.2 * 63.2), 1e-9);
	}
}

/*
 * ---- The calendar ----
 */

static struct tm
calendar(int64_t at)
{
	time_t		seconds = (time_t) (floor(at / 1e6) + SECONDS_TO_2000);
	struct tm	date;

	gmtime_r(&seconds, &date);
	return date;
}

/* Periods begin where the C library says that days, weeks and months do. */
static void
test_calendar(void **unused)
{
	World		day;
	World		week;
	World		month;
	World		days;
	int64_t		d;

	(void) unused;
	set_period(&day, "elo", PERIOD_DAY);
	set_period(&week, "elo", PERIOD_WEEK);
	set_period(&month, "elo", PERIOD_MONTH);
	set_period(&days, "elo", PERIOD_DAYS);
	fixture_param(&days.f, "period_days")->number = 14;
	begin(&day, 1);
	begin(&week, 1);
	begin(&month, 1);
	begin(&days, 1);

	/* From 4714 BC on, and beyond 2700. */
	for (d = -2451545; d < 300000; d++)
	{
		int64_t		begins = d * DAY;
		struct tm	date = calendar(begins);
		double		before = d == -2451545 ? 0 : period_at(&month, begins - 1).key;

		assert_true(period_at(&day, begins).key == d + 2451546);
		assert_true(period_at(&day, begins + DAY - 1).key == d + 2451546);
		if (d == -2451545)
			continue;
		assert_true(period_at(&week, begins).key - period_at(&week, begins - 1).key ==
					(date.tm_wday == 1));
		assert_true(period_at(&month, begins).key - before == (date.tm_mday == 1));
		/* From 2001-01-01 on, which is 366 days after 2000-01-01. */
		assert_true(period_at(&days, begins).key - period_at(&days, begins - 1).key ==
					((d - 366) % 14 == 0));
	}
	assert_true(period_at(&day, -2451545 * DAY).key == 1);
	assert_true(period_at(&week, -2451545 * DAY).key == 1);
	assert_true(period_at(&month, -2451545 * DAY).key == 1);
	assert_true(period_at(&days, -2451545 * DAY).key == 1);
	assert_true(period_at(&day, NEVER_PLAYED).key == 0);

	/* Seven days are a week; half a day is one, too. */
	fixture_param(&days.f, "period_days")->number = 7;
	for (d = -1000; d < 1000; d++)
		assert_true(period_at(&days, d * DAY).key == period_at(&week, d * DAY).key);
	fixture_param(&days.f, "period_days")->number = 0.5;
	assert_true(period_at(&days, DAY / 2).key - period_at(&days, DAY / 2 - 1).key == 1);
	assert_true(period_at(&days, DAY).key - period_at(&days, 0).key == 2);
	fixture_param(&days.f, "period_days")->number = 1e9;
	assert_true(period_at(&days, 300000 * DAY).key >= 1);
}

/*
 * ---- What is shown, and what is forecast ----
 */

static void
test_shown(void **unused)
{
	static const char *const models[] = {"elo", "glicko", "glicko2"};
	static const Game upset = {0, 1, 1};
	static const Game expected = {0, 2, 1};
	World		world;
	double		closed[MODEL_MAX_STATE];
	double		after_upset;
	int			m;

	(void) unused;
	for (m = 0; m < 3; m++)
	{
		set_period(&world, models[m], PERIOD_DAY);
		begin(&world, 3);
		world.state[1][0] = 2000;
		world.state[2][0] = 1400;
		if (m > 0)
			world.state[1][1] = world.state[2][1] = 30;
		play(&world, &upset, period_at(&world, 0));
		assert_same(model_display(world.f.model, world.f.params, world.state[0]), 1500);

		fixture_param(&world.f, "period_shown")->choice = PERIOD_SHOWN_SO_FAR;
		after_upset = model_display(world.f.model, world.f.params, world.state[0]);
		state_at(&world, 0, period_at(&world, DAY), closed);
		assert_near(after_upset, closed[0], 1e-9);
		assert_true(after_upset > 1510);

		/* A win moves the sums up, and yet makes a great surprise count less. */
		play(&world, &expected, period_at(&world, 0));
		state_at(&world, 0, period_at(&world, DAY), closed);
		assert_near(model_display(world.f.model, world.f.params, world.state[0]), closed[0], 1e-9);
		if (m == 0)
			assert_true(closed[0] > after_upset);
		else
			assert_true(closed[0] < after_upset - 10);
	}
}

/* Forecasts are those of the start, and of the period in which the match is. */
static void
test_forecasts(void **unused)
{
	static const Game win = {0, 1, 1};
	static const int player[2] = {0, 1};
	World		world;
	int			i;

	(void) unused;
	set_period(&world, "elo", PERIOD_WEEK);
	begin(&world, 2);
	for (i = 0; i < 10; i++)
	{
		play(&world, &win, period_at(&world, 0));
		assert_same(world.f.team[0].win, 0.5);
	}
	for (i = 0; i < 2; i++)
	{
		Period		period = period_at(&world, 7 * i * DAY);

		fixture_clear(&world.f);
		fixture_add(&world.f, 0, 1, 1);
		fixture_add(&world.f, 1, 2, 1);
		enter(&world, player, 2, period);
		assert_status(fixture_build(&world.f), MATCH_OK);
		assert_status(model_predict(world.f.model, world.f.params, &world.f.match), MATCH_OK);

		/* Ten wins of 16 points each. */
		assert_near(world.f.team[0].win, i == 0 ? 0.5 : 1 / (1 + pow(10, -320 / 400.0)), 1e-12);
	}

	/* A match without a time is in no period. */
	assert_status(rate(&world, player, 2, period_at(&world, NEVER_PLAYED)), MATCH_NO_PERIOD);
}

/* Matches of teams, of any number, add up what each of them would change on its own. */
static void
test_teams(void **unused)
{
	Random		random = {3};
	World		world;
	double		start[MAX_PLAYERS];
	double		sum[MAX_PLAYERS] = {0};
	int			i,
				j;

	(void) unused;
	set_period(&world, "elo", PERIOD_MONTH);
	begin(&world, 9);
	for (i = 0; i < 9; i++)
		start[i] = world.state[i][0] = random_between(&random, 1200, 1800);
	for (i = 0; i < 60; i++)
	{
		int			player[9];
		Fixture		single;
		int			teams = 2 + i % 2;

		fixture_init(&single, "elo");
		fixture_clear(&world.f);
		for (j = 0; j < 3 * teams; j++)
		{
			Participant *row = fixture_add(&world.f, j, j / 3, 1 + random_below(&random, 2));

			player[j] = (j + i) % 9;
			row->rank = j % 3 == 0 ? row->rank : row[-1].rank;
			row->gain = i % 5 == 0 ? 2 : 1;
			*fixture_add(&single, j, j / 3, row->rank) = *row;
			single.before[j][0] = start[player[j]];
		}
		fixture_rate(&single);
		assert_status(rate(&world, player, 3 * teams, period_at(&world, 0)), MATCH_OK);
		for (j = 0; j < 3 * teams; j++)
			sum[player[j]] += single.after[j][0] - start[player[j]];
	}
	for (i = 0; i < 9; i++)
	{
		double		state[MODEL_MAX_STATE];

		state_at(&world, i, period_at(&world, 40 * DAY), state);
		assert_near(state[0], start[i] + sum[i], 1e-9);
	}
}

/* Variants have the columns of their model first, and more behind them. */
static void
test_variants(void **unused)
{
	int			m,
				i,
				j,
				found = 0;

	(void) unused;
	for (m = 0; m < model_count; m++)
	{
		const Model *model = model_registry[m];
		int			period = param_find(&model->params, "period");
		ParamValue	params[TEST_MAX_PARAMS];

		if (period < 0)
			continue;
		param_defaults(&model->params, params);
		for (i = PERIOD_DAY; period_choices[i] != NULL; i++)
		{
			const Model *variant;
			double		state[MODEL_MAX_STATE];

			params[period].choice = i;
			variant = model_variant(model, params);
			assert_string_equal(variant->name, model->name);
			assert_true(variant->nstate > model->nstate && variant->nstate <= MODEL_MAX_STATE);
			assert_ptr_equal(variant->variant, model->variant);
			assert_int_equal(variant->period_param, period);
			for (j = 0; j < variant->nstate; j++)
				if (j == 0)
					assert_string_equal(variant->state[j].name, "start_rating");
				else if (j < model->nstate)
					assert_string_equal(variant->state[j].name, model->state[j].name);
				else
					assert_int_equal(variant->state[j].role, ROLE_PERIOD);
			variant->init(params, state);
			assert_true(model_state_valid(variant, state));
			assert_near(model_display(variant, params, state), 1500, 0);
			found++;
		}
	}
	assert_int_equal(found, 3 * 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_papers),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_permutations),
		cmocka_unit_test(test_swiss_tournament),
		cmocka_unit_test(test_overlapping_tournaments),
		cmocka_unit_test(test_rest_between_tournaments),
		cmocka_unit_test(test_calendar),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_forecasts),
		cmocka_unit_test(test_teams),
		cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
