/*
 * wishes.h
 *		A lobby split where constraints are wishes, which may be broken at a price.
 */
#ifndef CORE_SPLIT_WISHES_H
#define CORE_SPLIT_WISHES_H

#include "core/split/constraints.h"
#include "core/split/lobby.h"

/* The wishes of a lobby that a split has broken, and what they cost. */
typedef struct BrokenWishes
{
	TeamConstraint *wish;
	int			n;
	int			hard;			/* that have no price */
	double		price;			/* of the others, in win probability */
	Lobby		without;		/* the lobby without them, see
								 * split_by_wishes() */
} BrokenWishes;

/*
 * How far a forecast is from one in which all teams are equal: the chance of the first of two teams
 * from 1/2, or of k teams the largest distance of any from 1/k.
 */
extern double chance_off(const Lobby *lobby, const Split *split);

/* Whether there are constraints with a price. */
extern bool has_prices(const Lobby *lobby);

/*
 * Split the lobby as is asked, and forecast the split, so that first the fewest wishes without a
 * price are broken, and then chance_off() and the prices of those that are broken are together as
 * small as can be.  Of a strict lobby no wish without a price is broken.  If there is no such split,
 * answer.found is false.  It is unproven unless all sets of wishes that may be worth breaking were
 * tried, and each split is exact.  broken->without is the lobby that the split is the most even one
 * of; broken->wish counts players and pairs as lobby does.
 */
extern void split_by_wishes(Lobby *lobby, const SplitRequest *request, Split *split,
							BrokenWishes *broken);

#endif							/* CORE_SPLIT_WISHES_H */
