/*
 * match_outcome.c
 *		What has become of a match that was reported: the result of report_match().
 *
 * There is a row for each player whatever came of the match, so that a caller never
 * has to guess from an empty result.  Players whom the match has not touched, or not
 * yet, have the rating with which they would go into it, before and after.
 */
#include "pg/ladder/match_outcome.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/states.h"
#include "pg/matches/unrated.h"
#include "pg/sql/arrays.h"

/* What is known of a match, and what waits because of it. */
typedef struct Outcome
{
	const char *outcome;
	bool		differs;		/* the content is not what was looked at */
	const char *reason;			/* a code of unrated_reasons(), or NULL */
	const char *detail;
	const char *correction;		/* its kind, or NULL */
	bool		has_place;
	int64		place;			/* from which history is out of date */
	bool		has_events;
	int64		seq;
} Outcome;

/*
 * ---- What is recorded ----
 */

static LadderQuery recorded_query = {
	.text = "SELECT m.status, m.seq, m.digest, m.reason, m.detail, m.void_reason "
	"FROM {rated_match} AS m WHERE m.match_id {match =} $1",
	.param = {VALUE_MATCH}
};

enum
{
	RECORDED_STATUS = 1,
	RECORDED_SEQ,
	RECORDED_DIGEST,
	RECORDED_REASON,
	RECORDED_DETAIL,
	RECORDED_VOID_REASON
};

/* The first place that a match has put out of date; a late one has none yet. */
static LadderQuery correction_query = {
	.text = "SELECT c.kind, c.seq FROM {correction} AS c WHERE c.match_id {match =} $1 "
	"ORDER BY c.seq, c.noticed_at, c.kind LIMIT 1",
	.param = {VALUE_MATCH}
};

enum
{
	CORRECTION_KIND = 1,
	CORRECTION_SEQ
};

bool
match_is_recorded(Ladder *ladder, const MatchArrays *arrays)
{
	bool		recorded = ladder_execute(ladder, &recorded_query,
										  &arrays->match_id, NULL, NULL) > 0;

	SPI_freetuptable(SPI_tuptable);
	return recorded;
}

/* The correction that waits because of the match, if there is one. */
static void
find_correction(Ladder *ladder, const MatchArrays *arrays, Outcome *outcome)
{
	bool		isnull;

	if (ladder_execute(ladder, &correction_query, &arrays->match_id, NULL, NULL) == 0)
		return;
	outcome->correction = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
									   CORRECTION_KIND);
	outcome->place = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
												 SPI_tuptable->tupdesc,
												 CORRECTION_SEQ, &isnull));
	outcome->has_place = !isnull;
}

/*
 * What the row of rated_match says.  Its digest is that of the content that was rated,
 * or found wanting: with another one reported meanwhile, all in the row is about what
 * was, until a replay.
 */
static void
read_recorded(const Ladder *ladder, const MatchArrays *arrays, bool is_new, Outcome *outcome)
{
	HeapTuple	tuple = SPI_tuptable->vals[0];
	TupleDesc	desc = SPI_tuptable->tupdesc;
	const char *status = SPI_getvalue(tuple, desc, RECORDED_STATUS);
	const char *void_reason = SPI_getvalue(tuple, desc, RECORDED_VOID_REASON);
	bool		rated = strcmp(status, "rated") == 0;
	bool		isnull;
	bool		isnull_seq;
	int64		digest = DatumGetInt64(SPI_getbinval(tuple, desc, RECORDED_DIGEST,
													 &isnull));

	outcome->seq = DatumGetInt64(SPI_getbinval(tuple, desc, RECORDED_SEQ, &isnull_seq));
	outcome->has_events = rated && !isnull_seq;
	outcome->reason = SPI_getvalue(tuple, desc, RECORDED_REASON);
	outcome->detail = SPI_getvalue(tuple, desc, RECORDED_DETAIL);
	if (rated && void_reason != NULL)
	{
		outcome->reason = unrated_code(UNRATED_VOID);
		outcome->detail = psprintf("rated until catch_up(): %s", void_reason);
	}

	outcome->differs = digest != arrays->digest;

	/* What came too late for a place before the horizon changes nothing. */
	if (!isnull_seq && outcome->seq <= ladder->horizon && (is_new || outcome->differs))
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
	else if (rated)
		outcome->outcome = is_new ? "rated" : "repeated";
	else if (outcome->reason != NULL &&
			 strcmp(outcome->reason, unrated_code(UNRATED_LATE)) == 0)
		outcome->outcome = "waiting";
	else
		outcome->outcome = "unrated";
}

static Outcome
find_outcome(Ladder *ladder, const MatchArrays *arrays, bool is_new)
{
	Outcome		outcome = {0};

	if (ladder_execute(ladder, &recorded_query, &arrays->match_id, NULL, NULL) == 0)
	{
		/* Only a door further out, at work on the ladder, leaves it unseen. */
		outcome.outcome = "waiting";
		outcome.reason = unrated_code(UNRATED_WAITING);
		outcome.detail = unrated_description(UNRATED_WAITING);
		return outcome;
	}
	read_recorded(ladder, arrays, is_new, &outcome);

	/* The table has no index, and of most matches it has nothing. */
	if (outcome.reason != NULL || outcome.differs)
		find_correction(ladder, arrays, &outcome);
	return outcome;
}

/*
 * ---- The rows ----
 */

/* The columns that report_match() returns, from 0. */
enum
{
	REPORT_PLAYER_ID,
	REPORT_RATING_BEFORE,
	REPORT_RATING_AFTER,
	REPORT_WIN_PROBABILITY,
	REPORT_SCORE,
	REPORT_STATE_BEFORE,
	REPORT_STATE_AFTER,
	REPORT_OUTCOME,
	REPORT_REASON,
	REPORT_DETAIL,
	REPORT_CORRECTION,
	REPORT_CORRECTION_SEQ,
	REPORT_NCOLUMNS
};

/* The events of some players in one match, in no order. */
static LadderQuery match_events_query = {
	.text = "SELECT {event columns} FROM {event} WHERE seq OPERATOR(pg_catalog.=) $1 "
	"AND player_id {player =} ANY ($2)",
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER)}
};

static void
set_text(Datum *values, bool *nulls, int column, const char *text)
{
	nulls[column] = (text == NULL);
	if (text != NULL)
		values[column] = CStringGetTextDatum(text);
}

/*
 * A table of the events of the players, by the identifier that counts.  The tuples are
 * in SPI's memory, which lives to ladder_close().
 */
static IdTable *
find_events(Ladder *ladder, const MatchArrays *arrays, const Outcome *outcome,
			TupleDesc *desc)
{
	IdTable    *events = id_table_create(ladder->player_type);
	Datum		values[2];
	uint64		nrows;
	uint64		row;

	if (!outcome->has_events)
		return events;
	values[0] = Int64GetDatum(outcome->seq);
	values[1] = id_array(ladder->player_type, arrays->counted, arrays->n);
	nrows = ladder_execute(ladder, &match_events_query, values, NULL, NULL);
	*desc = SPI_tuptable->tupdesc;
	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[row];
		bool		isnull;
		bool		found;
		Datum		player = SPI_getbinval(tuple, *desc, EVENT_PLAYER_ID, &isnull);

		*id_table_enter(events, player, "", &found) = tuple;
	}
	return events;
}

/* The states of those without an event as they would go into the match. */
static Batch *
load_untouched(Ladder *ladder, const MatchArrays *arrays, IdTable *events)
{
	Batch	   *batch = ladder_batch(ladder);
	const char *pool = TextDatumGetCString(arrays->pool);
	int			i;

	for (i = 0; i < arrays->n; i++)
	{
		BatchPlayer *player;

		if (id_table_find(events, arrays->counted[i], "") != NULL)
			continue;
		player = batch_player(batch, arrays->counted[i], pool);
		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	batch_load(batch, ladder, false);
	return batch;
}

/* What an event says of a player. */
static void
read_event(HeapTuple tuple, TupleDesc desc, int nstate, double *before,
		   double *after, Datum *values, bool *nulls)
{
	bool		isnull;
	int			i;

	for (i = 0; i < nstate; i++)
	{
		before[i] = DatumGetFloat8(SPI_getbinval(tuple, desc, EVENT_BEFORE(i),
												 &isnull));
		after[i] = DatumGetFloat8(SPI_getbinval(tuple, desc, EVENT_AFTER(i),
												&isnull));
	}
	values[REPORT_WIN_PROBABILITY] =
		SPI_getbinval(tuple, desc, EVENT_WIN_PROBABILITY,
					  &nulls[REPORT_WIN_PROBABILITY]);
	values[REPORT_SCORE] = SPI_getbinval(tuple, desc, EVENT_SCORE,
										 &nulls[REPORT_SCORE]);
}

void
return_outcome(FunctionCallInfo fcinfo, Ladder *ladder, const MatchArrays *arrays,
			   bool is_new)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const Model *model = ladder->model;
	Outcome		outcome = find_outcome(ladder, arrays, is_new);
	TupleDesc	desc = NULL;
	IdTable    *events = find_events(ladder, arrays, &outcome, &desc);
	IdTable    *met = id_table_create(ladder->player_type);
	Batch	   *untouched = NULL;
	int			i;

	for (i = 0; i < arrays->n; i++)
	{
		HeapTuple	event = id_table_find(events, arrays->counted[i], "");
		double		before[MODEL_MAX_STATE];
		double		after[MODEL_MAX_STATE];
		Datum		values[REPORT_NCOLUMNS];
		bool		nulls[REPORT_NCOLUMNS] = {false};
		bool		found;

		(void) id_table_enter(met, arrays->player[i], "", &found);
		if (found)
			continue;
		if (event != NULL)
			read_event(event, desc, model->nstate, before, after, values, nulls);
		else
		{
			if (untouched == NULL)
				untouched = load_untouched(ladder, arrays, events);
			batch_state_at(untouched,
						   batch_player(untouched, arrays->counted[i],
										TextDatumGetCString(arrays->pool)),
						   DatumGetTimestampTz(arrays->played_at), 0, before);
			memcpy(after, before, model->nstate * sizeof(double));
			nulls[REPORT_WIN_PROBABILITY] = nulls[REPORT_SCORE] = true;
		}
		values[REPORT_PLAYER_ID] =
			CStringGetTextDatum(id_text(ladder->player_type, arrays->player[i]));
		values[REPORT_RATING_BEFORE] =
			Float8GetDatum(model_display(model, ladder->params, before));
		values[REPORT_RATING_AFTER] =
			Float8GetDatum(model_display(model, ladder->params, after));
		values[REPORT_STATE_BEFORE] = float8_array(before, model->nstate);
		values[REPORT_STATE_AFTER] = float8_array(after, model->nstate);
		set_text(values, nulls, REPORT_OUTCOME, outcome.outcome);
		set_text(values, nulls, REPORT_REASON, outcome.reason);
		set_text(values, nulls, REPORT_DETAIL, outcome.detail);
		set_text(values, nulls, REPORT_CORRECTION, outcome.correction);
		values[REPORT_CORRECTION_SEQ] = Int64GetDatum(outcome.place);
		nulls[REPORT_CORRECTION_SEQ] = !outcome.has_place;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}
