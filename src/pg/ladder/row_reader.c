/*
 * row_reader.c
 *		The rows of a query on a ladder, one after another.
 */
#include "pg/ladder/row_reader.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/portal.h"

/* Rows to fetch at once. */
#define ROWS_AT_ONCE 1000

void
row_reader_open(RowReader *reader, Ladder *ladder, LadderQuery *query,
				const Datum *values)
{
	reader->portal = ladder_cursor(ladder, query, values);

	/* Code of the user that runs meanwhile may close cursors by their names. */
	PinPortal(reader->portal);
	reader->slot = MakeSingleTupleTableSlot(reader->portal->tupDesc,
											&TTSOpsHeapTuple);
	reader->rows = NULL;
	reader->next = 0;
	row_reader_next(reader);
}

void
row_reader_next(RowReader *reader)
{
	CHECK_FOR_INTERRUPTS();
	if (row_reader_is_drained(reader))
	{
		SPITupleTable *rows = reader->rows;

		/* The query may raise an error, after which the reader is closed. */
		ExecClearTuple(reader->slot);
		reader->rows = NULL;
		if (rows != NULL)
			SPI_freetuptable(rows);
		SPI_cursor_fetch(reader->portal, true, ROWS_AT_ONCE);
		reader->rows = SPI_tuptable;
		reader->next = 0;
	}
	reader->have_row = reader->next < reader->rows->numvals;
	if (reader->have_row)
		ExecStoreHeapTuple(reader->rows->vals[reader->next++], reader->slot,
						   false);
}

void
row_reader_close(RowReader *reader)
{
	ExecDropSingleTupleTableSlot(reader->slot);
	if (reader->rows != NULL)
		SPI_freetuptable(reader->rows);
	UnpinPortal(reader->portal);
	SPI_cursor_close(reader->portal);
}

Datum
row_key_column(RowReader *reader, int attnum)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, attnum, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the key of a rating or an event is null")));
	return value;
}
