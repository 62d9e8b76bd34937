/*
 * verify.c
 *		Recompute a ladder from its source, and compare bit for bit.
 *
 * Everything is read under one snapshot, in rated order; the rows of matches
 * and events go through tuplestores, so that memory holds only the players.
 */
#include "glue.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/tstoreReceiver.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "batch.h"

SKILLRATING_FUNCTION(skillrating_verify);

/* What a check has found: how many faults, and the first of them. */
typedef struct Check
{
	const char *name;
	uint64		examined;
	const char *unit;			/* of what was examined */
	uint64		faults;
	char	   *first;
} Check;

/* Count a fault; the first one, for which this is true, is to be described. */
static bool
fault(Check *check)
{
	return check->faults++ == 0;
}

static void
return_check(ReturnSetInfo *rsinfo, const Check *check)
{
	Datum		values[3];
	bool		nulls[3] = {false};
	char	   *detail;

	if (check->faults == 0)
		detail = psprintf(UINT64_FORMAT " %s", check->examined, check->unit);
	else
		detail = psprintf(UINT64_FORMAT " of " UINT64_FORMAT " %s wrong, first: %s",
						  check->faults, check->examined, check->unit,
						  check->first);
	values[0] = CStringGetTextDatum(check->name);
	values[1] = BoolGetDatum(check->faults == 0);
	values[2] = CStringGetTextDatum(detail);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* The rows of a query, one after another. */
typedef struct RowReader
{
	Tuplestorestate *rows;
	TupleTableSlot *slot;
	bool		have_row;
} RowReader;

static void
row_reader_open(RowReader *reader, Ladder *ladder, LadderQuery query,
				TupleDesc desc)
{
	DestReceiver *dest = CreateDestReceiver(DestTuplestore);

	reader->rows = tuplestore_begin_heap(false, false, work_mem);
	SetTuplestoreDestReceiverParams(dest, reader->rows, CurrentMemoryContext,
									false, NULL, NULL);
	ladder_execute(ladder, query, NULL, NULL, dest);
	dest->rDestroy(dest);
	reader->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	reader->have_row = tuplestore_gettupleslot(reader->rows, true, false,
											   reader->slot);
}

static void
row_reader_next(RowReader *reader)
{
	CHECK_FOR_INTERRUPTS();
	reader->have_row = tuplestore_gettupleslot(reader->rows, true, false,
											   reader->slot);
}

static void
row_reader_close(RowReader *reader)
{
	ExecDropSingleTupleTableSlot(reader->slot);
	tuplestore_end(reader->rows);
}

/* A number; a null reads as zero, and shows as a fault. */
static Datum
column(RowReader *reader, int attnum)
{
	bool		isnull;

	return slot_getattr(reader->slot, attnum, &isnull);
}

/* A column of a key, which the table would not leave null. */
static Datum
key_column(RowReader *reader, int attnum)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, attnum, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the key of a rating or an event is null")));
	return value;
}

static bool
same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof(double)) == 0;
}

static int64
event_seq(RowReader *events)
{
	return DatumGetInt64(column(events, EVENT_SEQ));
}

static void
event_without_match(Check *check, RowReader *events)
{
	check->examined++;
	if (fault(check))
		check->first = psprintf("event " INT64_FORMAT " has no rated match",
								event_seq(events));
	row_reader_next(events);
}

/* Compare the event in the slot with what the current match gives. */
static void
check_event(Check *check, RowReader *events, Batch *batch, SourceMatch *source)
{
	Ladder	   *ladder = batch->ladder;
	const Model *model = ladder->model;
	char	   *pool = TextDatumGetCString(key_column(events, EVENT_POOL));
	Datum		id = key_column(events, EVENT_PLAYER_ID);
	BatchPlayer *player = id_table_find(batch->players, id, pool);
	bool		same;
	int			i;

	check->examined++;
	if (player == NULL || player->match != source->number)
	{
		if (fault(check))
			check->first = psprintf("player %s is not in match %s",
									id_text(ladder->player_type, id),
									id_text(ladder->match_type, source->id));
	}
	else
	{
		MatchPlayer *p = &batch->match.player[player->slot];

		same = DatumGetInt32(column(events, EVENT_TEAM)) ==
			batch->match.team[p->team].number &&
			DatumGetTimestampTz(column(events, EVENT_PLAYED_AT)) ==
			source->played_at &&
			same_bits(DatumGetFloat8(column(events, EVENT_SCORE)),
					  batch_score(batch, player->slot)) &&
			same_bits(DatumGetFloat8(column(events, EVENT_WIN_PROBABILITY)),
					  batch->match.team[p->team].win);
		for (i = 0; i < model->nstate; i++)
			same = same &&
				same_bits(DatumGetFloat8(column(events, EVENT_BEFORE(i))),
						  p->before[i]) &&
				same_bits(DatumGetFloat8(column(events, EVENT_AFTER(i))),
						  p->after[i]);
		if (!same && fault(check))
			check->first = psprintf("player %s in match %s",
									id_text(ladder->player_type, id),
									id_text(ladder->match_type, source->id));
	}
	pfree(pool);
}

/* Rate all matches again, and compare each with its events. */
static uint64
check_matches(Ladder *ladder, Batch *batch, Check *content, Check *event_check)
{
	MatchReader *reader = reader_open(ladder, QUERY_READ_RATED, NULL, NULL);
	RowReader	events;
	uint64		nmatches = 0;

	row_reader_open(&events, ladder, QUERY_READ_EVENTS,
					ladder_event_desc(ladder));
	while (reader_next(reader))
	{
		SourceMatch *source = &reader->match;
		int			nevents = 0;
		int			offender;

		nmatches++;
		content->examined++;
		if (source->digest != source->rated_digest && fault(content))
			content->first = psprintf("match %s",
									  id_text(ladder->match_type, source->id));

		while (events.have_row && event_seq(&events) < source->seq)
			event_without_match(event_check, &events);

		if (batch_build(batch, source, &offender) != MATCH_OK ||
			batch_rate(batch, source) != MATCH_OK)
		{
			if (fault(content))
				content->first = psprintf("match %s can no longer be rated",
										  id_text(ladder->match_type,
												  source->id));
			continue;
		}
		while (events.have_row && event_seq(&events) == source->seq)
		{
			check_event(event_check, &events, batch, source);
			nevents++;
			row_reader_next(&events);
		}
		if (nevents != batch->match.nplayers && fault(event_check))
			event_check->first = psprintf("match %s has %d events for %d players",
										  id_text(ladder->match_type, source->id),
										  nevents, batch->match.nplayers);
		batch_commit(batch, source);
	}
	while (events.have_row)
		event_without_match(event_check, &events);
	row_reader_close(&events);
	reader_close(reader);
	return nmatches;
}

/* Compare the table rating with where the players have got to. */
static void
check_ratings(Ladder *ladder, Batch *batch, Check *state_check,
			  Check *counter_check)
{
	const Model *model = ladder->model;
	RowReader	ratings;
	BatchPlayer **players;
	int			i;

	row_reader_open(&ratings, ladder, QUERY_ALL_PLAYERS,
					ladder_rating_desc(ladder));
	for (; ratings.have_row; row_reader_next(&ratings))
	{
		char	   *pool = TextDatumGetCString(key_column(&ratings, 2));
		BatchPlayer *player = batch_player(batch, key_column(&ratings, 1), pool);
		TimestampTz last_played = DT_NOBEGIN;
		bool		same = true;
		int			n = 3;

		player->known = true;
		for (i = 0; i < model->nstate; i++, n++)
			same = same && same_bits(DatumGetFloat8(column(&ratings, n)),
									 player->state[i]);
		state_check->examined++;
		if (!same && fault(state_check))
			state_check->first = psprintf("player %s",
										  id_text(ladder->player_type, player->id));

		same = DatumGetInt64(column(&ratings, n)) == player->games &&
			DatumGetInt64(column(&ratings, n + 1)) == player->wins &&
			DatumGetInt64(column(&ratings, n + 2)) == player->draws &&
			DatumGetInt64(column(&ratings, n + 3)) == player->losses;
		if (!slot_attisnull(ratings.slot, n + 4))
			last_played = DatumGetTimestampTz(column(&ratings, n + 4));
		counter_check->examined++;
		same = same && last_played == player->last_played;
		if (!same && fault(counter_check))
			counter_check->first = psprintf("player %s",
											id_text(ladder->player_type, player->id));
		pfree(pool);
	}
	row_reader_close(&ratings);

	players = (BatchPlayer **) id_table_values(batch->players);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (players[i]->played && !players[i]->known)
		{
			state_check->examined++;
			if (fault(state_check))
				state_check->first = psprintf("player %s has no row",
											  id_text(ladder->player_type,
													  players[i]->id));
		}
}

Datum
skillrating_verify(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Check		content = {"content", 0, "rated matches", 0, NULL};
	Check		events = {"events", 0, "events", 0, NULL};
	Check		states = {"ratings", 0, "players", 0, NULL};
	Check		counters = {"counters", 0, "players", 0, NULL};
	Check		complete = {"complete", 0, "finished matches", 0, NULL};
	Ladder	   *ladder;
	LadderScope scope;
	Batch	   *batch;
	uint64		nmatches;
	int64		count[3];			/* not looked at, rated, and looked at */
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 AccessShareLock);
	ladder_enter(ladder, false, &scope);
	ladder_expect_many(ladder);

	batch = batch_create(ladder);
	nmatches = check_matches(ladder, batch, &content, &events);
	check_ratings(ladder, batch, &states, &counters);

	(void) ladder_execute(ladder, QUERY_COUNTS, NULL, NULL, NULL);
	for (i = 0; i < 3; i++)
	{
		bool		isnull;

		count[i] = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc, i + 1,
											   &isnull));
	}
	if ((uint64) count[1] != nmatches)
	{
		content.examined = count[1];
		content.faults += count[1] - nmatches;
		if (content.first == NULL)
			content.first = pstrdup("a match that the source no longer has");
	}
	complete.examined = count[0] + count[2];
	if (count[0] > 0)
	{
		complete.faults = count[0];
		complete.first = pstrdup("one that was never looked at");
	}

	return_check(rsinfo, &content);
	return_check(rsinfo, &events);
	return_check(rsinfo, &states);
	return_check(rsinfo, &counters);
	return_check(rsinfo, &complete);
	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}
