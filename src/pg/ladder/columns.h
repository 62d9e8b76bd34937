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
#ifndef PG_LADDER_COLUMNS_H
#define PG_LADDER_COLUMNS_H

#include "pg/sql/glue.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "pg/ladder/ladder.h"
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
	ORIGIN_IDENTITY,			/* ComponentIdentity */
	ORIGIN_COMPONENT_RECORD,	/* ComponentRecord */
	ORIGIN_COMPONENT_ROW,		/* ComponentRow */
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
#include "pg/ladder/column_list.h"
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
#include "pg/ladder/column_list.h"
	RATING_FIRST_STATE,
	RATING_NCOLUMNS = RATING_FIRST_STATE - 1
} RatingColumn;

#define RATING_STATE(state) (RATING_FIRST_STATE + (state))
#define RATING_MAX_COLUMNS (RATING_NCOLUMNS + MODEL_MAX_STATE)

typedef enum ComponentColumn
{
	COMPONENT_NO_COLUMN,
#define COMPONENT_COLUMN(symbol, name, type, presence, dflt, origin, field) COMPONENT_##symbol,
#include "pg/ladder/column_list.h"
	COMPONENT_STATE,
	COMPONENT_NCOLUMNS = COMPONENT_STATE
} ComponentColumn;

typedef enum ComponentEventColumn
{
	COMPONENT_EVENT_NO_COLUMN,
#define COMPONENT_EVENT_COLUMN(symbol, name, type, presence, dflt, origin, field) COMPONENT_EVENT_##symbol,
#include "pg/ladder/column_list.h"
	COMPONENT_EVENT_BEFORE,
	COMPONENT_EVENT_AFTER,
	COMPONENT_EVENT_NCOLUMNS = COMPONENT_EVENT_AFTER
} ComponentEventColumn;

typedef enum MatchColumn
{
	MATCH_NO_COLUMN,
#define MATCH_COLUMN(symbol, name, type, is_key) MATCH_##symbol,
#include "pg/ladder/column_list.h"
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
 * from may be NULL.
 */
typedef struct RowValues
{
	const void *origin[COLUMN_NORIGINS];
	bool		is_match;		/* see COLUMN_OF_MATCH */
	bool		has_owner;		/* see COLUMN_OWNER */
} RowValues;

/* What tells a component from others in its tables. */
typedef struct ComponentIdentity
{
	const char *kind;
	const char *pool;
	const char *key;
	Datum		player_id;		/* if it has an owner */
} ComponentIdentity;

/* The row of an event, and that of a player in rating. */
extern RowValues event_values(const BatchStep *step, const EventRow *row);
extern RowValues rating_values(const BatchPlayer *player);

/*
 * The row of a component, and that of what a step did to one.  *identity is filled in, and
 * must live as long as the result.
 */
extern RowValues component_values(const BatchComponent *component,
								  ComponentIdentity *identity);
extern RowValues component_event_values(const BatchStep *step, const ComponentRow *row,
										ComponentIdentity *identity);

/*
 * Form all columns but the states; texts are allocated in the current context,
 * identifiers are not copied.
 */
extern void table_form(const LadderTable *table, const RowValues *row,
					   Datum *values, bool *nulls);

/*
 * Whether the stored columns are, to the bit, what they should be: all but the key
 * and the states.
 */
extern bool table_same(const LadderTable *table, const Ladder *ladder,
					   const RowValues *row, const Datum *values,
					   const bool *nulls);

/* Whether two numbers are the same to the bit. */
extern bool same_bits(double a, double b);

/* The table of a name in SQL whose columns are listed here, or NULL. */
extern const LadderTable *ladder_table_named(const char *name);

/* Whether an array is, to the bit, a state of n numbers. */
extern bool same_state(Datum array, bool isnull, const double *state, int n);

/* Form a row of rating, with the states. */
extern void rating_form(const Model *model, const BatchPlayer *player,
						Datum *values, bool *nulls);

/*
 * Read a row of rating, but for the key, from the values of all its columns.
 * Returns the name of a column that must not be null and is, or NULL; such a
 * column reads as zero.
 */
extern const char *rating_read(const Model *model, const Datum *values,
							   const bool *nulls, PlayerRecord *record,
							   double *state);

/*
 * The same of a row of component, whose state is its own to read; false if a column that must
 * not be null is.
 */
extern bool component_read(const Datum *values, const bool *nulls, ComponentRecord *record);

#endif							/* PG_LADDER_COLUMNS_H */
