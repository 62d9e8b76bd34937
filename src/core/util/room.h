/*
 * room.h
 *		Memory of the caller's for a computation that learns only on its way how much it takes.
 *
 * The core allocates nothing: it asks the caller, who may answer by longjmp() and then takes all
 * blocks back, as after an interrupt.
 */
#ifndef CORE_UTIL_ROOM_H
#define CORE_UTIL_ROOM_H

#include <stddef.h>
#include <string.h>

typedef struct Room
{
	/* A block of so many bytes, or of one for 0; never NULL. */
	void	   *(*take) (size_t bytes);

	/* Give one back before its time. */
	void		(*give_back) (void *block);

	/* All that is taken from here on is given back by end() of the result. */
	void	   *(*begin) (void);
	void		(*end) (void *began);
	size_t		most;			/* bytes of a block */
} Room;

/* Room for an array of n elements, and the same with zeros. */
static inline void *
room_array(const Room *room, size_t size, size_t n)
{
	return room->take(size * n);
}

static inline void *
room_zeros(const Room *room, size_t size, size_t n)
{
	return memset(room->take(size * n), 0, size * n);
}

#endif							/* CORE_UTIL_ROOM_H */
