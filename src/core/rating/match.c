/*
 * match.c
 *		From the rows of a source to a match that models can rate.
 */
#include "core/rating/match.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/math/sum.h"
#include "core/rating/crossings.h"
#include "core/rating/match_components.h"
#include "core/util/extremes.h"

const Participant participant_default = {
	.rank = NAN,.score = NAN,.player_score = NAN,.won = NAN,.weight = NAN,.joined = NAN,.left = NAN,
	.commanding = NAN,.side = NAN,.squad = NAN,.kills = NAN,.deaths = NAN,
	.quit = NAN,.experience = NAN,.gain = NAN,.fixed = NAN,.context = -1,.club = -1
};

/* Which of the ways to say a result all participants use: one of Participant.number. */
typedef enum ResultForm
{
	RESULT_RANK,
	RESULT_SCORE,
	RESULT_PLAYER_SCORE,
	RESULT_WON,
	RESULT_NONE
} ResultForm;

/* Who has joined and not left is still playing. */
static bool
is_playing(const Participant *p)
{
	return !isnan(p->joined) && isnan(p->left);
}

/*
 * Whether a participant has a rank and no other number, as most have, which saves asking for
 * each of them.  By its bytes: another NaN is not seen, and then each is asked for.
 */
#define HAS_RANK_ONLY(p) \
	(memcmp(&(p)->score, &participant_default.score, \
			(PARTICIPANT_NUMBERS - 1) * sizeof(double)) == 0)

/* Check the numbers of a participant other than the rank. */
static MatchStatus
check_participant(const Participant *p, double max_weight)
{
	double		length = p->left - p->joined;

	if (isinf(p->score) || fabs(p->player_score) > MATCH_MAX_PLAYER_SCORE)
		return MATCH_BAD_SCORE;
	if (!isnan(p->won) && p->won != 0 && p->won != 1)
		return MATCH_BAD_WON;
	if (!isnan(p->weight) && !(p->weight >= 0 && isfinite(p->weight)))
		return MATCH_BAD_WEIGHT;
	if (isnan(p->joined) && !isnan(p->left))
		return MATCH_HALF_STINT;
	if (is_playing(p))
	{
		if (!(p->joined >= 0 && isfinite(p->joined)))
			return MATCH_BAD_STINT;
	}
	else if (!isnan(p->joined) &&
			 !(p->joined >= 0 && length >= 0 && isfinite(p->left)))
		return MATCH_BAD_STINT;
	if (!isnan(p->commanding))
	{
		if (!(p->commanding >= 0))
			return MATCH_BAD_COMMANDING;
		/* More than a share must be seconds, and within the stint. */
		if (p->commanding > 1 && !(p->commanding <= length) && !is_playing(p))
			return MATCH_BAD_COMMANDING;
	}
	if (!isnan(p->side) && p->side != 1 && p->side != 2)
		return MATCH_BAD_SIDE;
	if (isinf(p->squad))
		return MATCH_BAD_SQUAD;
	if (!isnan(p->kills) && !(p->kills >= 0 && isfinite(p->kills)))
		return MATCH_BAD_KILLS;
	if (!isnan(p->deaths) && !(p->deaths >= 0 && isfinite(p->deaths)))
		return MATCH_BAD_DEATHS;
	if (!isnan(p->quit) && p->quit != 0 && p->quit != 1)
		return MATCH_BAD_QUIT;
	if (!isnan(p->experience) &&
		!(p->experience >= 0 && isfinite(p->experience)))
		return MATCH_BAD_EXPERIENCE;
	if (!isnan(p->gain) && !(p->gain >= 0 && isfinite(p->gain)))
		return MATCH_BAD_GAIN;
	if (!isnan(p->fixed) && p->fixed != 0 && p->fixed != 1)
		return MATCH_BAD_FIXED;
	return p->weight > max_weight ? MATCH_BAD_WEIGHT : MATCH_OK;
}

/*
 * Ranks of teams from their results: scores and wins are better when higher,
 * and a team's rank is one more than the number of teams above it.
 */
static void
rank_teams(Match *match, const double *result, ResultForm form)
{
	int			i,
				j;

	for (i = 0; i < match->nteams; i++)
	{
		int			above = 0;

		if (form == RESULT_RANK)
		{
			match->team[i].rank = result[i];
			continue;
		}
		for (j = 0; j < match->nteams; j++)
			if (result[j] > result[i])

				/*
				 * Quadratic in the number of teams, which is limited and
				 * mostly 2.
				 */
				above++;
		match->team[i].rank = 1 + above;
	}
}

/* The weight of one stint, and how much of it was spent commanding. */
static void
stint_weights(const MatchRules *rules, const ParamValue *params,
			  const Participant *p, double match_length,
			  double *play, double *command)
{
	double		weight = 1;
	double		share = 0;

	if (!isnan(p->weight))
		weight = p->weight;
	else if (!isnan(p->joined))
	{
		if (rules->stint_weight != NULL)
			weight = rules->stint_weight(params, p->joined, p->left);
		else
			weight = match_length > 0 ?
				(p->left - p->joined) / match_length : 0;
	}

	/* A model that knows no commanders counts their time as play. */
	if ((rules->supports & MODEL_COMMANDING) && !isnan(p->commanding))

		/* At most 1 is a share, and more are seconds. */
		share = p->commanding <= 1 ? p->commanding :
			p->commanding / (p->left - p->joined);

	*command = share * weight;
	*play = (1 - share) * weight;
}

/* A number that a player has once, whichever stints give it. */
static void
take_number(double *number, double given)
{
	if (isnan(*number))
		*number = given;
}

/* A number that adds up over the stints that give it. */
static void
add_number(double *number, double given)
{
	if (isnan(*number))
		*number = given;
	else if (!isnan(given))
		*number += given;
}

/*
 * Take the gain of a stint into that of its player.  Equal gains must give just that
 * gain, which a sum divided by another would not.  A gain without play counts only
 * while there is no other.
 */
static void
add_gain(MatchPlayer *player, double gain, double weight)
{
	double		total = player->weight + weight;

	if (isnan(gain))
		gain = 1;
	if (player->weight == 0)
		player->gain = gain;
	else if (gain != player->gain)
		player->gain += (gain - player->gain) * (weight / total);
	player->weight = total;
}

static void
add_player_numbers(MatchPlayer *player, const Participant *p)
{
	take_number(&player->squad, p->squad);
	take_number(&player->experience, p->experience);
	add_number(&player->kills, p->kills);
	add_number(&player->deaths, p->deaths);
	if (isnan(player->quit) || p->quit == 1)
		player->quit = p->quit;
	if (isnan(player->fixed) || p->fixed == 1)
		player->fixed = p->fixed;
}

/*
 * ---- Building a match ----
 */

/* A match in the making, and the results and weights of its teams. */
typedef struct MatchBuilder
{
	const MatchRules *rules;
	const ParamValue *params;
	const Participant *participant;
	int			n;				/* participants */
	Match	   *match;
	bool		counts_members; /* weights are contributions of any size, and
								 * not play time */
	bool		plain;			/* all have a rank at most, and no other
								 * number */
	double		last_left;		/* seconds, 0 if no stint is known */
	ResultForm	form;
	int			differing;		/* the first participant whose result is not
								 * that of its team, or -1 */
	int			repeated;		/* the first whose player is on the team
								 * already, or -1 */
	bool		has_shares;		/* somebody has a weight or a stint */
	bool		crosses;		/* somebody is on several teams */
	bool		has_idle_team;	/* without play time */
	Sum			score;			/* of the players of the last team */
	double		result[MATCH_MAX_PARTICIPANTS]; /* of each team, in that form */
	Sum			played[MATCH_MAX_PARTICIPANTS]; /* weight, commanding included */
	ComponentBuilder components;
} MatchBuilder;

/*
 * Check each participant alone, and find how long the match lasted, and in which form all say
 * their result.
 */
static MatchStatus
check_participants(MatchBuilder *builder, int *offender)
{
	double		max_weight = builder->counts_members ? INFINITY : MATCH_MAX_WEIGHT;
	bool		missing[RESULT_NONE] = {false};
	bool		has_score = false;
	bool		has_player_score = false;
	bool		unfinished = false;
	int			i;

	builder->last_left = 0;
	builder->plain = true;
	builder->has_shares = false;
	for (i = 0; i < builder->n; i++)
	{
		const Participant *p = &builder->participant[i];
		MatchStatus status = MATCH_OK;
		int			form;

		if (!isnan(p->rank) && !(p->rank >= 1 && isfinite(p->rank)))
			status = MATCH_BAD_RANK;
		else if (!HAS_RANK_ONLY(p))
		{
			builder->plain = false;
			builder->has_shares = builder->has_shares || !isnan(p->weight) || !isnan(p->joined);
			status = check_participant(p, max_weight);
			if (p->left > builder->last_left)
				builder->last_left = p->left;
			unfinished = unfinished || is_playing(p);
			has_score = has_score || !isnan(p->score);
			has_player_score = has_player_score || !isnan(p->player_score);
		}
		if (status != MATCH_OK)
		{
			*offender = i;
			return status;
		}
		for (form = RESULT_RANK; form < RESULT_NONE; form++)
			missing[form] = missing[form] || isnan(p->number[form]);
	}
	if (has_score && has_player_score)
		return MATCH_TWO_SCORES;
	if (unfinished)
		return MATCH_UNFINISHED;
	for (builder->form = RESULT_RANK;
		 builder->form < RESULT_NONE && missing[builder->form]; builder->form++);
	builder->match->length = builder->last_left > 0 ? builder->last_left : NAN;
	return MATCH_OK;
}

/* A match of which nothing has been seen. */
static void
begin_match(Match *match)
{
	int			i;

	match->nteams = match->nentries = 0;
	match->ncomponents = match->nshares = 0;
	match->period.key = match->period.day = 0;
	match->interrupt = NULL;
	for (i = 0; i < match->nplayers; i++)
	{
		MatchPlayer *player = &match->player[i];

		player->last_entry = -1;
		player->team = -1;
		player->played = -1;
		player->squad = player->kills = player->deaths = NAN;
		player->quit = player->experience = player->fixed = NAN;
		player->gain = 1;
		player->weight = 0;
		memset(player->past, 0, sizeof(player->past));
		player->gradient = 0;
	}
}

/* The score of the last team with a member: what is given, or the sum of the players'. */
static double
add_score(MatchBuilder *builder, const Participant *p)
{
	if (isnan(p->player_score))
		return p->score;
	sum_add(&builder->score, p->player_score);
	return sum_value(&builder->score);
}

/*
 * Begin the team of a participant, or check a further member against it.  Participants are
 * ordered by team, so that it is a new one or the last.
 */
static MatchStatus
enter_team(MatchBuilder *builder, int i)
{
	const Participant *p = &builder->participant[i];
	Match	   *match = builder->match;
	double		result = builder->form == RESULT_NONE ? NAN : p->number[builder->form];
	int			side = isnan(p->side) ? 0 : (int) p->side;
	double		score;
	MatchTeam  *team;

	if (match->nteams == 0 || match->team[match->nteams - 1].number != p->team)
	{
		int			max_teams = builder->rules->max_teams;

		if (match->nteams == (max_teams > 0 ? max_teams : MATCH_MAX_TEAMS))
			return MATCH_TOO_MANY_TEAMS;
		builder->result[match->nteams] = result;
		builder->played[match->nteams].high = builder->played[match->nteams].low = 0;
		team = &match->team[match->nteams++];
		team->number = p->team;
		team->side = side;
		builder->score.high = builder->score.low = 0;
		team->score = add_score(builder, p);
		if (builder->form == RESULT_PLAYER_SCORE)
			builder->result[match->nteams - 1] = team->score;
		team->advantage = 0;
		team->win = NAN;
		return MATCH_OK;
	}
	team = &match->team[match->nteams - 1];
	if (team->side != side)
		return MATCH_SIDE_DIFFERS;
	if (builder->form != RESULT_NONE && builder->form != RESULT_PLAYER_SCORE &&
		builder->result[match->nteams - 1] != result && builder->differing < 0)
		builder->differing = i;

	/* A score that differs is no score of the team, nor a sum of which a term is missing. */
	score = add_score(builder, p);
	if (isnan(p->player_score) ? team->score != score : isnan(team->score))
	{
		if ((builder->rules->supports & MODEL_SCORE) &&
			!(isnan(team->score) && isnan(score)) && builder->differing < 0)
			builder->differing = i;
		score = NAN;
	}
	team->score = score;
	if (builder->form == RESULT_PLAYER_SCORE)
		builder->result[match->nteams - 1] = score;
	return MATCH_OK;
}

/*
 * Add a stint of so much play and command to the entry of its player on the last team: several
 * of them add up.
 */
static void
add_stint(MatchBuilder *builder, int i, double play, double command)
{
	const Participant *p = &builder->participant[i];
	Match	   *match = builder->match;
	MatchPlayer *player = &match->player[p->player];
	int			team = match->nteams - 1;
	MatchEntry *entry;

	if (player->last_entry < 0 || match->entry[player->last_entry].team != team)
	{
		builder->crosses = builder->crosses || player->last_entry >= 0;
		entry = &match->entry[match->nentries];
		entry->player = p->player;
		entry->team = team;
		entry->previous = player->last_entry;
		player->last_entry = match->nentries++;
		entry->weight = 0;
		entry->command_weight = 0;
		entry->joined = p->joined;
	}
	else if (builder->repeated < 0)
		builder->repeated = i;
	entry = &match->entry[player->last_entry];

	/*
	 * Plain sums, for the few stints of a player; the sums of teams carry a
	 * second word.
	 */
	entry->weight += play;
	entry->command_weight += command;

	/* Of a stint without times nothing is known, so that the others say it. */
	if (!(entry->joined <= p->joined) && !isnan(p->joined))
		entry->joined = p->joined;
	sum_add(&builder->played[team], play + command);

	/* Of those on one team; choose_teams() sees to others. */
	player->team = team;
	player->played = entry->weight + entry->command_weight;
	if (isnan(p->gain) && player->gain == 1)
		player->weight += play + command;
	else
		add_gain(player, p->gain, play + command);
}

/* A player counts for the team on which most was played, of equals for the first. */
static void
choose_teams(Match *match)
{
	int			i;

	for (i = 0; i < match->nplayers; i++)
		match->player[i].played = -1;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];
		MatchPlayer *player = &match->player[e->player];
		double		weight = e->weight + e->command_weight;

		/*
		 * Entries come in the order of teams, so that equal weights leave the
		 * first.
		 */
		if (weight > player->played)
		{
			player->team = e->team;
			player->played = weight;
		}
	}
}

/* Sizes of teams: play time, or the number of members if weights are not play time. */
static void
measure_teams(MatchBuilder *builder)
{
	Match	   *match = builder->match;
	int			i;

	builder->has_idle_team = false;
	for (i = 0; i < match->nteams; i++)
	{
		match->team[i].size = sum_value(&builder->played[i]);

		/* Exact: weights are not negative, so that only a sum of zeros is 0. */
		if (match->team[i].size == 0)
			builder->has_idle_team = true;
	}
	if (!builder->counts_members)
		return;
	for (i = 0; i < match->nteams; i++)
		match->team[i].size = 0;
	for (i = 0; i < match->nentries; i++)
		match->team[match->entry[i].team].size++;
}

/* Nobody plays against oneself: those who are on several teams have changed sides in time. */
static MatchStatus
check_crossings(const MatchBuilder *builder, int *offender)
{
	/* One player alone has met nobody else, even in turn. */
	*offender = builder->match->nplayers == 1 ? 0 :
		first_crossing(builder->match, builder->participant, builder->n,
					   builder->last_left);
	return *offender < 0 ? MATCH_OK : MATCH_SELF_MATCH;
}

/* Sides are those of two teams, or of none. */
static MatchStatus
check_sides(const Match *match)
{
	int			sides = 0;
	int			i;

	for (i = 0; i < match->nteams; i++)
		sides += match->team[i].side != 0;
	if (sides != 0 && sides != match->nteams)
		return MATCH_SIDE_DIFFERS;
	if (sides > 2 || (sides == 2 && match->team[0].side == match->team[1].side))
		return MATCH_SIDE_TAKEN;
	return MATCH_OK;
}

/* Whether the model takes the match, once all participants are in it. */
static MatchStatus
check_against_rules(const MatchRules *rules, const Match *match)
{
	if (match->nteams < 2 &&
		!(match->nteams == 1 && (rules->supports & MODEL_ONE_TEAM) &&
		  !isnan(match->team[0].score)))
		return MATCH_ONE_TEAM;
	if (match->nteams > 2 && !(rules->supports & MODEL_MANY_TEAMS))
		return MATCH_TOO_MANY_TEAMS_FOR_MODEL;
	if (rules->max_players > 0 && match->nplayers > rules->max_players)
		return MATCH_TOO_MANY_PLAYERS_FOR_MODEL;
	if (match->nteams != 2 && match->log_odds != 0)
		return MATCH_LOG_ODDS_NEED_TWO_TEAMS;
	return MATCH_OK;
}

MatchStatus
match_build(const MatchRules *rules, const ParamValue *params,
			const Participant *participant, int n, Match *match, int *offender)
{
	MatchBuilder builder;
	MatchStatus status;
	int			i;

	/* Not by an initializer, which would clear the arrays for every match. */
	builder.rules = rules;
	builder.params = params;
	builder.participant = participant;
	builder.n = n;
	builder.match = match;
	builder.counts_members = rules->counts_members != NULL && rules->counts_members(params);
	builder.differing = builder.repeated = -1;
	builder.crosses = false;

	*offender = -1;
	begin_match(match);
	if (n > MATCH_MAX_PARTICIPANTS)
		return MATCH_TOO_MANY_PARTICIPANTS;
	if (!isfinite(match->log_odds))
		return MATCH_BAD_LOG_ODDS;
	status = check_participants(&builder, offender);
	if (status != MATCH_OK)
		return status;
	if (match->component != NULL)
		components_begin(&builder.components, rules, params, match, participant, n);
	for (i = 0; i < n; i++)
	{
		double		play = 1;
		double		command = 0;

		status = enter_team(&builder, i);
		if (status != MATCH_OK)
		{
			*offender = i;
			return status;
		}
		if (!builder.plain)
		{
			add_player_numbers(&match->player[participant[i].player], &participant[i]);
			stint_weights(rules, params, &participant[i], builder.last_left, &play, &command);
		}
		add_stint(&builder, i, play, command);
		if (match->component != NULL && builder.components.of_participants)
			components_add(&builder.components, &participant[i], play, command);
	}
	if (builder.crosses)
		choose_teams(match);
	measure_teams(&builder);
	if (match->component != NULL)
		components_finish(&builder.components, builder.played, match_is_uneven(match));

	if (builder.differing >= 0)
	{
		*offender = builder.differing;
		return MATCH_RESULT_DIFFERS;
	}
	/* Whole matches of one player do not add up, as shares and stints do. */
	if (builder.repeated >= 0 && !builder.has_shares)
	{
		*offender = builder.repeated;
		return MATCH_LISTED_TWICE;
	}
	if ((builder.crosses && (status = check_crossings(&builder, offender)) != MATCH_OK) ||
		(!builder.plain && (status = check_sides(match)) != MATCH_OK) ||
		(status = check_against_rules(rules, match)) != MATCH_OK)
		return status;
	if (builder.form == RESULT_NONE)
		return MATCH_NO_RESULT;
	rank_teams(match, builder.result, builder.form);
	return builder.has_idle_team ? MATCH_NO_PLAY_TIME : MATCH_OK;
}

void
match_team_sums(const Match *match, double *sum, double *weight)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		sum[i] = weight[i] = 0;
	for (i = 0; i < match->nentries; i++)
	{
		const MatchEntry *e = &match->entry[i];

		sum[e->team] += e->weight * match->player[e->player].before[0];
		weight[e->team] += e->weight;
	}
}

double
match_mean_gain(const Match *match)
{
	double		first = match->nplayers > 0 ? match->player[0].gain : 1;
	double		most = first;
	Sum			sum = {0, 0};
	Sum			weight = {0, 0};
	bool		same = true;
	int			i;

	for (i = 1; i < match->nplayers; i++)
	{
		same = same && match->player[i].gain == first;
		most = larger(most, match->player[i].gain);
	}
	if (same)
		return first;

	/* As shares of the largest, so that large gains do not overflow. */
	for (i = 0; i < match->nplayers; i++)
	{
		sum_add(&sum, match->player[i].weight * (match->player[i].gain / most));
		sum_add(&weight, match->player[i].weight);
	}
	return most * (sum_value(&sum) / sum_value(&weight));
}

void
match_center(const double *weight, int n, double *factor)
{
	double		least = weight[0];
	double		sum = 0;
	int			i;

	/*
	 * By ratios to the least, which are exact where all are equal, and never
	 * overflow.
	 */
	for (i = 1; i < n; i++)
		least = smaller(least, weight[i]);
	for (i = 0; i < n; i++)
		sum += least / weight[i];
	for (i = 0; i < n; i++)
		factor[i] = n / sum * (least / weight[i]);
}

void
match_first_places(const Match *match, double *share)
{
	double		best = INFINITY;
	int			winners = 0;
	int			i;

	for (i = 0; i < match->nteams; i++)
		best = smaller(best, match->team[i].rank);
	for (i = 0; i < match->nteams; i++)
		winners += match->team[i].rank == best;
	for (i = 0; i < match->nteams; i++)
		share[i] = match->team[i].rank == best ? 1.0 / winners : 0;
}

MatchOutcome
match_outcome(const Match *match, int team)
{
	double		rank = match->team[team].rank;
	bool		shared = false;
	int			i;

	if (match->nteams == 1)
		return match->team[0].score < 0 ? MATCH_LOST :
			match->team[0].score == 0 ? MATCH_DREW : MATCH_WON;
	for (i = 0; i < match->nteams; i++)
	{
		if (match->team[i].rank < rank)
			return MATCH_LOST;
		if (i != team && match->team[i].rank == rank)
			shared = true;
	}
	return shared ? MATCH_DREW : MATCH_WON;
}

/* Insertion, as results mostly come in order. */
void
match_teams_by_rank(const Match *match, int *order)
{
	int			i,
				j;

	for (i = 0; i < match->nteams; i++)
	{
		for (j = i; j > 0 &&
			 match->team[order[j - 1]].rank > match->team[i].rank; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

MatchStatus
match_check_predictions(const Match *match)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		if (!(match->team[i].win >= 0 && match->team[i].win <= 1))
			return MATCH_OVERFLOW;
	return MATCH_OK;
}

/*
 * ---- What teams have in advance ----
 */

int
match_first_side(const Match *match)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		if (match->team[i].side == 1)
			return i;
	return 0;
}

double
match_log_odds_for(const Match *match, int team)
{
	return team == match_first_side(match) ? match->log_odds : -match->log_odds;
}

double
match_log_odds_between(const Match *match, int team, int other)
{
	if (match->nteams == 2)
		return match_log_odds_for(match, team);
	return match->team[team].advantage - match->team[other].advantage;
}

void
match_add_log_odds(const Match *match, double unit, double *rating)
{
	int			i;

	for (i = 0; i < match->nteams; i++)
		if (match->team[i].advantage != 0)
			rating[i] += unit * match->team[i].advantage;
}

void
match_add_advantages(const Match *match, const double *variance, double *mean)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < match->nteams; i++)
		sum += variance[i];
	match_add_log_odds(match, sqrt(M_PI / 8) * sqrt(2 * (sum / match->nteams)), mean);
}

double
match_mean_size(const Match *match)
{
	double		sum = 0;
	int			i;

	/* In parts, so that no sum of finite sizes overflows. */
	for (i = 0; i < match->nteams; i++)
		sum += match->team[i].size / match->nteams;
	return sum;
}

bool
match_is_uneven(const Match *match)
{
	const double rounding = 1e-9;
	double		least = INFINITY;
	double		most = 0;
	int			i;

	/* A team without a size has none to compare, and does not play either. */
	for (i = 0; i < match->nteams; i++)
	{
		if (match->team[i].size < least)
			least = match->team[i].size;
		if (match->team[i].size > most)
			most = match->team[i].size;
	}
	return match->nteams > 1 && isfinite(most) && least > 0 && most - least > rounding * most;
}
