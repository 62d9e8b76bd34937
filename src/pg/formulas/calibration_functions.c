/*
 * calibration_functions.c
 *		The aggregate calibration(), with a state that is visible in SQL.
 */
#include "pg/sql/aggregate.h"

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

Datum
skillrating_calibration_transition(PG_FUNCTION_ARGS)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = calibration_state(array);
	float8		probability = check_probability("probability", PG_GETARG_FLOAT8(1));
	float8		outcome = check_probability("outcome", PG_GETARG_FLOAT8(2));
	int			bins = PG_GETARG_INT32(3);
	int			cell;

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
		bool		nulls[5] = {false};

		put_number(values, nulls, 0, bin.low);
		put_number(values, nulls, 1, bin.high);
		values[2] = Int64GetDatum((int64) bin.count);
		put_number(values, nulls, 3, bin.mean_probability);
		put_number(values, nulls, 4, bin.mean_outcome);
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
	bool		nulls[RESULT_NCOLUMNS] = {false};

	if (state == NULL || state[CALIBRATION_COUNT] == 0)
		PG_RETURN_NULL();

	/* The state is read and not changed: a window calls this for each row. */
	calibration_solve(state, &c);
	values[RESULT_FORECASTS] = Int64GetDatum((int64) c.count);
	put_number(values, nulls, RESULT_BASE_RATE, c.base_rate);
	put_number(values, nulls, RESULT_MEAN_PROBABILITY, c.mean_probability);
	put_number(values, nulls, RESULT_BRIER_SCORE, c.brier_score);
	put_number(values, nulls, RESULT_LOG_LOSS, c.log_loss);
	put_number(values, nulls, RESULT_RELIABILITY, c.reliability);
	put_number(values, nulls, RESULT_RESOLUTION, c.resolution);
	put_number(values, nulls, RESULT_UNCERTAINTY, c.uncertainty);
	put_number(values, nulls, RESULT_WITHIN_BINS, c.within_bins);
	put_number(values, nulls, RESULT_EXPECTED_ERROR, c.expected_error);
	put_number(values, nulls, RESULT_INTERCEPT, c.intercept);
	put_number(values, nulls, RESULT_INTERCEPT_ERROR, c.intercept_error);
	put_number(values, nulls, RESULT_SLOPE, c.slope);
	put_number(values, nulls, RESULT_SLOPE_ERROR, c.slope_error);
	put_number(values, nulls, RESULT_Z, c.z);
	values[RESULT_BINS] = bin_array(state,
									result_column_element_type(fcinfo, RESULT_BINS));
	return return_row(fcinfo, values, nulls);
}
