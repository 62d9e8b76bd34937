/*
 * standalone.c
 *		Runs a fuzz target without a fuzzer: on files, or on bytes made up.
 *
 *	fuzz FILE ...
 *	fuzz -n COUNT
 *
 * The bytes made up are the same in every run.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int	LLVMFuzzerInitialize(int *argc, char ***argv);
extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_SIZE 4096

static uint8_t buffer[MAX_SIZE];

/* SplitMix64, as in the unit tests. */
static uint64_t
random_bits(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

static void
run_random(long count)
{
	uint64_t	state = 1;
	long		i;

	for (i = 0; i < count; i++)
	{
		size_t		size = 64 + random_bits(&state) % 1000;
		size_t		at;

		for (at = 0; at < size; at += sizeof(uint64_t))
		{
			uint64_t	bits = random_bits(&state);

			memcpy(buffer + at, &bits, sizeof(bits));
		}
		LLVMFuzzerTestOneInput(buffer, size);
	}
}

static void
run_file(const char *name)
{
	FILE	   *file = fopen(name, "rb");
	size_t		size;

	if (file == NULL)
	{
		perror(name);
		exit(2);
	}
	size = fread(buffer, 1, sizeof(buffer), file);
	fclose(file);
	LLVMFuzzerTestOneInput(buffer, size);
}

int
main(int argc, char **argv)
{
	int			i;

	LLVMFuzzerInitialize(&argc, &argv);
	if (argc == 3 && strcmp(argv[1], "-n") == 0)
		run_random(atol(argv[2]));
	else
		for (i = 1; i < argc; i++)
			run_file(argv[i]);
	return 0;
}
