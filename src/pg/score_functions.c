/*
 * score_functions.c
 *		Aggregates over matches: scores of forecasts, and log-odds of contexts.
 *
 * Their states are float8 arrays whose sums carry a second word each, so that
 * the result does not depend on how a parallel plan grouped the rows.
 */
#include "float8_state.h"

#include "math/logistic.h"
#include "math/sum.h"
#include "score.h"

SKILLRATING_FUNCTION(skillrating_brier_score_transition);
SKILLRATING_FUNCTION(skillrating_log_loss_transition);
SKILLRATING_FUNCTION(skillrating_mean_combine);
SKILLRATING_FUNCTION(skillrating_mean_final);
SKILLRATING_FUNCTION(skillrating_context_log_odds);
SKILLRATING_FUNCTION(skillrating_context_log_odds_transition);
SKILLRATING_FUNCTION(skillrating_context_log_odds_combine);
SKILLRATING_FUNCTION(skillrating_context_log_odds_final);

/* A mean: how many, and their sum in two words. */
enum
{
	MEAN_COUNT,
	MEAN_HIGH,
	MEAN_LOW,
	MEAN_SIZE
};

static Datum
mean_accumulate(FunctionCallInfo fcinfo, double (*score) (double, double))
{
	ArrayType  *array = float8_state_arg(fcinfo, 0, MEAN_SIZE);
	float8	   *state = float8_state(array, MEAN_SIZE);
	float8		probability = PG_GETARG_FLOAT8(1);
	float8		outcome = PG_GETARG_FLOAT8(2);
	Sum			sum = {state[MEAN_HIGH], state[MEAN_LOW]};

	check_probability("probability", probability);
	check_probability("outcome", outcome);

	sum_add(&sum, score(probability, outcome));
	state[MEAN_COUNT] += 1;
	state[MEAN_HIGH] = sum.high;
	state[MEAN_LOW] = sum.low;
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_brier_score_transition(PG_FUNCTION_ARGS)
{
	return mean_accumulate(fcinfo, brier_score);
}

Datum
skillrating_log_loss_transition(PG_FUNCTION_ARGS)
{
	return mean_accumulate(fcinfo, log_loss);
}

Datum
skillrating_mean_combine(PG_FUNCTION_ARGS)
{
	ArrayType  *array = float8_state_arg(fcinfo, 0, MEAN_SIZE);
	float8	   *state = float8_state(array, MEAN_SIZE);
	float8	   *other = float8_state(PG_GETARG_ARRAYTYPE_P(1), MEAN_SIZE);
	Sum			sum = {state[MEAN_HIGH], state[MEAN_LOW]};
	Sum			more = {other[MEAN_HIGH], other[MEAN_LOW]};

	sum_merge(&sum, &more);
	state[MEAN_COUNT] += other[MEAN_COUNT];
	state[MEAN_HIGH] = sum.high;
	state[MEAN_LOW] = sum.low;
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_mean_final(PG_FUNCTION_ARGS)
{
	float8	   *state = float8_state(PG_GETARG_ARRAYTYPE_P(0), MEAN_SIZE);
	Sum			sum = {state[MEAN_HIGH], state[MEAN_LOW]};

	if (state[MEAN_COUNT] == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(sum_value(&sum) / state[MEAN_COUNT]);
}

static void
check_prior(float8 prior_rate, float8 prior_weight)
{
	if (!(prior_rate > 0 && prior_rate < 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("prior_rate must lie between 0 and 1, not %g",
						prior_rate),
				 errhint("A rate of exactly 0 or 1 has no finite log-odds.")));
	check_positive("prior_weight", prior_weight);
}

Datum
skillrating_context_log_odds(PG_FUNCTION_ARGS)
{
	float8		wins = PG_GETARG_FLOAT8(0);
	float8		games = PG_GETARG_FLOAT8(1);
	float8		prior_rate = PG_GETARG_FLOAT8(2);
	float8		prior_weight = PG_GETARG_FLOAT8(3);

	check_finite("games", games);
	if (!(wins >= 0 && wins <= games))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("wins must lie between 0 and games (%g), not %g",
						games, wins)));
	check_prior(prior_rate, prior_weight);
	PG_RETURN_FLOAT8(check_result(shrunk_log_odds(wins, games, prior_rate,
												  prior_weight)));
}

/* Wins and games, and the prior, which is the same in all rows. */
enum
{
	CONTEXT_WINS,
	CONTEXT_GAMES,
	CONTEXT_PRIOR_RATE,
	CONTEXT_PRIOR_WEIGHT,
	CONTEXT_SIZE
};

static void
context_set_prior(float8 *state, float8 prior_rate, float8 prior_weight)
{
	if (state[CONTEXT_GAMES] > 0 &&
		(state[CONTEXT_PRIOR_RATE] != prior_rate ||
		 state[CONTEXT_PRIOR_WEIGHT] != prior_weight))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("prior_rate and prior_weight must be the same in all rows")));
	state[CONTEXT_PRIOR_RATE] = prior_rate;
	state[CONTEXT_PRIOR_WEIGHT] = prior_weight;
}

Datum
skillrating_context_log_odds_transition(PG_FUNCTION_ARGS)
{
	ArrayType  *array = float8_state_arg(fcinfo, 0, CONTEXT_SIZE);
	float8	   *state = float8_state(array, CONTEXT_SIZE);
	bool		won = PG_GETARG_BOOL(1);

	/* Without arguments for it the prior is that of Jeffreys. */
	if (PG_NARGS() > 2)
	{
		check_prior(PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3));
		context_set_prior(state, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3));
	}
	else
		context_set_prior(state, 0.5, 1);

	state[CONTEXT_WINS] += won;
	state[CONTEXT_GAMES] += 1;
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_context_log_odds_combine(PG_FUNCTION_ARGS)
{
	ArrayType  *array = float8_state_arg(fcinfo, 0, CONTEXT_SIZE);
	float8	   *state = float8_state(array, CONTEXT_SIZE);
	float8	   *other = float8_state(PG_GETARG_ARRAYTYPE_P(1), CONTEXT_SIZE);

	if (other[CONTEXT_GAMES] > 0)
		context_set_prior(state, other[CONTEXT_PRIOR_RATE],
						  other[CONTEXT_PRIOR_WEIGHT]);
	state[CONTEXT_WINS] += other[CONTEXT_WINS];
	state[CONTEXT_GAMES] += other[CONTEXT_GAMES];
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
skillrating_context_log_odds_final(PG_FUNCTION_ARGS)
{
	float8	   *state = float8_state(PG_GETARG_ARRAYTYPE_P(0), CONTEXT_SIZE);

	if (state[CONTEXT_GAMES] == 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(check_result(shrunk_log_odds(state[CONTEXT_WINS],
												  state[CONTEXT_GAMES],
												  state[CONTEXT_PRIOR_RATE],
												  state[CONTEXT_PRIOR_WEIGHT])));
}
