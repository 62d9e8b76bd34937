/*
 * behaviour_functions.c
 *		The aggregate behaviour_score(), over the games of a player in order of time.
 */
#include "pg/sql/aggregate.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/rating/behaviour.h"
#include "pg/sql/glue.h"

/* The most that reports, commends or quits of one game may be. */
#define MAX_EVIDENCE 1e6

/* The positions of the arguments. */
enum
{
	BEHAVIOUR_ARG_STATE,
	BEHAVIOUR_ARG_PLAYED_AT,
	BEHAVIOUR_ARG_REPORTS,
	BEHAVIOUR_ARG_COMMENDS,
	BEHAVIOUR_ARG_QUITS,
	BEHAVIOUR_ARG_AS_OF,
	BEHAVIOUR_ARG_PARAMS
};

/* A player whose games are added; lives in the memory of the aggregate. */
typedef struct BehaviourState
{
	ParamValue *params;			/* of the first row */
	Behaviour	behaviour;
	TimestampTz last;			/* game, DT_NOBEGIN before the first */
	TimestampTz as_of;			/* DT_NOEND: the last game */
} BehaviourState;

/* A number of a row, 0 for null; errors (22003) unless it is within its limits. */
static double
evidence_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	return PG_ARGISNULL(arg) ? 0 : check_range(name, PG_GETARG_FLOAT8(arg), 0, MAX_EVIDENCE);
}

/* The state of a group, from its first row. */
static BehaviourState *
begin_state(FunctionCallInfo fcinfo)
{
	MemoryContext old = MemoryContextSwitchTo(aggregate_context(fcinfo, "behaviour_score"));
	BehaviourState *state = palloc0_object(BehaviourState);

	state->params = get_params(&behaviour_params,
							   PG_ARGISNULL(BEHAVIOUR_ARG_PARAMS) ? NULL :
							   PG_GETARG_JSONB_P(BEHAVIOUR_ARG_PARAMS));
	state->last = DT_NOBEGIN;
	state->as_of = PG_ARGISNULL(BEHAVIOUR_ARG_AS_OF) ? DT_NOEND :
		PG_GETARG_TIMESTAMPTZ(BEHAVIOUR_ARG_AS_OF);
	MemoryContextSwitchTo(old);
	return state;
}

static double
seconds_between(TimestampTz from, TimestampTz to)
{
	/* The difference of two times can be too large for an integer. */
	return ((double) to - (double) from) / USECS_PER_SEC;
}

/* Arguments as above: a game more, unless it is later than as_of. */
SQL_FUNCTION(skillrating_behaviour_score_transition)
{
	BehaviourState *state = aggregate_state(fcinfo, "behaviour_score");
	double		reports = evidence_argument(fcinfo, BEHAVIOUR_ARG_REPORTS, "reports");
	double		commends = evidence_argument(fcinfo, BEHAVIOUR_ARG_COMMENDS, "commends");
	double		quits = evidence_argument(fcinfo, BEHAVIOUR_ARG_QUITS, "quits");
	TimestampTz at;

	if (PG_ARGISNULL(BEHAVIOUR_ARG_PLAYED_AT))
		report_null("played_at");
	at = PG_GETARG_TIMESTAMPTZ(BEHAVIOUR_ARG_PLAYED_AT);
	if (TIMESTAMP_NOT_FINITE(at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("played_at must be finite, not %s", timestamptz_to_str(at))));
	if (state == NULL)
		state = begin_state(fcinfo);
	if (at > state->as_of)
		PG_RETURN_POINTER(state);
	if (at < state->last)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("games must come in order of time"),
				 errhint("Write behaviour_score(... ORDER BY played_at).")));
	if (state->last != DT_NOBEGIN)
		behaviour_age(state->params, &state->behaviour, seconds_between(state->last, at));
	behaviour_add_game(state->params, &state->behaviour, reports, commends, quits);
	state->last = at;
	PG_RETURN_POINTER(state);
}

/* The score of a state, at as_of if there is one; null without rows. */
SQL_FUNCTION(skillrating_behaviour_score_final)
{
	const BehaviourState *state = aggregate_state(fcinfo, "behaviour_score");
	Behaviour	behaviour;

	if (state == NULL)
		PG_RETURN_NULL();

	/* A window calls this again and again, so the state stays as it is. */
	behaviour = state->behaviour;
	if (state->last != DT_NOBEGIN && !TIMESTAMP_NOT_FINITE(state->as_of))
		behaviour_age(state->params, &behaviour, seconds_between(state->last, state->as_of));
	PG_RETURN_FLOAT8(behaviour_score(state->params, &behaviour));
}
