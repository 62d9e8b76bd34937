/*
 * targets.h
 *		What can be fuzzed.
 */
#ifndef TEST_FUZZ_TARGETS_H
#define TEST_FUZZ_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What has to be true whatever the bytes. */
#define CHECK(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* As large as the functions let ratings be. */
#define MAX_POINTS 1e12

/* A model by its name; false if there is none. */
extern bool fuzz_models_begin(const char *name);
extern void fuzz_models(const uint8_t *data, size_t size);

/* Two teams, more, and a queue. */
extern void fuzz_split(const uint8_t *data, size_t size);
extern void fuzz_split_many(const uint8_t *data, size_t size);
extern void fuzz_queue(const uint8_t *data, size_t size);

#endif							/* TEST_FUZZ_TARGETS_H */
