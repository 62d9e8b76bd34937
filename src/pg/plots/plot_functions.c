/*
 * plot_functions.c
 *		Pictures of forecasts and of values, as SVG text.
 */
#include "pg/plots/svg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "core/evaluate/calibration.h"
#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/util/axis.h"
#include "pg/sql/arrays.h"

SKILLRATING_FUNCTION(skillrating_plot_calibration);
SKILLRATING_FUNCTION(skillrating_plot_distribution);

/* The most bins of a calibration, as many as calibration() makes. */
#define MAX_BINS CALIBRATION_MAX_BINS

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
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	*nbins = 0;
	if (isnull)
		return NULL;
	array = DatumGetArrayTypeP(bins);

	/* Anybody can make a value of the type with an array of any size. */
	if (array_size(array) > MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a picture shows at most %d bins, not %d", MAX_BINS,
						array_size(array))));
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &element, &null, &n);
	bin = palloc_array(HeapTupleHeader, n + 1);
	for (i = 0; i < n; i++)
		if (!null[i])
			bin[(*nbins)++] = DatumGetHeapTupleHeader(element[i]);
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
	double		error;

	if (!(n > 0) || !is_share(p) || !is_share(y))
		return;

	/* As after one more half win and half loss, so that 0 of 3 has an error. */
	error = 2 * sqrt((y * n + 0.5) / (n + 1) * (1 - (y * n + 0.5) / (n + 1)) / n);
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
						 svg_y(svg, logistic(intercept + slope * portable_log(p / (1 - p)))));
	}
	appendStringInfoString(&svg->text, "\"/>\n");
}

/* What the picture of a calibration says above its data. */
static char *
calibration_note(HeapTupleHeader row)
{
	return psprintf("%.0f forecasts: Brier score %s, log loss %s, mean error %s",
					count_attribute(row, DRAWN_FORECASTS),
					number_text("%.4f", number_attribute(row, DRAWN_BRIER_SCORE)),
					number_text("%.4f", number_attribute(row, DRAWN_LOG_LOSS)),
					number_text("%.4f", number_attribute(row, DRAWN_ECE)));
}

/* And below them. */
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
Datum
skillrating_plot_calibration(PG_FUNCTION_ARGS)
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
	svg.description = svg.note = calibration_note(row);
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

/* The quantile of sorted values, between two of them if need be. */
static double
quantile(const double *value, int n, double share)
{
	double		place = share * (n - 1);
	int			below = (int) place;

	if (below >= n - 1)
		return value[n - 1];
	return value[below] + (place - below) * (value[below + 1] - value[below]);
}

/*
 * The width of bins of sorted values in that range: of 1, 2 and 5 times powers of ten the
 * nearest, by ratio, to what Freedman and Diaconis (1981) advise, within limits.
 */
static double
bin_width(const double *value, int n, double range)
{
	double		width = 2 * (quantile(value, n, 0.75) - quantile(value, n, 0.25)) /
		portable_pow(n, 1.0 / 3);
	double		wide;
	double		narrow;

	/* More than half of the values are equal. */
	if (!(width > 0))
		width = range / 20;
	width = smaller(larger(width, range / 60), range / 8);
	wide = axis_step(width, 1);
	narrow = axis_step(wide / 2.5, 1);
	return width * width < narrow * wide ? narrow : wide;
}

/* Whether all values are multiples of a step. */
static bool
are_multiples(const double *value, int n, double step)
{
	int			i;

	for (i = 0; i < n; i++)
		if (!(fabs(value[i] / step - rint(value[i] / step)) < 1e-9))
			return false;
	return true;
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
	double	   *value;
	Datum	   *element;
	bool	   *null;
	int			total;
	int			i;

	deconstruct_array(array, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &element, &null, &total);
	value = huge_array(double, total);
	*n = 0;
	for (i = 0; i < total; i++)
		if (!null[i])
		{
			value[*n] = DatumGetFloat8(element[i]);
			check_finite("value", value[*n]);
			(*n)++;
		}
	qsort_interruptible(value, *n, sizeof(double), compare_doubles, NULL);
	return value;
}

/* The mean of values, and their standard deviation. */
static double
mean_and_deviation(const double *value, int n, double *deviation)
{
	double		mean = 0;
	double		squares = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		/*
		 * The updating formulas of Welford: one pass, and no cancellation of
		 * large sums of squares.
		 */
		double		part = value[i] - mean;

		CHECK_FOR_INTERRUPTS();
		mean += part / (i + 1);
		squares += part * (value[i] - mean);
	}
	*deviation = n > 1 ? sqrt(squares / (n - 1)) : 0.0;
	return mean;
}

/* Values counted in bins of equal width, which begin at the plot's x_min. */
typedef struct Histogram
{
	double		step;
	int			bins;
	int		   *count;
	int			most;
} Histogram;

/* Count sorted values; the plot's range becomes that of the bins. */
static Histogram
count_values(Svg *svg, const double *value, int n)
{
	Histogram	histogram = {0};
	int			i;

	svg->x_min = value[0];
	svg->x_max = value[n - 1];
	svg_widen(&svg->x_min, &svg->x_max, 0);

	histogram.step = bin_width(value, n, svg->x_max - svg->x_min);
	svg->x_min = axis_floor(svg->x_min, histogram.step);
	svg->x_max = axis_floor(svg->x_max, histogram.step) + histogram.step;

	/* Numbers such as counts stand in the middle of their bars. */
	if (are_multiples(value, n, histogram.step))
	{
		svg->x_min -= histogram.step / 2;
		svg->x_max -= histogram.step / 2;
	}
	histogram.bins = (int) Max(lround((svg->x_max - svg->x_min) / histogram.step), 1);
	histogram.count = palloc0_array(int, histogram.bins);
	for (i = 0; i < n; i++)
	{
		int			bin = (int) ((value[i] - svg->x_min) / histogram.step + 1e-9);

		CHECK_FOR_INTERRUPTS();
		bin = Min(Max(bin, 0), histogram.bins - 1);
		histogram.count[bin]++;
		histogram.most = Max(histogram.most, histogram.count[bin]);
	}
	return histogram;
}

static void
draw_bars(Svg *svg, const Histogram *histogram)
{
	int			i;

	for (i = 0; i < histogram->bins; i++)
	{
		double		low = svg->x_min + i * histogram->step;
		double		high = svg->x_min + (i + 1) * histogram->step;
		double		left = svg_x(svg, low) + 0.5;
		double		right = svg_x(svg, high) - 0.5;
		int			count = histogram->count[i];

		if (count > 0)
			appendStringInfo(&svg->text,
							 "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%d from %.6g to %.6g</title></rect>\n",
							 left, svg_y(svg, count), Max(right - left, 0.5),
							 svg_y(svg, 0) - svg_y(svg, count), count, low, high);
	}
}

/* plot_distribution(value, title, x_title, y_title, width) */
Datum
skillrating_plot_distribution(PG_FUNCTION_ARGS)
{
	Svg			svg = {.width = 620,.right = 20,.title = "Distribution",
	.x_title = "value",.y_title = "count"};
	Histogram	histogram;
	double	   *value;
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
	histogram = count_values(&svg, value, n);
	svg.y_max = histogram.most * 1.08;
	mean = mean_and_deviation(value, n, &deviation);
	median = quantile(value, n, 0.5);

	svg.description = svg.note =
		psprintf("%d values: mean %.5g, standard deviation %s, quartiles %.5g, %.5g and %.5g",
				 n, mean, number_text("%.4g", deviation),
				 quantile(value, n, 0.25), median, quantile(value, n, 0.75));
	svg_begin(&svg);
	svg_y_axis(&svg);
	svg_x_axis(&svg);
	draw_bars(&svg, &histogram);
	draw_marker(&svg, median, mean, svg.top + 12, "c0", "median");
	draw_marker(&svg, mean, median, svg.top + 28, "c1 s1", "mean");
	PG_RETURN_DATUM(svg_end(&svg));
}
