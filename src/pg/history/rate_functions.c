/*
 * rate_functions.c
 *		Rating whole histories in a query: the window function rate(), and the
 *		aggregate final_ratings().
 */
#include "pg/history/final_ratings.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/plannodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "windowapi.h"

#include "pg/matches/inputs.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/huge.h"

SKILLRATING_FUNCTION(skillrating_rate);
SKILLRATING_FUNCTION(skillrating_final_ratings_transition);
SKILLRATING_FUNCTION(skillrating_final_ratings_final);

/*
 * ---- rate() ----
 */

/* The arguments of rate(): those of inputs() stand before the parameters. */
enum
{
	ARG_MODEL,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_PARAMS = ARG_INPUTS + INPUTS_COUNT,
	ARG_STRICT,
	RATE_NARGS
};

/* The columns of the type rated. */
enum
{
	RATED_RATING_BEFORE,
	RATED_RATING_AFTER,
	RATED_MU_BEFORE,
	RATED_MU_AFTER,
	RATED_DEVIATION_BEFORE,
	RATED_DEVIATION_AFTER,
	RATED_GAMES_BEFORE,
	RATED_SCORE,
	RATED_WIN_PROBABILITY,
	RATED_STATE_BEFORE,
	RATED_STATE_AFTER,
	RATED_UNRATED_REASON,
	RATED_UNRATED_DETAIL,
	RATED_NCOLUMNS
};

/* After how many rows those before are forgotten, at the earliest. */
#define MARK_EVERY 100

/* What a call of rate() in a query keeps from partition to partition. */
typedef struct RateCall
{
	TupleDesc	desc;			/* of the result */
	RaterRules *rules;			/* used last, or NULL */
	MemoryContext context;		/* of the rules */
} RateCall;

/* A partition: memory of the window. */
typedef struct RatePartition
{
	Rater	   *rater;
	int			deviation;		/* the column, or -1 */
	int			varying[RATE_NARGS];	/* arguments to be read for each row */
	int			nvarying;
	bool		typbyval[RATE_NARGS];
	int16		typlen[RATE_NARGS];
	int64		marked;			/* rows before this one are forgotten */
	int64		first;			/* row of the match that was rated last, */
	int64		behind;			/* and the first one behind it */
	int		   *place;			/* of its rows among the sorted participants */
	int			max_places;
	HeapTuple	pattern;		/* of results, see make_pattern() */
	int			offset[RATED_NCOLUMNS]; /* of its columns */
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the row being read */
	bool		nulls[INPUT_NSLOTS];
} RatePartition;

/*
 * The beginning of the server's struct, which is private there: nothing else
 * tells how the window was written.  It has begun like this since window
 * functions exist (version 8.4), and what is found is checked.
 */
typedef struct WindowObjectHead
{
	NodeTag		type;
	WindowAggState *winstate;
} WindowObjectHead;

/*
 * Without an order all rows are one match, and a frame would promise what rate()
 * does not do.
 */
static void
check_window(WindowObject window)
{
	WindowAggState *state = ((WindowObjectHead *) window)->winstate;

	if (state == NULL || !IsA(state, WindowAggState) ||
		!IsA(state->ss.ps.plan, WindowAgg))
		elog(ERROR, "rate() does not find its window");
	if (((WindowAgg *) state->ss.ps.plan)->ordNumCols == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("rate() needs ORDER BY in its window"),
				 errdetail("Rows that are equal under ORDER BY are one match."),
				 errhint("For example OVER (ORDER BY played_at, match_id).")));
	if (state->frameOptions & FRAMEOPTION_NONDEFAULT)
		ereport(ERROR,
				(errcode(ERRCODE_WINDOWING_ERROR),
				 errmsg("rate() takes no frame clause"),
				 errdetail("Ratings follow from all matches before."),
				 errhint("Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery.")));
}

static RateCall *
rate_call(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		RateCall   *call = palloc0_object(RateCall);

		if (get_call_result_type(fcinfo, NULL, &call->desc) != TYPEFUNC_COMPOSITE ||
			call->desc->natts != RATED_NCOLUMNS)
			elog(ERROR, "return type must be rated");
		BlessTupleDesc(call->desc);
		call->context = AllocSetContextCreate(flinfo->fn_mcxt,
											  "skillrating rules",
											  ALLOCSET_SMALL_SIZES);
		flinfo->fn_extra = call;
		MemoryContextSwitchTo(old);
	}
	return flinfo->fn_extra;
}

/* The rules for a partition, which its first row gives. */
static RaterRules *
partition_rules(FunctionCallInfo fcinfo, WindowObject window, RateCall *call)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_MODEL, &isnull);
	char	   *model;
	Jsonb	   *params;

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	model = TextDatumGetCString(value);
	value = WinGetFuncArgCurrent(window, ARG_PARAMS, &isnull);
	params = isnull ? NULL : DatumGetJsonbP(value);
	if (call->rules == NULL || !rater_rules_are(call->rules, model, params))
	{
		MemoryContext old;

		call->rules = NULL;
		MemoryContextReset(call->context);
		old = MemoryContextSwitchTo(call->context);
		call->rules = rater_rules(model, params,
								  get_fn_expr_argtype(fcinfo->flinfo,
													  ARG_PLAYER));
		MemoryContextSwitchTo(old);
	}
	return call->rules;
}

/* Whether mistakes are errors in a partition, which its first row says. */
static bool
partition_is_strict(WindowObject window)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_STRICT, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("strict must not be null")));
	return DatumGetBool(value);
}

/* Put an argument's value in its place in the row that is being read. */
static void
set_argument(RatePartition *partition, int arg, Datum value, bool isnull)
{
	static const SourceColumn columns[] = {
		[ARG_PLAYER] = SOURCE_PLAYER_ID,
		[ARG_TEAM] = SOURCE_TEAM,
		[ARG_RANK] = SOURCE_RANK
	};

	if (arg >= ARG_INPUTS)
		source_row_set(partition->values, partition->nulls, arg - ARG_INPUTS,
					   value, isnull);
	else
	{
		partition->values[columns[arg]] = value;
		partition->nulls[columns[arg]] = isnull;
	}
}

static void
begin_partition(FunctionCallInfo fcinfo, WindowObject window,
				RatePartition *partition)
{
	RateCall   *call = rate_call(fcinfo);
	RaterRules *rules;
	MemoryContext old;
	bool		strict;
	int			i;

	check_window(window);
	if (PG_NARGS() != RATE_NARGS)
		elog(ERROR, "rate() has %d arguments", PG_NARGS());
	rules = partition_rules(fcinfo, window, call);
	strict = partition_is_strict(window);
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->rater = rater_create(rules, NULL, strict);
	partition->max_places = 32;
	partition->place = palloc_array(int, partition->max_places);
	MemoryContextSwitchTo(old);

	partition->deviation = model_state_column(rules->model, ROLE_DEVIATION);

	/* Arguments that cannot change are read once: most are left out. */
	source_row_clear(partition->values, partition->nulls);
	for (i = ARG_PLAYER; i < ARG_PARAMS; i++)
	{
		bool		isnull;
		Datum		value;

		get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, i),
						&partition->typlen[i], &partition->typbyval[i]);

		/* At least one is read, to see whether there is a row. */
		if (i == ARG_PLAYER || !get_fn_expr_arg_stable(fcinfo->flinfo, i))
		{
			partition->varying[partition->nvarying++] = i;
			continue;
		}
		value = WinGetFuncArgCurrent(window, i, &isnull);
		set_argument(partition, i, value, isnull);
	}
}

/*
 * Read an argument of a row, by its distance from the current one; false if the
 * partition has no such row.
 */
static bool
read_argument(WindowObject window, RatePartition *partition, int distance,
			  int arg)
{
	bool		isnull;
	bool		isout;
	Datum		value;

	if (distance == 0)
		value = WinGetFuncArgCurrent(window, arg, &isnull);
	else
	{
		value = WinGetFuncArgInPartition(window, arg, distance,
										 WINDOW_SEEK_CURRENT, false,
										 &isnull, &isout);
		if (isout)
			return false;

		/* The server's slot holds one row only until the next is read. */
		if (!isnull && !partition->typbyval[arg])
		{
			MemoryContext old = MemoryContextSwitchTo(partition->rater->context);

			value = datumCopy(value, false, partition->typlen[arg]);
			MemoryContextSwitchTo(old);
		}
	}
	set_argument(partition, arg, value, isnull);
	return true;
}

/*
 * Read a row; false if it is not there or belongs to the next match.
 */
static bool
read_row(WindowObject window, RatePartition *partition, int64 first,
		 int distance)
{
	int			i;

	source_row_untime(&partition->times, partition->nulls);
	for (i = 0; i < partition->nvarying; i++)
	{
		if (!read_argument(window, partition, distance, partition->varying[i]))
			return false;

		/* Only of a row that is there can this be asked. */
		if (i == 0 && distance > 0 &&
			!WinRowsArePeers(window, first + distance - 1, first + distance))
			return false;
	}
	source_row_time(&partition->times, partition->values, partition->nulls);
	return true;
}

typedef struct RateError
{
	int64		row;
} RateError;

static void
rate_error_context(void *arg)
{
	errcontext("match that begins in row " INT64_FORMAT " of a window of rate()",
			   ((RateError *) arg)->row + 1);
}

/*
 * Read and rate the match that begins with the current row.
 */
static void
rate_match(WindowObject window, RatePartition *partition, int64 row)
{
	Rater	   *rater = partition->rater;
	RateError	error = {row};
	ErrorContextCallback callback;
	int			n = 0;
	int			i;

	callback.callback = rate_error_context;
	callback.arg = &error;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	/* Rows before can be forgotten; now and then is enough. */
	if (row >= partition->marked + MARK_EVERY)
	{
		WinSetMarkPosition(window, row);
		partition->marked = row;
	}
	while (read_row(window, partition, row, n))
	{
		if (n == 0)
			rater_begin(rater, partition->values, partition->nulls);
		n++;
		(void) rater_add(rater, partition->values, partition->nulls);
	}
	rater_rate(rater);
	if (n > partition->max_places)
	{
		partition->max_places = Max(n, 2 * partition->max_places);
		partition->place = repalloc_array(partition->place, int,
										  partition->max_places);
	}
	if (rater->verdict == VERDICT_RATE)
		for (i = 0; i < n; i++)
			partition->place[rater->match.order[i]] = i;
	partition->first = row;
	partition->behind = row + n;
	error_context_stack = callback.previous;
}

/*
 * Results of rated matches differ in numbers only: the first one of a partition,
 * made as any row is, is the pattern of all others, which takes half of the time.
 */
static void
make_pattern(RateCall *call, RatePartition *partition, Datum *values,
			 bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	HeapTuple	tuple = heap_form_tuple(call->desc, values, nulls);
	char	   *data = (char *) tuple->t_data + tuple->t_data->t_hoff;
	int			offset = 0;
	int			i;

	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		Form_pg_attribute att = TupleDescAttr(call->desc, i);

		if (nulls[i])
			continue;
		offset = att_align_pointer(offset, att->attalign, att->attlen,
								   data + offset);
		partition->offset[i] = offset + tuple->t_data->t_hoff;
		offset = att_addlength_pointer(offset, att->attlen, data + offset);
	}
	partition->pattern = tuple;
	MemoryContextSwitchTo(old);
}

static Datum
fill_pattern(RatePartition *partition, const Datum *values, const bool *nulls)
{
	HeapTuple	pattern = partition->pattern;
	char	   *row = palloc(pattern->t_len);
	int			i;

	memcpy(row, pattern->t_data, pattern->t_len);
	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		char	   *place = row + partition->offset[i];

		if (nulls[i])
			continue;
		if (i == RATED_STATE_BEFORE || i == RATED_STATE_AFTER)
			memcpy(VARDATA_ANY(place), VARDATA(DatumGetPointer(values[i])),
				   VARSIZE(DatumGetPointer(values[i])) - VARHDRSZ);
		else
			memcpy(place, &values[i], sizeof(float8));
	}
	return HeapTupleHeaderGetDatum((HeapTupleHeader) row);
}

/*
 * What the partition has of the player of the current row: the state and the number of
 * games, those of a new player if there is nothing; NULL without a player.
 */
static const double *
current_state(WindowObject window, Batch *batch, int64 *games)
{
	bool		isnull;
	bool		no_pool;
	Datum		id = WinGetFuncArgCurrent(window, ARG_PLAYER, &isnull);
	Datum		pool = WinGetFuncArgCurrent(window,
											ARG_INPUTS + source_input(SOURCE_POOL),
											&no_pool);
	const BatchPlayer *player;

	*games = 0;
	if (isnull)
		return NULL;
	player = id_table_find(batch->players, id,
						   no_pool ? "" : TextDatumGetCString(pool));
	if (player == NULL)
		return batch->initial;
	*games = player->record.games;
	return player->state;
}

/* The result for the current row, if its match is not rated: its player stays as is. */
static Datum
unrated_row(RateCall *call, RatePartition *partition, WindowObject window)
{
	const Rater *rater = partition->rater;
	const Batch *batch = rater->batch;
	int64		games;
	const double *state = current_state(window, rater->batch, &games);
	int			deviation = partition->deviation;
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS];

	memset(nulls, state == NULL, sizeof(nulls));
	nulls[RATED_SCORE] = nulls[RATED_WIN_PROBABILITY] = true;
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = false;
	values[RATED_UNRATED_REASON] = CStringGetTextDatum(unrated_code(rater->why.reason));
	values[RATED_UNRATED_DETAIL] = CStringGetTextDatum(rater->why.detail);
	if (state != NULL)
	{
		values[RATED_GAMES_BEFORE] = Int64GetDatum(games);
		values[RATED_MU_BEFORE] = values[RATED_MU_AFTER] = Float8GetDatum(state[0]);
		if (deviation >= 0)
			values[RATED_DEVIATION_BEFORE] = values[RATED_DEVIATION_AFTER] =
				Float8GetDatum(state[deviation]);
		else
			nulls[RATED_DEVIATION_BEFORE] = nulls[RATED_DEVIATION_AFTER] = true;
		values[RATED_RATING_BEFORE] = values[RATED_RATING_AFTER] =
			Float8GetDatum(model_display(batch->model, batch->params, state));
		values[RATED_STATE_BEFORE] = values[RATED_STATE_AFTER] =
			float8_array(state, batch->model->nstate);
	}
	return HeapTupleGetDatum(heap_form_tuple(call->desc, values, nulls));
}

/* The result for a participant of the match that was rated last. */
static Datum
rated_row(RateCall *call, RatePartition *partition, int place)
{
	Rater	   *rater = partition->rater;
	Batch	   *batch = rater->batch;
	const Model *model = batch->model;
	const Participant *p = &rater->match.participant[place];
	const EventRow *event = &batch->step.row[p->player];
	const Match *match = &batch->match;
	const double *before = event->before;
	const double *after = event->after;
	int			team = 0;
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS] = {false};
	int			i;

	/* That of the row: a player may have stints on several teams. */
	while (match->team[team].number != p->team)
		team++;
	values[RATED_GAMES_BEFORE] = Int64GetDatum(event->games);
	values[RATED_SCORE] = Float8GetDatum(match_outcome(match, team) / 2.0);
	values[RATED_WIN_PROBABILITY] = Float8GetDatum(match->team[team].win);
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = true;
	values[RATED_MU_BEFORE] = Float8GetDatum(before[0]);
	values[RATED_MU_AFTER] = Float8GetDatum(after[0]);
	i = partition->deviation;
	if (i >= 0)
	{
		values[RATED_DEVIATION_BEFORE] = Float8GetDatum(before[i]);
		values[RATED_DEVIATION_AFTER] = Float8GetDatum(after[i]);
	}
	else
		nulls[RATED_DEVIATION_BEFORE] = nulls[RATED_DEVIATION_AFTER] = true;
	values[RATED_RATING_BEFORE] =
		Float8GetDatum(model_display(model, batch->params, before));
	values[RATED_RATING_AFTER] =
		Float8GetDatum(model_display(model, batch->params, after));
	values[RATED_STATE_BEFORE] = float8_array(before, model->nstate);
	values[RATED_STATE_AFTER] = float8_array(after, model->nstate);
	if (!FLOAT8PASSBYVAL)
		return HeapTupleGetDatum(heap_form_tuple(call->desc, values, nulls));
	if (partition->pattern == NULL)
		make_pattern(call, partition, values, nulls);
	return fill_pattern(partition, values, nulls);
}

/*
 * rate(model, player_id, team, rank, weight, played_at, ..., period, params), over a window
 */
Datum
skillrating_rate(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition;
	int64		row;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "rate() is a window function");
	partition = WinGetPartitionLocalMemory(window, sizeof(RatePartition));
	row = WinGetCurrentPosition(window);
	if (partition->rater == NULL)
		begin_partition(fcinfo, window, partition);
	if (row >= partition->behind)
		rate_match(window, partition, row);
	if (partition->rater->verdict != VERDICT_RATE)
		PG_RETURN_DATUM(unrated_row(rate_call(fcinfo), partition, window));
	PG_RETURN_DATUM(rated_row(rate_call(fcinfo), partition,
							  partition->place[row - partition->first]));
}

/*
 * ---- final_ratings() ----
 */

/*
 * The arguments of final_ratings(): of three forms, where the params are always the
 * last but come with the inputs or without.
 */
enum
{
	FINAL_ARG_STATE,
	FINAL_ARG_MODEL,
	FINAL_ARG_MATCH,
	FINAL_ARG_PLAYER,
	FINAL_ARG_TEAM,
	FINAL_ARG_RANK,
	FINAL_ARG_BEHIND_RANK		/* see last_arguments() */
};

/* The columns of the type final_rating. */
enum
{
	FINAL_PLAYER,
	FINAL_POOL,
	FINAL_RATING,
	FINAL_MU,
	FINAL_DEVIATION,
	FINAL_GAMES,
	FINAL_WINS,
	FINAL_DRAWS,
	FINAL_LOSSES,
	FINAL_LAST_PLAYED,
	FINAL_STATE,
	FINAL_NCOLUMNS
};

static FinalRatings *
final_ratings_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	FinalRatings *state = palloc0_object(FinalRatings);
	LastArguments last = last_arguments(fcinfo, FINAL_ARG_BEHIND_RANK);

	if (PG_ARGISNULL(FINAL_ARG_MODEL))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	participant_arguments_init(&state->rows, fcinfo, "final_ratings",
							   FINAL_ARG_MATCH, last.inputs, false);
	state->rater =
		rater_create(rater_rules(text_to_cstring(PG_GETARG_TEXT_PP(FINAL_ARG_MODEL)),
								 last.options >= 0 ? PG_GETARG_JSONB_P(last.options) : NULL,
								 state->rows.player_type),
					 &state->rows.match_type, last.strict);
	MemoryContextSwitchTo(old);
	return state;
}

static void
final_ratings_error_context(void *arg)
{
	const SourceMatch *match = (const SourceMatch *) arg;

	errcontext("match %s", id_text(match->match_type, match->id));
}

void
final_ratings_rate(FinalRatings *state)
{
	ErrorContextCallback callback;

	callback.callback = final_ratings_error_context;
	callback.arg = &state->rater->match;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	rater_rate(state->rater);
	error_context_stack = callback.previous;
}

/* final_ratings(model, match_id, player_id, team, rank [[, inputs], params]) */
Datum
skillrating_final_ratings_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "final_ratings");
	FinalRatings *state;
	MemoryContext old;

	state = PG_ARGISNULL(FINAL_ARG_STATE) ? final_ratings_begin(fcinfo, context) :
		(FinalRatings *) PG_GETARG_POINTER(FINAL_ARG_STATE);

	old = MemoryContextSwitchTo(context);
	if (participant_arguments_read(&state->rows, fcinfo))
	{
		if (state->rater->match.number > 0)
			final_ratings_rate(state);
		rater_begin(state->rater, state->rows.values, state->rows.nulls);
	}
	(void) rater_add(state->rater, state->rows.values, state->rows.nulls);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* Highest rating first, then by player and pool. */
typedef struct FinalRating
{
	const BatchPlayer *player;
	double		state[MODEL_MAX_STATE];
	double		rating;			/* what is shown */
} FinalRating;

static int
compare_final_ratings(const void *a, const void *b, void *arg)
{
	const FinalRating *x = (const FinalRating *) a;
	const FinalRating *y = (const FinalRating *) b;
	int			result;

	if (x->rating != y->rating)
		return x->rating > y->rating ? -1 : 1;
	result = id_compare((const IdType *) arg, x->player->id, y->player->id);
	return result != 0 ? result : strcmp(x->player->pool, y->player->pool);
}

Datum
skillrating_final_ratings_final(PG_FUNCTION_ARGS)
{
	FinalRatings *state = aggregate_state(fcinfo, "final_ratings");
	Rater	   *rater;
	Batch	   *batch;
	const Model *model;
	BatchPlayer **players;
	FinalRating *ratings;
	RowArray	rows;
	int			deviation;
	int			n = 0;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	rater = state->rater;
	batch = rater->batch;
	model = batch->model;
	final_ratings_rate(state);

	players = (BatchPlayer **) id_table_values(batch->players);
	ratings = huge_array(FinalRating, id_table_count(batch->players));
	for (i = 0; i < id_table_count(batch->players); i++)
	{
		BatchPlayer *player = players[i];

		/* What pools share is with each of them. */
		if (!player->exists || (batch->shares && player->shared == NULL))
			continue;
		ratings[n].player = player;
		model_state_before(model, batch->params, player->state, 0,
						   player->shared ? player->shared->state : NULL, 0,
						   ratings[n].state);
		ratings[n].rating = model_display(model, batch->params,
										  ratings[n].state);
		n++;
	}
	qsort_arg(ratings, n, sizeof(FinalRating), compare_final_ratings,
			  batch->player_type);

	deviation = model_state_column(model, ROLE_DEVIATION);
	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		const BatchPlayer *player = ratings[i].player;
		Datum		values[FINAL_NCOLUMNS];
		bool		nulls[FINAL_NCOLUMNS] = {false};

		CHECK_FOR_INTERRUPTS();
		values[FINAL_PLAYER] = CStringGetTextDatum(id_text(batch->player_type, player->id));
		values[FINAL_POOL] = CStringGetTextDatum(player->pool);
		values[FINAL_RATING] = Float8GetDatum(ratings[i].rating);
		values[FINAL_MU] = Float8GetDatum(ratings[i].state[0]);
		nulls[FINAL_DEVIATION] = deviation < 0;
		if (deviation >= 0)
			values[FINAL_DEVIATION] = Float8GetDatum(ratings[i].state[deviation]);
		values[FINAL_GAMES] = Int64GetDatum(player->record.games);
		values[FINAL_WINS] = Int64GetDatum(player->record.wins);
		values[FINAL_DRAWS] = Int64GetDatum(player->record.draws);
		values[FINAL_LOSSES] = Int64GetDatum(player->record.losses);
		values[FINAL_LAST_PLAYED] = TimestampTzGetDatum(player->record.last_played);
		nulls[FINAL_LAST_PLAYED] = TIMESTAMP_IS_NOBEGIN(player->record.last_played);
		values[FINAL_STATE] = float8_array(ratings[i].state, model->nstate);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
