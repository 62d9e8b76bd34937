/*
 * elo_functions.c
 *		Elo for two players, as scalar functions.
 */
#include "glue.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "models/elo.h"

SKILLRATING_FUNCTION(skillrating_elo_win_probability);
SKILLRATING_FUNCTION(skillrating_elo_normal_win_probability);
SKILLRATING_FUNCTION(skillrating_elo_update);

Datum
skillrating_elo_win_probability(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(0);
	float8		rating_b = PG_GETARG_FLOAT8(1);
	float8		scale = PG_GETARG_FLOAT8(2);

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_positive("scale", scale);
	PG_RETURN_FLOAT8(elo_logistic(rating_a - rating_b, scale, 0));
}

Datum
skillrating_elo_normal_win_probability(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(0);
	float8		rating_b = PG_GETARG_FLOAT8(1);
	float8		deviation = PG_GETARG_FLOAT8(2);

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_positive("deviation", deviation);
	PG_RETURN_FLOAT8(elo_normal(rating_a - rating_b, deviation, 0));
}

Datum
skillrating_elo_update(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(0);
	float8		rating_b = PG_GETARG_FLOAT8(1);
	float8		score_a = PG_GETARG_FLOAT8(2);
	float8		k = PG_GETARG_FLOAT8(3);
	float8		scale = PG_GETARG_FLOAT8(4);
	float8		change;
	TupleDesc	desc;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_probability("score_a", score_a);
	check_finite("k", k);
	if (k < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("k must not be negative, not %g", k)));
	check_positive("scale", scale);

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	change = k * (score_a - elo_logistic(rating_a - rating_b, scale, 0));
	values[0] = Float8GetDatum(rating_a + change);
	values[1] = Float8GetDatum(rating_b - change);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc),
													  values, nulls)));
}
