/*
 * eligible.h
 *		Rules of eligibility as jsonb, and matches judged by them.
 */
#ifndef PG_MATCHES_ELIGIBLE_H
#define PG_MATCHES_ELIGIBLE_H

#include "pg/sql/glue.h"

#include "utils/jsonb.h"

#include "pg/matches/batch.h"

/*
 * Read rules from an object with a member for each, in the current memory context; those
 * it does not have are not in force.  Errors: 22023 for an unknown rule, one of another
 * type, one that only says more about another that is not there, or two that contradict
 * each other; 22003 for a value out of range.
 */
extern Eligibility *get_eligibility(Jsonb *json);

/*
 * Take the participants whom its rules leave out of a match that batch_build() has seen;
 * returns the status of the rule by which the first of them went, or MATCH_OK for none.
 */
extern MatchStatus batch_leave_out(Batch *batch, SourceMatch *source);

/*
 * What the rules of a match have against it, or nothing: by its content, once it was
 * built, and by its players, whose states are loaded.
 */
extern Unrated reason_by_content(const Batch *batch, const SourceMatch *source);
extern Unrated reason_by_players(const Batch *batch, const SourceMatch *source);

#endif							/* PG_MATCHES_ELIGIBLE_H */
