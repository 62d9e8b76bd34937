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
#include "pg/ladder/states.h"

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
	MEETING_NUMBER,				/* of the player, from 1 */
	MEETING_SEQ,
	MEETING_PLAYED_AT,
	MEETING_TEAM
};

/* The players who are asked about. */
typedef struct AskedPlayers
{
	Batch	   *batch;
	Ladder	   *ladder;
	BatchPlayer **player;
	int			n;
} AskedPlayers;

static void
take_meeting(void *arg, const Datum *values, const bool *nulls)
{
	const AskedPlayers *asked = (const AskedPlayers *) arg;

	if (nulls[MEETING_SEQ] || nulls[MEETING_PLAYED_AT] || nulls[MEETING_TEAM])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("event of a match of ladder \"%s\" lacks its place, time or team",
						asked->ladder->name)));
	batch_add_meeting(asked->batch, asked->player[DatumGetInt64(values[MEETING_NUMBER]) - 1],
					  DatumGetInt64(values[MEETING_SEQ]),
					  DatumGetTimestampTz(values[MEETING_PLAYED_AT]),
					  DatumGetInt32(values[MEETING_TEAM]));
}

/* Load those of n players who are not loaded. */
static void
load_meetings(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before,
			  TimestampTz since)
{
	AskedPlayers asked = {batch, ladder, palloc_array(BatchPlayer *, Max(n, 1)), 0};
	Datum		values[4];
	int			i;

	for (i = 0; i < n; i++)
		if (!player[i]->meetings_loaded)
		{
			player[i]->meetings_loaded = true;
			asked.player[asked.n++] = player[i];
		}
	if (asked.n > 0)
	{
		player_arrays(ladder, asked.player, asked.n, values);
		values[2] = Int64GetDatum(before);
		values[3] = TimestampTzGetDatum(since);
		(void) ladder_execute_each(ladder, &meetings_query, values, NULL, take_meeting, &asked);
	}
	pfree(asked.player);
}

void
load_meetings_of_match(Batch *batch, Ladder *ladder, int64 before)
{
	if (batch->keeps_meetings)
		load_meetings(batch, ladder, batch->player, batch->match.nplayers, before, DT_NOBEGIN);
}

void
load_meetings_of_wanted(Batch *batch, Ladder *ladder, TimestampTz since)
{
	int			n;
	BatchPlayer **wanted = wanted_players(batch, &n);

	load_meetings(batch, ladder, wanted, n, PG_INT64_MAX, since);
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
