/*
 * solution.c
 *		The solution of all matches as the rows of a relation, for queries that store it.
 */
#include "pg/history/solution.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/queryenvironment.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

/* What queries know the rows by. */
#define SOLUTION "solution"

/* Have the queries of the current SPI connection find the rows. */
static void
register_rows(Tuplestorestate *store, TupleDesc desc, int64 nrows)
{
	EphemeralNamedRelation enr = palloc0_object(EphemeralNamedRelationData);

	enr->md.name = pstrdup(SOLUTION);
	enr->md.reliddesc = InvalidOid;
	enr->md.tupdesc = desc;
	enr->md.enrtype = ENR_NAMED_TUPLESTORE;

	/* For the planner. */
	enr->md.enrtuples = (double) nrows;
	enr->reldata = store;
	if (SPI_register_relation(enr) != SPI_OK_REL_REGISTER)
		elog(ERROR, "could not register \"%s\"", SOLUTION);
}

void
solution_write(SolveState *state, ArrayType *queries)
{
	MemoryContext caller = CurrentMemoryContext;
	Oid			type;
	TupleDesc	desc;
	Tuplestorestate *store;
	RowArray	rows;
	Datum	   *query;
	int			n;
	int			i;

	SPI_connect();
	if (array_contains_nulls(queries))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("queries must not be null")));
	deconstruct_array(queries, TEXTOID, -1, false, TYPALIGN_INT, &query, NULL, &n);
	type = DatumGetObjectId(DirectFunctionCall1(regtypein, CStringGetDatum("skillrating.estimate")));
	desc = lookup_rowtype_tupdesc_copy(type, -1);

	/*
	 * The rows may be more than memory holds: they spill to disk, and every
	 * query reads them from the start.
	 */
	store = tuplestore_begin_heap(false, false, memory_limit_work_mem());
	rows = row_array_into(store, desc);
	solve_state_add_estimates(state, &rows);
	row_array_end_store(&rows);
	register_rows(store, desc, rows.n);
	for (i = 0; i < n; i++)
	{
		/* As the current user, under its search_path and row security. */
		char	   *statement = TextDatumGetCString(query[i]);
		int			code = SPI_execute(statement, false, 0);

		if (code < 0)
			elog(ERROR, "could not run \"%s\": %s", statement, SPI_result_code_string(code));
	}

	/* The relation goes with the connection. */
	tuplestore_end(store);
	SPI_finish();
	MemoryContextSwitchTo(caller);
}
