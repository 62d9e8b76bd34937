/*
 * starting_states.c
 *		Players and components whom a history finds in a state.
 */
#include "pg/matches/rater.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/sql/composite.h"

/* The columns of the type final_rating. */
enum
{
	RATING_PLAYER,
	RATING_POOL,
	RATING_RATING,
	RATING_MU,
	RATING_DEVIATION,
	RATING_GAMES,
	RATING_WINS,
	RATING_DRAWS,
	RATING_LOSSES,
	RATING_LAST_PLAYED,
	RATING_STATE,
	RATING_AS_OF,
	RATING_AS_OF_SEASON,
	RATING_FIXED,
	RATING_NCOLUMNS
};

/* The columns of the type final_component. */
enum
{
	COMPONENT_KIND,
	COMPONENT_POOL,
	COMPONENT_KEY,
	COMPONENT_PLAYER,
	COMPONENT_MU,
	COMPONENT_DEVIATION,
	COMPONENT_GAMES,
	COMPONENT_LAST_PLAYED,
	COMPONENT_STATE,
	COMPONENT_AS_OF,
	COMPONENT_NCOLUMNS
};

/* A row of either type, and what is made of it. */
typedef struct StartingRow
{
	Datum		values[RATING_NCOLUMNS];
	bool		nulls[RATING_NCOLUMNS];
	BatchPlayer *player;		/* of a rating */
	const char *kind;			/* of a component; NULL: it is a rating */
	const ComponentSpec *spec;
	int			number;			/* of the kind in the model's rules */
} StartingRow;

/*
 * ---- Columns ----
 */

/*
 * The elements of an array of rows, and their number; error 22004, which names the argument,
 * if one is null.
 */
static int
row_elements(Datum array, const char *name, Datum **element)
{
	ArrayType  *rows = DatumGetArrayTypeP(array);
	int			n;

	if (array_contains_nulls(rows))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array %s must not contain nulls", name)));
	deconstruct_array(rows, ARR_ELEMTYPE(rows), -1, false, TYPALIGN_DOUBLE, element, NULL, &n);
	return n;
}

/* A text, "" for null. */
static const char *
text_column(const StartingRow *row, int column)
{
	return row->nulls[column] ? "" : TextDatumGetCString(row->values[column]);
}

/* A count, 0 if it is null; error 22003 if it is negative. */
static int64
count_column(const StartingRow *row, int column, const char *name)
{
	int64		count = row->nulls[column] ? 0 : DatumGetInt64(row->values[column]);

	if (count < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s must not be negative: " INT64_FORMAT, name, count)));
	return count;
}

/* A time, or another one if it is null; error 22008 if it is infinite. */
static TimestampTz
time_column(const StartingRow *row, int column, const char *name, TimestampTz otherwise)
{
	TimestampTz at = row->nulls[column] ? otherwise : DatumGetTimestampTz(row->values[column]);

	if (!row->nulls[column] && TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("%s must be finite, not %s", name, timestamptz_to_str(at))));
	return at;
}

/*
 * Put a state into the initial one, of nstate numbers: the elements of an array, or mu, which is
 * the first number of all states, and the deviation, the number with that index.  What is null or
 * missing at the end stays as it is.  Error 2202E for too many elements.
 */
static void
take_state(const StartingRow *row, int array, int mu, int deviation, int nstate, int index,
		   double *state)
{
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	if (row->nulls[array])
	{
		if (!row->nulls[mu])
			state[0] = DatumGetFloat8(row->values[mu]);
		if (!row->nulls[deviation] && index >= 0)
			state[index] = DatumGetFloat8(row->values[deviation]);
		return;
	}
	deconstruct_array(DatumGetArrayTypeP(row->values[array]), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &element, &null, &n);
	if (n > nstate || ARR_NDIM(DatumGetArrayTypeP(row->values[array])) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("state must have at most %d columns, and not %d", nstate, n),
				 errhint("They are the state columns of the model or the component, see models().")));
	for (i = 0; i < n; i++)
		if (!null[i])
			state[i] = DatumGetFloat8(element[i]);
}

static void
starting_context(void *arg)
{
	const StartingRow *row = (const StartingRow *) arg;

	if (row->kind != NULL)
		errcontext("starting component of kind \"%s\"", row->kind);
	else if (!row->nulls[RATING_PLAYER])
		errcontext("starting rating of player %s", text_column(row, RATING_PLAYER));
}

/*
 * ---- Players ----
 */

/* The player of a row, whom no other row must have made. */
static BatchPlayer *
make_player(Rater *rater, const StartingRow *row)
{
	const char *id = text_column(row, RATING_PLAYER);
	const char *pool = text_column(row, RATING_POOL);
	BatchPlayer *player;

	if (row->nulls[RATING_PLAYER])
		report_null("player_id of a starting rating");
	if (rater->batch->shares && strcmp(pool, SHARED_POOL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg(RESERVED_POOL_DETAIL)));
	player = batch_player(rater->batch,
						  id_from_text(&rater->player_type, id, "player_id"), pool);
	if (player->exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s has two starting ratings in pool \"%s\"", id, pool)));
	player->exists = true;
	return player;
}

/* The state of a row: its columns, or mu and the deviation of it. */
static void
take_player_state(const Model *model, const StartingRow *row, double *state)
{
	int			deviation = model_state_column(model, ROLE_DEVIATION);
	int			i;

	if (row->nulls[RATING_STATE] && !row->nulls[RATING_DEVIATION] && deviation < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no deviation", model->name)));
	take_state(row, RATING_STATE, RATING_MU, RATING_DEVIATION, model->nstate, deviation, state);
	for (i = 0; i < model->nstate; i++)
		if (!state_value_valid(&model->state[i], state[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" of a starting rating is not sound: %g",
							model->state[i].name, state[i]),
					 errhint("States are finite and within the range of the model; see skillrating.models().")));
}

/* Put the player of a row into the rater. */
static void
start_player(Rater *rater, StartingRow *row)
{
	const Batch *batch = rater->batch;
	BatchPlayer *player = make_player(rater, row);
	PlayerRecord *record = &player->record;

	row->player = player;
	take_player_state(batch->model, row, player->state);
	model_begin_rounds(batch->model, batch->params, player->state);
	record->games = count_column(row, RATING_GAMES, "games");
	record->wins = count_column(row, RATING_WINS, "wins");
	record->draws = count_column(row, RATING_DRAWS, "draws");
	record->losses = count_column(row, RATING_LOSSES, "losses");
	record->last_played = time_column(row, RATING_LAST_PLAYED, "last_played", DT_NOBEGIN);
	record->as_of = time_column(row, RATING_AS_OF, "as_of", record->last_played);
	record->fixed = !row->nulls[RATING_FIXED] && DatumGetBool(row->values[RATING_FIXED]);
	period_begin(batch->model, batch->params, record->as_of, player->state);
	if (!row->nulls[RATING_AS_OF_SEASON] &&
		(!rater->season.known ||
		 rater->season.number < DatumGetInt64(row->values[RATING_AS_OF_SEASON])))
	{
		rater->season.known = true;
		rater->season.number = DatumGetInt64(row->values[RATING_AS_OF_SEASON]);
	}
}

/* Add what a player has in one pool to the row of what pools share. */
static void
add_to_shared(const Model *model, const BatchPlayer *player)
{
	BatchPlayer *shared = player->shared;
	int			i;

	for (i = 0; i < model->nstate; i++)
		if (model->state[i].shared)
			shared->state[i] = player->state[i];

	/*
	 * Counts add up over pools, while times are those of the latest pool, as
	 * a ladder that has rated all of these matches itself would have them.
	 */
	shared->exists = true;
	shared->record.games += player->record.games;
	shared->record.wins += player->record.wins;
	shared->record.draws += player->record.draws;
	shared->record.losses += player->record.losses;
	shared->record.last_played = Max(shared->record.last_played,
									 player->record.last_played);
	shared->record.as_of = Max(shared->record.as_of, player->record.as_of);
	shared->record.fixed = player->record.fixed;
}

/* In the order of the times as of which states are, and of pools. */
static int
compare_by_time(const void *a, const void *b)
{
	const BatchPlayer *x = ((const StartingRow *) a)->player;
	const BatchPlayer *y = ((const StartingRow *) b)->player;

	if (x->record.as_of != y->record.as_of)
		return x->record.as_of < y->record.as_of ? -1 : 1;
	return strcmp(x->pool, y->pool);
}

void
rater_start(Rater *rater, Datum ratings)
{
	Batch	   *batch = rater->batch;
	MemoryContext old = MemoryContextSwitchTo(rater->context);
	TupleDesc	desc = NULL;
	StartingRow *row;
	Datum	   *element;
	int			n = row_elements(ratings, "start", &element);
	int			i;

	row = huge_array0(StartingRow, n);
	for (i = 0; i < n; i++)
	{
		ErrorContextCallback callback = {error_context_stack, starting_context, &row[i]};

		CHECK_FOR_INTERRUPTS();

		/*
		 * Columns live in the context of the rater, which is reset at the
		 * end: players of the batch have copies of what they keep.
		 */
		composite_columns(element[i], &desc, rater->context, RATING_NCOLUMNS,
						  row[i].values, row[i].nulls);
		error_context_stack = &callback;
		start_player(rater, &row[i]);
		error_context_stack = callback.previous;
	}
	if (batch->shares)
	{
		/* The latest tells what they share. */
		qsort(row, n, sizeof(StartingRow), compare_by_time);
		for (i = 0; i < n; i++)
			add_to_shared(batch->model, row[i].player);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(rater->context);
}

/*
 * ---- Components ----
 */

/* Find the kind of a row. */
static void
find_kind(const Model *model, StartingRow *row)
{
	const char *kind = text_column(row, COMPONENT_KIND);

	if (row->nulls[COMPONENT_KIND])
		report_null("kind of a starting component");

	/* Kinds that are not in use under the parameters are accepted as well. */
	row->number = match_component_kind(&model->rules, kind);
	if (row->number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no components of kind \"%s\"", model->name, kind),
				 errhint("See column components of skillrating.models('%s').", model->name)));
	row->kind = kind;
	row->spec = &model->rules.component[row->number];
}

/* The text in a column that must be there or must not; "" where it is not. */
static const char *
needed_column(const StartingRow *row, int column, const char *name, bool needed)
{
	if (row->nulls[column] && needed)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a starting component of kind \"%s\" must not be null",
						name, row->kind)));
	if (!row->nulls[column] && !needed)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a starting component of kind \"%s\" has no %s", row->kind, name)));
	return text_column(row, column);
}

/* Put the component of a row, which no other row must have made, into the batch. */
static void
start_component(Batch *batch, const StartingRow *row)
{
	const ComponentSpec *spec = row->spec;
	bool		of_player = spec->scope == COMPONENT_OF_PLAYER;
	const char *key = needed_column(row, COMPONENT_KEY, "key", spec->key != COMPONENT_BY_NOTHING);
	const char *id = needed_column(row, COMPONENT_PLAYER, "player_id", of_player);
	const char *pool = text_column(row, COMPONENT_POOL);
	BatchPlayer *player = NULL;
	BatchComponent *component;

	if (of_player)
		player = batch_player(batch, id_from_text(batch->player_type, id, "player_id"), pool);
	component = batch_component(batch, row->number, player, pool, key);
	if (component->exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a component of kind \"%s\" occurs twice", row->kind),
				 errdetail("Its key is \"%s\", its player_id \"%s\", and its pool \"%s\".",
						   key, id, pool)));
	component->exists = true;
	take_state(row, COMPONENT_STATE, COMPONENT_MU, COMPONENT_DEVIATION, spec->nstate,
			   component_state_column(spec, ROLE_DEVIATION), component->state);
	if (!component_state_valid(spec, component->state))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("state of a component of kind \"%s\" is not sound", row->kind)));
	component->record.games = count_column(row, COMPONENT_GAMES, "games");
	component->record.last_played =
		time_column(row, COMPONENT_LAST_PLAYED, "last_played", DT_NOBEGIN);
	component->record.as_of =
		time_column(row, COMPONENT_AS_OF, "as_of", component->record.last_played);
}

void
batch_start_components(Batch *batch, Datum components, const char *argument)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "skillrating starting components",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	TupleDesc	desc = NULL;
	Datum	   *element;
	int			n = row_elements(components, argument, &element);
	int			i;

	for (i = 0; i < n; i++)
	{
		StartingRow row = {.kind = NULL};
		ErrorContextCallback callback = {error_context_stack, starting_context, &row};

		CHECK_FOR_INTERRUPTS();

		/*
		 * Texts and identifiers of a row live until the end of this function;
		 * the batch copies what it keeps into its own context.
		 */
		composite_columns(element[i], &desc, context, COMPONENT_NCOLUMNS, row.values, row.nulls);
		find_kind(batch->model, &row);
		error_context_stack = &callback;
		start_component(batch, &row);
		error_context_stack = callback.previous;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
