/*
 * through_time.h
 *		TrueSkill Through Time: each player's skill at each appearance, from all
 *		matches before and after.
 *
 * P. Dangauthier, R. Herbrich, T. Minka and T. Graepel, "TrueSkill Through Time:
 * Revisiting the History of Chess" (2007).
 */
#ifndef CORE_SOLVE_THROUGH_TIME_H
#define CORE_SOLVE_THROUGH_TIME_H

#include "core/models/trueskill.h"
#include "core/rating/history.h"
#include "core/solve/solve_status.h"

/* A normal density up to its height: precision, and precision times mean. */
typedef struct Message
{
	double		precision;
	double		weighted;
} Message;

/*
 * What is to be solved; the arrays are the caller's.  An appearance is a player in a
 * match; they are numbered in the order of the matches, and within a match as
 * work->player[] has them.  Those of a player at one time are linked without drift, and
 * so have one skill.
 */
typedef struct ThroughTime
{
	const History *history;
	const Model *model;			/* whose rules matches are built by */
	const ParamValue *params;
	HistoryWork *work;
	TrueSkill	trueskill;		/* tau is not used */
	double		mu;				/* before the first appearance */
	double		sigma;
	double		tau;			/* drift from appearance to appearance, */
	double		drift;			/* and by the root of the days between */
	InterruptCheck interrupt;

	/* By match, with one more behind the last: its first appearance. */
	size_t	   *first;

	/* By appearance; NO_APPEARANCE for none. */
	uint32_t   *match;
	uint32_t   *previous;
	uint32_t   *next;
	Message    *site;			/* what the match says of the player */
	Message    *forward;		/* what all before it says */
	Message    *backward;		/* what all behind it says */
	size_t		appearances;
	uint32_t   *last;			/* by player: room, then the last appearance */
	int64_t    *games;			/* by player: matches that count */
	int32_t    *component;		/* by player: a player it is connected with */

	/* By match: room to link those of one time that players connect. */
	int32_t    *set;
	uint32_t   *follower;
} ThroughTime;

#define NO_APPEARANCE UINT32_MAX
#define NO_MATCH UINT32_MAX

/* What came of it. */
typedef struct ThroughTimeResult
{
	SolveStatus status;
	int			passes;			/* forward and backward, each */
	double		change;			/* the largest in the last two, in deviations */
	double		log_evidence;	/* of all results */
	int64_t		matches;		/* that count */
} ThroughTimeResult;

/* The most parameters of the model by which matches are built. */
#define THROUGH_TIME_MODEL_PARAMS 16

/*
 * Take the parameters of the solver through_time: model_params has room for those
 * of the model that matches are built by.
 */
extern void through_time_configure(ThroughTime *tt, const ParamValue *params,
								   ParamValue *model_params);

/* When to stop, by those parameters. */
extern double through_time_tolerance(const ParamValue *params);
extern int	through_time_max_passes(const ParamValue *params);

/* How many appearances there are; MATCH_OK, or a mistake in *match at *offender. */
extern MatchStatus through_time_count(ThroughTime *tt, size_t *match, int *offender);

/* Fill in the links; sites start out saying nothing. */
extern void through_time_link(ThroughTime *tt);

/*
 * Pass to and fro until no skill changes by more than tolerance times its deviation,
 * or for so many passes.  It begins with the sites that are there: warm says that they
 * are those of an earlier solution, as after more matches, and not of
 * through_time_link().
 *
 * The log evidence is the logarithm of the probability of all results, draws and orders
 * of many teams as they were, integrated over all skills: by the chain rule, the
 * product of the probabilities of each match given all before it, in the first forward
 * pass.  It is exact for a player's first match and an approximation for others, as
 * skills are taken to be independent before each time.  Matches of one time count
 * together, in whatever order: those that players connect by joint_results.h if they are
 * few, of two teams and of gain 1, else by the free energy of the messages.  A match of
 * gain g counts g times.  -INFINITY if draws of two occurred and have no probability; NaN
 * if warm.
 */
extern ThroughTimeResult through_time_solve(ThroughTime *tt, bool warm,
											double tolerance, int max_passes);

/* Mean and deviation of the skill at an appearance. */
extern void through_time_skill(const ThroughTime *tt, size_t appearance,
							   double *mu, double *sigma);

#endif							/* CORE_SOLVE_THROUGH_TIME_H */
