/*
 * compare.h
 *		A split beside others: what its teams are like, the most even other split, and the
 *		constraint that costs most.
 *
 * The other split and the constraint each take a fourth of the work of the lobby.  In large
 * lobbies, and where many players are tied to one another, not all of them can be tried.
 */
#ifndef CORE_SPLIT_COMPARE_H
#define CORE_SPLIT_COMPARE_H

#include "core/split/constraints.h"
#include "core/split/lobby.h"

/* What a team is like. */
typedef struct TeamTerms
{
	int			players;
	double		strength;
	double		best;			/* the best player, */
	double		spread;			/* and the root mean square distance from the
								 * mean of all players: of a team of nobody
								 * not finite */
} TeamTerms;

/* The terms of the teams of a split. */
extern void describe_terms(const Lobby *lobby, const Split *split, TeamTerms *terms);

/* The difference of the teams that players leave, where they have a home. */
extern double difference_at_home(const Lobby *lobby);

/* How many splits of a lobby can be compared within its work, at least one. */
extern int	max_compared(const Lobby *lobby);

/*
 * The most even of the splits for a request that are other ones; other->answer.found is false if
 * none was found.
 */
extern void find_other_split(const Lobby *lobby, const SplitRequest *request,
							 const Split *split, Split *other);

/*
 * The constraint without which there is the most even split, and that split but for its teams;
 * false if none costs anything.
 */
extern bool find_costliest(const Lobby *lobby, const SplitRequest *request,
						   const Split *split, TeamConstraint *costliest, Split *without);

#endif							/* CORE_SPLIT_COMPARE_H */
