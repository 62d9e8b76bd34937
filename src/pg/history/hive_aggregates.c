/*
 * hive_aggregates.c
 *		The Hive model: hive_weight(), and over the players of one match the aggregates
 *		hive_win_probability() and hive_update().
 *
 * The rows of a group are a match of a rater, which is rated in the end from the states that the
 * rows give, so that the numbers are those of rate() to the bit.  All of it lives in the memory of
 * the aggregate.
 */
#include "pg/sql/aggregate.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "core/models/hive.h"
#include "pg/history/options.h"
#include "pg/matches/inputs.h"
#include "pg/matches/rater.h"
#include "pg/sql/composite.h"

/* hive_weight(joined, left_at, median_round) */
SQL_FUNCTION(skillrating_hive_weight)
{
	float8		joined = check_not_negative("joined", PG_GETARG_FLOAT8(0));
	float8		left = PG_GETARG_FLOAT8(1);
	float8		median_round = check_positive("median_round", PG_GETARG_FLOAT8(2));

	check_finite("left_at", left);
	if (left < joined)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("left_at (%g) must not be before joined (%g)",
						left, joined),
				 errhint("Both are seconds from the start of the match.")));
	PG_RETURN_FLOAT8(hive_weight(joined, left, median_round));
}

/* The arguments of the transition functions, behind the state of the aggregate. */
enum
{
	WIN_ARG_STATE = 1,
	WIN_ARG_SIDE,
	WIN_ARG_INPUTS
};

enum
{
	UPDATE_ARG_PLAYER = 1,
	UPDATE_ARG_STATE,
	UPDATE_ARG_SIDE,
	UPDATE_ARG_SCORE,
	UPDATE_ARG_INPUTS,
	UPDATE_ARG_OPTIONS
};

/* The state of both aggregates. */
typedef struct HiveMatch
{
	OptionsState head;
	MemoryContext memory;
	Rater	   *rater;
	bool		mistaken;		/* a row makes no sense: the match does not
								 * count */
	TupleDesc	state_desc;
	TupleDesc	inputs_desc;
	Datum		values[INPUT_NSLOTS];	/* of the row being read */
	bool		nulls[INPUT_NSLOTS];
} HiveMatch;

/* Begin with the rules that options give. */
static HiveMatch *
begin_match(Oid player_type, const HistoryOptions *options)
{
	HiveMatch  *hive = palloc0_object(HiveMatch);

	hive->memory = CurrentMemoryContext;
	hive->rater = rater_create("hive", options->params, player_type, NULL, options->strict);
	hive->rater->match.times = TIMES_OPTIONAL;
	return hive;
}

/* The numbers of a hive_state, all finite; false, or an error where strict, if they are not. */
static bool
read_state(HiveMatch *hive, Datum composite, double *state)
{
	Datum		values[HIVE_NSTATE];
	bool		nulls[HIVE_NSTATE];
	int			i;

	composite_columns(composite, &hive->state_desc, hive->memory, HIVE_NSTATE, values, nulls);
	for (i = 0; i < HIVE_NSTATE; i++)
	{
		const char *name = hive->rater->batch->model->state[i].name;

		state[i] = nulls[i] ? NAN : DatumGetFloat8(values[i]);
		if (isfinite(state[i]))
			continue;
		if (hive->rater->match.tolerant)
			return false;
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s in a hive_state must not be null", name),
					 errhint("The function hive_state() fills in missing columns.")));
		check_finite(name, state[i]);
	}
	return true;
}

/* Begin a row with its inputs, but for those of which arguments take the place. */
static void
read_inputs(HiveMatch *hive, FunctionCallInfo fcinfo, int arg)
{
	source_row_clear(hive->values, hive->nulls);
	if (PG_NARGS() > arg && !PG_ARGISNULL(arg))
		source_row_set_all(hive->values, hive->nulls, &hive->inputs_desc, hive->memory,
						   PG_GETARG_DATUM(arg));
	hive->nulls[SOURCE_TEAM_SCORE] = hive->nulls[SOURCE_PLAYER_SCORE] = hive->nulls[SOURCE_WON] = true;
}

static void
set_column(HiveMatch *hive, SourceColumn column, Datum value)
{
	hive->values[column] = value;
	hive->nulls[column] = false;
}

/*
 * Put the player of a row into the state that it has, in which no other row must have another; false,
 * or an error where strict, if one has.
 */
static bool
take_state(Rater *rater, Datum id, const double *state)
{
	BatchPlayer *player = batch_player(rater->batch, id, rater->match.pool);
	Size		size = HIVE_NSTATE * sizeof(double);

	if (player->exists && memcmp(player->state, state, size) != 0)
	{
		if (rater->match.tolerant)
			return false;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s has different states in one match",
						id_text(rater->match.player_type, id))));
	}
	memcpy(player->state, state, size);
	player->exists = true;
	return true;
}

/* Add the row to the match; false, or an error where strict, if it makes no sense. */
static bool
add_row(HiveMatch *hive, Datum composite, int32 side)
{
	SourceMatch *match = &hive->rater->match;
	double		state[HIVE_NSTATE];

	if (side != 1 && side != 2)
	{
		if (match->tolerant)
			return false;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("side must be 1 or 2, not %d", side)));
	}
	if (!read_state(hive, composite, state))
		return false;
	set_column(hive, SOURCE_TEAM, Int32GetDatum(side));
	set_column(hive, SOURCE_SIDE, Float8GetDatum(side));
	if (match->number == 0)
		rater_begin(hive->rater, hive->values, hive->nulls);
	return !rater_add(hive->rater, hive->values, hive->nulls) ||
		take_state(hive->rater, match->player_id[match->n - 1], state);
}

/* Rate the match of an aggregate; false if there is none, or it does not count. */
static bool
rate_match(HiveMatch *hive)
{
	if (hive == NULL || hive->mistaken || hive->rater->match.number == 0)
		return false;
	rater_rate(hive->rater);
	return hive->rater->verdict == VERDICT_RATE;
}

static void *
begin_win_probability(FunctionCallInfo fcinfo, Jsonb *given)
{
	HistoryOptions options = {.strict = true};

	(void) fcinfo;
	(void) given;
	return begin_match(INT4OID, &options);
}

/*
 * hive_win_probability(state, side, inputs)
 *
 * A row without state or side is not a player and does not count.
 */
SQL_FUNCTION(skillrating_hive_win_probability_transition)
{
	HiveMatch  *hive = options_state(fcinfo, "hive_win_probability", PG_NARGS(),
									 begin_win_probability);

	if (!PG_ARGISNULL(WIN_ARG_STATE) && !PG_ARGISNULL(WIN_ARG_SIDE))
	{
		read_inputs(hive, fcinfo, WIN_ARG_INPUTS);
		hive->nulls[SOURCE_UNRATED_REASON] = true;

		/* Nobody is the player of two rows, and any result will do. */
		set_column(hive, SOURCE_PLAYER_ID, Int32GetDatum(hive->rater->match.n + 1));
		set_column(hive, SOURCE_RANK, Float8GetDatum(1));
		(void) add_row(hive, PG_GETARG_DATUM(WIN_ARG_STATE), PG_GETARG_INT32(WIN_ARG_SIDE));
	}
	PG_RETURN_POINTER(hive);
}

SQL_FUNCTION(skillrating_hive_win_probability_final)
{
	HiveMatch  *hive = aggregate_state(fcinfo, "hive_win_probability");
	const MatchTeam *team;

	if (!rate_match(hive))
		PG_RETURN_NULL();
	team = hive->rater->batch->match.team;
	PG_RETURN_FLOAT8(team[team[0].number == 1 ? 0 : 1].win);
}

/* Whether a row has all arguments of hive_update(); an error where strict if it does not. */
static bool
check_arguments(FunctionCallInfo fcinfo, bool strict)
{
	static const char *const name[] = {
		[UPDATE_ARG_PLAYER] = "player_id",
		[UPDATE_ARG_STATE] = "state",
		[UPDATE_ARG_SIDE] = "side",
		[UPDATE_ARG_SCORE] = "score"
	};
	double		score;
	int			i;

	for (i = UPDATE_ARG_PLAYER; i <= UPDATE_ARG_SCORE; i++)
	{
		if (!PG_ARGISNULL(i))
			continue;
		if (strict)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not be null", name[i]),
					 errhint("Leave rows that are no players out with FILTER (WHERE ...).")));
		return false;
	}
	score = PG_GETARG_FLOAT8(UPDATE_ARG_SCORE);
	if (strict)
		check_probability("score", score);
	return score >= 0 && score <= 1;
}

static void *
begin_update(FunctionCallInfo fcinfo, Jsonb *given)
{
	HistoryOptions options = history_options("hive_update", &get_model("hive")->params,
											 OPTION_STRICT, given);

	return begin_match(get_fn_expr_argtype(fcinfo->flinfo, UPDATE_ARG_PLAYER), &options);
}

/* hive_update(player_id, state, side, score [, inputs, options]) */
SQL_FUNCTION(skillrating_hive_update_transition)
{
	HiveMatch  *hive = options_state(fcinfo, "hive_update", UPDATE_ARG_OPTIONS, begin_update);

	/* One mistake is enough; what else there is does not matter. */
	hive->mistaken = hive->mistaken ||
		!check_arguments(fcinfo, !hive->rater->match.tolerant);
	if (!hive->mistaken)
	{
		read_inputs(hive, fcinfo, UPDATE_ARG_INPUTS);
		set_column(hive, SOURCE_PLAYER_ID, PG_GETARG_DATUM(UPDATE_ARG_PLAYER));
		set_column(hive, SOURCE_TEAM_SCORE, PG_GETARG_DATUM(UPDATE_ARG_SCORE));
		hive->mistaken = !add_row(hive, PG_GETARG_DATUM(UPDATE_ARG_STATE),
								  PG_GETARG_INT32(UPDATE_ARG_SIDE));
	}
	PG_RETURN_POINTER(hive);
}

SQL_FUNCTION(skillrating_hive_update_final)
{
	HiveMatch  *hive = aggregate_state(fcinfo, "hive_update");
	SourceMatch *source;
	Batch	   *batch;
	RowArray	rows;
	int		   *place;
	bool	   *done;
	int			i,
				j;

	if (!rate_match(hive))
		PG_RETURN_NULL();
	source = &hive->rater->match;
	batch = hive->rater->batch;
	place = palloc_array(int, source->n);
	done = palloc0_array(bool, batch->match.nplayers);
	for (i = 0; i < source->n; i++)
		place[source->order[i]] = i;
	rows = row_array_make(fcinfo, batch->match.nplayers);
	for (i = 0; i < source->n; i++)
	{
		int			slot = source->participant[place[i]].player;
		const MatchPlayer *player = &batch->match.player[slot];
		ResultRow	row = {0};

		if (done[slot])
			continue;
		done[slot] = true;
		put_text(&row, id_text(source->player_type, source->player_id[place[i]]));
		for (j = 0; j < HIVE_NSTATE; j++)
			put_number(&row, player->after[j]);
		put_number(&row, player->gradient);
		put_number(&row, batch->match.team[player->team].win);
		row_array_add(&rows, &row);
	}
	return return_row_array(&rows);
}
