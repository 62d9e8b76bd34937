/*
 * moves.h
 *		Existing teams adjusted: players who join them, swaps and transfers.
 *
 * Players without a team are placed by a split in which all others stay where they are.  Then
 * everybody has a home, and moves are a split of players who leave it or stay.  The order is
 * begin_teams(), place_joiners(), set_teams(), and then the search for
 * moves.  A search that ends with the status SPLIT_GROUP_TOO_LARGE has found nothing.
 */
#ifndef CORE_SPLIT_MOVES_H
#define CORE_SPLIT_MOVES_H

#include "core/split/lobby.h"

/* A lobby whose players are on teams. */
typedef struct Teams
{
	Lobby		lobby;
	int		   *team;			/* 1, 2, or 0 for none yet */
	int		   *locked;			/* as in the lobby, which has those of
								 * joiners alone until they are placed */
	int			count[3];		/* of these teams */
} Teams;

/*
 * Begin with a lobby of two teams whose players are where lobby.current says, on a team or nowhere,
 * and are locked to no other place.  What these teams break already is no constraint: a party in
 * both of them, and a pair in one.
 */
extern void begin_teams(Teams *teams);

/*
 * Find a team for those who have none: sizes as equal as they can be made, up to a lead, and then
 * the match.  The request is what was asked for in the end; false if there is no such split.
 */
extern bool place_joiners(Teams *teams, int max_lead, SplitRequest *request, Split *split);

/* From here on everybody has a team, from which players move. */
extern void set_teams(Teams *teams, int *team);

/* Ask for so many moves, after which the second team has so many players more than now. */
extern SplitRequest request_moves(const Teams *teams, int over, int moves);

/*
 * Find the best swaps of each number up to max_swaps, and leave those that are better than any
 * smaller number and than no swaps, which leave these log-odds.  Of a thousand players not all
 * numbers can be tried; the last split is not proven then unless it makes the match even.  Returns
 * the number of splits, for which there is room of max_swaps + 1.
 */
extern int	find_swaps(const Teams *teams, int max_swaps, double logit, Split *split);

/*
 * Find the best swap of two players, then the best after that, as long as it helps: each split
 * starts from the teams of the one before.  They share the work, of which the last ones may have
 * little.  Returns their number, as above.
 */
extern int	find_greedy_swaps(const Teams *teams, int max_swaps, double logit, Split *split);

typedef enum TransferStatus
{
	TRANSFER_FOUND,
	TRANSFER_NOT_NEEDED,
	TRANSFER_IMPOSSIBLE
} TransferStatus;

/*
 * Find the moves after which no team has more than max_lead players more than the other, or one
 * more if they are odd: as few players leave the larger team as the constraints allow, with as few
 * swaps besides as are as good.
 */
extern TransferStatus find_transfer(Teams *teams, int max_swaps, int max_lead,
									SplitRequest *request, Split *split);

/*
 * List the swaps of a split, and return their number: of the players who move the strongest are
 * paired, the one of the first team first.  They come by the order of that one.
 */
extern int	list_swaps(const Teams *teams, const Split *split, const int *order,
					   SplitPair *swap);

#endif							/* CORE_SPLIT_MOVES_H */
