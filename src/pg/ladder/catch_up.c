/*
 * catch_up.c
 *		Changing the history of a ladder: replaying it from where it is out of
 *		date, and operations on states.
 *
 * Both take the ladder for themselves, which makes rating wait and lets reading
 * go on.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/apply.h"
#include "pg/ladder/corrections.h"
#include "pg/ladder/door.h"
#include "pg/ladder/outbox.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/replay.h"

SKILLRATING_FUNCTION(skillrating_catch_up);
SKILLRATING_FUNCTION(skillrating_apply_operation);

/* What a replay finds to be written. */
typedef struct Changes
{
	ReplaySink	sink;
	Outbox	   *missing_events;
	Outbox	   *changed_events;
	Outbox	   *surplus_events;
	Outbox	   *matches;
	IdTable    *gone;			/* matches that the source has no more */
} Changes;

static void
note_event(ReplaySink *sink, Replay *replay, EventVerdict verdict,
		   const EventRow *row, RowReader *stored)
{
	Changes    *changes = (Changes *) sink;
	const BatchStep *step = &replay->batch->step;

	switch (verdict)
	{
		case EVENT_SAME:
			break;
		case EVENT_DIFFERS:
			put_event(changes->changed_events, step, row);
			break;
		case EVENT_MISSING:
			put_event(changes->missing_events, step, row);
			break;
		case EVENT_SURPLUS:
			put_event_key(changes->surplus_events,
						  DatumGetInt64(row_key_column(stored, EVENT_SEQ)),
						  row_key_column(stored, EVENT_PLAYER_ID),
						  row_key_column(stored, EVENT_POOL));
			break;
	}
}

static bool
same_string(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void
note_match(ReplaySink *sink, Replay *replay, const SourceMatch *source,
		   Verdict verdict, const char *reason)
{
	Changes    *changes = (Changes *) sink;
	const char *status = verdict_status(source, verdict);
	bool		found;

	(void) replay;
	if (source->vanished)
		(void) id_table_enter(changes->gone, source->id, "", &found);
	else if (strcmp(status, source->status) != 0 ||
			 !same_string(reason, source->reason) ||
			 source->digest != source->rated_digest)
		put_match(changes->matches, source, status, reason, true, source->seq);
}

/*
 * ---- Ratings ----
 */

static bool
same_row(const BatchPlayer *player, const PlayerRow *row, int nstate)
{
	return memcmp(player->state, row->state, nstate * sizeof(double)) == 0 &&
		memcmp(&player->record, &row->record, sizeof(PlayerRecord)) == 0;
}

/* The columns that catch_up() returns, from 0. */
enum
{
	CHANGE_PLAYER_ID,
	CHANGE_POOL,
	CHANGE_RATING_BEFORE,
	CHANGE_RATING_AFTER,
	CHANGE_GAMES_BEFORE,
	CHANGE_GAMES_AFTER,
	CHANGE_NCOLUMNS
};

/* Return how the rating of a player changes; row is NULL if there was none. */
static void
return_change(FunctionCallInfo fcinfo, Ladder *ladder,
			  const BatchPlayer *player, const PlayerRow *row)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const Model *model = ladder->model;
	Datum		values[CHANGE_NCOLUMNS] = {0};
	bool		nulls[CHANGE_NCOLUMNS] = {false};

	values[CHANGE_PLAYER_ID] =
		CStringGetTextDatum(id_text(ladder->player_type, player->id));
	values[CHANGE_POOL] = CStringGetTextDatum(player->pool);
	nulls[CHANGE_RATING_BEFORE] = nulls[CHANGE_GAMES_BEFORE] = row == NULL;
	if (row != NULL)
	{
		values[CHANGE_RATING_BEFORE] =
			Float8GetDatum(model_display(model, ladder->params, row->state));
		values[CHANGE_GAMES_BEFORE] = Int64GetDatum(row->record.games);
	}
	nulls[CHANGE_RATING_AFTER] = nulls[CHANGE_GAMES_AFTER] = !player->exists;
	if (player->exists)
	{
		values[CHANGE_RATING_AFTER] =
			Float8GetDatum(model_display(model, ladder->params, player->state));
		values[CHANGE_GAMES_AFTER] = Int64GetDatum(player->record.games);
	}
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* Rows of players whom no match or operation has touched. */
static LadderQuery delete_unplayed_query = {
	.text = "DELETE FROM {rating} AS r WHERE r.games OPERATOR(pg_catalog.=) 0 AND NOT "
	RATING_HAS_EVENTS
};

/* Write the rows of rating that come out otherwise, and return their ratings. */
static void
write_ratings(FunctionCallInfo fcinfo, Replay *replay)
{
	Ladder	   *ladder = replay->ladder;
	Outbox	   *inserted = rating_outbox(ladder);
	Outbox	   *updated = rating_outbox(ladder);
	Outbox	   *deleted = rating_outbox(ladder);
	BatchPlayer **players = (BatchPlayer **) id_table_values(replay->batch->players);
	int			n = id_table_count(replay->batch->players);
	int			i;

	for (i = 0; i < n; i++)
	{
		BatchPlayer *player = players[i];
		const PlayerRow *row = player->stored;

		CHECK_FOR_INTERRUPTS();
		if (row != NULL && !row->found)
			row = NULL;
		if ((row != NULL) == player->exists &&
			(row == NULL || same_row(player, row, ladder->model->nstate)))
			continue;
		put_rating(row == NULL ? inserted : player->exists ? updated : deleted,
				   player);
		return_change(fcinfo, ladder, player, row);
	}
	outbox_send(deleted, OUTBOX_DELETE);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
	(void) ladder_execute(ladder, &delete_unplayed_query, NULL, NULL, NULL);
}

/*
 * ---- catch_up ----
 */

/* Matches that the source no longer has, and history no more. */
static LadderQuery forget_matches_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static void
replay_and_write(FunctionCallInfo fcinfo, Ladder *ladder, int64 from,
				 ReplayPlayers load)
{
	Changes		changes = {.sink = {note_event, note_match}};
	Replay	   *replay;

	changes.missing_events = new_event_outbox(ladder);
	changes.changed_events = event_outbox(ladder);
	changes.surplus_events = event_outbox(ladder);
	changes.matches = match_outbox(ladder);
	changes.gone = id_table_create(ladder->match_type);
	replay = replay_run(ladder, from, load, &changes.sink);

	outbox_send(changes.surplus_events, OUTBOX_DELETE);
	outbox_send(changes.changed_events, OUTBOX_UPDATE);
	outbox_send(changes.missing_events, OUTBOX_INSERT);
	outbox_send(changes.matches, OUTBOX_UPDATE);
	if (id_table_count(changes.gone) > 0)
	{
		Datum		values[1];

		values[0] = id_array(ladder->match_type, id_table_ids(changes.gone),
							 id_table_count(changes.gone));
		(void) ladder_execute(ladder, &forget_matches_query, values, NULL, NULL);
	}
	write_ratings(fcinfo, replay);
}

/* Matches that have no place in the order, of the source or unrated. */
static LadderQuery unplaced_query = {
	.text = "SELECT s.match_id FROM {source} AS s WHERE NOT EXISTS (SELECT FROM {rated_match} AS m "
	"WHERE m.match_id {match =} s.match_id AND m.seq IS NOT NULL) "
	"UNION SELECT m.match_id FROM {rated_match} AS m WHERE m.seq IS NULL"
};

/*
 * Put into pending what has changed in the ladder that this one, of that name, was
 * made of: triggers report to the other one only.
 */
static LadderQuery note_changed_query = {
	.text = "SELECT skillrating_internal.note_changed_matches($1)",
	.param = {VALUE_TEXT}
};

/* Put everything in the order of time, of the ladder of that name. */
static LadderQuery resequence_query = {
	.text = "SELECT skillrating_internal.resequence($1, $2)",
	.param = {VALUE_TEXT, VALUE_BOOL}
};

/*
 * The place from which history is out of date, or null, and whether operations may
 * have come from another ladder, which have not touched anybody here yet.
 */
static LadderQuery take_corrections_query = {
	.text = "WITH c AS (DELETE FROM {correction} RETURNING seq, kind) "
	"SELECT pg_catalog.min(seq), COALESCE(pg_catalog.bool_or(kind IN ('carried')), false) FROM c"
};

enum
{
	CORRECTIONS_FROM = 1,
	CORRECTIONS_CARRIED
};

/* catch_up(ladder, search, rebuild) */
Datum
skillrating_catch_up(PG_FUNCTION_ARGS)
{
	bool		search = PG_GETARG_BOOL(1);
	bool		rebuild = PG_GETARG_BOOL(2);
	Ladder	   *ladder;
	LadderScope scope;
	Datum		from;
	bool		carried;
	bool		isnull;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 ExclusiveLock);
	ladder_enter(ladder, RIGHTS_OF_MEMBER, &scope);
	ladder_maintain(ladder);

	if (search)
	{
		Datum		values[1];

		values[0] = CStringGetTextDatum(ladder->name);
		(void) ladder_execute(ladder, &note_changed_query, values, NULL, NULL);
	}
	apply_pending(ladder, true);
	if (search)
		apply_query(ladder, &unplaced_query);

	if (ladder->reorders)
	{
		Datum		values[2];

		values[0] = CStringGetTextDatum(ladder->name);
		values[1] = BoolGetDatum(rebuild);
		(void) ladder_execute(ladder, &resequence_query, values, NULL, NULL);
	}

	(void) ladder_execute(ladder, &take_corrections_query, NULL, NULL, NULL);
	carried = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0],
										 SPI_tuptable->tupdesc,
										 CORRECTIONS_CARRIED, &isnull));
	from = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
						 CORRECTIONS_FROM, &isnull);
	if (rebuild || !isnull)
		replay_and_write(fcinfo, ladder,
						 rebuild ? REPLAY_START : DatumGetInt64(from),
						 carried ? REPLAY_ALL_PLAYERS : REPLAY_KNOWN_PLAYERS);
	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}

/*
 * ---- apply_operation ----
 */

/* A row if a match was played then or later. */
static LadderQuery played_at_least_query = {
	.text = "SELECT FROM {rated_match} WHERE seq IS NOT NULL AND played_at OPERATOR(pg_catalog.>=) $1 LIMIT 1",
	.param = {VALUE_TIME}
};

/* Where time makes the order, an operation may have its place further back. */
static void
correct_place(Ladder *ladder, const LadderOperation *operation)
{
	Corrections corrections;
	Datum		values[1];

	values[0] = TimestampTzGetDatum(operation->at);
	if (!ladder->reorders ||
		ladder_execute(ladder, &played_at_least_query, values, NULL, NULL) == 0)
		return;
	corrections = corrections_make(1);
	corrections_add(&corrections, NULL, operation->seq, "operation",
					operation->at);
	corrections_send(ladder, &corrections);
}

/* Load the players whom n operations are about. */
static void
load_operated(Batch *batch, Ladder *ladder, const LadderOperation *operation,
			  int n)
{
	int			i;

	if (!operation[0].has_player)
	{
		batch_load_all(batch, ladder);
		return;
	}
	for (i = 0; i < n; i++)
	{
		BatchPlayer *player = batch_player(batch, operation[i].player,
										   operation[i].pool ? operation[i].pool : "");

		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	batch_load(batch, ladder, false);
}

/* Write the events of an operation, and the ratings of its players. */
static void
write_operation(Batch *batch, Ladder *ladder)
{
	Outbox	   *events = new_event_outbox(ladder);
	Outbox	   *inserted = rating_outbox(ladder);
	Outbox	   *updated = rating_outbox(ladder);
	int			i;

	for (i = 0; i < batch->step.n; i++)
	{
		const EventRow *row = &batch->step.row[i];

		put_event(events, &batch->step, row);
		put_rating(row->player->loaded ? updated : inserted, row->player);
	}
	outbox_send(events, OUTBOX_INSERT);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
}

/* apply_operation(ladder, seq): do what table operation has at the end. */
Datum
skillrating_apply_operation(PG_FUNCTION_ARGS)
{
	int64		seq = PG_GETARG_INT64(1);
	Ladder	   *ladder;
	LadderScope scope;
	Batch	   *batch;
	LadderOperation *operation;
	int			n;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 ExclusiveLock);
	ladder_enter(ladder, RIGHTS_OF_MEMBER, &scope);
	ladder_maintain(ladder);

	operation = read_operations(ladder, seq, &n);
	if (n == 0 || operation[0].seq != seq || operation[n - 1].seq != seq)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operation " INT64_FORMAT " is not the last one of ladder \"%s\"",
						seq, ladder->name)));
	batch = ladder_batch(ladder);
	load_operated(batch, ladder, operation, n);
	(void) batch_apply_operation(batch, operation, n);
	write_operation(batch, ladder);
	correct_place(ladder, operation);
	n = batch->step.n;
	ladder_leave(&scope);
	SPI_finish();
	PG_RETURN_INT64(n);
}
