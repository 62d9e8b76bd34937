/*
 * suggest_functions.c
 *		The aggregate suggest_model(): which model predicts a history best.
 *
 * Every model that can rate the matches is studied as tune() does it, with all its parts and
 * a share of the evaluations, and judged on the same matches that none has seen.
 */
#include "pg/history/tuner.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "core/models/registry.h"
#include "pg/history/options.h"
#include "pg/sql/aggregate.h"
#include "pg/sql/composite.h"
#include "pg/sql/progress.h"

SKILLRATING_FUNCTION(skillrating_suggest_model_transition);
SKILLRATING_FUNCTION(skillrating_suggest_model_final);

/* A model that cannot rate this share of the matches that another one can is left out. */
#define MIN_COVERAGE 0.95

/*
 * What matches are judged by as they are read: everything that any model takes, so that
 * only mistakes are left out.
 */
static const MatchRules any_rules = {.supports = ~0u};

/* The state of suggest_model(). */
typedef struct SuggestState
{
	HistoryBuilder builder;
	TuneOptions options;
} SuggestState;

/* A model and what came of it. */
typedef struct Candidate
{
	const Model *model;
	Tuner	   *tuner;			/* NULL if it cannot rate the matches */
	int64		matches;		/* that it can rate, of those scored */
	double		log_loss;		/* of the matches held out that all can rate */
	PairedDifference behind;	/* the best one, there */
} Candidate;

/* The arguments of suggest_model(), which has them up to rank, or all. */
enum
{
	ARG_STATE,
	ARG_MATCH,
	ARG_PLAYER,
	ARG_TEAM,
	ARG_RANK,
	ARG_INPUTS,
	ARG_OPTIONS
};

/* Whether options leave a model in. */
static bool
is_wanted(const TuneOptions *options, const Model *model)
{
	int			i;

	for (i = 0; i < options->nmodels; i++)
		if (strcmp(options->models[i], model->name) == 0)
			return true;
	return options->nmodels == 0;
}

/* Errors for a name that is no model, and for a part that none of the models has. */
static void
check_names(const TuneOptions *options)
{
	int			i,
				j;

	for (i = 0; i < options->nmodels; i++)
		(void) get_model(options->models[i]);
	for (i = 0; i < options->nparts; i++)
	{
		for (j = 0; j < model_count; j++)
			if (is_wanted(options, model_registry[j]) &&
				model_has_part(model_registry[j], options->parts[i]))
				break;
		if (j == model_count)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("no model to try has a part \"%s\"", options->parts[i]),
					 errhint("See column parts of skillrating.models().")));
	}
}

static SuggestState *
suggest_begin(FunctionCallInfo fcinfo, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	SuggestState *state = palloc0_object(SuggestState);

	/* The options point into their jsonb. */
	state->options = suggest_options(options_argument(fcinfo, ARG_OPTIONS));
	check_names(&state->options);
	history_builder_begin_rows(&state->builder, fcinfo, "suggest_model", ARG_MATCH,
							   false, true);
	history_builder_judge_by(&state->builder, "suggest_model", &any_rules, NULL,
							 state->options.strict, TIMES_LIKE_BEFORE);
	MemoryContextSwitchTo(old);
	return state;
}

/* suggest_model(match_id, player_id, team, rank [, inputs, options]) */
Datum
skillrating_suggest_model_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo, "suggest_model");
	SuggestState *state;
	MemoryContext old;

	state = PG_ARGISNULL(ARG_STATE) ? suggest_begin(fcinfo, context) :
		(SuggestState *) PG_GETARG_POINTER(ARG_STATE);
	check_options_stay(fcinfo, ARG_OPTIONS, state->options.given, "suggest_model");

	old = MemoryContextSwitchTo(context);
	history_builder_read_row(&state->builder, fcinfo);
	MemoryContextSwitchTo(old);
	PG_RETURN_POINTER(state);
}

/*
 * ---- The study ----
 */

/*
 * Make the models ready that can rate the matches, with their usual parameters and all
 * parts; returns how many models were looked at.
 */
static int
begin_candidates(SuggestState *state, Candidate *candidate)
{
	int64		most = 0;
	int64		held_out;
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
		tuner_begin(tuner, "suggest_model", model, params, &state->options, &state->builder);
		candidate[n].model = model;
		candidate[n].tuner = tuner;
		(void) tuner_mean(tuner->loss_before, tuner->bound[0], tuner->bound[2],
						  &candidate[n].matches);
		most = Max(most, candidate[n].matches);
		for (j = 0; j < model->params.count; j++)
			if (param_spec(&model->params, j)->searched)
				(void) tune_space_add(&tuner->space, model, params, j, 0, 0);
		tuner_add_parts(tuner);
		n++;
	}
	for (i = 0; i < n; i++)
	{
		const Tuner *tuner = candidate[i].tuner;

		/*
		 * One that forecasts nothing that is held out would keep all from
		 * being judged.
		 */
		(void) tuner_mean(tuner->loss_before, tuner->bound[1], tuner->bound[2], &held_out);
		if (candidate[i].matches < MIN_COVERAGE * most || held_out == 0)
			candidate[i].tuner = NULL;
	}
	return n;
}

/* Error unless there is something to fit to, and to judge by. */
static void
check_spans(const SuggestState *state, const Candidate *candidate, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		const Tuner *tuner = candidate[i].tuner;
		int64		fitted;
		int64		held_out;

		if (tuner == NULL)
			continue;
		(void) tuner_mean(tuner->loss_before, tuner->bound[0], tuner->bound[1], &fitted);
		(void) tuner_mean(tuner->loss_before, tuner->bound[1], tuner->bound[2], &held_out);
		if (fitted > 0 && held_out > 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("suggest_model() has no matches to fit to, or to judge by"),
			 errdetail("Matches that count: %zu; others: " INT64_FORMAT ".",
					   state->builder.history.nmatches, state->builder.unrated.total),
			 hint_of_unrated(&state->builder.unrated, state->builder.history.nmatches)));
}

/*
 * How many evaluations a model takes, compared to others: each part that is taken has the
 * others judged again.
 */
static int64
effort_of(const Tuner *tuner)
{
	return 1 + tuner->space.nparams + tuner->nparts * (tuner->nparts + 2) / 2;
}

/* Study each model, as progress() shows. */
static void
study_candidates(SuggestState *state, Candidate *candidate, int n)
{
	TuneOptions share = state->options;
	bool		reports = progress_begin(WORK_SUGGEST_MODEL, InvalidOid, InvalidOid);
	int64		weights = 0;
	int64		left;			/* of the weights */
	int64		done = 0;
	int			i;

	for (i = 0; i < n; i++)
		if (candidate[i].tuner != NULL)
			weights += effort_of(candidate[i].tuner);
	left = weights;
	progress_phase(PHASE_FITTING, state->options.max_evaluations);
	for (i = 0; i < n; i++)
	{
		Tuner	   *tuner = candidate[i].tuner;

		if (tuner == NULL)
			continue;
		tuner_warn_of_mistakes(tuner, &state->builder.unrated);

		/*
		 * What a model has left of its share is for those behind it; where it
		 * took more, as it does of a very small one, they do not get less.
		 */
		share.max_evaluations = (int)
			Max(1, Max(state->options.max_evaluations * effort_of(tuner) / weights,
					   (state->options.max_evaluations - done) * effort_of(tuner) / left));
		left -= effort_of(tuner);
		tuner->options = &share;
		tuner->done = done;
		tuner->total = state->options.max_evaluations;
		tuner_fit(tuner);
		done += tuner->problem.evaluations;
	}
	progress_end(reports);
}

/* The best first, by name where there is no difference; those without a score last. */
static int
compare_candidates(const void *a, const void *b)
{
	const Candidate *p = (const Candidate *) a;
	const Candidate *q = (const Candidate *) b;
	bool		p_judged = p->tuner != NULL && !isnan(p->log_loss);
	bool		q_judged = q->tuner != NULL && !isnan(q->log_loss);

	if ((p->tuner == NULL) != (q->tuner == NULL))
		return p->tuner == NULL ? 1 : -1;
	if (p_judged != q_judged)
		return q_judged ? 1 : -1;
	if (p_judged && p->log_loss != q->log_loss)
		return p->log_loss < q->log_loss ? -1 : 1;
	return strcmp(p->model->name, q->model->name);
}

/* Judge all on the matches that all have forecast, and sort them. */
static void
judge_candidates(Candidate *candidate, int n)
{
	const Tuner *any = NULL;
	size_t		match;
	int			i;

	for (i = 0; i < n; i++)
		if (candidate[i].tuner != NULL)
			any = candidate[i].tuner;
	for (match = any->bound[1]; match < any->bound[2]; match++)
	{
		bool		all = true;

		for (i = 0; i < n; i++)
			all &= candidate[i].tuner == NULL || !isnan(candidate[i].tuner->loss[match]);
		for (i = 0; i < n && !all; i++)
			if (candidate[i].tuner != NULL)
				candidate[i].tuner->loss[match] = get_float8_nan();
	}
	for (i = 0; i < n; i++)
		if (candidate[i].tuner != NULL)
		{
			int64		matches;

			candidate[i].log_loss = tuner_mean(candidate[i].tuner->loss, any->bound[1],
											   any->bound[2], &matches);
		}
	qsort(candidate, n, sizeof(Candidate), compare_candidates);
	for (i = 0; i < n; i++)
		if (candidate[i].tuner != NULL)
			candidate[i].behind = paired_difference(candidate[i].tuner->loss,
													candidate[0].tuner->loss,
													any->bound[1], any->bound[2]);
}

/*
 * ---- The result ----
 */

/* The columns of the type model_suggestion. */
enum
{
	SUGGESTION_MODEL,
	SUGGESTION_PARAMS,
	SUGGESTION_LOG_ODDS,
	SUGGESTION_PARTS,
	SUGGESTION_MATCHES,
	SUGGESTION_HELD_OUT_MATCHES,
	SUGGESTION_LOG_LOSS_BEFORE,
	SUGGESTION_LOG_LOSS,
	SUGGESTION_ACCURACY,
	SUGGESTION_DIFFERENCE,
	SUGGESTION_DIFFERENCE_ERROR,
	SUGGESTION_VERDICT,
	SUGGESTION_WARNINGS,
	SUGGESTION_NCOLUMNS
};

/* What to think of a model, in words, however well it was studied. */
static const char *
comparison(const Candidate *candidate)
{
	if (isnan(candidate->behind.error))
		return "worse, on too few matches to tell";
	if (candidate->behind.mean <= candidate->behind.error ||
		candidate->behind.mean * candidate->behind.matches <= TUNE_SAME_NATS)
		return "as good, as far as the matches tell";
	if (candidate->behind.mean <= 2 * candidate->behind.error)
		return "worse, within two standard errors";
	return "worse";
}

/*
 * The same, with a word if its study was cut short: it may be better than it looks.  The best
 * one is the best even so.
 */
static const char *
verdict(const Candidate *candidate, int place)
{
	const Tuner *tuner = candidate->tuner;

	if (tuner == NULL)
		return "cannot rate these matches";
	if (isnan(candidate->log_loss))
		return "not judged: no match held out that all models forecast";
	if (place == 0)
		return "best";
	if (!tuner->selection.complete)
		return psprintf("%s, but not all of its parts were tried", comparison(candidate));
	if (tuner->report.status == MINIMIZE_MAX_EVALUATIONS)
		return psprintf("%s, but its search was cut off", comparison(candidate));
	return comparison(candidate);
}

/* Raise what the rows' warnings say of evaluations, once for all models. */
static void
warn_of_budget(const SuggestState *state, const Candidate *candidate, int n)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < n; i++)
		if (candidate[i].tuner != NULL && !candidate[i].tuner->selection.complete)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 candidate[i].model->name);
	if (names.len > 0)
		ereport(WARNING,
				(errmsg("suggest_model(): %d evaluations were too few to judge every part of %s",
						state->options.max_evaluations, names.data),
				 errhint("Give more of them as option \"budget\", fewer \"models\", or names of \"parts\".")));
}

/* The columns of a model that could rate the matches. */
static void
put_scores(const Candidate *candidate, Datum *values, bool *nulls)
{
	const Tuner *tuner = candidate->tuner;
	int64		fitted;
	int64		held_out;
	size_t		match;
	double		accuracy;
	double		before;

	(void) tuner_mean(tuner->loss, tuner->bound[0], tuner->bound[1], &fitted);
	for (match = tuner->bound[1]; match < tuner->bound[2]; match++)
		if (isnan(tuner->loss[match]))
			tuner->accuracy[match] = tuner->loss_before[match] = get_float8_nan();
	before = tuner_mean(tuner->loss_before, tuner->bound[1], tuner->bound[2], &held_out);
	accuracy = tuner_mean(tuner->accuracy, tuner->bound[1], tuner->bound[2], &held_out);

	model_reset_idle_params(tuner->model, tuner->params);
	values[SUGGESTION_PARAMS] = params_jsonb(&tuner->model->params, tuner->params);
	values[SUGGESTION_LOG_ODDS] = Float8GetDatum(tuner_log_odds(tuner));
	values[SUGGESTION_PARTS] = tuner_parts_taken(tuner);
	values[SUGGESTION_MATCHES] = Int64GetDatum(fitted);
	values[SUGGESTION_HELD_OUT_MATCHES] = Int64GetDatum(held_out);
	values[SUGGESTION_LOG_LOSS_BEFORE] = Float8GetDatum(before);
	values[SUGGESTION_LOG_LOSS] = Float8GetDatum(candidate->log_loss);
	values[SUGGESTION_ACCURACY] = Float8GetDatum(accuracy);
	values[SUGGESTION_DIFFERENCE] = Float8GetDatum(candidate->behind.mean);
	values[SUGGESTION_DIFFERENCE_ERROR] = Float8GetDatum(candidate->behind.error);
	nulls[SUGGESTION_LOG_LOSS_BEFORE] = isnan(before);
	nulls[SUGGESTION_LOG_LOSS] = isnan(candidate->log_loss);
	nulls[SUGGESTION_ACCURACY] = isnan(accuracy);
	nulls[SUGGESTION_DIFFERENCE] = isnan(candidate->behind.mean);
	nulls[SUGGESTION_DIFFERENCE_ERROR] = isnan(candidate->behind.error);
	values[SUGGESTION_WARNINGS] = tuner_warnings(tuner);
}

Datum
skillrating_suggest_model_final(PG_FUNCTION_ARGS)
{
	SuggestState *state = aggregate_state(fcinfo, "suggest_model");
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
	check_spans(state, candidate, n);
	mistakes = unrated_counts_text(&state->builder.unrated, true);
	if (mistakes[0] != '\0')
		ereport(WARNING,
				(errmsg("suggest_model(): matches left out for mistakes in them: %s", mistakes)));
	study_candidates(state, candidate, n);
	judge_candidates(candidate, n);
	warn_of_budget(state, candidate, n);

	rows = row_array_make(fcinfo, n);
	for (i = 0; i < n; i++)
	{
		Datum		values[SUGGESTION_NCOLUMNS];
		bool		nulls[SUGGESTION_NCOLUMNS];

		memset(nulls, candidate[i].tuner == NULL, sizeof(nulls));
		nulls[SUGGESTION_MODEL] = nulls[SUGGESTION_VERDICT] = false;
		values[SUGGESTION_MODEL] = CStringGetTextDatum(candidate[i].model->name);
		values[SUGGESTION_VERDICT] = CStringGetTextDatum(verdict(&candidate[i], i));
		if (candidate[i].tuner != NULL)
			put_scores(&candidate[i], values, nulls);
		row_array_add(&rows, values, nulls);
	}
	return return_row_array(&rows);
}
