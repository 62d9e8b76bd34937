/*
 * elo_functions.c
 *		Elo for two players and for contests of many, as functions.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"
#include "utils/builtins.h"

#include "core/models/elo.h"
#include "pg/sql/composite.h"

/* elo_win_probability(rating_a, rating_b, scale, curve) */
SQL_FUNCTION(skillrating_elo_win_probability)
{
	float8		rating_a = check_finite("rating_a", PG_GETARG_FLOAT8(0));
	float8		rating_b = check_finite("rating_b", PG_GETARG_FLOAT8(1));
	float8		scale = check_positive("scale", PG_GETARG_FLOAT8(2));

	PG_RETURN_FLOAT8(is_logistic(PG_GETARG_DATUM(3)) ?
					 elo_logistic(rating_a - rating_b, scale, 0) :
					 elo_normal(rating_a - rating_b, scale / 2, 0));
}

SQL_FUNCTION(skillrating_elo_update)
{
	float8		rating_a = check_finite("rating_a", PG_GETARG_FLOAT8(0));
	float8		rating_b = check_finite("rating_b", PG_GETARG_FLOAT8(1));
	float8		score_a = check_probability("score_a", PG_GETARG_FLOAT8(2));
	float8		k = check_not_negative("k", PG_GETARG_FLOAT8(3));
	float8		scale = check_positive("scale", PG_GETARG_FLOAT8(4));
	double		change;
	double		result[2];

	/*
	 * The win probability of the second player is not computed again: one
	 * change is added here and taken there, so that no rounding of the
	 * logistic function makes or destroys points.
	 */
	change = k * (score_a - elo_logistic(rating_a - rating_b, scale, 0));
	result[0] = rating_a + change;
	result[1] = rating_b - change;
	return return_numbers(fcinfo, result, 2);
}

/* elo_contest_update(rating, rank, k, scale, score_base) */
SQL_FUNCTION(skillrating_elo_contest_update)
{
	int			n = -1;
	const float8 *rating = finite_array_argument(fcinfo, 0, "rating", &n);
	const float8 *rank = finite_array_argument(fcinfo, 1, "rank", &n);
	float8		k = check_not_negative("k", PG_GETARG_FLOAT8(2));
	float8		scale = check_positive("scale", PG_GETARG_FLOAT8(3));
	float8		score_base = check_finite("score_base", PG_GETARG_FLOAT8(4));
	double	   *share;
	double	   *after;
	int			i;

	/*
	 * The work is quadratic in the number of players, so that the limit
	 * bounds the time as well.
	 */
	if (n < 2 || n > MATCH_MAX_TEAMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a contest must have 2 to %d players, not %d", MATCH_MAX_TEAMS, n)));
	if (score_base < 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("score_base must be at least 1, not %g", score_base)));

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	share = palloc_array(double, n);
	after = palloc_array(double, n);
	elo_contest(rating, rank, n, k, scale, score_base, share, after);
	for (i = 0; i < n; i++)
	{
		ResultRow	row = {0};

		put_int32(&row, i + 1);
		put_number(&row, check_result(share[i]));
		put_number(&row, check_result(after[i]));
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}
