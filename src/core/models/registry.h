/*
 * registry.h
 *		The registry of rating models.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include "core/rating/model.h"

/* All models, in the order in which they are listed. */
extern const Model *const model_registry[];
extern const int model_count;

/* The model of that name, or NULL. */
extern const Model *model_find(const char *name);

#endif							/* REGISTRY_H */
