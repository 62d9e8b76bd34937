/*
 * past.c
 *		The earlier states and meetings of a ladder's players that a model looks back on.
 *
 * Events have them.
 */
#include "pg/ladder/rate/past.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/columns.h"
#include "pg/ladder/entry/plans.h"
#include "pg/ladder/entry/row_reader.h"
#include "pg/ladder/entry/settings.h"
#include "pg/ladder/rate/states.h"

/* The column of event with the rounds since the state was set. */
static void
append_rounds_after(QueryDraft *draft)
{
	const Model *model = draft->ladder->model;

	appendStringInfo(&draft->sql, "e.%s",
					 quote_identifier(psprintf("%s_after",
											   model->state[model_state_column(model, ROLE_ROUNDS)].name)));
}

/*
 * The states of each player who is given after $3 to $4 rounds, as the last event before $5 with
 * that number has them: a state that was set begins the numbers anew, so that earlier events of
 * a number are others'.
 *
 * The number is given as a range because no other index than the one for this then has the
 * order: with an equality the planner may take that on seq, and read the events of everybody, or
 * the primary key.  The plan is made without sorts, as the planner thinks that a player of a
 * table that was not analyzed has next to no events.
 */
static LadderQuery past_query = {
	.text = "SELECT k.n, {states e _after} "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) "
	"WITH ORDINALITY AS k(player_id, pool, first, last, n) "
	"CROSS JOIN LATERAL (SELECT CAST(i AS pg_catalog.float8) AS number FROM pg_catalog.generate_series(k.first, k.last) AS i) AS g "
	"CROSS JOIN LATERAL (SELECT {states e _after} FROM {event} AS e WHERE e.player_id {player =} k.player_id "
	"AND e.pool OPERATOR(pg_catalog.=) k.pool "
	"AND {rounds_after} OPERATOR(pg_catalog.>=) g.number AND {rounds_after} OPERATOR(pg_catalog.<=) g.number "
	"AND e.seq OPERATOR(pg_catalog.<) $5 ORDER BY {rounds_after} DESC, e.seq DESC LIMIT 1) AS e "
	"ORDER BY k.n, g.number",
	.param = {ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_INT8), VALUE_INT8},
	.part = {"rounds_after", append_rounds_after}
};

/* More than any window has. */
#define MANY_MATCHES 1e9

/* States that are asked for: arrays of ranges of rounds, and whose each is. */
typedef struct PastRanges
{
	BatchPlayer **player;
	Datum	   *first;
	Datum	   *last;
	int			n;
} PastRanges;

/*
 * Ask for the states that so many matches of a player can look back on, as far as they come
 * before the player's state: the numbers that a model asks for never fall.
 */
static void
ask_for_past(const Batch *batch, BatchPlayer *player, double matches, PastRanges *ranges)
{
	const Model *model = batch->model;
	int			column = model_state_column(model, ROLE_ROUNDS);
	double		rounds = player->state[column];
	double		last_state[MODEL_MAX_STATE];
	double		from[MATCH_MAX_PAST];
	double		to[MATCH_MAX_PAST];
	double		next = 1;
	int			i;

	memcpy(last_state, player->state, model->nstate * sizeof(double));
	last_state[column] += matches - 1;
	model->look_back(batch->params, player->state, from);
	model->look_back(batch->params, last_state, to);
	for (i = 0; i < MATCH_MAX_PAST; i++)
	{
		double		first = Max(from[i], next);
		double		last = Min(to[i], rounds - 1);

		if (first > last)
			continue;
		ranges->player[ranges->n] = player;
		ranges->first[ranges->n] = Int64GetDatum((int64) first);
		ranges->last[ranges->n++] = Int64GetDatum((int64) last);
		next = last + 1;
	}
}

/* Read the states that were asked for. */
static void
read_past(RowReader *reader, Batch *batch, const PastRanges *ranges)
{
	int			nstate = batch->model->nstate;
	double		state[MODEL_MAX_STATE];
	int			i;

	for (; reader->have_row; row_reader_next(reader))
	{
		QueryRow	row = reader_row(reader);
		int64		number = next_int64(&row);

		CHECK_FOR_INTERRUPTS();
		for (i = 0; i < nstate; i++)
			state[i] = next_number(&row);
		batch_remember(batch, ranges->player[number - 1], state);
	}
}

/* Load what so many matches of those of n players who are not loaded look back on. */
static void
load_past(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before, double matches)
{
	int			max = Max(n, 1) * MATCH_MAX_PAST;
	PastRanges	ranges = {huge_array(BatchPlayer *, max), huge_array(Datum, max),
		huge_array(Datum, max), 0};
	RowReader	reader;
	Datum		values[5];
	int			p;

	for (p = 0; p < n; p++)
	{
		if (!player[p]->past_loaded)
			ask_for_past(batch, player[p], matches, &ranges);
	}
	if (ranges.n > 0)
	{
		player_arrays(ladder, ranges.player, ranges.n, values);
		values[2] = PointerGetDatum(construct_array(ranges.first, ranges.n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
		values[3] = PointerGetDatum(construct_array(ranges.last, ranges.n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
		values[4] = Int64GetDatum(before);
		settings_set("enable_sort", "off");
		row_reader_open(&reader, ladder, &past_query, values);
		settings_set("enable_sort", "on");
		read_past(&reader, batch, &ranges);
		row_reader_close(&reader);
	}
	for (p = 0; p < n; p++)
	{
		/* The state itself is one that matches to come look back on. */
		if (!player[p]->past_loaded)
			batch_remember(batch, player[p], player[p]->state);
		player[p]->past_loaded = true;
	}
	pfree(ranges.player);
	pfree(ranges.first);
	pfree(ranges.last);
}

void
load_past_of_match(Batch *batch, Ladder *ladder, int64 before)
{
	if (batch->model->look_back != NULL)
		load_past(batch, ladder, batch->player, batch->match.nplayers, before, MANY_MATCHES);
}

void
load_past_of_wanted(Batch *batch, Ladder *ladder, int matches)
{
	int			n;
	BatchPlayer **wanted = wanted_players(batch, &n);

	load_past(batch, ladder, wanted, n, PG_INT64_MAX, matches);
	pfree(wanted);
}

/*
 * ---- Meetings ----
 */

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

/* Add a meeting to that of these players whose it is. */
static void
read_meeting(Batch *batch, const Ladder *ladder, BatchPlayer **player, QueryRow row)
{
	int64		number = next_int64(&row);
	bool		lacks = row.null[0] || row.null[1] || row.null[2];
	int64		seq = next_int64(&row);
	TimestampTz played_at = next_time(&row);

	if (lacks)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("event of a match of ladder \"%s\" lacks its place, time or team",
						ladder->name)));
	batch_add_meeting(batch, player[number - 1], seq, played_at, next_int32(&row));
}

/* Load those of n players who are not loaded. */
static void
load_meetings(Batch *batch, Ladder *ladder, BatchPlayer **player, int n, int64 before,
			  TimestampTz since)
{
	BatchPlayer **asked = palloc_array(BatchPlayer *, Max(n, 1));
	int			nasked = 0;
	Datum		values[4];
	RowReader	rows;
	int			i;

	for (i = 0; i < n; i++)
		if (!player[i]->meetings_loaded)
		{
			player[i]->meetings_loaded = true;
			asked[nasked++] = player[i];
		}
	if (nasked > 0)
	{
		player_arrays(ladder, asked, nasked, values);
		values[2] = Int64GetDatum(before);
		values[3] = TimestampTzGetDatum(since);
		for (row_reader_open(&rows, ladder, &meetings_query, values); rows.have_row;
			 row_reader_next(&rows))
			read_meeting(batch, ladder, asked, reader_row(&rows));
		row_reader_close(&rows);
	}
	pfree(asked);
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
