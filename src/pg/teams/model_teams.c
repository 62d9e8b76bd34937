/*
 * model_teams.c
 *		A lobby split into teams of which a rating model says that they are even.
 */
#include "pg/teams/model_teams.h"

#include "utils/builtins.h"

#include "pg/teams/priority.h"

/* A model's even difference is bracketed, and then found by halves. */
#define MAX_DOUBLINGS 60
#define MAX_HALVINGS 60

/* Splits are found again for another even difference, if it differs by this share. */
#define MAX_AIMS 8
#define AIM_NOISE 1e-9

/* Where several aims are likely, each split has a share of the work. */
#define SHARE_OF_AIM 4

void
read_lobby_model(FunctionCallInfo fcinfo, const LobbyArguments *arguments, Lobby *lobby,
				 TeamMatch *team_match)
{
	const Model *model = get_model(text_to_cstring(PG_GETARG_TEXT_PP(arguments->model)));
	ParamValue *params = get_params(&model->params, has_argument(fcinfo, arguments->params) ?
									PG_GETARG_JSONB_P(arguments->params) : NULL);
	int			deviation_column = model_state_column(model, ROLE_DEVIATION);
	int			side_column = model_state_column(model, ROLE_SIDE);
	int			command_column = model_state_column(model, ROLE_COMMAND);
	const double *deviation = NULL;
	int			i;

	if (has_argument(fcinfo, arguments->deviation))
	{
		if (deviation_column < 0)
			report_no_column(model, "deviation");
		deviation = lobby_numbers(fcinfo, arguments->deviation, "deviation", lobby);
	}
	if (lobby->mu[0] != lobby->mu[1] && side_column < 0)
		report_no_column(model, "mu_2");
	if (lobby->command[0] != NULL && command_column < 0)
		report_no_column(model, "command_mu");
	if (lobby->command[0] != lobby->command[1])
		report_no_column(model, "command_mu_2");
	team_match_init(team_match, model, params, lobby->n, lobby->nteams, lobby->n);
	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = team_match_state(team_match, i);

		state[0] = mean_mu(lobby, i);
		if (side_column >= 0)
			state[side_column] = (lobby->mu[0][i] - lobby->mu[1][i]) / 2;
		if (lobby->command[0] != NULL)
			state[command_column] = lobby->command[0][i];
		if (deviation != NULL)
			state[deviation_column] = deviation[i];
		if (!model_state_valid(model, state))
			report_match_status(MATCH_BAD_STATE,
								state[deviation != NULL ? deviation_column : 0],
								id_text(&lobby->type, lobby->player[i]));
	}
	lobby->strength = model_team_strength(model, params);
	lobby->log_odds_unit = model_log_odds_unit(model, params);

	/* That is of a duel, in which either has a half of the share. */
	if (lobby->strength == TEAM_STRENGTH_SHARE)
		lobby->log_odds_unit /= 2;
	check_positive("log_odds_unit", lobby->log_odds_unit);
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
}

/* Predict a split by the model, with so much added to every player of the first team. */
static void
predict(const Lobby *lobby, TeamMatch *team_match, const Split *split, double ahead,
		double *probability)
{
	int		   *player = palloc_array(int, lobby->n + 1);
	int		   *team = palloc_array(int, lobby->n + 1);
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		if (split->answer.team[i] == SPLIT_BENCH)
			continue;
		team_match_state(team_match, i)[0] = mean_mu(lobby, i) +
			(split->answer.team[i] == 1 ? ahead : 0);
		player[n] = i;
		team[n++] = split->answer.team[i];
	}
	team_match_predict(team_match, player, team, n, lobby->nteams,
					   lobby->mu[0] != lobby->mu[1], split->answer.commander,
					   lobby->log_odds);
	for (i = 0; i < lobby->nteams; i++)
		probability[i] = team_match->match.team[i].win;
	pfree(player);
	pfree(team);
}

/* The difference of strengths at which the model finds a split even. */
static double
even_difference(const Lobby *lobby, TeamMatch *team_match, const Split *split)
{
	double		probability[SPLIT_MAX_TEAMS];
	double		step = lobby->log_odds_unit * (1 + fabs(lobby->log_odds));
	double		low = 0;
	double		high = 0;
	int			size[SPLIT_MAX_TEAMS + 1] = {0};
	int			i;

	predict(lobby, team_match, split, 0, probability);
	if (probability[0] == 0.5)
		return split->difference;
	for (i = 0; i < MAX_DOUBLINGS; i++, step *= 2)
	{
		double		ahead = probability[0] > 0.5 ? -step : step;
		double		there[SPLIT_MAX_TEAMS];

		predict(lobby, team_match, split, ahead, there);
		low = Min(low, ahead);
		high = Max(high, ahead);
		if ((there[0] > 0.5) != (probability[0] > 0.5))
			break;
	}
	for (i = 0; i < MAX_HALVINGS; i++)
	{
		double		ahead = (low + high) / 2;

		check_interrupts();
		predict(lobby, team_match, split, ahead, probability);
		if (probability[0] > 0.5)
			high = ahead;
		else
			low = ahead;
	}
	for (i = 0; i < lobby->n; i++)
		if (split->answer.commander[0] != i && split->answer.commander[1] != i)
			size[split->answer.team[i]]++;
	switch (lobby->strength)
	{
		case TEAM_STRENGTH_MEAN:
			break;
		case TEAM_STRENGTH_SUM:
			low *= size[1];
			break;
		case TEAM_STRENGTH_SHARE:
			low *= (double) size[1] / Max(size[1] + size[2], 1);
			break;
	}
	return split->difference + low;
}

/*
 * Split into two teams of these sizes in this order.  What the model takes for even may
 * be another difference in another split, so that is aimed at until the split is the
 * same; what was aimed at for the best one stays.  The probabilities are those of both
 * teams.
 */
static void
aim_by_model(Lobby *lobby, TeamMatch *team_match, const SplitRequest *request,
			 Split *split, double *probability)
{
	double		found[SPLIT_MAX_TEAMS];
	double		wanted = lobby->even_difference;
	Split		other;
	int			again;

	split_with_priority(lobby, request, split);
	if (!split->answer.found)
		return;
	predict(lobby, team_match, split, 0, probability);
	other = *split;
	for (again = 0; again < MAX_AIMS; again++)
	{
		double		even = even_difference(lobby, team_match, &other);

		if (fabs(even - lobby->even_difference) <= AIM_NOISE * (lobby->log_odds_unit + fabs(even)))
			break;
		lobby->even_difference = even;
		split_with_priority(lobby, request, &other);
		if (!other.answer.found)
			break;
		predict(lobby, team_match, &other, 0, found);
		if (fabs(found[0] - 0.5) < fabs(probability[0] - 0.5))
		{
			*split = other;
			memcpy(probability, found, sizeof(double) * lobby->nteams);
			wanted = even;
		}
	}
	lobby->even_difference = wanted;

	/* With others on the bench it may be yet another difference. */
	if (lobby->log_odds != 0 &&
		request->size[0] + request->size[1] < lobby->n - lobby->benched)
		split->unproven = true;
}

/* Split into two teams, of whichever sizes is the nearer to even odds. */
static void
split_two_by_model(Lobby *lobby, TeamMatch *team_match, const SplitRequest *request,
				   Split *split, double *probability)
{
	SplitRequest ordered = *request;
	double		wanted = lobby->even_difference;
	double		aimed;
	double		found[SPLIT_MAX_TEAMS];
	Split		other;

	ordered.in_order = true;
	aim_by_model(lobby, team_match, &ordered, split, probability);
	if (request->size[0] == request->size[1])
		return;
	ordered.size[0] = request->size[1];
	ordered.size[1] = request->size[0];
	aimed = lobby->even_difference;
	lobby->even_difference = wanted;
	aim_by_model(lobby, team_match, &ordered, &other, found);
	if (other.answer.found &&
		(!split->answer.found || fabs(found[0] - 0.5) < fabs(probability[0] - 0.5)))
	{
		*split = other;
		memcpy(probability, found, sizeof(double) * lobby->nteams);
	}
	else
		lobby->even_difference = aimed;
}

void
split_by_model(Lobby *lobby, TeamMatch *team_match, const SplitRequest *request,
			   Split *split, double *probability)
{
	double		max_work = lobby->max_work;

	if (lobby->nteams == 2)
	{
		if (lobby->log_odds != 0)
			lobby->max_work /= SHARE_OF_AIM;
		split_two_by_model(lobby, team_match, request, split, probability);
		lobby->max_work = max_work;
		return;
	}
	split_with_priority(lobby, request, split);
	if (split->answer.found)
		predict(lobby, team_match, split, 0, probability);
}
