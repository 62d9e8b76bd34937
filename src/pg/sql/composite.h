/*
 * composite.h
 *		Results that are a row, or an array of rows.
 */
#ifndef PG_SQL_COMPOSITE_H
#define PG_SQL_COMPOSITE_H

#include "pg/sql/glue.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

/*
 * A row in the making, {0} at first: its columns are put one after another, in the order of its
 * type.  Whatever takes the row checks that they are as many.
 */
#define RESULT_MAX_COLUMNS 24

typedef struct ResultRow
{
	int			n;				/* columns that have been put */
	Datum		values[RESULT_MAX_COLUMNS];
	bool		nulls[RESULT_MAX_COLUMNS];
} ResultRow;

static inline void
put_datum(ResultRow *row, Datum value, bool null)
{
	Assert(row->n < RESULT_MAX_COLUMNS);
	row->values[row->n] = value;
	row->nulls[row->n++] = null;
}

static inline void
put_null(ResultRow *row)
{
	put_datum(row, (Datum) 0, true);
}

/* A number; null where it is not determined: NaN. */
static inline void
put_number(ResultRow *row, double number)
{
	put_datum(row, Float8GetDatum(number), isnan(number));
}

static inline void
put_int32(ResultRow *row, int32 number)
{
	put_datum(row, Int32GetDatum(number), false);
}

static inline void
put_int64(ResultRow *row, int64 number)
{
	put_datum(row, Int64GetDatum(number), false);
}

static inline void
put_bool(ResultRow *row, bool value)
{
	put_datum(row, BoolGetDatum(value), false);
}

/* A text; null for NULL. */
static inline void
put_text(ResultRow *row, const char *string)
{
	put_datum(row, string != NULL ? CStringGetTextDatum(string) : (Datum) 0, string == NULL);
}

/* A time; null for DT_NOBEGIN. */
static inline void
put_time(ResultRow *row, TimestampTz at)
{
	put_datum(row, TimestampTzGetDatum(at), TIMESTAMP_IS_NOBEGIN(at));
}

/* The row as the result of a function, or as one of its results. */
extern Datum return_result_row(FunctionCallInfo fcinfo, ResultRow *row);
extern void add_result_row(FunctionCallInfo fcinfo, ResultRow *row);

/* The same of values and nulls, as many as the result type has columns. */
extern Datum return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* The same of n numbers; one that is not finite is reported as an overflow. */
extern Datum return_numbers(FunctionCallInfo fcinfo, const double *number, int n);

/* The columns of a composite, of which desc is the description. */
extern void row_columns(HeapTupleHeader row, TupleDesc desc, Datum *values,
						bool *nulls);

/*
 * The n columns of a composite argument.  Its description is looked up once and
 * kept in *desc, at first NULL, in that memory.
 */
extern void composite_columns(Datum composite, TupleDesc *desc,
							  MemoryContext memory, int n, Datum *values,
							  bool *nulls);

/* The element type of the array in the column that is to be put next into that row. */
extern Oid	next_element_type(FunctionCallInfo fcinfo, const ResultRow *row);

/*
 * An array of rows in the making.  Its rows lie in blocks of a memory context of the array's
 * own, which counts to skillrating.memory_limit, below the context that was current at the
 * beginning.
 */
typedef struct RowArray
{
	Oid			type;
	TupleDesc	desc;
	Tuplestorestate *store;		/* where rows go in place of an array, or NULL */
	struct ExpandedArrayHeader *array;
	Datum	   *row;
	int64		n;
	int64		room;
	Size		size;			/* of all rows */
	char	   *block;			/* what is left of the last one, */
	Size		left;			/* and how many bytes that is */
	MemoryContext scratch;		/* of the row that row_array_begin_row()
								 * began, or NULL */
	MemoryContext caller;		/* current before that */
} RowArray;

/*
 * Begin an array with room for so many rows, as the function's result or of a row type.
 * Error 54000 for more rows than an array can have.
 */
extern RowArray row_array_make(FunctionCallInfo fcinfo, int64 room);
extern RowArray row_array_of(Oid row_type, int64 room);

/* Begin rows that go to a tuplestore, of whatever number and size, and are no array. */
extern RowArray row_array_into(Tuplestorestate *store, TupleDesc desc);

/*
 * Error (53200) unless the memory limit leaves room for an array of so many rows with at least
 * so many bytes each: for callers to ask before long work whose result would not fit.
 */
extern void row_array_reserve(int64 rows, Size width);

/*
 * Begin a row: until row_array_add() the current context is one that is reset with each row, so
 * that texts and arrays made for its columns are not kept.  Optional; for large arrays.
 */
extern void row_array_begin_row(RowArray *array);

/* Add a row, of which a copy is kept. */
extern void row_array_add(RowArray *array, ResultRow *row);

/*
 * The array as a result, 0 for rows that are none; nothing can be added any more.  A large one is an expanded array, whose
 * rows stay where they are: unnest() reads one after another, and it need not fit into 1 GB.
 * Only who copies it as a whole, such as a sort or a scalar subquery, makes it flat; error 54000
 * if that would be larger than 1 GB.  It lives as long as the context that was current at the
 * beginning.
 */
extern Datum return_row_array(RowArray *array);

#endif							/* PG_SQL_COMPOSITE_H */
