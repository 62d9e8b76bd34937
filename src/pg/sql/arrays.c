/*
 * arrays.c
 *		Parallel arrays as arguments, and a match made of them.
 *
 * Arrays that are arguments are not copied unless TOAST takes it: pointers to their elements are
 * good for the length of the call.  The match and all of its arrays are allocated in the current
 * context, with room for one element where there are none, and belong to the caller.
 */
#include "pg/sql/arrays.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "pg/sql/composite.h"

/* Any lower bound is accepted: elements are counted from the first one. */
void
check_array(ArrayType *array, const char *name, int n, bool nulls)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array %s must have one dimension, not %d",
						name, ARR_NDIM(array))));
	if (n >= 0 && array_size(array) != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array %s has %d elements, not %d", name,
						array_size(array), n),
				 errhint("All arrays have the same number of elements.")));

	/*
	 * The flag alone may be a leftover of an array whose nulls were replaced.
	 */
	if (!nulls && ARR_HASNULL(array) && array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array %s must not contain nulls", name)));
}

ArrayType *
array_with_nulls_argument(FunctionCallInfo fcinfo, int arg, const char *name,
						  int n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);

	check_array(array, name, n, true);
	return array;
}

Datum
text_array(const char *const *strings, int n)
{
	Datum	   *elements = huge_array(Datum, n);
	Datum		array;
	int			i;

	for (i = 0; i < n; i++)
		elements[i] = CStringGetTextDatum(strings[i]);
	array = PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT));
	for (i = 0; i < n; i++)
		pfree(DatumGetPointer(elements[i]));
	pfree(elements);
	return array;
}

ArrayType *
number_array_make(Oid type, int n, int columns)
{
	int			ndim = columns > 0 ? 2 : 1;
	Size		size = ARR_OVERHEAD_NONULLS(ndim) + (Size) n * Max(columns, 1) * sizeof(float8);
	ArrayType  *array = (ArrayType *) palloc0_array(char, size);
	int			i;

	SET_VARSIZE(array, size);
	array->ndim = ndim;
	array->elemtype = type;
	for (i = 0; i < ndim; i++)
	{
		ARR_DIMS(array)[i] = i == 0 ? n : columns;
		ARR_LBOUND(array)[i] = 1;
	}
	return array;
}

ArrayType *
float8_array_make(int n)
{
	return number_array_make(FLOAT8OID, n, 0);
}

Datum
float8_array(const double *element, int n)
{
	ArrayType  *array = float8_array_make(n);

	memcpy(ARR_DATA_PTR(array), element, n * sizeof(float8));
	return PointerGetDatum(array);
}

ArrayType *
array_argument(FunctionCallInfo fcinfo, int arg, const char *name, int n)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);

	check_array(array, name, n, false);
	return array;
}

int
array_size(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

const float8 *
float8_array_argument(FunctionCallInfo fcinfo, int arg, const char *name,
					  int n)
{
	ArrayType  *array = array_argument(fcinfo, arg, name, n);

	return (const float8 *) ARR_DATA_PTR(array);
}

void
check_finite_elements(const char *name, const float8 *element, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		check_interrupts_at(i);
		if (isnan(element[i]) || isinf(element[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s must be finite, not %g", name, element[i]),
					 errdetail("It is element %d of the array.", i + 1)));
	}
}

bool
argument_is_null(FunctionCallInfo fcinfo, int but)
{
	int			i;

	for (i = 0; i < PG_NARGS(); i++)
		if (i != but && PG_ARGISNULL(i))
			return true;
	return false;
}

/*
 * The states before, as rows of the match's players: from arrays by column to one array by player,
 * which is how the core has them.
 */
static double *
states_before(FunctionCallInfo fcinfo, const Model *model, int arg, int n)
{
	double	   *before = palloc_array(double, (Size) n * model->nstate);
	int			i,
				j;

	for (j = 0; j < model->nstate; j++)
	{
		const StateSpec *spec = &model->state[j];
		const float8 *element = float8_array_argument(fcinfo, arg + j,
													  spec->name, n);

		check_finite_elements(spec->name, element, n);
		for (i = 0; i < n; i++)
		{
			/*
			 * Checked against the range of the model here: the core assumes
			 * valid states and does not check them again.
			 */
			if (!state_value_valid(spec, element[i]))
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("%s is out of range: %g", spec->name, element[i]),
						 errdetail("It is element %d of the array.", i + 1),
						 errhint("It must lie between %g and %g.",
								 Max(spec->min, -STATE_LIMIT), STATE_LIMIT)));
			before[i * model->nstate + j] = element[i];
		}
	}
	return before;
}

/* By team, and within a team in the order of the arrays. */
static int
compare_rows(const void *a, const void *b)
{
	const Participant *x = a;
	const Participant *y = b;

	if (x->team != y->team)
		return x->team < y->team ? -1 : 1;
	return x->player - y->player;
}

/* The rules of a model may read any of its parameters. */
static const ParamValue *
default_params(const Model *model)
{
	ParamValue *params = palloc_array(ParamValue, model->params.count);

	param_defaults(&model->params, params);
	return params;
}

Match *
match_from_arrays(FunctionCallInfo fcinfo, const Model *model,
				  const ParamValue *params, const MatchArguments *arguments)
{
	ArrayType  *teams = array_argument(fcinfo, arguments->team, "team", -1);
	const int32 *team = (const int32 *) ARR_DATA_PTR(teams);
	const float8 *rank = NULL;
	const float8 *weight = NULL;
	int			n = array_size(teams);
	int			room = Max(n, 1);
	Match	   *match = palloc0_object(Match);
	Participant *row;
	double	   *before;
	double	   *after;
	MatchStatus status;
	int			offender;
	int			i;

	if (n > MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, n, NULL);
	if (arguments->rank >= 0)
	{
		rank = float8_array_argument(fcinfo, arguments->rank, "rank", n);
		check_finite_elements("rank", rank, n);
	}
	if (arguments->weight >= 0 && !PG_ARGISNULL(arguments->weight))
	{
		weight = float8_array_argument(fcinfo, arguments->weight, "weight", n);
		check_finite_elements("weight", weight, n);
	}
	before = states_before(fcinfo, model, arguments->state, n);
	after = palloc_array(double, (Size) room * model->nstate);

	match->team = palloc_array(MatchTeam, room);
	match->player = palloc_array(MatchPlayer, room);
	match->entry = palloc_array(MatchEntry, room);
	match->nplayers = n;
	for (i = 0; i < n; i++)
	{
		match->player[i].before = before + i * model->nstate;
		match->player[i].after = after + i * model->nstate;
		match->player[i].games = 0;
	}

	/*
	 * match_build() takes rows by team, in an order that is total, so that
	 * sums are the same everywhere; errors name players by their place.
	 */
	row = palloc_array(Participant, room);
	for (i = 0; i < n; i++)
	{
		row[i] = participant_default;
		row[i].player = i;
		row[i].team = team[i];
		row[i].rank = rank ? rank[i] : 1;
		if (weight)
			row[i].weight = weight[i];
	}
	qsort(row, n, sizeof(Participant), compare_rows);

	if (params == NULL)
		params = default_params(model);
	status = match_build(&model->rules, params, row, n, match, &offender);
	match->interrupt = check_interrupts;
	if (status != MATCH_OK && !(status == MATCH_NO_PLAY_TIME && match->nteams == 2))
	{
		bool		whose = offender >= 0;

		report_match_status(status,
							match_status_value(status,
											   whose ? &row[offender] : NULL,
											   match),
							whose ? psprintf("%d", row[offender].player + 1) : NULL);
	}
	return match;
}

void
return_states_after(FunctionCallInfo fcinfo, const Model *model,
					const Match *match)
{
	int			i,
				j;

	for (i = 0; i < match->nplayers; i++)
	{
		const double *after = match->player[i].after;
		ResultRow	row = {0};

		if (!model_state_valid(model, after))
			report_match_status(MATCH_OVERFLOW, NAN, psprintf("%d", i + 1));
		put_int32(&row, i + 1);
		for (j = 0; j < model->nstate; j++)
			put_number(&row, after[j]);
		add_result_row(fcinfo, &row);
	}
}
