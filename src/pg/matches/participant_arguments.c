/*
 * participant_arguments.c
 *		Rows of matches as arguments of an ordered aggregate.
 */
#include "pg/matches/participant_arguments.h"

#include "nodes/primnodes.h"
#include "nodes/parsenodes.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

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

void
participant_arguments_lack_match(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("match_id must not be null")));
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
		participant_arguments_lack_match();
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
