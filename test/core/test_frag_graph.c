/*
 * test_frag_graph.c
 *		Scores from who killed whom how often.
 */
#include <stdlib.h>

#include "test.h"

#include "core/math/logistic.h"
#include "core/solve/frag_graph.h"

typedef struct Box
{
	FragGraph	graph;
	ParamValue	params[TEST_MAX_PARAMS];
	size_t		room;			/* for so many edges */
} Box;

static Box *
box_make(int32_t players, size_t room)
{
	Box		   *box = calloc(1, sizeof(Box));

	param_defaults(&frag_graph_params, box->params);
	box->graph.params = box->params;
	box->graph.nplayers = players;
	box->graph.player = calloc(players, sizeof(FragScore));
	box->graph.edge = calloc(room, sizeof(FragEdge));
	box->room = room;
	return box;
}

static void
box_free(Box *box)
{
	free(box->graph.player);
	free(box->graph.edge);
	free(box->graph.room);
	free(box);
}

static ParamValue *
box_param(Box *box, const char *name)
{
	int			i = param_find(&frag_graph_params, name);

	assert_true(i >= 0);
	return &box->params[i];
}

static void
box_pair(Box *box, int32_t a, int32_t b, double ab, double ba)
{
	assert_true(box->graph.nedges < box->room);
	box->graph.edge[box->graph.nedges++] = (FragEdge)
	{
		a, b, ab, ba
	};
}

static void
box_solve(Box *box)
{
	free(box->graph.room);
	box->graph.room = malloc(frag_graph_room(&box->graph));
	frag_graph_solve(&box->graph);
	assert_true(box->graph.converged);
}

/* Where everybody met everybody, least squares are the document's average. */
static void
test_complete_graph(void **state)
{
	Box		   *a = box_make(20, 400);
	Box		   *b = box_make(20, 400);
	Random		random = {2};
	int			i,
				j;

	(void) state;
	box_param(a, "shrinkage")->number = box_param(b, "shrinkage")->number = 0;
	box_param(a, "weight")->choice = box_param(b, "weight")->choice = 1;
	box_param(b, "method")->choice = FRAG_AVERAGE;
	for (i = 0; i < 20; i++)
		for (j = i + 1; j < 20; j++)
		{
			double		x = 1 + floor(random_between(&random, 0, 20));
			double		y = floor(random_between(&random, 0, 20));

			box_pair(a, i, j, x, y);
			box_pair(b, i, j, x, y);
		}
	box_solve(a);
	box_solve(b);
	for (i = 0; i < 20; i++)
		assert_near(a->graph.player[i].score, b->graph.player[i].score, 1e-12);
	box_free(a);
	box_free(b);
}

/* Each beats the next by 3 : 1; the average forgets who the opponents were. */
static void
test_chain(void **state)
{
	static const double averages[] = {0.25, 0, 0, 0, 0, -0.25};
	Box		   *box = box_make(6, 10);
	int			i;

	(void) state;
	box_param(box, "shrinkage")->number = 0;
	for (i = 0; i < 5; i++)
		box_pair(box, i, i + 1, 3, 1);
	box_solve(box);
	for (i = 0; i < 6; i++)
		assert_near(box->graph.player[i].score, 1.25 - 0.5 * i, 1e-12);
	assert_near(box->graph.player[0].cyclic, 0, 1e-20);
	box_param(box, "method")->choice = FRAG_AVERAGE;
	box_solve(box);
	for (i = 0; i < 6; i++)
		assert_near(box->graph.player[i].score, averages[i], 1e-15);
	box_free(box);
}

/* The normal equations hold, with weights, shrinkage and a ridge. */
static void
test_normal_equations(void **state)
{
	Box		   *box = box_make(200, 3000);
	Random		random = {3};
	double		sum[200] = {0};
	size_t		e;
	int			i;

	(void) state;
	box_param(box, "shrinkage")->number = 2;
	box_param(box, "ridge")->number = 0.5;
	for (i = 0; i < 2000; i++)
	{
		int32_t		a = (int32_t) random_between(&random, 0, 199);
		int32_t		b = a + 1 + (int32_t) random_between(&random, 0, 199 - a);

		box_pair(box, a, b, floor(random_between(&random, 0, 9)), 1);
	}
	box_solve(box);
	for (e = 0; e < box->graph.nedges; e++)
	{
		const FragEdge *edge = &box->graph.edge[e];
		double		n = edge->ab + edge->ba;
		double		miss = n * ((edge->ab - edge->ba) / (n + 4) -
								(box->graph.player[edge->a].score -
								 box->graph.player[edge->b].score));

		sum[edge->a] += miss;
		sum[edge->b] -= miss;
	}
	for (i = 0; i < 200; i++)
		assert_near(sum[i], 0.5 * box->graph.player[i].score, 1e-8);
	box_free(box);
}

/* Rock, paper, scissors: nobody is better, and nothing is explained. */
static void
test_cycle(void **state)
{
	Box		   *box = box_make(4, 10);
	int			i;

	(void) state;
	box_pair(box, 0, 1, 9, 1);
	box_pair(box, 1, 2, 9, 1);
	box_pair(box, 0, 2, 1, 9);
	box_solve(box);
	for (i = 0; i < 3; i++)
	{
		assert_near(box->graph.player[i].score, 0, 1e-12);
		assert_near(box->graph.player[i].cyclic, 1, 1e-12);
	}
	assert_true(isnan(box->graph.player[3].cyclic));
	box_free(box);
}

/*
 * Players who meet their like: least squares find who is good, the average does not.
 */
static void
test_matched_by_skill(void **state)
{
	enum
	{
		N = 2000
	};
	int			method;
	double		correlation[3];

	(void) state;
	for (method = 0; method < 3; method++)
	{
		Box		   *box = box_make(N, 20 * N);
		Random		random = {5};
		double		sxy = 0,
					sxx = 0,
					syy = 0;
		int			i,
					k,
					shot;

		/* Skill is the number; the near ones meet. */
		for (i = 0; i < N; i++)
			for (k = 1; k <= 10 && i + k * 7 < N; k++)
			{
				double		ab = 0;

				for (shot = 0; shot < 40; shot++)
					ab += random_between(&random, 0, 1) < logistic(-k * 7 / 200.0);
				box_pair(box, i, i + k * 7, ab, 40 - ab);
			}
		box_param(box, "method")->choice = method;
		box_solve(box);
		for (i = 0; i < N; i++)
		{
			double		x = i - (N - 1) / 2.0;
			double		y = box->graph.player[i].score;

			sxy += x * y;
			sxx += x * x;
			syy += y * y;
		}
		correlation[method] = sxy / sqrt(sxx * syy);
		box_free(box);
	}
	print_message("correlation with skill: least squares %.3f, average %.3f, logistic %.3f\n",
				  correlation[0], correlation[1], correlation[2]);
	assert_true(correlation[FRAG_LEAST_SQUARES] > 0.9);
	assert_true(correlation[FRAG_LOGISTIC] > 0.9);
	assert_true(fabs(correlation[FRAG_AVERAGE]) < 0.3);
}

/* Suicides three ways. */
static void
test_suicides(void **state)
{
	Box		   *box = box_make(3, 3);
	ParamValue *suicides = box_param(box, "suicides");
	double		ignored;

	(void) state;
	box_param(box, "shrinkage")->number = 0;
	box_pair(box, 0, 1, 6, 4);
	box_pair(box, 0, 2, 5, 5);
	box->graph.player[0].suicides = 4;
	box_solve(box);
	ignored = box->graph.player[0].score;
	suicides->choice = 1;
	box_solve(box);
	assert_near(box->graph.player[0].score, ignored - 4.0 / 24, 1e-12);
	suicides->choice = 2;
	box_solve(box);

	/* Half of the frags were with each: two more for both. */
	assert_near(box->graph.edge[0].ba, 6, 1e-12);
	assert_near(box->graph.edge[1].ba, 7, 1e-12);
	assert_near(box->graph.player[0].deaths, 9, 0);
	assert_true(box->graph.player[0].score < ignored);
	box_free(box);
}

/* Who has too few opponents falls out, and then who only had those. */
static void
test_core(void **state)
{
	Box		   *box = box_make(7, 20);
	int			i,
				j;

	(void) state;
	for (i = 0; i < 4; i++)
		for (j = i + 1; j < 4; j++)
			box_pair(box, i, j, 5, 5);
	box_pair(box, 3, 4, 5, 1);
	box_pair(box, 4, 5, 5, 1);
	box_pair(box, 2, 6, 1, 0);	/* one frag makes nobody an opponent */
	box_pair(box, 3, 6, 5, 1);
	box_pair(box, 1, 6, 5, 1);
	box_param(box, "core_opponents")->number = 3;
	box_param(box, "core_frags")->number = 2;
	box_solve(box);
	for (i = 0; i < 7; i++)
		assert_int_equal(box->graph.player[i].in_core, i < 4);
	assert_int_equal(box->graph.nedges, 6);
	box_free(box);
}

static void
test_components(void **state)
{
	Box		   *box = box_make(5, 5);

	(void) state;
	box_pair(box, 0, 1, 5, 1);
	box_pair(box, 2, 3, 5, 1);
	box_pair(box, 3, 4, 5, 1);
	box_solve(box);
	assert_int_equal(box->graph.player[0].component, box->graph.player[1].component);
	assert_int_equal(box->graph.player[2].component, box->graph.player[4].component);
	assert_true(box->graph.player[0].component != box->graph.player[2].component);
	assert_near(box->graph.player[0].score + box->graph.player[1].score, 0, 1e-15);
	assert_near(box->graph.player[2].score + box->graph.player[3].score +
				box->graph.player[4].score, 0, 1e-15);
	box_free(box);
}

/* Two players under the logistic link: the logarithm of their odds, shrunk. */
static void
test_logistic(void **state)
{
	Box		   *box = box_make(2, 1);
	double		distance;

	(void) state;
	box_param(box, "method")->choice = FRAG_LOGISTIC;
	box_param(box, "prior_deviation")->number = 1e6;
	box_param(box, "shrinkage")->number = 0.5;
	box_pair(box, 0, 1, 29.5, 9.5);
	box_solve(box);
	distance = box->graph.player[0].score - box->graph.player[1].score;
	assert_near(distance, log(3), 1e-8);
	assert_near(tanh(distance / 2), 0.5, 1e-8);
	box_free(box);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete_graph),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_normal_equations),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_matched_by_skill),
		cmocka_unit_test(test_suicides),
		cmocka_unit_test(test_core),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_logistic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
