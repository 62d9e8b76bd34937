/*
 * split_functions.c
 *		Players in a lobby split into teams and a bench.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"

#include "core/split/fair_split.h"
#include "pg/teams/lobby_reader.h"

static const char *const objectives[] = {"squares", "range", NULL};
static const char *const secondaries[] = {"none", "spread", "best", NULL};

/* The least size of teams in split_all_sizes(). */
#define MIN_SIZE 2

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

/* Read what is asked of the split, from the argument objective on. */
static void
read_request(FunctionCallInfo fcinfo, int arg, Lobby *lobby, SplitRequest *request)
{
	if (has_argument(fcinfo, arg))
		request->objective = (SplitObjective)
			word_index("objective", PG_GETARG_DATUM(arg), objectives);
	if (has_argument(fcinfo, arg + 1))
		request->secondary = (Secondary)
			word_index("secondary objective", PG_GETARG_DATUM(arg + 1), secondaries);
	if (request->secondary != SECONDARY_NONE && lobby->nteams > 2)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("secondary is for two teams only, not for %d", lobby->nteams)));
	if (has_argument(fcinfo, arg + 2))
		request->tolerance = check_not_negative("tolerance", PG_GETARG_FLOAT8(arg + 2));
}

/* Return the rows of a split, with a team size in front unless that is 0. */
static void
put_split(FunctionCallInfo fcinfo, const Lobby *lobby, int team_size, Split *split,
		  const BrokenWishes *broken, Datum why)
{
	TeamRows	rows = {
		.numbered = team_size > 0,.number = team_size,
		.quality = {BoolGetDatum(is_exact(split)), Float8GetDatum(split->bound)},
		.with_broken = true,.broken = broken_wishes(lobby, broken),.why = why
	};

	forecast_answer(lobby, split->answer.team, split->answer.commander, split);
	put_teams(fcinfo, lobby, split, &rows);
}

/*
 * split_teams(lobby, teams, team_size, objective, secondary, tolerance, budget, seed, explain), and
 * split_teams(players, mu, teams, team_size)
 */
SQL_FUNCTION(skillrating_split_teams)
{
	bool		two_arrays = PG_NARGS() == 4;
	int			teams = two_arrays ? 2 : 1;
	int			team_size = teams + 1;
	LobbyUse	use = {
		.maker = "split_teams",.two_arrays = two_arrays,.max_players = MAX_LOBBY_PLAYERS,
		.nteams = count_argument(fcinfo, teams, "teams", 2, SPLIT_MAX_TEAMS, 2),
		.options = !two_arrays
	};
	Lobby		lobby;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	BrokenWishes broken;
	Split		split;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &use, &lobby))
		return (Datum) 0;
	if (!two_arrays)
		read_request(fcinfo, team_size + 1, &lobby, &request);
	if (lobby.n == 0 && !has_argument(fcinfo, team_size))
		return (Datum) 0;
	request_sizes(fcinfo, team_size, &lobby, &request);
	split_by_wishes(&lobby, &request, &split, &broken);
	if (!split.answer.found)
		report_no_split(&lobby, &request, &split);
	draw_numbers(&lobby, &split);
	put_split(fcinfo, &lobby, 0, &split, &broken,
			  !two_arrays && wants_why(fcinfo) ? why_split(&broken.without, &request, &split) : (Datum) 0);
	return (Datum) 0;
}

/* split_all_sizes(lobby, budget, seed, explain) */
SQL_FUNCTION(skillrating_split_all_sizes)
{
	static const LobbyUse use = {
		.maker = "split_all_sizes",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.unused = LOBBY_SET(LOBBY_PRIORITY) | LOBBY_SET(LOBBY_CURRENT),
		.options = true
	};
	bool		explain = wants_why(fcinfo);
	Lobby		lobby;
	Split	   *split;
	bool		wishes;
	bool		found = false;
	SplitRequest request = {.objective = SPLIT_SQUARES};
	int			nsizes;
	int			s;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &use, &lobby))
		return (Datum) 0;
	nsizes = (lobby.n - lobby.benched) / 2 - MIN_SIZE + 1;
	if (nsizes <= 0)
		return (Datum) 0;
	split = palloc_array(Split, nsizes);
	wishes = has_prices(&lobby);
	if (!wishes)
		split_every_size(&lobby, MIN_SIZE, nsizes, split);

	/* Explanations of all sizes share the work of one split, and so do splits with wishes. */
	lobby.max_work /= nsizes;
	lobby.strict = true;
	for (s = 0; s < nsizes; s++)
	{
		int			team_size = MIN_SIZE + s;
		BrokenWishes broken = {.n = 0};

		request.size[0] = request.size[1] = team_size;
		if (wishes)
			split_by_wishes(&lobby, &request, &split[s], &broken);
		else
			broken.without = lobby;

		/* The constraints contradict one another, whatever the size. */
		if (split[s].status != SPLIT_OK && !wishes)
			report_no_split(&lobby, &request, &split[s]);
		if (!split[s].answer.found)
			continue;
		found = true;
		draw_numbers(&lobby, &split[s]);
		broken.without.even_difference = split[s].even_difference;
		put_split(fcinfo, &lobby, team_size, &split[s], &broken,
				  explain ? why_split(&broken.without, &request, &split[s]) : (Datum) 0);
	}
	if (wishes && !found && split[nsizes - 1].status != SPLIT_OK)
		report_no_split(&lobby, &request, &split[nsizes - 1]);
	return (Datum) 0;
}
