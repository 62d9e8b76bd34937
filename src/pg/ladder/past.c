/*
 * past.c
 *		The matches of a ladder that a model with a window looks back on.
 *
 * They are what event has anyway: the rating after, the prediction and the score.
 */
#include "pg/ladder/past.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "pg/ladder/columns.h"
#include "pg/ladder/event_index.h"
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
 * Where the index is not to be had: for each player who is given, the last $4 matches before $3 and after the last operation
 * that set the state, oldest first.
 */
static LadderQuery past_query = {
	.text = "SELECT k.n, e.kind, e.rating, e.win_probability, e.score "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY AS k(player_id, pool, n) "
	"CROSS JOIN LATERAL (SELECT e.seq, e.kind, {rating_after} AS rating, e.win_probability, e.score "
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

/* The columns of the query, and of the index from the second on. */
enum
{
	PAST_NUMBER,				/* of the player, from 1 */
	PAST_KIND,
	PAST_RATING,
	PAST_WIN_PROBABILITY,
	PAST_SCORE,
	PAST_NCOLUMNS
};

/* A match from its columns. */
static PastMatch
past_match(const Ladder *ladder, const Datum *column, const bool *isnull)
{
	PastMatch	past;

	if (isnull[PAST_RATING] || isnull[PAST_WIN_PROBABILITY] || isnull[PAST_SCORE])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("event of a match of ladder \"%s\" lacks its rating, prediction or score",
						ladder->name)));
	past.rating = DatumGetFloat8(column[PAST_RATING]);
	past.win = DatumGetFloat8(column[PAST_WIN_PROBABILITY]);
	past.score = DatumGetFloat8(column[PAST_SCORE]);
	return past;
}

/* Take the rows of the query for players, from the first on. */
static void
load_by_query(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before)
{
	Datum	   *id = palloc_array(Datum, n);
	Datum	   *pool = palloc_array(Datum, n);
	SPITupleTable *rows;
	Datum		values[4];
	uint64		nrows;
	uint64		i;
	int			p;

	for (p = 0; p < n; p++)
	{
		id[p] = player[p]->id;
		pool[p] = CStringGetTextDatum(player[p]->pool);
	}
	values[0] = id_array(ladder->player_type, id, n);
	values[1] = PointerGetDatum(construct_array(pool, n, TEXTOID, -1, false, TYPALIGN_INT));
	values[2] = Int64GetDatum(before);
	values[3] = Int64GetDatum(batch->window);
	nrows = ladder_execute(ladder, &past_query, values, NULL, NULL);
	rows = SPI_tuptable;
	for (i = 0; i < nrows; i++)
	{
		Datum		column[PAST_NCOLUMNS];
		bool		isnull[PAST_NCOLUMNS];
		PastMatch	past;

		CHECK_FOR_INTERRUPTS();
		heap_deform_tuple(rows->vals[i], rows->tupdesc, column, isnull);
		past = past_match(ladder, column, isnull);
		batch_remember(batch, player[DatumGetInt64(column[PAST_NUMBER]) - 1], &past);
	}
	SPI_freetuptable(rows);
	pfree(id);
	pfree(pool);
}

/* Whether events of a kind leave a window as it is. */
static bool
keeps_window(const char *kind)
{
	return strcmp(kind, "decay") == 0 || strcmp(kind, "settle") == 0 ||
		strcmp(kind, "refund") == 0;
}

/*
 * Read the last matches of a player from the index, back to the last operation that set the
 * state, and remember them from the oldest on; room is for a whole window.
 */
static void
load_player(Batch *batch, Ladder *ladder, EventIndex *events, BatchPlayer *player,
			int64 before, PastMatch *room)
{
	Datum		pool = CStringGetTextDatum(player->pool);
	int			n = 0;
	bool		found;

	for (found = event_index_last(events, player->id, pool, before);
		 found && n < batch->window; found = event_index_back(events))
	{
		Datum		column[PAST_NCOLUMNS];
		bool		isnull[PAST_NCOLUMNS];
		char	   *kind;
		bool		is_match;
		bool		goes_on;
		int			i;

		CHECK_FOR_INTERRUPTS();
		for (i = PAST_KIND; i < PAST_NCOLUMNS; i++)
			column[i] = event_index_value(events, i - PAST_KIND, &isnull[i]);
		kind = TextDatumGetCString(column[PAST_KIND]);
		is_match = strcmp(kind, "match") == 0;
		goes_on = is_match || keeps_window(kind);
		pfree(kind);
		if (!goes_on)
			break;
		if (is_match)
			room[n++] = past_match(ladder, column, isnull);
	}
	if (event_index_usable(events))
		while (n > 0)
			batch_remember(batch, player, &room[--n]);
	pfree(DatumGetPointer(pool));
}

/*
 * The same for players, from the first on; how many were loaded before the index turned out to be
 * of no use.
 */
static int
load_by_index(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before)
{
	const char *column[] = {
		[PAST_KIND - PAST_KIND] = "kind",
		[PAST_RATING - PAST_KIND] = psprintf("%s_after", ladder->model->state[0].name),
		[PAST_WIN_PROBABILITY - PAST_KIND] = "win_probability",
		[PAST_SCORE - PAST_KIND] = "score"
	};
	PastMatch  *room = palloc_array(PastMatch, batch->window);
	Snapshot	snapshot;
	EventIndex *events;
	int			i;

	/* What this transaction has written so far is seen, as by the next query. */
	CommandCounterIncrement();
	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	events = event_index_open(ladder, snapshot, column, lengthof(column));
	for (i = 0; i < n && event_index_usable(events); i++)
		load_player(batch, ladder, events, player[i], before, room);
	if (i > 0 && !event_index_usable(events))
		i--;
	event_index_close(events);
	UnregisterSnapshot(snapshot);
	pfree(room);
	return i;
}

/* Load those of n players who are not loaded. */
static void
load_past(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before)
{
	BatchPlayer **asked = palloc_array(BatchPlayer *, Max(n, 1));
	int			nasked = 0;
	int			nloaded;
	int			i;

	for (i = 0; i < n; i++)
		if (!player[i]->past_loaded)
		{
			player[i]->past_loaded = true;
			asked[nasked++] = player[i];
		}
	nloaded = nasked == 0 ? 0 : load_by_index(batch, ladder, asked, nasked, before);
	if (nloaded < nasked)
		load_by_query(batch, ladder, asked + nloaded, nasked - nloaded, before);
	pfree(asked);
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
