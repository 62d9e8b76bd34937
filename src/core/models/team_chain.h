/*
 * team_chain.h
 *		What the order of many teams says about each, by expectation propagation.
 *
 * Teams perform as independent normal variables.  In the order of the result each is ahead
 * of the next by more than a draw margin, or within it of the next.  Such a chain of pairs
 * is solved by messages between neighbours (T. Minka, "A family of algorithms for
 * approximate Bayesian inference", 2001; R. Herbrich, T. Minka and T. Graepel,
 * "TrueSkill", 2006): a sweep costs one step a team.
 */
#ifndef CORE_MODELS_TEAM_CHAIN_H
#define CORE_MODELS_TEAM_CHAIN_H

/* A message to a team: precision, and precision times mean. */
typedef struct Message
{
	double		precision;
	double		shift;
} Message;

/* A team in the order of the result, with what its neighbours say about it. */
typedef struct ChainTeam
{
	double		rank;			/* equal: a draw */
	double		mean;			/* of the performance, from any common zero */
	double		variance;
	double		size;			/* what it adds to the squared draw margin */
	Message		above;			/* out: from the pair with the team above */
	Message		below;			/* out: from the pair with the team below */
} ChainTeam;

/*
 * Fill in the messages to n >= 2 teams, of which all else is set.  The draw margin of two
 * is per_size times the square root of their summed sizes.
 */
extern void team_chain_settle(ChainTeam *chain, int n, double per_size);

#endif							/* CORE_MODELS_TEAM_CHAIN_H */
