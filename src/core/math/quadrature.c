/*
 * quadrature.c
 *		Numerical integration of functions with several values.
 */
#include <math.h>

#include "core/math/quadrature.h"
#include "core/util/extremes.h"

/* How often a piece may be halved, and how often that may be done in all. */
#define MAX_DEPTH		36
#define MAX_BISECTIONS	10000

const QuadratureNode gauss_legendre[GAUSS_LEGENDRE_HALF] = {
	{0.9972638618494815635449, 0.0070186100094700966004},
	{0.9856115115452683354001, 0.0162743947309056706051},
	{0.9647622555875064307738, 0.0253920653092620594557},
	{0.9349060759377396891709, 0.0342738629130214331026},
	{0.8963211557660521239653, 0.0428358980222266806568},
	{0.8493676137325699701336, 0.0509980592623761761961},
	{0.7944837959679424069630, 0.0586840934785355471452},
	{0.7321821187402896803874, 0.0658222227763618468376},
	{0.6630442669302152009751, 0.0723457941088485062253},
	{0.5877157572407623290407, 0.0781938957870703064717},
	{0.5068999089322293900237, 0.0833119242269467552221},
	{0.4213512761306353453641, 0.0876520930044038111427},
	{0.3318686022821276497799, 0.0911738786957638847128},
	{0.2392873622521370745446, 0.0938443990808045656391},
	{0.1444719615827964934851, 0.0956387200792748594190},
	{0.0483076656877383162348, 0.0965400885147278005667},
};

/* Kronrod's nodes from the outside in; every other one is Gauss's too. */
static const struct
{
	double		x;
	double		kronrod;
	double		gauss;			/* 0 where it is none of the nodes */
}			nodes[] = {
	{0.9914553711208126392069, 0.0229353220105292249637, 0},
	{0.9491079123427585245262, 0.0630920926299785532907, 0.1294849661688696932706},
	{0.8648644233597690727897, 0.1047900103222501838399, 0},
	{0.7415311855993944398639, 0.1406532597155259187452, 0.2797053914892766679015},
	{0.5860872354676911302941, 0.1690047266392679028266, 0},
	{0.4058451513773971669066, 0.1903505780647854099133, 0.3818300505051189449504},
	{0.2077849550078984676007, 0.2044329400752988924142, 0},
	{0, 0.2094821410847278280130, 0.4179591836734693877551},
};

#define NNODES ((int) (sizeof(nodes) / sizeof(nodes[0])))

/*
 * Kronrod's integrals over one piece into kronrod; returns the largest
 * difference from Gauss's.
 */
static double
integrate_piece(Integrand integrand, void *argument, int n,
				double a, double b, double *kronrod, double *gauss,
				double *value)
{
	double		middle = a + (b - a) / 2;
	double		half = (b - a) / 2;
	double		difference = 0;
	int			i,
				side,
				k;

	for (k = 0; k < n; k++)
		kronrod[k] = gauss[k] = 0;
	for (i = 0; i < NNODES; i++)
		for (side = -1; side <= (i == NNODES - 1 ? -1 : 1); side += 2)
		{
			integrand(argument, middle + side * half * nodes[i].x, value);
			for (k = 0; k < n; k++)
			{
				kronrod[k] += half * nodes[i].kronrod * value[k];
				gauss[k] += half * nodes[i].gauss * value[k];
			}
		}
	for (k = 0; k < n; k++)
		difference = larger(difference, fabs(kronrod[k] - gauss[k]));
	return difference;
}

bool
integrate(Integrand integrand, void *argument, int n,
		  const double *end, int nends, double tolerance,
		  double *result, double *work)
{
	double	   *kronrod = work;
	double	   *gauss = work + n;
	double	   *value = work + 2 * n;
	bool		agree = true;
	int			bisections = 0;
	int			i,
				k;

	for (k = 0; k < n; k++)
		result[k] = 0;
	for (i = 1; i < nends; i++)
	{
		/* The right ends of what is still to do, the leftmost on top. */
		double		todo[MAX_DEPTH + 1];
		int			depth[MAX_DEPTH + 1];
		int			pending = 1;
		double		left = end[i - 1];

		todo[0] = end[i];
		depth[0] = 0;
		while (pending > 0)
		{
			double		right = todo[pending - 1];
			int			level = depth[pending - 1];

			bool		exact = integrate_piece(integrand, argument, n, left, right,
												kronrod, gauss, value) <= tolerance;

			if (!exact && level < MAX_DEPTH && bisections < MAX_BISECTIONS)
			{
				bisections++;
				depth[pending - 1] = level + 1;
				todo[pending] = left + (right - left) / 2;
				depth[pending++] = level + 1;
				continue;
			}
			agree = agree && exact;
			for (k = 0; k < n; k++)
				result[k] += kronrod[k];
			left = right;
			pending--;
		}
	}
	for (k = 0; k < n; k++)
		agree = agree && isfinite(result[k]);
	return agree;
}
