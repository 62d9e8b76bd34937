/*
 * regression_functions.c
 *		Linear regression as an aggregate with a state that is visible in SQL.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"

#include "core/evaluate/regression.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"

/* A state's numbers, or NULL before the first row. */
static float8 *
regression_state(ArrayType *array)
{
	return checked_state(array, regression_is_state, "linear_fit");
}

/* A state for so many features, all of whose sums are 0. */
static ArrayType *
new_state(int features, double ridge)
{
	ArrayType  *array = float8_array_make(REGRESSION_STATE_SIZE(features));

	regression_begin((double *) ARR_DATA_PTR(array), features, ridge);
	return array;
}

/* linear_fit(y, x, weight, ridge): one row. */
SQL_FUNCTION(skillrating_linear_fit_transition)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	float8	   *state = regression_state(array);
	float8		y = check_finite("y", PG_GETARG_FLOAT8(1));
	ArrayType  *features = array_with_nulls_argument(fcinfo, 2, "x", -1);
	const float8 *x = (const float8 *) ARR_DATA_PTR(features);
	int			n = array_size(features);
	double		weight = check_not_negative("weight", PG_GETARG_FLOAT8(3));
	double		ridge = check_not_negative("ridge", PG_GETARG_FLOAT8(4));

	if (n < 1 || n > REGRESSION_MAX_FEATURES)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array x must have 1 to %d elements, not %d",
						REGRESSION_MAX_FEATURES, n)));
	if (state != NULL && n != (int) state[REGRESSION_FEATURES])
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array x has %d elements, and %d in a row before", n,
						(int) state[REGRESSION_FEATURES])));
	if (state != NULL && ridge != state[REGRESSION_RIDGE])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ridge must be the same in all rows")));

	/* A row with a feature that is unknown does not count. */
	if (ARR_HASNULL(features) && array_contains_nulls(features))
		PG_RETURN_ARRAYTYPE_P(array);
	check_finite_elements("x", x, n);

	/* The number of features is known from the first row that counts on. */
	if (state == NULL)
	{
		array = new_state(n, ridge);
		state = regression_state(array);
	}
	if (weight > 0)
		regression_add(state, y, x, weight);
	PG_RETURN_ARRAYTYPE_P(array);
}

SQL_FUNCTION(skillrating_linear_fit_combine)
{
	ArrayType  *array = array_state_arg(fcinfo, 0);
	ArrayType  *other_array = PG_GETARG_ARRAYTYPE_P(1);
	float8	   *state = regression_state(array);
	float8	   *other = regression_state(other_array);

	if (other == NULL)
		PG_RETURN_ARRAYTYPE_P(array);
	if (state == NULL)
		PG_RETURN_ARRAYTYPE_P(other_array);
	if (state[REGRESSION_FEATURES] != other[REGRESSION_FEATURES] ||
		state[REGRESSION_RIDGE] != other[REGRESSION_RIDGE])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("states of linear_fit() with different features or ridge cannot be merged")));

	/*
	 * The merged state is the first one: array_state_arg() has made a copy
	 * unless an aggregate owns it.
	 */
	regression_merge(state, other);
	PG_RETURN_ARRAYTYPE_P(array);
}

SQL_FUNCTION(skillrating_linear_fit_final)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	float8	   *state = regression_state(array);
	double		coefficient[REGRESSION_MAX_FEATURES];
	double	   *work;
	Regression	fit;
	ResultRow	row = {0};
	int			bad;
	int			n;

	if (state == NULL || state[REGRESSION_COUNT] == 0)
		PG_RETURN_NULL();

	n = (int) state[REGRESSION_FEATURES];

	/*
	 * A matrix of the features, for the factorization; their number is
	 * limited.
	 */
	work = palloc_array(double, (Size) n * n);
	bad = regression_solve(state, coefficient, &fit, work);
	if (bad == REGRESSION_OVERFLOW)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("sums of linear_fit() are out of range"),
				 errhint("Give y, x and weight in units in which they are smaller: their squares are added up.")));
	if (bad >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("feature %d of x is constant or depends on those before it",
						bad + 1),
				 errhint("Leave it out, or give a ridge above 0 if it varies.")));

	put_number(&row, fit.intercept);
	put_datum(&row, float8_array(coefficient, n), false);
	put_number(&row, fit.r_squared);
	put_number(&row, fit.residual_deviation);
	put_int64(&row, (int64) state[REGRESSION_COUNT]);
	return return_result_row(fcinfo, &row);
}

/* linear_predict(fit, x) */
SQL_FUNCTION(skillrating_linear_predict)
{
	HeapTupleHeader fit = PG_GETARG_HEAPTUPLEHEADER(0);
	bool		isnull[2];
	Datum		intercept = GetAttributeByNum(fit, 1, &isnull[0]);
	Datum		coefficient = GetAttributeByNum(fit, 2, &isnull[1]);
	ArrayType  *array;
	const float8 *x;
	double		prediction;
	int			n,
				i;

	if (isnull[0] || isnull[1])
		PG_RETURN_NULL();

	/* Anybody can make a value of the type, with an array of any shape. */
	array = DatumGetArrayTypeP(coefficient);
	n = array_size(array);
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("coefficients must have one dimension and no nulls")));
	x = float8_array_argument(fcinfo, 1, "x", n);
	prediction = DatumGetFloat8(intercept);
	for (i = 0; i < n; i++)
		prediction += ((const float8 *) ARR_DATA_PTR(array))[i] * x[i];
	PG_RETURN_FLOAT8(check_result(prediction));
}
