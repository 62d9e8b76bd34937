/*
 * calibration_functions.c
 *		The aggregate calibration(), with a state that is visible in SQL.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"

#include "core/evaluate/calibration.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_calibration_transition);
SKILLRATING_FUNCTION(skillrating_calibration_combine);
SKILLRATING_FUNCTION(skillrating_calibration_final);

/* The columns of the type calibration. */
enum
{
	RESULT_FORECASTS,
	RESULT_BASE_RATE,
	RESULT_MEAN_PROBABILITY,
	RESULT_BRIER_SCORE,
	RESULT_LOG_LOSS,
	RESULT_RELIABILITY,
	RESULT_RESOLUTION,
	RESULT_UNCERTAINTY,
	RESULT_WITHIN_BINS,
	RESULT_EXPECTED_ERROR,
	RESULT_INTERCEPT,
	RESULT_INTERCEPT_ERROR,
	RESULT_SLOPE,
	RESULT_SLOPE_ERROR,
	RESULT_Z,
	RESULT_BINS,
	RESULT_NCOLUMNS
};

static bool
is_count(double value, double max)
{
	return value >= 0 && value <= max && value == floor(value);
}

/* A state's numbers, or NULL before the first row; anybody may have made it. */
static float8 *
calibration_state(ArrayType *array)
{
	int			n = array_size(array);
	float8	   *state = (float8 *) ARR_DATA_PTR(array);

	if (n == 0)
		return NULL;
	if (ARR_NDIM(array) != 1 || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != FLOAT8OID || n < CALIBRATION_HEADER ||
		!is_count(state[CALIBRATION_BINS], CALIBRATION_MAX_BINS) ||
		state[CALIBRATION_BINS] < 1 ||
		!is_count(state[CALIBRATION_FIRST_CELL], CALIBRATION_MAX_CELLS) ||
		!is_count(state[CALIBRATION_CELLS],
				  CALIBRATION_MAX_CELLS - state[CALIBRATION_FIRST_CELL]) ||
		n != CALIBRATION_STATE_SIZE((int) state[CALIBRATION_BINS],
									(int) state[CALIBRATION_CELLS]))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("aggregate state is not one of calibration()")));
	return state;
}

/* The state given as the first argument, to be modified, and its numbers. */
static ArrayType *
state_argument(FunctionCallInfo fcinfo, float8 **state)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);

	*state = calibration_state(array);
	return array;
}

/*
 * A state that has the cells from first to last: the same, or a wider one with
 * room on the side where it had to grow.
 */
static ArrayType *
with_cells(ArrayType *array, int first, int last)
{
	float8	   *state = calibration_state(array);
	int			cells = (int) state[CALIBRATION_CELLS];
	int			had_first = (int) state[CALIBRATION_FIRST_CELL];
	int			had_last = had_first + cells - 1;
	ArrayType  *wider;

	/*
	 * Half as many cells again on the side that grew, so that the copies take
	 * linear time in all.
	 */
	if (cells > 0)
	{
		if (first >= had_first && last <= had_last)
			return array;
		first = first < had_first ? Max(first - cells / 2, 0) : had_first;
		last = last > had_last ?
			Min(last + cells / 2, CALIBRATION_MAX_CELLS - 1) : had_last;
	}

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

Datum
skillrating_calibration_transition(PG_FUNCTION_ARGS)
{
	float8	   *state;
	ArrayType  *array = state_argument(fcinfo, &state);
	float8		probability = PG_GETARG_FLOAT8(1);
	float8		outcome = PG_GETARG_FLOAT8(2);
	int			bins = PG_GETARG_INT32(3);
	int			cell;

	check_probability("probability", probability);
	check_probability("outcome", outcome);
	if (bins < 1 || bins > CALIBRATION_MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bins must lie between 1 and %d, not %d",
						CALIBRATION_MAX_BINS, bins)));
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

Datum
skillrating_calibration_combine(PG_FUNCTION_ARGS)
{
	float8	   *state;
	ArrayType  *array = state_argument(fcinfo, &state);
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

/* A number that is null where it is not determined. */
static void
set_number(Datum *values, bool *nulls, int column, double number)
{
	values[column] = Float8GetDatum(number);
	nulls[column] = isnan(number);
}

/* The bins as an array of rows of the type of the last result column. */
static Datum
bin_array(const float8 *state, Oid type)
{
	RowArray	array = row_array_of(type, (int) state[CALIBRATION_BINS]);
	int			i;

	for (i = 0; i < (int) state[CALIBRATION_BINS]; i++)
	{
		CalibrationBin bin = calibration_bin(state, i);
		Datum		values[5];
		bool		nulls[5];

		set_number(values, nulls, 0, bin.low);
		set_number(values, nulls, 1, bin.high);
		values[2] = Int64GetDatum((int64) bin.count);
		nulls[2] = false;
		set_number(values, nulls, 3, bin.mean_probability);
		set_number(values, nulls, 4, bin.mean_outcome);
		row_array_add(&array, values, nulls);
	}
	return return_row_array(&array);
}

Datum
skillrating_calibration_final(PG_FUNCTION_ARGS)
{
	float8	   *state = calibration_state(PG_GETARG_ARRAYTYPE_P(0));
	Calibration c;
	Datum		values[RESULT_NCOLUMNS];
	bool		nulls[RESULT_NCOLUMNS];

	if (state == NULL || state[CALIBRATION_COUNT] == 0)
		PG_RETURN_NULL();

	/* The state is read and not changed: a window calls this for each row. */
	calibration_solve(state, &c);
	values[RESULT_FORECASTS] = Int64GetDatum((int64) c.count);
	nulls[RESULT_FORECASTS] = false;
	set_number(values, nulls, RESULT_BASE_RATE, c.base_rate);
	set_number(values, nulls, RESULT_MEAN_PROBABILITY, c.mean_probability);
	set_number(values, nulls, RESULT_BRIER_SCORE, c.brier_score);
	set_number(values, nulls, RESULT_LOG_LOSS, c.log_loss);
	set_number(values, nulls, RESULT_RELIABILITY, c.reliability);
	set_number(values, nulls, RESULT_RESOLUTION, c.resolution);
	set_number(values, nulls, RESULT_UNCERTAINTY, c.uncertainty);
	set_number(values, nulls, RESULT_WITHIN_BINS, c.within_bins);
	set_number(values, nulls, RESULT_EXPECTED_ERROR, c.expected_error);
	set_number(values, nulls, RESULT_INTERCEPT, c.intercept);
	set_number(values, nulls, RESULT_INTERCEPT_ERROR, c.intercept_error);
	set_number(values, nulls, RESULT_SLOPE, c.slope);
	set_number(values, nulls, RESULT_SLOPE_ERROR, c.slope_error);
	set_number(values, nulls, RESULT_Z, c.z);
	values[RESULT_BINS] = bin_array(state,
									result_column_element_type(fcinfo, RESULT_BINS));
	nulls[RESULT_BINS] = false;
	return return_row(fcinfo, values, nulls);
}
