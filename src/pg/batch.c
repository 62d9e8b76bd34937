/*
 * batch.c
 *		Matches as they come from a ladder's source, and the players in them.
 */
#include "batch.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/*
 * ---- Reading ----
 */

static TupleDesc
source_desc(const Ladder *ladder, LadderQuery query)
{
	bool		rated = (query == QUERY_READ_RATED);
	TupleDesc	desc = CreateTemplateTupleDesc(SOURCE_NCOLUMNS + (rated ? 2 : 0));
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		Oid			type = FLOAT8OID;

		if (i == SOURCE_MATCH_ID)
			type = ladder->match_type->type;
		else if (i == SOURCE_PLAYED_AT)
			type = TIMESTAMPTZOID;
		else if (i == SOURCE_TEAM)
			type = INT4OID;
		else if (i == SOURCE_PLAYER_ID)
			type = ladder->player_type->type;
		else if (i == SOURCE_POOL || i == SOURCE_UNRATED_REASON)
			type = TEXTOID;
		TupleDescInitEntry(desc, (AttrNumber) (i + 1),
						   source_column_name(i), type, -1, 0);
	}
	if (rated)
	{
		TupleDescInitEntry(desc, (AttrNumber) (SOURCE_NCOLUMNS + 1), "seq",
						   INT8OID, -1, 0);
		TupleDescInitEntry(desc, (AttrNumber) (SOURCE_NCOLUMNS + 2), "digest",
						   INT8OID, -1, 0);
	}
	return desc;
}

MatchReader *
reader_open(Ladder *ladder, LadderQuery query, const Datum *values,
			const bool *nulls)
{
	MatchReader *reader = palloc0_object(MatchReader);
	DestReceiver *dest = CreateDestReceiver(DestTuplestore);

	reader->ladder = ladder;
	reader->rows = tuplestore_begin_heap(true, false, work_mem);
	SetTuplestoreDestReceiverParams(dest, reader->rows, CurrentMemoryContext,
									false, NULL, NULL);
	ladder_execute(ladder, query, values, nulls, dest);
	dest->rDestroy(dest);

	reader->slot = MakeSingleTupleTableSlot(source_desc(ladder, query),
											&TTSOpsMinimalTuple);
	reader->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating match",
											ALLOCSET_SMALL_SIZES);
	reader->anonymous = (query == QUERY_READ_ARRAYS && nulls && nulls[0]);
	reader->match.max = 32;
	reader->match.participant = palloc_array(Participant, reader->match.max);
	reader->match.player_id = palloc_array(Datum, reader->match.max);
	reader_rewind(reader);
	return reader;
}

/*
 * Fetch the next row.  One that comes back from disk is the slot's own, and
 * must outlive the match before it.
 */
static void
fetch_row(MatchReader *reader)
{
	MemoryContext old = MemoryContextSwitchTo(reader->slot->tts_mcxt);

	reader->have_row = tuplestore_gettupleslot(reader->rows, true, false,
											   reader->slot);
	MemoryContextSwitchTo(old);
}

void
reader_rewind(MatchReader *reader)
{
	tuplestore_rescan(reader->rows);
	fetch_row(reader);
}

void
reader_close(MatchReader *reader)
{
	ExecDropSingleTupleTableSlot(reader->slot);
	tuplestore_end(reader->rows);
	MemoryContextDelete(reader->context);
}

static void
null_column(MatchReader *reader, SourceColumn column)
{
	bool		known = column != SOURCE_MATCH_ID && !reader->anonymous;

	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", source_column_name(column)),
			 known ?
			 errdetail("Match %s has a row without it.",
					   id_text(reader->ladder->match_type, reader->match.id)) : 0));
}

static Datum
required_column(MatchReader *reader, SourceColumn column)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, column + 1, &isnull);

	if (isnull)
		null_column(reader, column);
	return value;
}

/* A number that all rows of a match share, with a default for null. */
static double
match_number(MatchReader *reader, SourceColumn column, double default_value)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, column + 1, &isnull);

	return isnull ? default_value : DatumGetFloat8(value);
}

static char *
match_text(MatchReader *reader, SourceColumn column)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, column + 1, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static void
read_match_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->match_type;
	bool		isnull;

	match->n = 0;
	match->id = (Datum) 0;
	if (!reader->anonymous)
		match->id = datumCopy(required_column(reader, SOURCE_MATCH_ID),
							  type->typbyval, type->typlen);
	match->played_at =
		DatumGetTimestampTz(required_column(reader, SOURCE_PLAYED_AT));
	match->pool = match_text(reader, SOURCE_POOL);
	if (match->pool == NULL)
		match->pool = pstrdup("");
	match->log_odds = match_number(reader, SOURCE_LOG_ODDS, 0);
	match->gain = match_number(reader, SOURCE_GAIN, 1);
	match->unrated_reason = match_text(reader, SOURCE_UNRATED_REASON);
	if (reader->slot->tts_tupleDescriptor->natts > SOURCE_NCOLUMNS)
	{
		match->seq = DatumGetInt64(slot_getattr(reader->slot,
												SOURCE_NCOLUMNS + 1, &isnull));
		match->rated_digest = DatumGetInt64(slot_getattr(reader->slot,
														 SOURCE_NCOLUMNS + 2,
														 &isnull));
	}
}

/* Whether the row in the slot belongs to the current match. */
static bool
same_match(MatchReader *reader)
{
	IdType	   *type = reader->ladder->match_type;

	if (reader->anonymous)
		return true;
	return DatumGetBool(FunctionCall2Coll(&type->equal, type->collation,
										  reader->match.id,
										  required_column(reader, SOURCE_MATCH_ID)));
}

/* Columns of the match must be the same in all its rows. */
static void
check_match_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	const char *differs = NULL;
	char	   *text;

	if (match_number(reader, SOURCE_LOG_ODDS, 0) != match->log_odds &&
		!isnan(match->log_odds))
		differs = "log_odds";
	if (match_number(reader, SOURCE_GAIN, 1) != match->gain &&
		!isnan(match->gain))
		differs = "gain";
	text = match_text(reader, SOURCE_POOL);
	if (strcmp(text ? text : "", match->pool) != 0)
		differs = "pool";
	if (DatumGetTimestampTz(required_column(reader, SOURCE_PLAYED_AT)) !=
		match->played_at)
		differs = "played_at";
	if (differs != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of match %s differs among its participants",
						differs,
						id_text(reader->ladder->match_type, match->id))));
}

/* What of a participant goes into the digest, without padding. */
typedef struct DigestRow
{
	uint64		player;
	int64		team;
	double		number[SOURCE_NCOLUMNS - SOURCE_RANK];
} DigestRow;

static uint64
digest_bytes(const void *bytes, int length)
{
	return hash_bytes_extended((const unsigned char *) bytes, length, 0);
}

static void
read_participant(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	Ladder	   *ladder = reader->ladder;
	IdType	   *type = ladder->player_type;
	Participant *p;
	DigestRow	row;
	Datum		id;
	int			i;

	/* One more than the limit is enough to see that it is exceeded. */
	if (match->n > MATCH_MAX_PARTICIPANTS)
		return;
	if (match->n == match->max)
	{
		match->max *= 2;
		match->participant = repalloc_array(match->participant, Participant,
											match->max);
		match->player_id = repalloc_array(match->player_id, Datum, match->max);
	}

	p = &match->participant[match->n];
	memset(p, 0, sizeof(Participant));
	id = required_column(reader, SOURCE_PLAYER_ID);
	p->team = DatumGetInt32(required_column(reader, SOURCE_TEAM));
	row.player = id_hash(type, id);
	row.team = p->team;
	for (i = SOURCE_RANK; i < SOURCE_NCOLUMNS; i++)
	{
		bool		isnull;
		Datum		value = slot_getattr(reader->slot, i + 1, &isnull);
		double		number = isnull ? get_float8_nan() : DatumGetFloat8(value);

		/* In a Participant NaN means absent, so it may not come from outside. */
		if (!isnull && isnan(number))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s must not be NaN", source_column_name(i)),
					 errdetail("It is the value of player %s.",
							   id_text(type, id))));
		*source_number(p, i) = number;
		row.number[i - SOURCE_RANK] = number;
	}
	match->player_id[match->n] = datumCopy(id, type->typbyval, type->typlen);

	/* A sum, so that the digest does not depend on the order of the rows. */
	match->digest = (int64) ((uint64) match->digest +
							 digest_bytes(&row, sizeof(row)));
	match->n++;
}

static int64
digest_match_columns(const SourceMatch *match)
{
	double		numbers[3];
	uint64		digest;

	numbers[0] = match->log_odds;
	numbers[1] = match->gain;
	numbers[2] = match->unrated_reason != NULL;
	digest = digest_bytes(numbers, sizeof(numbers));
	digest = hash_combine64(digest, digest_bytes(&match->played_at,
												 sizeof(match->played_at)));
	digest = hash_combine64(digest, digest_bytes(match->pool,
												 strlen(match->pool)));
	if (match->unrated_reason != NULL)
		digest = hash_combine64(digest,
								digest_bytes(match->unrated_reason,
											 strlen(match->unrated_reason)));
	return (int64) digest;
}

bool
reader_next(MatchReader *reader)
{
	MemoryContext old;
	SourceMatch *match = &reader->match;

	if (!reader->have_row)
		return false;
	CHECK_FOR_INTERRUPTS();

	MemoryContextReset(reader->context);
	old = MemoryContextSwitchTo(reader->context);
	read_match_columns(reader);
	match->number++;
	match->digest = digest_match_columns(match);
	do
	{
		check_match_columns(reader);
		read_participant(reader);
		fetch_row(reader);
	} while (reader->have_row && same_match(reader));
	MemoryContextSwitchTo(old);
	return true;
}

/*
 * ---- Players ----
 */

Batch *
batch_create(Ladder *ladder)
{
	Batch	   *batch = palloc0_object(Batch);

	batch->ladder = ladder;
	batch->context = CurrentMemoryContext;
	batch->players = id_table_create(ladder->player_type);
	batch->shares = ladder->model->shares != NULL &&
		ladder->model->shares(ladder->params);
	ladder->model->init(ladder->params, batch->initial);
	return batch;
}

BatchPlayer *
batch_player(Batch *batch, Datum id, const char *pool)
{
	bool		found;
	void	  **place = id_table_enter(batch->players, id, pool, &found);

	if (!found)
	{
		const Model *model = batch->ladder->model;
		IdType	   *type = batch->ladder->player_type;
		MemoryContext old = MemoryContextSwitchTo(batch->context);
		BatchPlayer *player = palloc0(sizeof(BatchPlayer) +
									  model->nstate * sizeof(double));

		player->id = datumCopy(id, type->typbyval, type->typlen);
		player->pool = pstrdup(pool);
		player->state = (double *) (player + 1);
		memcpy(player->state, batch->initial, model->nstate * sizeof(double));
		player->last_played = DT_NOBEGIN;
		*place = player;
		MemoryContextSwitchTo(old);

		/* This may move the place. */
		if (batch->shares && strcmp(pool, SHARED_POOL) != 0)
			player->shared = batch_player(batch, id, SHARED_POOL);
		return player;
	}
	return (BatchPlayer *) *place;
}

/* A numeric column of a player's row, as read by SPI. */
static Datum
player_column(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of a rating is null",
						NameStr(TupleDescAttr(desc, column - 1)->attname))));
	return value;
}

void
batch_want(Batch *batch)
{
	int			i;

	for (i = 0; i < batch->match.nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];

		player->wanted = true;
		if (player->shared != NULL)
			player->shared->wanted = true;
	}
}

void
batch_load(Batch *batch, bool lock)
{
	Ladder	   *ladder = batch->ladder;
	const Model *model = ladder->model;
	int			nplayers = id_table_count(batch->players);
	BatchPlayer **player = (BatchPlayer **) id_table_values(batch->players);
	Datum	   *id = palloc_array(Datum, Max(nplayers, 1));
	Datum	   *pool = palloc_array(Datum, Max(nplayers, 1));
	Datum		values[2];
	uint64		nrows;
	uint64		row;
	int			n = 0;
	int			i;

	for (i = 0; i < nplayers; i++)
	{
		if (!player[i]->wanted)
			continue;
		id[n] = player[i]->id;
		pool[n++] = CStringGetTextDatum(player[i]->pool);
	}
	if (n == 0)
		return;
	values[0] = id_array(ladder->player_type, id, n);
	values[1] = PointerGetDatum(construct_array(pool, n, TEXTOID, -1, false,
												TYPALIGN_INT));

	if (lock)
	{
		Datum		new_values[3];
		Datum		initial[MODEL_MAX_STATE];

		for (i = 0; i < model->nstate; i++)
			initial[i] = Float8GetDatum(batch->initial[i]);
		new_values[0] = values[0];
		new_values[1] = values[1];
		new_values[2] =
			PointerGetDatum(construct_array(initial, model->nstate, FLOAT8OID,
											sizeof(float8), FLOAT8PASSBYVAL,
											TYPALIGN_DOUBLE));
		ladder_execute(ladder, QUERY_NEW_PLAYERS, new_values, NULL, NULL);
	}

	nrows = ladder_execute(ladder, lock ? QUERY_LOCK_PLAYERS :
						   QUERY_PEEK_PLAYERS, values, NULL, NULL);
	if (lock && nrows != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" shows " UINT64_FORMAT " of %d players",
						ladder->name, nrows, n),
				 errhint("Row-level security or a trigger on table rating hides players from the ladder's owner.")));

	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[row];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		char	   *row_pool = TextDatumGetCString(player_column(tuple, desc, 2));
		BatchPlayer *p = batch_player(batch, player_column(tuple, desc, 1),
									  row_pool);
		int			column = 3;
		bool		isnull;
		Datum		last_played;

		for (i = 0; i < model->nstate; i++)
			p->state[i] = DatumGetFloat8(player_column(tuple, desc, column++));
		p->games = DatumGetInt64(player_column(tuple, desc, column++));
		p->wins = DatumGetInt64(player_column(tuple, desc, column++));
		p->draws = DatumGetInt64(player_column(tuple, desc, column++));
		p->losses = DatumGetInt64(player_column(tuple, desc, column++));
		last_played = SPI_getbinval(tuple, desc, column, &isnull);
		p->last_played = isnull ? DT_NOBEGIN : DatumGetTimestampTz(last_played);
		p->known = true;
		pfree(row_pool);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * ---- Rating ----
 */

static void
reserve(Batch *batch, int n)
{
	int			nstate = batch->ladder->model->nstate;
	MemoryContext old;

	if (n <= batch->max)
		return;
	n = Max(n, 2 * batch->max);
	old = MemoryContextSwitchTo(batch->context);
	batch->match.team = palloc_array(MatchTeam, n);
	batch->match.player = palloc_array(MatchPlayer, n);
	batch->match.entry = palloc_array(MatchEntry, n);
	batch->player = palloc_array(BatchPlayer *, n);
	batch->before = palloc_array(double, (Size) n * nstate);
	batch->after = palloc_array(double, (Size) n * nstate);
	batch->max = n;
	MemoryContextSwitchTo(old);
}

MatchStatus
batch_build(Batch *batch, SourceMatch *source, int *offender)
{
	Ladder	   *ladder = batch->ladder;
	Match	   *match = &batch->match;
	int			i;

	if (batch->shares && strcmp(source->pool, SHARED_POOL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("pool \"%s\" is reserved", source->pool),
				 errdetail("Under model \"%s\" it has what players have in all pools.",
						   ladder->model->name)));

	reserve(batch, source->n);
	match->nplayers = 0;
	match->log_odds = source->log_odds;
	match->gain = source->gain;
	for (i = 0; i < source->n; i++)
	{
		BatchPlayer *player = batch_player(batch, source->player_id[i],
										   source->pool);

		if (player->match != source->number)
		{
			player->match = source->number;
			player->slot = match->nplayers;
			batch->player[match->nplayers++] = player;
		}
		source->participant[i].player = player->slot;
	}

	return match_build(ladder->model, ladder->params, source->participant,
					   source->n, match, offender);
}

void
batch_report(Batch *batch, SourceMatch *source, MatchStatus status,
			 int offender)
{
	bool		whose = offender >= 0;

	report_match_status(status,
						match_status_value(status,
										   whose ? &source->participant[offender] : NULL,
										   &batch->match),
						whose ? id_text(batch->ladder->player_type,
										source->player_id[offender]) : NULL);
}

/* Seconds since the last match of that row, or 0 if that was later or never. */
static double
idle_seconds(const BatchPlayer *player, const SourceMatch *source)
{
	if (TIMESTAMP_IS_NOBEGIN(player->last_played) ||
		source->played_at <= player->last_played)
		return 0;
	return (source->played_at - player->last_played) / 1e6;
}

/* The state with which a player goes into a match. */
static void
state_before(Batch *batch, const BatchPlayer *player,
			 const SourceMatch *source, double *before)
{
	Ladder	   *ladder = batch->ladder;
	const Model *model = ladder->model;
	double		seconds = idle_seconds(player, source);
	int			i;

	memcpy(before, player->state, model->nstate * sizeof(double));
	if (model->age != NULL && seconds > 0)
		model->age(ladder->params, before, seconds);
	if (player->shared != NULL)
	{
		for (i = 0; i < model->nstate; i++)
			if (model->state[i].shared)
				before[i] = player->shared->state[i];
		seconds = idle_seconds(player->shared, source);
		if (seconds > 0)
			model->age_shared(ladder->params, before, seconds);
	}
}

MatchStatus
batch_rate(Batch *batch, SourceMatch *source)
{
	Ladder	   *ladder = batch->ladder;
	const Model *model = ladder->model;
	Match	   *match = &batch->match;
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];
		MatchPlayer *p = &match->player[i];
		double	   *before = batch->before + i * model->nstate;

		state_before(batch, player, source, before);
		p->before = before;
		p->after = batch->after + i * model->nstate;
		p->games = player->games;
	}
	return model_rate(model, ladder->params, match);
}

double
batch_score(Batch *batch, int player)
{
	return match_outcome(&batch->match, batch->match.player[player].team) / 2.0;
}

static void
count_match(BatchPlayer *player, MatchOutcome outcome, TimestampTz played_at)
{
	player->games++;
	switch (outcome)
	{
		case MATCH_WON:
			player->wins++;
			break;
		case MATCH_DREW:
			player->draws++;
			break;
		case MATCH_LOST:
			player->losses++;
			break;
	}
	player->last_played = Max(player->last_played, played_at);
	player->played = true;
}

void
batch_commit(Batch *batch, SourceMatch *source)
{
	const Model *model = batch->ladder->model;
	Match	   *match = &batch->match;
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];
		const double *after = match->player[i].after;
		MatchOutcome outcome = match_outcome(match, match->player[i].team);

		memcpy(player->state, after, model->nstate * sizeof(double));
		count_match(player, outcome, source->played_at);
		if (player->shared == NULL)
			continue;
		for (j = 0; j < model->nstate; j++)
			if (model->state[j].shared)
				player->shared->state[j] = after[j];
		count_match(player->shared, outcome, source->played_at);
	}
}
