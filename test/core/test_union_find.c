/*
 * test_union_find.c
 *		Numbers of sets, against counting by hand.
 */
#include "test.h"

#include "core/util/union_find.h"

#define MOST 60

/* How many members a set has. */
static int
size_of(const int32_t *root_of, int n, int root)
{
	int			size = 0;
	int			i;

	for (i = 0; i < n; i++)
		size += root_of[i] == root;
	return size;
}

/* A set's number is how many come before it, and one. */
static void
test_against_counting(void **state)
{
	Random		random = {7};
	int32_t		parent[MOST];
	int32_t		root_of[MOST];
	int32_t		number[MOST];
	int32_t		room[MOST + 1];
	int			round;

	(void) state;
	for (round = 0; round < 500; round++)
	{
		int			n = random_below(&random, MOST);
		int			nsets = 0;
		int			i,
					j;

		for (i = 0; i < n; i++)
			parent[i] = i;
		for (i = 0; i < n / 2; i++)
			union_join(parent, random_below(&random, n),
					   random_below(&random, n));
		for (i = 0; i < n; i++)
			root_of[i] = union_find(parent, i);
		for (i = 0; i < n; i++)
			if (root_of[i] % 7 == 3)
				root_of[i] = -1;
		for (i = 0; i < n; i++)
			nsets += size_of(root_of, n, i) > 0;
		assert_int_equal(union_numbers(root_of, n, number, room), nsets);
		for (i = 0; i < n; i++)
		{
			int			size = size_of(root_of, n, i);
			int			before = 0;

			for (j = 0; j < n; j++)
				before += size_of(root_of, n, j) > size - (j < i) && size_of(root_of, n, j) > 0;
			assert_int_equal(number[i], size == 0 ? 0 : before + 1);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
