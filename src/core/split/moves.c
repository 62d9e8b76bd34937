/*
 * moves.c
 *		Existing teams adjusted: players who join them, swaps and transfers.
 */
#include "core/split/moves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/split/fair_split.h"
#include "core/split/lobby_problem.h"
#include "core/util/extremes.h"

/* Steps that a search takes for each option and row of sums, however coarse it is, */
#define STEPS_OF_ROW 3

/* and how often rows of sums are filled if some numbers of moves cannot be made. */
#define MAX_FILLS 3

/* The least share of the work that is left for one of many greedy swaps, */
#define MIN_SHARE 0.01

/* how often the work may be taken by all of them, and the steps that they may take anyway. */
#define MAX_TOTAL 2
#define MIN_TOTAL_STEPS 3e8

/*
 * ---- Teams at present ----
 */

/* Whether two players are on one team already. */
static bool
are_together(const Teams *teams, int a, int b)
{
	return teams->team[a] != 0 && teams->team[a] == teams->team[b];
}

/* A party that is in both teams already is none; where a party is, by its number. */
static void
drop_torn_parties(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	const int	both = SPLIT_MAY(1) | SPLIT_MAY(2);
	int		   *places = room_zeros(lobby->room, sizeof(int), (size_t) lobby->n + 1);
	int			i;

	for (i = 0; i < lobby->n; i++)
		places[lobby->party[i]] |= SPLIT_MAY(teams->team[i]);
	for (i = 0; i < lobby->n; i++)
		if ((places[lobby->party[i]] & both) == both)
			lobby->party[i] = 0;
}

/* A squad that is no party, as it is in both teams, counts in either by its members there. */
static void
value_squads(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int		   *size = squad_sizes(lobby, NULL);
	const int  *size_in_team = squad_sizes(lobby, teams->team);
	int			i;

	for (i = 0; i < lobby->n; i++)
		if (lobby->party[i] == 0)
			size[i] = size_in_team[i];
	value_players(lobby, size);
}

void
begin_teams(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int			napart = 0;
	int			i;

	/* Where players are is what moves start from, and no wish. */
	teams->team = lobby->current;
	lobby->current = NULL;
	teams->locked = lobby->locked_teams;
	if (teams->locked != NULL)
		lobby->locked_teams = lobby_integers(lobby);
	memset(teams->count, 0, sizeof(teams->count));
	for (i = 0; i < lobby->n; i++)
	{
		bool		joins = teams->team[i] == SPLIT_NOWHERE;

		if (joins)
			teams->team[i] = 0;
		teams->count[teams->team[i]]++;
		if (teams->locked != NULL)
			lobby->locked_teams[i] = joins ? teams->locked[i] : SPLIT_ANYWHERE(lobby->nteams);
	}
	if (lobby->party != NULL)
	{
		drop_torn_parties(teams);
		value_squads(teams);
	}
	for (i = 0; i < lobby->napart; i++)
		if (!are_together(teams, lobby->apart[i].a, lobby->apart[i].b))
			lobby->apart[napart++] = lobby->apart[i];
	lobby->napart = napart;
}

void
set_teams(Teams *teams, int *team)
{
	Lobby	   *lobby = &teams->lobby;
	int			i;

	memset(teams->count, 0, sizeof(teams->count));
	for (i = 0; i < lobby->n; i++)
		teams->count[team[i]]++;
	teams->team = lobby->home = team;
	lobby->locked_teams = lobby->allowed_teams = teams->locked;
}

/*
 * ---- Placing and transfers ----
 */

/*
 * Find the best of several splits, of which an earlier one is better among equals, and return
 * which it is, or -1 if none is found.  All of them share the work.  However coarse a search,
 * it takes some, so that in large lobbies not all can be tried; the best is not proven then,
 * and neither if any other is not the best of its kind.
 */
static int
find_best(Lobby *lobby, const SplitRequest *request, int n, double max_work, Split *best)
{
	double		work = 0;
	bool		unproven = false;
	int			chosen = -1;
	int			i;

	memset(best, 0, sizeof(Split));
	for (i = 0; i < n; i++)
	{
		Lobby		share = *lobby;
		Split		split;

		if (work > max_work && chosen >= 0)
		{
			unproven = true;
			break;
		}
		share.max_work = max_work / n;
		split_fairly(&share, &request[i], &split);
		if (split.status == SPLIT_GROUP_TOO_LARGE)
		{
			*best = split;
			return -1;
		}
		work += split.problem.spent;
		if (!split.answer.found)
			continue;
		unproven = unproven || !is_exact(&split);
		if (chosen < 0 || is_better(split.imbalance_logit, best->imbalance_logit))
		{
			*best = split;
			chosen = i;
		}
	}
	best->unproven = unproven;
	if (chosen >= 0)
		lobby->even_difference = best->even_difference;
	return chosen;
}

bool
place_joiners(Teams *teams, int max_lead, SplitRequest *request, Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	int			n = lobby->n;
	int			least = teams->count[1];
	int			most = n - teams->count[2];
	int			nearest = n / 2 < least ? least : n / 2 > most ? most : n / 2;
	int			smallest_lead = abs(2 * nearest - n);
	SplitRequest *size = room_array(lobby->room, sizeof(SplitRequest), (size_t) n + 1);
	int			nsizes = 0;
	int			best;
	int			lead,
				sign,
				i;

	/* The smallest lead there can be is allowed. */
	if (max_lead < smallest_lead)
		max_lead = smallest_lead;
	for (lead = n % 2; lead <= n && lead <= max_lead; lead += 2)
		for (sign = -1; sign <= 1; sign += 2)
		{
			int			first = (n + sign * lead) / 2;

			if (first >= least && first <= most && (lead > 0 || sign > 0))
				size[nsizes++] = (SplitRequest)
			{
				.size =
				{
					first, n - first
				},.in_order = true
			};
		}
	lobby->allowed_teams = lobby_integers(lobby);
	for (i = 0; i < n; i++)
		lobby->allowed_teams[i] = (SPLIT_MAY(1) | SPLIT_MAY(2)) &
			(teams->team[i] != 0 ? SPLIT_MAY(teams->team[i]) :
			 allowed_teams_of(lobby, lobby->locked_teams, i));
	best = find_best(lobby, size, nsizes, lobby->max_work, split);
	if (best < 0)
		return false;
	*request = size[best];
	return true;
}

SplitRequest
request_moves(const Teams *teams, int over, int moves)
{
	return (SplitRequest)
	{
		.size =
		{
			teams->count[1] - over, teams->count[2] + over
		},.in_order = true,.moves = moves
	};
}

TransferStatus
find_transfer(Teams *teams, int max_swaps, int max_lead, SplitRequest *request, Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	bool		first = teams->count[1] > teams->count[2];
	int			smaller_team = teams->count[first ? 2 : 1];
	int			lead = abs(teams->count[1] - teams->count[2]);
	SplitRequest *swaps;
	int			least;
	int			most;
	int			movers;

	/* An odd number of players cannot do without a lead of one. */
	if (max_lead < lobby->n % 2)
		max_lead = lobby->n % 2;
	memset(split, 0, sizeof(Split));
	if (lead <= max_lead)
		return TRANSFER_NOT_NEEDED;
	least = (lead - max_lead + 1) / 2;
	most = (lead + max_lead) / 2;
	if (max_swaps > smaller_team)
		max_swaps = smaller_team;
	swaps = room_array(lobby->room, sizeof(SplitRequest), (size_t) max_swaps + 1);
	for (movers = least; movers <= most; movers++)
	{
		int			best;
		int			i;

		lobby_interrupt(lobby);
		for (i = 0; i <= max_swaps; i++)
			swaps[i] = request_moves(teams, first ? movers : -movers, movers + 2 * i);
		best = find_best(lobby, swaps, max_swaps + 1, lobby->max_work / (most - least + 1),
						 split);
		if (split->status == SPLIT_GROUP_TOO_LARGE)
			break;
		if (best < 0)
			continue;
		*request = swaps[best];
		return TRANSFER_FOUND;
	}
	return TRANSFER_IMPOSSIBLE;
}

/*
 * ---- Swaps ----
 */

/*
 * The largest number of swaps that can be tried within the work.  A player has two options: to
 * stay and to move; parties have fewer.  Either is an option of a commander, too, and rows of
 * sums for each number of movers are kept by which teams have a commander.
 */
static int
max_swaps_tried(const Lobby *lobby)
{
	bool		commands = lobby->command[0] != NULL;
	double		options = (commands ? 4.0 : 2.0) * lobby->n;
	double		rows = lobby->max_work / MAX_FILLS / STEPS_OF_ROW / options;

	if (commands)
		rows /= 1 << SPLIT_COMMAND_BITS;
	return (int) larger(1, smaller(sqrt(rows), lobby->n));
}

int
find_swaps(const Teams *teams, int max_swaps, double logit, Split *split)
{
	Lobby		share = teams->lobby;
	int			most = max_swaps_tried(&share);
	int			tried = most < max_swaps ? most : max_swaps;
	SplitSize  *size = room_array(share.room, sizeof(SplitSize), (size_t) tried);
	int			n = 0;
	int			m;

	for (m = 0; m < tried; m++)
		size[m] = (SplitSize)
	{
		.count =
		{
			teams->count[1], teams->count[2]
		},.moves = 2 * (m + 1)
	};
	if (tried < max_swaps)
		share.max_work /= MAX_FILLS;
	memset(split, 0, sizeof(Split));
	if (tried > 0)
		split_sizes(&share, size, tried, split);
	for (m = 0; m < tried; m++)
	{
		if (!split[m].answer.found)
			continue;
		forecast_split(&share, split[m].answer.team, split[m].answer.commander, &split[m]);
		check_aim(&share, &split[m]);
		if (!is_better(split[m].imbalance_logit, logit))
			continue;
		logit = split[m].imbalance_logit;
		split[n++] = split[m];
	}
	if (tried < max_swaps && n > 0 && is_better(0, logit))
		split[n - 1].unproven = true;
	return n;
}

int
find_greedy_swaps(const Teams *teams, int max_swaps, double logit, Split *split)
{
	Teams		now = *teams;
	double		max_work = teams->lobby.max_work;
	double		most_work = larger(MAX_TOTAL * max_work, MIN_TOTAL_STEPS);
	double		work = 0;
	int			n = 0;

	memset(split, 0, sizeof(Split));

	/* Each takes some work, however little is left. */
	while (n < max_swaps && work < most_work)
	{
		SplitRequest request = request_moves(&now, 0, 2);
		Split	   *next = &split[n];

		split_fairly(&now.lobby, &request, next);
		work += next->problem.spent;
		now.lobby.max_work = larger(now.lobby.max_work - next->problem.work,
									MIN_SHARE * max_work);
		if (!next->answer.found || !is_better(next->imbalance_logit, logit))
			break;
		logit = next->imbalance_logit;
		set_teams(&now, next->answer.team);

		/* Several that are the best one after another need not be together. */
		if (n++ > 0)
			next->unproven = true;
	}
	return n;
}

int
list_swaps(const Teams *teams, const Split *split, const int *order, SplitPair *swap)
{
	const Lobby *lobby = &teams->lobby;
	int		   *mover[2] = {lobby_integers(lobby), lobby_integers(lobby)};
	int			n[2] = {0, 0};
	int			i,
				j;

	for (i = 0; i < lobby->n; i++)
	{
		int			t = teams->team[i] - 1;

		if (split->answer.team[i] == teams->team[i])
			continue;
		for (j = n[t]++; j > 0 && lobby->mu[t][mover[t][j - 1]] < lobby->mu[t][i]; j--)
			mover[t][j] = mover[t][j - 1];
		mover[t][j] = i;
	}
	for (i = 0; i < n[0]; i++)
	{
		for (j = i; j > 0 && order[swap[j - 1].a] > order[mover[0][i]]; j--)
			swap[j] = swap[j - 1];
		swap[j] = (SplitPair)
		{
			mover[0][i], mover[1][i]
		};
	}
	lobby->room->give_back(mover[0]);
	lobby->room->give_back(mover[1]);
	return n[0];
}
