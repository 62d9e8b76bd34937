/*
 * row_rules.c
 *		What a table computes and checks for a row that is written, kept between transactions.
 */
#include "pg/ladder/row_rules.h"

#include "access/transam.h"
#include "catalog/pg_attribute.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* A column whose value is computed. */
typedef struct ComputedColumn
{
	int			column;			/* from 0 */
	ExprState  *value;
} ComputedColumn;

struct RowRules
{
	MemoryContext memory;		/* of all this */
	uint64		made_at;		/* by nchanges */
	ExprContext *context;
	ComputedColumn *defaulted;
	int			ndefaulted;
	ComputedColumn *generated;
	int			ngenerated;
	ExprState **check;
	int			nchecks;
	int		   *required;		/* columns that must not be null, from 0 */
	int			nrequired;
};

/* How often the server has told of changes to functions, such as to who may call them. */
static uint64 nchanges = 0;

static void
note_change(Datum arg, int cache_id, uint32 hash_value)
{
	(void) arg;
	(void) cache_id;
	(void) hash_value;
	nchanges++;
}

static void
register_callback(void)
{
	static bool registered = false;

	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, note_change, (Datum) 0);
	registered = true;
}

/*
 * ---- Which expressions are kept ----
 */

static bool
is_of_user(Oid oid, void *context)
{
	(void) context;
	return oid >= FirstNormalObjectId;
}

/* Whether an expression leads to anything that can be replaced, or needs more than a row. */
static bool
depends_on_others(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_ArrayExpr:
		case T_CoalesceExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_List:
			break;
		default:
			return true;
	}
	if (!IsA(node, List) && !IsA(node, CaseWhen) && !IsA(node, Var) &&
		is_of_user(exprType(node), NULL))
		return true;
	return check_functions_in_node(node, is_of_user, NULL) ||
		expression_tree_walker(node, depends_on_others, context);
}

bool
can_keep_expression(Node *expression)
{
	return !depends_on_others(expression, NULL);
}

uint64
function_changes(void)
{
	register_callback();
	return nchanges;
}

/* Compile an expression as the executor does for a command; NULL if it cannot be kept. */
static ExprState *
keep_expression(Node *expression)
{
	if (!can_keep_expression(expression))
		return NULL;
	return ExecInitExpr(expression_planner((Expr *) expression), NULL);
}

/*
 * ---- Rules ----
 */

/* Add a column that is computed; false if that cannot be kept. */
static bool
add_computed(ComputedColumn *list, int *n, Relation table, int column)
{
	Node	   *expression = build_column_default(table, column + 1);
	ExprState  *value = expression == NULL ? NULL : keep_expression(expression);

	if (value == NULL)
		return false;
	list[*n].column = column;
	list[(*n)++].value = value;
	return true;
}

/* Add the checks of a table; false if one of them cannot be kept. */
static bool
add_checks(RowRules *rules, const TupleConstr *constraints)
{
	int			i;

	rules->check = palloc_array(ExprState *, Max(constraints->num_check, 1));
	for (i = 0; i < constraints->num_check; i++)
	{
		ExprState  *check;

		if (!is_enforced(&constraints->check[i]))
			continue;
		check = keep_expression(stringToNode(constraints->check[i].ccbin));
		if (check == NULL)
			return false;
		rules->check[rules->nchecks++] = check;
	}
	return true;
}

/* Fill in the rules of a table; false if one of them cannot be kept. */
static bool
add_rules(RowRules *rules, Relation table, const bool *ours)
{
	TupleDesc	desc = RelationGetDescr(table);
	int			i;

	rules->defaulted = palloc_array(ComputedColumn, desc->natts);
	rules->generated = palloc_array(ComputedColumn, desc->natts);
	rules->required = palloc_array(int, desc->natts);
	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (column->attisdropped)
			continue;
		if (column->attnotnull)
			rules->required[rules->nrequired++] = i;
		if (column->attgenerated == ATTRIBUTE_GENERATED_STORED)
		{
			if (!add_computed(rules->generated, &rules->ngenerated, table, i))
				return false;
		}
		else if (column->attgenerated != '\0' || column->attidentity != '\0')
			return false;
		else if (!ours[i] && column->atthasdef &&
				 !add_computed(rules->defaulted, &rules->ndefaulted, table, i))
			return false;
	}
	return desc->constr == NULL || add_checks(rules, desc->constr);
}

RowRules *
row_rules_make(Relation table, const bool *ours)
{
	/* Until it is complete, an error frees it. */
	MemoryContext memory = AllocSetContextCreate(CurTransactionContext,
												 "skillrating rules of rows",
												 ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	RowRules   *rules = palloc0_object(RowRules);
	bool		kept;

	rules->memory = memory;
	rules->made_at = function_changes();
	kept = add_rules(rules, table, ours);
	rules->context = CreateStandaloneExprContext();
	MemoryContextSwitchTo(old);
	if (!kept)
	{
		MemoryContextDelete(memory);
		return NULL;
	}
	MemoryContextSetParent(memory, CurrentMemoryContext);
	return rules;
}

bool
row_rules_are_current(const RowRules *rules)
{
	return rules->made_at == nchanges;
}

void
row_rules_free(RowRules *rules)
{
	MemoryContextDelete(rules->memory);
}

/*
 * ---- Rows ----
 */

static void
compute(RowRules *rules, const ComputedColumn *computed, int n, TupleTableSlot *slot)
{
	int			i;

	rules->context->ecxt_scantuple = slot;
	for (i = 0; i < n; i++)
		slot->tts_values[computed[i].column] =
			ExecEvalExprSwitchContext(computed[i].value, rules->context,
									  &slot->tts_isnull[computed[i].column]);
}

void
row_rules_default(RowRules *rules, TupleTableSlot *slot)
{
	compute(rules, rules->defaulted, rules->ndefaulted, slot);
}

bool
row_rules_apply(RowRules *rules, TupleTableSlot *slot)
{
	int			i;

	compute(rules, rules->generated, rules->ngenerated, slot);
	for (i = 0; i < rules->nrequired; i++)
		if (slot->tts_isnull[rules->required[i]])
			return false;
	for (i = 0; i < rules->nchecks; i++)
		if (!ExecCheck(rules->check[i], rules->context))
			return false;
	return true;
}

void
row_rules_reset(RowRules *rules)
{
	rules->context->ecxt_scantuple = NULL;
	ResetExprContext(rules->context);
}
