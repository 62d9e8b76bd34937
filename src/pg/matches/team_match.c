/*
 * team_match.c
 *		Players in teams as a match of a model, which says who wins.
 *
 * All arrays are allocated once, in the context of team_match_init(), with room for the largest
 * match that is asked for, and used again by each team_match_predict().  The core writes into them
 * and allocates nothing; an error of a prediction leaves them fit for the next one, because each
 * begins anew.
 */
#include "pg/matches/team_match.h"

/* Room for the components of a match, and the states of new ones. */
static void
make_components(TeamMatch *team_match)
{
	const MatchRules *rules = &team_match->model->rules;
	int			kinds = match_components_used(rules, team_match->params);
	Size		room = mul_size(team_match->seats + 1, kinds);
	int			i;

	team_match->nkinds = kinds;
	if (kinds == 0)
		return;
	team_match->match.component = palloc_array(MatchComponent, room);
	team_match->match.share = palloc_array(MatchShare, room);
	team_match->initial_component = palloc_array(double, rules->ncomponents *
												 COMPONENT_MAX_STATE);
	for (i = 0; i < rules->ncomponents; i++)
		if (rules->component[i].used(team_match->params))
			rules->component[i].init(team_match->params, team_match->initial_component +
									 i * COMPONENT_MAX_STATE);
	team_match->slot_context = palloc_array(int, team_match->seats + 1);
	team_match->slot_club = palloc_array(int, team_match->seats + 1);
}

void
team_match_init(TeamMatch *team_match, const Model *model, ParamValue *params, int n,
				int nteams, int seats)
{
	double		initial[MODEL_MAX_STATE];
	int			i;

	if (nteams > 2 && (model->rules.supports & MODEL_MANY_TEAMS) == 0)
		report_match_status(MATCH_TOO_MANY_TEAMS_FOR_MODEL, nteams, NULL);
	memset(team_match, 0, sizeof(TeamMatch));
	team_match->model = model;
	team_match->params = params;
	team_match->seats = seats;
	team_match->state = palloc_array(double, mul_size(n + 1, model->nstate));
	team_match->match.team = palloc_array(MatchTeam, seats + 1);
	team_match->match.player = palloc0_array(MatchPlayer, seats + 1);
	team_match->match.entry = palloc_array(MatchEntry, seats + 1);

	/*
	 * NULL says that nobody asks for components, unless some are made below.
	 */
	team_match->match.component = NULL;
	team_match->participant = palloc_array(Participant, seats + 1);
	model->init(params, initial);
	for (i = 0; i < n; i++)
		memcpy(team_match_state(team_match, i), initial,
			   sizeof(double) * model->nstate);
	make_components(team_match);
}

void
team_match_components(TeamMatch *team_match, int ncontexts, int nclubs,
					  ComponentState component_state, void *argument)
{
	int			i;

	team_match->component_state = component_state;
	team_match->argument = argument;
	team_match->context_slot = palloc_array(int, ncontexts + 1);
	team_match->club_slot = palloc_array(int, nclubs + 1);
	for (i = 0; i < ncontexts; i++)
		team_match->context_slot[i] = -1;
	for (i = 0; i < nclubs; i++)
		team_match->club_slot[i] = -1;
}

int
component_columns(const Model *model, const ParamValue *params, int number)
{
	const MatchRules *rules = &model->rules;
	int			n = 0;
	int			i;

	for (i = 0; i < (number < 0 ? rules->ncomponents : number); i++)
		if (rules->component[i].used(params))
			n += rules->component[i].nstate;
	return n;
}

/* The number in the match of a context or club, of which the match has *n so far. */
static int
enter_slot(int *slot, int *name, int *n, int which)
{
	if (which < 0 || slot == NULL)
		return -1;
	if (slot[which] < 0)
	{
		slot[which] = *n;
		name[(*n)++] = which;
	}
	return slot[which];
}

/* Number the contexts and clubs of the rows of a match, which seat[row->player] tells. */
static void
enter_names(TeamMatch *team_match, const TeamSeat *seat, int n)
{
	int			ncontexts = 0;
	int			nclubs = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		Participant *row = &team_match->participant[i];

		row->context = enter_slot(team_match->context_slot, team_match->slot_context,
								  &ncontexts, seat[row->player].context);
		row->club = enter_slot(team_match->club_slot, team_match->slot_club, &nclubs,
							   seat[row->player].club);
	}

	/*
	 * Slots are empty again for the next match, at the cost of this one
	 * alone.
	 */
	for (i = 0; i < ncontexts; i++)
		team_match->context_slot[team_match->slot_context[i]] = -1;
	for (i = 0; i < nclubs; i++)
		team_match->club_slot[team_match->slot_club[i]] = -1;
}

/* Give the components of the match that was built their states. */
static void
find_component_states(TeamMatch *team_match, const TeamSeat *seat)
{
	Match	   *match = &team_match->match;
	int			i;

	for (i = 0; i < match->ncomponents; i++)
	{
		MatchComponent *component = &match->component[i];
		int			player = component->player < 0 ? -1 : seat[component->player].player;
		int			key = -1;

		if (component->spec->key == COMPONENT_BY_CONTEXT)
			key = team_match->slot_context[component->key];
		else if (component->spec->key == COMPONENT_BY_CLUB)
			key = team_match->slot_club[component->key];
		component->before = team_match->component_state == NULL ? NULL :
			team_match->component_state(team_match->argument, component->number, player,
										key);
		if (component->before == NULL)
			component->before = team_match->initial_component +
				component->number * COMPONENT_MAX_STATE;
	}
}

void
team_match_predict(TeamMatch *team_match, const TeamSeat *seat, int n, int nteams,
				   bool sides, double log_odds)
{
	Match	   *match = &team_match->match;
	MatchStatus status;
	int			offender;
	int			rows = 0;
	int			t,
				i;

	/* match_build() takes rows by team. */
	for (t = 1; t <= nteams; t++)
		for (i = 0; i < n; i++)
		{
			Participant *row = &team_match->participant[rows];

			if (seat[i].team != t)
				continue;
			match->player[i].before = team_match_state(team_match, seat[i].player);
			match->player[i].games = 0;
			*row = participant_default;
			row->player = i;
			row->team = t;
			row->rank = 1;
			row->weight = seat[i].weight;
			row->squad = seat[i].squad;
			if (sides)
				row->side = t;
			if (seat[i].commands)
				row->commanding = 1;
			rows++;
		}
	if (team_match->nkinds > 0)
		enter_names(team_match, seat, rows);
	match->nplayers = n;
	match->log_odds = log_odds;
	status = match_build(&team_match->model->rules, team_match->params, team_match->participant,
						 rows, match, &offender);
	match->interrupt = check_interrupts;
	find_component_states(team_match, seat);
	if (status == MATCH_OK)
		status = model_predict(team_match->model, team_match->params, match);
	if (status != MATCH_OK)
		report_match_status(status, NAN, NULL);
}

void
report_no_column(const Model *model, const char *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("model \"%s\" has no %s", model->name, argument),
			 errhint("Leave %s out, or name another model.", argument)));
}
