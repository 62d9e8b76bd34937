/*
 * spread.h
 *		Labels beside the places that they name, none upon another.
 */
#ifndef CORE_UTIL_SPREAD_H
#define CORE_UTIL_SPREAD_H

/* A place that is wanted, and the room of the spreading. */
typedef struct SpreadPlace
{
	double		place;
	int			number;			/* the caller's */
	int			first;
} SpreadPlace;

/*
 * Sort n places, equal ones in the order in which they come, and move them until they are at least
 * gap apart and between low and high, by the least sum of squared moves.  Where they do not fit, they
 * begin at low and end beyond high.
 *
 * Less i * gap, the places must not descend: an isotonic regression, which pooling adjacent
 * violators solves exactly, and whose bounded form is the free one within the bounds
 * (Barlow, Bartholomew, Bremner and Brunk, Statistical Inference under Order Restrictions,
 * 1972).
 */
extern void spread_places(SpreadPlace *place, int n, double gap, double low, double high);

#endif							/* CORE_UTIL_SPREAD_H */
