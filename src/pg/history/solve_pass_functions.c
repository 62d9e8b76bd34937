/*
 * solve_pass_functions.c
 *		One pass over matches: the aggregates solve_survey() and solve_pass().
 *
 * Matches are turned into rows of the solver a batch at a time and forgotten again,
 * so that the memory goes with the players and not with the matches.
 */
#include "pg/history/solve_pass.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/util/union_find.h"
#include "pg/history/solve_state.h"
#include "pg/matches/history_builder.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/huge.h"
#include "pg/sql/json.h"

SKILLRATING_FUNCTION(skillrating_solve_survey_transition);
SKILLRATING_FUNCTION(skillrating_solve_survey_final);
SKILLRATING_FUNCTION(skillrating_solve_pass_transition);
SKILLRATING_FUNCTION(skillrating_solve_pass_final);

/* How many matches are turned into rows together. */
#define BATCH 4096

/* The arguments of both aggregates, after the state. */
enum
{
	ARG_PLAN = 1,
	ARG_MATCH,
	ARG_INPUTS = 6,
	ARG_PLAYERS,
	ARG_POINT,
	ARG_DIRECTION
};

typedef struct PassState
{
	HistoryBuilder builder;
	const char *aggregate;
	ParamValue *params;
	double		draw;			/* 0: as the parameters say */
	SolverTask	task;
	int32		max_players;	/* for which the task has room */
	int			max_participants;
	MemoryContext batch;		/* of the rows of a batch */
	int64		rows;

	/* Of solve_survey(): */
	bool		survey;
	int32		counted;		/* players in the task */

	/* Of solve_pass(): */
	uint32		n;				/* unknowns */
	double	   *point;
	double	   *direction;		/* or NULL */
	double	   *gradient;		/* or the product */
	double	   *diagonal;
	LogitSums	sums;
} PassState;

void
check_can_pass(const Solver *solver)
{
	if (solver->rows == NULL || solver->by_day)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("solver \"%s\" cannot be distributed", solver->name),
				 errdetail("A player has other skills from day to day, and days of other partitions lie between."),
				 errhint("Solve \"bradley_terry\", \"hive\" or \"plackett_luce\", or use solve().")));
}

static void
read_contexts(PassState *state, const JsonReader *reader)
{
	int			n;
	char	  **context = json_member_texts(reader, false, &n, "an array of texts");
	int			i;

	for (i = 0; i < n; i++)
		(void) history_builder_context(&state->builder, context[i]);
}

/* What is to be solved: the plan, once there is a builder. */
static void
read_plan(PassState *state, Jsonb *plan)
{
	JsonReader	reader;
	Jsonb	   *params = NULL;
	bool		strict = false;

	json_reader_begin(&reader, plan, "plan",
					  "For example '{\"solver\": \"bradley_terry\"}'.");
	while (json_reader_next(&reader))
	{
		if (strcmp(reader.key, PLAN_SOLVER) == 0)
			state->task.solver = get_solver(json_member_text(&reader, "a text"));
		else if (strcmp(reader.key, PLAN_PARAMS) == 0)
			params = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, PLAN_CONTEXTS) == 0)
			read_contexts(state, &reader);
		else if (strcmp(reader.key, PLAN_DRAW) == 0)
			state->draw =
				check_not_negative(PLAN_DRAW,
								   json_member_number(&reader, -INFINITY,
													  INFINITY, "a number"));
		else if (strcmp(reader.key, PLAN_SIDES) == 0)
		{
			if (!json_value_boolean(&reader.value, &state->task.sides))
				json_invalid_value(&reader, "true or false");
		}
		else if (strcmp(reader.key, PLAN_STRICT) == 0)
		{
			if (!json_value_boolean(&reader.value, &strict))
				json_invalid_value(&reader, "true or false");
		}
		else
			json_invalid_key(&reader,
							 "\"" PLAN_SOLVER "\", \"" PLAN_PARAMS "\", \"" PLAN_CONTEXTS "\", \"" PLAN_DRAW "\", \"" PLAN_SIDES "\" and \"" PLAN_STRICT "\"");
	}
	if (state->task.solver == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key \"%s\" is missing in plan", PLAN_SOLVER),
				 errhint("It names one of skillrating.solvers().")));
	check_can_pass(state->task.solver);
	state->params = get_params(&state->task.solver->params, params);
	history_builder_judge_by(&state->builder, state->aggregate,
							 &state->task.solver->rules, state->params, strict,
							 TIMES_OPTIONAL);
	if (state->draw == 0 && state->task.solver->draw != NULL)
	{
		bool		fit;

		state->draw = state->task.solver->draw(state->params, &fit);
	}
}

/* Room for more players or larger matches, twice as much as is needed. */
static void
make_room(PassState *state)
{
	SolverTask *task = &state->task;
	History		room = state->builder.history;
	HistoryWork *work;

	if (room.nplayers <= state->max_players &&
		room.max_participants <= state->max_participants)
		return;
	solver_layout_reserve(&task->layout, room.nplayers, &state->max_players);
	room.nplayers = state->max_players;
	room.max_participants = state->max_participants = 2 * room.max_participants;
	if (task->work != NULL)
		pfree(task->work);
	work = (HistoryWork *)
		huge_array(char, sizeof(HistoryWork) +
				   history_work_size(&room, 0));
	history_work_init(work, work + 1, &room, 0);
	task->work = work;
}

/* A batch of matches is there. */
static void
take_batch(HistoryBuilder *builder, void *argument)
{
	PassState  *state = (PassState *) argument;
	SolverTask *task = &state->task;
	MemoryContext old;
	MatchStatus status;
	size_t		match;
	int			offender;

	task->context_of = builder->contexts.n > 0 ? builder->context_of : NULL;
	if (!state->survey && builder->history.nplayers > (int32) task->layout.skills)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s is not among the players",
						id_text(&builder->player_type,
								builder->player_id[task->layout.skills])),
				 errdetail("The array has %u players of pool \"\".",
						   task->layout.skills)));
	if (!state->survey && task->solver->contexts &&
		builder->contexts.n > (int32) task->layout.ncontexts)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a context is not among those of the plan"),
				 errhint("The contexts that there are, skillrating_internal.solve_survey() knows.")));
	make_room(state);
	if (state->survey)
	{
		solver_count_begin(task, state->counted);
		state->counted = builder->history.nplayers;
	}
	status = solver_count(task, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(builder, state->aggregate, task->work, status, match,
							   offender);
	state->rows += task->layout.nrows;
	if (!state->survey && task->sides && task->layout.nsides == 0 &&
		task->solver->sides != NULL && task->solver->sides(task->params))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a match has sides, but \"%s\" is not set in the plan",
						PLAN_SIDES)));
	if (!state->survey)
	{
		LogitRows  *rows = &task->problem.rows;
		double	   *curvature;

		old = MemoryContextSwitchTo(state->batch);
		solver_fill_rows(task, huge_array(char, solver_rows_size(task)));
		curvature = huge_array(double, rows->nrows);
		if (state->direction == NULL)
			logit_rows_evaluate(rows, state->draw, state->point, &state->sums,
								state->gradient, state->diagonal, curvature,
								check_interrupts);
		else
		{
			logit_rows_curvature(rows, state->draw, state->point, curvature,
								 check_interrupts);
			logit_rows_multiply(rows, curvature, state->direction,
								state->gradient, check_interrupts);
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(state->batch);
	}
	history_builder_forget(builder);
}

/* The players of solve_pass(), in the order of their unknowns. */
static void
read_players(PassState *state, FunctionCallInfo fcinfo)
{
	IdType	   *type = &state->builder.player_type;
	ArrayType  *array = array_argument(fcinfo, ARG_PLAYERS, "players", -1);
	Datum	   *player;
	int			n;
	int			i;

	deconstruct_array(array, type->type, type->typlen, type->typbyval,
					  type->typalign, &player, NULL, &n);
	for (i = 0; i < n; i++)
		if (history_builder_player(&state->builder, player[i]) != i)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s is twice among the players",
							id_text(type, player[i]))));
	pfree(player);
}

/* A vector of unknowns, copied: what is detoasted lives for a row only. */
static double *
read_vector(PassState *state, FunctionCallInfo fcinfo, int arg, const char *name)
{
	const float8 *element = float8_array_argument(fcinfo, arg, name, state->n);
	double	   *vector = huge_array(double, state->n);

	check_finite_elements(name, element, state->n);
	memcpy(vector, element, sizeof(double) * state->n);
	return vector;
}

/* What solve_pass() is given besides matches. */
static void
begin_pass(PassState *state, FunctionCallInfo fcinfo)
{
	SolverTask *task = &state->task;

	if (PG_ARGISNULL(ARG_PLAYERS) || PG_ARGISNULL(ARG_POINT))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("players and point must not be null")));
	read_players(state, fcinfo);
	make_room(state);
	solver_count_begin(task, 0);
	task->ncontexts = state->builder.contexts.n;
	task->layout.first_skill =
		huge_array(uint32_t, (Size) state->builder.history.nplayers + 1);
	solver_lay_out(task);
	state->n = task->layout.n;
	state->point = read_vector(state, fcinfo, ARG_POINT, "point");
	if (!PG_ARGISNULL(ARG_DIRECTION))
		state->direction = read_vector(state, fcinfo, ARG_DIRECTION, "direction");
	state->gradient = huge_array0(double, state->n);
	state->diagonal = huge_array0(double, state->n);
}

static Datum
pass_transition(FunctionCallInfo fcinfo, bool survey)
{
	const char *aggregate = survey ? "solve_survey" : "solve_pass";
	MemoryContext context = aggregate_context(fcinfo, aggregate);
	MemoryContext old = MemoryContextSwitchTo(context);
	PassState  *state;

	if (PG_ARGISNULL(0))
	{
		if (PG_ARGISNULL(ARG_PLAN))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("plan must not be null")));
		state = palloc0_object(PassState);
		state->survey = survey;
		state->aggregate = aggregate;
		state->batch = AllocSetContextCreate(context, "skillrating batch",
											 ALLOCSET_DEFAULT_SIZES);
		history_builder_begin_rows(&state->builder, fcinfo, state->aggregate,
								   ARG_MATCH, ARG_INPUTS, true, false);
		state->builder.context_use = CONTEXT_OF_MATCHES;
		state->builder.batch = BATCH;
		state->builder.on_batch = take_batch;
		state->builder.argument = state;
		read_plan(state, PG_GETARG_JSONB_P_COPY(ARG_PLAN));
		state->task.share = SOLVER_MATCHES;
		state->task.params = state->params;
		state->task.history = &state->builder.history;
		state->task.interrupt = check_interrupts;
		if (!survey)
			begin_pass(state, fcinfo);
	}
	else
		state = (PassState *) PG_GETARG_POINTER(0);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/* The state with all matches taken, or NULL. */
static PassState *
pass_final(FunctionCallInfo fcinfo, const char *aggregate)
{
	PassState  *state = aggregate_state(fcinfo, aggregate);
	MemoryContext old;

	if (state == NULL)
		return NULL;
	old = MemoryContextSwitchTo(aggregate_context(fcinfo, aggregate));
	history_builder_end_rows(&state->builder);
	take_batch(&state->builder, state);
	MemoryContextSwitchTo(old);
	return state;
}

/* solve_survey(plan, match_id, player_id, team, rank, inputs) */
Datum
skillrating_solve_survey_transition(PG_FUNCTION_ARGS)
{
	return pass_transition(fcinfo, true);
}

Datum
skillrating_solve_survey_final(PG_FUNCTION_ARGS)
{
	PassState  *state = pass_final(fcinfo, "solve_survey");
	HistoryBuilder *builder;
	int32		nplayers;
	Datum	   *element;
	Datum		values[SURVEY_NCOLUMNS];
	bool		nulls[SURVEY_NCOLUMNS] = {false};
	int32		i;

	if (state == NULL)
		PG_RETURN_NULL();
	builder = &state->builder;
	nplayers = builder->history.nplayers;
	element = huge_array(Datum, nplayers);
	for (i = 0; i < nplayers; i++)
		element[i] = CStringGetTextDatum(id_text(&builder->player_type,
												 builder->player_id[i]));
	values[SURVEY_PLAYERS] =
		PointerGetDatum(construct_array(element, nplayers, TEXTOID, -1, false,
										TYPALIGN_INT));
	for (i = 0; i < nplayers; i++)
		element[i] = Int64GetDatum(state->task.layout.games[i]);
	values[SURVEY_GAMES] =
		PointerGetDatum(construct_array(element, nplayers, INT8OID, sizeof(int64),
										FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	for (i = 0; i < nplayers; i++)
		element[i] = Int32GetDatum(1 + union_find(state->task.layout.component, i));
	values[SURVEY_COMPONENT] =
		PointerGetDatum(construct_array(element, nplayers, INT4OID, sizeof(int32),
										true, TYPALIGN_INT));
	values[SURVEY_CONTEXTS] =
		PointerGetDatum(construct_array(history_builder_names(&builder->contexts),
										builder->contexts.n, TEXTOID, -1, false,
										TYPALIGN_INT));
	values[SURVEY_MATCHES] = Int64GetDatum((int64) builder->forgotten);
	values[SURVEY_ROWS] = Int64GetDatum(state->rows);
	values[SURVEY_SIDES] = BoolGetDatum(state->task.sides);
	values[SURVEY_UNRATED] = unrated_counts_jsonb(&builder->unrated);
	return return_row(fcinfo, values, nulls);
}

/* solve_pass(plan, match_id, player_id, team, rank, inputs, players, point, direction) */
Datum
skillrating_solve_pass_transition(PG_FUNCTION_ARGS)
{
	return pass_transition(fcinfo, false);
}

static Datum
vector_datum(const double *vector, uint32 n)
{
	ArrayType  *array = float8_array_make(n);

	memcpy(ARR_DATA_PTR(array), vector, sizeof(double) * n);
	return PointerGetDatum(array);
}

Datum
skillrating_solve_pass_final(PG_FUNCTION_ARGS)
{
	PassState  *state = pass_final(fcinfo, "solve_pass");
	Datum		values[PASS_NCOLUMNS];
	bool		nulls[PASS_NCOLUMNS];

	if (state == NULL)
		PG_RETURN_NULL();
	memset(nulls, state->direction != NULL, sizeof(nulls));
	nulls[PASS_PRODUCT] = state->direction == NULL;
	if (state->direction != NULL)
		values[PASS_PRODUCT] = vector_datum(state->gradient, state->n);
	else
	{
		values[PASS_OBJECTIVE] = Float8GetDatum(state->sums.objective);
		values[PASS_GRADIENT] = vector_datum(state->gradient, state->n);
		values[PASS_CURVATURE] = vector_datum(state->diagonal, state->n);
		values[PASS_DRAWS] = Float8GetDatum(state->sums.draws);
		values[PASS_DRAWS_SLOPE] = Float8GetDatum(state->sums.draws_slope);
	}
	return return_row(fcinfo, values, nulls);
}
