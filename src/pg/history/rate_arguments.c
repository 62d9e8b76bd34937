/*
 * rate_arguments.c
 *		What the first row of a partition says to window functions that rate a history.
 */
#include "pg/history/rate_arguments.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/matches/starting_components.h"
#include "pg/matches/starting_ratings.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/window.h"

RateCall *
rate_call(FunctionCallInfo fcinfo, int ncolumns)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	/* It lasts as long as the call in the plan, over all partitions. */
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		RateCall   *call = palloc0_object(RateCall);

		if (get_call_result_type(fcinfo, NULL, &call->desc) != TYPEFUNC_COMPOSITE ||
			call->desc->natts != ncolumns)
			elog(ERROR, "return type must have %d columns", ncolumns);
		BlessTupleDesc(call->desc);
		call->context = AllocSetContextCreate(flinfo->fn_mcxt,
											  "skillrating rules",
											  ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = call;
		MemoryContextSwitchTo(old);
	}
	return flinfo->fn_extra;
}

Rater *
rate_begin(WindowObject window, RateCall *call, const char *function, unsigned valid,
		   Oid player_type, MemoryContext partition)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_MODEL, &isnull);
	char	   *model;
	Jsonb	   *options;
	MemoryContext old;
	Rater	   *rater;

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	model = TextDatumGetCString(value);
	value = WinGetFuncArgCurrent(window, ARG_OPTIONS, &isnull);
	options = isnull ? NULL : DatumGetJsonbP(value);
	if (call->rules == NULL || strcmp(call->rules->model_name, model) != 0 ||
		!same_options(call->options.given, options))
	{
		/*
		 * One partition is rated after another, so that nobody uses those of
		 * the one before any more; and an error must not leave them behind.
		 */
		call->rules = NULL;
		MemoryContextReset(call->context);
		old = MemoryContextSwitchTo(call->context);
		call->options = history_options(function, &get_model(model)->params, valid,
										isnull ? NULL : DatumGetJsonbPCopy(value));
		call->rules = rater_rules(model, call->options.params, player_type);
		MemoryContextSwitchTo(old);
	}
	old = MemoryContextSwitchTo(partition);
	rater = rater_create(call->rules, NULL, call->options.strict);
	rater->season_rules = call->options.season;
	MemoryContextSwitchTo(old);
	return rater;
}

void
rate_read_start(WindowObject window, Rater *rater)
{
	bool		no_start;
	Datum		start = WinGetFuncArgCurrent(window, ARG_START, &no_start);
	bool		no_components;
	Datum		components = WinGetFuncArgCurrent(window, ARG_START_COMPONENTS,
												  &no_components);

	if (!no_start)
		rater_start(rater, start);
	if (!no_components)
		batch_start_components(rater->batch, components, "start_components");
}

void
rate_set_argument(Datum *values, bool *nulls, int arg, Datum value, bool isnull)
{
	static const SourceColumn columns[] = {
		[ARG_PLAYER] = SOURCE_PLAYER_ID,
		[ARG_TEAM] = SOURCE_TEAM,
		[ARG_RANK] = SOURCE_RANK
	};

	if (arg >= ARG_INPUTS)
	{
		source_row_set(values, nulls, arg - ARG_INPUTS, value, isnull);
		return;
	}
	values[columns[arg]] = value;
	nulls[columns[arg]] = isnull;
}

void
rate_check_window(WindowObject window, const char *function, const char *order_detail)
{
	WindowMessages messages = {
		.function = function,
		.order_detail = order_detail,
		.order_hint = "For example OVER (ORDER BY played_at, match_id).",
		.frame_detail = "Ratings follow from all matches before.",
		.frame_hint = "Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery."
	};

	check_window(window, &messages);
}
