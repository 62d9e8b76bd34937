/*
 * move_functions.c
 *		Teams that are there made fairer: swaps, transfers and joiners.
 *
 * Who moves is a split of its own: of each team so many go over, and the rest stays,
 * as on a bench.  What they are worth, on the one team and then on the other, is to
 * come near to what the teams differ by.
 */
#include "pg/teams/lobby.h"

#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/math/logistic.h"
#include "pg/sql/arrays.h"
#include "pg/teams/explain.h"

SKILLRATING_FUNCTION(skillrating_suggest_swaps);
SKILLRATING_FUNCTION(skillrating_suggest_transfers);
SKILLRATING_FUNCTION(skillrating_place_joiner);

/* What is no better by more than this share, or so many log-odds, is rounding. */
#define MIN_GAIN 1e-9

/* A lobby whose players are on teams. */
typedef struct Teams
{
	Lobby		lobby;
	int		   *team;			/* 1, 2, or 0 for none yet */
	bool	   *joins;			/* had none to begin with */
	bool	   *fixed;			/* who does not move */
	int			count[3];		/* of these */
} Teams;

static void
count_teams(Teams *teams)
{
	int			i;

	memset(teams->count, 0, sizeof(teams->count));
	for (i = 0; i < teams->lobby.n; i++)
		teams->count[teams->team[i]]++;
}

/* Read the arguments, team and who is fixed being among them; false for nulls. */
static bool
read_teams(FunctionCallInfo fcinfo, const LobbyArguments *arguments, int team,
		   int fixed, Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	bool	   *nulls;
	int			i,
				j;

	if (PG_ARGISNULL(team) || !read_lobby(fcinfo, arguments, lobby))
		return false;
	teams->team = lobby_integers(fcinfo, team, "team", lobby, &nulls);
	teams->joins = nulls;
	teams->fixed = palloc0_array(bool, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		if (!nulls[i] && teams->team[i] != 1 && teams->team[i] != 2)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot be in team %d",
							id_text(&lobby->type, lobby->player[i]), teams->team[i]),
					 errhint("team is 1 or 2, or null for who has none yet.")));
	if (has_argument(fcinfo, fixed))
	{
		ArrayType  *array = array_argument(fcinfo, fixed, "locked", lobby->n);
		const bool *element = (const bool *) ARR_DATA_PTR(array);

		for (i = 0; i < lobby->n; i++)
			teams->fixed[i] = element[lobby->order[i]];
	}

	/* A party that is in both teams already is none. */
	for (i = 0; i < lobby->n && lobby->party != NULL; i++)
		for (j = 0; j < i; j++)
			if (lobby->party[i] != 0 && lobby->party[i] == lobby->party[j] &&
				teams->team[i] != 0 && teams->team[j] != 0 &&
				teams->team[i] != teams->team[j])
			{
				int			party = lobby->party[i];
				int			k;

				for (k = 0; k < lobby->n; k++)
					if (lobby->party[k] == party)
						lobby->party[k] = 0;
			}
	count_teams(teams);
	return true;
}

/* An argument that is a number of players; or what stands for null. */
static int
number_argument(FunctionCallInfo fcinfo, int arg, const char *name, int otherwise)
{
	int			number = has_argument(fcinfo, arg) ? PG_GETARG_INT32(arg) : otherwise;

	if (number < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative, not %d", name, number)));
	return number;
}

/* Whether a log-odds is nearer to 0 than another, not by rounding only. */
static bool
is_better(double logit, double than)
{
	return fabs(logit) < fabs(than) - MIN_GAIN * (1 + fabs(than));
}

/*
 * Give a team to those who have none: numbers as even as they can be made, up to a
 * lead, and then the match.  Fills in the split.
 */
static void
place_unassigned(Teams *teams, int max_lead, Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	int			least_lead = lobby->n;
	bool		found = false;
	int			first,
				i;

	lobby->allowed_teams = palloc_array(int, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		lobby->allowed_teams[i] = teams->team[i] != 0 ? SPLIT_MAY(teams->team[i]) :
			SPLIT_MAY(1) | SPLIT_MAY(2);
	for (first = teams->count[1]; first <= lobby->n - teams->count[2]; first++)
		least_lead = Min(least_lead, abs(2 * first - lobby->n));
	for (first = teams->count[1]; first <= lobby->n - teams->count[2]; first++)
	{
		SplitSize	size = {.count = {first, lobby->n - first}};
		Split		other;

		if (abs(2 * first - lobby->n) > Max(least_lead, max_lead))
			continue;
		split_one_size(lobby, size, &other);
		if (other.answer.found &&
			(!found || is_better(other.imbalance_logit, split->imbalance_logit)))
		{
			*split = other;
			found = true;
		}
	}
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("who has no team yet cannot be placed so that parties stay together")));
	memcpy(teams->team, split->answer.team, sizeof(int) * lobby->n);
	count_teams(teams);
}

/* Why those who had no team were placed as they are. */
static Datum
why_placed(Teams *teams, const Split *split)
{
	SplitRequest request = {
		.size = {teams->count[1], teams->count[2]},.in_order = true
	};

	return why_split(&teams->lobby, &request, split);
}

/*
 * Find who moves, for each of several numbers of movers of either team; the teams'
 * numbers afterwards are the same for all.  In the answers a team is that of a mover.
 */
static void
find_moves(const Teams *teams, const SplitSize *moves, int n, SplitSize after,
		   Split *split)
{
	const Lobby *lobby = &teams->lobby;
	LobbyScale	scale = lobby_scale(lobby, after);
	double		wanted = lobby_target(lobby, &scale);
	double		now = 0;
	double	   *value = palloc_array(double, lobby->n + 1);
	double	   *target = palloc_array(double, n);
	int		   *places = palloc_array(int, lobby->n + 1);
	SplitAnswer *answer = palloc0_array(SplitAnswer, n);
	SplitProblem problem;
	int			i;

	begin_problem(lobby, &problem);
	for (i = 0; i < lobby->n; i++)
	{
		int			team = teams->team[i];

		/* Who moves is missed on the one team and counts for the other. */
		now += (team == 1 ? 1 : -1) * scale.scale[team - 1] * lobby->rating[team - 1][i];
		value[i] = scale.scale[0] * lobby->rating[0][i] + scale.scale[1] * lobby->rating[1][i];
		places[i] = SPLIT_MAY(SPLIT_BENCH) |
			(teams->fixed[i] ? 0 : SPLIT_MAY(team));
	}
	for (i = 0; i < n; i++)
	{
		target[i] = now - wanted;
		answer[i].team = palloc_array(int, lobby->n + 1);
	}
	problem.value[0] = problem.value[1] = value;
	problem.allowed_teams = places;
	problem.size = moves;
	problem.nsizes = n;
	problem.target = target;
	if (solve_problem(&problem, answer) != SPLIT_OK)
		for (i = 0; i < n; i++)
			answer[i].found = false;
	for (i = 0; i < n; i++)
	{
		split[i].answer = answer[i];
		split[i].answer.difference = -answer[i].difference;
		describe_split(lobby, &scale, wanted, &split[i]);
	}
}

/* Players of a team who move, best first, appended to a list. */
static int
list_movers(const Teams *teams, const Split *split, int team, int *list, int n)
{
	const Lobby *lobby = &teams->lobby;
	int			first = n;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		int			j;

		if (split->answer.team[i] != team)
			continue;
		for (j = n++; j > first && lobby->rating[team - 1][list[j - 1]] <
			 lobby->rating[team - 1][i]; j--)
			list[j] = list[j - 1];
		list[j] = i;
	}
	return n;
}

/* The best moves of a variant, if they are better than what there is. */
static void
try_moves(const Teams *variant, SplitSize moves, SplitSize after, Split *best)
{
	MemoryContext trial = AllocSetContextCreate(CurrentMemoryContext, "moves on trial",
												ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(trial);
	Split		split;

	find_moves(variant, &moves, 1, after, &split);
	MemoryContextSwitchTo(before);
	if (split.answer.found &&
		(!best->answer.found || fabs(split.imbalance_logit) < fabs(best->imbalance_logit)))
	{
		*best = split;
		best->answer.team = palloc_array(int, variant->lobby.n + 1);
		memcpy(best->answer.team, split.answer.team, sizeof(int) * variant->lobby.n);
	}
	MemoryContextDelete(trial);
}

/* Moves as a key, with what is left. */
static void
append_moves(StringInfo json, Teams *teams, const char *key, const Split *split)
{
	appendStringInfo(json, ", \"%s\": ", key);
	if (!split->answer.found)
	{
		appendStringInfoString(json, "null");
		return;
	}
	appendStringInfoChar(json, '{');
	explain_players(json, "from_1", &teams->lobby, split->answer.team, 1);
	explain_players(json, "from_2", &teams->lobby, split->answer.team, 2);
	explain_number(json, "difference", split->difference);
	explain_number(json, "off", points_off(&teams->lobby, split));
	appendStringInfoChar(json, '}');
}

/*
 * Why these move: the difference before, the best others of as many, and the player who
 * is locked or the party without which as many would do most.
 */
static Datum
why_moves(Teams *teams, SplitSize moves, SplitSize after, const Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	SplitSize	none = {.count = {0, 0}};
	SplitSize	now = {.count = {teams->count[1], teams->count[2]}};
	Split		before;
	Split		other = {0};
	Split		best = *split;
	Teams		variant = *teams;
	char	   *costliest = NULL;
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	bool	   *dropped = palloc0_array(bool, n + 1);
	StringInfoData json;
	int			i;

	find_moves(teams, &none, 1, now, &before);
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"terms\": {");
	explain_number(&json, "difference_before", before.difference);
	explain_number(&json, "difference", split->difference);
	explain_number(&json, "even", lobby->even_difference);
	explain_number(&json, "off", points_off(&teams->lobby, split));
	appendStringInfoChar(&json, '}');

	/* Others leave somebody where he is who moves now. */
	variant.fixed = palloc_array(bool, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		if (split->answer.team[i] == SPLIT_BENCH)
			continue;
		memcpy(variant.fixed, teams->fixed, sizeof(bool) * lobby->n);
		variant.fixed[i] = true;
		try_moves(&variant, moves, after, &other);
	}
	append_moves(&json, teams, "alternative", &other);

	memcpy(variant.fixed, teams->fixed, sizeof(bool) * lobby->n);
	for (i = 0; i < lobby->n; i++)
	{
		if (!teams->fixed[i])
			continue;
		variant.fixed[i] = false;
		other.answer.found = false;
		try_moves(&variant, moves, after, &other);
		variant.fixed[i] = true;
		if (!other.answer.found || !is_better(other.imbalance_logit, best.imbalance_logit))
			continue;
		best = other;
		costliest = psprintf("player %s is not locked",
							 id_text(&lobby->type, lobby->player[i]));
	}
	variant = *teams;
	for (i = 0; i < n; i++)
	{
		dropped[i] = true;
		variant.lobby = drop_constraints(lobby, constraint, dropped, n);
		dropped[i] = false;
		other.answer.found = false;
		try_moves(&variant, moves, after, &other);
		if (!other.answer.found || !is_better(other.imbalance_logit, best.imbalance_logit))
			continue;
		best = other;
		costliest = describe_without(lobby, &constraint[i]);
	}
	explain_costliest(&json, costliest, best.difference, points_off(&teams->lobby, &best),
					  points_off(&teams->lobby, split));
	appendStringInfoChar(&json, '}');
	return explain_end(&json);
}

static void
put_swap(ReturnSetInfo *rsinfo, const Lobby *lobby, int swaps, int a, int b,
		 double difference, Datum why)
{
	Datum		values[5];
	bool		nulls[5] = {false};

	values[0] = Int32GetDatum(swaps);
	nulls[1] = a < 0;
	nulls[2] = b < 0;
	if (a >= 0)
		values[1] = lobby->player[a];
	if (b >= 0)
		values[2] = lobby->player[b];
	values[3] = Float8GetDatum(difference);
	nulls[4] = why == (Datum) 0;
	values[4] = why;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* The best numbers of swaps, each better than fewer. */
static void
put_frontier(ReturnSetInfo *rsinfo, Teams *teams, int max_swaps, double logit,
			 bool explain)
{
	SplitSize	after = {.count = {teams->count[1], teams->count[2]}};
	SplitSize  *moves = palloc_array(SplitSize, max_swaps);
	Split	   *split = palloc_array(Split, max_swaps);
	int		   *out = palloc_array(int, teams->lobby.n + 1);
	int		   *in = palloc_array(int, teams->lobby.n + 1);
	int			m,
				i;

	for (m = 0; m < max_swaps; m++)
		moves[m] = (SplitSize)
	{
		.count =
		{
			m + 1, m + 1
		}
	};
	if (max_swaps > 0)
		find_moves(teams, moves, max_swaps, after, split);
	for (m = 0; m < max_swaps; m++)
	{
		if (!split[m].answer.found || !is_better(split[m].imbalance_logit, logit))
			continue;
		logit = split[m].imbalance_logit;
		(void) list_movers(teams, &split[m], 1, out, 0);
		(void) list_movers(teams, &split[m], 2, in, 0);
		for (i = 0; i <= m; i++)
			put_swap(rsinfo, &teams->lobby, m + 1, out[i], in[i], split[m].difference,
					 explain && i == 0 ? why_moves(teams, moves[m], after, &split[m]) : 0);
	}
}

/* The best swap of two, and so on, as long as it helps. */
static void
put_greedy_swaps(ReturnSetInfo *rsinfo, Teams *teams, int max_swaps, double logit,
				 bool explain)
{
	SplitSize	after = {.count = {teams->count[1], teams->count[2]}};
	SplitSize	one = {.count = {1, 1}};
	int		   *out = palloc_array(int, max_swaps + 1);
	int		   *in = palloc_array(int, max_swaps + 1);
	int			m,
				i;

	for (m = 0; m < max_swaps; m++)
	{
		Split		split;
		Datum		why;

		find_moves(teams, &one, 1, after, &split);
		if (!split.answer.found || !is_better(split.imbalance_logit, logit))
			return;
		logit = split.imbalance_logit;
		why = explain ? why_moves(teams, one, after, &split) : 0;
		(void) list_movers(teams, &split, 1, out, m);
		(void) list_movers(teams, &split, 2, in, m);
		teams->team[out[m]] = 2;
		teams->team[in[m]] = 1;
		for (i = 0; i <= m; i++)
			put_swap(rsinfo, &teams->lobby, m + 1, out[i], in[i], split.difference,
					 i == 0 ? why : 0);
	}
}

/*
 * suggest_swaps(players, rating, team, max_swaps, party, locked, rating_2, log_odds,
 * strength, scale, method, budget, seed, explain)
 */
Datum
skillrating_suggest_swaps(PG_FUNCTION_ARGS)
{
	static const char *const methods[] = {"exact", "greedy"};
	static const LobbyArguments arguments = {
		.rating = 1,.party = 4,.rating_2 = 6,.log_odds = 7,.strength = 8,.scale = 9,
		.budget = 11,.seed = 12
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Split		split;
	bool		greedy;
	int			max_swaps;
	bool		explain = wants_why(fcinfo, 13);
	bool		alone = true;
	Datum		why;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &arguments, 2, 5, &teams) || teams.lobby.n == 0)
		return (Datum) 0;
	greedy = name_argument(fcinfo, 10, "method", methods, lengthof(methods), 0,
						   "Methods are \"exact\" and \"greedy\".") == 1;
	max_swaps = number_argument(fcinfo, 3, "max_swaps", teams.lobby.n);

	/* First those who have no team, and how it stands then. */
	place_unassigned(&teams, 1, &split);
	why = explain ? why_placed(&teams, &split) : 0;
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = teams.lobby.input_index[i];

		if (!teams.joins[place])
			continue;
		alone = false;
		put_swap(rsinfo, &teams.lobby, 0, teams.team[place] == 1 ? place : -1,
				 teams.team[place] == 2 ? place : -1, split.difference, why);
		why = 0;
	}
	if (alone)
		put_swap(rsinfo, &teams.lobby, 0, -1, -1, split.difference, why);
	max_swaps = Min(max_swaps, Min(teams.count[1], teams.count[2]));
	if (greedy)
		put_greedy_swaps(rsinfo, &teams, max_swaps, split.imbalance_logit, explain);
	else
		put_frontier(rsinfo, &teams, max_swaps, split.imbalance_logit, explain);
	return (Datum) 0;
}

/*
 * suggest_transfers(players, rating, team, max_swaps, party, locked, rating_2,
 * log_odds, strength, scale, seed, explain)
 */
Datum
skillrating_suggest_transfers(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.party = 4,.rating_2 = 6,.log_odds = 7,.strength = 8,.scale = 9,
		.seed = 10
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Split		best;
	SplitSize	best_moves = {0};
	SplitSize	best_after = {0};
	bool		found = false;
	bool		explained = !wants_why(fcinfo, 11);
	int			max_swaps;
	int			lead;
	int			swaps,
				movers,
				i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &arguments, 2, 5, &teams) || teams.lobby.n == 0)
		return (Datum) 0;
	if (teams.count[0] > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%d players have no team", teams.count[0]),
				 errhint("skillrating.place_joiner() finds them one.")));
	max_swaps = number_argument(fcinfo, 3, "max_swaps", 0);
	lead = teams.count[1] - teams.count[2];

	/* So many that the numbers come out even, or as good as; then the fewest. */
	for (swaps = 0; swaps <= Min(max_swaps, Min(teams.count[1], teams.count[2])); swaps++)
		for (movers = abs(lead) / 2; movers <= (abs(lead) + 1) / 2; movers++)
		{
			int			over = lead > 0 ? movers : -movers;
			SplitSize	moves = {.count = {swaps + Max(over, 0), swaps + Max(-over, 0)}};
			SplitSize	after = {.count = {teams.count[1] - over, teams.count[2] + over}};
			Split		split;

			find_moves(&teams, &moves, 1, after, &split);
			if (!split.answer.found || (found && !is_better(split.imbalance_logit, best.imbalance_logit)))
				continue;
			best = split;
			best_moves = moves;
			best_after = after;
			found = true;
		}
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("teams of %d and %d cannot be made even with these players locked and parties",
						teams.count[1], teams.count[2])));
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = teams.lobby.input_index[i];
		int			from = best.answer.team[place];
		Datum		values[7];
		bool		nulls[7] = {false};

		if (from == SPLIT_BENCH)
			continue;
		values[0] = teams.lobby.player[place];
		values[1] = Int32GetDatum(from);
		values[2] = Int32GetDatum(3 - from);
		values[3] = Float8GetDatum(best.difference);
		values[4] = Float8GetDatum(logistic(best.imbalance_logit));
		values[5] = BoolGetDatum(best.bound == 0);
		nulls[6] = explained;
		if (!explained)
			values[6] = why_moves(&teams, best_moves, best_after, &best);
		explained = true;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * place_joiner(players, rating, team, max_lead, party, rating_2, log_odds, strength,
 * scale, seed, explain)
 */
Datum
skillrating_place_joiner(PG_FUNCTION_ARGS)
{
	static const LobbyArguments arguments = {
		.rating = 1,.party = 4,.rating_2 = 5,.log_odds = 6,.strength = 7,.scale = 8,
		.seed = 9
	};
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Teams		teams;
	Split		split;
	bool		explained = !wants_why(fcinfo, 10);
	int			max_lead;
	int			i;

	InitMaterializedSRF(fcinfo, 0);
	if (!read_teams(fcinfo, &arguments, 2, 0, &teams))
		return (Datum) 0;
	max_lead = number_argument(fcinfo, 3, "max_lead", 1);
	if (teams.count[0] == 0)
		return (Datum) 0;
	place_unassigned(&teams, max_lead, &split);
	for (i = 0; i < teams.lobby.n; i++)
	{
		int			place = teams.lobby.input_index[i];
		Datum		values[6];
		bool		nulls[6] = {false};

		if (!teams.joins[place])
			continue;
		values[0] = teams.lobby.player[place];
		values[1] = Int32GetDatum(teams.team[place]);
		values[2] = Float8GetDatum(split.difference);
		values[3] = Float8GetDatum(logistic(split.imbalance_logit));
		values[4] = BoolGetDatum(split.bound == 0);
		nulls[5] = explained;
		if (!explained)
			values[5] = why_placed(&teams, &split);
		explained = true;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
