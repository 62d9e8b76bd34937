/*
 * lobby.c
 *		What teams of a lobby are worth.
 */
#include "pg/teams/lobby.h"

void
value_players(Lobby *lobby, const int *squad_size)
{
	const TeamMatch *match = lobby->team_match;
	double		weights = 0;
	double		mean = 0;
	int			playing = 0;
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
		lobby->worth[t] = palloc_array(double, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
		{
			const double *state = match != NULL ? team_match_state(match, i) : NULL;

			lobby->worth[t][i] = lobby->estimate[t][i] + (match == NULL ? 0 :
														  model_worth(match->model, match->params, state, squad_size[i]) - state[0]);
		}
	}
	lobby->mu[0] = lobby->worth[0];
	lobby->mu[1] = lobby->worth[1];
	if (lobby->weight == NULL)
		return;

	/*
	 * Weighted means are equal if and only if weighted deviations from the
	 * mean of all who play add up to 0.  With weights relative to their mean,
	 * teams of equal weights differ by as much as these values say.
	 */
	for (i = 0; i < lobby->n; i++)
		if (allowed_teams_of(lobby, lobby->locked_teams, i) != SPLIT_MAY(SPLIT_BENCH))
		{
			playing++;
			weights += lobby->weight[i];
		}
	if (playing == 0)
		return;
	lobby->slope = palloc_array(double, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		lobby->slope[i] = lobby->weight[i] *
			(lobby->strength == TEAM_STRENGTH_SUM ? 1 : playing / weights);
		if (lobby->strength == TEAM_STRENGTH_MEAN &&
			allowed_teams_of(lobby, lobby->locked_teams, i) != SPLIT_MAY(SPLIT_BENCH))
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
		lobby->mu[t] = palloc_array(double, lobby->n + 1);
		for (i = 0; i < lobby->n; i++)
			lobby->mu[t][i] = mean + (lobby->worth[t][i] - mean) * lobby->slope[i];
	}
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
		n[i] = Max(size.count[i] - (lobby->command[0] != NULL ? 1 : 0), 1);
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
	if (lobby->team_match == NULL)
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
}
