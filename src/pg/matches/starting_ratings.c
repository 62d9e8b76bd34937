/*
 * starting_ratings.c
 *		Players whom a history finds in a state.
 */
#include "pg/matches/starting_ratings.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/matches/starting_columns.h"
#include "pg/sql/composite.h"

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
	id = id_from_text(type, row_player(row), "player_id");
	player = batch_player(rater->batch, id, pool);
	if (player->exists)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s has two starting ratings in pool \"%s\"",
						row_player(row), pool)));
	player->exists = true;
	return player;
}

/* The state of a row: its columns, or mu and the deviation of it. */
static void
take_state(const Batch *batch, const StartingRating *row, double *state)
{
	const Model *model = batch->model;
	int			deviation = model_state_column(model, ROLE_DEVIATION);
	int			i;

	/* Columns that are not given keep the initial state of a new player. */
	if (!row->nulls[FINAL_STATE])
		state_column(row->values[FINAL_STATE], model->nstate, state);
	else
	{
		if (!row->nulls[FINAL_MU])
			state[0] = DatumGetFloat8(row->values[FINAL_MU]);
		if (!row->nulls[FINAL_DEVIATION] && deviation < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("model \"%s\" has no deviation", model->name)));
		if (!row->nulls[FINAL_DEVIATION])
			state[deviation] = DatumGetFloat8(row->values[FINAL_DEVIATION]);
	}
	for (i = 0; i < model->nstate; i++)
		if (!state_value_valid(&model->state[i], state[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" of a starting rating is not sound: %g",
							model->state[i].name, state[i]),
					 errhint("States are finite and within the range of the model; see skillrating.models().")));
}

static void
take_record(const StartingRating *row, PlayerRecord *record)
{
	const Datum *values = row->values;
	const bool *nulls = row->nulls;

	record->games = count_column(values[FINAL_GAMES], nulls[FINAL_GAMES], "games");
	record->wins = count_column(values[FINAL_WINS], nulls[FINAL_WINS], "wins");
	record->draws = count_column(values[FINAL_DRAWS], nulls[FINAL_DRAWS], "draws");
	record->losses = count_column(values[FINAL_LOSSES], nulls[FINAL_LOSSES], "losses");
	record->last_played = time_column(values[FINAL_LAST_PLAYED], nulls[FINAL_LAST_PLAYED],
									  "last_played", DT_NOBEGIN);
	record->as_of = time_column(values[FINAL_AS_OF], nulls[FINAL_AS_OF], "as_of",
								record->last_played);
	record->fixed = !nulls[FINAL_FIXED] && DatumGetBool(values[FINAL_FIXED]);
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
	const BatchPlayer *x = ((const StartingRating *) a)->player;
	const BatchPlayer *y = ((const StartingRating *) b)->player;

	if (x->record.as_of != y->record.as_of)
		return x->record.as_of < y->record.as_of ? -1 : 1;
	return strcmp(x->pool, y->pool);
}

static void
starting_rating_context(void *arg)
{
	const StartingRating *row = (const StartingRating *) arg;

	if (!row->nulls[FINAL_PLAYER])
		errcontext("starting rating of player %s", row_player(row));
}

/* Read a row, and put its player into the rater. */
static void
start_player(Rater *rater, StartingRating *row)
{
	ErrorContextCallback callback;

	callback.callback = starting_rating_context;
	callback.arg = row;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	/*
	 * The callback stays on the stack until the end: an error of any column
	 * names the player. An error leaves by longjmp(), and whoever catches it
	 * restores the stack.
	 */
	row->player = make_player(rater, row);
	take_state(rater->batch, row, row->player->state);
	model_begin_rounds(rater->batch->model, rater->batch->params, row->player->state);
	take_record(row, &row->player->record);
	period_begin(rater->batch->model, rater->batch->params, row->player->record.as_of,
				 row->player->state);
	if (!row->nulls[FINAL_AS_OF_SEASON] &&
		(!rater->season.known ||
		 rater->season.number < DatumGetInt64(row->values[FINAL_AS_OF_SEASON])))
	{
		rater->season.known = true;
		rater->season.number = DatumGetInt64(row->values[FINAL_AS_OF_SEASON]);
	}
	error_context_stack = callback.previous;
}

void
rater_start(Rater *rater, Datum ratings)
{
	Batch	   *batch = rater->batch;
	MemoryContext old = MemoryContextSwitchTo(rater->context);
	TupleDesc	desc = NULL;
	StartingRating *row;
	Datum	   *element;
	int			n = row_elements(ratings, "start", &element);
	int			i;

	row = huge_array(StartingRating, n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		/*
		 * Columns live in the context of the rater, which is reset at the
		 * end: players of the batch have copies of what they keep.
		 */
		composite_columns(element[i], &desc, rater->context, FINAL_NCOLUMNS,
						  row[i].values, row[i].nulls);
		start_player(rater, &row[i]);
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
