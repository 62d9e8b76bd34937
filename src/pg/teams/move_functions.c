/*
 * move_functions.c
 *		Existing teams adjusted: swaps, transfers and joiners.
 */
#include "pg/sql/glue.h"

#include "funcapi.h"
#include "utils/tuplestore.h"

#include "pg/teams/explain.h"
#include "pg/teams/lobby_arguments.h"
#include "pg/teams/moves.h"

SKILLRATING_FUNCTION(skillrating_suggest_swaps);
SKILLRATING_FUNCTION(skillrating_suggest_transfers);
SKILLRATING_FUNCTION(skillrating_place_joiner);

/* The least share of the work that is left for one of many greedy swaps, */
#define MIN_SHARE 0.01

/* how often the work may be taken by all of them, and the steps that they may take anyway. */
#define MAX_TOTAL 2
#define MIN_TOTAL_STEPS 3e8

/* The commanders of both teams, for two result columns; null without commanders. */
static void
set_commanders(const Lobby *lobby, const Split *split, Datum *values, bool *nulls)
{
	int			t;

	for (t = 0; t < 2; t++)
	{
		int			player = split->answer.commander[t];

		nulls[t] = lobby->command[0] == NULL || player < 0;
		values[t] = nulls[t] ? (Datum) 0 : lobby->player[player];
	}
}

/*
 * ---- suggest_swaps() ----
 */

/* The positions of its arguments. */
enum
{
	SWAPS_ARG_PLAYERS,
	SWAPS_ARG_MU,
	SWAPS_ARG_TEAM,
	SWAPS_ARG_MU_2,
	SWAPS_ARG_DEVIATION,
	SWAPS_ARG_WEIGHT,
	SWAPS_ARG_PARTY,
	SWAPS_ARG_LOCKED,
	SWAPS_ARG_AVOID,
	SWAPS_ARG_COMMAND_MU,
	SWAPS_ARG_COMMAND_MU_2,
	SWAPS_ARG_COMMANDER,
	SWAPS_ARG_MAX_SWAPS,
	SWAPS_ARG_LOG_ODDS,
	SWAPS_ARG_STRENGTH,
	SWAPS_ARG_LOG_ODDS_UNIT,
	SWAPS_ARG_COMMAND_WEIGHT,
	SWAPS_ARG_MODEL,
	SWAPS_ARG_PARAMS,
	SWAPS_ARG_METHOD,
	SWAPS_ARG_BUDGET,
	SWAPS_ARG_SEED,
	SWAPS_ARG_EXPLAIN
};

static const LobbyArguments swaps_arguments = {
	.mu = SWAPS_ARG_MU,
	.team = SWAPS_ARG_TEAM,
	.mu_2 = SWAPS_ARG_MU_2,
	.deviation = SWAPS_ARG_DEVIATION,
	.weight = SWAPS_ARG_WEIGHT,
	.party = SWAPS_ARG_PARTY,
	.locked = SWAPS_ARG_LOCKED,
	.avoid = SWAPS_ARG_AVOID,
	.command_mu = SWAPS_ARG_COMMAND_MU,
	.command_mu_2 = SWAPS_ARG_COMMAND_MU_2,
	.commander = SWAPS_ARG_COMMANDER,
	.log_odds = SWAPS_ARG_LOG_ODDS,
	.strength = SWAPS_ARG_STRENGTH,
	.log_odds_unit = SWAPS_ARG_LOG_ODDS_UNIT,
	.command_weight = SWAPS_ARG_COMMAND_WEIGHT,
	.model = SWAPS_ARG_MODEL,
	.params = SWAPS_ARG_PARAMS,
	.budget = SWAPS_ARG_BUDGET,
	.seed = SWAPS_ARG_SEED,
	.explain = SWAPS_ARG_EXPLAIN
};

/* The columns of its result. */
enum
{
	SWAPS_SWAPS,
	SWAPS_PLAYER_ID_A,
	SWAPS_PLAYER_ID_B,
	SWAPS_DIFFERENCE,
	SWAPS_WIN_PROBABILITY,
	SWAPS_EXACT,
	SWAPS_BOUND,
	SWAPS_COMMANDER,			/* of either team */
	SWAPS_WHY = SWAPS_COMMANDER + 2,
	SWAPS_COLUMNS
};

/* Two players who change places, of either team; -1: nobody. */
typedef struct Swap
{
	int			a;
	int			b;
} Swap;

static void
put_swap(ReturnSetInfo *rsinfo, const Lobby *lobby, int swaps, Swap swap,
		 const Split *split, Datum why)
{
	Datum		values[SWAPS_COLUMNS] = {0};
	bool		nulls[SWAPS_COLUMNS] = {false};

	values[SWAPS_SWAPS] = Int32GetDatum(swaps);
	nulls[SWAPS_PLAYER_ID_A] = swap.a < 0;
	nulls[SWAPS_PLAYER_ID_B] = swap.b < 0;
	if (swap.a >= 0)
		values[SWAPS_PLAYER_ID_A] = lobby->player[swap.a];
	if (swap.b >= 0)
		values[SWAPS_PLAYER_ID_B] = lobby->player[swap.b];
	values[SWAPS_DIFFERENCE] = Float8GetDatum(split->difference);
	values[SWAPS_WIN_PROBABILITY] = Float8GetDatum(split->win[0]);
	values[SWAPS_EXACT] = BoolGetDatum(is_exact(split));
	values[SWAPS_BOUND] = Float8GetDatum(split->bound);
	set_commanders(lobby, split, &values[SWAPS_COMMANDER], &nulls[SWAPS_COMMANDER]);
	nulls[SWAPS_WHY] = why == (Datum) 0;
	values[SWAPS_WHY] = why;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
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
		for (j = i; j > 0 && lobby->order[swap[j - 1].a] > lobby->order[out[i]]; j--)
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
put_frontier(ReturnSetInfo *rsinfo, Teams *teams, int max_swaps, double logit,
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

		list_swaps(teams, &split[s], swaps, swap);
		for (i = 0; i < swaps; i++)
			put_swap(rsinfo, &teams->lobby, swaps, swap[i], &split[s],
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
put_greedy_swaps(ReturnSetInfo *rsinfo, Teams *teams, int max_swaps, double logit,
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
		list_swaps(teams, &split, 1, &swap[m]);
		teams->team[swap[m].a] = 2;
		teams->team[swap[m].b] = 1;

		/* Several that are the best one after another need not be together. */
		split.unproven = m > 0;
		for (i = 0; i <= m; i++)
			put_swap(rsinfo, &teams->lobby, m + 1, swap[i], &split, i == 0 ? why : 0);
	}
}

/* Return where those come who had no team, or a row of nulls if there are none. */
static void
put_placed(ReturnSetInfo *rsinfo, Teams *teams, const Split *split, bool explain)
{
	Datum		why = explain ? why_placed(teams, split) : 0;
	Swap		nobody = {-1, -1};
	bool		alone = true;
	int			i;

	for (i = 0; i < teams->lobby.n; i++)
	{
		int			place = teams->lobby.input_index[i];
		Swap		joiner = nobody;

		if (!teams->joins[place])
			continue;
		if (teams->team[place] == 1)
			joiner.a = place;
		else
			joiner.b = place;
		put_swap(rsinfo, &teams->lobby, 0, joiner, split, alone ? why : 0);
		alone = false;
	}
	if (alone)
		put_swap(rsinfo, &teams->lobby, 0, nobody, split, why);
}

/* Arguments as above. */
Datum
skillrating_suggest_swaps(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"exact", "greedy"};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Split		split;
	bool		greedy;
	int			max_swaps;
	bool		explain = wants_why(fcinfo, SWAPS_ARG_EXPLAIN);

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &swaps_arguments, &teams) || teams.lobby.n == 0)
		return (Datum) 0;
	greedy = name_argument(fcinfo, SWAPS_ARG_METHOD, "method", methods,
						   lengthof(methods), 0,
						   "Methods are \"exact\" and \"greedy\".") == 1;
	max_swaps = count_argument(fcinfo, SWAPS_ARG_MAX_SWAPS, "max_swaps", 0, NO_LIMIT,
							   teams.lobby.n);

	/* First those who have no team, and how it stands then. */
	place_unassigned(&teams, 1, &split);
	put_placed(rsinfo, &teams, &split, explain);
	max_swaps = Min(max_swaps, Min(teams.count[1], teams.count[2]));
	if (greedy)
		put_greedy_swaps(rsinfo, &teams, max_swaps, split.imbalance_logit, explain);
	else
		put_frontier(rsinfo, &teams, max_swaps, split.imbalance_logit, explain);
	return (Datum) 0;
}

/*
 * ---- suggest_transfers() ----
 */

/* The positions of its arguments. */
enum
{
	TRANSFERS_ARG_PLAYERS,
	TRANSFERS_ARG_MU,
	TRANSFERS_ARG_TEAM,
	TRANSFERS_ARG_MU_2,
	TRANSFERS_ARG_DEVIATION,
	TRANSFERS_ARG_WEIGHT,
	TRANSFERS_ARG_PARTY,
	TRANSFERS_ARG_LOCKED,
	TRANSFERS_ARG_AVOID,
	TRANSFERS_ARG_COMMAND_MU,
	TRANSFERS_ARG_COMMAND_MU_2,
	TRANSFERS_ARG_COMMANDER,
	TRANSFERS_ARG_MAX_SWAPS,
	TRANSFERS_ARG_MAX_LEAD,
	TRANSFERS_ARG_LOG_ODDS,
	TRANSFERS_ARG_STRENGTH,
	TRANSFERS_ARG_LOG_ODDS_UNIT,
	TRANSFERS_ARG_COMMAND_WEIGHT,
	TRANSFERS_ARG_MODEL,
	TRANSFERS_ARG_PARAMS,
	TRANSFERS_ARG_BUDGET,
	TRANSFERS_ARG_SEED,
	TRANSFERS_ARG_EXPLAIN
};

static const LobbyArguments transfers_arguments = {
	.mu = TRANSFERS_ARG_MU,
	.team = TRANSFERS_ARG_TEAM,
	.mu_2 = TRANSFERS_ARG_MU_2,
	.deviation = TRANSFERS_ARG_DEVIATION,
	.weight = TRANSFERS_ARG_WEIGHT,
	.party = TRANSFERS_ARG_PARTY,
	.locked = TRANSFERS_ARG_LOCKED,
	.avoid = TRANSFERS_ARG_AVOID,
	.command_mu = TRANSFERS_ARG_COMMAND_MU,
	.command_mu_2 = TRANSFERS_ARG_COMMAND_MU_2,
	.commander = TRANSFERS_ARG_COMMANDER,
	.log_odds = TRANSFERS_ARG_LOG_ODDS,
	.strength = TRANSFERS_ARG_STRENGTH,
	.log_odds_unit = TRANSFERS_ARG_LOG_ODDS_UNIT,
	.command_weight = TRANSFERS_ARG_COMMAND_WEIGHT,
	.model = TRANSFERS_ARG_MODEL,
	.params = TRANSFERS_ARG_PARAMS,
	.budget = TRANSFERS_ARG_BUDGET,
	.seed = TRANSFERS_ARG_SEED,
	.explain = TRANSFERS_ARG_EXPLAIN
};

/* The columns of its result. */
enum
{
	TRANSFERS_PLAYER_ID,
	TRANSFERS_FROM_TEAM,
	TRANSFERS_TO_TEAM,
	TRANSFERS_DIFFERENCE,
	TRANSFERS_WIN_PROBABILITY,
	TRANSFERS_EXACT,
	TRANSFERS_BOUND,
	TRANSFERS_COMMANDER,		/* of either team */
	TRANSFERS_WHY = TRANSFERS_COMMANDER + 2,
	TRANSFERS_COLUMNS
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
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Transfer	best;
	int			max_swaps;
	int			max_lead;
	bool		explained = !wants_why(fcinfo, TRANSFERS_ARG_EXPLAIN);
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &transfers_arguments, &teams) || teams.lobby.n == 0)
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
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = teams.lobby.input_index[i];
		int			from = best.split.answer.team[place];
		Datum		values[TRANSFERS_COLUMNS];
		bool		nulls[TRANSFERS_COLUMNS] = {false};

		if (from == SPLIT_BENCH)
			continue;
		values[TRANSFERS_PLAYER_ID] = teams.lobby.player[place];
		values[TRANSFERS_FROM_TEAM] = Int32GetDatum(from);
		values[TRANSFERS_TO_TEAM] = Int32GetDatum(3 - from);
		values[TRANSFERS_DIFFERENCE] = Float8GetDatum(best.split.difference);
		values[TRANSFERS_WIN_PROBABILITY] = Float8GetDatum(best.split.win[0]);
		values[TRANSFERS_EXACT] = BoolGetDatum(is_exact(&best.split));
		values[TRANSFERS_BOUND] = Float8GetDatum(best.split.bound);
		set_commanders(&teams.lobby, &best.split, &values[TRANSFERS_COMMANDER],
					   &nulls[TRANSFERS_COMMANDER]);
		nulls[TRANSFERS_WHY] = explained;
		if (!explained)
			values[TRANSFERS_WHY] = why_moves(&teams, best.moves, best.after, &best.split, true);
		explained = true;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * ---- place_joiner() ----
 */

/* The positions of its arguments. */
enum
{
	JOINER_ARG_PLAYERS,
	JOINER_ARG_MU,
	JOINER_ARG_TEAM,
	JOINER_ARG_MU_2,
	JOINER_ARG_DEVIATION,
	JOINER_ARG_WEIGHT,
	JOINER_ARG_PARTY,
	JOINER_ARG_LOCKED,
	JOINER_ARG_AVOID,
	JOINER_ARG_COMMAND_MU,
	JOINER_ARG_COMMAND_MU_2,
	JOINER_ARG_COMMANDER,
	JOINER_ARG_MAX_LEAD,
	JOINER_ARG_LOG_ODDS,
	JOINER_ARG_STRENGTH,
	JOINER_ARG_LOG_ODDS_UNIT,
	JOINER_ARG_COMMAND_WEIGHT,
	JOINER_ARG_MODEL,
	JOINER_ARG_PARAMS,
	JOINER_ARG_BUDGET,
	JOINER_ARG_SEED,
	JOINER_ARG_EXPLAIN
};

static const LobbyArguments joiner_arguments = {
	.mu = JOINER_ARG_MU,
	.team = JOINER_ARG_TEAM,
	.mu_2 = JOINER_ARG_MU_2,
	.deviation = JOINER_ARG_DEVIATION,
	.weight = JOINER_ARG_WEIGHT,
	.party = JOINER_ARG_PARTY,
	.locked = JOINER_ARG_LOCKED,
	.avoid = JOINER_ARG_AVOID,
	.command_mu = JOINER_ARG_COMMAND_MU,
	.command_mu_2 = JOINER_ARG_COMMAND_MU_2,
	.commander = JOINER_ARG_COMMANDER,
	.log_odds = JOINER_ARG_LOG_ODDS,
	.strength = JOINER_ARG_STRENGTH,
	.log_odds_unit = JOINER_ARG_LOG_ODDS_UNIT,
	.command_weight = JOINER_ARG_COMMAND_WEIGHT,
	.model = JOINER_ARG_MODEL,
	.params = JOINER_ARG_PARAMS,
	.budget = JOINER_ARG_BUDGET,
	.seed = JOINER_ARG_SEED,
	.explain = JOINER_ARG_EXPLAIN
};

/* The columns of its result. */
enum
{
	JOINER_PLAYER_ID,
	JOINER_TEAM,
	JOINER_DIFFERENCE,
	JOINER_WIN_PROBABILITY,
	JOINER_EXACT,
	JOINER_BOUND,
	JOINER_COMMANDER,			/* of either team */
	JOINER_WHY = JOINER_COMMANDER + 2,
	JOINER_COLUMNS
};

/* Arguments as above. */
Datum
skillrating_place_joiner(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Split		split;
	bool		explained = !wants_why(fcinfo, JOINER_ARG_EXPLAIN);
	int			max_lead;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &joiner_arguments, &teams))
		return (Datum) 0;
	max_lead = count_argument(fcinfo, JOINER_ARG_MAX_LEAD, "max_lead", 0, NO_LIMIT, 1);
	if (teams.count[0] == 0)
		return (Datum) 0;
	place_unassigned(&teams, max_lead, &split);
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = teams.lobby.input_index[i];
		Datum		values[JOINER_COLUMNS];
		bool		nulls[JOINER_COLUMNS] = {false};

		if (!teams.joins[place])
			continue;
		values[JOINER_PLAYER_ID] = teams.lobby.player[place];
		values[JOINER_TEAM] = Int32GetDatum(teams.team[place]);
		values[JOINER_DIFFERENCE] = Float8GetDatum(split.difference);
		values[JOINER_WIN_PROBABILITY] = Float8GetDatum(split.win[0]);
		values[JOINER_EXACT] = BoolGetDatum(is_exact(&split));
		values[JOINER_BOUND] = Float8GetDatum(split.bound);
		set_commanders(&teams.lobby, &split, &values[JOINER_COMMANDER],
					   &nulls[JOINER_COMMANDER]);
		nulls[JOINER_WHY] = explained;
		if (!explained)
			values[JOINER_WHY] = why_placed(&teams, &split);
		explained = true;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
