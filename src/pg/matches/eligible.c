/*
 * eligible.c
 *		Rules of eligibility as jsonb, and matches judged by them.
 */
#include "pg/matches/eligible.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "pg/matches/meetings.h"
#include "pg/sql/arrays.h"
#include "pg/sql/json.h"

SKILLRATING_FUNCTION(skillrating_complete_eligibility);

/*
 * ---- Rules from jsonb and to jsonb ----
 */

/* The rule of a key. The message lists all rules, of which there are few. */
static EligibilityRule
find_rule(const JsonReader *reader)
{
	StringInfoData names;
	int			rule;

	for (rule = 0; rule < ELIGIBILITY_NRULES; rule++)
		if (strcmp(reader->key, eligibility_spec[rule].param.name) == 0)
			return rule;
	initStringInfo(&names);
	for (rule = 0; rule < ELIGIBILITY_NRULES; rule++)
		appendStringInfo(&names, "%s\"%s\"", rule > 0 ? ", " : "",
						 eligibility_spec[rule].param.name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown rule of eligibility \"%s\"", reader->key),
			 errhint("The rules are %s; see skillrating.parameters('eligibility').",
					 names.data)));
	pg_unreachable();
}

static double
read_choice(const JsonReader *reader, const ParamSpec *spec)
{
	int			choice = json_value_choice(&reader->value, spec->choices);
	StringInfoData words;
	int			i;

	if (choice >= 0)
		return choice;
	initStringInfo(&words);
	for (i = 0; spec->choices[i] != NULL; i++)
		appendStringInfo(&words, "%s\"%s\"", i > 0 ? ", " : "", spec->choices[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("rule \"%s\" of eligibility must be a choice", spec->name),
			 errhint("The choices are %s.", words.data)));
	pg_unreachable();
}

static double
read_number(const JsonReader *reader, const ParamSpec *spec)
{
	double		number;

	if (!json_value_number(&reader->value, &number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rule \"%s\" of eligibility must be a number", spec->name),
				 errhint("Leave it out where it is not to be in force.")));
	if (!param_in_range(spec, number))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("rule \"%s\" of eligibility is out of range: %g",
						spec->name, number),
				 errhint("It must be %s.", param_range(spec))));
	return number;
}

/* Rules that make no sense together; given[] has those that were in the object. */
static void
check_rules(const Eligibility *rules, const bool *given)
{
	const double *value = rules->value;
	int			rule;

	for (rule = 0; rule < ELIGIBILITY_NRULES; rule++)
	{
		const EligibilitySpec *spec = &eligibility_spec[rule];

		/*
		 * A rule that only refines another one would do nothing without it,
		 * and its owner would not notice.
		 */
		if (given[rule] && spec->of != (EligibilityRule) rule && !given[spec->of])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("rule \"%s\" of eligibility needs rule \"%s\"",
							spec->param.name,
							eligibility_spec[spec->of].param.name)));
	}
	if (value[ELIGIBILITY_MIN_TEAM_SIZE] > value[ELIGIBILITY_MAX_TEAM_SIZE])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rule \"min_team_size\" of eligibility (%g) is above \"max_team_size\" (%g)",
						value[ELIGIBILITY_MIN_TEAM_SIZE],
						value[ELIGIBILITY_MAX_TEAM_SIZE])));
}

Eligibility *
get_eligibility(Jsonb *json)
{
	Eligibility *rules = palloc_object(Eligibility);
	bool		given[ELIGIBILITY_NRULES] = {false};
	JsonReader	reader;

	/*
	 * A rule that is left out is not in force, whatever its default: defaults
	 * are those of rules that refine others.
	 */
	eligibility_defaults(rules);
	json_reader_begin(&reader, json, "rules of eligibility",
					  "For example '{\"min_duration\": 300}'; see skillrating.parameters('eligibility').");
	while (json_reader_next(&reader))
	{
		EligibilityRule rule = find_rule(&reader);
		const ParamSpec *spec = &eligibility_spec[rule].param;

		given[rule] = true;
		rules->value[rule] = spec->type == PARAM_CHOICE ?
			read_choice(&reader, spec) : read_number(&reader, spec);
	}
	check_rules(rules, given);
	return rules;
}

/* The value of a rule as json, written exactly whatever extra_float_digits says. */
static void
append_rule(StringInfo json, const ParamSpec *spec, double value)
{
	if (spec->type == PARAM_CHOICE)
		escape_json(json, spec->choices[(int) value]);
	else
		appendStringInfoString(json, double_to_shortest_decimal(value));
}

/* The rules in force as an object, complete and exact, as a jsonb. */
static Datum
eligibility_jsonb(const Eligibility *rules)
{
	StringInfoData json;
	int			rule;

	initStringInfo(&json);
	for (rule = 0; rule < ELIGIBILITY_NRULES; rule++)
	{
		const ParamSpec *spec = &eligibility_spec[rule].param;

		/*
		 * Rules that are not in force are left out, so that what a ladder
		 * keeps does not grow with later versions.
		 */
		if (!eligibility_in_force(rules, rule))
			continue;
		appendStringInfo(&json, "%s\"%s\": ", json.len > 0 ? ", " : "", spec->name);
		append_rule(&json, spec, rules->value[rule]);
	}
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(psprintf("{%s}", json.data)));
}

/* complete_eligibility(rules) */
Datum
skillrating_complete_eligibility(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(eligibility_jsonb(get_eligibility(PG_GETARG_JSONB_P(0))));
}

/*
 * ---- Matches ----
 */

/*
 * Number the accounts of a match: account[] gets that of each participant.  Returns how
 * many there are.  Rows are compared with all before only where accounts are merged.
 */
static int
number_accounts(const SourceMatch *source, int nplayers, int *account)
{
	const IdType *type = source->player_type;
	bool		merged = false;
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < source->n; i++)
	{
		account[i] = source->participant[i].player;
		merged = merged || !id_equal(type, source->player_id[i], source->account_id[i]);
	}
	if (!merged)
		return nplayers;
	for (i = 0; i < source->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (j = 0; j < i; j++)
			if (id_equal(type, source->account_id[i], source->account_id[j]))
				break;
		account[i] = j < i ? account[j] : n++;
	}
	return n;
}

MatchStatus
batch_leave_out(Batch *batch, SourceMatch *source)
{
	MatchStatus *left_out;
	int		   *account;
	int			naccounts;
	MatchStatus status;

	if (!eligibility_leaves_out(source->eligibility))
		return MATCH_OK;

	/*
	 * The arrays are freed below, because a replay calls this for every match
	 * in one memory context.
	 */
	left_out = palloc_array(MatchStatus, Max(source->n, 1));
	account = palloc_array(int, Max(source->n, 1));
	naccounts = number_accounts(source, batch->match.nplayers, account);
	if (eligibility_leave_out(source->eligibility, &source->facts, source->participant,
							  source->n, account, naccounts, left_out, &status) > 0)
		source_match_leave_out(source, left_out);
	pfree(left_out);
	pfree(account);
	return status;
}

/* A status with the number that it is about, or nothing for MATCH_OK. */
static Unrated
broken_rule(MatchStatus status, double value)
{
	if (status == MATCH_OK)
		return unrated_nothing;
	if (isnan(value))
		return unrated(status, match_status_message(status));
	return unrated(status, psprintf("%s: %g", match_status_message(status), value));
}

Unrated
reason_by_content(const Batch *batch, const SourceMatch *source)
{
	double		value;
	MatchStatus status;

	status = eligibility_judge(source->eligibility, &source->facts, source->participant,
							   source->n, &batch->match, &value);
	return broken_rule(status, value);
}

Unrated
reason_by_players(const Batch *batch, const SourceMatch *source)
{
	const Eligibility *rules = source->eligibility;
	const Match *match = &batch->match;
	double	   *games;
	double		value;
	MatchStatus status;
	int			i;

	if (!eligibility_needs_players(rules))
		return unrated_nothing;

	/* Games before this match: records are counted up after it. */
	games = palloc_array(double, match->nplayers);
	for (i = 0; i < match->nplayers; i++)
		games[i] = batch->player[i]->record.games;
	status = eligibility_judge_newcomers(rules, match, games, &value);
	pfree(games);

	/* Meetings are counted last, which is the rule that costs most. */
	if (status == MATCH_OK && eligibility_in_force(rules, ELIGIBILITY_MAX_REPEATS))
	{
		value = batch_count_meetings(batch, source->played_at,
									 rules->value[ELIGIBILITY_REPEAT_WINDOW],
									 rules->value[ELIGIBILITY_MAX_REPEATS]);
		if (value >= rules->value[ELIGIBILITY_MAX_REPEATS])
			status = MATCH_REPEATED_OPPONENTS;
	}
	return broken_rule(status, value);
}
