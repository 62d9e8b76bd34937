/*
 * tune_functions.c
 *		The aggregate tune(): parameters that predict a history best.
 *
 * The rows are collected in compact form; the search, by NLopt, rates them over
 * and over in the core.
 */
#include "pg/matches/history_builder.h"

#include <float.h>
#include <nlopt.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "core/evaluate/tune.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_tune_transition);
SKILLRATING_FUNCTION(skillrating_tune_final);

/* Bounds that nobody gave lie so many times above and below the start. */
#define BOUND_FACTOR 100.0

/* The first step of the search: on a log scale, and as a share of a range. */
#define FIRST_STEP 0.4
#define FIRST_STEP_SHARE 0.125

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

static void
wrong_option(const char *name, const char *expected)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"%s\" of tune() must be %s", name, expected)));
}

static double
number_option(const char *name, const JsonbValue *value, double min, double max,
			  const char *expected)
{
	double		number;

	if (value->type != jbvNumeric)
		wrong_option(name, expected);
	number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												NumericGetDatum(value->val.numeric)));
	if (!(number >= min && number <= max))
		wrong_option(name, expected);
	return number;
}

static Jsonb *
object_option(const char *name, JsonbValue *value)
{
	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		wrong_option(name, "an object");
	return JsonbValueToJsonb(value);
}

static int
level_option(const char *name, const JsonbValue *value)
{
	static const struct
	{
		const char *name;
		int			level;
	}			levels[] = {
		{"debug2", DEBUG2}, {"debug1", DEBUG1}, {"log", LOG}, {"info", INFO},
		{"notice", NOTICE}
	};
	int			i;

	for (i = 0; i < (int) lengthof(levels); i++)
		if (value->type == jbvString &&
			value->val.string.len == (int) strlen(levels[i].name) &&
			memcmp(value->val.string.val, levels[i].name,
				   value->val.string.len) == 0)
			return levels[i].level;
	wrong_option(name, "\"debug2\", \"debug1\", \"log\", \"info\" or \"notice\"");
	pg_unreachable();
}

static TuneOptions
get_options(Jsonb *json)
{
	TuneOptions options = {NULL, NULL, 0.1, 0.2, 500, 1e-4, DEBUG1};
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	value;

	if (json == NULL)
		return options;
	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of tune() must be a jsonb object"),
				 errhint("For example '{\"params\": {\"k\": 20}, \"holdout\": 0.2}'.")));
	it = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		char	   *name;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(value.val.string.val, value.val.string.len);
		(void) JsonbIteratorNext(&it, &value, true);
		if (strcmp(name, "params") == 0)
			options.params = object_option(name, &value);
		else if (strcmp(name, "bounds") == 0)
			options.bounds = object_option(name, &value);
		else if (strcmp(name, "burn_in") == 0)
			options.burn_in = number_option(name, &value, 0, 0.9,
											"a share from 0 to 0.9");
		else if (strcmp(name, "holdout") == 0)
			options.holdout = number_option(name, &value, 0, 0.9,
											"a share from 0 to 0.9");
		else if (strcmp(name, "max_evaluations") == 0)
			options.max_evaluations =
				(int) number_option(name, &value, 1, 1e6,
									"a number from 1 to 1000000");
		else if (strcmp(name, "tolerance") == 0)
			options.tolerance = number_option(name, &value, 1e-10, 0.5,
											  "a number from 1e-10 to 0.5");
		else if (strcmp(name, "progress") == 0)
			options.progress = level_option(name, &value);
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("tune() has no option \"%s\"", name),
					 errhint("Its options are \"params\", \"bounds\", \"burn_in\", \"holdout\", \"max_evaluations\", \"tolerance\" and \"progress\".")));
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

/* The bounds given for a parameter; false if there are none. */
static bool
given_bounds(const TuneOptions *options, const Model *model,
			 const ParamSpec *spec, double *low, double *high)
{
	JsonbValue	key;
	JsonbValue *value;
	double	   *bound[2];
	int			i;

	if (options->bounds == NULL)
		return false;
	key.type = jbvString;
	key.val.string.val = unconstify(char *, spec->name);
	key.val.string.len = strlen(spec->name);
	value = findJsonbValueFromContainer(&options->bounds->root, JB_FOBJECT, &key);
	if (value == NULL)
		return false;
	if (value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerSize(value->val.binary.data) != 2)
		wrong_option("bounds", "an object of pairs, such as {\"k\": [4, 64]}");
	bound[0] = low;
	bound[1] = high;
	for (i = 0; i < 2; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(value->val.binary.data, i);

		*bound[i] = number_option("bounds", element, -DBL_MAX, DBL_MAX,
								  "an object of pairs, such as {\"k\": [4, 64]}");
		if (!param_in_range(spec, *bound[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bound %g of parameter \"%s\" is out of range",
							*bound[i], spec->name),
					 errhint("See skillrating.model_parameters('%s').",
							 model->name)));
	}
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
	int			index = get_param(state->model, name);
	const ParamSpec *spec = &state->model->params[index];
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

	/* Bounds of what is not fitted are a mistake. */
	if (state->options.bounds != NULL)
	{
		JsonbIterator *it = JsonbIteratorInit(&state->options.bounds->root);
		JsonbIteratorToken token;
		JsonbValue	value;

		while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
		{
			int			index;

			if (token != WJB_KEY)
				continue;
			index = get_param(state->model, pnstrdup(value.val.string.val,
													 value.val.string.len));
			for (i = 0; i < n && state->problem.param[i].index != index; i++)
				;
			if (i == n)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("parameter \"%s\" has bounds and is not to be fitted",
								state->model->params[index].name)));
		}
	}
}

static TuneState *
tune_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	TuneState  *state = palloc0_object(TuneState);
	int			nargs = PG_NARGS();
	int			options = nargs > 7 ? nargs - 1 : -1;	/* always the last one */

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model and fit must not be null")));
	state->model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	state->options = get_options(options < 0 || PG_ARGISNULL(options) ? NULL :
								 PG_GETARG_JSONB_P_COPY(options));
	state->params = get_params(state->model, state->options.params);
	add_params(state, PG_GETARG_ARRAYTYPE_P(2));

	history_builder_begin_rows(&state->builder, fcinfo, "tune", 3,
							   nargs > 8 ? 7 : -1, false, state->model->shares != NULL);
	MemoryContextSwitchTo(old);
	return state;
}

/* tune(model, fit, match_id, player_id, team, rank [[, inputs], options]) */
Datum
skillrating_tune_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	TuneState  *state;
	MemoryContext old;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	state = PG_ARGISNULL(0) ? tune_begin(fcinfo, context) :
		(TuneState *) PG_GETARG_POINTER(0);

	old = MemoryContextSwitchTo(context);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- The search ----
 */

/* What NLopt's callback needs. */
typedef struct Search
{
	TuneState  *state;
	nlopt_opt	opt;
	int64		matches;		/* that are scored, for messages */
	double		best;
	MemoryContext context;
	ErrorData  *error;			/* raised in the callback, or NULL */
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
						 state->model->params[param->index].name,
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
 * The objective for NLopt.  An error, or a cancelled query, must not jump over its
 * frames: the search is stopped, and the error raised after it.
 */
static double
search_objective(unsigned n, const double *variable, double *gradient, void *data)
{
	Search	   *search = (Search *) data;
	volatile double objective = HUGE_VAL;

	(void) n;
	(void) gradient;
	PG_TRY();
	{
		objective = tune_objective(&search->state->problem, variable);
		report_progress(search, variable, objective);
		search->best = Min(search->best, objective);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(search->context);
		search->error = CopyErrorData();
		FlushErrorState();
		nlopt_force_stop(search->opt);
	}
	PG_END_TRY();
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
	Search		search = {state, NULL, matches, HUGE_VAL, CurrentMemoryContext, NULL};
	double		low[TUNE_MAX_PARAMS];
	double		high[TUNE_MAX_PARAMS];
	double		step[TUNE_MAX_PARAMS];
	double		tolerance[TUNE_MAX_PARAMS];
	double		minimum;
	nlopt_result result;
	int			i;

	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		range;

		variable[i] = tune_variable(param,
									state->params[param->index].number);
		low[i] = tune_variable(param, param->low);
		high[i] = tune_variable(param, param->high);
		range = high[i] - low[i];
		variable[i] = Min(Max(variable[i], low[i]), high[i]);
		step[i] = param->log_scale ? Min(FIRST_STEP, range / 4) :
			range * FIRST_STEP_SHARE;
		tolerance[i] = state->options.tolerance *
			(param->log_scale ? 1 : range);
	}

	/* Nothing from here to nlopt_destroy() may raise an error. */
	search.opt = nlopt_create(NLOPT_LN_BOBYQA, problem->n);
	if (search.opt == NULL ||
		nlopt_set_min_objective(search.opt, search_objective, &search) < 0 ||
		nlopt_set_lower_bounds(search.opt, low) < 0 ||
		nlopt_set_upper_bounds(search.opt, high) < 0 ||
		nlopt_set_initial_step(search.opt, step) < 0 ||
		nlopt_set_xtol_abs(search.opt, tolerance) < 0 ||
		nlopt_set_maxeval(search.opt, state->options.max_evaluations) < 0)
		result = NLOPT_OUT_OF_MEMORY;
	else
		result = nlopt_optimize(search.opt, variable, &minimum);
	nlopt_destroy(search.opt);

	if (search.error != NULL)
		ReThrowError(search.error);
	switch (result)
	{
		case NLOPT_SUCCESS:
		case NLOPT_XTOL_REACHED:
		case NLOPT_FTOL_REACHED:
			*stopped = "tolerance reached";
			return true;
		case NLOPT_ROUNDOFF_LIMITED:
			*stopped = "limited by rounding";
			return true;
		case NLOPT_MAXEVAL_REACHED:
			*stopped = "max_evaluations reached";
			return false;
		case NLOPT_OUT_OF_MEMORY:
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory")));
		default:
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("the search failed with code %d of NLopt", result)));
	}
	pg_unreachable();
}

/*
 * ---- The result ----
 */

/* Scores of the fitted and of the held part; a mistake in a match is an error. */
static void
score_history(TuneState *state, HistoryWork *work, const size_t *bound,
			  HistoryScore *score)
{
	size_t		match;
	int			offender;
	MatchStatus status;

	status = history_replay(&state->builder.history, state->model, state->params, work, bound, 2,
							score, check_interrupts, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(&state->builder, "tune", work, status, match,
							   offender);
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
	RowArray	rows = row_array_of(result_column_element_type(fcinfo, 2),
									problem->n);
	int			i;

	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		value = tune_value(param, variable[i]);
		Datum		values[7];
		bool		nulls[7] = {false};

		values[0] = CStringGetTextDatum(state->model->params[param->index].name);
		values[1] = Float8GetDatum(start[i]);
		values[2] = Float8GetDatum(value);
		nulls[3] = nulls[4] = nulls[5] = isnan(error[i]);
		values[3] = Float8GetDatum(param->log_scale ? value * error[i] : error[i]);
		values[4] = Float8GetDatum(tune_value(param, variable[i] - 1.959963984540054 * error[i]));
		values[5] = Float8GetDatum(tune_value(param, variable[i] + 1.959963984540054 * error[i]));
		values[6] = BoolGetDatum(at_bound[i]);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

Datum
skillrating_tune_final(PG_FUNCTION_ARGS)
{
	TuneState  *state;
	TuneProblem *problem;
	History    *history;
	HistoryWork work;
	HistoryScore before[2];
	HistoryScore after[2];
	size_t		bound[3];
	double		start[TUNE_MAX_PARAMS];
	double		variable[TUNE_MAX_PARAMS];
	double		error[TUNE_MAX_PARAMS];
	bool		at_bound[TUNE_MAX_PARAMS];
	const char *stopped;
	bool		converged;
	Datum		values[12];
	bool		nulls[12] = {false};
	int			i;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (TuneState *) PG_GETARG_POINTER(0);
	problem = &state->problem;
	history = &state->builder.history;
	history_builder_end_rows(&state->builder);

	bound[0] = (size_t) (state->options.burn_in * history->nmatches);
	bound[2] = history->nmatches;
	bound[1] = bound[2] - (size_t) (state->options.holdout * history->nmatches);
	bound[1] = Max(bound[0], bound[1]);
	history_work_init(&work,
					  palloc_extended(Max(history_work_size(history, state->model), 1),
									  MCXT_ALLOC_HUGE),
					  history, state->model);
	score_history(state, &work, bound, before);
	if (before[0].matches == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() has no matches to fit to"),
				 errdetail("Of %zu matches %zu are burnt in, %zu are held out, and none of the others can be scored.",
						   history->nmatches, bound[0], bound[2] - bound[1]),
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
	converged = search_minimum(state, before[0].matches, variable, &stopped);
	tune_errors(problem, variable, error, at_bound);
	score_history(state, &work, bound, after);

	values[0] = CStringGetTextDatum(state->model->name);
	values[1] = params_jsonb(state->model, state->params);
	values[2] = tuned_parameters(fcinfo, state, start, variable, error, at_bound);
	values[3] = Int64GetDatum(after[0].matches);
	values[4] = Float8GetDatum(mean_log_loss(&before[0]));
	values[5] = Float8GetDatum(mean_log_loss(&after[0]));
	values[6] = Int64GetDatum(after[1].matches);
	values[7] = Float8GetDatum(mean_log_loss(&before[1]));
	values[8] = Float8GetDatum(mean_log_loss(&after[1]));
	nulls[7] = before[1].matches == 0;
	nulls[8] = after[1].matches == 0;
	values[9] = Int64GetDatum(problem->evaluations);
	values[10] = BoolGetDatum(converged);
	values[11] = CStringGetTextDatum(stopped);
	return return_row(fcinfo, values, nulls);
}
