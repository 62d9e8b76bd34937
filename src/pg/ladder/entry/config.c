/*
 * config.c
 *		The row of a ladder: its model and parameters, and when and how it rates.
 *
 * Relies on a row version that a snapshot sees being the only one, as long as the table has one row.
 */
#include "pg/ladder/entry/config.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/shape.h"

static LadderQuery read_config_query = {
	.text = "SELECT format_version, model, params, apply_at, late, strict, on_error, "
	"COALESCE(horizon, '-9223372036854775808'), horizon_at, tableoid, ctid, xmin FROM {ladder}"
};

/* Whether the version of the row that was read last is still the one to be seen. */
static bool
config_is_current(const Ladder *ladder)
{
	LadderConfig *config = &ladder->cache->config;
	Relation	table;
	Snapshot	snapshot;
	TupleTableSlot *slot;
	bool		isnull;
	bool		current;

	if (!config->known)
		return false;

	/* The snapshot is the one that a query would have. */
	if (!ladder->read_only)
		CommandCounterIncrement();
	snapshot = RegisterSnapshot(ladder->read_only ? GetActiveSnapshot() :
								GetTransactionSnapshot());
	table = table_open(ladder->relation[LADDER_CONFIG], AccessShareLock);
	slot = table_slot_create(table, NULL);

	/*
	 * VACUUM may have cut off the page where it was, and says so a moment
	 * later.
	 */
	current = ItemPointerGetBlockNumber(&config->tid) < RelationGetNumberOfBlocks(table) &&
		table_tuple_fetch_row_version(table, &config->tid, snapshot, slot) &&
		DatumGetTransactionId(slot_getsysattr(slot, MinTransactionIdAttributeNumber,
											  &isnull)) == config->xmin;
	ExecDropSingleTupleTableSlot(slot);
	table_close(table, NoLock);
	UnregisterSnapshot(snapshot);
	return current;
}

/*
 * Keep what a row says.  Others who are at work with an earlier version keep their
 * parameters, which live as long as the cache.
 */
static void
keep_config(Ladder *ladder, QueryRow row)
{
	LadderCache *cache = ladder->cache;
	LadderConfig config = {0};
	const Model *model;
	ParamValue *params;
	Size		size;
	const char *apply_at;

	check_ladder_format(ladder->name, next_int32(&row));
	model = get_model(next_text(&row));
	params = get_model_params(&model, DatumGetJsonbP(next_datum(&row)));
	if (cache->model != model)
	{
		check_state_columns(cache, model);
		cache->model = model;
	}
	size = model->params.count * sizeof(ParamValue);
	config.params = MemoryContextAlloc(cache->context, size);
	memcpy(config.params, params, size);
	config.model = model;
	config.unused = source_unused(model, params);
	apply_at = next_text(&row);
	config.apply_at = strcmp(apply_at, "commit") == 0 ? APPLY_AT_COMMIT :
		strcmp(apply_at, "statement") == 0 ? APPLY_AT_STATEMENT :
		APPLY_AT_CATCH_UP;
	config.reorders = strcmp(next_text(&row), "reorder") == 0;
	config.strict = next_bool(&row);
	config.raises = strcmp(next_text(&row), "raise") == 0;
	config.horizon = next_int64(&row);	/* NO_HORIZON where it is null */
	config.horizon_at = next_time(&row);

	/* A row of a partition would not be found in the table. */
	config.known = DatumGetObjectId(next_datum(&row)) == ladder->relation[LADDER_CONFIG];
	config.tid = *(ItemPointer) DatumGetPointer(next_datum(&row));
	config.xmin = DatumGetTransactionId(next_datum(&row));

	/* Plans have the columns that are of use. */
	if (cache->config.params != NULL && cache->config.unused != config.unused)
		ladder_cache_outdate(cache);
	cache->config = config;
}

void
read_ladder_config(Ladder *ladder)
{
	const LadderConfig *config;

	if (!config_is_current(ladder))
	{
		QueryRow	row;

		if (!ladder_read_row(ladder, &read_config_query, NULL, &row) || SPI_processed != 1)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table %s must have exactly one row",
							ladder_relation_sql(ladder->cache, LADDER_CONFIG))));
		keep_config(ladder, row);
		SPI_freetuptable(SPI_tuptable);
	}
	config = &ladder->cache->config;
	ladder->model = config->model;
	ladder->params = config->params;
	ladder->unused = config->unused;
	ladder->apply_at = config->apply_at;
	ladder->reorders = config->reorders;
	ladder->strict = config->strict;
	ladder->raises = config->raises;
	ladder->horizon = config->horizon;
	ladder->horizon_at = config->horizon_at;
}

/*
 * ---- What a snapshot does not see ----
 */

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
	QueryRow	version;
	bool		read_only = ladder->read_only;
	bool		found;

	PushActiveSnapshot(snapshot);
	ladder->read_only = true;
	found = ladder_read_row(ladder, &version_query, NULL, &version);
	ladder->read_only = read_only;
	PopActiveSnapshot();
	return found ? DatumGetTransactionId(next_datum(&version)) : InvalidTransactionId;
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
