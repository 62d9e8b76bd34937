/*
 * starting_ratings.c
 *		Players whom a history finds in a state.
 */
#include "pg/matches/starting_ratings.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_starting_rating);

/* A row, and the player of the batch that is made of it. */
typedef struct StartingRating
{
	Datum		values[FINAL_NCOLUMNS];
	bool		nulls[FINAL_NCOLUMNS];
	BatchPlayer *player;
} StartingRating;

/* The player of a row in a message. */
static const char *
row_player(const StartingRating *row)
{
	return TextDatumGetCString(row->values[FINAL_PLAYER]);
}

/* The player of a row, whom no other row must have made. */
static BatchPlayer *
make_player(Rater *rater, const StartingRating *row)
{
	IdType	   *type = &rater->rules->player_type;
	const char *pool = row->nulls[FINAL_POOL] ? "" :
		TextDatumGetCString(row->values[FINAL_POOL]);
	BatchPlayer *player;
	Datum		id;

	if (row->nulls[FINAL_PLAYER])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("player_id of a starting rating must not be null")));
	if (rater->batch->shares && strcmp(pool, SHARED_POOL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg(RESERVED_POOL_DETAIL)));
	id = InputFunctionCall(&type->input, unconstify(char *, row_player(row)),
						   type->input_param, -1);
	player = batch_player(rater->batch, id, pool);
	if (player->exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s has two starting ratings in pool \"%s\"",
						row_player(row), pool)));
	player->exists = true;
	return player;
}

/* Take the columns of a state that are given; the others stay initial. */
static void
take_columns(const Model *model, const StartingRating *row, double *state)
{
	ArrayType  *array = DatumGetArrayTypeP(row->values[FINAL_STATE]);
	Datum	   *column;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &column, &null, &n);
	if (n > model->nstate || ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("state of player %s has %d columns, and not %d at most",
						row_player(row), n, model->nstate),
				 errhint("They are the state columns of model \"%s\", see models().",
						 model->name)));
	for (i = 0; i < n; i++)
		if (!null[i])
			state[i] = DatumGetFloat8(column[i]);
}

/* The state of a row: its columns, or mu and the deviation of it. */
static void
take_state(const Batch *batch, const StartingRating *row, double *state)
{
	const Model *model = batch->model;
	int			deviation = model_state_column(model, ROLE_DEVIATION);
	int			i;

	if (!row->nulls[FINAL_STATE])
		take_columns(model, row, state);
	else
	{
		if (!row->nulls[FINAL_MU])
			state[0] = DatumGetFloat8(row->values[FINAL_MU]);
		if (!row->nulls[FINAL_DEVIATION] && deviation < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s has a deviation, which model \"%s\" does not know",
							row_player(row), model->name)));
		if (!row->nulls[FINAL_DEVIATION])
			state[deviation] = DatumGetFloat8(row->values[FINAL_DEVIATION]);
	}
	for (i = 0; i < model->nstate; i++)
		if (!isfinite(state[i]) || state[i] < model->state[i].min)
			report_match_status(MATCH_BAD_STATE, state[i], row_player(row));
}

/* A count of a row, 0 by default. */
static int64
row_count(const StartingRating *row, int column, const char *name)
{
	int64		count = row->nulls[column] ? 0 : DatumGetInt64(row->values[column]);

	if (count < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s of player %s must not be negative: " INT64_FORMAT, name,
						row_player(row), count)));
	return count;
}

/* A time of a row, and another one where it has none. */
static TimestampTz
row_time(const StartingRating *row, int column, const char *name, TimestampTz otherwise)
{
	TimestampTz at;

	if (row->nulls[column])
		return otherwise;
	at = DatumGetTimestampTz(row->values[column]);
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("%s of player %s must be finite, not %s", name, row_player(row),
						timestamptz_to_str(at))));
	return at;
}

static void
take_record(const StartingRating *row, PlayerRecord *record)
{
	record->games = row_count(row, FINAL_GAMES, "games");
	record->wins = row_count(row, FINAL_WINS, "wins");
	record->draws = row_count(row, FINAL_DRAWS, "draws");
	record->losses = row_count(row, FINAL_LOSSES, "losses");
	record->last_played = row_time(row, FINAL_LAST_PLAYED, "last_played", DT_NOBEGIN);
	record->as_of = row_time(row, FINAL_AS_OF, "as_of", record->last_played);
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
	shared->exists = true;
	shared->record.games += player->record.games;
	shared->record.wins += player->record.wins;
	shared->record.draws += player->record.draws;
	shared->record.losses += player->record.losses;
	shared->record.last_played = Max(shared->record.last_played,
									 player->record.last_played);
	shared->record.as_of = Max(shared->record.as_of, player->record.as_of);
}

/* In the order of the times as of which states are, and of pools. */
static int
compare_by_time(const void *a, const void *b)
{
	const BatchPlayer *x = ((const StartingRating *) a)->player;
	const BatchPlayer *y = ((const StartingRating *) b)->player;

	if (x->record.as_of != y->record.as_of)
		return x->record.as_of < y->record.as_of ? -1 : 1;
	return strcmp(x->pool, y->pool);
}

void
rater_start(Rater *rater, Datum ratings)
{
	Batch	   *batch = rater->batch;
	MemoryContext old = MemoryContextSwitchTo(rater->context);
	ArrayType  *array = DatumGetArrayTypeP(ratings);
	TupleDesc	desc = NULL;
	StartingRating *row;
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &element,
					  &null, &n);
	row = palloc_array(StartingRating, n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (null[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a starting rating must not be null")));
		composite_columns(element[i], &desc, rater->context, FINAL_NCOLUMNS,
						  row[i].values, row[i].nulls);
		row[i].player = make_player(rater, &row[i]);
		take_state(batch, &row[i], row[i].player->state);
		take_record(&row[i], &row[i].player->record);
		if (!row[i].nulls[FINAL_AS_OF_SEASON] &&
			(!rater->season.known ||
			 rater->season.number < DatumGetInt64(row[i].values[FINAL_AS_OF_SEASON])))
		{
			rater->season.known = true;
			rater->season.number = DatumGetInt64(row[i].values[FINAL_AS_OF_SEASON]);
		}
	}
	if (batch->shares)
	{
		/* The latest tells what they share. */
		qsort(row, n, sizeof(StartingRating), compare_by_time);
		for (i = 0; i < n; i++)
			add_to_shared(batch->model, row[i].player);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(rater->context);
}

/*
 * starting_rating(player_id, mu, deviation, state, pool, games, last_played, as_of_season)
 */
Datum
skillrating_starting_rating(PG_FUNCTION_ARGS)
{
	/* The column of each argument. */
	static const int columns[] = {
		FINAL_PLAYER, FINAL_MU, FINAL_DEVIATION, FINAL_STATE, FINAL_POOL, FINAL_GAMES,
		FINAL_LAST_PLAYED, FINAL_AS_OF_SEASON
	};
	Datum		values[FINAL_NCOLUMNS] = {0};
	bool		nulls[FINAL_NCOLUMNS];
	int			i;

	memset(nulls, true, sizeof(nulls));
	for (i = 0; i < (int) lengthof(columns); i++)
	{
		values[columns[i]] = PG_GETARG_DATUM(i);
		nulls[columns[i]] = PG_ARGISNULL(i);
	}
	if (!nulls[FINAL_PLAYER])
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
		Oid			output;
		bool		is_varlena;

		getTypeOutputInfo(type, &output, &is_varlena);
		values[FINAL_PLAYER] =
			CStringGetTextDatum(OidOutputFunctionCall(output, values[FINAL_PLAYER]));
	}
	return return_row(fcinfo, values, nulls);
}
