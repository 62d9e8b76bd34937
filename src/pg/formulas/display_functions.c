/*
 * display_functions.c
 *		From ratings to what players see, and where newcomers start.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/rating/display.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_display_rating);
SKILLRATING_FUNCTION(skillrating_shown_rating);
SKILLRATING_FUNCTION(skillrating_division_number);
SKILLRATING_FUNCTION(skillrating_division);
SKILLRATING_FUNCTION(skillrating_placement_step);
SKILLRATING_FUNCTION(skillrating_placement_gain);
SKILLRATING_FUNCTION(skillrating_season_rating);
SKILLRATING_FUNCTION(skillrating_season_deviation);
SKILLRATING_FUNCTION(skillrating_inactivity_decay);
SKILLRATING_FUNCTION(skillrating_inactivity_regression);

/* display_rating(mu, deviation, z, factor, shift, floor) */
Datum
skillrating_display_rating(PG_FUNCTION_ARGS)
{
	float8		mu = PG_GETARG_FLOAT8(0);
	float8		deviation = check_not_negative("deviation", PG_GETARG_FLOAT8(1));
	float8		z = PG_GETARG_FLOAT8(2);
	float8		factor = PG_GETARG_FLOAT8(3);
	float8		shift = PG_GETARG_FLOAT8(4);
	float8		floor = check_floor(PG_GETARG_FLOAT8(5));
	float8		shown;

	check_finite("mu", mu);
	check_finite("z", z);
	check_positive("factor", factor);
	check_finite("shift", shift);

	/* The floor is compared last, on the scale that players see. */
	shown = shift + factor * (mu - z * deviation);
	PG_RETURN_FLOAT8(check_result(shown < floor ? floor : shown));
}

/* shown_rating(rating, games, shadow_games) */
Datum
skillrating_shown_rating(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	int64		games = PG_GETARG_INT64(1);
	int64		shadow_games = PG_GETARG_INT64(2);

	check_finite("rating", rating);
	if (games < shadow_games)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(rating);
}

/* Cut points in ascending order. */
static const float8 *
cuts_argument(FunctionCallInfo fcinfo, int arg, int *n)
{
	ArrayType  *array = array_argument(fcinfo, arg, "cuts", -1);
	const float8 *cut = (const float8 *) ARR_DATA_PTR(array);
	int			i;

	*n = array_size(array);
	check_finite_elements("cuts", cut, *n);
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

/* The division, where the player is in current unless that is negative. */
static int
division_argument(double rating, const float8 *cut, int n, int current,
				  double margin, double promotion_margin)
{
	check_finite("rating", rating);
	check_not_negative("margin", margin);
	check_not_negative("promotion_margin", promotion_margin);
	return current < 0 ? division_number(rating, cut, n) :
		division_next(rating, cut, n, current, margin, promotion_margin);
}

/*
 * division_number(rating, cuts, current, margin, promotion_margin).  current alone may be null,
 * for a player without a division; the function is not STRICT for its sake.
 */
Datum
skillrating_division_number(PG_FUNCTION_ARGS)
{
	const float8 *cut;
	int			current = -1;
	int			n;

	if (argument_is_null(fcinfo, 2))
		PG_RETURN_NULL();
	cut = cuts_argument(fcinfo, 1, &n);
	if (!PG_ARGISNULL(2))
	{
		current = PG_GETARG_INT32(2);
		if (current < 0 || current > n)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("current must lie between 0 and %d, not %d", n,
							current)));
	}
	PG_RETURN_INT32(division_argument(PG_GETARG_FLOAT8(0), cut, n, current,
									  PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4)));
}

/* division(rating, cuts, labels, current, margin, promotion_margin) */
Datum
skillrating_division(PG_FUNCTION_ARGS)
{
	const float8 *cut;
	ArrayType  *array;
	Datum	   *label;
	bool	   *null;
	int			current = -1;
	int			nlabels;
	int			n;

	if (argument_is_null(fcinfo, 3))
		PG_RETURN_NULL();
	cut = cuts_argument(fcinfo, 1, &n);
	array = array_argument(fcinfo, 2, "labels", -1);

	/* n cuts make n + 1 divisions, of which the first is below all cuts. */
	if (array_size(array) != n + 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array labels has %d elements for %d cuts",
						array_size(array), n),
				 errhint("Labels are one more than cuts.")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &label, &null,
					  &nlabels);
	if (!PG_ARGISNULL(3))
	{
		char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(3));

		for (current = 0; current < nlabels; current++)
			if (strcmp(TextDatumGetCString(label[current]), name) == 0)
				break;
		if (current == nlabels)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("current is none of the labels: \"%s\"", name)));
	}
	PG_RETURN_DATUM(label[division_argument(PG_GETARG_FLOAT8(0), cut, n, current,
											PG_GETARG_FLOAT8(4),
											PG_GETARG_FLOAT8(5))]);
}

/* placement_step(low, high, score, shrink) */
Datum
skillrating_placement_step(PG_FUNCTION_ARGS)
{
	float8		low = PG_GETARG_FLOAT8(0);
	float8		high = PG_GETARG_FLOAT8(1);
	float8		score = PG_GETARG_FLOAT8(2);
	float8		shrink = PG_GETARG_FLOAT8(3);
	double		result[3];

	check_finite("low", low);
	check_finite("high", high);
	if (low > high)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("low (%g) must not be above high (%g)", low, high)));
	check_probability("score", score);
	check_probability("shrink", shrink);
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
Datum
skillrating_placement_gain(PG_FUNCTION_ARGS)
{
	int64		games = PG_GETARG_INT64(0);
	float8		boost = check_not_negative("boost", PG_GETARG_FLOAT8(1));
	float8		over = check_not_negative("over", PG_GETARG_FLOAT8(2));

	if (games < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("games must not be negative, not " INT64_FORMAT, games)));
	PG_RETURN_FLOAT8(placement_gain(games, boost, over));
}

/* season_rating(rating, mean, keep) */
Datum
skillrating_season_rating(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	float8		mean = PG_GETARG_FLOAT8(1);
	float8		keep = PG_GETARG_FLOAT8(2);

	check_finite("rating", rating);
	check_finite("mean", mean);
	check_probability("keep", keep);
	PG_RETURN_FLOAT8(check_result(season_rating(rating, mean, keep)));
}

/* season_deviation(deviation, initial_deviation, keep) */
Datum
skillrating_season_deviation(PG_FUNCTION_ARGS)
{
	float8		deviation = check_not_negative("deviation", PG_GETARG_FLOAT8(0));
	float8		initial = check_not_negative("initial_deviation", PG_GETARG_FLOAT8(1));
	float8		keep = PG_GETARG_FLOAT8(2);

	check_probability("keep", keep);
	PG_RETURN_FLOAT8(check_result(season_deviation(deviation, initial, keep)));
}

/*
 * An interval in days; not negative.  A month has 30 days and a day 24 hours, as where PostgreSQL
 * compares intervals.
 */
static double
days_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	Interval   *interval = PG_GETARG_INTERVAL_P(arg);

	return check_not_negative(name, interval->month * 30.0 + interval->day +
							  interval->time / (double) USECS_PER_DAY);
}

/* inactivity_decay(rating, idle, grace, rate, floor) */
Datum
skillrating_inactivity_decay(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	double		idle = days_argument(fcinfo, 1, "idle");
	double		grace = days_argument(fcinfo, 2, "grace");
	float8		rate = check_not_negative("rate", PG_GETARG_FLOAT8(3));
	float8		floor = PG_GETARG_FLOAT8(4);

	check_finite("rating", rating);
	check_finite("floor", floor);
	PG_RETURN_FLOAT8(check_result(inactivity_decay(rating, idle, grace, rate,
												   floor)));
}

/* inactivity_regression(rating, idle, half_life, mean, grace) */
Datum
skillrating_inactivity_regression(PG_FUNCTION_ARGS)
{
	float8		rating = PG_GETARG_FLOAT8(0);
	double		idle = days_argument(fcinfo, 1, "idle");
	double		half_life = days_argument(fcinfo, 2, "half_life");
	float8		mean = PG_GETARG_FLOAT8(3);
	double		grace = days_argument(fcinfo, 4, "grace");

	check_finite("rating", rating);
	check_finite("mean", mean);
	check_positive("half_life", half_life);
	PG_RETURN_FLOAT8(check_result(inactivity_regression(rating, idle, grace, mean,
														half_life)));
}
