/*
 * player_rows.c
 *		Rows of rating, found and locked without a query.
 *
 * Finding (player_rows_find()) takes no lock and only notes where a row was seen.  Locking
 * (player_rows_lock()) goes by these places, in an order that is the same for all who rate, and
 * waits as FOR NO KEY UPDATE does; what was read before the lock is not used.  This is what queries
 * on a plain table do, without their preparation.
 *
 * The table stays locked to the end of the transaction.  The index, the slot and scans are closed
 * by the caller or, after an error, by the resource owner.
 */
#include "pg/ladder/player_rows.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/direct.h"

void
null_in_rating(const char *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("column \"%s\" of a rating is null", column)));
}

void
take_rating(const Model *model, BatchPlayer *player, const Datum *values, const bool *nulls)
{
	const char *missing = rating_read(model, values, nulls, &player->record, player->state);

	if (missing != NULL)
		null_in_rating(missing);
	player->exists = player->loaded = true;
}

struct PlayerRows
{
	Ladder	   *ladder;
	const TableMap *map;
	Relation	table;
	Relation	index;			/* unique on player_id and pool, in this order */
	FmgrInfo	equal[2];		/* of the index */
	TupleTableSlot *slot;
};

/* A btree index that has at most one live entry for each row of rating, or NULL. */
static Relation
open_player_index(Relation table, const TableMap *map)
{
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		Form_pg_index form = index->rd_index;

		if (form->indisunique && form->indimmediate && form->indisvalid &&
			form->indnkeyatts == 2 && index->rd_rel->relam == BTREE_AM_OID &&
			form->indkey.values[0] == map->attnum[RATING_PLAYER_ID - 1] &&
			form->indkey.values[1] == map->attnum[RATING_POOL - 1] &&
			RelationGetIndexPredicate(index) == NIL)
			return index;
		index_close(index, AccessShareLock);
	}
	return NULL;
}

PlayerRows *
player_rows_open(Ladder *ladder)
{
	const TableMap *map = ladder_table_map(ladder, LADDER_RATING, &rating_table);
	PlayerRows *rows;
	Relation	table;
	Relation	index;
	int			i;

	if (!can_go_direct(ladder, map))
		return NULL;

	/* The lock of those who write. */
	table = table_open(ladder->relation[LADDER_RATING], RowExclusiveLock);
	index = open_player_index(table, map);
	if (index == NULL)
	{
		table_close(table, NoLock);
		return NULL;
	}
	rows = palloc_object(PlayerRows);
	rows->ladder = ladder;
	rows->map = map;
	rows->table = table;
	rows->index = index;
	rows->slot = table_slot_create(table, NULL);
	for (i = 0; i < 2; i++)
	{
		Oid			equals = get_opfamily_member(index->rd_opfamily[i], index->rd_opcintype[i],
												 index->rd_opcintype[i],
												 BTEqualStrategyNumber);

		if (!OidIsValid(equals))
			elog(ERROR, "index \"%s\" has no operator for equality",
				 RelationGetRelationName(index));
		fmgr_info(get_opcode(equals), &rows->equal[i]);
	}
	return rows;
}

void
player_rows_close(PlayerRows *rows)
{
	ExecDropSingleTupleTableSlot(rows->slot);
	index_close(rows->index, AccessShareLock);
	table_close(rows->table, NoLock);
	pfree(rows);
}

/*
 * Whether the snapshot sees a version of the row that an entry of the index leads to, as
 * index_fetch_heap() finds it, but that nothing is removed from the page: see remove_dead_rows().
 */
static bool
fetch_place(PlayerRows *rows, IndexScanDesc scan, const ItemPointerData *entry,
			ItemPointer place)
{
	Buffer		buffer = ReadBuffer(rows->table, ItemPointerGetBlockNumber(entry));
	HeapTupleData tuple;
	bool		all_dead = false;
	bool		found;

	*place = *entry;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	found = heap_hot_search_buffer(place, rows->table, buffer, scan->xs_snapshot, &tuple,
								   &all_dead, true);
	UnlockReleaseBuffer(buffer);

	/*
	 * An entry that leads to nothing for anybody is passed over from here on.
	 */
	if (!found && !scan->xactStartedInRecovery)
		scan->kill_prior_tuple = all_dead;
	return found;
}

/* Look for the row of a player. */
static bool
find_row(PlayerRows *rows, IndexScanDesc scan, BatchPlayer *player)
{
	ScanKeyData key[2];
	Datum		pool = CStringGetTextDatum(player->pool);
	ItemPointer entry;
	bool		found = false;

	ScanKeyEntryInitializeWithInfo(&key[0], 0, 1, BTEqualStrategyNumber, InvalidOid,
								   rows->index->rd_indcollation[0], &rows->equal[0],
								   player->id);
	ScanKeyEntryInitializeWithInfo(&key[1], 0, 2, BTEqualStrategyNumber, InvalidOid,
								   rows->index->rd_indcollation[1], &rows->equal[1], pool);
	index_rescan(scan, key, 2, NULL, 0);
	while (!found && (entry = index_getnext_tid(scan, ForwardScanDirection)) != NULL)
		found = fetch_place(rows, scan, entry, &player->place);
	if (!found)
		ItemPointerSetInvalid(&player->place);
	pfree(DatumGetPointer(pool));
	return found;
}

int
player_rows_find(PlayerRows *rows, BatchPlayer **player, int n)
{
	Snapshot	snapshot;
	IndexScanDesc scan;
	int			nfound = 0;
	int			i;

	/*
	 * What this transaction has written so far is seen, as by the next query.
	 */
	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	scan = begin_index_scan(rows->table, rows->index, snapshot, 2);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		nfound += find_row(rows, scan, player[i]);
	}
	index_endscan(scan);
	UnregisterSnapshot(snapshot);
	return nfound;
}

/* To read a page costs as much as to look for so many rows. */
#define PAGE_ROWS 30

/* Find whoever is in the table, page by page. */
static void
find_in_order(PlayerRows *rows, Batch *batch)
{
	Snapshot	snapshot;
	TableScanDesc scan;

	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	scan = table_beginscan(rows->table, snapshot, 0, NULL);
	while (table_scan_getnextslot(scan, ForwardScanDirection, rows->slot))
	{
		bool		isnull[2];
		Datum		id = slot_getattr(rows->slot, rows->map->attnum[RATING_PLAYER_ID - 1],
									  &isnull[0]);
		Datum		pool = slot_getattr(rows->slot, rows->map->attnum[RATING_POOL - 1],
										&isnull[1]);
		BatchPlayer *player;
		char	   *name;

		CHECK_FOR_INTERRUPTS();
		if (isnull[0] || isnull[1])
			continue;
		name = TextDatumGetCString(pool);
		player = id_table_find(batch->players, id, name);
		if (player != NULL)
			player->place = rows->slot->tts_tid;
		pfree(name);
	}
	table_endscan(scan);
	ExecClearTuple(rows->slot);
	UnregisterSnapshot(snapshot);
}

void
player_rows_find_all(PlayerRows *rows, Batch *batch)
{
	int			nplayers = id_table_count(batch->players);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	int			n = 0;
	int			i;

	for (i = 0; i < nplayers; i++)
		if (!ItemPointerIsValid(&player[i]->place))
			player[n++] = player[i];
	if (n / PAGE_ROWS > (int64) RelationGetNumberOfBlocks(rows->table))
		find_in_order(rows, batch);
	else
		(void) player_rows_find(rows, player, n);
	pfree(player);
}

/* Whether the row in the slot, the latest version, is still that of a player. */
static bool
is_row_of(const PlayerRows *rows, const BatchPlayer *player)
{
	bool		isnull[2];
	Datum		id = slot_getattr(rows->slot, rows->map->attnum[RATING_PLAYER_ID - 1],
								  &isnull[0]);
	Datum		pool = slot_getattr(rows->slot, rows->map->attnum[RATING_POOL - 1],
									&isnull[1]);

	return !isnull[0] && !isnull[1] &&
		id_equal(rows->ladder->player_type, id, player->id) &&
		same_text(pool, player->pool);
}

/* Lock the row of a player; false if it has gone. */
static bool
lock_row(PlayerRows *rows, BatchPlayer *player)
{
	TM_FailureData failure;
	ItemPointerData place = player->place;
	uint8		flags = TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS;
	TM_Result	result;

	/*
	 * At READ COMMITTED the latest version counts, which somebody else may
	 * have just made.
	 */
	if (!IsolationUsesXactSnapshot())
		flags |= TUPLE_LOCK_FLAG_FIND_LAST_VERSION;
	result = table_tuple_lock(rows->table, &place, GetActiveSnapshot(), rows->slot,
							  GetCurrentCommandId(true), LockTupleNoKeyExclusive,
							  LockWaitBlock, flags, &failure);
	if (result != TM_Ok && IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));

	/*
	 * The version that is locked may be of a row that took the place of a
	 * deleted one.
	 */
	if (result != TM_Ok || !is_row_of(rows, player))
		return false;
	player->place = rows->slot->tts_tid;
	return true;
}

/*
 * Remove dead versions from the page of the row in the slot if another version of this one
 * would find no room there.  Whoever fetches a row by an index tries that at each visit, as
 * soon as a tenth of the page is free no more; here most updates leave a dead version on a page
 * that is almost full, so that this would go through the page for each of them.  The slot,
 * whose tuple may move, is empty afterwards.
 */
static void
remove_dead_rows(PlayerRows *rows)
{
	BufferHeapTupleTableSlot *slot = (BufferHeapTupleTableSlot *) rows->slot;
	Buffer		buffer;

	if (!TTS_IS_BUFFERTUPLE(rows->slot) || !BufferIsValid(slot->buffer))
		return;
	buffer = slot->buffer;
	if (PageGetHeapFreeSpace(BufferGetPage(buffer)) >= MAXALIGN(slot->base.tuple->t_len))
		return;
	IncrBufferRefCount(buffer);
	ExecClearTuple(rows->slot);
	heap_page_prune_opt(rows->table, buffer);
	ReleaseBuffer(buffer);
}

/* The columns of rating of the row in the slot. */
static void
get_columns(PlayerRows *rows, Datum *values, bool *nulls)
{
	const TableMap *map = rows->map;
	int			i;

	slot_getallattrs(rows->slot);
	for (i = 0; i < map->desc->natts; i++)
	{
		values[i] = rows->slot->tts_values[map->attnum[i] - 1];
		nulls[i] = rows->slot->tts_isnull[map->attnum[i] - 1];
	}
}

int
player_rows_lock(PlayerRows *rows, BatchPlayer **player, int n)
{
	int			nlocked = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		Datum		values[RATING_MAX_COLUMNS];
		bool		nulls[RATING_MAX_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		if (!ItemPointerIsValid(&player[i]->place) || !lock_row(rows, player[i]))
			continue;
		get_columns(rows, values, nulls);
		take_rating(rows->ladder->model, player[i], values, nulls);
		remove_dead_rows(rows);
		nlocked++;
	}
	ExecClearTuple(rows->slot);
	return nlocked;
}

/*
 * Follow a row from where it was seen to the version that the snapshot of the scan sees, and
 * put that into the slot; false if there is none, or it is not the player's.
 */
static bool
follow_row(PlayerRows *rows, TableScanDesc scan, BatchPlayer *player)
{
	ItemPointerData place = player->place;

	if (!ItemPointerIsValid(&place))
		return false;
	table_tuple_get_latest_tid(scan, &place);
	if (!table_tuple_fetch_row_version(rows->table, &place, scan->rs_snapshot, rows->slot) ||
		!is_row_of(rows, player))
		return false;
	player->place = place;
	return true;
}

void
player_rows_refresh(PlayerRows *rows, BatchPlayer **player, int n, TakeRow take, Batch *batch)
{
	Snapshot	snapshot = GetActiveSnapshot();
	TableScanDesc scan = table_beginscan_tid(rows->table, snapshot);
	IndexScanDesc index_scan = begin_index_scan(rows->table, rows->index, snapshot, 2);
	int			i;

	for (i = 0; i < n; i++)
	{
		Datum		values[RATING_MAX_COLUMNS];
		bool		nulls[RATING_MAX_COLUMNS];
		bool		found;

		CHECK_FOR_INTERRUPTS();
		found = follow_row(rows, scan, player[i]) ||
			(find_row(rows, index_scan, player[i]) &&
			 table_tuple_fetch_row_version(rows->table, &player[i]->place, snapshot,
										   rows->slot));
		if (found)
			get_columns(rows, values, nulls);
		else
		{
			memset(values, 0, sizeof(values));
			memset(nulls, true, sizeof(nulls));
		}
		take(batch, player[i], found, values, nulls);
	}
	ExecClearTuple(rows->slot);
	index_endscan(index_scan);
	table_endscan(scan);
}
