/*
 * spread.c
 *		Labels beside the places that they name, none upon another.
 */
#include "core/util/spread.h"

#include "core/util/extremes.h"

/* By insertion, which keeps the order of equal ones. */
static void
sort_places(SpreadPlace *place, int n)
{
	int			i,
				j;

	for (i = 1; i < n; i++)
	{
		SpreadPlace next = place[i];

		for (j = i; j > 0 && place[j - 1].place > next.place; j--)
			place[j] = place[j - 1];
		place[j] = next;
	}
}

/* The mean of the places of a block, each less its number in order times gap. */
static double
block_mean(const SpreadPlace *place, int from, int to, double gap)
{
	double		sum = 0;
	int			i;

	for (i = from; i < to; i++)
		sum += place[i].place - i * gap;
	return sum / (to - from);
}

void
spread_places(SpreadPlace *place, int n, double gap, double low, double high)
{
	int			blocks = 0;
	int			end = n;
	int			i;

	sort_places(place, n);

	/* A block joins the one above it while their means descend. */
	for (i = 0; i < n; i++)
	{
		int			last = i + 1;

		place[blocks++].first = i;
		while (blocks > 1 &&
			   block_mean(place, place[blocks - 2].first, place[blocks - 1].first, gap) >
			   block_mean(place, place[blocks - 1].first, last, gap))
			blocks--;
	}

	/* From the last block to the first, because a block is read before it is moved. */
	while (blocks-- > 0)
	{
		double		mean = block_mean(place, place[blocks].first, end, gap);

		mean = larger(smaller(mean, high - (n - 1) * gap), low);
		for (i = place[blocks].first; i < end; i++)
			place[i].place = mean + i * gap;
		end = place[blocks].first;
	}
}
