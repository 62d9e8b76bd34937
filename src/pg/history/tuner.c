/*
 * tuner.c
 *		What tune() and suggest_model() share: rows, options, and studies of models.
 *
 * The rows are collected in compact form; a study rates them over and over in the core.
 */
#include "pg/history/tuner.h"

#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/json.h"
#include "pg/sql/progress.h"

/* What is valid where options share a range. */
#define SHARE "a share from 0 to 0.9"

/* The defaults.  suggest_model() is coarser than tune(), because many models share its budget. */
static const StudyOptions tune_defaults = {
	.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-4,.starts = 4,.priors = true
};

static const StudyOptions suggest_defaults = {
	.burn_in = 0.1,.holdout = 0.2,.tolerance = 1e-3,.starts = 3,.priors = true,
	.all_parts = true,.max_evaluations = 10000
};

/*
 * ---- Options ----
 */

static bool
boolean_option(const JsonReader *reader)
{
	bool		value;

	if (!json_value_boolean(&reader->value, &value))
		json_invalid_value(reader, "true or false");
	return value;
}

/*
 * True for all parts, false for none, or an array of their names.  Whether a model has parts
 * of these names is checked when the model is known.
 */
static void
parts_option(const JsonReader *reader, StudyOptions *options)
{
	if (json_value_boolean(&reader->value, &options->all_parts))
		return;
	options->all_parts = false;
	options->parts = json_member_texts(reader, false, &options->nparts,
									   "true, false or an array of names of parts");
}

/* An option that both functions have; false for others. */
static bool
common_option(const JsonReader *reader, TuneOptions *options)
{
	StudyOptions *study = &options->study;

	if (strcmp(reader->key, "burn_in") == 0)
		study->burn_in = json_member_number(reader, 0, 0.9, SHARE);
	else if (strcmp(reader->key, "holdout") == 0)
		study->holdout = json_member_number(reader, 0, 0.9, SHARE);
	else if (strcmp(reader->key, "starts") == 0)
		study->starts = (int) json_member_number(reader, 1, 16, "a number from 1 to 16");
	else if (strcmp(reader->key, "tolerance") == 0)
		study->tolerance = json_member_number(reader, 1e-10, 0.5, "a number from 1e-10 to 0.5");
	else if (strcmp(reader->key, "strict_rows") == 0)
		options->strict = boolean_option(reader);
	else if (strcmp(reader->key, "priors") == 0)
		study->priors = boolean_option(reader);
	else if (strcmp(reader->key, "parts") == 0)
		parts_option(reader, study);
	else
		return false;
	return true;
}

/* An option of tune() alone. */
static void
tune_option(const JsonReader *reader, TuneOptions *options)
{
	if (strcmp(reader->key, "params") == 0)
		options->params = json_member_object(reader, "an object");
	else if (strcmp(reader->key, "bounds") == 0)
		options->bounds = json_member_object(reader, "an object");
	else if (strcmp(reader->key, "max_evaluations") == 0)
		options->study.max_evaluations = (int)
			json_member_number(reader, 1, 1e6, "a number from 1 to 1000000");
	else if (strcmp(reader->key, "fit") != 0)
		json_invalid_key(reader,
						 "\"fit\", \"params\", \"bounds\", \"parts\", \"priors\", \"starts\", \"burn_in\", \"holdout\", \"max_evaluations\", \"tolerance\" and \"strict_rows\"");
	else if (reader->value.type != jbvNull)
		options->fit = json_member_texts(reader, false, &options->nfit,
										 "an array of names of parameters, or null");
}

/* An option of suggest_model() alone. */
static void
suggest_option(const JsonReader *reader, TuneOptions *options)
{
	if (strcmp(reader->key, "budget") == 0)
		options->study.max_evaluations = (int)
			json_member_number(reader, 1, 1e7, "a number from 1 to 10000000");
	else if (strcmp(reader->key, "models") != 0)
		json_invalid_key(reader,
						 "\"budget\", \"models\", \"parts\", \"priors\", \"starts\", \"burn_in\", \"holdout\", \"tolerance\" and \"strict_rows\"");
	else
	{
		options->models = json_member_texts(reader, false, &options->nmodels,
											"an array of names of models");
		if (options->nmodels == 0)
			json_invalid_value(reader, "an array of names of models, or left out for all");
	}
}

TuneOptions
tune_options(Jsonb *json, bool suggests)
{
	TuneOptions options = {.given = json,.study = suggests ? suggest_defaults : tune_defaults};
	JsonReader	reader;

	/* Options that are left out keep the defaults. */
	if (json == NULL)
		return options;
	if (suggests)
		json_reader_begin(&reader, json, "options of suggest_model()",
						  "For example '{\"budget\": 2000, \"holdout\": 0.3}'.");
	else
		json_reader_begin(&reader, json, "options of tune()",
						  "For example '{\"params\": {\"k\": 20}, \"holdout\": 0.2}'.");
	while (json_reader_next(&reader))
		if (!common_option(&reader, &options))
			(suggests ? suggest_option : tune_option) (&reader, &options);
	return options;
}

/*
 * ---- Rows ----
 */

Datum
tune_read_row(FunctionCallInfo fcinfo, const char *caller, int first,
			  void (*begin) (FunctionCallInfo fcinfo, TuneState *state))
{
	MemoryContext context = aggregate_context(fcinfo, caller);
	TuneState  *state = PG_ARGISNULL(0) ? NULL : (TuneState *) PG_GETARG_POINTER(0);
	MemoryContext old;

	if (state != NULL)
		check_options_stay(fcinfo, first + TUNE_ARG_OPTIONS, state->options.given, caller);
	old = MemoryContextSwitchTo(context);
	if (state == NULL)
	{
		state = palloc0_object(TuneState);
		begin(fcinfo, state);
		history_builder_begin_rows(&state->builder, fcinfo, caller, first, false,
								   state->pools_share);
		history_builder_judge_by(&state->builder, caller, state->rules, state->params,
								 state->options.strict, TIMES_LIKE_BEFORE);
	}
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

int
hint_of_unrated(const HistoryBuilder *builder)
{
	if (builder->unrated.total > (int64) builder->history.nmatches)
		return errhint("Unrated matches by reason: %s; see skillrating.reasons().",
					   unrated_counts_text(&builder->unrated, false));
	return errhint("Options \"burn_in\" and \"holdout\" set the shares.");
}

/*
 * ---- Studies ----
 */

void
tuner_begin(Tuner *tuner, const Model *model, ParamValue *params, const TuneState *state)
{
	const History *history = &state->builder.history;
	const char *mistakes = unrated_counts_text(&state->builder.unrated, true);
	Study	   *study = &tuner->study;

	if (mistakes[0] != '\0')
		tuner_warn(tuner, "matches left out for mistakes in them: %s", mistakes);
	study->work = history_work_make(history, model->nstate, &model->rules);
	if (model->look_back != NULL)
		history_past_init(study->work,
						  huge_array(char, history_past_size(history, model->nstate)),
						  history, model->nstate);
	tuner->options = state->options.study;
	study->model = model;
	study->options = &tuner->options;
	study->history = history;
	study->params = params;
	study->start = palloc_array(ParamValue, model->params.count);
	study->loss_before = huge_array(double, history->nmatches);
	study->loss = huge_array(double, history->nmatches);
	study->accuracy = huge_array(double, history->nmatches);
	study->interrupt = check_interrupts;
	study->warn = tuner_warn;
	study->argument = tuner;
	study_begin(study);
}

static void
report_evaluation(const TuneProblem *problem, double nats, void *argument)
{
	(void) nats;
	progress_done(((Tuner *) argument)->done + problem->evaluations);
}

void
tuner_fit(Tuner *tuner)
{
	TunePartsWork *work = palloc_object(TunePartsWork);

	/*
	 * An error, or a cancelled query, leaves the search by longjmp(), which
	 * holds nothing but memory of the current context.  The work space is
	 * freed here, since suggest_model() comes for each model.
	 */
	work->off = palloc_array(ParamValue, tuner->study.model->params.count);
	tuner->study.problem.on_evaluation = report_evaluation;
	tuner->study.problem.argument = tuner;
	study_fit(&tuner->study, work);
	pfree(work->off);
	pfree(work);
}

void
tuner_warn(void *tuner, const char *format,...)
{
	StringInfoData message;
	int			room = 1;

	/* As psprintf() does: the arguments are read again with a larger buffer. */
	initStringInfo(&message);
	while (room != 0)
	{
		va_list		args;

		va_start(args, format);
		room = appendStringInfoVA(&message, format, args);
		va_end(args);
		if (room != 0)
			enlargeStringInfo(&message, room);
	}
	((Tuner *) tuner)->warnings = lappend(((Tuner *) tuner)->warnings, message.data);
}

Datum
tuner_params(const Study *study)
{
	const ParamSet *set = &study->model->params;
	ParamValue *params = palloc_array(ParamValue, set->count);

	memcpy(params, study->params, set->count * sizeof(ParamValue));
	model_reset_idle_params(study->model, params);
	return params_jsonb(set, params);
}

Datum
tuner_warnings(const Tuner *tuner)
{
	const char **texts = palloc_array(const char *, list_length(tuner->warnings) + 1);
	ListCell   *cell;
	int			n = 0;

	foreach(cell, tuner->warnings)
		texts[n++] = lfirst(cell);
	return text_array(texts, n);
}
