/*
 * eligibility.h
 *		Which matches a ladder wants to rate: rules about length, play time, sizes of
 *		teams, bots, newcomers, and opponents who meet too often.
 *
 * A rule is about something that the rows of a match may not say; then it does not
 * apply.  Nothing here knows how rules are declared, or since when they hold.
 */
#ifndef CORE_RATING_ELIGIBILITY_H
#define CORE_RATING_ELIGIBILITY_H

#include <stdbool.h>

#include "core/rating/match.h"

/* The rules, in the order in which a match is judged by them. */
typedef enum EligibilityRule
{
	ELIGIBILITY_NO_SHOW,		/* an EligibilityNoShow */
	ELIGIBILITY_MIN_PLAY_TIME,	/* seconds */
	ELIGIBILITY_MIN_PLAY_SHARE,
	ELIGIBILITY_MIN_DURATION,	/* seconds */
	ELIGIBILITY_MIN_SURRENDER_TIME, /* seconds */
	ELIGIBILITY_MIN_TEAM_SIZE,	/* players */
	ELIGIBILITY_MAX_TEAM_SIZE,
	ELIGIBILITY_MAX_SIZE_DIFFERENCE,
	ELIGIBILITY_MAX_BOT_SHARE,
	ELIGIBILITY_MAX_NEWCOMER_SHARE,
	ELIGIBILITY_NEWCOMER_GAMES,
	ELIGIBILITY_MAX_REPEATS,	/* matches */
	ELIGIBILITY_REPEAT_WINDOW,	/* seconds */
	ELIGIBILITY_NRULES
} EligibilityRule;

/* What becomes of players who never played, in the order of the choices in SQL. */
typedef enum EligibilityNoShow
{
	NO_SHOW_COUNTS,				/* nothing: the model sees them */
	NO_SHOW_LEFT_OUT,			/* the match is rated without them */
	NO_SHOW_UNRATED				/* the match is not rated */
} EligibilityNoShow;

/* What SQL knows of a rule. */
typedef struct EligibilitySpec
{
	ParamSpec	param;			/* a default of NaN: not in force */
	MatchStatus status;			/* of a match that breaks it; MATCH_OK where
								 * the rule only says more about another one, */
	EligibilityRule of;			/* that one, or the rule itself */
} EligibilitySpec;

extern const EligibilitySpec eligibility_spec[ELIGIBILITY_NRULES];

/*
 * Rules: the value of each, NaN where it is not in force.  Choices are numbers.
 */
typedef struct Eligibility
{
	double		value[ELIGIBILITY_NRULES];
} Eligibility;

/* No rule, but the values that say more about others have their defaults. */
extern void eligibility_defaults(Eligibility *rules);

/* Whether a rule is in force; one that says more about another is if that one is. */
extern bool eligibility_in_force(const Eligibility *rules, EligibilityRule rule);

/* Whether participants may be left out of a match, and whether states are looked at. */
extern bool eligibility_leaves_out(const Eligibility *rules);
extern bool eligibility_needs_players(const Eligibility *rules);

/* What is known of a match as a whole besides its participants, NaN if it is not. */
typedef struct MatchFacts
{
	double		duration;		/* seconds */
	double		surrendered;	/* 1 if a team gave up, else 0 */
} MatchFacts;

/* MATCH_OK, or the mistake in the facts; *value is then what is wrong. */
extern MatchStatus match_facts_check(const MatchFacts *facts, double *value);

/*
 * Find the participants to be left out: all rows of accounts that never played or played
 * too little.  account[] has the number of that of each participant, 0 .. naccounts - 1,
 * and left_out has room for n, the status of the rule by which each goes, MATCH_OK for those who
 * stay; every participant has passed match_build(), or the match failed as a whole.
 *
 * Accounts are not players here, two of whom may be one: who is left out must not depend
 * on what becomes known of a player later.
 *
 * Returns how many rows that are; *status is then that of the rule by which the first of
 * them goes.
 */
extern int	eligibility_leave_out(const Eligibility *rules, const MatchFacts *facts,
								  const Participant *participant, int n,
								  const int *account, int naccounts,
								  MatchStatus *left_out, MatchStatus *status);

/*
 * Judge a match that was built, of those who were not left out, by its content.  Returns
 * MATCH_OK or the status of the first rule that it breaks, and then in *value the number
 * that breaks it, or NaN.
 */
extern MatchStatus eligibility_judge(const Eligibility *rules, const MatchFacts *facts,
									 const Participant *participant, int n,
									 const Match *match, double *value);

/*
 * The same by how often its players were rated before: games[] has that of each player of
 * the match, which counts unless the participant's own number is larger.
 */
extern MatchStatus eligibility_judge_newcomers(const Eligibility *rules,
											   const Match *match,
											   const double *games, double *value);

/* The team of a player in a match before, and in the match that is judged. */
typedef struct TeamsOfPlayer
{
	int			before;
	int			now;
} TeamsOfPlayer;

/*
 * Whether all opponents of a match were opponents before, too: of n players, all of whom
 * took part in both, no two who are opponents now were on one team.  Sorts the array.
 */
extern bool eligibility_same_opponents(TeamsOfPlayer *player, int n);

#endif							/* CORE_RATING_ELIGIBILITY_H */
