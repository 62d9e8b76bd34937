/*
 * lobby.c
 *		Who the players of a lobby are, and what a rating model says of them.
 */
#include "pg/teams/lobby.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "pg/sql/composite.h"

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

static void
predict_match(const Lobby *lobby, LobbyMatch *match, const int *team, const int *commander,
			  double ahead, double *win)
{
	MatchStatus status = lobby_match_predict(lobby, match, team, commander, ahead, win);

	if (status != MATCH_OK)
		report_match_status(status, NAN, NULL);
}

static void
predict(const Lobby *lobby, const int *team, const int *commander, double ahead, double *win)
{
	predict_match(lobby, people_of(lobby)->match, team, commander, ahead, win);
}

void
forecast_answer(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	if (people_of(lobby)->forecast != NULL)
		predict_match(lobby, people_of(lobby)->forecast, team, commander, 0, split->win);
}

static double
squad_gain(const Lobby *lobby, int player, int squad)
{
	const LobbyMatch *match = people_of(lobby)->match;
	const double *state = lobby_match_state(match, player);

	return model_worth(match->model, match->params, state, squad) - state[0];
}

static const LobbyModel lobby_model = {squad_gain, predict};

void
report_no_column(const Model *model, const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("model \"%s\" has no %s", model->name, argument),
			 errhint("Leave %s out, or name another model.", argument)));
}

/* A match of the model, in the states that are given, or of new players. */
static LobbyMatch *
make_match(const Lobby *lobby, const Model *model, const ParamValue *params, int seats,
		   const double *state)
{
	LobbyMatch *match = palloc_object(LobbyMatch);
	MatchStatus status = lobby_match_begin(lobby, model, params, seats, match);
	int			i;

	if (status != MATCH_OK)
		report_match_status(status, lobby->nteams, NULL);
	for (i = 0; i < lobby->n && state != NULL; i++)
		memcpy(lobby_match_state(match, i),
			   state + (Size) people_of(lobby)->order[i] * model->nstate,
			   sizeof(double) * model->nstate);
	return match;
}

/* Error (22023) for a player with a state or component that is not sound, which shows in a column. */
static void
check_states(const Lobby *lobby, const LobbyMatch *match, int column)
{
	const double *value;
	int			player = lobby_match_unsound(lobby, match, &value);

	if (player >= 0)
		report_match_status(MATCH_BAD_STATE, value[column], player_text(lobby, player));
}

void
take_model(Lobby *lobby, const Model *model, const ParamValue *params, int seats,
		   const double *deviation, const double *state)
{
	LobbyMatch *match = make_match(lobby, model, params, seats, state);

	if (lobby->estimate[0] != lobby->estimate[1] &&
		model_state_column(model, ROLE_SIDE) < 0)
		report_no_column(model, "mu_2");
	if (lobby->command[0] != NULL && model_state_column(model, ROLE_COMMAND) < 0)
		report_no_column(model, "command_mu");
	if (lobby->command[0] != lobby->command[1])
		report_no_column(model, "command_mu_2");
	lobby_match_estimates(lobby, match, state != NULL, deviation);
	check_states(lobby, match,
				 deviation != NULL ? model_state_column(model, ROLE_DEVIATION) : 0);
	take_strength(lobby, match);
	check_positive("log_odds_unit", lobby->log_odds_unit);
	people_of(lobby)->match = match;
	lobby->model = &lobby_model;
}

void
take_forecast(Lobby *lobby, const double *state, int seats, const double *component,
			  const int *context, const int *club)
{
	const LobbyMatch *searched = people_of(lobby)->match;
	LobbyMatch *match = make_match(lobby, searched->model, searched->params, seats, state);

	match->component = component;
	match->context = component != NULL ? context : NULL;
	match->club = component != NULL ? club : NULL;
	check_states(lobby, match, 0);
	people_of(lobby)->forecast = match;
}

void
seat_people(const Lobby *all, const int *player, Lobby *lobby)
{
	const People *those = people_of(all);
	People	   *people = palloc_object(People);
	int			i,
				j;

	*people = (People)
	{
		.type = those->type,.player = palloc_array(Datum, lobby->n),
			.order = palloc_array(int, lobby->n),.input_index = palloc_array(int, lobby->n),
			.match = palloc_object(LobbyMatch)
	};
	lobby->people = people;
	lobby_match_seat(lobby, those->match, player, people->match);
	for (i = 0; i < lobby->n; i++)
	{
		people->player[i] = those->player[player[i]];
		for (j = i; j > 0 && player[people->input_index[j - 1]] > player[i]; j--)
			people->input_index[j] = people->input_index[j - 1];
		people->input_index[j] = i;
	}
	for (i = 0; i < lobby->n; i++)
		people->order[people->input_index[i]] = i;
}

/*
 * ---- Rows ----
 */

void
put_teams(FunctionCallInfo fcinfo, const Lobby *lobby, const Split *split, const TeamRows *rows)
{
	const People *people = people_of(lobby);
	const int  *commander = split->answer.commander;
	Datum		why = rows->why;
	int			i;

	for (i = 0; i < (rows->by_team ? lobby->nteams : 1) * lobby->n; i++)
	{
		ResultRow	row = {0};
		int			place = people->input_index[i % lobby->n];
		int			team = split->answer.team[place];

		if (rows->by_team && team != i / lobby->n + 1)
			continue;
		if (rows->numbered)
			put_int32(&row, rows->number);
		put_datum(&row, people->player[place], false);
		put_datum(&row, Int32GetDatum(team), team == SPLIT_BENCH);
		put_number(&row, split->difference);
		put_datum(&row, Float8GetDatum(split->win[Max(team - 1, 0)]), team == SPLIT_BENCH);
		put_datum(&row, rows->quality[0], rows->no_quality[0]);
		put_datum(&row, rows->quality[1], rows->no_quality[1]);
		put_datum(&row, BoolGetDatum(commander[0] == place || commander[1] == place),
				  lobby->command[0] == NULL);
		if (rows->with_broken)
			put_datum(&row, rows->broken, rows->broken == (Datum) 0);
		put_datum(&row, why, why == (Datum) 0);
		why = (Datum) 0;
		add_result_row(fcinfo, &row);
	}
}
