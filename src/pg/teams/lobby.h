/*
 * lobby.h
 *		Players who are to be split into teams, as arguments of a function, and what
 *		the core makes of them.
 */
#ifndef LOBBY_H
#define LOBBY_H

#include "pg/sql/glue.h"

#include "core/split/split.h"
#include "core/split/split_many.h"
#include "pg/sql/ids.h"

/* Ratings and what a team has in advance are at most so many points. */
#define MAX_POINTS 1e12

/* Where arguments stand behind the players; 0 for those that a function does not have. */
typedef struct LobbyArguments
{
	int			rating;
	int			teams;
	int			party;
	int			locked;
	int			avoid;
	int			rating_2;
	int			log_odds;
	int			strength;
	int			scale;
	int			command_rating;
	int			command_rating_2;
	int			command_weight;
	int			commander;
	int			budget;
	int			seed;
	int			priority;
	int			current;
	int			model;
	int			params;
	int			deviation;
} LobbyArguments;

/* Who is to be split, in the order of the seed. */
typedef struct Lobby
{
	IdType		type;
	int			n;
	int			nteams;
	Datum	   *player;
	double	   *rating[2];		/* on either team */
	double	   *command[2];		/* as a commander, or NULL */
	int		   *order;			/* the player's place among the arguments, */
	int		   *input_index;	/* and the other way round */
	int		   *party;			/* or NULL, as the others; 0: none */
	int		   *allowed_teams;	/* where each may be, */
	int		   *locked_teams;	/* and where but for who has priority */
	bool	   *commander;
	double	   *priority;		/* who comes first to play */
	int		   *current;		/* where each is now */
	bool		counts_moves;	/* from there: a size says how many */
	SplitPair  *apart;
	int			napart;
	int			benched;		/* locked there */
	double		log_odds;		/* what the first team has in advance */
	TeamStrength strength;
	double		scale;			/* points of strength for a log-odds of 1 */
	double		even_difference;	/* difference of strengths that is even */
	double		command_weight;
	double		max_work;
} Lobby;

/*
 * For teams of a size: by how much a player's rating counts on either team, so that
 * whole numbers stay whole, and how many times the difference of strengths that is.
 */
typedef struct LobbyScale
{
	double		scale[2];
	double		factor;
} LobbyScale;

/* What decides among splits that are even enough. */
typedef enum Secondary
{
	SECONDARY_NONE,
	SECONDARY_SPREAD,			/* mean square distance from the mean of all */
	SECONDARY_BEST				/* the best player of a team */
} Secondary;

/* What a lobby is to be split into: two teams of these sizes or the other way round. */
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
	double		imbalance_logit;	/* what is made small, as log-odds */
	double		bound;			/* of the difference; of more teams: the
								 * objective */
	bool		unproven;		/* what else was asked for may be better still */
	int			moves;			/* players who leave where they are */
	SplitStatus status;			/* of two teams, and the problem that has it */
	SplitProblem problem;
	SplitProof	proof;			/* of more */
} Split;

/* A constraint of a lobby. */
typedef struct TeamConstraint
{
	enum
	{
		CONSTRAINT_LOCK,
		CONSTRAINT_PARTY,
		CONSTRAINT_APART,
		CONSTRAINT_PRIORITY
	}			kind;
	int			number;			/* the player, the first of the party, or the
								 * pair */
} TeamConstraint;

/* Whether a function has an argument, which is not the first, and it is not null. */
static inline bool
has_argument(FunctionCallInfo fcinfo, int arg)
{
	return arg > 0 && !PG_ARGISNULL(arg);
}

/*
 * Read the arguments; false if players or ratings are null.  Errors for arrays that
 * do not fit and for values out of range.
 */
extern bool read_lobby(FunctionCallInfo fcinfo, const LobbyArguments *arguments,
					   Lobby *lobby);

/*
 * Which of n names a text argument is; what stands for null.  Another one is an error,
 * which says what is unknown, with a hint.
 */
extern int	name_argument(FunctionCallInfo fcinfo, int arg, const char *what,
						  const char *const *names, int n, int otherwise,
						  const char *hint);

/* Where a player may be, by numbers that may be NULL. */
static inline int
allowed_teams_of(const Lobby *lobby, const int *places, int player)
{
	return places != NULL ? places[player] : SPLIT_ANYWHERE(lobby->nteams);
}

/* What a player is worth on no side. */
static inline double
mean_rating(const Lobby *lobby, int player)
{
	return (lobby->rating[0][player] + lobby->rating[1][player]) / 2;
}

/* Errors unless an integer of that name lies between these. */
extern int	check_count(const char *name, int number, int least, int most);

/* Errors unless the n numbers of an array are finite and no less, nor too large. */
extern void check_points(const char *name, const float8 *element, int n, double least);

/* Enter an identifier into a table; an error, saying what it is, if it was there. */
extern void **enter_once(IdTable *table, IdType *type, Datum id, const char *what);

/* Numbers of players in an array argument, in their order. */
extern double *lobby_numbers(FunctionCallInfo fcinfo, int arg, const char *name,
							 const Lobby *lobby);

/* Integers of players in an array argument, in their order; some may be null. */
extern int32 *lobby_integers(FunctionCallInfo fcinfo, int arg, const char *name,
							 const Lobby *lobby, bool **nulls);

/* How the strength of teams of a size becomes what the core makes small. */
extern LobbyScale lobby_scale(const Lobby *lobby, SplitSize size);

/* A problem with the lobby's constraints, whose sizes and values are not set yet. */
extern void begin_problem(const Lobby *lobby, SplitProblem *problem);

/* The same for two teams of a size, with what players are worth; returns the scale. */
extern LobbyScale begin_two_teams(const Lobby *lobby, SplitSize size,
								  SplitProblem *problem);

/* What the core's difference of them is to be. */
extern double lobby_target(const Lobby *lobby, const LobbyScale *scale);

/* Errors if something takes more memory than a split may. */
extern void check_room(Size room);

/* Make its options, and choose the method. */
extern SplitStatus prepare_problem(SplitProblem *problem);

/* Prepare and solve it; answers have room for their teams. */
extern SplitStatus solve_problem(SplitProblem *problem, SplitAnswer *answer);

/* Split a lobby into teams of one size; answer.found says whether that can be. */
extern void split_one_size(const Lobby *lobby, SplitSize size, Split *split);

/* Whether it does not matter which of two teams is which. */
extern bool are_teams_alike(const Lobby *lobby);

/* The mean rating of all players, over both teams. */
extern double lobby_mean(const Lobby *lobby);

/* Split it into the teams of a request, however many there are. */
extern void split_lobby(const Lobby *lobby, const SplitRequest *request,
						Split *split);

/* The same where many are tried: only the teams stay in memory, and no problem. */
extern void try_split(const Lobby *lobby, const SplitRequest *request, Split *split);

/*
 * The same so that those with the highest priority play, where the lobby has any;
 * changes the places of the lobby.
 */
extern void split_with_priority(Lobby *lobby, const SplitRequest *request,
								Split *split);

/*
 * Of the splits that are about as even as the best one, choose the one that moves the
 * fewest players, or has what else is asked for.
 */
extern void choose_near_split(const Lobby *lobby, const SplitRequest *request,
							  Split *split);

/* The strengths of the teams of an answer. */
extern void team_strengths(const Lobby *lobby, const SplitAnswer *answer,
						   double *strength);

/* What an answer says in terms of the lobby, for a target and a scale. */
extern void describe_split(const Lobby *lobby, const LobbyScale *scale,
						   double target, Split *split);

/* The constraints of a lobby, and how many there are. */
extern int	list_constraints(const Lobby *lobby, TeamConstraint **constraints);

/* What a lobby with these n constraints is without some of them. */
extern Lobby drop_constraints(const Lobby *lobby, const TeamConstraint *constraint, const bool *dropped, int n);

/* What is different without a constraint, in words. */
extern char *describe_without(Lobby *lobby, const TeamConstraint *constraint);

/* Report that there is no such split, and what is in the way. */
pg_noreturn extern void report_no_split(Lobby *lobby, const SplitRequest *request,
										const Split *split);

#endif							/* LOBBY_H */
