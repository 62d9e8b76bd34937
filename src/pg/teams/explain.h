/*
 * explain.h
 *		Why a split is as it is, in json.
 */
#ifndef PG_TEAMS_EXPLAIN_H
#define PG_TEAMS_EXPLAIN_H

#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"

/* How far a split is from what is sought, in points. */
extern double points_off(const Lobby *lobby, const Split *split);

/*
 * The work of a variant of a lobby that is split, or of its moves, for an explanation: it
 * is one of so many for each player.
 */
extern double variant_work(const Lobby *lobby);

/*
 * The number of variants that are tried for one part of an explanation, if each takes at
 * least so many steps however coarse its search: in large lobbies not all, but one.
 */
extern int	max_variants(const Lobby *lobby, double least_steps);

/*
 * Append a key with a number, a comma before it unless the object begins there.  JSON has
 * no infinities and no NaN: these are null.
 */
extern void explain_number(StringInfo json, const char *key, double number);

/* Append a key with the names of the players for whom of[] is a number. */
extern void explain_players(StringInfo json, const char *key, Lobby *lobby,
							const int *of, int number);

/*
 * Append the constraint that costs most as "constraint": what is different without it (NULL if
 * none costs anything), the difference then, and how far that and what there is are off.
 */
extern void explain_costliest(StringInfo json, const char *without, double difference,
							  double off, double off_with);

/* The finished text as a jsonb datum. */
extern Datum explain_end(StringInfo json);

/*
 * Append what a split of a lobby consists of, the most even other one, and the constraint that
 * costs most, as "terms", "alternative" and "constraint" of an object that has begun.
 */
extern void explain_split(StringInfo json, Lobby *lobby, const SplitRequest *request,
						  const Split *split);

/* The same as a whole object. */
extern Datum why_split(Lobby *lobby, const SplitRequest *request, const Split *split);

#endif							/* PG_TEAMS_EXPLAIN_H */
