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

/*
 * ---- Keys ----
 */

ComponentKeys
component_keys_make(int max)
{
	ComponentKeys keys = {palloc_array(const BatchComponent *, Max(max, 1)), 0};

	return keys;
}

void
component_keys_add(ComponentKeys *keys, const BatchComponent *component)
{
	keys->component[keys->n++] = component;
}

void
component_keys_values(const ComponentKeys *keys, const Ladder *ladder, Datum *values)
{
	const IdType *type = ladder->player_type;
	int			n = keys->n;
	const char **kind = huge_array(const char *, n);
	const char **pool = huge_array(const char *, n);
	const char **key = huge_array(const char *, n);
	Datum	   *player = huge_array0(Datum, n);
	bool	   *unowned = huge_array(bool, n);
	int			lower_bound = 1;
	int			i;

	for (i = 0; i < n; i++)
	{
		const BatchComponent *component = keys->component[i];

		kind[i] = component->spec->name;
		pool[i] = component->pool;
		key[i] = component->key;
		unowned[i] = component->player == NULL;
		if (!unowned[i])
			player[i] = component->player->id;
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

bool
read_component_state(const BatchComponent *component, Datum array, bool isnull,
					 double *state)
{
	int			n = component->spec->nstate;
	ArrayType  *values;

	if (isnull)
		return false;

	/*
	 * An owner may have written anything into the column; a wrong size must
	 * not be copied over the end of the state.
	 */
	values = DatumGetArrayTypeP(array);
	if (ARR_NDIM(values) != 1 || ARR_DIMS(values)[0] != n || ARR_HASNULL(values))
		return false;
	memcpy(state, ARR_DATA_PTR(values), n * sizeof(double));
	return true;
}

/* Whether a row has no state yet, which is only until the end of the batch. */
static bool
is_empty_state(Datum array, bool isnull)
{
	return !isnull && ARR_NDIM(DatumGetArrayTypeP(array)) == 0;
}

pg_noreturn static void
report_bad_row(const Ladder *ladder)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table component of ladder \"%s\" has a row that its model does not define",
					ladder->name),
			 errhint("SELECT * FROM skillrating.verify(%s) shows it.",
					 quote_literal_cstr(ladder->name))));
}

bool
component_row_read(const BatchComponent *component, const Datum *values, const bool *nulls,
				   ComponentRecord *record, double *state)
{
	return component_read(values, nulls, record) &&
		read_component_state(component, values[COMPONENT_STATE - 1], nulls[COMPONENT_STATE - 1],
							 state);
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

	if (component == NULL)
		report_bad_row(load->ladder);

	/*
	 * Loaded and not existing is a component that this transaction has made a
	 * row for and not yet written.
	 */
	component->loaded = true;
	if (is_empty_state(values[COMPONENT_STATE - 1], nulls[COMPONENT_STATE - 1]))
		return;
	if (!component_row_read(component, values, nulls, &component->record, component->state))
		report_bad_row(load->ladder);
	component->exists = true;
}

/* Load components by a query; returns how many rows there were. */
static uint64
load_by(Batch *batch, Ladder *ladder, LadderQuery *query, const Datum *values)
{
	ComponentsLoad load = {batch, ladder};

	return ladder_execute_each(ladder, query, values, NULL, take_component, &load);
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
	if (batch->nkinds == 0)
		return;
	(void) load_by(batch, ladder, &all_components_query, NULL);
}

void
components_load_some(Batch *batch, Ladder *ladder, Datum *ids, int n)
{
	Datum		values[1];

	if (batch->nkinds == 0)
		return;
	values[0] = id_array(ladder->player_type, ids, n);
	(void) load_by(batch, ladder, &some_components_query, values);
}

/*
 * ---- Those of a batch ----
 */

/*
 * The rows of components that are given by their keys.  Each is looked up by its whole key:
 * OFFSET 0, like a row lock, keeps the planner from turning the subquery into a join, for
 * which it might read all rows without an owner.
 */
#define SAME_KEYS \
	"c.kind OPERATOR(pg_catalog.=) k.kind AND c.pool OPERATOR(pg_catalog.=) k.pool " \
	"AND c.key OPERATOR(pg_catalog.=) k.key"
#define UNOWNED_KEYS \
	"ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) AS k(kind, pool, key)"
#define OWNED_KEYS \
	"ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) AS k(kind, pool, key, player_id)"
#define IN_ORDER \
	"ORDER BY k.key COLLATE pg_catalog.\"C\", k.kind COLLATE pg_catalog.\"C\", k.pool COLLATE pg_catalog.\"C\""
#define IS_KNOWN \
	"EXISTS (SELECT FROM {component} AS c WHERE c.player_id IS NULL AND " SAME_KEYS " OFFSET 0)"
#define ROWS_OF(keys, owner_is, lock) \
	"SELECT {component columns c} FROM " keys " CROSS JOIN LATERAL (SELECT {component columns c} " \
	"FROM {component} AS c WHERE c.player_id " owner_is " AND " SAME_KEYS " " lock ") AS c"

static LadderQuery peek_unowned_query = {
	.text = ROWS_OF(UNOWNED_KEYS, "IS NULL", "OFFSET 0"),
	.param = {ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT)}
};

/* Locks components if all of them are known, and otherwise returns none of them. */
static LadderQuery lock_unowned_query = {
	.text = ROWS_OF("(SELECT k.kind, k.pool, k.key FROM " UNOWNED_KEYS " WHERE (SELECT pg_catalog.count(*) FROM "
					UNOWNED_KEYS " WHERE " IS_KNOWN ") OPERATOR(pg_catalog.=) pg_catalog.cardinality($1) "
					IN_ORDER ") AS k", "IS NULL", "FOR NO KEY UPDATE OF c"),
	.param = {ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT)}
};

/* Locks those that nobody else has locked, and returns these. */
static LadderQuery lock_free_query = {
	.text = ROWS_OF(UNOWNED_KEYS, "IS NULL", "FOR NO KEY UPDATE OF c SKIP LOCKED"),
	.param = {ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT)}
};

static LadderQuery owned_query = {
	.text = ROWS_OF(OWNED_KEYS, "{player =} k.player_id", "OFFSET 0"),
	.param = {ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_PLAYER)}
};

/* Rows for components without an owner; the state comes when they are written. */
static LadderQuery new_components_query = {
	.text = "INSERT INTO {component} (kind, pool, key, state) "
	"SELECT k.kind, k.pool, k.key, CAST(ARRAY[] AS pg_catalog.float8[]) "
	"FROM " UNOWNED_KEYS " "
	"WHERE NOT " IS_KNOWN " "
	IN_ORDER " ON CONFLICT (player_id, kind, pool, key) DO NOTHING RETURNING player_id, kind, pool, key",
	.param = {ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT)}
};

/* Mark a component that has got a row, which a trigger of the user's may have changed. */
static void
mark_created(void *arg, const Datum *values, const bool *nulls)
{
	BatchComponent *component = component_of_row((Batch *) arg, values, nulls);

	if (component != NULL)
		component->created = true;
}

/* Make rows for those components without an owner that have none, and mark these. */
static void
insert_new_components(Batch *batch, Ladder *ladder, const Datum *values)
{
	(void) ladder_execute_each(ladder, &new_components_query, values, NULL, mark_created, batch);
}

/* Of those that are wanted, the ones that a transaction waits for, by their keys, and others. */
typedef enum WantedComponents
{
	WANTED_OWNED,				/* of players */
	WANTED_UNKEYED,
	WANTED_KEYED,
	WANTED_GIVEN				/* that a match may be given */
} WantedComponents;

static WantedComponents
want_of(const BatchComponent *component)
{
	if (component->player != NULL)
		return WANTED_OWNED;
	if (component_can_be_given(component))
		return WANTED_GIVEN;
	return component->key[0] != '\0' ? WANTED_KEYED : WANTED_UNKEYED;
}

#define OF(want) (1 << (want))

/* The components that are wanted, of a set of these, and that are loaded or not. */
static ComponentKeys
wanted_components(const Batch *batch, int set, bool loaded)
{
	ComponentKeys keys = component_keys_make((int) batch->ncomponents);
	int64		i;

	for (i = 0; i < batch->ncomponents; i++)
	{
		const BatchComponent *component = batch->components[i];

		if (component->wanted && (set & OF(want_of(component))) != 0 &&
			(loaded || !component->loaded))
			component_keys_add(&keys, component);
	}
	return keys;
}

static void
report_hidden(const Ladder *ladder, uint64 nrows, int n)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("ladder \"%s\" shows " UINT64_FORMAT " of %d components",
					ladder->name, nrows, n),
			 errhint("Row-level security or a trigger on table component hides rows from the ladder's owner.")));
}

/* Make rows for those of the components that have none, then lock and load them all. */
static void
make_and_lock_unowned(Batch *batch, Ladder *ladder, const ComponentKeys *keys)
{
	Datum		values[COMPONENT_KEY_NPARAMS];
	uint64		nrows;

	if (keys->n == 0)
		return;
	component_keys_values(keys, ladder, values);
	insert_new_components(batch, ladder, values);

	/*
	 * The INSERT may have waited for another transaction that made the same
	 * rows: they are there now and get locked like all others, in the order
	 * of their keys.
	 */
	nrows = load_by(batch, ladder, &lock_unowned_query, values);
	if (nrows != (uint64) keys->n)
		report_hidden(ladder, nrows, keys->n);
}

void
components_lock_unowned(Batch *batch, Ladder *ladder)
{
	ComponentKeys all;
	Datum		values[COMPONENT_KEY_NPARAMS];
	WantedComponents want;

	all = wanted_components(batch, OF(WANTED_GIVEN), true);
	if (all.n > 0)
	{
		component_keys_values(&all, ladder, values);
		insert_new_components(batch, ladder, values);
	}
	all = wanted_components(batch, OF(WANTED_UNKEYED) | OF(WANTED_KEYED), true);
	if (all.n == 0)
		return;

	/* Mostly all are there, and one statement finds that out and locks them. */
	component_keys_values(&all, ladder, values);
	if (load_by(batch, ladder, &lock_unowned_query, values) == (uint64) all.n)
		return;

	/* Nothing is locked yet. */
	for (want = WANTED_UNKEYED; want <= WANTED_KEYED; want++)
	{
		/*
		 * Components without a key first, in every transaction: with the
		 * order within each statement that gives one order of locks, so that
		 * no two transactions wait for each other.
		 */
		ComponentKeys keys = wanted_components(batch, OF(want), true);

		make_and_lock_unowned(batch, ladder, &keys);
	}
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

	(void) load_by(lock->batch, lock->ladder, &lock_free_query, lock->values);
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

void
components_lock_free(Batch *batch, Ladder *ladder)
{
	ComponentKeys keys;
	Datum		values[COMPONENT_KEY_NPARAMS];
	uint64		nrows;
	int64		i;

	keys = wanted_components(batch, OF(WANTED_GIVEN), true);
	if (keys.n == 0)
		return;
	component_keys_values(&keys, ladder, values);
	lock_free_components(batch, ladder, values);
	keys = wanted_components(batch, OF(WANTED_GIVEN), false);
	if (keys.n == 0)
		return;
	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->wanted && !batch->components[i]->loaded &&
			component_can_be_given(batch->components[i]))
			batch->components[i]->taken = true;
	component_keys_values(&keys, ladder, values);
	nrows = load_by(batch, ladder, &peek_unowned_query, values);
	if (nrows != (uint64) keys.n)
		report_hidden(ladder, nrows, keys.n);
}

void
components_load_owned(Batch *batch, Ladder *ladder)
{
	ComponentKeys keys;
	Datum		values[COMPONENT_KEY_NPARAMS];

	keys = wanted_components(batch, OF(WANTED_OWNED), true);
	if (keys.n == 0)
		return;
	component_keys_values(&keys, ladder, values);
	(void) load_by(batch, ladder, &owned_query, values);
}

void
components_peek(Batch *batch, Ladder *ladder)
{
	ComponentKeys keys;
	Datum		values[COMPONENT_KEY_NPARAMS];

	if (batch->ncomponents == 0)
		return;
	keys = wanted_components(batch, ~OF(WANTED_OWNED), true);
	if (keys.n > 0)
	{
		component_keys_values(&keys, ladder, values);
		(void) load_by(batch, ladder, &peek_unowned_query, values);
	}
	components_load_owned(batch, ladder);
}
