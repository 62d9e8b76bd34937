/*
 * jsonb.h
 *		JSON of SQL, of which there is none in a build without a server.
 */
#include "postgres.h"
