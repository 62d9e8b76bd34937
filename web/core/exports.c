/*
 * exports.c
 *		The functions of the module: flat arrays in, flat arrays out.
 *
 * The host writes arrays into memory that allocate() gives it, calls, and reads results where
 * it left room for them.  begin() frees everything.  A function that ends in an error throws
 * it, see host.h; one that returns a MatchStatus leaves the error to the host, which has the
 * names of players and columns.
 */
#include "pg/sql/glue.h"

#include "arena.h"
#include "core/models/registry.h"
#include "core/rating/display.h"
#include "pg/teams/constraints.h"
#include "pg/teams/lobby_rules.h"
#include "pg/teams/model_teams.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

extern void EXPORT(begin) (void);
extern void *EXPORT(allocate) (int size);
extern const char *EXPORT(describe_text) (int what, int model, int i, int j);
extern double EXPORT(describe_number) (int what, int model, int i, int j);
extern void *EXPORT(make_params) (int model, const double *given);
extern double EXPORT(state_min) (int model, const ParamValue *params, int column);
extern void EXPORT(initial_state) (int model, const ParamValue *params, double *state);
extern double EXPORT(state_rating) (int model, const ParamValue *params, const double *state);
extern double EXPORT(log_odds_unit) (int model, const ParamValue *params);
extern void EXPORT(state_after_idle) (int model, const ParamValue *params, const double *state,
									  double idle, const double *shared, double shared_idle,
									  double *after);
extern int	EXPORT(component_used) (int model, const ParamValue *params, int component);
extern void EXPORT(component_initial) (int model, const ParamValue *params, int component,
									   double *state);
extern void EXPORT(component_after_idle) (int model, const ParamValue *params, int component,
										  const double *state, double idle, double *after);
extern int	EXPORT(model_looks_back) (int model, const ParamValue *params, const double *state);
extern int	EXPORT(build_match) (int model, const ParamValue *params, const double *row, int n,
								 int nplayers, double log_odds);
extern int	EXPORT(match_offender) (void);
extern int	EXPORT(match_teams) (void);
extern int	EXPORT(match_components) (void);
extern int	EXPORT(match_component) (int component, int what);
extern void EXPORT(enter_player) (int player, const double *before, double *after, double games,
								  const double *past, int npast);
extern void EXPORT(enter_component) (int component, const double *before, double *after,
									 double games);
extern void EXPORT(set_rank) (int team, double rank);
extern int	EXPORT(predict_match) (double *team, double *draw);
extern int	EXPORT(rate_match) (double *team, double *player, double *draw);
extern double EXPORT(status_value) (int status);
extern int	EXPORT(division) (double rating, const double *cut, int n, int current,
							  double margin, double promotion_margin);
extern void EXPORT(split) (const double *scalar, const double *column, const int *pair,
						   int npairs, int model, ParamValue *params, const double *state,
						   int *team, double *result);

void
begin(void)
{
	arena_empty();
}

void *
allocate(int size)
{
	return palloc((Size) size);
}

/*
 * ---- What there is ----
 */

/* Must be as in index.js. */
enum
{
	TEXT_MODEL_NAME,
	TEXT_MODEL_SUMMARY,
	TEXT_MODEL_SOURCE,
	TEXT_STATE_NAME,
	TEXT_STATE_DESCRIPTION,
	TEXT_PARAM_NAME,
	TEXT_PARAM_UNIT,
	TEXT_PARAM_DESCRIPTION,
	TEXT_PARAM_CHOICE,
	TEXT_COMPONENT_NAME,
	TEXT_COMPONENT_DESCRIPTION,
	TEXT_COMPONENT_STATE_NAME,
	TEXT_STATUS_CODE,
	TEXT_STATUS_MESSAGE,
	TEXT_STATUS_HINT
};

enum
{
	NUMBER_MODELS,
	NUMBER_STATUSES,
	NUMBER_LAST_UNRATED,
	NUMBER_STATES,
	NUMBER_PARAMS,
	NUMBER_COMPONENTS,
	NUMBER_SUPPORTS,
	NUMBER_STATE_MIN,
	NUMBER_STATE_SHARED,
	NUMBER_STATE_ROLE,
	NUMBER_PARAM_LISTED,
	NUMBER_PARAM_TYPE,
	NUMBER_PARAM_DEFAULT,
	NUMBER_PARAM_MIN,
	NUMBER_PARAM_MAX,
	NUMBER_PARAM_ABOVE_MIN,
	NUMBER_PARAM_CHOICES,
	NUMBER_PARAM_MAX_STEPS,
	NUMBER_COMPONENT_SCOPE,
	NUMBER_COMPONENT_KEY,
	NUMBER_COMPONENT_STATES,
	NUMBER_COMPONENT_STATE_MIN
};

const char *
describe_text(int what, int model, int i, int j)
{
	const Model *m = model_registry[model];

	switch (what)
	{
		case TEXT_MODEL_NAME:
			return m->name;
		case TEXT_MODEL_SUMMARY:
			return m->summary;
		case TEXT_MODEL_SOURCE:
			return m->source;
		case TEXT_STATE_NAME:
			return m->state[i].name;
		case TEXT_STATE_DESCRIPTION:
			return m->state[i].description;
		case TEXT_PARAM_NAME:
			return param_spec(&m->params, i)->name;
		case TEXT_PARAM_UNIT:
			return param_spec(&m->params, i)->unit;
		case TEXT_PARAM_DESCRIPTION:
			return param_spec(&m->params, i)->description;
		case TEXT_PARAM_CHOICE:
			return param_spec(&m->params, i)->choices[j];
		case TEXT_COMPONENT_NAME:
			return m->rules.component[i].name;
		case TEXT_COMPONENT_DESCRIPTION:
			return m->rules.component[i].description;
		case TEXT_COMPONENT_STATE_NAME:
			return m->rules.component[i].state[j].name;
		case TEXT_STATUS_CODE:
			return match_status_code((MatchStatus) i);
		case TEXT_STATUS_MESSAGE:
			return match_status_message((MatchStatus) i);
		case TEXT_STATUS_HINT:
			return match_status_hint((MatchStatus) i);
	}
	return NULL;
}

/* A number of a parameter. */
static double
describe_param(int what, const ParamSet *set, int i)
{
	const ParamSpec *spec = param_spec(set, i);
	int			n = 0;

	switch (what)
	{
		case NUMBER_PARAM_LISTED:
			return param_listed(set, i);
		case NUMBER_PARAM_TYPE:
			return spec->type;
		case NUMBER_PARAM_DEFAULT:
			return spec->default_value;
		case NUMBER_PARAM_MIN:
			return spec->min;
		case NUMBER_PARAM_MAX:
			return spec->max;
		case NUMBER_PARAM_ABOVE_MIN:
			return spec->above_min;
		case NUMBER_PARAM_CHOICES:
			while (spec->choices != NULL && spec->choices[n] != NULL)
				n++;
			return n;
	}
	return PARAM_MAX_STEPS;
}

double
describe_number(int what, int model, int i, int j)
{
	const Model *m = model_registry[model];

	switch (what)
	{
		case NUMBER_MODELS:
			return model_count;
		case NUMBER_STATUSES:
			return MATCH_NSTATUSES;
		case NUMBER_LAST_UNRATED:
			return MATCH_LAST_UNRATED;
		case NUMBER_STATES:
			return m->nstate;
		case NUMBER_PARAMS:
			return m->params.count;
		case NUMBER_COMPONENTS:
			return m->rules.ncomponents;
		case NUMBER_SUPPORTS:
			return m->rules.supports;
		case NUMBER_STATE_MIN:
			return m->state[i].min;
		case NUMBER_STATE_SHARED:
			return m->state[i].shared;
		case NUMBER_STATE_ROLE:
			return m->state[i].role;
		case NUMBER_COMPONENT_SCOPE:
			return m->rules.component[i].scope;
		case NUMBER_COMPONENT_KEY:
			return m->rules.component[i].key;
		case NUMBER_COMPONENT_STATES:
			return m->rules.component[i].nstate;
		case NUMBER_COMPONENT_STATE_MIN:
			return m->rules.component[i].state[j].min;
	}
	return describe_param(what, &m->params, i);
}

/*
 * ---- Parameters and states ----
 */

/* Of each parameter a number, an index or a flag, or the steps of a table: how many, and pairs. */
#define GIVEN_NUMBERS (1 + 2 * PARAM_MAX_STEPS)

void *
make_params(int model, const double *given)
{
	const ParamSet *set = &model_registry[model]->params;
	ParamValue *params = palloc0_array(ParamValue, set->count);
	int			i,
				j;

	param_defaults(set, params);
	for (i = 0; i < set->count; i++, given += GIVEN_NUMBERS)
		switch (param_spec(set, i)->type)
		{
			case PARAM_NUMBER:
				params[i].number = given[0];
				break;
			case PARAM_CHOICE:
				params[i].choice = (int) given[0];
				break;
			case PARAM_FLAG:
				params[i].flag = given[0] != 0;
				break;
			case PARAM_STEPS:
				params[i].steps.n = (int) given[0];
				for (j = 0; j < params[i].steps.n; j++)
				{
					params[i].steps.bound[j] = given[1 + 2 * j];
					params[i].steps.value[j] = given[2 + 2 * j];
				}
				break;
		}

	i = model_idle_param(model_registry[model], params);
	if (i >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" of model \"%s\" has no effect while \"%s\" is as it is",
						param_spec(set, i)->name, set->name,
						param_spec(set, i)->only_with != NULL ? param_spec(set, i)->only_with : "size_advantage"),
				 errhint("Leave it out, or change the other one.")));

	/* The caller has room for as many columns as the model has by default. */
	if (model_variant(model_registry[model], params)->nstate != model_registry[model]->nstate)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of model \"%s\" that add state columns are not supported here",
						set->name)));
	return params;
}

/* The least sound number of a state column, under parameters that may decide on the columns. */
double
state_min(int model, const ParamValue *params, int column)
{
	return model_variant(model_registry[model], params)->state[column].min;
}

void
initial_state(int model, const ParamValue *params, double *state)
{
	model_registry[model]->init(params, state);
}

double
state_rating(int model, const ParamValue *params, const double *state)
{
	return model_display(model_registry[model], params, state);
}

double
log_odds_unit(int model, const ParamValue *params)
{
	return model_log_odds_unit(model_registry[model], params);
}

/* Without a shared state, shared is NULL. */
void
state_after_idle(int model, const ParamValue *params, const double *state, double idle,
				 const double *shared, double shared_idle, double *after)
{
	static const Period no_period = {0, 0};
	const Model *m = model_registry[model];
	bool		shares = shared != NULL && m->shares != NULL && m->shares(params);

	model_state_before(m, params, state, idle, no_period, shares ? shared : NULL, shared_idle, after);
}

int
component_used(int model, const ParamValue *params, int component)
{
	return model_registry[model]->rules.component[component].used(params);
}

void
component_initial(int model, const ParamValue *params, int component, double *state)
{
	model_registry[model]->rules.component[component].init(params, state);
}

void
component_after_idle(int model, const ParamValue *params, int component, const double *state,
					 double idle, double *after)
{
	component_state_before(&model_registry[model]->rules.component[component], params, state,
						   idle, after);
}

/* How many of the last states of a player, this one among them, matches to come look back on. */
int
model_looks_back(int model, const ParamValue *params, const double *state)
{
	const Model *m = model_variant(model_registry[model], params);
	double		number[MATCH_MAX_PAST];

	if (m->look_back == NULL)
		return 0;
	m->look_back(params, state, number);
	return (int) (state[model_state_column(m, ROLE_ROUNDS)] - number[0]) + 1;
}

/*
 * ---- Matches ----
 */

/* Numbers of a row: player and team, those of a participant, context and club. */
#define ROW_NUMBERS (2 + PARTICIPANT_NUMBERS + 2)

/* Numbers of each team in a result: what it is called, its probability and its score. */
#define TEAM_NUMBERS 3

/* Numbers of each player: the index of the team, and the displayed rating before and after. */
#define PLAYER_NUMBERS 3

/* The match of the call, in memory that begin() frees. */
static struct
{
	const Model *model;
	const ParamValue *params;
	Match		match;
	Participant *participant;
	int			offender;
}			current;

static void
read_row(const double *row, Participant *participant)
{
	int			i;

	*participant = participant_default;
	participant->player = (int) row[0];
	participant->team = (int) row[1];
	for (i = 0; i < PARTICIPANT_NUMBERS; i++)
		*participant_number(participant, i) = row[2 + i];
	participant->context = (int) row[2 + PARTICIPANT_NUMBERS];
	participant->club = (int) row[3 + PARTICIPANT_NUMBERS];
}

/* Build a match of n rows, ordered by team, and say what is wrong with it. */
int
build_match(int model, const ParamValue *params, const double *row, int n, int nplayers,
			double log_odds)
{
	Match	   *match = &current.match;
	const MatchRules *rules = &model_registry[model]->rules;
	Size		room;
	int			i;

	memset(&current, 0, sizeof(current));
	current.model = model_registry[model];
	current.params = params;
	room = mul_size(n + 1, match_components_used(rules, params));
	current.participant = palloc_array(Participant, n + 1);
	match->team = palloc0_array(MatchTeam, n + 1);
	match->player = palloc0_array(MatchPlayer, n + 1);
	match->entry = palloc0_array(MatchEntry, n + 1);
	if (room > 0)
	{
		match->component = palloc0_array(MatchComponent, room);
		match->share = palloc0_array(MatchShare, room);
	}
	match->nplayers = nplayers;
	match->log_odds = log_odds;
	for (i = 0; i < n; i++)
		read_row(row + i * ROW_NUMBERS, &current.participant[i]);
	return match_build(rules, params, current.participant, n, match, &current.offender);
}

int
match_offender(void)
{
	return current.offender;
}

int
match_teams(void)
{
	return current.match.nteams;
}

int
match_components(void)
{
	return current.match.ncomponents;
}

/* 0: the kind; 1: the player, or -1; 2: the context or club. */
int
match_component(int component, int what)
{
	const MatchComponent *c = &current.match.component[component];

	return what == 0 ? c->number : what == 1 ? c->player : c->key;
}

/* Put a player into a state, with the states after earlier matches. */
void
enter_player(int player, const double *before, double *after, double games,
			 const double *past, int npast)
{
	MatchPlayer *p = &current.match.player[player];

	p->before = before;
	p->after = after;
	p->games = games;
	model_look_back(model_variant(current.model, current.params), current.params, past, npast, p);
}

void
enter_component(int component, const double *before, double *after, double games)
{
	MatchComponent *c = &current.match.component[component];

	c->before = before;
	c->after = after;
	c->games = games;
}

void
set_rank(int team, double rank)
{
	current.match.team[team].rank = rank;
}

/* The teams of a match that was predicted or rated, TEAM_NUMBERS each. */
static void
put_teams(double *team, double *draw)
{
	const Match *match = &current.match;
	int			i;

	for (i = 0; i < match->nteams; i++, team += TEAM_NUMBERS)
	{
		team[0] = match->team[i].number;
		team[1] = match->team[i].win;
		team[2] = match_outcome(match, i) / 2.0;
	}
	*draw = model_draw(current.model, current.params, &current.match);
}

int
predict_match(double *team, double *draw)
{
	const Match *match = &current.match;
	MatchStatus status;
	int			i;

	for (i = 0; i < match->nplayers; i++)
		if (!model_state_valid(current.model, match->player[i].before))
			return MATCH_BAD_STATE;
	for (i = 0; i < match->ncomponents; i++)
		if (!component_state_valid(match->component[i].spec, match->component[i].before))
			return MATCH_BAD_STATE;
	status = model_predict(current.model, current.params, &current.match);
	if (status == MATCH_OK)
		put_teams(team, draw);
	return status;
}

int
rate_match(double *team, double *player, double *draw)
{
	const Match *match = &current.match;
	MatchStatus status = model_rate(current.model, current.params, &current.match);
	int			i;

	if (status != MATCH_OK)
		return status;
	put_teams(team, draw);
	for (i = 0; i < match->nplayers; i++, player += PLAYER_NUMBERS)
	{
		player[0] = match->player[i].team;
		player[1] = model_display(current.model, current.params, match->player[i].before);
		player[2] = model_display(current.model, current.params, match->player[i].after);
	}
	return MATCH_OK;
}

/* The number that a status of this match complains about, or NaN. */
double
status_value(int status)
{
	return match_status_value((MatchStatus) status, current.offender >= 0 ?
							  &current.participant[current.offender] : NULL,
							  &current.match);
}

/* The division of a rating; current is negative for a player who has been in none. */
int
division(double rating, const double *cut, int n, int in, double margin,
		 double promotion_margin)
{
	return in < 0 ? division_number(rating, cut, n) :
		division_next(rating, cut, n, in, margin, promotion_margin);
}

/*
 * ---- Teams ----
 */

/* The numbers about the lobby as a whole.  Must be as in index.js. */
enum
{
	SCALAR_PLAYERS,
	SCALAR_TEAMS,
	SCALAR_TEAM_SIZE,			/* 0: all play */
	SCALAR_LOG_ODDS,
	SCALAR_STRENGTH,
	SCALAR_LOG_ODDS_UNIT,
	SCALAR_COMMAND_WEIGHT,
	SCALAR_OBJECTIVE,
	SCALAR_SECONDARY,
	SCALAR_TOLERANCE,
	SCALAR_STEPS,				/* 0: as many as by default */
	SCALAR_COLUMNS				/* the columns that are given, as bits */
};

/* The numbers about each player, NaN for null, one column after another. */
enum
{
	COLUMN_MU,
	COLUMN_MU_2,
	COLUMN_DEVIATION,
	COLUMN_WEIGHT,
	COLUMN_PARTY,
	COLUMN_LOCKED,
	COLUMN_SPLIT_EVENLY,
	COLUMN_PRIORITY,
	COLUMN_CURRENT,
	COLUMN_COMMAND_MU,
	COLUMN_COMMAND_MU_2,
	COLUMN_COMMANDER
};

/* The numbers of a result, besides the team of each player. */
enum
{
	RESULT_DIFFERENCE,
	RESULT_EXACT,
	RESULT_BOUND,
	RESULT_COMMANDER,			/* two of them, or -1 */
	RESULT_WIN = RESULT_COMMANDER + 2
};

/* A column of n players that is given, or NULL. */
static const double *
given_column(const double *scalar, const double *column, int which)
{
	return ((int) scalar[SCALAR_COLUMNS] & (1 << which)) != 0 ?
		column + which * (int) scalar[SCALAR_PLAYERS] : NULL;
}

/* A copy of a column, as searches write into theirs. */
static double *
copied_column(const double *scalar, const double *column, int which)
{
	const double *given = given_column(scalar, column, which);
	int			n = (int) scalar[SCALAR_PLAYERS];
	double	   *copy = palloc_array(double, n + 1);

	return given == NULL ? NULL : memcpy(copy, given, sizeof(double) * n);
}

/* A column of groups. */
static int *
group_column(const double *scalar, const double *column, int which)
{
	const double *given = given_column(scalar, column, which);
	int			n = (int) scalar[SCALAR_PLAYERS];
	int		   *number = palloc_array(int, n + 1);
	bool	   *nulls = palloc_array(bool, n + 1);
	int			i;

	if (given == NULL)
		return NULL;
	for (i = 0; i < n; i++)
	{
		nulls[i] = isnan(given[i]);
		number[i] = nulls[i] ? 0 : (int) given[i];
	}
	return lobby_groups(number, nulls, n);
}

/* Where players are locked to, where they are now, and who may command. */
static void
take_places(const double *scalar, const double *column, Lobby *lobby)
{
	const double *locked = given_column(scalar, column, COLUMN_LOCKED);
	const double *now = given_column(scalar, column, COLUMN_CURRENT);
	const double *commander = given_column(scalar, column, COLUMN_COMMANDER);
	int			i;

	if (locked != NULL)
		lobby->allowed_teams = lobby->locked_teams = palloc_array(int, lobby->n + 1);
	if (now != NULL)
		lobby->current = palloc_array(int, lobby->n + 1);
	if (commander != NULL)
		lobby->commander = palloc_array(bool, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
	{
		if (locked != NULL)
		{
			lobby->allowed_teams[i] = isnan(locked[i]) ? SPLIT_ANYWHERE(lobby->nteams) :
				SPLIT_MAY((int) locked[i]);
			lobby->benched += locked[i] == SPLIT_BENCH;
		}
		if (now != NULL)
			lobby->current[i] = isnan(now[i]) ? SPLIT_NOWHERE : (int) now[i];
		if (commander != NULL)
			lobby->commander[i] = commander[i] != 0;
	}
}

/* Who the players are, what they are worth, and who has to be where. */
static void
take_players(const double *scalar, const double *column, const int *pair, int npairs,
			 Lobby *lobby)
{
	int			i;

	lobby->n = (int) scalar[SCALAR_PLAYERS];
	lobby->nteams = (int) scalar[SCALAR_TEAMS];
	lobby->player = palloc_array(Datum, lobby->n + 1);
	lobby->order = palloc_array(int, lobby->n + 1);
	for (i = 0; i < lobby->n; i++)
		lobby->player[i] = lobby->order[i] = i;
	lobby->input_index = lobby->order;
	lobby->estimate[0] = lobby->estimate[1] = copied_column(scalar, column, COLUMN_MU);
	if (given_column(scalar, column, COLUMN_MU_2) != NULL)
		lobby->estimate[1] = copied_column(scalar, column, COLUMN_MU_2);
	lobby->weight = copied_column(scalar, column, COLUMN_WEIGHT);
	lobby->priority = copied_column(scalar, column, COLUMN_PRIORITY);
	lobby->command[0] = lobby->command[1] = copied_column(scalar, column, COLUMN_COMMAND_MU);
	if (lobby->command[0] != NULL && given_column(scalar, column, COLUMN_COMMAND_MU_2) != NULL)
		lobby->command[1] = copied_column(scalar, column, COLUMN_COMMAND_MU_2);
	lobby->party = group_column(scalar, column, COLUMN_PARTY);
	lobby->evenly = group_column(scalar, column, COLUMN_SPLIT_EVENLY);
	take_places(scalar, column, lobby);
	lobby->apart = palloc_array(SplitPair, npairs + 1);
	lobby->napart = npairs;
	for (i = 0; i < npairs; i++)
		lobby->apart[i] = (SplitPair)
	{
		pair[2 * i], pair[2 * i + 1]
	};
}

/* What a team is worth, with a model or without one (-1). */
static void
take_rules(const double *scalar, const double *column, int model, ParamValue *params,
		   const double *state, Lobby *lobby)
{
	lobby->log_odds = scalar[SCALAR_LOG_ODDS];
	lobby->strength = (TeamStrength) scalar[SCALAR_STRENGTH];
	lobby->log_odds_unit = scalar[SCALAR_LOG_ODDS_UNIT];
	lobby->even_difference = -lobby->log_odds * lobby->log_odds_unit;
	lobby->command_weight = scalar[SCALAR_COMMAND_WEIGHT];
	if (model >= 0)
	{
		const double *deviation = given_column(scalar, column, COLUMN_DEVIATION);

		begin_model(lobby, model_registry[model], params, lobby->n);
		if (deviation != NULL &&
			model_state_column(model_registry[model], ROLE_DEVIATION) < 0)
			report_no_column(model_registry[model], "deviation");
		take_states(lobby, deviation, state);
	}
	finish_lobby(lobby);
	if (scalar[SCALAR_STEPS] > 0)
		lobby->max_work = scalar[SCALAR_STEPS];
}

/* Split a lobby of at least one player: the team of each, 0 for the bench, and the result. */
void
split(const double *scalar, const double *column, const int *pair, int npairs, int model,
	  ParamValue *params, const double *state, int *team, double *result)
{
	Lobby		lobby = {0};
	SplitRequest request = {0};
	Split		answer;
	int			i;

	take_players(scalar, column, pair, npairs, &lobby);
	take_rules(scalar, column, model, params, state, &lobby);
	request.objective = (SplitObjective) scalar[SCALAR_OBJECTIVE];
	request.secondary = (Secondary) scalar[SCALAR_SECONDARY];
	request.tolerance = scalar[SCALAR_TOLERANCE];
	if (scalar[SCALAR_TEAM_SIZE] != 0)
		request_size(&lobby, (int) scalar[SCALAR_TEAM_SIZE], &request);
	else
		(void) request_all(&lobby, &request);
	split_fairly(&lobby, &request, &answer);
	if (!answer.answer.found)
		report_no_split(&lobby, &request, &answer);
	memcpy(team, answer.answer.team, sizeof(int) * lobby.n);
	result[RESULT_DIFFERENCE] = answer.difference;
	result[RESULT_EXACT] = is_exact(&answer);
	result[RESULT_BOUND] = answer.bound;
	for (i = 0; i < 2; i++)
		result[RESULT_COMMANDER + i] = lobby.command[0] == NULL ? -1 : answer.answer.commander[i];
	for (i = 0; i < lobby.nteams; i++)
		result[RESULT_WIN + i] = answer.win[i];
}
