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

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/columns.h"
#include "pg/ladder/past.h"
#include "pg/ladder/past_meetings.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/replay_components.h"
#include "pg/sql/progress.h"

/*
 * ---- Players as they were ----
 */

#define COUNTS \
	"pg_catalog.count(score) AS games, " \
	"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 1) AS wins, " \
	"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 0.5) AS draws, " \
	"pg_catalog.count(*) FILTER (WHERE score OPERATOR(pg_catalog.=) 0) AS losses"

/* Whether there was a reset among the events, after which counts begin again. */
#define RESETS(of_row) \
	"pg_catalog.bool_or(kind OPERATOR(pg_catalog.=) 'reset'" of_row ") AS resets"

/* All who have events from $1 on, and what of their counts is from there. */
#define ALL_PLAYERS \
	"SELECT player_id, pool, " COUNTS ", " RESETS("") " FROM {event} WHERE seq OPERATOR(pg_catalog.>=) $1 GROUP BY player_id, pool"

/* The same of players given; same_pool restricts their events m. */
#define SOME_PLAYERS(same_pool) \
	"SELECT k.player_id, k.pool, n.games, n.wins, n.draws, n.losses, n.resets " \
	"FROM ROWS FROM (pg_catalog.unnest($2), pg_catalog.unnest($3)) AS k(player_id, pool) " \
	"CROSS JOIN LATERAL (SELECT " COUNTS ", " RESETS(" AND m.pool OPERATOR(pg_catalog.=) k.pool") \
	" FROM {event} AS m WHERE m.player_id {player =} k.player_id " \
	same_pool "AND m.seq OPERATOR(pg_catalog.>=) $1) AS n"

/* All who have none; nothing of their counts is from there. */
#define IDLE_PLAYERS \
	"SELECT i.player_id, i.pool, n.zero AS games, n.zero AS wins, n.zero AS draws, n.zero AS losses, false AS resets " \
	"FROM {rating} AS i CROSS JOIN (SELECT CAST(0 AS pg_catalog.int8)) AS n(zero) " \
	"WHERE NOT EXISTS (SELECT FROM {event} AS m WHERE m.player_id {player =} i.player_id " \
	"AND m.pool OPERATOR(pg_catalog.=) i.pool AND m.seq OPERATOR(pg_catalog.>=) $1)"

/* Where the row of c was last put back to that of a newcomer, or a place before all. */
#define LAST_RESET \
	"COALESCE((SELECT pg_catalog.max(s.seq) FROM {event} AS s WHERE s.player_id {player =} c.player_id " \
	"AND s.pool OPERATOR(pg_catalog.=) c.pool AND s.seq OPERATOR(pg_catalog.<) $1 " \
	"AND s.kind OPERATOR(pg_catalog.=) 'reset'), '-9223372036854775808')"

/*
 * The last place that is no history any more.  Events up to there may be gone; h is the row
 * of c in the horizon, which stands for them.
 */
#define HORIZON \
	"COALESCE((SELECT w.horizon FROM {ladder} AS w), '-9223372036854775808')"
#define RESET_SINCE_HORIZON LAST_RESET " OPERATOR(pg_catalog.>) " HORIZON

/* Of a time that the horizon has, nothing after a reset. */
#define FROM_HORIZON(time) "CASE WHEN " RESET_SINCE_HORIZON " THEN NULL ELSE h." time " END"

/* Of a count of games before a reset, what the horizon has. */
#define COUNT_AT_HORIZON(count) \
	"b." count " OPERATOR(pg_catalog.+) CASE WHEN c.resets AND NOT " RESET_SINCE_HORIZON \
	" THEN COALESCE(h." count ", 0) ELSE 0 END, "

/* When a player's match in the pool was last, from the event before. */
#define LAST_IN_POOL \
	"CASE WHEN e.seq IS NULL THEN h.last_played WHEN e.kind OPERATOR(pg_catalog.=) 'reset' THEN NULL WHEN e.score IS NULL THEN e.last_played_before ELSE GREATEST(e.last_played_before, e.played_at) END"

#define LAST_IN_ALL_POOLS \
	"GREATEST((SELECT pg_catalog.max(p.played_at) FROM {event} AS p WHERE p.player_id {player =} c.player_id " \
	"AND p.seq OPERATOR(pg_catalog.<) $1 AND p.seq OPERATOR(pg_catalog.>) " LAST_RESET \
	" AND p.score IS NOT NULL), " FROM_HORIZON("last_played") ")"

/*
 * The time as of which the event before left the state, and what pools share; none after a
 * reset.
 */
#define AS_OF_IN_POOL \
	"CASE WHEN e.seq IS NULL THEN h.as_of WHEN e.kind OPERATOR(pg_catalog.=) 'reset' THEN NULL ELSE GREATEST(e.last_played_before, e.as_of_before, e.played_at) END"

#define AS_OF_IN_ALL_POOLS \
	"GREATEST((SELECT pg_catalog.max(p.played_at) FROM {event} AS p WHERE p.player_id {player =} c.player_id " \
	"AND p.seq OPERATOR(pg_catalog.<) $1 AND p.seq OPERATOR(pg_catalog.>) " LAST_RESET "), " \
	FROM_HORIZON("as_of") ")"

/* So many games the last event before, or the horizon, knows of in the pool. */
#define KNOWN_GAMES \
	"CASE WHEN e.seq IS NULL THEN COALESCE(h.games, 0) WHEN e.kind OPERATOR(pg_catalog.=) 'reset' THEN 0 " \
	"WHEN e.score IS NULL THEN e.games_before ELSE e.games_before OPERATOR(pg_catalog.+) 1 END"

/*
 * Players as they were before $1: what of their counts came from there on, the last
 * event before (null if none), the row that rating has now (null if none), and the states
 * that the event, and the horizon, left.  After a reset from there on the row knows nothing of the time before, and the counts are
 * taken from the events.
 */
#define PLAYERS_AT(players, last_played, as_of, same_pool) \
	"SELECT c.player_id, c.pool, c.games, c.wins, c.draws, c.losses, COALESCE(c.resets, false), " \
	COUNT_AT_HORIZON("games") COUNT_AT_HORIZON("wins") COUNT_AT_HORIZON("draws") COUNT_AT_HORIZON("losses") \
	"e.seq IS NOT NULL, h.player_id IS NOT NULL, " KNOWN_GAMES ", " last_played ", " as_of ", " \
	"r.player_id IS NOT NULL, {rating columns r}, {states e _after}, {states h} " \
	"FROM (" players ") AS c " \
	"LEFT JOIN {rating} AS r ON r.player_id {player =} c.player_id AND r.pool OPERATOR(pg_catalog.=) c.pool " \
	"LEFT JOIN {horizon} AS h ON h.player_id {player =} c.player_id AND h.pool OPERATOR(pg_catalog.=) c.pool " \
	"LEFT JOIN LATERAL (SELECT * FROM {event} AS l WHERE l.player_id {player =} c.player_id " \
	same_pool "AND l.seq OPERATOR(pg_catalog.<) $1 ORDER BY l.seq DESC LIMIT 1) AS e ON true " \
	"CROSS JOIN LATERAL (SELECT " COUNTS " FROM {event} AS l WHERE c.resets AND l.player_id {player =} c.player_id " \
	same_pool "AND l.seq OPERATOR(pg_catalog.<) $1 AND l.seq OPERATOR(pg_catalog.>) " LAST_RESET \
	" AND l.seq OPERATOR(pg_catalog.>) " HORIZON ") AS b"

enum
{
	AT_PLAYER_ID,				/* from 0 */
	AT_POOL,
	AT_LATER_GAMES,
	AT_LATER_WINS,
	AT_LATER_DRAWS,
	AT_LATER_LOSSES,
	AT_RESETS,
	AT_EARLIER_GAMES,
	AT_EARLIER_WINS,
	AT_EARLIER_DRAWS,
	AT_EARLIER_LOSSES,
	AT_HAS_EVENT,
	AT_HAS_HORIZON,
	AT_KNOWN_GAMES,
	AT_LAST_PLAYED,
	AT_AS_OF,
	AT_HAS_RATING,
	AT_RATING,					/* the columns of rating, */
	AT_MAX_COLUMNS = AT_RATING + RATING_MAX_COLUMNS + 2 * MODEL_MAX_STATE	/* and the states */
};

/* With events from a seq on. */
static LadderQuery players_at_query = {
	.text = PLAYERS_AT(ALL_PLAYERS, LAST_IN_POOL, AS_OF_IN_POOL, "AND l.pool OPERATOR(pg_catalog.=) c.pool "),
	.param = {VALUE_INT8}
};

/* Without any. */
static LadderQuery idle_players_at_query = {
	.text = PLAYERS_AT(IDLE_PLAYERS, LAST_IN_POOL, AS_OF_IN_POOL, "AND l.pool OPERATOR(pg_catalog.=) c.pool "),
	.param = {VALUE_INT8}
};

/* The same of players given. */
static LadderQuery some_players_at_query = {
	.text = PLAYERS_AT(SOME_PLAYERS("AND m.pool OPERATOR(pg_catalog.=) k.pool "), LAST_IN_POOL,
					   AS_OF_IN_POOL, "AND l.pool OPERATOR(pg_catalog.=) c.pool "),
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

/* The same of what pools share, which is in the events of all pools. */
static LadderQuery shared_at_query = {
	.text = PLAYERS_AT(SOME_PLAYERS(""), LAST_IN_ALL_POOLS, AS_OF_IN_ALL_POOLS, ""),
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

/* Put what a row of rating has, all nulls if there is none, beside a player. */
static void
store_row(Batch *batch, BatchPlayer *player, bool found, const Datum *values,
		  const bool *nulls)
{
	PlayerRow  *row = player->stored;

	if (row == NULL)
		row = MemoryContextAlloc(batch->context, offsetof(PlayerRow, state) +
								 batch->model->nstate * sizeof(double));
	row->found = found;
	ItemPointerSetInvalid(&player->place);
	(void) rating_read(batch->model, values, nulls, &row->record, row->state);
	player->stored = row;
	player->loaded = true;
}

/* A count before the replay, from that of now. */
static int64
count_before(const Datum *values, int64 now, int later, int earlier)
{
	return DatumGetBool(values[AT_RESETS]) ? DatumGetInt64(values[earlier]) :
		now - DatumGetInt64(values[later]);
}

/*
 * Error if a player has played more before the replay than the last event before it, or the
 * horizon, knows of: the events between are gone, and the state there with them.
 */
static void
check_events_are_there(Replay *replay, const BatchPlayer *player, const Datum *values)
{
	const PlayerRow *now = player->stored;

	if (!now->found || DatumGetBool(values[AT_RESETS]) ||
		now->record.games - DatumGetInt64(values[AT_LATER_GAMES]) <=
		DatumGetInt64(values[AT_KNOWN_GAMES]))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("events of player %s before place " INT64_FORMAT " of ladder \"%s\" are missing",
					id_text(replay->ladder->player_type, player->id), replay->from,
					replay->ladder->name),
			 errdetail("History from there on cannot be replayed, because the states there are not known."),
			 errhint("Attach or restore the events, or make them again by catch_up() with rebuild => true; set_horizon() keeps the states before events are taken away.")));
}

/* Put a player where the last event before the replay, or the horizon, left it. */
static void
restore_player(BatchPlayer *player, const Model *model, bool shared,
			   const Datum *values, const bool *nulls)
{
	const PlayerRecord *now = &player->stored->record;
	int			after = AT_RATING + RATING_NCOLUMNS + model->nstate;
	int			i;

	if (!DatumGetBool(values[AT_HAS_EVENT]))
		after += model->nstate;
	player->exists = true;
	for (i = 0; i < model->nstate; i++)
		if (!shared || model->state[i].shared)
			player->state[i] = nulls[after + i] ? 0 :
				DatumGetFloat8(values[after + i]);
	player->record.games = count_before(values, now->games, AT_LATER_GAMES,
										AT_EARLIER_GAMES);
	player->record.wins = count_before(values, now->wins, AT_LATER_WINS,
									   AT_EARLIER_WINS);
	player->record.draws = count_before(values, now->draws, AT_LATER_DRAWS,
										AT_EARLIER_DRAWS);
	player->record.losses = count_before(values, now->losses, AT_LATER_LOSSES,
										 AT_EARLIER_LOSSES);
	player->record.last_played = nulls[AT_LAST_PLAYED] ? DT_NOBEGIN :
		DatumGetTimestampTz(values[AT_LAST_PLAYED]);
	player->record.as_of = nulls[AT_AS_OF] ? DT_NOBEGIN :
		DatumGetTimestampTz(values[AT_AS_OF]);
}

/* Take over the rows of one of these queries from SPI_tuptable, and free them. */
static void
take_players(Replay *replay, const LadderQuery *query)
{
	Batch	   *batch = replay->batch;
	SPITupleTable *rows = SPI_tuptable;
	uint64		i;

	for (i = 0; i < rows->numvals; i++)
	{
		Datum		values[AT_MAX_COLUMNS];
		bool		nulls[AT_MAX_COLUMNS];
		BatchPlayer *player;
		char	   *pool;

		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(rows->vals[i], rows->tupdesc, values, nulls);
		pool = TextDatumGetCString(values[AT_POOL]);
		if ((query == &players_at_query || query == &idle_players_at_query) &&
			batch->shares && strcmp(pool, SHARED_POOL) == 0)
			continue;

		player = batch_player(batch, values[AT_PLAYER_ID], pool);
		pfree(pool);
		store_row(batch, player, DatumGetBool(values[AT_HAS_RATING]),
				  values + AT_RATING, nulls + AT_RATING);

		if (query != &shared_at_query)
			check_events_are_there(replay, player, values);

		/* Who has no event before was not there yet. */
		if (DatumGetBool(values[AT_HAS_EVENT]) || DatumGetBool(values[AT_HAS_HORIZON]))
			restore_player(player, batch->model, query == &shared_at_query,
						   values, nulls);
	}
	SPI_freetuptable(rows);
}

/* Load those of n players who are not. */
static void
load_some(Replay *replay, LadderQuery *query, BatchPlayer **player, int n)
{
	Datum	   *id = palloc_array(Datum, Max(n, 1));
	Datum	   *pool = palloc_array(Datum, Max(n, 1));
	Datum		values[3];
	int			nmissing = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		BatchPlayer *p = query == &shared_at_query ? player[i]->shared : player[i];

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

/* At the start nobody is there but at a horizon, so that only the rows of today count. */
static void
load_rows(Replay *replay)
{
	Batch	   *batch = replay->batch;
	RowReader	rows;

	all_ratings_open(&rows, replay->ladder);
	for (; rows.have_row; row_reader_next(&rows))
		store_row(batch, rating_player(&rows, batch), true, row_values(&rows),
				  row_nulls(&rows));
	row_reader_close(&rows);
}

static LadderQuery horizon_query = {
	.text = "SELECT {rating columns h} FROM {horizon} AS h"
};

/* Put everybody where the horizon has them. */
static void
load_horizon(Replay *replay)
{
	Batch	   *batch = replay->batch;
	RowReader	rows;

	row_reader_open(&rows, replay->ladder, &horizon_query, NULL);
	for (; rows.have_row; row_reader_next(&rows))
	{
		BatchPlayer *player = rating_player(&rows, batch);

		(void) rating_read(batch->model, row_values(&rows), row_nulls(&rows), &player->record,
						   player->state);
		player->exists = true;
	}
	row_reader_close(&rows);
}

/* Everybody is where the table says; who has a row and no event is not there yet. */
static void
load_current(Replay *replay)
{
	Batch	   *batch = replay->batch;
	BatchPlayer **player;
	int			i;

	load_rows(replay);
	batch_load_all(batch, replay->ladder);

	/* Such a row is left alone. */
	player = (BatchPlayer **) id_table_values(batch->players);
	for (i = 0; i < id_table_count(batch->players); i++)
		if (!player[i]->exists && player[i]->stored != NULL)
			player[i]->stored->found = false;
	pfree(player);
}

/*
 * Load all who have events in what is replayed, which is most of those who will be
 * met; or everybody.
 */
static void
load_players(Replay *replay)
{
	Batch	   *batch = replay->batch;
	Datum		values[1];

	if (replay->whole)
	{
		if (replay->loads != REPLAY_NEW_PLAYERS)
			load_rows(replay);
		load_horizon(replay);
		return;
	}
	if (replay->loads == REPLAY_CURRENT_PLAYERS)
	{
		load_current(replay);
		return;
	}
	values[0] = Int64GetDatum(replay->from);
	ladder_execute(replay->ladder, &players_at_query, values, NULL, NULL);
	take_players(replay, &players_at_query);
	if (replay->loads == REPLAY_ALL_PLAYERS)
	{
		ladder_execute(replay->ladder, &idle_players_at_query, values, NULL, NULL);
		take_players(replay, &idle_players_at_query);
	}
	if (batch->shares)
		load_some(replay, &shared_at_query,
				  (BatchPlayer **) id_table_values(batch->players),
				  id_table_count(batch->players));
}

/*
 * Who has events from $1 on, in a pool or in any, whose row the pool $2 has if it is not
 * null; and the rows that rating has now (null if none).
 */
static LadderQuery newer_players_query = {
	.text = "SELECT k.player_id, k.pool, r.player_id IS NOT NULL, {rating columns r} "
	"FROM (SELECT e.player_id, e.pool FROM {event} AS e WHERE e.seq OPERATOR(pg_catalog.>=) $1 "
	"UNION SELECT e.player_id, $2 FROM {event} AS e "
	"WHERE e.seq OPERATOR(pg_catalog.>=) $1 AND $2 IS NOT NULL) AS k(player_id, pool) "
	"LEFT JOIN {rating} AS r ON r.player_id {player =} k.player_id "
	"AND r.pool OPERATOR(pg_catalog.=) k.pool",
	.param = {VALUE_INT8, VALUE_TEXT}
};

enum
{
	NEWER_PLAYER_ID,			/* from 0 */
	NEWER_POOL,
	NEWER_HAS_RATING,
	NEWER_RATING,				/* the columns of rating */
	NEWER_MAX_COLUMNS = NEWER_RATING + RATING_MAX_COLUMNS
};

void
replay_refresh(Replay *replay)
{
	Batch	   *batch = replay->batch;
	Datum		params[2];
	bool		no_params[2] = {false};
	SPITupleTable *rows;
	BatchPlayer **unknown;
	uint64		nrows;
	uint64		i;
	int			nunknown = 0;

	params[0] = Int64GetDatum(replay->next);
	params[1] = batch_shared_pool(batch, &no_params[1]);
	nrows = ladder_execute(replay->ladder, &newer_players_query, params, no_params, NULL);
	rows = SPI_tuptable;
	unknown = palloc_array(BatchPlayer *, nrows + 1);
	for (i = 0; i < nrows; i++)
	{
		Datum		values[NEWER_MAX_COLUMNS];
		bool		nulls[NEWER_MAX_COLUMNS];
		BatchPlayer *player;
		char	   *pool;

		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(rows->vals[i], rows->tupdesc, values, nulls);
		pool = TextDatumGetCString(values[NEWER_POOL]);
		player = batch_player(batch, values[NEWER_PLAYER_ID], pool);
		if (player->loaded || replay->whole)
			store_row(batch, player, DatumGetBool(values[NEWER_HAS_RATING]),
					  values + NEWER_RATING, nulls + NEWER_RATING);
		else if (!batch->shares || strcmp(pool, SHARED_POOL) != 0)
			unknown[nunknown++] = player;
		pfree(pool);
	}
	SPI_freetuptable(rows);

	/* What they share comes with them. */
	load_some(replay, &some_players_at_query, unknown, nunknown);
	if (batch->shares)
		load_some(replay, &shared_at_query, unknown, nunknown);
	pfree(unknown);
	components_refresh(replay);
}

/*
 * ---- Events ----
 */

/* Events in rated order, from a seq on, and behind their columns where they are. */
static LadderQuery read_events_query = {
	.text = "SELECT {event columns}, ctid FROM {event} WHERE seq OPERATOR(pg_catalog.>=) $1 ORDER BY seq",
	.param = {VALUE_INT8}
};

static int64
event_seq(RowReader *events)
{
	return DatumGetInt64(row_key_column(events, EVENT_SEQ));
}

static bool
same_event(RowReader *stored, Ladder *ladder, const BatchStep *step,
		   const EventRow *row)
{
	const Datum *values = row_values(stored);
	const bool *nulls = row_nulls(stored);
	RowValues	expected = event_values(step, row);
	int			i;

	if (!table_same(&event_table, ladder, &expected, values, nulls))
		return false;
	for (i = 0; i < ladder->model->nstate; i++)
	{
		int			before = EVENT_BEFORE(i) - 1;
		int			after = EVENT_AFTER(i) - 1;

		if (nulls[before] || nulls[after] ||
			!same_bits(DatumGetFloat8(values[before]), row->before[i]) ||
			!same_bits(DatumGetFloat8(values[after]), row->after[i]))
			return false;
	}
	return true;
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

/*
 * Load what a replay from the middle needs to know of the players of the match, and one from a
 * horizon of their matches.
 */
static void
load_for_match(Replay *replay)
{
	Batch	   *batch = replay->batch;

	if (!replay->whole)
	{
		load_some(replay, &some_players_at_query, batch->player, batch->match.nplayers);
		if (batch->shares)
			load_some(replay, &shared_at_query, batch->player, batch->match.nplayers);
		components_load_match(replay);
	}
	load_past_of_match(batch, replay->ladder, replay->from);
	load_meetings_of_match(batch, replay->ladder, replay->from, batch->forget_before);
}

static void
replay_match(Replay *replay, ReplaySink *sink, SourceMatch *source)
{
	Batch	   *batch = replay->batch;
	Verdict		verdict = VERDICT_UNRATED;
	Unrated		why = unrated_nothing();

	batch->step.seq = source->seq;
	batch->step.n = 0;
	batch->step.ncomponents = 0;
	if (!source->vanished)
		verdict = batch_judge(batch, source, &why);
	if (verdict == VERDICT_RATE)
	{
		if (!replay->remembers)
			batch->forget_before = meeting_horizon_at(&replay->horizon, source->seq,
													  source->played_at);
		if (replay->from != REPLAY_START)
			load_for_match(replay);
		verdict = batch_judge_players(batch, source, &why);
	}
	if (verdict == VERDICT_RATE)
	{
		MatchStatus status = batch_rate(batch, source);

		if (status == MATCH_OK)
			batch_commit(batch, source, source->seq);
		else
		{
			verdict = VERDICT_UNRATED;
			why = batch_mistake(batch, source, status, -1);
		}
	}
	sink->match(sink, replay, source, verdict, &why);
}

/*
 * Whether an operation may leave states as they are.  It has no events of players whose
 * state it leaves, and whether it does may depend on what they share with other pools,
 * where a match that is replayed changes it.
 */
static bool
any_leaves_states(const LadderOperation *operation, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		switch (operation[i].operation.kind)
		{
			case OPERATION_SETTLE:
			case OPERATION_DECAY:
			case OPERATION_REGRESSION:
			case OPERATION_REFUND:
				return true;
			case OPERATION_SEASON:
			case OPERATION_SET:
			case OPERATION_RESET:
				break;
		}
	return false;
}

/* Keep the meetings of players if a rule asks for them. */
static void
begin_meetings(Replay *replay, const MatchReader *matches)
{
	double		window = reader_repeat_window(matches);

	replay->batch->keeps_meetings = window > 0;
	if (!replay->remembers)
		replay->horizon = meeting_horizon(replay->ladder, replay->from, window);
}

/* The last place in the order. */
static LadderQuery last_seq_query = {
	.text = "SELECT last_value FROM {event_seq}"
};

/* Report that a replay begins at a place. */
static void
report_start(Ladder *ladder, int64 first_seq)
{
	int64		last_seq;
	bool		isnull;

	if (ladder->cache->is_front)
	{
		progress_phase(PHASE_REPLAYING, PROGRESS_UNKNOWN);
		return;
	}
	(void) ladder_execute(ladder, &last_seq_query, NULL, NULL, NULL);
	last_seq = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
										   ONLY_COLUMN, &isnull));
	SPI_freetuptable(SPI_tuptable);
	progress_phase(PHASE_REPLAYING,
				   first_seq <= last_seq ? last_seq - first_seq + 1 : PROGRESS_UNKNOWN);
}

/* Load those of a list of players who are not. */
static void
load_listed(Replay *replay, List *players)
{
	int			n = list_length(players);
	BatchPlayer **player = palloc_array(BatchPlayer *, n + 1);
	int			i;

	for (i = 0; i < n; i++)
		player[i] = list_nth(players, i);
	load_some(replay, &some_players_at_query, player, n);
	if (replay->batch->shares)
		load_some(replay, &shared_at_query, player, n);
	pfree(player);
}

/* So many players are loaded by one query. */
#define UNMET_AT_ONCE 1000

/* The last place that has events. */
static LadderQuery last_event_query = {
	.text = "SELECT pg_catalog.max(seq) FROM {event}"
};

/*
 * Load the players of matches behind all events, which have come from another ladder: their
 * events cannot tell who is in them, and one query for many costs a fraction of one for each.
 */
static void
load_unmet(Replay *replay)
{
	Batch	   *batch = replay->batch;
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "skillrating unmet",
												  ALLOCSET_DEFAULT_SIZES);
	List	   *unmet = NIL;
	MatchReader *matches;
	int64		last;
	bool		isnull;
	bool		have_match;
	int			i;

	(void) ladder_execute(replay->ladder, &last_event_query, NULL, NULL, NULL);
	last = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
									   ONLY_COLUMN, &isnull));
	SPI_freetuptable(SPI_tuptable);
	matches = reader_open_rated(replay->ladder,
								isnull ? replay->from : Max(last + 1, replay->from));
	do
	{
		Unrated		why = unrated_nothing();
		Verdict		verdict = VERDICT_UNRATED;

		have_match = reader_next(matches);
		if (have_match && !matches->match.vanished)
		{
			MemoryContext old = MemoryContextSwitchTo(scratch);

			verdict = batch_judge(batch, &matches->match, &why);
			MemoryContextSwitchTo(old);
		}
		for (i = 0; verdict == VERDICT_RATE && i < batch->match.nplayers; i++)
			unmet = lappend(unmet, batch->player[i]);
		MemoryContextReset(scratch);
		if (list_length(unmet) >= UNMET_AT_ONCE || !have_match)
		{
			load_listed(replay, unmet);
			list_free(unmet);
			unmet = NIL;
		}
	} while (have_match);
	reader_close(matches);
	MemoryContextDelete(scratch);
}

/* Where a replay from a place begins: at the horizon if it is to begin at the start. */
static int64
first_place(const Ladder *ladder, int64 from)
{
	if (ladder->horizon == NO_HORIZON)
		return from;
	if (from == REPLAY_START)
		return ladder->horizon + 1;
	if (from <= ladder->horizon)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("history of ladder \"%s\" begins behind place " INT64_FORMAT " and cannot be replayed from place " INT64_FORMAT,
						ladder->name, ladder->horizon, from)));
	return from;
}

Replay *
replay_begin(Ladder *ladder, int64 from, ReplayPlayers load, bool remember)
{
	Replay	   *replay = palloc0_object(Replay);

	replay->ladder = ladder;
	replay->batch = ladder_batch(ladder);
	replay->whole = (from == REPLAY_START);
	replay->from = replay->next = first_place(ladder, from);
	replay->loads = load;
	replay->remembers = remember;
	if (load == REPLAY_KNOWN_PLAYERS && replay->batch->shares)
	{
		int			n;
		const LadderOperation *operation = read_operations(ladder, replay->from, &n);

		if (any_leaves_states(operation, n))
			replay->loads = REPLAY_ALL_PLAYERS;
	}
	load_players(replay);
	if (replay->loads == REPLAY_KNOWN_PLAYERS && !replay->whole)
		load_unmet(replay);
	components_load_replayed(replay);
	return replay;
}

/* Replay matches and operations in their order, beside the stored events. */
static void
replay_steps(Replay *replay, ReplaySink *sink, MatchReader *matches, RowReader *events,
			 RowReader *component_events)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext,
												  "skillrating replay",
												  ALLOCSET_DEFAULT_SIZES);
	LadderOperation *operation;
	int			noperations;
	int			next = 0;
	int64		first_seq;
	bool		have_match;

	operation = read_operations(replay->ladder, replay->next, &noperations);
	have_match = reader_next(matches);
	first_seq = Min(have_match ? matches->match.seq : PG_INT64_MAX,
					noperations > 0 ? operation[0].seq : PG_INT64_MAX);
	if (have_match || noperations > 0)
		report_start(replay->ladder, first_seq);
	while (have_match || next < noperations)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		bool		is_match = have_match && (next == noperations ||
											  matches->match.seq < operation[next].seq);

		if (is_match)
			replay_match(replay, sink, &matches->match);
		else
			next += batch_apply_operation(replay->batch, &operation[next],
										  noperations - next);
		compare_events(replay, sink, events);
		compare_component_events(replay, sink, component_events);
		MemoryContextSwitchTo(old);
		if (is_match)
			have_match = reader_next(matches);
		MemoryContextReset(scratch);
		replay->next = replay->batch->step.seq + 1;
		progress_done(replay->next - first_seq);
	}
	surplus_events(replay, sink, events, 0, true);
	surplus_component_events(replay, sink, component_events);
	MemoryContextDelete(scratch);
}

void
replay_on(Replay *replay, ReplaySink *sink)
{
	Ladder	   *ladder = replay->ladder;
	MatchReader *matches;
	RowReader	events;
	RowReader	component_events;
	Datum		values[1];

	values[0] = Int64GetDatum(replay->next);
	matches = reader_open_rated(ladder, replay->next);
	begin_meetings(replay, matches);
	row_reader_open(&events, ladder, &read_events_query, values);
	component_events_open(&component_events, replay);
	replay_steps(replay, sink, matches, &events, &component_events);
	row_reader_close(&component_events);
	row_reader_close(&events);
	reader_close(matches);
}

Replay *
replay_run(Ladder *ladder, int64 from, ReplayPlayers load, bool remember,
		   ReplaySink *sink)
{
	Replay	   *replay = replay_begin(ladder, from, load, remember);

	replay_on(replay, sink);
	return replay;
}
