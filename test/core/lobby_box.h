/*
 * lobby_box.h
 *		A small lobby in the making, memory for searches, and all splits that there are of it.
 */
#ifndef TEST_CORE_LOBBY_BOX_H
#define TEST_CORE_LOBBY_BOX_H

#include <stdlib.h>

#include "test.h"

#include "core/split/lobby.h"

#include "../constraints.h"

#define BOX_PLAYERS 16

/*
 * ---- Memory: blocks in the order in which they were taken ----
 */

#define BOX_BLOCKS 100000

static struct
{
	void	   *block[BOX_BLOCKS];
	int			n;
}			box_memory;

static void *
box_take(size_t bytes)
{
	void	   *block = malloc(bytes > 0 ? bytes : 1);

	assert_true(bytes <= (size_t) 64 << 20 && box_memory.n < BOX_BLOCKS);
	box_memory.block[box_memory.n++] = block;
	return block;
}

static void
box_give_back(void *block)
{
	int			i;

	for (i = box_memory.n - 1; i >= 0; i--)
		if (box_memory.block[i] == block)
		{
			box_memory.block[i] = NULL;
			free(block);
			return;
		}
	fail();
}

static void *
box_begin(void)
{
	return &box_memory.block[box_memory.n];
}

static void
box_end(void *began)
{
	while (&box_memory.block[box_memory.n] > (void **) began)
		free(box_memory.block[--box_memory.n]);
}

static const Room box_room = {box_take, box_give_back, box_begin, box_end, (size_t) 64 << 20};

/*
 * ---- The lobby ----
 */

typedef struct LobbyBox
{
	Lobby		lobby;
	double		estimate[2][BOX_PLAYERS];
	double		weight[BOX_PLAYERS];
	double		command[BOX_PLAYERS];
	int			party[BOX_PLAYERS];
	int			squad[BOX_PLAYERS];
	int			evenly[BOX_PLAYERS];
	int			locked[BOX_PLAYERS];
	int			current[BOX_PLAYERS];
	bool		commander[BOX_PLAYERS];
	double		priority[BOX_PLAYERS];
	SplitPair	apart[BOX_PLAYERS];
} LobbyBox;

/* Players of whole estimates, whom nothing binds. */
static inline void
box_begin_lobby(LobbyBox *box, Random *random, int n, int nteams)
{
	int			i;

	memset(box, 0, sizeof(LobbyBox));
	for (i = 0; i < n; i++)
		box->estimate[0][i] = random_below(random, 1000);
	box->lobby = (Lobby)
	{
		.n = n,.nteams = nteams,.estimate = {box->estimate[0], box->estimate[0]},
		.apart = box->apart,.strength = TEAM_STRENGTH_MEAN,.log_odds_unit = 100,
		.command_weight = 0.5,.max_work = 1e9,.room = &box_room
	};
}

/* A number from 1 on for groups of two or three, by the place of the first; 0 for most. */
static inline void
box_groups(Random *random, int n, int *group)
{
	int			first = random_below(random, n);
	int			size = 2 + random_below(random, 2);
	int			i;

	memset(group, 0, sizeof(int) * (size_t) n);
	for (i = first; i < n && i < first + size; i++)
		group[i] = first + 1;
}

static inline void
box_end_lobby(LobbyBox *box)
{
	value_players(&box->lobby, squad_sizes(&box->lobby, NULL));
}

/* The split with a number, of which there are box_splits(): the team of each player. */
static inline long
box_splits(const Lobby *lobby)
{
	long		n = 1;
	int			i;

	for (i = 0; i < lobby->n; i++)
		n *= lobby->nteams + 1;
	return n;
}

static inline void
box_split(const Lobby *lobby, long number, int *team)
{
	int			i;

	for (i = 0; i < lobby->n; i++, number /= lobby->nteams + 1)
		team[i] = (int) (number % (lobby->nteams + 1));
}

/* Whether a split keeps all constraints, and has these sizes or, of two teams, the other way round. */
static inline bool
box_keeps(const Lobby *lobby, const SplitRequest *request, const int *team)
{
	int			count[SPLIT_MAX_TEAMS + 1] = {0};
	bool		same = true;
	bool		swapped = lobby->nteams == 2 && !request->in_order;
	int			i;

	for (i = 0; i < lobby->n; i++)
		count[team[i]]++;
	for (i = 0; i < lobby->nteams; i++)
		same = same && count[i + 1] == request->size[i];
	swapped = swapped && count[1] == request->size[1] && count[2] == request->size[0];
	return (same || swapped) && divides_evenly(lobby->n, lobby->evenly, team) &&
		keeps_constraints(lobby->n, lobby->party, lobby->allowed_teams, lobby->apart,
						  lobby->napart, team);
}

#endif							/* TEST_CORE_LOBBY_BOX_H */
