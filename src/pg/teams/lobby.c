/*
 * lobby.c
 *		Who the players of a lobby are, and what a rating model says of them.
 */
#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

/* Bytes that a search among players may take, besides the players themselves. */
#define MAX_ROOM (64 * 1024 * 1024)

/*
 * ---- Memory ----
 */

static void *
take_block(size_t bytes)
{
	if (bytes > MAX_ROOM)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("teams of these players would take %zu MB, more than %d",
						bytes >> 20, MAX_ROOM >> 20),
				 errhint("Fewer players, fewer pairs to avoid, and fewer regions take less.")));
	return palloc_array(char, Max(bytes, 1));
}

static void
give_back_block(void *block)
{
	pfree(block);
}

/* A trial has a context of its own, in front of the one that was current. */
static void *
begin_trial(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext, "split on trial",
													   ALLOCSET_DEFAULT_SIZES));
}

static void
end_trial(void *began)
{
	MemoryContextDelete(MemoryContextSwitchTo((MemoryContext) began));
}

const Room	lobby_room = {take_block, give_back_block, begin_trial, end_trial, MAX_ROOM};

/*
 * ---- Names ----
 */

char *
player_text(const Lobby *lobby, int player)
{
	People	   *people = people_of(lobby);

	return id_text(&people->type, people->player[player]);
}

char *
player_list(const Lobby *lobby, const int *player, int n)
{
	StringInfoData names;
	int			i;

	initStringInfo(&names);
	for (i = 0; i < n; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", player_text(lobby, player[i]));
	return names.data;
}

/*
 * ---- The model's match ----
 */

/* Predict teams by a match, with so much added to every player of the first team. */
static void
predict_match(const Lobby *lobby, TeamMatch *match, const int *team, const int *commander,
			  double ahead, double *win)
{
	const People *people = people_of(lobby);
	TeamSeat   *seat = palloc_array(TeamSeat, lobby->n + 1);
	double	   *before = palloc_array(double, lobby->n + 1);
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = team_match_state(match, i);

		before[i] = state[0];
		if (team[i] == SPLIT_BENCH)
			continue;
		if (team[i] == 1)
			state[0] += ahead;
		seat[n++] = (TeamSeat)
		{
			.player = i,.team = team[i],
				.weight = lobby->weight != NULL ? lobby->weight[i] : NAN,
				.squad = lobby->squad != NULL && lobby->squad[i] != 0 ? lobby->squad[i] : NAN,
				.commands = lobby->command[0] != NULL && commander[team[i] - 1] == i,
				.context = people->context != NULL ? people->context[i] - 1 : -1,
				.club = people->club != NULL ? people->club[i] - 1 : -1
		};
	}
	team_match_predict(match, seat, n, lobby->nteams,
					   lobby->estimate[0] != lobby->estimate[1], lobby->log_odds);
	for (i = 0; i < lobby->n; i++)
		team_match_state(match, i)[0] = before[i];
	for (i = 0; i < lobby->nteams; i++)
		win[i] = match->match.team[i].win;
	pfree(seat);
	pfree(before);
}

static void
predict(const Lobby *lobby, const int *team, const int *commander, double ahead, double *win)
{
	predict_match(lobby, people_of(lobby)->team_match, team, commander, ahead, win);
}

void
forecast_answer(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	TeamMatch  *match = people_of(lobby)->forecast_match;

	if (match != NULL)
		predict_match(lobby, match, team, commander, 0, split->win);
}

static double
squad_gain(const Lobby *lobby, int player, int squad)
{
	const TeamMatch *match = people_of(lobby)->team_match;
	const double *state = team_match_state(match, player);

	return model_worth(match->model, match->params, state, squad) - state[0];
}

static const LobbyModel lobby_model = {squad_gain, predict};

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
take_strength(Lobby *lobby, const Model *model, const ParamValue *params)
{
	lobby->strength = model_team_strength(model, params);
	lobby->command_weight = DEFAULT_COMMAND_WEIGHT;
	lobby->log_odds_unit = model_log_odds_unit(model, params);

	/* That is of a duel, in which either has a half of the share. */
	if (lobby->strength == TEAM_STRENGTH_SHARE)
		lobby->log_odds_unit /= 2;
	check_positive("log_odds_unit", lobby->log_odds_unit);
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
}

/* A match of the model, in the states that are given, or of new players. */
static TeamMatch *
make_match(const Lobby *lobby, const Model *model, ParamValue *params, int seats,
		   const double *state)
{
	TeamMatch  *match = palloc_object(TeamMatch);
	int			i;

	team_match_init(match, model, params, lobby->n, lobby->nteams, seats);
	for (i = 0; i < lobby->n && state != NULL; i++)
		memcpy(team_match_state(match, i),
			   state + (Size) people_of(lobby)->order[i] * model->nstate,
			   sizeof(double) * model->nstate);
	return match;
}

/* Error (22023) for a state that is not sound, which shows in that column. */
static void
check_state(const Lobby *lobby, const TeamMatch *match, int player, int column)
{
	const double *state = team_match_state(match, player);

	if (!model_state_valid(match->model, state))
		report_match_status(MATCH_BAD_STATE, state[column], player_text(lobby, player));
}

void
take_model(Lobby *lobby, const Model *model, ParamValue *params, int seats,
		   const double *deviation, const double *state)
{
	TeamMatch  *match;
	int			deviation_column = model_state_column(model, ROLE_DEVIATION);
	int			side_column = model_state_column(model, ROLE_SIDE);
	bool		sides = lobby->estimate[0] != lobby->estimate[1];
	int			i;

	match = make_match(lobby, model, params, seats, state);
	check_columns(lobby, model);
	for (i = 0; i < lobby->n; i++)
	{
		double	   *own = team_match_state(match, i);

		own[0] = (lobby->estimate[0][i] + lobby->estimate[1][i]) / 2;

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
		check_state(lobby, match, i, deviation != NULL ? deviation_column : 0);
	}
	take_strength(lobby, model, params);
	people_of(lobby)->team_match = match;
	lobby->model = &lobby_model;
}

/*
 * The state of a component in a lobby.  What belongs to no player is the same with everybody who
 * has its context or club, which is known by the place of the first of them.
 */
static const double *
component_of_lobby(void *argument, int number, int player, int key)
{
	const People *people = (const People *) argument;
	const TeamMatch *match = people->forecast_match;
	int			with = player >= 0 ? player : Max(key, 0);
	int			columns = component_columns(match->model, match->params, -1);

	return people->component + (Size) people->order[with] * columns +
		component_columns(match->model, match->params, number);
}

/* Errors (22023) for a player with a component that is not sound. */
static void
check_components(const Lobby *lobby, const TeamMatch *match)
{
	const MatchRules *rules = &match->model->rules;
	const People *people = people_of(lobby);
	const double *component = people->component;
	int			kind;
	int			i;

	for (i = 0; i < lobby->n; i++)
		for (kind = 0; kind < rules->ncomponents; kind++)
		{
			if (!rules->component[kind].used(match->params))
				continue;
			if (!component_state_valid(&rules->component[kind], component))
				report_match_status(MATCH_BAD_STATE, component[0],
									player_text(lobby, people->input_index[i]));
			component += rules->component[kind].nstate;
		}
}

void
take_forecast(Lobby *lobby, const double *state, int seats)
{
	People	   *people = people_of(lobby);
	const TeamMatch *searched = people->team_match;
	TeamMatch  *match = make_match(lobby, searched->model, searched->params, seats, state);
	int			i;

	for (i = 0; i < lobby->n; i++)
		check_state(lobby, match, i, 0);
	if (people->component != NULL)
	{
		check_components(lobby, match);
		team_match_components(match, lobby->n, lobby->n, component_of_lobby, people);
	}
	people->forecast_match = match;
}

void
seat_states(const Lobby *all, const int *player, Lobby *lobby)
{
	const People *those = people_of(all);
	const TeamMatch *match = those->team_match;
	Size		size = sizeof(double) * match->model->nstate;
	People	   *people = palloc_object(People);
	int			i,
				j;

	*people = (People)
	{
		.type = those->type,.player = palloc_array(Datum, lobby->n),
			.order = palloc_array(int, lobby->n),.input_index = palloc_array(int, lobby->n),
			.team_match = palloc_object(TeamMatch)
	};
	lobby->people = people;
	*people->team_match = *match;
	people->team_match->state = palloc(size * lobby->n);
	for (i = 0; i < lobby->n; i++)
	{
		memcpy(team_match_state(people->team_match, i), team_match_state(match, player[i]), size);
		people->player[i] = those->player[player[i]];
		for (j = i; j > 0 && player[people->input_index[j - 1]] > player[i]; j--)
			people->input_index[j] = people->input_index[j - 1];
		people->input_index[j] = i;
	}
	for (i = 0; i < lobby->n; i++)
		people->order[people->input_index[i]] = i;
}
