/*
 * hold.c
 *		Who may change the history of a ladder, and keeping others from rating it.
 */
#include "pg/ladder/hold.h"

#include "access/xact.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "pg/sql/subtransaction.h"

/*
 * What of a schema a lock is on, where the server has the number of a column: the whole of
 * it, and the turn to maintain the ladder there.  pg_locks shows it as objsubid.
 */
enum
{
	LOCK_SCHEMA,
	LOCK_TURN
};

static LOCKTAG
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
schema_take_turn(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_TURN);
	bool		waits = !keeps_others_waiting(schema);

	if (LockAcquire(&tag, ExclusiveLock, false, !waits) == LOCKACQUIRE_NOT_AVAIL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
				 errmsg("another transaction is maintaining ladder \"%s\" and will wait for this one",
						get_namespace_name(schema)),
				 errdetail("This transaction has rated matches of the ladder, or changed its history, and so cannot wait in turn."),
				 errhint("Try again, best in a transaction of its own.")));
	AcceptInvalidationMessages();
}

void
schema_give_turn(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_TURN);

	(void) LockRelease(&tag, ExclusiveLock, false);
}

/* Queue for the lock of a tag for a while. */
static bool
queue_for_tag(void *arg)
{
	const LOCKTAG *tag = (const LOCKTAG *) arg;
	int			guc_level = NewGUCNestLevel();
	char		milliseconds[32];

	snprintf(milliseconds, sizeof(milliseconds), "%d", HOLD_TIMEOUT);
	(void) set_config_option("lock_timeout", milliseconds, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) LockAcquire(tag, ExclusiveLock, false, false);
	AtEOXact_GUC(false, guc_level);
	return true;
}

/*
 * Queue for a lock for a while; false if it was not to be had.  The lock belongs to the
 * transaction, as all that is acquired in a subtransaction does once this ends.
 */
static bool
queue_for(LOCKTAG *tag)
{
	bool		granted;
	ErrorData  *error = try_in_subtransaction(queue_for_tag, tag, &granted);

	if (error != NULL && error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
		ReThrowError(error);
	return granted;
}

void
schema_hold(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	TimestampTz begun = GetCurrentTimestamp();
	bool		granted = false;

	while (!granted)
	{
		CHECK_FOR_INTERRUPTS();
		WaitForLockers(tag, ExclusiveLock, false);
		if (TimestampDifferenceExceeds(begun, GetCurrentTimestamp(), HOLD_PATIENCE))
		{
			ResourceOwner owner = CurrentResourceOwner;

			CurrentResourceOwner = CurTransactionResourceOwner;
			(void) LockAcquire(&tag, ExclusiveLock, false, false);
			CurrentResourceOwner = owner;
			granted = true;
		}
		else
			granted = queue_for(&tag);
	}
	AcceptInvalidationMessages();
}

void
schema_let_go(Oid schema)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = CurTransactionResourceOwner;
	(void) LockRelease(&tag, ExclusiveLock, false);
	CurrentResourceOwner = owner;
}
