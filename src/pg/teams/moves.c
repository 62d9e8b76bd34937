/*
 * moves.c
 *		Players who move between two existing teams.
 */
#include "pg/teams/moves.h"

#include "utils/memutils.h"

#include "core/split/lobby_problem.h"
#include "pg/teams/constraints.h"
#include "pg/teams/explain.h"

/* Less of a gain than this share, or so many log-odds, is rounding error. */
#define MIN_GAIN 1e-9

/* Steps that a search takes for each option and row of sums, however coarse it is. */
#define STEPS_OF_ROW 3

static void
count_teams(Teams *teams)
{
	int			i;

	memset(teams->count, 0, sizeof(teams->count));
	for (i = 0; i < teams->lobby.n; i++)
		teams->count[teams->team[i]]++;
}

/* Whether two players are on one team already. */
static bool
are_together(const Teams *teams, int a, int b)
{
	return teams->team[a] != 0 && teams->team[a] == teams->team[b];
}

/*
 * Locks keep players where they are, and say where those come who have no team yet.
 * Only the latter remain locks of the lobby, for the placement.
 */
static void
read_locks(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int			i;

	for (i = 0; i < lobby->n && lobby->locked_teams != NULL; i++)
	{
		int			allowed = lobby->locked_teams[i];
		int			team = teams->team[i];

		if (allowed == SPLIT_ANYWHERE(lobby->nteams))
			continue;
		if (allowed == SPLIT_MAY(SPLIT_BENCH))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot be locked to the bench",
							player_text(lobby, i)),
					 errhint("An element of locked is 1, 2 or null: existing teams have no bench.")));
		if (team != 0 && allowed != SPLIT_MAY(team))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s is locked to team %d, but is in team %d",
							player_text(lobby, i), 3 - team, team),
					 errhint("Lock players to the team that they are in; only a player without a team is placed by locked.")));
		teams->fixed[i] = true;
		if (team != 0)
			lobby->locked_teams[i] = SPLIT_ANYWHERE(lobby->nteams);
	}
}

/* A party that is in both teams already is none. */
static void
drop_torn_parties(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int			i,
				j,
				k;

	for (i = 0; i < lobby->n && lobby->party != NULL; i++)

		/* Quadratic in the lobby, whose size is limited. */
		for (j = 0; j < i; j++)
			if (lobby->party[i] != 0 && lobby->party[i] == lobby->party[j] &&
				teams->team[i] != 0 && teams->team[j] != 0 &&
				!are_together(teams, i, j))
			{
				int			party = lobby->party[i];

				for (k = 0; k < lobby->n; k++)
					if (lobby->party[k] == party)
						lobby->party[k] = 0;
			}
}

/*
 * A squad that is in both teams counts in either by its members there: drop_torn_parties() has made
 * it no party, which is how it is recognized here.
 */
static void
value_squads(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int		   *size;
	int		   *size_in_team;
	int			i;

	if (lobby->party == NULL)
		return;
	size = squad_sizes(lobby, NULL);
	size_in_team = squad_sizes(lobby, teams->team);
	for (i = 0; i < lobby->n; i++)
		if (lobby->party[i] == 0)
			size[i] = size_in_team[i];
	value_players(lobby, size);
	pfree(size);
	pfree(size_in_team);
}

/* A pair that is in one team already need not avoid each other. */
static void
drop_united_pairs(Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->napart; i++)
		if (!are_together(teams, lobby->apart[i].a, lobby->apart[i].b))
			lobby->apart[n++] = lobby->apart[i];
	lobby->napart = n;
}

bool
read_teams(FunctionCallInfo fcinfo, const LobbyUse *use, Teams *teams)
{
	Lobby	   *lobby = &teams->lobby;
	int			i;

	if (!read_lobby(fcinfo, use, lobby) || lobby->n == 0)
		return false;
	if (lobby->current == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the lobby does not say who is in which team"),
				 errhint("Give lobby() the teams as current.")));
	teams->team = lobby->current;
	teams->joins = palloc_array(bool, lobby->n + 1);
	teams->fixed = palloc0_array(bool, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		teams->joins[i] = teams->team[i] == SPLIT_NOWHERE;
		if (teams->team[i] == SPLIT_BENCH)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("player %s cannot be on the bench",
							player_text(lobby, i)),
					 errhint("Existing teams have no bench: an element of current is 1 or 2, or null for a player without a team.")));
		if (teams->joins[i])
			teams->team[i] = 0;
	}

	/* Where players are is what moves start from, and no wish. */
	lobby->current = NULL;
	read_locks(teams);
	drop_torn_parties(teams);
	value_squads(teams);
	drop_united_pairs(teams);
	count_teams(teams);
	return true;
}

bool
is_better(double logit, double than)
{
	return fabs(logit) < fabs(than) - MIN_GAIN * (1 + fabs(than));
}

bool
keep_better(Split *best, const Split *split)
{
	bool		unproven = best->answer.found && !is_exact(best);
	bool		better;

	if (!split->answer.found)
		return false;
	unproven = unproven || !is_exact(split);
	better = !best->answer.found || is_better(split->imbalance_logit, best->imbalance_logit);
	if (better)
		*best = *split;
	best->unproven = unproven;
	return better;
}

/* Whether the first team may have so many of all players. */
static bool
is_lead_allowed(const Teams *teams, int first, int max_lead)
{
	int			n = teams->lobby.n;
	int			smallest = teams->count[1];
	int			largest = n - teams->count[2];

	/*
	 * The smallest lead there is, with as many as possible on the smaller
	 * team.
	 */
	int			nearest = Min(Max(n / 2, smallest), largest);

	return abs(2 * first - n) <= Max(max_lead, abs(2 * nearest - n));
}

/*
 * The numbers of players that the first team may have, nearest to equal sizes first, as
 * many as were allowed.
 */
static int
list_sizes(const Teams *teams, int max_lead, int *size)
{
	int			n = teams->lobby.n;
	int			smallest = teams->count[1];
	int			largest = n - teams->count[2];
	int			count = 0;
	int			lead;

	for (lead = n % 2; lead <= n; lead += 2)
	{
		int			side;

		for (side = 0; side < (lead > 0 ? 2 : 1); side++)
		{
			int			first = side == 0 ? (n - lead) / 2 : (n + lead) / 2;

			if (first >= smallest && first <= largest &&
				is_lead_allowed(teams, first, max_lead))
				size[count++] = first;
		}
	}
	return count;
}

/*
 * Split a lobby into two teams of these sizes in this order, as the model finds it most
 * even; the steps that it took are added.
 */
static void
place_at_even(Lobby *lobby, SplitSize size, Split *split, double *work)
{
	double		wanted = lobby->even_difference;
	Split		other;
	int			again;

	split_one_size(lobby, size, split);
	*work += split->problem.spent;
	if (split->status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(lobby, &split->problem);
	if (!split->answer.found)
		return;
	forecast_split(lobby, split->answer.team, split->answer.commander, split);
	other = *split;
	for (again = 0; again < MAX_AIMS && lobby->model != NULL; again++)
	{
		if (!aim_by_model(lobby, other.answer.team, other.answer.commander, &other))
			break;
		split_one_size(lobby, size, &other);
		*work += other.problem.spent;
		if (!other.answer.found)
			break;
		forecast_split(lobby, other.answer.team, other.answer.commander, &other);
		if (split_unfairness(&other) < split_unfairness(split))
		{
			*split = other;
			wanted = lobby->even_difference;
		}
	}
	lobby->even_difference = wanted;
}

void
place_unassigned(Teams *teams, int max_lead, Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	int		   *first = palloc_array(int, lobby->n + 1);
	int			nsizes = list_sizes(teams, max_lead, first);
	double		even = lobby->even_difference;
	double		work = 0;
	int			i;

	lobby->allowed_teams = palloc_array(int, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		lobby->allowed_teams[i] = (SPLIT_MAY(1) | SPLIT_MAY(2)) &
			(teams->team[i] != 0 ? SPLIT_MAY(teams->team[i]) :
			 allowed_teams_of(lobby, lobby->locked_teams, i));
	memset(split, 0, sizeof(Split));
	for (i = 0; i < nsizes; i++)
	{
		SplitSize	size = {.count = {first[i], lobby->n - first[i]}};
		Lobby		share = *lobby;
		Split		other;

		/* However coarse a search, it takes some work. */
		if (work > lobby->max_work && split->answer.found)
		{
			split->unproven = true;
			break;
		}
		share.max_work /= nsizes;
		place_at_even(&share, size, &other, &work);
		if (keep_better(split, &other))
			even = share.even_difference;
	}
	lobby->even_difference = even;
	pfree(first);
	if (!split->answer.found && teams->count[0] == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a team has no player who may command it")));
	if (!split->answer.found)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 lobby->command[0] != NULL ?
				 errmsg("players without a team cannot be placed so that party, locked and avoid are kept and either team has a commander") :
				 errmsg("players without a team cannot be placed so that party, locked and avoid are kept")));

	/* From here on everybody has a team, and moves go on from these teams. */
	memcpy(teams->team, split->answer.team, sizeof(int) * lobby->n);
	count_teams(teams);
}

Datum
why_placed(Teams *teams, const Split *split)
{
	SplitRequest request = {
		.size = {teams->count[1], teams->count[2]},.in_order = true
	};

	return why_split(&teams->lobby, &request, split);
}

/*
 * What commanding a team adds to the value of an option, which is taken off the difference
 * of the teams: a commander does not count as a player.
 */
static void
value_commanders(const Lobby *lobby, const LobbyFactors *factors, SplitProblem *problem)
{
	int			t,
				i;

	for (t = 0; t < 2; t++)
	{
		double	   *adds = palloc_array(double, lobby->n + 1);

		for (i = 0; i < lobby->n; i++)
			adds[i] = (t == 0 ? -1 : 1) *
				(lobby->command[t][i] * lobby->command_weight * factors->difference -
				 factors->player[t] * lobby->mu[t][i]);
		problem->command_value[t] = adds;
	}
}

void
find_moves(const Teams *teams, const SplitSize *moves, int n, SplitSize after,
		   Split *split)
{
	const Lobby *lobby = &teams->lobby;
	LobbyFactors factors = lobby_factors(lobby, after);
	double		wanted = lobby_target(lobby, &factors);
	double		now = 0;
	double	   *value = palloc_array(double, lobby->n + 1);
	double	   *target = palloc_array(double, n);
	int		   *places = palloc_array(int, lobby->n + 1);
	SplitAnswer *answer = palloc0_array(SplitAnswer, n);
	SplitProblem problem;
	SplitStatus status;
	int			i;

	begin_problem(lobby, &problem);
	problem.home = teams->team;
	for (i = 0; i < lobby->n; i++)
	{
		int			team = teams->team[i];

		/*
		 * A player who moves is missed on the one team and counts for the
		 * other.
		 */
		now += (team == 1 ? 1 : -1) * factors.player[team - 1] * lobby->mu[team - 1][i];
		value[i] = factors.player[0] * lobby->mu[0][i] +
			factors.player[1] * lobby->mu[1][i];
		places[i] = SPLIT_MAY(SPLIT_BENCH) |
			(teams->fixed[i] ? 0 : SPLIT_MAY(team));
	}
	for (i = 0; i < n; i++)
	{
		/* What the movers take off the difference has to be this much. */
		target[i] = now - wanted;
		answer[i].team = palloc_array(int, lobby->n + 1);
	}
	problem.value[0] = problem.value[1] = value;
	if (lobby->command[0] != NULL)
		value_commanders(lobby, &factors, &problem);
	problem.allowed_teams = places;
	problem.size = moves;
	problem.nsizes = n;
	problem.target = target;
	status = solve_problem(lobby, &problem, answer);
	if (status == SPLIT_GROUP_TOO_LARGE)
		report_large_group(lobby, &problem);
	for (i = 0; i < n; i++)
	{
		memset(&split[i], 0, sizeof(Split));
		split[i].problem.noptions = problem.noptions;
		split[i].problem.work = problem.work;
		split[i].problem.spent = problem.spent;
		split[i].answer = answer[i];

		/*
		 * The search made the remainder of the target small; the difference
		 * of the teams has the other sign.
		 */
		split[i].answer.difference = -answer[i].difference;
		describe_split(lobby, &factors, wanted, &split[i]);
	}
}

/* The teams after the moves of a split. */
static int *
teams_after(const Teams *teams, const Split *split)
{
	int		   *team = palloc_array(int, teams->lobby.n + 1);
	int			i;

	for (i = 0; i < teams->lobby.n; i++)
		team[i] = split->answer.team[i] == SPLIT_BENCH ? teams->team[i] : 3 - teams->team[i];
	return team;
}

void
forecast_after(const Teams *teams, Split *split)
{
	int		   *team = teams_after(teams, split);

	forecast_answer(&teams->lobby, team, split->answer.commander, split);
	pfree(team);
}

void
forecast_moves(const Teams *teams, Split *split)
{
	const int  *commander = split->answer.commander;
	int		   *team;
	Lobby		aimed = teams->lobby;

	if (!split->answer.found)
		return;
	team = teams_after(teams, split);
	forecast_split(&aimed, team, commander, split);
	if (aimed.model != NULL && aim_by_model(&aimed, team, commander, split))
		split->unproven = true;
	pfree(team);
}

void
find_fair_moves(Teams *teams, SplitSize moves, SplitSize after, Split *split)
{
	Lobby	   *lobby = &teams->lobby;
	double		wanted = lobby->even_difference;
	double		spent;
	Split		other;
	int			again;

	find_moves(teams, &moves, 1, after, split);
	forecast_moves(teams, split);
	spent = split->problem.spent;
	other = *split;
	for (again = 0; again < MAX_AIMS && lobby->model != NULL && other.answer.found; again++)
	{
		if (!aim_by_model(lobby, teams_after(teams, &other), other.answer.commander, &other))
			break;
		find_moves(teams, &moves, 1, after, &other);
		forecast_moves(teams, &other);
		spent += other.problem.spent;
		if (other.answer.found && split_unfairness(&other) <= split_unfairness(split))
		{
			*split = other;
			wanted = lobby->even_difference;
		}
	}
	split->problem.spent = spent;
	lobby->even_difference = wanted;
}

/* The rows of sums for each number of movers, by which teams have a commander. */
static int
command_states(const Lobby *lobby)
{
	return lobby->command[0] != NULL ? 1 << SPLIT_COMMAND_BITS : 1;
}

/*
 * A player has two options: to stay and to move; parties have fewer.  Either is an option of a
 * commander, too, and each team has one or not yet.
 */
int
max_swaps_tried(const Lobby *lobby)
{
	bool		commands = lobby->command[0] != NULL;
	double		options = (commands ? 4.0 : 2.0) * Max(lobby->n, 1);
	double		rows = lobby->max_work / MAX_FILLS / STEPS_OF_ROW / options;

	return (int) Max(1, Min(sqrt(rows / command_states(lobby)), PG_INT32_MAX / 2));
}

void
list_movers(const Teams *teams, const Split *split, int team, int *list)
{
	const double *mu = teams->lobby.mu[team - 1];
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < teams->lobby.n; i++)
	{
		if (split->answer.team[i] != team)
			continue;
		for (j = n++; j > 0 && mu[list[j - 1]] < mu[i]; j--)
			list[j] = list[j - 1];
		list[j] = i;
	}
}

double
least_steps_of_moves(const Lobby *lobby, SplitSize moves, const Split *split)
{
	double		rows = (moves.count[0] + 1.0) * (moves.count[1] + 1.0) * command_states(lobby);
	double		options = split->problem.noptions;

	return steps_around_search(lobby->n, lobby->napart, options) +
		options * STEPS_OF_ROW * rows;
}

/* Keep the best moves of a variant of the teams if they are better. */
static void
try_moves(const Teams *variant, SplitSize moves, SplitSize after, Split *best)
{
	MemoryContext trial = AllocSetContextCreate(CurrentMemoryContext, "moves on trial",
												ALLOCSET_DEFAULT_SIZES);

	/* A search allocates its options and answers; many variants would add up. */
	MemoryContext before = MemoryContextSwitchTo(trial);
	Split		split;

	find_moves(variant, &moves, 1, after, &split);
	MemoryContextSwitchTo(before);
	if (split.answer.found &&
		(!best->answer.found || fabs(split.imbalance_logit) < fabs(best->imbalance_logit)))
	{
		if (best->answer.found)
			pfree(best->answer.team);
		*best = split;
		best->answer.team = palloc_array(int, variant->lobby.n + 1);
		memcpy(best->answer.team, split.answer.team, sizeof(int) * variant->lobby.n);
	}
	MemoryContextDelete(trial);
}

/* Append moves as a key, with the difference that is left. */
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

/* The best other moves of as many players: somebody stays who moves now. */
static void
find_other_moves(const Teams *teams, SplitSize moves, SplitSize after,
				 const Split *split, Split *best)
{
	int			n = teams->lobby.n;
	int			left = max_variants(&teams->lobby,
									least_steps_of_moves(&teams->lobby, moves, split));
	Teams		variant = *teams;
	int			i;

	memset(best, 0, sizeof(Split));
	variant.lobby.max_work = variant_work(&teams->lobby);
	variant.fixed = palloc_array(bool, n + 1);
	for (i = 0; i < n && left > 0; i++)
	{
		if (split->answer.team[i] == SPLIT_BENCH)
			continue;
		left--;
		memcpy(variant.fixed, teams->fixed, sizeof(bool) * n);
		variant.fixed[i] = true;
		try_moves(&variant, moves, after, best);
	}
	pfree(variant.fixed);
}

/* Whether a variant of the teams has better moves: what these are worth is the best then. */
static bool
is_variant_better(const Teams *variant, SplitSize moves, SplitSize after, Split *best)
{
	Split		split = {0};

	try_moves(variant, moves, after, &split);
	if (!split.answer.found)
		return false;
	pfree(split.answer.team);
	split.answer.team = NULL;
	if (!is_better(split.imbalance_logit, best->imbalance_logit))
		return false;
	*best = split;
	return true;
}

/*
 * The lock or other constraint without which as many moves would do most, in words, or
 * NULL; the moves without it are the best.
 */
static char *
find_costliest(Teams *teams, SplitSize moves, SplitSize after, Split *best)
{
	Lobby	   *lobby = &teams->lobby;
	Teams		variant = *teams;
	char	   *costliest = NULL;
	TeamConstraint *constraint;
	int			n = list_constraints(lobby, &constraint);
	bool	   *dropped = palloc0_array(bool, n + 1);
	int			left = max_variants(lobby, least_steps_of_moves(lobby, moves, best));
	MemoryContext trial = AllocSetContextCreate(CurrentMemoryContext, "constraint on trial",
												ALLOCSET_DEFAULT_SIZES);
	int			i;

	variant.lobby.max_work = variant_work(lobby);
	variant.fixed = palloc_array(bool, lobby->n + 1);
	memcpy(variant.fixed, teams->fixed, sizeof(bool) * lobby->n);
	for (i = 0; i < lobby->n && left > 0; i++)
	{
		if (!teams->fixed[i])
			continue;
		left--;
		variant.fixed[i] = false;
		if (is_variant_better(&variant, moves, after, best))
			costliest = psprintf("player %s is not locked",
								 player_text(lobby, i));
		variant.fixed[i] = true;
	}
	for (i = 0; i < n && left > 0; i++)
	{
		MemoryContext before;

		/* Locks are those above. */
		if (constraint[i].kind == CONSTRAINT_LOCK)
			continue;
		left--;
		MemoryContextReset(trial);
		before = MemoryContextSwitchTo(trial);
		dropped[i] = true;
		variant.lobby = drop_constraints(lobby, constraint, dropped, n);
		dropped[i] = false;
		MemoryContextSwitchTo(before);
		variant.lobby.max_work = variant_work(lobby);
		if (is_variant_better(&variant, moves, after, best))
			costliest = describe_without(lobby, &constraint[i]);
	}
	MemoryContextDelete(trial);
	pfree(variant.fixed);
	return costliest;
}

Datum
why_moves(Teams *teams, SplitSize moves, SplitSize after, const Split *split,
		  bool compare)
{
	Lobby	   *lobby = &teams->lobby;
	SplitSize	none = {.count = {0, 0}};
	SplitSize	now = {.count = {teams->count[1], teams->count[2]}};
	Split		before;
	Split		other;
	Split		best = *split;
	char	   *costliest;
	StringInfoData json;

	/*
	 * No moves at all, which is the way to the difference of the teams as
	 * they are.
	 */
	find_moves(teams, &none, 1, now, &before);
	initStringInfo(&json);
	appendStringInfoString(&json, "{\"terms\": {");
	explain_number(&json, "difference_before", before.difference);
	explain_number(&json, "difference", split->difference);
	explain_number(&json, "even", lobby->even_difference);
	explain_number(&json, "off", points_off(lobby, split));
	appendStringInfoChar(&json, '}');
	if (compare)
	{
		find_other_moves(teams, moves, after, split, &other);
		append_moves(&json, teams, "alternative", &other);
		costliest = find_costliest(teams, moves, after, &best);
		explain_costliest(&json, costliest, best.difference, points_off(lobby, &best),
						  points_off(lobby, split));
	}
	appendStringInfoChar(&json, '}');
	return explain_end(&json);
}
