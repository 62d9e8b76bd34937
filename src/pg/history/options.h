/*
 * options.h
 *		The last argument of functions over a history: its options, an object.
 *
 * What is not an option of the function is a parameter of the model or the solver, so that
 * '{"k": 20, "strict_rows": true}' has both.  No parameter has the name of an option.
 */
#ifndef PG_HISTORY_OPTIONS_H
#define PG_HISTORY_OPTIONS_H

#include "pg/sql/glue.h"

#include "pg/matches/rater.h"

/* Sets of options, of which a function has some. */
#define OPTION_STRICT 1
#define OPTION_SEASON 2
#define OPTION_EXACT_FOR 4
#define OPTION_REFITS 8

/* When to solve: whichever comes first; 0 for never. */
typedef struct RefitRules
{
	int32		matches;		/* after so many rated ones */
	double		days;			/* so long after the last time */
} RefitRules;

typedef struct HistoryOptions
{
	Jsonb	   *given;			/* all of them, or NULL */
	Jsonb	   *params;			/* those that are parameters, or NULL */
	bool		strict;			/* a mistake in a match is an error */
	SeasonRules season;
	char	  **exact_for;		/* players as text */
	int			nexact_for;
	RefitRules	refits;
} HistoryOptions;

/*
 * The options of a function with parameters of this set; defaults for NULL.  Strings are in the
 * current context, and json must last as long.  Error 22023 for what is neither an option nor a
 * parameter, with a hint that lists both, and for values out of range.
 */
extern HistoryOptions history_options(const char *function, const ParamSet *set,
									  unsigned valid, Jsonb *json);

#endif							/* PG_HISTORY_OPTIONS_H */
