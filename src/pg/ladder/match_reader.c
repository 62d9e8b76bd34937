/*
 * match_reader.c
 *		Matches as they come from a ladder's source.
 */
#include "pg/ladder/match_reader.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/tstoreReceiver.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "pg/ladder/cache.h"

/*
 * ---- Queries ----
 */

/*
 * The select list over a source aliased s: every canonical column, those that
 * it lacks as nulls.
 */
static void
append_source_columns(QueryDraft *draft)
{
	const Ladder *ladder = draft->ladder;
	StringInfo	sql = &draft->sql;
	Oid			source = ladder->cache->relation[LADDER_SOURCE];
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const SourceColumnSpec *spec = &source_columns[i];
		AttrNumber	attnum = get_attnum(source, spec->name);
		const char *type = spec->type ? spec->type :
			i == SOURCE_MATCH_ID ? ladder->match_type->name :
			ladder->player_type->name;

		if (i > 0)
			appendStringInfoString(sql, ", ");
		if (attnum == InvalidAttrNumber)
		{
			if (strcmp(spec->needed, "yes") == 0)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("view %s has no column \"%s\"",
								ladder_relation_sql(ladder->cache, LADDER_SOURCE), spec->name),
						 errhint("A source needs match_id, played_at, player_id, team, and rank, score or won.")));
			appendStringInfo(sql, "CAST(NULL AS %s)", type);
		}
		else if (get_atttype(source, attnum) == BOOLOID)
			appendStringInfo(sql, "CAST(CAST(s.%s AS pg_catalog.int4) AS %s)",
							 quote_identifier(spec->name), type);
		else
			appendStringInfo(sql, "CAST(s.%s AS %s)",
							 quote_identifier(spec->name), type);
		appendStringInfo(sql, " AS %s", quote_identifier(spec->name));
	}
}

static LadderQuery read_matches_query = {
	.text = "SELECT {source_columns} FROM {source} AS s WHERE s.match_id {match =} ANY ($1) "
	"ORDER BY 2, \"match_id\"{match order}",
	.param = {ARRAY_OF(VALUE_MATCH)},
	.part = {{"source_columns", append_source_columns}}
};

/* Of a match that is gone there is one row, without source columns. */
static LadderQuery read_rated_query = {
	.text = "SELECT {source_columns}, m.seq, m.digest, m.status, m.reason, m.void_reason, m.match_id "
	"FROM {rated_match} AS m LEFT JOIN {source} AS s ON s.match_id {match =} m.match_id "
	"WHERE m.seq OPERATOR(pg_catalog.>=) $1 ORDER BY m.seq",
	.param = {VALUE_INT8},
	.part = {{"source_columns", append_source_columns}}
};

/* The columns of that behind those of the source. */
enum
{
	RATED_SEQ = SOURCE_NCOLUMNS + 1,
	RATED_DIGEST,
	RATED_STATUS,
	RATED_REASON,
	RATED_VOID_REASON,
	RATED_MATCH_ID
};

static TupleDesc
source_desc(const Ladder *ladder)
{
	TupleDesc	desc = CreateTemplateTupleDesc(SOURCE_NCOLUMNS);
	int			i;

	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		Oid			type = FLOAT8OID;

		if (i == SOURCE_MATCH_ID)
			type = ladder->match_type->type;
		else if (i == SOURCE_PLAYED_AT)
			type = TIMESTAMPTZOID;
		else if (i == SOURCE_TEAM)
			type = INT4OID;
		else if (i == SOURCE_PLAYER_ID)
			type = ladder->player_type->type;
		else if (i == SOURCE_POOL || i == SOURCE_UNRATED_REASON)
			type = TEXTOID;
		TupleDescInitEntry(desc, (AttrNumber) (i + 1),
						   source_column_name(i), type, -1, 0);
	}
	return desc;
}

/*
 * ---- Filters ----
 */

/* Players who are merged into others, and who are excluded for a time. */
static LadderQuery read_filters_query = {
	.text = "SELECT kind, player_id, into_id, since, until FROM {operation} WHERE "
	OPERATION_FILTERS " ORDER BY seq"
};

enum
{
	FILTER_KIND = 1,
	FILTER_PLAYER,
	FILTER_INTO,
	FILTER_SINCE,
	FILTER_UNTIL,
	FILTER_NCOLUMNS = FILTER_UNTIL
};

typedef struct Exclusion
{
	TimestampTz since;
	TimestampTz until;
	struct Exclusion *next;
} Exclusion;

typedef struct Filters
{
	IdTable    *merged;			/* to the identifier that counts */
	IdTable    *excluded;		/* to Exclusion */
} Filters;

static void
add_merge(Filters *filters, IdType *type, Datum player, Datum into)
{
	Datum	   *copy = palloc_object(Datum);
	bool		found;

	*copy = datumCopy(into, type->typbyval, type->typlen);
	*id_table_enter(filters->merged, player, "", &found) = copy;
}

static void
add_exclusion(Filters *filters, Datum player, TimestampTz since,
			  TimestampTz until)
{
	Exclusion  *exclusion = palloc_object(Exclusion);
	bool		found;
	void	  **place = id_table_enter(filters->excluded, player, "", &found);

	exclusion->since = since;
	exclusion->until = until;
	exclusion->next = *place;
	*place = exclusion;
}

static Filters *
read_filters(Ladder *ladder)
{
	IdType	   *type = ladder->player_type;
	Filters    *filters = palloc_object(Filters);
	uint64		nrows = ladder_execute(ladder, &read_filters_query, NULL, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	uint64		row;

	filters->merged = id_table_create(type);
	filters->excluded = id_table_create(type);
	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = rows->vals[row];
		Datum		value[FILTER_NCOLUMNS + 1];
		bool		null[FILTER_NCOLUMNS + 1];

		heap_deform_tuple(tuple, rows->tupdesc, value + 1, null + 1);
		if (null[FILTER_PLAYER])
			continue;
		if (strcmp(SPI_getvalue(tuple, rows->tupdesc, FILTER_KIND), "merge") == 0)
			add_merge(filters, type, value[FILTER_PLAYER], value[FILTER_INTO]);
		else
			add_exclusion(filters, value[FILTER_PLAYER],
						  null[FILTER_SINCE] ? DT_NOBEGIN :
						  DatumGetTimestampTz(value[FILTER_SINCE]),
						  null[FILTER_UNTIL] ? DT_NOEND :
						  DatumGetTimestampTz(value[FILTER_UNTIL]));
	}
	SPI_freetuptable(rows);
	return filters;
}

static bool
is_excluded(const Filters *filters, Datum player, TimestampTz played_at)
{
	const Exclusion *exclusion = id_table_find(filters->excluded, player, "");

	for (; exclusion != NULL; exclusion = exclusion->next)
		if (played_at >= exclusion->since && played_at < exclusion->until)
			return true;
	return false;
}

/* Who a player counts as; one account may lead to the next. */
static Datum
merged_player(const Filters *filters, Datum player)
{
	int			steps = id_table_count(filters->merged);
	const Datum *into;

	while (steps-- > 0 &&
		   (into = id_table_find(filters->merged, player, "")) != NULL)
		player = *into;
	return player;
}

/*
 * ---- Readers ----
 */

/* A reader that has not run its query yet. */
static MatchReader *
reader_create(Ladder *ladder, bool anonymous)
{
	MatchReader *reader = palloc0_object(MatchReader);

	reader->ladder = ladder;
	reader->anonymous = anonymous;
	reader->context = AllocSetContextCreate(CurrentMemoryContext,
											"skillrating match",
											ALLOCSET_SMALL_SIZES);
	source_match_init(&reader->match, anonymous ? NULL : ladder->match_type,
					  ladder->player_type);
	if (ladder->filters)
		reader->filters = read_filters(ladder);
	return reader;
}

MatchReader *
reader_open_rated(Ladder *ladder, int64 from)
{
	MatchReader *reader = reader_create(ladder, false);
	Datum		values[1];

	values[0] = Int64GetDatum(from);
	reader->rated = true;
	row_reader_open(&reader->stream, ladder, &read_rated_query, values);
	reader->slot = reader->stream.slot;
	reader->have_row = reader->stream.have_row;
	return reader;
}

MatchReader *
reader_open_query(Ladder *ladder, LadderQuery *query, const Datum *values,
				  const bool *nulls, bool anonymous)
{
	MatchReader *reader = reader_create(ladder, anonymous);
	DestReceiver *dest = CreateDestReceiver(DestTuplestore);

	reader->store = tuplestore_begin_heap(true, false, memory_limit_work_mem());
	SetTuplestoreDestReceiverParams(dest, reader->store, CurrentMemoryContext,
									false, NULL, NULL);
	ladder_execute(ladder, query, values, nulls, dest);
	dest->rDestroy(dest);
	reader->slot = MakeSingleTupleTableSlot(source_desc(ladder),
											&TTSOpsMinimalTuple);
	reader_rewind(reader);
	return reader;
}

MatchReader *
reader_open_matches(Ladder *ladder, Datum ids)
{
	return reader_open_query(ladder, &read_matches_query, &ids, NULL, false);
}

/*
 * Fetch the next row.  One that comes back from disk is the slot's own, and
 * must outlive the match before it.
 */
static void
fetch_row(MatchReader *reader)
{
	MemoryContext old;

	if (reader->rated)
	{
		row_reader_next(&reader->stream);
		reader->have_row = reader->stream.have_row;
		return;
	}
	old = MemoryContextSwitchTo(reader->slot->tts_mcxt);
	reader->have_row = tuplestore_gettupleslot(reader->store, true, false,
											   reader->slot);
	MemoryContextSwitchTo(old);
}

void
reader_rewind(MatchReader *reader)
{
	tuplestore_rescan(reader->store);
	fetch_row(reader);
}

void
reader_close(MatchReader *reader)
{
	if (reader->rated)
		row_reader_close(&reader->stream);
	else
	{
		ExecDropSingleTupleTableSlot(reader->slot);
		tuplestore_end(reader->store);
	}
	MemoryContextDelete(reader->context);
}

/* The columns of the row in the slot, by SourceColumn. */
static const Datum *
source_values(MatchReader *reader)
{
	slot_getallattrs(reader->slot);
	return reader->slot->tts_values;
}

static const bool *
source_nulls(MatchReader *reader)
{
	return reader->slot->tts_isnull;
}

static char *
row_text(MatchReader *reader, int attnum)
{
	bool		isnull;
	Datum		value = slot_getattr(reader->slot, attnum, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * What rated_match has; false if the source no longer has the match.
 */
static bool
read_rated_columns(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->match_type;
	bool		isnull;

	match->seq = DatumGetInt64(slot_getattr(reader->slot, RATED_SEQ, &isnull));
	match->rated_digest = DatumGetInt64(slot_getattr(reader->slot,
													 RATED_DIGEST, &isnull));
	match->status = row_text(reader, RATED_STATUS);
	match->reason = row_text(reader, RATED_REASON);
	match->void_reason = row_text(reader, RATED_VOID_REASON);
	match->id = datumCopy(slot_getattr(reader->slot, RATED_MATCH_ID, &isnull),
						  type->typbyval, type->typlen);
	match->vanished = slot_attisnull(reader->slot, SOURCE_MATCH_ID + 1);
	return !match->vanished;
}

static void
begin_match(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	const Datum *values = source_values(reader);

	match->n = 0;
	match->id = (Datum) 0;
	match->set_aside = NULL;
	match->vanished = false;
	match->void_reason = NULL;
	if (reader->rated && !read_rated_columns(reader))
		return;
	source_match_begin(match, values, source_nulls(reader));
}

/* Whether the row in the slot belongs to the current match. */
static bool
same_match(MatchReader *reader)
{
	if (reader->anonymous)
		return true;

	/* Of a match that is gone there is one row without it. */
	if (reader->match.vanished ||
		(reader->rated && slot_attisnull(reader->slot, SOURCE_MATCH_ID + 1)))
		return false;
	return id_equal(reader->ladder->match_type, reader->match.id,
					source_match_required(&reader->match, SOURCE_MATCH_ID,
										  source_values(reader),
										  source_nulls(reader)));
}

/* What of a participant goes into the digest, without padding. */
typedef struct DigestRow
{
	uint64		player;
	int64		team;
	double		number[SOURCE_NCOLUMNS - SOURCE_RANK];
} DigestRow;

static uint64
digest_bytes(const void *bytes, int length)
{
	return hash_bytes_extended((const unsigned char *) bytes, length, 0);
}

/*
 * Put the player in place for whom an account counts.  Matches of somebody who is
 * excluded do not count, nor those where two accounts of one player met.
 */
static void
filter_participant(MatchReader *reader, int participant)
{
	SourceMatch *match = &reader->match;
	IdType	   *type = reader->ladder->player_type;
	Datum		account = match->account_id[participant];
	Datum		player = merged_player(reader->filters, account);
	int			i;

	match->player_id[participant] = player;
	if (match->set_aside != NULL)
		return;
	if (is_excluded(reader->filters, account, match->played_at) ||
		is_excluded(reader->filters, player, match->played_at))
	{
		match->set_aside = psprintf("player %s is excluded",
									id_text(type, account));
		return;
	}
	if (id_table_count(reader->filters->merged) == 0)
		return;
	for (i = 0; i < participant; i++)
		if (id_equal(type, match->player_id[i], player) &&
			!id_equal(type, match->account_id[i], account))
			match->set_aside = psprintf("player %s takes part under two accounts",
										id_text(type, player));
}

static void
read_participant(MatchReader *reader)
{
	SourceMatch *match = &reader->match;
	const Datum *values = source_values(reader);
	Participant *p = source_match_add(match, values, source_nulls(reader));
	DigestRow	row;
	int			i;

	if (p == NULL)
		return;
	row.player = id_hash(reader->ladder->player_type, values[SOURCE_PLAYER_ID]);
	row.team = p->team;
	for (i = SOURCE_RANK; i < SOURCE_NCOLUMNS; i++)
		row.number[i - SOURCE_RANK] = *source_number(p, i);
	if (reader->filters != NULL)
		filter_participant(reader, match->n - 1);

	/* A sum, so that the digest does not depend on the order of the rows. */
	match->digest = (int64) ((uint64) match->digest +
							 digest_bytes(&row, sizeof(row)));
}

static int64
digest_match_columns(const SourceMatch *match)
{
	double		numbers[3];
	uint64		digest;

	numbers[0] = match->log_odds;
	numbers[1] = match->gain;
	numbers[2] = match->unrated_reason != NULL;
	digest = digest_bytes(numbers, sizeof(numbers));
	digest = hash_combine64(digest, digest_bytes(&match->played_at,
												 sizeof(match->played_at)));
	digest = hash_combine64(digest, digest_bytes(match->pool,
												 strlen(match->pool)));
	if (match->unrated_reason != NULL)
		digest = hash_combine64(digest,
								digest_bytes(match->unrated_reason,
											 strlen(match->unrated_reason)));
	return (int64) digest;
}

bool
reader_next(MatchReader *reader)
{
	MemoryContext old;
	SourceMatch *match = &reader->match;

	if (!reader->have_row)
		return false;
	CHECK_FOR_INTERRUPTS();

	MemoryContextReset(reader->context);
	old = MemoryContextSwitchTo(reader->context);
	begin_match(reader);
	if (match->vanished)
	{
		fetch_row(reader);
		MemoryContextSwitchTo(old);
		return true;
	}
	match->digest = digest_match_columns(match);
	do
	{
		read_participant(reader);
		fetch_row(reader);
	} while (reader->have_row && same_match(reader));
	source_match_sort(match);
	MemoryContextSwitchTo(old);
	return true;
}
