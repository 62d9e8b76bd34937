/*
 * registry.c
 *		The registry of rating models.
 *
 * A new model adds one line to REGISTRY.
 */
#include "core/models/registry.h"

#include <string.h>

/* The models by name, each NAME_model in a file of its own, as listed. */
#define REGISTRY(MODEL) \
	MODEL(elo) \
	MODEL(elo_mmr) \
	MODEL(frag) \
	MODEL(glicko) \
	MODEL(glicko2) \
	MODEL(hive) \
	MODEL(state_space) \
	MODEL(synelo) \
	MODEL(trueskill) \
	MODEL(trueskill2) \
	MODEL(weng_lin)

#define DECLARE(name) extern const Model name##_model;
#define REFER(name) &name##_model,

REGISTRY(DECLARE)

const Model *const model_registry[] = {
	REGISTRY(REFER)
};

const int	model_count = sizeof(model_registry) / sizeof(model_registry[0]);

const Model *
model_find(const char *name)
{
	int			i;

	for (i = 0; i < model_count; i++)
		if (strcmp(model_registry[i]->name, name) == 0)
			return model_registry[i];
	return NULL;
}
