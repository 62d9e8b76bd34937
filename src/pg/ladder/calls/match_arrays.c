/*
 * match_arrays.c
 *		A match as arguments of a function.
 *
 * Relies on parts of a match having the same order here and in the parameters of all queries.
 */
#include "pg/ladder/calls/match_arrays.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "pg/ladder/entry/plans.h"
#include "pg/matches/inputs.h"
#include "pg/sql/arrays.h"

/* The names of the arrays, and of what must not be null, and the columns of a source that some are. */
static const struct
{
	const char *name;
	int			column;			/* or -1 */
}			given_arrays[GIVEN_NPARTS] = {
	[GIVEN_MATCH_ID] = {"match_id", -1},
	[GIVEN_PLAYERS] = {"players", -1},
	[GIVEN_TEAM] = {"team", SOURCE_TEAM},
	[GIVEN_RANK] = {"rank", -1},
	[GIVEN_WON] = {"won", -1},
	[GIVEN_TEAM_SCORE] = {"team_score", -1},
	[GIVEN_PLAYER_SCORE] = {"player_score", -1},
	[GIVEN_WEIGHT] = {"weight", SOURCE_WEIGHT},
	[GIVEN_JOINED] = {"joined", SOURCE_JOINED},
	[GIVEN_LEFT_AT] = {"left_at", SOURCE_LEFT_AT},
	[GIVEN_COMMANDING] = {"commanding", SOURCE_COMMANDING},
	[GIVEN_SIDE] = {"side", SOURCE_SIDE},
	[GIVEN_SQUAD] = {"squad", SOURCE_SQUAD},
	[GIVEN_KILLS] = {"kills", -1},
	[GIVEN_DEATHS] = {"deaths", -1},
	[GIVEN_QUIT] = {"quit", -1},
	[GIVEN_EXPERIENCE] = {"experience", -1},
	[GIVEN_PLAYER_GAIN] = {"player_gain", SOURCE_PLAYER_GAIN},
	[GIVEN_BOT] = {"bot", -1},
	[GIVEN_FIXED] = {"fixed", SOURCE_FIXED},
	[GIVEN_CONTEXT] = {"context", SOURCE_CONTEXT},
	[GIVEN_CLUB] = {"club", SOURCE_CLUB},
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

	memset(arrays->null, true, sizeof(arrays->null));
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
array_in_argument(FunctionCallInfo fcinfo, int arg, GivenPart part, MatchArrays *arrays)
{
	ArrayType  *array;

	if (PG_ARGISNULL(arg))
		return;
	array = PG_GETARG_ARRAYTYPE_P(arg);
	arrays->null[part] = false;

	/* One context is that of all players. */
	arrays->value[part] = part == GIVEN_CONTEXT && array_size(array) == 1 ?
		repeat_element(array, arrays->n) : PointerGetDatum(array);
	check_array(DatumGetArrayTypeP(arrays->value[part]), given_arrays[part].name, arrays->n,
				part >= GIVEN_WEIGHT);
}

/* The players of a match, which has some, and not too many. */
static void
match_players(FunctionCallInfo fcinfo, int arg, IdType *id_type, MatchArrays *arrays)
{
	int			n;

	n = array_size(array_argument(fcinfo, arg, "players", -1));
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array players must not be empty")));
	if (n > MATCH_MAX_PARTICIPANTS)
		report_match_status(MATCH_TOO_MANY_PARTICIPANTS, n, NULL);
	players_in_argument(fcinfo, arg, id_type, arrays);
	arrays->value[GIVEN_PLAYERS] = id_array(id_type, arrays->player, arrays->n);
	arrays->null[GIVEN_PLAYERS] = false;
}

void
match_arguments(FunctionCallInfo fcinfo, const Ladder *ladder, const GivenPart *part,
				MatchArrays *arrays)
{
	int			i;

	for (i = 1; i < fcinfo->nargs; i++)
		if (PG_ARGISNULL(i) &&
			(part[i] == GIVEN_MATCH_ID || part[i] == GIVEN_PLAYERS || part[i] == GIVEN_TEAM))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not be null", given_arrays[part[i]].name)));

	/* The number of players is that of all elements. */
	for (i = 1; i < fcinfo->nargs; i++)
		if (part[i] == GIVEN_PLAYERS)
			match_players(fcinfo, i, ladder->player_type, arrays);
	arrays->value[GIVEN_POOL] = CStringGetTextDatum("");
	arrays->value[GIVEN_LOG_ODDS] = Float8GetDatum(0);
	arrays->value[GIVEN_GAIN] = Float8GetDatum(1);
	arrays->null[GIVEN_POOL] = arrays->null[GIVEN_LOG_ODDS] = arrays->null[GIVEN_GAIN] = false;
	for (i = 1; i < fcinfo->nargs; i++)
	{
		if (part[i] > GIVEN_PLAYERS)
			array_in_argument(fcinfo, i, part[i], arrays);
		else if (part[i] != GIVEN_PLAYERS && !PG_ARGISNULL(i))
		{
			arrays->value[part[i]] = part[i] == GIVEN_MATCH_ID ?
				match_id_argument(fcinfo, i, ladder->match_type) : PG_GETARG_DATUM(i);
			arrays->null[part[i]] = false;
		}
	}
}

/*
 * ---- The match in memory ----
 */

void
match_arrays_read(const MatchArrays *arrays, SourceMatch *match)
{
	ColumnArray column[GIVEN_NPARTS] = {{SOURCE_PLAYER_ID, arrays->player, NULL}};
	int			n = 1;
	Datum		shared[INPUT_NSLOTS];
	bool		null[INPUT_NSLOTS];
	int			i;

	for (i = GIVEN_TEAM; i < GIVEN_NPARTS; i++)
		if (given_arrays[i].column >= 0 && !arrays->null[i])
			column[n++] = column_array(given_arrays[i].column, DatumGetArrayTypeP(arrays->value[i]));
	source_row_clear(shared, null);
	shared[SOURCE_RANK] = Float8GetDatum(1);
	shared[SOURCE_PLAYED_AT] = arrays->value[GIVEN_PLAYED_AT];
	shared[SOURCE_POOL] = arrays->value[GIVEN_POOL];
	shared[SOURCE_LOG_ODDS] = arrays->value[GIVEN_LOG_ODDS];
	shared[SOURCE_PLAYER_GAIN] = arrays->value[GIVEN_GAIN];
	shared[SOURCE_TOURNAMENT] = arrays->value[GIVEN_TOURNAMENT];
	null[SOURCE_RANK] = null[SOURCE_PLAYED_AT] = null[SOURCE_POOL] = false;
	null[SOURCE_LOG_ODDS] = null[SOURCE_PLAYER_GAIN] = false;
	null[SOURCE_TOURNAMENT] = arrays->null[GIVEN_TOURNAMENT];
	source_match_read(match, arrays->n, column, n, shared, null);
}

/*
 * ---- The ladder's own tables ----
 *
 * All queries have the same parameters: $1 to $8 are values of the match, $9 and $10 the arrays
 * players and team, and the optional ones come behind.
 */

/* The columns of match_player that arrays are for, with that of a participant's gain as it is read. */
#define COLUMNS(player_gain) \
	"team, rank, won, team_score, player_score, weight, joined, left_at, commanding, side, squad, " \
	"kills, deaths, quit, experience, " player_gain ", bot, fixed, context, club"

#define UNNEST(array) "pg_catalog.unnest($" #array ")"

/* A FROM item over the arrays, with the ordinal n of a participant. */
#define PARTICIPANTS \
	"ROWS FROM (" UNNEST(9) ", " UNNEST(10) ", " UNNEST(11) ", " UNNEST(12) ", " UNNEST(13) ", " \
	UNNEST(14) ", " UNNEST(15) ", " UNNEST(16) ", " UNNEST(17) ", " UNNEST(18) ", " UNNEST(19) ", " \
	UNNEST(20) ", " UNNEST(21) ", " UNNEST(22) ", " UNNEST(23) ", " UNNEST(24) ", " UNNEST(25) ", " \
	UNNEST(26) ", " UNNEST(27) ", " UNNEST(28) ", " UNNEST(29) \
	") WITH ORDINALITY AS a(player_id, " COLUMNS("player_gain") ", n)"

#define MATCH_PARAMS \
	{VALUE_MATCH, VALUE_TIME, VALUE_TEXT, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_FLOAT8, VALUE_BOOL, VALUE_TEXT, \
		ARRAY_OF(VALUE_PLAYER), ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_BOOL), \
		ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_FLOAT8), \
		ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_INT8), \
		ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_INT4), ARRAY_OF(VALUE_BOOL), ARRAY_OF(VALUE_INT4), \
		ARRAY_OF(VALUE_FLOAT8), ARRAY_OF(VALUE_BOOL), ARRAY_OF(VALUE_BOOL), ARRAY_OF(VALUE_TEXT), \
		ARRAY_OF(VALUE_TEXT)}

StaticAssertDecl(GIVEN_NPARTS == 29 && GIVEN_NPARTS <= MAX_QUERY_PARAMS,
				 "the parameters of queries are not the parts of a match");

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
	.param = MATCH_PARAMS
};

/* The stints of a player are numbered in the order of the arrays. */
static LadderQuery insert_participants_query = {
	.text = "INSERT INTO {match_player} (match_id, player_id, stint, " COLUMNS("player_gain") ") "
	"SELECT $1, player_id, pg_catalog.row_number() OVER (PARTITION BY player_id ORDER BY n), "
	COLUMNS("player_gain") " FROM " PARTICIPANTS,
	.param = MATCH_PARAMS
};

/*
 * Whether a match is finished, and its rows are those of arrays, in whatever order; no gain is 1.
 * Each subquery has one FROM item, whose columns its names are.
 */
#define COMPARED "player_id, " COLUMNS("COALESCE(player_gain, 1)")
#define STORED "SELECT " COMPARED " FROM {match_player} WHERE match_id {match =} $1"
#define GIVEN "SELECT " COMPARED " FROM " PARTICIPANTS

static LadderQuery stored_query = {
	.text = "SELECT m.finished, ROW(m.played_at, m.pool, m.log_odds, m.gain, m.duration, m.surrendered, m.tournament) "
	"IS NOT DISTINCT FROM ROW(COALESCE($2, m.played_at), $3, $4, $5, $6, $7, $8) "
	"AND NOT EXISTS ((" STORED " EXCEPT ALL " GIVEN ") UNION ALL (" GIVEN " EXCEPT ALL " STORED ")) "
	"FROM {match} AS m WHERE m.match_id {match =} $1",
	.param = MATCH_PARAMS
};

static void
take_stored(void *arg, QueryRow row)
{
	bool	   *stored = (bool *) arg;

	stored[0] = next_bool(&row);
	stored[1] = next_bool(&row);
}

bool
match_arrays_are_stored(Ladder *ladder, const MatchArrays *arrays)
{
	bool		stored[2] = {false, false};

	(void) ladder_execute_each(ladder, &stored_query, arrays->value, arrays->null, take_stored, stored);
	if (!stored[0])
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("match %s of ladder \"%s\" exists and is not finished",
						id_text(ladder->match_type, arrays->value[GIVEN_MATCH_ID]),
						ladder->name),
				 errhint("Complete its rows and set finished instead of reporting it.")));
	return stored[1];
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
	ladder_execute(ladder, &insert_participants_query, arrays->value, arrays->null, NULL);
	return true;
}

void
match_arrays_replace(Ladder *ladder, const MatchArrays *arrays)
{
	/*
	 * By the row of the match reports of it wait for one another, and the later one then finds the
	 * participants of the earlier.  Triggers of the ladder see each state of the match as a change of
	 * the same match, which they collect.
	 */
	ladder_execute(ladder, &update_match_query, arrays->value, arrays->null, NULL);
	ladder_execute(ladder, &delete_participants_query, arrays->value, arrays->null, NULL);
	ladder_execute(ladder, &insert_participants_query, arrays->value, arrays->null, NULL);
}
