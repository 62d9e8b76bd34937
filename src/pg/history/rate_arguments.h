/*
 * rate_arguments.h
 *		What the first row of a partition says to window functions that rate a history.
 *
 * rate(), rate_match() and, up to options, rate_through_time() have the same arguments in the same
 * order; of rate_match() those about participants are arrays.
 */
#ifndef PG_HISTORY_RATE_ARGUMENTS_H
#define PG_HISTORY_RATE_ARGUMENTS_H

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

/* What a call in a query keeps from partition to partition. */
typedef struct RateCall
{
	TupleDesc	desc;			/* of the result */
	RaterRules *rules;			/* used last, or NULL, */
	HistoryOptions options;		/* and with them */
	MemoryContext context;		/* of both */
} RateCall;

/* It, as of the first call, with a result of so many columns. */
extern RateCall *rate_call(FunctionCallInfo fcinfo, int ncolumns);

/*
 * A rater for a partition, whose players are of that type, in the memory of the partition.  Its
 * rules and options, which the function of that name has of these sets, are in the memory of the
 * call, which keeps them as long as partitions have the same.  Errors for a null model and those of
 * rater_rules() and history_options().
 */
extern Rater *rate_begin(WindowObject window, RateCall *call, const char *function,
						 unsigned valid, Oid player_type, MemoryContext partition);

/* Where players and components start. */
extern void rate_read_start(WindowObject window, Rater *rater);

/* Put the value of an argument between the model and the options in its place in a row. */
extern void rate_set_argument(Datum *values, bool *nulls, int arg, Datum value, bool isnull);

/* Error 42P20 unless the function of that name is over an ordered window. */
extern void rate_check_window(WindowObject window, const char *function,
							  const char *order_detail);

/* After how many rows those before are forgotten, at the earliest. */
#define MARK_EVERY 100

#endif							/* PG_HISTORY_RATE_ARGUMENTS_H */
