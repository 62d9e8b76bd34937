/*
 * rated.c
 *		What a match has done to its participants: the columns of the type rated.
 */
#include "pg/history/rated.h"

#include "utils/builtins.h"

static void
put_number(Rated *rated, int column, double number)
{
	rated->values[column] = Float8GetDatum(number);
	rated->nulls[column] = false;
}

/* The columns about the states before and after the match; all others are null. */
static void
put_states(const Rater *rater, const double *before, const double *after, int64 games,
		   Rated *rated)
{
	const Batch *batch = rater->batch;
	int			deviation = model_state_column(batch->model, ROLE_DEVIATION);

	memset(rated->nulls, true, sizeof(rated->nulls));
	rated->before = before;
	rated->after = after;
	put_number(rated, RATED_RATING_BEFORE, model_display(batch->model, batch->params, before));
	put_number(rated, RATED_RATING_AFTER, model_display(batch->model, batch->params, after));
	put_number(rated, RATED_MU_BEFORE, before[0]);
	put_number(rated, RATED_MU_AFTER, after[0]);
	if (deviation >= 0)
	{
		put_number(rated, RATED_DEVIATION_BEFORE, before[deviation]);
		put_number(rated, RATED_DEVIATION_AFTER, after[deviation]);
	}
	rated->values[RATED_GAMES_BEFORE] = Int64GetDatum(games);
	rated->nulls[RATED_GAMES_BEFORE] = false;
}

/* The index of the team of a participant's row: a player may have stints on several. */
static int
team_of(const Match *match, const Participant *p)
{
	int			team = 0;

	while (match->team[team].number != p->team)
		team++;
	return team;
}

void
rated_participant(const Rater *rater, double draw, int place, Rated *rated)
{
	const Batch *batch = rater->batch;
	const Match *match = &batch->match;
	const Participant *p = &rater->match.participant[place];
	int			team = team_of(match, p);
	double		win = match->team[team].win;

	if (rater->forecast)
		put_states(rater, match->player[p->player].before, match->player[p->player].before,
				   batch->player[p->player]->record.games, rated);
	else
	{
		const EventRow *event = &batch->step.rows[OF_PLAYERS].row[p->player];

		put_states(rater, event->before, event->after, event->games, rated);
		put_number(rated, RATED_SCORE, match_outcome(match, team) / 2.0);
	}
	put_number(rated, RATED_WIN_PROBABILITY, win);
	if (match->nteams > 2)
		put_number(rated, RATED_FIRST_PROBABILITY, win);
	if (isnan(draw))
		return;

	/*
	 * A draw is half of the win probability.  Rounding must not leave less
	 * than nothing.
	 */
	put_number(rated, RATED_SOLE_WIN_PROBABILITY, Max(win - draw / 2, 0));
	put_number(rated, RATED_DRAW_PROBABILITY, draw);
	put_number(rated, RATED_LOSS_PROBABILITY, Max(1 - win - draw / 2, 0));
}

void
rated_bystander(const Rater *rater, Datum id, const char *pool, Rated *rated)
{
	static const Period no_period = {0, 0};
	const Batch *batch = rater->batch;
	const BatchPlayer *player = id_table_find(batch->players, id, pool);

	/* What pools share is in a row of its own, for all pools of the player. */
	const BatchPlayer *shared =
		batch->shares ? id_table_find(batch->players, id, SHARED_POOL) : NULL;

	model_state_before(batch->model, batch->params,
					   player != NULL ? player->state : batch->initial, 0, no_period,
					   shared != NULL ? shared->state : NULL, 0, rated->state);
	put_states(rater, rated->state, rated->state, player != NULL ? player->record.games : 0,
			   rated);
}

void
rated_reason(const Rater *rater, Datum *values, bool *nulls)
{
	if (rater->verdict == VERDICT_RATE)
		return;
	values[RATED_UNRATED_REASON] = CStringGetTextDatum(unrated_code(rater->why.reason));
	values[RATED_UNRATED_DETAIL] = CStringGetTextDatum(rater->why.detail);
	nulls[RATED_UNRATED_REASON] = nulls[RATED_UNRATED_DETAIL] = false;
}
