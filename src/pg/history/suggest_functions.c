/*
 * suggest_functions.c
 *		The aggregate suggest_model(): which model predicts a history best.
 *
 * Every model that can rate the matches is studied as tune() does it, with all its parts and
 * a share of the evaluations, and judged on the same matches that none has seen.
 */
#include "pg/history/tuner.h"

#include "utils/array.h"
#include "utils/builtins.h"

#include "core/evaluate/contest.h"
#include "core/models/registry.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/progress.h"

/*
 * What matches are judged by as they are read: everything that any model takes, so that
 * only mistakes are left out.
 */
static const MatchRules any_rules = {.supports = ~0u};

/* The first argument after the state. */
#define ARG_MATCH 1

/* Whether options leave a model in. */
static bool
is_wanted(const HistoryOptions *options, const Model *model)
{
	int			i;

	for (i = 0; i < options->models.n; i++)
		if (strcmp(options->models.text[i], model->name) == 0)
			return true;
	return options->models.n == 0;
}

/* Errors for a name that is no model, and for a part that none of the models has. */
static void
check_names(const HistoryOptions *options)
{
	int			i,
				j;

	for (i = 0; i < options->models.n; i++)
		(void) get_model(options->models.text[i]);
	for (i = 0; i < options->study.nparts; i++)
	{
		for (j = 0; j < model_count; j++)
			if (is_wanted(options, model_registry[j]) &&
				model_has_part(model_registry[j], options->study.parts[i]))
				break;
		if (j == model_count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("no model to try has a part \"%s\"", options->study.parts[i]),
					 errhint("See column parts of skillrating.models().")));
	}
}

static void *
suggest_begin(FunctionCallInfo fcinfo, Jsonb *options)
{
	TuneState  *state = palloc0_object(TuneState);

	(void) fcinfo;
	state->options = history_options("suggest_model", NULL, OPTION_STRICT | OPTION_SUGGEST, options);
	check_names(&state->options);
	state->rules = &any_rules;
	state->pools_share = true;
	return state;
}

/* suggest_model(match_id, player_id, team, rank [, inputs, options]) */
SQL_FUNCTION(skillrating_suggest_model_transition)
{
	return tune_read_row(fcinfo, "suggest_model", ARG_MATCH, suggest_begin);
}

/*
 * ---- The study ----
 */

/*
 * Begin with each model that is wanted, with its usual parameters and all parts; returns how
 * many these are.
 */
static int
begin_candidates(const TuneState *state, Candidate *candidate)
{
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < model_count; i++)
	{
		const Model *model = model_registry[i];
		Tuner	   *tuner;
		ParamValue *params;

		if (!is_wanted(&state->options, model))
			continue;
		tuner = palloc0_object(Tuner);
		params = get_model_params(&model, NULL);
		tuner_begin(tuner, model, params, state);
		for (j = 0; j < model->params.count; j++)
			if (param_spec(&model->params, j)->searched)
				(void) tune_space_add(&tuner->study.space, model, params, j, 0, 0);
		study_add_parts(&tuner->study);
		candidate[n].model = model;
		candidate[n++].study = &tuner->study;
	}
	return n;
}

/* Study each model that was admitted, as progress() shows. */
static void
study_candidates(const TuneState *state, Candidate *candidate, int n)
{
	int			evaluations = state->options.study.max_evaluations;
	bool		reports = progress_begin(WORK_SUGGEST_MODEL, InvalidOid, InvalidOid);
	int64		done = 0;
	int			i;

	progress_phase(PHASE_FITTING, evaluations);
	for (i = 0; i < n; i++)
	{
		Tuner	   *tuner = (Tuner *) candidate[i].study;

		if (tuner == NULL)
			continue;
		tuner->options.max_evaluations = contest_share(candidate, n, i, evaluations, done);
		tuner->done = done;
		tuner_fit(tuner);
		done += tuner->study.problem.evaluations;
	}
	progress_end(reports);
}

/*
 * ---- The result ----
 */

/* The column of the type model_suggestion that is not null beside the model's, whatever it could. */
#define SUGGESTION_VERDICT 11

/* Raise what the rows' warnings say of evaluations, once for all models. */
static void
warn_of_budget(const TuneState *state, const Candidate *candidate, int n)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < n; i++)
		if (candidate[i].study != NULL && !candidate[i].study->selection.complete)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 candidate[i].model->name);
	if (names.len > 0)
		ereport(WARNING,
				(errmsg("suggest_model(): %d evaluations were too few to judge every part of %s",
						state->options.study.max_evaluations, names.data),
				 errhint("Give more of them as option \"budget\", fewer \"models\", or names of \"parts\".")));
}

/* Names of parts that were taken, as a text[]. */
static Datum
parts_taken(const Study *study)
{
	const char *names[TUNE_MAX_PARTS];
	int			n = 0;
	int			i;

	for (i = 0; i < study->nparts; i++)
		if (study->part[i].taken)
			names[n++] = study->part[i].name;
	return text_array(names, n);
}

/* The row of a model, which has no study if it could not rate the matches. */
static ResultRow
suggestion(const Candidate *candidate, const char *verdict)
{
	const Study *study = candidate->study;
	ResultRow	row = {0};
	double		before,
				accuracy;
	int64		matches;

	put_text(&row, candidate->model->name);
	if (study == NULL)
	{
		while (row.n < SUGGESTION_VERDICT)
			put_null(&row);
		put_text(&row, verdict);
		put_null(&row);
		return row;
	}
	put_datum(&row, tuner_params(study), false);
	put_number(&row, study->work->side_log_odds);
	put_datum(&row, parts_taken(study), false);
	(void) study_mean(study, study->loss, STUDY_FITTED, &matches);
	put_int64(&row, matches);
	before = study_mean(study, study->loss_before, STUDY_HELD_OUT, &matches);
	accuracy = study_mean(study, study->accuracy, STUDY_HELD_OUT, &matches);
	put_int64(&row, matches);
	put_number(&row, before);
	put_number(&row, candidate->log_loss);
	put_number(&row, accuracy);
	put_number(&row, candidate->behind.mean);
	put_number(&row, candidate->behind.error);
	put_text(&row, verdict);
	put_datum(&row, tuner_warnings((const Tuner *) study), false);
	return row;
}

SQL_FUNCTION(skillrating_suggest_model_final)
{
	TuneState  *state = aggregate_state(fcinfo, "suggest_model");
	Candidate  *candidate;
	const char *mistakes;
	RowArray	rows;
	int			n;
	int			i;

	if (state == NULL)
		PG_RETURN_NULL();
	history_builder_end_rows(&state->builder);
	candidate = palloc0_array(Candidate, model_count);
	n = begin_candidates(state, candidate);
	if (!contest_admit(candidate, n))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("suggest_model() has no matches to fit to, or to judge by"),
				 errdetail("Matches that count: %zu; others: " INT64_FORMAT ".",
						   state->builder.history.nmatches, state->builder.unrated.total),
				 hint_of_unrated(&state->builder)));
	mistakes = unrated_counts_text(&state->builder.unrated, true);
	if (mistakes[0] != '\0')
		ereport(WARNING, (errmsg("suggest_model(): matches left out for mistakes in them: %s", mistakes)));
	study_candidates(state, candidate, n);
	contest_judge(candidate, n);
	warn_of_budget(state, candidate, n);

	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		const char *addition;
		const char *verdict = contest_verdict(&candidate[i], i, &addition);
		ResultRow	row = suggestion(&candidate[i], psprintf("%s%s", verdict, addition));

		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}
