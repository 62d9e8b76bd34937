/*
 * plot_history.c
 *		Pictures of ratings over time, as SVG text.
 *
 * A player is a line with a name beside its end.  Eight colours, and then the same in other
 * styles of line, tell them apart.
 */
#include "pg/plots/svg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/timestamp.h"

#include "core/util/extremes.h"
#include "core/util/letter_width.h"
#include "core/util/spread.h"
#include "pg/sql/arrays.h"

/* The most lines that one picture can tell apart. */
#define MAX_SERIES (SVG_COLORS * SVG_STYLES)

/*
 * The widest name; its letters, of which ordinary ones advance by so much; from one name to
 * the next.  In front of names there is a sample of the line from SAMPLE_START to SAMPLE_END.
 */
#define MAX_NAME 180.8
#define NAME_SIZE 12
#define NAME_ADVANCE 7.2
#define NAME_LEADING 14
#define NAME_START 36
#define NAME_END 8
#define SAMPLE_START 9
#define SAMPLE_END 31

typedef struct Point
{
	int			series;
	double		x;
	double		y;
	double		deviation;		/* NaN if unknown */
	int			order;
} Point;

typedef struct Series
{
	char	   *name;
	int			first;			/* point, */
	int			n;				/* and how many */
	char	   *short_name;		/* as it is drawn, */
	double		label;			/* and at which height */
} Series;

static const Point *
last_point(const Series *series, const Point *point)
{
	return &point[series->first + series->n - 1];
}

static int
compare_points(const void *a, const void *b, void *arg)
{
	const Point *p = (const Point *) a;
	const Point *q = (const Point *) b;

	(void) arg;
	if (p->series != q->series)
		return p->series - q->series;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->order - q->order;
}

/* The series of that name, which may be new. */
static int
find_series(Series *series, int *nseries, const char *name)
{
	int			i;

	for (i = 0; i < *nseries; i++)

		/* A linear search over forty names at most. */
		if (strcmp(series[i].name, name) == 0)
			return i;
	if (*nseries == MAX_SERIES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a picture shows at most %d players", MAX_SERIES),
				 errhint("Choose some of them with FILTER (WHERE ...).")));
	series[i].name = pstrdup(name);
	series[i].n = 0;
	return (*nseries)++;
}

/* The arguments, of which only the last one may be null. */
enum
{
	ARG_PLAYER,
	ARG_AT,
	ARG_RATING,
	ARG_DEVIATION,
	ARG_NARRAYS
};

/* Their elements as points in order, without those that have no place. */
static Point *
history_points(FunctionCallInfo fcinfo, Series *series, int *nseries, int *n,
			   bool *times)
{
	static const char *const names[] = {"player_id", "at", "rating", "deviation"};
	Oid			type = ARR_ELEMTYPE(PG_GETARG_ARRAYTYPE_P(ARG_AT));
	ArrayIterator column[ARG_NARRAYS] = {NULL};
	Datum		value[ARG_NARRAYS];
	bool		null[ARG_NARRAYS] = {false, false, false, true};
	int			count = -1;
	Point	   *point;
	int			i;

	for (i = 0; i < ARG_NARRAYS && !PG_ARGISNULL(i); i++)
	{
		ArrayType  *array = array_with_nulls_argument(fcinfo, i, names[i], count);

		count = array_size(array);
		column[i] = array_create_iterator(array, 0, NULL);
	}
	*times = type == TIMESTAMPTZOID;
	if (!*times && type != FLOAT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("array at has elements of type %s", format_type_be(type)),
				 errhint("Cast it to timestamptz[] or double precision[].")));
	point = huge_array(Point, count);
	*n = 0;
	while (array_iterate(column[ARG_PLAYER], &value[ARG_PLAYER], &null[ARG_PLAYER]))
	{
		Point	   *p = &point[*n];

		CHECK_FOR_INTERRUPTS();
		for (i = ARG_AT; i < ARG_NARRAYS && column[i] != NULL; i++)
			(void) array_iterate(column[i], &value[i], &null[i]);

		/* Infinity has no place on an axis. */
		if (null[ARG_PLAYER] || null[ARG_AT] || null[ARG_RATING] ||
			(*times && TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(value[ARG_AT]))))
			continue;
		p->x = *times ? (double) DatumGetTimestampTz(value[ARG_AT]) :
			check_finite("at", DatumGetFloat8(value[ARG_AT]));
		p->y = check_finite("rating", DatumGetFloat8(value[ARG_RATING]));
		p->deviation = null[ARG_DEVIATION] ? get_float8_nan() :
			check_not_negative("deviation", DatumGetFloat8(value[ARG_DEVIATION]));
		p->series = find_series(series, nseries, TextDatumGetCString(value[ARG_PLAYER]));
		p->order = (*n)++;
	}
	qsort_interruptible(point, *n, sizeof(Point), compare_points, NULL);
	for (i = 0; i < *n; i++)
		if (series[point[i].series].n++ == 0)

			/* The points of a series stand together after the sort. */
			series[point[i].series].first = i;
	return point;
}

/*
 * A line through the points of a series.  Of points that fall into the same pixel
 * column those are enough that show how far it goes.
 */
static void
draw_series(Svg *svg, const Series *series, const Point *point, const char *class)
{
	int			i = 0;

	appendStringInfo(&svg->text, "<path class=\"line stroke %s\" d=\"", class);
	while (i < series->n)
	{
		double		x = svg_x(svg, point[i].x);
		double		first = point[i].y;
		double		least = first;
		double		most = first;
		double		last;
		int			from = i;

		/*
		 * The size of the picture depends on its width and not on the number
		 * of points.
		 */
		for (; i < series->n && svg_x(svg, point[i].x) < x + 1; i++)
		{
			least = Min(least, point[i].y);
			most = Max(most, point[i].y);
		}
		CHECK_FOR_INTERRUPTS();
		last = point[i - 1].y;
		appendStringInfo(&svg->text, "%c%.1f %.1f", from == 0 ? 'M' : 'L', x,
						 svg_y(svg, first));
		if (i - from > 2 && (least < Min(first, last) || most > Max(first, last)))
			appendStringInfo(&svg->text, "V%.1fV%.1f", svg_y(svg, least),
							 svg_y(svg, most));
		if (i - from > 1)
			appendStringInfo(&svg->text, "L%.1f %.1f",
							 svg_x(svg, point[i - 1].x), svg_y(svg, last));
	}
	appendStringInfoString(&svg->text, "\"/>\n");
}

/* Two deviations up and down, where they are known. */
static void
draw_band(Svg *svg, const Series *series, const Point *point, const char *class)
{
	StringInfoData back;
	char	   *sides[2];
	int			side;
	int			n = 0;
	int			i;

	for (side = 0; side < 2; side++)
	{
		double		last_x = -INFINITY;

		initStringInfo(&back);
		n = 0;
		for (i = 0; i < series->n; i++)
		{
			const Point *p = &point[side == 0 ? i : series->n - 1 - i];
			double		x = svg_x(svg, p->x);

			CHECK_FOR_INTERRUPTS();
			if (isnan(p->deviation) || (fabs(x - last_x) < 1 && i < series->n - 1))
				continue;
			appendStringInfo(&back, "%c%.1f %.1f", side == 0 && n == 0 ? 'M' : 'L', x,
							 svg_y(svg, p->y + (side == 0 ? 2 : -2) * p->deviation));
			last_x = x;
			n++;
		}
		sides[side] = back.data;
	}
	if (n > 0)
		appendStringInfo(&svg->text, "<path class=\"band fill %s\" d=\"%s%sZ\"/>\n",
						 class, sides[0], sides[1]);
}

/*
 * Put the names beside the ends of their lines, none upon another, moved as little as that
 * allows.
 */
static void
place_names(const Svg *svg, Series *series, int n, const Point *point)
{
	SpreadPlace place[MAX_SERIES];
	int			i;

	for (i = 0; i < n; i++)
	{
		place[i].place = svg_y(svg, last_point(&series[i], point)->y);
		place[i].number = i;
	}
	spread_places(place, n, NAME_LEADING, svg->top, svg->height - svg->bottom);
	for (i = 0; i < n; i++)
		series[place[i].number].label = place[i].place;
}

/*
 * The ranges of the points and, two deviations up and down, of their bands; returns whether there
 * are any.
 */
static bool
set_ranges(Svg *svg, const Point *point, int n)
{
	bool		has_bands = false;
	int			i;

	svg->x_min = svg->y_min = INFINITY;
	svg->x_max = svg->y_max = -INFINITY;
	for (i = 0; i < n; i++)
	{
		double		spread = isnan(point[i].deviation) ? 0 : 2 * point[i].deviation;

		has_bands |= !isnan(point[i].deviation);
		svg->x_min = Min(svg->x_min, point[i].x);
		svg->x_max = Max(svg->x_max, point[i].x);
		svg->y_min = Min(svg->y_min, point[i].y - spread);
		svg->y_max = Max(svg->y_max, point[i].y + spread);
	}
	svg_widen(&svg->x_min, &svg->x_max, 0);
	svg_widen(&svg->y_min, &svg->y_max, 0.04);
	return has_bands;
}

/*
 * The width of the character at the start of a text, in sixteenths of the font's size; marks that
 * combine have none.
 */
static int
character_width(const char *text)
{
	int			columns = pg_dsplen(text);

	if (columns == 0 || columns > 1)
		return columns == 0 ? 0 : TWO_COLUMNS_WIDTH;
	if (!IS_HIGHBIT_SET(*text))
		return letter_width((unsigned char) *text);
	return GetDatabaseEncoding() == PG_UTF8 ?
		letter_width(utf8_to_unicode((const unsigned char *) text)) : ELLIPSIS_WIDTH;
}

static int
text_width(const char *text)
{
	int			width = 0;

	for (; *text; text += pg_mblen(text))
		width += character_width(text);
	return width;
}

/* What a text takes where letters are ordinary ones, in columns of a terminal. */
static int
text_columns(const char *text)
{
	int			columns = 0;

	for (; *text; text += pg_mblen(text))
		columns += abs(pg_dsplen(text));
	return columns;
}

/*
 * A name of at most so many sixteenths: cut between two characters, each with the marks that
 * combine with it, and ended by an ellipsis.
 */
static char *
short_name(const char *name, int limit)
{
	bool		unicode = GetDatabaseEncoding() == PG_UTF8;
	const char *end = name;
	int			width = unicode ? ELLIPSIS_WIDTH : text_width("...");

	if (text_width(name) <= limit)
		return pstrdup(name);
	while (width + character_width(end) <= limit)
	{
		width += character_width(end);
		end += pg_mblen(end);
	}
	return psprintf("%.*s%s", (int) (end - name), name, unicode ? "\342\200\246" : "...");
}

/*
 * Names as they are drawn, cut where they would take more than two fifths of the picture;
 * the description has them as they are, with their last values.  Sets the right margin.
 */
static char *
name_series(Svg *svg, Series *series, int nseries, const Point *point, bool times)
{
	double		most = smaller(MAX_NAME, svg->width * 0.4 - NAME_START);
	double		longest = 0;
	StringInfoData description;
	int			i;

	initStringInfo(&description);
	appendStringInfo(&description, "Lines over %s and their last values: ",
					 times ? "time" : "matches");
	for (i = 0; i < nseries; i++)
	{
		appendStringInfo(&description, "%s%s %.6g", i > 0 ? ", " : "",
						 series[i].name, last_point(&series[i], point)->y);
		series[i].short_name = short_name(series[i].name, (int) (most * 16 / NAME_SIZE));
		longest = larger(longest, NAME_END + NAME_ADVANCE * text_columns(series[i].short_name));
		longest = larger(longest, text_width(series[i].short_name) * NAME_SIZE / 16.0);
	}
	longest = smaller(longest, most);
	svg->right = NAME_START + longest;
	return description.data;
}

/* A short piece of the line and its name; what stands apart from its end has a leader. */
static void
draw_name(Svg *svg, const Series *series, const Point *last, const char *class, int style)
{
	double		edge = svg->width - svg->right;
	double		x = svg_x(svg, last->x);
	double		y = svg_y(svg, last->y);

	if (fabs(series->label - y) >= 1 || edge - x >= 1)
		appendStringInfo(&svg->text,
						 "<path class=\"leader stroke %s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
						 class, x, y, edge + SAMPLE_START, series->label);
	appendStringInfo(&svg->text,
					 "<path class=\"line stroke %s s%d\" d=\"M%.1f %.1fH%.1f\"/>\n",
					 class, style, edge + SAMPLE_START, series->label, edge + SAMPLE_END);
	appendStringInfo(&svg->text, "<text x=\"%.1f\" y=\"%.1f\" class=\"name\">",
					 edge + NAME_START, series->label + 4);
	if (strcmp(series->name, series->short_name) != 0)
	{
		appendStringInfoString(&svg->text, "<title>");
		svg_escape(&svg->text, series->name);
		appendStringInfoString(&svg->text, "</title>");
	}
	svg_escape(&svg->text, series->short_name);
	appendStringInfoString(&svg->text, "</text>\n");
}

static void
draw_all_series(Svg *svg, const Series *series, int nseries, const Point *point)
{
	int			i;

	for (i = 0; i < nseries; i++)
		draw_band(svg, &series[i], &point[series[i].first],
				  psprintf("c%d", i % SVG_COLORS));
	for (i = 0; i < nseries; i++)
	{
		const Point *last = last_point(&series[i], point);
		char	   *class = psprintf("c%d", i % SVG_COLORS);
		int			style = i / SVG_COLORS;

		draw_series(svg, &series[i], &point[series[i].first], psprintf("%s s%d", class, style));
		appendStringInfo(&svg->text, "<circle class=\"fill %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
						 class, svg_x(svg, last->x), svg_y(svg, last->y));
		draw_name(svg, &series[i], last, class, style);
	}
}

/* plot_history(player_id, at, rating, deviation, title, x_title, y_title, width) */
SQL_FUNCTION(skillrating_plot_history)
{
	Svg			svg = {.width = 720,.title = "Ratings",.y_title = "rating"};
	Series		series[MAX_SERIES];
	int			nseries = 0;
	int			n;
	bool		times;
	Point	   *point;

	if (PG_ARGISNULL(ARG_PLAYER) || PG_ARGISNULL(ARG_AT) || PG_ARGISNULL(ARG_RATING))
		PG_RETURN_NULL();
	point = history_points(fcinfo, series, &nseries, &n, &times);
	if (n == 0)
		PG_RETURN_NULL();

	svg.x_title = times ? "time" : "matches";
	svg_arguments(fcinfo, ARG_NARRAYS, &svg);
	svg.area = larger(100 + svg.width * 5 / 18, nseries * NAME_LEADING);
	svg.description = name_series(&svg, series, nseries, point, times);
	svg.note = set_ranges(&svg, point, n) ? "Bands: two deviations up and down" : NULL;
	svg_begin(&svg);
	svg_y_axis(&svg);
	if (times)
		svg_time_axis(&svg);
	else
		svg_x_axis(&svg);
	place_names(&svg, series, nseries, point);
	draw_all_series(&svg, series, nseries, point);
	PG_RETURN_DATUM(svg_end(&svg));
}
