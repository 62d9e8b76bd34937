/*
 * feed.c
 *		What feeds a ladder: the triggers that report matches to it.
 *
 * What is asked before a ladder is entered runs no query, because it would run as the caller:
 * catalogues are read from the caches of the server, and a list by a scan under the latest snapshot.
 */
#include "pg/ladder/arrive/feed.h"

#include "access/relation.h"
#include "access/skey.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/hold.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/shape.h"

/*
 * ---- The ladder of a trigger ----
 */

/* An expression_tree_walker that stops at the first constant of type regclass. */
static bool
find_regclass(Node *node, void *context)
{
	Oid		   *relid = (Oid *) context;

	if (node == NULL)
		return false;
	if (IsA(node, Const))
	{
		const Const *constant = (const Const *) node;

		if (constant->consttype != REGCLASSOID || constant->constisnull)
			return false;
		*relid = DatumGetObjectId(constant->constvalue);
		return true;
	}
	return expression_tree_walker(node, find_regclass, context);
}

Oid
trigger_condition_relation(const Trigger *trigger)
{
	Oid			relid = InvalidOid;

	if (trigger->tgqual != NULL)
		(void) find_regclass(stringToNode(trigger->tgqual), &relid);
	return relid;
}

bool
ladder_is_whole(Oid schema, const char **missing)
{
	int			i;

	for (i = 0; i < LADDER_NREQUIRED; i++)
		if (!OidIsValid(ladder_relation_oid(schema, i)))
		{
			if (missing != NULL)
				*missing = ladder_relation_name(i);
			return false;
		}
	return true;
}

/* The column of type text of that name, of the row of a list that is about a table; NULL if there is none. */
static char *
find_listed(Oid list, const char *name, Oid relid)
{
	Relation	relation = try_relation_open(list, AccessShareLock);
	AttrNumber	key_column = get_attnum(list, "relation");
	AttrNumber	column = get_attnum(list, name);
	char	   *value = NULL;

	if (relation == NULL)
		return NULL;
	if (relation->rd_rel->relkind == RELKIND_RELATION &&
		key_column != InvalidAttrNumber && get_atttype(list, key_column) == REGCLASSOID &&
		column != InvalidAttrNumber && get_atttype(list, column) == TEXTOID)
	{
		Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
		TupleTableSlot *slot = table_slot_create(relation, NULL);
		ScanKeyData key;
		TableScanDesc scan;
		bool		isnull = true;
		Datum		datum = (Datum) 0;

		ScanKeyInit(&key, key_column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
		scan = table_beginscan(relation, snapshot, 1, &key);
		if (table_scan_getnextslot(scan, ForwardScanDirection, slot))
			datum = slot_getattr(slot, column, &isnull);
		if (!isnull)
			value = TextDatumGetCString(datum);
		ExecDropSingleTupleTableSlot(slot);
		table_endscan(scan);
		UnregisterSnapshot(snapshot);
	}
	relation_close(relation, AccessShareLock);
	return value;
}

char *
ladder_listed(Oid schema, const char *list, const char *column, Oid relid)
{
	Oid			table = get_relname_relid(list, schema);
	char	   *value = OidIsValid(table) ? find_listed(table, column, relid) : NULL;
	ListCell   *cell;

	if (!OidIsValid(table) || value != NULL || !get_rel_relispartition(relid))
		return value;
	foreach(cell, get_partition_ancestors(relid))
	{
		value = find_listed(table, column, lfirst_oid(cell));
		if (value != NULL)
			break;
	}
	return value;
}

/*
 * ---- Whether triggers exist ----
 */

/*
 * One of our trigger functions, as it is now: an extension that was dropped and created
 * again has others than before.  InvalidOid if there is none.
 */
static Oid
trigger_function(const char *name)
{
	Oid			schema = get_namespace_oid("skillrating_internal", true);

	if (!OidIsValid(schema))
		return InvalidOid;
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
						   CStringGetDatum(name),
						   PointerGetDatum(buildoidvector(NULL, 0)),
						   ObjectIdGetDatum(schema));
}

/*
 * Whether a table has triggers of a function for all of some events, a combination of
 * TRIGGER_TYPE_INSERT and its like.  A disabled trigger is one, of which ladder_status() tells.
 */
static bool
has_triggers(Oid relid, const char *function, int16 events)
{
	Oid			wanted = trigger_function(function);
	Relation	relation = table_open(relid, AccessShareLock);
	const TriggerDesc *triggers = relation->trigdesc;
	int			i;

	for (i = 0; triggers != NULL && i < triggers->numtriggers; i++)
		if (triggers->triggers[i].tgfoid == wanted)
			events &= ~triggers->triggers[i].tgtype;
	table_close(relation, AccessShareLock);
	return events == 0;
}

pg_noreturn static void
triggers_missing(const Ladder *ladder, const char *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("ladder \"%s\" has lost its triggers", ladder->name),
			 errdetail("Table %s lacks those that skillrating made, so that matches could go unnoticed.",
					   table),
			 errhint("SELECT skillrating.restore_triggers(%s) puts them back; catch_up(search => true, rebuild => true) then finds what they missed.",
					 quote_literal_cstr(ladder->name))));
}

/* A table of the ladder's own, unless it has these triggers or does not exist; or else NULL. */
static char *
lacking_own_table(const Ladder *ladder, const char *table, const char *function, int16 events)
{
	Oid			relid = get_relname_relid(table, ladder->schema);

	if (!OidIsValid(relid) || has_triggers(relid, function, events))
		return NULL;
	return quote_qualified_identifier(ladder->name, table);
}

/* One of those that lack triggers which all ladders have, or NULL. */
static char *
find_lacking_own(const Ladder *ladder)
{
	char	   *lacking = lacking_own_table(ladder, "pending", "apply_pending", TRIGGER_TYPE_INSERT);

	if (lacking == NULL)
		lacking = lacking_own_table(ladder, "match", "collect_matches", TRIGGER_TYPE_UPDATE);
	if (lacking == NULL)
		lacking = lacking_own_table(ladder, "match_player", "collect_matches",
									TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE |
									TRIGGER_TYPE_DELETE);
	return lacking;
}

void
ladder_require_own_triggers(Ladder *ladder)
{
	char	   *lacking;

	/* Its relations are locked, so that nobody drops a trigger meanwhile. */
	if (!ladder->cache->valid)
		ladder_cache_recheck(ladder);
	if (ladder->cache->triggers_present)
		return;
	lacking = find_lacking_own(ladder);
	if (lacking != NULL)
		triggers_missing(ladder, lacking);
	ladder->cache->triggers_present = true;
}

/* How many triggers of a function a table of the user has for the ladder of source $1. */
#define COUNT_TRIGGERS(of_table, function) \
	"(SELECT pg_catalog.count(*) FROM pg_catalog.pg_depend AS d " \
	"JOIN pg_catalog.pg_trigger AS t ON t.oid OPERATOR(pg_catalog.=) d.objid " \
	"WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass " \
	"AND d.refobjid OPERATOR(pg_catalog.=) $1 " \
	"AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass " \
	"AND t.tgrelid OPERATOR(pg_catalog.=) " of_table ".relation AND t.tgfoid OPERATOR(pg_catalog.=) " function ")"

/*
 * A table that exists and lacks triggers for this ladder: an attached one those of
 * function $2 or $5, or a mirrored one of the ladder's owner, $4, that of function $3; and
 * whether there are mirrors, whose table a ladder that has had none lacks.
 */
static LadderQuery fed_query = {
	.text = "SELECT (SELECT l.relation::pg_catalog.text FROM ("
	"SELECT a.relation FROM {attached} AS a JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) a.relation "
	"WHERE " COUNT_TRIGGERS("a", "$2") " OPERATOR(pg_catalog.+) " COUNT_TRIGGERS("a", "$5") " OPERATOR(pg_catalog.<) "
	"pg_catalog.cardinality(skillrating_internal.collect_kinds(a.relation, false)) "
	"UNION ALL "
	"SELECT m.relation FROM skillrating_internal.mirrors({this}) AS m JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) m.relation "
	"WHERE c.relowner OPERATOR(pg_catalog.=) $4 AND " COUNT_TRIGGERS("m", "$3") " OPERATOR(pg_catalog.=) 0) AS l LIMIT 1), "
	"EXISTS (SELECT FROM skillrating_internal.mirrors({this}))",
	.param = {VALUE_OID, VALUE_OID, VALUE_OID, VALUE_OID, VALUE_OID}
};

/* A table of the ladder, attached or mirrored that lacks triggers, or NULL.  SPI is connected. */
static char *
find_lacking(Ladder *ladder)
{
	char	   *lacking = find_lacking_own(ladder);
	QueryRow	row;

	if (lacking != NULL)
		return lacking;
	(void) ladder_read_row(ladder, &fed_query,
						   DATUMS(ObjectIdGetDatum(ladder->relation[LADDER_SOURCE]),
								  ObjectIdGetDatum(trigger_function("collect_matches")),
								  ObjectIdGetDatum(trigger_function("fill_mirror")),
								  ObjectIdGetDatum(ladder->owner),
								  ObjectIdGetDatum(trigger_function("enqueue_matches"))),
						   &row);
	lacking = next_text(&row);
	if (lacking == NULL && next_bool(&row))
		lacking = lacking_own_table(ladder, "rating", "update_mirrors",
									TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE);
	return lacking;
}

void
ladder_require_triggers(Ladder *ladder)
{
	char	   *lacking = find_lacking(ladder);

	if (lacking != NULL)
		triggers_missing(ladder, lacking);
}

/* lacking_triggers(ladder) */
SQL_FUNCTION(skillrating_lacking_triggers)
{
	MemoryContext caller = CurrentMemoryContext;
	Ladder	   *ladder = ladder_open_inside(fcinfo);
	char	   *lacking = find_lacking(ladder);

	if (lacking != NULL)
		lacking = MemoryContextStrdup(caller, lacking);
	ladder_close(ladder);
	if (lacking == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(lacking));
}

/*
 * ---- Columns of the source ----
 */

static LadderQuery unread_columns_query = {
	.text = "SELECT unread FROM skillrating_internal.source_relation($1)",
	.param = {VALUE_OID}
};

char *
unread_source_columns(Ladder *ladder)
{
	return ladder_read_text(ladder, &unread_columns_query,
							DATUMS(ObjectIdGetDatum(ladder->relation[LADDER_SOURCE])));
}

/*
 * ---- Dropping triggers ----
 */

/*
 * Our triggers that depend on source $1, on table $2 unless that is 0, and only those of mirrors, or
 * of other tables, if $3 is true or false.
 */
static const char *const source_triggers_query =
	"SELECT t.tgrelid, t.tgparentid, t.oid FROM pg_catalog.pg_depend AS d "
	"JOIN pg_catalog.pg_trigger AS t ON t.oid OPERATOR(pg_catalog.=) d.objid "
	"JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) t.tgfoid "
	"WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
	"AND d.refobjid OPERATOR(pg_catalog.=) $1 "
	"AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_trigger'::pg_catalog.regclass "
	"AND ($2 OPERATOR(pg_catalog.=) 0 OR t.tgrelid OPERATOR(pg_catalog.=) $2) "
	"AND p.pronamespace OPERATOR(pg_catalog.=) 'skillrating_internal'::pg_catalog.regnamespace "
	"AND ($3 IS NULL OR (p.proname OPERATOR(pg_catalog.=) 'fill_mirror') OPERATOR(pg_catalog.=) $3) "
	"ORDER BY t.tgrelid";

/* Read the triggers; also those that others have made since the snapshot of the transaction. */
static void
read_source_triggers(Datum *values, const char *nulls)
{
	Oid			types[] = {OIDOID, OIDOID, BOOLOID};

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_execute_with_args(source_triggers_query, 3, types, values, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the triggers of a source");
	PopActiveSnapshot();
}

/* Lock the tables whose triggers were read, and the schema of a ladder (InvalidOid for none). */
static void
hold_trigger_tables(Oid schema, const char *ladder)
{
	ObjectAddress *held = palloc_array(ObjectAddress, SPI_processed + 1);
	int			nheld = 0;
	uint64		i;

	for (i = 0; i < SPI_processed; i++)
	{
		QueryRow	row = spi_row(SPI_tuptable, i);
		Oid			relid = next_oid(&row);

		if (nheld > 0 && held[nheld - 1].objectId == relid)
			continue;
		ObjectAddressSet(held[nheld], RelationRelationId, relid);
		nheld++;
	}
	if (OidIsValid(schema))
	{
		ObjectAddressSet(held[nheld], NamespaceRelationId, schema);
		nheld++;
	}
	if (nheld > 0)
		objects_hold(held, nheld, 0, ladder);
}

/*
 * drop_source_triggers(source, relation, mirrors): the triggers depend on the source, so that its
 * owner may drop them from whatever table they are on, as DROP VIEW ... CASCADE does.  Without a
 * relation the ladder is to go: those who rate lock it behind their tables.
 */
SQL_FUNCTION(skillrating_drop_source_triggers)
{
	Oid			source = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	Oid			relid = PG_ARGISNULL(1) ? InvalidOid : PG_GETARG_OID(1);
	ObjectAddresses *triggers = new_object_addresses();
	Datum		values[] = {ObjectIdGetDatum(source), ObjectIdGetDatum(relid), PG_GETARG_DATUM(2)};
	const char	nulls[] = {' ', ' ', PG_ARGISNULL(2) ? 'n' : ' '};
	int64		ndropped = 0;
	uint64		i;

	/* With the source all of its triggers have gone. */
	if (!OidIsValid(source) || get_rel_relkind(source) == '\0' ||
		(!PG_ARGISNULL(1) && !OidIsValid(relid)))
		PG_RETURN_INT64(0);
	if (!owns_relation(source, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(source)),
					   get_rel_name(source));
	SPI_connect();
	read_source_triggers(values, nulls);
	hold_trigger_tables(OidIsValid(relid) ? InvalidOid : get_rel_namespace(source),
						get_namespace_name(get_rel_namespace(source)));
	/* Others may have dropped some before. */
	read_source_triggers(values, nulls);
	for (i = 0; i < SPI_processed; i++)
	{
		QueryRow	row = spi_row(SPI_tuptable, i);
		ObjectAddress address;

		/* Behind its table.  That of a partition goes with the one that it was made from. */
		(void) next_oid(&row);
		if (OidIsValid(next_oid(&row)))
			continue;
		ObjectAddressSet(address, TriggerRelationId, next_oid(&row));
		add_exact_object_address(&address, triggers);
		ndropped++;
	}
	SPI_finish();
	performMultipleDeletions(triggers, DROP_RESTRICT, 0);
	free_object_addresses(triggers);
	PG_RETURN_INT64(ndropped);
}
