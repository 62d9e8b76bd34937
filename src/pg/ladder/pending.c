/*
 * pending.c
 *		The table pending of a ladder: matches that wait for the end of the
 *		transaction that touched them, for catch_up(), or for drain().
 *
 * Its trigger is deferred, which no security-restricted operation allows.  A row is
 * therefore inserted outside of one, with the rights of the ladder's owner: that
 * nothing of the owner's making runs then is checked first, under the lock that the
 * INSERT takes as well.
 */
#include "pg/ladder/pending.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "replication/logicalworker.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/xid8.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/door.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_check_pending);

/* One row of those that a statement adds fires the trigger, or none. */
static LadderQuery write_pending_query = {
	.text = "INSERT INTO {pending} (match_id, xact, fires, since) "
	"SELECT i.id, pg_catalog.pg_current_xact_id(), $2 AND i.n OPERATOR(pg_catalog.=) 1, pg_catalog.now() "
	"FROM pg_catalog.unnest($1) WITH ORDINALITY AS i(id, n)",
	.param = {ARRAY_OF(VALUE_MATCH), VALUE_BOOL}
};

/* And whether a row of the match has failed before, which an index tells. */
static LadderQuery drain_pending_query = {
	.text = "DELETE FROM {pending} AS p "
	"WHERE p.xact OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id() AND p.sqlstate IS NULL "
	"RETURNING p.match_id, (SELECT true FROM {pending} AS f WHERE f.match_id {match =} p.match_id "
	"AND f.sqlstate IS NOT NULL LIMIT 1)"
};

enum
{
	DRAIN_MATCH_ID = 1,
	DRAIN_HAS_FAILED
};

static LadderQuery drain_all_query = {
	.text = "DELETE FROM {pending} WHERE sqlstate IS NULL RETURNING match_id"
};

static LadderQuery failed_query = {
	.text = "SELECT match_id FROM {pending} WHERE sqlstate IS NOT NULL"
};

/* The index is on a hash of the match, so that its length has no limit. */
#define FAILED_ROWS \
	"ARRAY(SELECT f.ctid FROM {pending} AS f WHERE f.match_id {match =} ANY ($1) " \
	"AND f.sqlstate IS NOT NULL FOR UPDATE SKIP LOCKED)"

static LadderQuery take_failed_query = {
	.text = "DELETE FROM {pending} AS p WHERE p.ctid OPERATOR(pg_catalog.=) ANY (" FAILED_ROWS ")",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static LadderQuery write_failed_query = {
	.text = "WITH before AS (DELETE FROM {pending} AS p "
	"WHERE p.ctid OPERATOR(pg_catalog.=) ANY (" FAILED_ROWS ") RETURNING p.match_id, p.since) "
	"INSERT INTO {pending} (match_id, xact, fires, since, sqlstate, message, failed_at) "
	"SELECT i.id, pg_catalog.pg_current_xact_id(), false, coalesce(b.since, pg_catalog.now()), "
	"i.sqlstate, i.message, pg_catalog.clock_timestamp() "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3)) AS i(id, sqlstate, message) "
	"LEFT JOIN (SELECT b.match_id, pg_catalog.min(b.since) AS since FROM before AS b GROUP BY b.match_id) AS b "
	"ON b.match_id {match =} i.id",
	.param = {ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TEXT)}
};

/*
 * Whether the only trigger is ours, with a condition that calls nothing.  That of
 * create_ladder() is the column fires.
 */
static bool
has_only_our_trigger(Relation pending)
{
	const TriggerDesc *triggers = pending->trigdesc;
	Oid			function;

	if (triggers == NULL || triggers->numtriggers != 1)
		return false;
	function = LookupFuncName(list_make2(makeString("skillrating_internal"),
										 makeString("apply_pending")),
							  0, NULL, false);
	return triggers->triggers[0].tgfoid == function &&
		triggers->triggers[0].tgdeferrable && triggers->triggers[0].tginitdeferred &&
		triggers->triggers[0].tgqual != NULL &&
		IsA(stringToNode(triggers->triggers[0].tgqual), Var);
}

/*
 * Whether an index is of those that create_ladder() makes: of the transaction, by the server's own
 * type, or of rows that have failed, which are not written here.
 */
static bool
is_our_index(Relation pending, Relation index)
{
	AttrNumber	sqlstate = get_attnum(RelationGetRelid(pending), "sqlstate");
	List	   *predicate = RelationGetIndexPredicate(index);
	NullTest   *test = predicate == NIL ? NULL : (NullTest *) linitial(predicate);

	if (RelationGetIndexExpressions(index) != NIL)
		return false;
	if (test != NULL &&
		(list_length(predicate) != 1 || !IsA(test, NullTest) || !IsA(test->arg, Var) ||
		 ((Var *) test->arg)->varattno != sqlstate))
		return false;
	if (test != NULL && test->nulltesttype == IS_NOT_NULL)
		return true;
	return index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indnatts == 1 &&
		index->rd_opcintype[0] == XID8OID;
}

/* Whether there is another index than ours: any type brings code. */
static bool
has_other_index(Relation pending)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(pending))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);
		bool		other = !is_our_index(pending, index);

		index_close(index, NoLock);
		if (other)
			return true;
	}
	return false;
}

/*
 * Whether the columns are those of create_ladder(), and nothing is computed for them:
 * the row that is inserted gives each of them.
 */
static bool
has_only_our_columns(Relation pending)
{
	static const char *const column[] = {"match_id", "xact", "fires", "since", "sqlstate", "message", "failed_at"};
	TupleDesc	desc = RelationGetDescr(pending);
	int			n = 0;
	int			i;

	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attisdropped)
			continue;
		if (n == lengthof(column) || attribute->attgenerated != '\0' ||
			attribute->attidentity != '\0' ||
			strcmp(NameStr(attribute->attname), column[n]) != 0)
			return false;
		n++;
	}
	return n == lengthof(column) &&
		(desc->constr == NULL || desc->constr->num_defval == 0);
}

/* A message about what a table pending has that could run code of the user's, or NULL. */
static const char *
find_fault(Relation pending)
{
	const TupleConstr *constraints = RelationGetDescr(pending)->constr;

	return
		pending->rd_rel->relkind != RELKIND_RELATION ||
		pending->rd_rel->relispartition ? "table %s is not a plain table" :
		pending->rd_rules != NULL ? "table %s has a rule" :
		pending->rd_rel->relrowsecurity ? "table %s has row-level security" :
		!has_only_our_trigger(pending) ? "table %s has other triggers than the one of skillrating" :
		!has_only_our_columns(pending) ? "table %s has other columns than those of skillrating, or defaults" :
		constraints != NULL && constraints->num_check > 0 ? "table %s has a constraint" :
		has_other_index(pending) ? "table %s has another index than those of skillrating" : NULL;
}

/* The lock lasts, and any change to the table makes the cache another. */
static void
check_pending(Ladder *ladder)
{
	Relation	pending = table_open(ladder->relation[LADDER_PENDING], RowExclusiveLock);
	const char *fault;

	ladder_cache_recheck(ladder);
	fault = ladder->cache->pending_safe ? NULL : find_fault(pending);
	if (fault != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg(fault, quote_qualified_identifier(ladder->name,
														  RelationGetRelationName(pending))),
				 errhint("No code of a user may run when a match is written to it.")));
	ladder->cache->pending_safe = true;
	table_close(pending, NoLock);
}

/*
 * ---- Without a query ----
 *
 * A table that was found as it should be has no other code than ours, so that nobody can tell.
 */

/* So many rows go without a query. */
#define MAX_DIRECT 64

/* The columns of pending. */
enum
{
	PENDING_MATCH_ID,
	PENDING_XACT,
	PENDING_FIRES,
	PENDING_NCOLUMNS
};

/* Where the columns are, from 0; false if their types are others. */
static bool
find_columns(const Ladder *ladder, Relation pending, int *column)
{
	const Oid	type[PENDING_NCOLUMNS] = {ladder->match_type->type, XID8OID, BOOLOID};
	TupleDesc	desc = RelationGetDescr(pending);
	int			n = 0;
	int			i;

	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attisdropped)
			continue;
		if (n == PENDING_NCOLUMNS || attribute->atttypid != type[n] || attribute->atttypmod != -1)
			return false;
		column[n++] = i;
	}
	return n == PENDING_NCOLUMNS;
}

/* Whether the owner has not given up the right. */
static bool
may_insert(const Ladder *ladder)
{
	return pg_class_aclcheck(ladder->relation[LADDER_PENDING], GetUserId(),
							 ACL_INSERT) == ACLCHECK_OK;
}

/*
 * Insert the rows, with the event of the trigger if the first one fires it; false if that takes a
 * query.
 */
static bool
write_directly(Ladder *ladder, Datum *ids, int n, bool fires)
{
	Relation	pending = table_open(ladder->relation[LADDER_PENDING], RowExclusiveLock);
	int			column[PENDING_NCOLUMNS];
	bool		direct = find_columns(ladder, pending, column);
	EState	   *estate;
	ResultRelInfo *result;
	TupleTableSlot *slot;
	int			i;

	if (!direct)
	{
		table_close(pending, NoLock);
		return false;
	}
	estate = CreateExecutorState();
	result = makeNode(ResultRelInfo);
	InitResultRelInfo(result, pending, 1, NULL, 0);
	estate->es_output_cid = GetCurrentCommandId(true);
	estate->es_opened_result_relations = list_make1(result);
	ExecOpenIndices(result, false);
	slot = table_slot_create(pending, NULL);
	AfterTriggerBeginQuery();
	for (i = 0; i < n; i++)
	{
		ExecClearTuple(slot);
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
		slot->tts_values[column[PENDING_MATCH_ID]] = ids[i];
		slot->tts_values[column[PENDING_XACT]] =
			FullTransactionIdGetDatum(GetTopFullTransactionId());
		slot->tts_values[column[PENDING_FIRES]] =
			BoolGetDatum(i == 0 && fires);
		slot->tts_isnull[column[PENDING_MATCH_ID]] = slot->tts_isnull[column[PENDING_XACT]] =
			slot->tts_isnull[column[PENDING_FIRES]] = false;
		ExecStoreVirtualTuple(slot);
		ExecSimpleRelationInsert(result, estate, slot);
		ResetPerTupleExprContext(estate);
	}

	/* A trigger that is deferred no more fires here. */
	AfterTriggerEndQuery(estate);
	ExecDropSingleTupleTableSlot(slot);
	ExecCloseResultRelations(estate);
	ExecResetTupleTable(estate->es_tupleTable, false);
	FreeExecutorState(estate);
	table_close(pending, NoLock);
	CommandCounterIncrement();
	return true;
}

/* The index on xact, or NULL. */
static Relation
open_xact_index(Relation pending)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(pending))
	{
		Relation	index = index_open(lfirst_oid(cell), RowExclusiveLock);

		if (index->rd_index->indisvalid)
			return index;
		index_close(index, NoLock);
	}
	return NULL;
}

/* Take out the rows of this transaction, which an index leads to. */
static void
drain_by_index(Relation pending, Relation index, AttrNumber match_id, IdTable *ids)
{
	TupleTableSlot *slot = table_slot_create(pending, NULL);
	Snapshot	snapshot;
	IndexScanDesc scan;
	ScanKeyData key;

	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_XID8EQ,
				FullTransactionIdGetDatum(GetTopFullTransactionId()));
	scan = begin_index_scan(pending, index, snapshot, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	while (index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		bool		found;
		Datum		id = slot_getattr(slot, match_id, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			(void) id_table_enter(ids, id, "", &found);
		simple_table_tuple_delete(pending, &slot->tts_tid, snapshot);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	UnregisterSnapshot(snapshot);
	CommandCounterIncrement();
}

/* Do that, unless it takes a query. */
static bool
drain_directly(Ladder *ladder, IdTable *ids)
{
	Relation	pending = table_open(ladder->relation[LADDER_PENDING], RowExclusiveLock);
	Relation	index = NULL;
	int			column[PENDING_NCOLUMNS];

	/* The lock keeps it as it was found. */
	ladder_cache_recheck(ladder);
	if (ladder->cache->pending_safe && find_columns(ladder, pending, column) &&
		pg_class_aclcheck(RelationGetRelid(pending), GetUserId(),
						  ACL_SELECT) == ACLCHECK_OK &&
		pg_class_aclcheck(RelationGetRelid(pending), GetUserId(),
						  ACL_DELETE) == ACLCHECK_OK)
		index = open_xact_index(pending);
	if (index != NULL)
	{
		CheckCmdReplicaIdentity(pending, CMD_DELETE);
		drain_by_index(pending, index, column[PENDING_MATCH_ID] + 1, ids);
		index_close(index, NoLock);
	}
	table_close(pending, NoLock);
	return index != NULL;
}

/*
 * ---- Writing and reading ----
 */

/* Insert the rows by a query; SPI is connected. */
static void
write_by_query(Ladder *ladder, Datum *ids, int n, bool fires)
{
	Datum		values[2];

	values[0] = id_array(ladder->match_type, ids, n);
	values[1] = BoolGetDatum(fires);
	ladder_execute(ladder, &write_pending_query, values, NULL, NULL);
}

void
write_pending(Ladder *ladder, Datum *ids, int n)
{
	bool		fires = ladder->apply_at == APPLY_AT_COMMIT;

	if (n == 0)
		return;
	check_pending(ladder);
	ladder_lift_restriction(ladder);
	if (!HAVE_DIRECT_ROWS || n > MAX_DIRECT || !may_insert(ladder) || !write_directly(ladder, ids, n, fires))
		write_by_query(ladder, ids, n, fires);
	ladder_restore_restriction(ladder);
}

/*
 * ---- The queue of a subscriber ----
 */

/*
 * The match that this transaction has enqueued last.  A match comes as many rows, which an apply
 * worker reports one by one.
 */
typedef struct LastEnqueued
{
	FullTransactionId xact;
	SubTransactionId subxact;
	Oid			schema;
	Datum		id;				/* in TopTransactionContext, */
	bool		byval;			/* unless it is a value */
} LastEnqueued;

static LastEnqueued last_enqueued;

/*
 * Whether this match is the last one that this very subtransaction has enqueued, so that both
 * rows would go or stay together.  Only in a worker of logical replication, where nothing takes
 * rows out of the queue within the transaction but drain_pending().
 */
static bool
was_just_enqueued(const Ladder *ladder, Datum id)
{
	return IsLogicalWorker() &&
		FullTransactionIdIsValid(last_enqueued.xact) &&
		FullTransactionIdEquals(last_enqueued.xact, GetTopFullTransactionIdIfAny()) &&
		last_enqueued.subxact == GetCurrentSubTransactionId() &&
		last_enqueued.schema == ladder->schema &&
		datumIsEqual(last_enqueued.id, id, ladder->match_type->typbyval,
					 ladder->match_type->typlen);
}

static void
remember_enqueued(const Ladder *ladder, Datum id)
{
	const IdType *type = ladder->match_type;
	FullTransactionId xact = GetTopFullTransactionId();
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	Datum		copy = datumCopy(id, type->typbyval, type->typlen);

	/*
	 * One transaction of a worker can copy a whole table, so that the match
	 * before is freed.  No error can come between here and the end, which
	 * would leave a pointer to it.
	 */
	MemoryContextSwitchTo(old);
	if (FullTransactionIdIsValid(last_enqueued.xact) &&
		FullTransactionIdEquals(last_enqueued.xact, xact) && !last_enqueued.byval)
		pfree(DatumGetPointer(last_enqueued.id));
	last_enqueued.xact = xact;
	last_enqueued.subxact = GetCurrentSubTransactionId();
	last_enqueued.schema = ladder->schema;
	last_enqueued.byval = type->typbyval;
	last_enqueued.id = copy;
}

void
enqueue_match(Ladder *ladder, Datum id)
{
	if (was_just_enqueued(ladder, id))
		return;
	check_pending(ladder);
	ladder_lift_restriction(ladder);
	if (!HAVE_DIRECT_ROWS || !may_insert(ladder) ||
		!write_directly(ladder, &id, 1, false))
	{
		Ladder	   *open = ladder_open(ladder);

		write_by_query(open, &id, 1, false);
		ladder_close(open);
	}
	ladder_restore_restriction(ladder);
	if (IsLogicalWorker())
		remember_enqueued(ladder, id);
}

bool
drain_pending(Ladder *ladder, bool of_all, IdTable *ids)
{
	bool		has_failed = false;
	uint64		nrows;
	uint64		i;

	last_enqueued.xact = InvalidFullTransactionId;
	if (of_all)
	{
		add_query_ids(ladder, &drain_all_query, ids);
		add_failed(ladder, ids);
		return true;
	}
	nrows = ladder_execute(ladder, &drain_pending_query, NULL, NULL, NULL);
	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(tuple, desc, DRAIN_MATCH_ID, &isnull);

		if (!isnull)
			(void) id_table_enter(ids, id, "", &found);
		(void) SPI_getbinval(tuple, desc, DRAIN_HAS_FAILED, &isnull);
		has_failed = has_failed || !isnull;
	}
	SPI_freetuptable(SPI_tuptable);
	return has_failed;
}

void
add_failed(Ladder *ladder, IdTable *ids)
{
	add_query_ids(ladder, &failed_query, ids);
}

void
take_failed(Ladder *ladder, Datum *ids, int n)
{
	Datum		array = id_array(ladder->match_type, ids, n);

	(void) ladder_execute(ladder, &take_failed_query, &array, NULL, NULL);
	pfree(DatumGetPointer(array));
}

/* No trigger event is queued for such rows, so that no restriction is in the way. */
void
write_failed(Ladder *ladder, const Failures *failures)
{
	Datum	   *id = huge_array(Datum, failures->n);
	Datum	   *sqlstate = huge_array(Datum, failures->n);
	Datum	   *message = huge_array(Datum, failures->n);
	Datum		values[3];
	int			i;

	for (i = 0; i < failures->n; i++)
	{
		const Failure *failure = &failures->failure[i];

		id[i] = failure->match_id;
		sqlstate[i] = CStringGetTextDatum(unpack_sql_state(failure->sqlerrcode));
		message[i] = i > 0 && failure[-1].message == failure->message ? message[i - 1] :
			CStringGetTextDatum(failure->message);
	}
	values[0] = id_array(ladder->match_type, id, failures->n);
	values[1] = PointerGetDatum(construct_array(sqlstate, failures->n, TEXTOID, -1, false,
												TYPALIGN_INT));
	values[2] = PointerGetDatum(construct_array(message, failures->n, TEXTOID, -1, false,
												TYPALIGN_INT));
	(void) ladder_execute(ladder, &write_failed_query, values, NULL, NULL);
}

/* check_pending(ladder): before SQL inserts rows that fire no trigger. */
Datum
skillrating_check_pending(PG_FUNCTION_ARGS)
{
	check_pending(ladder_inside_complete(text_to_cstring(PG_GETARG_TEXT_PP(0)),
										 "check_pending"));
	PG_RETURN_VOID();
}
