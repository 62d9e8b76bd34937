/*
 * lobby_match.c
 *		Teams of a lobby as a match of a rating model, which says who wins.
 *
 * All arrays are taken once, with room for the largest match that is asked for, and used again
 * by each prediction.  An error of one leaves them fit for the next, because each begins anew.
 */
#include "core/split/lobby_match.h"

int
component_columns(const Model *model, const ParamValue *params, int kinds)
{
	int			n = 0;
	int			i;

	for (i = 0; i < kinds; i++)
		if (model->rules.component[i].used(params))
			n += model->rules.component[i].nstate;
	return n;
}

/* Room for matches of so many players, with their components. */
static void
make_room(const Lobby *lobby, int seats, LobbyMatch *match)
{
	const Room *room = lobby->room;
	const MatchRules *rules = &match->model->rules;
	size_t		n = (size_t) seats;
	size_t		kinds = (size_t) match_components_used(rules, match->params);
	int			i;

	match->match.team = room_array(room, sizeof(MatchTeam), n);
	match->match.player = room_zeros(room, sizeof(MatchPlayer), n);
	match->match.entry = room_array(room, sizeof(MatchEntry), n);
	match->participant = room_array(room, sizeof(Participant), n);
	match->player = room_array(room, sizeof(int), n);
	match->before = lobby_numbers(lobby);
	match->seat = lobby_integers(lobby);
	match->named = lobby_integers(lobby);

	/* NULL says that nobody asks for components. */
	match->match.component = NULL;
	if (kinds == 0)
		return;

	/* A match as a whole has some, too. */
	match->match.component = room_array(room, sizeof(MatchComponent), (n + 1) * kinds);
	match->match.share = room_array(room, sizeof(MatchShare), (n + 1) * kinds);
	match->initial = room_array(room, sizeof(double),
								(size_t) component_columns(match->model, match->params,
														   rules->ncomponents));
	for (i = 0; i < rules->ncomponents; i++)
		if (rules->component[i].used(match->params))
			rules->component[i].init(match->params, match->initial +
									 component_columns(match->model, match->params, i));
}

MatchStatus
lobby_match_begin(const Lobby *lobby, const Model *model, const ParamValue *params, int seats,
				  LobbyMatch *match)
{
	int			i;

	if (lobby->nteams > 2 && (model->rules.supports & MODEL_MANY_TEAMS) == 0)
		return MATCH_TOO_MANY_TEAMS_FOR_MODEL;
	*match = (LobbyMatch)
	{
		.model = model,.params = params,
			.state = room_array(lobby->room, sizeof(double),
								(size_t) lobby->n * (size_t) model->nstate)
	};
	make_room(lobby, seats, match);
	for (i = 0; i < lobby->n; i++)
		model->init(params, lobby_match_state(match, i));
	return MATCH_OK;
}

void
lobby_match_estimates(const Lobby *lobby, LobbyMatch *match, bool has_states,
					  const double *deviation)
{
	const Model *model = match->model;
	int			side = model_state_column(model, ROLE_SIDE);
	bool		sides = lobby->estimate[0] != lobby->estimate[1];
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = lobby_match_state(match, i);

		state[0] = (lobby->estimate[0][i] + lobby->estimate[1][i]) / 2;
		if (side >= 0 && (!has_states || sides))
			state[side] = (lobby->estimate[0][i] - lobby->estimate[1][i]) / 2;
		if (lobby->command[0] != NULL)
			state[model_state_column(model, ROLE_COMMAND)] = lobby->command[0][i];
		if (deviation != NULL)
			state[model_state_column(model, ROLE_DEVIATION)] = deviation[i];
	}
}

int
lobby_match_unsound(const Lobby *lobby, const LobbyMatch *match, const double **value)
{
	const MatchRules *rules = &match->model->rules;
	const double *component = match->component;
	int			kind;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		*value = lobby_match_state(match, i);
		if (!model_state_valid(match->model, *value))
			return i;
		for (kind = 0; kind < rules->ncomponents && component != NULL; kind++)
		{
			if (!rules->component[kind].used(match->params))
				continue;
			*value = component;
			if (!component_state_valid(&rules->component[kind], component))
				return i;
			component += rules->component[kind].nstate;
		}
	}
	return -1;
}

void
lobby_match_seat(const Lobby *lobby, const LobbyMatch *all, const int *player,
				 LobbyMatch *match)
{
	size_t		size = sizeof(double) * (size_t) all->model->nstate;
	int			i;

	*match = *all;
	match->component = NULL;
	match->context = match->club = NULL;
	match->state = room_array(lobby->room, size, (size_t) lobby->n);
	for (i = 0; i < lobby->n; i++)
		memcpy(lobby_match_state(match, i), lobby_match_state(all, player[i]), size);
}

void
take_strength(Lobby *lobby, const LobbyMatch *match)
{
	lobby->strength = model_team_strength(match->model, match->params);
	lobby->command_weight = DEFAULT_COMMAND_WEIGHT;
	lobby->log_odds_unit = model_log_odds_unit(match->model, match->params);

	/* That is of a duel, in which either has a half of the share. */
	if (lobby->strength == TEAM_STRENGTH_SHARE)
		lobby->log_odds_unit /= 2;
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
}

/* Name contexts or clubs in the match, whose numbers by player are given: by the first row of each. */
static void
enter_names(const Lobby *lobby, LobbyMatch *match, const int *number, bool clubs)
{
	int			i;

	for (i = 0; i < lobby->n; i++)
		match->named[i] = -1;
	for (i = 0; i < match->match.nplayers; i++)
	{
		Participant *row = &match->participant[i];
		int			which = number[match->player[i]];
		int			name = -1;

		if (which > 0)
		{
			if (match->named[which - 1] < 0)
				match->named[which - 1] = i;
			name = match->named[which - 1];
		}
		if (clubs)
			row->club = name;
		else
			row->context = name;
	}
}

/* The rows of a match, by team, as match_build() takes them. */
static void
enter_rows(const Lobby *lobby, LobbyMatch *match, const int *team, const int *commander)
{
	bool		sides = lobby->estimate[0] != lobby->estimate[1];
	int			n = 0;
	int			t,
				i;

	for (i = 0; i < lobby->n; i++)
		if (team[i] != SPLIT_BENCH)
		{
			match->match.player[n].before = lobby_match_state(match, i);
			match->match.player[n].games = 0;
			match->seat[i] = n++;
		}
	match->match.nplayers = n;
	n = 0;
	for (t = 1; t <= lobby->nteams; t++)
		for (i = 0; i < lobby->n; i++)
		{
			Participant *row = &match->participant[n];

			if (team[i] != t)
				continue;
			match->player[n++] = i;
			*row = participant_default;
			row->player = match->seat[i];
			row->team = t;
			row->rank = 1;
			if (lobby->weight != NULL)
				row->weight = lobby->weight[i];
			if (lobby->squad != NULL && lobby->squad[i] != 0)
				row->squad = lobby->squad[i];
			if (sides)
				row->side = t;
			if (lobby->command[0] != NULL && commander[t - 1] == i)
				row->commanding = 1;
		}
}

/*
 * Give the components of the match that was built their states: those that the first of the rows
 * with a component would have.
 */
static void
find_components(const LobbyMatch *match)
{
	size_t		columns = match->match.ncomponents == 0 ? 0 :
		(size_t) component_columns(match->model, match->params,
								   match->model->rules.ncomponents);
	int			i;

	for (i = 0; i < match->match.ncomponents; i++)
	{
		MatchComponent *component = &match->match.component[i];
		int			player = match->player[component->participant];

		component->before = (match->component == NULL ? match->initial :
							 match->component + (size_t) player * columns) +
			component_columns(match->model, match->params, component->number);
	}
}

MatchStatus
lobby_match_predict(const Lobby *lobby, LobbyMatch *match, const int *team,
					const int *commander, double ahead, double *win)
{
	MatchStatus status;
	int			offender;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = lobby_match_state(match, i);

		match->before[i] = state[0];
		if (team[i] == 1)
			state[0] += ahead;
	}
	enter_rows(lobby, match, team, commander);
	if (match->match.component != NULL && match->context != NULL)
		enter_names(lobby, match, match->context, false);
	if (match->match.component != NULL && match->club != NULL)
		enter_names(lobby, match, match->club, true);
	match->match.log_odds = lobby->log_odds;
	status = match_build(&match->model->rules, match->params, match->participant,
						 match->match.nplayers, &match->match, &offender);
	match->match.interrupt = lobby->interrupt;
	if (status == MATCH_OK)
	{
		find_components(match);
		status = model_predict(match->model, match->params, &match->match);
	}
	for (i = 0; i < lobby->n; i++)
		lobby_match_state(match, i)[0] = match->before[i];
	for (i = 0; i < lobby->nteams && status == MATCH_OK; i++)
		win[i] = match->match.team[i].win;
	return status;
}
