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
#include "utils/portal.h"

/* Rows to fetch at once: few enough for their values to stay in the cache of the processor. */
#define ROWS_AT_ONCE 250

/*
 * ---- Chunks ----
 */

/* Keep a copy of a row, which is gone with the next one. */
static bool
chunk_receive(TupleTableSlot *slot, DestReceiver *self)
{
	RowChunk   *chunk = (RowChunk *) self;
	int			natts = chunk->natts;
	Datum	   *values = chunk->values + (Size) chunk->nrows * natts;
	bool	   *nulls = chunk->nulls + (Size) chunk->nrows * natts;
	MemoryContext old;
	int			i;

	slot_getallattrs(slot);
	memcpy(values, slot->tts_values, natts * sizeof(Datum));
	memcpy(nulls, slot->tts_isnull, natts * sizeof(bool));
	old = MemoryContextSwitchTo(chunk->context);
	for (i = 0; i < natts; i++)
		if (!nulls[i] && !chunk->byval[i])
			values[i] = datumCopy(values[i], false, chunk->length[i]);
	MemoryContextSwitchTo(old);
	chunk->nrows++;
	return true;
}

/* An empty chunk for rows of a query, in the current context. */
static RowChunk *
chunk_create(TupleDesc desc)
{
	RowChunk   *chunk = palloc0_object(RowChunk);
	int			natts = desc->natts;
	int			i;

	chunk->receiver = *None_Receiver;
	chunk->receiver.receiveSlot = chunk_receive;
	chunk->natts = natts;
	chunk->byval = palloc_array(bool, natts);
	chunk->length = palloc_array(int16, natts);
	for (i = 0; i < natts; i++)
	{
		chunk->byval[i] = TupleDescAttr(desc, i)->attbyval;
		chunk->length[i] = TupleDescAttr(desc, i)->attlen;
	}
	chunk->values = palloc_array(Datum, ROWS_AT_ONCE * natts);
	chunk->nulls = palloc_array(bool, ROWS_AT_ONCE * natts);
	chunk->context = AllocSetContextCreate(CurrentMemoryContext, "skillrating rows",
										   ALLOCSET_DEFAULT_SIZES);
	return chunk;
}

static void
chunk_free(RowChunk *chunk)
{
	MemoryContextDelete(chunk->context);
	pfree(chunk->nulls);
	pfree(chunk->values);
	pfree(chunk->length);
	pfree(chunk->byval);
	pfree(chunk);
}

/*
 * ---- Readers ----
 */

void
row_reader_open(RowReader *reader, Ladder *ladder, LadderQuery *query,
				const Datum *values)
{
	reader->portal = ladder_cursor(ladder, query, values);

	/* Code of the user that runs meanwhile may close cursors by their names. */
	PinPortal(reader->portal);
	reader->slot = MakeSingleTupleTableSlot(reader->portal->tupDesc, &TTSOpsVirtual);
	reader->chunk = chunk_create(reader->portal->tupDesc);
	reader->next = 0;
	row_reader_next(reader);
}

void
row_reader_next(RowReader *reader)
{
	RowChunk   *chunk = reader->chunk;
	int			natts = chunk->natts;

	CHECK_FOR_INTERRUPTS();
	ExecClearTuple(reader->slot);
	if (row_reader_is_drained(reader))
	{
		/* The query may raise an error, after which the reader is closed. */
		chunk->nrows = reader->next = 0;
		MemoryContextReset(chunk->context);
		(void) PortalRunFetch(reader->portal, FETCH_FORWARD, ROWS_AT_ONCE,
							  &chunk->receiver);
	}
	reader->have_row = reader->next < chunk->nrows;
	if (!reader->have_row)
		return;
	memcpy(reader->slot->tts_values, chunk->values + (Size) reader->next * natts,
		   natts * sizeof(Datum));
	memcpy(reader->slot->tts_isnull, chunk->nulls + (Size) reader->next * natts,
		   natts * sizeof(bool));
	ExecStoreVirtualTuple(reader->slot);
	reader->next++;
}

void
row_reader_close(RowReader *reader)
{
	ExecDropSingleTupleTableSlot(reader->slot);
	chunk_free(reader->chunk);
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
				 errmsg("key of a rating or an event is null")));
	return value;
}
