/*
 * pools.c
 *		The rating pool that a function is about.
 */
#include "pg/ladder/arrive/pools.h"

#include "utils/builtins.h"

#include "pg/ladder/entry/plans.h"
#include "pg/matches/batch.h"

/* Messages name so many. */
#define MAX_NAMED 10

/*
 * A range, and not =, for the sake of the planner: it expects few rows in one, and goes by the index
 * on pool and rating.  Where the owner has dropped that, any row of the pool that comes first will do.
 */
static LadderQuery has_pool_query = {
	.text = "SELECT FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.>=) $1 "
	"AND r.pool OPERATOR(pg_catalog.<=) $1 LIMIT 1",
	.param = {VALUE_TEXT}
};

/* From pool to pool by that index. */
static LadderQuery pools_query = {
	.text = "WITH RECURSIVE p AS ((SELECT r.pool FROM {rating} AS r ORDER BY r.pool LIMIT 1) "
	"UNION ALL SELECT (SELECT r.pool FROM {rating} AS r WHERE r.pool OPERATOR(pg_catalog.>) p.pool "
	"ORDER BY r.pool LIMIT 1) FROM p WHERE p.pool IS NOT NULL) "
	"SELECT p.pool FROM p WHERE p.pool OPERATOR(pg_catalog.<>) '" SHARED_POOL "' "
	"LIMIT 1 + " CppAsString2(MAX_NAMED)
};

/* The pools that the last query has found, for a message. */
static char *
pool_list(int n)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < Min(n, MAX_NAMED); i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, ONLY_COLUMN));
	if (n > MAX_NAMED)
		appendStringInfoString(&list, " and more");
	return list.data;
}

/* A pool is not among the first n, which the last query has found. */
static void
report_unknown_pool(const Ladder *ladder, PoolUse use, const char *pool, int n)
{
	if (use == POOL_OF_BOARD)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("ladder \"%s\" has no rating pool \"%s\"", ladder->name, pool),
				 errhint_plural("Its rating pool is %s.", "Its rating pools are %s.", n,
								pool_list(n))));
	/* The call that this one is a part of has said it. */
	if (!ladder->nested)
		ereport(NOTICE,
				(errmsg("ladder \"%s\" has no rating pool \"%s\" yet", ladder->name, pool),
				 errdetail("All players are newcomers there."),
				 errhint_plural("Its rating pool is %s.", "Its rating pools are %s.", n,
								pool_list(n))));
}

Datum
ladder_pool(const Ladder *inside, PoolUse use, NullableDatum given)
{
	MemoryContext caller = CurrentMemoryContext;
	Ladder	   *ladder = ladder_open(inside);
	int			n;

	if (given.isnull || ladder_execute(ladder, &has_pool_query, &given.value, NULL, NULL) == 0)
	{
		n = (int) ladder_execute(ladder, &pools_query, NULL, NULL, NULL);
		if (!given.isnull && n > 0)
			report_unknown_pool(ladder, use, TextDatumGetCString(given.value), n);
		else if (n > 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("ladder \"%s\" has several rating pools: %s", ladder->name, pool_list(n)),
					 errhint("Pass one of them as pool.")));
		else if (given.isnull)
		{
			char	   *only = n == 0 ? "" : SPI_getvalue(SPI_tuptable->vals[0],
														 SPI_tuptable->tupdesc, ONLY_COLUMN);
			MemoryContext work = MemoryContextSwitchTo(caller);

			given.value = CStringGetTextDatum(only);
			MemoryContextSwitchTo(work);
		}
	}
	ladder_close(ladder);
	return given.value;
}
