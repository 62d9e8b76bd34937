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
	IdTable    *changes;		/* to RatingChange */
	const char *last_pool;		/* equal neighbours share a copy */
	MemoryContext context;		/* of the changes */
};

ChangeLog *
change_log_create(Ladder *ladder)
{
	ChangeLog  *log = palloc_object(ChangeLog);

	log->ladder = ladder;
	log->nstate = ladder->model->nstate;
	log->changes = id_table_create(ladder->player_type);
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
	bool		found;
	void	  **entry = id_table_enter(log->changes, player->id, player->pool, &found);
	MemoryContext old = MemoryContextSwitchTo(log->context);
	RatingChange *change;

	if (!found)
	{
		*entry = palloc0_object(RatingChange);
		change = *entry;
		change->id = id_copy(log->ladder->player_type, player->id);
		if (strcmp(player->pool, log->last_pool) != 0)
			log->last_pool = pstrdup(player->pool);
		change->pool = log->last_pool;
		if (before != NULL && before->found)
			change->row[0] = copy_row(log, &before->record, before->state);
	}
	change = *entry;
	change->row[1] = exists ? copy_row(log, &player->record, player->state) : NULL;
	MemoryContextSwitchTo(old);
}

/*
 * The table of a part is in the memory of the attempt, and goes with it; its changes are in that of
 * the log from the beginning, so that to take them over is to take pointers.
 */
ChangeLog *
change_log_begin_part(const ChangeLog *log, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ChangeLog  *part = change_log_create(log->ladder);

	MemoryContextSwitchTo(old);
	part->context = log->context;
	return part;
}

void
change_log_end_part(ChangeLog *log, const ChangeLog *part)
{
	RatingChange **changes = (RatingChange **) id_table_values(part->changes);
	int			n = id_table_count(part->changes);
	int			i;

	for (i = 0; i < n; i++)
	{
		RatingChange *change = changes[i];
		bool		found;
		void	  **entry = id_table_enter(log->changes, change->id, change->pool, &found);

		/* What the row was before all parts is known from the first that changed it. */
		if (found)
			((RatingChange *) *entry)->row[1] = change->row[1];
		else
			*entry = change;
	}
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
	RatingChange **changes = (RatingChange **) id_table_values(log->changes);
	int			count = id_table_count(log->changes);
	Datum	   *id = huge_array(Datum, count);
	const char **pool = huge_array(const char *, count);
	RowReader	rows;
	int			n = 0;
	int			i;

	for (i = 0; i < count; i++)
		if (is_changed(log, changes[i]))
		{
			id[n] = changes[i]->id;
			pool[n++] = changes[i]->pool;
		}
	if (n == 0)
		return;
	row_reader_open(&rows, log->ladder, &places_query,
					DATUMS(id_array(log->ladder->player_type, id, n), text_array(pool, n)));
	for (; rows.have_row; row_reader_next(&rows))
	{
		QueryRow	row = reader_row(&rows);
		Datum		player = next_datum(&row);
		RatingChange *change = id_table_find(log->changes, player, next_text(&row));

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
	RatingChange **changes = (RatingChange **) id_table_values(log->changes);
	int			n = id_table_count(log->changes);
	int			i;

	for (i = 0; i < n; i++)
	{
		const RatingChange *change = changes[i];
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
