/*
 * match_outcome.c
 *		What has become of a match: the results of match_outcome(), report_match() and
 *		match_journal().
 *
 * report_match() has a row for each player whatever came of the match, so that a caller never
 * has to guess from an empty result.  Players whom the match has not touched, or not
 * yet, have the rating with which they would go into it, before and after.
 *
 * Nothing here writes.  All is read after the match was rated, by queries of the same transaction,
 * which see what it has just written; what another one commits meanwhile can only be about other
 * content of the match, which the digest tells.
 */
#include "pg/ladder/calls/match_outcome.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/arrive/failures.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/rate/match_reader.h"
#include "pg/ladder/rate/states.h"
#include "pg/matches/unrated.h"
#include "pg/sql/arrays.h"

/* What is known of a match, and what waits because of it. */
typedef struct Outcome
{
	const char *outcome;
	int64		digest;			/* of what was looked at, */
	bool		differs;		/* which the content is not */
	const char *reason;			/* a code of reasons(), or NULL */
	const char *detail;
	const char *sqlstate;		/* of the error for which it waits, or NULL */
	TimestampTz since;			/* it has waited, or DT_NOBEGIN */
	const char *correction;		/* its kind, or NULL */
	bool		has_place;
	int64		place;			/* from which history is out of date */
	bool		has_events;
	bool		has_seq;
	int64		seq;
} Outcome;

/*
 * ---- What is recorded ----
 */

static LadderQuery recorded_query = {
	.text = "SELECT m.status OPERATOR(pg_catalog.=) 'rated', m.digest, m.seq, m.reason, m.detail, m.void_reason "
	"FROM {rated_match} AS m WHERE m.match_id {match =} $1",
	.param = {VALUE_MATCH}
};

/* The first place that a match has put out of date; a late one has none yet. */
static LadderQuery correction_query = {
	.text = "SELECT c.kind, c.seq FROM {correction} AS c WHERE c.match_id {match =} $1 "
	"ORDER BY c.seq, c.noticed_at, c.kind LIMIT 1",
	.param = {VALUE_MATCH}
};

bool
match_is_recorded(Ladder *ladder, const ReportedMatch *report)
{
	return ladder_execute(ladder, &recorded_query, &report->arrays.value[GIVEN_MATCH_ID], NULL,
						  NULL) > 0;
}

/* The correction that waits because of the match, if there is one. */
static void
find_correction(Ladder *ladder, const Datum *match_id, Outcome *outcome)
{
	QueryRow	row;

	if (!ladder_read_row(ladder, &correction_query, match_id, &row))
		return;
	outcome->correction = next_text(&row);
	outcome->has_place = !next_is_null(&row);
	outcome->place = next_int64(&row);
}

/*
 * What the row of rated_match says, if there is one.  Its digest is that of the content that was rated,
 * or found wanting: with another one reported meanwhile, all in the row is about what
 * was, until a replay.
 */
static bool
read_recorded(Ladder *ladder, const Datum *match_id, Outcome *outcome)
{
	QueryRow	row;
	const char *void_reason;
	bool		rated;

	if (!ladder_read_row(ladder, &recorded_query, match_id, &row))
		return false;
	rated = next_bool(&row);
	outcome->digest = next_int64(&row);
	outcome->has_seq = !next_is_null(&row);
	outcome->seq = next_int64(&row);
	outcome->has_events = rated && outcome->has_seq;
	outcome->reason = next_text(&row);
	outcome->detail = next_text(&row);
	void_reason = next_text(&row);
	if (rated && void_reason != NULL)
	{
		outcome->reason = unrated_code(UNRATED_VOID);
		outcome->detail = psprintf("rated until catch_up(): %s", void_reason);
	}
	outcome->outcome = rated ? "rated" :
		outcome->reason != NULL &&
		strcmp(outcome->reason, unrated_code(UNRATED_LATE)) == 0 ? "waiting" : "unrated";
	return true;
}

/*
 * What a report has made of a match that is recorded.  The digest of what was looked at is compared,
 * and not whether the tables were written: rows of one's own in a source may make other content of
 * the same report.
 */
static void
compare_report(const Ladder *ladder, const ReportedMatch *report, Outcome *outcome)
{
	bool		rated = strcmp(outcome->outcome, "rated") == 0;
	bool		is_new = report->is_new;

	outcome->differs = outcome->digest != report->digest;

	/* What came too late for a place before the horizon changes nothing. */
	if (report->refused ||
		(outcome->has_seq && outcome->seq <= ladder->horizon && (is_new || outcome->differs)))
	{
		is_new = outcome->differs = false;
		if (rated)
		{
			outcome->reason = unrated_code(UNRATED_BEFORE_HORIZON);
			outcome->detail =
				psprintf("the match lies before the horizon, place " INT64_FORMAT ", and stays as it was rated",
						 ladder->horizon);
		}
	}
	if (outcome->differs)
		outcome->outcome = "corrected";
	else if (rated && !is_new)
		outcome->outcome = "repeated";
}

static void
set_reason(Outcome *outcome, const char *word, int reason)
{
	outcome->outcome = word;
	outcome->reason = unrated_code(reason);
	outcome->detail = unrated_description(reason);
}

/* Where a match waits, in pending; the row with an error first. */
static LadderQuery waiting_query = {
	.text = "SELECT p.since, p.sqlstate, p.message FROM {pending} AS p "
	"WHERE p.match_id {match =} $1 AND p.sqlstate IS NOT NULL UNION ALL "
	"SELECT p.since, NULL, NULL FROM {pending} AS p "
	"WHERE p.match_id {match =} $1 AND p.sqlstate IS NULL LIMIT 1",
	.param = {VALUE_MATCH}
};

/*
 * The message of an error comes from code that runs with the rights of the ladder's owner; whoever
 * may not read it in pending gets the description of the reason.
 *
 * Whether the match waits in pending; if because of an error, even one that was rated does, with
 * the content of then.
 */
static bool
find_waiting(Ladder *ladder, const Datum *match_id, Outcome *outcome)
{
	QueryRow	row;

	if (!ladder_read_row(ladder, &waiting_query, match_id, &row))
		return false;
	outcome->since = next_time(&row);
	outcome->sqlstate = next_text(&row);
	set_reason(outcome, "waiting", outcome->sqlstate != NULL ? UNRATED_FAILED : UNRATED_WAITING);
	if (outcome->sqlstate != NULL && may_see_message(ladder, outcome->sqlstate, ladder->caller))
		outcome->detail = next_text(&row);
	return true;
}

/* What a report has come to. */
static Outcome
find_outcome(Ladder *ladder, const ReportedMatch *report)
{
	const Datum *match_id = &report->arrays.value[GIVEN_MATCH_ID];
	Outcome		outcome = {0};

	if (!read_recorded(ladder, match_id, &outcome))
	{
		/*
		 * Unless rating has failed, only a frame further out, at work on the
		 * ladder, leaves it unseen, or a source that leaves it out.
		 */
		if (find_waiting(ladder, match_id, &outcome))
			return outcome;
		if (report->in_source)
			set_reason(&outcome, "waiting", UNRATED_WAITING);
		else
			set_reason(&outcome, "unrated", UNRATED_NO_MATCH);
		return outcome;
	}
	compare_report(ladder, report, &outcome);
	if (outcome.differs)
		(void) find_waiting(ladder, match_id, &outcome);

	/* The table has no index, and of most matches it has nothing. */
	if (outcome.reason != NULL || outcome.differs)
		find_correction(ladder, match_id, &outcome);
	return outcome;
}

/*
 * ---- The rows ----
 */

/* What the event of a player in a match says. */
typedef struct MatchEvent
{
	double		win_probability;	/* NaN for null, */
	double		score;				/* likewise */
	double		before[MODEL_MAX_STATE];
	double		after[MODEL_MAX_STATE];
} MatchEvent;

/* The events of some players in one match, in no order. */
static LadderQuery match_events_query = {
	.text = "SELECT player_id, COALESCE(win_probability, 'nan'), COALESCE(score, 'nan'), {states e _before}, {states e _after} "
	"FROM {event} AS e WHERE seq OPERATOR(pg_catalog.=) $1 AND player_id {player =} ANY ($2)",
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER)}
};

/*
 * A table of the events of the players, by the identifier that counts, in memory that lives to
 * ladder_close().
 */
static IdTable *
find_events(Ladder *ladder, const ReportedMatch *report, const Outcome *outcome)
{
	IdTable    *events = id_table_create(ladder->player_type);
	RowReader	rows;
	int			i;

	if (!outcome->has_events)
		return events;
	row_reader_open(&rows, ladder, &match_events_query,
					DATUMS(Int64GetDatum(outcome->seq),
						   id_array(ladder->player_type, report->counted, report->arrays.n)));
	for (; rows.have_row; row_reader_next(&rows))
	{
		QueryRow	row = reader_row(&rows);
		MatchEvent *event = palloc_object(MatchEvent);

		id_table_set(events, next_datum(&row), event);
		event->win_probability = next_number(&row);
		event->score = next_number(&row);
		for (i = 0; i < ladder->model->nstate; i++)
			event->before[i] = next_number(&row);
		for (i = 0; i < ladder->model->nstate; i++)
			event->after[i] = next_number(&row);
	}
	row_reader_close(&rows);
	return events;
}

/* The states of those without an event as they would go into the match. */
static Batch *
load_untouched(Ladder *ladder, const ReportedMatch *report, IdTable *events)
{
	Batch	   *batch = ladder_batch(ladder);
	const char *pool = TextDatumGetCString(report->arrays.value[GIVEN_POOL]);
	int			i;

	for (i = 0; i < report->arrays.n; i++)
	{
		BatchPlayer *player;

		if (id_table_find(events, report->counted[i], "") != NULL)
			continue;
		player = batch_player(batch, report->counted[i], pool);
		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	batch_load(batch, ladder);
	return batch;
}

/* What became of the match for one player: nothing for who is not in one that counts. */
static Outcome
outcome_of_player(const Outcome *match, const ReportedMatch *report, int i)
{
	static const Unrated why = {UNRATED_BY_SOURCE, "the source has no row of this player"};
	Outcome		outcome = *match;

	if (report->absent != NULL && report->absent[i] && match->has_events && !match->differs &&
		!report->refused)
	{
		outcome.outcome = "unrated";
		outcome.reason = unrated_code(why.reason);
		outcome.detail = why.detail;
	}
	return outcome;
}

void
return_outcome(FunctionCallInfo fcinfo, Ladder *ladder, const ReportedMatch *report)
{
	const MatchArrays *arrays = &report->arrays;
	const Model *model = ladder->model;
	Outcome		outcome = find_outcome(ladder, report);
	IdTable    *events = find_events(ladder, report, &outcome);
	IdTable    *met = id_table_create(ladder->player_type);
	Batch	   *untouched = NULL;
	int			i;

	for (i = 0; i < arrays->n; i++)
	{
		const MatchEvent *event = id_table_find(events, report->counted[i], "");
		MatchEvent	none = {.win_probability = NAN,.score = NAN};
		ResultRow	row = {0};
		Outcome		own = outcome_of_player(&outcome, report, i);

		if (!id_table_add(met, arrays->player[i]))
			continue;
		if (event == NULL)
		{
			if (untouched == NULL)
				untouched = load_untouched(ladder, report, events);
			batch_state_at(untouched,
						   batch_player(untouched, report->counted[i],
										TextDatumGetCString(arrays->value[GIVEN_POOL])),
						   report->played_at, 0, none.before);
			memcpy(none.after, none.before, sizeof(none.after));
			event = &none;
		}
		put_text(&row, id_text(ladder->player_type, arrays->player[i]));
		put_datum(&row, Float8GetDatum(model_display(model, ladder->params, event->before)), false);
		put_datum(&row, Float8GetDatum(model_display(model, ladder->params, event->after)), false);
		put_number(&row, event->win_probability);
		put_number(&row, event->score);
		put_datum(&row, float8_array(event->before, model->nstate), false);
		put_datum(&row, float8_array(event->after, model->nstate), false);
		put_text(&row, own.outcome);
		put_text(&row, own.reason);
		put_text(&row, own.detail);
		put_text(&row, outcome.correction);
		put_datum(&row, Int64GetDatum(outcome.place), !outcome.has_place);
		add_result_row(fcinfo, &row);
	}
}

/*
 * ---- match_outcome() ----
 */

static LadderQuery in_source_query = {
	.text = "SELECT FROM {source} AS s WHERE s.match_id {match =} $1 LIMIT 1",
	.param = {VALUE_MATCH}
};

/* match_outcome(ladder, match_id) */
SQL_FUNCTION(skillrating_match_outcome)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		match_id;
	Outcome		outcome = {.since = DT_NOBEGIN};
	Outcome		waiting = {.since = DT_NOBEGIN};
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	ResultRow	row = {0};
	Datum		result;

	match_id = match_id_argument(fcinfo, 1, ladder->match_type);
	(void) read_recorded(ladder, &match_id, &outcome);

	/* A change counts from catch_up() on, as a verdict does. */
	if (outcome.has_events && outcome.reason == NULL)
	{
		find_correction(ladder, &match_id, &outcome);
		if (outcome.correction != NULL)
		{
			outcome.reason = unrated_code(UNRATED_WAITING);
			outcome.detail = psprintf("rated as it was until catch_up(): %s", outcome.correction);
		}
	}

	/* A match that is to be looked at again stands until then, unless that has failed. */
	if (find_waiting(ladder, &match_id, &waiting) &&
		(outcome.outcome == NULL || waiting.sqlstate != NULL))
		outcome = waiting;
	if (outcome.outcome == NULL)
		set_reason(&outcome, "unknown",
				   ladder_execute(ladder, &in_source_query, &match_id, NULL, NULL) > 0 ?
				   UNRATED_NOT_REPORTED : UNRATED_NO_MATCH);
	put_text(&row, outcome.outcome);
	put_text(&row, outcome.reason);
	put_text(&row, outcome.detail);
	put_text(&row, outcome.sqlstate);
	put_time(&row, outcome.since);
	MemoryContextSwitchTo(caller);
	result = return_result_row(fcinfo, &row);
	ladder_close(ladder);
	return result;
}

/*
 * ---- match_journal(): a match as its source has it now ----
 */

/* Return a row for each account of the match that was just read. */
static void
return_participants(FunctionCallInfo fcinfo, Batch *batch, SourceMatch *source)
{
	IdTable    *met = id_table_create(source->player_type);
	Datum	   *counted = palloc_array(Datum, Max(source->n, 1));
	Unrated		why;
	bool		whole;
	int			i;

	/*
	 * Whether the participants make a match, whatever else keeps it from being rated: its players
	 * are the accounts, two of which may count as one player.
	 */
	memcpy(counted, source->player_id, source->n * sizeof(Datum));
	memcpy(source->player_id, source->account_id, source->n * sizeof(Datum));
	source->unrated_reason = NULL;
	whole = batch_judge(batch, source, &why) != VERDICT_UNRATED;
	for (i = 0; i < source->n; i++)
	{
		const Participant *participant = &source->participant[i];
		const MatchPlayer *player = whole ? &batch->match.player[participant->player] : NULL;
		const MatchTeam *team = whole ? &batch->match.team[player->team] : NULL;
		ResultRow	row = {0};

		/* Stints of one account are one row. */
		if (!id_table_add(met, source->account_id[i]))
			continue;
		put_text(&row, id_text(source->player_type, source->account_id[i]));
		put_text(&row, id_text(source->player_type, counted[i]));
		put_text(&row, source->pool);
		put_datum(&row, TimestampTzGetDatum(source->played_at), TIMESTAMP_NOT_FINITE(source->played_at));
		put_int32(&row, whole ? team->number : participant->team);
		put_number(&row, whole ? team->rank : NAN);
		put_number(&row, whole ? player->weight : NAN);
		add_result_row(fcinfo, &row);
	}
}

/* match_participants(ladder, match_id) */
SQL_FUNCTION(skillrating_match_participants)
{
	Ladder	   *ladder;
	IdType	   *type;
	MatchReader *reader;
	Datum		id;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open_inside(fcinfo);
	type = ladder->match_type;
	id = id_from_text(type, text_to_cstring(PG_GETARG_TEXT_PP(1)), "match_id");
	reader = reader_open_matches(ladder, id_array(type, &id, 1), false, true);

	/* One with several times comes in pieces. */
	while (reader_next(reader))
		return_participants(fcinfo, ladder_batch(ladder), &reader->match);
	reader_close(reader);
	ladder_close(ladder);
	return (Datum) 0;
}
