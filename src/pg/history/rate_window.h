/*
 * rate_window.h
 *		What window functions that rate a history have in common: the arguments of the first row
 *		of a partition, the match that is rated, and what that has done to its participants.
 *
 * rate(), rate_match() and, up to options, rate_through_time() have the same arguments in the same
 * order; of rate_match() those about participants are arrays.
 */
#ifndef PG_HISTORY_RATE_WINDOW_H
#define PG_HISTORY_RATE_WINDOW_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"
#include "windowapi.h"

#include "pg/history/options.h"
#include "pg/matches/inputs.h"
#include "pg/matches/rater.h"

/* The arguments of rate(): those of inputs() stand before the options. */
enum
{
	ARG_MODEL,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS = ARG_INPUTS + INPUTS_COUNT,
	ARG_START,
	ARG_START_COMPONENTS,
	RATE_NARGS
};

/*
 * The columns of the type rated, and of rated_participants, where all but those of the match are
 * arrays (sql/history/40-rate.sql).
 */
enum
{
	RATED_RATING_BEFORE,
	RATED_RATING_AFTER,
	RATED_MU_BEFORE,
	RATED_MU_AFTER,
	RATED_DEVIATION_BEFORE,
	RATED_DEVIATION_AFTER,
	RATED_GAMES_BEFORE,
	RATED_SCORE,
	RATED_WIN_PROBABILITY,
	RATED_SOLE_WIN_PROBABILITY,
	RATED_DRAW_PROBABILITY,
	RATED_LOSS_PROBABILITY,
	RATED_FIRST_PROBABILITY,
	RATED_STATE_BEFORE,
	RATED_STATE_AFTER,
	RATED_UNRATED_REASON,
	RATED_UNRATED_DETAIL,
	RATED_NCOLUMNS
};

/*
 * What one of them has.  The columns of states and of reasons are null: states are before and
 * after, of the rater or, of a player of a match that does not count, in state.
 */
typedef struct Rated
{
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS];
	const double *before;
	const double *after;
	double		state[MODEL_MAX_STATE];
} Rated;

/* One of the functions. */
typedef struct RateFunction
{
	const char *name;
	unsigned	options;		/* sets of them */
	bool		starts;			/* it has the arguments behind the options */
	const char *order_detail;	/* of the error without ORDER BY */
} RateFunction;

/* What a call in a query keeps from partition to partition. */
typedef struct RateCall
{
	TupleDesc	desc;			/* of the result */
	RaterRules *rules;			/* used last, or NULL, */
	HistoryOptions options;		/* and with them */
	MemoryContext context;		/* of both */
} RateCall;

/* A partition, in memory of the window; functions have more behind it. */
typedef struct RatePartition
{
	const RateFunction *function;	/* NULL before the first row */
	RateCall   *call;
	Rater	   *rater;
	int64		row;			/* where the match that was rated last begins */
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the participant being read */
	bool		nulls[INPUT_NSLOTS];
	int		   *place;			/* of participants, as they were read, among
								 * the sorted ones */
	int			max_places;
	double		draw;			/* the probability that the match is one, or
								 * NaN */
} RatePartition;

/* Whether a rater's match was rated or predicted, so that participants have probabilities. */
static inline bool
is_rated(const Rater *rater)
{
	return rater->verdict == VERDICT_RATE || rater->forecast;
}

/*
 * Begin a partition whose players are of that type.  Rules and options are in the memory of the
 * call, which keeps them as long as partitions have the same, all else in that of the partition.
 * Error 42P20 unless the window has an order and no frame, and those of rater_rules(),
 * history_options() and of where players and components start.
 */
extern void rate_begin(FunctionCallInfo fcinfo, RatePartition *partition,
					   const RateFunction *function, Oid player_type);

/*
 * Of rate_through_time(), see refits.c: let a rater of nobody, of the model state_space, go on from what solver through_time makes
 * of all matches before, whenever it is time, with memory from the current context.  That is
 * before a match of a later time than those before it, so that matches of one time are
 * forecast from one solution.  Error 0A000 for another model.
 */
extern void refits_begin(Rater *rater, const RefitRules *rules);

/* Put the value of an argument between the model and the options in its place in a row. */
extern void rate_set_argument(RatePartition *partition, int arg, Datum value, bool isnull);

/* Errors name the row of the partition from here on, until whoever calls this pops the callback. */
extern void rate_push_context(RatePartition *partition, ErrorContextCallback *callback);

/* Rate the match, whose n participants have been added to the rater. */
extern void rate_rate(RatePartition *partition, int n);

/*
 * What that participant has of the match, as they were read; of one that does not count, the player
 * with an identifier and a pool.  False for nobody.
 */
extern bool rate_participant(const RatePartition *partition, int participant, Datum id,
							 bool nobody, const char *pool, Rated *rated);

/* Why the match is not rated, among the columns of a result; nothing if it is. */
extern void rated_reason(const Rater *rater, Datum *values, bool *nulls);

/* After how many rows those before are forgotten, at the earliest. */
#define MARK_EVERY 100

#endif							/* PG_HISTORY_RATE_WINDOW_H */
