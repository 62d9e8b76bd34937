/*
 * own_source.c
 *		The rows of one match of a ladder's own tables, read without a query.
 */
#include "pg/ladder/own_source.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/row_rules.h"
#include "pg/matches/source.h"

/* One of the two tables. */
typedef struct SourceTable
{
	LadderRelation relation;
	Index		place;			/* in the range table of the view */
	Oid			index;			/* that begins with match_id */
} SourceTable;

struct OwnSource
{
	uint64		made_at;		/* by function_changes() */
	bool		usable;			/* the rest is there, */
	bool		busy;			/* and somebody is reading by it */
	SourceTable match;
	SourceTable player;
	FmgrInfo	equal;			/* of both indexes */
	Oid			collation;
	ExprContext *context;		/* the match is the outer, the participant the
								 * inner row */
	ExprState  *condition;		/* of the rows that the view shows, or NULL */
	ProjectionInfo *row;
};

/*
 * ---- Which views are read so ----
 */

/* Whether the owner sees all rows of a table, or those of a view without options, as they are. */
static bool
is_readable(Oid relid, char relkind)
{
	Relation	relation = table_open(relid, AccessShareLock);
	Form_pg_class form = relation->rd_rel;
	bool		readable = form->relkind == relkind && !form->relhassubclass &&
		!form->relrowsecurity &&
		(relkind == RELKIND_VIEW ? relation->rd_options == NULL :
		 form->relam == HEAP_TABLE_AM_OID) &&
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;

	table_close(relation, NoLock);
	return readable;
}

/* Find the index of a table that begins with match_id, and compares it as its type does. */
static bool
find_index(SourceTable *source, const Ladder *ladder, OwnSource *own)
{
	Oid			relid = ladder->relation[source->relation];
	AttrNumber	match_id = get_attnum(relid, "match_id");
	Oid			family = get_opclass_family(GetDefaultOpClass(ladder->match_type->type,
															  BTREE_AM_OID));
	Relation	table = table_open(relid, AccessShareLock);
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indisvalid &&
			index->rd_index->indkey.values[0] == match_id && match_id > InvalidAttrNumber &&
			index->rd_opfamily[0] == family && RelationGetIndexPredicate(index) == NIL &&
			get_atttype(relid, match_id) == ladder->match_type->type &&
			(!OidIsValid(own->collation) || own->collation == index->rd_indcollation[0]))
		{
			source->index = lfirst_oid(lc);
			own->collation = index->rd_indcollation[0];
			fmgr_info_cxt(get_opcode(get_opfamily_member(family, index->rd_opcintype[0],
														 index->rd_opcintype[0],
														 BTEqualStrategyNumber)),
						  &own->equal, CurrentMemoryContext);
		}
		index_close(index, AccessShareLock);
	}
	table_close(table, NoLock);
	return OidIsValid(source->index);
}

/* Whether a query is an inner join of tables match and match_player with conditions. */
static bool
is_plain_join(const Query *query, const Ladder *ladder, OwnSource *own)
{
	const JoinExpr *join;
	const Node *side[2];
	int			i;

	if (query->commandType != CMD_SELECT || query->hasAggs || query->hasWindowFuncs ||
		query->hasTargetSRFs || query->hasSubLinks || query->cteList != NIL ||
		query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		query->distinctClause != NIL || query->sortClause != NIL ||
		query->limitOffset != NULL || query->limitCount != NULL || query->rowMarks != NIL ||
		query->setOperations != NULL || list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), JoinExpr))
		return false;
	join = linitial_node(JoinExpr, query->jointree->fromlist);
	side[0] = join->larg;
	side[1] = join->rarg;
	if (join->jointype != JOIN_INNER)
		return false;
	for (i = 0; i < 2; i++)
	{
		const RangeTblEntry *entry;
		SourceTable *source;

		if (!IsA(side[i], RangeTblRef))
			return false;
		entry = rt_fetch(((const RangeTblRef *) side[i])->rtindex, query->rtable);
		if (entry->rtekind != RTE_RELATION || entry->tablesample != NULL)
			return false;
		source = entry->relid == ladder->relation[LADDER_MATCH] ? &own->match :
			entry->relid == ladder->relation[LADDER_MATCH_PLAYER] ? &own->player : NULL;
		if (source == NULL || source->place != 0)
			return false;
		source->place = ((const RangeTblRef *) side[i])->rtindex;
	}
	return true;
}

/* Whether a node is the column match_id of a table. */
static bool
is_match_id(Node *node, const SourceTable *source, const Ladder *ladder)
{
	const Var  *var;

	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (!IsA(node, Var))
		return false;
	var = (const Var *) node;
	return var->varno == (int) source->place && var->varlevelsup == 0 &&
		var->varattno == get_attnum(ladder->relation[source->relation], "match_id");
}

/* Whether a condition has rows of both tables belong together that have the same match_id. */
static bool
joins_by_match(Node *condition, const Ladder *ladder, const OwnSource *own)
{
	const OpExpr *op = (const OpExpr *) condition;
	Oid			family = get_opclass_family(GetDefaultOpClass(ladder->match_type->type,
															  BTREE_AM_OID));
	Node	   *left;
	Node	   *right;

	if (condition == NULL || !IsA(condition, OpExpr) || list_length(op->args) != 2 ||
		get_op_opfamily_strategy(op->opno, family) != BTEqualStrategyNumber)
		return false;
	left = linitial(op->args);
	right = lsecond(op->args);
	return (is_match_id(left, &own->match, ladder) && is_match_id(right, &own->player, ladder)) ||
		(is_match_id(left, &own->player, ladder) && is_match_id(right, &own->match, ladder));
}

/*
 * ---- What a view computes ----
 */

/* Have columns be those of the outer or the inner row. */
static Node *
place_columns(Node *node, void *context)
{
	const OwnSource *own = (const OwnSource *) context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var		   *var = copyObject((Var *) node);

		/* One of neither is refused, see has_other_columns(). */
		var->varno = var->varno == (int) own->match.place ? OUTER_VAR :
			var->varno == (int) own->player.place ? INNER_VAR : INDEX_VAR;
		return (Node *) var;
	}
	return expression_tree_mutator(node, place_columns, context);
}

static bool
has_other_columns(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varno == INDEX_VAR || ((Var *) node)->varattno <= 0 ||
			((Var *) node)->varlevelsup > 0;
	return expression_tree_walker(node, has_other_columns, context);
}

/* The number-th column of the view, or a null where that is invalid, in a type; see match_reader.c. */
static Expr *
column_expression(const Query *query, AttrNumber number, Oid type)
{
	const TargetEntry *entry;
	Node	   *value;

	if (number == InvalidAttrNumber)
		return (Expr *) makeNullConst(type, -1, get_typcollation(type));
	entry = get_tle_by_resno(query->targetList, number);
	if (entry == NULL || entry->resjunk)
		return NULL;
	value = (Node *) entry->expr;
	if (exprType(value) == BOOLOID)
		value = coerce_to_target_type(NULL, value, BOOLOID, INT4OID, -1,
									  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	return (Expr *) coerce_to_target_type(NULL, value, exprType(value), type, -1,
										  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
}

/* Compile what the view shows; false if that cannot be kept. */
static bool
compile_view(OwnSource *own, Oid view, const Query *query, TupleDesc desc)
{
	List	   *targets = NIL;
	Node	   *where = place_columns(query->jointree->quals, own);
	TupleTableSlot *slot;
	int			i;

	if (where != NULL)
	{
		if (has_other_columns(where, NULL) || !can_keep_expression(where))
			return false;
		own->condition = ExecInitQual(make_ands_implicit(expression_planner((Expr *) where)), NULL);
	}
	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		AttrNumber	number = get_attnum(view, NameStr(column->attname));
		Node	   *value = (Node *) column_expression(query, number, column->atttypid);

		/* A query says which column is missing. */
		if (number == InvalidAttrNumber && strcmp(source_columns[i].needed, "yes") == 0)
			return false;
		value = value == NULL ? NULL : place_columns(value, own);
		if (value == NULL || has_other_columns(value, NULL) || !can_keep_expression(value))
			return false;
		targets = lappend(targets, makeTargetEntry(expression_planner((Expr *) value), i + 1,
												   NULL, false));
	}
	own->context = CreateStandaloneExprContext();
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	own->row = ExecBuildProjectionInfo(targets, own->context, slot, NULL, NULL);
	return true;
}

/* Make what is kept of a source, in the current memory context. */
static OwnSource *
make_own_source(const Ladder *ladder)
{
	OwnSource  *own = palloc0_object(OwnSource);
	Oid			source = ladder->relation[LADDER_SOURCE];
	Relation	view;
	const Query *query;

	own->made_at = function_changes();
	own->match.relation = LADDER_MATCH;
	own->player.relation = LADDER_MATCH_PLAYER;
	if (!OidIsValid(ladder->relation[LADDER_MATCH]) ||
		!OidIsValid(ladder->relation[LADDER_MATCH_PLAYER]) ||
		!is_readable(source, RELKIND_VIEW) ||
		!is_readable(ladder->relation[LADDER_MATCH], RELKIND_RELATION) ||
		!is_readable(ladder->relation[LADDER_MATCH_PLAYER], RELKIND_RELATION))
		return own;
	view = table_open(source, AccessShareLock);
	query = copyObject(get_view_query(view));
	table_close(view, NoLock);
	own->usable = is_plain_join(query, ladder, own) &&
		joins_by_match(linitial_node(JoinExpr, query->jointree->fromlist)->quals, ladder, own) &&
		find_index(&own->match, ladder, own) && find_index(&own->player, ladder, own) &&
		compile_view(own, source, query, ladder->cache->source_desc);
	return own;
}

TupleDesc
own_source_desc(Ladder *ladder, TupleDesc (*make) (const Ladder *))
{
	LadderCache *cache;

	ladder_cache_recheck(ladder);
	cache = ladder->cache;
	if (cache->source_desc == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(cache->context);

		cache->source_desc = make(ladder);
		MemoryContextSwitchTo(old);
	}
	return cache->source_desc;
}

/* What is kept of the source of a ladder, made anew where functions have changed. */
static OwnSource *
find_own_source(Ladder *ladder)
{
	LadderCache *cache = ladder->cache;

	if (cache->own_source == NULL || cache->own_source->made_at != function_changes())
	{
		MemoryContext memory = AllocSetContextCreate(CurTransactionContext,
													 "skillrating source",
													 ALLOCSET_SMALL_SIZES);
		MemoryContext old = MemoryContextSwitchTo(memory);
		OwnSource  *made = make_own_source(ladder);

		MemoryContextSwitchTo(old);
		if (cache->own_source != NULL)
			MemoryContextDelete(GetMemoryChunkContext(cache->own_source));
		MemoryContextSetParent(memory, cache->context);
		cache->own_source = made;
	}
	return cache->own_source;
}

/*
 * ---- Reading ----
 */

/* Begin to read the rows of a match in a table. */
static IndexScanDesc
begin_scan(OwnSource *own, Relation table, Relation index, Snapshot snapshot, Datum match_id)
{
	IndexScanDesc scan;
	ScanKeyData key;

	ScanKeyEntryInitializeWithInfo(&key, 0, 1, BTEqualStrategyNumber, InvalidOid,
								   own->collation, &own->equal, match_id);
	scan = begin_index_scan(table, index, snapshot, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	return scan;
}

/* Append the participants of the match in the outer slot. */
static void
read_participants(OwnSource *own, const Ladder *ladder, Snapshot snapshot, Datum match_id,
				  Tuplestorestate *store)
{
	Relation	table = table_open(ladder->relation[LADDER_MATCH_PLAYER], AccessShareLock);
	Relation	index = index_open(own->player.index, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	IndexScanDesc scan = begin_scan(own, table, index, snapshot, match_id);

	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(own->context);
		own->context->ecxt_innertuple = slot;
		if (own->condition == NULL || ExecQual(own->condition, own->context))
			tuplestore_puttupleslot(store, ExecProject(own->row));
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
	table_close(table, AccessShareLock);
}

/* The same of the match, if there is one. */
static void
read_rows(OwnSource *own, const Ladder *ladder, Snapshot snapshot, Datum match_id,
		  Tuplestorestate *store)
{
	Relation	table = table_open(ladder->relation[LADDER_MATCH], AccessShareLock);
	Relation	index = index_open(own->match.index, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(table, NULL);
	IndexScanDesc scan = begin_scan(own, table, index, snapshot, match_id);

	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		own->context->ecxt_outertuple = slot;
		read_participants(own, ladder, snapshot, match_id, store);
	}
	ResetExprContext(own->context);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
	table_close(table, AccessShareLock);
}

/*
 * A function of the server can call code of the user's, as to_jsonb() calls a cast, and that can
 * come back here: it is left to a query, because the rows and memory of who is reading are in use.
 */
bool
own_source_read(Ladder *ladder, Datum match_id, Tuplestorestate *store)
{
	OwnSource  *own;
	Snapshot	snapshot;

	ladder_cache_recheck(ladder);
	own = ladder->cache->own_source;
	if (!HAVE_DIRECT_ROWS || ladder->cache->source_desc == NULL ||
		(own != NULL && own->busy))
		return false;
	own = find_own_source(ladder);
	if (!own->usable)
		return false;

	/* The snapshot is the one that a query would have. */
	if (!ladder->read_only)
		CommandCounterIncrement();
	snapshot = RegisterSnapshot(ladder->read_only ? GetActiveSnapshot() :
								GetTransactionSnapshot());
	own->busy = true;
	PG_TRY();
	{
		read_rows(own, ladder, snapshot, match_id, store);
	}
	PG_FINALLY();
	{
		own->busy = false;
	}
	PG_END_TRY();
	UnregisterSnapshot(snapshot);
	return true;
}
