/*
 * tune_options.h
 *		Options of tune() and suggest_model().
 */
#ifndef PG_HISTORY_TUNE_OPTIONS_H
#define PG_HISTORY_TUNE_OPTIONS_H

#include "pg/sql/glue.h"

typedef struct TuneOptions
{
	Jsonb	   *given;			/* all of them, or NULL */
	char	  **fit;			/* tune(): the parameters to fit, or NULL for
								 * the model's own choice */
	int			nfit;
	bool		strict;			/* a mistake in a match is an error */
	Jsonb	   *params;			/* where the search starts; the rest is fixed */
	Jsonb	   *bounds;			/* by parameter, or NULL */
	double		burn_in;		/* shares of the matches */
	double		holdout;
	int			max_evaluations;	/* 0: as many as the variables take */
	double		tolerance;
	int			starts;
	bool		priors;			/* weak priors of parameters */
	bool		all_parts;		/* try all parts, or those named */
	char	  **parts;
	int			nparts;
	int			progress;		/* level of messages */
	char	  **models;			/* suggest_model(): those to try, */
	int			nmodels;		/* 0: all */
} TuneOptions;

/* The options of tune(), or of suggest_model(); defaults for NULL. */
extern TuneOptions tune_options(Jsonb *json);
extern TuneOptions suggest_options(Jsonb *json);

/* The bounds that are given for a parameter; false if there are none. */
extern bool tune_given_bounds(const TuneOptions *options, const Model *model,
							  const ParamSpec *spec, double *low, double *high);

/* The name of the bounds in messages. */
#define TUNE_BOUNDS "option \"bounds\" of tune()"

#endif							/* PG_HISTORY_TUNE_OPTIONS_H */
