/*
 * fuzz.c
 *		The target of a fuzzer: what the variable FUZZ_TARGET of the environment
 *		names, a model or split.
 *
 * Linked with libFuzzer this is its target; with standalone.c it reads files, or
 * makes up its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"

extern int	LLVMFuzzerInitialize(int *argc, char ***argv);
extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void (*target) (const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");

	(void) argc;
	(void) argv;
	if (name != NULL && strcmp(name, "split") == 0)
		target = fuzz_split;
	else if (name != NULL && fuzz_models_begin(name))
		target = fuzz_models;
	else
	{
		fprintf(stderr, "FUZZ_TARGET is neither a model nor split: %s\n",
				name != NULL ? name : "");
		exit(2);
	}
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target(data, size);
	return 0;
}
