/*
 * inputs.c
 *		What functions are told of a participant besides player, team and rank.
 *
 * An input is a number in the order of the SQL type inputs, and a column where rows have it, both
 * in one order.  Datums that pass through here are not copied, and last as long as the argument
 * that they are of.
 */
#include "pg/matches/inputs.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/primnodes.h"
#include "nodes/parsenodes.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

/*
 * Their columns, or the slots behind these, as the type inputs and the arguments of rate() have them
 * (sql/history/40-rate.sql).
 */
static const int inputs[INPUTS_COUNT] = {
	SOURCE_WEIGHT, SOURCE_PLAYED_AT, SOURCE_TEAM_SCORE, SOURCE_WON, SOURCE_JOINED,
	SOURCE_LEFT_AT, SOURCE_COMMANDING, SOURCE_SIDE, SOURCE_SQUAD, SOURCE_KILLS,
	SOURCE_DEATHS, SOURCE_QUIT, SOURCE_EXPERIENCE, SOURCE_POOL, SOURCE_LOG_ODDS,
	SOURCE_PLAYER_GAIN, SOURCE_UNRATED_REASON, INPUT_PERIOD, SOURCE_CONTEXT, SOURCE_CLUB,
	INPUT_SEASON, SOURCE_TOURNAMENT, SOURCE_FIXED, SOURCE_PLAYER_SCORE
};

/* Those that are booleans, which sources have as numbers, 1 and 0. */
#define FLAGS \
	(SOURCE_COLUMNS(SOURCE_WON) | SOURCE_COLUMNS(SOURCE_QUIT) | SOURCE_COLUMNS(SOURCE_FIXED))

/* And those that all participants of a match share. */
#define OF_MATCH \
	(SOURCE_COLUMNS(SOURCE_PLAYED_AT) | SOURCE_COLUMNS(SOURCE_POOL) | \
	 SOURCE_COLUMNS(SOURCE_LOG_ODDS) | SOURCE_COLUMNS(SOURCE_UNRATED_REASON) | \
	 SOURCE_COLUMNS(INPUT_PERIOD) | SOURCE_COLUMNS(INPUT_SEASON) | \
	 SOURCE_COLUMNS(SOURCE_TOURNAMENT))

int
source_input(SourceColumn column)
{
	int			i = 0;

	/* The caller asks only for columns that are inputs. */
	while (inputs[i] != (int) column)
		i++;
	return i;
}

const char *
input_name_of_participant(int input)
{
	return (OF_MATCH & SOURCE_COLUMNS(inputs[input])) != 0 ? NULL :
		source_column_name(inputs[input]);
}

void
source_row_clear(Datum *values, bool *nulls)
{
	memset(values, 0, INPUT_NSLOTS * sizeof(Datum));
	memset(nulls, true, INPUT_NSLOTS * sizeof(bool));
}

void
source_row_set(Datum *values, bool *nulls, int input, Datum value, bool null)
{
	int			column = inputs[input];

	nulls[column] = null;
	if (!null)
		values[column] = (FLAGS & SOURCE_COLUMNS(column)) != 0 ?
			Float8GetDatum(DatumGetBool(value) ? 1 : 0) : value;
}

/* The time of an ordinal, so many days after the epoch; out of range it is infinite. */
static TimestampTz
period_time(int64 period)
{
	int64		at;

	if (pg_mul_s64_overflow(period, USECS_PER_DAY, &at) || !IS_VALID_TIMESTAMP(at))
		return period > 0 ? DT_NOEND : DT_NOBEGIN;
	return at;
}

void
source_row_time(InputTimes *times, Datum *values, bool *nulls)
{
	/* Of all rows so far, not of this one alone. */
	times->played_at = times->played_at || !nulls[SOURCE_PLAYED_AT];
	times->period = times->period || !nulls[INPUT_PERIOD];
	if (times->played_at && times->period)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("played_at and period must not both be given"),
				 errhint("The matches of a history have times, or they have the ordinals of seasons or rounds.")));
	if (nulls[INPUT_PERIOD])
		return;
	values[SOURCE_PLAYED_AT] =
		TimestampTzGetDatum(period_time(DatumGetInt64(values[INPUT_PERIOD])));
	nulls[SOURCE_PLAYED_AT] = false;
	times->converted = true;
}

void
source_row_set_all(Datum *values, bool *nulls, TupleDesc *desc,
				   MemoryContext memory, Datum composite)
{
	Datum		input[INPUTS_COUNT];
	bool		null[INPUTS_COUNT];
	int			i;

	composite_columns(composite, desc, memory, INPUTS_COUNT, input, null);
	for (i = 0; i < INPUTS_COUNT; i++)
		source_row_set(values, nulls, i, input[i], null[i]);
}

/*
 * ---- Arguments of an ordered aggregate ----
 */

/* Whether the order of an aggregate includes one of its arguments. */
static bool
orders_by(const Aggref *aggref, int argument)
{
	TargetEntry *entry = list_nth_node(TargetEntry, aggref->args, argument);
	ListCell   *cell;

	if (entry->ressortgroupref == 0)
		return false;

	/*
	 * The parser numbers expressions that are equal alike, so that the
	 * argument is found however it is written in ORDER BY.
	 */
	foreach(cell, aggref->aggorder)
		if (lfirst_node(SortGroupClause, cell)->tleSortGroupRef ==
			entry->ressortgroupref)
		return true;
	return false;
}

void
participant_arguments_init(ParticipantArguments *rows, FunctionCallInfo fcinfo,
						   const char *aggregate, int first, bool any_order)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);

	/* Several aggregates may have this transition function. */
	if (aggref != NULL)
		aggregate = get_func_name(aggref->aggfnoid);
	memset(rows, 0, sizeof(ParticipantArguments));
	rows->first = first;
	rows->memory = CurrentMemoryContext;

	/* The first argument of this function is the state. */
	rows->ordered = aggref != NULL && aggref->aggorder != NIL;
	if (aggref == NULL || !(rows->ordered ? orders_by(aggref, first - 1) : any_order))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s() needs ORDER BY with match_id in it", aggregate),
				 errdetail("Rows of one match must stand together, and matches in the order in which they were played."),
				 errhint("For example %s(..., match_id, player_id, team, rank ORDER BY played_at, match_id).",
						 aggregate)));

	/* Not the types of the function called, which may be that of combining. */
	rows->inputs = list_length(aggref->aggargtypes) > first + 3 ? first + 4 : -1;
	id_type_init(&rows->match_type, list_nth_oid(aggref->aggargtypes, first - 1), "match_id");
	rows->player_type = list_nth_oid(aggref->aggargtypes, first);
}

bool
participant_arguments_read(ParticipantArguments *rows, FunctionCallInfo fcinfo)
{
	static const SourceColumn columns[] = {
		SOURCE_MATCH_ID, SOURCE_PLAYER_ID, SOURCE_TEAM, SOURCE_RANK
	};
	IdType	   *type = &rows->match_type;
	MemoryContext old;
	int			i;

	source_row_clear(rows->values, rows->nulls);
	for (i = 0; i < (int) lengthof(columns); i++)
	{
		rows->nulls[columns[i]] = PG_ARGISNULL(rows->first + i);
		if (!PG_ARGISNULL(rows->first + i))
			rows->values[columns[i]] = PG_GETARG_DATUM(rows->first + i);
	}
	if (rows->inputs >= 0 && !PG_ARGISNULL(rows->inputs))
		source_row_set_all(rows->values, rows->nulls, &rows->desc,
						   rows->memory, PG_GETARG_DATUM(rows->inputs));
	source_row_time(&rows->times, rows->values, rows->nulls);
	if (rows->nulls[SOURCE_MATCH_ID])
		report_null("match_id");
	if (rows->begun &&
		((type->typbyval && rows->match_id == rows->values[SOURCE_MATCH_ID]) ||
		 id_equal(type, rows->match_id, rows->values[SOURCE_MATCH_ID])))
		return false;

	/*
	 * The identifier of the match is kept from row to row, in the memory of
	 * the aggregate.
	 */
	if (rows->begun && !type->typbyval)
		pfree(DatumGetPointer(rows->match_id));
	old = MemoryContextSwitchTo(rows->memory);
	rows->match_id = datumCopy(rows->values[SOURCE_MATCH_ID], type->typbyval,
							   type->typlen);
	MemoryContextSwitchTo(old);
	rows->begun = true;
	return true;
}

/*
 * ---- Arrays ----
 */

/* A number, or a boolean, as sources have it. */
static Datum
as_float8(Oid type, Datum value)
{
	switch (type)
	{
		case BOOLOID:
			return Float8GetDatum(DatumGetBool(value) ? 1 : 0);
		case INT4OID:
			return Float8GetDatum(DatumGetInt32(value));
		case INT8OID:
			return Float8GetDatum((double) DatumGetInt64(value));
		default:
			return value;
	}
}

ColumnArray
column_array(SourceColumn column, ArrayType *array)
{
	ColumnArray result = {column, NULL, NULL};
	Oid			type = ARR_ELEMTYPE(array);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			n;
	int			i;

	get_typlenbyvalalign(type, &typlen, &typbyval, &typalign);
	deconstruct_array(array, type, typlen, typbyval, typalign, &result.value, &result.null, &n);
	for (i = 0; i < n && column >= SOURCE_RANK; i++)
		if (!result.null[i])
			result.value[i] = as_float8(type, result.value[i]);
	return result;
}

void
source_match_read(SourceMatch *match, int n, const ColumnArray *arrays, int narrays,
				  const Datum *shared, const bool *shared_null)
{
	Datum		values[INPUT_NSLOTS];
	bool		nulls[INPUT_NSLOTS];
	int			i,
				j;

	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);
		memcpy(values, shared, sizeof(values));
		memcpy(nulls, shared_null, sizeof(nulls));
		for (j = 0; j < narrays; j++)
		{
			int			column = arrays[j].column;

			if (arrays[j].null != NULL && arrays[j].null[i])
				continue;
			values[column] = column != SOURCE_PLAYER_GAIN || nulls[column] ? arrays[j].value[i] :
				Float8GetDatum(DatumGetFloat8(values[column]) *
							   DatumGetFloat8(arrays[j].value[i]));
			nulls[column] = false;
		}
		if (i == 0)
			source_match_begin(match, values, nulls);
		(void) source_match_add(match, values, nulls);
	}
}
