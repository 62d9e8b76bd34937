/*
 * columns.c
 *		The columns of a ladder's tables.
 *
 * Knows the structs of a batch by offsets alone, whose types are checked when this is compiled.
 */
#include "pg/ladder/entry/columns.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/sql/arrays.h"

#define FIELD_SIZE(type, field) sizeof(((type *) NULL)->field)

/* The structs that origins stand for. */
#define STRUCT_OF_STEP BatchStep
#define STRUCT_OF_ROW EventRow
#define STRUCT_OF_PLAYER BatchPlayer
#define STRUCT_OF_RECORD PlayerRecord
#define STRUCT_OF_COMPONENT BatchComponent
#define STRUCT_OF_SPEC ComponentSpec

#define COLUMN(table, symbol, name, type, presence, dflt, origin, field) \
	{#name, type, presence, dflt, ORIGIN_##origin, \
		offsetof(STRUCT_OF_##origin, field), \
		FIELD_SIZE(STRUCT_OF_##origin, field)},

/*
 * The types that the functions below know, each with the sizes of a field: any other
 * column fails to compile.  An integer may be in a count of 64 bits, and a boolean is in one.
 */
#define FIELD_FITS(type, size) \
	((type) == VALUE_PLAYER || (type) == VALUE_MATCH ? (size) == sizeof(Datum) : \
	 (type) == VALUE_INT4 ? (size) == sizeof(int32) || (size) == sizeof(int64) : \
	 (type) == VALUE_INT8 || (type) == VALUE_BOOL ? (size) == sizeof(int64) : \
	 (type) == VALUE_FLOAT8 ? (size) == sizeof(double) : \
	 (type) == VALUE_TEXT ? (size) == sizeof(char *) : \
	 (type) == VALUE_TIME ? (size) == sizeof(TimestampTz) : false)

/* Those that read_field() knows. */
#define FIELD_READS(type) \
	((type) == VALUE_INT8 || (type) == VALUE_TIME || (type) == VALUE_BOOL)

#define CHECK_COLUMN(table, symbol, name, type, presence, dflt, origin, field) \
	StaticAssertDecl(FIELD_FITS(type, FIELD_SIZE(STRUCT_OF_##origin, field)), \
					 "column has an unknown type or a field of another size: " #field); \
	StaticAssertDecl(ORIGIN_##origin != ORIGIN_RECORD || FIELD_READS(type), \
					 "column has a type that cannot be read: " #field);

EVENT_COLUMNS(CHECK_COLUMN)
RATING_COLUMNS(CHECK_COLUMN)
COMPONENT_COLUMNS(CHECK_COLUMN)
COMPONENT_EVENT_COLUMNS(CHECK_COLUMN)

static const LadderColumn event_columns[] = {EVENT_COLUMNS(COLUMN)};
static const LadderColumn rating_columns[] = {RATING_COLUMNS(COLUMN)};
static const LadderColumn component_columns[] = {COMPONENT_COLUMNS(COLUMN)};
static const LadderColumn component_event_columns[] = {COMPONENT_EVENT_COLUMNS(COLUMN)};

/* Those that a batch writes of rated_match; with no origin. */
static const LadderColumn match_columns[] = {
	{.name = "match_id",.type = VALUE_MATCH,.presence = COLUMN_KEY},
	{.name = "status",.type = VALUE_TEXT,.presence = COLUMN_NOT_NULL},
	{.name = "reason",.type = VALUE_TEXT,.presence = COLUMN_NULLABLE},
	{.name = "detail",.type = VALUE_TEXT,.presence = COLUMN_NULLABLE},
	{.name = "digest",.type = VALUE_INT8,.presence = COLUMN_NOT_NULL},
	{.name = "seq",.type = VALUE_INT8,.presence = COLUMN_NULLABLE},
	{.name = "played_at",.type = VALUE_TIME,.presence = COLUMN_NULLABLE},
	{.name = "size_advantage_ratio",.type = VALUE_FLOAT8,.presence = COLUMN_NULLABLE},
	{.name = "size_advantage_difference",.type = VALUE_FLOAT8,.presence = COLUMN_NULLABLE},
	{.name = "arrived_at",.type = VALUE_TIME,.presence = COLUMN_NULLABLE},
};

const LadderTable event_table = {
	event_columns, EVENT_NCOLUMNS, EVENT_WIN_PROBABILITY, "",
	{"_before", "_after"}, 2, false
};

const LadderTable rating_table = {
	rating_columns, RATING_NCOLUMNS, RATING_FIXED, " NOT NULL", {""}, 1, false
};

const LadderTable component_table = {
	component_columns, COMPONENT_STATE - 1, COMPONENT_KEY, " NOT NULL", {"state"}, 1, true
};

const LadderTable component_event_table = {
	component_event_columns, COMPONENT_EVENT_COLUMNS_END - 1, COMPONENT_EVENT_AS_OF_BEFORE,
	" NOT NULL", {"before", "after"}, 2, true
};

const LadderTable match_table = {
	match_columns, lengthof(match_columns), lengthof(match_columns), "", {NULL}, 0, false
};

/*
 * The table that a name in SQL means; NULL for another name, so that the caller can say which
 * names there are.
 */
const LadderTable *
ladder_table_named(const char *name)
{
	static const struct
	{
		const char *name;
		const LadderTable *table;
	}			tables[] = {
		{"event", &event_table},
		{"rating", &rating_table},
		{"component", &component_table},
		{"component_event", &component_event_table},
		{"rated_match", &match_table},
	};
	int			i;

	for (i = 0; i < (int) lengthof(tables); i++)
		if (strcmp(name, tables[i].name) == 0)
			return tables[i].table;
	return NULL;
}

/*
 * ---- Types ----
 */

Oid
ladder_type_oid(const Ladder *ladder, ValueType type)
{
	static const Oid type_oid[][2] = {
		[VALUE_BOOL] = {BOOLOID, BOOLARRAYOID},
		[VALUE_INT4] = {INT4OID, INT4ARRAYOID},
		[VALUE_INT8] = {INT8OID, INT8ARRAYOID},
		[VALUE_FLOAT8] = {FLOAT8OID, FLOAT8ARRAYOID},
		[VALUE_TEXT] = {TEXTOID, TEXTARRAYOID},
		[VALUE_TIME] = {TIMESTAMPTZOID, TIMESTAMPTZARRAYOID},
		[VALUE_OID] = {OIDOID, OIDARRAYOID},
	};
	bool		array = (type & VALUE_ARRAY) != 0;
	int			element = type & ~VALUE_ARRAY;
	const IdType *id_type = element == VALUE_PLAYER ? ladder->player_type :
		element == VALUE_MATCH ? ladder->match_type : NULL;

	if (id_type != NULL)
		return array ? id_type->array_type : id_type->type;
	return type_oid[element][array];
}

/*
 * ---- Lists ----
 */

/* The number of columns under a model. */
static int
table_width(const LadderTable *table, const Model *model)
{
	return table->ncolumns + table->nsuffixes * (table->state_arrays ? 1 : model->nstate);
}

/* The name of a column by its place in a row, from 0, states last. */
static const char *
column_name(const LadderTable *table, const Model *model, int place)
{
	int			state = place - table->ncolumns;

	if (state < 0)
		return table->column[place].name;
	if (table->state_arrays)
		return table->state_suffix[state];
	return psprintf("%s%s", model->state[state / table->nsuffixes].name,
					table->state_suffix[state % table->nsuffixes]);
}

static bool
column_is_of_key(const LadderColumn *column)
{
	return column->presence == COLUMN_KEY || column->presence == COLUMN_OWNER;
}

void
append_columns(StringInfo sql, const LadderTable *table, const Model *model,
			   const char *prefix)
{
	int			i;

	for (i = 0; i < table_width(table, model); i++)
		appendStringInfo(sql, "%s%s%s", i > 0 ? ", " : "", prefix,
						 quote_identifier(column_name(table, model, i)));
}

void
append_assignments(StringInfo sql, const LadderTable *table,
				   const Model *model, const char *prefix)
{
	const char *separator = "";
	int			i;

	for (i = 0; i < table_width(table, model); i++)
	{
		const char *name = quote_identifier(column_name(table, model, i));

		if (i < table->ncolumns && column_is_of_key(&table->column[i]))
			continue;
		appendStringInfo(sql, "%s%s = %s%s", separator, name, prefix, name);
		separator = ", ";
	}
}

void
append_states(StringInfo sql, const Model *model, const char *prefix,
			  const char *suffix)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		appendStringInfo(sql, "%s%s%s", i > 0 ? ", " : "", prefix,
						 quote_identifier(psprintf("%s%s", model->state[i].name,
												   suffix)));
}

TupleDesc
table_desc(const LadderTable *table, const Ladder *ladder)
{
	int			width = table_width(table, ladder->model);
	TupleDesc	desc = CreateTemplateTupleDesc(width);
	int			i;

	for (i = 0; i < width; i++)
		TupleDescInitEntry(desc, (AttrNumber) (i + 1),
						   column_name(table, ladder->model, i),
						   i < table->ncolumns ?
						   ladder_type_oid(ladder, table->column[i].type) :
						   table->state_arrays ? FLOAT8ARRAYOID : FLOAT8OID, -1, 0);
	return desc;
}

/*
 * ---- CREATE TABLE ----
 */

static void
append_state_definitions(StringInfo sql, const LadderTable *table,
						 const Model *model)
{
	int			i;

	for (i = table->ncolumns; i < table_width(table, model); i++)
		appendStringInfo(sql, ", %s double precision%s%s",
						 quote_identifier(column_name(table, model, i)),
						 table->state_arrays ? "[]" : "", table->state_constraint);
}

/* Where no state column is called rating, the displayed one is generated. */
static void
append_rating_definition(StringInfo sql, const Model *model,
						 const char *display)
{
	int			i;

	for (i = 0; i < model->nstate; i++)
		if (strcmp(model->state[i].name, "rating") == 0)
			return;
	appendStringInfo(sql,
					 ", rating double precision NOT NULL GENERATED ALWAYS AS (%s) STORED",
					 display);
}

/*
 * ladder_columns(relation, model, params, player_type, match_type, display): the column
 * definitions of one of a ladder's tables.
 */
SQL_FUNCTION(skillrating_ladder_columns)
{
	char	   *relation = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	char	   *display = text_to_cstring(PG_GETARG_TEXT_PP(5));
	IdType		player_type = {.type = PG_GETARG_OID(3)};
	IdType		match_type = {.type = PG_GETARG_OID(4)};
	Ladder		types = {.player_type = &player_type,.match_type = &match_type};

	/*
	 * Before the ladder exists: only the types of its identifiers are known,
	 * which is all that ladder_type_oid() reads.
	 */
	const LadderTable *table = ladder_table_named(relation);
	StringInfoData sql;
	int			i;

	if (table == NULL || table == &match_table)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation must be \"event\", \"rating\", \"component\" or \"component_event\", not \"%s\"",
						relation)));
	(void) get_model_params(&model, PG_GETARG_JSONB_P(2));
	initStringInfo(&sql);
	for (i = 0; i < table->ncolumns; i++)
	{
		const LadderColumn *column = &table->column[i];

		appendStringInfo(&sql, "%s%s %s", i > 0 ? ", " : "",
						 quote_identifier(column->name),
						 format_type_extended(ladder_type_oid(&types, column->type), -1,
											  FORMAT_TYPE_TYPEMOD_GIVEN |
											  FORMAT_TYPE_FORCE_QUALIFY));
		if (column->presence == COLUMN_KEY || column->presence == COLUMN_NOT_NULL)
			appendStringInfoString(&sql, " NOT NULL");
		if (column->default_value != NULL)
			appendStringInfo(&sql, " DEFAULT %s", column->default_value);

		/*
		 * States stand in the middle of a row that users read, and last in
		 * the rows that the library writes by column lists.
		 */
		if (i + 1 != table->state_place)
			continue;
		append_state_definitions(&sql, table, model);
		if (table == &rating_table)
			append_rating_definition(&sql, model, display);
	}
	PG_RETURN_TEXT_P(cstring_to_text_with_len(sql.data, sql.len));
}

/*
 * ---- Values ----
 */

RowValues
event_values(const Model *model, const BatchStep *step, const EventRow *row)
{
	const ComponentSpec *spec = row->component != NULL ? row->component->spec : NULL;
	RowValues	values = {
		.origin = {
			[ORIGIN_STEP] = step,
			[ORIGIN_ROW] = row,
			[ORIGIN_PLAYER] = row->player,
			[ORIGIN_COMPONENT] = row->component,
			[ORIGIN_SPEC] = spec,
		},
		.is_match = step->is_match,
		.state = {row->before, row->after},
		.nstate = spec != NULL ? spec->nstate : model->nstate
	};

	return values;
}

RowValues
rating_values(const Model *model, const BatchPlayer *player)
{
	RowValues	values = {
		.origin = {
			[ORIGIN_PLAYER] = player,
			[ORIGIN_RECORD] = &player->record,
		},
		.state = {player->state},
		.nstate = model->nstate
	};

	return values;
}

RowValues
component_values(const BatchComponent *component)
{
	RowValues	values = {
		.origin = {
			[ORIGIN_PLAYER] = component->player,
			[ORIGIN_RECORD] = &component->record,
			[ORIGIN_COMPONENT] = component,
			[ORIGIN_SPEC] = component->spec,
		},
		.state = {component->state},
		.nstate = component->spec->nstate
	};

	return values;
}

/* The field of a column; the column's type says what is there. */
static inline const void *
column_field(const LadderColumn *column, const RowValues *row)
{
	return (const char *) row->origin[column->origin] + column->offset;
}

static bool
column_is_null(const LadderColumn *column, const RowValues *row, const void *field)
{
	if (column->presence == COLUMN_OWNER)
		return row->origin[ORIGIN_PLAYER] == NULL;
	if (column->presence == COLUMN_OF_MATCH)
		return !row->is_match;
	if (column->presence != COLUMN_NULLABLE)
		return false;
	return column->type == VALUE_TEXT ? *(const char *const *) field == NULL :
		column->type == VALUE_TIME && TIMESTAMP_IS_NOBEGIN(*(const TimestampTz *) field);
}

static Datum
column_datum(const LadderColumn *column, const void *field)
{
	switch (column->type)
	{
		case VALUE_PLAYER:
		case VALUE_MATCH:
			return *(const Datum *) field;
		case VALUE_BOOL:
			return BoolGetDatum(*(const int64 *) field != 0);
		case VALUE_INT4:
			if (column->size == sizeof(int32))
				return Int32GetDatum(*(const int32 *) field);

			/* A count of 64 bits stops at the top. */
			return Int32GetDatum((int32) Min(*(const int64 *) field, PG_INT32_MAX));
		case VALUE_INT8:
			return Int64GetDatum(*(const int64 *) field);
		case VALUE_FLOAT8:
			return Float8GetDatum(*(const double *) field);
		case VALUE_TEXT:
			return CStringGetTextDatum(*(const char *const *) field);
		case VALUE_TIME:
			return TimestampTzGetDatum(*(const TimestampTz *) field);
		default:
			elog(ERROR, "column \"%s\" has unknown type %d", column->name,
				 (int) column->type);
	}
}

/* The place, from 0, of a number of a state in a row: states are the last columns. */
static inline int
state_place(const LadderTable *table, int suffix, int number)
{
	return table->ncolumns + number * table->nsuffixes + suffix;
}

void
table_form(const LadderTable *table, const RowValues *row, Datum *values,
		   bool *nulls)
{
	int			suffix;
	int			i;

	for (i = 0; i < table->ncolumns; i++)
	{
		const LadderColumn *column = &table->column[i];

		const void *field = column_field(column, row);

		nulls[i] = column_is_null(column, row, field);
		values[i] = nulls[i] ? (Datum) 0 : column_datum(column, field);
	}
	for (suffix = 0; suffix < table->nsuffixes; suffix++)
		for (i = 0; i < (table->state_arrays ? 1 : row->nstate); i++)
		{
			int			place = state_place(table, suffix, i);

			values[place] = table->state_arrays ?
				float8_array(row->state[suffix], row->nstate) :
				Float8GetDatum(row->state[suffix][i]);
			nulls[place] = false;
		}
}

/* The n numbers of a state in an array, or NULL if it is none. */
static const double *
state_in_array(Datum array, bool isnull, int n)
{
	ArrayType  *values;

	if (isnull)
		return NULL;

	/*
	 * An owner may have written anything into the column; a wrong size must
	 * not be copied over the end of the state.
	 */
	values = DatumGetArrayTypeP(array);
	return ARR_NDIM(values) == 1 && ARR_DIMS(values)[0] == n && !ARR_HASNULL(values) ?
		(const double *) ARR_DATA_PTR(values) : NULL;
}

/* Whether a stored value is that of a field, to the bit. */
static bool
column_same(const LadderColumn *column, const Ladder *ladder,
			const void *field, Datum stored)
{
	switch (column->type)
	{
		case VALUE_PLAYER:
			return id_equal(ladder->player_type, stored, *(const Datum *) field);
		case VALUE_MATCH:
			return id_equal(ladder->match_type, stored, *(const Datum *) field);
		case VALUE_TEXT:
			return same_text(stored, *(const char *const *) field);
		case VALUE_BOOL:
		case VALUE_INT4:
			return DatumGetInt32(stored) == DatumGetInt32(column_datum(column, field));
		default:
			return DatumGetInt64(stored) == DatumGetInt64(column_datum(column, field));
	}
}

/*
 * Read a state, of a suffix of its columns, which are the last of a row.  Returns the place of a column
 * without one, or -1; what is no array of so many numbers stays as it is.
 */
static int
read_state(const LadderTable *table, int suffix, int nstate, QueryRow row, double *state)
{
	int			missing = -1;
	int			i;

	if (table->state_arrays)
	{
		int			place = state_place(table, suffix, 0);
		const double *array = state_in_array(row.value[place], row.null[place], nstate);

		if (array == NULL)
			return place;
		memcpy(state, array, nstate * sizeof(double));
		return -1;
	}
	for (i = 0; i < nstate; i++)
	{
		int			place = state_place(table, suffix, i);

		if (row.null[place])
			missing = place;
		state[i] = row.null[place] ? 0 : DatumGetFloat8(row.value[place]);
	}
	return missing;
}

bool
table_same(const LadderTable *table, const Ladder *ladder, const RowValues *row, QueryRow stored)
{
	double		state[MODEL_MAX_STATE];
	int			i;

	for (i = 0; i < table->ncolumns; i++)
	{
		const LadderColumn *column = &table->column[i];
		const void *field;

		/* The reader has found the stored row by its key, which is the same. */
		if (column_is_of_key(column))
			continue;
		field = column_field(column, row);
		if (stored.null[i] != column_is_null(column, row, field))
			return false;
		if (!stored.null[i] && !column_same(column, ladder, field, stored.value[i]))
			return false;
	}

	/* As verify() promises, -0 and 0 differ, and a NaN equals itself. */
	for (i = 0; i < table->nsuffixes; i++)
		if (read_state(table, i, row->nstate, stored, state) >= 0 ||
			memcmp(state, row->state[i], row->nstate * sizeof(double)) != 0)
			return false;
	return true;
}

/*
 * ---- Reading ----
 */

/* Put a column, which has a default for null, into its field. */
static void
read_field(const LadderColumn *column, Datum value, bool isnull, void *field)
{
	if (column->type == VALUE_INT8)
		*(int64 *) field = isnull ? 0 : DatumGetInt64(value);
	else if (column->type == VALUE_BOOL)
		*(int64 *) field = !isnull && DatumGetBool(value);
	else if (column->type == VALUE_TIME)
		*(TimestampTz *) field = isnull ? DT_NOBEGIN : DatumGetTimestampTz(value);
	else
		elog(ERROR, "column \"%s\" has unknown type %d", column->name,
			 (int) column->type);
}

const char *
table_read(const LadderTable *table, const Model *model, int nstate, QueryRow row,
		   PlayerRecord *record, double *state)
{
	const char *missing = NULL;
	int			no_state;
	int			i;

	for (i = 0; i < table->ncolumns; i++)
	{
		const LadderColumn *column = &table->column[i];

		if (column->origin != ORIGIN_RECORD)
			continue;

		/*
		 * A row that its owner has spoilt is no reason to stop half-way: the
		 * caller raises the error, with the player in it.
		 */
		if (row.null[i] && column->presence == COLUMN_NOT_NULL)
			missing = column->name;
		read_field(column, row.value[i], row.null[i], (char *) record + column->offset);
	}
	no_state = read_state(table, 0, nstate, row, state);
	return no_state >= 0 ? column_name(table, model, no_state) : missing;
}
