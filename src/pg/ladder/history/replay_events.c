/*
 * replay_events.c
 *		What a replay makes of each step beside the events that are stored.
 */
#include "pg/ladder/history/replay_events.h"

#include "utils/builtins.h"

#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/component_states.h"

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

void
stored_events_open(StoredEvents *events, Replay *replay, RowsOf of)
{
	Datum		values[1];

	values[0] = Int64GetDatum(replay->next);
	events->of = of;
	row_reader_open(&events->rows, replay->ladder, &read_events_query[of], values);
}

/*
 * ---- Rows of a step ----
 */

static void
tell(Replay *replay, ReplaySink *sink, EventVerdict verdict, RowsOf of, const EventRow *row,
	 RowReader *stored)
{
	ReplayedEvent event = {verdict, of, row, stored};

	sink->event(sink, replay, &event);
}

void
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

	return table_same(table, ladder, &expected, row_values(stored), row_nulls(stored)) &&
		states_same(table, &expected, row_values(stored), row_nulls(stored));
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
	const BatchComponent *component =
		component_of_row(batch, row_values(stored) + COMPONENT_EVENT_PLAYER_ID - 1,
						 row_nulls(stored) + COMPONENT_EVENT_PLAYER_ID - 1);

	return component != NULL && component->step == batch->step.seq ? component->row : -1;
}

/*
 * ---- Comparing ----
 */

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

void
surplus_events(Replay *replay, ReplaySink *sink, StoredEvents *events)
{
	surplus_before(replay, sink, events, PG_INT64_MAX);
}

void
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
