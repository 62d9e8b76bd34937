/*
 * moves.h
 *		Players who move between two existing teams.
 *
 * Who moves is a split of its own: of each team so many go over, and the rest stays,
 * as on a bench.  What they are worth, on the one team and then on the other, is to
 * come near to the difference of the teams.
 */
#ifndef PG_TEAMS_MOVES_H
#define PG_TEAMS_MOVES_H

#include "core/split/fair_split.h"
#include "pg/teams/lobby_reader.h"

/* A lobby whose players are on teams. */
typedef struct Teams
{
	Lobby		lobby;
	int		   *team;			/* 1, 2, or 0 for none yet */
	bool	   *joins;			/* had none to begin with */
	bool	   *fixed;			/* does not move */
	int			count[3];		/* of these */
} Teams;

/*
 * Read the lobby in the first argument, with the teams at present; false if it has no players.
 * Besides those of read_lobby(), errors (22023) for players who are locked to another team.
 */
extern bool read_teams(FunctionCallInfo fcinfo, const LobbyUse *use, Teams *teams);

/* Whether a log-odds is nearer to 0 than another, not by rounding error only. */
extern bool is_better(double logit, double than);

/*
 * Take a split instead of the best so far if it is better, and say whether it is.  As long
 * as any of them may not be the best of its size, the best is not proven.
 */
extern bool keep_better(Split *best, const Split *split);

/*
 * Give a team to those who have none: sizes as equal as they can be made, up to a lead,
 * and then the match.  Fills in the split.  Errors (22023) if there is none.
 */
extern void place_unassigned(Teams *teams, int max_lead, Split *split);

/* An explanation of where those who had no team were placed. */
extern Datum why_placed(Teams *teams, const Split *split);

/*
 * Find the players who move, for each of several numbers of movers of either team; the
 * sizes of the teams afterwards are the same for all.  In the answers a player who
 * moves has the team that they leave, and all others are on the bench; commanders are those
 * of the teams afterwards, who may have moved or not.
 */
extern void find_moves(const Teams *teams, const SplitSize *moves, int n,
					   SplitSize after, Split *split);

/*
 * The same for one number of movers, with the forecast of the teams after the moves: with a
 * model, as near to even odds as can be found.  What was aimed at for that stays in the
 * lobby.
 */
extern void find_fair_moves(Teams *teams, SplitSize moves, SplitSize after, Split *split);

/*
 * Forecast the teams after the moves of a split that find_moves() found.  It is not proven
 * if the model finds other teams even than those that were aimed at.
 */
extern void forecast_moves(const Teams *teams, Split *split);

/* The forecast of an answer for the teams after its moves, see forecast_answer(). */
extern void forecast_after(const Teams *teams, Split *split);

/* Rows of sums are filled so often if some numbers of moves cannot be made. */
#define MAX_FILLS 3

/* The largest number of swaps for which find_moves() can be asked within the work. */
extern int	max_swaps_tried(const Lobby *lobby);

/* List the players who leave a team, strongest first. */
extern void list_movers(const Teams *teams, const Split *split, int team, int *list);

/*
 * The steps that it takes at least to find as many moves once more, however coarse the
 * search.
 */
extern double least_steps_of_moves(const Lobby *lobby, SplitSize moves,
								   const Split *split);

/*
 * Explain why these players move: the difference before and, if there is work for that,
 * the best alternative of as many moves, and the constraint without which as many moves
 * would make the match most even.
 */
extern Datum why_moves(Teams *teams, SplitSize moves, SplitSize after,
					   const Split *split, bool compare);

#endif							/* PG_TEAMS_MOVES_H */
