/*
 * tune_parts.h
 *		Which parts of a model are worth having, by forward selection.
 *
 * Parts are judged by forecasts that their fit has not seen: parameters are fitted to the
 * first matches and judged on a block of later ones, for several blocks in the order of time
 * (forward chaining).  They are judged in the order of what they do for the first of these
 * matches, fitted and judged, or for all without a fit.  One that gains enough is taken, and
 * those that gained less are judged again beside it.  Choices come before all others, and corrections
 * behind.  Parts that are on at the start are off until they are taken; where evaluations are
 * too few for all parts these are judged before all others, together and then one by one.  In
 * the end the start itself, with its parts, is judged on the same blocks.
 */
#ifndef CORE_EVALUATE_TUNE_PARTS_H
#define CORE_EVALUATE_TUNE_PARTS_H

#include "core/evaluate/paired.h"
#include "core/evaluate/tune_search.h"

/* The most parts that are tried: those of a model, and the log-odds of a side. */
#define TUNE_MAX_PARTS (MODEL_MAX_PARTS + 1)

/*
 * Matches are fitted up to three ninths, four ninths and so on of them, and judged on the
 * ninth behind each.
 */
#define TUNE_FOLDS 6

/* With fewer matches in all no part is judged. */
#define TUNE_MIN_MATCHES_OF_PARTS 100

/* A part has to gain so many nats in all, besides one standard error. */
#define TUNE_MIN_GAIN_NATS 1.0

/*
 * One that does not gain so many on the matches that are fitted first, nor on the ninth
 * behind them, nor on all that are judged without a fit, is not looked at any further.  For a
 * choice, which has no simpler side, they are enough to be taken.
 */
#define TUNE_MIN_FITTED_NATS 0.5

typedef struct TunePart
{
	const char *name;
	const char *beside;			/* the part without which it has no effect, or
								 * NULL */
	PartKind	kind;
	bool		by_default;		/* on at the start: the caller says so */
	TuneSpace	space;			/* what it adds; choices without their level
								 * for off */
	double		value[TUNE_MAX_PARAMS]; /* where the search for each begins */
	int			level[TUNE_MAX_CHOICES];

	/* What came of it: */
	bool		taken;
	bool		judged;
	PairedDifference gain;		/* of log loss, when last judged */

	/* As far as the selection has come: */
	bool		fitted;			/* to the matches of the first fold */
	TunePoint	first;			/* the fit to these */
	double		promise;		/* nats gained in a block, then or without a
								 * fit */
	int			beside_taken;	/* so many other parts when last judged */
} TunePart;

/* The start: the values in use before any part was turned off. */
typedef struct TuneStart
{
	const ParamValue *params;
	const double *loss;			/* by match, of the forecasts under them */
} TuneStart;

/* What a selection came to. */
typedef struct TuneSelection
{
	bool		complete;		/* every part was judged */
	bool		start_kept;		/* the start forecasts better than the fit */
	PairedDifference behind;	/* of log loss: the fit, behind the start */
} TuneSelection;

/* The memory of a selection, which the caller provides; only pointers are to be set. */
typedef struct TunePartsWork
{
	TuneWork	search;
	TuneSpace	space;
	TuneSpace	narrow;
	TuneSpace	base;			/* without any part */
	TunePart	together;		/* the parts that are on at the start */
	TunePoint	current[TUNE_FOLDS];
	TunePoint	candidate[TUNE_FOLDS];
	double	   *loss[2];		/* history->nmatches each; the caller's */
	ParamValue *off;			/* as many as the model has; likewise */
} TunePartsWork;

/*
 * Make a part of a model ready to be tried beside a space; false if its parameters are in the
 * space already, it is on in params, or is nothing that can be fitted.
 */
extern bool tune_model_part(const Model *model, const ParamValue *params,
							const TuneSpace *space, const ModelPart *part,
							TunePart *result);

/* The log-odds of side 1 as a part. */
extern void tune_log_odds_part(TunePart *result);

/*
 * Take parts into a space, one after another, as long as one gains; the space grows by those
 * that are taken, and the point, the start, becomes a good start in it.  Only the
 * matches of the problem's bounds are looked at.  It is not complete if evaluations, as many
 * as effort says in all, ran out before every part was judged.
 *
 * Unless start is NULL what was selected is judged against it: where it forecasts the blocks
 * better, by as much as a part has to gain, it is kept as it is, with params of the problem,
 * space and point as they were there, and the parts that are on in it taken.  With less than
 * that the fit is the better guess, as all matches tell more than those before each block.
 * With too few matches to judge parts those that are on are taken, too, unjudged.
 */
extern TuneSelection tune_select_parts(TuneProblem *problem, TuneSpace *space,
									   TunePart *part, int nparts,
									   const TuneStart *start, const TuneEffort *effort,
									   TunePartsWork *work, TunePoint *point);

/*
 * The log loss of each match from begin to below end under the values in use, NaN for those
 * that are not scored; and the share of it that went to the favourite (1, 0, or .5 if that
 * drew or there was none), unless NULL.
 */
extern void tune_forecasts(TuneProblem *problem, size_t begin, size_t end,
						   double *loss, double *accuracy);

#endif							/* CORE_EVALUATE_TUNE_PARTS_H */
