/*
 * targets.h
 *		What can be fuzzed.
 */
#ifndef TARGETS_H
#define TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A model by its name; false if there is none. */
extern bool fuzz_models_begin(const char *name);
extern void fuzz_models(const uint8_t *data, size_t size);

/* Teams. */
extern void fuzz_split(const uint8_t *data, size_t size);

#endif							/* TARGETS_H */
