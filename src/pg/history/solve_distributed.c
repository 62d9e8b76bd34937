/*
 * solve_distributed.c
 *		Matches solved where they lie: in the partitions of a table, which may be
 *		on other servers.
 *
 * Newton's method runs here, over the players; each product and each evaluation is
 * a query that has solve_pass() go through every partition, as PostgreSQL sees fit:
 * in parallel workers, or on the server that has it.
 */
#include "pg/history/solve_state.h"

#include "access/relation.h"
#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/partcache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "core/util/union_find.h"
#include "pg/history/solve_pass.h"
#include "pg/sql/arrays.h"
#include "pg/sql/huge.h"
#include "pg/sql/json.h"

SKILLRATING_FUNCTION(skillrating_solve_relation);

/* Parameters of a query of passes: for each partition these. */
enum
{
	PARAM_PLAN,
	PARAM_PLAYERS,
	PARAM_POINT,
	PARAM_DIRECTION,
	LEAF_PARAMS
};

#define MAX_LEAVES (PG_UINT16_MAX / LEAF_PARAMS)

/*
 * What of a source the solvers that can be distributed make use of, besides match,
 * player, team and rank.
 */
static const SourceColumn leaf_inputs[] = {
	SOURCE_WEIGHT, SOURCE_SCORE, SOURCE_WON, SOURCE_JOINED, SOURCE_LEFT,
	SOURCE_COMMANDING, SOURCE_SIDE, SOURCE_LOG_ODDS, SOURCE_GAIN,
	SOURCE_UNRATED_REASON, SOURCE_CONTEXT
};

/* The name of the argument in messages. */
#define COLUMNS "columns"

/* A partition, or all of a table that has none. */
typedef struct Leaf
{
	char	   *name;			/* as SQL text */
	int32		nplayers;
	int32	   *player;			/* their numbers in all */
	Datum		players;		/* an array of them */
	int32		ncontexts;
	Datum	   *context;		/* texts */
	int32	   *context_number;
	uint32		n;				/* unknowns of these, */
	uint32	   *unknown;		/* by their place among all */
	Datum		plan;			/* for draw: */
	double		draw;
} Leaf;

typedef struct Distributed
{
	LogitElsewhere elsewhere;	/* first */
	SolveState	state;
	Leaf	   *leaf;
	int			nleaves;
	char	   *arguments;		/* of both aggregates, as SQL text */
	bool		strict;			/* a mistake in a match is an error */
	SPIPlanPtr	pass;
	MemoryContext memory;		/* of all this */
	MemoryContext scratch;		/* of one query */
} Distributed;

/*
 * ---- The relation ----
 */

/*
 * The name of the column that stands for a column of a source: what columns say, or the
 * source's own; NULL if the relation has none.
 */
static char *
column_name(Relation relation, Jsonb *columns, const char *source)
{
	JsonReader	reader;
	char	   *name;
	bool		renamed;

	json_reader_begin(&reader, columns, COLUMNS, NULL);
	renamed = json_reader_find(&reader, source);
	name = renamed ? json_member_text(&reader, "a text") : pstrdup(source);
	if (get_attnum(RelationGetRelid(relation), name) > 0)
		return name;
	if (renamed)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						RelationGetRelationName(relation))));
	return NULL;
}

static char *
needed_column(Relation relation, Jsonb *columns, SourceColumn column)
{
	char	   *name = column_name(relation, columns, source_column_name(column));

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("relation \"%s\" has no column \"%s\"",
						RelationGetRelationName(relation), source_column_name(column)),
				 errhint("columns => '{\"%s\": ...}' says which one it is.",
						 source_column_name(column))));
	return name;
}

/* Errors for keys of columns that a distributed solver does not read. */
static void
check_columns(Jsonb *columns)
{
	static const SourceColumn always[] = {
		SOURCE_MATCH_ID, SOURCE_PLAYER_ID, SOURCE_TEAM, SOURCE_RANK
	};
	JsonReader	reader;

	json_reader_begin(&reader, columns, COLUMNS,
					  "For example '{\"match_id\": \"game\"}'.");
	while (json_reader_next(&reader))
	{
		StringInfoData valid;
		bool		known = false;
		int			n = (int) (lengthof(always) + lengthof(leaf_inputs));
		int			i;

		initStringInfo(&valid);
		for (i = 0; i < n; i++)
		{
			const char *name =
				source_column_name(i < (int) lengthof(always) ? always[i] :
								   leaf_inputs[i - lengthof(always)]);

			known = known || strcmp(reader.key, name) == 0;
			appendStringInfo(&valid, "%s\"%s\"", i == 0 ? "" : i < n - 1 ? ", " : " and ", name);
		}
		if (!known)
			json_invalid_key(&reader, valid.data);
		pfree(valid.data);
	}
}

/* Append an argument of inputs(), if the relation has the column. */
static bool
append_input(StringInfo text, Relation relation, Jsonb *columns,
			 const char *source, const char *type)
{
	char	   *name = column_name(relation, columns, source);
	const char *column;

	if (name == NULL)
		return false;
	column = quote_identifier(name);
	appendStringInfo(text, "%s%s => ", text->len > 0 ? ", " : "",
					 quote_identifier(source));
	if (strcmp(source, source_column_name(SOURCE_WON)) != 0)
		appendStringInfo(text, "CAST(%s AS %s)", column, type);
	else if (get_atttype(RelationGetRelid(relation),
						 get_attnum(RelationGetRelid(relation), name)) == BOOLOID)
		appendStringInfoString(text, column);
	else
		appendStringInfo(text, "%s OPERATOR(pg_catalog.>) 0", column);
	return true;
}

/*
 * The arguments of the aggregates, from the match to the inputs.  Texts are left out
 * where there are none, see number_inputs().
 */
static char *
match_arguments(Relation relation, Jsonb *columns)
{
	StringInfoData inputs;
	StringInfoData text;
	char	   *rank;
	bool		texts = false;
	int			i;

	initStringInfo(&inputs);
	for (i = 0; i < (int) lengthof(leaf_inputs); i++)
	{
		SourceColumn column = leaf_inputs[i];
		bool		present = append_input(&inputs, relation, columns,
										   source_column_name(column),
										   source_columns[column].type);

		texts = texts || (present && (column == SOURCE_UNRATED_REASON ||
									  column == SOURCE_CONTEXT));
	}
	initStringInfo(&text);
	appendStringInfo(&text, "%s, ",
					 quote_identifier(needed_column(relation, columns, SOURCE_MATCH_ID)));
	appendStringInfo(&text, "%s, ",
					 quote_identifier(needed_column(relation, columns, SOURCE_PLAYER_ID)));
	appendStringInfo(&text, "CAST(%s AS pg_catalog.int4), ",
					 quote_identifier(needed_column(relation, columns, SOURCE_TEAM)));
	rank = column_name(relation, columns, source_column_name(SOURCE_RANK));
	if (rank != NULL)
		appendStringInfo(&text, "CAST(%s AS pg_catalog.float8), ",
						 quote_identifier(rank));
	else
		appendStringInfoString(&text, "CAST(NULL AS pg_catalog.float8), ");
	if (inputs.len == 0)
		appendStringInfoString(&text, "CAST(NULL AS skillrating.inputs)");
	else
		appendStringInfo(&text, "%s(%s)",
						 texts ? "skillrating.inputs" : "skillrating_internal.number_inputs", inputs.data);
	return text.data;
}

/* Errors if partitions take the players of a match apart. */
static void
check_partition_key(Relation relation, Jsonb *columns)
{
	static const SourceColumn apart[] = {
		SOURCE_PLAYER_ID, SOURCE_TEAM, SOURCE_RANK
	};
	PartitionKey key = RelationGetPartitionKey(relation);
	int			i,
				j;

	for (i = 0; i < key->partnatts; i++)
		for (j = 0; j < (int) lengthof(apart); j++)
		{
			char	   *name = column_name(relation, columns,
										   source_column_name(apart[j]));

			if (name != NULL && key->partattrs[i] ==
				get_attnum(RelationGetRelid(relation), name))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("\"%s\" is partitioned by \"%s\", which takes matches apart",
								RelationGetRelationName(relation), name),
						 errhint("All rows of a match must be in one partition: partition by the match, or by its season, region or time.")));
		}
}

/* Find the partitions and what they are asked; the type of players. */
static Oid
find_leaves(Distributed *d, Oid relid, Jsonb *columns)
{
	Relation	relation = try_relation_open(relid, AccessShareLock);
	List	   *all;
	ListCell   *cell;
	Oid			player_type;

	/* A number can be cast to regclass. */
	if (relation == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relid)));
	switch (relation->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" is no table or view of matches",
							RelationGetRelationName(relation))));
	}
	check_columns(columns);
	d->arguments = match_arguments(relation, columns);
	player_type = get_atttype(relid, get_attnum(relid, needed_column(relation, columns,
																	 SOURCE_PLAYER_ID)));
	all = relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE ?
		find_all_inheritors(relid, AccessShareLock, NULL) : list_make1_oid(relid);
	d->leaf = palloc0_array(Leaf, list_length(all));
	foreach(cell, all)
	{
		Relation	leaf = table_open(lfirst_oid(cell), NoLock);

		if (leaf->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
			check_partition_key(leaf, columns);
		else
			d->leaf[d->nleaves++].name =
				quote_qualified_identifier(get_namespace_name(RelationGetNamespace(leaf)),
										   RelationGetRelationName(leaf));
		table_close(leaf, NoLock);
	}
	relation_close(relation, NoLock);
	if (d->nleaves > MAX_LEAVES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many partitions: %d", d->nleaves),
				 errdetail("There can be at most %d.", MAX_LEAVES)));
	return player_type;
}

/*
 * ---- Queries ----
 */

/*
 * An aggregate over each partition, with the number of the partition; parameters
 * from the first on come in front of the match and the others behind the inputs.
 */
static SPIPlanPtr
prepare(Distributed *d, const char *aggregate, int nparams, Oid *argtypes)
{
	StringInfoData text;
	SPIPlanPtr	plan;
	int			i,
				p;

	initStringInfo(&text);
	for (i = 0; i < d->nleaves; i++)
	{
		appendStringInfo(&text, "%sSELECT %d, skillrating_internal.%s($%d, %s",
						 i > 0 ? " UNION ALL " : "", i, aggregate,
						 i * nparams + 1, d->arguments);
		for (p = 1; p < nparams; p++)
			appendStringInfo(&text, ", $%d", i * nparams + p + 1);
		appendStringInfo(&text, ") FROM %s", d->leaf[i].name);
	}

	/* The same for all values, which are too long to be planned for. */
	plan = SPI_prepare_cursor(text.data, d->nleaves * nparams, argtypes,
							  CURSOR_OPT_GENERIC_PLAN | CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", text.data,
			 SPI_result_code_string(SPI_result));
	pfree(text.data);
	return plan;
}

/* Run such a query; rows by partition, some of which may be missing or null. */
static HeapTupleHeader *
run(Distributed *d, SPIPlanPtr plan, Datum *values, const char *nulls)
{
	HeapTupleHeader *rows = palloc0_array(HeapTupleHeader, d->nleaves);
	int			code = SPI_execute_plan(plan, values, nulls, true, 0);
	uint64		i;

	if (code != SPI_OK_SELECT)
		elog(ERROR, "could not run a pass: %s", SPI_result_code_string(code));
	for (i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		bool		isnull;
		int			leaf = DatumGetInt32(SPI_getbinval(tuple, SPI_tuptable->tupdesc,
													   1, &isnull));
		Datum		row = SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &isnull);

		if (!isnull)
			rows[leaf] = DatumGetHeapTupleHeader(row);
	}
	return rows;
}

/* The columns of a row, of which there must be so many. */
static void
deform(HeapTupleHeader header, int ncolumns, Datum *values, bool *nulls)
{
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											  HeapTupleHeaderGetTypMod(header));

	if (desc->natts != ncolumns)
		elog(ERROR, "unexpected number of columns: %d", desc->natts);
	row_columns(header, desc, values, nulls);
	ReleaseTupleDesc(desc);
}

/*
 * ---- Who there is ----
 */

/* What is solved in a partition, as a jsonb. */
static Datum
make_plan(const Distributed *d, const Leaf *leaf, double draw)
{
	const Solver *solver = d->state.task.solver;
	StringInfoData json;
	char	   *params = DatumGetCString(DirectFunctionCall1(jsonb_out,
															 params_jsonb(&solver->params, d->state.params)));
	int			i;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"%s\": \"%s\", \"%s\": %s, \"%s\": %s, \"%s\": %s, \"%s\": %s, \"%s\": [",
					 PLAN_SOLVER, solver->name, PLAN_PARAMS, params, PLAN_STRICT,
					 d->strict ? "true" : "false", PLAN_DRAW,
					 psprintf("%.17g", draw), PLAN_SIDES,
					 d->state.task.sides ? "true" : "false", PLAN_CONTEXTS);
	for (i = 0; i < leaf->ncontexts; i++)
	{
		if (i > 0)
			appendStringInfoChar(&json, ',');
		escape_json(&json, TextDatumGetCString(leaf->context[i]));
	}
	appendStringInfoString(&json, "]}");
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* The elements of an array of a survey. */
static Datum *
elements(Datum array, Oid type, int16 typlen, bool typbyval, char typalign, int *n)
{
	Datum	   *element;

	deconstruct_array(DatumGetArrayTypeP(array), type, typlen, typbyval, typalign,
					  &element, NULL, n);
	return element;
}

/* Take over who plays in a partition, having grown what is by player. */
static void
take_survey(Distributed *d, Leaf *leaf, HeapTupleHeader row, int32 *room)
{
	HistoryBuilder *builder = &d->state.builder;
	IdType	   *type = &builder->player_type;
	SolverLayout *layout = &d->state.task.layout;
	MemoryContext old = CurrentMemoryContext;
	Datum		values[SURVEY_NCOLUMNS];
	bool		nulls[SURVEY_NCOLUMNS];
	Datum	   *player;
	Datum	   *games;
	Datum	   *component;
	Datum	   *context;
	int			n;
	int			i;

	deform(row, SURVEY_NCOLUMNS, values, nulls);
	player = elements(values[SURVEY_PLAYERS], TEXTOID, -1, false, TYPALIGN_INT, &n);
	games = elements(values[SURVEY_GAMES], INT8OID, sizeof(int64), FLOAT8PASSBYVAL,
					 TYPALIGN_DOUBLE, &n);
	component = elements(values[SURVEY_COMPONENT], INT4OID, sizeof(int32), true,
						 TYPALIGN_INT, &n);
	context = elements(values[SURVEY_CONTEXTS], TEXTOID, -1, false, TYPALIGN_INT,
					   &leaf->ncontexts);
	d->state.matches_elsewhere += DatumGetInt64(values[SURVEY_MATCHES]);
	d->state.rows_elsewhere += DatumGetInt64(values[SURVEY_ROWS]);
	d->state.task.sides = d->state.task.sides || DatumGetBool(values[SURVEY_SIDES]);
	unrated_add_jsonb(&builder->unrated, DatumGetJsonbP(values[SURVEY_UNRATED]));

	leaf->nplayers = n;
	MemoryContextSwitchTo(d->memory);
	leaf->player = huge_array(int32, n);
	for (i = 0; i < n; i++)
	{
		char	   *name = TextDatumGetCString(player[i]);
		int32		before = builder->history.nplayers;

		leaf->player[i] =
			history_builder_player(builder,
								   InputFunctionCall(&type->input, name,
													 type->input_param, -1));
		pfree(name);
		solver_layout_reserve(layout, builder->history.nplayers, room);
		if (builder->history.nplayers > before)
			solver_count_begin(&d->state.task, before);
	}
	MemoryContextSwitchTo(old);
	for (i = 0; i < n; i++)
	{
		int32		a = leaf->player[i];
		int32		b = leaf->player[DatumGetInt32(component[i]) - 1];

		layout->games[a] += DatumGetInt64(games[i]);
		union_join(layout->component, a, b);
	}
	MemoryContextSwitchTo(d->memory);
	leaf->context = palloc_array(Datum, leaf->ncontexts + 1);
	leaf->context_number = palloc_array(int32, leaf->ncontexts + 1);
	for (i = 0; i < leaf->ncontexts; i++)
	{
		char	   *name = TextDatumGetCString(context[i]);

		leaf->context[i] = CStringGetTextDatum(name);
		leaf->context_number[i] = history_builder_context(builder, name);
	}
	MemoryContextSwitchTo(old);
}

/* The players of a partition as an array of their type. */
static Datum
leaf_players(Distributed *d, const Leaf *leaf)
{
	HistoryBuilder *builder = &d->state.builder;
	Datum	   *id = huge_array(Datum, leaf->nplayers);
	Datum		array;
	int32		i;

	for (i = 0; i < leaf->nplayers; i++)
		id[i] = builder->player_id[leaf->player[i]];
	array = id_array(&builder->player_type, id, leaf->nplayers);
	pfree(id);
	return array;
}

/* Ask all partitions who plays there; then they are known to the state. */
static void
survey(Distributed *d)
{
	SolveState *state = &d->state;
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	Oid		   *argtypes = palloc_array(Oid, d->nleaves);
	Datum	   *values = palloc_array(Datum, d->nleaves);
	HeapTupleHeader *rows;
	SPIPlanPtr	plan;
	int32		room = 0;
	int			i;

	for (i = 0; i < d->nleaves; i++)
	{
		argtypes[i] = JSONBOID;
		values[i] = make_plan(d, &d->leaf[i], 0);
	}
	plan = prepare(d, "solve_survey", 1, argtypes);
	rows = run(d, plan, values, NULL);
	state->task.history = &state->builder.history;
	for (i = 0; i < d->nleaves; i++)
		if (rows[i] != NULL)
			take_survey(d, &d->leaf[i], rows[i], &room);
	SPI_freeplan(plan);
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(d->memory);
	for (i = 0; i < d->nleaves; i++)
		d->leaf[i].players = leaf_players(d, &d->leaf[i]);
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}

/*
 * ---- Passes ----
 */

/* Which unknowns of all those of a partition are, as solve_pass() has them. */
static void
map_unknowns(Distributed *d, Leaf *leaf)
{
	const SolverLayout *layout = &d->state.task.layout;
	uint32		n = 0;
	int32		i;

	leaf->unknown =
		huge_array_in(d->memory, uint32,
					  3 * (Size) leaf->nplayers + leaf->ncontexts + 2);
	for (i = 0; i < leaf->nplayers; i++)
		leaf->unknown[n++] = layout->first_skill[leaf->player[i]];
	if (layout->noffsets > 0)
		for (i = 0; i < leaf->nplayers; i++)
			leaf->unknown[n++] = layout->offset + leaf->player[i];
	if (layout->ncommands > 0)
		for (i = 0; i < leaf->nplayers; i++)
			leaf->unknown[n++] = layout->command + leaf->player[i];
	if (layout->nsides > 0)
		leaf->unknown[n++] = layout->side;
	if (layout->ncontexts > 0)
		for (i = 0; i < leaf->ncontexts; i++)
			leaf->unknown[n++] = layout->context + leaf->context_number[i];
	leaf->n = n;
}

static Datum
gather(const Leaf *leaf, const double *x)
{
	ArrayType  *array = float8_array_make(leaf->n);
	float8	   *element = (float8 *) ARR_DATA_PTR(array);
	uint32		i;

	for (i = 0; i < leaf->n; i++)
		element[i] = x[leaf->unknown[i]];
	return PointerGetDatum(array);
}

static void
scatter(const Leaf *leaf, Datum vector, double *x)
{
	ArrayType  *array = DatumGetArrayTypeP(vector);
	const float8 *element = (const float8 *) ARR_DATA_PTR(array);
	uint32		i;

	if (array_size(array) != (int) leaf->n)
		elog(ERROR, "a pass over %s has %d numbers, not %u", leaf->name,
			 array_size(array), leaf->n);
	for (i = 0; i < leaf->n; i++)
		x[leaf->unknown[i]] += element[i];
}

static void
prepare_pass(Distributed *d)
{
	Oid			array_type = d->state.builder.player_type.array_type;
	Oid		   *argtypes = palloc_array(Oid, d->nleaves * LEAF_PARAMS);
	int			i;

	for (i = 0; i < d->nleaves; i++)
	{
		argtypes[i * LEAF_PARAMS + PARAM_PLAN] = JSONBOID;
		argtypes[i * LEAF_PARAMS + PARAM_PLAYERS] = array_type;
		argtypes[i * LEAF_PARAMS + PARAM_POINT] = FLOAT8ARRAYOID;
		argtypes[i * LEAF_PARAMS + PARAM_DIRECTION] = FLOAT8ARRAYOID;
		map_unknowns(d, &d->leaf[i]);
	}
	d->pass = prepare(d, "solve_pass", LEAF_PARAMS, argtypes);
	pfree(argtypes);
}

/* A pass at x, of the matrix times v if that is not NULL. */
static HeapTupleHeader *
pass(Distributed *d, const double *x, const double *v, double draw)
{
	int			n = d->nleaves * LEAF_PARAMS;
	Datum	   *values;
	char	   *nulls;
	int			i;

	if (d->pass == NULL)
		prepare_pass(d);
	values = palloc0_array(Datum, n);
	nulls = palloc_array(char, n);
	memset(nulls, ' ', n);
	for (i = 0; i < d->nleaves; i++)
	{
		Leaf	   *leaf = &d->leaf[i];
		Datum	   *value = &values[i * LEAF_PARAMS];

		if (leaf->plan == (Datum) 0 || leaf->draw != draw)
		{
			MemoryContext old = MemoryContextSwitchTo(d->memory);

			leaf->draw = draw;
			leaf->plan = make_plan(d, leaf, draw);
			MemoryContextSwitchTo(old);
		}
		value[PARAM_PLAN] = leaf->plan;
		value[PARAM_PLAYERS] = leaf->players;
		value[PARAM_POINT] = gather(leaf, x);
		if (v != NULL)
			value[PARAM_DIRECTION] = gather(leaf, v);
		else
			nulls[i * LEAF_PARAMS + PARAM_DIRECTION] = 'n';
	}
	return run(d, d->pass, values, nulls);
}

/*
 * Add what a pass finds to the vectors: the gradient and, unless that is NULL, the
 * diagonal; or with v, which is not NULL then, the product in place of the gradient.
 */
static void
add_pass(Distributed *d, const double *x, const double *v, double draw,
		 LogitSums *sums, double *gradient, double *diagonal)
{
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	HeapTupleHeader *rows = pass(d, x, v, draw);
	int			i;

	for (i = 0; i < d->nleaves; i++)
	{
		Datum		values[PASS_NCOLUMNS];
		bool		nulls[PASS_NCOLUMNS];

		if (rows[i] == NULL)
			continue;
		deform(rows[i], PASS_NCOLUMNS, values, nulls);
		if (v != NULL)
		{
			scatter(&d->leaf[i], values[PASS_PRODUCT], gradient);
			continue;
		}
		sums->objective += DatumGetFloat8(values[PASS_OBJECTIVE]);
		sums->draws += DatumGetFloat8(values[PASS_DRAWS]);
		sums->draws_slope += DatumGetFloat8(values[PASS_DRAWS_SLOPE]);
		scatter(&d->leaf[i], values[PASS_GRADIENT], gradient);
		if (diagonal != NULL)
			scatter(&d->leaf[i], values[PASS_CURVATURE], diagonal);
	}
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}

static void
evaluate(LogitElsewhere *elsewhere, const double *x, double draw,
		 LogitSums *sums, double *gradient, double *diagonal)
{
	add_pass((Distributed *) elsewhere, x, NULL, draw, sums, gradient, diagonal);
}

static void
multiply(LogitElsewhere *elsewhere, const double *x, const double *v,
		 double draw, double *product)
{
	add_pass((Distributed *) elsewhere, x, v, draw, NULL, product, NULL);
}

/* The arguments of solve_relation(). */
enum
{
	ARG_RELATION,
	ARG_SOLVER,
	ARG_PARAMS,
	ARG_COLUMNS,
	ARG_START,
	ARG_START_CONTEXTS,
	ARG_STRICT
};

Datum
skillrating_solve_relation(PG_FUNCTION_ARGS)
{
	Distributed *d = palloc0_object(Distributed);
	Oid			player_type;
	int			i;

	for (i = ARG_RELATION; i < ARG_START; i++)
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("relation, solver, params and columns must not be null")));
	if (PG_ARGISNULL(ARG_STRICT))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("strict must not be null")));
	d->strict = PG_GETARG_BOOL(ARG_STRICT);
	d->elsewhere = (LogitElsewhere)
	{
		evaluate, multiply
	};
	d->memory = CurrentMemoryContext;
	d->scratch = AllocSetContextCreate(CurrentMemoryContext, "skillrating pass",
									   ALLOCSET_DEFAULT_SIZES);
	solve_state_init(&d->state, text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOLVER)),
					 PG_GETARG_JSONB_P(ARG_PARAMS));
	check_can_pass(d->state.task.solver);
	if (!PG_ARGISNULL(ARG_START))
		d->state.start = PG_GETARG_DATUM(ARG_START);
	if (!PG_ARGISNULL(ARG_START_CONTEXTS))
		d->state.start_contexts = PG_GETARG_DATUM(ARG_START_CONTEXTS);
	player_type = find_leaves(d, PG_GETARG_OID(ARG_RELATION),
							  PG_GETARG_JSONB_P(ARG_COLUMNS));
	history_builder_init(&d->state.builder, player_type, false);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(d->memory);
	survey(d);
	d->state.elsewhere = &d->elsewhere;
	solve_state_run(&d->state);
	SPI_finish();
	return return_solution(fcinfo, &d->state);
}
