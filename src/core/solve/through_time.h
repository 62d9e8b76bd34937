/*
 * through_time.h
 *		TrueSkill Through Time: each player's skill at each appearance, from all
 *		matches before and after.
 *
 * P. Dangauthier, R. Herbrich, T. Minka and T. Graepel, "TrueSkill Through Time:
 * Revisiting the History of Chess" (2007).  The unknowns of a match, and what it says of
 * them, are those of the model state_space: skills, what sides and contexts are worth,
 * clubs, players in contexts.
 */
#ifndef CORE_SOLVE_THROUGH_TIME_H
#define CORE_SOLVE_THROUGH_TIME_H

#include "core/models/state_space.h"
#include "core/rating/history_components.h"
#include "core/solve/solve_status.h"

/* A normal density up to its height: precision, and precision times mean. */
typedef struct Belief
{
	double		precision;
	double		weighted;
} Belief;

/* The kinds of unknowns: those of a player, and behind them the kinds of components. */
#define CHAIN_KINDS (PLAYER_UNKNOWNS + STATE_SPACE_NCOMPONENTS)

/*
 * How an unknown of a kind varies: a process of Ornstein and Uhlenbeck around its mean,
 * with steps from match to match besides.
 */
typedef struct ChainPrior
{
	double		mean;
	double		variance;		/* before the first match, and in the end */
	double		reversion;		/* towards the mean, a day */
	double		step;			/* variance of a step from match to match, */
	double		drift;			/* and of a day */
} ChainPrior;

/*
 * An unknown through time: that of a player, PLAYER_UNKNOWNS * player + unknown, or the
 * number of a component among those of its kind, with the highest bit and the kind.
 */
#define CHAIN_OF_COMPONENT (UINT32_C(1) << 31)
#define CHAIN_KIND_SHIFT 28

static inline uint32_t
chain_of_component(int kind, int32_t number)
{
	return CHAIN_OF_COMPONENT | (uint32_t) kind << CHAIN_KIND_SHIFT | (uint32_t) number;
}

static inline int32_t
chain_number(uint32_t chain)
{
	return (int32_t) (chain & ((UINT32_C(1) << CHAIN_KIND_SHIFT) - 1));
}

/*
 * What is to be solved; the arrays are the caller's.  An appearance is an unknown in a
 * match.  They are numbered in the order of the matches, and within a match as
 * through_time_appearances() lists them.  Those of one unknown at one time are linked
 * without drift, and so have one value.
 */
typedef struct ThroughTime
{
	const History *history;
	const Model *model;			/* whose rules matches are built by */
	const ParamValue *params;	/* without drift, which is in the chains */
	HistoryWork *work;
	StateSpace	space;			/* of these parameters */
	double		newcomer_offset;	/* of the prior of a skill, */
	double		newcomer_company;	/* see the model */
	ChainPrior	prior[CHAIN_KINDS];
	InterruptCheck interrupt;

	/* Room for a match: max_participants times THROUGH_TIME_UNKNOWNS. */
	struct Appearance *appearance;

	/* Matches that have been counted, and those that are linked. */
	size_t		counted;
	size_t		linked;

	/* By match, with one more behind the last: its first appearance. */
	size_t	   *first;

	/* By appearance; NO_APPEARANCE for none. */
	uint32_t   *match;
	uint32_t   *chain;
	uint32_t   *previous;
	uint32_t   *next;
	Belief	   *site;			/* what the match says of the unknown */
	Belief	   *forward;		/* what all before it says */
	Belief	   *backward;		/* what all behind it says */
	size_t		appearances;

	/* By player: */
	uint32_t   *last;			/* for each unknown, its last appearance */
	int64_t    *games;			/* matches that count */
	int32_t    *component;		/* a player whom matches connect with this one */
	double	   *start;			/* the mean of the skill before the first
								 * match, from that of the prior */

	/* By component of each kind: its last appearance, and matches that count. */
	uint32_t   *last_of_component[STATE_SPACE_NCOMPONENTS];
	int64_t    *component_games[STATE_SPACE_NCOMPONENTS];
} ThroughTime;

#define NO_APPEARANCE UINT32_MAX

/* What came of it. */
typedef struct ThroughTimeResult
{
	SolveStatus status;
	int			passes;			/* forward and backward, each */
	double		change;			/* the largest in the last two, in deviations */
	int64_t		matches;		/* that count */
} ThroughTimeResult;

/* The most parameters of the model by which matches are built. */
#define THROUGH_TIME_MODEL_PARAMS 48

/*
 * Take the parameters of the solver through_time, which are its own and those of the model:
 * model_params has room for the latter.
 */
extern void through_time_configure(ThroughTime *tt, const ParamValue *params,
								   ParamValue *model_params);

/* Take a draw margin by its logarithm, in deviations of the noise, in place of theirs. */
extern void through_time_set_log_margin(ThroughTime *tt, double log_margin);

/* When to stop, by those parameters. */
extern double through_time_tolerance(const ParamValue *params);
extern int	through_time_max_passes(const ParamValue *params);

/* Where skills, errors and the evidence are to come from. */
typedef enum ThroughTimeMethod
{
	THROUGH_TIME_AUTO,			/* joint unless that takes long */
	THROUGH_TIME_MESSAGES,
	THROUGH_TIME_JOINT			/* see through_time_joint.h */
} ThroughTimeMethod;

extern ThroughTimeMethod through_time_errors(const ParamValue *params);
extern ThroughTimeMethod through_time_evidence(const ParamValue *params);

/* Set those among the solver's parameters that are the model's, too. */
extern void through_time_set_model_params(ParamValue *params, const ParamValue *model_params);

/* Begin with no matches; players and components from these numbers on are new. */
extern void through_time_begin(ThroughTime *tt);
extern void through_time_begin_players(ThroughTime *tt, int32_t from, int32_t to);
extern void through_time_begin_components(ThroughTime *tt, int kind, int32_t from,
										  int32_t to);

/*
 * How many appearances there are, those of matches that have been added to the history
 * since the last time included; MATCH_OK, or a mistake in *match at *offender.  first has
 * room for all matches and one more.
 */
extern MatchStatus through_time_count(ThroughTime *tt, size_t *match, int *offender);

/* Fill in the links of matches that were counted since; their sites say nothing. */
extern void through_time_link(ThroughTime *tt);

/*
 * Pass to and fro until no unknown changes by more than tolerance times its deviation, or
 * for so many passes.  It begins with the sites that are there: warm says that they are
 * those of an earlier solution, as after more matches, and not all of
 * through_time_link().
 */
extern ThroughTimeResult through_time_solve(ThroughTime *tt, bool warm,
											double tolerance, int max_passes);

/*
 * The logarithm of the probability of all results, integrated over all unknowns, by the
 * messages as they are after through_time_solve(): the free energy of expectation
 * propagation (T. Minka, "Expectation Propagation for approximate Bayesian inference",
 * 2001).  Each match has its probability given all others, out of which what its sites
 * add there is taken, and put in again as what they add to all before it.  The order of
 * simultaneous matches has no influence.  Exact for matches that connect unknowns without
 * circles; in circles, as when two meet again, unknowns are taken to be independent given
 * all other matches.  A match of gain g counts g times.  -INFINITY if draws of two
 * occurred and have no probability.
 */
extern double through_time_log_evidence(ThroughTime *tt);

/* The kind of the unknown of an appearance. */
static inline int
through_time_kind(const ThroughTime *tt, size_t appearance)
{
	uint32_t	chain = tt->chain[appearance];

	return chain & CHAIN_OF_COMPONENT ?
		PLAYER_UNKNOWNS + (int) (chain >> CHAIN_KIND_SHIFT & 7) :
		(int) (chain % PLAYER_UNKNOWNS);
}

/* Mean and deviation of the unknown at an appearance. */
extern void through_time_skill(const ThroughTime *tt, size_t appearance,
							   double *mu, double *sigma);

/*
 * The mean and deviation of an unknown of a player as of the player's last match, and of a
 * component as of its own, for a filter to go on from.  False, and nothing is set, for an
 * unknown that has not appeared.
 */
extern bool through_time_end(const ThroughTime *tt, int32_t player, int unknown,
							 double *state);
extern bool through_time_component_end(const ThroughTime *tt, int kind, int32_t number,
									   double *state);

/*
 * ---- For the parts of the solver ----
 */

/* An unknown in a match. */
typedef struct Appearance
{
	int			player;			/* index into Match.player, or -1: */
	int			component;		/* index into Match.component */
	int			kind;
	uint32_t	chain;
} Appearance;

/* The most unknowns of a match for each of its participants. */
#define THROUGH_TIME_UNKNOWNS CHAIN_KINDS

/*
 * Build a match of the history, and list its appearances in tt->appearance; returns how
 * many there are.
 */
extern MatchStatus through_time_build(const ThroughTime *tt, size_t m, Match *match,
									  int *offender);
extern int	through_time_appearances(const ThroughTime *tt, size_t m, const Match *match);

/*
 * Build a match as it is before its result is known: each unknown is what the rest of the
 * history says, before and behind.  All players have the mean of their gains, because a
 * match says what it says of all of them with one weight.  Returns that.
 */
extern double through_time_given_rest(ThroughTime *tt, size_t m, Match *match);

/*
 * From one appearance of an unknown to the next, of that kind, in matches from and to: the
 * share of what it is off its mean that remains, and the variance that is added.
 */
typedef struct Transition
{
	double		share;
	double		variance;
} Transition;

extern Transition through_time_transition(const ThroughTime *tt, int kind, size_t from,
										  size_t to);

#endif							/* CORE_SOLVE_THROUGH_TIME_H */
