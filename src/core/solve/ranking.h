/*
 * ranking.h
 *		The likelihood of a ranking, by the strengths of those who are ranked.
 *
 * R. D. Luce, "Individual Choice Behavior" (1959), and R. L. Plackett, "The analysis of
 * permutations", Applied Statistics 24 (1975): the first place goes to one of all in
 * proportion to e^strength, the second to one of the others, and so on; the last place
 * is no choice.
 *
 * Those who tie share their places, which is the approximation of B. Efron ("The
 * efficiency of Cox's likelihood function for censored data", Journal of the American
 * Statistical Association 72 (1977)): each of t takes each of t places with 1 / t of
 * the weight, and where m of these places are left each competes with m / t of
 * e^strength.  A draw of two is then half a win and half a loss.  The negative log
 * likelihood is convex, and it and its derivatives cost one step for each member.
 */
#ifndef CORE_SOLVE_RANKING_H
#define CORE_SOLVE_RANKING_H

/*
 * A ranking of n, best first, where those who tie have the same place.  The share of
 * one is e^strength in proportion to that of all who did no better.
 */
typedef struct Ranking
{
	int			n;
	const double *place;
	const double *share;
} Ranking;

/*
 * The shares of n with these places and strengths, into share; returns the negative log
 * likelihood.
 */
extern double ranking_shares(int n, const double *place, const double *strength,
							 double *share);

/*
 * The derivatives of the negative log likelihood by each strength, and the second
 * derivatives, from the shares.
 */
extern void ranking_derivatives(const Ranking *ranking, double *slope,
								double *curvature);

/* The matrix of second derivatives times v, from the shares. */
extern void ranking_multiply(const Ranking *ranking, const double *v,
							 double *product);

#endif							/* CORE_SOLVE_RANKING_H */
