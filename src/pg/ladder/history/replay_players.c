/*
 * replay_players.c
 *		The players in a replay: as they were where it begins.
 *
 * Relies on events telling the state before and after them, and on counts of today less those of later
 * events being those of the place.
 */
#include "pg/ladder/history/replay.h"

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

/*
 * A count as it was: that of today less those of later events or, after a reset among these, when
 * the row knows nothing of the time before, what the horizon has and the events since.
 */
#define COUNT_BEFORE(count) \
	"CASE WHEN c.resets THEN b." count " OPERATOR(pg_catalog.+) CASE WHEN " RESET_SINCE_HORIZON \
	" THEN 0 ELSE COALESCE(h." count ", 0) END ELSE COALESCE(r." count ", 0) OPERATOR(pg_catalog.-) c." count " END, "

/* Times of what pools share, from the events of all of them. */
#define LAST_IN_ALL_POOLS \
	"GREATEST((SELECT pg_catalog.max(p.played_at) FROM {event} AS p WHERE p.player_id {player =} c.player_id " \
	"AND p.seq OPERATOR(pg_catalog.<) $1 AND p.seq OPERATOR(pg_catalog.>) " LAST_RESET \
	" AND p.score IS NOT NULL), " FROM_HORIZON("last_played") ")"

#define AS_OF_IN_ALL_POOLS \
	"GREATEST((SELECT pg_catalog.max(p.played_at) FROM {event} AS p WHERE p.player_id {player =} c.player_id " \
	"AND p.seq OPERATOR(pg_catalog.<) $1 AND p.seq OPERATOR(pg_catalog.>) " LAST_RESET "), " \
	FROM_HORIZON("as_of") ")"

/* What an event left: nothing of the time before a reset; and so many games it knows of in the pool. */
#define IF_RESET "CASE WHEN l.kind OPERATOR(pg_catalog.=) 'reset' THEN "
#define IF_NO_MATCH " WHEN l.score IS NULL THEN "
#define LEFT_BY_EVENT \
	"l.fixed, " IF_RESET "0" IF_NO_MATCH "l.games_before ELSE l.games_before OPERATOR(pg_catalog.+) 1 END AS known_games, " \
	IF_RESET "NULL" IF_NO_MATCH "l.last_played_before ELSE GREATEST(l.last_played_before, l.played_at) END AS last_played, " \
	IF_RESET "NULL ELSE GREATEST(l.last_played_before, l.as_of_before, l.played_at) END AS as_of, {states l _after}"

/*
 * Players as they were before $1, as rows of rating: by the last event before or else the horizon,
 * and whether there is either of these; whether they have played more before $1 than that knows of:
 * the events between are gone then, and the state there with them; and whether rating has a row
 * now, and that row.
 */
#define PLAYERS_AT(players, last_played, as_of, same_pool) \
	"SELECT c.player_id, c.pool, COALESCE(e.fixed, false), " \
	COUNT_BEFORE("games") COUNT_BEFORE("wins") COUNT_BEFORE("draws") COUNT_BEFORE("losses") \
	last_played ", " as_of ", {states e _after}, e.known_games IS NOT NULL, " \
	"c.resets IS NOT TRUE AND r.games OPERATOR(pg_catalog.-) c.games OPERATOR(pg_catalog.>) COALESCE(e.known_games, 0), " \
	"r.player_id IS NOT NULL, {rating columns r} " \
	"FROM (" players ") AS c " \
	"LEFT JOIN {rating} AS r ON r.player_id {player =} c.player_id AND r.pool OPERATOR(pg_catalog.=) c.pool " \
	"LEFT JOIN {horizon} AS h ON h.player_id {player =} c.player_id AND h.pool OPERATOR(pg_catalog.=) c.pool " \
	"LEFT JOIN LATERAL (SELECT * FROM ((SELECT l.seq, " LEFT_BY_EVENT " FROM {event} AS l " \
	"WHERE l.player_id {player =} c.player_id " same_pool "AND l.seq OPERATOR(pg_catalog.<) $1 " \
	"ORDER BY l.seq DESC LIMIT 1) UNION ALL SELECT NULL, h.fixed, COALESCE(h.games, 0), h.last_played, h.as_of, " \
	"{states h} WHERE h.player_id IS NOT NULL) AS u ORDER BY u.seq LIMIT 1) AS e ON true " \
	"CROSS JOIN LATERAL (SELECT " COUNTS " FROM {event} AS l WHERE c.resets AND l.player_id {player =} c.player_id " \
	same_pool "AND l.seq OPERATOR(pg_catalog.<) $1 AND l.seq OPERATOR(pg_catalog.>) " LAST_RESET \
	" AND l.seq OPERATOR(pg_catalog.>) " HORIZON ") AS b"

#define IN_POOL(players) \
	PLAYERS_AT(players, "e.last_played", "e.as_of", "AND l.pool OPERATOR(pg_catalog.=) c.pool ")

/* With events from a seq on; without any; and players given. */
static LadderQuery players_at_query = {.text = IN_POOL(ALL_PLAYERS),.param = {VALUE_INT8}};
static LadderQuery idle_players_at_query = {.text = IN_POOL(IDLE_PLAYERS),.param = {VALUE_INT8}};
static LadderQuery some_players_at_query = {
	.text = IN_POOL(SOME_PLAYERS("AND m.pool OPERATOR(pg_catalog.=) k.pool ")),
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

/* The same of what pools share, which is in the events of all pools. */
static LadderQuery shared_at_query = {
	.text = PLAYERS_AT(SOME_PLAYERS(""), LAST_IN_ALL_POOLS, AS_OF_IN_ALL_POOLS, ""),
	.param = {VALUE_INT8, ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT)}
};

/* Put what a row of rating has, all nulls if there is none, beside a player. */
static void
store_row(Batch *batch, BatchPlayer *player, bool found, QueryRow row)
{
	StoredRow  *stored = player_row(batch, player);

	stored->found = found;
	if (table_read(&rating_table, batch->model, batch->model->nstate, row, &stored->record,
				   stored->state) != NULL && found)
		stored->record.games = -1;	/* as nothing that can come out */
}

/* One of these queries at work. */
typedef struct PlayersLoad
{
	Replay	   *replay;
	LadderQuery *query;
} PlayersLoad;

/* Whether a row is that of what pools share. */
static bool
is_shared(const Batch *batch, QueryRow row)
{
	return batch->shares && same_text(row.value[RATING_POOL - 1], SHARED_POOL);
}

/* Put a player where the replay begins.  What pools share has a query of its own. */
static void
take_player(void *arg, QueryRow row)
{
	const PlayersLoad *load = (const PlayersLoad *) arg;
	const Ladder *ladder = load->replay->ladder;
	Batch	   *batch = load->replay->batch;
	const Model *model = batch->model;
	bool		shared = load->query == &shared_at_query;
	int			width = RATING_NCOLUMNS + model->nstate;
	QueryRow	now = {row.value + width, row.null + width};
	bool		exists = next_bool(&now);
	bool		missing = next_bool(&now);
	bool		found = next_bool(&now);
	double		state[MODEL_MAX_STATE];
	BatchPlayer *player;
	int			i;

	if (!shared && is_shared(batch, row))
		return;
	player = rating_player(batch, row);
	store_row(batch, player, found, now);
	if (missing && !shared)
		report_missing_events(ladder, load->replay->from,
							  psprintf("player %s", id_text(ladder->player_type, player->id)));

	/* Who has no event before was not there yet. */
	if (!exists)
		return;
	player->exists = true;
	(void) table_read(&rating_table, model, model->nstate, row, &player->record, state);
	for (i = 0; i < model->nstate; i++)
		if (!shared || model->state[i].shared)
			player->state[i] = state[i];
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
take_row(void *arg, QueryRow row)
{
	Batch	   *batch = (Batch *) arg;

	store_row(batch, rating_player(batch, row), true, row);
}

static LadderQuery horizon_query = {
	.text = "SELECT {rating columns h} FROM {horizon} AS h"
};

/* Put a player where the horizon has it. */
static void
take_horizon(void *arg, QueryRow row)
{
	Batch	   *batch = (Batch *) arg;
	BatchPlayer *player = rating_player(batch, row);

	(void) table_read(&rating_table, batch->model, batch->model->nstate, row, &player->record,
					  player->state);
	player->exists = true;
}

void
players_load_replayed(Replay *replay)
{
	Batch	   *batch = replay->batch;
	const Datum *values = DATUMS(Int64GetDatum(replay->from));

	if (replay->whole)
	{
		(void) ladder_execute_each(replay->ladder, &all_players_query, NULL, NULL, take_row, batch);
		(void) ladder_execute_each(replay->ladder, &horizon_query, NULL, NULL, take_horizon, batch);
		return;
	}
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
take_newer(void *arg, QueryRow row)
{
	NewerPlayers *newer = (NewerPlayers *) arg;
	Batch	   *batch = newer->replay->batch;
	BatchPlayer *player = rating_player(batch, row);

	if (player->loaded || newer->replay->whole)
		store_row(batch, player, true, row);
	else if (!is_shared(batch, row))
	{
		huge_array_grow_for_next(newer->unknown, BatchPlayer *, newer->n, newer->max);
		newer->unknown[newer->n++] = player;
	}
}

void
replay_refresh(Replay *replay)
{
	bool		nulls[2] = {false};
	NewerPlayers newer = {.replay = replay};

	(void) ladder_execute_each(replay->ladder, &newer_players_query,
							   DATUMS(Int64GetDatum(replay->next),
									  batch_shared_pool(replay->batch, &nulls[1])),
							   nulls, take_newer, &newer);

	/* What they share comes with them. */
	players_load_some(replay, newer.unknown, newer.n);
}
