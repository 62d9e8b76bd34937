/*
 * match_rows.c
 *		Rows of matches that come in no order, to be read in the order of matches.
 *
 * There are three kinds of rows here: a log of those that ascend by match, a sort of those that do
 * not, and runs, each a log of rows that a worker has written.  match_rows_add() turns a log into a
 * sort, and match_rows_size() a sort into a log, of rows that ascend now.
 */
#include "pg/matches/match_rows.h"

#include "executor/tuptable.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "pg/sql/row_log.h"

/* Rows of a worker, which ascend by match. */
typedef struct Run
{
	RowLog	   *log;
	MemoryContext context;		/* of the row: */
	NullableDatum row[ROW_LOG_MAX_COLUMNS]; /* the next one to be read */
} Run;

struct MatchRows
{
	TupleDesc	desc;
	const IdType *match_type;
	Oid			less;
	SortSupportData order;
	MemoryContext context;

	bool		begun;			/* a row was added; the match of the last one: */
	Datum		last;

	RowLog	   *log;			/* NULL: none yet, or not any more */
	Tuplesortstate *sort;		/* NULL: not needed, or done */
	TupleTableSlot *slot;		/* a row that goes into the sort, */
	TupleTableSlot *sorted;		/* or comes out of it */
	MemoryContext row_context;	/* of a row of the log that is read */
	bool		reading;

	Size		size;			/* bytes of rows that were added */
	Size		max_size;		/* 0: no limit */
	const char *name;			/* of the function, for that */

	Run		  **run;
	int			nruns;
	Size		in_memory;		/* of work_mem, what the runs have */
	binaryheap *heap;			/* of runs with a row, the first one first */
	Run		   *current;		/* whose row was read last, or NULL */
};

MatchRows *
match_rows_create(TupleDesc desc, const IdType *match_type)
{
	MatchRows  *rows = palloc0_object(MatchRows);

	rows->desc = desc;
	rows->match_type = match_type;
	rows->context = CurrentMemoryContext;
	rows->less = lookup_type_cache(match_type->type, TYPECACHE_LT_OPR)->lt_opr;
	rows->order.ssup_cxt = CurrentMemoryContext;
	rows->order.ssup_collation = match_type->collation;
	rows->order.ssup_nulls_first = false;
	PrepareSortSupportFromOrderingOp(rows->less, &rows->order);
	rows->row_context = AllocSetContextCreate(CurrentMemoryContext, "skillrating row",
											  ALLOCSET_SMALL_SIZES);
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

static void
sort_row(MatchRows *rows, const NullableDatum *row)
{
	TupleTableSlot *slot = rows->slot;
	int			i;

	ExecClearTuple(slot);
	for (i = 0; i < rows->desc->natts; i++)
	{
		slot->tts_values[i] = row[i].value;
		slot->tts_isnull[i] = row[i].isnull;
	}
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(rows->sort, slot);
}

/* The next row of the log, whose values last until the next call. */
static bool
read_log(MatchRows *rows, NullableDatum *row)
{
	MemoryContext old;
	bool		found;

	MemoryContextReset(rows->row_context);
	old = MemoryContextSwitchTo(rows->row_context);
	found = row_log_read(rows->log, row);
	MemoryContextSwitchTo(old);
	return found;
}

/* Sort the rows of the log, and those that follow. */
static void
begin_sort(MatchRows *rows)
{
	AttrNumber	column = 1;
	Oid			collation = rows->match_type->collation;
	bool		nulls_first = false;
	NullableDatum row[ROW_LOG_MAX_COLUMNS];
	uint64		n = 0;

	rows->slot = MakeSingleTupleTableSlot(rows->desc, &TTSOpsVirtual);
	rows->sort = tuplesort_begin_heap(rows->desc, 1, &column, &rows->less, &collation,
									  &nulls_first, memory_limit_work_mem(), NULL,
									  TUPLESORT_NONE);
	while (read_log(rows, row))
	{
		sort_row(rows, row);
		if (++n % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	row_log_end(rows->log);
	rows->log = NULL;
}

bool
match_rows_add(MatchRows *rows, const NullableDatum *row)
{
	if (rows->log == NULL && rows->sort == NULL)
		rows->log = row_log_create(rows->desc, (Size) memory_limit_work_mem() * 1024);
	if (rows->max_size > 0)
	{
		rows->size += row_log_row_size(rows->desc, row);
		check_size(rows);
	}
	if (rows->sort == NULL)
	{
		if (ascends(rows, &row[0]))
		{
			keep_match(rows, &row[0]);
			row_log_add(rows->log, row);
			return true;
		}
		begin_sort(rows);
	}
	sort_row(rows, row);
	return false;
}

/* Have the sort give its rows. */
static void
end_sort(MatchRows *rows)
{
	tuplesort_performsort(rows->sort);
	rows->sorted = MakeSingleTupleTableSlot(rows->desc, &TTSOpsMinimalTuple);
}

static bool
read_sort(MatchRows *rows, NullableDatum *row)
{
	TupleTableSlot *slot = rows->sorted;
	int			i;

	CHECK_FOR_INTERRUPTS();
	if (!tuplesort_gettupleslot(rows->sort, true, false, slot, NULL))
		return false;
	slot_getallattrs(slot);
	for (i = 0; i < rows->desc->natts; i++)
	{
		row[i].value = slot->tts_values[i];
		row[i].isnull = slot->tts_isnull[i];
	}
	return true;
}

/* Close the sort, if there is one. */
static void
close_sort(MatchRows *rows)
{
	if (rows->sort == NULL)
		return;
	ExecDropSingleTupleTableSlot(rows->slot);
	if (rows->sorted != NULL)
		ExecDropSingleTupleTableSlot(rows->sorted);
	tuplesort_end(rows->sort);
	rows->slot = rows->sorted = NULL;
	rows->sort = NULL;
}

/*
 * ---- Rows of workers ----
 */

Size
match_rows_size(MatchRows *rows)
{
	NullableDatum row[ROW_LOG_MAX_COLUMNS];

	if (rows->sort != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(rows->context);

		end_sort(rows);
		rows->log = row_log_create(rows->desc, (Size) memory_limit_work_mem() * 1024);
		while (read_sort(rows, row))
			row_log_add(rows->log, row);
		close_sort(rows);
		MemoryContextSwitchTo(old);
	}
	return rows->log != NULL ? row_log_size(rows->log) : 0;
}

void
match_rows_write(MatchRows *rows, char *to)
{
	if (rows->log != NULL)
		row_log_write(rows->log, to);
}

void
match_rows_take(MatchRows *rows, const char *bytes, Size size)
{
	Size		work_mem_size = (Size) memory_limit_work_mem() * 1024;
	Run		   *run = palloc0_object(Run);

	/* An array of pointers doubles at powers of two. */
	if (rows->nruns == 0)
		rows->run = palloc_array(Run *, 1);
	else if ((rows->nruns & (rows->nruns - 1)) == 0)
		rows->run = repalloc_array(rows->run, Run *, 2 * rows->nruns);
	run->log = row_log_create(rows->desc, work_mem_size - Min(work_mem_size, rows->in_memory));
	run->context = AllocSetContextCreate(CurrentMemoryContext, "skillrating row",
										 ALLOCSET_SMALL_SIZES);
	rows->run[rows->nruns++] = run;
	rows->in_memory += row_log_take(run->log, bytes, size);
}

/* The next row of a run; false if there is none. */
static bool
advance(Run *run)
{
	MemoryContext old;
	bool		found;

	MemoryContextReset(run->context);
	old = MemoryContextSwitchTo(run->context);
	found = row_log_read(run->log, run->row);
	MemoryContextSwitchTo(old);
	return found;
}

/* The first run has the greatest rank. */
static int
compare_runs(Datum a, Datum b, void *argument)
{
	const NullableDatum *x = &((Run *) DatumGetPointer(a))->row[0];
	const NullableDatum *y = &((Run *) DatumGetPointer(b))->row[0];

	return -ApplySortComparator(x->value, x->isnull, y->value, y->isnull,
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

/* The next row of all runs.  The one before lasts until now: only now its run goes on. */
static bool
read_runs(MatchRows *rows, NullableDatum *row)
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
		return false;
	rows->current = (Run *) DatumGetPointer(binaryheap_first(rows->heap));
	memcpy(row, rows->current->row, rows->desc->natts * sizeof(NullableDatum));
	return true;
}

/*
 * ---- Reading ----
 */

bool
match_rows_read(MatchRows *rows, NullableDatum *row)
{
	if (rows->nruns > 0)
		return read_runs(rows, row);
	if (rows->sort != NULL)
	{
		if (!rows->reading)
			end_sort(rows);
		rows->reading = true;
		return read_sort(rows, row);
	}
	return rows->log != NULL && read_log(rows, row);
}

void
match_rows_end(MatchRows *rows)
{
	int			i;

	close_sort(rows);
	if (rows->log != NULL)
		row_log_end(rows->log);
	rows->log = NULL;
	for (i = 0; i < rows->nruns; i++)
		row_log_end(rows->run[i]->log);
	rows->nruns = 0;
}
