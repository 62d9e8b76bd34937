/*
 * components.c
 *		Numbers of components: players who are connected by matches.
 */
#include "pg/history/components.h"

typedef struct Component
{
	int32		root;
	int32		size;
} Component;

static int
compare_components(const void *a, const void *b, void *arg)
{
	const Component *x = (const Component *) a;
	const Component *y = (const Component *) b;

	(void) arg;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->root > y->root) - (x->root < y->root);
}

int32 *
component_numbers(const int32 *root_of, int32 n, int *ncomponents)
{
	int32	   *number = huge_array0(int32, n);
	Component  *component;
	int			count = 0;
	int32		i;

	/* First how many there are of each, then its number. */
	for (i = 0; i < n; i++)
		if (root_of[i] >= 0 && number[root_of[i]]++ == 0)
			count++;
	component = huge_array(Component, count);
	count = 0;
	for (i = 0; i < n; i++)
		if (number[i] > 0)
			component[count++] = (Component)
		{
			i, number[i]
		};
	qsort_interruptible(component, count, sizeof(Component), compare_components,
						NULL);
	for (i = 0; i < count; i++)
		number[component[i].root] = i + 1;
	pfree(component);
	*ncomponents = count;
	return number;
}
