/*
 * standings.c
 *		How the seasons of a ladder have ended.
 */
#include "pg/ladder/standings.h"

#include "utils/builtins.h"

#include "pg/ladder/plans.h"

static LadderQuery renew_query = {
	.text = "SELECT skillrating_internal.renew_standings($1, $2)",
	.param = {VALUE_TEXT, VALUE_INT8}
};

void
renew_standings(Ladder *ladder, int64 from)
{
	Datum		values[2];

	if (from == PG_INT64_MAX)
		return;
	values[0] = CStringGetTextDatum(ladder->name);
	values[1] = Int64GetDatum(from);
	(void) ladder_execute(ladder, &renew_query, values, NULL, NULL);
	SPI_freetuptable(SPI_tuptable);
}
