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

/* The bytes of a key: a token of the solve, at random, and a number, such as a partition's OID. */
#define KEPT_TOKEN_SIZE 16
#define KEPT_KEY_SIZE (KEPT_TOKEN_SIZE + sizeof(uint32))

typedef struct KeptRows KeptRows;

/* The token of this process, at random: no other process of any server has it. */
extern const char *kept_rows_process(void);

/* A key of a token, with a number that no other key from here has, and that is not 0. */
extern void kept_rows_new_key(const char *token, char *key);

/* The number in a key, and a key of a token and a number. */
extern uint32 kept_key_number(const char *key);
extern void kept_key_make(const char *token, uint32 number, char *key);

/*
 * Begin to keep rows under a key of so many bytes, in place of any that are kept under
 * it.  They cannot be found before kept_rows_end(); error 55006 if others have begun and
 * not ended.
 */
extern KeptRows *kept_rows_begin(const char *key, bool lasting);

/*
 * The number of rows that have begun, which no other rows of this process have, and those of a
 * number that have not ended; error 55000 if they are gone.  Whoever adds rows from call to call
 * keeps the number: a cursor goes on after the subtransaction that began them is taken back.
 */
extern uint64 kept_rows_number(const KeptRows *kept);
extern KeptRows *kept_rows_of_number(uint64 number);

/*
 * Add a copy of the rows of a batch, task->problem.rows, as solver_add_match() has made them.
 */
extern void kept_rows_add(KeptRows *kept, const SolverTask *task);

/*
 * No more rows are to come; there are so many players and contexts.  The survey, a datum of
 * a composite type or 0, is copied for whoever asks again.
 */
extern void kept_rows_end(KeptRows *kept, const Solver *solver,
						  const ParamValue *params, int32 nplayers,
						  int32 ncontexts, Datum survey);

/* The rows under a key, or NULL.  They count as used in this transaction. */
extern KeptRows *kept_rows_find(const char *key);

/*
 * All rows under keys of a token, which count as used in this transaction, in the order in
 * which they began; returns how many, in an array from the current context.
 */
extern int	kept_rows_of_token(const char *token, KeptRows ***all);

/* The key under which rows are kept. */
extern const char *kept_rows_key(const KeptRows *kept);

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
 * process; NULL if that would have more bytes than the most.
 */
extern bytea *kept_rows_pack(KeptRows *kept, Size most);

/*
 * A packed partition may have so many bytes: a tuple between processes has below 1 GB, and
 * between servers bytes may be text of two characters each.
 */
#define KEPT_MAX_PACKED (MaxAllocSize / 2)
#define KEPT_MAX_PACKED_AS_TEXT (MaxAllocSize / 4)

/* Add rows that were packed.  They are believed: they must come from code of ours. */
extern void kept_rows_unpack(KeptRows *kept, bytea *packed);

#endif							/* PG_HISTORY_KEPT_ROWS_H */
