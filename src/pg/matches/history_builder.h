/*
 * history_builder.h
 *		A history in memory, from the rows of an ordered aggregate or from matches.
 */
#ifndef PG_MATCHES_HISTORY_BUILDER_H
#define PG_MATCHES_HISTORY_BUILDER_H

#include "pg/sql/glue.h"

#include "core/rating/history.h"
#include "pg/matches/inputs.h"
#include "pg/matches/match_rows.h"

/* The names of which a history has the numbers. */
typedef struct BuilderNames
{
	IdTable    *table;			/* to their numbers, plus one; NULL for none */
	int32		n;
	size_t		max_names;		/* room in HistoryNames.name */
} BuilderNames;

/* Whose the contexts of a history are. */
typedef enum ContextUse
{
	CONTEXT_OF_ROWS,
	CONTEXT_OF_MATCHES,			/* a match with several has a mistake in it */
	CONTEXT_OF_MATCHES_IF_ANY	/* a match with several has none */
} ContextUse;

/* Where a player was seen last. */
typedef struct BuilderSeat
{
	uint32		number;			/* of the match */
	int32		seat;			/* the index in it */
} BuilderSeat;

typedef struct HistoryBuilder
{
	/* Of an aggregate: */
	ParticipantArguments rows;
	SourceMatch match;			/* being read; its ids in match_context */
	MemoryContext match_context;
	MemoryContext row_context;	/* of what is taken out of a row */

	/* Of rows that come in no order, which are collected and read in the end. */
	MatchRows  *unordered;		/* or NULL: they have an order */
	FunctionCallInfo row;		/* for rows that are read again */

	IdType		player_type;
	IdTable    *players;		/* to their numbers, plus one */
	Datum	   *player_id;		/* by number */
	bool		pools_share;	/* pool SHARED_POOL stands for all, see
								 * Model.shares */
	History		history;
	UnratedCounts unrated;		/* matches that are not in it */
	size_t		max_matches;	/* room for so many */
	size_t		max_participants;
	int32		max_players;

	/* What matches are judged by before they are added. */
	const char *caller;			/* the function, in messages */
	const MatchRules *rules;	/* NULL: not at all */
	const ParamValue *params;
	bool		strict;			/* a mistake is an error */
	uint32		number;			/* of matches that were judged */
	MemoryContext judging;		/* of one match */
	IdTable    *newcomers;		/* in that match, to their seats plus one */
	BuilderSeat *seat;			/* by player */
	Match		judged;			/* room for max_judged of each */
	int32	   *known;			/* players of that match by participant, or -1
								 * for one who is new, */
	int32	   *seated;			/* and, once it is added, by seat */
	int			max_judged;
	uint32	   *hash;			/* of the players of the match that is being
								 * read, in the order of its rows, */
	int			max_hashes;		/* room, */
	int			hashes;			/* and how many: all of a match, or 0 */

	/* Pools, contexts and clubs. */
	IdType		text_type;
	BuilderNames pools;
	char	   *last_pool;		/* of the match before, or NULL, */
	int32		pool_number;	/* and its number */
	BuilderNames contexts;
	BuilderNames clubs;
	ContextUse	context_use;
	int32	   *context_of;		/* by match: the context of all its rows, or
								 * -1 */

	/*
	 * Called with each match that was judged and is the last of the history
	 * now, and which of its players is whom there, so that nobody has to
	 * build it again for a look at it; or NULL.
	 */
	void		(*on_match) (struct HistoryBuilder *builder, const Match *match,
							 const int32 *player, void *argument);
	void	   *argument;		/* of that */

	/*
	 * Matches, but not who played, are forgotten whenever there are so many;
	 * 0: never.
	 */
	size_t		batch;
	size_t		forgotten;		/* matches before those that are there */
} HistoryBuilder;

/*
 * Begin, with memory from the current context, which must be current again
 * whenever matches are added.
 */
extern void history_builder_init(HistoryBuilder *builder, Oid player_type,
								 bool pools_share);

/*
 * What matches are judged by: one that does not count under these rules, or in which
 * there is a mistake, is counted in unrated and left out; where strict a mistake is an
 * error, which names the caller.  All must live as long as the builder.
 */
extern void history_builder_judge_by(HistoryBuilder *builder, const char *caller,
									 const MatchRules *rules,
									 const ParamValue *params, bool strict,
									 SourceTimes times);

/*
 * Add a match, in the order in which they were played, unless it is judged not to count.
 * Participants are sorted.
 */
extern void history_builder_add(HistoryBuilder *builder, SourceMatch *source);

/*
 * The same of a match that counts and whose participants are sorted; it stays as it is.  known has
 * their players by number, or -1 for one who was new when the match was judged; NULL if it was not.
 */
extern void history_builder_append(HistoryBuilder *builder, const SourceMatch *source,
								   const int32 *known);

/* Pools, contexts or clubs, as texts, by number. */
extern Datum *history_builder_names(const BuilderNames *names);

/*
 * The room in which matches of a history that is complete are built, with states of so many
 * numbers, and with the components that these rules have; without any for NULL.
 */
extern HistoryWork *history_work_make(const History *history, int nstate,
									  const MatchRules *rules);

/*
 * Begin for an aggregate, with the arguments of participant_arguments_init().  Rows that come in no
 * order are collected, to be put in that of matches at the end.
 *
 * The call may be one of a transition or of a combine function.  A parallel worker, whose state is
 * not final, only collects the rows.
 */
extern void history_builder_begin_rows(HistoryBuilder *builder,
									   FunctionCallInfo fcinfo,
									   const char *aggregate, int first,
									   bool any_order, bool pools_share);

/*
 * Read a row.  A worker's are collected in builder->unordered, to be written, and taken over
 * elsewhere, where there are no others.
 */
extern void history_builder_read_row(HistoryBuilder *builder,
									 FunctionCallInfo fcinfo);

/* Take the last match over, when there are no more rows. */
extern void history_builder_end_rows(HistoryBuilder *builder);

/*
 * A mistake in a match, as the core found it while matches were built in work; the
 * offender is a participant, or -1.
 */
pg_noreturn extern void history_report_mistake(HistoryBuilder *builder,
											   const char *aggregate,
											   const HistoryWork *work,
											   MatchStatus status, size_t match,
											   int offender);

#endif							/* PG_MATCHES_HISTORY_BUILDER_H */
