/*
 * host.h
 *		What PGlite does not export, and cannot be a function of the same name.
 *
 * PGlite exports those functions and variables of the server that its own extensions use.  The
 * files of this folder define the others that this extension needs, under the names and with the
 * prototypes of the server's headers, by means of what is exported.  This header is included
 * in front of every file of the glue (-include): it is for variables, whose addresses are not known
 * here, and for macros.
 */
#ifndef HOST_H
#define HOST_H

#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"

/* The context of the current subtransaction, as the variable of that name. */
extern MemoryContext host_current_transaction_context(void);

#define CurTransactionContext host_current_transaction_context()

/* The owner of the current subtransaction's resources, likewise. */
extern ResourceOwner host_current_transaction_owner(void);

#define CurTransactionResourceOwner host_current_transaction_owner()

/* The cache of relations closes the file of a relation that has got another one. */
#define RelationCloseSmgr(relation) ((void) (relation))

/*
 * PGlite has no timers, because nothing can interrupt WebAssembly.  So that statement_timeout ends
 * at least what this extension computes for long, its checks for interrupts look at the clock.
 */
extern void host_check_for_interrupts(void);

#undef CHECK_FOR_INTERRUPTS
#define CHECK_FOR_INTERRUPTS() host_check_for_interrupts()

#endif							/* HOST_H */
