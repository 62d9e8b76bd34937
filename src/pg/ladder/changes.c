/*
 * changes.c
 *		Reading what happened to the ratings of a ladder, from a cursor on.
 *
 * All is read under one snapshot, which becomes the cursor.  Where the changes from one
 * cursor to the next are read piece by piece, each piece is read under a snapshot of its
 * own, and takes of it what the first one's saw: that is the same set, because all rows
 * of a transaction become visible together.  Their order is that of numbers drawn under
 * the locks on what changed.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/cache.h"
#include "pg/ladder/change_cursor.h"
#include "pg/ladder/change_writer.h"
#include "pg/ladder/door.h"
#include "pg/ladder/plans.h"
#include "pg/ladder/row_reader.h"
#include "pg/ladder/snapshot_age.h"

SKILLRATING_FUNCTION(skillrating_changes);

/* The columns that changes() returns, from 0. */
enum
{
	RESULT_PLAYER_ID,
	RESULT_POOL,
	RESULT_KIND,
	RESULT_MATCH_ID,
	RESULT_OPERATION,
	RESULT_CHANGED_AT,
	RESULT_RATING_BEFORE,
	RESULT_RATING_AFTER,
	RESULT_GAMES_BEFORE,
	RESULT_GAMES_AFTER,
	RESULT_WINS,
	RESULT_DRAWS,
	RESULT_LOSSES,
	RESULT_LAST_PLAYED,
	RESULT_AS_OF,
	RESULT_STATE,
	RESULT_NEXT_CURSOR,
	RESULT_NCOLUMNS
};

/* A call of changes(). */
typedef struct ChangeReading
{
	Ladder	   *ladder;
	ReturnSetInfo *rsinfo;
	MemoryContext row_context;
	int64		room;			/* how many rows may still be returned */
} ChangeReading;

/*
 * ---- Before reading ----
 */

/*
 * A snapshot that is older than our lock may be from before the ladder began to keep its
 * changes, or was swapped.
 */
static void
check_snapshot(const Ladder *ladder)
{
	Snapshot	snapshot = GetActiveSnapshot();

	if (IsolationUsesXactSnapshot() &&
		(!snapshot_knows(snapshot, ladder->relation[LADDER_RATING]) ||
		 !snapshot_knows(snapshot, ladder->relation[LADDER_CHANGE])))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("ladder \"%s\" was altered after this transaction began",
						ladder->name),
				 errhint("Try again.")));
}

/*
 * The same for a cursor: one that somebody has read in the meantime sees more than the
 * snapshot of a transaction that is older, which cannot lead on from it.
 */
static void
check_cursor(const ChangeCursor *cursor)
{
	ChangeSnapshot now = change_snapshot();

	if (!change_snapshot_covers(&now, cursor->is_between ? &cursor->upto : &cursor->seen))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the cursor is newer than the snapshot of this transaction"),
				 errhint("Try again.")));
}

/* Where nobody writes to change. */
static void
check_server(const Ladder *ladder)
{
	CatCList   *subscriptions;
	int			nsubscriptions;

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("recovery is in progress"),
				 errdetail("A standby does not know which transactions were in progress."),
				 errhint("Read the changes of a ladder from the primary server.")));
	if (!OidIsValid(ladder->relation[LADDER_CHANGE]))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" does not keep its changes", ladder->name),
				 errhint("SELECT skillrating.keep_changes(%s) begins to keep them.",
						 quote_literal_cstr(ladder->name))));
	subscriptions = SearchSysCacheList1(SUBSCRIPTIONRELMAP,
										ObjectIdGetDatum(ladder->relation[LADDER_RATING]));
	nsubscriptions = subscriptions->n_members;
	ReleaseSysCacheList(subscriptions);
	if (nsubscriptions > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ratings of ladder \"%s\" come by logical replication", ladder->name),
				 errhint("Read the changes of the ladder from the server that rates.")));
}

/* What has been removed: all of some transactions up to the one of this row. */
static LadderQuery horizon_query = {
	.text = "SELECT CAST(c.xact AS pg_catalog.text) FROM {change} AS c "
	"WHERE c.number OPERATOR(pg_catalog.=) 0 AND c.origin OPERATOR(pg_catalog.=) $1",
	.param = {VALUE_INT8}
};

static void
check_horizon(Ladder *ladder, const ChangeCursor *cursor)
{
	Datum		values[1];
	bool		isnull;

	values[0] = Int64GetDatum(change_origin(ladder->relation[LADDER_CHANGE]));
	if (ladder_execute(ladder, &horizon_query, values, NULL, NULL) > 0)
	{
		Datum		xid = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
										ONLY_COLUMN, &isnull);

		if (!isnull && cursor->seen.xmin <= change_xid(xid))
			report_start_again(ladder, "Changes that it has not had were removed by trim_changes().");
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * ---- Results ----
 */

static void
put_result(ChangeReading *reading, Datum *values, bool *nulls)
{
	tuplestore_putvalues(reading->rsinfo->setResult, reading->rsinfo->setDesc, values, nulls);
}

/* The last row, which has nothing but the cursor. */
static void
put_cursor(ChangeReading *reading, const ChangeCursor *cursor)
{
	Datum		values[RESULT_NCOLUMNS] = {0};
	bool		nulls[RESULT_NCOLUMNS];

	memset(nulls, true, sizeof(nulls));
	nulls[RESULT_NEXT_CURSOR] = false;
	values[RESULT_NEXT_CURSOR] = CStringGetTextDatum(change_cursor_text(reading->ladder, cursor));
	put_result(reading, values, nulls);
}

static Datum
state_array(Datum *state, int n)
{
	return PointerGetDatum(construct_array(state, n, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* A time of change, null for -infinity. */
static void
put_time(Datum *values, bool *nulls, int column, Datum time)
{
	values[column] = time;
	nulls[column] = TIMESTAMP_IS_NOBEGIN(DatumGetTimestampTz(time));
}

/*
 * ---- All ratings ----
 */

static LadderQuery all_shown_query = {
	.text = "SELECT {rating columns r}, r.rating, pg_catalog.now() FROM {rating} AS r"
};

/* A row of rating, as far as a start has it. */
static void
put_rating_row(ChangeReading *reading, RowReader *reader)
{
	const Model *model = reading->ladder->model;
	Datum		values[RESULT_NCOLUMNS] = {0};
	bool		nulls[RESULT_NCOLUMNS];
	Datum	   *row;
	Datum		state[MODEL_MAX_STATE];
	int			shown = RATING_STATE(model->nstate) - 1;
	int			i;

	slot_getallattrs(reader->slot);
	row = reader->slot->tts_values;
	memset(nulls, true, sizeof(nulls));
	for (i = RESULT_RATING_AFTER; i < RESULT_NEXT_CURSOR; i++)
		nulls[i] = i == RESULT_GAMES_BEFORE;
	nulls[RESULT_PLAYER_ID] = nulls[RESULT_POOL] = nulls[RESULT_KIND] = nulls[RESULT_CHANGED_AT] = false;
	values[RESULT_PLAYER_ID] =
		CStringGetTextDatum(id_text(reading->ladder->player_type, row[RATING_PLAYER_ID - 1]));
	values[RESULT_POOL] = row[RATING_POOL - 1];
	values[RESULT_KIND] = CStringGetTextDatum("start");
	values[RESULT_RATING_AFTER] = row[shown];
	values[RESULT_CHANGED_AT] = row[shown + 1];
	values[RESULT_GAMES_AFTER] = row[RATING_GAMES - 1];
	values[RESULT_WINS] = row[RATING_WINS - 1];
	values[RESULT_DRAWS] = row[RATING_DRAWS - 1];
	values[RESULT_LOSSES] = row[RATING_LOSSES - 1];
	values[RESULT_LAST_PLAYED] = row[RATING_LAST_PLAYED - 1];
	nulls[RESULT_LAST_PLAYED] = reader->slot->tts_isnull[RATING_LAST_PLAYED - 1];
	values[RESULT_AS_OF] = row[RATING_AS_OF - 1];
	nulls[RESULT_AS_OF] = reader->slot->tts_isnull[RATING_AS_OF - 1];
	for (i = 0; i < model->nstate; i++)
		state[i] = row[RATING_STATE(i) - 1];
	values[RESULT_STATE] = state_array(state, model->nstate);
	put_result(reading, values, nulls);
}

/* A row if the transaction given has changes. */
static LadderQuery own_changes_query = {
	.text = "SELECT FROM {change} AS c WHERE c.xact OPERATOR(pg_catalog.=) CAST($1 AS pg_catalog.xid8) "
	"AND c.number OPERATOR(pg_catalog.<>) 0 LIMIT 1",
	.param = {VALUE_TEXT}
};

/* What is in rating may still be taken back where we have written it. */
static void
check_no_own_changes(Ladder *ladder)
{
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	Datum		values[1];

	if (!FullTransactionIdIsValid(own))
		return;
	values[0] = CStringGetTextDatum(psprintf(UINT64_FORMAT, U64FromFullTransactionId(own)));
	if (ladder_execute(ladder, &own_changes_query, values, NULL, NULL) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("this transaction has changed ratings of ladder \"%s\"", ladder->name),
				 errhint("Start to read changes in a transaction of its own.")));
}

static void
read_all(ChangeReading *reading)
{
	ChangeCursor cursor = {.seen = change_snapshot()};
	RowReader	reader;

	check_no_own_changes(reading->ladder);
	row_reader_open(&reader, reading->ladder, &all_shown_query, NULL);
	for (; reader.have_row; row_reader_next(&reader))
	{
		MemoryContext old = MemoryContextSwitchTo(reading->row_context);

		put_rating_row(reading, &reader);
		MemoryContextSwitchTo(old);
		MemoryContextReset(reading->row_context);
	}
	row_reader_close(&reader);
	put_cursor(reading, &cursor);
}

/*
 * ---- Changes ----
 */

/*
 * The transactions of changes that a snapshot does not see; $2 is its xmax, $3 its xip.
 *
 * Row 0 is left out by <>, which no index serves: a plan made while the table was small
 * would else go over all numbers above 0, and be kept while the table grows.
 */
#define UNSEEN \
	"c.origin OPERATOR(pg_catalog.=) $1 AND c.number OPERATOR(pg_catalog.<>) 0 AND "
#define XACT_BEHIND "c.xact OPERATOR(pg_catalog.>=) CAST($2 AS pg_catalog.xid8)"
#define XACT_LISTED "c.xact OPERATOR(pg_catalog.=) ANY (CAST($3 AS pg_catalog.xid8[]))"

/* The least and greatest number of such changes; not of the transaction $4. */
static LadderQuery range_query = {
	.text = "SELECT pg_catalog.min(u.number), pg_catalog.max(u.number) FROM ("
	"SELECT CAST(c.number AS pg_catalog.int8) AS number, c.xact FROM {change} AS c WHERE " UNSEEN XACT_BEHIND " UNION ALL "
	"SELECT CAST(c.number AS pg_catalog.int8), c.xact FROM {change} AS c WHERE " UNSEEN XACT_LISTED
	") AS u WHERE u.xact OPERATOR(pg_catalog.<>) CAST($4 AS pg_catalog.xid8)",
	.param = {VALUE_INT8, VALUE_TEXT, ARRAY_OF(VALUE_TEXT), VALUE_TEXT}
};

/* The array type of identifiers, whatever the owner has made of the column's. */
static void
append_player_array(QueryDraft *draft)
{
	appendStringInfoString(&draft->sql,
						   format_type_extended(ladder_type_oid(draft->ladder, ARRAY_OF(VALUE_PLAYER)), -1,
												FORMAT_TYPE_FORCE_QUALIFY));
}

static void
append_match_array(QueryDraft *draft)
{
	appendStringInfoString(&draft->sql,
						   format_type_extended(ladder_type_oid(draft->ladder, ARRAY_OF(VALUE_MATCH)), -1,
												FORMAT_TYPE_FORCE_QUALIFY));
}

/* Those changes from a number to another, in order. */
static LadderQuery changes_query = {
	.text = "SELECT CAST(c.number AS pg_catalog.int8), CAST(CAST(c.xact AS pg_catalog.xid8) AS pg_catalog.text), "
	"CAST(c.changed_at AS pg_catalog.timestamptz), CAST(c.kind AS pg_catalog.text), "
	"CAST(c.operation AS pg_catalog.int8), CAST(c.player_id AS {player_array}), "
	"CAST(c.pool AS pg_catalog.text[]), CAST(c.match_id AS {match_array}), "
	"CAST(c.counts AS pg_catalog.int8[]), CAST(c.times AS pg_catalog.timestamptz[]), "
	"CAST(c.numbers AS pg_catalog.float8[]) FROM {change} AS c WHERE " UNSEEN
	"(" XACT_BEHIND " OR " XACT_LISTED ") AND c.number OPERATOR(pg_catalog.>=) $4 "
	"AND c.number OPERATOR(pg_catalog.<=) $5 ORDER BY c.number",
	.param = {VALUE_INT8, VALUE_TEXT, ARRAY_OF(VALUE_TEXT), VALUE_INT8, VALUE_INT8},
	.part = {{"player_array", append_player_array}, {"match_array", append_match_array}}
};

enum
{
	CHANGE_NUMBER = 1,
	CHANGE_XACT,
	CHANGE_CHANGED_AT,
	CHANGE_KIND,
	CHANGE_OPERATION,
	CHANGE_PLAYERS,
	CHANGE_POOLS,
	CHANGE_MATCHES,
	CHANGE_COUNTS,
	CHANGE_TIMES,
	CHANGE_NUMBERS
};

/* The elements of an array in a row of change. */
typedef struct Elements
{
	Datum	   *value;
	bool	   *null;
	int			n;
} Elements;

/* A row of change, taken apart. */
typedef struct ChangeRow
{
	int64		number;
	Elements	players;
	Elements	pools;
	Elements	matches;
	Elements	counts;
	Elements	times;
	Elements	numbers;
	int			n;				/* rows of rating that it is about */
	int			nnumbers;		/* for each of them */
} ChangeRow;

static Elements
read_elements(TupleTableSlot *slot, int column, Oid type)
{
	Elements	elements = {0};
	bool		isnull;
	Datum		array = slot_getattr(slot, column, &isnull);
	int16		length;
	bool		by_value;
	char		align;

	if (isnull)
		return elements;
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(DatumGetArrayTypeP(array), type, length, by_value, align,
					  &elements.value, &elements.null, &elements.n);
	return elements;
}

static bool
has_null(const Elements *elements)
{
	int			i;

	for (i = 0; i < elements->n; i++)
		if (elements->null[i])
			return true;
	return false;
}

/* Take a row apart, which only we write: what does not fit was tampered with. */
static ChangeRow
read_change(const Ladder *ladder, RowReader *reader)
{
	TupleTableSlot *slot = reader->slot;
	ChangeRow	row;

	row.number = DatumGetInt64(row_key_column(reader, CHANGE_NUMBER));
	row.players = read_elements(slot, CHANGE_PLAYERS, ladder->player_type->type);
	row.pools = read_elements(slot, CHANGE_POOLS, TEXTOID);
	row.matches = read_elements(slot, CHANGE_MATCHES, ladder->match_type->type);
	row.counts = read_elements(slot, CHANGE_COUNTS, INT8OID);
	row.times = read_elements(slot, CHANGE_TIMES, TIMESTAMPTZOID);
	row.numbers = read_elements(slot, CHANGE_NUMBERS, FLOAT8OID);
	row.n = row.players.n;
	row.nnumbers = row.n > 0 ? row.numbers.n / row.n : 0;
	if (row.n == 0 || row.pools.n != row.n || row.counts.n != row.n * CHANGE_NCOUNTS ||
		(row.matches.n != row.n && row.matches.n != 0) ||
		row.times.n != row.n * CHANGE_NTIMES || row.numbers.n != row.n * row.nnumbers ||
		row.nnumbers < CHANGE_FIRST_STATE ||
		has_null(&row.players) || has_null(&row.pools) || has_null(&row.counts) ||
		has_null(&row.times) || has_null(&row.numbers))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("row " INT64_FORMAT " of table change of ladder \"%s\" is damaged",
						row.number, ladder->name)));
	return row;
}

/* What a row of change says of one row of rating. */
static void
put_change_row(ChangeReading *reading, RowReader *reader, const ChangeRow *row, int i)
{
	const Ladder *ladder = reading->ladder;
	const Datum *counts = &row->counts.value[i * CHANGE_NCOUNTS];
	const Datum *times = &row->times.value[i * CHANGE_NTIMES];
	Datum	   *numbers = &row->numbers.value[i * row->nnumbers];
	bool		existed = DatumGetInt64(counts[CHANGE_GAMES_BEFORE]) >= 0;
	bool		exists = DatumGetInt64(counts[CHANGE_GAMES]) >= 0;
	Datum		values[RESULT_NCOLUMNS] = {0};
	bool		nulls[RESULT_NCOLUMNS];
	int			column;

	memset(nulls, !exists, sizeof(nulls));
	values[RESULT_PLAYER_ID] = CStringGetTextDatum(id_text(ladder->player_type,
														   row->players.value[i]));
	values[RESULT_POOL] = row->pools.value[i];
	values[RESULT_KIND] = slot_getattr(reader->slot, CHANGE_KIND, &nulls[RESULT_KIND]);
	nulls[RESULT_PLAYER_ID] = nulls[RESULT_POOL] = false;
	nulls[RESULT_MATCH_ID] = row->matches.n == 0 || row->matches.null[i];
	if (!nulls[RESULT_MATCH_ID])
		values[RESULT_MATCH_ID] = CStringGetTextDatum(id_text(ladder->match_type,
															  row->matches.value[i]));
	values[RESULT_OPERATION] = slot_getattr(reader->slot, CHANGE_OPERATION,
											&nulls[RESULT_OPERATION]);
	values[RESULT_CHANGED_AT] = slot_getattr(reader->slot, CHANGE_CHANGED_AT,
											 &nulls[RESULT_CHANGED_AT]);
	nulls[RESULT_RATING_BEFORE] = nulls[RESULT_GAMES_BEFORE] = !existed;
	values[RESULT_RATING_BEFORE] = numbers[CHANGE_RATING_BEFORE];
	values[RESULT_GAMES_BEFORE] = counts[CHANGE_GAMES_BEFORE];
	nulls[RESULT_NEXT_CURSOR] = true;
	if (exists)
	{
		values[RESULT_RATING_AFTER] = numbers[CHANGE_RATING];
		for (column = RESULT_GAMES_AFTER; column <= RESULT_LOSSES; column++)
			values[column] = counts[CHANGE_GAMES + column - RESULT_GAMES_AFTER];
		put_time(values, nulls, RESULT_LAST_PLAYED, times[CHANGE_LAST_PLAYED]);
		put_time(values, nulls, RESULT_AS_OF, times[CHANGE_AS_OF]);
		values[RESULT_STATE] = state_array(&numbers[CHANGE_FIRST_STATE],
										   row->nnumbers - CHANGE_FIRST_STATE);
	}
	put_result(reading, values, nulls);
}

/*
 * Make the transactions safe that a cursor sees.  One that commits asynchronously is visible
 * before it is on disk, and after a crash its number can be that of another: a reader that
 * keeps its cursor elsewhere would miss that one.
 *
 * At the beginning of a page the server names the place behind the page's header, where
 * nothing is yet that could be flushed.
 */
static void
flush_commits(void)
{
	XLogRecPtr	end = GetXLogInsertRecPtr();
	bool		begins_segment = XLogSegmentOffset(end, wal_segment_size) < XLOG_BLCKSZ;

	if (end % XLOG_BLCKSZ == (begins_segment ? SizeOfXLogLongPHD : SizeOfXLogShortPHD))
		end -= end % XLOG_BLCKSZ;
	XLogFlush(end);
}

/* The parameters that say which changes a snapshot does not see: the first three. */
static void
unseen_values(const Ladder *ladder, const ChangeSnapshot *seen, Datum *values)
{
	Datum	   *xip = palloc_array(Datum, Max(seen->nxip, 1));
	int			i;

	for (i = 0; i < seen->nxip; i++)
		xip[i] = CStringGetTextDatum(psprintf(UINT64_FORMAT, seen->xip[i]));
	values[0] = Int64GetDatum(change_origin(ladder->relation[LADDER_CHANGE]));
	values[1] = CStringGetTextDatum(psprintf(UINT64_FORMAT, seen->xmax));
	values[2] = PointerGetDatum(construct_array(xip, seen->nxip, TEXTOID, -1, false,
												TYPALIGN_INT));
}

/*
 * Have a cursor lead from its snapshot to the active one; it stays where it is, with the
 * new snapshot, if there are no changes between.
 */
static void
extend_cursor(Ladder *ladder, ChangeCursor *cursor)
{
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	ChangeSnapshot now = change_snapshot();
	Datum		values[4];
	bool		isnull;

	unseen_values(ladder, &cursor->seen, values);
	values[3] = CStringGetTextDatum(psprintf(UINT64_FORMAT, U64FromFullTransactionId(own)));
	(void) ladder_execute(ladder, &range_query, values, NULL, NULL);
	cursor->number = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
												 SPI_tuptable->tupdesc, 1, &isnull));
	cursor->last = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
											   SPI_tuptable->tupdesc, 2, &isnull));
	SPI_freetuptable(SPI_tuptable);
	cursor->index = 0;
	cursor->is_between = !isnull;
	if (isnull)
		cursor->seen = now;
	else
		cursor->upto = now;
}

/*
 * Return what is left of a row of change, or as much as there is room for; true if all of
 * it was.
 */
static bool
return_change(ChangeReading *reading, RowReader *reader, ChangeCursor *cursor)
{
	ChangeRow	row = read_change(reading->ladder, reader);
	int			i = row.number == cursor->number ? cursor->index : 0;

	for (; i < row.n && reading->room > 0; i++, reading->room--)
	{
		CHECK_FOR_INTERRUPTS();
		put_change_row(reading, reader, &row, i);
	}
	cursor->number = row.number;
	cursor->index = i;
	return i >= row.n;
}

/* Return the changes from a cursor on, and advance it. */
static void
read_changes(ChangeReading *reading, ChangeCursor *cursor)
{
	Ladder	   *ladder = reading->ladder;
	Datum		values[5];
	RowReader	reader;
	bool		complete = true;

	check_horizon(ladder, cursor);
	check_cursor(cursor);
	if (!cursor->is_between)
		extend_cursor(ladder, cursor);
	if (cursor->is_between)
	{
		unseen_values(ladder, &cursor->seen, values);
		values[3] = Int64GetDatum(cursor->number);
		values[4] = Int64GetDatum(cursor->last);
		row_reader_open(&reader, ladder, &changes_query, values);
		for (; reader.have_row && complete; row_reader_next(&reader))
		{
			MemoryContext old = MemoryContextSwitchTo(reading->row_context);
			uint64		xid = change_xid(row_key_column(&reader, CHANGE_XACT));

			if (change_snapshot_sees(&cursor->upto, xid))
				complete = reading->room > 0 && return_change(reading, &reader, cursor);
			MemoryContextSwitchTo(old);
			MemoryContextReset(reading->row_context);
		}
		row_reader_close(&reader);
		if (complete)
		{
			cursor->seen = cursor->upto;
			cursor->is_between = false;
		}
	}
	put_cursor(reading, cursor);
}

/*
 * changes(ladder, cursor, max_changes)
 *
 * It is volatile, and so runs under a snapshot of its own, taken with the lock on the
 * ladder: one from before may not see what kept the lock from us.
 */
Datum
skillrating_changes(PG_FUNCTION_ARGS)
{
	ChangeReading reading = {0};
	Ladder	   *ladder;
	ChangeCursor cursor;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	reading.room = PG_ARGISNULL(2) ? PG_INT64_MAX : PG_GETARG_INT64(2);
	if (reading.room < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_changes must be at least 1, not " INT64_FORMAT, reading.room)));
	ladder = ladder_open(ladder_inside(text_to_cstring(PG_GETARG_TEXT_PP(0)), "changes"));
	reading.ladder = ladder;
	reading.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	reading.row_context = AllocSetContextCreate(CurrentMemoryContext, "skillrating row",
												ALLOCSET_SMALL_SIZES);
	check_server(ladder);
	PushActiveSnapshot(GetTransactionSnapshot());
	ladder->read_only = true;
	check_snapshot(ladder);
	if (PG_ARGISNULL(1))
		read_all(&reading);
	else
	{
		cursor = change_cursor_parse(ladder, text_to_cstring(PG_GETARG_TEXT_PP(1)));
		read_changes(&reading, &cursor);
	}
	PopActiveSnapshot();
	flush_commits();
	ladder_close(ladder);
	return (Datum) 0;
}
