/*
 * shell_sort.h
 *		Shell's method of sorting, in place.
 *
 * The core has no memory to sort in, the C library's qsort() may allocate some, and a match of
 * thousands must not take the square of its size, as insertion does.  D. L. Shell, A
 * High-Speed Sorting Procedure (1959), with Knuth's distances 1, 4, 13, 40, ...  Elements that
 * compare as equal may change places.
 */
#ifndef CORE_UTIL_SHELL_SORT_H
#define CORE_UTIL_SHELL_SORT_H

#include <stddef.h>
#include <string.h>

/* Negative, 0 or positive, as for qsort(), in an order that the context tells more about. */
typedef int (*ShellCompare) (const void *context, const void *a, const void *b);

/*
 * Sort n elements of some size at base; spare is room for one more.  The function is inline,
 * so that size and comparison are constants of the loop.
 */
static inline void
shell_sort(void *base, int n, size_t size, void *spare, ShellCompare compare,
		   const void *context)
{
	char	   *element = base;
	int			gap = 1;
	int			i;

	/*
	 * The first distance: n/12 is about the last of Knuth's that is worth its
	 * pass.
	 */
	while (gap < n / 12)
		gap = 3 * gap + 1;
	for (; gap > 0; gap /= 3)
		for (i = gap; i < n; i++)
		{
			size_t		step = (size_t) gap * size;
			char	   *place = element + (size_t) i * size;

			memcpy(spare, place, size);
			for (; place >= element + step &&
				 compare(context, place - step, spare) > 0; place -= step)
				memcpy(place, place - step, size);
			memcpy(place, spare, size);
		}
}

#endif							/* CORE_UTIL_SHELL_SORT_H */
