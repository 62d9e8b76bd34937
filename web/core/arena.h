/*
 * arena.h
 *		The memory of a call from outside.
 */
#ifndef WEB_CORE_ARENA_H
#define WEB_CORE_ARENA_H

/* Free everything, at the beginning of a call from outside. */
extern void arena_empty(void);

#endif							/* WEB_CORE_ARENA_H */
