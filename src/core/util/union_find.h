/*
 * union_find.h
 *		Who is connected with whom: sets that are joined, each known by one of its
 *		members.
 */
#ifndef CORE_UTIL_UNION_FIND_H
#define CORE_UTIL_UNION_FIND_H

#include <stdint.h>

/* The member that stands for the set of i; at first everybody is their own parent. */
static inline int32_t
union_find(int32_t *parent, int32_t i)
{
	while (parent[i] != i)
	{
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* The sets of a and b become one, for which stands who stood for b. */
static inline void
union_join(int32_t *parent, int32_t a, int32_t b)
{
	parent[union_find(parent, a)] = union_find(parent, b);
}

/*
 * By the member that stands for it, the number of each set from 1 on, the largest first and of
 * equal ones that of the first member: root_of has that member for each of n, or -1 for those who
 * are in none, whose number is 0.  room has n + 1 elements.  Returns how many sets there are.
 */
extern int32_t union_numbers(const int32_t *root_of, int32_t n, int32_t *number, int32_t *room);

#endif							/* CORE_UTIL_UNION_FIND_H */
