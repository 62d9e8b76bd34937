/*
 * explain.h
 *		Why a split is as it is, in json, and why there is none, in errors that name constraints.
 */
#ifndef PG_TEAMS_EXPLAIN_H
#define PG_TEAMS_EXPLAIN_H

#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"

#include "core/split/constraints.h"

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

/*
 * Report (54000) that the constraints tie too many players to one another for a split
 * whose status is SPLIT_GROUP_TOO_LARGE.
 */
pg_noreturn extern void report_large_group(const Lobby *lobby, const SplitProblem *problem);

/*
 * Report that there is no such split, naming the constraints in the way: 22023, or
 * 54000 if the search was too large to tell.
 */
pg_noreturn extern void report_no_split(const Lobby *lobby, const SplitRequest *request,
										const Split *split);

#endif							/* PG_TEAMS_EXPLAIN_H */
