/*
 * change_log.c
 *		What a piece of work changes in table rating.
 *
 * The log is memory of the caller and no table, so that it outlives a dry run that is rolled back.
 * What it says of a row before the work comes from the row that lies beside the player when it is
 * first written (states.h), which saves reading the table as it was; so whoever logs must have
 * loaded rows before changing states.
 */
#include "pg/ladder/rate/change_log.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/arrays.h"

/* What becomes of a row: as it was, and as it is. */
typedef struct RatingChange
{
	Datum		id;
	const char *pool;
	StoredRow  *row[2];
	int64		place[2];		/* 0 if it has none, or it was not read */
} RatingChange;

struct ChangeLog
{
	Ladder	   *ladder;
	int			nstate;
	RatingChange *change;		/* one after another, */
	int64		n;				/* so many */
	int64		room;
	IdTable    *rows;			/* to the one change of each row, once they are merged */
	const char *last_pool;		/* equal neighbours share a copy */
	MemoryContext context;		/* of the changes */
};

ChangeLog *
change_log_create(Ladder *ladder)
{
	ChangeLog  *log = palloc0_object(ChangeLog);

	log->ladder = ladder;
	log->nstate = ladder->model->nstate;
	log->last_pool = "";
	log->context = CurrentMemoryContext;
	return log;
}

/* A row in the current memory. */
static StoredRow *
copy_row(const ChangeLog *log, const PlayerRecord *record, const double *state)
{
	Size		size = log->nstate * sizeof(double);
	StoredRow  *row = palloc(offsetof(StoredRow, state) + size);

	row->found = true;
	row->record = *record;
	memcpy(row->state, state, size);
	return row;
}

void
change_log_add(ChangeLog *log, const BatchPlayer *player, bool exists)
{
	const StoredRow *before = player->stored;
	MemoryContext old = MemoryContextSwitchTo(log->context);
	RatingChange *change;

	huge_array_grow_for_next(log->change, RatingChange, log->n, log->room);
	change = &log->change[log->n++];
	memset(change, 0, sizeof(RatingChange));
	change->id = id_copy(log->ladder->player_type, player->id);
	if (strcmp(player->pool, log->last_pool) != 0)
		log->last_pool = pstrdup(player->pool);
	change->pool = log->last_pool;
	if (before != NULL && before->found)
		change->row[0] = copy_row(log, &before->record, before->state);
	if (exists)
		change->row[1] = copy_row(log, &player->record, player->state);
	MemoryContextSwitchTo(old);
}

int64
change_log_length(const ChangeLog *log)
{
	return log->n;
}

void
change_log_truncate(ChangeLog *log, int64 length)
{
	log->n = length;
}

/* Keep one change of each row: from what it was before the first to what it is after the last. */
static void
merge_changes(ChangeLog *log)
{
	int64		n = 0;
	int64		i;

	if (log->rows != NULL)
		return;
	log->rows = id_table_create(log->ladder->player_type);
	for (i = 0; i < log->n; i++)
	{
		RatingChange *change = &log->change[i];
		bool		found;
		void	  **first = id_table_enter(log->rows, change->id, change->pool, &found);

		CHECK_FOR_INTERRUPTS();
		if (found)
			((RatingChange *) *first)->row[1] = change->row[1];
		else
		{
			log->change[n] = *change;
			*first = &log->change[n++];
		}
	}
	log->n = n;
}

/* Whether a row is not what it was, to the bit. */
static bool
is_changed(const ChangeLog *log, const RatingChange *change)
{
	const StoredRow *after = change->row[1];

	return after == NULL ? change->row[0] != NULL :
		!same_row(change->row[0], true, &after->record, after->state, log->nstate);
}

/*
 * ---- Places ----
 */

/*
 * Of the players given, with their pools, those who are on the board of the pool.  All rows of these
 * pools are ranked in one pass, which for many players costs less than counting above each.
 */
static LadderQuery places_query = {
	.text = "SELECT b.player_id, b.pool, b.place FROM (SELECT r.player_id, r.pool, "
	"pg_catalog.rank() OVER (PARTITION BY r.pool ORDER BY r.rating DESC) AS place "
	"FROM {rating} AS r WHERE r.games OPERATOR(pg_catalog.>=) 1 "
	"AND r.pool OPERATOR(pg_catalog.=) ANY ($2)) AS b "
	"JOIN ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k(player_id, pool) "
	"ON k.player_id {player =} b.player_id AND k.pool OPERATOR(pg_catalog.=) b.pool",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

void
change_log_read_places(ChangeLog *log, bool before)
{
	Datum	   *id;
	const char **pool;
	RowReader	rows;
	int			n = 0;
	int64		i;

	merge_changes(log);
	id = huge_array(Datum, log->n);
	pool = huge_array(const char *, log->n);
	for (i = 0; i < log->n; i++)
		if (is_changed(log, &log->change[i]))
		{
			id[n] = log->change[i].id;
			pool[n++] = log->change[i].pool;
		}
	if (n == 0)
		return;
	row_reader_open(&rows, log->ladder, &places_query,
					DATUMS(id_array(log->ladder->player_type, id, n), text_array(pool, n)));
	for (; rows.have_row; row_reader_next(&rows))
	{
		QueryRow	row = reader_row(&rows);
		Datum		player = next_datum(&row);
		RatingChange *change = id_table_find(log->rows, player, next_text(&row));

		change->place[before ? 0 : 1] = next_int64(&row);
	}
	row_reader_close(&rows);
}

/*
 * ---- Results ----
 */

void
change_log_return(ChangeLog *log, FunctionCallInfo fcinfo)
{
	const Ladder *ladder = log->ladder;
	int64		i;

	merge_changes(log);
	for (i = 0; i < log->n; i++)
	{
		const RatingChange *change = &log->change[i];
		StoredRow  *const *version = change->row;
		ResultRow	row = {0};
		int			time;

		CHECK_FOR_INTERRUPTS();
		if (!is_changed(log, change))
			continue;
		put_text(&row, id_text(ladder->player_type, change->id));
		put_text(&row, change->pool);
		for (time = 0; time < 2; time++)
			put_datum(&row, version[time] == NULL ? (Datum) 0 :
					  Float8GetDatum(model_display(ladder->model, ladder->params, version[time]->state)),
					  version[time] == NULL);
		for (time = 0; time < 2; time++)
			put_datum(&row, Int64GetDatum(version[time] == NULL ? 0 : version[time]->record.games),
					  version[time] == NULL);
		for (time = 0; time < 2; time++)
			put_datum(&row, Int64GetDatum(change->place[time]), change->place[time] == 0);
		add_result_row(fcinfo, &row);
		pfree(DatumGetPointer(row.values[0]));
		pfree(DatumGetPointer(row.values[1]));
	}
}
