/*
 * event_index.c
 *		The events of a player from the last one back, by the primary key of event.
 *
 * Tables are locked to the end of the transaction.  Indexes, slots and scans are closed by
 * event_index_close() or, after an error, by the resource owner.
 */
#include "pg/ladder/event_index.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/ladder/partitions.h"

/* The columns of the primary key of event, in their order. */
static const char *const event_key[] = {"player_id", "pool", "seq"};

#define EVENT_KEYS ((int) lengthof(event_key))

/* A partition, or all of a table that has none; open from its first use on. */
typedef struct EventPart
{
	Oid			relid;
	Relation	table;			/* NULL until then */
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	AttrNumber *attnum;			/* of the columns to be read */
} EventPart;

struct EventIndex
{
	Relation	event;
	Snapshot	snapshot;
	const char *const *column;
	int			ncolumns;
	EventPart  *part;			/* in the order of seq */
	int			nparts;
	bool		usable;
	int			at;				/* the part in which the last event was */
	Datum		player;
	Datum		pool;
	int64		before;
};

/* Whether the columns of an index begin with those of the primary key of event. */
static bool
has_key_of_event(Relation index, Oid relid)
{
	Form_pg_index form = index->rd_index;
	int			i;

	if (!form->indisvalid || form->indnkeyatts < EVENT_KEYS ||
		index->rd_rel->relam != BTREE_AM_OID || RelationGetIndexPredicate(index) != NIL)
		return false;
	for (i = 0; i < EVENT_KEYS; i++)
	{
		if (form->indkey.values[i] == InvalidAttrNumber ||
			(index->rd_indoption[i] & INDOPTION_DESC) != 0 ||
			strcmp(get_attname(relid, form->indkey.values[i], false), event_key[i]) != 0)
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

/* Open a part, if it is not; false if that cannot be. */
static bool
open_part(EventIndex *events, EventPart *part)
{
	int			i;

	if (part->table != NULL)
		return true;
	part->table = table_open(part->relid, AccessShareLock);
	if (part->table->rd_rel->relkind == RELKIND_RELATION)
		part->index = open_index(part->table);
	if (part->index == NULL)
		return false;
	part->slot = table_slot_create(part->table, NULL);
	part->scan = begin_index_scan(part->table, part->index, events->snapshot, EVENT_KEYS);
	part->attnum = palloc_array(AttrNumber, events->ncolumns);
	for (i = 0; i < events->ncolumns; i++)
	{
		part->attnum[i] = get_attnum(part->relid, events->column[i]);
		if (part->attnum[i] == InvalidAttrNumber)
			return false;
	}
	return true;
}

EventIndex *
event_index_open(Ladder *ladder, Snapshot snapshot, const char *const *column, int n)
{
	EventIndex *events = palloc0_object(EventIndex);
	bool		usable = true;
	int			i;

	events->event = table_open(ladder->relation[LADDER_EVENT], AccessShareLock);
	events->snapshot = snapshot;
	events->column = column;
	events->ncolumns = n;
	if (is_partitioned_by_seq(events->event))
	{
		PartitionDesc partitions = RelationGetPartitionDesc(events->event, true);

		usable = partitions->nparts > 0 && partitions->boundinfo->default_index < 0;
		events->nparts = usable ? partitions->nparts : 0;
		events->part = palloc0_array(EventPart, Max(events->nparts, 1));
		for (i = 0; i < events->nparts; i++)
			events->part[i].relid = partitions->oids[i];
	}
	else
	{
		events->nparts = 1;
		events->part = palloc0_object(EventPart);
		events->part[0].relid = RelationGetRelid(events->event);
	}
	events->usable = usable;
	return events;
}

void
event_index_close(EventIndex *events)
{
	int			i;

	for (i = 0; i < events->nparts; i++)
	{
		EventPart  *part = &events->part[i];

		if (part->scan != NULL)
			index_endscan(part->scan);
		if (part->slot != NULL)
			ExecDropSingleTupleTableSlot(part->slot);
		if (part->index != NULL)
			index_close(part->index, NoLock);
		if (part->table != NULL)
			table_close(part->table, NoLock);
	}
	table_close(events->event, NoLock);
	pfree(events);
}

bool
event_index_usable(const EventIndex *events)
{
	return events->usable;
}

/* A key of an index scan, by the operator of a strategy for the column's own type. */
static void
set_key(ScanKey key, Relation index, int column, StrategyNumber strategy, Datum value)
{
	Oid			type = index->rd_opcintype[column - 1];
	Oid			operator = get_opfamily_member(index->rd_opfamily[column - 1], type, type,
											   strategy);

	if (!OidIsValid(operator))
		elog(ERROR, "index \"%s\" lacks an operator", RelationGetRelationName(index));
	ScanKeyEntryInitialize(key, 0, column, strategy, InvalidOid,
						   index->rd_indcollation[column - 1], get_opcode(operator), value);
}

/* Go to the last of what is looked for in the parts up to the one we are at. */
static bool
search_back(EventIndex *events)
{
	for (; events->usable && events->at >= 0; events->at--)
	{
		EventPart  *part = &events->part[events->at];
		ScanKeyData key[EVENT_KEYS];

		CHECK_FOR_INTERRUPTS();
		events->usable = open_part(events, part);
		if (!events->usable)
			return false;
		set_key(&key[0], part->index, 1, BTEqualStrategyNumber, events->player);
		set_key(&key[1], part->index, 2, BTEqualStrategyNumber, events->pool);
		set_key(&key[2], part->index, 3, BTLessStrategyNumber, Int64GetDatum(events->before));
		index_rescan(part->scan, key, EVENT_KEYS, NULL, 0);
		if (index_getnext_slot(part->scan, BackwardScanDirection, part->slot))
			return true;
	}
	return false;
}

/* The part that has the places just before one: the last one, if that is past them all. */
static int
part_before(EventIndex *events, int64 before)
{
	Oid			partition = events->nparts > 1 && before < PG_INT64_MAX ?
		partition_of_seq(events->event, before - 1, NULL) : InvalidOid;
	int			i = events->nparts - 1;

	while (OidIsValid(partition) && i > 0 && events->part[i].relid != partition)
		i--;
	return i;
}

bool
event_index_last(EventIndex *events, Datum player, Datum pool, int64 before)
{
	events->player = player;
	events->pool = pool;
	events->before = before;
	events->at = part_before(events, before);
	return search_back(events);
}

bool
event_index_back(EventIndex *events)
{
	EventPart  *part = &events->part[events->at];

	if (index_getnext_slot(part->scan, BackwardScanDirection, part->slot))
		return true;
	events->at--;
	return search_back(events);
}

Datum
event_index_value(EventIndex *events, int column, bool *isnull)
{
	const EventPart *part = &events->part[events->at];

	return slot_getattr(part->slot, part->attnum[column], isnull);
}
