/*
 * calibration_functions.c
 *		The aggregate calibration(), with a state that is visible in SQL.
 */
#include "pg/sql/aggregate.h"

#include "core/evaluate/calibration.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

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
