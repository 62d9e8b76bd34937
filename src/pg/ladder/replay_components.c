/*
 * replay_components.c
 *		The components in a replay.
 */
#include "pg/ladder/replay_components.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/plans.h"

/*
 * ---- Components as they were ----
 */

/* Components with events from $2 on, and the fewest games before one of these. */
#define LATER_COMPONENTS \
	"SELECT c.player_id, c.kind, c.pool, c.key, pg_catalog.min(c.games_before) AS games_before " \
	"FROM {component_event} AS c WHERE c.seq OPERATOR(pg_catalog.>=) $2 " \
	"GROUP BY c.player_id, c.kind, c.pool, c.key"

/* All that have none. */
#define IDLE_COMPONENTS \
	"SELECT c.player_id, c.kind, c.pool, c.key, CAST(NULL AS pg_catalog.int8) AS games_before FROM {component} AS c " \
	"EXCEPT SELECT m.player_id, m.kind, m.pool, m.key, NULL FROM {component_event} AS m " \
	"WHERE m.seq OPERATOR(pg_catalog.>=) $2"

/* Those given. */
#define GIVEN_COMPONENTS \
	"SELECT g.player_id, g.kind, g.pool, g.key, CAST(NULL AS pg_catalog.int8) AS games_before FROM ROWS FROM (pg_catalog.unnest($2), " \
	"pg_catalog.unnest($3), pg_catalog.unnest($4), pg_catalog.unnest($5)) AS g(kind, pool, key, player_id)"

#define SAME_KEY(row) \
	row ".kind OPERATOR(pg_catalog.=) k.kind AND " row ".pool OPERATOR(pg_catalog.=) k.pool AND " \
	row ".key OPERATOR(pg_catalog.=) k.key"

/*
 * Components k as they were before $1: the last event before, the row of the horizon, the fewest
 * games before an event from there on (null if none), and the row that component has now.  Those
 * that belong to a player and those that belong to nobody are found by two queries, which the
 * indexes serve; in their order, which ORDER BY says in full, the last event is the first that is
 * read backwards.
 */
#define COMPONENTS_OF(of_owner, owner_is) \
	"SELECT k.player_id, k.kind, k.pool, k.key, e.seq IS NOT NULL, e.cause, e.games_before, e.played_at, " \
	"e.last_played_before, e.as_of_before, e.after, h.kind IS NOT NULL, k.games_before, " \
	"r.kind IS NOT NULL, {component columns r}, {component columns h} " \
	"FROM (SELECT * FROM components AS g WHERE g.player_id " of_owner ") AS k " \
	"LEFT JOIN {component} AS r ON r.player_id " owner_is " AND " SAME_KEY("r") " " \
	"LEFT JOIN {component_horizon} AS h ON h.player_id " owner_is " AND " SAME_KEY("h") " " \
	"LEFT JOIN LATERAL (SELECT * FROM {component_event} AS l WHERE l.player_id " owner_is " AND " \
	SAME_KEY("l") " AND l.seq OPERATOR(pg_catalog.<) $1 " \
	"ORDER BY l.player_id DESC, l.kind DESC, l.pool DESC, l.key DESC, l.seq DESC LIMIT 1) AS e ON true"

#define COMPONENTS_AT(components) \
	"WITH components AS MATERIALIZED (" components ") " \
	COMPONENTS_OF("IS NULL", "IS NULL") " UNION ALL " \
	COMPONENTS_OF("IS NOT NULL", "{player =} k.player_id")

enum
{
	AT_HAS_EVENT = COMPONENT_KEY,	/* from 0, behind those of the key */
	AT_CAUSE,
	AT_GAMES_BEFORE,
	AT_PLAYED_AT,
	AT_LAST_PLAYED_BEFORE,
	AT_AS_OF_BEFORE,
	AT_AFTER,
	AT_HAS_HORIZON,
	AT_NEXT_GAMES,
	AT_HAS_ROW,
	AT_ROW,						/* the columns of component, */
	AT_HORIZON = AT_ROW + COMPONENT_NCOLUMNS	/* and those of its horizon */
};

static LadderQuery later_query = {
	.text = COMPONENTS_AT(LATER_COMPONENTS),.param = {VALUE_INT8, VALUE_INT8}
};

static LadderQuery idle_query = {
	.text = COMPONENTS_AT(IDLE_COMPONENTS),.param = {VALUE_INT8, VALUE_INT8}
};

static LadderQuery given_query = {
	.text = COMPONENTS_AT(GIVEN_COMPONENTS),
	.param = {VALUE_INT8, ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_PLAYER)}
};

/* A row of component beside a component, to be filled. */
static StoredComponent *
row_beside(Batch *batch, BatchComponent *component, bool found)
{
	component->stored = MemoryContextAllocZero(batch->context, offsetof(StoredComponent, state) +
											   component->spec->nstate * sizeof(double));
	component->stored->found = found;
	component->loaded = true;
	return component->stored;
}

/* Put what a row of component has, if there is one, beside a component. */
static void
store_component(Batch *batch, BatchComponent *component, bool found, const Datum *values,
				const bool *nulls)
{
	StoredComponent *row = row_beside(batch, component, found);

	if (!found)
		return;
	if (!component_row_read(component, values, nulls, &row->record, row->state))
		row->record.games = -1; /* as nothing that can come out */
}

void
components_store_loaded(Batch *batch)
{
	int64		i;

	for (i = 0; i < batch->ncomponents; i++)
	{
		BatchComponent *component = batch->components[i];
		StoredComponent *row;

		if (!component->loaded)
			continue;
		row = row_beside(batch, component, true);
		row->record = component->record;
		memcpy(row->state, component->state, component->spec->nstate * sizeof(double));
	}
}

static TimestampTz
time_or_nothing(Datum value, bool isnull)
{
	return isnull ? DT_NOBEGIN : DatumGetTimestampTz(value);
}

/* Put a component where the last event before the replay left it. */
static void
restore_component(BatchComponent *component, const Datum *values, const bool *nulls)
{
	ComponentRecord *record = &component->record;
	char	   *cause = TextDatumGetCString(values[AT_CAUSE]);
	TimestampTz at = DatumGetTimestampTz(values[AT_PLAYED_AT]);
	TimestampTz last_played = time_or_nothing(values[AT_LAST_PLAYED_BEFORE],
											  nulls[AT_LAST_PLAYED_BEFORE]);
	TimestampTz as_of = time_or_nothing(values[AT_AS_OF_BEFORE], nulls[AT_AS_OF_BEFORE]);

	component->exists = true;
	(void) read_component_state(component, values[AT_AFTER], nulls[AT_AFTER],
								component->state);
	if (strcmp(cause, "reset") == 0)
		return;
	record->games = DatumGetInt64(values[AT_GAMES_BEFORE]);
	record->last_played = last_played;
	if (strcmp(cause, "match") == 0)
	{
		record->games++;
		record->last_played = Max(last_played, at);
	}
	record->as_of = Max(Max(last_played, as_of), at);
}

/* Put a component where the horizon has it. */
static void
take_horizon(BatchComponent *component, const Datum *values, const bool *nulls)
{
	component->exists = true;
	(void) component_row_read(component, values, nulls, &component->record, component->state);
}

/*
 * Error if later events, or without any the row of today, know of more games than there were by
 * what is left of history.
 */
static void
check_events_are_there(const Replay *replay, const BatchComponent *component,
					   const Datum *values, const bool *nulls)
{
	int64		games = !nulls[AT_NEXT_GAMES] ? DatumGetInt64(values[AT_NEXT_GAMES]) :
		component->stored->found ? component->stored->record.games : 0;

	if (games <= component->record.games)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("events of component %s before place " INT64_FORMAT " of ladder \"%s\" are missing",
					component->spec->name, replay->from, replay->ladder->name),
			 errdetail("History from there on cannot be replayed, because the states there are not known."),
			 errhint("Attach or restore the events, or make them again by catch_up() with rebuild => true; set_horizon() keeps the states before events are taken away.")));
}

/* One of these queries at work. */
typedef struct ComponentsLoad
{
	Replay	   *replay;
	bool		again;			/* what has been loaded is where the replay
								 * has got to */
} ComponentsLoad;

static void
take_component(void *arg, const Datum *values, const bool *nulls)
{
	const ComponentsLoad *load = (const ComponentsLoad *) arg;
	Replay	   *replay = load->replay;
	BatchComponent *component =
		component_of_row(replay->batch, values, nulls);
	bool		is_placed;

	/* Stored events of what the model does not have are surplus. */
	if (component == NULL)
		return;
	is_placed = load->again && (component->loaded || replay->whole);
	store_component(replay->batch, component, DatumGetBool(values[AT_HAS_ROW]),
					values + AT_ROW, nulls + AT_ROW);
	if (is_placed)
		return;
	if (DatumGetBool(values[AT_HAS_EVENT]))
		restore_component(component, values, nulls);
	else if (DatumGetBool(values[AT_HAS_HORIZON]))
		take_horizon(component, values + AT_HORIZON, nulls + AT_HORIZON);
	check_events_are_there(replay, component, values, nulls);
}

static void
load_components(Replay *replay, LadderQuery *query, const Datum *values, bool again)
{
	ComponentsLoad load = {replay, again};

	(void) ladder_execute_each(replay->ladder, query, values, NULL, take_component, &load);
}

static LadderQuery horizon_query = {
	.text = "SELECT {component columns h} FROM {component_horizon} AS h"
};

/* Put everything where the horizon has it, or beside it the rows of today. */
static void
load_rows(Replay *replay, bool of_horizon)
{
	RowReader	rows;

	if (of_horizon)
		row_reader_open(&rows, replay->ladder, &horizon_query, NULL);
	else
		all_components_open(&rows, replay->ladder);
	for (; rows.have_row; row_reader_next(&rows))
	{
		const Datum *values = row_values(&rows);
		const bool *nulls = row_nulls(&rows);
		BatchComponent *component =
			component_of_row(replay->batch, values, nulls);

		if (component != NULL && of_horizon)
			take_horizon(component, values, nulls);
		else if (component != NULL)
			store_component(replay->batch, component, true, values, nulls);
	}
	row_reader_close(&rows);
}

/* Load those with events from a seq on, where the replay begins or goes on, or those without. */
static void
load_later(Replay *replay, LadderQuery *query, int64 seq, bool again)
{
	Datum		values[2];

	values[0] = Int64GetDatum(replay->from);
	values[1] = Int64GetDatum(seq);
	load_components(replay, query, values, again);
}

void
components_load_replayed(Replay *replay)
{
	if (replay->whole)
	{
		/* Nothing is there yet but at a horizon. */
		load_rows(replay, false);
		load_rows(replay, true);
		return;
	}
	if (replay->batch->nkinds == 0)
		return;
	load_later(replay, &later_query, replay->from, false);
	if (replay->loads == REPLAY_ALL_PLAYERS)
		load_later(replay, &idle_query, replay->from, false);
}

void
components_refresh(Replay *replay)
{
	if (replay->batch->nkinds > 0)
		load_later(replay, &later_query, replay->next, true);
}

void
components_load_match(Replay *replay)
{
	Batch	   *batch = replay->batch;
	ComponentKeys keys = component_keys_make(batch->match.ncomponents);
	Datum		values[1 + COMPONENT_KEY_NPARAMS];
	int			i;

	for (i = 0; i < batch->match.ncomponents; i++)
		if (!batch->component[i]->loaded)
		{
			batch->component[i]->loaded = true;
			component_keys_add(&keys, batch->component[i]);
		}
	if (keys.n == 0)
		return;
	values[0] = Int64GetDatum(replay->from);
	component_keys_values(&keys, replay->ladder, values + 1);
	load_components(replay, &given_query, values, false);
}
