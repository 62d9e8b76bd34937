/*
 * match_rows.c
 *		Rows of matches that come in no order, to be read in the order of matches.
 *
 * Rows that are added go into a sort, which costs little as long as they ascend, and which is only
 * done for whoever reads or writes them.  Those that workers have written are runs: each ascends, and
 * reading merges them.
 */
#include "pg/matches/match_rows.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

/* Each run has this share of work_mem, and a file beyond it: there are as many as workers. */
#define RUNS_IN_MEMORY 4

/* Rows of a worker, which ascend by match. */
typedef struct Run
{
	Tuplestorestate *store;
	TupleTableSlot *slot;		/* the next one to be read */
} Run;

struct MatchRows
{
	TupleDesc	desc;
	const IdType *match_type;
	Oid			less;
	SortSupportData order;

	bool		ascending;		/* all rows so far; */
	bool		begun;			/* there is one, and the match of the last: */
	Datum		last;

	Tuplesortstate *sort;		/* NULL without rows */
	bool		performed;
	TupleTableSlot *slot;		/* a row that goes into the sort, */
	TupleTableSlot *sorted;		/* or comes out of it */

	Size		size;			/* bytes of rows that were added */
	Size		max_size;		/* 0: no limit */
	const char *name;			/* of the function, for that */

	Run		  **run;
	int			nruns;
	binaryheap *heap;			/* of runs with a row, the first one first */
	Run		   *current;		/* whose row was read last, or NULL */
};

MatchRows *
match_rows_create(TupleDesc desc, const IdType *match_type)
{
	MatchRows  *rows = palloc0_object(MatchRows);

	rows->desc = desc;
	rows->match_type = match_type;
	rows->ascending = true;
	rows->less = lookup_type_cache(match_type->type, TYPECACHE_LT_OPR)->lt_opr;
	rows->order.ssup_cxt = CurrentMemoryContext;
	rows->order.ssup_collation = match_type->collation;
	rows->order.ssup_nulls_first = false;
	PrepareSortSupportFromOrderingOp(rows->less, &rows->order);
	return rows;
}

void
match_rows_limit(MatchRows *rows, Size max_size, const char *name)
{
	rows->max_size = max_size;
	rows->name = name;
}

static void
check_size(const MatchRows *rows)
{
	if (rows->max_size > 0 && rows->size > rows->max_size)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows for a parallel worker of %s()", rows->name),
				 errdetail("A worker can hand over at most %zu MB of rows.",
						   rows->max_size / (1024 * 1024)),
				 errhint("Without parallel workers there is no such limit: SET max_parallel_workers_per_gather = 0.")));
}

/*
 * Whether a row belongs to the match of the one before or to one that comes later in the order
 * of matches, or is the first.
 */
static bool
ascends(const MatchRows *rows, const NullableDatum *match)
{
	int			result;

	if (!rows->begun || match->isnull)
		return true;
	if (rows->match_type->typbyval && rows->last == match->value)
		return true;
	result = ApplySortComparator(rows->last, false, match->value, false,
								 (SortSupport) &rows->order);
	return result < 0 ||
		(result == 0 && id_equal(rows->match_type, rows->last, match->value));
}

/* Keep the match of a row, for the next one. */
static void
keep_match(MatchRows *rows, const NullableDatum *match)
{
	const IdType *type = rows->match_type;

	if (match->isnull)
		return;
	if (!type->typbyval)
	{
		if (rows->begun && datumIsEqual(rows->last, match->value, false, type->typlen))
			return;
		if (rows->begun)
			pfree(DatumGetPointer(rows->last));
	}
	rows->last = datumCopy(match->value, type->typbyval, type->typlen);
	rows->begun = true;
}

/* The bytes of a row as match_rows_write() writes it: those of its minimal tuple. */
static Size
row_size(const TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	Size		header = SizeofMinimalTupleHeader;
	int			i;

	for (i = 0; i < desc->natts; i++)
		if (slot->tts_isnull[i])
		{
			header += BITMAPLEN(desc->natts);
			break;
		}
	return MAXALIGN(header) + heap_compute_data_size(desc, slot->tts_values, slot->tts_isnull);
}

static void
begin_sort(MatchRows *rows)
{
	AttrNumber	column = 1;
	Oid			collation = rows->match_type->collation;
	bool		nulls_first = false;

	rows->slot = MakeSingleTupleTableSlot(rows->desc, &TTSOpsVirtual);
	rows->sorted = MakeSingleTupleTableSlot(rows->desc, &TTSOpsMinimalTuple);

	/* What a worker has is written once for each of the aggregates that share it. */
	rows->sort = tuplesort_begin_heap(rows->desc, 1, &column, &rows->less, &collation,
									  &nulls_first, memory_limit_work_mem(), NULL,
									  rows->max_size > 0 ? TUPLESORT_RANDOMACCESS :
									  TUPLESORT_NONE);
}

bool
match_rows_add(MatchRows *rows, const NullableDatum *row)
{
	TupleTableSlot *slot;
	int			i;

	if (rows->sort == NULL)
		begin_sort(rows);
	slot = rows->slot;
	ExecClearTuple(slot);
	for (i = 0; i < rows->desc->natts; i++)
	{
		slot->tts_values[i] = row[i].value;
		slot->tts_isnull[i] = row[i].isnull;
	}
	ExecStoreVirtualTuple(slot);
	if (rows->max_size > 0)
	{
		rows->size += row_size(slot);
		check_size(rows);
	}
	tuplesort_puttupleslot(rows->sort, slot);
	rows->ascending = rows->ascending && ascends(rows, &row[0]);
	if (rows->ascending)
		keep_match(rows, &row[0]);
	return rows->ascending;
}

/*
 * ---- Rows of workers ----
 */

Size
match_rows_size(const MatchRows *rows)
{
	return rows->size;
}

void
match_rows_write(MatchRows *rows, char *to)
{
	if (rows->sort == NULL)
		return;
	if (rows->performed)
		tuplesort_rescan(rows->sort);
	else
		tuplesort_performsort(rows->sort);
	rows->performed = true;
	while (tuplesort_gettupleslot(rows->sort, true, false, rows->sorted, NULL))
	{
		bool		should_free;
		MinimalTuple tuple = ExecFetchSlotMinimalTuple(rows->sorted, &should_free);

		CHECK_FOR_INTERRUPTS();
		memcpy(to, tuple, tuple->t_len);
		to += tuple->t_len;
	}
}

void
match_rows_take(MatchRows *rows, const char *bytes, Size size)
{
	Run		   *run = palloc0_object(Run);
	const char *end = bytes + size;

	/* An array of pointers doubles at powers of two. */
	if (rows->nruns == 0)
		rows->run = palloc_array(Run *, 1);
	else if ((rows->nruns & (rows->nruns - 1)) == 0)
		rows->run = repalloc_array(rows->run, Run *, 2 * rows->nruns);
	run->store = tuplestore_begin_heap(false, false,
									   Max(memory_limit_work_mem() / RUNS_IN_MEMORY, 64));
	run->slot = MakeSingleTupleTableSlot(rows->desc, &TTSOpsMinimalTuple);
	rows->run[rows->nruns++] = run;
	while (bytes < end)
	{
		uint32		length;
		MinimalTuple tuple;

		CHECK_FOR_INTERRUPTS();
		memcpy(&length, bytes, sizeof(length));
		if (length < SizeofMinimalTupleHeader || length > (Size) (end - bytes))
			elog(ERROR, "row of %u bytes in %zu bytes", length, (Size) (end - bytes));
		tuple = (MinimalTuple) palloc(length);
		memcpy(tuple, bytes, length);
		ExecStoreMinimalTuple(tuple, run->slot, true);
		tuplestore_puttupleslot(run->store, run->slot);
		bytes += length;
	}
}

/* The next row of a run; false if there is none. */
static bool
advance(Run *run)
{
	if (!tuplestore_gettupleslot(run->store, true, false, run->slot))
		return false;
	slot_getallattrs(run->slot);
	return true;
}

/* The first run has the greatest rank. */
static int
compare_runs(Datum a, Datum b, void *argument)
{
	const TupleTableSlot *x = ((Run *) DatumGetPointer(a))->slot;
	const TupleTableSlot *y = ((Run *) DatumGetPointer(b))->slot;

	return -ApplySortComparator(x->tts_values[0], x->tts_isnull[0],
								y->tts_values[0], y->tts_isnull[0],
								(SortSupport) argument);
}

static void
begin_merge(MatchRows *rows)
{
	int			i;

	rows->heap = binaryheap_allocate(rows->nruns, compare_runs, &rows->order);
	for (i = 0; i < rows->nruns; i++)
		if (advance(rows->run[i]))
			binaryheap_add_unordered(rows->heap, PointerGetDatum(rows->run[i]));
	binaryheap_build(rows->heap);
}

/* The next row of all runs, or NULL.  The one before lasts until now: only now its run goes on. */
static TupleTableSlot *
read_runs(MatchRows *rows)
{
	if (rows->heap == NULL)
		begin_merge(rows);
	if (rows->current != NULL)
	{
		if (advance(rows->current))
			binaryheap_replace_first(rows->heap, PointerGetDatum(rows->current));
		else
			(void) binaryheap_remove_first(rows->heap);
		rows->current = NULL;
	}
	if (binaryheap_empty(rows->heap))
		return NULL;
	rows->current = (Run *) DatumGetPointer(binaryheap_first(rows->heap));
	return rows->current->slot;
}

/*
 * ---- Reading ----
 */

/* The next row of the sort, or NULL. */
static TupleTableSlot *
read_sort(MatchRows *rows)
{
	if (rows->sort == NULL)
		return NULL;
	if (!rows->performed)
		tuplesort_performsort(rows->sort);
	rows->performed = true;
	if (!tuplesort_gettupleslot(rows->sort, true, false, rows->sorted, NULL))
		return NULL;
	slot_getallattrs(rows->sorted);
	return rows->sorted;
}

bool
match_rows_read(MatchRows *rows, NullableDatum *row)
{
	const TupleTableSlot *slot = rows->nruns > 0 ? read_runs(rows) : read_sort(rows);
	int			i;

	if (slot == NULL)
		return false;
	for (i = 0; i < rows->desc->natts; i++)
	{
		row[i].value = slot->tts_values[i];
		row[i].isnull = slot->tts_isnull[i];
	}
	return true;
}

void
match_rows_end(MatchRows *rows)
{
	int			i;

	if (rows->sort != NULL)
	{
		ExecDropSingleTupleTableSlot(rows->slot);
		ExecDropSingleTupleTableSlot(rows->sorted);
		tuplesort_end(rows->sort);
	}
	rows->sort = NULL;
	for (i = 0; i < rows->nruns; i++)
	{
		ExecDropSingleTupleTableSlot(rows->run[i]->slot);
		tuplestore_end(rows->run[i]->store);
	}
	rows->nruns = 0;
}
