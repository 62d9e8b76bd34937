/*
 * study.h
 *		The study of one model on a history: parts, parameters, and how far to trust them.
 *
 * Everything is searched on the matches before the part that is held out, which is scored
 * once, at the end.
 */
#ifndef CORE_EVALUATE_STUDY_H
#define CORE_EVALUATE_STUDY_H

#include "core/evaluate/tune_parts.h"

/* The name of TUNE_LOG_ODDS, as a parameter and as a part. */
#define STUDY_LOG_ODDS "log_odds"

typedef struct StudyOptions
{
	double		burn_in;		/* shares of the matches */
	double		holdout;
	int			max_evaluations;	/* 0: as many as the variables take */
	double		tolerance;
	int			starts;
	bool		priors;			/* weak priors of parameters */
	bool		all_parts;		/* try all parts, or those named */
	char	  **parts;
	int			nparts;
} StudyOptions;

/* The spans of a study: matches that are fitted, and those that are held out. */
typedef enum StudySpan
{
	STUDY_FITTED,
	STUDY_HELD_OUT,
	STUDY_NSPANS
} StudySpan;

typedef struct Study
{
	/* The caller's, set before study_begin(); all outlive the study. */
	const Model *model;
	const StudyOptions *options;
	const History *history;
	HistoryWork *work;			/* with states, and components if any */
	ParamValue *params;			/* the start, then what was found */
	ParamValue *start;			/* room for as many: the start is kept */
	const bool *given;			/* by parameter: the caller insists on its
								 * value; NULL: on none */
	double	   *loss_before;	/* history->nmatches each, by match: log loss
								 * at the start, */
	double	   *loss;			/* and of what was found; NaN where nothing
								 * is scored */
	double	   *accuracy;		/* whether the favourite won */
	InterruptCheck interrupt;

	/* Called with each reason not to trust the result. */
	void		(*warn) (void *argument, const char *format,...)
				__attribute__((format(printf, 2, 3)));
	void	   *argument;

	/* What is fitted: the caller adds parameters, study_add_parts() parts. */
	TuneSpace	space;
	TunePart	part[TUNE_MAX_PARTS];
	int			nparts;

	/* Of study_begin(): span i is from bound[i] to below bound[i + 1]. */
	TuneProblem problem;
	size_t		bound[STUDY_NSPANS + 1];

	/* Of study_fit(). */
	int			max_evaluations;
	TunePoint	point;
	TuneReport	report;			/* zero if the start is kept */
	TuneSelection selection;

	/* Of study_errors(), by fitted parameter. */
	double		variable[TUNE_MAX_PARAMS];
	double		error[TUNE_MAX_PARAMS];
	bool		at_bound[TUNE_MAX_PARAMS];
} Study;

/* Whether any match has a time, and whether matches have sides. */
extern bool history_has_times(const History *history);
extern bool history_has_sides(const History *history);

/* Whether the model takes the log-odds of a side, and has nothing of its own for it. */
extern bool model_takes_log_odds(const Model *model);

/* Whether a model has a part of that name, of which STUDY_LOG_ODDS may be one. */
extern bool model_has_part(const Model *model, const char *name);

/*
 * Begin; what the caller does not set is zero.  The start is scored on all spans, with an
 * evaluation that is not one of the search.
 */
extern void study_begin(Study *study);

/* The mean by match over a span, NaN without any, and how many matches have one. */
extern double study_mean(const Study *study, const double *by_match, StudySpan span,
						 int64_t *matches);

/*
 * Try all parts that the matches have what it takes for, or those that options name; with a
 * warning for each of these that cannot be tried.
 */
extern void study_add_parts(Study *study);

/* How many evaluations a study takes, compared to others. */
extern int64_t study_effort(const Study *study);

/* The evaluations of the search: those that options give, or as many as it takes. */
extern int	study_evaluations(const Study *study);

/*
 * Select parts and fit all parameters, with warnings; in work the caller sets off.  The
 * problem calls on_evaluation until then.
 */
extern void study_fit(Study *study, TunePartsWork *work);

/*
 * How far the values can go.  The start, where it is kept, is no optimum: nothing is known of
 * it then.
 */
extern void study_errors(Study *study);

/* Whether the matches tell nothing of a fitted parameter; not for want of times. */
extern bool study_is_undetermined(const Study *study, int i);

/* The name of a fitted parameter, and whether it is one of idle time. */
extern const char *study_name(const Study *study, int i);
extern bool study_is_of_time(const Study *study, int i);

/* Why the search ended, in words. */
extern const char *study_stopped(const Study *study);

#endif							/* CORE_EVALUATE_STUDY_H */
