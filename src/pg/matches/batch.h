/*
 * batch.h
 *		Players while a batch of matches is rated, wherever these come from.
 */
#ifndef PG_MATCHES_BATCH_H
#define PG_MATCHES_BATCH_H

#include "pg/sql/glue.h"

#include "storage/itemptr.h"

#include "core/rating/operation.h"
#include "pg/matches/source.h"

/*
 * Where a model shares state columns among pools, the pool of the row that has
 * them; it is in no match.
 */
#define SHARED_POOL "*"

/* What is wrong with a match in it. */
#define RESERVED_POOL_DETAIL "pool \"" SHARED_POOL "\" is reserved"

/*
 * How often a player was rated in matches, when last, and how old the state is.  That of a
 * component has games and times only.
 */
typedef struct PlayerRecord
{
	int64		games;
	int64		wins;
	int64		draws;
	int64		losses;
	TimestampTz last_played;	/* DT_NOBEGIN if never */
	TimestampTz as_of;			/* the time as of which the state is: that of
								 * the latest event, or DT_NOBEGIN before the
								 * first */
	int64		fixed;			/* 1: the state stays as it is, by the latest
								 * event that said so; as wide as the others,
								 * because records are compared by their bytes */
} PlayerRecord;

/* A rated match, as one of its players remembers it; see batch_add_meeting(). */
typedef struct Meeting
{
	int64		seq;
	TimestampTz played_at;
	int			team;			/* its number, where most was played */
} Meeting;

/* A component that takes part; see below. */
typedef struct BatchComponent BatchComponent;

/* A player while a batch is rated. */
typedef struct BatchPlayer
{
	Datum		id;
	const char *pool;
	struct BatchPlayer *shared; /* the player's row in SHARED_POOL, or NULL */
	double	   *state;			/* model->nstate numbers */
	PlayerRecord record;
	bool		wanted;			/* batch_load() is to load it */
	bool		exists;			/* has, or is to have, a row in rating */
	bool		loaded;			/* its state was looked up */
	bool		created;		/* its row in rating was made for this batch */
	bool		touched;		/* by a match or an operation of this batch */
	bool		past_loaded;	/* past, of a ladder's events, was looked up, */
	bool		meetings_loaded;	/* and so were meetings */
	ItemPointerData place;		/* of its row in rating, which this batch has
								 * locked, or invalid */
	uint64		build;			/* the last one that the player was in, */
	int			slot;			/* and the index there */
	int			row;			/* the index of the event */
	int64		step;			/* in the last step with one, by its seq */
	struct StoredRow *stored;	/* the row in rating, in a replay */
	double	   *past;			/* for models that look back: earlier states, */
	int			npast;			/* in the order of their rounds, */
	int			max_past;		/* and the room */
	Meeting    *meeting;		/* if the batch keeps them, by seq, */
	int			nmeetings;
	int			max_meetings;	/* and the room */
} BatchPlayer;

/*
 * A component (core/rating/component.h) while a batch is rated.  Kind, pool, key and
 * player together say which; that of a player is found by the player of the pool, whose
 * lock is its lock, too.
 */
struct BatchComponent
{
	const ComponentSpec *spec;	/* its kind, */
	int			number;			/* which has this number in the model's rules */
	BatchPlayer *player;		/* whose it is, or NULL */
	const char *pool;
	const char *key;			/* the context or club; "" for a kind without
								 * a key */
	double	   *state;			/* spec->nstate numbers */
	PlayerRecord record;
	bool		wanted;			/* its state is to be loaded */
	bool		exists;			/* has, or is to have, a row of its own */
	bool		loaded;			/* its state was looked up */
	bool		created;		/* its row was made for this batch */
	bool		taken;			/* another transaction is changing it, so that
								 * the state is to be read only */
	bool		touched;		/* by a match or an operation of this batch */
	int64		step;			/* seq of the last step with a row of it, */
	int			row;			/* and the index there */
	struct StoredRow *stored;	/* its row in a ladder, in a replay */
};

/*
 * What a match or an operation did to a player, or to a component: a row of event, or of
 * component_event.
 */
typedef struct EventRow
{
	BatchPlayer *player;		/* or whose component it is, or NULL */
	BatchComponent *component;	/* NULL for a player */
	const double *before;
	const double *after;
	int64		games;			/* before, as is */
	TimestampTz last_played;
	TimestampTz as_of;			/* DT_NOBEGIN also where it is last_played */
	int64		fixed;			/* of a player: from here on */
	int			team;			/* of a player in a match */
	double		score;
	double		win_probability;
} EventRow;

/* Rows of one table. */
typedef struct EventRows
{
	EventRow   *row;
	int			n;
	int			max;
	double	   *state;			/* before and after an operation, which they
								 * point to */
	int			max_state;		/* of so many rows */
} EventRows;

/* Which of two tables: what is about players, or the same of components. */
typedef enum RowsOf
{
	OF_PLAYERS,
	OF_COMPONENTS
} RowsOf;

#define NROWS_OF (OF_COMPONENTS + 1)

/* A match or an operation, as the events with one seq. */
typedef struct BatchStep
{
	int64		seq;
	const char *kind;
	bool		is_match;
	Datum		match_id;
	TimestampTz at;
	const char *reason;			/* or NULL */
	EventRows	rows[NROWS_OF];
} BatchStep;

/* An operation on states, as the table has it. */
typedef struct LadderOperation
{
	int64		seq;
	const char *kind;
	const char *pool;			/* or NULL: all */
	bool		has_player;		/* about one player, else about all; of those
								 * with the same seq each has one, and a pool */
	Datum		player;
	TimestampTz at;
	const char *reason;			/* or NULL */
	double		grace_days;
	TimestampTz counted_from;	/* when idle days were counted last, or when
								 * those must have played for whom the season
								 * is, */
	bool		only_played;	/* and not for others */
	Operation	operation;
} LadderOperation;

/* Whether a season leaves out who has such a record. */
static inline bool
operation_leaves_out(const LadderOperation *operation, const PlayerRecord *record)
{
	return operation->only_played && (TIMESTAMP_IS_NOBEGIN(record->last_played) ||
									  record->last_played < operation->counted_from);
}

/*
 * What an operation does to the state of who has such a record.  Who is left out of a season has an
 * event of it all the same, because the table of the season before is made of these.
 */
static inline Operation
operation_for(const LadderOperation *operation, const PlayerRecord *record)
{
	Operation	done = operation->operation;

	if (operation_leaves_out(operation, record))
		done.kind = OPERATION_SETTLE;
	return done;
}

/* The players and components of a batch, and the match that is being rated. */
typedef struct Batch
{
	const Model *model;
	const ParamValue *params;
	IdType	   *player_type;
	MemoryContext context;
	IdTable    *players;
	char	   *unused;			/* memory for nunused players to come */
	int			nunused;
	bool		shares;			/* see Model.shares */
	bool		rests;			/* time changes no state: neither by age nor by
								 * periods */
	bool		keeps_meetings; /* of all players, because a rule asks */
	double		initial[MODEL_MAX_STATE];

	/* Components, in the order in which they were first seen. */
	int			nkinds;			/* that are in use, see
								 * match_components_used() */
	int			component_nstate;	/* the most state columns of one */
	BatchComponent **components;
	int			ncomponents;
	int			max_components; /* room for so many */
	IdTable    *component_table;	/* NULL before the first */
	IdTable    *component_pools;	/* the pool of those that are nobody's */

	/*
	 * An operation on all players that is to come just before the match being
	 * rated, or NULL: batch_rate() rates as if it had been done, and the
	 * caller does it before batch_commit().
	 */
	const Operation *before_match;

	/* The current match: room for max of each. */
	Match		match;
	BatchPlayer **player;		/* by index into match.player */
	BatchPlayer **seated;		/* by participant */
	BatchComponent **component; /* by index into match.component */
	double	   *component_before;
	double	   *component_after;
	uint64		build;			/* how many were built; one may be twice */
	double	   *before;
	double	   *after;
	int			max;

	/* What was committed last; its rows are good until the next match. */
	BatchStep	step;
} Batch;

/* A batch of nobody; all its memory comes from the current context. */
extern Batch *batch_create(const Model *model, const ParamValue *params,
						   IdType *player_type);

/*
 * The pool of rows that have what pools share, for RATING_HAS_EVENTS; *isnull if the
 * model shares nothing.
 */
extern Datum batch_shared_pool(const Batch *batch, bool *isnull);

/* A player of the batch; a new one starts from the initial state. */
extern BatchPlayer *batch_player(Batch *batch, Datum id, const char *pool);

/*
 * All players, in no order, of a batch that takes no more of them and looks none up: their table
 * is freed.
 */
extern BatchPlayer **batch_take_players(Batch *batch, int *n);

/*
 * A component of the batch, of the kind with that number in the model's rules: of a player,
 * whose pool it has, or of that pool where player is NULL.  key is the context or club,
 * "" for a kind without a key.  A new one starts from its initial state.
 */
extern BatchComponent *batch_component(Batch *batch, int number, BatchPlayer *player,
									   const char *pool, const char *key);

/* The same, or NULL if the batch has none. */
extern BatchComponent *batch_find_component(const Batch *batch, int number,
											const BatchPlayer *player,
											const char *pool, const char *key);

/*
 * Build batch->match from a source match; *offender is the participant that a
 * mistake shows in.  The source's unrated_reason is the caller's to look at.
 * batch->player and component are then those of the match, by its indexes.
 */
extern MatchStatus batch_build(Batch *batch, SourceMatch *source,
							   int *offender);

/* What is to become of a match. */
typedef enum Verdict
{
	VERDICT_RATE,
	VERDICT_UNRATED,			/* the match itself does not count */
	VERDICT_SET_ASIDE			/* the ladder does not want to count it; it
								 * takes its place, to come back to */
} Verdict;

/*
 * Build a match and decide: it counts, or there is a reason against it, in the
 * current context.  Unless the match is tolerant, a mistake in it is an error, but
 * for one that the source excludes anyway.
 */
extern Verdict batch_judge(Batch *batch, SourceMatch *source, Unrated *why);

/*
 * The same of a match that counts by batch_judge(), has rules of eligibility, and whose players
 * are loaded, with their meetings if the batch keeps them: by these rules.
 */
extern Verdict batch_judge_players(Batch *batch, SourceMatch *source, Unrated *why);

/* The status of a match with a verdict, in rated_match. */
extern const char *verdict_status(const SourceMatch *source, Verdict verdict);

/*
 * The status of a match, as batch_build() or batch_rate() gave it, as a reason, whose
 * detail has the value that is wrong and names nobody.  The offender is a participant,
 * or -1.
 */
extern Unrated batch_mistake(Batch *batch, const SourceMatch *source,
							 MatchStatus status, int offender);

/* Report it as an error. */
pg_noreturn extern void batch_report(Batch *batch, SourceMatch *source,
									 MatchStatus status, int offender);

/* Rate batch->match, which was built, from the states of its players and components. */
extern MatchStatus batch_rate(Batch *batch, SourceMatch *source);

/*
 * Predict batch->match, which was built with any result, from the states of its players and
 * components, of which nothing changes.  The bits are those that batch_rate() finds.
 */
extern MatchStatus batch_predict(Batch *batch, SourceMatch *source);

/*
 * Make the states after those of the players and components, and count the match, whose
 * events are then in batch->step.
 */
extern void batch_commit(Batch *batch, SourceMatch *source, int64 seq);

/*
 * The state of a player at a time: aged, unless it is fixed, since the one as of which it is, in the rating
 * period of that time or of a tournament (a key or 0), with what pools share.  before has
 * room for a state.
 */
extern void batch_state_at(const Batch *batch, const BatchPlayer *player,
						   TimestampTz at, double tournament, double *before);

/* The same of a component. */
extern void batch_component_state_at(const Batch *batch, const BatchComponent *component,
									 TimestampTz at, double *before);

/*
 * Whether a match may be given what it would else take from a component, which it then leaves
 * as it is: that is said by SourceMatch.advantage_given.
 */
extern bool component_can_be_given(const BatchComponent *component);

/*
 * Do the first of n operations to the players whom it is about, as far as they
 * exist (a state that is set makes one exist), and those of the same seq behind it;
 * the events are then in batch->step.  Returns how many operations that were.
 *
 * An operation finds states as a match does, aged to its time, and leaves them as of
 * that time.  Players who are fixed, and their components, are only in those that set a state,
 * reset it, or say who is fixed; the last of these ages nobody.  The event of a settle, which does nothing else, has the state before it
 * was aged.  A settle or a decay that leaves a state as it was makes no event, and
 * leaves the time of the state alone, so that a replay need not know of it.
 *
 * An operation on all players is one on all components that exist, in its pool or in all;
 * one on single players is one on their own components in the pool.  Only a season, a
 * settle and a reset change components: a season moves them towards their initial state,
 * as it does players, a reset puts them back to it, with no games, and a settle ages them.
 * Decay, regression, a state that is set and a refund are about what is displayed of a
 * player, of which components are no part.
 */
extern int	batch_apply_operation(Batch *batch, const LadderOperation *operation, int n);

/*
 * Add a state after a match to those that a player looks back on, under a model that does; those that
 * the player's state asks for no more are forgotten.
 */
extern void batch_remember(Batch *batch, BatchPlayer *player, const double *after);

/*
 * Add a rated match to those that a player of it remembers, for the team with that
 * number; a player's matches come in the order of seq.
 */
extern void batch_add_meeting(Batch *batch, BatchPlayer *player, int64 seq,
							  TimestampTz played_at, int team);

/* The players and components of the match that was built are wanted. */
extern void batch_request_states(Batch *batch);

#endif							/* PG_MATCHES_BATCH_H */
