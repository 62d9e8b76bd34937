/*
 * corrections.c
 *		The places from which the history of a ladder is out of date.
 *
 * They are collected while a batch works, and sent once, at its end, under the lock that the work
 * has on the ladder.  The arrays are Datums as the query takes them.  Identifiers are the caller's
 * and must outlive the sending; what is allocated here goes with the context in which
 * corrections_make() was called.
 */
#include "pg/ladder/corrections.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "pg/ladder/plans.h"
#include "pg/sql/huge.h"

static LadderQuery insert_corrections_query = {
	.text = "INSERT INTO {correction} (seq, match_id, kind, played_at) "
	"SELECT CASE WHEN c.kind OPERATOR(pg_catalog.<>) 'late' THEN c.seq END, c.match_id, c.kind, c.played_at "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) "
	"AS c(seq, match_id, kind, played_at)",
	.param = {ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TIME)}
};

/* Most work on a ladder finds none, or one. */
#define FEW_CORRECTIONS 8

/* Room for n corrections; growing keeps the context in which the arrays were made. */
static void
reserve(Corrections *corrections, int n)
{
	huge_array_grow(corrections->seq, Datum, n);
	huge_array_grow(corrections->match_id, Datum, n);
	huge_array_grow(corrections->no_match, bool, n);
	huge_array_grow(corrections->digest, Datum, n);
	huge_array_grow(corrections->kind, Datum, n);
	huge_array_grow(corrections->played_at, Datum, n);
	corrections->max = n;
}

Corrections
corrections_make(void)
{
	Corrections corrections = {0};

	reserve(&corrections, FEW_CORRECTIONS);
	return corrections;
}

/* Add a correction, of a match or of none. */
static void
append(Corrections *corrections, Datum match_id, bool no_match, int64 digest, int64 seq,
	   const char *kind, TimestampTz played_at)
{
	int			n = corrections->n;

	if (n == corrections->max)
		reserve(corrections, 2 * n);
	corrections->n++;
	corrections->seq[n] = Int64GetDatum(seq);
	corrections->match_id[n] = match_id;
	corrections->no_match[n] = no_match;
	corrections->digest[n] = Int64GetDatum(digest);
	corrections->kind[n] = CStringGetTextDatum(kind);
	corrections->played_at[n] = TimestampTzGetDatum(played_at);
}

void
corrections_add(Corrections *corrections, int64 seq, const char *kind, TimestampTz played_at)
{
	append(corrections, (Datum) 0, true, 0, seq, kind, played_at);
}

void
corrections_add_match(Corrections *corrections, Datum match_id, int64 digest, int64 seq,
					  const char *kind, TimestampTz played_at)
{
	append(corrections, match_id, false, digest, seq, kind, played_at);
}

/* Whether a correction is of what lies before the horizon; an error if that is an operation. */
static bool
is_before_horizon(const Ladder *ladder, const Corrections *corrections, int i)
{
	int64		seq = DatumGetInt64(corrections->seq[i]);

	if (ladder->horizon == NO_HORIZON || seq > ladder->horizon ||
		strcmp(TextDatumGetCString(corrections->kind[i]), "late") == 0)
		return false;
	if (corrections->no_match[i])
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("place " INT64_FORMAT " of ladder \"%s\" lies before its horizon",
						seq, ladder->name)));
	return true;
}

static LadderQuery note_digests_query = {
	.text = "UPDATE {rated_match} AS m SET digest = c.digest "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS c(match_id, digest) "
	"WHERE m.match_id {match =} c.match_id",
	.param = {ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_INT8)}
};

/*
 * Note what the source has now of n matches that stay as they were rated.  Ladders of the
 * same source that go further back find out by that: they compare digests.
 */
static void
note_digests(Ladder *ladder, Datum *match_id, Datum *digest, int n)
{
	Datum		values[2];

	values[0] = id_array(ladder->match_type, match_id, n);
	values[1] = PointerGetDatum(construct_array(digest, n, INT8OID, sizeof(int64),
												FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	ladder_execute(ladder, &note_digests_query, values, NULL, NULL);
}

static void
warn_of_dropped(const Ladder *ladder, Datum first, int ndropped)
{
	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg_plural("%d match of ladder \"%s\" lies before its horizon and stays as it was rated, first: %s",
						   "%d matches of ladder \"%s\" lie before its horizon and stay as they were rated, first: %s",
						   ndropped, ndropped, ladder->name,
						   id_text(ladder->match_type, first)),
			 errdetail("History can be corrected behind place " INT64_FORMAT " only, see set_horizon().",
					   ladder->horizon)));
}

/*
 * Leave out matches before the horizon, which nobody can correct any more.  That is a warning
 * only, because the transaction that has changed matches of its own must not fail for it.
 */
static void
drop_before_horizon(Ladder *ladder, Corrections *corrections)
{
	Datum	   *dropped = huge_array(Datum, corrections->n);
	Datum	   *digest = huge_array(Datum, corrections->n);
	int			ndropped = 0;
	int			n = 0;
	int			i;

	for (i = 0; i < corrections->n; i++)
	{
		if (is_before_horizon(ladder, corrections, i))
		{
			dropped[ndropped] = corrections->match_id[i];
			digest[ndropped++] = corrections->digest[i];
			continue;
		}

		/* But for its digest, which nobody asks for from here on. */
		corrections->seq[n] = corrections->seq[i];
		corrections->match_id[n] = corrections->match_id[i];
		corrections->no_match[n] = corrections->no_match[i];
		corrections->kind[n] = corrections->kind[i];
		corrections->played_at[n++] = corrections->played_at[i];
	}
	corrections->n = n;
	if (ndropped > 0)
	{
		/*
		 * The warning comes after the query, whose error would make it
		 * untrue.
		 */
		note_digests(ladder, dropped, digest, ndropped);
		warn_of_dropped(ladder, dropped[0], ndropped);
	}
	pfree(dropped);
	pfree(digest);
}

void
corrections_send(Ladder *ladder, Corrections *corrections)
{
	const IdType *type = ladder->match_type;
	Datum		values[4];
	int			n;
	int			lower_bound = 1;

	/* Under the lock on the ladder, so that the horizon stays where it is. */
	if (ladder->horizon != NO_HORIZON && corrections->n > 0)
		drop_before_horizon(ladder, corrections);
	n = corrections->n;
	if (n == 0)
		return;
	values[0] = PointerGetDatum(construct_array(corrections->seq, n, INT8OID,
												sizeof(int64), FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));

	/* Operations have no match: this array alone has nulls. */
	values[1] = PointerGetDatum(construct_md_array(corrections->match_id,
												   corrections->no_match, 1, &n,
												   &lower_bound, type->type,
												   type->typlen, type->typbyval,
												   type->typalign));
	values[2] = PointerGetDatum(construct_array(corrections->kind, n, TEXTOID,
												-1, false, TYPALIGN_INT));
	values[3] = PointerGetDatum(construct_array(corrections->played_at, n,
												TIMESTAMPTZOID,
												sizeof(TimestampTz),
												FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));
	ladder_execute(ladder, &insert_corrections_query, values, NULL, NULL);
}

/*
 * ---- Those that are dealt with ----
 */

static LadderQuery read_corrections_query = {
	.text = "SELECT c.seq, c.tableoid, c.ctid FROM {correction} AS c "
	"WHERE c.seq OPERATOR(pg_catalog.>=) $1 OR (c.seq IS NULL AND $2)",
	.param = {VALUE_INT8, VALUE_BOOL}
};

enum
{
	CORRECTION_SEQ = 1,
	CORRECTION_TABLE,
	CORRECTION_TID
};

void
corrections_read(Ladder *ladder, int64 from, bool late, CorrectionRows *rows)
{
	Datum		values[2];
	SPITupleTable *tuples;
	int64		n;
	int64		i;

	values[0] = Int64GetDatum(from);
	values[1] = BoolGetDatum(late);
	n = (int64) ladder_execute(ladder, &read_corrections_query, values, NULL, NULL);
	tuples = SPI_tuptable;
	huge_array_grow(rows->row, CorrectionRow, rows->n + n + 1);
	for (i = 0; i < n; i++)
	{
		HeapTuple	tuple = tuples->vals[i];
		CorrectionRow *row = &rows->row[rows->n++];
		bool		isnull;

		row->seq = DatumGetInt64(SPI_getbinval(tuple, tuples->tupdesc, CORRECTION_SEQ,
											   &isnull));
		if (isnull)
			row->seq = PG_INT64_MIN;
		row->table = DatumGetObjectId(SPI_getbinval(tuple, tuples->tupdesc, CORRECTION_TABLE,
													&isnull));
		row->tid = *(ItemPointer) DatumGetPointer(SPI_getbinval(tuple, tuples->tupdesc,
																CORRECTION_TID, &isnull));
	}
	SPI_freetuptable(tuples);
}

void
corrections_keep(CorrectionRows *rows, int64 behind, int64 before)
{
	int64		n = 0;
	int64		i;

	for (i = 0; i < rows->n; i++)
		if (rows->row[i].seq > behind && rows->row[i].seq < before)
			rows->row[n++] = rows->row[i];
	rows->n = n;
}

int64
corrections_first(const CorrectionRows *rows)
{
	int64		first = PG_INT64_MAX;
	int64		i;

	for (i = 0; i < rows->n; i++)
		if (rows->row[i].seq != PG_INT64_MIN)
			first = Min(first, rows->row[i].seq);
	return first;
}

static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} AS c "
	"USING ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS d(relation, tid) "
	"WHERE c.ctid OPERATOR(pg_catalog.=) CAST(d.tid AS pg_catalog.tid) "
	"AND CAST(c.tableoid AS pg_catalog.int8) OPERATOR(pg_catalog.=) d.relation",
	.param = {ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_TEXT)}
};

/* Delete so many at once. */
#define DELETED_AT_ONCE 10000

void
corrections_delete(Ladder *ladder, const CorrectionRows *rows)
{
	int64		i;

	for (i = 0; i < rows->n; i += DELETED_AT_ONCE)
	{
		int			n = (int) Min(rows->n - i, DELETED_AT_ONCE);
		Datum	   *table = palloc_array(Datum, n);
		Datum	   *tid = palloc_array(Datum, n);
		Datum		values[2];
		int			j;

		for (j = 0; j < n; j++)
		{
			const CorrectionRow *row = &rows->row[i + j];

			table[j] = Int64GetDatum((int64) row->table);
			tid[j] = CStringGetTextDatum(psprintf("(%u,%u)",
												  ItemPointerGetBlockNumber(&row->tid),
												  ItemPointerGetOffsetNumber(&row->tid)));
		}
		values[0] = PointerGetDatum(construct_array(table, n, INT8OID, sizeof(int64),
													FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
		values[1] = PointerGetDatum(construct_array(tid, n, TEXTOID, -1, false, TYPALIGN_INT));
		(void) ladder_execute(ladder, &delete_corrections_query, values, NULL, NULL);
		pfree(table);
		pfree(tid);
	}
}

static LadderQuery carried_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('carried') LIMIT 1"
};

bool
corrections_are_carried(Ladder *ladder)
{
	return ladder_execute(ladder, &carried_query, NULL, NULL, NULL) > 0;
}
