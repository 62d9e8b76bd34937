/*
 * glicko_functions.c
 *		Glicko and Glicko-2 for one player and a rating period, as functions.
 */
#include "pg/sql/arrays.h"

#include "core/models/deviation.h"
#include "core/models/glicko.h"
#include "pg/sql/composite.h"

/* glicko_win_probability(rating_a, deviation_a, rating_b, deviation_b) */
SQL_FUNCTION(skillrating_glicko_win_probability)
{
	float8		rating_a = check_finite("rating_a", PG_GETARG_FLOAT8(0));
	float8		deviation_a = check_not_negative("deviation_a", PG_GETARG_FLOAT8(1));
	float8		rating_b = check_finite("rating_b", PG_GETARG_FLOAT8(2));
	float8		deviation_b = check_not_negative("deviation_b", PG_GETARG_FLOAT8(3));

	PG_RETURN_FLOAT8(check_result(glicko_win_probability(GLICKO_LOG_ODDS *
														 (rating_a - rating_b),
														 GLICKO_LOG_ODDS * deviation_a,
														 GLICKO_LOG_ODDS * deviation_b,
														 0)));
}

/*
 * The games of a period, from the arrays opponent_rating, opponent_deviation and
 * score, of which the first is argument arg.
 */
static GlickoGames
games_argument(FunctionCallInfo fcinfo, double rating, int arg)
{
	int			n = -1;
	const float8 *opponent_rating = finite_array_argument(fcinfo, arg, "opponent_rating", &n);
	const float8 *opponent_deviation =
		float8_array_argument(fcinfo, arg + 1, "opponent_deviation", n);
	const float8 *score = float8_array_argument(fcinfo, arg + 2, "score", n);
	GlickoGames games = {0, 0};
	int			i;

	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);
		check_not_negative("opponent_deviation", opponent_deviation[i]);
		check_probability("score", score[i]);
		glicko_add_game(&games, GLICKO_LOG_ODDS * (rating - opponent_rating[i]),
						GLICKO_LOG_ODDS * opponent_deviation[i], score[i], 0, 1);
	}
	return games;
}

/*
 * glicko_update(rating, deviation, opponent_rating, opponent_deviation, score, c)
 */
SQL_FUNCTION(skillrating_glicko_update)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	float8		deviation = check_positive("deviation", PG_GETARG_FLOAT8(1));
	float8		c = check_not_negative("c", PG_GETARG_FLOAT8(5));
	GlickoGames games;
	double		result[2];

	games = games_argument(fcinfo, rating, 2);
	deviation = GLICKO_LOG_ODDS *
		deviation_grown(deviation, c * c, GLICKO_DEVIATION_MAX);
	result[0] = rating + glicko_change(&games, deviation) / GLICKO_LOG_ODDS;
	result[1] = glicko_deviation(&games, deviation) / GLICKO_LOG_ODDS;
	return return_numbers(fcinfo, result, 2);
}

/*
 * glicko2_update(rating, deviation, volatility, opponent_rating,
 *				  opponent_deviation, score, tau, elapsed, deviation_max)
 */
SQL_FUNCTION(skillrating_glicko2_update)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	float8		deviation = check_positive("deviation", PG_GETARG_FLOAT8(1));
	float8		volatility = check_positive("volatility", PG_GETARG_FLOAT8(2));
	float8		tau = check_not_negative("tau", PG_GETARG_FLOAT8(6));
	float8		elapsed = check_not_negative("elapsed", PG_GETARG_FLOAT8(7));
	float8		deviation_max = PG_GETARG_FLOAT8(8);
	GlickoGames games;
	double		result[3];
	double		points;
	double		limit;

	/* Infinity is no limit, as in the paper. */
	if (!(deviation_max > 0))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("deviation_max must be positive, not %g", deviation_max)));
	games = games_argument(fcinfo, rating, 3);
	result[2] = glicko2_volatility(&games, GLICKO_LOG_ODDS * deviation,
								   volatility, tau);
	points = result[2] / GLICKO_LOG_ODDS;
	limit = Max(deviation, deviation_max);
	deviation = GLICKO_LOG_ODDS *
		deviation_grown(deviation, points * points * elapsed, INFINITY);
	result[0] = rating + glicko_change(&games, deviation) / GLICKO_LOG_ODDS;
	result[1] = glicko_deviation(&games, deviation) / GLICKO_LOG_ODDS;
	if (result[1] > limit)
		result[1] = limit;
	return return_numbers(fcinfo, result, 3);
}
