/*
 * hold.c
 *		Who may change the history of a ladder, and keeping others from rating it.
 *
 * Relies on the lock manager of the server: an attempt ends by lock_timeout, in a subtransaction,
 * which gives back what it has got.
 */
#include "pg/ladder/entry/hold.h"

#include "access/xact.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/settings.h"
#include "pg/sql/subtransaction.h"

/*
 * What of a schema a lock is on, where the server has the number of a column: the whole of
 * it, and the maintenance lock of the ladder there.  pg_locks shows it as objsubid.
 */
enum
{
	LOCK_SCHEMA,
	LOCK_MAINTENANCE
};

static inline LOCKTAG
schema_tag(Oid schema, uint16 what)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, NamespaceRelationId, schema, what);
	return tag;
}

bool
schema_is_held(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);

	return holds_lock(&tag, ExclusiveLock) || holds_lock(&tag, AccessExclusiveLock);
}

/* Whether this transaction has a lock that keeps others from holding the ladder. */
static bool
keeps_others_waiting(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	LOCKMODE	mode;

	for (mode = RowShareLock; mode <= AccessExclusiveLock; mode++)
		if (holds_lock(&tag, mode))
			return true;
	return false;
}

void
schema_lock_maintenance(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_MAINTENANCE);
	bool		waits = !keeps_others_waiting(schema);

	if (LockAcquire(&tag, ExclusiveLock, false, !waits) == LOCKACQUIRE_NOT_AVAIL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
				 errmsg("another transaction is maintaining ladder \"%s\" and will wait for this one",
						get_namespace_name(schema)),
				 errdetail("This transaction has rated matches of the ladder, or changed its history, and so cannot wait for other maintenance."),
				 errhint("Try again, best in a transaction of its own.")));
	AcceptInvalidationMessages();
}

void
schema_unlock_maintenance(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_MAINTENANCE);

	(void) LockRelease(&tag, ExclusiveLock, false);
}

/*
 * ---- Holding ----
 */

/* An attempt to get locks, or to see them free, which lasts so many milliseconds at most. */
typedef struct Attempt
{
	const LOCKTAG *tag;
	int			ntags;
	int			nshared;		/* the first ones, which still can be read */
	LOCKMODE	mode;			/* of the others */
	bool		queues;
	int			timeout;
} Attempt;

/* To write no history of a ladder takes more than to get a trigger onto a table. */
static LOCKMODE
tag_mode(const Attempt *attempt, int i)
{
	if (i >= attempt->nshared)
		return attempt->mode;
	return attempt->tag[i].locktag_type == LOCKTAG_OBJECT ? ExclusiveLock : ShareRowExclusiveLock;
}

static int
milliseconds_until(TimestampTz end)
{
	int			left = (int) TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);

	return Max(left, 1);
}

/*
 * Wait for all who have a lock in the way of one, as WaitForLockers() does, but for all of them
 * together no longer than until the end: lock_timeout is for each.
 */
static void
wait_for_holders(const LOCKTAG *tag, LOCKMODE mode, TimestampTz end)
{
	VirtualTransactionId *holder = GetLockConflicts(tag, mode, NULL);

	for (; VirtualTransactionIdIsValid(*holder); holder++)
	{
		settings_set_number("lock_timeout", milliseconds_until(end));
		(void) VirtualXactLock(*holder, true);
	}
}

static bool
run_attempt(void *arg)
{
	const Attempt *attempt = (const Attempt *) arg;
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), attempt->timeout);
	int			guc_level = NewGUCNestLevel();
	int			i;

	for (i = 0; i < attempt->ntags; i++)
	{
		if (!attempt->queues)
		{
			wait_for_holders(&attempt->tag[i], tag_mode(attempt, i), end);
			continue;
		}
		settings_set_number("lock_timeout", milliseconds_until(end));
		(void) LockAcquire(&attempt->tag[i], tag_mode(attempt, i), false, false);
	}
	AtEOXact_GUC(false, guc_level);
	return true;
}

static bool
is_timeout(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
}

/*
 * Make an attempt; false if it was in vain, and then it has none of its locks.  They belong to the
 * transaction, as all that is acquired in a subtransaction does once this ends.
 */
static bool
try_attempt(Attempt *attempt)
{
	return in_subtransaction(run_attempt, attempt, is_timeout);
}

/* The OIDs of schemas, or of relations, that tags are about, as an array of SQL. */
static Datum
tagged_oids(const LOCKTAG *tag, int ntags, uint8 type)
{
	Datum	   *oid = palloc_array(Datum, ntags);
	int			n = 0;
	int			i;

	/* A relation is in field 2, and so is the catalog of an object, which is in field 3. */
	for (i = 0; i < ntags; i++)
		if (tag[i].locktag_type == type)
			oid[n++] = ObjectIdGetDatum(type == LOCKTAG_OBJECT ? tag[i].locktag_field3 :
										tag[i].locktag_field2);
	return PointerGetDatum(construct_array(oid, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

/* Who has locks that are in the way of these, in words, or NULL. */
static char *
holders(const LOCKTAG *tag, int ntags, LOCKMODE mode)
{
	Oid			type[3] = {OIDARRAYOID, OIDARRAYOID, BOOLOID};
	Datum		values[3];
	MemoryContext context = CurrentMemoryContext;
	char	   *text = NULL;

	values[0] = tagged_oids(tag, ntags, LOCKTAG_OBJECT);
	values[1] = tagged_oids(tag, ntags, LOCKTAG_RELATION);
	values[2] = BoolGetDatum(mode == AccessExclusiveLock);
	SPI_connect();
	if (SPI_execute_with_args("SELECT skillrating_internal.ladder_holders($1, $2, $3)", 3, type,
							  values, NULL, false, 1) == SPI_OK_SELECT && SPI_processed == 1)
		text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (text != NULL)
		text = MemoryContextStrdup(context, text);
	SPI_finish();
	return text;
}

pg_noreturn static void
give_up(const char *ladder, const Attempt *attempt, int patience)
{
	char	   *who = holders(attempt->tag, attempt->ntags, attempt->mode);

	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("could not lock ladder \"%s\" for maintenance within %d ms", ladder, patience),
			 who == NULL ? 0 : errdetail("In the way: %s.", who),
			 errhint("Transactions that have rated keep their lock until they end. End them, or try again.")));
}

/*
 * Acquire the locks, for the transaction.  Whoever finds a deadlock with an attempt is to be this
 * one, which then begins again: it ends before anybody else looks for one.
 */
static void
acquire(Attempt *attempt, const char *ladder)
{
	int			patience = LockTimeout > 0 ? Min(LockTimeout, HOLD_PATIENCE) : HOLD_PATIENCE;
	int			timeout = Max(Min(HOLD_TIMEOUT, DeadlockTimeout / 2), 1);
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), patience);
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = CurTransactionResourceOwner;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		attempt->queues = false;
		attempt->timeout = (int) TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
		if (attempt->timeout <= 0 || !try_attempt(attempt))
			give_up(ladder, attempt, patience);
		attempt->queues = true;
		attempt->timeout = timeout;
		if (try_attempt(attempt))
			break;
	}
	CurrentResourceOwner = owner;
	AcceptInvalidationMessages();
}

void
schema_hold(Oid schema, LOCKMODE mode)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	Attempt		attempt = {.tag = &tag,.ntags = 1,.mode = mode};
	ResourceOwner owner = CurrentResourceOwner;
	LockAcquireResult result;

	if (mode < ExclusiveLock)
	{
		LockDatabaseObject(NamespaceRelationId, schema, 0, mode);
		return;
	}
	CurrentResourceOwner = CurTransactionResourceOwner;
	result = LockAcquire(&tag, mode, false, true);
	CurrentResourceOwner = owner;
	if (result == LOCKACQUIRE_NOT_AVAIL)
		acquire(&attempt, get_namespace_name(schema));
	else
		AcceptInvalidationMessages();
}

void
objects_hold(const ObjectAddress *object, int nobjects, int nshared, const char *ladder)
{
	LOCKTAG    *tag = palloc_array(LOCKTAG, nobjects);
	Attempt		attempt = {
		.tag = tag,.ntags = nobjects,.nshared = nshared,
		.mode = nshared < nobjects ? AccessExclusiveLock : ShareRowExclusiveLock
	};
	int			i;

	for (i = 0; i < nobjects; i++)
		if (object[i].classId == NamespaceRelationId)
			tag[i] = schema_tag(object[i].objectId, LOCK_SCHEMA);
		else
			SET_LOCKTAG_RELATION(tag[i], MyDatabaseId, object[i].objectId);
	acquire(&attempt, ladder);
}

void
schema_let_go(Oid schema, LOCKMODE mode)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	ResourceOwner owner = CurrentResourceOwner;

	/* Others belong to the statement still. */
	if (mode >= ExclusiveLock)
		CurrentResourceOwner = CurTransactionResourceOwner;
	(void) LockRelease(&tag, mode, false);
	CurrentResourceOwner = owner;
}
