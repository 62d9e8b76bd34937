/*
 * tune_functions.c
 *		The aggregate tune(): parameters that predict a history best.
 *
 * All of the state lives in the context of the aggregate.  The final function changes it
 * (FINALFUNC_MODIFY = READ_WRITE): params go from the start to what was found, and the
 * counts of matches that do not count grow.  What it returns is in the current context.
 */
#include "pg/history/tuner.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/json.h"
#include "pg/sql/progress.h"

/*
 * ---- What is fitted ----
 */

/* Whether a parameter is to be fitted: it is named, or of the model's own choice. */
static bool
is_fitted(const HistoryOptions *options, const ParamSpec *spec)
{
	int			i;

	for (i = 0; i < options->fit.n; i++)
		if (strcmp(options->fit.text[i], spec->name) == 0)
			return true;
	return options->fit.text == NULL && spec->searched;
}

/* The two bounds of each parameter that are given, 0 for others. */
static const double *
read_bounds(const Model *model, const HistoryOptions *options)
{
	double	   *bounds = palloc0_array(double, 2 * model->params.count);
	JsonReader	reader;
	int			i;

	if (options->bounds == NULL)
		return bounds;
	json_reader_begin(&reader, options->bounds, "option \"bounds\" of tune()", NULL);
	while (json_reader_next(&reader))
	{
		int			index = get_param(&model->params, reader.key);
		const ParamSpec *spec = param_spec(&model->params, index);
		double	   *bound = &bounds[2 * index];

		if (spec->type != PARAM_NUMBER || !is_fitted(options, spec))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter \"%s\" has bounds and is no number to be fitted",
							reader.key)));
		for (i = 0; i < 2; i++)
		{
			if (json_value_size(&reader.value) != 2 ||
				!json_value_number(json_value_element(&reader.value, i), &bound[i]) ||
				isinf(bound[i]))
				json_invalid_value(&reader, "a pair of numbers, such as [4, 64]");

			/*
			 * The range of a parameter holds for its bounds: the search
			 * evaluates the model at both ends.
			 */
			if (!param_in_range(spec, bound[i]))
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("bound %g of parameter \"%s\" is out of range",
								bound[i], spec->name),
						 errhint("See skillrating.parameters('%s').", model->name)));
		}
		if (!(bound[0] < bound[1]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("bounds %g and %g of parameter \"%s\" do not ascend",
							bound[0], bound[1], spec->name)));
	}
	return bounds;
}

/* A parameter that is to be fitted, and the bounds of all. */
static void
add_param(Study *study, const char *name, const double *bounds)
{
	const Model *model = study->model;
	bool		log_odds = strcmp(name, STUDY_LOG_ODDS) == 0;
	int			index = log_odds ? TUNE_LOG_ODDS : get_param(&model->params, name);
	const ParamSpec *spec = log_odds ? NULL : param_spec(&model->params, index);
	double	   *start = &study->params[Max(index, 0)].number;

	if (tune_space_has(&study->space, index))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" is to be fitted twice", name)));
	if (log_odds && !model_takes_log_odds(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" does not take the log-odds of a side", model->name)));
	if (log_odds)
	{
		(void) tune_space_add_log_odds(&study->space);
		return;
	}
	if (spec->type == PARAM_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" is a table, which is not fitted",
						name, model->name),
				 errhint("Numbers, choices and flags are; tables stay as option \"params\" has them.")));
	if (spec->of_state)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" decides what a state has, and is not fitted",
						name, model->name),
				 errhint("Call tune() once for each value in option \"params\", and compare.")));

	/* A start beyond bounds that were given is moved to the nearer one. */
	if (bounds[2 * index] < bounds[2 * index + 1])
		*start = Min(Max(*start, bounds[2 * index]), bounds[2 * index + 1]);
	if (!tune_space_add(&study->space, model, study->params, index, bounds[2 * index],
						bounds[2 * index + 1]))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("tune() fits at most %d choices and flags", TUNE_MAX_CHOICES)));
}

/* The parameters that are to be fitted: those that are named, or the model's own choice. */
static void
add_params(Study *study, const HistoryOptions *options)
{
	const ParamSet *set = &study->model->params;
	const double *bounds = read_bounds(study->model, options);
	int			i;

	/* The model's own choice is small, and needs none of the checks below. */
	if (options->fit.text == NULL)
	{
		for (i = 0; i < set->count; i++)
			if (param_spec(set, i)->searched)
				add_param(study, param_spec(set, i)->name, bounds);
		return;
	}
	if (options->fit.n < 1 || options->fit.n > TUNE_MAX_PARAMS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() fits 1 to %d parameters, not %d",
						TUNE_MAX_PARAMS, options->fit.n)));
	for (i = 0; i < options->fit.n; i++)
		add_param(study, options->fit.text[i], bounds);
	if (tune_combinations(&study->space) > TUNE_MAX_COMBINATIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("choices and flags to fit have more than %d combinations",
						TUNE_MAX_COMBINATIONS),
				 errhint("Set some of them in option \"params\" instead.")));
}

/* Error for a name of a part that the model does not have. */
static void
check_parts(const Model *model, const StudyOptions *options)
{
	StringInfoData names;
	int			i;

	/* The hint is made in any case: it is done once, and short. */
	initStringInfo(&names);
	for (i = 0; i < model->nparts; i++)
		appendStringInfo(&names, "%s\"%s\"", i > 0 ? ", " : "", model->part[i].name);
	if (model_takes_log_odds(model))
		appendStringInfo(&names, "%s\"%s\"", model->nparts > 0 ? ", " : "", STUDY_LOG_ODDS);
	for (i = 0; i < options->nparts; i++)
		if (!model_has_part(model, options->parts[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("model \"%s\" has no part \"%s\"", model->name,
							options->parts[i]),
					 errhint("Its parts are %s; see skillrating.models('%s').",
							 names.data, model->name)));
}

/* Which parameters the option "params" gives. */
static const bool *
given_params(const ParamSet *set, Jsonb *params)
{
	bool	   *given = palloc0_array(bool, set->count);
	JsonReader	reader;

	if (params == NULL)
		return given;
	json_reader_begin(&reader, params, "option \"params\" of tune()", NULL);
	while (json_reader_next(&reader))
		given[get_param(set, reader.key)] = true;
	return given;
}

/* The arguments of tune(), which has them up to rank, or all. */
enum
{
	ARG_MODEL = 1,
	ARG_MATCH
};

static void *
tune_begin(FunctionCallInfo fcinfo, Jsonb *options)
{
	TuneState  *state = palloc0_object(TuneState);
	Study	   *study;

	state->tuner = palloc0_object(Tuner);
	study = &state->tuner->study;
	study->model = get_model(text_argument(fcinfo, ARG_MODEL, "model"));

	state->options = history_options("tune", NULL, OPTION_STRICT | OPTION_TUNE, options);

	/* Parts may give parameters an effect that they have not yet. */
	state->params = study->params = get_params(&study->model->params, state->options.params);
	study->model = model_variant(study->model, state->params);
	study->given = given_params(&study->model->params, state->options.params);
	check_parts(study->model, &state->options.study);
	add_params(study, &state->options);
	state->rules = &study->model->rules;
	state->pools_share = study->model->shares != NULL;
	return state;
}

/* tune(model, match_id, player_id, team, rank [, inputs, options]) */
SQL_FUNCTION(skillrating_tune_transition)
{
	return tune_read_row(fcinfo, "tune", ARG_MATCH, tune_begin);
}

/*
 * ---- The result ----
 */

/*
 * Count the matches that the model cannot rate under the parameters in use; where strict the
 * first one is an error.
 */
static void
count_left_out(TuneState *state)
{
	const Study *study = &state->tuner->study;
	int64_t		left_out[MATCH_NSTATUSES] = {0};
	size_t		bound[2] = {0, study->history->nmatches};
	HistoryScore score;
	size_t		match;
	int			offender;
	MatchStatus status;
	int			i;

	/* Where nobody counts, the replay ends with the first mistake. */
	study->work->left_out = state->options.strict ? NULL : left_out;
	status = history_replay(study->history, study->model, study->params, study->work,
							bound, 1, &score, check_interrupts, &match, &offender);
	if (status != MATCH_OK)
		history_report_mistake(&state->builder, "tune", study->work, status, match,
							   offender);

	/* The array is on our stack. */
	study->work->left_out = NULL;
	for (i = 0; i < MATCH_NSTATUSES; i++)
		while (left_out[i]-- > 0)
			unrated_count(&state->builder.unrated, i);
}

/* A word for the value of a choice or a flag. */
static const char *
choice_word(const ParamSpec *spec, const ParamValue *value)
{
	if (spec->type == PARAM_FLAG)
		return value->flag ? "true" : "false";
	return spec->choices[value->choice];
}

/* How many deviations an interval of 95 % reaches to either side. */
#define Z95 1.959963984540054

/* What the type tuned_parameter has of a number, and not of a choice. */
#define TUNED_NUMBERS 6

/* The numbers that were fitted, then the choices and flags. */
static Datum
tuned_parameters(const Study *study, Oid row_type)
{
	const ParamSet *set = &study->model->params;
	RowArray	rows = row_array_of(row_type, study->problem.n + study->space.nchoices);
	int			i,
				j;

	for (i = 0; i < study->problem.n; i++)
	{
		const TuneParam *param = &study->problem.param[i];
		double		variable = study->variable[i];
		double		error = study->error[i];
		double		value = study->selection.start_kept ? tune_get(&study->problem, param->index) :
			tune_value(param, variable);
		ResultRow	row = {0};

		put_text(&row, study_name(study, i));
		put_number(&row, param->index == TUNE_LOG_ODDS ? 0 : study->start[param->index].number);
		put_number(&row, value);

		/*
		 * The interval is symmetric in the variable of the search, not in the
		 * parameter.
		 */
		put_datum(&row, Float8GetDatum(error * tune_slope(param, value)), isnan(error));
		put_datum(&row, Float8GetDatum(tune_value(param, variable - Z95 * error)), isnan(error));
		put_datum(&row, Float8GetDatum(tune_value(param, variable + Z95 * error)), isnan(error));
		put_bool(&row, study->at_bound[i]);
		put_null(&row);
		put_null(&row);
		row_array_add(&rows, &row);
	}
	for (i = 0; i < study->space.nchoices; i++)
	{
		const TuneChoice *choice = &study->space.choice[i];
		const ParamSpec *spec = param_spec(set, choice->index);
		ResultRow	row = {0};

		if (choice->variable >= 0)
			continue;
		put_text(&row, spec->name);
		for (j = 0; j < TUNED_NUMBERS; j++)
			put_null(&row);
		put_text(&row, choice_word(spec, &study->start[choice->index]));
		put_text(&row, choice_word(spec, &study->params[choice->index]));
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

/* The parts that were tried, in the order of trying. */
static Datum
tuned_parts(const Study *study, Oid row_type)
{
	RowArray	rows = row_array_of(row_type, study->nparts);
	int			i;

	for (i = 0; i < study->nparts; i++)
	{
		const TunePart *part = &study->part[i];
		ResultRow	row = {0};

		put_text(&row, part->name);
		put_bool(&row, part->taken);
		put_number(&row, part->judged ? part->gain.mean : NAN);
		put_number(&row, part->judged ? part->gain.error : NAN);
		put_int64(&row, part->gain.matches);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}

/*
 * Names of parameters of which the likelihood tells nothing, as a warning: those of idle time,
 * where there is none, and others.
 */
static void
warn_of_undetermined(Tuner *tuner)
{
	const Study *study = &tuner->study;
	bool		has_times = history_has_times(study->history);
	StringInfoData names[2];
	int			i;

	initStringInfo(&names[0]);
	initStringInfo(&names[1]);
	for (i = 0; i < study->problem.n; i++)
	{
		StringInfo	list = &names[study_is_of_time(study, i) && !has_times];

		if (study_is_undetermined(study, i))
			appendStringInfo(list, "%s\"%s\"", list->len > 0 ? ", " : "", study_name(study, i));
	}
	if (names[0].len > 0)
		tuner_warn(tuner, "the matches do not determine %s", names[0].data);
	if (names[1].len > 0)
		tuner_warn(tuner, "the matches have no times, without which %s has no effect",
				   names[1].data);
}

/* Fit, as progress() shows, and say what there is to warn of. */
static void
fit(Tuner *tuner)
{
	bool		reports = progress_begin(WORK_TUNE, InvalidOid, InvalidOid);
	ListCell   *cell;

	progress_phase(PHASE_FITTING, study_evaluations(&tuner->study));
	tuner_fit(tuner);
	study_errors(&tuner->study);

	/* After an error the end of the (sub)transaction does this. */
	progress_end(reports);
	warn_of_undetermined(tuner);
	foreach(cell, tuner->warnings)
		ereport(WARNING, (errmsg("tune() of model \"%s\": %s", tuner->study.model->name,
								 (char *) lfirst(cell))));
}

/* Error unless there is something to fit to. */
static void
check_matches(const TuneState *state)
{
	const Study *study = &state->tuner->study;
	int64		matches;

	(void) study_mean(study, study->loss_before, STUDY_FITTED, &matches);
	if (matches == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tune() has no matches to fit to"),
				 errdetail("Of %zu matches that count %zu are burnt in, %zu are held out, and none of the others can be scored; " INT64_FORMAT " more do not count.",
						   study->history->nmatches, study->bound[STUDY_FITTED],
						   study->history->nmatches - study->bound[STUDY_HELD_OUT],
						   state->builder.unrated.total),
				 hint_of_unrated(&state->builder)));
	if (tune_space_has(&study->space, TUNE_LOG_ODDS) && !history_has_sides(study->history))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("log_odds of a side cannot be fitted to matches without sides"),
				 errhint("Give them as in inputs(side => ...).")));
}

/* The matches of a span, and their scores before and after. */
static void
put_scores(const Study *study, StudySpan span, ResultRow *row)
{
	int64		matches;
	double		before = study_mean(study, study->loss_before, span, &matches);
	double		after = study_mean(study, study->loss, span, &matches);

	put_int64(row, matches);
	put_number(row, before);
	put_number(row, after);
}

SQL_FUNCTION(skillrating_tune_final)
{
	TuneState  *state = aggregate_state(fcinfo, "tune");
	Study	   *study;
	PairedDifference gain;
	ResultRow	row = {0};

	if (state == NULL)
		PG_RETURN_NULL();
	study = &state->tuner->study;
	history_builder_end_rows(&state->builder);
	tuner_begin(state->tuner, study->model, state->params, state);

	/*
	 * A mistake that is an error is one before the search rather than after
	 * it.
	 */
	if (state->options.strict)
		count_left_out(state);
	check_matches(state);
	study_add_parts(study);
	fit(state->tuner);
	count_left_out(state);

	put_text(&row, study->model->name);
	put_datum(&row, tuner_params(study), false);
	put_number(&row, study->work->side_log_odds);
	put_datum(&row, tuned_parameters(study, next_element_type(fcinfo, &row)), false);
	put_datum(&row, tuned_parts(study, next_element_type(fcinfo, &row)), false);
	put_scores(study, STUDY_FITTED, &row);
	put_scores(study, STUDY_HELD_OUT, &row);
	gain = paired_difference(study->loss_before, study->loss, study->bound[STUDY_HELD_OUT],
							 study->bound[STUDY_NSPANS]);
	put_number(&row, gain.mean);
	put_number(&row, gain.error);
	put_int64(&row, study->problem.evaluations);
	put_int32(&row, study->report.starts);
	put_int32(&row, study->report.agreeing);
	put_bool(&row, !study->selection.start_kept &&
			 study->report.status != MINIMIZE_MAX_EVALUATIONS);
	put_text(&row, study_stopped(study));
	put_datum(&row, tuner_warnings(state->tuner), false);
	put_int64(&row, state->builder.unrated.total);
	put_datum(&row, unrated_counts_jsonb(&state->builder.unrated), false);
	return return_result_row(fcinfo, &row);
}
