/*
 * source_tables.c
 *		The tables below a view, and the column of each that leads to one of the view.
 *
 * Of each query the columns are collected that are equal to that of the view: the one that it is,
 * and those that the query compares with one of them.  A cast stands for what it is made of.
 * Subqueries, common table expressions, branches of set operations and the queries of views are
 * followed in the same way, and so are those in expressions, which know the columns around them.
 * Grouping and DISTINCT make no difference.  What an outer join compares holds for its nullable
 * side only, a cast that may lose something hides a column, and it is noted where a row changes
 * those of other matches: LIMIT, DISTINCT ON and windows over several of them.
 */
#include "pg/sql/glue.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/ruleutils.h"

#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/* A relation or a function below the view. */
typedef struct SourceTable
{
	Oid			relid;			/* InvalidOid for a function */
	Oid			function;
	Bitmapset  *columns;		/* that lead to the view's */
	bool		elsewhere;		/* also used where no column leads there */
	bool		mixed;			/* used where a row changes those of other matches */
	char	   *through;		/* where none does: an expression over its columns that does */
} SourceTable;

/* What all queries share. */
typedef struct Search
{
	Oid			type;			/* of the view's column, the base type of a domain */
	List	   *tables;			/* of SourceTable */
	int			mixing;			/* so many of the queries around mix matches */
} Search;

/* Two expressions that a query compares for equality. */
typedef struct Pair
{
	Node	   *side[2];
	const JoinExpr *join;		/* whose condition compares them; NULL in WHERE */
	Bitmapset  *left;			/* what it joins */
	Bitmapset  *right;
} Pair;

/* A query that is being followed. */
typedef struct Level
{
	struct Level *parent;		/* the query around it */
	Query	   *query;
	List	   *equal;			/* Vars that equal the view's column, as this query sees them */
	Var		   *target;			/* that of them which the query returns; NULL unless it is one */
	List	   *pairs;			/* of Pair */
	Node	   *computed;		/* what the view's column is where it is no column; may be NULL */
	Search	   *search;
} Level;

static void follow_query(Query *query, Bitmapset *columns, Level *parent, Search *search);

/* Where an entry of so many queries further out belongs. */
static Level *
level_up(Level *level, Index up)
{
	while (up-- > 0 && level != NULL)
		level = level->parent;
	return level;
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Whether a cast to the view's type of what is cast is all the same: the cast gives this type, or
 * no two values become one.
 */
static bool
cast_is_faithful(const Search *search, Node *from, const Node *cast)
{
	Oid			type = getBaseType(exprType(from));
	Oid			result = getBaseType(exprType(cast));
	int32		typmod;

	if (exprIsLengthCoercion(cast, &typmod) && typmod >= 0)
	{
		/* Numbers and uuids have at most so many characters. */
		while (IsA(from, CoerceViaIO) || IsA(from, RelabelType))
		{
			from = IsA(from, CoerceViaIO) ? (Node *) ((CoerceViaIO *) from)->arg :
				(Node *) ((RelabelType *) from)->arg;
			type = getBaseType(exprType(from));
		}
		return (is_integer(type) && typmod - VARHDRSZ >= 20) || (type == UUIDOID && typmod - VARHDRSZ >= 36);
	}
	if (result == search->type || (is_integer(result) && is_integer(search->type)))
		return true;
	if (is_integer(type))
		return is_integer(result) || result == NUMERICOID || TypeCategory(result) == TYPCATEGORY_STRING;
	return TypeCategory(result) == TYPCATEGORY_STRING;
}

/* What a cast that loses nothing, or another collation, was made of. */
static Node *
without_casts(const Search *search, Node *node)
{
	for (;;)
	{
		Node	   *from;

		if (node == NULL)
			return NULL;
		else if (IsA(node, RelabelType))
			from = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CoerceViaIO))
			from = (Node *) ((CoerceViaIO *) node)->arg;
		else if (IsA(node, CollateExpr))
			from = (Node *) ((CollateExpr *) node)->arg;
		else if (IsA(node, CoerceToDomain))
			from = (Node *) ((CoerceToDomain *) node)->arg;
		else if (IsA(node, FuncExpr) && ((FuncExpr *) node)->args != NIL &&
				 (((FuncExpr *) node)->funcformat == COERCE_EXPLICIT_CAST ||
				  ((FuncExpr *) node)->funcformat == COERCE_IMPLICIT_CAST))
			from = linitial(((FuncExpr *) node)->args);
		else
			return node;
		if ((IsA(node, FuncExpr) || IsA(node, CoerceViaIO)) &&
			!cast_is_faithful(search, from, node))
			return node;
		node = from;
	}
}

/*
 * The columns of tables and subqueries that an expression is, none unless it is one: each a Var that
 * tells no more than which column, so that equal ones are one.  A column of a join is one of those
 * that were joined; a merged one of a FULL JOIN is either.
 */
static List *
list_vars(Level *level, Node *node)
{
	Var		   *var = (Var *) without_casts(level->search, node);
	Level	   *of;
	RangeTblEntry *rte;
	Node	   *alias;
	List	   *vars = NIL;
	ListCell   *cell;

	check_stack_depth();
	if (var == NULL || !IsA(var, Var) || var->varattno <= 0)
		return NIL;
	of = level_up(level, var->varlevelsup);
	if (of == NULL)
		return NIL;
	rte = rt_fetch(var->varno, of->query->rtable);
	alias = rte->rtekind == RTE_JOIN ? list_nth(rte->joinaliasvars, var->varattno - 1) :
		group_expression(rte, var->varattno);
	if (alias == NULL)
		return rte->rtekind == RTE_JOIN ? NIL :
			list_make1(makeVar(var->varno, var->varattno, InvalidOid, -1, InvalidOid, var->varlevelsup));
	alias = copyObject(alias);
	IncrementVarSublevelsUp(alias, var->varlevelsup, 0);
	if (rte->rtekind != RTE_JOIN || !IsA(alias, CoalesceExpr))
		return list_vars(level, alias);
	foreach(cell, ((CoalesceExpr *) alias)->args)
		vars = list_concat(vars, list_vars(level, lfirst(cell)));
	return vars;
}

/* Whether an expression is one of the columns that equal the view's. */
static bool
is_equal(Level *level, Node *node)
{
	return list_intersection(list_vars(level, node), level->equal) != NIL;
}

/* Add the columns that an expression is to those that equal the view's; whether any is new. */
static bool
add_equal(Level *level, Node *node)
{
	int			n = list_length(level->equal);

	level->equal = list_concat_unique(level->equal, list_vars(level, node));
	return list_length(level->equal) > n;
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

/* Add the equalities that a condition asks for; the pair says whose condition. */
static void
list_pairs(Level *level, Node *condition, const Pair *from)
{
	ListCell   *cell;

	if (condition == NULL)
		return;
	if (IsA(condition, List))
		foreach(cell, (List *) condition)
			list_pairs(level, lfirst(cell), from);
	else if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop == AND_EXPR)
		list_pairs(level, (Node *) ((BoolExpr *) condition)->args, from);
	else if (is_equality(condition))
	{
		Pair	   *pair = palloc_object(Pair);

		*pair = *from;
		pair->side[0] = linitial(((OpExpr *) condition)->args);
		pair->side[1] = lsecond(((OpExpr *) condition)->args);
		level->pairs = lappend(level->pairs, pair);
	}
}

/* Go through what FROM has: the conditions, and the numbers of the tables and subqueries. */
static Bitmapset *
read_from(Level *level, Node *node)
{
	Pair		pair = {0};
	ListCell   *cell;

	check_stack_depth();
	if (node == NULL)
		return NULL;
	if (IsA(node, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) node)->rtindex);
	if (IsA(node, FromExpr))
	{
		Bitmapset  *members = NULL;

		foreach(cell, ((FromExpr *) node)->fromlist)
			members = bms_add_members(members, read_from(level, lfirst(cell)));
		list_pairs(level, ((FromExpr *) node)->quals, &pair);
		return members;
	}
	pair.join = castNode(JoinExpr, node);
	pair.left = read_from(level, pair.join->larg);
	pair.right = read_from(level, pair.join->rarg);
	list_pairs(level, pair.join->quals, &pair);
	return bms_union(pair.left, pair.right);
}

/* Whether all columns that an expression is belong to some of what a query joins. */
static bool
is_of(Level *level, Node *node, const Bitmapset *members)
{
	List	   *vars = list_vars(level, node);
	ListCell   *cell;

	foreach(cell, vars)
		if (((Var *) lfirst(cell))->varlevelsup > 0 ||
			!bms_is_member(((Var *) lfirst(cell))->varno, members))
			return false;
	return vars != NIL;
}

/*
 * Whether a pair holds wherever there is a row that one side is a column of: not where the condition
 * is that of an outer join, which leaves this row.
 */
static bool
pair_holds_for(Level *level, const Pair *pair, int side)
{
	JoinType	type = pair->join == NULL ? JOIN_INNER : pair->join->jointype;

	return type == JOIN_INNER ||
		(type == JOIN_LEFT && is_of(level, pair->side[side], pair->right)) ||
		(type == JOIN_RIGHT && is_of(level, pair->side[side], pair->left));
}

/*
 * Whether a pair makes the other side equal where one side is.  Where this is all that leads to the
 * view's column, and the query returns it, rows that an outer join leaves without it lead nowhere.
 */
static bool
pair_leads_to(Level *level, const Pair *pair, int to)
{
	Node	   *from = pair->side[1 - to];

	if (!is_equal(level, from))
		return false;
	if (pair_holds_for(level, pair, to))
		return true;
	if (level->target == NULL || !equal(list_vars(level, from), list_make1(level->target)))
		return false;
	return pair_holds_for(level, pair, 1 - to) ||
		(pair->join->jointype == JOIN_FULL &&
		 is_of(level, pair->side[to], is_of(level, from, pair->left) ? pair->right : pair->left));
}

/* Find all columns that are equal by what the query compares. */
static void
close_equal(Level *level)
{
	bool		added = true;

	while (added)
	{
		ListCell   *cell;

		added = false;
		foreach(cell, level->pairs)
		{
			Pair	   *pair = lfirst(cell);
			int			to;

			CHECK_FOR_INTERRUPTS();
			for (to = 0; to < 2; to++)
				if (pair_leads_to(level, pair, to))
					added |= add_equal(level, pair->side[to]);
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

	for (i = 0; i < 2 * list_length(level->pairs); i++)
	{
		const Pair *pair = list_nth(level->pairs, i / 2);
		List	   *vars = list_vars(level, pair->side[i % 2]);
		List	   *others = list_vars(level, pair->side[1 - i % 2]);
		Var		   *var;
		Var		   *other;
		RangeTblEntry *rte;
		Oid			relid = rt_fetch(rtindex, level->query->rtable)->relid;
		Bitmapset  *columns;

		if (!pair_holds_for(level, pair, i % 2) || list_length(vars) != 1 || list_length(others) != 1)
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

	if (level->computed == NULL || contain_subplans(level->computed) ||
		contain_agg_clause(level->computed) || contain_window_function(level->computed))
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
source_table(Search *search, Oid relid, Oid function)
{
	SourceTable *table = NULL;
	ListCell   *cell;

	foreach(cell, search->tables)
	{
		SourceTable *known = lfirst(cell);

		if (known->relid == relid && known->function == function)
			table = known;
	}
	if (table == NULL)
	{
		table = palloc0_object(SourceTable);
		table->relid = relid;
		table->function = function;
		search->tables = lappend(search->tables, table);
	}
	table->mixed |= search->mixing > 0;
	return table;
}

/* Note the columns of tables that inherit from one: who inserts there fires no trigger of it. */
static void
note_inheritors(Search *search, Oid parent, const Bitmapset *columns)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(parent, AccessShareLock, NULL))
	{
		SourceTable *table;
		int			i = -1;

		if (lfirst_oid(cell) == parent)
			continue;
		table = source_table(search, lfirst_oid(cell), InvalidOid);
		table->elsewhere |= columns == NULL;
		while ((i = bms_next_member(columns, i)) >= 0)
			table->columns = bms_add_member(table->columns,
											get_attnum(table->relid, get_attname(parent, i, false)));
	}
}

/* A relation in FROM: a view is followed, and of any other its columns are noted. */
static void
follow_relation(Level *level, int rtindex, Bitmapset *columns)
{
	const RangeTblEntry *rte = rt_fetch(rtindex, level->query->rtable);
	Oid			relid = rte->relid;
	Relation	relation = table_open(relid, AccessShareLock);

	if (relation->rd_rel->relkind == RELKIND_VIEW)
		follow_query(copyObject(get_view_query(relation)), columns, NULL, level->search);
	else
	{
		SourceTable *table = source_table(level->search, relid, InvalidOid);

		table->columns = bms_add_members(table->columns, columns);
		if (columns == NULL)
		{
			table->elsewhere = true;
			if (table->through == NULL)
				table->through = computed_from(level, rtindex);
			if (table->through == NULL)
				table->through = through_other(level, rtindex);
		}
		if (rte->inh && relation->rd_rel->relkind == RELKIND_RELATION && has_subclass(relid))
			note_inheritors(level->search, relid, columns);
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
			follow_query((Query *) cte->ctequery, columns, of, level->search);
		else if (!rte->self_reference)
			follow_query((Query *) cte->ctequery, NULL, of, level->search);
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
		Node	   *param = without_casts(level->search, lsecond(op->args));

		if (IsA(param, Param) && is_equal(level, linitial(op->args)))
			columns = bms_make_singleton(((Param *) param)->paramid);
	}
	follow_query((Query *) link->subselect, columns, level, level->search);
}

/* A check_function_callback: note a function of users that might read tables. */
static bool
note_function(Oid function, void *context)
{
	if (function >= FirstNormalObjectId && func_volatile(function) != PROVOLATILE_IMMUTABLE)
		(void) source_table(context, InvalidOid, function);
	return false;
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
	(void) check_functions_in_node(node, note_function, level->search);
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
					 columns, level, level->search);
}

/* Whether the column that sorts or groups, by its clause, is one of those that equal the view's. */
static bool
clause_has_equal(Level *level, const List *clauses)
{
	ListCell   *cell;

	foreach(cell, clauses)
		if (is_equal(level, get_sortgroupclause_expr(lfirst(cell), level->query->targetList)))
			return true;
	return false;
}

/* Whether an expression is a column of this query, or of those around it one that equals the view's. */
static bool
is_column(Level *level, Node *node, bool around)
{
	ListCell   *cell;

	foreach(cell, list_vars(level, node))
	{
		const Var  *var = lfirst(cell);

		if (around ? var->varlevelsup > 0 && list_member(level->equal, var) : var->varlevelsup == 0)
			return true;
	}
	return false;
}

/*
 * Whether a query has rows of one match only, because it compares with the column outside, as one in an
 * expression or LATERAL may.
 */
static bool
is_about_one(Level *level)
{
	ListCell   *cell;

	foreach(cell, level->pairs)
	{
		const Pair *pair = lfirst(cell);
		int			i;

		for (i = 0; i < 2; i++)
			if ((pair->join == NULL || pair->join->jointype == JOIN_INNER) &&
				is_column(level, pair->side[i], true) && is_column(level, pair->side[1 - i], false))
				return true;
	}
	return false;
}

/* Whether a row of the query may depend on rows of other matches. */
static bool
mixes_matches(Level *level)
{
	const Query *query = level->query;
	ListCell   *cell;

	if (is_about_one(level))
		return false;
	if (query->limitCount != NULL || query->limitOffset != NULL ||
		(query->hasDistinctOn && !clause_has_equal(level, query->distinctClause)))
		return true;
	foreach(cell, query->windowClause)
		if (!clause_has_equal(level, ((WindowClause *) lfirst(cell))->partitionClause))
			return true;
	return false;
}

/* Note the tables of a query, of whose result these columns lead to the view's. */
static void
follow_query(Query *query, Bitmapset *columns, Level *parent, Search *search)
{
	Level		level = {.parent = parent,.query = query,.search = search};
	Bitmapset  *members;
	bool		mixes;
	ListCell   *cell;
	int			n = 0;
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
		mixes = query->limitCount != NULL || query->limitOffset != NULL;
		search->mixing += mixes;
		follow_branches(&level, query->setOperations, columns);
		search->mixing -= mixes;
		return;
	}
	while ((i = bms_next_member(columns, i)) >= 0)
	{
		TargetEntry *entry = get_tle_by_resno(query->targetList, i);

		if (entry != NULL && !add_equal(&level, (Node *) entry->expr) && level.equal == NIL)
			level.computed = (Node *) entry->expr;
	}
	foreach(cell, level.equal)
	{
		if (((Var *) lfirst(cell))->varlevelsup > 0)
			continue;
		level.target = n++ == 0 ? lfirst(cell) : NULL;
	}
	members = read_from(&level, (Node *) query->jointree);
	close_equal(&level);
	mixes = mixes_matches(&level);
	search->mixing += mixes;

	i = -1;
	while ((i = bms_next_member(members, i)) >= 0)
	{
		RangeTblEntry *rte = rt_fetch(i, query->rtable);

		columns = equal_columns(&level, i);
		if (rte->rtekind == RTE_RELATION)
			follow_relation(&level, i, columns);
		else if (rte->rtekind == RTE_SUBQUERY)
			follow_query(rte->subquery, columns, &level, search);
		else if (rte->rtekind == RTE_CTE)
			follow_cte(&level, rte, columns);
	}
	(void) query_tree_walker(query, follow_expressions, &level,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES |
							 QTW_IGNORE_JOINALIASES);
	search->mixing -= mixes;
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
SQL_FUNCTION(skillrating_source_tables)
{
	Oid			source = PG_GETARG_OID(0);
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	AttrNumber	column = get_attnum(source, name);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	Query	   *query = makeNode(Query);
	Search		search = {0};
	Level		level = {.query = query,.search = &search};
	ListCell   *cell;

	if (column <= InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" does not exist", name)));
	rte->rtekind = RTE_RELATION;
	rte->relid = source;
	rte->inh = true;
	query->rtable = list_make1(rte);
	search.type = getBaseType(get_atttype(source, column));
	follow_relation(&level, 1, bms_make_singleton(column));

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, search.tables)
	{
		SourceTable *table = lfirst(cell);
		bool		is_function = OidIsValid(table->function);
		ResultRow	row = {0};

		put_datum(&row, ObjectIdGetDatum(table->relid), is_function);
		put_datum(&row, ObjectIdGetDatum(table->function), !is_function);
		put_datum(&row, is_function ? (Datum) 0 : column_names(table->relid, table->columns),
				  is_function);
		put_bool(&row, table->elsewhere);
		put_text(&row, table->through);
		put_bool(&row, table->mixed);
		add_result_row(fcinfo, &row);
	}
	return (Datum) 0;
}
