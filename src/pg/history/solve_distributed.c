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
#include "pg/history/solve_leaves.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/history/solution.h"
#include "pg/history/solve_parts.h"
#include "pg/history/solve_pass.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_solve_relation);
SKILLRATING_FUNCTION(skillrating_solve_release);
SKILLRATING_FUNCTION(skillrating_solve_hold);
SKILLRATING_FUNCTION(skillrating_solve_token);

/* No unknown of all those of the solve: one that only the partition has. */
#define NO_UNKNOWN PG_UINT32_MAX

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
	KeptRows   *kept;
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
	kept = kept_rows_find(leaf->key);
	if (kept != NULL && kept_rows_unknowns(kept) != part.n)
		elog(ERROR, "survey of %s is not sound", leaf->partition->name);
	d->remote = d->remote || kept == NULL;
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
	Oid		   *argtypes = palloc_array(Oid, leaves_nparams(d));
	Datum	   *values = palloc_array(Datum, leaves_nparams(d));
	int			i;

	leaves_make_params(d, BYTEAOID, false, argtypes, values);
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
	return leaves_prepare(d, text.data, argtypes, CURSOR_OPT_GENERIC_PLAN);
}

/* Make a pass by a query. */
static void
pass_by_query(Distributed *d, SPIPlanPtr plan, const Pass *pass)
{
	Oid		   *argtypes = palloc_array(Oid, leaves_nparams(d));
	Datum	   *values = palloc_array(Datum, leaves_nparams(d));
	Datum	   *answers;
	int			i;

	leaves_make_params(d, BYTEAOID, false, argtypes, values);
	for (i = 0; i < d->nleaves; i++)
		if (is_asked(&d->leaf[i], pass->kind))
			values[PARAM_FIRST + i * LEAF_PARAMS + LEAF_REQUEST] =
				make_request(&d->leaf[i], pass);
	answers = leaves_run(d, plan, values);
	for (i = 0; i < d->nleaves && is_pass(pass->kind); i++)
	{
		if (!is_asked(&d->leaf[i], pass->kind))
			continue;
		if (answers[i] == (Datum) 0)
			ereport(ERROR,
					(errcode(ERRCODE_CONNECTION_DOES_NOT_EXIST),
					 errmsg("server of %s no longer keeps its rows",
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
	MemoryContext old;
	Pass		pass = {.kind = kind};
	bool		foreign = false;
	int			i;

	if (d->matches.part != NULL)
	{
		parts_tell(d, kind);
		return;
	}
	old = MemoryContextSwitchTo(d->scratch);
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
	ARG_TOKEN,
	ARG_WRITE
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

/*
 * Without any match that counts, the solution would be the prior, and replace a better one.  That
 * is an error, as where parts divide matches, unless there is no match, or only such as the
 * source keeps from being rated.
 */
static void
check_matches_count(const Distributed *d)
{
	const UnratedCounts *unrated = &d->state.builder.unrated;

	if (d->state.matches_elsewhere > 0 || unrated->total == unrated->by_reason[UNRATED_BY_SOURCE])
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA_FOUND),
			 errmsg("no match of %s counts", d->matches.name),
			 errdetail("Unrated matches by reason: %s.", unrated_counts_text(unrated, false)),
			 errhint("All rows of a match must be in one partition, and in one part.")));
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
		d->state.start = text_to_cstring(PG_GETARG_TEXT_PP(ARG_START));
	if (!PG_ARGISNULL(ARG_START_CONTEXTS))
		d->state.start_contexts = PG_GETARG_DATUM(ARG_START_CONTEXTS);
	leaves_find(d, PG_GETARG_OID(ARG_RELATION), PG_GETARG_JSONB_P(ARG_COLUMNS),
				d->lasting ? token_argument(fcinfo, ARG_TOKEN) : make_token());
	history_builder_init(&d->state.builder, d->matches.player_type, false);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	MemoryContextSwitchTo(d->memory);
	if (d->matches.part != NULL)
		parts_survey(d);
	else
		leaves_survey(d);
	check_matches_count(d);
	d->state.elsewhere = &d->elsewhere;
	solve_state_run(&d->state);
	if (!d->lasting)
		tell_all(d, PASS_RELEASE);
	SPI_finish();
	if (!PG_ARGISNULL(ARG_WRITE))
		solution_write(&d->state, PG_GETARG_ARRAYTYPE_P(ARG_WRITE));
	return solution_summary(fcinfo, &d->state);
}

/* Tell those who keep rows under a token: (relation, columns, token). */
static Datum
tell_of_token(FunctionCallInfo fcinfo, PassKind kind)
{
	Distributed *d = palloc0_object(Distributed);

	leaves_find(d, PG_GETARG_OID(0), PG_GETARG_JSONB_P(1), token_argument(fcinfo, 2));
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
