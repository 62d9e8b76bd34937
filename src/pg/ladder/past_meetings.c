/*
 * past_meetings.c
 *		The matches of a ladder in which players have met, from its events.
 */
#include "pg/ladder/past_meetings.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/plans.h"

/* The event of a player k in a pool that comes last before a seq. */
#define EVENT_BEFORE_SEQ(seq) \
	"SELECT e.seq, e.kind, e.played_at, e.team, e.last_played_before FROM {event} AS e " \
	"WHERE e.player_id {player =} k.player_id AND e.pool OPERATOR(pg_catalog.=) k.pool " \
	"AND e.seq OPERATOR(pg_catalog.<) " seq " ORDER BY e.seq DESC LIMIT 1"

/*
 * The matches before $3 and not before the time $4 of players who are given.  Events are
 * read from the last one back, as far as there can be any: last_played_before is the
 * latest time of a match before an event and since the last reset.
 */
static LadderQuery meetings_query = {
	.text = "SELECT k.n, b.seq, b.played_at, b.team "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) WITH ORDINALITY AS k(player_id, pool, n) "
	"CROSS JOIN LATERAL (WITH RECURSIVE back AS ((" EVENT_BEFORE_SEQ("$3") ") "
	"UNION ALL SELECT p.seq, p.kind, p.played_at, p.team, p.last_played_before FROM back AS b "
	"CROSS JOIN LATERAL (" EVENT_BEFORE_SEQ("b.seq") ") AS p "
	"WHERE b.kind OPERATOR(pg_catalog.<>) 'reset' AND b.last_played_before OPERATOR(pg_catalog.>=) $4) "
	"SELECT * FROM back AS f WHERE f.kind OPERATOR(pg_catalog.=) 'match' "
	"AND f.played_at OPERATOR(pg_catalog.>=) $4) AS b ORDER BY k.n, b.seq",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT), VALUE_INT8, VALUE_TIME}
};

enum
{
	MEETING_NUMBER = 1,			/* of the player, from 1 */
	MEETING_SEQ,
	MEETING_PLAYED_AT,
	MEETING_TEAM
};

/* Add the rows of the query in SPI_tuptable for the players asked about, and free them. */
static void
take_meetings(Batch *batch, Ladder *ladder, BatchPlayer **asked)
{
	SPITupleTable *rows = SPI_tuptable;
	uint64		i;

	for (i = 0; i < rows->numvals; i++)
	{
		HeapTuple	tuple = rows->vals[i];
		bool		isnull[4];
		int64		number = DatumGetInt64(SPI_getbinval(tuple, rows->tupdesc,
														 MEETING_NUMBER, &isnull[0]));
		int64		seq = DatumGetInt64(SPI_getbinval(tuple, rows->tupdesc, MEETING_SEQ,
													  &isnull[1]));
		Datum		played_at = SPI_getbinval(tuple, rows->tupdesc, MEETING_PLAYED_AT,
											  &isnull[2]);
		Datum		team = SPI_getbinval(tuple, rows->tupdesc, MEETING_TEAM, &isnull[3]);

		CHECK_FOR_INTERRUPTS();
		if (isnull[1] || isnull[2] || isnull[3])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("event of a match of ladder \"%s\" lacks its place, time or team",
							ladder->name)));
		batch_add_meeting(batch, asked[number - 1], seq, DatumGetTimestampTz(played_at),
						  DatumGetInt32(team));
	}
	SPI_freetuptable(rows);
}

/* Load those of n players who are not loaded. */
static void
load_meetings(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before,
			  TimestampTz since)
{
	BatchPlayer **asked = palloc_array(BatchPlayer *, Max(n, 1));
	Datum	   *id = palloc_array(Datum, Max(n, 1));
	Datum	   *pool = palloc_array(Datum, Max(n, 1));
	Datum		values[4];
	int			nasked = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		if (player[i]->meetings_loaded)
			continue;
		player[i]->meetings_loaded = true;
		asked[nasked] = player[i];
		id[nasked] = player[i]->id;
		pool[nasked++] = CStringGetTextDatum(player[i]->pool);
	}
	if (nasked > 0)
	{
		values[0] = id_array(ladder->player_type, id, nasked);
		values[1] = PointerGetDatum(construct_array(pool, nasked, TEXTOID, -1, false,
													TYPALIGN_INT));
		values[2] = Int64GetDatum(before);
		values[3] = TimestampTzGetDatum(since);
		(void) ladder_execute(ladder, &meetings_query, values, NULL, NULL);
		take_meetings(batch, ladder, asked);
	}
	pfree(asked);
	pfree(id);
	pfree(pool);
}

void
load_meetings_of_match(Batch *batch, Ladder *ladder, int64 before, TimestampTz since)
{
	if (batch->keeps_meetings)
		load_meetings(batch, ladder, batch->player, batch->match.nplayers, before, since);
}

void
load_meetings_of_wanted(Batch *batch, Ladder *ladder, TimestampTz since)
{
	int			count = id_table_count(batch->players);
	BatchPlayer **all;
	BatchPlayer **wanted;
	int			n = 0;
	int			i;

	all = (BatchPlayer **) id_table_values(batch->players);
	wanted = palloc_array(BatchPlayer *, Max(count, 1));
	for (i = 0; i < count; i++)
		if (all[i]->wanted)
			wanted[n++] = all[i];
	load_meetings(batch, ladder, wanted, n, PG_INT64_MAX, since);
	pfree(all);
	pfree(wanted);
}

TimestampTz
seconds_before(TimestampTz at, double seconds)
{
	double		time;

	if (TIMESTAMP_NOT_FINITE(at))
		return at;

	/* A microsecond more, so that rounding leaves nothing out. */
	time = (double) at - seconds * USECS_PER_SEC - 1;
	return time <= (double) MIN_TIMESTAMP ? DT_NOBEGIN : (TimestampTz) time;
}

/*
 * ---- Forgetting ----
 */

/* Slices of 4096 places: of each the last one, and the earliest time. */
static LadderQuery horizon_query = {
	.text = "SELECT pg_catalog.max(m.seq), pg_catalog.min(LEAST(m.played_at, c.played_at)) "
	"FROM {rated_match} AS m LEFT JOIN {correction} AS c ON c.match_id {match =} m.match_id "
	"WHERE m.seq OPERATOR(pg_catalog.>=) $1 "
	"GROUP BY m.seq OPERATOR(pg_catalog./) 4096 ORDER BY 1",
	.param = {VALUE_INT8}
};

enum
{
	HORIZON_LAST_SEQ = 1,
	HORIZON_EARLIEST
};

MeetingHorizon
meeting_horizon(Ladder *ladder, int64 from, double window)
{
	MeetingHorizon horizon = {.window = window};
	Datum		values[1];
	SPITupleTable *rows;
	int			i;

	if (window == 0)
		return horizon;
	values[0] = Int64GetDatum(from);
	horizon.nslices = (int) ladder_execute(ladder, &horizon_query, values, NULL, NULL);
	rows = SPI_tuptable;
	horizon.last_seq = palloc_array(int64, horizon.nslices + 1);
	horizon.earliest = palloc_array(TimestampTz, horizon.nslices + 1);
	horizon.earliest[horizon.nslices] = DT_NOEND;
	for (i = horizon.nslices - 1; i >= 0; i--)
	{
		bool		isnull;
		Datum		earliest = SPI_getbinval(rows->vals[i], rows->tupdesc, HORIZON_EARLIEST,
											 &isnull);

		horizon.earliest[i] = Min(horizon.earliest[i + 1],
								  isnull ? DT_NOBEGIN : DatumGetTimestampTz(earliest));
		horizon.last_seq[i] = DatumGetInt64(SPI_getbinval(rows->vals[i], rows->tupdesc,
														  HORIZON_LAST_SEQ, &isnull));
	}
	SPI_freetuptable(rows);
	return horizon;
}

TimestampTz
meeting_horizon_at(MeetingHorizon *horizon, int64 seq)
{
	if (horizon->window == 0)
		return DT_NOBEGIN;
	while (horizon->next < horizon->nslices && horizon->last_seq[horizon->next] < seq)
		horizon->next++;
	return seconds_before(horizon->earliest[horizon->next], horizon->window);
}
