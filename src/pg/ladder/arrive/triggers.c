/*
 * triggers.c
 *		The triggers that feed a ladder.
 *
 * They enter the ladder as functions do and run as its owner, whoever owns the table, so
 * that who inserts a match needs no right on ratings.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_namespace.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "pg/ladder/arrive/attempts.h"
#include "pg/ladder/arrive/failures.h"
#include "pg/ladder/arrive/feed.h"
#include "pg/ladder/arrive/mirrors.h"
#include "pg/ladder/arrive/pending.h"
#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/settings.h"
#include "pg/ladder/entry/config.h"
#include "pg/ladder/entry/waiting.h"
#include "pg/sql/subtransaction.h"

/*
 * To note matches down does not keep anybody from catching up; only to rate them
 * does, at the latest possible moment.
 */
static const LadderEntry collect_entry = {
	"collect_matches", AccessShareLock, RIGHTS_OF_TRIGGER,.nladders = 1,.pins_late = true,
	.bears_owners = true
};

static const LadderEntry mirror_entry = {
	"update_mirrors", AccessShareLock, RIGHTS_OF_TRIGGER,.nladders = 1,.pins_late = true
};

static const LadderEntry fill_entry = {
	"fill_mirror", AccessShareLock, RIGHTS_OF_TRIGGER,.nladders = 1,.bears_owners = true
};

/*
 * How a trigger function is called.  Error unless the bits of its event that the mask has are these,
 * and, where it needs them (tables), it has the transition tables that such an event can have.
 */
static TriggerData *
trigger_call(FunctionCallInfo fcinfo, const char *function, TriggerEvent mask, TriggerEvent event,
			 bool tables)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || (trigdata->tg_event & mask) != event ||
		(tables && ((!TRIGGER_FIRED_BY_DELETE(trigdata->tg_event) && trigdata->tg_newtable == NULL) ||
					(!TRIGGER_FIRED_BY_INSERT(trigdata->tg_event) && trigdata->tg_oldtable == NULL))))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"skillrating_internal.%s\" serves only triggers that skillrating makes",
						function),
				 errhint("Those of a ladder are made by create_ladder(), attach() and mirror_rating().")));
	return trigdata;
}

#define WHEN_AND_LEVEL (TRIGGER_EVENT_TIMINGMASK | TRIGGER_EVENT_ROW)
#define AFTER_STATEMENT TRIGGER_EVENT_AFTER
#define AFTER_ROW (TRIGGER_EVENT_AFTER | TRIGGER_EVENT_ROW)

pg_noreturn static void
wrong_table(const char *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" is not a table of a ladder", table),
			 errhint("The triggers of skillrating serve only the tables that skillrating.create_ladder() made or that skillrating.attach() or mirror_rating() was given. A restore of data alone needs --disable-triggers.")));
}

/*
 * Whether the ladder of a table of the user can do its work; source is the relation that
 * the trigger names.  One whose tables were dropped does not keep the user from writing
 * to the table: a warning says that nothing is rated, or written to a mirror.
 */
static bool
users_ladder_works(const TriggerData *trigdata, Oid source, bool mirrors)
{
	Oid			schema = get_rel_namespace(source);
	const char *missing = "source";

	if (OidIsValid(schema) && ladder_is_whole(schema, &missing))
		return true;
	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 mirrors ?
			 errmsg("table \"%s\" mirrors a ladder that is incomplete, and gets no ratings",
					RelationGetRelationName(trigdata->tg_relation)) :
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
 * The ladder that was entered, unless its owner cannot note a match down there, or an own table of
 * the ladder is not this role's: then a warning says that nothing is rated, because the application
 * that writes to the table can do nothing about it.
 */
static Ladder *
usable_ladder(const TriggerData *trigdata, bool own, Ladder *entered)
{
	if (!entered->bears_owners ||
		(!entered->cache->notes_foreign &&
		 (!own || trigdata->tg_relation->rd_rel->relowner == entered->owner) &&
		 schema_aclcheck(entered->schema, entered->owner, ACL_USAGE) == ACLCHECK_OK))
		return entered;
	ereport(WARNING,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role \"%s\" cannot write to its ladder \"%s\", which ignores a change of table \"%s\"",
					GetUserNameFromId(entered->owner, false), entered->name,
					RelationGetRelationName(trigdata->tg_relation)),
			 errhint("Give schema %s and all its relations to that role; then SELECT skillrating.catch_up(%s, search => true, rebuild => true) finds the matches.",
					 quote_identifier(entered->name), quote_literal_cstr(entered->name))));
	ladder_leave(entered);
	return NULL;
}

/*
 * Enter the ladder that a trigger's table belongs to: that of the source
 * that its condition names, *source, which then has to know of the table; or one of the ladder's
 * own tables, in its schema and owned by its owner.  On any other the trigger has no
 * business.  A trigger of the ladder's own has no condition (source is NULL).  NULL for a ladder
 * that does not work.
 */
static Ladder *
enter_by_trigger(const TriggerData *trigdata, bool own, Oid *source, const LadderEntry *entry)
{
	Relation	relation = trigdata->tg_relation;
	Oid			schema = RelationGetNamespace(relation);

	if (source != NULL)
	{
		*source = trigger_condition_relation(trigdata->tg_trigger);
		if (OidIsValid(*source) && !users_ladder_works(trigdata, *source, entry == &fill_entry))
			return NULL;
	}
	while (source != NULL && OidIsValid(*source))
	{
		Ladder	   *entered;

		schema = get_rel_namespace(*source);
		if ((entry == &fill_entry ?
			 ladder_listed(schema, "mirror", "key", RelationGetRelid(relation)) :
			 ladder_listed(schema, "attached", "match_id", RelationGetRelid(relation))) == NULL)
			wrong_table(RelationGetRelationName(relation));
		entered = ladder_begin(schema, entry);

		/* promote_ladder() may have moved it while this waited for the lock. */
		if (get_rel_namespace(*source) == schema)
			return usable_ladder(trigdata, false, entered);
		ladder_leave(entered);
	}
	if (!own || !OidIsValid(ladder_relation_oid(schema, LADDER_CONFIG)) ||
		(!entry->bears_owners && ladder_owner(schema) != relation->rd_rel->relowner))
		wrong_table(RelationGetRelationName(relation));
	return usable_ladder(trigdata, true, ladder_begin(schema, entry));
}

/*
 * The column or expression that gives the matches of an attached table's rows.  Who owns the ladder
 * has attached it; the trigger alone gives no right, and nothing has kept the owner from deleting the
 * row that entered the ladder.
 */
static char *
attached_match_id(const Ladder *ladder, Relation relation)
{
	char	   *match_id = ladder_listed(ladder->schema, "attached", "match_id",
										 RelationGetRelid(relation));

	if (match_id == NULL)
		wrong_table(RelationGetRelationName(relation));
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
		Datum		id = slot_getattr(slot, column, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			id_table_add(ids, id);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/*
 * An expression is evaluated with the rights of the ladder's owner, and types can bring functions
 * of their owner along: so the table must belong to the same role.
 */
static void
check_expression_owner(const Ladder *ladder, Relation relation)
{
	if (relation->rd_rel->relowner != ladder->owner)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table \"%s\" does not belong to the owner of ladder \"%s\"",
						RelationGetRelationName(relation), ladder->name),
				 errhint("Only a column of the type of the ladder's match_id can be read from another role's table.")));
}

/*
 * Add the values of an expression over the rows of a FROM item, which may have the row $1 of a
 * type.  SPI is connected.
 */
static void
add_expression_ids(IdTable *ids, const Ladder *ladder, const char *expression, const char *from,
				   int nrows, Oid row_type, Datum row)
{
	char	   *sql = psprintf("SELECT CAST((%s) AS %s) FROM %s", expression,
							   ladder->match_type->name, from);
	uint64		i;

	if (SPI_execute_with_args(sql, nrows, &row_type, &row, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run \"%s\"", sql);
	for (i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		id = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, ONLY_COLUMN,
									   &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			id_table_add(ids, id);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* The same over the rows of the transition tables. */
static void
add_expression_transition_ids(IdTable *ids, const Ladder *ladder, TriggerData *trigdata,
							  const char *expression)
{
	check_expression_owner(ladder, trigdata->tg_relation);
	ladder_settle(ladder);
	if (SPI_register_trigger_data(trigdata) != SPI_OK_TD_REGISTER)
		elog(ERROR, "could not register the transition tables");
	if (trigdata->tg_oldtable != NULL)
		add_expression_ids(ids, ladder, expression, "old_rows", 0, InvalidOid, (Datum) 0);
	if (trigdata->tg_newtable != NULL)
		add_expression_ids(ids, ladder, expression, "new_rows", 0, InvalidOid, (Datum) 0);
}

/* The matches whose rows a statement touched. */
static IdTable *
touched_matches(Ladder *ladder, TriggerData *trigdata, bool attached)
{
	Relation	relation = trigdata->tg_relation;
	const char *match_id = attached ? attached_match_id(ladder, relation) : "match_id";
	IdTable    *ids = id_table_create(ladder->match_type);
	AttrNumber	column = get_attnum(RelationGetRelid(relation), match_id);

	if (column > InvalidAttrNumber &&
		get_atttype(RelationGetRelid(relation), column) == ladder->match_type->type)
	{
		add_transition_ids(ids, trigdata->tg_oldtable,
						   RelationGetDescr(relation), column);
		add_transition_ids(ids, trigdata->tg_newtable,
						   RelationGetDescr(relation), column);
	}
	else if (attached)
		add_expression_transition_ids(ids, ladder, trigdata,
									  column == InvalidAttrNumber ? match_id :
									  quote_identifier(match_id));
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"match_id\" of table \"%s\" must be of type %s",
						RelationGetRelationName(relation),
						ladder->match_type->name)));
	return ids;
}

/*
 * Have matches rated when apply_at says so.  In a ladder that was entered before they
 * wait in memory, because no trigger may be deferred there; and where somebody else's
 * operation forbids that, there is no better time than now.
 */
static void
collect_matches(Ladder *ladder, Datum *ids, int n)
{
	bool		defers = ladder->apply_at == APPLY_AT_COMMIT;

	if (ladder_is_at_work(ladder) || (defers && ladder->nested))
		keep_waiting(ladder, ids, n);
	else if (ladder->apply_at == APPLY_AT_STATEMENT ||
			 (defers && ladder_is_restricted_outside(ladder)))
		rate_now(ladder->schema, ids, n);
	else
		write_pending(ladder, ids, n);
}

/* TRUNCATE of match or match_player or an attached table: rated matches cannot vanish. */
static void
refuse_truncate(TriggerData *trigdata)
{
	Oid			source = trigger_condition_relation(trigdata->tg_trigger);

	if (OidIsValid(source) && !users_ladder_works(trigdata, source, false))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" belongs to a ladder and cannot be truncated",
					RelationGetRelationName(trigdata->tg_relation)),
			 OidIsValid(source) ?
			 errhint("To let the ladder go without this table use skillrating.detach().") :
			 errhint("To empty the ladder use skillrating.reset_ladder(), and to remove it skillrating.drop_ladder().")));
}

/*
 * AFTER INSERT, UPDATE or DELETE, for each statement, on match or match_player
 * or on an attached table: the matches whose rows it touched are to be rated,
 * now or at commit.
 */
SQL_FUNCTION(skillrating_collect_matches)
{
	TriggerData *trigdata;
	const char *name;
	Ladder	   *entered;
	Ladder	   *ladder;
	IdTable    *ids;
	Oid			source;			/* of the ladder that the table is attached to */

	if (CALLED_AS_TRIGGER(fcinfo) &&
		TRIGGER_FIRED_BY_TRUNCATE(((TriggerData *) fcinfo->context)->tg_event))
	{
		refuse_truncate((TriggerData *) fcinfo->context);
		return PointerGetDatum(NULL);
	}
	trigdata = trigger_call(fcinfo, "collect_matches", WHEN_AND_LEVEL, AFTER_STATEMENT, true);
	name = RelationGetRelationName(trigdata->tg_relation);
	entered = enter_by_trigger(trigdata, strcmp(name, "match") == 0 || strcmp(name, "match_player") == 0,
						&source, &collect_entry);
	if (entered == NULL)
		return PointerGetDatum(NULL);

	/* A statement that had to wait sees what has come meanwhile. */
	entered->read_only = false;
	ladder = ladder_open(entered);
	ids = touched_matches(ladder, trigdata, OidIsValid(source));

	/* A statement that touched no row is no event. */
	if (id_table_count(ids) > 0)
	{
		ladder_require_own_triggers(ladder);
		collect_matches(ladder, id_table_ids(ids), id_table_count(ids));
	}
	ladder_close(ladder);
	ladder_end(entered);
	return PointerGetDatum(NULL);
}

/*
 * ---- The queue of a subscriber ----
 *
 * Replicated rows come through an apply worker, or a COPY of one, which fires row triggers that
 * are enabled for it, and which tries again for ever what fails.  So a row only has the identifier
 * of its match put into the queue, and what is wrong with that identifier is noted.  Errors are
 * left that no row can cause: those of a ladder whose tables were altered.  They do stop the
 * worker, because a match that nobody notes down would be lost.
 */

/*
 * So many notes are enough to see what is wrong; a truncated table is always noted, because
 * ladder_status() reports it.
 */
#define MAX_NOTES "1000"

static LadderQuery note_query = {
	.text = "INSERT INTO {own replica_note} (relation, event, error) SELECT $1, $2, $3 "
	"WHERE $3 IS NULL OR (SELECT pg_catalog.count(*) FROM (SELECT FROM {own replica_note} LIMIT " MAX_NOTES
	") AS n) OPERATOR(pg_catalog.<) " MAX_NOTES,
	.param = {VALUE_OID, VALUE_TEXT, VALUE_TEXT}
};

static const char *
event_name(TriggerEvent event)
{
	return TRIGGER_FIRED_BY_INSERT(event) ? "insert" :
		TRIGGER_FIRED_BY_UPDATE(event) ? "update" :
		TRIGGER_FIRED_BY_DELETE(event) ? "delete" : "truncate";
}

/*
 * Note that a row had no match that could be enqueued, and why; or that a table was truncated,
 * with no error.
 */
static void
write_note(Ladder *entered, const TriggerData *trigdata, const char *error)
{
	Ladder	   *ladder = ladder_open(entered);
	bool		nulls[3] = {false, false, error == NULL};

	if (!ladder_owns_table(get_relname_relid("replica_note", ladder->schema)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("ladder \"%s\" has no table replica_note of its owner", ladder->name),
				 errhint("skillrating.attach(..., replica => true) makes it.")));
	ladder_settle(ladder);
	(void) ladder_execute(ladder, &note_query,
						  DATUMS(ObjectIdGetDatum(RelationGetRelid(trigdata->tg_relation)),
								 CStringGetTextDatum(event_name(trigdata->tg_event)),
								 error != NULL ? CStringGetTextDatum(error) : (Datum) 0),
						  nulls, NULL);
	ladder_close(ladder);
}

/* An expression over a row, and the match that comes out. */
typedef struct RowExpression
{
	Ladder	   *ladder;
	Relation	relation;
	HeapTuple	row;
	const char *text;
	IdTable    *ids;			/* in the memory of the ladder */
} RowExpression;

/* Evaluate it, in a subtransaction; SPI is connected. */
static bool
evaluate_row_expression(void *arg)
{
	const RowExpression *expression = (const RowExpression *) arg;
	Relation	relation = expression->relation;

	add_expression_ids(expression->ids, expression->ladder, expression->text,
					   "(SELECT ($1).*) AS row_", 1, relation->rd_rel->reltype,
					   heap_copy_tuple_as_datum(expression->row, RelationGetDescr(relation)));
	return true;
}

/* Enqueue the match that an expression gives for a row. */
static void
enqueue_by_expression(Ladder *entered, const TriggerData *trigdata, HeapTuple row,
					  const char *match_id)
{
	Ladder	   *ladder = ladder_open(entered);
	IdTable    *ids = id_table_create(ladder->match_type);
	RowExpression expression = {ladder, trigdata->tg_relation, row, match_id, ids};
	ErrorData  *error;
	bool		done;

	check_expression_owner(ladder, trigdata->tg_relation);
	ladder_settle(ladder);
	error = try_in_subtransaction(evaluate_row_expression, &expression, &done);

	/* To try again would not help against an error about the data of the row. */
	if (error != NULL && !error_is_about_data(error->sqlerrcode) &&
		error->sqlerrcode != ERRCODE_RAISE_EXCEPTION)
		ReThrowError(error);
	if (error != NULL)
		write_note(entered, trigdata, error->message);
	else if (id_table_count(ids) == 0)
		write_note(entered, trigdata, "the match of the row is null");
	else
		enqueue_match(entered, id_table_ids(ids)[0]);
	ladder_close(ladder);
}

/* Enqueue the match of a row. */
static void
enqueue_row(Ladder *entered, const TriggerData *trigdata, HeapTuple row, const char *match_id)
{
	Relation	relation = trigdata->tg_relation;
	AttrNumber	column = get_attnum(RelationGetRelid(relation), match_id);
	Datum		id;
	bool		isnull;

	if (column <= InvalidAttrNumber ||
		get_atttype(RelationGetRelid(relation), column) != entered->match_type->type)
	{
		enqueue_by_expression(entered, trigdata, row, column == InvalidAttrNumber ? match_id :
							  quote_identifier(match_id));
		return;
	}
	id = heap_getattr(row, column, RelationGetDescr(relation), &isnull);
	if (isnull)
		write_note(entered, trigdata, "the match of the row is null");
	else
		enqueue_match(entered, id);
}

/*
 * AFTER INSERT, UPDATE or DELETE, for each row, or TRUNCATE on a table that attach() was given
 * with replica => true, one of the ladder's own too: the matches of the row, before and after,
 * are to be looked at by catch_up().
 */
SQL_FUNCTION(skillrating_enqueue_matches)
{
	TriggerData *trigdata = trigger_call(fcinfo, "enqueue_matches", TRIGGER_EVENT_TIMINGMASK,
										 TRIGGER_EVENT_AFTER, false);
	Oid			source;
	Ladder	   *entered;
	char	   *match_id;

	if (!TRIGGER_FIRED_BY_TRUNCATE(trigdata->tg_event))
		(void) trigger_call(fcinfo, "enqueue_matches", WHEN_AND_LEVEL, AFTER_ROW, false);
	entered = enter_by_trigger(trigdata, false, &source, &collect_entry);
	if (entered == NULL)
		return PointerGetDatum(NULL);
	entered->read_only = false;

	match_id = attached_match_id(entered, trigdata->tg_relation);
	if (TRIGGER_FIRED_BY_TRUNCATE(trigdata->tg_event))
		write_note(entered, trigdata, NULL);
	else
		enqueue_row(entered, trigdata, trigdata->tg_trigtuple, match_id);
	if (TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event))
		enqueue_row(entered, trigdata, trigdata->tg_newtuple, match_id);
	ladder_end(entered);
	return PointerGetDatum(NULL);
}

/*
 * The deferred constraint trigger on pending: at commit, the first of a
 * transaction's statements rates the matches of all of them.
 */
SQL_FUNCTION(skillrating_apply_pending)
{
	TriggerData *trigdata = trigger_call(fcinfo, "apply_pending", WHEN_AND_LEVEL, AFTER_ROW, false);
	bool		own = strcmp(RelationGetRelationName(trigdata->tg_relation), "pending") == 0;
	Ladder	   *entered;
	Ladder	   *ladder;

	/*
	 * An earlier statement's firing took the row along, as it does all that are there.  To look
	 * for more would read past all of them, once for each statement.
	 */
	if (own && !table_tuple_satisfies_snapshot(trigdata->tg_relation, trigdata->tg_trigslot,
											   SnapshotSelf))
		return PointerGetDatum(NULL);

	/* What is left of a ladder can be dropped. */
	if (own && ladder_owner(RelationGetNamespace(trigdata->tg_relation)) ==
		trigdata->tg_relation->rd_rel->relowner &&
		!ladder_is_whole(RelationGetNamespace(trigdata->tg_relation), NULL))
		return PointerGetDatum(NULL);
	entered = enter_by_trigger(trigdata, own, NULL, &rating_entry);
	if (entered == NULL)
		return PointerGetDatum(NULL);
	ladder = ladder_open(entered);
	(void) apply_pending(ladder, false);
	ladder_close(ladder);
	ladder_end(entered);
	return PointerGetDatum(NULL);
}

/* AFTER INSERT, UPDATE or DELETE, for each statement, on rating. */
SQL_FUNCTION(skillrating_update_mirrors)
{
	TriggerData *trigdata = trigger_call(fcinfo, "update_mirrors", WHEN_AND_LEVEL,
										 AFTER_STATEMENT, false);
	bool		own = strcmp(RelationGetRelationName(trigdata->tg_relation), "rating") == 0;
	Ladder	   *entered = enter_by_trigger(trigdata, own, NULL, &mirror_entry);

	if (!ladder_is_hidden_from_mirrors(entered))
	{
		/* A mirror that the snapshot does not know would lack these rows. */
		if (IsolationUsesXactSnapshot())
			check_snapshot_age(entered, true);
		write_mirrors(entered, trigdata);
	}
	ladder_end(entered);
	return PointerGetDatum(NULL);
}

/* What fill_mirror() does in a subtransaction. */
typedef struct MirrorFill
{
	Ladder	   *entered;
	TriggerData *trigdata;
} MirrorFill;

static bool
write_inserted(void *arg)
{
	const MirrorFill *fill = (const MirrorFill *) arg;

	ladder_check_owners(fill->entered->cache);
	fill->entered->bears_owners = false;
	write_mirrors(fill->entered, fill->trigdata);
	return true;
}

/*
 * Give inserted rows their ratings.  An error of that is none of whoever inserts them, unless the
 * ladder raises errors.
 */
static void
fill_mirror(Ladder *entered, TriggerData *trigdata)
{
	MirrorFill	fill = {entered, trigdata};
	bool		done;
	ErrorData  *error = try_in_subtransaction(write_inserted, &fill, &done);
	Ladder	   *ladder;

	if (error == NULL)
		return;
	entered->bears_owners = true;
	ladder = ladder_open(entered);
	if (ladder->raises || !error_is_bearable(error->sqlerrcode))
		ReThrowError(error);
	warn_of_unfilled_mirror(ladder, RelationGetRelationName(trigdata->tg_relation), error);
	ladder_close(ladder);
	FreeErrorData(error);
}

/* AFTER INSERT on a mirrored table of the user, for each statement. */
SQL_FUNCTION(skillrating_fill_mirror)
{
	TriggerData *trigdata = trigger_call(fcinfo, "fill_mirror",
										 WHEN_AND_LEVEL | TRIGGER_EVENT_OPMASK,
										 AFTER_STATEMENT | TRIGGER_EVENT_INSERT, true);
	Oid			source;
	Ladder	   *entered = enter_by_trigger(trigdata, false, &source, &fill_entry);

	if (entered == NULL)
		return PointerGetDatum(NULL);
	fill_mirror(entered, trigdata);
	ladder_end(entered);
	return PointerGetDatum(NULL);
}
