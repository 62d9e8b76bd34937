/*
 * union_find.c
 *		Who is connected with whom.
 */
#include "core/util/union_find.h"

#include <string.h>

int32_t
union_numbers(const int32_t *root_of, int32_t n, int32_t *number, int32_t *room)
{
	int32_t		next = 1;
	int32_t		size;
	int32_t		i;

	memset(number, 0, (size_t) n * sizeof(int32_t));
	memset(room, 0, ((size_t) n + 1) * sizeof(int32_t));

	/* First how many members there are of each set, and how many sets of each size. */
	for (i = 0; i < n; i++)
		if (root_of[i] >= 0)
			number[root_of[i]]++;
	for (i = 0; i < n; i++)
		if (number[i] > 0)
			room[number[i]]++;

	/* Then the first number of each size, and the next one. */
	for (size = n; size > 0; size--)
	{
		int32_t		nsets = room[size];

		room[size] = next;
		next += nsets;
	}
	for (i = 0; i < n; i++)
		if (number[i] > 0)
			number[i] = room[number[i]]++;
	return next - 1;
}
