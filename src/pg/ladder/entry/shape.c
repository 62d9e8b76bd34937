/*
 * shape.c
 *		Whether the tables of a ladder have the columns that queries rely on.
 *
 * Columns that C writes are described in columns.h; others, as far as C reads them, here.
 *
 * This runs once for each version of a ladder in the cache (cache.c), and before anything of it is
 * read: C takes values by the types that it finds here.
 */
#include "pg/ladder/entry/shape.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/ladder/entry/columns.h"

/* In place of types, those of the ladder's players and matches. */
#define OF_PLAYER InvalidOid
#define OF_MATCH ((Oid) 1)

static const struct
{
	LadderRelation relation;
	const char *name;
	Oid			type;
	bool		not_null;
}			expected_columns[] = {
	{LADDER_CONFIG, "model", TEXTOID, true},
	{LADDER_CONFIG, "params", JSONBOID, true},
	{LADDER_CONFIG, "apply_at", TEXTOID, true},
	{LADDER_CONFIG, "late", TEXTOID, true},
	{LADDER_CONFIG, "strict", BOOLOID, true},
	{LADDER_CONFIG, "on_error", TEXTOID, true},
	{LADDER_CONFIG, "format_version", INT4OID, true},
	{LADDER_CONFIG, "horizon", INT8OID, false},
	{LADDER_CONFIG, "horizon_at", TIMESTAMPTZOID, false},
	{LADDER_RATED_MATCH, "void_reason", TEXTOID, false},
	{LADDER_RATED_MATCH, "corrections", INT4OID, true},
	{LADDER_PENDING, "match_id", OF_MATCH, true},
	{LADDER_PENDING, "xact", XID8OID, true},
	{LADDER_PENDING, "fires", BOOLOID, true},
	{LADDER_PENDING, "since", TIMESTAMPTZOID, true},
	{LADDER_PENDING, "sqlstate", TEXTOID, false},
	{LADDER_PENDING, "message", TEXTOID, false},
	{LADDER_PENDING, "failed_at", TIMESTAMPTZOID, false},
	{LADDER_CORRECTION, "seq", INT8OID, false},
	{LADDER_CORRECTION, "match_id", OF_MATCH, false},
	{LADDER_CORRECTION, "kind", TEXTOID, true},
	{LADDER_CORRECTION, "played_at", TIMESTAMPTZOID, false},
	{LADDER_OPERATION, "operation", INT8OID, true},
	{LADDER_OPERATION, "seq", INT8OID, true},
	{LADDER_OPERATION, "kind", TEXTOID, true},
	{LADDER_OPERATION, "pool", TEXTOID, false},
	{LADDER_OPERATION, "player_id", OF_PLAYER, false},
	{LADDER_OPERATION, "into_id", OF_PLAYER, false},
	{LADDER_OPERATION, "since", TIMESTAMPTZOID, false},
	{LADDER_OPERATION, "until", TIMESTAMPTZOID, false},
	{LADDER_OPERATION, "at", TIMESTAMPTZOID, true},
	{LADDER_OPERATION, "state", FLOAT8ARRAYOID, false},
	{LADDER_OPERATION, "params", JSONBOID, true},
	{LADDER_OPERATION, "reason", TEXTOID, false},
	{LADDER_OPERATION, "undone_at", TIMESTAMPTZOID, false},
	{LADDER_ATTACHED, "relation", REGCLASSOID, true},
	{LADDER_ATTACHED, "match_id", TEXTOID, true},
	{LADDER_RATING_COUNT, "pool", TEXTOID, true},
	{LADDER_RATING_COUNT, "level", INT4OID, true},
	{LADDER_RATING_COUNT, "place", INT4OID, true},
	{LADDER_RATING_COUNT, "total", INT8OID, true},
	{LADDER_RATING_COUNT, "ranges", INT4ARRAYOID, false},
	{LADDER_RATING_COUNT_DELTA, "pool", TEXTOID, true},
	{LADDER_RATING_COUNT_DELTA, "ranges", INT4ARRAYOID, true},
	{LADDER_RATING_COUNT_DELTA, "nets", INT4ARRAYOID, true},
};

/* The name of a relation as SQL text; an error if it has been dropped meanwhile. */
static char *
relation_text(const LadderCache *cache, LadderRelation relation)
{
	const char *name = get_rel_name(cache->relation[relation]);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("a table of ladder \"%s\" was dropped during work on it",
						cache->name)));
	return quote_qualified_identifier(cache->name, name);
}

static int
shape_hint(void)
{
	return errhint("The tables of a ladder keep the columns that skillrating.create_ladder() gave them.");
}

void
check_ladder_format(const char *ladder, int32 format)
{
	if (format == LADDER_FORMAT)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("ladder \"%s\" has format %d, which this version of skillrating does not know",
					ladder, format),
			 errdetail("The library that this session has loaded knows format %d.", LADDER_FORMAT),
			 errhint("Reconnect if skillrating has been updated since, else install a later version.")));
}

/*
 * Tables that are not as expected may be those of another format, which is said first.
 *
 * By a scan of the table itself, because no query may be planned while the ladder is looked up,
 * and its row is the only one.
 */
static void
check_stored_format(const LadderCache *cache)
{
	Oid			relid = cache->relation[LADDER_CONFIG];
	AttrNumber	attnum = get_attnum(relid, "format_version");
	int32		format = LADDER_FORMAT;
	bool		isnull;
	Relation	table;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (get_rel_relkind(relid) != RELKIND_RELATION || attnum == InvalidAttrNumber ||
		get_atttype(relid, attnum) != INT4OID || !ActiveSnapshotSet())
		return;
	table = table_open(relid, AccessShareLock);
	scan = systable_beginscan(table, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && !heap_attisnull(tuple, attnum, NULL))
		format = DatumGetInt32(fastgetattr(tuple, attnum, RelationGetDescr(table), &isnull));
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	check_ladder_format(cache->name, format);
}

/* Error unless a table has a column of a type, and without nulls where that is asked for. */
static void
check_column(const LadderCache *cache, LadderRelation relation, const char *name,
			 Oid type, bool not_null)
{
	Oid			relid = cache->relation[relation];
	char	   *table = relation_text(cache, relation);
	HeapTuple	tuple = SearchSysCacheAttName(relid, name);
	Form_pg_attribute column;

	column = HeapTupleIsValid(tuple) ? (Form_pg_attribute) GETSTRUCT(tuple) : NULL;
	if (column == NULL || column->atttypid != type || (not_null && !column->attnotnull))
		check_stored_format(cache);
	if (column == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table %s has no column \"%s\"",
						table, name),
				 shape_hint()));
	if (column->atttypid != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of table %s has type %s, not %s", name,
						table, format_type_be(column->atttypid),
						format_type_be(type)),
				 shape_hint()));
	if (not_null && !column->attnotnull)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of table %s must be NOT NULL", name, table),
				 shape_hint()));
	ReleaseSysCache(tuple);
	pfree(table);
}

/* The same of all columns that columns.h describes, but for those of states. */
static void
check_table(const LadderCache *cache, LadderRelation relation,
			const LadderTable *table)
{
	Ladder		types = {.player_type = cache->player_type,
	.match_type = cache->match_type};
	int			i;

	for (i = 0; i < table->ncolumns; i++)
		check_column(cache, relation, table->column[i].name,
					 ladder_type_oid(&types, table->column[i].type),
					 table->column[i].presence == COLUMN_KEY ||
					 table->column[i].presence == COLUMN_NOT_NULL);
	for (i = 0; table->state_arrays && i < table->nsuffixes; i++)
		check_column(cache, relation, table->state_suffix[i], FLOAT8ARRAYOID, true);
}

/* What stands in the place of a table must be one, which calls nothing when read. */
static void
check_kind(const LadderCache *cache, LadderRelation relation)
{
	char		kind = get_rel_relkind(cache->relation[relation]);

	if (relation == LADDER_SOURCE || !OidIsValid(cache->relation[relation]))
		return;
	if (relation == LADDER_EVENT_SEQ ? kind == RELKIND_SEQUENCE :
		kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE)
		return;
	check_stored_format(cache);
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 relation == LADDER_EVENT_SEQ ?
			 errmsg("relation %s is not a sequence", relation_text(cache, relation)) :
			 errmsg("relation %s is not a table", relation_text(cache, relation)),
			 shape_hint()));
}

void
check_state_columns(const LadderCache *cache, const Model *model)
{
	int			i,
				j;

	for (i = 0; i < model->nstate; i++)
	{
		check_column(cache, LADDER_RATING, model->state[i].name, FLOAT8OID, true);
		if (OidIsValid(cache->relation[LADDER_HORIZON]))
			check_column(cache, LADDER_HORIZON, model->state[i].name, FLOAT8OID, true);
		for (j = 0; j < event_table.nsuffixes; j++)
			check_column(cache, LADDER_EVENT,
						 psprintf("%s%s", model->state[i].name,
								  event_table.state_suffix[j]),
						 FLOAT8OID, false);
	}
}

/*
 * ---- Opening ----
 */

void
ladder_cache_check(LadderCache *cache)
{
	int			i;

	for (i = 0; i < LADDER_NRELATIONS; i++)
		check_kind(cache, i);
	for (i = 0; i < (int) lengthof(expected_columns); i++)
	{
		/* Tables that not every ladder has. */
		if (!OidIsValid(cache->relation[expected_columns[i].relation]))
			continue;
		check_column(cache, expected_columns[i].relation, expected_columns[i].name,
					 expected_columns[i].type == OF_PLAYER ? cache->player_type->type :
					 expected_columns[i].type == OF_MATCH ? cache->match_type->type :
					 expected_columns[i].type,
					 expected_columns[i].not_null);
	}
	check_table(cache, LADDER_RATING, &rating_table);
	check_table(cache, LADDER_EVENT, &event_table);
	check_table(cache, LADDER_RATED_MATCH, &match_table);
	check_table(cache, LADDER_COMPONENT, &component_table);
	check_table(cache, LADDER_COMPONENT_EVENT, &component_event_table);
	if (OidIsValid(cache->relation[LADDER_HORIZON]))
		check_table(cache, LADDER_HORIZON, &rating_table);
	if (OidIsValid(cache->relation[LADDER_COMPONENT_HORIZON]))
		check_table(cache, LADDER_COMPONENT_HORIZON, &component_table);
	cache->checked = true;
}

void
ladder_cache_recheck(Ladder *ladder)
{
	MemoryContext old = MemoryContextSwitchTo(ladder->context);
	LadderCache *cache = ladder_cache_open(ladder->schema);
	int			i;

	if (!ladder->bears_owners || cache->notes_foreign)
		ladder_check_owners(cache);
	ladder->cache = cache;

	/*
	 * The tables of a horizon come with the first one, within the work on it,
	 * as does that of standings with the first season that ends; those of counts come and go within that of set_ranks().
	 */
	for (i = LADDER_HORIZON; i < LADDER_NRELATIONS; i++)
		if (!OidIsValid(ladder->relation[i]) || i >= LADDER_RATING_COUNT)
		{
			ladder->relation[i] = ladder->cache->relation[i];
			if (OidIsValid(ladder->relation[i]))
				LockRelationOid(ladder->relation[i], AccessShareLock);
		}
	if (memcmp(ladder->cache->relation, ladder->relation, sizeof(ladder->relation)) != 0 ||
		ladder->cache->player_type->type != ladder->player_type->type ||
		ladder->cache->match_type->type != ladder->match_type->type)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("a table of ladder \"%s\" was replaced during work on it",
						ladder->name),
				 errhint("Try again.")));
	if (ladder->model != NULL)
	{
		check_state_columns(ladder->cache, ladder->model);
		ladder->cache->model = ladder->model;
	}
	MemoryContextSwitchTo(old);
}
