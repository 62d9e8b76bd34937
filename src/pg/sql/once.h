/*
 * once.h
 *		What a session tells its client once.
 *
 * Rating happens in triggers, thousands of times a session, and the same thing goes wrong each
 * time.  So warnings and notices about matches are for the first case of each kind.
 */
#ifndef PG_SQL_ONCE_H
#define PG_SQL_ONCE_H

#include "postgres.h"

/* The setting skillrating.unrated_notices. */
extern bool unrated_notices;

/* Define the setting; for _PG_init(). */
extern void once_define(void);

/*
 * Whether this is the first time that the session asks about this hash of what is to be told, at
 * once: a message reaches the client also where its transaction is aborted later, and is not
 * repeated then.  Some hundreds are remembered; an older one is told again.
 */
extern bool first_in_session(uint64 hash);

#endif							/* PG_SQL_ONCE_H */
