/*
 * match_reader.c
 *		Matches as they come from a ladder's source.
 *
 * Rows of one match stand together in whatever order a query has; a match is complete when the next
 * row is another's.  Participants and texts of a match live in a context that the next one resets.
 */
#include "pg/ladder/rate/match_reader.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/entry/cache.h"
#include "pg/ladder/entry/careful.h"
#include "pg/ladder/entry/settings.h"
#include "pg/ladder/rate/filters.h"

/*
 * ---- Queries ----
 */

/*
 * The select list over a source aliased s: every canonical column, those that
 * it lacks, or that are of no use, as nulls.
 */
static void
append_source_columns(QueryDraft *draft)
{
	const Ladder *ladder = draft->ladder;
	StringInfo	sql = &draft->sql;
	Oid			source = ladder->cache->relation[LADDER_SOURCE];
	SourceColumns unread = source_unread(source, ladder->unused);
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const SourceColumnSpec *spec = &source_columns[i];
		AttrNumber	attnum = get_attnum(source, spec->name);
		const char *type = spec->type ? spec->type :
			i == SOURCE_MATCH_ID ? ladder->match_type->name :
			ladder->player_type->name;
		Oid			given = attnum == InvalidAttrNumber ? InvalidOid :
			getBaseType(get_atttype(source, attnum));

		if (i > 0)
			appendStringInfoString(sql, ", ");
		if (attnum == InvalidAttrNumber || (unread & SOURCE_COLUMNS(i)) != 0)
		{
			if (strcmp(spec->needed, "yes") == 0)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("view %s has no column \"%s\"",
								ladder_relation_sql(ladder->cache, LADDER_SOURCE), spec->name),
						 errhint("A source needs match_id, played_at, player_id, team, and rank, team_score, player_score or won.")));
			appendStringInfo(sql, "CAST(NULL AS %s)", type);
		}
		else if (given == INTERVALOID && i >= SOURCE_RANK)
			appendStringInfo(sql, "pg_catalog.date_part('epoch', s.%s)", quote_identifier(spec->name));
		else if (given == BOOLOID)
			appendStringInfo(sql, "CAST(CAST(s.%s AS pg_catalog.int4) AS %s)",
							 quote_identifier(spec->name), type);
		else
			appendStringInfo(sql, "CAST(s.%s AS %s)",
							 quote_identifier(spec->name), type);
		appendStringInfo(sql, " AS %s", quote_identifier(spec->name));
	}
}

#define SOURCE_COLUMNS_PART {"source_columns", append_source_columns}

#define MATCHES "SELECT {source_columns} FROM {source} AS s WHERE s.match_id {match =} ANY ($1)"

/* Of one match the order of rows says nothing. */
static LadderQuery read_match_query = {
	.text = MATCHES,
	.param = {ARRAY_OF(VALUE_MATCH)},
	.part = SOURCE_COLUMNS_PART
};

static LadderQuery read_matches_query = {
	.text = MATCHES " ORDER BY 2, \"match_id\"{match order}",
	.param = {ARRAY_OF(VALUE_MATCH)},
	.part = SOURCE_COLUMNS_PART
};

#define RATED_COLUMNS \
	"m.match_id, m.seq, m.digest, m.status, m.reason, m.detail, m.void_reason, m.played_at, m.arrived_at, " \
	"m.size_advantage_ratio, m.size_advantage_difference"

/* Of a match that is gone there is one row, without source columns. */
static LadderQuery read_rated_query = {
	.text = "SELECT {source_columns}, " RATED_COLUMNS " "
	"FROM {rated_match} AS m LEFT JOIN {source} AS s ON s.match_id {match =} m.match_id "
	"WHERE m.seq OPERATOR(pg_catalog.>=) $1 ORDER BY m.seq",
	.param = {VALUE_INT8},
	.part = SOURCE_COLUMNS_PART
};

/* The next matches in rated order, of a chunk. */
#define MATCHES_OF_CHUNK 1000

static LadderQuery next_rated_query = {
	.text = "SELECT m.match_id, m.seq FROM {rated_match} AS m "
	"WHERE m.seq OPERATOR(pg_catalog.>=) $1 ORDER BY m.seq LIMIT " CppAsString2(MATCHES_OF_CHUNK),
	.param = {VALUE_INT8}
};

/*
 * The same as read_rated_query for given matches, those of $1 with what the
 * source has: nothing else of it is looked at.
 */
static LadderQuery read_chunk_query = {
	.text = "SELECT {source_columns}, " RATED_COLUMNS " "
	"FROM {rated_match} AS m LEFT JOIN {source} AS s ON s.match_id {match =} m.match_id "
	"AND s.match_id {match =} ANY ($1) WHERE m.match_id {match =} ANY ($2) ORDER BY m.seq",
	.param = {ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_MATCH)},
	.part = SOURCE_COLUMNS_PART
};

/*
 * ---- Readers ----
 */

/* A reader that has not run its query yet. */
static MatchReader *
reader_create(Ladder *ladder)
{
	MatchReader *reader = palloc0_object(MatchReader);

	reader->ladder = ladder;
	reader->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating match",
											ALLOCSET_SMALL_SIZES);
	source_match_init(&reader->match, ladder->match_type, ladder->player_type);
	reader->match.unused = ladder->unused;
	if (ladder_has_filters(ladder))
		reader->filters = read_filters(ladder);
	return reader;
}

/* Where the rows of a query go that a reader keeps. */
typedef struct RowKeeper
{
	DestReceiver receiver;
	MatchReader *reader;
} RowKeeper;

/* The columns are known when the query begins. */
static void
begin_rows(DestReceiver *self, int operation, TupleDesc desc)
{
	MatchReader *reader = ((RowKeeper *) self)->reader;
	MemoryContext old = MemoryContextSwitchTo(MemoryContextGetParent(reader->context));

	(void) operation;
	if (reader->slot == NULL)
		reader->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc), &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

static bool
keep_row(TupleTableSlot *slot, DestReceiver *self)
{
	tuplestore_puttupleslot(((RowKeeper *) self)->reader->store, slot);
	return true;
}

/* Fill the tuplestore with the rows of a query. */
static void
store_rows(MatchReader *reader, LadderQuery *query, const Datum *values,
		   const bool *nulls)
{
	RowKeeper	keeper = {*None_Receiver, reader};

	keeper.receiver.rStartup = begin_rows;
	keeper.receiver.receiveSlot = keep_row;
	ladder_execute(reader->ladder, query, values, nulls, &keeper.receiver);
}

/*
 * ---- Sources that raise errors ----
 */

/*
 * Find which of n matches the source cannot give, for reader->errors; the array of
 * all others.
 */
static Datum
find_readable(MatchReader *reader, Datum *ids, int n)
{
	IdType	   *type = reader->ladder->match_type;
	Datum	   *readable = huge_array(Datum, n);
	int			nreadable = 0;
	int			next = 0;
	int			i;

	reader->errors = huge_array(SourceError, n);
	reader->nerrors = careful_find(reader->ladder, &read_matches_query, ids, n,
								   error_is_about_data, reader->errors);

	/* The errors are in the order of the ids, and point at the same ones. */
	for (i = 0; i < n; i++)
		if (next < reader->nerrors && reader->errors[next].match_id == ids[i])
			next++;
		else
			readable[nreadable++] = ids[i];
	return id_array(type, readable, nreadable);
}

int
reader_find_errors(Ladder *ladder, Datum *ids, int n, bool (*takes) (int), SourceError *errors)
{
	return careful_find(ladder, &read_matches_query, ids, n, takes, errors);
}

/* What to read into the tuplestore, in a subtransaction. */
typedef struct StoreMatches
{
	MatchReader *reader;
	Datum		ids;
} StoreMatches;

static bool
store_matches(void *arg)
{
	StoreMatches *matches = (StoreMatches *) arg;
	ArrayType  *ids = DatumGetArrayTypeP(matches->ids);
	int			guc_level;

	if (ArrayGetNItems(ARR_NDIM(ids), ARR_DIMS(ids)) != 1)
	{
		store_rows(matches->reader, &read_matches_query, &matches->ids, NULL);
		return true;
	}

	/*
	 * The plan stays while tables grow.  Other joins can read small ones from end to end, by an
	 * index too.
	 */
	guc_level = NewGUCNestLevel();
	settings_set("enable_hashjoin", "off");
	settings_set("enable_mergejoin", "off");
	store_rows(matches->reader, &read_match_query, &matches->ids, NULL);
	AtEOXact_GUC(false, guc_level);
	return true;
}

MatchReader *
reader_open_matches(Ladder *ladder, Datum ids, bool strict, bool careful)
{
	MatchReader *reader = reader_create(ladder);
	StoreMatches matches = {reader, ids};

	reader->match.tolerant = !strict;
	reader->store = tuplestore_begin_heap(true, false, memory_limit_work_mem());
	if (!careful)
		(void) store_matches(&matches);
	else if (!in_subtransaction(store_matches, &matches, error_is_about_data))
	{
		IdType	   *type = ladder->match_type;
		Datum	   *id;
		int			n;

		deconstruct_array(DatumGetArrayTypeP(ids), type->type, type->typlen,
						  type->typbyval, type->typalign, &id, NULL, &n);
		tuplestore_clear(reader->store);
		matches.ids = find_readable(reader, id, n);
		(void) store_matches(&matches);
	}
	reader_rewind(reader);
	return reader;
}

/* Read the next chunk of matches in rated order, if there is one. */
static void
open_chunk(MatchReader *reader)
{
	const IdType *type = reader->ladder->match_type;
	MemoryContext old;
	Datum	   *id;
	int			n = 0;
	RowReader	rows;
	Datum		values[2];

	MemoryContextReset(reader->chunk);
	old = MemoryContextSwitchTo(reader->chunk);
	tuplestore_clear(reader->store);
	id = palloc_array(Datum, MATCHES_OF_CHUNK);
	values[0] = Int64GetDatum(reader->next_seq);
	for (row_reader_open(&rows, reader->ladder, &next_rated_query, values); rows.have_row;
		 row_reader_next(&rows))
	{
		QueryRow	row = reader_row(&rows);

		id[n++] = next_id(&row, type);
		reader->next_seq = 1 + next_int64(&row);
	}
	row_reader_close(&rows);
	if (n > 0)
	{
		values[0] = find_readable(reader, id, n);
		values[1] = id_array(type, id, n);
		store_rows(reader, &read_chunk_query, values, NULL);
	}
	MemoryContextSwitchTo(old);
}

/* Go on, or begin, in rated order from a place on, a chunk at a time. */
static void
become_careful(MatchReader *reader, int64 from)
{
	MemoryContext old =
		MemoryContextSwitchTo(MemoryContextGetParent(reader->context));

	reader->failed = false;
	reader->careful = true;
	reader->next_seq = from;
	reader->chunk = AllocSetContextCreate(CurrentMemoryContext,
										  "skillrating chunk of matches",
										  ALLOCSET_DEFAULT_SIZES);
	reader->store = tuplestore_begin_heap(false, false, memory_limit_work_mem());
	open_chunk(reader);
	MemoryContextSwitchTo(old);
}

static bool
open_stream(void *arg)
{
	MatchReader *reader = (MatchReader *) arg;

	row_reader_open(&reader->stream, reader->ladder, &read_rated_query,
					DATUMS(Int64GetDatum(reader->next_seq)));
	return true;
}

static bool
read_stream(void *arg)
{
	row_reader_next(&((MatchReader *) arg)->stream);
	return true;
}

static void
take_from_stream(MatchReader *reader)
{
	reader->have_row = !reader->failed && reader->stream.have_row;
	if (reader->have_row)
		reader->row = reader_row(&reader->stream);
}

/* Fetch the next row of the stream; reader->failed if it raises an error. */
static void
fetch_from_stream(MatchReader *reader)
{
	if (!row_reader_is_drained(&reader->stream))
		row_reader_next(&reader->stream);
	else
		reader->failed = !in_subtransaction(read_stream, reader, error_is_bearable);
	take_from_stream(reader);
}

/*
 * Fetch the next row.  One that comes back from disk is the slot's own, and
 * must outlive the match before it.
 */
static void
fetch_row(MatchReader *reader)
{
	MemoryContext old;

	if (reader->rated && !reader->careful)
	{
		fetch_from_stream(reader);
		return;
	}
	reader->have_row = false;
	if (reader->slot == NULL)
		return;
	old = MemoryContextSwitchTo(reader->slot->tts_mcxt);
	reader->have_row = tuplestore_gettupleslot(reader->store, true, false,
											   reader->slot);
	if (reader->have_row)
	{
		slot_getallattrs(reader->slot);
		reader->row = (QueryRow) {reader->slot->tts_values, reader->slot->tts_isnull};
	}
	MemoryContextSwitchTo(old);
}

MatchReader *
reader_open_rated(Ladder *ladder, int64 from)
{
	MatchReader *reader = reader_create(ladder);

	reader->match.tolerant = true;
	reader->rated = true;
	reader->next_seq = from;
	if (in_subtransaction(open_stream, reader, error_is_bearable))
		take_from_stream(reader);
	else
	{
		become_careful(reader, from);
		fetch_row(reader);
	}
	return reader;
}

void
reader_rewind(MatchReader *reader)
{
	/* A single match need not be read twice. */
	reader->stays = reader->nread == 1 && !reader->have_row && reader->nerrors == 0;
	reader->nread = 0;
	if (reader->stays)
		return;
	tuplestore_rescan(reader->store);
	reader->next_error = 0;
	fetch_row(reader);
}

void
reader_close(MatchReader *reader)
{
	if (reader->rated && !reader->careful)
		row_reader_close(&reader->stream);
	else
	{
		if (reader->slot != NULL)
			ExecDropSingleTupleTableSlot(reader->slot);
		tuplestore_end(reader->store);
	}
	if (reader->chunk != NULL)
		MemoryContextDelete(reader->chunk);
	MemoryContextDelete(reader->context);
}

/*
 * What rated_match has, and at the end the advantage of the larger team that the match took; false
 * if the source no longer has the match, or raises an error for it.
 */
static bool
read_rated_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	QueryRow	row = {reader->row.value + SOURCE_NCOLUMNS, reader->row.null + SOURCE_NCOLUMNS};

	match->id = next_id(&row, reader->ladder->match_type);
	match->seq = next_int64(&row);
	match->rated_digest = next_int64(&row);
	match->status = next_text(&row);
	match->reason = next_text(&row);
	match->detail = next_text(&row);
	match->void_reason = next_text(&row);
	match->rated_played_at = next_time(&row);
	match->rated_arrived_at = next_time(&row);
	match->advantage_given = !row.null[0] && !row.null[1];
	match->advantage[SIZE_ADVANTAGE_RATIO] = next_number(&row);
	match->advantage[SIZE_ADVANTAGE_DIFFERENCE] = next_number(&row);
	return !reader->row.null[SOURCE_MATCH_ID];
}

void
reader_set_unreadable(MatchReader *reader, int reason, const char *detail,
					  const char *digested)
{
	SourceMatch *match = &reader->match;

	match->unreadable = unrated(reason, detail);
	match->digest = digest_text(digested);

	/* A match that has a place keeps the time that it has there. */
	match->played_at = reader->rated ? match->rated_played_at : DT_NOBEGIN;
}

/* Begin a match of which the source gives an error, if there is one, instead of rows. */
static void
begin_without_rows(MatchReader *reader, const SourceError *error)
{
	SourceMatch *match = &reader->match;

	match->number++;
	match->n = 0;
	match->pool = pstrdup("");
	match->unrated_reason = NULL;
	match->arrived_at = DT_NOBEGIN;
	match->eligibility = NULL;
	match->set_aside = match->fault = match->unreadable = unrated_nothing;
	match->vanished = error == NULL;
	if (error != NULL)
		reader_set_unreadable(reader, UNRATED_SOURCE_ERROR,
							  psprintf("error %s in the source: %s", unpack_sql_state(error->sqlerrcode),
									   error->message),
							  unpack_sql_state(error->sqlerrcode));
}

/* The error that the source raised for the current match, or NULL. */
static const SourceError *
find_error(const MatchReader *reader)
{
	int			i;

	for (i = 0; i < reader->nerrors; i++)
		if (id_equal(reader->ladder->match_type, reader->errors[i].match_id,
					 reader->match.id))
			return &reader->errors[i];
	return NULL;
}

static void
begin_match(MatchReader *reader)
{
	SourceMatch *match = &reader->match;

	match->n = 0;
	match->id = (Datum) 0;
	match->vanished = false;
	match->void_reason = NULL;
	match->advantage_given = false;
	if (reader->rated && !read_rated_columns(reader))
	{
		begin_without_rows(reader, reader->careful ? find_error(reader) : NULL);
		return;
	}
	memset(&reader->digests, 0, sizeof(MatchDigests));
	source_match_begin(match, reader->row.value, reader->row.null);
}

/* Whether the row at hand belongs to the current match. */
static bool
same_match(MatchReader *reader)
{
	/* Of a match without rows in the source there is one without it. */
	if (reader->rated && reader->row.null[SOURCE_MATCH_ID])
		return false;
	if (reader->row.null[SOURCE_MATCH_ID])
		source_match_lacks(&reader->match, SOURCE_MATCH_ID);
	return id_equal(reader->ladder->match_type, reader->match.id, reader->row.value[SOURCE_MATCH_ID]);
}

/*
 * Where time makes the order, the place of a match that comes too late is among those that are
 * history no more.
 */
static void
set_aside_before_horizon(MatchReader *reader)
{
	const Ladder *ladder = reader->ladder;
	SourceMatch *match = &reader->match;

	if (!ladder->reorders || match->played_at >= ladder->horizon_at ||
		(reader->rated && match->seq <= ladder->horizon) || match->set_aside.detail != NULL)
		return;
	match->set_aside = unrated(UNRATED_BEFORE_HORIZON, "played before the horizon of the ladder");
}

/* When all rows of a match were read: its digests, and its order. */
static void
finish_match(MatchReader *reader)
{
	SourceMatch *match = &reader->match;

	if (match->unreadable.detail != NULL)
	{
		reader_set_unreadable(reader, match->unreadable.reason,
							  match->unreadable.detail, match->unreadable.detail);
		if (reader->filters != NULL)
			filter_match(reader->filters, match);
		return;
	}
	match_digests_finish(&reader->digests, reader->renaming, match);
	if (reader->rated && TIMESTAMP_NOT_FINITE(match->played_at))
		match->played_at = match->rated_played_at;
	if (reader->rated)
		source_match_arrive(match, match->rated_played_at, match->rated_arrived_at);
	source_match_sort(match);
	if (reader->filters != NULL)
		filter_match(reader->filters, match);
	if (reader->ladder->horizon != NO_HORIZON)
		set_aside_before_horizon(reader);
}

/*
 * Read the match whose first row is at hand; false if the source raised an error
 * meanwhile, in rated order.
 */
static bool
read_match(MatchReader *reader)
{
	SourceMatch *match = &reader->match;

	begin_match(reader);
	if (match->vanished || match->unreadable.detail != NULL)
	{
		fetch_row(reader);
		return !reader->failed;
	}
	do
	{
		Datum		player = reader->row.value[SOURCE_PLAYER_ID];
		Participant *p = source_match_add(match, reader->row.value, reader->row.null);

		if (p != NULL)
			match_digests_add(&reader->digests, match, reader->renaming, p, player);
		fetch_row(reader);
	} while (reader->have_row && same_match(reader));
	if (reader->failed)
		return false;
	finish_match(reader);
	return true;
}

/* The next of the matches of a batch that the source cannot give. */
static bool
next_unreadable(MatchReader *reader)
{
	const SourceError *error;

	if (reader->rated || reader->next_error == reader->nerrors)
		return false;
	error = &reader->errors[reader->next_error++];
	reader->match.id = error->match_id;
	reader->match.void_reason = NULL;
	begin_without_rows(reader, error);
	return true;
}

bool
reader_next(MatchReader *reader)
{
	MemoryContext old;
	bool		found;

	CHECK_FOR_INTERRUPTS();
	if (reader->stays)
	{
		reader->stays = false;
		return true;
	}
	if (!reader->have_row && !reader->careful && reader->next_error == reader->nerrors)
		return false;

	/* The row at hand outlives the context. */
	MemoryContextReset(reader->context);
	if (!reader->have_row && reader->careful)
	{
		open_chunk(reader);
		fetch_row(reader);
	}
	old = MemoryContextSwitchTo(reader->context);
	if (!reader->have_row)
		found = next_unreadable(reader);
	else
	{
		found = read_match(reader);
		if (!found)
		{
			int64		seq = reader->match.seq;

			row_reader_close(&reader->stream);
			become_careful(reader, seq);
			fetch_row(reader);
			found = reader->have_row && read_match(reader);
		}
	}
	MemoryContextSwitchTo(old);
	reader->nread += found;
	return found;
}

void
reader_compare(Ladder *ladder, IdTable *matches)
{
	Datum		ids = id_array(ladder->match_type, id_table_ids(matches),
							   id_table_count(matches));
	MatchReader *reader = reader_open_matches(ladder, ids, false, true);

	while (reader_next(reader))
	{
		ComparedMatch *match = id_table_find(matches, reader->match.id, "");

		/* One with several times comes in pieces, and is known by that. */
		if (match == NULL)
			elog(ERROR, "source returned a match that was not asked for");
		match->same = match->digest == (match->met ? digest_text(PLAYED_AT_DIFFERS) :
										reader->match.digest);
		match->met = true;
		match->played_at = reader->match.played_at;
	}
	reader_close(reader);
}
