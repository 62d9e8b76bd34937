/*
 * state_space.h
 *		The state-space model, as its files share it.
 *
 * All that is unknown is a normal variable of its own, and a match observes a sum of
 * them, each with a coefficient.  state_space.c has parameters, states and matches of two
 * teams, state_space_many.c those of more, and state_space_teams.c what both share.
 */
#ifndef CORE_MODELS_STATE_SPACE_H
#define CORE_MODELS_STATE_SPACE_H

#include <stdbool.h>

#include "core/rating/match.h"

/* The state columns of a player: those of each unknown follow one another. */
enum
{
	STATE_SPACE_MU,
	STATE_SPACE_SIGMA,
	STATE_SPACE_SIDE_OFFSET,
	STATE_SPACE_SIDE_SIGMA,
	STATE_SPACE_COMMAND_MU,
	STATE_SPACE_COMMAND_SIGMA,
	STATE_SPACE_NSTATE
};

/* The unknowns of a player; the columns of unknown i are 2 * i and 2 * i + 1. */
enum
{
	UNKNOWN_SKILL,
	UNKNOWN_SIDE,
	UNKNOWN_COMMAND,
	PLAYER_UNKNOWNS
};

/* The kinds of components, in the order of the model's MatchRules. */
enum
{
	STATE_SPACE_HOME,
	STATE_SPACE_HOME_CONTEXT,
	STATE_SPACE_PLAYER_CONTEXT,
	STATE_SPACE_CLUB,
	STATE_SPACE_DRAW,
	STATE_SPACE_NCOMPONENTS
};

typedef enum StateSpaceStrength
{
	STATE_SPACE_CENTERED,
	STATE_SPACE_SUM,
	STATE_SPACE_MEAN,
	STATE_SPACE_SHARE
} StateSpaceStrength;

/* What the formulas take besides a match: parameters, and numbers that follow from them. */
typedef struct StateSpace
{
	double		initial_mu;
	double		initial_sigma;
	double		beta;
	double		drift;			/* variance of a skill from match to match */
	double		club_drift;		/* the same of a club */
	double		margin;			/* half of the band of draws, in deviations of
								 * the noise, where no component has it */
	bool		team_noise;		/* beta is a team's, not a player's */
	bool		sides;			/* players have offsets of sides, */
	bool		commands;		/* and skills as commanders */
	StateSpaceStrength strength;
	double		unit;			/* of score to the power of exponent; 0: scores do not
								 * count */
	double		exponent;
	double		newcomer_offset;
	double		newcomer_company;
} StateSpace;

/* What is the same for all players of a match. */
typedef struct StateSpaceMatch
{
	const StateSpace *model;
	Match	   *match;
	double		shift;			/* of the mean of those of whom nothing is known */
	double		margin;			/* of draws */
	int			first;			/* of two teams the one of side 1 */
	double		factor[MATCH_MAX_TEAMS];	/* what a unit of play counts */
	double		command_factor[MATCH_MAX_TEAMS];	/* or of commanding */
} StateSpaceMatch;

/*
 * What a match says about a sum of unknowns with this variance, noise among it, that was
 * observed: the gradient of the log likelihood by its mean, and the share of the
 * variance that is left.
 */
typedef struct StateSpaceEvidence
{
	double		variance;
	double		noise;
	double		gradient;
	double		rest;
} StateSpaceEvidence;

/* Find what teams, company and draws mean for a match. */
extern void state_space_begin(const StateSpace *model, Match *match, StateSpaceMatch *m);

/* What an entry counts of each unknown of its player, in favour of its own team. */
extern void state_space_entry(const StateSpaceMatch *m, const MatchEntry *e,
							  double *coefficient);

/* The variance that a match adds to an unknown of a player who takes part in it. */
static inline double
state_space_drift(const StateSpace *model, int unknown)
{
	return unknown == UNKNOWN_SIDE ? 0 : model->drift;
}

/* What of the mean of a player's skill is due to company: 0 for all but newcomers. */
extern double state_space_shift(const StateSpaceMatch *m, const MatchPlayer *player);

/* The variance that a match adds to a component. */
extern double state_space_component_drift(const StateSpace *model,
										  const MatchComponent *component);

/*
 * A score difference in units of skill of a match whose noise is that of two players, which
 * has the sign of the difference.
 */
extern double state_space_score(const StateSpace *model, double difference);

/* predict() and the states after of a match of more than two teams. */
extern MatchStatus state_space_predict_many(const StateSpace *model, Match *match);
extern void state_space_update_many(const StateSpace *model, Match *match);

#endif							/* CORE_MODELS_STATE_SPACE_H */
