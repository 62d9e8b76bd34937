/*
 * match_rows.c
 *		Rows of matches that come in no order, to be read in the order of matches.
 *
 * There are three kinds of rows here: a log of those that ascend by match, which is read only to be
 * sorted in the end after all; a sort; and runs, each a store of rows that a worker has sorted and
 * written.  Logging a row takes a fraction of what sorting it would.
 */
#include "pg/matches/match_rows.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/buffile.h"
#include "utils/datum.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

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

	bool		begun;			/* a row was logged; the match of the last one: */
	Datum		last;
	StringInfoData log;			/* what is in no file yet, */
	BufFile    *file;			/* and, each with its length, what is, or NULL */
	int			max_log;

	Tuplesortstate *sort;		/* NULL: not needed */
	bool		sorted;
	TupleTableSlot *in;			/* a row that goes into the sort, */
	TupleTableSlot *out;		/* or comes out of it */

	Size		size;			/* bytes of rows of a worker */
	Size		max_size;		/* 0: it is none */
	const char *name;			/* of the function, for that */

	List	   *runs;			/* of Run */
	binaryheap *heap;			/* of runs with a row, the first one first */
	Run		   *current;		/* whose row was read last, or NULL */
};

MatchRows *
match_rows_create(TupleDesc desc, const IdType *match_type, Size max_size, const char *name)
{
	MatchRows  *rows = palloc0_object(MatchRows);

	Assert(desc->natts <= MATCH_ROWS_MAX_COLUMNS);
	rows->desc = desc;
	rows->match_type = match_type;
	rows->max_size = max_size;
	rows->name = name;
	rows->less = lookup_type_cache(match_type->type, TYPECACHE_LT_OPR)->lt_opr;
	rows->order.ssup_cxt = CurrentMemoryContext;
	rows->order.ssup_collation = match_type->collation;
	rows->order.ssup_nulls_first = false;
	PrepareSortSupportFromOrderingOp(rows->less, &rows->order);
	initStringInfo(&rows->log);
	rows->max_log = (int) Min((Size) memory_limit_work_mem() * 1024, MaxAllocSize / 4);
	rows->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	rows->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	return rows;
}

/* Count a row of a worker, as match_rows_write() writes it. */
static void
count_row(MatchRows *rows, TupleTableSlot *slot)
{
	rows->size += MAXALIGN(SizeofMinimalTupleHeader + sizeof(bits8)) +
		heap_compute_data_size(rows->desc, slot->tts_values, slot->tts_isnull);
	if (rows->size > rows->max_size)
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

/* Move the log to its file. */
static void
flush_log(MatchRows *rows)
{
	if (rows->file == NULL)
		rows->file = BufFileCreateTemp(false);
	BufFileWrite(rows->file, &rows->log.len, sizeof(int));
	BufFileWrite(rows->file, rows->log.data, rows->log.len);
	resetStringInfo(&rows->log);
}

static void
log_row(MatchRows *rows, const NullableDatum *row)
{
	Size		size = 0;
	char	   *to;
	int			i;

	for (i = 0; i < rows->desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(rows->desc, i);

		size += datumEstimateSpace(row[i].value, row[i].isnull, att->attbyval, att->attlen);
	}
	if (rows->log.len > 0 && rows->log.len + size > (Size) rows->max_log)
		flush_log(rows);
	enlargeStringInfo(&rows->log, (int) size);
	to = rows->log.data + rows->log.len;
	for (i = 0; i < rows->desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(rows->desc, i);

		datumSerialize(row[i].value, row[i].isnull, att->attbyval, att->attlen, &to);
	}
	rows->log.len += size;
}

/* Sort the rows in the log that are in memory now. */
static void
sort_log(MatchRows *rows)
{
	char	   *from = rows->log.data;
	NullableDatum row[MATCH_ROWS_MAX_COLUMNS];
	int			i;

	while (from < rows->log.data + rows->log.len)
	{
		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < rows->desc->natts; i++)
			row[i].value = datumRestore(&from, &row[i].isnull);
		match_rows_add(rows, row);
		for (i = 0; i < rows->desc->natts; i++)
			if (!row[i].isnull && !TupleDescAttr(rows->desc, i)->attbyval)
				pfree(DatumGetPointer(row[i].value));
	}
	resetStringInfo(&rows->log);
}

/* Begin to sort, with what the log has. */
static void
begin_sort(MatchRows *rows)
{
	AttrNumber	column = 1;
	Oid			collation = rows->match_type->collation;
	bool		nulls_first = false;
	int			size;

	/* Each of the aggregates that share a worker's rows writes them. */
	rows->sort = tuplesort_begin_heap(rows->desc, 1, &column, &rows->less, &collation,
									  &nulls_first, memory_limit_work_mem(), NULL,
									  rows->max_size > 0 ? TUPLESORT_RANDOMACCESS :
									  TUPLESORT_NONE);
	sort_log(rows);
	if (rows->file == NULL)
		return;
	if (BufFileSeek(rows->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind temporary file of rows")));
	while (BufFileRead(rows->file, &size, sizeof(int)) == sizeof(int))
	{
		enlargeStringInfo(&rows->log, size);
		if (BufFileRead(rows->file, rows->log.data, size) != (size_t) size)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read temporary file of rows")));
		rows->log.len = size;
		sort_log(rows);
	}
}

bool
match_rows_add_ascending(MatchRows *rows, const NullableDatum *row)
{
	if (rows->sort == NULL && ascends(rows, &row[0]))
	{
		keep_match(rows, &row[0]);
		log_row(rows, row);
		return true;
	}
	match_rows_add(rows, row);
	return false;
}

void
match_rows_add(MatchRows *rows, const NullableDatum *row)
{
	TupleTableSlot *slot = rows->in;
	int			i;

	if (rows->sort == NULL)
		begin_sort(rows);
	ExecClearTuple(slot);
	for (i = 0; i < rows->desc->natts; i++)
	{
		slot->tts_values[i] = row[i].value;
		slot->tts_isnull[i] = row[i].isnull;
	}
	ExecStoreVirtualTuple(slot);
	if (rows->max_size > 0)
		count_row(rows, slot);
	tuplesort_puttupleslot(rows->sort, slot);
}

/* The next row of the sort is in its slot; false if there is none. */
static bool
next_sorted(MatchRows *rows)
{
	CHECK_FOR_INTERRUPTS();
	if (rows->sort == NULL)
		return false;
	if (!rows->sorted)
		tuplesort_performsort(rows->sort);
	rows->sorted = true;
	return tuplesort_gettupleslot(rows->sort, true, false, rows->out, NULL);
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
match_rows_write(MatchRows *rows, StringInfo bytes)
{
	if (rows->sorted)
		tuplesort_rescan(rows->sort);
	while (next_sorted(rows))
	{
		bool		free;
		MinimalTuple tuple = ExecFetchSlotMinimalTuple(rows->out, &free);

		appendBinaryStringInfo(bytes, (char *) tuple, tuple->t_len);
	}
}

void
match_rows_take(MatchRows *rows, const char *bytes, Size size)
{
	const char *end = bytes + size;
	Run		   *run = palloc_object(Run);
	uint32		length;

	rows->runs = lappend(rows->runs, run);
	run->store = tuplestore_begin_heap(false, false, memory_limit_work_mem());
	run->slot = MakeSingleTupleTableSlot(rows->desc, &TTSOpsMinimalTuple);
	for (; bytes < end; bytes += length)
	{
		memcpy(&length, bytes, sizeof(length));

		/* The bytes have no alignment. */
		ExecStoreMinimalTuple(memcpy(palloc(length), bytes, length), run->slot, true);
		tuplestore_puttupleslot(run->store, run->slot);
	}
}

/* The next row of a run is in its slot; false if there is none. */
static bool
advance(Run *run)
{
	return tuplestore_gettupleslot(run->store, true, false, run->slot);
}

/* The first run has the greatest rank. */
static int
compare_runs(Datum a, Datum b, void *argument)
{
	NullableDatum x,
				y;

	x.value = slot_getattr(((Run *) DatumGetPointer(a))->slot, 1, &x.isnull);
	y.value = slot_getattr(((Run *) DatumGetPointer(b))->slot, 1, &y.isnull);
	return -ApplySortComparator(x.value, x.isnull, y.value, y.isnull, (SortSupport) argument);
}

static void
begin_merge(MatchRows *rows)
{
	ListCell   *cell;

	rows->heap = binaryheap_allocate(list_length(rows->runs), compare_runs, &rows->order);
	foreach(cell, rows->runs)
		if (advance(lfirst(cell)))
			binaryheap_add_unordered(rows->heap, PointerGetDatum(lfirst(cell)));
	binaryheap_build(rows->heap);
}

/* The slot with the next row of all runs, or NULL.  The row before lasts until now. */
static TupleTableSlot *
next_merged(MatchRows *rows)
{
	CHECK_FOR_INTERRUPTS();
	if (rows->heap == NULL)
		begin_merge(rows);
	if (rows->current != NULL)
	{
		if (advance(rows->current))
			binaryheap_replace_first(rows->heap, PointerGetDatum(rows->current));
		else
			(void) binaryheap_remove_first(rows->heap);
	}
	rows->current = binaryheap_empty(rows->heap) ? NULL :
		(Run *) DatumGetPointer(binaryheap_first(rows->heap));
	return rows->current != NULL ? rows->current->slot : NULL;
}

bool
match_rows_read(MatchRows *rows, NullableDatum *row)
{
	TupleTableSlot *slot = rows->runs != NIL ? next_merged(rows) :
		next_sorted(rows) ? rows->out : NULL;
	int			i;

	if (slot == NULL)
		return false;
	slot_getallattrs(slot);
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
	ListCell   *cell;

	if (rows->file != NULL)
		BufFileClose(rows->file);
	rows->file = NULL;
	if (rows->sort != NULL)
		tuplesort_end(rows->sort);
	rows->sort = NULL;
	foreach(cell, rows->runs)
		tuplestore_end(((Run *) lfirst(cell))->store);
	rows->runs = NIL;
}
