/*
 * match_functions.c
 *		What is called on a ladder directly, with the rights of the caller.
 */
#include "pg/sql/glue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "pg/ladder/apply.h"
#include "pg/ladder/match_reader.h"
#include "pg/ladder/states.h"
#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"

SKILLRATING_FUNCTION(skillrating_report_match);
SKILLRATING_FUNCTION(skillrating_preview);
SKILLRATING_FUNCTION(skillrating_source_columns);
SKILLRATING_FUNCTION(skillrating_ladder_types);

/* source_columns() */
Datum
skillrating_source_columns(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	for (i = 0; i < SOURCE_NCOLUMNS; i++)
	{
		const char *type;
		const char *needed;
		const char *description;
		Datum		values[4];
		bool		nulls[4] = {false};

		source_column_text(i, &type, &needed, &description);
		values[0] = CStringGetTextDatum(source_column_name(i));
		values[1] = CStringGetTextDatum(type);
		values[2] = CStringGetTextDatum(needed);
		values[3] = CStringGetTextDatum(description);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* ladder_types(ladder) */
Datum
skillrating_ladder_types(PG_FUNCTION_ARGS)
{
	Ladder	   *ladder;
	Datum		values[7];
	bool		nulls[7] = {false};
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext old;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 AccessShareLock);
	old = MemoryContextSwitchTo(caller);
	values[0] = CStringGetTextDatum(ladder->player_type->name);
	values[1] = CStringGetTextDatum(ladder->player_type->equals);
	values[2] = CStringGetTextDatum(ladder->player_type->order);
	values[3] = CStringGetTextDatum(ladder->match_type->name);
	values[4] = CStringGetTextDatum(ladder->match_type->equals);
	values[5] = CStringGetTextDatum(ladder->match_type->order);
	values[6] = CStringGetTextDatum(ladder->player_type->less);
	MemoryContextSwitchTo(old);
	SPI_finish();
	return return_row(fcinfo, values, nulls);
}

/* A match as arrays, one element a participant; in the order of the SQL. */
typedef struct MatchArrays
{
	Datum		match_id;		/* absent for a preview */
	bool		has_match_id;
	Datum		played_at;
	bool		has_played_at;
	Datum		pool;
	Datum		log_odds;
	Datum		gain;
	Datum		players;
	int			n;
	Datum		team;
	Datum		array[LADDER_NARRAYS];
	bool		has_array[LADDER_NARRAYS];
} MatchArrays;

/* An identifier of another type, through its text. */
static Datum
convert_id(IdType *id_type, Oid type, Datum value)
{
	Oid			function;
	bool		is_varlena;

	if (type == id_type->type)
		return value;
	getTypeOutputInfo(type, &function, &is_varlena);
	return InputFunctionCall(&id_type->input,
							 OidOutputFunctionCall(function, value),
							 id_type->input_param, -1);
}

static void
required_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

static void
players_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type,
				 MatchArrays *arrays)
{
	ArrayType  *array;
	Datum	   *element;
	bool	   *null;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			i;

	required_argument(fcinfo, arg, "players");
	array = array_argument(fcinfo, arg, "players", -1);
	arrays->n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (arrays->n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array players must not be empty")));
	if (arrays->n > MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, arrays->n, NULL);

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &element, &null, &arrays->n);
	for (i = 0; i < arrays->n; i++)
		element[i] = convert_id(id_type, ARR_ELEMTYPE(array), element[i]);
	arrays->players = id_array(id_type, element, arrays->n);
}

/* Optional arrays, from argument arg on. */
static void
optional_arrays(FunctionCallInfo fcinfo, int arg, LadderArray first,
				LadderArray last, MatchArrays *arrays)
{
	int			i;

	for (i = first; i <= (int) last; i++, arg++)
	{
		arrays->has_array[i] = !PG_ARGISNULL(arg);
		if (!arrays->has_array[i])
			continue;
		arrays->array[i] =
			PointerGetDatum(i >= ARRAY_SQUAD ?
							array_with_nulls_argument(fcinfo, arg,
													  ladder_array_name(i),
													  arrays->n) :
							array_argument(fcinfo, arg, ladder_array_name(i),
										   arrays->n));
	}
}

/* The arguments of the match that every function has in the same order. */
static void
match_arguments(FunctionCallInfo fcinfo, int arg, MatchArrays *arrays)
{
	arrays->pool = PG_ARGISNULL(arg) ? CStringGetTextDatum("") :
		PG_GETARG_DATUM(arg);
	arg++;
	arrays->log_odds = PG_ARGISNULL(arg) ? Float8GetDatum(0) :
		PG_GETARG_DATUM(arg);
	arg++;
	arrays->gain = PG_ARGISNULL(arg) ? Float8GetDatum(1) :
		PG_GETARG_DATUM(arg);
}

static void
copy_arrays(const MatchArrays *arrays, Datum *values, bool *nulls)
{
	int			i;

	for (i = 0; i < LADDER_NARRAYS; i++)
	{
		values[i] = arrays->array[i];
		nulls[i] = !arrays->has_array[i];
	}
}

static MatchReader *
read_arrays(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[7 + LADDER_NARRAYS];
	bool		nulls[7 + LADDER_NARRAYS] = {false};

	values[0] = arrays->match_id;
	nulls[0] = !arrays->has_match_id;
	values[1] = arrays->played_at;
	values[2] = arrays->pool;
	values[3] = arrays->log_odds;
	values[4] = arrays->gain;
	values[5] = arrays->players;
	values[6] = arrays->team;
	copy_arrays(arrays, values + 7, nulls + 7);
	return reader_open(ladder, QUERY_READ_ARRAYS, values, nulls);
}

/* Insert or update the row of a match; returns how many rows that were. */
static uint64
write_match(Ladder *ladder, LadderQuery query, const MatchArrays *arrays)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = arrays->match_id;
	values[1] = arrays->played_at;
	nulls[1] = !arrays->has_played_at;
	values[2] = arrays->pool;
	values[3] = arrays->log_odds;
	values[4] = arrays->gain;
	return ladder_execute(ladder, query, values, nulls, NULL);
}

static void
write_participants(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[3 + LADDER_NARRAYS];
	bool		nulls[3 + LADDER_NARRAYS] = {false};

	values[0] = arrays->match_id;
	values[1] = arrays->players;
	values[2] = arrays->team;
	copy_arrays(arrays, values + 3, nulls + 3);
	ladder_execute(ladder, QUERY_INSERT_PARTICIPANTS, values, nulls, NULL);
}

/*
 * Whether a match that is there already is what is reported; played_at is then
 * as stored if it was not given.
 */
static bool
is_same_match(Ladder *ladder, MatchArrays *arrays)
{
	Datum		values[1];
	MatchReader *stored;
	MatchReader *reported;
	bool		same;

	values[0] = id_array(ladder->match_type, &arrays->match_id, 1);
	stored = reader_open(ladder, QUERY_READ, values, NULL);
	if (!reader_next(stored))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("match %s of ladder \"%s\" exists and is not finished",
						id_text(ladder->match_type, arrays->match_id),
						ladder->name),
				 errhint("Complete its rows and set finished instead of reporting it.")));

	if (!arrays->has_played_at)
		arrays->played_at = TimestampTzGetDatum(stored->match.played_at);
	arrays->has_played_at = true;
	reported = read_arrays(ladder, arrays);
	same = reader_next(reported) &&
		reported->match.digest == stored->match.digest;
	reader_close(reported);
	reader_close(stored);
	return same;
}

/* Put other content into a match. */
static void
replace_match(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[1];

	values[0] = arrays->match_id;
	ladder_execute(ladder, QUERY_DELETE_PARTICIPANTS, values, NULL, NULL);
	write_match(ladder, QUERY_UPDATE_MATCH, arrays);
	write_participants(ladder, arrays);
	ereport(NOTICE,
			(errmsg("match %s of ladder \"%s\" was reported before with other content, which is replaced",
					id_text(ladder->match_type, arrays->match_id),
					ladder->name),
			 errhint("A rated match counts with the new content from the next skillrating.catch_up() on.")));
}

static Datum
state_array(const double *state, int nstate)
{
	Datum		element[MODEL_MAX_STATE];
	int			i;

	for (i = 0; i < nstate; i++)
		element[i] = Float8GetDatum(state[i]);
	return PointerGetDatum(construct_array(element, nstate, FLOAT8OID,
										   sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* One row for each player of a rated match, from its events. */
static void
return_events(FunctionCallInfo fcinfo, Ladder *ladder, int64 seq,
			  Datum players)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const Model *model = ladder->model;
	Datum		arguments[2];
	uint64		nrows;
	uint64		row;

	arguments[0] = Int64GetDatum(seq);
	arguments[1] = players;
	nrows = ladder_execute(ladder, QUERY_MATCH_EVENTS, arguments, NULL, NULL);
	for (row = 0; row < nrows; row++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[row];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		double		before[MODEL_MAX_STATE];
		double		after[MODEL_MAX_STATE];
		Datum		values[7];
		bool		nulls[7] = {false};
		bool		isnull;
		int			i;

		for (i = 0; i < model->nstate; i++)
		{
			before[i] = DatumGetFloat8(SPI_getbinval(tuple, desc,
													 EVENT_BEFORE(i), &isnull));
			after[i] = DatumGetFloat8(SPI_getbinval(tuple, desc,
													EVENT_AFTER(i), &isnull));
		}
		values[0] = CStringGetTextDatum(SPI_getvalue(tuple, desc, EVENT_PLAYER_ID));
		values[1] = Float8GetDatum(model_display(model, ladder->params, before));
		values[2] = Float8GetDatum(model_display(model, ladder->params, after));
		values[3] = SPI_getbinval(tuple, desc, EVENT_WIN_PROBABILITY, &nulls[3]);
		values[4] = SPI_getbinval(tuple, desc, EVENT_SCORE, &nulls[4]);
		values[5] = state_array(before, model->nstate);
		values[6] = state_array(after, model->nstate);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * report_match(ladder, match_id, players, team, rank, played_at, weight,
 *				joined, left, commanding, side, pool, log_odds, gain, score,
 *				squad, kills, deaths, quit, experience)
 */
Datum
skillrating_report_match(PG_FUNCTION_ARGS)
{
	MatchArrays arrays = {0};
	Ladder	   *ladder;
	LadderScope scope;
	Datum		values[1];
	bool		changed;
	bool		isnull;

	InitMaterializedSRF(fcinfo, 0);
	required_argument(fcinfo, 0, "ladder");
	required_argument(fcinfo, 1, "match_id");
	required_argument(fcinfo, 3, "team");
	if (PG_ARGISNULL(4) && PG_ARGISNULL(14))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("rank must not be null"),
				 errhint("Give the rank of each participant's team, or its score.")));

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 RowShareLock);
	ladder_enter(ladder, RIGHTS_OF_CALLER, &scope);
	if (!OidIsValid(get_relname_relid("match", ladder->schema)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("ladder \"%s\" has no table of matches of its own",
						ladder->name),
				 errhint("Its matches come from a source: insert them into the tables behind it.")));

	arrays.match_id = convert_id(ladder->match_type,
								 get_fn_expr_argtype(fcinfo->flinfo, 1),
								 PG_GETARG_DATUM(1));
	arrays.has_match_id = true;
	players_argument(fcinfo, 2, ladder->player_type, &arrays);
	arrays.team = PointerGetDatum(array_argument(fcinfo, 3, "team", arrays.n));
	optional_arrays(fcinfo, 4, ARRAY_RANK, ARRAY_RANK, &arrays);
	arrays.has_played_at = !PG_ARGISNULL(5);
	if (arrays.has_played_at)
		arrays.played_at = PG_GETARG_DATUM(5);
	optional_arrays(fcinfo, 6, ARRAY_WEIGHT, ARRAY_SIDE, &arrays);
	if (arrays.has_array[ARRAY_JOINED] && !arrays.has_array[ARRAY_LEFT])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("\"left\" must not be null where joined is given"),
				 errhint("A match that is reported is over.")));
	match_arguments(fcinfo, 11, &arrays);
	optional_arrays(fcinfo, 14, ARRAY_SCORE, ARRAY_EXPERIENCE, &arrays);

	changed = true;
	if (write_match(ladder, QUERY_INSERT_MATCH, &arrays) > 0)
		write_participants(ladder, &arrays);
	else if (!is_same_match(ladder, &arrays))
		replace_match(ladder, &arrays);
	else
		changed = false;

	/* What the trigger at commit would do, now. */
	if (changed && ladder->apply_at != APPLY_AT_STATEMENT)
	{
		LadderScope owner_scope;

		ladder_enter(ladder, RIGHTS_OF_OWNER, &owner_scope);
		apply_pending(ladder, false);
		ladder_leave(&owner_scope);
	}

	values[0] = id_array(ladder->match_type, &arrays.match_id, 1);
	if (ladder_execute(ladder, QUERY_RATED, values, NULL, NULL) == 1 &&
		DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0],
								   SPI_tuptable->tupdesc, 2, &isnull)))
		return_events(fcinfo, ladder,
					  DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0],
												  SPI_tuptable->tupdesc, 4,
												  &isnull)),
					  arrays.players);

	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}

/* Rate the current match as if team came in at rank and all others at 1.5. */
static void
rate_scenario(Batch *batch, SourceMatch *source, int team, double rank)
{
	Match	   *match = &batch->match;
	MatchStatus status;
	int			i;

	CHECK_FOR_INTERRUPTS();
	for (i = 0; i < match->nteams; i++)
		match->team[i].rank = i == team ? rank : 1.5;
	status = batch_rate(batch, source);
	if (status != MATCH_OK)
		batch_report(batch, source, status, -1);
}

/* How much the displayed rating of a player changes in the match just rated. */
static double
display_change(Batch *batch, int player)
{
	MatchPlayer *p = &batch->match.player[player];

	return model_display(batch->model, batch->params, p->after) -
		model_display(batch->model, batch->params, p->before);
}

/*
 * preview(ladder, players, team, weight, joined, left, commanding, side, pool,
 *		   log_odds, gain, squad)
 */
Datum
skillrating_preview(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	static const double scenario_rank[3] = {1, 1.5, 2}; /* win, draw, loss */
	MatchArrays arrays = {0};
	Ladder	   *ladder;
	LadderScope scope;
	MatchReader *reader;
	Batch	   *batch;
	MatchStatus status;
	double	   *change;
	Datum	   *rank;
	int			offender;
	int			nplayers;
	int			scenario;
	int			team;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	required_argument(fcinfo, 0, "ladder");
	required_argument(fcinfo, 2, "team");

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ladder = ladder_open(ladder_schema(text_to_cstring(PG_GETARG_TEXT_PP(0))),
						 AccessShareLock);
	ladder_enter(ladder, RIGHTS_OF_MEMBER, &scope);

	players_argument(fcinfo, 1, ladder->player_type, &arrays);
	arrays.team = PointerGetDatum(array_argument(fcinfo, 2, "team", arrays.n));
	arrays.played_at = TimestampTzGetDatum(GetCurrentTransactionStartTimestamp());
	optional_arrays(fcinfo, 3, ARRAY_WEIGHT, ARRAY_SIDE, &arrays);
	match_arguments(fcinfo, 8, &arrays);
	optional_arrays(fcinfo, 11, ARRAY_SQUAD, ARRAY_SQUAD, &arrays);

	/* Any result will do to build the match. */
	rank = palloc_array(Datum, arrays.n);
	for (i = 0; i < arrays.n; i++)
		rank[i] = Int32GetDatum(1);
	arrays.array[ARRAY_RANK] =
		PointerGetDatum(construct_array(rank, arrays.n, INT4OID, sizeof(int32),
										true, TYPALIGN_INT));
	arrays.has_array[ARRAY_RANK] = true;

	batch = ladder_batch(ladder);
	reader = read_arrays(ladder, &arrays);
	(void) reader_next(reader);
	status = batch_build(batch, &reader->match, &offender);
	if (status != MATCH_OK)
		batch_report(batch, &reader->match, status, offender);
	batch_request_states(batch);
	batch_load(batch, ladder, false);

	nplayers = batch->match.nplayers;
	change = palloc_array(double, 3 * nplayers);
	for (scenario = 0; scenario < 3; scenario++)
		for (team = 0; team < batch->match.nteams; team++)
		{
			/* All draws are the same draw. */
			if (scenario != 1 || team == 0)
				rate_scenario(batch, &reader->match, team,
							  scenario_rank[scenario]);
			for (i = 0; i < nplayers; i++)
				if (batch->match.player[i].team == team)
					change[3 * i + scenario] = display_change(batch, i);
		}

	for (i = 0; i < nplayers; i++)
	{
		MatchTeam  *player_team = &batch->match.team[batch->match.player[i].team];
		Datum		values[7];
		bool		nulls[7] = {false};

		values[0] = CStringGetTextDatum(id_text(ladder->player_type,
												batch->player[i]->id));
		values[1] = Int32GetDatum(player_team->number);
		values[2] = Float8GetDatum(model_display(ladder->model, ladder->params,
												 batch->player[i]->state));
		values[3] = Float8GetDatum(player_team->win);
		for (scenario = 0; scenario < 3; scenario++)
			values[4 + scenario] = Float8GetDatum(change[3 * i + scenario]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}

	ladder_leave(&scope);
	SPI_finish();
	return (Datum) 0;
}
