/*
 * registry.h
 *		The registry of rating models.
 */
#ifndef CORE_MODELS_REGISTRY_H
#define CORE_MODELS_REGISTRY_H

#include "core/rating/model.h"

/* All models, in the order in which they are listed. */
extern const Model *const model_registry[];
extern const int model_count;

/* The model of that name, or NULL. */
extern const Model *model_find(const char *name);

#endif							/* CORE_MODELS_REGISTRY_H */
