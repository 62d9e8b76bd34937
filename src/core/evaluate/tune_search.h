/*
 * tune_search.h
 *		The best values of parameters, by several searches from different starts.
 *
 * A search from one start ends in the valley where it began.  Here starts lie all over the
 * bounds, are screened by what they cost on a part of the matches, and the best few are
 * searched from; how many of these end at the same likelihood says whether to trust it.
 */
#ifndef CORE_EVALUATE_TUNE_SEARCH_H
#define CORE_EVALUATE_TUNE_SEARCH_H

#include "core/evaluate/minimize.h"
#include "core/evaluate/tune.h"

#define TUNE_MAX_CHOICES 8
#define TUNE_MAX_LEVELS 8

/* The most combinations of choices, and points that are screened. */
#define TUNE_MAX_COMBINATIONS 64
#define TUNE_MAX_SCREENED 256

/* Ends of searches that differ by less, in nats, are the same as far as the data tell. */
#define TUNE_SAME_NATS 1.0

/*
 * A parameter with a few levels: choices by their index, and flags as 0 and 1.  Of a switch,
 * a number for which 0 stands for something else, they are 0 and 1 for that and for the
 * value of a variable.
 */
typedef struct TuneChoice
{
	int			index;			/* of the model's parameters */
	int			variable;		/* of a switch: its number in the space, or -1 */
	int			nlevels;
	int			level[TUNE_MAX_LEVELS];
} TuneChoice;

/* What is fitted. */
typedef struct TuneSpace
{
	TuneParam	param[TUNE_MAX_PARAMS];
	int			nparams;
	TuneChoice	choice[TUNE_MAX_CHOICES];
	int			nchoices;
} TuneSpace;

/* A point of the space. */
typedef struct TunePoint
{
	double		value[TUNE_MAX_PARAMS]; /* 0 of a switch that is off */
	int			level[TUNE_MAX_CHOICES];
	double		objective;
} TunePoint;

/* How hard to search. */
typedef struct TuneEffort
{
	int			starts;			/* of the best combination */
	int			max_evaluations;
	double		tolerance;		/* of variables on a log scale, and as a share
								 * of the range of others */
	double		first_step;		/* on a log scale; 0: the usual one */
	int			scattered_from; /* starts differ in parameters of the space
								 * from this one on */
} TuneEffort;

/* What came of it. */
typedef struct TuneReport
{
	MinimizeStatus status;
	int			starts;			/* searches for the best combination, */
	int			agreeing;		/* how many of them ended as the best, */
	int			elsewhere;		/* and at another optimum */
	int			combinations;	/* of choices that were screened */
} TuneReport;

/* The most searches from starts. */
#define TUNE_MAX_RUNS 32

/* A search from a start, and where it ended. */
typedef struct TuneRun
{
	TunePoint	start;
	TunePoint	point;
	int			combination;
	MinimizeStatus status;
} TuneRun;

/* The memory of a search, which the caller provides; it need not be initialized. */
typedef struct TuneWork
{
	MinimizeWork minimize;
	TunePoint	candidate[TUNE_MAX_SCREENED];
	int			combination[TUNE_MAX_SCREENED]; /* of each */
	int			order[TUNE_MAX_SCREENED];	/* the best first */
	bool		chosen[TUNE_MAX_SCREENED];
	TuneRun		run[TUNE_MAX_RUNS];
	int			nruns;
	double		first_step;
} TuneWork;

/*
 * Add a parameter of a model to a space: a number, with its range or low and high where these
 * are not both 0, a choice or a flag.  The value in params is the start.  The prior of a
 * number is around it, or, of one that is 0, around what the part begins with that it turns
 * on, if there is one.  False if the space is full, or the parameter is a table.
 */
extern bool tune_space_add(TuneSpace *space, const Model *model,
						   const ParamValue *params, int index,
						   double low, double high);

/* Add the log-odds of side 1. */
extern bool tune_space_add_log_odds(TuneSpace *space);

/* Whether a parameter, or TUNE_LOG_ODDS, is in a space. */
extern bool tune_space_has(const TuneSpace *space, int index);

/* How many combinations of choices a space has, at most TUNE_MAX_COMBINATIONS + 1. */
extern int	tune_combinations(const TuneSpace *space);

/* The point of the values in use. */
extern void tune_point(const TuneProblem *problem, const TuneSpace *space,
					   TunePoint *point);

/*
 * Put a point in use: params and log-odds of the problem are those of the point, its
 * variables are those that are fitted there, and variable[] has their values.
 */
extern void tune_use(TuneProblem *problem, const TuneSpace *space,
					 const TunePoint *point, double *variable);

/*
 * Move a point, the first start, to the best one that is found, with its objective, and put
 * it in use.  The matches, params and limits of the problem are those of the
 * caller.  The result is never worse than the start.  tune_combinations() is at most
 * TUNE_MAX_COMBINATIONS.
 */
extern void tune_search(TuneProblem *problem, const TuneSpace *space,
						const TuneEffort *effort, TuneWork *work,
						TunePoint *point, TuneReport *report);

#endif							/* CORE_EVALUATE_TUNE_SEARCH_H */
