/*
 * triggers.c
 *		The triggers that feed a ladder.
 *
 * Like those of foreign keys they run as the owner of the tables, so that who
 * inserts a match needs no right on ratings.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "pg/ladder/apply.h"
#include "pg/ladder/door.h"
#include "pg/ladder/feed.h"
#include "pg/ladder/plans.h"

SKILLRATING_FUNCTION(skillrating_collect_matches);
SKILLRATING_FUNCTION(skillrating_refuse_truncate);
SKILLRATING_FUNCTION(skillrating_apply_pending);

static void
wrong_trigger(const char *function, const char *how)
{
	ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
			 errmsg("function \"%s\" must be called as a trigger %s",
					function, how),
			 errhint("skillrating.create_ladder() makes the triggers of a ladder.")));
}

static void
wrong_table(const char *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" is not a table of a ladder", table),
			 errhint("The triggers of skillrating serve only the tables that skillrating.create_ladder() made or skillrating.attach() was given.")));
}

/*
 * Whether the ladder of an attached table can do its work; source is the relation that
 * the trigger names.  One whose tables were dropped does not keep the user from writing
 * to the table: a warning says that nothing is rated.
 */
static bool
attached_ladder_works(const TriggerData *trigdata, Oid source)
{
	Oid			schema = get_rel_namespace(source);
	const char *missing = "source";

	if (OidIsValid(schema) && ladder_is_whole(schema, &missing))
		return true;
	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" feeds a ladder that is incomplete, and no match is rated",
					RelationGetRelationName(trigdata->tg_relation)),
			 OidIsValid(schema) ?
			 errdetail("Ladder \"%s\" has no relation \"%s\".",
					   get_namespace_name(schema), missing) : 0,
			 OidIsValid(schema) ?
			 errhint("SELECT skillrating.drop_ladder(%s) removes what is left of it.",
					 quote_literal_cstr(get_namespace_name(schema))) : 0));
	return false;
}

/*
 * The ladder that a trigger's table belongs to: that of the source that its condition
 * names, which then has to know of the table; or one of the ladder's own tables, in
 * its schema and owned by its owner.  On any other the trigger has no business.
 */
static Ladder *
trigger_ladder(const TriggerData *trigdata, bool to_pending, Oid source,
			   LOCKMODE lockmode)
{
	Relation	relation = trigdata->tg_relation;
	const char *name = RelationGetRelationName(relation);
	Oid			schema = RelationGetNamespace(relation);
	bool		own = to_pending ? strcmp(name, "pending") == 0 :
		strcmp(name, "match") == 0 || strcmp(name, "match_player") == 0;

	if (OidIsValid(source))
		return ladder_open(get_rel_namespace(source), lockmode);
	if (own && OidIsValid(get_relname_relid("ladder", schema)))
	{
		Ladder	   *ladder = ladder_open(schema, lockmode);

		if (relation->rd_rel->relowner == ladder->owner)
			return ladder;
	}
	wrong_table(name);
	return NULL;				/* for the compiler */
}

static LadderQuery attached_match_id_query = {
	.text = "SELECT match_id FROM {attached} WHERE relation OPERATOR(pg_catalog.=) $1",
	.param = {VALUE_OID}
};

/*
 * The column or expression that gives the matches of an attached table's rows.
 * Who owns the ladder has attached it; the trigger alone gives no right.
 */
static char *
attached_match_id(Ladder *ladder, Relation relation)
{
	Datum		relid = ObjectIdGetDatum(RelationGetRelid(relation));
	char	   *match_id;

	if (ladder_execute(ladder, &attached_match_id_query, &relid, NULL, NULL) != 1)
		wrong_table(RelationGetRelationName(relation));
	match_id = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
							ONLY_COLUMN);
	SPI_freetuptable(SPI_tuptable);
	return match_id;
}

/* Add the identifiers in one column of a transition table. */
static void
add_transition_ids(IdTable *ids, Tuplestorestate *rows, TupleDesc desc,
				   AttrNumber column)
{
	TupleTableSlot *slot;
	int			pointer;

	if (rows == NULL)
		return;
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);

	/* Other triggers of the statement read the same rows. */
	pointer = tuplestore_alloc_read_pointer(rows, EXEC_FLAG_REWIND);
	tuplestore_select_read_pointer(rows, pointer);
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		bool		isnull;
		bool		found;
		Datum		id = slot_getattr(slot, column, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			(void) id_table_enter(ids, id, "", &found);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * Add the values of an expression over the rows of the transition tables.  It is
 * evaluated with the rights of the ladder's owner, and types can bring functions
 * of their owner along: so the table must belong to the same role.
 */
static void
add_expression_ids(IdTable *ids, Ladder *ladder, TriggerData *trigdata,
				   const char *expression)
{
	Relation	relation = trigdata->tg_relation;
	StringInfoData sql;
	uint64		row;

	if (relation->rd_rel->relowner != ladder->owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" does not belong to the owner of ladder \"%s\"",
						RelationGetRelationName(relation), ladder->name),
				 errhint("Only a column of the type of the ladder's match_id can be read from another role's table.")));
	if (SPI_register_trigger_data(trigdata) != SPI_OK_TD_REGISTER)
		elog(ERROR, "could not register the transition tables");

	initStringInfo(&sql);
	if (trigdata->tg_oldtable != NULL)
		appendStringInfo(&sql, "SELECT CAST((%s) AS %s) FROM old_rows",
						 expression, ladder->match_type->name);
	if (trigdata->tg_newtable != NULL)
		appendStringInfo(&sql, "%sSELECT CAST((%s) AS %s) FROM new_rows",
						 sql.len > 0 ? " UNION " : "", expression,
						 ladder->match_type->name);
	if (SPI_execute(sql.data, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run \"%s\"", sql.data);
	for (row = 0; row < SPI_processed; row++)
	{
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(SPI_tuptable->vals[row],
									   SPI_tuptable->tupdesc, ONLY_COLUMN,
									   &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			(void) id_table_enter(ids, id, "", &found);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * AFTER INSERT, UPDATE or DELETE, for each statement, on match or match_player
 * or on an attached table: the matches whose rows it touched are to be rated,
 * now or at commit.
 */
Datum
skillrating_collect_matches(PG_FUNCTION_ARGS)
{
	const char *function = "skillrating_internal.collect_matches";
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Relation	relation;
	Ladder	   *ladder;
	LadderScope scope;
	IdTable    *ids;
	Oid			source;			/* of the ladder that the table is attached to */
	AttrNumber	column;
	const char *match_id = "match_id";
	int			n;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_STATEMENT(trigdata->tg_event))
		wrong_trigger(function, "after a statement");
	relation = trigdata->tg_relation;
	if ((!TRIGGER_FIRED_BY_DELETE(trigdata->tg_event) &&
		 trigdata->tg_newtable == NULL) ||
		(!TRIGGER_FIRED_BY_INSERT(trigdata->tg_event) &&
		 trigdata->tg_oldtable == NULL))
		wrong_trigger(function, "with transition tables for old and new rows");
	source = trigger_condition_relation(trigdata->tg_trigger);
	if (OidIsValid(source) && !attached_ladder_works(trigdata, source))
		return PointerGetDatum(NULL);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");

	/*
	 * To note the matches down does not keep anybody from catching up; only
	 * to rate them does, at the latest possible moment.
	 */
	ladder = trigger_ladder(trigdata, false, source, AccessShareLock);
	ladder->read_only = false;
	ladder_enter(ladder, RIGHTS_OF_OWNER, &scope);
	if (ladder->apply_at == APPLY_AT_STATEMENT)
	{
		ladder_leave(&scope);
		ladder = trigger_ladder(trigdata, false, source, RowShareLock);
		ladder_enter(ladder, RIGHTS_OF_OWNER, &scope);
	}
	if (OidIsValid(source))
		match_id = attached_match_id(ladder, relation);

	ids = id_table_create(ladder->match_type);
	column = get_attnum(RelationGetRelid(relation), match_id);
	if (column != InvalidAttrNumber &&
		get_atttype(RelationGetRelid(relation), column) == ladder->match_type->type)
	{
		add_transition_ids(ids, trigdata->tg_oldtable,
						   RelationGetDescr(relation), column);
		add_transition_ids(ids, trigdata->tg_newtable,
						   RelationGetDescr(relation), column);
	}
	else if (OidIsValid(source))
		add_expression_ids(ids, ladder, trigdata,
						   column == InvalidAttrNumber ? match_id :
						   quote_identifier(match_id));
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"match_id\" of table \"%s\" must be of type %s",
						RelationGetRelationName(relation),
						ladder->match_type->name)));

	/* A statement that touched no row is no event. */
	n = id_table_count(ids);
	if (n > 0)
	{
		ladder_require_own_triggers(ladder);
		if (ladder->apply_at == APPLY_AT_STATEMENT)
			apply_matches(ladder, id_table_ids(ids), n);
		else
			collect_matches(ladder, id_table_ids(ids), n);
	}
	ladder_leave(&scope);
	SPI_finish();
	return PointerGetDatum(NULL);
}

/*
 * BEFORE TRUNCATE on match or match_player or an attached table: rated matches cannot
 * vanish.
 */
Datum
skillrating_refuse_truncate(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Oid			source;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BY_TRUNCATE(trigdata->tg_event))
		wrong_trigger("skillrating_internal.refuse_truncate", "before truncate");
	source = trigger_condition_relation(trigdata->tg_trigger);
	if (OidIsValid(source) && !attached_ladder_works(trigdata, source))
		return PointerGetDatum(NULL);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" belongs to a ladder and cannot be truncated",
					RelationGetRelationName(trigdata->tg_relation)),
			 OidIsValid(source) ?
			 errhint("To let the ladder go without this table use skillrating.detach().") :
			 errhint("To remove the whole ladder use skillrating.drop_ladder().")));
}

/*
 * The deferred constraint trigger on pending: at commit, the first of a
 * transaction's statements rates the matches of all of them.
 */
Datum
skillrating_apply_pending(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Ladder	   *ladder;
	LadderScope scope;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(trigdata->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(trigdata->tg_event))
		wrong_trigger("skillrating_internal.apply_pending", "after a row of pending");

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = trigger_ladder(trigdata, true, InvalidOid, RowShareLock);
	ladder_enter(ladder, RIGHTS_OF_OWNER, &scope);
	apply_pending(ladder, false);
	ladder_leave(&scope);
	SPI_finish();
	return PointerGetDatum(NULL);
}
