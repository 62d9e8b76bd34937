/*
 * fair_split.c
 *		A split that a rating model, or without one the strength of teams, finds fair: who wins,
 *		and when it is even.
 */
#include "core/split/fair_split.h"

#include <math.h>

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "core/split/lobby_problem.h"
#include "core/split/priority.h"
#include "core/util/extremes.h"

/* A model's even difference is bracketed, and then found by halves. */
#define MAX_DOUBLINGS 60
#define MAX_HALVINGS 60

/* Even differences that differ by less than this share are the same. */
#define AIM_NOISE 1e-9

/* A split is found again for another even difference at most so often. */
#define MAX_AIMS 8

/* Where several aims are likely, each split has a share of the work. */
#define SHARE_OF_AIM 4

/*
 * The probability of each team to win without a model: of two by their log-odds, of more
 * as Plackett and Luce have it (R. D. Luce, "Individual choice behavior", 1959).
 */
static void
win_by_strength(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	double		strength[SPLIT_MAX_TEAMS];
	double		strongest = -INFINITY;
	double		sum = 0;
	int			i;

	if (lobby->nteams == 2)
	{
		split->win[0] = logistic(split->imbalance_logit);
		split->win[1] = logistic(-split->imbalance_logit);
		return;
	}
	team_strengths(lobby, team, commander, strength);
	for (i = 0; i < lobby->nteams; i++)
		strongest = larger(strongest, strength[i]);
	for (i = 0; i < lobby->nteams; i++)
	{
		split->win[i] = portable_exp((strength[i] - strongest) / lobby->log_odds_unit);
		sum += split->win[i];
	}
	for (i = 0; i < lobby->nteams; i++)
		split->win[i] /= sum;
}

void
forecast_split(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	restate_split(lobby, team, commander, split);
	if (lobby->model != NULL)
		lobby->model->predict(lobby, team, commander, 0, split->win);
	else
		win_by_strength(lobby, team, commander, split);
}

/* Whether a split may have its teams in any order. */
static bool
are_numbers_free(const Lobby *lobby)
{
	int			i;

	for (i = 0; i < lobby->n && lobby->locked_teams != NULL; i++)
		if ((lobby->locked_teams[i] | SPLIT_MAY(SPLIT_BENCH)) != SPLIT_ANYWHERE(lobby->nteams) &&
			lobby->locked_teams[i] != SPLIT_MAY(SPLIT_BENCH))
			return false;
	return lobby->estimate[0] == lobby->estimate[1] && lobby->command[0] == lobby->command[1] &&
		lobby->log_odds == 0 && lobby->current == NULL;
}

void
draw_numbers(const Lobby *lobby, Split *split)
{
	uint64_t	lowest[SPLIT_MAX_TEAMS];
	int			commander[2] = {split->answer.commander[0], split->answer.commander[1]};
	int			number[SPLIT_MAX_TEAMS + 1] = {SPLIT_BENCH};
	int			i,
				t;

	if (lobby->lot == NULL || !are_numbers_free(lobby))
		return;
	for (t = 0; t < lobby->nteams; t++)
		lowest[t] = UINT64_MAX;
	for (i = 0; i < lobby->n; i++)
	{
		t = split->answer.team[i] - 1;
		if (t >= 0 && lobby->lot[i] < lowest[t])
			lowest[t] = lobby->lot[i];
	}
	for (t = 0; t < lobby->nteams; t++)
	{
		number[t + 1] = 1;
		for (i = 0; i < lobby->nteams; i++)
			number[t + 1] += lowest[i] < lowest[t] || (lowest[i] == lowest[t] && i < t);
	}
	for (i = 0; i < lobby->n; i++)
		split->answer.team[i] = number[split->answer.team[i]];
	if (lobby->nteams == 2 && number[1] == 2)
	{
		split->answer.commander[0] = commander[1];
		split->answer.commander[1] = commander[0];

		split->difference = 0.0 - split->difference;
		split->imbalance_logit = 0.0 - split->imbalance_logit;
		split->even_difference = 0.0 - split->even_difference;
	}
	forecast_split(lobby, split->answer.team, split->answer.commander, split);
}

/* What is added to the strength of the first team if so much is added to its players. */
static double
strength_ahead(const Lobby *lobby, const int *team, const int *commander, double ahead)
{
	int			size = 0;
	int			playing = 0;
	double		slopes = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		if (team[i] == SPLIT_BENCH ||
			(lobby->command[0] != NULL && commander[team[i] - 1] == i))
			continue;
		playing++;
		if (team[i] != 1)
			continue;
		size++;
		slopes += lobby->slope != NULL ? lobby->slope[i] : 1;
	}
	return ahead * slopes * strength_factor(lobby, size > 0 ? size : 1, playing > 0 ? playing : 1);
}

/*
 * By how much the first team has to be stronger than it is, as searches have it, for the
 * model to find these teams even.
 */
static double
missing_strength(const Lobby *lobby, const int *team, const int *commander,
				 const Split *split)
{
	double		now = split->win[0];
	double		step = lobby->log_odds_unit * (1 + fabs(lobby->log_odds));
	double		low = 0;
	double		high = 0;
	double		win[SPLIT_MAX_TEAMS];
	int			i;

	if (now == 0.5)
		return 0;
	for (i = 0; i < MAX_DOUBLINGS; i++, step *= 2)
	{
		double		ahead = now > 0.5 ? -step : step;

		lobby->model->predict(lobby, team, commander, ahead, win);
		low = smaller(low, ahead);
		high = larger(high, ahead);
		if ((win[0] > 0.5) != (now > 0.5))
			break;
	}
	for (i = 0; i < MAX_HALVINGS; i++)
	{
		double		ahead = (low + high) / 2;

		lobby_interrupt(lobby);
		lobby->model->predict(lobby, team, commander, ahead, win);
		if (win[0] > 0.5)
			high = ahead;
		else
			low = ahead;
	}
	return strength_ahead(lobby, team, commander, low);
}

/*
 * Aim at the difference, as searches have it, at which the model finds the teams of a split even,
 * if that is another one than lobby->even_difference; false if it is not.  The split has the
 * difference of these teams, and their forecast.
 */
static bool
aim_by_model(Lobby *lobby, const Split *split)
{
	double		even = lobby->even_difference +
		split->imbalance_logit * lobby->log_odds_unit +
		missing_strength(lobby, split->answer.team, split->answer.commander, split);

	if (fabs(even - lobby->even_difference) <= AIM_NOISE * (lobby->log_odds_unit + fabs(even)))
		return false;
	lobby->even_difference = even;
	return true;
}

void
check_aim(const Lobby *lobby, Split *split)
{
	Lobby		aimed = *lobby;

	aimed.even_difference = split->even_difference;
	if (lobby->model != NULL && aim_by_model(&aimed, split))
		split->unproven = true;
}

/*
 * Split into two teams of these sizes in this order.  What the model takes for even may be another
 * difference in another split, so that is aimed at until the split is the same; what was aimed at
 * for the best one stays.
 */
static void
split_at_even(Lobby *lobby, const SplitRequest *request, Split *split)
{
	Split		other;
	double		spent;
	int			again;

	split_with_priority(lobby, request, split);
	if (!split->answer.found)
		return;
	forecast_split(lobby, split->answer.team, split->answer.commander, split);
	other = *split;
	spent = split->problem.spent;
	for (again = 0; again < MAX_AIMS; again++)
	{
		if (!aim_by_model(lobby, &other))
			break;
		split_with_priority(lobby, request, &other);
		spent += other.problem.spent;
		if (!other.answer.found)
			break;
		forecast_split(lobby, other.answer.team, other.answer.commander, &other);
		if (split_unfairness(&other) <= split_unfairness(split))
			*split = other;
	}
	lobby->even_difference = split->even_difference;
	split->problem.spent = spent;
	check_aim(lobby, split);

	/* With others on the bench it may be yet another difference. */
	if (lobby->log_odds != 0 &&
		request->size[0] + request->size[1] < lobby->n - lobby->benched)
		split->unproven = true;
}

/* Split into two teams, of whichever sizes is the nearer to even odds. */
static void
split_two_by_model(Lobby *lobby, const SplitRequest *request, Split *split)
{
	SplitRequest ordered = *request;
	double		wanted = lobby->even_difference;
	Split		other;

	ordered.in_order = true;
	split_at_even(lobby, &ordered, split);
	if (request->size[0] == request->size[1] || request->in_order)
		return;
	ordered.size[0] = request->size[1];
	ordered.size[1] = request->size[0];
	lobby->even_difference = wanted;
	split_at_even(lobby, &ordered, &other);
	if (other.answer.found &&
		(!split->answer.found || split_unfairness(&other) < split_unfairness(split)))
		*split = other;
	if (split->answer.found)
		lobby->even_difference = split->even_difference;
}

void
split_fairly(Lobby *lobby, const SplitRequest *request, Split *split)
{
	double		max_work = lobby->max_work;

	if (lobby->model != NULL && lobby->nteams == 2)
	{
		if (lobby->log_odds != 0)
			lobby->max_work /= SHARE_OF_AIM;
		split_two_by_model(lobby, request, split);
		lobby->max_work = max_work;
		return;
	}
	split_with_priority(lobby, request, split);
	if (split->answer.found)
		forecast_split(lobby, split->answer.team, split->answer.commander, split);
}

void
split_every_size(const Lobby *lobby, int least, int nsizes, Split *split)
{
	bool		together = lobby->model == NULL && lobby->command[0] == NULL;
	SplitSize  *size = room_array(lobby->room, sizeof(SplitSize), (size_t) nsizes);
	int			s;

	for (s = 0; s < nsizes; s++)
		size[s] = (SplitSize)
	{
		.count =
		{
			least + s, least + s
		}
	};
	if (together)
		split_sizes(lobby, size, nsizes, split);
	for (s = 0; s < nsizes; s++)
	{
		SplitRequest request = {.size = {least + s, least + s}};
		Lobby		share = *lobby;

		share.max_work /= nsizes;
		if (!together)
			split_fairly(&share, &request, &split[s]);
		else if (split[s].answer.found)
			forecast_split(lobby, split[s].answer.team, split[s].answer.commander, &split[s]);
	}
}
