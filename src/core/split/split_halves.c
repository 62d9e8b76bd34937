/*
 * split_halves.c
 *		All sums of each half of the groups, sorted, and the pair of sums that comes
 *		nearest to the target.
 *
 * E. Horowitz and S. Sahni, "Computing partitions with applications to the knapsack
 * problem", Journal of the ACM 21 (1974), with sums apart by how many players they
 * put on either team.  Sums come out sorted: those with another group are merged of
 * the sums before, moved by each of its options.  All in full precision.
 */
#include "core/split/split_internal.h"

#include <math.h>
#include <stdlib.h>

#include "core/util/block.h"
#include "core/util/extremes.h"

/* With more options than these sums are sorted and not merged. */
#define MAX_RUNS 8

/* Sums of the same terms in another order may differ by so much of them. */
#define SUM_NOISE 1e-9

/* Sums of some groups, sorted within each class. */
typedef struct Sums
{
	size_t	   *first;			/* by class, and one more */
	double	   *value;
} Sums;

static size_t
lay_out(const SplitProblem *problem, char *block, Sums *sums)
{
	size_t		total = 0;
	double		most;
	int			i;

	(void) split_middle(problem, &most);
	for (i = 0; i < 3; i++)
	{
		sums[i].first = block_take(&block, &total, sizeof(size_t),
								   (size_t) split_classes(problem) + 1);
		sums[i].value = block_take(&block, &total, sizeof(double), (size_t) most + 1);
	}
	return total;
}

size_t
split_halves_room(const SplitProblem *problem)
{
	Sums		sums[3];
	double		most;

	(void) split_middle(problem, &most);
	if (most > (double) problem->max_room)
		return (size_t) -1 / 2;
	return lay_out(problem, NULL, sums);
}

double
split_halves_work(const SplitProblem *problem)
{
	double		most;

	(void) split_middle(problem, &most);

	/* Making them, and meeting them in each pair of classes, for each size. */
	return most * (8 + 0.3 * problem->nsizes *
				   (problem->max_count[0] + problem->max_count[1]));
}

/* Part of a list in a merge. */
typedef struct Run
{
	const double *value;
	const double *end;
	double		by;
} Run;

static int
compare_values(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The sums of a class with another group, and how many there are. */
static size_t
merge_class(const SplitProblem *problem, const SplitGroup *group,
			const Sums *before, int a, int b, int state, double *to)
{
	Run			runs[MAX_RUNS];
	size_t		n = 0;
	int			nruns = 0;
	int			i;

	for (i = 0; i < group->noptions; i++)
	{
		const SplitOption *o = &problem->option[group->first_option + i];
		int			rest = split_state_less(problem, state, split_option_state(problem, o));
		int			c;
		Run			run;

		if (a < o->count[0] || b < o->count[1] || rest < 0)
			continue;
		c = split_class(problem, a - o->count[0], b - o->count[1], rest);
		run = (Run)
		{
			before->value + before->first[c],
				before->value + before->first[c + 1], o->value
		};
		if (run.value < run.end && group->noptions <= MAX_RUNS)
			runs[nruns++] = run;
		else
			while (run.value < run.end)
				to[n++] = *run.value++ + run.by;
	}
	if (group->noptions > MAX_RUNS)
		qsort(to, n, sizeof(double), compare_values);
	while (nruns > 0)
	{
		int			best = 0;

		for (i = 1; i < nruns; i++)
			if (*runs[i].value + runs[i].by < *runs[best].value + runs[best].by)
				best = i;
		to[n++] = *runs[best].value + runs[best].by;
		if (++runs[best].value == runs[best].end)
			runs[best] = runs[--nruns];
	}
	return n;
}

/*
 * The fewest and the most players that groups have on either team, with another group.
 * Where most of them have no choice, few classes have any sums.
 */
static void
widen_counts(const SplitProblem *problem, const SplitGroup *group, int *least, int *most)
{
	int			t,
				i;

	for (t = 0; t < 2; t++)
	{
		int			low = problem->option[group->first_option].count[t];
		int			high = low;

		for (i = 1; i < group->noptions; i++)
		{
			int			count = problem->option[group->first_option + i].count[t];

			low = count < low ? count : low;
			high = count > high ? count : high;
		}
		least[t] += low;
		most[t] += high;
	}
}

/* All sums of n groups from first on. */
static void
make_sums(const SplitProblem *problem, int first, int n, Sums *sums, Sums *spare)
{
	int			states = split_states(problem, problem->max_moves);
	int			least[2] = {0, 0};
	int			most[2] = {0, 0};
	int			c;
	int			place;

	/* Of no group there is the sum 0 of nobody. */
	sums->value[0] = 0;
	sums->first[0] = 0;
	for (c = 1; c <= split_classes(problem); c++)
		sums->first[c] = 1;
	for (place = first; place < first + n; place++)
	{
		const SplitGroup *group = &problem->group[problem->order[place]];
		Sums		made = *spare;
		size_t		end = 0;
		int			a,
					b,
					state;

		widen_counts(problem, group, least, most);
		for (a = 0; a <= problem->max_count[0]; a++)
			for (b = 0; b <= problem->max_count[1]; b++)
				for (state = 0; state < states; state++)
				{
					made.first[split_class(problem, a, b, state)] = end;
					if (a < least[0] || a > most[0] || b < least[1] || b > most[1])
						continue;
					if (problem->interrupt != NULL)
						problem->interrupt();
					end += merge_class(problem, group, sums, a, b, state,
									   made.value + end);
				}
		made.first[split_classes(problem)] = end;
		*spare = *sums;
		*sums = made;
	}
}

/* Two sums, one of each half, and which classes they are of. */
typedef struct Meeting
{
	double		distance;
	double		left;
	double		right;
	int			a;
	int			b;
	int			state;
} Meeting;

/* The pair of sums of two classes nearest to a target, if nearer than there was. */
static bool
meet(const Sums *left, int left_class, const Sums *right, int right_class,
	 double target, Meeting *meeting)
{
	const double *x = left->value + left->first[left_class];
	const double *x_end = left->value + left->first[left_class + 1];
	const double *y_begin = right->value + right->first[right_class];
	const double *y = right->value + right->first[right_class + 1];
	bool		nearer = false;

	while (x < x_end && y > y_begin)
	{
		double		distance = *x + y[-1] - target;

		if (fabs(distance) < meeting->distance)
		{
			meeting->distance = fabs(distance);
			meeting->left = *x;
			meeting->right = y[-1];
			nearer = true;
		}
		if (distance < 0)
			x++;
		else
			y--;
	}
	return nearer;
}

/* What is still to be found of a sum of one half. */
typedef struct Rest
{
	int			place;
	int			end;
	int			a;
	int			b;
	int			state;
	double		sum;			/* of the options so far */
	double		low;			/* what others can add */
	double		high;
	double		noise;			/* by which rounding may have moved these */
} Rest;

/* The least and the largest value of a group's options. */
static void
value_range(const SplitProblem *problem, const SplitGroup *group, double *low,
			double *high)
{
	int			i;

	*low = INFINITY;
	*high = -INFINITY;
	for (i = 0; i < group->noptions; i++)
	{
		double		value = problem->option[group->first_option + i].value;

		*low = smaller(*low, value);
		*high = larger(*high, value);
	}
}

/* Find options that make up a sum to the last bit, as make_sums() added them. */
static bool
find_options(const SplitProblem *problem, Rest rest, double sum, int *choice)
{
	const SplitGroup *group;
	double		low,
				high;
	int			i;

	if (rest.place == rest.end)
		return rest.a == 0 && rest.b == 0 && rest.state == 0 && rest.sum == sum;
	group = &problem->group[problem->order[rest.place]];
	value_range(problem, group, &low, &high);
	for (i = 0; i < group->noptions; i++)
	{
		const SplitOption *o = &problem->option[group->first_option + i];
		Rest		next = rest;

		next.state = split_state_less(problem, rest.state,
									  split_option_state(problem, o));
		if (o->count[0] > rest.a || o->count[1] > rest.b || next.state < 0)
			continue;
		next.place++;
		next.a -= o->count[0];
		next.b -= o->count[1];
		next.sum += o->value;
		next.low -= low;
		next.high -= high;
		if (sum < next.sum + next.low - rest.noise ||
			sum > next.sum + next.high + rest.noise ||
			!find_options(problem, next, sum, choice))
			continue;
		choice[problem->order[rest.place]] = group->first_option + i;
		return true;
	}
	return false;
}

/* The same from a half and a class of its sums. */
static void
find_half(const SplitProblem *problem, int first, int n, int a, int b, int state,
		  double sum, int *choice)
{
	Rest		rest = {first, first + n, a, b, state, 0, 0, 0, 0};
	int			place;

	for (place = first; place < first + n; place++)
	{
		double		low,
					high;

		value_range(problem, &problem->group[problem->order[place]], &low, &high);
		rest.low += low;
		rest.high += high;
		rest.noise += SUM_NOISE * (fabs(low) + fabs(high));
	}
	(void) find_options(problem, rest, sum, choice);
}

void
split_halves(const SplitProblem *problem, void *room, int *choice,
			 SplitAnswer *answer)
{
	Sums		sums[3];
	double		most;
	int			n = split_middle(problem, &most);
	int			i;

	(void) lay_out(problem, room, sums);
	make_sums(problem, 0, n, &sums[0], &sums[2]);
	make_sums(problem, n, problem->ngroups - n, &sums[1], &sums[2]);
	for (i = 0; i < problem->nsizes; i++)
	{
		const int  *count = problem->size[i].count;
		int			whole = split_size_state(problem, &problem->size[i]);
		int		   *chosen = choice + (size_t) i * (size_t) problem->ngroups;
		Meeting		meeting = {.distance = INFINITY};
		int			a,
					b,
					c;

		for (a = 0; a <= count[0]; a++)
			for (b = 0; b <= count[1]; b++)
				for (c = 0; c <= whole; c++)
				{
					int			rest = split_state_less(problem, whole, c);

					if (problem->interrupt != NULL)
						problem->interrupt();
					if (rest < 0 ||
						!meet(&sums[0], split_class(problem, a, b, c), &sums[1],
							  split_class(problem, count[0] - a, count[1] - b, rest),
							  problem->target[i], &meeting))
						continue;
					meeting.a = a;
					meeting.b = b;
					meeting.state = c;
				}
		answer[i].found = meeting.distance < INFINITY;
		if (!answer[i].found)
			continue;
		find_half(problem, 0, n, meeting.a, meeting.b, meeting.state, meeting.left,
				  chosen);
		find_half(problem, n, problem->ngroups - n, count[0] - meeting.a,
				  count[1] - meeting.b,
				  split_state_less(problem, whole, meeting.state), meeting.right, chosen);
	}
}
