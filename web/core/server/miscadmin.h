/*
 * miscadmin.h
 *		Interrupts, of which there are none in a build without a server.
 */
#include "postgres.h"
