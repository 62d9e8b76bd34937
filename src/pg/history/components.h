/*
 * components.h
 *		Numbers of components: players who are connected by matches.
 */
#ifndef PG_HISTORY_COMPONENTS_H
#define PG_HISTORY_COMPONENTS_H

#include "pg/sql/glue.h"

/*
 * By the player who stands for it, the number of each component from 1 on, the
 * largest first: root_of has that player for each of n, or -1 for those who are in
 * none.
 */
extern int32 *component_numbers(const int32 *root_of, int32 n, int *ncomponents);

#endif							/* PG_HISTORY_COMPONENTS_H */
