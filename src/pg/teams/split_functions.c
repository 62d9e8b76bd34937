/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "pg/teams/constraints.h"
#include "pg/teams/explain.h"
#include "pg/teams/lobby_arguments.h"
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
	SPLIT_ARG_PLAYERS,
	SPLIT_ARG_MU,
	SPLIT_ARG_MU_2,
	SPLIT_ARG_DEVIATION,
	SPLIT_ARG_WEIGHT,
	SPLIT_ARG_PARTY,
	SPLIT_ARG_LOCKED,
	SPLIT_ARG_AVOID,
	SPLIT_ARG_SPLIT_EVENLY,
	SPLIT_ARG_PRIORITY,
	SPLIT_ARG_CURRENT,
	SPLIT_ARG_COMMAND_MU,
	SPLIT_ARG_COMMAND_MU_2,
	SPLIT_ARG_COMMANDER,
	SPLIT_ARG_TEAMS,
	SPLIT_ARG_TEAM_SIZE,
	SPLIT_ARG_LOG_ODDS,
	SPLIT_ARG_STRENGTH,
	SPLIT_ARG_LOG_ODDS_UNIT,
	SPLIT_ARG_COMMAND_WEIGHT,
	SPLIT_ARG_MODEL,
	SPLIT_ARG_PARAMS,
	SPLIT_ARG_OBJECTIVE,
	SPLIT_ARG_SECONDARY,
	SPLIT_ARG_TOLERANCE,
	SPLIT_ARG_BUDGET,
	SPLIT_ARG_SEED,
	SPLIT_ARG_EXPLAIN,
	SPLIT_ARG_STATE				/* of split_states() only */
};

static const LobbyArguments split_arguments = {
	.mu = SPLIT_ARG_MU,
	.mu_2 = SPLIT_ARG_MU_2,
	.deviation = SPLIT_ARG_DEVIATION,
	.weight = SPLIT_ARG_WEIGHT,
	.party = SPLIT_ARG_PARTY,
	.locked = SPLIT_ARG_LOCKED,
	.avoid = SPLIT_ARG_AVOID,
	.split_evenly = SPLIT_ARG_SPLIT_EVENLY,
	.priority = SPLIT_ARG_PRIORITY,
	.current = SPLIT_ARG_CURRENT,
	.command_mu = SPLIT_ARG_COMMAND_MU,
	.command_mu_2 = SPLIT_ARG_COMMAND_MU_2,
	.commander = SPLIT_ARG_COMMANDER,
	.teams = SPLIT_ARG_TEAMS,
	.log_odds = SPLIT_ARG_LOG_ODDS,
	.strength = SPLIT_ARG_STRENGTH,
	.log_odds_unit = SPLIT_ARG_LOG_ODDS_UNIT,
	.command_weight = SPLIT_ARG_COMMAND_WEIGHT,
	.model = SPLIT_ARG_MODEL,
	.params = SPLIT_ARG_PARAMS,
	.budget = SPLIT_ARG_BUDGET,
	.seed = SPLIT_ARG_SEED,
	.explain = SPLIT_ARG_EXPLAIN
};

/* The columns of its result. */
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

/* Read what is asked of the split; false if there are no players. */
static bool
read_request(FunctionCallInfo fcinfo, Lobby *lobby, SplitRequest *request)
{
	memset(request, 0, sizeof(SplitRequest));
	request->objective = (SplitObjective)
		name_argument(fcinfo, SPLIT_ARG_OBJECTIVE, "objective", objectives,
					  lengthof(objectives), SPLIT_SQUARES,
					  "Objectives are \"squares\", of the deviations of strengths from their mean, and \"range\", from the weakest team to the strongest.");
	request->secondary = (Secondary)
		name_argument(fcinfo, SPLIT_ARG_SECONDARY, "secondary objective", secondaries,
					  lengthof(secondaries), SECONDARY_NONE,
					  "Secondary objectives are the \"spread\" within teams, their \"best\" players, and \"none\".");
	if (request->secondary != SECONDARY_NONE && lobby->nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby->nteams)));
	if (has_argument(fcinfo, SPLIT_ARG_TOLERANCE))
		request->tolerance = check_not_negative("tolerance",
												PG_GETARG_FLOAT8(SPLIT_ARG_TOLERANCE));
	if (!has_argument(fcinfo, SPLIT_ARG_TEAM_SIZE))
		return request_all(lobby, request);
	request_size(lobby, PG_GETARG_INT32(SPLIT_ARG_TEAM_SIZE), request);
	return true;
}

/*
 * The probability of the team that a player is in, which is null on the bench: the value
 * for a result column, and whether it is null.
 */
static Datum
own_probability(const Split *split, int team, bool *isnull)
{
	*isnull = team == SPLIT_BENCH;
	return *isnull ? (Datum) 0 : Float8GetDatum(split->win[team - 1]);
}

/* Whether a player commands either team. */
static bool
is_commander(const Split *split, int player)
{
	return split->answer.commander[0] == player || split->answer.commander[1] == player;
}

/* Return the rows of a split, in the order of the arguments. */
static void
put_split(ReturnSetInfo *rsinfo, const Lobby *lobby, const Split *split, Datum why)
{
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		Datum		values[SPLIT_COLUMNS];
		bool		nulls[SPLIT_COLUMNS] = {false};
		int			place = lobby->input_index[i];
		int			team = split->answer.team[place];

		values[SPLIT_PLAYER_ID] = lobby->player[place];
		values[SPLIT_TEAM] = Int32GetDatum(team);
		nulls[SPLIT_TEAM] = team == SPLIT_BENCH;
		values[SPLIT_DIFFERENCE] = Float8GetDatum(split->difference);
		values[SPLIT_WIN_PROBABILITY] =
			own_probability(split, team, &nulls[SPLIT_WIN_PROBABILITY]);
		values[SPLIT_EXACT] = BoolGetDatum(is_exact(split));
		values[SPLIT_BOUND] = Float8GetDatum(split->bound);
		values[SPLIT_IS_COMMANDER] = BoolGetDatum(is_commander(split, place));
		nulls[SPLIT_IS_COMMANDER] = lobby->command[0] == NULL;
		nulls[SPLIT_WHY] = i > 0 || why == (Datum) 0;
		values[SPLIT_WHY] = why;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/* split_teams(), or split_states() with one argument more: arguments as above. */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	LobbyArguments arguments = split_arguments;
	Lobby		lobby;
	SplitRequest request;
	Split		split;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_NARGS() > SPLIT_ARG_STATE)
		arguments.state = SPLIT_ARG_STATE;
	if (!read_lobby(fcinfo, &arguments, &lobby) ||
		!read_request(fcinfo, &lobby, &request))
		return (Datum) 0;
	split_fairly(&lobby, &request, &split);
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	put_split(rsinfo, &lobby, &split,
			  wants_why(fcinfo, SPLIT_ARG_EXPLAIN) ?
			  why_split(&lobby, &request, &split) : (Datum) 0);
	return (Datum) 0;
}

/*
 * ---- split_all_sizes() ----
 */

/* The positions of its arguments. */
enum
{
	SIZES_ARG_PLAYERS,
	SIZES_ARG_MU,
	SIZES_ARG_MU_2,
	SIZES_ARG_DEVIATION,
	SIZES_ARG_WEIGHT,
	SIZES_ARG_PARTY,
	SIZES_ARG_LOCKED,
	SIZES_ARG_AVOID,
	SIZES_ARG_SPLIT_EVENLY,
	SIZES_ARG_COMMAND_MU,
	SIZES_ARG_COMMAND_MU_2,
	SIZES_ARG_COMMANDER,
	SIZES_ARG_LOG_ODDS,
	SIZES_ARG_STRENGTH,
	SIZES_ARG_LOG_ODDS_UNIT,
	SIZES_ARG_COMMAND_WEIGHT,
	SIZES_ARG_MODEL,
	SIZES_ARG_PARAMS,
	SIZES_ARG_BUDGET,
	SIZES_ARG_SEED,
	SIZES_ARG_EXPLAIN
};

static const LobbyArguments sizes_arguments = {
	.mu = SIZES_ARG_MU,
	.mu_2 = SIZES_ARG_MU_2,
	.deviation = SIZES_ARG_DEVIATION,
	.weight = SIZES_ARG_WEIGHT,
	.party = SIZES_ARG_PARTY,
	.locked = SIZES_ARG_LOCKED,
	.avoid = SIZES_ARG_AVOID,
	.split_evenly = SIZES_ARG_SPLIT_EVENLY,
	.command_mu = SIZES_ARG_COMMAND_MU,
	.command_mu_2 = SIZES_ARG_COMMAND_MU_2,
	.commander = SIZES_ARG_COMMANDER,
	.log_odds = SIZES_ARG_LOG_ODDS,
	.strength = SIZES_ARG_STRENGTH,
	.log_odds_unit = SIZES_ARG_LOG_ODDS_UNIT,
	.command_weight = SIZES_ARG_COMMAND_WEIGHT,
	.model = SIZES_ARG_MODEL,
	.params = SIZES_ARG_PARAMS,
	.budget = SIZES_ARG_BUDGET,
	.seed = SIZES_ARG_SEED,
	.explain = SIZES_ARG_EXPLAIN
};

/* The columns of its result. */
enum
{
	SIZES_TEAM_SIZE,
	SIZES_PLAYER_ID,
	SIZES_TEAM,
	SIZES_DIFFERENCE,
	SIZES_WIN_PROBABILITY,
	SIZES_EXACT,
	SIZES_BOUND,
	SIZES_IS_COMMANDER,
	SIZES_WHY,
	SIZES_COLUMNS
};

/* Return the rows of the split of a size, if there is one, explained by so much work. */
static void
put_size(FunctionCallInfo fcinfo, const Lobby *lobby, int team_size,
		 const Split *split, double max_work)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	SplitRequest request = {.size = {team_size, team_size}};
	Lobby		explained = *lobby;
	int			i;

	/* Explanations of all sizes share the work of one split. */
	explained.max_work = max_work;
	for (i = 0; i < lobby->n && split->answer.found; i++)
	{
		Datum		values[SIZES_COLUMNS];
		bool		nulls[SIZES_COLUMNS] = {false};
		int			place = lobby->input_index[i];
		int			team = split->answer.team[place];

		values[SIZES_TEAM_SIZE] = Int32GetDatum(team_size);
		values[SIZES_PLAYER_ID] = lobby->player[place];
		values[SIZES_TEAM] = Int32GetDatum(team);
		nulls[SIZES_TEAM] = team == SPLIT_BENCH;
		values[SIZES_DIFFERENCE] = Float8GetDatum(split->difference);
		values[SIZES_WIN_PROBABILITY] =
			own_probability(split, team, &nulls[SIZES_WIN_PROBABILITY]);
		values[SIZES_EXACT] = BoolGetDatum(is_exact(split));
		values[SIZES_BOUND] = Float8GetDatum(split->bound);
		values[SIZES_IS_COMMANDER] = BoolGetDatum(is_commander(split, place));
		nulls[SIZES_IS_COMMANDER] = lobby->command[0] == NULL;
		nulls[SIZES_WHY] = i > 0 || !wants_why(fcinfo, SIZES_ARG_EXPLAIN);
		if (!nulls[SIZES_WHY])
			values[SIZES_WHY] = why_split(&explained, &request, split);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
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
	Lobby		lobby;
	int			nsizes;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &sizes_arguments, &lobby))
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
