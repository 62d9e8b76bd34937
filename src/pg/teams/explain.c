/*
 * explain.c
 *		Why a split is as it is, in json: what it consists of, the most even other
 *		split, and the constraint that costs most; and why there is none, in errors.
 */
#include "pg/teams/lobby.h"

#include "common/shortest_dec.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "core/split/compare.h"
#include "pg/sql/arrays.h"

/* In larger lobbies a conflict is not explained, as every constraint is tried for that. */
#define MAX_TO_EXPLAIN 100

/*
 * ---- Constraints in words ----
 */

/* The difference that a constraint makes, in words: "player x is not locked". */
static char *
describe_without(const Lobby *lobby, const TeamConstraint *constraint)
{
	const SplitPair *pair;

	switch (constraint->kind)
	{
		case CONSTRAINT_LOCK:
			return psprintf("player %s is not locked", player_text(lobby, constraint->number));
		case CONSTRAINT_PARTY:
			return psprintf("the party of player %s is separated",
							player_text(lobby, constraint->number));
		case CONSTRAINT_EVENLY:
			return psprintf("the group of player %s is not split evenly",
							player_text(lobby, constraint->number));
		case CONSTRAINT_APART:
			pair = &lobby->apart[constraint->number];
			return psprintf("players %s and %s do not avoid each other",
							player_text(lobby, pair->a), player_text(lobby, pair->b));
		case CONSTRAINT_COMMAND:
			return pstrdup("anybody may command");
		case CONSTRAINT_PRIORITY:
			break;
	}
	return pstrdup("priority does not decide who plays");
}

Datum
broken_wishes(const Lobby *lobby, const BrokenWishes *broken)
{
	const char **text = palloc_array(const char *, broken->n + 1);
	int			i;

	/* Not of broken->without, which has other pairs. */
	for (i = 0; i < broken->n; i++)
		text[i] = describe_without(lobby, &broken->wish[i]);
	return broken->n == 0 ? (Datum) 0 : text_array(text, broken->n);
}

/*
 * What is in the way of a split, in words, or NULL: a constraint without which there is one,
 * or constraints that cannot be kept together, of which none can be spared for that.
 */
static char *
describe_conflict(const Lobby *lobby, const SplitRequest *request)
{
	TeamConstraint *constraint;
	StringInfoData conflict;
	bool	   *kept;
	int			n;
	int			alone;
	int			i;

	if (lobby->n > MAX_TO_EXPLAIN)
		return NULL;
	n = list_constraints(lobby, &constraint);
	kept = palloc_array(bool, n + 1);
	alone = find_conflict(lobby, request, constraint, n, kept);
	if (alone >= 0)
		return psprintf("There is one if %s.", describe_without(lobby, &constraint[alone]));
	initStringInfo(&conflict);
	for (i = 0; i < n; i++)
		if (kept[i])
			appendStringInfo(&conflict, "%s%s", conflict.len > 0 ? ", or " :
							 "More than one thing is in the way.  One of them is gone if ",
							 describe_without(lobby, &constraint[i]));
	if (conflict.len == 0)
		return NULL;
	appendStringInfoChar(&conflict, '.');
	return conflict.data;
}

/* Sizes as a list. */
static char *
size_list(const Lobby *lobby, const SplitRequest *request)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < lobby->nteams; i++)
		appendStringInfo(&list, "%s%d", i == 0 ? "" : i == lobby->nteams - 1 ? " and " : ", ",
						 request->size[i]);
	return list.data;
}

/* The members of the group in the way of a problem as a list. */
static char *
group_at_fault(const Lobby *lobby, const SplitProblem *problem)
{
	const SplitGroup *group = &problem->group[problem->at_fault];

	return player_list(lobby, problem->member + group->first_member, group->nmembers);
}

void
report_large_group(const Lobby *lobby, const SplitProblem *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many players are connected by constraints: %d",
					problem->group[problem->at_fault].nmembers),
			 errdetail("They are %s.", group_at_fault(lobby, problem)),
			 errhint("Fewer pairs to avoid, and fewer players to split evenly, make smaller groups.")));
}

void
report_no_split(const Lobby *lobby, const SplitRequest *request, const Split *split)
{
	char	   *sizes = size_list(lobby, request);
	char	   *conflict;

	if (split->status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(lobby, &split->problem);
	if (lobby->nteams > 2 && split->proof == SPLIT_NONE_FOUND)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("no split into teams of %s was found that keeps all constraints", sizes),
				 errhint("There may be one, which fewer constraints make easier to find.")));
	conflict = describe_conflict(lobby, request);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 split->status == SPLIT_NO_OPTION ?
			 errmsg("the constraints of %s contradict one another",
					group_at_fault(lobby, &split->problem)) :
			 lobby->command[0] == NULL ?
			 errmsg("there is no split into teams of %s that keeps all constraints", sizes) :
			 errmsg("there is no split into teams of %s that keeps all constraints and has a commander on either side",
					sizes),
			 conflict != NULL ? errdetail("%s", conflict) : 0));
}

/*
 * ---- Splits in json ----
 */

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
why_split(const Lobby *lobby, const SplitRequest *request, const Split *split)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	explain_split(&json, lobby, request, split);
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
