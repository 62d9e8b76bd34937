/*
 * executor.c
 *		What aggregates, window functions, queries and scans of indexes ask of the executor.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relscan.h"
#include "access/skey.h"
#include "access/tableam.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "executor/spi.h"
#include "executor/spi_priv.h"
#include "executor/tuptable.h"
#include "tcop/pquery.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"
#include "windowapi.h"

/*
 * ---- Aggregates ----
 */

/* The aggregate whose final function is being called, or else its transition function. */
Aggref *
AggGetAggref(FunctionCallInfo fcinfo)
{
	AggState   *state;

	if (fcinfo->context == NULL || !IsA(fcinfo->context, AggState))
		return NULL;
	state = (AggState *) fcinfo->context;
	if (state->curperagg != NULL)
		return state->curperagg->aggref;
	return state->curpertrans != NULL ? state->curpertrans->aggref : NULL;
}

/* The callbacks of an expression's context are a list, the last one first. */
void
AggRegisterCallback(FunctionCallInfo fcinfo, ExprContextCallbackFunction func, Datum arg)
{
	ExprContext *context;
	ExprContext_CB *callback;

	if (fcinfo->context == NULL || !IsA(fcinfo->context, AggState))
		elog(ERROR, "aggregate function cannot register a callback in this context");
	context = ((AggState *) fcinfo->context)->curaggcontext;
	callback = MemoryContextAlloc(context->ecxt_per_query_memory, sizeof(ExprContext_CB));
	callback->function = func;
	callback->arg = arg;
	callback->next = context->ecxt_callbacks;
	context->ecxt_callbacks = callback;
}

/*
 * ---- Window functions ----
 */

/* The beginning of a struct that is private to the server; see window.c. */
typedef struct WindowObjectHead
{
	NodeTag		type;
	WindowAggState *winstate;
} WindowObjectHead;

/*
 * Have the server fetch a row of the partition.  For the sake of an argument, which is of no
 * interest here, it puts the row into temp_slot_1 of the window's state.
 */
static void
fetch_row(WindowObject winobj, int64 row)
{
	bool		isnull;
	bool		isout;

	(void) WinGetFuncArgInPartition(winobj, 0, (int) row, WINDOW_SEEK_HEAD, false, &isnull,
									&isout);
	if (isout)
		elog(ERROR, "specified position is out of window: " INT64_FORMAT, row);
}

bool
WinRowsArePeers(WindowObject winobj, int64 pos1, int64 pos2)
{
	WindowAggState *state = ((WindowObjectHead *) winobj)->winstate;
	ExprContext *context = state->tmpcontext;

	if (((WindowAgg *) state->ss.ps.plan)->ordNumCols == 0)
		return true;
	fetch_row(winobj, pos1);
	ExecCopySlot(state->temp_slot_2, state->temp_slot_1);
	fetch_row(winobj, pos2);
	context->ecxt_outertuple = state->temp_slot_2;
	context->ecxt_innertuple = state->temp_slot_1;
	return ExecQualAndReset(state->ordEqfunction, context);
}

void
WinSetMarkPosition(WindowObject winobj, int64 markpos)
{
	bool		isnull;
	bool		isout;

	(void) WinGetFuncArgInPartition(winobj, 0, (int) markpos, WINDOW_SEEK_HEAD, true, &isnull,
									&isout);
}

/*
 * ---- Queries ----
 */

/* A plan takes its options from its sources when it is made, which is later. */
SPIPlanPtr
SPI_prepare_cursor(const char *src, int nargs, Oid *argtypes, int cursorOptions)
{
	SPIPlanPtr	plan = SPI_prepare(src, nargs, argtypes);
	ListCell   *lc;

	if (plan == NULL)
		return NULL;
	plan->cursor_options = cursorOptions;
	foreach(lc, plan->plancache_list)
		((CachedPlanSource *) lfirst(lc))->cursor_options = cursorOptions;
	return plan;
}

int
SPI_getargcount(SPIPlanPtr plan)
{
	return plan->nargs;
}

Oid
SPI_getargtypeid(SPIPlanPtr plan, int argIndex)
{
	return plan->argtypes[argIndex];
}

/* The next rows of a portal, each of which is gone with the next one. */
uint64
PortalRunFetch(Portal portal, FetchDirection fdirection, long count, DestReceiver *dest)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(portal->tupDesc, &TTSOpsHeapTuple);
	uint64		nrows;
	uint64		i;

	SPI_cursor_fetch(portal, fdirection == FETCH_FORWARD, count);
	nrows = SPI_processed;
	for (i = 0; i < nrows; i++)
	{
		ExecStoreHeapTuple(SPI_tuptable->vals[i], slot, false);
		(void) dest->receiveSlot(slot, dest);
	}
	ExecDropSingleTupleTableSlot(slot);
	SPI_freetuptable(SPI_tuptable);
	return nrows;
}

/*
 * Whoever reads a transition table has a place of its own, takes it before each row, and begins
 * at the start; so the place of whoever was last can be taken.
 */
int
tuplestore_alloc_read_pointer(Tuplestorestate *state, int eflags)
{
	(void) state;
	(void) eflags;
	return 0;
}

void
tuplestore_select_read_pointer(Tuplestorestate *state, int ptr)
{
	(void) state;
	(void) ptr;
}

/*
 * ---- Scans of indexes ----
 *
 * By the methods of the index and of the table.  Nobody else reads or writes, so that there are
 * no predicate locks to take.
 */

void
ScanKeyEntryInitializeWithInfo(ScanKey entry, int flags, AttrNumber attributeNumber,
							   StrategyNumber strategy, Oid subtype, Oid collation,
							   FmgrInfo *finfo, Datum argument)
{
	entry->sk_flags = flags;
	entry->sk_attno = attributeNumber;
	entry->sk_strategy = strategy;
	entry->sk_subtype = subtype;
	entry->sk_collation = collation;
	entry->sk_argument = argument;
	fmgr_info_copy(&entry->sk_func, finfo, CurrentMemoryContext);
}

void
ScanKeyEntryInitialize(ScanKey entry, int flags, AttrNumber attributeNumber,
					   StrategyNumber strategy, Oid subtype, Oid collation,
					   RegProcedure procedure, Datum argument)
{
	FmgrInfo	function;

	fmgr_info(procedure, &function);
	ScanKeyEntryInitializeWithInfo(entry, flags, attributeNumber, strategy, subtype, collation,
								   &function, argument);
}

IndexScanDesc
index_beginscan(Relation heapRelation, Relation indexRelation, Snapshot snapshot,
				IndexScanInstrumentation *instrument, int nkeys, int norderbys)
{
	IndexScanDesc scan = indexRelation->rd_indam->ambeginscan(indexRelation, nkeys, norderbys);

	scan->heapRelation = heapRelation;
	scan->xs_snapshot = snapshot;
	scan->instrument = instrument;
	scan->parallel_scan = NULL;
	scan->xs_temp_snap = false;
	scan->xs_heapfetch = table_index_fetch_begin(heapRelation);
	return scan;
}

void
index_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
	table_index_fetch_reset(scan->xs_heapfetch);
	scan->kill_prior_tuple = false;
	scan->xs_heap_continue = false;
	scan->indexRelation->rd_indam->amrescan(scan, keys, nkeys, orderbys, norderbys);
}

/* The next place that the index leads to, or NULL. */
static bool
next_place(IndexScanDesc scan, ScanDirection direction)
{
	bool		found = scan->indexRelation->rd_indam->amgettuple(scan, direction);

	scan->kill_prior_tuple = false;
	scan->xs_heap_continue = false;
	if (!found)
		table_index_fetch_reset(scan->xs_heapfetch);
	return found;
}

bool
index_getnext_slot(IndexScanDesc scan, ScanDirection direction, TupleTableSlot *slot)
{
	for (;;)
	{
		bool		all_dead = false;
		bool		found;

		/* More rows of the same place come before the next place. */
		if (!scan->xs_heap_continue && !next_place(scan, direction))
			return false;
		found = table_index_fetch_tuple(scan->xs_heapfetch, &scan->xs_heaptid,
										scan->xs_snapshot, slot, &scan->xs_heap_continue,
										&all_dead);
		if (!scan->xactStartedInRecovery)
			scan->kill_prior_tuple = all_dead;
		if (found)
			return true;
	}
}

void
index_endscan(IndexScanDesc scan)
{
	table_index_fetch_end(scan->xs_heapfetch);
	scan->indexRelation->rd_indam->amendscan(scan);
	if (scan->keyData != NULL)
		pfree(scan->keyData);
	if (scan->orderByData != NULL)
		pfree(scan->orderByData);
	pfree(scan);
}
