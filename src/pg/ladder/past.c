/*
 * past.c
 *		The matches of a ladder that a model with a window looks back on.
 *
 * They are what event has anyway: the rating after, the prediction and the score.
 */
#include "pg/ladder/past.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/row_reader.h"
#include "pg/sql/huge.h"

/* The first state column after a match. */
static void
append_rating_after(QueryDraft *draft)
{
	appendStringInfo(&draft->sql, "e.%s",
					 quote_identifier(psprintf("%s_after",
											   draft->ladder->model->state[0].name)));
}

/*
 * For each player who is given, the last $4 events before $3 that are matches or set the
 * state, from the last one back.  A window that has fewer matches than that has such an
 * operation among these, so nothing further back is ever read, however long the history is.
 *
 * The pool is given as a range because no other index than the primary key then has the order:
 * with an equality the planner may take that on seq, and read the events of everybody.
 */
static LadderQuery past_query = {
	.text = "SELECT k.n, e.is_match, e.rating, e.win_probability, e.score "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY AS k(player_id, pool, n) "
	"CROSS JOIN LATERAL (SELECT e.match_id IS NOT NULL AS is_match, {rating_after} AS rating, e.win_probability, e.score "
	"FROM {event} AS e WHERE e.player_id {player =} k.player_id "
	"AND e.pool OPERATOR(pg_catalog.>=) k.pool AND e.pool OPERATOR(pg_catalog.<=) k.pool "
	"AND e.seq OPERATOR(pg_catalog.<) $3 AND (e.match_id IS NOT NULL OR e.kind NOT IN ('decay', 'settle', 'refund')) "
	"ORDER BY e.pool DESC, e.seq DESC LIMIT $4) AS e",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT), VALUE_INT8, VALUE_INT8},
	.part = {{"rating_after", append_rating_after}}
};

enum
{
	PAST_NUMBER,				/* of the player, from 1 */
	PAST_IS_MATCH,
	PAST_RATING,
	PAST_WIN_PROBABILITY,
	PAST_SCORE
};

/*
 * Read the rows of a player, who is the next one in the reader, into room for a window: how many
 * matches there are since the last operation.
 */
static int
read_window(RowReader *reader, const Ladder *ladder, PastMatch *room)
{
	int64		number = DatumGetInt64(row_values(reader)[PAST_NUMBER]);
	bool		begun = false;
	int			n = 0;

	for (; reader->have_row && DatumGetInt64(row_values(reader)[PAST_NUMBER]) == number;
		 row_reader_next(reader))
	{
		const Datum *value = row_values(reader);
		const bool *isnull = row_nulls(reader);

		CHECK_FOR_INTERRUPTS();
		begun = begun || !DatumGetBool(value[PAST_IS_MATCH]);
		if (begun)
			continue;
		if (isnull[PAST_RATING] || isnull[PAST_WIN_PROBABILITY] || isnull[PAST_SCORE])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("event of a match of ladder \"%s\" lacks its rating, prediction or score",
							ladder->name)));
		room[n].rating = DatumGetFloat8(value[PAST_RATING]);
		room[n].win = DatumGetFloat8(value[PAST_WIN_PROBABILITY]);
		room[n++].score = DatumGetFloat8(value[PAST_SCORE]);
	}
	return n;
}

/* Load those of n players who are not loaded. */
static void
load_past(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before)
{
	BatchPlayer **asked = palloc_array(BatchPlayer *, Max(n, 1));
	Datum	   *id = palloc_array(Datum, Max(n, 1));
	Datum	   *pool = palloc_array(Datum, Max(n, 1));
	PastMatch  *room;
	RowReader	reader;
	Datum		values[4];
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
	room = huge_array(PastMatch, batch->window);
	row_reader_open(&reader, ladder, &past_query, values);
	while (reader.have_row)
	{
		int64		number = DatumGetInt64(row_values(&reader)[PAST_NUMBER]);
		int			i = read_window(&reader, ladder, room);

		/* A batch has them from the oldest on. */
		while (i > 0)
			batch_remember(batch, asked[number - 1], &room[--i]);
	}
	row_reader_close(&reader);
	pfree(room);
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
