/*
 * explain.c
 *		Why a split is as it is, in json: what it consists of, the most even other
 *		split, and the constraint that costs most.
 */
#include "pg/teams/explain.h"

#include "common/shortest_dec.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "core/split/chooser.h"
#include "pg/teams/constraints.h"

/* A gain below this share of all points is rounding error. */
#define POINT_NOISE 1e-12

/* The alternative and the costliest constraint each take this share of the work of a split. */
#define SHARE_OF_EXPLANATION 4

/* Beyond these no more variants are tried in the hope that one can be split. */
#define MAX_STEPS_IN_VAIN 3e8

/* With fewer steps than these a coarse search takes longer than an exact one. */
#define MIN_VARIANT_WORK 1e5

double
variant_work(const Lobby *lobby)
{
	return Max(MIN_VARIANT_WORK,
			   lobby->max_work / SHARE_OF_EXPLANATION / Max(lobby->n, 1));
}

int
max_variants(const Lobby *lobby, double least_steps)
{
	double		variants = lobby->max_work / SHARE_OF_EXPLANATION / Max(least_steps, 1);

	return (int) Max(1, Min(variants, PG_INT32_MAX));
}

/* The text grows key by key; a comma is due unless the object has just begun. */
static void
begin_key(StringInfo json, const char *key)
{
	if (json->data[json->len - 1] != '{')
		appendStringInfoString(json, ", ");
	escape_json(json, key);
	appendStringInfoString(json, ": ");
}

static void
append_number(StringInfo json, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (!isfinite(number))
	{
		appendStringInfoString(json, "null");
		return;
	}

	/* Adding 0 makes 0 of -0. */
	(void) double_to_shortest_decimal_buf(number + 0.0, digits);
	appendStringInfoString(json, digits);
}

void
explain_number(StringInfo json, const char *key, double number)
{
	begin_key(json, key);
	append_number(json, number);
}

/* A key with the names of the players for whom of[] is a number, as a list. */
static void
append_players(StringInfo json, Lobby *lobby, const int *of, int number)
{
	const char *separator = "";
	int			i;

	appendStringInfoChar(json, '[');
	for (i = 0; i < lobby->n; i++)
	{
		int			place = people_of(lobby)->input_index[i];

		if (of[place] != number)
			continue;
		appendStringInfoString(json, separator);
		escape_json(json, player_text(lobby, place));
		separator = ", ";
	}
	appendStringInfoChar(json, ']');
}

void
explain_players(StringInfo json, const char *key, Lobby *lobby, const int *of,
				int number)
{
	begin_key(json, key);
	append_players(json, lobby, of, number);
}

void
explain_costliest(StringInfo json, const char *without, double difference, double off,
				  double off_with)
{
	begin_key(json, "constraint");
	if (without == NULL)
	{
		appendStringInfoString(json, "null");
		return;
	}
	appendStringInfoChar(json, '{');
	begin_key(json, "if");
	escape_json(json, without);
	explain_number(json, "difference", difference);
	explain_number(json, "off", off);
	explain_number(json, "cost", off_with - off);
	appendStringInfoChar(json, '}');
}

Datum
explain_end(StringInfo json)
{
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json->data));
}

double
points_off(const Lobby *lobby, const Split *split)
{
	return fabs(split->imbalance_logit) * lobby->log_odds_unit;
}

static void
explain_terms(StringInfo json, Lobby *lobby, const SplitRequest *request,
			  const Split *split)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		best[SPLIT_MAX_TEAMS];
	double		squares[SPLIT_MAX_TEAMS] = {0};
	int			players[SPLIT_MAX_TEAMS] = {0};
	double		mean = lobby_mean(lobby);
	int			t,
				i;

	for (t = 0; t < lobby->nteams; t++)
		best[t] = -INFINITY;
	for (i = 0; i < lobby->n; i++)
	{
		double		mu;

		t = split->answer.team[i] - 1;
		if (t < 0)
			continue;
		mu = lobby->mu[t == 1 ? 1 : 0][i];
		players[t]++;

		/* From the mean of all, so that the spreads of teams compare. */
		squares[t] += (mu - mean) * (mu - mean);
		best[t] = Max(best[t], mu);
	}
	team_strengths(lobby, split->answer.team, split->answer.commander, strength);
	begin_key(json, "terms");
	appendStringInfoChar(json, '{');
	begin_key(json, "teams");
	appendStringInfoChar(json, '[');
	for (t = 0; t < lobby->nteams; t++)
	{
		appendStringInfoString(json, t > 0 ? ", {" : "{");
		explain_number(json, "players", players[t]);
		explain_number(json, "strength", strength[t]);

		/* A team of nobody has neither. */
		explain_number(json, "best", best[t]);
		explain_number(json, "spread",
					   players[t] > 0 ? sqrt(squares[t] / players[t]) : NAN);
		if (lobby->command[0] != NULL)
		{
			begin_key(json, "commander");
			escape_json(json, player_text(lobby, split->answer.commander[t]));
		}
		appendStringInfoChar(json, '}');
	}
	appendStringInfoChar(json, ']');
	explain_number(json, "difference", split->difference);
	if (lobby->nteams == 2)
		explain_number(json, "even", lobby->even_difference);
	else
	{
		begin_key(json, "objective");
		escape_json(json, request->objective == SPLIT_RANGE ? "range" : "squares");
	}
	explain_number(json, "off", points_off(lobby, split));
	if (lobby->current != NULL)
		explain_number(json, "moves", split->moves);
	appendStringInfoChar(json, '}');
}

/* The variants of a lobby that are split for one part of an explanation. */
typedef struct Variants
{
	const SplitRequest *request;
	double		max_steps;		/* of all, unless the first takes more */
	double		least_steps;	/* of each, however coarse its search */
	double		steps;			/* that they have taken */
	int			n;				/* tried so far */
	bool		found;			/* any of them can be split */
	Split		best;
} Variants;

static void
begin_variants(const Lobby *lobby, const SplitRequest *request, Variants *variants)
{
	double		n = lobby->n;

	memset(variants, 0, sizeof(Variants));
	variants->request = request;
	variants->max_steps = lobby->max_work / SHARE_OF_EXPLANATION;
	variants->least_steps = n * n * n;
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

/* Split a variant; false if there is no work left for it. */
static bool
split_variant(const Lobby *variant, Variants *variants, Split *split)
{
	if (!can_try_another(variants))
		return false;
	check_interrupts();
	try_split(variant, variants->request, split);

	/* Variants that cannot be split have cost work as well. */
	variants->n++;
	variants->found = variants->found || split->answer.found;
	variants->steps += Max(split->steps, variants->least_steps);
	return true;
}

/* Split a variant of the lobby, and keep it as the best if it is. */
static void
try_variant(const Lobby *variant, Variants *variants)
{
	Split	   *best = &variants->best;
	Split		split;

	if (!split_variant(variant, variants, &split))
		return;
	if (split.answer.found &&
		(!best->answer.found || fabs(split.imbalance_logit) < fabs(best->imbalance_logit)))
	{
		if (best->answer.found)

			/*
			 * The teams of the best variant so far are all that is kept of
			 * it.
			 */
			pfree(best->answer.team);
		*best = split;
	}
	else
		pfree(split.answer.team);
}

/* Whether two players are in one party. */
static bool
are_partners(const Lobby *lobby, int a, int b)
{
	return lobby->party != NULL && lobby->party[a] != 0 &&
		lobby->party[a] == lobby->party[b];
}

/* Split a lobby in which a player may only be in some of the places. */
static void
try_elsewhere(const Lobby *lobby, Variants *variants, int player, int places)
{
	Lobby		variant = *lobby;
	int			i;

	variant.allowed_teams = palloc_array(int, lobby->n);
	for (i = 0; i < lobby->n; i++)
		variant.allowed_teams[i] = allowed_teams_of(lobby, lobby->allowed_teams, i);
	variant.allowed_teams[player] &= places;
	try_variant(&variant, variants);
	pfree(variant.allowed_teams);
}

/* Split a lobby in which a player does not command. */
static void
try_other_commander(const Lobby *lobby, Variants *variants, int player)
{
	Lobby		variant = *lobby;
	int			i;

	variant.commander = palloc_array(bool, lobby->n);
	for (i = 0; i < lobby->n; i++)
		variant.commander[i] = i != player &&
			(lobby->commander == NULL || lobby->commander[i]);
	try_variant(&variant, variants);
	pfree(variant.commander);
}

/*
 * The most even split that is another one.  In such a split the first of some team is
 * not with all who are there now, or another one commands; of two teams that differ,
 * they may also have changed sides.
 */
static void
find_alternative(const Lobby *lobby, const Split *split, Variants *variants)
{
	const int  *team = split->answer.team;
	bool		sides = lobby->nteams == 2 && !are_teams_alike(lobby);
	Lobby		limited = *lobby;
	Lobby		apart;
	int			t,
				i;

	limited.max_work = variant_work(lobby);
	apart = limited;
	apart.napart = lobby->napart + 1;
	apart.apart = palloc_array(SplitPair, apart.napart);
	for (i = 0; i < lobby->napart; i++)
		apart.apart[i] = lobby->apart[i];
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
				try_variant(&apart, variants);
			}
		}
		if (first >= 0 && sides)
			try_elsewhere(&limited, variants, first, ~SPLIT_MAY(t));
		else if (first >= 0 && others == 0)
			try_elsewhere(&limited, variants, first, SPLIT_MAY(SPLIT_BENCH));
		if (lobby->command[0] != NULL)
			try_other_commander(&limited, variants, split->answer.commander[t - 1]);
	}
}

static void
explain_alternative(StringInfo json, Lobby *lobby, const SplitRequest *request,
					const Split *split)
{
	Variants	variants;
	const Split *other = &variants.best;
	int			t;

	begin_variants(lobby, request, &variants);
	find_alternative(lobby, split, &variants);
	begin_key(json, "alternative");
	if (!other->answer.found)
	{
		appendStringInfoString(json, "null");
		return;
	}
	appendStringInfoChar(json, '{');
	begin_key(json, "teams");
	appendStringInfoChar(json, '[');
	for (t = 1; t <= lobby->nteams; t++)
	{
		appendStringInfoString(json, t > 1 ? ", " : "");
		append_players(json, lobby, other->answer.team, t);
	}
	appendStringInfoChar(json, ']');
	explain_players(json, "bench", lobby, other->answer.team, SPLIT_BENCH);
	explain_number(json, "difference", other->difference);
	explain_number(json, "off", points_off(lobby, other));
	appendStringInfoChar(json, '}');
}

/* The constraint without which the lobby can be split best, if that is better. */
static void
explain_constraint(StringInfo json, Lobby *lobby, const SplitRequest *request,
				   const Split *split)
{
	double		off = points_off(lobby, split);
	double		size = 0;
	double		least;
	double		difference = 0;
	char	   *costliest = NULL;
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	Variants	variants;
	bool	   *dropped = palloc0_array(bool, n + 1);
	MemoryContext trial = AllocSetContextCreate(CurrentMemoryContext, "constraint on trial",
												ALLOCSET_DEFAULT_SIZES);
	int			i;

	for (i = 0; i < lobby->n; i++)
		size += fabs(lobby->mu[0][i]) + fabs(lobby->mu[1][i]);
	least = off - POINT_NOISE * size;
	begin_variants(lobby, request, &variants);
	for (i = 0; i < n && can_try_another(&variants); i++)
	{
		MemoryContext before;
		Lobby		without;
		Split		other;

		/*
		 * The lobby without the constraint, and its split, live in the
		 * context until the next constraint.
		 */
		MemoryContextReset(trial);
		before = MemoryContextSwitchTo(trial);
		dropped[i] = true;
		without = drop_constraints(lobby, constraint, dropped, n);
		dropped[i] = false;
		without.max_work = variant_work(lobby);
		(void) split_variant(&without, &variants, &other);
		MemoryContextSwitchTo(before);
		if (!other.answer.found || points_off(lobby, &other) >= least)
			continue;
		least = points_off(lobby, &other);
		difference = other.difference;
		costliest = describe_without(lobby, &constraint[i]);
	}
	MemoryContextDelete(trial);
	explain_costliest(json, costliest, difference, least, off);
}

void
explain_split(StringInfo json, Lobby *lobby, const SplitRequest *request,
			  const Split *split)
{
	SplitRequest even = *request;
	Lobby		anywhere = *lobby;

	/* Alternatives are compared by the first objective only. */
	even.secondary = SECONDARY_NONE;
	anywhere.current = NULL;
	explain_terms(json, lobby, request, split);
	explain_alternative(json, &anywhere, &even, split);
	explain_constraint(json, &anywhere, &even, split);
}

Datum
why_split(Lobby *lobby, const SplitRequest *request, const Split *split)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	explain_split(&json, lobby, request, split);
	appendStringInfoChar(&json, '}');
	return explain_end(&json);
}
