/*
 * eligibility.c
 *		Which matches a ladder wants to rate.
 */
#include "core/rating/eligibility.h"

#include <math.h>
#include <stdlib.h>

#include "core/util/extremes.h"

static const char *const no_show_choices[] = {
	[NO_SHOW_COUNTS] = "count",
	[NO_SHOW_LEFT_OUT] = "leave_out",
	[NO_SHOW_UNRATED] = "unrated",
	NULL
};

/* More seconds than any match, and any memory of opponents, lasts: 31 years. */
#define MAX_SECONDS 1e9

#define NUMBER_RULE(rule_name, rule_default, rule_min, rule_max, rule_above, rule_unit, text) \
	.param = {.name = (rule_name),.type = PARAM_NUMBER,.default_value = (rule_default), \
	.min = (rule_min),.max = (rule_max),.above_min = (rule_above),.unit = (rule_unit), \
	.description = (text)}

const EligibilitySpec eligibility_spec[ELIGIBILITY_NRULES] = {
	[ELIGIBILITY_NO_SHOW] = {
		.param = {.name = "no_show",.type = PARAM_CHOICE,.default_value = NO_SHOW_COUNTS,
			.choices = no_show_choices,
		.description = "treatment of players who never played: they count as under the model, the match is rated without them, or it is not rated"},
		.status = MATCH_NO_SHOW,.of = ELIGIBILITY_NO_SHOW
	},
	[ELIGIBILITY_MIN_PLAY_TIME] = {
		NUMBER_RULE("min_play_time", NAN, 0, MAX_SECONDS, true, "seconds",
					"a match is rated without players who played less"),
		.status = MATCH_TOO_LITTLE_PLAY,.of = ELIGIBILITY_MIN_PLAY_TIME
	},
	[ELIGIBILITY_MIN_PLAY_SHARE] = {
		NUMBER_RULE("min_play_share", NAN, 0, 1, true, "share of the match",
					"a match is rated without players who played less"),
		.status = MATCH_TOO_LITTLE_PLAY,.of = ELIGIBILITY_MIN_PLAY_SHARE
	},
	[ELIGIBILITY_MIN_DURATION] = {
		NUMBER_RULE("min_duration", NAN, 0, MAX_SECONDS, true, "seconds",
					"shorter matches are not rated"),
		.status = MATCH_TOO_SHORT,.of = ELIGIBILITY_MIN_DURATION
	},
	[ELIGIBILITY_MIN_SURRENDER_TIME] = {
		NUMBER_RULE("min_surrender_time", NAN, 0, MAX_SECONDS, true, "seconds",
					"matches that were surrendered earlier are not rated"),
		.status = MATCH_EARLY_SURRENDER,.of = ELIGIBILITY_MIN_SURRENDER_TIME
	},
	[ELIGIBILITY_MIN_TEAM_SIZE] = {
		NUMBER_RULE("min_team_size", NAN, 1, MATCH_MAX_PARTICIPANTS, false, "players",
					"matches with a smaller team are not rated"),
		.status = MATCH_TEAM_TOO_SMALL,.of = ELIGIBILITY_MIN_TEAM_SIZE
	},
	[ELIGIBILITY_MAX_TEAM_SIZE] = {
		NUMBER_RULE("max_team_size", NAN, 1, MATCH_MAX_PARTICIPANTS, false, "players",
					"matches with a larger team are not rated"),
		.status = MATCH_TEAM_TOO_LARGE,.of = ELIGIBILITY_MAX_TEAM_SIZE
	},
	[ELIGIBILITY_MAX_SIZE_DIFFERENCE] = {
		NUMBER_RULE("max_size_difference", NAN, 0, MATCH_MAX_PARTICIPANTS, false, "players",
					"matches whose largest and smallest team differ by more are not rated"),
		.status = MATCH_UNEVEN_TEAMS,.of = ELIGIBILITY_MAX_SIZE_DIFFERENCE
	},
	[ELIGIBILITY_MAX_BOT_SHARE] = {
		NUMBER_RULE("max_bot_share", NAN, 0, 1, false, "share of the players",
					"matches with more bots are not rated"),
		.status = MATCH_TOO_MANY_BOTS,.of = ELIGIBILITY_MAX_BOT_SHARE
	},
	[ELIGIBILITY_MAX_NEWCOMER_SHARE] = {
		NUMBER_RULE("max_newcomer_share", NAN, 0, 1, false, "share of the players",
					"matches with more newcomers are not rated"),
		.status = MATCH_TOO_MANY_NEWCOMERS,.of = ELIGIBILITY_MAX_NEWCOMER_SHARE
	},
	[ELIGIBILITY_NEWCOMER_GAMES] = {
		NUMBER_RULE("newcomer_games", 10, 1, 1e6, false, "matches",
					"a newcomer is who has played fewer matches before, those of the column experience included"),
		.status = MATCH_OK,.of = ELIGIBILITY_MAX_NEWCOMER_SHARE
	},
	[ELIGIBILITY_MAX_REPEATS] = {
		NUMBER_RULE("max_repeats", NAN, 1, 1e6, false, "matches",
					"a match is not rated if so many were in which all of its opponents met, in the same pool"),
		.status = MATCH_REPEATED_OPPONENTS,.of = ELIGIBILITY_MAX_REPEATS
	},
	[ELIGIBILITY_REPEAT_WINDOW] = {
		NUMBER_RULE("repeat_window", 86400, 0, MAX_SECONDS, true, "seconds",
					"how far apart in time matches may be that count for max_repeats"),
		.status = MATCH_OK,.of = ELIGIBILITY_MAX_REPEATS
	}
};

/*
 * ---- Rules ----
 */

void
eligibility_defaults(Eligibility *rules)
{
	int			i;

	for (i = 0; i < ELIGIBILITY_NRULES; i++)
		rules->value[i] = eligibility_spec[i].param.default_value;
}

/* A rule that refines another one is in force with it. */
bool
eligibility_in_force(const Eligibility *rules, EligibilityRule rule)
{
	double		value = rules->value[eligibility_spec[rule].of];

	if (eligibility_spec[rule].param.type == PARAM_CHOICE)
		return value != NO_SHOW_COUNTS;
	return !isnan(value);
}

static EligibilityNoShow
no_show_rule(const Eligibility *rules)
{
	return (EligibilityNoShow) rules->value[ELIGIBILITY_NO_SHOW];
}

bool
eligibility_leaves_out(const Eligibility *rules)
{
	return no_show_rule(rules) == NO_SHOW_LEFT_OUT ||
		eligibility_in_force(rules, ELIGIBILITY_MIN_PLAY_TIME) ||
		eligibility_in_force(rules, ELIGIBILITY_MIN_PLAY_SHARE);
}

bool
eligibility_needs_players(const Eligibility *rules)
{
	return eligibility_in_force(rules, ELIGIBILITY_MAX_NEWCOMER_SHARE) ||
		eligibility_in_force(rules, ELIGIBILITY_MAX_REPEATS);
}

/*
 * Whether a number is below that of a rule, which is so of no NaN.  Play times are sums,
 * which round differently in another order of stints: a thousand-millionth is nothing.
 */
static bool
is_below(const Eligibility *rules, EligibilityRule rule, double number)
{
	return number < rules->value[rule] * (1 - 1e-9);
}

static bool
is_above(const Eligibility *rules, EligibilityRule rule, double number)
{
	return number > rules->value[rule];
}

/*
 * ---- Length and play time ----
 */

MatchStatus
match_facts_check(const MatchFacts *facts, double *value)
{
	*value = facts->duration;
	if (!isnan(*value) && !(*value >= 0 && isfinite(*value)))
		return MATCH_BAD_DURATION;
	*value = facts->surrendered;
	if (!isnan(*value) && *value != 0 && *value != 1)
		return MATCH_BAD_SURRENDERED;
	return MATCH_OK;
}

/* How long a match lasted, in seconds: as it says, or until the last one left. */
static double
match_duration(const MatchFacts *facts, const Participant *participant, int n)
{
	double		last_left = NAN;
	int			i;

	if (!isnan(facts->duration))
		return facts->duration;
	for (i = 0; i < n; i++)

		/* Written so that the first one passes, when last_left is NaN. */
		if (!(participant[i].left <= last_left) && !isnan(participant[i].left))
			last_left = participant[i].left;
	return last_left;
}

/* The share of a match of that length that a row says its player took part in. */
static double
play_share(const Participant *p, double duration)
{
	if (!isnan(p->weight))
		return p->weight;
	if (isnan(p->joined))
		return 1;
	return duration > 0 ? (p->left - p->joined) / duration : 0;
}

/* The same in seconds, NaN if it is not known. */
static double
play_seconds(const Participant *p, double duration)
{
	return isnan(p->joined) ? play_share(p, duration) * duration : p->left - p->joined;
}

/* How much each account took part: the sums of all its rows. */
typedef struct PlayTimes
{
	double		share[MATCH_MAX_PARTICIPANTS];
	double		seconds[MATCH_MAX_PARTICIPANTS];
} PlayTimes;

/* account: the number of that of each participant, or NULL for players. */
static void
add_play_times(PlayTimes *times, const MatchFacts *facts,
			   const Participant *participant, int n, const int *account,
			   int naccounts)
{
	double		duration = match_duration(facts, participant, n);
	int			i;

	for (i = 0; i < naccounts; i++)
		times->share[i] = times->seconds[i] = 0;
	for (i = 0; i < n; i++)
	{
		int			who = account != NULL ? account[i] : participant[i].player;

		times->share[who] += play_share(&participant[i], duration);
		times->seconds[who] += play_seconds(&participant[i], duration);
	}
}

/* The status of the rule that leaves an account out, or MATCH_OK. */
static MatchStatus
reason_to_leave_out(const Eligibility *rules, const PlayTimes *times, int account)
{
	if (no_show_rule(rules) == NO_SHOW_LEFT_OUT && times->share[account] == 0)
		return MATCH_NO_SHOW;
	if (is_below(rules, ELIGIBILITY_MIN_PLAY_TIME, times->seconds[account]) ||
		is_below(rules, ELIGIBILITY_MIN_PLAY_SHARE, times->share[account]))
		return MATCH_TOO_LITTLE_PLAY;
	return MATCH_OK;
}

/* On the stack, 160 kB: the core allocates nothing. */
int
eligibility_leave_out(const Eligibility *rules, const MatchFacts *facts,
					  const Participant *participant, int n, const int *account,
					  int naccounts, MatchStatus *left_out, MatchStatus *status)
{
	PlayTimes	times;
	int			count = 0;
	int			i;

	*status = MATCH_OK;
	if (!eligibility_leaves_out(rules))
		return 0;
	add_play_times(&times, facts, participant, n, account, naccounts);

	/* A match that somebody's absence keeps from being rated loses nobody. */
	if (no_show_rule(rules) == NO_SHOW_UNRATED)
		for (i = 0; i < naccounts; i++)
			if (times.share[i] == 0)
				return 0;
	for (i = 0; i < n; i++)
	{
		left_out[i] = reason_to_leave_out(rules, &times, account[i]);
		if (left_out[i] != MATCH_OK && count++ == 0)
			*status = left_out[i];
	}
	return count;
}

/*
 * ---- Content ----
 */

static bool
has_no_show(const MatchFacts *facts, const Participant *participant, int n, int nplayers)
{
	PlayTimes	times;
	int			i;

	add_play_times(&times, facts, participant, n, NULL, nplayers);
	for (i = 0; i < nplayers; i++)
		if (times.share[i] == 0)
			return true;
	return false;
}

/* The players of each team count where they played most. */
static MatchStatus
judge_sizes(const Eligibility *rules, const Match *match, double *value)
{
	int			size[MATCH_MAX_PARTICIPANTS];
	int			smallest = MATCH_MAX_PARTICIPANTS;
	int			largest = 0;
	int			i;

	for (i = 0; i < match->nteams; i++)
		size[i] = 0;
	for (i = 0; i < match->nplayers; i++)
		size[match->player[i].team]++;
	for (i = 0; i < match->nteams; i++)
	{
		smallest = size[i] < smallest ? size[i] : smallest;
		largest = size[i] > largest ? size[i] : largest;
	}

	*value = smallest;
	if (is_below(rules, ELIGIBILITY_MIN_TEAM_SIZE, *value))
		return MATCH_TEAM_TOO_SMALL;
	*value = largest;
	if (is_above(rules, ELIGIBILITY_MAX_TEAM_SIZE, *value))
		return MATCH_TEAM_TOO_LARGE;
	*value = largest - smallest;
	if (is_above(rules, ELIGIBILITY_MAX_SIZE_DIFFERENCE, *value))
		return MATCH_UNEVEN_TEAMS;
	return MATCH_OK;
}

/* The share of the players of whom a row says that they are bots. */
static double
bot_share(const Participant *participant, int n, int nplayers)
{
	bool		bot[MATCH_MAX_PARTICIPANTS];
	int			bots = 0;
	int			i;

	for (i = 0; i < nplayers; i++)
		bot[i] = false;
	for (i = 0; i < n; i++)
		if (participant[i].bot == 1 && !bot[participant[i].player])
		{
			bot[participant[i].player] = true;
			bots++;
		}

	/* A player with several stints counts once. */
	return (double) bots / nplayers;
}

MatchStatus
eligibility_judge(const Eligibility *rules, const MatchFacts *facts,
				  const Participant *participant, int n, const Match *match,
				  double *value)
{
	double		duration = match_duration(facts, participant, n);
	MatchStatus status;

	*value = NAN;
	if (no_show_rule(rules) == NO_SHOW_UNRATED &&
		has_no_show(facts, participant, n, match->nplayers))
		return MATCH_NO_SHOW;
	*value = duration;
	if (is_below(rules, ELIGIBILITY_MIN_DURATION, duration))
		return MATCH_TOO_SHORT;
	if (facts->surrendered == 1 &&
		is_below(rules, ELIGIBILITY_MIN_SURRENDER_TIME, duration))
		return MATCH_EARLY_SURRENDER;
	if ((status = judge_sizes(rules, match, value)) != MATCH_OK)
		return status;
	if (eligibility_in_force(rules, ELIGIBILITY_MAX_BOT_SHARE))
	{
		*value = bot_share(participant, n, match->nplayers);
		if (is_above(rules, ELIGIBILITY_MAX_BOT_SHARE, *value))
			return MATCH_TOO_MANY_BOTS;
	}
	return MATCH_OK;
}

/*
 * ---- Players ----
 */

MatchStatus
eligibility_judge_newcomers(const Eligibility *rules, const Match *match,
							const double *games, double *value)
{
	int			newcomers = 0;
	int			i;

	*value = NAN;
	if (!eligibility_in_force(rules, ELIGIBILITY_MAX_NEWCOMER_SHARE))
		return MATCH_OK;
	for (i = 0; i < match->nplayers; i++)
	{
		double		experience = match->player[i].experience;
		double		played = isnan(experience) ? games[i] :
			larger(games[i], experience);

		newcomers += is_below(rules, ELIGIBILITY_NEWCOMER_GAMES, played);
	}
	*value = (double) newcomers / match->nplayers;
	return is_above(rules, ELIGIBILITY_MAX_NEWCOMER_SHARE, *value) ?
		MATCH_TOO_MANY_NEWCOMERS : MATCH_OK;
}

static int
compare_teams_before(const void *a, const void *b)
{
	const TeamsOfPlayer *p = (const TeamsOfPlayer *) a;
	const TeamsOfPlayer *q = (const TeamsOfPlayer *) b;

	return (p->before > q->before) - (p->before < q->before);
}

/* Who were on one team must be on one now. */
bool
eligibility_same_opponents(TeamsOfPlayer *player, int n)
{
	int			i;

	qsort(player, (size_t) n, sizeof(TeamsOfPlayer), compare_teams_before);
	for (i = 1; i < n; i++)
		if (player[i].before == player[i - 1].before &&
			player[i].now != player[i - 1].now)
			return false;
	return true;
}
