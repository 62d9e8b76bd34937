/*
 * frag_graph.h
 *		Scores from who killed whom how often: Becker's static ranking.
 *
 * M. Becker, "Ranking-Verfahren für 1st-person-shooter" (2001), and what is called
 * HodgeRank: X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, Mathematical Programming 127
 * (2011).
 */
#ifndef CORE_SOLVE_FRAG_GRAPH_H
#define CORE_SOLVE_FRAG_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "core/rating/params.h"
#include "core/solve/logit_solver.h"
#include "core/util/interrupt.h"

/* How often two players killed each other; a < b. */
typedef struct FragEdge
{
	int32_t		a;
	int32_t		b;
	double		ab;				/* a killed b */
	double		ba;
} FragEdge;

/* What is known and found of a player. */
typedef struct FragScore
{
	double		frags;
	double		deaths;
	double		suicides;
	int32_t		opponents;		/* of those who are in the core */
	bool		in_core;
	int32_t		component;		/* a player that this one is connected with */
	double		score;
	double		error;			/* standard error, or NaN */
	double		cyclic;			/* share of the component, NaN without */
} FragScore;

enum FragMethod
{
	FRAG_LEAST_SQUARES,
	FRAG_AVERAGE,
	FRAG_LOGISTIC
};

/* The parameters; SQL knows their owner as the aggregate frag_scores(). */
extern const ParamSet frag_graph_params;

typedef struct FragGraph
{
	FragEdge   *edge;
	size_t		nedges;
	FragScore  *player;
	int32_t		nplayers;
	const ParamValue *params;
	InterruptCheck interrupt;
	void	   *room;			/* frag_graph_room() bytes */

	/* Out: whether the scores are those sought, and what it took. */
	bool		converged;
	int			iterations;
} FragGraph;

/* The bytes that solving takes besides edges and players. */
extern size_t frag_graph_room(const FragGraph *graph);

/*
 * Score the players: frags and deaths are counted from the edges, suicides given;
 * edges with players outside of the core are put last.
 */
extern void frag_graph_solve(FragGraph *graph);

#endif							/* CORE_SOLVE_FRAG_GRAPH_H */
