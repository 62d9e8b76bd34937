/*
 * team_match.c
 *		Players in teams as a match of a model, which says who wins.
 */
#include "pg/matches/team_match.h"

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
	team_match->state = palloc_array(double, mul_size(n + 1, model->nstate));
	team_match->match.team = palloc_array(MatchTeam, seats + 1);
	team_match->match.player = palloc0_array(MatchPlayer, seats + 1);
	team_match->match.entry = palloc_array(MatchEntry, seats + 1);
	team_match->match.component = NULL;
	team_match->participant = palloc_array(Participant, seats + 1);
	model->init(params, initial);
	for (i = 0; i < n; i++)
		memcpy(team_match_state(team_match, i), initial,
			   sizeof(double) * model->nstate);
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
	match->nplayers = n;
	match->log_odds = log_odds;
	status = match_build(&team_match->model->rules, team_match->params, team_match->participant,
						 rows, match, &offender);
	match->interrupt = check_interrupts;
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
