/*
 * kept_rows.h
 *		The rows of a partition, kept in the process that has read its matches.
 *
 * solve_distributed() reads each partition once.  The process that reads it, here or on
 * another server, makes rows of the logistic solver of the matches, 8 to 40 bytes a
 * participant, and keeps them in a registry of its own for the passes that follow.
 *
 * Whose rows they are: a key names them, of which 16 bytes are random and known only to
 * the session that solves, and the user who had them made.  kept_rows_find() finds them
 * for that user only.
 *
 * Where they are: in memory as long as memory_limit_has_room(), and then in a temporary
 * file, which counts to temp_file_limit.
 *
 * How long: until kept_rows_release(), and at most to the end of the transaction, or of
 * the subtransaction that began them, if that is aborted.  Lasting rows are those of a
 * solve that commits in between: they last through transactions that use them and are
 * committed, or that are aborted after kept_rows_hold().  Whatever the end, the file goes
 * with them.
 */
#ifndef PG_HISTORY_KEPT_ROWS_H
#define PG_HISTORY_KEPT_ROWS_H

#include "pg/sql/glue.h"

#include "core/solve/solver.h"

/* The bytes of a key: of the solve, at random, and of the partition. */
#define KEPT_TOKEN_SIZE 16
#define KEPT_KEY_SIZE (KEPT_TOKEN_SIZE + sizeof(uint32))

typedef struct KeptRows KeptRows;

/*
 * Begin to keep rows under a key of so many bytes, in place of any that are kept under
 * it.  They cannot be found before kept_rows_end(); error 55006 if others have begun and
 * not ended.
 */
extern KeptRows *kept_rows_begin(const char *key, bool lasting);

/*
 * Add the rows of a batch that solver_count() has just counted, with unknowns as by
 * solver_lay_out_open().
 */
extern void kept_rows_add(KeptRows *kept, SolverTask *task);

/*
 * No more rows are to come; there are so many players and contexts.  The survey, a datum of
 * a composite type or 0, is copied for whoever asks again.
 */
extern void kept_rows_end(KeptRows *kept, const Solver *solver,
						  const ParamValue *params, int32 nplayers,
						  int32 ncontexts, Datum survey);

/* The rows under a key, or NULL.  They count as used in this transaction. */
extern KeptRows *kept_rows_find(const char *key);

/* Let lasting rows last through the current transaction even if that is aborted. */
extern void kept_rows_hold(KeptRows *kept);

/* Free them, with their file. */
extern void kept_rows_release(KeptRows *kept);

/* The survey that kept_rows_end() was given. */
extern Datum kept_rows_survey(const KeptRows *kept);

/* The number of their unknowns, see solver_lay_out_part(). */
extern uint32 kept_rows_unknowns(const KeptRows *kept);

/*
 * As logit_rows_evaluate(), over all rows; what curvature there is with a diagonal is
 * remembered for products.
 */
extern void kept_rows_evaluate(KeptRows *kept, double draw, const double *x,
							   LogitSums *sums, double *gradient,
							   double *diagonal);

/*
 * As logit_rows_multiply(), at the point of the last evaluation with a diagonal; error
 * 55000 if there was none.
 */
extern void kept_rows_multiply(KeptRows *kept, const double *v, double *product);

/*
 * All rows, which have been added but not ended, as one datum, to be kept by another
 * process of this server; NULL if there are more than such a datum should have.
 */
extern bytea *kept_rows_pack(KeptRows *kept);

/* Add rows that were packed. */
extern void kept_rows_unpack(KeptRows *kept, bytea *packed);

#endif							/* PG_HISTORY_KEPT_ROWS_H */
