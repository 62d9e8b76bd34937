/*
 * partitions.c
 *		Tables event and component_event in partitions by seq.
 */
#include "pg/ladder/partitions.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/snapmgr.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/snapshot_age.h"
#include "pg/sql/subtransaction.h"

bool
is_partitioned_by_seq(Relation table)
{
	PartitionKey key;

	if (table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		return false;
	key = RelationGetPartitionKey(table);
	return key->strategy == PARTITION_STRATEGY_RANGE && key->partnatts == 1 &&
		key->partattrs[0] != InvalidAttrNumber && key->parttypid[0] == INT8OID &&
		strcmp(get_attname(RelationGetRelid(table), key->partattrs[0], false), "seq") == 0;
}

Oid
partition_of_seq(Relation table, int64 seq, int64 *next)
{
	PartitionKey key = RelationGetPartitionKey(table);
	PartitionDesc partitions = RelationGetPartitionDesc(table, true);
	PartitionBoundInfo bounds = partitions->boundinfo;
	Datum		value = Int64GetDatum(seq);
	bool		is_equal;
	int			bound;

	if (partitions->nparts == 0)
		return InvalidOid;

	/* The partition whose lower bound is the last one up to that place. */
	bound = partition_range_datum_bsearch(key->partsupfunc, key->partcollation, bounds, 1,
										  &value, &is_equal) + 1;
	if (bounds->indexes[bound] < 0)
		return InvalidOid;
	if (next != NULL)
		*next = bounds->kind[bound][0] == PARTITION_RANGE_DATUM_VALUE ?
			DatumGetInt64(bounds->datums[bound][0]) : PG_INT64_MAX;
	return partitions->oids[bounds->indexes[bound]];
}

/*
 * ---- Room ----
 */

/* How much room there is behind a place. */
typedef enum Room
{
	ROOM_ENOUGH,				/* or the table is not partitioned by us */
	ROOM_SCARCE,				/* less than half of the last partition is
								 * left, */
	ROOM_IN_USE,				/* and the table is in use in this session */
	ROOM_NONE
} Room;

/* The room for rows of a place in a table. */
static Room
room_for(Oid relid, int64 seq)
{
	Relation	table;
	PartitionBoundInfo bounds;
	Room		room = ROOM_ENOUGH;

	if (get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return ROOM_ENOUGH;
	table = table_open(relid, RowExclusiveLock);
	bounds = RelationGetPartitionDesc(table, true)->boundinfo;
	if (is_partitioned_by_seq(table) && (bounds == NULL || bounds->default_index < 0))
	{
		int			n = bounds == NULL ? 0 : bounds->ndatums;
		int64		last;

		if (n == 0)
			room = ROOM_NONE;
		else if (bounds->kind[n - 1][0] == PARTITION_RANGE_DATUM_VALUE)
		{
			last = DatumGetInt64(bounds->datums[n - 1][0]);
			if (seq >= last)
				room = ROOM_NONE;
			else if (n > 1 && bounds->kind[n - 2][0] == PARTITION_RANGE_DATUM_VALUE &&
					 seq >= last - (last - DatumGetInt64(bounds->datums[n - 2][0])) / 2)
				room = table->rd_refcnt > 1 || AfterTriggerPendingOnRel(relid) ?
					ROOM_IN_USE : ROOM_SCARCE;
		}
	}
	table_close(table, NoLock);
	return room;
}

static LadderQuery make_partitions_query = {
	.text = "SELECT skillrating_internal.make_partitions($1, $2, 1)",
	.param = {VALUE_TEXT, VALUE_INT8}
};

/* The partitions that make_partitions() is to make. */
typedef struct Wanted
{
	Ladder	   *ladder;
	int64		seq;			/* the place up to which there is to be room */
} Wanted;

static bool
make_partitions(void *arg)
{
	Wanted	   *wanted = arg;
	Datum		values[2];

	values[0] = CStringGetTextDatum(wanted->ladder->name);
	values[1] = Int64GetDatum(wanted->seq);
	(void) ladder_execute(wanted->ladder, &make_partitions_query, values, NULL, NULL);
	SPI_freetuptable(SPI_tuptable);
	return true;
}

/* The same where nothing depends on it yet: an error is a warning. */
static void
make_partitions_ahead(Wanted *wanted)
{
	bool		done;
	ErrorData  *error = try_in_subtransaction(make_partitions, wanted, &done);

	if (error == NULL)
		return;
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("could not make partitions of ladder \"%s\" ahead: %s",
					wanted->ladder->name, error->message),
			 errhint("Matches are rated until the last partition is full.")));
	FreeErrorData(error);
}

/*
 * Whether make_partitions() sees all partitions of a table.  At the higher isolation levels it
 * does not see those that others have made since the snapshot, and would make them again.
 */
static bool
sees_partitions(Oid relid)
{
	Relation	table;
	PartitionDesc partitions;
	bool		sees = true;
	int			i;

	if (!IsolationUsesXactSnapshot() || get_rel_relkind(relid) != RELKIND_PARTITIONED_TABLE)
		return true;
	table = table_open(relid, AccessShareLock);
	partitions = RelationGetPartitionDesc(table, true);
	for (i = 0; i < partitions->nparts; i++)
		sees = sees && snapshot_knows(GetTransactionSnapshot(), partitions->oids[i]);
	table_close(table, NoLock);
	return sees;
}

pg_noreturn static void
report_unseen(const Ladder *ladder)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update"),
			 errdetail("Ladder \"%s\" has got partitions after this transaction began.",
					   ladder->name),
			 errhint("Try again.")));
}

pg_noreturn static void
report_no_room(const Ladder *ladder, LadderRelation relation, int64 seq)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" of ladder \"%s\" has no partition for place " INT64_FORMAT,
					ladder_relation_name(relation), ladder->name, seq),
			 errhint("SELECT skillrating.partition_history(%s, rows => ...) makes partitions.",
					 quote_literal_cstr(ladder->name))));
}

void
make_room_for_events(Ladder *ladder, LadderRelation relation, int64 seq)
{
	Oid			relid = ladder->relation[relation];
	Oid			event = ladder->relation[LADDER_EVENT];
	Room		room = room_for(relid, seq);
	Wanted		wanted = {ladder, seq};
	bool		sees;

	/*
	 * Whoever makes partitions holds this lock, also those of
	 * component_event.
	 */
	if (room == ROOM_SCARCE)
	{
		if (!ConditionalLockRelationOid(event, ShareUpdateExclusiveLock))
			return;
	}
	else if (room == ROOM_NONE)
		LockRelationOid(event, ShareUpdateExclusiveLock);
	else
		return;

	/* Others may have been quicker. */
	room = room_for(relid, seq);
	sees = sees_partitions(event) && sees_partitions(ladder->relation[LADDER_COMPONENT_EVENT]);
	if (room == ROOM_NONE)
	{
		if (!sees)
			report_unseen(ladder);
		(void) make_partitions(&wanted);
		if (room_for(relid, seq) == ROOM_NONE)
			report_no_room(ladder, relation, seq);
	}
	else if (room == ROOM_SCARCE && sees)
		make_partitions_ahead(&wanted);
}
