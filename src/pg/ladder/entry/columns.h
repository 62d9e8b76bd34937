/*
 * columns.h
 *		The columns of a ladder's tables: one description of each, from which
 *		DDL, select lists, descriptors, readers and writers are made.
 *
 * A new column takes a line in column_list.h, and a field that is filled in; the head
 * of that file says where.
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
 * The columns in queries, by attribute number; those of a state column, from 0,
 * come behind.
 */
typedef enum EventColumn
{
	EVENT_NO_COLUMN,
#define EVENT_COLUMN(symbol, name, type, presence, dflt, origin, field) EVENT_##symbol,
#include "pg/ladder/entry/column_list.h"
	EVENT_FIRST_STATE,
	EVENT_NCOLUMNS = EVENT_FIRST_STATE - 1
} EventColumn;

#define EVENT_BEFORE(state) (EVENT_FIRST_STATE + 2 * (state))
#define EVENT_AFTER(state) (EVENT_FIRST_STATE + 2 * (state) + 1)
#define EVENT_MAX_COLUMNS (EVENT_NCOLUMNS + 2 * MODEL_MAX_STATE)

typedef enum RatingColumn
{
	RATING_NO_COLUMN,
#define RATING_COLUMN(symbol, name, type, presence, dflt, origin, field) RATING_##symbol,
#include "pg/ladder/entry/column_list.h"
	RATING_COLUMNS_END,
	RATING_NCOLUMNS = RATING_COLUMNS_END - 1
} RatingColumn;

typedef enum ComponentColumn
{
	COMPONENT_NO_COLUMN,
#define COMPONENT_COLUMN(symbol, name, type, presence, dflt, origin, field) COMPONENT_##symbol,
#include "pg/ladder/entry/column_list.h"
	COMPONENT_STATE,
	COMPONENT_NCOLUMNS = COMPONENT_STATE
} ComponentColumn;

typedef enum ComponentEventColumn
{
	COMPONENT_EVENT_NO_COLUMN,
#define COMPONENT_EVENT_COLUMN(symbol, name, type, presence, dflt, origin, field) COMPONENT_EVENT_##symbol,
#include "pg/ladder/entry/column_list.h"
	COMPONENT_EVENT_COLUMNS_END
} ComponentEventColumn;

typedef enum MatchColumn
{
	MATCH_NO_COLUMN,
#define MATCH_COLUMN(symbol, name, type, presence) MATCH_##symbol,
#include "pg/ladder/entry/column_list.h"
	MATCH_COLUMNS_END,
	MATCH_NCOLUMNS = MATCH_COLUMNS_END - 1
} MatchColumn;

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

/*
 * Whether the stored states are, to the bit, what they should be, and whether the other columns
 * are, but for the key.
 */
extern bool states_same(const LadderTable *table, const RowValues *row,
						const Datum *values, const bool *nulls);
extern bool table_same(const LadderTable *table, const Ladder *ladder,
					   const RowValues *row, const Datum *values,
					   const bool *nulls);

/* The table of a name in SQL whose columns are listed here, or NULL. */
extern const LadderTable *ladder_table_named(const char *name);

/*
 * Read a row of rating, or of component, with so many numbers in its state, but for the key, from
 * the values of all its columns.  Returns the name of a column that must not be null and is, or
 * that is no such state, or NULL.  A column without a value reads as zero; a state that is none
 * stays as it is.
 */
extern const char *table_read(const LadderTable *table, const Model *model, int nstate,
							  const Datum *values, const bool *nulls,
							  PlayerRecord *record, double *state);

#endif							/* PG_LADDER_ENTRY_COLUMNS_H */
