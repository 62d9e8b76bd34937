/*
 * synelo.c
 *		SynElo: Elo for two teams whose K factor follows how established a rating is.
 *
 * "SynElo: yazoo.tf's Arena Rating & Balancing System" (CdeYazoo).  Where the
 * source has what does not hold, parameters choose, with the right one as
 * default; strict has the source's (docs/models/synelo.md).
 *
 * The convergence score is about the last rounds of a player.  A state of a few
 * numbers has it as moving averages: of up to window rounds they are the plain
 * means and deviations, after that older rounds fade.  The source's halves of a window
 * cannot be had from them: under strict the state has sums over all rounds, and those of a
 * window are differences of the states at its ends (Model.look_back).
 */
#include "core/models/synelo.h"

#include <math.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/models/max_lead.h"
#include "core/rating/model.h"
#include "core/util/extremes.h"

enum
{
	SYNELO_STRICT = MODEL_COMMON_PARAMS,
	SYNELO_TEAM_SIZE_MAX,
	SYNELO_THETA,
	SYNELO_THETA_BY,
	SYNELO_BASE,
	SYNELO_STRENGTH,
	SYNELO_SUMS,
	SYNELO_INITIAL_RATING,
	SYNELO_FLOOR,
	SYNELO_K_LOW,
	SYNELO_K_HIGH,
	SYNELO_WINDOW,
	SYNELO_VELOCITY_WEIGHT,
	SYNELO_SURPRISE_WEIGHT,
	SYNELO_VOLATILITY_WEIGHT,
	SYNELO_SATURATE,
	SYNELO_WARM_UP,
	SYNELO_COMPRESSION_WIDTH,
	SYNELO_ROUND,
	SYNELO_SHADOW_GAMES,
	SYNELO_GRADUATION_CAP,
	SYNELO_MAX_LEAD,
	SYNELO_NPARAMS
};

enum
{
	THETA_BY_MATCH,
	THETA_BY_POOL
};

enum
{
	BASE_TEN,
	BASE_NATURAL
};

enum
{
	STRENGTH_CENTERED,
	STRENGTH_SUM
};

enum
{
	SUMS_AT_START,
	SUMS_BY_PLAY
};

static const char *const theta_by_choices[] = {"match", "pool", NULL};
static const char *const base_choices[] = {"ten", "natural", NULL};
static const char *const strength_choices[] = {"centered", "sum", NULL};
static const char *const sums_choices[] = {"start", "play", NULL};

/* What the source limits a rating to when it becomes visible. */
#define SOURCE_GRADUATION_CAP 2200.0

static const ParamSpec synelo_params[] = {
	{.name = "strict",.type = PARAM_FLAG,.of_state = true,
	.description = "the source to the letter: theta by pool, base e, sums at the start, no weights, no saturation or warm-up, rounding, graduation cap"},
	{.name = "team_size_max",.type = PARAM_NUMBER,.default_value = 12,
		.min = 1,.max = MATCH_MAX_PARTICIPANTS,.unit = "players",
	.description = "theta by pool: largest team of any server that feeds it"},
	{.name = "theta",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "rating points",
		.search = {10, 1e6},.zero_is_other = true,
	.description = "difference of team ratings at which the odds are base to 1; 0: as theta_by says"},
	{.name = "theta_by",.type = PARAM_CHOICE,.default_value = THETA_BY_MATCH,
		.choices = theta_by_choices,
		.only_with = "theta",.only_values = PARAM_VALUE(0),
	.description = "whether theta is 400 times the mean team of the match, or from team_size_max"},
	{.name = "base",.type = PARAM_CHOICE,.default_value = BASE_TEN,
		.choices = base_choices,
	.description = "base of the odds: 10 as in Elo, or e"},
	{.name = "strength",.type = PARAM_CHOICE,.default_value = STRENGTH_CENTERED,
		.choices = strength_choices,
	.description = "strength of a team: the sum of its members above the mean of the match, or above 0"},
	{.name = "sums",.type = PARAM_CHOICE,.default_value = SUMS_AT_START,
		.choices = sums_choices,
	.description = "members of a team's sum: players present from the start of the round in full, or all players by their share of play"},
	{.name = "initial_rating",.type = PARAM_NUMBER,.default_value = 1000,
		.min = -1e9,.max = 1e9,.unit = "rating points",
	.description = "rating of a player who has not played; centre of the compression"},
	{.name = "floor",.type = PARAM_NUMBER,.default_value = 100,
		.min = -INFINITY,.max = 1e9,.unit = "rating points",
	.description = "no loss takes a rating below this; breaks conservation"},
	{.name = "k_low",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "K factor of an established rating"},
	{.name = "k_high",.type = PARAM_NUMBER,.default_value = 72,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
		.searched = true,
	.description = "K factor of a rating that has not"},
	{.name = "window",.type = PARAM_NUMBER,.default_value = 500,
		.min = 2,.max = 1e6,.unit = "rounds",
	.description = "rounds that the convergence score looks back on"},
	{.name = "velocity_weight",.type = PARAM_NUMBER,.default_value = 0.25,
		.min = 0,.max = 1e6,.unit = "weight",
	.description = "of drift in the convergence score"},
	{.name = "surprise_weight",.type = PARAM_NUMBER,.default_value = 0.25,
		.min = 0,.max = 1e6,.unit = "weight",
	.description = "of results beyond expectation in the convergence score"},
	{.name = "volatility_weight",.type = PARAM_NUMBER,.default_value = 0.5,
		.min = 0,.max = 1e6,.unit = "weight",
	.description = "of dispersion in the convergence score"},
	{.name = "saturate",.type = PARAM_FLAG,.default_value = 1,
	.description = "whether none of the three counts for more than its weight"},
	{.name = "warm_up",.type = PARAM_NUMBER,.default_value = 20,
		.min = 0,.max = 1e9,.unit = "rounds",
	.description = "first rounds, in which the convergence score is 1"},
	{.name = "compression_width",.type = PARAM_NUMBER,.default_value = 400,
		.min = 0,.above_min = true,.max = 1e9,.unit = "rating points",
	.description = "deviation of the Gaussian that slows ratings far from the initial one"},
	{.name = "round",.type = PARAM_FLAG,
	.description = "whether ratings are rounded to integers, half to even"},
	{.name = "shadow_games",.type = PARAM_NUMBER,.default_value = 50,
		.min = 0,.max = 1e9,.unit = "rounds",
	.description = "rounds before a rating is shown; the last applies graduation_cap"},
	{.name = "graduation_cap",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "rating points",
		.search = {100, 10000},.zero_is_other = true,
	.description = "largest rating after shadow_games; 0: none (strict: 2200)"},
	MAX_LEAD_PARAM
};

/* The state columns. */
enum
{
	RATING,
	RATING_MEAN,
	RATING_RECENT,
	RATING_VARIANCE,
	SURPRISE,
	SYNELO_NSTATE
};

/* Those of strict, in places where the sums have the same bounds. */
enum
{
	ROUNDS = RATING + 1,
	RATING_SUM,
	SQUARE_SUM,
	SURPRISE_SUM,
	SYNELO_NSTRICT
};

_Static_assert((int) SYNELO_NSTRICT == (int) SYNELO_NSTATE, "variants differ in their number of columns");

static const ModelPart synelo_parts[] = {
	{.name = "theta",.description = "a scale of its own",
		.nparams = 1,
	.param = {{SYNELO_THETA, 0, 2000}}},
	MODEL_COMMON_PARTS
};

static const StateSpec synelo_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	{.name = "rating_mean",.min = -INFINITY,
	.description = "mean of the ratings after the rounds of the window"},
	{.name = "rating_recent",.min = -INFINITY,
	.description = "mean of the ratings after the newer half of them"},
	{.name = "rating_variance",.min = 0,
	.description = "variance of the ratings after the rounds of the window"},
	{.name = "surprise",.min = -INFINITY,
	.description = "mean of outcome less expected score"},
};

/* Ratings are counted from the initial one, so that the sums stay exact integers. */
static const StateSpec synelo_strict_state[] = {
	{.name = "rating",.min = -INFINITY,.description = "rating in points"},
	{.name = "rounds",.min = 0,.role = ROLE_ROUNDS,
	.description = "rounds since the rating was set"},
	{.name = "rating_sum",.min = -INFINITY,.role = ROLE_ROUNDS,
	.description = "sum of the ratings after these, less initial_rating"},
	{.name = "square_sum",.min = 0,.role = ROLE_ROUNDS,
	.description = "sum of the squares of the same"},
	{.name = "surprise_sum",.min = -INFINITY,.role = ROLE_ROUNDS,
	.description = "sum of outcome less expected score"},
};

double
synelo_theta(double team_size_max)
{
	return 400 * floor((1 + floor(team_size_max)) / 2);
}

double
synelo_win_probability(double difference, double theta)
{
	return logistic(difference / theta);
}

/* How many rounds of a window pass between two checks for an interrupt. */
#define ROUNDS_BETWEEN_CHECKS 65536

static void
check(InterruptCheck interrupt, int round)
{
	if (interrupt != NULL && round % ROUNDS_BETWEEN_CHECKS == 0)
		interrupt();
}

SynEloSignals
synelo_signals(const double *rating, const double *surprise, int n, double k_high,
			   InterruptCheck interrupt)
{
	SynEloSignals signals = {0, 0, 0};
	int			half = n / 2;
	double		older = 0;
	double		newer = 0;
	double		mean = 0;
	double		variance = 0;
	double		mean_surprise = 0;
	int			i;

	if (n == 0)
		return signals;
	for (i = 0; i < n; i++)
	{
		check(interrupt, i);

		/*
		 * Divided first, as ratings may be large; an odd window leaves the
		 * middle round out of both halves.
		 */
		mean += rating[i] / n;
		mean_surprise += surprise[i] / n;
		if (i < half)
			older += rating[i] / half;
		if (i >= n - half)
			newer += rating[i] / half;
	}
	for (i = 0; i < n; i++)
	{
		check(interrupt, i);
		variance += (rating[i] - mean) * (rating[i] - mean) / n;
	}
	signals.velocity = fabs(newer - older) / k_high;
	signals.surprise = fabs(mean_surprise) / 0.10;
	signals.volatility = sqrt(variance) / k_high;
	return signals;
}

double
synelo_convergence(const SynEloSignals *signals, const SynEloWeights *weights)
{
	SynEloSignals s = *signals;

	if (weights->saturate)
	{
		s.velocity = smaller(s.velocity, 1);
		s.surprise = smaller(s.surprise, 1);
		s.volatility = smaller(s.volatility, 1);
	}
	return smaller(weights->velocity * s.velocity + weights->surprise * s.surprise +
				   weights->volatility * s.volatility, 1);
}

double
synelo_k(double rating, double convergence, double k_low, double k_high,
		 double initial_rating, double compression_width)
{
	double		z = (rating - initial_rating) / compression_width;

	return k_low + (k_high - k_low) * convergence * portable_exp(-0.5 * z * z);
}

double
round_half_even(double x)
{
	double		down = floor(x);
	double		rest = x - down;

	/* A half goes to the even neighbour. */
	if (rest < 0.5 || (rest == 0.5 && fmod(down, 2) == 0))
		return down;
	return down + 1;
}

static void
synelo_init(const ParamValue *params, double *state)
{
	double		rating = params[SYNELO_INITIAL_RATING].number;
	int			i;

	for (i = 0; i < SYNELO_NSTATE; i++)
		state[i] = 0;
	state[RATING] = rating;
	if (!params[SYNELO_STRICT].flag)
		state[RATING_MEAN] = state[RATING_RECENT] = rating;
}

/* Whether an entry is one of somebody who takes part, which zero weight is not. */
static bool
is_participant(const MatchEntry *e)
{
	return e->weight > 0;
}

/*
 * How much a member counts in the sum of a team: who was there when the round began
 * counts in full, and who came later not at all, because the probability is one of the
 * match as it began.  A weight without times is all that is known of an entry, and the
 * source does not have such weights.
 */
static double
weight_at_start(const ParamValue *params, const MatchEntry *e)
{
	if (isnan(e->joined))
		return params[SYNELO_STRICT].flag ? is_participant(e) : e->weight;
	return e->joined == 0 && is_participant(e);
}

/*
 * What the entries count in the sums of both teams, added up by team.  Where nobody of
 * a team was there at the start, all its members count by what they played.
 */
typedef struct SynEloSums
{
	bool		at_start[2];	/* by team */
	double		weight[2];
	double		rating[2];
} SynEloSums;

static SynEloSums
synelo_sums(const ParamValue *params, const Match *match)
{
	SynEloSums	sums = {{false, false}, {0, 0}, {0, 0}};
	int			i;

	if (params[SYNELO_STRICT].flag || params[SYNELO_SUMS].choice == SUMS_AT_START)
		for (i = 0; i < match->nentries; i++)
			if (weight_at_start(params, &match->entry[i]) > 0)
				sums.at_start[match->entry[i].team] = true;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		double		weight = sums.at_start[e->team] ? weight_at_start(params, e) :
			e->weight;

		sums.weight[e->team] += weight;
		sums.rating[e->team] += weight * match->player[e->player].before[RATING];
	}
	return sums;
}

/* The probability that the first side wins. */
static double
synelo_first_wins(const ParamValue *params, const Match *match)
{
	bool		strict = params[SYNELO_STRICT].flag;
	bool		centered = !strict &&
		params[SYNELO_STRENGTH].choice == STRENGTH_CENTERED;
	double		theta = params[SYNELO_THETA].number;
	int			first = match_first_side(match);
	SynEloSums	sums = synelo_sums(params, match);
	double		factor[2] = {1, 1};
	double		difference;
	double		size;

	if (centered)
		match_center(sums.weight, 2, factor);
	difference = factor[first] * sums.rating[first] -
		factor[1 - first] * sums.rating[1 - first];

	/* Centered, both teams count as of one size. */
	size = (factor[0] * sums.weight[0] + factor[1] * sums.weight[1]) / 2;

	/* Of sums, the lead is one of the mean member. */
	if (!strict)
		difference = capped_lead(difference, size * params[SYNELO_MAX_LEAD].number);
	if (theta == 0)
		theta = strict || params[SYNELO_THETA_BY].choice == THETA_BY_POOL ?
			synelo_theta(params[SYNELO_TEAM_SIZE_MAX].number) : 400 * size;
	if (!strict && params[SYNELO_BASE].choice == BASE_TEN)
		theta /= M_LN10;
	return logistic(difference / theta + match->log_odds);
}

static MatchStatus
synelo_predict(const ParamValue *params, Match *match)
{
	int			first = match_first_side(match);
	double		p = synelo_first_wins(params, match);

	match->team[first].win = p;
	match->team[1 - first].win = 1 - p;
	return match_check_predictions(match);
}

/* Where the window of a strict state and its halves begin and end. */
enum
{
	WINDOW_BEGIN,
	OLDER_END,
	NEWER_BEGIN,
	WINDOW_NPLACES
};

_Static_assert(WINDOW_NPLACES == MATCH_MAX_PAST, "places that a window looks back on");

/* An odd window leaves the middle round out of both halves. */
static void
synelo_look_back(const ParamValue *params, const double *state, double *number)
{
	double		rounds = state[ROUNDS];
	double		size = smaller(rounds, floor(params[SYNELO_WINDOW].number));
	double		half = floor(size / 2);

	number[WINDOW_BEGIN] = rounds - size;
	number[OLDER_END] = rounds - size + half;
	number[NEWER_BEGIN] = rounds - half;
}

/*
 * The signals of the window behind a strict state; none where a round of it is not known.
 */
static SynEloSignals
synelo_window_signals(const ParamValue *params, const MatchPlayer *player)
{
	static const double origin[SYNELO_NSTRICT] = {0};
	double		k_high = params[SYNELO_K_HIGH].number;
	SynEloSignals signals = {0, 0, 0};
	const double *now = player->before;
	const double *at[WINDOW_NPLACES];
	double		number[WINDOW_NPLACES];
	double		size;
	double		half;
	double		mean;
	double		change;
	int			i;

	synelo_look_back(params, now, number);
	for (i = 0; i < WINDOW_NPLACES; i++)
	{
		at[i] = number[i] == 0 ? origin : number[i] == now[ROUNDS] ? now : player->past[i];
		if (at[i] == NULL)
			return signals;
	}
	size = now[ROUNDS] - number[WINDOW_BEGIN];
	half = now[ROUNDS] - number[NEWER_BEGIN];
	if (size == 0)
		return signals;
	mean = (now[RATING_SUM] - at[WINDOW_BEGIN][RATING_SUM]) / size;
	change = (now[RATING_SUM] - at[NEWER_BEGIN][RATING_SUM]) -
		(at[OLDER_END][RATING_SUM] - at[WINDOW_BEGIN][RATING_SUM]);
	if (half > 0)
		signals.velocity = fabs(change) / half / k_high;
	signals.surprise = fabs(now[SURPRISE_SUM] - at[WINDOW_BEGIN][SURPRISE_SUM]) / size / 0.10;
	signals.volatility =
		sqrt(larger((now[SQUARE_SUM] - at[WINDOW_BEGIN][SQUARE_SUM]) / size - mean * mean, 0)) /
		k_high;
	return signals;
}

/* The K factor for the next round, from the rounds before it. */
static double
synelo_player_k(const ParamValue *params, const MatchPlayer *player)
{
	const double *state = player->before;
	bool		strict = params[SYNELO_STRICT].flag;
	double		k_high = params[SYNELO_K_HIGH].number;
	SynEloSignals signals;
	SynEloWeights weights;
	double		convergence;

	if (strict)
		signals = synelo_window_signals(params, player);
	else
	{
		/*
		 * The mean is halfway between the halves of a window, so that twice
		 * the distance of the newer half from it is that of the halves.
		 */
		signals.velocity = 2 * fabs(state[RATING_RECENT] - state[RATING_MEAN]) / k_high;
		signals.surprise = fabs(state[SURPRISE]) / 0.10;
		signals.volatility = sqrt(state[RATING_VARIANCE]) / k_high;
	}
	weights.velocity = params[SYNELO_VELOCITY_WEIGHT].number;
	weights.surprise = params[SYNELO_SURPRISE_WEIGHT].number;
	weights.volatility = params[SYNELO_VOLATILITY_WEIGHT].number;
	weights.saturate = params[SYNELO_SATURATE].flag && !strict;

	convergence = !strict && player->games < params[SYNELO_WARM_UP].number ? 1 :
		synelo_convergence(&signals, &weights);
	return synelo_k(state[RATING], convergence, params[SYNELO_K_LOW].number,
					k_high, params[SYNELO_INITIAL_RATING].number,
					params[SYNELO_COMPRESSION_WIDTH].number);
}

/* The rating after a change: rounded, capped and floored as configured. */
static double
synelo_settle(const ParamValue *params, double before, double after,
			  double rounds)
{
	bool		strict = params[SYNELO_STRICT].flag;
	double		floor_at = params[SYNELO_FLOOR].number;
	double		cap = params[SYNELO_GRADUATION_CAP].number;

	if (strict || params[SYNELO_ROUND].flag)
		after = round_half_even(after);
	if (strict && cap == 0)
		cap = SOURCE_GRADUATION_CAP;
	if (cap > 0 && rounds == params[SYNELO_SHADOW_GAMES].number && after > cap)
		after = cap;

	/* A rating that is lower already is not lifted, but for the source. */
	if (!strict)
		floor_at = smaller(floor_at, before);
	return after < floor_at ? floor_at : after;
}

/*
 * Take a round into the moving averages.  Up to a whole window these are plain means and
 * variances; then each round replaces the share of one.
 */
static void
synelo_remember(const ParamValue *params, double *state, double games,
				double surprise)
{
	double		n = smaller(games + 1, params[SYNELO_WINDOW].number);
	double		share = 1 / n;
	double		distance = state[RATING] - state[RATING_MEAN];

	state[RATING_VARIANCE] = (1 - share) *
		(state[RATING_VARIANCE] + share * distance * distance);
	state[RATING_MEAN] += share * distance;
	state[RATING_RECENT] += (state[RATING] - state[RATING_RECENT]) / ceil(n / 2);
	state[SURPRISE] += share * (surprise - state[SURPRISE]);
}

/* Add a round to the sums of a strict state. */
static void
synelo_add(const ParamValue *params, double *state, double surprise)
{
	double		rating = state[RATING] - params[SYNELO_INITIAL_RATING].number;

	state[ROUNDS]++;
	state[RATING_SUM] += rating;
	state[SQUARE_SUM] += rating * rating;
	state[SURPRISE_SUM] += surprise;
}

/* F2, from the gradient, and the round into the moving averages or the sums. */
static void
synelo_advance(const ParamValue *params, double k, MatchPlayer *player)
{
	double		before = player->before[RATING];

	player->after[RATING] =
		synelo_settle(params, before, before + player->gain * k * player->gradient,
					  player->games + 1);
	if (params[SYNELO_STRICT].flag)
		synelo_add(params, player->after, player->gradient);
	else
		synelo_remember(params, player->after, player->games, player->gradient);
}

static MatchStatus
synelo_rate(const ParamValue *params, Match *match)
{
	MatchStatus status = synelo_predict(params, match);
	bool		strict = params[SYNELO_STRICT].flag;
	int			i,
				j;

	if (status != MATCH_OK)
		return status;

	/*
	 * The gradient gathers the surprise of all entries; NaN is no entry.  By
	 * the source every participant has the whole of it, on one team.
	 */
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		player->gradient = NAN;
		for (j = 0; j < SYNELO_NSTATE; j++)
			player->after[j] = player->before[j];
	}
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		const MatchTeam *team = &match->team[e->team];
		double	   *gradient = &match->player[e->player].gradient;
		double		score = 0.5;

		if (!is_participant(e) ||
			(strict && e->team != match->player[e->player].team))
			continue;
		if (isnan(*gradient))
			*gradient = 0;
		if (team->rank != match->team[1 - e->team].rank)
			score = team->rank < match->team[1 - e->team].rank;
		*gradient += (strict ? 1 : e->weight) * (score - team->win);
	}
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];
		double		k = synelo_player_k(params, player);

		if (isnan(player->gradient))
			player->gradient = 0;
		else if (player->gain > 0)
			synelo_advance(params, k, player);
	}
	return MATCH_OK;
}

static void
synelo_display(const ParamValue *params, double *coefficient)
{
	int			i;

	(void) params;
	for (i = 0; i <= SYNELO_NSTATE; i++)
		coefficient[i] = (i == RATING);
}

/* The sums of the source favour the larger team. */
static bool
synelo_size_advantage_used(const ParamValue *params)
{
	return params[SYNELO_STRICT].flag ? size_advantage_learned_if_asked(params) :
		size_advantage_learned(params);
}

static const ComponentSpec synelo_components[] = {
	MODEL_COMMON_COMPONENTS(synelo_size_advantage_used)
};

static const Model *synelo_variant(const ParamValue *params);

/* What both variants have. */
#define SYNELO_MODEL(columns) \
	.name = "synelo", \
	.summary = "Elo for two teams with a K factor that follows how established a rating is", \
	.source = "SynElo: yazoo.tf's Arena Rating & Balancing System (CdeYazoo)", \
	.params = MODEL_PARAMS("synelo", synelo_params, SYNELO_NPARAMS), \
	.state = (columns), \
	.nstate = SYNELO_NSTATE, \
	.variant = synelo_variant, \
	.rules.component = synelo_components, \
	.rules.ncomponents = sizeof(synelo_components) / sizeof(synelo_components[0]), \
	.part = synelo_parts, \
	.nparts = sizeof(synelo_parts) / sizeof(synelo_parts[0]), \
	.rules.supports = MODEL_DRAWS | MODEL_WEIGHT | MODEL_LOG_ODDS | MODEL_GAIN, \
	.init = synelo_init, \
	.predict = synelo_predict, \
	.rate = synelo_rate, \
	.display = synelo_display

extern const Model synelo_model;
const Model synelo_model = {SYNELO_MODEL(synelo_state)};
static const Model synelo_strict = {SYNELO_MODEL(synelo_strict_state),.look_back = synelo_look_back};

static const Model *
synelo_variant(const ParamValue *params)
{
	return params[SYNELO_STRICT].flag ? &synelo_strict : &synelo_model;
}
