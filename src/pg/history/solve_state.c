/*
 * solve_state.c
 *		A solver at work on a history: the problem, its memory, what comes out.
 *
 * The steps are solve_state_init(), solve_state_judge(), the rows of the builder,
 * solve_state_run(), and any number of the functions that return something.  All run in one memory
 * context, that of an aggregate or of a call, which owns everything: after an error the whole of
 * it goes, and nothing here is left in static variables.
 *
 * There are two kinds of solvers.  Most make a problem of logistic rows (task), and turn matches
 * into rows as they come, of which nothing else is kept; where states go through time (tt) the
 * builder keeps the matches.  is_through_time() tells which fields of the state count.
 */
#include "pg/history/solve_state.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "core/solve/solvers.h"
#include "core/util/union_find.h"

/* The columns of the type context_estimate. */
enum
{
	CONTEXT_ESTIMATE_CONTEXT,
	CONTEXT_ESTIMATE_LOG_ODDS,
	CONTEXT_ESTIMATE_STANDARD_ERROR,
	CONTEXT_ESTIMATE_NCOLUMNS
};

/* The fewest rows and entries that there is room for. */
#define MIN_ROWS 1024

/* So many estimates to begin with are read at a time. */
#define START_ROWS 1000

/* So many matches are turned into rows before they are forgotten together. */
#define BATCH 4096

/*
 * The fewest bytes of an estimate, for an error before the work rather than after it: an array of
 * all estimates must be below a gigabyte.
 */
#define ESTIMATE_WIDTH \
	(MAXALIGN(SizeofHeapTupleHeader) + 2 * sizeof(float8) + sizeof(int64) + sizeof(int32))

/* The solver of that name, or an error that lists them. */
static const Solver *
get_solver(const char *name)
{
	const Solver *solver = solver_find(name);
	StringInfoData names;
	int			i;

	if (solver != NULL)
		return solver;
	initStringInfo(&names);
	for (i = 0; i < solver_count_registered; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "",
						 solver_registry[i]->name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown solver \"%s\"", name),
			 errhint("The solvers are %s; see skillrating.solvers().",
					 names.data)));
}

void
solve_state_init(SolveState *state, const char *solver, unsigned valid, Jsonb *options)
{
	memset(state, 0, sizeof(SolveState));
	state->pool = "";
	state->task.solver = get_solver(solver);
	state->options = history_options("solve", &state->task.solver->params,
									 valid, options);
	state->params = get_params(&state->task.solver->params, state->options.params);
	if (is_through_time(state) && state->options.exact_for.n > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"exact_for\" is not one of solver \"%s\"",
						state->task.solver->name),
				 errhint("Its deviations are those of the normal approximation.")));
	if (is_through_time(state))
		through_time_state_init(&state->tt, "solve", state->params, &state->builder);
}

/*
 * ---- Rows that grow ----
 *
 * The builder has built the match to judge it.  That its rows are made at once saves building it
 * twice more, to count its rows and to fill them in, and the history in between.
 */

/*
 * Room for the games and components of all players; it becomes twice what is needed.  At first
 * there is none, and both arrays begin in the current context.  What is new is not initialized.
 */
static void
reserve_players(SolveState *state)
{
	SolverLayout *layout = &state->task.layout;
	int32		nplayers = state->builder.history.nplayers;

	if (nplayers <= state->max_players)
		return;
	if (nplayers > PG_INT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many players: more than %d", PG_INT32_MAX / 2)));
	state->max_players = 2 * nplayers;
	huge_array_grow(layout->games, int64_t, state->max_players);
	huge_array_grow(layout->component, int32_t, state->max_players);
}

/*
 * Room in the rows for all that has been counted, by row and by entry.  Arrays grow in the context
 * that they are in, at first the current one; error 53200 beyond skillrating.memory_limit.
 */
static void
reserve_rows(SolveState *state)
{
	SolverTask *task = &state->task;
	const SolverLayout *layout = &task->layout;
	LogitRows  *rows = &task->problem.rows;

	if (layout->nrows > state->max_rows || state->max_rows == 0)
	{
		size_t		n = Max(2 * layout->nrows, MIN_ROWS);

		huge_array_grow(rows->first, size_t, n + 1);
		huge_array_grow(rows->pro, uint32_t, n);
		rows->side_amount = (double (*)[2]) limited_realloc(rows->side_amount,
															sizeof(*rows->side_amount), n);
		huge_array_grow(rows->outcome, double, n);
		huge_array_grow(rows->weight, double, n);
		huge_array_grow(rows->known, double, n);
		if (task->solver->ranked)
			huge_array_grow(rows->behind, uint32_t, n);
		state->max_rows = n;
	}
	if (layout->nentries > state->max_entries || state->max_entries == 0)
	{
		state->max_entries = Max(2 * layout->nentries, MIN_ROWS);
		huge_array_grow(rows->unknown, uint32_t, state->max_entries);
		if (rows->amount != NULL)
			huge_array_grow(rows->amount, double, state->max_entries);
	}
	if (layout->even || rows->amount != NULL)
		return;
	huge_array_grow(rows->amount, double, state->max_entries);
	logit_rows_spread(rows);
}

/*
 * Make rows of a match that has been judged, unless the solver has skills by day, for which it is
 * only counted.  Unknowns have preliminary numbers until all players are known.
 */
static void
take_match(HistoryBuilder *builder, const Match *match, const int32 *player, void *argument)
{
	SolveState *state = (SolveState *) argument;
	SolverTask *task = &state->task;
	int32		nplayers = builder->history.nplayers;

	/* The first match begins them. */
	if (state->max_rows == 0 && !task->solver->by_day)
	{
		solver_lay_out_open(task);
		reserve_rows(state);
		task->problem.rows.first[0] = 0;
	}
	if (nplayers > state->nplayers)
	{
		reserve_players(state);
		solver_count_players(task, state->nplayers);
		state->nplayers = nplayers;
	}
	task->context_of = builder->context_of;
	task->match = builder->history.nmatches - 1;
	solver_count_match(task, match, player);
	if (task->solver->by_day)
		return;
	reserve_rows(state);
	solver_add_match(task, match, player);
}

/*
 * ---- The search ----
 */

void
solve_state_judge(SolveState *state)
{
	const Solver *solver = state->task.solver;
	bool		tt = is_through_time(state);

	if (!tt)
	{
		state->task.history = &state->builder.history;
		state->task.params = state->params;
		solver_count_begin(&state->task);
		state->builder.on_match = take_match;
		state->builder.argument = state;
		if (!solver->by_day)
			state->builder.batch = BATCH;
	}
	if ((solver->rules.supports & MODEL_CONTEXT) == 0)
		state->builder.context_use = CONTEXT_OF_MATCHES;
	history_builder_judge_by(&state->builder, "solve",
							 tt ? &state->tt.tt.model->rules : &solver->rules,
							 tt ? state->tt.tt.params : state->params, state->options.strict,
							 tt ? TIMES_LIKE_BEFORE :
							 solver->by_day ? TIMES_REQUIRED : TIMES_OPTIONAL);
}

/*
 * Fill the problem in, once it is laid out: from the matches of the history, or around the rows
 * that were made as matches came, which stay where they are.
 */
static void
fill_problem(SolveState *state)
{
	SolverTask *task = &state->task;
	Size		size = solver_problem_size(task);

	if (state->max_rows == 0)
	{
		solver_fill(task, huge_array(char, size));
		return;
	}
	reserve_rows(state);
	solver_fill_open(task, huge_array(char, size - solver_rows_size(task)));
}

/* Lay the problem out, having checked that its memory may be had. */
static void
make_problem(SolveState *state)
{
	SolverTask *task = &state->task;
	const History *history = &state->builder.history;
	SolverLayout *layout = &task->layout;

	task->params = state->params;
	task->history = history;
	task->context_of = state->builder.contexts.n > 0 ?
		state->builder.context_of : NULL;
	task->ncontexts = state->builder.contexts.n;
	task->interrupt = check_interrupts;
	if (task->solver->by_day)
		task->work = history_work_make(history, 0, NULL);
	solver_count_end(task);
	if (layout->appearances > LOGIT_UNKNOWN / 4 ||
		history->nplayers > (int32) (LOGIT_UNKNOWN / 4))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many unknowns for solve()")));
	if (task->solver->by_day)
	{
		/*
		 * Some matches can lack a time, but a history without any is a
		 * mistake.
		 */
		if (history->nmatches == 0 &&
			state->builder.unrated.by_reason[UNRATED_NULL_VALUE] > 0)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("solver \"%s\" needs the time of every match",
							task->solver->name),
					 errhint("Give it by skillrating.inputs(played_at => ...).")));
		layout->day = huge_array(int32, layout->appearances);
	}
	layout->first_skill = huge_array(uint32, history->nplayers + 1);
	solver_lay_out(task);
	state->memory = add_size(solver_problem_size(task),
							 mul_size(5 * sizeof(double), layout->n));
	check_memory("solve", &task->solver->params, state->params, state->memory,
				 psprintf("There are %zu rows with %zu entries, and %u unknowns.",
						  layout->nrows, layout->nentries, layout->n),
				 ", or solve fewer matches at once");
	if (state->returns_estimates)
		row_array_reserve(layout->skills, ESTIMATE_WIDTH);
	fill_problem(state);
}

/* Exact errors for the players that were named. */
static void
name_errors(SolveState *state, double *room)
{
	SolverTask *task = &state->task;
	HistoryBuilder *builder = &state->builder;
	int			i;
	int32		player;

	for (i = 0; i < state->options.exact_for.n; i++)
	{
		bool		found = false;

		for (player = 0; player < builder->history.nplayers; player++)
		{
			char	   *text = id_text(&builder->player_type,
									   builder->player_id[player]);
			bool		same = strcmp(text, state->options.exact_for.text[i]) == 0;
			uint32_t	u;

			pfree(text);
			CHECK_FOR_INTERRUPTS();
			if (!same)
				continue;
			found = true;
			for (u = task->layout.first_skill[player];
				 u < task->layout.first_skill[player + 1]; u++)
				state->error[u] = solver_exact_error(task, state->x, u, room);
		}
		if (!found)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s of option \"exact_for\" has no matches",
							state->options.exact_for.text[i])));
	}
}

/* Begin the search with an unknown at a value, if priors allow that. */
static bool
start_at(SolveState *state, uint32_t u, Datum value, bool null)
{
	if (null || !logit_allows(&state->task.problem, u, DatumGetFloat8(value)))
		return false;
	state->x[u] = DatumGetFloat8(value);
	return true;
}

/* The skill of a player on the day of an estimate, or of no day; or -1. */
static int64
skill_of(const SolverLayout *layout, int32 player, Datum at, bool no_day)
{
	TimestampTz time = DatumGetTimestampTz(at);
	uint32_t	u = layout->first_skill[player];

	if (u == layout->first_skill[player + 1] || no_day != (layout->day == NULL))
		return -1;
	if (no_day)
		return u;
	u = solver_skill_on(layout, player, time);
	return layout->day[u] * USECS_PER_DAY == time ? (int64) u : -1;
}

/* Take over the row of an estimate, if its player and day have an unknown. */
static void
start_at_estimate(SolveState *state, const Datum *values, const bool *nulls, bool *given)
{
	const SolverLayout *layout = &state->task.layout;
	IdType	   *type = &state->builder.player_type;
	void	   *number;
	int32		player;
	int64		u;

	if (nulls[ESTIMATE_PLAYER])
		return;
	number = id_table_find(state->builder.players,
						   id_from_text(type, TextDatumGetCString(values[ESTIMATE_PLAYER]),
										"player_id"),
						   state->pool);
	if (number == NULL)
		return;
	player = (int32) (intptr_t) number - 1;
	u = skill_of(layout, player, values[ESTIMATE_AT], nulls[ESTIMATE_AT]);
	if (u < 0)
		return;
	given[u] = start_at(state, u, values[ESTIMATE_MU], nulls[ESTIMATE_MU]);
	if (layout->noffsets > 0)
		(void) start_at(state, layout->offset + u, values[ESTIMATE_SIDE_OFFSET],
						nulls[ESTIMATE_SIDE_OFFSET]);
	else if (layout->nsides > 0)
		(void) start_at(state, layout->side, values[ESTIMATE_SIDE_OFFSET],
						nulls[ESTIMATE_SIDE_OFFSET]);
	if (layout->ncommands > 0)
		(void) start_at(state, layout->command + player, values[ESTIMATE_COMMAND_SKILL],
						nulls[ESTIMATE_COMMAND_SKILL]);
}

/*
 * Take over the rows of the query, a batch at a time, in the snapshot of the caller.  The query is
 * one of ours, and has the columns of type estimate.  After an error in between the end of the
 * (sub)transaction closes the portal and the connection to SPI.
 */
static void
read_start(SolveState *state, bool *given)
{
	Portal		portal;

	SPI_connect();
	portal = SPI_cursor_open_with_args(NULL, state->start, 0, NULL, NULL, NULL, true, 0);
	for (;;)
	{
		MemoryContext old;
		uint64		i;

		SPI_cursor_fetch(portal, true, START_ROWS);
		if (SPI_processed == 0)
			break;
		if (SPI_tuptable->tupdesc->natts != ESTIMATE_NCOLUMNS)
			elog(ERROR, "unexpected number of columns: %d", SPI_tuptable->tupdesc->natts);

		/* Nothing of the rows is kept: texts and identifiers go with them. */
		old = MemoryContextSwitchTo(SPI_tuptable->tuptabcxt);
		for (i = 0; i < SPI_processed; i++)
		{
			Datum		values[ESTIMATE_NCOLUMNS];
			bool		nulls[ESTIMATE_NCOLUMNS];

			heap_deform_tuple(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, values, nulls);
			start_at_estimate(state, values, nulls, given);
		}
		MemoryContextSwitchTo(old);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_finish();
}

/*
 * Begin the search where an earlier one has ended, for players and days that were
 * there; days since begin as the one before.
 */
static void
warm_start(SolveState *state)
{
	const SolverLayout *layout = &state->task.layout;
	bool	   *given = huge_array0(bool, layout->skills);
	int32		player;

	read_start(state, given);
	for (player = 0; player < state->builder.history.nplayers; player++)
	{
		uint32_t	u;

		for (u = layout->first_skill[player] + 1;
			 u < layout->first_skill[player + 1]; u++)
			if (!given[u] && given[u - 1])
			{
				state->x[u] = state->x[u - 1];
				given[u] = true;
			}
	}
	pfree(given);
}

/* The same for the advantages of the first side, as a summary has them. */
static void
warm_start_contexts(SolveState *state)
{
	const SolverLayout *layout = &state->task.layout;
	HistoryBuilder *builder = &state->builder;
	ArrayType  *array = DatumGetArrayTypeP(state->start_contexts);
	TupleDesc	desc = lookup_rowtype_tupdesc(ARR_ELEMTYPE(array), -1);
	Datum	   *row;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE,
					  &row, &null, &n);
	for (i = 0; i < n; i++)
	{
		Datum		values[CONTEXT_ESTIMATE_NCOLUMNS];
		bool		nulls[CONTEXT_ESTIMATE_NCOLUMNS];
		void	   *number = NULL;

		if (null[i])
			continue;
		row_columns(DatumGetHeapTupleHeader(row[i]), desc, values, nulls);
		if (!nulls[CONTEXT_ESTIMATE_CONTEXT] && builder->contexts.n > 0)
			number = id_table_find(builder->contexts.table,
								   values[CONTEXT_ESTIMATE_CONTEXT], "");
		if (nulls[CONTEXT_ESTIMATE_CONTEXT] && layout->nsides > 0)
			(void) start_at(state, layout->side, values[CONTEXT_ESTIMATE_LOG_ODDS],
							nulls[CONTEXT_ESTIMATE_LOG_ODDS]);
		else if (number != NULL && layout->ncontexts > 0)
			(void) start_at(state,
							layout->context + (uint32_t) ((intptr_t) number - 1),
							values[CONTEXT_ESTIMATE_LOG_ODDS],
							nulls[CONTEXT_ESTIMATE_LOG_ODDS]);
	}
	ReleaseTupleDesc(desc);
}

/* Number the components; players without matches have none. */
static void
number_components(SolveState *state)
{
	bool		tt = is_through_time(state);
	const int64_t *games = tt ? state->tt.tt.games : state->task.layout.games;
	const int32_t *component = tt ? state->tt.tt.component :
		state->task.layout.component;
	int32		players = state->builder.history.nplayers;
	int32	   *root_of = huge_array(int32, players);
	int32	   *room = huge_array(int32, players + 1);
	int32		i;

	for (i = 0; i < players; i++)
		root_of[i] = games[i] > 0 ? component[i] : -1;
	state->component = huge_array(int32, players);
	state->ncomponents = union_numbers(root_of, players, state->component, room);
	pfree(room);
	pfree(root_of);
}

/* Whether the curvature at the end says how uncertain the unknowns are. */
static bool
has_errors(const LogitResult *result)
{
	return result->status != SOLVE_NO_MAXIMUM && result->status != SOLVE_NOT_FINITE;
}

void
solve_state_run(SolveState *state)
{
	double	   *room;

	/* Of aggregates that share a state the first one to end solves. */
	state->solved = true;
	if (state->builder.context_use == CONTEXT_OF_MATCHES && state->builder.contexts.n > 0 &&
		!state->task.solver->contexts)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("solver \"%s\" does not estimate the advantage of a context",
						state->task.solver->name),
				 errhint("Leave out inputs(context => ...), or give an advantage that is known by log_odds.")));
	if (is_through_time(state))
	{
		through_time_state_extend(&state->tt);
		if (state->returns_estimates)
			row_array_reserve(through_time_state_rows(&state->tt), ESTIMATE_WIDTH);
		through_time_state_solve(&state->tt, false);
		number_components(state);
		return;
	}
	make_problem(state);

	/*
	 * What estimates and the summary are made of; the room is for errors
	 * alone.
	 */
	state->x = huge_array(double, state->task.layout.n);
	state->error = huge_array(double, state->task.layout.n);
	room = huge_array(double, 3 * (Size) state->task.layout.n);
	logit_start(&state->task.problem, state->x);

	/*
	 * A start is no more than a place to begin: values that priors forbid are
	 * passed over.
	 */
	if (state->start != NULL)
		warm_start(state);
	if (state->start_contexts != (Datum) 0)
		warm_start_contexts(state);
	state->result = solver_run(&state->task, state->x);
	if (has_errors(&state->result))
	{
		solver_errors(&state->task, state->x, state->error, room);
		name_errors(state, room);
	}
	pfree(room);
	number_components(state);
}

/* The value of an unknown; null where the matches do not determine it. */
static void
put_estimate(ResultRow *row, const SolveState *state, uint32_t u)
{
	put_datum(row, Float8GetDatum(state->x[u]),
			  !solver_determined(&state->task, &state->result, u));
}

static void
put_error(ResultRow *row, const SolveState *state, uint32_t u)
{
	put_datum(row, Float8GetDatum(state->error[u]), !has_errors(&state->result));
}

/* Add the rows of all solvers but through_time. */
static void
add_skills(SolveState *state, RowArray *rows)
{
	const SolverLayout *layout = &state->task.layout;
	HistoryBuilder *builder = &state->builder;
	int32		player;

	for (player = 0; player < builder->history.nplayers; player++)
	{
		uint32_t	u;

		CHECK_FOR_INTERRUPTS();
		for (u = layout->first_skill[player];
			 layout->games[player] > 0 && u < layout->first_skill[player + 1]; u++)
		{
			ResultRow	row = {0};

			row_array_begin_row(rows);
			put_text(&row, id_text(&builder->player_type, builder->player_id[player]));
			put_time(&row, layout->day == NULL ? DT_NOBEGIN : layout->day[u] * USECS_PER_DAY);
			put_estimate(&row, state, u);
			put_error(&row, state, u);
			if (layout->noffsets > 0)
				put_estimate(&row, state, layout->offset + u);
			else if (layout->nsides > 0)
				put_estimate(&row, state, layout->side);
			else
				put_null(&row);
			if (layout->ncommands > 0)
				put_estimate(&row, state, layout->command + player);
			else
				put_null(&row);
			put_int64(&row, layout->games[player]);
			put_int32(&row, state->component[layout->component[player]]);
			row_array_add(rows, &row);
		}
	}
}

void
solve_state_add_estimates(SolveState *state, RowArray *rows)
{
	if (is_through_time(state))
		through_time_state_add_estimates(&state->tt, rows, state->component);
	else
		add_skills(state, rows);
}

/* The advantages of the first side: in all matches, and in each context. */
static Datum
context_estimates(SolveState *state, Oid row_type)
{
	const SolverLayout *layout = &state->task.layout;
	uint32_t	n = layout->nsides + layout->ncontexts;
	RowArray	rows = row_array_of(row_type, n);
	Datum	   *name = history_builder_names(&state->builder.contexts);
	uint32_t	i;

	/* That of the side, which has no name, lies before those of contexts. */
	for (i = 0; i < n; i++)
	{
		ResultRow	row = {0};

		put_datum(&row, i < layout->nsides ? (Datum) 0 : name[i - layout->nsides], i < layout->nsides);
		put_estimate(&row, state, layout->side + i);
		put_error(&row, state, layout->side + i);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

/*
 * What a summary says of the search, from the unknowns to the memory.  Sums that have overflowed are
 * shown as they are, and not as null.
 */
static void
put_search(ResultRow *row, const SolveState *state)
{
	const SolverLayout *layout = &state->task.layout;
	const LogitResult *result = &state->result;
	double		draw = state->task.problem.options.draw;

	put_int64(row, (int64) layout->n);
	put_int64(row, (int64) layout->nrows);
	put_int32(row, state->ncomponents);
	put_bool(row, result->status == SOLVE_CONVERGED);
	put_text(row, solve_status_message(result->status));
	put_int32(row, result->iterations);
	put_int64(row, result->products);
	put_datum(row, Float8GetDatum(0 - result->objective), false);
	put_null(row);
	put_null(row);
	put_datum(row, Float8GetDatum(result->gradient), false);
	put_datum(row, Float8GetDatum(draw), draw == 0);
	put_int64(row, (int64) state->memory);
}

/* The same of solver through_time. */
static void
put_search_through_time(ResultRow *row, SolveState *state)
{
	const ThroughTimeResult *result = &state->tt.result;
	double		log_evidence = through_time_state_evidence(&state->tt);

	put_int64(row, (int64) state->tt.tt.appearances);
	put_int64(row, result->matches);
	put_int32(row, state->ncomponents);
	put_bool(row, result->status == SOLVE_CONVERGED);
	put_text(row, solve_status_message(result->status));
	put_int32(row, result->passes);
	put_null(row);
	put_null(row);
	put_number(row, log_evidence);
	put_text(row, isnan(log_evidence) ? NULL : state->tt.by_joint ? "joint" : "messages");
	put_datum(row, Float8GetDatum(result->change), false);
	put_null(row);
	put_int64(row, (int64) state->tt.memory);
}

Datum
solve_state_summary(SolveState *state, FunctionCallInfo fcinfo)
{
	const HistoryBuilder *builder = &state->builder;
	const int64_t *games = is_through_time(state) ? state->tt.tt.games : state->task.layout.games;
	ResultRow	row = {0};
	int64		players = 0;
	int32		i;

	for (i = 0; i < builder->history.nplayers; i++)
		players += games[i] > 0;
	put_text(&row, state->task.solver->name);
	put_int64(&row, (int64) builder->history.nmatches + (int64) builder->forgotten);
	put_int64(&row, players);
	if (is_through_time(state))
		put_search_through_time(&row, state);
	else
		put_search(&row, state);
	put_datum(&row, context_estimates(state, next_element_type(fcinfo, &row)), false);
	put_int64(&row, builder->unrated.total);
	put_datum(&row, unrated_counts_jsonb(&builder->unrated), false);
	return return_result_row(fcinfo, &row);
}
