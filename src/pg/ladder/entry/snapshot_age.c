/*
 * snapshot_age.c
 *		What a transaction at a higher isolation level does not see of a ladder.
 */
#include "pg/ladder/entry/snapshot_age.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/plans.h"

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

static LadderQuery version_query = {.text = "SELECT xmin FROM {ladder}"};

/* Who wrote the row of table ladder that a snapshot sees; nobody if it sees none. */
static TransactionId
read_version(Ladder *ladder, Snapshot snapshot)
{
	Datum		version;
	bool		isnull;
	bool		read_only = ladder->read_only;
	bool		found;

	PushActiveSnapshot(snapshot);
	ladder->read_only = true;
	found = ladder_read_row(ladder, &version_query, NULL, &version, &isnull);
	ladder->read_only = read_only;
	PopActiveSnapshot();
	return found ? DatumGetTransactionId(version) : InvalidTransactionId;
}

/*
 * Whether the snapshot of the transaction sees the latest version.  The row is not locked instead:
 * whoever maintains the ladder may have written a new one, and waits for those who rate.
 */
static bool
sees_latest_version(Ladder *ladder)
{
	TransactionId seen;
	TransactionId latest;

	SPI_connect();
	CommandCounterIncrement();
	seen = read_version(ladder, GetTransactionSnapshot());
	latest = read_version(ladder, GetLatestSnapshot());
	SPI_finish();
	return seen == latest;
}

void
check_snapshot_age(Ladder *ladder, bool writes)
{
	if (snapshot_knows(GetTransactionSnapshot(), ladder->relation[LADDER_CONFIG]) &&
		(!writes || sees_latest_version(ladder)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update"),
			 errdetail("Ladder \"%s\" was changed after this transaction began.",
					   ladder->name),
			 errhint("Try again.")));
}
