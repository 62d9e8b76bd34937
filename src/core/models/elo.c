/*
 * elo.c
 *		Elo's rating system, for two or more teams of any size.
 *
 * A. E. Elo, The Rating of Chessplayers, Past and Present (1978): expected
 * score from the difference of ratings, by the logistic curve in base 10 or by
 * the normal one, and a change of K times (score - expected score).
 *
 * A team rates as the mean or the sum of its members, weighted by play.  With
 * more than two teams every pair of them is a game; the probability to win
 * outright is then that of Luce's choice rule (logistic) or of the largest of
 * independent normal performances (normal), both of which have Elo's curve as
 * their marginal for each pair.
 *
 * A margin of victory multiplies the change, as in the World Football Elo
 * Ratings (eloratings.net) or by its logarithm.  That favourites win by more than
 * they lose by is allowed for as in the NFL ratings of N. Silver, "Introducing NFL
 * Elo Ratings" (FiveThirtyEight, 2014): the change is divided by 1 plus a multiple of
 * the winner's lead.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/models/elo.h"
#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/math/normal.h"
#include "core/models/max_lead.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	ELO_FORM = MODEL_COMMON_PARAMS,
	ELO_STRENGTH,
	ELO_SCALE,
	ELO_BETA,
	ELO_K,
	ELO_K_BY_GAMES,
	ELO_K_BY_RATING,
	ELO_FLOOR,
	ELO_INITIAL_RATING,
	ELO_MARGIN,
	ELO_MARGIN_UNIT,
	ELO_MARGIN_DRAW,
	ELO_MARGIN_AUTOCORRELATION,
	ELO_MAX_LEAD,
	ELO_K_FOR_LIFE,
	ELO_PERIOD,
	ELO_NPARAMS = ELO_PERIOD + PERIOD_NPARAMS
};

enum
{
	FORM_LOGISTIC,
	FORM_NORMAL
};

enum
{
	STRENGTH_MEAN,
	STRENGTH_SUM
};

enum
{
	MARGIN_NONE,
	MARGIN_GOALS,
	MARGIN_LOG,
	MARGIN_LN
};

/* The most that an upset by a team that was far behind multiplies the change by. */
#define AUTOCORRELATION_MOST 10

static const char *const form_choices[] = {"logistic", "normal", NULL};
static const char *const strength_choices[] = {"mean", "sum", NULL};

static const char *const margin_choices[] = {"none", "goals", "log", "ln", NULL};

static const ParamSpec elo_params[] = {
	{.name = "form",.type = PARAM_CHOICE,.default_value = FORM_LOGISTIC,
		.choices = form_choices,
	.description = "curve of the expected score"},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STRENGTH_MEAN,
		.choices = strength_choices,
	.description = "strength of a team: weighted mean or sum of its members"},
	{.name = "scale",.type = PARAM_NUMBER,.default_value = 400,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.only_with = "form",.only_values = PARAM_VALUE(FORM_LOGISTIC),
	.description = "logistic form: difference at which the odds are 10 to 1"},
	{.name = "beta",.type = PARAM_NUMBER,.default_value = 200,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.only_with = "form",.only_values = PARAM_VALUE(FORM_NORMAL),
	.description = "normal form: standard deviation of one performance"},
	{.name = "k",.type = PARAM_NUMBER,.default_value = 32,
		.min = 0,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "change for a win that was thought impossible"},
	{.name = "k_by_games",.type = PARAM_STEPS,.of_state = true,
		.min = 0,.max = 1e9,.unit = "games, rating points",
	.description = "pairs [games, k]: k of players with fewer rated games"},
	{.name = "k_by_rating",.type = PARAM_STEPS,
		.min = 0,.max = 1e9,.unit = "rating points, rating points",
	.description = "pairs [rating, k]: k from that rating on, after k_by_games"},
	{.name = "floor",.type = PARAM_NUMBER,.default_value = -INFINITY,
		.min = -INFINITY,.max = 1e9,.unit = "rating points",
		.search = {-3000, 3000},
	.description = "no loss takes a rating below this; breaks conservation"},
	{.name = "initial_rating",.type = PARAM_NUMBER,.default_value = 1500,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "rating of a player who has not played"},
	{.name = "margin",.type = PARAM_CHOICE,.default_value = MARGIN_NONE,
		.choices = margin_choices,
	.description = "how the margin of victory, by score, multiplies the change"},
	{.name = "margin_unit",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.above_min = true,.max = 1e9,.unit = "score",
		.only_with = "margin",.only_values = ~PARAM_VALUE(MARGIN_NONE),
	.description = "margin that counts as one goal"},
	{.name = "margin_draw",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e9,.unit = "factor",
		.only_with = "margin",.only_values = ~PARAM_VALUE(MARGIN_NONE),
	.description = "factor of the change for equal scores, as in a draw"},
	{.name = "margin_autocorrelation",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "per rating point",
		.search = {0.0001, 0.1},
		.only_with = "margin",.only_values = ~PARAM_VALUE(MARGIN_NONE),
	.description = "with a margin, the change is divided by 1 + this * the winner's lead"},
	MAX_LEAD_PARAM,
	{.name = "k_for_life",.type = PARAM_FLAG,.of_state = true,
		.only_with = "k_by_rating",.only_values = PARAM_VALUE(1),
	.description = "whether k_by_rating goes by the highest rating so far, and not by the present one"},
	PERIOD_PARAMS(30, PARAM_VALUE(PERIOD_DAYS), "length of a rating period of days"),
};

static const ModelPart elo_parts[] = {
	{.name = "margin",.description = "margins of victory multiply the change",
		.needs = MODEL_SCORE,.nparams = 2,
	.param = {{ELO_MARGIN, MARGIN_NONE, MARGIN_GOALS}, {ELO_MARGIN_UNIT, 1, 1}}},
	{.name = "normal",.description = "the expected score is a normal curve",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{ELO_FORM, FORM_LOGISTIC, FORM_NORMAL}}},
	{.name = "sum",.description = "a team is worth the sum of its members",
		.kind = PART_CHOICE,.nparams = 1,
	.param = {{ELO_STRENGTH, STRENGTH_MEAN, STRENGTH_SUM}}},
	MODEL_COMMON_PARTS
};

/* The columns of the state: all, or the first alone where K needs no more. */
enum
{
	ELO_RATING,
	ELO_HIGHEST_RATING,
	ELO_EARLIER_GAMES,
	ELO_NKEPT					/* behind which an open period comes */
};

#define RATING_COLUMN \
	{.name = "rating",.min = -INFINITY,.description = "rating in points"}
#define MEMORY_COLUMNS \
	{.name = "highest_rating",.min = -INFINITY,.role = ROLE_HIGHEST, \
	.description = "highest rating so far, which k_for_life goes by"}, \
	{.name = "earlier_games",.min = 0,.role = ROLE_GAMES, \
	.description = "rated games before the first one here, which k_by_games counts too"}
#define ELO_PERIOD_COLUMNS \
	PERIOD_COLUMNS("period_matches", "matches of the open period", \
				   "period_sum", "sum of the changes by these"), \
	PERIOD_TOURNAMENT_COLUMNS

static const StateSpec elo_state[] = {RATING_COLUMN};
static const StateSpec elo_period_state[] = {PERIOD_START_RATING, ELO_PERIOD_COLUMNS};

/* The same with what K needs. */
static const StateSpec elo_memory_state[] = {RATING_COLUMN, MEMORY_COLUMNS};
static const StateSpec elo_memory_period_state[] =
{PERIOD_START_RATING, MEMORY_COLUMNS, ELO_PERIOD_COLUMNS};

/* Whether K needs more of a player than the rating, and games that are counted anyway. */
static bool
elo_remembers(const ParamValue *params)
{
	return params[ELO_K_FOR_LIFE].flag || params[ELO_K_BY_GAMES].steps.n > 0;
}

static const Model *elo_variant(const ParamValue *params);

static void
elo_init(const ParamValue *params, double *state)
{
	if (params[ELO_PERIOD].choice != PERIOD_NONE)
		memset(state, 0, elo_variant(params)->nstate * sizeof(double));
	state[ELO_RATING] = params[ELO_INITIAL_RATING].number;
	if (elo_remembers(params))
	{
		state[ELO_HIGHEST_RATING] = state[ELO_RATING];
		state[ELO_EARLIER_GAMES] = 0;
	}
}

double
elo_logistic(double difference, double scale, double log_odds)
{
	return logistic(difference / scale * M_LN10 + log_odds);
}

/* The context shifts the logit of whatever probability the curve gives. */
double
elo_normal(double difference, double beta, double log_odds)
{
	double		z = difference / beta * M_SQRT1_2;

	if (log_odds == 0)
		return normal_cdf(z);
	return logistic(normal_log_cdf(z) - normal_log_cdf(-z) + log_odds);
}

/*
 * The score of a place, 1 to n, up to a constant.  By the base over its largest power, so
 * that no power overflows.
 */
static double
place_score(double place, int n, double score_base)
{
	double		log_base = portable_log(score_base);

	if (score_base == 1)
		return n - place;
	return -portable_expm1(-log_base * (n - place)) * portable_exp(-log_base * (place - 1));
}

void
elo_contest(const double *rating, const double *rank, int n, double k,
			double scale, double score_base, double *share, double *after)
{
	double		total = 0;
	int			i,
				j;

	for (i = 1; i <= n; i++)
		total += place_score(i, n, score_base);
	for (i = 0; i < n; i++)
	{
		double		score = 0;
		int			better = 0;
		int			tied = 0;

		share[i] = 0;
		for (j = 0; j < n; j++)
		{
			better += rank[j] < rank[i];
			tied += rank[j] == rank[i];
			if (j != i)
				share[i] += elo_logistic(rating[i] - rating[j], scale, 0);
		}
		share[i] /= n * (n - 1) / 2.0;
		for (j = 1; j <= tied; j++)
			score += place_score(better + j, n, score_base) / tied;
		after[i] = rating[i] + k * (n - 1) * (score / total - share[i]);
	}
}

/* The score that is expected at a difference that counts. */
static double
elo_expected(const ParamValue *params, double difference, double log_odds)
{
	if (params[ELO_FORM].choice == FORM_LOGISTIC)
		return elo_logistic(difference, params[ELO_SCALE].number, log_odds);
	return elo_normal(difference, params[ELO_BETA].number, log_odds);
}

/* Rating points that are worth a unit of log-odds, in the limit of small leads. */
static double
elo_points_of_log_odds(const ParamValue *params)
{
	if (params[ELO_FORM].choice == FORM_LOGISTIC)
		return params[ELO_SCALE].number / M_LN10;

	/*
	 * The slope of the logit of Phi(x / (sqrt(2) beta)) at 0 is 2 / (sqrt(pi)
	 * beta).
	 */
	return params[ELO_BETA].number / M_2_SQRTPI;
}

static void
elo_team_ratings(const ParamValue *params, const Match *match, double *rating)
{
	double		weight[MATCH_MAX_TEAMS];
	int			i;

	match_team_sums(match, rating, weight);
	if (params[ELO_STRENGTH].choice == STRENGTH_MEAN)
		for (i = 0; i < match->nteams; i++)
			rating[i] /= weight[i];
}

static void
elo_win_probabilities(const ParamValue *params, Match *match,
					  const double *rating)
{
	double		max_lead = params[ELO_MAX_LEAD].number;
	double		counts[MATCH_MAX_TEAMS];
	double		win[MATCH_MAX_TEAMS];
	double		deviation[MATCH_MAX_TEAMS];
	double		work[NORMAL_WORK(MATCH_MAX_TEAMS)];
	int			i;

	if (match->nteams == 2)
	{
		int			first = match_first_side(match);
		double		lead = rating[first] - rating[1 - first];
		double		p;

		if (fabs(lead) > max_lead)
			lead = capped_lead(lead, max_lead);
		p = elo_expected(params, lead, match->log_odds);
		match->team[first].win = p;
		match->team[1 - first].win = 1 - p;
		return;
	}

	/* No rule limits what the larger team has in advance. */
	ratings_within(rating, match->nteams, max_lead, counts);
	match_add_log_odds(match, elo_points_of_log_odds(params), counts);
	if (params[ELO_FORM].choice == FORM_NORMAL)
	{
		for (i = 0; i < match->nteams; i++)
			deviation[i] = params[ELO_BETA].number;
		normal_best_of(counts, deviation, match->nteams, win, work, match->interrupt);
	}
	else
		luce_choice(counts, params[ELO_SCALE].number / M_LN10, match->nteams,
					win);
	for (i = 0; i < match->nteams; i++)
		match->team[i].win = win[i];
}

static MatchStatus
elo_predict(const ParamValue *params, Match *match)
{
	double		rating[MATCH_MAX_TEAMS];

	elo_team_ratings(params, match, rating);
	elo_win_probabilities(params, match, rating);
	return match_check_predictions(match);
}

/*
 * What a margin of some units multiplies the change by.  The index of goals is 1, 1.5,
 * 1.75, 1.875, 2, ..., and straight between; that and "log" are never less than 1.
 */
static double
elo_margin_index(const ParamValue *params, double margin)
{
	int			form = params[ELO_MARGIN].choice;

	if (margin == 0)
		return params[ELO_MARGIN_DRAW].number;
	if (form == MARGIN_LN)
		return portable_log1p(margin);
	if (margin <= 1)
		return 1;
	if (form == MARGIN_LOG)
		return portable_log1p(margin) / M_LN2;
	if (margin < 2)
		return 1 + (margin - 1) / 2;
	if (margin < 3)
		return 1.5 + (margin - 2) / 4;
	return (11 + margin) / 8;
}

/*
 * What the margin of a game multiplies the change by: 1 where scores are not known.  The
 * lead is that of team a, with what the context is worth.
 */
static double
elo_margin(const ParamValue *params, const MatchTeam *a, const MatchTeam *b,
		   double lead)
{
	double		margin = fabs(a->score - b->score) /
		params[ELO_MARGIN_UNIT].number;
	double		autocorrelation = params[ELO_MARGIN_AUTOCORRELATION].number;
	double		index;

	if (params[ELO_MARGIN].choice == MARGIN_NONE || isnan(margin))
		return 1;
	index = elo_margin_index(params, margin);
	/* Nobody wins a draw. */
	if (a->rank == b->rank || autocorrelation == 0)
		return index;
	return index / larger(1 + autocorrelation * (a->rank < b->rank ? lead : -lead),
						  1.0 / AUTOCORRELATION_MOST);
}

/* The lead of team i over team j that counts, with what the context is worth. */
static double
elo_lead(const ParamValue *params, const Match *match, const double *rating, int i, int j)
{
	return capped_lead(rating[i] - rating[j], params[ELO_MAX_LEAD].number) +
		match_log_odds_between(match, i, j) * elo_points_of_log_odds(params);
}

/*
 * Score of team i minus what was expected, times the margin, a mean over its
 * opponents.
 */
static double
elo_surprise(const ParamValue *params, const Match *match,
			 const double *rating, int i)
{
	double		sum = 0;
	int			j;

	for (j = 0; j < match->nteams; j++)
	{
		double		expected = match->team[i].win;
		double		margin = 1;
		double		score = 0.5;

		if (j == i)
			continue;
		if (match->team[i].rank != match->team[j].rank)
			score = match->team[i].rank < match->team[j].rank;
		if (match->nteams > 2 || params[ELO_MARGIN].choice != MARGIN_NONE)
		{
			double		lead = elo_lead(params, match, rating, i, j);

			if (match->nteams > 2)
				expected = elo_expected(params, lead, 0);
			margin = elo_margin(params, &match->team[i], &match->team[j], lead);
		}
		sum += margin * (score - expected);
	}
	return sum / (match->nteams - 1);
}

/* The highest rating of a player who remembers it; a state may have been given without. */
static double
elo_highest(const double *state)
{
	return larger(state[ELO_RATING], state[ELO_HIGHEST_RATING]);
}

/* Rated games of a player, at the start of the open period if there are periods. */
static double
elo_games(const ParamValue *params, const MatchPlayer *player)
{
	int			period = elo_variant(params)->period;
	double		games = player->games;

	if (period != 0)
		games -= player->before[period + PERIOD_FIRST_SUM];
	if (elo_remembers(params))
		games += player->before[ELO_EARLIER_GAMES];
	return games;
}

static double
elo_k(const ParamValue *params, const MatchPlayer *player)
{
	const double *state = player->before;
	double		rating = params[ELO_K_FOR_LIFE].flag ? elo_highest(state) : state[ELO_RATING];
	const ParamSteps *by_games = &params[ELO_K_BY_GAMES].steps;
	const ParamSteps *by_rating = &params[ELO_K_BY_RATING].steps;
	int			i;

	if (by_games->n > 0)
	{
		double		games = elo_games(params, player);

		for (i = 0; i < by_games->n; i++)
			if (games < by_games->bound[i])
				return by_games->value[i];
	}
	for (i = by_rating->n - 1; i >= 0; i--)
		if (rating >= by_rating->bound[i])
			return by_rating->value[i];
	return params[ELO_K].number;
}

/*
 * The state once the rating has changed, from that before.  The floor catches a fall, and
 * neither lifts a rating nor hides a NaN.
 */
static void
elo_settle(const ParamValue *params, const double *before, double rating, double *after)
{
	double		floor = params[ELO_FLOOR].number;

	if (rating < floor && rating < before[ELO_RATING])
		rating = smaller(before[ELO_RATING], floor);
	if (elo_remembers(params))
	{
		after[ELO_HIGHEST_RATING] = larger(elo_highest(before), rating);
		after[ELO_EARLIER_GAMES] = before[ELO_EARLIER_GAMES];
	}
	after[ELO_RATING] = rating;
}

static MatchStatus
elo_rate(const ParamValue *params, Match *match)
{
	bool		has_periods = params[ELO_PERIOD].choice != PERIOD_NONE;
	double		rating[MATCH_MAX_TEAMS];
	double		surprise[MATCH_MAX_TEAMS];
	int			i;

	elo_team_ratings(params, match, rating);
	elo_win_probabilities(params, match, rating);

	/* Of two teams one gains what the other loses, to the last bit. */
	surprise[0] = elo_surprise(params, match, rating, 0);
	surprise[1] = -surprise[0];
	if (match->nteams > 2)
		for (i = 1; i < match->nteams; i++)
			surprise[i] = elo_surprise(params, match, rating, i);

	for (i = 0; i < match->nplayers; i++)
	{
		/* A period has a sum of changes, which begins at 0. */
		match->player[i].after[0] = has_periods ? 0 : match->player[i].before[0];
		match->player[i].gradient = 0;
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		MatchPlayer *player = &match->player[e->player];

		player->after[0] += player->gain * e->weight * surprise[e->team] *
			elo_k(params, player);
		player->gradient += e->weight * surprise[e->team];
	}

	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		if (has_periods)
			period_add(elo_variant(params), params, player->before, 1, player->after[0], player->after);
		else
			elo_settle(params, player->before, player->after[0], player->after);
	}
	return match_check_predictions(match);
}

/* The end of a period; a rating knows no idle time. */
static void
elo_close(const ParamValue *params, double *state, double elapsed)
{
	const double *open = state + elo_variant(params)->period;

	(void) elapsed;
	elo_settle(params, state, state[ELO_RATING] + open[PERIOD_SECOND_SUM], state);
}

static void
elo_display(const ParamValue *params, double *coefficient)
{
	const Model *model = elo_variant(params);
	int			i;

	for (i = 0; i <= model->nstate; i++)
		coefficient[i] = (i == 0);
	if (model->period != 0)
		coefficient[model->period + PERIOD_CHANGE] = period_shown(&params[ELO_PERIOD]);
}

static TeamStrength
elo_team_strength(const ParamValue *params)
{
	return params[ELO_STRENGTH].choice == STRENGTH_SUM ? TEAM_STRENGTH_SUM : TEAM_STRENGTH_MEAN;
}

/* What all variants have; columns are the first so many of the states. */
#define ELO_MODEL(states, columns) \
	.name = "elo", \
	.summary = "Elo rating, logistic or normal, for teams and free-for-all", \
	.source = "A. E. Elo, The Rating of Chessplayers, Past and Present (1978)", \
	.params = MODEL_PARAMS("elo", elo_params, ELO_NPARAMS), \
	.state = (states), \
	.nstate = (columns), \
	.variant = elo_variant, \
	.rules.component = model_common_components, \
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS, \
	.part = elo_parts, \
	.nparts = sizeof(elo_parts) / sizeof(elo_parts[0]), \
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS | \
	MODEL_GAIN | MODEL_SCORE, \
	.init = elo_init, \
	.team_strength = elo_team_strength, \
	.predict = elo_predict, \
	.rate = elo_rate, \
	.display = elo_display

extern const Model elo_model;
const Model elo_model = {ELO_MODEL(elo_state, 1)};
static const Model elo_with_memory = {ELO_MODEL(elo_memory_state, ELO_NKEPT)};

#define ELO_PERIOD_MODEL(states, kept, columns) \
	{ELO_MODEL(states, (kept) + (columns)),.period = (kept),.period_param = ELO_PERIOD, \
	.close = elo_close}

static const Model elo_calendar = ELO_PERIOD_MODEL(elo_period_state, 1, PERIOD_NCOLUMNS);
static const Model elo_tournaments =
	ELO_PERIOD_MODEL(elo_period_state, 1, PERIOD_NTOURNAMENT_COLUMNS);
static const Model elo_calendar_with_memory =
	ELO_PERIOD_MODEL(elo_memory_period_state, ELO_NKEPT, PERIOD_NCOLUMNS);
static const Model elo_tournaments_with_memory =
	ELO_PERIOD_MODEL(elo_memory_period_state, ELO_NKEPT, PERIOD_NTOURNAMENT_COLUMNS);

static const Model *
elo_variant(const ParamValue *params)
{
	if (elo_remembers(params))
		return period_variant(&params[ELO_PERIOD], &elo_with_memory,
							  &elo_calendar_with_memory, &elo_tournaments_with_memory);
	return period_variant(&params[ELO_PERIOD], &elo_model, &elo_calendar, &elo_tournaments);
}
