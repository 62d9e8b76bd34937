/*
 * shmem.h
 *		mul_size(), see postgres.h.
 */
#include "postgres.h"
