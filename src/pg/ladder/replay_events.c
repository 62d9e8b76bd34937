/*
 * replay_events.c
 *		What a replay makes of each step beside the events that are stored.
 *
 * Events of players and of components have the same order and the same verdicts; they differ in
 * the columns of their rows.
 */
#include "pg/ladder/replay_events.h"

#include "utils/builtins.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/component_states.h"
#include "pg/ladder/plans.h"

/* Events in rated order, from a place on. */
static LadderQuery read_events_query = {
	.text = "SELECT {event columns} FROM {event} WHERE seq OPERATOR(pg_catalog.>=) $1 ORDER BY seq",
	.param = {VALUE_INT8}
};

static LadderQuery read_component_events_query = {
	.text = "SELECT {component_event columns} FROM {component_event} WHERE seq OPERATOR(pg_catalog.>=) $1 ORDER BY seq",
	.param = {VALUE_INT8}
};

void
stored_events_open(StoredEvents *events, Replay *replay, bool of_components)
{
	Datum		values[1];

	values[0] = Int64GetDatum(replay->next);
	events->of_components = of_components;
	row_reader_open(&events->rows, replay->ladder,
					of_components ? &read_component_events_query : &read_events_query, values);
}

void
stored_events_close(StoredEvents *events)
{
	row_reader_close(&events->rows);
}

/*
 * ---- Rows of a step ----
 */

static int
count_rows(const BatchStep *step, bool of_components)
{
	return of_components ? step->ncomponents : step->n;
}

/* Tell the sink of a row of the step (none: -1) and of a stored one. */
static void
tell(Replay *replay, ReplaySink *sink, EventVerdict verdict, bool of_components, int row,
	 RowReader *stored)
{
	const BatchStep *step = &replay->batch->step;
	ReplayedEvent event = {.verdict = verdict,.of_component = of_components,.stored = stored,
	.last_played = DT_NOBEGIN};

	if (row >= 0 && of_components)
	{
		event.component = &step->component[row];
		event.last_played = event.component->last_played;
	}
	else if (row >= 0)
	{
		event.player = &step->row[row];
		event.last_played = event.player->last_played;
	}
	sink->event(sink, replay, &event);
}

void
missing_events(Replay *replay, ReplaySink *sink, bool of_components)
{
	int			n = count_rows(&replay->batch->step, of_components);
	int			i;

	for (i = 0; i < n; i++)
		tell(replay, sink, EVENT_MISSING, of_components, i, NULL);
}

static bool
same_event(RowReader *stored, Ladder *ladder, const BatchStep *step,
		   const EventRow *row)
{
	const Datum *values = row_values(stored);
	const bool *nulls = row_nulls(stored);
	RowValues	expected = event_values(step, row);
	int			i;

	if (!table_same(&event_table, ladder, &expected, values, nulls))
		return false;
	for (i = 0; i < ladder->model->nstate; i++)
	{
		int			before = EVENT_BEFORE(i) - 1;
		int			after = EVENT_AFTER(i) - 1;

		if (nulls[before] || nulls[after] ||
			!same_bits(DatumGetFloat8(values[before]), row->before[i]) ||
			!same_bits(DatumGetFloat8(values[after]), row->after[i]))
			return false;
	}
	return true;
}

static bool
same_component_event(RowReader *stored, Ladder *ladder, const BatchStep *step,
					 const ComponentRow *row)
{
	const Datum *values = row_values(stored);
	const bool *nulls = row_nulls(stored);
	int			nstate = row->component->spec->nstate;
	ComponentIdentity identity;
	RowValues	expected = component_event_values(step, row, &identity);
	int			before = COMPONENT_EVENT_BEFORE - 1;
	int			after = COMPONENT_EVENT_AFTER - 1;

	return table_same(&component_event_table, ladder, &expected, values, nulls) &&
		same_state(values[before], nulls[before], row->before, nstate) &&
		same_state(values[after], nulls[after], row->after, nstate);
}

/* The index of the row of the step that a stored event is about, or -1. */
static int
row_of_player(Batch *batch, RowReader *stored)
{
	char	   *pool = TextDatumGetCString(row_key_column(stored, EVENT_POOL));
	const BatchPlayer *player =
		id_table_find(batch->players, row_key_column(stored, EVENT_PLAYER_ID), pool);

	pfree(pool);
	return player != NULL && batch->step.n > 0 && player->step == batch->step.seq ?
		player->row : -1;
}

static int
row_of_component(Batch *batch, RowReader *stored)
{
	const BatchComponent *component =
		component_of_row(batch, row_values(stored) + COMPONENT_EVENT_PLAYER_ID - 1,
						 row_nulls(stored) + COMPONENT_EVENT_PLAYER_ID - 1);

	return component != NULL && batch->step.ncomponents > 0 &&
		component->step == batch->step.seq ? component->row : -1;
}

/*
 * ---- Comparing ----
 */

static int64
stored_seq(StoredEvents *events)
{
	return DatumGetInt64(row_key_column(&events->rows, events->of_components ?
										COMPONENT_EVENT_SEQ : EVENT_SEQ));
}

/* The stored events before a place belong to nothing. */
static void
surplus_before(Replay *replay, ReplaySink *sink, StoredEvents *events, int64 seq)
{
	for (; events->rows.have_row && stored_seq(events) < seq; row_reader_next(&events->rows))
		tell(replay, sink, EVENT_SURPLUS, events->of_components, -1, &events->rows);
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
	bool		of_components = events->of_components;
	RowReader  *stored = &events->rows;
	int			n = count_rows(step, of_components);
	bool	   *met;
	int			i;

	surplus_before(replay, sink, events, step->seq);
	met = palloc0_array(bool, n + 1);
	for (; stored->have_row && stored_seq(events) == step->seq; row_reader_next(stored))
	{
		int			row = of_components ? row_of_component(batch, stored) :
			row_of_player(batch, stored);
		EventVerdict verdict = EVENT_SURPLUS;

		if (row >= 0)
		{
			met[row] = true;
			verdict = (of_components ?
					   same_component_event(stored, replay->ladder, step, &step->component[row]) :
					   same_event(stored, replay->ladder, step, &step->row[row])) ?
				EVENT_SAME : EVENT_DIFFERS;
		}
		tell(replay, sink, verdict, of_components, row, stored);
	}
	for (i = 0; i < n; i++)
		if (!met[i])
			tell(replay, sink, EVENT_MISSING, of_components, i, NULL);
	pfree(met);
}
