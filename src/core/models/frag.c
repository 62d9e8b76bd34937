/*
 * frag.c
 *		Becker's dynamic ranking for first-person shooters.
 *
 * M. Becker, "Ranking-Verfahren für 1st-person-shooter" (2001, 2002): Elo whose
 * score is the share of the frags, for duels with a score, for single frags as
 * they come from a server's log, and for events that are worth several points.
 * The expected score is therefore an expected share and not a probability to
 * win.
 */
#include "core/models/frag.h"

#include <math.h>
#include <stddef.h>

#include "core/math/logistic.h"
#include "core/models/deviation.h"
#include "core/models/elo.h"
#include "core/models/max_lead.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	FRAG_K = MODEL_COMMON_PARAMS,
	FRAG_SCALE,
	FRAG_POINTS,
	FRAG_SPREAD,
	FRAG_FLOOR,
	FRAG_INITIAL_RATING,
	FRAG_DECAY,
	FRAG_DECAY_FLOOR,
	FRAG_MAX_LEAD,
	FRAG_NPARAMS
};

enum
{
	SPREAD_SHARE,
	SPREAD_KEEP
};

static const char *const spread_choices[] = {"share", "keep", NULL};

static const ParamSpec frag_params[] = {
	{.name = "k",.type = PARAM_NUMBER,.default_value = 40,
		.min = 0,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "change for a duel won to nothing that was thought impossible"},
	{.name = "scale",.type = PARAM_NUMBER,.default_value = 400,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
	.description = "difference at which the frags are expected 10 to 1"},
	{.name = "points",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "score",
		.search = {0.1, 1000},.zero_is_other = true,
	.description = "score that is one duel; 0: a match is one duel whatever its score"},
	{.name = "spread",.type = PARAM_CHOICE,.default_value = SPREAD_SHARE,
		.choices = spread_choices,
	.description = "whether a team of several shares what it loses and gains, or keeps its ratings"},
	{.name = "floor",.type = PARAM_NUMBER,.default_value = -INFINITY,
		.min = -INFINITY,.max = 1e9,.unit = "rating points",
		.search = {-3000, 3000},
	.description = "no loss takes a rating below this; breaks conservation"},
	{.name = "initial_rating",.type = PARAM_NUMBER,.default_value = 1000,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "rating of a player who has not played"},
	{.name = "decay",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "rating points per day",
		.search = {0.001, 100},
		.of_time = true,
	.description = "loss of a rating with time"},
	{.name = "decay_floor",.type = PARAM_NUMBER,.default_value = 0,
		.min = -1e9,.max = 1e9,.unit = "rating points",
		.search = {-3000, 3000},
		.only_with = "decay",.only_values = PARAM_VALUE(1),
		.of_time = true,
	.description = "no time takes a rating below this"},
	MAX_LEAD_PARAM
};

static const ModelPart frag_parts[] = {
	{.name = "points",.description = "a score counts as several duels",
		.needs = MODEL_SCORE,.nparams = 1,
	.param = {{FRAG_POINTS, 0, 10}}},
	MODEL_COMMON_PARTS
};

static const StateSpec frag_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
};

/* Points that one side lost count for the other: a score below 0 lifts both until none is. */
void
frag_scores(double *score_a, double *score_b)
{
	double		lost_a = smaller(*score_a, 0);
	double		lost_b = smaller(*score_b, 0);

	*score_a -= lost_a + lost_b;
	*score_b -= lost_a + lost_b;
}

double
frag_share(double score_a, double score_b)
{
	frag_scores(&score_a, &score_b);
	if (score_a == 0 && score_b == 0)
		return 0.5;
	/* Not a / (a + b), whose sum may overflow. */
	return score_a >= score_b ? 1 / (1 + score_b / score_a) :
		1 - 1 / (1 + score_a / score_b);
}

double
frag_win_share(double difference, double scale, double log_odds)
{
	return elo_logistic(difference, scale, log_odds);
}

/* How many duels a score is worth. */
static double
frag_duels(const FragRules *rules, double score_a, double score_b)
{
	if (rules->points == 0)
		return 1;
	frag_scores(&score_a, &score_b);
	return (score_a + score_b) / rules->points;
}

double
frag_duel(const FragRules *rules, double difference, double score_a,
		  double score_b)
{
	return rules->k * frag_duels(rules, score_a, score_b) *
		(frag_share(score_a, score_b) -
		 frag_win_share(difference, rules->scale, 0));
}

double
frag_alone(const FragRules *rules, double score)
{
	return frag_duel(rules, 0, score, 0);
}

double
frag_apply(const FragRules *rules, double rating, double change)
{
	double		floor = smaller(rating, rules->floor);

	rating += change;

	/* Not larger(), which would hide a NaN. */
	return rating < floor ? floor : rating;
}

double
frag_decayed(double rating, double days, double rate, double decay_floor)
{
	if (rate == 0 || rating <= decay_floor)
		return rating;
	return larger(rating - rate * days, decay_floor);
}

static void
frag_init(const ParamValue *params, double *state)
{
	state[0] = params[FRAG_INITIAL_RATING].number;
}

static void
frag_age(const ParamValue *params, double *state, double seconds)
{
	state[0] = frag_decayed(state[0], seconds / SECONDS_PER_DAY,
							params[FRAG_DECAY].number,
							params[FRAG_DECAY_FLOOR].number);
}

static void
frag_teams(const Match *match, double *rating, double *weight)
{
	int			i;

	match_team_sums(match, rating, weight);
	for (i = 0; i < match->nteams; i++)

		/*
		 * Teams compare by their weighted means; match_build() has seen to it
		 * that each has some weight.
		 */
		rating[i] /= weight[i];
}

/*
 * The expected share of a team: of the frags of two, or by Luce's choice rule of
 * those of more; a team on its own meets an equal.
 */
static MatchStatus
frag_shares(const ParamValue *params, Match *match, const double *rating)
{
	double		scale = params[FRAG_SCALE].number;
	double		max_lead = params[FRAG_MAX_LEAD].number;
	double		counts[MATCH_MAX_TEAMS];
	double		share[MATCH_MAX_TEAMS];
	int			i;

	if (match->nteams == 1)
		match->team[0].win = 0.5;
	else if (match->nteams == 2)
	{
		match->team[0].win = frag_win_share(capped_lead(rating[0] - rating[1], max_lead), scale,
											match_log_odds_for(match, 0));
		match->team[1].win = 1 - match->team[0].win;
	}
	else
	{
		ratings_within(rating, match->nteams, max_lead, counts);
		match_add_log_odds(match, scale / M_LN10, counts);
		luce_choice(counts, scale / M_LN10, match->nteams, share);
		for (i = 0; i < match->nteams; i++)
			match->team[i].win = share[i];
	}
	return match_check_predictions(match);
}

static MatchStatus
frag_predict(const ParamValue *params, Match *match)
{
	double		rating[MATCH_MAX_TEAMS];
	double		weight[MATCH_MAX_TEAMS];

	frag_teams(match, rating, weight);
	return frag_shares(params, match, rating);
}

/* The scores of a pair; without any a win is 1 : 0. */
static void
pair_scores(const Match *match, int i, int j, double *score_i, double *score_j)
{
	const MatchTeam *a = &match->team[i];
	const MatchTeam *b = &match->team[j];

	*score_i = a->score;
	*score_j = b->score;
	if (isnan(*score_i) || isnan(*score_j))
	{
		*score_i = a->rank < b->rank;
		*score_j = b->rank < a->rank;
	}
}

/*
 * Duels won beyond expectation, against one opponent or as the mean of several,
 * and how much of them falls to a unit of weight of the team: the smaller team's
 * members take all, so that both sides exchange the same points.
 */
static double
frag_surprise(const FragRules *rules, double max_lead, const Match *match,
			  const double *rating, const double *weight, int i)
{
	double		sum = 0;
	int			j;

	if (match->nteams == 1)
		return frag_duels(rules, match->team[0].score, 0) *
			(frag_share(match->team[0].score, 0) - 0.5);

	for (j = 0; j < match->nteams; j++)
	{
		double		score_i,
					score_j,
					expected;

		if (j == i)
			continue;
		pair_scores(match, i, j, &score_i, &score_j);
		expected = match->nteams == 2 ? match->team[i].win :
			frag_win_share(capped_lead(rating[i] - rating[j], max_lead), rules->scale,
						   match_log_odds_between(match, i, j));

		/* What the pair exchanges, on the side of team i. */
		sum += frag_duels(rules, score_i, score_j) *
			(frag_share(score_i, score_j) - expected) *
			smaller(1, weight[j] / weight[i]);
	}
	return sum / (match->nteams - 1);
}

static MatchStatus
frag_rate(const ParamValue *params, Match *match)
{
	FragRules	rules = {params[FRAG_K].number, params[FRAG_SCALE].number,
	params[FRAG_POINTS].number, params[FRAG_FLOOR].number};
	double		rating[MATCH_MAX_TEAMS];
	double		weight[MATCH_MAX_TEAMS];
	double		surprise[MATCH_MAX_TEAMS];
	int			members[MATCH_MAX_TEAMS];
	MatchStatus status;
	int			i;

	frag_teams(match, rating, weight);
	status = frag_shares(params, match, rating);
	if (status != MATCH_OK)
		return status;

	for (i = 0; i < match->nteams; i++)
	{
		surprise[i] = frag_surprise(&rules, params[FRAG_MAX_LEAD].number, match, rating, weight,
									i);
		members[i] = 0;
	}
	for (i = 0; i < match->nentries; i++)
		members[match->entry[i].team]++;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].gradient = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		/* The source rates whoever caused the event, and no crowd. */
		if (params[FRAG_SPREAD].choice == SPREAD_KEEP && members[e->team] > 1)
			continue;
		match->player[e->player].gradient += e->weight * surprise[e->team];
	}
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		/*
		 * The change of all duels at once, so that the floor applies to the
		 * match and not to each duel.
		 */
		player->after[0] = frag_apply(&rules, player->before[0],
									   player->gain * rules.k * player->gradient);
	}
	return MATCH_OK;
}

static void
frag_display(const ParamValue *params, double *coefficient)
{
	(void) params;
	coefficient[0] = 1;
	coefficient[1] = 0;
}

extern const Model frag_model;
const Model frag_model = {
	.name = "frag",
	.summary = "Elo by the share of frags, for duels, event logs and captures",
	.source = "M. Becker, Ranking-Verfahren für 1st-person-shooter (2001, 2002)",
	.params = MODEL_PARAMS("frag", frag_params, FRAG_NPARAMS),
	.state = frag_state,
	.nstate = 1,
	.rules.component = model_common_components,
	.rules.ncomponents = MODEL_NCOMMON_COMPONENTS,
	.part = frag_parts,
	.nparts = sizeof(frag_parts) / sizeof(frag_parts[0]),
	.rules.supports = MODEL_MANY_TEAMS | MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS |
	MODEL_GAIN | MODEL_SCORE | MODEL_ONE_TEAM,
	.init = frag_init,
	.age = frag_age,
	.predict = frag_predict,
	.rate = frag_rate,
	.display = frag_display,
};
