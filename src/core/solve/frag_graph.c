/*
 * frag_graph.c
 *		Scores from who killed whom how often.
 *
 * Two players who met differ in score by y = (a - b) / (a + b), where a and b are
 * their frags against each other.  Not all such differences can hold at once; the
 * scores are those that miss them least.  The document's closed form is that
 * solution where everybody met everybody; elsewhere it forgets who the opponents
 * were, and the linear system is solved instead.
 */
#include "core/solve/frag_graph.h"

#include <math.h>
#include <string.h>

#include "core/math/conjugate_gradients.h"
#include "core/math/square.h"
#include "core/util/union_find.h"

enum
{
	FRAG_METHOD,
	FRAG_WEIGHT,
	FRAG_SHRINKAGE,
	FRAG_RIDGE,
	FRAG_SUICIDES,
	FRAG_CORE_OPPONENTS,
	FRAG_CORE_FRAGS,
	FRAG_PRIOR_DEVIATION,
	FRAG_TOLERANCE,
	FRAG_MEMORY,
	FRAG_NPARAMS
};

enum
{
	WEIGHT_FRAGS,
	WEIGHT_EQUAL
};

enum
{
	SUICIDES_IGNORE,
	SUICIDES_SUBTRACT,
	SUICIDES_DISTRIBUTE
};

static const char *const method_choices[] = {"least_squares", "average", "logistic", NULL};
static const char *const weight_choices[] = {"frags", "equal", NULL};
static const char *const suicide_choices[] = {"ignore", "subtract", "distribute", NULL};

static const ParamSpec frag_graph_specs[] = {
	{.name = "method",.type = PARAM_CHOICE,.default_value = FRAG_LEAST_SQUARES,
		.choices = method_choices,
	.description = "least squares over all pairs; the document's average, which forgets who the opponents were; or logistic: Bradley-Terry, in log-odds"},
	{.name = "weight",.type = PARAM_CHOICE,.default_value = WEIGHT_FRAGS,
		.choices = weight_choices,
	.description = "pairs count by their frags, or all alike, as in the document"},
	{.name = "shrinkage",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e9,.unit = "frags",
	.description = "frags that are added to both sides of every pair, so that 1 : 0 says little"},
	{.name = "ridge",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "frags",
	.description = "pulls scores to 0 as a draw with somebody of score 0 would, of so many frags"},
	{.name = "suicides",.type = PARAM_CHOICE,.default_value = SUICIDES_IGNORE,
		.choices = suicide_choices,
	.description = "suicides are ignored; subtracted as a share of all frags of the player; or distributed as frags of the opponents"},
	{.name = "core_opponents",.type = PARAM_NUMBER,.default_value = 0,
		.min = 0,.max = 1e9,.unit = "players",
	.description = "only players with at least so many opponents in the core are scored"},
	{.name = "core_frags",.type = PARAM_NUMBER,.default_value = 1,
		.min = 0,.max = 1e9,.unit = "frags",
	.description = "where an opponent is somebody with at least so many frags in common"},
	{.name = "prior_deviation",.type = PARAM_NUMBER,.default_value = 2,
		.min = 0,.above_min = true,.max = 1e9,.unit = "log-odds",
	.description = "logistic: standard deviation of a Gaussian prior around 0"},
	{.name = "tolerance",.type = PARAM_NUMBER,.default_value = 1e-12,
		.min = 0,.above_min = true,.max = 1,
	.description = "relative residual at which the linear system is solved"},
	{.name = "memory",.type = PARAM_NUMBER,.default_value = 4096,
		.min = 1,.max = 1e9,.unit = "MB",
	.description = "most that the problem may take, which is known before it is made"},
};

const ParamSet frag_graph_params =
PARAM_SET("aggregate", "frag_scores", frag_graph_specs, FRAG_NPARAMS);

/* Vectors of numbers by player, carved out of the room. */
enum
{
	VECTOR_DIAGONAL,
	VECTOR_RIGHT,
	VECTOR_DIRECTION,
	VECTOR_PRODUCT,
	VECTOR_SCRATCH,
	NVECTORS
};

static double *
vector(const FragGraph *graph, int which)
{
	return (double *) graph->room + (size_t) which * (size_t) graph->nplayers;
}

/* Under method logistic: each pair as two duels, won and lost. */
static LogitShape
frag_shape(const FragGraph *graph)
{
	return (LogitShape)
	{
		.nrows = 2 * graph->nedges,.nentries = 4 * graph->nedges,.even = true
	};
}

size_t
frag_graph_room(const FragGraph *graph)
{
	size_t		n = (size_t) graph->nplayers;
	size_t		linear = NVECTORS * n * sizeof(double);

	/* Logistic: two rows for each pair, the solution and the solver's own. */
	if (graph->params[FRAG_METHOD].choice == FRAG_LOGISTIC)
		return linear + 2 * n * sizeof(double) + 16 +
			logit_rows_size(frag_shape(graph)) +
			logit_work_size(2 * graph->nedges, (uint32_t) n);
	return linear;
}

static double
common(const FragEdge *edge)
{
	return edge->ab + edge->ba;
}

/* The difference that a pair's frags call for, and how much they count. */
static double
difference(const FragGraph *graph, const FragEdge *edge)
{
	return (edge->ab - edge->ba) /
		(common(edge) + 2 * graph->params[FRAG_SHRINKAGE].number);
}

static double
weight(const FragGraph *graph, const FragEdge *edge)
{
	return graph->params[FRAG_WEIGHT].choice == WEIGHT_EQUAL ? 1 : common(edge);
}

/* Suicides as frags of the opponents, in proportion to frags in common. */
static void
distribute_suicides(FragGraph *graph)
{
	double	   *total = vector(graph, VECTOR_SCRATCH);
	size_t		e;

	memset(total, 0, (size_t) graph->nplayers * sizeof(double));
	for (e = 0; e < graph->nedges; e++)
	{
		total[graph->edge[e].a] += common(&graph->edge[e]);
		total[graph->edge[e].b] += common(&graph->edge[e]);
	}
	for (e = 0; e < graph->nedges; e++)
	{
		FragEdge   *edge = &graph->edge[e];
		double		share = common(edge);

		/* Total is not 0: the edge is one of its pairs. */
		edge->ab += graph->player[edge->b].suicides * share / total[edge->b];
		edge->ba += graph->player[edge->a].suicides * share / total[edge->a];
	}
}

/* Whether a pair makes its players opponents. */
static bool
counts(const FragGraph *graph, const FragEdge *edge)
{
	return common(edge) > 0 && common(edge) >= graph->params[FRAG_CORE_FRAGS].number;
}

/*
 * Leave out players with too few opponents, and again those who thereby have too few
 * of them, and put the edges of the core first.
 */
static void
thin(FragGraph *graph)
{
	double		least = graph->params[FRAG_CORE_OPPONENTS].number;
	bool		changed = true;
	int32_t		i;
	size_t		e;
	size_t		kept = 0;

	for (i = 0; i < graph->nplayers; i++)
		graph->player[i].in_core = true;

	/* Each pass takes at least one player out or is the last. */
	while (changed)
	{
		changed = false;
		for (i = 0; i < graph->nplayers; i++)
			graph->player[i].opponents = 0;
		for (e = 0; e < graph->nedges; e++)
		{
			const FragEdge *edge = &graph->edge[e];

			if (counts(graph, edge) && graph->player[edge->a].in_core &&
				graph->player[edge->b].in_core)
			{
				graph->player[edge->a].opponents++;
				graph->player[edge->b].opponents++;
			}
		}
		for (i = 0; i < graph->nplayers; i++)
			if (graph->player[i].in_core && graph->player[i].opponents < least)
			{
				graph->player[i].in_core = false;
				changed = true;
			}
		if (graph->interrupt != NULL)
			graph->interrupt();
	}
	for (e = 0; e < graph->nedges; e++)
	{
		FragEdge	edge = graph->edge[e];

		if (common(&edge) > 0 && graph->player[edge.a].in_core &&
			graph->player[edge.b].in_core)
		{
			graph->edge[e] = graph->edge[kept];
			graph->edge[kept++] = edge;
		}
	}
	graph->nedges = kept;
}

/* The scratch vector has room for a double for each player, and is free at this time. */
static void
find_components(FragGraph *graph)
{
	int32_t    *parent = (int32_t *) vector(graph, VECTOR_SCRATCH);
	size_t		e;
	int32_t		i;

	for (i = 0; i < graph->nplayers; i++)
		parent[i] = i;
	for (e = 0; e < graph->nedges; e++)
		union_join(parent, graph->edge[e].a, graph->edge[e].b);
	for (i = 0; i < graph->nplayers; i++)
		graph->player[i].component = union_find(parent, i);
}

/* The document's average: over those met, and the player itself. */
static void
average(FragGraph *graph)
{
	size_t		e;
	int32_t		i;
	double	   *met = vector(graph, VECTOR_SCRATCH);

	for (i = 0; i < graph->nplayers; i++)
		met[i] = 1;
	for (e = 0; e < graph->nedges; e++)
	{
		const FragEdge *edge = &graph->edge[e];
		double		y = difference(graph, edge);

		graph->player[edge->a].score += y;
		graph->player[edge->b].score -= y;
		met[edge->a]++;
		met[edge->b]++;
	}
	for (i = 0; i < graph->nplayers; i++)
		graph->player[i].score /= met[i];
	graph->converged = true;
}

/* The Laplacian of the graph, with the ridge, times a vector. */
static void
multiply(void *arg, const double *v, double *product)
{
	const FragGraph *graph = (const FragGraph *) arg;
	double		ridge = graph->params[FRAG_RIDGE].number;
	size_t		e;
	int32_t		i;

	for (i = 0; i < graph->nplayers; i++)
		product[i] = ridge * v[i];
	for (e = 0; e < graph->nedges; e++)
	{
		const FragEdge *edge = &graph->edge[e];
		double		flow = weight(graph, edge) * (v[edge->a] - v[edge->b]);

		/*
		 * In the order of the edges, which is fixed, so that the sums have
		 * the same bits in every run.
		 */
		product[edge->a] += flow;
		product[edge->b] -= flow;
	}
	if (graph->interrupt != NULL)
		graph->interrupt();
}

/* By its diagonal; who has met nobody stays at zero. */
static void
precondition(void *arg, const double *residual, double *z)
{
	FragGraph  *graph = (FragGraph *) arg;
	const double *diagonal = vector(graph, VECTOR_DIAGONAL);
	int32_t		i;

	for (i = 0; i < graph->nplayers; i++)
		z[i] = diagonal[i] > 0 ? residual[i] / diagonal[i] : 0;
}

/* Take the mean of each component out of a vector. */
static void
center(const FragGraph *graph, double *v)
{
	double	   *sum = vector(graph, VECTOR_SCRATCH);
	double	   *count = vector(graph, VECTOR_PRODUCT);
	int32_t		i;

	memset(sum, 0, (size_t) graph->nplayers * sizeof(double));
	memset(count, 0, (size_t) graph->nplayers * sizeof(double));
	for (i = 0; i < graph->nplayers; i++)
	{
		sum[graph->player[i].component] += v[i];
		count[graph->player[i].component]++;
	}
	for (i = 0; i < graph->nplayers; i++)
		v[i] -= sum[graph->player[i].component] / count[graph->player[i].component];
}

/* Weighted least squares, by conjugate gradients with the diagonal. */
static void
least_squares(FragGraph *graph)
{
	double	   *diagonal = vector(graph, VECTOR_DIAGONAL);
	double	   *residual = vector(graph, VECTOR_RIGHT);
	double	   *direction = vector(graph, VECTOR_DIRECTION);
	double	   *product = vector(graph, VECTOR_PRODUCT);
	double	   *score = vector(graph, VECTOR_SCRATCH);
	double		ridge = graph->params[FRAG_RIDGE].number;
	int32_t		n = graph->nplayers;
	LinearSystem system = {
		(uint32_t) n, graph, multiply, precondition, diagonal, direction, product
	};
	size_t		e;
	int32_t		i;

	for (i = 0; i < n; i++)
	{
		diagonal[i] = ridge;
		residual[i] = 0;
	}
	for (e = 0; e < graph->nedges; e++)
	{
		const FragEdge *edge = &graph->edge[e];
		double		w = weight(graph, edge);
		double		flow = w * difference(graph, edge);

		diagonal[edge->a] += w;
		diagonal[edge->b] += w;
		residual[edge->a] += flow;
		residual[edge->b] -= flow;
	}
	graph->iterations += conjugate_gradients(&system, residual, score,
											 graph->params[FRAG_TOLERANCE].number,
											 20 * n + 1000, &graph->converged);
	for (i = 0; i < n; i++)
		direction[i] = score[i];

	/*
	 * Without a ridge only differences are determined, and each component has
	 * a level of its own: that of mean 0.
	 */
	if (ridge == 0)
		center(graph, direction);
	for (i = 0; i < n; i++)
		graph->player[i].score = direction[i];
}

/*
 * What the scores do not explain: for each component the share of the weighted
 * squares, and from it the errors.
 */
static void
find_residuals(FragGraph *graph)
{
	double	   *missed = vector(graph, VECTOR_RIGHT);
	double	   *total = vector(graph, VECTOR_DIRECTION);
	double	   *freedom = vector(graph, VECTOR_PRODUCT);
	double	   *diagonal = vector(graph, VECTOR_DIAGONAL);
	size_t		e;
	int32_t		i;

	for (i = 0; i < graph->nplayers; i++)
		missed[i] = total[i] = freedom[i] = diagonal[i] = 0;
	for (i = 0; i < graph->nplayers; i++)
		freedom[graph->player[i].component] -= 1;
	for (e = 0; e < graph->nedges; e++)
	{
		const FragEdge *edge = &graph->edge[e];
		int32_t		component = graph->player[edge->a].component;
		double		w = weight(graph, edge);
		double		y = difference(graph, edge);
		double		error = y - (graph->player[edge->a].score -
								 graph->player[edge->b].score);

		missed[component] += w * error * error;
		total[component] += w * y * y;
		freedom[component] += 1;
		diagonal[edge->a] += w;
		diagonal[edge->b] += w;
	}
	for (i = 0; i < graph->nplayers; i++)
	{
		FragScore  *player = &graph->player[i];
		int32_t		c = player->component;

		/* Of m pairs among n players n - 1 numbers are fitted. */
		player->cyclic = total[c] > 0 ? missed[c] / total[c] : NAN;
		player->error = freedom[c] + 1 > 0 && diagonal[i] > 0 ?
			sqrt(missed[c] / (freedom[c] + 1) / diagonal[i]) : NAN;
	}
}

/* Bradley-Terry on the frags: y = tanh of half of the difference in log-odds. */
static void
logistic_scores(FragGraph *graph)
{
	size_t		n = (size_t) graph->nplayers;
	char	   *block = (char *) (vector(graph, 0) + NVECTORS * n);
	LogitProblem problem = {0};
	LogitResult result;
	double	   *x;
	size_t		nrows = 2 * graph->nedges;
	size_t		e;
	uint32_t	i;

	problem.n = (uint32_t) n;
	problem.prior.precision = (double *) block;
	x = problem.prior.precision + n;
	block += (2 * n * sizeof(double) + 15) / 16 * 16;
	logit_rows_init(&problem.rows, block, frag_shape(graph));
	block += logit_rows_size(frag_shape(graph));
	for (e = 0; e < nrows; e++)
	{
		const FragEdge *edge = &graph->edge[e / 2];

		logit_add_row(&problem.rows, e % 2, (e % 2 ? edge->ab : edge->ba) +
					  graph->params[FRAG_SHRINKAGE].number, 0);
		logit_add_entry(&problem.rows, (uint32_t) edge->a, 1, false);
		logit_add_entry(&problem.rows, (uint32_t) edge->b, 1, true);
	}
	for (i = 0; i < n; i++)
		problem.prior.precision[i] =
			1 / square(graph->params[FRAG_PRIOR_DEVIATION].number);

	/* The objective is strictly convex: there is one solution to find. */
	problem.options.max_iterations = 200;
	problem.options.tolerance = 1e-10;
	problem.options.interrupt = graph->interrupt;
	logit_work_init(&problem, block);
	logit_start(&problem, x);
	result = logit_solve(&problem, x);
	graph->converged = result.status == SOLVE_CONVERGED;
	graph->iterations = result.iterations;
	for (i = 0; i < n; i++)
	{
		graph->player[i].score = x[i];
		graph->player[i].error = 1 / sqrt(problem.work.diagonal[i]);
		graph->player[i].cyclic = NAN;
	}
}

void
frag_graph_solve(FragGraph *graph)
{
	int			suicides = graph->params[FRAG_SUICIDES].choice;
	size_t		e;
	int32_t		i;

	graph->iterations = 0;
	for (i = 0; i < graph->nplayers; i++)
	{
		FragScore  *player = &graph->player[i];

		player->frags = player->deaths = player->score = 0;
		player->error = player->cyclic = NAN;
	}
	for (e = 0; e < graph->nedges; e++)
	{
		const FragEdge *edge = &graph->edge[e];

		graph->player[edge->a].frags += edge->ab;
		graph->player[edge->a].deaths += edge->ba;
		graph->player[edge->b].frags += edge->ba;
		graph->player[edge->b].deaths += edge->ab;
	}
	if (suicides == SUICIDES_DISTRIBUTE)
		distribute_suicides(graph);
	thin(graph);
	find_components(graph);
	switch (graph->params[FRAG_METHOD].choice)
	{
		case FRAG_AVERAGE:
			average(graph);
			break;
		case FRAG_LOGISTIC:
			logistic_scores(graph);
			break;
		default:
			least_squares(graph);
			find_residuals(graph);
	}

	/* By all frags that the player had a part in. */
	if (suicides == SUICIDES_SUBTRACT)
		for (i = 0; i < graph->nplayers; i++)
		{
			FragScore  *player = &graph->player[i];

			if (player->suicides > 0)
				player->score -= player->suicides /
					(player->frags + player->deaths + player->suicides);
		}
}
