/*
 * hold.c
 *		Who may change the history of a ladder, and keeping others from rating it.
 */
#include "pg/ladder/hold.h"

#include "access/xact.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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

/*
 * ---- Holding ----
 */

/* An attempt to get a lock, or to see it free, which lasts so many milliseconds at most. */
typedef struct Attempt
{
	LOCKTAG		tag;
	LOCKMODE	mode;
	bool		queues;
	int			timeout;
} Attempt;

static bool
run_attempt(void *arg)
{
	const Attempt *attempt = (const Attempt *) arg;
	int			guc_level = NewGUCNestLevel();
	char		milliseconds[32];

	snprintf(milliseconds, sizeof(milliseconds), "%d", attempt->timeout);
	(void) set_config_option("lock_timeout", milliseconds, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	if (attempt->queues)
		(void) LockAcquire(&attempt->tag, attempt->mode, false, false);
	else
		WaitForLockers(attempt->tag, attempt->mode, false);
	AtEOXact_GUC(false, guc_level);
	return true;
}

/*
 * Make an attempt; false if it was in vain.  The lock belongs to the transaction, as all that is
 * acquired in a subtransaction does once this ends.
 */
static bool
try_attempt(Attempt *attempt)
{
	bool		done;
	ErrorData  *error = try_in_subtransaction(run_attempt, attempt, &done);

	if (error != NULL && error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE)
		ReThrowError(error);
	if (error != NULL)
		FreeErrorData(error);
	return done;
}

/* Who has a lock on a schema that is in the way of one, in words, or NULL. */
static char *
holders(Oid schema, LOCKMODE mode)
{
	Oid			type[2] = {OIDOID, BOOLOID};
	Datum		values[2];
	MemoryContext context = CurrentMemoryContext;
	char	   *text = NULL;

	values[0] = ObjectIdGetDatum(schema);
	values[1] = BoolGetDatum(mode == AccessExclusiveLock);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT skillrating_internal.ladder_holders($1, $2)", 2, type,
							  values, NULL, false, 1) == SPI_OK_SELECT && SPI_processed == 1)
		text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (text != NULL)
		text = MemoryContextStrdup(context, text);
	SPI_finish();
	return text;
}

pg_noreturn static void
give_up(Oid schema, LOCKMODE mode, int patience)
{
	char	   *who = holders(schema, mode);

	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("could not lock ladder \"%s\" for maintenance within %d ms",
					get_namespace_name(schema), patience),
			 who == NULL ? 0 : errdetail("In the way: %s.", who),
			 errhint("Transactions that have rated keep their lock until they end. End them, or try again.")));
}

/* Acquire the lock, for the transaction. */
static void
acquire(Attempt *attempt, Oid schema)
{
	int			patience = LockTimeout > 0 ? Min(LockTimeout, HOLD_PATIENCE) : HOLD_PATIENCE;
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), patience);

	if (LockAcquire(&attempt->tag, attempt->mode, false, true) != LOCKACQUIRE_NOT_AVAIL)
		return;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		attempt->queues = false;
		attempt->timeout = (int) TimestampDifferenceMilliseconds(GetCurrentTimestamp(), end);
		if (attempt->timeout <= 0 || !try_attempt(attempt))
			give_up(schema, attempt->mode, patience);
		attempt->queues = true;
		attempt->timeout = HOLD_TIMEOUT;
		if (try_attempt(attempt))
			return;
	}
}

void
schema_hold(Oid schema, LOCKMODE mode)
{
	Attempt		attempt = {.tag = schema_tag(schema, LOCK_SCHEMA),.mode = mode};
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = CurTransactionResourceOwner;
	acquire(&attempt, schema);
	CurrentResourceOwner = owner;
	AcceptInvalidationMessages();
}

void
schema_let_go(Oid schema, LOCKMODE mode)
{
	LOCKTAG		tag = schema_tag(schema, LOCK_SCHEMA);
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = CurTransactionResourceOwner;
	(void) LockRelease(&tag, mode, false);
	CurrentResourceOwner = owner;
}
