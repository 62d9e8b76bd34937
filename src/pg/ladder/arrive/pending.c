/*
 * pending.c
 *		The table pending of a ladder: matches that wait for the end of the
 *		transaction that touched them, or for catch_up().
 *
 * Its trigger is deferred, which no security-restricted operation allows.  A row is
 * therefore inserted outside of one, with the rights of the ladder's owner: that
 * nothing of the owner's making runs then is checked first, under the lock that the
 * INSERT takes as well.
 */
#include "pg/ladder/arrive/pending.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "nodes/nodeFuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "replication/logicalworker.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "pg/ladder/entry/entry.h"
#include "pg/ladder/entry/shape.h"
#include "pg/sql/arrays.h"

/* One row of those that a statement adds fires the trigger, or none: the last, */
static LadderQuery write_last_query = {
	.text = "INSERT INTO {pending} (match_id, xact, fires, since) "
	"VALUES ($1, pg_catalog.pg_current_xact_id(), $2, pg_catalog.now())",
	.param = {VALUE_MATCH, VALUE_BOOL},
	.pinned = true
};

/* and none of the others. */
static LadderQuery write_others_query = {
	.text = "INSERT INTO {pending} (match_id, xact, fires, since) "
	"SELECT pg_catalog.unnest($1), pg_catalog.pg_current_xact_id(), false, pg_catalog.now()",
	.param = {ARRAY_OF(VALUE_MATCH)},
	.pinned = true
};

/* And whether a row of the match has failed before, which an index tells. */
static LadderQuery drain_pending_query = {
	.text = "DELETE FROM {pending} AS p "
	"WHERE p.xact OPERATOR(pg_catalog.=) pg_catalog.pg_current_xact_id() AND p.sqlstate IS NULL "
	"RETURNING p.match_id, (SELECT true FROM {pending} AS f WHERE f.match_id {match =} p.match_id "
	"AND f.sqlstate IS NOT NULL LIMIT 1)"
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
	"i.sqlstate, i.message, (SELECT pg_catalog.clock_timestamp()) "
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

	if (!ladder->cache->valid)
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
 * ---- Writing and reading ----
 */

/*
 * SPI is connected.  After SET CONSTRAINTS the row that fires does so at once, so that the others
 * have to be there.
 */
static void
insert_rows(Ladder *ladder, Datum *ids, int n, bool fires)
{
	Datum		values[2];

	if (n > 1)
	{
		values[0] = id_array(ladder->match_type, ids, n - 1);
		ladder_execute(ladder, &write_others_query, values, NULL, NULL);
	}
	values[0] = ids[n - 1];
	values[1] = BoolGetDatum(fires);
	ladder_execute(ladder, &write_last_query, values, NULL, NULL);
}

void
write_pending(Ladder *ladder, Datum *ids, int n)
{
	bool		fires = ladder->apply_at == APPLY_AT_COMMIT;

	if (n == 0)
		return;
	check_pending(ladder);
	ladder_lift_restriction(ladder);
	insert_rows(ladder, ids, n, fires);
	ladder_restore_restriction(ladder);
}

/*
 * ---- The queue of a subscriber ----
 */

/*
 * The match that this transaction has enqueued last.  A match comes as many rows, which an apply
 * worker reports one by one.
 */
static struct
{
	FullTransactionId xact;
	SubTransactionId subxact;
	Oid			schema;
	Datum		id;
	MemoryContext context;		/* of that, from the first one on */
}			last_enqueued;

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
	MemoryContext old;

	if (last_enqueued.context == NULL)
		last_enqueued.context = AllocSetContextCreate(TopMemoryContext, "skillrating last match",
													  ALLOCSET_SMALL_SIZES);
	last_enqueued.xact = InvalidFullTransactionId;
	MemoryContextReset(last_enqueued.context);
	old = MemoryContextSwitchTo(last_enqueued.context);
	last_enqueued.id = id_copy(ladder->match_type, id);
	MemoryContextSwitchTo(old);
	last_enqueued.subxact = GetCurrentSubTransactionId();
	last_enqueued.schema = ladder->schema;
	last_enqueued.xact = GetTopFullTransactionId();
}

void
enqueue_match(Ladder *ladder, Datum id)
{
	Ladder	   *open;

	if (was_just_enqueued(ladder, id))
		return;

	/* To open it can run a policy of the owner's. */
	open = ladder_open(ladder);
	check_pending(open);
	ladder_lift_restriction(open);
	insert_rows(open, &id, 1, false);
	ladder_restore_restriction(open);
	ladder_close(open);
	if (IsLogicalWorker())
		remember_enqueued(ladder, id);
}

static LadderQuery forget_truncations_query = {
	.text = "DELETE FROM {own replica_note} AS n WHERE n.error IS NULL"
};

void
forget_truncations(Ladder *ladder)
{
	if (ladder_owns_table(get_relname_relid("replica_note", ladder->schema)))
		(void) ladder_execute(ladder, &forget_truncations_query, NULL, NULL, NULL);
}

/* Where the rows go that are taken out. */
typedef struct Drained
{
	IdTable    *ids;
	bool		has_failed;
} Drained;

static void
take_drained(void *arg, QueryRow row)
{
	Drained    *drained = (Drained *) arg;
	bool		known = !next_is_null(&row);
	Datum		match = next_datum(&row);

	if (known)
		id_table_add(drained->ids, match);
	drained->has_failed |= next_bool(&row);
}

bool
drain_pending(Ladder *ladder, bool of_all, IdTable *ids)
{
	Drained		drained = {ids, of_all};

	last_enqueued.xact = InvalidFullTransactionId;
	if (of_all)
	{
		add_query_ids(ladder, &drain_all_query, NULL, ids);
		add_failed(ladder, ids);
	}
	else
		(void) ladder_execute_each(ladder, &drain_pending_query, NULL, NULL, take_drained,
								   &drained);
	return drained.has_failed;
}

void
add_failed(Ladder *ladder, IdTable *ids)
{
	add_query_ids(ladder, &failed_query, NULL, ids);
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
write_failed(Ladder *ladder, const Failure *failure, int n)
{
	Datum	   *id = palloc_array(Datum, n);
	const char **sqlstate = palloc_array(const char *, n);
	const char **message = palloc_array(const char *, n);
	int			i;

	for (i = 0; i < n; i++)
	{
		id[i] = failure[i].match_id;
		sqlstate[i] = pstrdup(unpack_sql_state(failure[i].sqlerrcode));
		message[i] = failure[i].message;
	}
	(void) ladder_execute(ladder, &write_failed_query,
						  DATUMS(id_array(ladder->match_type, id, n), text_array(sqlstate, n),
								 text_array(message, n)),
						  NULL, NULL);
}

/* check_pending(ladder): before SQL inserts rows that fire no trigger. */
SQL_FUNCTION(skillrating_check_pending)
{
	Ladder	   *ladder = ladder_open_inside(fcinfo);

	check_pending(ladder);
	ladder_close(ladder);
	PG_RETURN_VOID();
}
