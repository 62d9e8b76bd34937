/*
 * solve_distributed.c
 *		Matches solved where they lie: in the partitions of a table, which may be
 *		on other servers.
 *
 * Newton's method runs here, over the players.  Each partition is read once, by a query
 * over all of them, which PostgreSQL runs in parallel workers or on the server that has
 * the partition.  Whoever reads it makes rows of the solver and keeps them: this
 * process, which also takes over what parallel workers have read, or the other server's
 * (kept_rows.h).  Each product and each evaluation is then a pass over kept rows: here
 * a call, on other servers one query for all of them, which reads no table.
 */
#include "pg/history/solve_state.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "core/util/union_find.h"
#include "pg/history/kept_rows.h"
#include "pg/history/match_relation.h"
#include "pg/history/solve_pass.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_solve_relation);
SKILLRATING_FUNCTION(skillrating_solve_release);
SKILLRATING_FUNCTION(skillrating_solve_hold);
SKILLRATING_FUNCTION(skillrating_solve_token);

/*
 * Parameters of queries: whether to read what is not kept, and for each partition its
 * key and what it is asked, a plan or a request.
 */
enum
{
	PARAM_IF_NOT_KEPT,
	PARAM_FIRST
};

enum
{
	LEAF_KEY,
	LEAF_REQUEST,
	LEAF_PARAMS
};

/* The name of the argument in messages. */
#define COLUMNS "columns"

/* No unknown of all those of the solve: one that only the partition has. */
#define NO_UNKNOWN PG_UINT32_MAX

/* A partition. */
typedef struct Leaf
{
	const MatchPartition *partition;
	char		key[KEPT_KEY_SIZE];
	int32		nplayers;
	int32	   *player;			/* their numbers in all */
	int32		ncontexts;
	int32	   *context_number;
	uint32		n;				/* unknowns; 0: nothing was read */
	uint32	   *unknown;		/* by their place among all, or NO_UNKNOWN */
} Leaf;

typedef struct Distributed
{
	LogitElsewhere elsewhere;	/* first */
	SolveState	state;
	MatchRelation matches;
	Leaf	   *leaf;
	int			nleaves;
	bool		strict;			/* a mistake in a match is an error */
	bool		lasting;		/* rows are kept beyond the transaction */
	bool		mapped;			/* the unknowns of partitions are known */
	bool		remote;			/* other servers keep some */
	SPIPlanPtr	pass;			/* for these */
	MemoryContext memory;		/* of all this */
	MemoryContext scratch;		/* of one query */
} Distributed;

/*
 * ---- Queries ----
 */

/* Begin, with the key of each partition: the token of the solve, and its OID. */
static void
find_leaves(Distributed *d, Oid relid, Jsonb *columns, const char *token)
{
	int			i;

	match_relation_find(&d->matches, relid, columns);
	d->nleaves = d->matches.npartitions;
	d->leaf = palloc0_array(Leaf, d->nleaves);
	for (i = 0; i < d->nleaves; i++)
	{
		Leaf	   *leaf = &d->leaf[i];

		leaf->partition = &d->matches.partition[i];
		memcpy(leaf->key, token, KEPT_TOKEN_SIZE);
		(void) pass_put_uint32(leaf->key + KEPT_TOKEN_SIZE, leaf->partition->oid);
	}
	d->memory = CurrentMemoryContext;
	d->scratch = AllocSetContextCreate(CurrentMemoryContext, "skillrating pass",
									   ALLOCSET_DEFAULT_SIZES);
}

/* Parameters for all partitions, without requests, which are of a type. */
static void
make_params(const Distributed *d, Oid request_type, bool if_not_kept, Oid *argtypes,
			Datum *values)
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

static int
nparams(const Distributed *d)
{
	return PARAM_FIRST + d->nleaves * LEAF_PARAMS;
}

/* Prepare a query; the same for all values, which no planner may know. */
static SPIPlanPtr
prepare(const Distributed *d, const char *query, Oid *argtypes, int options)
{
	SPIPlanPtr	plan = SPI_prepare_cursor(query, nparams(d), argtypes,
										  CURSOR_OPT_GENERIC_PLAN | options);

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\": %s", query,
			 SPI_result_code_string(SPI_result));
	return plan;
}

/*
 * Run a query of rows (number of a partition, answer); answers by partition, 0 for one that
 * is missing or null.  They are in SPI_tuptable.
 */
static Datum *
run(const Distributed *d, SPIPlanPtr plan, Datum *values)
{
	Datum	   *answers = palloc0_array(Datum, d->nleaves);
	char	   *nulls = palloc_array(char, nparams(d));
	int			code;
	uint64		i;

	/* The request of a partition that is not in the query is 0. */
	for (i = 0; i < (uint64) nparams(d); i++)
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

/* The columns of a survey. */
static void
deform(Datum survey, Datum *values, bool *nulls, HeapTupleHeader *packless)
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

/* What is solved in a partition, and under which key its rows are kept, as a jsonb. */
static Datum
make_plan(const Distributed *d, const Leaf *leaf)
{
	const Solver *solver = d->state.task.solver;
	char		hex[2 * KEPT_KEY_SIZE + 1];
	char	   *params = DatumGetCString(DirectFunctionCall1(jsonb_out,
															 params_jsonb(&solver->params, d->state.params)));

	(void) hex_encode(leaf->key, KEPT_KEY_SIZE, hex);
	hex[2 * KEPT_KEY_SIZE] = '\0';
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(psprintf("{\"%s\": \"%s\", \"%s\": %s, \"%s\": %s, \"%s\": \"%s\", \"%s\": %s}",
														PLAN_SOLVER, solver->name,
														PLAN_PARAMS, params,
														PLAN_STRICT, d->strict ? "true" : "false",
														PLAN_KEEP, hex,
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
		int32		representative = DatumGetInt32(component[i]);

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

/*
 * Take over what was read in a partition.  Rows that a parallel worker has packed become
 * this process's own; those of a foreign table never are any, whatever its server says.
 * False if they have to be read again, because they are too many to be packed.
 */
static bool
take_survey(Distributed *d, Leaf *leaf, Datum survey, int32 *room)
{
	HeapTupleHeader packless = NULL;
	Datum		values[SURVEY_NCOLUMNS];
	bool		nulls[SURVEY_NCOLUMNS];
	int			i;

	deform(survey, values, nulls, d->lasting && !leaf->partition->foreign ? &packless : NULL);
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

		kept_rows_unpack(kept, DatumGetByteaPP(values[SURVEY_PACKED]));
		kept_rows_end(kept, d->state.task.solver, d->state.params, leaf->nplayers,
					  leaf->ncontexts,
					  packless != NULL ? PointerGetDatum(packless) : (Datum) 0);
	}
	return true;
}

/* The query that reads some partitions, of which there is at least one. */
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
			appendStringInfo(&text, "skillrating_internal.solve_kept($%d, ",
							 first + LEAF_KEY);
		appendStringInfo(&text, "skillrating_internal.solve_survey($%d, %s)",
						 first + LEAF_REQUEST, d->matches.arguments);
		appendStringInfo(&text, "%s FROM %s", partition->foreign ? ")" : "",
						 partition->name);
		if (partition->foreign)
			appendStringInfo(&text, " WHERE skillrating_internal.solve_reads($%d, $%d, %s)",
							 first + LEAF_KEY, PARAM_IF_NOT_KEPT + 1, d->matches.team);
	}
	return text.data;
}

/* Read some partitions. */
static Datum *
read_leaves(Distributed *d, const bool *asked, int options)
{
	Oid		   *argtypes = palloc_array(Oid, nparams(d));
	Datum	   *values = palloc_array(Datum, nparams(d));
	SPIPlanPtr	plan;
	Datum	   *surveys;
	int			i;

	make_params(d, JSONBOID, true, argtypes, values);
	for (i = 0; i < d->nleaves; i++)
		if (asked[i])
			values[PARAM_FIRST + i * LEAF_PARAMS + LEAF_REQUEST] =
				make_plan(d, &d->leaf[i]);
	plan = prepare(d, survey_query(d, asked), argtypes, options);
	surveys = run(d, plan, values);
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
		!take_survey(d, &d->leaf[number], surveys[number], room))
		elog(ERROR, "rows of %s were not kept", d->leaf[number].partition->name);
	SPI_freetuptable(SPI_tuptable);
	SPI_tuptable = before;
	pfree(asked);
}

/* Ask all partitions who plays there; then they are known to the state. */
static void
survey(Distributed *d)
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

		if (found != (Datum) 0 && !take_survey(d, &d->leaf[i], found, &room))
			read_here(d, i, &room);
	}
	if (nasked > 0)
		SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}

/*
 * ---- Passes ----
 */

/*
 * Which unknowns of all those of a partition are, in the order of
 * solver_lay_out_part().
 */
static void
map_unknowns(Distributed *d, Leaf *leaf)
{
	const SolverLayout *layout = &d->state.task.layout;
	SolverLayout part;
	uint32		n = 0;
	int32		i;

	if (leaf->nplayers == 0)
		return;
	solver_lay_out_part(d->state.task.solver, d->state.params, leaf->nplayers,
						leaf->ncontexts, &part);
	if (part.n > PASS_MAX_UNKNOWNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many unknowns in %s: %u", leaf->partition->name, part.n),
				 errdetail("A partition can have at most %zu.", PASS_MAX_UNKNOWNS)));
	leaf->unknown = huge_array_in(d->memory, uint32, part.n);
	for (i = 0; i < leaf->nplayers; i++)
		leaf->unknown[n++] = layout->first_skill[leaf->player[i]];
	for (i = 0; i < (int32) part.noffsets; i++)
		leaf->unknown[n++] = layout->offset + leaf->player[i];
	for (i = 0; i < (int32) part.ncommands; i++)
		leaf->unknown[n++] = layout->command + leaf->player[i];
	if (part.nsides > 0)
		leaf->unknown[n++] = layout->nsides > 0 ? layout->side : NO_UNKNOWN;
	for (i = 0; i < (int32) part.ncontexts; i++)
		leaf->unknown[n++] = layout->context + leaf->context_number[i];
	leaf->n = n;
	pfree(leaf->player);
	leaf->player = NULL;
	d->remote = d->remote || kept_rows_find(leaf->key) == NULL;
}

/* The unknown of a partition among all of x; 0 where it is none. */
static inline double
unknown_of(const Leaf *leaf, uint32 i, const double *x)
{
	return leaf->unknown[i] == NO_UNKNOWN ? 0 : x[leaf->unknown[i]];
}

/* Add the vector of a partition to one of all. */
static void
scatter(const Leaf *leaf, const double *vector, double *x)
{
	uint32		i;

	for (i = 0; i < leaf->n; i++)
		if (leaf->unknown[i] != NO_UNKNOWN)
			x[leaf->unknown[i]] += vector[i];
}

/* A pass that is to be made: x at a point, or the vector of a product. */
typedef struct Pass
{
	PassKind	kind;
	double		draw;
	const double *x;
	LogitSums  *sums;			/* not of a product */
	double	   *gradient;		/* or product */
	double	   *diagonal;		/* of PASS_DERIVATIVES */
} Pass;

/* Make a pass over the rows that this process keeps of a partition. */
static void
pass_here(const Leaf *leaf, KeptRows *kept, const Pass *pass)
{
	double	   *x = huge_array(double, leaf->n);
	double	   *gradient = huge_array0(double, leaf->n);
	double	   *diagonal = pass->diagonal == NULL ? NULL : huge_array0(double, leaf->n);
	uint32		i;

	for (i = 0; i < leaf->n; i++)
		x[i] = unknown_of(leaf, i, pass->x);
	if (pass->kind == PASS_PRODUCT)
		kept_rows_multiply(kept, x, gradient);
	else
		kept_rows_evaluate(kept, pass->draw, x, pass->sums, gradient, diagonal);
	scatter(leaf, gradient, pass->gradient);
	pfree(gradient);
	if (diagonal != NULL)
	{
		scatter(leaf, diagonal, pass->diagonal);
		pfree(diagonal);
	}
	pfree(x);
}

/* The request of a pass for a partition. */
static Datum
make_request(const Leaf *leaf, const Pass *pass)
{
	uint32		n = is_pass(pass->kind) ? leaf->n : 0;
	Size		size = VARHDRSZ + PASS_REQUEST_SIZE + sizeof(double) * (Size) n;
	bytea	   *request = (bytea *) huge_array(char, size);
	char	   *to = VARDATA(request);
	uint32		i;

	SET_VARSIZE(request, size);
	to = pass_put_uint32(to, pass->kind);
	to = pass_put_uint32(to, n);
	to = pass_put_double(to, pass->draw);
	for (i = 0; i < n; i++)
		to = pass_put_double(to, unknown_of(leaf, i, pass->x));
	return PointerGetDatum(request);
}

/* Add what a partition answers. */
static void
take_answer(const Leaf *leaf, const Pass *pass, Datum answer)
{
	bytea	   *bytes = DatumGetByteaPP(answer);
	const char *from = VARDATA_ANY(bytes);
	Size		n = leaf->n;
	double		sum[3];
	double	   *vector = huge_array(double, n);
	int			nvectors = pass_answer_vectors(pass->kind);
	int			v;
	Size		i;

	if (VARSIZE_ANY_EXHDR(bytes) != PASS_ANSWER_SIZE + nvectors * n * sizeof(double))
		elog(ERROR, "a pass over %s answers %zu bytes", leaf->partition->name,
			 (Size) VARSIZE_ANY_EXHDR(bytes));
	for (v = 0; v < 3; v++)
		from = pass_get_double(from, &sum[v]);
	if (pass->sums != NULL)
	{
		pass->sums->objective += sum[0];
		pass->sums->draws += sum[1];
		pass->sums->draws_slope += sum[2];
	}
	for (v = 0; v < nvectors; v++)
	{
		for (i = 0; i < n; i++)
			from = pass_get_double(from, &vector[i]);
		scatter(leaf, vector, v == 0 ? pass->gradient : pass->diagonal);
	}
	pfree(vector);
}

/* Whether a pass is made over a partition by a query. */
static bool
is_asked(const Leaf *leaf, PassKind kind)
{
	return is_pass(kind) ? leaf->n > 0 : leaf->partition->foreign;
}

/*
 * The query of passes.  Partitions whose rows are kept here are in it as well, so that
 * this process works while it waits for the others.
 */
static SPIPlanPtr
prepare_pass(const Distributed *d, PassKind kind)
{
	StringInfoData text;
	Oid		   *argtypes = palloc_array(Oid, nparams(d));
	Datum	   *values = palloc_array(Datum, nparams(d));
	int			i;

	make_params(d, BYTEAOID, false, argtypes, values);
	initStringInfo(&text);
	for (i = 0; i < d->nleaves; i++)
	{
		int			first = PARAM_FIRST + i * LEAF_PARAMS + 1;

		if (!is_asked(&d->leaf[i], kind))
			continue;
		appendStringInfo(&text, "%sSELECT %d, skillrating_internal.solve_pass($%d, $%d, ",
						 text.len > 0 ? " UNION ALL " : "", i, first + LEAF_KEY,
						 first + LEAF_REQUEST);
		if (kept_rows_find(d->leaf[i].key) != NULL)
			appendStringInfoString(&text, "0)");
		else
			appendStringInfo(&text, "pg_catalog.count(*)) FROM %s WHERE skillrating_internal.solve_reads($%d, $%d, %s)",
							 d->leaf[i].partition->name, first + LEAF_KEY,
							 PARAM_IF_NOT_KEPT + 1, d->matches.team);
	}
	return prepare(d, text.data, argtypes, 0);
}

/* Make a pass by a query. */
static void
pass_by_query(Distributed *d, SPIPlanPtr plan, const Pass *pass)
{
	Oid		   *argtypes = palloc_array(Oid, nparams(d));
	Datum	   *values = palloc_array(Datum, nparams(d));
	Datum	   *answers;
	int			i;

	make_params(d, BYTEAOID, false, argtypes, values);
	for (i = 0; i < d->nleaves; i++)
		if (is_asked(&d->leaf[i], pass->kind))
			values[PARAM_FIRST + i * LEAF_PARAMS + LEAF_REQUEST] =
				make_request(&d->leaf[i], pass);
	answers = run(d, plan, values);
	for (i = 0; i < d->nleaves && is_pass(pass->kind); i++)
	{
		if (!is_asked(&d->leaf[i], pass->kind))
			continue;
		if (answers[i] == (Datum) 0)
			ereport(ERROR,
					(errcode(ERRCODE_CONNECTION_DOES_NOT_EXIST),
					 errmsg("the server of %s does not keep its rows any more",
							d->leaf[i].partition->name),
					 errhint("The connection to a server has to stay the same throughout a transaction.")));
		take_answer(&d->leaf[i], pass, answers[i]);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Make a pass over all partitions; what they say is added up in their order. */
static void
make_pass(Distributed *d, const Pass *pass)
{
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	int			i;

	for (i = 0; i < d->nleaves && !d->mapped; i++)
		map_unknowns(d, &d->leaf[i]);
	d->mapped = true;
	if (d->remote)
	{
		if (d->pass == NULL)
			d->pass = prepare_pass(d, pass->kind);
		pass_by_query(d, d->pass, pass);
	}
	else
		for (i = 0; i < d->nleaves; i++)
			if (d->leaf[i].n > 0)
				pass_here(&d->leaf[i], kept_rows_find(d->leaf[i].key), pass);
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}

/* Have everybody release or hold the rows; with SPI connected. */
static void
tell_all(Distributed *d, PassKind kind)
{
	MemoryContext old = MemoryContextSwitchTo(d->scratch);
	Pass		pass = {.kind = kind};
	bool		foreign = false;
	int			i;

	for (i = 0; i < d->nleaves; i++)
	{
		KeptRows   *kept = kept_rows_find(d->leaf[i].key);

		foreign = foreign || (d->leaf[i].partition->foreign && kept == NULL);
		if (kept == NULL)
			continue;
		if (kind == PASS_RELEASE)
			kept_rows_release(kept);
		else
			kept_rows_hold(kept);
	}
	if (foreign)
	{
		SPIPlanPtr	plan = prepare_pass(d, kind);

		pass_by_query(d, plan, &pass);
		SPI_freeplan(plan);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(d->scratch);
}

static void
evaluate(LogitElsewhere *elsewhere, const double *x, double draw,
		 LogitSums *sums, double *gradient, double *diagonal)
{
	Pass		pass = {
		diagonal != NULL ? PASS_DERIVATIVES : PASS_GRADIENT, draw, x, sums, gradient,
		diagonal
	};

	make_pass((Distributed *) elsewhere, &pass);
}

static void
multiply(LogitElsewhere *elsewhere, const double *x, const double *v,
		 double draw, double *product)
{
	Pass		pass = {PASS_PRODUCT, draw, v, NULL, product, NULL};

	/*
	 * The partitions know it: it is where they were last evaluated with a
	 * diagonal.
	 */
	(void) x;
	make_pass((Distributed *) elsewhere, &pass);
}

/*
 * ---- Functions ----
 */

/* The arguments of solve_relation(). */
enum
{
	ARG_RELATION,
	ARG_SOLVER,
	ARG_PARAMS,
	ARG_COLUMNS,
	ARG_START,
	ARG_START_CONTEXTS,
	ARG_STRICT,
	ARG_TOKEN
};

/* A token from an argument. */
static const char *
token_argument(FunctionCallInfo fcinfo, int arg)
{
	bytea	   *token = PG_GETARG_BYTEA_PP(arg);

	if (VARSIZE_ANY_EXHDR(token) != KEPT_TOKEN_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a token has %d bytes, not %d", (int) VARSIZE_ANY_EXHDR(token),
						KEPT_TOKEN_SIZE)));
	return VARDATA_ANY(token);
}

/* A new token: nobody else can know it. */
static char *
make_token(void)
{
	char	   *token = palloc(KEPT_TOKEN_SIZE);

	if (!pg_strong_random(token, KEPT_TOKEN_SIZE))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random bytes")));
	return token;
}

Datum
skillrating_solve_token(PG_FUNCTION_ARGS)
{
	(void) fcinfo;				/* there are no arguments */
	PG_RETURN_BYTEA_P(cstring_to_text_with_len(make_token(), KEPT_TOKEN_SIZE));
}

Datum
skillrating_solve_relation(PG_FUNCTION_ARGS)
{
	Distributed *d = palloc0_object(Distributed);
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
	d->lasting = !PG_ARGISNULL(ARG_TOKEN);
	d->elsewhere = (LogitElsewhere)
	{
		evaluate, multiply
	};
	solve_state_init(&d->state, text_to_cstring(PG_GETARG_TEXT_PP(ARG_SOLVER)),
					 PG_GETARG_JSONB_P(ARG_PARAMS));
	check_can_pass(d->state.task.solver);
	if (!PG_ARGISNULL(ARG_START))
		d->state.start = PG_GETARG_DATUM(ARG_START);
	if (!PG_ARGISNULL(ARG_START_CONTEXTS))
		d->state.start_contexts = PG_GETARG_DATUM(ARG_START_CONTEXTS);
	find_leaves(d, PG_GETARG_OID(ARG_RELATION), PG_GETARG_JSONB_P(ARG_COLUMNS),
				d->lasting ? token_argument(fcinfo, ARG_TOKEN) : make_token());
	history_builder_init(&d->state.builder, d->matches.player_type, false);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(d->memory);
	survey(d);
	d->state.elsewhere = &d->elsewhere;
	solve_state_run(&d->state);
	if (!d->lasting)
		tell_all(d, PASS_RELEASE);
	SPI_finish();
	return return_solution(fcinfo, &d->state);
}

/* Tell those who keep rows under a token: (relation, columns, token). */
static Datum
tell_of_token(FunctionCallInfo fcinfo, PassKind kind)
{
	Distributed *d = palloc0_object(Distributed);

	find_leaves(d, PG_GETARG_OID(0), PG_GETARG_JSONB_P(1), token_argument(fcinfo, 2));
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(d->memory);
	tell_all(d, kind);
	SPI_finish();
	PG_RETURN_VOID();
}

Datum
skillrating_solve_release(PG_FUNCTION_ARGS)
{
	return tell_of_token(fcinfo, PASS_RELEASE);
}

Datum
skillrating_solve_hold(PG_FUNCTION_ARGS)
{
	return tell_of_token(fcinfo, PASS_HOLD);
}
