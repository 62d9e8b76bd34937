/*
 * solve_parts.h
 *		The parts of a relation, by a column, which solve_distributed() reads by one query.
 *
 * A query that is grouped by a column is what an extension that distributes tables by that
 * column sends to the servers that have the rows.  Nothing says which process there answers
 * the next query, so that a part is handed over as rows of the solver, and this process
 * keeps them.  Rows of a foreign table are fetched, because nobody knows who has that
 * server: what is handed over is believed.
 */
#ifndef PG_HISTORY_SOLVE_PARTS_H
#define PG_HISTORY_SOLVE_PARTS_H

#include "pg/history/solve_leaves.h"
#include "pg/history/solve_pass.h"

/*
 * Read all parts, unless this process keeps them from an earlier transaction; each becomes a
 * leaf.  With SPI connected.  Errors: 54000 for more than MATCH_MAX_PARTS parts, and
 * for a part of another server that takes more than KEPT_MAX_PACKED_AS_TEXT.
 */
extern void parts_survey(Distributed *d);

/* Release or hold the rows of all parts. */
extern void parts_tell(const Distributed *d, PassKind kind);

#endif							/* PG_HISTORY_SOLVE_PARTS_H */
