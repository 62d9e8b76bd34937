/*
 * replay.c
 *		Rating the history of a ladder again.
 *
 * Matches, operations and stored events come in the order of seq, each from a
 * query of its own that runs meanwhile, and are merged.  Memory holds only the
 * players.
 *
 * A replay from the middle starts from the states that the events before it
 * left behind, so that it costs what comes after it.
 */
#include "pg/ladder/replay.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(double)) == 0;
}

/*
 * ---- Players as they were ----
 */

/* A number, with null as zero. */
static int64
count_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

static TimestampTz
time_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? DT_NOBEGIN : DatumGetTimestampTz(value);
}

static double
state_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? 0 : DatumGetFloat8(value);
}

/* Take over the rows of QUERY_PLAYERS_AT and its kin, and free them. */
static void
take_players(Replay *replay, LadderQuery query)
{
	Batch	   *batch = replay->batch;
	int			nstate = replay->ladder->model->nstate;
	SPITupleTable *rows = SPI_tuptable;
	uint64		row;
	int			i;

	for (row = 0; row < rows->numvals; row++)
	{
		HeapTuple	tuple = rows->vals[row];
		TupleDesc	desc = rows->tupdesc;
		bool		isnull;
		Datum		id = SPI_getbinval(tuple, desc, 1, &isnull);
		Datum		pool_datum = SPI_getbinval(tuple, desc, 2, &isnull);
		char	   *pool = TextDatumGetCString(pool_datum);
		BatchPlayer *player;
		PlayerRow  *stored;
		int64		later[4];
		int			column = 3;

		CHECK_FOR_INTERRUPTS();
		if (query == QUERY_PLAYERS_AT && batch->shares &&
			strcmp(pool, SHARED_POOL) == 0)
			continue;

		player = batch_player(batch, id, pool);
		pfree(pool);
		stored = MemoryContextAlloc(batch->context,
									offsetof(PlayerRow, state) +
									nstate * sizeof(double));
		player->stored = stored;
		player->loaded = true;
		stored->found = DatumGetBool(SPI_getbinval(tuple, desc, column++, &isnull));
		for (i = 0; i < nstate; i++)
			stored->state[i] = state_column(tuple, desc, column++);
		stored->games = count_column(tuple, desc, column++);
		stored->wins = count_column(tuple, desc, column++);
		stored->draws = count_column(tuple, desc, column++);
		stored->losses = count_column(tuple, desc, column++);
		stored->last_played = time_column(tuple, desc, column++);
		for (i = 0; i < 4; i++)
			later[i] = count_column(tuple, desc, column++);

		/* Who has no event before was not there yet. */
		if (!DatumGetBool(SPI_getbinval(tuple, desc, column++, &isnull)))
			continue;
		player->exists = true;
		for (i = 0; i < nstate; i++, column++)
			if (query != QUERY_SHARED_AT || replay->ladder->model->state[i].shared)
				player->state[i] = state_column(tuple, desc, column);
		player->last_played = time_column(tuple, desc, column++);
		player->games = stored->games - later[0];
		player->wins = stored->wins - later[1];
		player->draws = stored->draws - later[2];
		player->losses = stored->losses - later[3];
	}
	SPI_freetuptable(rows);
}

/* Load those of n players who are not. */
static void
load_some(Replay *replay, LadderQuery query, BatchPlayer **player, int n)
{
	Datum	   *id = palloc_array(Datum, Max(n, 1));
	Datum	   *pool = palloc_array(Datum, Max(n, 1));
	Datum		values[3];
	int			nmissing = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		BatchPlayer *p = query == QUERY_SHARED_AT ? player[i]->shared : player[i];

		if (p == NULL || p->loaded)
			continue;
		p->loaded = true;
		id[nmissing] = p->id;
		pool[nmissing++] = CStringGetTextDatum(p->pool);
	}
	if (nmissing > 0)
	{
		values[0] = Int64GetDatum(replay->from);
		values[1] = id_array(replay->ladder->player_type, id, nmissing);
		values[2] = PointerGetDatum(construct_array(pool, nmissing, TEXTOID, -1,
													false, TYPALIGN_INT));
		ladder_execute(replay->ladder, query, values, NULL, NULL);
		take_players(replay, query);
	}
	pfree(id);
	pfree(pool);
}

/* At the very start nobody is there, so that only the rows of today count. */
static void
load_rows(Replay *replay)
{
	Batch	   *batch = replay->batch;
	const Model *model = replay->ladder->model;
	RowReader	rows;
	int			i;

	row_reader_open(&rows, replay->ladder, QUERY_ALL_PLAYERS, NULL);
	for (; rows.have_row; row_reader_next(&rows))
	{
		char	   *pool = TextDatumGetCString(row_key_column(&rows, 2));
		BatchPlayer *player = batch_player(batch, row_key_column(&rows, 1), pool);
		PlayerRow  *stored = MemoryContextAlloc(batch->context,
												offsetof(PlayerRow, state) +
												model->nstate * sizeof(double));
		int			n = 3;

		pfree(pool);
		stored->found = true;
		for (i = 0; i < model->nstate; i++)
			stored->state[i] = DatumGetFloat8(row_column(&rows, n++));
		stored->games = DatumGetInt64(row_column(&rows, n++));
		stored->wins = DatumGetInt64(row_column(&rows, n++));
		stored->draws = DatumGetInt64(row_column(&rows, n++));
		stored->losses = DatumGetInt64(row_column(&rows, n++));
		stored->last_played = slot_attisnull(rows.slot, n) ? DT_NOBEGIN :
			DatumGetTimestampTz(row_column(&rows, n));
		player->stored = stored;
		player->loaded = true;
	}
	row_reader_close(&rows);
}

/* Load all who have events in what is replayed: most of those who will be met. */
static void
load_players(Replay *replay)
{
	Batch	   *batch = replay->batch;
	Datum		values[1];

	if (replay->from == REPLAY_START)
	{
		load_rows(replay);
		return;
	}
	values[0] = Int64GetDatum(replay->from);
	ladder_execute(replay->ladder, QUERY_PLAYERS_AT, values, NULL, NULL);
	take_players(replay, QUERY_PLAYERS_AT);
	if (batch->shares)
		load_some(replay, QUERY_SHARED_AT,
				  (BatchPlayer **) id_table_values(batch->players),
				  id_table_count(batch->players));
}

/*
 * ---- Events ----
 */

static int64
event_seq(RowReader *events)
{
	return DatumGetInt64(row_key_column(events, EVENT_SEQ));
}

static bool
same_text(RowReader *reader, int attnum, const char *text)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, attnum, &isnull);
	struct varlena *stored;

	if (isnull || text == NULL)
		return isnull && text == NULL;
	stored = (struct varlena *) DatumGetPointer(value);
	return VARSIZE_ANY_EXHDR(stored) == strlen(text) &&
		memcmp(VARDATA_ANY(stored), text, strlen(text)) == 0;
}

static bool
same_time(RowReader *reader, int attnum, TimestampTz time)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, attnum, &isnull);

	return (isnull ? DT_NOBEGIN : DatumGetTimestampTz(value)) == time;
}

/* Whether an identifier column is what it should be. */
static bool
same_match_id(RowReader *reader, IdType *type, const BatchStep *step)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, EVENT_MATCH_ID, &isnull);

	if (isnull || !step->is_match)
		return isnull && !step->is_match;
	return DatumGetBool(FunctionCall2Coll(&type->equal, type->collation, value,
										  step->match_id));
}

static bool
same_event(RowReader *stored, Ladder *ladder, const BatchStep *step,
		   const EventRow *row)
{
	int			nstate = ladder->model->nstate;
	bool		same = same_time(stored, EVENT_PLAYED_AT, step->at) &&
		same_time(stored, EVENT_LAST_PLAYED, row->last_played) &&
		DatumGetInt32(row_column(stored, EVENT_GAMES)) == row->games &&
		same_text(stored, EVENT_KIND, step->kind) &&
		same_text(stored, EVENT_REASON, step->reason) &&
		same_match_id(stored, ladder->match_type, step);
	int			i;

	if (same && step->is_match)
		same = DatumGetInt32(row_column(stored, EVENT_TEAM)) == row->team &&
			same_bits(DatumGetFloat8(row_column(stored, EVENT_SCORE)), row->score) &&
			same_bits(DatumGetFloat8(row_column(stored, EVENT_WIN_PROBABILITY)),
					  row->win_probability);
	for (i = 0; i < nstate && same; i++)
		same = same_bits(DatumGetFloat8(row_column(stored, EVENT_BEFORE(i))),
						 row->before[i]) &&
			same_bits(DatumGetFloat8(row_column(stored, EVENT_AFTER(i))),
					  row->after[i]);
	return same;
}

/* The stored events before a seq belong to nothing. */
static void
surplus_events(Replay *replay, ReplaySink *sink, RowReader *events, int64 seq,
			   bool to_the_end)
{
	for (; events->have_row && (to_the_end || event_seq(events) < seq);
		 row_reader_next(events))
		sink->event(sink, replay, EVENT_SURPLUS, NULL, events);
}

/* Compare the events of the step just made with the stored ones. */
static void
compare_events(Replay *replay, ReplaySink *sink, RowReader *events)
{
	Batch	   *batch = replay->batch;
	BatchStep  *step = &batch->step;
	int			i;

	surplus_events(replay, sink, events, step->seq, false);
	for (i = 0; i < step->n; i++)
		step->row[i].stored = false;
	for (; events->have_row && event_seq(events) == step->seq;
		 row_reader_next(events))
	{
		char	   *pool = TextDatumGetCString(row_key_column(events, EVENT_POOL));
		BatchPlayer *player = id_table_find(batch->players,
											row_key_column(events, EVENT_PLAYER_ID),
											pool);

		pfree(pool);
		if (player != NULL && step->n > 0 && player->step == step->seq)
		{
			EventRow   *row = &step->row[player->row];

			row->stored = true;
			sink->event(sink, replay,
						same_event(events, replay->ladder, step, row) ?
						EVENT_SAME : EVENT_DIFFERS, row, events);
		}
		else
			sink->event(sink, replay, EVENT_SURPLUS, NULL, events);
	}
	for (i = 0; i < step->n; i++)
		if (!step->row[i].stored)
			sink->event(sink, replay, EVENT_MISSING, &step->row[i], events);
}

/*
 * ---- The replay ----
 */

static void
replay_match(Replay *replay, ReplaySink *sink, SourceMatch *source)
{
	Batch	   *batch = replay->batch;
	Verdict		verdict = VERDICT_UNRATED;
	const char *reason = NULL;

	batch->step.seq = source->seq;
	batch->step.n = 0;
	if (!source->vanished)
		verdict = batch_judge(batch, source, false, &reason);
	if (verdict == VERDICT_RATE)
	{
		MatchStatus status;

		if (replay->loads && replay->from != REPLAY_START)
		{
			load_some(replay, QUERY_SOME_PLAYERS_AT, batch->player,
					  batch->match.nplayers);
			if (batch->shares)
				load_some(replay, QUERY_SHARED_AT, batch->player,
						  batch->match.nplayers);
		}
		status = batch_rate(batch, source);
		if (status == MATCH_OK)
			batch_commit(batch, source, source->seq);
		else
		{
			verdict = VERDICT_UNRATED;
			reason = match_status_message(status);
		}
	}
	sink->match(sink, replay, source, verdict, reason);
}

Replay *
replay_run(Ladder *ladder, int64 from, bool load, ReplaySink *sink)
{
	Replay	   *replay = palloc0_object(Replay);
	LadderOperation *operation;
	MatchReader *matches;
	MemoryContext scratch;
	RowReader	events;
	Datum		values[1];
	int			noperations;
	int			next = 0;
	bool		have_match;

	replay->ladder = ladder;
	replay->batch = ladder_batch(ladder);
	replay->from = from;
	replay->loads = load;
	if (load)
		load_players(replay);

	values[0] = Int64GetDatum(from);
	operation = read_operations(ladder, from, &noperations);
	matches = reader_open(ladder, QUERY_READ_RATED, values, NULL);
	row_reader_open(&events, ladder, QUERY_READ_EVENTS, values);
	scratch = AllocSetContextCreate(CurrentMemoryContext,
									"skillrating replay",
									ALLOCSET_DEFAULT_SIZES);

	have_match = reader_next(matches);
	while (have_match || next < noperations)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);

		if (have_match && (next == noperations ||
						   matches->match.seq < operation[next].seq))
		{
			replay_match(replay, sink, &matches->match);
			compare_events(replay, sink, &events);
			MemoryContextSwitchTo(old);
			have_match = reader_next(matches);
		}
		else
		{
			next += batch_apply_operation(replay->batch, &operation[next],
										  noperations - next);
			compare_events(replay, sink, &events);
			MemoryContextSwitchTo(old);
		}
		MemoryContextReset(scratch);
	}
	surplus_events(replay, sink, &events, 0, true);
	row_reader_close(&events);
	reader_close(matches);
	MemoryContextDelete(scratch);
	return replay;
}
