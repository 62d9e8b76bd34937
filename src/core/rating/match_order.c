/*
 * match_order.c
 *		An order of a match's players that does not depend on who they are.
 */
#include "core/rating/match_order.h"

#include <math.h>
#include <string.h>

#include "core/util/shell_sort.h"

/* Numbers that are equal here have equal bits: -0 is below 0, and NaN comes last. */
static inline int
compare_numbers(double a, double b)
{
	if (a < b)
		return -1;
	if (a > b)
		return 1;
	if (a != b)
		return (isnan(a) != 0) - (isnan(b) != 0);
	return (signbit(b) != 0) - (signbit(a) != 0);
}

static inline int
compare_integers(int a, int b)
{
	return (a > b) - (a < b);
}

/* Compare the parts that two players had in the match, from their last ones on. */
static int
compare_entries(const Match *match, const MatchPlayer *p, const MatchPlayer *q)
{
	int			i = p->last_entry;
	int			j = q->last_entry;

	while (i >= 0 && j >= 0)
	{
		const MatchEntry *a = &match->entry[i];
		const MatchEntry *b = &match->entry[j];
		int			result = compare_integers(a->team, b->team);

		if (result == 0)
			result = compare_numbers(a->weight, b->weight);
		if (result == 0)
			result = compare_numbers(a->command_weight, b->command_weight);
		if (result == 0)
			result = compare_numbers(a->joined, b->joined);
		if (result != 0)
			return result;
		i = a->previous;
		j = b->previous;
	}
	return (i >= 0) - (j >= 0);
}

/* Compare the states that a model looks back on. */
static int
compare_pasts(int nstate, const MatchPlayer *p, const MatchPlayer *q)
{
	int			result = 0;
	int			i,
				j;

	for (i = 0; result == 0 && i < MATCH_MAX_PAST; i++)
	{
		result = (p->past[i] != NULL) - (q->past[i] != NULL);
		for (j = 0; result == 0 && p->past[i] != NULL && j < nstate; j++)
			result = compare_numbers(p->past[i][j], q->past[i][j]);
	}
	return result;
}

/* 0 for players of whom a model cannot tell one from the other. */
static int
compare_players(const Match *match, int nstate, const MatchPlayer *p,
				const MatchPlayer *q)
{
	int			result = 0;
	int			i;

	if (p->team != q->team)
		return p->team < q->team ? -1 : 1;
	for (i = 0; result == 0 && i < nstate; i++)
		result = compare_numbers(p->before[i], q->before[i]);
	if (result == 0)
		result = compare_numbers(p->games, q->games);
	if (result == 0)
		result = compare_numbers(p->squad, q->squad);
	if (result == 0)
		result = compare_numbers(p->experience, q->experience);
	if (result == 0)
		result = compare_pasts(nstate, p, q);
	if (result == 0)
		result = compare_entries(match, p, q);

	/*
	 * Results come behind all that a forecast depends on: players who are
	 * alike up to here are exchangeable in it, so that no bit of a forecast
	 * depends on what came of the match.
	 */
	if (result == 0)
		result = compare_numbers(p->kills, q->kills);
	if (result == 0)
		result = compare_numbers(p->deaths, q->deaths);
	if (result == 0)
		result = compare_numbers(p->quit, q->quit);

	/* Last, so that a gain moves nobody but players who are else alike. */
	return result != 0 ? result : compare_numbers(p->gain, q->gain);
}

/* What compare_players() needs to know besides two players. */
typedef struct PlayerOrder
{
	const Match *match;
	int			nstate;
} PlayerOrder;

static int
compare_in_order(const void *context, const void *p, const void *q)
{
	const PlayerOrder *order = context;

	return compare_players(order->match, order->nstate, p, q);
}

static void
sort_players(Match *match, int nstate)
{
	PlayerOrder order = {.match = match,.nstate = nstate};
	MatchPlayer spare;

	/*
	 * In place and without allocation.  The sort need not be stable: players
	 * who compare equal are alike to the model, and match_equalize() gives
	 * them equal bits afterwards.
	 */
	shell_sort(match->player, match->nplayers, sizeof(spare), &spare, compare_in_order, &order);
}

static int
compare_places(const void *context, const void *p, const void *q)
{
	const MatchEntry *a = p;
	const MatchEntry *b = q;
	int			result = compare_integers(a->team, b->team);

	(void) context;
	return result != 0 ? result : compare_integers(a->player, b->player);
}

static void
sort_entries(Match *match)
{
	MatchEntry	spare;

	shell_sort(match->entry, match->nentries, sizeof(spare), &spare, compare_places, NULL);
}

/*
 * ---- Components ----
 *
 * They are told apart by what they are and have, and never by whose they are: players who
 * are alike may have components that are not.
 */

static int
compare_shares(const Match *match, const MatchComponent *p, const MatchComponent *q)
{
	int			i = p->last_share;
	int			j = q->last_share;

	while (i >= 0 && j >= 0)
	{
		const MatchShare *a = &match->share[i];
		const MatchShare *b = &match->share[j];
		int			result = compare_integers(a->team, b->team);

		if (result == 0)
			result = compare_numbers(a->weight, b->weight);
		if (result != 0)
			return result;
		i = a->previous;
		j = b->previous;
	}
	return (i >= 0) - (j >= 0);
}

/* 0 for components of which a model cannot tell one from the other. */
static int
compare_components(const void *context, const void *a, const void *b)
{
	const Match *match = context;
	const MatchComponent *p = a;
	const MatchComponent *q = b;
	int			result = compare_integers(p->number, q->number);
	int			i;

	for (i = 0; result == 0 && i < p->spec->nstate; i++)
		result = compare_numbers(p->before[i], q->before[i]);
	if (result == 0)
		result = compare_numbers(p->games, q->games);
	return result != 0 ? result : compare_shares(match, p, q);
}

static void
sort_components(Match *match)
{
	MatchComponent spare;

	shell_sort(match->component, match->ncomponents, sizeof(spare), &spare, compare_components,
			   match);
}

static int
compare_owners(const void *context, const void *p, const void *q)
{
	const MatchShare *a = p;
	const MatchShare *b = q;
	int			result = compare_integers(a->component, b->component);

	(void) context;
	return result != 0 ? result : compare_integers(a->team, b->team);
}

static void
sort_shares(Match *match)
{
	MatchShare	spare;

	shell_sort(match->share, match->nshares, sizeof(spare), &spare, compare_owners, NULL);
}

/* Chain the shares of each component, and the components of each player. */
static void
link_components(Match *match)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].last_component = -1;
	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];

		component->last_share = -1;
		component->previous = -1;
		if (component->player < 0)
			continue;
		component->previous = match->player[component->player].last_component;
		match->player[component->player].last_component = i;
	}
	for (i = 0; i < match->nshares; i++)
	{
		MatchComponent *component = &match->component[match->share[i].component];

		match->share[i].previous = component->last_share;
		component->last_share = i;
	}
}

/* The same of components, once players have moved. */
static void
order_components(Match *match)
{
	int			i;

	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];

		/* place is where it was and moved_to where it is, as with players. */
		component->place = i;
		if (component->player >= 0)
			component->player = match->player[component->player].moved_to;
	}
	sort_components(match);
	for (i = 0; i < match->ncomponents; i++)
		match->component[match->component[i].place].moved_to = i;
	for (i = 0; i < match->nshares; i++)
		match->share[i].component = match->component[match->share[i].component].moved_to;
	sort_shares(match);
	link_components(match);
}

/* Before the players go back. */
static void
restore_components(Match *match)
{
	int			i;

	for (i = 0; i < match->nshares; i++)
		match->share[i].component = match->component[match->share[i].component].place;
	for (i = 0; i < match->nplayers; i++)
		if (match->player[i].last_component >= 0)
			match->player[i].last_component =
				match->component[match->player[i].last_component].place;
	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];

		if (component->previous >= 0)
			component->previous = match->component[component->previous].place;
		if (component->player >= 0)
			component->player = match->player[component->player].place;
	}
	for (i = 0; i < match->ncomponents; i++)
		while (match->component[i].place != i)
		{
			MatchComponent component = match->component[i];

			match->component[i] = match->component[component.place];
			match->component[component.place] = component;
		}
}

/* Chain the entries of each player, the last one first. */
static void
link_entries(Match *match)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].last_entry = -1;
	for (i = 0; i < match->nentries; i++)
	{
		MatchPlayer *player = &match->player[match->entry[i].player];

		match->entry[i].previous = player->last_entry;
		player->last_entry = i;
	}
}

/* Put players, their entries and components into another order than they are in. */
static void
reorder(Match *match, int nstate)
{
	int			i;

	sort_players(match, nstate);

	/* For each place before, the one that the player has now. */
	for (i = 0; i < match->nplayers; i++)
		match->player[match->player[i].place].moved_to = i;
	for (i = 0; i < match->nentries; i++)
		match->entry[i].player = match->player[match->entry[i].player].moved_to;
	sort_entries(match);
	link_entries(match);
	if (match->ncomponents > 0)
		order_components(match);
}

MatchOrder
match_order(Match *match, int nstate)
{
	MatchOrder	order = {match->ncomponents > 0, match->ncomponents > 1};
	int			i;

	/* Most matches come in order, as two players on two teams always do. */
	for (i = 0; i < match->nplayers; i++)
	{
		int			result = i == 0 ? -1 :
			compare_players(match, nstate, &match->player[i - 1], &match->player[i]);

		match->player[i].place = match->player[i].moved_to = i;
		if (result > 0)
			order.moved = true;
		if (result >= 0)
			order.has_ties = true;
	}
	for (i = 1; i < match->nentries; i++)
		if (match->entry[i].team == match->entry[i - 1].team &&
			match->entry[i].player < match->entry[i - 1].player)
			order.moved = true;
	if (order.moved)
		reorder(match, nstate);
	return order;
}

void
match_restore_order(Match *match)
{
	int			i;

	for (i = 0; i < match->nentries; i++)
		match->entry[i].player = match->player[match->entry[i].player].place;
	if (match->ncomponents > 0)
		restore_components(match);

	/* Each swap brings a player home. */
	for (i = 0; i < match->nplayers; i++)
		while (match->player[i].place != i)
		{
			MatchPlayer player = match->player[i];

			match->player[i] = match->player[player.place];
			match->player[player.place] = player;
		}
}

void
match_equalize(Match *match, int nstate)
{
	int			i;

	for (i = 1; i < match->nplayers; i++)
	{
		const MatchPlayer *first = &match->player[i - 1];
		MatchPlayer *player = &match->player[i];

		if (compare_players(match, nstate, first, player) != 0)
			continue;

		/* The order of summation may have given them different last bits. */
		memcpy(player->after, first->after, nstate * sizeof(double));
		player->gradient = first->gradient;
	}
	for (i = 1; i < match->ncomponents; i++)
	{
		const MatchComponent *first = &match->component[i - 1];
		MatchComponent *component = &match->component[i];

		if (compare_components(match, first, component) == 0)
			memcpy(component->after, first->after,
				   component->spec->nstate * sizeof(double));
	}
}
