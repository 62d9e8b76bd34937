/*
 * memutils.h
 *		Memory contexts, as marks in the arena of a build without a server.
 */
#ifndef MEMUTILS_H
#define MEMUTILS_H

#include "postgres.h"

#define ALLOCSET_DEFAULT_SIZES 0

/*
 * A context remembers where the arena ended when it was made.  Deleting one leaves what is in
 * it until the arena is emptied, as others may have allocated since; resetting one frees all
 * that was allocated since then, by whomever: what must stay was made before, as it is where
 * searches are tried one after another.
 */
extern MemoryContext AllocSetContextCreate(MemoryContext parent, const char *name, int sizes);
extern MemoryContext MemoryContextSwitchTo(MemoryContext context);
extern void MemoryContextReset(MemoryContext context);
extern void MemoryContextDelete(MemoryContext context);

#endif							/* MEMUTILS_H */
