/*
 * tuner.c
 *		What tune() and suggest_model() share: rows, options, and studies of models.
 *
 * The rows are collected in compact form; a study rates them over and over in the core.
 */
#include "pg/history/tuner.h"

#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/progress.h"

/*
 * ---- Rows ----
 */

Datum
tune_read_row(FunctionCallInfo fcinfo, const char *caller, int first,
			  void *(*begin) (FunctionCallInfo fcinfo, Jsonb *options))
{
	TuneState  *state = options_state(fcinfo, caller, first + TUNE_ARG_OPTIONS, begin);
	MemoryContext old = MemoryContextSwitchTo(aggregate_context(fcinfo, caller));

	if (state->builder.caller == NULL)
	{
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
