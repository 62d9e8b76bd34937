/*
 * recorded.c
 *		Matches as they were looked at, beside what the source has of them now.
 */
#include "pg/ladder/recorded.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "pg/ladder/waiting.h"
#include "pg/sql/huge.h"

enum
{
	RECORDED_MATCH_ID = 1,
	RECORDED_DIGEST,
	RECORDED_SEQ,
	RECORDED_PLAYED_AT
};

static RecordedMatch *
read_recorded(HeapTuple row, TupleDesc desc)
{
	RecordedMatch *match = palloc0_object(RecordedMatch);
	bool		isnull;

	match->compared.digest = DatumGetInt64(SPI_getbinval(row, desc, RECORDED_DIGEST, &isnull));
	match->recorded = !isnull;
	match->seq = DatumGetInt64(SPI_getbinval(row, desc, RECORDED_SEQ, &isnull));
	match->played_at = DatumGetTimestampTz(SPI_getbinval(row, desc, RECORDED_PLAYED_AT, &isnull));
	if (isnull)
		match->played_at = DT_NOBEGIN;
	return match;
}

IdTable *
compare_recorded(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	int64		n = (int64) ladder_execute(ladder, query, values, NULL, NULL);
	SPITupleTable *rows = SPI_tuptable;
	IdTable    *matches = id_table_create(ladder->match_type);
	int64		i;

	for (i = 0; i < n; i++)
	{
		bool		isnull;
		bool		found;
		Datum		id = SPI_getbinval(rows->vals[i], rows->tupdesc, RECORDED_MATCH_ID, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (!isnull)
			*id_table_enter(matches, id, "", &found) = read_recorded(rows->vals[i], rows->tupdesc);
	}
	SPI_freetuptable(rows);
	if (id_table_count(matches) > 0)
		reader_compare(ladder, matches);
	return matches;
}

void
keep_differing_waiting(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	IdTable    *matches = compare_recorded(ladder, query, values);
	Datum	   *ids = id_table_ids(matches);
	int			n = id_table_count(matches);
	Datum	   *differing = huge_array(Datum, Max(n, 1));
	int			ndiffering = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		const RecordedMatch *match = id_table_find(matches, ids[i], "");

		if (match->recorded != match->compared.met ||
			(match->compared.met && !match->compared.same))
			differing[ndiffering++] = ids[i];
	}
	keep_waiting(ladder, differing, ndiffering);
	pfree(differing);
}
