/*
 * svg.h
 *		Plots as SVG text: a frame with axes, to draw into.
 */
#ifndef PG_PLOTS_SVG_H
#define PG_PLOTS_SVG_H

#include "pg/sql/glue.h"

#include "datatype/timestamp.h"
#include "lib/stringinfo.h"

#include "core/util/axis.h"

/*
 * Classes c0 to c7 colour a stroke or a fill, s0 to s4 are styles of a line: the colours of all
 * series begin again with each style.
 */
#define SVG_COLORS 8
#define SVG_STYLES 5

/* What a picture says above and below its data, one line each or several. */
typedef struct SvgLines
{
	char	  **line;
	int			n;
} SvgLines;

/*
 * A plot in the making: the text, and where the data are drawn, in its units and
 * in the data's.  The caller sets the fields down to y_max before svg_begin(), which
 * makes room for the words and sets the others.
 */
typedef struct Svg
{
	double		width;
	double		area;			/* height of what the data are drawn in */
	double		right;			/* margin */
	const char *title;
	const char *description;	/* for screen readers */
	const char *note;			/* below the title, or NULL */
	const char *footnote;		/* below the horizontal axis, or NULL */
	const char *x_title;
	const char *y_title;
	double		x_min;
	double		x_max;
	double		y_min;
	double		y_max;
	StringInfoData text;
	double		height;
	double		left;
	double		top;
	double		bottom;
	AxisTicks	y_ticks;
} Svg;

/*
 * The arguments title, x_title, y_title and width, of which the first one is argument arg; a
 * null leaves what the field has.  Error 22003 for a width out of range.
 */
extern void svg_arguments(FunctionCallInfo fcinfo, int arg, Svg *svg);

/*
 * Begin a plot: size, words and margins.  Title and description are what a screen
 * reader says; the title is drawn as well, and so are those of the axes.
 */
extern void svg_begin(Svg *svg);

/*
 * Widen a range of the data by a share of it on either side.  One that is empty, or too
 * narrow for its numbers to be told apart, becomes wide enough to be drawn.  Error 54000
 * if it is too wide: what is drawn is in proportion to it, which would overflow.
 */
extern void svg_widen(double *min, double *max, double share);

/* Where a value of the data is drawn. */
extern double svg_x(const Svg *svg, double x);
extern double svg_y(const Svg *svg, double y);

/*
 * Grid lines and numbers, or times, along an axis, as many as have room.  The range is
 * one that svg_widen() has seen.
 */
extern void svg_x_axis(Svg *svg);
extern void svg_time_axis(Svg *svg);
extern void svg_y_axis(Svg *svg);

/* A text with what XML reserves escaped. */
extern void svg_escape(StringInfo out, const char *text);

/* Text at a place; class is one of those of the style sheet. */
extern void svg_text(Svg *svg, double x, double y, const char *class,
					 const char *text);

/* The finished text. */
extern Datum svg_end(Svg *svg);

#endif							/* PG_PLOTS_SVG_H */
