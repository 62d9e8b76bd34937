/*
 * history.h
 *		All matches of a history in compact form, to be rated over and over.
 *
 * Whoever fills one in owns its arrays; nothing here allocates.
 */
#ifndef CORE_RATING_HISTORY_H
#define CORE_RATING_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/math/sum.h"
#include "core/rating/model.h"
#include "core/util/interrupt.h"

#define MICROSECONDS_PER_DAY INT64_C(86400000000)

typedef struct HistoryMatch
{
	int64_t		played_at;		/* microseconds, NEVER_PLAYED if unknown */
	double		log_odds;
	double		tournament;		/* period_tournament_key(), or 0 */
	size_t		first;			/* participant */
	int			n;				/* how many, at most history.max_participants */
	uint32_t	number;			/* the caller's, for messages */
	int32_t		pool;			/* 0 .. npools - 1 */
	size_t		first_context;	/* in history.contexts.name, */
	size_t		first_club;		/* and clubs.name */
} HistoryMatch;

/*
 * The contexts or clubs of participants.  Within a match they are numbered as in a
 * Participant; name[] has which these are, for all matches in turn.
 */
typedef struct HistoryNames
{
	int32_t    *number;			/* by participant, -1 for none; NULL if nobody
								 * has one */
	int32_t    *name;			/* by first of the match + number: 0 .. n - 1 */
	size_t		nnames;			/* how many that are, of all matches */
	int32_t		n;				/* different ones */
} HistoryNames;

/*
 * Participants are in the order of the sums within each match.  A player is one
 * in one pool; shared[] has the player who stands for all pools, or is NULL for
 * models that share nothing.  Columns of which all is unknown are NULL.
 */
typedef struct History
{
	size_t		nmatches;
	HistoryMatch *match;
	size_t		nparticipants;
	int32_t    *player;			/* 0 .. nplayers - 1 */
	int32_t    *team;
	double	   *number[PARTICIPANT_NUMBERS];	/* Participant.number */
	int32_t		nplayers;
	int32_t    *shared;
	int			max_participants;	/* of a match */
	int32_t		npools;
	HistoryNames contexts;
	HistoryNames clubs;
} History;

/* Its components, see history_components.h. */
typedef struct HistoryComponents HistoryComponents;

/*
 * Room for rating a history, or only for building its matches, which needs no states.
 */
typedef struct HistoryWork
{
	double	   *state;			/* nplayers * nstate */
	int64_t    *games;			/* nplayers each */
	int64_t    *last_played;
	bool	   *fixed;			/* by the last match that said */
	int32_t    *slot;			/* -1 before and after a match */
	Participant *participant;	/* max_participants each */
	MatchTeam  *team;
	MatchPlayer *match_player;
	MatchEntry *entry;
	int32_t    *player;
	double	   *before;			/* max_participants * nstate each */
	double	   *after;

	/* For models that look back, by history_past_init(); NULL for others. */
	double	   *past;			/* nparticipants * nstate: the states of each
								 * player in a row, */
	size_t	   *first_past;		/* nplayers: from here on, */
	int32_t    *npast;			/* nplayers: so many */

	/*
	 * The log-odds in favour of side 1 of matches that have sides and none of
	 * their own.
	 */
	double		side_log_odds;

	/*
	 * Called with every match of two or more teams that a replay scores, as
	 * it was predicted; NULL for nothing.
	 */
	void		(*on_score) (void *argument, size_t number, const Match *match);
	void	   *on_score_argument;

	/*
	 * For models with components, by history_component_states_init(); NULL
	 * for others, and then matches have none.
	 */
	const HistoryComponents *components;
	double	   *component_state[COMPONENT_MAX_KINDS];	/* count * nstate each */
	int64_t    *component_games[COMPONENT_MAX_KINDS];	/* count each */
	int64_t    *component_last_played[COMPONENT_MAX_KINDS];
	MatchComponent *component;	/* max_participants * nkinds each */
	MatchShare *share;
	double	   *component_before;	/* likewise * the most columns of a state */
	double	   *component_after;

	/*
	 * Matches that cannot be built or rated for a mistake, by MatchStatus: a
	 * replay counts them, and goes on.  NULL: the first one ends it.
	 */
	int64_t    *left_out;
} HistoryWork;

/*
 * The bytes of this room, for states of nstate numbers, which may be 0; and the pointers
 * into a block of so many bytes, with slots set to -1; mistakes end a replay, and log-odds
 * are those of the matches.
 */
extern size_t history_work_size(const History *history, int nstate);
extern void history_work_init(HistoryWork *work, void *block,
							  const History *history, int nstate);

/* The same of the states that a model looks back on. */
extern size_t history_past_size(const History *history, int nstate);
extern void history_past_init(HistoryWork *work, void *block, const History *history,
							  int nstate);

/*
 * Build a match of the history in work, as match_build() does, whose status and
 * *offender these are.  Player i of the match is work->player[i] of the history.
 */
extern MatchStatus history_build_match(const History *history, size_t number,
									   const MatchRules *rules,
									   const ParamValue *params,
									   HistoryWork *work, Match *match,
									   int *offender);

/*
 * What the prediction of a match costs: the negative log likelihood, in nats, of
 * who won.  A draw of two counts half for each, and a first place shared by several
 * is shared among them.  Impossible events cost what those of probability 1e-15 do.
 */
extern double match_log_loss(const Match *match);

/* Predictions, one step ahead, of a part of the history. */
typedef struct HistoryScore
{
	int64_t		matches;
	Sum			log_loss;
} HistoryScore;

/*
 * Rate the first end matches, and score those from bound[i] to below bound[i + 1]
 * into score[i], for i below nscores.  Matches that do not count are passed over.
 * MATCH_OK, or what is wrong with *match at *offender, a participant in it or -1, unless
 * such matches are left out (see HistoryWork).
 */
extern MatchStatus history_replay(const History *history, const Model *model,
								  const ParamValue *params, HistoryWork *work,
								  const size_t *bound, int nscores,
								  HistoryScore *score, InterruptCheck interrupt,
								  size_t *match, int *offender);

#endif							/* CORE_RATING_HISTORY_H */
