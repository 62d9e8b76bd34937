/*
 * tuner.h
 *		What tune() and suggest_model() share: rows, options, and studies of models.
 */
#ifndef PG_HISTORY_TUNER_H
#define PG_HISTORY_TUNER_H

#include "pg/sql/glue.h"

#include "nodes/pg_list.h"

#include "pg/history/options.h"
#include "pg/matches/history_builder.h"
#include "pg/sql/aggregate.h"

/* A study with its memory, and what there is to warn of. */
typedef struct Tuner
{
	Study		study;			/* first, so that a Study is one of a Tuner */
	StudyOptions options;
	List	   *warnings;		/* of C strings */
	int64		done;			/* evaluations of studies before this one */
} Tuner;

/* The state of both aggregates. */
typedef struct TuneState
{
	OptionsState head;
	HistoryBuilder builder;
	HistoryOptions options;
	const MatchRules *rules;	/* by which matches are judged, */
	ParamValue *params;			/* under these parameters */
	bool		pools_share;
	Tuner	   *tuner;			/* of tune(): begun after the last row */
} TuneState;

/* Where the options are among the arguments, which may end before, counted from match_id. */
#define TUNE_ARG_OPTIONS 5

/*
 * A row of an aggregate, whose argument match_id has that number.  The first row calls begin() for a
 * TuneState with options, rules, params and pools_share.
 */
extern Datum tune_read_row(FunctionCallInfo fcinfo, const char *caller, int first,
						   void *(*begin) (FunctionCallInfo fcinfo, Jsonb *options));

/*
 * Begin the study of a model, whose start is params, on a history that is complete; with a
 * warning of matches that mistakes keep out of it.
 */
extern void tuner_begin(Tuner *tuner, const Model *model, ParamValue *params,
						const TuneState *state);

/* study_fit(), reported to progress(). */
extern void tuner_fit(Tuner *tuner);

/* Add a warning, as a Study does. */
extern void tuner_warn(void *tuner, const char *format,...) printf_like(2, 3);

/* All parameters that were found; those that others leave without effect have their defaults. */
extern Datum tuner_params(const Study *study);

/* The warnings as a text[]. */
extern Datum tuner_warnings(const Tuner *tuner);

/*
 * For ereport(): why there is nothing to fit to.  That is because matches do not count, if
 * these are more than those that do, or else the shares.
 */
extern int	hint_of_unrated(const HistoryBuilder *builder);

#endif							/* PG_HISTORY_TUNER_H */
