/*
 * catalogue_functions.h
 *		The registry of rating models, as SQL sees it.
 */
#ifndef PG_FORMULAS_CATALOGUE_FUNCTIONS_H
#define PG_FORMULAS_CATALOGUE_FUNCTIONS_H

/* The most words of a set of ModelSupport. */
#define MAX_SUPPORT_NAMES 32

/* The words of such a set into name, in the order of its bits; returns how many. */
extern int	support_words(unsigned supports, const char **name);

#endif							/* PG_FORMULAS_CATALOGUE_FUNCTIONS_H */
