/*
 * glicko.c
 *		Glicko: ratings with a deviation that grows in idle time.
 *
 * M. E. Glickman, "Parameter estimation in large dynamic paired comparison
 * experiments" (Applied Statistics 48, 1999) and "The Glicko system".  A match
 * of a ladder is a rating period of its own, and the deviation grows with the
 * time between them.
 */
#include "core/models/glicko.h"

#include <stddef.h>

#include "core/math/logistic.h"
#include "core/math/square.h"
#include "core/models/deviation.h"
#include "core/models/max_lead.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	GLICKO_RATING,
	GLICKO_DEVIATION,
	GLICKO_NSTATE
};

enum
{
	GLICKO_INITIAL_RATING = MODEL_COMMON_PARAMS,
	GLICKO_INITIAL_DEVIATION,
	GLICKO_DEVIATION_MIN,
	GLICKO_DEVIATION_LIMIT,
	GLICKO_C,
	GLICKO_PERIOD,
	GLICKO_OPPONENTS = GLICKO_PERIOD + PERIOD_NPARAMS,
	GLICKO_MAX_LEAD,
	GLICKO_NPARAMS
};

const char *const glicko_opponents[] = {"ranking", "mean", "each", NULL};

static const ParamSpec glicko_params[] = {
	{.name = "initial_rating",.type = PARAM_NUMBER,.default_value = 1500,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "rating of a player who has not played"},
	{.name = "initial_deviation",.type = PARAM_NUMBER,
		.default_value = GLICKO_DEVIATION_MAX,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "deviation of a player who has not played"},
	{.name = "deviation_min",.type = PARAM_NUMBER,.default_value = 30,
		.min = 0,.max = 1e9,.unit = "rating points",
	.description = "no match takes a deviation below this, so that ratings keep moving"},
	{.name = "deviation_max",.type = PARAM_NUMBER,
		.default_value = GLICKO_DEVIATION_MAX,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
	.description = "idle time takes no deviation beyond this"},
	{.name = "c",.type = PARAM_NUMBER,.default_value = 63.2,
		.min = 0,.max = 1e9,.unit = "rating points per square root of a period",
		.searched = true,
		.of_time = true,
	.description = "growth of the deviation in idle time"},
	PERIOD_PARAMS(30, PERIOD_UNIT, "length of the rating period that c refers to, unless the calendar says it"),
	{.name = "opponents",.type = PARAM_CHOICE,.default_value = GLICKO_RANKING,
		.choices = glicko_opponents,
	.description = "weight of the games against all other teams together: that of the order of teams, one game, or one game each"},
	MAX_LEAD_PARAM
};

#define DEVIATION_COLUMN \
	{.name = "deviation",.min = MIN_DEVIATION,.role = ROLE_DEVIATION, \
	.description = "standard deviation of the rating in points"}

static const StateSpec glicko_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	DEVIATION_COLUMN
};
static const StateSpec glicko_period_state[] =
{PERIOD_START_RATING, DEVIATION_COLUMN, GLICKO_PERIOD_COLUMNS};

static const Model *glicko_variant(const ParamValue *params);

double
glicko_g(double deviation)
{
	return 1 / sqrt(1 + 3 * deviation * deviation / (M_PI * M_PI));
}

double
glicko_win_probability(double difference, double deviation_a,
					   double deviation_b, double log_odds)
{
	return logistic(glicko_g(sqrt(square(deviation_a) + square(deviation_b))) * difference +
					log_odds);
}

/* All in log-odds: ratings and deviations are divided by 400 / ln 10 first. */
void
glicko_add_game(GlickoGames *games, double difference,
				double opponent_deviation, double score, double log_odds,
				double weight)
{
	double		g = glicko_g(opponent_deviation);
	double		win = logistic(g * difference + log_odds);

	/* Not 1 - win, of which nothing is left beyond 6400 points. */
	double		loss = logistic(-g * difference - log_odds);

	games->information += weight * g * g * win * loss;
	games->surprise += weight * g * (score * loss - (1 - score) * win);
}

double
glicko_deviation(const GlickoGames *games, double deviation)
{
	return deviation / sqrt(1 + deviation * deviation * games->information);
}

double
glicko_change(const GlickoGames *games, double deviation)
{
	double		after = glicko_deviation(games, deviation);

	return after * after * games->surprise;
}

/* A team as a player; the deviation is the root of the mean square. */
typedef struct GlickoTeam
{
	double		rating;
	double		deviation;
	double		weight;
} GlickoTeam;

static void
gather_teams(const Match *match, GlickoTeam *teams)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		teams[i].rating = teams[i].deviation = teams[i].weight = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const double *state = match->player[e->player].before;
		GlickoTeam *team = &teams[e->team];
		double		deviation = GLICKO_LOG_ODDS * state[GLICKO_DEVIATION];

		team->rating += e->weight * GLICKO_LOG_ODDS * state[GLICKO_RATING];

		/*
		 * The mean of squares and not that of the mean, so that a large team
		 * is no more certain than its members.
		 */
		team->deviation += e->weight * deviation * deviation;
		team->weight += e->weight;
	}
	for (i = 0; i < match->nteams; i++)
	{
		teams[i].rating /= teams[i].weight;
		teams[i].deviation = sqrt(teams[i].deviation / teams[i].weight);
	}
}

/*
 * Of more than two teams Luce's choice rule, with the g of two teams of mean
 * squared deviation.
 */
static MatchStatus
predict_teams(Match *match, const GlickoTeam *teams, double max_lead)
{
	double		rating[MATCH_MAX_TEAMS];
	double		counts[MATCH_MAX_TEAMS];
	double		win[MATCH_MAX_TEAMS];
	double		variance = 0;
	double		unit;
	int			i;

	if (match->nteams == 2)
	{
		match->team[0].win = glicko_win_probability(capped_lead(teams[0].rating -
																teams[1].rating, max_lead),
													teams[0].deviation,
													teams[1].deviation,
													match_log_odds_for(match, 0));
		match->team[1].win = 1 - match->team[0].win;
		return match_check_predictions(match);
	}
	for (i = 0; i < match->nteams; i++)
		variance += square(teams[i].deviation);
	unit = 1 / glicko_g(sqrt(2 * variance / match->nteams));
	for (i = 0; i < match->nteams; i++)
		rating[i] = teams[i].rating;
	ratings_within(rating, match->nteams, max_lead, counts);
	match_add_log_odds(match, unit, counts);
	luce_choice(counts, unit, match->nteams, win);
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = win[i];
	return match_check_predictions(match);
}

/*
 * How many games one of the n - 1 games of a match of n teams counts.
 *
 * An order of teams is no set of independent games: under Luce's choice rule it comes
 * of n performances, of which each takes part in n - 1 comparisons.  What the order of
 * n equals tells of one of them, as Fisher's information, is the mean over the ranks
 * of the sum of p (1 - p) over the places given out until its own, each with p = 1 /
 * (number left), which is 1 - (1 + 1/2 + ... + 1/n) / n.  Of two teams it is the 1/4
 * of a game, and never more than 1, that of four games.
 */
static double
game_weight(enum GlickoOpponents opponents, int n)
{
	double		harmonic = 0;
	int			i;

	if (opponents == GLICKO_EACH || n == 2)
		return 1;
	if (opponents == GLICKO_MEAN)
		return 1.0 / (n - 1);
	for (i = n; i > 0; i--)
		harmonic += 1.0 / i;
	return 4 * (1 - harmonic / n) / (n - 1);
}

/* What the match tells of each player of team i who played all of it. */
static GlickoGames
team_games(const Match *match, const GlickoTeam *teams, double max_lead, double weight, int i)
{
	GlickoGames games = {0, 0};
	int			j;

	for (j = 0; j < match->nteams; j++)
	{
		double		score = 0.5;

		if (j == i)
			continue;
		if (match->team[j].rank != match->team[i].rank)
			score = match->team[i].rank < match->team[j].rank;
		glicko_add_game(&games, capped_lead(teams[i].rating - teams[j].rating, max_lead),
						teams[j].deviation, score, match_log_odds_between(match, i, j), weight);
	}
	return games;
}

MatchStatus
glicko_predict_teams(Match *match, double max_lead)
{
	GlickoTeam	teams[MATCH_MAX_TEAMS];

	gather_teams(match, teams);
	return predict_teams(match, teams, GLICKO_LOG_ODDS * max_lead);
}

static MatchStatus
glicko_predict(const ParamValue *params, Match *match)
{
	return glicko_predict_teams(match, params[GLICKO_MAX_LEAD].number);
}

MatchStatus
glicko_play(Match *match, enum GlickoOpponents opponents, double max_lead)
{
	GlickoTeam	teams[MATCH_MAX_TEAMS];
	GlickoGames of_team[MATCH_MAX_TEAMS];
	double		weight = game_weight(opponents, match->nteams);
	int			i;

	gather_teams(match, teams);
	for (i = 0; i < match->nteams; i++)
		of_team[i] = team_games(match, teams, GLICKO_LOG_ODDS * max_lead, weight, i);
	for (i = 0; i < match->nplayers; i++)
		match->player[i].after[0] = match->player[i].after[1] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		double	   *after = match->player[e->player].after;

		/*
		 * The states after serve as room for the sums until the update; games
		 * on several teams add up.
		 */
		after[0] += e->weight * of_team[e->team].information;
		after[1] += e->weight * of_team[e->team].surprise;
	}
	return predict_teams(match, teams, GLICKO_LOG_ODDS * max_lead);
}

GlickoGames
glicko_games_of(const MatchPlayer *player)
{
	GlickoGames games = {player->after[0], player->after[1]};

	return games;
}

void
glicko_update_player(MatchPlayer *player, double deviation_min)
{
	GlickoGames games = glicko_games_of(player);
	const double *before = player->before;
	double		deviation = GLICKO_LOG_ODDS * before[GLICKO_DEVIATION];
	double		ratio = glicko_deviation(&games, deviation) / deviation;
	double		least = larger(MIN_DEVIATION,
							   smaller(before[GLICKO_DEVIATION], deviation_min));

	player->gradient = games.surprise;
	player->after[GLICKO_RATING] = before[GLICKO_RATING] + player->gain *
		glicko_change(&games, deviation) / GLICKO_LOG_ODDS;
	player->after[GLICKO_DEVIATION] =
		deviation_updated(before[GLICKO_DEVIATION], ratio, player->gain, least);
}

GlickoGames
glicko_period_games(const double *open)
{
	GlickoGames games = {open[PERIOD_FIRST_SUM], open[PERIOD_SECOND_SUM]};

	return games;
}

void
glicko_end_period(const GlickoGames *games, double deviation, double deviation_min,
				  double *state)
{
	double		least = larger(MIN_DEVIATION, smaller(state[GLICKO_DEVIATION], deviation_min));
	double		after = glicko_deviation(games, GLICKO_LOG_ODDS * deviation) / GLICKO_LOG_ODDS;

	state[GLICKO_RATING] +=
		glicko_change(games, GLICKO_LOG_ODDS * deviation) / GLICKO_LOG_ODDS;

	/* Not larger(), which would hide a NaN. */
	state[GLICKO_DEVIATION] = after < least ? least : after;
}

void
glicko_add_to_periods(const Model *model, const ParamValue *params, Match *match)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		GlickoGames games = glicko_games_of(player);

		player->gradient = games.surprise;
		period_add(model, params, player->before, player->gain * games.information,
				   player->gain * games.surprise, player->after);
	}
}

static void
glicko_init(const ParamValue *params, double *state)
{
	int			i;

	state[GLICKO_RATING] = params[GLICKO_INITIAL_RATING].number;
	state[GLICKO_DEVIATION] = larger(params[GLICKO_INITIAL_DEVIATION].number,
									 MIN_DEVIATION);
	for (i = GLICKO_NSTATE; i < glicko_variant(params)->nstate; i++)
		state[i] = 0;
}

static void
glicko_age(const ParamValue *params, double *state, double seconds)
{
	double		c = params[GLICKO_C].number;
	double		periods = seconds / (SECONDS_PER_DAY * params[GLICKO_PERIOD + 1].number);

	state[GLICKO_DEVIATION] =
		deviation_grown(state[GLICKO_DEVIATION], c * c * periods,
						params[GLICKO_DEVIATION_LIMIT].number);
}

static MatchStatus
glicko_rate(const ParamValue *params, Match *match)
{
	const Model *model = glicko_variant(params);
	MatchStatus status = glicko_play(match, params[GLICKO_OPPONENTS].choice,
									 params[GLICKO_MAX_LEAD].number);
	int			i;

	if (model->period != 0)
	{
		glicko_add_to_periods(model, params, match);
		return status;
	}
	for (i = 0; i < match->nplayers; i++)
		glicko_update_player(&match->player[i],
							 params[GLICKO_DEVIATION_MIN].number);
	return status;
}

static void
glicko_display(const ParamValue *params, double *coefficient)
{
	const Model *model = glicko_variant(params);
	int			i;

	for (i = 0; i <= model->nstate; i++)
		coefficient[i] = (i == GLICKO_RATING);
	if (model->period != 0)
		coefficient[model->period + PERIOD_CHANGE] = period_shown(&params[GLICKO_PERIOD]);
}

/* The deviation grows at the beginning of each period. */
static void
glicko_close(const ParamValue *params, double *state, double elapsed)
{
	GlickoGames games = glicko_period_games(state + GLICKO_NSTATE);
	double		c = params[GLICKO_C].number;

	glicko_end_period(&games, state[GLICKO_DEVIATION], params[GLICKO_DEVIATION_MIN].number,
					  state);
	state[GLICKO_DEVIATION] =
		deviation_grown(state[GLICKO_DEVIATION], c * c * elapsed,
						params[GLICKO_DEVIATION_LIMIT].number);
}

/* What all variants have. */
#define GLICKO_MODEL(states, columns) \
	.name = "glicko", \
	.summary = "rating and deviation, which grows in idle time", \
	.source = "M. E. Glickman, Parameter estimation in large dynamic paired comparison experiments (1999)", \
	.params = MODEL_PARAMS("glicko", glicko_params, GLICKO_NPARAMS), \
	.state = (states), \
	.nstate = GLICKO_NSTATE + (columns), \
	.variant = glicko_variant, \
	MODEL_COMMON, \
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS | \
	MODEL_GAIN, \
	.init = glicko_init, \
	.predict = glicko_predict, \
	.rate = glicko_rate, \
	.display = glicko_display

extern const Model glicko_model;
const Model glicko_model = {GLICKO_MODEL(glicko_state, 0),.age = glicko_age};

/* Time passes in whole periods. */
#define GLICKO_PERIOD_MODEL(columns) \
	{GLICKO_MODEL(glicko_period_state, columns),.period = GLICKO_NSTATE,.period_param = GLICKO_PERIOD, \
	.close = glicko_close}

static const Model glicko_calendar = GLICKO_PERIOD_MODEL(PERIOD_NCOLUMNS);
static const Model glicko_tournaments = GLICKO_PERIOD_MODEL(PERIOD_NTOURNAMENT_COLUMNS);

static const Model *
glicko_variant(const ParamValue *params)
{
	return period_variant(&params[GLICKO_PERIOD], &glicko_model, &glicko_calendar,
						  &glicko_tournaments);
}
