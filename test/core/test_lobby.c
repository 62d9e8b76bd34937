/*
 * test_lobby.c
 *		Searches among lobbies, against all splits that there are.
 */
#include "lobby_box.h"

#include "core/math/logistic.h"
#include "core/split/constraints.h"
#include "core/split/fair_split.h"
#include "core/split/near_split.h"
#include "core/split/priority.h"

#define NOISE 1e-9

/* What binds players, as bits. */
enum
{
	PARTIES = 1,
	LOCKS = 2,
	APART = 4,
	EVENLY = 8,
	SIDES = 16,
	ALL_BOUND = 32
};

static void
bind(LobbyBox *box, Random *random, int bound)
{
	Lobby	   *lobby = &box->lobby;
	int			n = lobby->n;
	int			i;

	if (bound & PARTIES)
	{
		box_groups(random, n, box->party);
		lobby->party = box->party;
		memcpy(box->squad, box->party, sizeof(box->squad));
		lobby->squad = box->squad;
	}
	if (bound & EVENLY)
	{
		box_groups(random, n, box->evenly);
		lobby->evenly = box->evenly;
	}
	if (bound & LOCKS)
	{
		for (i = 0; i < n; i++)
			box->locked[i] = SPLIT_ANYWHERE(lobby->nteams);
		i = random_below(random, n);
		box->locked[i] = SPLIT_MAY(random_below(random, lobby->nteams + 1));
		lobby->benched = box->locked[i] == SPLIT_MAY(SPLIT_BENCH);
		lobby->locked_teams = lobby->allowed_teams = box->locked;
	}
	if (bound & APART)
		box->apart[lobby->napart++] = (SplitPair)
	{
		0, 1 + random_below(random, n - 1)
	};
	if (bound & SIDES)
	{
		for (i = 0; i < n; i++)
			box->estimate[1][i] = box->estimate[0][i] + random_below(random, 100);
		lobby->estimate[1] = box->estimate[1];
	}
	box_end_lobby(box);
}

/* The difference of two teams by its definition: of means of estimates. */
static double
difference(const Lobby *lobby, const int *team)
{
	double		sum[2] = {0, 0};
	double		weights[2] = {0, 0};
	int			i;

	for (i = 0; i < lobby->n; i++)
		if (team[i] != SPLIT_BENCH)
		{
			double		weight = lobby->weight != NULL ? lobby->weight[i] : 1;

			sum[team[i] - 1] += weight * lobby->estimate[team[i] - 1][i];
			weights[team[i] - 1] += weight;
		}
	return sum[0] / weights[0] - sum[1] / weights[1];
}

/* How far even is, of all splits that keep what is asked for; infinite if there is none. */
static double
most_even(const Lobby *lobby, const SplitRequest *request)
{
	double		least = INFINITY;
	int			team[BOX_PLAYERS] = {0};
	long		s;

	for (s = 0; s < box_splits(lobby); s++)
	{
		box_split(lobby, s, team);
		if (box_keeps(lobby, request, team))
			least = fmin(least, fabs(difference(lobby, team) - lobby->even_difference));
	}
	return least;
}

/* Teams of at least one player, and a bench in half of the cases. */
static SplitRequest
random_request(Random *random, const Lobby *lobby)
{
	SplitRequest request = {.in_order = random_below(random, 2) == 0};
	int			bench = random_below(random, 2);

	request.size[0] = (lobby->n - bench) / 2;
	request.size[1] = lobby->n - bench - request.size[0];
	return request;
}

/* Everything that binds two teams, with a handicap. */
static void
test_most_even(void **state)
{
	Random		random = {1};
	int			found = 0;
	int			bound;
	int			again;

	(void) state;
	for (bound = 0; bound < ALL_BOUND; bound++)
		for (again = 0; again < 6; again++)
		{
			void	   *began = box_begin();
			LobbyBox	box;
			SplitRequest request;
			Split		split;
			double		least;

			box_begin_lobby(&box, &random, 4 + random_below(&random, 4), 2);
			box.lobby.log_odds = again % 3 == 0 ? random_between(&random, -2, 2) : 0;
			box.lobby.even_difference = -box.lobby.log_odds * box.lobby.log_odds_unit;
			bind(&box, &random, bound);
			request = random_request(&random, &box.lobby);
			least = most_even(&box.lobby, &request);
			split_fairly(&box.lobby, &request, &split);
			assert_int_equal(split.answer.found, least < INFINITY);
			if (split.answer.found)
			{
				found++;
				assert_true(box_keeps(&box.lobby, &request, split.answer.team));
				assert_near(split.difference, difference(&box.lobby, split.answer.team), NOISE);
				assert_near(fabs(split.imbalance_logit) * 100, least, NOISE);
				assert_near(split.win[0],
							logistic(split.difference / 100 + box.lobby.log_odds), NOISE);
				assert_near(split.win[0] + split.win[1], 1, NOISE);
			}
			box_end(began);
		}
	assert_true(found > 100);
}

static double
gap(const Lobby *lobby, const int *team)
{
	double		best[2] = {-INFINITY, -INFINITY};
	int			i;

	for (i = 0; i < lobby->n; i++)
		if (team[i] != SPLIT_BENCH)
			best[team[i] - 1] = fmax(best[team[i] - 1], lobby->estimate[team[i] - 1][i]);
	return fabs(best[0] - best[1]);
}

static double
spread(const Lobby *lobby, const int *team)
{
	double		mean = 0;
	double		square[2] = {0, 0};
	int			count[2] = {0, 0};
	int			i;

	for (i = 0; i < lobby->n; i++)
		mean += (lobby->estimate[0][i] + lobby->estimate[1][i]) / 2 / lobby->n;
	for (i = 0; i < lobby->n; i++)
		if (team[i] != SPLIT_BENCH)
		{
			square[team[i] - 1] += pow(lobby->estimate[team[i] - 1][i] - mean, 2);
			count[team[i] - 1]++;
		}
	return fabs(square[0] / count[0] - square[1] / count[1]);
}

static int
moves(const Lobby *lobby, const int *team)
{
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n && lobby->current != NULL; i++)
		n += lobby->current[i] != SPLIT_NOWHERE && lobby->current[i] != team[i];
	return n;
}

static double
second(const Lobby *lobby, Secondary secondary, const int *team)
{
	return secondary == SECONDARY_BEST ? gap(lobby, team) :
		secondary == SECONDARY_SPREAD ? spread(lobby, team) : 0;
}

/*
 * Of the splits within the tolerance none moves fewer, and of those that move as few none is
 * better by the secondary objective.
 */
static void
check_near_split(const Lobby *lobby, const SplitRequest *request, const Split *split)
{
	double		limit = most_even(lobby, request) + request->tolerance + NOISE;
	int			fewest = lobby->n;
	double		best = INFINITY;
	int			team[BOX_PLAYERS];
	int			pass;
	long		s;

	for (pass = 0; pass < 2; pass++)
		for (s = 0; s < box_splits(lobby); s++)
		{
			box_split(lobby, s, team);
			if (!box_keeps(lobby, request, team) || fabs(difference(lobby, team)) > limit)
				continue;
			if (pass == 0 && moves(lobby, team) < fewest)
				fewest = moves(lobby, team);
			if (pass == 1 && moves(lobby, team) == fewest)
				best = fmin(best, second(lobby, request->secondary, team));
		}
	assert_true(split->answer.found && !split->unproven);
	assert_true(box_keeps(lobby, request, split->answer.team));
	assert_true(fabs(difference(lobby, split->answer.team)) <= limit);
	assert_int_equal(moves(lobby, split->answer.team), fewest);
	assert_near(second(lobby, request->secondary, split->answer.team), best,
				NOISE * (1 + fabs(best)));
}

static void
test_near_splits(void **state)
{
	Random		random = {2};
	int			checked = 0;
	int			again;

	(void) state;
	for (again = 0; again < 360; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		SplitRequest request;
		Split		split;
		int			i;

		box_begin_lobby(&box, &random, 4 + random_below(&random, 3), 2);
		bind(&box, &random, again % ALL_BOUND & ~SIDES);
		for (i = 0; i < box.lobby.n; i++)
			box.current[i] = random_below(&random, 4) + SPLIT_NOWHERE;
		if (again % 2 == 0)
			box.lobby.current = box.current;
		request = random_request(&random, &box.lobby);
		request.secondary = (Secondary) (again % 3);
		request.tolerance = again % 5 == 0 ? 0 : random_below(&random, 300);
		split_with_priority(&box.lobby, &request, &split);
		if (split.answer.found)
		{
			checked++;
			check_near_split(&box.lobby, &request, &split);
		}
		else
			assert_true(most_even(&box.lobby, &request) == INFINITY);
		box_end(began);
	}
	assert_true(checked > 200);
}

/*
 * ---- Weights ----
 */

/* Teams of equal weights are as far apart in what searches go by as in their weighted means. */
static void
test_weights(void **state)
{
	Random		random = {3};
	int			compared = 0;
	int			again;

	(void) state;
	for (again = 0; again < 20; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby	   *lobby = &box.lobby;
		int			team[BOX_PLAYERS];
		int			commander[2] = {-1, -1};
		long		s;
		int			i;

		box_begin_lobby(&box, &random, 6, 2);
		for (i = 0; i < 6; i++)
			box.weight[i] = random_below(&random, 2) == 0 ? 1 : 0.5;
		lobby->weight = box.weight;
		box_end_lobby(&box);
		for (s = 0; s < box_splits(lobby); s++)
		{
			double		strength[SPLIT_MAX_TEAMS];
			double		sum[3] = {0};
			double		weights[3] = {0};
			double		count[3] = {0};

			box_split(lobby, s, team);
			for (i = 0; i < 6; i++)
			{
				sum[team[i]] += lobby->mu[0][i];
				weights[team[i]] += box.weight[i];
				count[team[i]]++;
			}
			if (count[1] == 0 || count[0] > 0 || count[1] != count[2])
				continue;
			team_strengths(lobby, team, commander, strength);
			assert_near(strength[0] - strength[1], difference(lobby, team), NOISE);
			if (weights[1] != weights[2])
				continue;
			compared++;
			assert_near(sum[1] / 3 - sum[2] / 3, difference(lobby, team), NOISE);
		}
		box_end(began);
	}
	assert_true(compared > 50);
}

/*
 * ---- A model ----
 */

/* Even is where the first team is ahead by so much, and the curve is steeper than that without. */
static double even_of_model;

static double
gain_of_squad(const Lobby *lobby, int player, int squad)
{
	(void) lobby;
	(void) player;
	return 30 * (squad - 1);
}

static void
predict_test(const Lobby *lobby, const int *team, const int *commander, double ahead,
			  double *win)
{
	double		strength[SPLIT_MAX_TEAMS];

	team_strengths(lobby, team, commander, strength);
	win[0] = logistic(3 * (strength[0] + ahead - strength[1] - even_of_model) / 100);
	win[1] = 1 - win[0];
}

static const LobbyModel test_model = {gain_of_squad, predict_test};

/* The split is as fair as any by a model of which the search knows nothing but its answers. */
static void
test_model_splits(void **state)
{
	Random		random = {4};
	int			checked = 0;
	int			again;

	(void) state;
	for (again = 0; again < 60; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby	   *lobby = &box.lobby;
		SplitRequest request;
		Split		split;
		double		least = INFINITY;
		int			team[BOX_PLAYERS];
		int			commander[2] = {-1, -1};
		long		s;

		box_begin_lobby(&box, &random, 4 + random_below(&random, 4), 2);
		even_of_model = random_between(&random, -200, 200);
		lobby->model = &test_model;
		bind(&box, &random, again % ALL_BOUND & ~SIDES);
		request = random_request(&random, lobby);
		for (s = 0; s < box_splits(lobby); s++)
		{
			double		win[2];

			box_split(lobby, s, team);
			if (!box_keeps(lobby, &request, team))
				continue;
			predict_test(lobby, team, commander, 0, win);
			least = fmin(least, fabs(win[0] - 0.5));
		}
		split_fairly(lobby, &request, &split);
		assert_int_equal(split.answer.found, least < INFINITY);
		if (split.answer.found)
		{
			double		win[2];

			checked++;
			predict_test(lobby, split.answer.team, commander, 0, win);
			assert_same(split.win[0], win[0]);
			assert_near(fabs(split.win[0] - 0.5), least, NOISE);
			assert_near(lobby->even_difference, split.even_difference, 0);
		}
		box_end(began);
	}
	assert_true(checked > 30);
}

/*
 * ---- Sizes, many teams, priorities ----
 */

static void
test_every_size(void **state)
{
	Random		random = {5};
	int			again;

	(void) state;
	for (again = 0; again < 3 * ALL_BOUND; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Split		split[BOX_PLAYERS / 2];
		int			nsizes;
		int			s;

		box_begin_lobby(&box, &random, 4 + random_below(&random, 4), 2);
		even_of_model = 50;
		box.lobby.model = again % 3 == 0 ? &test_model : NULL;
		bind(&box, &random, again % ALL_BOUND & ~SIDES);
		nsizes = box.lobby.n / 2 - 1;
		split_every_size(&box.lobby, 2, nsizes, split);
		for (s = 0; s < nsizes; s++)
		{
			SplitRequest request = {.size = {2 + s, 2 + s}};
			Lobby		alone = box.lobby;
			Split		other;

			split_fairly(&alone, &request, &other);
			assert_int_equal(split[s].answer.found, other.answer.found);
			if (!other.answer.found)
				continue;
			assert_true(box_keeps(&box.lobby, &request, split[s].answer.team));
			assert_near(split_unfairness(&split[s]), split_unfairness(&other), NOISE);
		}
		box_end(began);
	}
}

/* A member of a party who may only sit out keeps the others out, too. */
static void
test_many_teams(void **state)
{
	Random		random = {6};
	int			found = 0;
	int			again;

	(void) state;
	for (again = 0; again < 64; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby	   *lobby = &box.lobby;
		SplitRequest request = {.objective = again % 2 == 0 ? SPLIT_SQUARES : SPLIT_RANGE};
		Split		split;
		SplitManyProblem all = {
			.nteams = 3,.objective = request.objective
		};
		double		least;
		int			team[BOX_PLAYERS];
		int			i;

		box_begin_lobby(&box, &random, 6 + random_below(&random, 2), 3);
		bind(&box, &random, again % ALL_BOUND & (PARTIES | LOCKS | APART));

		/* Nobody asks for more players than there are. */
		if (lobby->n - lobby->benched < 6)
		{
			box_end(began);
			continue;
		}
		all.n = lobby->n;
		all.value = lobby->mu[0];
		all.party = lobby->party;
		all.allowed_teams = lobby->allowed_teams;
		all.apart = lobby->apart;
		all.napart = lobby->napart;
		all.share = 1.0 / 6;
		for (i = 0; i < 3; i++)
		{
			request.size[i] = all.size[i] = 2;
			all.factor[i] = 0.5;
		}
		least = least_objective(&all, team);
		split_fairly(lobby, &request, &split);
		assert_int_equal(split.answer.found, least < INFINITY);
		if (split.answer.found)
		{
			found++;
			assert_true(is_exact(&split));
			assert_true(box_keeps(lobby, &request, split.answer.team));
			assert_near(split.imbalance_logit * 100,
						request.objective == SPLIT_SQUARES ? sqrt(least / 3) : least, NOISE);
			assert_near(split.win[0] + split.win[1] + split.win[2], 1, NOISE);
		}
		box_end(began);
	}
	assert_true(found > 20);
}

/* Who plays has no less priority than who does not, and where all have one the split decides. */
static void
test_priority(void **state)
{
	Random		random = {7};
	int			again;

	(void) state;
	for (again = 0; again < 60; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby	   *lobby = &box.lobby;
		SplitRequest request = {.size = {2, 2}};
		Split		split;
		double		least = INFINITY;
		int			team[BOX_PLAYERS];
		long		s;
		int			i,
					j;

		box_begin_lobby(&box, &random, 7, 2);
		for (i = 0; i < 7; i++)
			box.priority[i] = random_below(&random, again % 2 == 0 ? 3 : 100);
		lobby->priority = box.priority;
		bind(&box, &random, 0);
		split_with_priority(lobby, &request, &split);
		assert_true(split.answer.found);
		lobby->allowed_teams = NULL;
		for (s = 0; s < box_splits(lobby); s++)
		{
			bool		fits = true;
			bool		is_answer;

			box_split(lobby, s, team);
			is_answer = memcmp(team, split.answer.team, sizeof(int) * 7) == 0;
			for (i = 0; i < 7; i++)
				for (j = 0; j < 7; j++)
					fits = fits && !(team[i] == SPLIT_BENCH && team[j] != SPLIT_BENCH &&
									 box.priority[i] > box.priority[j]);
			assert_true(fits || !is_answer);
			if (fits && box_keeps(lobby, &request, team))
				least = fmin(least, fabs(difference(lobby, team)));
		}
		assert_near(fabs(split.difference), least, NOISE);
		box_end(began);
	}
}

/*
 * ---- What is in the way ----
 */

static bool
is_possible(const Lobby *lobby, const SplitRequest *request,
			const TeamConstraint *constraint, const bool *dropped, int n)
{
	Lobby		without = drop_constraints(lobby, constraint, dropped, n);

	return most_even(&without, request) < INFINITY;
}

static void
test_conflicts(void **state)
{
	Random		random = {8};
	int			alone = 0;
	int			several = 0;
	int			again;

	(void) state;
	for (again = 0; again < 4000 && (alone < 40 || several < 40); again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby	   *lobby = &box.lobby;
		SplitRequest request = {.size = {2, 3},.in_order = true};
		TeamConstraint *constraint;
		bool		dropped[4 * BOX_PLAYERS] = {false};
		bool		kept[4 * BOX_PLAYERS];
		int			n;
		int			place;
		int			i;

		box_begin_lobby(&box, &random, 5, 2);
		bind(&box, &random, ALL_BOUND - 1);
		for (i = 0; i < 3; i++)
			box.locked[random_below(&random, 5)] = SPLIT_MAY(1 + random_below(&random, 2));
		for (i = 0; i < 2; i++)
			box.apart[lobby->napart++] = (SplitPair)
		{
			2, 3 + i
		};
		n = list_constraints(lobby, &constraint);
		if (is_possible(lobby, &request, constraint, dropped, n))
		{
			box_end(began);
			continue;
		}
		place = find_conflict(lobby, &request, constraint, n, kept);
		if (place >= 0)
		{
			alone++;
			dropped[place] = true;
			assert_true(is_possible(lobby, &request, constraint, dropped, n));
		}
		else
		{
			several++;
			for (i = 0; i < n; i++)
			{
				/* No constraint alone is all that is in the way. */
				dropped[i] = true;
				assert_false(is_possible(lobby, &request, constraint, dropped, n));
				dropped[i] = false;
			}

			/* Those kept cannot be kept together, and none can be spared for that. */
			for (i = 0; i < n; i++)
				dropped[i] = !kept[i];
			assert_false(is_possible(lobby, &request, constraint, dropped, n));
			for (i = 0; i < n; i++)
				if (kept[i])
				{
					dropped[i] = true;
					assert_true(is_possible(lobby, &request, constraint, dropped, n));
					dropped[i] = false;
				}
		}
		box_end(began);
	}
	assert_true(alone >= 40 && several >= 40);
}

/*
 * ---- Parts of a lobby ----
 */

static void
test_squads(void **state)
{
	Random		random = {9};
	int			again;

	(void) state;
	for (again = 0; again < 50; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		Lobby		seated;
		int			player[6] = {7, 2, 3, 9, 0, 4};
		int			team[BOX_PLAYERS];
		const int  *all;
		const int  *in_team;
		int			i,
					j;

		box_begin_lobby(&box, &random, 10, 2);
		for (i = 0; i < 10; i++)
		{
			j = random_below(&random, i + 1);
			box.squad[i] = i == j ? i + 1 : box.squad[j];
			team[i] = random_below(&random, 3);
			if (random_below(&random, 4) == 0)
				box.squad[i] = 0;
		}
		box.lobby.squad = box.lobby.party = box.squad;
		all = squad_sizes(&box.lobby, NULL);
		in_team = squad_sizes(&box.lobby, team);
		for (i = 0; i < 10; i++)
		{
			int			size = 1;
			int			here = 1;

			for (j = 0; j < 10; j++)
				if (j != i && box.squad[i] != 0 && box.squad[j] == box.squad[i])
				{
					size++;
					here += team[j] == team[i];
				}
			assert_int_equal(all[i], size);
			assert_int_equal(in_team[i], here);
		}

		/* Some of them as a lobby of their own. */
		seat_players(&box.lobby, player, 6, &seated);
		for (i = 0; i < 6; i++)
		{
			assert_same(seated.estimate[1][i], box.estimate[0][player[i]]);
			assert_true(seated.party[i] == 0 || seated.party[seated.party[i] - 1] == seated.party[i]);
			for (j = 0; j < 6; j++)
				assert_int_equal(seated.party[i] != 0 && seated.party[i] == seated.party[j],
								 box.squad[player[i]] != 0 &&
								 box.squad[player[i]] == box.squad[player[j]]);
		}
		box_end(began);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_most_even),
		cmocka_unit_test(test_near_splits),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_model_splits),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_many_teams),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_squads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
