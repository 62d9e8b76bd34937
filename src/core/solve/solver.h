/*
 * solver.h
 *		Ratings that all matches together imply: models as problems for the
 *		logistic solver.
 */
#ifndef CORE_SOLVE_SOLVER_H
#define CORE_SOLVE_SOLVER_H

#include "core/rating/history.h"
#include "core/rating/params.h"
#include "core/solve/logit_solver.h"

struct SolverTask;
struct SolverRows;

/*
 * A solver has parameters and rules for matches, as a Model does, and turns matches into
 * rows about its unknowns.
 */
typedef struct Solver
{
	const char *name;			/* "hive" */
	const char *summary;		/* one line */
	const char *source;			/* the paper or document */
	ParamSet	params;			/* of kind "solver" and the same name */
	MatchRules	rules;			/* for match_build() */
	bool		by_day;			/* a skill for each day that a player played */
	bool		contexts;		/* these are unknowns, too */
	bool		ranked;			/* rows are members of rankings */

	/*
	 * The rows of a match, by solver_row() or, where they are members of
	 * rankings, solver_ranked_row(), and solver_entry(); NULL: this is no
	 * problem for the logistic solver (see through_time.h).
	 */
	void		(*rows) (struct SolverTask *task, const Match *match,
						 struct SolverRows *rows);

	/* Rows that are there without any match, the same way; NULL for none. */
	void		(*virtual_rows) (struct SolverTask *task, struct SolverRows *rows);

	/* The priors, once the unknowns are laid out and the rows are there. */
	void		(*priors) (struct SolverTask *task);

	/* Whether there are side offsets, and command skills. */
	bool		(*offsets) (const ParamValue *params);
	bool		(*commands) (const ParamValue *params);

	/* Whether the first side has an advantage, where sides differ; NULL: no. */
	bool		(*sides) (const ParamValue *params);

	/* Davidson's parameter of draws: 0 for halves; *fit: only where to begin. */
	double		(*draw) (const ParamValue *params, bool *fit);
} Solver;

/* All of them, each in a file of its own; solvers.h has the list. */
extern const Solver bradley_terry_solver;
extern const Solver hive_solver;
extern const Solver plackett_luce_solver;
extern const Solver through_time_solver;
extern const Solver whole_history_solver;

/* What all solvers have among their parameters, by index, and how it is declared. */
enum
{
	SOLVER_METHOD,
	SOLVER_MAX_ITERATIONS,
	SOLVER_TOLERANCE,
	SOLVER_ERRORS,
	SOLVER_PROBES,
	SOLVER_MEMORY,
	SOLVER_NCOMMON
};

#define SOLVER_COMMON_PARAMS \
	{.name = "method",.type = PARAM_CHOICE,.default_value = SOLVER_NEWTON, \
		.choices = solver_methods, \
	.description = "newton, or gradient: plain ascent, to watch it converge"}, \
	{.name = "max_iterations",.type = PARAM_NUMBER,.default_value = 200, \
		.min = 1,.max = 1e9,.unit = "iterations", \
	.description = "after which the search gives up"}, \
	{.name = "tolerance",.type = PARAM_NUMBER,.default_value = 1e-10, \
		.min = 0,.above_min = true,.max = 1,.unit = "nats", \
	.description = "twice the distance from the maximum at which a last step is taken"}, \
	{.name = "errors",.type = PARAM_CHOICE,.default_value = SOLVER_ERRORS_BOUND, \
		.choices = solver_errors_choices, \
	.description = "standard errors: bound from each player's own results, random probes, or exact"}, \
	{.name = "probes",.type = PARAM_NUMBER,.default_value = 30, \
		.min = 1,.max = 10000,.unit = "linear systems", \
	.description = "how many probes"}, \
	{.name = "memory",.type = PARAM_NUMBER,.default_value = 4096, \
		.min = 1,.max = 1e9,.unit = "MB", \
	.description = "most that the problem may take, which is known before it is made"}

/* The words of these choices, in the order of the enums. */
extern const char *const solver_methods[];
extern const char *const solver_errors_choices[];

enum SolverMethod
{
	SOLVER_NEWTON,
	SOLVER_GRADIENT
};

enum SolverErrors
{
	SOLVER_ERRORS_BOUND,		/* 1 / sqrt of the diagonal, too small by a
								 * little */
	SOLVER_ERRORS_PROBES,		/* Hutchinson's estimate of the inverse */
	SOLVER_ERRORS_EXACT			/* one linear system for each unknown */
};

/*
 * Where the unknowns are: the skills first, then the side offsets, the command
 * skills, the advantage of the first side and those in contexts.  Players are those of the history.
 */
typedef struct SolverLayout
{
	size_t		nrows;
	size_t		nentries;
	bool		even;			/* all entries of a side of a row count alike */
	uint32_t	n;				/* unknowns */
	uint32_t	skills;
	uint32_t	offset;			/* first of the side offsets, which may be
								 * none, */
	uint32_t	noffsets;
	uint32_t	command;		/* and so on */
	uint32_t	ncommands;
	uint32_t	side;
	uint32_t	nsides;			/* 0 or 1 */
	uint32_t	context;
	uint32_t	ncontexts;

	/* By player, with one more behind the last: the first skill. */
	uint32_t   *first_skill;

	/* By skill: days since 2000, where there is one for each. */
	int32_t    *day;
	size_t		appearances;	/* of players in matches: most that day[]
								 * holds */
	int64_t    *games;			/* by player: matches that count */
	int32_t    *component;		/* by player: a player it is connected with */
} SolverLayout;

/* What solving needs to know, all of it the caller's. */
typedef struct SolverTask
{
	const Solver *solver;
	size_t		match;			/* of the history, being counted or made rows
								 * of */
	const ParamValue *params;
	const History *history;
	const int32_t *context_of;	/* by match, or NULL; -1 for none */
	int32_t		ncontexts;
	bool		sides;			/* whether they differ in a match: set by
								 * solver_count_match() */
	HistoryWork *work;			/* only to build matches of the history */
	const int32_t *player;		/* of the history, by player of the match that
								 * is being made rows of */
	InterruptCheck interrupt;
	SolverLayout layout;
	LogitProblem problem;
	bool		anchored;		/* a prior says where skills are; set by
								 * priors(), too */
} SolverTask;

/* What an unknown is of a player, or of a match. */
typedef enum SolverUnknown
{
	SOLVER_SKILL,				/* with the side offset, if sides differ: */
	SOLVER_SKILL_ON_SIDE,
	SOLVER_COMMAND,
	SOLVER_SIDE,				/* the advantage of the first one */
	SOLVER_CONTEXT
} SolverUnknown;

/*
 * For solvers: begin a row, or one of a ranking (see logit_rows.h), and add an entry to it.  The player is that of the
 * match by index, or of the history in virtual rows, whose day is the first one.
 */
extern void solver_row(struct SolverRows *rows, double outcome, double weight,
					   double known);
extern void solver_ranked_row(struct SolverRows *rows, uint32_t place,
							  uint32_t behind, double weight, double known);
extern void solver_entry(struct SolverRows *rows, SolverUnknown unknown, int player,
						 double amount, bool against);

/*
 * Count rows, entries and appearances of one match after another: begin, count each match that
 * counts, and end with the virtual rows.  Games and components have room for all players;
 * solver_count_players() has those from first on begin without games, each as their own
 * component.
 *
 * A match is as match_build() made it by the rules of the solver, which has found no mistake.
 * task->match is its number in the history, and player[i] the player of the history who is player
 * i of the match.
 */
extern void solver_count_begin(SolverTask *task);
extern void solver_count_players(SolverTask *task, int32_t first);
extern void solver_count_match(SolverTask *task, const Match *match,
							   const int32_t *player);
extern void solver_count_end(SolverTask *task);

/*
 * Lay out the unknowns, and let players lead to their components at once.  first_skill has
 * room for all players and one more, and day, for solvers by day, for all appearances.
 */
extern void solver_lay_out(SolverTask *task);

/*
 * The bytes of task->problem, once the unknowns are laid out; and fill it in, rows and
 * priors, in a block of so many bytes.  The block must live as long as the task.
 */
extern size_t solver_problem_size(const SolverTask *task);
extern void solver_fill(SolverTask *task, void *block);

/* The bytes of the rows alone, and their shape. */
extern size_t solver_rows_size(const SolverTask *task);
extern LogitShape solver_rows_shape(const SolverTask *task);

/*
 * Rows made before all players and contexts are known, as each match is counted, for solvers
 * without skills by day.  Nothing has to be known of a match afterwards.
 *
 * solver_lay_out_open() gives unknowns preliminary numbers, with which solver_add_match() adds
 * the rows of the match that was counted last to task->problem.rows, which have room for all that
 * has been counted and are even or not as that is (see logit_rows.h).
 *
 * In the end solver_lay_out() and then solver_fill_open() in place of solver_fill() complete the
 * problem.  The rows have room for virtual rows, too, and the block is one of
 * solver_problem_size() without solver_rows_size().
 *
 * The caller sees to it that there are fewer than SOLVER_MAX_OPEN players.
 */
#define SOLVER_MAX_OPEN (INT32_C(1) << 29)

extern void solver_lay_out_open(SolverTask *task);
extern void solver_add_match(SolverTask *task, const Match *match, const int32_t *player);
extern void solver_fill_open(SolverTask *task, void *block);

/*
 * Find the maximum, from x on (see logit_start()).  Where draws have a parameter of
 * their own that is to be estimated, it is problem.options.draw afterwards.
 * Without priors skills of a component have mean 0.
 */
extern LogitResult solver_run(SolverTask *task, double *x);

/* The last skill of a player that is not of a later day, or the first one. */
extern uint32_t solver_skill_on(const SolverLayout *layout, int32_t player,
								int64_t at);

/* Whether an unknown has a maximum, if not all have. */
extern bool solver_determined(const SolverTask *task, const LogitResult *result,
							  uint32_t u);

/*
 * Standard errors of all unknowns at the solution, as the parameter errors says;
 * room has space for 3 n numbers.  Deterministic.
 */
extern void solver_errors(SolverTask *task, const double *x, double *error,
						  double *room);

/* The standard error of one unknown, exactly; room as above. */
extern double solver_exact_error(SolverTask *task, const double *x, uint32_t u,
								 double *room);

#endif							/* CORE_SOLVE_SOLVER_H */
