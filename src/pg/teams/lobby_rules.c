/*
 * lobby_rules.c
 *		From what is known of the players of a lobby to what searches go by.
 *
 * What is made here is allocated in the current context and belongs to the lobby.  The steps come
 * in one order: begin_model(), take_states(), finish_lobby(), and then a request for sizes.
 */
#include "pg/teams/lobby_rules.h"

/* Steps of the core; by default a split takes below a second. */
#define DEFAULT_STEPS 1e9
#define DEFAULT_STEPS_OF_MANY 2e8

int *
squad_sizes(const Lobby *lobby, const int *team)
{
	int		   *size = palloc_array(int, lobby->n + 1);
	int			i,
				j;

	for (i = 0; i < lobby->n; i++)
	{
		size[i] = 1;
		for (j = 0; j < lobby->n && lobby->squad != NULL && lobby->squad[i] != 0; j++)
			if (j != i && lobby->squad[j] == lobby->squad[i] &&
				(team == NULL || team[j] == team[i]))
				size[i]++;
	}
	return size;
}

/* The worth of a player on no side. */
static double
mean_estimate(const Lobby *lobby, int player)
{
	return (lobby->estimate[0][player] + lobby->estimate[1][player]) / 2;
}

void
begin_model(Lobby *lobby, const Model *model, ParamValue *params, int seats)
{
	lobby->team_match = palloc_object(TeamMatch);
	team_match_init(lobby->team_match, model, params, lobby->n, lobby->nteams, seats);
}

/* Errors for what is known of players that the model has no column for. */
static void
check_columns(const Lobby *lobby, const Model *model)
{
	if (lobby->estimate[0] != lobby->estimate[1] &&
		model_state_column(model, ROLE_SIDE) < 0)
		report_no_column(model, "mu_2");
	if (lobby->command[0] != NULL && model_state_column(model, ROLE_COMMAND) < 0)
		report_no_column(model, "command_mu");
	if (lobby->command[0] != lobby->command[1])
		report_no_column(model, "command_mu_2");
}

/* What a team is to the model, and when it is even. */
static void
take_strength(Lobby *lobby)
{
	const TeamMatch *match = lobby->team_match;

	lobby->strength = model_team_strength(match->model, match->params);
	lobby->command_weight = DEFAULT_COMMAND_WEIGHT;
	lobby->log_odds_unit = model_log_odds_unit(match->model, match->params);

	/* That is of a duel, in which either has a half of the share. */
	if (lobby->strength == TEAM_STRENGTH_SHARE)
		lobby->log_odds_unit /= 2;
	check_positive("log_odds_unit", lobby->log_odds_unit);
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
}

void
take_states(Lobby *lobby, const double *deviation, const double *state)
{
	TeamMatch  *match = lobby->team_match;
	const Model *model = match->model;
	int			deviation_column = model_state_column(model, ROLE_DEVIATION);
	int			side_column = model_state_column(model, ROLE_SIDE);
	bool		sides = lobby->estimate[0] != lobby->estimate[1];
	int			i;

	check_columns(lobby, model);
	for (i = 0; i < lobby->n; i++)
	{
		double	   *own = team_match_state(match, i);

		/* Where no state is given, that of a new player is there already. */
		if (state != NULL)
			memcpy(own, state + (Size) lobby->order[i] * model->nstate,
				   sizeof(double) * model->nstate);
		own[0] = mean_estimate(lobby, i);

		/*
		 * A state that is given keeps its own offset, unless both sides were
		 * given.
		 */
		if (side_column >= 0 && (state == NULL || sides))
			own[side_column] = (lobby->estimate[0][i] - lobby->estimate[1][i]) / 2;
		if (lobby->command[0] != NULL)
			own[model_state_column(model, ROLE_COMMAND)] = lobby->command[0][i];
		if (deviation != NULL)
			own[deviation_column] = deviation[i];

		/*
		 * The column that the caller has given, of which the error then
		 * tells.
		 */
		if (!model_state_valid(model, own))
			report_match_status(MATCH_BAD_STATE,
								own[deviation != NULL ? deviation_column : 0],
								id_text(&lobby->type, lobby->player[i]));
	}
	take_strength(lobby);
}

/*
 * The state of a component in a lobby.  What belongs to no player is the same with everybody who
 * has its context or club, which is known by the place of the first of them.
 */
static const double *
component_of_lobby(void *argument, int number, int player, int key)
{
	const Lobby *lobby = (const Lobby *) argument;
	const TeamMatch *match = lobby->forecast_match;
	int			with = player >= 0 ? player : Max(key, 0);
	int			columns = component_columns(match->model, match->params, -1);

	return lobby->component + (Size) lobby->order[with] * columns +
		component_columns(match->model, match->params, number);
}

/* Errors (22023) for a player with a component that is not sound. */
static void
check_components(Lobby *lobby, const TeamMatch *match)
{
	const MatchRules *rules = &match->model->rules;
	const double *component = lobby->component;
	int			kind;
	int			i;

	for (i = 0; i < lobby->n; i++)
		for (kind = 0; kind < rules->ncomponents; kind++)
		{
			if (!rules->component[kind].used(match->params))
				continue;
			if (!component_state_valid(&rules->component[kind], component))
				report_match_status(MATCH_BAD_STATE, component[0],
									id_text(&lobby->type, lobby->player[lobby->input_index[i]]));
			component += rules->component[kind].nstate;
		}
}

void
take_forecast(Lobby *lobby, const double *state, int seats)
{
	const TeamMatch *searched = lobby->team_match;
	const Model *model = searched->model;
	TeamMatch  *match = palloc_object(TeamMatch);
	int			i;

	team_match_init(match, model, searched->params, lobby->n, lobby->nteams, seats);
	for (i = 0; i < lobby->n; i++)
	{
		double	   *own = team_match_state(match, i);

		memcpy(own, state + (Size) lobby->order[i] * model->nstate,
			   sizeof(double) * model->nstate);
		if (!model_state_valid(model, own))
			report_match_status(MATCH_BAD_STATE, own[0],
								id_text(&lobby->type, lobby->player[i]));
	}
	if (lobby->component != NULL)
	{
		check_components(lobby, match);
		team_match_components(match, lobby->n, lobby->n, component_of_lobby, lobby);
	}
	lobby->forecast_match = match;
}

void
finish_lobby(Lobby *lobby)
{
	/*
	 * A copy: explanations take parties away, while squads go on being worth
	 * more.
	 */
	if (lobby->party != NULL)
	{
		lobby->squad = palloc_array(int, lobby->n + 1);
		memcpy(lobby->squad, lobby->party, sizeof(int) * lobby->n);
	}
	value_players(lobby, squad_sizes(lobby, NULL));
	lobby->max_work = lobby->nteams == 2 ? DEFAULT_STEPS : DEFAULT_STEPS_OF_MANY;
}

void
request_size(const Lobby *lobby, int team_size, SplitRequest *request)
{
	int			playing = lobby->n - lobby->benched;
	int			i;

	if (team_size < 1 || team_size > playing / lobby->nteams)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("team_size must be at least 1 and at most %d, not %d",
						playing / lobby->nteams, team_size),
				 errdetail("There are %d players who are not locked to the bench.",
						   playing)));
	for (i = 0; i < lobby->nteams; i++)
		request->size[i] = team_size;
}

bool
request_all(Lobby *lobby, SplitRequest *request)
{
	int			playing = lobby->n - lobby->benched;
	int			i;

	/* Where everybody plays, nobody comes first. */
	lobby->priority = NULL;
	if (lobby->n == 0)
		return false;
	if (playing < lobby->nteams)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there must be at least %d players who are not locked to the bench",
						lobby->nteams)));

	/* The first teams are larger by one where players do not divide. */
	for (i = 0; i < lobby->nteams; i++)
		request->size[i] = playing / lobby->nteams + (i < playing % lobby->nteams ? 1 : 0);
	return true;
}
