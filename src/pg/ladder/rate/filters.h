/*
 * filters.h
 *		Which matches and players count in a ladder, by its operations: players who are
 *		excluded or merged, and rules of eligibility.
 */
#ifndef PG_LADDER_RATE_FILTERS_H
#define PG_LADDER_RATE_FILTERS_H

#include "pg/sql/glue.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/source.h"

typedef struct Filters Filters;

/* Whether players are excluded or merged, or rules declared; asked once for an open ladder. */
extern bool ladder_has_filters(Ladder *ladder);

/*
 * Read those of a ladder, in the current memory context.  Errors: 22023 and 22003 for
 * rules that users have written into the table and that are none.
 */
extern Filters *read_filters(Ladder *ladder);

/*
 * The player that an account counts as; one account may lead to the next.  *excluded
 * tells whether any of them is excluded: a merge lifts no exclusion.
 */
extern Datum merged_player(const Filters *filters, Datum player, TimestampTz played_at,
						   bool *excluded);

/*
 * Error 22023 if two of n accounts count as one player, who cannot take part twice.  One
 * account may come several times.
 */
extern void check_accounts(IdType *type, const Datum *account, const Datum *player, int n);

/*
 * Put the players for whom accounts count into a match whose rows have all been read, with the rules
 * of its time.  set_aside is set where somebody is excluded, or two accounts of one player met.
 */
extern void filter_match(const Filters *filters, SourceMatch *match);

/*
 * How many seconds rules look around a match for others with the same opponents, 0 if
 * none does; and whether there is any rule.  Filters may be NULL.
 */
extern double filters_repeat_window(const Filters *filters);
extern bool filters_have_rules(const Filters *filters);

#endif							/* PG_LADDER_RATE_FILTERS_H */
