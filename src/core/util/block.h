/*
 * block.h
 *		A block of the caller's memory, cut into arrays.
 */
#ifndef CORE_UTIL_BLOCK_H
#define CORE_UTIL_BLOCK_H

#include <stddef.h>

/*
 * Take size * n bytes of a block, from *block on, which moves behind them, and add
 * what they take to *total; where *block is NULL, only that.
 */
static inline void *
block_take(char **block, size_t *total, size_t size, size_t n)
{
	size_t		bytes = (size * n + 15) / 16 * 16;
	void	   *place = *block;

	*total += bytes;
	if (*block != NULL)
		*block += bytes;
	return place;
}

#endif							/* CORE_UTIL_BLOCK_H */
