/*
 * snapshot_age.c
 *		What a transaction at a higher isolation level does not see of a ladder.
 */
#include "pg/ladder/snapshot_age.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/visibilitymap.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

bool
snapshot_knows(Snapshot snapshot, Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	TransactionId xmin;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	xmin = HeapTupleHeaderGetXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	return TransactionIdIsCurrentTransactionId(xmin) || !XidInMVCCSnapshot(xmin, snapshot);
}

/* Whether a transaction has committed, but too late for a snapshot. */
static bool
committed_unseen(TransactionId xid, Snapshot snapshot)
{
	return TransactionIdIsNormal(xid) &&
		!TransactionIdIsCurrentTransactionId(xid) &&
		XidInMVCCSnapshot(xid, snapshot) && TransactionIdDidCommit(xid);
}

/* Whether such a transaction has made or ended a version of a row, whose page is locked. */
static bool
version_changed_unseen(HeapTupleHeader tuple, Snapshot snapshot)
{
	TransactionId xmax = InvalidTransactionId;

	if (!(tuple->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(tuple->t_infomask))
		xmax = HeapTupleHeaderGetUpdateXid(tuple);
	return committed_unseen(HeapTupleHeaderGetXmin(tuple), snapshot) ||
		committed_unseen(xmax, snapshot);
}

bool
row_changed_unseen(TupleTableSlot *slot, Snapshot snapshot)
{
	Buffer		buffer;
	HeapTupleHeader tuple;
	bool		changed;

	if (!TTS_IS_BUFFERTUPLE(slot))
		return false;
	buffer = ((BufferHeapTupleTableSlot *) slot)->buffer;
	tuple = ExecFetchSlotHeapTuple(slot, false, NULL)->t_data;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	changed = version_changed_unseen(tuple, snapshot);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	return changed;
}

static bool
page_changed_unseen(Relation table, BlockNumber block, Snapshot snapshot,
					BufferAccessStrategy strategy)
{
	Buffer		buffer = ReadBufferExtended(table, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
	Page		page = BufferGetPage(buffer);
	bool		changed = false;
	OffsetNumber i;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	for (i = FirstOffsetNumber; i <= PageGetMaxOffsetNumber(page) && !changed; i++)
	{
		ItemId		item = PageGetItemId(page, i);

		if (ItemIdIsNormal(item))
			changed = version_changed_unseen((HeapTupleHeader) PageGetItem(page, item),
											 snapshot);
	}
	UnlockReleaseBuffer(buffer);
	return changed;
}

/*
 * Whether a table without partitions has a row that changed too late for a snapshot.  A page
 * that the visibility map calls visible to all has none: it can only be called so once all
 * transactions see its rows, and this one has had the snapshot since before.
 */
static bool
table_changed_unseen(Oid relid, Snapshot snapshot)
{
	Relation	table = try_table_open(relid, NoLock);
	bool		changed = false;

	if (table == NULL)
		return false;
	if (table->rd_rel->relkind == RELKIND_RELATION &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID)
	{
		BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
		BlockNumber nblocks = RelationGetNumberOfBlocks(table);
		Buffer		map = InvalidBuffer;
		BlockNumber block;

		for (block = 0; block < nblocks && !changed; block++)
		{
			CHECK_FOR_INTERRUPTS();
			changed = !VM_ALL_VISIBLE(table, block, &map) &&
				page_changed_unseen(table, block, snapshot, strategy);
		}
		if (BufferIsValid(map))
			ReleaseBuffer(map);
		FreeAccessStrategy(strategy);
	}
	table_close(table, NoLock);
	return changed;
}

/* The same of a table of a ladder with all its partitions. */
static bool
relation_changed_unseen(const Ladder *ladder, LadderRelation relation, Snapshot snapshot)
{
	ListCell   *lc;

	foreach(lc, find_all_inheritors(ladder->relation[relation], AccessShareLock, NULL))
	{
		if (table_changed_unseen(lfirst_oid(lc), snapshot))
			return true;
	}
	return false;
}

pg_noreturn static void
report_unseen(const Ladder *ladder)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update"),
			 errdetail("Ladder \"%s\" was changed after this transaction began.",
					   ladder->name),
			 errhint("Try again.")));
}

void
check_snapshot_age(const Ladder *ladder, LOCKMODE lockmode)
{
	static const LadderRelation tables[] = {
		LADDER_RATED_MATCH, LADDER_CORRECTION, LADDER_PENDING
	};
	int			n = (int) lengthof(tables);
	Snapshot	snapshot;
	int			i;

	if (!IsolationUsesXactSnapshot())
		return;
	snapshot = GetTransactionSnapshot();

	/* No transaction but those that it sees has ever begun to write. */
	if (snapshot->xcnt == 0 && !snapshot->suboverflowed &&
		snapshot->xmax == ReadNextTransactionId())
		return;
	if (!snapshot_knows(snapshot, ladder->relation[LADDER_CONFIG]))
		report_unseen(ladder);

	/*
	 * Whoever writes must know the horizon, before which nothing may be
	 * corrected, and whether ratings are counted; and who counts as whom, who
	 * is excluded, and by which rules matches are judged.
	 */
	if (lockmode >= RowShareLock &&
		(relation_changed_unseen(ladder, LADDER_CONFIG, snapshot) ||
		 relation_changed_unseen(ladder, LADDER_OPERATION, snapshot)))
		report_unseen(ladder);
	if (lockmode < ExclusiveLock)
		return;

	/*
	 * Others may note down in pending at any time, which only a swap would
	 * lose.
	 */
	if (lockmode < AccessExclusiveLock)
		n--;
	for (i = 0; i < n; i++)
	{
		if (relation_changed_unseen(ladder, tables[i], snapshot))
			report_unseen(ladder);
	}
}

void
check_table_age(const Ladder *ladder, Oid relid)
{
	if (!IsolationUsesXactSnapshot() || !OidIsValid(relid))
		return;
	LockRelationOid(relid, AccessShareLock);
	if (table_changed_unseen(relid, GetTransactionSnapshot()))
		report_unseen(ladder);
}
