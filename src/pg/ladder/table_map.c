/*
 * table_map.c
 *		Where the columns of a ladder's tables are, and which tables are plain.
 */
#include "pg/ladder/table_map.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "nodes/nodes.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/partitions.h"

/*
 * ---- Which tables are plain ----
 */

/* Whether a table runs nothing of the user's when the ladder's owner writes it. */
static bool
runs_nothing(Relation table)
{
	static const AclMode rights = ACL_SELECT | ACL_INSERT | ACL_UPDATE;

	return table->trigdesc == NULL && table->rd_rules == NULL &&
		!table->rd_rel->relrowsecurity &&
		pg_class_aclmask(RelationGetRelid(table), GetUserId(), rights, ACLMASK_ALL) == rights;
}

/* Whether the rows of a table are in a heap of its own. */
static bool
is_plain_heap(Relation table)
{
	return table->rd_rel->relkind == RELKIND_RELATION && !table->rd_rel->relhassubclass &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID;
}

/*
 * Whether rows can be written to a table directly or, of events, to those of its partitions of
 * which partition_map() says so.
 */
static bool
is_plain_table(const Ladder *ladder, LadderRelation relation)
{
	bool		is_of_events = relation == LADDER_EVENT || relation == LADDER_COMPONENT_EVENT;
	Relation	table = table_open(ladder->relation[relation], AccessShareLock);
	bool		plain = !table->rd_rel->relispartition && runs_nothing(table) &&
		(is_plain_heap(table) || (is_of_events && is_partitioned_by_seq(table)));

	table_close(table, NoLock);
	return plain;
}

/*
 * Whether all tables are that a batch writes: a trigger on one of them could change the rows
 * of another, which the batch has in memory.
 */
static bool
is_plain(Ladder *ladder)
{
	static const LadderRelation written[] = {
		LADDER_RATING, LADDER_EVENT, LADDER_COMPONENT, LADDER_COMPONENT_EVENT,
		LADDER_RATED_MATCH, LADDER_CORRECTION, LADDER_CHANGE
	};
	LadderCache *cache = ladder->cache;
	int			i;

	if (cache->plain_known)
		return cache->plain;
	cache->plain = true;
	for (i = 0; i < (int) lengthof(written); i++)
		if (OidIsValid(ladder->relation[written[i]]))
			cache->plain = cache->plain && is_plain_table(ladder, written[i]);
	cache->plain_known = true;
	return cache->plain;
}

/*
 * ---- Columns ----
 */

/* Whether a column that is not one of ours keeps rows from being written directly. */
static bool
is_in_the_way(const TableMap *map, Form_pg_attribute column)
{
	return (map->rules == NULL && column->atthasdef && column->attgenerated == '\0') ||
		column->attidentity != '\0' || get_typtype(column->atttypid) == TYPTYPE_DOMAIN;
}

/* Find the columns of a map in its table. */
static void
find_columns(TableMap *map, Relation table)
{
	TupleDesc	desc = RelationGetDescr(table);
	bool	   *ours = palloc0_array(bool, desc->natts);
	int			i;

	map->ours = ours;
	for (i = 0; i < map->desc->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(map->desc, i)->attname);
		AttrNumber	attnum = get_attnum(RelationGetRelid(table), name);

		if (attnum <= InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("table \"%s\" has no column \"%s\"",
							RelationGetRelationName(table), name)));
		map->attnum[i] = attnum;
		ours[attnum - 1] = true;

		/*
		 * Nothing would make a value one of a narrower type, as
		 * timestamptz(0) is.
		 */
		if (TupleDescAttr(desc, attnum - 1)->attgenerated != '\0' ||
			TupleDescAttr(desc, attnum - 1)->attidentity != '\0' ||
			TupleDescAttr(desc, attnum - 1)->atttypmod != -1)
			map->writable = false;
	}
	map->rules = row_rules_make(table, ours);
	for (i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (ours[i] || column->attisdropped)
			continue;
		if (is_in_the_way(map, column))
			map->writable = false;
		if (column->attgenerated == '\0')
			map->has_others = true;
	}
}

/*
 * Whether an index compares the columns of the key, and nothing else, as their types do, and has
 * been found to hold for all rows: one in the making relies on the checks of those who write.
 */
static bool
is_on_key(Relation index, Relation table, const TableMap *map)
{
	Form_pg_index form = index->rd_index;
	int			i;
	int			j;

	if (index->rd_rel->relam != BTREE_AM_OID || !form->indimmediate || !form->indisvalid ||
		RelationGetIndexPredicate(index) != NIL)
		return false;
	for (i = 0; i < form->indnatts; i++)
	{
		AttrNumber	attnum = form->indkey.values[i];
		Form_pg_attribute column;

		for (j = 0; j < map->columns->ncolumns; j++)
			if (map->attnum[j] == attnum && map->columns->column[j].presence == COLUMN_KEY)
				break;
		if (j == map->columns->ncolumns)
			return false;
		column = TupleDescAttr(RelationGetDescr(table), attnum - 1);
		if (i < form->indnkeyatts &&
			(index->rd_indcollation[i] != column->attcollation ||
			 index->rd_opfamily[i] !=
			 get_opclass_family(GetDefaultOpClass(column->atttypid, BTREE_AM_OID))))
			return false;
	}
	return true;
}

/* Find the indexes whose entries are the same for all versions of a row. */
static void
find_key_indexes(TableMap *map, Relation table)
{
	ListCell   *lc;

	foreach(lc, RelationGetIndexList(table))
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (is_on_key(index, table, map))
			map->key_indexes = lappend_oid(map->key_indexes, lfirst_oid(lc));
		index_close(index, NoLock);
	}
}

/* The map of columns to a table, which is open, in the current memory context. */
static TableMap *
make_map(Ladder *ladder, LadderRelation relation, TupleDesc desc, Relation table,
		 const LadderTable *columns)
{
	TableMap   *map = palloc0_object(TableMap);

	map->relation = relation;
	map->relid = RelationGetRelid(table);
	map->model = ladder->model;
	map->columns = columns;
	map->desc = desc;
	map->attnum = palloc_array(AttrNumber, desc->natts);
	map->writable = HAVE_DIRECT_ROWS;
	find_columns(map, table);
	if (table->rd_rel->relkind == RELKIND_RELATION)
		find_key_indexes(map, table);
	return map;
}

const TableMap *
ladder_table_map(Ladder *ladder, LadderRelation relation, const LadderTable *table)
{
	LadderCache *cache;
	Relation	rel;
	MemoryContext old;

	ladder_cache_recheck(ladder);
	cache = ladder->cache;
	if (cache->map[relation] != NULL && cache->map[relation]->model == ladder->model)
		return cache->map[relation];

	/*
	 * One for another model that the ladder had is left to those who work
	 * with it.
	 */
	rel = table_open(ladder->relation[relation], AccessShareLock);
	old = MemoryContextSwitchTo(cache->context);
	cache->map[relation] = make_map(ladder, relation, table_desc(table, ladder), rel, table);
	MemoryContextSwitchTo(old);
	table_close(rel, NoLock);
	return cache->map[relation];
}

bool
can_go_direct(Ladder *ladder, const TableMap *map)
{
	LockRelationOid(ladder->relation[map->relation], RowExclusiveLock);
	ladder_cache_recheck(ladder);
	return map == ladder->cache->map[map->relation] && map->writable && is_plain(ladder);
}

/*
 * ---- Partitions ----
 */

bool
is_map_of_partitions(const TableMap *map)
{
	return get_rel_relkind(map->relid) == RELKIND_PARTITIONED_TABLE;
}

/*
 * Whether columns of the user's have the defaults of the table, which are those that an INSERT
 * into the table takes: a partition can have others.
 */
static bool
has_defaults_of_table(const TableMap *found, Relation partition, Oid relid)
{
	TupleDesc	desc = RelationGetDescr(partition);
	Relation	table = table_open(relid, NoLock);
	bool		same = true;
	int			i;

	for (i = 0; i < desc->natts && same; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);
		AttrNumber	attnum;

		if (found->ours[i] || column->attisdropped || column->attgenerated != '\0')
			continue;
		attnum = get_attnum(relid, NameStr(column->attname));
		same = attnum != InvalidAttrNumber &&
			equal(build_column_default(partition, i + 1), build_column_default(table, attnum));
	}
	table_close(table, NoLock);
	return same;
}

const TableMap *
partition_map(Ladder *ladder, const TableMap *map, Oid partition)
{
	LadderCache *cache = ladder->cache;
	TableMap   *found;
	Relation	table;
	MemoryContext old;
	ListCell   *lc;

	foreach(lc, cache->partition_map)
	{
		found = lfirst(lc);
		if (found->relid == partition && found->desc == map->desc)
			return found;
	}
	table = table_open(partition, RowExclusiveLock);
	old = MemoryContextSwitchTo(cache->context);
	found = make_map(ladder, map->relation, map->desc, table, map->columns);
	found->writable = found->writable && is_plain_heap(table) && runs_nothing(table) &&
		has_defaults_of_table(found, table, map->relid);
	cache->partition_map = lappend(cache->partition_map, found);
	MemoryContextSwitchTo(old);
	table_close(table, NoLock);
	return found;
}

/*
 * Lock a partition to be written.  The wait may have been for whoever has changed it: false if
 * the map is not that of the cache any more.
 */
static bool
lock_partition(Ladder *ladder, const TableMap *map, Oid partition)
{
	LockRelationOid(partition, RowExclusiveLock);
	ladder_cache_recheck(ladder);
	return map == ladder->cache->map[map->relation];
}

bool
can_insert_directly(Ladder *ladder, const TableMap *map, int64 first, int64 last)
{
	Relation	table;
	bool		direct = can_go_direct(ladder, map);

	if (!direct || !is_map_of_partitions(map))
		return direct;
	table = table_open(map->relid, NoLock);
	while (direct && first <= last)
	{
		Oid			partition = partition_of_seq(table, first, &first);

		direct = OidIsValid(partition) && lock_partition(ladder, map, partition) &&
			partition_map(ladder, map, partition)->writable;
	}
	table_close(table, NoLock);
	return direct;
}
