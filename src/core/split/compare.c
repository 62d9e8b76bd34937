/*
 * compare.c
 *		A split beside others: what its teams are like, the most even other split, and the
 *		constraint that costs most.
 */
#include "core/split/compare.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/split/chooser.h"
#include "core/split/lobby_problem.h"
#include "core/util/extremes.h"

/* The other split and the constraint each take this share of the work of a split. */
#define SHARE_OF_COMPARISON 4

/* Beyond these no more variants are tried in the hope that one can be split. */
#define MAX_STEPS_IN_VAIN 3e8

/* With fewer steps than these a coarse search takes longer than an exact one. */
#define MIN_VARIANT_WORK 1e5

/*
 * ---- Terms ----
 */

void
describe_terms(const Lobby *lobby, const Split *split, TeamTerms *terms)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		mean = lobby_mean(lobby);
	int			t,
				i;

	team_strengths(lobby, split->answer.team, split->answer.commander, strength);
	for (t = 0; t < lobby->nteams; t++)
		terms[t] = (TeamTerms)
	{
		.strength = strength[t],.best = -INFINITY
	};
	for (i = 0; i < lobby->n; i++)
	{
		double		mu;

		t = split->answer.team[i] - 1;
		if (t < 0)
			continue;
		mu = lobby->mu[t == 1 ? 1 : 0][i];
		terms[t].players++;
		terms[t].spread += (mu - mean) * (mu - mean);
		terms[t].best = larger(terms[t].best, mu);
	}
	for (t = 0; t < lobby->nteams; t++)
		terms[t].spread = sqrt(terms[t].spread / terms[t].players);
}

/* The work of a variant of a lobby: it is one of so many for each player. */
static double
variant_work(const Lobby *lobby)
{
	return larger(MIN_VARIANT_WORK,
				  lobby->max_work / SHARE_OF_COMPARISON / (lobby->n > 1 ? lobby->n : 1));
}

double
difference_at_home(const Lobby *lobby)
{
	Lobby		still = *lobby;
	SplitSize	size = {.moves = 0};
	Split		split;
	int			i;

	still.max_work = variant_work(lobby);
	for (i = 0; i < lobby->n; i++)
		size.count[lobby->home[i] - 1]++;
	split_one_size(&still, size, &split);
	return split.difference;
}

/*
 * ---- Variants of the lobby ----
 */

/* Variants of a lobby that are split for one comparison. */
typedef struct Variants
{
	Lobby		lobby;			/* that they are variants of */
	SplitRequest request;
	double		max_steps;		/* of all, unless the first takes more */
	double		least_steps;	/* of each, however coarse its search */
	double		steps;			/* that they have taken */
	int			n;				/* tried so far */
	bool		found;			/* any of them can be split */
	Split		best;
} Variants;

static double
least_steps(const Lobby *lobby)
{
	double		n = lobby->n;

	return n * n * n;
}

int
max_compared(const Lobby *lobby)
{
	double		n = lobby->max_work / SHARE_OF_COMPARISON / larger(least_steps(lobby), 1);

	return (int) larger(1, smaller(n, INT_MAX));
}

static void
begin_variants(const Lobby *lobby, const SplitRequest *request, Variants *variants)
{
	*variants = (Variants)
	{
		.lobby = *lobby,.request = *request,
			.max_steps = lobby->max_work / SHARE_OF_COMPARISON,
			.least_steps = least_steps(lobby)
	};
	variants->lobby.max_work = variant_work(lobby);

	/* They are compared by the first objective only. */
	variants->lobby.current = NULL;
	variants->request.secondary = SECONDARY_NONE;
}

/*
 * Whether another variant can be tried.  In large lobbies, and with many options, that is only
 * one, and more of them until one can be split.
 */
static bool
can_try_another(const Variants *variants)
{
	return variants->n == 0 ||
		variants->steps + variants->least_steps <= variants->max_steps ||
		(!variants->found && variants->steps <= MAX_STEPS_IN_VAIN);
}

/* Split a variant, if there is work left for it, and keep it if it is the best; whether it is. */
static bool
try_variant(Variants *variants, const Lobby *variant)
{
	Split		split;

	if (!can_try_another(variants))
		return false;
	lobby_interrupt(variant);
	try_split(variant, &variants->request, &split);

	/* Variants that cannot be split have cost work as well. */
	variants->n++;
	variants->found = variants->found || split.answer.found;
	variants->steps += larger(split.steps, variants->least_steps);
	if (!split.answer.found ||
		(variants->best.answer.found &&
		 !is_better(split.imbalance_logit, variants->best.imbalance_logit)))
		return false;
	variants->best = split;
	return true;
}

/*
 * ---- The most even other split ----
 */

/* Whether two players are in one party. */
static bool
are_partners(const Lobby *lobby, int a, int b)
{
	return lobby->party != NULL && lobby->party[a] != 0 &&
		lobby->party[a] == lobby->party[b];
}

/* Split a lobby in which a player may only be in some of the places. */
static void
try_elsewhere(Variants *variants, int player, int places)
{
	Lobby		variant = variants->lobby;
	int			i;

	variant.allowed_teams = lobby_integers(&variant);
	for (i = 0; i < variant.n; i++)
		variant.allowed_teams[i] =
			allowed_teams_of(&variant, variants->lobby.allowed_teams, i);
	variant.allowed_teams[player] &= places;
	(void) try_variant(variants, &variant);
	variant.room->give_back(variant.allowed_teams);
}

/* Split a lobby in which a player does not command. */
static void
try_other_commander(Variants *variants, int player)
{
	Lobby		variant = variants->lobby;
	int			i;

	variant.commander = room_array(variant.room, sizeof(bool), (size_t) variant.n);
	for (i = 0; i < variant.n; i++)
		variant.commander[i] = i != player &&
			(variants->lobby.commander == NULL || variants->lobby.commander[i]);
	(void) try_variant(variants, &variant);
	variant.room->give_back(variant.commander);
}

/*
 * In another split the first of some team is not with all who are there now, or another one
 * commands; of two teams that differ, they may also have changed sides.
 */
static void
try_other_teams(Variants *variants, const Split *split)
{
	const Lobby *lobby = &variants->lobby;
	const int  *team = split->answer.team;
	bool		sides = lobby->nteams == 2 && !are_teams_alike(lobby);
	Lobby		apart = *lobby;
	int			t,
				i;

	apart.apart = room_array(lobby->room, sizeof(SplitPair), (size_t) lobby->napart + 1);
	for (i = 0; i < lobby->napart; i++)
		apart.apart[i] = lobby->apart[i];
	apart.napart++;
	for (t = 1; t <= lobby->nteams; t++)
	{
		int			first = -1;
		int			others = 0;

		for (i = 0; i < lobby->n; i++)
		{
			if (team[i] != t)
				continue;
			if (first < 0)
				first = i;
			else if (!are_partners(lobby, first, i))
			{
				others++;
				apart.apart[lobby->napart] = (SplitPair)
				{
					first, i
				};
				(void) try_variant(variants, &apart);
			}
		}
		if (first >= 0 && sides)
			try_elsewhere(variants, first, ~SPLIT_MAY(t));
		else if (first >= 0 && others == 0)
			try_elsewhere(variants, first, SPLIT_MAY(SPLIT_BENCH));
		if (lobby->command[0] != NULL)
			try_other_commander(variants, split->answer.commander[t - 1]);
	}
}

void
find_other_split(const Lobby *lobby, const SplitRequest *request, const Split *split,
				 Split *other)
{
	Variants	variants;
	int			i;

	begin_variants(lobby, request, &variants);
	if (lobby->home == NULL)
		try_other_teams(&variants, split);

	/* Of other moves of as many players, somebody stays who moves now. */
	for (i = 0; i < lobby->n && lobby->home != NULL; i++)
		if (split->answer.team[i] != lobby->home[i])
			try_elsewhere(&variants, i, SPLIT_MAY(lobby->home[i]));
	*other = variants.best;
}

/*
 * ---- The costliest constraint ----
 */

bool
find_costliest(const Lobby *lobby, const SplitRequest *request, const Split *split,
			   TeamConstraint *costliest, Split *without)
{
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	bool	   *dropped = room_zeros(lobby->room, sizeof(bool), (size_t) n);
	Variants	variants;
	bool		found = false;
	int			i;

	begin_variants(lobby, request, &variants);
	variants.best = *split;
	for (i = 0; i < n && can_try_another(&variants); i++)
	{
		void	   *began = lobby->room->begin();
		Lobby		variant;

		dropped[i] = true;
		variant = drop_constraints(&variants.lobby, constraint, dropped, n);
		dropped[i] = false;
		if (try_variant(&variants, &variant))
		{
			*costliest = constraint[i];
			found = true;
		}
		lobby->room->end(began);
	}
	*without = variants.best;
	return found;
}
