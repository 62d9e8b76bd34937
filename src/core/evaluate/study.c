/*
 * study.c
 *		The study of one model on a history: parts, parameters, and how far to trust them.
 */
#include "core/evaluate/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

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

/* What is given for participants, and what a part that needs it lacks without. */
#define NUMBER(field) \
	((int) ((offsetof(Participant, field) - offsetof(Participant, number)) / sizeof(double)))
#define NO_NUMBER (-1)

static const struct
{
	unsigned	support;
	int			number;			/* of a participant, or NO_NUMBER */
	const char *missing;
}			facts[] = {
	{MODEL_DRAWS, NO_NUMBER, "no two teams have drawn"},
	{MODEL_UNEVEN, NO_NUMBER, "no match has teams of different sizes"},
	{MODEL_SCORE, NUMBER(score), "no match has scores"},
	{MODEL_SIDE, NUMBER(side), "no match has sides"},
	{MODEL_CONTEXT, NO_NUMBER, "no match has a context"},
	{MODEL_CLUB, NO_NUMBER, "nobody has a club"},
	{MODEL_WEIGHT, NUMBER(weight), "nobody has a weight, or a time of joining"},
	{MODEL_WEIGHT, NUMBER(joined), "nobody has a weight, or a time of joining"},
	{MODEL_COMMANDING, NUMBER(commanding), "nobody is said to command"},
	{MODEL_SQUAD, NUMBER(squad), "nobody has a squad"},
	{MODEL_COUNTS, NUMBER(kills), "nobody has kills or deaths"},
	{MODEL_COUNTS, NUMBER(deaths), "nobody has kills or deaths"},
	{MODEL_QUIT, NUMBER(quit), "nobody is said to have quit"},
	{MODEL_EXPERIENCE, NUMBER(experience), "nobody has experience"},
	{MODEL_GAIN, NUMBER(gain), "nobody has a gain"}
};

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
history_has_sides(const History *history)
{
	return history->number[NUMBER(side)] != NULL;
}

/* What is seen in matches as a whole, among those that are not held out. */
static unsigned
matches_support(const Study *study)
{
	const unsigned all = MODEL_DRAWS | MODEL_UNEVEN;
	unsigned	set = 0;
	size_t		i;

	for (i = 0; i < study->bound[STUDY_HELD_OUT] && set != all; i++)
	{
		Match		match;
		int			offender;

		if (study->interrupt != NULL)
			study->interrupt();
		if (history_build_match(study->history, i, &study->model->rules, study->params,
								study->work, &match, &offender) != MATCH_OK)
			continue;
		if (match.nteams == 2 && match_outcome(&match, 0) == MATCH_DREW)
			set |= MODEL_DRAWS;
		if (match_is_uneven(&match))
			set |= MODEL_UNEVEN;
	}
	return set;
}

/* What matches of the history have, as a set of ModelSupport, as far as parts need it. */
static unsigned
study_supports(const Study *study)
{
	const History *history = study->history;
	unsigned	set = MODEL_MANY_TEAMS | MODEL_LOG_ODDS | matches_support(study);
	size_t		i;

	for (i = 0; i < LENGTH(facts); i++)
		if (facts[i].number != NO_NUMBER && history->number[facts[i].number] != NULL)
			set |= facts[i].support;
	if (history->contexts.number != NULL)
		set |= MODEL_CONTEXT;
	if (history->clubs.number != NULL)
		set |= MODEL_CLUB;
	return set;
}

/*
 * ---- Parts ----
 */

bool
model_takes_log_odds(const Model *model)
{
	int			i;

	for (i = 0; i < model->rules.ncomponents; i++)
		if (model->rules.component[i].scope == COMPONENT_OF_SIDE)
			return false;
	return (model->rules.supports & MODEL_LOG_ODDS) != 0;
}

bool
model_has_part(const Model *model, const char *name)
{
	int			i;

	for (i = 0; i < model->nparts; i++)
		if (strcmp(model->part[i].name, name) == 0)
			return true;
	return strcmp(name, STUDY_LOG_ODDS) == 0 && model_takes_log_odds(model);
}

/* Whether options name a part, or all. */
static bool
part_is_wanted(const StudyOptions *options, const char *name)
{
	int			i;

	for (i = 0; i < options->nparts; i++)
		if (strcmp(options->parts[i], name) == 0)
			return true;
	return options->all_parts;
}

/* Turn a parameter of a part off, unless options say otherwise. */
static void
turn_param_off(Study *study, const PartParam *param)
{
	ParamValue *value = &study->params[param->param];
	ParamType	type = param_spec(&study->model->params, param->param)->type;

	if ((study->given != NULL && study->given[param->param]) ||
		tune_space_has(&study->space, param->param))
		return;
	if (type == PARAM_NUMBER)
		value->number = param->off;
	else if (type == PARAM_CHOICE)
		value->choice = (int) param->off;
	else
		value->flag = param->off != 0;
}

/* What the matches lack that a part needs, in words; NULL for nothing. */
static const char *
missing_for(const ModelPart *part, unsigned supports, bool has_times)
{
	size_t		i;

	for (i = 0; i < LENGTH(facts); i++)
		if ((part->needs & facts[i].support & ~supports) != 0)
			return facts[i].missing;
	if (part->needs_times && !has_times)
		return "no match has a time";
	return (part->needs & ~supports) != 0 ? "the matches lack what it needs" : NULL;
}

/* Try a part of the model that is wanted. */
static void
add_part(Study *study, const ModelPart *part, unsigned supports, bool has_times)
{
	bool		by_default = model_part_is_on(study->model, study->params, part);
	const char *missing = missing_for(part, supports, has_times);
	int			i;

	/* Nothing else would say so of a part that options name. */
	if (missing != NULL && study->options->nparts > 0)
		study->warn(study->argument, "part \"%s\" was not tried: %s", part->name, missing);

	/* Where nobody has drawn, no draws are expected, and nothing is learnt of them. */
	if ((part->needs & ~supports & MODEL_DRAWS) != 0)
		for (i = 0; i < part->nparams; i++)
			turn_param_off(study, &part->param[i]);
	if (missing != NULL || tune_space_has(&study->space, part->param[0].param))
		return;
	turn_param_off(study, &part->param[0]);
	if (tune_model_part(study->model, study->params, &study->space, part,
						&study->part[study->nparts]))
		study->part[study->nparts++].by_default = by_default;
}

void
study_add_parts(Study *study)
{
	const Model *model = study->model;
	unsigned	supports = study_supports(study);
	bool		has_times = history_has_times(study->history);
	int			i;

	for (i = 0; i < model->nparts; i++)
		if (part_is_wanted(study->options, model->part[i].name))
			add_part(study, &model->part[i], supports, has_times);
	if (!part_is_wanted(study->options, STUDY_LOG_ODDS) || !model_takes_log_odds(model))
		return;
	if (history_has_sides(study->history))
	{
		if (!tune_space_has(&study->space, TUNE_LOG_ODDS))
			tune_log_odds_part(&study->part[study->nparts++]);
	}
	else if (study->options->nparts > 0)
		study->warn(study->argument,
					"part \"" STUDY_LOG_ODDS "\" was not tried: no match has sides");
}

/*
 * ---- The search ----
 */

void
study_begin(Study *study)
{
	TuneProblem *problem = &study->problem;
	size_t		n = study->history->nmatches;
	size_t		burnt_in = (size_t) (study->options->burn_in * n);
	size_t		fitted = n - (size_t) (study->options->holdout * n);

	/* The search writes into params; the start is kept for the comparison at the end. */
	memcpy(study->start, study->params, study->model->params.count * sizeof(ParamValue));
	study->bound[STUDY_FITTED] = burnt_in;
	study->bound[STUDY_HELD_OUT] = fitted > burnt_in ? fitted : burnt_in;
	study->bound[STUDY_NSPANS] = n;

	problem->model = study->model;
	problem->params = study->params;
	problem->history = study->history;
	problem->work = study->work;
	problem->bound[0] = study->bound[STUDY_FITTED];
	problem->bound[1] = study->bound[STUDY_HELD_OUT];
	problem->priors = study->options->priors;
	problem->interrupt = study->interrupt;
	tune_forecasts(problem, study->bound[STUDY_FITTED], n, study->loss_before, NULL);
	problem->evaluations = 0;
}

double
study_mean(const Study *study, const double *by_match, StudySpan span, int64_t *matches)
{
	Sum			sum = {0, 0};
	size_t		i;

	*matches = 0;
	for (i = study->bound[span]; i < study->bound[span + 1]; i++)
		if (!isnan(by_match[i]))
		{
			sum_add(&sum, by_match[i]);
			(*matches)++;
		}
	return *matches > 0 ? sum_value(&sum) / (double) *matches : NAN;
}

int64_t
study_effort(const Study *study)
{
	/* Each part that is taken has the others judged again. */
	return 1 + study->space.nparams + (int64_t) study->nparts * (study->nparts + 2) / 2;
}

int
study_evaluations(const Study *study)
{
	int			variables = 1 + study->space.nparams;
	int			evaluations;
	int			i;

	if (study->options->max_evaluations > 0)
		return study->options->max_evaluations;
	for (i = 0; i < study->nparts; i++)
		variables += study->part[i].space.nparams;
	evaluations = EVALUATIONS_PER_VARIABLE * variables;
	return (evaluations > MIN_EVALUATIONS ? evaluations : MIN_EVALUATIONS) +
		EVALUATIONS_PER_PART * study->nparts;
}

/* Select parts, if there are any; effort is what is left then. */
static void
select_parts(Study *study, TunePartsWork *work, TuneEffort *effort)
{
	TuneEffort	share = *effort;
	TuneStart	start = {study->start, study->loss_before};
	int64_t		before = study->problem.evaluations;

	study->selection.complete = true;
	if (study->nparts == 0)
		return;

	/* Losses of what was found are not known yet: their room is free. */
	work->loss[0] = study->loss;
	work->loss[1] = study->accuracy;

	/* The rest is for the search over what was selected. */
	share.max_evaluations = (int) (SHARE_OF_PARTS * effort->max_evaluations);
	study->selection = tune_select_parts(&study->problem, &study->space, study->part,
										 study->nparts, &start, &share, work,
										 &study->point);
	effort->max_evaluations -= (int) (study->problem.evaluations - before);
	if (effort->max_evaluations < 1)
		effort->max_evaluations = 1;
}

/* What the search itself gives reason to warn of. */
static void
warn_of_search(const Study *study)
{
	const TuneSelection *selection = &study->selection;
	const TuneReport *report = &study->report;
	size_t		span = study->bound[STUDY_HELD_OUT] - study->bound[STUDY_FITTED];
	int			fitted = study->problem.n;
	int64_t		matches;

	(void) study_mean(study, study->loss_before, STUDY_FITTED, &matches);
	if (matches < (int64_t) FEW_MATCHES_PER_PARAMETER * fitted)
		study->warn(study->argument, "too few matches: %" PRId64 " for %d %s", matches, fitted,
					fitted == 1 ? "parameter" : "parameters");
	if (report->status == MINIMIZE_MAX_EVALUATIONS)
		study->warn(study->argument, "the search was cut off after its evaluations: %d",
					study->max_evaluations);
	if (report->starts > 0 && 2 * report->elsewhere >= report->starts)
		study->warn(study->argument, "%d of %d starts ended at another, worse optimum",
					report->elsewhere, report->starts);
	if (!selection->complete)
		study->warn(study->argument, "%d evaluations were too few to judge every part",
					study->max_evaluations);
	if (selection->start_kept)
		study->warn(study->argument, "the start was kept, which forecasts later matches better than what was fitted to earlier ones, by %.4f +- %.4f",
					selection->behind.mean, selection->behind.error);
	if (study->nparts > 0 && span < TUNE_MIN_MATCHES_OF_PARTS)
		study->warn(study->argument, "too few matches to judge parts: %zu", span);
}

/* Bounds that are ends of the search, and not of the parameter. */
static void
warn_of_bounds(Study *study)
{
	int			i;

	tune_use(&study->problem, &study->space, &study->point, study->variable);
	for (i = 0; i < study->problem.n; i++)
	{
		const TuneParam *param = &study->problem.param[i];
		const ParamSpec *spec = param->index == TUNE_LOG_ODDS ? NULL :
			param_spec(&study->model->params, param->index);
		double		low = tune_variable(param, param->low);
		double		high = tune_variable(param, param->high);
		double		margin = 1e-3 * (high - low);

		if (study->variable[i] < low + margin && (spec == NULL || param->low > spec->min))
			study->warn(study->argument, "parameter \"%s\" ended at its lower bound %g",
						study_name(study, i), param->low);
		else if (study->variable[i] > high - margin && (spec == NULL || param->high < spec->max))
			study->warn(study->argument, "parameter \"%s\" ended at its upper bound %g",
						study_name(study, i), param->high);
	}
}

/* A fit that does worse on what it has not seen. */
static void
warn_of_held_out(const Study *study)
{
	PairedDifference gain = paired_difference(study->loss_before, study->loss,
											  study->bound[STUDY_HELD_OUT],
											  study->bound[STUDY_NSPANS]);

	if (gain.mean < -gain.error && -gain.mean * (double) gain.matches > TUNE_MIN_GAIN_NATS)
		study->warn(study->argument, "on the matches held out the fit is worse than the start, by %.4f +- %.4f",
					-gain.mean, gain.error);
}

void
study_fit(Study *study, TunePartsWork *work)
{
	TuneProblem *problem = &study->problem;
	TuneEffort	effort = {
		.starts = study->options->starts,
		.tolerance = study->options->tolerance
	};

	study->max_evaluations = effort.max_evaluations = study_evaluations(study);
	problem->unrated = tune_count_unrated(problem);
	tune_point(problem, &study->space, &study->point);
	select_parts(study, work, &effort);
	if (!study->selection.start_kept)
		tune_search(problem, &study->space, &effort, &work->search, &study->point,
					&study->report);

	/* Evaluations behind the search are none of it. */
	problem->on_evaluation = NULL;
	tune_forecasts(problem, study->bound[STUDY_FITTED], study->bound[STUDY_NSPANS],
				   study->loss, study->accuracy);
	warn_of_search(study);
	if (!study->selection.start_kept)
		warn_of_bounds(study);
	warn_of_held_out(study);
}

/*
 * ---- What came of it ----
 */

void
study_errors(Study *study)
{
	int			i;

	if (!study->selection.start_kept)
	{
		tune_use(&study->problem, &study->space, &study->point, study->variable);
		tune_errors(&study->problem, study->variable, study->error, study->at_bound);
		return;
	}
	for (i = 0; i < study->problem.n; i++)
	{
		study->variable[i] = 0;
		study->error[i] = NAN;
		study->at_bound[i] = false;
	}
}

const char *
study_name(const Study *study, int i)
{
	int			index = study->problem.param[i].index;

	return index == TUNE_LOG_ODDS ? STUDY_LOG_ODDS :
		param_spec(&study->model->params, index)->name;
}

bool
study_is_of_time(const Study *study, int i)
{
	int			index = study->problem.param[i].index;

	return index != TUNE_LOG_ODDS && param_spec(&study->model->params, index)->of_time;
}

bool
study_is_undetermined(const Study *study, int i)
{
	return !study->selection.start_kept && isnan(study->error[i]) && !study->at_bound[i];
}

const char *
study_stopped(const Study *study)
{
	static const char *const words[] = {
		[MINIMIZE_CONVERGED] = "tolerance reached",
		[MINIMIZE_ROUNDING] = "limited by rounding",
		[MINIMIZE_MAX_EVALUATIONS] = "max_evaluations reached"
	};

	return study->selection.start_kept ? "start kept" : words[study->report.status];
}
