/*
 * crossings.c
 *		Rows that put a player on two teams at once.
 */
#include "core/rating/crossings.h"

#include <math.h>
#include <stdbool.h>

#include "core/util/extremes.h"
#include "core/util/shell_sort.h"

static bool
has_stint(const Participant *p)
{
	return !isnan(p->joined);
}

/* The largest of some numbers of teams, and the largest of those of other teams. */
typedef struct Largest
{
	double		most;
	double		most_elsewhere;
	int			team;			/* that has most */
} Largest;

static const Largest none_yet = {-INFINITY, -INFINITY, 0};

static void
largest_add(Largest *largest, int team, double number)
{
	if (team == largest->team)
		largest->most = larger(largest->most, number);
	else if (number > largest->most)
	{
		largest->most_elsewhere = largest->most;
		largest->most = number;
		largest->team = team;
	}
	else
		largest->most_elsewhere = larger(largest->most_elsewhere, number);
}

static double
largest_but_of(const Largest *largest, int team)
{
	return team == largest->team ? largest->most_elsewhere : largest->most;
}

/* The rows of those who are on several teams, by player, stints by time before others. */
typedef struct Crossings
{
	const Participant *participant;
	double		last_left;		/* seconds, 0 if no stint is known */
	int			n;
	int			row[MATCH_MAX_PARTICIPANTS];
} Crossings;

/* The share of the match that a row claims for its player. */
static double
claimed_share(const Crossings *crossings, const Participant *p)
{
	if (!isnan(p->weight))
		return p->weight;
	return has_stint(p) && crossings->last_left > 0 ?
		(p->left - p->joined) / crossings->last_left : 1;
}

/* By player, and of one player the rows with times first, by the time of joining. */
static int
compare_rows(const void *context, const void *a, const void *b)
{
	const Participant *participant = ((const Crossings *) context)->participant;
	const Participant *p = &participant[*(const int *) a];
	const Participant *q = &participant[*(const int *) b];

	if (p->player != q->player)
		return p->player < q->player ? -1 : 1;
	if (has_stint(p) != has_stint(q))
		return has_stint(p) ? -1 : 1;
	return (p->joined > q->joined) - (p->joined < q->joined);
}

static void
sort_crossings(Crossings *crossings)
{
	int			spare;

	shell_sort(crossings->row, crossings->n, sizeof(spare), &spare, compare_rows, crossings);
}

/*
 * Whether two rows of one player, of those before a row, put the player on two teams at
 * once.  Where the times of one are unknown, they are a change of sides as long as their
 * shares fit into one match.
 */
static bool
rows_clash(const Crossings *crossings, int behind)
{
	Largest		left = none_yet;
	Largest		share = none_yet;
	int			player = -1;
	int			i;

	for (i = 0; i < crossings->n; i++)
	{
		const Participant *p = &crossings->participant[crossings->row[i]];
		double		claimed = claimed_share(crossings, p);

		if (crossings->row[i] >= behind)
			continue;
		if (p->player != player)
		{
			left = share = none_yet;
			player = p->player;
		}
		if (has_stint(p) ?
			p->joined < smaller(p->left, largest_but_of(&left, p->team)) :
			claimed + largest_but_of(&share, p->team) > MATCH_WHOLE)
			return true;
		if (has_stint(p))
			largest_add(&left, p->team, p->left);
		largest_add(&share, p->team, claimed);
	}
	return false;
}

int
first_crossing(const Match *match, const Participant *participant, int n,
			   double last_left)
{
	Crossings	crossings;
	int			sound = 0;
	int			behind = n;
	int			i;

	crossings.participant = participant;
	crossings.last_left = last_left;
	crossings.n = 0;
	for (i = 0; i < n; i++)
	{
		int			last = match->player[participant[i].player].last_entry;

		/* Who has one entry is on one team. */
		if (match->entry[last].previous >= 0)
			crossings.row[crossings.n++] = i;
	}
	sort_crossings(&crossings);
	if (!rows_clash(&crossings, n))
		return -1;

	/*
	 * All rows before the first one that clashes are sound: halve what is
	 * between.
	 */
	while (behind - sound > 1)
	{
		int			middle = sound + (behind - sound) / 2;

		if (rows_clash(&crossings, middle))
			behind = middle;
		else
			sound = middle;
	}
	return behind - 1;
}
