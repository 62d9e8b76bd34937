/*
 * tune_parts.c
 *		Which parts of a model are worth having, by forward selection.
 */
#include "core/evaluate/tune_parts.h"

#include <math.h>
#include <string.h>

#include "core/math/score.h"
#include "core/util/extremes.h"

/*
 * The evaluations of a search in the first fold, and in each of the others, where it begins
 * near its end, for so many variables.
 */
#define FIRST_EVALUATIONS(n) (10 + 5 * (n))
#define NEAR_EVALUATIONS(n) (6 + 2 * (n))

/* How such a search begins and ends, on a log scale. */
#define NEAR_STEP 0.2
#define NEAR_TOLERANCE 0.02

/* The first fold is fitted to as many matches as so many of the blocks that are judged. */
#define FIRST_BLOCKS (TUNE_FOLDS / 2)

/*
 * ---- Forecasts ----
 */

typedef struct Forecasts
{
	double	   *loss;
	double	   *accuracy;		/* or NULL */
} Forecasts;

/* The share of a result that went to the favourite. */
static double
favourite_share(const Match *match)
{
	double		largest = -1;
	double		share = 0;
	int			n = 0;
	int			i;

	if (match->nteams == 2)
		return accuracy(match->team[0].win, match_outcome(match, 0) / 2.0);
	for (i = 0; i < match->nteams; i++)
		largest = larger(largest, match->team[i].win);
	for (i = 0; i < match->nteams; i++)
		if (match->team[i].win == largest)
		{
			share += match_outcome(match, i) / 2.0;
			n++;
		}
	return share / n;
}

static void
record_forecast(void *argument, size_t number, const Match *match)
{
	Forecasts  *forecasts = argument;

	forecasts->loss[number] = match_log_loss(match);
	if (forecasts->accuracy != NULL)
		forecasts->accuracy[number] = favourite_share(match);
}

void
tune_forecasts(TuneProblem *problem, size_t begin, size_t end, double *loss,
			   double *accuracies)
{
	Forecasts	forecasts = {loss, accuracies};
	HistoryWork *work = problem->work;
	int64_t    *counts = work->left_out;
	int64_t		left_out[MATCH_NSTATUSES];
	size_t		bound[2] = {begin, end};
	HistoryScore score;
	size_t		match;
	int			offender;
	size_t		m;

	for (m = begin; m < end; m++)
	{
		loss[m] = NAN;
		if (accuracies != NULL)
			accuracies[m] = NAN;
	}
	work->left_out = left_out;
	work->on_score = record_forecast;
	work->on_score_argument = &forecasts;
	problem->evaluations++;
	(void) history_replay(problem->history, problem->model, problem->params, work,
						  bound, 1, &score, problem->interrupt, &match, &offender);
	work->on_score = NULL;
	work->left_out = counts;
}

/*
 * ---- Parts ----
 */

/* The number of a parameter among those of a space, or -1. */
static int
find_param(const TuneSpace *space, int index)
{
	int			i;

	for (i = 0; i < space->nparams; i++)
		if (space->param[i].index == index)
			return i;
	return -1;
}

/* The same of a choice. */
static int
find_choice(const TuneSpace *space, int index)
{
	int			i;

	for (i = 0; i < space->nchoices; i++)
		if (space->choice[i].index == index)
			return i;
	return -1;
}

/* Leave one level of a choice out. */
static void
remove_level(TuneChoice *choice, int level)
{
	int			n = 0;
	int			i;

	for (i = 0; i < choice->nlevels; i++)
		if (choice->level[i] != level)
			choice->level[n++] = choice->level[i];
	choice->nlevels = n;
}

/* Leave all levels of a choice out but one. */
static void
keep_level(TuneChoice *choice, int level)
{
	choice->level[0] = level;
	choice->nlevels = 1;
}

bool
tune_model_part(const Model *model, const ParamValue *params, const TuneSpace *space,
				const ModelPart *part, TunePart *result)
{
	int			i;

	memset(result, 0, sizeof(*result));
	result->name = part->name;
	result->beside = part->beside;
	result->kind = part->kind;
	if (model_part_is_on(model, params, part))
		return false;
	for (i = 0; i < part->nparams; i++)
	{
		const PartParam *param = &part->param[i];
		const ParamSpec *spec = param_spec(&model->params, param->param);
		TuneSpace  *own = &result->space;

		if (tune_space_has(space, param->param))
			return false;
		if (spec->type == PARAM_NUMBER)
		{
			/* A number that is on is a variable, whatever 0 stands for. */
			if (own->nparams == TUNE_MAX_PARAMS)
				return false;
			result->value[own->nparams] = param->on;
			own->param[own->nparams++] = tune_param(spec, param->param, param->on);
			continue;
		}
		if (!tune_space_add(own, model, params, param->param, 0, 0))
			return false;
		if (part->only_on)
			keep_level(&own->choice[own->nchoices - 1], (int) param->on);
		else if (i == 0)
			remove_level(&own->choice[own->nchoices - 1], (int) param->off);
		result->level[own->nchoices - 1] = (int) param->on;
	}
	return true;
}

void
tune_log_odds_part(TunePart *result)
{
	memset(result, 0, sizeof(*result));
	result->name = "log_odds";
	(void) tune_space_add_log_odds(&result->space);
	result->value[0] = 0.2;
}

/* Whether a space has room for what a part adds; then the space of both, and their points. */
static bool
add_part(const TuneSpace *space, const TunePart *part, TuneSpace *both)
{
	int			i;

	*both = *space;
	for (i = 0; i < part->space.nparams; i++)
	{
		if (both->nparams == TUNE_MAX_PARAMS)
			return false;
		if (find_param(space, part->space.param[i].index) < 0)
			both->param[both->nparams++] = part->space.param[i];
	}
	for (i = 0; i < part->space.nchoices; i++)
	{
		if (both->nchoices == TUNE_MAX_CHOICES)
			return false;
		if (find_choice(space, part->space.choice[i].index) < 0)
			both->choice[both->nchoices++] = part->space.choice[i];
	}
	return tune_combinations(both) <= TUNE_MAX_COMBINATIONS;
}

/* The point where the search for a part begins, beside a point of the space without it. */
static void
start_part(const TunePart *part, const TuneSpace *both, const TunePoint *point,
		   TunePoint *start)
{
	int			i;

	*start = *point;
	for (i = 0; i < part->space.nparams; i++)
		start->value[find_param(both, part->space.param[i].index)] = part->value[i];
	for (i = 0; i < part->space.nchoices; i++)
		start->level[find_choice(both, part->space.choice[i].index)] = part->level[i];
}

/*
 * ---- Selection ----
 */

/* Where the matches of fold number i end that are fitted, and those that are judged. */
static size_t
fold_end(const size_t *bound, int i)
{
	return bound[0] + (bound[1] - bound[0]) * (size_t) (i + FIRST_BLOCKS) /
		(TUNE_FOLDS + FIRST_BLOCKS);
}

/* Leave each choice of a space the level of a point. */
static void
narrow_space(const TuneSpace *space, const TunePoint *point, TuneSpace *narrow)
{
	int			i;

	*narrow = *space;
	for (i = 0; i < narrow->nchoices; i++)
	{
		narrow->choice[i].nlevels = 1;
		narrow->choice[i].level[0] = point->level[i];
	}
}

/*
 * Fit a space to a fold and judge it: point[fold] becomes the fitted one, and the losses are
 * those of what is judged.  The first fold is searched from point[0], and from another start
 * which differs in the parameters from scattered_from on, if there are any; each of the
 * others from where the one before has ended.
 */
static void
fit_fold(TuneProblem *problem, const TuneSpace *space, int scattered_from, int fold,
		 const TuneEffort *effort, TunePartsWork *work, TunePoint *point, double *loss)
{
	size_t		bound[2] = {problem->bound[0], problem->bound[1]};
	TuneEffort	own = {.starts = 1,.tolerance = larger(effort->tolerance, NEAR_TOLERANCE)};
	TuneReport	report;

	if (fold == 0)
	{
		own.starts = scattered_from < space->nparams ? 2 : 1;
		own.max_evaluations = FIRST_EVALUATIONS(space->nparams) *
			(own.starts + tune_combinations(space) - 1);
		own.scattered_from = scattered_from;
	}
	else
	{
		own.max_evaluations = NEAR_EVALUATIONS(space->nparams);
		own.first_step = NEAR_STEP;
		point[fold] = point[fold - 1];
		narrow_space(space, &point[fold], &work->narrow);
	}
	problem->bound[1] = fold_end(bound, fold);
	tune_search(problem, fold == 0 ? space : &work->narrow, &own, &work->search,
				&point[fold], &report);
	problem->bound[1] = bound[1];
	tune_forecasts(problem, fold_end(bound, fold), fold_end(bound, fold + 1), loss, NULL);
}

/* The evaluations of a look at a part, beside which the space is this. */
static int
first_evaluations(const TuneSpace *space)
{
	return FIRST_EVALUATIONS(space->nparams) * tune_combinations(space) + 1 + TUNE_FOLDS;
}

/* The same of the others. */
static int
later_evaluations(const TuneSpace *space)
{
	return (TUNE_FOLDS - 1) * (NEAR_EVALUATIONS(space->nparams) + 1);
}

/* Put a point in use with nothing of any part, and the parameters of parts off. */
static void
turn_off(TuneProblem *problem, const ParamValue *params, double side_log_odds)
{
	memcpy(problem->params, params, problem->model->params.count * sizeof(ParamValue));
	problem->work->side_log_odds = side_log_odds;
}

/* Judge a part by the losses in loss[1], as far as it was fitted. */
static void
judge(const TuneProblem *problem, TunePart *part, const TunePartsWork *work)
{
	part->judged = true;
	part->gain = paired_difference(work->loss[0], work->loss[1],
								   fold_end(problem->bound, 0), problem->bound[1]);
}

/* Whether a gain is more than chance gives. */
static bool
is_clear(const PairedDifference *gain)
{
	return gain->mean > gain->error &&
		gain->mean * (double) gain->matches >= TUNE_MIN_GAIN_NATS;
}

/* Whether a part gains enough to be taken. */
static bool
is_enough(const TunePart *part)
{
	if (part->kind == PART_CHOICE)
		return part->gain.mean * (double) part->gain.matches > TUNE_MIN_FITTED_NATS;
	return is_clear(&part->gain);
}

/*
 * Judge a part beside the space as it is before any fit: its parameters where a search for
 * them begins, and the others where they were fitted without it.  It cannot be wrong by
 * chance in what was fitted to few matches.  The log-odds of a side have no such value, as
 * either side may be the better one: there is nothing to judge, in no matches.
 */
static void
judge_unfitted(TuneProblem *problem, TunePart *part, TunePartsWork *work)
{
	double		variable[TUNE_MAX_PARAMS];
	int			fold;

	memset(&part->gain, 0, sizeof(part->gain));
	if (part->space.nparams > 0 && part->space.param[0].index == TUNE_LOG_ODDS)
		return;
	for (fold = 0; fold < TUNE_FOLDS; fold++)
	{
		start_part(part, &work->space, &work->current[fold], &work->candidate[fold]);
		turn_off(problem, work->off, 0);
		tune_use(problem, &work->space, &work->candidate[fold], variable);
		tune_forecasts(problem, fold_end(problem->bound, fold),
					   fold_end(problem->bound, fold + 1), work->loss[1], NULL);
	}
	judge(problem, part, work);
}

/*
 * Look at a part for the first time, beside the space: what it does without a fit, and for
 * the matches of the first fold and those behind with one.  False if that is nothing.
 */
static bool
look_at_part(TuneProblem *problem, const TuneSpace *space, TunePart *part,
			 const TuneEffort *effort, TunePartsWork *work)
{
	PairedDifference unfitted;
	double		gained;
	double		fitted;
	double		judged;
	size_t		m;

	(void) add_part(space, part, &work->space);
	judge_unfitted(problem, part, work);
	unfitted = part->gain;
	gained = unfitted.mean * (double) unfitted.matches;
	for (m = problem->bound[0]; m < problem->bound[1]; m++)
		work->loss[1][m] = NAN;
	start_part(part, &work->space, &work->current[0], &work->candidate[0]);
	turn_off(problem, work->off, 0);
	fit_fold(problem, &work->space, space->nparams, 0, effort, work, work->candidate,
			 work->loss[1]);
	judge(problem, part, work);
	judged = part->gain.mean * (double) part->gain.matches;
	fitted = work->current[0].objective - work->candidate[0].objective;
	part->promise = larger(gained / TUNE_FOLDS, (fitted + judged) / (FIRST_BLOCKS + 1));
	part->fitted = true;
	part->first = work->candidate[0];
	if (unfitted.matches > 0)
		part->gain = unfitted;
	return gained > TUNE_MIN_FITTED_NATS || fitted > TUNE_MIN_FITTED_NATS ||
		judged > TUNE_MIN_FITTED_NATS;
}

/*
 * Fit a part to all folds, and judge it; whether it is to be taken.  The fit to the first one
 * is known if it is beside the same parts as when it was looked at.
 */
static bool
judge_part(TuneProblem *problem, const TuneSpace *space, TunePart *part, int ntaken,
		   const TuneEffort *effort, TunePartsWork *work)
{
	double		variable[TUNE_MAX_PARAMS];
	int			fold = 0;

	(void) add_part(space, part, &work->space);
	turn_off(problem, work->off, 0);
	if (part->beside_taken == ntaken)
	{
		work->candidate[0] = part->first;
		tune_use(problem, &work->space, &work->candidate[0], variable);
		tune_forecasts(problem, fold_end(problem->bound, 0), fold_end(problem->bound, 1),
					   work->loss[1], NULL);
		fold = 1;
	}
	else
		start_part(part, &work->space, &work->current[0], &work->candidate[0]);
	for (; fold < TUNE_FOLDS; fold++)
		fit_fold(problem, &work->space, fold == 0 ? space->nparams : 0, fold, effort,
				 work, work->candidate, work->loss[1]);
	part->beside_taken = ntaken;
	judge(problem, part, work);
	return is_enough(part);
}

/* Whether the part without which another has no effect is not one of those not taken. */
static bool
has_company(const TunePart *part, int nparts, const TunePart *which)
{
	int			i;

	for (i = 0; i < nparts && which->beside != NULL; i++)
		if (strcmp(part[i].name, which->beside) == 0)
			return part[i].taken;
	return true;
}

/* Which parts are judged at a time. */
typedef struct Stage
{
	bool		only_default;	/* those on at the start, of any kind */
	PartKind	kind;
} Stage;

static bool
is_of_stage(const TunePart *part, const Stage *stage)
{
	return stage->only_default ? part->by_default : part->kind == stage->kind;
}

/*
 * The part that does most for the matches up to the end of the first fold, among those that
 * were not judged beside so many others; or -1.  They are fitted to it when they are met first.
 */
static int
next_part(TuneProblem *problem, const TuneSpace *space, TunePart *part, int nparts,
		  const Stage *stage, int ntaken, const TuneEffort *effort, TunePartsWork *work,
		  int64_t last_evaluation, bool *complete)
{
	int			next = -1;
	int			i;

	for (i = 0; i < nparts; i++)
	{
		/* What lost beside fewer parts is not tried beside more. */
		if (part[i].taken || (part[i].judged && !(part[i].gain.mean > 0)) ||
			(part[i].judged && part[i].beside_taken == ntaken) ||
			!has_company(part, nparts, &part[i]) || !is_of_stage(&part[i], stage) ||
			!add_part(space, &part[i], &work->space))
			continue;
		if (!part[i].fitted)
		{
			if (problem->evaluations + first_evaluations(&work->space) > last_evaluation)
			{
				*complete = false;
				continue;
			}
			part[i].beside_taken = ntaken;
			if (!look_at_part(problem, space, &part[i], effort, work))
				continue;
			part[i].judged = false;
		}
		if (next < 0 || part[i].promise > part[next].promise)
			next = i;
	}
	return next;
}

/* Whether evaluations up to the last one may be too few to look at each part, and judge it. */
static bool
is_short(const TuneProblem *problem, const TuneSpace *space, const TunePart *part, int nparts,
		 TunePartsWork *work, int64_t last_evaluation)
{
	int64_t		evaluations = problem->evaluations;
	int			i;

	for (i = 0; i < nparts; i++)
		if (add_part(space, &part[i], &work->space))
			evaluations += first_evaluations(&work->space) + later_evaluations(&work->space);
	return evaluations > last_evaluation;
}

/* The number, or the level of a choice or a flag, that a parameter has at the start. */
static double
start_number(const TuneProblem *problem, const TuneStart *start, int index)
{
	return param_number(param_spec(&problem->model->params, index), &start->params[index]);
}

/*
 * Make one part of those that are on at the start, with the values that they have there, and
 * no other level of their choices; how many they are, or 0 if the space has no room for them.
 */
static int
put_together(const TuneProblem *problem, const TuneSpace *space, const TunePart *part,
			 int nparts, const TuneStart *start, TunePartsWork *work)
{
	TunePart   *together = &work->together;
	TuneSpace  *own = &together->space;
	int			n = 0;
	int			i,
				j;

	memset(together, 0, sizeof(*together));
	together->name = "";
	for (i = 0; i < nparts; i++)
	{
		if (!part[i].by_default)
			continue;
		if (!add_part(own, &part[i], &work->space))
			return 0;
		*own = work->space;
		n++;
	}
	for (j = 0; j < own->nparams; j++)
		together->value[j] = start_number(problem, start, own->param[j].index);
	for (j = 0; j < own->nchoices; j++)
	{
		together->level[j] = (int) start_number(problem, start, own->choice[j].index);
		own->choice[j].nlevels = 1;
		own->choice[j].level[0] = together->level[j];
	}
	return add_part(space, together, &work->space) ? n : 0;
}

/* The space with a part becomes the one without, and its fits and losses those to beat. */
static void
take_space(TuneSpace *space, TunePartsWork *work)
{
	double	   *loss = work->loss[0];

	*space = work->space;
	memcpy(work->current, work->candidate, sizeof(work->current));
	work->loss[0] = work->loss[1];
	work->loss[1] = loss;
}

/*
 * Judge the parts that are on at the start as one part, and take them all if it gains enough;
 * how many were taken.
 */
static int
judge_together(TuneProblem *problem, TuneSpace *space, TunePart *part, int nparts,
			   const TuneStart *start, const TuneEffort *effort, TunePartsWork *work)
{
	int			n = put_together(problem, space, part, nparts, start, work);
	int			i;

	if (n == 0)
		return 0;
	work->together.beside_taken = -1;
	if (!judge_part(problem, space, &work->together, 0, effort, work))
		return 0;
	for (i = 0; i < nparts; i++)
		if (part[i].by_default)
		{
			part[i].taken = part[i].judged = true;
			part[i].gain = work->together.gain;
		}
	take_space(space, work);
	return n;
}

/* Put the values of the start in use, and take the parts that are on in them. */
static void
return_to_start(TuneProblem *problem, TunePart *part, int nparts, const TuneStart *start,
				double side_log_odds)
{
	int			i;

	turn_off(problem, start->params, side_log_odds);
	for (i = 0; i < nparts; i++)
		part[i].taken = part[i].by_default;
}

/* Judge the parts one by one; false if evaluations ran out before each was judged. */
static bool
select_one_by_one(TuneProblem *problem, TuneSpace *space, TunePart *part, int nparts,
				  const TuneStart *start, const TuneEffort *effort, TunePartsWork *work,
				  int64_t last_evaluation)
{
	static const Stage order[] = {
		{true, PART_OF_MODEL}, {false, PART_CHOICE}, {false, PART_OF_MODEL}, {false, PART_CORRECTION}
	};
	bool		complete = true;
	int			stage = 1;
	int			ntaken = 0;

	if (start != NULL && is_short(problem, space, part, nparts, work, last_evaluation))
	{
		stage = 0;
		ntaken = judge_together(problem, space, part, nparts, start, effort, work);
	}
	for (;;)
	{
		int			next = next_part(problem, space, part, nparts, &order[stage], ntaken,
									 effort, work, last_evaluation, &complete);

		if (next < 0)
		{
			if (++stage == (int) (sizeof(order) / sizeof(order[0])))
				return complete;
			continue;
		}
		(void) add_part(space, &part[next], &work->space);
		if (problem->evaluations + first_evaluations(&work->space) +
			later_evaluations(&work->space) > last_evaluation)
			return false;
		if (!judge_part(problem, space, &part[next], ntaken, effort, work))
			continue;
		part[next].taken = true;
		ntaken++;
		take_space(space, work);
	}
}

TuneSelection
tune_select_parts(TuneProblem *problem, TuneSpace *space, TunePart *part, int nparts,
				  const TuneStart *start, const TuneEffort *effort, TunePartsWork *work,
				  TunePoint *point)
{
	int64_t		last_evaluation = problem->evaluations + effort->max_evaluations;
	double		side_log_odds = problem->work->side_log_odds;
	double		variable[TUNE_MAX_PARAMS];
	TuneSelection selection = {.complete = true};
	int			fold;

	if (nparts == 0)
		return selection;
	if (problem->bound[1] - problem->bound[0] < TUNE_MIN_MATCHES_OF_PARTS)
	{
		if (start != NULL)
			return_to_start(problem, part, nparts, start, side_log_odds);
		return selection;
	}
	memcpy(work->off, problem->params, problem->model->params.count * sizeof(ParamValue));
	work->base = *space;
	work->current[0] = *point;
	for (fold = 0; fold < TUNE_FOLDS; fold++)
		fit_fold(problem, space, 0, fold, effort, work, work->current, work->loss[0]);
	selection.complete = select_one_by_one(problem, space, part, nparts, start, effort, work,
										   last_evaluation);
	if (start != NULL)
	{
		selection.behind = paired_difference(work->loss[0], start->loss,
											 fold_end(problem->bound, 0), problem->bound[1]);
		selection.start_kept = is_clear(&selection.behind);
	}
	if (selection.start_kept)
	{
		*space = work->base;
		tune_use(problem, space, point, variable);

		/* Values go through their variables there, and back with rounding. */
		return_to_start(problem, part, nparts, start, side_log_odds);
		return selection;
	}
	turn_off(problem, work->off, side_log_odds);
	*point = work->current[TUNE_FOLDS - 1];
	tune_use(problem, space, point, variable);
	return selection;
}
