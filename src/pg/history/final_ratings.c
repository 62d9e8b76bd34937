/*
 * final_ratings.c
 *		The aggregate final_ratings(): the ratings at the end of a history.
 */
#include "pg/history/final_ratings.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/history/options.h"
#include "pg/matches/starting_components.h"
#include "pg/matches/starting_ratings.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/* The function, in messages. */
#define FINAL_RATINGS "final_ratings"

SKILLRATING_FUNCTION(skillrating_final_ratings_transition);
SKILLRATING_FUNCTION(skillrating_final_ratings_final);

/* The arguments of final_ratings(), which has them up to rank, up to the options, or all. */
enum
{
	FINAL_ARG_STATE,
	FINAL_ARG_MODEL,
	FINAL_ARG_MATCH,
	FINAL_ARG_PLAYER,
	FINAL_ARG_TEAM,
	FINAL_ARG_RANK,
	FINAL_ARG_INPUTS,
	FINAL_ARG_OPTIONS,
	FINAL_ARG_START,
	FINAL_ARG_START_COMPONENTS
};

static FinalRatings *
final_ratings_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FinalRatings *state = palloc0_object(FinalRatings);
	char	   *model;
	HistoryOptions options;

	if (PG_ARGISNULL(FINAL_ARG_MODEL))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	model = text_to_cstring(PG_GETARG_TEXT_PP(FINAL_ARG_MODEL));
	participant_arguments_init(&state->rows, fcinfo, FINAL_RATINGS, FINAL_ARG_MATCH, false);
	options = history_options(FINAL_RATINGS, &get_model(model)->params,
							  OPTION_STRICT | OPTION_SEASON,
							  options_argument(fcinfo, FINAL_ARG_OPTIONS));
	state->options = options.given;
	state->rater =
		rater_create(rater_rules(model, options.params, state->rows.player_type),
					 &state->rows.match_type, options.strict);
	state->rater->season_rules = options.season;
	if (PG_NARGS() > FINAL_ARG_START && !PG_ARGISNULL(FINAL_ARG_START))
		rater_start(state->rater, PG_GETARG_DATUM(FINAL_ARG_START));
	if (PG_NARGS() > FINAL_ARG_START && !PG_ARGISNULL(FINAL_ARG_START_COMPONENTS))
		batch_start_components(state->rater->batch,
							   PG_GETARG_DATUM(FINAL_ARG_START_COMPONENTS),
							   "start_components");
	MemoryContextSwitchTo(old);
	return state;
}

static void
final_ratings_error_context(void *arg)
{
	const SourceMatch *match = (const SourceMatch *) arg;

	errcontext("match %s", id_text(match->match_type, match->id));
}

void
final_ratings_rate(FinalRatings *state)
{
	ErrorContextCallback callback;

	callback.callback = final_ratings_error_context;
	callback.arg = &state->rater->match;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	rater_rate(state->rater);
	error_context_stack = callback.previous;
}

/*
 * final_ratings(model, match_id, player_id, team, rank
 *		[, inputs, options [, start, start_components]])
 */
Datum
skillrating_final_ratings_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "final_ratings");
	FinalRatings *state;
	MemoryContext old;

	state = PG_ARGISNULL(FINAL_ARG_STATE) ? final_ratings_begin(fcinfo, context) :
		(FinalRatings *) PG_GETARG_POINTER(FINAL_ARG_STATE);
	check_options_stay(fcinfo, FINAL_ARG_OPTIONS, state->options, FINAL_RATINGS);

	old = MemoryContextSwitchTo(context);
	if (participant_arguments_read(&state->rows, fcinfo))
	{
		if (state->rater->match.number > 0)
			final_ratings_rate(state);
		rater_begin(state->rater, state->rows.values, state->rows.nulls);
	}
	(void) rater_add(state->rater, state->rows.values, state->rows.nulls);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* The fewest bytes of a row, without the numbers of its state. */
#define FINAL_RATING_WIDTH \
	(MAXALIGN(SizeofHeapTupleHeader) + 6 * sizeof(float8) + ARR_OVERHEAD_NONULLS(1))

/* Highest rating first, then by player and pool. */
typedef struct FinalRating
{
	const BatchPlayer *player;
	double		rating;			/* what is shown */
} FinalRating;

static int
compare_final_ratings(const void *a, const void *b, void *arg)
{
	const FinalRating *x = (const FinalRating *) a;
	const FinalRating *y = (const FinalRating *) b;
	int			result;

	if (x->rating != y->rating)
		return x->rating > y->rating ? -1 : 1;
	result = id_compare((const IdType *) arg, x->player->id, y->player->id);
	return result != 0 ? result : strcmp(x->player->pool, y->player->pool);
}

/* The state of a player as a result has it, with what pools share. */
static void
final_state(const Batch *batch, const BatchPlayer *player, double *state)
{
	static const Period no_period = {0, 0};

	model_state_before(batch->model, batch->params, player->state, 0, no_period,
					   player->shared ? player->shared->state : NULL, 0, state);
}

/*
 * The rows of a result, in their order: *n of them.  Error 53200 before they are sorted if the
 * result would not fit into the memory limit.
 */
static FinalRating *
sorted_ratings(Batch *batch, int *n)
{
	const Model *model = batch->model;
	BatchPlayer **players = (BatchPlayer **) id_table_values(batch->players);
	int			count = id_table_count(batch->players);
	FinalRating *ratings = huge_array(FinalRating, count);
	int			i;

	*n = 0;
	for (i = 0; i < count; i++)
	{
		const BatchPlayer *player = players[i];
		double		state[MODEL_MAX_STATE];

		/* What pools share is with each of them. */
		if (!player->exists || (batch->shares && player->shared == NULL))
			continue;
		final_state(batch, player, state);
		ratings[*n].player = player;
		ratings[(*n)++].rating = model_display(model, batch->params, state);
	}
	pfree(players);
	row_array_reserve(*n, FINAL_RATING_WIDTH + model->nstate * sizeof(float8));
	qsort_arg(ratings, *n, sizeof(FinalRating), compare_final_ratings,
			  batch->player_type);
	return ratings;
}

static void
add_rating(RowArray *rows, const Rater *rater, const FinalRating *rating)
{
	Batch	   *batch = rater->batch;
	const BatchPlayer *player = rating->player;
	const PlayerRecord *record = &player->record;
	int			deviation = model_state_column(batch->model, ROLE_DEVIATION);
	double		state[MODEL_MAX_STATE];
	Datum		values[FINAL_NCOLUMNS];
	bool		nulls[FINAL_NCOLUMNS] = {false};

	row_array_begin_row(rows);
	final_state(batch, player, state);
	values[FINAL_PLAYER] = CStringGetTextDatum(id_text(batch->player_type, player->id));
	values[FINAL_POOL] = CStringGetTextDatum(player->pool);
	values[FINAL_RATING] = Float8GetDatum(rating->rating);
	values[FINAL_MU] = Float8GetDatum(state[0]);
	nulls[FINAL_DEVIATION] = deviation < 0;
	if (deviation >= 0)
		values[FINAL_DEVIATION] = Float8GetDatum(state[deviation]);
	values[FINAL_GAMES] = Int64GetDatum(record->games);
	values[FINAL_WINS] = Int64GetDatum(record->wins);
	values[FINAL_DRAWS] = Int64GetDatum(record->draws);
	values[FINAL_LOSSES] = Int64GetDatum(record->losses);
	values[FINAL_LAST_PLAYED] = TimestampTzGetDatum(record->last_played);
	nulls[FINAL_LAST_PLAYED] = TIMESTAMP_IS_NOBEGIN(record->last_played);
	values[FINAL_STATE] = float8_array(state, batch->model->nstate);
	values[FINAL_AS_OF] = TimestampTzGetDatum(record->as_of);
	nulls[FINAL_AS_OF] = TIMESTAMP_IS_NOBEGIN(record->as_of);
	values[FINAL_AS_OF_SEASON] = Int64GetDatum(rater->season.number);
	nulls[FINAL_AS_OF_SEASON] = !rater->season.known;
	values[FINAL_FIXED] = BoolGetDatum(record->fixed != 0);
	row_array_add(rows, values, nulls);
}

Datum
skillrating_final_ratings_final(PG_FUNCTION_ARGS)
{
	FinalRatings *state = aggregate_state(fcinfo, "final_ratings");
	Batch	   *batch;
	FinalRating *ratings;
	RowArray	rows;
	int			n;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	batch = state->rater->batch;
	final_ratings_rate(state);

	ratings = sorted_ratings(batch, &n);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_rating(&rows, state->rater, &ratings[i]);
	}
	pfree(ratings);
	return return_row_array(&rows);
}
