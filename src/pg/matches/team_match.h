/*
 * team_match.h
 *		Players in teams as a match of a model, which says who wins.
 */
#ifndef PG_MATCHES_TEAM_MATCH_H
#define PG_MATCHES_TEAM_MATCH_H

#include "pg/sql/glue.h"

#include "core/rating/match.h"

/*
 * The state before the match, at its time, of the component of the kind with that number in
 * the model's rules: of a player of the TeamMatch, or -1, and of a context or a club as
 * seats have them, or -1.  NULL is that of one that was in no match.
 */
typedef const double *(*ComponentState) (void *argument, int number, int player, int key);

typedef struct TeamMatch
{
	const Model *model;
	ParamValue *params;
	double	   *state;			/* by player */
	Match		match;
	Participant *participant;

	/* Of components, by team_match_components(): */
	int			seats;			/* of the largest match */
	int			nkinds;			/* that are in use; 0: there are none */
	ComponentState component_state;
	void	   *argument;
	double	   *initial_component;	/* by kind, COMPONENT_MAX_STATE each */
	int		   *context_slot;	/* by context: its number in a match, or -1 */
	int		   *club_slot;		/* by club */
	int		   *slot_context;	/* in a match: which context and club */
	int		   *slot_club;
} TeamMatch;

/* Where a player of a TeamMatch takes part, and how. */
typedef struct TeamSeat
{
	int			player;
	int			team;			/* from 1 on, without gaps */
	double		weight;			/* share of the match played */
	double		squad;			/* same number: queued together; NaN: alone */
	bool		commands;		/* all the time */
	int			context;		/* see team_match_components(), or -1 */
	int			club;
} TeamSeat;

/*
 * Begin with n players of a model, each in the state of somebody new, and matches of
 * so many teams and up to so many seats.  Errors if the model knows only two teams.
 */
extern void team_match_init(TeamMatch *team_match, const Model *model,
							ParamValue *params, int n, int nteams, int seats);

/*
 * Let the function, called with that argument, tell the states of components.  Seats have
 * contexts from 0 to ncontexts - 1, and clubs likewise.  Without this call all components
 * are as those that were in no match, and seats have neither contexts nor clubs.
 */
extern void team_match_components(TeamMatch *team_match, int ncontexts, int nclubs,
								  ComponentState component_state, void *argument);

/*
 * The number of state columns of all kinds of components in use, or of those before the kind
 * with that number in the model's rules: where its columns are in an array of all.
 */
extern int	component_columns(const Model *model, const ParamValue *params, int number);

/* The state of a player. */
static inline double *
team_match_state(const TeamMatch *team_match, int player)
{
	return team_match->state + (Size) player * team_match->model->nstate;
}

/*
 * Predict a match of n seats: the win probability of team t is match.team[t - 1].win.
 * With sides team 1 is on side 1.  Errors for what the model cannot compute.
 */
extern void team_match_predict(TeamMatch *team_match, const TeamSeat *seat, int n,
							   int nteams, bool sides, double log_odds);

/* Report that a model has no state column for what an argument says. */
pg_noreturn extern void report_no_column(const Model *model, const char *argument);

#endif							/* PG_MATCHES_TEAM_MATCH_H */
