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

/* It has no place yet, whatever its place is here. */
#define IS_LATE "c.kind OPERATOR(pg_catalog.=) 'late'"

/* All but those up to the horizon, $5. */
static LadderQuery insert_corrections_query = {
	.text = "INSERT INTO {correction} (seq, match_id, kind, played_at) "
	"SELECT CASE WHEN NOT " IS_LATE " THEN c.seq END, c.match_id, c.kind, c.played_at "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) "
	"AS c(seq, match_id, kind, played_at) WHERE c.seq OPERATOR(pg_catalog.>) $5 OR " IS_LATE,
	.param = {ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_TIME), VALUE_INT8}
};

/* Most work on a ladder finds none, or one. */
#define FEW_CORRECTIONS 8

/* The first room, or twice as much. */
static void
grow(Corrections *corrections)
{
	MemoryContext old = MemoryContextSwitchTo(corrections->context);
	int			n = Max(FEW_CORRECTIONS, 2 * corrections->max);

	huge_array_grow(corrections->seq, Datum, n);
	huge_array_grow(corrections->match_id, Datum, n);
	huge_array_grow(corrections->no_match, bool, n);
	huge_array_grow(corrections->digest, Datum, n);
	huge_array_grow(corrections->kind, Datum, n);
	huge_array_grow(corrections->played_at, Datum, n);
	corrections->max = n;
	MemoryContextSwitchTo(old);
}

Corrections
corrections_make(void)
{
	Corrections corrections = {.context = CurrentMemoryContext};

	return corrections;
}

/* Add a correction, of a match or of none. */
static void
append(Corrections *corrections, Datum match_id, bool no_match, int64 digest, int64 seq,
	   const char *kind, TimestampTz played_at)
{
	int			n = corrections->n;

	if (n == corrections->max)
		grow(corrections);
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

/*
 * Note what the source has now of matches up to the horizon, which stay as they were rated.
 * Ladders of the same source that go further back find out by that: they compare digests.
 */
static LadderQuery note_digests_query = {
	.text = "UPDATE {rated_match} AS m SET digest = c.digest "
	"FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2), pg_catalog.unnest($3), pg_catalog.unnest($4)) "
	"AS c(seq, match_id, kind, digest) WHERE m.match_id {match =} c.match_id "
	"AND c.seq OPERATOR(pg_catalog.<=) $5 AND NOT " IS_LATE,
	.param = {ARRAY_OF(VALUE_INT8), ARRAY_OF(VALUE_MATCH), ARRAY_OF(VALUE_TEXT), ARRAY_OF(VALUE_INT8), VALUE_INT8}
};

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
 * Matches before the horizon nobody can correct any more.  That is a warning only, because the
 * transaction that has changed matches of its own must not fail for it.
 */
static void
leave_before_horizon(Ladder *ladder, const Corrections *corrections, const Datum *values)
{
	Datum		first = (Datum) 0;
	int			n;
	int			i;

	for (i = corrections->n - 1; i >= 0; i--)
	{
		if (DatumGetInt64(corrections->seq[i]) > ladder->horizon ||
			strcmp(TextDatumGetCString(corrections->kind[i]), "late") == 0)
			continue;
		if (corrections->no_match[i])
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("place " INT64_FORMAT " of ladder \"%s\" lies before its horizon",
							DatumGetInt64(corrections->seq[i]), ladder->name)));
		first = corrections->match_id[i];
	}

	/* The warning comes after the query, whose error would make it untrue. */
	n = (int) ladder_execute(ladder, &note_digests_query, values, NULL, NULL);
	if (n > 0)
		warn_of_dropped(ladder, first, n);
}

static Datum
array_of(const Datum *element, int n, Oid type)
{
	bool		is_text = type == TEXTOID;

	return PointerGetDatum(construct_array(unconstify(Datum *, element), n, type,
										   is_text ? -1 : (int) sizeof(int64),
										   is_text ? false : FLOAT8PASSBYVAL,
										   is_text ? TYPALIGN_INT : TYPALIGN_DOUBLE));
}

void
corrections_send(Ladder *ladder, Corrections *corrections)
{
	const IdType *type = ladder->match_type;
	Datum		values[5];
	int			n = corrections->n;
	int			lower_bound = 1;

	if (n == 0)
		return;
	values[0] = array_of(corrections->seq, n, INT8OID);

	/* Operations have no match: this array alone has nulls. */
	values[1] = PointerGetDatum(construct_md_array(corrections->match_id,
												   corrections->no_match, 1, &n,
												   &lower_bound, type->type,
												   type->typlen, type->typbyval,
												   type->typalign));
	values[2] = array_of(corrections->kind, n, TEXTOID);
	values[4] = Int64GetDatum(ladder->horizon);

	/* Under the lock on the ladder, so that the horizon stays where it is. */
	if (ladder->horizon != NO_HORIZON)
	{
		values[3] = array_of(corrections->digest, n, INT8OID);
		leave_before_horizon(ladder, corrections, values);
	}
	values[3] = array_of(corrections->played_at, n, TIMESTAMPTZOID);
	ladder_execute(ladder, &insert_corrections_query, values, NULL, NULL);
}

/*
 * ---- Those that are dealt with ----
 */

#define PLACES "c.seq OPERATOR(pg_catalog.>=) $1 AND c.seq OPERATOR(pg_catalog.<) $2"

static LadderQuery first_correction_query = {
	.text = "SELECT pg_catalog.min(c.seq) FROM {correction} AS c WHERE " PLACES,
	.param = {VALUE_INT8, VALUE_INT8}
};

int64
corrections_first(Ladder *ladder, int64 from, int64 before)
{
	Datum		values[2];
	int64		first;

	values[0] = Int64GetDatum(from);
	values[1] = Int64GetDatum(before);
	return ladder_read_number(ladder, &first_correction_query, values, &first) ?
		first : PG_INT64_MAX;
}

static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} AS c WHERE " PLACES " OR (c.seq IS NULL AND $3)",
	.param = {VALUE_INT8, VALUE_INT8, VALUE_BOOL}
};

void
corrections_delete(Ladder *ladder, int64 from, int64 before, bool late)
{
	Datum		values[3];

	if (from >= before && !late)
		return;
	values[0] = Int64GetDatum(from);
	values[1] = Int64GetDatum(before);
	values[2] = BoolGetDatum(late);
	ladder_write_seen(ladder, &delete_corrections_query, values);
}

static LadderQuery carried_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('carried') LIMIT 1"
};

bool
corrections_are_carried(Ladder *ladder)
{
	return ladder_execute(ladder, &carried_query, NULL, NULL, NULL) > 0;
}
