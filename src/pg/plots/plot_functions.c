/*
 * plot_functions.c
 *		Pictures of forecasts and of values, as SVG text.
 */
#include "pg/plots/svg.h"

#include <math.h>

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "core/evaluate/calibration.h"
#include "core/math/histogram.h"
#include "pg/sql/arrays.h"

/* A number in a sentence. */
static char *
number_text(const char *format, double number)
{
	return isfinite(number) ? psprintf(format, number) : pstrdup("unknown");
}

/*
 * ---- plot_calibration() ----
 */

/* A number of a composite, NaN for null. */
static double
number_attribute(HeapTupleHeader row, int attribute)
{
	bool		isnull;
	Datum		value = GetAttributeByNum(row, attribute, &isnull);

	return isnull ? get_float8_nan() : DatumGetFloat8(value);
}

static double
count_attribute(HeapTupleHeader row, int attribute)
{
	bool		isnull;
	Datum		value = GetAttributeByNum(row, attribute, &isnull);

	return isnull ? 0 : (double) DatumGetInt64(value);
}

/*
 * The attributes, from 1, of the types calibration and calibration_bin that are drawn.  The types
 * only ever get attributes behind these, so that numbers stay.
 */
enum
{
	DRAWN_FORECASTS = 1,
	DRAWN_BRIER_SCORE = 4,
	DRAWN_LOG_LOSS = 5,
	DRAWN_ECE = 10,
	DRAWN_INTERCEPT = 11,
	DRAWN_SLOPE = 13,
	DRAWN_SLOPE_ERROR = 14,
	DRAWN_Z = 15,
	DRAWN_BINS = 16,
	BIN_LOW = 1,
	BIN_HIGH,
	BIN_FORECASTS,
	BIN_PROBABILITY,
	BIN_OUTCOME
};

/* The bins of a calibration that are not null, and how many. */
static HeapTupleHeader *
calibration_bins(HeapTupleHeader row, int *nbins)
{
	bool		isnull;
	Datum		bins = GetAttributeByNum(row, DRAWN_BINS, &isnull);
	ArrayType  *array;
	HeapTupleHeader *bin;
	ArrayIterator elements;
	Datum		element;

	*nbins = 0;
	if (isnull)
		return NULL;
	array = DatumGetArrayTypeP(bins);

	/* Anybody can make a value of the type with an array of any size. */
	if (array_size(array) > CALIBRATION_MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a picture shows at most %d bins, not %d", CALIBRATION_MAX_BINS,
						array_size(array))));
	bin = palloc_array(HeapTupleHeader, array_size(array) + 1);
	elements = array_create_iterator(array, 0, NULL);
	while (array_iterate(elements, &element, &isnull))
		if (!isnull)
			bin[(*nbins)++] = DatumGetHeapTupleHeader(element);
	return bin;
}

static bool
is_share(double number)
{
	return number >= 0 && number <= 1;
}

/* The most forecasts of a bin, at least 1. */
static double
most_forecasts(HeapTupleHeader *bin, int nbins)
{
	double		most = 1;
	int			i;

	for (i = 0; i < nbins; i++)
		most = Max(most, count_attribute(bin[i], BIN_FORECASTS));
	return most;
}

/* How many forecasts a bin has, as a bar from below. */
static void
draw_bin_counts(Svg *svg, HeapTupleHeader *bin, int nbins)
{
	double		most = most_forecasts(bin, nbins);
	double		room = svg->area * 0.16;
	int			i;

	for (i = 0; i < nbins; i++)
	{
		double		low = number_attribute(bin[i], BIN_LOW);
		double		high = number_attribute(bin[i], BIN_HIGH);
		double		left = svg_x(svg, low) + 0.5;
		double		right = svg_x(svg, high) - 0.5;
		double		height = room * count_attribute(bin[i], BIN_FORECASTS) / most;

		if (height > 0 && is_share(low) && is_share(high))
			appendStringInfo(&svg->text,
							 "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
							 left, svg->height - svg->bottom - height,
							 Max(right - left, 0.5), height);
	}
}

/* A bin's frequency at its mean forecast, with two standard errors up and down. */
static void
draw_bin(Svg *svg, HeapTupleHeader bin)
{
	double		n = count_attribute(bin, BIN_FORECASTS);
	double		p = number_attribute(bin, BIN_PROBABILITY);
	double		y = number_attribute(bin, BIN_OUTCOME);
	double		error = 2 * calibration_bin_error(y, n);

	if (!(n > 0) || !is_share(p) || !is_share(y))
		return;
	appendStringInfo(&svg->text,
					 "<path class=\"line stroke c0\" d=\"M%.1f %.1fV%.1f\"/>"
					 "<circle class=\"fill c0\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">"
					 "<title>%.0f forecasts of %.3f, %.3f came true</title></circle>\n",
					 svg_x(svg, p), svg_y(svg, Max(y - error, 0)),
					 svg_y(svg, Min(y + error, 1)), svg_x(svg, p),
					 svg_y(svg, y), n, p, y);
}

/* The logistic recalibration as a line, where it is determined. */
static void
draw_recalibration(Svg *svg, double intercept, double slope)
{
	int			i;

	if (!isfinite(slope) || !isfinite(intercept))
		return;
	appendStringInfoString(&svg->text, "<path class=\"line stroke c1\" d=\"");
	for (i = 1; i < 100; i++)
	{
		double		p = i / 100.0;

		appendStringInfo(&svg->text, "%c%.1f %.1f", i == 1 ? 'M' : 'L',
						 svg_x(svg, p),
						 svg_y(svg, calibration_recalibrated(intercept, slope, p)));
	}
	appendStringInfoString(&svg->text, "\"/>\n");
}

/* What the picture of a calibration says below its data. */
static char *
calibration_footnote(HeapTupleHeader row, double most)
{
	double		intercept = number_attribute(row, DRAWN_INTERCEPT);
	double		slope = number_attribute(row, DRAWN_SLOPE);
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfo(&words, "Dots: bins, with two standard errors. Bars: forecasts in each, %.0f at most. Dashes: perfect forecasts.",
					 most);
	if (isfinite(slope) && isfinite(intercept))
		appendStringInfo(&words, " Solid line: recalibration with intercept %.3f and slope %.3f +- %s.",
						 intercept, slope,
						 number_text("%.3f", number_attribute(row, DRAWN_SLOPE_ERROR)));
	if (isfinite(number_attribute(row, DRAWN_Z)))
		appendStringInfo(&words, " z is %.2f.", number_attribute(row, DRAWN_Z));
	return words.data;
}

/* plot_calibration(calibration, title, x_title, y_title, width) */
SQL_FUNCTION(skillrating_plot_calibration)
{
	HeapTupleHeader row;
	Svg			svg = {.width = 500,.right = 24,.title = "Calibration",
		.x_title = "forecast probability",.y_title = "frequency",
	.x_min = 0,.x_max = 1,.y_min = 0,.y_max = 1};
	HeapTupleHeader *bin;
	int			nbins;
	int			i;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	row = PG_GETARG_HEAPTUPLEHEADER(0);
	bin = calibration_bins(row, &nbins);
	svg_arguments(fcinfo, 1, &svg);
	svg.area = svg.width * 0.78;
	svg.description = svg.note =
		psprintf("%.0f forecasts: Brier score %s, log loss %s, mean error %s",
				 count_attribute(row, DRAWN_FORECASTS),
				 number_text("%.4f", number_attribute(row, DRAWN_BRIER_SCORE)),
				 number_text("%.4f", number_attribute(row, DRAWN_LOG_LOSS)),
				 number_text("%.4f", number_attribute(row, DRAWN_ECE)));
	svg.footnote = calibration_footnote(row, most_forecasts(bin, nbins));

	svg_begin(&svg);
	svg_y_axis(&svg);
	svg_x_axis(&svg);
	draw_bin_counts(&svg, bin, nbins);
	appendStringInfo(&svg.text, "<path class=\"guide\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
					 svg_x(&svg, 0), svg_y(&svg, 0), svg_x(&svg, 1), svg_y(&svg, 1));
	draw_recalibration(&svg, number_attribute(row, DRAWN_INTERCEPT),
					   number_attribute(row, DRAWN_SLOPE));
	for (i = 0; i < nbins; i++)
		draw_bin(&svg, bin[i]);
	PG_RETURN_DATUM(svg_end(&svg));
}

/*
 * ---- plot_distribution() ----
 */

static int
compare_doubles(const void *a, const void *b, void *arg)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	(void) arg;
	return (x > y) - (x < y);
}

/* A line at a value, named on the side away from another one if there is room. */
static void
draw_marker(Svg *svg, double x, double other, double y, const char *class,
			const char *label)
{
	bool		left = svg_x(svg, x) > svg->left + 60 &&
		(x < other || svg_x(svg, x) > svg->width - svg->right - 60);

	appendStringInfo(&svg->text, "<path class=\"line stroke %s\" d=\"M%.1f %.1fV%.1f\"/>\n",
					 class, svg_x(svg, x), svg->top, svg->height - svg->bottom);
	svg_text(svg, svg_x(svg, x) + (left ? -5 : 5), y, left ? "end" : "", label);
}

/* The argument value without nulls, sorted. */
static double *
distribution_values(FunctionCallInfo fcinfo, int *n)
{
	ArrayType  *array = array_with_nulls_argument(fcinfo, 0, "value", -1);
	ArrayIterator elements = array_create_iterator(array, 0, NULL);
	double	   *value = huge_array(double, array_size(array));
	Datum		element;
	bool		isnull;

	*n = 0;
	while (array_iterate(elements, &element, &isnull))
		if (!isnull)
			value[(*n)++] = check_finite("value", DatumGetFloat8(element));
	qsort_interruptible(value, *n, sizeof(double), compare_doubles, NULL);
	return value;
}

static void
draw_bars(Svg *svg, const Histogram *histogram, const int *count)
{
	int			i;

	for (i = 0; i < histogram->bins; i++)
	{
		double		low = histogram->low + i * histogram->step;
		double		high = histogram->low + (i + 1) * histogram->step;
		double		left = svg_x(svg, low) + 0.5;
		double		right = svg_x(svg, high) - 0.5;

		if (count[i] > 0)
			appendStringInfo(&svg->text,
							 "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%d from %.6g to %.6g</title></rect>\n",
							 left, svg_y(svg, count[i]), Max(right - left, 0.5),
							 svg_y(svg, 0) - svg_y(svg, count[i]), count[i], low, high);
	}
}

/* plot_distribution(value, title, x_title, y_title, width) */
SQL_FUNCTION(skillrating_plot_distribution)
{
	Svg			svg = {.width = 620,.right = 20,.title = "Distribution",
	.x_title = "value",.y_title = "count"};
	Histogram	histogram;
	double	   *value;
	int		   *count;
	double		mean;
	double		median;
	double		deviation;
	int			n;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	value = distribution_values(fcinfo, &n);
	if (n == 0)
		PG_RETURN_NULL();
	svg_arguments(fcinfo, 1, &svg);
	svg.area = 75 + svg.width * 0.3;
	svg.x_min = value[0];
	svg.x_max = value[n - 1];
	svg_widen(&svg.x_min, &svg.x_max, 0);
	histogram = histogram_bins(value, n, svg.x_min, svg.x_max);
	svg.x_min = histogram.low;
	svg.x_max = histogram.low + histogram.bins * histogram.step;
	count = palloc0_array(int, histogram.bins);
	svg.y_max = 1.08 * histogram_count(&histogram, value, n, check_interrupts, count);
	mean = mean_and_deviation(value, n, check_interrupts, &deviation);
	median = sorted_quantile(value, n, 0.5);

	svg.description = svg.note =
		psprintf("%d values: mean %.5g, standard deviation %s, quartiles %.5g, %.5g and %.5g",
				 n, mean, number_text("%.4g", deviation),
				 sorted_quantile(value, n, 0.25), median, sorted_quantile(value, n, 0.75));
	svg_begin(&svg);
	svg_y_axis(&svg);
	svg_x_axis(&svg);
	draw_bars(&svg, &histogram, count);
	draw_marker(&svg, median, mean, svg.top + 12, "c0", "median");
	draw_marker(&svg, mean, median, svg.top + 28, "c1 s1", "mean");
	PG_RETURN_DATUM(svg_end(&svg));
}
