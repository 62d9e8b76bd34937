/*
 * cache.h
 *		What a session keeps of the ladders that it has met.
 */
#ifndef PG_LADDER_CACHE_H
#define PG_LADDER_CACHE_H

#include "pg/sql/glue.h"

#include "executor/spi.h"
#include "storage/lockdefs.h"

#include "pg/ladder/ladder.h"

/*
 * A ladder as the catalogs have it, and the plans of its queries by the slots
 * that plans.c hands out.  Any change to one of its relations makes it invalid;
 * the next ladder_cache_open() fills it again, in a new context.  The name, types
 * and plans that were handed out before stay good to the end of the transaction.
 */
typedef struct LadderCache
{
	Oid			schema;			/* hash key */
	bool		valid;
	MemoryContext context;		/* of names and types */
	Oid			relation[LADDER_NRELATIONS];
	Oid			owner;
	Oid			view;			/* of the user, that the source is made of */
	char	   *name;
	IdType	   *player_type;	/* in the context, as the name */
	IdType	   *match_type;
	SPIPlanPtr *plan;			/* NULL where none is kept */
	int			nplans;			/* room in this array */
	const Model *model;			/* whose state columns were found in order */
} LadderCache;

/*
 * The ladder in a schema, up to date, with the given lock on its table ladder and
 * AccessShareLock on its other relations, all to the end of the transaction: until
 * then they are what was found here.  Errors if one of the relations is missing or
 * another role's, or has not the columns that it should have, see shape.h.
 */
extern LadderCache *ladder_cache_open(Oid schema, LOCKMODE lockmode);

/*
 * Keep a plan, which SPI has prepared, in a slot: from here on it is the cache's.  If
 * that fails the plan is still SPI's, which frees it.
 */
extern void ladder_cache_keep_plan(LadderCache *cache, int slot, SPIPlanPtr plan);

/* One of the relations in a schema, or InvalidOid. */
extern Oid	ladder_relation_oid(Oid schema, LadderRelation relation);

/* The name that a relation has in every ladder. */
extern const char *ladder_relation_name(LadderRelation relation);

/* The relation of that name, or LADDER_NRELATIONS. */
extern LadderRelation ladder_relation_named(const char *name);

/* A relation of a ladder as SQL text, by what its schema is called now. */
extern char *ladder_relation_sql(const LadderCache *cache, LadderRelation relation);

#endif							/* PG_LADDER_CACHE_H */
