/*
 * functions.c
 *		Time the functions of elementary.h against those of the C library.
 *
 * Prints for each function and way of calling how many nanoseconds a call of ours
 * and one of theirs take: "alone" where calls overlap, "in a chain" where each
 * waits for the result before it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/math/elementary.h"

#define CALLS 1000000
#define ARGUMENTS 4096

typedef double (*Function) (double x);

static double
portable_root(double x)
{
	return portable_pow(x, 1.7);
}

static double
root(double x)
{
	return pow(x, 1.7);
}

static const struct
{
	const char *name;
	Function	ours;
	Function	theirs;
	double		low,
				high;
}			functions[] = {
	{"exp", portable_exp, exp, -20, 20},
	{"exp2", portable_exp2, exp2, -20, 20},
	{"expm1", portable_expm1, expm1, -5, 5},
	{"log", portable_log, log, 0.01, 100},
	{"log1p", portable_log1p, log1p, -0.9, 5},
	{"pow", portable_root, root, 0.01, 10},
	{"erfc", portable_erfc, erfc, -4, 4},
};

/* What is computed must go somewhere, lest it be left out. */
static volatile double sink;

static double
nanoseconds(Function function, const double *argument, bool chain)
{
	struct timespec begin,
				end;
	double		sum = 0;
	int			i;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	if (chain)
		for (i = 0; i < CALLS; i++)
			sum = function(argument[i % ARGUMENTS] + 1e-100 * sum);
	else
		for (i = 0; i < CALLS; i++)
			sum += function(argument[i % ARGUMENTS]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	sink = sum;
	return ((double) (end.tv_sec - begin.tv_sec) * 1e9 +
			(double) (end.tv_nsec - begin.tv_nsec)) / CALLS;
}

int
main(void)
{
	static double argument[ARGUMENTS];
	size_t		f;
	int			i;

	for (f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
	{
		srandom(1);
		for (i = 0; i < ARGUMENTS; i++)
			argument[i] = functions[f].low + (functions[f].high - functions[f].low) *
				((double) random() / RAND_MAX);
		for (i = 0; i < 2; i++)
			printf("%s%s %.3f %.3f\n", functions[f].name, i == 0 ? "" : ",chain",
				   nanoseconds(functions[f].ours, argument, i == 1),
				   nanoseconds(functions[f].theirs, argument, i == 1));
	}
	return 0;
}
