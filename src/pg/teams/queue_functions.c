/*
 * queue_functions.c
 *		Queued players grouped into matches.
 */
#include "pg/sql/glue.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/fmgrprotos.h"

#include "core/split/fair_split.h"
#include "core/split/queue.h"
#include "pg/sql/arrays.h"
#include "pg/teams/lobby_reader.h"

/* Steps to split a match again where teams are not all that decides. */
#define SPLIT_WORK 1e6

/* Steps to explain all matches, and one of them. */
#define WHY_WORK 1e9
#define MAX_WHY_WORK 1e8

/* By default a window is this much in log-odds at first, and as much more after so long. */
#define DEFAULT_WINDOW 0.5
#define DEFAULT_DOUBLING 30

/*
 * The queued players, whom the core knows as tickets.  They are a lobby but for constraints,
 * in the order of the arguments.
 */
typedef struct Tickets
{
	FunctionCallInfo fcinfo;
	QueueProblem problem;
	Lobby		all;
	bool		regions;		/* players have some */
	double		min_quality;
	int			nmatches;
} Tickets;

/* The positions of the arguments. */
enum
{
	QUEUE_ARG_LOBBY,
	QUEUE_ARG_WAITED,
	QUEUE_ARG_REGION,
	QUEUE_ARG_POOL,
	QUEUE_ARG_TEAMS,
	QUEUE_ARG_TEAM_SIZE,
	QUEUE_ARG_INITIAL_WINDOW,
	QUEUE_ARG_WIDENING,
	QUEUE_ARG_MAX_WINDOW,
	QUEUE_ARG_MIN_QUALITY,
	QUEUE_ARG_EXPLAIN
};

/* How long players have waited, all 0 for null. */
static const double *
read_waited(FunctionCallInfo fcinfo, int n)
{
	const float8 *element;

	if (PG_ARGISNULL(QUEUE_ARG_WAITED))
		return palloc0_array(double, n + 1);
	element = float8_array_argument(fcinfo, QUEUE_ARG_WAITED, "waited", n);
	check_points("waited", element, n, 0);
	return element;
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
								player_text(&tickets->all, i)),
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

/*
 * What players are worth, alone and to the model in their parties: the queue goes by that,
 * on no side.
 */
static void
value_tickets(Tickets *tickets)
{
	const Lobby *all = &tickets->all;
	const LobbyMatch *match = people_of(all)->match;
	const int  *size = squad_sizes(all, NULL);
	double	   *worth = palloc_array(double, all->n + 1);
	int			i;

	for (i = 0; i < all->n; i++)
		worth[i] = model_worth(match->model, match->params, lobby_match_state(match, i), size[i]);
	tickets->problem.rating = worth;
}

/* The window of a player, and how it grows. */
static void
read_window(FunctionCallInfo fcinfo, Tickets *tickets)
{
	QueueProblem *problem = &tickets->problem;
	const LobbyMatch *match = people_of(&tickets->all)->match;

	problem->window = PG_ARGISNULL(QUEUE_ARG_INITIAL_WINDOW) ?
		DEFAULT_WINDOW * model_log_odds_unit(match->model, match->params) :
		check_not_negative("initial_window", PG_GETARG_FLOAT8(QUEUE_ARG_INITIAL_WINDOW));
	problem->widening = PG_ARGISNULL(QUEUE_ARG_WIDENING) ? problem->window / DEFAULT_DOUBLING :
		check_not_negative("widening", PG_GETARG_FLOAT8(QUEUE_ARG_WIDENING));
	problem->max_window = PG_ARGISNULL(QUEUE_ARG_MAX_WINDOW) ? INFINITY :
		check_not_negative("max_window", PG_GETARG_FLOAT8(QUEUE_ARG_MAX_WINDOW));
	tickets->min_quality = PG_ARGISNULL(QUEUE_ARG_MIN_QUALITY) ? 0 :
		check_probability("min_quality", PG_GETARG_FLOAT8(QUEUE_ARG_MIN_QUALITY));
}

/* The teams of a match as the queue has them, and what they are worth. */
static void
take_teams(const Lobby *lobby, const int *team, Split *split)
{
	*split = (Split)
	{
		.answer =
		{
			.found = true,.team = palloc_array(int, lobby->n),.commander =
			{
				-1, -1
			}
		}
	};
	memcpy(split->answer.team, team, sizeof(int) * lobby->n);
	describe_teams(lobby, split);
	forecast_split(lobby, split->answer.team, split->answer.commander, split);
}

/*
 * Explain a match: how long its first player has waited, how far from that player others
 * may be and are, and the quality that it needs; and its teams as a split of a lobby.
 */
static Datum
why_match(const Tickets *tickets, const QueueMatch *found, Lobby *lobby,
		  const SplitRequest *request, const Split *split, double needed)
{
	const QueueProblem *problem = &tickets->problem;
	double		farthest = 0;
	StringInfoData json;
	int			i;

	/* As many matches as there may be share the work. */
	lobby->max_work = Min(MAX_WHY_WORK, WHY_WORK * lobby->n / problem->n);
	for (i = 0; i < lobby->n; i++)
		farthest = Max(farthest, fabs(problem->rating[found->ticket[i]] -
									  problem->rating[found->ticket[0]]));
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"match\": {");
	explain_number(&json, "waited", found->waited);
	explain_number(&json, "window", queue_window(problem, found->waited));
	explain_number(&json, "farthest", farthest);
	explain_number(&json, "needed_quality", needed);
	appendStringInfoChar(&json, '}');
	explain_split(&json, lobby, request, split);
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/*
 * Return a match, if there are teams for it that are good enough for a player who has
 * waited so long.
 */
static bool
offer_match(Tickets *tickets, const QueueMatch *found)
{
	const QueueProblem *problem = &tickets->problem;
	const Lobby *all = &tickets->all;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	Lobby		lobby;
	Split		split;
	double		least = 1;
	double		needed = tickets->min_quality;
	double		window = queue_window(problem, found->waited);
	TeamRows	rows = {.numbered = true,.by_team = true,.no_quality = {false, !tickets->regions}};
	int			t;

	for (t = 0; t < problem->nteams; t++)
		request.size[t] = problem->team_size;
	seat_players(all, found->ticket, found->nseats, &lobby);
	seat_people(all, found->ticket, &lobby);
	value_players(&lobby, squad_sizes(&lobby, NULL));
	lobby.max_work = SPLIT_WORK;

	/* The queue knows nothing else of players than what they are worth. */
	if (all->weight != NULL || all->command[0] != NULL || all->log_odds != 0 ||
		all->estimate[1] != all->estimate[0])
		split_fairly(&lobby, &request, &split);
	else
		take_teams(&lobby, found->team, &split);
	if (!split.answer.found)
		return false;
	draw_numbers(&lobby, &split);
	for (t = 0; t < problem->nteams; t++)
		least = Min(least, split.win[t]);
	if (window > 0)
		needed *= problem->window / window;
	if (least * problem->nteams < needed)
		return false;
	rows.number = ++tickets->nmatches;
	rows.quality[0] = Float8GetDatum(least * problem->nteams);
	rows.quality[1] = Int64GetDatum((int64) (UINT64CONST(1) << found->region));
	if (wants_why(tickets->fcinfo))
		rows.why = why_match(tickets, found, &lobby, &request, &split, needed);
	put_teams(tickets->fcinfo, &lobby, &split, &rows);
	return true;
}

/* The same for the core; what that takes is freed. */
static bool
accept_match(void *arg, const QueueMatch *found)
{
	void	   *began = lobby_room.begin();
	bool		accepted = offer_match((Tickets *) arg, found);

	lobby_room.end(began);
	return accepted;
}

/* Read the players; false if there are none. */
static bool
read_tickets(FunctionCallInfo fcinfo, Tickets *tickets)
{
	QueueProblem *problem = &tickets->problem;
	Lobby	   *all = &tickets->all;
	LobbyUse	use = {
		.maker = "pair_queue",.model = "elo",.max_players = MAX_QUEUED,
		.refused = LOBBY_SET(LOBBY_LOCKED) | LOBBY_SET(LOBBY_AVOID) |
		LOBBY_SET(LOBBY_SPLIT_EVENLY),
		.unused = LOBBY_SET(LOBBY_PRIORITY) | LOBBY_SET(LOBBY_CURRENT)
	};

	use.nteams = problem->nteams = count_argument(fcinfo, QUEUE_ARG_TEAMS, "teams", 2,
												  SPLIT_MAX_TEAMS, 0);
	problem->team_size = count_argument(fcinfo, QUEUE_ARG_TEAM_SIZE, "team_size", 1,
										QUEUE_MAX_SEATS / problem->nteams, 0);
	use.seats = problem->nteams * problem->team_size;
	if (!read_lobby(fcinfo, &use, all))
		return false;
	all->squad = all->party;
	problem->n = all->n;
	problem->party = all->party != NULL ? all->party : palloc0_array(int, all->n + 1);
	problem->waited = read_waited(fcinfo, all->n);
	problem->region = read_regions(fcinfo, tickets);
	problem->pool = PG_ARGISNULL(QUEUE_ARG_POOL) ? palloc0_array(int, all->n + 1) :
		text_groups(array_with_nulls_argument(fcinfo, QUEUE_ARG_POOL, "pool", all->n), "pool",
					people_of(all)->order, all->n);
	value_tickets(tickets);
	read_window(fcinfo, tickets);
	return true;
}

/* Arguments as above. */
SQL_FUNCTION(skillrating_pair_queue)
{
	Tickets		tickets = {.fcinfo = fcinfo};
	QueueProblem *problem = &tickets.problem;
	void	   *block;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_tickets(fcinfo, &tickets))
		return (Datum) 0;
	problem->accept = accept_match;
	problem->accept_arg = &tickets;
	problem->interrupt = check_interrupts;
	block = lobby_room.take(queue_room(problem));
	queue_pair(problem, block);
	pfree(block);
	return (Datum) 0;
}
