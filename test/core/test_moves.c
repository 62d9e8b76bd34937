/*
 * test_moves.c
 *		Players who join teams and move between them, and splits beside others, against all teams
 *		that there are.
 */
#include "lobby_box.h"

#include "core/split/compare.h"
#include "core/split/moves.h"

#define NOISE 1e-9

/* What binds players, as bits. */
enum
{
	PARTIES = 1,
	LOCKS = 2,
	APART = 4,
	SIDES = 8,
	COMMANDERS = 16,
	HANDICAP = 32,
	ALL_BOUND = 64
};

/* Teams, and what was asked for before begin_teams() took away what they break. */
typedef struct TeamsBox
{
	LobbyBox	box;
	Teams		teams;
	int			n;
	int			now[BOX_PLAYERS];	/* 1, 2 or SPLIT_NOWHERE */
	int			party[BOX_PLAYERS];
	int			locked[BOX_PLAYERS];
	SplitPair	apart[BOX_PLAYERS];
	int			napart;
} TeamsBox;

/* Teams of n players, of whom some have no team yet. */
static void
box_teams(TeamsBox *box, Random *random, int n, int njoiners, int bound)
{
	Lobby	   *lobby = &box->box.lobby;
	int			i;

	memset(box, 0, sizeof(TeamsBox));
	box_begin_lobby(&box->box, random, n, 2);
	box->n = n;
	for (i = 0; i < n; i++)
	{
		box->box.current[i] = i < njoiners ? SPLIT_NOWHERE : 1 + random_below(random, 2);
		box->box.locked[i] = SPLIT_ANYWHERE(2);
		box->box.estimate[1][i] = random_below(random, 1000);
		box->box.command[i] = random_below(random, 1000);
		box->box.commander[i] = random_below(random, 3) > 0;
	}
	memcpy(box->now, box->box.current, sizeof(box->now));
	if (bound & PARTIES)
	{
		box_groups(random, n, box->box.party);
		memcpy(box->box.squad, box->box.party, sizeof(box->box.squad));
		lobby->party = box->box.party;
		lobby->squad = box->box.squad;
	}
	memcpy(box->party, box->box.party, sizeof(box->party));
	if (bound & LOCKS)
		for (i = 0; i < n; i++)
			if (random_below(random, 4) == 0)
				box->box.locked[i] = SPLIT_MAY(box->now[i] != SPLIT_NOWHERE ? box->now[i] :
											   1 + random_below(random, 2));
	if (bound & LOCKS)
		lobby->locked_teams = lobby->allowed_teams = box->box.locked;
	memcpy(box->locked, box->box.locked, sizeof(box->locked));
	if (bound & APART)
		for (i = 0; i < 2; i++)
			box->box.apart[lobby->napart++] = (SplitPair)
		{
			i, 2 + random_below(random, n - 2)
		};
	memcpy(box->apart, box->box.apart, sizeof(box->apart));
	box->napart = lobby->napart;
	if (bound & SIDES)
		lobby->estimate[1] = box->box.estimate[1];
	if (bound & COMMANDERS)
	{
		lobby->command[0] = lobby->command[1] = box->box.command;
		lobby->commander = box->box.commander;
	}
	if (bound & HANDICAP)
		lobby->log_odds = random_between(random, -2, 2);
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
	lobby->current = box->box.current;
	box_end_lobby(&box->box);
	box->teams.lobby = *lobby;
	begin_teams(&box->teams);
}

/* Whether teams keep what those at present do not break already. */
static bool
keeps(const TeamsBox *box, const int *team)
{
	int			i,
				j;

	for (i = 0; i < box->n; i++)
	{
		bool		torn = false;

		if ((box->locked[i] & SPLIT_MAY(team[i])) == 0)
			return false;
		for (j = 0; j < box->n; j++)
		{
			int			k;

			if (box->party[i] == 0 || box->party[i] != box->party[j])
				continue;
			for (k = 0; k < box->n; k++)
				torn = torn || (box->party[k] == box->party[i] && box->now[k] + box->now[j] == 3 &&
								box->now[k] > 0 && box->now[j] > 0);
		}
		for (j = 0; j < box->n && !torn && box->party[i] != 0; j++)
			if (box->party[i] == box->party[j] && team[i] != team[j])
				return false;
	}
	for (i = 0; i < box->napart; i++)
	{
		const SplitPair *pair = &box->apart[i];

		if (team[pair->a] == team[pair->b] &&
			(box->now[pair->a] != box->now[pair->b] || box->now[pair->a] == SPLIT_NOWHERE))
			return false;
	}
	return true;
}

/* How far from even teams are at best, whoever commands; infinite if nobody may. */
static double
off_even(const TeamsBox *box, const int *team)
{
	const Lobby *lobby = &box->box.lobby;
	bool		commands = lobby->command[0] != NULL;
	double		least = INFINITY;
	int			commander[2];

	for (commander[0] = commands ? 0 : -1; commander[0] < (commands ? box->n : 0); commander[0]++)
		for (commander[1] = commands ? 0 : -1; commander[1] < (commands ? box->n : 0); commander[1]++)
		{
			double		strength[2];
			int			t,
						i;

			if (commands && (team[commander[0]] != 1 || team[commander[1]] != 2 ||
							 !lobby->commander[commander[0]] || !lobby->commander[commander[1]]))
				continue;
			for (t = 0; t < 2; t++)
			{
				double		sum = 0;
				int			size = 0;

				for (i = 0; i < box->n; i++)
					if (team[i] == t + 1 && i != commander[t])
					{
						sum += lobby->estimate[t][i];
						size++;
					}
				strength[t] = size > 0 ? sum / size : 0;
				if (commands)
					strength[t] += lobby->command_weight * lobby->command[t][commander[t]];
			}
			least = fmin(least, fabs(strength[0] - strength[1] - lobby->even_difference));
		}
	return least;
}

/*
 * How far from even teams are that keep everything, with so many of all who leave the first team
 * and the second one, of those that are given; joiners may come anywhere.
 */
static double
best_moves(const TeamsBox *box, const int *from, int out, int in)
{
	double		least = INFINITY;
	int			team[BOX_PLAYERS];
	int			code;

	for (code = 0; code < 1 << box->n; code++)
	{
		int			moved[3] = {0, 0, 0};
		int			i;

		for (i = 0; i < box->n; i++)
		{
			team[i] = 1 + (code >> i & 1);
			if (team[i] != from[i])
				moved[from[i]]++;
		}
		if (moved[1] == out && moved[2] == in && keeps(box, team))
			least = fmin(least, off_even(box, team));
	}
	return least;
}

static double
off_of(const TeamsBox *box, const Split *split)
{
	return fabs(split->imbalance_logit) * box->box.lobby.log_odds_unit;
}

static void
check_split(const TeamsBox *box, const Split *split, double least)
{
	assert_true(is_exact(split));
	assert_true(keeps(box, split->answer.team));
	assert_near(off_of(box, split), least, NOISE);
	if (box->box.lobby.command[0] == NULL)
		assert_near(off_even(box, split->answer.team), least, NOISE);
	assert_near(fabs(split->difference - box->box.lobby.even_difference), least, NOISE);
}

/* The players of the pairs are those who move, each once. */
static void
check_pairs(const TeamsBox *box, const Split *split, const int *from)
{
	int			order[BOX_PLAYERS];
	SplitPair	swap[BOX_PLAYERS];
	int			left = 0;
	int			n;
	int			i;

	for (i = 0; i < box->n; i++)
	{
		order[i] = box->n - i;
		left += split->answer.team[i] != from[i];
	}
	n = list_swaps(&box->teams, split, order, swap);
	assert_int_equal(2 * n, left);
	for (i = 0; i < n; i++)
	{
		int			j;

		assert_true(from[swap[i].a] == 1 && split->answer.team[swap[i].a] == 2);
		assert_true(from[swap[i].b] == 2 && split->answer.team[swap[i].b] == 1);
		assert_true(i == 0 || order[swap[i - 1].a] < order[swap[i].a]);
		for (j = 0; j < i; j++)
			assert_true((box->teams.lobby.mu[0][swap[i].a] - box->teams.lobby.mu[0][swap[j].a]) *
						(box->teams.lobby.mu[1][swap[i].b] - box->teams.lobby.mu[1][swap[j].b]) >= 0);
	}
}

/* The best swaps of each number that are better than fewer; and one after another. */
static void
test_swaps(void **state)
{
	Random		random = {1};
	int			found = 0;
	int			bound;
	int			again;

	(void) state;
	for (bound = 0; bound < ALL_BOUND; bound++)
		for (again = 0; again < 4; again++)
		{
			void	   *began = box_begin();
			TeamsBox	box;
			Split		split[BOX_PLAYERS];
			int			from[BOX_PLAYERS];
			double		now;
			int			most;
			int			n;
			int			s = 0;
			int			m;

			box_teams(&box, &random, 4 + random_below(&random, 4), 0, bound);
			memcpy(from, box.now, sizeof(from));
			set_teams(&box.teams, box.teams.team);
			now = off_even(&box, from);

			/* Teams that nobody may command do not get as far as this. */
			if (now == INFINITY)
			{
				box_end(began);
				continue;
			}
			most = box.teams.count[box.teams.count[1] < box.teams.count[2] ? 1 : 2];
			n = find_swaps(&box.teams, most, now / 100, split);
			for (m = 1; m <= most; m++)
			{
				double		least = best_moves(&box, from, m, m);

				if (!(least < now - 1e-6))
					continue;
				now = least;
				assert_true(s < n);
				assert_int_equal(split[s].moves, 2 * m);
				check_split(&box, &split[s], least);
				check_pairs(&box, &split[s], from);
				s++;
			}
			assert_int_equal(s, n);
			found += n;
			now = off_even(&box, from);
			n = find_greedy_swaps(&box.teams, most, now / 100, split);
			for (s = 0; s < n; s++)
			{
				assert_near(off_of(&box, &split[s]), best_moves(&box, from, 1, 1), NOISE);
				assert_true(off_of(&box, &split[s]) < now);
				now = off_of(&box, &split[s]);
				memcpy(from, split[s].answer.team, sizeof(int) * (size_t) box.n);
			}
			if (n < most)
				assert_true(best_moves(&box, from, 1, 1) > now - 1e-6);
			box_end(began);
		}
	assert_true(found > 150);
}

/* Joiners: of all sizes with the smallest lead, or up to one that is allowed, the best teams. */
static void
test_joiners(void **state)
{
	Random		random = {2};
	int			found = 0;
	int			bound;
	int			again;

	(void) state;
	for (bound = 0; bound < ALL_BOUND; bound++)
		for (again = 0; again < 6; again++)
		{
			void	   *began = box_begin();
			int			n = 4 + random_below(&random, 4);
			int			max_lead = again % 4;
			int			smallest = n;
			double		least = INFINITY;
			int			team[BOX_PLAYERS];
			TeamsBox	box;
			SplitRequest request;
			Split		split;
			int			pass;
			int			code;

			box_teams(&box, &random, n, 1 + random_below(&random, 3), bound);
			for (pass = 0; pass < 2; pass++)
				for (code = 0; code < 1 << n; code++)
				{
					int			lead = 0;
					bool		stay = true;
					int			i;

					for (i = 0; i < n; i++)
					{
						team[i] = 1 + (code >> i & 1);
						lead += team[i] == 1 ? 1 : -1;
						stay = stay && (box.now[i] == SPLIT_NOWHERE || box.now[i] == team[i]);
					}
					if (!stay)
						continue;

					/* The smallest lead is one of numbers, whatever binds. */
					if (pass == 0)
						smallest = abs(lead) < smallest ? abs(lead) : smallest;
					else if (abs(lead) <= (max_lead > smallest ? max_lead : smallest) &&
							 keeps(&box, team))
						least = fmin(least, off_even(&box, team));
				}
			if (place_joiners(&box.teams, max_lead, &request, &split))
			{
				found++;
				check_split(&box, &split, least);
				assert_true(request.in_order && request.size[0] + request.size[1] == n);
			}
			else
				assert_true(least == INFINITY);
			box_end(began);
		}
	assert_true(found > 200);
}

/* Transfers: the fewest who leave the larger team on balance, and then the best teams. */
static void
test_transfers(void **state)
{
	Random		random = {3};
	int			count[3] = {0, 0, 0};
	int			bound;
	int			again;

	(void) state;
	for (bound = 0; bound < ALL_BOUND; bound++)
		for (again = 0; again < 8; again++)
		{
			void	   *began = box_begin();
			int			max_lead = random_below(&random, 3);
			int			max_swaps = random_below(&random, 3);
			TeamsBox	box;
			SplitRequest request;
			Split		split;
			TransferStatus status;
			int			lead;
			int			larger;
			int			movers;
			double		least = INFINITY;

			box_teams(&box, &random, 4 + random_below(&random, 4), 0, bound);
			lead = box.teams.count[1] - box.teams.count[2];
			larger = lead > 0 ? 1 : 2;
			set_teams(&box.teams, box.teams.team);
			status = find_transfer(&box.teams, max_swaps, max_lead, &request, &split);
			count[status]++;
			if (max_lead < box.n % 2)
				max_lead = 1;
			for (movers = 0; least == INFINITY && movers <= box.n; movers++)
			{
				int			swaps;

				if (abs(abs(lead) - 2 * movers) > max_lead)
					continue;
				for (swaps = 0; swaps <= max_swaps; swaps++)
					least = fmin(least, best_moves(&box, box.now,
												   swaps + (larger == 1 ? movers : 0),
												   swaps + (larger == 2 ? movers : 0)));
				if (movers == 0)
					break;
			}
			if (abs(lead) <= max_lead)
				assert_int_equal(status, TRANSFER_NOT_NEEDED);
			else
				assert_int_equal(status, least < INFINITY ? TRANSFER_FOUND : TRANSFER_IMPOSSIBLE);
			if (status == TRANSFER_FOUND)
			{
				check_split(&box, &split, least);
				assert_true(abs(request.size[0] - request.size[1]) <= max_lead);
			}
			box_end(began);
		}
	assert_true(count[TRANSFER_FOUND] > 50 && count[TRANSFER_IMPOSSIBLE] > 10);
}

/* How far from even the best of all other moves are of as many players. */
static double
second_best(const TeamsBox *box, const Split *split)
{
	double		second = INFINITY;
	int			team[BOX_PLAYERS];
	int			code;

	for (code = 0; code < 1 << box->n; code++)
	{
		int			moved[3] = {0, 0, 0};
		int			i;

		for (i = 0; i < box->n; i++)
		{
			team[i] = 1 + (code >> i & 1);
			if (team[i] != box->now[i])
				moved[box->now[i]]++;
		}
		if (2 * moved[1] == split->moves && moved[2] == moved[1] &&
			memcmp(team, split->answer.team, sizeof(int) * (size_t) box->n) != 0 &&
			keeps(box, team))
			second = fmin(second, off_even(box, team));
	}
	return second;
}

/* How far from even as many moves are without the lock, party or pair that costs most. */
static double
off_without_any(const TeamsBox *box, const Split *split)
{
	double		least = off_of(box, split);
	int			i;

	for (i = 0; i < 3 * box->n; i++)
	{
		TeamsBox	without = *box;
		int			j;

		if (i < box->n)
			without.locked[i] = SPLIT_ANYWHERE(2);
		else if (i < 2 * box->n)
			for (j = 0; j < box->n; j++)
				without.party[j] = box->party[j] == i - box->n + 1 ? 0 : box->party[j];
		else if (i - 2 * box->n < box->napart)
			for (without.napart = 0, j = 0; j < box->napart; j++)
				if (j != i - 2 * box->n)
					without.apart[without.napart++] = box->apart[j];
		least = fmin(least, best_moves(&without, box->now, split->moves / 2,
									   split->moves / 2));
	}
	return least;
}

/* Moves beside others: the best other ones, and those without the costliest constraint. */
static void
test_comparison(void **state)
{
	Random		random = {4};
	int			others = 0;
	int			costly = 0;
	int			again;

	(void) state;
	for (again = 0; again < 4 * ALL_BOUND; again++)
	{
		void	   *began = box_begin();
		int			bound = again / 4;
		TeamsBox	box;
		SplitRequest request;
		Split		split[BOX_PLAYERS];
		Split		other;
		TeamConstraint constraint;
		double		second;
		double		ahead;

		/* Sides, so that no teams are the same as others the other way round. */
		box_teams(&box, &random, 4 + random_below(&random, 4), 0,
				  (bound | SIDES) & ~COMMANDERS);
		set_teams(&box.teams, box.teams.team);
		if (box.teams.count[1] < 2 || box.teams.count[2] < 2 ||
			find_swaps(&box.teams, 2, 1e9, split) == 0)
		{
			box_end(began);
			continue;
		}
		request = request_moves(&box.teams, 0, split[0].moves);
		ahead = difference_at_home(&box.teams.lobby) - box.box.lobby.even_difference;
		assert_near(fabs(ahead), off_even(&box, box.now), NOISE);
		second = second_best(&box, &split[0]);
		find_other_split(&box.teams.lobby, &request, &split[0], &other);
		assert_int_equal(other.answer.found, second < INFINITY);
		if (other.answer.found)
		{
			others++;
			assert_near(off_of(&box, &other), second, NOISE);
		}
		if (find_costliest(&box.teams.lobby, &request, &split[0], &constraint, &other))
		{
			costly++;
			assert_true(off_of(&box, &other) < off_of(&box, &split[0]));
		}
		assert_near(off_of(&box, &other), off_without_any(&box, &split[0]), 1e-6);
		box_end(began);
	}
	assert_true(others > 100 && costly > 40);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swaps),
		cmocka_unit_test(test_joiners),
		cmocka_unit_test(test_transfers),
		cmocka_unit_test(test_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
