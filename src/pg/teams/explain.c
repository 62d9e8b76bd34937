/*
 * explain.c
 *		Why a split is as it is, in json: what it consists of, the most even other
 *		split, and the constraint that costs most.
 */
#include "pg/teams/explain.h"

#include "common/shortest_dec.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "core/split/compare.h"
#include "pg/teams/constraints.h"

/* The text grows key by key; a comma is due unless the object has just begun. */
static void
begin_key(StringInfo json, const char *key)
{
	if (json->data[json->len - 1] != '{')
		appendStringInfoString(json, ", ");
	escape_json(json, key);
	appendStringInfoString(json, ": ");
}

void
explain_number(StringInfo json, const char *key, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	begin_key(json, key);
	if (!isfinite(number))
	{
		appendStringInfoString(json, "null");
		return;
	}

	/* Adding 0 makes 0 of -0. */
	(void) double_to_shortest_decimal_buf(number + 0.0, digits);
	appendStringInfoString(json, digits);
}

/* The names of the players of a team, as a list. */
static void
append_team(StringInfo json, const Lobby *lobby, const Split *split, int team)
{
	const char *separator = "";
	int			i;

	appendStringInfoChar(json, '[');
	for (i = 0; i < lobby->n; i++)
	{
		int			place = people_of(lobby)->input_index[i];

		if (split->answer.team[place] != team)
			continue;
		appendStringInfoString(json, separator);
		escape_json(json, player_text(lobby, place));
		separator = ", ";
	}
	appendStringInfoChar(json, ']');
}

/* The difference of a split, and how far it is from what is sought, in points. */
static void
explain_difference(StringInfo json, const Lobby *lobby, const Split *split)
{
	explain_number(json, "difference", split->difference);
	explain_number(json, "off", fabs(split->imbalance_logit) * lobby->log_odds_unit);
}

static void
explain_terms(StringInfo json, const Lobby *lobby, const SplitRequest *request,
			  const Split *split)
{
	TeamTerms	terms[SPLIT_MAX_TEAMS];
	int			t;

	describe_terms(lobby, split, terms);
	begin_key(json, "terms");
	appendStringInfoChar(json, '{');
	begin_key(json, "teams");
	appendStringInfoChar(json, '[');
	for (t = 0; t < lobby->nteams; t++)
	{
		appendStringInfoString(json, t > 0 ? ", {" : "{");
		explain_number(json, "players", terms[t].players);
		explain_number(json, "strength", terms[t].strength);
		explain_number(json, "best", terms[t].best);
		explain_number(json, "spread", terms[t].spread);
		if (lobby->command[0] != NULL)
		{
			begin_key(json, "commander");
			escape_json(json, player_text(lobby, split->answer.commander[t]));
		}
		appendStringInfoChar(json, '}');
	}
	appendStringInfoChar(json, ']');
	explain_difference(json, lobby, split);
	if (lobby->nteams == 2)
		explain_number(json, "even", split->even_difference);
	else
	{
		begin_key(json, "objective");
		escape_json(json, request->objective == SPLIT_RANGE ? "range" : "squares");
	}
	if (lobby->current != NULL || lobby->home != NULL)
		explain_number(json, "moves", split->moves);
	if (lobby->home != NULL)
		explain_number(json, "difference_before", difference_at_home(lobby));
	appendStringInfoChar(json, '}');
}

static void
explain_alternative(StringInfo json, const Lobby *lobby, const SplitRequest *request,
					const Split *split)
{
	Split		other;
	int			t;

	find_other_split(lobby, request, split, &other);
	begin_key(json, "alternative");
	if (!other.answer.found)
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
		append_team(json, lobby, &other, t);
	}
	appendStringInfoChar(json, ']');
	begin_key(json, "bench");
	append_team(json, lobby, &other, SPLIT_BENCH);
	explain_difference(json, lobby, &other);
	appendStringInfoChar(json, '}');
}

static void
explain_constraint(StringInfo json, const Lobby *lobby, const SplitRequest *request,
				   const Split *split)
{
	TeamConstraint costliest;
	Split		without;
	bool		found = find_costliest(lobby, request, split, &costliest, &without);

	begin_key(json, "constraint");
	if (!found)
	{
		appendStringInfoString(json, "null");
		return;
	}
	appendStringInfoChar(json, '{');
	begin_key(json, "if");
	escape_json(json, describe_without(lobby, &costliest));
	explain_difference(json, lobby, &without);
	explain_number(json, "cost", lobby->log_odds_unit *
				   (fabs(split->imbalance_logit) - fabs(without.imbalance_logit)));
	appendStringInfoChar(json, '}');
}

void
explain_split(StringInfo json, const Lobby *lobby, const SplitRequest *request,
			  const Split *split)
{
	explain_terms(json, lobby, request, split);
	if (lobby->max_work == 0)
		return;
	explain_alternative(json, lobby, request, split);
	explain_constraint(json, lobby, request, split);
}

Datum
explain_end(StringInfo json)
{
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json->data));
}

Datum
why_split(const Lobby *lobby, const SplitRequest *request, const Split *split)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	explain_split(&json, lobby, request, split);
	appendStringInfoChar(&json, '}');
	return explain_end(&json);
}
