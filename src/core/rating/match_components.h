/*
 * match_components.h
 *		The components of a match in the making, for match_build().
 */
#ifndef CORE_RATING_MATCH_COMPONENTS_H
#define CORE_RATING_MATCH_COMPONENTS_H

#include "core/math/sum.h"
#include "core/rating/match.h"

/*
 * Components are found by chains: of each player, and of each context and club the
 * components that belong to no player.
 */
typedef struct ComponentBuilder
{
	Match	   *match;
	const Participant *participant; /* the first of them */
	int			nspecs;			/* kinds in use */
	bool		of_participants;	/* participants bring some of these along */
	const ComponentSpec *spec[COMPONENT_MAX_KINDS];
	int			number[COMPONENT_MAX_KINDS];	/* in the rules */
	int			first_unkeyed;
	int			first_of_context[MATCH_MAX_PARTICIPANTS];
	int			first_of_club[MATCH_MAX_PARTICIPANTS];
} ComponentBuilder;

/*
 * Begin a match of n participants, whose number of players is known and which asks for
 * components.
 */
extern void components_begin(ComponentBuilder *builder, const MatchRules *rules,
							 const ParamValue *params, Match *match,
							 const Participant *participant, int n);

/*
 * If participants bring any: add what a participant of the match's last team brings, who played
 * and commanded for so much weight.
 */
extern void components_add(ComponentBuilder *builder, const Participant *p, double play,
						   double command);

/*
 * Turn sums of weights into shares, given how much was played in each team, and whether the sizes
 * of the teams differ.
 */
extern void components_finish(ComponentBuilder *builder, const Sum *played, bool uneven);

#endif							/* CORE_RATING_MATCH_COMPONENTS_H */
