/*
 * period.c
 *		Rating periods: all games of one count from the states at its start.
 */
#include "core/rating/period.h"

#include <math.h>
#include <string.h>

#include "core/rating/model.h"
#include "core/util/extremes.h"

#define MICROSECONDS_PER_DAY INT64_C(86400000000)

/* Days since the epoch of Julian days, a Monday, before which there are no times. */
#define JULIAN_DAY_2000 2451545
#define JULIAN_DAY_2001 2451911
#define JULIAN_DAY_1970 2440588

/* A period of so many days is longer than all times together. */
#define MOST_DAYS 1e8

const char *const period_choices[] =
{"none", "day", "week", "month", "days", "tournament", NULL};
const char *const period_shown_choices[] = {"start", "so_far", NULL};

static int64_t
floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Months since January of the year 0, of the Gregorian calendar, of a Julian day. */
static int64_t
month_of(int64_t julian_day)
{
	/*
	 * Years are taken to begin in March, so that a leap day is the last of
	 * one, and come in cycles of 400 with 146097 days.
	 */
	int64_t		days = julian_day - JULIAN_DAY_1970 + 719468;
	int64_t		cycle = floor_divide(days, 146097);
	int64_t		day_of_cycle = days - cycle * 146097;
	int64_t		year = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 -
						day_of_cycle / 146096) / 365;
	int64_t		day_of_year = day_of_cycle - (365 * year + year / 4 - year / 100);

	/* Months from March on have 153 days in five. */
	return 12 * (400 * cycle + year) + (5 * day_of_year + 2) / 153 + 2;
}

/* The number, from 1 on, of the period of so many days. */
static double
number_of_days(int64_t at, double days)
{
	int64_t		length = llround(larger(smaller(days, MOST_DAYS) * MICROSECONDS_PER_DAY, 1));
	int64_t		since_2000 = (JULIAN_DAY_2001 - JULIAN_DAY_2000) * MICROSECONDS_PER_DAY;
	int64_t		first = -JULIAN_DAY_2000 * MICROSECONDS_PER_DAY;

	return (double) (floor_divide(at - since_2000, length) -
					 floor_divide(first - since_2000, length) + 1);
}

/* The number of the calendar period in which a time is. */
static double
calendar_number(PeriodKind kind, double days, int64_t at)
{
	int64_t		day = floor_divide(at, MICROSECONDS_PER_DAY) + JULIAN_DAY_2000;

	switch (kind)
	{
		case PERIOD_DAY:
			return (double) (day + 1);
		case PERIOD_WEEK:
			return (double) (floor_divide(day, 7) + 1);
		case PERIOD_MONTH:
			return (double) (month_of(day) - month_of(0) + 1);
		case PERIOD_DAYS:
			return number_of_days(at, days);
		case PERIOD_NONE:
		case PERIOD_TOURNAMENT:
			break;
	}
	return 0;
}

Period
period_of(const Model *model, const ParamValue *params, int64_t at, double tournament)
{
	Period		period = {0, 0};
	PeriodKind	kind;

	if (model->period == 0)
		return period;
	kind = params[model->period_param].choice;
	if (kind == PERIOD_TOURNAMENT)
		period.key = tournament;
	if (at == NEVER_PLAYED)
		return period;
	if (kind == PERIOD_TOURNAMENT)
		period.day = calendar_number(PERIOD_DAY, 0, at);
	else
		period.key = calendar_number(kind, params[model->period_param + 1].number, at);
	return period;
}

bool
periods_are_tournaments(const Model *model, const ParamValue *params)
{
	return model->period != 0 && params[model->period_param].choice == PERIOD_TOURNAMENT;
}

double
period_tournament_key(const char *name, size_t length)
{
	uint64_t	hash = UINT64_C(0xCBF29CE484222325);
	size_t		i;

	/* FNV-1a, whose high bits are mixed into the 52 that are kept. */
	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) name[i]) * UINT64_C(0x100000001B3);
	hash = (hash ^ (hash >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
	return (double) (hash >> 12) + 1;
}

/*
 * How many rating periods pass until the tournament of a day: the open one is one at least,
 * and a state that begins between tournaments has none.
 */
static double
tournament_periods(const ParamValue *params, const double *open, double day)
{
	double		least = open[PERIOD_KEY] != 0;

	if (open[PERIOD_BEGAN] == 0 || day == 0)
		return least;
	return larger(floor((day - open[PERIOD_BEGAN]) / params[1].number), least);
}

/* Close the open period, so many whole ones before the next one. */
static void
close_period(const Model *model, const ParamValue *params, double elapsed, double *state)
{
	double	   *open = state + model->period;

	model->close(params, state, elapsed);
	open[PERIOD_FIRST_SUM] = open[PERIOD_SECOND_SUM] = open[PERIOD_CHANGE] = 0;
}

void
period_begin(const Model *model, const ParamValue *params, int64_t at, double *state)
{
	Period		period = period_of(model, params, at, 0);
	double	   *open = state + model->period;

	if (model->period == 0 || open[PERIOD_KEY] != 0)
		return;
	open[PERIOD_KEY] = period.key;
	if (period.day != 0)
		open[PERIOD_BEGAN] = period.day;
}

void
period_turn(const Model *model, const ParamValue *params, Period period, double *state)
{
	double	   *open;

	if (model->period == 0 || period.key == 0)
		return;
	open = state + model->period;
	params += model->period_param;
	if (params->choice == PERIOD_TOURNAMENT)
	{
		if (period.key == open[PERIOD_KEY] || period.key == open[PERIOD_FORMER])
			return;
		if (open[PERIOD_KEY] != 0 || open[PERIOD_BEGAN] != 0)
			close_period(model, params - model->period_param,
						 tournament_periods(params, open, period.day), state);
		open[PERIOD_FORMER] = open[PERIOD_KEY];
		open[PERIOD_BEGAN] = period.day;
	}
	else
	{
		if (period.key <= open[PERIOD_KEY])
			return;
		if (open[PERIOD_KEY] != 0)
			close_period(model, params - model->period_param,
						 period.key - open[PERIOD_KEY], state);
	}
	open[PERIOD_KEY] = period.key;
}

void
period_add(const Model *model, const ParamValue *params, const double *before,
		   double first, double second, double *after)
{
	double	   *open = after + model->period;
	double		closed[MODEL_MAX_STATE];

	memcpy(after, before, model->nstate * sizeof(double));
	open[PERIOD_FIRST_SUM] += first;
	open[PERIOD_SECOND_SUM] += second;
	memcpy(closed, after, model->nstate * sizeof(double));
	model->close(params, closed, 1);
	open[PERIOD_CHANGE] = closed[0] - after[0];
}

void
period_settle(const Model *model, const ParamValue *params, double *state)
{
	if (model->period != 0)
		close_period(model, params, 0, state);
}
