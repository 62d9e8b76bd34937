/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"

#include "core/split/fair_split.h"
#include "pg/teams/explain.h"
#include "pg/teams/lobby_reader.h"

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

/* The argument of split_teams() with a lobby, or of its form with two arrays; 0: there is none. */
static int
split_argument(FunctionCallInfo fcinfo, int arg)
{
	if (PG_NARGS() == SPLIT_NARGS)
		return arg;
	return arg <= SPLIT_ARG_TEAM_SIZE ? arg + 1 : 0;
}

/*
 * Ask for teams of a size, or if it is null of all who are not locked to the bench, whoever has
 * priority; errors (22023) if these are too few.
 */
static void
request_sizes(FunctionCallInfo fcinfo, int arg, Lobby *lobby, SplitRequest *request)
{
	int			playing = lobby->n - lobby->benched;
	int			most = playing / lobby->nteams;
	int			team_size = has_argument(fcinfo, arg) ? PG_GETARG_INT32(arg) : most;
	int			rest = has_argument(fcinfo, arg) ? 0 : playing % lobby->nteams;
	int			i;

	if (!has_argument(fcinfo, arg) && most == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be at least %d players who are not locked to the bench",
						lobby->nteams)));
	if (team_size < 1 || team_size > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("team_size must be at least 1 and at most %d, not %d", most, team_size),
				 errdetail("There are %d players who are not locked to the bench.",
						   playing)));

	/* The first teams are larger by one where players do not divide. */
	for (i = 0; i < lobby->nteams; i++)
		request->size[i] = team_size + (i < rest ? 1 : 0);

	/* Where everybody plays, nobody comes first. */
	if (!has_argument(fcinfo, arg))
		lobby->priority = NULL;
}

/* Read what is asked of the split. */
static void
read_request(FunctionCallInfo fcinfo, Lobby *lobby, SplitRequest *request)
{
	int			tolerance = split_argument(fcinfo, SPLIT_ARG_TOLERANCE);

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
}

/* Return the rows of a split, with a team size in front unless that is 0. */
static void
put_split(FunctionCallInfo fcinfo, const Lobby *lobby, int team_size, Split *split, Datum why)
{
	TeamRows	rows = {
		.numbered = team_size > 0,.number = team_size,
		.quality = {BoolGetDatum(is_exact(split)), Float8GetDatum(split->bound)},
		.why = why
	};

	forecast_answer(lobby, split->answer.team, split->answer.commander, split);
	put_teams(fcinfo, lobby, split, &rows);
}

/* Arguments as above. */
SQL_FUNCTION(skillrating_split_teams)
{
	LobbyUse	use = {
		.maker = "split_teams",.two_arrays = PG_NARGS() < SPLIT_NARGS,
		.max_players = MAX_LOBBY_PLAYERS,
		.nteams = count_argument(fcinfo, split_argument(fcinfo, SPLIT_ARG_TEAMS), "teams", 2,
								 SPLIT_MAX_TEAMS, 2),
		.options = split_argument(fcinfo, SPLIT_ARG_BUDGET)
	};
	int			team_size = split_argument(fcinfo, SPLIT_ARG_TEAM_SIZE);
	Lobby		lobby;
	SplitRequest request;
	Split		split;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &use, &lobby))
		return (Datum) 0;
	read_request(fcinfo, &lobby, &request);
	if (lobby.n == 0 && !has_argument(fcinfo, team_size))
		return (Datum) 0;
	request_sizes(fcinfo, team_size, &lobby, &request);
	split_fairly(&lobby, &request, &split);
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	put_split(fcinfo, &lobby, 0, &split,
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

/* Arguments as above. */
SQL_FUNCTION(skillrating_split_all_sizes)
{
	static const LobbyUse use = {
		.maker = "split_all_sizes",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.unused = LOBBY_SET(LOBBY_PRIORITY) | LOBBY_SET(LOBBY_CURRENT),
		.options = SIZES_ARG_BUDGET
	};
	bool		explain = wants_why(fcinfo, SIZES_ARG_EXPLAIN);
	Lobby		lobby;
	Split	   *split;
	int			nsizes;
	int			s;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &use, &lobby))
		return (Datum) 0;
	nsizes = (lobby.n - lobby.benched) / 2 - MIN_SIZE + 1;
	if (nsizes <= 0)
		return (Datum) 0;
	split = palloc_array(Split, nsizes);
	split_every_size(&lobby, MIN_SIZE, nsizes, split);

	/* Explanations of all sizes share the work of one split. */
	lobby.max_work /= nsizes;
	for (s = 0; s < nsizes; s++)
	{
		int			team_size = MIN_SIZE + s;
		SplitRequest request = {.size = {team_size, team_size}};

		/* The constraints contradict one another, whatever the size. */
		if (split[s].status != SPLIT_OK)
			report_no_split(&lobby, &request, &split[s]);
		if (!split[s].answer.found)
			continue;
		lobby.even_difference = split[s].even_difference;
		put_split(fcinfo, &lobby, team_size, &split[s],
				  explain ? why_split(&lobby, &request, &split[s]) : (Datum) 0);
	}
	return (Datum) 0;
}
