/*
 * split_second.c
 *		Of the splits that are even enough, the one that is best in something else.
 *
 * All sums of each half of the groups, as in split_halves.c, each with a second sum:
 * of every two that meet within what is allowed, the second ones are looked at.
 */
#include "core/split/split_second.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/split/split_internal.h"
#include "core/util/block.h"
#include "core/util/extremes.h"

/* Pairs of sums that are looked at, at most. */
#define MAX_PAIRS 50000000

/* A second difference of so much of what it is made of is none. */
#define SUM_NOISE 1e-13

#define PAIRS_BETWEEN_INTERRUPTS 65536

typedef struct Sum
{
	int			class;
	double		value;
	double		second;
	uint64_t	code;			/* of the options: the first group counts most */
} Sum;

/* The sums of some groups, by class and then by value. */
typedef struct Half
{
	int			first;			/* of order[] */
	int			n;
	size_t		nsums;
	Sum		   *sum;
	size_t	   *begin;			/* by class, and one more */
} Half;

static size_t
lay_out(const SplitProblem *problem, char *block, Half *half, double **second,
		Sum **spare, int **choice)
{
	size_t		total = 0;
	double		most;
	int			i;

	half[0].first = 0;
	half[0].n = half[1].first = split_middle(problem, &most);
	half[1].n = problem->ngroups - half[0].n;
	for (i = 0; i < 2; i++)
	{
		half[i].sum = block_take(&block, &total, sizeof(Sum), (size_t) most + 1);
		half[i].begin = block_take(&block, &total, sizeof(size_t),
								   (size_t) split_classes(problem) + 1);
	}
	*spare = block_take(&block, &total, sizeof(Sum), (size_t) most + 1);
	*second = block_take(&block, &total, sizeof(double), problem->noptions);
	*choice = block_take(&block, &total, sizeof(int), (size_t) problem->ngroups);
	return total;
}

size_t
split_second_room(const SplitProblem *problem)
{
	Half		half[2];
	Sum		   *spare;
	double	   *second;
	int		   *choice;
	double		most;

	(void) split_middle(problem, &most);
	if (most > (double) problem->max_room)
		return (size_t) -1 / 2;
	return lay_out(problem, NULL, half, &second, &spare, &choice);
}

static int
compare_sums(const void *a, const void *b)
{
	const Sum  *x = (const Sum *) a;
	const Sum  *y = (const Sum *) b;

	if (x->class != y->class)
		return x->class > y->class ? 1 : -1;
	if (x->value != y->value)
		return x->value > y->value ? 1 : -1;
	return (x->code > y->code) - (x->code < y->code);
}

/* The second sum of each option, of the first team less that of the second. */
static double
add_seconds(const SplitProblem *problem, const double *const *by_player,
			double *second)
{
	double		size = 0;
	int			g,
				i,
				m;

	for (g = 0; g < problem->ngroups; g++)
	{
		const SplitGroup *group = &problem->group[g];

		for (i = group->first_option; i < group->first_option + group->noptions; i++)
		{
			second[i] = 0;
			for (m = 0; m < group->nmembers; m++)
			{
				int			player = problem->member[group->first_member + m];
				bool		commands;
				int			team = split_player_does(&problem->option[i], m, &commands);

				if (team != SPLIT_BENCH)
					second[i] += (team == 1 ? 1 : -1) * by_player[team - 1][player];
			}
		}
		for (m = 0; m < group->nmembers; m++)
		{
			int			player = problem->member[group->first_member + m];

			size += larger(fabs(by_player[0][player]), fabs(by_player[1][player]));
		}
	}
	return size;
}

/* All sums of a half, sorted. */
static void
make_half(const SplitProblem *problem, const double *second, Half *half, Sum *spare)
{
	Sum		   *from = half->sum;
	Sum		   *to = spare;
	int			states = split_states(problem, problem->max_moves);
	int			columns = problem->max_count[1] + 1;
	size_t		n = 1;
	int			place;
	int			c;
	size_t		i;

	from[0] = (Sum)
	{
		0, 0, 0, 0
	};
	for (place = half->first; place < half->first + half->n; place++)
	{
		const SplitGroup *group = &problem->group[problem->order[place]];
		Sum		   *other = to;
		size_t		made = 0;

		for (i = 0; i < n; i++)
		{
			int			state = from[i].class % states;
			int			b = from[i].class / states % columns;
			int			a = from[i].class / states / columns;
			int			o;

			if (problem->interrupt != NULL && i % PAIRS_BETWEEN_INTERRUPTS == 0)
				problem->interrupt();
			for (o = 0; o < group->noptions; o++)
			{
				const SplitOption *option = &problem->option[group->first_option + o];
				int			by = split_option_state(problem, option);

				/*
				 * Nothing is in both but moves, and there are not too many of
				 * these.
				 */
				if (a + option->count[0] > problem->max_count[0] ||
					b + option->count[1] > problem->max_count[1] ||
					state + by >= states || split_state_less(problem, state + by, by) != state)
					continue;
				to[made++] = (Sum)
				{
					split_class(problem, a + option->count[0], b + option->count[1],
								state + by),
						from[i].value + option->value,
						from[i].second + second[group->first_option + o],
						from[i].code * (uint64_t) group->noptions + (uint64_t) o
				};
			}
		}
		to = from;
		from = other;
		n = made;
	}
	if (from != half->sum)
		memcpy(half->sum, from, n * sizeof(Sum));
	half->nsums = n;
	qsort(half->sum, n, sizeof(Sum), compare_sums);
	i = 0;
	for (c = 0; c <= split_classes(problem); c++)
	{
		while (i < n && half->sum[i].class < c)
			i++;
		half->begin[c] = i;
	}
}

/* The pair of sums that is best so far. */
typedef struct Meeting
{
	double		distance;		/* of the second sums */
	double		difference;		/* of the first ones, where that is as good */
	const Sum  *left;
	const Sum  *right;
	long		pairs;			/* looked at */
} Meeting;

/* Look at the sums of two classes that meet; false if that has been too many. */
static bool
meet(const SplitProblem *problem, const Half *half, int left, int right,
	 double allowed, Meeting *meeting)
{
	const Sum  *x = half[0].sum + half[0].begin[left];
	const Sum  *x_end = half[0].sum + half[0].begin[left + 1];
	const Sum  *y_begin = half[1].sum + half[1].begin[right];
	const Sum  *y_end = half[1].sum + half[1].begin[right + 1];

	for (; x < x_end; x++)
	{
		double		wanted = problem->target[0] - x->value;
		const Sum  *y;

		/* The larger the one sum, the smaller the others that it meets. */
		while (y_end > y_begin && y_end[-1].value > wanted + allowed)
			y_end--;
		for (y = y_end; y > y_begin && y[-1].value >= wanted - allowed; y--)
		{
			double		distance = fabs(x->second + y[-1].second);
			double		difference = fabs(y[-1].value - wanted);

			if (distance < meeting->distance ||
				(distance == meeting->distance && difference < meeting->difference))
			{
				meeting->distance = distance;
				meeting->difference = difference;
				meeting->left = x;
				meeting->right = y - 1;
			}
			if (++meeting->pairs % PAIRS_BETWEEN_INTERRUPTS == 0 &&
				problem->interrupt != NULL)
				problem->interrupt();
			if (meeting->pairs > MAX_PAIRS)
				return false;
		}
	}
	return true;
}

/* The options that a code stands for. */
static void
take_code(const SplitProblem *problem, const Half *half, uint64_t code, int *choice)
{
	int			place;

	for (place = half->first + half->n - 1; place >= half->first; place--)
	{
		const SplitGroup *group = &problem->group[problem->order[place]];

		choice[problem->order[place]] = group->first_option +
			(int) (code % (uint64_t) group->noptions);
		code /= (uint64_t) group->noptions;
	}
}

void
split_second(const SplitProblem *problem, const double *const *second,
			 double allowed, void *room, SplitAnswer *answer,
			 double *second_difference, bool *proven)
{
	const int  *count = problem->size[0].count;
	int			whole = split_size_state(problem, &problem->size[0]);
	Meeting		meeting = {.distance = INFINITY};
	Half		half[2];
	Sum		   *spare;
	double	   *by_option;
	int		   *choice;
	double		noise;
	int			a,
				b,
				c;

	(void) lay_out(problem, room, half, &by_option, &spare, &choice);
	noise = SUM_NOISE * add_seconds(problem, second, by_option);
	make_half(problem, by_option, &half[0], spare);
	make_half(problem, by_option, &half[1], spare);
	*proven = true;
	for (a = 0; a <= count[0] && *proven; a++)
		for (b = 0; b <= count[1] && *proven; b++)
			for (c = 0; c <= whole && *proven && meeting.distance > noise; c++)
			{
				int			rest = split_state_less(problem, whole, c);

				if (problem->interrupt != NULL)
					problem->interrupt();
				if (rest >= 0)
					*proven = meet(problem, half, split_class(problem, a, b, c),
								   split_class(problem, count[0] - a, count[1] - b, rest),
								   allowed, &meeting);
			}
	answer->found = meeting.distance < INFINITY;
	*second_difference = meeting.distance;
	if (!answer->found)
		return;
	take_code(problem, &half[0], meeting.left->code, choice);
	take_code(problem, &half[1], meeting.right->code, choice);
	split_take_answer(problem, 0, choice, answer);
}
