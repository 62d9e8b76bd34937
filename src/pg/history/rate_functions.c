/*
 * rate_functions.c
 *		Rating whole histories in a query: the window function rate().
 */
#include "pg/history/rate_arguments.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "pg/history/refits.h"
#include "pg/sql/arrays.h"
#include "pg/sql/window.h"

SKILLRATING_FUNCTION(skillrating_rate);
SKILLRATING_FUNCTION(skillrating_rate_through_time);

/* The arguments of rate_through_time(), which are those of rate() up to options. */
#define THROUGH_TIME_NARGS (ARG_OPTIONS + 1)

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
	RATED_SOLE_WIN_PROBABILITY,
	RATED_DRAW_PROBABILITY,
	RATED_LOSS_PROBABILITY,
	RATED_FIRST_PROBABILITY,
	RATED_STATE_BEFORE,
	RATED_STATE_AFTER,
	RATED_UNRATED_REASON,
	RATED_UNRATED_DETAIL,
	RATED_NCOLUMNS
};

/* After how many rows those before are forgotten, at the earliest. */
#define MARK_EVERY 100

/* A result that others differ from in numbers only, see make_pattern(). */
typedef struct RatedPattern
{
	HeapTuple	tuple;			/* NULL: there is none yet */
	bool		nulls[RATED_NCOLUMNS];
	int			offset[RATED_NCOLUMNS]; /* of its columns */
} RatedPattern;

/* A partition: memory of the window. */
typedef struct RatePartition
{
	const char *function;		/* which of the two, in messages */
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
	double		draw;			/* the probability that it is one, or NaN */
	RatedPattern pattern[2];	/* of matches of two teams, and of others */
	InputTimes	times;
	Datum		values[INPUT_NSLOTS];	/* of the row being read */
	bool		nulls[INPUT_NSLOTS];
} RatePartition;

static const WindowMessages window_messages = {
	.function = "rate",
	.order_detail = "Rows that are equal under ORDER BY are one match.",
	.order_hint = "For example OVER (ORDER BY played_at, match_id).",
	.frame_detail = "Ratings follow from all matches before.",
	.frame_hint = "Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery."
};

static const WindowMessages through_time_messages = {
	.function = "rate_through_time",
	.order_detail = "Rows that are equal under ORDER BY are one match.",
	.order_hint = "For example OVER (ORDER BY played_at, match_id).",
	.frame_detail = "Ratings follow from all matches before.",
	.frame_hint = "Leave out ROWS, RANGE or GROUPS; restart ratings with PARTITION BY, or choose matches in a subquery."
};

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
				RatePartition *partition, bool through_time)
{
	const WindowMessages *messages = through_time ? &through_time_messages : &window_messages;
	RateCall   *call = rate_call(fcinfo, RATED_NCOLUMNS);
	MemoryContext old;
	int			i;

	check_window(window, messages);
	partition->function = messages->function;
	if (PG_NARGS() != (through_time ? THROUGH_TIME_NARGS : RATE_NARGS))
		elog(ERROR, "%s() has %d arguments", messages->function, PG_NARGS());
	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));
	partition->rater = rate_begin(window, call, messages->function, through_time ?
								  OPTION_STRICT | OPTION_REFITS : OPTION_STRICT | OPTION_SEASON,
								  get_fn_expr_argtype(fcinfo->flinfo, ARG_PLAYER),
								  CurrentMemoryContext);
	if (through_time)
		refits_begin(partition->rater, &call->options.refits);
	else
		rate_read_start(window, partition->rater);
	partition->max_places = 32;
	partition->place = palloc_array(int, partition->max_places);
	MemoryContextSwitchTo(old);

	partition->deviation = model_state_column(call->rules->model, ROLE_DEVIATION);

	/* Arguments that cannot change are read once: most are left out. */
	source_row_clear(partition->values, partition->nulls);
	for (i = ARG_PLAYER; i < ARG_OPTIONS; i++)
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
	const char *function;
	int64		row;
} RateError;

static void
rate_error_context(void *arg)
{
	const RateError *error = (const RateError *) arg;

	errcontext("match that begins in row " INT64_FORMAT " of a window of %s()",
			   error->row + 1, error->function);
}

/*
 * Read and rate the match that begins with the current row.
 */
static void
rate_match(WindowObject window, RatePartition *partition, int64 row)
{
	Rater	   *rater = partition->rater;
	RateError	error = {partition->function, row};
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
	if (rater->verdict == VERDICT_RATE || rater->forecast)
	{
		for (i = 0; i < n; i++)
			partition->place[rater->match.order[i]] = i;
		partition->draw = model_draw(rater->batch->model, rater->batch->params,
									 &rater->batch->match);
	}
	partition->first = row;
	partition->behind = row + n;
	error_context_stack = callback.previous;
}

/*
 * Results of rated matches differ in numbers only: the first one of a partition,
 * made as any row is, is the pattern of all others, which takes half of the time.
 */
static void
make_pattern(RateCall *call, RatePartition *partition, RatedPattern *pattern,
			 Datum *values, bool *nulls)
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
		pattern->offset[i] = offset + tuple->t_data->t_hoff;
		offset = att_addlength_pointer(offset, att->attlen, data + offset);
	}
	memcpy(pattern->nulls, nulls, sizeof(pattern->nulls));
	pattern->tuple = tuple;
	MemoryContextSwitchTo(old);
}

static Datum
fill_pattern(const RatedPattern *pattern, const Datum *values)
{
	HeapTuple	tuple = pattern->tuple;
	char	   *row = palloc(tuple->t_len);
	int			i;

	memcpy(row, tuple->t_data, tuple->t_len);
	for (i = 0; i < RATED_NCOLUMNS; i++)
	{
		char	   *place = row + pattern->offset[i];

		if (pattern->nulls[i])
			continue;
		if (i == RATED_STATE_BEFORE || i == RATED_STATE_AFTER)
			memcpy(VARDATA_ANY(place), VARDATA(DatumGetPointer(values[i])),
				   VARSIZE(DatumGetPointer(values[i])) - VARHDRSZ);
		else
			memcpy(place, &values[i], sizeof(float8));
	}
	return HeapTupleHeaderGetDatum((HeapTupleHeader) row);
}

/* The state and the games of the player of the current row; false without a player. */
static bool
current_state(WindowObject window, Batch *batch, double *state, int64 *games)
{
	bool		isnull;
	bool		no_pool;
	Datum		id = WinGetFuncArgCurrent(window, ARG_PLAYER, &isnull);
	Datum		pool = WinGetFuncArgCurrent(window,
											ARG_INPUTS + source_input(SOURCE_POOL),
											&no_pool);

	*games = 0;
	if (isnull)
		return false;
	rate_current_state(batch, id, no_pool ? "" : TextDatumGetCString(pool), state, games);
	return true;
}

/* The columns about the states of a player before and after the match. */
static void
put_states(const RatePartition *partition, const double *before, const double *after,
		   int64 games, Datum *values, bool *nulls)
{
	const Batch *batch = partition->rater->batch;
	const Model *model = batch->model;
	int			deviation = partition->deviation;

	values[RATED_GAMES_BEFORE] = Int64GetDatum(games);
	values[RATED_MU_BEFORE] = Float8GetDatum(before[0]);
	values[RATED_MU_AFTER] = Float8GetDatum(after[0]);
	if (deviation >= 0)
	{
		values[RATED_DEVIATION_BEFORE] = Float8GetDatum(before[deviation]);
		values[RATED_DEVIATION_AFTER] = Float8GetDatum(after[deviation]);
	}
	else
		nulls[RATED_DEVIATION_BEFORE] = nulls[RATED_DEVIATION_AFTER] = true;
	values[RATED_RATING_BEFORE] =
		Float8GetDatum(model_display(model, batch->params, before));
	values[RATED_RATING_AFTER] =
		Float8GetDatum(model_display(model, batch->params, after));
	values[RATED_STATE_BEFORE] = float8_array(before, model->nstate);
	values[RATED_STATE_AFTER] = float8_array(after, model->nstate);
}

/* The columns about what was predicted for a team. */
static void
put_probabilities(const RatePartition *partition, const Match *match, int team,
				  Datum *values, bool *nulls)
{
	double		win = match->team[team].win;
	double		draw = partition->draw;

	values[RATED_WIN_PROBABILITY] = Float8GetDatum(win);
	values[RATED_FIRST_PROBABILITY] = Float8GetDatum(win);
	nulls[RATED_FIRST_PROBABILITY] = match->nteams <= 2;
	nulls[RATED_SOLE_WIN_PROBABILITY] = nulls[RATED_DRAW_PROBABILITY] =
		nulls[RATED_LOSS_PROBABILITY] = isnan(draw);
	if (isnan(draw))
		return;
	values[RATED_SOLE_WIN_PROBABILITY] = Float8GetDatum(sole_win_probability(win, draw));
	values[RATED_DRAW_PROBABILITY] = Float8GetDatum(draw);
	values[RATED_LOSS_PROBABILITY] = Float8GetDatum(loss_probability(win, draw));
}

static void
put_unrated_reason(const Rater *rater, Datum *values, bool *nulls)
{
	values[RATED_UNRATED_REASON] = CStringGetTextDatum(unrated_code(rater->why.reason));
	values[RATED_UNRATED_DETAIL] = CStringGetTextDatum(rater->why.detail);
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = false;
}

/* The result for the current row, if its match is not rated: its player stays as is. */
static Datum
unrated_row(RateCall *call, RatePartition *partition, WindowObject window)
{
	double		state[MODEL_MAX_STATE];
	int64		games;
	bool		known = current_state(window, partition->rater->batch, state, &games);
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS];

	memset(nulls, !known, sizeof(nulls));
	memset(nulls + RATED_SCORE, true, RATED_STATE_BEFORE - RATED_SCORE);
	if (known)
		put_states(partition, state, state, games, values, nulls);
	put_unrated_reason(partition->rater, values, nulls);
	return HeapTupleGetDatum(heap_form_tuple(call->desc, values, nulls));
}

/* The result for a participant of the match that was predicted, and has no result. */
static Datum
forecast_row(RateCall *call, RatePartition *partition, int place)
{
	Rater	   *rater = partition->rater;
	const Match *match = &rater->batch->match;
	const Participant *p = &rater->match.participant[place];
	const double *before = match->player[p->player].before;
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS] = {false};

	put_states(partition, before, before,
			   rater->batch->player[p->player]->record.games, values, nulls);
	nulls[RATED_SCORE] = true;
	put_probabilities(partition, match, rated_team(match, p), values, nulls);
	put_unrated_reason(rater, values, nulls);
	return HeapTupleGetDatum(heap_form_tuple(call->desc, values, nulls));
}

/* The result for a participant of the match that was rated last. */
static Datum
rated_row(RateCall *call, RatePartition *partition, int place)
{
	Rater	   *rater = partition->rater;
	Batch	   *batch = rater->batch;
	const Participant *p = &rater->match.participant[place];
	const EventRow *event = &batch->step.row[p->player];
	const Match *match = &batch->match;
	int			team = rated_team(match, p);
	RatedPattern *pattern = &partition->pattern[match->nteams != 2];
	Datum		values[RATED_NCOLUMNS];
	bool		nulls[RATED_NCOLUMNS] = {false};

	put_states(partition, event->before, event->after, event->games, values, nulls);
	values[RATED_SCORE] = Float8GetDatum(match_outcome(match, team) / 2.0);
	put_probabilities(partition, match, team, values, nulls);
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = true;
	if (FLOAT8PASSBYVAL && pattern->tuple == NULL)
		make_pattern(call, partition, pattern, values, nulls);

	/* What a model says of draws may differ among matches. */
	if (!FLOAT8PASSBYVAL || memcmp(nulls, pattern->nulls, sizeof(nulls)) != 0)
		return HeapTupleGetDatum(heap_form_tuple(call->desc, values, nulls));
	return fill_pattern(pattern, values);
}

/* The result for the current row, of either function. */
static Datum
rate_row(FunctionCallInfo fcinfo, bool through_time)
{
	WindowObject window = PG_WINDOW_OBJECT();
	RatePartition *partition;
	int64		row;

	if (!WindowObjectIsValid(window))
		elog(ERROR, "%s() is a window function", through_time ? "rate_through_time" : "rate");
	partition = WinGetPartitionLocalMemory(window, sizeof(RatePartition));
	row = WinGetCurrentPosition(window);
	if (partition->rater == NULL)
		begin_partition(fcinfo, window, partition, through_time);
	if (row >= partition->behind)
		rate_match(window, partition, row);
	if (partition->rater->forecast)
		return forecast_row(rate_call(fcinfo, RATED_NCOLUMNS), partition,
							partition->place[row - partition->first]);
	if (partition->rater->verdict != VERDICT_RATE)
		return unrated_row(rate_call(fcinfo, RATED_NCOLUMNS), partition, window);
	return rated_row(rate_call(fcinfo, RATED_NCOLUMNS), partition,
					 partition->place[row - partition->first]);
}

/*
 * rate(model, player_id, team, rank, weight, played_at, ..., fixed, options, start,
 *		start_components), over a window
 */
Datum
skillrating_rate(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(rate_row(fcinfo, false));
}

/* rate_through_time(model, player_id, team, rank, ..., fixed, options), over a window */
Datum
skillrating_rate_through_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(rate_row(fcinfo, true));
}
