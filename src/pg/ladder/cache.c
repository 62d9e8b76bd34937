/*
 * cache.c
 *		What a session keeps of the ladders that it has met.
 *
 * Relations are looked up by their fixed names once, and again after any of them
 * has changed: renamed schemas and swapped ladders show up as such changes.
 */
#include "pg/ladder/cache.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "pg/ladder/shape.h"

static const char *const relation_names[LADDER_NRELATIONS] = {
	"ladder", "rating", "event", "rated_match", "pending", "correction",
	"operation", "source", "attached", "event_seq"
};

static HTAB *ladder_caches = NULL;

Oid
ladder_relation_oid(Oid schema, LadderRelation relation)
{
	return get_relname_relid(relation_names[relation], schema);
}

const char *
ladder_relation_name(LadderRelation relation)
{
	return relation_names[relation];
}

LadderRelation
ladder_relation_named(const char *name)
{
	int			i;

	for (i = 0; i < LADDER_NRELATIONS; i++)
		if (strcmp(name, relation_names[i]) == 0)
			break;
	return (LadderRelation) i;
}

char *
ladder_relation_sql(const LadderCache *cache, LadderRelation relation)
{
	return quote_qualified_identifier(cache->name, relation_names[relation]);
}

/*
 * ---- Plans ----
 */

void
ladder_cache_keep_plan(LadderCache *cache, int slot, SPIPlanPtr plan)
{
	if (slot >= cache->nplans)
	{
		int			room = Max(2 * cache->nplans, slot + 16);
		SPIPlanPtr *grown = (SPIPlanPtr *)
			MemoryContextAllocZero(CacheMemoryContext, room * sizeof(SPIPlanPtr));

		if (cache->nplans > 0)
		{
			memcpy(grown, cache->plan, cache->nplans * sizeof(SPIPlanPtr));
			pfree(cache->plan);
		}
		cache->plan = grown;
		cache->nplans = room;
	}

	/* There is room now, so that nothing can fail once the plan is kept. */
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");
	cache->plan[slot] = plan;
}

/*
 * Plans that are out of date may be running at this moment, further up the
 * stack, and so may work on what the context holds: all is freed with the
 * transaction.
 */
typedef struct RetiredPlans
{
	MemoryContextCallback callback;
	SPIPlanPtr *plan;
	int			nplans;
	MemoryContext context;
} RetiredPlans;

static void
free_retired_plans(void *arg)
{
	RetiredPlans *retired = (RetiredPlans *) arg;
	int			i;

	for (i = 0; i < retired->nplans; i++)
		if (retired->plan[i] != NULL)
			SPI_freeplan(retired->plan[i]);
	if (retired->plan != NULL)
		pfree(retired->plan);
	MemoryContextDelete(retired->context);
}

static void
retire_plans(LadderCache *cache)
{
	RetiredPlans *retired = MemoryContextAlloc(TopTransactionContext,
											   sizeof(RetiredPlans));

	retired->plan = cache->plan;
	retired->nplans = cache->nplans;
	retired->context = cache->context;
	retired->callback.func = free_retired_plans;
	retired->callback.arg = retired;
	MemoryContextRegisterResetCallback(TopTransactionContext,
									   &retired->callback);
	cache->plan = NULL;
	cache->nplans = 0;
	cache->context = NULL;
}

/*
 * ---- Invalidation ----
 */

/* Mark the ladder of a relation, or all ladders, as out of date. */
static void
invalidate_ladders(Oid relid)
{
	HASH_SEQ_STATUS status;
	LadderCache *cache;
	int			i;

	hash_seq_init(&status, ladder_caches);
	while ((cache = hash_seq_search(&status)) != NULL)
		for (i = 0; i < LADDER_NRELATIONS; i++)
			if (!OidIsValid(relid) || cache->relation[i] == relid)
				cache->valid = false;
}

static void
invalidate_relation(Datum arg, Oid relid)
{
	(void) arg;
	invalidate_ladders(relid);
}

static void
invalidate_schema(Datum arg, int cache_id, uint32 hash_value)
{
	(void) arg;
	(void) cache_id;
	(void) hash_value;
	invalidate_ladders(InvalidOid);
}

static void
create_caches(void)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(LadderCache);
	ladder_caches = hash_create("skillrating ladders", 16, &control,
								HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, invalidate_schema, (Datum) 0);
}

/*
 * ---- Look-up ----
 */

static Oid
relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* The type of a column of one of the ladder's tables. */
static Oid
column_type(const LadderCache *cache, LadderRelation relation,
			const char *column)
{
	Oid			relid = cache->relation[relation];
	AttrNumber	attnum = get_attnum(relid, column);

	if (attnum == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table %s has no column \"%s\"",
						ladder_relation_sql(cache, relation), column)));
	return get_atttype(relid, attnum);
}

/*
 * The view of the user that source selects from, if it is one.
 */
static Oid
underlying_view(Oid source)
{
	Relation	relation = table_open(source, AccessShareLock);
	Oid			view = InvalidOid;
	ListCell   *lc;

	if (relation->rd_rel->relkind == RELKIND_VIEW)
	{
		foreach(lc, get_view_query(relation)->rtable)
		{
			RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

			if (entry->rtekind == RTE_RELATION && entry->relid != source &&
				get_rel_relkind(entry->relid) == RELKIND_VIEW)
				view = entry->relid;
		}
	}
	table_close(relation, AccessShareLock);
	return view;
}

/*
 * The functions in a view run with the rights of who reads it.  A view that has
 * become another role's could be replaced by it.
 */
static void
check_view_owner(const LadderCache *cache)
{
	if (OidIsValid(cache->view) && relation_owner(cache->view) != cache->owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("source view \"%s\" of ladder \"%s\" belongs to another role",
						get_rel_name(cache->view), cache->name),
				 errhint("Whoever owns a ladder must own its source view.")));
}

static void
fill_cache(LadderCache *cache, const Oid *relation)
{
	MemoryContext old;
	int			i;

	if (cache->context != NULL)
		retire_plans(cache);
	cache->context = AllocSetContextCreate(CacheMemoryContext,
										   "skillrating ladder",
										   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(cache->context);
	cache->name = get_namespace_name(cache->schema);
	memcpy(cache->relation, relation, sizeof(cache->relation));

	/*
	 * The ladder's work runs as its owner, on what these names lead to:
	 * nobody else may have put one of them there.
	 */
	cache->owner = relation_owner(cache->relation[LADDER_CONFIG]);
	for (i = 0; i < LADDER_NRELATIONS; i++)
		if (relation_owner(cache->relation[i]) != cache->owner)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("relation %s is not owned by the owner of the ladder",
							ladder_relation_sql(cache, i)),
					 errhint("Give all relations of a ladder to one role.")));

	cache->view = underlying_view(cache->relation[LADDER_SOURCE]);

	cache->player_type = palloc_object(IdType);
	id_type_init(cache->player_type,
				 column_type(cache, LADDER_RATING, "player_id"), "player_id");
	cache->match_type = palloc_object(IdType);
	id_type_init(cache->match_type,
				 column_type(cache, LADDER_RATED_MATCH, "match_id"),
				 "match_id");
	MemoryContextSwitchTo(old);
	check_ladder_shape(cache);
	cache->model = NULL;
	cache->valid = true;
}

/* Look up the relations of a ladder; errors if one is missing. */
static void
find_relations(Oid schema, Oid *relation)
{
	int			i;

	for (i = 0; i < LADDER_NRELATIONS; i++)
	{
		const char *name;

		relation[i] = ladder_relation_oid(schema, i);
		if (OidIsValid(relation[i]))
			continue;
		name = get_namespace_name(schema);
		if (name == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("ladder was dropped by another transaction")));
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("ladder \"%s\" has no relation \"%s\"", name,
						relation_names[i]),
				 i == LADDER_SOURCE ?
				 errhint("SELECT skillrating.refresh_source(%s, source => ...) makes it again.",
						 quote_literal_cstr(name)) :
				 errhint("Ladders are made by skillrating.create_ladder().")));
	}
}

/*
 * Lock the relations of a ladder, ladder first, as whoever changes them does.  While
 * we wait for a lock others may put another relation in the place of this one: then
 * all is looked up again, as RangeVarGetRelid() does.
 */
static void
lock_relations(Oid schema, LOCKMODE lockmode, Oid *relation)
{
	Oid			again[LADDER_NRELATIONS];
	int			i;

	find_relations(schema, relation);
	for (;;)
	{
		uint64		invalidations = SharedInvalidMessageCounter;

		for (i = 0; i < LADDER_NRELATIONS; i++)
			LockRelationOid(relation[i], i == LADDER_CONFIG ? lockmode :
							AccessShareLock);
		if (invalidations == SharedInvalidMessageCounter)
			return;
		find_relations(schema, again);
		if (memcmp(relation, again, sizeof(again)) == 0)
			return;
		for (i = 0; i < LADDER_NRELATIONS; i++)
			UnlockRelationOid(relation[i], i == LADDER_CONFIG ? lockmode :
							  AccessShareLock);
		memcpy(relation, again, sizeof(again));
	}
}

LadderCache *
ladder_cache_open(Oid schema, LOCKMODE lockmode)
{
	Oid			relation[LADDER_NRELATIONS];
	LadderCache *cache;
	bool		found;

	if (ladder_caches == NULL)
		create_caches();
	lock_relations(schema, lockmode, relation);
	cache = hash_search(ladder_caches, &schema, HASH_ENTER, &found);
	if (!found)
	{
		memset(cache, 0, sizeof(LadderCache));
		cache->schema = schema;
	}
	if (!cache->valid ||
		memcmp(relation, cache->relation, sizeof(relation)) != 0)
		fill_cache(cache, relation);
	check_view_owner(cache);
	return cache;
}
