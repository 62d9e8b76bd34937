/*
 * hive_functions.c
 *		Formulas of the Hive model.
 */
#include "pg/sql/glue.h"

#include "core/models/hive.h"

SQL_FUNCTION(skillrating_hive_weight)
{
	float8		joined = check_not_negative("joined", PG_GETARG_FLOAT8(0));
	float8		left = PG_GETARG_FLOAT8(1);
	float8		median_round = check_positive("median_round", PG_GETARG_FLOAT8(2));

	check_finite("left_at", left);
	if (left < joined)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("left_at (%g) must not be before joined (%g)",
						left, joined),
				 errhint("Both are seconds from the start of the match.")));
	PG_RETURN_FLOAT8(hive_weight(joined, left, median_round));
}
