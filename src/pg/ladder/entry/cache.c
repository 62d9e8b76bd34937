/*
 * cache.c
 *		What a session keeps of the ladders that it has met.
 *
 * Relations are looked up by their fixed names once, and again after any of them
 * has changed: renamed schemas and promoted ladders show up as such changes.
 *
 * Callbacks of the server only mark what is out of date, because they can come at any
 * moment, also while a ladder is looked up or one of its plans runs.  It is freed when the
 * next ladder is opened, at the end of the transaction, or when its last user is done.
 */
#include "pg/ladder/entry/cache.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static const char *const relation_names[LADDER_NRELATIONS] = {
	"ladder", "rating", "event", "component", "component_event", "rated_match", "pending", "correction",
	"operation", "source", "attached", "event_seq", "match", "match_player",
	"horizon", "component_horizon", "standing", "rating_count", "rating_count_delta"
};

/* So many ladders keep their plans, of about half a megabyte each, in a session. */
#define MAX_KEPT_LADDERS 64

/* Look a ladder up so many times if it goes on changing meanwhile. */
#define MAX_LOOK_UPS 4

/* What is known of the ladder in a schema. */
typedef struct CacheEntry
{
	Oid			schema;			/* hash key */
	LadderCache *cache;
} CacheEntry;

static HTAB *ladder_caches = NULL;

/* Whether some of them may be invalid. */
static bool some_are_invalid = false;

/* How often the server has told of changes: to notice those during a look-up. */
static uint64 ninvalidations = 0;

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
			MemoryContextAllocZero(cache->context, room * sizeof(SPIPlanPtr));

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
 * ---- What is out of date ----
 */

/* Free a cache that nobody works with.  Called where no error may be raised. */
static void
free_cache(LadderCache *cache)
{
	const MirrorPlan *mirror;
	int			i;

	Assert(cache->users == 0);
	for (i = 0; i < cache->nplans; i++)
		if (cache->plan[i] != NULL)
			SPI_freeplan(cache->plan[i]);
	for (mirror = cache->mirror_plans; mirror != NULL; mirror = mirror->next)
		if (mirror->plan != NULL)
			SPI_freeplan(mirror->plan);
	MemoryContextDelete(cache->context);
}

/* Have the session forget a cache; it is freed now, or by its last user. */
static void
detach_cache(LadderCache *cache)
{
	(void) hash_search(ladder_caches, &cache->schema, HASH_REMOVE, NULL);
	cache->detached = true;
	if (cache->users == 0)
		free_cache(cache);
}

/* Detach those that are invalid, as dropped ladders are.  Raises no error. */
static void
detach_invalid(void)
{
	HASH_SEQ_STATUS status;
	CacheEntry *entry;

	some_are_invalid = false;
	hash_seq_init(&status, ladder_caches);
	while ((entry = hash_seq_search(&status)) != NULL)
		if (!entry->cache->valid)
			detach_cache(entry->cache);
}

/* Make room for another one: any that nobody works with has to go. */
static void
detach_unused(void)
{
	HASH_SEQ_STATUS status;
	CacheEntry *entry;

	hash_seq_init(&status, ladder_caches);
	while ((entry = hash_seq_search(&status)) != NULL)
		if (entry->cache->users == 0)
		{
			hash_seq_term(&status);
			detach_cache(entry->cache);
			break;
		}
}

/*
 * At the end of each transaction, so that an idle session keeps nothing for nobody.  What it has
 * invalidated itself goes before the commit: after that others see its renames, and look for the
 * names in caches of the server that they are told to forget only once this returns.
 */
static void
end_transaction(XactEvent event, void *arg)
{
	(void) arg;
	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT ||
		event == XACT_EVENT_PREPARE)
	{
		if (some_are_invalid)
			detach_invalid();
	}
}

/*
 * ---- Users ----
 */

/* The use of a cache, which ends with the memory context that this lives in. */
typedef struct CacheUse
{
	MemoryContextCallback callback;
	LadderCache *cache;
} CacheUse;

static void
end_use(void *arg)
{
	LadderCache *cache = ((CacheUse *) arg)->cache;

	cache->users--;
	if (cache->users == 0 && cache->detached)
		free_cache(cache);
}

/* Keep a cache in place as long as the current memory context. */
static void
begin_use(LadderCache *cache)
{
	CacheUse   *use = palloc_object(CacheUse);

	use->cache = cache;
	use->callback.func = end_use;
	use->callback.arg = use;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &use->callback);
	cache->users++;
}

/*
 * ---- Invalidation ----
 */

void
ladder_cache_outdate(LadderCache *cache)
{
	cache->valid = false;
	some_are_invalid = true;
}

/* Mark the ladder of a relation, or all ladders, as out of date. */
static void
invalidate_relation(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	CacheEntry *entry;
	int			i;

	(void) arg;
	ninvalidations++;
	hash_seq_init(&status, ladder_caches);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		for (i = 0; i < LADDER_NRELATIONS; i++)
			if (!OidIsValid(relid) || entry->cache->relation[i] == relid)
				ladder_cache_outdate(entry->cache);
		if (list_member_oid(entry->cache->touched, relid))
			ladder_cache_outdate(entry->cache);
	}
}

/* Mark the ladder in a schema, or all ladders, as out of date. */
static void
invalidate_schema(Datum arg, int cache_id, uint32 hash_value)
{
	HASH_SEQ_STATUS status;
	CacheEntry *entry;

	(void) arg;
	(void) cache_id;
	ninvalidations++;
	hash_seq_init(&status, ladder_caches);
	while ((entry = hash_seq_search(&status)) != NULL)
		if (hash_value == 0 || entry->cache->schema_hash == hash_value)
			ladder_cache_outdate(entry->cache);
}

static void
create_caches(void)
{
	HASHCTL		control = {0};

	control.keysize = sizeof(Oid);
	control.entrysize = sizeof(CacheEntry);
	ladder_caches = hash_create("skillrating ladders", MAX_KEPT_LADDERS, &control,
								HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, invalidate_schema, (Datum) 0);
	RegisterXactCallback(end_transaction, NULL);
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

/* The view that a view selects from, or InvalidOid. */
static Oid
view_below(Oid source)
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

/* Whether a view is the source of a ladder, as that of a shadow may select from it. */
static bool
is_source(Oid view)
{
	Oid			schema = get_rel_namespace(view);

	return ladder_relation_oid(schema, LADDER_SOURCE) == view &&
		OidIsValid(ladder_relation_oid(schema, LADDER_CONFIG));
}

void
ladder_check_owners(const LadderCache *cache)
{
	if (cache->foreign != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("relation %s is not owned by the owner of the ladder", cache->foreign),
				 errhint("Give all relations of a ladder to one role: ALTER TABLE %s OWNER TO %s.",
						 cache->foreign,
						 quote_identifier(GetUserNameFromId(cache->owner, false)))));
}

/* Note whose one of the ladder's relations is, or what work on that one touches too. */
static void
note_owner(LadderCache *cache, LadderRelation relation, Oid relid)
{
	if (relation_owner(relid) == cache->owner)
		return;
	cache->foreign = quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
												get_rel_name(relid));
	if (relation == LADDER_CONFIG || relation == LADDER_PENDING || relation == LADDER_ATTACHED)
		cache->notes_foreign = true;
}

static void
add_touched(LadderCache *cache, LadderRelation relation, Oid relid)
{
	/* Not every ladder has tables of matches, and a partition may be gone. */
	if (get_rel_relkind(relid) == '\0')
		return;
	cache->touched = lappend_oid(cache->touched, relid);
	note_owner(cache, relation, relid);
}

/*
 * Find what work on the ladder touches besides its relations.  The functions in the user's view
 * below source run as the ladder's owner, and so do those in the source of another ladder, below a
 * shadow's, with the policies of its tables, and triggers of partitions and of whatever else
 * inherits from a table.  One that is dropped meanwhile makes the cache invalid.
 */
static void
find_touched(LadderCache *cache)
{
	Oid			view;
	int			i;

	/* Nothing has kept the owner of views from closing a circle. */
	for (view = view_below(cache->relation[LADDER_SOURCE]);
		 OidIsValid(view) && !list_member_oid(cache->touched, view);
		 view = is_source(view) ? view_below(view) : InvalidOid)
	{
		add_touched(cache, LADDER_SOURCE, view);
		for (i = LADDER_MATCH; i <= LADDER_MATCH_PLAYER && is_source(view); i++)
			add_touched(cache, i, ladder_relation_oid(get_rel_namespace(view), i));
	}
	cache->nbelow = list_length(cache->touched);

	for (i = 0; i < LADDER_NRELATIONS; i++)
	{
		ListCell   *lc;

		if (!OidIsValid(cache->relation[i]))
			continue;
		note_owner(cache, i, cache->relation[i]);
		if (!has_subclass(cache->relation[i]))
			continue;
		foreach(lc, list_delete_first(find_all_inheritors(cache->relation[i], NoLock, NULL)))
			add_touched(cache, i, lfirst_oid(lc));
	}
}

/* Look up a ladder, all into the current memory context, which will be the cache's own. */
static LadderCache *
look_up_ladder(Oid schema, const Oid *relation)
{
	LadderCache *cache = palloc0_object(LadderCache);

	cache->schema = schema;
	cache->schema_hash = GetSysCacheHashValue1(NAMESPACEOID,
											   ObjectIdGetDatum(schema));
	cache->context = CurrentMemoryContext;
	cache->name = get_namespace_name(schema);
	memcpy(cache->relation, relation, sizeof(cache->relation));

	/*
	 * The ladder's work runs as its owner, on what these names lead to:
	 * nobody else may have put one of them there.
	 */
	cache->owner = relation_owner(cache->relation[LADDER_CONFIG]);
	find_touched(cache);

	cache->player_type = palloc_object(IdType);
	id_type_init(cache->player_type,
				 column_type(cache, LADDER_RATING, "player_id"), "player_id");
	cache->match_type = palloc_object(IdType);
	id_type_init(cache->match_type,
				 column_type(cache, LADDER_RATED_MATCH, "match_id"),
				 "match_id");
	return cache;
}

/* Look up the relations of a ladder; errors if one that all have is missing. */
static void
find_relations(Oid schema, Oid *relation)
{
	int			i;

	for (i = 0; i < LADDER_NRELATIONS; i++)
	{
		const char *name;

		relation[i] = ladder_relation_oid(schema, i);
		if (OidIsValid(relation[i]) || i >= LADDER_NREQUIRED)
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
				 errhint("SELECT skillrating.refresh_source(%s, source => ...) makes it again; then skillrating.catch_up(%s, search => true, rebuild => true) rates what came meanwhile.",
						 quote_literal_cstr(name), quote_literal_cstr(name)) :
				 errhint("Ladders are made by skillrating.create_ladder().")));
	}
}

/*
 * Make the cache of a ladder.  If anything changes while it is looked up, what was found
 * may be of before and after: it is looked up again.  What changes all the time, as under
 * debug_discard_caches, serves for this once and stays invalid.
 */
static LadderCache *
make_cache(Oid schema)
{
	LadderCache *cache = NULL;
	int			i;

	for (i = 0; i < MAX_LOOK_UPS && (cache == NULL || !cache->valid); i++)
	{
		MemoryContext context;
		MemoryContext old;
		Oid			relation[LADDER_NRELATIONS];
		uint64		before = ninvalidations;

		if (cache != NULL)
			MemoryContextDelete(cache->context);

		find_relations(schema, relation);

		/* Below the current one, so that an error frees it. */
		context = AllocSetContextCreate(CurrentMemoryContext,
										"skillrating ladder",
										ALLOCSET_SMALL_SIZES);
		old = MemoryContextSwitchTo(context);
		cache = look_up_ladder(schema, relation);
		MemoryContextSwitchTo(old);
		cache->valid = (before == ninvalidations);
	}
	return cache;
}

/* Let the session keep a cache. */
static void
keep_cache(LadderCache *cache)
{
	CacheEntry *entry;

	if (hash_get_num_entries(ladder_caches) >= MAX_KEPT_LADDERS)
		detach_unused();
	entry = hash_search(ladder_caches, &cache->schema, HASH_ENTER, NULL);
	entry->cache = cache;
	MemoryContextSetParent(cache->context, CacheMemoryContext);
	if (!cache->valid)
		some_are_invalid = true;
}

Oid
ladder_owner(Oid schema)
{
	int			i;

	/* Of a ladder that is incomplete, one relation is as good as another. */
	for (i = 0; i < LADDER_NREQUIRED; i++)
	{
		Oid			relid = ladder_relation_oid(schema, i);

		if (OidIsValid(relid))
			return relation_owner(relid);
	}
	return InvalidOid;
}

bool
ladder_owns_table(Oid relid)
{
	/* A relation that does not exist is of no kind. */
	char		kind = get_rel_relkind(relid);

	return (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE) &&
		relation_owner(relid) == ladder_owner(get_rel_namespace(relid));
}

bool
ladder_is_new(Oid schema)
{
	Oid			relid = ladder_relation_oid(schema, LADDER_CONFIG);
	Relation	relation;
	bool		is_new;

	if (!OidIsValid(relid))
		return false;
	relation = table_open(relid, AccessShareLock);
	is_new = relation->rd_createSubid != InvalidSubTransactionId;
	table_close(relation, AccessShareLock);
	return is_new;
}

LadderCache *
ladder_cache_look_up(Oid schema)
{
	LadderCache *cache;
	CacheEntry *entry;

	if (ladder_caches == NULL)
		create_caches();
	if (some_are_invalid)
		detach_invalid();
	entry = hash_search(ladder_caches, &schema, HASH_FIND, NULL);
	if (entry != NULL)
		cache = entry->cache;
	else
	{
		cache = make_cache(schema);
		keep_cache(cache);
	}
	begin_use(cache);
	return cache;
}
