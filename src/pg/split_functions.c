/*
 * split_functions.c
 *		Players in a lobby split into two teams and a bench.
 */
#include "arrays.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "ids.h"
#include "math/logistic.h"
#include "split/split.h"

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

#define MAX_PLAYERS 1000

/* What a split may take, besides the lobby itself. */
#define MAX_ROOM (64 * 1024 * 1024)

/* Steps of the core, each about a nanosecond. */
#define STEPS_PER_MILLISECOND 1e6
#define MOST_STEPS 1e10

/* What players of a team are together. */
typedef enum Strength
{
	STRENGTH_MEAN,
	STRENGTH_SUM,
	STRENGTH_SHARE
} Strength;

static const char *const strengths[] = {"mean", "sum", "share"};

/* Where arguments stand, -1 for those that a function does not have. */
typedef struct LobbyArguments
{
	int			players;
	int			rating;
	int			party;
	int			locked;
	int			avoid;
	int			rating_2;
	int			log_odds;
	int			strength;
	int			scale;
	int			command_rating;
	int			command_rating_2;
	int			command_weight;
	int			commander;
	int			budget;
	int			seed;
} LobbyArguments;

/* Who is to be split, in the order of the seed. */
typedef struct Lobby
{
	IdType		type;
	int			n;
	Datum	   *player;
	double	   *rating[2];		/* on either team */
	double	   *command[2];		/* as a commander, or NULL */
	int		   *party;			/* or NULL, as the others */
	int		   *locked;
	bool	   *commander;
	SplitPair  *apart;
	int			napart;
	int			benched;		/* locked there */
	double		log_odds;
	Strength	strength;
	double		scale;
	double		command_weight;
	double		max_work;
} Lobby;

/* An answer in terms of the lobby. */
typedef struct Split
{
	SplitAnswer answer;
	double		difference;		/* of strengths */
	double		logit;
	double		bound;			/* of the difference */
} Split;

/*
 * ---- Arguments ----
 */

static bool
given(FunctionCallInfo fcinfo, int arg)
{
	return arg >= 0 && !PG_ARGISNULL(arg);
}

/* Numbers of players, in their order. */
static double *
lobby_numbers(FunctionCallInfo fcinfo, int arg, const char *name, const int *order,
			  int n)
{
	const float8 *element = float8_array_argument(fcinfo, arg, name, n);
	double	   *number = palloc_array(double, n + 1);
	int			i;

	check_finite_elements(name, element, n);
	for (i = 0; i < n; i++)
		number[i] = element[order[i]];
	return number;
}

/* Integers of players, some of which may be null. */
static int32 *
lobby_integers(FunctionCallInfo fcinfo, int arg, const char *name,
			   const int *order, int n, bool **nulls)
{
	ArrayType  *array = array_with_nulls_argument(fcinfo, arg, name, n);
	int32	   *number = palloc_array(int32, n + 1);
	Datum	   *element;
	bool	   *null;
	int			i;

	*nulls = palloc_array(bool, n + 1);
	deconstruct_array(array, ARR_ELEMTYPE(array), sizeof(int32), true, TYPALIGN_INT,
					  &element, &null, &i);
	for (i = 0; i < n; i++)
	{
		(*nulls)[i] = null[order[i]];
		number[i] = null[order[i]] ? 0 : DatumGetInt32(element[order[i]]);
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
	if (!given(fcinfo, arg))
		return order;
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
read_players(FunctionCallInfo fcinfo, int arg, Lobby *lobby, const int *order)
{
	ArrayType  *array = array_argument(fcinfo, arg, "players", lobby->n);
	IdTable    *table = id_table_create(&lobby->type);
	Datum	   *element;
	int			i;

	deconstruct_array(array, lobby->type.type, lobby->type.typlen,
					  lobby->type.typbyval, lobby->type.typalign, &element, NULL, &i);
	lobby->player = palloc_array(Datum, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		bool		found;
		void	  **place;

		lobby->player[i] = element[order[i]];
		place = id_table_enter(table, lobby->player[i], "", &found);
		if (found)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s is there twice",
							id_text(&lobby->type, lobby->player[i]))));
		*place = (void *) (intptr_t) (i + 1);
	}
	return table;
}

/* Pairs who are not to be on one team. */
static void
read_avoid(FunctionCallInfo fcinfo, int arg, Lobby *lobby, IdTable *table)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(arg);
	Datum	   *element;
	bool	   *null;
	int			n;
	int			i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, &null, &n);
	if (n % 2 != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("array avoid has %d elements, not pairs", n),
				 errhint("It is '{{a,b},{c,d}}', or the same in one row.")));
	lobby->apart = palloc_array(SplitPair, n / 2 + 1);
	for (i = 0; i < n; i += 2)
	{
		int			place[2];
		int			j;

		for (j = 0; j < 2; j++)
		{
			Datum		id;

			if (null[i + j])
				ereport(ERROR,
						(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						 errmsg("array avoid must not contain nulls")));
			id = InputFunctionCall(&lobby->type.input,
								   TextDatumGetCString(element[i + j]),
								   lobby->type.input_param, -1);
			place[j] = (int) (intptr_t) id_table_find(table, id, "") - 1;
		}

		/* Who is not in the lobby need not be avoided. */
		if (place[0] < 0 || place[1] < 0)
			continue;
		if (place[0] == place[1])
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s makes no pair alone",
							TextDatumGetCString(element[i]))));
		lobby->apart[lobby->napart++] = (SplitPair) {place[0], place[1]};
	}
}

static void
read_ties(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby,
		  const int *order)
{
	bool	   *nulls;
	int			i,
				j;

	if (given(fcinfo, arguments->party))
	{
		int32	   *party = lobby_integers(fcinfo, arguments->party, "party", order,
										   lobby->n, &nulls);

		/* A party is known by its first member. */
		lobby->party = palloc_array(int, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
		{
			lobby->party[i] = nulls[i] ? 0 : i + 1;
			for (j = 0; j < i && !nulls[i]; j++)
				if (!nulls[j] && party[j] == party[i])
				{
					lobby->party[i] = lobby->party[j];
					break;
				}
		}
	}
	if (given(fcinfo, arguments->locked))
	{
		lobby->locked = lobby_integers(fcinfo, arguments->locked, "locked", order,
									   lobby->n, &nulls);
		for (i = 0; i < lobby->n; i++)
		{
			if (nulls[i])
				lobby->locked[i] = SPLIT_ANYWHERE;
			else if (lobby->locked[i] < 0 || lobby->locked[i] > 2)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("player %s cannot be locked to team %d",
								id_text(&lobby->type, lobby->player[i]),
								lobby->locked[i]),
						 errhint("locked is 1 or 2, 0 for the bench, or null.")));
			lobby->benched += lobby->locked[i] == SPLIT_BENCH;
		}
	}
	if (given(fcinfo, arguments->commander))
	{
		ArrayType  *array = array_argument(fcinfo, arguments->commander, "commander",
										   lobby->n);
		const bool *element = (const bool *) ARR_DATA_PTR(array);

		lobby->commander = palloc_array(bool, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
			lobby->commander[i] = element[order[i]];
	}
}

/* The strength by its name. */
static Strength
get_strength(const char *name)
{
	int			i;

	for (i = 0; i < (int) lengthof(strengths); i++)
		if (strcmp(strengths[i], name) == 0)
			return (Strength) i;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown strength \"%s\"", name),
			 errhint("A team is the \"mean\" or the \"sum\" of its players, or what these contribute as their \"share\" of all who play.")));
}

/* Read the lobby; false if players or ratings are null. */
static bool
read_lobby(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	int		   *order;
	IdTable    *table;

	memset(lobby, 0, sizeof(Lobby));
	if (!given(fcinfo, arguments->players) || !given(fcinfo, arguments->rating))
		return false;
	id_type_init(&lobby->type,
				 ARR_ELEMTYPE(PG_GETARG_ARRAYTYPE_P(arguments->players)), "player");
	lobby->n = array_size(PG_GETARG_ARRAYTYPE_P(arguments->players));
	if (lobby->n > MAX_PLAYERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are %d players, more than %d", lobby->n, MAX_PLAYERS)));
	order = seeded_order(fcinfo, arguments->seed, lobby->n);
	table = read_players(fcinfo, arguments->players, lobby, order);
	lobby->rating[0] = lobby->rating[1] =
		lobby_numbers(fcinfo, arguments->rating, "rating", order, lobby->n);
	if (given(fcinfo, arguments->rating_2))
		lobby->rating[1] = lobby_numbers(fcinfo, arguments->rating_2, "rating_2",
										 order, lobby->n);
	if (given(fcinfo, arguments->command_rating))
		lobby->command[0] = lobby->command[1] =
			lobby_numbers(fcinfo, arguments->command_rating, "command_rating", order,
						  lobby->n);
	if (given(fcinfo, arguments->command_rating_2) && lobby->command[0] != NULL)
		lobby->command[1] = lobby_numbers(fcinfo, arguments->command_rating_2,
										  "command_rating_2", order, lobby->n);
	read_ties(fcinfo, arguments, lobby, order);
	if (given(fcinfo, arguments->avoid))
		read_avoid(fcinfo, arguments->avoid, lobby, table);

	lobby->log_odds = given(fcinfo, arguments->log_odds) ?
		PG_GETARG_FLOAT8(arguments->log_odds) : 0;
	check_finite("log_odds", lobby->log_odds);
	lobby->strength = given(fcinfo, arguments->strength) ?
		get_strength(text_to_cstring(PG_GETARG_TEXT_PP(arguments->strength))) :
		STRENGTH_MEAN;
	lobby->scale = given(fcinfo, arguments->scale) ?
		PG_GETARG_FLOAT8(arguments->scale) : 400 / log(10);
	check_positive("scale", lobby->scale);
	lobby->command_weight = given(fcinfo, arguments->command_weight) ?
		check_not_negative("command_weight",
						   PG_GETARG_FLOAT8(arguments->command_weight)) : 0.5;
	lobby->max_work = MOST_STEPS;
	if (given(fcinfo, arguments->budget))
	{
		double		budget = PG_GETARG_FLOAT8(arguments->budget);

		check_positive("budget", budget);
		lobby->max_work = Min(MOST_STEPS, budget * STEPS_PER_MILLISECOND);
	}
	return true;
}

/*
 * ---- Solving ----
 */

/* A problem with the lobby's ties. */
static void
begin_problem(const Lobby *lobby, SplitProblem *problem)
{
	int			n = lobby->n + 1;

	memset(problem, 0, sizeof(SplitProblem));
	problem->n = lobby->n;
	problem->party = lobby->party;
	problem->locked = lobby->locked;
	problem->commander = lobby->commander;
	problem->apart = lobby->apart;
	problem->napart = lobby->napart;
	problem->max_room = MAX_ROOM;
	problem->max_work = lobby->max_work;
	problem->interrupt = check_interrupts;
	problem->member = palloc_array(int, n);
	problem->root = palloc_array(int, n);
	problem->order = palloc_array(int, n);
	problem->group = palloc_array(SplitGroup, n);
}

/* The members of a group as a list. */
static char *
member_names(Lobby *lobby, const SplitProblem *problem, const SplitGroup *group)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < group->nmembers; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 id_text(&lobby->type,
								 lobby->player[problem->member[group->first_member + i]]));
	return names.data;
}

/* Solve a problem whose sizes and values are set. */
static SplitStatus
solve_problem(SplitProblem *problem, SplitAnswer *answer)
{
	SplitStatus status = split_group(problem);
	void	   *room;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (status != SPLIT_OK)
		return status;
	problem->option = palloc_extended(mul_size(sizeof(SplitOption),
											   problem->noptions + 1),
									  MCXT_ALLOC_HUGE);
	split_make_options(problem);
	split_choose(problem);
	if (problem->room > 2 * MAX_ROOM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("splitting these players would take %zu MB",
						problem->room >> 20),
				 errhint("Fewer players can be split, or those of fewer parties.")));
	room = palloc(Max(problem->room, 1));
	split_solve(problem, room, answer);
	pfree(room);
	pfree(problem->option);
	return SPLIT_OK;
}

/* Whether there is any split of these sizes, with other ties than the lobby's. */
static bool
is_feasible(const Lobby *lobby, const SplitProblem *ties)
{
	SplitProblem problem = *ties;
	SplitAnswer answer = {0};
	double	   *zero = palloc0_array(double, lobby->n + 1);
	double		target = 0;
	bool		feasible;

	problem.value[0] = problem.value[1] = zero;
	if (problem.command_value[0] != NULL)
		problem.command_value[0] = problem.command_value[1] = zero;
	problem.nsizes = 1;
	problem.target = &target;
	answer.team = palloc_array(int, lobby->n + 1);
	feasible = solve_problem(&problem, &answer) == SPLIT_OK && answer.found;
	pfree(answer.team);
	pfree(zero);
	return feasible;
}

/* A tie without which there is a split, in words, or NULL. */
static char *
find_conflict(Lobby *lobby, const SplitProblem *problem)
{
	SplitProblem without = *problem;
	int		   *ties = palloc_array(int, lobby->n + 1);
	SplitPair  *pairs = palloc_array(SplitPair, problem->napart + 1);
	int			i,
				j;

	for (i = 0; i < lobby->n && lobby->locked != NULL; i++)
	{
		if (lobby->locked[i] == SPLIT_ANYWHERE)
			continue;
		memcpy(ties, lobby->locked, sizeof(int) * lobby->n);
		ties[i] = SPLIT_ANYWHERE;
		without.locked = ties;
		if (is_feasible(lobby, &without))
			return psprintf("There is one if player %s is not locked.",
							id_text(&lobby->type, lobby->player[i]));
	}
	without = *problem;
	for (i = 0; i < lobby->n && lobby->party != NULL; i++)
	{
		if (lobby->party[i] != i + 1)
			continue;
		memcpy(ties, lobby->party, sizeof(int) * lobby->n);
		for (j = 0; j < lobby->n; j++)
			if (ties[j] == i + 1)
				ties[j] = 0;
		without.party = ties;
		if (is_feasible(lobby, &without))
			return psprintf("There is one if the party of player %s is separated.",
							id_text(&lobby->type, lobby->player[i]));
	}
	without = *problem;
	for (i = 0; i < problem->napart; i++)
	{
		memcpy(pairs, problem->apart, sizeof(SplitPair) * problem->napart);
		pairs[i] = pairs[problem->napart - 1];
		without.apart = pairs;
		without.napart = problem->napart - 1;
		if (is_feasible(lobby, &without))
			return psprintf("There is one if players %s and %s do not avoid each other.",
							id_text(&lobby->type, lobby->player[problem->apart[i].a]),
							id_text(&lobby->type, lobby->player[problem->apart[i].b]));
	}
	return NULL;
}

/* Report that there is no split. */
pg_noreturn static void
report_no_split(Lobby *lobby, SplitProblem *problem, SplitStatus status)
{
	const SplitGroup *group = &problem->group[problem->at_fault];
	const int  *count = problem->size[0].count;
	char	   *conflict;
	char	   *names;

	if (status == SPLIT_GROUP_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many players are tied to one another: %d",
						group->nmembers),
				 errdetail("They are %s.", member_names(lobby, problem, group)),
				 errhint("Fewer pairs to avoid make smaller groups.")));
	names = status == SPLIT_NO_OPTION ? member_names(lobby, problem, group) : NULL;
	conflict = find_conflict(lobby, problem);
	if (names != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("party, locked and avoid of %s contradict one another", names),
				 conflict != NULL ? errdetail("%s", conflict) : 0));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no split into teams of %d and %d that keeps party, locked and avoid%s",
					count[0], count[1],
					lobby->command[0] != NULL ? " and has a commander on either side" : ""),
			 conflict != NULL ? errdetail("%s", conflict) : 0));
}

static int
greatest_common_divisor(int a, int b)
{
	while (b != 0)
	{
		int			rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Times so much, or as they are. */
static double *
scaled(const double *number, double by, int n)
{
	double	   *product = palloc_array(double, n + 1);
	int			i;

	for (i = 0; i < n; i++)
		product[i] = number[i] * by;
	return product;
}

static void
take_answer(const Lobby *lobby, double factor, double target, Split *split)
{
	split->difference = (split->answer.difference + target) / factor;
	split->logit = split->answer.difference / factor / lobby->scale;
	split->bound = split->answer.bound / factor;
}

/*
 * Split into teams of one size.  What the core makes small is the difference in
 * log-odds times a factor that leaves whole numbers whole: ratings count by the
 * number of the other team's players where a team is a mean.
 */
static SplitStatus
split_one_size(const Lobby *lobby, SplitSize size, SplitProblem *problem,
			   Split *split)
{
	SplitStatus status;
	double		target;
	double		factor = 1;
	double		by[2] = {1, 1};
	int			commanders = lobby->command[0] != NULL ? 1 : 0;
	int			n[2];
	int			i;

	for (i = 0; i < 2; i++)
		n[i] = Max(size.count[i] - commanders, 1);
	if (lobby->strength == STRENGTH_MEAN)
	{
		int			divisor = greatest_common_divisor(n[0], n[1]);

		by[0] = n[1] / divisor;
		by[1] = n[0] / divisor;
		factor = n[0] * by[0];
	}
	else if (lobby->strength == STRENGTH_SHARE)
		factor = n[0] + n[1];
	target = -lobby->log_odds * lobby->scale * factor;
	begin_problem(lobby, problem);
	for (i = 0; i < 2; i++)
	{
		problem->value[i] = scaled(lobby->rating[i], by[i], lobby->n);
		if (commanders > 0)
			problem->command_value[i] = scaled(lobby->command[i],
											   lobby->command_weight * factor,
											   lobby->n);
	}
	problem->size = &size;
	problem->nsizes = 1;
	problem->target = &target;
	memset(split, 0, sizeof(Split));
	split->answer.team = palloc_array(int, lobby->n + 1);
	status = solve_problem(problem, &split->answer);
	if (status == SPLIT_OK && split->answer.found)
		take_answer(lobby, factor, target, split);
	return status;
}

/* Whether it does not matter which team is the first. */
static bool
is_symmetric(const Lobby *lobby)
{
	return lobby->rating[0] == lobby->rating[1] && lobby->log_odds == 0 &&
		lobby->locked == NULL && lobby->command[0] == lobby->command[1];
}

/*
 * split_teams(players, rating, teams, team_size, party, locked, avoid, rating_2,
 * log_odds, strength, scale, command_rating, command_rating_2, command_weight,
 * commander, budget, seed)
 */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.players = 0,.rating = 1,.party = 4,.locked = 5,.avoid = 6,.rating_2 = 7,
		.log_odds = 8,.strength = 9,.scale = 10,.command_rating = 11,
		.command_rating_2 = 12,.command_weight = 13,.commander = 14,.budget = 15,
		.seed = 16
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitStatus status;
	SplitSize	size;
	Split		split;
	int			playing;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	if (given(fcinfo, 2) && PG_GETARG_INT32(2) != 2)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("teams must be 2, not %d", PG_GETARG_INT32(2))));
	playing = lobby.n - lobby.benched;
	size.count[0] = (playing + 1) / 2;
	size.count[1] = playing / 2;
	if (given(fcinfo, 3))
	{
		int			team_size = PG_GETARG_INT32(3);

		if (team_size < 1 || team_size > playing / 2)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("team_size must be at least 1 and at most %d, not %d",
							playing / 2, team_size),
					 errdetail("There are %d players who are not locked to the bench.",
							   playing)));
		size.count[0] = size.count[1] = team_size;
	}
	else if (playing < 2)
	{
		if (lobby.n == 0)
			return (Datum) 0;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be at least two players who are not locked to the bench")));
	}
	status = split_one_size(&lobby, size, &problem, &split);
	if (size.count[0] != size.count[1] && !is_symmetric(&lobby))
	{
		SplitSize	other = {{size.count[1], size.count[0]}};
		Split		mirror;

		if (split_one_size(&lobby, other, &problem, &mirror) == SPLIT_OK &&
			mirror.answer.found &&
			(status != SPLIT_OK || !split.answer.found ||
			 fabs(mirror.logit) < fabs(split.logit)))
		{
			split = mirror;
			status = SPLIT_OK;
		}
	}
	problem.size = &size;
	if (status != SPLIT_OK || !split.answer.found)
		report_no_split(&lobby, &problem, status);
	for (i = 0; i < lobby.n; i++)
	{
		Datum		values[7];
		bool		nulls[7] = {false};
		int			team = split.answer.team[i];

		values[0] = lobby.player[i];
		values[1] = Int32GetDatum(team);
		nulls[1] = team == SPLIT_BENCH;
		values[2] = Float8GetDatum(split.difference);
		values[3] = Float8GetDatum(logistic(split.logit));
		values[4] = BoolGetDatum(split.bound == 0);
		values[5] = Float8GetDatum(split.bound);
		values[6] = BoolGetDatum(split.answer.commander[0] == i ||
								 split.answer.commander[1] == i);
		nulls[6] = lobby.command[0] == NULL;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * split_all_sizes(players, rating, party, locked, avoid, rating_2, log_odds, strength,
 * scale, budget, seed)
 */
Datum
skillrating_split_all_sizes(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.players = 0,.rating = 1,.party = 2,.locked = 3,.avoid = 4,.rating_2 = 5,
		.log_odds = 6,.strength = 7,.scale = 8,.command_rating = -1,
		.command_rating_2 = -1,.command_weight = -1,.commander = -1,.budget = 9,
		.seed = 10
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitStatus status;
	SplitSize  *size;
	SplitAnswer *answer;
	double	   *target;
	double	   *factor;
	int			nsizes;
	int			s,
				i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	nsizes = Max((lobby.n - lobby.benched) / 2 - 1, 0);
	if (nsizes == 0)
		return (Datum) 0;
	begin_problem(&lobby, &problem);
	size = palloc_array(SplitSize, nsizes);
	target = palloc_array(double, nsizes);
	factor = palloc_array(double, nsizes);
	answer = palloc0_array(SplitAnswer, nsizes);
	for (s = 0; s < nsizes; s++)
	{
		int			k = s + 2;

		size[s] = (SplitSize) {{k, k}};
		factor[s] = lobby.strength == STRENGTH_MEAN ? k :
			lobby.strength == STRENGTH_SHARE ? 2 * k : 1;
		target[s] = -lobby.log_odds * lobby.scale * factor[s];
		answer[s].team = palloc_array(int, lobby.n);
	}
	problem.size = size;
	problem.nsizes = nsizes;
	problem.target = target;
	problem.value[0] = lobby.rating[0];
	problem.value[1] = lobby.rating[1];
	status = solve_problem(&problem, answer);
	if (status != SPLIT_OK)
		report_no_split(&lobby, &problem, status);
	for (s = 0; s < nsizes; s++)
		for (i = 0; i < lobby.n && answer[s].found; i++)
		{
			Datum		values[7];
			bool		nulls[7] = {false};
			Split		split;

			split.answer = answer[s];
			take_answer(&lobby, factor[s], target[s], &split);
			values[0] = Int32GetDatum(s + 2);
			values[1] = lobby.player[i];
			values[2] = Int32GetDatum(answer[s].team[i]);
			nulls[2] = answer[s].team[i] == SPLIT_BENCH;
			values[3] = Float8GetDatum(split.difference);
			values[4] = BoolGetDatum(split.bound == 0);
			values[5] = Float8GetDatum(split.bound);
			values[6] = Float8GetDatum(logistic(split.logit));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	return (Datum) 0;
}
