/*
 * past.c
 *		The matches of a ladder that a model with a window looks back on.
 *
 * They are what event has anyway: the rating after, the prediction and the score.
 */
#include "pg/ladder/past.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/plans.h"

/* The first state column after a match. */
static void
append_rating_after(QueryDraft *draft)
{
	appendStringInfo(&draft->sql, "e.%s",
					 quote_identifier(psprintf("%s_after",
											   draft->ladder->model->state[0].name)));
}

/*
 * For each player who is given, the last $4 matches before $3 and after the last operation
 * that set the state, oldest first.
 */
static LadderQuery past_query = {
	.text = "SELECT k.n, e.rating, e.win_probability, e.score "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY AS k(player_id, pool, n) "
	"CROSS JOIN LATERAL (SELECT e.seq, {rating_after} AS rating, e.win_probability, e.score "
	"FROM {event} AS e WHERE e.player_id {player =} k.player_id AND e.pool OPERATOR(pg_catalog.=) k.pool "
	"AND e.seq OPERATOR(pg_catalog.<) $3 AND e.kind IN ('match') "
	"AND e.seq OPERATOR(pg_catalog.>) COALESCE((SELECT pg_catalog.max(o.seq) FROM {event} AS o "
	"WHERE o.player_id {player =} k.player_id AND o.pool OPERATOR(pg_catalog.=) k.pool "
	"AND o.seq OPERATOR(pg_catalog.<) $3 AND o.kind NOT IN ('match', 'decay', 'settle', 'refund')), 0) "
	"ORDER BY e.seq DESC LIMIT $4) AS e "
	"ORDER BY k.n, e.seq",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT), VALUE_INT8, VALUE_INT8},
	.part = {{"rating_after", append_rating_after}}
};

enum
{
	PAST_NUMBER = 1,			/* of the player, from 1 */
	PAST_RATING,
	PAST_WIN_PROBABILITY,
	PAST_SCORE
};

/* Load those of n players who are not loaded. */
static void
load_past(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before)
{
	BatchPlayer **asked = palloc_array(BatchPlayer *, Max(n, 1));
	Datum	   *id = palloc_array(Datum, Max(n, 1));
	Datum	   *pool = palloc_array(Datum, Max(n, 1));
	SPITupleTable *rows;
	Datum		values[4];
	uint64		nrows;
	uint64		i;
	int			nasked = 0;
	int			p;

	for (p = 0; p < n; p++)
	{
		if (player[p]->past_loaded)
			continue;
		player[p]->past_loaded = true;
		asked[nasked] = player[p];
		id[nasked] = player[p]->id;
		pool[nasked++] = CStringGetTextDatum(player[p]->pool);
	}
	if (nasked == 0)
		return;
	values[0] = id_array(ladder->player_type, id, nasked);
	values[1] = PointerGetDatum(construct_array(pool, nasked, TEXTOID, -1, false, TYPALIGN_INT));
	values[2] = Int64GetDatum(before);
	values[3] = Int64GetDatum(batch->window);
	nrows = ladder_execute(ladder, &past_query, values, NULL, NULL);
	rows = SPI_tuptable;
	for (i = 0; i < nrows; i++)
	{
		HeapTuple	tuple = rows->vals[i];
		bool		isnull[4];
		int64		number = DatumGetInt64(SPI_getbinval(tuple, rows->tupdesc, PAST_NUMBER,
														 &isnull[0]));
		PastMatch	past;

		CHECK_FOR_INTERRUPTS();
		past.rating = DatumGetFloat8(SPI_getbinval(tuple, rows->tupdesc, PAST_RATING,
												   &isnull[1]));
		past.win = DatumGetFloat8(SPI_getbinval(tuple, rows->tupdesc, PAST_WIN_PROBABILITY,
												&isnull[2]));
		past.score = DatumGetFloat8(SPI_getbinval(tuple, rows->tupdesc, PAST_SCORE,
												  &isnull[3]));
		if (isnull[1] || isnull[2] || isnull[3])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("event of a match of ladder \"%s\" lacks its rating, prediction or score",
							ladder->name)));
		batch_remember(batch, asked[number - 1], &past);
	}
	SPI_freetuptable(rows);
	pfree(asked);
	pfree(id);
	pfree(pool);
}

void
load_past_of_match(Batch *batch, Ladder *ladder, int64 before)
{
	if (batch->window > 0)
		load_past(batch, ladder, batch->player, batch->match.nplayers, before);
}

void
load_past_of_wanted(Batch *batch, Ladder *ladder)
{
	int			count = id_table_count(batch->players);
	BatchPlayer **all;
	BatchPlayer **wanted;
	int			n = 0;
	int			i;

	if (batch->window == 0)
		return;
	all = (BatchPlayer **) id_table_values(batch->players);
	wanted = palloc_array(BatchPlayer *, Max(count, 1));
	for (i = 0; i < count; i++)
		if (all[i]->wanted)
			wanted[n++] = all[i];
	load_past(batch, ladder, wanted, n, PG_INT64_MAX);
	pfree(all);
	pfree(wanted);
}
