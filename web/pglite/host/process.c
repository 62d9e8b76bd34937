/*
 * process.c
 *		One process alone: memory, temporary files, reports, timeouts and waiting.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "replication/logicalworker.h"
#include "storage/buffile.h"
#include "storage/fd.h"
#include "storage/lmgr.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/memutils_internal.h"
#include "utils/memutils_memorychunk.h"
#include "utils/timestamp.h"

/*
 * ---- Memory and subtransactions ----
 */

/*
 * Each subtransaction has a context below that of its parent, in front of those that earlier ones
 * have left there.
 */
MemoryContext
host_current_transaction_context(void)
{
	MemoryContext context = TopTransactionContext;
	int			level;

	for (level = GetCurrentTransactionNestLevel(); level > 1; level--)
	{
		MemoryContext child = context->firstchild;

		while (child != NULL && strcmp(child->name, "CurTransactionContext") != 0)
			child = child->nextchild;
		if (child == NULL)
			elog(ERROR, "subtransaction has no memory context");
		context = child;
	}
	return context;
}

/*
 * The beginning of the server's struct, which is private there.  It has begun like this since
 * there are owners of resources (version 8.0), and what is found is checked.
 */
typedef struct OwnerHead
{
	ResourceOwner parent;
	ResourceOwner firstchild;
	ResourceOwner nextchild;
	const char *name;
} OwnerHead;

/* Subtransactions that have ended have none, so that each has at most one below it. */
ResourceOwner
host_current_transaction_owner(void)
{
	ResourceOwner owner = TopTransactionResourceOwner;
	int			level;

	for (level = GetCurrentTransactionNestLevel(); level > 1; level--)
	{
		ResourceOwner child = ((OwnerHead *) owner)->firstchild;

		while (child != NULL && strcmp(((OwnerHead *) child)->name, "SubTransaction") != 0)
			child = ((OwnerHead *) child)->nextchild;
		if (child == NULL)
			elog(ERROR, "subtransaction has no resource owner");
		owner = child;
	}
	return owner;
}

/* The head of a block of an AllocSet, which has one large chunk in it. */
typedef struct BlockHead
{
	void	   *aset;
	struct BlockHead *prev;
	struct BlockHead *next;
	char	   *freeptr;
	char	   *endptr;
} BlockHead;

/*
 * The space that a chunk takes, which is asked for arrays that grow.  A small one is of a size
 * class, which is a power of 2; a large one has a block of its own.
 */
Size
GetMemoryChunkSpace(void *pointer)
{
	MemoryChunk *chunk = PointerGetMemoryChunk(pointer);

	if (!MemoryChunkIsExternal(chunk))
		return ((Size) 8 << MemoryChunkGetValue(chunk)) + sizeof(MemoryChunk);
	return ((BlockHead *) ((char *) chunk - MAXALIGN(sizeof(BlockHead))))->endptr - (char *) chunk;
}

/*
 * ---- Temporary files ----
 *
 * A File is a number; these are some that PGlite's own functions never see.
 */

#define MAX_FILES 64

static BufFile *files[MAX_FILES];

void
PrepareTempTablespaces(void)
{
}

File
OpenTemporaryFile(bool interXact)
{
	int			i;

	for (i = 0; i < MAX_FILES; i++)
		if (files[i] == NULL)
		{
			MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

			files[i] = BufFileCreateTemp(interXact);
			MemoryContextSwitchTo(old);
			return i;
		}
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
			 errmsg("too many temporary files of skillrating: %d", MAX_FILES)));
	return -1;
}

static void
seek(File file, off_t offset)
{
	if (BufFileSeek(files[file], 0, offset, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in temporary file: %m")));
}

ssize_t
FileWriteV(File file, const struct iovec *iov, int iovcnt, off_t offset,
		   uint32 wait_event_info)
{
	ssize_t		written = 0;
	int			i;

	(void) wait_event_info;
	seek(file, offset);
	for (i = 0; i < iovcnt; i++)
	{
		BufFileWrite(files[file], iov[i].iov_base, iov[i].iov_len);
		written += (ssize_t) iov[i].iov_len;
	}
	return written;
}

ssize_t
FileReadV(File file, const struct iovec *iov, int iovcnt, off_t offset,
		  uint32 wait_event_info)
{
	ssize_t		got = 0;
	int			i;

	(void) wait_event_info;
	seek(file, offset);
	for (i = 0; i < iovcnt; i++)
		got += (ssize_t) BufFileRead(files[file], iov[i].iov_base, iov[i].iov_len);
	return got;
}

void
FileClose(File file)
{
	BufFile    *closed = files[file];

	files[file] = NULL;
	BufFileClose(closed);
}

/*
 * ---- Reports ----
 *
 * Only this session itself, in the middle of its work, can read them.  They end with a
 * transaction or a subtransaction that is aborted.
 */

static LocalPgBackendStatus session;

#define report (session.backendStatus)

PgBackendStatus *MyBEEntry = &session.backendStatus;

static void
report_at_end(XactEvent event, void *arg)
{
	(void) arg;
	if (event == XACT_EVENT_ABORT)
		pgstat_progress_end_command();
}

static void
report_at_end_of_subtransaction(SubXactEvent event, SubTransactionId mySubid,
								SubTransactionId parentSubid, void *arg)
{
	(void) mySubid;
	(void) parentSubid;
	(void) arg;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		pgstat_progress_end_command();
}

void
pgstat_progress_start_command(ProgressCommandType cmdtype, Oid relid)
{
	if (report.st_procpid == 0)
	{
		RegisterXactCallback(report_at_end, NULL);
		RegisterSubXactCallback(report_at_end_of_subtransaction, NULL);
		report.st_procpid = MyProcPid;
	}
	report.st_databaseid = MyDatabaseId;
	report.st_userid = GetSessionUserId();
	report.st_progress_command = cmdtype;
	report.st_progress_command_target = relid;
	memset(report.st_progress_param, 0, sizeof(report.st_progress_param));
}

void
pgstat_progress_update_param(int index, int64 val)
{
	report.st_progress_param[index] = val;
}

void
pgstat_progress_update_multi_param(int nparam, const int *index, const int64 *val)
{
	int			i;

	for (i = 0; i < nparam; i++)
		report.st_progress_param[index[i]] = val[i];
}

void
pgstat_progress_end_command(void)
{
	report.st_progress_command = PROGRESS_COMMAND_INVALID;
}

void
pgstat_clear_backend_activity_snapshot(void)
{
}

int
pgstat_fetch_stat_numbackends(void)
{
	return 1;
}

LocalPgBackendStatus *
pgstat_get_local_beentry_by_index(int idx)
{
	(void) idx;
	return &session;
}

/* The messages that are asked about go to the client, or are cheap to make in vain. */
bool
message_level_is_interesting(int elevel)
{
	(void) elevel;
	return true;
}

/* Replication takes a process of its own. */
bool
IsLogicalWorker(void)
{
	return false;
}

/*
 * ---- Interrupts ----
 */

/* So many checks go by without a look at the clock. */
#define CHECKS_BETWEEN_LOOKS 16

/* Error 57014 if the statement has taken longer than it may. */
static void
check_statement_timeout(void)
{
	const char *setting = GetConfigOption("statement_timeout", false, false);
	int			timeout = atoi(setting);
	TimestampTz begun;

	if (timeout <= 0 || InterruptHoldoffCount != 0 || CritSectionCount != 0)
		return;
	begun = DatumGetTimestampTz(OidFunctionCall0Coll(F_STATEMENT_TIMESTAMP, InvalidOid));
	if (GetCurrentTimestamp() - begun >= timeout * INT64CONST(1000))
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("canceling statement due to statement timeout")));
}

void
host_check_for_interrupts(void)
{
	static int	checks = 0;

	if (InterruptPending)
		ProcessInterrupts();
	if (++checks < CHECKS_BETWEEN_LOOKS)
		return;
	checks = 0;
	check_statement_timeout();
}

/*
 * ---- Waiting ----
 *
 * Nobody else has locks, or is in a transaction.
 */

void
WaitForLockers(LOCKTAG heaplocktag, LOCKMODE lockmode, bool progress)
{
	(void) heaplocktag;
	(void) lockmode;
	(void) progress;
}

void
XactLockTableWait(TransactionId xid, Relation rel, ItemPointer ctid, XLTW_Oper oper)
{
	(void) rel;
	(void) ctid;
	(void) oper;
	elog(ERROR, "transaction %u, which nobody can end, is in progress", xid);
}

bool
TransactionIdFollowsOrEquals(TransactionId id1, TransactionId id2)
{
	if (!TransactionIdIsNormal(id1) || !TransactionIdIsNormal(id2))
		return id1 >= id2;
	return (int32) (id1 - id2) >= 0;
}
