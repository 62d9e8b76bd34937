/*
 * component.h
 *		Components: states that belong to something else than a player alone.
 *
 * A club, a side, a map, a player on a map and the calibration of all forecasts have
 * states as players have: known before a match, changed by it, kept from match to match.
 * A model, or a solver, lists the kinds that it can have in its MatchRules, and parameters
 * say which of them are in use.  match_build() then finds the components of a match, the
 * caller gives them the states before it, and the model makes those after it.
 */
#ifndef CORE_RATING_COMPONENT_H
#define CORE_RATING_COMPONENT_H

#include <stdbool.h>

#include "core/rating/params.h"

/* What a state column is to others than its model. */
typedef enum StateRole
{
	ROLE_NONE,
	ROLE_DEVIATION,				/* a standard deviation */
	ROLE_SIDE,					/* what the skill is more on side 1, less on
								 * side 2 */
	ROLE_COMMAND,				/* what the skill of a commander is instead */
	ROLE_HIGHEST,				/* the highest value of the first column so
								 * far */
	ROLE_GAMES,					/* rated games before the first one that is
								 * counted */
	ROLE_PERIOD,				/* of an open rating period, see period.h:
								 * operations on states leave it alone */
	ROLE_ROUNDS					/* of the matches since the state was set,
								 * first their number: a state that is set
								 * begins them anew, see Model.look_back */
} StateRole;

/* A column of the state of a player or a component; all are double precision. */
typedef struct StateSpec
{
	const char *name;			/* SQL column name */
	double		min;			/* smallest sound value (may be -INFINITY) */
	bool		shared;			/* of players: the same in all pools, see
								 * Model.shares */
	StateRole	role;
	const char *description;
} StateSpec;

/*
 * How far from 0 a sound value may be: squares are finite, and so are sums of thousands of them,
 * so that no operation and no idle time makes a state unsound.
 */
#define STATE_LIMIT 1e150

/* Whether a value of a column is sound: finite, within the limit, and not below its minimum. */
extern bool state_value_valid(const StateSpec *column, double value);

/* Move n columns that are beyond what is sound to the nearest sound value; a NaN stays. */
extern void state_bound(const StateSpec *column, int n, double *state);

/* The most state columns of a component, for arrays on the stack. */
#define COMPONENT_MAX_STATE 8

/* The most kinds of components of a model or a solver. */
#define COMPONENT_MAX_KINDS 8

/* In what of a match a component takes part. */
typedef enum ComponentScope
{
	COMPONENT_OF_MATCH,			/* in all of it */
	COMPONENT_OF_UNEVEN,		/* the same, but none where the sizes of teams
								 * do not differ */
	COMPONENT_OF_SIDE,			/* in favour of side 1; none where sides do
								 * not differ */
	COMPONENT_OF_TEAM,			/* in a team, however many of it bring it
								 * along */
	COMPONENT_OF_PLAYER			/* with a player, for as much as the player
								 * plays */
} ComponentScope;

/* What tells components of a kind apart, besides the player and the pool. */
typedef enum ComponentKey
{
	COMPONENT_BY_NOTHING,
	COMPONENT_BY_CONTEXT,		/* no component without a context, */
	COMPONENT_BY_CLUB			/* or a club */
} ComponentKey;

/* A kind of components. */
typedef struct ComponentSpec
{
	const char *name;			/* "club": what SQL calls the kind */
	const char *description;
	ComponentScope scope;
	ComponentKey key;
	const StateSpec *state;
	int			nstate;			/* 1 to COMPONENT_MAX_STATE */

	/* Whether there are such components under these parameters. */
	bool		(*used) (const ParamValue *params);

	/* The state of one that was in no match. */
	void		(*init) (const ParamValue *params, double *state);

	/*
	 * Let idle time pass, in seconds; NULL where it changes nothing.  As
	 * Model.age: by t1 and then by t2 is by t1 + t2, but for rounding.
	 */
	void		(*age) (const ParamValue *params, double *state, double seconds);
} ComponentSpec;

/* The first state column of a kind with a role, or -1. */
extern int	component_state_column(const ComponentSpec *spec, StateRole role);

/* Whether a state is sound, in all of its columns. */
extern bool component_state_valid(const ComponentSpec *spec, const double *state);

#endif							/* CORE_RATING_COMPONENT_H */
