/*
 * through_time_state.h
 *		The solver through_time at work on a history, which may grow.
 */
#ifndef PG_HISTORY_THROUGH_TIME_STATE_H
#define PG_HISTORY_THROUGH_TIME_STATE_H

#include "pg/matches/history_builder.h"

#include "core/solve/through_time_joint.h"
#include "pg/history/options.h"
#include "pg/sql/composite.h"

typedef struct ThroughTimeState
{
	const char *caller;			/* the function, in messages */
	ThroughTime tt;
	const ParamValue *params;	/* of the solver */
	ParamValue	model_params[THROUGH_TIME_MODEL_PARAMS];
	HistoryBuilder *builder;
	MemoryContext context;		/* of all that lasts */
	MemoryContext working;		/* of work, which is made anew as the history
								 * grows */
	ThroughTimeResult result;
	size_t		max_matches;	/* room for so many */
	size_t		max_appearances;
	int32		max_players;
	int32		max_components[STATE_SPACE_NCOMPONENTS];
	int32		players;		/* so many have begun */
	int32		components[STATE_SPACE_NCOMPONENTS];
	Size		memory;			/* that it takes, of the joint distribution,
								 * too */
	MemoryContext jointly;		/* of the joint distribution, or NULL */
	ThroughTimeJoint *joint;	/* or NULL */
	JointResult joint_result;
	bool		judged;			/* log_evidence has been computed, */
	double		log_evidence;
	bool		by_joint;		/* from this distribution */
} ThroughTimeState;

/* The columns of the type estimate. */
enum
{
	ESTIMATE_PLAYER,
	ESTIMATE_AT,
	ESTIMATE_MU,
	ESTIMATE_STANDARD_ERROR,
	ESTIMATE_SIDE_OFFSET,
	ESTIMATE_COMMAND_SKILL,
	ESTIMATE_GAMES,
	ESTIMATE_COMPONENT,
	ESTIMATE_NCOLUMNS
};

/* Begin with these parameters of the solver, which last as long; memory as it is current. */
extern void through_time_state_init(ThroughTimeState *state, const char *caller,
									const ParamValue *params, HistoryBuilder *builder);

/*
 * Take in the matches that the builder has had since the last time.  Errors for what is
 * wrong with one, and beyond the memory allowed.
 */
extern void through_time_state_extend(ThroughTimeState *state);

/* Solve them, from the solution of those before on where warm. */
extern void through_time_state_solve(ThroughTimeState *state, bool warm);

/* The logarithm of the probability of all results, computed once; see by_joint. */
extern double through_time_state_evidence(ThroughTimeState *state);

/* How many estimates there will be, once the history is laid out. */
extern int64 through_time_state_rows(const ThroughTimeState *state);

/*
 * What a component of a participant of a match is called by, its context or club; 0 for one
 * without a key.  Names are those of history_builder_names().
 */
extern Datum component_key(const History *history, const ComponentSpec *spec,
						   const HistoryMatch *match, size_t participant,
						   const Datum *context, const Datum *club);

/*
 * Add a row of type estimate for each player and time; component has the numbers of
 * components by the player who stands for one.
 */
extern void through_time_state_add_estimates(ThroughTimeState *state, RowArray *rows,
											 const int32 *component);

/* The same for each component and time, of type component_estimate. */
extern void through_time_state_add_components(ThroughTimeState *state, RowArray *rows);

/*
 * ---- refits.c: solving the history so far, now and then, while it is rated ----
 */

/*
 * Let a rater of nobody, of the model state_space, go on from what solver through_time makes of all
 * matches before, whenever it is time, with memory from the current context.  That is before a match
 * of a later time than those before it, so that matches of one time are forecast from one solution.
 * Error 0A000 for another model.
 */
extern void refits_begin(Rater *rater, const RefitRules *rules);

#endif							/* PG_HISTORY_THROUGH_TIME_STATE_H */
