/*
 * final_ratings.c
 *		The aggregate final_ratings(): the ratings at the end of a history.
 */
#include "pg/history/final_ratings.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/matches/starting_components.h"
#include "pg/matches/starting_ratings.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_final_ratings_transition);
SKILLRATING_FUNCTION(skillrating_final_ratings_final);

/*
 * The arguments of final_ratings(): of several forms, where the params come with the
 * inputs or without, and what follows only with them.
 */
enum
{
	FINAL_ARG_STATE,
	FINAL_ARG_MODEL,
	FINAL_ARG_MATCH,
	FINAL_ARG_PLAYER,
	FINAL_ARG_TEAM,
	FINAL_ARG_RANK,
	FINAL_ARG_BEHIND_RANK,		/* see last_arguments() */
	FINAL_ARG_START = FINAL_ARG_BEHIND_RANK + 3,
	FINAL_ARG_START_COMPONENTS,
	FINAL_ARG_SEASON_KEEP,
	FINAL_ARG_SEASON_MEAN
};

/* Take what the arguments behind strict say, if the form that was called has them. */
static void
read_start(FunctionCallInfo fcinfo, Rater *rater)
{
	if (PG_NARGS() > FINAL_ARG_SEASON_MEAN)
		rater->season_rules =
			season_rules(PG_GETARG_DATUM(FINAL_ARG_SEASON_KEEP),
						 PG_ARGISNULL(FINAL_ARG_SEASON_KEEP),
						 PG_GETARG_DATUM(FINAL_ARG_SEASON_MEAN),
						 PG_ARGISNULL(FINAL_ARG_SEASON_MEAN));
	if (PG_NARGS() > FINAL_ARG_START && !PG_ARGISNULL(FINAL_ARG_START))
		rater_start(rater, PG_GETARG_DATUM(FINAL_ARG_START));
	if (PG_NARGS() > FINAL_ARG_START_COMPONENTS &&
		!PG_ARGISNULL(FINAL_ARG_START_COMPONENTS))
		batch_start_components(rater->batch, PG_GETARG_DATUM(FINAL_ARG_START_COMPONENTS),
							   "start_components");
}

static FinalRatings *
final_ratings_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FinalRatings *state = palloc0_object(FinalRatings);
	LastArguments last = last_arguments(fcinfo, FINAL_ARG_BEHIND_RANK);

	if (PG_ARGISNULL(FINAL_ARG_MODEL))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	participant_arguments_init(&state->rows, fcinfo, "final_ratings",
							   FINAL_ARG_MATCH, last.inputs, false);
	state->rater =
		rater_create(rater_rules(text_to_cstring(PG_GETARG_TEXT_PP(FINAL_ARG_MODEL)),
								 last.options >= 0 ? PG_GETARG_JSONB_P(last.options) : NULL,
								 state->rows.player_type),
					 &state->rows.match_type, last.strict);
	read_start(fcinfo, state->rater);
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
 * final_ratings(model, match_id, player_id, team, rank [[, inputs], params [, strict
 *		[, start [, start_components, season_keep, season_mean]]]])
 */
Datum
skillrating_final_ratings_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "final_ratings");
	FinalRatings *state;
	MemoryContext old;

	state = PG_ARGISNULL(FINAL_ARG_STATE) ? final_ratings_begin(fcinfo, context) :
		(FinalRatings *) PG_GETARG_POINTER(FINAL_ARG_STATE);

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

/* Highest rating first, then by player and pool. */
typedef struct FinalRating
{
	const BatchPlayer *player;
	double		state[MODEL_MAX_STATE];
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

Datum
skillrating_final_ratings_final(PG_FUNCTION_ARGS)
{
	FinalRatings *state = aggregate_state(fcinfo, "final_ratings");
	Rater	   *rater;
	Batch	   *batch;
	const Model *model;
	BatchPlayer **players;
	FinalRating *ratings;
	RowArray	rows;
	int			deviation;
	int			n = 0;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	rater = state->rater;
	batch = rater->batch;
	model = batch->model;
	final_ratings_rate(state);

	players = (BatchPlayer **) id_table_values(batch->players);
	ratings = huge_array(FinalRating, id_table_count(batch->players));
	for (i = 0; i < id_table_count(batch->players); i++)
	{
		BatchPlayer *player = players[i];

		/* What pools share is with each of them. */
		if (!player->exists || (batch->shares && player->shared == NULL))
			continue;
		ratings[n].player = player;
		model_state_before(model, batch->params, player->state, 0,
						   player->shared ? player->shared->state : NULL, 0,
						   ratings[n].state);
		ratings[n].rating = model_display(model, batch->params,
										  ratings[n].state);
		n++;
	}
	qsort_arg(ratings, n, sizeof(FinalRating), compare_final_ratings,
			  batch->player_type);

	deviation = model_state_column(model, ROLE_DEVIATION);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		const BatchPlayer *player = ratings[i].player;
		Datum		values[FINAL_NCOLUMNS];
		bool		nulls[FINAL_NCOLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		values[FINAL_PLAYER] = CStringGetTextDatum(id_text(batch->player_type, player->id));
		values[FINAL_POOL] = CStringGetTextDatum(player->pool);
		values[FINAL_RATING] = Float8GetDatum(ratings[i].rating);
		values[FINAL_MU] = Float8GetDatum(ratings[i].state[0]);
		nulls[FINAL_DEVIATION] = deviation < 0;
		if (deviation >= 0)
			values[FINAL_DEVIATION] = Float8GetDatum(ratings[i].state[deviation]);
		values[FINAL_GAMES] = Int64GetDatum(player->record.games);
		values[FINAL_WINS] = Int64GetDatum(player->record.wins);
		values[FINAL_DRAWS] = Int64GetDatum(player->record.draws);
		values[FINAL_LOSSES] = Int64GetDatum(player->record.losses);
		values[FINAL_LAST_PLAYED] = TimestampTzGetDatum(player->record.last_played);
		nulls[FINAL_LAST_PLAYED] = TIMESTAMP_IS_NOBEGIN(player->record.last_played);
		values[FINAL_STATE] = float8_array(ratings[i].state, model->nstate);
		values[FINAL_AS_OF] = TimestampTzGetDatum(player->record.as_of);
		nulls[FINAL_AS_OF] = TIMESTAMP_IS_NOBEGIN(player->record.as_of);
		values[FINAL_AS_OF_SEASON] = Int64GetDatum(rater->season.number);
		nulls[FINAL_AS_OF_SEASON] = !rater->season.known;
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
