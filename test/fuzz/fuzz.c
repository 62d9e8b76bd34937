/*
 * fuzz.c
 *		The target of a fuzzer: what the variable FUZZ_TARGET of the environment
 *		names, a model or one of those below.
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

static const struct
{
	const char *name;
	void		(*target) (const uint8_t *data, size_t size);
}			targets[] = {
	{"split", fuzz_split},
	{"split_many", fuzz_split_many},
	{"queue", fuzz_queue},
};

static void (*target) (const uint8_t *data, size_t size);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ_TARGET");
	size_t		i;

	(void) argc;
	(void) argv;
	for (i = 0; i < sizeof(targets) / sizeof(targets[0]) && name != NULL; i++)
		if (strcmp(name, targets[i].name) == 0)
			target = targets[i].target;
	if (target == NULL && name != NULL && fuzz_models_begin(name))
		target = fuzz_models;
	if (target == NULL)
	{
		fprintf(stderr, "FUZZ_TARGET is no target: %s\n", name != NULL ? name : "");
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
