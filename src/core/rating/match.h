/*
 * match.h
 *		What a match is to a rating model.
 *
 * A match arrives as a list of Participants, one per row of a source: who
 * played, for which team, how the team did and for how long the player took
 * part.  match_build() checks them and turns them into a Match: teams with
 * ranks, players with states, and entries that say how much of whom played
 * where.  Models see only the Match.
 *
 * Nothing here allocates: the caller provides every array.
 */
#ifndef CORE_RATING_MATCH_H
#define CORE_RATING_MATCH_H

#include "core/rating/component.h"
#include "core/rating/params.h"
#include "core/rating/period.h"
#include "core/util/interrupt.h"

/*
 * Limits of one match; they bound the work and the memory of one rating.  Models
 * have arrays of MATCH_MAX_TEAMS on the stack; one that has not may take more by
 * its MatchRules.
 */
#define MATCH_MAX_PARTICIPANTS	10000
#define MATCH_MAX_TEAMS			1000

/* The largest share of a match, as a weight: shares that were added up may be off by rounding. */
#define MATCH_WHOLE (1 + 1e-9)

/* The largest weight. */
#define MATCH_MAX_WEIGHT 1e6

/* The largest player_score either way, so that no sum of a match overflows. */
#define MATCH_MAX_PLAYER_SCORE 1e300

/* What a model may note of each team. */
#define MATCH_TEAM_WORK			5

/*
 * What came of building or rating a match.  The order is part of the
 * interface: up to MATCH_LAST_UNRATED a match is sound but does not count, the
 * statuses behind it are mistakes in the input.
 */
typedef enum MatchStatus
{
	MATCH_OK,

	/* The match is kept and not rated. */
	MATCH_ONE_TEAM,
	MATCH_NO_RESULT,
	MATCH_NO_PLAY_TIME,
	MATCH_UNFINISHED,
	MATCH_TOO_MANY_TEAMS_FOR_MODEL,
	MATCH_TOO_MANY_PLAYERS_FOR_MODEL,

	/* The same by a rule of eligibility.h. */
	MATCH_TOO_MANY_NEWCOMERS,
	MATCH_REPEATED_OPPONENTS,
	MATCH_LAST_UNRATED = MATCH_REPEATED_OPPONENTS,

	/* The input is wrong. */
	MATCH_TOO_MANY_PARTICIPANTS,
	MATCH_TOO_MANY_TEAMS,
	MATCH_BAD_RANK,
	MATCH_BAD_SCORE,
	MATCH_TWO_SCORES,
	MATCH_BAD_WON,
	MATCH_RESULT_DIFFERS,
	MATCH_BAD_WEIGHT,
	MATCH_BAD_STINT,
	MATCH_HALF_STINT,
	MATCH_BAD_COMMANDING,
	MATCH_BAD_SIDE,
	MATCH_SIDE_DIFFERS,
	MATCH_SIDE_TAKEN,
	MATCH_BAD_LOG_ODDS,
	MATCH_LOG_ODDS_NEED_TWO_TEAMS,
	MATCH_BAD_GAIN,
	MATCH_BAD_SQUAD,
	MATCH_BAD_KILLS,
	MATCH_BAD_DEATHS,
	MATCH_BAD_QUIT,
	MATCH_BAD_EXPERIENCE,
	MATCH_BAD_FIXED,
	MATCH_LISTED_TWICE,
	MATCH_SELF_MATCH,
	MATCH_NO_PERIOD,
	MATCH_BAD_STATE,
	MATCH_OVERFLOW
} MatchStatus;

/* How many statuses there are, MATCH_OK among them. */
#define MATCH_NSTATUSES (MATCH_OVERFLOW + 1)

/*
 * One row of a source: a player's stint on a team.  Numbers that a source
 * does not have are NaN.
 */
/* The numbers of a participant, from rank to fixed. */
#define PARTICIPANT_NUMBERS 16

typedef struct Participant
{
	int			player;			/* 0 .. nplayers - 1, dense within the match */
	int			team;			/* any number; teams are ordered by it */
	union
	{
		struct
		{
			double		rank;	/* of the team, 1 = best, equal = draw */
			double		score;	/* of the team, high = best, if no rank */
			double		player_score;	/* of the player, in place of score: the
									 * team's is the sum */
			double		won;	/* 1 or 0, if neither rank nor score */
			double		weight; /* share of the match played, default 1 */
			double		joined; /* seconds from the start of the match, */
			double		left;	/* an alternative to weight */
			double		commanding; /* share of the stint, or seconds if > 1 */
			double		side;	/* 1 or 2 where the sides differ */
			double		squad;	/* same number: queued together */
			double		kills;	/* during the stint */
			double		deaths;
			double		quit;	/* 1 if the player left for good, else 0 */
			double		experience; /* matches played before, if not games */
			double		gain;	/* weight of the player's update, default 1 */
			double		fixed;	/* 1 if the state is to stay as it is, 0 if it
								 * learns; else as for the player before */
		};
		double		number[PARTICIPANT_NUMBERS];	/* the same, one by one */
	};
	int			context;		/* where or as what was played, and for which
								 * club: */
	int			club;			/* 0 .. n - 1 in a match of n, or -1 */
} Participant;

_Static_assert(offsetof(Participant, fixed) - offsetof(Participant, number) ==
			   (PARTICIPANT_NUMBERS - 1) * sizeof(double),
			   "numbers of a participant do not follow one another");

/* A participant of whom nothing is known. */
extern const Participant participant_default;

typedef struct MatchTeam
{
	int			number;			/* as the participants call it */
	int			side;			/* 1, 2, or 0 where sides do not differ */
	double		rank;			/* 1 = best, equal = draw */
	double		score;			/* given, or of its players; NaN if the source
								 * does not say */
	double		size;			/* out of match_build(): play time of all
								 * members, or how many they are */
	double		advantage;		/* log-odds in advance, of one of more than
								 * two teams; see match_log_odds_between() */
	double		win;			/* out: probability that predict() gives */
	double		work[MATCH_TEAM_WORK];	/* the model's, while it predicts or
										 * rates */
} MatchTeam;

/* The most earlier states of a player that a model looks back on. */
#define MATCH_MAX_PAST 3

typedef struct MatchPlayer
{
	const double *before;		/* state on entry, model->nstate numbers */
	double	   *after;			/* out: state after the match */
	double		games;			/* rated matches before this one */
	const double *past[MATCH_MAX_PAST]; /* the states that Model.look_back()
										 * asks for, or NULL */
	double		squad;			/* out of match_build(), NaN if unknown: */
	double		kills;			/* the sums of all stints */
	double		deaths;
	double		quit;			/* 1 if any stint ended so */
	double		experience;
	double		fixed;			/* 1 if any stint is, NaN if none says; the
								 * caller makes 1 or 0 of it before rating */
	double		gain;			/* mean of the stints, weighted by play */
	double		weight;			/* all play, commanding included */
	double		gradient;		/* out: of the log likelihood by the main
								 * state, up to a constant of the model */
	int			team;			/* out of match_build(): where most played, */
	double		played;			/* the weight there, */
	int			last_entry;		/* and the player's last entry */
	int			last_component; /* the same of components, if there are any */
	int			place;			/* in match_order(): the index before it, */
	int			moved_to;		/* and where the player of this index went */
} MatchPlayer;

/* One player's part on one team: all stints of the pair added up. */
typedef struct MatchEntry
{
	int			player;			/* index into Match.player */
	int			team;			/* index into Match.team */
	int			previous;		/* the player's entry before this, or -1 */
	double		weight;			/* play, commanding excluded */
	double		command_weight; /* commanding */
	double		joined;			/* when the first stint began, or NaN */
} MatchEntry;

/* A component that takes part in the match. */
typedef struct MatchComponent
{
	const ComponentSpec *spec;
	int			number;			/* of the spec in the rules */
	int			player;			/* index into Match.player, or -1 */
	int			key;			/* Participant.context or club, else 0 */
	int			participant;	/* the first who brings it */
	const double *before;		/* state on entry, spec->nstate numbers */
	double	   *after;			/* out: state after the match */
	double		games;			/* rated matches before this one */
	int			last_share;
	int			previous;		/* the player's component before this, or -1 */
	int			place;			/* as those of MatchPlayer */
	int			moved_to;
} MatchComponent;

/*
 * How much of a component is in a team, or in the match as a whole.  That of a player is a
 * weight of play, commanding excluded, as in a MatchEntry; any other a share from 0 to 1
 * of all play, commanding included, in the team or the match.
 */
typedef struct MatchShare
{
	int			component;		/* index into Match.component */
	int			team;			/* index into Match.team, or -1 */
	int			previous;		/* the component's share before this, or -1 */
	double		weight;
	double		low;			/* of the sum, while the match is built */
} MatchShare;

typedef struct Match
{
	int			nteams;
	int			nplayers;
	int			nentries;
	int			ncomponents;
	int			nshares;
	MatchTeam  *team;			/* ascending by number */
	MatchPlayer *player;
	MatchEntry *entry;			/* by team, then in the participants' order or
								 * that of match_order() */
	MatchComponent *component;	/* see match_build() */
	MatchShare *share;
	double		length;			/* seconds until the last left, or NaN */
	double		log_odds;		/* context, in favour of the first side */

	/*
	 * The rating period, for models that have them; all zero, as
	 * match_build() leaves it, if it is not known.
	 */
	Period		period;

	/*
	 * What a model calls while it rates a match that takes long; NULL, as
	 * match_build() leaves it, for nothing.
	 */
	InterruptCheck interrupt;
} Match;

/*
 * The parts of a match that a model or a solver takes into account, as bits of a set.
 * Others are refused, or have no effect.
 */
enum ModelSupport
{
	MODEL_MANY_TEAMS = 1 << 0,	/* more than two teams */
	MODEL_DRAWS = 1 << 1,
	MODEL_WEIGHT = 1 << 2,		/* partial play */
	MODEL_SIDE = 1 << 3,		/* sides that differ */
	MODEL_COMMANDING = 1 << 4,
	MODEL_LOG_ODDS = 1 << 5,	/* context log-odds */
	MODEL_GAIN = 1 << 6,		/* weight of each player's update */
	MODEL_SCORE = 1 << 7,		/* scores of the teams, besides their order */
	MODEL_ONE_TEAM = 1 << 8,	/* a team on its own, with a score */
	MODEL_SQUAD = 1 << 9,		/* who queued together */
	MODEL_COUNTS = 1 << 10,		/* kills and deaths */
	MODEL_QUIT = 1 << 11,
	MODEL_EXPERIENCE = 1 << 12, /* matches played before */
	MODEL_CONTEXT = 1 << 13,	/* where or as what was played */
	MODEL_CLUB = 1 << 14,		/* for whom */
	MODEL_UNEVEN = 1 << 15		/* teams of different sizes */
};

/*
 * The part of a model, or of a solver, that match_build() needs: the matches that it
 * accepts, and the weights of stints.
 */
typedef struct MatchRules
{
	unsigned	supports;		/* a set of ModelSupport */
	int			max_players;	/* of a match; 0: no limit of its own */
	int			max_teams;		/* 0: MATCH_MAX_TEAMS */

	/*
	 * The weight of a stint given in seconds from the start of the match;
	 * NULL: the share of the match's length.
	 */
	double		(*stint_weight) (const ParamValue *params, double joined,
								 double left);

	/*
	 * Whether weights are no play time, so that the size of a team is how
	 * many members it has; NULL: they are play time.
	 */
	bool		(*counts_members) (const ParamValue *params);

	/* The kinds of components that there can be; at most COMPONENT_MAX_KINDS. */
	const ComponentSpec *component;
	int			ncomponents;
} MatchRules;

/* How a match ended for one team. */
typedef enum MatchOutcome
{
	MATCH_LOST,
	MATCH_DREW,
	MATCH_WON
} MatchOutcome;

/*
 * How many kinds of components are in use.  A match of n participants has at most n
 * components and n shares of each.
 */
extern int	match_components_used(const MatchRules *rules, const ParamValue *params);

/* The number in the rules of the kind of that name, in use or not, or -1. */
extern int	match_component_kind(const MatchRules *rules, const char *name);

/*
 * Turn n participants into *match.
 *
 * On entry match->team, player and entry point at arrays of at least n
 * elements, and match->nplayers and log_odds are set; match->component and share at arrays
 * of n elements for each kind of components that is in use, or component is NULL, and the
 * match has none.  The participants
 * are ordered by team; the order of one player's stints is that of their sums, so a
 * caller who wants equal bits must always give the same one.  The order of players
 * has no influence on what model_rate() makes of the match.  States are not looked
 * at: before, after and games of each player and component are the caller's to set, before
 * rating, and past for models that look back.  Gradients are 0 until then.
 *
 * Returns MATCH_OK or what is wrong; *offender is then the participant that
 * shows it, or -1 where it is the match as a whole.  After MATCH_NO_PLAY_TIME the
 * match is complete all the same.
 *
 * A player may have any number of rows on one team, if anybody has a weight or a stint, else
 * one (MATCH_LISTED_TWICE).  Two on different teams are a change of sides: stints that do not
 * overlap, or, where a stint is unknown, shares of the match that add up to at most the whole of
 * it.  Any others, and a match of one player against oneself in turn, are MATCH_SELF_MATCH.
 */
extern MatchStatus match_build(const MatchRules *rules,
							   const ParamValue *params,
							   const Participant *participant, int n,
							   Match *match, int *offender);

/*
 * By team: the sum of the first state column of its players before the match, each
 * with the weight of play of the entry, and the sum of these weights.
 */
extern void match_team_sums(const Match *match, double *sum, double *weight);

/*
 * The weight of the match in a likelihood of many: the mean of its players' gains,
 * weighted by play.  Exactly their gain where all have the same.
 */
extern double match_mean_gain(const Match *match);

/*
 * What a unit of weight counts of each of n teams of that weight, if a team is to count
 * as the mean of its members times the harmonic mean of all weights: exactly 1 for
 * teams of equal weight.  Of two teams the difference is then that of the sums of
 * their members above the mean of all who play, so that a number added to every skill
 * changes nothing, however many play for which team.
 */
extern void match_center(const double *weight, int n, double *factor);

/* The index of the team that context log-odds favour: side 1, else team 0. */
extern int	match_first_side(const Match *match);

/* The log-odds of the context as that team sees them. */
extern double match_log_odds_for(const Match *match, int team);

/*
 * The log-odds that a team has in advance against another: of two teams those of the match,
 * of more the difference of their advantages.
 */
extern double match_log_odds_between(const Match *match, int team, int other);

/*
 * Add to the ratings of more than two teams what their advantages are worth, where a log-odds
 * of 1 is so many units of the ratings.
 */
extern void match_add_log_odds(const Match *match, double unit, double *rating);

/*
 * Add to the means of more than two teams, which perform as normal variables of those
 * variances, what their advantages are worth: a log-odds of 1 between two is sqrt(pi / 8),
 * where the logistic and the normal curve have the same slope, of the deviation of a mean
 * difference.
 */
extern void match_add_advantages(const Match *match, const double *variance, double *mean);

/* Whether the sizes of the teams differ, by more than rounding, and their mean. */
extern bool match_is_uneven(const Match *match);
extern double match_mean_size(const Match *match);

/* The share of each team in the first place. */
extern void match_first_places(const Match *match, double *share);

/*
 * How the match ended for a team: sole first, shared first, or neither.  A team
 * on its own lost if its score is negative, drew at zero and won above.
 */
extern MatchOutcome match_outcome(const Match *match, int team);

/*
 * The teams by rank, best first, and those that drew in the order of their
 * numbers: indexes into match->team.
 */
extern void match_teams_by_rank(const Match *match, int *order);

/*
 * MATCH_OK if every team's win is a probability, else MATCH_OVERFLOW: models end
 * with it, as finite numbers can be too large to compute with.
 */
extern MatchStatus match_check_predictions(const Match *match);

/*
 * The name of a status, such as "bad_weight": stable, unique and in snake_case, so that
 * programs can tell statuses apart by it.
 */
extern const char *match_status_code(MatchStatus status);

/*
 * One phrase in lower case that says what a status means, and for mistakes a
 * sentence that helps (else NULL).
 */
extern const char *match_status_message(MatchStatus status);
extern const char *match_status_hint(MatchStatus status);

/*
 * The number that a status complains about, of the offending participant (NULL
 * for none) or of the match; NaN where it is about no single number.
 */
extern double match_status_value(MatchStatus status,
								 const Participant *participant,
								 const Match *match);

#endif							/* CORE_RATING_MATCH_H */
