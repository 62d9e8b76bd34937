/*
 * corrections.c
 *		The places from which the history of a ladder is out of date.
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

Corrections
corrections_make(int max)
{
	Corrections corrections;

	corrections.seq = huge_array(Datum, max);
	corrections.match_id = huge_array(Datum, max);
	corrections.no_match = huge_array(bool, max);
	corrections.kind = huge_array(Datum, max);
	corrections.played_at = huge_array(Datum, max);
	corrections.n = 0;
	corrections.max = max;
	return corrections;
}

void
corrections_add(Corrections *corrections, const Datum *match_id, int64 seq,
				const char *kind, TimestampTz played_at)
{
	int			n = corrections->n++;

	Assert(n < corrections->max);
	corrections->seq[n] = Int64GetDatum(seq);
	corrections->match_id[n] = match_id != NULL ? *match_id : (Datum) 0;
	corrections->no_match[n] = match_id == NULL;
	corrections->kind[n] = CStringGetTextDatum(kind);
	corrections->played_at[n] = TimestampTzGetDatum(played_at);
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

/*
 * Leave out matches before the horizon, which nobody can correct any more.  That is a warning
 * only, because the transaction that has changed matches of its own must not fail for it.
 */
static void
drop_before_horizon(const Ladder *ladder, Corrections *corrections)
{
	Datum		first = (Datum) 0;
	int			ndropped = 0;
	int			n = 0;
	int			i;

	for (i = 0; i < corrections->n; i++)
	{
		if (is_before_horizon(ladder, corrections, i))
		{
			if (ndropped++ == 0)
				first = corrections->match_id[i];
			continue;
		}
		corrections->seq[n] = corrections->seq[i];
		corrections->match_id[n] = corrections->match_id[i];
		corrections->no_match[n] = corrections->no_match[i];
		corrections->kind[n] = corrections->kind[i];
		corrections->played_at[n++] = corrections->played_at[i];
	}
	corrections->n = n;
	if (ndropped > 0)
		ereport(WARNING,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg_plural("%d match of ladder \"%s\" lies before its horizon and stays as it was rated, first: %s",
							   "%d matches of ladder \"%s\" lie before its horizon and stay as they were rated, first: %s",
							   ndropped, ndropped, ladder->name,
							   id_text(ladder->match_type, first)),
				 errdetail("History can be corrected behind place " INT64_FORMAT " only, see set_horizon().",
						   ladder->horizon)));
}

void
corrections_send(Ladder *ladder, Corrections *corrections)
{
	const IdType *type = ladder->match_type;
	Datum		values[4];
	int			n;
	int			lower_bound = 1;

	drop_before_horizon(ladder, corrections);
	n = corrections->n;
	if (n == 0)
		return;
	values[0] = PointerGetDatum(construct_array(corrections->seq, n, INT8OID,
												sizeof(int64), FLOAT8PASSBYVAL,
												TYPALIGN_DOUBLE));
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

static LadderQuery carried_query = {
	.text = "SELECT FROM {correction} WHERE kind IN ('carried') LIMIT 1"
};

bool
corrections_are_carried(Ladder *ladder)
{
	return ladder_execute(ladder, &carried_query, NULL, NULL, NULL) > 0;
}

static LadderQuery waiting_query = {
	.text = "SELECT FROM {correction} LIMIT 1"
};

bool
corrections_wait(Ladder *ladder)
{
	return ladder_execute(ladder, &waiting_query, NULL, NULL, NULL) > 0;
}
