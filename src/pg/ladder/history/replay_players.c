/*
 * replay_players.c
 *		The players in a replay: as they were where it begins.
 *
 * Relies on events telling the state before and after them, and on counts of today less those of later
 * events being those of the place.
 */
#include "pg/ladder/history/replay_players.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"

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

/* Whether the last event before, or the horizon, left the state fixed. */
#define FIXED "COALESCE(CASE WHEN e.seq IS NULL THEN h.fixed ELSE e.fixed END, false)"

/*
 * Players as they were before $1: what of their counts came from there on, the last
 * event before (null if none), the row that rating has now (null if none), and the states
 * that the event, and the horizon, left.  After a reset from there on the row knows nothing of the time before, and the counts are
 * taken from the events.
 */
#define PLAYERS_AT(players, last_played, as_of, same_pool) \
	"SELECT c.player_id, c.pool, c.games, c.wins, c.draws, c.losses, COALESCE(c.resets, false), " \
	COUNT_AT_HORIZON("games") COUNT_AT_HORIZON("wins") COUNT_AT_HORIZON("draws") COUNT_AT_HORIZON("losses") \
	"e.seq IS NOT NULL, h.player_id IS NOT NULL, " KNOWN_GAMES ", " last_played ", " as_of ", " FIXED ", " \
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
	AT_FIXED,
	AT_HAS_RATING,
	AT_RATING					/* the columns of rating, and the states */
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
	StoredRow  *row = player_row(batch, player);

	row->found = found;
	if (table_read(&rating_table, batch->model, batch->model->nstate, values, nulls,
				   &row->record, row->state) != NULL && found)
		row->record.games = -1; /* as nothing that can come out */
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
	const StoredRow *now = player->stored;

	if (now->found && !DatumGetBool(values[AT_RESETS]) &&
		now->record.games - DatumGetInt64(values[AT_LATER_GAMES]) >
		DatumGetInt64(values[AT_KNOWN_GAMES]))
		report_missing_events(replay->ladder, replay->from,
							  psprintf("player %s", id_text(replay->ladder->player_type,
															player->id)));
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
	player->record.fixed = DatumGetBool(values[AT_FIXED]);
}

/* One of these queries at work. */
typedef struct PlayersLoad
{
	Replay	   *replay;
	LadderQuery *query;
} PlayersLoad;

static void
take_player(void *arg, const Datum *values, const bool *nulls)
{
	const PlayersLoad *load = (const PlayersLoad *) arg;
	Batch	   *batch = load->replay->batch;
	bool		shared = load->query == &shared_at_query;
	char	   *pool = TextDatumGetCString(values[AT_POOL]);
	BatchPlayer *player;

	/* What pools share has a query of its own. */
	if (!batch->shares || shared || strcmp(pool, SHARED_POOL) != 0)
	{
		player = batch_player(batch, values[AT_PLAYER_ID], pool);
		store_row(batch, player, DatumGetBool(values[AT_HAS_RATING]),
				  values + AT_RATING, nulls + AT_RATING);
		if (!shared)
			check_events_are_there(load->replay, player, values);

		/* Who has no event before was not there yet. */
		if (DatumGetBool(values[AT_HAS_EVENT]) || DatumGetBool(values[AT_HAS_HORIZON]))
			restore_player(player, batch->model, shared, values, nulls);
	}
	pfree(pool);
}

static void
load_players(Replay *replay, LadderQuery *query, const Datum *values)
{
	PlayersLoad load = {replay, query};

	(void) ladder_execute_each(replay->ladder, query, values, NULL, take_player, &load);
}

/* Load those of n players who are not. */
static void
load_some(Replay *replay, LadderQuery *query, BatchPlayer **player, int n)
{
	BatchPlayer **missing = palloc_array(BatchPlayer *, Max(n, 1));
	Datum		values[3];
	int			nmissing = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		BatchPlayer *p = query == &shared_at_query ? player[i]->shared : player[i];

		if (p == NULL || p->loaded)
			continue;
		p->loaded = true;
		missing[nmissing++] = p;
	}
	if (nmissing > 0)
	{
		values[0] = Int64GetDatum(replay->from);
		player_arrays(replay->ladder, missing, nmissing, values + 1);
		load_players(replay, query, values);
	}
	pfree(missing);
}

void
players_load_some(Replay *replay, BatchPlayer **player, int n)
{
	load_some(replay, &some_players_at_query, player, n);
	if (replay->batch->shares)
		load_some(replay, &shared_at_query, player, n);
}

static LadderQuery all_players_query = {
	.text = "SELECT {rating columns r} FROM {rating} AS r"
};

/* At the start nobody is there but at a horizon, so that only the rows of today count. */
static void
take_row(void *arg, const Datum *values, const bool *nulls)
{
	Batch	   *batch = (Batch *) arg;

	store_row(batch, rating_player(batch, values, nulls), true, values, nulls);
}

static LadderQuery horizon_query = {
	.text = "SELECT {rating columns h} FROM {horizon} AS h"
};

/* Put a player where the horizon has it. */
static void
take_horizon(void *arg, const Datum *values, const bool *nulls)
{
	Batch	   *batch = (Batch *) arg;
	BatchPlayer *player = rating_player(batch, values, nulls);

	(void) table_read(&rating_table, batch->model, batch->model->nstate, values, nulls,
					  &player->record, player->state);
	player->exists = true;
}

void
players_load_replayed(Replay *replay)
{
	Batch	   *batch = replay->batch;
	Datum		values[1];

	if (replay->whole)
	{
		(void) ladder_execute_each(replay->ladder, &all_players_query, NULL, NULL, take_row, batch);
		(void) ladder_execute_each(replay->ladder, &horizon_query, NULL, NULL, take_horizon, batch);
		return;
	}
	values[0] = Int64GetDatum(replay->from);
	load_players(replay, &players_at_query, values);
	if (replay->loads == REPLAY_ALL_PLAYERS)
		load_players(replay, &idle_players_at_query, values);
	if (batch->shares)
		load_some(replay, &shared_at_query,
				  (BatchPlayer **) id_table_values(batch->players),
				  id_table_count(batch->players));
}

/* Who has events from $1 on, in a pool or in any, whose row the pool $2 has if it is not null. */
#define NEWER_PLAYERS \
	"(SELECT e.player_id, e.pool FROM {event} AS e WHERE e.seq OPERATOR(pg_catalog.>=) $1 " \
	"UNION SELECT e.player_id, $2 FROM {event} AS e " \
	"WHERE e.seq OPERATOR(pg_catalog.>=) $1 AND $2 IS NOT NULL) AS k(player_id, pool) "

/* The rows that rating has of them now. */
static LadderQuery newer_players_query = {
	.text = "SELECT {rating columns r} FROM " NEWER_PLAYERS
	"JOIN {rating} AS r ON r.player_id {player =} k.player_id AND r.pool OPERATOR(pg_catalog.=) k.pool",
	.param = {VALUE_INT8, VALUE_TEXT}
};

/* Players who are to be loaded, because others have rated them. */
typedef struct NewerPlayers
{
	Replay	   *replay;
	BatchPlayer **unknown;
	int			n;
	int			max;
} NewerPlayers;

static void
take_newer(void *arg, const Datum *values, const bool *nulls)
{
	NewerPlayers *newer = (NewerPlayers *) arg;
	Batch	   *batch = newer->replay->batch;
	char	   *pool = TextDatumGetCString(values[RATING_POOL - 1]);
	BatchPlayer *player = batch_player(batch, values[RATING_PLAYER_ID - 1], pool);

	if (player->loaded || newer->replay->whole)
		store_row(batch, player, true, values, nulls);
	else if (!batch->shares || strcmp(pool, SHARED_POOL) != 0)
	{
		if (newer->n == newer->max)
		{
			newer->max *= 2;
			huge_array_grow(newer->unknown, BatchPlayer *, newer->max);
		}
		newer->unknown[newer->n++] = player;
	}
	pfree(pool);
}

void
replay_refresh(Replay *replay)
{
	bool		nulls[2] = {false};
	NewerPlayers newer = {replay, huge_array(BatchPlayer *, 16), 0, 16};

	(void) ladder_execute_each(replay->ladder, &newer_players_query,
							   DATUMS(Int64GetDatum(replay->next),
									  batch_shared_pool(replay->batch, &nulls[1])),
							   nulls, take_newer, &newer);

	/* What they share comes with them. */
	players_load_some(replay, newer.unknown, newer.n);
	pfree(newer.unknown);
}
