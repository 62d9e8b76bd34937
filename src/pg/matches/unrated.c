/*
 * unrated.c
 *		Why matches do not count: codes for programs, and details for people.
 *
 * Codes are stored in rated_match and come back from other servers.  Numbers of reasons live in
 * one process only.  Texts are constants; what the functions allocate is the caller's, in its context.
 */
#include "pg/matches/unrated.h"

#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "pg/sql/composite.h"

const Unrated unrated_nothing = {MATCH_OK, NULL};

/* What is said of a reason; those of the core have texts there, and some a remedy here. */
typedef struct ReasonText
{
	const char *code;
	const char *description;
	bool		is_mistake;
	bool		is_news;
	const char *remedy;			/* where the core has no hint */
} ReasonText;

/* Every reason of ours has an entry; without one its code would be a null pointer. */
static const ReasonText reason_text[UNRATED_NREASONS] = {
	[MATCH_ONE_TEAM] = {.remedy = "A match has a row for each participant, of two teams at least."},
	[MATCH_NO_RESULT] = {.remedy = "Give each team a rank, a team_score or won, or each player a player_score, or leave the match out until it has a result."},
	[MATCH_NO_PLAY_TIME] = {.remedy = "Give each team a player with a weight or stint above 0."},
	[MATCH_UNFINISHED] = {.remedy = "Leave the match out until all have left, or give left_at."},
	[MATCH_TOO_MANY_TEAMS_FOR_MODEL] = {.remedy = "Take a model that skillrating.models() says supports many teams."},
	[MATCH_TOO_MANY_PLAYERS_FOR_MODEL] = {.remedy = "Take a model that skillrating.models() says supports teams."},
	[UNRATED_BY_SOURCE] = {"by_source",
		"unrated_reason of the source, which is the detail", false, false,
	"The source says so in unrated_reason."},
	[UNRATED_NULL_VALUE] = {"null_value",
		"a column that must not be null is null", true, true,
	"Fill the column, or leave the match out."},
	[UNRATED_NAN_VALUE] = {"nan_value",
		"a number is NaN", true, true,
	"Give null for a number that is not known."},
	[UNRATED_INFINITE_TIME] = {"infinite_time",
		"played_at is infinite", true, true,
	"Give the time at which the match was played."},
	[UNRATED_COLUMN_DIFFERS] = {"column_differs",
		"a column of the match differs among its rows", true, true,
	"Give all rows of a match the same value in the columns of the match."},
	[UNRATED_LONG_NAME] = {"long_name",
		"a pool, context or club is longer than 1000 bytes", true, true,
	"Shorten the name."},
	[UNRATED_RESERVED_POOL] = {"reserved_pool",
		"the model keeps this pool for what pools share", true, true,
	"Call the pool otherwise."},
	[UNRATED_SEASON_ORDER] = {"season_order",
		"the season of the match ended with an earlier match of the history", true, true,
	"Number seasons in the order of time."},
	[UNRATED_ARRAY_LENGTH] = {"array_length",
		"an array of the match has not as many elements as players", true, true,
	"Give each array an element for each player."},
	[UNRATED_SOURCE_ERROR] = {"source_error",
		"the source raises an error for the rows of the match", true, true,
	"Mend what the detail says of the source."},
	[UNRATED_EXCLUDED_PLAYER] = {"excluded_player",
		"a player is excluded by exclude_player()", false, false,
	"undo_operation() ends the exclusion."},
	[UNRATED_MERGED_ACCOUNTS] = {"merged_accounts",
		"two accounts of one player, see merge_players(), take part", false, false,
	"undo_operation() takes accounts apart."},
	[UNRATED_VOID] = {"void",
		"void_match() has taken the match out, with the detail as its reason", false, false,
	"restore_match() has it count again."},
	[UNRATED_BEFORE_HORIZON] = {"before_horizon",
		"the match came too late for its place before the horizon, see set_horizon()", false, true,
	"Matches from before the horizon cannot count any more."},
	[UNRATED_FUTURE_TIME] = {"future_time",
		"played_at lay more than a day ahead when the match arrived", false, true,
	"Check the clock and the time zone of whoever writes played_at."},
	[UNRATED_LATE] = {"late",
		"the match is older than others of its players, and waits for catch_up()", false, false,
	"catch_up() puts the match into its place."},
	[UNRATED_WAITING] = {"waiting",
		"the match waits for the end of a transaction or for catch_up()", false, false,
	"The match is rated with its transaction, or by catch_up()."},
	[UNRATED_FAILED] = {"failed",
		"rating the match raised an error that is not about its data; it waits for catch_up()", false, false,
	"Remove the cause, and call catch_up()."},
	[UNRATED_NOT_REPORTED] = {"not_reported",
		"no trigger has reported the match, see catch_up(search => true)", false, false,
	"backfill() rates existing matches. Of others catch_up(search => true) finds those that no table reports that is attached, see attach()."},
	[UNRATED_NO_MATCH] = {"no_match",
		"there is no such match, or it is not finished", false, false,
	"Check the identifier, and whether the source has the match."}
};

const char *
unrated_code(int reason)
{
	return reason < MATCH_NSTATUSES ? match_status_code(reason) :
		reason_text[reason].code;
}

const char *
unrated_description(int reason)
{
	return reason < MATCH_NSTATUSES ? match_status_message(reason) :
		reason_text[reason].description;
}

/* Whether a reason is a mistake in the input, which is an error where strict. */
static bool
unrated_is_mistake(int reason)
{
	return reason < MATCH_NSTATUSES ? reason > MATCH_LAST_UNRATED :
		reason_text[reason].is_mistake;
}

bool
unrated_is_news(int reason)
{
	return reason < MATCH_NSTATUSES ?
		reason != MATCH_TOO_MANY_NEWCOMERS && reason != MATCH_REPEATED_OPPONENTS :
		reason_text[reason].is_news;
}

const char *
unrated_remedy(int reason)
{
	const char *hint = reason < MATCH_NSTATUSES ? match_status_hint(reason) : NULL;

	if (hint != NULL)
		return hint;
	return reason_text[reason].remedy != NULL ? reason_text[reason].remedy :
		"A rule of eligibility() says so.";
}

/* reasons(OUT reason, OUT mistake, OUT description, OUT remedy, OUT notice) */
SQL_FUNCTION(skillrating_reasons)
{
	int			reason;

	InitMaterializedSRF(fcinfo, 0);
	for (reason = MATCH_OK + 1; reason < UNRATED_NREASONS; reason++)
	{
		ResultRow	row = {0};

		put_text(&row, unrated_code(reason));
		put_bool(&row, unrated_is_mistake(reason));
		put_text(&row, unrated_description(reason));
		put_text(&row, unrated_remedy(reason));
		put_bool(&row, unrated_is_news(reason));
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/*
 * ---- Counts ----
 */

void
unrated_count(UnratedCounts *counts, int reason)
{
	counts->total++;
	counts->by_reason[reason]++;
}

Datum
unrated_counts_jsonb(const UnratedCounts *counts)
{
	StringInfoData json;
	int			reason;

	/* Codes are plain words, which need no escapes. */
	initStringInfo(&json);
	for (reason = MATCH_OK + 1; reason < UNRATED_NREASONS; reason++)
		if (counts->by_reason[reason] > 0)
			appendStringInfo(&json, "%s\"%s\": " INT64_FORMAT, json.len > 0 ? ", " : "",
							 unrated_code(reason), counts->by_reason[reason]);
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(psprintf("{%s}", json.data)));
}

const char *
unrated_counts_text(const UnratedCounts *counts, bool mistakes)
{
	StringInfoData text;
	int			reason;

	initStringInfo(&text);
	for (reason = MATCH_OK + 1; reason < UNRATED_NREASONS; reason++)
		if (counts->by_reason[reason] > 0 && (!mistakes || unrated_is_mistake(reason)))
			appendStringInfo(&text, "%s%s " INT64_FORMAT, text.len > 0 ? ", " : "",
							 unrated_code(reason), counts->by_reason[reason]);
	return text.data;
}
