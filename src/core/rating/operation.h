/*
 * operation.h
 *		What is done to states other than by matches: a new season, decay, a
 *		rating set by hand or put back, points given back.
 */
#ifndef CORE_RATING_OPERATION_H
#define CORE_RATING_OPERATION_H

#include "core/rating/model.h"

typedef enum OperationKind
{
	OPERATION_SEASON,			/* a soft reset towards the initial state */
	OPERATION_DECAY,			/* the displayed rating of idle players falls */
	OPERATION_REGRESSION,		/* it drifts to a mean */
	OPERATION_SET,				/* columns get values */
	OPERATION_SETTLE,			/* idle time is counted, and nothing else */
	OPERATION_RESET,			/* the state of a newcomer */
	OPERATION_REFUND,			/* the displayed rating gets points back */
	OPERATION_FIX				/* the state stays as it is from now on, or
								 * learns again */
} OperationKind;

typedef struct Operation
{
	OperationKind kind;
	double		keep;			/* season: share of the last one, 0 to 1, */
	bool		has_mean;		/* and whether the first column moves towards
								 * mean, and not towards its initial value; */
	bool		keep_deviations;	/* deviations stay as they are */
	double		rate;			/* decay: points a day, */
	double		floor;			/* down to this */
	double		mean;			/* season, see has_mean; regression, */
	double		half_life_days; /* half of the distance in so many days */
	const double *value;		/* set: a value for each state column, or NaN */
	double		amount;			/* refund: points, not negative, */
	double		peak;			/* but up to this rating only; INFINITY for no
								 * limit */
	bool		fixed;			/* fix: which of the two */
} Operation;

/* Whether an operation leaves players alone who are fixed: only what names a player does not. */
extern bool operation_leaves_fixed(OperationKind kind);

/* Whether it is one on components, too. */
extern bool operation_is_on_components(OperationKind kind);

/*
 * Do it to a state as it is at the time of the operation, which the caller has aged
 * to that time by model_state_before(): so that there is nothing left to do for a
 * settle.  idle_days are those that decay and regression count.  What moves with a
 * displayed rating is the first state column.
 * Numbers that would leave the range of sound states stay at its end, so that an operation that
 * was done once can be done again wherever a replay in order of time puts it.  MATCH_OK, or
 * MATCH_OVERFLOW with the state as it came out: of values that were set, and are not sound.
 */
extern MatchStatus operation_apply(const Operation *operation,
								   const Model *model,
								   const ParamValue *params,
								   double idle_days, double *state);

/*
 * The same to the state of a component, aged by component_state_before().  A season and a
 * reset go by the initial state; all other operations leave it as it is.
 */
extern MatchStatus operation_apply_to_component(const Operation *operation,
												const ComponentSpec *spec,
												const ParamValue *params,
												double *state);

#endif							/* CORE_RATING_OPERATION_H */
