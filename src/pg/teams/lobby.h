/*
 * lobby.h
 *		Players who are to be split into teams, what is asked of the split, and what
 *		a split of them is worth.
 *
 * All memory is palloc'ed in the caller's context, and nobody frees it: functions
 * that try many splits do so in a context of their own (see chooser.h).
 */
#ifndef PG_TEAMS_LOBBY_H
#define PG_TEAMS_LOBBY_H

#include "pg/sql/glue.h"

#include "core/split/split.h"
#include "core/split/split_many.h"
#include "pg/matches/team_match.h"
#include "pg/sql/ids.h"

/*
 * The players, in the order of the seed: all arrays have an element for each.  What a
 * player is worth (mu) is in points of the model, and so are strengths.
 *
 * Searches know a player by mu alone, as value_players() makes it of the estimate, the
 * squad and the weight.  Where weights make the strength of a team another one than mu
 * says, restate_split() puts that right.
 */
typedef struct Lobby
{
	IdType		type;
	int			n;
	int			nteams;
	Datum	   *player;
	double	   *mu[2];			/* on either team, for searches */
	double	   *estimate[2];	/* the same as it was given, */
	double	   *worth[2];		/* and with what the squad adds */
	double	   *weight;			/* share of the match played, or NULL: all */
	double	   *slope;			/* of mu by the estimate, or NULL: 1 */
	int		   *squad;			/* as party, but as it was given */
	double	   *command[2];		/* as a commander, or NULL */
	int		   *order;			/* the player's place among the arguments, */
	int		   *input_index;	/* and the other way round */
	int		   *party;			/* or NULL, as the others; 0: none */
	int		   *allowed_teams;	/* where each may be, */
	int		   *locked_teams;	/* and where regardless of priority */
	bool	   *commander;
	double	   *priority;		/* who comes first to play */
	int		   *current;		/* where each is now */
	bool		counts_moves;	/* from there: a size says how many */
	int		   *evenly;			/* of whom neither team may have two more */
	SplitPair  *apart;
	int			napart;
	int			benched;		/* locked there */
	double		log_odds;		/* what the first team has in advance */
	TeamStrength strength;
	double		log_odds_unit;	/* points of strength for a log-odds of 1 */
	double		even_difference;	/* difference of strengths that is even */
	double		command_weight;
	double		max_work;		/* steps of the core, for one split */
	TeamMatch  *team_match;		/* the model's match, by player, or NULL */
	TeamMatch  *forecast_match; /* the same in all that a ladder knows, for
								 * the forecast of an answer, or NULL */
	const double *component;	/* its components, in the order of the arrays, */
	int		   *context;		/* and groups as party, or NULL */
	int		   *club;
} Lobby;

/*
 * For teams of a size: the multiplier of a player's worth on either team, chosen so
 * that whole numbers stay whole, and that of the difference of strengths.
 */
typedef struct LobbyFactors
{
	double		player[2];
	double		difference;
} LobbyFactors;

/* The choice among splits that are even enough. */
typedef enum Secondary
{
	SECONDARY_NONE,
	SECONDARY_SPREAD,			/* mean square distance from the mean of all */
	SECONDARY_BEST				/* the best player of a team */
} Secondary;

/* The split that is sought: two teams of these sizes or the other way round. */
typedef struct SplitRequest
{
	int			size[SPLIT_MAX_TEAMS];
	bool		in_order;		/* and not the other way round */
	SplitObjective objective;	/* of more than two teams */
	Secondary	secondary;		/* of two */
	double		tolerance;		/* points that are even enough beyond the best */
} SplitRequest;

/* An answer in terms of the lobby. */
typedef struct Split
{
	SplitAnswer answer;
	double		difference;		/* of strengths; of more teams: the largest */
	double		imbalance_logit;	/* the objective, as log-odds */
	double		bound;			/* of the difference; of more teams: the
								 * objective */
	double		win[SPLIT_MAX_TEAMS];	/* see forecast_split() */
	bool		unproven;		/* what else was asked for may be better still */
	int			moves;			/* players who leave where they are */
	double		steps;			/* that searching two teams of these sizes
								 * took */
	SplitStatus status;			/* of two teams, and the problem that has it */
	SplitProblem problem;
	SplitProof	proof;			/* of more */
} Split;

/* Where a player may be, by numbers that may be NULL. */
static inline int
allowed_teams_of(const Lobby *lobby, const int *places, int player)
{
	return places != NULL ? places[player] : SPLIT_ANYWHERE(lobby->nteams);
}

/* The worth of a player on no side. */
static inline double
mean_mu(const Lobby *lobby, int player)
{
	return (lobby->mu[0][player] + lobby->mu[1][player]) / 2;
}

/* Whether no split can be more even, and nothing else that was asked for better. */
static inline bool
is_exact(const Split *split)
{
	return split->bound == 0 && !split->unproven;
}

/*
 * Find what searches take players for: their estimates, with what the model says that the
 * squad adds, and weighted.  A squad is as large as squad_size says by player.
 */
extern void value_players(Lobby *lobby, const int *squad_size);

/* Whether it does not matter which of two teams is which. */
extern bool are_teams_alike(const Lobby *lobby);

/* The mean of all players, over both teams. */
extern double lobby_mean(const Lobby *lobby);

/* The factors between players, the core's differences and strengths, for a size. */
extern LobbyFactors lobby_factors(const Lobby *lobby, SplitSize size);

/* The target of the core's difference: the one that is even. */
extern double lobby_target(const Lobby *lobby, const LobbyFactors *factors);

/*
 * The factor of a team's sum in its strength, if so many play in the team and in all, or
 * players of these weights.
 */
extern double strength_factor(const Lobby *lobby, double size, double playing);

/* The strengths of teams, by player, and their commanders (players, or -1). */
extern void team_strengths(const Lobby *lobby, const int *player_team,
						   const int *commander, double *strength);

/*
 * With weights: the difference of strengths of these two teams as it is, and not as the
 * search has it.  Without them nothing changes.
 */
extern void restate_split(const Lobby *lobby, const int *team, const int *commander,
						  Split *split);

/* Fill in what an answer of two teams is in terms of the lobby, for a target. */
extern void describe_split(const Lobby *lobby, const LobbyFactors *factors,
						   double target, Split *split);

#endif							/* PG_TEAMS_LOBBY_H */
