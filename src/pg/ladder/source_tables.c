/*
 * source_tables.c
 *		The tables below a view, and the column of each that leads to one of the view.
 *
 * Of each query the columns are collected that are equal to that of the view: the one that it is,
 * and those that the query compares with one of them.  A cast stands for what it is made of.
 * Subqueries, common table expressions, branches of set operations and the queries of views are
 * followed in the same way, and so are those in expressions, which know the columns around them.
 * Whatever a query does with its rows besides, they come from rows of its tables: grouping,
 * DISTINCT, windows and outer joins make no difference.
 */
#include "pg/sql/glue.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/ruleutils.h"

#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_source_tables);

/* A relation or a function below the view. */
typedef struct SourceTable
{
	Oid			relid;			/* InvalidOid for a function */
	Oid			function;
	Bitmapset  *columns;		/* that lead to the view's */
	bool		elsewhere;		/* also used where no column leads there */
	char	   *through;		/* where none does: an expression over its columns that does */
} SourceTable;

/* A query that is being followed. */
typedef struct Level
{
	struct Level *parent;		/* the query around it */
	Query	   *query;
	List	   *equal;			/* Vars that equal the view's column, as this query sees them */
	List	   *pairs;			/* expressions that it compares for equality, two by two */
	Node	   *computed;		/* what the view's column is where it is no column; may be NULL */
	List	  **tables;			/* of SourceTable, of all queries */
} Level;

static void follow_query(Query *query, Bitmapset *columns, Level *parent, List **tables);

/* Where an entry of so many queries further out belongs. */
static Level *
level_up(Level *level, Index up)
{
	while (up-- > 0 && level != NULL)
		level = level->parent;
	return level;
}

/* What a cast, or another collation, was made of. */
static Node *
without_casts(Node *node)
{
	for (;;)
	{
		if (node == NULL)
			return NULL;
		else if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CoerceViaIO))
			node = (Node *) ((CoerceViaIO *) node)->arg;
		else if (IsA(node, CollateExpr))
			node = (Node *) ((CollateExpr *) node)->arg;
		else if (IsA(node, CoerceToDomain))
			node = (Node *) ((CoerceToDomain *) node)->arg;
		else if (IsA(node, FuncExpr) && ((FuncExpr *) node)->args != NIL &&
				 (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CAST ||
				  ((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST))
			node = linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

/*
 * Add the columns of tables and subqueries that an expression is, none unless it is one.  A column
 * of a join is one of those that were joined; a merged one of a FULL JOIN is either.
 */
static void
list_vars(Level *level, Node *node, List **vars)
{
	Var		   *var = (Var *) without_casts(node);
	Level	   *of;
	RangeTblEntry *rte;
	Node	   *alias = NULL;
	ListCell   *cell;

	check_stack_depth();
	if (var == NULL || !IsA(var, Var) || var->varattno <= 0)
		return;
	of = level_up(level, var->varlevelsup);
	if (of == NULL)
		return;
	rte = rt_fetch(var->varno, of->query->rtable);
	if (rte->rtekind == RTE_JOIN)
		alias = list_nth(rte->joinaliasvars, var->varattno - 1);
	else
		alias = group_expression(rte, var->varattno);
	if (alias == NULL)
	{
		if (rte->rtekind != RTE_JOIN)
			*vars = lappend(*vars, var);
		return;
	}
	alias = copyObject(alias);
	IncrementVarSublevelsUp(alias, var->varlevelsup, 0);
	if (rte->rtekind == RTE_JOIN && IsA(alias, CoalesceExpr))
		foreach(cell, ((CoalesceExpr *) alias)->args)
			list_vars(level, lfirst(cell), vars);
	else
		list_vars(level, alias, vars);
}

static bool
has_var(const List *vars, const Var *var)
{
	ListCell   *cell;

	foreach(cell, vars)
	{
		const Var  *other = lfirst(cell);

		if (other->varno == var->varno && other->varattno == var->varattno &&
			other->varlevelsup == var->varlevelsup)
			return true;
	}
	return false;
}

/* Whether an expression is one of the columns that equal the view's. */
static bool
is_equal(Level *level, Node *node)
{
	List	   *vars = NIL;
	ListCell   *cell;

	list_vars(level, node, &vars);
	foreach(cell, vars)
		if (has_var(level->equal, lfirst(cell)))
			return true;
	return false;
}

/* Add the columns that an expression is to those that equal the view's; whether any is new. */
static bool
add_equal(Level *level, Node *node)
{
	List	   *vars = NIL;
	bool		added = false;
	ListCell   *cell;

	list_vars(level, node, &vars);
	foreach(cell, vars)
	{
		if (has_var(level->equal, lfirst(cell)))
			continue;
		level->equal = lappend(level->equal, lfirst(cell));
		added = true;
	}
	return added;
}

/* Whether it compares two expressions for equality. */
static bool
is_equality(const Node *node)
{
	const OpExpr *op = (const OpExpr *) node;

	return IsA(node, OpExpr) && list_length(op->args) == 2 &&
		(op_mergejoinable(op->opno, exprType(linitial(op->args))) ||
		 op_hashjoinable(op->opno, exprType(linitial(op->args))));
}

/* Add the equalities that a condition asks for. */
static void
list_pairs(Level *level, Node *condition)
{
	ListCell   *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List))
		foreach(cell, (List *) condition)
			list_pairs(level, lfirst(cell));
	else if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop == AND_EXPR)
		list_pairs(level, (Node *) ((BoolExpr *) condition)->args);
	else if (is_equality(condition))
		level->pairs = list_concat(level->pairs, ((OpExpr *) condition)->args);
}

/* Go through what FROM has: the conditions, and the numbers of the tables and subqueries. */
static Bitmapset *
read_from(Level *level, Node *node, Bitmapset *members)
{
	ListCell   *cell;

	check_stack_depth();
	if (node == NULL)
		return members;
	if (IsA(node, RangeTblRef))
		return bms_add_member(members, ((RangeTblRef *) node)->rtindex);
	if (IsA(node, FromExpr))
	{
		foreach(cell, ((FromExpr *) node)->fromlist)
			members = read_from(level, lfirst(cell), members);
		list_pairs(level, ((FromExpr *) node)->quals);
	}
	else if (IsA(node, JoinExpr))
	{
		members = read_from(level, ((JoinExpr *) node)->larg, members);
		members = read_from(level, ((JoinExpr *) node)->rarg, members);
		list_pairs(level, ((JoinExpr *) node)->quals);
	}
	return members;
}

/* Find all columns that are equal by what the query compares. */
static void
close_equal(Level *level)
{
	bool		added = true;

	while (added)
	{
		int			i;

		added = false;
		for (i = 0; i + 1 < list_length(level->pairs); i += 2)
		{
			Node	   *left = list_nth(level->pairs, i);
			Node	   *right = list_nth(level->pairs, i + 1);

			CHECK_FOR_INTERRUPTS();
			if (is_equal(level, left))
				added |= add_equal(level, right);
			if (is_equal(level, right))
				added |= add_equal(level, left);
		}
	}
}

/* The columns of an entry that equal the view's. */
static Bitmapset *
equal_columns(const Level *level, int rtindex)
{
	Bitmapset  *columns = NULL;
	ListCell   *cell;

	foreach(cell, level->equal)
	{
		const Var  *var = lfirst(cell);

		if (var->varno == rtindex && var->varlevelsup == 0)
			columns = bms_add_member(columns, var->varattno);
	}
	return columns;
}

/* Whether no two rows have the same value in a column. */
static bool
is_unique(Oid relid, AttrNumber column)
{
	Relation	relation = table_open(relid, AccessShareLock);
	bool		unique = false;
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(relation))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		unique |= index->rd_index->indisunique && index->rd_index->indnkeyatts == 1 &&
			index->rd_index->indkey.values[0] == column &&
			RelationGetIndexPredicate(index) == NIL;
		index_close(index, NoLock);
	}
	table_close(relation, NoLock);
	return unique;
}

/*
 * The row of another table by which a row leads to the view's column, one for each, as a detail
 * does: a subquery that is the value there; NULL if there is none.
 */
static char *
through_other(Level *level, int rtindex)
{
	int			i;

	for (i = 0; i < list_length(level->pairs); i++)
	{
		List	   *vars = NIL;
		List	   *others = NIL;
		Var		   *var;
		Var		   *other;
		RangeTblEntry *rte;
		Oid			relid = rt_fetch(rtindex, level->query->rtable)->relid;
		Bitmapset  *columns;

		list_vars(level, list_nth(level->pairs, i), &vars);
		list_vars(level, list_nth(level->pairs, i ^ 1), &others);
		if (list_length(vars) != 1 || list_length(others) != 1)
			continue;
		var = linitial(vars);
		other = linitial(others);
		if (var->varno != rtindex || var->varlevelsup != 0 || other->varlevelsup != 0)
			continue;
		rte = rt_fetch(other->varno, level->query->rtable);
		columns = equal_columns(level, other->varno);
		if (rte->rtekind != RTE_RELATION || columns == NULL || !is_unique(rte->relid, other->varattno))
			continue;
		return psprintf("(SELECT t.%s FROM %s AS t WHERE t.%s = %s)",
						quote_identifier(get_attname(rte->relid, bms_next_member(columns, -1), false)),
						quote_qualified_identifier(get_namespace_name(get_rel_namespace(rte->relid)),
												   get_rel_name(rte->relid)),
						quote_identifier(get_attname(rte->relid, other->varattno, false)),
						quote_identifier(get_attname(relid, var->varattno, false)));
	}
	return NULL;
}

/* The view's column as an expression over the columns of one table; NULL if it is none. */
static char *
computed_from(const Level *level, int rtindex)
{
	Oid			relid = rt_fetch(rtindex, level->query->rtable)->relid;
	Node	   *expression;
	List	   *vars;
	ListCell   *cell;

	if (level->computed == NULL || contain_subplans(level->computed))
		return NULL;
	vars = pull_vars_of_level(level->computed, 0);
	foreach(cell, vars)
		if (((Var *) lfirst(cell))->varno != rtindex)
			return NULL;
	if (vars == NIL)
		return NULL;
	expression = copyObject(level->computed);
	ChangeVarNodes(expression, rtindex, 1, 0);
	return deparse_expression(expression, deparse_context_for(get_rel_name(relid), relid), false, false);
}

/* The entry of a relation or function, which is made unless there is one. */
static SourceTable *
source_table(List **tables, Oid relid, Oid function)
{
	SourceTable *table;
	ListCell   *cell;

	foreach(cell, *tables)
	{
		table = lfirst(cell);
		if (table->relid == relid && table->function == function)
			return table;
	}
	table = palloc0_object(SourceTable);
	table->relid = relid;
	table->function = function;
	*tables = lappend(*tables, table);
	return table;
}

/* A relation in FROM: a view is followed, and of any other its columns are noted. */
static void
follow_relation(Level *level, int rtindex, Bitmapset *columns)
{
	Oid			relid = rt_fetch(rtindex, level->query->rtable)->relid;
	Relation	relation = table_open(relid, AccessShareLock);

	if (relation->rd_rel->relkind == RELKIND_VIEW)
		follow_query(copyObject(get_view_query(relation)), columns, NULL, level->tables);
	else
	{
		SourceTable *table = source_table(level->tables, relid, InvalidOid);

		table->columns = bms_add_members(table->columns, columns);
		if (columns == NULL)
		{
			table->elsewhere = true;
			if (table->through == NULL)
				table->through = computed_from(level, rtindex);
			if (table->through == NULL)
				table->through = through_other(level, rtindex);
		}
	}
	table_close(relation, NoLock);
}

/*
 * A common table expression.  Of a recursive one it is not known where its rows come from, and what
 * it reads of itself is no table.
 */
static void
follow_cte(Level *level, const RangeTblEntry *rte, Bitmapset *columns)
{
	Level	   *of = level_up(level, rte->ctelevelsup);
	ListCell   *cell;

	if (of == NULL)
		return;
	foreach(cell, of->query->cteList)
	{
		CommonTableExpr *cte = lfirst(cell);

		if (strcmp(cte->ctename, rte->ctename) != 0)
			continue;
		if (!cte->cterecursive)
			follow_query((Query *) cte->ctequery, columns, of, level->tables);
		else if (!rte->self_reference)
			follow_query((Query *) cte->ctequery, NULL, of, level->tables);
	}
}

/* A subquery in an expression; that of x IN (SELECT y ...) has a column that equals another. */
static void
follow_sublink(Level *level, SubLink *link)
{
	Bitmapset  *columns = NULL;

	if (link->subLinkType == ANY_SUBLINK && link->testexpr != NULL && is_equality(link->testexpr))
	{
		OpExpr	   *op = (OpExpr *) link->testexpr;
		Node	   *param = without_casts(lsecond(op->args));

		if (IsA(param, Param) && is_equal(level, linitial(op->args)))
			columns = bms_make_singleton(((Param *) param)->paramid);
	}
	follow_query((Query *) link->subselect, columns, level, level->tables);
}

/*
 * An expression_tree_walker through the expressions of a query: subqueries are followed, and
 * functions of users noted that might read tables.
 */
static bool
follow_expressions(Node *node, void *context)
{
	Level	   *level = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
	{
		follow_sublink(level, (SubLink *) node);
		return follow_expressions(((SubLink *) node)->testexpr, context);
	}
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		func_volatile(((FuncExpr *) node)->funcid) != PROVOLATILE_IMMUTABLE)
		(void) source_table(level->tables, InvalidOid, ((FuncExpr *) node)->funcid);
	return expression_tree_walker(node, follow_expressions, context);
}

/* The branches of UNION and its like, each with the same columns. */
static void
follow_branches(Level *level, Node *node, Bitmapset *columns)
{
	check_stack_depth();
	if (IsA(node, SetOperationStmt))
	{
		follow_branches(level, ((SetOperationStmt *) node)->larg, columns);
		follow_branches(level, ((SetOperationStmt *) node)->rarg, columns);
	}
	else
		follow_query(rt_fetch(((RangeTblRef *) node)->rtindex, level->query->rtable)->subquery,
					 columns, level, level->tables);
}

/* Note the tables of a query, of whose result these columns lead to the view's. */
static void
follow_query(Query *query, Bitmapset *columns, Level *parent, List **tables)
{
	Level		level = {.parent = parent,.query = query,.tables = tables};
	Bitmapset  *members;
	ListCell   *cell;
	int			i = -1;

	/* A query that is used twice is followed twice. */
	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (parent != NULL)
	{
		level.equal = copyObject(parent->equal);
		foreach(cell, level.equal)
			((Var *) lfirst(cell))->varlevelsup++;
	}
	if (query->setOperations != NULL)
	{
		follow_branches(&level, query->setOperations, columns);
		return;
	}
	while ((i = bms_next_member(columns, i)) >= 0)
	{
		TargetEntry *entry = get_tle_by_resno(query->targetList, i);

		if (entry != NULL && !add_equal(&level, (Node *) entry->expr) && level.equal == NIL)
			level.computed = (Node *) entry->expr;
	}
	members = read_from(&level, (Node *) query->jointree, NULL);
	close_equal(&level);

	i = -1;
	while ((i = bms_next_member(members, i)) >= 0)
	{
		RangeTblEntry *rte = rt_fetch(i, query->rtable);

		columns = equal_columns(&level, i);
		if (rte->rtekind == RTE_RELATION)
			follow_relation(&level, i, columns);
		else if (rte->rtekind == RTE_SUBQUERY)
			follow_query(rte->subquery, columns, &level, tables);
		else if (rte->rtekind == RTE_CTE)
			follow_cte(&level, rte, columns);
	}
	(void) query_tree_walker(query, follow_expressions, &level,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES |
							 QTW_IGNORE_JOINALIASES);
}

/* The names of columns of a relation, in their order there. */
static Datum
column_names(Oid relid, const Bitmapset *columns)
{
	const char **name = palloc_array(const char *, bms_num_members(columns) + 1);
	int			n = 0;
	int			i = -1;

	while ((i = bms_next_member(columns, i)) >= 0)
		name[n++] = get_attname(relid, i, false);
	return text_array(name, n);
}

/* source_tables(source, column_name) */
Datum
skillrating_source_tables(PG_FUNCTION_ARGS)
{
	Oid			source = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	AttrNumber	column = get_attnum(source, name);
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	Query	   *query = makeNode(Query);
	Level		level = {.query = query};
	List	   *tables = NIL;
	ListCell   *cell;

	if (column <= InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" does not exist", name)));
	rte->rtekind = RTE_RELATION;
	rte->relid = source;
	query->rtable = list_make1(rte);
	level.tables = &tables;
	follow_relation(&level, 1, bms_make_singleton(column));

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, tables)
	{
		SourceTable *table = lfirst(cell);
		bool		is_function = OidIsValid(table->function);
		Datum		values[5] = {ObjectIdGetDatum(table->relid), ObjectIdGetDatum(table->function)};
		bool		nulls[5] = {is_function, !is_function, is_function, false, table->through == NULL};

		if (!is_function)
			values[2] = column_names(table->relid, table->columns);
		values[3] = BoolGetDatum(table->elsewhere);
		if (table->through != NULL)
			values[4] = CStringGetTextDatum(table->through);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
