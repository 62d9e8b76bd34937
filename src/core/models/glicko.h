/*
 * glicko.h
 *		Glicko's mathematics, which Glicko-2 shares but for the volatility.
 *
 * Everything is in log-odds: a rating difference times GLICKO_LOG_ODDS.
 */
#ifndef CORE_MODELS_GLICKO_H
#define CORE_MODELS_GLICKO_H

#include <math.h>

#include "core/rating/match.h"

/* Log-odds per rating point: 400 points are odds of 10 to 1. */
#define GLICKO_LOG_ODDS (M_LN10 / 400)

/* No deviation grows beyond this, unless a ladder says otherwise; points. */
#define GLICKO_DEVIATION_MAX 350.0

/* How much an opponent of that deviation counts: 1 / sqrt(1 + 3 d^2 / pi^2). */
extern double glicko_g(double deviation);

/*
 * The probability that a beats b, draws counted as halves, from the difference
 * of their ratings and both deviations; log_odds of the context are added.
 */
extern double glicko_win_probability(double difference, double deviation_a,
									 double deviation_b, double log_odds);

/* What games tell of a rating: sums over games that start from nothing. */
typedef struct GlickoGames
{
	double		information;	/* of g^2 E (1 - E), the inverse variance */
	double		surprise;		/* of g (score - E) */
} GlickoGames;

/* Add weight games of one score, 0 to 1, against one opponent. */
extern void glicko_add_game(GlickoGames *games, double difference,
							double opponent_deviation, double score,
							double log_odds, double weight);

/* The deviation after games, and by how much the rating changes. */
extern double glicko_deviation(const GlickoGames *games, double deviation);
extern double glicko_change(const GlickoGames *games, double deviation);

/*
 * The volatility after games, of a player with that deviation before them: of the
 * roots of Glickman's f the one next to the volatility before, but at most sqrt(e)
 * times that.  NaN if the numbers are too large to compute with.
 */
extern double glicko2_volatility(const GlickoGames *games, double deviation,
								 double volatility, double tau);

/*
 * The matches of a ladder, for states that begin with rating and deviation in
 * points.  A team is the mean of its members, weighted by play, and has a game
 * against each other team.  The games of one match of n teams depend on each other,
 * so that together they count as many games as the order of n equals is worth under
 * Luce's choice rule, as one game, or as n - 1.
 */
enum GlickoOpponents
{
	GLICKO_RANKING,
	GLICKO_MEAN,
	GLICKO_EACH
};

extern const char *const glicko_opponents[];	/* these by name */

/* Win probabilities of all teams, of which no lead counts for more than max_lead points. */
extern MatchStatus glicko_predict_teams(Match *match, double max_lead);

/*
 * The same, and what the match tells of each player, which waits in the first
 * two columns of the state after until it is taken from there; and then rating
 * and deviation after in their place, with the player's gain and no deviation
 * below deviation_min, unless it was there before.
 */
extern MatchStatus glicko_play(Match *match, enum GlickoOpponents opponents, double max_lead);
extern GlickoGames glicko_games_of(const MatchPlayer *player);
extern void glicko_update_player(MatchPlayer *player, double deviation_min);

/* The columns of an open period, see period.h. */
#define GLICKO_PERIOD_COLUMNS \
	PERIOD_COLUMNS("period_information", "sum of g^2 E (1 - E) over the games of the open period", \
				   "period_surprise", "sum of g (score - E) over these"), \
	PERIOD_TOURNAMENT_COLUMNS

/*
 * Add the match that glicko_play() played to the open periods of its players: sums of games,
 * each as often as its player's gain says.
 */
extern void glicko_add_to_periods(const struct Model *model, const ParamValue *params,
								  Match *match);

/* The games of the open period, whose first column that is. */
extern GlickoGames glicko_period_games(const double *open);

/*
 * The end of a period: rating and deviation in points after games, from the deviation before
 * them, which does not fall below deviation_min unless it was there before.
 */
extern void glicko_end_period(const GlickoGames *games, double deviation,
							  double deviation_min, double *state);

#endif							/* CORE_MODELS_GLICKO_H */
