/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "pg/teams/lobby.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "core/math/logistic.h"
#include "pg/teams/explain.h"
#include "pg/teams/model_teams.h"

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

static const char *const objectives[] = {"squares", "range"};
static const char *const secondaries[] = {"none", "spread", "best"};

/*
 * The numbers of teams of a size, or with none of all who are not locked to the bench;
 * false if there is nobody at all.
 */
static bool
make_request(const Lobby *lobby, int team_size, SplitRequest *request)
{
	int			playing = lobby->n - lobby->benched;
	int			i;

	if (team_size > 0 || playing >= lobby->nteams)
	{
		for (i = 0; i < lobby->nteams; i++)
			request->size[i] = team_size > 0 ? team_size :
				playing / lobby->nteams + (i < playing % lobby->nteams ? 1 : 0);
		return true;
	}
	if (lobby->n == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there must be at least %d players who are not locked to the bench",
					lobby->nteams)));
}

/* The team size of an argument, 0 for null. */
static int
get_team_size(FunctionCallInfo fcinfo, int arg, const Lobby *lobby)
{
	int			playing = lobby->n - lobby->benched;
	int			team_size;

	if (!has_argument(fcinfo, arg))
		return 0;
	team_size = PG_GETARG_INT32(arg);
	if (team_size < 1 || team_size > playing / lobby->nteams)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("team_size must be at least 1 and at most %d, not %d",
						playing / lobby->nteams, team_size),
				 errdetail("There are %d players who are not locked to the bench.",
						   playing)));
	return team_size;
}

/* Where arguments of split_teams() stand that are no lobby's. */
enum
{
	ARG_TEAM_SIZE = 3,
	ARG_OBJECTIVE = 18,
	ARG_CURRENT,
	ARG_SECONDARY,
	ARG_TOLERANCE,
	ARG_MODEL,
	ARG_PARAMS,
	ARG_DEVIATION,
	ARG_EXPLAIN
};

/*
 * The probability of each team to win, without a model: of two by their log-odds, of
 * more as Plackett and Luce have it (R. D. Luce, "Individual choice behavior", 1959).
 */
static void
win_probabilities(const Lobby *lobby, const Split *split, double *probability)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		strongest = -INFINITY;
	double		sum = 0;
	int			i;

	if (lobby->nteams == 2)
	{
		probability[0] = logistic(split->imbalance_logit);
		return;
	}
	team_strengths(lobby, &split->answer, strength);
	for (i = 0; i < lobby->nteams; i++)
		strongest = Max(strongest, strength[i]);
	for (i = 0; i < lobby->nteams; i++)
	{
		probability[i] = exp((strength[i] - strongest) / lobby->scale);
		sum += probability[i];
	}
	for (i = 0; i < lobby->nteams; i++)
		probability[i] /= sum;
}

/*
 * split_teams(players, rating, teams, team_size, party, locked, avoid, rating_2,
 * log_odds, strength, scale, command_rating, command_rating_2, command_weight,
 * commander, budget, seed, priority, objective, current, secondary, tolerance,
 * model, params, deviation, explain)
 */
Datum
skillrating_split_teams(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.teams = 2,.party = 4,.locked = 5,.avoid = 6,.rating_2 = 7,
		.log_odds = 8,.strength = 9,.scale = 10,.command_rating = 11,
		.command_rating_2 = 12,.command_weight = 13,.commander = 14,.budget = 15,
		.seed = 16,.priority = 17,.current = ARG_CURRENT,
		.model = ARG_MODEL,.params = ARG_PARAMS,.deviation = ARG_DEVIATION
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	Split		split;
	TeamMatch	team_match;
	double		probability[SPLIT_MAX_TEAMS];
	int			team_size;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &arguments, &lobby))
		return (Datum) 0;
	request.objective = (SplitObjective)
		name_argument(fcinfo, ARG_OBJECTIVE, "objective", objectives,
					  lengthof(objectives), SPLIT_SQUARES,
					  "Objectives are \"squares\" of what teams are off their mean, and \"range\" between the strongest and the weakest.");
	request.secondary = (Secondary)
		name_argument(fcinfo, ARG_SECONDARY, "secondary objective", secondaries,
					  lengthof(secondaries), SECONDARY_NONE,
					  "Secondary objectives are the \"spread\" within teams, their \"best\" players, and \"none\".");
	if (request.secondary != SECONDARY_NONE && lobby.nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby.nteams)));
	if (has_argument(fcinfo, ARG_TOLERANCE))
		request.tolerance = check_not_negative("tolerance", PG_GETARG_FLOAT8(ARG_TOLERANCE));
	team_size = get_team_size(fcinfo, ARG_TEAM_SIZE, &lobby);
	if (!make_request(&lobby, team_size, &request))
		return (Datum) 0;
	if (team_size == 0)
		lobby.priority = NULL;
	if (has_argument(fcinfo, ARG_MODEL))
	{
		read_lobby_model(fcinfo, &arguments, &lobby, &team_match);
		split_by_model(&lobby, &team_match, &request, &split, probability);
	}
	else
	{
		split_with_priority(&lobby, &request, &split);
		if (split.answer.found)
			win_probabilities(&lobby, &split, probability);
	}
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	for (i = 0; i < lobby.n; i++)
	{
		Datum		values[8];
		bool		nulls[8] = {false};
		int			place = lobby.input_index[i];
		int			team = split.answer.team[place];

		values[0] = lobby.player[place];
		values[1] = Int32GetDatum(team);
		nulls[1] = team == SPLIT_BENCH;
		values[2] = Float8GetDatum(split.difference);

		/* Of two teams it is always that of the first. */
		nulls[3] = lobby.nteams > 2 && team == SPLIT_BENCH;
		values[3] = Float8GetDatum(nulls[3] ? 0 :
								   probability[lobby.nteams > 2 ? team - 1 : 0]);
		values[4] = BoolGetDatum(split.bound == 0 && !split.unproven);
		values[5] = Float8GetDatum(split.bound);
		values[6] = BoolGetDatum(split.answer.commander[0] == place ||
								 split.answer.commander[1] == place);
		nulls[6] = lobby.command[0] == NULL;
		nulls[7] = i > 0 || !wants_why(fcinfo, ARG_EXPLAIN);
		if (!nulls[7])
			values[7] = why_split(&lobby, &request, &split);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * split_all_sizes(players, rating, party, locked, avoid, rating_2, log_odds, strength,
 * scale, budget, seed, explain)
 */
Datum
skillrating_split_all_sizes(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.party = 2,.locked = 3,.avoid = 4,.rating_2 = 5,.log_odds = 6,
		.strength = 7,.scale = 8,.budget = 9,.seed = 10
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Lobby		lobby;
	SplitProblem problem;
	SplitSize  *size;
	SplitAnswer *answer;
	double	   *target;
	LobbyScale *scale;
	Split		failed;
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
	scale = palloc_array(LobbyScale, nsizes);
	answer = palloc0_array(SplitAnswer, nsizes);
	for (s = 0; s < nsizes; s++)
	{
		int			k = s + 2;

		size[s] = (SplitSize)
		{
			.count =
			{
				k, k
			}
		};
		scale[s] = lobby_scale(&lobby, size[s]);
		target[s] = lobby_target(&lobby, &scale[s]);
		answer[s].team = palloc_array(int, lobby.n);
	}
	problem.size = size;
	problem.nsizes = nsizes;
	problem.target = target;
	problem.value[0] = lobby.rating[0];
	problem.value[1] = lobby.rating[1];
	failed.status = solve_problem(&problem, answer);
	failed.problem = problem;
	if (failed.status != SPLIT_OK)
	{
		SplitRequest request = {.size = {2, 2}};

		report_no_split(&lobby, &request, &failed);
	}
	for (s = 0; s < nsizes; s++)
	{
		SplitRequest request = {.size = {s + 2, s + 2}};
		Split		split = {.answer = answer[s]};

		describe_split(&lobby, &scale[s], target[s], &split);
		for (i = 0; i < lobby.n && split.answer.found; i++)
		{
			Datum		values[8];
			bool		nulls[8] = {false};
			int			place = lobby.input_index[i];

			values[0] = Int32GetDatum(s + 2);
			values[1] = lobby.player[place];
			values[2] = Int32GetDatum(split.answer.team[place]);
			nulls[2] = split.answer.team[place] == SPLIT_BENCH;
			values[3] = Float8GetDatum(split.difference);
			values[4] = BoolGetDatum(split.bound == 0);
			values[5] = Float8GetDatum(split.bound);
			values[6] = Float8GetDatum(logistic(split.imbalance_logit));
			nulls[7] = i > 0 || !wants_why(fcinfo, 11);
			if (!nulls[7])
				values[7] = why_split(&lobby, &request, &split);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
