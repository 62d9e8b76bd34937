/*
 * move_functions.c
 *		Existing teams adjusted: swaps, transfers and joiners.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"

#include "core/split/compare.h"
#include "core/split/moves.h"
#include "pg/sql/composite.h"
#include "pg/teams/lobby_reader.h"

/*
 * ---- The three functions ----
 */

/* Errors (22023) for players who are on no team, and for those who are locked elsewhere. */
static void
check_teams(const Lobby *lobby)
{
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		int			team = lobby->current[i];
		int			allowed = allowed_teams_of(lobby, lobby->locked_teams, i);

		if (team == SPLIT_BENCH)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot be on the bench", player_text(lobby, i)),
					 errhint("Existing teams have no bench: an element of current is 1 or 2, or null for a player without a team.")));
		if (allowed == SPLIT_MAY(SPLIT_BENCH))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot be locked to the bench", player_text(lobby, i)),
					 errhint("An element of locked is 1, 2 or null: existing teams have no bench.")));
		if (team != SPLIT_NOWHERE && (allowed & SPLIT_MAY(team)) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s is locked to team %d, but is in team %d",
							player_text(lobby, i), 3 - team, team),
					 errhint("Lock players to the team that they are in; only a player without a team is placed by locked.")));
	}
}

/*
 * Begin a result, and read the lobby in the first argument, with the teams at present.  False if
 * there are no players.
 */
static bool
begin_moves(FunctionCallInfo fcinfo, const char *maker, Teams *teams)
{
	LobbyUse	use = {
		.maker = maker,.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.refused = LOBBY_SET(LOBBY_SPLIT_EVENLY),.unused = LOBBY_SET(LOBBY_PRIORITY),
		.options = true
	};

	InitMaterializedSRF(fcinfo, 0);
	if (!read_lobby(fcinfo, &use, &teams->lobby) || teams->lobby.n == 0)
		return false;
	if (teams->lobby.current == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the lobby does not say who is in which team"),
				 errhint("Give lobby() the teams as current.")));
	check_teams(&teams->lobby);
	begin_teams(teams);
	return true;
}

static void
check_groups(const Teams *teams, const Split *split)
{
	if (split->status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(&teams->lobby, &split->problem);
}

/* Explain a split, if that is asked for, and forecast it as an answer. */
static Datum
finish_split(const Lobby *lobby, const SplitRequest *request, Split *split, bool explain)
{
	Datum		why = explain ? why_split(lobby, request, split) : (Datum) 0;

	forecast_answer(lobby, split->answer.team, split->answer.commander, split);
	return why;
}

/* Place those who have no team; returns the explanation.  Errors (22023) if that cannot be. */
static Datum
place(Teams *teams, int max_lead, bool explain, Split *split)
{
	SplitRequest request;

	if (place_joiners(teams, max_lead, &request, split))
		return finish_split(&teams->lobby, &request, split, explain);
	check_groups(teams, split);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 teams->count[0] == 0 ?
			 errmsg("a team has no player who may command it") :
			 teams->lobby.command[0] != NULL ?
			 errmsg("players without a team cannot be placed so that party, locked and avoid are kept and either team has a commander") :
			 errmsg("players without a team cannot be placed so that party, locked and avoid are kept")));
}

/* Put a player, or null for -1. */
static void
put_player(ResultRow *row, const Lobby *lobby, int player)
{
	put_datum(row, player < 0 ? (Datum) 0 : people_of(lobby)->player[player], player < 0);
}

/*
 * Return a row, which has the columns of the function's own already: add what the teams of a
 * split are.
 */
static void
return_move(FunctionCallInfo fcinfo, const Lobby *lobby, const Split *split, ResultRow *row,
			Datum why)
{
	int			t;

	put_number(row, split->difference);
	put_number(row, split->win[0]);
	put_bool(row, is_exact(split));
	put_number(row, split->bound);
	for (t = 0; t < 2; t++)
		put_player(row, lobby, lobby->command[0] == NULL ? -1 : split->answer.commander[t]);
	put_datum(row, why, why == (Datum) 0);
	add_result_row(fcinfo, row);
}

/* Return a row for each player whom a split puts into another team: player_id, [from,] to. */
static void
put_movers(FunctionCallInfo fcinfo, const Teams *teams, const Split *split, bool from, Datum why)
{
	int			i;

	for (i = 0; i < teams->lobby.n; i++)
	{
		int			place = people_of(&teams->lobby)->input_index[i];
		ResultRow	row = {0};

		if (split->answer.team[place] == teams->team[place])
			continue;
		put_player(&row, &teams->lobby, place);
		if (from)
			put_int32(&row, teams->team[place]);
		put_int32(&row, split->answer.team[place]);
		return_move(fcinfo, &teams->lobby, split, &row, why);
		why = (Datum) 0;
	}
}

/*
 * ---- suggest_swaps() ----
 */

/* Return a row of so many swaps: two players change places, of either team; -1: nobody. */
static void
put_swap(FunctionCallInfo fcinfo, const Lobby *lobby, int swaps, SplitPair swap,
		 const Split *split, Datum why)
{
	ResultRow	row = {0};

	put_int32(&row, swaps);
	put_player(&row, lobby, swap.a);
	put_player(&row, lobby, swap.b);
	return_move(fcinfo, lobby, split, &row, why);
}

/* Return where those come who have no team, or a row of nulls if there are none. */
static void
put_placed(FunctionCallInfo fcinfo, const Teams *teams, const Split *split, Datum why)
{
	int			i;

	if (teams->count[0] == 0)
		put_swap(fcinfo, &teams->lobby, 0, (SplitPair) {-1, -1}, split, why);
	for (i = 0; i < teams->lobby.n; i++)
	{
		int			place = people_of(&teams->lobby)->input_index[i];
		bool		first = split->answer.team[place] == 1;

		if (teams->team[place] != 0)
			continue;
		put_swap(fcinfo, &teams->lobby, 0,
				 (SplitPair) {first ? place : -1, first ? -1 : place}, split, why);
		why = (Datum) 0;
	}
}

/*
 * Return suggestions, the best splits one after another: all swaps of each, or where each starts
 * from the one before, its swap and all before it.  They share the work of one explanation; if
 * there is not enough for all of them, only the first are compared with others.
 */
static void
put_suggestions(FunctionCallInfo fcinfo, Teams *teams, Split *split, int n, bool greedy,
				int nshares)
{
	SplitPair  *swap = palloc_array(SplitPair, teams->lobby.n + 1);
	Lobby	   *lobby = &teams->lobby;
	double		max_work = lobby->max_work;
	int			ncompared = max_compared(lobby);
	bool		explain = wants_why(fcinfo);
	int			s,
				i;

	for (s = 0; s < n; s++)
	{
		SplitRequest request = request_moves(teams, 0, split[s].moves);
		int			before = greedy ? s : 0;
		int			swaps = before + list_swaps(teams, &split[s], people_of(lobby)->order,
												swap + before);
		Datum		why;

		lobby->max_work = s < ncompared ? max_work / nshares : 0;
		why = finish_split(lobby, &request, &split[s], explain);
		for (i = 0; i < swaps; i++)
			put_swap(fcinfo, lobby, swaps, swap[i], &split[s], i == 0 ? why : (Datum) 0);
		if (greedy)
			set_teams(teams, split[s].answer.team);
	}
}

/* suggest_swaps(lobby, max_swaps, method, budget, seed, explain) */
SQL_FUNCTION(skillrating_suggest_swaps)
{
	static const char *const methods[] = {"exact", "greedy", NULL};
	Teams		teams;
	Split	   *split;
	Split		now;
	bool		greedy;
	int			max_swaps;
	int			n;
	Datum		why;

	if (!begin_moves(fcinfo, "suggest_swaps", &teams))
		return (Datum) 0;
	greedy = has_argument(fcinfo, 2) && word_index("method", PG_GETARG_DATUM(2), methods) == 1;
	max_swaps = count_argument(fcinfo, 1, "max_swaps", 0, NO_LIMIT, teams.lobby.n);

	/* First those who have no team, and how it stands then. */
	why = place(&teams, 1, wants_why(fcinfo), &now);
	put_placed(fcinfo, &teams, &now, why);
	set_teams(&teams, now.answer.team);
	max_swaps = Min(max_swaps, Min(teams.count[1], teams.count[2]));
	split = palloc_array(Split, max_swaps + 1);
	n = greedy ? find_greedy_swaps(&teams, max_swaps, now.imbalance_logit, split) :
		find_swaps(&teams, max_swaps, now.imbalance_logit, split);
	check_groups(&teams, &split[0]);
	put_suggestions(fcinfo, &teams, split, n, greedy, greedy ? max_swaps : n);
	return (Datum) 0;
}

/* suggest_transfers(lobby, max_swaps, max_lead, budget, seed, explain) */
SQL_FUNCTION(skillrating_suggest_transfers)
{
	Teams		teams;
	TransferStatus status;
	SplitRequest request;
	Split		split;
	int			max_swaps;
	int			max_lead;

	if (!begin_moves(fcinfo, "suggest_transfers", &teams))
		return (Datum) 0;
	if (teams.count[0] > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d players have no team", teams.count[0]),
				 errhint("Place them with skillrating.place_joiner().")));
	max_swaps = count_argument(fcinfo, 1, "max_swaps", 0, NO_LIMIT, 0);
	max_lead = count_argument(fcinfo, 2, "max_lead", 0, NO_LIMIT, 1);
	set_teams(&teams, teams.team);
	status = find_transfer(&teams, max_swaps, max_lead, &request, &split);
	check_groups(&teams, &split);
	if (status == TRANSFER_IMPOSSIBLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("teams of %d and %d cannot be brought to a lead of at most %d",
						teams.count[1], teams.count[2], Max(max_lead, teams.lobby.n % 2)),
				 teams.lobby.command[0] != NULL ?
				 errdetail("No moves keep party, locked and avoid, and leave either team a commander.") :
				 errdetail("No moves keep party, locked and avoid.")));
	if (status == TRANSFER_FOUND)
		put_movers(fcinfo, &teams, &split, true,
				   finish_split(&teams.lobby, &request, &split,
								wants_why(fcinfo)));
	return (Datum) 0;
}

/* place_joiner(lobby, max_lead, budget, seed, explain) */
SQL_FUNCTION(skillrating_place_joiner)
{
	Teams		teams;
	Split		split;
	int			max_lead;
	Datum		why;

	if (!begin_moves(fcinfo, "place_joiner", &teams))
		return (Datum) 0;
	max_lead = count_argument(fcinfo, 1, "max_lead", 0, NO_LIMIT, 1);
	if (teams.count[0] == 0)
		return (Datum) 0;
	why = place(&teams, max_lead, wants_why(fcinfo), &split);
	put_movers(fcinfo, &teams, &split, false, why);
	return (Datum) 0;
}
