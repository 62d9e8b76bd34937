/*
 * ladder_triggers.c
 *		The triggers that feed a ladder.
 *
 * Like those of foreign keys they run as the owner of the tables, so that who
 * inserts a match needs no right on ratings.
 */
#include "glue.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "apply.h"

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

/*
 * The ladder that a trigger's table belongs to: one of its own tables, in its
 * schema and owned by its owner.  On any other the trigger has no business.
 */
static Ladder *
trigger_ladder(Relation relation, bool to_pending)
{
	const char *name = RelationGetRelationName(relation);
	Oid			schema = RelationGetNamespace(relation);
	bool		own = to_pending ? strcmp(name, "pending") == 0 :
		strcmp(name, "match") == 0 || strcmp(name, "match_player") == 0;
	Ladder	   *ladder;

	if (own && OidIsValid(get_relname_relid("ladder", schema)))
	{
		ladder = ladder_open(schema, RowShareLock);
		if (relation->rd_rel->relowner == ladder->owner)
			return ladder;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" is not a table of a ladder", name),
			 errhint("The triggers of skillrating serve only the tables that skillrating.create_ladder() made.")));
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
 * AFTER INSERT, UPDATE or DELETE, for each statement, on match or match_player:
 * the matches whose rows it touched are to be rated, now or at commit.
 */
Datum
skillrating_collect_matches(PG_FUNCTION_ARGS)
{
	const char *function = "skillrating.collect_matches";
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Relation	relation;
	Ladder	   *ladder;
	LadderScope scope;
	IdTable    *ids;
	AttrNumber	column;
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

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = trigger_ladder(relation, false);

	column = get_attnum(RelationGetRelid(relation), "match_id");
	if (column == InvalidAttrNumber ||
		get_atttype(RelationGetRelid(relation), column) != ladder->match_type->type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"match_id\" of table \"%s\" must be of type %s",
						RelationGetRelationName(relation),
						ladder->match_type->name)));

	ids = id_table_create(ladder->match_type);
	add_transition_ids(ids, trigdata->tg_oldtable, RelationGetDescr(relation),
					   column);
	add_transition_ids(ids, trigdata->tg_newtable, RelationGetDescr(relation),
					   column);

	/* A statement that touched no row is no event. */
	n = id_table_count(ids);
	if (n > 0)
	{
		ladder_enter(ladder, true, &scope);
		if (ladder->at_commit)
			collect_matches(ladder, id_table_ids(ids), n);
		else
			apply_matches(ladder, id_table_ids(ids), n);
		ladder_leave(&scope);
	}
	SPI_finish();
	return PointerGetDatum(NULL);
}

/* BEFORE TRUNCATE on match or match_player: rated matches cannot vanish. */
Datum
skillrating_refuse_truncate(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_BY_TRUNCATE(trigdata->tg_event))
		wrong_trigger("skillrating.refuse_truncate", "before truncate");
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" belongs to a ladder and cannot be truncated",
					RelationGetRelationName(trigdata->tg_relation)),
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
		wrong_trigger("skillrating.apply_pending", "after a row of pending");

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = trigger_ladder(trigdata->tg_relation, true);
	ladder_enter(ladder, true, &scope);
	apply_pending(ladder);
	ladder_leave(&scope);
	SPI_finish();
	return PointerGetDatum(NULL);
}
