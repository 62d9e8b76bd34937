/*
 * split_reach.c
 *		Which sums can be reached: dynamic programming over sets of them, as bits.
 *
 * For every number of players on the two teams a row of bits says which differences
 * some choice of options has.  Groups are taken in one after another, each of their
 * options by shifting rows: the work grows with the range of the ratings and not with
 * the number of splits.  All sizes have their answer at once.
 *
 * To find the options that lead to a sum, groups are halved, and halved again: what
 * both halves can reach says how much each contributes.  As half of the players reach
 * an eighth of the states, all halves together take less than the whole.
 */
#include "core/split/split_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/block.h"

#define WORD_BITS 64

/*
 * Sums this far from the target are looked for at first, and then so many times
 * farther: what leads nowhere near it is left out.
 */
#define FIRST_MARGIN 64
#define MARGIN_GROWTH 256

/* The reach of some groups, in the order of the problem. */
typedef struct Reach
{
	int			first;			/* of order[] */
	int			n;
	int			max[2];			/* players on either team */
	int			max_moves;
	int			states;			/* of commanders and moves */
	int64_t		low;			/* units of the first bit */
	int64_t		high;
	size_t		words;			/* of a row */
	uint64_t   *bits;
} Reach;

/* Part of a row. */
typedef struct Window
{
	int64_t		low;
	int64_t		high;
} Window;

static const SplitGroup *
group_at(const SplitProblem *problem, int place)
{
	return &problem->group[problem->order[place]];
}

/* The least and the largest units of a group's options, and most players. */
typedef struct Range
{
	int64_t		low;
	int64_t		high;
	int			count[2];
	int			total;
	int			moves;
} Range;

static Range
group_range(const SplitProblem *problem, int place)
{
	const SplitGroup *group = group_at(problem, place);
	Range		range = {INT64_MAX, INT64_MIN, {0, 0}, 0, 0};
	int			i;

	for (i = 0; i < group->noptions; i++)
	{
		const SplitOption *o = &problem->option[group->first_option + i];
		int			total = o->count[0] + o->count[1];

		if (o->quanta < range.low)
			range.low = o->quanta;
		if (o->quanta > range.high)
			range.high = o->quanta;
		if (o->count[0] > range.count[0])
			range.count[0] = o->count[0];
		if (o->count[1] > range.count[1])
			range.count[1] = o->count[1];
		if (total > range.total)
			range.total = total;
		if (o->moves > range.moves)
			range.moves = o->moves;
	}
	return range;
}

static int
least(int a, int b)
{
	return a < b ? a : b;
}

static void
describe(const SplitProblem *problem, Reach *reach, int first, int n)
{
	int			i;

	memset(reach, 0, sizeof(Reach));
	reach->first = first;
	reach->n = n;
	for (i = first; i < first + n; i++)
	{
		Range		range = group_range(problem, i);

		/* With only some of the groups taken in, sums lie in the range, too. */
		if (range.low < 0)
			reach->low += range.low;
		if (range.high > 0)
			reach->high += range.high;
		reach->max[0] = least(reach->max[0] + range.count[0], problem->max_count[0]);
		reach->max[1] = least(reach->max[1] + range.count[1], problem->max_count[1]);
		reach->max_moves = least(reach->max_moves + range.moves, problem->max_moves);
	}
	reach->states = split_states(problem, reach->max_moves);
	reach->words = (size_t) (reach->high - reach->low) / WORD_BITS + 1;
}

static size_t
rows_of(const Reach *reach)
{
	return (size_t) (reach->max[0] + 1) * (size_t) (reach->max[1] + 1) *
		(size_t) reach->states;
}

static uint64_t *
row(const Reach *reach, int a, int b, int state)
{
	return reach->bits +
		(((size_t) a * (size_t) (reach->max[1] + 1) + (size_t) b) *
		 (size_t) reach->states + (size_t) state) * reach->words;
}

static bool
has_bit(const Reach *reach, const uint64_t *bits, int64_t units)
{
	uint64_t	place = (uint64_t) (units - reach->low);

	return units >= reach->low && units <= reach->high &&
		(bits[place / WORD_BITS] >> place % WORD_BITS & 1) != 0;
}

/* Add the bits of a row, moved by so many units, to another in some words of it. */
static void
or_shifted(uint64_t *to, const uint64_t *from, int64_t shift, size_t first,
		   size_t end, size_t words)
{
	int64_t		by = shift >= 0 ? shift / WORD_BITS : -((-shift + WORD_BITS - 1) / WORD_BITS);
	int			bits = (int) (shift - by * WORD_BITS);	/* to the left */
	int64_t		w = (int64_t) first;
	int64_t		stop = (int64_t) end;

	/* Word w is made of the words w - by and w - by - 1. */
	if (w < by)
		w = by;
	if (stop > (int64_t) words + by)
		stop = (int64_t) words + by;
	if (bits == 0)
	{
		for (; w < stop; w++)
			to[w] |= from[w - by];
		return;
	}
	if (w == by && w < stop)
	{
		to[w] |= from[0] << bits;
		w++;
	}
	for (; w < stop; w++)
		to[w] |= from[w - by] << bits | from[w - by - 1] >> (WORD_BITS - bits);
	if (stop == (int64_t) words + by && stop < (int64_t) end && stop >= (int64_t) first)
		to[stop] |= from[words - 1] >> (WORD_BITS - bits);
}

/*
 * Take another group in.  Rows of more players come first, and of more moves, so that
 * what they are made of is as it was before.  Only rows of at least so many players are made, and only
 * their window.
 */
static void
take_group(const SplitProblem *problem, Reach *reach, int place, int low_total,
		   int high_total, Window window)
{
	const SplitGroup *group = group_at(problem, place);
	size_t		first = 0;
	size_t		end = reach->words;
	int			total,
				a,
				state;

	if (window.low > reach->low)
		first = (size_t) (window.low - reach->low) / WORD_BITS;
	if (window.high < reach->high)
		end = window.high < reach->low ? 0 :
			(size_t) (window.high - reach->low) / WORD_BITS + 1;
	if (first >= end)
	{
		/* No sum comes near any target. */
		memset(reach->bits, 0, rows_of(reach) * reach->words * sizeof(uint64_t));
		return;
	}
	for (total = high_total; total >= low_total; total--)
	{
		if (problem->interrupt != NULL)
			problem->interrupt();
		for (a = least(total, reach->max[0]); a >= 0 && total - a <= reach->max[1]; a--)
			for (state = reach->states - 1; state >= 0; state--)
			{
				uint64_t   *to = row(reach, a, total - a, state);
				bool		stays = false;
				int			i;

				for (i = 0; i < group->noptions && !stays; i++)
				{
					const SplitOption *o = &problem->option[group->first_option + i];

					stays = o->count[0] + o->count[1] + o->moves + o->command == 0;
				}
				if (!stays)
					memset(to + first, 0, (end - first) * sizeof(uint64_t));
				for (i = 0; i < group->noptions; i++)
				{
					const SplitOption *o = &problem->option[group->first_option + i];
					int			b = total - a - o->count[1];
					int			rest = split_state_less(problem, state,
														split_option_state(problem, o));

					if (o->count[0] + o->count[1] + o->moves + o->command > 0 &&
						a >= o->count[0] && b >= 0 && rest >= 0)
						or_shifted(to, row(reach, a - o->count[0], b, rest), o->quanta,
								   first, end, reach->words);
				}
			}
	}
}

/* What a problem's targets have in common. */
static int64_t
target_units(const SplitProblem *problem, int size)
{
	const int  *count = problem->size[size].count;
	double		units = problem->target[size] / problem->quantum -
		(double) problem->middle * (count[0] - count[1]);

	return (int64_t) (units < 0 ? units - 0.5 : units + 0.5);
}

/* Fill a reach in: all of it, or for the whole problem what comes near the targets. */
static void
fill(const SplitProblem *problem, Reach *reach, bool whole, int64_t margin)
{
	Window		window = {reach->low, reach->high};
	Window		target = {INT64_MAX, INT64_MIN};
	int			wanted = INT_MAX;
	Range		later = {0};	/* of all groups to come together */
	int			low_total = 0;
	int			high_total = 0;
	int			i;

	memset(reach->bits, 0, rows_of(reach) * reach->words * sizeof(uint64_t));
	row(reach, 0, 0, 0)[-reach->low / WORD_BITS] =
		UINT64_C(1) << -reach->low % WORD_BITS;
	for (i = 0; i < problem->nsizes && whole; i++)
	{
		int64_t		units = target_units(problem, i);

		wanted = least(wanted, problem->size[i].count[0] + problem->size[i].count[1]);
		if (units < target.low)
			target.low = units;
		if (units > target.high)
			target.high = units;
	}
	for (i = 0; i < reach->n && whole; i++)
	{
		Range		range = group_range(problem, reach->first + i);

		later.low += range.low;
		later.high += range.high;
		later.total += range.total;
	}
	for (i = 0; i < reach->n; i++)
	{
		Range		range = group_range(problem, reach->first + i);

		high_total = least(high_total + range.total, reach->max[0] + reach->max[1]);
		if (whole)
		{
			later.low -= range.low;
			later.high -= range.high;
			later.total -= range.total;
			window = (Window)
			{
				target.low - margin - later.high,
					target.high + margin - later.low
			};
			low_total = wanted > later.total ? wanted - later.total : 0;
		}
		take_group(problem, reach, reach->first + i, low_total, high_total, window);
	}
}

/*
 * ---- Halves ----
 */

/* The places of the halves of groups from first on; each of two halves, and so on. */
static int
describe_halves(const SplitProblem *problem, Reach *node, int number, int first,
				int n)
{
	describe(problem, &node[number], first, n);
	if (n < 2)
		return number + 1;
	return describe_halves(problem, node,
						   describe_halves(problem, node, number + 1, first, n / 2),
						   first + n / 2, n - n / 2);
}

/* The number of the second half of a node; the first one is the next node. */
static int
second_half(const Reach *node, int number)
{
	return number + 2 * (node[number].n / 2);
}

/* Find the option of each group of a node that together make up a sum. */
static void
find_options(const SplitProblem *problem, const Reach *node, int number, int a,
			 int b, int state, int64_t units, int *choice)
{
	const Reach *left = &node[number + 1];
	const Reach *right;
	int			a1,
				b1,
				c1,
				i;

	if (node[number].n == 1)
	{
		const SplitGroup *group = group_at(problem, node[number].first);

		for (i = 0; i < group->noptions; i++)
		{
			const SplitOption *o = &problem->option[group->first_option + i];

			if (o->count[0] == a && o->count[1] == b && o->quanta == units &&
				split_option_state(problem, o) == state)
				choice[problem->order[node[number].first]] = group->first_option + i;
		}
		return;
	}
	right = &node[second_half(node, number)];
	for (a1 = least(a, left->max[0]); a1 >= 0 && a - a1 <= right->max[0]; a1--)
		for (b1 = least(b, left->max[1]); b1 >= 0 && b - b1 <= right->max[1]; b1--)
			for (c1 = 0; c1 < left->states; c1++)
			{
				int			rest = split_state_less(problem, state, c1);
				const uint64_t *from = row(left, a1, b1, c1);
				const uint64_t *to;
				size_t		w;

				if (rest < 0 || rest >= right->states)
					continue;
				to = row(right, a - a1, b - b1, rest);
				for (w = 0; w < left->words; w++)
				{
					uint64_t	word = from[w];

					for (; word != 0; word &= word - 1)
					{
						int64_t		part = left->low + (int64_t) (w * WORD_BITS) +
							__builtin_ctzll(word);

						if (!has_bit(right, to, units - part))
							continue;
						find_options(problem, node, number + 1, a1, b1, c1, part,
									 choice);
						find_options(problem, node, second_half(node, number), a - a1,
									 b - b1, rest, units - part, choice);
						return;
					}
				}
			}
}

/*
 * ---- All of it ----
 */

/* Lay out the whole, and the halves behind it: 2 n nodes. */
static size_t
lay_out(const SplitProblem *problem, char *block, Reach *whole, Reach **node)
{
	size_t		total = 0;
	int			nodes = 2 * problem->ngroups;
	int			i;

	describe(problem, whole, 0, problem->ngroups);
	whole->bits = block_take(&block, &total, sizeof(uint64_t),
							 rows_of(whole) * whole->words);
	*node = block_take(&block, &total, sizeof(Reach), (size_t) nodes);
	if (*node != NULL)
	{
		nodes = describe_halves(problem, *node, 0, 0, problem->ngroups);
		for (i = 1; i < nodes; i++)
			(*node)[i].bits = block_take(&block, &total, sizeof(uint64_t),
										 rows_of(&(*node)[i]) * (*node)[i].words);
	}
	return total;
}

/* The bytes of the halves of groups from first on. */
static size_t
halves_room(const SplitProblem *problem, int first, int n)
{
	Reach		reach;
	size_t		room = 0;
	int			i;

	for (i = 0; i < 2 && n > 1; i++)
	{
		int			from = i == 0 ? first : first + n / 2;
		int			count = i == 0 ? n / 2 : n - n / 2;

		describe(problem, &reach, from, count);
		room += (rows_of(&reach) * reach.words * sizeof(uint64_t) + 15) / 16 * 16 +
			halves_room(problem, from, count);
	}
	return room;
}

size_t
split_reach_room(const SplitProblem *problem)
{
	Reach		whole;
	Reach	   *node;

	if (problem->ngroups == 0)
		return 0;
	return lay_out(problem, NULL, &whole, &node) +
		halves_room(problem, 0, problem->ngroups);
}

double
split_reach_work(const SplitProblem *problem)
{
	Reach		whole;

	describe(problem, &whole, 0, problem->ngroups);

	/* Rows and their windows begin small. */
	return (double) rows_of(&whole) * (double) whole.words *
		(double) problem->noptions / 4;
}

double
split_reach_overhead(const SplitProblem *problem)
{
	double		rows = split_states(problem, problem->max_moves);
	int			half = problem->n / 2 + 1;
	int			i;

	/*
	 * The first two halves have most of the rows: of no more players than
	 * they have.  About half of the rows have too many of them together.
	 */
	for (i = 0; i < 2; i++)
		rows *= least(problem->max_count[i], half) + 1;
	return rows * (double) problem->noptions / 2;
}

/* The sum that a row has nearest to a target, if that is near enough. */
static bool
nearest(const Reach *reach, const uint64_t *bits, int64_t target, int64_t margin,
		int64_t *units)
{
	int64_t		distance = 0;

	/* Nothing is nearer than the end of the row. */
	if (target > reach->high)
		distance = target - reach->high;
	else if (target < reach->low)
		distance = reach->low - target;
	for (; distance <= margin; distance++)
	{
		*units = target + distance;
		if (has_bit(reach, bits, *units))
			return true;
		*units = target - distance;
		if (has_bit(reach, bits, *units))
			return true;
		if (target + distance > reach->high && target - distance < reach->low)
			return false;
	}
	return false;
}

void
split_reach(const SplitProblem *problem, void *room, int *choice,
			SplitAnswer *answer)
{
	Reach		whole;
	Reach	   *node;
	int			missing = problem->nsizes;
	int64_t		margin = FIRST_MARGIN;
	int64_t		farthest = 0;
	int			i;

	for (i = 0; i < problem->nsizes; i++)
		answer[i].found = false;
	if (problem->ngroups == 0)
		return;
	(void) lay_out(problem, room, &whole, &node);
	for (i = 0; i < problem->nsizes; i++)
	{
		int64_t		units = target_units(problem, i);

		if (farthest < whole.high - units)
			farthest = whole.high - units;
		if (farthest < units - whole.low)
			farthest = units - whole.low;
	}
	for (i = 1; i < 2 * problem->ngroups - 1; i++)
		fill(problem, &node[i], false, 0);
	for (;;)
	{
		bool		last = margin >= farthest;

		fill(problem, &whole, true, margin);
		for (i = 0; i < problem->nsizes; i++)
		{
			const int  *count = problem->size[i].count;
			int			state = split_size_state(problem, &problem->size[i]);
			int64_t		units;

			if (answer[i].found || count[0] > whole.max[0] || count[1] > whole.max[1] ||
				state >= whole.states ||
				!nearest(&whole, row(&whole, count[0], count[1], state),
						 target_units(problem, i), margin, &units))
				continue;
			answer[i].found = true;
			missing--;
			find_options(problem, node, 0, count[0], count[1], state, units,
						 choice + (size_t) i * (size_t) problem->ngroups);
		}
		if (missing == 0 || last)
			return;
		margin *= MARGIN_GROWTH;
	}
}
