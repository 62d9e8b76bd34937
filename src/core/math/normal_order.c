/*
 * normal_order.c
 *		The probability of an order of independent normal variables.
 *
 * Each condition is about two neighbours, so that the variables are a chain: from the
 * last one on, the probability of all conditions behind variable i is a function of its
 * value, and an integral of the density of variable i + 1 times its own function.
 * The integrand is kept as polynomials on panels, whose integrals up to any point are
 * known exactly.
 */
#include "core/math/normal_order.h"

#include <math.h>
#include <stddef.h>

#include "core/math/elementary.h"
#include "core/math/normal.h"
#include "core/math/quadrature.h"
#include "core/math/square.h"
#include "core/util/extremes.h"

/* Nodes of a panel, and so the number of its polynomial's coefficients. */
#define NODES (2 * GAUSS_LEGENDRE_HALF)

/* The most panels of a variable. */
#define MAX_PANELS 256

/*
 * How far from its likely place a variable is looked for, in deviations of its own
 * density, and in those of its place: behind a condition that is hard to meet lies a tail
 * that is exponential.
 */
#define REACH 12
#define PLACE_REACH 35

/* The widest panel, in deviations; and how much an exponent may change across one. */
#define PANEL_DEVIATIONS 2
#define PANEL_EXPONENT 8

/* A function of one variable and its integral, on panels of equal width. */
typedef struct Panels
{
	int			n;
	double		from;
	double		width;
	double		coefficient[MAX_PANELS][NODES]; /* of Legendre polynomials */
	double		whole[MAX_PANELS];	/* the integral over each, */
	double		before[MAX_PANELS + 1]; /* and up to it */
} Panels;

/* The integral over a panel up to a share of it, from 0 to 1. */
static double
panel_integral(const Panels *panels, int panel, double share)
{
	const double *coefficient = panels->coefficient[panel];
	double		x = 2 * share - 1;
	double		sum = coefficient[0] * (x + 1);
	double		last = 1;
	double		current = x;
	int			i;

	/* The integral of P_i is (P_(i+1) - P_(i-1)) / (2 i + 1). */
	for (i = 1; i < NODES; i++)
	{
		double		next = ((2 * i + 1) * x * current - i * last) / (i + 1);

		sum += coefficient[i] * (next - last) / (2 * i + 1);
		last = current;
		current = next;
	}
	return 0.5 * panels->width * sum;
}

/*
 * The integral between two points.  Whole panels are added up from within, so that a
 * little between two points far out is no difference of large numbers.
 */
static double
integral_between(const Panels *panels, double from, double to)
{
	double		begin = larger((from - panels->from) / panels->width, 0);
	double		end = smaller((to - panels->from) / panels->width, panels->n);
	int			first,
				last,
				p;
	double		sum = 0;

	if (!(begin < end))
		return 0;
	first = (int) begin;
	last = (int) end;
	if (first == last)
		return larger(panel_integral(panels, first, end - first) -
					  panel_integral(panels, first, begin - first), 0);
	if (begin == 0)
		sum = panels->before[last];
	else
	{
		sum = panels->whole[first] - panel_integral(panels, first, begin - first);
		for (p = first + 1; p < last; p++)
			sum += panels->whole[p];
	}
	if (last < panels->n)
		sum += panel_integral(panels, last, end - last);
	return larger(sum, 0);
}

/* A panel of a function from its values at the nodes, in ascending order. */
static void
fit_panel(Panels *panels, int panel, const double *value)
{
	double	   *coefficient = panels->coefficient[panel];
	int			i,
				j;

	for (i = 0; i < NODES; i++)
		coefficient[i] = 0;
	for (j = 0; j < NODES; j++)
	{
		const QuadratureNode *node =
			&gauss_legendre[j < GAUSS_LEGENDRE_HALF ? j : NODES - 1 - j];
		double		x = j < GAUSS_LEGENDRE_HALF ? -node->x : node->x;
		double		weighted = node->weight * value[j];
		double		last = 0;
		double		current = 1;

		for (i = 0; i < NODES; i++)
		{
			double		next = ((2 * i + 1) * x * current - i * last) / (i + 1);

			coefficient[i] += (i + 0.5) * weighted * current;
			last = current;
			current = next;
		}
	}

	/* What is left of a density is not negative. */
	panels->whole[panel] = larger(panels->width * coefficient[0], 0);
	panels->before[panel + 1] = panels->before[panel] + panels->whole[panel];
}

/* How wide panels may be, so that no density changes too much across one. */
static double
panel_width(const NormalOrderVariable *variable, int n)
{
	double		width = INFINITY;
	int			i;

	for (i = 0; i < n; i++)
	{
		const NormalOrderPlace *place = &variable[i].place;

		width = smaller(width, PANEL_DEVIATIONS * place->deviation);
		if (place->slope != 0)
			width = smaller(width, PANEL_EXPONENT / fabs(place->slope));
	}
	return width;
}

/* The panels for a variable, as yet without a function. */
static void
begin_panels(Panels *panels, const NormalOrderVariable *v, double width)
{
	const NormalOrderPlace *place = &v->place;
	double		reach = PLACE_REACH * place->deviation;

	if (v->tied == NULL)
		reach = smaller(reach, REACH * v->deviation);

	panels->n = (int) smaller(ceil(2 * reach / width), MAX_PANELS);
	panels->width = 2 * reach / panels->n;
	panels->from = place->mean - reach;
	panels->before[0] = 0;
}

/* The logarithm of a variable's density, without the factor of a normal one. */
static double
log_density(const NormalOrderVariable *v, double x)
{
	if (v->tied != NULL)
		return normal_tie_log_probability(v->tied, v->ntied, x);
	return -0.5 * square((x - v->mean) / v->deviation);
}

/* The same, relative to that at the likely place, which is top there. */
static double
log_relative_density(const NormalOrderVariable *v, double top, double x)
{
	double		likely = (v->place.mean - v->mean) / v->deviation;
	double		t = (x - v->mean) / v->deviation;

	if (v->tied != NULL)
		return log_density(v, x) - top;
	return 0.5 * (likely - t) * (likely + t);
}

/* What follows from the value of a variable for those behind it. */
static double
condition(const NormalOrderVariable *v, const Panels *behind, double x)
{
	return integral_between(behind, v->within ? x - v->margin : -INFINITY,
							v->within ? x + v->margin : x - v->margin);
}

double
normal_order_log_probability(const NormalOrderVariable *variable, int n, InterruptCheck check)
{
	Panels		room[2];
	double		width = panel_width(variable, n);
	double		result = 0;
	int			i;

	for (i = n - 1; i >= 0; i--)
	{
		const NormalOrderVariable *v = &variable[i];
		Panels	   *panels = &room[i % 2];
		const Panels *behind = &room[1 - i % 2];
		double		total = i < n - 1 ? behind->before[behind->n] : 1;
		double		top = log_density(v, v->place.mean);
		int			p,
					j;

		if (check != NULL)
			check();
		if (!(total > 0))
			return -INFINITY;
		result += portable_log(total);
		begin_panels(panels, v, width);
		for (p = 0; p < panels->n; p++)
		{
			double		value[NODES];

			for (j = 0; j < NODES; j++)
			{
				double		at = j < GAUSS_LEGENDRE_HALF ? -gauss_legendre[j].x :
					gauss_legendre[NODES - 1 - j].x;
				double		x = panels->from + panels->width * (p + 0.5 + 0.5 * at);

				value[j] = portable_exp(log_relative_density(v, top, x));
				if (i < n - 1)
					value[j] *= condition(v, behind, x) / total;
			}
			fit_panel(panels, p, value);
		}
		result += top;
		if (v->tied == NULL)
			result -= portable_log(v->deviation * sqrt(2 * M_PI));
	}
	if (!(room[0].before[room[0].n] > 0))
		return -INFINITY;
	return result + portable_log(room[0].before[room[0].n]);
}
