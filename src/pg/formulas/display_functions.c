/*
 * display_functions.c
 *		From ratings to what players see, and where newcomers start.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"

#include "core/rating/display.h"
#include "pg/sql/composite.h"

/* display_rating(mu, deviation, z, factor, shift, floor) */
SQL_FUNCTION(skillrating_display_rating)
{
	float8		mu = check_finite("mu", PG_GETARG_FLOAT8(0));
	float8		deviation = check_not_negative("deviation", PG_GETARG_FLOAT8(1));
	float8		z = check_finite("z", PG_GETARG_FLOAT8(2));
	float8		factor = check_positive("factor", PG_GETARG_FLOAT8(3));
	float8		shift = check_finite("shift", PG_GETARG_FLOAT8(4));
	float8		floor = check_floor(PG_GETARG_FLOAT8(5));
	float8		shown;

	/* The floor is compared last, on the scale that players see. */
	shown = shift + factor * (mu - z * deviation);
	PG_RETURN_FLOAT8(check_result(shown < floor ? floor : shown));
}

/* Cut points in ascending order. */
static const float8 *
cuts_argument(FunctionCallInfo fcinfo, int arg, int *n)
{
	const float8 *cut;
	int			i;

	*n = -1;
	cut = finite_array_argument(fcinfo, arg, "cuts", n);
	for (i = 1; i < *n; i++)
	{
		check_interrupts_at(i);
		if (cut[i] <= cut[i - 1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("cuts must ascend: %g does not after %g",
							cut[i], cut[i - 1])));
	}
	return cut;
}

/* The number of a division.  The present one may be null, for a player without a division. */
static int
division_argument(FunctionCallInfo fcinfo, const float8 *cut, int n)
{
	float8		margin = check_not_negative("margin", PG_GETARG_FLOAT8(4));
	float8		promotion_margin = check_not_negative("promotion_margin", PG_GETARG_FLOAT8(5));
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	int			current;

	if (PG_ARGISNULL(3))
		return division_number(rating, cut, n);
	current = (int) check_range("current", PG_GETARG_INT32(3), 0, n);
	return division_next(rating, cut, n, current, margin, promotion_margin);
}

/* The label of a division, of labels, argument arg, which are one more than n cuts. */
static Datum
label_argument(FunctionCallInfo fcinfo, int arg, int n, int number)
{
	ArrayType  *array = array_argument(fcinfo, arg, "labels", -1);
	Datum	   *label;
	bool	   *null;
	int			nlabels;

	/* n cuts make n + 1 divisions, of which the first is below all cuts. */
	if (array_size(array) != n + 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array labels has %d elements for %d cuts",
						array_size(array), n),
				 errhint("Labels are one more than cuts.")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &label, &null,
					  &nlabels);
	return label[number];
}

/* division(rating, cuts, labels, current, margin, promotion_margin) */
SQL_FUNCTION(skillrating_division)
{
	const float8 *cut;
	ResultRow	row = {0};
	int			number;
	int			n;

	/* The function is not STRICT, because labels and current may be null. */
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(4) || PG_ARGISNULL(5))
		PG_RETURN_NULL();
	cut = cuts_argument(fcinfo, 1, &n);
	number = division_argument(fcinfo, cut, n);
	put_int32(&row, number);
	if (PG_ARGISNULL(2))
		put_null(&row);
	else
		put_datum(&row, label_argument(fcinfo, 2, n, number), false);
	put_number(&row, number == 0 ? -INFINITY : cut[number - 1]);
	put_number(&row, number == n ? INFINITY : cut[number]);
	return return_result_row(fcinfo, &row);
}

/* placement_step(low, high, score, shrink) */
SQL_FUNCTION(skillrating_placement_step)
{
	float8		low = check_finite("low", PG_GETARG_FLOAT8(0));
	float8		high = check_finite("high", PG_GETARG_FLOAT8(1));
	float8		score = check_probability("score", PG_GETARG_FLOAT8(2));
	float8		shrink = check_probability("shrink", PG_GETARG_FLOAT8(3));
	double		result[3];

	if (low > high)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("low (%g) must not be above high (%g)", low, high)));
	placement_step(&low, &high, score, shrink);
	result[0] = low;
	result[1] = high;

	/*
	 * Not (low + high) / 2, which overflows for bounds near the largest
	 * double.
	 */
	result[2] = low + (high - low) / 2;
	return return_numbers(fcinfo, result, 3);
}

/* placement_gain(games, boost, over) */
SQL_FUNCTION(skillrating_placement_gain)
{
	int64		games = PG_GETARG_INT64(0);
	float8		boost = check_not_negative("boost", PG_GETARG_FLOAT8(1));
	float8		over = check_not_negative("over", PG_GETARG_FLOAT8(2));

	if (games < 0)
		report_number("games", "not be negative", games);
	PG_RETURN_FLOAT8(placement_gain(games, boost, over));
}
