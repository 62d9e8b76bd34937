/*
 * lobby.h
 *		Players who are to be split into teams, what is asked of the split, and what a split of
 *		them is worth.
 *
 * Above the searches of this room, which know sums and groups, are those that know a lobby: of
 * teams that are fair to a model, of many teams, with few moves, by priority.  They take their
 * memory from lobby->room, and mostly leave it to the caller to give back: whoever tries many
 * splits does so between begin() and end().
 */
#ifndef CORE_SPLIT_LOBBY_H
#define CORE_SPLIT_LOBBY_H

#include <math.h>

#include "core/rating/model.h"
#include "core/split/split.h"
#include "core/split/split_many.h"
#include "core/util/room.h"

/* Less of a gain than this share, or so many log-odds, is rounding error. */
#define MIN_GAIN 1e-9

typedef struct Lobby Lobby;

/* What the caller's rating model says of a lobby.  Either may leave by longjmp(). */
typedef struct LobbyModel
{
	/* What a squad of so many (1: alone) adds to the worth of one of them. */
	double		(*squad_gain) (const Lobby *lobby, int player, int squad);

	/*
	 * The probability of each team to win, of two with so much added to the
	 * worth of every player of the first.
	 */
	void		(*predict) (const Lobby *lobby, const int *team, const int *commander,
							double ahead, double *win);
} LobbyModel;

/* What binds the players of a lobby. */
typedef enum ConstraintKind
{
	CONSTRAINT_LOCK,
	CONSTRAINT_PARTY,
	CONSTRAINT_EVENLY,
	CONSTRAINT_APART,
	CONSTRAINT_COMMAND,			/* only some may command */
	CONSTRAINT_PRIORITY
} ConstraintKind;

#define CONSTRAINT_KINDS (CONSTRAINT_PRIORITY + 1)

typedef struct TeamConstraint
{
	ConstraintKind kind;
	int			number;			/* the player, the first of the party or
								 * group, or the pair */
} TeamConstraint;

/*
 * The players: all arrays have an element for each.  What a player is worth (mu) is in points of
 * the model, and so are strengths.
 *
 * Searches know a player by mu alone, as value_players() makes it of the estimate, the squad and
 * the weight.  Where weights make the strength of a team another one than mu says,
 * restate_split() puts that right.
 */
struct Lobby
{
	int			n;
	int			nteams;
	double	   *mu[2];			/* on either team, for searches */
	double	   *estimate[2];	/* the same as it was given, */
	double	   *worth[2];		/* and with what the squad adds */
	double	   *weight;			/* share of the match played, or NULL: all */
	double	   *slope;			/* of mu by the estimate, or NULL: 1 */
	int		   *squad;			/* as party, but as it was given */
	double	   *command[2];		/* as a commander, or NULL */
	int		   *party;			/* the same number, from 1 to n; 0: none; or
								 * NULL, as the others */
	int		   *allowed_teams;	/* where each may be, */
	int		   *locked_teams;	/* and where regardless of priority */
	bool	   *commander;		/* who may command */
	double	   *priority;		/* who comes first to play */
	uint64_t   *lot;			/* by which teams get their numbers, no two
								 * alike, or NULL: as they are found */
	int		   *current;		/* where each is now */
	bool		counts_moves;	/* from there: a size says how many */
	int		   *home;			/* the team that each is in, from which a size
								 * says how many move; nobody sits out */
	int		   *evenly;			/* of whom neither team may have two more */
	SplitPair  *apart;
	int			napart;
	int			benched;		/* locked there */
	const double *price[CONSTRAINT_KINDS];	/* of a constraint that is not
											 * kept, in win probability, by its
											 * number; NULL or infinite: none */
	bool		strict;			/* what has no price is never broken */
	double		log_odds;		/* what the first team has in advance */
	TeamStrength strength;
	double		log_odds_unit;	/* points of strength for a log-odds of 1 */
	double		even_difference;	/* difference of strengths that is even */
	double		command_weight;
	double		max_work;		/* steps of the core, for one split */

	/* The caller's: */
	const LobbyModel *model;	/* or NULL: strengths say who wins */
	void	   *people;			/* who the players are, which no search asks */
	const Room *room;
	InterruptCheck interrupt;	/* or NULL */
};

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
	int			moves;			/* of players from home */
	SplitObjective objective;	/* of more than two teams */
	Secondary	secondary;		/* of two */
	double		tolerance;		/* points that are even enough beyond the best */
} SplitRequest;

/* An answer in terms of the lobby. */
typedef struct Split
{
	SplitAnswer answer;
	double		difference;		/* of strengths; of more teams: the largest */
	double		even_difference;	/* of two teams: the one that was sought */
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

/* Arrays with an element for each player. */
static inline double *
lobby_numbers(const Lobby *lobby)
{
	return room_array(lobby->room, sizeof(double), (size_t) lobby->n);
}

static inline int *
lobby_integers(const Lobby *lobby)
{
	return room_array(lobby->room, sizeof(int), (size_t) lobby->n);
}

static inline void
lobby_interrupt(const Lobby *lobby)
{
	if (lobby->interrupt != NULL)
		lobby->interrupt();
}

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

/* Whether log-odds are nearer to 0 than others, and not by rounding error only. */
static inline bool
is_better(double logit, double than)
{
	return fabs(logit) < fabs(than) - MIN_GAIN * (1 + fabs(than));
}

/*
 * How many of each player's squad there are, at least the player alone: in the lobby, or of
 * those who are in the player's team if there are teams.
 */
extern int *squad_sizes(const Lobby *lobby, const int *team);

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

/*
 * The same of teams that are there, however many: the difference, and the objective, which is
 * the root mean square deviation of more than two.
 */
extern void describe_teams(const Lobby *lobby, Split *split);

/*
 * The players of a match, n of those of a lobby, as a lobby of their own: with estimates,
 * weights, parties and commanders, and without constraints, not valued yet.
 */
extern void seat_players(const Lobby *all, const int *player, int n, Lobby *lobby);

#endif							/* CORE_SPLIT_LOBBY_H */
