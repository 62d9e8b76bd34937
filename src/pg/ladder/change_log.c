/*
 * change_log.c
 *		What a piece of work changes in table rating.
 */
#include "pg/ladder/change_log.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "pg/ladder/plans.h"
#include "pg/sql/arrays.h"

/* A row of rating at one time. */
typedef struct RatingVersion
{
	bool		exists;
	PlayerRecord record;
	int64		place;			/* 0 if it has none, or it was not read */
} RatingVersion;

/* What becomes of a row. */
typedef struct RatingChange
{
	Datum		id;
	const char *pool;
	bool		written;		/* after is known */
	RatingVersion before;
	RatingVersion after;
	double		state[FLEXIBLE_ARRAY_MEMBER];	/* before, and after */
} RatingChange;

struct ChangeLog
{
	Ladder	   *ladder;
	int			nstate;
	IdTable    *changes;		/* to RatingChange */
	const char *last_pool;		/* equal neighbours share a copy */
	MemoryContext context;
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

/* A change of which nothing is known yet, in the memory of the log. */
static RatingChange *
new_change(ChangeLog *log, Datum id, const char *pool)
{
	const IdType *type = log->ladder->player_type;
	MemoryContext old = MemoryContextSwitchTo(log->context);
	RatingChange *change = palloc0(offsetof(RatingChange, state) +
								   2 * log->nstate * sizeof(double));

	change->id = datumCopy(id, type->typbyval, type->typlen);
	if (strcmp(pool, log->last_pool) != 0)
		log->last_pool = pstrdup(pool);
	change->pool = log->last_pool;
	MemoryContextSwitchTo(old);
	return change;
}

void
change_log_before(ChangeLog *log, const BatchPlayer *player,
				  const PlayerRecord *record, const double *state)
{
	bool		found;
	void	  **place = id_table_enter(log->changes, player->id, player->pool, &found);
	RatingChange *change;

	if (found)
		return;
	*place = change = new_change(log, player->id, player->pool);
	change->before.exists = record != NULL;
	if (record == NULL)
		return;
	change->before.record = *record;
	memcpy(change->state, state, log->nstate * sizeof(double));
}

void
change_log_after(ChangeLog *log, const BatchPlayer *player)
{
	RatingChange *change = id_table_find(log->changes, player->id, player->pool);

	if (change == NULL)
		elog(ERROR, "a rating was written that was not read");
	change->written = true;
	change->after.exists = player->exists;
	change->after.record = player->record;
	memcpy(change->state + log->nstate, player->state, log->nstate * sizeof(double));
}

ChangeLog *
change_log_begin_part(const ChangeLog *log, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	ChangeLog  *part = change_log_create(log->ladder);

	MemoryContextSwitchTo(old);
	return part;
}

void
change_log_end_part(ChangeLog *log, const ChangeLog *part)
{
	RatingChange **changes = (RatingChange **) id_table_values(part->changes);
	int			n = id_table_count(part->changes);
	Size		size = log->nstate * sizeof(double);
	int			i;

	for (i = 0; i < n; i++)
	{
		const RatingChange *change = changes[i];
		bool		found;
		void	  **place = id_table_enter(log->changes, change->id, change->pool, &found);
		RatingChange *sum = *place;

		if (!found)
		{
			*place = sum = new_change(log, change->id, change->pool);
			sum->before = change->before;
			memcpy(sum->state, change->state, size);
		}
		if (!change->written)
			continue;
		sum->written = true;
		sum->after = change->after;
		memcpy(sum->state + log->nstate, change->state + log->nstate, size);
	}
}

/* Whether a row is not what it was, to the bit. */
static bool
is_changed(const ChangeLog *log, const RatingChange *change)
{
	if (!change->written)
		return false;
	if (!change->before.exists || !change->after.exists)
		return change->before.exists != change->after.exists;
	return memcmp(&change->before.record, &change->after.record,
				  sizeof(PlayerRecord)) != 0 ||
		memcmp(change->state, change->state + log->nstate,
			   log->nstate * sizeof(double)) != 0;
}

/*
 * ---- Places ----
 */

/* Of the players given, with their pools, those who are on the board of the pool. */
static LadderQuery places_query = {
	.text = "SELECT b.player_id, b.pool, b.place FROM (SELECT r.player_id, r.pool, "
	"pg_catalog.rank() OVER (PARTITION BY r.pool ORDER BY r.rating DESC) AS place "
	"FROM {rating} AS r WHERE r.games OPERATOR(pg_catalog.>=) 1 "
	"AND r.pool OPERATOR(pg_catalog.=) ANY ($2)) AS b "
	"JOIN ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS k(player_id, pool) "
	"ON k.player_id {player =} b.player_id AND k.pool OPERATOR(pg_catalog.=) b.pool",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

enum
{
	PLACE_PLAYER_ID,
	PLACE_POOL,
	PLACE_PLACE
};

/* Places that are read. */
typedef struct PlacesLoad
{
	ChangeLog  *log;
	bool		before;
} PlacesLoad;

static void
take_place(void *arg, const Datum *values, const bool *nulls)
{
	const PlacesLoad *load = (const PlacesLoad *) arg;
	char	   *pool = TextDatumGetCString(values[PLACE_POOL]);
	RatingChange *change = id_table_find(load->log->changes, values[PLACE_PLAYER_ID], pool);

	(void) nulls;
	(load->before ? &change->before : &change->after)->place = DatumGetInt64(values[PLACE_PLACE]);
	pfree(pool);
}

void
change_log_read_places(ChangeLog *log, bool before)
{
	PlacesLoad	load = {log, before};
	RatingChange **changes = (RatingChange **) id_table_values(log->changes);
	int			count = id_table_count(log->changes);
	Datum	   *id = huge_array(Datum, count);
	const char **pool = huge_array(const char *, count);
	Datum		values[2];
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
	values[0] = id_array(log->ladder->player_type, id, n);
	values[1] = text_array(pool, n);
	(void) ladder_execute_each(log->ladder, &places_query, values, NULL, take_place, &load);
}

/*
 * ---- Results ----
 */

/* The columns that catch_up() returns, from 0. */
enum
{
	CHANGE_PLAYER_ID,
	CHANGE_POOL,
	CHANGE_RATING_BEFORE,
	CHANGE_RATING_AFTER,
	CHANGE_GAMES_BEFORE,
	CHANGE_GAMES_AFTER,
	CHANGE_PLACE_BEFORE,
	CHANGE_PLACE_AFTER,
	CHANGE_NCOLUMNS
};

/* The columns of a row at one time; step leads from before to after. */
static void
version_columns(const Ladder *ladder, const RatingVersion *version,
				const double *state, int step, Datum *values, bool *nulls)
{
	nulls[CHANGE_RATING_BEFORE + step] = !version->exists;
	nulls[CHANGE_GAMES_BEFORE + step] = !version->exists;
	nulls[CHANGE_PLACE_BEFORE + step] = version->place == 0;
	if (version->exists)
	{
		values[CHANGE_RATING_BEFORE + step] =
			Float8GetDatum(model_display(ladder->model, ladder->params, state));
		values[CHANGE_GAMES_BEFORE + step] = Int64GetDatum(version->record.games);
	}
	values[CHANGE_PLACE_BEFORE + step] = Int64GetDatum(version->place);
}

void
change_log_return(ChangeLog *log, FunctionCallInfo fcinfo)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	RatingChange **changes = (RatingChange **) id_table_values(log->changes);
	int			n = id_table_count(log->changes);
	int			i;

	for (i = 0; i < n; i++)
	{
		const RatingChange *change = changes[i];
		Datum		values[CHANGE_NCOLUMNS] = {0};
		bool		nulls[CHANGE_NCOLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		if (!is_changed(log, change))
			continue;
		values[CHANGE_PLAYER_ID] =
			CStringGetTextDatum(id_text(log->ladder->player_type, change->id));
		values[CHANGE_POOL] = CStringGetTextDatum(change->pool);
		version_columns(log->ladder, &change->before, change->state, 0, values, nulls);
		version_columns(log->ladder, &change->after, change->state + log->nstate, 1,
						values, nulls);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		pfree(DatumGetPointer(values[CHANGE_PLAYER_ID]));
		pfree(DatumGetPointer(values[CHANGE_POOL]));
	}
}
