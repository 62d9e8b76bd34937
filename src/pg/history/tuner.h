/*
 * tuner.h
 *		The study of one model on a history: parts, parameters, and how far to trust them.
 */
#ifndef PG_HISTORY_TUNER_H
#define PG_HISTORY_TUNER_H

#include "pg/history/tune_options.h"

#include "core/evaluate/tune_parts.h"
#include "nodes/pg_list.h"
#include "pg/matches/history_builder.h"

typedef struct Tuner
{
	const char *caller;			/* the function, in messages */
	const Model *model;
	const TuneOptions *options;
	ParamValue *params;			/* the start, then what was found */
	ParamValue *start_params;	/* the start, with the parts that are on */
	HistoryBuilder *builder;

	/* What is fitted, by tuner_add(). */
	TuneSpace	space;
	TunePart	part[TUNE_MAX_PARTS];
	int			nparts;

	/* Of tuner_begin(). */
	HistoryWork work;
	TuneProblem problem;
	size_t		bound[3];		/* matches: from the first that is scored,
								 * from the first that is held out, and all */
	int			max_evaluations;
	double	   *loss_before;	/* by match: at the start, */
	double	   *loss;			/* and of what was found */
	double	   *accuracy;

	/* Of tuner_fit(). */
	TunePoint	start;
	TunePoint	point;
	TuneReport	report;			/* zero if the start is kept */
	TuneSelection selection;
	List	   *warnings;		/* of C strings */

	/* For progress(): evaluations of studies before this one, and of all. */
	int64		done;
	int64		total;			/* 0: those of this one */
} Tuner;

/*
 * Begin with a model, whose start is params; all must outlive the tuner, whose memory is
 * zeroed.  The history is complete, and its mistakes are those of strict in the builder.
 */
extern void tuner_begin(Tuner *tuner, const char *caller, const Model *model,
						ParamValue *params, const TuneOptions *options,
						HistoryBuilder *builder);

/*
 * Try all parts that the matches have what it takes for, or those that options name; with a
 * warning for each of these that cannot be tried.
 */
extern void tuner_add_parts(Tuner *tuner);

/* Whether any match has a time. */
extern bool history_has_times(const History *history);

/* Whether the model takes the log-odds of a side, and has nothing of its own for it. */
extern bool model_takes_log_odds(const Model *model);

/* Whether a model has a part of that name, of which "log_odds" may be one. */
extern bool model_has_part(const Model *model, const char *name);

/* Whether matches have sides. */
extern bool history_has_sides(const History *history);

/* Select parts and fit all parameters, with warnings. */
extern void tuner_fit(Tuner *tuner);

/* Add a warning. */
extern void tuner_warn(Tuner *tuner, const char *format,...) printf_like(2, 3);

/* Mean of losses, or of anything else by match, over a span; NaN without any. */
extern double tuner_mean(const double *by_match, size_t begin, size_t end,
						 int64 *matches);

/* The log-odds of side 1 that were found, 0 if they were not fitted. */
extern double tuner_log_odds(const Tuner *tuner);

/* Names of parts that were taken, as a text[]. */
extern Datum tuner_parts_taken(const Tuner *tuner);

/* Warn of matches that a mistake keeps out of the history. */
extern void tuner_warn_of_mistakes(Tuner *tuner, const UnratedCounts *unrated);

/*
 * For ereport(): why there is nothing to fit to.  That is because matches do not count, if
 * these are more than those that do, or else the shares.
 */
extern int	hint_of_unrated(const UnratedCounts *unrated, size_t counting);

/* The warnings as a text[]. */
extern Datum tuner_warnings(const Tuner *tuner);

#endif							/* PG_HISTORY_TUNER_H */
