/*
 * tune_functions.c
 *		The aggregate tune(): parameters that predict a history best.
 *
 * The rows are collected in compact form; the search rates them over and over in the
 * core.
 *
 * All of the state lives in the context of the aggregate.  The final function changes it
 * (FINALFUNC_MODIFY = READ_WRITE): params go from the start to what was found, and the
 * counts of matches that do not count grow.  What it returns is in the current context.
 */
#include "pg/history/tuner.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "pg/history/options.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/json.h"
#include "pg/sql/progress.h"

SKILLRATING_FUNCTION(skillrating_tune_transition);
SKILLRATING_FUNCTION(skillrating_tune_final);

/* The name under which the log-odds of a side are fitted. */
#define LOG_ODDS "log_odds"

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
	Tuner		tuner;			/* what is fitted, until there are no more
								 * rows */
} TuneState;

/* The log-odds of a side, which are to be fitted. */
static void
add_log_odds(TuneState *state)
{
	if (!model_takes_log_odds(state->model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" does not take the log-odds of a side",
						state->model->name)));
	(void) tune_space_add_log_odds(&state->tuner.space);
}

/* A parameter that is to be fitted. */
static void
add_param(TuneState *state, const char *name)
{
	const ParamSet *set = &state->model->params;
	bool		log_odds = strcmp(name, LOG_ODDS) == 0;
	int			index = log_odds ? TUNE_LOG_ODDS : get_param(set, name);
	double		low = 0;
	double		high = 0;

	if (tune_space_has(&state->tuner.space, index))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" is to be fitted twice", name)));
	if (log_odds)
	{
		add_log_odds(state);
		return;
	}
	if (param_spec(set, index)->type == PARAM_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" is a table, which is not fitted",
						name, state->model->name),
				 errhint("Numbers, choices and flags are; tables stay as option \"params\" has them.")));
	if (param_spec(set, index)->of_state)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" decides what a state has, and is not fitted",
						name, state->model->name),
				 errhint("Call tune() once for each value in option \"params\", and compare.")));

	/* A start beyond bounds that were given is moved to the nearer one. */
	if (param_spec(set, index)->type == PARAM_NUMBER &&
		tune_given_bounds(&state->options, state->model, param_spec(set, index), &low, &high))
		state->params[index].number =
			Min(Max(state->params[index].number, low), high);
	if (!tune_space_add(&state->tuner.space, state->model, state->params, index, low, high))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("tune() fits at most %d choices and flags", TUNE_MAX_CHOICES)));
}

/* Errors for bounds of a parameter that is not fitted as a number, which are a mistake. */
static void
check_bounds(const TuneState *state)
{
	const TuneSpace *space = &state->tuner.space;
	JsonReader	reader;

	if (state->options.bounds == NULL)
		return;
	json_reader_begin(&reader, state->options.bounds, TUNE_BOUNDS, NULL);
	while (json_reader_next(&reader))
	{
		int			index = get_param(&state->model->params, reader.key);
		int			i;

		for (i = 0; i < space->nparams; i++)
			if (space->param[i].index == index)
				break;
		if (i == space->nparams)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" has bounds and is no number to be fitted",
							reader.key)));
	}
}

/* The parameters that are to be fitted: those that are named, or the model's own choice. */
static void
add_params(TuneState *state)
{
	const ParamSet *set = &state->model->params;
	int			n = state->options.nfit;
	int			i;

	/* The model's own choice is small, and needs none of the checks below. */
	if (state->options.fit == NULL)
	{
		for (i = 0; i < set->count; i++)
			if (param_spec(set, i)->searched)
				add_param(state, param_spec(set, i)->name);
		check_bounds(state);
		return;
	}
	if (n < 1 || n > TUNE_MAX_PARAMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() fits 1 to %d parameters, not %d",
						TUNE_MAX_PARAMS, n)));
	for (i = 0; i < n; i++)
		add_param(state, state->options.fit[i]);
	if (tune_combinations(&state->tuner.space) > TUNE_MAX_COMBINATIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("choices and flags to fit have more than %d combinations",
						TUNE_MAX_COMBINATIONS),
				 errhint("Set some of them in option \"params\" instead.")));
	check_bounds(state);
}

/* Error for a name of a part that the model does not have. */
static void
check_parts(const TuneState *state)
{
	const Model *model = state->model;
	StringInfoData names;
	int			i;

	/* The hint is made in any case: it is done once, and short. */
	initStringInfo(&names);
	for (i = 0; i < model->nparts; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "", model->part[i].name);
	if (model_takes_log_odds(model))
		appendStringInfo(&names, "%s\"%s\"", model->nparts > 0 ? ", " : "", LOG_ODDS);
	for (i = 0; i < state->options.nparts; i++)
		if (!model_has_part(model, state->options.parts[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("model \"%s\" has no part \"%s\"", model->name,
							state->options.parts[i]),
					 errhint("Its parts are %s; see skillrating.models('%s').",
							 names.data, model->name)));
}

/* The arguments of tune(), which has them up to rank, or all. */
enum
{
	ARG_STATE,
	ARG_MODEL,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS
};

static TuneState *
tune_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	TuneState  *state = palloc0_object(TuneState);

	if (PG_ARGISNULL(ARG_MODEL))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model must not be null")));
	state->model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(ARG_MODEL)));

	/* The options point into their jsonb. */
	state->options = tune_options(options_argument(fcinfo, ARG_OPTIONS));

	/* Parts may give parameters an effect that they have not yet. */
	state->params = get_params(&state->model->params, state->options.params);
	state->model = model_variant(state->model, state->params);
	check_parts(state);
	add_params(state);

	history_builder_begin_rows(&state->builder, fcinfo, "tune", ARG_MATCH, false,
							   state->model->shares != NULL);
	history_builder_judge_by(&state->builder, "tune", &state->model->rules,
							 state->params, state->options.strict, TIMES_LIKE_BEFORE);
	MemoryContextSwitchTo(old);
	return state;
}

/* tune(model, match_id, player_id, team, rank [, inputs, options]) */
Datum
skillrating_tune_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "tune");
	TuneState  *state;
	MemoryContext old;

	state = PG_ARGISNULL(ARG_STATE) ? tune_begin(fcinfo, context) :
		(TuneState *) PG_GETARG_POINTER(ARG_STATE);
	check_options_stay(fcinfo, ARG_OPTIONS, state->options.given, "tune");

	old = MemoryContextSwitchTo(context);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- The result ----
 */

/* The columns of the type tuning. */
enum
{
	TUNING_MODEL,
	TUNING_PARAMS,
	TUNING_LOG_ODDS,
	TUNING_FITTED,
	TUNING_PARTS,
	TUNING_MATCHES,
	TUNING_LOG_LOSS_BEFORE,
	TUNING_LOG_LOSS,
	TUNING_HELD_OUT_MATCHES,
	TUNING_HELD_OUT_LOG_LOSS_BEFORE,
	TUNING_HELD_OUT_LOG_LOSS,
	TUNING_HELD_OUT_GAIN,
	TUNING_HELD_OUT_GAIN_ERROR,
	TUNING_EVALUATIONS,
	TUNING_STARTS,
	TUNING_STARTS_AGREEING,
	TUNING_CONVERGED,
	TUNING_STOPPED,
	TUNING_WARNINGS,
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
	PARAMETER_CHOICE_START,
	PARAMETER_CHOICE,
	PARAMETER_NCOLUMNS
};

/* The columns of the type tuned_part. */
enum
{
	PART_NAME,
	PART_TAKEN,
	PART_GAIN,
	PART_STANDARD_ERROR,
	PART_MATCHES,
	PART_NCOLUMNS
};

/* The errors of what was fitted, and what a look at them gives reason to warn of. */
typedef struct FitErrors
{
	double		variable[TUNE_MAX_PARAMS];
	double		error[TUNE_MAX_PARAMS];
	bool		at_bound[TUNE_MAX_PARAMS];
} FitErrors;

/*
 * Count the matches that the model cannot rate under the parameters found; where strict the
 * first one is an error.
 */
static void
count_left_out(TuneState *state)
{
	HistoryWork *work = &state->tuner.work;
	int64_t		left_out[MATCH_NSTATUSES] = {0};
	size_t		bound[2] = {0, state->tuner.bound[2]};
	HistoryScore score;
	size_t		match;
	int			offender;
	MatchStatus status;
	int			i;

	/* Where nobody counts, the replay ends with the first mistake. */
	work->left_out = state->builder.strict ? NULL : left_out;
	status = history_replay(&state->builder.history, state->model, state->params, work,
							bound, 1, &score, check_interrupts, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(&state->builder, "tune", work, status, match,
							   offender);

	/* The array is on our stack. */
	work->left_out = NULL;
	for (i = 0; i < MATCH_NSTATUSES; i++)
		while (left_out[i]-- > 0)
			unrated_count(&state->builder.unrated, i);
}

/* A word for the value of a choice or a flag, as a text. */
static Datum
choice_text(const ParamSpec *spec, const ParamValue *value)
{
	if (spec->type == PARAM_FLAG)
		return CStringGetTextDatum(value->flag ? "true" : "false");
	return CStringGetTextDatum(spec->choices[value->choice]);
}

/* The numbers that were fitted, then the choices and flags. */
static Datum
tuned_parameters(FunctionCallInfo fcinfo, const TuneState *state, const ParamValue *start,
				 const FitErrors *errors)
{
	const Tuner *tuner = &state->tuner;
	const TuneProblem *problem = &tuner->problem;
	const ParamSet *set = &state->model->params;
	RowArray	rows = row_array_of(result_column_element_type(fcinfo, TUNING_FITTED),
									problem->n + tuner->space.nchoices);
	Datum		values[PARAMETER_NCOLUMNS];
	bool		nulls[PARAMETER_NCOLUMNS];
	int			i;

	for (i = 0; i < problem->n; i++)
	{
		const TuneParam *param = &problem->param[i];
		double		variable = errors->variable[i];
		double		error = errors->error[i];
		double		value = tuner->selection.start_kept ? tune_get(problem, param->index) :
			tune_value(param, variable);

		memset(nulls, 0, sizeof(nulls));
		values[PARAMETER_NAME] = CStringGetTextDatum(param->index == TUNE_LOG_ODDS ? LOG_ODDS :
													 param_spec(set, param->index)->name);
		values[PARAMETER_START] = Float8GetDatum(param->index == TUNE_LOG_ODDS ? 0 :
												 start[param->index].number);
		values[PARAMETER_VALUE] = Float8GetDatum(value);

		/*
		 * The interval is symmetric in the variable of the search, not in the
		 * parameter.
		 */
		nulls[PARAMETER_STANDARD_ERROR] = nulls[PARAMETER_LOW] = nulls[PARAMETER_HIGH] = isnan(error);
		values[PARAMETER_STANDARD_ERROR] = Float8GetDatum(error * tune_slope(param, value));
		values[PARAMETER_LOW] = Float8GetDatum(tune_value(param, variable - 1.959963984540054 * error));
		values[PARAMETER_HIGH] = Float8GetDatum(tune_value(param, variable + 1.959963984540054 * error));
		values[PARAMETER_AT_BOUND] = BoolGetDatum(errors->at_bound[i]);
		nulls[PARAMETER_CHOICE_START] = nulls[PARAMETER_CHOICE] = true;
		row_array_add(&rows, values, nulls);
	}
	for (i = 0; i < tuner->space.nchoices; i++)
	{
		const TuneChoice *choice = &tuner->space.choice[i];

		if (choice->variable >= 0)
			continue;
		memset(nulls, true, sizeof(nulls));
		nulls[PARAMETER_NAME] = nulls[PARAMETER_CHOICE_START] = nulls[PARAMETER_CHOICE] = false;
		values[PARAMETER_NAME] = CStringGetTextDatum(param_spec(set, choice->index)->name);
		values[PARAMETER_CHOICE_START] = choice_text(param_spec(set, choice->index), &start[choice->index]);
		values[PARAMETER_CHOICE] = choice_text(param_spec(set, choice->index), &state->params[choice->index]);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

/* The parts that were tried, in the order of trying. */
static Datum
tuned_parts(FunctionCallInfo fcinfo, const Tuner *tuner)
{
	RowArray	rows = row_array_of(result_column_element_type(fcinfo, TUNING_PARTS),
									tuner->nparts);
	int			i;

	for (i = 0; i < tuner->nparts; i++)
	{
		const TunePart *part = &tuner->part[i];
		Datum		values[PART_NCOLUMNS];
		bool		nulls[PART_NCOLUMNS] = {false};

		values[PART_NAME] = CStringGetTextDatum(part->name);
		values[PART_TAKEN] = BoolGetDatum(part->taken);
		values[PART_GAIN] = Float8GetDatum(part->gain.mean);
		values[PART_STANDARD_ERROR] = Float8GetDatum(part->gain.error);
		values[PART_MATCHES] = Int64GetDatum(part->gain.matches);
		nulls[PART_GAIN] = !part->judged || isnan(part->gain.mean);
		nulls[PART_STANDARD_ERROR] = !part->judged || isnan(part->gain.error);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}

/*
 * Names of parameters of which the likelihood tells nothing, as a warning: those of idle time,
 * where there is none, and others.
 */
static void
warn_of_undetermined(TuneState *state, const FitErrors *errors)
{
	const TuneProblem *problem = &state->tuner.problem;
	bool		has_times = history_has_times(&state->builder.history);
	StringInfoData names[2];
	int			i;

	initStringInfo(&names[0]);
	initStringInfo(&names[1]);
	for (i = 0; i < problem->n; i++)
	{
		int			index = problem->param[i].index;
		const ParamSpec *spec = index == TUNE_LOG_ODDS ? NULL :
			param_spec(&state->model->params, index);
		StringInfo	list = &names[spec != NULL && spec->of_time && !has_times];

		if (isnan(errors->error[i]) && !errors->at_bound[i])
			appendStringInfo(list, "%s\"%s\"", list->len > 0 ? ", " : "",
							 spec == NULL ? LOG_ODDS : spec->name);
	}
	if (names[0].len > 0)
		tuner_warn(&state->tuner, "the matches do not determine %s", names[0].data);
	if (names[1].len > 0)
		tuner_warn(&state->tuner, "the matches have no times, without which %s has no effect",
				   names[1].data);
}

/* The start, where it is kept, is no optimum: nothing is known of how far its values can go. */
static void
forget_errors(const Tuner *tuner, FitErrors *errors)
{
	int			i;

	for (i = 0; i < tuner->problem.n; i++)
	{
		errors->variable[i] = 0;
		errors->error[i] = get_float8_nan();
		errors->at_bound[i] = false;
	}
}

/* Fit, as progress() shows, and say what there is to warn of. */
static void
fit(TuneState *state, FitErrors *errors)
{
	Tuner	   *tuner = &state->tuner;
	bool		reports = progress_begin(WORK_TUNE, InvalidOid, InvalidOid);
	ListCell   *cell;

	tuner_warn_of_mistakes(tuner, &state->builder.unrated);
	tuner_fit(tuner);

	/* Errors take evaluations too, which are none of the search's. */
	tuner->problem.on_evaluation = NULL;
	if (tuner->selection.start_kept)
		forget_errors(tuner, errors);
	else
	{
		tune_use(&tuner->problem, &tuner->space, &tuner->point, errors->variable);
		tune_errors(&tuner->problem, errors->variable, errors->error, errors->at_bound);
	}

	/* After an error the end of the (sub)transaction does this. */
	progress_end(reports);
	if (!tuner->selection.start_kept)
		warn_of_undetermined(state, errors);
	foreach(cell, tuner->warnings)
		ereport(WARNING, (errmsg("tune() of model \"%s\": %s", state->model->name,
								 (char *) lfirst(cell))));
}

/* Why the search ended, in words. */
static const char *
stopped_text(const Tuner *tuner)
{
	if (tuner->selection.start_kept)
		return "start kept";
	switch (tuner->report.status)
	{
		case MINIMIZE_CONVERGED:
			return "tolerance reached";
		case MINIMIZE_ROUNDING:
			return "limited by rounding";
		case MINIMIZE_MAX_EVALUATIONS:
			return "max_evaluations reached";
	}
	pg_unreachable();
}

/* Error unless there is something to fit to. */
static void
check_matches(const TuneState *state)
{
	const Tuner *tuner = &state->tuner;
	int64		matches;

	(void) tuner_mean(tuner->loss_before, tuner->bound[0], tuner->bound[1], &matches);
	if (matches == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() has no matches to fit to"),
				 errdetail("Of %zu matches that count %zu are burnt in, %zu are held out, and none of the others can be scored; " INT64_FORMAT " more do not count.",
						   tuner->bound[2], tuner->bound[0], tuner->bound[2] - tuner->bound[1],
						   state->builder.unrated.total),
				 hint_of_unrated(&state->builder.unrated, tuner->bound[2])));
	if (tune_space_has(&state->tuner.space, TUNE_LOG_ODDS) && !history_has_sides(&state->builder.history))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("log_odds of a side cannot be fitted to matches without sides"),
				 errhint("Give them as in inputs(side => ...).")));
}

/* The scores of a span before and after, as columns from that number on. */
static void
put_scores(const Tuner *tuner, int span, Datum *values, bool *nulls, int column)
{
	int64		matches;
	double		before = tuner_mean(tuner->loss_before, tuner->bound[span],
									tuner->bound[span + 1], &matches);
	double		after = tuner_mean(tuner->loss, tuner->bound[span],
								   tuner->bound[span + 1], &matches);

	values[column] = Int64GetDatum(matches);
	values[column + 1] = Float8GetDatum(before);
	values[column + 2] = Float8GetDatum(after);
	nulls[column + 1] = isnan(before);
	nulls[column + 2] = isnan(after);
}

Datum
skillrating_tune_final(PG_FUNCTION_ARGS)
{
	TuneState  *state = aggregate_state(fcinfo, "tune");
	Tuner	   *tuner;
	ParamValue *start;
	FitErrors	errors;
	PairedDifference gain;
	Datum		values[TUNING_NCOLUMNS];
	bool		nulls[TUNING_NCOLUMNS] = {false};

	if (state == NULL)
		PG_RETURN_NULL();
	tuner = &state->tuner;
	history_builder_end_rows(&state->builder);

	/*
	 * For the columns that tell of the start; the search writes into params.
	 */
	start = palloc_array(ParamValue, state->model->params.count);
	memcpy(start, state->params, state->model->params.count * sizeof(ParamValue));

	tuner_begin(tuner, "tune", state->model, state->params, &state->options, &state->builder);

	/*
	 * A mistake that is an error is one before the search rather than after
	 * it.
	 */
	if (state->builder.strict)
		count_left_out(state);
	check_matches(state);
	tuner_add_parts(tuner);
	fit(state, &errors);
	count_left_out(state);

	values[TUNING_MODEL] = CStringGetTextDatum(state->model->name);
	values[TUNING_LOG_ODDS] = Float8GetDatum(tuner_log_odds(tuner));
	values[TUNING_FITTED] = tuned_parameters(fcinfo, state, start, &errors);
	values[TUNING_PARTS] = tuned_parts(fcinfo, tuner);
	put_scores(tuner, 0, values, nulls, TUNING_MATCHES);
	put_scores(tuner, 1, values, nulls, TUNING_HELD_OUT_MATCHES);
	gain = paired_difference(tuner->loss_before, tuner->loss, tuner->bound[1], tuner->bound[2]);
	values[TUNING_HELD_OUT_GAIN] = Float8GetDatum(gain.mean);
	values[TUNING_HELD_OUT_GAIN_ERROR] = Float8GetDatum(gain.error);
	nulls[TUNING_HELD_OUT_GAIN] = isnan(gain.mean);
	nulls[TUNING_HELD_OUT_GAIN_ERROR] = isnan(gain.error);
	values[TUNING_EVALUATIONS] = Int64GetDatum(tuner->problem.evaluations);
	values[TUNING_STARTS] = Int32GetDatum(tuner->report.starts);
	values[TUNING_STARTS_AGREEING] = Int32GetDatum(tuner->report.agreeing);
	values[TUNING_CONVERGED] = BoolGetDatum(!tuner->selection.start_kept &&
											tuner->report.status != MINIMIZE_MAX_EVALUATIONS);
	values[TUNING_STOPPED] = CStringGetTextDatum(stopped_text(tuner));
	values[TUNING_WARNINGS] = tuner_warnings(tuner);
	values[TUNING_UNRATED] = Int64GetDatum(state->builder.unrated.total);
	values[TUNING_UNRATED_REASONS] = unrated_counts_jsonb(&state->builder.unrated);

	/* Last, as all above is about what was searched. */
	model_reset_idle_params(state->model, state->params);
	values[TUNING_PARAMS] = params_jsonb(&state->model->params, state->params);
	return return_row(fcinfo, values, nulls);
}
