/*
 * catalog.c
 *		What the catalogs say of relations, types and rights, and nodes of query trees.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "rewrite/rewriteHandler.h"
#include "storage/predicate.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/sql/subtransaction.h"

/*
 * ---- Relations ----
 */

bool
has_subclass(Oid relationId)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relationId));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relationId);
	result = ((Form_pg_class) GETSTRUCT(tuple))->relhassubclass;
	ReleaseSysCache(tuple);
	return result;
}

Relation
try_table_open(Oid relationId, LOCKMODE lockmode)
{
	Relation	relation = try_relation_open(relationId, lockmode);

	if (relation != NULL &&
		(relation->rd_rel->relkind == RELKIND_INDEX ||
		 relation->rd_rel->relkind == RELKIND_PARTITIONED_INDEX ||
		 relation->rd_rel->relkind == RELKIND_COMPOSITE_TYPE))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot open relation \"%s\"", RelationGetRelationName(relation))));
	return relation;
}

bool
SearchSysCacheExistsAttName(Oid relid, const char *attname)
{
	HeapTuple	tuple = SearchSysCacheAttName(relid, attname);

	if (!HeapTupleIsValid(tuple))
		return false;
	ReleaseSysCache(tuple);
	return true;
}

/* The rule that makes a relation a view has nothing but the view's query. */
Query *
get_view_query(Relation view)
{
	int			i;

	for (i = 0; view->rd_rules != NULL && i < view->rd_rules->numLocks; i++)
	{
		RewriteRule *rule = view->rd_rules->rules[i];

		if (rule->event == CMD_SELECT && list_length(rule->actions) == 1)
			return linitial_node(Query, rule->actions);
	}
	elog(ERROR, "view \"%s\" has no query", RelationGetRelationName(view));
	return NULL;
}

/* A list of expressions in a column of an index's row in pg_index. */
static List *
index_nodes(Relation index, AttrNumber column)
{
	static TupleDesc desc = NULL;
	Datum		nodes;
	bool		isnull;

	if (index->rd_indextuple == NULL)
		return NIL;
	if (desc == NULL)
	{
		Relation	pg_index = table_open(IndexRelationId, AccessShareLock);
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		desc = CreateTupleDescCopy(RelationGetDescr(pg_index));
		MemoryContextSwitchTo(old);
		table_close(pg_index, AccessShareLock);
	}
	nodes = heap_getattr(index->rd_indextuple, column, desc, &isnull);
	return isnull ? NIL : (List *) stringToNode(TextDatumGetCString(nodes));
}

List *
RelationGetIndexExpressions(Relation relation)
{
	return index_nodes(relation, Anum_pg_index_indexprs);
}

/* Asked for only to see whether an index has one. */
List *
RelationGetIndexPredicate(Relation relation)
{
	Node	   *predicate = (Node *) index_nodes(relation, Anum_pg_index_indpred);

	return predicate == NULL || IsA(predicate, List) ? (List *) predicate : list_make1(predicate);
}

/* Options of operator classes, as they are written: they are compared, and nothing else. */
bytea **
RelationGetIndexAttOptions(Relation relation, bool copy)
{
	int			natts = RelationGetNumberOfAttributes(relation);
	bytea	  **options = palloc0_array(bytea *, natts);
	int			i;

	(void) copy;
	for (i = 0; i < natts; i++)
	{
		HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(relation)),
											Int16GetDatum(i + 1));
		Datum		value;
		bool		isnull;

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for attribute %d of relation %u", i + 1,
				 RelationGetRelid(relation));
		value = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attoptions, &isnull);
		if (!isnull)
			options[i] = (bytea *) PG_DETOAST_DATUM_COPY(value);
		ReleaseSysCache(tuple);
	}
	return options;
}

/* What this sets matters only where wal_level is minimal, which it is not in PGlite. */
void
RelationAssumeNewRelfilelocator(Relation relation)
{
	(void) relation;
}

/* Nobody else is in a transaction. */
void
CheckTableForSerializableConflictIn(Relation relation)
{
	(void) relation;
}

void
TransferPredicateLocksToHeapRelation(Relation relation)
{
	(void) relation;
}

/* Sessions forget what they know of a relation whose row in pg_class has a new version. */
void
CacheInvalidateRelcacheByRelid(Oid relid)
{
	Relation	pg_class = table_open(RelationRelationId, RowExclusiveLock);
	HeapTuple	tuple = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(relid));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	CatalogTupleUpdate(pg_class, &tuple->t_self, tuple);
	heap_freetuple(tuple);
	table_close(pg_class, RowExclusiveLock);
	CommandCounterIncrement();
}

static bool
has_no_pending_event(void *arg)
{
	CheckTableNotInUse((Relation) arg, "ATTACH PARTITION");
	return true;
}

/* Asked of a table that is open once, of which the server can only say that it is not in use. */
bool
AfterTriggerPendingOnRel(Oid relid)
{
	Relation	relation = RelationIdGetRelation(relid);
	bool		unused;

	/* The caller's reference keeps it open. */
	RelationClose(relation);
	(void) try_in_subtransaction(has_no_pending_event, relation, &unused);
	return !unused;
}

/*
 * ---- Partitions ----
 *
 * The planner has the cache of relations make what is not there yet.
 */

static void
plan_partitions(Relation relation)
{
	char	   *sql = psprintf("SELECT 1 FROM %s",
							   quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
														  RelationGetRelationName(relation)));
	RawStmt    *statement = linitial_node(RawStmt, pg_parse_query(sql));
	Query	   *query = parse_analyze_fixedparams(statement, sql, NULL, 0, NULL);

	PushActiveSnapshot(GetTransactionSnapshot());
	(void) pg_plan_query(query, sql, 0, NULL);
	PopActiveSnapshot();
}

PartitionKey
RelationGetPartitionKey(Relation rel)
{
	if (rel->rd_rel->relkind == RELKIND_PARTITIONED_TABLE && rel->rd_partkey == NULL)
		plan_partitions(rel);
	return rel->rd_partkey;
}

/* Partitions that are being detached, which only another session can see, make no difference. */
PartitionDesc
RelationGetPartitionDesc(Relation rel, bool omit_detached)
{
	(void) omit_detached;
	if (rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return NULL;
	if (rel->rd_partdesc == NULL)
		plan_partitions(rel);
	return rel->rd_partdesc;
}

/* How a bound of ranges by one column compares with a value. */
static int
compare_bound(FmgrInfo *partsupfunc, Oid *partcollation, PartitionBoundInfo boundinfo, int i,
			  Datum value)
{
	if (boundinfo->kind[i][0] == PARTITION_RANGE_DATUM_MINVALUE)
		return -1;
	if (boundinfo->kind[i][0] == PARTITION_RANGE_DATUM_MAXVALUE)
		return 1;
	return DatumGetInt32(FunctionCall2Coll(&partsupfunc[0], partcollation[0],
										   boundinfo->datums[i][0], value));
}

int
partition_range_datum_bsearch(FmgrInfo *partsupfunc, Oid *partcollation,
							  PartitionBoundInfo boundinfo, int nvalues, Datum *values,
							  bool *is_equal)
{
	int			low = -1;
	int			high = boundinfo->ndatums - 1;

	if (nvalues != 1)
		elog(ERROR, "a bound has %d columns", nvalues);
	*is_equal = false;
	while (low < high)
	{
		int			middle = (low + high + 1) / 2;
		int			order = compare_bound(partsupfunc, partcollation, boundinfo, middle,
										  values[0]);

		if (order <= 0)
		{
			low = middle;
			*is_equal = (order == 0);
			if (*is_equal)
				break;
		}
		else
			high = middle - 1;
	}
	return low;
}

/*
 * ---- Types ----
 */

bool
get_collation_isdeterministic(Oid colloid)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(colloid));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", colloid);
	result = ((Form_pg_collation) GETSTRUCT(tuple))->collisdeterministic;
	ReleaseSysCache(tuple);
	return result;
}

static Oid
range_column(int cache, Oid type, bool collation)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(type));
	Form_pg_range range;
	Oid			result = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		range = (Form_pg_range) GETSTRUCT(tuple);
		result = collation ? range->rngcollation : range->rngtypid;
		ReleaseSysCache(tuple);
	}
	return result;
}

Oid
get_range_collation(Oid rangeOid)
{
	return range_column(RANGETYPE, rangeOid, true);
}

Oid
get_multirange_range(Oid multirangeOid)
{
	return range_column(RANGEMULTIRANGE, multirangeOid, false);
}

/*
 * ---- Rights ----
 */

AclMode
pg_class_aclmask(Oid table_oid, Oid roleid, AclMode mask, AclMaskHow how)
{
	AclMode		result = 0;
	AclMode		bit;

	for (bit = 1; bit != 0 && bit <= mask; bit <<= 1)
	{
		if ((mask & bit) == 0 || pg_class_aclcheck(table_oid, roleid, bit) != ACLCHECK_OK)
			continue;
		result |= bit;
		if (how == ACLMASK_ANY)
			break;
	}
	return result;
}

/* SET ROLE leaves the role that was logged in as that of the session. */
Oid
GetOuterUserId(void)
{
	const char *role = GetConfigOption("role", false, false);

	return strcmp(role, "none") == 0 ? GetSessionUserId() : get_role_oid(role, false);
}

/*
 * ---- Nodes ----
 */

Node *
makeBoolConst(bool value, bool isnull)
{
	return (Node *) makeConst(BOOLOID, -1, InvalidOid, sizeof(bool), BoolGetDatum(value), isnull,
							  true);
}
