/*
 * options.h
 *		The last argument of functions over a history: its options, an object.
 *
 * What is not an option of the function is a parameter of the model or the solver, so that
 * '{"k": 20, "strict_rows": true}' has both.  No parameter has the name of an option.  tune() and
 * suggest_model() have options alone.
 */
#ifndef PG_HISTORY_OPTIONS_H
#define PG_HISTORY_OPTIONS_H

#include "pg/sql/glue.h"

#include "core/evaluate/study.h"
#include "pg/matches/rater.h"

/* Sets of options, of which a function has some. */
#define OPTION_STRICT 1
#define OPTION_SEASON 2
#define OPTION_EXACT_FOR 4
#define OPTION_REFITS 8
#define OPTION_TUNE 16
#define OPTION_SUGGEST 32
#define OPTION_STUDY (OPTION_TUNE | OPTION_SUGGEST)

/* When to solve: whichever comes first; 0 for never. */
typedef struct RefitRules
{
	int32		matches;		/* after so many rated ones */
	double		days;			/* so long after the last time */
} RefitRules;

/* A list of texts; NULL for none. */
typedef struct OptionTexts
{
	char	  **text;
	int			n;
} OptionTexts;

typedef struct HistoryOptions
{
	Jsonb	   *params;			/* those that are parameters, or NULL; of
								 * tune() where the search starts */
	bool		strict;			/* a mistake in a match is an error */
	SeasonRules season;
	OptionTexts exact_for;		/* players */
	RefitRules	refits;
	StudyOptions study;
	OptionTexts fit;			/* of tune(): the parameters to fit, or none
								 * for the model's own choice, */
	Jsonb	   *bounds;			/* and bounds by parameter, or NULL */
	OptionTexts models;			/* of suggest_model(): those to try, or none
								 * for all */
} HistoryOptions;

/*
 * The options of a function with parameters of this set, or without any for NULL; defaults for a
 * json of NULL.  Strings are in the current context, and json must last as long.  Error 22023 for
 * what is neither an option nor a parameter, with a hint that lists both, and for values out of range.
 */
extern HistoryOptions history_options(const char *function, const ParamSet *set,
									  unsigned valid, Jsonb *json);

#endif							/* PG_HISTORY_OPTIONS_H */
