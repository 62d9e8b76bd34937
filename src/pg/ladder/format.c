/*
 * format.c
 *		The format of a ladder's tables: which one this library knows.
 */
#include "pg/ladder/format.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

void
check_ladder_format(const char *ladder, int32 format)
{
	if (format == LADDER_FORMAT)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("ladder \"%s\" has format %d, which this version of skillrating does not know",
					ladder, format),
			 errdetail("The library that this session has loaded knows format %d.", LADDER_FORMAT),
			 errhint("Reconnect if skillrating has been updated since, else install a later version.")));
}

/*
 * By a scan of the table itself, because no query may be planned while the ladder is looked up,
 * and its row is the only one.  A table that is still empty belongs to a ladder that is being
 * made or restored; config.c reports it where the row is needed.
 */
void
check_stored_format(const LadderCache *cache)
{
	Oid			relid = cache->relation[LADDER_CONFIG];
	AttrNumber	attnum = get_attnum(relid, "format_version");
	int32		format = LADDER_FORMAT;
	Relation	table;
	TupleTableSlot *slot;
	TableScanDesc scan;

	if (get_rel_relkind(relid) != RELKIND_RELATION || attnum == InvalidAttrNumber ||
		get_atttype(relid, attnum) != INT4OID || !ActiveSnapshotSet())
		return;
	table = table_open(relid, AccessShareLock);
	slot = table_slot_create(table, NULL);
	scan = table_beginscan(table, GetActiveSnapshot(), 0, NULL);
	if (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		bool		isnull;
		Datum		value = slot_getattr(slot, attnum, &isnull);

		if (!isnull)
			format = DatumGetInt32(value);
	}
	table_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, AccessShareLock);
	check_ladder_format(cache->name, format);
}
