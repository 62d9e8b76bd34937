/*
 * period.h
 *		Rating periods: all games of one count from the states at its start.
 *
 * A model with periods has a variant (Model.variant) whose state holds an open period behind
 * the columns that the model always has: those stay as they were at the start, and the open
 * period has the sums of its games.  A match adds to the sums, so that the order of the games
 * of a period has no influence but for rounding.  period_turn() closes the period when a match
 * of another one comes, or a forecast: it is called wherever a state goes into a match.
 */
#ifndef CORE_RATING_PERIOD_H
#define CORE_RATING_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "core/rating/component.h"
#include "core/rating/params.h"

struct Model;

/* Choices of parameter period. */
typedef enum PeriodKind
{
	PERIOD_NONE,				/* every match is a period of its own */
	PERIOD_DAY,					/* of the calendar, in UTC */
	PERIOD_WEEK,				/* from Monday on */
	PERIOD_MONTH,
	PERIOD_DAYS,				/* period_days each, counted from Monday,
								 * 2001-01-01 */
	PERIOD_TOURNAMENT			/* as the match says */
} PeriodKind;

/* Choices of parameter period_shown. */
typedef enum PeriodShown
{
	PERIOD_SHOWN_START,
	PERIOD_SHOWN_SO_FAR
} PeriodShown;

extern const char *const period_choices[];
extern const char *const period_shown_choices[];

/* The period of a match or of a time: all zero if it is not known. */
typedef struct Period
{
	double		key;			/* at least 1: the number of a calendar
								 * period, or that of a tournament */
	double		day;			/* on which the match was played, at least 1,
								 * or 0 */
} Period;

/*
 * The three parameters of periods, which follow one another in this order.  The days of one
 * count under some kinds of periods; where they are the unit of growth, under PERIOD_UNIT.
 */
#define PERIOD_UNIT \
	(PARAM_VALUE(PERIOD_NONE) | PARAM_VALUE(PERIOD_DAYS) | PARAM_VALUE(PERIOD_TOURNAMENT))
#define PERIOD_NPARAMS 3
#define PERIOD_PARAMS(days, days_kinds, days_description) \
	{.name = "period",.type = PARAM_CHOICE,.default_value = PERIOD_NONE, \
		.choices = period_choices,.of_state = true, \
	.description = "rating period, of which all games count from the ratings at its start"}, \
	{.name = "period_days",.type = PARAM_NUMBER,.default_value = (days), \
		.min = 0,.above_min = true,.max = 1e9,.unit = "days", \
		.only_with = "period",.only_values = (days_kinds), \
	.description = (days_description)}, \
	{.name = "period_shown",.type = PARAM_CHOICE,.default_value = PERIOD_SHOWN_START, \
		.choices = period_shown_choices, \
		.only_with = "period",.only_values = ~PARAM_VALUE(PERIOD_NONE), \
	.description = "rating that is shown within a period"}

/* The first column of a variant with periods, of which what is shown need not be the rating. */
#define PERIOD_START_RATING \
	{.name = "start_rating",.min = -INFINITY, \
	.description = "rating in points at the start of the open period"}

/*
 * The columns of an open period, from Model.period on: two sums, whose names are the model's.
 * Those of tournaments alone come last.
 */
typedef enum PeriodColumn
{
	PERIOD_KEY,					/* or 0, before the first match */
	PERIOD_FIRST_SUM,
	PERIOD_SECOND_SUM,
	PERIOD_CHANGE,				/* of the rating, if the period ended now */
	PERIOD_NCOLUMNS,
	PERIOD_FORMER = PERIOD_NCOLUMNS,	/* the tournament before, or 0 */
	PERIOD_BEGAN,				/* the day of its first match; before any, that
								 * as of which the state is; or 0 */
	PERIOD_NTOURNAMENT_COLUMNS
} PeriodColumn;

#define PERIOD_COLUMNS(first_sum, first_description, second_sum, second_description) \
	{.name = "period",.min = 0,.role = ROLE_PERIOD, \
	.description = "number of the open rating period, 0 before the first"}, \
	{.name = (first_sum),.min = 0,.role = ROLE_PERIOD, \
	.description = (first_description)}, \
	{.name = (second_sum),.min = -INFINITY,.role = ROLE_PERIOD, \
	.description = (second_description)}, \
	{.name = "period_change",.min = -INFINITY,.role = ROLE_PERIOD, \
	.description = "change of the rating, if the period ended now"}
#define PERIOD_TOURNAMENT_COLUMNS \
	{.name = "period_former",.min = 0,.role = ROLE_PERIOD, \
	.description = "number of the tournament before, 0 if there is none"}, \
	{.name = "period_began",.min = 0,.role = ROLE_PERIOD, \
	.description = "day of the first match in the tournament, or before any that of the starting rating, by its Julian number, 0 if it is not known"}

/*
 * The period under a model and its parameters of a match at a time, in microseconds since
 * 2000-01-01 00:00 UTC or NEVER_PLAYED, in a tournament, a key or 0.  All zero under a model
 * without periods.
 */
extern Period period_of(const struct Model *model, const ParamValue *params,
						int64_t at, double tournament);

/* Whether periods are tournaments, so that no time tells them. */
extern bool periods_are_tournaments(const struct Model *model, const ParamValue *params);

/* The key of a tournament from its name: at least 1, and the same everywhere. */
extern double period_tournament_key(const char *name, size_t length);

/*
 * Let a state that knows no period begin in the one of a time, as of which it is, so that the
 * rest until the first match counts; tournaments count the days since.
 */
extern void period_begin(const struct Model *model, const ParamValue *params,
						 int64_t at, double *state);

/*
 * Bring a state to a period: close the open one unless it is the same, and let those pass in
 * which the player rested.  Nothing if the period is not known, or before the open one: a
 * game that is late counts in the open one.
 */
extern void period_turn(const struct Model *model, const ParamValue *params,
						Period period, double *state);

/*
 * Add a match to the sums of a player, whose state before is in the period of the match; the
 * state after is then complete.
 */
extern void period_add(const struct Model *model, const ParamValue *params,
					   const double *before, double first, double second, double *after);

/* Close the open period early, which then goes on from there: for operations on states. */
extern void period_settle(const struct Model *model, const ParamValue *params,
						  double *state);

/* The variant that parameters need, which begin with that of period. */
static inline const struct Model *
period_variant(const ParamValue *params, const struct Model *none,
			   const struct Model *calendar, const struct Model *tournaments)
{
	if (params->choice == PERIOD_NONE)
		return none;
	return params->choice == PERIOD_TOURNAMENT ? tournaments : calendar;
}

/* The coefficient of PERIOD_CHANGE in what is shown; params begin with that of period. */
static inline double
period_shown(const ParamValue *params)
{
	return params[2].choice == PERIOD_SHOWN_SO_FAR;
}

#endif							/* CORE_RATING_PERIOD_H */
