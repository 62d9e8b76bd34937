/*
 * tune_functions.c
 *		The aggregate tune(): parameters that predict a history best.
 *
 * The rows are collected in compact form; the search rates them over and over in the
 * core.
 */
#include "pg/matches/history_builder.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "core/evaluate/minimize.h"
#include "core/evaluate/tune.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/huge.h"
#include "pg/sql/json.h"
#include "pg/sql/progress.h"

SKILLRATING_FUNCTION(skillrating_tune_transition);
SKILLRATING_FUNCTION(skillrating_tune_final);

/* Bounds that nobody gave lie so many times above and below the start. */
#define BOUND_FACTOR 100.0

/* The first step of the search: on a log scale, and as a share of a range. */
#define FIRST_STEP 0.4
#define FIRST_STEP_SHARE 0.125

/* The name of the bounds in messages. */
#define BOUNDS "option \"bounds\" of tune()"

/*
 * ---- Options ----
 */

typedef struct TuneOptions
{
	Jsonb	   *params;			/* where the search starts; the rest is fixed */
	Jsonb	   *bounds;			/* by parameter, or NULL */
	double		burn_in;		/* shares of the matches */
	double		holdout;
	int			max_evaluations;
	double		tolerance;
	int			progress;		/* level of messages */
} TuneOptions;

/* The level of messages that the member of a reader names. */
static int
level_option(const JsonReader *reader)
{
	static const char *const names[] = {
		"debug2", "debug1", "log", "info", "notice", NULL
	};
	static const int levels[] = {DEBUG2, DEBUG1, LOG, INFO, NOTICE};
	int			choice = json_value_choice(&reader->value, names);

	if (choice < 0)
		json_invalid_value(reader,
						   "\"debug2\", \"debug1\", \"log\", \"info\" or \"notice\"");
	return levels[choice];
}

static TuneOptions
get_options(Jsonb *json)
{
	TuneOptions options = {NULL, NULL, 0.1, 0.2, 500, 1e-4, DEBUG1};
	JsonReader	reader;

	if (json == NULL)
		return options;
	json_reader_begin(&reader, json, "options of tune()",
					  "For example '{\"params\": {\"k\": 20}, \"holdout\": 0.2}'.");
	while (json_reader_next(&reader))
	{
		if (strcmp(reader.key, "params") == 0)
			options.params = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, "bounds") == 0)
			options.bounds = json_member_object(&reader, "an object");
		else if (strcmp(reader.key, "burn_in") == 0)
			options.burn_in = json_member_number(&reader, 0, 0.9,
												 "a share from 0 to 0.9");
		else if (strcmp(reader.key, "holdout") == 0)
			options.holdout = json_member_number(&reader, 0, 0.9,
												 "a share from 0 to 0.9");
		else if (strcmp(reader.key, "max_evaluations") == 0)
			options.max_evaluations = (int)
				json_member_number(&reader, 1, 1e6,
								   "a number from 1 to 1000000");
		else if (strcmp(reader.key, "tolerance") == 0)
			options.tolerance = json_member_number(&reader, 1e-10, 0.5,
												   "a number from 1e-10 to 0.5");
		else if (strcmp(reader.key, "progress") == 0)
			options.progress = level_option(&reader);
		else
			json_invalid_key(&reader,
							 "\"params\", \"bounds\", \"burn_in\", \"holdout\", \"max_evaluations\", \"tolerance\" and \"progress\"");
	}
	return options;
}

/*
 * ---- Collecting ----
 */

/* The state of tune(). */
typedef struct TuneState
{
	HistoryBuilder builder;
	const Model *model;
	TuneOptions options;
	ParamValue *params;
	TuneProblem problem;
} TuneState;

/* Read the bounds given for a parameter; false if there are none. */
static bool
given_bounds(const TuneOptions *options, const Model *model,
			 const ParamSpec *spec, double *low, double *high)
{
	JsonReader	reader;
	double		bound[2];
	int			i;

	if (options->bounds == NULL)
		return false;
	json_reader_begin(&reader, options->bounds, BOUNDS, NULL);
	if (!json_reader_find(&reader, spec->name))
		return false;
	json_member_numbers(&reader, bound, 2, "a pair of numbers, such as [4, 64]");
	for (i = 0; i < 2; i++)
		if (!param_in_range(spec, bound[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bound %g of parameter \"%s\" is out of range",
							bound[i], spec->name),
					 errhint("See skillrating.model_parameters('%s').",
							 model->name)));
	*low = bound[0];
	*high = bound[1];
	if (!(*low < *high))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds %g and %g of parameter \"%s\" do not ascend",
						*low, *high, spec->name)));
	return true;
}

/* A parameter that is to be fitted. */
static void
add_param(TuneState *state, const char *name)
{
	TuneProblem *problem = &state->problem;
	TuneParam  *param = &problem->param[problem->n];
	int			index = get_param(&state->model->params, name);
	const ParamSpec *spec = param_spec(&state->model->params, index);
	double	   *value = &state->params[index].number;
	int			i;

	if (spec->type != PARAM_NUMBER)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" is no number to be fitted",
						name, state->model->name),
				 errhint("Choices, flags and tables stay as option \"params\" has them.")));
	for (i = 0; i < problem->n; i++)
		if (problem->param[i].index == index)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" is to be fitted twice", name)));
	param->index = index;
	if (!given_bounds(&state->options, state->model, spec, &param->low,
					  &param->high))
	{
		if (!(*value > 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" starts at %g and has no bounds",
							name, *value),
					 errhint("Give them, as in '{\"bounds\": {\"%s\": [...]}}', or a start above 0 in \"params\".",
							 name)));
		param->low = Max(*value / BOUND_FACTOR, spec->min);
		param->high = Min(*value * BOUND_FACTOR, spec->max);
	}
	param->log_scale = param->low > 0;
	*value = Min(Max(*value, param->low), param->high);
	problem->n++;
}

/* Errors for bounds of a parameter that is not fitted, which are a mistake. */
static void
check_bounds(const TuneState *state)
{
	JsonReader	reader;

	if (state->options.bounds == NULL)
		return;
	json_reader_begin(&reader, state->options.bounds, BOUNDS, NULL);
	while (json_reader_next(&reader))
	{
		int			index = get_param(&state->model->params, reader.key);
		int			i;

		for (i = 0; i < state->problem.n; i++)
			if (state->problem.param[i].index == index)
				break;
		if (i == state->problem.n)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" has bounds and is not to be fitted",
							reader.key)));
	}
}

static void
add_params(TuneState *state, ArrayType *names)
{
	Datum	   *name;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &name, &null, &n);
	if (n < 1 || n > TUNE_MAX_PARAMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() fits 1 to %d parameters, not %d",
						TUNE_MAX_PARAMS, n)));
	for (i = 0; i < n; i++)
	{
		if (null[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("parameters to fit must not be null")));
		add_param(state, TextDatumGetCString(name[i]));
	}

	check_bounds(state);
}

/*
 * The arguments of tune(): of three forms, where the options are always the last but
 * come with the inputs or without.
 */
enum
{
	ARG_STATE,
	ARG_MODEL,
	ARG_FIT,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_BEHIND_RANK				/* see last_arguments() */
};

static TuneState *
tune_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	TuneState  *state = palloc0_object(TuneState);
	LastArguments last = last_arguments(fcinfo, ARG_BEHIND_RANK);

	if (PG_ARGISNULL(ARG_MODEL) || PG_ARGISNULL(ARG_FIT))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model and fit must not be null")));
	state->model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL)));
	state->options = get_options(last.options >= 0 ? PG_GETARG_JSONB_P_COPY(last.options) : NULL);
	state->params = get_params(&state->model->params, state->options.params);
	add_params(state, PG_GETARG_ARRAYTYPE_P(ARG_FIT));

	history_builder_begin_rows(&state->builder, fcinfo, "tune", ARG_MATCH,
							   last.inputs, false, state->model->shares != NULL);
	history_builder_judge_by(&state->builder, "tune", &state->model->rules,
							 state->params, last.strict, TIMES_LIKE_BEFORE);
	MemoryContextSwitchTo(old);
	return state;
}

/* tune(model, fit, match_id, player_id, team, rank [[, inputs], options]) */
Datum
skillrating_tune_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "tune");
	TuneState  *state;
	MemoryContext old;

	state = PG_ARGISNULL(ARG_STATE) ? tune_begin(fcinfo, context) :
		(TuneState *) PG_GETARG_POINTER(ARG_STATE);

	old = MemoryContextSwitchTo(context);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- The search ----
 */

/* What the objective needs. */
typedef struct Search
{
	TuneState  *state;
	int64		matches;		/* that are scored, for messages */
	double		best;
} Search;

static void
report_progress(Search *search, const double *variable, double objective)
{
	TuneState  *state = search->state;
	StringInfoData point;
	int			i;

	initStringInfo(&point);
	for (i = 0; i < state->problem.n; i++)
	{
		const TuneParam *param = &state->problem.param[i];

		appendStringInfo(&point, "%s%s = %.6g", i > 0 ? ", " : "",
						 param_spec(&state->model->params, param->index)->name,
						 tune_value(param, variable[i]));
	}
	ereport(state->options.progress,
			(errmsg("evaluation " INT64_FORMAT ": log loss %.6f%s at %s",
					state->problem.evaluations, objective / search->matches,
					objective < search->best ? ", the best so far," : "",
					point.data)));
	pfree(point.data);
}

/*
 * The objective of the search.  An error, or a cancelled query, leaves the search by
 * longjmp(), which holds nothing but memory of the current context.
 */
static double
search_objective(const double *variable, void *argument)
{
	Search	   *search = (Search *) argument;
	double		objective = tune_objective(&search->state->problem, variable);

	report_progress(search, variable, objective);
	progress_done(search->state->problem.evaluations);
	search->best = Min(search->best, objective);
	return objective;
}

/*
 * Move from the start to a minimum of the objective; whether that was reached.
 */
static bool
search_minimum(TuneState *state, int64 matches, double *variable,
			   const char **stopped)
{
	TuneProblem *problem = &state->problem;
	Search		search = {state, matches, HUGE_VAL};
	double		low[TUNE_MAX_PARAMS];
	double		high[TUNE_MAX_PARAMS];
	double		step[TUNE_MAX_PARAMS];
	double		tolerance[TUNE_MAX_PARAMS];
	MinimizeProblem minimization = {
		.n = problem->n,
		.low = low,
		.high = high,
		.step = step,
		.tolerance = tolerance,
		.max_evaluations = state->options.max_evaluations,
		.function = search_objective,
		.argument = &search
	};
	MinimizeWork *work = palloc_object(MinimizeWork);
	MinimizeStatus status;
	double		minimum;
	int			i;

	StaticAssertStmt(TUNE_MAX_PARAMS <= MINIMIZE_MAX_VARIABLES,
					 "the search must be able to fit as many parameters");
	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		range;

		variable[i] = tune_variable(param,
									state->params[param->index].number);
		low[i] = tune_variable(param, param->low);
		high[i] = tune_variable(param, param->high);
		range = high[i] - low[i];
		step[i] = param->log_scale ? Min(FIRST_STEP, range / 4) :
			range * FIRST_STEP_SHARE;
		tolerance[i] = state->options.tolerance *
			(param->log_scale ? 1 : range);
	}
	status = minimize(&minimization, work, variable, &minimum);
	pfree(work);
	switch (status)
	{
		case MINIMIZE_CONVERGED:
			*stopped = "tolerance reached";
			return true;
		case MINIMIZE_ROUNDING:
			*stopped = "limited by rounding";
			return true;
		case MINIMIZE_MAX_EVALUATIONS:
			*stopped = "max_evaluations reached";
			return false;
	}
	pg_unreachable();
}

/* The minimum with its errors, as progress() shows; whether it was reached. */
static bool
fit(TuneState *state, int64 matches, double *variable, double *error, bool *at_bound,
	const char **stopped)
{
	bool		reports = progress_begin(WORK_TUNE, InvalidOid, InvalidOid);
	bool		converged;

	progress_phase(PHASE_FITTING, state->options.max_evaluations);
	converged = search_minimum(state, matches, variable, stopped);
	tune_errors(&state->problem, variable, error, at_bound);
	progress_end(reports);
	return converged;
}

/*
 * ---- The result ----
 */

/* The columns of the type tuning. */
enum
{
	TUNING_MODEL,
	TUNING_PARAMS,
	TUNING_FITTED,
	TUNING_MATCHES,
	TUNING_LOG_LOSS_BEFORE,
	TUNING_LOG_LOSS,
	TUNING_HELD_OUT_MATCHES,
	TUNING_HELD_OUT_LOG_LOSS_BEFORE,
	TUNING_HELD_OUT_LOG_LOSS,
	TUNING_EVALUATIONS,
	TUNING_CONVERGED,
	TUNING_STOPPED,
	TUNING_UNRATED,
	TUNING_UNRATED_REASONS,
	TUNING_NCOLUMNS
};

/* The columns of the type tuned_parameter. */
enum
{
	PARAMETER_NAME,
	PARAMETER_START,
	PARAMETER_VALUE,
	PARAMETER_STANDARD_ERROR,
	PARAMETER_LOW,
	PARAMETER_HIGH,
	PARAMETER_AT_BOUND,
	PARAMETER_NCOLUMNS
};

/*
 * Scores of the fitted and of the held part.  Matches that the model cannot rate with
 * these parameters are counted in left_out; where strict the first one is an error.
 */
static void
score_history(TuneState *state, HistoryWork *work, const size_t *bound,
			  HistoryScore *score, int64_t *left_out)
{
	size_t		match;
	int			offender;
	MatchStatus status;

	memset(left_out, 0, MATCH_NSTATUSES * sizeof(int64_t));
	work->left_out = state->builder.strict ? NULL : left_out;
	status = history_replay(&state->builder.history, state->model, state->params, work, bound, 2,
							score, check_interrupts, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(&state->builder, "tune", work, status, match,
							   offender);

	/* In the search such parameters are as bad as can be. */
	work->left_out = NULL;
}

static double
mean_log_loss(const HistoryScore *score)
{
	return score->matches > 0 ? sum_value(&score->log_loss) / score->matches :
		get_float8_nan();
}

static Datum
tuned_parameters(FunctionCallInfo fcinfo, const TuneState *state,
				 const double *start, const double *variable,
				 const double *error, const bool *at_bound)
{
	const TuneProblem *problem = &state->problem;
	RowArray	rows = row_array_of(result_column_element_type(fcinfo, TUNING_FITTED),
									problem->n);
	int			i;

	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		value = tune_value(param, variable[i]);
		Datum		values[PARAMETER_NCOLUMNS];
		bool		nulls[PARAMETER_NCOLUMNS] = {false};

		values[PARAMETER_NAME] = CStringGetTextDatum(param_spec(&state->model->params, param->index)->name);
		values[PARAMETER_START] = Float8GetDatum(start[i]);
		values[PARAMETER_VALUE] = Float8GetDatum(value);
		nulls[PARAMETER_STANDARD_ERROR] = nulls[PARAMETER_LOW] = nulls[PARAMETER_HIGH] = isnan(error[i]);
		values[PARAMETER_STANDARD_ERROR] = Float8GetDatum(param->log_scale ? value * error[i] : error[i]);
		values[PARAMETER_LOW] = Float8GetDatum(tune_value(param, variable[i] - 1.959963984540054 * error[i]));
		values[PARAMETER_HIGH] = Float8GetDatum(tune_value(param, variable[i] + 1.959963984540054 * error[i]));
		values[PARAMETER_AT_BOUND] = BoolGetDatum(at_bound[i]);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

Datum
skillrating_tune_final(PG_FUNCTION_ARGS)
{
	TuneState  *state = aggregate_state(fcinfo, "tune");
	TuneProblem *problem;
	History    *history;
	HistoryWork work;
	HistoryScore before[2];
	HistoryScore after[2];
	int64_t		left_out[MATCH_NSTATUSES];
	size_t		bound[3];
	double		start[TUNE_MAX_PARAMS];
	double		variable[TUNE_MAX_PARAMS];
	double		error[TUNE_MAX_PARAMS];
	bool		at_bound[TUNE_MAX_PARAMS];
	const char *stopped;
	bool		converged;
	Datum		values[TUNING_NCOLUMNS];
	bool		nulls[TUNING_NCOLUMNS] = {false};
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	problem = &state->problem;
	history = &state->builder.history;
	history_builder_end_rows(&state->builder);

	bound[0] = (size_t) (state->options.burn_in * history->nmatches);
	bound[2] = history->nmatches;
	bound[1] = bound[2] - (size_t) (state->options.holdout * history->nmatches);
	bound[1] = Max(bound[0], bound[1]);
	history_work_init(&work,
					  huge_array(char, history_work_size(history, state->model->nstate)),
					  history, state->model->nstate);
	if (state->model->window != NULL)
		history_past_init(&work, huge_array(char, history_past_size(history)), history);
	history_work_add_components(&work, history, &state->model->rules);
	score_history(state, &work, bound, before, left_out);
	if (before[0].matches == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() has no matches to fit to"),
				 errdetail("Of %zu matches that count %zu are burnt in, %zu are held out, and none of the others can be scored; " INT64_FORMAT " more do not count.",
						   history->nmatches, bound[0], bound[2] - bound[1],
						   state->builder.unrated.total),
				 errhint("Options \"burn_in\" and \"holdout\" set the shares.")));

	problem->model = state->model;
	problem->params = state->params;
	problem->history = history;
	problem->work = &work;
	problem->bound[0] = bound[0];
	problem->bound[1] = bound[1];
	problem->interrupt = check_interrupts;
	problem->evaluations = 0;

	/* Every forecast as wrong as can be. */
	problem->worst = 40.0 * before[0].matches;
	for (i = 0; i < problem->n; i++)
		start[i] = state->params[problem->param[i].index].number;
	converged = fit(state, before[0].matches, variable, error, at_bound, &stopped);
	score_history(state, &work, bound, after, left_out);
	for (i = 0; i < MATCH_NSTATUSES; i++)
		while (left_out[i]-- > 0)
			unrated_count(&state->builder.unrated, i);

	values[TUNING_MODEL] = CStringGetTextDatum(state->model->name);
	values[TUNING_PARAMS] = params_jsonb(&state->model->params, state->params);
	values[TUNING_FITTED] = tuned_parameters(fcinfo, state, start, variable, error, at_bound);
	values[TUNING_MATCHES] = Int64GetDatum(after[0].matches);
	values[TUNING_LOG_LOSS_BEFORE] = Float8GetDatum(mean_log_loss(&before[0]));
	values[TUNING_LOG_LOSS] = Float8GetDatum(mean_log_loss(&after[0]));
	values[TUNING_HELD_OUT_MATCHES] = Int64GetDatum(after[1].matches);
	values[TUNING_HELD_OUT_LOG_LOSS_BEFORE] = Float8GetDatum(mean_log_loss(&before[1]));
	values[TUNING_HELD_OUT_LOG_LOSS] = Float8GetDatum(mean_log_loss(&after[1]));
	nulls[TUNING_HELD_OUT_LOG_LOSS_BEFORE] = before[1].matches == 0;
	nulls[TUNING_HELD_OUT_LOG_LOSS] = after[1].matches == 0;
	values[TUNING_EVALUATIONS] = Int64GetDatum(problem->evaluations);
	values[TUNING_CONVERGED] = BoolGetDatum(converged);
	values[TUNING_STOPPED] = CStringGetTextDatum(stopped);
	values[TUNING_UNRATED] = Int64GetDatum(state->builder.unrated.total);
	values[TUNING_UNRATED_REASONS] = unrated_counts_jsonb(&state->builder.unrated);
	return return_row(fcinfo, values, nulls);
}
