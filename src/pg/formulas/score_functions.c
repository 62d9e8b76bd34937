/*
 * score_functions.c
 *		Aggregates over matches: scores of forecasts, and how well these are calibrated; and log-odds
 *		of contexts.
 *
 * The states of scores are float8 arrays whose sums carry a second word each, so that
 * the result does not depend on how a parallel plan grouped the rows.
 */
#include "pg/sql/aggregate.h"

#include "core/evaluate/calibration.h"
#include "core/evaluate/paired.h"
#include "core/math/logistic.h"
#include "core/math/score.h"
#include "core/math/sum.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/*
 * Sums: how many terms, and the sum of each kind of term in two words.
 */
enum
{
	SUMS_COUNT,
	SUMS_FIRST
};

#define MAX_SUMS 3
#define SUMS_SIZE(nsums) (SUMS_FIRST + 2 * (nsums))

static float8 *
sum_words(float8 *state, int sum)
{
	return state + SUMS_FIRST + 2 * sum;
}

static double
sum_of(float8 *state, int sum)
{
	return sum_words_value(sum_words(state, sum));
}

/*
 * One function serves all aggregates of sums, and learns from the length of a state whose it is, and
 * how many sums there are; those of log_loss() and accuracy() have words at their end that are always
 * 0.  A state of another length fails the checks of float8_state().
 */
enum
{
	BRIER_SIZE = SUMS_SIZE(1),
	LOG_LOSS_SIZE,
	SURPRISE_SIZE,
	ACCURACY_SIZE,
	SKILL_SIZE
};

static int
sums_size(ArrayType *array)
{
	int			size = array_size(array);

	return Min(Max(size, BRIER_SIZE), SKILL_SIZE);
}

static int
sums_in(int size)
{
	return size == SKILL_SIZE ? 3 : size == SURPRISE_SIZE ? 2 : 1;
}

/* Add a row's terms to the state, which is the first argument and of that size. */
static Datum
add_terms(FunctionCallInfo fcinfo, const double *term, int size)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = float8_state(array, size);
	int			i;

	for (i = 0; i < sums_in(size); i++)
		sum_words_add(sum_words(state, i), term[i]);
	state[SUMS_COUNT] += 1;
	PG_RETURN_ARRAYTYPE_P(array);
}

SQL_FUNCTION(skillrating_sums_combine)
{
	ArrayType  *other_array = PG_GETARG_ARRAYTYPE_P(1);
	int			size = sums_size(other_array);
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = float8_state(array, size);
	float8	   *other = float8_state(other_array, size);
	int			i;

	for (i = 0; i < sums_in(size); i++)

		/*
		 * Both words are merged, so that the result is that of one sequence
		 * of additions.
		 */
		sum_words_merge(sum_words(state, i), sum_words(other, i));
	state[SUMS_COUNT] += other[SUMS_COUNT];
	PG_RETURN_ARRAYTYPE_P(array);
}

/* ranked_probability_score(win_probability, draw_probability, outcome): one row. */
SQL_FUNCTION(skillrating_ranked_probability_score_transition)
{
	float8		win = check_probability("win_probability", PG_GETARG_FLOAT8(1));
	float8		draw = check_probability("draw_probability", PG_GETARG_FLOAT8(2));
	float8		outcome = PG_GETARG_FLOAT8(3);
	double		term;

	/* What is missing from 1 is the loss; it may be missing by rounding. */
	if (win + draw > 1 + 1e-9)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("win_probability and draw_probability must not add up to more than 1: %g and %g",
						win, draw)));
	if (outcome != 0 && outcome != 0.5 && outcome != 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("outcome must be 1, 0.5 or 0, not %g", outcome),
				 errhint("A won match is 1, a drawn one 0.5, a lost one 0.")));
	term = ranked_probability_score(win, draw, outcome);
	return add_terms(fcinfo, &term, BRIER_SIZE);
}

/* What surprise() and skill_score() add up; brier_score() has one sum. */
enum
{
	SURPRISE_EXCESS,
	SURPRISE_VARIANCE
};
enum
{
	SKILL_SCORE,
	SKILL_OUTCOME,
	SKILL_SQUARE				/* of the outcome */
};

SQL_FUNCTION(skillrating_sums_transition)
{
	int			size = sums_size(PG_GETARG_ARRAYTYPE_P(0));
	float8		probability = check_probability("probability", PG_GETARG_FLOAT8(1));
	float8		outcome = check_probability("outcome", PG_GETARG_FLOAT8(2));
	double		term[MAX_SUMS];

	if (size == LOG_LOSS_SIZE)
		term[0] = log_loss(probability, outcome);
	else if (size == ACCURACY_SIZE)
		term[0] = accuracy(probability, outcome);
	else if (size == SURPRISE_SIZE)
	{
		/*
		 * The variance of a win under the forecast, so that surprise() is a z
		 * statistic.
		 */
		term[SURPRISE_EXCESS] = outcome - probability;
		term[SURPRISE_VARIANCE] = probability * (1 - probability);
	}
	else
	{
		term[SKILL_SCORE] = brier_score(probability, outcome);
		term[SKILL_OUTCOME] = outcome;
		term[SKILL_SQUARE] = outcome * outcome;
	}
	return add_terms(fcinfo, term, size);
}

/* How far outcomes lie above their forecasts, in deviations; false if nothing was uncertain. */
static bool
surprise_of(float8 *state, double *surprise)
{
	double		variance = sum_of(state, SURPRISE_VARIANCE);

	*surprise = sum_of(state, SURPRISE_EXCESS) / sqrt(variance);
	return variance > 0;
}

/*
 * The reference is the Brier score of the constant forecast of the base rate, the variance of the
 * outcomes; false without two different ones, where there is nothing to be skilled at.
 */
static bool
skill_score_of(float8 *state, double *skill)
{
	double		n = state[SUMS_COUNT];
	double		base_rate = sum_of(state, SKILL_OUTCOME) / n;
	double		reference = sum_of(state, SKILL_SQUARE) / n - base_rate * base_rate;

	*skill = 1 - sum_of(state, SKILL_SCORE) / n / reference;
	return reference > 1e-15;
}

SQL_FUNCTION(skillrating_sums_final)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	int			size = sums_size(array);
	float8	   *state = float8_state(array, size);
	double		result = sum_of(state, 0) / state[SUMS_COUNT];

	if (state[SUMS_COUNT] == 0 ||
		(size == SURPRISE_SIZE && !surprise_of(state, &result)) ||
		(size == SKILL_SIZE && !skill_score_of(state, &result)))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result);
}

/* context_log_odds(wins, games, prior_rate, prior_weight) */
SQL_FUNCTION(skillrating_context_log_odds)
{
	float8		wins = PG_GETARG_FLOAT8(0);
	float8		games = check_finite("games", PG_GETARG_FLOAT8(1));
	float8		prior_rate = PG_GETARG_FLOAT8(2);
	float8		prior_weight = check_positive("prior_weight", PG_GETARG_FLOAT8(3));

	if (!(wins >= 0 && wins <= games))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("wins must lie between 0 and games (%g), not %g",
						games, wins)));
	if (!(prior_rate > 0 && prior_rate < 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("prior_rate must lie between 0 and 1, not %g",
						prior_rate),
				 errhint("A rate of exactly 0 or 1 has no finite log-odds.")));
	PG_RETURN_FLOAT8(check_result(shrunk_log_odds(wins, games, prior_rate,
												  prior_weight)));
}

/* paired_difference(a, b): the mean of a - b over matches in their order, and its standard error. */
SQL_FUNCTION(skillrating_paired_difference)
{
	int			n = array_size(PG_GETARG_ARRAYTYPE_P(0));
	const float8 *a = float8_array_argument(fcinfo, 0, "losses_a", n);
	const float8 *b = float8_array_argument(fcinfo, 1, "losses_b", n);
	PairedDifference paired = paired_difference(a, b, 0, n);
	double		result[2];

	result[0] = paired.mean;
	result[1] = paired.error;
	PG_RETURN_DATUM(float8_array(result, 2));
}

/*
 * ---- calibration() ----
 */

/* A state's numbers, or NULL before the first row. */
static float8 *
calibration_state(ArrayType *array)
{
	return checked_state(array, calibration_is_state, "calibration");
}

/* A state that has the cells from first to last: the same, or a wider one. */
static ArrayType *
with_cells(ArrayType *array, int first, int last)
{
	const float8 *state = (const float8 *) ARR_DATA_PTR(array);
	ArrayType  *wider;

	if (!calibration_grows(state, &first, &last))
		return array;

	/*
	 * In the current context, which in an aggregate is the executor's for one
	 * row: it copies the result into the context of the aggregate if the
	 * pointer is new, and frees the old state.
	 */
	wider = float8_array_make(CALIBRATION_STATE_SIZE((int) state[CALIBRATION_BINS],
													 last - first + 1));
	calibration_widen(state, (float8 *) ARR_DATA_PTR(wider), first,
					  last - first + 1);
	return wider;
}

SQL_FUNCTION(skillrating_calibration_transition)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = calibration_state(array);
	float8		probability = check_probability("probability", PG_GETARG_FLOAT8(1));
	float8		outcome = check_probability("outcome", PG_GETARG_FLOAT8(2));
	int			bins = (int) check_range("bins", PG_GETARG_INT32(3), 1, CALIBRATION_MAX_BINS);
	int			cell;

	if (state == NULL)
	{
		array = float8_array_make(CALIBRATION_STATE_SIZE(bins, 0));
		state = (float8 *) ARR_DATA_PTR(array);
		calibration_begin(state, bins);
	}
	else if (bins != (int) state[CALIBRATION_BINS])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be the same in all rows")));

	/*
	 * The state holds counts by fine cells of the log-odds, from which the
	 * recalibration is fitted at the end.
	 */
	cell = calibration_cell(probability);
	array = with_cells(array, cell, cell);
	calibration_add((float8 *) ARR_DATA_PTR(array), probability, outcome);
	PG_RETURN_ARRAYTYPE_P(array);
}

SQL_FUNCTION(skillrating_calibration_combine)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = calibration_state(array);
	ArrayType  *other_array = PG_GETARG_ARRAYTYPE_P(1);
	float8	   *other = calibration_state(other_array);

	if (other == NULL)
		PG_RETURN_ARRAYTYPE_P(array);
	if (state == NULL)
		PG_RETURN_ARRAYTYPE_P(PG_GETARG_ARRAYTYPE_P_COPY(1));
	if (state[CALIBRATION_BINS] != other[CALIBRATION_BINS])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be the same in all rows")));
	if (other[CALIBRATION_CELLS] > 0)
		array = with_cells(array, (int) other[CALIBRATION_FIRST_CELL],
						   (int) (other[CALIBRATION_FIRST_CELL] +
								  other[CALIBRATION_CELLS] - 1));
	calibration_merge((float8 *) ARR_DATA_PTR(array), other);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* The bins as an array of rows of a type. */
static Datum
bin_array(const float8 *state, Oid type)
{
	RowArray	array = row_array_of(type, (int) state[CALIBRATION_BINS]);
	int			i;

	for (i = 0; i < (int) state[CALIBRATION_BINS]; i++)
	{
		CalibrationBin bin = calibration_bin(state, i);
		ResultRow	row = {0};

		put_number(&row, bin.low);
		put_number(&row, bin.high);
		put_int64(&row, (int64) bin.count);
		put_number(&row, bin.mean_probability);
		put_number(&row, bin.mean_outcome);
		row_array_add(&array, &row);
	}
	return return_row_array(&array);
}

SQL_FUNCTION(skillrating_calibration_final)
{
	float8	   *state = calibration_state(PG_GETARG_ARRAYTYPE_P(0));
	Calibration c;
	ResultRow	row = {0};

	if (state == NULL || state[CALIBRATION_COUNT] == 0)
		PG_RETURN_NULL();

	/* The state is read and not changed: a window calls this for each row. */
	calibration_solve(state, &c);
	put_int64(&row, (int64) c.count);
	put_number(&row, c.base_rate);
	put_number(&row, c.mean_probability);
	put_number(&row, c.brier_score);
	put_number(&row, c.log_loss);
	put_number(&row, c.reliability);
	put_number(&row, c.resolution);
	put_number(&row, c.uncertainty);
	put_number(&row, c.within_bins);
	put_number(&row, c.expected_error);
	put_number(&row, c.intercept);
	put_number(&row, c.intercept_error);
	put_number(&row, c.slope);
	put_number(&row, c.slope_error);
	put_number(&row, c.z);
	put_datum(&row, bin_array(state, next_element_type(fcinfo, &row)), false);
	return return_result_row(fcinfo, &row);
}
