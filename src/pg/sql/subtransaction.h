/*
 * subtransaction.h
 *		Work that can be taken back.
 */
#ifndef PG_SQL_SUBTRANSACTION_H
#define PG_SQL_SUBTRANSACTION_H

#include "pg/sql/glue.h"

/*
 * Do something in a subtransaction, which is rolled back if it returns false, as *done then says,
 * or raises an error.  Returns that error, which the caller frees or raises again, or NULL.  The
 * caller's memory context, which has the error, and resource owner are current in it and
 * afterwards.
 */
extern ErrorData *try_in_subtransaction(bool (*work) (void *), void *arg, bool *done);

/* Which errors are taken over. */
typedef bool (*TakesError) (int sqlerrcode);

/*
 * The same, with any other error, or all of them if takes is NULL, raised again from outside of the
 * subtransaction, because who catches it expects none but his own.  Returns what the work does, or
 * false for an error.
 */
extern bool in_subtransaction(bool (*work) (void *), void *arg, TakesError takes);

#endif							/* PG_SQL_SUBTRANSACTION_H */
