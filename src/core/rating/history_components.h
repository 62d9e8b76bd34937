/*
 * history_components.h
 *		The components of a history, numbered once for all of its replays.
 */
#ifndef CORE_RATING_HISTORY_COMPONENTS_H
#define CORE_RATING_HISTORY_COMPONENTS_H

#include "core/rating/history.h"

/*
 * The components of each kind in a MatchRules that a history can have, in use or not.
 * Whoever makes one owns its arrays.
 */
struct HistoryComponents
{
	int			nkinds;
	const ComponentSpec *spec;	/* those of the rules */
	int32_t    *of[COMPONENT_MAX_KINDS];	/* by participant: 0 .. count - 1,
											 * or -1 */
	int32_t		count[COMPONENT_MAX_KINDS];
};

/*
 * The bytes of the numbers, and of room that is needed only while they are found; and find
 * them, by a block and room of so many bytes.  The block must live as long as they do.
 */
extern size_t history_components_size(const History *history, const MatchRules *rules);
extern size_t history_components_room(const History *history);
extern void history_components_find(HistoryComponents *components, void *block, void *room,
									const History *history, const MatchRules *rules);

/*
 * The bytes of the states of components, and of a match that has some; and the pointers of
 * work into a block of so many bytes.  history_replay() and history_build_match() then
 * know components, and must not be called with other rules.
 */
extern size_t history_component_states_size(const History *history,
											const HistoryComponents *components);
extern void history_component_states_init(HistoryWork *work, void *block,
										  const History *history,
										  const HistoryComponents *components);

/* Put all that are in use under these parameters into the state of one in no match. */
extern void history_components_reset(HistoryWork *work, const ParamValue *params);

/* Give the components of a match that was built of the history the states before it. */
extern void history_components_before(const HistoryWork *work, const HistoryMatch *source,
									  const ParamValue *params, Match *match);

/* Let them go on from the states after it. */
extern void history_components_after(HistoryWork *work, const HistoryMatch *source,
									 const Match *match);

/* Which component of its kind one of a match is. */
extern int32_t history_component(const HistoryWork *work, const HistoryMatch *source,
								 const MatchComponent *component);

#endif							/* CORE_RATING_HISTORY_COMPONENTS_H */
