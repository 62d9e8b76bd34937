/*
 * eligibility.h
 *		Which matches a ladder wants to rate, by what their players did before: rules about
 *		newcomers and about opponents who meet too often.
 *
 * What a match itself says, its source can judge.  Nothing here knows how rules are declared, or
 * since when they hold.
 *
 * What a new rule takes:
 *		here		the rule in the enum and in eligibility_specs[], whether it is in force, and the
 *					function that judges
 *		match.h		a status before MATCH_LAST_UNRATED; its code and texts in match_status.c
 *		batch.c		its place in batch_judge_players()
 *		filters.c	read_rules(), or the rule is ignored where it is the only one; and where the past
 *					is to be read, its window
 *		unrated.c	unrated_is_news(), if the reason is no surprise to those who made the rule
 *		the order	where it looks back, its reason stands in last_judged_query (apply.c) and, in the
 *					same words, in the index on rated_match (sql/ladder/entry/61-tables.sql); its
 *					name in those conditions of sql/ladder/rate/62-order.sql that ask for rules
 *					about the past, and its reason in merge_players()
 *		tests		test_eligibility.c, the judge of ladder_eligibility.sql, random_rules() in
 *					ladder_property.sql and the list of oracles_operations.sql
 *		pages		the table of rules and the reasons in docs/ladders.md
 */
#ifndef CORE_RATING_ELIGIBILITY_H
#define CORE_RATING_ELIGIBILITY_H

#include <stdbool.h>

#include "core/rating/match.h"

/* The rules, in the order in which a match is judged by them. */
enum
{
	ELIGIBILITY_MAX_NEWCOMER_SHARE, /* 1: no rule */
	ELIGIBILITY_NEWCOMER_GAMES,
	ELIGIBILITY_MAX_REPEATS,	/* matches; 0: no rule */
	ELIGIBILITY_REPEAT_WINDOW,	/* seconds */
	ELIGIBILITY_NRULES
};

extern const ParamSet eligibility_params;

/* Whether there is a rule about newcomers, and one about opponents. */
extern bool eligibility_limits_newcomers(const ParamValue *rules);
extern bool eligibility_limits_repeats(const ParamValue *rules);

/*
 * Judge a match that was built by how often its players were rated before: games[] has that of
 * each player, which counts unless the participant's own number is larger.  Returns MATCH_OK or
 * the status of the rule that it breaks; *value is the share of newcomers, or NaN without a rule.
 */
extern MatchStatus eligibility_judge_newcomers(const ParamValue *rules,
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
