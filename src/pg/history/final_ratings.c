/*
 * final_ratings.c
 *		The aggregates final_ratings() and final_components(): what is known of players, and of
 *		components, at the end of a history.
 */
#include "pg/sql/aggregate.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/history/options.h"
#include "pg/matches/inputs.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/* The function, in messages. */
#define FINAL_RATINGS "final_ratings"

/* The state of both. */
typedef struct FinalRatings
{
	OptionsState head;
	ParticipantArguments rows;
	Rater	   *rater;
} FinalRatings;

/* The arguments of final_ratings(), which has them up to rank, up to the options, or all. */
enum
{
	FINAL_ARG_MODEL = 1,
	FINAL_ARG_MATCH,
	FINAL_ARG_PLAYER,
	FINAL_ARG_TEAM,
	FINAL_ARG_RANK,
	FINAL_ARG_INPUTS,
	FINAL_ARG_OPTIONS,
	FINAL_ARG_START,
	FINAL_ARG_START_COMPONENTS
};

static void *
final_ratings_begin(FunctionCallInfo fcinfo, Jsonb *given)
{
	FinalRatings *state = palloc0_object(FinalRatings);
	char	   *model = text_argument(fcinfo, FINAL_ARG_MODEL, "model");
	HistoryOptions options;

	participant_arguments_init(&state->rows, fcinfo, FINAL_RATINGS, FINAL_ARG_MATCH, false);
	options = history_options(FINAL_RATINGS, &get_model(model)->params,
							  OPTION_STRICT | OPTION_SEASON, given);
	state->rater = rater_create(model, options.params, state->rows.player_type,
								&state->rows.match_type, options.strict);
	state->rater->season_rules = options.season;
	if (PG_NARGS() > FINAL_ARG_START && !PG_ARGISNULL(FINAL_ARG_START))
		rater_start(state->rater, PG_GETARG_DATUM(FINAL_ARG_START));
	if (PG_NARGS() > FINAL_ARG_START && !PG_ARGISNULL(FINAL_ARG_START_COMPONENTS))
		batch_start_components(state->rater->batch,
							   PG_GETARG_DATUM(FINAL_ARG_START_COMPONENTS),
							   "start_components");
	return state;
}

static void
final_ratings_error_context(void *arg)
{
	const SourceMatch *match = (const SourceMatch *) arg;

	errcontext("match %s", id_text(match->match_type, match->id));
}

/* Rate the match whose rows have all been read. */
static void
rate_match(FinalRatings *state)
{
	ErrorContextCallback callback = {error_context_stack, final_ratings_error_context, &state->rater->match};

	error_context_stack = &callback;
	rater_rate(state->rater);
	error_context_stack = callback.previous;
}

/*
 * final_ratings(model, match_id, player_id, team, rank
 *		[, inputs, options [, start, start_components]])
 */
SQL_FUNCTION(skillrating_final_ratings_transition)
{
	FinalRatings *state = options_state(fcinfo, FINAL_RATINGS, FINAL_ARG_OPTIONS,
										final_ratings_begin);
	MemoryContext old = MemoryContextSwitchTo(aggregate_context(fcinfo, FINAL_RATINGS));

	if (participant_arguments_read(&state->rows, fcinfo))
	{
		if (state->rater->match.number > 0)
			rate_match(state);
		rater_begin(state->rater, state->rows.values, state->rows.nulls);
	}
	(void) rater_add(state->rater, state->rows.values, state->rows.nulls);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- Ratings ----
 */

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
	ResultRow	row = {0};

	row_array_begin_row(rows);
	final_state(batch, player, state);
	put_text(&row, id_text(batch->player_type, player->id));
	put_text(&row, player->pool);
	put_number(&row, rating->rating);
	put_number(&row, state[0]);
	put_number(&row, deviation >= 0 ? state[deviation] : NAN);
	put_int64(&row, record->games);
	put_int64(&row, record->wins);
	put_int64(&row, record->draws);
	put_int64(&row, record->losses);
	put_time(&row, record->last_played);
	put_datum(&row, float8_array(state, batch->model->nstate), false);
	put_time(&row, record->as_of);
	put_datum(&row, Int64GetDatum(rater->season.number), !rater->season.known);
	put_bool(&row, record->fixed != 0);
	row_array_add(rows, &row);
}

SQL_FUNCTION(skillrating_final_ratings_final)
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
	rate_match(state);

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

/*
 * ---- Components ----
 */

/* By kind, in the order of the model's, pool, key and player. */
static int
compare_components(const void *a, const void *b, void *arg)
{
	const BatchComponent *x = *(BatchComponent *const *) a;
	const BatchComponent *y = *(BatchComponent *const *) b;
	int			result = x->number - y->number;

	if (result == 0)
		result = strcmp(x->pool, y->pool);
	if (result == 0)
		result = strcmp(x->key, y->key);
	if (result == 0 && x->player != NULL)
		result = id_compare((const IdType *) arg, x->player->id, y->player->id);
	return result;
}

static void
add_component(RowArray *rows, Batch *batch, const BatchComponent *component)
{
	const ComponentSpec *spec = component->spec;
	int			deviation = component_state_column(spec, ROLE_DEVIATION);
	ResultRow	row = {0};

	row_array_begin_row(rows);
	put_text(&row, spec->name);
	put_text(&row, component->pool);
	put_text(&row, spec->key == COMPONENT_BY_NOTHING ? NULL : component->key);
	put_text(&row, component->player == NULL ? NULL :
			 id_text(batch->player_type, component->player->id));
	put_number(&row, component->state[0]);
	put_number(&row, deviation >= 0 ? component->state[deviation] : NAN);
	put_int64(&row, component->record.games);
	put_time(&row, component->record.last_played);
	put_datum(&row, float8_array(component->state, spec->nstate), false);
	put_time(&row, component->record.as_of);
	row_array_add(rows, &row);
}

SQL_FUNCTION(skillrating_final_components_final)
{
	FinalRatings *state = aggregate_state(fcinfo, "final_components");
	Batch	   *batch;
	BatchComponent **component;
	RowArray	rows;
	int			n = 0;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	rate_match(state);
	batch = state->rater->batch;
	component = huge_array(BatchComponent *, batch->ncomponents);

	/* Others were in no match that counts. */
	for (i = 0; i < batch->ncomponents; i++)
		if (batch->components[i]->exists)
			component[n++] = batch->components[i];
	if (n > 1)
		qsort_arg(component, n, sizeof(BatchComponent *), compare_components,
				  batch->player_type);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_component(&rows, batch, component[i]);
	}
	return return_row_array(&rows);
}
