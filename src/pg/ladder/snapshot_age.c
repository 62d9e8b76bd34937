/*
 * snapshot_age.c
 *		What a transaction at a higher isolation level does not see of a ladder.
 */
#include "pg/ladder/snapshot_age.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/plans.h"

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

void
require_read_committed(Oid schema, const char *function)
{
	if (!IsolationUsesXactSnapshot() || ladder_is_new(schema))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("skillrating.%s() needs isolation level READ COMMITTED", function),
			 errdetail("A transaction at another level does not see what others have rated since it began."),
			 errhint("Call it in a transaction that BEGIN ISOLATION LEVEL READ COMMITTED has begun.")));
}

static LadderQuery share_query = {.text = "SELECT FROM {ladder} FOR SHARE"};

/*
 * Lock the row of table ladder as the snapshot of the transaction sees it: the server raises 40001 if
 * there is a later version.
 */
static void
lock_seen_version(Ladder *ladder)
{
	bool		read_only = ladder->read_only;

	SPI_connect();
	ladder->read_only = false;
	(void) ladder_execute(ladder, &share_query, NULL, NULL, NULL);
	ladder->read_only = read_only;
	SPI_finish();
}

void
check_snapshot_age(Ladder *ladder, bool writes)
{
	if (!snapshot_knows(GetTransactionSnapshot(), ladder->relation[LADDER_CONFIG]))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update"),
				 errdetail("Ladder \"%s\" was changed after this transaction began.",
						   ladder->name),
				 errhint("Try again.")));
	if (writes)
		lock_seen_version(ladder);
}
