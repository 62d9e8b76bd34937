/*
 * explain.h
 *		Why a split is as it is, in json.
 */
#ifndef PG_TEAMS_EXPLAIN_H
#define PG_TEAMS_EXPLAIN_H

#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"

/*
 * Append a key with a number, a comma before it unless the object begins there.  JSON has
 * no infinities and no NaN: these are null.
 */
extern void explain_number(StringInfo json, const char *key, double number);

/* The finished text as a jsonb datum. */
extern Datum explain_end(StringInfo json);

/*
 * Append what a split of a lobby consists of, the most even other one, and the constraint that
 * costs most, as "terms", "alternative" and "constraint" of an object that has begun.  Without
 * work for the latter two there are only terms.
 */
extern void explain_split(StringInfo json, const Lobby *lobby, const SplitRequest *request,
						  const Split *split);

/* The same as a whole object. */
extern Datum why_split(const Lobby *lobby, const SplitRequest *request, const Split *split);

#endif							/* PG_TEAMS_EXPLAIN_H */
