/*
 * solve_leaves.c
 *		The partitions that solve_distributed() goes through: queries over them, and what
 *		reading them finds.
 *
 * A query has parameters for each partition, and a generic plan where a partition is a
 * foreign table, so that the other server gets their values and makes use of them.
 */
#include "pg/history/solve_leaves.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/util/union_find.h"
#include "pg/history/solve_pass.h"
#include "pg/sql/huge.h"

/*
 * ---- Queries ----
 */

void
leaves_find(Distributed *d, Oid relid, Jsonb *columns, const char *token)
{
	int			i;

	match_relation_find(&d->matches, relid, columns);
	memcpy(d->token, token, KEPT_TOKEN_SIZE);
	d->nleaves = d->matches.npartitions;
	d->leaf = palloc0_array(Leaf, d->nleaves);
	for (i = 0; i < d->nleaves; i++)
	{
		Leaf	   *leaf = &d->leaf[i];

		leaf->partition = &d->matches.partition[i];
		kept_key_make(token, leaf->partition->oid, leaf->key);
	}

	/*
	 * What is found of partitions lives as long as the solution; a pass over
	 * them has a context that is reset after each.
	 */
	d->memory = CurrentMemoryContext;
	d->scratch = AllocSetContextCreate(CurrentMemoryContext, "skillrating pass",
									   ALLOCSET_DEFAULT_SIZES);
}

void
leaves_make_params(const Distributed *d, Oid request_type, bool if_not_kept,
				   Oid *argtypes, Datum *values)
{
	int			i;

	argtypes[PARAM_IF_NOT_KEPT] = BOOLOID;
	values[PARAM_IF_NOT_KEPT] = BoolGetDatum(if_not_kept);
	for (i = 0; i < d->nleaves; i++)
	{
		int			first = PARAM_FIRST + i * LEAF_PARAMS;

		argtypes[first + LEAF_KEY] = BYTEAOID;
		values[first + LEAF_KEY] =
			PointerGetDatum(cstring_to_text_with_len(d->leaf[i].key, KEPT_KEY_SIZE));
		argtypes[first + LEAF_REQUEST] = request_type;
		values[first + LEAF_REQUEST] = (Datum) 0;
	}
}

int
leaves_nparams(const Distributed *d)
{
	return PARAM_FIRST + d->nleaves * LEAF_PARAMS;
}

SPIPlanPtr
leaves_prepare(const Distributed *d, const char *query, Oid *argtypes, int options)
{
	SPIPlanPtr	plan = SPI_prepare_cursor(query, leaves_nparams(d), argtypes, options);

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", query,
			 SPI_result_code_string(SPI_result));
	return plan;
}

Datum *
leaves_run(const Distributed *d, SPIPlanPtr plan, Datum *values)
{
	Datum	   *answers = palloc0_array(Datum, d->nleaves);

	/*
	 * Answers are in SPI's memory, and last until the caller frees
	 * SPI_tuptable.
	 */
	char	   *nulls = palloc_array(char, leaves_nparams(d));
	int			code;
	uint64		i;

	/* The request of a partition that is not in the query is 0. */
	for (i = 0; i < (uint64) leaves_nparams(d); i++)
		nulls[i] = i >= PARAM_FIRST && values[i] == (Datum) 0 ? 'n' : ' ';
	code = SPI_execute_plan(plan, values, nulls, true, 0);
	if (code != SPI_OK_SELECT)
		elog(ERROR, "could not run a pass: %s", SPI_result_code_string(code));
	for (i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		bool		isnull;
		int			leaf = DatumGetInt32(SPI_getbinval(tuple, SPI_tuptable->tupdesc,
													   1, &isnull));
		Datum		answer = SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &isnull);

		if (!isnull)
			answers[leaf] = answer;
	}
	return answers;
}

void
survey_deform(Datum survey, Datum *values, bool *nulls, HeapTupleHeader *packless)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(survey);
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											  HeapTupleHeaderGetTypMod(header));

	if (desc->natts != SURVEY_NCOLUMNS)
		elog(ERROR, "unexpected number of columns: %d", desc->natts);
	row_columns(header, desc, values, nulls);
	if (packless != NULL)
	{
		bool		packed = nulls[SURVEY_PACKED];

		nulls[SURVEY_PACKED] = true;
		*packless = DatumGetHeapTupleHeader(HeapTupleGetDatum(heap_form_tuple(desc, values,
																			  nulls)));
		nulls[SURVEY_PACKED] = packed;
	}
	ReleaseTupleDesc(desc);
}

/*
 * ---- Who there is ----
 */

/* Bytes as text. */
static char *
hex_text(const char *bytes, Size size)
{
	char	   *hex = palloc(2 * size + 1);

	(void) hex_encode(bytes, size, hex);
	hex[2 * size] = '\0';
	return hex;
}

Datum
leaves_make_plan(const Distributed *d, const char *key, Size key_size)
{
	const Solver *solver = d->state.task.solver;
	char	   *params = DatumGetCString(DirectFunctionCall1(jsonb_out,
															 params_jsonb(&solver->params, d->state.params)));

	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(psprintf("{\"%s\": \"%s\", \"%s\": %s, \"%s\": %s, \"%s\": \"%s\", \"%s\": \"%s\", \"%s\": %s}",
														PLAN_SOLVER, solver->name,
														PLAN_PARAMS, params,
														PLAN_STRICT, d->strict ? "true" : "false",
														PLAN_KEEP, hex_text(key, key_size),
														PLAN_HOME, hex_text(kept_rows_process(), KEPT_TOKEN_SIZE),
														PLAN_LASTING, d->lasting ? "true" : "false")));
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
take_players(Distributed *d, Leaf *leaf, const Datum *values, int32 *room)
{
	HistoryBuilder *builder = &d->state.builder;
	IdType	   *type = &builder->player_type;
	SolverLayout *layout = &d->state.task.layout;
	MemoryContext old = CurrentMemoryContext;
	int			ncomponents;
	int			ngames;
	int			n;
	Datum	   *player = elements(values[SURVEY_PLAYERS], TEXTOID, -1, false,
								  TYPALIGN_INT, &n);
	Datum	   *games = elements(values[SURVEY_GAMES], INT8OID, sizeof(int64),
								 FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &ngames);
	Datum	   *component = elements(values[SURVEY_COMPONENT], INT4OID, sizeof(int32),
									 true, TYPALIGN_INT, &ncomponents);
	int			i;

	/* What comes from another server is looked at before it is used. */
	if (ngames != n || ncomponents != n)
		elog(ERROR, "survey of %s is not sound", leaf->partition->name);
	leaf->nplayers = n;
	MemoryContextSwitchTo(d->memory);
	leaf->player = huge_array(int32, n);
	for (i = 0; i < n; i++)
	{
		char	   *name = TextDatumGetCString(player[i]);
		int32		before = builder->history.nplayers;

		leaf->player[i] =
			history_builder_player(builder, id_from_text(type, name, "player_id"));
		pfree(name);
		solver_layout_reserve(layout, builder->history.nplayers, room);
		if (builder->history.nplayers > before)
			solver_count_players(&d->state.task, before);
	}
	MemoryContextSwitchTo(old);
	for (i = 0; i < n; i++)
	{
		int32		a = leaf->player[i];
		int32		representative = DatumGetInt32(component[i]);

		/* The number of a player within the survey, from 1. */
		if (representative < 1 || representative > n)
			elog(ERROR, "survey of %s is not sound", leaf->partition->name);
		layout->games[a] += DatumGetInt64(games[i]);
		union_join(layout->component, a, leaf->player[representative - 1]);
	}
}

/* The same of contexts. */
static void
take_contexts(Distributed *d, Leaf *leaf, const Datum *values)
{
	Datum	   *context = elements(values[SURVEY_CONTEXTS], TEXTOID, -1, false,
								   TYPALIGN_INT, &leaf->ncontexts);
	MemoryContext old = MemoryContextSwitchTo(d->memory);
	int			i;

	leaf->context_number = palloc_array(int32, leaf->ncontexts + 1);
	for (i = 0; i < leaf->ncontexts; i++)
		leaf->context_number[i] =
			history_builder_context(&d->state.builder, TextDatumGetCString(context[i]));
	MemoryContextSwitchTo(old);
}

bool
leaf_take_survey(Distributed *d, Leaf *leaf, Datum survey, int32 *room)
{
	HeapTupleHeader packless = NULL;
	Datum		values[SURVEY_NCOLUMNS];
	bool		nulls[SURVEY_NCOLUMNS];
	int			i;

	survey_deform(survey, values, nulls, d->lasting && !leaf->partition->foreign ? &packless : NULL);
	for (i = 0; i < SURVEY_PACKED; i++)
		if (nulls[i])
			elog(ERROR, "survey of %s is not sound", leaf->partition->name);
	if (!leaf->partition->foreign && kept_rows_find(leaf->key) == NULL &&
		nulls[SURVEY_PACKED])
		return false;
	d->state.matches_elsewhere += DatumGetInt64(values[SURVEY_MATCHES]);
	d->state.rows_elsewhere += DatumGetInt64(values[SURVEY_ROWS]);
	d->state.task.sides = d->state.task.sides || DatumGetBool(values[SURVEY_SIDES]);
	unrated_add_jsonb(&d->state.builder.unrated, DatumGetJsonbP(values[SURVEY_UNRATED]));
	take_players(d, leaf, values, room);
	take_contexts(d, leaf, values);
	if (!leaf->partition->foreign && !nulls[SURVEY_PACKED])
	{
		KeptRows   *kept = kept_rows_begin(leaf->key, d->lasting);

		/* A parallel worker has read the rows, and handed them over packed. */
		kept_rows_unpack(kept, DatumGetByteaPP(values[SURVEY_PACKED]));
		kept_rows_end(kept, d->state.task.solver, d->state.params, leaf->nplayers,
					  leaf->ncontexts,
					  packless != NULL ? PointerGetDatum(packless) : (Datum) 0);
	}
	return true;
}

/*
 * The query that reads some partitions, of which there is at least one.  A view may be one of a
 * foreign table: solve_near() has its rows fetched and surveyed here, because what is kept here is
 * believed.
 */
static char *
survey_query(const Distributed *d, const bool *asked)
{
	StringInfoData text;
	int			i;

	initStringInfo(&text);
	for (i = 0; i < d->nleaves; i++)
	{
		const MatchPartition *partition = d->leaf[i].partition;
		int			first = PARAM_FIRST + i * LEAF_PARAMS + 1;

		if (!asked[i])
			continue;
		appendStringInfo(&text, "%sSELECT %d, ", text.len > 0 ? " UNION ALL " : "", i);
		if (partition->foreign)
			appendStringInfo(&text, "skillrating_internal.solve_kept($%d, skillrating_internal.solve_survey($%d, %s))",
							 first + LEAF_KEY, first + LEAF_REQUEST, d->matches.arguments);
		else
			appendStringInfo(&text, "skillrating_internal.solve_survey(skillrating_internal.solve_near($%d), %s)",
							 first + LEAF_REQUEST, d->matches.arguments);
		appendStringInfo(&text, " FROM %s", partition->name);
		if (partition->foreign)
			appendStringInfo(&text, " WHERE skillrating_internal.solve_reads($%d, $%d, %s)",
							 first + LEAF_KEY, PARAM_IF_NOT_KEPT + 1, d->matches.team);
	}
	return text.data;
}

/*
 * Read some partitions.  Where all are here the planner knows the plans, which an
 * extension that distributes tables may want of queries.
 */
static Datum *
read_leaves(Distributed *d, const bool *asked, int options)
{
	Oid		   *argtypes = palloc_array(Oid, leaves_nparams(d));
	Datum	   *values = palloc_array(Datum, leaves_nparams(d));
	SPIPlanPtr	plan;
	Datum	   *surveys;
	bool		foreign = false;
	int			i;

	leaves_make_params(d, JSONBOID, true, argtypes, values);
	for (i = 0; i < d->nleaves; i++)
		if (asked[i])
		{
			foreign = foreign || d->leaf[i].partition->foreign;
			values[PARAM_FIRST + i * LEAF_PARAMS + LEAF_REQUEST] =
				leaves_make_plan(d, d->leaf[i].key, KEPT_KEY_SIZE);
		}
	plan = leaves_prepare(d, survey_query(d, asked), argtypes, options |
						  (foreign ? CURSOR_OPT_GENERIC_PLAN : CURSOR_OPT_CUSTOM_PLAN));
	surveys = leaves_run(d, plan, values);
	SPI_freeplan(plan);
	return surveys;
}

/* Read a partition here, whose rows no worker could hand over. */
static void
read_here(Distributed *d, int number, int32 *room)
{
	bool	   *asked = palloc0_array(bool, d->nleaves);
	SPITupleTable *before = SPI_tuptable;
	Datum	   *surveys;

	asked[number] = true;
	surveys = read_leaves(d, asked, 0);
	if (surveys[number] == (Datum) 0 ||
		!leaf_take_survey(d, &d->leaf[number], surveys[number], room))
		elog(ERROR, "rows of %s were not kept", d->leaf[number].partition->name);
	SPI_freetuptable(SPI_tuptable);
	SPI_tuptable = before;
	pfree(asked);
}

void
leaves_survey(Distributed *d)
{
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	bool	   *asked = palloc0_array(bool, d->nleaves);
	Datum	   *surveys = NULL;
	int			nasked = 0;
	int32		room = 0;
	int			i;

	/* What this process keeps of an earlier transaction needs no query. */
	for (i = 0; i < d->nleaves; i++)
		if (kept_rows_find(d->leaf[i].key) == NULL)
		{
			asked[i] = true;
			nasked++;
		}
	if (nasked > 0)
		surveys = read_leaves(d, asked, CURSOR_OPT_PARALLEL_OK);
	d->state.task.history = &d->state.builder.history;
	for (i = 0; i < d->nleaves; i++)
	{
		Datum		found = asked[i] ? surveys[i] :
			kept_rows_survey(kept_rows_find(d->leaf[i].key));

		if (found != (Datum) 0 && !leaf_take_survey(d, &d->leaf[i], found, &room))
			read_here(d, i, &room);
	}
	if (nasked > 0)
		SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}
