/*
 * weng_lin.h
 *		Weng and Lin's models, as the function in SQL and the model share them.
 */
#ifndef CORE_MODELS_WENG_LIN_H
#define CORE_MODELS_WENG_LIN_H

#include <stdbool.h>

#include "core/rating/model.h"

/* The state columns. */
enum
{
	WENG_LIN_MU,
	WENG_LIN_SIGMA,
	WENG_LIN_NSTATE
};

/* The parameters, by index. */
enum
{
	WENG_LIN_VARIANT = MODEL_COMMON_PARAMS,
	WENG_LIN_INITIAL_MU,
	WENG_LIN_INITIAL_SIGMA,
	WENG_LIN_BETA,
	WENG_LIN_KAPPA,
	WENG_LIN_TAU,
	WENG_LIN_DRIFT,
	WENG_LIN_EPSILON,
	WENG_LIN_SPAN,
	WENG_LIN_GAMMA,
	WENG_LIN_PREVENT_SIGMA_INCREASE,
	WENG_LIN_STRENGTH,
	WENG_LIN_BALANCE,
	WENG_LIN_MARGIN,
	WENG_LIN_MARGIN_FORM,
	WENG_LIN_WEIGHTS,
	WENG_LIN_WEIGHT_LOW,
	WENG_LIN_WEIGHT_HIGH,
	WENG_LIN_DISPLAY_DEVIATIONS,
	WENG_LIN_NPARAMS
};

/* The variants, in the order of their choices. */
enum
{
	WENG_LIN_PLACKETT_LUCE,
	WENG_LIN_BRADLEY_TERRY_FULL,
	WENG_LIN_BRADLEY_TERRY_PART,
	WENG_LIN_THURSTONE_MOSTELLER_FULL,
	WENG_LIN_THURSTONE_MOSTELLER_PART
};

/* What a team is, in the order of the choices of strength. */
enum
{
	WENG_LIN_CENTERED,
	WENG_LIN_SUM
};

/*
 * The states after a match, by the ranks of its teams.  Predictions are not
 * looked at.
 */
extern void weng_lin_update(const ParamValue *params, Match *match);

/*
 * What OpenSkill predicts, which is another formula than the one it updates by: win
 * probabilities of all teams as means over their pairs, by the normal curve (or the
 * logistic one, as its port to Rust has it), and the probability of a draw, the mean over
 * pairs of that within a margin from the number of players.  Teams are sums of
 * their members; beta is that of one team's performance, above 0.
 */
extern void weng_lin_pairwise_win(const Match *match, double beta, bool is_logistic,
								  double *win);
extern double weng_lin_pairwise_draw(const Match *match, double beta);

#endif							/* CORE_MODELS_WENG_LIN_H */
