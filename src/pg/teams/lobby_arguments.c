/*
 * lobby_arguments.c
 *		Players who are to be split into teams, as arguments of a function.
 *
 * All of it is allocated in the current context, where it lives as long as the lobby, and an
 * error at any place leaves nothing to be released.  Arrays of numbers are copies in the order of
 * the lobby, which is that of the seed; identifiers stay in the argument's array, which is not
 * copied.  Arrays have one element more than players, so that those of nobody have an address.
 *
 * The order of reading is that of dependence: the number of teams, the players, what they are
 * worth, groups and places, pairs, and the model last, whose states take all the rest.
 */
#include "pg/teams/lobby_arguments.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "utils/builtins.h"

#include "pg/sql/arrays.h"

#define MAX_PLAYERS 1000

#define MAX_WEIGHT 1e6			/* of a commander, or a player, */
#define MIN_SHARE_PLAYED 1e-6	/* and the least of a player */

/* Steps of the core, each about a nanosecond. */
#define STEPS_PER_MILLISECOND 1e6
#define MAX_STEPS 1e10

static const char *const strengths[] = {"mean", "sum", "share"};

int
count_argument(FunctionCallInfo fcinfo, int arg, const char *name, int least, int most,
			   int otherwise)
{
	int			number = has_argument(fcinfo, arg) ? PG_GETARG_INT32(arg) : otherwise;

	/*
	 * What stands for null is out of range where there is nothing that could.
	 */
	if (!has_argument(fcinfo, arg) && otherwise < least)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	if (number >= least && number <= most)
		return number;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 most == NO_LIMIT ? errmsg("%s must not be negative, not %d", name, number) :
			 errmsg("%s must be at least %d and at most %d, not %d", name, least,
					most, number)));
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

void	  **
enter_once(IdTable *table, IdType *type, Datum id, const char *what)
{
	bool		found;
	void	  **place = id_table_enter(table, id, "", &found);

	if (found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s %s occurs twice", what, id_text(type, id))));
	return place;
}

double *
lobby_numbers(FunctionCallInfo fcinfo, int arg, const char *name,
			  const Lobby *lobby)
{
	const float8 *element = float8_array_argument(fcinfo, arg, name, lobby->n);
	double	   *number = palloc_array(double, lobby->n + 1);
	int			i;

	/* In the order of the argument, in which an error counts elements. */
	check_points(name, element, lobby->n, -MAX_POINTS);
	for (i = 0; i < lobby->n; i++)
		number[i] = element[lobby->order[i]];
	return number;
}

int32 *
lobby_integers(FunctionCallInfo fcinfo, int arg, const char *name,
			   const Lobby *lobby, bool **nulls)
{
	ArrayType  *array = array_with_nulls_argument(fcinfo, arg, name, lobby->n);
	int32	   *number = palloc_array(int32, lobby->n + 1);
	Datum	   *element;
	bool	   *null;
	int			i;

	*nulls = palloc_array(bool, lobby->n + 1);
	deconstruct_array(array, INT4OID, sizeof(int32), true, TYPALIGN_INT, &element,
					  &null, &i);
	for (i = 0; i < lobby->n; i++)
	{
		int			place = lobby->order[i];

		(*nulls)[i] = null[place];
		number[i] = null[place] ? 0 : DatumGetInt32(element[place]);
	}
	return number;
}

/* The order in which players are considered: theirs, or one of the seed. */
static int *
seeded_order(FunctionCallInfo fcinfo, int arg, int n)
{
	int		   *order = palloc_array(int, n + 1);
	pg_prng_state state;
	int			i;

	for (i = 0; i < n; i++)
		order[i] = i;
	if (!has_argument(fcinfo, arg))
		return order;

	/*
	 * The shuffle of Fisher and Yates; a seed gives the same order on all
	 * machines.
	 */
	pg_prng_seed(&state, (uint64) PG_GETARG_INT64(arg));
	for (i = n - 1; i > 0; i--)
	{
		int			j = (int) pg_prng_uint64_range(&state, 0, i);
		int			other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
	return order;
}

/* The players, each once; their table leads to their place plus one. */
static IdTable *
read_players(FunctionCallInfo fcinfo, Lobby *lobby)
{
	ArrayType  *array = array_argument(fcinfo, 0, "players", lobby->n);
	IdTable    *table = id_table_create(&lobby->type);
	Datum	   *element;
	int			i;

	deconstruct_array(array, lobby->type.type, lobby->type.typlen,
					  lobby->type.typbyval, lobby->type.typalign, &element, NULL, &i);
	lobby->player = palloc_array(Datum, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		lobby->player[i] = element[lobby->order[i]];
		*enter_once(table, &lobby->type, lobby->player[i], "player") =
			(void *) (intptr_t) (i + 1);
	}
	return table;
}

/*
 * Pairs who are not to be on one team, each once: a pair that is given again, either way
 * round, would be another constraint to everything that goes through them.
 */
static void
read_avoid(FunctionCallInfo fcinfo, int arg, Lobby *lobby, IdTable *table)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);

	/*
	 * By the places of both, the smaller one first: at most MAX_PLAYERS
	 * squared bytes.
	 */
	bool	   *seen = palloc0_array(bool, lobby->n * lobby->n + 1);
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &null, &n);
	if (n % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array avoid must consist of pairs, not of %d elements", n),
				 errhint("Write '{{a,b},{c,d}}', or the same in one row.")));
	lobby->apart = palloc_array(SplitPair, n / 2 + 1);
	for (i = 0; i < n; i += 2)
	{
		int			place[2];
		bool	   *is_known;
		int			j;

		for (j = 0; j < 2; j++)
		{
			Datum		id;

			if (null[i + j])
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("array avoid must not contain nulls")));

			/*
			 * A text that is no value of the type is an error of its input
			 * function.
			 */
			id = id_from_text(&lobby->type, TextDatumGetCString(element[i + j]), "avoid");
			place[j] = (int) (intptr_t) id_table_find(table, id, "") - 1;
		}

		/* A player who is not in the lobby need not be avoided. */
		if (place[0] < 0 || place[1] < 0)
			continue;
		if (place[0] == place[1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot avoid themselves",
							TextDatumGetCString(element[i]))));
		is_known = &seen[Min(place[0], place[1]) * lobby->n + Max(place[0], place[1])];
		if (*is_known)
			continue;
		*is_known = true;
		lobby->apart[lobby->napart++] = (SplitPair)
		{
			place[0], place[1]
		};
	}
	pfree(seen);
}

/* Groups of players in an array argument, see lobby_groups(). */
static int *
read_groups(FunctionCallInfo fcinfo, int arg, const char *name, const Lobby *lobby)
{
	bool	   *nulls;
	int32	   *number = lobby_integers(fcinfo, arg, name, lobby, &nulls);

	return lobby_groups(number, nulls, lobby->n);
}

static void
read_constraints(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	bool	   *nulls;
	int			i;

	if (has_argument(fcinfo, arguments->party))
		lobby->party = read_groups(fcinfo, arguments->party, "party", lobby);
	if (has_argument(fcinfo, arguments->split_evenly))
		lobby->evenly = read_groups(fcinfo, arguments->split_evenly, "split_evenly", lobby);
	if (has_argument(fcinfo, arguments->locked))
	{
		int32	   *locked = lobby_integers(fcinfo, arguments->locked, "locked", lobby,
											&nulls);

		lobby->allowed_teams = palloc_array(int, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
		{
			if (!nulls[i] && (locked[i] < SPLIT_BENCH || locked[i] > lobby->nteams))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("player %s cannot be locked to team %d",
								id_text(&lobby->type, lobby->player[i]), locked[i]),
						 errhint("An element of locked is a team from 1 to %d, 0 for the bench, or null.",
								 lobby->nteams)));
			lobby->allowed_teams[i] = nulls[i] ? SPLIT_ANYWHERE(lobby->nteams) :
				SPLIT_MAY(locked[i]);
			lobby->benched += !nulls[i] && locked[i] == SPLIT_BENCH;
		}

		/*
		 * One array as yet.  Whoever narrows where players may go works on a
		 * copy, so that this one goes on saying what was asked for.
		 */
		lobby->locked_teams = lobby->allowed_teams;
	}
	if (has_argument(fcinfo, arguments->current))
	{
		lobby->current = lobby_integers(fcinfo, arguments->current, "current", lobby,
										&nulls);
		for (i = 0; i < lobby->n; i++)
		{
			if (nulls[i])
				lobby->current[i] = SPLIT_NOWHERE;
			else if (lobby->current[i] < SPLIT_BENCH || lobby->current[i] > 2)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("player %s cannot be in team %d",
								id_text(&lobby->type, lobby->player[i]),
								lobby->current[i]),
						 errhint("An element of current is 1 or 2, 0 for the bench, or null for a player who was not there.")));
		}
	}
}

int
name_argument(FunctionCallInfo fcinfo, int arg, const char *what,
			  const char *const *names, int n, int otherwise, const char *hint)
{
	char	   *name;
	int			i;

	if (!has_argument(fcinfo, arg))
		return otherwise;
	name = text_to_cstring(PG_GETARG_TEXT_PP(arg));
	for (i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown %s \"%s\"", what, name),
			 errhint("%s", hint)));
}

void
read_number_of_teams(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
					 Lobby *lobby)
{
	const char *excess = NULL;

	lobby->nteams = count_argument(fcinfo, arguments->teams, "teams", 2,
								   SPLIT_MAX_TEAMS, 2);
	if (lobby->nteams == 2)
		return;

	/*
	 * Named before they are read, so that the error is not about their
	 * values.
	 */
	if (has_argument(fcinfo, arguments->mu_2))
		excess = "mu_2";
	else if (has_argument(fcinfo, arguments->command_mu))
		excess = "command_mu";
	else if (has_argument(fcinfo, arguments->log_odds) &&
			 PG_GETARG_FLOAT8(arguments->log_odds) != 0)
		excess = "log_odds";
	else if (has_argument(fcinfo, arguments->current))
		excess = "current";
	else if (has_argument(fcinfo, arguments->split_evenly))
		excess = "split_evenly";
	if (excess != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is for two teams only, not for %d", excess, lobby->nteams)));
}

void
read_estimates(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	int			i;

	/*
	 * Both sides share an array where they do not differ, and others ask for
	 * that.
	 */
	lobby->estimate[0] = lobby->estimate[1] =
		lobby_numbers(fcinfo, arguments->mu, "mu", lobby);
	if (has_argument(fcinfo, arguments->mu_2))
		lobby->estimate[1] = lobby_numbers(fcinfo, arguments->mu_2, "mu_2", lobby);
	if (has_argument(fcinfo, arguments->weight))
	{
		lobby->weight = lobby_numbers(fcinfo, arguments->weight, "weight", lobby);
		for (i = 0; i < lobby->n; i++)
			if (lobby->weight[i] < MIN_SHARE_PLAYED || lobby->weight[i] > MAX_WEIGHT)
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("weight of player %s is out of range: %g",
								id_text(&lobby->type, lobby->player[i]),
								lobby->weight[i]),
						 errhint("A weight is the share of the match that a player plays, from %g to %g.",
								 MIN_SHARE_PLAYED, MAX_WEIGHT)));
	}
	if (has_argument(fcinfo, arguments->priority))
		lobby->priority = lobby_numbers(fcinfo, arguments->priority, "priority", lobby);
	if (has_argument(fcinfo, arguments->command_mu))
		lobby->command[0] = lobby->command[1] =
			lobby_numbers(fcinfo, arguments->command_mu, "command_mu", lobby);
	if (has_argument(fcinfo, arguments->command_mu_2) && lobby->command[0] != NULL)
		lobby->command[1] = lobby_numbers(fcinfo, arguments->command_mu_2,
										  "command_mu_2", lobby);
	if (has_argument(fcinfo, arguments->commander))
	{
		ArrayType  *array = array_argument(fcinfo, arguments->commander, "commander",
										   lobby->n);
		const bool *element = (const bool *) ARR_DATA_PTR(array);

		lobby->commander = palloc_array(bool, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
			lobby->commander[i] = element[lobby->order[i]];
	}
}

/* The strength of teams, and the handicap. */
static void
read_strength(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	lobby->log_odds = has_argument(fcinfo, arguments->log_odds) ?
		PG_GETARG_FLOAT8(arguments->log_odds) : 0;
	check_finite("log_odds", lobby->log_odds);
	lobby->strength = (TeamStrength)
		name_argument(fcinfo, arguments->strength, "strength", strengths,
					  lengthof(strengths), TEAM_STRENGTH_MEAN,
					  "A team is the \"mean\" or the \"sum\" of its players, or what these contribute as their \"share\" of all who play.");
	lobby->log_odds_unit = has_argument(fcinfo, arguments->log_odds_unit) ?
		PG_GETARG_FLOAT8(arguments->log_odds_unit) : 400 / M_LN10;
	check_positive("log_odds_unit", lobby->log_odds_unit);

	/* Either is finite, but their product need not be. */
	if (fabs(lobby->log_odds * lobby->log_odds_unit) > MAX_POINTS)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("log_odds times log_odds_unit is out of range: %g",
						lobby->log_odds * lobby->log_odds_unit)));
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
	lobby->command_weight = has_argument(fcinfo, arguments->command_weight) ?
		check_not_negative("command_weight",
						   PG_GETARG_FLOAT8(arguments->command_weight)) :
		DEFAULT_COMMAND_WEIGHT;
	if (lobby->command_weight > MAX_WEIGHT)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("command_weight must be at most %g, not %g", MAX_WEIGHT,
						lobby->command_weight)));
}

/* Read the model, and everybody's state under it, for matches of so many players. */
static void
read_model(FunctionCallInfo fcinfo, const LobbyArguments *arguments, int seats,
		   Lobby *lobby)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(arguments->model)));
	ParamValue *params = get_model_params(&model, has_argument(fcinfo, arguments->params) ?
										  PG_GETARG_JSONB_P(arguments->params) : NULL);
	const double *deviation = NULL;
	const float8 *state = NULL;

	begin_model(lobby, model, params, seats);
	if (has_argument(fcinfo, arguments->deviation))
	{
		if (model_state_column(model, ROLE_DEVIATION) < 0)
			report_no_column(model, "deviation");
		deviation = lobby_numbers(fcinfo, arguments->deviation, "deviation", lobby);
	}
	if (has_argument(fcinfo, arguments->state))
		state = float8_array_argument(fcinfo, arguments->state, "state",
									  lobby->n * model->nstate);
	take_states(lobby, deviation, state);
}

void
read_rules(FunctionCallInfo fcinfo, const LobbyArguments *arguments, int seats,
		   Lobby *lobby)
{
	/* A model has its own strength, in place of what the arguments say. */
	read_strength(fcinfo, arguments, lobby);
	if (has_argument(fcinfo, arguments->model))
		read_model(fcinfo, arguments, seats, lobby);
}

bool
read_lobby(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	IdTable    *table;
	int			i;

	memset(lobby, 0, sizeof(Lobby));
	if (PG_ARGISNULL(0) || !has_argument(fcinfo, arguments->mu))
		return false;
	id_type_init(&lobby->type,
				 ARR_ELEMTYPE(PG_GETARG_ARRAYTYPE_P(0)), "player");
	lobby->n = array_size(PG_GETARG_ARRAYTYPE_P(0));
	if (lobby->n > MAX_PLAYERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are %d players, more than %d", lobby->n, MAX_PLAYERS)));
	read_number_of_teams(fcinfo, arguments, lobby);

	/*
	 * From here on i is a place in the lobby, and order[i] the element of an
	 * argument.
	 */
	lobby->order = seeded_order(fcinfo, arguments->seed, lobby->n);
	lobby->input_index = palloc_array(int, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		lobby->input_index[lobby->order[i]] = i;
	table = read_players(fcinfo, lobby);
	read_estimates(fcinfo, arguments, lobby);
	read_constraints(fcinfo, arguments, lobby);
	if (has_argument(fcinfo, arguments->avoid))
		read_avoid(fcinfo, arguments->avoid, lobby, table);
	read_rules(fcinfo, arguments, lobby->n, lobby);
	finish_lobby(lobby);

	/* In place of the default that has just been set. */
	if (has_argument(fcinfo, arguments->budget))
	{
		double		budget = PG_GETARG_FLOAT8(arguments->budget);

		check_positive("budget", budget);
		lobby->max_work = Min(MAX_STEPS, budget * STEPS_PER_MILLISECOND);
	}
	return true;
}
