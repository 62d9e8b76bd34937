/*
 * paired.c
 *		The difference of two forecasters who forecast the same matches.
 */
#include "core/evaluate/paired.h"

#include <math.h>

#include "core/math/sum.h"

/* So many matches make a block, but there are never more blocks than that. */
#define MIN_BLOCK 10
#define MAX_BLOCKS 40

/* Whether both have forecast the match. */
static inline int
is_pair(const double *a, const double *b, size_t match)
{
	return !isnan(a[match]) && !isnan(b[match]);
}

PairedDifference
paired_difference(const double *a, const double *b, size_t begin, size_t end)
{
	PairedDifference result = {0, NAN, NAN};
	Sum			total = {0, 0};
	double		squares = 0;
	double		block = 0;
	int64_t		nblocks;
	int64_t		seen = 0;
	size_t		match;

	for (match = begin; match < end; match++)
		if (is_pair(a, b, match))
		{
			sum_add(&total, a[match] - b[match]);
			result.matches++;
		}
	if (result.matches == 0)
		return result;
	result.mean = sum_value(&total) / (double) result.matches;
	if (result.matches < PAIRED_MIN_MATCHES)
		return result;

	nblocks = result.matches / MIN_BLOCK < MAX_BLOCKS ? result.matches / MIN_BLOCK :
		MAX_BLOCKS;
	for (match = begin; match < end; match++)
	{
		if (!is_pair(a, b, match))
			continue;
		block += a[match] - b[match] - result.mean;
		seen++;

		/* Block number i ends with pair number (i + 1) * matches / nblocks. */
		if (seen * nblocks / result.matches > (seen - 1) * nblocks / result.matches)
		{
			squares += block * block;
			block = 0;
		}
	}
	result.error = sqrt(squares * (double) nblocks / (double) (nblocks - 1)) /
		(double) result.matches;
	return result;
}
