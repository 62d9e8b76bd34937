/*
 * apply.h
 *		Rating the matches of a ladder.
 */
#ifndef APPLY_H
#define APPLY_H

#include "ladder.h"

/*
 * Rate the matches with these n distinct identifiers, as far as the source has
 * them finished and they are not rated yet; the ladder is open to rate and
 * entered.
 *
 * A match that is rated with the same content is left alone; one that does not
 * count is recorded with the reason.  Errors if a rated match has changed or
 * vanished.
 */
extern void apply_matches(Ladder *ladder, Datum *ids, int n);

/* Take this transaction's matches out of pending and apply them. */
extern void apply_pending(Ladder *ladder);

/* Put matches into pending, for the end of the transaction. */
extern void collect_matches(Ladder *ladder, Datum *ids, int n);

#endif							/* APPLY_H */
