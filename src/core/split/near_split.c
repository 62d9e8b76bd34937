/*
 * near_split.c
 *		Of the splits of a lobby into two teams that are even enough, the one that
 *		moves the fewest players, or whose teams are alike in more than strength.
 */
#include "core/split/near_split.h"

#include <math.h>
#include <string.h>

#include "core/split/lobby_problem.h"
#include "core/split/split_second.h"
#include "core/util/extremes.h"

/* Differences below this share of all are rounding error. */
#define STRENGTH_NOISE 1e-12

/*
 * Best players of both teams are tried in so many pairs, in a share of the work each, as
 * long as there is any left.
 */
#define MAX_TRIES 200
#define SHARE_OF_TRY 20

/* The fewest moves are sought among more and more, the last of them with little work left. */
#define MIN_SHARE 0.01

/* A search for them that takes a larger share, however little is left, is left out. */
#define MAX_SHARE 0.25

/* With more free players than these the others stay where they are, for the spread. */
#define MAX_FREE 48

/* All sums for it are made in a share of the memory, so that they are sorted quickly. */
#define SHARE_OF_SPREAD 4

/* A part of the mean square that is none. */
#define SPREAD_NOISE 1e-9

/* The splits that are near enough. */
typedef struct Near
{
	const Lobby *lobby;
	SplitSize	size[2];		/* either way, if that makes a difference */
	int			nsizes;
	double		max_imbalance_logit;	/* at most */
} Near;

static bool
within_tolerance(const Near *near, const Split *split)
{
	return split->answer.found && fabs(split->imbalance_logit) <= near->max_imbalance_logit;
}

/*
 * Find a near split of a size that moves the fewest players, of those that move at
 * most so many; false if there is none.
 */
static bool
find_fewest_of_size(const Near *near, SplitSize size, int most, double max_work,
					Split *split)
{
	Lobby		share = *near->lobby;
	size_t		nsizes = (size_t) most + 1;
	SplitSize  *sizes = room_array(share.room, sizeof(SplitSize), nsizes);
	Split	   *all = room_array(share.room, sizeof(Split), nsizes);
	int			m;

	for (m = 0; m <= most; m++)
	{
		sizes[m] = size;
		sizes[m].moves = m;
	}
	share.max_work = max_work;
	split_sizes_within(&share, sizes, most + 1,
					   larger(max_work, MAX_SHARE * near->lobby->max_work), all);
	for (m = 0; m < most && !within_tolerance(near, &all[m]); m++)
		;
	*split = all[m];
	split->moves = m;
	return within_tolerance(near, split);
}

/* The fewest moves: a few are tried first, as more take longer. */
static void
find_fewest_moves(const Near *near, Split *split)
{
	double		left = near->lobby->max_work;
	int			n = near->lobby->n;
	int			most;

	for (most = 1;; most = 2 * most + 1)
	{
		bool		found = false;
		int			s;

		for (s = 0; s < near->nsizes; s++)
		{
			Split		other;
			bool		is_near = find_fewest_of_size(near, near->size[s],
													  most < n ? most : n, left, &other);

			left = larger(left - other.problem.work, MIN_SHARE * near->lobby->max_work);
			if (!is_near ||
				(found && (other.moves > split->moves ||
						   (other.moves == split->moves &&
							fabs(other.imbalance_logit) >= fabs(split->imbalance_logit)))))
				continue;
			*split = other;
			found = true;
		}
		if (found)
			return;
		if (most >= n)
			break;
	}

	/* Where sums are rounded, none may be near enough. */
	split->unproven = true;
}

/* The best players of both teams, and how much better one of them is. */
typedef struct BestPair
{
	double		gap;
	int			player[2];
	int			size;			/* which of those that are near */
} BestPair;

/* Whether a pair is tried before another one. */
static bool
comes_before(const BestPair *x, const BestPair *y)
{
	if (x->gap != y->gap)
		return x->gap < y->gap;
	if (x->player[0] != y->player[0])
		return x->player[0] < y->player[0];
	if (x->player[1] != y->player[1])
		return x->player[1] < y->player[1];
	return x->size < y->size;
}

/* Let a pair sink to its place in a heap of n, of which none comes before the one above it. */
static void
sink(BestPair *heap, int n, int place)
{
	BestPair	pair = heap[place];
	int			below;

	while ((below = 2 * place + 1) < n)
	{
		if (below + 1 < n && comes_before(&heap[below + 1], &heap[below]))
			below++;
		if (!comes_before(&heap[below], &pair))
			break;
		heap[place] = heap[below];
		place = below;
	}
	heap[place] = pair;
}

/* How much better the best player of one team is than that of the other. */
static double
best_gap(const Lobby *lobby, const int *team)
{
	double		best[2] = {-INFINITY, -INFINITY};
	int			i;

	for (i = 0; i < lobby->n; i++)
		if (team[i] != SPLIT_BENCH)
			best[team[i] - 1] = larger(best[team[i] - 1], lobby->mu[team[i] - 1][i]);
	return fabs(best[0] - best[1]);
}

/* Where everybody may be if these two are the best of their teams; false if nowhere. */
static bool
places_below(const Lobby *lobby, const int *best, int *places)
{
	int			i,
				t;

	for (i = 0; i < lobby->n; i++)
	{
		places[i] = allowed_teams_of(lobby, lobby->allowed_teams, i);
		for (t = 0; t < 2; t++)
		{
			if (i == best[t])
				places[i] &= SPLIT_MAY(t + 1);
			else if (lobby->mu[t][i] > lobby->mu[t][best[t]])
				places[i] &= ~SPLIT_MAY(t + 1);
		}
		if (places[i] == 0)
			return false;
	}
	return true;
}

/*
 * The pairs of players who are nearer to one another than the best of the split, as a heap;
 * returns their number.
 */
static int
list_best_pairs(const Near *near, double gap, BestPair **pairs)
{
	const Lobby *lobby = near->lobby;
	BestPair   *pair = NULL;
	int			n = 0;
	int			pass;
	int			i,
				j,
				s;

	for (pass = 0; pass < 2; pass++)
	{
		/* They are counted first. */
		if (pass > 0)
			pair = room_array(lobby->room, sizeof(BestPair), (size_t) n);
		n = 0;
		for (i = 0; i < lobby->n; i++)
			for (j = 0; j < lobby->n; j++)
			{
				double		between = fabs(lobby->mu[0][i] - lobby->mu[1][j]);

				for (s = 0; s < near->nsizes && i != j && between < gap; s++, n++)
					if (pass > 0)
						pair[n] = (BestPair)
					{
						.gap = between,.player =
						{
							i, j
						},.size = s
					};
			}
	}
	for (i = n / 2 - 1; i >= 0; i--)
		sink(pair, n, i);
	*pairs = pair;
	return n;
}

/*
 * The best players of both teams as near as they can be: pairs of them are tried, the
 * nearest first, until there is a split that is near enough.
 */
static void
find_best_players(const Near *near, Split *split)
{
	const Lobby *lobby = near->lobby;
	Lobby		fixed = *lobby;
	BestPair   *pair;
	double		work = 0;
	int			tries = 0;
	int			n = list_best_pairs(near, best_gap(lobby, split->answer.team), &pair);

	fixed.allowed_teams = lobby_integers(lobby);
	fixed.max_work /= SHARE_OF_TRY;
	while (n > 0)
	{
		BestPair	nearest = pair[0];
		SplitSize	size = near->size[nearest.size];
		Split		other;

		pair[0] = pair[--n];
		sink(pair, n, 0);
		lobby_interrupt(lobby);
		if (!places_below(lobby, nearest.player, fixed.allowed_teams))
			continue;
		if (++tries > MAX_TRIES || work > lobby->max_work)
		{
			split->unproven = true;
			break;
		}
		size.moves = split->moves;
		split_one_size(&fixed, size, &other);
		work += other.problem.work;
		if (!within_tolerance(near, &other))
			continue;
		other.moves = split->moves;
		*split = other;
		break;
	}
	lobby->room->give_back(pair);
}

/* Mean squares about the mean of all, by player and team. */
static void
spreads(const Lobby *lobby, SplitSize size, double **square)
{
	double		mean = lobby_mean(lobby);
	int			i,
				t;

	for (t = 0; t < 2; t++)
	{
		square[t] = lobby_numbers(lobby);
		for (i = 0; i < lobby->n; i++)
		{
			double		off = lobby->mu[t][i] - mean;

			square[t][i] = off * off / size.count[t];
		}
	}
}

/*
 * Prepare the problem of a lobby in which so many players stay on their teams that its
 * sums fit.  They can only stay where teams are as large as before.  Returns how many
 * that are, or -1 if there is no such problem.
 */
static int
prepare_spread(const Near *near, SplitSize *size, const int *team, double *target,
			   LobbyFactors *factors, SplitProblem *problem)
{
	const Lobby *lobby = near->lobby;
	Lobby		fixed = *lobby;
	int			first_team = 0;
	int			frozen;
	int			i;

	for (i = 0; i < lobby->n; i++)
		first_team += team[i] == 1;
	fixed.allowed_teams = lobby_integers(lobby);
	for (frozen = lobby->n > MAX_FREE ? lobby->n - MAX_FREE : 0; frozen <= lobby->n; frozen++)
	{
		if (frozen > 0 && first_team != size->count[0])
			return -1;
		for (i = 0; i < lobby->n; i++)
			fixed.allowed_teams[i] = i < frozen ? SPLIT_MAY(team[i]) :
				allowed_teams_of(lobby, lobby->allowed_teams, i);
		*factors = begin_two_teams(&fixed, *size, problem);
		*target = lobby_target(lobby, factors);
		problem->size = size;
		problem->nsizes = 1;
		problem->target = target;
		if (prepare_problem(lobby, problem) != SPLIT_OK)
			return -1;
		if (split_second_room(problem) <= problem->max_room / SHARE_OF_SPREAD)
			return frozen;
		lobby->room->give_back(problem->option);
	}
	return -1;
}

/* Of near splits of a size that move as many as this one, that with the least spread. */
static bool
find_spread_of_size(const Near *near, SplitSize size, const Split *now, Split *split,
					double *spread)
{
	const Lobby *lobby = near->lobby;
	LobbyFactors factors;
	double	   *square[2];
	double		target;
	double		all = 0;
	bool		proven;
	void	   *block;
	int			frozen;
	int			i;

	memset(split, 0, sizeof(Split));
	size.moves = now->moves;
	frozen = prepare_spread(near, &size, now->answer.team, &target, &factors,
							&split->problem);
	if (frozen < 0)
		return false;
	spreads(lobby, size, square);
	for (i = 0; i < lobby->n; i++)
		all += square[0][i] + square[1][i];
	split->answer.team = lobby_integers(lobby);
	block = lobby->room->take(split_second_room(&split->problem));
	split_second(&split->problem, (const double *const *) square,
				 near->max_imbalance_logit * lobby->log_odds_unit * factors.difference,
				 block, &split->answer, spread, &proven);
	lobby->room->give_back(block);
	if (!split->answer.found)
		return false;
	describe_split(lobby, &factors, target, split);
	split->bound = now->bound;
	split->moves = now->moves;
	split->unproven = now->unproven ||
		((frozen > 0 || !proven) && *spread > SPREAD_NOISE * all);
	return true;
}

/* Both teams spread alike, or as nearly so as can be. */
static void
find_spread(const Near *near, Split *split)
{
	double		least = INFINITY;
	Split		now = *split;
	int			s;

	for (s = 0; s < near->nsizes; s++)
	{
		Split		other;
		double		spread;

		if (!find_spread_of_size(near, near->size[s], &now, &other, &spread) ||
			spread >= least)
			continue;
		least = spread;
		*split = other;
	}
	if (least == INFINITY)
		split->unproven = true;
}

void
choose_near_split(const Lobby *lobby, const SplitRequest *request, Split *split)
{
	Lobby		counting = *lobby;
	Near		near = {
		.lobby = &counting,.nsizes = request->size[0] == request->size[1] || request->in_order ? 1 : 2,
		.size = {
			{.count = {request->size[0], request->size[1]}},
			{.count = {request->size[1], request->size[0]}}
		}
	};
	double		all = 0;
	int			i,
				t;

	if (lobby->current == NULL && request->secondary == SECONDARY_NONE)
		return;
	for (i = 0; i < lobby->n; i++)
		for (t = 0; t < 2; t++)
			all += fabs(lobby->mu[t][i]) +
				(lobby->command[t] != NULL ? fabs(lobby->command[t][i]) : 0);
	near.max_imbalance_logit = fabs(split->imbalance_logit) +
		(request->tolerance + STRENGTH_NOISE * all) / lobby->log_odds_unit;
	counting.counts_moves = lobby->current != NULL;
	if (counting.counts_moves)
		find_fewest_moves(&near, split);
	switch (request->secondary)
	{
		case SECONDARY_SPREAD:
			find_spread(&near, split);
			break;
		case SECONDARY_BEST:
			find_best_players(&near, split);
			break;
		case SECONDARY_NONE:
			break;
	}
}
