/*
 * row_log.c
 *		Rows in the order in which they came, to be read once more.
 */
#include "pg/sql/row_log.h"

#include "storage/buffile.h"
#include "utils/datum.h"

#include "pg/sql/huge.h"

/* The memory of a log begins with so many bytes: each group of an aggregate has one. */
#define FIRST_SIZE 1024

/* It may become as large as this, also if less is given, and a file is read in such pieces. */
#define PIECE_SIZE (64 * 1024)

typedef struct LogColumn
{
	bool		typbyval;
	int16		typlen;
} LogColumn;

struct RowLog
{
	LogColumn	column[ROW_LOG_MAX_COLUMNS];
	int			ncolumns;
	MemoryContext context;
	char	   *buffer;			/* what is in no file yet, or being read, */
	Size		used;			/* so many bytes, */
	Size		place;			/* of which so many have been read, */
	Size		size;			/* and the room */
	Size		max_size;
	BufFile    *file;			/* what does not fit, or NULL */
	bool		reading;
	uint64		in_file;		/* bytes that are to be read of the file */
	char	   *tail;			/* what came last, while the file is read, */
	Size		tail_used;
};

RowLog *
row_log_create(TupleDesc desc, Size max_memory)
{
	RowLog	   *log = palloc0_object(RowLog);
	int			i;

	if (desc->natts > ROW_LOG_MAX_COLUMNS)
		elog(ERROR, "row has %d columns", desc->natts);
	for (i = 0; i < desc->natts; i++)
	{
		log->column[i].typbyval = TupleDescAttr(desc, i)->attbyval;
		log->column[i].typlen = TupleDescAttr(desc, i)->attlen;
	}
	log->ncolumns = desc->natts;
	log->context = CurrentMemoryContext;
	log->max_size = Max(max_memory, PIECE_SIZE);
	log->size = FIRST_SIZE;
	log->buffer = palloc_array(char, log->size);
	return log;
}

static void
write_file(RowLog *log, const char *bytes, Size size)
{
	MemoryContext old = MemoryContextSwitchTo(log->context);

	if (log->file == NULL)
		log->file = BufFileCreateTemp(false);

	/* Before version 16 the bytes are not const, and are not changed. */
	BufFileWrite(log->file, unconstify(char *, bytes), size);
	MemoryContextSwitchTo(old);
	log->in_file += size;
}

/* Room for so many bytes more. */
static void
reserve(RowLog *log, Size size)
{
	if (log->used + size <= log->size)
		return;
	if (log->used + size > log->max_size && log->used > 0)
	{
		write_file(log, log->buffer, log->used);
		log->used = 0;
	}
	if (log->used + size <= log->size)
		return;
	log->size = Max(log->used + size, Min(2 * log->size, log->max_size));
	huge_array_grow(log->buffer, char, log->size);
}

/* The bytes that a value takes at most. */
static inline Size
value_size(const NullableDatum *value, bool typbyval, int16 typlen)
{
	return value->isnull ? 0 : typbyval ? sizeof(Datum) :
		datumEstimateSpace(value->value, false, false, typlen);
}

/* The same of a row, whose columns the log knows. */
static Size
row_size(const RowLog *log, const NullableDatum *row)
{
	Size		size = 1;
	int			i;

	for (i = 0; i < log->ncolumns; i++)
		size += value_size(&row[i], log->column[i].typbyval, log->column[i].typlen);
	return size;
}

Size
row_log_row_size(TupleDesc desc, const NullableDatum *row)
{
	Size		size = 1;
	int			i;

	for (i = 0; i < desc->natts; i++)
		size += value_size(&row[i], TupleDescAttr(desc, i)->attbyval,
						   TupleDescAttr(desc, i)->attlen);
	return size;
}

void
row_log_add(RowLog *log, const NullableDatum *row)
{
	uint8		nulls = 0;
	char	   *first;
	char	   *to;
	int			i;

	Assert(!log->reading);
	reserve(log, row_size(log, row));
	first = log->buffer + log->used;
	to = first + 1;
	for (i = 0; i < log->ncolumns; i++)
	{
		if (row[i].isnull)
			nulls |= 1 << i;
		else if (log->column[i].typbyval)
		{
			memcpy(to, &row[i].value, sizeof(Datum));
			to += sizeof(Datum);
		}
		else
			datumSerialize(row[i].value, false, false, log->column[i].typlen, &to);
	}
	*first = (char) nulls;
	log->used = to - log->buffer;
}

/* Have the file read from its beginning. */
static void
rewind_file(RowLog *log)
{
	if (BufFileSeek(log->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind temporary file of rows")));
}

static void
read_file(RowLog *log, char *to, Size size)
{
	if (BufFileRead(log->file, to, size) != size)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read temporary file of rows")));
}

Size
row_log_size(const RowLog *log)
{
	return log->in_file + log->used;
}

void
row_log_write(RowLog *log, char *to)
{
	Assert(!log->reading);
	if (log->in_file > 0)
	{
		rewind_file(log);
		read_file(log, to, log->in_file);
	}
	memcpy(to + log->in_file, log->buffer, log->used);
}

Size
row_log_take(RowLog *log, const char *bytes, Size size)
{
	Assert(!log->reading && log->in_file == 0 && log->used == 0);
	if (size <= log->max_size)
	{
		reserve(log, size);
		memcpy(log->buffer, bytes, size);
		log->used = size;
		return size;
	}
	write_file(log, bytes, size);
	return 0;
}

/* Begin to read: the file, if there is one, and then what came last. */
static void
begin_reading(RowLog *log)
{
	log->reading = true;
	if (log->file == NULL)
		return;
	rewind_file(log);
	log->tail = log->buffer;
	log->tail_used = log->used;
	log->buffer = NULL;
	log->used = log->size = 0;
}

/* Have so many bytes at place, of which some may still be in the file; false at the end. */
static bool
fetch(RowLog *log, Size size)
{
	Size		left = log->used - log->place;
	Size		more;

	if (left >= size)
		return true;
	if (log->in_file > 0)
	{
		if (size - left > log->in_file)
			return false;
		if (size > log->size || log->buffer == NULL)
		{
			log->size = Max(size, PIECE_SIZE);
			if (log->buffer == NULL)
				log->buffer = MemoryContextAlloc(log->context, log->size);
			else
				huge_array_grow(log->buffer, char, log->size);
		}
		memmove(log->buffer, log->buffer + log->place, left);
		more = Min(log->in_file, log->size - left);
		read_file(log, log->buffer + left, more);
		log->in_file -= more;
		log->place = 0;
		log->used = left + more;
		return fetch(log, size);
	}
	if (left > 0 || log->tail == NULL)
		return false;

	/* Rows do not lie across the end of the file. */
	if (log->buffer != NULL)
		pfree(log->buffer);
	log->buffer = log->tail;
	log->used = log->tail_used;
	log->place = 0;
	log->tail = NULL;
	return fetch(log, size);
}

/* The next bytes, which must be there. */
static char *
take(RowLog *log, Size size)
{
	char	   *bytes;

	if (!fetch(log, size))
		elog(ERROR, "temporary file of rows ends within a row");
	bytes = log->buffer + log->place;
	log->place += size;
	return bytes;
}

/*
 * A value by reference, as datumSerialize() writes it: its length, and so many bytes, of which a
 * text or the like has the number in front once more.
 */
static Datum
take_reference(RowLog *log, int16 typlen)
{
	int			length;
	char	   *bytes;
	char	   *copy;

	memcpy(&length, take(log, sizeof(int)), sizeof(int));
	if (length <= 0 || (typlen > 0 && length != typlen) || !AllocSizeIsValid(length))
		elog(ERROR, "row has a value of %d bytes", length);
	bytes = take(log, length);
	copy = palloc(length);
	memcpy(copy, bytes, length);
	if (datumGetSize(PointerGetDatum(copy), false, typlen) != (Size) length)
		elog(ERROR, "row has a value of another size than %d bytes", length);
	return PointerGetDatum(copy);
}

bool
row_log_read(RowLog *log, NullableDatum *row)
{
	uint8		nulls;
	int			i;

	if (!log->reading)
		begin_reading(log);
	if (!fetch(log, 1))
		return false;
	nulls = (uint8) *take(log, 1);
	for (i = 0; i < log->ncolumns; i++)
	{
		row[i].isnull = (nulls & (1 << i)) != 0;
		row[i].value = (Datum) 0;
		if (row[i].isnull)
			continue;
		if (log->column[i].typbyval)
			memcpy(&row[i].value, take(log, sizeof(Datum)), sizeof(Datum));
		else
			row[i].value = take_reference(log, log->column[i].typlen);
	}
	return true;
}

void
row_log_end(RowLog *log)
{
	if (log->file != NULL)
		BufFileClose(log->file);
	if (log->buffer != NULL)
		pfree(log->buffer);
	if (log->tail != NULL)
		pfree(log->tail);
	pfree(log);
}
