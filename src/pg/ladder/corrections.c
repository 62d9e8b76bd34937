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

void
corrections_send(Ladder *ladder, const Corrections *corrections)
{
	const IdType *type = ladder->match_type;
	Datum		values[4];
	int			n = corrections->n;
	int			lower_bound = 1;

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
