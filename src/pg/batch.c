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

/* The columns of QUERY_READ_RATED behind those of the source. */
enum
{
	RATED_SEQ = SOURCE_NCOLUMNS + 1,
	RATED_DIGEST,
	RATED_STATUS,
	RATED_REASON,
	RATED_VOID_REASON,
	RATED_MATCH_ID
};

static TupleDesc
source_desc(const Ladder *ladder)
{
	TupleDesc	desc = CreateTemplateTupleDesc(SOURCE_NCOLUMNS);
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
	return desc;
}

/*
 * Players who are merged into others, and who are excluded for a time.
 */
typedef struct Exclusion
{
	TimestampTz since;
	TimestampTz until;
	struct Exclusion *next;
} Exclusion;

typedef struct Filters
{
	IdTable    *merged;			/* to the identifier that counts */
	IdTable    *excluded;		/* to Exclusion */
} Filters;

static bool
same_id(const IdType *type, Datum a, Datum b)
{
	return DatumGetBool(FunctionCall2Coll(unconstify(FmgrInfo *, &type->equal),
										  type->collation, a, b));
}

static Filters *
read_filters(Ladder *ladder)
{
	IdType	   *type = ladder->player_type;
	Filters    *filters = palloc_object(Filters);
	uint64		nrows = ladder_execute(ladder, QUERY_FILTERS, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	uint64		row;

	filters->merged = id_table_create(type);
	filters->excluded = id_table_create(type);
	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = rows->vals[row];
		TupleDesc	desc = rows->tupdesc;
		bool		isnull;
		bool		found;
		Datum		player = SPI_getbinval(tuple, desc, 2, &isnull);

		if (isnull)
			continue;
		if (strcmp(SPI_getvalue(tuple, desc, 1), "merge") == 0)
		{
			Datum	   *into = palloc_object(Datum);
			Datum		value = SPI_getbinval(tuple, desc, 3, &isnull);

			*into = datumCopy(value, type->typbyval, type->typlen);
			*id_table_enter(filters->merged, player, "", &found) = into;
		}
		else
		{
			Exclusion  *exclusion = palloc_object(Exclusion);
			void	  **place = id_table_enter(filters->excluded, player, "",
											   &found);
			Datum		time = SPI_getbinval(tuple, desc, 4, &isnull);

			exclusion->since = isnull ? DT_NOBEGIN : DatumGetTimestampTz(time);
			time = SPI_getbinval(tuple, desc, 5, &isnull);
			exclusion->until = isnull ? DT_NOEND : DatumGetTimestampTz(time);
			exclusion->next = *place;
			*place = exclusion;
		}
	}
	SPI_freetuptable(rows);
	return filters;
}

static bool
is_excluded(const Filters *filters, Datum player, TimestampTz played_at)
{
	const Exclusion *exclusion = id_table_find(filters->excluded, player, "");

	for (; exclusion != NULL; exclusion = exclusion->next)
		if (played_at >= exclusion->since && played_at < exclusion->until)
			return true;
	return false;
}

/* Who a player counts as; one account may lead to the next. */
static Datum
merged_player(const Filters *filters, Datum player)
{
	int			steps = id_table_count(filters->merged);
	const Datum *into;

	while (steps-- > 0 &&
		   (into = id_table_find(filters->merged, player, "")) != NULL)
		player = *into;
	return player;
}

/* Room for so many participants. */
static void
reserve_participants(SourceMatch *match, int n)
{
	bool		first = (match->max == 0);

#define RESERVE(array, type) \
	match->array = first ? palloc_array(type, n) : \
		repalloc_array(match->array, type, n)

	RESERVE(participant, Participant);
	RESERVE(player_id, Datum);
	RESERVE(account_id, Datum);
	RESERVE(order, int);
	RESERVE(sorted_participant, Participant);
	RESERVE(sorted_id, Datum);
#undef RESERVE
	match->max = n;
}

MatchReader *
reader_open(Ladder *ladder, LadderQuery query, const Datum *values,
			const bool *nulls)
{
	MatchReader *reader = palloc0_object(MatchReader);

	reader->ladder = ladder;
	reader->rated = (query == QUERY_READ_RATED);
	reader->anonymous = (query == QUERY_READ_ARRAYS && nulls && nulls[0]);
	reader->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating match",
											ALLOCSET_SMALL_SIZES);
	reserve_participants(&reader->match, 32);
	if (ladder->filters)
		reader->filters = read_filters(ladder);
	if (reader->rated)
	{
		row_reader_open(&reader->stream, ladder, query, values);
		reader->slot = reader->stream.slot;
		reader->have_row = reader->stream.have_row;
	}
	else
	{
		DestReceiver *dest = CreateDestReceiver(DestTuplestore);

		reader->store = tuplestore_begin_heap(true, false, work_mem);
		SetTuplestoreDestReceiverParams(dest, reader->store,
										CurrentMemoryContext, false, NULL, NULL);
		ladder_execute(ladder, query, values, nulls, dest);
		dest->rDestroy(dest);
		reader->slot = MakeSingleTupleTableSlot(source_desc(ladder),
												&TTSOpsMinimalTuple);
		reader_rewind(reader);
	}
	return reader;
}

/*
 * Fetch the next row.  One that comes back from disk is the slot's own, and
 * must outlive the match before it.
 */
static void
fetch_row(MatchReader *reader)
{
	MemoryContext old;

	if (reader->rated)
	{
		row_reader_next(&reader->stream);
		reader->have_row = reader->stream.have_row;
		return;
	}
	old = MemoryContextSwitchTo(reader->slot->tts_mcxt);
	reader->have_row = tuplestore_gettupleslot(reader->store, true, false,
											   reader->slot);
	MemoryContextSwitchTo(old);
}

void
reader_rewind(MatchReader *reader)
{
	tuplestore_rescan(reader->store);
	fetch_row(reader);
}

void
reader_close(MatchReader *reader)
{
	if (reader->rated)
		row_reader_close(&reader->stream);
	else
	{
		ExecDropSingleTupleTableSlot(reader->slot);
		tuplestore_end(reader->store);
	}
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

/*
 * What rated_match has; false if the source no longer has the match.
 */
static bool
read_rated_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->match_type;
	bool		isnull;

	match->seq = DatumGetInt64(slot_getattr(reader->slot, RATED_SEQ, &isnull));
	match->rated_digest = DatumGetInt64(slot_getattr(reader->slot,
													 RATED_DIGEST, &isnull));
	match->status = match_text(reader, RATED_STATUS - 1);
	match->reason = match_text(reader, RATED_REASON - 1);
	match->void_reason = match_text(reader, RATED_VOID_REASON - 1);
	match->id = datumCopy(slot_getattr(reader->slot, RATED_MATCH_ID, &isnull),
						  type->typbyval, type->typlen);
	match->vanished = slot_attisnull(reader->slot, SOURCE_MATCH_ID + 1);
	return !match->vanished;
}

static void
read_match_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->match_type;

	match->n = 0;
	match->id = (Datum) 0;
	match->set_aside = NULL;
	match->vanished = false;
	match->void_reason = NULL;
	if (reader->rated && !read_rated_columns(reader))
		return;
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
}

/* Whether the row in the slot belongs to the current match. */
static bool
same_match(MatchReader *reader)
{
	IdType	   *type = reader->ladder->match_type;

	if (reader->anonymous)
		return true;

	/* Of a match that is gone there is one row without it. */
	if (reader->match.vanished ||
		(reader->rated && slot_attisnull(reader->slot, SOURCE_MATCH_ID + 1)))
		return false;
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

/*
 * Put the player in place for whom an account counts.  Matches of somebody who is
 * excluded do not count, nor those where two accounts of one player met.
 */
static void
filter_participant(MatchReader *reader, int participant)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->player_type;
	Datum		account = match->account_id[participant];
	Datum		player = merged_player(reader->filters, account);
	int			i;

	match->player_id[participant] = player;
	if (match->set_aside != NULL)
		return;
	if (is_excluded(reader->filters, account, match->played_at) ||
		is_excluded(reader->filters, player, match->played_at))
	{
		match->set_aside = psprintf("player %s is excluded",
									id_text(type, account));
		return;
	}
	if (id_table_count(reader->filters->merged) == 0)
		return;
	for (i = 0; i < participant; i++)
		if (same_id(type, match->player_id[i], player) &&
			!same_id(type, match->account_id[i], account))
			match->set_aside = psprintf("player %s takes part under two accounts",
										id_text(type, player));
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
		reserve_participants(match, 2 * match->max);

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
	match->account_id[match->n] = datumCopy(id, type->typbyval, type->typlen);
	match->player_id[match->n] = match->account_id[match->n];
	if (reader->filters != NULL)
		filter_participant(reader, match->n);

	/* A sum, so that the digest does not depend on the order of the rows. */
	match->digest = (int64) ((uint64) match->digest +
							 digest_bytes(&row, sizeof(row)));
	match->n++;
}

static int
compare_numbers(double a, double b)
{
	/* What is absent comes last. */
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static int
compare_participants(const void *a, const void *b, void *arg)
{
	MatchReader *reader = (MatchReader *) arg;
	SourceMatch *match = &reader->match;
	int			i = *(const int *) a;
	int			j = *(const int *) b;
	Participant *p = &match->participant[i];
	Participant *q = &match->participant[j];
	int			result = (p->team > q->team) - (p->team < q->team);
	int			column;

	if (result == 0)
		result = id_compare(reader->ladder->player_type, match->account_id[i],
							match->account_id[j]);
	for (column = SOURCE_RANK; column < SOURCE_NCOLUMNS && result == 0; column++)
		result = compare_numbers(*source_number(p, column),
								 *source_number(q, column));
	return result;
}

static void
permute_ids(SourceMatch *match, Datum **ids)
{
	Datum	   *old = *ids;
	int			i;

	for (i = 0; i < match->n; i++)
		match->sorted_id[i] = old[match->order[i]];
	*ids = match->sorted_id;
	match->sorted_id = old;
}

/* Put the participants in their order. */
static void
sort_participants(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	Participant *old = match->participant;
	int			i;

	for (i = 0; i < match->n; i++)
		match->order[i] = i;
	qsort_arg(match->order, match->n, sizeof(int), compare_participants,
			  reader);
	for (i = 0; i < match->n; i++)
		match->sorted_participant[i] = old[match->order[i]];
	match->participant = match->sorted_participant;
	match->sorted_participant = old;
	permute_ids(match, &match->player_id);
	permute_ids(match, &match->account_id);
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
	if (match->vanished)
	{
		fetch_row(reader);
		MemoryContextSwitchTo(old);
		return true;
	}
	match->digest = digest_match_columns(match);
	do
	{
		check_match_columns(reader);
		read_participant(reader);
		fetch_row(reader);
	} while (reader->have_row && same_match(reader));
	sort_participants(reader);
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

/* Take over a row of rating, as append_player_list() in ladder.c has it. */
static void
load_row(Batch *batch, HeapTuple tuple, TupleDesc desc)
{
	const Model *model = batch->ladder->model;
	char	   *pool = TextDatumGetCString(player_column(tuple, desc, 2));
	BatchPlayer *player = batch_player(batch, player_column(tuple, desc, 1),
									   pool);
	int			column = 3;
	bool		isnull;
	Datum		last_played;
	int			i;

	for (i = 0; i < model->nstate; i++)
		player->state[i] = DatumGetFloat8(player_column(tuple, desc, column++));
	player->games = DatumGetInt64(player_column(tuple, desc, column++));
	player->wins = DatumGetInt64(player_column(tuple, desc, column++));
	player->draws = DatumGetInt64(player_column(tuple, desc, column++));
	player->losses = DatumGetInt64(player_column(tuple, desc, column++));
	last_played = SPI_getbinval(tuple, desc, column, &isnull);
	player->last_played = isnull ? DT_NOBEGIN : DatumGetTimestampTz(last_played);
	player->exists = player->loaded = true;
	pfree(pool);
}

void
batch_load_all(Batch *batch)
{
	uint64		nrows = ladder_execute(batch->ladder, QUERY_PLAYED, NULL, NULL,
									   NULL);
	uint64		row;

	for (row = 0; row < nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		load_row(batch, SPI_tuptable->vals[row], SPI_tuptable->tupdesc);
	}
	SPI_freetuptable(SPI_tuptable);
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
		load_row(batch, SPI_tuptable->vals[row], SPI_tuptable->tupdesc);
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

Verdict
batch_judge(Batch *batch, SourceMatch *source, bool strict,
			const char **reason)
{
	int			offender;
	MatchStatus status = batch_build(batch, source, &offender);

	*reason = source->unrated_reason;
	if (*reason != NULL)
		return VERDICT_UNRATED;
	if (status > MATCH_LAST_UNRATED && strict)
		batch_report(batch, source, status, offender);
	if (status != MATCH_OK)
	{
		*reason = match_status_message(status);
		return VERDICT_UNRATED;
	}
	if (source->void_reason != NULL)
	{
		*reason = source->void_reason;
		return VERDICT_SET_ASIDE;
	}
	*reason = source->set_aside;
	if (*reason != NULL)
		return VERDICT_SET_ASIDE;
	return VERDICT_RATE;
}

const char *
verdict_status(const SourceMatch *source, Verdict verdict)
{
	if (verdict == VERDICT_RATE)
		return "rated";
	return verdict == VERDICT_SET_ASIDE && source->void_reason != NULL ?
		"void" : "unrated";
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
	player->exists = player->touched = true;
}

/* Room for n rows in the step. */
static void
reserve_rows(Batch *batch, int n)
{
	BatchStep  *step = &batch->step;

	if (n <= step->max)
		return;
	step->max = Max(n, 2 * step->max);
	step->row = MemoryContextAllocHuge(batch->context,
									   mul_size(sizeof(EventRow), step->max));
}

void
batch_commit(Batch *batch, SourceMatch *source, int64 seq)
{
	const Model *model = batch->ladder->model;
	Match	   *match = &batch->match;
	BatchStep  *step = &batch->step;
	int			i,
				j;

	reserve_rows(batch, match->nplayers);
	step->seq = seq;
	step->kind = "match";
	step->is_match = true;
	step->match_id = source->id;
	step->at = source->played_at;
	step->reason = NULL;
	step->n = match->nplayers;
	for (i = 0; i < match->nplayers; i++)
	{
		BatchPlayer *player = batch->player[i];
		MatchTeam  *team = &match->team[match->player[i].team];
		const double *after = match->player[i].after;
		MatchOutcome outcome = match_outcome(match, match->player[i].team);
		EventRow   *row = &step->row[i];

		row->player = player;
		row->before = match->player[i].before;
		row->after = after;
		row->games = player->games;
		row->last_played = player->last_played;
		row->team = team->number;
		row->score = outcome / 2.0;
		row->win_probability = team->win;
		player->step = seq;
		player->row = i;

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

/*
 * ---- Operations ----
 */

/* Idle days that an operation counts for a player. */
static double
operation_idle_days(const LadderOperation *operation, const BatchPlayer *player)
{
	double		days;

	if (TIMESTAMP_IS_NOBEGIN(player->last_played))
		return 0;
	days = (operation->at - player->last_played) / (double) USECS_PER_DAY -
		operation->grace_days;
	if (!TIMESTAMP_IS_NOBEGIN(operation->counted_from))
		days = Min(days, (operation->at - operation->counted_from) /
				   (double) USECS_PER_DAY);
	return Max(days, 0);
}

/* Do an operation to one player; whether that makes an event. */
static void
operate(Batch *batch, const LadderOperation *operation, BatchPlayer *player)
{
	Ladder	   *ladder = batch->ladder;
	const Model *model = ladder->model;
	BatchStep  *step = &batch->step;
	double	   *before = batch->operated + (Size) 2 * model->nstate * step->n;
	double	   *after = before + model->nstate;
	EventRow   *row = &step->row[step->n];
	double		days = operation_idle_days(operation, player);
	bool		idles = operation->operation.kind == OPERATION_DECAY ||
		operation->operation.kind == OPERATION_REGRESSION;
	int			i;

	CHECK_FOR_INTERRUPTS();
	if (idles && days == 0)
		return;
	memcpy(before, player->state, model->nstate * sizeof(double));
	if (player->shared != NULL)
		for (i = 0; i < model->nstate; i++)
			if (model->state[i].shared)
				before[i] = player->shared->state[i];
	memcpy(after, before, model->nstate * sizeof(double));
	if (operation_apply(&operation->operation, model, ladder->params, days,
						after) != MATCH_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("operation \"%s\" gives player %s a state that is out of range",
						operation->kind,
						id_text(ladder->player_type, player->id))));

	/* What pools share changes in its own row, and nothing else there. */
	if (batch->shares)
		for (i = 0; i < model->nstate; i++)
			if (model->state[i].shared == (player->shared != NULL))
				after[i] = before[i];
	if (idles && memcmp(before, after, model->nstate * sizeof(double)) == 0)
		return;
	row->player = player;
	row->before = before;
	row->after = after;
	row->games = player->games;
	row->last_played = player->last_played;
	memcpy(player->state, after, model->nstate * sizeof(double));
	player->exists = player->touched = true;
	player->step = step->seq;
	player->row = step->n++;
}

int
batch_operate(Batch *batch, const LadderOperation *operation, int n)
{
	BatchStep  *step = &batch->step;
	BatchPlayer **player = NULL;
	int			nplayers = 0;
	int			same = 1;
	int			i;

	while (same < n && operation[same].seq == operation->seq)
		same++;

	/* First those that others share, then by what the operation is about. */
	if (!operation->has_player)
	{
		int			pass;
		int			count = id_table_count(batch->players);
		BatchPlayer **all = (BatchPlayer **) id_table_values(batch->players);

		player = palloc_array(BatchPlayer *, Max(count, 1));
		for (pass = 0; pass < 2; pass++)
			for (i = 0; i < count; i++)
				if (all[i]->exists && (all[i]->shared != NULL) == (pass == 1) &&
					(operation->pool == NULL ||
					 strcmp(operation->pool, all[i]->pool) == 0))
					player[nplayers++] = all[i];
		pfree(all);
	}

	reserve_rows(batch, Max(nplayers, same));
	if (Max(nplayers, same) > batch->max_operated)
	{
		batch->max_operated = Max(nplayers, same);
		batch->operated =
			MemoryContextAllocHuge(batch->context,
								   mul_size(2 * sizeof(double) * batch->ladder->model->nstate,
											batch->max_operated));
	}
	step->seq = operation->seq;
	step->kind = operation->kind;
	step->is_match = false;
	step->at = operation->at;
	step->reason = operation->reason;
	step->n = 0;
	if (operation->has_player)
		for (i = 0; i < same; i++)
			operate(batch, &operation[i],
					batch_player(batch, operation[i].player,
								 operation[i].pool ? operation[i].pool : ""));
	else
	{
		for (i = 0; i < nplayers; i++)
			operate(batch, operation, player[i]);
		pfree(player);
	}
	return same;
}

/* A number of an operation; what its kind does not have is null. */
static double
operation_number(HeapTuple tuple, TupleDesc desc, int column)
{
	bool		isnull;
	Datum		value = SPI_getbinval(tuple, desc, column, &isnull);

	return isnull ? 0 : DatumGetFloat8(value);
}

/* The values of a state, NaN for those that it leaves. */
static const double *
operation_values(const Ladder *ladder, Datum array)
{
	double	   *value = palloc_array(double, ladder->model->nstate);
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(DatumGetArrayTypeP(array), FLOAT8OID, sizeof(float8),
					  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &element, &null, &n);
	if (n != ladder->model->nstate)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("an operation of ladder \"%s\" has %d values for a state of %d",
						ladder->name, n, ladder->model->nstate)));
	for (i = 0; i < n; i++)
		value[i] = null[i] ? get_float8_nan() : DatumGetFloat8(element[i]);
	return value;
}

LadderOperation *
read_operations(Ladder *ladder, int64 from, int *n)
{
	Datum		values[1];
	SPITupleTable *rows;
	LadderOperation *operations;
	IdType	   *type = ladder->player_type;
	uint64		nrows;
	uint64		i;

	values[0] = Int64GetDatum(from);
	nrows = ladder_execute(ladder, QUERY_READ_OPERATIONS, values, NULL, NULL);
	rows = SPI_tuptable;
	operations = MemoryContextAllocExtended(CurrentMemoryContext,
											mul_size(sizeof(LadderOperation),
													 Max(nrows, 1)),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = rows->vals[i];
		TupleDesc	desc = rows->tupdesc;
		LadderOperation *operation = &operations[i];
		bool		isnull;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		operation->seq = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
		operation->kind = SPI_getvalue(tuple, desc, 2);
		operation->pool = SPI_getvalue(tuple, desc, 3);
		value = SPI_getbinval(tuple, desc, 4, &isnull);
		operation->has_player = !isnull;
		if (!isnull)
			operation->player = datumCopy(value, type->typbyval, type->typlen);
		operation->at = DatumGetTimestampTz(SPI_getbinval(tuple, desc, 5,
														  &isnull));
		operation->reason = SPI_getvalue(tuple, desc, 6);
		value = SPI_getbinval(tuple, desc, 7, &isnull);
		if (!isnull)
			operation->operation.value = operation_values(ladder, value);
		operation->operation.keep = operation_number(tuple, desc, 8);
		operation->operation.rate = operation_number(tuple, desc, 9);
		operation->operation.floor = operation_number(tuple, desc, 10);
		operation->operation.mean = operation_number(tuple, desc, 11);
		operation->operation.half_life_days = operation_number(tuple, desc, 12);
		operation->grace_days = operation_number(tuple, desc, 13);
		value = SPI_getbinval(tuple, desc, 14, &isnull);
		operation->counted_from = isnull ? DT_NOBEGIN : DatumGetTimestampTz(value);

		if (strcmp(operation->kind, "season") == 0)
			operation->operation.kind = OPERATION_SEASON;
		else if (strcmp(operation->kind, "decay") == 0)
			operation->operation.kind =
				operation->operation.half_life_days > 0 ?
				OPERATION_REGRESSION : OPERATION_DECAY;
		else
			operation->operation.kind = OPERATION_SET;
		if (operation->operation.kind == OPERATION_SET &&
			(operation->operation.value == NULL || !operation->has_player))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("operation " INT64_FORMAT " of ladder \"%s\" lacks its player or state",
							operation->seq, ladder->name)));
	}
	SPI_freetuptable(rows);
	*n = (int) nrows;
	return operations;
}
