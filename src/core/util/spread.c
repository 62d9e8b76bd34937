/*
 * spread.c
 *		Labels beside the places that they name, none upon another.
 */
#include "core/util/spread.h"

#include "core/util/extremes.h"

/* The mean of the places of a block, each less its number in order times gap. */
static double
block_mean(const double *place, int from, int to, double gap)
{
	double		sum = 0;
	int			i;

	for (i = from; i < to; i++)
		sum += place[i] - i * gap;
	return sum / (to - from);
}

void
spread_places(double *place, int n, double gap, double low, double high, int *first)
{
	int			blocks = 0;
	int			end = n;
	int			i;

	/* A block joins the one above it while their means descend. */
	for (i = 0; i < n; i++)
	{
		int			last = i + 1;

		first[blocks++] = i;
		while (blocks > 1 &&
			   block_mean(place, first[blocks - 2], first[blocks - 1], gap) >
			   block_mean(place, first[blocks - 1], last, gap))
			blocks--;
	}

	/* From the last block to the first, because a block is read before it is moved. */
	while (blocks-- > 0)
	{
		double		mean = block_mean(place, first[blocks], end, gap);

		mean = larger(smaller(mean, high - (n - 1) * gap), low);
		for (i = first[blocks]; i < end; i++)
			place[i] = mean + i * gap;
		end = first[blocks];
	}
}
