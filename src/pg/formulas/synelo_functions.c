/*
 * synelo_functions.c
 *		SynElo's formulas as scalar functions.
 */
#include "pg/sql/arrays.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/models/synelo.h"

/* synelo_theta(team_size_max) */
SQL_FUNCTION(skillrating_synelo_theta)
{
	int32		team_size_max = PG_GETARG_INT32(0);

	if (team_size_max < 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("team_size_max must be at least 1, not %d",
						team_size_max)));
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
