/*
 * match_arrays.c
 *		A match as arguments of a function.
 */
#include "pg/ladder/match_arrays.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/ladder/plans.h"
#include "pg/sql/arrays.h"

/* The optional arrays: the argument of each, its source column, and its type in SQL. */
static const struct
{
	const char *argument;
	SourceColumn column;
	ValueType	type;
}			ladder_arrays[LADDER_NARRAYS] = {
	[ARRAY_RANK] = {"rank", SOURCE_RANK, VALUE_INT4},
	[ARRAY_SCORE] = {"team_score", SOURCE_SCORE, VALUE_FLOAT8},
	[ARRAY_WEIGHT] = {"weight", SOURCE_WEIGHT, VALUE_FLOAT8},
	[ARRAY_JOINED] = {"joined", SOURCE_JOINED, VALUE_FLOAT8},
	[ARRAY_LEFT] = {"left", SOURCE_LEFT, VALUE_FLOAT8},
	[ARRAY_COMMANDING] = {"commanding", SOURCE_COMMANDING, VALUE_FLOAT8},
	[ARRAY_SIDE] = {"side", SOURCE_SIDE, VALUE_INT4},
	[ARRAY_SQUAD] = {"squad", SOURCE_SQUAD, VALUE_INT8},
	[ARRAY_KILLS] = {"kills", SOURCE_KILLS, VALUE_INT4},
	[ARRAY_DEATHS] = {"deaths", SOURCE_DEATHS, VALUE_INT4},
	[ARRAY_QUIT] = {"quit", SOURCE_QUIT, VALUE_BOOL},
	[ARRAY_EXPERIENCE] = {"experience", SOURCE_EXPERIENCE, VALUE_INT4},
	[ARRAY_GAIN] = {"player_gain", SOURCE_GAIN, VALUE_FLOAT8},
	[ARRAY_BOT] = {"bot", SOURCE_BOT, VALUE_BOOL},
	[ARRAY_FIXED] = {"fixed", SOURCE_FIXED, VALUE_BOOL},
	[ARRAY_CONTEXT] = {"context", SOURCE_CONTEXT, VALUE_TEXT},
	[ARRAY_CLUB] = {"club", SOURCE_CLUB, VALUE_TEXT},
};

static const char *
array_column(LadderArray array)
{
	return source_columns[ladder_arrays[array].column].name;
}

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
	 * to the ladder's.  The door has refused types of users other than the
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
id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type, const char *name)
{
	return convert_id(id_type, get_fn_expr_argtype(fcinfo->flinfo, arg),
					  PG_GETARG_DATUM(arg), name);
}

void
match_id_argument(FunctionCallInfo fcinfo, int arg, IdType *id_type,
				  MatchArrays *arrays)
{
	arrays->match_id = id_argument(fcinfo, arg, id_type, "match_id");
	arrays->has_match_id = true;
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
		arrays->array[i] =
			PointerGetDatum(i >= ARRAY_WEIGHT ?
							array_with_nulls_argument(fcinfo, arg,
													  ladder_arrays[i].argument,
													  arrays->n) :
							array_argument(fcinfo, arg,
										   ladder_arrays[i].argument,
										   arrays->n));
	}
}

void
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

void
fact_arguments(FunctionCallInfo fcinfo, int arg, MatchArrays *arrays)
{
	arrays->has_duration = !PG_ARGISNULL(arg);
	arrays->duration = PG_GETARG_DATUM(arg);
	arg++;
	arrays->has_surrendered = !PG_ARGISNULL(arg);
	arrays->surrendered = PG_GETARG_DATUM(arg);
}

void
tournament_argument(FunctionCallInfo fcinfo, int arg, MatchArrays *arrays)
{
	arrays->has_tournament = !PG_ARGISNULL(arg);
	arrays->tournament = PG_GETARG_DATUM(arg);
}

/*
 * ---- Queries over the arrays ----
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
						 quote_identifier(array_column(i)));
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

/* The numbers of a participant, in the order of SourceColumn; $5 is the gain of the match. */
static void
append_numbers(QueryDraft *draft)
{
	int			i;

	for (i = SOURCE_RANK; i < SOURCE_NCOLUMNS; i++)
	{
		if (i == SOURCE_WON)
			appendStringInfoString(&draft->sql, ", CAST(NULL AS pg_catalog.float8)");
		else if (i == SOURCE_QUIT || i == SOURCE_BOT || i == SOURCE_FIXED)
			appendStringInfo(&draft->sql, ", CAST(CAST(a.%s AS pg_catalog.int4) AS pg_catalog.float8)",
							 quote_identifier(source_columns[i].name));
		else if (i == SOURCE_GAIN)
			appendStringInfoString(&draft->sql, ", $5 OPERATOR(pg_catalog.*) COALESCE(a.gain, 1)");
		else
			appendStringInfo(&draft->sql, ", CAST(a.%s AS pg_catalog.float8)",
							 quote_identifier(source_columns[i].name));
	}
}

/* Those of the match itself, which match_values() has. */
#define MATCH_PARAMS \
	{VALUE_MATCH, VALUE_TIME, VALUE_TEXT, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_BOOL, VALUE_TEXT}

/* The match as the source would have it, with the columns of SourceColumn. */
static LadderQuery read_arrays_query = {
	.text = "SELECT $1 AS match_id, $2 AS played_at, a.team, a.player_id, $3 AS pool, $4 AS log_odds, "
	"CAST(NULL AS pg_catalog.text) AS unrated_reason, $6 AS duration, "
	"CAST(CAST($7 AS pg_catalog.int4) AS pg_catalog.float8) AS surrendered, a.context, a.club, "
	"$8 AS tournament{numbers} FROM {participants}",
	.param = MATCH_PARAMS,
	.add_params = add_array_params,
	.part = {{"numbers", append_numbers}, {"participants", append_participants}}
};

/* The parameters of a match, and those of its participants behind them. */
#define MATCH_NPARAMS 8
#define READ_NPARAMS (MATCH_NPARAMS + 2 + LADDER_NARRAYS)

StaticAssertDecl(READ_NPARAMS <= MAX_QUERY_PARAMS,
				 "too many arrays for the parameters of a query");

/* The values of the parameters of a match. */
static void
match_values(const MatchArrays *arrays, Datum *values, bool *nulls)
{
	memset(nulls, false, MATCH_NPARAMS * sizeof(bool));
	values[0] = arrays->match_id;
	values[1] = arrays->played_at;
	values[2] = arrays->pool;
	values[3] = arrays->log_odds;
	values[4] = arrays->gain;
	values[5] = arrays->duration;
	nulls[5] = !arrays->has_duration;
	values[6] = arrays->surrendered;
	nulls[6] = !arrays->has_surrendered;
	values[7] = arrays->tournament;
	nulls[7] = !arrays->has_tournament;
}

MatchReader *
match_arrays_open(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[READ_NPARAMS];
	bool		nulls[READ_NPARAMS];

	match_values(arrays, values, nulls);
	nulls[0] = !arrays->has_match_id;
	array_values(arrays, values + MATCH_NPARAMS, nulls + MATCH_NPARAMS);
	return reader_open_query(ladder, &read_arrays_query, values, nulls,
							 !arrays->has_match_id);
}

/*
 * ---- The ladder's own tables ----
 */

static LadderQuery insert_match_query = {
	.text = "INSERT INTO {match} (match_id, played_at, pool, log_odds, gain, duration, surrendered, tournament) "
	"VALUES ($1, COALESCE($2, pg_catalog.now()), $3, $4, $5, $6, $7, $8) ON CONFLICT (match_id) DO NOTHING",
	.param = MATCH_PARAMS
};

static LadderQuery update_match_query = {
	.text = "UPDATE {match} AS m SET played_at = $2, pool = $3, log_odds = $4, gain = $5, "
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

/* Insert or update the row of a match; returns how many rows that were. */
static uint64
write_match(Ladder *ladder, LadderQuery *query, const MatchArrays *arrays)
{
	Datum		values[MATCH_NPARAMS];
	bool		nulls[MATCH_NPARAMS];

	match_values(arrays, values, nulls);
	nulls[1] = !arrays->has_played_at;
	return ladder_execute(ladder, query, values, nulls, NULL);
}

static void
insert_participants(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[1 + 2 + LADDER_NARRAYS];
	bool		nulls[1 + 2 + LADDER_NARRAYS] = {false};

	values[0] = arrays->match_id;
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
	if (write_match(ladder, &insert_match_query, arrays) == 0)
		return false;
	insert_participants(ladder, arrays);
	return true;
}

void
match_arrays_replace(Ladder *ladder, const MatchArrays *arrays)
{
	Datum		values[1];

	values[0] = arrays->match_id;

	/*
	 * Participants go before the match is updated, and come after it:
	 * triggers of the ladder see each state of the match as a change of the
	 * same match, which they collect.
	 */
	ladder_execute(ladder, &delete_participants_query, values, NULL, NULL);
	write_match(ladder, &update_match_query, arrays);
	insert_participants(ladder, arrays);
}
