/*
 * replay.c
 *		Rating the history of a ladder again.
 *
 * Matches, operations and stored events come in the order of seq, each from a
 * query of its own that runs meanwhile, and are merged.  Memory holds only the
 * players.
 *
 * A replay from the middle starts from the states that the events before it
 * left behind, so that it costs what comes after it.
 */
#include "pg/ladder/history/replay.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/rate/component_states.h"
#include "pg/ladder/rate/filters.h"
#include "pg/ladder/rate/past.h"
#include "pg/sql/progress.h"

/*
 * ---- The stored events beside the steps ----
 */

/* The rows of event, or of component_event, in their order, as they come beside the steps. */
typedef struct StoredEvents
{
	RowReader	rows;
	RowsOf		of;
} StoredEvents;

/* Events in rated order, from a place on. */
static LadderQuery read_events_query[NROWS_OF] = {
	[OF_PLAYERS] = {
		.text = "SELECT {event columns} FROM {event} WHERE seq OPERATOR(pg_catalog.>=) $1 ORDER BY seq",
		.param = {VALUE_INT8}
	},
	[OF_COMPONENTS] = {
		.text = "SELECT {component_event columns} FROM {component_event} WHERE seq OPERATOR(pg_catalog.>=) $1 ORDER BY seq",
		.param = {VALUE_INT8}
	}
};

StaticAssertDecl((int) EVENT_SEQ == (int) COMPONENT_EVENT_SEQ, "columns seq differ");

/* They are read from the place on where the replay goes on. */
static void
stored_events_open(StoredEvents *events, Replay *replay, RowsOf of)
{
	events->of = of;
	row_reader_open(&events->rows, replay->ladder, &read_events_query[of],
					DATUMS(Int64GetDatum(replay->next)));
}

static void
tell(Replay *replay, ReplaySink *sink, EventVerdict verdict, RowsOf of, const EventRow *row,
	 RowReader *stored)
{
	ReplayedEvent event = {verdict, of, row, stored};

	sink->event(sink, replay, &event);
}

/* Tell the sink of the rows of the step just made, where none are stored. */
static void
missing_events(Replay *replay, ReplaySink *sink, RowsOf of)
{
	const EventRows *rows = &replay->batch->step.rows[of];
	int			i;

	for (i = 0; i < rows->n; i++)
		tell(replay, sink, EVENT_MISSING, of, &rows->row[i], NULL);
}

static bool
same_event(RowReader *stored, Ladder *ladder, const BatchStep *step, RowsOf of,
		   const EventRow *row)
{
	const LadderTable *table = of == OF_PLAYERS ? &event_table : &component_event_table;
	RowValues	expected = event_values(ladder->model, step, row);

	return table_same(table, ladder, &expected, reader_row(stored));
}

/* The index of the row of the step that a stored event of a player is about, or -1. */
static int
row_of_player(Batch *batch, RowReader *stored)
{
	char	   *pool = TextDatumGetCString(row_key_column(stored, EVENT_POOL));
	const BatchPlayer *player =
		id_table_find(batch->players, row_key_column(stored, EVENT_PLAYER_ID), pool);

	pfree(pool);
	return player != NULL && player->step == batch->step.seq ? player->row : -1;
}

/* The same of one of a component. */
static int
row_of_component(Batch *batch, RowReader *stored)
{
	QueryRow	row = reader_row(stored);
	const BatchComponent *component;

	/* Behind the place. */
	(void) next_datum(&row);
	component = component_of_row(batch, row);
	return component != NULL && component->step == batch->step.seq ? component->row : -1;
}

static int64
stored_seq(StoredEvents *events)
{
	return DatumGetInt64(row_key_column(&events->rows, EVENT_SEQ));
}

/* The stored events before a place belong to nothing. */
static void
surplus_before(Replay *replay, ReplaySink *sink, StoredEvents *events, int64 seq)
{
	for (; events->rows.have_row && stored_seq(events) < seq; row_reader_next(&events->rows))
		tell(replay, sink, EVENT_SURPLUS, events->of, NULL, &events->rows);
}

/*
 * Tell the sink of the rows of the step just made, and of the stored ones up to there, of which
 * those that the step does not give belong to nothing.
 */
static void
compare_events(Replay *replay, ReplaySink *sink, StoredEvents *events)
{
	Batch	   *batch = replay->batch;
	const BatchStep *step = &batch->step;
	const EventRows *rows = &step->rows[events->of];
	RowReader  *stored = &events->rows;
	bool	   *met;
	int			i;

	surplus_before(replay, sink, events, step->seq);
	met = palloc0_array(bool, rows->n + 1);
	for (; stored->have_row && stored_seq(events) == step->seq; row_reader_next(stored))
	{
		const EventRow *row = NULL;
		EventVerdict verdict = EVENT_SURPLUS;

		i = rows->n == 0 ? -1 :
			events->of == OF_PLAYERS ? row_of_player(batch, stored) : row_of_component(batch, stored);
		if (i >= 0)
		{
			met[i] = true;
			row = &rows->row[i];
			verdict = same_event(stored, replay->ladder, step, events->of, row) ?
				EVENT_SAME : EVENT_DIFFERS;
		}
		tell(replay, sink, verdict, events->of, row, stored);
	}
	for (i = 0; i < rows->n; i++)
		if (!met[i])
			tell(replay, sink, EVENT_MISSING, events->of, &rows->row[i], NULL);
	pfree(met);
}

/*
 * ---- Steps ----
 */

/*
 * Load what a replay from the middle needs to know of the players of the match, and one from a
 * horizon of their matches.
 */
static void
load_for_match(Replay *replay)
{
	Batch	   *batch = replay->batch;

	if (!replay->whole)
	{
		players_load_some(replay, batch->player, batch->match.nplayers);
		components_load_match(batch, replay->ladder, replay->from);
	}
	load_past_of_match(batch, replay->ladder, replay->from);
	load_meetings_of_match(batch, replay->ladder, replay->from);
}

static void
replay_match(Replay *replay, ReplaySink *sink, SourceMatch *source)
{
	Batch	   *batch = replay->batch;
	Verdict		verdict = VERDICT_UNRATED;
	Unrated		why = unrated_nothing;

	batch->step.seq = source->seq;
	batch->step.rows[OF_PLAYERS].n = 0;
	batch->step.rows[OF_COMPONENTS].n = 0;
	if (!source->vanished)
		verdict = batch_judge(batch, source, &why);
	if (verdict == VERDICT_RATE)
	{
		if (replay->from != REPLAY_START)
			load_for_match(replay);
		if (source->eligibility != NULL)
			verdict = batch_judge_players(batch, source, &why);
	}
	if (verdict == VERDICT_RATE)
	{
		MatchStatus status = batch_rate(batch, source);

		if (status == MATCH_OK)
			batch_commit(batch, source, source->seq);
		else
		{
			verdict = VERDICT_UNRATED;
			why = batch_mistake(batch, source, status, -1);
		}
	}
	sink->match(sink, replay, source, verdict, &why);
}

/*
 * Whether an operation may leave states as they are.  It has no events of players whose
 * state it leaves, and whether it does may depend on what they share with other pools,
 * where a match that is replayed changes it.
 */
static bool
any_leaves_states(const LadderOperation *operation, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		OperationKind kind = operation[i].operation.kind;

		if (kind == OPERATION_SETTLE || kind == OPERATION_DECAY || kind == OPERATION_REGRESSION ||
			kind == OPERATION_REFUND)
			return true;
	}
	return false;
}

static LadderQuery last_place_query = {
	.text = "SELECT last_value FROM {event_seq}"
};

int64
last_place(Ladder *ladder)
{
	int64		place;

	(void) ladder_read_number(ladder, &last_place_query, NULL, &place);
	return place;
}

/* Report that a replay begins at a place. */
static void
report_start(Ladder *ladder, int64 first_seq)
{
	int64		last_seq = last_place(ladder);

	progress_phase(PHASE_REPLAYING,
				   first_seq <= last_seq ? last_seq - first_seq + 1 : PROGRESS_UNKNOWN);
}

/* Where a replay from a place begins: at the horizon if it is to begin at the start. */
static int64
first_place(const Ladder *ladder, int64 from)
{
	if (ladder->horizon == NO_HORIZON)
		return from;
	if (from == REPLAY_START)
		return ladder->horizon + 1;
	if (from <= ladder->horizon)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("history of ladder \"%s\" begins behind place " INT64_FORMAT " and cannot be replayed from place " INT64_FORMAT,
						ladder->name, ladder->horizon, from)));
	return from;
}

Replay *
replay_begin(Ladder *ladder, int64 from, ReplayPlayers load)
{
	Replay	   *replay = palloc0_object(Replay);

	/* States, and then the source, before its first match is there. */
	progress_phase(PHASE_READING, PROGRESS_UNKNOWN);
	replay->ladder = ladder;
	replay->batch = ladder_batch(ladder);
	replay->whole = (from == REPLAY_START);
	replay->from = replay->next = first_place(ladder, from);
	replay->loads = load;
	if (load == REPLAY_KNOWN_PLAYERS && replay->batch->shares)
	{
		int			n;
		const LadderOperation *operation = read_operations(ladder, replay->from, &n);

		if (any_leaves_states(operation, n))
			replay->loads = REPLAY_ALL_PLAYERS;
	}
	players_load_replayed(replay);
	if (replay->whole)
		components_load_horizon(replay->batch, ladder);
	else if (replay->batch->nkinds > 0)
		components_load_at(replay->batch, ladder, replay->from,
						   replay->loads == REPLAY_ALL_PLAYERS);
	return replay;
}

/* Load the players whom n operations are about, as the tables have them. */
static void
load_operated(Batch *batch, Ladder *ladder, const LadderOperation *operation,
			  int n)
{
	Datum	   *ids = operation[0].has_player ? palloc_array(Datum, n) : NULL;
	int			i;

	/*
	 * A row that only has room for the first match is no player yet, but for what makes one of
	 * it.
	 */
	if (ids == NULL || (operation[0].operation.kind != OPERATION_SET &&
						(operation[0].operation.kind != OPERATION_FIX || operation[0].pool == NULL)))
	{
		for (i = 0; i < n && ids != NULL; i++)
			ids[i] = operation[i].player;
		batch_load_touched(batch, ladder, ids, ids == NULL ? 0 : n);
		components_load_touched(batch, ladder, ids, ids == NULL ? 0 : n);
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
	batch_load(batch, ladder);
}

Replay *
replay_new_operation(Ladder *ladder, const LadderOperation *operation, int n, ReplaySink *sink)
{
	Replay	   *replay = palloc0_object(Replay);
	Batch	   *batch = ladder_batch(ladder);

	replay->ladder = ladder;
	replay->batch = batch;
	replay->from = operation->seq;
	replay->next = operation->seq + 1;
	replay->loads = REPLAY_KNOWN_PLAYERS;
	load_operated(batch, ladder, operation, n);
	store_loaded_rows(batch);
	(void) batch_apply_operation(batch, operation, n);
	missing_events(replay, sink, OF_PLAYERS);
	missing_events(replay, sink, OF_COMPONENTS);
	return replay;
}

/* Replay matches and operations in their order, beside the stored events. */
static void
replay_steps(Replay *replay, ReplaySink *sink, MatchReader *matches, StoredEvents *events,
			 StoredEvents *component_events)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext,
												  "skillrating replay",
												  ALLOCSET_DEFAULT_SIZES);
	LadderOperation *operation;
	int			noperations;
	int			next = 0;
	int64		first_seq;
	bool		have_match;

	operation = read_operations(replay->ladder, replay->next, &noperations);
	have_match = reader_next(matches);
	first_seq = Min(have_match ? matches->match.seq : PG_INT64_MAX,
					noperations > 0 ? operation[0].seq : PG_INT64_MAX);
	if (have_match || noperations > 0)
		report_start(replay->ladder, first_seq);
	while (have_match || next < noperations)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		bool		is_match = have_match && (next == noperations ||
											  matches->match.seq < operation[next].seq);

		if (is_match)
			replay_match(replay, sink, &matches->match);
		else
			next += batch_apply_operation(replay->batch, &operation[next],
										  noperations - next);
		compare_events(replay, sink, events);
		compare_events(replay, sink, component_events);
		MemoryContextSwitchTo(old);
		if (is_match)
			have_match = reader_next(matches);
		MemoryContextReset(scratch);
		replay->next = replay->batch->step.seq + 1;
		progress_done(replay->next - first_seq);
	}

	/* All stored rows that are left belong to nothing. */
	surplus_before(replay, sink, events, PG_INT64_MAX);
	surplus_before(replay, sink, component_events, PG_INT64_MAX);
	MemoryContextDelete(scratch);
}

void
replay_on(Replay *replay, ReplaySink *sink)
{
	Ladder	   *ladder = replay->ladder;
	MatchReader *matches;
	StoredEvents events;
	StoredEvents component_events;

	matches = reader_open_rated(ladder, replay->next);
	replay->batch->keeps_meetings = filters_repeat_window(matches->filters) > 0;
	stored_events_open(&events, replay, OF_PLAYERS);
	stored_events_open(&component_events, replay, OF_COMPONENTS);
	replay_steps(replay, sink, matches, &events, &component_events);
	row_reader_close(&component_events.rows);
	row_reader_close(&events.rows);
	reader_close(matches);
}

