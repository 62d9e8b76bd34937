/*
 * lobby.c
 *		What teams of a lobby are worth.
 */
#include "pg/teams/lobby.h"

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
		n[i] = Max(size.count[i] - (lobby->command[0] != NULL ? 1 : 0), 1);
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			/* Players count by the number of the other team's players. */
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
strength_factor(const Lobby *lobby, int size, int playing)
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
team_strengths(const Lobby *lobby, const SplitAnswer *answer, double *strength)
{
	int			size[SPLIT_MAX_TEAMS + 1] = {0};
	double		sum[SPLIT_MAX_TEAMS + 1] = {0};
	double		command[SPLIT_MAX_TEAMS + 1] = {0};
	int			playing = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		int			team = answer->team[i];
		int			column = team == 2 ? 1 : 0;

		/* Commanders do not count as players. */
		if (lobby->command[0] != NULL && team != SPLIT_BENCH &&
			answer->commander[team - 1] == i)
		{
			command[team] = lobby->command[column][i] * lobby->command_weight;
			continue;
		}
		size[team]++;
		playing += team != SPLIT_BENCH;
		sum[team] += lobby->mu[column][i];
	}
	for (i = 1; i <= lobby->nteams; i++)
		strength[i - 1] = command[i] +
			sum[i] * strength_factor(lobby, Max(size[i], 1), Max(playing, 1));
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
}
