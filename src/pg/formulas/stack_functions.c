/*
 * stack_functions.c
 *		The window functions recalibrate() and stack().
 *
 * Rows that are equal under ORDER BY are one moment: all are forecast from what the rows
 * before them have taught, and their outcomes are learned together when the first row
 * behind them comes.  So a forecast depends on no outcome of its own moment or later.
 */
#include "pg/sql/aggregate.h"

#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/evaluate/stack.h"
#include "pg/sql/arrays.h"

/* The arguments. */
enum
{
	ARG_PROBABILITY,
	ARG_OUTCOME,
	ARG_WEIGHT,
	ARG_PLAYED_AT,
	ARG_DEVIATION,
	ARG_HALF_LIFE_MATCHES,
	ARG_HALF_LIFE_DAYS,
	ARG_SIDE,
	ARG_SIDE_DEVIATION
};

#define MAX_DEVIATION 100
#define MAX_HALF_LIFE 1e9
#define MAX_WEIGHT 1e6

/* By how much probabilities and shares may miss a sum of 1. */
#define MAX_EXCESS 1e-6

/* A partition: memory of the window. */
typedef struct StackPartition
{
	const char *function;		/* NULL before the first row */
	bool		stacks;			/* arrays: of models, or of their alternatives */
	StackRules	rules;			/* no models before the first forecast */
	double	   *state;			/* after the moments before */
	int64		as_of;			/* the last time in them, or NEVER_PLAYED */
	double	   *now;			/* at the time of the current row */
	MemoryContext moment;		/* of the outcomes, */
	LogisticOutcome *outcome;	/* which are these, */
	int			noutcomes;
	int			max_outcomes;
	int64		until;			/* and the last time of these */
} StackPartition;

/* What a row says. */
typedef struct StackRow
{
	double	   *probability;	/* of all models and alternatives; NULL for no
								 * forecast */
	int			models;
	int			alternatives;	/* 1 for an event that happens or not */
	double	   *outcome;		/* of all alternatives; NULL for none */
	double		weight;
	int			side;
	int64		at;				/* NEVER_PLAYED for no time */
} StackRow;

/* A parameter, which the first row of the partition gives: from 0 to max. */
static double
read_parameter(WindowObject window, int arg, const char *name, double max)
{
	bool		isnull;
	Datum		datum = WinGetFuncArgCurrent(window, arg, &isnull);

	if (isnull)
		report_null(name);
	return check_range(name, DatumGetFloat8(datum), 0, max);
}

static void
begin_partition(WindowObject window, const char *function, StackPartition *partition)
{
	StackRules *rules = &partition->rules;

	check_window(window, function);
	rules->deviation = read_parameter(window, ARG_DEVIATION, "deviation", MAX_DEVIATION);
	rules->half_life_matches = read_parameter(window, ARG_HALF_LIFE_MATCHES,
											  "half_life_matches", MAX_HALF_LIFE);
	rules->half_life_days = read_parameter(window, ARG_HALF_LIFE_DAYS, "half_life_days",
										   MAX_HALF_LIFE);
	rules->side_deviation = read_parameter(window, ARG_SIDE_DEVIATION, "side_deviation",
										   MAX_DEVIATION);
	partition->as_of = partition->until = NEVER_PLAYED;
	partition->moment = AllocSetContextCreate(GetMemoryChunkContext(partition),
											  "skillrating moment", ALLOCSET_SMALL_SIZES);
	partition->function = function;
}

/* With the first forecast it is known how many models there are. */
static void
begin_forecasts(StackPartition *partition, int models)
{
	MemoryContext context = GetMemoryChunkContext(partition);

	partition->rules.models = models;
	partition->state = huge_array_in(context, double, STACK_SIZE(models));
	partition->now = huge_array_in(context, double, STACK_SIZE(models));
	stack_init(&partition->rules, partition->state);
}

pg_noreturn static void
too_large(const StackPartition *partition)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("arguments of %s() are too large to compute with",
					partition->function),
			 errhint("Smaller weights and deviations help.")));
}

/* Learn the outcomes of the moment that is over. */
static void
end_moment(StackPartition *partition)
{
	if (partition->noutcomes == 0)
		return;
	if (!stack_age(&partition->rules, idle_seconds(partition->as_of, partition->until),
				   partition->state) ||
		!stack_learn(&partition->rules, partition->outcome, partition->noutcomes,
					 partition->state, check_interrupts))
		too_large(partition);
	partition->as_of = Max(partition->as_of, partition->until);
	partition->until = NEVER_PLAYED;
	partition->noutcomes = 0;
	MemoryContextReset(partition->moment);
}

/*
 * Probabilities or outcomes: a number, or an array of at most so many dimensions, whose sizes
 * become size[0] and size[1], 1 without.  NULL where one of them is null.
 */
static double *
read_numbers(WindowObject window, const StackPartition *partition, int arg, const char *name,
			 int dimensions, int *size)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, arg, &isnull);
	ArrayType  *array;
	double	   *number;
	int			n = 1;
	int			i;

	size[0] = size[1] = 1;
	if (isnull)
		return NULL;
	if (partition->stacks)
	{
		array = DatumGetArrayTypeP(value);
		n = array_size(array);
		if (n == 0)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("array %s must not be empty", name)));
		if (ARR_NDIM(array) > dimensions)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("array %s has %d dimensions, and not at most %d", name,
							ARR_NDIM(array), dimensions)));
		memcpy(size, ARR_DIMS(array), ARR_NDIM(array) * sizeof(int));
		if (ARR_HASNULL(array) && array_contains_nulls(array))
			return NULL;
		number = (double *) ARR_DATA_PTR(array);
	}
	else
	{
		number = palloc_object(double);
		*number = DatumGetFloat8(value);
	}
	for (i = 0; i < n; i++)
		check_probability(name, number[i]);
	return number;
}

static void
check_sum(const char *name, const double *number, int n)
{
	double		sum = 0;
	int			i;

	for (i = 0; i < n; i++)
		sum += number[i];
	if (fabs(sum - 1) > MAX_EXCESS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must add up to 1, not %g", name, sum)));
}

/*
 * The forecasts of a row: a number, or an array with one of each model, or with a row of
 * the probabilities of all alternatives for each model.
 */
static void
read_probabilities(WindowObject window, const StackPartition *partition, StackRow *row)
{
	int			size[2];
	int			i;

	row->probability = read_numbers(window, partition, ARG_PROBABILITY, "probability", 2, size);
	row->models = size[0];
	row->alternatives = size[1];
	if (row->models > STACK_MAX_MODELS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("stack() takes at most %d models, not %d", STACK_MAX_MODELS,
						row->models)));
	if (row->probability == NULL)
		return;
	if (partition->rules.models > 0 && row->models != partition->rules.models)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("row for stack() has forecasts of %d models, after rows with %d", row->models,
						partition->rules.models),
				 errhint("A model without a forecast for a row can have the one of another.")));
	for (i = 0; i < row->models && row->alternatives > 1; i++)
		check_sum("probabilities of alternatives", row->probability + i * row->alternatives,
				  row->alternatives);
}

/* The outcome of a row. */
static void
read_outcome(WindowObject window, const StackPartition *partition, StackRow *row)
{
	int			size[2];

	row->outcome = read_numbers(window, partition, ARG_OUTCOME, "outcome", 1, size);
	if (row->outcome == NULL)
		return;
	if (size[0] != row->alternatives)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array outcome has %d elements, not %d", size[0],
						row->alternatives),
				 errhint("There is one for each alternative that has a probability.")));
	if (row->alternatives > 1)
		check_sum("outcomes of alternatives", row->outcome, row->alternatives);
}

/* The other arguments that differ from row to row. */
static void
read_circumstances(WindowObject window, const StackPartition *partition, StackRow *row)
{
	bool		isnull;
	Datum		value = WinGetFuncArgCurrent(window, ARG_WEIGHT, &isnull);
	double		side = 0;

	row->weight = isnull ? 1 : check_range("weight", DatumGetFloat8(value), 0, MAX_WEIGHT);
	value = WinGetFuncArgCurrent(window, ARG_PLAYED_AT, &isnull);
	row->at = isnull ? NEVER_PLAYED : DatumGetTimestampTz(value);
	if (isnull && partition->rules.half_life_days > 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("played_at must not be null where half_life_days is above 0"),
				 errhint("half_life_matches counts rows instead of days.")));
	if (!isnull && TIMESTAMP_NOT_FINITE(row->at))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("played_at must be finite")));

	/* Among several alternatives none is a side. */
	if (row->alternatives == 1)
	{
		value = WinGetFuncArgCurrent(window, ARG_SIDE, &isnull);
		side = isnull ? 0 : DatumGetFloat8(value);
		if (!isnull && side != 1 && side != 2)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("side must be 1 or 2, not %g", side),
					 errhint("Leave it null where the sides do not differ.")));
	}
	row->side = (int) side;
}

/* Keep an outcome until the moment is over. */
static void
note_outcome(StackPartition *partition, const StackRow *row, const double *x)
{
	MemoryContext old = MemoryContextSwitchTo(partition->moment);
	int			nx = row->alternatives * STACK_COEFFICIENTS(row->models);
	double	   *kept = palloc_array(double, nx + row->alternatives);
	LogisticOutcome *outcome;

	memcpy(kept, x, nx * sizeof(double));
	memcpy(kept + nx, row->outcome, row->alternatives * sizeof(double));
	MemoryContextSwitchTo(old);
	if (partition->noutcomes == partition->max_outcomes)
	{
		memory_limit_reserve(partition->moment, 0);
		partition->max_outcomes = Max(16, 2 * partition->max_outcomes);
		huge_array_grow_in(GetMemoryChunkContext(partition), partition->outcome, LogisticOutcome,
						   partition->max_outcomes);
	}
	outcome = &partition->outcome[partition->noutcomes++];
	outcome->alternatives = row->alternatives;
	outcome->x = kept;
	outcome->y = kept + nx;
	outcome->weight = row->weight;
	if (row->at != NEVER_PLAYED)
		partition->until = Max(partition->until, row->at);
}

/* The partition, with all learned that the current row may know of. */
static StackPartition *
current_partition(WindowObject window, const char *function, bool stacks)
{
	StackPartition *partition = WinGetPartitionLocalMemory(window, sizeof(StackPartition));
	int64		row = WinGetCurrentPosition(window);

	if (partition->function == NULL)
	{
		partition->stacks = stacks;
		begin_partition(window, function, partition);
	}
	else if (!WinRowsArePeers(window, row - 1, row))
		end_moment(partition);

	/* Rows before can be forgotten. */
	WinSetMarkPosition(window, row);
	return partition;
}

/* Correct the forecast of the current row, and keep its outcome; NULL without a forecast. */
static double *
forecast_row(WindowObject window, StackPartition *partition, StackRow *row)
{
	double	   *result;
	double	   *x;

	read_probabilities(window, partition, row);
	if (row->probability == NULL)
		return NULL;
	read_outcome(window, partition, row);
	read_circumstances(window, partition, row);
	if (partition->rules.models == 0)
		begin_forecasts(partition, row->models);

	memcpy(partition->now, partition->state, STACK_SIZE(row->models) * sizeof(double));
	if (!stack_age(&partition->rules, idle_seconds(partition->as_of, row->at), partition->now))
		too_large(partition);
	x = palloc_array(double, row->alternatives * STACK_COEFFICIENTS(row->models));
	result = palloc_array(double, row->alternatives);
	stack_features(&partition->rules, row->probability, row->alternatives, row->side, x);
	stack_predict(&partition->rules, partition->now, row->probability, row->alternatives, x,
				  result);
	if (row->outcome != NULL && row->weight > 0)
		note_outcome(partition, row, x);
	return result;
}

/* recalibrate(probability, outcome, weight, ...) */
SQL_FUNCTION(skillrating_recalibrate)
{
	WindowObject window = PG_WINDOW_OBJECT();
	StackRow	row;
	double	   *result = forecast_row(window, current_partition(window, "recalibrate", false),
									  &row);

	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(result[0]);
}

/* stack(probability, outcome, weight, ...) */
SQL_FUNCTION(skillrating_stack)
{
	WindowObject window = PG_WINDOW_OBJECT();
	StackRow	row;
	double	   *result = forecast_row(window, current_partition(window, "stack", true), &row);

	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(float8_array(result, row.alternatives));
}
