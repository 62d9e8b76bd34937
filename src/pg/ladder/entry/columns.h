/*
 * columns.h
 *		The columns of a ladder's tables: one description of each, from which
 *		DDL, select lists, descriptors, readers and writers are made.
 *
 * What a new column takes, of event as an example:
 *		here		a line in the list of its table, at its place in CREATE TABLE; a type or a presence
 *					that no other column has, in columns.c
 *		batch.h		a field of the struct that the list names, filled in by batch_commit() and
 *					apply_operation_to_player() (batch.c) or batch_add_row() (batch_components.c):
 *					rows are not zeroed
 *		a replay	makes it again from matches and states.  If a replay from the middle, or a board
 *					of the past, begins with it: replay_players.c, and past_board() in
 *					sql/ladder/calls/65-reading.sql
 *		SQL			its comment in sql/ladder/entry/61-tables.sql; the view and the function
 *					history, if users are to see it; 69-forget.sql, if it has players or texts of users
 *		format		LADDER_FORMAT (shape.h), if an older library must not write past it
 *		pages		docs/reference.md, docs/ladders.md
 * DDL, descriptors, readers, writers, verify() and the check of a ladder's shape follow.
 *
 * Wherever the columns of a table are listed (but for CREATE TABLE), the state
 * columns come last: in event each one before and after, in rating once.  Components of
 * different kinds have different ones; component and component_event have them as arrays.
 */
#ifndef PG_LADDER_ENTRY_COLUMNS_H
#define PG_LADDER_ENTRY_COLUMNS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "pg/ladder/entry/ladder.h"
#include "pg/matches/batch.h"
#include "pg/sql/composite.h"

/* The types that columns of ladders and parameters of their queries have. */
typedef enum ValueType
{
	VALUE_NONE,
	VALUE_PLAYER,				/* the ladder's type of players */
	VALUE_MATCH,				/* and of matches */
	VALUE_BOOL,
	VALUE_INT4,
	VALUE_INT8,
	VALUE_FLOAT8,
	VALUE_TEXT,
	VALUE_TIME,					/* timestamptz */
	VALUE_OID,
	VALUE_ARRAY = 0x100			/* flag: an array of these */
} ValueType;

#define ARRAY_OF(type) ((ValueType) ((type) | VALUE_ARRAY))

extern Oid	ladder_type_oid(const Ladder *ladder, ValueType type);

/* Presence of a value in a column. */
typedef enum ColumnPresence
{
	COLUMN_KEY,					/* always, and it is part of the key */
	COLUMN_OWNER,				/* of a component of a player, and part of the
								 * key, too */
	COLUMN_NOT_NULL,
	COLUMN_NULLABLE,			/* unless it is NULL or DT_NOBEGIN */
	COLUMN_OF_MATCH				/* in events of matches, not of operations */
} ColumnPresence;

/* The struct that the value of a column is in. */
typedef enum ColumnOrigin
{
	ORIGIN_STEP,				/* BatchStep */
	ORIGIN_ROW,					/* EventRow */
	ORIGIN_PLAYER,				/* BatchPlayer */
	ORIGIN_RECORD,				/* PlayerRecord */
	ORIGIN_COMPONENT,			/* BatchComponent, */
	ORIGIN_SPEC,				/* and its ComponentSpec */
	COLUMN_NORIGINS
} ColumnOrigin;

/*
 * ---- The columns ----
 *
 *		_(TABLE, SYMBOL, name, type, presence, default, ORIGIN, field)
 *
 * In the order of CREATE TABLE, but for the state columns, which stand where columns.c says.  The
 * default is an SQL expression or NULL.  The value comes from that field of the struct that the
 * ORIGIN stands for, see ColumnOrigin.
 *
 * What a new column of another table than event takes:
 *
 *		rating		for a counter, count_match() counts, and in replay_players.c COUNTS sums it
 *					up again from the events, which must tell it, through the lists of
 *					columns in SOME_PLAYERS, IDLE_PLAYERS and, in the order of this
 *					list, PLAYERS_AT; for a time LEFT_BY_EVENT there
 *		component	for a replay the queries of component_states.c
 *		component_event	batch_components.c sets the field where it makes rows of a step
 *		rated_match	columns.c has the list; put_match() in outbox.c puts the values in its order;
 *					the table is made in sql/ladder/entry/61-tables.sql
 */
#define EVENT_COLUMNS(_) \
	_(EVENT, SEQ, seq, VALUE_INT8, COLUMN_KEY, NULL, STEP, seq) \
	_(EVENT, PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_KEY, NULL, PLAYER, id) \
	_(EVENT, POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", PLAYER, pool) \
	_(EVENT, MATCH_ID, match_id, VALUE_MATCH, COLUMN_OF_MATCH, NULL, STEP, match_id) \
	_(EVENT, KIND, kind, VALUE_TEXT, COLUMN_NOT_NULL, "'match'", STEP, kind) \
	_(EVENT, FIXED, fixed, VALUE_BOOL, COLUMN_NOT_NULL, "false", ROW, fixed) \
	_(EVENT, TEAM, team, VALUE_INT4, COLUMN_OF_MATCH, NULL, ROW, team) \
	_(EVENT, GAMES_BEFORE, games_before, VALUE_INT4, COLUMN_NOT_NULL, NULL, ROW, games) \
	_(EVENT, PLAYED_AT, played_at, VALUE_TIME, COLUMN_NOT_NULL, NULL, STEP, at) \
	_(EVENT, LAST_PLAYED_BEFORE, last_played_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, last_played) \
	_(EVENT, AS_OF_BEFORE, as_of_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, as_of) \
	_(EVENT, SCORE, score, VALUE_FLOAT8, COLUMN_OF_MATCH, NULL, ROW, score) \
	_(EVENT, WIN_PROBABILITY, win_probability, VALUE_FLOAT8, COLUMN_OF_MATCH, NULL, ROW, win_probability) \
	_(EVENT, REASON, reason, VALUE_TEXT, COLUMN_NULLABLE, NULL, STEP, reason)

#define RATING_COLUMNS(_) \
	_(RATING, PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_KEY, NULL, PLAYER, id) \
	_(RATING, POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", PLAYER, pool) \
	_(RATING, FIXED, fixed, VALUE_BOOL, COLUMN_NOT_NULL, "false", RECORD, fixed) \
	_(RATING, GAMES, games, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, games) \
	_(RATING, WINS, wins, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, wins) \
	_(RATING, DRAWS, draws, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, draws) \
	_(RATING, LOSSES, losses, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, losses) \
	_(RATING, LAST_PLAYED, last_played, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, last_played) \
	_(RATING, AS_OF, as_of, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, as_of)

#define COMPONENT_COLUMNS(_) \
	_(COMPONENT, PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_OWNER, NULL, PLAYER, id) \
	_(COMPONENT, KIND, kind, VALUE_TEXT, COLUMN_KEY, NULL, SPEC, name) \
	_(COMPONENT, POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, pool) \
	_(COMPONENT, KEY, key, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, key) \
	_(COMPONENT, GAMES, games, VALUE_INT8, COLUMN_NOT_NULL, "0", RECORD, games) \
	_(COMPONENT, LAST_PLAYED, last_played, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, last_played) \
	_(COMPONENT, AS_OF, as_of, VALUE_TIME, COLUMN_NULLABLE, NULL, RECORD, as_of)

#define COMPONENT_EVENT_COLUMNS(_) \
	_(COMPONENT_EVENT, SEQ, seq, VALUE_INT8, COLUMN_KEY, NULL, STEP, seq) \
	_(COMPONENT_EVENT, PLAYER_ID, player_id, VALUE_PLAYER, COLUMN_OWNER, NULL, PLAYER, id) \
	_(COMPONENT_EVENT, KIND, kind, VALUE_TEXT, COLUMN_KEY, NULL, SPEC, name) \
	_(COMPONENT_EVENT, POOL, pool, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, pool) \
	_(COMPONENT_EVENT, KEY, key, VALUE_TEXT, COLUMN_KEY, "''", COMPONENT, key) \
	_(COMPONENT_EVENT, MATCH_ID, match_id, VALUE_MATCH, COLUMN_OF_MATCH, NULL, STEP, match_id) \
	_(COMPONENT_EVENT, CAUSE, cause, VALUE_TEXT, COLUMN_NOT_NULL, "'match'", STEP, kind) \
	_(COMPONENT_EVENT, GAMES_BEFORE, games_before, VALUE_INT8, COLUMN_NOT_NULL, NULL, ROW, games) \
	_(COMPONENT_EVENT, PLAYED_AT, played_at, VALUE_TIME, COLUMN_NOT_NULL, NULL, STEP, at) \
	_(COMPONENT_EVENT, LAST_PLAYED_BEFORE, last_played_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, last_played) \
	_(COMPONENT_EVENT, AS_OF_BEFORE, as_of_before, VALUE_TIME, COLUMN_NULLABLE, NULL, ROW, as_of)

/*
 * The columns in queries, by attribute number; those of a state column, from 0,
 * come behind.
 */
#define COLUMN_SYMBOL(table, symbol, ...) table##_##symbol,

typedef enum EventColumn
{
	EVENT_NO_COLUMN,
	EVENT_COLUMNS(COLUMN_SYMBOL)
	EVENT_FIRST_STATE,
	EVENT_NCOLUMNS = EVENT_FIRST_STATE - 1
} EventColumn;

#define EVENT_MAX_COLUMNS (EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE)

typedef enum RatingColumn
{
	RATING_NO_COLUMN,
	RATING_COLUMNS(COLUMN_SYMBOL)
	RATING_COLUMNS_END,
	RATING_NCOLUMNS = RATING_COLUMNS_END - 1
} RatingColumn;

typedef enum ComponentColumn
{
	COMPONENT_NO_COLUMN,
	COMPONENT_COLUMNS(COLUMN_SYMBOL)
	COMPONENT_STATE,
	COMPONENT_NCOLUMNS = COMPONENT_STATE
} ComponentColumn;

typedef enum ComponentEventColumn
{
	COMPONENT_EVENT_NO_COLUMN,
	COMPONENT_EVENT_COLUMNS(COLUMN_SYMBOL)
	COMPONENT_EVENT_COLUMNS_END
} ComponentEventColumn;

typedef struct LadderColumn
{
	const char *name;
	ValueType	type;
	ColumnPresence presence;
	const char *default_value;	/* SQL, or NULL */
	ColumnOrigin origin;
	size_t		offset;			/* of the field there, */
	size_t		size;			/* and its size */
} LadderColumn;

/*
 * A table: its columns, and the suffixes of each state column's names, which are the names
 * themselves where states are arrays.
 */
typedef struct LadderTable
{
	const LadderColumn *column;
	int			ncolumns;
	int			state_place;	/* in CREATE TABLE: behind so many of these */
	const char *state_constraint;	/* there, behind the type */
	const char *state_suffix[2];
	int			nsuffixes;
	bool		state_arrays;
} LadderTable;

extern const LadderTable event_table;
extern const LadderTable rating_table;
extern const LadderTable component_table;
extern const LadderTable component_event_table;
extern const LadderTable match_table;	/* what batches write of rated_match */

/*
 * Append all columns as a list, each behind a prefix such as "r." or "".
 */
extern void append_columns(StringInfo sql, const LadderTable *table,
						   const Model *model, const char *prefix);

/* Append assignments to all but the key, from the columns with that prefix. */
extern void append_assignments(StringInfo sql, const LadderTable *table,
							   const Model *model, const char *prefix);

/* Append one name of each state column. */
extern void append_states(StringInfo sql, const Model *model,
						  const char *prefix, const char *suffix);

/* The descriptor of such rows, in the current context. */
extern TupleDesc table_desc(const LadderTable *table, const Ladder *ladder);

/*
 * The structs that hold the values of a row; one that no column of the table comes
 * from may be NULL, and so may the player of a component.
 */
typedef struct RowValues
{
	const void *origin[COLUMN_NORIGINS];
	bool		is_match;		/* see COLUMN_OF_MATCH */
	const double *state[2];		/* for each suffix of the state columns, */
	int			nstate;			/* and of so many numbers */
} RowValues;

/* The row of an event, of a player or of a component; that of a player; that of a component. */
extern RowValues event_values(const Model *model, const BatchStep *step, const EventRow *row);
extern RowValues rating_values(const Model *model, const BatchPlayer *player);
extern RowValues component_values(const BatchComponent *component);

/*
 * Form all columns; texts and arrays are allocated in the current context, identifiers are not
 * copied.
 */
extern void table_form(const LadderTable *table, const RowValues *row,
					   Datum *values, bool *nulls);

/* Whether a stored row is what it should be, to the bit, but for the key. */
extern bool table_same(const LadderTable *table, const Ladder *ladder, const RowValues *row,
					   QueryRow stored);

/* The table of a name in SQL whose columns are listed here, or NULL. */
extern const LadderTable *ladder_table_named(const char *name);

/*
 * Read a row of rating, or of component, with so many numbers in its state, but for the key, from
 * all its columns.  Returns the name of a column that must not be null and is, or
 * that is no such state, or NULL.  A column without a value reads as zero; a state that is none
 * stays as it is.
 */
extern const char *table_read(const LadderTable *table, const Model *model, int nstate, QueryRow row,
							  PlayerRecord *record, double *state);

#endif							/* PG_LADDER_ENTRY_COLUMNS_H */
