/*
 * verify.c
 *		Recompute a ladder from its source, and compare bit for bit.
 *
 * Everything is read under one snapshot.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/replay.h"

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

/* The checks that a replay makes. */
typedef struct Verification
{
	ReplaySink	sink;
	Check	   *content;
	Check	   *events;
	MemoryContext context;		/* of what is found */
} Verification;

static void
check_event(ReplaySink *sink, Replay *replay, EventVerdict verdict,
			const EventRow *row, RowReader *stored)
{
	Check	   *check = ((Verification *) sink)->events;
	Ladder	   *ladder = replay->ladder;
	const BatchStep *step = &replay->batch->step;
	MemoryContext old;
	bool		in_order = !ladder->reorders || row == NULL ||
		row->last_played <= step->at;
	bool		isnull;
	char	   *what;

	check->examined++;
	if ((verdict == EVENT_SAME && in_order) || !fault(check))
		return;
	old = MemoryContextSwitchTo(((Verification *) sink)->context);
	if (verdict == EVENT_SURPLUS)
	{
		Datum		id = slot_getattr(stored->slot, EVENT_PLAYER_ID, &isnull);

		check->first = psprintf("event " INT64_FORMAT " of player %s has no cause",
								DatumGetInt64(slot_getattr(stored->slot,
														   EVENT_SEQ, &isnull)),
								id_text(ladder->player_type, id));
		MemoryContextSwitchTo(old);
		return;
	}
	what = step->is_match ?
		psprintf("match %s", id_text(ladder->match_type, step->match_id)) :
		psprintf("%s " INT64_FORMAT, step->kind, step->seq);
	check->first = psprintf("player %s %s %s",
							id_text(ladder->player_type, row->player->id),
							verdict == EVENT_MISSING ? "has no event of" :
							verdict == EVENT_SAME ? "played later than" : "in",
							what);
	MemoryContextSwitchTo(old);
}

static void
check_match(ReplaySink *sink, Replay *replay, const SourceMatch *source,
			Verdict verdict, const char *reason)
{
	Check	   *check = ((Verification *) sink)->content;
	MemoryContext old;
	char	   *id;

	(void) reason;
	check->examined++;
	if (!source->vanished && source->digest == source->rated_digest &&
		strcmp(verdict_status(source, verdict), source->status) == 0)
		return;
	if (!fault(check))
		return;
	old = MemoryContextSwitchTo(((Verification *) sink)->context);
	id = id_text(replay->ladder->match_type, source->id);
	if (source->vanished)
		check->first = psprintf("match %s is no longer in the source", id);
	else if (source->digest != source->rated_digest)
		check->first = psprintf("match %s", id);
	else
		check->first = psprintf("match %s is %s and should be %s", id,
								source->status,
								verdict_status(source, verdict));
	MemoryContextSwitchTo(old);
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

	row_reader_open(&ratings, ladder, QUERY_ALL_PLAYERS, NULL);
	for (; ratings.have_row; row_reader_next(&ratings))
	{
		char	   *pool = TextDatumGetCString(row_key_column(&ratings, 2));
		BatchPlayer *player = batch_player(batch, row_key_column(&ratings, 1), pool);
		TimestampTz last_played = DT_NOBEGIN;
		bool		same = true;
		int			n = 3;

		player->loaded = true;
		for (i = 0; i < model->nstate; i++, n++)
			same = same && same_bits(DatumGetFloat8(row_column(&ratings, n)),
									 player->state[i]);
		state_check->examined++;
		if (!same && fault(state_check))
			state_check->first = psprintf("player %s",
										  id_text(ladder->player_type, player->id));

		same = DatumGetInt64(row_column(&ratings, n)) == player->games &&
			DatumGetInt64(row_column(&ratings, n + 1)) == player->wins &&
			DatumGetInt64(row_column(&ratings, n + 2)) == player->draws &&
			DatumGetInt64(row_column(&ratings, n + 3)) == player->losses;
		if (!slot_attisnull(ratings.slot, n + 4))
			last_played = DatumGetTimestampTz(row_column(&ratings, n + 4));
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
		if (players[i]->exists && !players[i]->loaded)
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
	Check		content = {"content", 0, "matches", 0, NULL};
	Check		events = {"events", 0, "events", 0, NULL};
	Check		states = {"ratings", 0, "players", 0, NULL};
	Check		counters = {"counters", 0, "players", 0, NULL};
	Check		complete = {"complete", 0, "finished matches", 0, NULL};
	Check		corrections = {"corrections", 0, "corrections", 0, NULL};
	Verification verification = {{check_event, check_match}, &content, &events,
	NULL};
	Ladder	   *ladder;
	LadderScope scope;
	Replay	   *replay;
	int64		count[3];
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 AccessShareLock);
	ladder_enter(ladder, RIGHTS_OF_MEMBER, &scope);
	ladder_expect_many(ladder);

	verification.context = CurrentMemoryContext;
	replay = replay_run(ladder, REPLAY_START, false, &verification.sink);
	check_ratings(ladder, replay->batch, &states, &counters);

	(void) ladder_execute(ladder, QUERY_COUNTS, NULL, NULL, NULL);
	for (i = 0; i < 3; i++)
	{
		bool		isnull;

		count[i] = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc, i + 1,
											   &isnull));
	}
	complete.examined = count[0] + count[1];
	if (count[0] > 0)
	{
		complete.faults = count[0];
		complete.first = pstrdup("one that was never looked at");
	}
	corrections.examined = count[2];
	if (count[2] > 0)
	{
		corrections.faults = count[2];
		corrections.first = pstrdup("one that waits for catch_up()");
	}

	return_check(rsinfo, &content);
	return_check(rsinfo, &events);
	return_check(rsinfo, &states);
	return_check(rsinfo, &counters);
	return_check(rsinfo, &complete);
	return_check(rsinfo, &corrections);
	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}
