/*
 * component_states.c
 *		What a batch takes from a ladder of components.
 *
 * Relies on unique keys that take null for a value, as component and component_event have them.
 */
#include "pg/ladder/rate/component_states.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/rating/match.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/arrays.h"
#include "pg/sql/subtransaction.h"

void
component_keys(const Ladder *ladder, const BatchComponent *const *component, int n, Datum *values)
{
	const IdType *type = ladder->player_type;
	const char **kind = huge_array(const char *, n);
	const char **pool = huge_array(const char *, n);
	const char **key = huge_array(const char *, n);
	Datum	   *player = huge_array0(Datum, n);
	bool	   *unowned = huge_array(bool, n);
	int			lower_bound = 1;
	int			i;

	for (i = 0; i < n; i++)
	{
		kind[i] = component[i]->spec->name;
		pool[i] = component[i]->pool;
		key[i] = component[i]->key;
		unowned[i] = component[i]->player == NULL;
		if (!unowned[i])
			player[i] = component[i]->player->id;
	}
	values[0] = text_array(kind, n);
	values[1] = text_array(pool, n);
	values[2] = text_array(key, n);
	values[3] = PointerGetDatum(construct_md_array(player, unowned, 1, &n, &lower_bound, type->type,
												   type->typlen, type->typbyval, type->typalign));
}

/*
 * ---- Rows ----
 */

BatchComponent *
component_of_row(Batch *batch, QueryRow row)
{
	const MatchRules *rules = &batch->model->rules;
	bool		owned = !next_is_null(&row);
	Datum		player = next_datum(&row);
	BatchComponent *component = NULL;
	BatchPlayer *owner = NULL;
	char	   *name;
	char	   *pool;
	char	   *key;
	int			number;

	if (row.null[0] || row.null[1] || row.null[2])
		return NULL;
	name = next_text(&row);
	pool = next_text(&row);
	key = next_text(&row);
	number = match_component_kind(rules, name);
	if (number >= 0 && (rules->component[number].scope == COMPONENT_OF_PLAYER) == owned)
	{
		if (owned)
			owner = batch_player(batch, player, pool);
		component = batch_component(batch, number, owner, pool, key);
	}
	pfree(name);
	pfree(pool);
	pfree(key);
	return component;
}

/* A batch that takes over rows of component by a query. */
typedef struct ComponentsLoad
{
	Batch	   *batch;
	Ladder	   *ladder;
	LadderQuery *query;
	const Datum *values;		/* of its parameters */
	TakesRow	take;			/* with this as its argument */
} ComponentsLoad;

static void
take_component(void *arg, QueryRow row)
{
	const ComponentsLoad *load = (const ComponentsLoad *) arg;
	BatchComponent *component = component_of_row(load->batch, row);
	int			state = COMPONENT_STATE - 1;

	/* Loaded and not existing is one that has a row, and no state before the end of the batch. */
	if (component != NULL)
		component->loaded = true;
	if (component != NULL && !row.null[state] &&
		ARR_NDIM(DatumGetArrayTypeP(row.value[state])) == 0)
		return;
	if (component == NULL ||
		table_read(&component_table, load->batch->model, component->spec->nstate, row,
				   &component->record, component->state) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table component of ladder \"%s\" has a row that its model does not define",
						load->ladder->name),
				 errhint("SELECT * FROM skillrating.verify(%s) shows it.",
						 quote_literal_cstr(load->ladder->name))));
	component->exists = true;
}

/* Load components; as work in a subtransaction. */
static bool
do_load(void *arg)
{
	const ComponentsLoad *load = (const ComponentsLoad *) arg;

	(void) ladder_execute_each(load->ladder, load->query, load->values, NULL, load->take, arg);
	return true;
}

static void
load_by(Batch *batch, Ladder *ladder, LadderQuery *query, const Datum *values, TakesRow take)
{
	(void) do_load(&(ComponentsLoad) {batch, ladder, query, values, take});
}

static LadderQuery all_components_query = {
	.text = "SELECT {component columns c} FROM {component} AS c"
};

static LadderQuery some_components_query = {
	.text = "SELECT {component columns c} FROM {component} AS c WHERE c.player_id {player =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_PLAYER)}
};

void
components_load_touched(Batch *batch, Ladder *ladder, Datum *ids, int n)
{
	if (batch->nkinds > 0)
		load_by(batch, ladder, ids == NULL ? &all_components_query : &some_components_query,
				DATUMS(id_array(ladder->player_type, ids, n)), take_component);
}

/*
 * ---- Those of a batch ----
 */

#define GIVEN_KEYS \
	"ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) AS k(kind, pool, key, player_id)"

/*
 * The rows of components that are given by their keys.  Each is looked up by its whole key:
 * OFFSET 0, like a row lock, keeps the planner from turning the subquery into a join, for
 * which it might read all rows without an owner.
 */
#define FROM_COMPONENT(owner_is) \
	"FROM {component} AS c WHERE c.player_id " owner_is " AND c.kind OPERATOR(pg_catalog.=) k.kind " \
	"AND c.pool OPERATOR(pg_catalog.=) k.pool AND c.key OPERATOR(pg_catalog.=) k.key "
#define ROWS_OF(owner_is, lock) \
	"SELECT {component columns c} FROM " GIVEN_KEYS " CROSS JOIN LATERAL (SELECT {component columns c} " \
	FROM_COMPONENT(owner_is) lock ") AS c"

static LadderQuery components_query = {
	.text = ROWS_OF("IS NULL AND k.player_id IS NULL", "OFFSET 0") " UNION ALL "
	ROWS_OF("{player =} k.player_id", "OFFSET 0"),
	.param = {COMPONENT_KEY_PARAMS}
};

/* Locks those that nobody else has locked, and returns these. */
static LadderQuery lock_free_query = {
	.text = ROWS_OF("IS NULL", "FOR NO KEY UPDATE OF c SKIP LOCKED"),
	.param = {COMPONENT_KEY_PARAMS}
};

/* Rows for components without an owner; the state comes when they are written. */
#define NEW_ROWS(condition, conflict) \
	"INSERT INTO {component} AS c (kind, pool, key, state) " \
	"SELECT k.kind, k.pool, k.key, CAST(ARRAY[] AS pg_catalog.float8[]) FROM " GIVEN_KEYS " " condition \
	"ORDER BY k.key COLLATE pg_catalog.\"C\", k.kind COLLATE pg_catalog.\"C\", k.pool COLLATE pg_catalog.\"C\" " \
	"ON CONFLICT (player_id, kind, pool, key) DO " conflict " RETURNING player_id, kind, pool, key"

/* Of those that are not there for a transaction that may keep its snapshot. */
static LadderQuery new_rows_query = {
	.text = NEW_ROWS("WHERE NOT EXISTS (SELECT " FROM_COMPONENT("IS NULL") "OFFSET 0) ", "NOTHING"),
	.param = {COMPONENT_KEY_PARAMS}
};

/* The same, and locks those that are there, which is all that an update of none of them does. */
static LadderQuery claim_query = {
	.text = NEW_ROWS("", "UPDATE SET games = c.games WHERE false"),.param = {COMPONENT_KEY_PARAMS}
};

/* Of those that are wanted: of players, that a match may be given, and others. */
typedef enum WantedComponents
{
	WANTED_OWNED = 1,
	WANTED_GIVEN = 2,
	WANTED_CLAIMED = 4,
	WANTED_ALL = 7
} WantedComponents;

static WantedComponents
want_of(const BatchComponent *component)
{
	if (component->player != NULL)
		return WANTED_OWNED;
	return component_can_be_given(component) ? WANTED_GIVEN : WANTED_CLAIMED;
}

/* The keys of those of a set of these that are not loaded; how many. */
static int
wanted_keys(const Batch *batch, const Ladder *ladder, int set, Datum *values)
{
	const BatchComponent **wanted = huge_array(const BatchComponent *, batch->ncomponents);
	int			n = 0;
	int			i;

	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];

		if (component->wanted && !component->loaded && (want_of(component) & set) != 0)
			wanted[n++] = component;
	}
	if (n > 0)
		component_keys(ladder, wanted, n, values);
	pfree(wanted);
	return n;
}

/* Mark a component that has got a row, which a trigger of the user's may have changed. */
static void
mark_created(void *arg, QueryRow row)
{
	BatchComponent *component = component_of_row((Batch *) arg, row);

	if (component != NULL)
		component->created = true;
}

void
components_claim(Batch *batch, Ladder *ladder)
{
	Datum		values[COMPONENT_KEY_NPARAMS];

	if (wanted_keys(batch, ladder, WANTED_GIVEN, values) > 0)
		(void) ladder_execute_each(ladder, &new_rows_query, values, NULL, mark_created, batch);
	if (wanted_keys(batch, ladder, WANTED_CLAIMED, values) > 0)
		(void) ladder_execute_each(ladder, &claim_query, values, NULL, mark_created, batch);
}

static bool
is_serialization_failure(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE;
}

/*
 * Lock and load those that nobody else has locked.  Where a transaction keeps its snapshot, one
 * that others have changed since is like one that they have locked.
 */
static void
lock_free_components(Batch *batch, Ladder *ladder, const Datum *values)
{
	ComponentsLoad load = {batch, ladder, &lock_free_query, values, take_component};

	if (IsolationUsesXactSnapshot())
		(void) in_subtransaction(do_load, &load, is_serialization_failure);
	else
		(void) do_load(&load);
}

void
components_load(Batch *batch, Ladder *ladder)
{
	Datum		values[COMPONENT_KEY_NPARAMS];
	int			i;

	if (wanted_keys(batch, ladder, WANTED_GIVEN, values) > 0)
		lock_free_components(batch, ladder, values);
	for (i = 0; i < batch->ncomponents; i++)
		batch->components[i]->taken = batch->components[i]->wanted &&
			!batch->components[i]->loaded && component_can_be_given(batch->components[i]);
	components_peek(batch, ladder);
}

void
components_peek(Batch *batch, Ladder *ladder)
{
	Datum		values[COMPONENT_KEY_NPARAMS];

	if (wanted_keys(batch, ladder, WANTED_ALL, values) > 0)
		load_by(batch, ladder, &components_query, values, take_component);
}

/* Put a row beside its component. */
static void
store_component(Batch *batch, BatchComponent *component, QueryRow row)
{
	int			nstate = component->spec->nstate;
	StoredRow  *stored = MemoryContextAllocZero(batch->context,
												offsetof(StoredRow, state) + nstate * sizeof(double));

	stored->found = true;

	/* What is no state, or a second row where the owner has dropped the key, is nothing that can come out. */
	if (table_read(&component_table, batch->model, nstate, row, &stored->record,
				   stored->state) != NULL || component->stored != NULL)
		stored->record.games = -1;
	component->stored = stored;
}

void
components_store_rows(Batch *batch, Ladder *ladder, bool all, TakesRow surplus, void *arg)
{
	const BatchComponent **loaded = huge_array(const BatchComponent *, batch->ncomponents);
	Datum		values[COMPONENT_KEY_NPARAMS];
	RowReader	rows;
	int			n = 0;
	int			i;

	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->loaded)
			loaded[n++] = batch->components[i];
	if (!all && n > 0)
		component_keys(ladder, loaded, n, values);
	pfree(loaded);
	if (!all && n == 0)
		return;
	row_reader_open(&rows, ladder, all ? &all_components_query : &components_query, values);
	for (; rows.have_row; row_reader_next(&rows))
	{
		QueryRow	row = reader_row(&rows);
		BatchComponent *component = component_of_row(batch, row);

		if (component == NULL)
			surplus(arg, row);
		else
			store_component(batch, component, row);
	}
	row_reader_close(&rows);
}

/*
 * ---- As they were before a place ----
 */

#define KEYS "c.player_id, c.kind, c.pool, c.key"

/* Components with events from $1 on; those and all others; those given. */
#define LATER_COMPONENTS \
	"SELECT DISTINCT " KEYS " FROM {component_event} AS c WHERE c.seq OPERATOR(pg_catalog.>=) $1"
#define ALL_COMPONENTS LATER_COMPONENTS " UNION SELECT " KEYS " FROM {component} AS c"
#define GIVEN_COMPONENTS \
	"SELECT " KEYS " FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3), " \
	"pg_catalog.unnest($4), pg_catalog.unnest($5)) AS c(kind, pool, key, player_id)"

#define ROW_IS(row, owner_is) \
	row ".player_id " owner_is " AND " row ".kind OPERATOR(pg_catalog.=) k.kind AND " \
	row ".pool OPERATOR(pg_catalog.=) k.pool AND " row ".key OPERATOR(pg_catalog.=) k.key"

/* What an event left: nothing of a component that was put back to its start. */
#define IF_RESET "CASE WHEN l.cause OPERATOR(pg_catalog.=) 'reset' THEN "
#define IF_MATCH " WHEN l.cause OPERATOR(pg_catalog.=) 'match' THEN "
#define LEFT_BY_EVENT \
	IF_RESET "0" IF_MATCH "l.games_before OPERATOR(pg_catalog.+) 1 ELSE l.games_before END AS games, " \
	IF_RESET "NULL" IF_MATCH "GREATEST(l.last_played_before, l.played_at) ELSE l.last_played_before END AS last_played, " \
	IF_RESET "NULL ELSE GREATEST(l.last_played_before, l.as_of_before, l.played_at) END AS as_of, l.after AS state"

/*
 * Rows of components k as they were before $1, by the last event before or else the horizon, with
 * the games that later events, which may be in another order by now, or else the row of today, know
 * of.  Those that belong to a player
 * and those that belong to nobody are found by two queries, which the indexes serve; in their
 * order, which ORDER BY says in full, the last event is the first that is read backwards.
 */
#define COMPONENTS_OF(of_owner, owner_is) \
	"SELECT k.player_id, k.kind, k.pool, k.key, s.games, s.last_played, s.as_of, s.state, COALESCE(n.games_before, r.games) " \
	"FROM (SELECT * FROM components AS g WHERE g.player_id " of_owner ") AS k " \
	"LEFT JOIN {component} AS r ON " ROW_IS("r", owner_is) " " \
	"CROSS JOIN LATERAL (SELECT pg_catalog.min(l.games_before) AS games_before FROM {component_event} AS l WHERE " \
	ROW_IS("l", owner_is) " AND l.seq OPERATOR(pg_catalog.>=) $1) AS n " \
	"LEFT JOIN LATERAL (SELECT * FROM ((SELECT l.seq, " LEFT_BY_EVENT " FROM {component_event} AS l WHERE " \
	ROW_IS("l", owner_is) " AND l.seq OPERATOR(pg_catalog.<) $1 " \
	"ORDER BY l.player_id DESC, l.kind DESC, l.pool DESC, l.key DESC, l.seq DESC LIMIT 1) " \
	"UNION ALL SELECT NULL, h.games, h.last_played, h.as_of, h.state FROM {component_horizon} AS h WHERE " \
	ROW_IS("h", owner_is) ") AS u ORDER BY u.seq LIMIT 1) AS s ON true"

#define COMPONENTS_AT(components) \
	"WITH components AS MATERIALIZED (" components ") " \
	COMPONENTS_OF("IS NULL", "IS NULL") " UNION ALL " \
	COMPONENTS_OF("IS NOT NULL", "{player =} k.player_id")

static LadderQuery later_query = {.text = COMPONENTS_AT(LATER_COMPONENTS),.param = {VALUE_INT8}};
static LadderQuery all_query = {.text = COMPONENTS_AT(ALL_COMPONENTS),.param = {VALUE_INT8}};
static LadderQuery given_query = {
	.text = COMPONENTS_AT(GIVEN_COMPONENTS),.param = {VALUE_INT8, COMPONENT_KEY_PARAMS}
};
static LadderQuery horizon_query = {
	.text = "SELECT {component columns h}, CAST(NULL AS pg_catalog.int8) FROM {component_horizon} AS h"
};

#define KNOWN_GAMES COMPONENT_NCOLUMNS	/* from 0, behind the columns of component */

static void
take_past(void *arg, QueryRow row)
{
	const ComponentsLoad *load = (const ComponentsLoad *) arg;
	BatchComponent *component = component_of_row(load->batch, row);

	/* Stored events of what the model does not have are surplus. */
	if (component == NULL)
		return;
	component->loaded = load->query != &horizon_query;
	component->exists = !row.null[COMPONENT_GAMES - 1];
	if (component->exists)
		(void) table_read(&component_table, load->batch->model, component->spec->nstate, row,
						  &component->record, component->state);
	if (!row.null[KNOWN_GAMES] && DatumGetInt64(row.value[KNOWN_GAMES]) > component->record.games)
		report_missing_events(load->ladder, DatumGetInt64(load->values[0]),
							  psprintf("component %s", component->spec->name));
}

void
components_load_at(Batch *batch, Ladder *ladder, int64 from, bool all)
{
	load_by(batch, ladder, all ? &all_query : &later_query, DATUMS(Int64GetDatum(from)), take_past);
}

void
components_load_match(Batch *batch, Ladder *ladder, int64 from)
{
	const BatchComponent **missing = palloc_array(const BatchComponent *, batch->match.ncomponents);
	Datum		values[1 + COMPONENT_KEY_NPARAMS];
	int			n = 0;
	int			i;

	for (i = 0; i < batch->match.ncomponents; i++)
		if (!batch->component[i]->loaded)
			missing[n++] = batch->component[i];
	if (n == 0)
		return;
	values[0] = Int64GetDatum(from);
	component_keys(ladder, missing, n, values + 1);
	load_by(batch, ladder, &given_query, values, take_past);
}

void
components_load_horizon(Batch *batch, Ladder *ladder)
{
	load_by(batch, ladder, &horizon_query, NULL, take_past);
}
