/*
 * match_status.c
 *		What is said of the statuses of matches.
 */
#include "core/rating/match.h"

#include <math.h>
#include <stddef.h>

/* What is said of a status. */
typedef struct StatusText
{
	const char *code;
	const char *message;
	const char *hint;			/* NULL where there is no mistake */
} StatusText;

static const StatusText status_text[MATCH_NSTATUSES] = {
	[MATCH_OK] = {"rated", "rated", NULL},
	[MATCH_ONE_TEAM] = {"one_team", "fewer than two teams",
	NULL},
	[MATCH_NO_RESULT] = {"no_result", "no result",
	NULL},
	[MATCH_NO_PLAY_TIME] = {"no_play_time", "a team without play time",
	NULL},
	[MATCH_UNFINISHED] = {"unfinished", "a player who has not left",
	NULL},
	[MATCH_TOO_MANY_TEAMS_FOR_MODEL] = {"too_many_teams_for_model", "more than two teams",
	NULL},
	[MATCH_TOO_MANY_PLAYERS_FOR_MODEL] = {"too_many_players_for_model", "more players than the model takes",
	NULL},
	[MATCH_TOO_MANY_NEWCOMERS] = {"too_many_newcomers", "share of newcomers above max_newcomer_share",
	NULL},
	[MATCH_REPEATED_OPPONENTS] = {"repeated_opponents", "the same opponents met as often as max_repeats allows",
	NULL},
	[MATCH_TOO_MANY_PARTICIPANTS] = {"too_many_participants", "too many participants",
	"A match has at most 10000 participants."},
	[MATCH_TOO_MANY_TEAMS] = {"too_many_teams", "too many teams",
	"A match has at most 1000 teams, or 10000 under the model elo_mmr."},
	[MATCH_BAD_RANK] = {"bad_rank", "rank out of range",
	"Ranks are finite and at least 1, where 1 is the best; equal ranks are a draw."},
	[MATCH_BAD_SCORE] = {"bad_score", "score out of range",
	"Scores are finite, and those of players from -1e300 to 1e300; the highest is the best."},
	[MATCH_TWO_SCORES] = {"two_scores", "both a score of the team and scores of its players",
	"Give score, which is the team's, or player_score, which is summed for the team."},
	[MATCH_BAD_WON] = {"bad_won", "won is neither true nor false",
	"Won is a boolean, or 1 and 0."},
	[MATCH_RESULT_DIFFERS] = {"result_differs", "result differs within a team",
	"Rank, score and won describe the team: give all its players the same value. A score for each player is player_score, given for all of them and summed for the team."},
	[MATCH_BAD_WEIGHT] = {"bad_weight", "weight out of range",
	"Weights are from 0 to 1e6, where 1 is the whole match; contributions of OpenSkill are finite and not negative."},
	[MATCH_BAD_STINT] = {"bad_stint", "stint out of range",
	"Joined and left are finite seconds from the start of the match, with 0 <= joined <= left."},
	[MATCH_HALF_STINT] = {"half_stint", "stint without its beginning",
	"Give both joined and left, or neither, or joined alone while the player is still there."},
	[MATCH_BAD_COMMANDING] = {"bad_commanding", "commanding out of range",
	"Commanding is a share from 0 to 1, or seconds up to the length of the stint."},
	[MATCH_BAD_SIDE] = {"bad_side", "side out of range",
	"Sides are 1 and 2, or null where the sides do not differ."},
	[MATCH_SIDE_DIFFERS] = {"side_differs", "side missing or different within a team",
	"Give all players of all teams their team's side, or none."},
	[MATCH_SIDE_TAKEN] = {"side_taken", "two teams on the same side",
	"One team plays side 1 and the other side 2; leave the side null where sides do not differ."},
	[MATCH_BAD_LOG_ODDS] = {"bad_log_odds", "log-odds are not finite",
	"Log-odds are finite and favour the first side; 0 favours nobody."},
	[MATCH_LOG_ODDS_NEED_TWO_TEAMS] = {"log_odds_need_two_teams", "log-odds given without two teams",
	"Log-odds favour the first of two sides; leave them 0 for any other number of teams."},
	[MATCH_BAD_GAIN] = {"bad_gain", "gain out of range",
	"Gains are finite and not negative, where 1 is an ordinary update."},
	[MATCH_BAD_SQUAD] = {"bad_squad", "squad is not finite",
	"A squad is a finite number, the same for all who queued together; leave it null for those alone."},
	[MATCH_BAD_KILLS] = {"bad_kills", "kills out of range",
	"Counts are finite and not negative; leave them null where they are unknown."},
	[MATCH_BAD_DEATHS] = {"bad_deaths", "deaths out of range",
	"Counts are finite and not negative; leave them null where they are unknown."},
	[MATCH_BAD_QUIT] = {"bad_quit", "quit is neither true nor false",
	"Quit is a boolean, or 1 and 0."},
	[MATCH_BAD_EXPERIENCE] = {"bad_experience", "experience out of range",
	"Experience is a number of matches, finite and not negative."},
	[MATCH_BAD_FIXED] = {"bad_fixed", "fixed is neither true nor false",
	"Fixed is a boolean, or 1 and 0."},
	[MATCH_LISTED_TWICE] = {"listed_twice", "a player has several rows on one team",
	"Give a player one row for each match and team, such as by GROUP BY or EXISTS in place of a join; several rows are stints, which have joined and left, or a weight."},
	[MATCH_SELF_MATCH] = {"self_match", "a player is on several teams at once",
	"Give a player who changes teams stints (joined and left) that do not overlap, or weights that add up to at most 1."},
	[MATCH_NO_PERIOD] = {"no_period", "no played_at or no tournament to tell the rating period",
	"With rating periods a match has played_at, or tournament where these are the periods."},
	[MATCH_BAD_STATE] = {"bad_state", "state is not sound",
	"States are finite and within the range of the model; see skillrating.models()."},
	[MATCH_OVERFLOW] = {"overflow", "new state is out of range",
	"Check the parameters of the model and the states before the match."},
};

/* A number that is no status is not sound, whatever it comes from. */
static const StatusText *
find_status_text(MatchStatus status)
{
	static const StatusText unknown = {"unknown_status", "unknown status", NULL};

	return (unsigned) status < MATCH_NSTATUSES ? &status_text[status] : &unknown;
}

const char *
match_status_code(MatchStatus status)
{
	return find_status_text(status)->code;
}

const char *
match_status_message(MatchStatus status)
{
	return find_status_text(status)->message;
}

const char *
match_status_hint(MatchStatus status)
{
	return find_status_text(status)->hint;
}

double
match_status_value(MatchStatus status, const Participant *participant,
				   const Match *match)
{
	if (status == MATCH_BAD_LOG_ODDS || status == MATCH_LOG_ODDS_NEED_TWO_TEAMS)
		return match->log_odds;
	if (participant == NULL)
		return NAN;
	switch (status)
	{
		case MATCH_BAD_RANK:
			return participant->rank;
		case MATCH_BAD_SCORE:
			return isinf(participant->score) || isnan(participant->player_score) ?
				participant->score : participant->player_score;
		case MATCH_BAD_WON:
			return participant->won;
		case MATCH_BAD_WEIGHT:
			return participant->weight;
		case MATCH_BAD_STINT:
			return participant->joined >= 0 && isfinite(participant->joined) ?
				participant->left : participant->joined;
		case MATCH_BAD_COMMANDING:
			return participant->commanding;
		case MATCH_BAD_SIDE:
			return participant->side;
		case MATCH_BAD_SQUAD:
			return participant->squad;
		case MATCH_BAD_KILLS:
			return participant->kills;
		case MATCH_BAD_DEATHS:
			return participant->deaths;
		case MATCH_BAD_QUIT:
			return participant->quit;
		case MATCH_BAD_EXPERIENCE:
			return participant->experience;
		case MATCH_BAD_GAIN:
			return participant->gain;
		case MATCH_BAD_FIXED:
			return participant->fixed;
		default:
			return NAN;
	}
}
