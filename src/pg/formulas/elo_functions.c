/*
 * elo_functions.c
 *		Elo for two players, as scalar functions.
 */
#include "pg/sql/composite.h"

#include "core/models/elo.h"

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
	float8		beta = PG_GETARG_FLOAT8(2);

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_positive("beta", beta);
	PG_RETURN_FLOAT8(elo_normal(rating_a - rating_b, beta, 0));
}

Datum
skillrating_elo_update(PG_FUNCTION_ARGS)
{
	float8		rating_a = PG_GETARG_FLOAT8(0);
	float8		rating_b = PG_GETARG_FLOAT8(1);
	float8		score_a = PG_GETARG_FLOAT8(2);
	float8		k = PG_GETARG_FLOAT8(3);
	float8		scale = PG_GETARG_FLOAT8(4);
	double		change;
	double		result[2];

	check_finite("rating_a", rating_a);
	check_finite("rating_b", rating_b);
	check_probability("score_a", score_a);
	check_finite("k", k);
	if (k < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("k must not be negative, not %g", k)));
	check_positive("scale", scale);

	change = k * (score_a - elo_logistic(rating_a - rating_b, scale, 0));
	result[0] = rating_a + change;
	result[1] = rating_b - change;
	return return_numbers(fcinfo, result, 2);
}
