/*
 * pool_locks.c
 *		Locks on all matches of a ladder, or on those of some pools.
 */
#include "pg/ladder/pool_locks.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/careful.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/sql/huge.h"

/* A transaction locks so many pools one by one: the server has locks for that. */
#define MAX_LOCKED_POOLS 32

/* The pools of so many matches are a good guess at those of all. */
#define SAMPLE_MATCHES 64

/* The keys of pools, distinct and in order. */
typedef struct PoolKeys
{
	uint32		key[MAX_LOCKED_POOLS];
	int			n;
	bool		too_many;
} PoolKeys;

/* The pools of some matches, as they are read. */
typedef struct PoolSurvey
{
	DestReceiver pub;			/* first: the server has this */
	Ladder	   *ladder;
	LadderQuery *query;
	Datum		ids;			/* array */
	IdTable    *found;			/* matches that have a pool */
	PoolKeys	pools;
} PoolSurvey;

/*
 * ---- Keys ----
 */

/* Add a key in its place.  Returns whether it was there. */
static bool
add_pool_key(PoolKeys *pools, uint32 key)
{
	int			i = pools->n;

	while (i > 0 && pools->key[i - 1] > key)
		i--;
	if (i > 0 && pools->key[i - 1] == key)
		return true;
	if (pools->n == MAX_LOCKED_POOLS)
	{
		pools->too_many = true;
		return false;
	}
	memmove(&pools->key[i + 1], &pools->key[i], (pools->n - i) * sizeof(uint32));
	pools->key[i] = key;
	pools->n++;
	return false;
}

/* Add keys.  Returns whether all of them were there. */
static bool
add_pool_keys(PoolKeys *pools, const PoolKeys *more)
{
	bool		had_all = true;
	int			i;

	for (i = 0; i < more->n; i++)
		had_all &= add_pool_key(pools, more->key[i]);
	return had_all;
}

/*
 * ---- Which pools matches have ----
 */

/* A match of the ladder's own has its pool before it has participants. */
static LadderQuery own_pools_query = {
	.text = "SELECT m.match_id, CAST(m.pool AS pg_catalog.text) FROM {match} AS m "
	"WHERE m.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)}
};

/* Matches and pools as a source of the user's gives them; it may have no pools. */
static void
append_source_match(QueryDraft *draft)
{
	bool		has_pool =
		get_attnum(draft->ladder->cache->relation[LADDER_SOURCE], "pool") != InvalidAttrNumber;

	appendStringInfo(&draft->sql, "CAST(s.match_id AS %s), %s",
					 draft->ladder->match_type->name,
					 has_pool ? "CAST(s.pool AS pg_catalog.text)" : "''::pg_catalog.text");
}

static LadderQuery source_pools_query = {
	.text = "SELECT {source_match} FROM {source} AS s WHERE s.match_id {match =} ANY ($1)",
	.param = {ARRAY_OF(VALUE_MATCH)},
	.part = {{"source_match", append_source_match}}
};

enum
{
	POOL_MATCH_ID = 1,
	POOL_POOL
};

static void
start_survey(DestReceiver *self, int operation, TupleDesc desc)
{
	(void) self;
	(void) operation;
	(void) desc;
}

static void
end_survey(DestReceiver *self)
{
	(void) self;
}

/* Take a row; false once there is no need of more. */
static bool
survey_row(TupleTableSlot *slot, DestReceiver *self)
{
	PoolSurvey *survey = (PoolSurvey *) self;
	bool		isnull;
	bool		found;
	Datum		id = slot_getattr(slot, POOL_MATCH_ID, &isnull);
	uint32		key = 0;

	CHECK_FOR_INTERRUPTS();
	if (isnull)
		return true;
	(void) id_table_enter(survey->found, id, "", &found);
	id = slot_getattr(slot, POOL_POOL, &isnull);
	if (!isnull)
	{
		text	   *pool = DatumGetTextPP(id);

		key = hash_bytes((unsigned char *) VARDATA_ANY(pool), VARSIZE_ANY_EXHDR(pool));
	}
	(void) add_pool_key(&survey->pools, key);
	return !survey->pools.too_many;
}

/* Read the pools that this transaction sees. */
static void
survey_own_view(void *arg)
{
	PoolSurvey *survey = (PoolSurvey *) arg;

	(void) ladder_execute(survey->ladder, survey->query, &survey->ids, NULL, &survey->pub);
}

/*
 * Read the pools that others see: a snapshot as of before the first command of this
 * transaction does not show what it has done since.
 */
static void
survey_view_of_others(void *arg)
{
	PoolSurvey *survey = (PoolSurvey *) arg;
	Snapshot	snapshot = GetLatestSnapshot();

	snapshot->curcid = FirstCommandId;
	PushCopiedSnapshot(snapshot);
	survey->ladder->read_only = true;
	(void) ladder_execute(survey->ladder, survey->query, &survey->ids, NULL, &survey->pub);
	PopActiveSnapshot();
}

/*
 * Read one of the views.  False if the source raises an error for one of the matches, whose
 * pool is unknown then.
 */
static bool
survey_view(PoolSurvey *survey, void (*view) (void *))
{
	Ladder	   *ladder = survey->ladder;
	bool		own = survey->query == &own_pools_query;
	bool		read_only = ladder->read_only;
	bool		few = own && ladder->large;
	bool		done = true;
	SourceError error;

	/*
	 * By the key, because a plan for many takes 250 bytes a match while it is
	 * made.
	 */
	if (few)
		ladder_expect_few(ladder);
	if (own || ladder->strict)
		view(survey);
	else
		done = careful_do(view, survey, error_is_about_data, &error);
	if (few)
		ladder_expect_many(ladder);
	ladder->read_only = read_only;
	return done;
}

/*
 * The pools of n matches, in both views, or for a guess in that of this transaction alone.
 * False if that of some match is unknown, or if they are too many.
 */
static bool
survey_pools(Ladder *ladder, Datum *ids, int n, bool guess, PoolKeys *pools)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "skillrating pools",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PoolSurvey	survey = {
		.pub = {survey_row, start_survey, end_survey, end_survey, DestNone},
		.ladder = ladder,
		.query = OidIsValid(ladder->relation[LADDER_MATCH]) ? &own_pools_query :
		&source_pools_query
	};
	Datum	   *copy = huge_array(Datum, n);
	bool		known;

	/*
	 * An array is made of detoasted values, which take the places of the
	 * others.
	 */
	memcpy(copy, ids, n * sizeof(Datum));
	survey.ids = id_array(ladder->match_type, copy, n);
	survey.found = id_table_create(ladder->match_type);
	known = survey_view(&survey, survey_own_view) &&
		(guess || (survey_view(&survey, survey_view_of_others) &&
				   id_table_count(survey.found) == n)) &&
		!survey.pools.too_many;
	*pools = survey.pools;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return known;
}

/*
 * ---- Locks ----
 */

/* The tag of the lock on the ladder, or on a pool. */
static LOCKTAG
lock_tag(const Ladder *ladder, uint32 key, int what)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, ladder->relation[LADDER_RATED_MATCH], key, what);
	return tag;
}

static void
release_pools(const Ladder *ladder, const PoolKeys *pools, LOCKMODE mode)
{
	int			i;

	for (i = 0; i < pools->n; i++)
	{
		LOCKTAG		tag = lock_tag(ladder, pools->key[i], LOCK_TAG_POOL);

		(void) LockRelease(&tag, mode, false);
	}
}

/*
 * Lock pools.  False, and none is, if this transaction had more of them then than it may.
 * What a subtransaction has taken back counts as well, which only makes it fewer.
 */
static bool
acquire_pools(const Ladder *ladder, const PoolKeys *pools, LOCKMODE mode)
{
	static TransactionId transaction = InvalidTransactionId;
	static int	ntaken = 0;		/* by this transaction */
	int			nnew = 0;
	int			i;

	if (!TransactionIdEquals(transaction, GetTopTransactionId()))
	{
		transaction = GetTopTransactionId();
		ntaken = 0;
	}
	for (i = 0; i < pools->n; i++)
	{
		LOCKTAG		tag = lock_tag(ladder, pools->key[i], LOCK_TAG_POOL);

		nnew += !holds_lock(&tag, mode);
	}
	if (ntaken + nnew > MAX_LOCKED_POOLS)
		return false;
	ntaken += nnew;
	for (i = 0; i < pools->n; i++)
	{
		LOCKTAG		tag = lock_tag(ladder, pools->key[i], LOCK_TAG_POOL);

		(void) LockAcquire(&tag, mode, false, false);
	}
	return true;
}

/* Lock the pools of n matches; false, and none is, if only the ladder as a whole can be. */
static bool
lock_pools_of(Ladder *ladder, Datum *ids, int n, LOCKMODE mode)
{
	PoolKeys	locked;

	if (!survey_pools(ladder, ids, Min(n, SAMPLE_MATCHES), true, &locked))
		return false;
	while (acquire_pools(ladder, &locked, mode))
	{
		PoolKeys	before = locked;
		PoolKeys	pools;
		bool		known = survey_pools(ladder, ids, n, false, &pools);

		if (known && add_pool_keys(&locked, &pools))
			return true;
		release_pools(ladder, &before, mode);
		if (!known || locked.too_many)
			return false;
	}
	return false;
}

void
lock_pools(Ladder *ladder, Datum *ids, int n, bool many)
{
	LOCKTAG		tag = lock_tag(ladder, 0, LOCK_TAG_ALL_MATCHES);
	LOCKMODE	mode = many ? ShareLock : RowShareLock;

	if (!many && LockAcquire(&tag, RowExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL)
		return;
	(void) LockAcquire(&tag, mode, false, false);
	if (lock_pools_of(ladder, ids, n, many ? ExclusiveLock : ShareLock))
		return;

	/*
	 * Two that went on from here with what they have would wait for each
	 * other.
	 */
	(void) LockRelease(&tag, mode, false);
	(void) LockAcquire(&tag, many ? ExclusiveLock : RowExclusiveLock, false, false);
}
