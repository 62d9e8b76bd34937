/*
 * row_rules.h
 *		What a table computes and checks for a row that is written, kept between transactions.
 *
 * The server reads and compiles defaults, generated columns and checks anew for each command,
 * which takes longer than to run them on a dozen rows.
 */
#ifndef PG_LADDER_ROW_RULES_H
#define PG_LADDER_ROW_RULES_H

#include "pg/sql/glue.h"

#include "executor/tuptable.h"
#include "nodes/nodes.h"
#include "utils/rel.h"

typedef struct RowRules RowRules;

/*
 * Whether an expression over the columns of rows means the same as long as no function changes:
 * whether it calls nothing but the server's own functions, on rows alone.
 */
extern bool can_keep_expression(Node *expression);

/* How often functions have changed, or who may call them, as far as this session knows. */
extern uint64 function_changes(void);

/*
 * Compile the rules of a table, in a context of their own below the current one; those for
 * defaults are of the columns that are not among ours, by their number from 0.  NULL if one of
 * them calls what is not a part of the server, whose definition may change without notice, or
 * is of a kind that only the executor knows: then the executor sees to all of them.  Error
 * 42501 if the current user may not call a function that they need.
 */
extern RowRules *row_rules_make(Relation table, const bool *ours);

/* Whether no function has changed since, nor who may call it. */
extern bool row_rules_are_current(const RowRules *rules);
extern void row_rules_free(RowRules *rules);

/* Put the values of defaults into a row to be inserted. */
extern void row_rules_default(RowRules *rules, TupleTableSlot *slot);

/*
 * Compute the generated columns of a virtual row, and check it; false if it breaks a rule, or
 * has a null where none may be.  What was computed lives until row_rules_reset().
 */
extern bool row_rules_apply(RowRules *rules, TupleTableSlot *slot);
extern void row_rules_reset(RowRules *rules);

#endif							/* PG_LADDER_ROW_RULES_H */
