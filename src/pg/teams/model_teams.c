/*
 * model_teams.c
 *		What a rating model, or without one the strength of teams, says of a split: who
 *		wins, and when it is even.
 */
#include "pg/teams/model_teams.h"

#include "core/math/elementary.h"
#include "core/math/logistic.h"
#include "pg/teams/priority.h"

/* A model's even difference is bracketed, and then found by halves. */
#define MAX_DOUBLINGS 60
#define MAX_HALVINGS 60

/* Even differences that differ by less than this share are the same. */
#define AIM_NOISE 1e-9

/* Where several aims are likely, each split has a share of the work. */
#define SHARE_OF_AIM 4

/* Predict teams by a match, with so much added to every player of the first team. */
static void
predict_match(const Lobby *lobby, TeamMatch *match, const int *team, const int *commander,
			  double ahead, double *win)
{
	TeamSeat   *seat = palloc_array(TeamSeat, lobby->n + 1);
	double	   *before = palloc_array(double, lobby->n + 1);
	int			n = 0;
	int			i;

	for (i = 0; i < lobby->n; i++)
	{
		double	   *state = team_match_state(match, i);

		before[i] = state[0];
		if (team[i] == SPLIT_BENCH)
			continue;
		if (team[i] == 1)
			state[0] += ahead;
		seat[n++] = (TeamSeat)
		{
			.player = i,.team = team[i],
				.weight = lobby->weight != NULL ? lobby->weight[i] : NAN,
				.squad = lobby->squad != NULL && lobby->squad[i] != 0 ? lobby->squad[i] : NAN,
				.commands = lobby->command[0] != NULL && commander[team[i] - 1] == i,
				.context = lobby->context != NULL ? lobby->context[i] - 1 : -1,
				.club = lobby->club != NULL ? lobby->club[i] - 1 : -1
		};
	}
	team_match_predict(match, seat, n, lobby->nteams,
					   lobby->estimate[0] != lobby->estimate[1], lobby->log_odds);
	for (i = 0; i < lobby->n; i++)
		team_match_state(match, i)[0] = before[i];
	for (i = 0; i < lobby->nteams; i++)
		win[i] = match->match.team[i].win;
	pfree(seat);
	pfree(before);
}

static void
predict(const Lobby *lobby, const int *team, const int *commander, double ahead, double *win)
{
	predict_match(lobby, lobby->team_match, team, commander, ahead, win);
}

void
forecast_answer(const Lobby *lobby, const int *team, const int *commander, Split *split)
{
	if (lobby->forecast_match != NULL)
		predict_match(lobby, lobby->forecast_match, team, commander, 0, split->win);
}

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
		strongest = Max(strongest, strength[i]);
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
	if (lobby->team_match != NULL)
		predict(lobby, team, commander, 0, split->win);
	else
		win_by_strength(lobby, team, commander, split);
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
	return ahead * slopes * strength_factor(lobby, Max(size, 1), Max(playing, 1));
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

		predict(lobby, team, commander, ahead, win);
		low = Min(low, ahead);
		high = Max(high, ahead);
		if ((win[0] > 0.5) != (now > 0.5))
			break;
	}
	for (i = 0; i < MAX_HALVINGS; i++)
	{
		double		ahead = (low + high) / 2;

		check_interrupts();
		predict(lobby, team, commander, ahead, win);
		if (win[0] > 0.5)
			high = ahead;
		else
			low = ahead;
	}
	return strength_ahead(lobby, team, commander, low);
}

bool
aim_by_model(Lobby *lobby, const int *team, const int *commander, const Split *split)
{
	double		even = lobby->even_difference +
		split->imbalance_logit * lobby->log_odds_unit +
		missing_strength(lobby, team, commander, split);

	if (fabs(even - lobby->even_difference) <= AIM_NOISE * (lobby->log_odds_unit + fabs(even)))
		return false;
	lobby->even_difference = even;
	return true;
}

/*
 * Split into two teams of these sizes in this order.  What the model takes for even may
 * be another difference in another split, so that is aimed at until the split is the
 * same; what was aimed at for the best one stays.
 */
static void
split_at_even(Lobby *lobby, const SplitRequest *request, Split *split)
{
	double		wanted = lobby->even_difference;
	Split		other;
	int			again;

	split_with_priority(lobby, request, split);
	if (!split->answer.found)
		return;
	forecast_split(lobby, split->answer.team, split->answer.commander, split);
	other = *split;
	for (again = 0; again < MAX_AIMS; again++)
	{
		if (!aim_by_model(lobby, other.answer.team, other.answer.commander, &other))
			break;
		split_with_priority(lobby, request, &other);
		if (!other.answer.found)
			break;
		forecast_split(lobby, other.answer.team, other.answer.commander, &other);
		if (split_unfairness(&other) < split_unfairness(split))
		{
			*split = other;
			wanted = lobby->even_difference;
		}
	}
	lobby->even_difference = wanted;

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
	double		aimed;
	Split		other;

	ordered.in_order = true;
	split_at_even(lobby, &ordered, split);
	if (request->size[0] == request->size[1])
		return;
	ordered.size[0] = request->size[1];
	ordered.size[1] = request->size[0];
	aimed = lobby->even_difference;
	lobby->even_difference = wanted;
	split_at_even(lobby, &ordered, &other);
	if (other.answer.found &&
		(!split->answer.found || split_unfairness(&other) < split_unfairness(split)))
		*split = other;
	else
		lobby->even_difference = aimed;
}

void
split_fairly(Lobby *lobby, const SplitRequest *request, Split *split)
{
	double		max_work = lobby->max_work;

	if (lobby->team_match != NULL && lobby->nteams == 2)
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
