/*
 * outbox.c
 *		Rows on their way into the tables of a ladder, many at once.
 *
 * Relies on ephemeral relations of SPI, and on the statement to say how many rows it has processed.
 */
#include "pg/ladder/rate/outbox.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/change_log.h"
#include "pg/ladder/rate/states.h"
#include "pg/sql/memory_limit.h"
#include "pg/sql/progress.h"

/*
 * ---- Queries ----
 *
 * Their rows come from ephemeral relations, with the columns of columns.h.
 */

#define INSERT_ROWS(table, batch) \
	"INSERT INTO {" #table "} ({" #table " columns}) SELECT {" #table " columns} FROM " batch

#define SAME_EVENT \
	"e.player_id {player =} b.player_id AND e.pool OPERATOR(pg_catalog.=) b.pool " \
	"AND e.seq OPERATOR(pg_catalog.=) b.seq"

static LadderQuery insert_events_query = {.text = INSERT_ROWS(event, "batch_event")};

static LadderQuery update_events_query = {
	.text = "UPDATE {event} AS e SET ({event columns}) = ROW (b.*) FROM batch_event AS b WHERE " SAME_EVENT
};

static LadderQuery delete_events_query = {
	.text = "DELETE FROM {event} AS e USING batch_event AS b WHERE " SAME_EVENT
};

/* A match that was unrated may have been noted down before. */
static LadderQuery insert_matches_query = {
	.text = "INSERT INTO {rated_match} AS m ({rated_match columns}) SELECT {rated_match columns} FROM batch_match "
	"ON CONFLICT (match_id) DO UPDATE SET {rated_match set excluded}, rated_at = excluded.rated_at "
	"WHERE m.seq IS NULL"
};

/* A match that waited for its place is rated for the first time. */
static LadderQuery update_matches_query = {
	.text = "UPDATE {rated_match} AS m SET {rated_match set b}, rated_at = pg_catalog.now(), "
	"corrections = m.corrections OPERATOR(pg_catalog.+) "
	"CASE WHEN m.reason OPERATOR(pg_catalog.=) 'late' THEN 0 ELSE 1 END "
	"FROM batch_match AS b WHERE m.match_id {match =} b.match_id"
};

#define SAME_RATING \
	"r.player_id {player =} b.player_id AND r.pool OPERATOR(pg_catalog.=) b.pool"

static LadderQuery insert_ratings_query = {.text = INSERT_ROWS(rating, "batch_rating")};

static LadderQuery update_ratings_query = {
	.text = "UPDATE {rating} AS r SET {rating set b} FROM batch_rating AS b WHERE " SAME_RATING
};

/*
 * The same of rows that are locked, whose place is known: no index is searched.  The key is for
 * tables in partitions, whose places are those of each.
 */
static LadderQuery update_placed_ratings_query = {
	.text = "UPDATE {rating} AS r SET {rating set b} FROM batch_rating AS b "
	"WHERE r.ctid OPERATOR(pg_catalog.=) b.place AND " SAME_RATING
};

static LadderQuery delete_ratings_query = {
	.text = "DELETE FROM {rating} AS r USING batch_rating AS b WHERE " SAME_RATING
};

static LadderQuery insert_horizon_query = {
	.text = "INSERT INTO {horizon} ({rating columns}) SELECT {rating columns} FROM batch_horizon"
};

static LadderQuery insert_component_horizon_query = {
	.text = "INSERT INTO {component_horizon} ({component columns}) "
	"SELECT {component columns} FROM batch_component_horizon"
};

static LadderQuery write_components_query = {
	.text = INSERT_ROWS(component, "batch_component")
	" ON CONFLICT (player_id, kind, pool, key) DO UPDATE SET {component set excluded}"
};

/*
 * Components that belong to nobody, and those that belong to a player, are found by two
 * queries, so that an index finds them both.
 */
#define NO_OWNER "c.player_id IS NULL AND b.player_id IS NULL AND " SAME_COMPONENT
#define SAME_OWNER "c.player_id {player =} b.player_id AND " SAME_COMPONENT
#define SAME_COMPONENT \
	"c.kind OPERATOR(pg_catalog.=) b.kind AND c.pool OPERATOR(pg_catalog.=) b.pool " \
	"AND c.key OPERATOR(pg_catalog.=) b.key"

#define DELETE_COMPONENTS "DELETE FROM {component} AS c USING batch_component AS b WHERE "

static LadderQuery delete_unowned_query = {.text = DELETE_COMPONENTS NO_OWNER};
static LadderQuery delete_owned_query = {.text = DELETE_COMPONENTS SAME_OWNER};

#define UPDATE_EVENTS \
	"UPDATE {component_event} AS c SET {component_event set b} FROM batch_component_event AS b " \
	"WHERE c.seq OPERATOR(pg_catalog.=) b.seq AND "
#define DELETE_EVENTS \
	"DELETE FROM {component_event} AS c USING batch_component_event AS b " \
	"WHERE c.seq OPERATOR(pg_catalog.=) b.seq AND "

static LadderQuery insert_component_events_query = {
	.text = INSERT_ROWS(component_event, "batch_component_event")
};
static LadderQuery update_unowned_events_query = {.text = UPDATE_EVENTS NO_OWNER};
static LadderQuery update_owned_events_query = {.text = UPDATE_EVENTS SAME_OWNER};
static LadderQuery delete_unowned_events_query = {.text = DELETE_EVENTS NO_OWNER};
static LadderQuery delete_owned_events_query = {.text = DELETE_EVENTS SAME_OWNER};

/* Corrections, and what the source has now of matches that stay as they were rated. */
static const LadderColumn correction_columns[] = {
	{.name = "seq",.type = VALUE_INT8}, {.name = "match_id",.type = VALUE_MATCH},
	{.name = "kind",.type = VALUE_TEXT}, {.name = "played_at",.type = VALUE_TIME},
	{.name = "digest",.type = VALUE_INT8}
};

static const LadderTable correction_table = {
	.column = correction_columns,.ncolumns = lengthof(correction_columns)
};

static LadderQuery insert_corrections_query = {
	.text = "INSERT INTO {correction} (seq, match_id, kind, played_at) "
	"SELECT seq, match_id, kind, played_at FROM batch_correction"
};

static LadderQuery update_digests_query = {
	.text = "UPDATE {rated_match} AS m SET digest = b.digest FROM batch_digest AS b "
	"WHERE m.match_id {match =} b.match_id"
};

/* The tables that rows are for, and the queries for each action. */
typedef struct OutboxTable
{
	const char *name;			/* of the ephemeral relation */
	LadderRelation relation;
	const LadderTable *columns;
	LadderQuery *query[OUTBOX_NACTIONS];	/* NULL: never done */
	LadderQuery *owned_query[OUTBOX_NACTIONS];	/* for the others of its rows, of
												 * components of players, or NULL */
	bool		has_places;		/* rows are events, by seq */
} OutboxTable;

static const OutboxTable outbox_tables[OUTBOX_NKINDS] = {
	[OUTBOX_EVENTS] = {
		"batch_event", LADDER_EVENT, &event_table,
		{&insert_events_query, &update_events_query, &delete_events_query}, {NULL}, true
	},
	[OUTBOX_MATCHES] = {
		"batch_match", LADDER_RATED_MATCH, &match_table,
		{&insert_matches_query, &update_matches_query, NULL}, {NULL}, false
	},
	[OUTBOX_RATINGS] = {
		"batch_rating", LADDER_RATING, &rating_table,
		{&insert_ratings_query, &update_ratings_query, &delete_ratings_query}, {NULL}, false
	},
	[OUTBOX_COMPONENTS] = {
		"batch_component", LADDER_COMPONENT, &component_table,
		{&write_components_query, &write_components_query, &delete_unowned_query},
		{NULL, NULL, &delete_owned_query}, false
	},
	[OUTBOX_COMPONENT_EVENTS] = {
		"batch_component_event", LADDER_COMPONENT_EVENT, &component_event_table,
		{&insert_component_events_query, &update_unowned_events_query, &delete_unowned_events_query},
		{NULL, &update_owned_events_query, &delete_owned_events_query}, true
	},
	[OUTBOX_HORIZON] = {
		"batch_horizon", LADDER_HORIZON, &rating_table, {&insert_horizon_query}, {NULL}, false
	},
	[OUTBOX_COMPONENT_HORIZON] = {
		"batch_component_horizon", LADDER_COMPONENT_HORIZON, &component_table,
		{&insert_component_horizon_query}, {NULL}, false
	},
	[OUTBOX_CORRECTIONS] = {
		"batch_correction", LADDER_CORRECTION, &correction_table,
		{&insert_corrections_query}, {NULL}, false
	},
	[OUTBOX_DIGESTS] = {
		"batch_digest", LADDER_CORRECTION, &correction_table,
		{NULL, &update_digests_query}, {NULL}, false
	},
};

/*
 * ---- Outboxes ----
 */

/* The same columns, and behind them the place of the row that is to be updated, or null. */
static TupleDesc
desc_with_place(TupleDesc desc)
{
	TupleDesc	with_place = CreateTemplateTupleDesc(desc->natts + 1);
	int			i;

	for (i = 1; i <= desc->natts; i++)
		TupleDescCopyEntry(with_place, i, desc, i);
	TupleDescInitEntry(with_place, desc->natts + 1, "place", TIDOID, -1, 0);
	return with_place;
}

/* The columns of the rows, which stay in place until the ladder is closed. */
static TupleDesc
outbox_desc(Ladder *ladder, const OutboxTable *table)
{
	LadderCache *cache = ladder->cache;

	if (cache->desc_model != ladder->model)
		memset(cache->desc, 0, sizeof(cache->desc));
	cache->desc_model = ladder->model;
	if (cache->desc[table->relation] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(cache->context);

		cache->desc[table->relation] = table->columns == &rating_table ?
			desc_with_place(table_desc(table->columns, ladder)) :
			table_desc(table->columns, ladder);
		MemoryContextSwitchTo(old);
	}
	return cache->desc[table->relation];
}

Outbox *
outbox_create(Ladder *ladder, OutboxKind kind)
{
	Outbox	   *outbox = palloc0_object(Outbox);

	outbox->ladder = ladder;
	outbox->table = &outbox_tables[kind];
	outbox->parent = CurrentMemoryContext;
	return outbox;
}

/*
 * ---- Rows ----
 */

/* Go to the memory of a row to be made; returns what was current. */
static MemoryContext
outbox_begin_row(Outbox *outbox)
{
	if (outbox->desc == NULL)
	{
		outbox->desc = outbox_desc(outbox->ladder, outbox->table);
		outbox->context = AllocSetContextCreate(outbox->parent, "skillrating row",
												ALLOCSET_SMALL_SIZES);
	}
	return MemoryContextSwitchTo(outbox->context);
}

/* Take over that row, and go back to what was current. */
static void
outbox_put(Outbox *outbox, OutboxAction action, Datum *values, bool *nulls, MemoryContext old)
{
	if (outbox->rows[action] == NULL)
	{
		MemoryContextSwitchTo(outbox->parent);
		outbox->rows[action] = tuplestore_begin_heap(true, false, memory_limit_work_mem());
		MemoryContextSwitchTo(outbox->context);
	}
	tuplestore_putvalues(outbox->rows[action], outbox->desc, values, nulls);
	outbox->nrows[action]++;
	MemoryContextSwitchTo(old);
	MemoryContextReset(outbox->context);
}

/* A row, and behind its columns the place of one of rating. */
static void
put_row(Outbox *outbox, OutboxAction action, RowValues row, const BatchPlayer *player)
{
	Datum		values[EVENT_MAX_COLUMNS + 1];
	bool		nulls[EVENT_MAX_COLUMNS + 1];
	MemoryContext old = outbox_begin_row(outbox);
	int			place = outbox->desc->natts - 1;

	table_form(outbox->table->columns, &row, values, nulls);
	if (player != NULL)
	{
		values[place] = PointerGetDatum(&player->place);
		nulls[place] = !ItemPointerIsValid(&player->place);
		outbox->nplaced += !nulls[place] && action == OUTBOX_UPDATE;
	}
	outbox_put(outbox, action, values, nulls, old);
}

void
put_event(Outbox *outbox, OutboxAction action, const BatchStep *step, const EventRow *row)
{
	put_row(outbox, action, event_values(outbox->ladder->model, step, row), NULL);
}

void
put_events(Outbox *outbox, const BatchStep *step, RowsOf of)
{
	int			i;

	for (i = 0; i < step->rows[of].n; i++)
		put_event(outbox, OUTBOX_INSERT, step, &step->rows[of].row[i]);
}

void
put_match(Outbox *outbox, OutboxAction action, const SourceMatch *source, const char *status,
		  const Unrated *why, bool has_seq, int64 seq)
{
	ResultRow	row = {0};
	MemoryContext old = outbox_begin_row(outbox);

	put_datum(&row, source->id, false);
	put_text(&row, status);
	put_text(&row, why->detail != NULL ? unrated_code(why->reason) : NULL);
	put_text(&row, why->detail);
	put_int64(&row, source->digest);
	put_datum(&row, Int64GetDatum(seq), !has_seq);
	put_datum(&row, TimestampTzGetDatum(source->played_at), TIMESTAMP_NOT_FINITE(source->played_at));
	put_datum(&row, Float8GetDatum(source->advantage[SIZE_ADVANTAGE_RATIO]), !source->advantage_given);
	put_datum(&row, Float8GetDatum(source->advantage[SIZE_ADVANTAGE_DIFFERENCE]), !source->advantage_given);
	put_time(&row, source->arrived_at);
	outbox_put(outbox, action, row.values, row.nulls, old);
}

void
put_correction(Outbox *outbox, OutboxAction action, const Correction *correction)
{
	MemoryContext old = outbox_begin_row(outbox);
	bool		late = strcmp(correction->kind, "late") == 0;
	Datum		values[lengthof(correction_columns)] = {
		Int64GetDatum(correction->seq), correction->match_id,
		CStringGetTextDatum(correction->kind), TimestampTzGetDatum(correction->played_at),
		Int64GetDatum(correction->digest)
	};
	bool		nulls[lengthof(correction_columns)] = {late, !correction->has_match};

	outbox_put(outbox, action, values, nulls, old);
}

void
put_rating(Outbox *outbox, OutboxAction action, const BatchPlayer *player)
{
	put_row(outbox, action, rating_values(outbox->ladder->model, player), player);
}

void
ratings_begin(RatingWriter *writer, Ladder *ladder)
{
	writer->counts = OidIsValid(ladder->relation[LADDER_RATING_COUNT]) ? counts_begin(ladder) : NULL;
	writer->rows = outbox_create(ladder, OUTBOX_RATINGS);
}

void
ratings_put(RatingWriter *writer, const BatchPlayer *player, OutboxAction action)
{
	const StoredRow *row = player->stored;
	bool		exists = action != OUTBOX_DELETE;
	ChangeLog  *changes = writer->rows->ladder->changes;

	put_row(writer->rows, action, rating_values(writer->rows->ladder->model, player), player);
	if (changes != NULL)
		change_log_add(changes, player, exists);
	if (writer->counts == NULL)
		return;
	if (row != NULL && row->found)
		counts_put(writer->counts, -1, player->pool, &row->record, row->state);
	if (exists)
		counts_put(writer->counts, 1, player->pool, &player->record, player->state);
}

void
ratings_end(RatingWriter *writer)
{
	outbox_send(writer->rows);
	if (writer->counts != NULL)
		counts_end(writer->counts);
}

void
put_component(Outbox *outbox, OutboxAction action, const BatchComponent *component)
{
	put_row(outbox, action, component_values(component), NULL);
}

void
put_key(Outbox *outbox, QueryRow row)
{
	const LadderTable *table = outbox->table->columns;
	Datum		key[EVENT_MAX_COLUMNS] = {0};
	bool		missing[EVENT_MAX_COLUMNS];
	int			i;

	memset(missing, true, sizeof(missing));
	for (i = 0; i < table->ncolumns; i++)
		if (table->column[i].presence == COLUMN_KEY ||
			table->column[i].presence == COLUMN_OWNER)
		{
			key[i] = row.value[i];
			missing[i] = row.null[i];
		}
	outbox_put(outbox, OUTBOX_DELETE, key, missing, outbox_begin_row(outbox));
}

/*
 * ---- Sending ----
 */

/*
 * Run a query on the rows for an action; returns how many it processed.  They have a name in a
 * connection of their own, with which it goes.
 */
static uint64
query_rows(Outbox *outbox, OutboxAction action, LadderQuery *query)
{
	EphemeralNamedRelation enr = palloc0_object(EphemeralNamedRelationData);
	const char *name = outbox->table->name;
	uint64		nrows;

	enr->md.name = unconstify(char *, name);
	enr->md.reliddesc = InvalidOid;
	enr->md.tupdesc = outbox->desc;
	enr->md.enrtype = ENR_NAMED_TUPLESTORE;
	enr->md.enrtuples = outbox->nrows[action];
	enr->reldata = outbox->rows[action];
	SPI_connect();
	if (SPI_register_relation(enr) != SPI_OK_REL_REGISTER)
		elog(ERROR, "could not register \"%s\"", name);
	nrows = ladder_execute(outbox->ladder, query, NULL, NULL, NULL);
	SPI_finish();
	return nrows;
}

void
outbox_send_rows(Outbox *outbox, OutboxAction action)
{
	const OutboxTable *table = outbox->table;
	uint64		n = outbox->nrows[action];
	uint64		nrows = 0;

	if (n == 0)
		return;
	if (action == OUTBOX_INSERT && table->has_places && outbox->ladder->large)
		progress_phase(PHASE_WRITING, (int64) n);

	/* Code of the user may have updated a locked row since: then all are looked up. */
	if (action == OUTBOX_UPDATE && outbox->nplaced == n)
		nrows = query_rows(outbox, action, &update_placed_ratings_query);
	if (nrows != n)
	{
		nrows = query_rows(outbox, action, table->query[action]);
		if (table->owned_query[action] != NULL)
			nrows += query_rows(outbox, action, table->owned_query[action]);
	}

	ladder_check_taken(outbox->ladder, nrows, n);
	tuplestore_end(outbox->rows[action]);
	outbox->rows[action] = NULL;
	outbox->nrows[action] = 0;
}

void
outbox_send(Outbox *outbox)
{
	outbox_send_rows(outbox, OUTBOX_DELETE);
	outbox_send_rows(outbox, OUTBOX_UPDATE);
	outbox_send_rows(outbox, OUTBOX_INSERT);
	outbox_discard(outbox);
}

void
outbox_discard(Outbox *outbox)
{
	int			action;

	if (outbox->desc == NULL)
		return;
	for (action = 0; action < OUTBOX_NACTIONS; action++)
	{
		if (outbox->rows[action] != NULL)
			tuplestore_end(outbox->rows[action]);
		outbox->rows[action] = NULL;
		outbox->nrows[action] = 0;
	}
	MemoryContextDelete(outbox->context);
	outbox->desc = NULL;
	outbox->nplaced = 0;
}
