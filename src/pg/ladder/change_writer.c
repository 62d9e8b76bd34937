/*
 * change_writer.c
 *		Telling readers of changes, and who counts players, what work does to table rating.
 *
 * The caller has locked the rows of rating of which it tells, and holds these locks to the end of
 * the transaction: so rows of change about one row of rating are numbered in the order of its
 * changes.  A writer lives in the context in which it was begun.  What waits to be written points
 * to the identifiers of the batch, which must stay until change_writer_flush(); texts and numbers
 * are copies in row_context.  After an error nothing of it is left: the rows go with the
 * (sub)transaction, and the memory with the context.
 */
#include "pg/ladder/change_writer.h"

#include "access/xlog.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/ranks/hook.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_change_origin);
SKILLRATING_FUNCTION(skillrating_renew_ladder_cache);

/*
 * A row of change is about so many rows of rating at most, and fewer if it would be
 * larger than the table's toast_tuple_target: in line it costs least.
 */
#define MAX_ROW_CHANGES 64
#define MAX_ROW_BYTES 7000

/* What identifiers and pools take for each of them, roughly, beside the numbers. */
#define BYTES_OF_NAMES 40

struct ChangeWriter
{
	Ladder	   *ladder;
	const RankHook *ranks;		/* NULL if the ladder does not count players */
	CountWriter *count_writer;	/* for these */
	bool		keeps;			/* the ladder keeps its changes */
	const char *kind;
	bool		has_operation;
	int64		operation;
	int64		origin;
	int			nnumbers;		/* for each row of rating */
	int			max;			/* room for so many of these */
	int			n;				/* rows of rating that wait */
	bool		has_matches;	/* one of them has a match */
	MemoryContext context;		/* of the notes */
	MemoryContext row_context;	/* of what waits, until it is written */
	Datum		player[MAX_ROW_CHANGES];
	Datum		pool[MAX_ROW_CHANGES];
	Datum		match[MAX_ROW_CHANGES];
	bool		no_match[MAX_ROW_CHANGES];
	Datum		counts[MAX_ROW_CHANGES * CHANGE_NCOUNTS];
	Datum		times[MAX_ROW_CHANGES * CHANGE_NTIMES];
	Datum		numbers[MAX_ROW_CHANGES * (CHANGE_FIRST_STATE + MODEL_MAX_STATE)];
};

int64
change_origin(Oid relid)
{
	struct
	{
		uint64		system;
		Oid			database;
		Oid			relid;
	}			origin = {GetSystemIdentifier(), MyDatabaseId, relid};

	return (int64) hash_bytes_extended((const unsigned char *) &origin, sizeof(origin), 0);
}

/* change_origin(ladder): that of the ladder's table change, null if it has none. */
Datum
skillrating_change_origin(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "change_origin");
	Oid			relid = ladder_relation_oid(ladder->schema, LADDER_CHANGE);

	if (!OidIsValid(relid))
		PG_RETURN_NULL();
	PG_RETURN_INT64(change_origin(relid));
}

/*
 * renew_ladder_cache(ladder): have all sessions look the ladder up again.  A table that
 * is new in its schema is no change of those that they know.
 */
Datum
skillrating_renew_ladder_cache(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder = ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									   "renew_ladder_cache");

	CacheInvalidateRelcacheByRelid(ladder->relation[LADDER_CONFIG]);
	PG_RETURN_VOID();
}

ChangeWriter *
change_writer_begin(Ladder *ladder, const char *kind, const int64 *operation)
{
	bool		keeps = OidIsValid(ladder->relation[LADDER_CHANGE]);
	ChangeWriter *writer;

	if (!keeps && rank_hook(ladder) == NULL)
		return NULL;
	writer = palloc_object(ChangeWriter);
	writer->ladder = ladder;
	writer->ranks = rank_hook(ladder);
	writer->count_writer = writer->ranks != NULL ? writer->ranks->begin(ladder) : NULL;
	writer->keeps = keeps;
	writer->kind = kind;
	writer->has_operation = operation != NULL;
	writer->operation = operation != NULL ? *operation : 0;
	writer->origin = keeps ? change_origin(ladder->relation[LADDER_CHANGE]) : 0;
	writer->nnumbers = CHANGE_FIRST_STATE + ladder->model->nstate;
	writer->max = Min(MAX_ROW_CHANGES,
					  MAX_ROW_BYTES / (BYTES_OF_NAMES + (CHANGE_NCOUNTS + CHANGE_NTIMES +
														 writer->nnumbers) * (int) sizeof(int64)));
	writer->n = 0;
	writer->has_matches = false;
	writer->context = CurrentMemoryContext;
	writer->row_context = AllocSetContextCreate(CurrentMemoryContext, "skillrating changes",
												ALLOCSET_DEFAULT_SIZES);
	return writer;
}

/*
 * ---- Notes ----
 */

/* Whether a player has a row of rating that the batch has not made. */
static bool
had_row(const BatchPlayer *player)
{
	return player->loaded && !player->created;
}

/* Whether there is something to note of a player; of newcomers only which match it was. */
static bool
needs_note(const ChangeWriter *writer, const BatchPlayer *player)
{
	return writer->keeps || had_row(player);
}

void
change_writer_note(ChangeWriter *writer, Batch *batch)
{
	BatchPlayer **players;
	ChangeNote *note;
	int			nnoted = 0;
	int			n;
	int			i;

	if (writer == NULL)
		return;
	players = (BatchPlayer **) id_table_values(batch->players);
	n = id_table_count(batch->players);

	/*
	 * Counted first, because there may be millions, and all notes are one
	 * array.
	 */
	for (i = 0; i < n; i++)
		nnoted += needs_note(writer, players[i]);
	note = huge_array0(ChangeNote, nnoted);
	for (i = 0; i < n; i++)
	{
		BatchPlayer *player = players[i];

		player->note = NULL;
		if (!needs_note(writer, player))
			continue;
		player->note = note++;
		if (!had_row(player))
			continue;
		player->note->exists = true;
		player->note->rating = model_display(batch->model, batch->params, player->state);
		player->note->games = player->record.games;
		player->note->last_played = player->record.last_played;
	}
	pfree(players);
}

/* Note a match for a player; the identifier is copied already. */
static void
note_match(BatchPlayer *player, Datum match_id)
{
	if (player == NULL || player->note == NULL)
		return;
	player->note->has_match = true;
	player->note->match_id = match_id;
}

void
change_writer_note_match(ChangeWriter *writer, Batch *batch)
{
	const IdType *type;
	MemoryContext old;
	Datum		match_id;
	int			i;

	if (writer == NULL || !writer->keeps)
		return;
	type = writer->ladder->match_type;

	/*
	 * The batch forgets the identifier with the next match, but notes last
	 * until they are put.
	 */
	old = MemoryContextSwitchTo(writer->context);
	match_id = datumCopy(batch->step.match_id, type->typbyval, type->typlen);
	MemoryContextSwitchTo(old);
	for (i = 0; i < batch->step.n; i++)
	{
		note_match(batch->step.row[i].player, match_id);
		note_match(batch->step.row[i].player->shared, match_id);
	}
}

/*
 * ---- Rows ----
 */

/* A row of change with all that waits. */
static LadderQuery insert_change_query = {
	.text = "INSERT INTO {change} (origin, xact, kind, operation, player_id, pool, match_id, counts, times, numbers) "
	"VALUES ($1, pg_catalog.pg_current_xact_id(), $2, $3, $4, $5, $6, $7, $8, $9)",
	.param = {VALUE_INT8, VALUE_TEXT, VALUE_INT8, ARRAY_OF(VALUE_PLAYER),
		ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_INT8),
	ARRAY_OF(VALUE_TIME), ARRAY_OF(VALUE_FLOAT8)}
};

enum
{
	INSERT_ORIGIN,
	INSERT_KIND,
	INSERT_OPERATION,
	INSERT_PLAYERS,
	INSERT_POOLS,
	INSERT_MATCHES,
	INSERT_COUNTS,
	INSERT_TIMES,
	INSERT_NUMBERS,
	INSERT_NPARAMS
};

/* An array of n rows of values of a type of eight bytes. */
static Datum
array_of_rows(Datum *values, int n, int width, Oid type)
{
	int			dims[2];
	int			lower[2] = {1, 1};

	dims[0] = n;
	dims[1] = width;
	return PointerGetDatum(construct_md_array(values, NULL, 2, dims, lower, type,
											  sizeof(int64), FLOAT8PASSBYVAL,
											  TYPALIGN_DOUBLE));
}

static Datum
array_of_matches(ChangeWriter *writer)
{
	const IdType *type = writer->ladder->match_type;
	int			lower = 1;
	int			n = writer->n;

	return PointerGetDatum(construct_md_array(writer->match, writer->no_match,
											  1, &n, &lower, type->type, type->typlen,
											  type->typbyval, type->typalign));
}

void
change_writer_flush(ChangeWriter *writer)
{
	Ladder	   *ladder;
	MemoryContext old;
	Datum		values[INSERT_NPARAMS];
	bool		nulls[INSERT_NPARAMS] = {false};
	bool		large;

	if (writer == NULL || writer->n == 0)
		return;
	ladder = writer->ladder;
	old = MemoryContextSwitchTo(writer->row_context);
	values[INSERT_ORIGIN] = Int64GetDatum(writer->origin);
	values[INSERT_KIND] = CStringGetTextDatum(writer->kind);
	values[INSERT_OPERATION] = Int64GetDatum(writer->operation);
	nulls[INSERT_OPERATION] = !writer->has_operation;
	values[INSERT_PLAYERS] = id_array(ladder->player_type, writer->player, writer->n);
	values[INSERT_POOLS] = PointerGetDatum(construct_array(writer->pool, writer->n, TEXTOID,
														   -1, false, TYPALIGN_INT));
	nulls[INSERT_MATCHES] = !writer->has_matches;
	values[INSERT_MATCHES] = writer->has_matches ? array_of_matches(writer) : (Datum) 0;
	values[INSERT_COUNTS] = array_of_rows(writer->counts, writer->n, CHANGE_NCOUNTS, INT8OID);
	values[INSERT_TIMES] = array_of_rows(writer->times, writer->n, CHANGE_NTIMES, TIMESTAMPTZOID);
	values[INSERT_NUMBERS] = array_of_rows(writer->numbers, writer->n, writer->nnumbers, FLOAT8OID);

	/*
	 * A plan that is kept serves any number of rows.  An error leaves large
	 * false, which decides only whether later plans are kept.
	 */
	large = ladder->large;
	ladder->large = false;
	if (ladder_execute(ladder, &insert_change_query, values, nulls, NULL) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table change of ladder \"%s\" takes no row", ladder->name),
				 errhint("A trigger, a rule or row-level security on its tables keeps rows out.")));
	ladder->large = large;
	writer->n = 0;
	writer->has_matches = false;
	MemoryContextSwitchTo(old);
	MemoryContextReset(writer->row_context);
}

/* The row of change for what put_change() is told, where rating is the displayed one now. */
static void
keep_change(ChangeWriter *writer, const BatchPlayer *player, const ChangeNote *note,
			double rating)
{
	const Ladder *ladder = writer->ladder;
	const PlayerRecord *record = &player->record;
	bool		exists = player->exists;
	Datum	   *counts;
	Datum	   *times;
	Datum	   *numbers;
	MemoryContext old;
	int			n;
	int			i;

	if (writer->n == writer->max)
		change_writer_flush(writer);
	old = MemoryContextSwitchTo(writer->row_context);
	n = writer->n++;
	counts = &writer->counts[n * CHANGE_NCOUNTS];
	times = &writer->times[n * CHANGE_NTIMES];
	numbers = &writer->numbers[n * writer->nnumbers];
	writer->player[n] = player->id;
	writer->pool[n] = CStringGetTextDatum(player->pool);
	writer->no_match[n] = !note->has_match;
	writer->match[n] = note->match_id;
	writer->has_matches |= note->has_match;
	counts[CHANGE_GAMES_BEFORE] = Int64GetDatum(note->exists ? note->games : -1);
	counts[CHANGE_GAMES] = Int64GetDatum(exists ? record->games : -1);
	counts[CHANGE_WINS] = Int64GetDatum(exists ? record->wins : 0);
	counts[CHANGE_DRAWS] = Int64GetDatum(exists ? record->draws : 0);
	counts[CHANGE_LOSSES] = Int64GetDatum(exists ? record->losses : 0);
	times[CHANGE_LAST_PLAYED] = TimestampTzGetDatum(exists ? record->last_played : DT_NOBEGIN);
	times[CHANGE_AS_OF] = TimestampTzGetDatum(exists ? record->as_of : DT_NOBEGIN);
	numbers[CHANGE_RATING_BEFORE] = Float8GetDatum(note->exists ? note->rating : 0);
	numbers[CHANGE_RATING] = Float8GetDatum(rating);
	for (i = 0; i < ladder->model->nstate; i++)
		numbers[CHANGE_FIRST_STATE + i] = Float8GetDatum(exists ? player->state[i] : 0);
	MemoryContextSwitchTo(old);
}

/* The same for the counts. */
static void
count_change(ChangeWriter *writer, const BatchPlayer *player, const ChangeNote *note,
			 double rating)
{
	const PlayerRecord *record = &player->record;

	if (note->exists)
		writer->ranks->put(writer->count_writer, player->pool, -1, note->games, note->rating,
						   note->last_played);
	if (player->exists)
		writer->ranks->put(writer->count_writer, player->pool, 1, record->games, rating,
						   record->last_played);
}

/* A row of rating that had this before, by note, and has that of the player now. */
static void
put_change(ChangeWriter *writer, const BatchPlayer *player, const ChangeNote *note)
{
	const Ladder *ladder = writer->ladder;
	double		rating = player->exists ?
		model_display(ladder->model, ladder->params, player->state) : 0;

	if (writer->ranks != NULL)
		count_change(writer, player, note, rating);
	if (writer->keeps)
		keep_change(writer, player, note, rating);
}

void
change_writer_put(ChangeWriter *writer, const BatchPlayer *player)
{
	ChangeNote	newcomer = {0};

	if (writer != NULL)
		put_change(writer, player, player->note != NULL ? player->note : &newcomer);
}

void
change_writer_put_row(ChangeWriter *writer, const BatchPlayer *player,
					  const PlayerRecord *record, const double *state)
{
	ChangeNote	note = {0};

	if (writer == NULL)
		return;
	note.exists = record != NULL;
	if (record != NULL)
	{
		note.rating = model_display(writer->ladder->model, writer->ladder->params, state);
		note.games = record->games;
		note.last_played = record->last_played;
	}
	put_change(writer, player, &note);
}

void
change_writer_end(ChangeWriter *writer)
{
	if (writer == NULL)
		return;
	change_writer_flush(writer);
	if (writer->ranks != NULL)
		writer->ranks->end(writer->count_writer);
	MemoryContextDelete(writer->row_context);
	pfree(writer);
}
