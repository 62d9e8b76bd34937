/*
 * row_reader.c
 *		The rows of a query on a ladder, one after another.
 *
 * Relies on a portal that is pinned: no code of the user closes it while rows are read.
 */
#include "pg/ladder/entry/row_reader.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/pquery.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* Rows to fetch at once: few enough for their values to stay in the cache of the processor. */
#define ROWS_AT_ONCE 250

/* Keep a copy of a row, which is gone with the next one. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReader  *reader = (RowReader *) self;
	TupleDesc	desc = slot->tts_tupleDescriptor;
	int			natts = desc->natts;
	Datum	   *values = reader->values + (Size) reader->nrows * natts;
	bool	   *nulls = reader->nulls + (Size) reader->nrows * natts;
	MemoryContext old;
	int			i;

	slot_getallattrs(slot);
	memcpy(values, slot->tts_values, natts * sizeof(Datum));
	memcpy(nulls, slot->tts_isnull, natts * sizeof(bool));
	old = MemoryContextSwitchTo(reader->context);
	for (i = 0; i < natts; i++)
		if (!nulls[i] && !TupleDescAttr(desc, i)->attbyval)
			values[i] = datumCopy(values[i], false, TupleDescAttr(desc, i)->attlen);
	MemoryContextSwitchTo(old);
	reader->nrows++;
	return true;
}

void
row_reader_open(RowReader *reader, Ladder *ladder, LadderQuery *query,
				const Datum *values)
{
	int			natts;

	memset(reader, 0, sizeof(RowReader));
	reader->portal = ladder_cursor(ladder, query, values);

	/* Code of the user that runs meanwhile may close cursors by their names. */
	PinPortal(reader->portal);
	natts = reader->portal->tupDesc->natts;
	reader->receiver = *None_Receiver;
	reader->receiver.receiveSlot = receive_row;
	reader->values = palloc_array(Datum, ROWS_AT_ONCE * natts);
	reader->nulls = palloc_array(bool, ROWS_AT_ONCE * natts);
	reader->context = AllocSetContextCreate(CurrentMemoryContext, "skillrating rows",
											ALLOCSET_DEFAULT_SIZES);
	row_reader_next(reader);
}

void
row_reader_next(RowReader *reader)
{
	CHECK_FOR_INTERRUPTS();
	if (row_reader_is_drained(reader))
	{
		/* The query may raise an error, after which the reader is closed. */
		reader->nrows = reader->nread = 0;
		MemoryContextReset(reader->context);
		(void) PortalRunFetch(reader->portal, FETCH_FORWARD, ROWS_AT_ONCE, &reader->receiver);
	}
	reader->have_row = reader->nread < reader->nrows;
	reader->nread += reader->have_row;
}

QueryRow
reader_row(const RowReader *reader)
{
	Size		first = (Size) (reader->nread - 1) * reader->portal->tupDesc->natts;

	return (QueryRow) {reader->values + first, reader->nulls + first};
}

void
row_reader_close(RowReader *reader)
{
	MemoryContextDelete(reader->context);
	pfree(reader->nulls);
	pfree(reader->values);
	UnpinPortal(reader->portal);
	SPI_cursor_close(reader->portal);
}

Datum
row_key_column(const RowReader *reader, int attnum)
{
	QueryRow	row = reader_row(reader);

	if (row.null[attnum - 1])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("key of a rating or an event is null")));
	return row.value[attnum - 1];
}
