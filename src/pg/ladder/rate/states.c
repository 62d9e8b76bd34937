/*
 * states.c
 *		What a batch takes from a ladder: states of players, and operations.
 *
 * Rows of players are locked by the query that reads them, in one order for all sessions.
 */
#include "pg/ladder/rate/states.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/sql/arrays.h"

/*
 * ---- Players ----
 */

/*
 * Rows for players who have none.  Most players are known, and looking first
 * costs less than to find the conflict; the conflict is for those who come
 * meanwhile.
 */
static void
append_initial_state(QueryDraft *draft)
{
	int			i;

	for (i = 0; i < draft->ladder->model->nstate; i++)
		appendStringInfo(&draft->sql, "$3[%d], ", i + 1);
}

static LadderQuery new_players_query = {
	.text = "INSERT INTO {rating} ({states}, player_id, pool) "
	"SELECT {initial_state}k.player_id, k.pool "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k(player_id, pool) "
	"WHERE NOT EXISTS (SELECT FROM {rating} AS r "
	"WHERE r.player_id {player =} k.player_id AND r.pool OPERATOR(pg_catalog.=) k.pool) "
	"ORDER BY k.player_id{player order}, k.pool COLLATE pg_catalog.\"C\" "
	"ON CONFLICT (player_id, pool) DO NOTHING RETURNING player_id, pool",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_FLOAT8)},
	.part = {"initial_state", append_initial_state}
};

/* The rows of players who are given by player_id and pool, locked or not. */
#define PLAYERS \
	"SELECT {rating columns r}, r.ctid FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k(player_id, pool) " \
	"JOIN {rating} AS r ON r.player_id {player =} k.player_id AND r.pool OPERATOR(pg_catalog.=) k.pool"

static LadderQuery peek_players_query = {
	.text = PLAYERS,
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

static LadderQuery lock_players_query = {
	.text = PLAYERS " ORDER BY r.player_id{player order}, r.pool COLLATE pg_catalog.\"C\" FOR NO KEY UPDATE OF r",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

/* The same of one pool, which is what nearly all batches have, in the order of the index. */
static LadderQuery lock_pool_players_query = {
	.text = "SELECT {rating columns r}, r.ctid FROM {rating} AS r "
	"WHERE r.player_id {player =} ANY ($1) AND r.pool OPERATOR(pg_catalog.=) $2 "
	"ORDER BY r.player_id{player order} FOR NO KEY UPDATE OF r",
	.param = {ARRAY_OF(VALUE_PLAYER), VALUE_TEXT}
};

/*
 * Players whom matches or operations have touched: those given, or all.  Work on operations plans for
 * many rows, by the values.
 */
static LadderQuery touched_players_query = {
	.text = "SELECT {rating columns r} FROM {rating} AS r "
	"WHERE (r.games OPERATOR(pg_catalog.>) 0 OR " RATING_HAS_EVENTS ") "
	"AND ($2 IS NULL OR r.player_id {player =} ANY ($2))",
	.param = {VALUE_TEXT, ARRAY_OF(VALUE_PLAYER)}
};

/* Error 22004: a column of rating is null that must not be. */
pg_noreturn static void
null_in_rating(const char *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("column \"%s\" of a rating is null", column)));
}

BatchPlayer *
rating_player(Batch *batch, QueryRow row)
{
	BatchPlayer *player;
	Datum		id;
	char	   *pool;

	/* The owner may have dropped the constraint. */
	if (row.null[0] || row.null[1])
		null_in_rating(row.null[0] ? "player_id" : "pool");
	id = next_datum(&row);
	pool = next_text(&row);
	player = batch_player(batch, id, pool);
	pfree(pool);
	return player;
}

/* Take over a row of rating as what a player has; of a locked one the last column is its place. */
static BatchPlayer *
take_rating(Batch *batch, QueryRow row)
{
	BatchPlayer *player = rating_player(batch, row);
	const char *missing = table_read(&rating_table, batch->model, batch->model->nstate, row,
									 &player->record, player->state);

	if (missing != NULL)
		null_in_rating(missing);
	player->exists = player->loaded = true;
	return player;
}

static void
take_seen_rating(void *arg, QueryRow row)
{
	(void) take_rating((Batch *) arg, row);
}

static void
take_locked_rating(void *arg, QueryRow row)
{
	Batch	   *batch = (Batch *) arg;
	BatchPlayer *player = take_rating(batch, row);

	player->place = *(ItemPointer) DatumGetPointer(row.value[RATING_NCOLUMNS + batch->model->nstate]);
}

StoredRow *
player_row(Batch *batch, BatchPlayer *player)
{
	if (player->stored == NULL)
		player->stored = MemoryContextAlloc(batch->context, offsetof(StoredRow, state) +
											batch->model->nstate * sizeof(double));
	player->loaded = true;
	return player->stored;
}

void
store_loaded_rows(Batch *batch)
{
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			i;

	for (i = 0; i < id_table_count(batch->players); i++)
		if (player[i]->loaded)
		{
			StoredRow  *row = player_row(batch, player[i]);

			row->found = !player[i]->created;
			row->record = player[i]->record;
			memcpy(row->state, player[i]->state, batch->model->nstate * sizeof(double));
		}
	pfree(player);
}

bool
same_row(const StoredRow *row, bool exists, const PlayerRecord *record, const double *state,
		 int nstate)
{
	if (row == NULL || !row->found)
		return !exists;

	/* A record has numbers of 64 bits alone, and so no padding to compare. */
	return exists && memcmp(&row->record, record, sizeof(PlayerRecord)) == 0 &&
		memcmp(row->state, state, nstate * sizeof(double)) == 0;
}

void
batch_load_touched(Batch *batch, Ladder *ladder, Datum *ids, int n)
{
	bool		nulls[2] = {false, ids == NULL};

	/* A plan that is kept would read everybody. */
	Assert(ladder->large);
	(void) ladder_execute_each(ladder, &touched_players_query,
							   DATUMS(batch_shared_pool(batch, &nulls[0]),
									  id_array(ladder->player_type, ids, n)),
							   nulls, take_seen_rating, batch);
}

/* The identifiers of players as an array. */
static Datum
player_ids(Ladder *ladder, BatchPlayer *const *player, int n)
{
	Datum	   *id = huge_array(Datum, n);
	Datum		array;
	int			i;

	for (i = 0; i < n; i++)
		id[i] = player[i]->id;
	array = id_array(ladder->player_type, id, n);
	pfree(id);
	return array;
}

void
player_arrays(Ladder *ladder, BatchPlayer *const *player, int n, Datum *values)
{
	const char **pool = huge_array(const char *, n);
	int			i;

	for (i = 0; i < n; i++)
		pool[i] = player[i]->pool;
	values[0] = player_ids(ladder, player, n);
	values[1] = text_array(pool, n);
	pfree(pool);
}

/* Mark a player who has got a row, which a trigger of the user's may have changed. */
static void
mark_created(void *arg, QueryRow row)
{
	if (!row.null[0] && !row.null[1])
		rating_player((Batch *) arg, row)->created = true;
}

/* Make rows with the initial state for those players who have none, and mark these; whether any. */
static bool
insert_new_players(Batch *batch, Ladder *ladder, BatchPlayer *const *player, int n)
{
	Datum		values[3];
	uint64		nrows;

	player_arrays(ladder, player, n, values);
	values[2] = float8_array(batch->initial, batch->model->nstate);

	/*
	 * Mirrors get the row when its match is rated: a new row alone says
	 * nothing yet.
	 */
	ladder->state->hidden_from_mirrors = true;
	nrows = ladder_execute_each(ladder, &new_players_query, values, NULL, mark_created, batch);
	ladder->state->hidden_from_mirrors = false;
	return nrows > 0;
}

/* The order in which everybody locks players, as lock_players_query has it. */
static int
compare_players(const void *a, const void *b, void *arg)
{
	const BatchPlayer *p = *(BatchPlayer *const *) a;
	const BatchPlayer *q = *(BatchPlayer *const *) b;
	int			order = id_compare((const IdType *) arg, p->id, q->id);

	return order != 0 ? order : strcmp(p->pool, q->pool);
}

void
sort_players(Ladder *ladder, BatchPlayer **player, int n)
{
	/*
	 * Every transaction locks players in this order, so that no two of them
	 * wait for each other.
	 */
	qsort_arg(player, n, sizeof(BatchPlayer *), compare_players, ladder->player_type);
}

BatchPlayer **
wanted_players(const Batch *batch, int *n)
{
	int			nplayers = id_table_count(batch->players);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			i;

	*n = 0;
	for (i = 0; i < nplayers; i++)
		if (player[i]->wanted)
			player[(*n)++] = player[i];
	return player;
}

void
batch_load(Batch *batch, Ladder *ladder)
{
	Datum		values[2];
	int			n;
	BatchPlayer **wanted = wanted_players(batch, &n);

	if (n == 0)
		return;
	player_arrays(ladder, wanted, n, values);
	(void) ladder_execute_each(ladder, &peek_players_query, values, NULL, take_seen_rating, batch);
}

/* Lock and load players; returns how many of them have a row. */
static uint64
lock_players(Batch *batch, Ladder *ladder, BatchPlayer **player, int n)
{
	bool		of_one_pool = !ladder->large;
	Datum		values[2];
	int			i;

	for (i = 1; i < n && of_one_pool; i++)
		of_one_pool = strcmp(player[i]->pool, player[0]->pool) == 0;
	if (of_one_pool)
	{
		values[0] = player_ids(ladder, player, n);
		values[1] = CStringGetTextDatum(player[0]->pool);
	}
	else
		player_arrays(ladder, player, n, values);
	return ladder_execute_each(ladder, of_one_pool ? &lock_pool_players_query : &lock_players_query,
							   values, NULL, take_locked_rating, batch);
}

bool
batch_lock(Batch *batch, Ladder *ladder, bool newcomers)
{
	int			n;
	BatchPlayer **wanted = wanted_players(batch, &n);
	uint64		nlocked = 0;
	bool		inserted;

	if (n == 0)
		return true;
	if (!newcomers && !ladder->cache->newcomers && !ladder->large)
	{
		nlocked = lock_players(batch, ladder, wanted, n);
		if (nlocked > 0)
			return nlocked == (uint64) n;
	}
	inserted = insert_new_players(batch, ladder, wanted, n);
	ladder->cache->newcomers = inserted;
	nlocked = lock_players(batch, ladder, wanted, n);
	if (nlocked != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" shows " UINT64_FORMAT " of %d players",
						ladder->name, nlocked, n),
				 errhint("Row-level security or a trigger on table rating hides players from the ladder's owner.")));
	return true;
}

void
report_missing_events(const Ladder *ladder, int64 from, const char *whose)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("events of %s before place " INT64_FORMAT " of ladder \"%s\" are missing",
					whose, from, ladder->name),
			 errdetail("History from there on cannot be replayed, because the states there are not known."),
			 errhint("Attach or restore the events, or make them again by catch_up() with rebuild => true; set_horizon() keeps the states before events are taken away.")));
}

/*
 * ---- Operations ----
 */

/* A number among the parameters of an operation; what its kind does not have is missing. */
#define NUMBER_OF(name, missing) \
	"COALESCE(CAST(pg_catalog.jsonb_object_field_text(o.params, '" name "') AS pg_catalog.float8), " missing ")"

#define FLAG_OF(name) \
	"COALESCE(CAST(pg_catalog.jsonb_object_field_text(o.params, '" name "') AS pg_catalog.bool), false)"

/* Changes of states from a seq on, but for players who are merged into others. */
static LadderQuery read_operations_query = {
	.text = "SELECT o.player_id, o.seq, o.kind, o.pool, o.at, o.reason, o.state, "
	NUMBER_OF("keep", "0") ", " NUMBER_OF("rate", "0") ", " NUMBER_OF("floor", "0") ", "
	NUMBER_OF("mean", "0") ", " NUMBER_OF("half_life_days", "0") ", "
	NUMBER_OF("amount", "0") ", " NUMBER_OF("peak", "'infinity'") ", " NUMBER_OF("grace_days", "0") ", "
	"CAST(pg_catalog.jsonb_object_field_text(o.params, 'counted_from') AS pg_catalog.timestamptz), "
	FLAG_OF("keep_deviations") ", " FLAG_OF("only_played") " "
	"FROM {operation} AS o WHERE " OPERATION_CHANGES_STATES
	" AND o.seq OPERATOR(pg_catalog.>=) $1 AND NOT EXISTS (SELECT FROM {operation} AS m "
	"WHERE m.kind IN ('merge') AND m.undone_at IS NULL AND m.player_id {player =} o.player_id) "
	"ORDER BY o.seq, o.player_id{player order}, o.pool COLLATE pg_catalog.\"C\"",
	.param = {VALUE_INT8}
};

/* The values of a state in the next column, NaN for those that it leaves, or NULL for null. */
static const double *
operation_values(const Ladder *ladder, QueryRow *row)
{
	double	   *value = palloc_array(double, ladder->model->nstate);
	bool		isnull = next_is_null(row);
	Datum		array = next_datum(row);
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	if (isnull)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(array), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &element, &null, &n);

	/*
	 * The owner can write to the table, and an array of another length would
	 * be read past its end.
	 */
	if (n != ladder->model->nstate)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operation of ladder \"%s\" has %d values for a state of %d",
						ladder->name, n, ladder->model->nstate)));
	for (i = 0; i < n; i++)
		value[i] = null[i] ? get_float8_nan() : DatumGetFloat8(element[i]);
	return value;
}

/* The kind that an operation has in the core. */
static OperationKind
operation_kind(const char *kind, const Operation *operation)
{
	if (strcmp(kind, "season") == 0)
		return OPERATION_SEASON;
	if (strcmp(kind, "decay") == 0)
		return operation->half_life_days > 0 ? OPERATION_REGRESSION :
			OPERATION_DECAY;
	if (strcmp(kind, "settle") == 0)
		return OPERATION_SETTLE;
	if (strcmp(kind, "reset") == 0)
		return OPERATION_RESET;
	if (strcmp(kind, "refund") == 0)
		return OPERATION_REFUND;
	if (strcmp(kind, "fix") == 0 || strcmp(kind, "unfix") == 0)
		return OPERATION_FIX;
	return OPERATION_SET;
}

/* Error unless an operation has what its kind needs; users can write the table. */
static void
check_operation(const Ladder *ladder, const LadderOperation *operation)
{
	OperationKind kind = operation->operation.kind;
	bool		of_player = kind == OPERATION_SET || kind == OPERATION_RESET ||
		kind == OPERATION_FIX || kind == OPERATION_REFUND;
	bool		of_pool = kind == OPERATION_SET || kind == OPERATION_REFUND;

	if ((of_player && !operation->has_player) || (of_pool && operation->pool == NULL) ||
		(kind == OPERATION_SET && operation->operation.value == NULL))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("operation " INT64_FORMAT " of ladder \"%s\" lacks its player, pool or state",
						operation->seq, ladder->name)));
}

/*
 * Texts and states of an operation are allocated one by one, in the current context of the caller,
 * which frees them together.
 */
static void
read_operation(const Ladder *ladder, QueryRow row, LadderOperation *operation)
{
	Operation  *core = &operation->operation;

	memset(operation, 0, sizeof(LadderOperation));
	operation->has_player = !next_is_null(&row);
	operation->player = next_id(&row, ladder->player_type);
	operation->seq = next_int64(&row);
	operation->kind = next_text(&row);
	operation->pool = next_text(&row);
	operation->at = next_time(&row);
	operation->reason = next_text(&row);
	core->value = operation_values(ladder, &row);
	core->keep = next_number(&row);
	core->rate = next_number(&row);
	core->floor = next_number(&row);
	core->mean = next_number(&row);
	core->half_life_days = next_number(&row);
	core->amount = next_number(&row);
	core->peak = next_number(&row);
	operation->grace_days = next_number(&row);
	operation->counted_from = next_time(&row);
	core->keep_deviations = next_bool(&row);
	operation->only_played = next_bool(&row);
	core->kind = operation_kind(operation->kind, core);
	core->fixed = strcmp(operation->kind, "fix") == 0;
	check_operation(ladder, operation);
}

LadderOperation *
read_operations(Ladder *ladder, int64 from, int *n)
{
	LadderOperation *operation = NULL;
	int			max = 0;
	RowReader	rows;

	*n = 0;
	for (row_reader_open(&rows, ladder, &read_operations_query, DATUMS(Int64GetDatum(from)));
		 rows.have_row; row_reader_next(&rows))
	{
		huge_array_grow_for_next(operation, LadderOperation, *n, max);
		read_operation(ladder, reader_row(&rows), &operation[(*n)++]);
	}
	row_reader_close(&rows);
	return operation;
}
