/*
 * team_chain.h
 *		What the order of many teams says about each, by expectation propagation.
 *
 * Teams perform as independent normal variables.  In the order of the result each is ahead
 * of the next by more than a draw margin.  Such a chain of pairs is solved by messages
 * between neighbours (T. Minka, "A family of algorithms for approximate Bayesian
 * inference", 2001; R. Herbrich, T. Minka and T. Graepel, "TrueSkill", 2006): a sweep
 * costs one step a team.
 *
 * Teams that tied are alike by default.  They have a common level, of which nothing else is
 * known, and each performed within its own part of the draw margin of it; the level takes
 * their place in the chain.  Or they are a chain themselves, as TrueSkill is described and as
 * libraries have it: each is within the draw margin of the next, in the order of their
 * numbers, so that equal teams come out different.
 */
#ifndef CORE_MODELS_TEAM_CHAIN_H
#define CORE_MODELS_TEAM_CHAIN_H

#include <stdbool.h>

#include "core/math/normal_tie.h"
#include "core/rating/match.h"

/* How teams that tied are treated in a match of more than two. */
typedef enum Ties
{
	TIES_ALIKE,
	TIES_CHAIN
} Ties;

/* A parameter's choices, and what it says of them. */
#define TIES_CHOICES {"alike", "chain", NULL}
#define TIES_DESCRIPTION \
	"teams tied in a field of more than two: each within its draw margin of a common level, or of the next"

/* A team in the order of the result. */
typedef struct ChainTeam
{
	int			number;			/* index into Match.team */
	double		rank;			/* equal: a draw */
	double		mean;			/* of the performance, from any common zero */
	double		variance;
	double		size;			/* what it adds to the squared draw margin */
	double		gradient;		/* out: of the log likelihood by the mean, */
	double		rest;			/* and the share that is left of the variance */
} ChainTeam;

/* One or more teams that stand for one variable, with what its neighbours say of it. */
typedef struct ChainLink
{
	int			first;			/* index of a team in the order, */
	int			n;				/* and how many there are from it on */
	double		rank;
	double		mean;			/* before the neighbours say anything: of a */
	double		variance;		/* level, as expectation propagation has it */
	double		size;
	Message		above;			/* from the pair with the link above */
	Message		below;			/* from the pair with the link below */
} ChainLink;

typedef struct TeamChain
{
	double		per_size;
	InterruptCheck interrupt;	/* the match's, or NULL */
	int			nteams;
	int			nlinks;
	ChainTeam	team[MATCH_MAX_TEAMS];
	TiedNormal	tied[MATCH_MAX_TEAMS];	/* the teams of links of several */
	ChainLink	link[MATCH_MAX_TEAMS];
} TeamChain;

/*
 * Solve the order of a match of n >= 2 teams, of whose performances mean, variance and size
 * are given, one number for each team of the match.  The draw margin of two is per_size
 * times the square root of their summed sizes.
 */
extern void team_chain_solve(TeamChain *chain, const Match *match, const double *mean,
							 const double *variance, const double *size, double per_size,
							 Ties ties);

/* The draw margin between a link and the next. */
extern double team_chain_margin(const TeamChain *chain, int link);

#endif							/* CORE_MODELS_TEAM_CHAIN_H */
