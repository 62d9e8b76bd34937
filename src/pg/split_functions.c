/*
 * split_functions.c
 *		Players in a lobby split into two teams and a bench.
 */
#include "lobby.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "math/logistic.h"

SKILLRATING_FUNCTION(skillrating_split_teams);
SKILLRATING_FUNCTION(skillrating_split_all_sizes);

/* Whether it does not matter which team is the first. */
static bool
is_symmetric(const Lobby *lobby)
{
	return lobby->rating[0] == lobby->rating[1] && lobby->log_odds == 0 &&
		lobby->places == NULL && lobby->command[0] == lobby->command[1];
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
		int			place = lobby.place[i];
		int			team = split.answer.team[place];

		values[0] = lobby.player[place];
		values[1] = Int32GetDatum(team);
		nulls[1] = team == SPLIT_BENCH;
		values[2] = Float8GetDatum(split.difference);
		values[3] = Float8GetDatum(logistic(split.logit));
		values[4] = BoolGetDatum(split.bound == 0);
		values[5] = Float8GetDatum(split.bound);
		values[6] = BoolGetDatum(split.answer.commander[0] == place ||
								 split.answer.commander[1] == place);
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
	LobbyScale *scale;
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

		size[s] = (SplitSize) {{k, k}};
		scale[s] = lobby_scale(&lobby, size[s]);
		target[s] = -lobby.log_odds * lobby.scale * scale[s].factor;
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
			int			place = lobby.place[i];
			Split		split;

			split.answer = answer[s];
			describe_split(&lobby, &scale[s], target[s], &split);
			values[0] = Int32GetDatum(s + 2);
			values[1] = lobby.player[place];
			values[2] = Int32GetDatum(answer[s].team[place]);
			nulls[2] = answer[s].team[place] == SPLIT_BENCH;
			values[3] = Float8GetDatum(split.difference);
			values[4] = BoolGetDatum(split.bound == 0);
			values[5] = Float8GetDatum(split.bound);
			values[6] = Float8GetDatum(logistic(split.logit));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	return (Datum) 0;
}
