/*
 * trueskill2.h
 *		TrueSkill 2, as its files share it.
 */
#ifndef CORE_MODELS_TRUESKILL2_H
#define CORE_MODELS_TRUESKILL2_H

#include "core/rating/model.h"

/* A root of the covariances of so many performances, 320 kB, is kept on the stack. */
#define TRUESKILL2_MAX_PLAYERS 200

/* The state columns. */
enum
{
	TRUESKILL2_MU,
	TRUESKILL2_SIGMA,
	TRUESKILL2_BASE_MU,
	TRUESKILL2_BASE_SIGMA,
	TRUESKILL2_NSTATE
};

enum
{
	TRUESKILL2_INITIAL_MU = MODEL_COMMON_PARAMS,
	TRUESKILL2_INITIAL_SIGMA,
	TRUESKILL2_BETA,
	TRUESKILL2_TAU,
	TRUESKILL2_DRIFT,
	TRUESKILL2_DRAW_MARGIN,
	TRUESKILL2_STRENGTH,
	TRUESKILL2_SQUAD_OFFSET,
	TRUESKILL2_EXPERIENCE_OFFSET,
	TRUESKILL2_COUNT_LENGTH,
	TRUESKILL2_KILL_SELF,
	TRUESKILL2_KILL_OPPONENT,
	TRUESKILL2_KILL_VARIANCE,
	TRUESKILL2_DEATH_SELF,
	TRUESKILL2_DEATH_OPPONENT,
	TRUESKILL2_DEATH_VARIANCE,
	TRUESKILL2_QUIT_MARGIN,
	TRUESKILL2_QUIT_VARIANCE,
	TRUESKILL2_QUIT_UNRELATED,
	TRUESKILL2_QUIT_RELATED,
	TRUESKILL2_BASE_WEIGHT,
	TRUESKILL2_INITIAL_BASE_SIGMA,
	TRUESKILL2_BASE_TAU,
	TRUESKILL2_BASE_DRIFT,
	TRUESKILL2_DISPLAY_DEVIATIONS,
	TRUESKILL2_NPARAMS
};

/* How a match moved the performance of a player. */
typedef struct TrueSkill2Movement
{
	double		variance;		/* before the match, */
	double		noise;			/* of which this is no skill's */
	double		play;			/* out: all play of the player, */
	double		shift;			/* change of the mean, */
	double		rest;			/* and the factor of the variance */
} TrueSkill2Movement;

/* The difference of two teams' performances, in coefficients of the players'. */
extern void trueskill2_difference(const Match *match, const double *weight_factor,
								  int upper, int lower, double *x);

/* What log-odds in advance add to a difference of that deviation. */
extern double trueskill2_context_shift(const Match *match, int upper, int lower,
									   double deviation);

/*
 * What the match tells of all performances, which begin with the means start[] and the
 * variances of movement[]; weight_factor[] has what a unit of weight counts of each team.
 */
extern void trueskill2_learn(const ParamValue *params, const Match *match,
							 const double *weight_factor, const double *start,
							 TrueSkill2Movement *movement);

#endif							/* CORE_MODELS_TRUESKILL2_H */
