/*
 * component_states.c
 *		What a batch takes from a ladder of components.
 */
#include "pg/ladder/component_states.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/rating/match.h"
#include "pg/ladder/columns.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/sql/arrays.h"
#include "pg/sql/huge.h"
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
component_of_row(Batch *batch, const Datum *values, const bool *nulls)
{
	const MatchRules *rules = &batch->model->rules;
	bool		owned = !nulls[COMPONENT_PLAYER_ID - 1];
	BatchComponent *component = NULL;
	BatchPlayer *owner = NULL;
	char	   *name;
	char	   *pool;
	char	   *key;
	int			number;

	if (nulls[COMPONENT_KIND - 1] || nulls[COMPONENT_POOL - 1] || nulls[COMPONENT_KEY - 1])
		return NULL;
	name = TextDatumGetCString(values[COMPONENT_KIND - 1]);
	pool = TextDatumGetCString(values[COMPONENT_POOL - 1]);
	key = TextDatumGetCString(values[COMPONENT_KEY - 1]);
	number = match_component_kind(rules, name);
	if (number >= 0 && (rules->component[number].scope == COMPONENT_OF_PLAYER) == owned)
	{
		if (owned)
			owner = batch_player(batch, values[COMPONENT_PLAYER_ID - 1], pool);
		component = batch_component(batch, number, owner, pool, key);
	}
	pfree(name);
	pfree(pool);
	pfree(key);
	return component;
}

/* A batch that takes over rows of component. */
typedef struct ComponentsLoad
{
	Batch	   *batch;
	const Ladder *ladder;
} ComponentsLoad;

static void
take_component(void *arg, const Datum *values, const bool *nulls)
{
	const ComponentsLoad *load = (const ComponentsLoad *) arg;
	BatchComponent *component = component_of_row(load->batch, values, nulls);
	int			state = COMPONENT_STATE - 1;

	/* Loaded and not existing is one that has a row, and no state before the end of the batch. */
	if (component != NULL)
		component->loaded = true;
	if (component != NULL && !nulls[state] &&
		ARR_NDIM(DatumGetArrayTypeP(values[state])) == 0)
		return;
	if (component == NULL ||
		table_read(&component_table, load->batch->model, component->spec->nstate, values, nulls,
				   &component->record, component->state) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table component of ladder \"%s\" has a row that its model does not define",
						load->ladder->name),
				 errhint("SELECT * FROM skillrating.verify(%s) shows it.",
						 quote_literal_cstr(load->ladder->name))));
	component->exists = true;
}

/* Load components by a query. */
static void
load_by(Batch *batch, Ladder *ladder, LadderQuery *query, const Datum *values)
{
	ComponentsLoad load = {batch, ladder};

	(void) ladder_execute_each(ladder, query, values, NULL, take_component, &load);
}

static LadderQuery all_components_query = {
	.text = "SELECT {component columns c} FROM {component} AS c"
};

static LadderQuery some_components_query = {
	.text = "SELECT {component columns c} FROM {component} AS c WHERE c.player_id {player =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_PLAYER)}
};

void
all_components_open(RowReader *reader, Ladder *ladder)
{
	row_reader_open(reader, ladder, &all_components_query, NULL);
}

void
components_load_all(Batch *batch, Ladder *ladder)
{
	if (batch->nkinds > 0)
		load_by(batch, ladder, &all_components_query, NULL);
}

void
components_load_some(Batch *batch, Ladder *ladder, Datum *ids, int n)
{
	Datum		values[1];

	if (batch->nkinds == 0)
		return;
	values[0] = id_array(ladder->player_type, ids, n);
	load_by(batch, ladder, &some_components_query, values);
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
mark_created(void *arg, const Datum *values, const bool *nulls)
{
	BatchComponent *component = component_of_row((Batch *) arg, values, nulls);

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

/* What try_in_subtransaction() is to lock. */
typedef struct LockFree
{
	Batch	   *batch;
	Ladder	   *ladder;
	const Datum *values;
} LockFree;

static bool
lock_free(void *arg)
{
	LockFree   *lock = (LockFree *) arg;

	load_by(lock->batch, lock->ladder, &lock_free_query, lock->values);
	return true;
}

/*
 * Lock and load those that nobody else has locked.  Where a transaction keeps its snapshot, one
 * that others have changed since is like one that they have locked.
 */
static void
lock_free_components(Batch *batch, Ladder *ladder, const Datum *values)
{
	LockFree	lock = {batch, ladder, values};
	ErrorData  *error;
	bool		done;

	if (!IsolationUsesXactSnapshot())
	{
		(void) lock_free(&lock);
		return;
	}
	error = try_in_subtransaction(lock_free, &lock, &done);
	if (error != NULL && error->sqlerrcode != ERRCODE_T_R_SERIALIZATION_FAILURE)
		ReThrowError(error);
	if (error != NULL)
		FreeErrorData(error);
}

/* Error unless all that are wanted and have a row are loaded. */
static void
check_loaded(const Batch *batch, const Ladder *ladder)
{
	int			nwanted = 0;
	int			nloaded = 0;
	int			i;

	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->wanted && batch->components[i]->player == NULL)
		{
			nwanted++;
			nloaded += batch->components[i]->loaded;
		}
	if (nloaded < nwanted)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" shows %d of %d components", ladder->name, nloaded, nwanted),
				 errhint("Row-level security or a trigger on table component hides rows from the ladder's owner.")));
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
	check_loaded(batch, ladder);
}

void
components_peek(Batch *batch, Ladder *ladder)
{
	Datum		values[COMPONENT_KEY_NPARAMS];

	if (wanted_keys(batch, ladder, WANTED_ALL, values) > 0)
		load_by(batch, ladder, &components_query, values);
}
