/*
 * refits.h
 *		Solving the history so far, now and then, while it is rated.
 */
#ifndef PG_HISTORY_REFITS_H
#define PG_HISTORY_REFITS_H

#include "pg/matches/rater.h"

/* When to solve: whichever comes first; 0 for never. */
typedef struct RefitRules
{
	int32		matches;		/* after so many rated ones */
	double		days;			/* so long after the last time */
} RefitRules;

/*
 * Let a rater of nobody, of the model state_space, go on from what solver through_time makes
 * of all matches before, whenever it is time, with memory from the current context.  That is
 * before a match of a later time than those before it, so that matches of one time are
 * forecast from one solution.  Error 0A000 for another model.
 */
extern void refits_begin(Rater *rater, const RefitRules *rules);

#endif							/* PG_HISTORY_REFITS_H */
