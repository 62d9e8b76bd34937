/*
 * cache.h
 *		What a session keeps of the ladders that it has met.
 */
#ifndef PG_LADDER_ENTRY_CACHE_H
#define PG_LADDER_ENTRY_CACHE_H

#include "pg/sql/glue.h"

#include "executor/spi.h"

#include "pg/ladder/entry/ladder.h"

/* The row of a ladder, in the version that was read last; see config.h. */
typedef struct LadderConfig
{
	bool		known;			/* the rest is of use */
	ItemPointerData tid;
	TransactionId xmin;
	const Model *model;
	ParamValue *params;			/* in the context of the cache */
	SourceColumns unused;
	ApplyAt		apply_at;
	bool		reorders;
	bool		strict;
	bool		raises;
	int64		horizon;
	TimestampTz horizon_at;
} LadderConfig;

/* The plan of the statement that writes ratings to a table of the user, see mirrors.c. */
typedef struct MirrorPlan
{
	struct MirrorPlan *next;
	char	   *what;			/* all that the statement is made from */
	SPIPlanPtr	plan;			/* NULL if there is nothing to write */
} MirrorPlan;

/*
 * A ladder as the catalogs had it when this was made, and the plans of its queries by
 * the slots that plans.c hands out; all of it lives in one memory context.
 *
 * Nothing of this is ever looked up again.  Any change to one of the ladder's relations, to what
 * work on them touches too, or to its schema makes it invalid, and the next ladder_cache_open()
 * makes a successor.  Whoever is still at work with an invalid one keeps it until done: plans may be
 * running, and names and types have been handed out.
 */
typedef struct LadderCache
{
	Oid			schema;
	uint32		schema_hash;	/* of the schema in the system cache */
	bool		valid;
	bool		checked;		/* its tables have the shape that they should have */
	bool		detached;		/* the session knows it no more: free it after
								 * use */
	int			users;			/* open ladders that work with it */
	MemoryContext context;		/* of all that this leads to */
	Oid			relation[LADDER_NRELATIONS];
	List	   *touched;		/* OIDs of what else work on them touches: so many */
	int			nbelow;			/* below the source, then what inherits */
	Oid			owner;
	char	   *foreign;		/* a relation of another role's, or NULL; */
	bool		notes_foreign;	/* one that matches are noted down by */
	char	   *name;
	IdType	   *player_type;	/* in the context, as the name */
	IdType	   *match_type;
	SPIPlanPtr *plan;			/* NULL where none is kept */
	int			nplans;			/* room in this array */
	MirrorPlan *mirror_plans;	/* a list */
	const Model *model;			/* whose state columns were found in order */
	LadderConfig config;
	bool		triggers_present;	/* ladder_require_own_triggers() was
									 * satisfied */
	bool		pending_safe;	/* nothing of the user's runs when rows come
								 * into pending */
	TupleDesc	desc[LADDER_NRELATIONS];	/* of rows to be written, or NULL, */
	const Model *desc_model;	/* and the model that they are of */
	bool		newcomers;		/* the last batch had players without a row,
								 * and so may the next one */
} LadderCache;

/*
 * The ladder in a schema, up to date, for ladder_cache_open() of shape.h alone: nobody has looked
 * at the columns of its tables.
 */
extern LadderCache *ladder_cache_look_up(Oid schema);

/*
 * Error 42501 unless all that work on a ladder touches, the user's view below its source too, belongs
 * to its owner, so that foreign is NULL.  The work runs as the owner, and with it any code that
 * hangs on a relation: without this nothing but what its entry bears may be touched.
 */
extern void ladder_check_owners(const LadderCache *cache);

/* Have everything looked up and planned anew by whoever opens the ladder from now on. */
extern void ladder_cache_outdate(LadderCache *cache);

/* Whether this transaction has made the ladder in a schema. */
extern bool ladder_is_new(Oid schema);

/* The owner of the ladder in a schema, or InvalidOid if it has none of the relations. */
extern Oid	ladder_owner(Oid schema);

/*
 * Keep a plan, which SPI has prepared, in a slot: from here on it is the cache's.  If
 * that fails the plan is still SPI's, which frees it.
 */
extern void ladder_cache_keep_plan(LadderCache *cache, int slot, SPIPlanPtr plan);

/*
 * Whether a relation, or InvalidOid, is a table of the owner of the ladder in its schema.  Another
 * role can have put a table there that not every ladder has, whose triggers would run as the
 * ladder's owner; a cache can be older than such a table, so that this is asked before each use.
 */
extern bool ladder_owns_table(Oid relid);

/* One of the relations in a schema, or InvalidOid. */
extern Oid	ladder_relation_oid(Oid schema, LadderRelation relation);

/* The name that a relation has in every ladder. */
extern const char *ladder_relation_name(LadderRelation relation);

/* The relation of that name, or LADDER_NRELATIONS. */
extern LadderRelation ladder_relation_named(const char *name);

/* A relation of a ladder as SQL text, by what its schema is called now. */
extern char *ladder_relation_sql(const LadderCache *cache, LadderRelation relation);

#endif							/* PG_LADDER_ENTRY_CACHE_H */
