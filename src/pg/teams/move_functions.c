/*
 * move_functions.c
 *		Existing teams adjusted: swaps, transfers and joiners.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "pg/teams/explain.h"
#include "pg/teams/lobby_reader.h"
#include "pg/teams/moves.h"

SKILLRATING_FUNCTION(skillrating_suggest_swaps);
SKILLRATING_FUNCTION(skillrating_suggest_transfers);
SKILLRATING_FUNCTION(skillrating_place_joiner);

/* The least share of the work that is left for one of many greedy swaps, */
#define MIN_SHARE 0.01

/* how often the work may be taken by all of them, and the steps that they may take anyway. */
#define MAX_TOTAL 2
#define MIN_TOTAL_STEPS 3e8

/*
 * ---- The three functions ----
 */

/* Constraints and facts that have nothing to say of existing teams. */
#define REFUSED LOBBY_SET(LOBBY_SPLIT_EVENLY)
#define UNUSED LOBBY_SET(LOBBY_PRIORITY)

/* The columns that follow those of its own in the result of each. */
enum
{
	MOVES_DIFFERENCE,
	MOVES_WIN_PROBABILITY,
	MOVES_EXACT,
	MOVES_BOUND,
	MOVES_COMMANDER,			/* of either team */
	MOVES_WHY = MOVES_COMMANDER + 2,
	MOVES_COLUMNS
};

/* The most columns of a function's own. */
#define MAX_OWN_COLUMNS 3

/* Return a row: n columns of the function's own, and what the teams are after the moves. */
static void
put_moves(FunctionCallInfo fcinfo, const Lobby *lobby, const Split *split, const Datum *own,
		  const bool *own_nulls, int n, Datum why)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		row[MAX_OWN_COLUMNS + MOVES_COLUMNS];
	bool		isnull[MAX_OWN_COLUMNS + MOVES_COLUMNS] = {false};
	Datum	   *values = row + n;
	bool	   *nulls = isnull + n;
	int			t;

	memcpy(row, own, n * sizeof(Datum));
	if (own_nulls != NULL)
		memcpy(isnull, own_nulls, n * sizeof(bool));
	values[MOVES_DIFFERENCE] = Float8GetDatum(split->difference);
	values[MOVES_WIN_PROBABILITY] = Float8GetDatum(split->win[0]);
	values[MOVES_EXACT] = BoolGetDatum(is_exact(split));
	values[MOVES_BOUND] = Float8GetDatum(split->bound);
	for (t = 0; t < 2; t++)
	{
		int			player = split->answer.commander[t];

		nulls[MOVES_COMMANDER + t] = lobby->command[0] == NULL || player < 0;
		values[MOVES_COMMANDER + t] = nulls[MOVES_COMMANDER + t] ? (Datum) 0 :
			people_of(lobby)->player[player];
	}
	nulls[MOVES_WHY] = why == (Datum) 0;
	values[MOVES_WHY] = why;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row, isnull);
}

/*
 * ---- suggest_swaps() ----
 */

/* The positions of its arguments. */
enum
{
	SWAPS_ARG_LOBBY,
	SWAPS_ARG_MAX_SWAPS,
	SWAPS_ARG_METHOD,
	SWAPS_ARG_BUDGET,			/* and seed */
	SWAPS_ARG_EXPLAIN = SWAPS_ARG_BUDGET + 2
};

/* Two players who change places, of either team; -1: nobody. */
typedef struct Swap
{
	int			a;
	int			b;
} Swap;

static void
put_swap(FunctionCallInfo fcinfo, const Lobby *lobby, int swaps, Swap swap,
		 const Split *split, Datum why)
{
	Datum		own[] = {
		Int32GetDatum(swaps), swap.a < 0 ? (Datum) 0 : people_of(lobby)->player[swap.a],
		swap.b < 0 ? (Datum) 0 : people_of(lobby)->player[swap.b]
	};
	bool		nulls[] = {false, swap.a < 0, swap.b < 0};

	put_moves(fcinfo, lobby, split, own, nulls, lengthof(own), why);
}

/*
 * The swaps of a split: of the players who move the strongest are paired.  They come in
 * the order in which the players of the first team are among the arguments.
 */
static void
list_swaps(const Teams *teams, const Split *split, int n, Swap *swap)
{
	const Lobby *lobby = &teams->lobby;
	int		   *out = palloc_array(int, lobby->n + 1);
	int		   *in = palloc_array(int, lobby->n + 1);
	int			i,
				j;

	list_movers(teams, split, 1, out);
	list_movers(teams, split, 2, in);
	for (i = 0; i < n; i++)
	{
		for (j = i; j > 0 && people_of(lobby)->order[swap[j - 1].a] > people_of(lobby)->order[out[i]]; j--)
			swap[j] = swap[j - 1];
		swap[j].a = out[i];
		swap[j].b = in[i];
	}
	pfree(out);
	pfree(in);
}

/*
 * Explain one of so many suggestions, which share the work of one.  If there is not enough
 * for all of them, only the first are compared with others.
 */
static Datum
why_swaps(const Teams *teams, SplitSize moves, SplitSize after, const Split *split,
		  int number, int nsuggestions)
{
	Teams		explained = *teams;
	int			ncompared = max_variants(&teams->lobby,
										 least_steps_of_moves(&teams->lobby, moves, split));

	explained.lobby.max_work /= nsuggestions;
	return why_moves(&explained, moves, after, split, number < ncompared);
}

/*
 * Find the best swaps of each number up to a limit, and leave those that are better than
 * any smaller number.  Of a thousand players not all numbers can be tried; the last
 * suggestion is not proven then unless it makes the match even.
 */
static int
find_frontier(const Teams *teams, int max_swaps, SplitSize after, double logit,
			  SplitSize *moves, Split *split)
{
	int			tried = Min(max_swaps, max_swaps_tried(&teams->lobby));
	Teams		share = *teams;
	int			n = 0;
	int			m;

	for (m = 0; m < tried; m++)
		moves[m] = (SplitSize)
	{
		.count =
		{
			m + 1, m + 1
		}
	};
	if (tried < max_swaps)
		share.lobby.max_work /= MAX_FILLS;
	if (tried > 0)
		find_moves(&share, moves, tried, after, split);
	for (m = 0; m < tried; m++)
	{
		forecast_moves(&share, &split[m]);
		if (!split[m].answer.found || !is_better(split[m].imbalance_logit, logit))
			continue;
		logit = split[m].imbalance_logit;
		moves[n] = moves[m];
		split[n++] = split[m];
	}
	if (tried < max_swaps && n > 0 && is_better(0, logit))
		split[n - 1].unproven = true;
	return n;
}

/* Return the best swaps of each number that are better than those of any smaller one. */
static void
put_frontier(FunctionCallInfo fcinfo, Teams *teams, int max_swaps, double logit,
			 bool explain)
{
	SplitSize	after = {.count = {teams->count[1], teams->count[2]}};
	SplitSize  *moves = palloc_array(SplitSize, max_swaps + 1);
	Split	   *split = palloc_array(Split, max_swaps + 1);
	Swap	   *swap = palloc_array(Swap, max_swaps + 1);
	int			n = find_frontier(teams, max_swaps, after, logit, moves, split);
	int			s,
				i;

	for (s = 0; s < n; s++)
	{
		int			swaps = moves[s].count[0];

		forecast_after(teams, &split[s]);
		list_swaps(teams, &split[s], swaps, swap);
		for (i = 0; i < swaps; i++)
			put_swap(fcinfo, &teams->lobby, swaps, swap[i], &split[s],
					 explain && i == 0 ?
					 why_swaps(teams, moves[s], after, &split[s], s, n) : 0);
	}
}

/*
 * Return the best swap of two, then the best after that, as long as it helps.  All of them
 * share the work, of which the last ones may have little; as each takes some however little
 * that is, they end when it has been spent MAX_TOTAL times.
 */
static void
put_greedy_swaps(FunctionCallInfo fcinfo, Teams *teams, int max_swaps, double logit,
				 bool explain)
{
	SplitSize	after = {.count = {teams->count[1], teams->count[2]}};
	SplitSize	one = {.count = {1, 1}};
	Swap	   *swap = palloc_array(Swap, max_swaps + 1);
	Teams		share = *teams;
	double		most_work = Max(MAX_TOTAL * teams->lobby.max_work, MIN_TOTAL_STEPS);
	double		work = 0;
	int			m,
				i;

	for (m = 0; m < max_swaps && work < most_work; m++)
	{
		Split		split;
		Datum		why;

		find_fair_moves(&share, one, after, &split);
		work += split.problem.spent;
		share.lobby.max_work = Max(share.lobby.max_work - split.problem.work,
								   MIN_SHARE * teams->lobby.max_work);
		if (!split.answer.found || !is_better(split.imbalance_logit, logit))
			return;
		logit = split.imbalance_logit;
		why = explain ? why_swaps(teams, one, after, &split, m, max_swaps) : 0;
		forecast_after(teams, &split);
		list_swaps(teams, &split, 1, &swap[m]);
		teams->team[swap[m].a] = 2;
		teams->team[swap[m].b] = 1;

		/* Several that are the best one after another need not be together. */
		split.unproven = m > 0;
		for (i = 0; i <= m; i++)
			put_swap(fcinfo, &teams->lobby, m + 1, swap[i], &split, i == 0 ? why : 0);
	}
}

/* Return where those come who had no team, or a row of nulls if there are none. */
static void
put_placed(FunctionCallInfo fcinfo, Teams *teams, Split *split, bool explain)
{
	Datum		why = explain ? why_placed(teams, split) : 0;
	Swap		nobody = {-1, -1};
	bool		alone = true;
	int			i;

	forecast_answer(&teams->lobby, split->answer.team, split->answer.commander, split);
	for (i = 0; i < teams->lobby.n; i++)
	{
		int			place = people_of(&teams->lobby)->input_index[i];
		Swap		joiner = nobody;

		if (!teams->joins[place])
			continue;
		if (teams->team[place] == 1)
			joiner.a = place;
		else
			joiner.b = place;
		put_swap(fcinfo, &teams->lobby, 0, joiner, split, alone ? why : 0);
		alone = false;
	}
	if (alone)
		put_swap(fcinfo, &teams->lobby, 0, nobody, split, why);
}

/* Arguments as above. */
Datum
skillrating_suggest_swaps(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"exact", "greedy"};
	static const LobbyUse use = {
		.maker = "suggest_swaps",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.refused = REFUSED,.unused = UNUSED,.options = SWAPS_ARG_BUDGET
	};
	Teams		teams;
	Split		split;
	bool		greedy;
	int			max_swaps;
	bool		explain = wants_why(fcinfo, SWAPS_ARG_EXPLAIN);

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &use, &teams))
		return (Datum) 0;
	greedy = name_argument(fcinfo, SWAPS_ARG_METHOD, "method", methods,
						   lengthof(methods), 0,
						   "Methods are \"exact\" and \"greedy\".") == 1;
	max_swaps = count_argument(fcinfo, SWAPS_ARG_MAX_SWAPS, "max_swaps", 0, NO_LIMIT,
							   teams.lobby.n);

	/* First those who have no team, and how it stands then. */
	place_unassigned(&teams, 1, &split);
	put_placed(fcinfo, &teams, &split, explain);
	max_swaps = Min(max_swaps, Min(teams.count[1], teams.count[2]));
	if (greedy)
		put_greedy_swaps(fcinfo, &teams, max_swaps, split.imbalance_logit, explain);
	else
		put_frontier(fcinfo, &teams, max_swaps, split.imbalance_logit, explain);
	return (Datum) 0;
}

/*
 * ---- suggest_transfers() ----
 */

/* The positions of its arguments. */
enum
{
	TRANSFERS_ARG_LOBBY,
	TRANSFERS_ARG_MAX_SWAPS,
	TRANSFERS_ARG_MAX_LEAD,
	TRANSFERS_ARG_BUDGET,		/* and seed */
	TRANSFERS_ARG_EXPLAIN = TRANSFERS_ARG_BUDGET + 2
};

/* The best moves, and what they are of. */
typedef struct Transfer
{
	Split		split;
	SplitSize	moves;
	SplitSize	after;
	double		even_difference;	/* that was aimed at */
} Transfer;

/*
 * Find the best transfer of so many players from the larger team, with as few swaps besides
 * as are as good.  However coarse a search, it takes some work, so that in large lobbies not
 * all numbers of swaps can be tried; the best is not proven then.
 */
static void
find_transfer_of(const Teams *teams, int movers, int max_swaps, double max_work,
				 Transfer *best)
{
	int			over = teams->count[1] > teams->count[2] ? movers : -movers;
	SplitSize	after = {.count = {teams->count[1] - over, teams->count[2] + over}};
	Teams		share = *teams;
	double		work = 0;
	int			swaps;

	memset(best, 0, sizeof(Transfer));
	best->after = after;
	share.lobby.max_work = max_work / (max_swaps + 1);
	for (swaps = 0; swaps <= max_swaps; swaps++)
	{
		SplitSize	moves = {.count = {swaps + Max(over, 0), swaps + Max(-over, 0)}};
		Split		split;

		if (work > max_work && best->split.answer.found)
		{
			best->split.unproven = true;
			break;
		}
		share.lobby.even_difference = teams->lobby.even_difference;
		find_fair_moves(&share, moves, after, &split);
		work += split.problem.spent;
		if (keep_better(&best->split, &split))
		{
			best->moves = moves;
			best->even_difference = share.lobby.even_difference;
		}
	}
}

/*
 * Find the moves after which no team has more than max_lead players more than the other:
 * as few players move as the constraints allow.  False if that is so already.
 */
static bool
find_transfer(const Teams *teams, int max_swaps, int max_lead, Transfer *best)
{
	int			lead = abs(teams->count[1] - teams->count[2]);
	int			least;
	int			most;
	int			movers;

	/* An odd number of players cannot do without a lead of one. */
	max_lead = Max(max_lead, teams->lobby.n % 2);
	if (lead <= max_lead)
		return false;
	least = (lead - max_lead + 1) / 2;
	most = (int) (((int64) lead + Min(max_lead, lead)) / 2);
	max_swaps = Min(max_swaps, Min(teams->count[1], teams->count[2]));
	for (movers = least; movers <= most; movers++)
	{
		check_interrupts();
		find_transfer_of(teams, movers, max_swaps,
						 teams->lobby.max_work / (most - least + 1), best);
		if (best->split.answer.found)
			return true;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("teams of %d and %d cannot be brought to a lead of at most %d",
					teams->count[1], teams->count[2], max_lead),
			 teams->lobby.command[0] != NULL ?
			 errdetail("No moves keep party, locked and avoid, and leave either team a commander.") :
			 errdetail("No moves keep party, locked and avoid.")));
}

/* Arguments as above. */
Datum
skillrating_suggest_transfers(PG_FUNCTION_ARGS)
{
	static const LobbyUse use = {
		.maker = "suggest_transfers",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.refused = REFUSED,.unused = UNUSED,.options = TRANSFERS_ARG_BUDGET
	};
	Teams		teams;
	Transfer	best;
	int			max_swaps;
	int			max_lead;
	Datum		why = 0;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &use, &teams))
		return (Datum) 0;
	if (teams.count[0] > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d players have no team", teams.count[0]),
				 errhint("Place them with skillrating.place_joiner().")));
	max_swaps = count_argument(fcinfo, TRANSFERS_ARG_MAX_SWAPS, "max_swaps", 0, NO_LIMIT, 0);
	max_lead = count_argument(fcinfo, TRANSFERS_ARG_MAX_LEAD, "max_lead", 0, NO_LIMIT, 1);
	if (!find_transfer(&teams, max_swaps, max_lead, &best))
		return (Datum) 0;
	teams.lobby.even_difference = best.even_difference;
	if (wants_why(fcinfo, TRANSFERS_ARG_EXPLAIN))
		why = why_moves(&teams, best.moves, best.after, &best.split, true);
	forecast_after(&teams, &best.split);
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = people_of(&teams.lobby)->input_index[i];
		int			from = best.split.answer.team[place];
		Datum		own[] = {
			people_of(&teams.lobby)->player[place], Int32GetDatum(from), Int32GetDatum(3 - from)
		};

		if (from == SPLIT_BENCH)
			continue;
		put_moves(fcinfo, &teams.lobby, &best.split, own, NULL, lengthof(own), why);
		why = 0;
	}
	return (Datum) 0;
}

/*
 * ---- place_joiner() ----
 */

/* The positions of its arguments. */
enum
{
	JOINER_ARG_LOBBY,
	JOINER_ARG_MAX_LEAD,
	JOINER_ARG_BUDGET,			/* and seed */
	JOINER_ARG_EXPLAIN = JOINER_ARG_BUDGET + 2
};

/* Arguments as above. */
Datum
skillrating_place_joiner(PG_FUNCTION_ARGS)
{
	static const LobbyUse use = {
		.maker = "place_joiner",.max_players = MAX_LOBBY_PLAYERS,.nteams = 2,
		.refused = REFUSED,.unused = UNUSED,.options = JOINER_ARG_BUDGET
	};
	Teams		teams;
	Split		split;
	Datum		why = 0;
	int			max_lead;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &use, &teams))
		return (Datum) 0;
	max_lead = count_argument(fcinfo, JOINER_ARG_MAX_LEAD, "max_lead", 0, NO_LIMIT, 1);
	if (teams.count[0] == 0)
		return (Datum) 0;
	place_unassigned(&teams, max_lead, &split);
	if (wants_why(fcinfo, JOINER_ARG_EXPLAIN))
		why = why_placed(&teams, &split);
	forecast_answer(&teams.lobby, split.answer.team, split.answer.commander, &split);
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = people_of(&teams.lobby)->input_index[i];
		Datum		own[] = {people_of(&teams.lobby)->player[place], Int32GetDatum(teams.team[place])};

		if (!teams.joins[place])
			continue;
		put_moves(fcinfo, &teams.lobby, &split, own, NULL, lengthof(own), why);
		why = 0;
	}
	return (Datum) 0;
}
