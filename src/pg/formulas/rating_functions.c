/*
 * rating_functions.c
 *		Elo for two players and for contests of many, Glicko and Glicko-2 for one player and a rating
 *		period, and SynElo's formulas, as functions.
 */
#include "pg/sql/arrays.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/models/deviation.h"
#include "core/models/elo.h"
#include "core/models/glicko.h"
#include "core/models/synelo.h"
#include "pg/sql/composite.h"

/*
 * ---- Elo ----
 */

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
		report_number("score_base", "be at least 1", score_base);

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

/*
 * ---- Glicko ----
 */

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
		report_number("deviation_max", "be positive", deviation_max);
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

/*
 * ---- SynElo ----
 */

/* synelo_theta(team_size_max) */
SQL_FUNCTION(skillrating_synelo_theta)
{
	int32		team_size_max = PG_GETARG_INT32(0);

	if (team_size_max < 1)
		report_number("team_size_max", "be at least 1", team_size_max);
	PG_RETURN_FLOAT8(synelo_theta(team_size_max));
}

/* synelo_win_probability(sum_a, sum_b, theta) */
SQL_FUNCTION(skillrating_synelo_win_probability)
{
	float8		sum_a = check_finite("sum_a", PG_GETARG_FLOAT8(0));
	float8		sum_b = check_finite("sum_b", PG_GETARG_FLOAT8(1));
	float8		theta = check_positive("theta", PG_GETARG_FLOAT8(2));

	PG_RETURN_FLOAT8(synelo_win_probability(sum_a - sum_b, theta));
}

/*
 * synelo_convergence(rating, expected, outcome, k_high, velocity_weight,
 *					  surprise_weight, volatility_weight, saturate)
 */
SQL_FUNCTION(skillrating_synelo_convergence)
{
	int			n = -1;
	const float8 *rating = finite_array_argument(fcinfo, 0, "rating", &n);
	const float8 *expected = float8_array_argument(fcinfo, 1, "expected", n);
	const float8 *outcome = float8_array_argument(fcinfo, 2, "outcome", n);
	float8		k_high = check_positive("k_high", PG_GETARG_FLOAT8(3));
	SynEloWeights weights;
	SynEloSignals signals;
	float8	   *surprise = palloc_array(float8, Max(n, 1));
	int			i;

	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);
		check_probability("expected", expected[i]);
		check_probability("outcome", outcome[i]);
		surprise[i] = outcome[i] - expected[i];
	}
	weights.velocity = check_not_negative("velocity_weight", PG_GETARG_FLOAT8(4));
	weights.surprise = check_not_negative("surprise_weight", PG_GETARG_FLOAT8(5));
	weights.volatility = check_not_negative("volatility_weight", PG_GETARG_FLOAT8(6));
	weights.saturate = PG_GETARG_BOOL(7);
	signals = synelo_signals(rating, surprise, n, k_high, check_interrupts);
	PG_RETURN_FLOAT8(synelo_convergence(&signals, &weights));
}

/*
 * synelo_k(rating, convergence, k_low, k_high, initial_rating,
 *			compression_width)
 */
SQL_FUNCTION(skillrating_synelo_k)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	float8		convergence = check_probability("convergence", PG_GETARG_FLOAT8(1));
	float8		k_low = check_not_negative("k_low", PG_GETARG_FLOAT8(2));
	float8		k_high = check_not_negative("k_high", PG_GETARG_FLOAT8(3));
	float8		initial_rating = check_finite("initial_rating", PG_GETARG_FLOAT8(4));
	float8		compression_width = check_positive("compression_width", PG_GETARG_FLOAT8(5));

	PG_RETURN_FLOAT8(synelo_k(rating, convergence, k_low, k_high,
							  initial_rating, compression_width));
}

/* synelo_update(rating, k, score, expected, floor, rounded) */
SQL_FUNCTION(skillrating_synelo_update)
{
	float8		rating = check_finite("rating", PG_GETARG_FLOAT8(0));
	float8		k = check_not_negative("k", PG_GETARG_FLOAT8(1));
	float8		score = check_probability("score", PG_GETARG_FLOAT8(2));
	float8		expected = check_probability("expected", PG_GETARG_FLOAT8(3));
	float8		floor_at = PG_GETARG_FLOAT8(4);

	check_finite("floor", floor_at);
	rating += k * (score - expected);
	if (PG_GETARG_BOOL(5))
		rating = round_half_even(rating);
	PG_RETURN_FLOAT8(Max(rating, floor_at));
}

/* synelo_status(games, last_played, at, shadow_games, stale_days) */
SQL_FUNCTION(skillrating_synelo_status)
{
	int64		games = PG_GETARG_INT64(0);
	TimestampTz last_played = PG_GETARG_TIMESTAMPTZ(1);
	TimestampTz at = PG_GETARG_TIMESTAMPTZ(2);
	int32		shadow_games = PG_GETARG_INT32(3);
	int32		stale_days = PG_GETARG_INT32(4);
	const char *status = "visible";

	if (games < 0 || shadow_games < 0 || stale_days < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("games, shadow_games and stale_days must not be negative")));
	if (games < shadow_games)
		status = "shadow";
	else if ((double) at - (double) last_played >
			 stale_days * (double) USECS_PER_DAY)
		status = "stale";
	PG_RETURN_TEXT_P(cstring_to_text(status));
}
