/*
 * wishes.c
 *		A lobby split where constraints are wishes, which may be broken at a price.
 *
 * Sets of wishes are given up, the cheapest first, and the lobby is split without them.  A set that
 * costs more than the best split so far, unfairness and all, cannot be part of a better one, which
 * ends the search: where all wishes can be kept at a fair chance that is at once.  What counts of
 * a split is what it breaks, which may be less than what was given up for it.
 */
#include "core/split/wishes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/split/fair_split.h"
#include "core/util/extremes.h"
#include "core/util/shell_sort.h"

/* At most so many sets are tried, with as much work as two splits take, and of so many wishes. */
#define MAX_SETS 1000
#define SHARE_OF_SET 4
#define MAX_IN_SET 12

/* Steps that are counted for a set: of many teams as a share of a split, and to see what is possible. */
#define SHARE_OF_MANY 4
#define STEPS_OF_PAIR 100

/* Beyond this price a wish is as good as one that has none. */
#define HARD_PRICE 1000.0

/* A set of wishes that are given up. */
typedef struct WishSet
{
	int			n;
	int			member[MAX_IN_SET]; /* by price */
	double		cost;
} WishSet;

/* Sets of wishes from first to before end that are still to come. */
typedef struct Sets
{
	int			first;
	int			end;
	const double *price;		/* by wish, in order */
	WishSet		set[MAX_SETS + 2];
	int			n;
	int			taken;
} Sets;

typedef struct Search
{
	Lobby	   *lobby;
	const SplitRequest *request;
	TeamConstraint *wish;		/* the cheapest first */
	double	   *price;			/* by wish, HARD_PRICE if there is none */
	bool	   *given_up;		/* by wish */
	double		max_work;		/* for all sets */
	int			n;
	int			nsoft;			/* that have a price */
	double		worth;			/* of the best split: its unfairness and what
								 * it breaks, */
	int		   *places;			/* and where players may be in it */
	double		spent;
	bool		unproven;		/* there may be a better one */
} Search;

static double
price_of(const Lobby *lobby, const TeamConstraint *wish)
{
	const double *price = lobby->price[wish->kind];

	return price == NULL ? INFINITY : price[wish->number];
}

bool
has_prices(const Lobby *lobby)
{
	int			kind;

	for (kind = 0; kind < CONSTRAINT_KINDS; kind++)
		if (lobby->price[kind] != NULL)
			return true;
	return false;
}

double
chance_off(const Lobby *lobby, const Split *split)
{
	double		off = 0;
	int			t;

	for (t = 0; t < lobby->nteams; t++)
		off = larger(off, fabs(split->win[t] - 1.0 / lobby->nteams));
	return off;
}

/* Whether players of a number are together, or divided evenly. */
static bool
keeps_group(const Lobby *lobby, const int *group, int number, const int *team, bool evenly)
{
	int			count[SPLIT_MAX_TEAMS + 1] = {0};
	int			members = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
		if (group[i] == number + 1)
		{
			count[team[i]]++;
			members++;
		}
	return evenly ? abs(count[1] - count[2]) <= 1 : count[team[number]] == members;
}

static bool
is_kept(const Lobby *lobby, const TeamConstraint *wish, const Split *split)
{
	const int  *team = split->answer.team;
	const SplitPair *pair;
	int			t;

	switch (wish->kind)
	{
		case CONSTRAINT_LOCK:
			return (lobby->locked_teams[wish->number] & SPLIT_MAY(team[wish->number])) != 0;
		case CONSTRAINT_PARTY:
			return keeps_group(lobby, lobby->party, wish->number, team, false);
		case CONSTRAINT_EVENLY:
			return keeps_group(lobby, lobby->evenly, wish->number, team, true);
		case CONSTRAINT_APART:
			pair = &lobby->apart[wish->number];
			return team[pair->a] != team[pair->b] || team[pair->a] == SPLIT_BENCH;
		case CONSTRAINT_COMMAND:
			for (t = 0; t < 2; t++)
				if (!lobby->commander[split->answer.commander[t]])
					return false;
			break;
		case CONSTRAINT_PRIORITY:
			break;
	}
	return true;
}

/* What a split breaks of the wishes of a lobby, by what its teams are. */
static void
find_broken(const Lobby *lobby, const Split *split, BrokenWishes *broken)
{
	TeamConstraint *wish;
	int			n = list_constraints(lobby, &wish);
	int			i;

	*broken = (BrokenWishes)
	{
		.wish = wish
	};
	for (i = 0; i < n; i++)
	{
		double		price = price_of(lobby, &wish[i]);

		if (is_kept(lobby, &wish[i], split))
			continue;
		broken->wish[broken->n++] = wish[i];
		if (price < HARD_PRICE)
			broken->price += price;
		else
			broken->hard++;
	}
}

/* A wish to be sorted. */
typedef struct PricedWish
{
	TeamConstraint wish;
	double		price;
	int			place;
} PricedWish;

static int
compare_wishes(const void *context, const void *a, const void *b)
{
	const PricedWish *x = (const PricedWish *) a;
	const PricedWish *y = (const PricedWish *) b;

	(void) context;
	if (x->price != y->price)
		return x->price < y->price ? -1 : 1;
	return x->place - y->place;
}

/* Wishes by price; those of one price stay in their order. */
static void
sort_wishes(Search *search)
{
	const Room *room = search->lobby->room;
	PricedWish *all = room_array(room, sizeof(PricedWish), (size_t) search->n + 1);
	int			i;

	search->price = room_array(room, sizeof(double), (size_t) search->n + 1);
	for (i = 0; i < search->n; i++)
		all[i] = (PricedWish)
	{
		search->wish[i], smaller(price_of(search->lobby, &search->wish[i]), HARD_PRICE), i
	};
	shell_sort(all, search->n, sizeof(PricedWish), &all[search->n], compare_wishes, NULL);
	for (i = 0; i < search->n; i++)
	{
		search->wish[i] = all[i].wish;
		search->price[i] = all[i].price;
		search->nsoft += all[i].price < HARD_PRICE;
	}
	room->give_back(all);
}

/* Sets of wishes that are not kept, of those from first to before end, the cheapest first. */
static void
begin_sets(Sets *sets, int first, int end, const double *price)
{
	sets->first = first;
	sets->end = end;
	sets->price = price;
	sets->set[0].n = 0;
	sets->set[0].cost = 0;
	sets->n = 1;
	sets->taken = 0;
}

/* A set that is to come, unless there is no such wish or no room for it. */
static void
put_set(Sets *sets, WishSet set, int wish)
{
	int			i;

	if (wish >= sets->end || set.n == MAX_IN_SET || sets->n > MAX_SETS)
		return;
	set.member[set.n++] = wish;
	set.cost = 0;
	for (i = 0; i < set.n; i++)
		set.cost += sets->price[set.member[i]];
	sets->set[sets->n++] = set;
}

/*
 * The next set; false at the end.  Each other set is the one before it with one wish more, or with
 * its dearest one exchanged for the next: so each comes once, and never before a cheaper one.
 */
static bool
next_set(Sets *sets, WishSet *set)
{
	WishSet		before;
	int			least = 0;
	int			i;

	if (sets->n == 0 || sets->taken++ == MAX_SETS)
		return false;
	for (i = 1; i < sets->n; i++)
		if (sets->set[i].cost < sets->set[least].cost)
			least = i;
	*set = sets->set[least];
	sets->set[least] = sets->set[--sets->n];
	if (set->n == 0)
	{
		put_set(sets, *set, sets->first);
		return true;
	}
	put_set(sets, *set, set->member[set->n - 1] + 1);
	before = *set;
	before.n--;
	put_set(sets, before, set->member[set->n - 1] + 1);
	return true;
}

/* The lobby without wishes that are given up, in what locks say as well. */
static Lobby
without_given_up(const Search *search)
{
	const Lobby *lobby = search->lobby;
	Lobby		without = drop_constraints(lobby, search->wish, search->given_up, search->n);

	without.locked_teams = without.allowed_teams;
	return without;
}

/*
 * Split the lobby without what is given up, and keep the split if it is the best so far.  Returns
 * how far the chances are off, at least, without that: 0 unless that is proven.
 */
static double
try_without(Search *search, Split *split, BrokenWishes *broken)
{
	const Lobby *lobby = search->lobby;
	int		   *team = lobby_integers(lobby);
	int		   *places = lobby_integers(lobby);
	void	   *began = lobby->room->begin();
	Lobby		without = without_given_up(search);
	BrokenWishes breaks;
	Split		other;
	double		worth;
	int			i;

	lobby_interrupt(lobby);
	split_fairly(&without, search->request, &other);
	search->spent += lobby->nteams > 2 ? lobby->max_work / SHARE_OF_MANY :
		larger(other.steps, other.problem.spent);
	for (i = 0; i < lobby->n && other.answer.found; i++)
	{
		team[i] = other.answer.team[i];
		places[i] = allowed_teams_of(lobby, without.allowed_teams, i);
	}
	memset(&other.problem, 0, sizeof(SplitProblem));
	lobby->room->end(began);
	if (!other.answer.found)
	{
		lobby->room->give_back(places);
		lobby->room->give_back(team);
		return 0;
	}
	other.answer.team = team;
	search->unproven = search->unproven || !is_exact(&other);
	find_broken(lobby, &other, &breaks);
	worth = chance_off(lobby, &other) + breaks.price + HARD_PRICE * breaks.hard;
	if (worth < search->worth)
	{
		search->worth = worth;
		search->places = places;
		*split = other;
		*broken = breaks;
	}
	else
	{
		lobby->room->give_back(breaks.wish);
		lobby->room->give_back(places);
		lobby->room->give_back(team);
	}
	return is_exact(&other) && lobby->nteams == 2 ? chance_off(lobby, &other) : 0;
}

/* Try what wishes with a price may be given up besides those of a set without one. */
static void
search_beside(Search *search, const WishSet *hard, Sets *sets, Split *split, BrokenWishes *broken)
{
	double		floor = 0;
	WishSet		soft;
	int			i;

	begin_sets(sets, 0, search->nsoft, search->price);
	while (next_set(sets, &soft))
	{
		if (soft.cost + hard->cost + floor >= search->worth)
			return;
		if (search->spent > search->max_work)
			break;
		memset(search->given_up, 0, sizeof(bool) * (size_t) search->n);
		for (i = 0; i < soft.n; i++)
			search->given_up[soft.member[i]] = true;
		for (i = 0; i < hard->n; i++)
			search->given_up[hard->member[i]] = true;
		(void) try_without(search, split, broken);

		/* No split is fairer than one for which all of them are given up. */
		if (soft.n > 0 || search->nsoft < 2)
			continue;
		for (i = 0; i < search->nsoft; i++)
			search->given_up[i] = true;
		floor = try_without(search, split, broken);
	}
	search->unproven = search->unproven || sets->n > 0;
}

/* Whether there is any split without wishes that have a price, and without those of a set. */
static bool
is_possible_without(Search *search, const WishSet *hard, SplitStatus *status)
{
	double		n = search->lobby->n;
	int			i;

	search->spent += STEPS_OF_PAIR * n * n;
	for (i = 0; i < search->n; i++)
		search->given_up[i] = i < search->nsoft;
	for (i = 0; i < hard->n; i++)
		search->given_up[hard->member[i]] = true;
	return is_feasible_without(search->lobby, search->request, search->wish, search->given_up,
							   search->n, status);
}

/* Find the smallest sets of wishes without a price that have to be given up, and search beside. */
static void
search_sets(Search *search, Split *split, BrokenWishes *broken)
{
	Sets	   *hard = room_array(search->lobby->room, sizeof(Sets), 2);
	WishSet		set;
	int			size = MAX_IN_SET;
	SplitStatus status;

	begin_sets(hard, search->nsoft, search->n, search->price);
	while (search->spent <= search->max_work && next_set(hard, &set) && set.n <= size)
	{
		if (!is_possible_without(search, &set, &status))
		{
			/* Too many who are tied to one another are no contradiction. */
			if (search->lobby->strict || status == SPLIT_GROUP_TOO_LARGE)
				break;
			continue;
		}
		size = set.n;
		search_beside(search, &set, hard + 1, split, broken);
		if (size == 0)
			break;
	}

	/* Other sets of that size may be better. */
	if (search->spent > search->max_work || hard->taken > MAX_SETS)
		search->unproven = true;
	search->lobby->room->give_back(hard);
}

void
split_by_wishes(Lobby *lobby, const SplitRequest *request, Split *split, BrokenWishes *broken)
{
	double		max_work = lobby->max_work;
	Search		search = {
		.lobby = lobby,.request = request,.worth = INFINITY,.max_work = 2 * max_work
	};
	int			i;

	search.n = list_constraints(lobby, &search.wish);
	sort_wishes(&search);
	search.given_up = room_zeros(lobby->room, sizeof(bool), (size_t) search.n + 1);
	memset(broken, 0, sizeof(BrokenWishes));
	if (search.nsoft == 0)
	{
		split_fairly(lobby, request, split);
		broken->without = *lobby;
		if (split->answer.found || lobby->strict)
			return;
	}
	else
		memset(split, 0, sizeof(Split));
	lobby->max_work = max_work / SHARE_OF_SET;
	search_sets(&search, split, broken);
	lobby->max_work = max_work;
	if (!split->answer.found)
	{
		/* For the problem, which says what is in the way. */
		if (search.nsoft > 0)
			split_fairly(lobby, request, split);
		return;
	}

	/* Of more teams a split is the best one by another measure. */
	split->unproven = split->unproven || search.unproven ||
		(lobby->nteams > 2 && chance_off(lobby, split) > MIN_GAIN);
	for (i = 0; i < search.n; i++)
		search.given_up[i] = !is_kept(lobby, &search.wish[i], split);
	broken->without = drop_constraints(lobby, search.wish, search.given_up, search.n);
	broken->without.allowed_teams = search.places;
	broken->without.even_difference = split->even_difference;
}
