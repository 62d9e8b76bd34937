/*
 * queue_functions.c
 *		Queued players grouped into matches.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/split/queue.h"
#include "pg/matches/team_match.h"
#include "pg/sql/arrays.h"
#include "pg/sql/ids.h"
#include "pg/teams/explain.h"
#include "pg/teams/lobby_arguments.h"
#include "pg/teams/lobby_problem.h"

SKILLRATING_FUNCTION(skillrating_pair_queue);

#define MAX_QUEUED 100000

/* Steps to explain all matches, and one of them. */
#define WHY_WORK 1e9
#define MAX_WHY_WORK 1e8

/* By default a window is this much in log-odds at first, and as much more after so long. */
#define DEFAULT_WINDOW 0.5
#define DEFAULT_DOUBLING 30

/*
 * The queued players, whom the core knows as tickets, and what a match of them is by the
 * model.
 */
typedef struct Tickets
{
	FunctionCallInfo fcinfo;
	QueueProblem problem;
	IdType		type;
	Datum	   *player;
	bool		regions;		/* players have some */
	TeamMatch	team_match;
	double		min_quality;
	int			nmatches;
} Tickets;

/* The positions of the arguments. */
enum
{
	QUEUE_ARG_PLAYERS,
	QUEUE_ARG_MU,
	QUEUE_ARG_DEVIATION,
	QUEUE_ARG_WAITED,
	QUEUE_ARG_PARTY,
	QUEUE_ARG_REGION,
	QUEUE_ARG_POOL,
	QUEUE_ARG_TEAMS,
	QUEUE_ARG_TEAM_SIZE,
	QUEUE_ARG_MODEL,
	QUEUE_ARG_PARAMS,
	QUEUE_ARG_INITIAL_WINDOW,
	QUEUE_ARG_WIDENING,
	QUEUE_ARG_MAX_WINDOW,
	QUEUE_ARG_MIN_QUALITY,
	QUEUE_ARG_EXPLAIN
};

/* The columns of the result. */
enum
{
	QUEUE_MATCH_NUMBER,
	QUEUE_PLAYER_ID,
	QUEUE_TEAM,
	QUEUE_DIFFERENCE,
	QUEUE_WIN_PROBABILITY,
	QUEUE_QUALITY,
	QUEUE_REGION,
	QUEUE_WHY,
	QUEUE_COLUMNS
};

static void
read_tickets(FunctionCallInfo fcinfo, Tickets *tickets)
{
	ArrayType  *array = array_argument(fcinfo, QUEUE_ARG_PLAYERS, "players", -1);
	int			n = array_size(array);
	IdTable    *table;
	int			i;

	if (n > MAX_QUEUED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are %d players, more than %d", n, MAX_QUEUED)));
	id_type_init(&tickets->type, ARR_ELEMTYPE(array), "player");
	deconstruct_array(array, tickets->type.type, tickets->type.typlen,
					  tickets->type.typbyval, tickets->type.typalign,
					  &tickets->player, NULL, &n);
	table = id_table_create(&tickets->type);
	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) enter_once(table, &tickets->type, tickets->player[i], "player");
	}
	tickets->problem.n = n;
}

/* Numbers of the players, all 0 for a null argument. */
static const double *
read_numbers(FunctionCallInfo fcinfo, int arg, const char *name, int n, double least)
{
	const float8 *element;

	if (PG_ARGISNULL(arg))
		return palloc0_array(double, n + 1);
	element = float8_array_argument(fcinfo, arg, name, n);
	check_points(name, element, n, least);
	return element;
}

/* Players with the same element get the same number, those with null 0. */
static int *
read_labels(FunctionCallInfo fcinfo, int arg, const char *name, Oid type_oid, int n)
{
	int		   *label = palloc0_array(int, n + 1);
	IdType		type;
	IdTable    *table;
	Datum	   *element;
	bool	   *null;
	int			i;

	if (PG_ARGISNULL(arg))
		return label;
	id_type_init(&type, type_oid, name);
	table = id_table_create(&type);
	deconstruct_array(array_with_nulls_argument(fcinfo, arg, name, n), type.type,
					  type.typlen, type.typbyval, type.typalign, &element, &null, &i);
	for (i = 0; i < n; i++)
	{
		bool		found;
		void	  **number;

		CHECK_FOR_INTERRUPTS();
		if (null[i])
			continue;
		number = id_table_enter(table, element[i], "", &found);
		if (!found)
			*number = (void *) (intptr_t) (i + 1);
		label[i] = (int) (intptr_t) *number;
	}
	return label;
}

/* The regions of each player, as bits; null is all existing ones. */
static uint64 *
read_regions(FunctionCallInfo fcinfo, Tickets *tickets)
{
	int			n = tickets->problem.n;
	uint64	   *region = palloc0_array(uint64, n + 1);
	uint64		all = 0;
	Datum	   *element;
	bool	   *null;
	int			i;

	if (!PG_ARGISNULL(QUEUE_ARG_REGION))
	{
		deconstruct_array(array_with_nulls_argument(fcinfo, QUEUE_ARG_REGION, "region", n),
						  INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
						  &element, &null, &i);
		for (i = 0; i < n; i++)
		{
			region[i] = null[i] ? 0 : (uint64) DatumGetInt64(element[i]);
			if (!null[i] && region[i] == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("player %s is in no region",
								id_text(&tickets->type, tickets->player[i])),
						 errhint("An element of region is a set of bits, 1 for the first region, 2 for the second, 3 for both; null for all.")));
			all |= region[i];
		}
		tickets->regions = all != 0;
	}

	/* A player who may be anywhere is in each existing region. */
	for (i = 0; i < n; i++)
		if (region[i] == 0)
			region[i] = all != 0 ? all : 1;
	return region;
}

/* The numbers of players in each party, by the number that its players have. */
static const int *
party_sizes(const QueueProblem *problem)
{
	int		   *size = palloc0_array(int, problem->n + 1);
	int			i;

	for (i = 0; i < problem->n; i++)
		size[problem->party[i]]++;
	return size;
}

/*
 * The model, and the states of all players: the initial one with these numbers.  The
 * queue goes by what players are worth in their parties.
 */
static void
read_model(FunctionCallInfo fcinfo, Tickets *tickets)
{
	QueueProblem *problem = &tickets->problem;
	const double *mu = problem->rating;
	const int  *size = party_sizes(problem);
	double	   *worth = palloc_array(double, problem->n + 1);
	const Model *model;
	const double *deviation = NULL;
	int			column;
	int			i;

	if (PG_ARGISNULL(QUEUE_ARG_MODEL) || PG_ARGISNULL(QUEUE_ARG_PARAMS))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model and params must not be null")));
	model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(QUEUE_ARG_MODEL)));
	column = model_state_column(model, ROLE_DEVIATION);
	if (!PG_ARGISNULL(QUEUE_ARG_DEVIATION))
	{
		if (column < 0)
			report_no_column(model, "deviation");
		deviation = read_numbers(fcinfo, QUEUE_ARG_DEVIATION, "deviation", problem->n, 0);
	}
	team_match_init(&tickets->team_match, model,
					get_params(&model->params, PG_GETARG_JSONB_P(QUEUE_ARG_PARAMS)), problem->n,
					problem->nteams, problem->nteams * problem->team_size);
	for (i = 0; i < problem->n; i++)
	{
		double	   *state = team_match_state(&tickets->team_match, i);

		state[0] = mu[i];
		if (deviation != NULL)
			state[column] = deviation[i];
		if (!model_state_valid(model, state))
			report_match_status(MATCH_BAD_STATE, state[deviation != NULL ? column : 0],
								id_text(&tickets->type, tickets->player[i]));
		worth[i] = model_worth(model, tickets->team_match.params, state,
							   problem->party[i] != 0 ? size[problem->party[i]] : 1);
	}
	problem->rating = worth;
}

/* The window of a player, and how it grows. */
static void
read_window(FunctionCallInfo fcinfo, Tickets *tickets)
{
	QueueProblem *problem = &tickets->problem;

	problem->window = PG_ARGISNULL(QUEUE_ARG_INITIAL_WINDOW) ?
		DEFAULT_WINDOW * model_log_odds_unit(tickets->team_match.model, tickets->team_match.params) :
		check_not_negative("initial_window", PG_GETARG_FLOAT8(QUEUE_ARG_INITIAL_WINDOW));
	problem->widening = PG_ARGISNULL(QUEUE_ARG_WIDENING) ? problem->window / DEFAULT_DOUBLING :
		check_not_negative("widening", PG_GETARG_FLOAT8(QUEUE_ARG_WIDENING));
	problem->max_window = PG_ARGISNULL(QUEUE_ARG_MAX_WINDOW) ? INFINITY :
		check_not_negative("max_window", PG_GETARG_FLOAT8(QUEUE_ARG_MAX_WINDOW));
	tickets->min_quality = PG_ARGISNULL(QUEUE_ARG_MIN_QUALITY) ? 0 :
		PG_GETARG_FLOAT8(QUEUE_ARG_MIN_QUALITY);
	if (!(tickets->min_quality >= 0 && tickets->min_quality <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("min_quality must be at least 0 and at most 1, not %g",
						tickets->min_quality)));
}

/*
 * Explain a match: how long its first player has waited, how far from that player others
 * may be and are, and the quality that it needs; and its teams as a split of a lobby.
 */
static Datum
why_match(Tickets *tickets, const QueueMatch *found, double difference, double needed)
{
	const QueueProblem *problem = &tickets->problem;
	Lobby		lobby = {
		.type = tickets->type,.n = found->nseats,.nteams = problem->nteams,
		.strength = TEAM_STRENGTH_MEAN,
		.log_odds_unit = model_log_odds_unit(tickets->team_match.model,
											 tickets->team_match.params)
	};
	Split		split = {
		.answer = {.found = true,.commander = {-1, -1}},.difference = difference
	};
	SplitRequest request = {.objective = SPLIT_SQUARES};
	double		strength[SPLIT_MAX_TEAMS];
	double		squares = 0;
	double		mean = 0;
	double		farthest = 0;
	StringInfoData json;
	int			i,
				j;

	/* As many matches as there may be share the work. */
	lobby.max_work = Min(MAX_WHY_WORK, WHY_WORK * lobby.n / problem->n);
	lobby.player = palloc_array(Datum, lobby.n);
	lobby.mu[0] = lobby.mu[1] = palloc_array(double, lobby.n);
	lobby.order = palloc_array(int, lobby.n);
	lobby.input_index = palloc_array(int, lobby.n);
	lobby.party = palloc0_array(int, lobby.n);
	split.answer.team = palloc_array(int, lobby.n);
	for (i = 0; i < lobby.n; i++)
	{
		int			ticket = found->ticket[i];

		lobby.player[i] = tickets->player[ticket];
		lobby.mu[0][i] = problem->rating[ticket];
		lobby.order[i] = lobby.input_index[i] = i;
		split.answer.team[i] = found->team[i];
		for (j = 0; j <= i && problem->party[ticket] != 0 && lobby.party[i] == 0; j++)
			if (problem->party[found->ticket[j]] == problem->party[ticket])
				lobby.party[i] = j + 1;
		farthest = Max(farthest, fabs(lobby.mu[0][i] - lobby.mu[0][0]));
	}
	lobby.worth[0] = lobby.worth[1] = lobby.mu[0];
	team_strengths(&lobby, split.answer.team, split.answer.commander, strength);
	for (i = 0; i < lobby.nteams; i++)
	{
		request.size[i] = problem->team_size;
		mean += strength[i] / lobby.nteams;
	}
	for (i = 0; i < lobby.nteams; i++)
		squares += (strength[i] - mean) * (strength[i] - mean);
	split.imbalance_logit = (lobby.nteams == 2 ? strength[0] - strength[1] :
							 sqrt(squares / lobby.nteams)) / lobby.log_odds_unit;
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"match\": {");
	explain_number(&json, "waited", found->waited);
	explain_number(&json, "window", queue_window(problem, found->waited));
	explain_number(&json, "farthest", farthest);
	explain_number(&json, "needed_quality", needed);
	appendStringInfoChar(&json, '}');
	explain_split(&json, &lobby, &request, &split);
	appendStringInfoChar(&json, '}');
	return explain_end(&json);
}

/* Return the rows of a match: by team, and in the order of the arguments. */
static void
put_match(Tickets *tickets, const QueueMatch *found, double quality, double difference,
		  Datum why)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) tickets->fcinfo->resultinfo;
	int			seat[QUEUE_MAX_SEATS];
	int			i,
				j;

	for (i = 0; i < found->nseats; i++)
	{
		for (j = i; j > 0; j--)
		{
			int			before = seat[j - 1];

			if (found->team[before] < found->team[i] ||
				(found->team[before] == found->team[i] &&
				 found->ticket[before] < found->ticket[i]))
				break;
			seat[j] = before;
		}
		seat[j] = i;
	}
	for (i = 0; i < found->nseats; i++)
	{
		int			team = found->team[seat[i]];
		Datum		values[QUEUE_COLUMNS];
		bool		nulls[QUEUE_COLUMNS] = {false};

		values[QUEUE_MATCH_NUMBER] = Int32GetDatum(tickets->nmatches);
		values[QUEUE_PLAYER_ID] = tickets->player[found->ticket[seat[i]]];
		values[QUEUE_TEAM] = Int32GetDatum(team);
		values[QUEUE_DIFFERENCE] = Float8GetDatum(difference);
		values[QUEUE_WIN_PROBABILITY] =
			Float8GetDatum(tickets->team_match.match.team[team - 1].win);
		values[QUEUE_QUALITY] = Float8GetDatum(quality);
		values[QUEUE_REGION] = Int64GetDatum((int64) (UINT64CONST(1) << found->region));
		nulls[QUEUE_REGION] = !tickets->regions;
		nulls[QUEUE_WHY] = i > 0 || why == (Datum) 0;
		values[QUEUE_WHY] = why;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/* Take a match, if it is good enough for a player who has waited so long. */
static bool
accept_match(void *arg, const QueueMatch *found)
{
	Tickets    *tickets = (Tickets *) arg;
	const QueueProblem *problem = &tickets->problem;
	TeamSeat	seat[QUEUE_MAX_SEATS];
	double		sum[SPLIT_MAX_TEAMS] = {0};
	double		low = INFINITY;
	double		high = -INFINITY;
	double		least = 1;
	double		difference;
	double		quality;
	double		needed = tickets->min_quality;
	double		window = queue_window(problem, found->waited);
	int			t,
				i;

	for (i = 0; i < found->nseats; i++)
	{
		int			party = problem->party[found->ticket[i]];

		seat[i] = (TeamSeat)
		{
			.player = found->ticket[i],.team = found->team[i],.weight = NAN,
				.squad = party != 0 ? party : NAN
		};
	}
	team_match_predict(&tickets->team_match, seat, found->nseats, problem->nteams, false, 0);
	for (i = 0; i < found->nseats; i++)
		sum[found->team[i] - 1] += problem->rating[found->ticket[i]] / problem->team_size;
	for (t = 0; t < problem->nteams; t++)
	{
		low = Min(low, sum[t]);
		high = Max(high, sum[t]);
		least = Min(least, tickets->team_match.match.team[t].win);
	}

	/* Of two teams it has a sign, as in the other functions. */
	difference = problem->nteams == 2 ? sum[0] - sum[1] : high - low;
	quality = least * problem->nteams;
	if (window > 0)
		needed *= problem->window / window;
	if (quality < needed)
		return false;
	tickets->nmatches++;
	put_match(tickets, found, quality, difference,
			  wants_why(tickets->fcinfo, QUEUE_ARG_EXPLAIN) ?
			  why_match(tickets, found, difference, needed) : (Datum) 0);
	return true;
}

/* Arguments as above. */
Datum
skillrating_pair_queue(PG_FUNCTION_ARGS)
{
	Tickets		tickets = {.fcinfo = fcinfo};
	QueueProblem *problem = &tickets.problem;
	Size		room;
	void	   *block;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(QUEUE_ARG_PLAYERS) || PG_ARGISNULL(QUEUE_ARG_MU))
		return (Datum) 0;
	read_tickets(fcinfo, &tickets);
	problem->rating = read_numbers(fcinfo, QUEUE_ARG_MU, "mu", problem->n, -MAX_POINTS);
	problem->waited = read_numbers(fcinfo, QUEUE_ARG_WAITED, "waited", problem->n, 0);
	problem->party = read_labels(fcinfo, QUEUE_ARG_PARTY, "party", INT4OID, problem->n);
	problem->region = read_regions(fcinfo, &tickets);
	problem->pool = read_labels(fcinfo, QUEUE_ARG_POOL, "pool", TEXTOID, problem->n);
	problem->nteams = count_argument(fcinfo, QUEUE_ARG_TEAMS, "teams", 2,
									 SPLIT_MAX_TEAMS, 0);
	problem->team_size = count_argument(fcinfo, QUEUE_ARG_TEAM_SIZE, "team_size", 1,
										QUEUE_MAX_SEATS / problem->nteams, 0);
	read_model(fcinfo, &tickets);
	read_window(fcinfo, &tickets);
	problem->accept = accept_match;
	problem->accept_arg = &tickets;
	problem->interrupt = check_interrupts;
	room = queue_room(problem);
	if (room > MAX_ROOM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("pairing this queue would take %zu MB, more than %d", room >> 20,
						MAX_ROOM >> 20),
				 errhint("Fewer players, or players of fewer regions, can be paired.")));
	block = palloc_array(char, room);
	queue_pair(problem, block);
	pfree(block);
	return (Datum) 0;
}
