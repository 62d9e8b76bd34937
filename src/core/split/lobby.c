/*
 * lobby.c
 *		What players, and teams of a lobby, are worth.
 */
#include "core/split/lobby.h"

#include "core/util/extremes.h"

int *
squad_sizes(const Lobby *lobby, const int *team)
{
	int			columns = team != NULL ? lobby->nteams + 1 : 1;
	int		   *size = lobby_integers(lobby);
	int		   *members = room_zeros(lobby->room, sizeof(int),
									 (size_t) (lobby->n + 1) * (size_t) columns);
	int			pass;
	int			i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < lobby->n; i++)
		{
			int			squad = lobby->squad != NULL ? lobby->squad[i] : 0;
			int		   *count = &members[squad * columns + (team != NULL ? team[i] : 0)];

			if (pass == 0)
				(*count)++;
			else
				size[i] = squad != 0 ? *count : 1;
		}
	lobby->room->give_back(members);
	return size;
}

/* Whether a player may take part at all. */
static bool
may_play(const Lobby *lobby, int player)
{
	return allowed_teams_of(lobby, lobby->locked_teams, player) != SPLIT_MAY(SPLIT_BENCH);
}

/*
 * Weighted means are equal if and only if weighted deviations from the mean of all who play add
 * up to 0.  With weights relative to their mean, teams of equal weights differ by as much as these
 * values say.
 */
static void
weigh_players(Lobby *lobby)
{
	double		weights = 0;
	double		mean = 0;
	int			playing = 0;
	int			i,
				t;

	for (i = 0; i < lobby->n; i++)
		if (may_play(lobby, i))
		{
			playing++;
			weights += lobby->weight[i];
		}
	if (playing == 0)
		return;
	lobby->slope = lobby_numbers(lobby);
	for (i = 0; i < lobby->n; i++)
	{
		lobby->slope[i] = lobby->weight[i] *
			(lobby->strength == TEAM_STRENGTH_SUM ? 1 : playing / weights);
		if (lobby->strength == TEAM_STRENGTH_MEAN && may_play(lobby, i))
			mean += lobby->weight[i] / weights *
				(lobby->worth[0][i] + lobby->worth[1][i]) / 2;
	}
	for (t = 0; t < 2; t++)
	{
		if (t == 1 && lobby->worth[1] == lobby->worth[0])
		{
			lobby->mu[1] = lobby->mu[0];
			continue;
		}
		lobby->mu[t] = lobby_numbers(lobby);
		for (i = 0; i < lobby->n; i++)
			lobby->mu[t][i] = mean + (lobby->worth[t][i] - mean) * lobby->slope[i];
	}
}

void
value_players(Lobby *lobby, const int *squad_size)
{
	int			i,
				t;

	for (t = 0; t < 2; t++)
	{
		/*
		 * Equal pointers mean that sides do not differ; are_teams_alike()
		 * tells from this that teams can change places.
		 */
		if (t == 1 && lobby->estimate[1] == lobby->estimate[0])
		{
			lobby->worth[1] = lobby->worth[0];
			continue;
		}
		lobby->worth[t] = lobby_numbers(lobby);
		for (i = 0; i < lobby->n; i++)
			lobby->worth[t][i] = lobby->estimate[t][i] + (lobby->model == NULL ? 0 :
														  lobby->model->squad_gain(lobby, i, squad_size[i]));
	}
	lobby->mu[0] = lobby->worth[0];
	lobby->mu[1] = lobby->worth[1];
	if (lobby->weight != NULL)
		weigh_players(lobby);
}

bool
are_teams_alike(const Lobby *lobby)
{
	int			i;

	for (i = 0; i < lobby->n && lobby->allowed_teams != NULL; i++)
		if (((lobby->allowed_teams[i] & SPLIT_MAY(1)) != 0) !=
			((lobby->allowed_teams[i] & SPLIT_MAY(2)) != 0))
			return false;
	return lobby->mu[0] == lobby->mu[1] && lobby->even_difference == 0 &&
		lobby->command[0] == lobby->command[1];
}

double
lobby_mean(const Lobby *lobby)
{
	double		mean = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)

		/* Divided first, so that large values do not overflow. */
		mean += mean_mu(lobby, i) / lobby->n;
	return mean;
}

static int
greatest_common_divisor(int a, int b)
{
	while (b != 0)
	{
		int			rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

LobbyFactors
lobby_factors(const Lobby *lobby, SplitSize size)
{
	LobbyFactors factors = {{1, 1}, 1};
	int			n[2];
	int			divisor;
	int			i;

	/* Commanders do not count as players. */
	for (i = 0; i < 2; i++)
	{
		n[i] = size.count[i] - (lobby->command[0] != NULL ? 1 : 0);
		if (n[i] < 1)
			n[i] = 1;
	}
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			/* Players count by the number of the other team's players. */

			/*
			 * Whole numbers without a common factor keep the products exact:
			 * equal values stay equal.
			 */
			divisor = greatest_common_divisor(n[0], n[1]);
			factors.player[0] = n[1] / divisor;
			factors.player[1] = n[0] / divisor;
			factors.difference = n[0] * factors.player[0];
			break;
		case TEAM_STRENGTH_SHARE:
			factors.difference = n[0] + n[1];
			break;
		case TEAM_STRENGTH_SUM:
			break;
	}
	return factors;
}

double
lobby_target(const Lobby *lobby, const LobbyFactors *factors)
{
	return lobby->even_difference * factors->difference;
}

double
strength_factor(const Lobby *lobby, double size, double playing)
{
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			return 1.0 / size;
		case TEAM_STRENGTH_SHARE:
			return 1.0 / playing;
		case TEAM_STRENGTH_SUM:
			break;
	}
	return 1;
}

void
team_strengths(const Lobby *lobby, const int *player_team, const int *commander,
			   double *strength)
{
	double		size[SPLIT_MAX_TEAMS + 1] = {0};
	double		sum[SPLIT_MAX_TEAMS + 1] = {0};
	double		command[SPLIT_MAX_TEAMS + 1] = {0};
	double		playing = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		int			team = player_team[i];
		double		weight = lobby->weight != NULL ? lobby->weight[i] : 1;
		int			column = team == 2 ? 1 : 0;

		/* Commanders do not count as players. */
		if (lobby->command[0] != NULL && team != SPLIT_BENCH &&
			commander[team - 1] == i)
		{
			command[team] = lobby->command[column][i] * lobby->command_weight;
			continue;
		}

		/* Those on the bench have a sum too, which nobody reads. */
		size[team] += weight;
		if (team != SPLIT_BENCH)
			playing += weight;
		sum[team] += weight * lobby->worth[column][i];
	}
	for (i = 1; i <= lobby->nteams; i++)
		strength[i - 1] = command[i] +
			sum[i] * strength_factor(lobby, size[i] > 0 ? size[i] : 1,
									 playing > 0 ? playing : 1);
}

void
restate_split(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	double		strength[SPLIT_MAX_TEAMS];

	if (lobby->weight == NULL || lobby->nteams != 2)
		return;
	team_strengths(lobby, team, commander, strength);
	split->difference = strength[0] - strength[1];

	/* Other splits are nearer to even by their own weights, but for sums. */
	if (lobby->strength != TEAM_STRENGTH_SUM && split->imbalance_logit != 0)
		split->unproven = true;
	if (lobby->model == NULL)
		split->imbalance_logit = split->difference / lobby->log_odds_unit + lobby->log_odds;
}

void
describe_split(const Lobby *lobby, const LobbyFactors *factors, double target,
			   Split *split)
{
	/* Adding 0 makes 0 of -0. */
	split->difference = (split->answer.difference + target) / factors->difference + 0.0;
	split->imbalance_logit = split->answer.difference / factors->difference /
		lobby->log_odds_unit + 0.0;
	split->bound = split->answer.bound / factors->difference;
	split->even_difference = lobby->even_difference;
}

void
describe_teams(const Lobby *lobby, Split *split)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		low = INFINITY;
	double		high = -INFINITY;
	double		mean = 0;
	double		squares = 0;
	int			i;

	team_strengths(lobby, split->answer.team, split->answer.commander, strength);
	for (i = 0; i < lobby->nteams; i++)
	{
		mean += strength[i] / lobby->nteams;
		low = smaller(low, strength[i]);
		high = larger(high, strength[i]);
	}
	for (i = 0; i < lobby->nteams; i++)
		squares += (strength[i] - mean) * (strength[i] - mean);

	/* Of two teams it has a sign. */
	split->difference = lobby->nteams == 2 ? strength[0] - strength[1] : high - low;
	split->imbalance_logit = (lobby->nteams == 2 ? split->difference - lobby->even_difference :
							  sqrt(squares / lobby->nteams)) / lobby->log_odds_unit;
	split->even_difference = lobby->even_difference;
}

/* The numbers of those players, or NULL. */
static double *
numbers_of(const Lobby *lobby, const double *number, const int *player)
{
	double	   *of = number != NULL ? lobby_numbers(lobby) : NULL;
	int			i;

	for (i = 0; i < lobby->n && of != NULL; i++)
		of[i] = number[player[i]];
	return of;
}

void
seat_players(const Lobby *all, const int *player, int n, Lobby *lobby)
{
	int			i,
				j;

	*lobby = *all;
	lobby->n = n;
	lobby->estimate[0] = numbers_of(lobby, all->estimate[0], player);
	lobby->estimate[1] = all->estimate[1] == all->estimate[0] ? lobby->estimate[0] :
		numbers_of(lobby, all->estimate[1], player);
	lobby->weight = numbers_of(lobby, all->weight, player);
	if (all->lot != NULL)
		lobby->lot = room_array(lobby->room, sizeof(uint64_t), (size_t) n);
	lobby->command[0] = numbers_of(lobby, all->command[0], player);
	lobby->command[1] = all->command[1] == all->command[0] ? lobby->command[0] :
		numbers_of(lobby, all->command[1], player);
	lobby->party = room_zeros(lobby->room, sizeof(int), (size_t) n);
	lobby->squad = lobby_integers(lobby);
	if (all->commander != NULL)
		lobby->commander = room_array(lobby->room, sizeof(bool), (size_t) n);
	for (i = 0; i < n; i++)
	{
		int			party = all->party != NULL ? all->party[player[i]] : 0;

		if (all->commander != NULL)
			lobby->commander[i] = all->commander[player[i]];
		if (all->lot != NULL)
			lobby->lot[i] = all->lot[player[i]];

		/* The number of a party is the place of its first, plus one. */
		for (j = 0; j <= i && party != 0 && lobby->party[i] == 0; j++)
			if (all->party[player[j]] == party)
				lobby->party[i] = j + 1;
		lobby->squad[i] = lobby->party[i];
	}
}
