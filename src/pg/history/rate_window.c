/*
 * rate_window.c
 *		What window functions that rate a history have in common.
 */
#include "pg/history/rate_window.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "pg/sql/aggregate.h"

static RateCall *
rate_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	/* It lasts as long as the call in the plan, over all partitions. */
	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		RateCall   *call = palloc0_object(RateCall);

		if (get_call_result_type(fcinfo, NULL, &call->desc) != TYPEFUNC_COMPOSITE ||
			call->desc->natts != RATED_NCOLUMNS)
			elog(ERROR, "return type must have %d columns", RATED_NCOLUMNS);
		BlessTupleDesc(call->desc);
		call->context = AllocSetContextCreate(flinfo->fn_mcxt,
											  "skillrating rules",
											  ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = call;
		MemoryContextSwitchTo(old);
	}
	return flinfo->fn_extra;
}

/* Read the rules and options of a partition into the call, unless it has the same. */
static void
read_rules(WindowObject window, RateCall *call, const RateFunction *function, Oid player_type)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_MODEL, &isnull);
	char	   *model;
	Jsonb	   *options;
	MemoryContext old;

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	model = TextDatumGetCString(value);
	value = WinGetFuncArgCurrent(window, ARG_OPTIONS, &isnull);
	options = isnull ? NULL : DatumGetJsonbP(value);
	if (call->rules != NULL && strcmp(call->rules->model_name, model) == 0 &&
		same_options(call->options.given, options))
		return;

	/*
	 * One partition is rated after another, so that nobody uses those of the
	 * one before any more; and an error must not leave them behind.
	 */
	call->rules = NULL;
	MemoryContextReset(call->context);
	old = MemoryContextSwitchTo(call->context);
	call->options = history_options(function->name, &get_model(model)->params,
									function->options,
									isnull ? NULL : DatumGetJsonbPCopy(value));
	call->rules = rater_rules(model, call->options.params, player_type);
	MemoryContextSwitchTo(old);
}

/* Where players and components start. */
static void
read_start(WindowObject window, Rater *rater)
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
rate_begin(FunctionCallInfo fcinfo, RatePartition *partition, const RateFunction *function,
		   Oid player_type)
{
	WindowObject window = PG_WINDOW_OBJECT();
	WindowMessages messages = {
		.function = function->name,
		.order_detail = function->order_detail,
		.order_hint = "For example OVER (ORDER BY played_at, match_id).",
		.frame_detail = "Ratings follow from all matches before.",
		.frame_hint = "Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery."
	};
	RateCall   *call = rate_call(fcinfo);
	MemoryContext old;

	check_window(window, &messages);
	read_rules(window, call, function, player_type);
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->call = call;
	partition->rater = rater_create(call->rules, NULL, call->options.strict);
	partition->rater->season_rules = call->options.season;
	if (function->starts)
		read_start(window, partition->rater);
	partition->max_places = 32;
	partition->place = palloc_array(int, partition->max_places);
	MemoryContextSwitchTo(old);
	source_row_clear(partition->values, partition->nulls);
	partition->function = function;
}

void
rate_set_argument(RatePartition *partition, int arg, Datum value, bool isnull)
{
	static const SourceColumn columns[] = {
		[ARG_PLAYER] = SOURCE_PLAYER_ID,
		[ARG_TEAM] = SOURCE_TEAM,
		[ARG_RANK] = SOURCE_RANK
	};

	if (arg >= ARG_INPUTS)
	{
		source_row_set(partition->values, partition->nulls, arg - ARG_INPUTS, value, isnull);
		return;
	}
	partition->values[columns[arg]] = value;
	partition->nulls[columns[arg]] = isnull;
}

static void
rate_error_context(void *arg)
{
	const RatePartition *partition = (const RatePartition *) arg;

	errcontext("match that begins in row " INT64_FORMAT " of a window of %s()",
			   partition->row + 1, partition->function->name);
}

void
rate_push_context(RatePartition *partition, ErrorContextCallback *callback)
{
	callback->callback = rate_error_context;
	callback->arg = partition;
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

void
rate_rate(RatePartition *partition, int n)
{
	Rater	   *rater = partition->rater;
	int			i;

	rater_rate(rater);
	if (!is_rated(rater))
		return;
	if (n > partition->max_places)
	{
		partition->max_places = Max(n, 2 * partition->max_places);
		partition->place = repalloc_array(partition->place, int, partition->max_places);
	}

	/* The rater has sorted participants; results come as these were read. */
	for (i = 0; i < n; i++)
		partition->place[rater->match.order[i]] = i;
	partition->draw = model_draw(rater->batch->model, rater->batch->params,
								 &rater->batch->match);
}

static void
put_number(Rated *rated, int column, double number)
{
	rated->values[column] = Float8GetDatum(number);
	rated->nulls[column] = false;
}

/* The columns about the states before and after the match; all others are null. */
static void
put_states(const Rater *rater, const double *before, const double *after, int64 games,
		   Rated *rated)
{
	const Batch *batch = rater->batch;
	int			deviation = model_state_column(batch->model, ROLE_DEVIATION);

	memset(rated->nulls, true, sizeof(rated->nulls));
	rated->before = before;
	rated->after = after;
	put_number(rated, RATED_RATING_BEFORE, model_display(batch->model, batch->params, before));
	put_number(rated, RATED_RATING_AFTER, model_display(batch->model, batch->params, after));
	put_number(rated, RATED_MU_BEFORE, before[0]);
	put_number(rated, RATED_MU_AFTER, after[0]);
	if (deviation >= 0)
	{
		put_number(rated, RATED_DEVIATION_BEFORE, before[deviation]);
		put_number(rated, RATED_DEVIATION_AFTER, after[deviation]);
	}
	rated->values[RATED_GAMES_BEFORE] = Int64GetDatum(games);
	rated->nulls[RATED_GAMES_BEFORE] = false;
}

/* The index of the team of a participant's row: a player may have stints on several. */
static int
team_of(const Match *match, const Participant *p)
{
	int			team = 0;

	while (match->team[team].number != p->team)
		team++;
	return team;
}

/* What a participant of a match that was rated or predicted has, by the place among the sorted. */
static void
put_participant(const Rater *rater, double draw, int place, Rated *rated)
{
	const Batch *batch = rater->batch;
	const Match *match = &batch->match;
	const Participant *p = &rater->match.participant[place];
	int			team = team_of(match, p);
	double		win = match->team[team].win;

	if (rater->forecast)
		put_states(rater, match->player[p->player].before, match->player[p->player].before,
				   batch->player[p->player]->record.games, rated);
	else
	{
		const EventRow *event = &batch->step.rows[OF_PLAYERS].row[p->player];

		put_states(rater, event->before, event->after, event->games, rated);
		put_number(rated, RATED_SCORE, match_outcome(match, team) / 2.0);
	}
	put_number(rated, RATED_WIN_PROBABILITY, win);
	if (match->nteams > 2)
		put_number(rated, RATED_FIRST_PROBABILITY, win);
	if (isnan(draw))
		return;

	/*
	 * A draw is half of the win probability.  Rounding must not leave less
	 * than nothing.
	 */
	put_number(rated, RATED_SOLE_WIN_PROBABILITY, Max(win - draw / 2, 0));
	put_number(rated, RATED_DRAW_PROBABILITY, draw);
	put_number(rated, RATED_LOSS_PROBABILITY, Max(1 - win - draw / 2, 0));
}

/* What a player of a match that does not count has: the state stays as it is. */
static void
put_bystander(const Rater *rater, Datum id, const char *pool, Rated *rated)
{
	static const Period no_period = {0, 0};
	const Batch *batch = rater->batch;
	const BatchPlayer *player = id_table_find(batch->players, id, pool);

	/* What pools share is in a row of its own, for all pools of the player. */
	const BatchPlayer *shared =
		batch->shares ? id_table_find(batch->players, id, SHARED_POOL) : NULL;

	model_state_before(batch->model, batch->params,
					   player != NULL ? player->state : batch->initial, 0, no_period,
					   shared != NULL ? shared->state : NULL, 0, rated->state);
	put_states(rater, rated->state, rated->state, player != NULL ? player->record.games : 0,
			   rated);
}

bool
rate_participant(const RatePartition *partition, int participant, Datum id, bool nobody,
				 const char *pool, Rated *rated)
{
	if (is_rated(partition->rater))
		put_participant(partition->rater, partition->draw, partition->place[participant],
						  rated);
	else if (nobody)
		return false;
	else
		put_bystander(partition->rater, id, pool, rated);
	return true;
}

void
rated_reason(const Rater *rater, Datum *values, bool *nulls)
{
	if (rater->verdict == VERDICT_RATE)
		return;
	values[RATED_UNRATED_REASON] = CStringGetTextDatum(unrated_code(rater->why.reason));
	values[RATED_UNRATED_DETAIL] = CStringGetTextDatum(rater->why.detail);
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = false;
}
