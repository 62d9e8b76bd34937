/*
 * meetings.c
 *		The matches in which players have met.
 *
 * Each player has a list of matches, with the team played for.  Those of a whole match
 * are found by the list of the player who has the fewest.
 */
#include "pg/matches/meetings.h"

#include <math.h>

#include "miscadmin.h"

void
batch_add_meeting(Batch *batch, BatchPlayer *player, int64 seq,
				  TimestampTz played_at, int team)
{
	Meeting    *meeting;

	if (player->nmeetings == player->max_meetings)
	{
		int			max = Max(8, 2 * player->max_meetings);

		huge_array_grow_in(batch->context, player->meeting, Meeting, max);
		player->max_meetings = max;
	}
	meeting = &player->meeting[player->nmeetings++];
	meeting->seq = seq;
	meeting->played_at = played_at;
	meeting->team = team;
}

/* What a player remembers of the match with a seq, or NULL. */
static const Meeting *
find_meeting(const BatchPlayer *player, int64 seq)
{
	int			low = 0;
	int			high = player->nmeetings;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (player->meeting[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < player->nmeetings && player->meeting[low].seq == seq ?
		&player->meeting[low] : NULL;
}

/* Whether two players of the match are on different teams. */
static bool
has_opponents(const Match *match)
{
	int			i;

	for (i = 1; i < match->nplayers; i++)
		if (match->player[i].team != match->player[0].team)
			return true;
	return false;
}

/*
 * Whether all players of the match took part in the one with a seq, and all opponents as
 * opponents; teams is room for them.
 */
static bool
met_in(const Batch *batch, int64 seq, TeamsOfPlayer *teams)
{
	const Match *match = &batch->match;
	int			i;

	for (i = 0; i < match->nplayers; i++)
	{
		const Meeting *meeting = find_meeting(batch->player[i], seq);

		if (meeting == NULL)
			return false;
		teams[i].before = meeting->team;
		teams[i].now = match->player[i].team;
	}
	return eligibility_same_opponents(teams, match->nplayers);
}

int64
batch_count_meetings(const Batch *batch, TimestampTz played_at, double window,
					 double limit)
{
	const Match *match = &batch->match;
	const BatchPlayer *fewest = NULL;
	TeamsOfPlayer *teams;
	int64		count = 0;
	int			i;

	Assert(batch->keeps_meetings);
	if (!has_opponents(match))
		return 0;
	for (i = 0; i < match->nplayers; i++)
		if (fewest == NULL || batch->player[i]->nmeetings < fewest->nmeetings)
			fewest = batch->player[i];
	teams = palloc_array(TeamsOfPlayer, match->nplayers);
	for (i = fewest->nmeetings - 1; i >= 0 && count < limit; i--)
	{
		const Meeting *meeting = &fewest->meeting[i];
		double		apart = ((double) meeting->played_at - (double) played_at) /
			USECS_PER_SEC;

		CHECK_FOR_INTERRUPTS();
		if (fabs(apart) <= window && met_in(batch, meeting->seq, teams))
			count++;
	}
	pfree(teams);
	return count;
}
