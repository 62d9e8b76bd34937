/*
 * priority.c
 *		A lobby split so that those play who have priority.
 */
#include "core/split/priority.h"

#include "core/split/chooser.h"
#include "core/util/extremes.h"
#include "core/util/shell_sort.h"

/* A player's place in the order of priorities. */
typedef struct Claim
{
	double		priority;
	int			player;
} Claim;

static int
compare_claims(const void *context, const void *a, const void *b)
{
	const Claim *x = (const Claim *) a;
	const Claim *y = (const Claim *) b;

	(void) context;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->player > y->player) - (x->player < y->player);
}

/* The players who may play, highest priority first; a party has that of its first. */
static int
list_claims(const Lobby *lobby, Claim *claim)
{
	Claim		spare;
	int			n = 0;
	int			i,
				j;

	for (i = 0; i < lobby->n; i++)
	{
		if (lobby->allowed_teams != NULL && lobby->allowed_teams[i] == SPLIT_MAY(SPLIT_BENCH))
			continue;
		claim[n] = (Claim)
		{
			lobby->priority[i], i
		};
		for (j = 0; j < lobby->n && lobby->party != NULL && lobby->party[i] != 0; j++)
			if (lobby->party[j] == lobby->party[i])
				claim[n].priority = larger(claim[n].priority, lobby->priority[j]);
		n++;
	}
	shell_sort(claim, n, sizeof(Claim), &spare, compare_claims, NULL);
	return n;
}

/*
 * The same, where those with the highest priority play.  Only those whose priority is
 * just what it takes may do either; if no split allows for that, those next to them,
 * and so on.
 */
static void
split_by_priority(Lobby *lobby, const SplitRequest *request, Split *split)
{
	int			playing = lobby->nteams * request->size[0];
	Claim	   *claim = room_array(lobby->room, sizeof(Claim), (size_t) lobby->n);
	int			n = list_claims(lobby, claim);
	int		   *places = lobby_integers(lobby);
	int			slack;

	for (slack = 0;; slack = 2 * slack + 1)
	{
		int			first = playing - 1 - slack;
		int			last = playing - 1 + slack;
		double		high = claim[first > 0 ? first : 0].priority;
		double		low = claim[last < n - 1 ? last : n - 1].priority;
		int			i;

		for (i = 0; i < lobby->n; i++)
			places[i] = allowed_teams_of(lobby, lobby->locked_teams, i);
		for (i = 0; i < n; i++)
		{
			int			player = claim[i].player;
			int			only = claim[i].priority > high ? ~SPLIT_MAY(SPLIT_BENCH) :
				claim[i].priority < low ? SPLIT_MAY(SPLIT_BENCH) : ~0;

			/* Locks are stronger. */
			if ((places[player] & only) != 0)
				places[player] &= only;
		}
		lobby->allowed_teams = places;
		split_lobby(lobby, request, split);
		if (split->answer.found || slack >= n)
			return;
	}
}

void
split_with_priority(Lobby *lobby, const SplitRequest *request, Split *split)
{
	if (lobby->priority != NULL)
		split_by_priority(lobby, request, split);
	else
		split_lobby(lobby, request, split);
}
