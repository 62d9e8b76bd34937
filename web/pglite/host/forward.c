/*
 * forward.c
 *		Functions that SQL can call too, called by their OIDs.
 *
 * Whatever the caller passes, the rights of nobody are checked, as in a call of the C function.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/htup_details.h"
#include "commands/sequence.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

/* Hand a call over to another function, with all its arguments. */
static Datum
forward(FunctionCallInfo fcinfo, Oid function)
{
	FmgrInfo   *caller = fcinfo->flinfo;
	FmgrInfo	flinfo;
	Datum		result;

	fmgr_info(function, &flinfo);
	fcinfo->flinfo = &flinfo;
	result = FunctionCallInvoke(fcinfo);
	fcinfo->flinfo = caller;
	return result;
}

#define FORWARD(name, oid) \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		return forward(fcinfo, oid); \
	}

FORWARD(jsonb_delete, F_JSONB_DELETE_JSONB_TEXT)
FORWARD(jsonb_out, F_JSONB_OUT)
FORWARD(pg_snapshot_out, F_PG_SNAPSHOT_OUT)
FORWARD(setval3_oid, F_SETVAL_REGCLASS_INT8_BOOL)
FORWARD(timestamptz_pl_interval, F_TIMESTAMPTZ_PL_INTERVAL)

/* A call without arguments, which may return null. */
static Datum
call(Oid function, bool *isnull)
{
	LOCAL_FCINFO(fcinfo, 0);
	FmgrInfo	flinfo;
	Datum		result;

	fmgr_info(function, &flinfo);
	InitFunctionCallInfoData(*fcinfo, &flinfo, 0, InvalidOid, NULL, NULL);
	result = FunctionCallInvoke(fcinfo);
	*isnull = fcinfo->isnull;
	return result;
}

Datum
OidFunctionCall0Coll(Oid functionId, Oid collation)
{
	bool		isnull;
	Datum		result = call(functionId, &isnull);

	(void) collation;
	if (isnull)
		elog(ERROR, "function %u returned NULL", functionId);
	return result;
}

/*
 * ---- Transactions and the log ----
 */

TimestampTz
GetCurrentTransactionStartTimestamp(void)
{
	return DatumGetTimestampTz(OidFunctionCall0Coll(F_NOW, InvalidOid));
}

FullTransactionId
GetTopFullTransactionIdIfAny(void)
{
	bool		isnull;
	Datum		xid = call(F_PG_CURRENT_XACT_ID_IF_ASSIGNED, &isnull);

	return isnull ? InvalidFullTransactionId : DatumGetFullTransactionId(xid);
}

TransactionId
GetTopTransactionId(void)
{
	return XidFromFullTransactionId(GetTopFullTransactionId());
}

XLogRecPtr
GetXLogInsertRecPtr(void)
{
	return DatumGetUInt64(OidFunctionCall0Coll(F_PG_CURRENT_WAL_INSERT_LSN, InvalidOid));
}

/* The name of a file of the log begins with it, in eight hexadecimal digits. */
TimeLineID
GetWALInsertionTimeLine(void)
{
	Datum		lsn = OidFunctionCall0Coll(F_PG_CURRENT_WAL_INSERT_LSN, InvalidOid);
	char	   *name = text_to_cstring(DatumGetTextPP(OidFunctionCall1(F_PG_WALFILE_NAME, lsn)));

	name[8] = '\0';
	return (TimeLineID) strtoul(name, NULL, 16);
}

/* The third column of pg_control_system(). */
uint64
GetSystemIdentifier(void)
{
	Datum		row = OidFunctionCall0Coll(F_PG_CONTROL_SYSTEM, InvalidOid);
	bool		isnull;

	return (uint64) DatumGetInt64(GetAttributeByNum(DatumGetHeapTupleHeader(row), 3, &isnull));
}
