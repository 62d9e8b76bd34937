/*
 * varatt.h
 *		Values of variable length, see postgres.h.
 */
#include "postgres.h"
