/*
 * exchange_functions.c
 *		Parts of swap_ladders() that SQL has no command for.
 *
 * All of them work on tables of ladders whose doors are open, as their owner.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/heap.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "funcapi.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/door.h"
#include "pg/ladder/exchange.h"

SKILLRATING_FUNCTION(skillrating_exchange_storage);
SKILLRATING_FUNCTION(skillrating_unpaired_indexes);
SKILLRATING_FUNCTION(skillrating_revive_column);
SKILLRATING_FUNCTION(skillrating_set_generated);

/* A relation of a ladder, locked to the end of the transaction; its owner is the ladder's. */
static Relation
open_table(const char *ladder, const char *name, LOCKMODE lockmode, const char *function)
{
	const Ladder *inside = ladder_inside(ladder, function);
	Oid			relid = get_relname_relid(name, inside->schema);
	Relation	table;

	if (!OidIsValid(relid) || ladder_relation_named(name) == LADDER_NRELATIONS)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("ladder \"%s\" has no table \"%s\"", ladder, name)));
	table = relation_open(relid, lockmode);
	if (table->rd_rel->relowner != inside->owner || GetUserId() != inside->owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" of ladder \"%s\" belongs to another role", name, ladder)));
	return table;
}

/*
 * ---- Exchanging ----
 */

/* exchange_storage(a, b, relation) */
Datum
skillrating_exchange_storage(PG_FUNCTION_ARGS)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	Relation	a = open_table(text_to_cstring(PG_GETARG_TEXT_PP(0)), name, AccessExclusiveLock,
							   "exchange_storage");
	Relation	b = open_table(text_to_cstring(PG_GETARG_TEXT_PP(1)), name, AccessExclusiveLock,
							   "exchange_storage");

	if (RelationGetRelid(a) != RelationGetRelid(b))
		exchange_storage(a, b);
	relation_close(b, NoLock);
	relation_close(a, NoLock);
	PG_RETURN_VOID();
}

/* unpaired_indexes(a, b, relation): of table a, and then of table b. */
Datum
skillrating_unpaired_indexes(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(2));
	Relation	table[2] = {
		open_table(text_to_cstring(PG_GETARG_TEXT_PP(0)), name, AccessShareLock, "unpaired_indexes"),
		open_table(text_to_cstring(PG_GETARG_TEXT_PP(1)), name, AccessShareLock, "unpaired_indexes")
	};
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < 2; i++)
	{
		ListCell   *lc;

		foreach(lc, unpaired_indexes(table[i], table[1 - i]))
		{
			Datum		values[2] = {ObjectIdGetDatum(lfirst_oid(lc)), BoolGetDatum(i == 1)};
			bool		nulls[2] = {false};

			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	relation_close(table[1], NoLock);
	relation_close(table[0], NoLock);
	return (Datum) 0;
}

/*
 * revive_column(ladder, relation, number, name): make a column that was dropped a column of
 * type double precision.  Whatever the eight bytes in its place are, they are one.  Rows may
 * lack them, if they came after the column was dropped, and the server reads past the end of
 * a row that has a null where none can be: only ALTER TABLE, which looks at the rows, may
 * make the column NOT NULL.
 */
Datum
skillrating_revive_column(PG_FUNCTION_ARGS)
{
	Relation	table = open_table(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								   text_to_cstring(PG_GETARG_TEXT_PP(1)), AccessExclusiveLock,
								   "revive_column");
	AttrNumber	number = PG_GETARG_INT16(2);
	Name		name = PG_GETARG_NAME(3);
	Relation	catalog;
	HeapTuple	row;
	Form_pg_attribute column;

	CheckTableNotInUse(table, "ALTER TABLE");
	row = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(table)),
							  Int16GetDatum(number));
	if (!HeapTupleIsValid(row) || table->rd_rel->relkind != RELKIND_RELATION ||
		find_inheritance_children(RelationGetRelid(table), NoLock) != NIL ||
		SearchSysCacheExistsAttName(RelationGetRelid(table), NameStr(*name)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column %d of table \"%s\" cannot be called \"%s\"", number,
						RelationGetRelationName(table), NameStr(*name))));
	column = (Form_pg_attribute) GETSTRUCT(row);
	if (number < 1 || !column->attisdropped || column->attlen != sizeof(float8) ||
		column->attalign != TYPALIGN_DOUBLE || column->attbyval != FLOAT8PASSBYVAL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column %d of table \"%s\" has no room for a number", number,
						RelationGetRelationName(table))));
	column->attname = *name;
	column->atttypid = FLOAT8OID;
	column->atttypmod = -1;
	column->attcollation = InvalidOid;
	column->attstorage = TYPSTORAGE_PLAIN;
	column->attisdropped = false;
	reset_statistics_target(column);
	catalog = table_open(AttributeRelationId, RowExclusiveLock);
	CatalogTupleUpdate(catalog, &row->t_self, row);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
	relation_close(table, NoLock);
	PG_RETURN_VOID();
}

/* Forget the default of a column, or the expression that it is generated by. */
static void
remove_default(Relation table, AttrNumber number)
{
	Oid			expression = GetAttrDefaultOid(RelationGetRelid(table), number);

	if (!OidIsValid(expression))
		return;

	/* A generated column cannot do without; it is none in a moment. */
	(void) deleteDependencyRecordsFor(AttrDefaultRelationId, expression, false);
	CommandCounterIncrement();
	RemoveAttrDefault(RelationGetRelid(table), number, DROP_RESTRICT, false, true);
}

static void
mark_generated(Relation table, AttrNumber number)
{
	Relation	catalog = table_open(AttributeRelationId, RowExclusiveLock);
	HeapTuple	row = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(RelationGetRelid(table)),
										  Int16GetDatum(number));

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", number,
			 RelationGetRelid(table));
	((Form_pg_attribute) GETSTRUCT(row))->attgenerated = ATTRIBUTE_GENERATED_STORED;
	CatalogTupleUpdate(catalog, &row->t_self, row);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

/* An SQL expression, as parsed. */
static Node *
parse_expression(const char *expression)
{
	List	   *parsed = raw_parser(psprintf("SELECT %s", expression), RAW_PARSE_DEFAULT);
	SelectStmt *statement = list_length(parsed) == 1 ?
		(SelectStmt *) linitial_node(RawStmt, parsed)->stmt : NULL;

	if (statement == NULL || !IsA(statement, SelectStmt) ||
		list_length(statement->targetList) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("not an expression: %s", expression)));
	return linitial_node(ResTarget, statement->targetList)->val;
}

/*
 * set_generated(ladder, relation, column, expression): have a column be generated from now
 * on.  What is stored in it stays: it must be what the expression gives.
 */
Datum
skillrating_set_generated(PG_FUNCTION_ARGS)
{
	Relation	table = open_table(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								   text_to_cstring(PG_GETARG_TEXT_PP(1)), AccessExclusiveLock,
								   "set_generated");
	AttrNumber	number = get_attnum(RelationGetRelid(table), NameStr(*PG_GETARG_NAME(2)));
	RawColumnDefault *raw = (RawColumnDefault *) palloc0(sizeof(RawColumnDefault));

	CheckTableNotInUse(table, "ALTER TABLE");
	if (number <= 0 || table->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table \"%s\" has no column \"%s\"", RelationGetRelationName(table),
						NameStr(*PG_GETARG_NAME(2)))));
	remove_default(table, number);
	mark_generated(table, number);
	raw->attnum = number;
	raw->raw_default = parse_expression(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	raw->generated = ATTRIBUTE_GENERATED_STORED;
	(void) AddRelationNewConstraints(table, list_make1(raw), NIL, false, true, true, NULL);
	CommandCounterIncrement();
	relation_close(table, NoLock);
	PG_RETURN_VOID();
}
