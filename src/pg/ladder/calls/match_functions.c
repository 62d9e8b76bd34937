/*
 * match_functions.c
 *		Bodies of the functions about one match: report_match() and preview().
 *
 * The ladder has been entered; report_match() rates by the ways that triggers take.
 */
#include "pg/sql/glue.h"

#include <math.h>

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/arrive/entries.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/calls/match_arrays.h"
#include "pg/ladder/calls/match_outcome.h"
#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/waiting.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/filters.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/* source_columns() */
SQL_FUNCTION(skillrating_source_columns)
{
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const SourceColumnSpec *column = &source_columns[i];
		ResultRow	row = {0};

		put_text(&row, column->name);
		put_text(&row, column->takes);
		put_text(&row, column->needed);
		put_text(&row, column->description);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}

/* check_inside(ladder, relation) */
SQL_FUNCTION(skillrating_check_inside)
{
	const char *relation = text_to_cstring(PG_GETARG_TEXT_PP(1));

	(void) ladder_inside(fcinfo);
	if (*relation != '\0')
	{
		Ladder	   *ladder = ladder_open_inside(fcinfo);

		if (strcmp(relation, "component") != 0 ||
			match_components_used(&ladder->model->rules, ladder->params) > 0)
			ladder_check_privilege(ladder, relation, ACL_SELECT);
		ladder_close(ladder);
	}
	PG_RETURN_VOID();
}

/* has_table(ladder, name) */
SQL_FUNCTION(skillrating_has_table)
{
	Oid			schema = get_namespace_oid(text_to_cstring(PG_GETARG_TEXT_PP(0)), true);

	PG_RETURN_BOOL(OidIsValid(schema) &&
				   ladder_owns_table(get_relname_relid(text_to_cstring(PG_GETARG_TEXT_PP(1)), schema)));
}

/* What ladder_facts() has from table ladder. */
#define STORED_FACTS 5

static LadderQuery row_query = {
	.text = "SELECT l.model, l.params, l.late, l.horizon, l.horizon_at FROM {ladder} AS l"
};

/* Put the state before or after in a row e of event, as SQL that gives an array or, by names, an object. */
static void
put_state_expression(ResultRow *row, const Model *model, const char *suffix, bool by_names)
{
	StringInfoData sql;
	int			i;

	initStringInfo(&sql);
	appendStringInfoString(&sql, by_names ? "jsonb_build_object(" : "ARRAY[");
	for (i = 0; i < model->nstate; i++)
		appendStringInfo(&sql, "%s%s%se.%s", i > 0 ? ", " : "",
						 by_names ? quote_literal_cstr(model->state[i].name) : "",
						 by_names ? ", " : "",
						 quote_identifier(psprintf("%s_%s", model->state[i].name, suffix)));
	appendStringInfoString(&sql, by_names ? ")" : "]");
	put_text(row, sql.data);
}

/* ladder_facts(ladder) */
SQL_FUNCTION(skillrating_ladder_facts)
{
	MemoryContext caller = CurrentMemoryContext;
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	const Model *model = ladder->model;
	const char *column[MODEL_MAX_STATE];
	QueryRow	stored;
	ResultRow	row = {0};
	Datum		result;
	int			i;

	for (i = 0; i < model->nstate; i++)
		column[i] = model->state[i].name;
	put_text(&row, ladder->player_type->name);
	put_text(&row, ladder->player_type->equals);
	put_text(&row, ladder->player_type->order);
	put_text(&row, ladder->match_type->name);
	put_text(&row, ladder->match_type->equals);
	put_text(&row, ladder->match_type->order);
	put_text(&row, ladder->player_type->less);
	put_datum(&row, text_array(column, model->nstate), false);
	put_state_expression(&row, model, "before", false);
	put_state_expression(&row, model, "after", false);
	put_state_expression(&row, model, "before", true);
	put_state_expression(&row, model, "after", true);
	put_text(&row, model->shares != NULL && model->shares(ladder->params) ? SHARED_POOL : NULL);
	if (!ladder_read_row(ladder, &row_query, NULL, &stored))
		elog(ERROR, "table ladder of ladder \"%s\" is empty", ladder->name);
	for (i = 0; i < STORED_FACTS; i++)
	{
		bool		null = next_is_null(&stored);

		put_datum(&row, next_datum(&stored), null);
	}
	MemoryContextSwitchTo(caller);
	result = return_result_row(fcinfo, &row);
	ladder_close(ladder);
	return result;
}

/*
 * ---- report_match ----
 */

static LadderQuery before_horizon_query = {
	.text = "SELECT FROM {rated_match} AS m WHERE m.match_id {match =} $1 "
	"AND m.seq OPERATOR(pg_catalog.<=) $2",
	.param = {VALUE_MATCH, VALUE_INT8}
};

/* Whether a match has a place before the horizon, where it stays as it was rated. */
static bool
is_before_horizon(Ladder *ladder, const MatchArrays *arrays)
{
	if (ladder->horizon == NO_HORIZON)
		return false;
	return ladder_execute(ladder, &before_horizon_query,
						  DATUMS(arrays->value[GIVEN_MATCH_ID], Int64GetDatum(ladder->horizon)),
						  NULL, NULL) > 0;
}

/* Put other content into a match. */
static void
replace_match(Ladder *ladder, const MatchArrays *arrays)
{
	ladder_check_privilege(ladder, "match", ACL_UPDATE);
	ladder_check_privilege(ladder, "match_player", ACL_DELETE);
	match_arrays_replace(ladder, arrays);
	ereport(NOTICE,
			(errmsg("match %s of ladder \"%s\" was reported before with other content, which is replaced",
					id_text(ladder->match_type, arrays->value[GIVEN_MATCH_ID]),
					ladder->name),
			 errhint("A rated match counts with the new content from the next skillrating.catch_up() on.")));
}

/* A result is given, and in one way; scores may go with a rank, which decides. */
static void
check_outcome(const MatchArrays *arrays)
{
	const bool *null = arrays->null;

	if (null[GIVEN_RANK] && null[GIVEN_WON] && null[GIVEN_TEAM_SCORE] && null[GIVEN_PLAYER_SCORE])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("rank must not be null"),
				 errhint("Give rank, won or team_score for each participant's team, or player_score for each participant.")));
	if (!null[GIVEN_RANK] && !null[GIVEN_WON])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rank and won must not both be given"),
				 errhint("Won says for each participant whether the team won, and rank says it for more than two outcomes.")));
}

/* The arguments of report_match(), behind the ladder. */
static const GivenPart report_parts[] = {
	0, GIVEN_MATCH_ID, GIVEN_PLAYERS, GIVEN_TEAM, GIVEN_RANK, GIVEN_PLAYED_AT, GIVEN_WON,
	GIVEN_TEAM_SCORE, GIVEN_PLAYER_SCORE, GIVEN_WEIGHT, GIVEN_JOINED, GIVEN_LEFT_AT,
	GIVEN_COMMANDING, GIVEN_SIDE, GIVEN_SQUAD, GIVEN_KILLS, GIVEN_DEATHS, GIVEN_QUIT,
	GIVEN_EXPERIENCE, GIVEN_PLAYER_GAIN, GIVEN_POOL, GIVEN_LOG_ODDS, GIVEN_GAIN, GIVEN_DURATION,
	GIVEN_SURRENDERED, GIVEN_BOT, GIVEN_FIXED, GIVEN_CONTEXT, GIVEN_CLUB, GIVEN_TOURNAMENT
};

static void
report_arguments(FunctionCallInfo fcinfo, const Ladder *ladder, MatchArrays *arrays)
{
	Assert(fcinfo->nargs == lengthof(report_parts));
	match_arguments(fcinfo, ladder, report_parts, arrays);
	if (!arrays->null[GIVEN_PLAYED_AT] &&
		TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(arrays->value[GIVEN_PLAYED_AT])))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("played_at must be finite, not %s",
						timestamptz_to_str(DatumGetTimestampTz(arrays->value[GIVEN_PLAYED_AT])))));
	check_outcome(arrays);
	if (!arrays->null[GIVEN_JOINED] && arrays->null[GIVEN_LEFT_AT])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("left_at must not be null where joined is given"),
				 errhint("A match that is reported is over.")));
}

/*
 * For whom each player counts in a match as it was read, who may be merged into another, and who is
 * not in it.
 */
static void
find_players(const SourceMatch *match, const Ladder *ladder, ReportedMatch *report)
{
	const MatchArrays *arrays = &report->arrays;
	IdTable    *accounts = id_table_create(ladder->player_type);
	int			i;

	report->counted = palloc_array(Datum, arrays->n);
	report->absent = palloc_array(bool, arrays->n);
	for (i = 0; i < match->n; i++)
		id_table_set(accounts, match->account_id[i], &match->player_id[i]);
	for (i = 0; i < arrays->n; i++)
	{
		const Datum *counted = id_table_find(accounts, arrays->player[i], "");

		report->absent[i] = counted == NULL;
		report->counted[i] = counted == NULL ? arrays->player[i] :
			id_copy(ladder->player_type, *counted);
	}
}

/*
 * Write a match, unless the ladder has it with the same content, or before its horizon: content
 * that nobody would rate does not take the place of what was rated.
 */
static void
write_report(Ladder *ladder, ReportedMatch *report)
{
	const MatchArrays *arrays = &report->arrays;

	report->written = match_arrays_insert(ladder, arrays);
	if (report->written || match_arrays_are_stored(ladder, arrays))
		return;
	report->refused = is_before_horizon(ladder, arrays);
	if (report->refused)
		return;
	replace_match(ladder, arrays);
	report->written = true;
}

/* What to read, in a subtransaction. */
typedef struct ReadReport
{
	Ladder	   *ladder;
	ReportedMatch *report;
} ReadReport;

/*
 * A mistake in what was reported is the caller's, and an error: in a row that is there it would
 * only keep the match from being rated.
 */
static bool
read_report(void *arg)
{
	Ladder	   *ladder = ((ReadReport *) arg)->ladder;
	ReportedMatch *report = ((ReadReport *) arg)->report;
	MatchReader *reader = reader_open_matches(ladder,
											  id_array(ladder->match_type,
													   &report->arrays.value[GIVEN_MATCH_ID], 1),
											  !report->refused, true);
	Unrated		why;

	report->in_source = reader_next(reader);
	if (report->in_source)
	{
		report->played_at = reader->match.played_at;
		report->digest = reader->match.digest;
		if (reader->match.n != report->arrays.n || ladder_has_filters(ladder))
			find_players(&reader->match, ladder, report);
		if (!report->refused)
			(void) batch_judge(ladder_batch(ladder), &reader->match, &why);
	}
	reader_close(reader);
	return true;
}

/*
 * Errors of the source: neither about data, as mistakes are, nor about a pool that the model keeps, nor
 * about too many participants.
 */
static bool
error_is_of_source(int sqlerrcode)
{
	return error_is_bearable(sqlerrcode) && !error_is_about_data(sqlerrcode) &&
		sqlerrcode != ERRCODE_RESERVED_NAME &&
		ERRCODE_TO_CATEGORY(sqlerrcode) != ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

/* Read a match as the source has it, unless that raises an error, for which rating lets it wait. */
static void
look_at_report(Ladder *ladder, ReportedMatch *report)
{
	ReadReport	read = {ladder, report};

	report->counted = report->arrays.player;
	report->played_at = report->arrays.null[GIVEN_PLAYED_AT] ?
		GetCurrentTransactionStartTimestamp() :
		DatumGetTimestampTz(report->arrays.value[GIVEN_PLAYED_AT]);
	if (!in_subtransaction(read_report, &read, error_is_of_source))
		report->in_source = true;
}

/*
 * Rate what is reported as the trigger at commit would, now.  A match that the tables had, and that
 * has only waited so far, is rated too.  If a frame further out is at work on this ladder it waits
 * until that is done.
 */
static void
rate_report(Ladder *ladder, ReportedMatch *report)
{
	Datum	   *id = &report->arrays.value[GIVEN_MATCH_ID];

	report->is_new = report->written || !match_is_recorded(ladder, report);
	if (report->written)
		(void) apply_pending(ladder, false);
	else if (report->is_new && ladder_is_at_work(ladder))
		keep_waiting(ladder, id, 1);
	else if (report->is_new)
		(void) apply_matches(ladder, id, 1, true, MATCHES_COME);
}

/*
 * report_match(ladder, match_id, players, team, rank, played_at, won, team_score, player_score,
 *				weight, joined, left, commanding, side, squad, kills, deaths,
 *				quit, experience, player_gain, pool, log_odds, gain, duration,
 *				surrendered, bot, fixed, context, club, tournament)
 */
static Datum
report_match(PG_FUNCTION_ARGS)
{
	ReportedMatch report = {.written = false};
	Ladder	   *ladder;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open_inside(fcinfo);
	if (!OidIsValid(ladder->relation[LADDER_MATCH]))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" has no table of matches of its own",
						ladder->name),
				 errhint("Its matches come from a source: insert them into the tables behind it.")));
	ladder_require_own_triggers(ladder);
	report_arguments(fcinfo, ladder, &report.arrays);
	write_report(ladder, &report);
	look_at_report(ladder, &report);
	rate_report(ladder, &report);
	return_outcome(fcinfo, ladder, &report);
	ladder_close(ladder);
	return (Datum) 0;
}

SQL_FUNCTION(skillrating_report_match)
{
	return enter_ladder(fcinfo, report_match);
}

/*
 * ---- preview ----
 */

/* Rate the current match as if team came in at rank and all others at 1.5. */
static void
rate_scenario(Batch *batch, SourceMatch *source, int team, double rank)
{
	Match	   *match = &batch->match;
	MatchStatus status;
	int			i;

	CHECK_FOR_INTERRUPTS();
	for (i = 0; i < match->nteams; i++)
		match->team[i].rank = i == team ? rank : 1.5;
	status = batch_rate(batch, source);
	if (status != MATCH_OK)
		batch_report(batch, source, status, -1);
}

/* How much the displayed rating of a player changes in the match just rated. */
static double
display_change(Batch *batch, int player)
{
	MatchPlayer *p = &batch->match.player[player];

	return model_display(batch->model, batch->params, p->after) -
		model_display(batch->model, batch->params, p->before);
}

/* The outcomes that a preview rates. */
enum
{
	SCENARIO_WIN,
	SCENARIO_DRAW,
	SCENARIO_LOSS,
	NSCENARIOS
};

/*
 * The changes of the displayed ratings of all players, NSCENARIOS of each: if the
 * player's team wins, draws or loses against all others.
 */
static double *
scenario_changes(Batch *batch, SourceMatch *source)
{
	static const double rank[NSCENARIOS] = {1, 1.5, 2};
	int			nplayers = batch->match.nplayers;
	double	   *change = palloc_array(double, NSCENARIOS * nplayers);
	int			scenario;
	int			team;
	int			i;

	for (scenario = 0; scenario < NSCENARIOS; scenario++)
		for (team = 0; team < batch->match.nteams; team++)
		{
			/* All draws are the same draw. */
			if (scenario != SCENARIO_DRAW || team == 0)
				rate_scenario(batch, source, team, rank[scenario]);
			for (i = 0; i < nplayers; i++)
				if (batch->match.player[i].team == team)
					change[NSCENARIOS * i + scenario] = display_change(batch, i);
		}
	return change;
}

/*
 * The players of a match that was built, in the order in which they first occur
 * among the participants as these were read.  account gets the identifier of each under
 * which it takes part.
 */
static int *
players_as_read(const Batch *batch, const SourceMatch *source, Datum *account)
{
	int		   *player = palloc_array(int, batch->match.nplayers);
	bool	   *met = palloc0_array(bool, batch->match.nplayers);
	int		   *read = palloc_array(int, source->n);
	int			n = 0;
	int			i;

	for (i = 0; i < source->n; i++)
	{
		read[source->order[i]] = source->participant[i].player;
		account[source->participant[i].player] = source->account_id[i];
	}
	for (i = 0; i < source->n; i++)
		if (!met[read[i]])
		{
			met[read[i]] = true;
			player[n++] = read[i];
		}
	pfree(met);
	pfree(read);
	return player;
}

static void
return_preview(FunctionCallInfo fcinfo, Batch *batch, SourceMatch *source)
{
	const double *change = scenario_changes(batch, source);
	double		draw = model_draw(batch->model, batch->params, &batch->match);
	Datum	   *account = palloc_array(Datum, batch->match.nplayers);
	const int  *order = players_as_read(batch, source, account);
	int			scenario;
	int			i;

	for (i = 0; i < batch->match.nplayers; i++)
	{
		const MatchPlayer *p = &batch->match.player[order[i]];
		const MatchTeam *team = &batch->match.team[p->team];
		ResultRow	row = {0};

		put_text(&row, id_text(batch->player_type, account[order[i]]));
		put_int32(&row, team->number);
		put_datum(&row, Float8GetDatum(model_display(batch->model, batch->params, p->before)), false);
		put_datum(&row, Float8GetDatum(team->win), false);
		for (scenario = 0; scenario < NSCENARIOS; scenario++)
			put_datum(&row, Float8GetDatum(change[NSCENARIOS * order[i] + scenario]), false);
		put_number(&row, draw);
		add_result_row(fcinfo, &row);
	}
}

/* The arguments of preview(), behind the ladder. */
static const GivenPart preview_parts[] = {
	0, GIVEN_PLAYERS, GIVEN_TEAM, GIVEN_WEIGHT, GIVEN_JOINED, GIVEN_LEFT_AT, GIVEN_COMMANDING,
	GIVEN_SIDE, GIVEN_SQUAD, GIVEN_PLAYER_GAIN, GIVEN_POOL, GIVEN_LOG_ODDS, GIVEN_GAIN,
	GIVEN_PLAYED_AT, GIVEN_FIXED, GIVEN_CONTEXT, GIVEN_CLUB, GIVEN_TOURNAMENT
};

static void
preview_arguments(FunctionCallInfo fcinfo, const Ladder *ladder, MatchArrays *arrays)
{
	Assert(fcinfo->nargs == lengthof(preview_parts));
	match_arguments(fcinfo, ladder, preview_parts, arrays);
	if (arrays->null[GIVEN_PLAYED_AT])
		arrays->value[GIVEN_PLAYED_AT] = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
}

/* Read the match that is to be previewed, with the players for whom accounts count. */
static void
read_preview(Ladder *ladder, const MatchArrays *arrays, SourceMatch *match)
{
	Filters    *filters = ladder_has_filters(ladder) ? read_filters(ladder) : NULL;

	source_match_init(match, NULL, ladder->player_type);
	match->unused = ladder->unused;
	match_arrays_read(arrays, match);
	source_match_sort(match);
	if (filters != NULL)
		filter_match(filters, match);
	check_accounts(ladder->player_type, match->account_id, match->player_id, match->n);
}

/* Load the components of the match, which take a right of their own. */
static void
peek_components(Batch *batch, Ladder *ladder)
{
	if (batch->match.ncomponents == 0)
		return;
	ladder_check_privilege(ladder, "component", ACL_SELECT);
	components_peek(batch, ladder);
}

/*
 * preview(ladder, players, team, weight, joined, left, commanding, side, squad,
 *		   player_gain, pool, log_odds, gain, at, fixed, context, club, tournament)
 */
SQL_FUNCTION(skillrating_preview)
{
	MatchArrays arrays = {0};
	Ladder	   *ladder;
	SourceMatch match;
	Batch	   *batch;
	MatchStatus status;
	int			offender;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open_inside(fcinfo);
	preview_arguments(fcinfo, ladder, &arrays);

	read_preview(ladder, &arrays, &match);
	batch = ladder_batch(ladder);
	status = batch_build(batch, &match, &offender);
	if (status != MATCH_OK)
		batch_report(batch, &match, status, offender);
	batch_request_states(batch);
	batch_load(batch, ladder);
	peek_components(batch, ladder);
	return_preview(fcinfo, batch, &match);

	ladder_close(ladder);
	return (Datum) 0;
}
