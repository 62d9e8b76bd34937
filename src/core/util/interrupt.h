/*
 * interrupt.h
 *		How a long computation can be stopped.
 */
#ifndef CORE_UTIL_INTERRUPT_H
#define CORE_UTIL_INTERRUPT_H

/*
 * What a computation calls every now and then, at least every few milliseconds;
 * NULL for nothing.  It may leave by longjmp(): the core holds nothing that would
 * have to be given back.
 */
typedef void (*InterruptCheck) (void);

#endif							/* CORE_UTIL_INTERRUPT_H */
