/*
 * hive.h
 *		The formulas of the Hive model that are of use on their own.
 */
#ifndef CORE_MODELS_HIVE_H
#define CORE_MODELS_HIVE_H

/* The columns of a player's state; SIDE_OFFSET is added on side 1. */
enum HiveState
{
	HIVE_SKILL,
	HIVE_SKILL_SQUARES,			/* sum of squared gradients */
	HIVE_SIDE_OFFSET,
	HIVE_COMMAND_SKILL,
	HIVE_COMMAND_SQUARES,
	HIVE_NSTATE
};

/*
 * The weight of a stint, 0 <= joined <= left in seconds from the start of the
 * match: the integral of an exponential that halves every half median round.
 */
extern double hive_weight(double joined, double left, double median_round);

/* The sums over a match's players that its log-odds are made of. */
typedef struct HiveSums
{
	double		weight;			/* of play, both sides */
	double		skill;			/* weight times skill, side 1 minus side 2 */
	double		side_offset;	/* weight times side offset, both sides */
	double		command_weight; /* of commanding, both sides */
	double		command_skill;	/* like skill, for commanders */
} HiveSums;

/*
 * Add a player's part; sign is 1 on the first side and -1 on the other.  The
 * offset counts alike on both, as its own sign goes by the side too.
 */
extern void hive_sums_add(HiveSums *sums, double sign,
						  double weight, double skill, double side_offset,
						  double command_weight, double command_skill);

/*
 * Log-odds of the first side.  If nobody played, or nobody commanded, that
 * term is absent.
 */
extern double hive_sums_log_odds(const HiveSums *sums, double log_odds);

#endif							/* CORE_MODELS_HIVE_H */
