/*
 * match_locks.c
 *		Locks on matches while they are rated, and what they leave behind.
 */
#include "pg/ladder/match_locks.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/pool_locks.h"
#include "pg/ladder/snapshot_age.h"

/* Up to so many are locked one by one: the server has locks for that. */
#define MAX_LOCKED_MATCHES 64

/*
 * ---- Looking at rows of others ----
 */

/*
 * How to find all versions of the rows of rated_match, by their key.  The owner may have
 * partitioned the table: then there is no index on all of it.
 */
typedef struct RowProbe
{
	Relation	table;
	Relation	index;			/* unique on match_id, or NULL */
	TupleTableSlot *slot;
	FmgrInfo	equal;			/* of the index */
} RowProbe;

/* A btree index that has at most one live entry for each match, or NULL. */
static Relation
open_match_index(Relation table)
{
	AttrNumber	match_id = get_attnum(RelationGetRelid(table), "match_id");
	ListCell   *lc;

	if (table->rd_rel->relkind != RELKIND_RELATION)
		return NULL;
	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		Form_pg_index form = index->rd_index;

		if (form->indisunique && form->indimmediate && form->indisvalid &&
			form->indnkeyatts == 1 && form->indkey.values[0] == match_id &&
			index->rd_rel->relam == BTREE_AM_OID &&
			RelationGetIndexPredicate(index) == NIL)
			return index;
		index_close(index, AccessShareLock);
	}
	return NULL;
}

static void
open_probe(RowProbe *probe, const Ladder *ladder)
{
	Relation	index;
	Oid			equals;

	probe->table = table_open(ladder->relation[LADDER_RATED_MATCH], AccessShareLock);
	probe->index = index = open_match_index(probe->table);
	if (index == NULL)
		return;
	probe->slot = table_slot_create(probe->table, NULL);
	equals = get_opfamily_member(index->rd_opfamily[0], index->rd_opcintype[0],
								 index->rd_opcintype[0], BTEqualStrategyNumber);
	if (!OidIsValid(equals))
		elog(ERROR, "index \"%s\" has no operator for equality",
			 RelationGetRelationName(index));
	fmgr_info(get_opcode(equals), &probe->equal);
}

static void
close_probe(RowProbe *probe)
{
	if (probe->index != NULL)
	{
		ExecDropSingleTupleTableSlot(probe->slot);
		index_close(probe->index, AccessShareLock);
	}
	table_close(probe->table, AccessShareLock);
}

/* Look for the row of a match, in all versions that a snapshot lets through. */
static IndexScanDesc
begin_probe(RowProbe *probe, Snapshot snapshot, Datum id)
{
	IndexScanDesc scan;
	ScanKeyData key;

	ScanKeyEntryInitializeWithInfo(&key, 0, 1, BTEqualStrategyNumber, InvalidOid,
								   probe->index->rd_indcollation[0],
								   &probe->equal, id);
	scan = begin_index_scan(probe->table, probe->index, snapshot, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	return scan;
}

/* A transaction in progress that has written the row of one of n matches, if any has. */
static TransactionId
writer_in_progress(RowProbe *probe, const Datum *ids, int n)
{
	TransactionId writer = InvalidTransactionId;
	SnapshotData dirty;
	int			i;

	InitDirtySnapshot(dirty);
	for (i = 0; i < n && !TransactionIdIsValid(writer); i++)
	{
		IndexScanDesc scan = begin_probe(probe, &dirty, ids[i]);

		/*
		 * Each version that it finds has the snapshot say who is at work on
		 * it.
		 */
		while (!TransactionIdIsValid(writer) &&
			   index_getnext_slot(scan, ForwardScanDirection, probe->slot))
			writer = TransactionIdIsValid(dirty.xmin) ? dirty.xmin : dirty.xmax;
		index_endscan(scan);
	}
	return writer;
}

/*
 * At the higher isolation levels, refuse matches that others have looked at since the
 * snapshot of this transaction: what these have written it cannot see.
 */
static void
check_serializable(RowProbe *probe, const Datum *ids, int n)
{
	Snapshot	snapshot = GetTransactionSnapshot();
	int			i;

	for (i = 0; i < n; i++)
	{
		IndexScanDesc scan = begin_probe(probe, SnapshotAny, ids[i]);

		CHECK_FOR_INTERRUPTS();
		while (index_getnext_slot(scan, ForwardScanDirection, probe->slot))
			if (row_changed_unseen(probe->slot, snapshot))
				ereport(ERROR,
						(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						 errmsg("could not serialize access due to concurrent update")));
		index_endscan(scan);
	}
}

/*
 * ---- Locks ----
 */

static int
compare_keys(const void *a, const void *b)
{
	uint32		i = *(const uint32 *) a;
	uint32		j = *(const uint32 *) b;

	return (i > j) - (i < j);
}

/* The keys of matches that are locked one by one: distinct, and in one order for all. */
static void
make_keys(MatchLocks *locks, const Ladder *ladder, const Datum *ids, int n)
{
	int			i;

	locks->key = palloc_array(uint32, n);
	for (i = 0; i < n; i++)
		locks->key[i] = (uint32) id_hash(ladder->match_type, ids[i]);
	qsort(locks->key, n, sizeof(uint32), compare_keys);
	locks->nkeys = 0;
	for (i = 0; i < n; i++)
		if (i == 0 || locks->key[i] != locks->key[i - 1])
			locks->key[locks->nkeys++] = locks->key[i];
}

static void
acquire_keys(const MatchLocks *locks)
{
	LOCKTAG		tag;
	int			i;

	for (i = 0; i < locks->nkeys; i++)
	{
		SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, locks->relid, locks->key[i], LOCK_TAG_MATCH);
		(void) LockAcquire(&tag, ExclusiveLock, false, false);
	}
}

static void
release_keys(const MatchLocks *locks)
{
	LOCKTAG		tag;
	int			i;

	for (i = 0; i < locks->nkeys; i++)
	{
		SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, locks->relid, locks->key[i], LOCK_TAG_MATCH);
		(void) LockRelease(&tag, ExclusiveLock, false);
	}
}

/* Lock few matches, and wait until no other transaction is at work on their rows. */
static void
lock_few(MatchLocks *locks, const Ladder *ladder, RowProbe *probe,
		 const Datum *ids, int n)
{
	make_keys(locks, ladder, ids, n);
	acquire_keys(locks);
	if (probe->index == NULL)
	{
		/*
		 * Its rows cannot serve as locks: these last to the end of the
		 * transaction.
		 */
		locks->nkeys = 0;
		return;
	}
	for (;;)
	{
		TransactionId writer = writer_in_progress(probe, ids, n);

		if (!TransactionIdIsValid(writer))
			return;

		/* That one may need another of our matches before it ends. */
		release_keys(locks);
		XactLockTableWait(writer, NULL, NULL, XLTW_None);
		acquire_keys(locks);
	}
}

void
lock_matches(MatchLocks *locks, Ladder *ladder, Datum *ids, int n)
{
	RowProbe	probe;

	/* The index is probed with identifiers as they are. */
	ladder_cache_recheck(ladder);
	memset(locks, 0, sizeof(MatchLocks));
	locks->relid = ladder->relation[LADDER_RATED_MATCH];
	locks->many = (n > MAX_LOCKED_MATCHES);
	lock_pools(ladder, ids, n, locks->many);
	open_probe(&probe, ladder);
	if (!locks->many)
		lock_few(locks, ladder, &probe, ids, n);
	if (IsolationUsesXactSnapshot() && probe.index != NULL)
		check_serializable(&probe, ids, n);
	close_probe(&probe);
}

void
unlock_matches(MatchLocks *locks)
{
	release_keys(locks);
	locks->nkeys = 0;
}

/*
 * ---- Traces ----
 */

/* A row for each match; of those that have one another version. */
static LadderQuery touch_matches_query = {
	.text = "INSERT INTO {rated_match} AS m (match_id, status, reason, detail, digest, played_at) "
	"SELECT i.id, 'unrated', 'no_match', 'not in the source', 0, pg_catalog.now() "
	"FROM pg_catalog.unnest($1) AS i(id) "
	"ON CONFLICT (match_id) DO UPDATE SET rated_at = m.rated_at",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static LadderQuery remove_matches_query = {
	.text = "DELETE FROM {rated_match} AS m WHERE m.match_id {match =} ANY ($1) "
	"AND m.status OPERATOR(pg_catalog.=) 'unrated'",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

static void
trace_matches(Ladder *ladder, LadderQuery *query, Datum *ids, int n)
{
	Datum		array = id_array(ladder->match_type, ids, n);
	uint64		nrows = ladder_execute(ladder, query, &array, NULL, NULL);

	if (nrows != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" took " UINT64_FORMAT " of %d rows",
						ladder->name, nrows, n),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
}

void
leave_trace(Ladder *ladder, Datum *known, int nknown, Datum *unknown,
			int nunknown)
{
	if (nknown > 0)
		trace_matches(ladder, &touch_matches_query, known, nknown);
	if (nunknown > 0)
	{
		/* Others see a row that is inserted until this transaction ends. */
		trace_matches(ladder, &touch_matches_query, unknown, nunknown);
		trace_matches(ladder, &remove_matches_query, unknown, nunknown);
	}
}
