/*
 * exchange.c
 *		Exchanging what is stored below two tables that stay where they are.
 *
 * A table is its row in pg_class, to which views, triggers, privileges, foreign keys and
 * whatever else refers by OID, and the files that this row names.  Exchanging the names of
 * the files of two tables gives each the rows of the other, and leaves everything that
 * users have hung on either where it is.  That is what CLUSTER does with a table and its
 * copy; here both tables live on, so that everything is exchanged both ways:
 *
 * - in pg_class the file, its tablespace, its size and the age of its transactions;
 * - the TOAST table as a whole, because its OID is in the rows that point to it, with the
 *	 dependency that makes it part of its table, its name and its storage parameters;
 * - the files of the indexes, each with those of the index of the same definition;
 * - statistics, and the values that rows without a column that was added later have there.
 *
 * Only catalogs change.  Their invalidations make other sessions look the tables up again,
 * replicas replay the same, and logical decoding knows each change by the file that it was
 * made in.
 *
 * Both tables are locked in ACCESS EXCLUSIVE mode.  The bytes of a row must mean the same
 * under both: columns agree one by one, in types, and those that were dropped in the space
 * that they take, and no row may have more columns than its table knows, because a column
 * that is added later would find values there.
 */
#include "pg/ladder/exchange.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_statistic.h"
#include "commands/tablecmds.h"
#include "nodes/nodeFuncs.h"
#include "storage/predicate.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

/* What an error says of a pair that does not fit. */
#define CANNOT_EXCHANGE(a, b) \
	errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), \
	errmsg("tables %s and %s cannot exchange their rows", qualified_name(a), qualified_name(b))

static char *
qualified_name(Relation relation)
{
	return psprintf("%s.%s", get_namespace_name(RelationGetNamespace(relation)),
					RelationGetRelationName(relation));
}

/*
 * ---- What must agree ----
 */

/* The value that rows have that are older than a column; false for none. */
static bool
missing_value(Oid relid, AttrNumber number, Datum *value)
{
	HeapTuple	tuple = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(relid),
											Int16GetDatum(number));
	bool		isnull = true;

	if (HeapTupleIsValid(tuple) && ((Form_pg_attribute) GETSTRUCT(tuple))->atthasmissing)
		*value = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attmissingval, &isnull);
	return !isnull;
}

static void
check_columns(Relation a, Relation b)
{
	TupleDesc	desc[2] = {RelationGetDescr(a), RelationGetDescr(b)};
	int			i;

	if (desc[0]->natts != desc[1]->natts)
		ereport(ERROR,
				(CANNOT_EXCHANGE(a, b),
				 errdetail("One has room for %d columns, the other for %d.",
						   desc[0]->natts, desc[1]->natts)));
	for (i = 0; i < desc[0]->natts; i++)
	{
		Form_pg_attribute x = TupleDescAttr(desc[0], i);
		Form_pg_attribute y = TupleDescAttr(desc[1], i);

		if (x->attisdropped != y->attisdropped || x->attlen != y->attlen ||
			x->attalign != y->attalign || x->attbyval != y->attbyval ||
			(!x->attisdropped &&
			 (strcmp(NameStr(x->attname), NameStr(y->attname)) != 0 ||
			  x->atttypid != y->atttypid || x->atttypmod != y->atttypmod ||
			  x->attcollation != y->attcollation || x->attnotnull != y->attnotnull ||
			  x->attgenerated != y->attgenerated)))
		{
			const char *name = x->attisdropped ? "" : NameStr(x->attname);
			const char *other = y->attisdropped ? "" : NameStr(y->attname);

			ereport(ERROR,
					(CANNOT_EXCHANGE(a, b),
					 errdetail("Column %d is \"%s\" in one and \"%s\" in the other, or not of one type, or nullable or generated in one of them only.",
							   i + 1, name, other),
					 errhint("Recreate one of the ladders with skillrating.rerate().")));
		}
	}
}

static void
check_pair(Relation a, Relation b)
{
	char		kind = a->rd_rel->relkind;

	CheckTableNotInUse(a, "exchange the rows of");
	CheckTableNotInUse(b, "exchange the rows of");
	if (kind != b->rd_rel->relkind ||
		(kind != RELKIND_RELATION && kind != RELKIND_SEQUENCE) ||
		!OidIsValid(a->rd_rel->relfilenode) || !OidIsValid(b->rd_rel->relfilenode))
		ereport(ERROR, (CANNOT_EXCHANGE(a, b), errdetail("They are not two tables.")));
	if (a->rd_rel->relpersistence != b->rd_rel->relpersistence)
		ereport(ERROR,
				(CANNOT_EXCHANGE(a, b), errdetail("One is logged and the other is not."),
				 errhint("See ALTER TABLE ... SET LOGGED.")));
	if (a->rd_rel->relam != b->rd_rel->relam)
		ereport(ERROR,
				(CANNOT_EXCHANGE(a, b), errdetail("Their access methods are not the same.")));
	check_columns(a, b);
}

/*
 * ---- Files that are new ----
 */

/* Whether a relation got its file in this transaction. */
static bool
has_new_file(Relation relation)
{
	return relation->rd_createSubid != InvalidSubTransactionId ||
		relation->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
}

/*
 * With wal_level = minimal a file that is new is not logged but flushed at the commit.
 * The relation whose file it becomes must know, and must forget if that is undone, which
 * the relation that it came from cannot.
 */
static void
check_new_files(Relation a, Relation b)
{
	if (!XLogIsNeeded() && (has_new_file(a) || has_new_file(b)) &&
		GetCurrentTransactionNestLevel() > 1)
		ereport(ERROR,
				(CANNOT_EXCHANGE(a, b),
				 errdetail("One was made in this transaction, and this is a subtransaction, which wal_level = minimal does not allow."),
				 errhint("Commit first.")));
}

/* Note whether the file that a relation has got is new. */
static void
note_file(Relation relation, bool is_new)
{
	if (is_new)
		RelationAssumeNewRelfilelocator(relation);
	else
	{
		relation->rd_createSubid = InvalidSubTransactionId;
		relation->rd_newRelfilelocatorSubid = InvalidSubTransactionId;
		relation->rd_firstRelfilelocatorSubid = InvalidSubTransactionId;
	}
}

/*
 * ---- pg_class ----
 */

#define EXCHANGE(type, x, y) \
	do { type exchanged_ = (x); (x) = (y); (y) = exchanged_; } while (0)

static HeapTuple
class_row(Oid relid)
{
	HeapTuple	tuple = SearchSysCacheCopy1(RELOID, ObjectIdGetDatum(relid));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	return tuple;
}

/* Exchange what the rows of two relations in pg_class say of their files. */
static void
exchange_files(Relation a, Relation b)
{
	Relation	catalog = table_open(RelationRelationId, RowExclusiveLock);
	HeapTuple	row_a = class_row(RelationGetRelid(a));
	HeapTuple	row_b = class_row(RelationGetRelid(b));
	Form_pg_class x = (Form_pg_class) GETSTRUCT(row_a);
	Form_pg_class y = (Form_pg_class) GETSTRUCT(row_b);
	int32	   *frozen_x = FORM_PG_CLASS_ALL_FROZEN(x);
	int32	   *frozen_y = FORM_PG_CLASS_ALL_FROZEN(y);
	bool		new_a = has_new_file(a);
	bool		new_b = has_new_file(b);

	EXCHANGE(Oid, x->relfilenode, y->relfilenode);
	EXCHANGE(Oid, x->reltablespace, y->reltablespace);
	EXCHANGE(int32, x->relpages, y->relpages);
	EXCHANGE(float4, x->reltuples, y->reltuples);
	EXCHANGE(int32, x->relallvisible, y->relallvisible);
	if (frozen_x != NULL)
		EXCHANGE(int32, *frozen_x, *frozen_y);
	EXCHANGE(TransactionId, x->relfrozenxid, y->relfrozenxid);
	EXCHANGE(MultiXactId, x->relminmxid, y->relminmxid);
	EXCHANGE(Oid, x->reltoastrelid, y->reltoastrelid);
	CatalogTupleUpdate(catalog, &row_a->t_self, row_a);
	CatalogTupleUpdate(catalog, &row_b->t_self, row_b);
	heap_freetuple(row_a);
	heap_freetuple(row_b);
	table_close(catalog, RowExclusiveLock);

	/*
	 * Otherwise the first to be looked up again would take the other's open
	 * file.
	 */
	RelationCloseSmgr(a);
	RelationCloseSmgr(b);
	CommandCounterIncrement();
	note_file(a, new_b);
	note_file(b, new_a);
}

/*
 * ---- TOAST tables ----
 */

/* Make a TOAST table, or none, part of another table. */
static void
own_toast(Oid toast, Oid owner)
{
	ObjectAddress part = {RelationRelationId, toast, 0};
	ObjectAddress whole = {RelationRelationId, owner, 0};

	if (!OidIsValid(toast))
		return;
	if (deleteDependencyRecordsFor(RelationRelationId, toast, false) != 1)
		elog(ERROR, "expected one dependency of TOAST table %u", toast);
	recordDependencyOn(&part, &whole, DEPENDENCY_INTERNAL);
}

/* Name a TOAST table and its index after a table. */
static void
name_toast(Oid toast, const char *name)
{
	Relation	table;
	List	   *indexes;
	ListCell   *lc;

	if (!OidIsValid(toast))
		return;
	table = table_open(toast, AccessExclusiveLock);
	indexes = RelationGetIndexList(table);
	table_close(table, NoLock);
	RenameRelationInternal(toast, name, true, false);
	foreach(lc, indexes)
		RenameRelationInternal(lfirst_oid(lc), psprintf("%s_index", name), true, true);
	CommandCounterIncrement();
}

/* Exchange the storage parameters of two TOAST tables, which are those of their tables. */
static void
exchange_toast_options(Oid a, Oid b)
{
	Relation	catalog;
	Oid			relid[2] = {a, b};
	HeapTuple	row[2];
	Datum		value[2];
	bool		isnull[2];
	int			i;

	if (!OidIsValid(a) || !OidIsValid(b))
		return;
	catalog = table_open(RelationRelationId, RowExclusiveLock);
	for (i = 0; i < 2; i++)
	{
		row[i] = class_row(relid[i]);
		value[i] = SysCacheGetAttr(RELOID, row[i], Anum_pg_class_reloptions, &isnull[i]);
	}
	for (i = 0; i < 2 && !(isnull[0] && isnull[1]); i++)
	{
		Datum		values[Natts_pg_class] = {0};
		bool		nulls[Natts_pg_class] = {false};
		bool		replaces[Natts_pg_class] = {false};
		HeapTuple	changed;

		values[Anum_pg_class_reloptions - 1] = value[1 - i];
		nulls[Anum_pg_class_reloptions - 1] = isnull[1 - i];
		replaces[Anum_pg_class_reloptions - 1] = true;
		changed = heap_modify_tuple(row[i], RelationGetDescr(catalog), values, nulls, replaces);
		CatalogTupleUpdate(catalog, &changed->t_self, changed);
	}
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

/* After two tables have exchanged their TOAST tables: those that they have now. */
static void
settle_toast(Relation a, Relation b)
{
	Oid			toast_a = a->rd_rel->reltoastrelid;
	Oid			toast_b = b->rd_rel->reltoastrelid;

	own_toast(toast_a, RelationGetRelid(a));
	own_toast(toast_b, RelationGetRelid(b));
	CommandCounterIncrement();
	name_toast(toast_a, psprintf("pg_toast_exchanged_%u", RelationGetRelid(a)));
	name_toast(toast_b, psprintf("pg_toast_%u", RelationGetRelid(b)));
	name_toast(toast_a, psprintf("pg_toast_%u", RelationGetRelid(a)));
	exchange_toast_options(toast_a, toast_b);
}

/*
 * ---- Indexes ----
 */

/* Whether an attribute of two rows of pg_index is the same. */
static bool
same_index_value(Relation a, Relation b, AttrNumber attribute)
{
	bool		null_a;
	bool		null_b;
	Datum		x = SysCacheGetAttr(INDEXRELID, a->rd_indextuple, attribute, &null_a);
	Datum		y = SysCacheGetAttr(INDEXRELID, b->rd_indextuple, attribute, &null_b);

	return null_a == null_b && (null_a || datumIsEqual(x, y, false, -1));
}

static bool
same_exclusion(Relation a, Relation b)
{
	Oid		   *operators[2];
	Oid		   *procedures;
	uint16	   *strategies;

	if (a->rd_index->indisexclusion != b->rd_index->indisexclusion)
		return false;
	if (!a->rd_index->indisexclusion)
		return true;
	RelationGetExclusionInfo(a, &operators[0], &procedures, &strategies);
	RelationGetExclusionInfo(b, &operators[1], &procedures, &strategies);
	return memcmp(operators[0], operators[1], a->rd_index->indnkeyatts * sizeof(Oid)) == 0;
}

static bool
same_options(Relation a, Relation b)
{
	bytea	  **options[2] = {RelationGetIndexAttOptions(a, true),
	RelationGetIndexAttOptions(b, true)};
	int			i;

	for (i = 0; i < a->rd_index->indnkeyatts; i++)
	{
		bytea	   *x = options[0] == NULL ? NULL : options[0][i];
		bytea	   *y = options[1] == NULL ? NULL : options[1][i];

		if ((x == NULL) != (y == NULL) ||
			(x != NULL && !datumIsEqual(PointerGetDatum(x), PointerGetDatum(y), false, -1)))
			return false;
	}
	return true;
}

/* Whether the entries of one index could be those of the other, of tables alike. */
static bool
same_definition(Relation a, Relation b)
{
	return a->rd_rel->relam == b->rd_rel->relam &&
		a->rd_index->indnatts == b->rd_index->indnatts &&
		a->rd_index->indnkeyatts == b->rd_index->indnkeyatts &&
		a->rd_index->indisunique == b->rd_index->indisunique &&
		a->rd_index->indnullsnotdistinct == b->rd_index->indnullsnotdistinct &&
		same_index_value(a, b, Anum_pg_index_indkey) &&
		same_index_value(a, b, Anum_pg_index_indcollation) &&
		same_index_value(a, b, Anum_pg_index_indclass) &&
		same_index_value(a, b, Anum_pg_index_indoption) &&
		equal(RelationGetIndexExpressions(a), RelationGetIndexExpressions(b)) &&
		equal(RelationGetIndexPredicate(a), RelationGetIndexPredicate(b)) &&
		same_exclusion(a, b) && same_options(a, b);
}

/* The indexes of a table, open and locked; an error if one cannot be used. */
static List *
open_indexes(Relation table, LOCKMODE lockmode)
{
	List	   *indexes = NIL;
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), lockmode);

		if (!index->rd_index->indisvalid || !index->rd_index->indisready)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("index %s is not valid", qualified_name(index)),
					 errhint("See REINDEX, or drop it.")));
		indexes = lappend(indexes, index);
	}
	return indexes;
}

pg_noreturn static void
report_single_index(Relation index, Relation table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table %s has no index as %s", qualified_name(table),
					qualified_name(index)),
			 errhint("Make one, or drop this one.")));
}

/* The first of some indexes that has the definition of another; NULL for none. */
static Relation
find_counterpart(Relation index, List *candidates)
{
	ListCell   *lc;

	foreach(lc, candidates)
		if (same_definition(index, lfirst(lc)))
		return lfirst(lc);
	return NULL;
}

/* The counterparts of a table's indexes among those of another, in their order. */
static List *
pair_indexes(List *indexes, List *others, Relation table, Relation other)
{
	List	   *left = list_copy(others);
	List	   *pairs = NIL;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	found = find_counterpart(lfirst(lc), left);

		if (found == NULL)
			report_single_index(lfirst(lc), other);
		left = list_delete_ptr(left, found);
		pairs = lappend(pairs, found);
	}
	if (left != NIL)
		report_single_index(linitial(left), table);
	return pairs;
}

List *
unpaired_indexes(Relation table, Relation other)
{
	List	   *indexes = open_indexes(table, AccessShareLock);
	List	   *left = open_indexes(other, AccessShareLock);
	List	   *all = list_concat_copy(indexes, left);
	List	   *unpaired = NIL;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	found = find_counterpart(lfirst(lc), left);

		if (found == NULL)
			unpaired = lappend_oid(unpaired, RelationGetRelid((Relation) lfirst(lc)));
		else
			left = list_delete_ptr(left, found);
	}
	foreach(lc, all)
		index_close(lfirst(lc), NoLock);
	return unpaired;
}

/*
 * Where an index was made among broken chains of row versions, old snapshots must not use
 * it, and they know that by the age of its row in pg_index: so both rows become new.
 */
static void
exchange_index_age(Relation a, Relation b)
{
	Relation	catalog;
	Oid			relid[2] = {RelationGetRelid(a), RelationGetRelid(b)};
	bool		young[2] = {a->rd_index->indcheckxmin, b->rd_index->indcheckxmin};
	int			i;

	if (!young[0] && !young[1])
		return;
	catalog = table_open(IndexRelationId, RowExclusiveLock);
	for (i = 0; i < 2; i++)
	{
		HeapTuple	row = SearchSysCacheCopy1(INDEXRELID, ObjectIdGetDatum(relid[i]));

		if (!HeapTupleIsValid(row))
			elog(ERROR, "cache lookup failed for index %u", relid[i]);
		((Form_pg_index) GETSTRUCT(row))->indcheckxmin = young[1 - i];
		CatalogTupleUpdate(catalog, &row->t_self, row);
	}
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

/*
 * ---- Statistics, and rows older than a column ----
 */

/* Delete what ANALYZE knows of a relation, and return it. */
static List *
take_statistics(Relation catalog, Oid relid)
{
	List	   *rows = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	ScanKeyInit(&key, Anum_pg_statistic_starelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(catalog, StatisticRelidAttnumInhIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		rows = lappend(rows, heap_copytuple(row));
		CatalogTupleDelete(catalog, &row->t_self);
	}
	systable_endscan(scan);
	return rows;
}

static void
give_statistics(Relation catalog, Oid relid, List *rows)
{
	ListCell   *lc;

	foreach(lc, rows)
	{
		Datum		values[Natts_pg_statistic] = {0};
		bool		nulls[Natts_pg_statistic] = {false};
		bool		replaces[Natts_pg_statistic] = {false};

		values[Anum_pg_statistic_starelid - 1] = ObjectIdGetDatum(relid);
		replaces[Anum_pg_statistic_starelid - 1] = true;
		CatalogTupleInsert(catalog, heap_modify_tuple(lfirst(lc), RelationGetDescr(catalog),
													  values, nulls, replaces));
	}
}

static void
exchange_statistics(Oid a, Oid b)
{
	Relation	catalog = table_open(StatisticRelationId, RowExclusiveLock);
	List	   *of_a = take_statistics(catalog, a);
	List	   *of_b = take_statistics(catalog, b);

	CommandCounterIncrement();
	give_statistics(catalog, b, of_a);
	give_statistics(catalog, a, of_b);
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

static void
set_missing_value(Relation catalog, Oid relid, AttrNumber number, bool has, Datum value)
{
	HeapTuple	row = SearchSysCacheCopy2(ATTNUM, ObjectIdGetDatum(relid),
										  Int16GetDatum(number));
	Datum		values[Natts_pg_attribute] = {0};
	bool		nulls[Natts_pg_attribute] = {false};
	bool		replaces[Natts_pg_attribute] = {false};
	HeapTuple	changed;

	if (!HeapTupleIsValid(row))
		elog(ERROR, "cache lookup failed for attribute %d of relation %u", number, relid);
	values[Anum_pg_attribute_atthasmissing - 1] = BoolGetDatum(has);
	replaces[Anum_pg_attribute_atthasmissing - 1] = true;
	values[Anum_pg_attribute_attmissingval - 1] = value;
	nulls[Anum_pg_attribute_attmissingval - 1] = !has;
	replaces[Anum_pg_attribute_attmissingval - 1] = true;
	changed = heap_modify_tuple(row, RelationGetDescr(catalog), values, nulls, replaces);
	CatalogTupleUpdate(catalog, &changed->t_self, changed);
}

static void
exchange_missing_values(Relation a, Relation b)
{
	Relation	catalog = table_open(AttributeRelationId, RowExclusiveLock);
	int			natts = RelationGetDescr(a)->natts;
	AttrNumber	i;

	for (i = 1; i <= natts; i++)
	{
		Datum		x = (Datum) 0;
		Datum		y = (Datum) 0;
		bool		has_x = missing_value(RelationGetRelid(a), i, &x);
		bool		has_y = missing_value(RelationGetRelid(b), i, &y);

		if (!has_x && !has_y)
			continue;
		set_missing_value(catalog, RelationGetRelid(a), i, has_y, y);
		set_missing_value(catalog, RelationGetRelid(b), i, has_x, x);
	}
	table_close(catalog, RowExclusiveLock);
	CommandCounterIncrement();
}

/*
 * ---- The exchange ----
 */

/* What serializable transactions have read of a table is all written at once. */
static void
note_conflicts(Relation table)
{
	CheckTableForSerializableConflictIn(table);
	TransferPredicateLocksToHeapRelation(table);
}

static void
exchange_indexes(List *indexes, List *counterparts)
{
	ListCell   *x;
	ListCell   *y;

	forboth(x, indexes, y, counterparts)
	{
		Relation	a = lfirst(x);
		Relation	b = lfirst(y);

		exchange_files(a, b);
		exchange_index_age(a, b);
		exchange_statistics(RelationGetRelid(a), RelationGetRelid(b));
		index_close(a, NoLock);
		index_close(b, NoLock);
	}
}

void
exchange_storage(Relation a, Relation b)
{
	List	   *indexes;
	List	   *counterparts;

	check_pair(a, b);
	check_new_files(a, b);
	if (a->rd_rel->relkind == RELKIND_SEQUENCE)
	{
		exchange_files(a, b);
		return;
	}
	indexes = open_indexes(a, AccessExclusiveLock);
	counterparts = pair_indexes(indexes, open_indexes(b, AccessExclusiveLock), a, b);
	note_conflicts(a);
	note_conflicts(b);
	exchange_missing_values(a, b);
	exchange_files(a, b);
	settle_toast(a, b);
	exchange_indexes(indexes, counterparts);
	exchange_statistics(RelationGetRelid(a), RelationGetRelid(b));
}
