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
#include "access/xact.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "pg/ladder/apply.h"
#include "pg/ladder/change_log.h"
#include "pg/ladder/change_writer.h"
#include "pg/ladder/columns.h"
#include "pg/ladder/component_states.h"
#include "pg/ladder/corrections.h"
#include "pg/ladder/door.h"
#include "pg/ladder/feed.h"
#include "pg/ladder/outbox.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/rating_counts.h"
#include "pg/ladder/replay.h"
#include "pg/ladder/waiting.h"
#include "pg/sql/progress.h"

SKILLRATING_FUNCTION(skillrating_catch_up);
SKILLRATING_FUNCTION(skillrating_apply_operation);

/* What a replay finds to be written. */
typedef struct Changes
{
	ReplaySink	sink;
	Outbox	   *missing_events;
	Outbox	   *changed_events;
	Outbox	   *surplus_events;
	Outbox	   *missing_component_events;
	Outbox	   *changed_component_events;
	Outbox	   *surplus_component_events;
	Outbox	   *matches;
	IdTable    *removed;		/* matches whose removal was noticed */
	IdTable    *gone;			/* those of them that the source still lacks */
	int64		missing_seq;	/* the last place of a match that is missing,
								 * or 0 */
	char	   *missing;		/* which match that is */
	MemoryContext context;
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

static void
note_component(ReplaySink *sink, Replay *replay, EventVerdict verdict,
			   const ComponentRow *row, RowReader *stored)
{
	Changes    *changes = (Changes *) sink;
	const BatchStep *step = &replay->batch->step;

	switch (verdict)
	{
		case EVENT_SAME:
			break;
		case EVENT_DIFFERS:
			put_component_event(changes->changed_component_events, step, row);
			break;
		case EVENT_MISSING:
			put_component_event(changes->missing_component_events, step, row);
			break;
		case EVENT_SURPLUS:
			put_component_key(changes->surplus_component_events, row_values(stored),
							  row_nulls(stored));
			break;
	}
}

static bool
same_string(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Whether rated_match has this reason and detail, or none. */
static bool
same_reason(const SourceMatch *source, const Unrated *why)
{
	const char *code = why->detail != NULL ? unrated_code(why->reason) : NULL;

	return same_string(code, source->reason) && same_string(why->detail, source->detail);
}

/*
 * A match that the source no longer has.  If its removal was noticed, or it was voided,
 * it leaves history; otherwise it may be missing by accident, or because old partitions
 * are detached, and must not take the ratings of its players along: what is out of date
 * before a rated one cannot be replayed.
 */
static void
note_vanished(Changes *changes, Ladder *ladder, const SourceMatch *source)
{
	bool		rated = strcmp(source->status, "rated") == 0;
	bool		found;

	if (id_table_find(changes->removed, source->id, "") != NULL ||
		(rated && source->void_reason != NULL))
		(void) id_table_enter(changes->gone, source->id, "", &found);
	else if (rated)
	{
		changes->missing_seq = source->seq;
		changes->missing = MemoryContextStrdup(changes->context,
											   id_text(ladder->match_type,
													   source->id));
	}
}

static void
note_match(ReplaySink *sink, Replay *replay, const SourceMatch *source,
		   Verdict verdict, const Unrated *why)
{
	Changes    *changes = (Changes *) sink;
	const char *status = verdict_status(source, verdict);

	if (source->vanished)
		note_vanished(changes, replay->ladder, source);
	else if (strcmp(status, source->status) != 0 ||
			 !same_reason(source, why) ||
			 source->digest != source->rated_digest)
		put_match(changes->matches, source, status, why, true, source->seq);
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

/* Write and log the rows of rating that come out otherwise. */
static void
write_ratings(Replay *replay)
{
	Ladder	   *ladder = replay->ladder;
	Outbox	   *inserted = rating_outbox(ladder);
	Outbox	   *updated = rating_outbox(ladder);
	Outbox	   *deleted = rating_outbox(ladder);
	BatchPlayer **players = (BatchPlayer **) id_table_values(replay->batch->players);
	int			n = id_table_count(replay->batch->players);
	ChangeWriter *changes = change_writer_begin(ladder, "correction", NULL);
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
		change_log_before(ladder->changes, player,
						  row == NULL ? NULL : &row->record,
						  row == NULL ? NULL : row->state);
		change_log_after(ladder->changes, player);
		change_writer_put_row(changes, player, row == NULL ? NULL : &row->record,
							  row == NULL ? NULL : row->state);
	}
	outbox_send(deleted, OUTBOX_DELETE);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
	change_writer_end(changes);
}

/* Delete rows of component that are of no kind that the model has, which a rebuild meets. */
static void
put_foreign_components(Outbox *deleted, Replay *replay)
{
	RowReader	rows;

	if (replay->from != REPLAY_START)
		return;
	all_components_open(&rows, replay->ladder);
	for (; rows.have_row; row_reader_next(&rows))
		if (component_of_row(replay->batch, row_values(&rows), row_nulls(&rows),
							 COMPONENT_PLAYER_ID - 1, COMPONENT_KIND - 1, COMPONENT_POOL - 1,
							 COMPONENT_KEY - 1) == NULL)
			put_component_key(deleted, row_values(&rows), row_nulls(&rows));
	row_reader_close(&rows);
}

/* Write the rows of component that come out otherwise. */
static void
write_components(Replay *replay)
{
	Ladder	   *ladder = replay->ladder;
	Batch	   *batch = replay->batch;
	Outbox	   *inserted = component_outbox(ladder);
	Outbox	   *updated = component_outbox(ladder);
	Outbox	   *deleted = component_outbox(ladder);
	int64		i;

	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];
		const StoredComponent *row = component->stored;

		CHECK_FOR_INTERRUPTS();
		if (row != NULL && !row->found)
			row = NULL;
		if ((row != NULL) == component->exists &&
			(row == NULL ||
			 (memcmp(component->state, row->state,
					 component->spec->nstate * sizeof(double)) == 0 &&
			  memcmp(&component->record, &row->record, sizeof(ComponentRecord)) == 0)))
			continue;
		put_component(row == NULL ? inserted : component->exists ? updated : deleted,
					  component);
	}
	put_foreign_components(deleted, replay);
	outbox_send(deleted, OUTBOX_DELETE);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
}

/*
 * ---- catch_up ----
 */

/* Matches that the source no longer has, and history no more. */
static LadderQuery forget_matches_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* The matches whose removal a trigger, or a search, has noticed. */
static LadderQuery removed_query = {
	.text = "SELECT c.match_id FROM {correction} AS c "
	"WHERE c.kind OPERATOR(pg_catalog.=) 'removed' AND c.match_id IS NOT NULL"
};

/* A table of them, with pointers that are not NULL, in the current context. */
static IdTable *
read_removed(Ladder *ladder)
{
	IdTable    *removed = id_table_create(ladder->match_type);
	uint64		nrows = ladder_execute(ladder, &removed_query, NULL, NULL, NULL);
	uint64		i;

	for (i = 0; i < nrows; i++)
	{
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(SPI_tuptable->vals[i],
									   SPI_tuptable->tupdesc, ONLY_COLUMN,
									   &isnull);

		*id_table_enter(removed, id, "", &found) = removed;
	}
	SPI_freetuptable(SPI_tuptable);
	return removed;
}

/* Room for what a replay finds. */
static void
begin_changes(Changes *changes, Ladder *ladder, IdTable *removed)
{
	memset(changes, 0, sizeof(Changes));
	changes->sink.event = note_event;
	changes->sink.component = note_component;
	changes->sink.match = note_match;
	changes->missing_events = new_event_outbox(ladder);
	changes->changed_events = event_outbox(ladder);
	changes->surplus_events = event_outbox(ladder);
	changes->missing_component_events = new_component_event_outbox(ladder);
	changes->changed_component_events = component_event_outbox(ladder);
	changes->surplus_component_events = component_event_outbox(ladder);
	changes->matches = match_outbox(ladder);
	changes->removed = removed;
	changes->gone = id_table_create(ladder->match_type);
	changes->context = CurrentMemoryContext;
}

static void
discard_changes(Changes *changes)
{
	outbox_discard(changes->surplus_component_events);
	outbox_discard(changes->changed_component_events);
	outbox_discard(changes->missing_component_events);
	outbox_discard(changes->surplus_events);
	outbox_discard(changes->changed_events);
	outbox_discard(changes->missing_events);
	outbox_discard(changes->matches);
}

/*
 * Replay history from a place on, and write and log what comes out otherwise; but
 * nothing if a rated match is missing from the source there.  Returns the last place of
 * one, and in *missing which it is; 0 if all was replayed.
 */
static int64
replay_and_write(Ladder *ladder, int64 from, ReplayPlayers load, IdTable *removed,
				 char **missing)
{
	Changes		changes;
	Replay	   *replay;

	ladder_take_states(ladder);
	begin_changes(&changes, ladder, removed);
	replay = replay_run(ladder, from, load, false, &changes.sink);
	if (replay->horizon.stale)
	{
		discard_changes(&changes);
		begin_changes(&changes, ladder, removed);
		replay = replay_run(ladder, from, load, true, &changes.sink);
	}
	*missing = changes.missing;
	if (changes.missing != NULL)
	{
		discard_changes(&changes);
		ladder_release_states(ladder);
		return changes.missing_seq;
	}

	outbox_send(changes.surplus_events, OUTBOX_DELETE);
	outbox_send(changes.changed_events, OUTBOX_UPDATE);
	outbox_send(changes.missing_events, OUTBOX_INSERT);
	outbox_send(changes.surplus_component_events, OUTBOX_DELETE);
	outbox_send(changes.changed_component_events, OUTBOX_UPDATE);
	outbox_send(changes.missing_component_events, OUTBOX_INSERT);
	outbox_send(changes.matches, OUTBOX_UPDATE);
	if (id_table_count(changes.gone) > 0)
	{
		Datum		values[1];

		values[0] = id_array(ladder->match_type, id_table_ids(changes.gone),
							 id_table_count(changes.gone));
		(void) ladder_execute(ladder, &forget_matches_query, values, NULL, NULL);
	}
	write_ratings(replay);
	write_components(replay);
	ladder_release_states(ladder);
	return 0;
}

/* The first place behind another from which history is out of date, or null. */
static LadderQuery first_correction_query = {
	.text = "SELECT pg_catalog.min(seq) FROM {correction} WHERE seq OPERATOR(pg_catalog.>) $1",
	.param = {VALUE_INT8}
};

/* False if there is none. */
static bool
first_correction(Ladder *ladder, int64 behind, int64 *seq)
{
	Datum		values[1];
	bool		isnull;

	values[0] = Int64GetDatum(behind);
	(void) ladder_execute(ladder, &first_correction_query, values, NULL, NULL);
	*seq = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
									   SPI_tuptable->tupdesc, ONLY_COLUMN,
									   &isnull));
	SPI_freetuptable(SPI_tuptable);
	return !isnull;
}

static void
report_missing(int level, Ladder *ladder, const char *match)
{
	ereport(level,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("match %s of ladder \"%s\" is rated and no longer in the source",
					match, ladder->name),
			 errdetail("Corrections of what was before it wait, because history cannot be replayed without it; no trigger has reported its removal."),
			 errhint("Bring its rows back, or take all such matches out of the ratings by catch_up() with search => true.")));
}

/* Corrections are done with behind a place. */
static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} WHERE seq OPERATOR(pg_catalog.>) $1 "
	"OR $1 OPERATOR(pg_catalog.=) 0",
	.param = {VALUE_INT8}
};

/*
 * A row if operations may have come from another ladder, which have not touched anybody
 * here yet.
 */
static LadderQuery carried_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('carried') LIMIT 1"
};

/*
 * Replay what is out of date, or everything.  What lies before a rated match that is
 * missing stays as it is, and its corrections wait.
 */
static void
correct_history(Ladder *ladder, bool rebuild, IdTable *removed)
{
	int64		missing_seq = 0;
	int64		from = REPLAY_START;
	ReplayPlayers load =
		ladder_execute(ladder, &carried_query, NULL, NULL, NULL) > 0 ?
		REPLAY_ALL_PLAYERS : REPLAY_KNOWN_PLAYERS;
	char	   *missing;
	Datum		values[1];

	while (rebuild || first_correction(ladder, missing_seq, &from))
	{
		int64		seq = replay_and_write(ladder, from, load, removed, &missing);

		if (seq == 0)
			break;
		report_missing(rebuild ? ERROR : WARNING, ladder, missing);
		missing_seq = seq;
	}
	values[0] = Int64GetDatum(missing_seq);
	(void) ladder_execute(ladder, &delete_corrections_query, values, NULL, NULL);
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

/* Matches that have a place in the order, and that the source no longer has. */
static LadderQuery vanished_query = {
	.text = "SELECT m.match_id FROM {rated_match} AS m WHERE m.seq IS NOT NULL "
	"AND NOT EXISTS (SELECT FROM {source} AS s WHERE s.match_id {match =} m.match_id) "
	"AND NOT EXISTS (SELECT FROM {correction} AS c WHERE c.match_id {match =} m.match_id "
	"AND c.kind OPERATOR(pg_catalog.=) 'removed')"
};

/*
 * Look in the source for what no trigger has reported: matches that came, and, which
 * may be more than the user knows of, those that went.
 */
static void
search_source(Ladder *ladder)
{
	int			nvanished;

	progress_phase(PHASE_SEARCHING, PROGRESS_UNKNOWN);
	(void) apply_query(ladder, &unplaced_query);
	nvanished = apply_query(ladder, &vanished_query);
	if (nvanished > 0)
		ereport(WARNING,
				(errmsg_plural("%d match that ladder \"%s\" has rated is no longer in the source and does not count any more",
							   "%d matches that ladder \"%s\" has rated are no longer in the source and do not count any more",
							   nvanished, nvanished, ladder->name)));
}

/* Put everything in the order of time, of the ladder of that name. */
static LadderQuery resequence_query = {
	.text = "SELECT skillrating_internal.resequence($1, $2)",
	.param = {VALUE_TEXT, VALUE_BOOL}
};

/* A row if matches wait that are to get the place that their time gives them. */
static LadderQuery late_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('late') LIMIT 1"
};

/* Do it all; what becomes of the ratings is logged in ladder->changes. */
static void
do_catch_up(Ladder *ladder, bool search, bool rebuild)
{
	IdTable    *removed;

	if (search)
	{
		Datum		values[1];

		values[0] = CStringGetTextDatum(ladder->name);
		(void) ladder_execute(ladder, &note_changed_query, values, NULL, NULL);
	}
	progress_phase(PHASE_RATING, PROGRESS_UNKNOWN);
	apply_pending(ladder, true);
	if (search)
		search_source(ladder);
	removed = read_removed(ladder);

	/* Where late matches are appended, only a backfill has some wait. */
	if (ladder->reorders ||
		ladder_execute(ladder, &late_query, NULL, NULL, NULL) > 0)
	{
		Datum		values[2];

		progress_phase(PHASE_ORDERING, PROGRESS_UNKNOWN);
		values[0] = CStringGetTextDatum(ladder->name);
		values[1] = BoolGetDatum(rebuild && ladder->reorders);
		(void) ladder_execute(ladder, &resequence_query, values, NULL, NULL);
	}
	correct_history(ladder, rebuild, removed);
	if (rebuild)
		rating_counts_rebuild(ladder);
}

/*
 * ---- Dry runs ----
 */

/* Where the order of the ladder has got to. */
static LadderQuery last_place_query = {
	.text = "SELECT last_value, is_called FROM {event_seq}"
};

enum
{
	LAST_PLACE = 1,
	LAST_PLACE_IS_TAKEN
};

static void
read_last_place(Ladder *ladder, int64 *place, bool *is_taken)
{
	bool		isnull;

	(void) ladder_execute(ladder, &last_place_query, NULL, NULL, NULL);
	*place = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
										 SPI_tuptable->tupdesc, LAST_PLACE,
										 &isnull));
	*is_taken = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0],
										   SPI_tuptable->tupdesc,
										   LAST_PLACE_IS_TAKEN, &isnull));
	SPI_freetuptable(SPI_tuptable);
}

/*
 * A sequence does not roll back.  Nobody else has drawn a place meanwhile, because rating
 * waits for the lock that the door has.
 */
static void
restore_last_place(Ladder *ladder, int64 place, bool is_taken)
{
	int64		now;
	bool		taken_now;

	read_last_place(ladder, &now, &taken_now);
	if (now != place || taken_now != is_taken)
		(void) DirectFunctionCall3(setval3_oid,
								   ObjectIdGetDatum(ladder->relation[LADDER_EVENT_SEQ]),
								   Int64GetDatum(place), BoolGetDatum(is_taken));
}

/*
 * Do everything in a subtransaction that is rolled back, so that nothing but the log, which
 * is in memory from before, remains of it.  The caller's memory context and resource
 * owner are current again afterwards.  An error is raised again from outside of the
 * subtransaction, because who catches it expects none but his own.
 */
static void
try_catch_up(Ladder *ladder, bool search, bool rebuild)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	Waiting    *waiting = copy_all_waiting();
	ErrorData  *volatile error = NULL;
	int64		place;
	bool		is_taken;

	read_last_place(ladder, &place, &is_taken);
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		do_catch_up(ladder, search, rebuild);
		change_log_read_places(ladder->changes, false);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;

	restore_last_place(ladder, place, is_taken);

	/*
	 * What triggers have touched meanwhile, of any ladder, was taken back as
	 * well.
	 */
	restore_all_waiting(waiting);
	if (error != NULL)
		ReThrowError(error);
	change_log_read_places(ladder->changes, true);
}

/* catch_up(ladder, search, rebuild, dry_run) */
Datum
skillrating_catch_up(PG_FUNCTION_ARGS)
{
	bool		search = PG_GETARG_BOOL(1);
	bool		rebuild = PG_GETARG_BOOL(2);
	bool		dry_run = PG_GETARG_BOOL(3);
	Ladder	   *ladder;
	const char *unread;

	InitMaterializedSRF(fcinfo, 0);
	ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "catch_up"));
	ladder_require_triggers(ladder);
	unread = unread_source_columns(ladder);
	if (unread != NULL)
		ereport(WARNING,
				(errmsg("ladder \"%s\" does not read these new columns of its source: %s",
						ladder->name, unread),
				 errhint("SELECT skillrating.refresh_source(%s) takes them up.",
						 quote_literal_cstr(ladder->name))));
	ladder_maintain(ladder);

	ladder->changes = change_log_create(ladder);
	if (dry_run)
		try_catch_up(ladder, search, rebuild);
	else
		do_catch_up(ladder, search, rebuild);
	change_log_return(ladder->changes, fcinfo);
	ladder_close(ladder);
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
		components_load_all(batch, ladder);
		return;
	}

	/* A row that only has room for the first match is no player yet. */
	if (operation[0].operation.kind != OPERATION_SET)
	{
		Datum	   *ids = palloc_array(Datum, n);

		for (i = 0; i < n; i++)
			ids[i] = operation[i].player;
		batch_load_some(batch, ladder, ids, n);
		components_load_some(batch, ladder, ids, n);
		return;
	}
	for (i = 0; i < n; i++)
	{
		BatchPlayer *player = batch_player(batch, operation[i].player,
										   operation[i].pool);

		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
	batch_load(batch, ladder, false);
}

/*
 * Write the events of an operation, and the ratings of its players; of a player in a
 * pool that includes what pools share, of which there may be no event.
 */
static void
write_operation(Batch *batch, Ladder *ladder, ChangeWriter *changes)
{
	Outbox	   *events = new_event_outbox(ladder);
	Outbox	   *inserted = rating_outbox(ladder);
	Outbox	   *updated = rating_outbox(ladder);
	Outbox	   *component_events = new_component_event_outbox(ladder);
	Outbox	   *components = component_outbox(ladder);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			i;

	for (i = 0; i < batch->step.n; i++)
		put_event(events, &batch->step, &batch->step.row[i]);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (player[i]->touched)
		{
			put_rating(player[i]->loaded ? updated : inserted, player[i]);
			change_writer_put(changes, player[i]);
		}
	outbox_send(events, OUTBOX_INSERT);
	outbox_send(updated, OUTBOX_UPDATE);
	outbox_send(inserted, OUTBOX_INSERT);
	for (i = 0; i < batch->step.ncomponents; i++)
	{
		put_component_event(component_events, &batch->step, &batch->step.component[i]);
		put_component(components, batch->step.component[i].component);
	}
	outbox_send(component_events, OUTBOX_INSERT);
	outbox_send(components, OUTBOX_UPDATE);
	change_writer_end(changes);
}

/* apply_operation(ladder, seq): do what table operation has at the end. */
Datum
skillrating_apply_operation(PG_FUNCTION_ARGS)
{
	int64		seq = PG_GETARG_INT64(1);
	Ladder	   *ladder;
	Batch	   *batch;
	LadderOperation *operation;
	ChangeWriter *changes;
	int			n;

	ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "apply_operation"));
	ladder_require_triggers(ladder);
	ladder_maintain(ladder);

	operation = read_operations(ladder, seq, &n);
	if (n == 0 || operation[0].seq != seq || operation[n - 1].seq != seq)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operation " INT64_FORMAT " is not the last one of ladder \"%s\"",
						seq, ladder->name)));
	ladder_take_states(ladder);
	batch = ladder_batch(ladder);
	load_operated(batch, ladder, operation, n);
	changes = change_writer_begin(ladder, operation[0].kind, &seq);
	change_writer_note(changes, batch);
	(void) batch_apply_operation(batch, operation, n);
	write_operation(batch, ladder, changes);
	correct_place(ladder, operation);
	n = batch->step.n;
	ladder_release_states(ladder);
	ladder_close(ladder);
	PG_RETURN_INT64(n);
}
