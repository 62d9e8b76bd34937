/*
 * recorded.c
 *		Matches as they were looked at, beside what the source has of them now.
 */
#include "pg/ladder/history/recorded.h"

#include "pg/ladder/entry/waiting.h"

static void
take_recorded(void *arg, QueryRow row)
{
	RecordedMatch *match;

	if (next_is_null(&row))
		return;
	match = palloc0_object(RecordedMatch);
	id_table_set((IdTable *) arg, next_datum(&row), match);
	match->recorded = !next_is_null(&row);
	match->compared.digest = next_int64(&row);
	match->seq = next_int64(&row);
	match->played_at = next_time(&row);
}

IdTable *
compare_recorded(Ladder *ladder, LadderQuery *query, const Datum *values)
{
	IdTable    *matches = id_table_create(ladder->match_type);

	(void) ladder_execute_each(ladder, query, values, NULL, take_recorded, matches);
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
