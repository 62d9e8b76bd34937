/*
 * column_list.h
 *		The columns of a ladder's tables event, rating, component, component_event and
 *		rated_match.
 *
 * Included by columns.h and columns.c, which define what a line stands for; a
 * macro that the includer leaves undefined is nothing, and all of them are
 * undefined again at the end.  So this file has no guard.
 *
 *		EVENT_COLUMN(SYMBOL, name, type, presence, default, ORIGIN, field)
 *
 * In the order of CREATE TABLE, but for the state columns, which stand where
 * columns.c says.  The default is an SQL expression or NULL.  The value comes
 * from that field of the struct that the ORIGIN stands for, see ColumnOrigin.
 *
 * What a new column takes beside its line, and a field of that struct (batch.h):
 *
 *		event		batch_commit() and apply_operation_to_player() set the field
 *		rating		for a counter, count_match() counts, and in replay.c COUNTS sums it
 *					up again from the events, which must tell it, through the lists of
 *					columns in SOME_PLAYERS and PLAYERS_AT, AT_LATER_*,
 *					AT_EARLIER_* and restore_player(); a time has its like of LAST_IN_POOL there
 *		component	for a replay the queries and restore_component() in replay_components.c
 *		component_event	batch.c sets the field where it makes rows of a step
 *		rated_match	put_match() sets the value; the table is made in sql/ladder/entry/60-create.sql
 *
 * Ladders that exist take an ALTER TABLE besides.
 */
#ifndef EVENT_COLUMN
#define EVENT_COLUMN(symbol, name, type, presence, dflt, origin, field)
#endif
#ifndef RATING_COLUMN
#define RATING_COLUMN(symbol, name, type, presence, dflt, origin, field)
#endif
#ifndef COMPONENT_COLUMN
#define COMPONENT_COLUMN(symbol, name, type, presence, dflt, origin, field)
#endif
#ifndef COMPONENT_EVENT_COLUMN
#define COMPONENT_EVENT_COLUMN(symbol, name, type, presence, dflt, origin, field)
#endif
#ifndef MATCH_COLUMN
#define MATCH_COLUMN(symbol, name, type, presence)
#endif

EVENT_COLUMN(SEQ, seq, VALUE_INT8, COLUMN_KEY, NULL, STEP, seq)
EVENT_COLUMN(PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_KEY, NULL, PLAYER, id)
EVENT_COLUMN(POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", PLAYER, pool)
EVENT_COLUMN(MATCH_ID, match_id, VALUE_MATCH, COLUMN_OF_MATCH, NULL, STEP, match_id)
EVENT_COLUMN(KIND, kind, VALUE_TEXT, COLUMN_NOT_NULL, "'match'", STEP, kind)
EVENT_COLUMN(FIXED, fixed, VALUE_BOOL, COLUMN_NOT_NULL, "false", ROW, fixed)
EVENT_COLUMN(TEAM, team, VALUE_INT4, COLUMN_OF_MATCH, NULL, ROW, team)
EVENT_COLUMN(GAMES_BEFORE, games_before, VALUE_INT4, COLUMN_NOT_NULL, NULL, ROW, games)
EVENT_COLUMN(PLAYED_AT, played_at, VALUE_TIME, COLUMN_NOT_NULL, NULL, STEP, at)
EVENT_COLUMN(LAST_PLAYED_BEFORE, last_played_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, last_played)
EVENT_COLUMN(AS_OF_BEFORE, as_of_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, as_of)
EVENT_COLUMN(SCORE, score, VALUE_FLOAT8, COLUMN_OF_MATCH, NULL, ROW, score)
EVENT_COLUMN(WIN_PROBABILITY, win_probability, VALUE_FLOAT8, COLUMN_OF_MATCH, NULL, ROW, win_probability)
EVENT_COLUMN(REASON, reason, VALUE_TEXT, COLUMN_NULLABLE, NULL, STEP, reason)

RATING_COLUMN(PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_KEY, NULL, PLAYER, id)
RATING_COLUMN(POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", PLAYER, pool)
RATING_COLUMN(FIXED, fixed, VALUE_BOOL, COLUMN_NOT_NULL, "false", RECORD, fixed)
RATING_COLUMN(GAMES, games, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, games)
RATING_COLUMN(WINS, wins, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, wins)
RATING_COLUMN(DRAWS, draws, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, draws)
RATING_COLUMN(LOSSES, losses, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, losses)
RATING_COLUMN(LAST_PLAYED, last_played, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, last_played)
RATING_COLUMN(AS_OF, as_of, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, as_of)

COMPONENT_COLUMN(PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_OWNER, NULL, PLAYER, id)
COMPONENT_COLUMN(KIND, kind, VALUE_TEXT, COLUMN_KEY, NULL, SPEC, name)
COMPONENT_COLUMN(POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, pool)
COMPONENT_COLUMN(KEY, key, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, key)
COMPONENT_COLUMN(GAMES, games, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, games)
COMPONENT_COLUMN(LAST_PLAYED, last_played, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, last_played)
COMPONENT_COLUMN(AS_OF, as_of, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, as_of)

COMPONENT_EVENT_COLUMN(SEQ, seq, VALUE_INT8, COLUMN_KEY, NULL, STEP, seq)
COMPONENT_EVENT_COLUMN(PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_OWNER, NULL, PLAYER, id)
COMPONENT_EVENT_COLUMN(KIND, kind, VALUE_TEXT, COLUMN_KEY, NULL, SPEC, name)
COMPONENT_EVENT_COLUMN(POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, pool)
COMPONENT_EVENT_COLUMN(KEY, key, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, key)
COMPONENT_EVENT_COLUMN(MATCH_ID, match_id, VALUE_MATCH, COLUMN_OF_MATCH, NULL, STEP, match_id)
COMPONENT_EVENT_COLUMN(CAUSE, cause, VALUE_TEXT, COLUMN_NOT_NULL, "'match'", STEP, kind)
COMPONENT_EVENT_COLUMN(GAMES_BEFORE, games_before, VALUE_INT8, COLUMN_NOT_NULL, NULL, ROW, games)
COMPONENT_EVENT_COLUMN(PLAYED_AT, played_at, VALUE_TIME, COLUMN_NOT_NULL, NULL, STEP, at)
COMPONENT_EVENT_COLUMN(LAST_PLAYED_BEFORE, last_played_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, last_played)
COMPONENT_EVENT_COLUMN(AS_OF_BEFORE, as_of_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, as_of)

/* Those that a batch writes.  put_match() in outbox.c has the values, and says which are null. */
MATCH_COLUMN(ID, match_id, VALUE_MATCH, COLUMN_KEY)
MATCH_COLUMN(STATUS, status, VALUE_TEXT, COLUMN_NOT_NULL)
MATCH_COLUMN(REASON, reason, VALUE_TEXT, COLUMN_NULLABLE)
MATCH_COLUMN(DETAIL, detail, VALUE_TEXT, COLUMN_NULLABLE)
MATCH_COLUMN(DIGEST, digest, VALUE_INT8, COLUMN_NOT_NULL)
MATCH_COLUMN(SEQ, seq, VALUE_INT8, COLUMN_NULLABLE)
MATCH_COLUMN(PLAYED_AT, played_at, VALUE_TIME, COLUMN_NULLABLE)
MATCH_COLUMN(ADVANTAGE_RATIO, size_advantage_ratio, VALUE_FLOAT8, COLUMN_NULLABLE)
MATCH_COLUMN(ADVANTAGE_DIFFERENCE, size_advantage_difference, VALUE_FLOAT8, COLUMN_NULLABLE)
MATCH_COLUMN(ARRIVED_AT, arrived_at, VALUE_TIME, COLUMN_NULLABLE)

#undef EVENT_COLUMN
#undef RATING_COLUMN
#undef COMPONENT_COLUMN
#undef COMPONENT_EVENT_COLUMN
#undef MATCH_COLUMN
