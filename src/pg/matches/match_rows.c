/*
 * match_rows.c
 *		Rows of matches that come in no order, to be read in the order of matches.
 *
 * There are three kinds of rows here: a log of those that ascend by match, a sort of the server's of
 * those that do not, and runs, each a log that a worker has written.  match_rows_add() turns a log
 * into a sort, and match_rows_write() a sort into a log, of rows that ascend now.
 */
#include "pg/matches/match_rows.h"

#include "executor/tuptable.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/buffile.h"
#include "utils/datum.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

/*
 * Rows one after another, to be read in that order: in memory up to a size, and beyond in a file of
 * such blocks, each with its length before it.  Logging a row takes a fraction of what sorting it
 * would.
 */
typedef struct RowLog
{
	StringInfoData block;		/* the last one, or the one that is read; where
								 * a row begins a Datum can */
	int			place;			/* in it, of the next row */
	BufFile    *file;			/* or NULL */
	bool		reading;
	NullableDatum row[MATCH_ROWS_MAX_COLUMNS];	/* of a run, the next one */
} RowLog;

struct MatchRows
{
	TupleDesc	desc;
	int16		typlen[MATCH_ROWS_MAX_COLUMNS]; /* 0: by value */
	const IdType *match_type;
	Oid			less;
	SortSupportData order;

	bool		begun;			/* a row was logged; the match of the last one: */
	Datum		last;
	RowLog		log;
	Size		max_block;
	Tuplesortstate *sort;		/* NULL: not needed, or done */
	bool		sorted;
	TupleTableSlot *in;			/* a row that goes into the sort, */
	TupleTableSlot *out;		/* or comes out of it */

	Size		size;			/* bytes of rows of a worker */
	Size		max_size;		/* 0: it is none */
	const char *name;			/* of the function, for that */

	List	   *runs;			/* of RowLog */
	binaryheap *heap;			/* of runs with a row, the first one first */
	RowLog	   *current;		/* whose row was read last, or NULL */
};

MatchRows *
match_rows_create(TupleDesc desc, const IdType *match_type, Size max_size, const char *name)
{
	MatchRows  *rows = palloc0_object(MatchRows);
	int			i;

	Assert(desc->natts <= MATCH_ROWS_MAX_COLUMNS);
	for (i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attbyval)
			rows->typlen[i] = TupleDescAttr(desc, i)->attlen;
	rows->desc = desc;
	rows->match_type = match_type;
	rows->max_size = max_size;
	rows->name = name;
	rows->less = lookup_type_cache(match_type->type, TYPECACHE_LT_OPR)->lt_opr;
	rows->order.ssup_cxt = CurrentMemoryContext;
	rows->order.ssup_collation = match_type->collation;
	rows->order.ssup_nulls_first = false;
	PrepareSortSupportFromOrderingOp(rows->less, &rows->order);
	initStringInfo(&rows->log.block);
	rows->max_block = Min((Size) memory_limit_work_mem() * 1024, MaxAllocSize / 4);
	rows->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	rows->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	return rows;
}

/*
 * ---- Logs ----
 */

/* What a value by reference takes: its length, so that it is aligned itself, and the value. */
static inline Size
value_size(Datum value, int16 typlen)
{
	return MAXALIGN(sizeof(int) + datumEstimateSpace(value, false, false, typlen));
}

/* The bytes of a row in a log: which columns are null, by bits, and the values. */
static Size
row_size(const MatchRows *rows, const NullableDatum *row)
{
	Size		size = MAXALIGN((rows->desc->natts + 1) * sizeof(Datum));
	int			i;

	for (i = 0; i < rows->desc->natts; i++)
		if (rows->typlen[i] != 0 && !row[i].isnull)
			size += value_size(row[i].value, rows->typlen[i]);
	return size;
}

/* Move the block to the file. */
static void
flush_block(RowLog *log)
{
	if (log->file == NULL)
		log->file = BufFileCreateTemp(false);
	BufFileWrite(log->file, &log->block.len, sizeof(int));
	BufFileWrite(log->file, log->block.data, log->block.len);
	resetStringInfo(&log->block);
}

static void
log_row(const MatchRows *rows, RowLog *log, const NullableDatum *row)
{
	int			natts = rows->desc->natts;
	Size		size = row_size(rows, row);
	Datum	   *header;
	char	   *to;
	int			i;

	if (log->block.len > 0 && log->block.len + size > rows->max_block)
		flush_block(log);
	if (log->block.len + size >= (Size) log->block.maxlen)
		enlargeStringInfo(&log->block, (int) size);
	header = (Datum *) (log->block.data + log->block.len);
	log->block.len += size;
	to = (char *) header + MAXALIGN((natts + 1) * sizeof(Datum));
	header[0] = 0;
	for (i = 0; i < natts; i++)
	{
		header[i + 1] = row[i].value;
		if (row[i].isnull)
			header[0] |= (Datum) 1 << i;
		else if (rows->typlen[i] != 0)
		{
			char	   *value = to + sizeof(int);

			to += value_size(row[i].value, rows->typlen[i]);
			datumSerialize(row[i].value, false, false, rows->typlen[i], &value);
		}
	}
}

/* Read the next block of a file; false if there is none. */
static bool
read_block(RowLog *log)
{
	int			size;

	log->place = 0;
	resetStringInfo(&log->block);
	if (log->file == NULL || BufFileRead(log->file, &size, sizeof(int)) != sizeof(int))
		return false;
	enlargeStringInfo(&log->block, size);
	if (BufFileRead(log->file, log->block.data, size) != (size_t) size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read temporary file of rows")));
	log->block.len = size;
	return true;
}

/* Have the log read from its first block. */
static void
begin_reading(RowLog *log)
{
	if (!log->reading && log->file != NULL)
		flush_block(log);
	log->reading = true;
	log->place = 0;
	if (log->file == NULL)
		return;
	if (BufFileSeek(log->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind temporary file of rows")));
	(void) read_block(log);
}

/* The next row of a log, which lasts until the next call; false if there is none. */
static bool
read_log(const MatchRows *rows, RowLog *log, NullableDatum *row)
{
	int			natts = rows->desc->natts;
	const Datum *header;
	char	   *from;
	int			i;

	CHECK_FOR_INTERRUPTS();
	if (!log->reading)
		begin_reading(log);
	while (log->place == log->block.len)
		if (!read_block(log))
			return false;
	header = (const Datum *) (log->block.data + log->place);
	from = (char *) header + MAXALIGN((natts + 1) * sizeof(Datum));
	for (i = 0; i < natts; i++)
	{
		row[i].isnull = (header[0] & (Datum) 1 << i) != 0;
		row[i].value = header[i + 1];
		if (row[i].isnull || rows->typlen[i] == 0)
			continue;

		/* Behind its length, and that of datumSerialize(). */
		row[i].value = PointerGetDatum(from + 2 * sizeof(int));
		from += value_size(row[i].value, rows->typlen[i]);
	}
	log->place = from - log->block.data;
	return true;
}

static void
end_log(RowLog *log)
{
	if (log->file != NULL)
		BufFileClose(log->file);
	log->file = NULL;
}

/*
 * ---- Adding rows ----
 */

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
	TupleTableSlot *slot = rows->in;
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

/* Sort the rows of the log, and those that follow. */
static void
begin_sort(MatchRows *rows)
{
	AttrNumber	column = 1;
	Oid			collation = rows->match_type->collation;
	bool		nulls_first = false;
	NullableDatum row[MATCH_ROWS_MAX_COLUMNS];

	rows->sort = tuplesort_begin_heap(rows->desc, 1, &column, &rows->less, &collation,
									  &nulls_first, memory_limit_work_mem(), NULL,
									  TUPLESORT_NONE);
	while (read_log(rows, &rows->log, row))
		sort_row(rows, row);
	end_log(&rows->log);
	rows->log.reading = false;
}

void
match_rows_add(MatchRows *rows, const NullableDatum *row)
{
	if (rows->max_size > 0 && (rows->size += row_size(rows, row)) > rows->max_size)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many rows for a parallel worker of %s()", rows->name),
				 errdetail("A worker can hand over at most %zu MB of rows.",
						   rows->max_size / (1024 * 1024)),
				 errhint("Without parallel workers there is no such limit: SET max_parallel_workers_per_gather = 0.")));
	if (rows->sort == NULL && ascends(rows, &row[0]))
	{
		keep_match(rows, &row[0]);
		log_row(rows, &rows->log, row);
		return;
	}
	if (rows->sort == NULL)
		begin_sort(rows);
	sort_row(rows, row);
}

/* The next row of the sort, or of the log where there is none; false if there is none. */
static bool
read_added(MatchRows *rows, NullableDatum *row)
{
	int			i;

	if (rows->sort == NULL)
		return read_log(rows, &rows->log, row);
	CHECK_FOR_INTERRUPTS();
	if (!rows->sorted)
		tuplesort_performsort(rows->sort);
	rows->sorted = true;
	if (!tuplesort_gettupleslot(rows->sort, true, false, rows->out, NULL))
		return false;
	slot_getallattrs(rows->out);
	for (i = 0; i < rows->desc->natts; i++)
	{
		row[i].value = rows->out->tts_values[i];
		row[i].isnull = rows->out->tts_isnull[i];
	}
	return true;
}

/*
 * ---- Rows of workers ----
 */

void
match_rows_write(MatchRows *rows, StringInfo bytes)
{
	RowLog	   *log = &rows->log;
	NullableDatum row[MATCH_ROWS_MAX_COLUMNS];

	if (rows->sort != NULL)
	{
		while (read_added(rows, row))
			log_row(rows, log, row);
		tuplesort_end(rows->sort);
		rows->sort = NULL;
	}
	begin_reading(log);
	do
	{
		appendBinaryStringInfo(bytes, (char *) &log->block.len, sizeof(int));
		appendBinaryStringInfo(bytes, log->block.data, log->block.len);
	} while (log->file != NULL && read_block(log));
}

void
match_rows_take(MatchRows *rows, const char *bytes, Size size)
{
	RowLog	   *run = palloc0_object(RowLog);
	int			length;

	rows->runs = lappend(rows->runs, run);
	initStringInfo(&run->block);
	memcpy(&length, bytes, sizeof(int));
	if (length + sizeof(int) == size)
	{
		appendBinaryStringInfo(&run->block, bytes + sizeof(int), length);
		return;
	}

	/* It did not fit into memory there either. */
	run->file = BufFileCreateTemp(false);
	BufFileWrite(run->file, unconstify(char *, bytes), size);
	run->reading = true;
	begin_reading(run);
}

/* The first run has the greatest rank. */
static int
compare_runs(Datum a, Datum b, void *argument)
{
	const NullableDatum *x = &((RowLog *) DatumGetPointer(a))->row[0];
	const NullableDatum *y = &((RowLog *) DatumGetPointer(b))->row[0];

	return -ApplySortComparator(x->value, x->isnull, y->value, y->isnull,
								(SortSupport) argument);
}

static void
begin_merge(MatchRows *rows)
{
	ListCell   *cell;

	rows->heap = binaryheap_allocate(list_length(rows->runs), compare_runs, &rows->order);
	foreach(cell, rows->runs)
	{
		RowLog	   *run = (RowLog *) lfirst(cell);

		if (read_log(rows, run, run->row))
			binaryheap_add_unordered(rows->heap, PointerGetDatum(run));
	}
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
		if (read_log(rows, rows->current, rows->current->row))
			binaryheap_replace_first(rows->heap, PointerGetDatum(rows->current));
		else
			(void) binaryheap_remove_first(rows->heap);
		rows->current = NULL;
	}
	if (binaryheap_empty(rows->heap))
		return false;
	rows->current = (RowLog *) DatumGetPointer(binaryheap_first(rows->heap));
	memcpy(row, rows->current->row, rows->desc->natts * sizeof(NullableDatum));
	return true;
}

bool
match_rows_read(MatchRows *rows, NullableDatum *row)
{
	return rows->runs != NIL ? read_runs(rows, row) : read_added(rows, row);
}

void
match_rows_end(MatchRows *rows)
{
	ListCell   *cell;

	if (rows->sort != NULL)
		tuplesort_end(rows->sort);
	rows->sort = NULL;
	end_log(&rows->log);
	foreach(cell, rows->runs)
		end_log((RowLog *) lfirst(cell));
	rows->runs = NIL;
}
