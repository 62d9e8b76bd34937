/*
 * last_events.c
 *		Where the last events of a player are, without a plan over all partitions.
 *
 * A query on a partitioned table costs planning for each of its partitions, unless constants
 * of the query rule them out.  The places of a player's last events are such constants, and
 * the index of one partition after the other has them, from the last one back.
 */
#include "pg/sql/glue.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "miscadmin.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/door.h"
#include "pg/ladder/partitions.h"

SKILLRATING_FUNCTION(skillrating_last_events_from);

/* What is looked for, and how much of it has been found. */
typedef struct Search
{
	Datum		player;
	Datum		pool;
	int64		wanted;
	int64		found;
	int64		first;			/* the least place of those found */
} Search;

/* Whether the columns of an index begin with those of the primary key of event. */
static bool
has_key_of_event(Relation index, Oid relid)
{
	static const char *const key[] = {"player_id", "pool", "seq"};
	Form_pg_index form = index->rd_index;
	int			i;

	if (!form->indisvalid || form->indnkeyatts < (int) lengthof(key) ||
		index->rd_rel->relam != BTREE_AM_OID || RelationGetIndexPredicate(index) != NIL)
		return false;
	for (i = 0; i < (int) lengthof(key); i++)
	{
		if (form->indkey.values[i] == InvalidAttrNumber ||
			(index->rd_indoption[i] & INDOPTION_DESC) != 0 ||
			strcmp(get_attname(relid, form->indkey.values[i], false), key[i]) != 0)
			return false;
	}
	return true;
}

static Relation
open_index(Relation table)
{
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (has_key_of_event(index, RelationGetRelid(table)))
			return index;
		index_close(index, AccessShareLock);
	}
	return NULL;
}

/* A key of an index scan: a column equals a value. */
static void
set_key(ScanKey key, Relation index, int column, Datum value)
{
	Oid			equals = get_opfamily_member(index->rd_opfamily[column - 1],
											 index->rd_opcintype[column - 1],
											 index->rd_opcintype[column - 1],
											 BTEqualStrategyNumber);

	if (!OidIsValid(equals))
		elog(ERROR, "index \"%s\" has no operator for equality",
			 RelationGetRelationName(index));
	ScanKeyEntryInitialize(key, 0, column, BTEqualStrategyNumber, InvalidOid,
						   index->rd_indcollation[column - 1], get_opcode(equals), value);
}

/* Go back through the events that a partition has of the player; false if it cannot be. */
static bool
search_partition(Search *search, Oid partition)
{
	Relation	table = table_open(partition, AccessShareLock);
	Relation	index = table->rd_rel->relkind == RELKIND_RELATION ? open_index(table) : NULL;
	TupleTableSlot *slot;
	IndexScanDesc scan;
	ScanKeyData key[2];
	AttrNumber	seq;
	bool		isnull;

	if (index == NULL)
	{
		table_close(table, NoLock);
		return false;
	}
	seq = index->rd_index->indkey.values[2];
	slot = table_slot_create(table, NULL);
	set_key(&key[0], index, 1, search->player);
	set_key(&key[1], index, 2, search->pool);
	scan = begin_index_scan(table, index, GetActiveSnapshot(), 2);
	index_rescan(scan, key, 2, NULL, 0);
	while (search->found < search->wanted &&
		   index_getnext_slot(scan, BackwardScanDirection, slot))
	{
		search->first = DatumGetInt64(slot_getattr(slot, seq, &isnull));
		search->found++;
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, NoLock);
	table_close(table, NoLock);
	return true;
}

/* Go back through the partitions. */
static bool
search_partitions(Search *search, Relation event)
{
	PartitionDesc partitions = RelationGetPartitionDesc(event, true);
	int			i;

	if (partitions->nparts == 0 || partitions->boundinfo->default_index >= 0)
		return false;
	for (i = partitions->nparts - 1; i >= 0 && search->found < search->wanted; i--)
	{
		CHECK_FOR_INTERRUPTS();
		if (!search_partition(search, partitions->oids[i]))
			return false;
	}
	return search->found > 0;
}

/*
 * last_events_from(ladder, player_id, pool, n): the least place of the last n events of a
 * player in a pool, or of all if they are less; 0 if event is not partitioned by seq, or
 * its partitions are not what partition_history() makes, or there is no event.
 */
Datum
skillrating_last_events_from(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "last_events_from");
	IdType	   *type = ladder->player_type;
	Search		search = {0};
	Relation	event = table_open(ladder->relation[LADDER_EVENT], AccessShareLock);
	bool		found = false;

	if (is_partitioned_by_seq(event))
	{
		search.player = id_from_text(type, text_to_cstring(PG_GETARG_TEXT_PP(1)), "player_id");
		search.pool = PG_GETARG_DATUM(2);
		search.wanted = PG_GETARG_INT64(3);
		found = search_partitions(&search, event);
	}
	table_close(event, NoLock);
	PG_RETURN_INT64(found ? search.first : 0);
}
