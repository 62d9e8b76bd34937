/*
 * cache.h
 *		What a session keeps of the ladders that it has met.
 */
#ifndef PG_LADDER_CACHE_H
#define PG_LADDER_CACHE_H

#include "pg/sql/glue.h"

#include "executor/spi.h"

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
 * The ladder in a schema, up to date.  The caller holds a lock on the schema, so that
 * no swap puts other relations in their places; plans.c notices what else does.
 * Errors if one of the relations is missing or another role's, or has not the columns
 * that it should have, see shape.h.
 */
extern LadderCache *ladder_cache_open(Oid schema);

/*
 * Look again whether the relations of a ladder are those that it was opened with, and
 * have the columns that they should have, if anything has changed: code of the user
 * that ran meanwhile may have altered them.  Error 40001 or those of
 * ladder_cache_open().
 */
extern void ladder_cache_recheck(const Ladder *ladder);

/* The owner of the ladder in a schema, or InvalidOid if there is none. */
extern Oid	ladder_owner(Oid schema);

/*
 * Keep a plan, which SPI has prepared, in a slot: from here on it is the cache's.  If
 * that fails the plan is still SPI's, which frees it.
 */
extern void ladder_cache_keep_plan(LadderCache *cache, int slot, SPIPlanPtr plan);

/* One of the relations in a schema, or InvalidOid. */
extern Oid	ladder_relation_oid(Oid schema, LadderRelation relation);

/* The relation of that name, or LADDER_NRELATIONS. */
extern LadderRelation ladder_relation_named(const char *name);

/* A relation of a ladder as SQL text, by what its schema is called now. */
extern char *ladder_relation_sql(const LadderCache *cache, LadderRelation relation);

#endif							/* PG_LADDER_CACHE_H */
