/*
 * elo_mmr.h
 *		Elo-MMR, as the function in SQL and the model share it.
 */
#ifndef CORE_MODELS_ELO_MMR_H
#define CORE_MODELS_ELO_MMR_H

#include "core/rating/model.h"

/* The state columns. */
enum
{
	ELO_MMR_MU,
	ELO_MMR_SIGMA,
	ELO_MMR_NSTATE
};

/* The parameters, by index. */
enum
{
	ELO_MMR_FORM = MODEL_COMMON_PARAMS,
	ELO_MMR_INITIAL_MU,
	ELO_MMR_INITIAL_SIGMA,
	ELO_MMR_BETA,
	ELO_MMR_TAU,
	ELO_MMR_DRIFT,
	ELO_MMR_SPLIT_TIES,
	ELO_MMR_DISPLAY_DEVIATIONS,
	ELO_MMR_NPARAMS
};

/* The forms of a performance, in the order of their choices. */
enum
{
	ELO_MMR_NORMAL,
	ELO_MMR_LOGISTIC
};

/*
 * The states after a match, by the ranks of its teams.  Predictions are not
 * looked at.  Each player's gradient is set too, and what elo_mmr_performance()
 * reads.
 */
extern void elo_mmr_update(const ParamValue *params, Match *match);

/*
 * The performance of a team of a match that was last updated: the level, in the
 * unit of the skills, at which its place in the result is most likely.
 */
extern double elo_mmr_performance(const Match *match, int team);

#endif							/* CORE_MODELS_ELO_MMR_H */
