/*
 * corrections.c
 *		The places from which the history of a ladder is out of date.
 *
 * They are collected while a batch works, and sent once, at its end, under the lock that the work
 * has on the ladder, so that its horizon stays where it is.
 */
#include "pg/ladder/rate/corrections.h"

#include "utils/builtins.h"

#include "pg/ladder/entry/plans.h"
#include "pg/ladder/rate/outbox.h"

static void
add_correction(Corrections *corrections, const Correction *correction)
{
	if (corrections->rows == NULL)
		corrections->rows = outbox_create(corrections->ladder, OUTBOX_CORRECTIONS);
	put_correction(corrections->rows, OUTBOX_INSERT, correction);
}

void
corrections_add(Corrections *corrections, int64 seq, const char *kind, TimestampTz played_at)
{
	const Ladder *ladder = corrections->ladder;
	Correction	correction = {.seq = seq,.kind = kind,.played_at = played_at};

	if (seq <= ladder->horizon)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("place " INT64_FORMAT " of ladder \"%s\" lies before its horizon",
						seq, ladder->name)));
	add_correction(corrections, &correction);
}

void
corrections_add_match(Corrections *corrections, Datum match_id, int64 digest, int64 seq,
					  const char *kind, TimestampTz played_at)
{
	const Ladder *ladder = corrections->ladder;
	Correction	correction = {seq, true, match_id, kind, played_at, digest};

	if (seq > ladder->horizon || strcmp(kind, "late") == 0)
	{
		add_correction(corrections, &correction);
		return;
	}
	if (corrections->digests == NULL)
	{
		corrections->digests = outbox_create(corrections->ladder, OUTBOX_DIGESTS);
		corrections->first_dropped = id_text(ladder->match_type, match_id);
	}
	put_correction(corrections->digests, OUTBOX_UPDATE, &correction);
}

/*
 * Matches before the horizon nobody can correct any more.  That is a warning only, because the
 * transaction that has changed matches of its own must not fail for it; ladders of the same source
 * that go further back compare digests.
 */
static void
send_digests(const Corrections *corrections)
{
	const Ladder *ladder = corrections->ladder;
	int			n = (int) corrections->digests->nrows[OUTBOX_UPDATE];

	/* The warning comes after the query, whose error would make it untrue. */
	outbox_send(corrections->digests);
	ereport(WARNING,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg_plural("%d match of ladder \"%s\" lies before its horizon and stays as it was rated, first: %s",
						   "%d matches of ladder \"%s\" lie before its horizon and stay as they were rated, first: %s",
						   n, n, ladder->name, corrections->first_dropped),
			 errdetail("History can be corrected behind place " INT64_FORMAT " only, see set_horizon().",
					   ladder->horizon)));
}

void
corrections_send(const Corrections *corrections)
{
	if (corrections->digests != NULL)
		send_digests(corrections);
	if (corrections->rows != NULL)
		outbox_send(corrections->rows);
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
	int64		first;

	return ladder_read_number(ladder, &first_correction_query,
							  DATUMS(Int64GetDatum(from), Int64GetDatum(before)),
							  &first) ? first : PG_INT64_MAX;
}

static LadderQuery delete_corrections_query = {
	.text = "DELETE FROM {correction} AS c WHERE " PLACES " OR (c.seq IS NULL AND $3)",
	.param = {VALUE_INT8, VALUE_INT8, VALUE_BOOL}
};

void
corrections_delete(Ladder *ladder, int64 from, int64 before, bool late)
{
	if (from >= before && !late)
		return;
	ladder_write_seen(ladder, &delete_corrections_query,
					  DATUMS(Int64GetDatum(from), Int64GetDatum(before), BoolGetDatum(late)));
}

static LadderQuery carried_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('carried') LIMIT 1"
};

bool
corrections_are_carried(Ladder *ladder)
{
	return ladder_execute(ladder, &carried_query, NULL, NULL, NULL) > 0;
}
