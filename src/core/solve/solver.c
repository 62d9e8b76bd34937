/*
 * solver.c
 *		Ratings that all matches together imply: what is the same for all solvers.
 */
#include "core/solve/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/elementary.h"
#include "core/util/block.h"
#include "core/util/extremes.h"
#include "core/util/union_find.h"

/* After how many matches there may be an interrupt. */
#define MATCHES_BETWEEN_CHECKS 1000

/* Searches for a parameter of draws, each from the solution before. */
#define MAX_DRAW_ROUNDS 100
#define DRAW_TOLERANCE 1e-10
#define DRAW_STEP 1e-12
#define MAX_DRAW_STEPS 100
#define MIN_DRAW 1e-6
#define MAX_DRAW 1e6

const char *const solver_methods[] = {"newton", "gradient", NULL};
const char *const solver_errors_choices[] = {"bound", "probes", "exact", NULL};

/* Rows in the making: counted, or also filled in. */
struct SolverRows
{
	SolverTask *task;
	bool		fill;
	bool		is_virtual;
	bool		anchored;		/* by virtual rows */
	bool		even;			/* see SolverLayout */
	double		side_amount[2]; /* of the last row */
	size_t		nrows;
	size_t		nentries;
};

static int32_t
day_of(int64_t at)
{
	int64_t		day = at / MICROSECONDS_PER_DAY;

	return (int32_t) (at % MICROSECONDS_PER_DAY < 0 ? day - 1 : day);
}

uint32_t
solver_skill_on(const SolverLayout *layout, int32_t player, int64_t at)
{
	uint32_t	low = layout->first_skill[player];
	uint32_t	high = layout->first_skill[player + 1];
	int32_t		day = day_of(at);

	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (layout->day[middle] <= day)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The skill of a player of the history in the match at hand. */
static uint32_t
skill_of(const SolverTask *task, int32_t player, bool is_virtual)
{
	if (!task->solver->by_day)
		return (uint32_t) player;
	if (is_virtual)
		return task->layout.first_skill[player];
	return solver_skill_on(&task->layout, player,
						   task->history->match[task->match].played_at);
}

static void
begin_row(struct SolverRows *rows)
{
	rows->anchored = rows->anchored || rows->is_virtual;
	rows->side_amount[0] = rows->side_amount[1] = 0;
	rows->nrows++;
}

void
solver_row(struct SolverRows *rows, double outcome, double weight, double known)
{
	if (rows->fill)
		logit_add_row(&rows->task->problem.rows, outcome, weight, known);
	begin_row(rows);
}

void
solver_ranked_row(struct SolverRows *rows, uint32_t place, uint32_t behind,
				  double weight, double known)
{
	if (rows->fill)
		logit_add_ranked_row(&rows->task->problem.rows, place, behind, weight, known);
	begin_row(rows);
}

void
solver_entry(struct SolverRows *rows, SolverUnknown unknown, int player,
			 double amount, bool against)
{
	SolverTask *task = rows->task;
	const SolverLayout *layout = &task->layout;

	if (amount == 0)
		return;
	if (rows->fill)
	{
		int32_t		who = rows->is_virtual ? player : unknown == SOLVER_CONTEXT ||
			unknown == SOLVER_SIDE ? 0 : task->player[player];
		uint32_t	u;

		if (unknown == SOLVER_CONTEXT)
			u = layout->context + (uint32_t) task->context_of[task->match];
		else if (unknown == SOLVER_SIDE)
			u = layout->side;
		else if (unknown == SOLVER_COMMAND)
			u = layout->command + (uint32_t) who;
		else
			u = skill_of(task, who, rows->is_virtual);
		if (unknown == SOLVER_SKILL_ON_SIDE && layout->noffsets > 0)
			u |= LOGIT_OFFSET;
		logit_add_entry(&task->problem.rows, u, amount, against);
	}
	if (rows->side_amount[against] == 0)
		rows->side_amount[against] = amount;
	else if (rows->side_amount[against] != amount)
		rows->even = false;
	rows->nentries++;
}

/* Add virtual rows, if the solver has any. */
static void
add_virtual_rows(SolverTask *task, struct SolverRows *rows)
{
	if (task->solver->virtual_rows == NULL)
		return;
	rows->is_virtual = true;
	task->solver->virtual_rows(task, rows);
}

/* Add what was made of rows to the numbers of the layout. */
static void
add_counts(SolverLayout *layout, const struct SolverRows *rows)
{
	layout->nrows += rows->nrows;
	layout->nentries += rows->nentries;
	layout->even = layout->even && rows->even;
}

void
solver_count_begin(SolverTask *task)
{
	SolverLayout *layout = &task->layout;

	layout->nrows = layout->nentries = layout->appearances = 0;
	layout->even = true;
}

void
solver_count_players(SolverTask *task, int32_t first)
{
	int32_t		i;

	for (i = first; i < task->history->nplayers; i++)
	{
		task->layout.games[i] = 0;
		task->layout.component[i] = i;
	}
}

void
solver_count_match(SolverTask *task, const Match *match, const int32_t *player)
{
	SolverLayout *layout = &task->layout;
	struct SolverRows rows = {.task = task,.even = true};
	int32_t		root = union_find(layout->component, player[0]);
	int			i;

	task->sides = task->sides || match->team[0].side != 0;
	layout->appearances += (size_t) match->nplayers;
	for (i = 0; i < match->nplayers; i++)
	{
		layout->games[player[i]]++;
		union_join(layout->component, player[i], root);
	}
	task->solver->rows(task, match, &rows);
	add_counts(layout, &rows);
}

void
solver_count_end(SolverTask *task)
{
	struct SolverRows rows = {.task = task,.even = true};

	add_virtual_rows(task, &rows);
	add_counts(&task->layout, &rows);
}

/*
 * Build all matches again, which were counted and so are without a mistake, and call a function
 * with each.
 */
static void
each_match(SolverTask *task, struct SolverRows *rows,
		   void (*see) (SolverTask *, const Match *, struct SolverRows *))
{
	const History *history = task->history;
	size_t		m;

	for (m = 0; m < history->nmatches; m++)
	{
		Match		match;
		int			offender;

		if (task->interrupt != NULL && m % MATCHES_BETWEEN_CHECKS == 0)
			task->interrupt();
		task->match = m;
		task->player = task->work->player;
		if (history_build_match(history, m, &task->solver->rules, task->params,
								task->work, &match, &offender) == MATCH_OK)
			see(task, &match, rows);
	}
}

static int
compare_days(const void *a, const void *b)
{
	int32_t		x = *(const int32_t *) a;
	int32_t		y = *(const int32_t *) b;

	return (x > y) - (x < y);
}

/* The days of a match for each of its players, in the room that each has. */
static void
note_days(SolverTask *task, const Match *match, struct SolverRows *rows)
{
	SolverLayout *layout = &task->layout;
	int32_t		day = day_of(task->history->match[task->match].played_at);
	int			i;

	(void) rows;
	for (i = 0; i < match->nplayers; i++)
		layout->day[layout->first_skill[task->player[i]]++] = day;
}

/*
 * A skill for each day of each player: days are sorted into the players' places,
 * and then each kept once.
 */
static void
lay_out_days(SolverTask *task)
{
	SolverLayout *layout = &task->layout;
	uint32_t	n = 0;
	uint32_t	begin = 0;
	int32_t		players = task->history->nplayers;
	int32_t		i;

	for (i = 0; i < players; i++)
	{
		layout->first_skill[i] = begin;
		begin += (uint32_t) layout->games[i];
	}
	each_match(task, NULL, note_days);

	begin = 0;
	for (i = 0; i < players; i++)
	{
		uint32_t	end = layout->first_skill[i];	/* moved on by note_days() */
		uint32_t	k;

		qsort(layout->day + begin, end - begin, sizeof(int32_t), compare_days);
		layout->first_skill[i] = n;
		for (k = begin; k < end; k++)
			if (k == begin || layout->day[k] != layout->day[n - 1])
				layout->day[n++] = layout->day[k];
		begin = end;
	}
	layout->first_skill[players] = n;
}

/* The unknowns of each kind, one kind after another. */
static void
lay_out_kinds(SolverLayout *layout, const Solver *solver, const ParamValue *params,
			  uint32_t skills, uint32_t players, bool sides, int32_t ncontexts)
{
	layout->skills = layout->offset = layout->n = skills;
	layout->noffsets = solver->offsets != NULL && solver->offsets(params) ? skills : 0;
	layout->command = layout->n += layout->noffsets;
	layout->ncommands = solver->commands != NULL && solver->commands(params) ? players : 0;
	layout->side = layout->n += layout->ncommands;
	layout->nsides = sides && solver->sides != NULL && solver->sides(params) ? 1 : 0;
	layout->context = layout->n += layout->nsides;
	layout->ncontexts = solver->contexts ? (uint32_t) ncontexts : 0;
	layout->n += layout->ncontexts;
}

void
solver_lay_out(SolverTask *task)
{
	SolverLayout *layout = &task->layout;
	uint32_t	players = (uint32_t) task->history->nplayers;
	uint32_t	i;

	if (task->solver->by_day)
		lay_out_days(task);
	else
		for (i = 0; i <= players; i++)
			layout->first_skill[i] = i;
	for (i = 0; i < players; i++)
		layout->component[i] = union_find(layout->component, (int32_t) i);
	lay_out_kinds(layout, task->solver, task->params, layout->first_skill[players],
				  players, task->sides, task->ncontexts);
}

/*
 * The numbers of unknowns while new players and contexts may still come.  Each kind has a
 * range of its own; skills have the numbers that they keep.
 */
#define OPEN_COMMAND ((uint32_t) SOLVER_MAX_OPEN)
#define OPEN_SIDE (UINT32_C(1) << 30)
#define OPEN_CONTEXT (OPEN_SIDE + 1)

void
solver_lay_out_open(SolverTask *task)
{
	SolverLayout *layout = &task->layout;

	layout->offset = 0;
	layout->noffsets = task->solver->offsets != NULL &&
		task->solver->offsets(task->params) ? 1 : 0;
	layout->command = OPEN_COMMAND;
	layout->side = OPEN_SIDE;
	layout->context = OPEN_CONTEXT;
}

/* Turn preliminary numbers into those of the layout, once. */
static void
close_rows(const SolverLayout *layout, LogitRows *rows)
{
	size_t		n = rows->first[rows->nrows];
	size_t		e;

	rows->offset = layout->noffsets > 0 ? layout->offset : 0;
	for (e = 0; e < n; e++)
	{
		uint32_t	u = rows->unknown[e] & LOGIT_UNKNOWN;

		if (u < OPEN_COMMAND)
			continue;
		if (u >= OPEN_CONTEXT)
			u = layout->context + (u - OPEN_CONTEXT);
		else if (u == OPEN_SIDE)
			u = layout->side;
		else
			u = layout->command + (u - OPEN_COMMAND);
		rows->unknown[e] = u | (rows->unknown[e] & LOGIT_OFFSET);
	}
}

static size_t
lay_out_problem(const SolverTask *task, LogitProblem *problem, char *block)
{
	const SolverLayout *layout = &task->layout;
	size_t		total = 0;

	problem->prior.precision = block_take(&block, &total, sizeof(double), layout->n);
	problem->prior.link = NULL;
	if (task->solver->by_day)
		problem->prior.link = block_take(&block, &total, sizeof(double), layout->n);
	if (block != NULL)
		logit_work_init(problem, block);
	return total + logit_work_size(layout->nrows, layout->n);
}

void
solver_add_match(SolverTask *task, const Match *match, const int32_t *player)
{
	struct SolverRows rows = {.task = task,.fill = true};

	task->player = player;
	task->solver->rows(task, match, &rows);
}

size_t
solver_problem_size(const SolverTask *task)
{
	LogitProblem problem = {0};

	return lay_out_problem(task, &problem, NULL) + solver_rows_size(task);
}

LogitShape
solver_rows_shape(const SolverTask *task)
{
	const SolverLayout *layout = &task->layout;

	return (LogitShape)
	{
		.nrows = layout->nrows,.nentries = layout->nentries,.even = layout->even,
			.ranked = task->solver->ranked
	};
}

size_t
solver_rows_size(const SolverTask *task)
{
	return logit_rows_size(solver_rows_shape(task));
}

/* Make the problem, whose rows are there, in a block, but for virtual rows and priors. */
static void
init_problem(SolverTask *task, void *block)
{
	LogitProblem *problem = &task->problem;
	LogitRows	rows = problem->rows;

	memset(problem, 0, sizeof(LogitProblem));
	problem->n = task->layout.n;
	problem->rows = rows;
	problem->rows.nrows = task->layout.nrows;
	lay_out_problem(task, problem, block);
	problem->rows.nrows = rows.nrows;
	memset(problem->prior.precision, 0, problem->n * sizeof(double));
	if (problem->prior.link != NULL)
		memset(problem->prior.link, 0, problem->n * sizeof(double));

	problem->options.gradient =
		task->params[SOLVER_METHOD].choice == SOLVER_GRADIENT;
	problem->options.max_iterations =
		(int) task->params[SOLVER_MAX_ITERATIONS].number;
	problem->options.tolerance = task->params[SOLVER_TOLERANCE].number;
	problem->options.interrupt = task->interrupt;
}

/* What is there besides matches: virtual rows, which have room, and priors. */
static void
add_beliefs(SolverTask *task, struct SolverRows *rows)
{
	add_virtual_rows(task, rows);
	task->anchored = rows->anchored;
	task->solver->priors(task);
}

void
solver_fill(SolverTask *task, void *block)
{
	const SolverLayout *layout = &task->layout;
	LogitRows  *out = &task->problem.rows;
	struct SolverRows rows = {.task = task,.fill = true};

	logit_rows_init(out, block, solver_rows_shape(task));
	out->offset = layout->noffsets > 0 ? layout->offset : 0;
	init_problem(task, (char *) block + solver_rows_size(task));
	each_match(task, &rows, task->solver->rows);
	add_beliefs(task, &rows);
}

void
solver_fill_open(SolverTask *task, void *block)
{
	struct SolverRows rows = {.task = task,.fill = true};

	close_rows(&task->layout, &task->problem.rows);
	init_problem(task, block);
	add_beliefs(task, &rows);
}

/*
 * ---- Solving ----
 */

/*
 * The parameter of draws at which their expected number, at these skills, is that of
 * those seen: a root of an increasing function, found by Newton's method in its
 * logarithm, between bounds that close in on it.  Without draws, or without anything
 * else, that is the least or the largest parameter.  What has not been found after some
 * steps is so by the next search, which begins there.
 */
static double
fit_draw(LogitProblem *problem, const double *x)
{
	const double lowest = portable_log(MIN_DRAW);
	const double highest = portable_log(MAX_DRAW);
	double		low = lowest;
	double		high = highest;
	double		at = portable_log(problem->options.draw);
	double		step;
	int			steps = 0;

	do
	{
		double		next;

		problem->options.draw = portable_exp(at);
		(void) logit_evaluate(problem, x, false);
		next = at - problem->sums.draws / problem->sums.draws_slope;
		if (problem->sums.draws < 0)
			low = at;
		else
			high = at;

		/*
		 * Bounds that have not been tried yet are as good as what leads
		 * beyond.
		 */
		if (!(next > low))
			next = low == lowest ? low : (low + high) / 2;
		else if (!(next < high))
			next = high == highest ? high : (low + high) / 2;
		step = fabs(next - at);
		at = next;
	} while (step > DRAW_STEP && low < high && ++steps < MAX_DRAW_STEPS);
	return portable_exp(at);
}

bool
solver_determined(const SolverTask *task, const LogitResult *result, uint32_t u)
{
	return result->status != SOLVE_NOT_FINITE &&
		(result->status != SOLVE_NO_MAXIMUM ||
		 fabs(task->problem.work.step[u]) < LOGIT_DIVERGING_STEP);
}

/*
 * Without priors only differences count: take the mean of each component out of a
 * vector, that of those who have a maximum (NULL: all have).  So skills have the mean 0, and errors
 * are those of the distance from it.
 */
static void
take_level_out(SolverTask *task, const LogitResult *result, double *v)
{
	const SolverLayout *layout = &task->layout;
	int32_t		players = task->history->nplayers;
	double	   *sum = task->problem.work.trial;
	double	   *count = task->problem.work.residual;
	int32_t		i;

	if (task->anchored || task->solver->by_day)
		return;
	for (i = 0; i < players; i++)
		sum[i] = count[i] = 0;
	for (i = 0; i < players; i++)
		if (result == NULL || solver_determined(task, result, i))
		{
			sum[layout->component[i]] += v[i];
			count[layout->component[i]]++;
		}
	for (i = 0; i < players; i++)
		if (count[layout->component[i]] > 0)
			v[i] -= sum[layout->component[i]] / count[layout->component[i]];
}

LogitResult
solver_run(SolverTask *task, double *x)
{
	LogitProblem *problem = &task->problem;
	LogitResult result;
	bool		fit = false;
	int			round;

	problem->options.draw = task->solver->draw != NULL ?
		task->solver->draw(task->params, &fit) : 0;

	/* From a solution on, that is its own parameter of draws. */
	if (fit)
		problem->options.draw = fit_draw(problem, x);
	result = logit_solve(problem, x);
	for (round = 0; fit && result.status == SOLVE_CONVERGED; round++)
	{
		double		before = problem->options.draw;
		int			iterations = result.iterations;
		int64_t		products = result.products;

		problem->options.draw = fit_draw(problem, x);
		if (task->interrupt != NULL)
			task->interrupt();
		if (fabs(portable_log(problem->options.draw / before)) < DRAW_TOLERANCE)
			break;
		if (round == MAX_DRAW_ROUNDS)
		{
			result.status = SOLVE_MAX_ITERATIONS;
			break;
		}
		result = logit_solve(problem, x);
		result.iterations += iterations;
		result.products += products;
	}
	take_level_out(task, &result, x);
	return result;
}

/*
 * ---- Errors ----
 */

/* The diagonal of the inverse of the chains alone: opponents as they are. */
static void
chain_variances(const LogitProblem *problem, double *variance)
{
	const double *link = problem->prior.link;
	const double *diagonal = problem->work.diagonal;
	double	   *forward = problem->work.pivot;
	double		backward = 0;
	uint32_t	u;

	for (u = 0; u < problem->n; u++)
	{
		forward[u] = diagonal[u];
		if (link != NULL && u > 0 && link[u - 1] > 0)
			forward[u] -= link[u - 1] * link[u - 1] / forward[u - 1];
	}
	for (u = problem->n; u-- > 0;)
	{
		double		next = backward;

		backward = diagonal[u];
		if (link != NULL && link[u] > 0)
			backward -= link[u] * link[u] / next;
		variance[u] = 1 / (forward[u] + backward - diagonal[u]);
	}
}

/* Another number of a fixed sequence, of which each bit is as good as random. */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/*
 * Hutchinson's estimate of the diagonal of the inverse: the mean of v H^-1 v over
 * random signs v.  What the chains alone give is exact and needs no probing, so
 * that only the rest of it is noisy.
 */
static void
probe_variances(SolverTask *task, const double *x, double *variance, double *room)
{
	LogitProblem *problem = &task->problem;
	uint32_t	n = problem->n;
	int			probes = (int) task->params[SOLVER_PROBES].number;
	double	   *sign = room;
	double	   *b = room + n;
	double	   *u = room + 2 * (size_t) n;
	uint64_t	random = 42;
	bool		solved = true;
	int			probe;
	uint32_t	i;

	memset(variance, 0, n * sizeof(double));
	for (probe = 0; probe < probes; probe++)
	{
		for (i = 0; i < n; i++)
			b[i] = sign[i] = next_random(&random) >> 63 ? 1 : -1;
		take_level_out(task, NULL, b);
		solved = logit_apply_inverse(problem, x, b, u, 1e-3) && solved;
		take_level_out(task, NULL, u);
		for (i = 0; i < n; i++)
			variance[i] += solved ? sign[i] * u[i] / probes : NAN;
	}
}

double
solver_exact_error(SolverTask *task, const double *x, uint32_t unknown,
				   double *room)
{
	double	   *b = room;
	double	   *u = room + task->problem.n;

	memset(b, 0, task->problem.n * sizeof(double));
	b[unknown] = 1;
	take_level_out(task, NULL, b);
	if (!logit_apply_inverse(&task->problem, x, b, u, 1e-8))
		return NAN;
	take_level_out(task, NULL, u);
	return sqrt(u[unknown]);
}

void
solver_errors(SolverTask *task, const double *x, double *error, double *room)
{
	LogitProblem *problem = &task->problem;
	uint32_t	i;

	(void) logit_evaluate(problem, x, true);
	switch (task->params[SOLVER_ERRORS].choice)
	{
		case SOLVER_ERRORS_EXACT:
			for (i = 0; i < problem->n; i++)
				error[i] = solver_exact_error(task, x, i, room);
			return;
		case SOLVER_ERRORS_PROBES:
			probe_variances(task, x, error, room);
			break;
		default:
			chain_variances(problem, error);
	}

	/*
	 * A probe can miss by so much that nothing positive is left.  Not larger(),
	 * which would hide a NaN.
	 */
	for (i = 0; i < problem->n; i++)
	{
		double		least = 1 / problem->work.diagonal[i];

		error[i] = sqrt(error[i] < least ? least : error[i]);
	}
}
