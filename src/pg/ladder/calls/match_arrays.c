/*
 * match_arrays.c
 *		A match as arguments of a function.
 */
#include "pg/ladder/calls/match_arrays.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/ladder/entry/plans.h"
#include "pg/matches/inputs.h"
#include "pg/sql/arrays.h"

/* The optional arrays: the name of each, which its column in match_player has too, and its type. */
static const struct
{
	const char *name;
	ValueType	type;
}			ladder_arrays[LADDER_NARRAYS] = {
	[ARRAY_RANK] = {"rank", VALUE_FLOAT8},
	[ARRAY_WON] = {"won", VALUE_BOOL},
	[ARRAY_TEAM_SCORE] = {"team_score", VALUE_FLOAT8},
	[ARRAY_PLAYER_SCORE] = {"player_score", VALUE_FLOAT8},
	[ARRAY_WEIGHT] = {"weight", VALUE_FLOAT8},
	[ARRAY_JOINED] = {"joined", VALUE_FLOAT8},
	[ARRAY_LEFT_AT] = {"left_at", VALUE_FLOAT8},
	[ARRAY_COMMANDING] = {"commanding", VALUE_FLOAT8},
	[ARRAY_SIDE] = {"side", VALUE_INT4},
	[ARRAY_SQUAD] = {"squad", VALUE_INT8},
	[ARRAY_KILLS] = {"kills", VALUE_INT4},
	[ARRAY_DEATHS] = {"deaths", VALUE_INT4},
	[ARRAY_QUIT] = {"quit", VALUE_BOOL},
	[ARRAY_EXPERIENCE] = {"experience", VALUE_INT4},
	[ARRAY_PLAYER_GAIN] = {"player_gain", VALUE_FLOAT8},
	[ARRAY_BOT] = {"bot", VALUE_BOOL},
	[ARRAY_FIXED] = {"fixed", VALUE_BOOL},
	[ARRAY_CONTEXT] = {"context", VALUE_TEXT},
	[ARRAY_CLUB] = {"club", VALUE_TEXT},
};

/*
 * ---- Arguments ----
 */

/* An identifier of another type, through its text, in the argument "name". */
static Datum
convert_id(IdType *id_type, Oid type, Datum value, const char *name)
{
	Oid			function;
	bool		is_varlena;

	if (type == id_type->type)
		return value;

	/*
	 * The output function belongs to the caller's type and the input function
	 * to the ladder's.  skillrating_enter() has refused types of users other than the
	 * ladder's own.
	 */
	getTypeOutputInfo(type, &function, &is_varlena);
	return id_from_text(id_type, OidOutputFunctionCall(function, value), name);
}

void
required_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
}

Datum
match_id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type)
{
	return convert_id(id_type, get_fn_expr_argtype(fcinfo->flinfo, arg),
					  PG_GETARG_DATUM(arg), "match_id");
}

void
players_in_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type, MatchArrays *arrays)
{
	ArrayType  *array = array_argument(fcinfo, arg, "players", -1);
	Datum	   *element;
	bool	   *null;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	int			i;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign,
					  &element, &null, &arrays->n);
	for (i = 0; i < arrays->n; i++)
	{
		check_interrupts_at(i);
		element[i] = convert_id(id_type, ARR_ELEMTYPE(array), element[i], "players");
	}
	arrays->player = element;
}

void
players_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type,
				 MatchArrays *arrays)
{
	int			n;

	required_argument(fcinfo, arg, "players");
	n = array_size(array_argument(fcinfo, arg, "players", -1));
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array players must not be empty")));
	if (n > MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, n, NULL);
	players_in_argument(fcinfo, arg, id_type, arrays);
	arrays->players = id_array(id_type, arrays->player, arrays->n);
}

/* An array of one element that stands for all, as one of n. */
static Datum
repeat_element(ArrayType *array, int n)
{
	Datum	   *element;
	bool	   *null;
	Datum	   *elements = palloc_array(Datum, n);
	bool	   *nulls = palloc_array(bool, n);
	int			nelements;
	int			lower_bound = 1;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &null, &nelements);
	Assert(nelements == 1);
	for (i = 0; i < n; i++)
	{
		elements[i] = element[0];
		nulls[i] = null[0];
	}
	return PointerGetDatum(construct_md_array(elements, nulls, 1, &n, &lower_bound, TEXTOID, -1,
											  false, TYPALIGN_INT));
}

void
optional_arrays(FunctionCallInfo fcinfo, int arg, LadderArray first,
				LadderArray last, MatchArrays *arrays)
{
	int			i;

	for (i = first; i <= (int) last; i++, arg++)
	{
		arrays->has_array[i] = !PG_ARGISNULL(arg);
		if (!arrays->has_array[i])
			continue;

		/* One context is that of all players. */
		if (i == ARRAY_CONTEXT && array_size(PG_GETARG_ARRAYTYPE_P(arg)) == 1)
		{
			arrays->array[i] = repeat_element(PG_GETARG_ARRAYTYPE_P(arg), arrays->n);
			continue;
		}
		arrays->array[i] = PG_GETARG_DATUM(arg);
		check_array(DatumGetArrayTypeP(arrays->array[i]), ladder_arrays[i].name, arrays->n,
					i >= ARRAY_WEIGHT);
	}
}

void
match_values(FunctionCallInfo fcinfo, int arg, MatchValue first, MatchValue last,
			 MatchArrays *arrays)
{
	int			i;

	for (i = first; i <= (int) last; i++, arg++)
	{
		bool		null = PG_ARGISNULL(arg);

		arrays->null[i] = null && i > VALUE_OF_GAIN;
		arrays->value[i] = !null ? PG_GETARG_DATUM(arg) :
			i == VALUE_OF_POOL ? CStringGetTextDatum("") :
			Float8GetDatum(i == VALUE_OF_GAIN ? 1 : 0);
	}
}

/*
 * ---- The match in memory ----
 */

void
match_arrays_read(const MatchArrays *arrays, SourceMatch *match)
{
	/* The columns of arrays that preview() has. */
	static const struct
	{
		LadderArray array;
		SourceColumn column;
	}			read[] = {
		{ARRAY_WEIGHT, SOURCE_WEIGHT}, {ARRAY_JOINED, SOURCE_JOINED}, {ARRAY_LEFT_AT, SOURCE_LEFT_AT},
		{ARRAY_COMMANDING, SOURCE_COMMANDING}, {ARRAY_SIDE, SOURCE_SIDE},
		{ARRAY_SQUAD, SOURCE_SQUAD}, {ARRAY_PLAYER_GAIN, SOURCE_PLAYER_GAIN}, {ARRAY_FIXED, SOURCE_FIXED},
		{ARRAY_CONTEXT, SOURCE_CONTEXT}, {ARRAY_CLUB, SOURCE_CLUB}
	};
	ColumnArray column[lengthof(read) + 2] = {{SOURCE_PLAYER_ID, arrays->player, NULL}};
	int			n = 1;
	Datum		shared[INPUT_NSLOTS];
	bool		null[INPUT_NSLOTS];
	int			i;

	column[n++] = column_array(SOURCE_TEAM, DatumGetArrayTypeP(arrays->team));
	for (i = 0; i < (int) lengthof(read); i++)
		if (arrays->has_array[read[i].array])
			column[n++] = column_array(read[i].column,
									   DatumGetArrayTypeP(arrays->array[read[i].array]));
	source_row_clear(shared, null);
	shared[SOURCE_RANK] = Float8GetDatum(1);
	shared[SOURCE_PLAYED_AT] = arrays->value[VALUE_OF_PLAYED_AT];
	shared[SOURCE_POOL] = arrays->value[VALUE_OF_POOL];
	shared[SOURCE_LOG_ODDS] = arrays->value[VALUE_OF_LOG_ODDS];
	shared[SOURCE_PLAYER_GAIN] = arrays->value[VALUE_OF_GAIN];
	shared[SOURCE_TOURNAMENT] = arrays->value[VALUE_OF_TOURNAMENT];
	null[SOURCE_RANK] = null[SOURCE_PLAYED_AT] = null[SOURCE_POOL] = false;
	null[SOURCE_LOG_ODDS] = null[SOURCE_PLAYER_GAIN] = false;
	null[SOURCE_TOURNAMENT] = arrays->null[VALUE_OF_TOURNAMENT];
	source_match_read(match, arrays->n, column, n, shared, null);
}

/*
 * ---- The ladder's own tables ----
 *
 * The arrays players and team are two parameters in a row, and the optional ones
 * come behind them.
 */

static void
add_array_params(QueryDraft *draft)
{
	int			i;

	add_query_param(draft, ARRAY_OF(VALUE_PLAYER));
	add_query_param(draft, ARRAY_OF(VALUE_INT4));	/* team */
	for (i = 0; i < LADDER_NARRAYS; i++)
		add_query_param(draft, ARRAY_OF(ladder_arrays[i].type));
}

/* Their values. */
static void
array_values(const MatchArrays *arrays, Datum *values, bool *nulls)
{
	int			i;

	values[0] = arrays->players;
	values[1] = arrays->team;
	nulls[0] = nulls[1] = false;
	for (i = 0; i < LADDER_NARRAYS; i++)
	{
		values[2 + i] = arrays->array[i];
		nulls[2 + i] = !arrays->has_array[i];
	}
}

/* The columns of the optional arrays, behind a comma each. */
static void
append_array_names(QueryDraft *draft, const char *prefix)
{
	int			i;

	for (i = 0; i < LADDER_NARRAYS; i++)
		appendStringInfo(&draft->sql, ", %s%s", prefix,
						 ladder_arrays[i].name);
}

/*
 * A FROM item a over the arrays, which are the last parameters, with the ordinal
 * n of a participant.
 */
static void
append_participants(QueryDraft *draft)
{
	int			n = 2 + LADDER_NARRAYS;
	int			i;

	appendStringInfoString(&draft->sql, "ROWS FROM (");
	for (i = 0; i < n; i++)
		appendStringInfo(&draft->sql, "%spg_catalog.unnest($%d)",
						 i > 0 ? ", " : "", draft->nparams - n + i + 1);
	appendStringInfoString(&draft->sql, ") WITH ORDINALITY AS a(player_id, team");
	append_array_names(draft, "");
	appendStringInfoString(&draft->sql, ", n)");
}

#define MATCH_PARAMS \
	{VALUE_MATCH, VALUE_TIME, VALUE_TEXT, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_BOOL, VALUE_TEXT}

static LadderQuery insert_match_query = {
	.text = "INSERT INTO {match} (match_id, played_at, pool, log_odds, gain, duration, surrendered, tournament) "
	"VALUES ($1, COALESCE($2, pg_catalog.now()), $3, $4, $5, $6, $7, $8) ON CONFLICT (match_id) DO NOTHING",
	.param = MATCH_PARAMS
};

static LadderQuery update_match_query = {
	.text = "UPDATE {match} AS m SET played_at = COALESCE($2, m.played_at), pool = $3, log_odds = $4, gain = $5, "
	"duration = $6, surrendered = $7, tournament = $8 WHERE m.match_id {match =} $1",
	.param = MATCH_PARAMS
};

static LadderQuery delete_participants_query = {
	.text = "DELETE FROM {match_player} AS p WHERE p.match_id {match =} $1",
	.param = {VALUE_MATCH}
};

static void
append_array_columns(QueryDraft *draft)
{
	append_array_names(draft, "");
}

static void
append_array_elements(QueryDraft *draft)
{
	append_array_names(draft, "a.");
}

/* The stints of a player are numbered in the order of the arrays. */
static LadderQuery insert_participants_query = {
	.text = "INSERT INTO {match_player} (match_id, player_id, stint, team{arrays}) "
	"SELECT $1, a.player_id, pg_catalog.row_number() OVER (PARTITION BY a.player_id ORDER BY a.n), a.team{elements} "
	"FROM {participants}",
	.param = {VALUE_MATCH},
	.add_params = add_array_params,
	.part = {
		{"arrays", append_array_columns},
		{"elements", append_array_elements},
		{"participants", append_participants}
	}
};

/* The columns of the optional arrays as they are compared: no gain is 1. */
static void
append_compared(QueryDraft *draft, const char *prefix)
{
	int			i;

	for (i = 0; i < LADDER_NARRAYS; i++)
		appendStringInfo(&draft->sql, i == ARRAY_PLAYER_GAIN ? ", COALESCE(%s%s, 1)" : ", %s%s", prefix,
						 ladder_arrays[i].name);
}

static void
append_stored(QueryDraft *draft)
{
	append_compared(draft, "p.");
}

static void
append_given(QueryDraft *draft)
{
	append_compared(draft, "a.");
}

/* Whether a match is finished, and its rows are those of arrays, in whatever order. */
#define STORED "SELECT p.player_id, p.team{stored} FROM {match_player} AS p WHERE p.match_id {match =} $1"
#define GIVEN "SELECT a.player_id, a.team{given} FROM {participants}"

static LadderQuery stored_query = {
	.text = "SELECT m.finished, ROW(m.played_at, m.pool, m.log_odds, m.gain, m.duration, m.surrendered, m.tournament) "
	"IS NOT DISTINCT FROM ROW(COALESCE($2, m.played_at), $3, $4, $5, $6, $7, $8) "
	"AND NOT EXISTS ((" STORED " EXCEPT ALL " GIVEN ") UNION ALL (" GIVEN " EXCEPT ALL " STORED ")) "
	"FROM {match} AS m WHERE m.match_id {match =} $1",
	.param = MATCH_PARAMS,
	.add_params = add_array_params,
	.part = {
		{"stored", append_stored},
		{"given", append_given},
		{"participants", append_participants}
	}
};

enum
{
	STORED_FINISHED,
	STORED_SAME
};

StaticAssertDecl(MATCH_NVALUES + 2 + LADDER_NARRAYS <= MAX_QUERY_PARAMS,
				 "too many arrays for the parameters of a query");

static void
take_stored(void *arg, const Datum *values, const bool *nulls)
{
	bool	   *stored = (bool *) arg;

	stored[STORED_FINISHED] = !nulls[STORED_FINISHED] && DatumGetBool(values[STORED_FINISHED]);
	stored[STORED_SAME] = DatumGetBool(values[STORED_SAME]);
}

bool
match_arrays_are_stored(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[MATCH_NVALUES + 2 + LADDER_NARRAYS];
	bool		nulls[MATCH_NVALUES + 2 + LADDER_NARRAYS];
	bool		stored[2] = {false, false};

	memcpy(values, arrays->value, sizeof(arrays->value));
	memcpy(nulls, arrays->null, sizeof(arrays->null));
	array_values(arrays, values + MATCH_NVALUES, nulls + MATCH_NVALUES);
	(void) ladder_execute_each(ladder, &stored_query, values, nulls, take_stored, stored);
	if (!stored[STORED_FINISHED])
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("match %s of ladder \"%s\" exists and is not finished",
						id_text(ladder->match_type, arrays->value[VALUE_OF_MATCH_ID]),
						ladder->name),
				 errhint("Complete its rows and set finished instead of reporting it.")));
	return stored[STORED_SAME];
}

static void
insert_participants(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[1 + 2 + LADDER_NARRAYS];
	bool		nulls[1 + 2 + LADDER_NARRAYS] = {false};

	values[0] = arrays->value[VALUE_OF_MATCH_ID];
	array_values(arrays, values + 1, nulls + 1);
	ladder_execute(ladder, &insert_participants_query, values, nulls, NULL);
}

/*
 * ON CONFLICT DO NOTHING decides between two reports of one match: the later one waits here for
 * the first to commit, and then finds its row.
 */
bool
match_arrays_insert(Ladder *ladder, const MatchArrays *arrays)
{
	if (ladder_execute(ladder, &insert_match_query, arrays->value, arrays->null, NULL) == 0)
		return false;
	insert_participants(ladder, arrays);
	return true;
}

void
match_arrays_replace(Ladder *ladder, const MatchArrays *arrays)
{
	/*
	 * Participants go before the match is updated, and come after it:
	 * triggers of the ladder see each state of the match as a change of the
	 * same match, which they collect.
	 */
	ladder_execute(ladder, &delete_participants_query, &arrays->value[VALUE_OF_MATCH_ID], NULL, NULL);
	ladder_execute(ladder, &update_match_query, arrays->value, arrays->null, NULL);
	insert_participants(ladder, arrays);
}
