/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "pg/teams/constraints.h"
#include "pg/teams/explain.h"
#include "pg/teams/lobby_reader.h"
#include "pg/teams/lobby_problem.h"
#include "pg/teams/model_teams.h"

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

static const char *const objectives[] = {"squares", "range"};
static const char *const secondaries[] = {"none", "spread", "best"};

/* The least size of teams in split_all_sizes(). */
#define MIN_SIZE 2

/*
 * ---- split_teams() ----
 */

/* The positions of its arguments. */
enum
{
	SPLIT_ARG_LOBBY,
	SPLIT_ARG_TEAMS,
	SPLIT_ARG_TEAM_SIZE,
	SPLIT_ARG_OBJECTIVE,
	SPLIT_ARG_SECONDARY,
	SPLIT_ARG_TOLERANCE,
	SPLIT_ARG_BUDGET,			/* and seed */
	SPLIT_ARG_EXPLAIN = SPLIT_ARG_BUDGET + 2,
	SPLIT_NARGS
};

/*
 * The columns of the result; those of split_all_sizes() are the same after the size.
 */
enum
{
	SPLIT_PLAYER_ID,
	SPLIT_TEAM,
	SPLIT_DIFFERENCE,
	SPLIT_WIN_PROBABILITY,
	SPLIT_EXACT,
	SPLIT_BOUND,
	SPLIT_IS_COMMANDER,
	SPLIT_WHY,
	SPLIT_COLUMNS
};

/* The argument of split_teams() with a lobby, or of its form with two arrays; 0: there is none. */
static int
split_argument(FunctionCallInfo fcinfo, int arg)
{
	if (PG_NARGS() == SPLIT_NARGS)
		return arg;
	return arg <= SPLIT_ARG_TEAM_SIZE ? arg + 1 : 0;
}

/* Read what is asked of the split; false if there are no players. */
static bool
read_request(FunctionCallInfo fcinfo, Lobby *lobby, SplitRequest *request)
{
	int			tolerance = split_argument(fcinfo, SPLIT_ARG_TOLERANCE);
	int			team_size = split_argument(fcinfo, SPLIT_ARG_TEAM_SIZE);

	memset(request, 0, sizeof(SplitRequest));
	request->objective = (SplitObjective)
		name_argument(fcinfo, split_argument(fcinfo, SPLIT_ARG_OBJECTIVE), "objective", objectives,
					  lengthof(objectives), SPLIT_SQUARES,
					  "Objectives are \"squares\", of the deviations of strengths from their mean, and \"range\", from the weakest team to the strongest.");
	request->secondary = (Secondary)
		name_argument(fcinfo, split_argument(fcinfo, SPLIT_ARG_SECONDARY), "secondary objective", secondaries,
					  lengthof(secondaries), SECONDARY_NONE,
					  "Secondary objectives are the \"spread\" within teams, their \"best\" players, and \"none\".");
	if (request->secondary != SECONDARY_NONE && lobby->nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby->nteams)));
	if (has_argument(fcinfo, tolerance))
		request->tolerance = check_not_negative("tolerance", PG_GETARG_FLOAT8(tolerance));
	if (!has_argument(fcinfo, team_size))
		return request_all(lobby, request);
	request_size(lobby, PG_GETARG_INT32(team_size), request);
	return true;
}

/*
 * Return the rows of a split, in the order of the arguments: of split_teams(), or with a size in
 * front of split_all_sizes().
 */
static void
put_split(ReturnSetInfo *rsinfo, const Lobby *lobby, int team_size, Split *split, Datum why)
{
	int			first = team_size > 0 ? 1 : 0;
	int			i;

	forecast_answer(lobby, split->answer.team, split->answer.commander, split);
	for (i = 0; i < lobby->n; i++)
	{
		Datum		row[SPLIT_COLUMNS + 1];
		bool		isnull[SPLIT_COLUMNS + 1] = {false};
		Datum	   *values = row + first;
		bool	   *nulls = isnull + first;
		int			place = lobby->input_index[i];
		int			team = split->answer.team[place];

		row[0] = Int32GetDatum(team_size);
		values[SPLIT_PLAYER_ID] = lobby->player[place];
		values[SPLIT_TEAM] = Int32GetDatum(team);
		nulls[SPLIT_TEAM] = team == SPLIT_BENCH;
		values[SPLIT_DIFFERENCE] = Float8GetDatum(split->difference);
		nulls[SPLIT_WIN_PROBABILITY] = team == SPLIT_BENCH;
		values[SPLIT_WIN_PROBABILITY] = Float8GetDatum(split->win[Max(team - 1, 0)]);
		values[SPLIT_EXACT] = BoolGetDatum(is_exact(split));
		values[SPLIT_BOUND] = Float8GetDatum(split->bound);
		values[SPLIT_IS_COMMANDER] = BoolGetDatum(split->answer.commander[0] == place ||
												  split->answer.commander[1] == place);
		nulls[SPLIT_IS_COMMANDER] = lobby->command[0] == NULL;
		nulls[SPLIT_WHY] = i > 0 || why == (Datum) 0;
		values[SPLIT_WHY] = why;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row, isnull);
	}
}

/* Arguments as above. */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	LobbyUse	use = {
		.maker = "split_teams",.max_players = MAX_LOBBY_PLAYERS,
		.nteams = count_argument(fcinfo, split_argument(fcinfo, SPLIT_ARG_TEAMS), "teams", 2,
								 SPLIT_MAX_TEAMS, 2),
		.options = split_argument(fcinfo, SPLIT_ARG_BUDGET)
	};
	LobbyValue	value;
	Lobby		lobby;
	SplitRequest request;
	Split		split;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_NARGS() == SPLIT_NARGS)
		lobby_argument(fcinfo, &value);
	else
		two_array_argument(fcinfo, &value);
	if (!read_lobby(fcinfo, &value, &use, &lobby) ||
		!read_request(fcinfo, &lobby, &request))
		return (Datum) 0;
	split_fairly(&lobby, &request, &split);
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	put_split((ReturnSetInfo *) fcinfo->resultinfo, &lobby, 0, &split,
			  wants_why(fcinfo, split_argument(fcinfo, SPLIT_ARG_EXPLAIN)) ?
			  why_split(&lobby, &request, &split) : (Datum) 0);
	return (Datum) 0;
}

/*
 * ---- split_all_sizes() ----
 */

/* The positions of its arguments. */
enum
{
	SIZES_ARG_LOBBY,
	SIZES_ARG_BUDGET,			/* and seed */
	SIZES_ARG_EXPLAIN = SIZES_ARG_BUDGET + 2
};

/* Return the rows of the split of a size, if there is one, explained by so much work. */
static void
put_size(FunctionCallInfo fcinfo, const Lobby *lobby, int team_size, Split *split,
		 double max_work)
{
	SplitRequest request = {.size = {team_size, team_size}};
	Lobby		explained = *lobby;

	if (!split->answer.found)
		return;

	/* Explanations of all sizes share the work of one split. */
	explained.max_work = max_work;
	put_split((ReturnSetInfo *) fcinfo->resultinfo, lobby, team_size, split,
			  wants_why(fcinfo, SIZES_ARG_EXPLAIN) ?
			  why_split(&explained, &request, split) : (Datum) 0);
}

/* Report that the constraints contradict one another, whatever the size. */
static void
check_status(Lobby *lobby, const Split *split)
{
	SplitRequest request = {.size = {MIN_SIZE, MIN_SIZE}};

	if (split->status != SPLIT_OK)
		report_no_split(lobby, &request, split);
}

/* All sizes as one problem of the core, which has an answer for each. */
static void
put_sizes(FunctionCallInfo fcinfo, Lobby *lobby, int nsizes)
{
	SplitSize  *size = palloc_array(SplitSize, nsizes);
	LobbyFactors *factors = palloc_array(LobbyFactors, nsizes);
	double	   *target = palloc_array(double, nsizes);
	SplitAnswer *answer = palloc0_array(SplitAnswer, nsizes);
	Split		split = {0};
	int			s;

	begin_problem(lobby, &split.problem);
	for (s = 0; s < nsizes; s++)
	{
		size[s] = (SplitSize)
		{
			.count =
			{
				MIN_SIZE + s, MIN_SIZE + s
			}
		};
		factors[s] = lobby_factors(lobby, size[s]);
		target[s] = lobby_target(lobby, &factors[s]);
		answer[s].team = palloc_array(int, lobby->n);
	}
	split.problem.size = size;
	split.problem.nsizes = nsizes;
	split.problem.target = target;

	/* Teams of one size: whatever the strength, a player counts by 1. */
	split.problem.value[0] = lobby->mu[0];
	split.problem.value[1] = lobby->mu[1];
	split.status = solve_problem(&split.problem, answer);
	check_status(lobby, &split);
	for (s = 0; s < nsizes; s++)
	{
		split.answer = answer[s];
		split.unproven = false;
		describe_split(lobby, &factors[s], target[s], &split);
		if (split.answer.found)
			forecast_split(lobby, split.answer.team, split.answer.commander, &split);
		put_size(fcinfo, lobby, MIN_SIZE + s, &split, lobby->max_work / nsizes);
	}
}

/*
 * The same with a model, to which another difference may be even for each size, or with
 * commanders, who count by the number of players: each is split alone, in its share of the
 * time.
 */
static void
put_sizes_apart(FunctionCallInfo fcinfo, Lobby *lobby, int nsizes)
{
	int			s;

	lobby->max_work /= nsizes;
	for (s = 0; s < nsizes; s++)
	{
		SplitRequest request = {.size = {MIN_SIZE + s, MIN_SIZE + s}};
		Lobby		aimed = *lobby;
		Split		split;

		split_fairly(&aimed, &request, &split);
		check_status(&aimed, &split);
		put_size(fcinfo, &aimed, MIN_SIZE + s, &split, lobby->max_work);
	}
}

/* Arguments as above. */
Datum
skillrating_split_all_sizes(PG_FUNCTION_ARGS)
{
	static const LobbyUse use = {
		.maker = "split_all_sizes",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.unused = LOBBY_SET(LOBBY_PRIORITY) | LOBBY_SET(LOBBY_CURRENT),
		.options = SIZES_ARG_BUDGET
	};
	LobbyValue	value;
	Lobby		lobby;
	int			nsizes;

	InitMaterializedSRF(fcinfo, 0);
	lobby_argument(fcinfo, &value);
	if (!read_lobby(fcinfo, &value, &use, &lobby))
		return (Datum) 0;
	nsizes = (lobby.n - lobby.benched) / 2 - MIN_SIZE + 1;
	if (nsizes <= 0)
		return (Datum) 0;
	if (lobby.team_match != NULL || lobby.command[0] != NULL)
		put_sizes_apart(fcinfo, &lobby, nsizes);
	else
		put_sizes(fcinfo, &lobby, nsizes);
	return (Datum) 0;
}
