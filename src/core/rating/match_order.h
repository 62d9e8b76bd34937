/*
 * match_order.h
 *		An order of a match's players that does not depend on who they are.
 *
 * The last bits of a sum depend on the order of its terms.  A model that went
 * through players in the order of their identifiers would therefore give other
 * bits once a player has another name, as one who wants to be forgotten does.
 * So a match is rated in an order that only its content and the states before
 * it decide.  Players who are equal in all of that are exchangeable, and get the
 * same result.
 */
#ifndef CORE_RATING_MATCH_ORDER_H
#define CORE_RATING_MATCH_ORDER_H

#include "core/rating/match.h"

/* What is to be done once a match that was put into that order is rated. */
typedef struct MatchOrder
{
	bool		moved;			/* match_restore_order() */
	bool		has_ties;		/* match_equalize(): some may be alike */
} MatchOrder;

/*
 * Put the players of a match that match_build() made, and their entries within
 * each team, in that order: by team, state before, games, squad, experience, past and
 * parts in the match, and only then by results (kills, deaths, who quit) and gain, on
 * which no forecast depends.  States before, of nstate numbers, and games must be set.
 * Pointers to states move with their players.  Components, and their shares, are put into
 * an order of the same kind: by kind, state before, games and shares.  So two players who
 * are exchangeable may have components that are not, and a model sums up players and
 * components apart.
 */
extern MatchOrder match_order(Match *match, int nstate);

/*
 * Put the players and components back where they were.  Entries and shares refer to them
 * again, but stay in their new order.
 */
extern void match_restore_order(Match *match);

/*
 * Give players, and components, that are equal the same result, while the match is in
 * order: states after and gradients are those of the first of them.  A model that takes players
 * one after another, each given what it has learnt of those before, would
 * otherwise treat them differently.
 */
extern void match_equalize(Match *match, int nstate);

#endif							/* CORE_RATING_MATCH_ORDER_H */
