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
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/apply.h"
#include "pg/ladder/outbox.h"
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
	bool		isnull;

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
						  DatumGetInt64(slot_getattr(stored->slot, EVENT_SEQ,
													 &isnull)),
						  slot_getattr(stored->slot, EVENT_PLAYER_ID, &isnull),
						  slot_getattr(stored->slot, EVENT_POOL, &isnull));
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

static bool
same_row(const BatchPlayer *player, const PlayerRow *row, int nstate)
{
	return memcmp(player->state, row->state, nstate * sizeof(double)) == 0 &&
		player->games == row->games && player->wins == row->wins &&
		player->draws == row->draws && player->losses == row->losses &&
		player->last_played == row->last_played;
}

/* Write the rows of rating that come out otherwise, and return their ratings. */
static void
write_ratings(FunctionCallInfo fcinfo, Replay *replay)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Ladder	   *ladder = replay->ladder;
	const Model *model = ladder->model;
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
		Datum		values[6] = {0};
		bool		nulls[6] = {false};
		bool		found = row != NULL && row->found;

		CHECK_FOR_INTERRUPTS();
		if (found == player->exists &&
			(!found || same_row(player, row, model->nstate)))
			continue;
		put_rating(!found ? inserted : player->exists ? updated : deleted,
				   player);

		values[0] = CStringGetTextDatum(id_text(ladder->player_type, player->id));
		values[1] = CStringGetTextDatum(player->pool);
		if (found)
		{
			values[2] = Float8GetDatum(model_display(model, ladder->params,
													 row->state));
			values[4] = Int64GetDatum(row->games);
		}
		if (player->exists)
		{
			values[3] = Float8GetDatum(model_display(model, ladder->params,
													 player->state));
			values[5] = Int64GetDatum(player->games);
		}
		nulls[2] = nulls[4] = !found;
		nulls[3] = nulls[5] = !player->exists;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	outbox_send(deleted, QUERY_DELETE_RATINGS);
	outbox_send(updated, QUERY_UPDATE_RATINGS);
	outbox_send(inserted, QUERY_INSERT_RATINGS);
	(void) ladder_execute(ladder, QUERY_DELETE_UNPLAYED, NULL, NULL, NULL);
}

static void
replay_and_write(FunctionCallInfo fcinfo, Ladder *ladder, int64 from)
{
	Changes		changes = {.sink = {note_event, note_match}};
	Replay	   *replay;

	changes.missing_events = new_event_outbox(ladder);
	changes.changed_events = event_outbox(ladder);
	changes.surplus_events = event_outbox(ladder);
	changes.matches = match_outbox(ladder);
	changes.gone = id_table_create(ladder->match_type);
	replay = replay_run(ladder, from, true, &changes.sink);

	outbox_send(changes.surplus_events, QUERY_DELETE_EVENTS);
	outbox_send(changes.changed_events, QUERY_UPDATE_EVENTS);
	outbox_send(changes.missing_events, QUERY_INSERT_EVENTS);
	outbox_send(changes.matches, QUERY_UPDATE_RATED);
	if (id_table_count(changes.gone) > 0)
	{
		Datum		values[1];

		values[0] = id_array(ladder->match_type, id_table_ids(changes.gone),
							 id_table_count(changes.gone));
		(void) ladder_execute(ladder, QUERY_FORGET_MATCHES, values, NULL, NULL);
	}
	write_ratings(fcinfo, replay);
}

/* Apply the matches of a query's rows. */
static void
apply_found(Ladder *ladder, LadderQuery query)
{
	uint64		nrows = ladder_execute(ladder, query, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	IdTable    *ids = id_table_create(ladder->match_type);
	uint64		row;

	for (row = 0; row < nrows; row++)
	{
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(rows->vals[row], rows->tupdesc, 1, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			(void) id_table_enter(ids, id, "", &found);
	}
	SPI_freetuptable(rows);
	apply_matches(ladder, id_table_ids(ids), id_table_count(ids));
}

/* catch_up(ladder, search, rebuild) */
Datum
skillrating_catch_up(PG_FUNCTION_ARGS)
{
	bool		search = PG_GETARG_BOOL(1);
	bool		rebuild = PG_GETARG_BOOL(2);
	Ladder	   *ladder;
	LadderScope scope;
	Datum		from;
	bool		isnull;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 ExclusiveLock);
	ladder_enter(ladder, RIGHTS_OF_MEMBER, &scope);
	ladder_maintain(ladder);

	apply_pending(ladder, true);
	if (search)
		apply_found(ladder, QUERY_UNPLACED);

	if (ladder->reorders)
	{
		Datum		values[2];

		values[0] = CStringGetTextDatum(ladder->name);
		values[1] = BoolGetDatum(rebuild);
		(void) ladder_execute(ladder, QUERY_RESEQUENCE, values, NULL, NULL);
	}

	(void) ladder_execute(ladder, QUERY_TAKE_CORRECTIONS, NULL, NULL, NULL);
	from = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (rebuild || !isnull)
		replay_and_write(fcinfo, ladder,
						 rebuild ? REPLAY_START : DatumGetInt64(from));
	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}

/* Note that an operation is not in its place. */
static void
correct_from(Ladder *ladder, int64 seq, TimestampTz at)
{
	Datum		values[4];
	Datum		value;

	value = Int64GetDatum(seq);
	values[0] = PointerGetDatum(construct_array(&value, 1, INT8OID, sizeof(int64),
												FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	values[1] = id_array(ladder->match_type, NULL, 0);
	value = CStringGetTextDatum("operation");
	values[2] = PointerGetDatum(construct_array(&value, 1, TEXTOID, -1, false,
												TYPALIGN_INT));
	value = TimestampTzGetDatum(at);
	values[3] = PointerGetDatum(construct_array(&value, 1, TIMESTAMPTZOID,
												sizeof(TimestampTz),
												FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	(void) ladder_execute(ladder, QUERY_CORRECT, values, NULL, NULL);
}

/* apply_operation(ladder, seq): do what table operation has at the end. */
Datum
skillrating_apply_operation(PG_FUNCTION_ARGS)
{
	int64		seq = PG_GETARG_INT64(1);
	Ladder	   *ladder;
	LadderScope scope;
	Batch	   *batch;
	Outbox	   *events;
	Outbox	   *inserted;
	Outbox	   *updated;
	LadderOperation *operation;
	int			n;
	int			i;

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
	if (operation[0].has_player)
	{
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
	else
		batch_load_all(batch, ladder);
	(void) batch_apply_operation(batch, operation, n);

	events = new_event_outbox(ladder);
	inserted = rating_outbox(ladder);
	updated = rating_outbox(ladder);
	n = batch->step.n;
	for (i = 0; i < n; i++)
	{
		const EventRow *row = &batch->step.row[i];

		put_event(events, &batch->step, row);
		put_rating(row->player->loaded ? updated : inserted, row->player);
	}
	outbox_send(events, QUERY_INSERT_EVENTS);
	outbox_send(updated, QUERY_UPDATE_RATINGS);
	outbox_send(inserted, QUERY_INSERT_RATINGS);

	/* Where time makes the order, it may have its place further back. */
	if (ladder->reorders)
	{
		Datum		values[1];

		values[0] = TimestampTzGetDatum(operation[0].at);
		if (ladder_execute(ladder, QUERY_PLAYED_AT_LEAST, values, NULL, NULL) > 0)
			correct_from(ladder, seq, operation[0].at);
	}
	ladder_leave(&scope);
	SPI_finish();
	PG_RETURN_INT64(n);
}
