/*
 * tuner.c
 *		The study of one model on a history: parts, parameters, and how far to trust them.
 *
 * Everything here is searched on the matches before the part that is held out, which is
 * scored once, at the end.
 */
#include "pg/history/tuner.h"

#include "utils/float.h"

#include "pg/sql/arrays.h"
#include "pg/sql/json.h"
#include "pg/sql/progress.h"

/* A fit to fewer matches than this for each of its parameters is warned of. */
#define FEW_MATCHES_PER_PARAMETER 50

/* Evaluations for each variable and for each part, unless options say how many. */
#define EVALUATIONS_PER_VARIABLE 200
#define EVALUATIONS_PER_PART 200
#define MIN_EVALUATIONS 500

/* Parts take at most this share of the evaluations. */
#define SHARE_OF_PARTS 0.7

/*
 * ---- The history ----
 */

/* Whether any participant of a history has a number, of which this is the one of probe. */
static bool
has_number(const History *history, Participant *probe, const double *number)
{
	int			i;

	for (i = 0; i < PARTICIPANT_NUMBERS; i++)

		/*
		 * Addresses are compared: the probe is a struct of numbers, and its
		 * values are never read.
		 */
		if (&probe->number[i] == number)
			return history->number[i] != NULL;
	return false;
}

bool
history_has_sides(const History *history)
{
	Participant probe;

	return has_number(history, &probe, &probe.side);
}

/* What matches of the history have, as a set of ModelSupport, as far as parts need it. */
static unsigned
history_supports(const History *history)
{
	Participant probe;
	const struct
	{
		const double *number;
		unsigned	support;
	}			supports[] = {
		{&probe.score, MODEL_SCORE},
		{&probe.side, MODEL_SIDE},
		{&probe.weight, MODEL_WEIGHT},
		{&probe.joined, MODEL_WEIGHT},
		{&probe.commanding, MODEL_COMMANDING},
		{&probe.squad, MODEL_SQUAD},
		{&probe.kills, MODEL_COUNTS},
		{&probe.deaths, MODEL_COUNTS},
		{&probe.quit, MODEL_QUIT},
		{&probe.experience, MODEL_EXPERIENCE},
		{&probe.gain, MODEL_GAIN}
	};
	unsigned	set = MODEL_MANY_TEAMS | MODEL_LOG_ODDS |
		(history->contexts.number != NULL ? MODEL_CONTEXT : 0) |
		(history->clubs.number != NULL ? MODEL_CLUB : 0);
	size_t		i;

	for (i = 0; i < lengthof(supports); i++)
		if (has_number(history, &probe, supports[i].number))
			set |= supports[i].support;
	return set;
}

/* The same of what is seen in a match as a whole, among those that are not held out. */
static unsigned
matches_support(Tuner *tuner)
{
	const unsigned all = MODEL_DRAWS | MODEL_UNEVEN;
	const History *history = &tuner->builder->history;
	unsigned	set = 0;
	size_t		i;

	for (i = 0; i < tuner->bound[1] && set != all; i++)
	{
		Match		match;
		int			offender;

		CHECK_FOR_INTERRUPTS();
		if (history_build_match(history, i, &tuner->model->rules, tuner->params,
								&tuner->work, &match, &offender) != MATCH_OK)
			continue;
		if (match.nteams == 2 && match_outcome(&match, 0) == MATCH_DREW)
			set |= MODEL_DRAWS;
		if (match_is_uneven(&match))
			set |= MODEL_UNEVEN;
	}
	return set;
}

bool
history_has_times(const History *history)
{
	size_t		i;

	for (i = 0; i < history->nmatches; i++)
		if (history->match[i].played_at != NEVER_PLAYED)
			return true;
	return false;
}

bool
model_takes_log_odds(const Model *model)
{
	int			i;

	for (i = 0; i < model->rules.ncomponents; i++)
		if (model->rules.component[i].scope == COMPONENT_OF_SIDE)
			return false;
	return (model->rules.supports & MODEL_LOG_ODDS) != 0;
}

/*
 * ---- What is fitted ----
 */

void
tuner_begin(Tuner *tuner, const char *caller, const Model *model, ParamValue *params,
			const TuneOptions *options, HistoryBuilder *builder)
{
	History    *history = &builder->history;
	TuneProblem *problem = &tuner->problem;
	size_t		n = history->nmatches;

	tuner->caller = caller;
	tuner->model = model;
	tuner->params = params;
	tuner->start_params = palloc_array(ParamValue, model->params.count);

	/*
	 * The search writes into params; the start is kept for the comparison at
	 * the end.
	 */
	memcpy(tuner->start_params, params, model->params.count * sizeof(ParamValue));
	tuner->options = options;
	tuner->builder = builder;

	/*
	 * Matches before bound[0] warm ratings up, those up to bound[1] are
	 * fitted to, and those up to bound[2] are held out.
	 */
	tuner->bound[0] = (size_t) (options->burn_in * n);
	tuner->bound[2] = n;
	tuner->bound[1] = Max(tuner->bound[0], n - (size_t) (options->holdout * n));
	history_work_init(&tuner->work,
					  huge_array(char, history_work_size(history, model->nstate)),
					  history, model->nstate);
	if (model->look_back != NULL)
		history_past_init(&tuner->work,
						  huge_array(char, history_past_size(history, model->nstate)),
						  history, model->nstate);
	history_work_add_components(&tuner->work, history, &model->rules);
	tuner->loss_before = huge_array(double, n + 1);
	tuner->loss = huge_array(double, n + 1);
	tuner->accuracy = huge_array(double, n + 1);

	problem->model = model;
	problem->params = params;
	problem->history = history;
	problem->work = &tuner->work;
	problem->bound[0] = tuner->bound[0];
	problem->bound[1] = tuner->bound[1];
	problem->priors = options->priors;
	problem->interrupt = check_interrupts;

	/*
	 * The parameters of the start are scored on the same matches.  This
	 * evaluation is not one of the search.
	 */
	tune_forecasts(problem, tuner->bound[0], n, tuner->loss_before, NULL);
	problem->evaluations = 0;
}

/* Whether options name a part, or all. */
static bool
part_is_wanted(const TuneOptions *options, const char *name)
{
	int			i;

	for (i = 0; i < options->nparts; i++)
		if (strcmp(options->parts[i], name) == 0)
			return true;
	return options->all_parts;
}

/* Whether the option "params" gives a parameter. */
static bool
option_has_param(const TuneOptions *options, const char *name)
{
	JsonReader	reader;

	if (options->params == NULL)
		return false;
	json_reader_begin(&reader, options->params, "option \"params\" of tune()", NULL);
	return json_reader_find(&reader, name);
}

bool
model_has_part(const Model *model, const char *name)
{
	int			i;

	for (i = 0; i < model->nparts; i++)
		if (strcmp(model->part[i].name, name) == 0)
			return true;
	return strcmp(name, "log_odds") == 0 && model_takes_log_odds(model);
}

/* Turn a parameter of a part off, unless options say otherwise. */
static void
turn_param_off(Tuner *tuner, const PartParam *param)
{
	const ParamSpec *spec = param_spec(&tuner->model->params, param->param);
	ParamValue *value = &tuner->params[param->param];

	if (option_has_param(tuner->options, spec->name) ||
		tune_space_has(&tuner->space, param->param))
		return;
	if (spec->type == PARAM_NUMBER)
		value->number = param->off;
	else if (spec->type == PARAM_CHOICE)
		value->choice = (int) param->off;
	else
		value->flag = param->off != 0;
}

/* What the matches lack that a part needs, in words; NULL for nothing. */
static const char *
missing_for(const ModelPart *part, unsigned supports, bool has_times)
{
	static const struct
	{
		unsigned	support;
		const char *words;
	}			missing[] = {
		{MODEL_DRAWS, "no two teams have drawn"},
		{MODEL_UNEVEN, "no match has teams of different sizes"},
		{MODEL_SCORE, "no match has scores"},
		{MODEL_SIDE, "no match has sides"},
		{MODEL_CONTEXT, "no match has a context"},
		{MODEL_CLUB, "nobody has a club"},
		{MODEL_WEIGHT, "nobody has a weight, or a time of joining"},
		{MODEL_COMMANDING, "nobody is said to command"},
		{MODEL_SQUAD, "nobody has a squad"},
		{MODEL_COUNTS, "nobody has kills or deaths"},
		{MODEL_QUIT, "nobody is said to have quit"},
		{MODEL_EXPERIENCE, "nobody has experience"},
		{MODEL_GAIN, "nobody has a gain"}
	};
	size_t		i;

	for (i = 0; i < lengthof(missing); i++)
		if ((part->needs & missing[i].support & ~supports) != 0)
			return missing[i].words;
	if (part->needs_times && !has_times)
		return "no match has a time";
	return (part->needs & ~supports) != 0 ? "the matches lack what it needs" : NULL;
}

/* Warn of parts that options name and that cannot be tried: nothing else would say so. */
static void
warn_of_missing(Tuner *tuner, unsigned supports, bool has_times)
{
	const Model *model = tuner->model;
	int			i;

	for (i = 0; i < model->nparts; i++)
	{
		const ModelPart *part = &model->part[i];
		const char *missing = missing_for(part, supports, has_times);

		if (part_is_wanted(tuner->options, part->name) && missing != NULL)
			tuner_warn(tuner, "part \"%s\" was not tried: %s", part->name, missing);
	}
	if (part_is_wanted(tuner->options, "log_odds") && model_takes_log_odds(model) &&
		!history_has_sides(&tuner->builder->history))
		tuner_warn(tuner, "part \"log_odds\" was not tried: no match has sides");
}

void
tuner_add_parts(Tuner *tuner)
{
	const Model *model = tuner->model;
	const History *history = &tuner->builder->history;
	unsigned	supports = history_supports(history) | matches_support(tuner);
	bool		has_times = history_has_times(history);
	int			i,
				j;

	if (tuner->options->nparts > 0)
		warn_of_missing(tuner, supports, has_times);
	for (i = 0; i < model->nparts; i++)
	{
		const ModelPart *part = &model->part[i];
		bool		by_default = tune_part_is_on(model, tuner->params, part);

		/*
		 * Where nobody has drawn, no draws are expected, and nothing is
		 * learnt of them.
		 */
		if (part_is_wanted(tuner->options, part->name) &&
			(part->needs & ~supports & MODEL_DRAWS) != 0)
			for (j = 0; j < part->nparams; j++)
				turn_param_off(tuner, &part->param[j]);

		if (!part_is_wanted(tuner->options, part->name) ||
			(part->needs & ~supports) != 0 || (!has_times && part->needs_times) ||
			tune_space_has(&tuner->space, part->param[0].param))
			continue;
		turn_param_off(tuner, &part->param[0]);
		if (tune_model_part(model, tuner->params, &tuner->space, part,
							&tuner->part[tuner->nparts]))
			tuner->part[tuner->nparts++].by_default = by_default;
	}
	if (part_is_wanted(tuner->options, "log_odds") &&
		!tune_space_has(&tuner->space, TUNE_LOG_ODDS) &&
		model_takes_log_odds(model) && history_has_sides(history))
		tune_log_odds_part(&tuner->part[tuner->nparts++]);
}

/*
 * ---- Warnings ----
 */

void
tuner_warn(Tuner *tuner, const char *format,...)
{
	StringInfoData message;
	int			room;

	initStringInfo(&message);
	for (;;)
	{
		va_list		args;

		va_start(args, format);
		room = appendStringInfoVA(&message, format, args);
		va_end(args);

		/*
		 * As psprintf() does: the arguments are read again with a larger
		 * buffer.
		 */
		if (room == 0)
			break;
		enlargeStringInfo(&message, room);
	}
	tuner->warnings = lappend(tuner->warnings, message.data);
}

void
tuner_warn_of_mistakes(Tuner *tuner, const UnratedCounts *unrated)
{
	const char *mistakes = unrated_counts_text(unrated, true);

	if (mistakes[0] != '\0')
		tuner_warn(tuner, "matches left out for mistakes in them: %s", mistakes);
}

int
hint_of_unrated(const UnratedCounts *unrated, size_t counting)
{
	if (unrated->total > (int64) counting)
		return errhint("Unrated matches by reason: %s; see skillrating.reasons().",
					   unrated_counts_text(unrated, false));
	return errhint("Options \"burn_in\" and \"holdout\" set the shares.");
}

/* What the search itself gives reason to warn of. */
static void
warn_of_search(Tuner *tuner, int64 matches)
{
	const TuneSelection *selection = &tuner->selection;
	const TuneReport *report = &tuner->report;
	int			fitted = tuner->problem.n;

	if (matches < (int64) FEW_MATCHES_PER_PARAMETER * fitted)
		tuner_warn(tuner, "too few matches: " INT64_FORMAT " for %d %s", matches, fitted,
				   fitted == 1 ? "parameter" : "parameters");
	if (report->status == MINIMIZE_MAX_EVALUATIONS)
		tuner_warn(tuner, "the search was cut off after its evaluations: %d",
				   tuner->max_evaluations);
	if (report->starts > 0 && 2 * report->elsewhere >= report->starts)
		tuner_warn(tuner, "%d of %d starts ended at another, worse optimum",
				   report->elsewhere, report->starts);
	if (!selection->complete)
		tuner_warn(tuner, "%d evaluations were too few to judge every part",
				   tuner->max_evaluations);
	if (selection->start_kept)
		tuner_warn(tuner, "the start was kept, which forecasts later matches better than what was fitted to earlier ones, by %.4f +- %.4f",
				   selection->behind.mean, selection->behind.error);
	if (tuner->nparts > 0 &&
		tuner->problem.bound[1] - tuner->problem.bound[0] < TUNE_MIN_MATCHES_OF_PARTS)
		tuner_warn(tuner, "too few matches to judge parts: %zu",
				   tuner->problem.bound[1] - tuner->problem.bound[0]);
}

/* Bounds that are ends of the search, and not of the parameter. */
static void
warn_of_bounds(Tuner *tuner)
{
	double		variable[TUNE_MAX_PARAMS];
	int			i;

	tune_use(&tuner->problem, &tuner->space, &tuner->point, variable);
	for (i = 0; i < tuner->problem.n; i++)
	{
		const TuneParam *param = &tuner->problem.param[i];
		const ParamSpec *spec = param->index == TUNE_LOG_ODDS ? NULL :
			param_spec(&tuner->model->params, param->index);
		double		low = tune_variable(param, param->low);
		double		high = tune_variable(param, param->high);
		double		margin = 1e-3 * (high - low);

		if (variable[i] < low + margin && (spec == NULL || param->low > spec->min))
			tuner_warn(tuner, "parameter \"%s\" ended at its lower bound %g",
					   spec != NULL ? spec->name : "log_odds", param->low);
		else if (variable[i] > high - margin && (spec == NULL || param->high < spec->max))
			tuner_warn(tuner, "parameter \"%s\" ended at its upper bound %g",
					   spec != NULL ? spec->name : "log_odds", param->high);
	}
}

/* A fit that does worse on what it has not seen. */
static void
warn_of_held_out(Tuner *tuner)
{
	PairedDifference gain = paired_difference(tuner->loss_before, tuner->loss,
											  tuner->bound[1], tuner->bound[2]);

	if (gain.mean < -gain.error && -gain.mean * gain.matches > TUNE_MIN_GAIN_NATS)
		tuner_warn(tuner, "on the matches held out the fit is worse than the start, by %.4f +- %.4f",
				   -gain.mean, gain.error);
}

/*
 * ---- The search ----
 */

/* A point as a message has it. */
static char *
point_text(const TuneProblem *problem)
{
	StringInfoData point;
	int			i;

	initStringInfo(&point);
	for (i = 0; i < problem->n; i++)
	{
		int			index = problem->param[i].index;

		appendStringInfo(&point, "%s%s = %.6g", i > 0 ? ", " : "",
						 index == TUNE_LOG_ODDS ? "log_odds" :
						 param_spec(&problem->model->params, index)->name,
						 tune_get(problem, index));
	}
	return point.data;
}

/*
 * Report an evaluation.  An error, or a cancelled query, leaves the search by longjmp(),
 * which holds nothing but memory of the current context.
 */
static void
report_evaluation(const TuneProblem *problem, double nats, void *argument)
{
	Tuner	   *tuner = (Tuner *) argument;
	char	   *point;

	progress_done(tuner->done + problem->evaluations);
	if (!message_level_is_interesting(tuner->options->progress))
		return;
	point = point_text(problem);
	ereport(tuner->options->progress,
			(errmsg("evaluation " INT64_FORMAT " of model \"%s\": log loss %.6f at %s",
					problem->evaluations, problem->model->name,
					nats / (problem->bound[1] - problem->bound[0]), point)));
	pfree(point);
}

/* The evaluations of a study, unless options say how many. */
static int
default_evaluations(const Tuner *tuner)
{
	int			n = tuner->space.nparams;
	int			i;

	for (i = 0; i < tuner->nparts; i++)
		n += tuner->part[i].space.nparams;
	return Max(MIN_EVALUATIONS, EVALUATIONS_PER_VARIABLE * (n + 1)) +
		EVALUATIONS_PER_PART * tuner->nparts;
}

/* Select parts, if there are any. */
static void
select_parts(Tuner *tuner, TunePartsWork *work, TuneEffort *effort)
{
	size_t		n = tuner->builder->history.nmatches;
	TuneEffort	share = *effort;
	TuneStart	start = {tuner->start_params, tuner->loss_before};
	int64		before = tuner->problem.evaluations;
	int			i;

	tuner->selection.complete = true;
	if (tuner->nparts == 0)
		return;
	for (i = 0; i < (int) lengthof(work->loss); i++)
		work->loss[i] = huge_array(double, n);
	work->off = palloc_array(ParamValue, tuner->model->params.count);

	/* The rest is for the search over what was selected. */
	share.max_evaluations = (int) (SHARE_OF_PARTS * effort->max_evaluations);

	/*
	 * The core allocates nothing: its work space is made here and freed
	 * below, since tune() of several models calls this for each.
	 */
	tuner->selection = tune_select_parts(&tuner->problem, &tuner->space, tuner->part,
										 tuner->nparts, &start, &share, work,
										 &tuner->point);
	effort->max_evaluations -= (int) (tuner->problem.evaluations - before);
	effort->max_evaluations = Max(effort->max_evaluations, 1);
	for (i = 0; i < (int) lengthof(work->loss); i++)
		pfree(work->loss[i]);
	pfree(work->off);
}

void
tuner_fit(Tuner *tuner)
{
	TuneProblem *problem = &tuner->problem;
	TunePartsWork *work = palloc_object(TunePartsWork);
	TuneEffort	effort = {
		.starts = tuner->options->starts,
		.tolerance = tuner->options->tolerance
	};
	int64		matches;

	(void) tuner_mean(tuner->loss_before, tuner->bound[0], tuner->bound[1], &matches);
	tuner->max_evaluations = tuner->options->max_evaluations > 0 ?
		tuner->options->max_evaluations : default_evaluations(tuner);
	effort.max_evaluations = tuner->max_evaluations;

	problem->unrated = tune_count_unrated(problem);
	problem->on_evaluation = report_evaluation;
	problem->argument = tuner;
	if (tuner->total == 0)
		progress_phase(PHASE_FITTING, tuner->max_evaluations);

	tune_point(problem, &tuner->space, &tuner->start);
	tuner->point = tuner->start;
	select_parts(tuner, work, &effort);
	if (!tuner->selection.start_kept)
		tune_search(problem, &tuner->space, &effort, &work->search, &tuner->point,
					&tuner->report);
	pfree(work);
	tune_forecasts(problem, tuner->bound[0], tuner->bound[2], tuner->loss, tuner->accuracy);

	warn_of_search(tuner, matches);
	if (!tuner->selection.start_kept)
		warn_of_bounds(tuner);
	warn_of_held_out(tuner);
}

/*
 * ---- What came of it ----
 */

double
tuner_mean(const double *by_match, size_t begin, size_t end, int64 *matches)
{
	Sum			sum = {0, 0};
	size_t		i;

	*matches = 0;
	for (i = begin; i < end; i++)
		if (!isnan(by_match[i]))
		{
			sum_add(&sum, by_match[i]);
			(*matches)++;
		}
	return *matches > 0 ? sum_value(&sum) / *matches : get_float8_nan();
}

double
tuner_log_odds(const Tuner *tuner)
{
	return tuner->work.side_log_odds;
}

Datum
tuner_parts_taken(const Tuner *tuner)
{
	const char *names[TUNE_MAX_PARTS];
	int			n = 0;
	int			i;

	for (i = 0; i < tuner->nparts; i++)
		if (tuner->part[i].taken)
			names[n++] = tuner->part[i].name;
	return text_array(names, n);
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
