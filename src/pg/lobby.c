/*
 * lobby.c
 *		Players who are to be split into teams, as arguments of a function.
 */
#include "lobby.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "arrays.h"

#define MAX_PLAYERS 1000

/* Ratings and what a team has in advance, in points. */
#define MOST_POINTS 1e12
#define MOST_WEIGHT 1e6			/* of a commander */

/* What a split may take, besides the lobby itself. */
#define MAX_ROOM (64 * 1024 * 1024)

/* In larger lobbies a conflict is not explained. */
#define MOST_TO_EXPLAIN 100

/* Steps of the core, each about a nanosecond. */
#define STEPS_PER_MILLISECOND 1e6
#define MOST_STEPS 1e10

static const char *const strengths[] = {"mean", "sum", "share"};

/*
 * ---- Arguments ----
 */

/* Numbers of players, in their order. */
static double *
lobby_numbers(FunctionCallInfo fcinfo, int arg, const char *name,
			  const Lobby *lobby)
{
	const float8 *element = float8_array_argument(fcinfo, arg, name, lobby->n);
	double	   *number = palloc_array(double, lobby->n + 1);
	int			i;

	check_finite_elements(name, element, lobby->n);
	for (i = 0; i < lobby->n; i++)
	{
		if (fabs(element[i]) > MOST_POINTS)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("%s is out of range: %g", name, element[i]),
					 errdetail("It is element %d of the array.", i + 1),
					 errhint("It must lie between %g and %g.", -MOST_POINTS,
							 MOST_POINTS)));
		number[i] = element[lobby->order[i]];
	}
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
read_players(FunctionCallInfo fcinfo, int arg, Lobby *lobby)
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

		lobby->player[i] = element[lobby->order[i]];
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
read_ties(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	bool	   *nulls;
	int			i,
				j;

	if (given(fcinfo, arguments->party))
	{
		int32	   *party = lobby_integers(fcinfo, arguments->party, "party", lobby,
										   &nulls);

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
		int32	   *locked = lobby_integers(fcinfo, arguments->locked, "locked", lobby,
											&nulls);

		lobby->places = palloc_array(int, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
		{
			if (!nulls[i] && (locked[i] < SPLIT_BENCH || locked[i] > 2))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("player %s cannot be locked to team %d",
								id_text(&lobby->type, lobby->player[i]), locked[i]),
						 errhint("locked is 1 or 2, 0 for the bench, or null.")));
			lobby->places[i] = nulls[i] ? SPLIT_ANYWHERE : SPLIT_MAY(locked[i]);
			lobby->benched += !nulls[i] && locked[i] == SPLIT_BENCH;
		}
	}
	if (given(fcinfo, arguments->commander))
	{
		ArrayType  *array = array_argument(fcinfo, arguments->commander, "commander",
										   lobby->n);
		const bool *element = (const bool *) ARR_DATA_PTR(array);

		lobby->commander = palloc_array(bool, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
			lobby->commander[i] = element[lobby->order[i]];
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

bool
read_lobby(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby)
{
	IdTable    *table;
	int			i;

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
	lobby->order = seeded_order(fcinfo, arguments->seed, lobby->n);
	lobby->place = palloc_array(int, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		lobby->place[lobby->order[i]] = i;
	table = read_players(fcinfo, arguments->players, lobby);
	lobby->rating[0] = lobby->rating[1] =
		lobby_numbers(fcinfo, arguments->rating, "rating", lobby);
	if (given(fcinfo, arguments->rating_2))
		lobby->rating[1] = lobby_numbers(fcinfo, arguments->rating_2, "rating_2", lobby);
	if (given(fcinfo, arguments->priority))
		lobby->priority = lobby_numbers(fcinfo, arguments->priority, "priority", lobby);
	if (given(fcinfo, arguments->command_rating))
		lobby->command[0] = lobby->command[1] =
			lobby_numbers(fcinfo, arguments->command_rating, "command_rating", lobby);
	if (given(fcinfo, arguments->command_rating_2) && lobby->command[0] != NULL)
		lobby->command[1] = lobby_numbers(fcinfo, arguments->command_rating_2, "command_rating_2", lobby);
	read_ties(fcinfo, arguments, lobby);
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
	if (fabs(lobby->log_odds * lobby->scale) > MOST_POINTS)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("log_odds times scale is out of range: %g",
						lobby->log_odds * lobby->scale)));
	lobby->command_weight = given(fcinfo, arguments->command_weight) ?
		check_not_negative("command_weight",
						   PG_GETARG_FLOAT8(arguments->command_weight)) : 0.5;
	if (lobby->command_weight > MOST_WEIGHT)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("command_weight must be at most %g, not %g", MOST_WEIGHT,
						lobby->command_weight)));
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

void
begin_problem(const Lobby *lobby, SplitProblem *problem)
{
	int			n = lobby->n + 1;

	memset(problem, 0, sizeof(SplitProblem));
	problem->n = lobby->n;
	problem->party = lobby->party;
	problem->places = lobby->places;
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

/* Errors if something takes more memory than a split may. */
static void
check_room(Size room)
{
	if (room > MAX_ROOM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("splitting these players would take %zu MB, more than %d",
						room >> 20, MAX_ROOM >> 20),
				 errhint("Fewer players, or with fewer pairs to avoid, can be split.")));
}

SplitStatus
solve_problem(SplitProblem *problem, SplitAnswer *answer)
{
	SplitStatus status = split_group(problem);
	void	   *room;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (status != SPLIT_OK)
		return status;
	check_room(mul_size(sizeof(SplitOption), problem->noptions + 1));
	problem->option = palloc_array(SplitOption, problem->noptions + 1);
	split_make_options(problem);
	split_choose(problem);
	check_room(problem->room);
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

	/* Every tie is tried, which should not take longer than it is worth. */
	if (lobby->n > MOST_TO_EXPLAIN)
		return NULL;
	for (i = 0; i < lobby->n && lobby->places != NULL; i++)
	{
		if (lobby->places[i] == SPLIT_ANYWHERE)
			continue;
		memcpy(ties, lobby->places, sizeof(int) * lobby->n);
		ties[i] = SPLIT_ANYWHERE;
		without.places = ties;
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

void
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

LobbyScale
lobby_scale(const Lobby *lobby, SplitSize size)
{
	LobbyScale	scale = {{1, 1}, 1};
	int			n[2];
	int			divisor;
	int			i;

	/* Commanders do not count as players. */
	for (i = 0; i < 2; i++)
		n[i] = Max(size.count[i] - (lobby->command[0] != NULL ? 1 : 0), 1);
	switch (lobby->strength)
	{
		case STRENGTH_MEAN:
			/* Ratings count by the number of the other team's players. */
			divisor = greatest_common_divisor(n[0], n[1]);
			scale.by[0] = n[1] / divisor;
			scale.by[1] = n[0] / divisor;
			scale.factor = n[0] * scale.by[0];
			break;
		case STRENGTH_SHARE:
			scale.factor = n[0] + n[1];
			break;
		case STRENGTH_SUM:
			break;
	}
	return scale;
}

void
describe_split(const Lobby *lobby, const LobbyScale *scale, double target,
			   Split *split)
{
	/* Adding 0 makes 0 of -0. */
	split->difference = (split->answer.difference + target) / scale->factor + 0.0;
	split->logit = split->answer.difference / scale->factor / lobby->scale + 0.0;
	split->bound = split->answer.bound / scale->factor;
}

SplitStatus
split_one_size(const Lobby *lobby, SplitSize size, SplitProblem *problem,
			   Split *split)
{
	LobbyScale	scale = lobby_scale(lobby, size);
	double		target = -lobby->log_odds * lobby->scale * scale.factor;
	SplitStatus status;
	int			i;

	begin_problem(lobby, problem);
	for (i = 0; i < 2; i++)
	{
		problem->value[i] = scaled(lobby->rating[i], scale.by[i], lobby->n);
		if (lobby->command[0] != NULL)
			problem->command_value[i] = scaled(lobby->command[i],
											   lobby->command_weight * scale.factor,
											   lobby->n);
	}
	problem->size = &size;
	problem->nsizes = 1;
	problem->target = &target;
	memset(split, 0, sizeof(Split));
	split->answer.team = palloc_array(int, lobby->n + 1);
	status = solve_problem(problem, &split->answer);
	if (status == SPLIT_OK && split->answer.found)
		describe_split(lobby, &scale, target, split);
	return status;
}
