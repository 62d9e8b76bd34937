/*
 * svg.c
 *		Plots as SVG text.
 *
 * All colours are in a style sheet that knows light and dark, so that a plot
 * suits the page or the viewer that shows it.
 */
#include "pg/plots/svg.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/timestamp.h"

#include "core/util/extremes.h"

/*
 * Eight colours for each ground that people with any colour vision can tell apart, however
 * thin the line: test/sql/plot_colors.sql computes by how much.
 */
static const char style[] =
"<style>"
".sr{font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}"
".sr .ground{fill:#fff}.sr text{fill:#222}.sr .note{fill:#595959}"
".sr .title{font-size:15px;font-weight:600}"
".sr .end{text-anchor:end}.sr .middle{text-anchor:middle}"
".sr .grid{stroke:#e3e3e3}.sr .bar{fill:#9cc3e0}"
".sr .line{fill:none;stroke-width:1.8;stroke-linejoin:round}"
".sr .s1{stroke-dasharray:6 3}.sr .s2{stroke-dasharray:1.5 3}.sr .s3{stroke-dasharray:9 3 1.5 3}.sr .s4{stroke-dasharray:14 4}"
".sr .leader{fill:none;stroke-width:1;stroke-dasharray:1 2}.sr .band{opacity:.16}"
".sr .guide{fill:none;stroke:#767676;stroke-dasharray:4 4}"
".sr .c0.stroke{stroke:#050ce8}.sr .c0.fill{fill:#050ce8}.sr .c1.stroke{stroke:#ff3d19}.sr .c1.fill{fill:#ff3d19}"
".sr .c2.stroke{stroke:#2e3600}.sr .c2.fill{fill:#2e3600}.sr .c3.stroke{stroke:#067cff}.sr .c3.fill{fill:#067cff}"
".sr .c4.stroke{stroke:#640758}.sr .c4.fill{fill:#640758}.sr .c5.stroke{stroke:#889374}.sr .c5.fill{fill:#889374}"
".sr .c6.stroke{stroke:#b27a9c}.sr .c6.fill{fill:#b27a9c}.sr .c7.stroke{stroke:#6f5c55}.sr .c7.fill{fill:#6f5c55}"
"@media(prefers-color-scheme:dark){"
".sr .ground{fill:#16181c}.sr text{fill:#e8e8e8}.sr .note{fill:#a8adb5}"
".sr .grid{stroke:#2e323a}.sr .bar{fill:#2f6690}.sr .guide{stroke:#8b919b}"
".sr .band{opacity:.24}"
".sr .c0.stroke{stroke:#c2eb56}.sr .c0.fill{fill:#c2eb56}.sr .c1.stroke{stroke:#ffcfdc}.sr .c1.fill{fill:#ffcfdc}"
".sr .c2.stroke{stroke:#70ae87}.sr .c2.fill{fill:#70ae87}.sr .c3.stroke{stroke:#1353ff}.sr .c3.fill{fill:#1353ff}"
".sr .c4.stroke{stroke:#c60479}.sr .c4.fill{fill:#c60479}.sr .c5.stroke{stroke:#bb8700}.sr .c5.fill{fill:#bb8700}"
".sr .c6.stroke{stroke:#a593ba}.sr .c6.fill{fill:#a593ba}.sr .c7.stroke{stroke:#74663a}.sr .c7.fill{fill:#74663a}"
"}</style>";

/*
 * Ranges between these can be drawn: steps, which are shares of them, neither overflow
 * nor vanish.  A range also must not be too small a share of the numbers that it is
 * between.
 */
#define MAX_SPAN 1e305
#define MIN_SPAN 1e-290
#define MIN_SPAN_SHARE 1e-12

/* The narrowest and the widest picture. */
#define MIN_WIDTH 320
#define MAX_WIDTH 4000

/* What a character takes of a line, in words, numbers and titles; wide fonts fit too. */
#define TEXT_ADVANCE 6.4
#define TICK_ADVANCE 7.2
#define TITLE_ADVANCE 9.2

/* From one line of text, or of a title, to the next. */
#define TEXT_LEADING 16
#define TITLE_LEADING 19

/* From the edge to words above the data. */
#define EDGE 16

/*
 * The height that a tick of the vertical axis has for itself at least, the gap between
 * labels of the horizontal one, and the most steps there.
 */
#define TICK_HEIGHT 40
#define TICK_GAP 10
#define MAX_X_TICKS 8

/* An argument with words, which are escaped where they are written. */
static char *
words_argument(FunctionCallInfo fcinfo, int arg, const char *default_words)
{
	return PG_ARGISNULL(arg) ? pstrdup(default_words) :
		text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

void
svg_arguments(FunctionCallInfo fcinfo, int arg, Svg *svg)
{
	svg->title = words_argument(fcinfo, arg, svg->title);
	svg->x_title = words_argument(fcinfo, arg + 1, svg->x_title);
	svg->y_title = words_argument(fcinfo, arg + 2, svg->y_title);
	if (!PG_ARGISNULL(arg + 3))
		svg->width = check_range("width", PG_GETARG_INT32(arg + 3), MIN_WIDTH, MAX_WIDTH);
}

void
svg_escape(StringInfo out, const char *text)
{
	for (; *text; text++)
		switch (*text)
		{
			case '&':
				appendStringInfoString(out, "&amp;");
				break;
			case '<':
				appendStringInfoString(out, "&lt;");
				break;
			case '>':
				appendStringInfoString(out, "&gt;");
				break;
			case '"':
				appendStringInfoString(out, "&quot;");
				break;
			default:
				/* XML has no control characters. */
				appendStringInfoChar(out, (unsigned char) *text < ' ' ? ' ' : *text);
		}
}

void
svg_widen(double *min, double *max, double share)
{
	double		span = *max - *min;

	if (!(span <= MAX_SPAN))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("values from %g to %g are too far apart to be drawn",
						*min, *max),
				 errdetail("They can be up to %g apart.", MAX_SPAN)));

	/* Steps between such numbers would be lost in rounding. */
	if (!(span > MIN_SPAN && span > larger(fabs(*min), fabs(*max)) * MIN_SPAN_SHARE))
	{
		double		pad = Max(fabs(*max) * 0.01, 1);

		*min -= pad;
		*max += pad;
		return;
	}
	*min -= span * share;
	*max += span * share;
}

double
svg_x(const Svg *svg, double x)
{
	return svg->left + (x - svg->x_min) / (svg->x_max - svg->x_min) *
		(svg->width - svg->left - svg->right);
}

double
svg_y(const Svg *svg, double y)
{
	return svg->height - svg->bottom - (y - svg->y_min) / (svg->y_max - svg->y_min) *
		(svg->height - svg->top - svg->bottom);
}

void
svg_text(Svg *svg, double x, double y, const char *class, const char *text)
{
	appendStringInfo(&svg->text, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y,
					 class);
	svg_escape(&svg->text, text);
	appendStringInfoString(&svg->text, "</text>\n");
}

static void
grid_line(Svg *svg, double x1, double y1, double x2, double y2)
{
	appendStringInfo(&svg->text,
					 "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
					 x1, y1, x2, y2);
}

static void
x_tick(Svg *svg, double x, const char *label)
{
	grid_line(svg, svg_x(svg, x), svg->top, svg_x(svg, x),
			  svg->height - svg->bottom);
	svg_text(svg, svg_x(svg, x), svg->height - svg->bottom + 17, "note middle",
			 label);
}

/* A multiple of a step, without minus zero. */
static char *
tick_label(double value, double step)
{
	if (fabs(value) < step / 2)
		value = 0;
	return fabs(value) >= 1e7 || step < 1e-9 ? psprintf("%g", value) :
		psprintf("%.*f", axis_digits(step), value);
}

/* The room that a label of a length takes along the horizontal axis. */
static double
room_of(size_t length)
{
	return TICK_ADVANCE * length + TICK_GAP;
}

static double
tick_room(double value, double step)
{
	return room_of(strlen(tick_label(value, step)));
}

void
svg_x_axis(Svg *svg)
{
	AxisTicks	ticks = axis_across(svg->x_min, svg->x_max, svg->width - svg->left - svg->right,
									MAX_X_TICKS, room_of(3), tick_room);
	int			i;

	for (i = 0; i < ticks.n; i += ticks.stride)
	{
		double		x = ticks.first + i * ticks.step;

		x_tick(svg, x, tick_label(x, ticks.step));
	}
}

void
svg_y_axis(Svg *svg)
{
	const AxisTicks *ticks = &svg->y_ticks;
	int			i;

	for (i = 0; i < ticks->n; i++)
	{
		double		y = ticks->first + i * ticks->step;
		double		place = svg_y(svg, y);

		grid_line(svg, svg->left, place, svg->width - svg->right, place);
		svg_text(svg, svg->left - 6, place + 4, "note end", tick_label(y, ticks->step));
	}
}

/*
 * Break a text between words into lines of a width, each as long as it can be.  A word
 * that is longer has a line of its own.
 */
static SvgLines
svg_wrap(const char *text, double width, double advance)
{
	SvgLines	lines = {NULL, 0};
	char	   *word = pstrdup(text != NULL ? text : "");
	StringInfoData line;

	/* A line has two characters at least, or is the last one. */
	lines.line = huge_array(char *, strlen(word) / 2 + 1);
	initStringInfo(&line);
	while (*word)
	{
		size_t		length = strcspn(word, " ");
		char	   *next = word + length + strspn(word + length, " ");

		CHECK_FOR_INTERRUPTS();
		word[length] = '\0';
		if (line.len > 0 &&
			(pg_mbstrlen(line.data) + 1 + pg_mbstrlen(word)) * advance > width)
		{
			lines.line[lines.n++] = pstrdup(line.data);
			resetStringInfo(&line);
		}
		appendStringInfo(&line, "%s%s", line.len > 0 ? " " : "", word);
		word = next;
	}
	if (line.len > 0)
		lines.line[lines.n++] = line.data;
	return lines;
}

static void
svg_lines(Svg *svg, double x, double y, double leading, const char *class,
		  const SvgLines *lines)
{
	int			i;

	for (i = 0; i < lines->n; i++)
		svg_text(svg, x, y + i * leading, class, lines->line[i]);
}

void
svg_begin(Svg *svg)
{
	StringInfo	out = &svg->text;
	SvgLines	title = svg_wrap(svg->title, svg->width - 1.5 * EDGE, TITLE_ADVANCE);
	SvgLines	note = svg_wrap(svg->note, svg->width - 1.5 * EDGE, TEXT_ADVANCE);
	SvgLines	footnote = svg_wrap(svg->footnote, svg->width - 1.5 * EDGE, TEXT_ADVANCE);
	int			longest;
	double		middle;

	svg->top = 26 + title.n * TITLE_LEADING + note.n * TEXT_LEADING;
	svg->bottom = 50 + footnote.n * TEXT_LEADING;
	svg->height = svg->top + svg->area + svg->bottom;

	/* The left margin has the numbers of the vertical axis, and its title. */
	svg->y_ticks = axis_up(svg->y_min, svg->y_max, (int) Max(svg->area / TICK_HEIGHT, 2));
	longest = Max(strlen(tick_label(svg->y_ticks.first, svg->y_ticks.step)),
				  strlen(tick_label(axis_floor(svg->y_max, svg->y_ticks.step), svg->y_ticks.step)));
	svg->left = 34 + TICK_ADVANCE * longest;
	middle = svg->top + svg->area / 2;

	initStringInfo(out);
	appendStringInfo(out,
					 "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sr\" role=\"img\" "
					 "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
					 svg->width, svg->height, svg->width, svg->height);
	svg_escape(out, svg->title);
	appendStringInfoString(out, "</title>\n<desc>");
	svg_escape(out, psprintf("%s. Horizontal axis: %s. Vertical axis: %s.",
							 svg->description, svg->x_title, svg->y_title));
	appendStringInfo(out, "</desc>\n%s\n<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n",
					 style);
	svg_lines(svg, EDGE, 26, TITLE_LEADING, "title", &title);
	svg_lines(svg, EDGE, 25 + title.n * TITLE_LEADING, TEXT_LEADING, "note", &note);
	svg_lines(svg, EDGE, svg->height - svg->bottom + 60, TEXT_LEADING, "note", &footnote);
	svg_text(svg, (svg->left + svg->width - svg->right) / 2,
			 svg->height - svg->bottom + 38, "middle x-title", svg->x_title);
	appendStringInfo(out, "<text class=\"middle y-title\" transform=\"translate(18 %.1f) rotate(-90)\">",
					 middle);
	svg_escape(out, svg->y_title);
	appendStringInfoString(out, "</text>\n");
}

/*
 * ---- Times ----
 */

/* Steps between times, from the shortest; months count 30 days here. */
typedef struct TimeStep
{
	int			months;
	int			days;
	int64		microseconds;
	const char *format;			/* of to_char() */
	int			length;			/* of its labels */
} TimeStep;

static const TimeStep time_steps[] = {
	{0, 0, USECS_PER_SEC / 10, "HH24:MI:SS.FF1", 10},
	{0, 0, USECS_PER_SEC, "HH24:MI:SS", 8},
	{0, 0, 10 * USECS_PER_SEC, "HH24:MI:SS", 8},
	{0, 0, USECS_PER_MINUTE, "HH24:MI", 5},
	{0, 0, 10 * USECS_PER_MINUTE, "HH24:MI", 5},
	{0, 0, USECS_PER_HOUR, "HH24:MI", 5},
	{0, 0, 3 * USECS_PER_HOUR, "DD Mon HH24:MI", 12},
	{0, 0, 6 * USECS_PER_HOUR, "DD Mon HH24:MI", 12},
	{0, 0, 12 * USECS_PER_HOUR, "DD Mon HH24:MI", 12},
	{0, 1, 0, "DD Mon", 6},
	{0, 2, 0, "DD Mon", 6},
	{0, 7, 0, "DD Mon", 6},
	{0, 14, 0, "DD Mon", 6},
	{1, 0, 0, "Mon YYYY", 8},
	{3, 0, 0, "Mon YYYY", 8},
	{6, 0, 0, "Mon YYYY", 8},
	{12, 0, 0, "YYYY", 4},
	{24, 0, 0, "YYYY", 4},
	{60, 0, 0, "YYYY", 4},
	{120, 0, 0, "YYYY", 4},
	{240, 0, 0, "YYYY", 4},
	{600, 0, 0, "YYYY", 4},
	{1200, 0, 0, "YYYY", 4},
	{6000, 0, 0, "YYYY", 4},
	{12000, 0, 0, "YYYY", 4},
	{60000, 0, 0, "YYYY", 4},
	{120000, 0, 0, "YYYY", 4},
	{600000, 0, 0, "YYYY", 4}
};

static double
step_microseconds(const TimeStep *step)
{
	return (double) (step->months * 30 + step->days) * USECS_PER_DAY +
		step->microseconds;
}

/* The first tick at or before a time. */
static TimestampTz
first_tick(const TimeStep *step, TimestampTz at)
{
	struct pg_tm tm;
	fsec_t		fsec;
	int			tz;
	const char *zone;
	TimestampTz tick;

	if (step->microseconds > 0)
		return at - ((at % step->microseconds) + step->microseconds) %
			step->microseconds;
	if (timestamp2tm(at, &tz, &tm, &fsec, &zone, NULL) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range")));
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	if (step->months > 0)
	{
		int			month = tm.tm_year * 12 + tm.tm_mon - 1;

		month -= month % step->months;
		tm.tm_year = month / 12;
		tm.tm_mon = month % 12 + 1;
		tm.tm_mday = 1;
	}
	tz = DetermineTimeZoneOffset(&tm, session_timezone);
	if (tm2timestamp(&tm, 0, &tz, &tick) != 0)
		return at;
	return tick;
}

static TimestampTz
next_tick(const TimeStep *step, TimestampTz tick)
{
	Interval	interval;

	interval.month = step->months;
	interval.day = step->days;
	interval.time = step->microseconds;
	return DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
												   TimestampTzGetDatum(tick),
												   PointerGetDatum(&interval)));
}

static char *
time_label(const TimeStep *step, TimestampTz at)
{
	return TextDatumGetCString(DirectFunctionCall2Coll(timestamptz_to_char, DEFAULT_COLLATION_OID,
													   TimestampTzGetDatum(at),
													   CStringGetTextDatum(step->format)));
}

/* The ticks from first to last, at most AXIS_MAX_TICKS, and how many. */
static int
time_ticks(const TimeStep *step, double first, double last, TimestampTz *tick)
{
	TimestampTz at = first_tick(step, (TimestampTz) first);
	int			n = 0;

	while (at < first)
		at = next_tick(step, at);
	while (at <= last && n < AXIS_MAX_TICKS)
	{
		tick[n++] = at;

		/* The next one may be no timestamp; months vary by less than this. */
		if (at + 0.9 * step_microseconds(step) > last)
			break;
		at = next_tick(step, at);
	}
	return n;
}

void
svg_time_axis(Svg *svg)
{
	const TimeStep *step = time_steps;
	double		width = svg->width - svg->left - svg->right;

	/* A range that was widened may go beyond the times that there are. */
	double		first = larger(svg->x_min, (double) MIN_TIMESTAMP);
	double		last = smaller(svg->x_max, (double) END_TIMESTAMP);
	TimestampTz tick[AXIS_MAX_TICKS];
	int			stride;
	int			n;
	int			i;

	/* The shortest steps whose labels fit, or parts of them, by strides, if there are not two. */
	while (step < time_steps + lengthof(time_steps) - 1 &&
		   step_microseconds(step) * (int) larger(width / room_of(step->length), 1) <
		   svg->x_max - svg->x_min)
		step++;
	for (;; step--)
	{
		n = time_ticks(step, first, last, tick);
		stride = n == 0 ? 1 :
			axis_stride(svg_x(svg, (double) tick[n - 1]) - svg_x(svg, (double) tick[0]), n,
						room_of(step->length));
		if (n > stride || step == time_steps)
			break;
	}
	for (i = 0; i < n; i += stride)
		x_tick(svg, (double) tick[i], time_label(step, tick[i]));
}

Datum
svg_end(Svg *svg)
{
	appendStringInfoString(&svg->text, "</svg>\n");
	return PointerGetDatum(cstring_to_text_with_len(svg->text.data,
													svg->text.len));
}
