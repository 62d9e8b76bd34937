/*
 * lobby_reader.c
 *		A value of the type lobby, or two arrays, as players who are to be split into teams.
 *
 * All of it is allocated in the current context, where it lives as long as the lobby, and an
 * error at any place leaves nothing to be released.  Arrays of numbers are copies in the order of
 * the lobby, which is that of the seed; identifiers stay in the array that was given.  Arrays have
 * one element more than players, so that those of nobody have an address.
 *
 * First all arrays are checked for what they are.  The order of reading after that is that of
 * dependence: the players, what they are worth, groups and places, pairs, and the model last,
 * whose states take all the rest.
 */
#include "pg/teams/lobby_reader.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "utils/builtins.h"

#include "pg/sql/arrays.h"
#include "pg/sql/composite.h"
#include "pg/sql/json.h"

#define MAX_WEIGHT 1e6			/* of a commander, or a player, */
#define MIN_SHARE_PLAYED 1e-6	/* and the least of a player */

/* Steps of the core, each about a nanosecond. */
#define STEPS_PER_MILLISECOND 1e6
#define MAX_STEPS 1e10

/* By default a split takes below a second. */
#define DEFAULT_STEPS 1e9
#define DEFAULT_STEPS_OF_MANY 2e8

static const char *const strengths[] = {"mean", "sum", "share", NULL};

/*
 * What the columns are that are arrays: of which type, and whether with an element for each player.
 */
typedef struct ColumnSpec
{
	const char *name;
	Oid			element;		/* InvalidOid: one value */
	bool		per_player;
	bool		nulls;			/* an element may be null */
	bool		for_two;		/* teams only */
} ColumnSpec;

typedef struct LobbyValue
{
	Datum		value[LOBBY_NCOLUMNS];
	bool		null[LOBBY_NCOLUMNS];
} LobbyValue;

static const ColumnSpec columns[LOBBY_NCOLUMNS] = {
	[LOBBY_PLAYERS] = {.name = "players",.element = TEXTOID,.per_player = true},
	[LOBBY_MU] = {.name = "mu",.element = FLOAT8OID,.per_player = true},
	[LOBBY_MU_2] = {.name = "mu_2",.element = FLOAT8OID,.per_player = true,.for_two = true},
	[LOBBY_SIGMA] = {.name = "sigma",.element = FLOAT8OID,.per_player = true},
	[LOBBY_WEIGHT] = {.name = "weight",.element = FLOAT8OID,.per_player = true},
	[LOBBY_PARTY] = {.name = "party",.element = TEXTOID,.per_player = true,.nulls = true},
	[LOBBY_LOCKED] = {.name = "locked",.element = INT4OID,.per_player = true,.nulls = true},
	[LOBBY_AVOID] = {.name = "avoid",.element = TEXTOID},
	[LOBBY_SPLIT_EVENLY] = {.name = "split_evenly",.element = TEXTOID,.per_player = true,.nulls = true,.for_two = true},
	[LOBBY_PRIORITY] = {.name = "priority",.element = FLOAT8OID,.per_player = true},
	[LOBBY_CURRENT] = {.name = "current",.element = INT4OID,.per_player = true,.nulls = true,.for_two = true},
	[LOBBY_COMMAND_MU] = {.name = "command_mu",.element = FLOAT8OID,.per_player = true,.for_two = true},
	[LOBBY_COMMAND_MU_2] = {.name = "command_mu_2",.element = FLOAT8OID,.per_player = true},
	[LOBBY_COMMANDERS] = {.name = "commanders",.element = BOOLOID,.per_player = true},
	[LOBBY_LOG_ODDS] = {.name = "log_odds",.for_two = true},
	[LOBBY_COUNTS_AS] = {.name = "counts_as",.element = TEXTOID,.per_player = true},
	[LOBBY_EXCLUDED] = {.name = "excluded",.element = BOOLOID,.per_player = true},
	[LOBBY_CONTEXT] = {.name = "context",.element = TEXTOID,.per_player = true,.nulls = true},
	[LOBBY_CLUB] = {.name = "club",.element = TEXTOID,.per_player = true,.nulls = true},
	[LOBBY_STATE] = {.name = "state",.element = FLOAT8OID},
	[LOBBY_COMPONENT] = {.name = "component",.element = FLOAT8OID},
	[LOBBY_GAMES] = {.name = "games",.element = INT8OID,.per_player = true}
};

int
count_argument(FunctionCallInfo fcinfo, int arg, const char *name, int least, int most,
			   int otherwise)
{
	int			number = has_argument(fcinfo, arg) ? PG_GETARG_INT32(arg) : otherwise;

	/*
	 * What stands for null is out of range where there is nothing that could.
	 */
	if (!has_argument(fcinfo, arg) && otherwise < least)
		report_null(name);
	if (number >= least && number <= most)
		return number;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 most == NO_LIMIT ? errmsg("%s must not be negative, not %d", name, number) :
			 errmsg("%s must be at least %d and at most %d, not %d", name, least,
					most, number)));
}

void
check_player_count(int n, int most)
{
	if (n > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are %d players, more than %d", n, most)));
}

void
check_points(const char *name, const float8 *element, int n, double least)
{
	int			i;

	check_finite_elements(name, element, n);
	for (i = 0; i < n; i++)
		if (element[i] < least || element[i] > MAX_POINTS)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s is out of range: %g", name, element[i]),
					 errdetail("It is element %d of the array.", i + 1),
					 errhint("It must lie between %g and %g.", least, MAX_POINTS)));
}

/*
 * ---- The value ----
 */

/* The lobby in the first argument, or in the first two arrays, whose columns are null for null. */
static void
read_value(FunctionCallInfo fcinfo, const LobbyUse *use, LobbyValue *value)
{
	TupleDesc	desc = NULL;
	int			i;

	memset(value->null, true, sizeof(value->null));
	for (i = 0; i < 2 && use->two_arrays; i++)
	{
		value->null[i] = PG_ARGISNULL(i);
		value->value[i] = PG_GETARG_DATUM(i);
	}
	if (!use->two_arrays && !PG_ARGISNULL(0))
		composite_columns(PG_GETARG_DATUM(0), &desc, CurrentMemoryContext, LOBBY_NCOLUMNS,
						  value->value, value->null);
	if (value->null[LOBBY_MODEL] && use->model != NULL)
	{
		value->null[LOBBY_MODEL] = false;
		value->value[LOBBY_MODEL] = CStringGetTextDatum(use->model);
	}
}

static ArrayType *
column_array(const LobbyValue *value, int column)
{
	return (ArrayType *) DatumGetPointer(value->value[column]);
}

/* The elements of an array without nulls. */
static const void *
column_elements(const LobbyValue *value, int column)
{
	ArrayType  *array = column_array(value, column);

	return ARR_DATA_PTR(array);
}

/* A number that is no array, or what stands for null. */
static double
column_number(const LobbyValue *value, int column, double otherwise)
{
	return value->null[column] ? otherwise : DatumGetFloat8(value->value[column]);
}

/*
 * Whatever a value is made of: arrays of one dimension, with an element for each player, and nulls
 * only where they mean something.  Returns the number of players.
 */
static int
check_value(LobbyValue *value, const LobbyUse *use)
{
	int			n = array_size(DatumGetArrayTypeP(value->value[LOBBY_PLAYERS]));
	int			c;

	check_player_count(n, use->max_players);
	for (c = 0; c < LOBBY_NCOLUMNS; c++)
	{
		const ColumnSpec *spec = &columns[c];
		ArrayType  *array;

		if ((use->unused & LOBBY_SET(c)) != 0)
			value->null[c] = true;
		if (value->null[c])
			continue;
		if (spec->for_two && use->nteams > 2 &&
			(c != LOBBY_LOG_ODDS || DatumGetFloat8(value->value[c]) != 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s is for two teams only, not for %d", spec->name,
							use->nteams)));
		if ((use->refused & LOBBY_SET(c)) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s() has no use for %s", use->maker, spec->name),
					 errhint("Make the lobby without it.")));
		if (!OidIsValid(spec->element))
			continue;
		array = DatumGetArrayTypeP(value->value[c]);
		value->value[c] = PointerGetDatum(array);

		/* Pairs may be in rows. */
		if (c != LOBBY_AVOID)
			check_array(array, spec->name, spec->per_player ? n : -1, spec->nulls);
	}
	return n;
}

/*
 * ---- Columns in the order of the lobby ----
 */

/* Numbers of players; NULL if there are none. */
static double *
numbers(const LobbyValue *value, int column, const Lobby *lobby)
{
	const float8 *element;
	double	   *number;
	int			i;

	if (value->null[column])
		return NULL;
	element = column_elements(value, column);
	number = palloc_array(double, lobby->n + 1);

	/* In the order of the array, in which an error counts elements. */
	check_points(columns[column].name, element, lobby->n, -MAX_POINTS);
	for (i = 0; i < lobby->n; i++)
		number[i] = element[people_of(lobby)->order[i]];
	return number;
}

/* The same of those that can differ on the second team, where both share an array unless they do. */
static void
numbers_of_sides(const LobbyValue *value, int column, int column_2, const Lobby *lobby,
				 double **number)
{
	number[0] = number[1] = numbers(value, column, lobby);
	if (number[0] != NULL && !value->null[column_2])
		number[1] = numbers(value, column_2, lobby);
}

/* Teams of players, up to a number; SPLIT_NOWHERE for null.  NULL if there are none. */
static int *
player_teams(const LobbyValue *value, int column, const Lobby *lobby, int most)
{
	int		   *team;
	Datum	   *element;
	bool	   *null;
	int			i;

	if (value->null[column])
		return NULL;
	team = palloc_array(int, lobby->n + 1);
	deconstruct_array(column_array(value, column), INT4OID, sizeof(int32), true, TYPALIGN_INT,
					  &element, &null, &i);
	for (i = 0; i < lobby->n; i++)
	{
		int			place = people_of(lobby)->order[i];

		team[i] = null[place] ? SPLIT_NOWHERE : DatumGetInt32(element[place]);
		if (!null[place] && (team[i] < SPLIT_BENCH || team[i] > most))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 column == LOBBY_LOCKED ?
					 errmsg("player %s cannot be locked to team %d",
							player_text(lobby, i), team[i]) :
					 errmsg("player %s cannot be in team %d",
							player_text(lobby, i), team[i]),
					 errhint("An element of %s is a team from 1 to %d, 0 for the bench, or null.",
							 columns[column].name, most)));
	}
	return team;
}

int *
text_groups(ArrayType *array, const char *name, const int *order, int n)
{
	int		   *group = palloc0_array(int, n + 1);
	IdType		type;
	IdTable    *table;
	Datum	   *element;
	bool	   *null;
	int			i;

	id_type_init(&type, TEXTOID, name);
	table = id_table_create(&type);
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &null, &i);
	for (i = 0; i < n; i++)
	{
		bool		found;
		void	  **number;

		CHECK_FOR_INTERRUPTS();
		if (null[order[i]])
			continue;
		number = id_table_enter(table, element[order[i]], "", &found);
		if (!found)
			*number = (void *) (intptr_t) (i + 1);
		group[i] = (int) (intptr_t) *number;
	}
	id_table_free(table);
	return group;
}

/* Groups of players; NULL if there are none. */
static int *
groups(const LobbyValue *value, int column, const Lobby *lobby)
{
	return value->null[column] ? NULL :
		text_groups(column_array(value, column), columns[column].name,
					people_of(lobby)->order, lobby->n);
}

/*
 * ---- The lobby ----
 */

/* The order in which players are considered: theirs, or one of the seed. */
static void
read_order(FunctionCallInfo fcinfo, int seed, People *people, int n)
{
	int		   *order = palloc_array(int, n + 1);
	pg_prng_state state;
	int			i;

	people->order = order;
	people->input_index = palloc_array(int, n + 1);
	for (i = 0; i < n; i++)
		order[i] = i;

	/*
	 * The shuffle of Fisher and Yates; a seed gives the same order on all
	 * machines.
	 */
	if (has_argument(fcinfo, seed))
		pg_prng_seed(&state, (uint64) PG_GETARG_INT64(seed));
	for (i = n - 1; i > 0 && has_argument(fcinfo, seed); i--)
	{
		int			j = (int) pg_prng_uint64_range(&state, 0, i);
		int			other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
	for (i = 0; i < n; i++)
		people->input_index[order[i]] = i;
}

/* The players, each once; their table leads to their place plus one. */
static IdTable *
read_players(const LobbyValue *value, const Lobby *lobby)
{
	ArrayType  *array = column_array(value, LOBBY_PLAYERS);
	People	   *people = people_of(lobby);
	IdType	   *type = &people->type;
	IdTable    *table;
	Datum	   *element;
	int			i;

	id_type_init(type, ARR_ELEMTYPE(array), "player");
	table = id_table_create(type);
	deconstruct_array(array, type->type, type->typlen, type->typbyval, type->typalign,
					  &element, NULL, &i);
	people->player = palloc_array(Datum, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		bool		found;
		void	  **place;

		CHECK_FOR_INTERRUPTS();
		people->player[i] = element[people->order[i]];
		place = id_table_enter(table, people->player[i], "", &found);
		if (found)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s occurs twice", player_text(lobby, i))));
		*place = (void *) (intptr_t) (i + 1);
	}
	return table;
}

/*
 * The lots by which teams are numbered: from who plays, not from how good they are, and on a ladder
 * from how often each has played, so that the same players get other numbers next time.
 */
static void
draw_lots(FunctionCallInfo fcinfo, int seed, const LobbyValue *value, Lobby *lobby)
{
	const int64 *games = value->null[LOBBY_GAMES] ? NULL : column_elements(value, LOBBY_GAMES);
	uint64		start = has_argument(fcinfo, seed) ? (uint64) PG_GETARG_INT64(seed) : 0;
	int			i;

	lobby->lot = palloc_array(uint64, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		char	   *text = player_text(lobby, i);

		CHECK_FOR_INTERRUPTS();
		lobby->lot[i] = hash_bytes_extended((const unsigned char *) text, (int) strlen(text),
											games != NULL ? start + (uint64) games[people_of(lobby)->order[i]] : start);
		pfree(text);
	}
}

/* Accounts of a ladder, of which no two may be of one player. */
static void
check_counts_as(const LobbyValue *value, const Lobby *lobby)
{
	int		   *counted = groups(value, LOBBY_COUNTS_AS, lobby);
	Datum	   *player;
	int			n;
	int			i;

	for (i = 0; i < lobby->n && counted != NULL; i++)
	{
		if (counted[i] == i + 1)
			continue;
		deconstruct_array(column_array(value, LOBBY_COUNTS_AS), TEXTOID, -1, false, TYPALIGN_INT,
						  &player, NULL, &n);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("player %s takes part under two accounts",
						TextDatumGetCString(player[people_of(lobby)->order[i]])),
				 errdetail("Accounts %s and %s count as one player, see skillrating.merge_players().",
						   player_text(lobby, counted[i] - 1), player_text(lobby, i))));
	}
}

/*
 * Pairs who are not to be on one team, each once: a pair that is given again, either way
 * round, would be another constraint to everything that goes through them.
 */
static void
read_avoid(ArrayType *array, IdTable *table, Lobby *lobby)
{
	/* By the places of both, the smaller one first: at most a million bytes. */
	bool	   *seen = palloc0_array(bool, lobby->n * lobby->n + 1);
	Datum	   *element;
	int			place[2] = {-1, -1};
	int			n;
	int			i;

	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("array avoid must not contain nulls")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL, &n);
	if (n % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array avoid must consist of pairs, not of %d elements", n),
				 errhint("Write '{{a,b},{c,d}}', or the same in one row.")));
	lobby->apart = palloc_array(SplitPair, n / 2 + 1);
	people_of(lobby)->pair = palloc_array(int, n / 2 + 1);
	for (i = 0; i < n; i++)
	{
		char	   *name = TextDatumGetCString(element[i]);
		Datum		id = id_from_text(&people_of(lobby)->type, name, "avoid");
		bool	   *is_known;

		place[i % 2] = (int) (intptr_t) id_table_find(table, id, "") - 1;

		/* A player who is not in the lobby need not be avoided. */
		if (i % 2 == 0 || place[0] < 0 || place[1] < 0)
			continue;
		if (place[0] == place[1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot avoid themselves", name)));
		is_known = &seen[Min(place[0], place[1]) * lobby->n + Max(place[0], place[1])];
		if (*is_known)
			continue;
		*is_known = true;
		people_of(lobby)->pair[lobby->napart] = i / 2;
		lobby->apart[lobby->napart++] = (SplitPair)
		{
			place[0], place[1]
		};
	}
	pfree(seen);
}

/* What players are worth, and who comes first. */
static void
read_estimates(const LobbyValue *value, Lobby *lobby)
{
	int			i;

	numbers_of_sides(value, LOBBY_MU, LOBBY_MU_2, lobby, lobby->estimate);
	numbers_of_sides(value, LOBBY_COMMAND_MU, LOBBY_COMMAND_MU_2, lobby, lobby->command);
	lobby->priority = numbers(value, LOBBY_PRIORITY, lobby);
	lobby->weight = numbers(value, LOBBY_WEIGHT, lobby);
	for (i = 0; i < lobby->n && lobby->weight != NULL; i++)
		if (lobby->weight[i] < MIN_SHARE_PLAYED || lobby->weight[i] > MAX_WEIGHT)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("weight of player %s is out of range: %g",
							player_text(lobby, i), lobby->weight[i]),
					 errhint("A weight is the share of the match that a player plays, from %g to %g.",
							 MIN_SHARE_PLAYED, MAX_WEIGHT)));
}

/* Who plays with whom and against whom, and where. */
static void
read_constraints(const LobbyValue *value, IdTable *table, Lobby *lobby)
{
	int		   *locked = player_teams(value, LOBBY_LOCKED, lobby, lobby->nteams);
	int			i;

	lobby->party = groups(value, LOBBY_PARTY, lobby);
	lobby->evenly = groups(value, LOBBY_SPLIT_EVENLY, lobby);
	lobby->current = player_teams(value, LOBBY_CURRENT, lobby, 2);
	if (!value->null[LOBBY_AVOID])
		read_avoid(column_array(value, LOBBY_AVOID), table, lobby);
	if (!value->null[LOBBY_COMMANDERS])
	{
		const bool *element = column_elements(value, LOBBY_COMMANDERS);

		lobby->commander = palloc_array(bool, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
			lobby->commander[i] = element[people_of(lobby)->order[i]];
	}
	for (i = 0; i < lobby->n && locked != NULL; i++)
	{
		lobby->benched += locked[i] == SPLIT_BENCH;
		locked[i] = locked[i] == SPLIT_NOWHERE ? SPLIT_ANYWHERE(lobby->nteams) :
			SPLIT_MAY(locked[i]);
	}

	/*
	 * One array as yet.  Whoever narrows where players may go works on a copy, so that this
	 * one goes on saying what was asked for.
	 */
	lobby->allowed_teams = lobby->locked_teams = locked;
}

/*
 * The prices of a kind of constraints, by the place of what they are about among the arguments: all
 * the same, or those of an array of n, in which null is no price.
 */
static double *
read_prices(const JsonReader *reader, int n)
{
	double	   *price = palloc_array(double, n + 1);
	const char *expected = n == 0 ? "a number from 0 to 1" :
		psprintf("a number from 0 to 1, or an array of %d numbers and nulls", n);
	int			i;

	for (i = 0; i < Max(n, 1); i++)
	{
		bool		each = json_value_size(&reader->value) == n && n > 0;
		const JsonbValue *value = each ? json_value_element(&reader->value, i) : &reader->value;

		price[i] = INFINITY;
		if ((!each || value->type != jbvNull) &&
			(!json_value_number(value, &price[i]) || !(price[i] >= 0 && price[i] <= 1)))
			json_invalid_value(reader, expected);
	}
	return price;
}

/* What each constraint costs that may be broken; a group costs what its dearest member says. */
static void
read_wishes(const LobbyValue *value, Lobby *lobby)
{
	static const char *const keys[] = {
		[CONSTRAINT_LOCK] = "locked",[CONSTRAINT_PARTY] = "party",
			[CONSTRAINT_EVENLY] = "split_evenly",[CONSTRAINT_APART] = "avoid",
			[CONSTRAINT_COMMAND] = "commanders", NULL
	};
	const char *valid = "The keys are party, avoid, locked, split_evenly and commanders.";
	const People *people = people_of(lobby);
	JsonReader	reader;

	if (value->null[LOBBY_WISHES])
		return;
	json_reader_begin(&reader, DatumGetJsonbP(value->value[LOBBY_WISHES]), "wishes", valid);
	while (json_reader_next(&reader))
	{
		int			kind = 0;
		int			pairs = value->null[LOBBY_AVOID] ? 0 : array_size(column_array(value, LOBBY_AVOID)) / 2;
		double	   *given;
		double	   *price;
		int			i;

		while (keys[kind] != NULL && strcmp(reader.key, keys[kind]) != 0)
			kind++;
		if (keys[kind] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("wishes have no \"%s\"", reader.key),
					 errhint("%s", valid)));
		given = read_prices(&reader, kind == CONSTRAINT_COMMAND ? 0 :
							kind == CONSTRAINT_APART ? pairs : lobby->n);
		price = palloc0_array(double, Max(lobby->n, lobby->napart) + 1);
		price[0] = kind == CONSTRAINT_COMMAND ? given[0] : 0;
		for (i = 0; i < lobby->napart && kind == CONSTRAINT_APART; i++)
			price[i] = given[people->pair[i]];
		for (i = 0; i < lobby->n && kind <= CONSTRAINT_EVENLY; i++)
		{
			const int  *group = kind == CONSTRAINT_PARTY ? lobby->party :
				kind == CONSTRAINT_EVENLY ? lobby->evenly : NULL;
			int			first = group != NULL && group[i] != 0 ? group[i] - 1 : i;

			price[first] = Max(price[first], given[people->order[i]]);
		}
		lobby->price[kind] = price;
	}
}

/* The strength of teams, and the handicap. */
static void
read_strength(const LobbyValue *value, Lobby *lobby)
{
	lobby->log_odds = column_number(value, LOBBY_LOG_ODDS, 0);
	check_finite("log_odds", lobby->log_odds);
	lobby->strength = value->null[LOBBY_STRENGTH] ? TEAM_STRENGTH_MEAN : (TeamStrength)
		word_index("strength", value->value[LOBBY_STRENGTH], strengths);
	lobby->log_odds_unit = column_number(value, LOBBY_LOG_ODDS_UNIT, 400 / M_LN10);
	check_positive("log_odds_unit", lobby->log_odds_unit);

	/* Either is finite, but their product need not be. */
	if (fabs(lobby->log_odds * lobby->log_odds_unit) > MAX_POINTS)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("log_odds times log_odds_unit is out of range: %g",
						lobby->log_odds * lobby->log_odds_unit)));
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
	lobby->command_weight =
		check_range("command_weight",
					column_number(value, LOBBY_COMMAND_WEIGHT, DEFAULT_COMMAND_WEIGHT), 0, MAX_WEIGHT);
}

/* States of so many columns for each player, or NULL. */
static const double *
read_states(const LobbyValue *value, int column, const Lobby *lobby, int nstate)
{
	if (value->null[column])
		return NULL;
	check_array(column_array(value, column), columns[column].name, lobby->n * nstate, false);
	return column_elements(value, column);
}

/* Components of so many columns for each player, in the order of the lobby, or NULL. */
static const double *
read_components(const LobbyValue *value, const Lobby *lobby, int ncolumns)
{
	const double *element = read_states(value, LOBBY_COMPONENT, lobby, ncolumns);
	double	   *component;
	int			i;

	if (element == NULL)
		return NULL;
	component = palloc_array(double, lobby->n * ncolumns + 1);
	for (i = 0; i < lobby->n * ncolumns; i++)
		component[i] = element[people_of(lobby)->order[i / ncolumns] * ncolumns + i % ncolumns];
	return component;
}

/* Read the model, which has its own strength, and everybody's state under it. */
static void
read_model(const LobbyValue *value, const LobbyUse *use, Lobby *lobby)
{
	const Model *model = get_model(TextDatumGetCString(value->value[LOBBY_MODEL]));
	ParamValue *params = get_model_params(&model, value->null[LOBBY_PARAMS] ? NULL :
										  DatumGetJsonbP(value->value[LOBBY_PARAMS]));
	const double *state = read_states(value, LOBBY_STATE, lobby, model->nstate);
	int			seats = use->seats > 0 ? use->seats : lobby->n;

	if (!value->null[LOBBY_SIGMA] && model_state_column(model, ROLE_DEVIATION) < 0)
		report_no_column(model, "sigma");
	take_model(lobby, model, params, seats, numbers(value, LOBBY_SIGMA, lobby), state);
	if (state != NULL && use->max_players <= MAX_LOBBY_PLAYERS)
		take_forecast(lobby, state, seats,
					  read_components(value, lobby,
									  component_columns(model, params, model->rules.ncomponents)),
					  groups(value, LOBBY_CONTEXT, lobby), groups(value, LOBBY_CLUB, lobby));
}

bool
read_lobby(FunctionCallInfo fcinfo, const LobbyUse *use, Lobby *lobby)
{
	int			budget = use->options ? PG_NARGS() - 3 : 0;
	LobbyValue	value;
	IdTable    *table;

	*lobby = (Lobby)
	{
		.nteams = use->nteams,.people = palloc0_object(People),.room = &lobby_room,
			.interrupt = check_interrupts
	};
	read_value(fcinfo, use, &value);
	if (value.null[LOBBY_PLAYERS] || value.null[LOBBY_MU])
		return false;
	lobby->n = check_value(&value, use);

	/* From here on players are known by their place in the lobby. */
	read_order(fcinfo, budget > 0 ? budget + 1 : 0, people_of(lobby), lobby->n);
	table = read_players(&value, lobby);
	draw_lots(fcinfo, budget > 0 ? budget + 1 : 0, &value, lobby);
	check_counts_as(&value, lobby);
	read_estimates(&value, lobby);
	read_constraints(&value, table, lobby);
	read_wishes(&value, lobby);
	lobby->strict = !value.null[LOBBY_STRICT] && DatumGetBool(value.value[LOBBY_STRICT]);
	id_table_free(table);
	read_strength(&value, lobby);
	if (!value.null[LOBBY_MODEL])
		read_model(&value, use, lobby);
	if (use->max_players > MAX_LOBBY_PLAYERS)
		return true;

	/*
	 * A copy: explanations take parties away, while squads go on being worth
	 * more.
	 */
	lobby->squad = groups(&value, LOBBY_PARTY, lobby);
	value_players(lobby, squad_sizes(lobby, NULL));
	lobby->max_work = lobby->nteams == 2 ? DEFAULT_STEPS : DEFAULT_STEPS_OF_MANY;
	if (has_argument(fcinfo, budget))
	{
		check_positive("budget", PG_GETARG_FLOAT8(budget));
		lobby->max_work = Min(MAX_STEPS, STEPS_PER_MILLISECOND * PG_GETARG_FLOAT8(budget));
	}
	return true;
}
