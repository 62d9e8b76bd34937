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

#include "core/models/team_chain.h"
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
	Ties		ties;			/* in matches of more than two teams */
	bool		team_noise;		/* beta is a team's, not a player's */
	bool		sides;			/* players have offsets of sides, */
	bool		commands;		/* and skills as commanders */
	StateSpaceStrength strength;
	double		unit;			/* of score to the power of exponent; 0:
								 * scores do not count */
	double		exponent;
	double		newcomer_offset;
	double		newcomer_company;
} StateSpace;

/* What is the same for all players of a match. */
typedef struct StateSpaceMatch
{
	const StateSpace *model;
	Match	   *match;
	double		shift;			/* of the mean of those of whom nothing is
								 * known */
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

/* The difference of two teams, that of side 1 (or the first) less the other. */
typedef struct StateSpaceDifference
{
	double		mean;
	double		deviation;
	double		noise;			/* variance that no unknown contributes */
	double		size;			/* of the noise, by that of two players */
	double		margin;
} StateSpaceDifference;

/* The performances of the teams. */
typedef struct StateSpaceTeams
{
	double		mean[MATCH_MAX_TEAMS];
	double		variance[MATCH_MAX_TEAMS];
	double		noise[MATCH_MAX_TEAMS]; /* as part of the variance */
	double		size[MATCH_MAX_TEAMS];	/* of the noise, by that of a player */
} StateSpaceTeams;

/* The model's own parameters, in their order. */
#define STATE_SPACE_OWN_PARAMS 26

extern const ParamSpec state_space_params[STATE_SPACE_OWN_PARAMS];

/* The formulas of these parameters. */
extern StateSpace state_space_from_params(const ParamValue *params);

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

/*
 * Of two teams: what unknowns count in the difference, where the size is that of the
 * difference, and the difference itself, from the states before.
 */
extern void state_space_player_coefficients(const StateSpaceMatch *m,
											const MatchPlayer *player,
											double *coefficient);
extern double state_space_component_coefficient(const StateSpaceMatch *m,
												const MatchComponent *component,
												double size);
extern StateSpaceDifference state_space_difference(const StateSpaceMatch *m);

/*
 * Of any number: what a share counts of its component in its team, where sizes are those
 * of the teams, and the teams themselves, from the states before.
 */
extern double state_space_share_coefficient(const StateSpaceMatch *m,
											const MatchShare *share, const double *size);
extern void state_space_teams(const StateSpaceMatch *m, StateSpaceTeams *teams);

/* What the order says of the teams. */
extern void state_space_order(const StateSpaceMatch *m, const StateSpaceTeams *teams,
							  TeamChain *chain);

/*
 * Whether there are scores that count, and that say the same as the ranks, by which order[]
 * has the teams; and the scores as performances, but for a level common to all.
 */
extern bool state_space_scores_count(const StateSpace *model, const Match *match,
									 const int *order);
extern void state_space_scores(const StateSpace *model, const Match *match,
							   const double *size, double *performance);

/* The states after of a match, from those before; predictions are not looked at. */
extern void state_space_update(const StateSpace *model, Match *match);

/*
 * The logarithm of the probability of the match's result, given the states before.  An
 * order is exact of two teams, a draw without a margin being impossible (-INFINITY), and
 * by quadrature of more, with log_odds 0.  A score counts with the probability of a point,
 * by how much the performance that it stands for changes within half a point of it.
 */
extern double state_space_log_evidence(const StateSpace *model, Match *match);

/*
 * Of an order of many teams: by how much the logarithm of its probability, given the states
 * before, is more than what expectation propagation makes of it.
 */
extern double state_space_order_excess(const StateSpace *model, Match *match);

/* The part of scores: the logarithm of what a point is worth, of all teams. */
extern double state_space_log_points(const StateSpace *model, const Match *match,
									 const double *size);

/* predict() and the states after of a match of more than two teams. */
extern MatchStatus state_space_predict_many(const StateSpace *model, Match *match);
extern void state_space_update_many(const StateSpace *model, Match *match);

#endif							/* CORE_MODELS_STATE_SPACE_H */
