/*
 * test_wishes.c
 *		Constraints that may be broken at a price, against all splits that there are.
 */
#include "lobby_box.h"

#include "core/math/logistic.h"
#include "core/split/wishes.h"

#define NOISE 1e-9

/* Worse than any prices. */
#define HARD 1000

typedef struct PriceBox
{
	double		price[CONSTRAINT_KINDS][BOX_PLAYERS];
} PriceBox;

/* Whoever is in this team of a group, by the place of its first. */
static int
members_in(const Lobby *lobby, const int *group, int first, const int *team, int place)
{
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
		n += group[i] == first + 1 && team[i] == place;
	return n;
}

static double
price(const Lobby *lobby, ConstraintKind kind, int number)
{
	return lobby->price[kind] == NULL || isinf(lobby->price[kind][number]) ? HARD :
		lobby->price[kind][number];
}

/* What these teams break, by definition. */
static double
breaks(const Lobby *lobby, const int *team)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		if (lobby->locked_teams != NULL && !(lobby->locked_teams[i] >> team[i] & 1))
			sum += price(lobby, CONSTRAINT_LOCK, i);
		if (lobby->party != NULL && lobby->party[i] == i + 1 &&
			members_in(lobby, lobby->party, i, team, team[i]) <
			members_in(lobby, lobby->party, i, team, 0) + members_in(lobby, lobby->party, i, team, 1) +
			members_in(lobby, lobby->party, i, team, 2) + (lobby->nteams > 2 ? members_in(lobby, lobby->party, i, team, 3) : 0))
			sum += price(lobby, CONSTRAINT_PARTY, i);
		if (lobby->evenly != NULL && lobby->evenly[i] == i + 1 &&
			abs(members_in(lobby, lobby->evenly, i, team, 1) - members_in(lobby, lobby->evenly, i, team, 2)) > 1)
			sum += price(lobby, CONSTRAINT_EVENLY, i);
	}
	for (i = 0; i < lobby->napart; i++)
		if (team[lobby->apart[i].a] == team[lobby->apart[i].b] && team[lobby->apart[i].a] != SPLIT_BENCH)
			sum += price(lobby, CONSTRAINT_APART, i);
	return sum;
}

static bool
has_sizes(const Lobby *lobby, const SplitRequest *request, const int *team)
{
	int			count[SPLIT_MAX_TEAMS + 1] = {0};
	int			i;

	for (i = 0; i < lobby->n; i++)
		count[team[i]]++;
	for (i = 0; i < lobby->nteams; i++)
		if (count[i + 1] != request->size[i])
			return false;
	return true;
}

/* The chance of the first team, of means. */
static double
chance(const Lobby *lobby, const int *team)
{
	double		sum[3] = {0};
	double		count[3] = {0};
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		sum[team[i]] += team[i] == 0 ? 0 : lobby->estimate[team[i] - 1][i];
		count[team[i]]++;
	}
	return logistic((sum[1] / count[1] - sum[2] / count[2]) / lobby->log_odds_unit + lobby->log_odds);
}

/* Chances and prices together, of the best of all splits. */
static double
best_worth(const Lobby *lobby, const SplitRequest *request, bool strict)
{
	double		least = INFINITY;
	int			team[BOX_PLAYERS] = {0};
	long		s;

	for (s = 0; s < box_splits(lobby); s++)
	{
		double		broken;

		box_split(lobby, s, team);
		if (!has_sizes(lobby, request, team))
			continue;
		broken = breaks(lobby, team);
		if (!strict || broken < HARD)
			least = fmin(least, broken + fabs(chance(lobby, team) - 0.5));
	}
	return least;
}

/* Parties, groups, locks and pairs, more than can be kept at times, and prices of some of them. */
static void
wish(LobbyBox *box, PriceBox *prices, Random *random)
{
	Lobby	   *lobby = &box->lobby;
	int			n = lobby->n;
	int			kind;
	int			i;

	if (random_below(random, 3) > 0)
	{
		box_groups(random, n, box->party);
		lobby->party = box->party;
		memcpy(box->squad, box->party, sizeof(box->squad));
		lobby->squad = box->squad;
	}
	if (lobby->nteams == 2 && random_below(random, 3) == 0)
	{
		box_groups(random, n, box->evenly);
		lobby->evenly = box->evenly;
	}
	if (random_below(random, 3) > 0)
	{
		for (i = 0; i < n; i++)
			box->locked[i] = random_below(random, 3) == 0 ? SPLIT_MAY(1 + random_below(random, lobby->nteams)) :
				SPLIT_ANYWHERE(lobby->nteams);
		lobby->locked_teams = lobby->allowed_teams = box->locked;
	}
	for (i = random_below(random, 4); i > 0; i--)
	{
		int			a = random_below(random, n - 1);

		box->apart[lobby->napart++] = (SplitPair)
		{
			a, a + 1 + random_below(random, n - a - 1)
		};
	}
	for (kind = CONSTRAINT_LOCK; kind <= CONSTRAINT_APART; kind++)
	{
		for (i = 0; i < BOX_PLAYERS; i++)
			prices->price[kind][i] = random_below(random, 6) == 0 ? INFINITY :
				random_below(random, 5) == 0 ? 0.03 : random_between(random, 0, 0.3);
		lobby->price[kind] = random_below(random, 3) == 0 ? NULL : prices->price[kind];
	}
	box_end_lobby(box);
}

/* No split is worth more, whatever contradicts what. */
static void
test_best_compromise(void **state)
{
	Random		random = {1};
	int			compromises = 0;
	int			contradictions = 0;
	int			proven = 0;
	int			again;

	(void) state;
	for (again = 0; again < 600; again++)
	{
		void	   *began = box_begin();
		LobbyBox	box;
		PriceBox	prices;
		Lobby		lobby;
		int			n = 4 + random_below(&random, 4);
		SplitRequest request = {.in_order = true,.size = {n / 2, n / 2}};
		BrokenWishes broken;
		Split		split;
		double		best;

		box_begin_lobby(&box, &random, n, 2);
		box.lobby.log_odds = again % 5 == 0 ? random_between(&random, -1, 1) : 0;
		box.lobby.even_difference = -box.lobby.log_odds * box.lobby.log_odds_unit;
		box.lobby.strict = again % 4 == 0;
		wish(&box, &prices, &random);
		best = best_worth(&box.lobby, &request, box.lobby.strict);
		lobby = box.lobby;
		split_by_wishes(&lobby, &request, &split, &broken);
		assert_int_equal(split.answer.found, best < INFINITY);
		if (split.answer.found)
		{
			assert_true(has_sizes(&box.lobby, &request, split.answer.team));
			assert_near(split.win[0], chance(&box.lobby, split.answer.team), NOISE);
			assert_near(breaks(&box.lobby, split.answer.team), broken.price + HARD * broken.hard, NOISE);
			assert_near(chance_off(&lobby, &split) + broken.price + HARD * broken.hard, best, NOISE);
			compromises += broken.n > broken.hard;
			contradictions += broken.hard > 0;
			proven += !split.unproven;

			/* Whatever is broken binds nobody any more. */
			assert_true(box_keeps(&broken.without, &request, split.answer.team));
		}
		box_end(began);
	}
	assert_true(compromises > 100 && contradictions > 30 && proven > 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best_compromise)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
